//! Layouts as attributes of Triton: by their bases.

use cute_algebra::triton::{Encoding, Input, Placement, distributed_of, shared_of};
use cute_algebra::{AnyLayout, Refusal, Rule, Shape, Verdict};
use tree_sitter_cute::attribute::{Attribute, Data, Item, TypedAttribute};

use super::TritonLayout;

/// The alignment of the address of a buffer, in bytes, where no attribute gives more: the widest access of a lane.
const ALIGNMENT: u64 = 16;

pub(super) fn by_bases(layout: &TritonLayout) -> Result<TypedAttribute, Refusal> {
    let linear = &layout.linear;
    let bases = |input| (input, linear.bases(input));
    let none = |what: &'static str| {
        Err(Refusal::new(Rule::NoSuchLayout, Verdict::Accepts).with("not_linear_because", what))
    };
    let attribute = match layout.encoding.placement() {
        Placement::Registers => {
            let inputs = [Input::Register, Input::Lane, Input::Warp, Input::Block];
            distributed(inputs.map(bases))
        }
        Placement::Shared if layout.encoding.paddings().is_empty() => {
            let inputs = [Input::Offset, Input::Block];
            shared(inputs.map(bases), layout.encoding.alignment())
        }
        Placement::Shared => return none("padding adds to offsets"),
        Placement::TensorMemory => {
            return none("Triton has no attribute with the bases of tensor memory");
        }
    };
    Ok(typed(attribute, linear.shape()))
}

/// `#ttg.shared_linear` of a layout from coordinates to offsets, where `alignment` is that of the buffer in bytes.
///
/// # Errors
/// See [`shared_of`].
pub fn shared_attribute(
    layout: &AnyLayout,
    alignment: Option<u64>,
) -> Result<TypedAttribute, Refusal> {
    let found = shared_of(layout, alignment.unwrap_or(ALIGNMENT))?;
    let attribute = shared(
        [
            (Input::Offset, found.offset.as_slice()),
            (Input::Block, found.block.as_slice()),
        ],
        found.alignment,
    );
    Ok(typed(attribute, &extents(&layout.shape())?))
}

/// `#ttg.linear` of a thread-value layout over a tile.
///
/// # Errors
/// See [`distributed_of`].
pub fn distributed_attribute(layout: &AnyLayout, tile: &Shape) -> Result<TypedAttribute, Refusal> {
    let tile = extents(tile)?;
    match distributed_of(layout, &tile)? {
        Encoding::Linear(bases) => {
            let bases = bases
                .iter()
                .map(|(input, bases)| (*input, bases.as_slice()));
            Ok(typed(distributed(bases), &tile))
        }
        _ => Err(Refusal::new(Rule::NoSuchLayout, Verdict::Accepts)),
    }
}

fn distributed<'b>(bases: impl IntoIterator<Item = (Input, &'b [Vec<u64>])>) -> Attribute {
    Attribute {
        name: "ttg.linear".to_owned(),
        items: vec![Item::plain(record(bases))],
    }
}

fn shared<'b>(
    bases: impl IntoIterator<Item = (Input, &'b [Vec<u64>])>,
    alignment: u64,
) -> Attribute {
    Attribute {
        name: "ttg.shared_linear".to_owned(),
        items: vec![
            Item::plain(record(bases)),
            Item::named("alignment", Data::Int(number(alignment))),
        ],
    }
}

fn record<'b>(bases: impl IntoIterator<Item = (Input, &'b [Vec<u64>])>) -> Data {
    let fields = bases.into_iter().map(|(input, bases)| {
        let bases = bases.iter().map(|basis| {
            let steps = basis.iter().map(|&step| Data::Int(number(step)));
            Data::list(steps)
        });
        Item::named(input.name(), Data::list(bases))
    });
    Data::Record(fields.collect())
}

fn typed(attribute: Attribute, shape: &[u64]) -> TypedAttribute {
    TypedAttribute {
        attribute,
        shape: Some(shape.iter().map(|&extent| number(extent)).collect()),
        element: None,
    }
}

/// The sizes of the modes of a shape.
fn extents(shape: &Shape) -> Result<Vec<u64>, Refusal> {
    let modes = shape.modes().map(|mode| {
        let size = mode.size()?;
        let known = size.value().and_then(|size| u64::try_from(size).ok());
        known
            .ok_or_else(|| Refusal::new(Rule::NoSuchLayout, Verdict::Accepts).with("extent", &size))
    });
    modes.collect()
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
