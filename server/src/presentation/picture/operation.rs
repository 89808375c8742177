//! An operation on layouts: its operands, and where the elements of its result are in them.

use std::collections::HashMap;

use cute_algebra::ops::composition::{composition, composition_by};
use cute_algebra::ops::divide::zipped_divide;
use cute_algebra::ops::product::{blocked_product, logical_product, raked_product};
use cute_algebra::ops::slice::slice_and_offset;
use cute_algebra::{AnyLayout, Coord, Int, Layout, Refusal, Tiler};

use super::build::{NotDrawable, of_layout};
use super::model::{CLASSES, Kind, Picture, Sheet, Window};

/// Elements of one operand that are looked at.
const ELEMENTS: i64 = 1 << 18;

/// `A`, `B` and `composition(A, B)` side by side.
pub(super) fn of_composition(a: &Layout, b: &Layout, window: Window) -> Result<Sheet, NotDrawable> {
    let result = composition(a, b).map_err(NotDrawable::Refused)?;
    Ok(Sheet {
        kind: Kind::Composition,
        title: format!("composition({a:#}, {b:#})"),
        panels: vec![
            captioned("A", a, window)?,
            coloured_through(captioned("B", b, window)?, a),
            captioned("A o B", &result, window)?,
        ],
    })
}

/// A picture of `B` in which each cell has the colour of the element of `A` that it leads to, as `A o B` has.
fn coloured_through(mut picture: Picture, a: &Layout) -> Picture {
    for cell in picture.cells.iter_mut().flatten() {
        let index = cell.offset.parse::<i64>().ok();
        if let Some(offset) = index.and_then(|index| a.eval_number(index).ok()) {
            cell.class = offset.rem_euclid(CLASSES);
        }
    }
    picture
}

/// A layout that highlights the elements that a tiler takes (paper, figure 7), and its result.
pub(super) fn of_tiler(
    layout: &Layout,
    tiler: &Tiler,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    let result = composition_by(layout, tiler).map_err(NotDrawable::Refused)?;
    let taken = composition_by(&indices(layout)?, tiler).map_err(NotDrawable::Refused)?;
    let mut picture = captioned("L", layout, window)?;
    let taken = images(&taken, 0)?;
    stand_out(&mut picture, |index| taken.get(&index).map(|_| 0));
    Ok(Sheet {
        kind: Kind::Tiler,
        title: format!("composition({layout:#}, {})", written(tiler)),
        panels: vec![picture, captioned("L o T", &result, window)?],
    })
}

/// A layout coloured by the tiles into which a tiler divides it (paper, figure 12), and the
/// division as tiles by their count.
pub(super) fn of_division(
    name: &str,
    layout: &Layout,
    tiler: &Tiler,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    let result = zipped_divide(layout, tiler).map_err(NotDrawable::Refused)?;
    let indexed = zipped_divide(&indices(layout)?, tiler).map_err(NotDrawable::Refused)?;
    let tile = known(&indexed.mode(0).and_then(|mode| mode.size()))?;
    let at = images(&indexed, 0)?;
    let mut picture = captioned("L", layout, window)?;
    stand_out(&mut picture, |index| {
        at.get(&index).map(|place| place / tile)
    });
    picture.notes.push(format!(
        "one colour per tile of {tile} elements, modulo {CLASSES}"
    ));
    let mut divided = captioned("tiles", &result, window)?;
    for (column, cell) in divided
        .cells
        .iter_mut()
        .flat_map(|line| line.iter_mut().enumerate())
    {
        cell.class = column as i64 % CLASSES;
    }
    Ok(Sheet {
        kind: Kind::Tiler,
        title: format!("{name}({layout:#}, {})", written(tiler)),
        panels: vec![picture, divided],
    })
}

/// The arrangement of the modes of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// `blocked_product`: each block in one piece (paper, figure 10).
    Blocked,
    /// `raked_product`: the elements of the blocks interleaved (paper, figure 11).
    Raked,
    /// `logical_product`: the block in one mode, the tiler in another.
    Logical,
}

/// A block, a tiler, and their product coloured by blocks.
pub(super) fn of_product(
    block: &Layout,
    tiler: &Layout,
    arrangement: Arrangement,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    let logical = logical_product(block, &Tiler::Layout(tiler.clone()));
    let logical = logical.map_err(NotDrawable::Refused)?;
    let result = match arrangement {
        Arrangement::Blocked => blocked_product(block, tiler),
        Arrangement::Raked => raked_product(block, tiler),
        Arrangement::Logical => Ok(logical.clone()),
    };
    let elements = known(&block.size())?;
    let mut picture = captioned("product", &result.map_err(NotDrawable::Refused)?, window)?;
    let places = images(&logical, 0)?;
    for cell in picture.cells.iter_mut().flatten() {
        if let Some(place) = cell
            .offset
            .parse()
            .ok()
            .and_then(|offset: i64| places.get(&offset))
        {
            cell.class = (place / elements) % CLASSES;
        }
    }
    picture.notes.push(format!(
        "one colour per block of {elements} elements, modulo {CLASSES}"
    ));
    Ok(Sheet {
        kind: Kind::Product,
        title: String::new(),
        panels: vec![
            captioned("block", block, window)?,
            captioned("tiler", tiler, window)?,
            picture,
        ],
    })
}

/// A layout that highlights the elements that a slice keeps (paper, figure 5), and the slice.
pub(super) fn of_slice(
    coord: &Coord,
    layout: &Layout,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    let (kept, start) = slice_and_offset(coord, layout).map_err(NotDrawable::Refused)?;
    let (indexed, first) =
        slice_and_offset(coord, &indices(layout)?).map_err(NotDrawable::Refused)?;
    let first = first.as_leaf().and_then(Int::value);
    let first = first.ok_or_else(|| NotDrawable::of_names(start.leaves()))?;
    let taken = images(&indexed, first)?;
    let mut picture = captioned("L", layout, window)?;
    stand_out(&mut picture, |index| taken.get(&index).map(|_| 0));
    let mut slice = captioned("slice", &kept, window)?;
    slice.layout = format!("{{{}}} o {kept:#}", start.map(Int::to_dynamic));
    let begins = start.as_leaf().and_then(Int::value);
    for cell in slice.cells.iter_mut().flatten() {
        if let (Some(begins), Ok(offset)) = (begins, cell.offset.parse::<i64>()) {
            cell.offset = offset.saturating_add(begins).to_string();
        }
    }
    Ok(Sheet {
        kind: Kind::Slice,
        title: String::new(),
        panels: vec![picture, slice],
    })
}

/// A swizzled layout, before and after the swizzle.
pub(super) fn of_swizzle(layout: &AnyLayout, window: Window) -> Result<Sheet, NotDrawable> {
    let mut after = of_layout(layout, window)?;
    let AnyLayout::Composed(composed) = layout else {
        return Ok(after.into());
    };
    let mut before = captioned("before the swizzle", &composed.inner, window)?;
    before.colour = after.colour;
    for cell in before.cells.iter_mut().flatten() {
        if let Ok(offset) = cell.offset.parse::<i64>() {
            cell.class = offset
                .div_euclid(after.colour.unit)
                .rem_euclid(after.colour.classes);
        }
    }
    "after".clone_into(&mut after.caption);
    Ok(Sheet {
        kind: Kind::Swizzle,
        title: String::new(),
        panels: vec![before, after],
    })
}

/// A layout beside its complement, the offsets that it leaves out.
pub(super) fn of_complement(
    layout: &Layout,
    rest: &Layout,
    window: Window,
) -> Result<Sheet, NotDrawable> {
    Ok(Sheet {
        kind: Kind::Layout,
        title: String::new(),
        panels: vec![
            captioned("layout", layout, window)?,
            captioned("complement", rest, window)?,
        ],
    })
}

fn captioned(caption: &str, layout: &Layout, window: Window) -> Result<Picture, NotDrawable> {
    let mut picture = of_layout(&AnyLayout::Affine(layout.clone()), window)?;
    caption.clone_into(&mut picture.caption);
    Ok(picture)
}

/// The layout that sends each coordinate to its own index.
fn indices(layout: &Layout) -> Result<Layout, NotDrawable> {
    Layout::left(layout.shape()).map_err(NotDrawable::Refused)
}

/// The origin of each value of a layout: the first index that has it, by the value plus `start`.
fn images(layout: &Layout, start: i64) -> Result<HashMap<i64, i64>, NotDrawable> {
    let size = known(&layout.size())?;
    if size > ELEMENTS {
        return Err(NotDrawable::TooLarge(format!("{layout:#}")));
    }
    let mut found = HashMap::new();
    for index in 0..size {
        let value = layout.eval_number(index).map_err(NotDrawable::Refused)?;
        found.entry(value.saturating_add(start)).or_insert(index);
    }
    Ok(found)
}

/// Fades the cells that `class` knows nothing of and colours the others.
fn stand_out(picture: &mut Picture, class: impl Fn(i64) -> Option<i64>) {
    for cell in picture.cells.iter_mut().flatten() {
        match class(cell.index) {
            Some(class) => cell.class = class.rem_euclid(CLASSES),
            None => cell.faded = true,
        }
    }
}

fn known(size: &Result<Int, Refusal>) -> Result<i64, NotDrawable> {
    let size = size.clone().map_err(NotDrawable::Refused)?;
    let value = size.value().ok_or_else(|| NotDrawable::of_names(&[size]))?;
    if value < 1 {
        Err(NotDrawable::Empty)
    } else {
        Ok(value)
    }
}

/// A tiler as the notation writes it, so that it can be read again: `<4:1,8:2>`. Tilers are at most 256 levels deep.
fn written(tiler: &Tiler) -> String {
    match tiler {
        Tiler::Modes(modes) => {
            let modes: Vec<String> = modes.iter().map(written).collect();
            format!("<{}>", modes.join(","))
        }
        other => format!("{other:#}"),
    }
}
