import enum
from dataclasses import dataclass

import cutlass
import cutlass.cute as cute
import _cute
from cutlass.cute.nvgpu.common import CopyOp, LoadCacheMode, TmaInfo
from cutlass.cute.nvgpu.tcgen05 import CtaGroup


class CopyG2SOp(CopyOp):
    def __init__(self, cache_mode=LoadCacheMode.ALWAYS):
        self.cache_mode = cache_mode

    def _atom(self, bits):
        cache = "CACHEGLOBAL" if self.cache_mode == LoadCacheMode.GLOBAL else "CACHEALWAYS"
        return f"SM80_CP_ASYNC_{cache}<uint{bits}_t>"


class TmaCopyOp(CopyOp):
    pass


class _TileG2SOp(TmaCopyOp):
    _pair = None
    _single = None

    def __init__(self, cta_group=CtaGroup.ONE):
        self.cta_group = cta_group

    def _atom(self):
        return self._pair if self.cta_group == CtaGroup.TWO else self._single


class CopyBulkTensorTileG2SOp(_TileG2SOp):
    _pair = "SM100_TMA_2SM_LOAD"
    _single = "SM90_TMA_LOAD"


class CopyBulkTensorTileG2SMulticastOp(_TileG2SOp):
    _pair = "SM100_TMA_2SM_LOAD_MULTICAST"
    _single = "SM90_TMA_LOAD_MULTICAST"


class CopyBulkTensor2DGather4G2SOp(_TileG2SOp):
    pass


class CopyBulkTensor2DGather4G2SMulticastOp(_TileG2SOp):
    pass


class CopyBulkTensorIm2ColG2SOp(_TileG2SOp):
    pass


class CopyBulkTensorIm2ColG2SMulticastOp(_TileG2SOp):
    pass


class CopyBulkTensorTileS2GOp(TmaCopyOp):
    def _atom(self):
        return "SM90_TMA_STORE"


class CopyBulkTensorIm2ColS2GOp(TmaCopyOp):
    pass


class CopyBulkTensor2DScatter4S2GOp(TmaCopyOp):
    pass


class ReductionKind(enum.Enum):
    ADD = "add"
    MIN = "min"
    MAX = "max"
    INC = "inc"
    DEC = "dec"
    AND = "and"
    OR = "or"
    XOR = "xor"


@dataclass(frozen=True)
class CopyReduceBulkTensorTileS2GOp(TmaCopyOp):
    reduction_kind: ReductionKind = ReductionKind.ADD

    def _atom(self):
        return "SM90_TMA_REDUCE_ADD"


# A run of bytes that one thread asks for.
class _BulkOp(CopyOp):
    def _atom(self, bits):
        return "UniversalCopy"


class CopyBulkG2SOp(_BulkOp):
    pass


class CopyBulkG2SMulticastOp(_BulkOp):
    pass


class CopyBulkS2GOp(_BulkOp):
    pass


class CopyBulkS2GByteMaskOp(_BulkOp):
    pass


class CopyBulkS2SOp(_BulkOp):
    pass


class CopyDsmemStoreOp(_BulkOp):
    pass


def make_tiled_tma_atom(op, gmem_tensor, smem_layout, cta_tiler, num_multicast=1, *, internal_type=None, gmem_coord_tensor=None):
    made = _cute.make_tma_atom(op, gmem_tensor, smem_layout, cta_tiler, num_multicast, internal_type)
    return TmaInfo(*made)


def create_tma_multicast_mask(cta_layout_vmnk, cta_coord_vmnk, mcast_mode):
    return cute.make_layout_image_mask(cta_layout_vmnk, cta_coord_vmnk, mcast_mode)


def prefetch_descriptor(tma_atom):
    pass


def copy_tensormap(tma_atom, tensormap_ptr):
    pass


def update_tma_descriptor(tma_atom, gmem_tensor, tma_desc_ptr):
    pass


def fence_tma_desc_acquire(tma_desc_ptr):
    pass


def cp_fence_tma_desc_release(tma_desc_global_ptr, tma_desc_shared_ptr):
    pass


def fence_tma_desc_release():
    pass


def group_bulk_copy_modes(src, dst):
    return cute.group_modes(src, 0, cute.rank(src)), cute.group_modes(dst, 0, cute.rank(dst))


def _made(value):
    return value


# What MLIR made of an operation, as an atom has it.
CopyBulkTensorTileG2SNonExecTrait = _made
CopyBulkTensorTileG2SMulticastNonExecTrait = _made
CopyBulkTensorTileS2GNonExecTrait = _made
CopyReduceBulkTensorTileS2GNonExecTrait = _made
