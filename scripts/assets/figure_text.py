"""The figure as plain parts with weights, which the writers of text formats share."""
from . import vec
from .rig import limited


class Part:
    """One material's worth of vertices in the rest pose; weights: (joint, weight), at most four."""

    def __init__(self, name, points, normals, uvs, weights, triangles):
        self.name, self.points, self.normals, self.uvs = name, points, normals, uvs
        self.weights, self.triangles = weights, triangles


def parts(r, body, wear, influences=4):
    head = [(r.index['head'], 1.0)]
    source, uvs, triangles = body.split()
    out = [Part('Cloth', [body.mesh.points[i] for i in source], [body.mesh.normals[i] for i in source], uvs,
                [limited(dict(body.weights[i]), influences) for i in source], triangles)]
    for name, sheet in (('Scarf', wear.scarf), ('Hat', wear.hat)):
        weights = [limited(dict(w), influences) if w else head for w in sheet.weights]
        out.append(Part(name, sheet.points, sheet.normals(), sheet.uvs, weights, sheet.triangles))
    out.append(_eyes(wear, head))
    return out


def _eyes(wear, head):
    points, normals, uvs, triangles = [], [], [], []
    for eye in wear.eyes:
        first = len(points)
        points += [vec.add(eye.at, vec.quat_rotate(eye.turn, p)) for p in wear.eye.points]
        normals += [vec.quat_rotate(eye.turn, n) for n in wear.eye.normals()]
        uvs += wear.eye.uvs
        triangles += [tuple(first + i for i in t) for t in wear.eye.triangles]
    return Part('Eyes', points, normals, uvs, [head] * len(points), triangles)


def number(x, digits=6):
    """Short text of a number; never '-0'."""
    text = '%.*g' % (digits, x)
    return '0' if text == '-0' else text


def numbers(values, digits=6):
    return ' '.join(number(v, digits) for v in values)
