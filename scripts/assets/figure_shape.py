"""The figure's landmarks and its body of clay: lofts, capsules and ellipsoids in a soft union.

Only the left half (x > 0, the figure's own left) is described; Body mirrors it.
"""
import math

from . import sdf, surface, vec

# Landmarks of the rest pose: arms hang half way down, palms turned in.
HIP = (0.084, 0.785, 0.0)
KNEE = (0.093, 0.435, 0.014)
ANKLE = (0.102, 0.105, -0.012)
BALL = (0.115, 0.034, 0.102)
TOE_END = (0.121, 0.034, 0.188)
SHOULDER = (0.158, 1.148, -0.010)
ARM = vec.unit((0.76, -0.65, -0.02))
FOREARM = vec.unit((0.74, -0.665, 0.10))
ELBOW = vec.mad(SHOULDER, ARM, 0.228)
WRIST = vec.mad(ELBOW, FOREARM, 0.205)
HAND_AXIS = vec.unit((0.70, -0.71, 0.08))
PALM_SIDE = vec.unit(vec.sub((0.0, 0.0, 1.0), vec.mul(HAND_AXIS, HAND_AXIS[2])))  # to the thumb
PALM_NORMAL = vec.cross(PALM_SIDE, HAND_AXIS)  # out of the back of the hand
HEAD = (0.0, 1.465, 0.0)
EYE = (0.062, 1.452, 0.146)


HAND_SIZE = 1.14


def hand_point(along, side, back=0.0):
    p = vec.mad(WRIST, HAND_AXIS, along * HAND_SIZE)
    return vec.mad(vec.mad(p, PALM_SIDE, side * HAND_SIZE), PALM_NORMAL, back * HAND_SIZE)


# Joints of the fingers: (name, root, middle, end, radius)
FINGERS = [
    ('index', hand_point(0.088, 0.031), hand_point(0.126, 0.036, -0.003),
     hand_point(0.156, 0.038, -0.012), 0.0185),
    ('middle', hand_point(0.094, -0.002), hand_point(0.135, -0.002, -0.003),
     hand_point(0.168, -0.002, -0.013), 0.0190),
    ('small', hand_point(0.086, -0.034), hand_point(0.120, -0.039, -0.003),
     hand_point(0.147, -0.042, -0.012), 0.0175),
    ('thumb', hand_point(0.036, 0.040, -0.010), hand_point(0.069, 0.070, -0.020),
     hand_point(0.100, 0.084, -0.030), 0.0195)]


def _on_ground(shape, level=0.0, k=0.016):
    """The shape with everything below `level` cut off, the edge rounded."""
    inner = shape.distance

    def distance(x, y, z):
        d, e = inner(x, y, z), level - y
        h = k - abs(d - e)
        return (d if d > e else e) + (h * h * 0.25 / k if h > 0 else 0.0)

    return sdf.Shape(distance, shape.center, shape.radius, shape.blend)


def _torso():
    """Jacket with a loose hem, then the trousers under it. Offsets across point to the back."""
    jacket = sdf.loft((0, 0.752, 0), (0, 1.222, 0), (1, 0, 0), [
        (0.00, 0.156, 0.121, 0, -0.004), (0.05, 0.162, 0.126, 0, -0.004), (0.12, 0.158, 0.123, 0, -0.004),
        (0.34, 0.134, 0.106, 0, -0.004), (0.52, 0.136, 0.108, 0, -0.006), (0.72, 0.152, 0.116, 0, -0.004),
        (0.85, 0.146, 0.104, 0, 0.004), (0.94, 0.112, 0.086, 0, 0.010), (1.00, 0.078, 0.070, 0, 0.010)],
        caps=(0.022, 0.03), blend=0.016, square=2.15)
    seat = sdf.loft((0, 0.70, 0), (0, 0.82, 0), (1, 0, 0), [
        (0.0, 0.112, 0.088, 0, 0.008), (0.5, 0.136, 0.107, 0, 0.004), (1.0, 0.138, 0.105, 0, 0.0)],
        caps=(0.055, 0.03), blend=0.03)
    neck = sdf.capsule((0, 1.17, -0.016), (0, 1.32, -0.002), 0.062, 0.055, blend=0.04)
    return [seat, neck, jacket]


def _leg():
    back = (1, 0, 0)
    thigh = sdf.loft(HIP, KNEE, back, [
        (0.0, 0.080, 0.090, 0, 0.0), (0.25, 0.083, 0.092, 0, 0.0), (0.6, 0.073, 0.080, 0, 0.002),
        (0.88, 0.064, 0.068, 0, 0.002), (1.0, 0.062, 0.066, 0, 0.0)], caps=(0.06, 0.05), blend=0.045)
    shin = sdf.loft(KNEE, (0.101, 0.20, -0.008), back, [
        (0.0, 0.062, 0.066, 0, 0.0), (0.35, 0.063, 0.069, 0, -0.006), (0.75, 0.063, 0.067, 0, -0.004),
        (1.0, 0.066, 0.068, 0, -0.002)], caps=(0.05, 0.012), blend=0.03)
    shaft = sdf.loft((0.101, 0.215, -0.008), (0.103, 0.07, -0.012), back, [
        (0.0, 0.066, 0.070, 0, 0.0), (0.3, 0.062, 0.066, 0, 0.0), (0.7, 0.057, 0.062, 0, 0.0),
        (1.0, 0.058, 0.066, 0, 0.0)], caps=(0.012, 0.05), blend=0.012)
    cuff = sdf.loft((0.101, 0.246, -0.008), (0.101, 0.216, -0.008), back, [
        (0.0, 0.077, 0.081, 0, 0), (0.5, 0.079, 0.083, 0, 0), (1.0, 0.077, 0.081, 0, 0)],
        caps=(0.020, 0.020), blend=0.010)
    heel = sdf.ellipsoid((0.103, 0.050, -0.032), (0.056, 0.062, 0.066), blend=0.03)
    bridge = sdf.capsule((0.105, 0.085, 0.005), (0.113, 0.060, 0.088), 0.054, 0.053, blend=0.03)
    toe = sdf.ellipsoid((0.116, 0.047, 0.116), (0.068, 0.060, 0.086), blend=0.03)
    return [thigh, shin, shaft, cuff, _on_ground(heel), _on_ground(bridge), _on_ground(toe)]


def _arm():
    front = (0, 0, 1)
    upper = sdf.loft(SHOULDER, ELBOW, front, [
        (0.0, 0.062, 0.064, 0, 0), (0.3, 0.058, 0.060, 0, 0), (0.75, 0.052, 0.051, 0, 0),
        (1.0, 0.050, 0.049, 0, 0)], caps=(0.062, 0.045), blend=0.07)
    lower = sdf.loft(ELBOW, vec.mad(ELBOW, FOREARM, 0.178), front, [
        (0.0, 0.049, 0.048, 0, 0), (0.4, 0.052, 0.050, 0, 0), (0.85, 0.053, 0.050, 0, 0),
        (1.0, 0.049, 0.046, 0, 0)], caps=(0.045, 0.012), blend=0.03)
    cuff = sdf.loft(vec.mad(ELBOW, FOREARM, 0.176), vec.mad(WRIST, HAND_AXIS, 0.004), front, [
        (0.0, 0.053, 0.050, 0, 0), (0.5, 0.057, 0.054, 0, 0), (1.0, 0.055, 0.052, 0, 0)],
        caps=(0.014, 0.016), blend=0.010)
    return [upper, lower, cuff]


def _hand():
    frame = vec.quat_from_columns(PALM_SIDE, HAND_AXIS, vec.cross(PALM_SIDE, HAND_AXIS))
    h = HAND_SIZE
    wrist = sdf.capsule(hand_point(-0.01, 0), hand_point(0.03, 0), 0.034 * h, 0.032 * h, blend=0.012)
    palm = sdf.ellipsoid(hand_point(0.056, -0.001), (0.050 * h, 0.055 * h, 0.030 * h), blend=0.016,
                         turn=frame)
    shapes = [wrist, palm]
    for name, a, b, c, r in FINGERS:
        k = 0.014 if name != 'thumb' else 0.018
        start = vec.lerp(a, hand_point(0.045, 0.0), 0.45)
        shapes += [sdf.capsule(start, b, r * 1.06 * h, r * h, blend=k),
                   sdf.capsule(b, c, r * h, r * 0.9 * h, blend=0.008)]
    return shapes


def _head():
    skull = sdf.ellipsoid((0, 1.478, -0.006), (0.158, 0.168, 0.160), blend=0.05)
    jaw = sdf.ellipsoid((0, 1.392, 0.034), (0.112, 0.098, 0.108), blend=0.075)
    cheek = sdf.ellipsoid((0.072, 1.405, 0.070), (0.066, 0.060, 0.066), blend=0.04)
    nose = sdf.ellipsoid((0, 1.418, 0.166), (0.020, 0.018, 0.022), blend=0.020)
    ear = sdf.ellipsoid((0.160, 1.430, -0.012), (0.020, 0.042, 0.030), blend=0.014,
                        turn=vec.euler(y=-18, z=-8))
    nape = sdf.ellipsoid((0, 1.385, -0.098), (0.105, 0.062, 0.058), blend=0.02)
    lock = sdf.ellipsoid((0.128, 1.462, 0.050), (0.026, 0.062, 0.034), blend=0.012,
                         turn=vec.euler(z=10, x=-10))
    return [skull, jaw, cheek, nape, lock, nose, ear]


def _twin(shape):
    d = shape.distance
    x, y, z = shape.center
    return sdf.Shape(lambda x, y, z: d(-x, y, z), (-x, y, z), shape.radius, shape.blend)


class Body(sdf.Field):
    """The whole figure; symmetric to the last bit because it is evaluated at |x|."""

    def __init__(self, shapes=None):
        if shapes is None:
            shapes = _torso() + _head()
            shapes += [_twin(s) for s in shapes if s.center[0] > 0]
            shapes += _leg() + _arm() + _hand()
            # The right leg matters to the left one where the thighs meet.
            shapes += [_twin(s) for s in _leg()]
        super().__init__(shapes)

    def near(self, center, radius):
        part = Body([])
        part.shapes = super().near(center, radius).shapes
        return part

    def __call__(self, x, y, z):
        return super().__call__(abs(x), y, z)


def build(cell=0.0215, hand_scale=0.46, rounds=7):
    """(mesh, mirror_of, openness): the relaxed body; hand_scale: cell size at the hands."""
    field = Body()
    hand, face = (hand_point(0.075, 0.02), 0.19, hand_scale), ((0.0, 1.45, 0.05), 0.30, 0.74)
    lenses = surface.Magnifier([hand, face])
    half = surface.polygonise(field, (0, -0.06, -0.30), (0.80, 1.75, 0.34), cell, lenses)
    surface.relax(half, field, rounds)
    open_ = surface.occlusion(half, field)
    snap = 1.0 / 16384  # keeps rounding differences of libm out of the files
    half.points = [tuple(math.floor(c / snap + 0.5) * snap for c in p) for p in half.points]
    mesh, mirror = surface.mirrored(half)
    openness = open_ + [0.0] * (len(mesh.points) - len(open_))
    for i in range(len(open_), len(openness)):
        openness[i] = open_[mirror[i]]
    return mesh, mirror, openness
