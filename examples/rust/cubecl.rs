//! A swizzle and a strided layout of CubeCL; the swizzle counts bytes.

use cubecl_std::Swizzle;
use cubecl_std::tensor::layout::strided::StridedLayoutLaunch;

/// The 128-byte mode of TMA.
pub fn bytes() -> Swizzle {
    let swizzle = Swizzle::new(3, 4u32, 3);
    swizzle
}

pub fn matrix(client: &Client) {
    let rows = StridedLayoutLaunch::from_shape_strides(client, &[128, 64], &[64, 1], &1);
    launch(rows);
}
