# Context managers of `contextlib`.


class _Manager:
    def __init__(self, function, args, named):
        self._generator = function(*args, **named)

    def __enter__(self):
        return next(self._generator)

    def __exit__(self, kind, error, trace):
        if kind is None:
            next(self._generator, None)
            return False
        try:
            self._generator.throw(error)
        except StopIteration as end:
            return end is not error
        except BaseException as raised:
            if raised is error:
                return False
            raise
        return False

    def __call__(self, function):
        def inside(*args, **named):
            with self:
                return function(*args, **named)

        return inside


def contextmanager(function):
    def made(*args, **named):
        return _Manager(function, args, named)

    made.__wrapped__ = function
    made.__name__ = function.__name__
    return made


class ContextDecorator:
    def __call__(self, function):
        def inside(*args, **named):
            with self:
                return function(*args, **named)

        return inside


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *error):
        return None


class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *error):
        self.thing.close()


class suppress:
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        return None

    def __exit__(self, kind, error, trace):
        return kind is not None and isinstance(error, self._exceptions)


class redirect_stdout(nullcontext):
    pass


class redirect_stderr(nullcontext):
    pass


class ExitStack:
    def __init__(self):
        self._exits = []

    def __enter__(self):
        return self

    def enter_context(self, manager):
        value = manager.__enter__()
        self._exits.append(manager.__exit__)
        return value

    def push(self, manager):
        self._exits.append(manager.__exit__ if hasattr(manager, "__exit__") else manager)
        return manager

    def callback(self, function, *args, **named):
        def leave(kind, error, trace):
            function(*args, **named)
            return False

        self._exits.append(leave)
        return function

    def pop_all(self):
        made = ExitStack()
        made._exits = self._exits
        self._exits = []
        return made

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, kind, error, trace):
        is_suppressed = False
        while self._exits:
            leave = self._exits.pop()
            if leave(kind, error, trace):
                is_suppressed = kind is not None
                kind = error = trace = None
        return is_suppressed
