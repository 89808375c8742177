//! `CubeCL`: swizzles of bytes, and layouts of shapes and strides in elements.

use super::super::{Call, Evaluated, entry};
use super::{Library, swizzles, to_static};
use crate::convention::Convention;
use crate::value::Value;

fn swizzle(call: &Call<'_>) -> Evaluated {
    swizzles::foreign(call, call.args, Convention::CubeCl)
}

fn no_swizzle(call: &Call<'_>) -> Evaluated {
    let constants = [0, 4, 3].map(|number| Value::Int(::cute_algebra::Int::fixed(number)));
    swizzles::foreign(call, &constants, Convention::CubeCl)
}

/// `StridedLayoutLaunch::from_shape_strides(client, &shape, &strides, &line_size)`.
fn strided(call: &Call<'_>) -> Evaluated {
    let (shape, strides) = (to_static(call.arg(1)?), to_static(call.arg(2)?));
    super::super::layouts::layout_of(&shape, &strides)
}

pub(super) static LIBRARY: Library = Library {
    crates: &["cubecl", "cubecl_std", "cubecl_core"],
    types: &[],
    functions: &[
        entry(
            "Swizzle::new",
            "Swizzle::new(bits, base, shift)",
            "xors the bits at base + shift into those at base, counted in bytes",
            swizzle,
        ),
        entry(
            "Swizzle::none",
            "Swizzle::none()",
            "leaves all offsets where they are",
            no_swizzle,
        ),
        super::super::lenient(
            "StridedLayoutLaunch::from_shape_strides",
            "StridedLayoutLaunch::from_shape_strides(client, shape, strides, line_size)",
            "the layout of a shape and its strides, in elements",
            strided,
        ),
    ],
    methods: &[],
    macros: &[],
};
