//! Descriptors of the tensor cores that builders of `cuda_device` make: the bits of each field, as numbers of the walk
//! (PTX ISA, "Shared memory descriptor", "Instruction descriptor").

use tree_sitter_cute::tree::{Expr, ExprKind, Path};

use super::super::Walker;
use super::super::held::{Held, Ty};
use crate::access::terms::{IntKind, Operator, TermId};

/// A field of a descriptor: its lowest bit and its width.
type Bits = (u32, u32);

/// Fields of a descriptor of shared memory that are in units of 16 bytes.
const IN_UNITS: &[(&str, Bits)] = &[
    ("address", (0, 14)),
    ("leading_dim_bytes", (16, 14)),
    ("stride_bytes", (32, 14)),
];

/// The bit that each descriptor of `tcgen05` has.
const VERSION: u32 = 46;

/// Codes by name.
const CODES: &[(&str, &str, i64)] = &[
    ("Tcgen05SwizzleMode", "None", 0),
    ("Tcgen05SwizzleMode", "Swizzle128B32BAtom", 1),
    ("Tcgen05SwizzleMode", "Swizzle128B", 2),
    ("Tcgen05SwizzleMode", "Swizzle64B", 4),
    ("Tcgen05SwizzleMode", "Swizzle32B", 6),
    ("Tcgen05ElementType", "F16", 0),
    ("Tcgen05ElementType", "BF16", 1),
    ("Tcgen05ElementType", "TF32", 2),
    ("Tcgen05AccumulatorType", "F16", 0),
    ("Tcgen05AccumulatorType", "F32", 1),
];

/// Fields of an instruction descriptor, by the methods of its builder.
const OF_INSTRUCTIONS: &[(&str, &[Bits])] = &[
    ("sparse", &[(2, 1)]),
    ("accumulator_type", &[(4, 2)]),
    ("element_type", &[(7, 3), (10, 3)]),
    ("a_type", &[(7, 3)]),
    ("b_type", &[(10, 3)]),
    ("negate_a", &[(13, 1)]),
    ("negate_b", &[(14, 1)]),
    ("transpose_a", &[(15, 1)]),
    ("transpose_b", &[(16, 1)]),
    ("b_reuse_shift", &[(30, 2)]),
];

/// The fields of the extents of an instruction, each with the bits that it leaves out.
const N: (Bits, u32) = ((17, 6), 3);
const M: (Bits, u32) = ((24, 5), 4);

impl<'u> Walker<'_, 'u> {
    /// The descriptor that a function makes, or a builder of one.
    pub(super) fn descriptor_made(&mut self, path: &'u Path, args: &'u [Expr]) -> Option<Held<'u>> {
        let class = path.segments.iter().rev().nth(1);
        let class = class.map_or("", |class| class.name.name.as_str());
        let name = path.last()?.name.name.as_str();
        let word = match (class, name, args) {
            ("Tcgen05SmemDescriptor", "builder", [])
            | ("Tcgen05SmemDescriptorBuilder", "new", []) => self.with_version(),
            ("Tcgen05SmemDescriptor", "from_bytes", [address, leading, stride, swizzle]) => {
                let (address, leading) = (self.address(address)?, self.term(leading));
                let (stride, swizzle) = (self.term(stride), self.coded(swizzle)?);
                self.of_shared(address, (leading, stride), swizzle)
            }
            (
                "Tcgen05SmemDescriptor",
                "for_k_major" | "for_mn_major",
                [address, rows, _, bytes, swizzle],
            ) => {
                let (address, rows) = (self.address(address)?, self.term(rows));
                let (bytes, swizzle) = (self.term(bytes), self.coded(swizzle)?);
                let terms = self.terms();
                let (eight, kind) = (terms.number(8, IntKind::INT), terms.kind(bytes));
                let matrix = terms.number(64, kind);
                let stride = terms.binary(Operator::Mul, matrix, bytes);
                let matrices = terms.binary(Operator::Div, rows, eight);
                let leading = terms.binary(Operator::Mul, matrices, stride);
                self.of_shared(address, (leading, stride), swizzle)
            }
            // Of `wgmma`, with offsets of 128 bytes and a swizzle of 32.
            (_, "make_smem_desc", [pointer]) => {
                let address = self.address(pointer)?;
                let zero = self.terms().number(0, IntKind::UNSIGNED_LONG);
                let word = self.in_units(zero, (0, 14), address);
                let eight = self.terms().number(8, IntKind::UNSIGNED_LONG);
                let word = self.in_bits(word, (16, 14), eight);
                let word = self.in_bits(word, (32, 14), eight);
                let three = self.terms().number(3, IntKind::UNSIGNED_LONG);
                self.in_bits(word, (62, 2), three)
            }
            ("Tcgen05InstructionDescriptor", "builder" | "new_f16", [])
            | ("Tcgen05InstructionDescriptorBuilder", "new", []) => self.usual_instruction(0),
            ("Tcgen05InstructionDescriptor", "new_bf16", []) => self.usual_instruction(1),
            ("Tcgen05InstructionDescriptor", "new_tf32", []) => self.usual_instruction(2),
            ("Tcgen05SmemDescriptor" | "Tcgen05InstructionDescriptor", "from_raw", [raw]) => {
                self.term(raw)
            }
            _ => return None,
        };
        Some(Held::Int(word))
    }

    /// A method of a descriptor or of its builder.
    pub(super) fn descriptor_with(
        &mut self,
        word: TermId,
        name: &str,
        args: &'u [Expr],
    ) -> Option<TermId> {
        let bits = self.out.terms.kind(word).bits;
        match (bits, name, args) {
            (32 | 64, "build" | "raw", []) => return Some(word),
            (64, "swizzle", [mode]) => {
                let mode = self.coded(mode)?;
                return Some(self.in_bits(word, (61, 3), mode));
            }
            (64, "base_offset", [offset]) => {
                let offset = self.term(offset);
                return Some(self.in_bits(word, (49, 3), offset));
            }
            (64, "leading_dim_absolute", [is_absolute]) => {
                let is_absolute = self.term(is_absolute);
                return Some(self.in_bits(word, (52, 1), is_absolute));
            }
            (32, "shape", [shape]) => {
                let [m, n] = self.shape(shape)?;
                let word = self.extent(word, M, m);
                return Some(self.extent(word, N, n));
            }
            (32, "m", [m]) => {
                let m = self.term(m);
                return Some(self.extent(word, M, m));
            }
            (32, "n", [n]) => {
                let n = self.term(n);
                return Some(self.extent(word, N, n));
            }
            _ => {}
        }
        let [value] = args else { return None };
        if bits == 64 {
            let (_, field) = IN_UNITS.iter().find(|(known, _)| *known == name)?;
            let value = self.address(value)?;
            return Some(self.in_units(word, *field, value));
        }
        let (_, fields) = OF_INSTRUCTIONS.iter().find(|(known, _)| *known == name)?;
        let value = self.coded(value)?;
        let fields = fields.iter();
        Some(fields.fold(word, |word, field| self.in_bits(word, *field, value)))
    }

    /// A descriptor of `tcgen05` without a field.
    fn with_version(&mut self) -> TermId {
        self.terms().number(1 << VERSION, IntKind::UNSIGNED_LONG)
    }

    fn of_shared(
        &mut self,
        address: TermId,
        (leading, stride): (TermId, TermId),
        swizzle: TermId,
    ) -> TermId {
        let word = self.with_version();
        let word = self.in_units(word, (0, 14), address);
        let word = self.in_units(word, (16, 14), leading);
        let word = self.in_units(word, (32, 14), stride);
        self.in_bits(word, (61, 3), swizzle)
    }

    /// The descriptor of an instruction of 128 times 256 elements of a type, with an accumulator of 32 bits.
    fn usual_instruction(&mut self, element: i64) -> TermId {
        let word = 1 << 4 | element << 7 | element << 10 | (256 >> 3) << 17 | (128 >> 4) << 24;
        self.terms().number(word, IntKind::UNSIGNED)
    }

    /// `Tcgen05MmaShape::M128_N256`, `Tcgen05MmaShape { m: 128, n: 64 }`.
    fn shape(&mut self, shape: &'u Expr) -> Option<[TermId; 2]> {
        if let Some(path) = shape.as_path() {
            let name = path.last()?.name.name.as_str();
            let (m, n) = name.strip_prefix('M')?.split_once("_N")?;
            let terms = self.terms();
            let mut number =
                |digits: &str| Some(terms.number(digits.parse().ok()?, IntKind::UNSIGNED));
            return Some([number(m)?, number(n)?]);
        }
        let ExprKind::Construct { args, .. } = &shape.kind else {
            return None;
        };
        let mut member = |wanted: &str| {
            let value = args.iter().find_map(|arg| match &arg.kind {
                ExprKind::Designated(name, value) if name.name == wanted => Some(&**value),
                _ => None,
            });
            value.map(|value| self.term(value))
        };
        Some([member("m")?, member("n")?])
    }

    /// A code by its name, or a number.
    fn coded(&mut self, value: &'u Expr) -> Option<TermId> {
        let path = value.as_path().filter(|path| path.segments.len() > 1);
        let Some(path) = path else {
            return Some(self.term(value));
        };
        let class = path.segments.iter().rev().nth(1)?.name.name.as_str();
        let name = path.last()?.name.name.as_str();
        let (.., code) = CODES
            .iter()
            .find(|(of, known, _)| (*of, *known) == (class, name))?;
        Some(self.terms().number(*code, IntKind::UNSIGNED))
    }

    /// An address, or a number of bytes.
    fn address(&mut self, value: &'u Expr) -> Option<TermId> {
        let held = self.value(value);
        match self.converted(held, &Ty::Int(IntKind::UNSIGNED_LONG)) {
            Held::Int(term) => Some(term),
            _ => None,
        }
    }

    /// The word with a field in units of 16 bytes.
    fn in_units(&mut self, word: TermId, field: Bits, bytes: TermId) -> TermId {
        let terms = self.terms();
        let four = terms.number(4, IntKind::INT);
        let units = terms.binary(Operator::Shr, bytes, four);
        self.in_bits(word, field, units)
    }

    /// The word with an extent, without its lowest bits.
    fn extent(&mut self, word: TermId, (field, shift): (Bits, u32), extent: TermId) -> TermId {
        let terms = self.terms();
        let shift = terms.number(i64::from(shift), IntKind::INT);
        let units = terms.binary(Operator::Shr, extent, shift);
        self.in_bits(word, field, units)
    }

    /// The word with other bits in a field.
    fn in_bits(&mut self, word: TermId, (low, width): Bits, value: TermId) -> TermId {
        let terms = self.terms();
        let kind = terms.kind(word);
        let is_last = low + width == kind.bits;
        let ones = (1_i64 << width) - 1;
        let (ones, low) = (
            terms.number(ones, kind),
            terms.number(i64::from(low), IntKind::INT),
        );
        // The mask of the last field exceeds the numbers that are followed; builders set it once.
        let word = if is_last {
            word
        } else {
            let mask = terms.binary(Operator::Shl, ones, low);
            let others = terms.complement(mask);
            terms.binary(Operator::And, word, others)
        };
        let value = terms.convert(value, kind);
        let value = terms.binary(Operator::And, value, ones);
        let value = terms.binary(Operator::Shl, value, low);
        terms.binary(Operator::Or, word, value)
    }
}
