"""assets/stage.glb: a small garden for everything that is not skinning.

A moving perspective camera and a fixed orthographic one; rigid nodes animated with STEP, LINEAR and
CUBICSPLINE; nodes with `matrix`; non-uniform scale under rotation under non-uniform scale; a
mirrored node; a repeated texture seen at a grazing angle; an alpha-masked fence and tree; glass.
"""
import math

from . import gltf, png, vec

PERIOD = 6.0


class Solid:
    """Triangles with flat or smooth normals and texture coordinates."""

    def __init__(self):
        self.points, self.normals, self.uvs, self.triangles = [], [], [], []

    def face(self, corners, uvs=((0, 0), (1, 0), (1, 1), (0, 1)), normal=None):
        """A flat quad or triangle, counter-clockwise from outside."""
        n = normal or vec.unit(vec.cross(vec.sub(corners[1], corners[0]), vec.sub(corners[2], corners[0])))
        first = len(self.points)
        for p, uv in zip(corners, uvs):
            self.points.append(p)
            self.normals.append(n)
            self.uvs.append(uv)
        self.triangles += [(first, first + k, first + k + 1) for k in range(1, len(corners) - 1)]
        return self

    def box(self, low, high):
        x0, y0, z0 = low
        x1, y1, z1 = high
        for a, b, c, d in (((x1, y0, z1), (x1, y0, z0), (x1, y1, z0), (x1, y1, z1)),
                           ((x0, y0, z0), (x0, y0, z1), (x0, y1, z1), (x0, y1, z0)),
                           ((x0, y1, z1), (x1, y1, z1), (x1, y1, z0), (x0, y1, z0)),
                           ((x0, y0, z0), (x1, y0, z0), (x1, y0, z1), (x0, y0, z1)),
                           ((x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)),
                           ((x1, y0, z0), (x0, y0, z0), (x0, y1, z0), (x1, y1, z0))):
            self.face((a, b, c, d))
        return self

    def lathe(self, profile, sides=24):
        """profile: (radius, y) upwards on the outside; corners are sharp where a point repeats."""
        first = len(self.points)
        for k, (r, y) in enumerate(profile):
            before = profile[k - 1] if k and profile[k - 1] != profile[k] else None
            after = profile[k + 1] if k + 1 < len(profile) and profile[k + 1] != profile[k] else None
            a, b = before or (r, y), after or (r, y)
            run, rise = b[0] - a[0], b[1] - a[1]
            for s in range(sides + 1):
                t = 2 * math.pi * s / sides
                self.points.append((r * math.sin(t), y, r * math.cos(t)))
                self.normals.append(vec.unit((rise * math.sin(t), -run, rise * math.cos(t))))
                self.uvs.append((s / sides, k / (len(profile) - 1)))
        for k in range(len(profile) - 1):
            if profile[k] == profile[k + 1]:
                continue
            for s in range(sides):
                a = first + k * (sides + 1) + s
                d = a + sides + 1
                self.triangles += [(a, a + 1, d + 1)] if profile[k][0] > 0 else []
                self.triangles += [(a, d + 1, d)] if profile[k + 1][0] > 0 else []
        return self

    def add_to(self, g, name, material):
        attributes = {'POSITION': g.accessor(self.points, 'VEC3', target=gltf.VERTEX, bounds=True),
                      'NORMAL': g.accessor(self.normals, 'VEC3', target=gltf.VERTEX),
                      'TEXCOORD_0': g.accessor(self.uvs, 'VEC2', target=gltf.VERTEX)}
        return g.append('meshes', {'name': name, 'primitives': [
            {'attributes': attributes, 'indices': g.indices(self.triangles), 'material': material}]})


def _ball(radius, center_y=0.0, rows=14, start=-0.5, end=0.5):
    """A lathe profile from latitude start to end, in half turns; poles have a radius of zero."""
    profile = []
    for k in range(rows + 1):
        f = start + (end - start) * k / rows
        r = radius * math.cos(math.pi * f) if abs(f) < 0.4999 else 0.0
        profile.append((r, center_y + radius * math.sin(math.pi * f)))
    return profile


# Textures

def checker_png(size=128):
    """Two by two grass and sand tiles with joints."""
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            odd = (x * 2 // size + y * 2 // size) % 2
            edge = min(x % (size // 2), y % (size // 2), size // 2 - 1 - x % (size // 2),
                       size // 2 - 1 - y % (size // 2))
            c = (214, 196, 154) if odd else (122, 160, 92)
            fleck = ((x * 7 + y * 13 + (x * y) % 11) % 17) - 8
            if edge < 2:
                c, fleck = (92, 104, 78), 0
            pixels += bytes(vec.clamp(v + fleck // 2, 0, 255) for v in c)
    return png.encode(size, size, pixels)


def fence_png(width=64, height=64):
    """One pale and its share of the two rails; clear between."""
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            u, v = (x + 0.5) / width, 1 - (y + 0.5) / height
            tip = 0.94 - abs(u - 0.5) * 0.55
            pale = abs(u - 0.5) < 0.27 and v < tip
            rail = abs(v - 0.30) < 0.055 or abs(v - 0.66) < 0.055
            grain = 10 * math.sin(u * 40 + math.sin(v * 9) * 2)
            if pale:
                shade = 244 - 26 * (abs(u - 0.5) > 0.23) - grain * 0.6
                pixels += bytes((int(shade), int(shade * 0.95), int(shade * 0.86), 255))
            elif rail:
                pixels += bytes((206, 190, 166, 255))
            else:
                pixels += bytes((206, 190, 166, 0))
    return png.encode(width, height, pixels, 4)


def leaf_png(size=128):
    """A spray of leaves, one card of the tree's crown."""
    leaves = []
    for k in range(46):
        a = k * 2.39996
        r = 0.44 * math.sqrt((k + 0.5) / 46)
        leaves.append((0.5 + r * math.cos(a), 0.5 + r * math.sin(a), a * 1.7, k))
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            u, v = (x + 0.5) / size, (y + 0.5) / size
            c, alpha = (70, 120, 50), 0
            for lx, ly, a, k in leaves:
                dx, dy = u - lx, v - ly
                p = (dx * math.cos(a) + dy * math.sin(a)) / 0.085
                q = (dy * math.cos(a) - dx * math.sin(a)) / 0.085
                if abs(q) < 0.5 * (1 - p * p):
                    light = 0.75 + 0.35 * ((k * 5) % 7) / 7 - (0.18 if abs(q) < 0.06 else 0.0)
                    c, alpha = tuple(int(vec.clamp(t * light, 0, 255)) for t in (116, 172, 66)), 255
            pixels += bytes(c + (alpha,))
    return png.encode(size, size, pixels, 4)


# The garden

def _materials(g):
    checker = g.texture(checker_png(), 'checker')
    # clamped upwards, or the posts' feet would show above their tips
    fence = g.texture(fence_png(), 'fence', wrap_v=33071)
    leaf = g.texture(leaf_png(), 'leaves', wrap=33071)
    return {
        'ground': g.material('Ground', texture=checker, roughness=0.95),
        'fence': g.material('Fence', texture=fence, roughness=0.9, alphaMode='MASK', alphaCutoff=0.5,
                            doubleSided=True),
        'leaves': g.material('Leaves', texture=leaf, roughness=0.9, alphaMode='MASK',
                             alphaCutoff=0.4, doubleSided=True),
        'glass': g.material('Glass', color=(0.62, 0.86, 0.92, 0.28), roughness=0.05,
                            alphaMode='BLEND', doubleSided=True),
        'white': g.material('Plaster', color=(0.90, 0.86, 0.78, 1), roughness=0.9),
        'roof': g.material('Roof', color=(0.62, 0.12, 0.07, 1), roughness=0.7),
        'wood': g.material('Wood', color=(0.36, 0.18, 0.08, 1), roughness=0.8),
        'gold': g.material('Gold', color=(0.90, 0.52, 0.10, 1), roughness=0.3, metallic=0.6),
        'teal': g.material('Teal', color=(0.04, 0.30, 0.32, 1), roughness=0.5),
        'cloth': g.material('Cloth', color=(0.80, 0.12, 0.08, 1), roughness=0.9, doubleSided=True),
        'coral': g.material('Coral', color=(0.80, 0.12, 0.08, 1), roughness=0.5)}


def _add_ground(g, m):
    size, tiles = 6.0, 12.0
    quad = Solid().face(((-size, 0, size), (size, 0, size), (size, 0, -size), (-size, 0, -size)),
                        ((0, 0), (tiles, 0), (tiles, tiles), (0, tiles)))
    g.node(name='Ground', mesh=quad.add_to(g, 'Ground', m['ground']))


def _add_fence(g, m, radius=3.4, count=40, gap=5):
    """A ring of pales, open in front."""
    fence = Solid()
    for k in range(count):
        if k < gap // 2 + 1 or k >= count - gap // 2:
            continue
        a, b = (2 * math.pi * t / count for t in (k - 0.5, k + 0.5))
        p = (radius * math.sin(a), 0.0, radius * math.cos(a))
        q = (radius * math.sin(b), 0.0, radius * math.cos(b))
        h = (0, 0.62, 0)
        u = k * 3.0
        fence.face((p, q, vec.add(q, h), vec.add(p, h)), ((u, 1), (u + 3, 1), (u + 3, 0), (u, 0)))
    g.node(name='Fence', mesh=fence.add_to(g, 'Fence', m['fence']))


def _add_tree(g, m):
    tree = g.node(name='Tree', translation=[-2.0, 0.0, -0.9])
    trunk = Solid().lathe([(0.17, 0), (0.11, 0.15), (0.09, 0.7), (0.07, 1.3)], 12)
    g.node(tree, name='Trunk', mesh=trunk.add_to(g, 'Trunk', m['wood']))
    card = Solid()
    for k in range(7):
        a = math.pi * k / 7
        u = (math.cos(a), 0.25 * math.sin(3 * k), math.sin(a))
        v = vec.unit((0.3 * math.sin(2 * k), 1.0, 0.3 * math.cos(5 * k)))
        c = (0.22 * math.sin(4 * k), 1.55 + 0.16 * math.cos(3 * k), 0.22 * math.cos(4 * k))
        r = 0.78
        card.face([vec.add(c, vec.add(vec.mul(u, r * s), vec.mul(v, r * t))) for s, t in
                   ((-1, -1), (1, -1), (1, 1), (-1, 1))], ((0, 1), (1, 1), (1, 0), (0, 0)))
    return g.node(tree, name='Crown', mesh=card.add_to(g, 'Crown', m['leaves']))


def _add_mill(g, m):
    """A windmill; returns the turning hub and the clock's hand."""
    mill = g.node(name='Mill', translation=[0.9, 0.0, -1.5])
    tower = Solid().lathe([(0.62, 0), (0.62, 0.16), (0.62, 0.16), (0.56, 0.16), (0.56, 0.16), (0.40, 1.75)], 28)
    g.node(mill, name='Tower', mesh=tower.add_to(g, 'Tower', m['white']))
    roof = Solid().lathe([(0.0, 1.72), (0.50, 1.72), (0.50, 1.72), (0.40, 1.95), (0.20, 2.24), (0.0, 2.34)], 28)
    g.node(mill, name='Roof', mesh=roof.add_to(g, 'Roof', m['roof']))
    door = Solid().box((-0.15, 0.0, 0.50), (0.15, 0.55, 0.60))
    g.node(mill, name='Door', mesh=door.add_to(g, 'Door', m['teal']))
    # Fixed placements are given as matrices, as exporters do.
    axle = g.node(mill, name='Axle', matrix=list(vec.flat_columns(
        vec.compose((0.0, 1.86, 0.42), vec.euler(x=-8.0)))))
    hub = g.node(axle, name='Hub', rotation=[0.0, 0.0, 0.0, 1.0])
    pin = Solid().lathe([(0.0, -0.10), (0.085, -0.10), (0.085, -0.10), (0.085, 0.12), (0.05, 0.17),
                         (0.0, 0.18)], 16)
    g.node(hub, name='Pin', mesh=pin.add_to(g, 'Pin', m['gold']),
           matrix=list(vec.flat_columns(vec.compose((0, 0, 0), vec.euler(x=90.0)))))
    blade = _blade().add_to(g, 'Blade', m['wood'])
    for k in range(4):
        g.node(hub, name='Blade_%d' % k, mesh=blade, matrix=list(vec.flat_columns(
            vec.compose((0.0, 0.0, 0.09), vec.euler(z=90.0 * k)))))
    face = Solid().lathe([(0.0, 0.0), (0.17, 0.0), (0.17, 0.0), (0.17, 0.04), (0.17, 0.04), (0.0, 0.05)], 24)
    clock = g.node(mill, name='Clock', translation=[0.0, 0.92, 0.475], rotation=list(vec.euler(x=84.5)),
                   mesh=face.add_to(g, 'Clock', m['white']))
    hand = Solid().box((-0.012, 0.045, -0.02), (0.012, 0.065, 0.13))
    return hub, g.node(clock, name='Hand', mesh=hand.add_to(g, 'Hand', m['coral']))


def _blade():
    """A lattice sail: one arm, a frame and slats."""
    blade = Solid().box((-0.022, 0.05, -0.018), (0.022, 1.12, 0.018))
    blade.box((0.022, 0.26, -0.010), (0.26, 0.29, 0.010))
    blade.box((0.022, 1.08, -0.010), (0.26, 1.11, 0.010))
    blade.box((0.24, 0.29, -0.010), (0.26, 1.08, 0.010))
    for k in range(7):
        y = 0.36 + 0.10 * k
        blade.box((0.022, y, -0.006), (0.24, y + 0.055, 0.006))
    return blade


def _add_greenhouse(g, m):
    """A glass dome over a crystal that turns and hovers."""
    house = g.node(name='Greenhouse', translation=[1.75, 0.0, 0.75])
    base = Solid().lathe([(0.0, 0.0), (0.60, 0.0), (0.60, 0.0), (0.60, 0.10), (0.60, 0.10), (0.0, 0.10)], 32)
    g.node(house, name='Base', mesh=base.add_to(g, 'Base', m['wood']))
    crystal = Solid()
    for k in range(6):
        a, b = math.pi * k / 3, math.pi * (k + 1) / 3
        p, q = ((0.17 * math.sin(t), 0.0, 0.17 * math.cos(t)) for t in (a, b))
        crystal.face((p, q, (0, 0.34, 0)), ((0, 0), (1, 0), (0.5, 1)))
        crystal.face((q, p, (0, -0.22, 0)), ((0, 0), (1, 0), (0.5, 1)))
    gem = g.node(house, name='Crystal', translation=[0.0, 0.42, 0.0],
                 mesh=crystal.add_to(g, 'Crystal', m['coral']))
    dome = Solid().lathe(_ball(0.55, 0.10, 12, 0.0, 0.5), 32)
    g.node(house, name='Dome', mesh=dome.add_to(g, 'Dome', m['glass']), scale=[1.0, 1.35, 1.0])
    return gem


def _add_seesaw(g, m):
    """Scale under rotation under scale: the boxes on the plank are sheared as it rocks."""
    saw = g.node(name='Seesaw', translation=[-0.7, 0.0, 1.1], rotation=list(vec.euler(y=24.0)),
                 scale=[1.25, 0.9, 1.0])
    foot = Solid()
    left, right, top = (((x, y, -0.16), (x, y, 0.16)) for x, y in ((-0.2, 0.0), (0.2, 0.0), (0.0, 0.34)))
    foot.face((left[1], right[1], top[1]), ((0, 0), (1, 0), (0.5, 1)))
    foot.face((right[0], left[0], top[0]), ((0, 0), (1, 0), (0.5, 1)))
    foot.face((right[1], right[0], top[0], top[1]))
    foot.face((left[0], left[1], top[1], top[0]))
    g.node(saw, name='Foot', mesh=foot.add_to(g, 'Foot', m['teal']))
    rock = g.node(saw, name='Rock', translation=[0.0, 0.36, 0.0], rotation=[0.0, 0.0, 0.0, 1.0])
    cube = Solid().box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))
    g.node(rock, name='Plank', mesh=cube.add_to(g, 'Plank', m['gold']), scale=[1.7, 0.06, 0.34])
    stretch = g.node(rock, name='Stretch', translation=[0.62, 0.19, 0.0], scale=[0.8, 1.5, 0.8])
    spin = g.node(stretch, name='Spin', rotation=[0.0, 0.0, 0.0, 1.0])
    g.node(spin, name='Box', mesh=cube.add_to(g, 'Box', m['coral']), scale=[0.32, 0.20, 0.32])
    ball = Solid().lathe(_ball(0.5, 0.0, 16), 24)
    g.node(rock, name='Egg', mesh=ball.add_to(g, 'Egg', m['white']),
           translation=[-0.62, 0.20, 0.0], scale=[0.28, 0.38, 0.28])
    return rock, spin


def _add_flags(g, m):
    """Two pennants at the gate, the second one the mirror image of the first."""
    pole = Solid().lathe([(0.028, 0.0), (0.022, 1.5), (0.022, 1.5), (0.045, 1.52), (0.045, 1.57),
                          (0.0, 1.60)], 12)
    pole_mesh = pole.add_to(g, 'Pole', m['wood'])
    cloth = Solid()
    a, b, c = (0.02, 1.46, 0.0), (0.02, 1.02, 0.0), (0.66, 1.30, 0.10)
    cloth.face((a, b, c), ((0, 0), (0, 1), (1, 0.3)))
    cloth_mesh = cloth.add_to(g, 'Pennant', m['cloth'])
    flags = []
    for name, x, scale in (('Left', 0.62, 1.0), ('Right', -0.62, -1.0)):
        post = g.node(name='Flag_' + name, translation=[x, 0.0, 3.3], scale=[scale, 1.0, 1.0])
        g.node(post, name='Pole_' + name, mesh=pole_mesh)
        flags.append(g.node(post, name='Cloth_' + name, mesh=cloth_mesh, rotation=[0.0, 0.0, 0.0, 1.0]))
    return flags


def _add_cameras(g):
    """An orbiting camera on a turning pivot, and a plan from above."""
    pivot = g.node(name='Pivot', translation=[0.0, 0.85, -0.2], rotation=[0.0, 0.0, 0.0, 1.0])
    orbit = g.append('cameras', {'name': 'Orbit', 'type': 'perspective',
                                 'perspective': {'yfov': math.radians(38.0), 'znear': 0.1, 'zfar': 80.0}})
    dolly = g.node(pivot, name='Orbit', camera=orbit, translation=[0.0, 0.75, 6.6],
                   rotation=list(vec.euler(x=-7.0)))
    plan = g.append('cameras', {'name': 'Plan', 'type': 'orthographic',
                                'orthographic': {'xmag': 4.0, 'ymag': 4.0, 'znear': 0.1, 'zfar': 30.0}})
    g.node(name='Plan', camera=plan, translation=[0.0, 12.0, 0.0], rotation=list(vec.euler(x=-90.0)))
    return pivot, dolly


def _animate(g, crown, hub, hand, gem, rock, spin, flags, pivot, dolly):
    clip = g.animation('Garden')
    quarters = [PERIOD * k / 8 for k in range(9)]
    clip.channel(hub, 'rotation', quarters, [vec.euler(z=-90.0 * k) for k in range(9)])
    ticks = [PERIOD * k / 12 for k in range(12)]
    clip.channel(hand, 'rotation', ticks, [vec.euler(y=-30.0 * k) for k in range(12)], 'STEP')
    clip.channel(spin, 'rotation', quarters, [vec.euler(y=45.0 * k, x=20.0 * math.sin(k * math.pi / 2))
                                              for k in range(9)])

    def turn(t):
        return 2 * math.pi * t / PERIOD
    sixths = [PERIOD * k / 12 for k in range(13)]
    for node, path, sample in (
            (rock, 'rotation', lambda t: vec.euler(z=13.0 * math.sin(2 * turn(t)))),
            (gem, 'rotation', lambda t: vec.euler(y=math.degrees(turn(t)))),
            (gem, 'translation', lambda t: (0.0, 0.42 + 0.06 * math.sin(2 * turn(t)), 0.0)),
            (crown, 'rotation', lambda t: vec.euler(x=2.0 * math.sin(turn(t)), z=2.5 * math.sin(2 * turn(t)))),
            (dolly, 'translation', lambda t: (0.0, 0.75 + 0.45 * math.sin(turn(t)), 6.6 - 1.3 * math.cos(turn(t)))),
            (flags[0], 'rotation', lambda t: vec.euler(y=16.0 * math.sin(3 * turn(t)))),
            (flags[1], 'rotation', lambda t: vec.euler(y=16.0 * math.sin(3 * turn(t) - 0.8)))):
        clip.channel(node, path, sixths, gltf.cubic_rows(sixths, sample), 'CUBICSPLINE')
    clip.channel(pivot, 'rotation', sixths, [vec.euler(y=38.0 * math.sin(turn(t))) for t in sixths])


def build():
    g = gltf.Gltf('Stage')
    m = _materials(g)
    _add_ground(g, m)
    _add_fence(g, m)
    crown = _add_tree(g, m)
    hub, hand = _add_mill(g, m)
    gem = _add_greenhouse(g, m)
    rock, spin = _add_seesaw(g, m)
    flags = _add_flags(g, m)
    pivot, dolly = _add_cameras(g)
    _animate(g, crown, hub, hand, gem, rock, spin, flags, pivot, dolly)
    return {'stage.glb': g.encode()}
