"""assets/figure.glb: marrow's mascot, and the same figure as Collada and as M3D text.

One smooth body (see figure_shape), painted by position (figure_paint), a scarf with a skin of its
own that shares joints with the body's, a hat and eyes that ride on the head, and three clips.
"""
from . import collada, figure_body, figure_clips, figure_rig, figure_text, figure_wear, gltf, luna, vec
from .rig import limited, to_units

TEXTURE = 1024
CLIPS = (('Walk', figure_clips.WALK, figure_clips.walk, 32, 'LINEAR'),
         ('Run', figure_clips.RUN, figure_clips.run, 18, 'CUBICSPLINE'),
         ('Wave', figure_clips.WAVE, figure_clips.wave_hand, 56, 'LINEAR'))


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


def _close(a, b):
    return max(abs(x - y) for x, y in zip(a, b)) < 1e-6


def _add_clip(g, r, nodes, eyes, name, period, function, count, kind):
    clip = g.animation(name)
    times = [period * i / count for i in range(count + 1)]
    if kind == 'LINEAR':
        keyed, hips = pose_tracks(r, function, times)
    else:
        h = 1e-3
        samples = [pose_tracks(r, function, [t - h, t, t + h]) for t in times]
        keyed, hips = _cubic_tracks(r, samples, h)
    clip.channel(nodes[0], 'translation', times, hips, kind)
    for j, node in enumerate(nodes):
        rows = keyed[j]
        if kind == 'LINEAR' and all(_close(row, rows[0]) for row in rows):
            if not _close(rows[0], r.rest_rotation(j)):
                clip.channel(node, 'rotation', times[:1], rows[:1], 'STEP')
        else:
            clip.channel(node, 'rotation', times, rows, kind)
    _add_blinks(clip, eyes, period)


def _cubic_tracks(r, samples, h):
    """CUBICSPLINE rows (tangent, value, tangent) from samples around every key."""
    keyed = []
    for j in range(len(r.joints)):
        rows, last = [], None
        for rotations, _ in samples:
            a, q, b = rotations[j]
            if last is not None and sum(x * y for x, y in zip(last, q)) < 0:
                a, q, b = (tuple(-c for c in v) for v in (a, q, b))
            tangent = tuple((y - x) / (2 * h) for x, y in zip(a, b))
            rows += [tangent, q, tangent]
            last = q
        keyed.append(rows)
    hips = []
    for _, at in samples:
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


def _mesh(g, name, sheet, points, normals, material, more=()):
    attributes = {'POSITION': g.accessor(points, 'VEC3', target=gltf.VERTEX, bounds=True),
                  'NORMAL': g.accessor(normals, 'VEC3', target=gltf.VERTEX),
                  'TEXCOORD_0': g.accessor(sheet.uvs, 'VEC2', target=gltf.VERTEX)}
    attributes.update(more)
    return g.append('meshes', {'name': name, 'primitives': [
        {'attributes': attributes, 'indices': g.indices(sheet.triangles), 'material': material}]})


# The scarf's mesh is stored in tenths of a metre about the neck, so that its skin needs inverse
# bind matrices other than the body's for the same joints.
_SCARF_ORIGIN, _SCARF_UNIT = (0.0, 1.24, -0.012), 0.1


def _add_scarf(g, r, nodes, top, material, sheet):
    names = ['chest', 'neck'] + [j.name for j in r.joints if j.name.startswith('scarf')]
    slots = {r.index[n]: k for k, n in enumerate(names)}
    rows = [to_units([(slots[j], w) for j, w in limited(dict(ws), 4)], 4, 255) for ws in sheet.weights]
    more = {'JOINTS_0': g.accessor([tuple(j for j, _ in p) for p in rows], 'VEC4', gltf.U16, gltf.VERTEX),
            'WEIGHTS_0': g.accessor([tuple(w for _, w in p) for p in rows], 'VEC4', gltf.U8, gltf.VERTEX, True)}
    points = [vec.mul(vec.sub(p, _SCARF_ORIGIN), 1 / _SCARF_UNIT) for p in sheet.points]
    mesh = _mesh(g, 'Scarf', sheet, points, sheet.normals(), material, more)
    to_mesh = vec.compose(_SCARF_ORIGIN, vec.IDENTITY, (_SCARF_UNIT,) * 3)
    inverse = [vec.flat_columns(vec.mat_mul(vec.mat_inverse(r.rest_matrix(r.index[n])), to_mesh)) for n in names]
    skin = g.append('skins', {'name': 'Scarf', 'joints': [nodes[r.index[n]] for n in names],
                              'inverseBindMatrices': g.accessor(inverse, 'MAT4')})
    g.node(top, name='Scarf', mesh=mesh, skin=skin)


def _add_rigid(g, r, nodes, wear, wool, glossy):
    """Hat and eyes under the head's joint; returns the nodes of the eyes."""
    head = r.index['head']
    back, turn = vec.mat_inverse(r.rest_matrix(head)), vec.quat_conj(r.joints[head].frame)
    hat = _mesh(g, 'Hat', wear.hat, [vec.mat_point(back, p) for p in wear.hat.points],
                [vec.quat_rotate(turn, n) for n in wear.hat.normals()], wool)
    g.node(nodes[head], name='Hat', mesh=hat)
    mesh = _mesh(g, 'Eye', wear.eye, wear.eye.points, wear.eye.normals(), glossy)
    return [g.node(nodes[head], name=eye.name, mesh=mesh, translation=list(vec.mat_point(back, eye.at)),
                   rotation=list(vec.quat_mul(turn, eye.turn)), scale=[1.0, 1.0, 1.0]) for eye in wear.eyes]


def _binary(r):
    body = figure_body.Body(r, 0.0215, TEXTURE)
    wear = figure_wear.Wear(r, body.spare, TEXTURE)
    g = gltf.Gltf('Figure')
    texture = g.texture(body.paint(), 'figure')
    cloth = g.material('Cloth', texture=texture, roughness=0.8)
    wool = g.material('Wool', texture=texture, roughness=0.95)
    glossy = g.material('Eyes', texture=texture, roughness=0.15)
    top, nodes = _add_joints(g, r)
    _add_body(g, r, body, nodes, top, cloth)
    _add_scarf(g, r, nodes, top, wool, wear.scarf)
    eyes = _add_rigid(g, r, nodes, wear, wool, glossy)
    for clip in CLIPS:
        _add_clip(g, r, nodes, eyes, *clip)
    return g.encode()


def _text(r, cell=0.041, size=512):
    """The coarser figure for the two text formats, and its texture."""
    body = figure_body.Body(r, cell, size, hand_scale=0.42)
    parts = figure_text.parts(r, body, figure_wear.Wear(r, body.spare, size, 0.36))
    clips = []
    for name, period, function, keys in (('Walk', figure_clips.WALK, figure_clips.walk, 12),
                                         ('Run', figure_clips.RUN, figure_clips.run, 9)):
        times = [period * i / keys for i in range(keys + 1)]
        clips.append((name, times) + pose_tracks(r, function, times))
    return {'figure.dae': collada.encode(r, parts, clips[0], 'figure.png'),
            'figure.m3d': luna.encode(r, parts, clips, 'figure.png'), 'figure.png': body.paint()}


def build():
    r = figure_rig.build()
    files = {'figure.glb': _binary(r)}
    files.update(_text(r))
    return files
