//! The kernel of one `tcgen05.mma`: tensor memory is allocated, written by the product, read by rows and freed.

use super::{Evidence, Kernel, Module, ROUNDS, copy_operands, parameters, registers};
use crate::mma::{MmaAtom, OperandMemory, Tcgen05Kind};
use crate::refusal::{Refusal, Rule};
use core::fmt::Write;
use cute_algebra::Verdict;

/// The columns that one read of tensor memory takes.
const COLUMNS_OF_A_READ: i64 = 8;

/// The kernel of one CTA that multiplies two images of shared memory into tensor memory, `D = A * B`, by one instruction. See
/// [`tcgen05_tile_kernel`].
///
/// Errors: as [`tcgen05_tile_kernel`].
pub fn tcgen05_kernel(atom: &MmaAtom) -> Result<Kernel, Refusal> {
    tcgen05_tile_kernel(atom, &[])
}

/// The kernel of one CTA that multiplies two tiles of shared memory which are deeper than one instruction; `steps` as of
/// [`super::wgmma::wgmma_tile_kernel`].
///
/// Parameters: `u64 a`, `u32 a_bytes`, `u64 b`, `u32 b_bytes`, `u64 a_descriptor`, `u64 b_descriptor` as of
/// [`super::wgmma::wgmma_kernel`]; `u32 instruction_descriptor`; `u64 out`, where lane `l` of tensor memory goes, column `c` at
/// 32-bit word `128 * c + l`; `u64 status`, which is 1 if the product did not end in time.
///
/// Errors: [`Rule::MmaOperand`] for an atom that is not a dense `tcgen05.mma` of one CTA with both operands in shared
/// memory.
pub fn tcgen05_tile_kernel(atom: &MmaAtom, steps: &[[i64; 2]]) -> Result<Kernel, Refusal> {
    let instruction = atom.instruction.as_ref().filter(|_| {
        atom.tcgen05.is_some()
            && atom.scale_a.is_none()
            && atom.a.sparsity == 1
            && matches!(atom.a.place, OperandMemory::Shared(_))
            && atom.thread_id.size().ok().and_then(|size| size.value()) == Some(1)
    });
    let Some(instruction) = instruction else {
        return Err(Refusal::new(Rule::MmaOperand, Verdict::Accepts)
            .with("name", atom.name.clone())
            .legal("SM100_MMA_F16BF16_SS"));
    };
    let columns = atom.shape_mnk()[1];
    let allocated = crate::tensor_memory::columns_allocated_for(columns)?;
    let multiply = format!("{} [%r6], %d4, %d5, %r3, %p2;", instruction.mnemonic);
    let multiplies = super::along_k(&multiply, ["%d4", "%d5"], "setp.eq.b32 %p2, 0, 0;", steps);
    let mut reads = String::new();
    for first in (0..columns).step_by(COLUMNS_OF_A_READ as usize) {
        let _ = writeln!(
            reads,
            "  add.u32 %r8, %r6, {first}; tcgen05.ld.sync.aligned.32x32b.x{COLUMNS_OF_A_READ}.b32 {}, [%r8];\n  tcgen05.wait::ld.sync.aligned;",
            registers("%x", COLUMNS_OF_A_READ)
        );
        for column in 0..COLUMNS_OF_A_READ {
            let _ = writeln!(
                reads,
                "  st.global.b32 [%d8+{}], %x{column};",
                512 * (first + column)
            );
        }
    }
    let copies = copy_operands("%d6");
    let body = format!(
        "
  .reg .pred %p<4>; .reg .b32 %r<14>; .reg .b32 %v<4>; .reg .b32 %x<{COLUMNS_OF_A_READ}>; .reg .b64 %d<10>;
  .shared .align 8 .b64 barrier; .shared .align 4 .b32 allocation;
  ld.param.u64 %d0, [p_a]; cvta.to.global.u64 %d0, %d0;
  ld.param.u64 %d1, [p_b]; cvta.to.global.u64 %d1, %d1;
  ld.param.u64 %d2, [p_out]; cvta.to.global.u64 %d2, %d2;
  ld.param.u64 %d3, [p_status]; cvta.to.global.u64 %d3, %d3;
  ld.param.u64 %d4, [p_a_descriptor]; ld.param.u64 %d5, [p_b_descriptor];
  ld.param.u32 %r1, [p_a_bytes]; ld.param.u32 %r2, [p_b_bytes]; ld.param.b32 %r3, [p_instruction_descriptor];
  mov.u32 %r0, %tid.x; mov.u32 %r4, smem; mov.u32 %r11, barrier; mov.u32 %r12, allocation; mov.b32 %r13, 0;
{copies}shr.u32 %r9, %r0, 5; setp.ne.u32 %p1, %r9, 0; @%p1 bra READY;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r12], {allocated};
  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
  setp.ne.u32 %p0, %r0, 0; @%p0 bra READY;
  mbarrier.init.shared::cta.b64 [%r11], 1;
READY: fence.proxy.async.shared::cta; tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
  ld.shared.b32 %r6, [%r12];
  setp.ne.u32 %p0, %r0, 0; @%p0 bra WAIT;
  shr.u32 %r8, %r4, 4; and.b32 %r8, %r8, 0x3fff; cvt.u64.u32 %d7, %r8; add.u64 %d4, %d4, %d7;
  shr.u32 %r8, %r5, 4; and.b32 %r8, %r8, 0x3fff; cvt.u64.u32 %d7, %r8; add.u64 %d5, %d5, %d7;
  setp.ne.b32 %p2, 0, 0;
{multiplies}  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11];
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r11], 0; @%p2 bra ENDED;
  add.u32 %r13, %r13, 1; setp.lt.u32 %p3, %r13, {ROUNDS}; @%p3 bra WAIT;
  mov.b32 %r10, 1; st.global.b32 [%d3], %r10;
ENDED: bar.sync 0; tcgen05.fence::after_thread_sync;
  shl.b32 %r8, %r9, 21; add.u32 %r6, %r6, %r8;
  mad.wide.u32 %d8, %r0, 4, %d2;
{reads}  tcgen05.fence::before_thread_sync; bar.sync 0; @%p1 bra DONE;
  ld.shared.b32 %r6, [%r12];
  tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, {allocated};
DONE: ret;
"
    );
    Ok(Module {
        version: "8.6",
        target: "sm_100a",
        name: "tcgen05_product",
        parameters: parameters(&[
            ("u64", "p_a"),
            ("u32", "p_a_bytes"),
            ("u64", "p_b"),
            ("u32", "p_b_bytes"),
            ("u64", "p_a_descriptor"),
            ("u64", "p_b_descriptor"),
            ("b32", "p_instruction_descriptor"),
            ("u64", "p_out"),
            ("u64", "p_status"),
        ]),
        shared: true,
        threads: 128,
        body,
        evidence: evidence(atom, 1 + steps.len()),
    }
    .kernel())
}

fn evidence(atom: &MmaAtom, least: usize) -> Vec<Evidence> {
    let opcode = match atom.tcgen05 {
        Some(Tcgen05Kind::I8) => "UTCIMMA",
        Some(Tcgen05Kind::F8f6f4) => "UTCQMMA",
        _ => "UTCHMMA",
    };
    vec![Evidence { opcode, least }, Evidence::of("LDTM")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_scaled_products_are_other_kernels() {
        for name in [
            "SM80_16x8x16_F32F16F16F32_TN",
            "SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 128, UMMA::Major::K, UMMA::Major::K>",
        ] {
            let atom = MmaAtom::named(name).unwrap();
            assert_eq!(tcgen05_kernel(&atom).unwrap_err().rule, Rule::MmaOperand);
        }
    }
}
