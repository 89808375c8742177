# What `cutlass.cute.runtime` makes for compilation: tensors without memory, pointers, streams.
import _cute
from cutlass.cute import AddressSpace
import cutlass.cute as _c


def _space(memspace):
    return "gmem" if memspace is None else memspace.name


def make_fake_tensor(dtype, shape, stride, *, memspace=None, assumed_align=None):
    return _c.make_tensor(_cute.pointer(dtype, _space(memspace)), _c.make_layout(shape, stride=stride))


def make_fake_compact_tensor(dtype, shape, *, stride_order=None, memspace=None, assumed_align=None, use_32bit_stride=False):
    rank = len(shape)
    order = tuple(range(rank)) if stride_order is None else tuple(stride_order)
    stride = [None] * rank
    step = 1
    for place in range(rank):
        mode = order.index(place)
        stride[mode] = step
        step = step * shape[mode]
    return _c.make_tensor(_cute.pointer(dtype, _space(memspace)), _c.make_layout(tuple(shape), stride=tuple(stride)))


def make_fake_stream(*args, **named):
    return None


def make_ptr(dtype, value, mem_space=AddressSpace.generic, *, assumed_align=None):
    return _cute.pointer(dtype, mem_space.name)


def nullptr(dtype, mem_space=AddressSpace.generic, *, assumed_align=None):
    return _cute.pointer(dtype, mem_space.name)


def from_dlpack(tensor, assumed_align=None, use_32bit_stride=False, **named):
    # Extents that only the program knows are numbers without a value.
    shape = tuple([_cute.extent(extent) for extent in tensor.shape])
    stride = tuple([_cute.extent(step) for step in tensor.stride()])
    return _c.make_tensor(_cute.pointer(tensor.cute_type(), "gmem"), _c.make_layout(shape, stride=stride))
