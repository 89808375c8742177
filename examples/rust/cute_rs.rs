//! Layouts as types, in the spelling of NVIDIA's `cute-rs`.

use cute_rs::prelude::*;
use cute_rs::{Composed, SmemTile, Swizzle, TmaDesc};
use half::f16;

const BM: usize = 128;
const BK: usize = 64;
const STAGES: usize = BM / 32;

type Thread = C<8>;
type Tile = L<T2<C<BM>, C<32>>, T2<C<32>, C<1>>>;
type Pipe = L<T3<C<BM>, C<BK>, C<STAGES>>, T3<C<BK>, C<1>, C<{ BM * BK }>>>;
type Rows = RowMajor<BM, BK>;
type Columns = ColMajor<BM, BK>;

// 8 elements of 2 bytes are the 16 bytes that TMA keeps together: 128B.
type Banked = Composed<Swizzle<3, 3, 3>, 0, RowMajor<BM, BK>>;
type ASmem = SmemTile<f16, Banked>;
type ADesc = TmaDesc<f16, Banked>;

// The same swizzle moves elements of 4 bytes by twice as much, and TMA has no such mode.
// cute: allow(unsupported-swizzle)
type CDesc = TmaDesc<f32, Banked>;

pub fn add<const N: usize>(a: &[f32], tid: usize) {
    let tiles = Tensor::from_slice(a).zipped_divide::<4>();
    let mine = tiles.slice(tid);
    consume(mine);
}
