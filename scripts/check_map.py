#!/usr/bin/env python3
"""Checks that what src/README.md and src/STYLE.md name is there.

    scripts/check_map.py [ROOT]
    scripts/check_map.py --self-test    sees each fault in a small tree made for it

In backquotes: a path must exist, from the root, src/ or include/; a bare `name.c` in any folder. A
name in C's form with an underscore must be a word of the code. A name with its file, as in
`mrw_sample` (`anim/sample.c`) or (`mrw_sample`, `anim/sample.c`), must be a word of that file, and
if it has an underscore and the file is a .c file, be defined there. The list of headers in
src/help/library.md must be that of include/marrow. Prints each fault with its line and exits with 1
when there is one.
"""
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
import c_text  # noqa: E402

PAGES = ("src/README.md", "src/STYLE.md")
QUOTED = re.compile(r"`([^`]+)`")
# `name` (`file`) and (`name`, `file`)
PAIR = re.compile(r"`(\w+)`(?:\s+\(|,\s+)`([\w./]+\.\w+)`(?=[,;)])")
PATH = re.compile(r"[\w-]+(/[\w.-]+)*\.(c|h|cc|py|sh|md|glsl|frag|vert|limits|ini)")
NAME = re.compile(r"[A-Za-z]\w*_\w+")
FOLDERS = ("src", "include", "tests", "scripts")
# Patterns of names, endings of files, and files of other projects.
NOT_OURS = re.compile(r"mrwi?_(noun|room)|MRWI?_(CONSTANT|ROOM)|(cli|bench)_noun|snake_case|_default$|NAME|"
                      r"^name\.c$|^_|^(suite\.ini|mesh_to_world)$|^src/(pager|rax)\.c$|^include/box2d/")


def files_of(root):
    return [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
            if path.is_file() and path.suffix not in {".png", ".pyc"}]


def words_of(path):
    text = path.read_text(errors="replace")
    code = c_text.without_comments(text) if path.suffix in {".c", ".h", ".cc"} else text
    return set(c_text.WORD.findall(code))


def faults(root):
    files = files_of(root)
    words = {path: words_of(path) for path in files if path.suffix != ".md"}
    known = set().union(*words.values(), words_of(root / "Makefile") if (root / "Makefile").is_file() else set())
    bare = {path.name for path in files}

    def find(name):
        for base in (root, root / "src", root / "include"):
            if (base / name).is_file():
                return base / name
        return None

    for page in PAGES:
        text = (root / page).read_text()

        def line(match, text=text):
            return text.count("\n", 0, match.start()) + 1

        for match in PAIR.finditer(text):
            name, path = match[1], find(match[2])
            if not path or NOT_OURS.search(name):
                continue
            if name not in words.get(path, ()):
                yield f"{page}:{line(match)}: `{name}` is not in {path.relative_to(root)}"
            elif path.suffix == ".c" and "_" in name and not re.search(
                    rf"^\S.*\b{name}\b", path.read_text(), re.M):
                yield f"{page}:{line(match)}: `{name}` is not defined in {path.relative_to(root)}"
        for match in QUOTED.finditer(text):
            token = match[1].strip()
            if NOT_OURS.search(token) or "*" in token:
                continue
            if PATH.fullmatch(token):
                if not (find(token) or ("/" not in token and token in bare)):
                    yield f"{page}:{line(match)}: there is no file `{token}`"
            elif NAME.fullmatch(token) and token not in known:
                yield f"{page}:{line(match)}: nothing is called `{token}`"


def header_faults(root):
    listed = re.findall(r"^\| `(\w+\.h)` *\|", (root / "src/help/library.md").read_text(), re.M)
    there = {path.name for path in (root / "include/marrow").glob("*.h")} - {"marrow.h"}
    for name in sorted(there ^ set(listed)):
        yield f"src/help/library.md: {name} is {'missing' if name in there else 'not there'}"


def self_test():
    with tempfile.TemporaryDirectory(prefix="map") as folder:
        root = pathlib.Path(folder)
        for name in ("src/base", "src/help", "include/marrow"):
            (root / name).mkdir(parents=True)
        (root / "src/help/library.md").write_text("| `a.h` | a |\n| `b.h`| b |\n")
        for name in ("marrow.h", "b.h", "c.h"):
            (root / "include/marrow" / name).touch()
        (root / "src/base/a.c").write_text("int mrwi_base_one(void)\n{\n    base_four();\n}\n"
                                           "/* mrwi_base_two */\n")
        (root / "src/STYLE.md").write_text("`base/a.c` `a.c` `mrwi_base_one` (`base/a.c`) `mrwi_room_noun`\n")
        (root / "src/README.md").write_text("`base/b.c`\n`b.c`\n`mrwi_base_two`\n`three` (`base/a.c`, x)\n"
                                             "(`base_four`, `base/a.c`)\n")
        found = list(faults(root))
        headers = list(header_faults(root))
    expected = ["4: `three` is not in src/base/a.c", "5: `base_four` is not defined in src/base/a.c", "1: there is no file `base/b.c`",
                "2: there is no file `b.c`", "3: nothing is called `mrwi_base_two`"]
    if found != [f"src/README.md:{fault}" for fault in expected]:
        sys.exit(f"check_map: broken: {found}")
    if headers != ["src/help/library.md: a.h is not there", "src/help/library.md: c.h is missing"]:
        sys.exit(f"check_map: broken: {headers}")
    print(f"check_map: sees {len(expected) + len(headers)} faults")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    root = pathlib.Path(sys.argv[1] if sys.argv[1:] else ".")
    found = [*faults(root), *header_faults(root)]
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
