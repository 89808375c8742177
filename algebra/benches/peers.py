"""Times the cases of cases.tsv in other libraries, each operand built beforehand, and prints one JSON object per line.

    python3 peers.py CASES_FILE [--only CASE]

pycute is imported from PYTHONPATH; tensor-layouts likewise. A library that cannot be imported is left out, a case that
it refuses is reported as refused. The time is the median of the runs, in nanoseconds of processor time per operation.
"""

import ast
import json
import statistics
import sys
import time


def pycute_library():
    import pycute

    class PyCute:
        name = "pycute"
        parse = staticmethod(lambda text: pycute.Layout(*map(ast.literal_eval, text.split(":"))))
        operations = {
            "composition": pycute.composition,
            "logical_divide": pycute.logical_divide,
            "logical_product": pycute.logical_product,
            "complement": pycute.complement,
            "right_inverse": pycute.right_inverse,
            "left_inverse": pycute.left_inverse,
            "coalesce": pycute.coalesce,
        }

    return PyCute


def tensor_layouts_library():
    import tensor_layouts as tl

    class TensorLayouts:
        name = "tensor-layouts"
        parse = staticmethod(lambda text: tl.Layout(*map(ast.literal_eval, text.split(":"))))
        operations = {
            "composition": tl.compose,
            "logical_divide": tl.logical_divide,
            "logical_product": tl.logical_product,
            "complement": tl.complement,
            "right_inverse": tl.right_inverse,
            "left_inverse": tl.left_inverse,
            "coalesce": tl.coalesce,
        }

    return TensorLayouts


def operand(library, text):
    return library.parse(text) if ":" in text else ast.literal_eval(text)


def median_time(run):
    """The median of 15 batches, each of which takes at least 5 ms of processor time."""
    batch = 1
    while True:
        start = time.thread_time_ns()
        for _ in range(batch):
            run()
        if time.thread_time_ns() - start >= 5_000_000:
            break
        batch *= 2
    times = []
    for _ in range(15):
        start = time.thread_time_ns()
        for _ in range(batch):
            run()
        times.append((time.thread_time_ns() - start) / batch)
    return statistics.median(times)


def measured(library, operation, texts):
    if operation == "parse":
        def run():
            return str(library.parse(texts[0]))
    else:
        function = library.operations[operation]
        operands = [operand(library, text) for text in texts]

        def run():
            return function(*operands)

    result = str(run())
    return {"ns": median_time(run), "result": result.replace(" ", "")}


def main():
    only = sys.argv[3] if len(sys.argv) > 3 and sys.argv[2] == "--only" else None
    libraries = []
    for load in (pycute_library, tensor_layouts_library):
        try:
            libraries.append(load())
        except ImportError as error:
            print(f"left out: {error}", file=sys.stderr)
    for line in open(sys.argv[1], encoding="utf-8"):
        if line.startswith("#") or not line.strip():
            continue
        case, operation, *texts = line.rstrip("\n").split("\t")
        if only not in (None, case):
            continue
        for library in libraries:
            record = {"case": case, "library": library.name}
            try:
                record.update(measured(library, operation, texts))
            except Exception as error:  # a refusal of the library, whatever its type
                record["refused"] = f"{type(error).__name__}: {error}"
            print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
