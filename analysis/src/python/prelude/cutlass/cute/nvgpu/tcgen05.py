import enum
from dataclasses import dataclass

import cutlass
import cutlass.cute as cute
import _cute
from cutlass.cute.nvgpu.common import CopyOp, OperandMajorMode, check_k, check_m, check_n, check_type, make_smem_layout_atom
from cutlass.cute.nvgpu.common import MmaOp as _MmaOp


class OperandSource(enum.Enum):
    TMEM = "tmem"
    SMEM = "smem"


class CtaGroup(enum.Enum):
    ONE = 1
    TWO = 2


class Field(enum.Enum):
    NEGATE_A = "neg_a"
    NEGATE_B = "neg_b"
    ACCUMULATE = "accum_c"
    SFA = "sf_a"
    SFB = "sf_b"


class CollectorOp(enum.Enum):
    DISCARD = "discard"
    LASTUSE = "lastuse"
    FILL = "fill"
    USE = "use"


class SmemLayoutAtomKind(enum.Enum):
    MN_INTER = "mn_inter"
    MN_SW32 = "mn_sw32"
    MN_SW64 = "mn_sw64"
    MN_SW128 = "mn_sw128"
    MN_SW128_32B = "mn_sw128_32b"
    K_INTER = "k_inter"
    K_SW32 = "k_sw32"
    K_SW64 = "k_sw64"
    K_SW128 = "k_sw128"


class Tcgen05MmaOp(_MmaOp):
    # The kind of instruction, its K, and whether its name says the size of a vector of scale factors.
    _kind = None
    _depth = 32
    _has_vector = False
    _is_sparse = False

    def _take(self, a_dtype, b_dtype, acc_dtype, shape_mnk, cta_group, a_src, a_major_mode, b_major_mode):
        self.a_dtype = a_dtype
        self.b_dtype = b_dtype
        self.acc_dtype = acc_dtype
        self.shape_mnk = shape_mnk if len(shape_mnk) == 3 else (*shape_mnk, self._depth)
        self.cta_group = cta_group
        self.a_src = a_src
        self.a_major_mode = a_major_mode
        self.b_major_mode = b_major_mode
        self._check()

    def _check(self):
        pass

    def _family(self):
        pair = "_2x1SM" if self.cta_group == CtaGroup.TWO else ""
        source = "_TS" if self.a_src == OperandSource.TMEM else "_SS"
        sparse = "_SPARSE" if self._is_sparse else ""
        return f"SM100_MMA_{self._kind}{pair}{source}{sparse}"

    def _atom(self):
        types = [self.a_dtype, self.b_dtype, self.acc_dtype]
        vector = ""
        if hasattr(self, "sf_dtype"):
            types.append(self.sf_dtype)
            if self._has_vector:
                vector = f", {self.sf_vec_size}"
        types = ", ".join([_cute.type_name(ty) for ty in types])
        m, n = self.shape_mnk[0], self.shape_mnk[1]
        majors = f"UMMA::Major::{self.a_major_mode.name}, UMMA::Major::{self.b_major_mode.name}"
        return f"{self._family()}<{types}, {m}, {n}{vector}, {majors}>"


class MmaOp(Tcgen05MmaOp):
    def _check(self):
        m, n, k = self.shape_mnk
        is_pair = self.cta_group == CtaGroup.TWO
        check_m(m, [128, 256] if is_pair else [64, 128])
        step = 16 if self.b_dtype.width == 8 and self.b_major_mode == OperandMajorMode.MN else 8
        check_n(n, 2 * step if is_pair else step)
        check_k(k, self._depth)


class MmaTF32Op(MmaOp):
    _kind = "TF32"
    _depth = 8

    def __init__(self, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode):
        ab = cutlass.TFloat32
        self._take(ab, ab, cutlass.Float32, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode)


class MmaF16BF16Op(MmaOp):
    _kind = "F16BF16"
    _depth = 16

    def __init__(self, ab_dtype, acc_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode):
        check_type("ab_dtype", ab_dtype, [cutlass.Float16, cutlass.BFloat16])
        check_type("acc_dtype", acc_dtype, [cutlass.Float16, cutlass.Float32])
        self._take(ab_dtype, ab_dtype, acc_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode)


class MmaI8Op(MmaOp):
    _kind = "S8"

    def __init__(self, ab_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode):
        self._take(ab_dtype, ab_dtype, cutlass.Int32, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode)


class MmaFP8Op(MmaOp):
    _kind = "F8F6F4"

    def __init__(self, ab_dtype, acc_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode):
        self._take(ab_dtype, ab_dtype, acc_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode)


class MmaF8F6F4Op(MmaOp):
    _kind = "F8F6F4"

    def __init__(self, a_dtype, b_dtype, acc_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode):
        self._take(a_dtype, b_dtype, acc_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode)


class SparseMmaOp(Tcgen05MmaOp):
    _is_sparse = True

    def __init__(self, ab_dtype, acc_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode, sparse_metadata_format):
        self.sparse_metadata_format = sparse_metadata_format
        self._take(ab_dtype, ab_dtype, acc_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode)


class MmaF16BF16SparseOp(SparseMmaOp):
    _kind = "F16BF16"
    _depth = 32


class MmaFP8SparseOp(SparseMmaOp):
    _kind = "F8F6F4"
    _depth = 64


class BlockScaledMmaOp(Tcgen05MmaOp):
    def _take_scaled(self, a_dtype, b_dtype, sf_dtype, sf_vec_size, shape, cta_group, a_src, a_major_mode, b_major_mode):
        self.sf_dtype = sf_dtype
        self.sf_vec_size = sf_vec_size
        self._take(a_dtype, b_dtype, cutlass.Float32, shape, cta_group, a_src, a_major_mode, b_major_mode)


class MmaMXF8Op(BlockScaledMmaOp):
    _kind = "MXF8F6F4"

    def __init__(self, ab_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode):
        scale = cutlass.Float8E8M0FNU
        self._take_scaled(ab_dtype, ab_dtype, scale, 32, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode)


class MmaMXF8F6F4Op(BlockScaledMmaOp):
    _kind = "MXF8F6F4"

    def __init__(self, a_dtype, b_dtype, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode):
        scale = cutlass.Float8E8M0FNU
        self._take_scaled(a_dtype, b_dtype, scale, 32, instruction_shape, cta_group, a_src, a_major_mode, b_major_mode)


class _MmaOfFourBits(BlockScaledMmaOp):
    _kind = "MXF4"
    _depth = 64
    _has_vector = True

    def _take_four_bits(self, sf_dtype, sf_vec_size, shape, cta_group, a_src):
        ab, k_major = cutlass.Float4E2M1FN, OperandMajorMode.K
        self._take_scaled(ab, ab, sf_dtype, sf_vec_size, shape, cta_group, a_src, k_major, k_major)


class MmaMXF4Op(_MmaOfFourBits):
    def __init__(self, instruction_shape, cta_group, a_src):
        self._take_four_bits(cutlass.Float8E8M0FNU, 32, instruction_shape, cta_group, a_src)


class MmaMXF4NVF4Op(_MmaOfFourBits):
    def __init__(self, sf_dtype, instruction_shape, cta_group, a_src):
        self._take_four_bits(sf_dtype, 16, instruction_shape, cta_group, a_src)


class _UltraMmaOp(_MmaOfFourBits):
    _depth = 96

    def _family(self):
        pair = "_2x1SM" if self.cta_group == CtaGroup.TWO else ""
        return f"SM103_MXF4_ULTRA{pair}_SS_VS"


class SM103MmaMXF4Op(_UltraMmaOp):
    def __init__(self, instruction_shape, cta_group, a_src):
        self._take_four_bits(cutlass.Float8E8M0FNU, 32, instruction_shape, cta_group, a_src)


class SM103MmaMXF4NVF4Op(_UltraMmaOp):
    def __init__(self, sf_dtype, instruction_shape, cta_group, a_src):
        self._take_four_bits(sf_dtype, 16, instruction_shape, cta_group, a_src)


class Repetition(enum.Enum):
    x1 = 1
    x2 = 2
    x4 = 4
    x8 = 8
    x16 = 16
    x32 = 32
    x64 = 64
    x128 = 128


class Pack(enum.Enum):
    NONE = "none"
    PACK_16b_IN_32b = "pack"


class Unpack(enum.Enum):
    NONE = "none"
    UNPACK_32b_IN_16b = "unpack"


class TmemLoadRedOp(enum.Enum):
    MAX = "max"
    MAXABS = "maxabs"
    MIN = "min"
    MINABS = "minabs"


# Tensor memory and registers: the lanes and the bits of one rectangle.
class _TmemOp(CopyOp):
    _lanes = 32
    _bits = 32

    def _rectangle(self):
        return f"{self._lanes}dp{self._bits}b{self.repeat.value}x"


class _LdBase(_TmemOp):
    def __init__(self, repeat=Repetition.x1, pack=Pack.NONE):
        self.repeat = repeat
        self.pack = pack

    def _atom(self, bits):
        packed = "_16b" if self.pack == Pack.PACK_16b_IN_32b else ""
        return f"SM100_TMEM_LOAD_{self._rectangle()}{packed}"


class _StBase(_TmemOp):
    def __init__(self, repeat, unpack=Unpack.NONE):
        self.repeat = repeat
        self.unpack = unpack

    def _atom(self, bits):
        packed = "_16b" if self.unpack == Unpack.UNPACK_32b_IN_16b else ""
        return f"SM100_TMEM_STORE_{self._rectangle()}{packed}"


class Ld16x64bOp(_LdBase):
    _lanes, _bits = 16, 64


class Ld16x128bOp(_LdBase):
    _lanes, _bits = 16, 128


class Ld16x256bOp(_LdBase):
    _lanes, _bits = 16, 256


class Ld16x32bx2Op(_LdBase):
    _lanes, _bits = 16, 32


class Ld32x32bOp(_LdBase):
    pass


class LdRed32x32bOp(_LdBase):
    def __init__(self, repeat=Repetition.x1, pack=Pack.NONE, redOp=TmemLoadRedOp.MAX, nan=False):
        super().__init__(repeat, pack)
        self.redOp = redOp
        self.nan = nan


class St16x64bOp(_StBase):
    _lanes, _bits = 16, 64


class St16x128bOp(_StBase):
    _lanes, _bits = 16, 128


class St16x256bOp(_StBase):
    _lanes, _bits = 16, 256


class St16x32bx2Op(_StBase):
    _lanes, _bits = 16, 32


class St32x32bOp(_StBase):
    pass


class _S2TCopyBase(CopyOp):
    _words = None

    def __init__(self, cta_group):
        self.cta_group = cta_group

    def _atom(self, bits):
        return f"SM100_UTCCP_{self._words}_{self.cta_group.value}cta"


class Cp128x256bOp(_S2TCopyBase):
    _words = "128dp256bit"


class Cp128x128bOp(_S2TCopyBase):
    _words = "128dp128bit"


class Cp4x256bOp(_S2TCopyBase):
    _words = "4dp256bit"


class Cp4x32x128bOp(_S2TCopyBase):
    _words = "4x32dp128bit"


class Cp2x64x128b0213Op(_S2TCopyBase):
    _words = "2x64dp128bitlw0213"


class Cp2x64x128b0123Op(_S2TCopyBase):
    _words = "2x64dp128bitlw0123"


def is_tmem_load(atom):
    return isinstance(atom.op, _LdBase)


def is_tmem_store(atom):
    return isinstance(atom.op, _StBase)


def get_tmem_copy_properties(atom):
    op = atom.op
    packing = op.pack if is_tmem_load(atom) else op.unpack
    return op._lanes, op._bits, op.repeat.value, packing


# Columns of tensor memory are the lower half of an address.
def find_tmem_tensor_col_offset(tmem_tensor):
    words = cute.recast_tensor(tmem_tensor, cutlass.Int32)
    return cute.cosize(words.layout) & 0xFFFF


def commit(mbar_ptr, mask=None, cta_group=CtaGroup.ONE):
    pass
