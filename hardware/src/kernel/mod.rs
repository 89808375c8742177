//! Kernels as PTX text, for a GPU to confirm the facts of the rest of the crate about layouts, atoms, descriptors and
//! memory.
//!
//! | kernel | confirms |
//! |---|---|
//! | [`crate::address::ptx::offsets_kernel`], [`crate::address::ptx::copy_kernel`] | address programs |
//! | [`gemm::gemm_kernel`] | the product of matrices of any layouts |
//! | [`banks::bank_kernel`] | the wavefronts of shared memory |
//! | [`matrix::ldmatrix_kernel`], [`matrix::stmatrix_kernel`] | the fragments of matrix copies |
//! | [`tma`] | boxes, bounds, swizzles and multicast of TMA |
//! | [`wgmma::wgmma_kernel`] | matrix descriptors and fragments of `sm_90a` |
//! | [`tcgen05::tcgen05_kernel`] | the same, and tensor memory, of `sm_100a` |
//! | [`instruction`] | that the instruction of an atom exists, with its operands |
//!
//! They keep to the language of NVIDIA's assembler: registers are declared `.b32` and `.b64`, the lowest `.version`
//! that has the instructions is named, shared memory is addressed by its symbol. A wait that depends on numbers of the
//! caller is bounded: the kernel writes a status and ends. Only waits for work that the kernel itself has issued, and
//! that the hardware always ends (`bulk` and `wgmma` groups, barriers of the block), have no bound.

pub mod banks;
pub mod gemm;
pub mod instruction;
pub mod matrix;
pub mod tcgen05;
pub mod tma;
pub mod wgmma;

use crate::address::Program;
use crate::address::ptx::{copy_kernel, offsets_kernel};
use crate::mma::MmaAtom;
use crate::refusal::Refusal;
use crate::tma::instruction::Reduction;
use core::fmt::Write;
use cute_algebra::AnyLayout;

/// A PTX module with one entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The entry point.
    pub name: String,
    /// The PTX module.
    pub text: String,
    /// The lowest `.target`.
    pub target: &'static str,
    /// The threads of a block.
    pub threads: u32,
    /// Evidence that the assembler's output has to contain.
    pub evidence: Vec<Evidence>,
}

/// An instruction of the machine that the assembled kernel has, so that an optimiser which removes the measured code is
/// noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The start of the name of the instruction.
    pub opcode: &'static str,
    /// Minimum number of occurrences.
    pub least: usize,
}

impl Evidence {
    /// An instruction that is there.
    pub const fn of(opcode: &'static str) -> Self {
        Evidence { opcode, least: 1 }
    }
}

/// Number of times that a kernel polls a barrier before it gives up.
pub(crate) const ROUNDS: u32 = 1_000_000;

/// The instructions of 128 threads that copy the images of two operands into shared memory: `%r1` bytes from `%d0` to
/// `%r4`, `%r2` bytes from `%d1` to `%r5`, the next multiple of 1024 bytes. They use `%r6`, `%r7`, `%p0`, `%v0` to
/// `%v3` and the 64-bit register `scratch`, and end at the label of the next part, `COPIED_B`.
pub(crate) fn copy_operands(scratch: &str) -> String {
    let mut text = String::from(
        "  add.u32 %r5, %r1, 1023; and.b32 %r5, %r5, 0xfffffc00; add.u32 %r5, %r5, %r4;\n  shl.b32 %r6, %r0, 4;\n",
    );
    for (operand, bytes, from, to) in [("A", "%r1", "%d0", "%r4"), ("B", "%r2", "%d1", "%r5")] {
        let _ = write!(
            text,
            "COPY_{operand}: setp.ge.u32 %p0, %r6, {bytes}; @%p0 bra COPIED_{operand};
  cvt.u64.u32 {scratch}, %r6; add.u64 {scratch}, {from}, {scratch}; ld.global.v4.b32 {{%v0, %v1, %v2, %v3}}, [{scratch}];
  add.u32 %r7, {to}, %r6; st.shared.v4.b32 [%r7], {{%v0, %v1, %v2, %v3}};
  add.u32 %r6, %r6, 2048; bra COPY_{operand};
COPIED_{operand}: "
        );
        if operand == "A" {
            text.push_str("shl.b32 %r6, %r0, 4;\n");
        }
    }
    text
}

/// An instruction repeated along K: after the first, `accumulate` is executed, and before each further one the two
/// descriptors move by a step, in units of 16 bytes. In the end they are where they were.
pub(crate) fn along_k(
    multiply: &str,
    [a, b]: [&str; 2],
    accumulate: &str,
    steps: &[[i64; 2]],
) -> String {
    let mut text = format!("  {multiply}\n");
    if steps.is_empty() {
        return text;
    }
    let _ = writeln!(text, "  {accumulate}");
    for [of_a, of_b] in steps {
        let _ = writeln!(
            text,
            "  add.s64 {a}, {a}, {of_a}; add.s64 {b}, {b}, {of_b};\n  {multiply}"
        );
    }
    let back = |operand: usize| -> i64 { steps.iter().map(|step| -step[operand]).sum() };
    let _ = writeln!(
        text,
        "  add.s64 {a}, {a}, {}; add.s64 {b}, {b}, {};",
        back(0),
        back(1)
    );
    text
}

/// The frame of a module.
pub(crate) struct Module<'a> {
    /// The lowest version of PTX that has the instructions.
    pub(crate) version: &'static str,
    pub(crate) target: &'static str,
    pub(crate) name: &'a str,
    /// Types and names of the parameters.
    pub(crate) parameters: Vec<(&'static str, String)>,
    /// Whether the kernel has a buffer `smem` whose size is given at launch.
    pub(crate) shared: bool,
    pub(crate) threads: u32,
    /// Declarations and instructions.
    pub(crate) body: String,
    pub(crate) evidence: Vec<Evidence>,
}

impl Module<'_> {
    pub(crate) fn kernel(self) -> Kernel {
        let parameters: Vec<String> = self
            .parameters
            .iter()
            .map(|(ty, name)| match *ty {
                "map" => format!(".param .align 64 .b8 {name}[128]"),
                ty => format!(".param .{ty} {name}"),
            })
            .collect();
        let shared = if self.shared {
            ".extern .shared .align 1024 .b8 smem[];\n"
        } else {
            ""
        };
        Kernel {
            name: self.name.to_owned(),
            text: format!(
                ".version {}\n.target {}\n.address_size 64\n{shared}.visible .entry {}({})\n.maxntid {}, 1, 1\n{{\n{}}}\n",
                self.version,
                self.target,
                self.name,
                parameters.join(", "),
                self.threads,
                self.body.trim_start_matches('\n'),
            ),
            target: self.target,
            threads: self.threads,
            evidence: self.evidence,
        }
    }
}

/// Parameters, by type and name.
pub(crate) fn parameters(list: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    list.iter()
        .map(|(ty, name)| (*ty, (*name).to_owned()))
        .collect()
}

/// `{%r0, %r1, %r2}`.
pub(crate) fn registers(prefix: &str, count: i64) -> String {
    registers_from(prefix, 0, count)
}

/// `{%r4, %r5, %r6}`.
pub(crate) fn registers_from(prefix: &str, first: i64, count: i64) -> String {
    let list: Vec<String> = (first..first + count)
        .map(|index| format!("{prefix}{index}"))
        .collect();
    format!("{{{}}}", list.join(", "))
}

/// `%c0`, `%c1`, ...
pub(crate) fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{prefix}{index}")).collect()
}

pub(crate) fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// A kernel of every kind and form that this module makes, but for [`instruction`], which has one for each atom.
///
/// ```
/// let kernels = cute_hardware::kernel::examples()?;
/// assert!(kernels.iter().any(|kernel| kernel.target == "sm_90a" && kernel.text.contains("wgmma.mma_async")));
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// Errors: none that does not hint at a defect of this crate.
pub fn examples() -> Result<Vec<Kernel>, Refusal> {
    let mut kernels = Vec::new();
    for text in [
        "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
        "(_6,_10,_4):(_40,_4,_1)",
        "(_4,_6):(4294967296,_1)",
        "((M,_4),K):((_1,2*M),ld)",
    ] {
        let layout: AnyLayout = text.parse()?;
        let program = Program::of_index(&layout)?;
        kernels.push(offsets_kernel(&program));
        kernels.push(copy_kernel(&program, &program, 16));
    }
    let rows = Program::of_index(&"(_6,_10):(_10,_1)".parse()?)?;
    let left = Program::of_index(&"Sw<2,1,3> o _0 o (_6,_4):(_4,_1)".parse()?)?;
    let right = Program::of_index(&"(_10,_4):(_1,_10)".parse()?)?;
    kernels.push(gemm::gemm_kernel([&left, &right, &rows]));
    kernels.extend([1, 2, 4, 8].map(|bytes| copy_kernel(&rows, &rows, bytes)));
    for width in banks::WIDTHS {
        kernels.push(banks::bank_kernel(width)?);
    }
    for count in matrix::COUNTS {
        for transposed in [false, true] {
            kernels.push(matrix::ldmatrix_kernel(count, transposed)?);
            kernels.push(matrix::stmatrix_kernel(count, transposed)?);
        }
    }
    for rank in 1..=crate::tma::basis::MAX_RANK {
        kernels.push(tma::load_kernel(rank)?);
        kernels.push(tma::multicast_kernel(rank)?);
        kernels.push(tma::store_kernel(rank)?);
        kernels.push(tma::prefetch_kernel(rank)?);
        kernels.push(tma::reduce_kernel(rank, Reduction::Add)?);
    }
    for reduction in Reduction::ALL {
        kernels.push(tma::reduce_kernel(2, reduction)?);
    }
    for rank in 3..=crate::tma::basis::MAX_RANK {
        kernels.push(tma::im2col_kernel(rank)?);
    }
    for name in [
        "SM90_64x8x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>",
        "SM90_64x256x16_F32BF16BF16_SS<GMMA::Major::MN, GMMA::Major::MN>",
        "SM90_64x64x16_F16F16F16_SS<GMMA::Major::K, GMMA::Major::MN>",
        "SM90_64x32x8_F32TF32TF32_SS_TN",
        "SM90_64x16x32_F32E4M3E5M2_SS_TN",
        "SM90_64x96x32_S32S8U8_SS_TN",
    ] {
        kernels.push(wgmma::wgmma_kernel(&MmaAtom::named(name)?)?);
        kernels.push(wgmma::wgmma_tile_kernel(
            &MmaAtom::named(name)?,
            &[[2, 2], [2, -1]],
        )?);
    }
    for name in [
        "SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>",
        "SM100_MMA_TF32_SS<tfloat32_t, tfloat32_t, float, 64, 128, UMMA::Major::K, UMMA::Major::MN>",
        "SM100_MMA_S8_SS<int8_t, int8_t, int32_t, 128, 128, UMMA::Major::K, UMMA::Major::K>",
        "SM100_MMA_F8F6F4_SS, float_e4m3_t, float_e5m2_t, float, C<128>, C<256>, integral_constant<UMMA::Major, UMMA::Major::K>, integral_constant<UMMA::Major, UMMA::Major::K>",
    ] {
        kernels.push(tcgen05::tcgen05_kernel(&MmaAtom::named(name)?)?);
        kernels.push(tcgen05::tcgen05_tile_kernel(
            &MmaAtom::named(name)?,
            &[[2, 2], [2, 64]],
        )?);
    }
    Ok(kernels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_untyped_and_targets_are_stated() {
        for kernel in examples().unwrap() {
            assert!(!kernel.text.contains(".reg .u"), "{}", kernel.text);
            assert!(
                kernel
                    .text
                    .contains(&format!(".target {}\n", kernel.target))
            );
            assert!(kernel.text.contains(&format!(".entry {}(", kernel.name)));
        }
    }

    #[test]
    fn every_wait_for_a_barrier_of_the_caller_is_bounded() {
        let waits = |kernel: &Kernel| kernel.text.matches("mbarrier.try_wait").count();
        let bounds = |kernel: &Kernel| kernel.text.matches(&format!(", {ROUNDS};")).count();
        let kernels = examples().unwrap();
        assert!(kernels.iter().any(|kernel| waits(kernel) > 0));
        for kernel in &kernels {
            assert_eq!(waits(kernel), bounds(kernel), "{}", kernel.text);
        }
    }
}
