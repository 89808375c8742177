# Layouts of the scale factors of block-scaled products: blocks of 128 rows and four factors.
import _cute
import cutlass.cute as cute
from cutlass.cute.nvgpu import OperandMajorMode


class BlockScaledBasicChunk:
    def __init__(self, sf_vec_size, major_mode=OperandMajorMode.K):
        self.sf_vec_size = sf_vec_size
        self.major_mode = major_mode
        rows, factors = ((32, 4), (16, 4)), ((sf_vec_size, 4), (0, 1))
        first, second = (rows, factors) if major_mode == OperandMajorMode.K else (factors, rows)
        self.layout = cute.make_layout((first[0], second[0]), stride=(first[1], second[1]))


def _staged(layout, num_stages):
    step = cute.cosize(cute.filter_zeros(layout))
    return cute.append(layout, cute.make_layout(num_stages, stride=step))


def tile_atom_to_shape_SF(Shape, sf_vec_size):
    return cute.tile_to_shape(BlockScaledBasicChunk(sf_vec_size).layout, Shape, (2, 1, 3))


def make_smem_layout_sf(tile_shape, sf_vec_size, num_stages):
    chunk = BlockScaledBasicChunk(sf_vec_size).layout
    return _staged(cute.tile_to_shape(chunk, tile_shape, (2, 1)), num_stages)


# By instruction first: `tile` is what one MMA tile has, `counts` how many instructions it takes along its two modes.
def _by_instruction(tile, counts, sf_vec_size, num_stages):
    whole = cute.tile_to_shape(BlockScaledBasicChunk(sf_vec_size).layout, tile, (2, 1))
    divided = cute.tiled_divide(whole, cute.shape_div(tile, counts))
    return _staged(cute.logical_divide(divided, ((128, sf_vec_size),)), num_stages)


def make_smem_layout_sfa(tiled_mma, mma_tiler_mnk, sf_vec_size, num_stages):
    m, _, k = mma_tiler_mnk
    counts = (m // cute.size(tiled_mma.shape_mnk, mode=[0]), k // cute.size(tiled_mma.shape_mnk, mode=[2]))
    tile = (m // cute.size(tiled_mma.thr_id.shape), k)
    return _by_instruction(tile, counts, sf_vec_size, num_stages)


def make_smem_layout_sfb(tiled_mma, mma_tiler_mnk, sf_vec_size, num_stages):
    _, n, k = mma_tiler_mnk
    counts = (n // cute.size(tiled_mma.shape_mnk, mode=[1]), k // cute.size(tiled_mma.shape_mnk, mode=[2]))
    return _by_instruction((cute.round_up(n, 128), k), counts, sf_vec_size, num_stages)


def _of_sm120(tiled_mma, extent, k, sf_vec_size, num_stages):
    blocks = extent // 128
    factors = tiled_mma.shape_mnk[2] // sf_vec_size
    rows = ((32, 4), blocks), ((16, 4), 512)
    columns = ((sf_vec_size, factors), 4 // factors, k // sf_vec_size // 4), ((0, 1), factors, blocks * 512)
    return _staged(cute.make_layout((rows[0], columns[0]), stride=(rows[1], columns[1])), num_stages)


def sm120_make_smem_layout_sfa(tiled_mma, tile_shape_mnk, sf_vec_size, num_stages):
    return _of_sm120(tiled_mma, tile_shape_mnk[0], tile_shape_mnk[2], sf_vec_size, num_stages)


def sm120_make_smem_layout_sfb(tiled_mma, tile_shape_mnk, sf_vec_size, num_stages):
    return _of_sm120(tiled_mma, tile_shape_mnk[1], tile_shape_mnk[2], sf_vec_size, num_stages)


def make_tmem_layout_sfa(tiled_mma, mma_tiler_mnk, sf_vec_size, smem_layout):
    return _cute.layout_of_scales(smem_layout)


def make_tmem_layout_sfb(tiled_mma, mma_tiler_mnk, sf_vec_size, smem_layout):
    return _cute.layout_of_scales(smem_layout)
