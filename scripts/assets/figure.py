"""assets/figure.glb: marrow's mascot, and the same figure as Collada and as M3D text.

One smooth body (see figure_shape), painted by position (figure_paint), a scarf with a skin of its
own that shares joints with the body's, a hat and eyes that ride on the head, and three clips.
"""
import math

from . import atlas, figure_clips, figure_paint, figure_rig, figure_shape, figure_wear, gltf, png, vec

TEXTURE = 1024
CLIPS = (('Walk', figure_clips.WALK, figure_clips.walk, 32, 'LINEAR'),
         ('Run', figure_clips.RUN, figure_clips.run, 18, 'CUBICSPLINE'),
         ('Wave', figure_clips.WAVE, figure_clips.wave_hand, 84, 'LINEAR'))
_BODY_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Body:
    """The body's mesh with weights, texture coordinates and texture."""

    def __init__(self, r, cell, rounds=10, texture=TEXTURE):
        self.mesh, mirror, self.openness = figure_shape.build(cell, rounds)
        self.weights = figure_rig.body_weights(r, self.mesh, mirror)
        self.parts = _face_parts(r, self.mesh, self.weights)
        own = [f for f, t in enumerate(self.mesh.triangles)
               if self.parts[f] in ('torso', 'head') or sum(self.mesh.points[i][0] for i in t) > 0]
        half = _submesh(self.mesh, own)
        charts = atlas.make_charts(half, [self.parts[f] for f in own], _frames(), _density())
        scale, self.spare = atlas.pack(half, charts, texture, reserved=figure_wear.SWATCHES)
        corners = atlas.texcoords(half, charts, scale, texture)
        self.texture, self.scale = texture, scale
        self.own_mesh, self.own_corners = half, corners
        self.corners = self._all_corners(own, corners, mirror)

    def _all_corners(self, own, corners, mirror):
        """Limbs of the right side take the texels of the left."""
        index = {f: k for k, f in enumerate(own)}
        by_points = {tuple(sorted(self.mesh.triangles[f])): k for f, k in index.items()}
        out = {}
        for f, t in enumerate(self.mesh.triangles):
            if f in index:
                out[f] = corners[index[f]]
                continue
            twins = [mirror[i] for i in t]
            k = by_points[tuple(sorted(twins))]
            place = dict(zip(self.own_mesh.triangles[k], corners[k]))
            out[f] = [place[i] for i in twins]
        return out

    def paint(self):
        canvas = {}
        atlas.paint(self.own_mesh, self.own_corners, self.openness, self.texture, figure_paint.body, canvas)
        figure_wear.paint_swatches(canvas, self.spare)
        atlas.spread(canvas, self.texture)
        pixels = atlas.image(canvas, self.texture, (120, 104, 96))
        return png.encode(self.texture, self.texture, pixels)

    def split(self):
        return atlas.split_vertices(self.mesh, self.corners, self.texture)


class _Part:
    def __init__(self, points, normals, triangles):
        self.points, self.normals, self.triangles = points, normals, triangles


def _submesh(mesh, faces):
    return _Part(mesh.points, mesh.normals, [mesh.triangles[f] for f in faces])


_PART_OF = {'head': 'head', 'neck': 'head', 'hand': 'hand', 'inde': 'hand', 'midd': 'hand', 'smal': 'hand',
            'thum': 'hand', 'uppe': 'arm', 'fore': 'arm', 'thig': 'leg', 'shin': 'leg', 'foot': 'foot',
            'toe.': 'foot'}


def _face_parts(r, mesh, weights):
    parts = []
    for t in mesh.triangles:
        sums = {}
        for i in t:
            for j, w in weights[i]:
                name = _PART_OF.get(r.joints[j].name[:4], 'torso')
                sums[name] = sums.get(name, 0.0) + w
        parts.append(max(sorted(sums), key=lambda k: sums[k]))
    return parts


def _frames():
    """Projection axes of the parts; arms and hands have theirs turned along the limb."""
    arm = figure_shape._ARM
    up = vec.unit(vec.cross((0.0, 0.0, 1.0), arm))
    arm_axes = (arm, up, vec.cross(arm, up))
    hand_axes = (figure_shape.PALM_SIDE, figure_shape.HAND_AXIS,
                 vec.cross(figure_shape.PALM_SIDE, figure_shape.HAND_AXIS))
    along = {(0, 1): -0.25, (0, -1): -0.25}
    upright = {(1, 1): -0.2, (1, -1): -0.25}
    return {'head': (_BODY_AXES, {(2, 1): 0.22, (1, 1): -0.1, (1, -1): -0.1}), 'torso': (_BODY_AXES, upright),
            'leg': (_BODY_AXES, upright), 'foot': (_BODY_AXES, {}), 'arm': (arm_axes, along),
            'hand': (hand_axes, {(1, 1): -0.35, (0, 1): -0.1, (0, -1): -0.1})}


def _density():
    return {'head': 1.35, 'torso': 1.0, 'leg': 0.9, 'foot': 1.0, 'arm': 0.95, 'hand': 1.15}


def _add_joints(g, r):
    nodes = []
    top = g.node(name='Figure')
    for j, joint in enumerate(r.joints):
        parent = nodes[joint.parent] if joint.parent >= 0 else top
        nodes.append(g.node(parent, name=joint.name, translation=list(r.rest_translation(j)),
                            rotation=list(r.rest_rotation(j))))
    return top, nodes


def _skinned_attributes(g, points, normals, uvs, weights, sets=2):
    attributes = {'POSITION': g.accessor(points, 'VEC3', target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor(normals, 'VEC3', target=gltf.VERTEX),
                  'TEXCOORD_0': g.accessor(uvs, 'VEC2', target=gltf.VERTEX)}
    for k in range(sets):
        part = [w[4 * k:4 * k + 4] for w in weights]
        attributes['JOINTS_%d' % k] = g.accessor([tuple(j for j, _ in p) for p in part], 'VEC4', gltf.U8,
                                                 gltf.VERTEX)
        attributes['WEIGHTS_%d' % k] = g.accessor([tuple(w for _, w in p) for p in part], 'VEC4', gltf.U16,
                                                  gltf.VERTEX, True)
    return attributes


def _add_body(g, r, body, nodes, top, material):
    source, uvs, triangles = body.split()
    from .rig import to_units
    attributes = _skinned_attributes(
        g, [body.mesh.points[i] for i in source], [body.mesh.normals[i] for i in source], uvs,
        [to_units(body.weights[i], 8, 65535) for i in source])
    mesh = g.append('meshes', {'name': 'Body', 'primitives': [
        {'attributes': attributes, 'indices': g.indices(triangles), 'material': material}]})
    inverse = [vec.flat_columns(vec.mat_inverse(r.rest_matrix(j))) for j in range(len(r.joints))]
    skin = g.append('skins', {'name': 'Body', 'joints': nodes, 'skeleton': nodes[0],
                              'inverseBindMatrices': g.accessor(inverse, 'MAT4')})
    g.node(top, name='Body', mesh=mesh, skin=skin)


def pose_tracks(r, function, times):
    """Local rotations of every joint and the hips' positions at the times."""
    rotations = [[] for _ in r.joints]
    hips = []
    for t in times:
        turns, at = function(r, t)
        hips.append(at)
        for j, joint in enumerate(r.joints):
            q = r.local(j, turns.get(joint.name, vec.IDENTITY))
            if rotations[j] and sum(a * b for a, b in zip(rotations[j][-1], q)) < 0:
                q = tuple(-c for c in q)
            rotations[j].append(q)
    return rotations, hips


def _add_clip(g, r, nodes, eyes, name, period, function, count, kind):
    clip = g.animation(name)
    times = [period * i / count for i in range(count + 1)]
    if kind == 'LINEAR':
        rotations, hips = pose_tracks(r, function, times)
        keyed = [(rotations[j], 1) for j in range(len(r.joints))]
    else:
        h = 1e-3
        samples = [[pose_tracks(r, function, [t - h, t, t + h])] for t in times]
        keyed, hips = _cubic_tracks(r, samples, h)
    clip.channel(nodes[0], 'translation', times, hips, kind)
    for j, node in enumerate(nodes):
        rows = keyed[j][0]
        if all(max(abs(a - b) for a, b in zip(row, rows[0])) < 1e-6 for row in rows) and kind == 'LINEAR':
            if max(abs(a - b) for a, b in zip(rows[0], r.rest_rotation(j))) > 1e-6:
                clip.channel(node, 'rotation', times[:1], rows[:1], 'STEP')
            continue
        clip.channel(node, 'rotation', times, rows, kind)
    _add_blinks(clip, eyes, period)


def _cubic_tracks(r, samples, h):
    """CUBICSPLINE rows (tangent, value, tangent) from samples around every key."""
    keyed = []
    for j in range(len(r.joints)):
        rows, last = [], None
        for (rotations, _), in samples:
            a, q, b = rotations[j]
            if last is not None and sum(x * y for x, y in zip(last, q)) < 0:
                a, q, b = (tuple(-c for c in v) for v in (a, q, b))
            tangent = tuple((y - x) / (2 * h) for x, y in zip(a, b))
            rows += [tangent, q, tangent]
            last = q
        keyed.append((rows, 3))
    hips = []
    for (_, at), in samples:
        tangent = tuple((y - x) / (2 * h) for x, y in zip(at[0], at[2]))
        hips += [tangent, at[1], tangent]
    return keyed, hips


def _add_blinks(clip, eyes, period):
    """Eyes shut for a moment by a STEP scale, once a clip."""
    shut = 0.62 * period
    times = [0.0, shut, min(shut + 0.10, period)]
    open_, closed = (1.0, 1.0, 1.0), (1.12, 0.10, 0.9)
    for node in eyes:
        clip.channel(node, 'scale', times, [open_, closed, open_], 'STEP')


def build():
    r = figure_rig.build()
    body = Body(r, 0.0215)
    picture = body.paint()
    g = gltf.Gltf('Figure')
    texture = g.texture(picture, 'figure')
    cloth = g.material('Cloth', texture=texture, roughness=0.8)
    top, nodes = _add_joints(g, r)
    _add_body(g, r, body, nodes, top, cloth)
    eyes = figure_wear.add_wear(g, r, nodes, top, texture, body.spare, body.texture)
    for clip in CLIPS:
        _add_clip(g, r, nodes, eyes, *clip)
    return {'figure.glb': g.encode()}
