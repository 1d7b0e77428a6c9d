"""Small vector, quaternion and matrix helpers on plain tuples.

Conventions: column vectors, right-handed, Y up; quaternions are (x, y, z, w); a 4x4 matrix is a
tuple of four rows, so m[r][c]; glTF wants the transpose (columns first), see flat_columns.
"""
import math


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def mul(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def mad(a, b, s):
    """a + b*s"""
    return (a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


def unit(a):
    n = length(a)
    return (a[0] / n, a[1] / n, a[2] / n) if n > 1e-12 else (0.0, 1.0, 0.0)


def lerp(a, b, t):
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t)


def distance(a, b):
    return length(sub(a, b))


def clamp(x, low, high):
    return low if x < low else high if x > high else x


def smoothstep(low, high, x):
    t = clamp((x - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


# Quaternions

IDENTITY = (0.0, 0.0, 0.0, 1.0)


def quat_mul(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz)


def quat_conj(q):
    return (-q[0], -q[1], -q[2], q[3])


def quat_unit(q):
    n = math.sqrt(sum(c * c for c in q))
    return tuple(c / n for c in q)


def quat_axis(axis, degrees):
    h = math.radians(degrees) * 0.5
    s = math.sin(h)
    axis = unit(axis)
    return (axis[0] * s, axis[1] * s, axis[2] * s, math.cos(h))


def euler(x=0.0, y=0.0, z=0.0):
    """Rotation in degrees about X, then Z, then Y (yaw outermost)."""
    q = quat_axis((1, 0, 0), x)
    if z:
        q = quat_mul(quat_axis((0, 0, 1), z), q)
    if y:
        q = quat_mul(quat_axis((0, 1, 0), y), q)
    return q


def quat_rotate(q, v):
    u = (q[0], q[1], q[2])
    t = mul(cross(u, v), 2.0)
    return add(mad(v, t, q[3]), cross(u, t))


def quat_between(a, b):
    """The shortest rotation that takes direction a to direction b."""
    a, b = unit(a), unit(b)
    c = cross(a, b)
    return quat_unit((c[0], c[1], c[2], 1.0 + dot(a, b)))


def quat_from_columns(x, y, z):
    """Quaternion of the rotation whose columns are the orthonormal x, y, z."""
    m00, m10, m20 = x
    m01, m11, m21 = y
    m02, m12, m22 = z
    trace = m00 + m11 + m22
    if trace > 0:
        s = math.sqrt(trace + 1.0) * 2
        q = ((m21 - m12) / s, (m02 - m20) / s, (m10 - m01) / s, s / 4)
    elif m00 > m11 and m00 > m22:
        s = math.sqrt(1.0 + m00 - m11 - m22) * 2
        q = (s / 4, (m01 + m10) / s, (m02 + m20) / s, (m21 - m12) / s)
    elif m11 > m22:
        s = math.sqrt(1.0 + m11 - m00 - m22) * 2
        q = ((m01 + m10) / s, s / 4, (m12 + m21) / s, (m02 - m20) / s)
    else:
        s = math.sqrt(1.0 + m22 - m00 - m11) * 2
        q = ((m02 + m20) / s, (m12 + m21) / s, s / 4, (m10 - m01) / s)
    return quat_unit(q)


def quat_slerp(a, b, t):
    d = sum(p * q for p, q in zip(a, b))
    if d < 0:
        b, d = tuple(-c for c in b), -d
    if d > 0.9995:
        return quat_unit(tuple(p + (q - p) * t for p, q in zip(a, b)))
    w = math.acos(d)
    s = math.sin(w)
    return tuple((p * math.sin((1 - t) * w) + q * math.sin(t * w)) / s for p, q in zip(a, b))


# Matrices

def compose(t, q=IDENTITY, s=(1.0, 1.0, 1.0)):
    x, y, z, w = q
    sx, sy, sz = s
    return (((1 - 2 * (y * y + z * z)) * sx, 2 * (x * y - z * w) * sy, 2 * (x * z + y * w) * sz, t[0]),
            (2 * (x * y + z * w) * sx, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z - x * w) * sz, t[1]),
            (2 * (x * z - y * w) * sx, 2 * (y * z + x * w) * sy, (1 - 2 * (x * x + y * y)) * sz, t[2]),
            (0.0, 0.0, 0.0, 1.0))


def mat_mul(a, b):
    return tuple(tuple(sum(a[r][k] * b[k][c] for k in range(4)) for c in range(4)) for r in range(4))


def mat_point(m, p):
    return tuple(m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2] + m[r][3] for r in range(3))


def mat_inverse(m):
    """Inverse of an affine matrix."""
    a, b, c = m[0][:3], m[1][:3], m[2][:3]
    r0, r1, r2 = cross(b, c), cross(c, a), cross(a, b)
    d = 1.0 / dot(a, r0)
    rows = [tuple(v[i] * d for v in (r0, r1, r2)) for i in range(3)]
    t = (m[0][3], m[1][3], m[2][3])
    return tuple(row + (-dot(row, t),) for row in rows) + ((0.0, 0.0, 0.0, 1.0),)


def flat_columns(m):
    """The 16 numbers of m, column by column, as glTF stores a matrix."""
    return tuple(m[r][c] for c in range(4) for r in range(4))


def flat_rows(m):
    return tuple(m[r][c] for r in range(4) for c in range(4))
