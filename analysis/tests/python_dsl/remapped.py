import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor


@cute.jit
def remapped(m: cute.Tensor):
    tiled = cute.zipped_divide(m, (64, 512))  #= tiled ((64,512),(?,?)):((?,1),(?,512))
    remap = cute.make_ordered_layout(cute.select(tiled.shape[1], mode=[1, 0]), order=(1, 0))  #= remap (?,?):(?,1)
    # What divides by an extent that only the kernel has is a number that only the kernel has.
    moved = cute.composition(tiled, (None, remap))  #= moved ((64,512),((?,?),(?,?))):((?,1),((?,?),(?,?)))
    part = moved[(None, None), (0, 0)]  #= part (64,512):(?,1)
    known = cute.composition(cute.make_layout((4, 8)), cute.make_layout((2, 2), stride=(1, 4)))  #= known (2,2):(1,4)


m, n = cute.sym_int(), cute.sym_int(divisibility=8)
cute.compile(remapped, make_fake_compact_tensor(cutlass.Float16, (m, n), stride_order=(1, 0), assumed_align=16))
