//! The instruction of an atom with its operands, and the smallest kernel that issues it.

use super::{Evidence, Kernel, Module, borrowed, names, parameters, registers};
use crate::architecture::Architecture;
use crate::copy::{CopyAtom, CopyOperands};
use crate::element::Element;
use crate::mma::{MmaAtom, MmaOperand, OperandMemory};
use crate::refusal::{Refusal, Rule};
use crate::tma::instruction::{Operands, text as tma_text};
use core::fmt::Write;
use cute_algebra::Verdict;

/// The registers of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RegisterFile {
    /// Number of matrices.
    count: i64,
    /// The bits of each: 32, or 64 for double precision and packed pairs.
    bits: i64,
}

/// The registers in which a thread has an operand.
fn register_file(operand: &MmaOperand, container_bits: i64) -> Result<RegisterFile, Refusal> {
    let values = known(&operand.layout.mode(1)?.size()?)?;
    // A complex product is several real ones, each of which takes one part of every value.
    let (count, bits) = match operand.element {
        Element::F64 | Element::C64 | Element::GaussC64 => (values, 64),
        _ => ((values * container_bits / 32).max(1), 32),
    };
    Ok(RegisterFile { count, bits })
}

fn known(value: &cute_algebra::Int) -> Result<i64, Refusal> {
    value.value().ok_or_else(|| {
        Refusal::uncompilable(
            Rule::Algebra(cute_algebra::Rule::NotProvable),
            "not a constant",
        )
    })
}

/// Immediates of `wgmma` beside its operands.
pub(crate) struct Immediates {
    /// The predicate that keeps the old accumulator.
    pub(crate) accumulate: &'static str,
}

/// A `wgmma` into `%c`, of A in `a` or in registers `%a0`, ..., and of B by the descriptor `%b`.
pub(crate) fn wgmma_text(
    atom: &MmaAtom,
    a: &str,
    immediates: &Immediates,
) -> Result<String, Refusal> {
    let mnemonic = mnemonic(atom)?;
    let c = register_file(&atom.c, atom.c.element.bits())?;
    let a_text = match atom.a.place {
        OperandMemory::Registers => {
            let stored = atom.a.element.bits() / atom.a.sparsity.max(1);
            registers("%a", register_file(&atom.a, stored)?.count)
        }
        _ => a.to_owned(),
    };
    let sparse = if atom.metadata.is_some() {
        ", %e, 0"
    } else {
        ""
    };
    let mut text = format!(
        "{mnemonic} {}, {a_text}, %b{sparse}, {}",
        registers("%c", c.count),
        immediates.accumulate
    );
    let is_integer = matches!(atom.c.element, Element::S32);
    if !is_integer {
        text.push_str(", 1, 1");
    }
    // Only 16-bit operands in shared memory may be contiguous along M or N, and the instruction says which.
    if atom.a.element.bits() == 16 {
        for place in [atom.a.place, atom.b.place] {
            if let OperandMemory::Shared(major) = place {
                let _ = write!(text, ", {}", u8::from(major == crate::mma::Major::Mn));
            }
        }
    }
    text.push(';');
    Ok(text)
}

fn mnemonic(atom: &MmaAtom) -> Result<&str, Refusal> {
    atom.instruction
        .as_ref()
        .map(|instruction| instruction.mnemonic.as_str())
        .ok_or_else(|| of_the_compiler(&atom.name))
}

fn of_the_compiler(name: &str) -> Refusal {
    Refusal::new(Rule::AtomParameters, Verdict::Accepts)
        .with("name", name)
        .with("instruction", "chosen by the compiler")
}

/// The instruction of an MMA atom with its operands: `%c` the accumulator, `%a` and `%b` operands in registers, descriptors or
/// tensor memory.
///
/// ```
/// use cute_hardware::{MmaAtom, kernel::instruction::mma_text};
/// let atom = MmaAtom::named("SM80_16x8x8_F32F16F16F32_TN")?;
/// assert_eq!(
///     mma_text(&atom)?,
///     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, %c3}, {%a0, %a1}, {%b0}, {%c0, %c1, %c2, %c3};"
/// );
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
///
/// Errors: [`Rule::AtomParameters`] where the compiler chooses the instruction.
pub fn mma_text(atom: &MmaAtom) -> Result<String, Refusal> {
    let mnemonic = mnemonic(atom)?;
    if atom.tcgen05.is_some() {
        return Ok(tcgen05_text(atom, mnemonic));
    }
    if matches!(atom.b.place, OperandMemory::Shared(_)) {
        return wgmma_text(atom, "%a", &Immediates { accumulate: "%p" });
    }
    let [a, b, c] = files(atom)?;
    if known(&atom.thread_id.size()?)? == 1 {
        return Ok(format!("{mnemonic} %c0, %a0, %b0, %c0;"));
    }
    let c_list = registers("%c", c.count);
    let mut text = format!(
        "{mnemonic} {c_list}, {}, {}, {c_list}",
        registers("%a", a.count),
        registers("%b", b.count)
    );
    if atom.metadata.is_some() {
        text.push_str(", %e, 0");
    }
    if atom.scale_a.is_some() {
        text.push_str(", %s0, {0, 0}, %s1, {0, 0}");
    }
    text.push(';');
    Ok(text)
}

/// The registers of A, B and C of an instruction of a warp or of one thread.
fn files(atom: &MmaAtom) -> Result<[RegisterFile; 3], Refusal> {
    // Narrow floats of the mixed kinds take a byte each; the 4-bit kinds are packed.
    let is_mixed = atom.architecture.number == 120 && atom.shape_mnk()[2] / atom.a.sparsity != 64;
    let container = |operand: &MmaOperand| {
        let bits = operand.element.bits();
        if is_mixed { bits.max(8) } else { bits }
    };
    let stored = container(&atom.a) / atom.a.sparsity.max(1);
    let pairs = atom.shape_mnk() == [2, 1, 1] || atom.shape_mnk() == [1, 2, 1];
    if pairs {
        let pair = RegisterFile { count: 1, bits: 64 };
        return Ok([pair, pair, pair]);
    }
    Ok([
        register_file(&atom.a, stored)?,
        register_file(&atom.b, container(&atom.b))?,
        register_file(&atom.c, atom.c.element.bits())?,
    ])
}

fn tcgen05_text(atom: &MmaAtom, mnemonic: &str) -> String {
    let a = if matches!(atom.a.place, OperandMemory::TensorMemory(_)) {
        "[%a]"
    } else {
        "%a"
    };
    let sparse = if atom.a.sparsity > 1 { "[%e], " } else { "" };
    let scales = if atom.scale_a.is_some() {
        ", [%s0], [%s1]"
    } else {
        ""
    };
    format!("{mnemonic} [%c], {a}, %b, {sparse}%i{scales}, %p;")
}

/// The kernel that issues an MMA atom once, with operands from `in` (a table of 64-bit words) and the accumulator to `out`.
///
/// Errors: as [`mma_text`]; [`Rule::Architecture`] for an architecture without a separate target.
pub fn of_mma(atom: &MmaAtom) -> Result<Kernel, Refusal> {
    let text = mma_text(atom)?;
    let mut code = Code::default();
    if atom.tcgen05.is_some() {
        code.declare(32, "%c");
        code.declare(
            if matches!(atom.a.place, OperandMemory::TensorMemory(_)) {
                32
            } else {
                64
            },
            "%a",
        );
        code.declare(64, "%b");
        for name in ["%i", "%e", "%s0", "%s1"] {
            code.declare(32, name);
        }
        return code.kernel(atom.architecture, 128, &text, vec![Evidence::of("UTC")]);
    }
    if matches!(atom.b.place, OperandMemory::Shared(_)) {
        code.declare(64, "%b");
        code.declare(32, "%e");
        if atom.a.place == OperandMemory::Registers {
            let stored = atom.a.element.bits() / atom.a.sparsity.max(1);
            code.declare_all("%a", register_file(&atom.a, stored)?);
        } else {
            code.declare(64, "%a");
        }
        code.declare_results("%c", register_file(&atom.c, atom.c.element.bits())?);
        let text = format!(
            "wgmma.fence.sync.aligned;\n  {text}\n  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
        );
        return code.kernel(
            atom.architecture,
            128,
            &text,
            vec![Evidence::of("WARPGROUP.ARRIVE")],
        );
    }
    let [a, b, c] = files(atom)?;
    code.declare_all("%a", a);
    code.declare_all("%b", b);
    for name in ["%e", "%s0", "%s1"] {
        code.declare(32, name);
    }
    code.declare_results("%c", c);
    code.kernel(atom.architecture, 32, &text, vec![])
}

/// The instruction of a copy atom with its operands: `%x` registers, `%s` an address in shared memory, `%g` in global memory, `%t` in
/// tensor memory, `%q` a matrix descriptor, `%m` a TMA descriptor with coordinates `%c`, `%b` a barrier. A TMA copy is shown for
/// `rank` coordinates.
///
/// Errors: [`Rule::AtomParameters`] where the compiler chooses the instruction; [`Rule::TmaRank`].
pub fn copy_text(atom: &CopyAtom, rank: usize) -> Result<String, Refusal> {
    let mnemonic = atom
        .mnemonic
        .as_ref()
        .ok_or_else(|| of_the_compiler(&atom.name))?;
    let list = registers("%x", register_count(atom)?);
    let bytes = known(&atom.source.mode(1)?.size()?)? / 8;
    let half = register_count(atom)?;
    Ok(match atom.operands {
        CopyOperands::OfTheCompiler => return Err(of_the_compiler(&atom.name)),
        CopyOperands::Load => format!("{mnemonic} {list}, [%g];"),
        CopyOperands::Store => format!("{mnemonic} [%g], {list};"),
        CopyOperands::Async => format!("{mnemonic} [%s], [%g], {bytes};"),
        CopyOperands::Shuffle => format!("{mnemonic} %x0, %x0, 1, 31, 0xffffffff;"),
        CopyOperands::MatrixLoad => format!("{mnemonic} {list}, [%s];"),
        CopyOperands::MatrixStore => format!("{mnemonic} [%s], {list};"),
        CopyOperands::MatrixMove => format!("{mnemonic} %x0, %x0;"),
        CopyOperands::TensorMemoryLoad(access) if access.is_split => {
            format!("{mnemonic} {list}, [%t], {half};")
        }
        CopyOperands::TensorMemoryLoad(_) => format!("{mnemonic} {list}, [%t];"),
        CopyOperands::TensorMemoryStore(access) if access.is_split => {
            format!("{mnemonic} [%t], {half}, {list};")
        }
        CopyOperands::TensorMemoryStore(_) => format!("{mnemonic} [%t], {list};"),
        CopyOperands::TensorMemoryCopy => format!("{mnemonic} [%t], %q;"),
        CopyOperands::Tma(kind) => {
            let (coordinates, offsets) = (names("%c", rank), names("%h", rank.saturating_sub(2)));
            return tma_text(
                kind,
                &Operands {
                    shared: "%s",
                    map: "%m",
                    coordinates: &borrowed(&coordinates),
                    barrier: "%b",
                    mask: "%k",
                    offsets: &borrowed(&offsets),
                    policy: "",
                },
            );
        }
        CopyOperands::BulkLoad => format!("{mnemonic} [%s], [%g], {bytes}, [%b];"),
        CopyOperands::BulkStore => format!("{mnemonic} [%g], [%s], {bytes};"),
        CopyOperands::BulkPrefetch => format!("{mnemonic} [%g], {bytes};"),
    })
}

/// The 32-bit registers of a thread, on the side that has them.
fn register_count(atom: &CopyAtom) -> Result<i64, Refusal> {
    let side = match atom.operands {
        CopyOperands::Store | CopyOperands::MatrixStore | CopyOperands::TensorMemoryStore(_) => {
            &atom.source
        }
        _ => &atom.destination,
    };
    Ok((known(&side.mode(1)?.size()?)? / 32).max(1))
}

/// The kernel that issues a copy atom once.
///
/// Errors: as [`copy_text`]; [`Rule::Architecture`].
pub fn of_copy(atom: &CopyAtom, rank: usize) -> Result<Kernel, Refusal> {
    let text = copy_text(atom, rank)?;
    let mut code = Code::default();
    for name in ["%s", "%t", "%b"] {
        code.declare(32, name);
    }
    for name in ["%g", "%q", "%m"] {
        code.declare(64, name);
    }
    code.declare_all("%c", RegisterFile { count: 5, bits: 32 });
    code.body.push_str("  .reg .b16 %k; .reg .b16 %h<3>; mov.b16 %k, 1; mov.b16 %h0, 0; mov.b16 %h1, 0; mov.b16 %h2, 0;\n");
    let has_registers = !matches!(
        atom.operands,
        CopyOperands::Async
            | CopyOperands::TensorMemoryCopy
            | CopyOperands::Tma(_)
            | CopyOperands::BulkLoad
            | CopyOperands::BulkStore
            | CopyOperands::BulkPrefetch
    );
    if has_registers {
        code.declare_results(
            "%x",
            RegisterFile {
                count: register_count(atom)?,
                bits: 32,
            },
        );
    }
    let text = match atom.operands {
        CopyOperands::TensorMemoryLoad(_) => {
            format!("{text}\n  tcgen05.wait::ld.sync.aligned;")
        }
        _ => text,
    };
    code.kernel(atom.architecture, 32, &text, vec![])
}

/// A kernel while it is written: every register is read from the next 64-bit word of `in`.
#[derive(Default)]
struct Code {
    body: String,
    stores: String,
    words: i64,
    results: i64,
}

impl Code {
    fn declare(&mut self, bits: i64, name: &str) {
        let _ = writeln!(self.body, "  .reg .b{bits} {name};");
        self.read(bits, name);
    }

    fn declare_all(&mut self, prefix: &str, file: RegisterFile) {
        let _ = writeln!(
            self.body,
            "  .reg .b{} {prefix}<{}>;",
            file.bits, file.count
        );
        for index in 0..file.count {
            self.read(file.bits, &format!("{prefix}{index}"));
        }
    }

    /// Registers whose values are kept.
    fn declare_results(&mut self, prefix: &str, file: RegisterFile) {
        self.declare_all(prefix, file);
        for index in 0..file.count {
            let _ = writeln!(
                self.stores,
                "  st.global.b{} [%out+{}], {prefix}{index};",
                file.bits,
                8 * self.results
            );
            self.results += 1;
        }
    }

    fn read(&mut self, bits: i64, name: &str) {
        let _ = writeln!(
            self.body,
            "  ld.global.b{bits} {name}, [%in+{}];",
            8 * self.words
        );
        self.words += 1;
    }

    fn kernel(
        self,
        architecture: Architecture,
        threads: u32,
        text: &str,
        evidence: Vec<Evidence>,
    ) -> Result<Kernel, Refusal> {
        let (version, target) = version_and_target(architecture)?;
        let body = format!(
            "  .reg .pred %p; .reg .b64 %in; .reg .b64 %out;\n  ld.param.u64 %in, [p_in]; cvta.to.global.u64 %in, %in;\n  ld.param.u64 %out, [p_out]; cvta.to.global.u64 %out, %out;\n  setp.ne.b64 %p, %in, 0;\n{}  {text}\n{}  ret;\n",
            self.body, self.stores
        );
        Ok(Module {
            version,
            target,
            name: "instruction",
            parameters: parameters(&[("u64", "p_in"), ("u64", "p_out")]),
            shared: false,
            threads,
            body,
            evidence,
        }
        .kernel())
    }
}

/// The lowest version of PTX that has all instructions of an architecture, and its target.
fn version_and_target(architecture: Architecture) -> Result<(&'static str, &'static str), Refusal> {
    Ok(match (architecture.number, architecture.specific) {
        (0..=75, false) => ("7.0", "sm_75"),
        (76..=80, false) => ("7.4", "sm_80"),
        (81..=89, false) => ("8.7", "sm_89"),
        (90, false) => ("8.0", "sm_90"),
        (90, true) => ("8.4", "sm_90a"),
        (100, false) => ("8.8", "sm_100"),
        (100, true) => ("8.8", "sm_100a"),
        (103, true) => ("8.8", "sm_103a"),
        (120, true) => ("8.7", "sm_120a"),
        _ => {
            return Err(Refusal::new(Rule::Architecture, Verdict::Accepts)
                .with("architecture", architecture.to_string()));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiler_chooses_has_no_text() {
        let fma = MmaAtom::named("UniversalFMA<float>").unwrap();
        assert_eq!(mma_text(&fma).unwrap_err().rule, Rule::AtomParameters);
        let copy = CopyAtom::named("UniversalCopy<uint128_t>").unwrap();
        assert_eq!(copy_text(&copy, 2).unwrap_err().rule, Rule::AtomParameters);
    }

    #[test]
    fn operands_are_in_the_places_of_the_atom() {
        let text = |name| mma_text(&MmaAtom::named(name).unwrap()).unwrap();
        assert_eq!(
            text("SM90_64x8x16_F16F16F16_RS<GMMA::Major::K, GMMA::Major::MN>"),
            "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%c0, %c1}, {%a0, %a1, %a2, %a3}, %b, %p, 1, 1, 1;"
        );
        assert_eq!(
            text(
                "SM100_MMA_F16BF16_TS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>"
            ),
            "tcgen05.mma.cta_group::1.kind::f16 [%c], [%a], %b, %i, %p;"
        );
    }

    #[test]
    fn copies_name_what_they_move_between() {
        let text = |name| copy_text(&CopyAtom::named(name).unwrap(), 3).unwrap();
        assert_eq!(
            text("SM75_U32x4_LDSM_N"),
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%x0, %x1, %x2, %x3}, [%s];"
        );
        assert_eq!(
            text("SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>"),
            "cp.async.cg.shared.global.L2::128B [%s], [%g], 16;"
        );
        assert_eq!(
            text("SM90_TMA_STORE, Int<65536>"),
            "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%m, {%c0, %c1, %c2}], [%s];"
        );
    }
}
