//! The 128 bytes of a tiled TMA descriptor.
//!
//! NVIDIA does not document them. The positions are *derived*: from the code of `tensormap.replace`, and from
//! descriptors that NVIDIA's own tools write. A preview shows them as such; a program lets the driver encode.

use super::tensor_map::{Severity, TensorMap, TensorMapSwizzle};
use crate::refusal::{Refusal, Rule};
use cute_algebra::{Int, Verdict};

/// The words of a descriptor that have a meaning; the second half is not used.
pub const WORDS: usize = 16;

/// The bits of each word that are not known for sure: the class of large allocations (bit 21 of word 2), which depends on the
/// driver, and the last word, which descriptors of tools leave as it was.
pub const UNKNOWN_BITS: [u32; WORDS] = {
    let mut bits = [0; WORDS];
    bits[2] = 1 << 21;
    bits[15] = u32::MAX;
    bits
};

/// The words in which two descriptors differ, bits that are not known left out.
///
/// ```
/// use cute_hardware::tma::encoding::{WORDS, differing_words};
/// let ours = [7; WORDS];
/// let mut theirs = ours;
/// theirs[2] ^= 1 << 21;
/// assert_eq!(differing_words(&ours, &theirs), []);
/// theirs[8] = 6;
/// assert_eq!(differing_words(&ours, &theirs), [8]);
/// ```
pub fn differing_words(ours: &[u32; WORDS], theirs: &[u32; WORDS]) -> Vec<usize> {
    (0..WORDS)
        .filter(|&word| (ours[word] ^ theirs[word]) & !UNKNOWN_BITS[word] != 0)
        .collect()
}

/// From this many bytes on, the tensor is in the class of large allocations (bit 21 of word 2).
const LARGE_BYTES: i64 = 128 * 1024;

/// The format code of the hardware for a driver's data type, and whether TF32 rounding is on.
fn format_code(data_type: u8) -> Option<(u32, u32)> {
    Some(match data_type {
        code @ 0..=7 => (u32::from(code), 0),
        8 => (9, 0),
        9 => (10, 0),
        10 => (8, 0),
        11 => (7, 1),
        12 => (8, 1),
        13 => (11, 0),
        14 => (12, 0),
        15 => (13, 0),
        _ => return None,
    })
}

fn swizzle_code(swizzle: TensorMapSwizzle) -> (u32, u32) {
    match swizzle {
        TensorMapSwizzle::None => (0, 0),
        TensorMapSwizzle::B32 => (1, 0),
        TensorMapSwizzle::B64 => (2, 0),
        TensorMapSwizzle::B128 => (3, 0),
        TensorMapSwizzle::B128Atom32 => (3, 1),
        TensorMapSwizzle::B128Atom32Flip8 => (3, 2),
        TensorMapSwizzle::B128Atom64 => (3, 3),
    }
}

/// The sixteen 32-bit words of the descriptor of a tensor at `address`, derived as the module says.
///
/// Errors: the first rule of [`TensorMap::issues`] that is sure to fail, and whatever is not a known number.
pub fn encode(map: &TensorMap, address: u64, architecture: u16) -> Result<[u32; WORDS], Refusal> {
    if let Some(issue) = map
        .issues(architecture)
        .into_iter()
        .find(|issue| issue.severity == Severity::Error)
    {
        return Err(issue.refusal);
    }
    if let Some(issue) = map
        .address_issues(address)
        .into_iter()
        .find(|issue| issue.severity == Severity::Error)
    {
        return Err(issue.refusal);
    }
    let known = |value: &Int| {
        value
            .value()
            .ok_or_else(|| super::basis::not_known("value", value))
    };
    let dims = map.dims.iter().map(known).collect::<Result<Vec<_>, _>>()?;
    let strides = map
        .strides_bytes
        .iter()
        .map(known)
        .collect::<Result<Vec<_>, _>>()?;
    let (format, tf32) = format_code(map.data_type).ok_or_else(|| {
        Refusal::new(Rule::TmaType, Verdict::Accepts).with("data_type", i64::from(map.data_type))
    })?;
    let mut words = [0_u32; WORDS];
    words[0] = address as u32;
    words[1] = (address >> 32) as u32;
    words[2] = control_word(map, &dims, &strides, format, tf32);
    for (i, stride) in strides.iter().enumerate() {
        let units = stride >> 4;
        words[3 + i] = units as u32;
        words[7] |= ((units >> 32) as u32 & 0xf) << (4 * i);
    }
    for (i, dim) in dims.iter().enumerate() {
        words[8 + i] = (dim - 1) as u32;
    }
    for (i, step) in map.element_strides.iter().enumerate() {
        words[13] |= ((step - 1) as u32) << (3 * i);
    }
    for (i, extent) in map.box_dims.iter().enumerate() {
        let field = (extent - 1) as u32;
        if i == 0 {
            words[13] |= field << 24;
        } else {
            words[14] |= field << (8 * (i - 1));
        }
    }
    Ok(words)
}

fn control_word(map: &TensorMap, dims: &[i64], strides: &[i64], format: u32, tf32: u32) -> u32 {
    let (swizzle, atomicity) = swizzle_code(map.swizzle);
    let inner_bytes = dims.first().copied().unwrap_or(0) * map.element_bits / 8;
    let bytes = dims
        .iter()
        .skip(1)
        .zip(strides)
        .map(|(dim, stride)| dim.saturating_mul(*stride))
        .fold(inner_bytes, i64::max);
    let large = u32::from(bytes >= LARGE_BYTES);
    2 | (map.rank() as u32 - 1) << 4
        | format << 7
        | u32::from(map.interleave) << 11
        | swizzle << 13
        | u32::from(map.oob_fill) << 15
        | tf32 << 16
        | u32::from(map.l2_promotion) << 17
        | atomicity << 19
        | large << 21
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(
        dims: &[i64],
        strides: &[i64],
        box_dims: &[i64],
        swizzle: TensorMapSwizzle,
    ) -> TensorMap {
        TensorMap {
            data_type: 6,
            element_bits: 16,
            dims: dims.iter().map(|&dim| Int::fixed(dim)).collect(),
            strides_bytes: strides.iter().map(|&stride| Int::fixed(stride)).collect(),
            box_dims: box_dims.to_vec(),
            element_strides: vec![1; dims.len()],
            interleave: 0,
            swizzle,
            l2_promotion: 2,
            oob_fill: 0,
        }
    }

    /// Words 2 to 14 in hexadecimal, as measured.
    fn words(map: &TensorMap) -> String {
        let words = encode(map, 0x7f00_1234_5600, 90).unwrap();
        assert_eq!((words[0], words[1], words[15]), (0x1234_5600, 0x7f00, 0));
        words[2..15]
            .iter()
            .map(|word| format!("{word:x}"))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn measured_descriptors() {
        let k_major = map(&[512, 1024], &[1024], &[64, 128], TensorMapSwizzle::B128);
        assert_eq!(
            words(&k_major),
            "246312 40 0 0 0 0 1ff 3ff 0 0 0 3f000000 7f"
        );
        let plain = map(&[512, 1024], &[1024], &[64, 64], TensorMapSwizzle::None);
        assert_eq!(words(&plain), "240312 40 0 0 0 0 1ff 3ff 0 0 0 3f000000 3f");
        let cube = map(
            &[32, 512, 1024],
            &[131_072, 128],
            &[8, 2, 16],
            TensorMapSwizzle::None,
        );
        assert_eq!(
            words(&cube),
            "240322 2000 8 0 0 0 1f 1ff 3ff 0 0 7000000 f01"
        );
        let small = TensorMap {
            data_type: 9,
            ..map(&[64, 128], &[128], &[64, 128], TensorMapSwizzle::B128)
        };
        assert_eq!(words(&small), "46512 8 0 0 0 0 3f 7f 0 0 0 3f000000 7f");
        let single = TensorMap {
            data_type: 7,
            element_bits: 32,
            ..map(&[512, 1024], &[2048], &[32, 128], TensorMapSwizzle::B128)
        };
        assert_eq!(
            words(&single),
            "246392 80 0 0 0 0 1ff 3ff 0 0 0 1f000000 7f"
        );
    }

    #[test]
    fn a_map_that_breaks_a_rule_has_no_bytes() {
        let odd = map(&[512, 1024], &[1000], &[64, 128], TensorMapSwizzle::B128);
        assert_eq!(
            encode(&odd, 0, 90).unwrap_err().rule,
            Rule::TmaStrideAlignment
        );
        let good = map(&[512, 1024], &[1024], &[64, 128], TensorMapSwizzle::B128);
        assert_eq!(
            encode(&good, 8, 90).unwrap_err().rule,
            Rule::TmaAddressAlignment
        );
    }
}
