# Helpers of `cutlass.torch` that make tensors for examples.
import torch
import cutlass
from cutlass.cute.runtime import from_dlpack


def dtype(ty):
    return _TYPES[ty]


_TYPES = {
    cutlass.Float16: torch.float16,
    cutlass.BFloat16: torch.bfloat16,
    cutlass.Float32: torch.float32,
    cutlass.Float64: torch.float64,
    cutlass.TFloat32: torch.float32,
    cutlass.Int8: torch.int8,
    cutlass.Uint8: torch.uint8,
    cutlass.Int32: torch.int32,
    cutlass.Int64: torch.int64,
    cutlass.Boolean: torch.bool,
}


def matrix(l, mode0, mode1, is_mode0_major, cutlass_dtype, *args, **named):
    shape = (l, mode1, mode0) if is_mode0_major else (l, mode0, mode1)
    permute = (2, 1, 0) if is_mode0_major else (1, 2, 0)
    made = torch.empty(shape, dtype=torch.float32).permute(permute)
    made.element = cutlass_dtype
    return made


def create_and_permute_torch_tensor(shape, dtype, permute_order=None, *args, **named):
    made = torch.empty(shape, dtype=dtype)
    return made if permute_order is None else made.permute(permute_order)


def cute_tensor_like(data_ref, cutlass_dtype, is_dynamic_layout, assumed_align=None):
    data_ref.element = cutlass_dtype
    tensor = from_dlpack(data_ref, assumed_align=assumed_align)
    if is_dynamic_layout:
        tensor = tensor.mark_layout_dynamic()
    return tensor, data_ref


def convert_cute_tensor(f32_torch_tensor, cute_tensor, dtype, is_dynamic_layout=True):
    return cute_tensor


def default_stream():
    return None


def current_stream():
    return None
