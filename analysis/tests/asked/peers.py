"""Answers layout operations with other libraries: a JSON object per line in, one per line out.

In: {"op": "composition", "args": ["(4,8):(1,4)", "8:2"]}. Out: {"pycute": ANSWER, "tensor-layouts": ANSWER} with ANSWER
either {"layout": "8:2"} or {"refused": "why"}.
"""

import ast
import json
import sys

import pycute
import tensor_layouts


def text(value):
    return "(" + ",".join(map(text, value)) + ")" if isinstance(value, tuple) else str(value)


def operand(library, argument):
    if ":" in argument:
        return library.Layout(*map(ast.literal_eval, argument.split(":")))
    return ast.literal_eval(argument)


def answer(library, op, args):
    name = "compose" if op == "composition" and library is tensor_layouts else op
    try:
        result = getattr(library, name)(*(operand(library, argument) for argument in args))
        return {"layout": f"{text(result.shape)}:{text(result.stride)}"}
    except Exception as error:  # each library refuses in its own way
        return {"refused": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    question = json.loads(line)
    libraries = (("pycute", pycute), ("tensor-layouts", tensor_layouts))
    answers = {name: answer(library, question["op"], question["args"]) for name, library in libraries}
    print(json.dumps(answers), flush=True)
