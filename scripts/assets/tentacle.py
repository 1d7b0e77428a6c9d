"""assets/tentacle.glb: a tapering arm with suckers, eight influences a vertex, three clips.

A vertex hangs on the eight joints within four joint lengths of it, by a smooth bell over the
distance, so the arm bends without a crease and every one of the eight counts.
"""
import math

from . import gltf, vec
from .rig import to_units

JOINTS = 24
LENGTH = 1.7
RINGS, SIDES = 76, 24
SPACING = LENGTH / (JOINTS - 1)


def radius_at(s):
    """Radius at the fraction s of the length: a flared foot, then a long even taper."""
    return 0.030 + 0.15 * max(0.0, 1 - s) ** 1.25 + 0.11 * math.exp(-s * 22.0)


def influences(y):
    """Eight (joint, weight in 1/65535) pairs at the height y; past the ends, the end joint."""
    c = vec.clamp(y / SPACING, 0.0, JOINTS - 1.0)
    row = {}
    for k in range(int(math.floor(c)) - 3, int(math.floor(c)) + 5):
        bell = (1.0 - ((k - c) / 4.0) ** 2) ** 3
        joint = min(max(k, 0), JOINTS - 1)
        row[joint] = row.get(joint, 0.0) + bell
    total = sum(row.values())
    pairs = sorted(((j, w / total) for j, w in row.items()), key=lambda p: (-p[1], p[0]))
    return to_units(pairs, 8, 65535)


def skin_color(s, angle):
    """Linear colour: plum on the back, coral flanks, cream on the side of the suckers."""
    front = 0.5 + 0.5 * math.cos(angle)
    back, flank, belly = (0.16, 0.035, 0.17), (0.62, 0.10, 0.13), (0.95, 0.55, 0.38)
    c = vec.lerp(back, flank, vec.smoothstep(0.05, 0.55, front))
    c = vec.lerp(c, belly, vec.smoothstep(0.72, 0.93, front))
    spots = math.sin(angle * 5 + 9.0 * s * 6.28) * math.sin(s * 90.0 - angle * 2)
    if front < 0.62:
        c = vec.lerp(c, (0.95, 0.42, 0.16), vec.smoothstep(0.45, 0.8, spots) * 0.85)
    return vec.mul(c, 0.75 + 0.25 * vec.smoothstep(0.0, 0.12, s))


class Skin:
    def __init__(self):
        self.points, self.normals, self.colors, self.weights, self.triangles = [], [], [], [], []

    def vertex(self, p, n, color, pairs):
        self.points.append(p)
        self.normals.append(vec.unit(n))
        self.colors.append(color)
        self.weights.append(pairs)
        return len(self.points) - 1

    def grid(self, first, rows, columns):
        """Triangles of a grid of rows x columns vertices whose columns close into a ring."""
        for r in range(rows - 1):
            for c in range(columns):
                a, b = first + r * columns + c, first + r * columns + (c + 1) % columns
                d, e = a + columns, b + columns
                # The rows of an apex have all their vertices in one place.
                self.triangles += [(a, b, e)] if self.points[a] != self.points[b] else []
                self.triangles += [(a, e, d)] if vec.distance(self.points[d], self.points[e]) > 1e-9 else []


def build_tube(skin):
    first = len(skin.points)
    for r in range(RINGS + 1):
        s = (r / RINGS) ** 0.9
        for c in range(SIDES):
            angle = 2 * math.pi * c / SIDES
            radius = radius_at(s)
            slope = (radius_at(s + 1e-4) - radius_at(s - 1e-4)) / (2e-4 * LENGTH)
            y = s * LENGTH
            direction = (math.sin(angle), 0.0, math.cos(angle))
            skin.vertex((direction[0] * radius, y, direction[2] * radius * 0.94),
                        (direction[0], -slope, direction[2] / 0.94), skin_color(s, angle), influences(y))
    skin.grid(first, RINGS + 1, SIDES)
    _cap(skin)
    middle = skin.vertex((0.0, 0.0, 0.0), (0.0, -1.0, 0.0), skin_color(0.0, 0.0), influences(0.0))
    rim = [skin.vertex(skin.points[first + c], (0.0, -1.0, 0.0), skin.colors[first + c], influences(0.0))
           for c in range(SIDES)]
    skin.triangles += [(middle, rim[(c + 1) % SIDES], rim[c]) for c in range(SIDES)]


def _cap(skin, rows=7):
    """The rounded tip."""
    first = len(skin.points)
    radius = radius_at(1.0)
    for r in range(rows):
        t = 0.5 * math.pi * r / (rows - 1)
        for c in range(SIDES):
            angle = 2 * math.pi * c / SIDES
            n = (math.sin(angle) * math.cos(t), math.sin(t), math.cos(angle) * math.cos(t))
            skin.vertex((n[0] * radius, LENGTH + n[1] * radius, n[2] * radius * 0.94), n,
                        skin_color(1.0, angle), influences(LENGTH))
    skin.grid(first, rows, SIDES)


# The section of a sucker: distance from its axis, height over the skin, redness of the cup.
_CUP = [(1.00, -0.40, 0.2), (1.03, 0.16, 0.1), (0.86, 0.45, 0.0), (0.64, 0.38, 0.2), (0.44, 0.08, 0.8),
        (0.0, -0.06, 1.0)]


def build_sucker(skin, s, angle, size):
    sides = 16 if size > 0.035 else 12 if size > 0.02 else 8
    base = radius_at(s)
    out = (math.sin(angle), 0.0, math.cos(angle))
    up = (0.0, 1.0, 0.0)
    side = vec.cross(up, out)
    center = (out[0] * base * 0.97, s * LENGTH, out[2] * base * 0.94 * 0.97)
    first = len(skin.points)
    for k, (r, h, red) in enumerate(_CUP):
        before, after = _CUP[max(k - 1, 0)], _CUP[min(k + 1, len(_CUP) - 1)]
        run, rise = after[0] - before[0], after[1] - before[1]
        for c in range(sides):
            t = 2 * math.pi * c / sides
            ring = vec.add(vec.mul(side, math.cos(t)), vec.mul(up, math.sin(t)))
            p = vec.add(vec.mad(center, ring, r * size), vec.mul(out, h * size))
            n = vec.add(vec.mul(ring, rise), vec.mul(out, -run))
            color = vec.lerp((1.0, 0.72, 0.56), (0.62, 0.11, 0.16), red)
            skin.vertex(p, n, color, influences(s * LENGTH + (p[1] - s * LENGTH) * 0.6))
    skin.grid(first, len(_CUP), sides)


def build_skin():
    skin = Skin()
    build_tube(skin)
    s = 0.10
    while s < 0.97:
        size = radius_at(s) * 0.33
        for side in (-1, 1):
            build_sucker(skin, s + (0.25 * size / LENGTH) * side, side * 0.40, size)
        s += size * 2.35 / LENGTH
    return skin


def _clip_wave(clip, nodes):
    """A wave that runs up the arm; LINEAR keys, loops."""
    period = 2.4
    times = [period * i / 36 for i in range(37)]
    for j, node in enumerate(nodes):
        f = j / (JOINTS - 1)
        rows = []
        for t in times:
            w = 2 * math.pi * t / period
            rows.append(vec.euler(x=(1.8 + 8.0 * f) * math.sin(w - 4.2 * f) + 2.2 * f,
                                  z=(1.3 + 5.5 * f) * math.cos(w - 3.1 * f)))
        clip.channel(node, 'rotation', times, rows)


def _clip_curl(clip, nodes):
    """Curls up towards the suckers, squeezes, lets go; CUBICSPLINE, loops."""
    period = 3.2
    times = [period * i / 16 for i in range(17)]

    def grip(t):
        t = (t / period) % 1.0
        return vec.smoothstep(0.05, 0.45, t) - vec.smoothstep(0.62, 0.98, t)

    for j, node in enumerate(nodes):
        f = j / (JOINTS - 1)

        def sample(t, f=f):
            late = grip(t - 0.35 * (1 - f))
            sway = math.sin(2 * math.pi * t / period - 2 * f)
            return vec.euler(x=2.0 * sway * f - 2.0 * f + (0.5 + 47.0 * f ** 2.3) * late,
                             y=4.0 * f * late, z=3.5 * sway * (1 - late * 0.6))
        clip.channel(node, 'rotation', times, gltf.cubic_rows(times, sample), 'CUBICSPLINE')

    def squeeze(t):
        g = grip(t)
        pulse = g * (0.5 - 0.5 * math.cos(4 * math.pi * t / period))
        return (1 + 0.16 * pulse, 1 - 0.18 * pulse, 1 + 0.16 * pulse)
    clip.channel(nodes[0], 'scale', times, gltf.cubic_rows(times, squeeze), 'CUBICSPLINE')


def _clip_gulp(clip, nodes):
    """A bulge travels down the arm: non-uniform scales, undone by the next joint."""
    period = 2.0
    times = [period * i / 30 for i in range(31)]

    def size(j, t):
        place = (1.15 - 1.3 * t / period) * (JOINTS - 1)
        g = math.exp(-((j - place) / 2.3) ** 2)
        return (1 + 0.85 * g, 1 + 0.15 * g, 1 + 0.70 * g)

    for j, node in enumerate(nodes):
        scales, turns = [], []
        for t in times:
            here = size(j, t)
            above = size(j - 1, t) if j else (1.0, 1.0, 1.0)
            scales.append(tuple(a / b for a, b in zip(here, above)))
            w = 2 * math.pi * t / period
            f = j / (JOINTS - 1)
            turns.append(vec.euler(x=5.0 * f + 3.0 * f * math.sin(w - 3 * f), z=4.0 * f * math.cos(w - 2 * f)))
        clip.channel(node, 'scale', times, scales)
        clip.channel(node, 'rotation', times, turns)


def build():
    g = gltf.Gltf('Tentacle')
    skin = build_skin()
    nodes = []
    root = g.node(name='Tentacle')
    for j in range(JOINTS):
        parent = nodes[-1] if nodes else root
        nodes.append(g.node(parent, name='joint_%02d' % j,
                            translation=[0.0, SPACING if j else 0.0, 0.0]))
    inverse = [vec.flat_columns(vec.compose((0.0, -SPACING * j, 0.0))) for j in range(JOINTS)]
    g.append('skins', {'name': 'Tentacle', 'joints': nodes, 'skeleton': nodes[0],
                       'inverseBindMatrices': g.accessor(inverse, 'MAT4')})
    attributes = {'POSITION': g.accessor(skin.points, 'VEC3', target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor(skin.normals, 'VEC3', target=gltf.VERTEX),
                  'COLOR_0': g.accessor([tuple(int(c * 255 + 0.5) for c in color) + (255,)
                                         for color in skin.colors], 'VEC4', gltf.U8, gltf.VERTEX, True)}
    for k in range(2):
        part = [pairs[4 * k:4 * k + 4] for pairs in skin.weights]
        attributes['JOINTS_%d' % k] = g.accessor([tuple(j for j, _ in p) for p in part], 'VEC4',
                                                 gltf.U8, gltf.VERTEX)
        attributes['WEIGHTS_%d' % k] = g.accessor([tuple(w for _, w in p) for p in part], 'VEC4',
                                                  gltf.U16, gltf.VERTEX, True)
    material = g.material('Skin', roughness=0.35)
    g.append('meshes', {'name': 'Tentacle', 'primitives': [
        {'attributes': attributes, 'indices': g.indices(skin.triangles), 'material': material}]})
    g.node(root, name='Tentacle_skin', mesh=0, skin=0)
    _clip_wave(g.animation('Wave'), nodes)
    _clip_curl(g.animation('Curl'), nodes)
    _clip_gulp(g.animation('Gulp'), nodes)
    return {'tentacle.glb': g.encode()}
