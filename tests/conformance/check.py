"""Checks recorded messages of the server against the model of the Language Server Protocol.

    pip install -r tests/conformance/requirements.txt
    CUTE_TESTS_RECORD=FOLDER cargo test -p cute-analyzer --test wire
    python3 tests/conformance/check.py FOLDER

`lsprotocol` is generated from the protocol's metaModel. Its converter is made strict here: a key
that the model does not have is a violation, as is a missing one or one of another type. Results of
the fault commands, which are the tests' own, are of any type. Of our own requests (`cute/...`) the
envelope is checked: their contents are no part of the protocol.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Union

import cattrs
from lsprotocol import converters, types

OWN = "cute/"


def strict_converter():
    converter = converters.get_converter(cattrs.Converter(forbid_extra_keys=True))

    # lsprotocol takes every action that has a `command` for a `Command`; in the model that of a
    # `Command` is a string, and that of a `CodeAction` is an object.
    def action(value, _):
        is_command = isinstance(value.get("command"), str)
        return converter.structure(value, types.Command if is_command else types.CodeAction)

    converter.register_structure_hook(Union[types.Command, types.CodeAction], action)
    return converter


def model_of(record):
    """The type that the model has for a message, and the method it belongs to."""
    message = record["message"]
    if "method" in message:
        method = message["method"]
        if method.startswith(OWN):
            return f"{method} (own)", None
        return method, types.METHOD_TO_TYPES[method][0]
    method = record["answers"]
    if "error" in message:
        return f"{method} (error)", types.ResponseErrorMessage
    if method is None:
        raise ValueError("an answer to a request that was never sent")
    if method.startswith(OWN):
        return f"{method} (own, result)", None
    return f"{method} (result)", types.METHOD_TO_TYPES[method][1]


def check_envelope(message):
    """JSON-RPC's part of a message whose contents are ours."""
    own = {"method", "params"} if "method" in message else {"id", "result"}
    if message.get("jsonrpc") != "2.0" or not message.keys() <= own | {"jsonrpc", "id"}:
        raise ValueError("not the envelope of a message")
    if not own <= message.keys():
        raise ValueError("the envelope lacks a key")


def main(folder):
    converter = strict_converter()
    seen, violations = Counter(), []
    for path in sorted(Path(folder).glob("*.jsonl")):
        # Not `splitlines`: messages contain U+2028, which it would take for the end of a line.
        lines = path.read_bytes().decode("utf-8").split("\n")
        for number, line in enumerate(filter(None, lines), 1):
            record = json.loads(line)
            try:
                method, model = model_of(record)
                if model is None:
                    check_envelope(record["message"])
                else:
                    converter.structure(record["message"], model)
                seen[method] += 1
            except Exception as error:  # noqa: BLE001: any failure is a violation
                reasons = "; ".join(cattrs.transform_error(error))
                violations.append(f"{path.name}:{number}: {reasons}: {line[:300]}")
    for method, count in sorted(seen.items()):
        print(f"# {count:8} {method}")
    for violation in violations[:50]:
        print(f"# {violation}")
    methods = {kind.split(" ")[0] for kind in seen} & types.METHOD_TO_TYPES.keys()
    verdict = "ok" if seen and not violations else "not ok"
    print(
        f"{verdict} {sum(seen.values())} messages checked, {len(methods)} methods covered, "
        f"{len(violations)} violations"
    )
    return 0 if verdict == "ok" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
