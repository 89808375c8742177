"""Checks `check --format sarif` against the schema of SARIF 2.1.0.

    python3 tests/conformance/sarif.py BINARY SCHEMA

A log with findings, fixes and related places, one without any finding, and one of what cannot be
read are valid; and the check can fail: a log that is made invalid is refused.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import fastjsonschema


def log_of(binary, *paths):
    command = [binary, "check", *map(str, paths), "--format", "sarif"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return json.loads(done.stdout)


def main(binary, schema):
    validate = fastjsonschema.compile(json.loads(Path(schema).read_text(encoding="utf-8")))
    failed = False

    def report(name, reason):
        nonlocal failed
        failed = failed or reason is not None
        print(f"ok {name}" if reason is None else f"not ok {name}: {reason}")

    def violation(log):
        try:
            validate(log)
        except fastjsonschema.JsonSchemaException as error:
            return str(error)
        return None

    with tempfile.TemporaryDirectory() as scratch:
        right = Path(scratch, "right one.cu")
        right.write_text("int main() {}\n", encoding="utf-8")
        logs = {
            "the examples": log_of(binary, "examples"),
            "a file without a finding": log_of(binary, right),
            "a file that is not there": log_of(binary, Path(scratch, "absent.cu")),
        }
    for name, log in logs.items():
        report(f"sarif of {name}", violation(log))
    results = logs["the examples"]["runs"][0]["results"]
    wanted = {"fixes", "relatedLocations"}
    shown = {key for result in results for key in result if result[key]}
    report("the examples show fixes and related places", None if wanted <= shown else str(shown))
    spoilt = logs["the examples"]
    spoilt["runs"][0]["results"][0]["level"] = "dreadful"
    report("an invalid log is refused", None if violation(spoilt) else "it was taken for valid")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
