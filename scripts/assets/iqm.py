"""Writes Inter-Quake Models, version 2: triangles are clockwise, v goes down, Z is up.

All numbers are rounded before they are packed, so that the last bits of sines do not matter.
"""
import struct

FLOAT, UBYTE = 7, 1
LOOP = 1


class _Text:
    """Names one after the other, each ended by a NUL; the first is empty."""

    def __init__(self):
        self.data, self.offsets = b'\0', {'': 0}

    def at(self, name):
        if name not in self.offsets:
            self.offsets[name] = len(self.data)
            self.data += name.encode() + b'\0'
        return self.offsets[name]


def _floats(values):
    return b''.join(struct.pack('<f', round(v, 5) + 0.0) for v in values)


def _joined(rows):
    return [v for row in rows for v in row]


def _meshes(text, meshes):
    out, vertex, triangle = b'', 0, 0
    for m in meshes:
        counts = len(m.points), len(m.triangles)
        out += struct.pack('<6I', text.at(m.name), text.at(m.material), vertex, counts[0], triangle, counts[1])
        vertex, triangle = vertex + counts[0], triangle + counts[1]
    return out


def _triangles(meshes):
    out, first = b'', 0
    for m in meshes:
        out += b''.join(struct.pack('<3I', first + a, first + c, first + b) for a, b, c in m.triangles)
        first += len(m.points)
    return out


def _vertex_arrays(meshes):
    """(type, format, numbers a vertex, bytes), in the format's order."""
    pairs = [row + [(0, 0)] * (4 - len(row)) for m in meshes for row in m.weights]
    return [(0, FLOAT, 3, _floats(_joined(p for m in meshes for p in m.points))),
            (1, FLOAT, 2, _floats(_joined(p for m in meshes for p in m.uvs))),
            (2, FLOAT, 3, _floats(_joined(p for m in meshes for p in m.normals))),
            (4, UBYTE, 4, bytes(j for row in pairs for j, _ in row)),
            (5, UBYTE, 4, bytes(w for row in pairs for _, w in row)),
            (6, UBYTE, 4, bytes(_joined(c for m in meshes for c in m.colors)))]


def _joints(text, joints):
    """joints: (name, parent, ten numbers of the rest pose)."""
    return b''.join(struct.pack('<Ii', text.at(name), parent) + _floats(rest)
                    for name, parent, rest in joints)


def _poses(joints, rows):
    """Poses, and the numbers of all frames: each channel that moves is 16 bits of its range."""
    poses, columns = b'', []
    for j, joint in enumerate(joints):
        offsets, scales, mask = [], [], 0
        for c in range(10):
            values = [round(row[j][c], 5) + 0.0 for row in rows]
            low, span = min(values), max(values) - min(values)
            offsets.append(low)
            scales.append(span / 65535)
            if span > 0:
                mask |= 1 << c
                columns.append([int((v - low) / span * 65535 + 0.5) for v in values])
        poses += struct.pack('<iI', joint[1], mask) + _floats(offsets)
        poses += b''.join(struct.pack('<f', s) for s in scales)
    frames = b''.join(struct.pack('<H', column[f]) for f in range(len(rows)) for column in columns)
    return poses, frames, len(columns)


def encode(meshes, joints, clips):
    """clips: (name, rate, flags, frames), a frame being ten numbers a joint. Without meshes there are
    no joints, only poses of them, as the format's own tools write it."""
    text, anims, first = _Text(), b'', 0
    kept = joints if meshes else []
    parts = {'meshes': _meshes(text, meshes), 'joints': _joints(text, kept)}
    for name, rate, flags, frames in clips:
        anims += struct.pack('<3IfI', text.at(name), first, len(frames), rate, flags)
        first += len(frames)
    poses, frames, channels = _poses(joints, _joined(clip[3] for clip in clips))
    arrays = _vertex_arrays(meshes) if meshes else []
    data, places = b'', {}

    def put(key, block):
        nonlocal data
        data += b'\0' * (-len(data) % 4)
        places[key] = 124 + len(data) if block else 0
        data += block

    put('text', text.data)
    put('meshes', parts['meshes'])
    put('arrays', b'\0' * (20 * len(arrays)))
    entries = b''
    for kind, form, width, block in arrays:
        put('array', block)
        entries += struct.pack('<5I', kind, 0, form, width, places['array'])
    put('triangles', _triangles(meshes))
    put('joints', parts['joints'])
    put('poses', poses)
    put('anims', anims)
    put('frames', frames)
    at = places['arrays'] - 124
    data = data[:at] + entries + data[at + len(entries):]
    header = struct.pack(
        '<16s27I', b'INTERQUAKEMODEL', 2, 124 + len(data), 0, len(text.data), places['text'], len(meshes),
        places['meshes'], len(arrays), sum(len(m.points) for m in meshes), places['arrays'],
        sum(len(m.triangles) for m in meshes), places['triangles'], 0, len(kept), places['joints'],
        len(joints), places['poses'], len(clips), places['anims'], first, channels, places['frames'],
        0, 0, 0, 0, 0)
    return header + data
