# The options of a program, with their defaults: nobody gives arguments to a program that is read.


class ArgumentTypeError(Exception):
    pass


class Namespace:
    pass


class _Group:
    def __init__(self, parser):
        self._parser = parser

    def add_argument(self, *args, **named):
        self._parser.add_argument(*args, **named)


class ArgumentParser:
    def __init__(self, *args, **named):
        self._options = []

    def add_argument(self, *names, default=None, action=None, type=None, dest=None, choices=None, **named):
        name = names[0]
        for candidate in names:
            if candidate.startswith("--"):
                name = candidate
                break
        while name.startswith("-"):
            name = name[1:]
        value = default
        if action == "store_true":
            value = False if default is None else default
        if action == "store_false":
            value = True if default is None else default
        if type is not None and isinstance(value, str):
            value = type(value)
        self._options.append((name.replace("-", "_") if dest is None else dest, value))

    def add_argument_group(self, *args, **named):
        return _Group(self)

    def add_mutually_exclusive_group(self, *args, **named):
        return _Group(self)

    def set_defaults(self, **named):
        for name in named:
            self._options.append((name, named[name]))

    def parse_args(self, *args):
        made = Namespace()
        for name, value in self._options:
            setattr(made, name, value)
        return made

    def parse_known_args(self, *args):
        return self.parse_args(), []

    def error(self, message):
        raise SystemExit(message)

    def print_help(self, *args):
        return None
