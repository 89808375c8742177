//! `tcgen05.mma` of `sm_100a` and `sm_103a`: operands in shared or tensor memory, accumulator in tensor memory,
//! one CTA or a pair.

use super::{
    Allocation, Argument, Instruction, Major, MmaAtom, MmaOperand, OperandMemory, ScaleFactors,
    TensorMemoryFragment, element_arguments, too_few,
};
use crate::architecture::Architecture;
use crate::element::Element;
use crate::name::TemplateId;
use crate::refusal::{Refusal, Rule};
use crate::thread_value::{Mode, consecutive_threads, thread_value};
use cute_algebra::Layout;

/// PTX's `.kind` of a `tcgen05.mma`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// TF32 operands.
    Tf32,
    /// F16 and BF16 operands.
    F16,
    /// 8-bit integers.
    I8,
    /// Floats of 8, 6 and 4 bits in any combination.
    F8f6f4,
    /// The same with a scale factor for each 32 elements.
    Mxf8f6f4,
    /// 4-bit floats with a scale factor for each 16 or 32 elements.
    Mxf4,
    /// The same with a deeper K (`sm_103a`).
    Mxf4Ultra,
}

/// The parts of the name of the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Family {
    kind: Kind,
    ctas: i64,
    a_in_tensor_memory: bool,
    sparse: bool,
    scales_c: bool,
}

impl Family {
    /// A in tensor memory: packed, each half of a pair's lanes with all of it.
    fn a_in_columns(self, bits: i64) -> TensorMemoryFragment {
        TensorMemoryFragment {
            storage_bits: bits,
            allocation: match self.ctas {
                2 => Allocation::PairDuplicated,
                _ => Allocation::NonInterleaved,
            },
        }
    }

    /// The accumulator: a 32-bit column for each element. With A in tensor memory their lanes are those of A.
    fn accumulator(self) -> TensorMemoryFragment {
        TensorMemoryFragment {
            storage_bits: 32,
            allocation: match (self.ctas, self.a_in_tensor_memory) {
                (2, _) => Allocation::Pair,
                (_, true) => Allocation::NonInterleaved,
                (_, false) => Allocation::Interleaved,
            },
        }
    }

    /// Reads `SM100_MMA_F16BF16_2x1SM_SS_SPARSE` and the like.
    fn read(id: &TemplateId) -> Option<Self> {
        let mut words: Vec<&str> = id.base().split('_').collect();
        let pair = words.iter().position(|word| *word == "2x1SM");
        if let Some(position) = pair {
            words.remove(position);
        }
        let ctas = if pair.is_some() { 2 } else { 1 };
        let (kind, flags) = match &words[..] {
            ["SM103", "MXF4", "ULTRA", "SS", "VS"] => (Kind::Mxf4Ultra, &["SS"][..]),
            ["SM100", "MMA", kind, flags @ ..] => (
                match *kind {
                    "TF32" => Kind::Tf32,
                    "F16BF16" => Kind::F16,
                    "S8" => Kind::I8,
                    "F8F6F4" => Kind::F8f6f4,
                    "MXF8F6F4" => Kind::Mxf8f6f4,
                    "MXF4" if !flags.contains(&"SPARSE") => Kind::Mxf4,
                    "MXF4NVF4" if flags.contains(&"SPARSE") => Kind::Mxf4,
                    _ => return None,
                },
                flags,
            ),
            _ => return None,
        };
        let (a_in_tensor_memory, sparse, scales_c) = match (kind, flags) {
            (_, ["SS"]) => (false, false, false),
            (Kind::Tf32 | Kind::F16 | Kind::I8 | Kind::F8f6f4, ["TS"]) => (true, false, false),
            (Kind::F16, ["SS", "SCALED"]) => (false, false, true),
            (Kind::F16, ["TS", "SCALED"]) => (true, false, true),
            (_, ["SS", "SPARSE"]) => (false, true, false),
            _ => return None,
        };
        Some(Family {
            kind,
            ctas,
            a_in_tensor_memory,
            sparse,
            scales_c,
        })
    }

    /// K of the dense instruction.
    fn dense_depth(self) -> i64 {
        match self.kind {
            Kind::Tf32 => 8,
            Kind::F16 => 16,
            Kind::I8 | Kind::F8f6f4 | Kind::Mxf8f6f4 => 32,
            Kind::Mxf4 => 64,
            Kind::Mxf4Ultra => 96,
        }
    }

    fn is_block_scaled(self) -> bool {
        matches!(self.kind, Kind::Mxf8f6f4 | Kind::Mxf4 | Kind::Mxf4Ultra)
    }

    /// The rows of C that the instruction has.
    fn legal_rows(self) -> &'static [i64] {
        match (self.ctas, self.kind) {
            (1, Kind::Mxf8f6f4 | Kind::Mxf4 | Kind::Mxf4Ultra) => &[128],
            (1, _) => &[64, 128],
            (_, Kind::Mxf8f6f4) => &[256],
            _ => &[128, 256],
        }
    }

    /// The columns of C are multiples of this, up to 256.
    fn column_step(self, rows: i64, major_b: Major) -> i64 {
        if self.ctas == 2 {
            return match self.kind {
                Kind::I8 => 32,
                Kind::F8f6f4 if self.sparse || major_b == Major::Mn => 32,
                _ if self.a_in_tensor_memory => 32,
                _ => 16,
            };
        }
        match self.kind {
            Kind::Mxf4Ultra | Kind::I8 => 16,
            Kind::F8f6f4 if self.sparse || self.a_in_tensor_memory => 8 * (rows / 64),
            Kind::F8f6f4 if major_b == Major::Mn => 16,
            _ if self.a_in_tensor_memory => 8 * (rows / 64),
            _ => 8,
        }
    }

    /// The width of A and B that the operation asserts: exactly, or at most.
    fn takes_width(self, bits: i64) -> bool {
        match self.kind {
            Kind::Tf32 => bits == 32,
            Kind::F16 => bits == 16,
            Kind::I8 => bits == 8,
            Kind::F8f6f4 | Kind::Mxf8f6f4 => bits <= 8,
            Kind::Mxf4 | Kind::Mxf4Ultra => bits == 4,
        }
    }

    fn mnemonic(self, vector: i64) -> String {
        let sparse = if self.sparse { ".sp" } else { "" };
        let dense_vector = if self.sparse { vector / 2 } else { vector };
        let kind = match (self.kind, dense_vector) {
            (Kind::Tf32, _) => "tf32",
            (Kind::F16, _) => "f16",
            (Kind::I8, _) => "i8",
            (Kind::F8f6f4, _) => "f8f6f4",
            (Kind::Mxf8f6f4, _) => "mxf8f6f4.block_scale",
            (Kind::Mxf4, 32) => "mxf4.block_scale.scale_vec::2X",
            (Kind::Mxf4, _) => "mxf4nvf4.block_scale.scale_vec::4X",
            (Kind::Mxf4Ultra, 32) => "mxf4nvf4.block_scale.block32",
            (Kind::Mxf4Ultra, _) => "mxf4nvf4.block_scale.block16",
        };
        format!("tcgen05.mma{sparse}.cta_group::{}.kind::{kind}", self.ctas)
    }
}

/// The arguments in the order of the template.
struct Arguments<'a> {
    id: &'a TemplateId,
    rest: std::slice::Iter<'a, Argument>,
}

impl Arguments<'_> {
    fn integer(&mut self, needed: usize) -> Result<i64, Refusal> {
        let arg = self.rest.next().ok_or_else(|| too_few(self.id, needed))?;
        arg.value().ok_or_else(|| {
            Refusal::uncompilable(Rule::AtomParameters, "not an integer")
                .with("argument", arg.to_string())
        })
    }

    fn major(&mut self, needed: usize) -> Result<Major, Refusal> {
        let arg = self.rest.next().ok_or_else(|| too_few(self.id, needed))?;
        arg.enumerator()
            .filter(|(ty, _)| *ty == "Major")
            .and_then(|(_, name)| Major::named(name))
            .ok_or_else(|| {
                Refusal::uncompilable(Rule::AtomParameters, "not a major")
                    .with("argument", arg.to_string())
                    .legal("UMMA::Major::K")
                    .legal("UMMA::Major::MN")
            })
    }
}

impl MmaAtom {
    /// The operation of one CTA by which CuTe lays out the scale factors of B: `MMA_Traits<Op>::MMA_ScaleFactor`.
    /// `None` for atoms without scale factors.
    pub fn scale_factor_operation(&self) -> Option<TemplateId> {
        let id = TemplateId::parse(&self.name).ok()?;
        let family = Family::read(&id).filter(|family| family.is_block_scaled())?;
        let base = if family.kind == Kind::Mxf4Ultra {
            "SM100_MMA_MXF4_SS".to_owned()
        } else {
            let words = id.base().split('_').filter(|word| *word != "2x1SM");
            words.collect::<Vec<&str>>().join("_")
        };
        let [m, n, _] = self.shape;
        let rows = if family.ctas == 2 && m / 2 > 64 {
            m / 2
        } else {
            m
        };
        let columns = n.checked_add(127)? / 128 * 128;
        // The types of A, B, C and the scale factors are in front.
        let mut args = id.args().to_vec();
        *args.get_mut(4)? = Argument::Integer(rows);
        *args.get_mut(5)? = Argument::Integer(columns);
        Some(TemplateId::new([base], args))
    }
}

/// The atom, or `None` when the name is not one of this family.
pub(super) fn atom(id: &TemplateId, rest: &[Argument]) -> Result<Option<MmaAtom>, Refusal> {
    let Some(family) = Family::read(id) else {
        return Ok(None);
    };
    // `SM100_MMA_F8F6F4_SS` is not a template: its parameters follow it in the list of `MMA_Traits`.
    let args = if id.args().is_empty() {
        rest
    } else {
        id.args()
    };
    let type_count = if family.is_block_scaled() { 4 } else { 3 };
    let types = element_arguments(id, args, type_count)?;
    let mut arguments = Arguments {
        id,
        rest: args[type_count..].iter(),
    };
    let needed = type_count + 4;
    let m = arguments.integer(needed)?;
    let n = arguments.integer(needed)?;
    let sparsity = if family.sparse { 2 } else { 1 };
    let vector = match family.kind {
        Kind::Mxf8f6f4 => 32 * sparsity,
        Kind::Mxf4 | Kind::Mxf4Ultra => arguments.integer(needed + 1)?,
        _ => 0,
    };
    let majors = (arguments.major(needed)?, arguments.major(needed)?);
    let (d, a, b) = (types[2], types[0], types[1]);
    for element in [a, b] {
        if !family.takes_width(element.bits()) {
            return Err(Refusal::asserted(
                Rule::MmaOperand,
                "supports types of the width of its kind only",
            )
            .with("type", element.to_string())
            .with("bits", element.bits()));
        }
    }
    if m < 2 || n < 2 || m % 2 != 0 || n % 2 != 0 {
        return Err(shape_refusal("m", m, family.legal_rows()));
    }
    let k = family.dense_depth() * sparsity;
    let a_place = if family.a_in_tensor_memory {
        OperandMemory::TensorMemory(family.a_in_columns(a.bits()))
    } else {
        OperandMemory::Shared(majors.0)
    };
    // Four-bit sparse operands store pairs: two of four pairs.
    let a_sparsity = if family.sparse && family.kind == Kind::Mxf4 {
        4
    } else {
        sparsity
    };
    let scale = || {
        family.is_block_scaled().then(|| ScaleFactors {
            element: types[3],
            vector,
            layout: None,
        })
    };
    let operand = |element, sparsity, place, rows, columns| -> Result<MmaOperand, Refusal> {
        Ok(MmaOperand {
            element,
            value: element,
            sparsity,
            place,
            layout: operand_layout(family.ctas, rows, columns)?,
        })
    };
    Ok(Some(MmaAtom {
        name: String::new(),
        architecture: Architecture::specific(if family.kind == Kind::Mxf4Ultra {
            103
        } else {
            100
        }),
        instruction: Some(Instruction::once(family.mnemonic(vector))),
        shape: [m, n, k],
        thread_id: consecutive_threads(family.ctas),
        a: operand(a, a_sparsity, a_place, m, k)?,
        b: operand(b, 1, OperandMemory::Shared(majors.1), n, k)?,
        c: operand(
            d,
            1,
            OperandMemory::TensorMemory(family.accumulator()),
            m,
            n,
        )?,
        metadata: None,
        scale_a: scale(),
        scale_b: scale(),
        tcgen05: Some(family.kind),
        declared_a_stride: None,
        not_issuable: limits(
            family,
            [m, n],
            majors,
            vector,
            [a, b],
            types.get(3).copied(),
        ),
    }))
}

/// Each CTA of a pair holds half of the rows of A and C, and half of the columns of B.
fn operand_layout(ctas: i64, rows: i64, columns: i64) -> Result<Layout, Refusal> {
    let share = rows / ctas;
    let threads = if ctas == 1 {
        Mode::Leaf(1, 0)
    } else {
        Mode::Leaf(ctas, share)
    };
    thread_value(&threads, &Mode::group(&[(share, 1), (columns, rows)]))
}

fn shape_refusal(name: &'static str, value: i64, legal: &[i64]) -> Refusal {
    let refusal = Refusal::asserted(
        Rule::MmaShape,
        "M-mode or N-mode size is not one of the instruction",
    )
    .with(name, value);
    let below = legal.iter().rev().find(|&&legal| legal < value);
    let above = legal.iter().find(|&&legal| legal > value);
    below
        .into_iter()
        .chain(above)
        .fold(refusal, |refusal, value| refusal.legal(value.to_string()))
}

/// The assertions of the operation when it is issued (PTX table 39, CuTe's `static_assert`s).
fn limits(
    family: Family,
    [m, n]: [i64; 2],
    (major_a, major_b): (Major, Major),
    vector: i64,
    operands: [Element; 2],
    scale: Option<Element>,
) -> Option<Refusal> {
    if !family.legal_rows().contains(&m) {
        return Some(shape_refusal("m", m, family.legal_rows()));
    }
    let step = family.column_step(m, major_b);
    let eight_is_legal = family.kind == Kind::I8 && family.ctas == 1;
    let columns: Vec<i64> = (8..=256)
        .step_by(8)
        .filter(|n| n % step == 0 || (eight_is_legal && *n == 8))
        .collect();
    if !columns.contains(&n) {
        return Some(shape_refusal("n", n, &columns));
    }
    if family.a_in_tensor_memory && major_a == Major::Mn {
        return Some(
            Refusal::asserted(Rule::MmaOperand, "A from TMEM can't be transposed")
                .legal("UMMA::Major::K"),
        );
    }
    if family.kind == Kind::Mxf4Ultra && (major_a, major_b) != (Major::K, Major::K) {
        return Some(
            Refusal::asserted(Rule::MmaOperand, "This MMA does not support transpose")
                .legal("UMMA::Major::K"),
        );
    }
    let sparsity = if family.sparse { 2 } else { 1 };
    let powers_of_two_scale = scale == Some(Element::Ue8m0)
        && operands
            .iter()
            .all(|element| matches!(element, Element::E2m1 | Element::DynamicF4));
    match family.kind {
        Kind::Mxf4 | Kind::Mxf4Ultra
            if vector == 16 * sparsity || (vector == 32 * sparsity && powers_of_two_scale) =>
        {
            None
        }
        Kind::Mxf4 | Kind::Mxf4Ultra => {
            let refusal = Refusal::asserted(
                Rule::MmaOperand,
                "Vector size can only be 4x mode or 2x mode for MMA.",
            )
            .with("scale_vector", vector)
            .legal((16 * sparsity).to_string());
            Some(if powers_of_two_scale {
                refusal.legal((32 * sparsity).to_string())
            } else {
                refusal
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_factors_of_b_are_those_of_one_cta_and_128_columns() {
        let operation = |name: &str| {
            let atom = MmaAtom::named(name).unwrap();
            atom.scale_factor_operation().map(|id| id.to_string())
        };
        let types = "float_e2m1_t, float_e2m1_t, float, float_ue4m3_t";
        let majors = "UMMA::Major::K, UMMA::Major::K";
        let of = |base: &str, extents: &str| format!("{base}<{types}, {extents}, 16, {majors}>");
        assert_eq!(
            operation(&of("SM100_MMA_MXF4_2x1SM_SS", "256, 192")),
            Some(of("SM100_MMA_MXF4_SS", "128, 256"))
        );
        assert_eq!(
            operation(&of("SM100_MMA_MXF4_2x1SM_SS", "128, 64")),
            Some(of("SM100_MMA_MXF4_SS", "128, 128"))
        );
        assert_eq!(
            operation(&of("SM100_MMA_MXF4_SS", "128, 128")),
            Some(of("SM100_MMA_MXF4_SS", "128, 128"))
        );
        assert_eq!(
            operation(
                "SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>"
            ),
            None
        );
    }

    #[test]
    fn rows_and_columns_out_of_range_are_said() {
        let name =
            "SM100_MMA_F16BF16_SS<half_t, half_t, float, 96, 64, UMMA::Major::K, UMMA::Major::K>";
        let refusal = MmaAtom::named(name).unwrap().not_issuable.unwrap();
        assert_eq!(
            (refusal.rule, &refusal.legal[..]),
            (Rule::MmaShape, &["64".to_owned(), "128".to_owned()][..])
        );
        let name =
            "SM100_MMA_S8_SS<int8_t, int8_t, int32_t, 64, 24, UMMA::Major::K, UMMA::Major::K>";
        assert_eq!(
            MmaAtom::named(name).unwrap().not_issuable.unwrap().legal,
            ["16", "32"]
        );
    }

    #[test]
    fn a_pair_of_ctas_shares_rows_and_columns() {
        let name = "SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 128, UMMA::Major::K, UMMA::Major::MN>";
        let atom = MmaAtom::named(name).unwrap();
        assert_eq!(atom.not_issuable, None);
        assert_eq!(atom.b.place, OperandMemory::Shared(Major::Mn));
        assert_eq!(
            atom.c.layout.to_string(),
            "(_2,(_128,_128)):(_128,(_1,_256))"
        );
    }

    #[test]
    fn operands_of_the_wrong_width_are_refused() {
        let name =
            "SM100_MMA_TF32_SS<half_t, half_t, float, 64, 64, UMMA::Major::K, UMMA::Major::K>";
        assert_eq!(MmaAtom::named(name).unwrap_err().rule, Rule::MmaOperand);
    }
}
