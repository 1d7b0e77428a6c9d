"""The figure's colours: functions of the rest position, so that texture seams do not show.

Values are sRGB, 0 to 255. The body is symmetric and the limbs share their texels between left and
right, so a limb is painted for x > 0 only; trunk and head have texels of their own on both sides.
"""
import math

from . import figure_shape as shape
from . import vec
from .vec import clamp, lerp, smoothstep

TEAL, TEAL_DARK, TEAL_LIGHT = (44, 132, 138), (28, 92, 100), (86, 170, 168)
CREAM, CREAM_DARK = (246, 230, 200), (208, 184, 146)
INDIGO, INDIGO_LIGHT, OCHRE = (56, 60, 106), (84, 92, 146), (230, 172, 84)
LEATHER, LEATHER_DARK = (146, 82, 48), (98, 52, 32)
SKIN, SKIN_SHADE, BLUSH, LIPS = (250, 208, 170), (226, 160, 124), (240, 128, 108), (150, 62, 56)
HAIR, HAIR_LIGHT = (96, 56, 36), (142, 88, 54)
CORAL = (226, 84, 62)


def band(x, middle, half, soft=0.0012):
    """1 within `half` of `middle`, with a soft rim."""
    return 1.0 - smoothstep(half - soft, half + soft, abs(x - middle))


def stitches(along, across, at, pitch=0.014, half=0.0019):
    """Dashes along the line across = at."""
    dash = smoothstep(0.10, 0.30, math.sin(2 * math.pi * along / pitch) * 0.5 + 0.35)
    return band(across, at, half, 0.0009) * dash


def box(x, y, half_x, half_y, corner):
    """Signed distance of a rounded rectangle."""
    qx, qy = abs(x) - half_x + corner, abs(y) - half_y + corner
    outside = math.hypot(max(qx, 0.0), max(qy, 0.0))
    return outside + min(max(qx, qy), 0.0) - corner


def patch(c, d, along, fill, thread, edge=0.0065):
    """A sewn-on patch: d is the distance from its border."""
    c = lerp(c, vec.mul(c, 0.72), 1 - smoothstep(0.0, 0.006, d))
    c = lerp(c, fill, 1 - smoothstep(-0.0012, 0.0012, d))
    return lerp(c, thread, stitches(along, d, -edge, 0.013, 0.0015))


def bone_distance(x, y, size):
    """Signed distance of a little bone lying along x."""
    x, y = abs(x) / size, y / size
    shaft = box(x, y, 0.62, 0.17, 0.1)
    knob = math.hypot(x - 0.66, abs(y) - 0.20) - 0.25
    return min(shaft, knob) * size


def body(p, n, openness):
    """The colour of the body at rest position p with normal n."""
    x, y, z = p
    ax = abs(x)
    q = (ax, y, z)
    along_hand = vec.dot(vec.sub(q, shape.WRIST), shape.HAND_AXIS)
    if y > 1.262:
        c = _head(x, ax, y, z)
    elif ax > 0.20 and y > 0.56 and along_hand > 0.012:
        c = _glove(q, along_hand, n)
    elif y > 1.225 - 0.10 * max(0.0, ax - 0.07) and ax < 0.10:
        c = SKIN
    elif y > 0.742 or (ax > 0.20 and y > 0.56):
        c = _jacket(x, q)
    elif y > 0.262:
        c = _trousers(q)
    else:
        c = _boot(q, n)
    shade = 0.52 + 0.48 * smoothstep(0.05, 0.95, openness)
    warm = (shade ** 0.86, shade, shade ** 1.04)
    return (c[0] * warm[0], c[1] * warm[1], c[2] * warm[2])


def _head(x, ax, y, z):
    ear = ax > 0.1485 and math.hypot(y - 1.430, z + 0.010) < 0.047
    c = lerp(SKIN, SKIN_SHADE, 0.35 * smoothstep(1.36, 1.27, y))
    if ear:
        inner = 1 - smoothstep(0.010, 0.024, math.hypot((y - 1.432) * 0.8, z + 0.004))
        return lerp(c, SKIN_SHADE, 0.75 * inner)
    line = -0.060 + (y - 1.34) * 0.62
    hair = smoothstep(0.003, -0.003, z - line)
    lock = math.hypot((y - 1.462 - 0.2 * (z - 0.05)) / 0.062, (z - 0.046) / 0.032)
    hair = max(hair, smoothstep(1.02, 0.92, lock) if ax > 0.108 else 0.0)
    fringe = 1.506 + 0.016 * abs(math.sin(x * 30.0 + 0.9)) + 0.10 * ax
    hair = max(hair, smoothstep(fringe - 0.002, fringe + 0.002, y))
    if y < 1.338:
        hair = 0.0
    strands = 0.5 + 0.5 * math.sin(math.atan2(x, z) * 46.0 + math.sin(y * 60.0) * 0.8)
    face = _face(c, x, ax, y, z)
    return lerp(face, lerp(HAIR, HAIR_LIGHT, 0.40 * strands * strands), hair)


_FRECKLES = ((0.082, 1.410), (0.096, 1.402), (0.088, 1.393))


def _face(c, x, ax, y, z):
    if z < 0.02:
        return c
    blush = math.hypot((ax - 0.098) / 0.036, (y - 1.398) / 0.024)
    c = lerp(c, BLUSH, 0.62 * (1 - smoothstep(0.2, 1.0, blush)))
    freckle = min(math.hypot(ax - fx, y - fy) for fx, fy in _FRECKLES)
    c = lerp(c, SKIN_SHADE, 0.9 * (1 - smoothstep(0.0018, 0.0034, freckle)))
    c = lerp(c, BLUSH, 0.40 * (1 - smoothstep(0.008, 0.026, math.hypot(x, y - 1.418))))
    socket = math.hypot((ax - 0.062) / 0.036, (y - 1.452) / 0.046)
    c = lerp(c, SKIN_SHADE, 0.30 * (1 - smoothstep(0.75, 1.15, socket)))
    smile = 1.366 + 6.5 * x * x
    half = 0.0046 * (1 - smoothstep(0.030, 0.053, ax)) + 0.0012
    if ax < 0.056:
        c = lerp(c, LIPS, band(y, smile, half, 0.0014) * (1 - smoothstep(0.047, 0.052, ax)))
    c = lerp(c, LIPS, 0.7 * (1 - smoothstep(0.004, 0.0075, math.hypot(ax - 0.049, y - 1.3825))))
    c = lerp(c, SKIN_SHADE, 0.6 * (1 - smoothstep(0.0, 0.010, math.hypot(x * 0.7, y - 1.347))))
    brow = 1.506 - 5.0 * (ax - 0.060) ** 2 - 0.10 * (ax - 0.060)
    thick = 0.0052 * (1 - smoothstep(0.012, 0.030, abs(ax - 0.060))) + 0.0008
    return lerp(c, HAIR, band(y, brow, thick) * (1 - smoothstep(0.026, 0.030, abs(ax - 0.060))))


def _glove(q, along, n):
    side = vec.dot(vec.sub(q, shape.WRIST), shape.PALM_SIDE)
    back = vec.dot(n, shape.PALM_NORMAL)
    c = lerp(CREAM, CREAM_DARK, 0.25 * smoothstep(0.2, -0.6, back))
    if back > 0.2 and 0.030 < along < 0.074:
        for line in (-0.019, 0.0, 0.019):
            c = lerp(c, CREAM_DARK, band(side, line * (0.7 + along * 5), 0.0024) *
                     smoothstep(0.030, 0.036, along) * smoothstep(0.074, 0.068, along))
    return lerp(c, CREAM_DARK, 0.8 * band(along, 0.018, 0.003))


def _rib(angle, count):
    return 0.5 + 0.5 * math.sin(angle * count)


def _jacket(x, q):
    ax, y, z = q
    if ax > 0.175:
        arm = _sleeve(q)
        if arm is not None:
            return arm
    c = lerp(TEAL, TEAL_LIGHT, 0.30 * smoothstep(0.80, 1.18, y))
    if y < 0.792:
        rib = _rib(math.atan2(x, z), 44)
        c = lerp(TEAL_DARK, TEAL, 0.55 * rib)
        return lerp(c, CREAM, band(y, 0.789, 0.0035))
    yoke = 1.098 + 0.25 * ax
    c = lerp(c, CREAM, smoothstep(yoke, yoke + 0.002, y))
    c = lerp(c, OCHRE, stitches(x, y, yoke - 0.009))
    c = lerp(c, TEAL_DARK, 0.8 * band(y, yoke, 0.0018))
    if z > 0:
        c = lerp(c, TEAL_DARK, band(x, 0.0, 0.009))
        teeth = band((y / 0.0075) % 1.0, 0.5, 0.27, 0.1)
        c = lerp(c, OCHRE, band(x, 0.0, 0.0034) * teeth)
        c = lerp(c, CREAM, stitches(y, ax, 0.0155))
        pocket = box(ax - 0.078, y - 0.868, 0.040, 0.036, 0.014)
        c = patch(c, pocket, ax * 0.7 + y, lerp(TEAL, TEAL_DARK, 0.45), CREAM)
        c = lerp(c, CREAM, band(y, 0.896, 0.004) * (1 - smoothstep(-0.003, 0.0, pocket)))
        badge = math.hypot(x + 0.080, y - 1.035) - 0.030
        c = patch(c, badge, math.atan2(y - 1.035, x + 0.080) * 0.024, CORAL, CREAM, 0.004)
        bx, by, _ = vec.quat_rotate(vec.quat_axis((0, 0, 1), -34.0), (x + 0.080, y - 1.035, 0.0))
        bone = bone_distance(bx, by, 0.019)
        return lerp(c, CREAM, 1 - smoothstep(-0.001, 0.001, bone))
    c = lerp(c, TEAL_DARK, 0.6 * band(x, 0.0, 0.0016))
    return lerp(c, OCHRE, max(stitches(y, ax, 0.007), 0.0))


def _sleeve(q):
    """Stripes below the shoulder, an elbow patch, a ribbed cuff; None where the trunk begins."""
    along = vec.dot(vec.sub(q, shape.SHOULDER), shape.ARM)
    if along < 0.055:
        return None
    c = TEAL
    for middle, half in ((0.098, 0.016), (0.140, 0.007)):
        c = lerp(c, CREAM, band(along, middle, half))
    c = lerp(c, TEAL_DARK, 0.8 * band(along, 0.062, 0.0018))
    c = lerp(c, OCHRE, stitches(vec.dot(q, (0.6, 0.6, 2.0)), along, 0.071))
    elbow = vec.sub(q, shape.ELBOW)
    axis = vec.unit(vec.add(shape.ARM, shape.FOREARM))
    up = vec.unit(vec.cross((0.0, 0.0, 1.0), axis))
    if elbow[2] < -0.01:
        d = box(vec.dot(elbow, axis), vec.dot(elbow, up), 0.040, 0.030, 0.026)
        c = patch(c, d, vec.dot(elbow, axis) + vec.dot(elbow, up), LEATHER, OCHRE)
    fore = vec.dot(vec.sub(q, shape.ELBOW), shape.FOREARM)
    if fore > 0.172:
        side = vec.cross(shape.FOREARM, (0.0, 0.0, 1.0))
        rib = _rib(math.atan2(vec.dot(elbow, side), elbow[2]), 22)
        c = lerp(TEAL_DARK, TEAL, 0.55 * rib)
        c = lerp(c, CREAM, band(fore, 0.174, 0.003))
    return c


def _trousers(q):
    ax, y, z = q
    up = (y - shape.KNEE[1]) / (shape.HIP[1] - shape.KNEE[1])
    leg = lerp(shape.KNEE, shape.HIP, clamp(up, -0.6, 1.0))
    dx, dz = ax - leg[0], z - leg[2]
    c = lerp(INDIGO, INDIGO_LIGHT, 0.18 + 0.14 * smoothstep(0.3, 0.7, y))
    seam = math.atan2(dz, dx)
    if dx > 0.02:
        c = lerp(c, OCHRE, max(stitches(y, seam * 0.07, 0.006), stitches(y, seam * 0.07, -0.006)))
        c = lerp(c, INDIGO, 0.8 * band(seam * 0.07, 0.0, 0.0016))
    if dz > 0.01:
        d = box(dx, y - 0.452, 0.040, 0.046, 0.020)
        c = patch(c, d, dx + y, INDIGO_LIGHT, OCHRE)
        pocket = 0.70 - 0.55 * (ax - 0.075)
        if y > 0.66 and ax > 0.075:
            c = lerp(c, OCHRE, stitches(ax, y, pocket))
    elif dz < -0.02 and y > 0.6:
        d = box(ax - 0.082, y - 0.690, 0.034, 0.036, 0.012)
        c = patch(c, d, ax + y, lerp(INDIGO, INDIGO_LIGHT, 0.5), OCHRE)
    return lerp(c, INDIGO, 0.5 * smoothstep(0.295, 0.272, y))


def _boot(q, n):
    ax, y, z = q
    if y > 0.200:
        wool = 0.5 + 0.5 * math.sin(ax * 420 + math.sin(y * 330) * 2) * math.sin(z * 400 + y * 260)
        return lerp(CREAM_DARK, CREAM, 0.45 + 0.55 * wool)
    if y < 0.022:
        groove = band(y, 0.011, 0.0018) if n[1] > -0.7 else 0.4
        return lerp((232, 214, 178), (188, 166, 130), groove)
    c = lerp(LEATHER, LEATHER_DARK, 0.25 * smoothstep(0.2, 0.05, y))
    toe = z - 0.086 + 1.2 * (ax - 0.114) ** 2 / 0.06
    if y < 0.13:
        c = lerp(c, LEATHER_DARK, 0.75 * smoothstep(-0.001, 0.001, toe))
        c = lerp(c, OCHRE, stitches(ax + y, toe, -0.006, 0.012))
        c = lerp(c, LEATHER_DARK, 0.75 * smoothstep(-0.046, -0.050, z) * smoothstep(0.10, 0.095, y))
    c = lerp(c, LEATHER_DARK, band(y, 0.026, 0.004))
    width = ax - 0.107
    if z > 0.0 and y > 0.060 and z < 0.084:
        c = lerp(c, LEATHER_DARK, 0.85 * band(width, 0.0, 0.021))
        run = (y * 0.75 - z * 0.60)
        for slope in (1.0, -1.0):
            line = ((run + slope * width * 0.45) / 0.024) % 1.0
            c = lerp(c, CREAM, band(line, 0.5, 0.12, 0.05) * band(width, 0.0, 0.023))
    return c
