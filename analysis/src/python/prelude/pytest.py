# What tests say of the values that they are run with.
import _cute
from typing import final as _decorator


class _Values:
    def __init__(self, values):
        self.values = values


def param(*values, **named):
    return _Values(values)


def _row(value, count):
    if isinstance(value, _Values):
        return tuple(value.values)
    return (value,) if count == 1 else tuple(value)


class _Marks:
    def parametrize(self, names, values, *args, **named):
        if isinstance(names, str):
            names = [name.strip() for name in names.split(",") if name.strip() != ""]
        rows = [_row(value, len(names)) for value in values]

        def with_values(test):
            return _cute.parametrized(test, list(names), rows)

        return with_values

    def __getattr__(self, name):
        return _decorator


mark = _Marks()
fixture = _decorator


class _Outcome(Exception):
    pass


def skip(*args, **named):
    raise _Outcome()


fail = skip
xfail = skip


def importorskip(name, *args, **named):
    import importlib

    return importlib.import_module(name)
