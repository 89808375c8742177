//! Parts of CuTe's classes besides those that they print first: the layouts of atoms, tiles and thread-value maps.

use cute_hardware::{MmaAtom, Operand, TiledCopy, TiledMma, ValueCopyAtom};

use crate::value::Value;

/// The parts of a tiled copy, a tiled MMA or an atom, by CuTe's names for them, as CuTe prints them;
/// nothing for other values. A part that the hardware's rules refuse is left out.
pub fn parts(value: &Value) -> Vec<(&'static str, String)> {
    match value {
        Value::TiledCopy(copy) => of_copy(copy),
        Value::ThrCopy(thread) => of_copy(&thread.copy),
        Value::TiledMma(mma) => of_mma(mma),
        Value::ThrMma(thread) => of_mma(&thread.mma),
        Value::CopyAtom(atom) => of_copy_atom(atom),
        Value::MmaAtom(atom) => of_mma_atom(atom),
        Value::Collective(collective) => crate::collective::parts(collective),
        _ => Vec::new(),
    }
}

/// The parts that there are.
fn known<T: ToString, E>(
    parts: impl IntoIterator<Item = (&'static str, Result<T, E>)>,
) -> impl Iterator<Item = (&'static str, String)> {
    parts
        .into_iter()
        .filter_map(|(name, part)| Some((name, part.ok()?.to_string())))
}

fn of_copy(copy: &TiledCopy) -> Vec<(&'static str, String)> {
    let atom = copy.atom();
    let mut parts = vec![
        ("TiledLayout_TV", copy.thread_value_layout().to_string()),
        ("Tiler_MN", copy.tiler().to_string()),
    ];
    parts.extend(known([
        ("layoutS_TV", copy.source_layout()),
        ("layoutD_TV", copy.destination_layout()),
    ]));
    parts.extend([
        ("AtomThrID", atom.atom.thread_id.to_string()),
        ("AtomLayoutSrc", atom.source.to_string()),
        ("AtomLayoutDst", atom.destination.to_string()),
        ("AtomLayoutRef", atom.reference.to_string()),
    ]);
    parts.extend(known([("size", copy.size())]));
    parts
}

fn of_mma(mma: &TiledMma) -> Vec<(&'static str, String)> {
    let mut parts = vec![("ThrLayoutVMNK", mma.thread_layout().to_string())];
    parts.extend(of_mma_atom(mma.atom()));
    parts.extend(known([("tile_mnk", mma.tile_shape())]));
    parts.extend(known([
        ("tiledA_TV", mma.thread_value_layout(Operand::A)),
        ("tiledB_TV", mma.thread_value_layout(Operand::B)),
        ("tiledC_TV", mma.thread_value_layout(Operand::C)),
    ]));
    parts.extend(known([("size", mma.size())]));
    parts
}

fn of_mma_atom(atom: &MmaAtom) -> Vec<(&'static str, String)> {
    vec![
        ("Shape_MNK", atom.shape_tuple().to_string()),
        ("ThrID", atom.thread_id.to_string()),
        ("LayoutA_TV", atom.declared_a_layout()),
        ("LayoutB_TV", atom.b.layout.to_string()),
        ("LayoutC_TV", atom.c.layout.to_string()),
    ]
}

fn of_copy_atom(atom: &ValueCopyAtom) -> Vec<(&'static str, String)> {
    vec![
        ("ValLayoutSrc", atom.source.to_string()),
        ("ValLayoutDst", atom.destination.to_string()),
        ("ValLayoutRef", atom.reference.to_string()),
        ("ThrID", atom.atom.thread_id.to_string()),
        ("ValBits", atom.value_bits.to_string()),
    ]
}
