"""The figure's 49 joints and its skin weights."""
from . import figure_shape as shape
from . import rig, vec

SIDES = (('L', 1.0), ('R', -1.0))
SCARF_TAILS = (('a', 4, -0.030, 0.098), ('b', 3, 0.038, 0.092))


def _flip(p, s):
    return (p[0] * s, p[1], p[2])


def scarf_chain(count, x, step):
    """Heads of the joints of a scarf tail hanging down the back, and its end."""
    top = (x, 1.232, -0.098)
    return [(x * (1 + 0.35 * k), top[1] - step * k * 0.985, top[2] - 0.036 * min(k, 1) - 0.012 * k)
            for k in range(count + 1)]


def build():
    r = rig.Rig()
    r.add('hips', None, (0, 0.800, 0.0), (0, 0.872, 0.0), 0.15)
    r.add('spine1', 'hips', (0, 0.872, 0.0), (0, 0.965, -0.004), 0.145)
    r.add('spine2', 'spine1', (0, 0.965, -0.004), (0, 1.062, -0.010), 0.145)
    r.add('chest', 'spine2', (0, 1.062, -0.010), (0, 1.205, -0.014), 0.140)
    r.add('neck', 'chest', (0, 1.215, -0.014), (0, 1.300, -0.006), 0.075)
    r.add('head', 'neck', (0, 1.300, -0.006), (0, 1.600, 0.0), 0.15)
    for side, s in SIDES:
        _add_arm(r, side, s)
    for side, s in SIDES:
        _add_leg(r, side, s)
    for name, count, x, step in SCARF_TAILS:
        chain = scarf_chain(count, x, step)
        for k in range(count):
            parent = 'chest' if k == 0 else 'scarf_%s%d' % (name, k)
            r.add('scarf_%s%d' % (name, k + 1), parent, chain[k], chain[k + 1], 0.05, (0, 0, -1))
    return r


def _add_arm(r, side, s):
    def at(p):
        return _flip(p, s)
    ahead = (0.0, 0.0, 1.0)
    middle_upper = vec.lerp(shape.SHOULDER, shape.ELBOW, 0.5)
    middle_lower = vec.lerp(shape.ELBOW, shape.WRIST, 0.5)
    knuckles = shape.hand_point(0.090, 0.0)
    r.add('clavicle.' + side, 'chest', at((0.030, 1.165, -0.006)), at(shape.SHOULDER), 0.085)
    r.add('upperarm.' + side, 'clavicle.' + side, at(shape.SHOULDER), at(middle_upper), 0.056, ahead)
    r.add('upperarm_twist.' + side, 'upperarm.' + side, at(middle_upper), at(shape.ELBOW), 0.052, ahead)
    r.add('forearm.' + side, 'upperarm_twist.' + side, at(shape.ELBOW), at(middle_lower), 0.050, ahead)
    r.add('forearm_twist.' + side, 'forearm.' + side, at(middle_lower), at(shape.WRIST), 0.050, ahead)
    r.add('hand.' + side, 'forearm_twist.' + side, at(shape.WRIST), at(knuckles), 0.045, ahead)
    for name, a, b, c, radius in shape.FINGERS:
        r.add('%s1.%s' % (name, side), 'hand.' + side, at(a), at(b), radius, ahead)
        r.add('%s2.%s' % (name, side), '%s1.%s' % (name, side), at(b), at(c), radius, ahead)


def _add_leg(r, side, s):
    def at(p):
        return _flip(p, s)
    r.add('thigh.' + side, 'hips', at(shape.HIP), at(shape.KNEE), 0.080)
    r.add('shin.' + side, 'thigh.' + side, at(shape.KNEE), at(shape.ANKLE), 0.064)
    r.add('foot.' + side, 'shin.' + side, at(shape.ANKLE), at(shape.BALL), 0.060, (0, 1, 0))
    r.add('toe.' + side, 'foot.' + side, at(shape.BALL), at(shape.TOE_END), 0.055, (0, 1, 0))


def body_weights(r, mesh, mirror, count=6):
    """Per vertex: (joint, weight) pairs; exactly symmetric."""
    names = [j.name for j in r.joints if not j.name.startswith('scarf')]
    rows = rig.nearest_joints(r, mesh.points, names)
    region = [_region(r, row) for row in rows]
    rate = [{'torso': 0.85, 'head': 0.5, 'limb': 0.75, 'hand': 0.45}[k] for k in region]
    rows = rig.diffuse(rows, mesh.neighbours(), 12, rate)
    rows = [rig.limited(row, count) for row in rows]
    twin = [_twin_index(r, j) for j in range(len(r.joints))]
    for i, p in enumerate(mesh.points):
        if p[0] < 0:
            rows[i] = [(twin[j], w) for j, w in rows[mirror[i]]]
        elif p[0] == 0:
            rows[i] = _balanced(rows[i], twin, count)
    return rows


def _region(r, row):
    name = r.joints[max(row, key=lambda j: (row[j], -j))].name
    if name == 'head':
        return 'head'
    if name[:4] in ('hand', 'inde', 'midd', 'smal', 'thum'):
        return 'hand'
    return 'limb' if name[:4] in ('uppe', 'fore', 'thig', 'shin', 'foot', 'toe.') else 'torso'


def _twin_index(r, j):
    name = r.joints[j].name
    if name.endswith('.L'):
        return r.index[name[:-1] + 'R']
    return r.index[name[:-1] + 'L'] if name.endswith('.R') else j


def _balanced(pairs, twin, count):
    row = {}
    for j, w in pairs:
        row[j] = row.get(j, 0.0) + 0.5 * w
        row[twin[j]] = row.get(twin[j], 0.0) + 0.5 * w
    return rig.limited(row, count)
