"""assets/swatches.glb: twelve spheres, each of another stuff: what light makes of materials.

From the upper left: plaster, plastic, rubber, a lamp; gold, chrome, worn steel, car paint; cloth,
skin, hair, glass. All share one sphere; maps are small and repeat.
"""
import math

from . import gltf, png

AROUND, DOWN = 36, 18
RADIUS, STEP = 0.46, 1.0


def _sphere(g):
    """The indices of its accessors: on a unit sphere, positions are normals."""
    points, uvs, triangles = [], [], []
    for y in range(DOWN + 1):
        for x in range(AROUND + 1):
            polar, turn = math.pi * y / DOWN, 2.0 * math.pi * x / AROUND
            points.append((math.sin(polar) * math.sin(turn), math.cos(polar), math.sin(polar) * math.cos(turn)))
            uvs.append((x / AROUND, y / DOWN))
    for y in range(DOWN):
        for x in range(AROUND):
            a = y * (AROUND + 1) + x
            b = a + AROUND + 1
            triangles += [(a, b, b + 1)] if y < DOWN - 1 else []
            triangles += [(a, b + 1, a + 1)] if y > 0 else []
    place = g.accessor(points, 'VEC3', target=gltf.VERTEX, bounds=True)
    return {'POSITION': place, 'NORMAL': place,
            'TEXCOORD_0': g.accessor(uvs, 'VEC2', target=gltf.VERTEX)}, g.indices(triangles)


def _byte(x):
    return int(min(max(x, 0.0), 1.0) * 255.0 + 0.5)


def _normals(size, height):
    """A normal map of height(u, v), which repeats; heights in units of the map's side."""
    rows, d = bytearray(), 1.0 / size
    for j in range(size):
        for i in range(size):
            u, v = (i + 0.5) * d, (j + 0.5) * d
            x = (height(u - d, v) - height(u + d, v)) / (2.0 * d)
            y = (height(u, v + d) - height(u, v - d)) / (2.0 * d)
            n = math.sqrt(x * x + y * y + 1.0)
            rows += bytes([_byte(0.5 + 0.5 * x / n), _byte(0.5 + 0.5 * y / n), _byte(0.5 + 0.5 / n)])
    return png.encode(size, size, bytes(rows))


def _weave(u, v):
    a, b = math.sin(2.0 * math.pi * u), math.sin(2.0 * math.pi * v)
    return 0.06 * (a * a if math.sin(math.pi * u * 2.0) * math.sin(math.pi * v * 2.0) > 0.0 else b * b)


def _strands(u, v):
    w = u + 0.03 * math.sin(2.0 * math.pi * v)
    return 0.012 * math.sin(12.0 * math.pi * w) + 0.006 * math.sin(28.0 * math.pi * w + 1.0)


def _worn(size):
    """Metallic-roughness: rough and less metallic in soft spots."""
    rows = bytearray()
    for j in range(size):
        for i in range(size):
            u, v = 2.0 * math.pi * i / size, 2.0 * math.pi * j / size
            spot = math.sin(u) * math.sin(2.0 * v + 1.0) + 0.6 * math.sin(3.0 * u + 2.0 * v) + 0.4 * math.sin(5.0 * v - 2.0 * u)
            wear = 1.0 / (1.0 + math.exp(-5.0 * (spot - 0.5)))
            rows += bytes([255, _byte(0.25 + 0.55 * wear), _byte(1.0 - 0.7 * wear)])
    return png.encode(size, size, bytes(rows))


def _bulb(size):
    rows = bytearray()
    for j in range(size):
        glow = max(0.0, math.sin(4.0 * math.pi * (j + 0.5) / size)) ** 2
        rows += bytes([_byte(glow), _byte(0.75 * glow), _byte(0.4 * glow)]) * size
    return png.encode(size, size, bytes(rows))


def _repeated(texture, across, down, **more):
    return dict({'index': texture, 'extensions': {'KHR_texture_transform': {'scale': [across, down]}}}, **more)


def _materials(g):
    """In the order of the spheres."""
    coat = {'KHR_materials_clearcoat': {'clearcoatFactor': 1.0, 'clearcoatRoughnessFactor': 0.04}}
    nap = {'KHR_materials_sheen': {'sheenColorFactor': [0.35, 0.5, 0.45], 'sheenRoughnessFactor': 0.4}}
    weave = g.texture(_normals(32, _weave), 'weave')
    strands = g.texture(_normals(64, _strands), 'strands')
    worn, bulb = g.texture(_worn(64), 'worn'), g.texture(_bulb(32), 'bulb')
    steel = g.material('steel', (0.56, 0.57, 0.58, 1), roughness=1.0, metallic=1.0)
    g.json['materials'][steel]['pbrMetallicRoughness']['metallicRoughnessTexture'] = _repeated(worn, 2, 1)
    lamp = g.material('lamp', (0.1, 0.1, 0.1, 1), roughness=0.5, emissiveFactor=[1, 1, 1],
                      emissiveTexture={'index': bulb})
    g.json['materials'][lamp]['extensions'] = {'KHR_materials_emissive_strength': {'emissiveStrength': 2.0}}
    g.json['extensionsUsed'] = ['KHR_materials_clearcoat', 'KHR_materials_emissive_strength',
                                'KHR_materials_sheen', 'KHR_texture_transform']
    return [g.material('plaster', (0.85, 0.85, 0.85, 1), roughness=1.0),
            g.material('plastic', (0.60, 0.03, 0.03, 1), roughness=0.3),
            g.material('rubber', (0.03, 0.03, 0.03, 1), roughness=0.8), lamp,
            g.material('gold', (1.0, 0.77, 0.34, 1), roughness=0.2, metallic=1.0),
            g.material('chrome', (0.55, 0.56, 0.55, 1), roughness=0.05, metallic=1.0), steel,
            g.material('paint', (0.02, 0.12, 0.35, 1), roughness=0.45, metallic=0.5, extensions=coat),
            g.material('cloth', (0.10, 0.25, 0.22, 1), roughness=0.95,
                       normalTexture=_repeated(weave, 24, 12), extensions=nap),
            g.material('skin', (0.60, 0.33, 0.23, 1), roughness=0.5),
            g.material('hair', (0.05, 0.025, 0.015, 1), roughness=0.4,
                       normalTexture=_repeated(strands, 6, 2)),
            g.material('glass', (0.30, 0.50, 0.50, 0.35), roughness=0.05, alphaMode='BLEND')]


def build():
    g = gltf.Gltf('Swatches')
    attributes, indices = _sphere(g)
    for k, material in enumerate(_materials(g)):
        name = g.json['materials'][material]['name']
        mesh = g.append('meshes', {'name': name, 'primitives': [
            {'attributes': attributes, 'indices': indices, 'material': material}]})
        g.node(name=name, mesh=mesh, translation=[(k % 4 - 1.5) * STEP, (1 - k // 4) * STEP, 0.0],
               scale=[RADIUS, RADIUS, RADIUS])
    return {'swatches.glb': g.encode()}
