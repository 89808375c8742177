//! The kernels that show the work of `ldmatrix` and `stmatrix`.

use super::{Evidence, Kernel, Module, parameters, registers};
use crate::refusal::{Refusal, Rule};
use core::fmt::Write;
use cute_algebra::Verdict;

/// Numbers of 8x8 matrices of 16-bit elements that one instruction may move.
pub const COUNTS: [i64; 3] = [1, 2, 4];

/// The kernel of one warp that loads matrices from an image of shared memory.
///
/// Parameters: `u64 image` and `u32 bytes` (a multiple of 16) of it; `u64 rows`, a table of 32-bit byte offsets by lane,
/// each a multiple of 16; `u64 out`, where lane `l` writes its register `i` at 32-bit word `32 * i + l`.
///
/// Errors: [`Rule::OutOfRange`] for a number of matrices that no instruction has.
pub fn ldmatrix_kernel(count: i64, transposed: bool) -> Result<Kernel, Refusal> {
    let shape = shape(count, transposed)?;
    let mut stores = String::new();
    for index in 0..count {
        let _ = writeln!(stores, "  st.global.b32 [%d5+{}], %x{index};", 128 * index);
    }
    let body = format!(
        "
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b32 %x<{count}>; .reg .b32 %v<4>; .reg .b64 %d<6>;
{PROLOGUE}  ldmatrix.sync.aligned.{shape}.shared.b16 {}, [%r5];
  mad.wide.u32 %d5, %r0, 4, %d2;
{stores}  ret;
",
        registers("%x", count)
    );
    Ok(module(
        "ldmatrix_fragments",
        "7.0",
        "sm_80",
        body,
        vec![Evidence::of("LDSM.16")],
    ))
}

/// The kernel of one warp that stores matrices into shared memory and shows the memory.
///
/// Parameters as of [`ldmatrix_kernel`], but `image` is the content of shared memory before, and `out` receives the
/// `bytes` of it afterwards. Lane `l` stores `l + 32 * i`, twice (in both 16-bit halves), as register `i`.
///
/// Errors: as [`ldmatrix_kernel`].
pub fn stmatrix_kernel(count: i64, transposed: bool) -> Result<Kernel, Refusal> {
    let shape = shape(count, transposed)?;
    let mut values = String::new();
    for index in 0..count {
        let _ = writeln!(
            values,
            "  add.u32 %r6, %r0, {}; prmt.b32 %x{index}, %r6, 0, 0x1010;",
            32 * index
        );
    }
    let body = format!(
        "
  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b32 %x<{count}>; .reg .b32 %v<4>; .reg .b64 %d<6>;
{PROLOGUE}{values}  stmatrix.sync.aligned.{shape}.shared.b16 [%r5], {};
  bar.sync 0;
  shl.b32 %r3, %r0, 4;
DUMP: setp.ge.u32 %p0, %r3, %r4; @%p0 bra DONE;
  add.u32 %r6, %r1, %r3; ld.shared.v4.b32 {{%v0, %v1, %v2, %v3}}, [%r6];
  cvt.u64.u32 %d4, %r3; add.u64 %d4, %d2, %d4; st.global.v4.b32 [%d4], {{%v0, %v1, %v2, %v3}};
  add.u32 %r3, %r3, 512; bra DUMP;
DONE: ret;
",
        registers("%x", count)
    );
    Ok(module(
        "stmatrix_fragments",
        "7.8",
        "sm_90",
        body,
        vec![Evidence::of("STSM.16")],
    ))
}

/// Fills shared memory with the image; afterwards `%r0` is the lane, `%r1` the buffer, `%r4` its bytes, `%r5` the address
/// of the lane's row, `%d2` the output.
const PROLOGUE: &str = "  ld.param.u64 %d0, [p_image]; cvta.to.global.u64 %d0, %d0;
  ld.param.u64 %d1, [p_rows]; cvta.to.global.u64 %d1, %d1;
  ld.param.u64 %d2, [p_out]; cvta.to.global.u64 %d2, %d2;
  ld.param.u32 %r4, [p_bytes];
  mov.u32 %r0, %tid.x; mov.u32 %r1, smem;
  shl.b32 %r3, %r0, 4;
FILL: setp.ge.u32 %p0, %r3, %r4; @%p0 bra FILLED;
  cvt.u64.u32 %d3, %r3; add.u64 %d3, %d0, %d3; ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%d3];
  add.u32 %r6, %r1, %r3; st.shared.v4.b32 [%r6], {%v0, %v1, %v2, %v3};
  add.u32 %r3, %r3, 512; bra FILL;
FILLED: bar.sync 0;
  mad.wide.u32 %d3, %r0, 4, %d1; ld.global.b32 %r5, [%d3]; add.u32 %r5, %r5, %r1;
";

fn shape(count: i64, transposed: bool) -> Result<String, Refusal> {
    if COUNTS.contains(&count) {
        return Ok(format!(
            "m8n8.x{count}{}",
            if transposed { ".trans" } else { "" }
        ));
    }
    let refusal = Refusal::new(Rule::OutOfRange, Verdict::Accepts).with("matrices", count);
    Err(COUNTS
        .iter()
        .fold(refusal, |refusal, legal| refusal.legal(legal.to_string())))
}

fn module(
    name: &str,
    version: &'static str,
    target: &'static str,
    body: String,
    evidence: Vec<Evidence>,
) -> Kernel {
    Module {
        version,
        target,
        name,
        parameters: parameters(&[
            ("u64", "p_image"),
            ("u32", "p_bytes"),
            ("u64", "p_rows"),
            ("u64", "p_out"),
        ]),
        shared: true,
        threads: 32,
        body,
        evidence,
    }
    .kernel()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_matrices_are_no_instruction() {
        assert_eq!(
            ldmatrix_kernel(3, false).unwrap_err().legal,
            ["1", "2", "4"]
        );
        assert!(
            ldmatrix_kernel(4, true)
                .unwrap()
                .text
                .contains("m8n8.x4.trans.shared.b16 {%x0, %x1, %x2, %x3}, [%r5];")
        );
    }
}
