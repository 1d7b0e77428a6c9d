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
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
MARROW = pathlib.Path(os.environ.get("BUILD", "build")) / "marrow"
KNOWN = {
    "multianim-fbx": "its reference plays the whole file in every stack",
    "interpolationtest": "its times are rounded to 8 digits, which moves two of them across STEP keys",
}

# Pictures that are not met, by name: why, with what check_pictures.py says of them.
EXPECTED = {}


def run(oracle, models):
    """Returns the last line of the check, and the names that failed.

    The poses come from three.js, which draws straight lines between the keys of FBX curves.
    """
    with tempfile.TemporaryDirectory() as folder:
        straight = pathlib.Path(folder, "marrow")
        straight.write_text(f'#!/bin/sh\nexec "{MARROW.resolve()}" "$@" --no-fbx-curves\n')
        straight.chmod(0o755)
        command = [sys.executable, SHARED / "tools/check_oracle.py", "--marrow", straight,
                   "--oracle", oracle, "--models", models]
        text = subprocess.run(command, capture_output=True, text=True).stdout
    lines = text.splitlines() or ["no answer"]
    return lines[-1], {m[1]: line for line in lines if (m := re.match(r"FAIL (\S+)", line))}


FORMATS = (".gltf", ".glb", ".fbx", ".dae", ".b3d", ".bvh", ".ms3d", ".smd", ".obj", ".m3d", ".iqm", ".x",
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


def pictures():
    """What check_pictures.py says of each entry that counts, drawn by as many processes as there are processors."""
    tool = SHARED / "tools/check_pictures.py"
    entries = json.loads((SHARED / "pictures/pictures.json").read_text())["entries"]
    names = [e["name"] for e in entries if not e.get("optional")]
    count = min(len(names), len(os.sched_getaffinity(0)))
    command = [sys.executable, tool, "--marrow", MARROW.resolve(), "--only"]
    checks = [subprocess.Popen(command + [",".join(names[i::count])], stdout=subprocess.PIPE, text=True)
              for i in range(count)]
    text = "".join(check.communicate()[0] for check in checks)
    lines = {m[2]: line for line in text.splitlines() if (m := re.match(r"(ok|FAIL) +(\S+)", line))}
    return {name: lines.get(name, f"FAIL {name}: no answer") for name in names}


def wrong_pictures():
    """Prints how many pictures are met; gives what is not as EXPECTED has it."""
    found = pictures()
    failed = {name for name, line in found.items() if line.startswith("FAIL")}
    print(f"corpus, pictures: {len(found) - len(failed)} of {len(found)}")
    for name in sorted(failed & set(EXPECTED)):
        print(f"corpus, expected: {name}: {EXPECTED[name]}")
    wrong = [found[name] for name in sorted(failed - set(EXPECTED))]
    return wrong + [f"{name} is met, or no entry: take it off the list EXPECTED in scripts/check_corpus.py"
                    for name in sorted(set(EXPECTED) - failed)]


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
    wrong = wrong_pictures()
    for line in wrong:
        print(line)
    return 1 if unknown or unsteady or wrong else 0


sys.exit(main())
