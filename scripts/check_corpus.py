#!/usr/bin/env python3
"""Compares poses with those other programs computed, where the corpus beside the checkout is there.

Every model of ../shared/oracle/conformance.json must agree, and every glTF model of open.json but
the known differences below. Without the corpus it says so and succeeds.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
MARROW = pathlib.Path(os.environ.get("BUILD", "build")) / "marrow"
KNOWN = {
    "interpolationtest": "its times are rounded to 8 digits, which moves two of them across STEP keys",
}


def run(oracle, models, only=()):
    """The last line of the check, and the names that failed."""
    command = [sys.executable, SHARED / "tools/check_oracle.py", "--marrow", MARROW.resolve(),
               "--oracle", oracle, "--models", models]
    if only:
        command += ["--only", ",".join(only)]
    text = subprocess.run(command, capture_output=True, text=True).stdout
    lines = text.splitlines() or ["no answer"]
    return lines[-1], {m[1]: line for line in lines if (m := re.match(r"FAIL (\S+)", line))}


def main():
    if not (SHARED / "tools/check_oracle.py").exists():
        print("corpus: skipped, there is no ../shared")
        return 0
    last, failed = run(SHARED / "oracle/conformance.json", SHARED / "conformance")
    print("corpus, conformance:", last)
    open_json = SHARED / "oracle/open.json"
    models = json.loads(open_json.read_text())
    names = [n for n, m in models.items() if m["file"].endswith((".gltf", ".glb"))]
    last, more = run(open_json, SHARED / "models", names)
    print("corpus, glTF models:", last)
    for name in sorted(set(KNOWN) & set(more)):
        print(f"corpus, known difference: {name}: {KNOWN[name]}")
    unknown = {**failed, **{n: line for n, line in more.items() if n not in KNOWN}}
    for line in unknown.values():
        print(line)
    return 1 if unknown else 0


sys.exit(main())
