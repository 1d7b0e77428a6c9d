#!/usr/bin/env python3
"""Lists the pixel hashes of every model below some folders, to compare them with another build's.

    scripts/pixel_list.py --marrow BIN --models DIR [--models DIR...] --out LIST [-j N]
    scripts/pixel_list.py --compare BEFORE AFTER

Every file below DIR is offered to the command as a model, of whatever format. One line a picture:

    MODEL <tab> FRAME <tab> HASH

MODEL is the path below DIR with the name of DIR before it. FRAME is the number among four pictures
spread over the first clip, or `rest` for a model that has none. HASH is the pixel hash that marrow
reports. A file that does not draw has one line, with `-` in place of the frame and the exit status
in place of the hash.

The list belongs outside of the tree: the models are not the project's. Comparing prints each line
that differs and ends with 1 when there is one; an empty list is a fault and not equal to anything.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

OPTIONS = ["--count", "4", "--size", "320x240", "--allow-format", "all", "-j", "1", "--json"]
TIMEOUT = 180  # seconds a model


def render(marrow, model):
    """The exit status, or "timeout", and the pictures that --json names."""
    with tempfile.TemporaryDirectory(prefix="pixel_list") as folder:
        command = [marrow, "render", model, "-o", f"{folder}/{{frame:04}}.png", *OPTIONS]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return "timeout", []
    if done.returncode != 0:
        return f"exit {done.returncode}", []
    return "drawn", json.loads(done.stdout)["pictures"]


def lines_of(marrow, root, model):
    name = f"{root.name}/{model.relative_to(root)}"
    told, pictures = render(marrow, model)
    if not pictures:
        return [f"{name}\t-\t{told}"]
    if pictures[0]["clip"] is None:  # all four are the same
        return [f"{name}\trest\t{pictures[0]['pixel_hash']}"]
    return [f"{name}\t{picture['frame']}\t{picture['pixel_hash']}" for picture in pictures]


def write_list(marrow, roots, out, workers):
    models = [(root, file) for root in roots for file in sorted(root.rglob("*")) if file.is_file()]
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(lambda entry: lines_of(marrow, *entry), models))
    lines = [line for some in found for line in some]
    out.write_text("".join(line + "\n" for line in lines))
    drawn = sum(not some[0].split("\t")[1] == "-" for some in found)
    print(f"{len(models)} files, {drawn} drawn, {len(lines) - (len(models) - drawn)} pictures: {out}")


def read_list(path):
    """{(model, frame): hash}"""
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    if not lines:
        sys.exit(f"pixel_list: {path} is empty")
    return {(model, frame): told for model, frame, told in lines}


def compare(before, after):
    old, new = read_list(before), read_list(after)
    differ = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    for key in differ:
        print(f"{key[0]}, frame {key[1]}: {old.get(key, 'not there')} -> {new.get(key, 'not there')}")
    print(f"{len(old)} and {len(new)} lines, {len(differ)} differ")
    return 1 if differ else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--marrow", type=pathlib.Path, help="the command")
    parser.add_argument("--models", type=pathlib.Path, action="append", help="a folder of models")
    parser.add_argument("--out", type=pathlib.Path, help="the list to write")
    parser.add_argument("-j", type=int, default=2, help="models at once")
    parser.add_argument("--compare", type=pathlib.Path, nargs=2, metavar=("BEFORE", "AFTER"))
    asked = parser.parse_args()
    if asked.compare:
        return compare(*asked.compare)
    if not (asked.marrow and asked.models and asked.out):
        parser.error("--marrow, --models and --out belong together")
    for folder in asked.models:
        if not folder.is_dir():
            parser.error(f"{folder}: not a folder")
    write_list(asked.marrow.resolve(), [folder.resolve() for folder in asked.models], asked.out,
               asked.j)
    return 0


if __name__ == "__main__":
    sys.exit(main())
