import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack


def is_fp8_dtype(dtype):
    return dtype in (cutlass.Float8E4M3FN, cutlass.Float8E5M2)


# Elements of 8 bits travel through torch as bytes: the tensor of the kernel has the same layout, and the type that is named.
def create_cute_tensor_for_fp8(
    storage_tensor, dtype, leading_dim, source_f32_tensor=None, assumed_align=16, mark_dynamic_layout=True
):
    tensor = from_dlpack(storage_tensor, assumed_align=assumed_align)
    if is_fp8_dtype(dtype):
        tensor = cute.make_tensor(cute.recast_ptr(tensor.iterator, dtype=dtype), tensor.layout)
    return tensor.mark_layout_dynamic(leading_dim=leading_dim) if mark_dynamic_layout else tensor
