#!/usr/bin/env python3
"""Puts six rows of `marrow bench` into the README, between its two markers.

    scripts/bench_table.py            measure, and write the README
    scripts/bench_table.py --check    compare the README's rows (work, not figures) with the command's

The program is $BUILD/marrow, or build/marrow. Run it on a machine that does nothing else.
"""
import datetime
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
MARROW = ROOT / os.environ.get("BUILD", "build") / "marrow"
FIRST, LAST = "<!-- marrow bench -->\n", "<!-- end of marrow bench -->\n"
ROWS = ("start-cpu", "skin-30k", "pose-67", "draw-5k", "png-smooth", "character-default")


def ask(*arguments):
    done = subprocess.run([MARROW, "bench", *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"bench_table: marrow bench exits with {done.returncode}")
    return done.stdout


def split(text):
    """The README before, between and after the markers."""
    before, first, rest = text.partition(FIRST)
    table, last, after = rest.partition(LAST)
    if not first or not last:
        sys.exit(f"bench_table: README.md lacks '{FIRST.strip()}' or '{LAST.strip()}'")
    return before, table, after


def figure(value):
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def table(answer):
    machine = answer["machine"]
    lines = [f"marrow {answer['version']} on {machine['cpu'] or 'an unknown CPU'}, {machine['cores']} cores, "
             f"{machine['kernels']}; {datetime.date.today()}, by `make bench-table`. Medians of CPU time on one core.",
             "`marrow bench` measures all rows on your machine; [speed](src/help/speed.md) explains them.",
             "", "| Row | Work | marrow | For comparison |", "|---|---|---|---|"]
    for row in answer["rows"]:
        best = row["figures"][0]["median"]
        beside = ", ".join(f"{y['name']} {figure(y['median'])}" for y in row["yardsticks"])
        lines.append(f"| {row['name']} | {row['work']}, {row['unit']} | {figure(best)} | {beside} |")
    return "\n".join(lines) + "\n"


def check(text):
    listed = dict((part.strip() for part in line.split(None, 1)) for line in ask("--list").splitlines())
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
             if line.startswith("| ")][1:]
    if [(row[0], row[1]) for row in cells] != [(name, listed.get(name)) for name in ROWS]:
        sys.exit("README: the rows of its table of speed are not those of marrow bench; "
                 "`make bench-table` writes them")
    print(f"README: the {len(ROWS)} rows of its table are rows of marrow bench")


def main():
    before, text, after = split(README.read_text())
    if sys.argv[1:] == ["--check"]:
        check(text)
    elif not sys.argv[1:]:
        README.write_text(before + FIRST + table(json.loads(ask(*ROWS, "--json"))) + LAST + after)
    else:
        sys.exit(__doc__)


main()
