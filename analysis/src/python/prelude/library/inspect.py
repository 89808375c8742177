# Functions of `inspect` beside those that are built in.
import _library


class _empty:
    pass


class _Kind:
    def __init__(self, name):
        self.name = name


_KINDS = [
    _Kind("POSITIONAL_ONLY"),
    _Kind("POSITIONAL_OR_KEYWORD"),
    _Kind("VAR_POSITIONAL"),
    _Kind("KEYWORD_ONLY"),
    _Kind("VAR_KEYWORD"),
]


class Parameter:
    empty = _empty
    POSITIONAL_ONLY = _KINDS[0]
    POSITIONAL_OR_KEYWORD = _KINDS[1]
    VAR_POSITIONAL = _KINDS[2]
    KEYWORD_ONLY = _KINDS[3]
    VAR_KEYWORD = _KINDS[4]

    def __init__(self, name, kind, *, default=_empty):
        self.name = name
        self.kind = kind
        self.default = default


class BoundArguments:
    def __init__(self, signature, arguments):
        self.signature = signature
        self.arguments = arguments

    def apply_defaults(self):
        own = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments:
                own[name] = self.arguments[name]
            elif parameter.kind is Parameter.VAR_POSITIONAL:
                own[name] = ()
            elif parameter.kind is Parameter.VAR_KEYWORD:
                own[name] = {}
            elif parameter.default is not _empty:
                own[name] = parameter.default
        self.arguments = own

    @property
    def args(self):
        found = []
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is Parameter.VAR_POSITIONAL:
                found.extend(self.arguments.get(name, ()))
            elif parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
                if name in self.arguments:
                    found.append(self.arguments[name])
        return tuple(found)

    @property
    def kwargs(self):
        found = {}
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is Parameter.VAR_KEYWORD:
                found.update(self.arguments.get(name, {}))
            elif parameter.kind is Parameter.KEYWORD_ONLY and name in self.arguments:
                found[name] = self.arguments[name]
        return found


class Signature:
    empty = _empty

    def __init__(self, parameters):
        self.parameters = {parameter.name: parameter for parameter in parameters}

    def bind(self, *args, **named):
        return self._bound(args, named, True)

    def bind_partial(self, *args, **named):
        return self._bound(args, named, False)

    def _bound(self, args, named, is_whole):
        args = list(args)
        found = {}
        for name, parameter in self.parameters.items():
            kind = parameter.kind
            if kind is Parameter.VAR_POSITIONAL:
                if args:
                    found[name] = tuple(args)
                args = []
            elif kind is Parameter.VAR_KEYWORD:
                if named:
                    found[name] = named
                named = {}
            elif args and kind is not Parameter.KEYWORD_ONLY:
                found[name] = args.pop(0)
            elif name in named:
                found[name] = named.pop(name)
            elif parameter.default is _empty and is_whole:
                raise TypeError("missing a required argument")
        if args or named:
            raise TypeError("too many arguments")
        return BoundArguments(self, found)


def signature(function):
    while hasattr(function, "__wrapped__") and function.__wrapped__ is not function:
        function = function.__wrapped__
    made = []
    for name, kind, has_default, default in _library.parameters(function):
        made.append(Parameter(name, _KINDS[kind], default=default if has_default else _empty))
    return Signature(made)


def unwrap(function):
    while hasattr(function, "__wrapped__") and function.__wrapped__ is not function:
        function = function.__wrapped__
    return function
