"""A small moon for displacement: a coarse ball of two materials, whose halves meet at the equator,
with a seam of texture coordinates, a morph target and two joints; and a map of its craters."""
import math

from . import gltf, png

AROUND, DOWN, RADIUS = 20, 6, 0.5
MAP_WIDTH, MAP_HEIGHT = 96, 48
# longitude, latitude, radius and depth, in degrees and shares of the greatest depth
CRATERS = [(20, 10, 26, 1.0), (75, -22, 18, 0.8), (-40, 35, 22, 0.9), (-10, -38, 20, 0.9),
           (130, 30, 24, 1.0), (-95, -8, 28, 1.0), (178, -30, 22, 0.8), (-150, 45, 18, 0.7),
           (48, 52, 12, 0.6), (100, 68, 14, 0.6)]


def _direction(longitude, latitude):
    """What is 0 but for rounding is 0: the poles are one place."""
    return tuple(round(c, 9) + 0.0 for c in _exact(longitude, latitude))


def _exact(longitude, latitude):
    return (math.cos(latitude) * math.sin(longitude), math.sin(latitude),
            math.cos(latitude) * math.cos(longitude))


def _height(longitude, latitude):
    """0 ... 1: rims stand out of the plain, which is 0.5."""
    at = _exact(longitude, latitude)
    height = 0.5
    for east, north, radius, depth in CRATERS:
        to = _exact(math.radians(east), math.radians(north))
        cosine = min(max(sum(a * b for a, b in zip(at, to)), -1.0), 1.0)
        r = math.degrees(math.acos(cosine)) / radius
        if r < 1.0:
            height += depth * (0.5 * r ** 4 - 0.4 * (1.0 - r ** 4)) * (1.0 - r ** 12)
    return min(max(height, 0.0), 1.0)


def _heights():
    pixels = bytearray()
    for j in range(MAP_HEIGHT):
        for i in range(MAP_WIDTH):
            longitude = ((i + 0.5) / MAP_WIDTH * 2.0 - 1.0) * math.pi
            latitude = (0.5 - (j + 0.5) / MAP_HEIGHT) * math.pi
            pixels += bytes([int(255.0 * _height(longitude, latitude) + 0.5)] * 3)
    return png.encode(MAP_WIDTH, MAP_HEIGHT, bytes(pixels))


def _half(g, top, material):
    points, uvs, triangles = [], [], []
    for j in range(DOWN + 1):
        v = 0.5 * j / DOWN + (0.0 if top else 0.5)
        for i in range(AROUND + 1):
            u = i / AROUND
            points.append(_direction((2.0 * (u % 1.0) - 1.0) * math.pi, (0.5 - v) * math.pi))
            uvs.append((u, v))
    for j in range(DOWN):
        for i in range(AROUND):
            a, b = j * (AROUND + 1) + i, (j + 1) * (AROUND + 1) + i
            if j > 0 or not top:
                triangles.append((a, b + 1, a + 1))
            if j < DOWN - 1 or top:
                triangles.append((a, b, b + 1))
    places = [tuple(RADIUS * c for c in p) for p in points]
    swell = [tuple(0.12 * max(p[0], 0.0) * c for c in p) for p in points]
    heads = [min(max(0.5 + 1.2 * p[1], 0.0), 1.0) for p in points]
    attributes = {
        'POSITION': g.accessor(places, 'VEC3', target=gltf.VERTEX, bounds=True),
        'NORMAL': g.accessor(points, 'VEC3', target=gltf.VERTEX),
        'TEXCOORD_0': g.accessor(uvs, 'VEC2', target=gltf.VERTEX),
        'JOINTS_0': g.accessor([(0, 1, 0, 0)] * len(points), 'VEC4', gltf.U8, gltf.VERTEX),
        'WEIGHTS_0': g.accessor([(1.0 - h, h, 0.0, 0.0) for h in heads], 'VEC4',
                                target=gltf.VERTEX)}
    targets = [{'POSITION': g.accessor(swell, 'VEC3', target=gltf.VERTEX, bounds=True)}]
    return {'attributes': attributes, 'indices': g.indices(triangles), 'material': material,
            'targets': targets}


def build():
    g = gltf.Gltf('Moon')
    rock = g.material('Rock', (0.62, 0.58, 0.52, 1.0), roughness=0.9)
    dust = g.material('Dust', (0.42, 0.46, 0.55, 1.0), roughness=0.9)
    mesh = g.append('meshes', {'name': 'Ball', 'primitives': [_half(g, True, rock),
                                                             _half(g, False, dust)]})
    body = g.node(name='Body')
    head = g.node(body, name='Head')
    inverse = [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)] * 2
    skin = g.append('skins', {'joints': [body, head],
                              'inverseBindMatrices': g.accessor(inverse, 'MAT4')})
    ball = g.node(name='Ball', mesh=mesh, skin=skin, weights=[0.0])
    clip = g.animation('Nod')
    clip.channel(head, 'rotation', [0.0, 1.0],
                 [(0.0, 0.0, 0.0, 1.0), (math.sin(0.3), 0.0, 0.0, math.cos(0.3))])
    clip.channel(ball, 'weights', [0.0, 1.0], [(0.0,), (1.0,)])
    return {'moon/moon.glb': g.encode(), 'moon/craters.png': _heights()}
