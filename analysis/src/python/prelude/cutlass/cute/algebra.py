# What `cutlass.cute` has of tuples, and of layouts by way of its other functions.
import _cute
import cutlass
import cutlass.cute as _c


def wrap(x):
    return x if isinstance(x, tuple) else (x,)


def unwrap(x):
    while isinstance(x, tuple) and len(x) == 1:
        x = x[0]
    return x


def flatten_to_tuple(a):
    if not isinstance(a, tuple):
        return (a,)
    leaves = ()
    for part in a:
        leaves = leaves + flatten_to_tuple(part)
    return leaves


def tuple_cat(*tuples):
    joined = ()
    for part in tuples:
        joined = joined + wrap(part)
    return joined


def transform_leaf(f, *args):
    if isinstance(args[0], tuple):
        return tuple([transform_leaf(f, *parts) for parts in zip(*args)])
    return f(*args)


def transform_apply(*args, f, g):
    leaves = [flatten_to_tuple(arg) for arg in args]
    return g(*[f(*parts) for parts in zip(*leaves)])


def _unflattened(leaves, at, profile):
    if not isinstance(profile, tuple):
        return leaves[at], at + 1
    parts = []
    for part in profile:
        value, at = _unflattened(leaves, at, part)
        parts.append(value)
    return tuple(parts), at


def unflatten(sequence, profile):
    value, _ = _unflattened(list(sequence), 0, profile)
    return value


def repeat_as_tuple(x, n):
    return (x,) * n


def repeat(x, n):
    return x if n == 1 else (x,) * n


def repeat_like(x, target):
    if not isinstance(target, tuple):
        return x
    return tuple([repeat_like(x, part) for part in target])


def product_like(a, target_profile):
    if not isinstance(target_profile, tuple):
        return _c.product(a)
    return tuple([product_like(part, profile) for part, profile in zip(a, target_profile)])


def find_if(t, pred_fn, hierarchical=True):
    def found(value, at):
        if isinstance(value, tuple) and (hierarchical or at == ()):
            for index, part in enumerate(value):
                place = found(part, at + (index,))
                if place is not None:
                    return place
            return None
        place = at[0] if len(at) == 1 else at
        return place if pred_fn(value, place) else None

    if not isinstance(t, tuple):
        return 0 if pred_fn(t, 0) else None
    return found(t, ())


def find(t, x, hierarchical=True):
    return find_if(t, lambda value, at: isinstance(value, int) and value == x, hierarchical)


def front(input):
    while isinstance(input, tuple):
        input = input[0]
    return input


def is_major(mode, stride):
    for index in wrap(mode if not isinstance(mode, list) else tuple(mode)):
        stride = stride[index] if isinstance(stride, tuple) else stride
    first = front(stride)
    return isinstance(first, int) and first == 1


def _leaves_out(dicer):
    if isinstance(dicer, tuple):
        return tuple([_leaves_out(part) for part in dicer])
    return 0 if dicer is None else None


def _kept(src, dicer):
    if isinstance(dicer, tuple):
        return tuple_cat(*[_kept(part, dice) for part, dice in zip(src, dicer)])
    return () if dicer is None else (src,)


def dice(src, dicer):
    if not isinstance(src, (tuple, int)) and not cutlass.is_dynamic_expression(src):
        return _c.slice_(src, _leaves_out(dicer))
    if isinstance(dicer, tuple):
        return _kept(src, dicer)
    return () if dicer is None else src


def slice_and_offset(coord, src):
    whole = transform_leaf(lambda part: 0 if part is None else part, coord)
    return _c.slice_(src, coord), _c.crd2idx(whole, src)


def append_ones(t, up_to_rank=None):
    return _cute.appended_ones(t, up_to_rank, False)


def prepend_ones(t, up_to_rank=None):
    return _cute.appended_ones(t, up_to_rank, True)


def _counted(coord, shape):
    if not isinstance(coord, tuple):
        is_last = coord == shape - 1
        return (0 if is_last else coord + 1), is_last
    parts = []
    carries = True
    for part, extent in zip(coord, shape):
        if carries:
            part, carries = _counted(part, extent)
        parts.append(part)
    return tuple(parts), carries


def increment_coord(coord, shape):
    leaves = flatten_to_tuple(coord) + flatten_to_tuple(shape)
    if all([isinstance(leaf, int) for leaf in leaves]):
        return _counted(coord, shape)[0]
    return transform_leaf(lambda leaf: _cute.symbol("coordinate"), coord)


def get_swizzle_portion(layout):
    if isinstance(layout, _c.ComposedLayout) and isinstance(layout.inner, _c.Swizzle):
        return layout.inner
    return _c.make_swizzle(0, 4, 3)


def get_nonswizzle_portion(layout):
    return layout.outer if isinstance(layout, _c.ComposedLayout) else layout


def make_layout_image_mask(lay, coord, mode):
    return _cute.symbol("mask")


def basis_value(e):
    return _cute.basis_value(e)


# A divisor of the kernel: what is divided by it is the kernel's, too.
class FastDivmodDivisor:
    def __init__(self, divisor, is_power_of_2=False):
        self.divisor = divisor
        self._divides = cutlass.Int32(divisor)

    def __rfloordiv__(self, value):
        return value // self._divides

    def __rmod__(self, value):
        return value % self._divides

    def __rdivmod__(self, value):
        return value // self._divides, value % self._divides


class FastDivmodDivisorV2(FastDivmodDivisor):
    pass


def fast_divmod_create_divisor(divisor):
    return FastDivmodDivisor(divisor)


def fast_divmod_create_divisor_v2(divisor):
    return FastDivmodDivisorV2(divisor)
