"""What the figure wears: scarf (skinned), hat and eyes (rigid, on the head)."""
import math

from . import figure_rig, figure_shape, vec

SWATCHES = ((128, 64), (128, 64), (32, 32))  # knitted scarf, knitted hat, eye
_SCARF, _SCARF_STRIPE = (226, 84, 62), (250, 226, 190)
_HAT, _HAT_STRIPE, _BOBBLE = (240, 178, 62), (44, 132, 138), (246, 230, 200)


def _knit(base, stripe, u, v, rows):
    """Colour of a knitted swatch at u, v in 0..1: columns of V-shaped stitches."""
    x, y = u * 16, v * rows
    slant = abs((x % 1.0) - 0.5)
    stitch = math.sin(2 * math.pi * (y + slant * 0.9))
    groove = 1 - vec.smoothstep(0.36, 0.5, slant)
    light = 0.80 + 0.12 * stitch + 0.10 * groove
    return vec.mul(stripe or base, light)


def paint_swatches(canvas, places):
    """Fills the reserved rectangles; u runs right and v down in each."""
    for k, ((w, h), (ox, oy)) in enumerate(zip(SWATCHES, places)):
        for y in range(h):
            for x in range(w):
                canvas[ox + x, oy + y] = _swatch(k, (x + 0.5 - _margin(w)) / (w - 2 * _margin(w)),
                                                 (y + 0.5 - _margin(h)) / (h - 2 * _margin(h)))


def _margin(size):
    """Texels round the used part of a swatch, so that coarse mipmaps mix in no neighbour."""
    return size // 10


def _swatch(k, u, v):
    if k == 0:
        return _knit(_SCARF, _SCARF_STRIPE if v > 0.75 else None, u, v, 8)
    if k == 1:
        return _knit(_HAT, _HAT_STRIPE if 0.5 < v < 0.75 else _BOBBLE if v > 0.75 else None, u, v, 8)
    d = math.hypot(u - 0.5, v - 0.5)
    c = vec.lerp((70, 40, 34), (26, 18, 26), vec.smoothstep(0.50, 0.25, v))
    c = vec.lerp(c, (255, 255, 255), 1 - vec.smoothstep(0.10, 0.15, math.hypot(u - 0.62, v - 0.30)))
    return vec.lerp(c, (214, 190, 200), 1 - vec.smoothstep(0.05, 0.09, math.hypot(u - 0.40, v - 0.68)))


class Sheet:
    """A mesh made of grids; u, v in 0..1 are laid on a swatch."""

    def __init__(self, place, swatch, size):
        self.place, self.swatch, self.size = place, swatch, size
        self.points, self.uvs, self.weights, self.triangles = [], [], [], []

    def vertex(self, p, u, v, weights=None):
        mx, my = _margin(self.swatch[0]), _margin(self.swatch[1])
        x = self.place[0] + mx + u * (self.swatch[0] - 2 * mx)
        y = self.place[1] + my + v * (self.swatch[1] - 2 * my)
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


def _scarf_ring(sheet, r, detail):
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

    sheet.grid(max(22, int(44 * detail)), max(8, int(14 * detail)), point,
               lambda rr, cc: (_folded(cc * 2), 0.72 * _folded(rr * 11)), weights)


def _scarf_tail(sheet, r, name, count, x, step, detail):
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
        return (_folded(cc * 2), 0.80 + 0.18 * _folded(rr * 12) if stripe else 0.70 * _folded(rr * 6))
    sheet.grid(max(14, int(36 * detail)), max(6, int(12 * detail)), point, uv, weights)


def _scarf_sheet(r, spare, size, detail):
    sheet = Sheet(spare[0], SWATCHES[0], size)
    _scarf_ring(sheet, r, detail)
    for tail in figure_rig.SCARF_TAILS:
        _scarf_tail(sheet, r, *tail, detail)
    return sheet


def _hat_sheet(spare, size, detail):
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
    sheet.grid(max(32, int(104 * detail)), max(6, int(10 * detail)), brim,
               lambda rr, cc: (_folded(rr * 4), 0.02 + 0.44 * _folded(cc * 2)))

    def dome(rr, cc):
        a, e = -2 * math.pi * cc, 0.5 * math.pi * rr
        y = 0.172 * math.sin(e) ** 0.94 if rr > 0 else 0.0
        w = 0.168 * math.cos(e) ** 0.80 if rr < 1 else 0.0
        return place((-w * math.sin(a), y, w * 1.02 * math.cos(a)))

    def dome_uv(rr, cc):
        row = _folded(rr * 7)
        return (_folded(cc * 4), 0.54 + 0.18 * row if 0.30 < rr < 0.52 else 0.02 + 0.44 * row)
    sheet.grid(int(14 * detail), max(24, int(52 * detail)), dome, dome_uv)

    def bobble(rr, cc):
        a, e = 2 * math.pi * cc, math.pi * (rr - 0.5)
        bump = 1 + 0.075 * math.sin(9 * a) * math.sin(8 * e) * math.cos(e)
        k = 0.052 * bump
        return place((k * math.sin(a) * math.cos(e), 0.196 + k * math.sin(e), k * math.cos(a) * math.cos(e)))
    sheet.grid(int(16 * detail), int(27 * detail), bobble,
               lambda rr, cc: (_folded(cc * 8), 0.78 + 0.2 * _folded(rr * 6)))
    return sheet


def _eye_sheet(spare, size, detail):
    """A shallow button about its own origin, facing +Z."""
    sheet = Sheet(spare[2], SWATCHES[2], size)

    def point(rr, cc):
        a, e = 2 * math.pi * cc, 0.5 * math.pi * rr
        return (0.0215 * math.cos(e) * math.cos(a), 0.0345 * math.cos(e) * math.sin(a),
                0.014 * math.sin(e))
    def uv(rr, cc):
        a, r = 2 * math.pi * cc, math.cos(0.5 * math.pi * rr)
        return (0.5 + 0.5 * r * math.cos(a), 0.5 - 0.5 * r * math.sin(a))
    sheet.grid(max(4, int(7 * detail)), max(14, int(24 * detail)), point, uv)
    return sheet


class Eye:
    """Where an eye sits: its middle on the face and the turn that faces it out."""

    def __init__(self, name, side, field):
        at = _on_face((figure_shape.EYE[0], figure_shape.EYE[1], 0.0), field)
        n = vec.unit(field.gradient(at, 0.012))
        self.name = 'eye.' + name
        self.at = (at[0] * side, at[1], at[2])
        self.turn = vec.quat_between((0.0, 0.0, 1.0), (n[0] * side, n[1], n[2]))


class Wear:
    """The three sheets, in the rest pose's space (the eye about its own origin)."""

    def __init__(self, r, spare, size, detail=1.0):
        field = figure_shape.Body()
        self.scarf = _scarf_sheet(r, spare, size, detail)
        self.hat = _hat_sheet(spare, size, detail)
        self.eye = _eye_sheet(spare, size, detail)
        self.eyes = [Eye(name, side, field) for name, side in figure_rig.SIDES]


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
