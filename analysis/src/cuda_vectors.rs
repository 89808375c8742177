//! The vector types of CUDA.

/// Each with its bytes and its alignment (CUDA C++ programming guide, built-in vector types; `cuda_fp16.h`,
/// `cuda_bf16.h`, `cuda_fp8.h`).
const VECTORS: &[(&str, u64, u64)] = &[
    ("char1", 1, 1),
    ("uchar1", 1, 1),
    ("char2", 2, 2),
    ("uchar2", 2, 2),
    ("char3", 3, 1),
    ("uchar3", 3, 1),
    ("char4", 4, 4),
    ("uchar4", 4, 4),
    ("short1", 2, 2),
    ("ushort1", 2, 2),
    ("short2", 4, 4),
    ("ushort2", 4, 4),
    ("short3", 6, 2),
    ("ushort3", 6, 2),
    ("short4", 8, 8),
    ("ushort4", 8, 8),
    ("int1", 4, 4),
    ("uint1", 4, 4),
    ("int2", 8, 8),
    ("uint2", 8, 8),
    ("int3", 12, 4),
    ("uint3", 12, 4),
    ("dim3", 12, 4),
    ("int4", 16, 16),
    ("uint4", 16, 16),
    ("longlong1", 8, 8),
    ("ulonglong1", 8, 8),
    ("longlong2", 16, 16),
    ("ulonglong2", 16, 16),
    ("longlong3", 24, 8),
    ("ulonglong3", 24, 8),
    ("longlong4", 32, 16),
    ("ulonglong4", 32, 16),
    ("float1", 4, 4),
    ("float2", 8, 8),
    ("float3", 12, 4),
    ("float4", 16, 16),
    ("double1", 8, 8),
    ("double2", 16, 16),
    ("double3", 24, 8),
    ("double4", 32, 16),
    ("half2", 4, 4),
    ("__half2", 4, 4),
    ("nv_half2", 4, 4),
    ("__nv_bfloat162", 4, 4),
    ("nv_bfloat162", 4, 4),
    ("__nv_fp8x2_e4m3", 2, 2),
    ("__nv_fp8x2_e5m2", 2, 2),
    ("__nv_fp8x4_e4m3", 4, 4),
    ("__nv_fp8x4_e5m2", 4, 4),
];

/// The bytes and the alignment of a vector type; `None` for another type.
pub(crate) fn size_and_alignment(name: &str) -> Option<(u64, u64)> {
    let (_, size, alignment) = VECTORS.iter().find(|(vector, ..)| *vector == name)?;
    Some((*size, *alignment))
}

/// The bits of a vector type: `float2` is 64.
pub(crate) fn bits(name: &str) -> Option<u32> {
    let (bytes, _) = size_and_alignment(name)?;
    u32::try_from(bytes * 8).ok()
}
