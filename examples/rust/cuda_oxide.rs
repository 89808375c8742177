//! A swizzle of `cuda-oxide`, whose third number counts from bit 0.

use cuda_device::swizzle::Swizzle;

/// CuTe's `Swizzle<5,0,5>`.
pub type Columns = Swizzle<5, 0, 5>;

/// CuTe's `Swizzle<3,3,3>`: 6 is 3 + 3.
pub type Chunks = Swizzle<3, 3, 6>;
