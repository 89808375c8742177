import cutlass
from cutlass import cute
from cutlass.cute import experimental as cute_ext
from cutlass.cute.runtime import make_fake_compact_tensor


@cute.experimental.kernel
def parts(mA: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    gA = cute.zipped_divide(mA, cute.core._pack_shape((128, 64)))  #= gA ((128,64),(?,?)):((1,?),(128,?))
    tile = gA[(None, None), (0, 0)]  #= tile (128,64):(1,?)
    one = cute_ext.partition(tile, tid, layout_tv=cute.make_layout(((8, 4), (2, (4, 2))), stride=((2, 256), (1, (64, 16)))), tiler=cute.core._pack_tile((64, 16)))  #= one ((2,(4,2)),(2,4)):((1,(?,16)),(64,?))
    two = cute_ext.partition(tile, tid, layout_tv=cute.make_layout((32, 4), stride=(1, 32)), tiler=cute.core._pack_tile((128, 1)))  #= two (4,(1,64)):(32,(0,?))
    smem = cute_ext.allocate(cutlass.Float16, cute.AddressSpace.smem, cute.make_layout((128, 64, 3), stride=(64, 1, 8192)), alignment=16)  #= smem (128,64,3):(64,1,8192)
    three = cute_ext.partition(smem, tid, layout_tv=cute.make_layout((32, 4), stride=(4, 1)), tiler=cute.core._pack_tile((16, 8, 1)))  #= three (4,(8,8,3)):(64,(1024,8,8192))
    four = cute_ext.partition(smem, tid, layout_tv=cute.make_layout((32, 8), stride=(8, 1)), tiler=cute.core._pack_tile((4, 64)))  #= four ((4,2),(32,1,3)):((64,1),(256,0,8192))


@cute.experimental.jit
def run(src: cute.Tensor):
    parts(src).launch(grid=(1, 1, 1), block=(128, 1, 1), smem=cute.Int64(100000))


m, n = cute.sym_int(divisibility=8), cute.sym_int()
cute.compile(run, make_fake_compact_tensor(cutlass.Float16, (m, n), stride_order=(0, 1), assumed_align=16))
