# Functions of `typing` beside those that are built in.
from _not_visible import get_args, get_origin


def get_type_hints(obj, globalns=None, localns=None, include_extras=False):
    found = {}
    for cls in reversed(obj.__mro__ if isinstance(obj, type) else (obj,)):
        for name, kind in getattr(cls, "__annotations__", {}).items():
            found[name] = _NAMES.get(kind, kind) if isinstance(kind, str) else kind
    return found


_NAMES = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "tuple": tuple,
    "list": list,
    "dict": dict,
    "set": set,
    "None": type(None),
}
