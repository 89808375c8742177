# Classes of `collections` that scripts use.
from typing import NamedTuple


def namedtuple(name, fields, **named):
    if isinstance(fields, str):
        fields = fields.replace(",", " ").split()
    return NamedTuple(name, [(field, object) for field in fields])


OrderedDict = dict
