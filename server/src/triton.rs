//! Values as attributes of Triton.

use cute_algebra::Shape;
use cute_analysis::{Value, distributed_attribute, shared_attribute};

use crate::presentation::placement;

/// A layout by its bases: `#ttg.linear` of a layout of threads and values over a tile, `#ttg.shared_linear` of one from
/// coordinates to offsets.
///
/// # Errors
/// The error in words: not a layout, or not linear, with the numbers.
pub(crate) fn by_bases(value: &Value, tile: Option<&Shape>) -> Result<String, String> {
    if let Value::Triton(layout) = value {
        let attribute = layout.by_bases();
        return attribute
            .map(|attribute| attribute.to_string())
            .map_err(|refusal| refusal.message());
    }
    let shape = value.to_compact_layout();
    let placed = placement::of(shape.as_ref().unwrap_or(value));
    let layout = placed.ok_or_else(|| format!("`{value:#}` is not a layout"))??;
    let attribute = if let Some(tile) = tile {
        distributed_attribute(&layout, tile)
    } else {
        let alignment = placement::in_shared_memory(value)
            .and_then(|shared| u64::try_from(shared.pattern_bytes()).ok());
        shared_attribute(&layout, alignment)
    };
    attribute
        .map(|attribute| attribute.to_string())
        .map_err(|refusal| refusal.message())
}
