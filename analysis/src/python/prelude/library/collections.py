# Classes of `collections`.
from typing import NamedTuple


def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    names = [str(name) for name in field_names]
    made = NamedTuple(typename, [(name, object) for name in names])
    if defaults is None:
        return made
    defaults = tuple(defaults)
    first = len(names) - len(defaults)

    class _WithDefaults(made):
        def __new__(cls, *args, **named):
            values = dict(zip(names, args))
            values.update(named)
            for name, default in zip(names[first:], defaults):
                values.setdefault(name, default)
            return made(**values)

    _WithDefaults._fields = tuple(names)
    _WithDefaults.__name__ = typename
    return _WithDefaults


class OrderedDict(dict):
    def move_to_end(self, key, last=True):
        value = self.pop(key)
        if last:
            self[key] = value
            return
        rest = list(self.items())
        self.clear()
        self[key] = value
        for name, other in rest:
            self[name] = other

    def popitem(self, last=True):
        keys = list(self.keys())
        if not keys:
            raise KeyError("dictionary is empty")
        key = keys[-1] if last else keys[0]
        return (key, self.pop(key))


class defaultdict(dict):
    def __init__(self, default_factory=None, *args, **named):
        super().__init__(*args, **named)
        self.default_factory = default_factory

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        value = self.default_factory()
        self[key] = value
        return value


class Counter(dict):
    def __init__(self, iterable=None, **named):
        super().__init__()
        self.update(iterable, **named)

    def __missing__(self, key):
        return 0

    def update(self, iterable=None, **named):
        self._add(iterable, 1)
        self._add(named, 1)

    def subtract(self, iterable=None, **named):
        self._add(iterable, -1)
        self._add(named, -1)

    def _add(self, iterable, sign):
        if iterable is None:
            return
        if isinstance(iterable, dict):
            for key, number in iterable.items():
                self[key] = self.get(key, 0) + sign * number
            return
        for key in iterable:
            self[key] = self.get(key, 0) + sign

    def most_common(self, n=None):
        pairs = sorted(self.items(), key=lambda pair: pair[1], reverse=True)
        return pairs if n is None else pairs[:n]

    def elements(self):
        for key, number in self.items():
            for _ in range(number):
                yield key

    def total(self):
        return sum(self.values())

    def _joined(self, other, join):
        made = Counter()
        for key in list(self.keys()) + [key for key in other.keys() if key not in self]:
            number = join(self.get(key, 0), other.get(key, 0))
            if number > 0:
                made[key] = number
        return made

    def __add__(self, other):
        return self._joined(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._joined(other, lambda a, b: a - b)

    def __and__(self, other):
        return self._joined(other, lambda a, b: min(a, b))

    def __or__(self, other):
        return self._joined(other, lambda a, b: max(a, b))


class deque(list):
    def __init__(self, iterable=(), maxlen=None):
        super().__init__(iterable)
        self.maxlen = maxlen
        self._shorten_left()

    def _shorten_left(self):
        while self.maxlen is not None and len(self) > self.maxlen:
            self.pop(0)

    def append(self, item):
        super().append(item)
        self._shorten_left()

    def appendleft(self, item):
        self.insert(0, item)
        while self.maxlen is not None and len(self) > self.maxlen:
            self.pop()

    def extend(self, items):
        for item in items:
            self.append(item)

    def extendleft(self, items):
        for item in items:
            self.appendleft(item)

    def popleft(self):
        return self.pop(0)

    def rotate(self, n=1):
        items = list(self)
        if not items:
            return
        n = n % len(items)
        self[:] = items[len(items) - n :] + items[: len(items) - n]


class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for own in self.maps:
            if key in own:
                return own[key]
        raise KeyError(key)

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        del self.maps[0][key]

    def __contains__(self, key):
        return any(key in own for own in self.maps)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def _all(self):
        made = {}
        for own in reversed(self.maps):
            made.update(own)
        return made

    def __iter__(self):
        return iter(self._all())

    def __len__(self):
        return len(self._all())

    def keys(self):
        return self._all().keys()

    def values(self):
        return self._all().values()

    def items(self):
        return self._all().items()

    def new_child(self, m=None):
        return ChainMap({} if m is None else m, *self.maps)

    @property
    def parents(self):
        return ChainMap(*self.maps[1:])


UserDict = dict
UserList = list
