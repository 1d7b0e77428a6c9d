#!/usr/bin/env python3
"""Runs what the README and the chapters of src/help show, so that it stays true.

- Each C program compiles against libmarrow.a and libmarrow.so, and writes a picture with each.
- Each `marrow ...` line exits with 0, in a folder with our own models; those that need ffmpeg are left
  out where it is missing. Commands of a file run in order, in one folder.
- Chapters have lines of at most 78 columns. Their blocks are indented by four spaces. A block that
  begins with `# NAME` or `/* NAME */` is written to that file.

A fault is named as FILE:LINE.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = (ROOT / os.environ.get("BUILD", "build")).resolve()
LIBS = ["-lcjson", "-lmeshoptimizer", "-ldeflate", "-linih", "-lutf8proc", "-lOpenEXRCore", "-lwebp", "-ljpeg", "-lzstd", "-lm"]
WIDTH = 78


def fail(path, line, text):
    sys.exit(f"{path.relative_to(ROOT)}:{line}: {text}")


def fenced(path):
    """(line, language, lines) of each ``` block."""
    found, block = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            if block:
                found.append(block)
            block = None if block else (number + 1, line[3:], [])
        elif block:
            block[2].append(line)
    return found


def indented(path):
    """(line, language, lines) of each block of a chapter."""
    found, block, last = [], None, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if len(line) > WIDTH:
            fail(path, number, f"{len(line)} columns; at most {WIDTH}")
        if line.startswith("    ") and (block or not re.match(r"- |  ", last)):
            block = block or (number, "sh", [])
            block[2].append(line[4:])
        elif line.startswith("    ") and line.strip().startswith("marrow "):
            fail(path, number, "Markdown takes a block after a list for its text: put a sentence between")
        elif block and not line:
            block[2].append("")
        elif block:
            found.append(block)
            block = None
        if line:
            last = line
    return found + ([block] if block else [])


def run(where, command, folder, **more):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, **more)
    if done.returncode != 0:
        shown = command if isinstance(command, str) else shlex.join(command)
        fail(*where, f"{shown}\nexits with {done.returncode}:\n{done.stdout}{done.stderr}")


def check_program(where, source, folder):
    (folder / "program.c").write_text(source)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "program.c"]
    if os.environ.get("SANITIZE"):  # as the library was built: a program brings the runtime
        flags.append(f"-fsanitize={os.environ['SANITIZE']}")
    for library in ("static", "shared"):
        program = folder / library
        link = ([str(BUILD / "libmarrow.a"), *LIBS] if library == "static" else
                [str(BUILD / "libmarrow.so"), f"-Wl,-rpath,{folder}"])
        if library == "shared":
            (folder / "libmarrow.so.1").unlink(missing_ok=True)
            (folder / "libmarrow.so.1").symlink_to(BUILD / "libmarrow.so")
        run(where, [*compiler, *flags, "-o", str(program), *link, "-fopenmp"], folder)
        before = set(folder.glob("*.png"))
        run(where, [str(program)], folder)
        pictures = set(folder.glob("*.png")) - before
        if not pictures:
            fail(*where, "the C program wrote no picture")
        for picture in pictures:
            picture.unlink()


def commands(block):
    """(line, command) of a block; lines that end in a backslash go on."""
    number, _, lines = block
    start, command = 0, ""
    for offset, line in enumerate(lines):
        start = start if command else number + offset
        command += line + "\n"
        if not line.endswith("\\"):
            if command.startswith("marrow "):
                yield start, command
            command = ""


def check(path, blocks):
    """How many programs and commands work."""
    programs = count = 0
    environment = dict(os.environ, PATH=f"{BUILD}:{os.environ['PATH']}")
    for name in ("CI", "GITHUB_ACTIONS"):  # a manual is read at a desk
        environment.pop(name, None)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for asset in (ROOT / "assets").glob("*.*"):
            shutil.copy(asset, folder)
        for block in blocks:
            line, language, lines = block
            text = "\n".join(lines).rstrip() + "\n"
            named = re.match(r"(?:# |/\* )([\w./-]+\.\w+)(?: \*/)?\n", text)
            if language == "c" or (named and named.group(1).endswith(".c")):
                check_program((path, line), text, folder)
                programs += 1
            elif named:
                target = folder / named.group(1)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
            elif language == "sh":
                for number, command in commands(block):
                    if not shutil.which("ffmpeg") and re.search(r"ffmpeg|\.(mp4|webm|mov)\b", command):
                        continue
                    run((path, number), command, folder, shell=True, executable="/bin/bash",
                        env=environment)
                    count += 1
    return programs, count


def main():
    readme = ROOT / "README.md"
    chapters = sorted((ROOT / "src" / "help").glob("*.md"))
    totals = [check(readme, fenced(readme))]
    totals += [check(path, indented(path)) for path in chapters]
    programs, count = (sum(column) for column in zip(*totals))
    if programs != 2 or count < 100 or len(chapters) < 14:  # something is not found any more
        sys.exit(f"README and chapters: {programs} C programs and {count} commands")
    print(f"README and {len(chapters)} chapters: {programs} C programs and {count} commands work")


main()
