"""Adds two matrices: each thread copies 4x4 elements of a tile of 16 by 128."""

import cutlass
import cutlass.cute as cute

THREADS = cute.make_layout((4, 32), stride=(32, 1))
VALUES = cute.make_layout((4, 4), stride=(4, 1))


@cute.kernel
def add(gA: cute.Tensor, gB: cute.Tensor, gC: cute.Tensor, tv_layout: cute.Layout):
    tidx, _, _ = cute.arch.thread_idx()
    bidx, _, _ = cute.arch.block_idx()
    block = ((None, None), bidx)
    # The layout of one thread's values, whatever the tile starts with.
    values = cute.coalesce(cute.make_layout(tv_layout.shape[1], stride=tv_layout.stride[1]))
    tile_a, tile_b, tile_c = gA[block], gB[block], gC[block]


@cute.jit
def host(mA: cute.Tensor, mB: cute.Tensor, mC: cute.Tensor, m: cutlass.Int32, n: cutlass.Int32):
    tiler, tv_layout = cute.make_layout_tv(THREADS, VALUES)
    matrix = cute.make_layout((m, n), stride=(n, 1))
    blocks = cute.ceil_div((m, n), tiler)
    add(mA, mB, mC, tv_layout).launch(grid=(blocks[0], blocks[1], 1), block=(128, 1, 1))
