//! The kernel of one `wgmma`, which shows the meaning of its operands' descriptors.

use super::instruction::{Immediates, wgmma_text};
use super::{Evidence, Kernel, Module, copy_operands, parameters};
use crate::element::Element;
use crate::mma::{MmaAtom, OperandMemory};
use crate::refusal::{Refusal, Rule};
use core::fmt::Write;
use cute_algebra::Verdict;

/// The kernel of one warp group that multiplies two images of shared memory: `D = A * B`, `repeats` times accumulated, of one
/// instruction. See [`wgmma_tile_kernel`].
///
/// Errors: as [`wgmma_tile_kernel`].
pub fn wgmma_kernel(atom: &MmaAtom) -> Result<Kernel, Refusal> {
    wgmma_tile_kernel(atom, &[])
}

/// The kernel of one warp group that multiplies two tiles of shared memory which are deeper than one instruction. Each of
/// `steps` says how far the start of A and of B moves, in units of 16 bytes, from one instruction to the next, as
/// [`crate::descriptor::MatrixDescriptor::advance`] moves a descriptor.
///
/// Parameters: `u64 a`, `u32 a_bytes`, `u64 b`, `u32 b_bytes`, the images (multiples of 16 bytes), which start at multiples of
/// 1024 bytes of shared memory; `u64 a_descriptor`, `u64 b_descriptor` for images at address 0; `u64 out`, where thread `t`
/// writes its register `i` at 32-bit word `128 * i + t`; `u64 cycles`, where it writes 64 bits; `u32 repeats`.
/// With an identity as B, D is A: the test of A's descriptor.
///
/// Errors: [`Rule::MmaOperand`] for an atom that is not a `wgmma` of two dense operands in shared memory.
pub fn wgmma_tile_kernel(atom: &MmaAtom, steps: &[[i64; 2]]) -> Result<Kernel, Refusal> {
    let (OperandMemory::Shared(_), OperandMemory::Shared(_), None, [64, n, _]) =
        (atom.a.place, atom.b.place, &atom.metadata, atom.shape_mnk())
    else {
        return Err(Refusal::new(Rule::MmaOperand, Verdict::Accepts)
            .with("name", atom.name.clone())
            .legal("SM90_64x8x16_F32F16F16_SS"));
    };
    let count = 64 * n / 128 * atom.c.element.bits() / 32;
    let multiply = wgmma_text(atom, "%a", &Immediates { accumulate: "%p1" })?;
    let multiplies = super::along_k(&multiply, ["%a", "%b"], "setp.eq.b32 %p1, 0, 0;", steps);
    let mut stores = String::new();
    for index in 0..count {
        let _ = writeln!(stores, "  st.global.b32 [%d9+{}], %c{index};", 512 * index);
    }
    let mut zeros = String::new();
    for index in 0..count {
        let _ = writeln!(zeros, "  mov.b32 %c{index}, 0;");
    }
    let copies = copy_operands("%d4");
    let body = format!(
        "
  .reg .pred %p<3>; .reg .b32 %r<12>; .reg .b32 %v<4>; .reg .b32 %c<{count}>; .reg .b64 %d<12>; .reg .b64 %a; .reg .b64 %b;
  ld.param.u64 %d0, [p_a]; cvta.to.global.u64 %d0, %d0;
  ld.param.u64 %d1, [p_b]; cvta.to.global.u64 %d1, %d1;
  ld.param.u64 %d2, [p_out]; cvta.to.global.u64 %d2, %d2;
  ld.param.u64 %d3, [p_cycles]; cvta.to.global.u64 %d3, %d3;
  ld.param.u64 %a, [p_a_descriptor]; ld.param.u64 %b, [p_b_descriptor];
  ld.param.u32 %r1, [p_a_bytes]; ld.param.u32 %r2, [p_b_bytes]; ld.param.u32 %r3, [p_repeats];
  mov.u32 %r0, %tid.x; mov.u32 %r4, smem;
{copies}fence.proxy.async.shared::cta; bar.sync 0;
  shr.u32 %r8, %r4, 4; and.b32 %r8, %r8, 0x3fff; cvt.u64.u32 %d5, %r8; add.u64 %a, %a, %d5;
  shr.u32 %r8, %r5, 4; and.b32 %r8, %r8, 0x3fff; cvt.u64.u32 %d5, %r8; add.u64 %b, %b, %d5;
{zeros}  mov.b32 %r9, 0;
  mov.u64 %d6, %clock64;
  wgmma.fence.sync.aligned;
MULTIPLY: setp.ne.b32 %p1, %r9, 0;
{multiplies}  add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, %r3; @%p2 bra MULTIPLY;
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  mov.u64 %d7, %clock64; sub.u64 %d7, %d7, %d6;
  mad.wide.u32 %d8, %r0, 8, %d3; st.global.b64 [%d8], %d7;
  mad.wide.u32 %d9, %r0, 4, %d2;
{stores}  ret;
"
    );
    let opcode = match atom.a.element.bits() {
        8 if atom.c.element == Element::S32 => "IGMMA",
        8 => "QGMMA",
        _ => "HGMMA",
    };
    let evidence = vec![Evidence {
        opcode,
        least: 1 + steps.len(),
    }];
    let is_mixed = atom.a.element != atom.b.element && atom.c.element == Element::S32;
    Ok(Module {
        version: if is_mixed { "8.4" } else { "8.0" },
        target: "sm_90a",
        name: "wgmma_product",
        parameters: parameters(&[
            ("u64", "p_a"),
            ("u32", "p_a_bytes"),
            ("u64", "p_b"),
            ("u32", "p_b_bytes"),
            ("u64", "p_a_descriptor"),
            ("u64", "p_b_descriptor"),
            ("u64", "p_out"),
            ("u64", "p_cycles"),
            ("u32", "p_repeats"),
        ]),
        shared: true,
        threads: 128,
        body,
        evidence,
    }
    .kernel())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_in_registers_have_no_image() {
        let atom =
            MmaAtom::named("SM90_64x8x16_F32F16F16_RS<GMMA::Major::K, GMMA::Major::K>").unwrap();
        assert_eq!(wgmma_kernel(&atom).unwrap_err().rule, Rule::MmaOperand);
        let warp = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN").unwrap();
        assert_eq!(wgmma_kernel(&warp).unwrap_err().rule, Rule::MmaOperand);
    }

    #[test]
    fn majors_are_immediates_of_half_precision_only() {
        let text = |name| wgmma_kernel(&MmaAtom::named(name).unwrap()).unwrap().text;
        let half = text("SM90_64x8x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::MN>");
        assert!(
            half.contains("{%c0, %c1, %c2, %c3}, %a, %b, %p1, 1, 1, 0, 1;"),
            "{half}"
        );
        let integer = text("SM90_64x8x32_S32S8S8_SS_TN");
        assert!(integer.contains("%a, %b, %p1;"), "{integer}");
    }
}
