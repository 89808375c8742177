# `cutlass.cute.experimental`: what buffers and copies are as layouts. Stages and barriers are the running kernel's.
import enum

import _cute
import cutlass
import cutlass.cute as cute

jit = cute.jit
kernel = cute.kernel
compile = cute.compile


class OperationTypeEnum(enum.Enum):
    CP_ASYNC_G2S = 9
    SM80_MMA = 13
    SM90_MMA_SS = 14
    SM90_MMA_RS = 15
    SM90_TMA_LOAD = 16
    SM90_TMA_STORE = 17
    SM100_MMA_1SM_SS = 18
    SM100_MMA_1SM_TS = 19
    SM100_MMA_2SM_SS = 20
    SM100_MMA_2SM_TS = 21
    SM100_MMA_SCALED_1SM_SS = 22
    SM100_MMA_SCALED_1SM_TS = 23
    SM100_MMA_SCALED_2SM_SS = 24
    SM100_MMA_SCALED_2SM_TS = 25
    SM100_COPY_T2R = 34
    SM100_COPY_R2T = 35
    SM100_COPY_S2T = 36
    SM100_COPY_S2T_2SM = 37
    SM90_TMA_LOAD_MULTICAST = "SM90_TMA_LOAD_MULTICAST"
    SM100_TMA_LOAD_2SM = "SM100_TMA_LOAD_2SM"
    SM100_TMA_LOAD_2SM_MULTICAST = "SM100_TMA_LOAD_2SM_MULTICAST"


def allocate(type, address_space, layout, alignment, is2cta=False):
    swizzle = None
    if isinstance(layout, cute.ComposedLayout):
        swizzle = layout.inner
        layout = layout.outer
    pointer = _cute.swizzled(_cute.pointer(type, address_space.name), swizzle)
    return _cute.tensor(pointer, layout)


def get_cta_v_map_ab(gmem_tensor, mma_tiler_mnk, tiled_mma, input_operand):
    mode = 0 if input_operand in ("A", "SFA") else 1
    tiler = (mma_tiler_mnk[mode], *mma_tiler_mnk[2:])
    tile = cute.composition(cute.make_identity_tensor(gmem_tensor.shape), tiler)
    if input_operand == "A":
        return tiled_mma.get_slice(0).partition_A(tile).layout
    if input_operand == "B":
        return tiled_mma.get_slice(0).partition_B(tile).layout
    return _cute.not_evaluated("cutlass.cute.experimental.get_cta_v_map_ab")


def get_cta_v_map_c(gmem_tensor, epi_tile):
    return cute.composition(cute.make_identity_layout(gmem_tensor.shape), epi_tile)


def make_tmem_layout_acc(tiled_mma, mnk_tiler, acc_stage):
    shape = cute.append(tiled_mma.partition_shape_C(mnk_tiler[:2]), acc_stage)
    return tiled_mma.make_fragment_C(shape).layout


def make_tmem_layout_a(tiled_mma, mk_tiler, stage):
    shape = cute.append(tiled_mma.partition_shape_A(mk_tiler), stage)
    return tiled_mma.make_fragment_A(shape).layout


def make_t2r_rmem_layout(tiled_copy_t2r, gC_mnl_epi, tidx):
    part = tiled_copy_t2r.get_slice(tidx).partition_D(gC_mnl_epi)
    return cute.make_fragment_like(part[(None, None, None, 0, 0)].layout)


def partition(buffer, agent_id, *, layout_tv, tiler):
    tiles = cute.composition(cute.zipped_divide(buffer, tiler), (layout_tv, None))
    return tiles[((agent_id, None), None)]


def predicated_tensor_origin(tensor):
    return tensor


def get_mbarrier(stage):
    return _cute.pointer(cutlass.Int64, "smem")


def _of_kernel(*args, **named):
    return None


tma_load = _of_kernel
tma_load_multicast = _of_kernel
tma_store = _of_kernel
tma_reduce_store = _of_kernel
copy = _of_kernel
partition_and_copy = _of_kernel
simt_auto_vec_copy = _of_kernel
dot = _of_kernel
dot_block_scaled = _of_kernel


class _Stage:
    pass


class GenericPipelineBase:
    @classmethod
    def create(cls, *args, **named):
        return cls()

    @classmethod
    def create_with_mask(cls, *args, **named):
        return cls()

    def producer_acquire(self):
        return self

    def producer_commit(self, *args, **named):
        return self

    def producer_commit_and_advance(self, *args, **named):
        return self

    def producer_tail(self):
        return self

    def consumer_wait(self, *args, **named):
        return self

    def consumer_release(self, *args, **named):
        return self

    def consumer_release_and_advance(self):
        return self

    def consumer_tail(self):
        return self

    def producer_acquire_and_get_stage(self):
        return _Stage(), _cute.symbol("stage")

    def consumer_wait_and_get_stage(self):
        return _Stage(), _cute.symbol("stage")

    def producer_acquire_and_get_phase(self):
        return _Stage(), _cute.symbol("phase")

    def consumer_wait_and_get_phase(self):
        return _Stage(), _cute.symbol("phase")

    def get_producer_stage(self):
        return _Stage()

    def get_consumer_stage(self):
        return _Stage()

    def get_producer_phase(self):
        return _cute.symbol("phase")

    def get_consumer_phase(self):
        return _cute.symbol("phase")


class GenericPipeline(GenericPipelineBase):
    pass


class TMAToUMMAPipeline(GenericPipelineBase):
    pass


class TMAToUMMACircularPipeline(TMAToUMMAPipeline):
    pass


class TMAToAsyncPipeline(GenericPipelineBase):
    pass


class AsyncToUMMAPipeline(GenericPipelineBase):
    pass


class UMMAtoAsyncPipeline(GenericPipelineBase):
    pass


class TMAStorePipeline:
    def __init__(self, *args, **named):
        pass

    def acquire_sync(self):
        return self

    def commit_sync(self):
        return self

    def release_advance(self):
        return self

    def get_index(self):
        return _cute.symbol("stage")

    def tail(self):
        return self
