//! The PTX of TMA copies: operands in PTX's order, coordinates innermost first (PTX "cp.async.bulk.tensor").

use super::basis::MAX_RANK;
use crate::refusal::{Refusal, Rule};
use core::fmt::Write as _;
use cute_algebra::Verdict;

/// The kind of a TMA instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TmaKind {
    /// Global to shared memory.
    Load,
    /// Global to the shared memory of every CTA in a mask.
    MulticastLoad,
    /// Shared to global memory.
    Store,
    /// Shared memory combined with global memory.
    Reduce(Reduction),
    /// Global memory to the L2 cache.
    Prefetch,
    /// The pixels of a convolution's filter to shared memory; with offsets of the filter.
    Im2colLoad,
    /// The same, to the shared memory of every CTA in a mask.
    Im2colMulticastLoad,
    /// Shared memory to pixels.
    Im2colStore,
    /// Global memory to the shared memory of one of two paired CTAs (`sm_100a`).
    PairLoad,
    /// Global memory to the shared memory of every pair of CTAs in a mask (`sm_100a`).
    PairMulticastLoad,
}

/// The operation of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The sum.
    Add,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// Counts up, and wraps at the given value.
    Increment,
    /// Counts down, and wraps at zero.
    Decrement,
    /// The bits that both have.
    And,
    /// The bits that one has.
    Or,
    /// The bits that just one has.
    Xor,
}

impl Reduction {
    /// All of them, in PTX's order.
    pub const ALL: [Reduction; 8] = [
        Reduction::Add,
        Reduction::Min,
        Reduction::Max,
        Reduction::Increment,
        Reduction::Decrement,
        Reduction::And,
        Reduction::Or,
        Reduction::Xor,
    ];

    /// PTX's name.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Add => "add",
            Reduction::Min => "min",
            Reduction::Max => "max",
            Reduction::Increment => "inc",
            Reduction::Decrement => "dec",
            Reduction::And => "and",
            Reduction::Or => "or",
            Reduction::Xor => "xor",
        }
    }
}

/// The registers that an instruction names; those that it does not need may be empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operands<'a> {
    /// The address in shared memory.
    pub shared: &'a str,
    /// The generic address of the descriptor.
    pub map: &'a str,
    /// The coordinates, innermost first.
    pub coordinates: &'a [&'a str],
    /// The address of the barrier of a load.
    pub barrier: &'a str,
    /// The CTA mask of a multicast.
    pub mask: &'a str,
    /// The offsets into the filter of an `im2col` load, one for each dimension but two.
    pub offsets: &'a [&'a str],
    /// The cache policy, 64 bits; none when empty.
    pub policy: &'a str,
}

/// The instruction.
///
/// ```
/// use cute_hardware::tma::instruction::{Operands, TmaKind, text};
/// let operands = Operands { shared: "%r4", map: "%d0", coordinates: &["%r0", "%r1"], ..Operands::default() };
/// assert_eq!(
///     text(TmaKind::Store, &operands)?,
///     "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d0, {%r0, %r1}], [%r4];"
/// );
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// Errors: [`Rule::TmaRank`] for no or more than five coordinates, and for less than three of an `im2col` copy or another
/// number of offsets than dimensions but two.
pub fn text(kind: TmaKind, operands: &Operands<'_>) -> Result<String, Refusal> {
    let rank = operands.coordinates.len();
    let least = match kind {
        TmaKind::Im2colLoad | TmaKind::Im2colMulticastLoad | TmaKind::Im2colStore => 3,
        _ => 1,
    };
    let has_offsets = matches!(kind, TmaKind::Im2colLoad | TmaKind::Im2colMulticastLoad);
    if !(least..=MAX_RANK).contains(&rank) || has_offsets && operands.offsets.len() != rank - 2 {
        return Err(Refusal::new(Rule::TmaRank, Verdict::Accepts)
            .with("rank", rank)
            .with("least", least)
            .with("most", MAX_RANK));
    }
    let Operands {
        shared,
        map,
        barrier,
        mask,
        policy,
        ..
    } = operands;
    let tensor = format!("[{map}, {{{}}}]", operands.coordinates.join(", "));
    let (hint, hinted) = if policy.is_empty() {
        ("", String::new())
    } else {
        (".L2::cache_hint", format!(", {policy}"))
    };
    let mut text = match kind {
        TmaKind::Load
        | TmaKind::MulticastLoad
        | TmaKind::Im2colLoad
        | TmaKind::Im2colMulticastLoad
        | TmaKind::PairLoad
        | TmaKind::PairMulticastLoad => {
            let mode = if has_offsets { ".im2col" } else { "" };
            let (multicast, masked) = match kind {
                TmaKind::MulticastLoad
                | TmaKind::Im2colMulticastLoad
                | TmaKind::PairMulticastLoad => (".multicast::cluster", format!(", {mask}")),
                _ => ("", String::new()),
            };
            let pair = match kind {
                TmaKind::PairLoad | TmaKind::PairMulticastLoad => ".cta_group::2",
                _ => "",
            };
            let mut load = format!(
                "cp.async.bulk.tensor.{rank}d.shared::cluster.global{mode}.mbarrier::complete_tx::bytes{multicast}{pair}{hint} [{shared}], {tensor}, [{barrier}]"
            );
            if has_offsets {
                let _ = write!(load, ", {{{}}}", operands.offsets.join(", "));
            }
            load + &masked
        }
        TmaKind::Store => {
            format!(
                "cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group{hint} {tensor}, [{shared}]"
            )
        }
        TmaKind::Im2colStore => {
            format!(
                "cp.async.bulk.tensor.{rank}d.global.shared::cta.im2col_no_offs.bulk_group{hint} {tensor}, [{shared}]"
            )
        }
        TmaKind::Reduce(reduction) => {
            format!(
                "cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{}.bulk_group{hint} {tensor}, [{shared}]",
                reduction.name()
            )
        }
        TmaKind::Prefetch => {
            format!("cp.async.bulk.prefetch.tensor.{rank}d.L2.global{hint} {tensor}")
        }
    };
    text.push_str(&hinted);
    text.push(';');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERANDS: Operands<'_> = Operands {
        shared: "%s",
        map: "%m",
        coordinates: &["%x"],
        barrier: "%b",
        mask: "%k",
        offsets: &[],
        policy: "",
    };

    #[test]
    fn ranks_out_of_range_have_no_instruction() {
        let rule = |kind, coordinates: &[&str], offsets: &[&str]| {
            text(
                kind,
                &Operands {
                    coordinates,
                    offsets,
                    ..OPERANDS
                },
            )
            .unwrap_err()
            .rule
        };
        assert_eq!(rule(TmaKind::Load, &[], &[]), Rule::TmaRank);
        assert_eq!(rule(TmaKind::Store, &["%x"; 6], &[]), Rule::TmaRank);
        assert_eq!(rule(TmaKind::Im2colLoad, &["%x"; 2], &[]), Rule::TmaRank);
        assert_eq!(
            rule(TmaKind::Im2colLoad, &["%x"; 4], &["%h"]),
            Rule::TmaRank
        );
    }

    #[test]
    fn operands_stand_in_the_order_of_ptx() {
        let load = text(
            TmaKind::MulticastLoad,
            &Operands {
                policy: "%l",
                ..OPERANDS
            },
        )
        .unwrap();
        assert!(
            load.ends_with(".multicast::cluster.L2::cache_hint [%s], [%m, {%x}], [%b], %k, %l;"),
            "{load}"
        );
        let prefetch = text(TmaKind::Prefetch, &OPERANDS).unwrap();
        assert_eq!(
            prefetch,
            "cp.async.bulk.prefetch.tensor.1d.L2.global [%m, {%x}];"
        );
        let im2col = Operands {
            coordinates: &["%x"; 4],
            offsets: &["%h", "%i"],
            ..OPERANDS
        };
        assert_eq!(
            text(TmaKind::Im2colLoad, &im2col).unwrap(),
            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%s], [%m, {%x, %x, %x, %x}], [%b], {%h, %i};"
        );
    }
}
