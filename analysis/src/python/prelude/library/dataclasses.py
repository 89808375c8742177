# Functions of `dataclasses` beside those that are built in.
from dataclasses import fields, is_dataclass


def _plain(value, make):
    if is_dataclass(value) and not isinstance(value, type):
        return make(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_plain(item, make) for item in value])
    if isinstance(value, tuple):
        return tuple([_plain(item, make) for item in value])
    if isinstance(value, list):
        return [_plain(item, make) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, make) for key, item in value.items()}
    return value


def asdict(obj, *, dict_factory=dict):
    def make(value):
        pairs = [(own.name, _plain(getattr(value, own.name), make)) for own in fields(value)]
        return dict_factory(pairs)

    return make(obj)


def astuple(obj, *, tuple_factory=tuple):
    def make(value):
        return tuple_factory([_plain(getattr(value, own.name), make) for own in fields(value)])

    return make(obj)
