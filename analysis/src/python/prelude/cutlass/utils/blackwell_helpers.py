# How kernels of Blackwell are put together by the helpers of CUTLASS.
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import CopyUniversalOp, OperandMajorMode, tcgen05
from cutlass.cute.nvgpu.cpasync import CopyBulkTensorTileG2SMulticastOp, CopyBulkTensorTileG2SOp
from cutlass.cute.nvgpu.tcgen05 import CtaGroup, OperandSource, Pack, Repetition, SmemLayoutAtomKind
from cutlass.cute.nvgpu.warp import StMatrix8x8x16bOp, StMatrix16x8x8bOp
from cutlass.utils.tmem_allocator import get_num_tmem_alloc_cols

_NARROW = (
    cutlass.Float8E4M3FN,
    cutlass.Float8E5M2,
    cutlass.Float6E3M2FN,
    cutlass.Float6E2M3FN,
    cutlass.Float4E2M1FN,
)


# The lanes of tensor memory that the warps share: rows of warps and columns of warps.
def _warps(cta_m, use_2cta):
    return (2, 2) if cta_m == 64 and use_2cta else (4, 1)


def _fewest_columns(width, is_m_major, warp_n):
    if is_m_major:
        return 8 * warp_n
    return (128 if width == 6 else 128 // width) * warp_n


def compute_epilogue_tile_size(
    cta_tile_m, cta_tile_n, use_2cta, elem_width_d, elem_width_c=None, d_is_m_major=True, c_is_m_major=True, tmem_warp_shape_mn=None
):
    warp_m, warp_n = _warps(cta_tile_m, use_2cta) if tmem_warp_shape_mn is None else tmem_warp_shape_mn
    tile_m = min(cta_tile_m, 32 * warp_m)
    if elem_width_c is None:
        wanted = (8192 if elem_width_d == 4 else 4096) // tile_m
    else:
        widest = max(elem_width_c, elem_width_d)
        if widest == 32:
            wanted = 16 if cta_tile_m > 64 and cta_tile_n <= 128 else 32
        elif widest == 16:
            wanted = 32 if cta_tile_n <= 128 else 64
        else:
            wanted = 64
    while cta_tile_n % wanted != 0:
        wanted //= 2
    least = _fewest_columns(elem_width_d, d_is_m_major, warp_n)
    least_of_c = 8 * warp_n if elem_width_c is None else _fewest_columns(elem_width_c, c_is_m_major, warp_n)
    tile_n = min(cta_tile_n, max(wanted, least, least_of_c))
    return tile_m, tile_n if cta_tile_n % tile_n == 0 else cta_tile_n


def compute_epilogue_tile_shape(
    cta_tile_shape, use_2cta_instrs, layout_d, elem_ty_d, *, layout_c=None, elem_ty_c=None, tmem_warp_shape_mn=None
):
    cta_m, cta_n = cta_tile_shape[0], cta_tile_shape[1]
    tile_m, tile_n = compute_epilogue_tile_size(
        cta_m,
        cta_n,
        use_2cta_instrs,
        elem_ty_d.width,
        None if elem_ty_c is None else elem_ty_c.width,
        layout_d.is_m_major_c(),
        True if layout_c is None else layout_c.is_m_major_c(),
        tmem_warp_shape_mn,
    )
    warp_n = (_warps(cta_m, use_2cta_instrs) if tmem_warp_shape_mn is None else tmem_warp_shape_mn)[1]
    columns = cute.make_layout((tile_n // warp_n, warp_n), stride=(1, cta_n // warp_n))
    return cute.make_layout(tile_m), cute.coalesce(columns)


# Lanes and bits of the load, by the lanes of a warp, the widths of the accumulator and of what is stored.
def _load_of(lanes, acc_bits, bits, is_m_major):
    if acc_bits == 16:
        return (16, 128) if lanes == 16 or is_m_major else (32, 32)
    if bits in (4, 6):
        return 32, 32
    if lanes == 32:
        return (16, 256) if is_m_major and bits != 32 else (32, 32)
    if is_m_major or bits == 16:
        return 16, 256
    return (16, 128) if bits == 32 else (16, 32)


_LOADS = {
    (16, 64): tcgen05.Ld16x64bOp,
    (16, 128): tcgen05.Ld16x128bOp,
    (16, 256): tcgen05.Ld16x256bOp,
    (16, 32): tcgen05.Ld16x32bx2Op,
    (32, 32): tcgen05.Ld32x32bOp,
}
_MOST_REPEATS = {(16, 64): 128, (16, 128): 64, (16, 256): 32, (16, 32): 128, (32, 32): 128}


def get_tmem_load_op(
    cta_tile_shape, layout_d, elem_ty_d, elem_ty_acc, epi_tile, use_2cta_instrs, *, tmem_warp_shape_mn=None
):
    warps = _warps(cta_tile_shape[0], use_2cta_instrs) if tmem_warp_shape_mn is None else tmem_warp_shape_mn
    of_warp = cute.shape_div(cute.product_each(cute.shape(epi_tile)), warps)
    lanes = cute.size(of_warp[0])
    rectangle = _load_of(lanes, elem_ty_acc.width, elem_ty_d.width, layout_d.is_m_major_c())
    row = cute.size(of_warp[1]) * elem_ty_acc.width
    once = 64 if rectangle == (16, 32) else rectangle[1]
    times = _MOST_REPEATS[rectangle]
    while row % (once * times) != 0:
        times //= 2
    pack = Pack.PACK_16b_IN_32b if elem_ty_acc.width == 16 else Pack.NONE
    return cute.make_copy_atom(_LOADS[rectangle](Repetition(times), pack), elem_ty_acc)


def get_smem_store_op(layout_d, elem_ty_d, elem_ty_acc, tiled_tmem_load):
    op = CopyUniversalOp()
    if tcgen05.is_tmem_load(tiled_tmem_load):
        lanes, bits, times, pack = tcgen05.get_tmem_copy_properties(tiled_tmem_load)
        is_m_major = layout_d.is_m_major_c()
        widths = (elem_ty_acc.width, elem_ty_d.width)
        unpacked = pack is Pack.NONE
        of_words = (
            (widths == (32, 32) and not is_m_major and (lanes, bits) == (16, 128) and unpacked and times <= 64)
            or (widths == (32, 16) and (lanes, bits) == (16, 256) and unpacked and times <= 32)
            or (widths == (16, 16) and (lanes, bits) == (16, 128) and not unpacked and times <= 64)
        )
        of_bytes = widths == (32, 8) and is_m_major and (lanes, bits) == (16, 256) and unpacked and times <= 32
        if of_words:
            op = StMatrix8x8x16bOp(is_m_major, 2 if times == 1 else 4)
        elif of_bytes:
            op = StMatrix16x8x8bOp(transpose=True, num_matrices=min(times, 4))
    return cute.make_copy_atom(op, elem_ty_d)


# The widest swizzle whose row divides the tile.
def get_smem_layout_atom_ab(major_mode, element_type, smem_shape_mn_k, sparsity=1):
    is_k_major = major_mode == OperandMajorMode.K
    bits = cute.size(smem_shape_mn_k, mode=[1 if is_k_major else 0]) * element_type.width
    if is_k_major:
        bits //= sparsity
    elif element_type.width == 32 and bits % 1024 == 0:
        return SmemLayoutAtomKind.MN_SW128_32B
    major = "K" if is_k_major else "MN"
    for span, name in ((1024, "SW128"), (512, "SW64"), (256, "SW32")):
        if bits % span == 0:
            return SmemLayoutAtomKind[major + "_" + name]
    return SmemLayoutAtomKind[major + "_INTER"]


def make_smem_layout(leading_mode, smem_tile_shape, a_dtype, num_stages):
    kind = get_smem_layout_atom_ab(leading_mode, a_dtype, smem_tile_shape)
    order = (0, 1, 2) if leading_mode == OperandMajorMode.K else (1, 0, 2)
    atom = tcgen05.make_smem_layout_atom(kind, a_dtype)
    tiled = cute.tile_to_shape(atom, cute.append(smem_tile_shape, num_stages), order)
    return cute.coalesce(tiled, target_profile=(1, 1, 1))


def _staged(shape, dtype, num_stages, is_k_major):
    major = OperandMajorMode.K if is_k_major else OperandMajorMode.MN
    whole = (cute.size(shape[0][0]) * shape[1], cute.size(shape[0][1]) * shape[2])
    atom = tcgen05.make_smem_layout_atom(get_smem_layout_atom_ab(major, dtype, whole), dtype)
    order = (1, 2, 3) if is_k_major else (2, 1, 3)
    return tcgen05.tile_to_mma_shape(atom, cute.append(shape, num_stages), order=order)


def make_smem_layout_a(tiled_mma, mma_tiler_mnk, a_dtype, num_stages, *, is_k_major=None):
    if is_k_major is None:
        is_k_major = tiled_mma.op.a_major_mode == OperandMajorMode.K
    shape = tiled_mma.partition_shape_A(cute.dice(mma_tiler_mnk, (1, None, 1)))
    return _staged(shape, a_dtype, num_stages, is_k_major)


def make_smem_layout_b(tiled_mma, mma_tiler_mnk, b_dtype, num_stages, *, is_k_major=None):
    if is_k_major is None:
        is_k_major = tiled_mma.op.b_major_mode == OperandMajorMode.K
    shape = tiled_mma.partition_shape_B(cute.dice(mma_tiler_mnk, (None, 1, 1)))
    return _staged(shape, b_dtype, num_stages, is_k_major)


def make_smem_layout_c(tiled_mma, mma_tiler_mnk, c_dtype, num_stages, is_m_major):
    shape = tiled_mma.partition_shape_C(cute.dice(mma_tiler_mnk, (1, 1, None)))
    return _staged(shape, c_dtype, num_stages, not is_m_major)


def get_smem_layout_atom_epi(layout, element_type, epi_tile):
    extents = []
    for tile in epi_tile:
        is_layout = isinstance(tile, cute.Layout)
        extents.append(cute.coalesce(cute.right_inverse(tile)).shape if is_layout else tile)
    major = OperandMajorMode.MN if layout.is_m_major_c() else OperandMajorMode.K
    return get_smem_layout_atom_ab(major, element_type, tuple(extents))


def make_smem_layout_epi(epi_dtype, epi_layout, epi_tile, epi_stage):
    dtype = cutlass.Int8 if epi_dtype is cutlass.Boolean else epi_dtype
    atom = tcgen05.make_smem_layout_atom(get_smem_layout_atom_epi(epi_layout, dtype, epi_tile), dtype)
    shape = cute.append(cute.product_each(cute.shape(epi_tile)), epi_stage)
    order = (0, 1, 2) if epi_layout.is_n_major_c() else (1, 0, 2)
    return cute.tile_to_shape(atom, shape, order)


# Newer versions take the types of A and B apart; older ones have one type for both in front.
def _types_of_operands(args, named):
    if "ab_dtype" in named:
        dtype = named.pop("ab_dtype")
        return dtype, dtype, list(args)
    args = list(args)
    a_dtype = named.pop("a_dtype") if "a_dtype" in named else args.pop(0)
    if "b_dtype" in named:
        return a_dtype, named.pop("b_dtype"), args
    if args and hasattr(args[0], "width"):
        return a_dtype, args.pop(0), args
    return a_dtype, a_dtype, args


def make_trivial_tiled_mma(*args, **named):
    a_dtype, b_dtype, rest = _types_of_operands(args, named)
    return _trivial(a_dtype, b_dtype, *rest, **named)


def _trivial(a_dtype, b_dtype, a_leading_mode, b_leading_mode, acc_dtype, cta_group, mma_tiler_mn, a_source=OperandSource.SMEM):
    rest = (cta_group, a_source, a_leading_mode, b_leading_mode)
    if a_dtype in (cutlass.Float16, cutlass.BFloat16) and b_dtype == a_dtype:
        op = tcgen05.MmaF16BF16Op(a_dtype, acc_dtype, (*mma_tiler_mn, 16), *rest)
    elif a_dtype in (cutlass.TFloat32, cutlass.Float32) and b_dtype == a_dtype:
        op = tcgen05.MmaTF32Op((*mma_tiler_mn, 8), *rest)
    elif a_dtype in (cutlass.Uint8, cutlass.Int8) and b_dtype == a_dtype:
        op = tcgen05.MmaI8Op(a_dtype, (*mma_tiler_mn, 32), *rest)
    elif a_dtype in _NARROW and b_dtype in _NARROW:
        op = tcgen05.MmaF8F6F4Op(a_dtype, b_dtype, acc_dtype, (*mma_tiler_mn, 32), *rest)
    else:
        raise TypeError("operands that no instruction of Blackwell multiplies")
    return cute.make_tiled_mma(op)


def make_blockscaled_trivial_tiled_mma(*args, **named):
    a_dtype, b_dtype, rest = _types_of_operands(args, named)
    return _trivial_with_scales(a_dtype, b_dtype, *rest, **named)


def _trivial_with_scales(
    a_dtype, b_dtype, a_leading_mode, b_leading_mode, sf_dtype, sf_vec_size, cta_group, mma_tiler_mn, a_source=OperandSource.SMEM
):
    of_four_bits = a_dtype == cutlass.Float4E2M1FN and b_dtype == cutlass.Float4E2M1FN
    if of_four_bits and sf_vec_size == 32:
        op = tcgen05.MmaMXF4Op((*mma_tiler_mn, 64), cta_group, a_source)
    elif of_four_bits and sf_vec_size == 16:
        op = tcgen05.MmaMXF4NVF4Op(sf_dtype, (*mma_tiler_mn, 64), cta_group, a_source)
    elif a_dtype in _NARROW and b_dtype in _NARROW:
        rest = (cta_group, a_source, a_leading_mode, b_leading_mode)
        op = tcgen05.MmaMXF8F6F4Op(a_dtype, b_dtype, (*mma_tiler_mn, 32), *rest)
    else:
        raise TypeError("operands that no instruction of Blackwell multiplies with scale factors")
    return cute.make_tiled_mma(op)


def sm103_make_blockscaled_trivial_tiled_mma(sf_dtype, sf_vec_size, cta_group, mma_tiler_mn, a_source=OperandSource.SMEM):
    if sf_vec_size == 32:
        op = tcgen05.SM103MmaMXF4Op((*mma_tiler_mn, 96), cta_group, a_source)
    else:
        op = tcgen05.SM103MmaMXF4NVF4Op(sf_dtype, (*mma_tiler_mn, 96), cta_group, a_source)
    return cute.make_tiled_mma(op)


def _load_of_tiles(ctas, is_multicast):
    op = CopyBulkTensorTileG2SMulticastOp if is_multicast else CopyBulkTensorTileG2SOp
    return op(CtaGroup.TWO if ctas == 2 else CtaGroup.ONE)


# A is shared along N, B along M.
def cluster_shape_to_tma_atom_A(cluster_shape_mnk, atom_thr_id):
    return _load_of_tiles(cute.size(atom_thr_id), cute.size(cluster_shape_mnk, mode=[1]) != 1)


def cluster_shape_to_tma_atom_B(cluster_shape_mnk, atom_thr_id):
    ctas = cute.size(atom_thr_id)
    return _load_of_tiles(ctas, cute.size(cluster_shape_mnk, mode=[0]) != ctas)


def cluster_shape_to_tma_atom_SFB(cluster_shape_mnk, atom_thr_id):
    ctas = cute.size(atom_thr_id)
    return _load_of_tiles(ctas, ctas == 2 or cute.size(cluster_shape_mnk, mode=[0]) != 1)


def sm120_get_smem_store_op(layout_d, elem_ty_d, elem_ty_acc):
    if elem_ty_d.width == 16:
        return cute.make_copy_atom(StMatrix8x8x16bOp(layout_d.is_m_major_c(), 2), elem_ty_d)
    return cute.make_copy_atom(CopyUniversalOp(), elem_ty_d)


def get_permutation_mnk(tile_shape_mnk, sf_vec_size, use_mxf8f6f4):
    columns = cute.make_layout((8, 2, 2), stride=(1, 16, 8))
    return min(tile_shape_mnk[0], 128), columns, 32 if use_mxf8f6f4 else 64
