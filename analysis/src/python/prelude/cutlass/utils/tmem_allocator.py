# Columns of tensor memory.
import _cute
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu.tcgen05 import find_tmem_tensor_col_offset


def get_num_tmem_alloc_cols(tmem_tensors, rounding=True, *, arch="sm_100"):
    tensors = tmem_tensors if isinstance(tmem_tensors, (list, tuple)) else [tmem_tensors]
    columns = sum([find_tmem_tensor_col_offset(tensor) for tensor in tensors])
    if rounding:
        rounded = 32
        while rounded < columns:
            rounded *= 2
        columns = rounded
    return columns


class TmemAllocator:
    def __init__(self, *args, **named):
        pass

    def allocate(self, num_columns):
        cute.arch.alloc_tmem(num_columns)

    def wait_for_alloc(self):
        pass

    def relinquish_alloc_permit(self):
        pass

    def retrieve_ptr(self, dtype=cutlass.Float32):
        return _cute.pointer(dtype, "tmem")

    def free(self, *args, **named):
        pass
