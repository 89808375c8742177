# How kernels of Hopper are put together by the helpers of CUTLASS.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import CopyUniversalOp, OperandMajorMode, warpgroup
from cutlass.cute.nvgpu.warp import StMatrix8x8x16bOp
from cutlass.cute.nvgpu.warpgroup import MmaF8Op, MmaF16BF16Op, MmaI8Op, OperandSource, SmemLayoutAtomKind

_OF_16_BITS = (cutlass.Float16, cutlass.BFloat16)
_FLOATS_OF_8_BITS = (cutlass.Float8E4M3FN, cutlass.Float8E5M2)
_INTEGERS_OF_8_BITS = (cutlass.Int8, cutlass.Uint8)


def get_smem_store_op(layout_d, elem_ty_d, elem_ty_acc):
    if elem_ty_d.width == 16:
        return cute.make_copy_atom(StMatrix8x8x16bOp(layout_d.is_m_major_c(), 4), elem_ty_d)
    return cute.make_copy_atom(CopyUniversalOp(), elem_ty_d)


sm90_get_smem_store_op = get_smem_store_op


def make_trivial_tiled_mma(
    a_dtype, b_dtype, a_leading_mode, b_leading_mode, acc_dtype, atom_layout_mnk, tiler_mn, a_source=OperandSource.SMEM
):
    rest = (a_source, a_leading_mode, b_leading_mode)
    if a_dtype in _OF_16_BITS and b_dtype == a_dtype:
        op = MmaF16BF16Op(a_dtype, acc_dtype, (*tiler_mn, 16), *rest)
    elif a_dtype in _FLOATS_OF_8_BITS and b_dtype in _FLOATS_OF_8_BITS:
        op = MmaF8Op(a_dtype, b_dtype, acc_dtype, (*tiler_mn, 32), *rest)
    elif a_dtype in _INTEGERS_OF_8_BITS and b_dtype in _INTEGERS_OF_8_BITS:
        op = MmaI8Op(a_dtype, b_dtype, acc_dtype, (*tiler_mn, 32), *rest)
    else:
        raise TypeError("operands that no instruction of Hopper multiplies")
    return cute.make_tiled_mma(op, atom_layout_mnk)


# The widest swizzle whose row divides the tile.
def get_smem_layout_atom(layout, element_type, major_mode_size):
    bits = major_mode_size * element_type.width
    major = "MN" if layout.sm90_mma_major_mode() == OperandMajorMode.MN else "K"
    for span, name in ((1024, "SW128"), (512, "SW64"), (256, "SW32")):
        if bits % span == 0:
            return SmemLayoutAtomKind[major + "_" + name]
    return SmemLayoutAtomKind[major + "_INTER"]


def _staged(layout, shape, element_type, num_stages, is_contiguous_last):
    contiguous = cute.size(shape[1] if is_contiguous_last else shape[0])
    kind = get_smem_layout_atom(layout, element_type, contiguous)
    order = (0, 1, 2) if is_contiguous_last else (1, 0, 2)
    atom = warpgroup.make_smem_layout_atom(kind, element_type)
    return cute.tile_to_shape(atom, cute.append(shape, num_stages), order)


def make_smem_layout_a(a_layout, mma_tiler_mnk, a_dtype, num_stages):
    shape = (mma_tiler_mnk[0], mma_tiler_mnk[2])
    return _staged(a_layout, shape, a_dtype, num_stages, a_layout.is_k_major_a())


def make_smem_layout_b(b_layout, mma_tiler_mnk, b_dtype, num_stages):
    shape = (mma_tiler_mnk[1], mma_tiler_mnk[2])
    return _staged(b_layout, shape, b_dtype, num_stages, b_layout.is_k_major_b())


def make_smem_layout_epi(epi_dtype, epi_layout, epi_tile, epi_stage, smem_trg_shape=None, smem_order=None):
    contiguous = epi_tile[1] if epi_layout.is_n_major_c() else epi_tile[0]
    kind = get_smem_layout_atom(epi_layout, epi_dtype, contiguous)
    shape = cute.append(epi_tile, epi_stage) if smem_trg_shape is None else smem_trg_shape
    order = (1, 0, 2) if epi_layout.is_m_major_c() else (0, 1, 2)
    atom = warpgroup.make_smem_layout_atom(kind, epi_dtype)
    return cute.tile_to_shape(atom, shape, order if smem_order is None else smem_order)


def compute_tile_shape_or_override(tile_shape_mnk, element_type, is_cooperative=False, epi_tile_override=None):
    if epi_tile_override is not None:
        return epi_tile_override
    rows = 128 if is_cooperative else 64
    columns = 64 if element_type.width == 8 and not is_cooperative else 32
    return min(rows, cute.size(tile_shape_mnk, mode=[0])), min(columns, cute.size(tile_shape_mnk, mode=[1]))
