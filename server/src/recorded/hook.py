"""Writes which layouts, atoms, integers and tuples the names of a program had while it ran.

`cute-analyzer record -- COMMAND` puts the folder of this file first on PYTHONPATH, so that Python
imports it as `sitecustomize`. Only functions of modules that name the CuTe DSL are watched. A
statement is looked up in the source, so that only names which stand there are written: the DSL runs
a rewritten copy of a function, at the same lines, with names and nested functions of its own.
"""

import ast
import atexit
import importlib.machinery
import importlib.util
import json
import os
import sys
import threading
import time
import types
import zlib

PACKAGE = "cutlass"
TEXTS_PER_NAME = 16
READS_PER_NAME = 2000
ROWS = 50_000
TEXT_LENGTH = 2_000
ALL_TEXT = 8 << 20
SOURCE_BYTES = 4 << 20
TUPLE_DEPTH = 8
TUPLE_ITEMS = 64
INT_BITS = 128
OPTIMIZED = 0x1  # The flag of code whose locals are a function's.

KINDS = {
    "Layout": "Layout",
    "ComposedLayout": "ComposedLayout",
    "Swizzle": "Swizzle",
    "Tensor": "Tensor",
    "TiledMma": "TiledMma",
    "ThrMma": "ThrMma",
    "TiledCopy": "TiledCopy",
    "ThrCopy": "ThrCopy",
    "MmaAtom": "MmaAtom",
    "CopyAtom": "CopyAtom",
    "Atom": "Atom",
    "Boolean": "bool",
    "Integer": "int",
}


def of_package(module):
    """Whether a module of this name belongs to the DSL."""
    return isinstance(module, str) and (module == PACKAGE or module.startswith(PACKAGE + "."))


def kind_of(value, depth=0):
    """What is written of a value, or None where it is none of ours."""
    cls = type(value)
    if cls is bool:
        return "bool"
    if cls is int:
        return "int" if value.bit_length() <= INT_BITS else None
    if cls is tuple:
        if depth == TUPLE_DEPTH or len(value) > TUPLE_ITEMS:
            return None
        fits = all(item is None or kind_of(item, depth + 1) for item in value)
        return "tuple" if fits else None
    # What comes from a framework prints where its memory is.
    if not of_package(cls.__module__) or cls.__module__ == PACKAGE + ".cute.runtime":
        return None
    for base in cls.__mro__:
        if base.__name__ in KINDS and of_package(base.__module__):
            return KINDS[base.__name__]
    return None


def text_of(value):
    """A value as the DSL prints it."""
    if type(value) is tuple:
        items = [text_of(item) for item in value]
        return "(" + ",".join(items) + ("," if len(items) == 1 else "") + ")"
    return str(value)


class Target:
    """A name or an attribute that a statement binds."""

    __slots__ = ("base", "attribute", "line", "column", "role", "function", "reads", "texts")

    def __init__(self, base, attribute, node, role, function):
        self.base, self.attribute = base, attribute
        self.line, self.column = node.lineno, node.col_offset
        self.role, self.function = role, function
        self.reads, self.texts = 0, {}

    @property
    def name(self):
        return self.base if self.attribute is None else self.base + "." + self.attribute

    def value_in(self, names):
        """Its value; KeyError where it has none."""
        value = names[self.base]
        if self.attribute is None:
            return value
        try:
            return object.__getattribute__(value, "__dict__")[self.attribute]
        except (AttributeError, TypeError):
            raise KeyError(self.attribute) from None


class Source(ast.NodeVisitor):
    """The statements of a file that bind names, by line, and the functions that the DSL rewrites."""

    def __init__(self, path, data):
        self.path, self.data = path, data
        self.bindings = {}
        self.parameters = {}
        self.rewritten = {}
        self.ran = set()
        self.within = []
        self.visit(ast.parse(data))

    def bind(self, first, last, targets):
        """Notes what is bound by the statement on these lines."""
        if not targets:
            return
        known = self.bindings.get(first)
        if known is not None:
            known.extend(targets)
            return
        for line in range(first, last + 1):
            self.bindings.setdefault(line, targets)

    def targets_of(self, node, role="variable"):
        function = ".".join(self.within)
        if isinstance(node, ast.Name):
            return [Target(node.id, None, node, role, function)]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return [Target(node.value.id, node.attr, node, "attribute", function)]
        if isinstance(node, (ast.Tuple, ast.List)):
            return [found for item in node.elts for found in self.targets_of(item, role)]
        return self.targets_of(node.value, role) if isinstance(node, ast.Starred) else []

    def visit_ClassDef(self, node):
        self.within.append(node.name)
        self.generic_visit(node)
        self.within.pop()

    def visit_FunctionDef(self, node):
        self.within.append(node.name)
        arguments = node.args
        all_of_them = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        all_of_them += [extra for extra in (arguments.vararg, arguments.kwarg) if extra]
        function = ".".join(self.within)
        targets = [Target(one.arg, None, one, "parameter", function) for one in all_of_them]
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        for line in range(first, max(node.lineno + 1, node.body[0].lineno)):
            self.parameters[line] = targets
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if getattr(called, "attr", getattr(called, "id", None)) in ("jit", "kernel"):
                lines = range(first, node.body[-1].end_lineno + 1)
                self.rewritten[function] = (node.lineno, lines)
        self.generic_visit(node)
        self.within.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Assign(self, node):
        targets = [found for target in node.targets for found in self.targets_of(target)]
        self.bind(node.lineno, node.end_lineno, targets)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.bind(node.lineno, node.end_lineno, self.targets_of(node.target))

    def visit_AugAssign(self, node):
        self.bind(node.lineno, node.end_lineno, self.targets_of(node.target))

    def visit_For(self, node):
        self.bind(node.lineno, node.iter.end_lineno, self.targets_of(node.target, "loop"))
        self.generic_visit(node)

    def visit_With(self, node):
        named = [item.optional_vars for item in node.items if item.optional_vars]
        targets = [found for target in named for found in self.targets_of(target)]
        self.bind(node.lineno, node.items[-1].context_expr.end_lineno, targets)
        self.generic_visit(node)


class Watch:
    """One call of a function: what a statement bound is read when it was left."""

    __slots__ = ("recorder", "source", "pending")

    def __init__(self, recorder, source):
        self.recorder, self.source, self.pending = recorder, source, None

    def __call__(self, frame, event, argument):
        if event == "exception":
            self.pending = None
        elif event in ("line", "return"):
            now = self.source.bindings.get(frame.f_lineno) if event == "line" else None
            if self.pending is not None and self.pending is not now:
                self.recorder.read(self.pending, frame.f_locals)
            self.pending = now
        return self


class Recorder:
    """What is known of all files of this process."""

    def __init__(self, folder, command):
        self.folder, self.command = folder, command
        self.date = time.strftime("%Y-%m-%d %H:%M")
        self.sources = {}
        self.seen = {}
        self.rows = self.text = self.left_out = 0

    def trace(self, frame, event, argument):
        """The trace function of Python, which is asked at each call."""
        code = frame.f_code
        if not code.co_flags & OPTIMIZED or code.co_name.startswith("<"):
            return None
        source = self.source_of(code.co_filename, frame.f_globals)
        if source is None:
            return None
        for function, (_, lines) in source.rewritten.items():
            if code.co_firstlineno in lines:
                source.ran.add(function)
        arguments = code.co_argcount + code.co_kwonlyargcount
        arguments += bool(code.co_flags & 0x4) + bool(code.co_flags & 0x8)
        given = code.co_varnames[:arguments]
        line = code.co_firstlineno
        bound = source.parameters.get(line) or source.bindings.get(line, ())
        self.read([one for one in bound if one.attribute is None and one.base in given], frame.f_locals)
        return Watch(self, source)

    def source_of(self, path, names):
        """The source of a file that names the DSL and is no part of it."""
        known = self.sources.get(path)
        if known is not None or self.seen.get(path) == len(names):
            return known
        self.seen[path] = len(names)
        if of_package(names.get("__name__")) or not any(map(names_package, list(names.values()))):
            return None
        try:
            with open(path, "rb") as file:
                data = file.read(SOURCE_BYTES + 1)
            if len(data) <= SOURCE_BYTES:
                self.sources[path] = Source(os.path.abspath(path), data)
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None
        return self.sources.get(path)

    def read(self, targets, names):
        for target in targets:
            if target.reads >= READS_PER_NAME:
                continue
            target.reads += 1
            try:
                value = target.value_in(names)
                kind = kind_of(value)
                text = text_of(value) if kind else ""
            except Exception:  # A value that cannot be printed is not ours to judge.
                continue
            if kind:
                self.put(target, kind, text)

    def put(self, target, kind, text):
        known = target.texts.get(text)
        if known is not None:
            known[1] += 1
            return
        fits = len(target.texts) < TEXTS_PER_NAME and self.rows < ROWS
        if not fits or len(text) > TEXT_LENGTH or self.text + len(text) > ALL_TEXT:
            self.left_out += 1
            return
        target.texts[text] = [kind, 1]
        self.rows += 1
        self.text += len(text)

    def write(self):
        """Writes the file of this process, if there is something to say."""
        sys.settrace(None)
        threading.settrace(None)
        files, rows, untraced = [], [], []
        for source in self.sources.values():
            for function, (line, _) in source.rewritten.items():
                if function not in source.ran:
                    untraced.append({"file": len(files), "line": line, "function": function})
            rows += rows_of(source, len(files))
            files.append({"path": source.path, "crc32": zlib.crc32(source.data)})
        if not files:
            return
        recorded = {
            "version": 1,
            "command": self.command,
            "date": self.date,
            "dsl": version_of_package(),
            "python": ".".join(map(str, sys.version_info[:3])),
            "files": files,
            "rows": rows,
            "untraced": untraced,
            "left_out": self.left_out,
        }
        path = os.path.join(self.folder, "%d.json" % os.getpid())
        try:
            with open(path + ".part", "w", encoding="utf-8") as file:
                json.dump(recorded, file, separators=(",", ":"))
            os.replace(path + ".part", path)
        except OSError as error:
            print("cute-analyzer record: %s" % error, file=sys.stderr)


def rows_of(source, file):
    """The rows of a source: one for each name and text."""
    lines = source.data.split(b"\n")
    bound = [*source.parameters.values(), *source.bindings.values()]
    seen = {id(target): target for targets in bound for target in targets}
    for target in seen.values():
        for text, (kind, count) in target.texts.items():
            yield {
                "file": file,
                "line": target.line,
                "column": target.column,
                "crc32": zlib.crc32(lines[target.line - 1].strip()),
                "name": target.name,
                "role": target.role,
                "function": target.function,
                "kind": kind,
                "text": text,
                "count": count,
            }


def names_package(value):
    """Whether a global of a module is the DSL or a part of it."""
    if isinstance(value, types.ModuleType):
        return of_package(getattr(value, "__name__", None))
    return isinstance(value, (types.FunctionType, type)) and of_package(value.__module__)


def version_of_package():
    try:
        from importlib.metadata import version

        return version("nvidia-cutlass-dsl")
    except Exception:  # It may be there without having been installed.
        found = getattr(sys.modules.get(PACKAGE), "__version__", None)
        return found if isinstance(found, str) else None


def run_next_sitecustomize():
    """Python imports one module of this name: ours stands in front of the environment's own."""
    ours = os.path.dirname(os.path.abspath(__file__))
    others = [path for path in sys.path if os.path.abspath(path) != ours]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def start():
    folder = os.environ.get("CUTE_ANALYZER_RECORD_TO")
    if folder:
        command = json.loads(os.environ.get("CUTE_ANALYZER_RECORD_COMMAND", "[]"))
        recorder = Recorder(folder, command)
        atexit.register(recorder.write)
        threading.settrace(recorder.trace)
        sys.settrace(recorder.trace)


run_next_sitecustomize()
start()
