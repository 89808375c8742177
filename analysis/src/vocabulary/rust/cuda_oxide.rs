//! `cuda-oxide`: the swizzles of its `cuda_device` crate, whose shift counts from bit 0.

use super::super::{Call, Evaluated, entry};
use super::{Library, swizzles, type_of};
use crate::convention::Convention;

fn swizzle(call: &Call<'_>) -> Evaluated {
    swizzles::foreign(call, call.targs, Convention::CudaOxide).map(type_of)
}

pub(super) static LIBRARY: Library = Library {
    crates: &["cuda_device", "cuda_std", "cuda_core", "cuda_host"],
    types: &[entry(
        "Swizzle",
        "Swizzle<B, M, S>",
        "xors the bits at S into those at M, counted in elements",
        swizzle,
    )],
    functions: &[],
    methods: &[],
    macros: &[],
};
