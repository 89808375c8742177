# Functions of `operator` beside those that are built in.


class itemgetter:
    def __init__(self, *items):
        self._items = items

    def __call__(self, obj):
        if len(self._items) == 1:
            return obj[self._items[0]]
        return tuple([obj[item] for item in self._items])


def _attribute(obj, path):
    for name in path.split("."):
        obj = getattr(obj, name)
    return obj


class attrgetter:
    def __init__(self, *paths):
        self._paths = paths

    def __call__(self, obj):
        if len(self._paths) == 1:
            return _attribute(obj, self._paths[0])
        return tuple([_attribute(obj, path) for path in self._paths])


class methodcaller:
    def __init__(self, name, /, *args, **named):
        self._name = name
        self._args = args
        self._named = named

    def __call__(self, obj):
        return getattr(obj, self._name)(*self._args, **self._named)


def eq(a, b):
    return a == b


def ne(a, b):
    return a != b


def lt(a, b):
    return a < b


def le(a, b):
    return a <= b


def gt(a, b):
    return a > b


def ge(a, b):
    return a >= b


def not_(a):
    return not a


def truth(a):
    return bool(a)


def is_(a, b):
    return a is b


def is_not(a, b):
    return a is not b


def neg(a):
    return -a


def pos(a):
    return +a


def invert(a):
    return ~a


inv = invert


def abs(a):
    return a if a >= 0 else -a


def index(a):
    return int(a)


def contains(a, b):
    return b in a


def concat(a, b):
    return a + b


def getitem(a, b):
    return a[b]


def setitem(a, b, c):
    a[b] = c


def delitem(a, b):
    del a[b]


def countOf(a, b):
    return sum([1 for item in a if item == b])


def indexOf(a, b):
    return list(a).index(b)


def iadd(a, b):
    a += b
    return a


def imul(a, b):
    a *= b
    return a
