"""Writes M3D text, the format of the skinned mesh demo in Frank Luna's Direct3D 12 book.

That world is left-handed and has row vectors: z changes sign (for a rotation x and y do) and
matrices are written as the rows of the transpose. Triangles keep their order of before the mirror:
so it is in the book's own model, which the demo draws with z mirrored once more.
"""
from . import vec
from .figure_text import number, numbers


def _mirror(p):
    return (p[0], p[1], -p[2])


def _mirror_turn(q):
    return (-q[0], -q[1], q[2], q[3])


def _row_matrix(m):
    """Rows of the transpose of S m S, where S mirrors z."""
    s = (1.0, 1.0, -1.0, 1.0)
    return tuple(m[r][c] * s[r] * s[c] for c in range(4) for r in range(4))


def _tangents(part):
    """Unit directions of growing u along the surface."""
    sums = [(0.0, 0.0, 0.0)] * len(part.points)
    for a, b, c in part.triangles:
        e, f = vec.sub(part.points[b], part.points[a]), vec.sub(part.points[c], part.points[a])
        du, dv = (part.uvs[b][0] - part.uvs[a][0], part.uvs[c][0] - part.uvs[a][0]), \
                 (part.uvs[b][1] - part.uvs[a][1], part.uvs[c][1] - part.uvs[a][1])
        d = du[0] * dv[1] - du[1] * dv[0]
        if abs(d) < 1e-14:
            continue
        t = vec.mul(vec.sub(vec.mul(e, dv[1]), vec.mul(f, dv[0])), 1.0 / d)
        for i in (a, b, c):
            sums[i] = vec.add(sums[i], t)
    out = []
    for t, n in zip(sums, part.normals):
        t = vec.mad(t, n, -vec.dot(t, n))
        out.append(vec.unit(t) if vec.length(t) > 1e-9 else vec.unit(vec.cross(n, (0.3, 0.4, 0.5))))
    return out


def _section(title):
    return '***************' + title.ljust(29, '*')


def _header(r, parts, clips):
    return [_section('m3d-File-Header'), '#Materials %d' % len(parts),
            '#Vertices %d' % sum(len(p.points) for p in parts),
            '#Triangles %d' % sum(len(p.triangles) for p in parts),
            '#Bones %d' % len(r.joints), '#AnimationClips %d' % len(clips), '']


def _materials(parts, texture):
    out = [_section('Materials')]
    for part in parts:
        out += ['Name: ' + part.name, 'Diffuse: 1 1 1', 'Fresnel0: 0.05 0.05 0.05',
                'Roughness: ' + ('0.2' if part.name == 'Eyes' else '0.8'), 'AlphaClip: 0',
                'MaterialTypeName: Skinned', 'DiffuseMap: ' + texture, 'NormalMap: none', '']
    return out


def _subsets(parts):
    out, vertex, face = [_section('SubsetTable')], 0, 0
    for k, part in enumerate(parts):
        out.append('SubsetID: %d VertexStart: %d VertexCount: %d FaceStart: %d FaceCount: %d' %
                   (k, vertex, len(part.points), face, len(part.triangles)))
        vertex, face = vertex + len(part.points), face + len(part.triangles)
    return out + ['']


def _vertices(parts):
    out = [_section('Vertices')]
    for part in parts:
        rows = zip(part.points, _tangents(part), part.normals, part.uvs, part.weights)
        for p, t, n, uv, weights in rows:
            padded = weights + [(0, 0.0)] * (4 - len(weights))
            out += ['Position: ' + numbers(_mirror(p), 5), 'Tangent: ' + numbers(_mirror(t), 3) + ' 1',
                    'Normal: ' + numbers(_mirror(n), 3), 'Tex-Coords: ' + numbers(uv, 4),
                    'BlendWeights: ' + numbers((w for _, w in padded), 3),
                    'BlendIndices: ' + ' '.join(str(j) for j, _ in padded), '']
    return out


def _triangles(parts):
    out, first = [_section('Triangles')], 0
    for part in parts:
        out += ['%d %d %d' % (first + a, first + b, first + c) for a, b, c in part.triangles]
        first += len(part.points)
    return out + ['']


def _skeleton(r):
    out = [_section('BoneOffsets')]
    for j in range(len(r.joints)):
        offset = vec.mat_inverse(r.rest_matrix(j))
        out.append('BoneOffset%d %s' % (j, numbers(_row_matrix(offset), 8)))
    out += ['', _section('BoneHierarchy')]
    out += ['ParentIndexOfBone%d: %d' % (j, joint.parent) for j, joint in enumerate(r.joints)]
    return out + ['']


def _clip(r, name, times, rotations, hips):
    out = ['AnimationClip ' + name, '{']
    for j in range(len(r.joints)):
        out += ['\tBone%d #Keyframes: %d' % (j, len(times)), '\t{']
        rest = numbers(_mirror(r.rest_translation(j)))
        for k, t in enumerate(times):
            at = rest if j else numbers(_mirror(hips[k]))
            out.append('\t\tTime: %s Pos: %s Scale: 1 1 1 Quat: %s' %
                       (number(t, 7), at, numbers(_mirror_turn(rotations[j][k]), 5)))
        out += ['\t}', '']
    return out + ['}', '']


def encode(r, parts, clips, texture):
    """clips: (name, times, rotations per joint, hips' positions)."""
    out = (_header(r, parts, clips) + _materials(parts, texture) + _subsets(parts) + _vertices(parts) +
           _triangles(parts) + _skeleton(r) + [_section('AnimationClips')])
    for clip in clips:
        out += _clip(r, *clip)
    return '\n'.join(out).encode()
