"""Turns a signed distance field into an even triangle mesh: surface nets, relaxed on the surface.

A body that is symmetric in x is polygonised once, on x >= 0, and mirrored: cell centres lie on
x = 0, so the half ends in vertices exactly on the plane of symmetry.
"""
import math

from . import vec


class Magnifier:
    """Radial maps that make the even sampling grid finer around some centres (hands, face)."""

    def __init__(self, lenses=()):
        self.lenses = lenses

    def stretch(self):
        return max([1.0] + [1.0 + 0.69 * (1.0 - scale) for _, _, scale in self.lenses])

    def __call__(self, p):
        for center, radius, scale in self.lenses:
            d = vec.sub(p, center)
            r = vec.length(d)
            if r < radius:
                t = r / radius
                s = scale + (1.0 - scale) * t * t * (3.0 - 2.0 * t)
                p = vec.mad(center, d, s)
        return p


class Mesh:
    def __init__(self, points, triangles):
        self.points, self.triangles = points, triangles
        self.normals = None

    def neighbours(self):
        near = [set() for _ in self.points]
        for a, b, c in self.triangles:
            near[a].update((b, c))
            near[b].update((a, c))
            near[c].update((a, b))
        return [sorted(s) for s in near]


def polygonise(field, low, high, cell, lens=Magnifier()):
    """Surface nets of the half x >= 0. low, high: the box in grid space."""
    origin = (-0.5 * cell, low[1], low[2])
    count = [int(math.ceil((high[k] - origin[k]) / cell)) + 1 for k in range(3)]
    values = _sample(field, origin, count, cell, lens)
    nx, ny, nz = count
    index, points = {}, []
    for (i, j, k), corners in _crossed_cells(values):
        points.append(lens(_cell_point(origin, cell, i, j, k, corners)))
        index[i, j, k] = len(points) - 1
    quads = []
    for i in range(nx - 1):
        for j in range(1, ny - 1):
            for k in range(1, nz - 1):
                a = values.get((i, j, k))
                if a is None:
                    continue
                # An edge that the surface crosses is ringed by four cells.
                _ring(values, index, quads, a, (i + 1, j, k),
                      [(i, j - 1, k - 1), (i, j, k - 1), (i, j, k), (i, j - 1, k)])
                if i > 0:
                    _ring(values, index, quads, a, (i, j + 1, k),
                          [(i - 1, j, k - 1), (i - 1, j, k), (i, j, k), (i, j, k - 1)])
                    _ring(values, index, quads, a, (i, j, k + 1),
                          [(i - 1, j - 1, k), (i, j - 1, k), (i, j, k), (i - 1, j, k)])
    points = [(0.0 if abs(p[0]) < 1e-6 else p[0], p[1], p[2]) for p in points]
    return _compact(points, _split(points, quads))


def _sample(field, origin, count, cell, lens, block=6):
    """Field values of the nodes near the surface, found block by block."""
    values = {}
    # A lens stretches space near its rim by up to 1 + 0.69 (1 - scale).
    reach = block * cell * 0.5 * math.sqrt(3.0) * lens.stretch()
    for bi in range(0, count[0], block):
        for bj in range(0, count[1], block):
            for bk in range(0, count[2], block):
                middle = lens(tuple(origin[n] + (b + (block - 1) * 0.5) * cell
                                    for n, b in enumerate((bi, bj, bk))))
                local = field.near(middle, reach)
                if not local.shapes or local(*middle) > 1.3 * reach + 0.03:
                    continue
                for i in range(bi, min(bi + block, count[0])):
                    for j in range(bj, min(bj + block, count[1])):
                        for k in range(bk, min(bk + block, count[2])):
                            p = (origin[0] + i * cell, origin[1] + j * cell, origin[2] + k * cell)
                            values[i, j, k] = local(*lens(p))
    return values


_CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)]
_EDGES = [(a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count('1') == 1]


def _crossed_cells(values):
    for i, j, k in sorted(values):
        corners = [values.get((i + a, j + b, k + c)) for a, b, c in _CORNERS]
        if None in corners:
            continue
        inside = sum(1 for c in corners if c < 0)
        if 0 < inside < 8:
            yield (i, j, k), corners


def _cell_point(origin, cell, i, j, k, corners):
    x = y = z = 0.0
    n = 0
    for a, b in _EDGES:
        da, db = corners[a], corners[b]
        if (da < 0) != (db < 0):
            t = da / (da - db)
            pa, pb = _CORNERS[a], _CORNERS[b]
            x += pa[0] + (pb[0] - pa[0]) * t
            y += pa[1] + (pb[1] - pa[1]) * t
            z += pa[2] + (pb[2] - pa[2]) * t
            n += 1
    if i == 0:
        x = 0.5 * n
    return (origin[0] + (i + x / n) * cell, origin[1] + (j + y / n) * cell,
            origin[2] + (k + z / n) * cell)


def _ring(values, index, quads, a, there, cells):
    b = values.get(there)
    if b is None or (a < 0) == (b < 0):
        return
    ring = [index[c] for c in cells]
    quads.append(ring if a < 0 else ring[::-1])


def _split(points, quads):
    out = []
    for a, b, c, d in quads:
        if vec.distance(points[a], points[c]) <= vec.distance(points[b], points[d]):
            out += [(a, b, c), (a, c, d)]
        else:
            out += [(a, b, d), (b, c, d)]
    return out


def _compact(points, triangles):
    used = sorted({i for t in triangles for i in t})
    renumber = {old: new for new, old in enumerate(used)}
    return Mesh([points[i] for i in used], [tuple(renumber[i] for i in t) for t in triangles])


def relax(mesh, field, rounds=8, strength=0.4):
    """Evens the triangles out along the surface and pulls every vertex onto it.

    Vertices move in their tangent planes only: a plain Laplacian drains the tips of fingers.
    """
    near = mesh.neighbours()
    points = [_project(field, p, 3)[0] for p in mesh.points]
    normals = [vec.unit(field.gradient(p)) for p in points]
    for step in range(rounds):
        moved = []
        for i, p in enumerate(points):
            d = vec.mul(vec.sub(_mean(points, near[i], p), p), strength)
            d = vec.mad(d, normals[i], -vec.dot(d, normals[i]))
            moved.append((0.0 if p[0] == 0 else p[0] + d[0], p[1] + d[1], p[2] + d[2]))
        results = [_project(field, p, 2 if step == rounds - 1 else 1) for p in moved]
        points, normals = [r[0] for r in results], [r[1] for r in results]
    mesh.points = points
    mesh.normals = _blended_normals(mesh, field)
    return mesh


def _mean(points, near, p):
    """The middle of the neighbours; on the plane of symmetry their mirror images count too."""
    x = y = z = 0.0
    n = 0
    for j in near:
        q = points[j]
        k = 2 if p[0] == 0 and q[0] != 0 else 1
        x, y, z, n = x + q[0], y + q[1] * k, z + q[2] * k, n + k
    return (x / n, y / n, z / n)


def _blended_normals(mesh, field):
    """Half the field's normal, half the mesh's: creases finer than the mesh do not flicker."""
    sums = [(0.0, 0.0, 0.0)] * len(mesh.points)
    for a, b, c in mesh.triangles:
        p = mesh.points
        n = vec.cross(vec.sub(p[b], p[a]), vec.sub(p[c], p[a]))
        for i in (a, b, c):
            sums[i] = vec.add(sums[i], n)
    out = []
    for p, s in zip(mesh.points, sums):
        own = vec.unit(s if p[0] else (0.0, s[1], s[2]))
        n = vec.unit(vec.add(own, vec.unit(field.gradient(p, 2e-3))))
        out.append(vec.unit((0.0, n[1], n[2])) if p[0] == 0 else n)
    return out


def _project(field, p, rounds):
    """Newton steps to the surface; also returns the last normal."""
    g = (0.0, 1.0, 0.0)
    for _ in range(rounds):
        d = field(*p)
        g = field.gradient(p)
        n2 = vec.dot(g, g)
        if n2 < 1e-6:
            break
        q = vec.mad(p, g, -vec.clamp(d / n2, -0.02, 0.02))
        p = (0.0, q[1], q[2]) if p[0] == 0 else q
    return p, vec.unit(g)


def occlusion(mesh, field, reach=0.12, steps=5):
    """How open each vertex is, 0..1: the field a little above the surface against the height."""
    out = []
    for p, n in zip(mesh.points, mesh.normals):
        total = weight = 0.0
        for s in range(1, steps + 1):
            h = reach * s / steps
            w = 0.7 ** s
            q = vec.mad(p, n, h)
            total += w * vec.clamp(field(*q) / h, 0.0, 1.0)
            weight += w
        out.append(total / weight)
    return out


def mirrored(mesh):
    """The whole body from its half; returns (mesh, mirror_of) with mirror_of[i] the twin of i."""
    points, normals = list(mesh.points), list(mesh.normals)
    twin = []
    for i, (p, n) in enumerate(zip(mesh.points, mesh.normals)):
        if p[0] == 0:
            twin.append(i)
        else:
            twin.append(len(points))
            points.append((-p[0], p[1], p[2]))
            normals.append((-n[0], n[1], n[2]))
    triangles = mesh.triangles + [(twin[c], twin[b], twin[a]) for a, b, c in mesh.triangles]
    whole = Mesh(points, triangles)
    whole.normals = normals
    mirror = list(twin) + [0] * (len(points) - len(twin))
    for i, j in enumerate(twin):
        mirror[j] = i
    return whole, mirror
