"""assets/inchworm/: a worm that gets somewhere, in parts, as models come from a pipeline.

inchworm.glb has the mesh and a clip that moves its root, two scenes that share the worm (the second
one has a leaf), a rest pose that is not the pose it was bound in, and a texture that lies in the
folder knit/. rear.glb has the joints again and another clip, and nothing to draw. sway.glb is of
another make: twice as long, in centimetres, its joints otherwise named, turned about their bones and
bent a little at rest, and with a node between two of them that moves as well.
"""
import math

from . import gltf, png, vec

STEP = 0.08       # length of a segment
RADIUS = 0.055
SEGMENTS = 8
RINGS_A_STEP, SIDES = 3, 16
PITCH = (0.0, 74.0, 74.0, 30.0, -30.0, -74.0, -74.0, 0.0)  # of each segment, fully arched
REARED = (0.0, 0.0, 10.0, 45.0, 62.0, 58.0, 30.0, -25.0)


def knit_png(size=64):
    """One round of the sweater: a dark, a bright and a pale stripe of small stitches."""
    colors = ((38, 92, 104), (226, 132, 54), (238, 222, 186), (226, 132, 54))
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            c = colors[4 * y // size]
            stitch = (x + abs(y % 8 - 4) * 2) % 8
            shade = 0.82 if stitch == 0 else 0.92 + 0.01 * stitch
            pixels += bytes(int(v * shade) for v in c)
    return png.encode(size, size, pixels)


# The body

def radius_at(s):
    """Radius at the fraction s of the length, from the tail: round ends, a thick middle."""
    end = min(s, 1.0 - s) * SEGMENTS
    return RADIUS * (0.85 + 0.15 * math.sin(math.pi * s)) * math.sqrt(max(0.0, 1 - (1 - min(end, 1.0)) ** 2))


def influences(z):
    """Two joints share each place, half and half where segments meet."""
    place = vec.clamp(z / STEP - 0.5, 0.0, SEGMENTS - 1.0)
    first = min(int(place), SEGMENTS - 2)
    weight = vec.smoothstep(0.0, 1.0, place - first)
    return ((first, 1.0 - weight), (first + 1, weight))


def _add_body(g, material, skin_of):
    points, normals, uvs, joints, weights, triangles = [], [], [], [], [], []
    rows = SEGMENTS * RINGS_A_STEP
    for r in range(rows + 1):
        s = r / rows
        slope = (radius_at(min(s + 1e-3, 1)) - radius_at(max(s - 1e-3, 0))) / (2e-3 * STEP * SEGMENTS)
        for c in range(SIDES + 1):
            t = 2 * math.pi * c / SIDES
            out = (math.sin(t), math.cos(t))
            points.append((out[0] * radius_at(s), out[1] * radius_at(s), s * STEP * SEGMENTS))
            normals.append(vec.unit((out[0], out[1], -slope)))
            uvs.append((4.0 * c / SIDES, s * SEGMENTS / 2))
            pair = influences(s * STEP * SEGMENTS)
            joints.append((pair[0][0], pair[1][0], 0, 0))
            weights.append((pair[0][1], pair[1][1], 0.0, 0.0))
    for r in range(rows):
        for c in range(SIDES):
            a = r * (SIDES + 1) + c
            b = a + SIDES + 1
            triangles += [(a, b + 1, a + 1)] if r > 0 else []
            triangles += [(a, b, b + 1)] if r + 1 < rows else []
            triangles += [(a, b, b + 1)] if r == 0 else []
            triangles += [(a, b, a + 1)] if r + 1 == rows else []
    attributes = {'POSITION': g.accessor(points, 'VEC3', target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor(normals, 'VEC3', target=gltf.VERTEX),
                  'TEXCOORD_0': g.accessor(uvs, 'VEC2', target=gltf.VERTEX),
                  'JOINTS_0': g.accessor(joints, 'VEC4', gltf.U8, gltf.VERTEX),
                  'WEIGHTS_0': g.accessor(weights, 'VEC4', target=gltf.VERTEX)}
    mesh = g.append('meshes', {'name': 'Body', 'primitives': [
        {'attributes': attributes, 'indices': g.indices(triangles), 'material': material}]})
    g.node(skin_of, name='Body', mesh=mesh, skin=0)


def _add_ball(g, name, material, radius, rows=8, sides=12):
    points, triangles = [], []
    for r in range(rows + 1):
        a = math.pi * (r / rows - 0.5)
        for c in range(sides):
            t = 2 * math.pi * c / sides
            points.append((math.cos(a) * math.sin(t), math.sin(a), math.cos(a) * math.cos(t)))
    for r in range(rows):
        for c in range(sides):
            a, b = r * sides + c, r * sides + (c + 1) % sides
            triangles += [(a, b, b + sides)] if r > 0 else []
            triangles += [(a, b + sides, a + sides)] if r + 1 < rows else []
    attributes = {'POSITION': g.accessor([vec.mul(p, radius) for p in points], 'VEC3',
                                         target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor(points, 'VEC3', target=gltf.VERTEX)}
    return g.append('meshes', {'name': name, 'primitives': [
        {'attributes': attributes, 'indices': g.indices(triangles), 'material': material}]})


def _add_leaf(g, material, rows=12, columns=6):
    """A pointed leaf, creased along the middle, a little larger than the worm."""
    points, triangles = [], []
    for r in range(rows + 1):
        f = r / rows
        for c in range(columns + 1):
            side = 2 * c / columns - 1
            wide = 0.24 * math.sin(math.pi * f ** 0.8)
            points.append((side * wide, 0.05 * abs(side) * math.sin(math.pi * f) - 0.01,
                           -0.18 + 1.05 * f))
    for r in range(rows):
        for c in range(columns):
            a = r * (columns + 1) + c
            b = a + columns + 1
            triangles += [(a, b, b + 1), (a, b + 1, a + 1)]
    normals = [vec.unit((-0.2 * (1 if p[0] > 0 else -1 if p[0] < 0 else 0), 1.0, 0.0)) for p in points]
    attributes = {'POSITION': g.accessor(points, 'VEC3', target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor(normals, 'VEC3', target=gltf.VERTEX)}
    return g.append('meshes', {'name': 'Leaf', 'primitives': [
        {'attributes': attributes, 'indices': g.indices(triangles), 'material': material}]})


# Joints and poses

def turns(pitches):
    """Each joint's rotation, for segments that rise by these degrees."""
    return [vec.euler(x=-(p - q)) for p, q in zip(pitches, (0.0,) + tuple(pitches[:-1]))]


def arched(amount):
    return tuple(p * amount for p in PITCH)


def span(amount):
    """Length over the ground, from tail to nose."""
    return sum(STEP * math.cos(math.radians(p)) for p in arched(amount))


def _add_joints(g, root, pose):
    nodes = []
    for k, turn in enumerate(turns(pose)):
        place = [0.0, 0.0, STEP] if nodes else [0.0, RADIUS, 0.0]
        nodes.append(g.node(nodes[-1] if nodes else root, name='segment_%d' % k, translation=place,
                            rotation=list(turn)))
    return nodes


def _clip_crawl(clip, nodes, period=1.2, keys=24):
    """Draws the tail up to the head, then stretches: one step ahead a turn, of the root itself."""
    times = [period * i / keys for i in range(keys + 1)]
    poses, places = [], []
    for i in range(keys + 1):
        f = 2.0 * i / keys
        amount = vec.smoothstep(0.0, 1.0, f) if f < 1 else 1 - vec.smoothstep(1.0, 2.0, f)
        poses.append(turns(arched(amount)))
        places.append((0.0, RADIUS, span(0.0) - span(amount if f < 1 else 1.0)))
    clip.channel(nodes[0], 'translation', times, places)
    for k, node in enumerate(nodes):
        clip.channel(node, 'rotation', times, [pose[k] for pose in poses])


def _clip_rear(clip, nodes, period=2.0, keys=20):
    """Raises the front half and looks about; stays where it is."""
    times = [period * i / keys for i in range(keys + 1)]
    poses = []
    for i in range(keys + 1):
        f = i / keys
        amount = vec.smoothstep(0.0, 0.35, f) - vec.smoothstep(0.7, 1.0, f)
        pose = turns(tuple(p * amount for p in REARED))
        look = 14.0 * amount * math.sin(4 * math.pi * f)
        poses.append([vec.quat_mul(q, vec.euler(y=look)) if k > 3 else q for k, q in enumerate(pose)])
    for k, node in enumerate(nodes):
        clip.channel(node, 'rotation', times, [pose[k] for pose in poses])


def _build_worm():
    g = gltf.Gltf('Ground')
    image = g.append('images', {'name': 'knit', 'uri': 'knit.png'})
    sampler = g.append('samplers', {'magFilter': 9729, 'minFilter': 9987})
    knit = g.material('Knit', texture=g.append('textures', {'sampler': sampler, 'source': image}),
                      roughness=0.95)
    ink = g.material('Ink', color=(0.02, 0.02, 0.03, 1), roughness=0.3)
    green = g.material('Leaf', color=(0.16, 0.42, 0.08, 1), roughness=0.8, doubleSided=True)
    root = g.node(name='Inchworm')
    nodes = _add_joints(g, root, arched(0.6))
    inverse = [vec.flat_columns(vec.compose((0.0, 0.0, -STEP * k))) for k in range(SEGMENTS)]
    g.append('skins', {'name': 'Body', 'joints': nodes, 'skeleton': nodes[0],
                       'inverseBindMatrices': g.accessor(inverse, 'MAT4')})
    _add_body(g, knit, root)
    eye = _add_ball(g, 'Eye', ink, 0.014)
    for name, side in (('L', 1), ('R', -1)):
        g.node(nodes[-1], name='eye.' + name, mesh=eye, translation=[0.026 * side, 0.036, 0.048])
    leaf = g.append('nodes', {'name': 'Leaf', 'mesh': _add_leaf(g, green)})
    g.json['scenes'].append({'name': 'Leaf', 'nodes': [root, leaf]})
    _clip_crawl(g.animation('Crawl'), nodes)
    return g.encode()


def _build_rear():
    g = gltf.Gltf('Ground')
    nodes = _add_joints(g, g.node(name='Inchworm'), (0.0,) * SEGMENTS)
    _clip_rear(g.animation('Rear'), nodes)
    return g.encode()


# Another worm's clip

def _roll(k):
    return vec.euler(z=(40.0, -75.0, 90.0, 180.0, 15.0, -120.0, 60.0, 0.0)[k])


def _clip_sway(clip, rest, nodes, hinge, period=1.6, keys=8):
    """From side to side, the way ahead and back; the hinge lifts the head, as a cubic curve."""
    times = [period * i / keys for i in range(keys + 1)]
    phase = [2 * math.pi * i / keys for i in range(keys + 1)]
    clip.channel(nodes[0], 'translation', times,
                 [(0.0, 2 * 5.5, 12.0 * math.sin(p)) for p in phase])
    for k, node in enumerate(nodes):
        swing = [vec.euler(y=16.0 * math.sin(p - 0.6 * k)) for p in phase]
        clip.channel(node, 'rotation', times, [vec.quat_mul(rest[k], q) for q in swing],
                     'STEP' if k == SEGMENTS - 1 else 'LINEAR')

    def lift(t):
        return vec.euler(x=-20.0 * (1 - math.cos(2 * math.pi * t / period)))

    clip.channel(hinge, 'rotation', times, gltf.cubic_rows(times, lift), 'CUBICSPLINE')


def _build_sway():
    g = gltf.Gltf('Ground')
    at = g.node(name='Rig', scale=[0.01, 0.01, 0.01])
    nodes, rest, hinge = [], [], None
    for k in range(SEGMENTS):
        before = _roll(k - 1) if k > 0 else (0.0, 0.0, 0.0, 1.0)
        turn = vec.quat_mul(vec.quat_conj(before), vec.quat_mul(vec.euler(x=-4.0), _roll(k)))
        place = [0.0, 0.0, 2 * 8.0] if nodes else [0.0, 2 * 5.5, 0.0]
        if k == 5:
            hinge = at = g.node(at, name='hinge')
        at = g.node(at, name='Worm:Segment %d' % k, translation=place, rotation=list(turn))
        nodes.append(at)
        rest.append(turn)
    _clip_sway(g.animation('Sway'), rest, nodes, hinge)
    return g.encode()


def build():
    return {'inchworm/inchworm.glb': _build_worm(), 'inchworm/rear.glb': _build_rear(),
            'inchworm/sway.glb': _build_sway(),
            'inchworm/knit/knit.png': knit_png()}
