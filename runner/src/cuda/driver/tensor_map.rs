//! Descriptors of tensors, encoded by the driver.

use std::ffi::{c_int, c_uint, c_void};

use cute_algebra::Int;
use cute_hardware::tma::TensorMap;

use super::library::Driver;
use crate::failure::Failure;

/// Why a tensor map has no numbers that the driver takes: they were checked when it was made.
const NO_NUMBERS: &str = "a tensor map with numbers that are not known";

/// `CUtensorMapDataType`, rank, address, extents, byte strides, box, element strides, interleave,
/// swizzle, L2 promotion, fill.
type EncodeTiled = unsafe extern "C" fn(
    *mut EncodedMap,
    c_int,
    c_uint,
    *mut c_void,
    *const u64,
    *const u64,
    *const u32,
    *const u32,
    c_int,
    c_int,
    c_int,
    c_int,
) -> c_int;

/// A descriptor of a tensor, as the driver encodes it.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::cuda) struct EncodedMap([u64; 16]);

impl EncodedMap {
    /// Encodes the descriptor of a tensor at an address.
    pub(in crate::cuda) fn encode(
        driver: &Driver,
        map: &TensorMap,
        address: u64,
    ) -> Result<Self, Failure> {
        const SYMBOL: &str = "cuTensorMapEncodeTiled";
        // SAFETY: the signature is that of the header; drivers before CUDA 12.0 lack the symbol.
        let encode: EncodeTiled = *unsafe { driver.library.get::<EncodeTiled>(SYMBOL) }
            .map_err(|_| Failure::MissingSymbol(SYMBOL))?;
        let wide = |numbers: &[Int]| -> Result<Vec<u64>, Failure> {
            numbers
                .iter()
                .map(|number| {
                    let known = number.value().and_then(|value| u64::try_from(value).ok());
                    known.ok_or_else(|| Failure::NotCompiled(NO_NUMBERS.to_owned()))
                })
                .collect()
        };
        let narrow =
            |numbers: &[i64]| -> Vec<u32> { numbers.iter().map(|number| *number as u32).collect() };
        let (dims, strides) = (wide(&map.dims)?, wide(&map.strides_bytes)?);
        let (boxed, steps) = (narrow(&map.box_dims), narrow(&map.element_strides));
        let mut encoded = Self([0; 16]);
        // SAFETY: writes 128 bytes that are aligned to 64; each array has as many entries as the
        // rank says, strides one fewer; the address is only written into the descriptor.
        let code = unsafe {
            encode(
                &raw mut encoded,
                c_int::from(map.data_type),
                map.rank() as c_uint,
                address as *mut c_void,
                dims.as_ptr(),
                strides.as_ptr(),
                boxed.as_ptr(),
                steps.as_ptr(),
                c_int::from(map.interleave),
                c_int::from(map.swizzle.code()),
                c_int::from(map.l2_promotion),
                c_int::from(map.oob_fill),
            )
        };
        driver.checked(SYMBOL, code).map(|()| encoded)
    }

    /// Its 32-bit words, lowest first.
    pub(in crate::cuda) fn words(&self) -> Vec<u32> {
        self.0
            .iter()
            .flat_map(|pair| [*pair as u32, (*pair >> 32) as u32])
            .collect()
    }
}
