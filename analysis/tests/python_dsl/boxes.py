import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import cpasync
from cutlass.cute.runtime import make_fake_compact_tensor


@cute.jit
def second(m: cute.Tensor):
    tile = cute.make_ordered_layout((64, 384), order=(0, 1))
    atom, coords = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), m, tile, (64, 384))  #= coords (?,?):(1@0,1@1)
    s = cute.make_tensor(cute.make_ptr(cutlass.Float16, 0, cute.AddressSpace.smem, assumed_align=128), tile)
    g = cute.local_tile(coords, (64, 384), (0, 0))
    part, of = cpasync.tma_partition(atom, 0, cute.make_layout(1), cute.group_modes(s, 0, 2), cute.group_modes(g, 0, 2))  #= part ((12288,2)):((1,12288)) | of (((64,192),2)):(((1@0,1@1),192@1))


@cute.jit
def first(m: cute.Tensor):
    tile = cute.make_ordered_layout((774, 8), order=(0, 1))
    atom, coords = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), m, tile, (774, 8))  #= coords (?,?):(1@0,1@1)
    s = cute.make_tensor(cute.make_ptr(cutlass.Float16, 0, cute.AddressSpace.smem, assumed_align=128), tile)
    g = cute.local_tile(coords, (774, 8), (0, 0))
    part, of = cpasync.tma_partition(atom, 0, cute.make_layout(1), cute.group_modes(s, 0, 2), cute.group_modes(g, 0, 2))  #= part ((129,48)):((1,129)) | of ((129,(6,8))):((1@0,(129@0,1@1)))


@cute.jit
def prime(m: cute.Tensor):
    tile = cute.make_ordered_layout((64, 257), order=(0, 1))
    atom, coords = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), m, tile, (64, 257))  #= coords (?,?):(1@0,1@1)
    s = cute.make_tensor(cute.make_ptr(cutlass.Float16, 0, cute.AddressSpace.smem, assumed_align=128), tile)
    g = cute.local_tile(coords, (64, 257), (0, 0))
    part, of = cpasync.tma_partition(atom, 0, cute.make_layout(1), cute.group_modes(s, 0, 2), cute.group_modes(g, 0, 2))  #= part ((64,257)):((1,64)) | of ((64,257)):((1@0,1@1))


@cute.jit
def whole(m: cute.Tensor):
    tile = cute.make_ordered_layout((64, 256), order=(0, 1))
    atom, coords = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), m, tile, (64, 256))  #= coords (?,?):(1@0,1@1)
    s = cute.make_tensor(cute.make_ptr(cutlass.Float16, 0, cute.AddressSpace.smem, assumed_align=128), tile)
    g = cute.local_tile(coords, (64, 256), (0, 0))
    part, of = cpasync.tma_partition(atom, 0, cute.make_layout(1), cute.group_modes(s, 0, 2), cute.group_modes(g, 0, 2))  #= part ((16384,1)):((1,0)) | of (((64,256),1)):(((1@0,1@1),0))


@cute.jit
def wide(m: cute.Tensor):
    # The box is cut in elements of the tensor, whatever the type of TMA is.
    tile = cute.make_ordered_layout((1024, 8), order=(0, 1))
    atom, coords = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), m, tile, (1024, 8), internal_type=cutlass.Int64)
    s = cute.make_tensor(cute.make_ptr(cutlass.Float16, 0, cute.AddressSpace.smem, assumed_align=128), tile)
    g = cute.local_tile(coords, (1024, 8), (0, 0))
    part, of = cpasync.tma_partition(atom, 0, cute.make_layout(1), cute.group_modes(s, 0, 2), cute.group_modes(g, 0, 2))  #= part ((256,32)):((1,256))


def fake():
    m, n = cute.sym_int(divisibility=64), cute.sym_int(divisibility=64)
    return make_fake_compact_tensor(cutlass.Float16, (m, n), stride_order=(0, 1), assumed_align=16)


cute.compile(second, fake())
cute.compile(first, fake())
cute.compile(prime, fake())
cute.compile(whole, fake())
cute.compile(wide, fake())
