//! The kernels of one TMA copy: load, multicast, `im2col`, store, reduction, prefetch.

use super::{Evidence, Kernel, Module, ROUNDS, borrowed, names, parameters};
use crate::refusal::{Refusal, Rule};
use crate::tma::instruction::{Operands, Reduction, TmaKind, text};
use core::fmt::Write;
use cute_algebra::Verdict;

/// The content of an untouched byte of shared memory after a load.
pub const POISON: u32 = 0xDEAD_BEEF;

/// The kernel that loads one box and writes the shared memory to `out`, so that a load can be compared with
/// [`crate::tma::load::load`]. One block of 128 threads; parameters: the 128-byte descriptor, `u64 out`, `u64 status`, `rank`
/// coordinates of 32 bits, `u32 bytes` of the box. The buffer is filled with [`POISON`] first. The wait is bounded: when the
/// bytes do not arrive, the kernel writes 1 to `status` and ends.
///
/// Errors: [`Rule::TmaRank`].
pub fn load_kernel(rank: usize) -> Result<Kernel, Refusal> {
    Load {
        form: Form::Tile,
        rank,
    }
    .kernel()
}

/// The kernel of a cluster whose first CTA loads one box into every CTA of `mask`. Parameters as of [`load_kernel`], then
/// `u32 mask`; each CTA writes its shared memory to `out + bytes * rank of the CTA`. A CTA that is not in the mask waits in vain and
/// sets `status`.
///
/// Errors: [`Rule::TmaRank`].
pub fn multicast_kernel(rank: usize) -> Result<Kernel, Refusal> {
    Load {
        form: Form::Multicast,
        rank,
    }
    .kernel()
}

/// The kernel that loads one box of an `im2col` tensor. Parameters as of [`load_kernel`], then `rank - 2` offsets of 16 bits.
///
/// Errors: [`Rule::TmaRank`] below 3 or above 5 dimensions.
pub fn im2col_kernel(rank: usize) -> Result<Kernel, Refusal> {
    if rank < 3 {
        return Err(Refusal::new(Rule::TmaRank, Verdict::Accepts)
            .with("rank", rank)
            .with("least", 3_i64));
    }
    Load {
        form: Form::Im2col,
        rank,
    }
    .kernel()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Tile,
    Multicast,
    Im2col,
}

struct Load {
    form: Form,
    rank: usize,
}

impl Load {
    fn kernel(&self) -> Result<Kernel, Refusal> {
        let coordinates = names("%c", self.rank);
        let offsets = match self.form {
            Form::Im2col => names("%h", self.rank.saturating_sub(2)),
            _ => Vec::new(),
        };
        let kind = match self.form {
            Form::Tile => TmaKind::Load,
            Form::Multicast => TmaKind::MulticastLoad,
            Form::Im2col => TmaKind::Im2colLoad,
        };
        let load = text(
            kind,
            &Operands {
                shared: "%r4",
                map: "%d0",
                coordinates: &borrowed(&coordinates),
                barrier: "%r5",
                mask: "%m",
                offsets: &borrowed(&offsets),
                policy: "",
            },
        )?;
        let mut list = parameters(&[("map", "p_map"), ("u64", "p_out"), ("u64", "p_status")]);
        let mut reads = read_coordinates(self.rank, &mut list);
        list.push(("u32", "p_bytes".to_owned()));
        for index in 0..offsets.len() {
            list.push(("u16", format!("p_h{index}")));
            let _ = writeln!(reads, "  ld.param.u16 %h{index}, [p_h{index}];");
        }
        // Barriers of every CTA have to be there before the first CTA's load signals them.
        let (ready, issuer, place) = match self.form {
            Form::Multicast => {
                list.push(("u32", "p_mask".to_owned()));
                let _ = writeln!(
                    reads,
                    "  ld.param.u32 %r10, [p_mask]; cvt.u16.u32 %m, %r10; mov.u32 %r11, %cluster_ctarank;"
                );
                (
                    "fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;",
                    "setp.ne.u32 %p2, %r11, 0; @%p2 bra WAIT;",
                    "mul.wide.u32 %d3, %r11, %r2; add.u64 %d1, %d1, %d3;",
                )
            }
            _ => ("bar.sync 0;", "", ""),
        };
        // No CTA ends while another one's load may still write into it.
        let end = match self.form {
            Form::Multicast => "barrier.cluster.arrive; barrier.cluster.wait; ret;",
            _ => "ret;",
        };
        let body = format!(
            "
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b32 %c<{rank}>; .reg .b16 %h<4>; .reg .b16 %m; .reg .b64 %d<5>;
  .shared .align 8 .b64 barrier;
  mov.b64 %d0, p_map; cvta.param.u64 %d0, %d0;
  ld.param.u64 %d1, [p_out]; cvta.to.global.u64 %d1, %d1;
  ld.param.u64 %d2, [p_status]; cvta.to.global.u64 %d2, %d2;
  ld.param.u32 %r2, [p_bytes];
{reads}  mov.u32 %r3, %tid.x; mov.u32 %r4, smem; mov.u32 %r5, barrier; mov.b32 %r6, 0;
  shl.b32 %r7, %r3, 2; mov.b32 %r8, {POISON}; {place}
POISON: setp.ge.u32 %p0, %r7, %r2; @%p0 bra POISONED;
  add.u32 %r9, %r4, %r7; st.shared.b32 [%r9], %r8;
  add.u32 %r7, %r7, 512; bra POISON;
POISONED: setp.ne.u32 %p1, %r3, 0; @%p1 bra READY;
  mbarrier.init.shared::cta.b64 [%r5], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], %r2;
READY: fence.proxy.async.shared::cta;
  {ready} @%p1 bra WAIT; {issuer}
  {load}
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0; @%p2 bra ARRIVED;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, {ROUNDS}; @%p3 bra WAIT;
  mov.b32 %r10, 1; st.global.b32 [%d2], %r10; bra DONE;
ARRIVED: shl.b32 %r7, %r3, 2;
DUMP: setp.ge.u32 %p0, %r7, %r2; @%p0 bra DONE;
  add.u32 %r9, %r4, %r7; ld.shared.b32 %r10, [%r9];
  cvt.u64.u32 %d3, %r7; add.u64 %d4, %d1, %d3; st.global.b32 [%d4], %r10;
  add.u32 %r7, %r7, 512; bra DUMP;
DONE: {end}
",
            rank = self.rank,
        );
        Ok(Module {
            version: "8.0",
            target: if self.form == Form::Multicast {
                "sm_90a"
            } else {
                "sm_90"
            },
            name: match self.form {
                Form::Tile => "tma_load",
                Form::Multicast => "tma_multicast",
                Form::Im2col => "tma_im2col",
            },
            parameters: list,
            shared: true,
            threads: 128,
            body,
            evidence: vec![Evidence::of("UTMALDG")],
        }
        .kernel())
    }
}

/// The kernel that stores one box. One block of 128 threads; parameters: the descriptor, `u64 in`, the image of shared memory,
/// `rank` coordinates, `u32 bytes` of the box (a multiple of 4).
///
/// Errors: [`Rule::TmaRank`].
pub fn store_kernel(rank: usize) -> Result<Kernel, Refusal> {
    write_kernel(
        rank,
        TmaKind::Store,
        "tma_store",
        vec![Evidence::of("UTMASTG")],
    )
}

/// The kernel that combines one box with the content of global memory; parameters as of [`store_kernel`].
///
/// Errors: [`Rule::TmaRank`].
pub fn reduce_kernel(rank: usize, reduction: Reduction) -> Result<Kernel, Refusal> {
    write_kernel(
        rank,
        TmaKind::Reduce(reduction),
        "tma_reduce",
        vec![Evidence::of("UTMAREDG")],
    )
}

fn write_kernel(
    rank: usize,
    kind: TmaKind,
    name: &str,
    evidence: Vec<Evidence>,
) -> Result<Kernel, Refusal> {
    let coordinates = names("%c", rank);
    let store = text(
        kind,
        &Operands {
            shared: "%r4",
            map: "%d0",
            coordinates: &borrowed(&coordinates),
            ..Operands::default()
        },
    )?;
    let mut list = parameters(&[("map", "p_map"), ("u64", "p_in")]);
    let reads = read_coordinates(rank, &mut list);
    list.push(("u32", "p_bytes".to_owned()));
    let body = format!(
        "
  .reg .pred %p<2>; .reg .b32 %r<12>; .reg .b32 %c<{rank}>; .reg .b64 %d<5>;
  mov.b64 %d0, p_map; cvta.param.u64 %d0, %d0;
  ld.param.u64 %d1, [p_in]; cvta.to.global.u64 %d1, %d1;
  ld.param.u32 %r2, [p_bytes];
{reads}  mov.u32 %r3, %tid.x; mov.u32 %r4, smem;
  shl.b32 %r7, %r3, 2;
FILL: setp.ge.u32 %p0, %r7, %r2; @%p0 bra FILLED;
  cvt.u64.u32 %d3, %r7; add.u64 %d4, %d1, %d3; ld.global.b32 %r10, [%d4];
  add.u32 %r9, %r4, %r7; st.shared.b32 [%r9], %r10;
  add.u32 %r7, %r7, 512; bra FILL;
FILLED: fence.proxy.async.shared::cta; bar.sync 0;
  setp.ne.u32 %p1, %r3, 0; @%p1 bra DONE;
  {store}
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
DONE: ret;
"
    );
    Ok(Module {
        version: "8.0",
        target: "sm_90",
        name,
        parameters: list,
        shared: true,
        threads: 128,
        body,
        evidence,
    }
    .kernel())
}

/// The kernel that asks for one box to be brought into the L2 cache; parameters: the descriptor and `rank` coordinates.
///
/// Errors: [`Rule::TmaRank`].
pub fn prefetch_kernel(rank: usize) -> Result<Kernel, Refusal> {
    let coordinates = names("%c", rank);
    let prefetch = text(
        TmaKind::Prefetch,
        &Operands {
            map: "%d0",
            coordinates: &borrowed(&coordinates),
            ..Operands::default()
        },
    )?;
    let mut list = parameters(&[("map", "p_map")]);
    let reads = read_coordinates(rank, &mut list);
    let body = format!(
        "
  .reg .b32 %c<{rank}>; .reg .b64 %d0;
  mov.b64 %d0, p_map; cvta.param.u64 %d0, %d0;
{reads}  prefetch.tensormap [%d0];
  {prefetch}
  ret;
"
    );
    Ok(Module {
        version: "8.0",
        target: "sm_90",
        name: "tma_prefetch",
        parameters: list,
        shared: false,
        threads: 1,
        body,
        evidence: vec![Evidence::of("UTMAPF"), Evidence::of("UTMACCTL.PF")],
    }
    .kernel())
}

/// Adds the parameters of the coordinates; the text that reads them.
fn read_coordinates(rank: usize, list: &mut Vec<(&'static str, String)>) -> String {
    let mut reads = String::new();
    for mode in 0..rank {
        list.push(("u32", format!("p_c{mode}")));
        let _ = writeln!(reads, "  ld.param.u32 %c{mode}, [p_c{mode}];");
    }
    reads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_out_of_range_have_no_kernel() {
        for rank in [0, 6] {
            assert_eq!(load_kernel(rank).unwrap_err().rule, Rule::TmaRank);
            assert_eq!(multicast_kernel(rank).unwrap_err().rule, Rule::TmaRank);
            assert_eq!(store_kernel(rank).unwrap_err().rule, Rule::TmaRank);
            assert_eq!(prefetch_kernel(rank).unwrap_err().rule, Rule::TmaRank);
            assert_eq!(im2col_kernel(rank).unwrap_err().rule, Rule::TmaRank);
        }
        assert_eq!(im2col_kernel(2).unwrap_err().rule, Rule::TmaRank);
    }

    #[test]
    fn a_kernel_has_a_parameter_for_each_coordinate() {
        for rank in 1..=5 {
            let kernel = load_kernel(rank).unwrap();
            assert!(
                kernel
                    .text
                    .contains(&format!("tensor.{rank}d.shared::cluster"))
            );
            assert_eq!(kernel.text.matches(".param .u32 p_c").count(), rank);
        }
        let im2col = im2col_kernel(4).unwrap();
        assert!(
            im2col
                .text
                .contains("[%d0, {%c0, %c1, %c2, %c3}], [%r5], {%h0, %h1};"),
            "{}",
            im2col.text
        );
    }
}
