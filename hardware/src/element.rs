//! Element types: their names in CUTLASS, their width, and their codes in descriptors and in PTX.

use crate::name::TemplateId;
use crate::refusal::{Refusal, Rule};
use core::fmt;

macro_rules! elements {
    ($($(#[$doc:meta])* $variant:ident, $bits:literal, $ptx:literal, [$canonical:literal $(, $alias:literal)*];)*) => {
        /// The type of one element of a tensor.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Element {
            $($(#[$doc])* $variant,)*
        }

        impl Element {
            /// Every element type.
            pub const ALL: &'static [Element] = &[$(Element::$variant),*];

            /// The width in bits.
            pub const fn bits(self) -> i64 {
                match self { $(Element::$variant => $bits,)* }
            }

            /// The type as an instruction of PTX names it (`f16`, `e4m3`, `s8`).
            pub const fn ptx(self) -> &'static str {
                match self { $(Element::$variant => $ptx,)* }
            }

            /// The name in CUTLASS, without name spaces.
            pub const fn cutlass_name(self) -> &'static str {
                match self { $(Element::$variant => $canonical,)* }
            }

            fn of_base_name(name: &str) -> Option<Self> {
                match name {
                    $($canonical $(| $alias)* => Some(Element::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

elements! {
    /// One bit, unsigned.
    U1, 1, "b1", ["uint1b_t", "bin1_t", "uint1_t", "u1"];
    /// Two bits, signed.
    S2, 2, "s2", ["int2b_t", "int2_t"];
    /// Two bits, unsigned.
    U2, 2, "u2", ["uint2b_t", "uint2_t"];
    /// Four bits, signed.
    S4, 4, "s4", ["int4b_t", "int4_t", "s4"];
    /// Four bits, unsigned.
    U4, 4, "u4", ["uint4b_t", "uint4_t", "u4"];
    /// Six bits, unsigned.
    U6, 6, "u6", ["uint6b_t", "uint6_t"];
    /// Eight bits, signed.
    S8, 8, "s8", ["int8_t", "char", "s8"];
    /// Eight bits, unsigned.
    U8, 8, "u8", ["uint8_t", "byte", "u8"];
    /// Sixteen bits, signed.
    S16, 16, "s16", ["int16_t", "short", "s16"];
    /// Sixteen bits, unsigned.
    U16, 16, "u16", ["uint16_t", "ushort", "u16"];
    /// Thirty-two bits, signed.
    S32, 32, "s32", ["int32_t", "int", "s32"];
    /// Thirty-two bits, unsigned.
    U32, 32, "u32", ["uint32_t", "unsigned", "uint", "u32"];
    /// Sixty-four bits, signed.
    S64, 64, "s64", ["int64_t", "s64"];
    /// Sixty-four bits, unsigned.
    U64, 64, "u64", ["uint64_t", "u64"];
    /// 128 bits, the unit of a vector access.
    U128, 128, "b128", ["uint128_t", "u128"];
    /// 256 bits, the widest vector access of `sm_100`.
    U256, 256, "b256", ["uint256_t"];
    /// IEEE half precision.
    F16, 16, "f16", ["half_t", "half", "__half", "nv_half", "f16"];
    /// The upper half of a single.
    Bf16, 16, "bf16", ["bfloat16_t", "__nv_bfloat16", "nv_bfloat16", "bf16"];
    /// A single with ten bits of mantissa, in 32 bits.
    Tf32, 32, "tf32", ["tfloat32_t", "tf32"];
    /// IEEE single precision.
    F32, 32, "f32", ["float", "f32"];
    /// IEEE double precision.
    F64, 64, "f64", ["double", "f64"];
    /// Eight bits, four of exponent, three of mantissa.
    E4m3, 8, "e4m3", ["float_e4m3_t", "__nv_fp8_e4m3", "e4m3"];
    /// Eight bits, five of exponent, two of mantissa.
    E5m2, 8, "e5m2", ["float_e5m2_t", "__nv_fp8_e5m2", "e5m2"];
    /// Unsigned E4M3, a scale factor.
    Ue4m3, 8, "ue4m3", ["float_ue4m3_t", "ue4m3"];
    /// A power of two, a scale factor.
    Ue8m0, 8, "ue8m0", ["float_ue8m0_t", "ue8m0"];
    /// Six bits, two of exponent, three of mantissa.
    E2m3, 6, "e2m3", ["float_e2m3_t", "e2m3"];
    /// Six bits, three of exponent, two of mantissa.
    E3m2, 6, "e3m2", ["float_e3m2_t", "e3m2"];
    /// Four bits, two of exponent, one of mantissa.
    E2m1, 4, "e2m1", ["float_e2m1_t", "e2m1"];
    /// E2M3, one element in each byte of shared memory.
    E2m3Unpacked, 8, "e2m3", ["float_e2m3_unpacksmem_t"];
    /// E3M2, one element in each byte of shared memory.
    E3m2Unpacked, 8, "e3m2", ["float_e3m2_unpacksmem_t"];
    /// E2M1, one element in each byte of shared memory.
    E2m1Unpacked, 8, "e2m1", ["float_e2m1_unpacksmem_t"];
    /// An eight-bit float whose format is known at run time only.
    DynamicF8, 8, "b8", ["type_erased_dynamic_float8_t"];
    /// A six-bit float whose format is known at run time only.
    DynamicF6, 6, "b6", ["type_erased_dynamic_float6_t"];
    /// A four-bit float whose format is known at run time only.
    DynamicF4, 4, "b4", ["type_erased_dynamic_float4_t"];
    /// A six-bit dynamic float, one element in each byte of shared memory.
    DynamicF6Unpacked, 8, "b6", ["type_erased_dynamic_float6_unpacksmem_t"];
    /// A four-bit dynamic float, one element in each byte of shared memory.
    DynamicF4Unpacked, 8, "b4", ["type_erased_dynamic_float4_unpacksmem_t"];
    /// Two singles.
    C32, 64, "f32", ["cfloat"];
    /// Two doubles.
    C64, 128, "f64", ["cdouble"];
    /// The three products of Gauss's complex multiplication.
    GaussC64, 192, "f64", ["GaussComplex"];
}

impl Element {
    /// The element type of this C++ name; name spaces are ignored.
    ///
    /// ```
    /// use cute_hardware::Element;
    /// assert_eq!(Element::named("cutlass::half_t")?, Element::F16);
    /// assert_eq!(Element::named("complex<double>")?.bits(), 128);
    /// assert!(Element::named("float_e9m9_t").is_err());
    /// # Ok::<(), cute_hardware::Refusal>(())
    /// ```
    pub fn named(name: &str) -> Result<Self, Refusal> {
        Element::of_id(&TemplateId::parse(name)?)
    }

    /// The element type that this template id names.
    pub fn of_id(id: &TemplateId) -> Result<Self, Refusal> {
        let unknown =
            || Refusal::uncompilable(Rule::UnknownType, "not a type").with("type", id.to_string());
        let base = id.base();
        match (base, id.args()) {
            ("complex", [part]) => match part.type_id().map(Element::of_id) {
                Some(Ok(Element::F32)) => Ok(Element::C32),
                Some(Ok(Element::F64)) => Ok(Element::C64),
                _ => Err(unknown()),
            },
            ("integer_subbyte", [bits, signed]) => match (bits.value(), signed.truth()) {
                (Some(1), Some(false)) => Ok(Element::U1),
                (Some(2), Some(true)) => Ok(Element::S2),
                (Some(2), Some(false)) => Ok(Element::U2),
                (Some(4), Some(true)) => Ok(Element::S4),
                (Some(4), Some(false)) => Ok(Element::U4),
                (Some(6), Some(false)) => Ok(Element::U6),
                _ => Err(unknown()),
            },
            ("uint_bit_t" | "uint_byte_t", [width]) => {
                let bits = width
                    .value()
                    .map(|w| if base == "uint_byte_t" { w * 8 } else { w });
                Element::unsigned_of_bits(bits.unwrap_or(0)).ok_or_else(unknown)
            }
            (name, []) => Element::of_base_name(name).ok_or_else(unknown),
            _ => Err(unknown()),
        }
    }

    /// The unsigned integer of this width, CuTe's `uint_bit_t`.
    pub fn unsigned_of_bits(bits: i64) -> Option<Self> {
        Some(match bits {
            1 => Element::U1,
            2 => Element::U2,
            4 => Element::U4,
            6 => Element::U6,
            8 => Element::U8,
            16 => Element::U16,
            32 => Element::U32,
            64 => Element::U64,
            128 => Element::U128,
            256 => Element::U256,
            _ => return None,
        })
    }

    /// The data type that CuTe asks of `cuTensorMapEncodeTiled` for these elements: the driver's enumeration
    /// (`CUtensorMapDataType`, cuda.h). `None`: TMA has no such elements, so the tensor has to be recast first.
    pub fn tensor_map_type(self) -> Option<u8> {
        Some(match self {
            Element::S8
            | Element::U8
            | Element::E4m3
            | Element::E5m2
            | Element::Ue8m0
            | Element::DynamicF8 => 0,
            Element::U16 => 1,
            Element::U32 => 2,
            Element::S32 => 3,
            Element::U64 => 4,
            Element::S64 => 5,
            Element::F16 => 6,
            Element::F32 => 7,
            Element::F64 => 8,
            Element::Bf16 => 9,
            Element::Tf32 => 11,
            Element::E2m1 | Element::DynamicF4 => 13,
            Element::E2m1Unpacked | Element::DynamicF4Unpacked => 14,
            Element::E2m3
            | Element::E3m2
            | Element::DynamicF6
            | Element::E2m3Unpacked
            | Element::E3m2Unpacked
            | Element::DynamicF6Unpacked => 15,
            _ => return None,
        })
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.cutlass_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_canonical_name_names_its_element() {
        for &element in Element::ALL {
            assert_eq!(
                Element::named(element.cutlass_name()).as_ref(),
                Ok(&element)
            );
        }
    }

    #[test]
    fn name_spaces_and_compiler_spellings_are_understood() {
        assert_eq!(
            Element::named("cutlass::detail::float_e2m1_unpacksmem_t"),
            Ok(Element::E2m1Unpacked)
        );
        assert_eq!(
            Element::named("cutlass::integer_subbyte<4, true>"),
            Ok(Element::S4)
        );
        assert_eq!(Element::named("uint_bit_t<128>"), Ok(Element::U128));
    }
}
