"""assets/koi/: a fish as an Inter-Quake Model, in that format's own world: Z up, the front at -Y.

koi.iqm has a body whose texture is found by its material's name, koi.png, and eyes of vertex
colours alone; it swims round and round, and gulps with joints that scale. dive.iqm has a clip and
nothing else: its joints have no names.
"""
import math

from . import iqm, png, vec

RINGS, SIDES = 20, 12
FRONT, LENGTH = -0.5, 0.82  # of the body, along Y
SPINE = (-0.24, -0.08, 0.08, 0.22, 0.33)  # where the joints behind the head are
JOINTS = ('root', 'spine1', 'spine2', 'spine3', 'tail', 'fin_l', 'fin_r', 'jaw')
PARENTS = (-1, 0, 1, 2, 3, 0, 0, 0)
FIN_AT = (0.11, -0.2, -0.05)
WHITE = (255, 255, 255, 255)


def picture(width=64, height=128):
    """The body left of three quarters, u around from the belly, v from nose to tail; then fins."""
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            u, v = (x + 0.5) / (0.75 * width), (y + 0.5) / height
            if u > 1.0:
                ray = 0.86 + 0.14 * math.cos(2 * math.pi * 5 * (u - 1.0) * 3)
                color = vec.lerp((250, 150, 84), (255, 238, 220), vec.smoothstep(0.1, 0.9, v))
                pixels += bytes(int(c * ray) for c in color)
                continue
            back = 0.5 - 0.5 * math.cos(2 * math.pi * u)
            patch = (math.sin(9.0 * v + 2.2 * math.sin(6.3 * u)) + 0.6 * math.sin(17.0 * v - 5.0 * back)
                     + 1.5 * back - 0.75)
            color = vec.lerp((246, 240, 230), (226, 74, 26), vec.smoothstep(0.25, 0.5, patch))
            ink = math.sin(23.0 * v + 4.0) * math.sin(11.0 * u + 1.0) + back - 1.0
            color = vec.lerp(color, (38, 36, 44), vec.smoothstep(0.5, 0.62, ink))
            scale = (x + 4 * (y // 4 % 2)) % 8
            shade = 0.9 if scale == 0 or y % 4 == 0 and scale in (1, 7) else 1.0
            pixels += bytes(int(c * shade) for c in color)
    return png.encode(width, height, pixels)


class Mesh:
    def __init__(self, name, material):
        self.name, self.material = name, material
        self.points, self.normals, self.uvs, self.colors = [], [], [], []
        self.weights, self.triangles = [], []

    def vertex(self, p, n, uv, color, pairs):
        self.points.append(p)
        self.normals.append(vec.unit(n))
        self.uvs.append(uv)
        self.colors.append(color)
        self.weights.append(pairs)
        return len(self.points) - 1

    def grid(self, first, rows, columns):
        for r in range(rows - 1):
            for c in range(columns - 1):
                a = first + r * columns + c
                b, d, e = a + 1, a + columns, a + columns + 1
                self.triangles += [t for t in ((a, b, e), (a, e, d))
                                   if len({self.points[i] for i in t}) == 3]


def section(s):
    """Half width, half height and middle of the body at the fraction s of its length."""
    round_off = math.sqrt(vec.clamp(1.0 - (1.0 - s / 0.22) ** 2, 0.0, 1.0)) if s < 0.22 else 1.0
    taper = 1.0 - 0.82 * vec.smoothstep(0.25, 1.0, s)
    return 0.115 * round_off * taper, 0.15 * round_off * (1.0 - 0.7 * vec.smoothstep(0.3, 1.0, s)), \
        -0.01 * math.sin(math.pi * s)


def spine_weights(y):
    """Two joints share each place between the middles of the spine's joints."""
    place = 0
    while place < 4 and y > SPINE[place + 1]:
        place += 1
    if y <= SPINE[0] or place == 4:
        return [(0 if y <= SPINE[0] else 4, 255)]
    t = vec.smoothstep(0.0, 1.0, (y - SPINE[place]) / (SPINE[place + 1] - SPINE[place]))
    share = int(255 * t + 0.5)
    return [p for p in ((place, 255 - share), (place + 1, share)) if p[1]]


def body_weights(y, z):
    jaw = int(255 * vec.smoothstep(-0.36, -0.46, y) * vec.smoothstep(0.01, -0.03, z) + 0.5)
    if not jaw:
        return spine_weights(y)
    return [p for p in ((7, jaw), (0, 255 - jaw)) if p[1]]


def add_body(mesh):
    first = len(mesh.points)
    for r in range(RINGS + 1):
        s = (r / RINGS) ** 1.4
        half = section(s)
        ahead, behind = section(min(s + 1e-3, 1.0)), section(max(s - 1e-3, 0.0))
        slope = (ahead[1] - behind[1]) / (2e-3 * LENGTH)
        for c in range(SIDES + 1):
            t = 2 * math.pi * c / SIDES
            side, up = -math.sin(t), -math.cos(t)  # from the belly by the right to the back
            y = FRONT + LENGTH * s
            p = (side * half[0], y, up * half[1] + half[2])
            n = (side / max(half[0], 1e-3), -slope / max(half[1], 1e-3), up / max(half[1], 1e-3))
            if r == 0:
                n = (0.0, -1.0, 0.0)
            mesh.vertex(p, n, (0.75 * c / SIDES, s), WHITE, body_weights(y, p[2]))
    mesh.grid(first, RINGS + 1, SIDES + 1)


def add_fin(mesh, rays, weights):
    """A thin sheet from pairs of root and tip, with both its sides; the normal is that of the quads."""
    for side in (1, -1):
        first = len(mesh.points)
        for i, (root, tip) in enumerate(rays):
            before, after = rays[max(i - 1, 0)], rays[min(i + 1, len(rays) - 1)]
            along = vec.sub(vec.add(after[0], after[1]), vec.add(before[0], before[1]))
            n = vec.mul(vec.cross(vec.sub(tip, root), along), side)
            for k in range(3):
                p = vec.lerp(root, tip, k / 2)
                u = 0.78 + 0.2 * i / (len(rays) - 1)
                mesh.vertex(p, n, (u, 0.05 + 0.45 * k), WHITE, weights(p))
        count = len(mesh.triangles)
        mesh.grid(first, len(rays), 3)
        if side > 0:
            mesh.triangles[count:] = [(a, c, b) for a, b, c in mesh.triangles[count:]]


def add_fins(mesh):
    tail = []
    for i in range(9):
        a = math.radians(-68 + 17 * i)
        reach = 0.2 + 0.07 * math.cos(2 * a + math.pi)
        tail.append(((0.0, 0.3, 0.03 * math.sin(a)),
                     (0.0, 0.32 + reach * math.cos(a) + 0.1 * abs(math.sin(a)), 1.15 * reach * math.sin(a))))
    add_fin(mesh, tail, lambda p: spine_weights(p[1]))
    back = []
    for i in range(7):
        y = -0.2 + 0.05 * i
        half = section((y - FRONT) / LENGTH)
        back.append(((0.0, y, half[1] + half[2] - 0.01),
                     (0.0, y + 0.07, half[1] + half[2] + 0.09 * math.sin(math.pi * (i + 1.5) / 8.5))))
    add_fin(mesh, back, lambda p: spine_weights(p[1]))
    for joint, side in ((5, 1), (6, -1)):
        rays = []
        for i in range(5):
            a = math.radians(10 + 18 * i)
            rays.append(((side * FIN_AT[0] * 0.8, FIN_AT[1] + 0.02 * i, FIN_AT[2] - 0.005 * i),
                         (side * (FIN_AT[0] + 0.17 * math.cos(a)), FIN_AT[1] + 0.04 + 0.17 * math.sin(a),
                          FIN_AT[2] - 0.06)))
        add_fin(mesh, rays, lambda p, joint=joint: [(joint, 255)])


def add_eyes(mesh):
    for side in (1, -1):
        middle, first = (side * 0.1, -0.39, 0.045), len(mesh.points)
        for r in range(7):
            for c in range(11):
                t, a = math.pi * r / 6, 2 * math.pi * c / 10 * -side
                n = (side * math.cos(t), math.sin(t) * math.cos(a), math.sin(t) * math.sin(a))
                color = (20, 18, 24, 255) if r < 2 else (236, 178, 60, 255) if r < 3 else (250, 246, 238, 255)
                mesh.vertex(vec.mad(middle, n, 0.027), n, (0.0, 0.0), color, [(0, 255)])
        mesh.grid(first, 7, 11)


# The skeleton and its clips

def heads():
    spots = [(0.0, y, 0.0) for y in SPINE]
    return spots + [(FIN_AT[0] * 0.8, FIN_AT[1], FIN_AT[2]), (-FIN_AT[0] * 0.8, FIN_AT[1], FIN_AT[2]),
                    (0.0, -0.36, -0.02)]


def pose(turns=None, scales=None, lift=0.0):
    """Ten numbers a joint: joints rest without a turn, each where its head is."""
    turns, scales, spots, out = turns or {}, scales or {}, heads(), []
    for j, parent in enumerate(PARENTS):
        at = spots[j] if parent < 0 else vec.sub(spots[j], spots[parent])
        at = vec.add(at, (0.0, 0.0, lift)) if parent < 0 else at
        out.append(tuple(at) + tuple(turns.get(JOINTS[j], vec.IDENTITY)) +
                   tuple(scales.get(JOINTS[j], (1.0, 1.0, 1.0))))
    return out


def swim(t):
    """A wave that runs from head to tail, once in each unit of t."""
    turns = {}
    for j, (name, size) in enumerate((('root', 5), ('spine1', 8), ('spine2', 14), ('spine3', 20), ('tail', 28))):
        turns[name] = vec.quat_axis((0, 0, 1), size * math.sin(2 * math.pi * (t - 0.16 * j)))
    flap = 22 * math.sin(2 * math.pi * t)
    turns['fin_l'] = vec.quat_axis((0, 1, 0), flap)
    turns['fin_r'] = vec.quat_axis((0, 1, 0), -flap)
    return pose(turns, lift=0.01 * math.sin(4 * math.pi * t))


def gulp(t):
    """The jaw opens, and a bulge goes down the body: each joint's scale is undone by the next."""
    turns = {'jaw': vec.quat_axis((1, 0, 0), 32 * math.sin(math.pi * min(1.0, 2.5 * t)))}
    bulges = [1.0 + 0.35 * math.exp(-((t - 0.3 - 0.18 * j) / 0.14) ** 2) for j in range(4)]
    scales = {}
    for j, name in enumerate(JOINTS[:4]):
        b = bulges[j] / (bulges[j - 1] if j else 1.0)
        scales[name] = (b, 1.0, b)
    return pose(turns, scales)


def dive(t):
    """Begins bent: the first frame of such a file is no pose that joints rest in."""
    bend = 0.3 + 0.7 * vec.smoothstep(0.0, 1.0, t)
    return pose({'root': vec.quat_axis((1, 0, 0), 40 * bend), 'spine2': vec.quat_axis((1, 0, 0), -25 * bend),
                 'tail': vec.quat_axis((1, 0, 0), -30 * bend)}, lift=-0.1 * bend)


def build():
    body, eyes = Mesh('Body', 'koi'), Mesh('Eyes', '')
    add_body(body)
    add_fins(body)
    add_eyes(eyes)
    joints = [(name, parent, row) for name, parent, row in zip(JOINTS, PARENTS, pose())]
    clips = [('Swim', 16.0, iqm.LOOP, [swim(k / 16) for k in range(16)]),
             ('Gulp', 12.0, 0, [gulp(k / 12) for k in range(13)])]
    alone = [('Dive', 10.0, 0, [dive(k / 8) for k in range(9)])]
    return {'koi/koi.iqm': iqm.encode([body, eyes], joints, clips), 'koi/koi.png': picture(),
            'koi/dive.iqm': iqm.encode([], joints, alone)}
