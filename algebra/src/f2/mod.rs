//! Layouts whose sizes are powers of two as matrices over F2 (paper §2.4.4; Linear Layouts).
//!
//! A layout of `2^n` coordinates maps the `n` bits of a coordinate to the bits of an offset. When its additions carry
//! nothing, this map is linear: column `j` of a [`BitMatrix`] is the offset of coordinate `2^j`, and sums are xor. Xor
//! strides are linear always, a swizzle is a matrix, and composition is the product. So equality, injectivity, inverses
//! and the question "is this a swizzle after a layout?" are linear algebra on at most 62 columns, whatever the size.
//!
//! ```
//! use cute_algebra::f2::AffineMap;
//! use cute_algebra::{ComposedLayout, Layout, Swizzle};
//! let layout: Layout = "(_8,_8):(_8,_1)".parse()?;
//! let composed = ComposedLayout::swizzled(Swizzle::new(3, 0, 3)?, layout);
//! let map = AffineMap::of_composed(&composed)?;
//! let (swizzle, inner) = map.matrix.factor().ok_or("not a swizzle after a layout")?;
//! assert_eq!(format!("{swizzle} o {inner}"), "Sw<3,0,3> o (_8,_8):(_8,_1)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod factor;
mod linear;
mod matrix;

pub(crate) use linear::shared_bit;
pub use linear::{AffineMap, NotLinear};
pub use matrix::{BitMatrix, WIDTH};
