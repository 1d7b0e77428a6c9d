"""assets/blob.glb: a jelly character whose whole face is morph targets.

Every part is a function of (direction on the body, expression), so a target is the difference
between the part evaluated with one expression full on and at rest; normals are differences too.
"""
import math

from . import gltf, vec

TARGETS = ['smile', 'blink', 'surprise', 'squash', 'sulk']
REST = dict.fromkeys(TARGETS, 0.0)


def body_point(yaw, pitch, e):
    """A point of the body; yaw 0 looks along +Z, pitch runs from -90 (below) to 90 degrees."""
    x, y, z = math.sin(yaw) * math.cos(pitch), math.sin(pitch), math.cos(yaw) * math.cos(pitch)
    low = vec.smoothstep(0.35, -0.9, y)
    wide = 0.46 + 0.10 * low
    px, pz = x * wide, z * wide * 0.94
    # The top is drawn up into a soft drop, the underside pressed flat.
    py = 0.42 + (0.44 * y + 0.13 * vec.smoothstep(0.55, 1.0, y) if y > 0 else 0.40 * math.tanh(1.6 * y))
    front = max(0.0, z)
    cheek = math.exp(-(((abs(x) - 0.55) / 0.22) ** 2 + ((y - 0.02) / 0.2) ** 2)) * front
    px, py, pz = px * (1 + 0.03 * cheek), py, pz * (1 + 0.04 * cheek)
    s = e['smile']
    px, py, pz = px * (1 + 0.05 * s * cheek), py + 0.03 * s * cheek, pz * (1 + 0.06 * s * cheek)
    s = e['surprise']
    px, py, pz = px * (1 - 0.13 * s), py * (1 + 0.24 * s), pz * (1 - 0.13 * s)
    s = e['squash']
    px, py, pz = px * (1 + 0.26 * s), py * (1 - 0.40 * s), pz * (1 + 0.26 * s)
    s = e['sulk']
    droop = vec.smoothstep(0.1, 0.9, py)
    px, py, pz = px * (1 + 0.06 * s * (1 - droop)), py - 0.10 * s * droop, pz + 0.10 * s * droop
    lid = math.exp(-(((abs(yaw) - 0.40) / 0.16) ** 2 + ((pitch - 0.34) / 0.12) ** 2))
    if lid > 0.05:
        px, pz = px * (1 + 0.02 * lid * e['blink']), pz * (1 + 0.03 * lid * e['blink'])
    return (px, py, pz)


def surface(yaw, pitch, e, lift):
    """A point `lift` above the body, along its normal."""
    h = 1e-3
    a = vec.sub(body_point(yaw + h, pitch, e), body_point(yaw - h, pitch, e))
    b = vec.sub(body_point(yaw, pitch + h, e), body_point(yaw, pitch - h, e))
    return vec.mad(body_point(yaw, pitch, e), vec.unit(vec.cross(a, b)), lift)


def eye_point(side, r, t, e):
    """A button eye: r from 0 (middle) to 1 (rim), t around."""
    open_ = 1.0 - 0.93 * e['blink'] + 0.30 * e['surprise'] - 0.18 * e['smile'] * (1 - e['blink'])
    wide = 0.118 * (1 + 0.10 * e['surprise'] + 0.18 * e['blink'])
    u, v = r * math.cos(t), r * math.sin(t)
    tilt = -0.30 * e['sulk']
    yaw = side * 0.40 + wide * u
    pitch = 0.32 + 0.165 * open_ * v + 0.06 * e['surprise']
    pitch += (0.045 * e['blink'] + 0.05 * e['smile'] * max(0.0, -v)) * (1 - u * u)
    pitch -= max(0.0, v) * 0.07 * e['sulk'] + tilt * 0.35 * side * wide * u * max(0.0, v) * 4
    dome = 0.035 * math.sqrt(max(0.0, 1 - r * r)) * (1 - 0.75 * e['blink'])
    return surface(yaw, pitch, e, 0.004 + dome)


def shine_point(side, r, t, e):
    """The highlight on an eye: it sits on the eye and goes with it."""
    u, v = 0.36 + 0.26 * r * math.cos(t), 0.42 + 0.26 * r * math.sin(t)
    d = math.hypot(u, v)
    p = eye_point(side, d, math.atan2(v, u), e)
    q = surface(side * 0.40, 0.32, e, 0.0)
    out = vec.unit(vec.sub(p, (q[0] * 0.5, q[1], q[2] * 0.5)))
    return vec.mad(p, out, 0.004 * (1 - e['blink'] * 2.2))


def mouth_point(r, t, e):
    """A closed curve that is a soft line at rest, a grin, an O or a pout."""
    u, v = r * math.cos(t), r * math.sin(t)
    smile, o, sulk = e['smile'], e['surprise'], e['sulk']
    wide = 0.20 + 0.13 * smile - 0.08 * o - 0.03 * sulk
    high = 0.028 + 0.11 * smile + 0.145 * o - 0.006 * sulk
    curve = 0.07 + 0.13 * smile - 0.07 * o - 0.20 * sulk
    pitch = 0.03 + high * v * (1 - 0.45 * smile * (v > 0)) + curve * (u * u - 0.4) - 0.05 * o
    return surface(wide * u, pitch, e, 0.007)


class Part:
    """A parametric patch: points for any expression, with normals from its own triangles."""

    def __init__(self, name, params, triangles, point, color):
        self.name, self.params, self.triangles, self.point = name, params, triangles, point
        self.colors = [color(*p) for p in params]

    def evaluate(self, expression):
        points = [self.point(*p, expression) for p in self.params]
        return points, self._normals(points)

    def _normals(self, points):
        """Area-weighted; vertices at one place (the seam, the poles) share their normal."""
        keys = [tuple(round(c, 5) for c in p) for p in points]
        sums = {}
        for a, b, c in self.triangles:
            n = vec.cross(vec.sub(points[b], points[a]), vec.sub(points[c], points[a]))
            for i in (a, b, c):
                sums[keys[i]] = vec.add(sums.get(keys[i], (0.0, 0.0, 0.0)), n)
        return [vec.unit(sums.get(k, (0.0, 1.0, 0.0))) for k in keys]


def _body_color(yaw, pitch):
    y = math.sin(pitch)
    c = vec.lerp((0.015, 0.22, 0.27), (0.05, 0.62, 0.42), vec.smoothstep(-0.9, 0.5, y))
    c = vec.lerp(c, (0.55, 0.95, 0.45), vec.smoothstep(0.5, 1.0, y))
    spot = math.sin(yaw * 4.0 + 1.0) * math.sin(pitch * 7.0 + yaw * 1.5)
    if abs(yaw) > 1.15:
        c = vec.lerp(c, (0.50, 0.95, 0.55), 0.5 * vec.smoothstep(0.72, 0.86, spot))
    return c


def _cheek_place(side, r, t):
    return side * 0.64 + 0.17 * r * math.cos(t), 0.08 + 0.115 * r * math.sin(t)


def cheek_point(side, r, t, e):
    """A blush just above the skin; its rim has the skin's colour."""
    return surface(*_cheek_place(side, r, t), e, 0.003 * (1 - r * r) + 0.0005)


def _cheek_color(side, r, t):
    skin = _body_color(*_cheek_place(side, r, t))
    return vec.lerp(skin, (0.95, 0.27, 0.28), 0.85 * (1 - vec.smoothstep(0.15, 1.0, r)))


def body_part(columns=60, rows=34):
    params, triangles = [], []
    for r in range(rows + 1):
        for c in range(columns + 1):
            params.append((-math.pi + 2 * math.pi * c / columns, -0.5 * math.pi + math.pi * r / rows))
    for r in range(rows):
        for c in range(columns):
            a = r * (columns + 1) + c
            b, d, f = a + 1, a + columns + 1, a + columns + 2
            # The first and last rows are fans: keep the triangle that is not flat.
            triangles += ([(a, b, f)] if r > 0 else []) + ([(a, f, d)] if r < rows - 1 else [])
    return Part('body', params, triangles, body_point, _body_color)


def disc(rings, sides):
    params, triangles = [(0.0, 0.0)], []
    for r in range(1, rings + 1):
        for s in range(sides):
            params.append((r / rings, 2 * math.pi * s / sides))
    for s in range(sides):
        triangles.append((0, 1 + s, 1 + (s + 1) % sides))
    for r in range(rings - 1):
        for s in range(sides):
            a, b = 1 + r * sides + s, 1 + r * sides + (s + 1) % sides
            triangles += [(a, a + sides, b + sides), (a, b + sides, b)]
    return params, triangles


def _join(pieces):
    params, triangles = [], []
    for extra, (p, t) in pieces:
        base = len(params)
        params += [extra + q for q in p]
        triangles += [tuple(base + i for i in f) for f in t]
    return params, triangles


def face_parts():
    eyes = _join([((side,), disc(7, 28)) for side in (-1, 1)])
    shine = _join([((side,), disc(2, 14)) for side in (-1, 1)])
    cheeks = _join([((side,), disc(5, 20)) for side in (-1, 1)])

    def tongue(r, t):
        low = vec.smoothstep(-0.1, -0.55, r * math.sin(t))
        return vec.lerp((0.16, 0.01, 0.03), (0.85, 0.16, 0.16), low * (0.4 + 0.6 * (r < 0.85)))

    return [Part('cheeks', *cheeks, cheek_point, _cheek_color),
            Part('eyes', *eyes, eye_point, lambda s, r, t: (0.012, 0.015, 0.03)),
            Part('shine', *shine, shine_point, lambda s, r, t: (1.0, 1.0, 1.0)),
            Part('mouth', *disc(6, 40), mouth_point, tongue)]


def _primitive(g, part, material):
    points, normals = part.evaluate(REST)
    attributes = {'POSITION': g.accessor(points, 'VEC3', target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor(normals, 'VEC3', target=gltf.VERTEX),
                  'COLOR_0': g.accessor([tuple(int(vec.clamp(c, 0, 1) * 65535 + 0.5) for c in color)
                                         for color in part.colors], 'VEC3', gltf.U16, gltf.VERTEX, True)}
    targets = []
    for name in TARGETS:
        p, n = part.evaluate(dict(REST, **{name: 1.0}))
        dp = [vec.sub(a, b) for a, b in zip(p, points)]
        dn = [vec.sub(a, b) for a, b in zip(n, normals)]
        if name in ('blink', 'smile') and max(vec.length(d) for d in dp) > 1e-5:
            targets.append({'POSITION': g.sparse_vec3(dp, 1e-5), 'NORMAL': g.sparse_vec3(dn, 1e-4)})
        else:
            targets.append({'POSITION': g.accessor(dp, 'VEC3', bounds=True),
                            'NORMAL': g.accessor(dn, 'VEC3')})
    return {'attributes': attributes, 'indices': g.indices(part.triangles), 'material': material,
            'targets': targets}


def _ball(radius, columns=16, rows=10):
    points, triangles = [], []
    for r in range(rows + 1):
        for c in range(columns):
            a, b = 2 * math.pi * c / columns, math.pi * r / rows
            points.append((radius * math.cos(a) * math.sin(b), -radius * math.cos(b),
                           -radius * math.sin(a) * math.sin(b)))
    for r in range(rows):
        for c in range(columns):
            a, b = r * columns + c, r * columns + (c + 1) % columns
            triangles += ([(a, b, b + columns)] if r else []) + \
                         ([(a, b + columns, a + columns)] if r < rows - 1 else [])
    return points, triangles


def _bubble_mesh(g, material):
    points, triangles = _ball(0.05)
    attributes = {'POSITION': g.accessor(points, 'VEC3', target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor([vec.unit(p) for p in points], 'VEC3', target=gltf.VERTEX)}
    return g.append('meshes', {'name': 'Bubble', 'primitives': [
        {'attributes': attributes, 'indices': g.indices(triangles), 'material': material}]})


def _row(**weights):
    return tuple(weights.get(name, 0.0) for name in TARGETS)


def _clip_emote(g, face, bubbles):
    """Smile, blink, surprise, sulk in turn: LINEAR weights; bubbles pop up by STEP scales."""
    clip = g.animation('Emote')
    keys = [(0.0, _row()), (0.35, _row(smile=1)), (0.8, _row(smile=1)),
            (0.9, _row(smile=1, blink=1)), (1.0, _row(smile=0.9)), (1.25, _row(smile=0.4)),
            (1.45, _row(surprise=1)), (2.1, _row(surprise=0.92)), (2.35, _row()),
            (2.45, _row(blink=1)), (2.55, _row()), (2.9, _row(sulk=1)),
            (3.4, _row(sulk=1, squash=0.1)), (3.5, _row(sulk=0.9, blink=1)), (3.6, _row(sulk=0.8)),
            (4.0, _row())]
    clip.channel(face, 'weights', [k for k, _ in keys], [w for _, w in keys])
    for i, node in enumerate(bubbles):
        times = [0.0, 1.45 + 0.12 * i, 2.1 + 0.08 * i, 4.0]
        small, big = (0.001,) * 3, (1.0 - 0.2 * i,) * 3
        clip.channel(node, 'scale', times, [small, big, small, small], 'STEP')


def _clip_bounce(g, face, root):
    """Hops on the spot: CUBICSPLINE weights and path, loops."""
    clip = g.animation('Bounce')
    period = 1.2
    times = [period * i / 12 for i in range(13)]

    def height(t):
        p = (t / period) % 1.0
        p = (p - 0.25) / 0.6
        return 0.55 * 4 * p * (1 - p) if 0 < p < 1 else 0.0

    def weights(t):
        p = (t / period) % 1.0
        air = vec.smoothstep(0.22, 0.32, p) - vec.smoothstep(0.72, 0.84, p)
        crouch = vec.smoothstep(0.0, 0.16, p) - vec.smoothstep(0.2, 0.28, p)
        land = vec.smoothstep(0.84, 0.9, p) - vec.smoothstep(0.92, 1.0, p)
        stretch = math.sin(math.pi * vec.clamp((p - 0.25) / 0.6, 0, 1)) ** 2
        return _row(smile=0.3 + 0.7 * air, squash=0.75 * crouch + 0.8 * land,
                    surprise=0.35 * air * (1 - stretch), blink=land)

    rows = gltf.cubic_rows(times, weights, step=0.01)
    clip.channel(face, 'weights', times, rows, 'CUBICSPLINE')
    clip.channel(root, 'translation', times,
                 gltf.cubic_rows(times, lambda t: (0.0, height(t), 0.0), step=0.01), 'CUBICSPLINE')


def build():
    g = gltf.Gltf('Blob')
    jelly = g.material('Jelly', roughness=0.25)
    ink = g.material('Ink', roughness=0.15)
    root = g.node(name='Blob')
    primitives = [_primitive(g, body_part(), jelly)]
    primitives += [_primitive(g, part, jelly if part.name == 'cheeks' else ink)
                   for part in face_parts()]
    mesh = g.append('meshes', {'name': 'Blob', 'primitives': primitives,
                               'weights': [0.0] * len(TARGETS), 'extras': {'targetNames': TARGETS}})
    face = g.node(root, name='Blob_face', mesh=mesh, weights=list(_row(smile=0.25)))
    foam = g.material('Foam', color=(0.75, 0.95, 0.9, 1.0), roughness=0.2)
    bubble = _bubble_mesh(g, foam)
    bubbles = [g.node(root, name='Bubble_%d' % i, mesh=bubble, translation=list(p), scale=[0.001] * 3)
               for i, p in enumerate([(0.36, 1.16, 0.0), (-0.30, 1.26, 0.05), (0.12, 1.36, -0.05)])]
    _clip_emote(g, face, bubbles)
    _clip_bounce(g, face, root)
    return {'blob.glb': g.encode()}
