//! The 32-bit instruction descriptor of `tcgen05.mma` (PTX "Instruction descriptor"; CuTe's `UMMA::InstrDescriptor`).

use super::{Field, bits, pack};
use crate::element::Element;
use crate::mma::{Major, MmaAtom, OperandMemory, Tcgen05Kind};
use crate::refusal::{Refusal, Rule};
use cute_algebra::Verdict;

/// The choices of a kernel beside the atom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstructionOptions {
    /// Multiply by -A.
    pub negate_a: bool,
    /// Multiply by -B.
    pub negate_b: bool,
    /// Saturate the accumulator (8-bit integers only).
    pub saturate: bool,
    /// The part of the metadata word that a sparse instruction uses.
    pub sparsity_selector: i64,
    /// The byte of the word of scale factors that belongs to A.
    pub scale_a_id: i64,
    /// The byte of the word of scale factors that belongs to B.
    pub scale_b_id: i64,
}

/// The descriptor, by field.
///
/// ```
/// use cute_hardware::MmaAtom;
/// use cute_hardware::descriptor::instruction::InstructionDescriptor;
/// let name = "SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>";
/// let descriptor = InstructionDescriptor::of_atom(&MmaAtom::named(name)?, Default::default())?;
/// assert_eq!(descriptor.encode()?, 0x0810_0010);
/// # Ok::<(), cute_hardware::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionDescriptor {
    fields: Vec<Field>,
}

impl InstructionDescriptor {
    /// The descriptor of an atom.
    ///
    /// Errors: [`Rule::MmaOperand`] when the atom is not a `tcgen05.mma`, or its types have no code; the refusal of
    /// [`MmaAtom::not_issuable`].
    pub fn of_atom(atom: &MmaAtom, options: InstructionOptions) -> Result<Self, Refusal> {
        let kind = atom.tcgen05.ok_or_else(|| {
            let cute = Verdict::CompileError("not a tcgen05 instruction");
            Refusal::new(Rule::MmaOperand, cute).with("name", atom.name.as_str())
        })?;
        if let Some(refusal) = &atom.not_issuable {
            return Err(refusal.clone());
        }
        let mut fields = common_fields(atom, kind, options)?;
        match &atom.scale_a {
            Some(scale) => fields.extend(scaled_fields(atom, kind, scale.element, options)),
            None => fields.extend(plain_fields(atom, options)?),
        }
        fields.sort_by_key(|field| field.low_bit);
        Ok(InstructionDescriptor { fields })
    }

    /// The descriptor of a product without scale factors that has these bits; nothing where a type has no such code or an
    /// extent is 0.
    ///
    /// ```
    /// use cute_hardware::descriptor::instruction::InstructionDescriptor;
    /// use cute_hardware::mma::Tcgen05Kind;
    /// let descriptor = InstructionDescriptor::decode(Tcgen05Kind::F16, 0x0810_0010).unwrap();
    /// assert_eq!(descriptor.read("n", 0x0810_0010), Some(8));
    /// assert_eq!(descriptor.encode()?, 0x0810_0010);
    /// assert!(InstructionDescriptor::decode(Tcgen05Kind::Tf32, 0x0810_0010).is_none());
    /// # Ok::<(), cute_hardware::Refusal>(())
    /// ```
    pub fn decode(kind: Tcgen05Kind, word: u32) -> Option<Self> {
        const OPERANDS: &[Element] = &[
            Element::F16,
            Element::Bf16,
            Element::Tf32,
            Element::U8,
            Element::S8,
            Element::E4m3,
            Element::E5m2,
            Element::E2m3,
            Element::E3m2,
            Element::E2m1,
        ];
        let at = |low, width| bits(u64::from(word), low, width);
        let operand = |name, low| {
            let code = at(low, 3);
            let mut operands = OPERANDS.iter();
            let found = operands.find(|element| operand_code(kind, **element) == Some(code))?;
            Some(Field::new(name, low, 3, code, "", found.ptx()))
        };
        let major = |name, bit| {
            let is_mn = at(bit, 1) == 1;
            flag(name, bit, is_mn, if is_mn { "MN-major" } else { "K-major" })
        };
        let accumulator = match at(4, 2) {
            0 => Element::F16,
            1 => Element::F32,
            2 => Element::S32,
            _ => return None,
        };
        let (m, n) = (at(24, 5) << 4, at(17, 6) << 3);
        if m == 0 || n == 0 {
            return None;
        }
        let sparse = at(2, 1) == 1;
        let shift = match at(30, 2) {
            0 => "no shift".to_owned(),
            code => format!("{} rows", 4_i64 << code),
        };
        Some(InstructionDescriptor {
            fields: vec![
                Field::new("sparsity_selector", 0, 2, at(0, 2), "", ""),
                flag("sparse", 2, sparse, if sparse { "sparse" } else { "dense" }),
                flag("saturate", 3, at(3, 1) == 1, ""),
                Field::new("d_format", 4, 2, at(4, 2), "", accumulator.ptx()),
                operand("a_format", 7)?,
                operand("b_format", 10)?,
                flag("negate_a", 13, at(13, 1) == 1, ""),
                flag("negate_b", 14, at(14, 1) == 1, ""),
                major("a_major", 15),
                major("b_major", 16),
                Field::new("n", 17, 6, n >> 3, "8 columns", format!("N = {n}")),
                rows(m),
                Field::new("max_shift", 30, 2, at(30, 2), "", shift),
            ],
        })
    }

    /// The fields, lowest bit first.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The 32 bits; CuTe's 64-bit `idescE` has them in its upper half.
    pub fn encode(&self) -> Result<u32, Refusal> {
        Ok(pack(&self.fields)? as u32)
    }

    /// The value of a field by name in 32 bits, with the positions of this descriptor.
    pub fn read(&self, name: &str, word: u32) -> Option<i64> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        Some(bits(u64::from(word), field.low_bit, field.width))
    }
}

fn flag(name: &'static str, bit: u32, set: bool, meaning: &str) -> Field {
    Field::new(name, bit, 1, i64::from(set), "", meaning)
}

fn rows(m: i64) -> Field {
    Field::new("m", 24, 5, m >> 4, "16 rows", format!("M = {m}"))
}

/// The fields that both forms of the descriptor have.
fn common_fields(
    atom: &MmaAtom,
    kind: Tcgen05Kind,
    options: InstructionOptions,
) -> Result<Vec<Field>, Refusal> {
    let format = |name, bit, element: Element| -> Result<Field, Refusal> {
        let code = operand_code(kind, element)
            .ok_or_else(|| unknown_type("Unknown type for UMMAFormat", element))?;
        Ok(Field::new(name, bit, 3, code, "", element.ptx()))
    };
    let major = |name, bit, place: OperandMemory| {
        let along_rows = place == OperandMemory::Shared(Major::Mn);
        flag(
            name,
            bit,
            along_rows,
            if along_rows { "MN-major" } else { "K-major" },
        )
    };
    let sparse = atom.a.sparsity != 1;
    let n = atom.shape_mnk()[1];
    Ok(vec![
        Field::new("sparsity_selector", 0, 2, options.sparsity_selector, "", ""),
        flag("sparse", 2, sparse, if sparse { "sparse" } else { "dense" }),
        format("a_format", 7, atom.a.element)?,
        format("b_format", 10, atom.b.element)?,
        flag("negate_a", 13, options.negate_a, ""),
        flag("negate_b", 14, options.negate_b, ""),
        major("a_major", 15, atom.a.place),
        major("b_major", 16, atom.b.place),
        Field::new("n", 17, 6, n >> 3, "8 columns", format!("N = {n}")),
    ])
}

/// The further fields of an instruction without scale factors.
fn plain_fields(atom: &MmaAtom, options: InstructionOptions) -> Result<[Field; 4], Refusal> {
    let accumulator = match atom.c.element {
        Element::F16 => 0,
        Element::F32 => 1,
        Element::S32 => 2,
        other => return Err(unknown_type("Unknown type for CFormat", other)),
    };
    Ok([
        flag("saturate", 3, options.saturate, ""),
        Field::new("d_format", 4, 2, accumulator, "", atom.c.element.ptx()),
        rows(atom.shape_mnk()[0]),
        Field::new("max_shift", 30, 2, 0, "", "no shift"),
    ])
}

/// The further fields of an instruction with scale factors.
fn scaled_fields(
    atom: &MmaAtom,
    kind: Tcgen05Kind,
    scale: Element,
    options: InstructionOptions,
) -> [Field; 5] {
    let [m, _, k] = atom.shape_mnk();
    let is_deep = i64::from(kind == Tcgen05Kind::Mxf4Ultra);
    [
        Field::new("scale_b_id", 4, 2, options.scale_b_id, "", ""),
        flag("scale_format", 23, scale == Element::Ue8m0, scale.ptx()),
        rows(m),
        Field::new("scale_a_id", 29, 2, options.scale_a_id, "", ""),
        Field::new("k_size", 31, 1, is_deep, "", format!("K = {k}")),
    ]
}

fn unknown_type(text: &'static str, element: Element) -> Refusal {
    Refusal::asserted(Rule::MmaOperand, text).with("type", element.to_string())
}

/// The code of an operand type; each kind has its own.
#[allow(clippy::match_same_arms, reason = "one row for each code of a kind")]
fn operand_code(kind: Tcgen05Kind, element: Element) -> Option<i64> {
    Some(match (kind, element) {
        (Tcgen05Kind::F16, Element::F16) | (Tcgen05Kind::I8, Element::U8) => 0,
        (Tcgen05Kind::F16, Element::Bf16) | (Tcgen05Kind::I8, Element::S8) => 1,
        (Tcgen05Kind::Tf32, Element::Tf32) => 2,
        (Tcgen05Kind::Mxf4 | Tcgen05Kind::Mxf4Ultra, Element::E2m1) => 1,
        (Tcgen05Kind::F8f6f4 | Tcgen05Kind::Mxf8f6f4, element) => match element {
            Element::E4m3 => 0,
            Element::E5m2 => 1,
            Element::E2m3 | Element::E2m3Unpacked => 3,
            Element::E3m2 | Element::E3m2Unpacked => 4,
            Element::E2m1 | Element::E2m1Unpacked => 5,
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(name: &str) -> u32 {
        InstructionDescriptor::of_atom(
            &MmaAtom::named(name).unwrap(),
            InstructionOptions::default(),
        )
        .unwrap()
        .encode()
        .unwrap()
    }

    #[test]
    fn measured_words() {
        let name = |m, n, major: &str| {
            format!(
                "SM100_MMA_F16BF16_SS<half_t, half_t, float, {m}, {n}, UMMA::Major::{major}, UMMA::Major::{major}>"
            )
        };
        assert_eq!(word(&name(128, 64, "K")), 0x0810_0010);
        assert_eq!(word(&name(128, 64, "MN")), 0x0811_8010);
        assert_eq!(word(&name(64, 128, "K")), 0x0420_0010);
    }

    #[test]
    fn fields_read_back() {
        let atom = MmaAtom::named(
            "SM100_MMA_S8_2x1SM_SS<int8_t, uint8_t, int32_t, 256, 160, UMMA::Major::MN, UMMA::Major::K, UMMA::Saturate::True>",
        )
        .unwrap();
        let options = InstructionOptions {
            saturate: true,
            ..Default::default()
        };
        let descriptor = InstructionDescriptor::of_atom(&atom, options).unwrap();
        let word = descriptor.encode().unwrap();
        for field in descriptor.fields() {
            assert_eq!(
                descriptor.read(field.name, word),
                Some(field.value as i64),
                "{}",
                field.name
            );
        }
        assert_eq!(descriptor.read("n", word), Some(20));
        assert_eq!(descriptor.read("a_format", word), Some(1));
    }

    #[test]
    fn fields_do_not_overlap() {
        let name = "SM100_MMA_MXF4_SS<float_e2m1_t, float_e2m1_t, float, float_ue8m0_t, 128, 64, 32, UMMA::Major::K, UMMA::Major::K>";
        let descriptor = InstructionDescriptor::of_atom(
            &MmaAtom::named(name).unwrap(),
            InstructionOptions::default(),
        )
        .unwrap();
        let fields = descriptor.fields();
        assert!(
            fields
                .windows(2)
                .all(|pair| pair[0].low_bit + pair[0].width <= pair[1].low_bit)
        );
    }

    #[test]
    fn an_instruction_that_does_not_exist_has_no_descriptor() {
        let name =
            "SM100_MMA_F16BF16_SS<half_t, half_t, float, 96, 64, UMMA::Major::K, UMMA::Major::K>";
        let refusal = InstructionDescriptor::of_atom(
            &MmaAtom::named(name).unwrap(),
            InstructionOptions::default(),
        )
        .unwrap_err();
        assert_eq!(refusal.rule, Rule::MmaShape);
    }
}
