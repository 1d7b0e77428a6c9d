"""What the figure wears: scarf (skinned), hat and eyes (rigid, on the head)."""
import math

from . import figure_rig, figure_shape, gltf, vec
from .rig import limited, to_units

SWATCHES = ((128, 64), (128, 64), (32, 32))  # knitted scarf, knitted hat, eye
_SCARF, _SCARF_STRIPE = (226, 84, 62), (250, 226, 190)
_HAT, _HAT_STRIPE = (240, 178, 62), (44, 132, 138)


def _knit(base, stripe, u, v, rows):
    """Colour of a knitted swatch at u, v in 0..1: columns of V-shaped stitches."""
    x, y = u * 16, v * rows
    slant = abs((x % 1.0) - 0.5)
    stitch = math.sin(2 * math.pi * (y + slant * 0.9))
    groove = 1 - vec.smoothstep(0.36, 0.5, slant)
    light = 0.80 + 0.12 * stitch + 0.10 * groove
    return vec.mul(stripe if stripe else base, light) if stripe else vec.mul(base, light)


def paint_swatches(canvas, places):
    """Fills the reserved rectangles; u runs right and v down in each."""
    for k, ((w, h), (ox, oy)) in enumerate(zip(SWATCHES, places)):
        for y in range(h):
            for x in range(w):
                canvas[ox + x, oy + y] = _swatch(k, (x + 0.5) / w, (y + 0.5) / h)


def _swatch(k, u, v):
    if k == 0:
        return _knit(_SCARF, _SCARF_STRIPE if v > 0.75 else None, u, v, 8)
    if k == 1:
        return _knit(_HAT, _HAT_STRIPE if 0.5 < v < 0.75 else CREAM if v > 0.75 else None, u, v, 8)
    d = math.hypot(u - 0.5, v - 0.5)
    c = vec.lerp((70, 40, 34), (26, 18, 26), vec.smoothstep(0.50, 0.25, v))
    c = vec.lerp(c, (255, 255, 255), 1 - vec.smoothstep(0.10, 0.15, math.hypot(u - 0.62, v - 0.30)))
    return vec.lerp(c, (214, 190, 200), 1 - vec.smoothstep(0.05, 0.09, math.hypot(u - 0.40, v - 0.68)))


CREAM = (246, 230, 200)


class Sheet:
    """A mesh made of grids; u, v in 0..1 are laid on a swatch."""

    def __init__(self, place, swatch, size):
        self.place, self.swatch, self.size = place, swatch, size
        self.points, self.uvs, self.weights, self.triangles = [], [], [], []

    def vertex(self, p, u, v, weights=None):
        x = self.place[0] + 0.5 + u * (self.swatch[0] - 1)
        y = self.place[1] + 0.5 + v * (self.swatch[1] - 1)
        self.points.append(p)
        self.uvs.append((x / self.size, y / self.size))
        self.weights.append(weights)
        return len(self.points) - 1

    def grid(self, rows, columns, point, uv, weights=None):
        """(rows+1) x (columns+1) vertices; front faces see rows up and columns to the right."""
        first = len(self.points)
        for r in range(rows + 1):
            for c in range(columns + 1):
                self.vertex(point(r / rows, c / columns), *uv(r / rows, c / columns),
                            weights(r / rows, c / columns) if weights else None)
        for r in range(rows):
            for c in range(columns):
                a = first + r * (columns + 1) + c
                b, d, e = a + 1, a + columns + 1, a + columns + 2
                for t in ((a, b, e), (a, e, d)):
                    p = [self.points[i] for i in t]
                    if vec.length(vec.cross(vec.sub(p[1], p[0]), vec.sub(p[2], p[0]))) > 1e-12:
                        self.triangles.append(t)

    def normals(self):
        sums = {}
        keys = [tuple(round(c, 6) for c in p) for p in self.points]
        for a, b, c in self.triangles:
            p = self.points
            n = vec.cross(vec.sub(p[b], p[a]), vec.sub(p[c], p[a]))
            for i in (a, b, c):
                sums[keys[i]] = vec.add(sums.get(keys[i], (0.0, 0.0, 0.0)), n)
        return [vec.unit(sums.get(k, (0.0, 1.0, 0.0))) for k in keys]


def _folded(x):
    """Runs 0..1..0: lets a swatch repeat without a jump although it lies inside an atlas."""
    x = x % 2.0
    return x if x <= 1.0 else 2.0 - x


def _scarf_ring(sheet, r):
    """The loop round the neck: a thick tube, lower in front, with a soft overlap."""
    chest, neck = r.index['chest'], r.index['neck']

    def center(t):
        a = 2 * math.pi * t
        return (0.104 * math.sin(a), 1.243 - 0.020 * math.cos(a) + 0.006 * math.sin(2 * a),
                -0.012 + 0.098 * math.cos(a))

    def point(rr, cc):
        a, b = 2 * math.pi * rr, -2 * math.pi * cc
        m = center(rr)
        out = vec.unit((math.sin(a), 0.0, math.cos(a)))
        fold = 1 + 0.10 * math.sin(3 * b + 5 * math.sin(a))
        return vec.add(vec.mad(m, out, 0.040 * fold * math.cos(b)), (0.0, 0.047 * fold * math.sin(b), 0.0))

    def weights(rr, cc):
        up = vec.smoothstep(-0.9, 0.9, -math.sin(2 * math.pi * cc))
        return [(chest, 0.78 - 0.5 * up), (neck, 0.22 + 0.5 * up)]

    sheet.grid(44, 14, point, lambda rr, cc: (_folded(cc * 2), 0.72 * _folded(rr * 22)), weights)


def _scarf_tail(sheet, r, name, count, x, step):
    """A flat tube along a chain of joints, with a striped end."""
    chain = figure_rig.scarf_chain(count, x, step)
    joints = [r.index['scarf_%s%d' % (name, k + 1)] for k in range(count)]
    start = (chain[0][0], chain[0][1] + 0.02, chain[0][2] + 0.02)
    path = [start] + chain

    def along(t):
        f = t * (len(path) - 1)
        i = min(int(f), len(path) - 2)
        return vec.lerp(path[i], path[i + 1], f - i)

    def point(rr, cc):
        m = vec.lerp(along(max(0.0, rr - 0.06)), along(min(1.0, rr + 0.06)), 0.5)
        b = 2 * math.pi * cc
        close = 1.0 if 0 < rr < 1 else 0.0
        wide = (0.030 + 0.022 * vec.smoothstep(0.0, 0.6, rr)) * (0.55 + 0.45 * close)
        return (m[0] + wide * math.cos(b), m[1], m[2] + 0.014 * close * math.sin(b))

    def weights(rr, cc):
        f = rr * (len(path) - 1) - 1.0
        row = {}
        for k, j in enumerate(joints):
            row[j] = max(0.0, 1.0 - abs(f - (k + 0.5)) / 1.1) ** 1.5
        if f < 0.2:
            row[r.index['chest']] = 0.9 * (1 - vec.smoothstep(-1.0, 0.2, f))
        total = sum(row.values())
        if total <= 0:
            row, total = {joints[-1 if f > 0 else 0]: 1.0}, 1.0
        return [(j, w / total) for j, w in row.items() if w > 0]

    def uv(rr, cc):
        stripe = rr > 0.78 and int((rr - 0.78) / 0.055) % 2 == 0
        return (_folded(cc * 2), 0.80 + 0.18 * _folded(rr * 40) if stripe else 0.70 * _folded(rr * 14))
    sheet.grid(36, 12, point, uv, weights)


# The scarf's mesh is stored in tenths of a metre about the neck, so that its skin needs inverse
# bind matrices other than the body's for the same joints.
_SCARF_ORIGIN, _SCARF_UNIT = (0.0, 1.24, -0.012), 0.1


def _add_scarf(g, r, nodes, top, material, spare, size):
    sheet = Sheet(spare[0], SWATCHES[0], size)
    _scarf_ring(sheet, r)
    for tail in figure_rig.SCARF_TAILS:
        _scarf_tail(sheet, r, *tail)
    names = ['chest', 'neck'] + [j.name for j in r.joints if j.name.startswith('scarf')]
    slots = {r.index[n]: k for k, n in enumerate(names)}
    normals = sheet.normals()
    to_mesh = vec.compose(_SCARF_ORIGIN, vec.IDENTITY, (_SCARF_UNIT,) * 3)
    points = [vec.mul(vec.sub(p, _SCARF_ORIGIN), 1 / _SCARF_UNIT) for p in sheet.points]
    rows = [to_units([(slots[j], w) for j, w in limited(dict(ws), 4)], 4, 255) for ws in sheet.weights]
    attributes = {'POSITION': g.accessor(points, 'VEC3', target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor(normals, 'VEC3', target=gltf.VERTEX),
                  'TEXCOORD_0': g.accessor(sheet.uvs, 'VEC2', target=gltf.VERTEX),
                  'JOINTS_0': g.accessor([tuple(j for j, _ in p) for p in rows], 'VEC4', gltf.U16, gltf.VERTEX),
                  'WEIGHTS_0': g.accessor([tuple(w for _, w in p) for p in rows], 'VEC4', gltf.U8, gltf.VERTEX,
                                          True)}
    mesh = g.append('meshes', {'name': 'Scarf', 'primitives': [
        {'attributes': attributes, 'indices': g.indices(sheet.triangles), 'material': material}]})
    inverse = [vec.flat_columns(vec.mat_mul(vec.mat_inverse(r.rest_matrix(r.index[n])), to_mesh)) for n in names]
    skin = g.append('skins', {'name': 'Scarf', 'joints': [nodes[r.index[n]] for n in names],
                              'inverseBindMatrices': g.accessor(inverse, 'MAT4')})
    g.node(top, name='Scarf', mesh=mesh, skin=skin)


def _hat_sheet(spare, size):
    """A knitted hat in the head's rest position: turned-up brim, dome, and a bobble on top."""
    sheet = Sheet(spare[1], SWATCHES[1], size)
    tilt = vec.euler(x=-13.0)
    base = (0.0, 1.528, -0.006)

    def place(p):
        return vec.add(base, vec.quat_rotate(tilt, p))

    def brim(rr, cc):
        a, b = 2 * math.pi * rr, -2 * math.pi * cc
        rib = 1 + 0.016 * math.cos(26 * a)
        out = 0.163 * rib + 0.019 * math.cos(b)
        return place((out * math.sin(a), 0.040 * math.sin(b), out * 1.02 * math.cos(a)))
    sheet.grid(104, 12, brim, lambda rr, cc: (_folded(rr * 26), 0.02 + 0.44 * _folded(cc * 2)))

    def dome(rr, cc):
        a, e = -2 * math.pi * cc, 0.5 * math.pi * rr
        y = 0.172 * math.sin(e) ** 0.94 if rr > 0 else 0.0
        w = 0.168 * math.cos(e) ** 0.80 if rr < 1 else 0.0
        rib = 1 + 0.012 * math.cos(26 * a) * (1 - rr)
        return place((-w * rib * math.sin(a), y, w * rib * 1.02 * math.cos(a)))

    def dome_uv(rr, cc):
        striped = 0.30 < rr < 0.52
        return (_folded(cc * 52), 0.54 + 0.18 * _folded(rr * 22) if striped else 0.02 + 0.44 * _folded(rr * 10))
    sheet.grid(22, 104, dome, dome_uv)

    def bobble(rr, cc):
        a, e = 2 * math.pi * cc, math.pi * (rr - 0.5)
        bump = 1 + 0.075 * math.sin(9 * a) * math.sin(8 * e) * math.cos(e)
        k = 0.052 * bump
        return place((k * math.sin(a) * math.cos(e), 0.196 + k * math.sin(e), k * math.cos(a) * math.cos(e)))
    sheet.grid(22, 36, bobble, lambda rr, cc: (_folded(cc * 8), 0.78 + 0.2 * _folded(rr * 6)))
    return sheet


def _eye_sheet(spare, size):
    """A shallow button about its own origin, facing +Z."""
    sheet = Sheet(spare[2], SWATCHES[2], size)

    def point(rr, cc):
        a, e = 2 * math.pi * cc, 0.5 * math.pi * rr
        return (0.0215 * math.cos(e) * math.cos(a), 0.0345 * math.cos(e) * math.sin(a),
                0.014 * math.sin(e))
    sheet.grid(7, 24, point, lambda rr, cc: (0.5 + 0.5 * math.cos(0.5 * math.pi * rr) * math.cos(2 * math.pi * cc),
                                             0.5 - 0.5 * math.cos(0.5 * math.pi * rr) * math.sin(2 * math.pi * cc)))
    return sheet


def _rigid_mesh(g, name, sheet, points, normals, material):
    attributes = {'POSITION': g.accessor(points, 'VEC3', target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor(normals, 'VEC3', target=gltf.VERTEX),
                  'TEXCOORD_0': g.accessor(sheet.uvs, 'VEC2', target=gltf.VERTEX)}
    return g.append('meshes', {'name': name, 'primitives': [
        {'attributes': attributes, 'indices': g.indices(sheet.triangles), 'material': material}]})


def add_wear(g, r, nodes, top, texture, spare, size):
    """Adds scarf, hat and eyes; returns the nodes of the eyes."""
    wool = g.material('Wool', texture=texture, roughness=0.95)
    glossy = g.material('Eyes', texture=texture, roughness=0.15)
    _add_scarf(g, r, nodes, top, wool, spare, size)
    head = r.index['head']
    back = vec.mat_inverse(r.rest_matrix(head))
    turn = vec.quat_conj(r.joints[head].frame)
    hat = _hat_sheet(spare, size)
    mesh = _rigid_mesh(g, 'Hat', hat, [vec.mat_point(back, p) for p in hat.points],
                       [vec.quat_rotate(turn, n) for n in hat.normals()], wool)
    g.node(nodes[head], name='Hat', mesh=mesh)
    sheet = _eye_sheet(spare, size)
    mesh = _rigid_mesh(g, 'Eye', sheet, sheet.points, sheet.normals(), glossy)
    eyes = []
    for name, s in figure_rig.SIDES:
        field = figure_shape.Body()
        p = _on_face((figure_shape.EYE[0] * s, figure_shape.EYE[1], figure_shape.EYE[2]), field)
        n = vec.unit(field.gradient((abs(p[0]), p[1], p[2]), 0.012))
        q = vec.quat_mul(turn, vec.quat_between((0.0, 0.0, 1.0), (n[0] * s, n[1], n[2])))
        eyes.append(g.node(nodes[head], name='eye.' + name, mesh=mesh,
                           translation=list(vec.mat_point(back, p)), rotation=list(q), scale=[1.0, 1.0, 1.0]))
    return eyes


def _on_face(p, field):
    """The point of the surface straight ahead of p."""
    low, high = 0.0, 0.3
    for _ in range(40):
        middle = 0.5 * (low + high)
        if field(p[0], p[1], middle) < 0:
            low = middle
        else:
            high = middle
    return (p[0], p[1], low - 0.003)
