# Pipelines between the warps of a kernel: stages, barriers and who waits for whom. No layout depends on them.
import enum

import _cute
import cutlass
import cutlass.cute as cute


class Agent(enum.Enum):
    Thread = "thread"
    ThreadBlock = "thread_block"
    ThreadBlockCluster = "thread_block_cluster"


class PipelineOp(enum.Enum):
    AsyncThread = "async_thread"
    TCGen05Mma = "tcgen05_mma"
    TmaLoad = "tma_load"
    TmaStore = "tma_store"
    AsyncLoad = "async_load"
    Composite = "composite"
    ClcLoad = "clc_load"


class PipelineUserType(enum.Enum):
    Producer = "producer"
    Consumer = "consumer"
    ProducerConsumer = "producer_consumer"


class CooperativeGroup:
    def __init__(self, agent, size=1, alignment=None):
        self.agent = agent
        self.size = size


# A stage, by its number, is the running kernel's.
class PipelineState:
    def __init__(self, stages, count=None, index=None, phase=None):
        self.stages = stages

    def clone(self):
        return PipelineState(self.stages)

    @property
    def index(self):
        return _cute.symbol("stage")

    @property
    def count(self):
        return _cute.symbol("count")

    @property
    def phase(self):
        return _cute.symbol("phase")

    def reset_count(self):
        pass

    def advance(self, count=1):
        pass

    def reverse(self):
        pass


def make_pipeline_state(type, stages):
    return PipelineState(stages)


class NamedBarrier:
    def __init__(self, barrier_id, num_threads):
        self.barrier_id = barrier_id
        self.num_threads = num_threads

    def arrive(self):
        pass

    def arrive_unaligned(self):
        pass

    def wait(self):
        pass

    def wait_unaligned(self):
        pass

    def arrive_and_wait(self):
        pass

    def sync(self):
        pass


class TmaStoreFence:
    def __init__(self, num_stages=0):
        self.num_stages = num_stages

    def arrive(self):
        pass

    def wait(self):
        pass

    def arrive_and_wait(self):
        pass

    def tail(self):
        pass


class PipelineAsync:
    def __init__(self, num_stages=1):
        self.num_stages = num_stages

    @classmethod
    def create(cls, *args, num_stages=1, **named):
        return cls(num_stages)

    def _barrier(self):
        return _cute.pointer(cutlass.Int64, "smem")

    def producer_acquire(self, *args, **named):
        pass

    def producer_try_acquire(self, *args, **named):
        return cutlass.Boolean(True)

    def producer_commit(self, *args, **named):
        pass

    def producer_get_barrier(self, *args, **named):
        return self._barrier()

    def producer_tail(self, *args, **named):
        pass

    def consumer_wait(self, *args, **named):
        pass

    def consumer_try_wait(self, *args, **named):
        return cutlass.Boolean(True)

    def consumer_release(self, *args, **named):
        pass

    def consumer_get_barrier(self, *args, **named):
        return self._barrier()

    def make_producer(self):
        return PipelineProducer(self)

    def make_consumer(self):
        return PipelineConsumer(self)

    def make_participants(self):
        return self.make_producer(), self.make_consumer()


class PipelineCpAsync(PipelineAsync):
    pass


class PipelineTmaAsync(PipelineAsync):
    pass


class PipelineTmaMultiConsumersAsync(PipelineAsync):
    pass


class PipelineTmaStore(PipelineAsync):
    pass


class PipelineTmaUmma(PipelineAsync):
    pass


class PipelineAsyncUmma(PipelineAsync):
    pass


class PipelineUmmaAsync(PipelineAsync):
    pass


class PipelineClcFetchAsync(PipelineAsync):
    pass


class PipelineOrder(PipelineAsync):
    def arrive(self, *args, **named):
        pass

    def wait(self, *args, **named):
        pass


# One stage in the hands of a producer or a consumer.
class ImmutableResourceHandle:
    def __init__(self, pipeline):
        self._pipeline = pipeline

    @property
    def index(self):
        return _cute.symbol("stage")

    @property
    def count(self):
        return _cute.symbol("count")

    @property
    def barrier(self):
        return self._pipeline._barrier()

    def get_origin(self):
        return self._pipeline

    def commit(self):
        pass

    def release(self):
        pass


class _Participant:
    def __init__(self, pipeline):
        self._pipeline = pipeline

    def clone(self):
        return self

    def reset(self):
        pass

    def advance(self, count=1):
        pass

    def current_handle(self):
        return ImmutableResourceHandle(self._pipeline)


class PipelineProducer(_Participant):
    def acquire(self, *args, **named):
        return self.current_handle()

    def acquire_and_advance(self, *args, **named):
        return self.current_handle()

    def try_acquire(self):
        return cutlass.Boolean(True)

    def commit(self, handle=None):
        pass

    def tail(self):
        pass


class PipelineConsumer(_Participant):
    def wait(self, *args, **named):
        return self.current_handle()

    def wait_and_advance(self, *args, **named):
        return self.current_handle()

    def try_wait(self):
        return cutlass.Boolean(True)

    def release(self, handle=None):
        pass


def pipeline_init_arrive(*args, **named):
    pass


def pipeline_init_wait(*args, **named):
    pass


def agent_sync(group, is_relaxed=False):
    pass


def arrive(barrier_id, num_threads):
    pass


def arrive_and_wait(barrier_id, num_threads):
    pass


def sync(barrier_id=0):
    pass
