# Functions of `bisect`.


def _place(a, x, lo, hi, key, is_right):
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        own = a[middle] if key is None else key(a[middle])
        goes_on = not x < own if is_right else own < x
        if goes_on:
            lo = middle + 1
        else:
            hi = middle
    return lo


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    return _place(a, x, lo, hi, key, False)


def bisect_right(a, x, lo=0, hi=None, *, key=None):
    return _place(a, x, lo, hi, key, True)


bisect = bisect_right


def insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


insort = insort_right
