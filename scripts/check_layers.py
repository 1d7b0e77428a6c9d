#!/usr/bin/env python3
"""Checks that the rooms of src/ include each other one way only, as the table below says.

    scripts/check_layers.py [ROOT]

A public header marrow/NAME.h counts as the room NAME. Prints each include against the rule and exits
with 1 when there is one.
"""
import pathlib
import re
import sys

PUBLIC = {
    "anim", "base", "compare", "frame", "golden", "image", "load", "options", "raster", "scene",
    "skin", "stage", "view",
}
MAY = {
    "base": set(),
    "image": {"base"},
    "skin": {"base"},
    "view": {"base"},
    "options": {"base"},
    "scene": {"base", "image"},
    "raster": {"base", "image"},
    "compare": {"base", "image"},
    "anim": {"base", "scene"},
    "load": {"base", "image", "scene"},
    "frame": {"anim", "base", "image", "raster", "scene", "skin", "view"},
    "stage": {"anim", "base", "frame", "image", "load", "options", "raster", "scene", "skin", "view"},
    "golden": {
        "anim", "base", "compare", "frame", "image", "load", "options", "raster", "scene", "skin",
        "stage", "view",
    },
}
# Libraries that only some files may see: the library and the command never link them.
ONLY = {
    "assimp": re.compile(r"src/load/assimp_\w+\.[ch]$"),
    "seccomp": re.compile(r"src/load/helper_\w+\.[ch]$"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)


def room_of(path):
    """src/room/file.c -> room; src/frame*.c -> frame; include/marrow/room.h -> room."""
    parts = path.parts
    if parts[0] == "include":
        return path.stem
    return parts[1] if len(parts) > 2 else "frame"


def target_of(include, root, path):
    """The room an include leads to, and whether it is a public header; None for the system's."""
    if include.startswith("marrow/"):
        return pathlib.Path(include).stem, True
    first = include.split("/")[0]
    if "/" in include and (first in MAY or first in {"cli", "gl"}):
        return first, False
    if (root / path.parent / include).exists():
        return room_of(path), False
    return None, False


def faults(root):
    files = sorted([*(root / "src").rglob("*.[ch]"), *(root / "include").rglob("*.h")])
    for file in files:
        path = file.relative_to(root)
        room = room_of(path)
        for include in INCLUDE.findall(file.read_text()):
            library = re.split(r"[/.]", include)[0]
            if library in ONLY and not ONLY[library].match(str(path)):
                yield f"{path}: only {ONLY[library].pattern} may include '{include}'"
            if path.parts[0] == "include":
                target = pathlib.Path(include).stem if (file.parent / include).exists() else None
                bad = target and room != "marrow" and target not in MAY[room] | {room}
            else:
                target, public = target_of(include, root, path)
                if room in {"cli", "gl"}:
                    bad = target and not public and target != room
                else:
                    bad = target and target not in MAY.get(room, set()) | {room}
            if bad:
                yield f"{path}: room '{room}' may not include '{include}'"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = list(faults(root))
    for fault in found:
        print(fault)
    return 1 if found else 0


sys.exit(main())
