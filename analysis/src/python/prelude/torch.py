# What layouts depend on of `torch`: shapes, strides and element types of tensors.
import _cute
import cutlass


# The type of Python; `float` is one of `torch` here.
float_ = float


class dtype:
    def __init__(self, name, element, itemsize):
        self.name = name
        self.is_floating_point = name.startswith(("float", "bfloat"))
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
float8_e8m0fnu = dtype("float8_e8m0fnu", cutlass.Float8E8M0FNU, 1)


def _row_major(shape):
    stride = []
    step = 1
    for extent in reversed(shape):
        stride.insert(0, step)
        step = step * extent
    return tuple(stride)


def _sliced(part, extent):
    """The first index of a slice, its step, and the number of its elements."""
    step = 1 if part.step is None else part.step
    start = 0 if part.start is None else part.start
    if start < 0:
        start = max(start + extent, 0)
    stop = extent if part.stop is None else part.stop
    if stop < 0:
        stop = stop + extent
    if part.stop is not None:
        stop = min(stop, extent)
    if start == 0 and step == 1:
        return step, max(stop, 0)
    return step, max((stop - start + step - 1) // step, 0)


def _viewed(shape, stride, new):
    """The strides of other modes of the same elements in the same order; None where there are none."""
    made = [0] * len(new)
    at = len(new) - 1
    base = stride[-1] if len(shape) > 0 else 1
    elements = 1
    viewed = 1
    for mode in reversed(range(len(shape))):
        elements = elements * shape[mode]
        if mode == 0 or (shape[mode - 1] != 1 and stride[mode - 1] != elements * base):
            while at >= 0 and (viewed < elements or new[at] == 1):
                made[at] = viewed * base
                viewed = viewed * new[at]
                at = at - 1
            if viewed != elements:
                return None
            if mode > 0:
                base = stride[mode - 1]
                elements = 1
                viewed = 1
    return None if at >= 0 else made


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

    def _step_of_new(self, at):
        """The stride of a mode with one element that is put in before another one."""
        return self.shape[at] * self._stride[at] if at < len(self.shape) else 1

    def unsqueeze(self, dim):
        at = dim + len(self.shape) + 1 if dim < 0 else dim
        shape = list(self.shape)
        stride = list(self._stride)
        shape.insert(at, 1)
        stride.insert(at, self._step_of_new(at))
        return self._like(shape, stride)

    def __getitem__(self, index):
        items = list(index) if isinstance(index, tuple) else [index]
        places = [item for item in items if item is not None and item is not ...]
        for item in places:
            if not isinstance(item, (int, slice)):
                return _cute.not_evaluated("an element of a torch tensor by data")
        rest = [slice(None)] * (len(self.shape) - len(places))
        if ... in items:
            at = items.index(...)
            items = items[:at] + rest + items[at + 1 :]
        else:
            items = items + rest
        shape = []
        stride = []
        mode = 0
        for item in items:
            if item is None:
                shape.append(1)
                stride.append(self._step_of_new(mode))
                continue
            if isinstance(item, slice):
                step, count = _sliced(item, self.shape[mode])
                shape.append(count)
                stride.append(self._stride[mode] * step)
            mode = mode + 1
        return self._like(shape, stride)

    def select(self, dim, index):
        dim = dim + len(self.shape) if dim < 0 else dim
        return self._like(
            self.shape[:dim] + self.shape[dim + 1 :], self._stride[:dim] + self._stride[dim + 1 :]
        )

    def squeeze(self, dim=None):
        kept = [d for d in range(len(self.shape)) if self.shape[d] != 1 or dim not in (None, d, d - len(self.shape))]
        return self._like([self.shape[d] for d in kept], [self._stride[d] for d in kept])

    def expand(self, *sizes):
        sizes = _shape_of(sizes)
        new = len(sizes) - len(self.shape)
        shape = []
        stride = []
        for at in range(len(sizes)):
            own = at >= new and (sizes[at] == -1 or sizes[at] == self.shape[at - new])
            shape.append(self.shape[at - new] if own else sizes[at])
            stride.append(self._stride[at - new] if own else 0)
        return self._like(shape, stride)

    def dim_order(self):
        order = list(range(len(self.shape)))
        return tuple(sorted(order, key=lambda d: -self._stride[d]))

    def is_contiguous(self):
        step = 1
        for at in reversed(range(len(self.shape))):
            if self.shape[at] != 1 and self._stride[at] != step:
                return False
            step = step * self.shape[at]
        return True

    def reshape(self, *shape):
        shape = list(_shape_of(shape))
        if -1 in shape:
            known = 1
            for extent in shape:
                known = known if extent == -1 else known * extent
            shape[shape.index(-1)] = self.numel() // known
        if tuple(shape) == self.shape:
            return self
        # A view where the strides allow one, else a copy.
        stride = _viewed(self.shape, self._stride, shape)
        return self._like(shape, _row_major(shape) if stride is None else stride)

    view = reshape

    def flatten(self):
        return self.reshape(-1)

    @property
    def T(self):
        return self.permute(list(reversed(range(len(self.shape)))))

    @property
    def mT(self):
        return self.transpose(-2, -1)

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

    def _with(self, other):
        """The result of an operation on each element."""
        if isinstance(other, Tensor):
            same = other.shape == self.shape and other._stride == self._stride and other.dtype is self.dtype
            return self if same else _cute.not_evaluated("an operation on two torch tensors")
        if isinstance(other, (int, float_)) and self.dtype.is_floating_point:
            return self
        return _cute.not_evaluated("an operation on a torch tensor")

    __add__ = _with
    __sub__ = _with
    __mul__ = _with
    __truediv__ = _with
    __radd__ = _with
    __rmul__ = _with

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
    round_ = _same
    clamp_ = _same
    abs_ = _same
    add_ = _same
    sub_ = _same
    mul_ = _same
    div_ = _same
    exponential_ = _same
    share_memory_ = _same
    round = _same
    clamp = _same
    abs = _same

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


def tensor(data, dtype=None, **named):
    shape = _cute.nested_shape(data)
    if dtype is None:
        for extent in shape:
            data = data[0] if extent > 0 else 0.0
        dtype = bool if data is True or data is False else int64 if isinstance(data, int) else float32
    return empty(shape, dtype=dtype)


def arange(*bounds, dtype=None, **named):
    start = 0 if len(bounds) == 1 else bounds[0]
    stop = bounds[0] if len(bounds) == 1 else bounds[1]
    step = bounds[2] if len(bounds) == 3 else 1
    count = stop if start == 0 and step == 1 else (stop - start + step - 1) // step
    return empty((count,), dtype=int64 if dtype is None else dtype)


def empty_like(tensor, dtype=None, **named):
    return tensor if dtype is None else tensor.to(dtype)


def zeros_like(tensor, dtype=None, **named):
    return empty_like(tensor, dtype)


def ones_like(tensor, dtype=None, **named):
    return empty_like(tensor, dtype)


def full_like(tensor, value, dtype=None, **named):
    return empty_like(tensor, dtype)


def rand_like(tensor, dtype=None, **named):
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


class _Device:
    def __init__(self):
        capability, of_block, of_multiprocessor = _cute.multiprocessor(_cute.architecture())
        self.major = capability // 10
        self.minor = capability % 10
        self.shared_memory_per_block_optin = of_block
        self.shared_memory_per_multiprocessor = of_multiprocessor
        self.multi_processor_count = _cute.symbol("sm_count")
        self.warp_size = 32


class cuda:
    @staticmethod
    def current_stream(*args):
        return None

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def get_device_capability(*args):
        device = _Device()
        return (device.major, device.minor)

    @staticmethod
    def get_device_properties(*args):
        return _Device()

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
