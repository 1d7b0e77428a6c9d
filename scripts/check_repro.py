#!/usr/bin/env python3
"""Compares small files that once came out wrong with their right values, where the corpus is there.

The files lie in ../shared/repro; its README says where each right value comes from. Without them the
script says so and succeeds. KNOWN names what is not met.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPRO = ROOT.parent / "shared" / "repro"
MARROW = (pathlib.Path(os.environ.get("BUILD", "build")) / "marrow").resolve()
KNOWN = {}

wrong = []
met = 0


def expect(name, got, want):
    global met
    if got == want:
        met += 1
        if name in KNOWN:
            wrong.append(f"{name} is right: take it off the list KNOWN in scripts/check_repro.py")
    elif name in KNOWN:
        print(f"repro, known: {name}: {KNOWN[name]}")
    else:
        wrong.append(f"{name}: {got}, not {want}")


def marrow(*arguments):
    return subprocess.run([MARROW, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def box(path, *arguments):
    """The boxes of all meshes, joined: low x, y, z, high x, y, z; rounded to 1/10000."""
    done = marrow("bake", path, "--json", *arguments)
    if done.returncode != 0:
        return done.stderr.strip()
    answer = json.loads(done.stdout.strip().split("\n")[-1])
    return [round(v, 4) + 0.0 for v in answer["aabb_min"] + answer["aabb_max"]]


def pixels(path, *arguments, size=33):
    """The picture as rows of (r, g, b, a)."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "p.pam")
        done = marrow("render", path, "--size", size, "-o", out, *arguments)
        if done.returncode not in (0, 5):
            return None
        data = out.read_bytes()
    head, _, body = data.partition(b"ENDHDR\n")
    depth = int(head.split(b"DEPTH ")[1].split()[0])
    flat = [tuple(body[i:i + depth]) + (255,) * (4 - depth) for i in range(0, len(body), depth)]
    return [flat[i:i + size] for i in range(0, len(flat), size)]


def centre(path, *arguments):
    rows = pixels(path, *arguments)
    return rows and rows[16][16]


GREEN = (0, 255, 0, 255)


def check_all():
    at = REPRO / "01-gpu-instancing"
    for file in ("three_quads.glb", "instancing_required.glb"):
        expect(f"01 {file}", box(at / file, "--pose", "rest"), [-3.5, -0.5, 0, 3.5, 0.5, 0])
    at = REPRO / "02-textures-in-sibling-folder/pack/FBX"
    for file in ("parent.fbx", "parent.glb"):
        expect(f"02 {file}", centre(at / file, "--shading", "unlit"), GREEN)
    expect("02 elsewhere.fbx", centre(at / "elsewhere.fbx", "--shading", "unlit") != GREEN, True)
    at = REPRO / "03-webp-texture"
    for file in ("required.glb", "with_png_fallback.glb"):
        expect(f"03 {file}", centre(at / file, "--shading", "unlit"), GREEN)
    at = REPRO / "04-fbx-instanced-materials/three_instances.fbx"
    rows = pixels(at, "--shading", "unlit", "--azimuth", "0", "--elevation", "0", size=99)
    seen = [p for p in rows[49] if p[:3] in ((255, 0, 0), (0, 255, 0), (0, 0, 255))]
    order = [p for i, p in enumerate(seen) if i == 0 or p != seen[i - 1]]
    expect("04 three_instances.fbx", order,
           [(255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255)])
    low_high = box(REPRO / "07-null-in-json/null_interpolation.glb", "--time", "0.5")
    expect("07 null_interpolation.glb", [low_high[0], low_high[3]], [0, 2])
    for file in sorted((REPRO / "08-required-but-harmless").glob("req_*.glb")):
        expect(f"08 {file.name}", centre(file, "--shading", "unlit"), GREEN)
        expect(f"08 {file.name} --strict", marrow("info", file, "--strict").returncode, 5)
    at = REPRO / "09-glb-unaligned-chunk"
    for file in ("unaligned.glb", "aligned.glb"):
        low_high = box(at / file, "--time", "0")
        expect(f"09 {file}", [low_high[0], low_high[3]], [-1, 1])
    for file in sorted((REPRO / "10-fbx-transparency-factor-alone").glob("*.fbx")):
        partly = file.name in ("fbx_tf06.fbx", "fbx_tf06_tc1.fbx", "fbx_op04.fbx")
        alpha = centre(file, "--background", "none")
        expect(f"10 {file.name}", alpha and alpha[3], 102 if partly else 255)
    at = REPRO / "11-animation-pointer-materials/pointer_uv.glb"
    expect("11 pointer_uv.glb at 0 s", centre(at, "--shading", "unlit", "--time", "0"),
           (255, 0, 0, 255))
    expect("11 pointer_uv.glb at 1 s", centre(at, "--shading", "unlit", "--time", "1"),
           (0, 0, 255, 255))
    at = REPRO / "12-dae-utf16/dae_utf16.dae"
    for time, high in (("0", 1), ("1", 5)):
        low_high = box(at, "--time", time)
        expect(f"12 dae_utf16.dae at {time} s", [low_high[1], low_high[4]], [-1, high])
    check_right_today(REPRO / "15-right-today")
    check_clips(REPRO / "16-retarget")


def check_right_today(at):
    files = {f.stem: f for f in sorted(at.iterdir())}
    for name in ("three_planes", "leaf_cards"):
        expect(f"15 {name}", centre(files[name], "--shading", "unlit", "--background", "none"),
               (199, 146, 106, 223))
    rows = pixels(files["crossed_planes"], "--shading", "unlit", "--azimuth", "0", "--elevation",
                  "0", "--background", "none")
    expect("15 crossed_planes", [rows[16][10][:3], rows[16][22][:3]], [(213, 0, 156), (156, 0, 213)])
    for time, want in (("0.5", [-1, -3, 1, 3]), ("1", [0, -1, 2, 1])):
        low_high = box(files["mixed_interp"], "--time", time)
        got = [low_high[0], low_high[1], low_high[3], low_high[4]]
        expect(f"15 mixed_interp at {time} s", got if time == "0.5" else [got[0], got[2]],
               want if time == "0.5" else [want[0], want[2]])
    low_high = box(files["skin_node_transform"])
    expect("15 skin_node_transform", [low_high[0], low_high[1], low_high[3], low_high[4]],
           [4, 0, 6, 6])
    low_high = box(files["fbx_rot_200"], "--time", "0.5")
    expect("15 fbx_rot_200", [low_high[0], low_high[1], low_high[3], low_high[4]],
           [-0.5443, -0.0347, 0, 1.9696])
    expect("15 fbx_prerot", box(files["fbx_prerot"]), [-0.407, -1.0304, 0, 0.2154, 0.62, 2.1965])
    low_high = box(files["fbx_geometric_morph"])
    expect("15 fbx_geometric_morph", [low_high[0], low_high[1], low_high[3], low_high[4]],
           [9, -2, 11, 3])
    low_high = box(files["fbx_unweighted"], "--time", "1")
    expect("15 fbx_unweighted", [low_high[1], low_high[4]], [-4, 1])


def check_clips(at):
    done = subprocess.run([sys.executable, at / "check.py", "--marrow", MARROW, "--quiet"],
                          capture_output=True, text=True)
    expect("16 every clip on every rig", done.stdout.strip(), "130 of 130 pairs right")
    for file in ("clipmiss", "clipmissR", "clipmissE", "clipmissAll"):
        low_high = box(at / "modelmiss.gltf", "--anim", at / f"{file}.gltf", "--time", "1")
        expect(f"16 {file}.gltf", round(low_high[3], 2), 4.1)
    low_high = box(REPRO.parent / "models/ufbx-maya-game-sausage/maya_game_sausage_7500_binary.fbx",
                   "--anim", at / "saus.gltf", "--clip", "Plain", "--time", "0.5")
    expect("16 saus.gltf", [round(low_high[i], 3) + 0.0 for i in (0, 1, 3, 4)],
           [-0.006, 0, 0.016, 0.032])


def main():
    if not REPRO.exists():
        print("SKIPPED repro: there is no ../shared/repro")
        return 0
    check_all()
    print(f"repro: {met} right values met, {len(wrong)} not")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
