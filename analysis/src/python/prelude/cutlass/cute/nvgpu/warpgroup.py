import enum

import cutlass
import _cute
from cutlass.cute.nvgpu.common import MmaOp as _MmaOp
from cutlass.cute.nvgpu.common import OperandMajorMode, check_k, check_m, check_n, check_type, make_smem_layout_atom


class OperandSource(enum.Enum):
    RMEM = "rmem"
    SMEM = "smem"


class Field(enum.Enum):
    ACCUMULATE = "accum_c"


class SmemLayoutAtomKind(enum.Enum):
    MN_INTER = "mn_inter"
    MN_SW32 = "mn_sw32"
    MN_SW64 = "mn_sw64"
    MN_SW128 = "mn_sw128"
    K_INTER = "k_inter"
    K_SW32 = "k_sw32"
    K_SW64 = "k_sw64"
    K_SW128 = "k_sw128"


class WarpGroupMmaOp(_MmaOp):
    pass


class MmaOp(WarpGroupMmaOp):
    # What stands behind the types in the name, for instructions whose operands are always K-major.
    _k_major_only = False
    _depth = 16

    def __init__(self, a_dtype, b_dtype, acc_dtype, shape_mnk, a_src, a_major_mode, b_major_mode):
        self.a_dtype = a_dtype
        self.b_dtype = b_dtype
        self.acc_dtype = acc_dtype
        self.shape_mnk = shape_mnk if len(shape_mnk) == 3 else (*shape_mnk, self._depth)
        self.a_src = a_src
        self.a_major_mode = a_major_mode
        self.b_major_mode = b_major_mode
        m, n, k = self.shape_mnk
        check_m(m, [64])
        check_n(n, 8)
        check_k(k, self._depth)

    def _atom(self):
        m, n, k = self.shape_mnk
        types = _cute.type_word(self.acc_dtype) + _cute.type_word(self.a_dtype) + _cute.type_word(self.b_dtype)
        source = "SS" if self.a_src == OperandSource.SMEM else "RS"
        name = f"SM90_{m}x{n}x{k}_{types}_{source}"
        if self._k_major_only:
            return name + "_TN"
        return name + f"<GMMA::Major::{self.a_major_mode.name}, GMMA::Major::{self.b_major_mode.name}>"


class MmaF16BF16Op(MmaOp):
    def __init__(self, ab_dtype, acc_dtype, instruction_shape, a_src, a_major_mode, b_major_mode):
        check_type("ab_dtype", ab_dtype, [cutlass.Float16, cutlass.BFloat16])
        accumulators = [cutlass.Float16, cutlass.Float32] if ab_dtype == cutlass.Float16 else [cutlass.Float32]
        check_type("acc_dtype", acc_dtype, accumulators)
        super().__init__(ab_dtype, ab_dtype, acc_dtype, instruction_shape, a_src, a_major_mode, b_major_mode)


class MmaF8Op(MmaOp):
    _k_major_only = True
    _depth = 32


class MmaI8Op(MmaOp):
    _k_major_only = True
    _depth = 32


def fence():
    pass


def commit_group():
    pass


def wait_group(group):
    pass
