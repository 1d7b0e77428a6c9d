#!/usr/bin/env python3
"""The hashes of sail.gltf, by a second writer of the form that marrow/scene.h describes.

It reads the file with json and struct alone, and puts vertices where a scene has them: those of
fewer influences first. tests/test_scene_blob.c holds what it prints.
"""
import base64
import hashlib
import json
import pathlib
import struct

NONE = 0xFFFFFFFF
gltf = json.loads((pathlib.Path(__file__).parent / "sail.gltf").read_text())
buffer = base64.b64decode(gltf["buffers"][0]["uri"].split(",")[1])


def read(accessor):
    a = gltf["accessors"][accessor]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[a["type"]]
    kind = {5121: "B", 5123: "H", 5126: "f"}[a["componentType"]]
    start = gltf["bufferViews"][a["bufferView"]]["byteOffset"]
    flat = struct.unpack_from(f"<{width * a['count']}{kind}", buffer, start)
    return [flat[i : i + width] for i in range(0, len(flat), width)]


def packed(kind, rows):
    flat = [value for row in rows for value in row]
    return struct.pack(f"<{len(flat)}{kind}", *flat)


def part(kind, fields):
    form = b"marrow " + kind.encode() + b"\n"
    for number, value in sorted(fields.items()):
        if value:
            form += struct.pack("<IQ", number, len(value)) + value
    return hashlib.sha256(form).digest()


def u32(*values):
    return struct.pack(f"<{len(values)}I", *values)


# Nodes: the root, its child, and the node that draws mesh 0 with skin 0.
nodes = [
    part("node", {1: b"root"}),
    part("node", {1: b"tip", 2: u32(0), 3: struct.pack("<3f", 0, 0.5, 0)}),
    part("node", {1: b"sail"}),
]

# Vertex 0 has two influences, the others one.
primitive = gltf["meshes"][0]["primitives"][0]
streams = {name: read(at) for name, at in primitive["attributes"].items()}
order = [1, 2, 0]
triangle = [order.index(i) for (i,) in read(primitive["indices"])]
influences = []
for vertex in order:
    pairs = zip(streams["JOINTS_0"][vertex], streams["WEIGHTS_0"][vertex])
    influences.append(sorted(((-w, j) for j, w in pairs if w > 0)))

animation = gltf["animations"][0]
sampler = animation["samplers"][0]
image = base64.b64decode(gltf["images"][0]["uri"].split(",")[1])
channel = part(
    "channel",
    {
        1: u32(1),
        2: u32(1),  # rotation
        3: u32(1),  # linear
        4: packed("d", read(sampler["input"])),
        5: packed("f", read(sampler["output"])),
    },
)
parts = {
    "nodes": part("nodes", {1: b"".join(nodes), 2: u32(2, 0, 0)}),
    "shape": part(
        "shape",
        {
            1: b"sail",
            2: u32(0),
            4: u32(*triangle),
            5: packed("f", [streams["POSITION"][v] for v in order]),
            6: packed("f", [streams["NORMAL"][v] for v in order]),
            8: packed("f", [streams["TEXCOORD_0"][v] for v in order]),
        },
    ),
    "weights": part(
        "weights",
        {
            1: u32(2, 1, 1, 2),
            2: packed("H", [[j for _, j in run] for run in influences]),
            3: packed("f", [[-w for w, _ in run] for run in influences]),
        },
    ),
    "material": part(
        "material",
        {
            1: b"cloth",
            4: u32(1),  # double-sided
            5: struct.pack("<4f", 1, 0.5, 0.25, 1),
            6: part("map", {2: u32(0)}),
        },
    ),
    "image": part("image", {1: b"flag", 3: hashlib.sha256(image).digest()}),
    "skin": part(
        "skin", {1: b"mast", 2: u32(0, 1), 3: packed("f", read(gltf["skins"][0]["inverseBindMatrices"]))}
    ),
    "clip": part(
        "clip", {1: b"wave", 2: b"wave", 4: struct.pack("<d", 0.5), 5: channel}
    ),
}
for name, value in parts.items():
    print(value.hex(), name)
print(part("scene", dict(enumerate(parts.values(), 1))).hex(), "scene")

# Nothing of the sail: a material "m" that shows texture 0 of image 0 as normal map, with uv set 1 and
# half its strength. tests/test_maps.c has it.
normal = part("map", {2: u32(0), 6: u32(1), 8: struct.pack("<4f", 0.5, 0.5, 1, 1)})
print(part("material", {1: b"m", 8: normal}).hex(), "normal map")

# Materials "m" without a map, of each model, with all numbers that count: roughness 0.5, metallic 0;
# emissive 4 2 1; specular 0.5 0.25 1.
rough = struct.pack("<4f", 1, 0.5, 0, 1)
shines = struct.pack("<4f", 4, 2, 1, 1)
mirrors = struct.pack("<4f", 0.5, 0.25, 1, 1)
glossy = struct.pack("<4f", 0.5, 0.25, 1, 0.75)


def one(number):
    return struct.pack("<f", number)


metal = {1: b"m", 257: one(2), 258: one(0.5), 259: one(0.25), 260: one(0.125)}
print(part("material", {**metal, 513: rough, 516: shines, 517: mirrors}).hex(), "metal")
print(part("material", {1: b"m", 256: u32(1), 516: shines, 517: glossy}).hex(), "gloss")
classic = {1: b"m", 256: u32(2), 261: one(32), 516: shines, 517: mirrors}
print(part("material", classic).hex(), "classic")
