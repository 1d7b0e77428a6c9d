#!/usr/bin/env python3
"""Writes the Draco meshes of the tests, tests/data/draco/*.drc, and assets/draco/tentacle.glb.

    scripts/make_draco.py [--check]

They were made by libdraco 1.5.5 of Debian 12 with the encoder in scripts/draco/encode.cc, which is
compiled for this. --check writes nothing and compares; another version of libdraco may choose other
bytes for the same mesh.

The grid is what tests/test_draco.c computes for itself: 12 x 9 points of formulas in integers. The
tentacle is assets/tentacle.glb with its first clip alone.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
POSITION, NORMAL, COLOR, TEX_COORD, GENERIC = range(5)
UINT8, INT16, UINT16, FLOAT = 2, 3, 4, 9  # draco::DataType
WIDTH, HEIGHT = 12, 9


class Encoder:
    def __init__(self, folder):
        self.program = pathlib.Path(folder) / "encode"
        subprocess.run(["g++", "-std=c++17", "-O1", "-o", self.program,
                        ROOT / "scripts/draco/encode.cc", "-ldraco"], check=True)

    def run(self, points, faces, attributes, method, speed, bits):
        """attributes: (kind, type, components, rows)"""
        words = [points, len(faces), *(i for face in faces for i in face), len(attributes)]
        for kind, data_type, components, rows in attributes:
            words += [kind, data_type, components, *(value for row in rows for value in row)]
        text = " ".join(repr(word) for word in words) + "\n"
        return subprocess.run([self.program, *map(str, [method, speed, *bits])], input=text.encode(),
                              stdout=subprocess.PIPE, check=True).stdout


# ---- the grid -----------------------------------------------------------------------------------


def grid():
    points = [(i, j) for j in range(HEIGHT) for i in range(WIDTH)]
    faces = []
    for j in range(HEIGHT - 1):
        for i in range(WIDTH - 1):
            a = j * WIDTH + i
            faces += [(a, a + 1, a + WIDTH + 1), (a, a + WIDTH + 1, a + WIDTH)]
    return points, faces


def bump(i, j):
    return (7 * i * i + 5 * j * j + 3 * i * j) % 17


def normal(i, j):
    x, y, z = i - 6, j - 4, bump(i, j) - 8 or 1
    length = (x * x + y * y + z * z) ** 0.5
    return x / length, y / length, z / length


def grids(encoder):
    points, faces = grid()
    rows = lambda of: [of(i, j) for i, j in points]
    floats = [
        (POSITION, FLOAT, 3, rows(lambda i, j: (i / 8, j / 8, bump(i, j) / 32))),
        (NORMAL, FLOAT, 3, rows(normal)),
        (TEX_COORD, FLOAT, 2, rows(lambda i, j: (i / 11, j / 8))),
    ]
    whole = [
        (COLOR, UINT8, 4, rows(lambda i, j: (i * 20, j * 25, i * j, 255 - i))),
        (GENERIC, UINT8, 4, rows(lambda i, j: (i % 4, (i + 1) % 4, 0, 0))),
        (GENERIC, FLOAT, 4, rows(lambda i, j: ((9 + j) / 32, (23 - j) / 32, 0.0, 0.0))),
    ]
    short = [
        (POSITION, INT16, 3, rows(lambda i, j: (i * 100 - 600, j * 100 - 400, bump(i, j) * -30))),
        (COLOR, UINT16, 3, rows(lambda i, j: (i * 5000, j * 8000, 65535 - i))),
    ]
    bits = (11, 8, 0, 10, 8)
    run = lambda attributes, *how: encoder.run(len(points), faces, attributes, *how)
    return {
        "grid-smallest.drc": run(floats + whole, 1, 0, bits),
        "grid-default.drc": run(floats + whole, 1, 7, bits),
        "grid-fastest.drc": run(floats + whole, 1, 10, bits),
        "grid-sequential.drc": run(floats + whole, 0, 5, bits),
        "grid-floats.drc": run(floats + whole, 1, 5, (0, 0, 0, 0, 0)),
        "grid-short.drc": run(short, 1, 5, (0, 0, 0, 0, 0)),
    }


# ---- a model ------------------------------------------------------------------------------------

COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
CODES = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}
KINDS = {"POSITION": POSITION, "NORMAL": NORMAL, "COLOR": COLOR, "TEXCOORD": TEX_COORD}
TYPES = {5121: UINT8, 5123: UINT16, 5126: FLOAT}


def split(glb):
    size = struct.unpack_from("<I", glb, 12)[0]
    return json.loads(glb[20:20 + size]), glb[28 + size:]


def join(document, binary):
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary))
            + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(binary), b"BIN\0") + binary)


class Model:
    """A file's JSON with a new buffer, to which goes what is still referred to."""

    def __init__(self, glb):
        self.document, self.old = split(glb)
        self.accessors, self.views, self.binary, self.kept = [], [], b"", {}

    def rows(self, index):
        a = self.document["accessors"][index]
        view = self.document["bufferViews"][a["bufferView"]]
        width, code = COMPONENTS[a["type"]], CODES[a["componentType"]]
        form = f"<{width}{code}"
        stride = view.get("byteStride") or struct.calcsize(form)
        at = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        return [struct.unpack_from(form, self.old, at + i * stride) for i in range(a["count"])]

    def add_view(self, data):
        self.binary += b"\0" * (-len(self.binary) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)})
        self.binary += data
        return len(self.views) - 1

    def keep(self, index):
        """The new number of an accessor that stays as it is."""
        if index not in self.kept:
            a = dict(self.document["accessors"][index])
            form = f"<{COMPONENTS[a['type']]}{CODES[a['componentType']]}"
            a["bufferView"] = self.add_view(b"".join(struct.pack(form, *r) for r in self.rows(index)))
            a.pop("byteOffset", None)
            self.accessors.append(a)
            self.kept[index] = len(self.accessors) - 1
        return self.kept[index]

    def compress(self, primitive, encoder, method, speed, bits):
        indices = [row[0] for row in self.rows(primitive["indices"])]
        faces = [indices[i:i + 3] for i in range(0, len(indices), 3)]
        names = list(primitive["attributes"])
        attributes = []
        for name in names:
            a = self.document["accessors"][primitive["attributes"][name]]
            rows = self.rows(primitive["attributes"][name])
            if name.startswith("WEIGHTS"):  # 8 bits do
                a["componentType"] = 5121
                rows = [[round(value / 257) for value in row] for row in rows]
            attributes.append((KINDS.get(name.split("_")[0], GENERIC), TYPES[a["componentType"]],
                               COMPONENTS[a["type"]], rows))
        points = len(attributes[0][3])
        data = encoder.run(points, faces, attributes, method, speed, bits)
        primitive["extensions"] = {"KHR_draco_mesh_compression": {
            "bufferView": self.add_view(data), "attributes": {n: i for i, n in enumerate(names)}}}
        for place, old in [("indices", primitive["indices"]), *primitive["attributes"].items()]:
            a = {k: v for k, v in self.document["accessors"][old].items()
                 if k not in ("bufferView", "byteOffset")}
            self.accessors.append(a)
            (primitive if place == "indices" else primitive["attributes"])[place] = \
                len(self.accessors) - 1

    def finish(self):
        self.document["accessors"], self.document["bufferViews"] = self.accessors, self.views
        self.document["buffers"] = [{"byteLength": len(self.binary)}]
        self.document["extensionsUsed"] = self.document["extensionsRequired"] = [
            "KHR_draco_mesh_compression"]
        return join(self.document, self.binary)


def tentacle(encoder):
    model = Model((ROOT / "assets/tentacle.glb").read_bytes())
    document = model.document
    del document["animations"][1:]
    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            model.compress(primitive, encoder, 1, 0, (11, 7, 8, 10, 10))
    for skin in document["skins"]:
        skin["inverseBindMatrices"] = model.keep(skin["inverseBindMatrices"])
    for animation in document["animations"]:
        for sampler in animation["samplers"]:
            sampler["input"] = model.keep(sampler["input"])
            sampler["output"] = model.keep(sampler["output"])
    return {"assets/draco/tentacle.glb": model.finish()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="make_draco") as folder:
        encoder = Encoder(folder)
        files = {f"tests/data/draco/{name}": data for name, data in grids(encoder).items()}
        files.update(tentacle(encoder))
    wrong = 0
    for name, data in files.items():
        path = ROOT / name
        if asked.check:
            same = path.is_file() and path.read_bytes() == data
            wrong += not same
            if not same:
                print(f"{name}: differs from what the generator makes")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            print(f"{len(data):8}  {name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
