from cutlass.cute.nvgpu.common import *
from cutlass.cute.nvgpu.common import TmaInfo
import _cute


def make_tiled_tma_atom_A(op, gmem_tensor, smem_layout, mma_tiler_mnk, tiled_mma, cluster_shape_vmnk=None, *, internal_type=None):
    made = _cute.make_tma_atom_of_mma(op, gmem_tensor, smem_layout, mma_tiler_mnk, tiled_mma, cluster_shape_vmnk, internal_type, "A")
    return TmaInfo(*made)


def make_tiled_tma_atom_B(op, gmem_tensor, smem_layout, mma_tiler_mnk, tiled_mma, cluster_shape_vmnk=None, *, internal_type=None):
    made = _cute.make_tma_atom_of_mma(op, gmem_tensor, smem_layout, mma_tiler_mnk, tiled_mma, cluster_shape_vmnk, internal_type, "B")
    return TmaInfo(*made)


def make_tiled_tma_atom_C(op, gmem_tensor, smem_layout, mma_tiler_mnk, tiled_mma, *, internal_type=None):
    made = _cute.make_tma_atom_of_mma(op, gmem_tensor, smem_layout, mma_tiler_mnk, tiled_mma, None, internal_type, "C")
    return TmaInfo(*made)
