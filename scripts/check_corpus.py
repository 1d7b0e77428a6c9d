#!/usr/bin/env python3
"""Compares poses with those other programs computed, where the corpus beside the checkout is there.

Every model of ../shared/oracle/conformance.json must agree, and every model of open.json but the
known differences below. One model of each format, imported in five fresh processes, must give one
scene hash. Without the corpus it says so and succeeds.
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
    "multianim-fbx": "its reference plays the whole file in every stack",
    "interpolationtest": "its times are rounded to 8 digits, which moves two of them across STEP keys",
}


def run(oracle, models):
    """The last line of the check, and the names that failed."""
    command = [sys.executable, SHARED / "tools/check_oracle.py", "--marrow", MARROW.resolve(),
               "--oracle", oracle, "--models", models]
    text = subprocess.run(command, capture_output=True, text=True).stdout
    lines = text.splitlines() or ["no answer"]
    return lines[-1], {m[1]: line for line in lines if (m := re.match(r"FAIL (\S+)", line))}


FORMATS = (".gltf", ".glb", ".fbx", ".dae", ".b3d", ".bvh", ".ms3d", ".smd", ".obj", ".m3d", ".x",
           ".md5mesh", ".mesh", ".mdl")


def scene_hash(path):
    """The hash of a model in a process of its own; None when it is refused."""
    command = [MARROW.resolve(), "info", path, "--json", "--allow-format", "all"]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout)["scene_hash"] if done.returncode == 0 else None


def unsteady_formats():
    """Formats whose largest readable model has no single hash, or that have none."""
    files = sorted((SHARED / "models").rglob("*"), key=lambda f: f.stat().st_size, reverse=True)
    for ending in FORMATS:
        same = [f for f in files if f.suffix.lower() == ending and scene_hash(f)]
        if not same or len({scene_hash(same[0]) for _ in range(5)}) != 1:
            yield ending


def main():
    if not (SHARED / "tools/check_oracle.py").exists():
        print("SKIPPED corpus: there is no ../shared")
        return 0
    last, failed = run(SHARED / "oracle/conformance.json", SHARED / "conformance")
    print("corpus, conformance:", last)
    last, more = run(SHARED / "oracle/open.json", SHARED / "models")
    print("corpus, all formats:", last)
    for name in sorted(set(KNOWN) & set(more)):
        print(f"corpus, known difference: {name}: {KNOWN[name]}")
    unknown = {**failed, **{n: line for n, line in more.items() if n not in KNOWN}}
    for line in unknown.values():
        print(line)
    unsteady = list(unsteady_formats())
    print(f"corpus, one hash in five processes: {len(FORMATS) - len(unsteady)} of {len(FORMATS)} formats")
    for ending in unsteady:
        print(f"{ending}: no readable model, or not the same scene each time")
    return 1 if unknown or unsteady else 0


sys.exit(main())
