# What `cutlass.cute` has that is data: enumerations, the description of structs in shared memory.
import _cute
from enum import Enum
from cutlass.cute._algebra import (
    FastDivmodDivisor,
    FastDivmodDivisorV2,
    append_ones,
    basis_value,
    dice,
    fast_divmod_create_divisor,
    fast_divmod_create_divisor_v2,
    find,
    find_if,
    flatten_to_tuple,
    front,
    get_nonswizzle_portion,
    get_swizzle_portion,
    increment_coord,
    is_major,
    make_layout_image_mask,
    prepend_ones,
    product_like,
    repeat,
    repeat_as_tuple,
    repeat_like,
    slice_and_offset,
    transform_apply,
    transform_leaf,
    tuple_cat,
    unflatten,
    unwrap,
    wrap,
)


class AddressSpace(Enum):
    generic = 0
    gmem = 1
    smem = 3
    rmem = 5
    tmem = 6


def _pack_shape(shape):
    return shape


def _pack_tile(tiler):
    return tiler


def make_ptr(dtype, value, mem_space=AddressSpace.generic, *, assumed_align=None):
    return _cute.pointer(dtype, mem_space.name)


class _MemRange:
    def __init__(self, dtype, size):
        self.dtype = dtype
        self.size = size

    def bytes(self):
        return (self.dtype.width * self.size + 7) // 8

    def alignment(self):
        return max(self.dtype.width // 8, 1)


class _MemRangeData:
    def __init__(self, dtype, size, base=None):
        self._dtype = dtype
        self._size = size

    @property
    def dtype(self):
        return self._dtype

    @property
    def size(self):
        return self._size

    @property
    def elem_width(self):
        return self._dtype.width

    @property
    def size_in_bytes(self):
        return (self._dtype.width * self._size + 7) // 8

    def data_ptr(self):
        return _cute.pointer(self._dtype, "smem")

    @property
    def ptr(self):
        return _cute.pointer(self._dtype, "smem")

    def get_tensor(self, layout, swizzle=None, dtype=None):
        element = self._dtype if dtype is None else dtype
        return _cute.tensor(_cute.swizzled(_cute.pointer(element, "smem"), swizzle), layout)

    def __getitem__(self, index):
        return _cute.pointer(self._dtype, "smem")


class _ScalarData:
    def __init__(self, dtype):
        self._dtype = dtype

    @property
    def ptr(self):
        return _cute.pointer(self._dtype, "smem")


class _Align:
    def __init__(self, inner, align):
        self.inner = inner
        self.align = align

    def bytes(self):
        return _size(self.inner)

    def alignment(self):
        return self.align


def _size(kind):
    if isinstance(kind, (_MemRange, _Align, _StructType)):
        return kind.bytes()
    return (kind.width + 7) // 8


def _alignment(kind):
    if isinstance(kind, (_MemRange, _Align, _StructType)):
        return kind.alignment()
    return max(kind.width // 8, 1)


def _data(kind):
    if isinstance(kind, _Align):
        return _data(kind.inner)
    if isinstance(kind, _MemRange):
        return _MemRangeData(kind.dtype, kind.size)
    if isinstance(kind, _StructType):
        return kind(None)
    return _ScalarData(kind)


def _unaligned(kind):
    return kind.inner if isinstance(kind, _Align) else kind


class _StructData:
    pass


class _StructType:
    def __init__(self, name, fields):
        self.__name__ = name
        self._fields = fields
        offset = 0
        alignment = 1
        offsets = {}
        for field, kind in fields:
            align = _alignment(kind)
            offset = (offset + align - 1) // align * align
            offsets[field] = offset
            offset += _size(kind)
            alignment = max(alignment, align)
        self._offsets = offsets
        self._alignment = alignment
        self._size_of = (offset + alignment - 1) // alignment * alignment

    def __call__(self, base):
        data = _StructData()
        for field, kind in self._fields:
            setattr(data, field, _data(kind))
        return data

    def bytes(self):
        return self._size_of

    def alignment(self):
        return self._alignment

    def size_in_bytes(self):
        return self._size_of

    def members(self):
        return [(field, _size(kind)) for field, kind in self._fields]

    def __alignof__(self):
        return self._alignment

    @property
    def _align_of(self):
        return self._alignment

    @property
    def _objects(self):
        return {field: _unaligned(kind) for field, kind in self._fields}

    def __sizeof__(self):
        return self._size_of


class struct:
    class MemRange:
        def __class_getitem__(cls, params):
            return _MemRange(params[0], params[1])

    class Align:
        def __class_getitem__(cls, params):
            return _Align(params[0], params[1])

    def __new__(cls, declared):
        return _StructType(declared.__name__, _cute.fields(declared))


class _UnionType(_StructType):
    def __init__(self, name, fields):
        super().__init__(name, fields)
        largest = max([_size(kind) for _, kind in fields], default=0)
        alignment = self._alignment
        self._offsets = {field: 0 for field, _ in fields}
        self._size_of = (largest + alignment - 1) // alignment * alignment

    def members(self):
        return []


class union:
    def __new__(cls, declared):
        return _UnionType(declared.__name__, _cute.fields(declared))
