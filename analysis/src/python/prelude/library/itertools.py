# Functions of `itertools`.


class chain:
    def __new__(cls, *iterables):
        return _chained(iterables)

    @classmethod
    def from_iterable(cls, iterables):
        return _chained(iterables)


def _chained(iterables):
    for iterable in iterables:
        yield from iterable


def count(start=0, step=1):
    while True:
        yield start
        start += step


def cycle(iterable):
    kept = []
    for item in iterable:
        yield item
        kept.append(item)
    while kept:
        for item in kept:
            yield item


def islice(iterable, *bounds):
    bounds = slice(*bounds)
    start = 0 if bounds.start is None else bounds.start
    stop = bounds.stop
    step = 1 if bounds.step is None else bounds.step
    iterator = iter(iterable)
    at = 0
    wanted = start
    while stop is None or at < stop:
        if stop is not None and wanted >= stop:
            for _ in range(stop - at):
                next(iterator, None)
            return
        for item in iterator:
            at += 1
            break
        else:
            return
        if at - 1 == wanted:
            wanted += step
            yield item


def accumulate(iterable, func=None, *, initial=None):
    total = initial
    is_first = initial is None
    if not is_first:
        yield total
    for item in iterable:
        if is_first:
            total = item
            is_first = False
        elif func is None:
            total = total + item
        else:
            total = func(total, item)
        yield total


def takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            break
        yield item


def dropwhile(predicate, iterable):
    iterator = iter(iterable)
    for item in iterator:
        if not predicate(item):
            yield item
            break
    for item in iterator:
        yield item


def filterfalse(predicate, iterable):
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def compress(data, selectors):
    for item, selected in zip(data, selectors):
        if selected:
            yield item


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def pairwise(iterable):
    iterator = iter(iterable)
    for before in iterator:
        for item in iterator:
            yield (before, item)
            before = item


def batched(iterable, n, *, strict=False):
    batch = []
    for item in iterable:
        batch.append(item)
        if len(batch) == n:
            yield tuple(batch)
            batch = []
    if batch:
        if strict:
            raise ValueError("batched(): incomplete batch")
        yield tuple(batch)


def zip_longest(*iterables, fillvalue=None):
    rows = [list(iterable) for iterable in iterables]
    for at in range(max([len(row) for row in rows], default=0)):
        yield tuple([row[at] if at < len(row) else fillvalue for row in rows])


def tee(iterable, n=2):
    items = list(iterable)
    return tuple([iter(items) for _ in range(n)])


def groupby(iterable, key=None):
    group = []
    name = None
    for item in iterable:
        own = item if key is None else key(item)
        if group and not own == name:
            yield (name, iter(group))
            group = []
        if not group:
            name = own
        group.append(item)
    if group:
        yield (name, iter(group))


def _picked(items, r, start, is_repeated):
    if r == 0:
        yield ()
        return
    for at in range(start, len(items)):
        for rest in _picked(items, r - 1, at if is_repeated else at + 1, is_repeated):
            yield (items[at],) + rest


def combinations(iterable, r):
    return _picked(tuple(iterable), r, 0, False)


def combinations_with_replacement(iterable, r):
    return _picked(tuple(iterable), r, 0, True)


def _ordered(items, r):
    if r == 0:
        yield ()
        return
    for at in range(len(items)):
        for rest in _ordered(items[:at] + items[at + 1 :], r - 1):
            yield (items[at],) + rest


def permutations(iterable, r=None):
    items = tuple(iterable)
    return _ordered(items, len(items) if r is None else r)
