//! The picture of a value, or of an operation and its operands.

use cute_algebra::triton::Placement;
use cute_algebra::{AnyLayout, Layout, Shape};
use cute_analysis::vocabulary::{self, Picture};
use cute_analysis::{Operation, Type, Value};
use cute_hardware::memory::banks::WORD_BYTES;
use cute_hardware::refusal::Rule;
use cute_hardware::{MmaAtom, Refusal};

use super::super::placement;
use super::build::{NotDrawable, by_bank, of_layout};
use super::model::{Kind, Sheet, Window};
use super::operation::{self, Arrangement};
use super::thread_value::{self, By, Names};

/// The picture of a value: offsets of a layout, owners of the cells of an atom, a tiled copy or a
/// tiled MMA.
pub fn of_value(value: &Value, window: Window) -> Result<Sheet, NotDrawable> {
    of_value_by(value, By::Thread, window)
}

/// The picture of who has the cells of a tile. A layout maps (thread, value) to the cells of `tile`, or to the numbers below its
/// cosize.
pub fn of_owners(
    value: &Value,
    tile: Option<&Shape>,
    by: By,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    let layout = match value {
        Value::Triton(_) => None,
        other => affine(other).filter(|layout| layout.rank() == 2),
    };
    let Some(layout) = layout else {
        return of_value_by(value, by, window);
    };
    let tile = match tile {
        Some(tile) => tile.clone(),
        None => Shape::leaf(layout.cosize().map_err(NotDrawable::Refused)?),
    };
    let panel =
        thread_value::of_thread_value(&Names::plain(""), &layout.into(), &tile, by, window)?;
    Ok(Sheet {
        kind: Kind::ThreadValue,
        title: String::new(),
        panels: vec![panel],
    })
}

/// The picture of a layout of shared memory by banks, for elements of `element_bits`.
///
/// # Errors
/// An element of another width than the value says; else see [`NotDrawable`].
pub fn of_banks(
    value: &Value,
    element_bits: Option<i64>,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    let stated = placement::element_bits(value);
    let bits = match (stated, element_bits) {
        (Some(stated), Some(asked)) if stated != asked => {
            return Err(NotDrawable::Unsuitable(format!(
                "the elements have {stated} bits, not {asked}"
            )));
        }
        (stated, asked) => stated.or(asked).unwrap_or(WORD_BITS),
    };
    let mut picture = by_bank(&layout_of(value)?, bits, window)?;
    picture.notes.extend(placement::note(value));
    Ok(picture.into())
}

/// The bits of an element where neither the value nor the user says them: a word of a bank.
const WORD_BITS: i64 = WORD_BYTES * 8;

fn of_value_by(value: &Value, by: By, window: Window) -> Result<Sheet, NotDrawable> {
    match value {
        Value::MmaAtom(atom) => thread_value::of_mma_atom(atom, by, window),
        Value::TiledMma(mma) => thread_value::of_tiled_mma(mma, by, window),
        Value::ThrMma(thread) => thread_value::of_tiled_mma(&thread.mma, by, window),
        Value::CopyAtom(atom) => thread_value::of_copy_atom(atom, by, window),
        Value::TiledCopy(copy) => thread_value::of_tiled_copy(copy, by, window),
        Value::ThrCopy(thread) => thread_value::of_tiled_copy(&thread.copy, by, window),
        Value::Triton(layout) if layout.encoding.placement() == Placement::Registers => {
            thread_value::of_triton(layout, by, window)
        }
        other => {
            if let Some(atom) = instruction(other) {
                let atom = atom.map_err(|refusal| incomplete(other, &refusal))?;
                return thread_value::of_mma_atom(&atom, by, window);
            }
            let mut picture = of_layout(&layout_of(other)?, window)?;
            picture.notes.extend(placement::note(other));
            Ok(picture.into())
        }
    }
}

/// The picture of an operation with its operands; of its result alone where the operation has no picture.
pub fn of_operation(
    operation: &Operation,
    result: &Value,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    match own_picture(operation, result, window) {
        Some(sheet) => sheet,
        None => of_swizzled(result, window),
    }
}

/// The picture of a value, a swizzled layout before and after its swizzle.
pub fn of_swizzled(value: &Value, window: Window) -> Result<Sheet, NotDrawable> {
    match placement::known(value) {
        Some(layout @ AnyLayout::Composed(_)) => {
            let mut sheet = operation::of_swizzle(&layout, window)?;
            if let Some(after) = sheet.panels.last_mut() {
                after.notes.extend(placement::note(value));
            }
            Ok(sheet)
        }
        _ => of_value(value, window),
    }
}

fn own_picture(
    operation: &Operation,
    result: &Value,
    window: Window,
) -> Option<Result<Sheet, NotDrawable>> {
    let operands = operation.operands.as_slice();
    let picture = vocabulary::picture(&operation.name);
    if let (Picture::Complement, [layout, ..]) = (picture, operands) {
        let (layout, rest) = (affine(layout)?, affine(result)?);
        return Some(operation::of_complement(&layout, &rest, window));
    }
    let [first, second] = operands else {
        return None;
    };
    let product = |arrangement| {
        let (block, tiler) = (affine(first)?, affine(second)?);
        Some(operation::of_product(&block, &tiler, arrangement, window))
    };
    match picture {
        Picture::Composition => match second {
            Value::Layout(inner) => Some(operation::of_composition(&affine(first)?, inner, window)),
            _ => Some(operation::of_tiler(
                &affine(first)?,
                &second.to_tiler()?,
                window,
            )),
        },
        Picture::Division => Some(operation::of_division(
            &operation.name,
            &affine(first)?,
            &second.to_tiler()?,
            window,
        )),
        Picture::BlockedProduct => product(Arrangement::Blocked),
        Picture::RakedProduct => product(Arrangement::Raked),
        Picture::LogicalProduct => product(Arrangement::Logical),
        Picture::Slice => {
            let coord = first.to_coord()?;
            Some(operation::of_slice(&coord, &affine(second)?, window))
        }
        Picture::Complement | Picture::Result => None,
    }
}

/// The matrix-multiply instruction that a type names; the reason where it is one that lacks template arguments. Nothing for
/// any other type.
fn instruction(value: &Value) -> Option<Result<MmaAtom, Refusal>> {
    let (Value::Type(ty) | Value::Instance(ty)) = value else {
        return None;
    };
    let Type::Named(name) = &**ty else {
        return None;
    };
    let atom = MmaAtom::named(name);
    let is_instruction = !matches!(&atom, Err(refusal) if refusal.rule == Rule::UnknownAtom);
    is_instruction.then_some(atom)
}

/// The layout of the elements of a value; a shape in the place of a layout is its compact layout.
fn layout_of(value: &Value) -> Result<AnyLayout, NotDrawable> {
    let shape = value.to_compact_layout();
    let placed = placement::of(shape.as_ref().unwrap_or(value));
    let none = || NotDrawable::Unsuitable(format!("{} is not a layout", value.kind().name()));
    placed.ok_or_else(none)?.map_err(NotDrawable::Unsuitable)
}

/// Why an instruction is not one yet: its arguments do not determine it.
fn incomplete(value: &Value, refusal: &Refusal) -> NotDrawable {
    NotDrawable::Unsuitable(match refusal.rule {
        Rule::AtomParameters => format!("`{value}` needs template arguments: {refusal}"),
        _ => refusal.message(),
    })
}

/// A layout without swizzle; a shape in its place is its compact layout.
fn affine(value: &Value) -> Option<Layout> {
    match layout_of(value) {
        Ok(AnyLayout::Affine(layout)) => Some(layout),
        _ => None,
    }
}
