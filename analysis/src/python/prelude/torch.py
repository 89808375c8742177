# What layouts depend on of `torch`: shapes, strides and element types of tensors.
import cutlass


class dtype:
    def __init__(self, name, element, itemsize):
        self.name = name
        self.element = element
        self.itemsize = itemsize


float16 = dtype("float16", cutlass.Float16, 2)
half = float16
bfloat16 = dtype("bfloat16", cutlass.BFloat16, 2)
float32 = dtype("float32", cutlass.Float32, 4)
float = float32
float64 = dtype("float64", cutlass.Float64, 8)
int8 = dtype("int8", cutlass.Int8, 1)
uint8 = dtype("uint8", cutlass.Uint8, 1)
int16 = dtype("int16", cutlass.Int16, 2)
uint16 = dtype("uint16", cutlass.Uint16, 2)
uint32 = dtype("uint32", cutlass.Uint32, 4)
uint64 = dtype("uint64", cutlass.Uint64, 8)
int32 = dtype("int32", cutlass.Int32, 4)
int64 = dtype("int64", cutlass.Int64, 8)
long = int64
bool = dtype("bool", cutlass.Boolean, 1)
float8_e4m3fn = dtype("float8_e4m3fn", cutlass.Float8E4M3FN, 1)
float8_e5m2 = dtype("float8_e5m2", cutlass.Float8E5M2, 1)


def _row_major(shape):
    stride = []
    step = 1
    for extent in reversed(shape):
        stride.insert(0, step)
        step = step * extent
    return tuple(stride)


class Tensor:
    def __init__(self, shape, stride, dtype):
        self.shape = tuple(shape)
        self._stride = tuple(stride)
        self.dtype = dtype
        self.element = dtype.element
        self.device = None
        self.is_cuda = True
        self.requires_grad = False

    def cute_type(self):
        return self.element

    def stride(self, dim=None):
        return self._stride if dim is None else self._stride[dim]

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return len(self.shape)

    @property
    def ndim(self):
        return len(self.shape)

    def numel(self):
        count = 1
        for extent in self.shape:
            count = count * extent
        return count

    def element_size(self):
        return self.dtype.itemsize

    def _like(self, shape, stride):
        made = Tensor(shape, stride, self.dtype)
        made.element = self.element
        return made

    def permute(self, *dims):
        order = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
        return self._like([self.shape[d] for d in order], [self._stride[d] for d in order])

    def transpose(self, a, b):
        order = list(range(len(self.shape)))
        order[a], order[b] = order[b], order[a]
        return self.permute(order)

    def t(self):
        return self.permute(1, 0)

    def unsqueeze(self, dim):
        at = dim + len(self.shape) + 1 if dim < 0 else dim
        shape = list(self.shape)
        stride = list(self._stride)
        step = self.shape[at] * self._stride[at] if at < len(shape) else 1
        shape.insert(at, 1)
        stride.insert(at, step)
        return self._like(shape, stride)

    def contiguous(self):
        return self._like(self.shape, _row_major(self.shape))

    def _same(self, *args, **named):
        return self

    def to(self, *args, **named):
        made = self._like(self.shape, self._stride)
        for value in args:
            if isinstance(value, dtype):
                made = Tensor(self.shape, self._stride, value)
        for name in named:
            if name == "dtype":
                made = Tensor(self.shape, self._stride, named[name])
        return made

    cuda = _same
    cpu = _same
    detach = _same
    clone = _same
    random_ = _same
    normal_ = _same
    uniform_ = _same
    fill_ = _same
    zero_ = _same
    requires_grad_ = _same
    copy_ = _same

    def half(self):
        return self.to(float16)

    def bfloat16(self):
        return self.to(bfloat16)

    def float(self):
        return self.to(float32)


def _shape_of(args):
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        return tuple(args[0])
    return tuple(args)


def empty(*shape, dtype=float32, **named):
    shape = _shape_of(shape)
    return Tensor(shape, _row_major(shape), float32 if dtype is None else dtype)


def zeros(*shape, dtype=float32, **named):
    return empty(*shape, dtype=dtype)


def ones(*shape, dtype=float32, **named):
    return empty(*shape, dtype=dtype)


def rand(*shape, dtype=float32, **named):
    return empty(*shape, dtype=dtype)


def randn(*shape, dtype=float32, **named):
    return empty(*shape, dtype=dtype)


def full(shape, value, dtype=float32, **named):
    return empty(shape, dtype=dtype)


def randint(low, high=None, size=None, dtype=int64, **named):
    return empty(high if size is None else size, dtype=dtype)


def empty_like(tensor, dtype=None, **named):
    return tensor if dtype is None else tensor.to(dtype)


def zeros_like(tensor, dtype=None, **named):
    return empty_like(tensor, dtype)


def randn_like(tensor, dtype=None, **named):
    return empty_like(tensor, dtype)


def empty_strided(shape, stride, dtype=float32, **named):
    return Tensor(shape, stride, dtype)


def device(*args):
    return None


def manual_seed(*args):
    return None


class testing:
    @staticmethod
    def assert_close(*args, **named):
        return None


class cuda:
    @staticmethod
    def current_stream(*args):
        return None

    @staticmethod
    def get_device_capability(*args):
        return (9, 0)

    @staticmethod
    def is_available():
        return True

    @staticmethod
    def synchronize(*args):
        return None

    @staticmethod
    def device(*args):
    return None


def manual_seed(*args):
        return None
