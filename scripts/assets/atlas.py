"""Texture coordinates by flat charts, and painting: colours are functions of the rest position.

Faces are grouped by body part and by the axis their normal is nearest to; each connected group is
projected along that axis (at most a third of the size is lost at its rim) and packed on shelves.
Because colours come from the position in space, the seams between charts do not show.
"""
import math

from . import vec


class Chart:
    def __init__(self, faces, axis, density):
        self.faces, self.axis, self.density = faces, axis, density
        self.place = (0, 0)


def label_faces(mesh, part_of, frames, rounds=6):
    """The axis (0 to 5: +a, -a, +b, ...) of every face; neighbours vote, so edges are not ragged.

    frames: part -> (three axes, {(axis, sign): how much it is preferred}).
    """
    around = _face_neighbours(mesh)
    normals = []
    for a, b, c in mesh.triangles:
        p = mesh.points
        normals.append(vec.unit(vec.cross(vec.sub(p[b], p[a]), vec.sub(p[c], p[a]))))
    scores = []
    for f, n in enumerate(normals):
        axes, bias = frames[part_of[f]]
        scores.append([vec.dot(n, axes[k]) * sign + bias.get((k, sign), 0.0)
                       for k in range(3) for sign in (1, -1)])
    labels = [max(range(6), key=lambda k: (s[k], -k)) for s in scores]
    for _ in range(rounds):
        fresh = []
        for f, s in enumerate(scores):
            votes = list(s)
            for g in around[f]:
                if part_of[g] == part_of[f]:
                    votes[labels[g]] += 0.28
            fresh.append(max(range(6), key=lambda k: (votes[k], -k)))
        labels = fresh
    return labels, around


def _face_neighbours(mesh):
    edges = {}
    for f, t in enumerate(mesh.triangles):
        for a, b in zip(t, t[1:] + t[:1]):
            edges.setdefault((min(a, b), max(a, b)), []).append(f)
    around = [[] for _ in mesh.triangles]
    for pair in edges.values():
        for f in pair:
            around[f] += [g for g in pair if g != f]
    return around


def make_charts(mesh, part_of, frames, density):
    """Connected groups of one part and axis; groups of a few faces join their largest neighbour."""
    labels, around = label_faces(mesh, part_of, frames)
    for _ in range(4):
        groups = _groups(labels, part_of, around)
        small = [g for g in groups if len(g) < 24]
        if not small:
            break
        for group in small:
            inside, votes = set(group), {}
            for f in group:
                for g in around[f]:
                    if g not in inside and part_of[g] == part_of[f]:
                        votes[labels[g]] = votes.get(labels[g], 0) + 1
            if votes:
                best = max(votes, key=lambda k: (votes[k], -k))
                for f in group:
                    labels[f] = best
    charts = []
    for group in _groups(labels, part_of, around):
        part = part_of[group[0]]
        axes = frames[part][0]
        k, sign = labels[group[0]] // 2, 1.0 if labels[group[0]] % 2 == 0 else -1.0
        across = vec.mul(axes[(k + 1) % 3], sign)
        charts.append(Chart(group, (across, axes[(k + 2) % 3]), density[part]))
    return charts


def _groups(labels, part_of, around):
    seen, groups = set(), []
    for f in range(len(labels)):
        if f in seen:
            continue
        seen.add(f)
        stack, group = [f], []
        while stack:
            g = stack.pop()
            group.append(g)
            for h in around[g]:
                if h not in seen and labels[h] == labels[g] and part_of[h] == part_of[g]:
                    seen.add(h)
                    stack.append(h)
        groups.append(sorted(group))
    return groups


def _project(mesh, chart):
    """2D positions (metres, times the density) of the chart's vertices, from 0."""
    flat = {}
    u, v = chart.axis
    for f in chart.faces:
        for i in mesh.triangles[f]:
            p = mesh.points[i]
            flat[i] = (vec.dot(p, u) * chart.density, -vec.dot(p, v) * chart.density)
    x0, y0 = min(p[0] for p in flat.values()), min(p[1] for p in flat.values())
    chart.flat = {i: (p[0] - x0, p[1] - y0) for i, p in flat.items()}
    chart.size = (max(p[0] for p in chart.flat.values()), max(p[1] for p in chart.flat.values()))


def pack(mesh, charts, size, gutter=4, reserved=()):
    """Places the charts in a square of `size` texels; returns texels a metre.

    reserved: rectangles (width, height) in texels kept free; their places come back in order.
    """
    for chart in charts:
        _project(mesh, chart)
    low, high = 10.0, 5000.0
    for _ in range(24):
        middle = 0.5 * (low + high)
        if _shelves(charts, middle, size, gutter, reserved) is None:
            high = middle
        else:
            low = middle
    places = _shelves(charts, low, size, gutter, reserved)
    for chart, place in zip(charts, places):
        chart.place = place
    return low, places[len(charts):]


def _shelves(charts, scale, size, gutter, reserved):
    """Skyline packing: every box goes as low as it can, the tall ones first."""
    extra = 2 + gutter
    boxes = [(int(c.size[0] * scale) + extra, int(c.size[1] * scale) + extra) for c in charts]
    boxes += [(w + gutter, h + gutter) for w, h in reserved]
    order = sorted(range(len(boxes)), key=lambda i: (-boxes[i][1], -boxes[i][0], i))
    sky = [(0, size, 0)]  # (from, to, height), left to right
    places = [None] * len(boxes)
    for i in order:
        w, h = boxes[i]
        best = None
        for start, _, _ in sky:
            if start + w > size:
                continue
            top = max(y for a, b, y in sky if a < start + w and b > start)
            if top + h <= size and (best is None or (top, start) < best):
                best = (top, start)
        if best is None:
            return None
        top, start = best
        places[i] = (start + gutter // 2, top + gutter // 2)
        fresh = []
        for a, b, y in sky:
            if a < start:
                fresh.append((a, min(b, start), y))
            if b > start + w:
                fresh.append((max(a, start + w), b, y))
        fresh.append((start, start + w, top + h))
        sky = sorted(fresh)
    return places


def texcoords(mesh, charts, scale):
    """Face -> the texel positions of its three corners."""
    corners = {}
    for chart in charts:
        ox, oy = chart.place
        for f in chart.faces:
            corners[f] = [(chart.flat[i][0] * scale + ox + 1.0, chart.flat[i][1] * scale + oy + 1.0)
                          for i in mesh.triangles[f]]
    return corners


def paint(mesh, corners, openness, size, color, canvas):
    """Calls color(position, normal, openness) for each texel that a face covers.

    canvas: dict (x, y) -> (r, g, b), filled here; faces are grown by half a texel.
    """
    for f, (a, b, c) in sorted(corners.items()):
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if abs(area) < 1e-9:
            continue
        i, j, k = mesh.triangles[f]
        pa, pb, pc = mesh.points[i], mesh.points[j], mesh.points[k]
        na, nb, nc = mesh.normals[i], mesh.normals[j], mesh.normals[k]
        oa, ob, oc = openness[i], openness[j], openness[k]
        slack = -0.75 * max(math.dist(a, b), math.dist(b, c), math.dist(c, a)) / abs(area)
        x0, x1 = int(min(a[0], b[0], c[0]) - 1), int(max(a[0], b[0], c[0]) + 1)
        y0, y1 = int(min(a[1], b[1], c[1]) - 1), int(max(a[1], b[1], c[1]) + 1)
        for y in range(max(y0, 0), min(y1, size - 1) + 1):
            for x in range(max(x0, 0), min(x1, size - 1) + 1):
                px, py = x + 0.5, y + 0.5
                w0 = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) / area
                w1 = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) / area
                w2 = 1.0 - w0 - w1
                if w0 < slack or w1 < slack or w2 < slack:
                    continue
                inside = w0 >= 0 and w1 >= 0 and w2 >= 0
                if not inside and (x, y) in canvas:
                    continue
                p = (pa[0] * w0 + pb[0] * w1 + pc[0] * w2, pa[1] * w0 + pb[1] * w1 + pc[1] * w2,
                     pa[2] * w0 + pb[2] * w1 + pc[2] * w2)
                n = (na[0] * w0 + nb[0] * w1 + nc[0] * w2, na[1] * w0 + nb[1] * w1 + nc[1] * w2,
                     na[2] * w0 + nb[2] * w1 + nc[2] * w2)
                canvas[x, y] = color(p, n, oa * w0 + ob * w1 + oc * w2)


def spread(canvas, size, rounds=4):
    """Grows the painted texels outwards so that filters do not meet the background."""
    edge = list(canvas)
    for _ in range(rounds):
        fresh = {}
        for x, y in edge:
            for q in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if q not in canvas and q not in fresh and 0 <= q[0] < size and 0 <= q[1] < size:
                    fresh[q] = canvas[x, y]
        canvas.update(fresh)
        edge = list(fresh)
    return canvas


def image(canvas, size, background):
    pixels = bytearray(bytes(background) * (size * size))
    for (x, y), c in canvas.items():
        o = 3 * (y * size + x)
        pixels[o:o + 3] = bytes(0 if v < 0 else 255 if v > 255 else int(v + 0.5) for v in c)
    return pixels


def split_vertices(mesh, corners, size):
    """Unwelds the mesh along chart borders: (old vertex of each new one, uvs, triangles)."""
    index, source, uvs, triangles = {}, [], [], []
    for f, t in enumerate(mesh.triangles):
        row = []
        for i, uv in zip(t, corners[f]):
            key = (i, round(uv[0] * 64), round(uv[1] * 64))
            if key not in index:
                index[key] = len(source)
                source.append(i)
                uvs.append((uv[0] / size, uv[1] / size))
            row.append(index[key])
        triangles.append(tuple(row))
    return source, uvs, triangles
