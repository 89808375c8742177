"""Mistakes that tracing does not report, or reports without a place."""

import cutlass.cute as cute


@cute.jit
def rearrange():
    matrix = cute.make_layout((6, 2), stride=(1, 7))
    # The two modes of `picked` overlap: the DSL answers (3,2):(2,3), which is another function.
    picked = cute.make_layout((3, 2), stride=(2, 3))
    wrong = cute.composition(matrix, picked)

    # 4 and 5 do not divide 10 and 8: the tiles cover 120 elements of 80.
    tiles = cute.logical_divide(cute.make_layout((10, 8)), (4, 5))

    # No swizzle: the shift is less than the number of bits. The DSL makes it the identity.
    swizzle = cute.make_swizzle(3, 4, 2)
    return wrong, tiles, swizzle
