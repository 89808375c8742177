"""Shared memory for a tile of 128 by 64 halves in three stages, free of bank conflicts."""

import cutlass
import cutlass.cute as cute

TILE_M, TILE_K, STAGES = 128, 64, 3


@cute.jit
def shared_layout(element: cutlass.Constexpr = cutlass.Float16):
    atom = cute.make_composed_layout(
        cute.make_swizzle(3, 3, 3),
        0,
        cute.make_layout((8, TILE_K), stride=(TILE_K, 1)),
    )
    tile = cute.tile_to_shape(atom, (TILE_M, TILE_K, STAGES), (0, 1, 2))
    words = cute.cosize(tile)

    # One row of the atom, and the offset of its sixth element after the swizzle.
    row = cute.slice_(atom.outer, (5, None))
    # cute: run offsets
    plain = atom.outer
    return tile


shared_layout()
