//! What memory a layout reaches, in a few words.

use cute_algebra::Layout;

/// How a layout of known numbers covers its codomain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Every offset from 0 on is reached once.
    Exact,
    /// Every reached offset is reached once; this many in between are not.
    Holes(i64),
    /// Modes of stride 0 reach each offset this many times.
    Broadcast(i64),
    /// The modes overlap: some offset is reached twice.
    Overlaps,
}

/// One mode: extent and stride.
type Mode = (i64, i64);

/// The coverage; none where a number is not known, or is negative, or where it takes more than a
/// look at the modes to tell.
pub fn of(layout: &Layout) -> Option<Coverage> {
    let mut modes = known_modes(layout)?;
    if modes
        .iter()
        .any(|(extent, stride)| *extent < 1 || *stride < 0)
    {
        return None;
    }
    let repeats = modes
        .iter()
        .filter(|(_, stride)| *stride == 0)
        .try_fold(1_i64, |product, (extent, _)| product.checked_mul(*extent))?;
    if repeats > 1 {
        return Some(Coverage::Broadcast(repeats));
    }
    modes.retain(|(extent, stride)| *extent > 1 && *stride > 0);
    modes.sort_by_key(|(_, stride)| *stride);
    let (size, span) = size_and_span(&modes)?;
    if size == span {
        return is_ordered(&modes).then_some(Coverage::Exact);
    }
    if is_ordered(&modes) {
        return Some(Coverage::Holes(span - size));
    }
    // Fewer places than coordinates: two coordinates must meet (the pigeonhole principle).
    (span < size).then_some(Coverage::Overlaps)
}

/// The smallest and the largest offset; none where a number is not known.
pub fn range(layout: &Layout) -> Option<(i64, i64)> {
    known_modes(layout)?
        .iter()
        .try_fold((0_i64, 0_i64), |(low, high), (extent, stride)| {
            let reach = (extent - 1).checked_mul(*stride)?;
            Some((
                low.checked_add(reach.min(0))?,
                high.checked_add(reach.max(0))?,
            ))
        })
}

/// The leaves as numbers; none where one is not known or no integer.
fn known_modes(layout: &Layout) -> Option<Vec<Mode>> {
    let view = layout.view();
    let numbers = |(extent, step): (&cute_algebra::Int, &cute_algebra::Delta)| {
        Some((extent.value()?, step.as_int()?.value()?))
    };
    view.extents()
        .iter()
        .zip(view.steps())
        .map(numbers)
        .collect()
}

/// The number of coordinates and of offsets from the first to the last.
fn size_and_span(modes: &[Mode]) -> Option<(i64, i64)> {
    modes
        .iter()
        .try_fold((1_i64, 1_i64), |(size, span), (extent, stride)| {
            let reach = (extent - 1).checked_mul(*stride)?;
            Some((size.checked_mul(*extent)?, span.checked_add(reach)?))
        })
}

/// Whether each mode steps over all that the smaller ones reach.
fn is_ordered(modes: &[Mode]) -> bool {
    let mut reached: i64 = 0;
    modes.iter().all(|(extent, stride)| {
        let steps_over = *stride > reached;
        reached = reached.saturating_add((extent - 1).saturating_mul(*stride));
        steps_over
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(layout: &str) -> Option<Coverage> {
        of(&layout.parse().unwrap())
    }

    #[test]
    fn the_four_ways_to_cover() {
        assert_eq!(coverage("((_2,_2),_4):((_1,_8),_2)"), Some(Coverage::Exact));
        assert_eq!(coverage("(_64,_8):(_1,_65)"), Some(Coverage::Holes(7)));
        assert_eq!(coverage("(_4,_8):(_0,_1)"), Some(Coverage::Broadcast(4)));
        assert_eq!(coverage("(_4,_4):(_1,_2)"), Some(Coverage::Overlaps));
    }

    #[test]
    fn what_a_look_does_not_tell_is_not_said() {
        // Injective, though its modes interleave: 0, 2, 4, 3, 5, 7.
        assert_eq!(coverage("(_3,_2):(_2,_3)"), None);
        assert_eq!(coverage("(_4):(_-1)"), None);
    }

    #[test]
    fn coverage_agrees_with_counting() {
        for (extent_a, stride_a, extent_b, stride_b) in (1..5)
            .flat_map(|a| (0..6).map(move |b| (a, b)))
            .flat_map(|(a, b)| (1..5).flat_map(move |c| (0..6).map(move |d| (a, b, c, d))))
        {
            let layout: Layout = format!("(_{extent_a},_{extent_b}):(_{stride_a},_{stride_b})")
                .parse()
                .unwrap();
            let size = extent_a * extent_b;
            let mut offsets: Vec<i64> = (0..size)
                .map(|index| layout.eval_number(index).unwrap())
                .collect();
            offsets.sort_unstable();
            let span = offsets.last().unwrap() + 1;
            offsets.dedup();
            let distinct = i64::try_from(offsets.len()).unwrap();
            match of(&layout) {
                Some(Coverage::Exact) => assert_eq!((distinct, span), (size, size), "{layout}"),
                Some(Coverage::Holes(holes)) => {
                    assert_eq!((distinct, span), (size, size + holes), "{layout}");
                }
                Some(Coverage::Broadcast(_) | Coverage::Overlaps) => {
                    assert!(distinct < size, "{layout}");
                }
                None => {}
            }
        }
    }
}
