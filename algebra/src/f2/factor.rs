//! Factoring a matrix into a swizzle after a layout.

use super::linear::shared_bit;
use super::matrix::BitMatrix;
use crate::layout::Layout;
use crate::swizzle::Swizzle;

impl BitMatrix {
    /// The swizzle with the fewest bits and the layout with integer steps whose composition is this matrix.
    ///
    /// `A = Sw * L` holds exactly when `Sw * A`, for a swizzle is its own inverse, is a layout, that is, when no two
    /// columns of it share a bit. A matrix that is a layout is `Sw<0,0,0>` after it. Among swizzles with as many bits the one
    /// with the smallest base, then the smallest distance, is answered.
    pub fn factor(&self) -> Option<(Swizzle, Layout)> {
        swizzles_within(self.rows()).find_map(|swizzle| {
            let columns: Vec<u64> = self
                .columns()
                .iter()
                .map(|c| swizzle.apply(c.cast_signed()).cast_unsigned())
                .collect();
            if shared_bit(&columns).is_some() {
                return None;
            }
            Some((swizzle, BitMatrix::with_columns(columns)?.to_layout()?))
        })
    }
}

/// All swizzles that exchange bits below `width`, those with fewer bits first; the identity is the first.
pub(crate) fn swizzles_within(width: u32) -> impl Iterator<Item = Swizzle> {
    let width = i64::from(width);
    let identity = Swizzle::new(0, 0, 0).ok();
    let others = (1..=width / 2).flat_map(move |bits| {
        (0..=width - 2 * bits).flat_map(move |base| {
            (bits..=width - bits - base)
                .flat_map(move |distance| [distance, -distance])
                .filter_map(move |shift| Swizzle::new(bits, base, shift).ok())
        })
    });
    identity.into_iter().chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_swizzle_within_a_width_is_listed_once() {
        let listed: Vec<Swizzle> = swizzles_within(7).collect();
        let distinct: std::collections::HashSet<_> = listed.iter().copied().collect();
        assert_eq!(listed.len(), distinct.len());
        let touched = |s: &Swizzle| s.source_mask() | s.target_mask();
        assert!(listed.iter().all(|s| touched(s) < 1 << 7));
        let all = (0..7).flat_map(|b| {
            (0..7).flat_map(move |m| (-7..=7).filter_map(move |s| Swizzle::new(b, m, s).ok()))
        });
        let expected = all
            .filter(|s| !s.is_identity() && touched(s) < 1 << 7)
            .count();
        assert_eq!(listed.len(), expected + 1);
    }
}
