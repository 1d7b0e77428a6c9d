#!/usr/bin/env python3
"""Checks that the rooms of src/ use each other one way only, as the table below says.

    scripts/check_layers.py [ROOT]                    their includes
    scripts/check_layers.py [ROOT] --build DIR        and the symbols of the objects built there
    scripts/check_layers.py [ROOT] --build DIR --names    symbols whose names do not say their room
    scripts/check_layers.py --self-test               sees each fault in a small tree made for it

A public header marrow/NAME.h counts as the room NAME, but for those of HEADERS. Symbols see what
includes do not: a prototype written by hand, a private function of a room whose header may be
included for another. Prints each fault and exits with 1 when there is one.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# Public headers that are not called like their room.
HEADERS = {
    "aov": "frame", "clips": "retarget", "codecs": "image", "legend": "frame", "json": "base",
    "models": "session",
    "raster": "shade", "settings": "options", "text": "base",
}
MAY = {
    "base": set(),
    "image": {"base"},
    "skin": {"base"},
    "overlay": {"base", "image"},
    "view": {"base"},
    "options": {"base"},
    "output": {"base", "image", "overlay"},
    "light": {"base", "image", "view"},
    "scene": {"base", "image"},
    "retarget": {"anim", "base", "image", "scene"},
    "shade": {"base", "image", "light"},
    "raster": {"base", "image", "light", "shade"},
    "compare": {"base", "image"},
    "anim": {"base", "scene"},
    "sandbox": {"base"},
    "load": {"base", "image", "sandbox", "scene"},
    "import": {"base", "image", "load", "sandbox", "scene"},
    "frame": {"anim", "base", "image", "light", "overlay", "raster", "scene", "shade", "skin", "view"},
    "bake": {"anim", "base", "frame", "image", "retarget", "scene", "skin", "view"},
    "session": {
        "anim", "base", "compare", "frame", "image", "light", "load", "options", "retarget", "scene",
        "shade", "skin", "view",
    },
    "suite": {"base", "options", "scene", "session", "shade"},
    "report": {"base", "compare", "image"},
    "simple": {"anim", "bake", "base", "explain", "frame", "image", "options", "output", "plan",
               "scene", "session"},
    "plan": {"base", "bake", "frame", "image", "options", "output", "scene", "session", "shade"},
    "explain": {"base", "image", "scene"},
    "diff": {
        "anim", "base", "compare", "explain", "frame", "image", "load", "options", "report", "scene", "session",
        "view",
    },
    "golden": {
        "anim", "base", "compare", "explain", "frame", "image", "load", "options", "report", "scene",
        "session", "shade", "suite",
    },
}
# Rooms that only a helper program holds: the library has none of them.
HELPERS = {"import"}
# The command: these rooms see public headers, and of private ones those of these.
COMMAND = {
    "cli": {"bench", "gl", "help", "host", "viewer"},
    "bench": set(),
    "gl": {"viewer"},
    "help": {"gl", "viewer"},
    "host": {"gl"},
    "viewer": {"overlay"},
}
# Libraries that only some files may see: the library and the command never link them.
ONLY = {
    "assimp": re.compile(r"src/import/\w+\.[ch]$"),
    "draco": re.compile(r"src/import/\w+\.cc$"),
    "OpenEXR": re.compile(r"src/image/\w+\.[ch]$"),
    "gif_lib": re.compile(r"src/image/\w+\.[ch]$"),
    "jpeglib": re.compile(r"src/image/jpeg\w*\.[ch]$"),
    "webp": re.compile(r"src/image/\w+\.[ch]$"),
    "utf8proc": re.compile(r"src/base/utf8\.c$"),
    "qoi": re.compile(r"src/image/\w+\.[ch]$"),
    "seccomp": re.compile(r"src/sandbox/\w+\.[ch]$"),
    "epoxy": re.compile(r"src/gl/\w+\.[ch]$"),
    "EGL": re.compile(r"src/gl/\w+\.[ch]$"),
    "GL": re.compile(r"src/gl/\w+\.[ch]$"),
    "GLFW": re.compile(r"src/gl/\w+\.[ch]$"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)


def room_of(path):
    """src/room/file.c -> room; include/marrow/room.h -> room; None for a file outside of rooms."""
    parts = path.parts
    if parts[0] == "include":
        return HEADERS.get(path.stem, path.stem)
    return parts[1] if len(parts) > 2 else None


def target_of(include, root, path):
    """The room an include leads to, and whether it is a public header; None for the system's."""
    if include.startswith("marrow/"):
        name = pathlib.Path(include).stem
        return HEADERS.get(name, name), True
    for folder in (path.parent, "src"):  # where the compiler looks, the root of src included
        found = pathlib.Path(os.path.normpath(root / folder / include))
        if found.is_file() and found.is_relative_to(root):
            found = found.relative_to(root)
            return room_of(found) or "the root of src", found.parts[0] == "include"
    first = include.split("/")[0]
    if "/" in include and (first in MAY or first in COMMAND):
        return first, False
    return None, False


def faults(root):
    files = sorted([*(root / "src").rglob("*.[ch]"), *(root / "src").rglob("*.cc"), *(root / "include").rglob("*.h")])
    for file in files:
        path = file.relative_to(root)
        room = room_of(path)
        if not room:
            yield f"{path}: belongs to no room: files lie in src/ROOM/"
            continue
        for include in INCLUDE.findall(file.read_text()):
            library = re.split(r"[/.]", include)[0]
            if library in ONLY and not ONLY[library].match(str(path)):
                yield f"{path}: only {ONLY[library].pattern} may include '{include}'"
            if path.parts[0] == "include":
                name = pathlib.Path(include).stem if (file.parent / include).exists() else None
                target = HEADERS.get(name, name)
                bad = target and room != "marrow" and target not in MAY[room] | {room}
            else:
                target, public = target_of(include, root, path)
                if room in COMMAND:
                    bad = target and not public and target not in COMMAND[room] | {room}
                else:
                    bad = target and target not in MAY.get(room, set()) | {room}
            if bad:
                yield f"{path}: room '{room}' may not include '{include}'"


# ---- symbols ------------------------------------------------------------------------------------


def symbols(root, build):
    """{source: (symbols it defines for others, symbols it takes from others)}"""
    objects = {}
    for source in sorted([*(root / "src").rglob("*.c"), *(root / "src").rglob("*.cc")]):
        path = source.relative_to(root)
        built = (build / "obj" / path).with_suffix(".o")
        if built.is_file():
            objects[str(built)] = path
    if not objects:
        sys.exit(f"check_layers: no objects in {build}/obj/src: build first")
    listed = subprocess.run(["nm", "-A", "-P", "-g", *objects], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    found = {path: (set(), set()) for path in objects.values()}
    for line in listed.splitlines():
        built, _, entry = line.partition(": ")
        name, kind = entry.split()[:2]
        found[objects[built]][kind in "Uwv"].add(name)
    return found


def symbol_faults(root, build):
    found = symbols(root, build)
    owner = {name: path for path, (defined, _) in found.items() for name in defined}
    for path, (_, used) in found.items():
        room = room_of(path)
        for name in sorted(used):
            if name not in owner:
                if re.match("mrwi?_", name):
                    yield f"{path}: '{name}' is defined nowhere"
                continue
            target = room_of(owner[name])
            may = MAY.get(room, set()) | COMMAND.get(room, set()) | {room}
            if target not in may and not (room in COMMAND and name.startswith("mrw_")):
                yield f"{path}: room '{room}' may not use '{name}' of {owner[name]}"


def name_faults(root, build):
    """mrw_NAME is public; what else leaves its file is called mrwi_ROOM_NAME, in the command
    ROOM_NAME. A folder within a room may stand for it."""
    for path, (defined, _) in symbols(root, build).items():
        rooms = [*path.parts[1:-1]] or [room_of(path) or ""]
        program = rooms[0] in COMMAND and rooms[0] not in MAY
        begins = "|".join(f"{room}_" if program else f"mrwi_{room}(_|$)|mrw_" for room in rooms)
        for name in sorted(defined):
            linkage = name.startswith(("_Z", "DW.ref."))  # what C++ itself makes of templates, of catch
            if name != "main" and not linkage and not re.match(begins, name):
                yield f"{path}: '{name}' does not say its room '{rooms[0]}'"


# ---- the check of the check ---------------------------------------------------------------------

# A tree in which nothing is wrong, then what each fault adds to it and the line that tells it.
SOUND = {
    "include/marrow/base.h": "int mrw_base(void);\n",
    "include/marrow/scene.h": '#include "base.h"\nint mrw_scene(void);\n',
    "src/base/base.h": "int mrwi_base_one(void);\n",
    "src/base/base.c": '#include "base/base.h"\n#include "marrow/base.h"\n'
                       "static int own(void) { return 1; }\n"
                       "int mrwi_base_one(void) { return own(); }\n"
                       "int mrw_base(void) { return 2; }\n",
    "src/scene/scene.c": '#include "base/base.h"\n#include "marrow/scene.h"\n'
                         "int mrw_scene(void) { return mrwi_base_one(); }\n",
    "src/cli/cli.h": "int cli_other(void);\n",
    "src/cli/other.c": '#include "cli.h"\nint cli_other(void) { return 0; }\n',
    "src/cli/main.c": '#include "cli.h"\n#include "marrow/scene.h"\n'
                      "int main(void) { return cli_other() + mrw_scene(); }\n",
}
FAULTY = [
    ({"src/frame.h": "", "src/base/a.c": '#include "frame.h"\n'},
     "src/base/a.c: room 'base' may not include 'frame.h'"),
    ({"src/scene/a.h": "", "src/base/a.c": '#include "../scene/a.h"\n'},
     "src/base/a.c: room 'base' may not include '../scene/a.h'"),
    ({"src/base/a.c": '#include "marrow/scene.h"\n'},
     "src/base/a.c: room 'base' may not include 'marrow/scene.h'"),
    ({"include/marrow/image.h": '#include "scene.h"\n'},
     "include/marrow/image.h: room 'image' may not include 'scene.h'"),
    ({"src/cli/a.c": '#include "base/base.h"\n'},
     "src/cli/a.c: room 'cli' may not include 'base/base.h'"),
    ({"src/base/a.c": "#include <assimp/scene.h>\n"},
     f"src/base/a.c: only {ONLY['assimp'].pattern} may include 'assimp/scene.h'"),
    ({"src/base/a.c": "int mrw_scene(void);\nint mrwi_base_a(void) { return mrw_scene(); }\n"},
     "src/base/a.c: room 'base' may not use 'mrw_scene' of src/scene/scene.c"),
    ({"src/cli/a.c": "int mrwi_base_one(void);\nint cli_a(void) { return mrwi_base_one(); }\n"},
     "src/cli/a.c: room 'cli' may not use 'mrwi_base_one' of src/base/base.c"),
    ({"src/scene/a.c": "int cli_other(void);\nint mrw_a(void) { return cli_other(); }\n"},
     "src/scene/a.c: room 'scene' may not use 'cli_other' of src/cli/other.c"),
    ({"src/scene/a.c": "int mrwi_base_two(void);\nint mrw_a(void) { return mrwi_base_two(); }\n"},
     "src/scene/a.c: 'mrwi_base_two' is defined nowhere"),
    ({"src/scene/a.c": "int mrwi_base_two(void) { return 0; }\n"},
     "src/scene/a.c: 'mrwi_base_two' does not say its room 'scene'"),
    ({"src/scene/a.c": "int two(void) { return 0; }\n"},
     "src/scene/a.c: 'two' does not say its room 'scene'"),
    ({"src/scene/a.c": "int mrwi_counter;\n"},
     "src/scene/a.c: 'mrwi_counter' does not say its room 'scene'"),
    ({"src/cli/a.c": "int helper(void) { return 0; }\n"},
     "src/cli/a.c: 'helper' does not say its room 'cli'"),
]


def faults_in(tree):
    """All faults of a tree given as {path: text}, which is compiled as far as it compiles."""
    with tempfile.TemporaryDirectory(prefix="check_layers") as folder:
        root = pathlib.Path(folder).resolve()
        for path, text in tree.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        build = root / "build"
        for path in tree:
            built = (build / "obj" / path).with_suffix(".o")
            if path.endswith(".c") and "assimp" not in tree[path]:
                built.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-c", "-Iinclude",
                                "-Isrc", "-o", built, path], cwd=root, check=True)
        return [*faults(root), *symbol_faults(root, build), *name_faults(root, build)]


def self_test():
    wrong = [f"the sound tree: {fault}" for fault in faults_in(SOUND)]
    for change, told in FAULTY:
        found = faults_in(SOUND | change)
        if told not in found:
            wrong.append(f"not seen: {told}; but: {found}")
    for line in wrong:
        print(line)
    print(f"check_layers: sees {len(FAULTY)} faults" if not wrong else "check_layers: broken")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--build", type=pathlib.Path, help="the folder of a finished build")
    parser.add_argument("--names", action="store_true", help="list names that do not say their room")
    parser.add_argument("--self-test", action="store_true")
    asked = parser.parse_args()
    if asked.self_test:
        return self_test()
    if asked.names and not asked.build:
        parser.error("--names looks at the objects of --build DIR")
    root = asked.root.resolve()
    if asked.names:
        found = list(name_faults(root, asked.build))
    else:
        found = list(faults(root))
        if asked.build:
            found += [*symbol_faults(root, asked.build), *name_faults(root, asked.build)]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
