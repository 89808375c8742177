from cutlass.utils import blackwell_helpers as sm100
from cutlass.utils import hopper_helpers as sm90
from cutlass.utils.blackwell_helpers import (
    cluster_shape_to_tma_atom_A,
    cluster_shape_to_tma_atom_B,
    cluster_shape_to_tma_atom_SFB,
    compute_epilogue_tile_shape,
    get_permutation_mnk,
    get_smem_layout_atom_ab,
    get_smem_layout_atom_epi,
    get_smem_store_op,
    get_tmem_load_op,
    make_blockscaled_trivial_tiled_mma,
    make_smem_layout,
    make_smem_layout_a,
    make_smem_layout_b,
    make_smem_layout_epi,
    make_trivial_tiled_mma,
)
from cutlass.utils.blockscaled_layout import (
    BlockScaledBasicChunk,
    make_smem_layout_sfa,
    make_smem_layout_sfb,
    tile_atom_to_shape_SF,
)
from cutlass.utils.hardware_info import *
from cutlass.utils.hopper_helpers import compute_tile_shape_or_override, sm90_get_smem_store_op
from cutlass.utils.hopper_helpers import get_smem_layout_atom as sm90_get_smem_layout_atom
from cutlass.utils.hopper_helpers import make_smem_layout_a as sm90_make_smem_layout_a
from cutlass.utils.hopper_helpers import make_smem_layout_b as sm90_make_smem_layout_b
from cutlass.utils.hopper_helpers import make_smem_layout_epi as sm90_make_smem_layout_epi
from cutlass.utils.hopper_helpers import make_trivial_tiled_mma as sm90_make_trivial_tiled_mma
from cutlass.utils.layout import LayoutEnum
from cutlass.utils.smem_allocator import SmemAllocator, get_smem_capacity_in_bytes
from cutlass.utils.static_persistent_tile_scheduler import (
    PersistentTileSchedulerParams,
    StaticPersistentTileScheduler,
    WorkTileInfo,
)
from cutlass.utils.tensor_helpers import create_cute_tensor_for_fp8, is_fp8_dtype
from cutlass.utils.tmem_allocator import TmemAllocator, get_num_tmem_alloc_cols
