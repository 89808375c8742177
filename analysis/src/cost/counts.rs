//! Instructions of a line: TMA and vector copies, products.

use cute_algebra::Int;
use cute_hardware::ValueCopyAtom;
use cute_hardware::copy::{CopyOperands, TmaBox};
use cute_hardware::tma::instruction::TmaKind;
use tree_sitter_cute::tree::Span;

use super::tree::anchor;
use super::{Cost, Costs, Seen, vectors};
use crate::copy_width::is_vectorized_later;
use crate::tensor::{Space, Tensor};
use crate::trace::{Action, ActionKind};
use crate::value::Value;

/// The work of one call of `copy` with a TMA operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmaCount {
    /// Instructions that one thread issues.
    pub instructions: i64,
    /// The box of one instruction, the contiguous extent first.
    pub extents: Vec<i64>,
    /// Bytes of the box.
    pub box_bytes: i64,
    /// Bytes that the call moves into (or out of) the shared memory of one CTA; with multicast those
    /// of all CTAs that share the tile.
    pub bytes: i64,
    /// CTAs that share the tile, each loading a part of it for all.
    pub sharing: i64,
    /// Whether two CTAs count their bytes on one barrier (`SM100_TMA_2SM_LOAD`).
    pub is_pair: bool,
    /// Whether shared memory is written.
    pub is_load: bool,
}

/// The work of one call of `copy` in one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyCount {
    /// Instructions of one thread (of a warp where the whole warp takes part).
    pub instructions: i64,
    /// Their names in PTX, or the operation of CuTe where the compiler chooses; `ld.shared`, `st.global` where CuTe
    /// chooses the width from the layouts.
    pub instruction: String,
    /// Bits that a thread moves with one of them.
    pub bits: i64,
    /// Bytes that all threads of the tiled copy move together.
    pub bytes: Option<i64>,
    /// The memory that is read.
    pub from: Space,
    /// The memory that is written.
    pub to: Space,
}

/// The work of one call of `gemm`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MmaCount {
    /// Instructions of one thread or warp group.
    pub instructions: i64,
    /// M, N and K of one.
    pub shape: [i64; 3],
    /// Their name in PTX.
    pub instruction: Option<String>,
    /// Repetitions along M, N and K.
    pub repeats: [i64; 3],
}

/// The registers of a tensor that one thread keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accumulator {
    /// Its elements.
    pub elements: i64,
    /// The type of an element.
    pub element: String,
    /// 32-bit registers.
    pub registers: i64,
    /// Whether it is the accumulator of a product, or made for it: `partition_fragment_C`, `make_fragment_C`.
    pub is_of_product: bool,
}

/// A layout of shared memory that TMA fills tile by tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmaTile {
    /// Bytes of one tile.
    pub bytes: i64,
    /// Tiles that the whole layout has room for.
    pub stages: Option<i64>,
    /// The box of one instruction, the contiguous extent first.
    pub extents: Vec<i64>,
    /// Bytes of the box.
    pub box_bytes: i64,
    /// Instructions for one tile, those of all CTAs that share it.
    pub instructions: i64,
}

/// Notes the instructions of each line of a function.
pub(super) fn count(seen: &Seen<'_, '_>, costs: &mut Costs) {
    for action in seen.run.actions.iter().filter(|action| action.is_reached()) {
        let cost = match action.kind {
            ActionKind::Copy => match tma_count(action) {
                Some(count) => Some(Cost::Tma(count)),
                None => copy_count(action).map(Cost::Copy),
            },
            ActionKind::Update => update_count(action).map(Cost::Copy),
            ActionKind::Gemm => mma_count(action).map(Cost::Mma),
            ActionKind::MakeTma => {
                tiles(seen, action, costs);
                None
            }
            _ => None,
        };
        let Some(cost) = cost else { continue };
        if let (Cost::Mma(_), Some(accumulator)) = (&cost, action.args.last())
            && let Some(declared) = seen.variable(accumulator)
        {
            costs.notes.push(seen.note(declared, cost.clone()));
        }
        costs.notes.push(seen.note(anchor(action), cost));
    }
}

/// The copy atom of a value.
pub(super) fn atom(value: &Value) -> Option<&ValueCopyAtom> {
    match value {
        Value::CopyAtom(atom) => Some(atom),
        Value::TiledCopy(copy) => Some(copy.atom()),
        Value::ThrCopy(thread) => Some(thread.copy.atom()),
        _ => None,
    }
}

/// The elements of a tensor, where they are known.
pub(super) fn size(tensor: &Tensor) -> Option<i64> {
    tensor.layout.domain().size().ok()?.value()
}

fn values_of(layout: &cute_algebra::Layout) -> Option<i64> {
    layout.mode(1).ok()?.size().ok()?.value()
}

fn tma_kind(atom: &ValueCopyAtom) -> Option<TmaKind> {
    match atom.atom.operands {
        CopyOperands::Tma(kind) => Some(kind),
        _ => None,
    }
}

fn is_load(kind: TmaKind) -> bool {
    !matches!(
        kind,
        TmaKind::Store | TmaKind::Im2colStore | TmaKind::Reduce(_)
    )
}

/// The bits of one descriptor's box before multicast splits it.
fn moved_bits(atom: &ValueCopyAtom) -> Option<i64> {
    values_of(&atom.source)?.checked_mul(atom.value_bits)
}

fn sharing(atom: &ValueCopyAtom, tma_box: &TmaBox) -> Option<i64> {
    let bits = tma_box.bytes().checked_mul(8)?;
    let moved = moved_bits(atom)?;
    (bits > 0 && moved % bits == 0).then(|| moved / bits)
}

/// The work of a copy by TMA.
pub(super) fn tma_count(action: &Action<'_>) -> Option<TmaCount> {
    tma_of(&action.values)
}

/// The work of a copy by TMA, from its operation and its tensors.
pub(super) fn tma_of(values: &[Value]) -> Option<TmaCount> {
    let [operation, source, destination, ..] = values else {
        return None;
    };
    let atom = atom(operation)?;
    let kind = tma_kind(atom)?;
    let ((true, _, Value::Tensor(shared)) | (false, Value::Tensor(shared), _)) =
        (is_load(kind), source, destination)
    else {
        return None;
    };
    let elements = size(shared)?;
    let values = values_of(&atom.source)?;
    let tma_box = atom.tma_box.as_ref()?;
    if values == 0 || elements % values != 0 {
        return None;
    }
    Some(TmaCount {
        instructions: elements / values,
        extents: tma_box.extents.clone(),
        box_bytes: tma_box.bytes(),
        bytes: elements.checked_mul(atom.value_bits)? / 8,
        sharing: sharing(atom, tma_box)?,
        is_pair: atom.atom.thread_id.size().ok()?.value()? == 2,
        is_load: is_load(kind),
    })
}

/// The work of a copy by threads.
pub(super) fn copy_count(action: &Action<'_>) -> Option<CopyCount> {
    vectors::count(action).or_else(|| copy_of(&action.values))
}

/// The work of a copy by threads whose operation has a known width.
pub(super) fn copy_of(values: &[Value]) -> Option<CopyCount> {
    let [
        operation,
        Value::Tensor(source),
        Value::Tensor(destination),
        ..,
    ] = values
    else {
        return None;
    };
    let atom = atom(operation)?;
    if tma_kind(atom).is_some() || is_vectorized_later(atom) {
        return None;
    }
    // Registers are one thread's own; of memory a slice may be a whole warp's.
    let (own, layout) = if source.engine.space == Space::Registers {
        (source, &atom.source)
    } else {
        (destination, &atom.destination)
    };
    let (elements, values) = (size(own)?, values_of(layout)?);
    if values == 0 || elements % values != 0 {
        return None;
    }
    let threads = match operation {
        Value::TiledCopy(copy) => copy.size().ok(),
        Value::ThrCopy(thread) => thread.copy.size().ok(),
        _ => None,
    };
    let bytes = threads.as_ref().and_then(Int::value).and_then(|threads| {
        threads
            .checked_mul(elements)?
            .checked_mul(atom.value_bits)
            .map(|bits| bits / 8)
    });
    Some(CopyCount {
        instructions: elements / values,
        instruction: atom
            .atom
            .mnemonic
            .clone()
            .unwrap_or_else(|| atom.atom.name.clone()),
        bits: values.checked_mul(atom.value_bits)?,
        bytes,
        from: source.engine.space,
        to: destination.engine.space,
    })
}

/// The work of `axpby(alpha, x, beta, y)`: the compiler chooses the width of its stores.
fn update_count(action: &Action<'_>) -> Option<CopyCount> {
    let [_, Value::Tensor(source), _, Value::Tensor(destination), ..] = action.values.as_slice()
    else {
        return None;
    };
    Some(CopyCount {
        instructions: destination.layout.size().ok()?.value()?,
        instruction: "axpby".to_owned(),
        bits: i64::from(destination.engine.bits()?),
        bytes: None,
        from: source.engine.space,
        to: destination.engine.space,
    })
}

/// The work of a product.
pub(super) fn mma_count(action: &Action<'_>) -> Option<MmaCount> {
    mma_of(&action.values)
}

/// The work of a product, from its operation and its operands A, B and C.
pub(super) fn mma_of(values: &[Value]) -> Option<MmaCount> {
    let [
        mma,
        Value::Tensor(a),
        Value::Tensor(b),
        Value::Tensor(_),
        ..,
    ] = values
    else {
        return None;
    };
    let atom = match mma {
        Value::TiledMma(mma) => mma.atom(),
        Value::ThrMma(thread) => thread.mma.atom(),
        Value::MmaAtom(atom) => atom,
        _ => return None,
    };
    let mode = |tensor: &Tensor, index: usize| -> Option<i64> {
        let layout = tensor.layout.domain();
        if index < layout.rank() {
            layout.mode(index).ok()?.size().ok()?.value()
        } else {
            Some(1)
        }
    };
    // (V,M,K) x (V,N,K) => (V,M,N); a slice has one value of K. A vector alone is one instruction.
    let repeats = [mode(a, 1)?, mode(b, 1)?, mode(a, 2)?];
    if a.layout.rank() > 3 || mode(b, 2)? != repeats[2] {
        return None;
    }
    let times = atom
        .instruction
        .as_ref()
        .map_or(1, |instruction| i64::from(instruction.times));
    let instructions = repeats
        .iter()
        .try_fold(times, |product, count| product.checked_mul(*count))?;
    Some(MmaCount {
        instructions,
        shape: atom.shape_mnk(),
        instruction: atom
            .instruction
            .as_ref()
            .map(|instruction| instruction.mnemonic.clone()),
        repeats,
    })
}

/// The tile of a TMA operation, at its call and at the declaration of the shared layout.
fn tiles(seen: &Seen<'_, '_>, action: &Action<'_>, costs: &mut Costs) {
    let Some(tile) = tile(action, None) else {
        return;
    };
    costs
        .notes
        .push(seen.note(anchor(action), Cost::Tile(tile)));
    let declared = action.args.get(2).and_then(|shared| seen.variable(shared));
    let whole = declared.and_then(|declared| whole_size(seen, declared));
    if let (Some(declared), Some(whole)) = (declared, whole)
        && let Some(tile) = self::tile(action, Some(whole))
    {
        costs.notes.push(seen.note(declared, Cost::Tile(tile)));
    }
}

/// The tile of a TMA operation; `whole` are the elements of the layout that it is a slice of.
pub(super) fn tile(action: &Action<'_>, whole: Option<i64>) -> Option<TmaTile> {
    tile_of(&action.result, action.values.get(2)?, whole)
}

/// The tile of a TMA operation that was made for a layout of shared memory.
pub(super) fn tile_of(made: &Value, shared: &Value, whole: Option<i64>) -> Option<TmaTile> {
    let atom = atom(made)?;
    let tma_box = atom.tma_box.as_ref()?;
    let elements = shared.as_any_layout()?.domain().size().ok()?.value()?;
    let values = values_of(&atom.source)?;
    if elements == 0 || values == 0 || elements % values != 0 {
        return None;
    }
    Some(TmaTile {
        bytes: elements.checked_mul(atom.value_bits)? / 8,
        stages: whole.and_then(|whole| (whole % elements == 0).then(|| whole / elements)),
        extents: tma_box.extents.clone(),
        box_bytes: tma_box.bytes(),
        instructions: elements / values,
    })
}

/// The elements of the layout that a name is declared with, in this instance.
fn whole_size(seen: &Seen<'_, '_>, declared: Span) -> Option<i64> {
    let instance = seen.run.instance.as_deref();
    let places = seen.declared.facts_of(declared).iter();
    let mut facts = places.filter_map(|at| seen.output.facts.get(*at));
    let fact = facts.find(|fact| fact.instance.as_deref() == instance)?;
    fact.value.as_any_layout()?.domain().size().ok()?.value()
}
