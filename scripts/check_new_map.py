#!/usr/bin/env python3
"""Adds a map to the table of maps in a copy of the tree, builds it, and finds the map.

    scripts/check_new_map.py [--build DIR] [--make MAKE]

What has to be touched for a map that files have and pictures show is CHANGES below, and src/README.md
names these files under "A map". The copy lies in DIR/new-map. It begins with the objects of DIR, so
only what sees the table or the maps of draws is compiled. tests/new_map.c looks for the map in the
reader, the hash, compiled scenes, the frame, the meshes and the pictures of all instruction sets;
`info` of the copy must tell of it, and read what DIR/marrow compiled without it. Takes DIR/marrow to
be built.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A file, what the new lines come behind, and the lines: the map's texels are added to base colours.
CHANGES = [
    ("include/marrow/scene.h", r"#define MRW_MATERIAL_MAPS\(X\)(?:.*\\\n)+.*",
     ' \\\n    X(SCRATCH, "scratch", 0, 1, 1)'),
    ("src/load/gltf_material.c", r"static const map_place places\[\] = \{\n(?:.*,\n)+",
     '    {MRW_MAP_SCRATCH, MATERIAL, "scratchTexture", NULL, 0},\n'),
    ("include/marrow/raster.h", r"    MRW_RASTER_MAP_BASE_COLOR,.*\n", "    MRW_RASTER_MAP_SCRATCH,\n"),
    ("src/raster/shade_spec.c", r"(?s)static void shade_fragment\(.*?    base_color\(.*?\n", """
    const mrw_raster_map *map = &material->maps[MRW_RASTER_MAP_SCRATCH];
    for (int k = 0; k < 3 && map->texture; k++) {
        float texel[4];
        sample_map(frame, &t, &s, map, texel);
        color[k] += texel[k] * (1.0f / 65535.0f);
    }
"""),
    ("src/raster/shade_kernel.h", r"STAGE void paint_colored_textured\((?:.*\n)+?}\n", """
STAGE void add_scratch(const work *w, block *b)
{
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        for (uint32_t k = 0; k < 3; k++) {
            float *color = colors_of(b)->channel[k] + i;
            const vf texel = vf_load(b->colors[MRW_RASTER_MAP_SCRATCH].channel[k] + i);
            vf_store(color, vf_load(color) + texel * (1.0f / 65535.0f));
        }
    }
}
"""),
    ("src/raster/shade_kernel.h", r"uint32_t wanted = painted \? BIT\(BASE_COLOR\)", " | BIT(SCRATCH)"),
    ("src/raster/shade_kernel.h", r"    add_stage\(out, paints.*\n", """
    if (out->maps >> MRW_RASTER_MAP_SCRATCH & 1u) {
        add_stage(out, add_scratch);
    }
"""),
]

PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNg+M9QAAADgQGAxLKpoQAAAABJRU5Erk"
       "Jggg==")
GLTF = {
    "asset": {"version": "2.0"},
    "images": [{"uri": "data:image/png;base64," + PNG}],
    "textures": [{"source": 0}],
    "materials": [{"name": "m", "scratchTexture": {"index": 0}, "normalTexture": {"index": 0}}],
    "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3"},
                  {"componentType": 5126, "count": 3, "type": "VEC2"}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
    "nodes": [{"mesh": 0}],
}


def fail(text):
    sys.exit(f"check_new_map: {text}")


def copy_tree(build, copy):
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in ["include", "src", "tests", "assets"]:
        shutil.copytree(ROOT / name, copy / name)  # keeps times
    shutil.copy2(ROOT / "Makefile", copy)
    for name in ["obj", "flags", "prefix"]:
        source = build / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, copy / "build" / name)
    shutil.copy2(copy / "tests/new_map.c", copy / "tests/test_new_map.c")


def change(copy):
    readme = (ROOT / "src/README.md").read_text()
    section = readme.split("**A map**")[1].split("\n**A ")[0]
    for name, pattern, added in CHANGES:
        path = copy / name
        text = path.read_text()
        found = re.search(pattern, text)
        if not found:
            fail(f"{name} has no such list: {pattern}")
        path.write_text(text[: found.end()] + added + text[found.end() :])
        if name.removeprefix("include/").removeprefix("src/") not in section:
            fail(f'src/README.md does not name {name} under "A map"')


def info(marrow, model):
    done = subprocess.run([marrow, "info", "--json", model], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{marrow} info {model}: {done.stderr}")
    return json.loads(done.stdout)


def maps_of(marrow, model):
    return [m["map"] for m in info(marrow, model)["materials"][0]["maps"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--make", default="make")
    options = parser.parse_args()
    build = options.build.resolve()
    copy = build / "new-map"
    copy_tree(build, copy)
    change(copy)
    made = subprocess.run([*shlex.split(options.make), "--no-print-directory", "-C", str(copy),
                           "BUILD=build", "build/marrow", "build/tests/new_map"],
                          close_fds=False)  # make shares its jobs
    if made.returncode != 0:
        fail("the copy does not build")
    marrow = copy / "build/marrow"
    if subprocess.run([copy / "build/tests/new_map"], cwd=copy).returncode != 0:
        fail("tests/new_map.c fails")
    model, compiled = copy / "m.gltf", copy / "m.marrow"
    model.write_text(json.dumps(GLTF))
    if maps_of(build / "marrow", model) != ["normal"]:
        fail("the map is known without the change")
    if maps_of(marrow, model) != ["normal", "scratch"]:
        fail(f"info tells of {maps_of(marrow, model)}")
    if "scratch 0" not in subprocess.run([marrow, "info", model], capture_output=True,
                                         text=True).stdout:
        fail("info without --json does not tell of the map")
    subprocess.run([build / "marrow", "compile", model, "-o", compiled], check=True,
                   stderr=subprocess.DEVNULL)
    if maps_of(marrow, compiled) != ["normal"]:
        fail("a scene that was compiled without the map is not read")
    subprocess.run([marrow, "compile", model, "-o", compiled], check=True,
                   stderr=subprocess.DEVNULL)
    if maps_of(marrow, compiled) != ["normal", "scratch"]:
        fail("the map is not compiled")
    shutil.rmtree(copy)
    files = list(dict.fromkeys(name for name, _, _ in CHANGES))
    print(f"a new map touches {len(files)} files: " + ", ".join(files))


if __name__ == "__main__":
    main()
