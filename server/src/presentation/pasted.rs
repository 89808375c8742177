//! Texts that evaluate to a value again: titles and links that can be pasted.

use cute_analysis::{Integers, Options, Value};
use cute_hardware::{TiledCopy, TiledMma, ValueCopyAtom};

use crate::expression;

/// The first text that evaluates to the value: the operation that made it, its print, the call that makes a tiled MMA or a
/// tiled copy, the print of its layout.
pub fn pasted(value: &Value, operation: Option<&str>) -> Option<String> {
    let made = operation.map(str::to_owned);
    let print = || Some(format!("{value:#}"));
    let layout = || value.as_any_layout().map(|layout| format!("{layout:#}"));
    let texts = made
        .into_iter()
        .chain(tiled(value).or_else(print))
        .chain(layout());
    let mut readable = texts.filter(|text| {
        let evaluated = expression::evaluated(text, Integers::Static, &Options::default());
        evaluated.is_ok_and(|found| is_same(&found.value, value))
    });
    readable.next()
}

/// Whether two values have one picture: the same layout, or the same atoms over the same threads and values.
fn is_same(found: &Value, value: &Value) -> bool {
    match (found, value) {
        (Value::TiledMma(found), Value::TiledMma(mma)) => found == mma,
        (Value::TiledMma(found), Value::ThrMma(thread)) => *found == thread.mma,
        (Value::TiledCopy(found), Value::TiledCopy(copy)) => is_same_copy(found, copy),
        (Value::TiledCopy(found), Value::ThrCopy(thread)) => is_same_copy(found, &thread.copy),
        (Value::MmaAtom(found), Value::MmaAtom(atom)) => found == atom,
        (Value::CopyAtom(found), Value::CopyAtom(atom)) => is_same_atom(found, atom),
        (Value::TiledMma(_) | Value::TiledCopy(_) | Value::MmaAtom(_) | Value::CopyAtom(_), _)
        | (
            _,
            Value::TiledMma(_)
            | Value::ThrMma(_)
            | Value::TiledCopy(_)
            | Value::ThrCopy(_)
            | Value::MmaAtom(_)
            | Value::CopyAtom(_),
        ) => false,
        _ => {
            let layout = found.as_any_layout();
            layout.is_some() && layout == value.as_any_layout()
        }
    }
}

fn is_same_copy(found: &TiledCopy, copy: &TiledCopy) -> bool {
    is_same_atom(found.atom(), copy.atom())
        && found.thread_value_layout() == copy.thread_value_layout()
        && found.tiler() == copy.tiler()
}

/// Whether two atoms copy the same, whatever the type of their values is.
fn is_same_atom(found: &ValueCopyAtom, atom: &ValueCopyAtom) -> bool {
    let found = ValueCopyAtom {
        element: atom.element,
        ..found.clone()
    };
    found == *atom
}

/// The call that makes a tiled MMA or a tiled copy, or the name of an atom.
fn tiled(value: &Value) -> Option<String> {
    match value {
        Value::TiledMma(mma) => Some(of_mma(mma)),
        Value::ThrMma(thread) => Some(of_mma(&thread.mma)),
        Value::TiledCopy(copy) => of_copy(copy),
        Value::ThrCopy(thread) => of_copy(&thread.copy),
        Value::MmaAtom(atom) => Some(format!("MMA_Atom<{}>{{}}", atom.name)),
        Value::CopyAtom(atom) => of_copy_atom(&atom.atom.name, atom.value_bits),
        _ => None,
    }
}

fn of_mma(mma: &TiledMma) -> String {
    let [rows, columns, depth] = mma.stated_permutations();
    let (name, atoms) = (&mma.atom().name, mma.atom_layout());
    format!("make_tiled_mma({name}{{}}, {atoms:#}, <{rows:#},{columns:#},{depth:#}>)")
}

fn of_copy(copy: &TiledCopy) -> Option<String> {
    let atom = copy.atom();
    let atom = of_copy_atom(&atom.atom.name, atom.value_bits)?;
    let (layout, tiler) = (copy.thread_value_layout(), copy.tiler());
    Some(format!(
        "make_tiled_copy_impl({atom}, {layout:#}, {tiler:#})"
    ))
}

/// An atom for values of a width: the integers of that width have the same copies.
fn of_copy_atom(name: &str, bits: i64) -> Option<String> {
    [8, 16, 32, 64]
        .contains(&bits)
        .then(|| format!("Copy_Atom<{name}, uint{bits}_t>{{}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        let evaluated = expression::evaluated(text, Integers::Static, &Options::default());
        pasted(&evaluated.unwrap().value, None)
    }

    #[test]
    fn tiled_copies_and_products_are_the_calls_that_make_them() {
        for text in [
            "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, (4,1,1):(1,0,0), <64,16,16>)",
            "make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}, (2,1,1):(1,0,0))",
            "make_tiled_copy(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, (32,4):(4,1), (1,8):(8,1))",
            "Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}",
            "MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>{}",
        ] {
            let again = of(text).expect(text);
            assert_eq!(of(&again).as_deref(), Some(again.as_str()), "{text}");
        }
    }

    #[test]
    fn a_tensor_is_its_layout_where_its_pointer_cannot_be_read() {
        let text =
            "make_tensor(make_smem_ptr<half_t>(0), composition(Swizzle<3,3,3>{}, (8,64):(64,1)))";
        assert_eq!(of(text).as_deref(), Some("Sw<3,3,3> o 0 o (8,64):(64,1)"));
    }

    #[test]
    fn a_value_without_a_layout_has_no_text() {
        assert_eq!(of("8"), None);
    }
}
