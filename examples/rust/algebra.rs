//! Layouts in plain Rust, with the `cute_algebra` crate.

use cute_algebra::ops::{complement, composition, logical_divide, zipped_divide};
use cute_algebra::{Layout, Refusal, Swizzle, Tiler, layout, shape, stride, tiler};

const ROWS: i64 = 64;
const COLUMNS: i64 = 32;

/// A tile of a matrix with rows of `COLUMNS`, and how threads share it.
pub fn tiles() -> Result<Layout, Refusal> {
    let matrix = layout!((ROWS, COLUMNS):(COLUMNS, 1));
    let threads = Layout::new(shape!((8, 4)), stride!((4, 1)))?;
    let compact = Layout::left(shape!((8, (2, 2))))?;
    let rest = complement(&threads, &shape!(ROWS))?;
    let tiled = zipped_divide(&matrix, &tiler!(<8:1, 4:1>))?;
    let rows = logical_divide(&matrix, &tiler!(8))?;
    let size = compact.size()?;
    assert_eq!(size.value(), Some(32));
    println!("{rest} {rows}");
    Ok(tiled)
}

/// The bits that keep columns apart in the banks.
pub fn bits() -> Result<Swizzle, Refusal> {
    Swizzle::new(3, 4, 3)
}

/// Takes every second row of four.
pub fn rows(of: &Layout, tile: &Tiler) -> Result<Layout, Refusal> {
    let every_second = layout!((4):(2));
    let eight = layout!((8, 8):(8, 1));
    let picked = composition(&eight, &every_second)?;
    println!("{picked}");
    logical_divide(of, tile)
}
