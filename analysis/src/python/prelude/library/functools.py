# Functions of `functools` beside those that are built in.
from functools import partial, reduce

WRAPPER_ASSIGNMENTS = ("__module__", "__name__", "__qualname__", "__doc__")
WRAPPER_UPDATES = ("__dict__",)


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    for name in assigned:
        if hasattr(wrapped, name):
            setattr(wrapper, name, getattr(wrapped, name))
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    def decorate(wrapper):
        return update_wrapper(wrapper, wrapped, assigned, updated)

    return decorate


class partialmethod:
    def __init__(self, func, /, *args, **named):
        self.func = func
        self.args = args
        self.keywords = named

    def __get__(self, this, owner=None):
        def bound(*args, **named):
            return self.func(this, *self.args, *args, **{**self.keywords, **named})

        return bound


class cmp_to_key:
    def __init__(self, compare):
        self._compare = compare

    def __call__(self, value):
        return _Key(self._compare, value)


class _Key:
    def __init__(self, compare, value):
        self._compare = compare
        self.obj = value

    def __lt__(self, other):
        return self._compare(self.obj, other.obj) < 0

    def __gt__(self, other):
        return self._compare(self.obj, other.obj) > 0

    def __eq__(self, other):
        return self._compare(self.obj, other.obj) == 0

    def __le__(self, other):
        return self._compare(self.obj, other.obj) <= 0

    def __ge__(self, other):
        return self._compare(self.obj, other.obj) >= 0


def _of_lt(cls):
    cls.__gt__ = lambda self, other: not (self < other or self == other)
    cls.__le__ = lambda self, other: self < other or self == other
    cls.__ge__ = lambda self, other: not self < other


def _of_gt(cls):
    cls.__lt__ = lambda self, other: not (self > other or self == other)
    cls.__ge__ = lambda self, other: self > other or self == other
    cls.__le__ = lambda self, other: not self > other


def _of_le(cls):
    cls.__gt__ = lambda self, other: not self <= other
    cls.__lt__ = lambda self, other: self <= other and not self == other
    cls.__ge__ = lambda self, other: not self <= other or self == other


def _of_ge(cls):
    cls.__lt__ = lambda self, other: not self >= other
    cls.__gt__ = lambda self, other: self >= other and not self == other
    cls.__le__ = lambda self, other: not self >= other or self == other


def total_ordering(cls):
    names = cls.__dict__
    if "__lt__" in names:
        _of_lt(cls)
    elif "__le__" in names:
        _of_le(cls)
    elif "__gt__" in names:
        _of_gt(cls)
    elif "__ge__" in names:
        _of_ge(cls)
    return cls


class _Dispatch:
    def __init__(self, function, at):
        self._function = function
        self._at = at
        self._kinds = []
        self.__wrapped__ = function
        self.__name__ = function.__name__

    def register(self, kind, function=None):
        if function is not None:
            self._kinds.append((kind, function))
            return function
        if isinstance(kind, type):
            return lambda function: self.register(kind, function)
        types = list(_annotations(kind).values())
        self._kinds.append((types[0], kind))
        return kind

    def dispatch(self, kind):
        best = None
        for known, function in self._kinds:
            if issubclass(kind, known) and (best is None or issubclass(known, best[0])):
                best = (known, function)
        return self._function if best is None else best[1]

    def __call__(self, *args, **named):
        return self.dispatch(type(args[self._at]))(*args, **named)


def _annotations(function):
    return function.__annotations__


def singledispatch(function):
    return _Dispatch(function, 0)


class singledispatchmethod:
    def __init__(self, function):
        self._dispatch = _Dispatch(function, 1)

    def register(self, kind, function=None):
        return self._dispatch.register(kind, function)

    def __get__(self, this, owner=None):
        return partial(self._dispatch, this)
