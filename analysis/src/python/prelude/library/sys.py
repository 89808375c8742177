# What `sys` says of every Python that the DSL runs on: 3.10 or newer.


class _Version:
    major = 3

    def __getitem__(self, index):
        if isinstance(index, int) and index == 0:
            return 3
        if isinstance(index, slice) and index.stop == 1:
            return (3,)
        return _unknown.minor

    def __ge__(self, other):
        if tuple(other[:2]) <= (3, 10):
            return True
        return False if other[0] > 3 else _unknown.minor

    def __gt__(self, other):
        if tuple(other[:2]) < (3, 10):
            return True
        return False if other[0] > 3 else _unknown.minor

    def __lt__(self, other):
        return not self >= other

    def __le__(self, other):
        return not self > other


class _Unknown:
    pass


import _not_visible as _unknown

version_info = _Version()
maxsize = 9223372036854775807
byteorder = "little"
