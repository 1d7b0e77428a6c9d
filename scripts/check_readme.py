#!/usr/bin/env python3
"""Runs what the README shows, so that it stays true.

- The C program compiles against libmarrow.a and libmarrow.so and writes its picture with each.
- Every `marrow ...` line of its shell examples ends with the status it should (0), in a scratch
  folder; those of videos only where there is an ffmpeg.
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
LIBS = ["-lcjson", "-lmeshoptimizer", "-ldeflate", "-linih", "-lOpenEXRCore", "-lm"]


def blocks(text, language):
    return re.findall(r"^```%s\n(.*?)^```" % language, text, re.M | re.S)


def run(command, folder, **more):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"README: {command if isinstance(command, str) else shlex.join(command)}\n"
                 f"ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def check_program(source, folder):
    lines = len(source.strip().splitlines())
    if lines > 40:
        sys.exit(f"README: the C program has {lines} lines; it promises 40")
    (folder / "readme.c").write_text(source)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "readme.c"]
    if os.environ.get("SANITIZE"):  # as the library was built: a program brings the runtime
        flags.append(f"-fsanitize={os.environ['SANITIZE']}")
    for library in ("static", "shared"):
        program = folder / library
        link = ([str(BUILD / "libmarrow.a"), *LIBS] if library == "static" else
                [str(BUILD / "libmarrow.so"), f"-Wl,-rpath,{folder}"])
        if library == "shared":
            (folder / "libmarrow.so.1").symlink_to(BUILD / "libmarrow.so")
        run([*compiler, *flags, "-o", str(program), *link, "-fopenmp"], folder)
        run([str(program)], folder)
        pictures = list(folder.glob("*.png"))
        if not pictures:
            sys.exit("README: the C program wrote no picture")
        for picture in pictures:
            picture.unlink()


def check_commands(text, folder):
    environment = dict(os.environ, PATH=f"{BUILD}:{os.environ['PATH']}")
    for name in ("CI", "GITHUB_ACTIONS"):  # the README is read at a desk
        environment.pop(name, None)
    commands = [line for block in blocks(text, "sh") for line in block.splitlines()
                if line.startswith("marrow ")]
    if not shutil.which("ffmpeg"):
        commands = [line for line in commands if not re.search(r"ffmpeg|\.mp4", line)]
    if not commands:
        sys.exit("README: no marrow commands found")
    for command in commands:
        run(command, folder, shell=True, env=environment)
    return len(commands)


def main():
    text = (ROOT / "README.md").read_text()
    programs = blocks(text, "c")
    if len(programs) != 1:
        sys.exit(f"README: {len(programs)} C programs instead of one")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for asset in (ROOT / "assets").glob("*.*"):
            shutil.copy(asset, folder)
        check_program(programs[0], folder)
        count = check_commands(text, folder)
    print(f"README: the C program and {count} commands work")


main()
