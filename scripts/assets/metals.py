"""Three metal models on which check_look.py measures the look: a cake, a pawn and a knight.

The cake is what a glTF looks like that leaves metallicFactor out: grey paint that became metal. The
pawn is white, rough metal. The knight is the figure of assets/ in plates of steel and brass. They are
not part of assets/: check_look.py makes them when it runs.
"""
import json
import math
import struct

from . import figure_rig, figure_shape, gltf, vec

AROUND = 48
_SIDES = (('L', 1.0), ('R', -1.0))


class _Shell:
    """Triangles with a normal per vertex, in world space."""

    def __init__(self):
        self.points, self.normals, self.triangles = [], [], []

    def grid(self, rows):
        """rows: equally long rows of (point, normal), counter-clockwise seen from above."""
        first, width = len(self.points), len(rows[0])
        for row in rows:
            self.points += [p for p, _ in row]
            self.normals += [n for _, n in row]
        for y in range(len(rows) - 1):
            for x in range(width - 1):
                a = first + y * width + x
                self._corner(a, a + 1, a + width + 1)
                self._corner(a, a + width + 1, a + width)

    def _corner(self, a, b, c):
        p, q, r = self.points[a], self.points[b], self.points[c]
        if vec.length(vec.cross(vec.sub(q, p), vec.sub(r, p))) > 1e-12:
            self.triangles.append((a, b, c))

    def lathe(self, profile, centre=(0.0, 0.0, 0.0), across=1.0, deep=1.0, around=AROUND):
        """profile: (radius, height) from the bottom up; a repeated point makes a sharp edge."""
        rows = []
        for k, (radius, height) in enumerate(profile):
            nx, ny = _profile_normal(profile, k)
            row = []
            for x in range(around + 1):
                s, c = math.sin(2.0 * math.pi * x / around), math.cos(2.0 * math.pi * x / around)
                n = vec.unit((nx * s / across, ny, nx * c / deep))
                row.append(((centre[0] + radius * across * s, centre[1] + height,
                             centre[2] + radius * deep * c), n))
            rows.append(row)
        self.grid(rows)

    def ball(self, centre, radius, steps=9):
        self.lathe([(radius * math.sin(math.pi * k / steps), -radius * math.cos(math.pi * k / steps))
                    for k in range(steps + 1)], centre, around=2 * steps)

    def tube(self, a, b, rings, ahead=(0.0, 0.0, 1.0)):
        """An open tube from a to b; rings: (share of the way, across, deep). It has both faces."""
        axis = vec.unit(vec.sub(b, a))
        z = vec.unit(vec.mad(ahead, axis, -vec.dot(ahead, axis)))
        x = vec.cross(axis, z)
        length = vec.distance(a, b)
        rows = []
        for k, (t, across, deep) in enumerate(rings):
            t0, w0, _ = rings[max(k - 1, 0)]
            t1, w1, _ = rings[min(k + 1, len(rings) - 1)]
            slope = (w1 - w0) / ((t1 - t0) * length)
            row = []
            for i in range(AROUND + 1):
                s, c = math.sin(2.0 * math.pi * i / AROUND), math.cos(2.0 * math.pi * i / AROUND)
                p = vec.mad(vec.mad(vec.lerp(a, b, t), x, across * s), z, deep * c)
                n = vec.mad(vec.mad(vec.mul(axis, -slope), x, s / across * deep), z, c)
                row.append((p, vec.unit(n)))
            rows.append(row)
        self.grid(rows)


def _profile_normal(profile, k):
    """The normal (outwards, up) at a point of a profile: the mean of its edges, or of one edge."""
    def edge(i):
        (r0, h0), (r1, h1) = profile[i], profile[i + 1]
        length = math.hypot(r1 - r0, h1 - h0)
        return ((h1 - h0) / length, (r0 - r1) / length) if length > 1e-9 else None
    edges = [edge(i) for i in (k - 1, k) if 0 <= i < len(profile) - 1]
    edges = [e for e in edges if e]
    x, y = sum(e[0] for e in edges), sum(e[1] for e in edges)
    length = math.hypot(x, y)
    return x / length, y / length


def _rounded(radius, low, high, soft):
    """The profile of a flat tier with a rounded upper edge."""
    arc = [(radius - soft + soft * math.cos(a), high - soft + soft * math.sin(a))
           for a in (math.pi / 2 * k / 8 for k in range(9))]
    return [(0.0, low), (radius, low), (radius, low), *arc, (0.0, high)]


def _cake():
    shell = _Shell()
    shell.lathe(_rounded(0.62, 0.0, 0.03, 0.012))
    shell.lathe(_rounded(0.46, 0.03, 0.26, 0.05))
    shell.lathe(_rounded(0.29, 0.26, 0.45, 0.04))
    for count, radius, height, size in ((18, 0.405, 0.275, 0.045), (24, 0.47, 0.06, 0.035),
                                        (10, 0.225, 0.46, 0.04)):
        for k in range(count):
            turn = 2.0 * math.pi * k / count
            shell.ball((radius * math.sin(turn), height, radius * math.cos(turn)), size)
    shell.lathe([(0.0, 0.45), (0.022, 0.45), (0.022, 0.45), (0.022, 0.62), (0.022, 0.62), (0.0, 0.62)])
    shell.ball((0.0, 0.655, 0.0), 0.03)
    return shell


def _pawn():
    shell = _Shell()
    shell.lathe([(0.0, 0.0), (0.34, 0.0), (0.34, 0.0), (0.35, 0.03), (0.35, 0.09), (0.32, 0.13),
                 (0.32, 0.13), (0.29, 0.15), (0.28, 0.19), (0.21, 0.24), (0.15, 0.33), (0.12, 0.45),
                 (0.115, 0.54), (0.12, 0.58), (0.12, 0.58), (0.20, 0.60), (0.21, 0.62), (0.20, 0.64),
                 (0.11, 0.66), (0.11, 0.66), (0.12, 0.67), (0.0, 0.67)])
    shell.ball((0.0, 0.80, 0.0), 0.165, 24)
    return shell


def _one_model(name, shell, pbr):
    g = gltf.Gltf(name)
    material = g.append('materials', {'name': name, 'pbrMetallicRoughness': pbr})
    g.node(name=name, mesh=_mesh(g, name, shell, shell.points, shell.normals, material))
    return g.encode()


def _mesh(g, name, shell, points, normals, material):
    attributes = {'POSITION': g.accessor(points, 'VEC3', target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor(normals, 'VEC3', target=gltf.VERTEX)}
    return g.append('meshes', {'name': name, 'primitives': [
        {'attributes': attributes, 'indices': g.indices(shell.triangles), 'material': material}]})


def _read(data):
    """A Gltf of the bytes of a .glb, to which more can be added."""
    length, = struct.unpack('<I', data[12:16])
    g = gltf.Gltf('')
    g.json = json.loads(data[20:20 + length])
    size = g.json.pop('buffers')[0]['byteLength']
    g.blob = bytearray(data[28 + length:28 + length + size])
    return g


def _flip(p, s):
    return (p[0] * s, p[1], p[2])


def _helmet():
    steel, brass = _Shell(), _Shell()
    dome = [(math.cos(a), math.sin(a)) for a in (math.pi / 2 * k / 12 for k in range(13))]
    steel.lathe([(0.196 * c, 0.20 * s) for c, s in dome], (0.0, 1.49, -0.006), 0.98, 1.0)
    brass.lathe([(0.196, -0.022), (0.206, -0.018), (0.206, 0.018), (0.196, 0.022)], (0.0, 1.49, -0.006))
    brass.tube((0.0, 1.49, 0.196), (0.0, 1.40, 0.206), [(0.0, 0.016, 0.006), (1.0, 0.011, 0.006)])
    for k in range(15):
        turn = math.radians(10 + 10 * k)
        brass.ball((0.0, 1.49 + 0.205 * math.sin(turn), -0.006 + 0.205 * math.cos(turn)), 0.022)
    return steel, brass


def _arms(side, s):
    """Pauldron, vambrace and gauntlet's cuff, with the joints that carry them."""
    shape = figure_shape
    shoulder, elbow, wrist = (_flip(p, s) for p in (shape.SHOULDER, shape.ELBOW, shape.WRIST))
    pauldron, vambrace, cuff = _Shell(), _Shell(), _Shell()
    top = vec.mad(shoulder, _flip(shape.ARM, s), -0.075)
    cup = [(t, 0.088 * math.sqrt(max(0.0, 1.0 - (1.0 - t) ** 2.2)) + 0.001) for t in
           (k / 8 for k in range(9))]
    pauldron.tube(top, vec.mad(shoulder, _flip(shape.ARM, s), 0.075), [(t, w, w) for t, w in cup])
    vambrace.tube(elbow, wrist, [(0.05, 0.066, 0.066), (0.2, 0.069, 0.066), (0.8, 0.062, 0.060),
                                 (0.95, 0.068, 0.066)])
    cuff.tube(elbow, wrist, [(0.92, 0.071, 0.069), (1.0, 0.072, 0.070)])
    return [('upperarm.' + side, pauldron, 'steel'), ('forearm.' + side, vambrace, 'steel'),
            ('forearm.' + side, cuff, 'brass')]


def _legs(side, s):
    shape = figure_shape
    hip, knee, ankle = (_flip(p, s) for p in (shape.HIP, shape.KNEE, shape.ANKLE))
    cuisse, greave, cop = _Shell(), _Shell(), _Shell()
    cuisse.tube(hip, knee, [(0.30, 0.096, 0.102), (0.5, 0.092, 0.098), (0.85, 0.080, 0.084)])
    greave.tube(knee, ankle, [(0.10, 0.078, 0.082), (0.35, 0.081, 0.084), (0.75, 0.086, 0.090),
                              (0.88, 0.092, 0.096)])
    cop.lathe([(0.062 * math.cos(a), 0.07 * math.sin(a)) for a in
               (math.pi * (k / 10 - 0.5) for k in range(11))],
              vec.add(knee, (0.0, 0.0, 0.045)), 1.0, 0.7)
    return [('thigh.' + side, cuisse, 'steel'), ('shin.' + side, greave, 'steel'),
            ('shin.' + side, cop, 'brass')]


def _plates():
    """(joint, shell, metal) of all plates, in the rest pose."""
    breast, belt, fauld = _Shell(), _Shell(), _Shell()
    low, high = (0.0, 0.90, -0.004), (0.0, 1.20, -0.004)
    breast.tube(low, high, [(0.0, 0.150, 0.124), (0.25, 0.158, 0.134), (0.55, 0.172, 0.142),
                            (0.8, 0.166, 0.130), (0.95, 0.140, 0.108)])
    belt.tube(low, high, [(-0.06, 0.150, 0.124), (0.03, 0.153, 0.127)])
    fauld.tube((0.0, 0.885, -0.004), (0.0, 0.70, -0.004), [(0.0, 0.164, 0.138), (0.5, 0.188, 0.156),
                                                          (1.0, 0.202, 0.168)])
    steel, brass = _helmet()
    plates = [('chest', breast, 'steel'), ('spine2', belt, 'brass'), ('hips', fauld, 'steel'),
              ('head', steel, 'steel'), ('head', brass, 'brass')]
    for side, s in _SIDES:
        plates += _arms(side, s) + _legs(side, s)
    return plates


def _knight(figure):
    g, r = _read(figure), figure_rig.build()
    places = {node.get('name'): k for k, node in enumerate(g.json['nodes'])}
    del g.json['nodes'][places['Hat']]['mesh']
    metals = {'steel': g.material('steel', (0.56, 0.57, 0.58, 1), roughness=0.35, metallic=1.0,
                                  doubleSided=True),
              'brass': g.material('brass', (0.78, 0.57, 0.29, 1), roughness=0.3, metallic=1.0,
                                  doubleSided=True)}
    for joint, shell, metal in _plates():
        j = r.index[joint]
        back, turn = vec.mat_inverse(r.rest_matrix(j)), vec.quat_conj(r.joints[j].frame)
        mesh = _mesh(g, joint, shell, [vec.mat_point(back, p) for p in shell.points],
                     [vec.quat_rotate(turn, n) for n in shell.normals], metals[metal])
        g.node(places[joint], name='%s of %s' % (metal, joint), mesh=mesh)
    return g.encode()


def build(figure):
    """figure: the bytes of assets/figure.glb."""
    return {'cake.glb': _one_model('Cake', _cake(), {'baseColorFactor': [0.5, 0.5, 0.5, 1.0],
                                                     'roughnessFactor': 0.5}),
            'pawn.glb': _one_model('Pawn', _pawn(), {'baseColorFactor': [1.0, 1.0, 1.0, 1.0],
                                                     'metallicFactor': 1.0, 'roughnessFactor': 1.0}),
            'knight.glb': _knight(figure)}
