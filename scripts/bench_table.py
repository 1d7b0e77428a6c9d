#!/usr/bin/env python3
"""Puts what `marrow bench` says into the README, between its two markers.

    scripts/bench_table.py            run it, which takes about two minutes, and write the README
    scripts/bench_table.py --check    compare the README's rows (names and work, not figures) with
                                      those the command has

The program is $BUILD/marrow, or build/marrow. Run it on a machine that does nothing else.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
MARROW = ROOT / os.environ.get("BUILD", "build") / "marrow"
FIRST, LAST = "<!-- marrow bench -->\n", "<!-- end of marrow bench -->\n"


def ask(*arguments):
    done = subprocess.run([MARROW, "bench", *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"bench_table: marrow bench ended with {done.returncode}")
    return done.stdout


def split(text):
    """The README before, between and behind the markers."""
    before, first, rest = text.partition(FIRST)
    table, last, behind = rest.partition(LAST)
    if not first or not last:
        sys.exit(f"bench_table: README.md lacks '{FIRST.strip()}' or '{LAST.strip()}'")
    return before, table, behind


def table_rows(table):
    """(name, work) of each row but the heads."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in table.splitlines() if line.startswith("| ")]
    return [(row[0], row[1]) for row in cells if row[0] != "row"]


def check(table):
    wanted = [tuple(part.strip() for part in line.split(None, 1))
              for line in ask("--list").splitlines()]
    found = table_rows(table)
    if found != wanted:
        odd = [name for name, _ in set(found) ^ set(wanted)] or ["their order"]
        sys.exit("README: its table of speed is not of the rows that marrow bench has "
                 f"({', '.join(sorted(set(odd)))}); make bench-table writes it anew")
    print(f"README: the {len(found)} rows of its table are those of marrow bench")


def main():
    before, table, behind = split(README.read_text())
    if sys.argv[1:] == ["--check"]:
        check(table)
    elif not sys.argv[1:]:
        README.write_text(before + FIRST + ask() + LAST + behind)
    else:
        sys.exit(__doc__)


main()
