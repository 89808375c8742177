//! The PTX of TMA copies: operands in PTX's order, coordinates innermost first (PTX "cp.async.bulk.tensor").

use super::basis::MAX_RANK;
use crate::address::ptx::Kernel;
use crate::refusal::{Refusal, Rule};
use core::fmt::Write;
use cute_algebra::Verdict;

/// What a TMA instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TmaKind {
    /// Global to shared memory.
    Load,
    /// Global to the shared memory of every CTA in a mask.
    MulticastLoad,
    /// Shared to global memory.
    Store,
    /// Shared memory added to global memory.
    ReduceAdd,
    /// Global memory to the L2 cache.
    Prefetch,
}

/// The registers that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

/// The instruction.
///
/// ```
/// use cute_hardware::tma::instruction::{Operands, TmaKind, text};
/// let operands = Operands { shared: "%r4", map: "%d0", coordinates: &["%r0", "%r1"], barrier: "%r5", mask: "" };
/// assert_eq!(
///     text(TmaKind::Store, &operands)?,
///     "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d0, {%r0, %r1}], [%r4];"
/// );
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// Errors: [`Rule::TmaRank`] for no or more than five coordinates.
pub fn text(kind: TmaKind, operands: &Operands<'_>) -> Result<String, Refusal> {
    let rank = operands.coordinates.len();
    if rank == 0 || rank > MAX_RANK {
        return Err(Refusal::new(Rule::TmaRank, Verdict::Accepts)
            .with("rank", rank)
            .with("most", MAX_RANK));
    }
    let Operands {
        shared,
        map,
        barrier,
        mask,
        ..
    } = operands;
    let tensor = format!("[{map}, {{{}}}]", operands.coordinates.join(", "));
    let load =
        format!("cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes");
    Ok(match kind {
        TmaKind::Load => format!("{load} [{shared}], {tensor}, [{barrier}];"),
        TmaKind::MulticastLoad => {
            format!("{load}.multicast::cluster [{shared}], {tensor}, [{barrier}], {mask};")
        }
        TmaKind::Store => {
            format!(
                "cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group {tensor}, [{shared}];"
            )
        }
        TmaKind::ReduceAdd => {
            format!(
                "cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add.bulk_group {tensor}, [{shared}];"
            )
        }
        TmaKind::Prefetch => format!("cp.async.bulk.prefetch.tensor.{rank}d.L2.global {tensor};"),
    })
}

/// What an untouched byte of shared memory holds after [`load_kernel`].
pub const POISON: u32 = 0xDEAD_BEEF;

/// How often [`load_kernel`] looks at its barrier before it gives up.
const ROUNDS: u32 = 1_000_000;

/// The kernel that loads one box and writes the shared memory to `out`, so that a load can be compared with
/// [`super::load::load`]. One block of 128 threads; parameters: the 128-byte descriptor, `u64 out`, `u64 status`, `rank`
/// coordinates of 32 bits, `u32 bytes` of the box. The buffer is filled with [`POISON`] first. The wait is bounded: when the
/// bytes do not arrive, the kernel writes 1 to `status` and ends.
///
/// Errors: [`Rule::TmaRank`].
pub fn load_kernel(rank: usize) -> Result<Kernel, Refusal> {
    let names: Vec<String> = (0..rank).map(|mode| format!("%c{mode}")).collect();
    let coordinates: Vec<&str> = names.iter().map(String::as_str).collect();
    let operands = Operands {
        shared: "%r4",
        map: "%d0",
        coordinates: &coordinates,
        barrier: "%r5",
        mask: "",
    };
    let load = text(TmaKind::Load, &operands)?;
    let mut parameters = String::new();
    let mut reads = String::new();
    for mode in 0..rank {
        let _ = write!(parameters, ".param .u32 p_c{mode}, ");
        let _ = writeln!(reads, "  ld.param.u32 %c{mode}, [p_c{mode}];");
    }
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .extern .shared .align 1024 .b8 box[];\n\
         .visible .entry tma_load(.param .align 64 .b8 p_map[128], .param .u64 p_out, .param .u64 p_status, \
         {parameters}.param .u32 p_bytes)\n.maxntid 128, 1, 1\n{{\n\
         \x20 .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b32 %c<{rank}>; .reg .b64 %d<5>;\n\
         \x20 .shared .align 8 .b64 barrier;\n\
         \x20 mov.b64 %d0, p_map; cvta.param.u64 %d0, %d0;\n\
         \x20 ld.param.u64 %d1, [p_out]; cvta.to.global.u64 %d1, %d1;\n\
         \x20 ld.param.u64 %d2, [p_status]; cvta.to.global.u64 %d2, %d2;\n\
         {reads}\x20 ld.param.u32 %r2, [p_bytes];\n\
         \x20 mov.u32 %r3, %tid.x; mov.u32 %r4, box; mov.u32 %r5, barrier; mov.b32 %r6, 0;\n\
         \x20 shl.b32 %r7, %r3, 2; mov.b32 %r8, {POISON};\n\
         POISON: setp.ge.u32 %p0, %r7, %r2; @%p0 bra POISONED;\n\
         \x20 add.u32 %r9, %r4, %r7; st.shared.b32 [%r9], %r8;\n\
         \x20 add.u32 %r7, %r7, 512; bra POISON;\n\
         POISONED: setp.ne.u32 %p1, %r3, 0; @%p1 bra READY;\n\
         \x20 mbarrier.init.shared::cta.b64 [%r5], 1;\n\
         READY: fence.proxy.async.shared::cta;\n\
         \x20 bar.sync 0; @%p1 bra WAIT;\n\
         \x20 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], %r2;\n\
         \x20 {load}\n\
         WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0; @%p2 bra ARRIVED;\n\
         \x20 add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, {ROUNDS}; @%p3 bra WAIT;\n\
         \x20 mov.b32 %r10, 1; st.global.b32 [%d2], %r10; bra DONE;\n\
         ARRIVED: shl.b32 %r7, %r3, 2;\n\
         DUMP: setp.ge.u32 %p0, %r7, %r2; @%p0 bra DONE;\n\
         \x20 add.u32 %r9, %r4, %r7; ld.shared.b32 %r10, [%r9];\n\
         \x20 cvt.u64.u32 %d3, %r7; add.u64 %d4, %d1, %d3; st.global.b32 [%d4], %r10;\n\
         \x20 add.u32 %r7, %r7, 512; bra DUMP;\n\
         DONE: ret;\n}}\n"
    );
    Ok(Kernel {
        name: "tma_load".to_owned(),
        text,
        target: "sm_90",
        threads: 128,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_out_of_range_have_no_instruction() {
        assert_eq!(load_kernel(0).unwrap_err().rule, Rule::TmaRank);
        assert_eq!(load_kernel(6).unwrap_err().rule, Rule::TmaRank);
    }

    #[test]
    fn every_wait_is_bounded() {
        for rank in 1..=5 {
            let kernel = load_kernel(rank).unwrap();
            assert!(
                kernel
                    .text
                    .contains("setp.lt.u32 %p3, %r6, 1000000; @%p3 bra WAIT;")
            );
            assert!(
                kernel
                    .text
                    .contains(&format!("tensor.{rank}d.shared::cluster"))
            );
        }
    }

    #[test]
    fn operands_stand_in_the_order_of_ptx() {
        let operands = Operands {
            shared: "%s",
            map: "%m",
            coordinates: &["%x"],
            barrier: "%b",
            mask: "%k",
        };
        let load = text(TmaKind::MulticastLoad, &operands).unwrap();
        assert!(
            load.ends_with(".multicast::cluster [%s], [%m, {%x}], [%b], %k;"),
            "{load}"
        );
        let prefetch = text(TmaKind::Prefetch, &operands).unwrap();
        assert_eq!(
            prefetch,
            "cp.async.bulk.prefetch.tensor.1d.L2.global [%m, {%x}];"
        );
    }
}
