import enum
from dataclasses import dataclass
from typing import Optional

import cutlass
import _cute
from cutlass.cute.nvgpu.common import CopyOp, MmaOp, check_type


class WarpMmaOp(MmaOp):
    pass


def _extents(shape):
    return "x".join([str(extent) for extent in shape])


def _check_shape(shape, shapes):
    if shape not in shapes:
        m, n, k = shape
        words = " or ".join([f"({m},{n},{k})" for m, n, k in shapes])
        _cute.refuse("mma-shape", f"expects the 'shape_mnk' Op parameter to be {words}, but got ({m},{n},{k})", m=m, n=n, k=k)


@dataclass(frozen=True)
class MmaF16BF16Op(WarpMmaOp):
    ab_dtype: type
    acc_dtype: type
    shape_mnk: tuple

    def __post_init__(self):
        check_type("ab_dtype", self.ab_dtype, [cutlass.Float16, cutlass.BFloat16])
        accumulators = [cutlass.Float16, cutlass.Float32] if self.ab_dtype == cutlass.Float16 else [cutlass.Float32]
        check_type("acc_dtype", self.acc_dtype, accumulators)
        _check_shape(self.shape_mnk, [(16, 8, 8), (16, 8, 16)])

    def _atom(self):
        ab, acc = _cute.type_word(self.ab_dtype), _cute.type_word(self.acc_dtype)
        return f"SM80_{_extents(self.shape_mnk)}_{acc}{ab}{ab}{acc}_TN"


@dataclass(frozen=True)
class MmaTF32Op(WarpMmaOp):
    shape_mnk: tuple

    def __post_init__(self):
        _check_shape(self.shape_mnk, [(16, 8, 4), (16, 8, 8)])

    def _atom(self):
        return f"SM80_{_extents(self.shape_mnk)}_F32TF32TF32F32_TN"


@dataclass(frozen=True)
class MmaFP8Op(WarpMmaOp):
    ab_dtype: type
    acc_dtype: type
    shape_mnk: tuple

    def __post_init__(self):
        check_type("ab_dtype", self.ab_dtype, [cutlass.Float8E4M3FN, cutlass.Float8E5M2])
        check_type("acc_dtype", self.acc_dtype, [cutlass.Float32, cutlass.Float16])
        _check_shape(self.shape_mnk, [(16, 8, 32), (16, 8, 16)])

    def _atom(self):
        ab, acc = _cute.type_word(self.ab_dtype), _cute.type_word(self.acc_dtype)
        return f"SM89_{_extents(self.shape_mnk)}_{acc}{ab}{ab}{acc}_TN"


class SparseMetadataFormat(enum.Enum):
    TID = "tid"
    THREAD = "thread"


class Field(enum.Enum):
    ACCUMULATE = "accum_c"
    SFA = "sf_a"
    SFB = "sf_b"


class MmaSM120BlockScaledOp(MmaOp):
    def __init__(self, ab_dtype, acc_dtype, shape_mnk, sf_type, sf_vec_size):
        self.ab_dtype = ab_dtype
        self.acc_dtype = acc_dtype
        self.shape_mnk = shape_mnk
        self.sf_type = sf_type
        self.sf_vec_size = sf_vec_size

    def _atom(self):
        ab = _cute.type_name(self.ab_dtype)
        types = f"{ab}, {ab}, {_cute.type_name(self.acc_dtype)}, {_cute.type_name(self.sf_type)}"
        return f"SM120_{_extents(self.shape_mnk)}_TN_VS<{types}, {self.sf_vec_size}>"


class MmaMXF4Op(MmaSM120BlockScaledOp):
    def __init__(self, ab_dtype, acc_dtype, sf_type):
        super().__init__(ab_dtype, acc_dtype, (16, 8, 64), sf_type, 32)


class MmaMXF4NVF4Op(MmaSM120BlockScaledOp):
    def __init__(self, ab_dtype, acc_dtype, sf_type):
        super().__init__(ab_dtype, acc_dtype, (16, 8, 64), sf_type, 16)


class MmaMXF8Op(MmaSM120BlockScaledOp):
    def __init__(self, ab_dtype, acc_dtype, sf_type):
        super().__init__(ab_dtype, acc_dtype, (16, 8, 32), sf_type, 32)


@dataclass(frozen=True)
class MmaMXF8F6F4Op(MmaOp):
    a_dtype: type
    b_dtype: type
    acc_dtype: type
    sf_type: type

    @property
    def shape_mnk(self):
        return (16, 8, 32)

    @property
    def sf_vec_size(self):
        return 32

    def _atom(self):
        types = [self.a_dtype, self.b_dtype, self.acc_dtype, self.sf_type]
        types = ", ".join([_cute.type_name(ty) for ty in types])
        return f"SM120_16x8x32_TN_VS<{types}, 32>"


# Matrices between shared memory and the registers of a warp.
@dataclass(frozen=True)
class BaseOp(CopyOp):
    transpose: bool = False
    num_matrices: int = 1
    unpack_bits: Optional[int] = None
    _counts = None

    def __post_init__(self):
        if self._counts is not None and self.num_matrices not in self._counts:
            words = ",".join([str(count) for count in self._counts])
            count = self.num_matrices
            message = f"expects the 'num_matrices' Op parameter to be one of [{words}], but got {count}"
            _cute.refuse("atom-parameters", message, num_matrices=count)


@dataclass(frozen=True)
class LdMatrix8x8x16bOp(BaseOp):
    _counts = (1, 2, 4)

    def _atom(self, bits):
        if self.transpose:
            return f"SM75_U16x{2 * self.num_matrices}_LDSM_T"
        return f"SM75_U32x{self.num_matrices}_LDSM_N"


@dataclass(frozen=True)
class LdMatrix8x16x8bOp(BaseOp):
    _counts = (1, 2, 4)

    def _atom(self, bits):
        if self.unpack_bits is None:
            return f"SM75_U32x{self.num_matrices}_LDSM_N"
        return f"SM100_SU{self.unpack_bits}_DU8x16_x{self.num_matrices}_LDSM_N"


@dataclass(frozen=True)
class LdMatrix16x16x8bOp(BaseOp):
    _counts = (1, 2)

    def _atom(self, bits):
        if self.unpack_bits is None:
            return f"SM100_U8x{8 * self.num_matrices}_LDSM_T"
        return None


@dataclass(frozen=True)
class LdMatrix16x8x8bOp(BaseOp):
    _counts = (2, 4)

    def _atom(self, bits):
        return None


@dataclass(frozen=True)
class StMatrix8x8x16bOp(BaseOp):
    _counts = (1, 2, 4)

    def _atom(self, bits):
        if self.transpose:
            return f"SM90_U16x{2 * self.num_matrices}_STSM_T"
        return f"SM90_U32x{self.num_matrices}_STSM_N"


@dataclass(frozen=True)
class StMatrix16x8x8bOp(BaseOp):
    _counts = (1, 2, 4)

    def _atom(self, bits):
        return f"SM100_U8x{4 * self.num_matrices}_STSM_T"
