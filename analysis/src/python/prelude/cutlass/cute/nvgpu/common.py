import enum
from dataclasses import dataclass

import cutlass
import cutlass.cute as cute
import _cute


class OperandMajorMode(enum.Enum):
    MN = "MN"
    K = "K"

    @classmethod
    def _missing_(cls, value):
        if isinstance(value, str):
            if value.upper() == "MN":
                return cls.MN
            if value.upper() == "K":
                return cls.K
        return None


class OutputMajorMode(enum.Enum):
    M = "m"
    N = "n"


# What the DSL checks of the parameters of operations, in its words.
def check_type(name, dtype, dtypes):
    if dtype not in dtypes:
        words = " or ".join([known.__name__ for known in dtypes])
        message = f"expects the '{name}' Op parameter to be {words}, but got {dtype.__name__}"
        _cute.refuse("mma-operand", message, type=dtype.__name__)


def check_m(m, extents):
    if m not in extents:
        words = " or ".join([str(extent) for extent in extents])
        _cute.refuse("mma-shape", f"expects the M-mode to be {words}, but got {m}", m=m)


def check_n(n, step):
    if n < step or n > 256 or n % step != 0:
        message = f"expects the N-mode to satisfy {step} <= N <= 256 and N % {step} == 0, but got {n}"
        _cute.refuse("mma-shape", message, n=n)


def check_k(k, depth):
    if k != depth:
        message = f"expects the instruction extent in the K-mode to be {depth}, but got {k}"
        _cute.refuse("mma-shape", message, k=k)


class MemoryOrder(enum.Enum):
    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SC = "sc"
    MMIO = "mmio"
    CONSTANT = "constant"
    VOLATILE = "volatile"


class MemoryScope(enum.Enum):
    CTA = "cta"
    CLUSTER = "cluster"
    GPU = "gpu"
    SYS = "sys"


class L2PrefetchSize(enum.Enum):
    NONE = "none"
    SIZE_64B = "64B"
    SIZE_128B = "128B"
    SIZE_256B = "256B"


class CacheEvictionPriority(enum.Enum):
    EVICT_NORMAL = "evict_normal"
    EVICT_FIRST = "evict_first"
    EVICT_LAST = "evict_last"
    EVICT_UNCHANGED = "evict_unchanged"
    NO_ALLOCATE = "no_allocate"


class LoadCacheMode(enum.Enum):
    ALWAYS = "always"
    GLOBAL = "global"
    STREAMING = "streaming"
    LAST_USE = "last_use"
    NONE = "none"


class StoreCacheMode(enum.Enum):
    WRITE_BACK = "write_back"
    GLOBAL = "global"
    STREAMING = "streaming"
    WRITE_THROUGH = "write_through"
    NONE = "none"


class SharedSpace(enum.Enum):
    CTA = "cta"
    CLUSTER = "cluster"


class MmaOp:
    pass


class CopyOp:
    def _to_ir(self):
        return self


@dataclass(frozen=True)
class MmaUniversalOp(MmaOp):
    abacc_dtype: type

    def _atom(self):
        name = _cute.type_name(self.abacc_dtype)
        return f"UniversalFMA<{name}, {name}, {name}, {name}>"


# The copy that one thread makes, of as many bits as `make_copy_atom` is asked for.
class _ThreadCopyOp(CopyOp):
    def __init__(self, *args, **named):
        pass

    def _atom(self, bits):
        return "UniversalCopy"


class CopyUniversalOp(_ThreadCopyOp):
    pass


class CopyG2ROp(_ThreadCopyOp):
    pass


class CopyR2GOp(_ThreadCopyOp):
    pass


class CopyS2ROp(_ThreadCopyOp):
    pass


class CopyR2SOp(_ThreadCopyOp):
    pass


# What makes a TMA atom: two values where it is unpacked.
class TmaInfo:
    def __init__(self, copy_atom, tma_tensor, smem_layout=None):
        self.atom = copy_atom
        self.tma_tensor = tma_tensor
        self.smem_layout = smem_layout

    def __iter__(self):
        return (self.atom, self.tma_tensor)

    def __getitem__(self, index):
        return (self.atom, self.tma_tensor)[index]

    def __len__(self):
        return 2


_SWIZZLE_BITS = {"INTER": 0, "SW32": 1, "SW64": 2, "SW128": 3}


# The smallest layout of shared memory of a kind, in elements.
def make_smem_layout_atom(kind, element_type):
    words = kind.name.split("_")
    bits, base, shift = _SWIZZLE_BITS[words[1]], 4, 3
    contiguous = (128 << bits) // element_type.width
    if len(words) == 3:
        bits, base, shift = 2, 5, 2
    if words[0] == "MN":
        layout = cute.make_layout((contiguous, 8), stride=(1, contiguous))
    else:
        layout = cute.make_layout((8, contiguous), stride=(contiguous, 1))
    return cute.make_composed_layout(cute.make_swizzle(bits, base, shift), 0, layout)
