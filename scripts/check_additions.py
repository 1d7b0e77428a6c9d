#!/usr/bin/env python3
"""Adds a map, an option and a format of pictures to a copy of the tree, and looks for all three.

    scripts/check_additions.py [--build DIR] [--make MAKE] [--only format]

MAP_CHANGES, OPTION_CHANGES and FORMAT_CHANGES below are everything that has to be touched for a map
that files contain and pictures show, for an option (the last change is for a default other than 0),
and for a format. src/README.md names these files under "A map", "An option" and "A picture format". The copy is in DIR/additions. It
starts with the objects of DIR, so only sources that see a change are compiled. DIR/marrow must be
built.

The map: tests/new_map.c looks for it in the reader, the hash, compiled scenes, the frame, the meshes
and the pictures of all instruction sets. `info` of the copy must show it, and must read what
DIR/marrow compiled without it.

The option: it must be on the command line, with its range and the rules of its row; in --help, with
its default; a key of suites; and unknown to other commands. tests/new_option.c looks at settings,
with more rows in the table than a word has bits.

The format, PPM: files and sheets have the pixels that a PAM has; help and messages list its ending;
options that it does not take are refused, and no refusal advises one of them. It may touch at most MOST_FORMAT_FILES files.
"""
import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Each change: a file, a pattern, and the text that goes behind its match.
# The map: its texels are added to base colours.
MAP_CHANGES = [
    ("include/marrow/scene.h", r"#define MRW_MATERIAL_MAPS\(X\)(?:.*\\\n)+.*",
     ' \\\n    X(SCRATCH, "scratch", 0, 1, 1)'),
    ("src/load/gltf_material.c", r"static const map_place places\[\] = \{\n(?:.*,\n)+",
     '    {MRW_MAP_SCRATCH, MATERIAL, "scratchTexture", NULL, 0},\n'),
    ("include/marrow/raster.h", r"    MRW_RASTER_MAP_BASE_COLOR,.*\n", "    MRW_RASTER_MAP_SCRATCH,\n"),
    ("src/shade/shade_spec.c", r"(?s)static void shade_fragment\(.*?    base_color\(.*?\n", """
    const mrw_raster_map *map = &material->maps[MRW_RASTER_MAP_SCRATCH];
    for (int k = 0; k < 3 && map->texture; k++) {
        float texel[4];
        sample_map(frame, &t, &s, map, texel);
        color[k] += texel[k] * (1.0f / 65535.0f);
    }
"""),
    ("src/shade/shade_kernel.h", r"STAGE void paint_colored_textured\((?:.*\n)+?}\n", """
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
    ("src/shade/shade_kernel.h", r"uint32_t wanted = painted \? BIT\(BASE_COLOR\)", " | BIT(SCRATCH)"),
    ("src/shade/shade_kernel.h", r"    add_stage\(out, paints.*\n", """
    if (state->maps >> MRW_RASTER_MAP_SCRATCH & 1u) {
        add_stage(out, add_scratch);
    }
"""),
]
# The option.
OPTION_CHANGES = [
    ("src/options/table.c", r'    ROW\("wrap", (?:.*\n)+?.*\),\n', """
    ROW_WITH("scratch", 0, "N", "an option more",
        ANIMATION, POSING, INTEGER, animation.scratch, RANGE(1, 9), .needs = "clip",
        .excludes = "png"),
"""),
    ("include/marrow/settings.h", r"typedef struct mrw_animation_settings \{\n",
     "    uint32_t scratch;\n"),
    ("src/options/defaults.c", r"    settings->animation\.fps = .*\n",
     "    settings->animation.scratch = 5;\n"),
]
# The format: PPM, which has no alpha.
FORMAT_CHANGES = [
    ("include/marrow/output.h", r"#define MRW_OUTPUT_FORMATS\(X\)(?:.*\\\n)+.*",
     ' \\\n    X(SCRATCH, scratch)'),
    ("src/output/picture.c", r"PLAIN\(pam\)\n", """
static mrw_status encode_scratch(const mrw_output_def *def, const mrw_image *image, mrw_bytes *out,
                                 mrw_error *error)
{
    mrw_text text = {0};
    (void)def;
    mrw_text_add(&text, "P6\\n%u %u\\n255\\n", image->width, image->height);
    mrw_text_put(&text, image->pixels, (size_t)image->width * image->height * 3);
    return mrw_text_take(&text, out, error);
}
"""),
    ("src/output/picture.c", r"(?s)const mrwi_output_writer mrwi_output_pam =.*?;\n", """
const mrwi_output_writer mrwi_output_scratch =
    PICTURE(encode_scratch, .name = "ppm", .endings = {".ppm"});
"""),
]
MOST_FORMAT_FILES = 5
# More rows, for tests/new_option.c.
MANY = "".join(f'    ROW("scratch-{i:03}", 0, NULL, "an option more",\n'
               '        OUTPUT, "render ", FLAG, output.dry_run),\n' for i in range(150))
TESTS = ["new_map", "new_option"]

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
    sys.exit(f"check_additions: {text}")


def copy_tree(build, copy):
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in ["include", "src", "tests", "assets"]:
        shutil.copytree(ROOT / name, copy / name)  # keeps times
    shutil.copy2(ROOT / "Makefile", copy)
    for name in ["obj", "flags", "prefix"]:
        source = build / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, copy / "build" / name)
    for name in TESTS:
        shutil.copy2(copy / f"tests/{name}.c", copy / f"tests/test_{name}.c")


def change(copy, heading, changes):
    section = (ROOT / "src/README.md").read_text().split(f"**{heading}")[1].split("\n**A")[0]
    for name, pattern, added in changes:
        path = copy / name
        text = path.read_text()
        found = re.search(pattern, text)
        if not found:
            fail(f"{name} has no place for the change: {pattern}")
        path.write_text(text[: found.end()] + added + text[found.end() :])
        if name.removeprefix("include/").removeprefix("src/") not in section:
            fail(f'src/README.md does not name {name} under "{heading}"')
    files = list(dict.fromkeys(name for name, _, _ in changes))
    return f"touches {len(files)} files: " + ", ".join(files)


def add_many_options(copy):
    table = copy / "src/options/table.c"
    text = table.read_text()
    end = "};\n/* clang-format on */"
    if text.count(end) != 1:
        fail("src/options/table.c does not end its table as expected")
    table.write_text(text.replace(end, MANY + end))


def build_copy(make, copy, names):
    tests = [f"build/tests/{name}" for name in names]
    made = subprocess.run([*shlex.split(make), "--no-print-directory", "-C", str(copy),
                           "BUILD=build", "build/marrow", *tests],
                          close_fds=False)  # make shares its jobs
    if made.returncode != 0:
        fail("the copy does not build")
    for name in names:
        if subprocess.run([copy / f"build/tests/{name}"], cwd=copy).returncode != 0:
            fail(f"tests/{name}.c fails")


def info(marrow, model):
    done = subprocess.run([marrow, "info", "--json", model], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{marrow} info {model}: {done.stderr}")
    return json.loads(done.stdout)


def maps_of(marrow, model):
    return [m["map"] for m in info(marrow, model)["materials"][0]["maps"]]


def look_for_map(old, new, folder):
    model, compiled = folder / "m.gltf", folder / "m.marrow"
    model.write_text(json.dumps(GLTF))
    if maps_of(old, model) != ["normal"]:
        fail("the map is known without the change")
    if maps_of(new, model) != ["normal", "scratch"]:
        fail(f"info shows the maps {maps_of(new, model)}")
    if "scratch 0" not in subprocess.run([new, "info", model], capture_output=True,
                                         text=True).stdout:
        fail("info without --json does not show the map")
    subprocess.run([old, "compile", model, "-o", compiled], check=True, stderr=subprocess.DEVNULL)
    if maps_of(new, compiled) != ["normal"]:
        fail("a scene that was compiled without the map is not read")
    subprocess.run([new, "compile", model, "-o", compiled], check=True, stderr=subprocess.DEVNULL)
    if maps_of(new, compiled) != ["normal", "scratch"]:
        fail("the map is not compiled")


def look_for_option(marrow, folder):
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
    expect(2, "--scratch has no effect without --clip", *draw, "--scratch", "7")
    expect(2, "--scratch and --png cannot be combined", *draw, "--clip", "0", "--scratch", "7",
           "--png", "best")
    expect(2, "--scratch is given twice, '7' and '8'", *draw, "--scratch", "7", "--scratch=8")
    expect(2, "did you mean --scratch", *draw, "--scrach", "7")
    expect(2, "it belongs to `render`, `sheet`, `sprites`, `bake`, `pick` and `diff`", "info", "demo:tentacle", "--scratch", "7")
    case = "[a]\nmodel = demo:tentacle\nclip = 0\nsize = 16\n"
    for value, status, part in [("7", 0, "work/a.3 work/a.7"), ("10", 2, "expected a whole number")]:
        (folder / "suite.ini").write_text(f"{case}scratch = 3, {value}\n")
        expect(status, part, "test", "--list", ".")


def look_for_format(marrow, folder):
    def said(status, *arguments):
        done = subprocess.run([marrow, *arguments], cwd=folder, capture_output=True, text=True)
        text = " ".join((done.stdout + done.stderr).split())
        if done.returncode != status:
            fail(f"marrow {' '.join(arguments)}: status {done.returncode} for {status}:\n{text}")
        return text

    def expect(status, part, *arguments):
        text = said(status, *arguments)
        if part not in text:
            fail(f"marrow {' '.join(arguments)}: no '{part}' in:\n{text}")

    draw = ["render", "demo:tentacle", "--size", "16"]
    for more in [[], ["--sheet", "2", "--count", "3"]]:
        said(0, *draw, *more, "-o", "a.ppm")
        said(0, *draw, *more, "-o", "a.pam")
        ppm, pam = (folder / "a.ppm").read_bytes(), (folder / "a.pam").read_bytes()
        if not ppm.startswith(b"P6\n") or ppm.split(b"\n255\n", 1)[1] != pam.split(b"ENDHDR\n", 1)[1]:
            fail("a .ppm has other pixels than a .pam")
    expect(0, "ppm .ppm; one picture per file", "help", "formats")
    expect(2, ".ppm", *draw, "-o", "a.xyz")
    expect(2, "a .ppm has no alpha; give --background COLOR, or write .png", *draw, "--background",
           "none", "-o", "a.ppm")
    expect(2, "--quality has no effect on this file, only on .jpg or .webp", *draw, "--quality", "3",
           "-o", "a.ppm")
    expect(2, "--matte has no effect on this file, only on .jpg or .gif", *draw, "--matte", "red",
           "--background", "none", "-o", "a.ppm")
    expect(2, "--bits 16: only .png or .pam can have 16 bits", *draw, "--bits", "16", "-o", "a.ppm")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build", type=pathlib.Path)
    parser.add_argument("--make", default="make")
    parser.add_argument("--only", choices=["format"])
    options = parser.parse_args()
    build = options.build.resolve()
    copy = build / "additions"
    copy_tree(build, copy)
    done = []
    if not options.only:
        done += ["a new map " + change(copy, "A map**", MAP_CHANGES),
                 "a new option " + change(copy, "An option.**", OPTION_CHANGES)]
        add_many_options(copy)
    done.append("a new format " + change(copy, "A picture format**", FORMAT_CHANGES))
    if len({name for name, _, _ in FORMAT_CHANGES}) > MOST_FORMAT_FILES:
        fail(f"a new format touches more than {MOST_FORMAT_FILES} files")
    build_copy(options.make, copy, [] if options.only else TESTS)
    work = copy / "work"
    work.mkdir()
    if not options.only:
        look_for_map(build / "marrow", copy / "build/marrow", work)
        look_for_option(copy / "build/marrow", work)
    look_for_format(copy / "build/marrow", work)
    shutil.rmtree(copy)
    print("\n".join(done))


if __name__ == "__main__":
    main()
