from enum import Enum

import cutlass.cute as cute
from cutlass.cute.nvgpu import OperandMajorMode


class LayoutEnum(Enum):
    ROW_MAJOR = "row_major"
    COL_MAJOR = "col_major"

    def _is_row(self):
        return self is LayoutEnum.ROW_MAJOR

    def mma_major_mode(self):
        return OperandMajorMode.K if self._is_row() else OperandMajorMode.MN

    def sm90_mma_major_mode(self):
        return self.mma_major_mode()

    def is_k_major_a(self):
        return self._is_row()

    def is_k_major_b(self):
        return self._is_row()

    def is_n_major_c(self):
        return self._is_row()

    def is_m_major_a(self):
        return not self._is_row()

    def is_n_major_b(self):
        return not self._is_row()

    def is_m_major_c(self):
        return not self._is_row()

    @staticmethod
    def from_tensor(tensor):
        mode = cute.front(tensor.leading_dim)
        return LayoutEnum.ROW_MAJOR if mode == 1 else LayoutEnum.COL_MAJOR
