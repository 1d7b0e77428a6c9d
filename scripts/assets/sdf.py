"""Signed distance shapes and their smooth union: the clay from which the bodies are made.

A shape is a function (x, y, z) -> distance (negative inside), with a bounding sphere so that far
shapes cost one comparison. Distances of lofts and ellipsoids are first-order estimates: right on
the surface, which is all that polygonising and Newton projection need.
"""
import math

from . import vec


class Shape:
    def __init__(self, distance, center, radius, blend):
        self.distance, self.center, self.radius, self.blend = distance, center, radius, blend


def ellipsoid(center, radii, blend=0.02, turn=None):
    """turn: optional quaternion that turns the ellipsoid."""
    cx, cy, cz = center
    ix, iy, iz = (1.0 / r for r in radii)
    back = vec.quat_conj(turn) if turn else None

    def distance(x, y, z):
        x, y, z = x - cx, y - cy, z - cz
        if back:
            x, y, z = vec.quat_rotate(back, (x, y, z))
        x, y, z = x * ix, y * iy, z * iz
        k0 = math.sqrt(x * x + y * y + z * z)
        x, y, z = x * ix, y * iy, z * iz
        k1 = math.sqrt(x * x + y * y + z * z)
        return k0 * (k0 - 1.0) / k1 if k1 > 1e-9 else -min(radii)

    return Shape(distance, center, max(radii), blend)


def capsule(a, b, ra, rb, blend=0.02):
    """A tapered capsule: the radius goes from ra at a to rb at b."""
    ax, ay, az = a
    dx, dy, dz = vec.sub(b, a)
    inv = 1.0 / (dx * dx + dy * dy + dz * dz)
    dr = rb - ra

    def distance(x, y, z):
        x, y, z = x - ax, y - ay, z - az
        t = (x * dx + y * dy + z * dz) * inv
        t = 0.0 if t < 0.0 else 1.0 if t > 1.0 else t
        x, y, z = x - dx * t, y - dy * t, z - dz * t
        return math.sqrt(x * x + y * y + z * z) - ra - dr * t

    middle = vec.lerp(a, b, 0.5)
    return Shape(distance, middle, vec.distance(a, b) * 0.5 + max(ra, rb), blend)


def spline_table(keys, count):
    """Rows (t, values...) to `count`+1 even samples of a monotone-tangent cubic through them."""
    n = len(keys)
    slopes = []
    for i in range(n):
        row = []
        for k in range(1, len(keys[0])):
            before = ((keys[i][k] - keys[i - 1][k]) / (keys[i][0] - keys[i - 1][0])) if i else None
            after = ((keys[i + 1][k] - keys[i][k]) / (keys[i + 1][0] - keys[i][0])) if i < n - 1 else None
            if before is None or after is None:
                row.append(after if before is None else before)
            else:
                row.append(0.0 if before * after <= 0 else 2 * before * after / (before + after))
        slopes.append(row)
    t0, t1 = keys[0][0], keys[-1][0]
    table, i = [], 0
    for s in range(count + 1):
        t = t0 + (t1 - t0) * s / count
        while i < n - 2 and t > keys[i + 1][0]:
            i += 1
        h = keys[i + 1][0] - keys[i][0]
        u = (t - keys[i][0]) / h
        row = []
        for k in range(1, len(keys[0])):
            a, b = keys[i][k], keys[i + 1][k]
            ma, mb = slopes[i][k - 1] * h, slopes[i + 1][k - 1] * h
            row.append((2 * u ** 3 - 3 * u * u + 1) * a + (u ** 3 - 2 * u * u + u) * ma +
                       (3 * u * u - 2 * u ** 3) * b + (u ** 3 - u * u) * mb)
        table.append(tuple(row))
    return table


def loft(a, b, side, keys, caps=(0.02, 0.02), blend=0.02, square=2.0):
    """Elliptic cross-sections along the axis a-b.

    keys: rows (t in 0..1, half-width along `side`, half-width across, offset along, offset across);
    caps: how far the rounded ends reach; square > 2 makes the sections rounder rectangles.
    """
    axis = vec.sub(b, a)
    span = vec.length(axis)
    w = vec.mul(axis, 1.0 / span)
    u = vec.unit(vec.mad(side, w, -vec.dot(side, w)))
    v = vec.cross(w, u)
    count = 96
    table = spline_table(keys, count)
    scale = count / span
    ax, ay, az = a
    cap0, cap1 = 1.0 / caps[0], 1.0 / caps[1]
    half = square * 0.5

    def distance(x, y, z):
        x, y, z = x - ax, y - ay, z - az
        s = x * w[0] + y * w[1] + z * w[2]
        p = x * u[0] + y * u[1] + z * u[2]
        q = x * v[0] + y * v[1] + z * v[2]
        e = 0.0
        if s <= 0.0:
            ru, rv, ou, ov = table[0]
            e, ie = s * cap0, cap0
        elif s >= span:
            ru, rv, ou, ov = table[count]
            e, ie = (s - span) * cap1, cap1
        else:
            f = s * scale
            i = int(f)
            i = count - 1 if i >= count else i
            f -= i
            t0, t1 = table[i], table[i + 1]
            ru, rv = t0[0] + (t1[0] - t0[0]) * f, t0[1] + (t1[1] - t0[1]) * f
            ou, ov = t0[2] + (t1[2] - t0[2]) * f, t0[3] + (t1[3] - t0[3]) * f
            ie = 0.0
        p, q = (p - ou) / ru, (q - ov) / rv
        if square != 2.0:
            k0 = ((p * p) ** half + (q * q) ** half + (e * e) ** half) ** (1.0 / square)
        else:
            k0 = math.sqrt(p * p + q * q + e * e)
        p, q, e = p / ru, q / rv, e * ie
        k1 = math.sqrt(p * p + q * q + e * e)
        return k0 * (k0 - 1.0) / k1 if k1 > 1e-9 else -min(ru, rv)

    reach = max(max(r[0] + abs(r[2]), r[1] + abs(r[3])) for r in table)
    middle = vec.lerp(a, b, 0.5)
    return Shape(distance, middle, math.hypot(span * 0.5 + max(caps), reach), blend)


class Field:
    """The smooth union of shapes, in their order."""

    def __init__(self, shapes):
        self.shapes = [(s.distance, s.center[0], s.center[1], s.center[2], s.radius, s.blend)
                       for s in shapes]

    def near(self, center, radius):
        """A field of the shapes that can matter within `radius` of `center`."""
        part = Field([])
        part.shapes = [s for s in self.shapes
                       if math.dist(center, s[1:4]) < s[4] + 2 * s[5] + radius]
        return part

    def __call__(self, x, y, z):
        d = 1e9
        for fn, cx, cy, cz, r, k in self.shapes:
            ex, ey, ez = x - cx, y - cy, z - cz
            far = r + d + k
            if d < 1e8 and far > 0 and ex * ex + ey * ey + ez * ez > far * far:
                continue
            e = fn(x, y, z)
            h = k - abs(d - e)
            d = d if d < e else e
            if h > 0.0:
                d -= h * h * 0.25 / k
        return d

    def gradient(self, p, step=1e-3):
        x, y, z = p
        return ((self(x + step, y, z) - self(x - step, y, z)) / (2 * step),
                (self(x, y + step, z) - self(x, y - step, z)) / (2 * step),
                (self(x, y, z + step) - self(x, y, z - step)) / (2 * step))
