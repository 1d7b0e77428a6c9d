"""The figure's body: polygons, weights, charts and paint, at any level of detail."""
from . import atlas, figure_paint, figure_rig, figure_shape, figure_wear, png, vec

_BODY_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Body:
    """The body's mesh with weights, texture coordinates and texture."""

    def __init__(self, r, cell, texture, hand_scale=0.46):
        self.mesh, mirror, self.openness = figure_shape.build(cell, hand_scale)
        self.weights = figure_rig.body_weights(r, self.mesh, mirror)
        self.parts = _face_parts(r, self.mesh, self.weights)
        own = [f for f, t in enumerate(self.mesh.triangles)
               if self.parts[f] in ('torso', 'head') or sum(self.mesh.points[i][0] for i in t) > 0]
        half = _submesh(self.mesh, own)
        charts = atlas.make_charts(half, [self.parts[f] for f in own], _frames(), _density())
        scale, self.spare = atlas.pack(half, charts, texture, reserved=figure_wear.SWATCHES)
        corners = atlas.texcoords(half, charts, scale)
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
        atlas.paint(self.own_mesh, self.own_corners, self.openness, self.texture,
                    figure_paint.body, canvas)
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


# By the first four letters of the joint's name; all others belong to the trunk.
_PART_OF = {'head': 'head', 'neck': 'head', 'uppe': 'arm', 'fore': 'arm',
            'hand': 'hand', 'inde': 'hand', 'midd': 'hand', 'smal': 'hand', 'thum': 'hand',
            'thig': 'leg', 'shin': 'leg', 'foot': 'foot', 'toe.': 'foot'}


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
    arm = figure_shape.ARM
    up = vec.unit(vec.cross((0.0, 0.0, 1.0), arm))
    arm_axes = (arm, up, vec.cross(arm, up))
    hand_axes = (figure_shape.PALM_SIDE, figure_shape.HAND_AXIS,
                 vec.cross(figure_shape.PALM_SIDE, figure_shape.HAND_AXIS))
    along = {(0, 1): -0.25, (0, -1): -0.25}
    upright = {(1, 1): -0.2, (1, -1): -0.25}
    return {'head': (_BODY_AXES, {(2, 1): 0.22, (1, 1): -0.1, (1, -1): -0.1}),
            'torso': (_BODY_AXES, upright), 'leg': (_BODY_AXES, upright),
            'foot': (_BODY_AXES, {}), 'arm': (arm_axes, along),
            'hand': (hand_axes, {(1, 1): -0.35, (0, 1): -0.1, (0, -1): -0.1})}


def _density():
    return {'head': 1.35, 'torso': 1.0, 'leg': 0.9, 'foot': 1.0, 'arm': 0.95, 'hand': 1.15}
