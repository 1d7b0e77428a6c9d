"""Writes glTF 2.0 binary files: one buffer, one buffer view for each accessor."""
import json
import struct

FLOAT, U8, U16, U32, I8, I16 = 5126, 5121, 5123, 5125, 5120, 5122
_CODE = {FLOAT: 'f', U8: 'B', U16: 'H', U32: 'I', I8: 'b', I16: 'h'}
_WIDTH = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}
VERTEX, INDEX = 34962, 34963


def f32(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


def _tidy(x):
    """Numbers for the JSON: floats as the shortest text of their float32, whole ones as such."""
    if isinstance(x, float):
        short = float('%.9g' % f32(x))
        return int(short) if short == int(short) and abs(short) < 1e9 else short
    if isinstance(x, (list, tuple)):
        return [_tidy(v) for v in x]
    if isinstance(x, dict):
        return {k: _tidy(v) for k, v in x.items()}
    return x


class Gltf:
    def __init__(self, scene_name):
        self.json = {'asset': {'version': '2.0', 'generator': 'marrow make_assets.py'},
                     'scene': 0, 'scenes': [{'name': scene_name, 'nodes': []}]}
        self.blob = bytearray()

    def append(self, kind, item):
        self.json.setdefault(kind, []).append(item)
        return len(self.json[kind]) - 1

    def view(self, data, target=None, stride=None):
        self.blob += bytes(-len(self.blob) % 4)
        item = {'buffer': 0, 'byteOffset': len(self.blob), 'byteLength': len(data)}
        if stride:
            item['byteStride'] = stride
        if target:
            item['target'] = target
        self.blob += data
        return self.append('bufferViews', item)

    def accessor(self, rows, kind, component=FLOAT, target=None, normalized=False, bounds=False):
        """rows: numbers for SCALAR, tuples otherwise."""
        width = _WIDTH[kind]
        rows = [(r,) for r in rows] if width == 1 else rows
        flat = [c for r in rows for c in r]
        code = _CODE[component]
        size = struct.calcsize(code) * width
        stride = None
        if target == VERTEX and size % 4:
            pad = -size % 4
            stride = size + pad
            data = b''.join(struct.pack('<%d%s%dx' % (width, code, pad), *r) for r in rows)
        else:
            data = struct.pack('<%d%s' % (len(flat), code), *flat)
        item = {'bufferView': self.view(data, target, stride), 'componentType': component,
                'count': len(rows), 'type': kind}
        if normalized:
            item['normalized'] = True
        if bounds:
            item.update(_bounds(rows, width))
        return self.append('accessors', item)

    def sparse_vec3(self, rows, epsilon=0.0):
        """A VEC3 accessor without a view of its own: zeros, and the rows that are not zero."""
        hits = [(i, r) for i, r in enumerate(rows) if max(abs(c) for c in r) > epsilon]
        item = {'componentType': FLOAT, 'count': len(rows), 'type': 'VEC3'}
        kept = [r if max(abs(c) for c in r) > epsilon else (0.0, 0.0, 0.0) for r in rows]
        item.update(_bounds(kept, 3))
        item['sparse'] = {
            'count': len(hits),
            'indices': {'bufferView': self.view(struct.pack('<%dH' % len(hits), *[i for i, _ in hits])),
                        'componentType': U16},
            'values': {'bufferView': self.view(b''.join(struct.pack('<3f', *r) for _, r in hits))}}
        return self.append('accessors', item)

    def indices(self, triangles):
        flat = [i for t in triangles for i in t]
        return self.accessor(flat, 'SCALAR', U16 if max(flat) < 65535 else U32, INDEX)

    def texture(self, png, name, wrap=10497, wrap_v=None):
        image = self.append('images', {'name': name, 'mimeType': 'image/png',
                                       'bufferView': self.view(png)})
        sampler = self.append('samplers', {'magFilter': 9729, 'minFilter': 9987,
                                           'wrapS': wrap, 'wrapT': wrap_v or wrap})
        return self.append('textures', {'sampler': sampler, 'source': image})

    def material(self, name, color=(1, 1, 1, 1), texture=None, roughness=0.7, metallic=0.0, **more):
        pbr = {'baseColorFactor': list(color), 'roughnessFactor': roughness,
               'metallicFactor': metallic}
        if texture is not None:
            pbr['baseColorTexture'] = {'index': texture}
        return self.append('materials', dict(name=name, pbrMetallicRoughness=pbr, **more))

    def node(self, parent=None, **fields):
        """Adds a node under `parent` (None: a root of the scene)."""
        index = self.append('nodes', fields)
        if parent is None:
            self.json['scenes'][0]['nodes'].append(index)
        else:
            self.json['nodes'][parent].setdefault('children', []).append(index)
        return index

    def animation(self, name):
        return Animation(self, name)

    def encode(self):
        self.blob += bytes(-len(self.blob) % 4)
        order = ['asset', 'extensionsUsed', 'scene', 'scenes', 'nodes', 'cameras', 'meshes', 'skins', 'animations',
                 'materials', 'textures', 'images', 'samplers', 'accessors', 'bufferViews']
        doc = {k: _tidy(self.json[k]) for k in order if k in self.json}
        doc['buffers'] = [{'byteLength': len(self.blob)}]
        text = json.dumps(doc, separators=(',', ':')).encode()
        text += b' ' * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + len(self.blob)
        return (struct.pack('<4sII', b'glTF', 2, total) + struct.pack('<I4s', len(text), b'JSON') +
                text + struct.pack('<I4s', len(self.blob), b'BIN\0') + bytes(self.blob))


def _bounds(rows, width):
    columns = [[f32(r[k]) for r in rows] for k in range(width)]
    return {'min': [min(c) for c in columns], 'max': [max(c) for c in columns]}


class Animation:
    """One clip; times used by several channels are stored once."""

    def __init__(self, gltf, name):
        self.gltf = gltf
        self.item = {'name': name, 'channels': [], 'samplers': []}
        gltf.append('animations', self.item)
        self.times = {}

    def _input(self, times):
        key = tuple(f32(t) for t in times)
        if key not in self.times:
            self.times[key] = self.gltf.accessor(list(key), 'SCALAR', bounds=True)
        return self.times[key]

    def channel(self, node, path, times, values, interpolation='LINEAR'):
        """values: one tuple a key; for CUBICSPLINE three (in-tangent, value, out-tangent)."""
        kind = {'rotation': 'VEC4', 'weights': 'SCALAR'}.get(path, 'VEC3')
        if path == 'weights':
            values = [w for row in values for w in row]
        sampler = {'input': self._input(times), 'interpolation': interpolation,
                   'output': self.gltf.accessor(values, kind)}
        self.item['samplers'].append(sampler)
        self.item['channels'].append({'sampler': len(self.item['samplers']) - 1,
                                      'target': {'node': node, 'path': path}})


def cubic_rows(times, sample, step=1e-4):
    """CUBICSPLINE rows of the smooth function `sample`; tangents are central differences.

    Quaternions (4 numbers) are kept on one side of the sphere from key to key.
    """
    rows, last = [], None
    for t in times:
        value, before, after = sample(t), sample(t - step), sample(t + step)
        if len(value) == 4:
            value = _same_side(value, last)
            before, after = _same_side(before, value), _same_side(after, value)
        tangent = tuple((b - a) / (2 * step) for a, b in zip(before, after))
        rows += [tangent, value, tangent]
        last = value
    return rows


def _same_side(q, reference):
    if reference is not None and sum(a * b for a, b in zip(q, reference)) < 0:
        return tuple(-c for c in q)
    return q
