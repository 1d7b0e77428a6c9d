#!/usr/bin/env python3
"""Adds an option to the table of options in a copy of the tree, builds it, and finds the option.

    scripts/check_new_option.py [--build DIR] [--make MAKE]

What has to be touched for an option is CHANGES below, and src/README.md names these files under "An
option"; the last of them is for a default that is not 0. The copy lies in DIR/new-option and begins
with the objects of DIR. The option must be on the command line, with its range and with what its row
says of others; in --help, with its default; a key of suites; and nothing to other commands.
tests/new_option.c looks at settings, among more rows than a word has bits. Takes DIR/marrow to be
built.
"""
import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A file, what the new lines come behind, and the lines.
CHANGES = [
    ("src/options/table.c", r'    ROW\("wrap", (?:.*\n)+?.*\),\n', """
    ROW_WITH("scratch", 0, "N", "an option more",
        ANIMATION, POSING, INTEGER, animation.scratch, RANGE(1, 9), .needs = "clip",
        .excludes = "png"),
"""),
    ("include/marrow/options.h", r"typedef struct mrw_animation_settings \{\n",
     "    uint32_t scratch;\n"),
    ("src/options/settings.c", r"    settings->animation\.fps = .*\n",
     "    settings->animation.scratch = 5;\n"),
]
# More rows, for tests/new_option.c.
MANY = "".join(f'    ROW("scratch-{i:03}", 0, NULL, "an option more",\n'
               '        OUTPUT, "render ", FLAG, output.dry_run),\n' for i in range(150))


def fail(text):
    sys.exit(f"check_new_option: {text}")


def copy_tree(build, copy):
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in ["include", "src", "tests", "assets"]:
        shutil.copytree(ROOT / name, copy / name)  # keeps times
    shutil.copy2(ROOT / "Makefile", copy)
    for name in ["obj", "flags", "prefix"]:
        source = build / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, copy / "build" / name)
    shutil.copy2(copy / "tests/new_option.c", copy / "tests/test_new_option.c")


def change(copy):
    section = (ROOT / "src/README.md").read_text().split("**An option.**")[1].split("\n**A ")[0]
    for name, pattern, added in CHANGES:
        path = copy / name
        text = path.read_text()
        found = re.search(pattern, text)
        if not found:
            fail(f"{name} has no such place: {pattern}")
        path.write_text(text[: found.end()] + added + text[found.end() :])
        if name.removeprefix("include/").removeprefix("src/") not in section:
            fail(f'src/README.md does not name {name} under "An option"')
    table = copy / "src/options/table.c"
    text = table.read_text()
    end = "};\n/* clang-format on */"
    table.write_text(text.replace(end, MANY + end))


def look(marrow, folder):
    def said(*arguments):
        done = subprocess.run([marrow, *arguments], cwd=folder, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def expect(status, part, *arguments):
        got, text = said(*arguments)
        if got != status or part not in " ".join(text.split()):
            fail(f"marrow {' '.join(arguments)}: status {got} for {status}, no '{part}' in:\n{text}")

    draw = ["render", "demo:tentacle", "--size", "16", "-o", "a.png"]
    expect(0, "--scratch N an option more [5]", "render", "--help", "--all")
    expect(0, "a.png", *draw, "--clip", "0", "--scratch", "7")
    expect(2, "--scratch '10': expected a whole number from 1 to 9", *draw, "--scratch", "10")
    expect(2, "--scratch changes nothing without --clip", *draw, "--scratch", "7")
    expect(2, "--scratch and --png exclude each other", *draw, "--clip", "0", "--scratch", "7",
           "--png", "best")
    expect(2, "--scratch is given twice, '7' and '8'", *draw, "--scratch", "7", "--scratch=8")
    expect(2, "did you mean --scratch", *draw, "--scrach", "7")
    expect(2, "it belongs to `render`, `sheet`, `bake`, `pick` and `diff`", "info", "demo:tentacle", "--scratch", "7")
    case = "[a]\nmodel = demo:tentacle\nclip = 0\nsize = 16\n"
    for value, status, part in [("7", 0, "suites/a.3 suites/a.7"), ("10", 2, "expected a whole number")]:
        (folder / "suite.ini").write_text(f"{case}scratch = 3, {value}\n")
        expect(status, part, "test", "--list", ".")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--make", default="make")
    options = parser.parse_args()
    build = options.build.resolve()
    copy = build / "new-option"
    copy_tree(build, copy)
    change(copy)
    made = subprocess.run([*shlex.split(options.make), "--no-print-directory", "-C", str(copy),
                           "BUILD=build", "build/marrow", "build/tests/new_option"],
                          close_fds=False)  # make shares its jobs
    if made.returncode != 0:
        fail("the copy does not build")
    if subprocess.run([copy / "build/tests/new_option"], cwd=copy).returncode != 0:
        fail("tests/new_option.c fails")
    suites = copy / "suites"
    suites.mkdir()
    look(copy / "build/marrow", suites)
    shutil.rmtree(copy)
    names = [name for name, _, _ in CHANGES]
    print(f"a new option touches {len(names)} files: " + ", ".join(names))


if __name__ == "__main__":
    main()
