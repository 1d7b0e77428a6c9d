/* footprint.c: the texture levels that a frame can show, known from its triangles alone.
 *
 * A fragment's level follows from its footprint, the longer of the two steps that its texture
 * coordinates take, in texels, from a pixel to the next one (attribute_kernel.h):
 *
 *     N_x = (W (U_x - du s_x), H (V_x - dv s_x)),   step_x = |N_x| / s,   and the same for y
 *
 * Here s is the interpolated 1 / w; U_x, V_x, s_x are the slopes of u s, v s and s; du and dv are
 * counted from corner 0. There are two lower bounds for a triangle, and the larger one counts:
 *
 * - N is linear in (du, dv). So anywhere in the triangle it differs from N at the centroid of the
 *   corners' coordinates by at most |s_x| times the largest distance of a corner to that centroid.
 *   The bound is the rest of |N|, divided by the largest s. It is close if w varies little, also
 *   for long slivers.
 *
 * - The longer step is at least the root of the area of texture that a pixel sees, which is 2A_uv
 *   s0 s1 s2 / (2A_xy s^3) for a projective map. It is close if w varies much.
 *
 * Anisotropic filtering uses the shorter axis of the footprint, but at least a 16th of the longer
 * one, which is at least the longer step: so the bounds above, of 16 times the texels, hold. For
 * the shorter axis, the smaller singular value of N / s, there are two bounds of the same kind:
 *
 * - Its value at the centroid minus the largest change of N over the triangle (Weyl's inequality).
 *
 * - The area of texture that a pixel sees, divided by the longer axis, which is at most its value
 *   at the centroid plus the change.
 *
 * All bounds fall as s grows, and the kernels' rounding (ROUNDING, of the magnitudes that cancel)
 * divided by s falls more slowly than any of them. So all are taken at the largest s, which is a
 * corner's.
 */
#include "raster/internal.h"
#include "shade/texture.h"

#include "base/math.h"
#include "base/simd/f4.h"

/* The kernels' error in |N|: at most 20 roundings of 2^-24 of sums whose terms are bounded by the
 * slopes' magnitudes times the coordinates', for u and for v. */
#define ROUNDING 0x1p-18

/* Levels begin at powers of two of the footprint; 2e-5 of a level is the logarithm's error. */
#define MARGIN 0.995

/* Outside this range, floats may overflow or vanish, and nothing is promised. */
#define LEAST 1e-9
#define MOST  1e9

typedef struct vec2 {
    double x, y;
} vec2;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double square(vec2 a)
{
    return a.x * a.x + a.y * a.y;
}

static vec2 from_to(vec2 a, vec2 b)
{
    return (vec2){b.x - a.x, b.y - a.y};
}

/* Returns N at the centroid along one axis. p and q: the slopes of the shares of corners 1 and 2;
 * s: the slope of s. */
static vec2 step_of(double p, vec2 a, double q, vec2 b, double s, vec2 centre)
{
    return (vec2){p * a.x + q * b.x - s * centre.x, p * a.y + q * b.y - s * centre.y};
}

/* Returns true if |N| is at least `least` all over a triangle. spread: the largest distance of the
 * coordinates from the centroid's. */
static bool is_longer(vec2 n, double s, double spread, double least)
{
    const double reach = least + fabs(s) * spread;
    return square(n) >= reach * reach;
}

/* Returns true if the shorter axis of all footprints of a triangle is at least `least`. x, y: N at
 * the centroid; change: the largest change of N over the triangle; seen: the least product of both
 * axes. The error of N counts twice, for both of its rows, and the shorter axis at the centroid
 * loses 2^-40 of the longer one to cancellation. */
static bool is_wider(vec2 x, vec2 y, double change, double seen, double least)
{
    const double e = x.x * x.x + y.x * y.x, f = x.x * x.y + y.x * y.y, g = x.y * x.y + y.y * y.y;
    const double root = sqrt((e - g) * (e - g) + 4.0 * f * f);
    const double major = sqrt(0.5 * (e + g + root)), det = fabs(x.x * y.y - x.y * y.x);
    return det >= (least + change + 0x1p-40 * major) * major || seen >= least * (major + change);
}

/* Returns true if the bounds show that the footprint is at least so many texels all over a
 * triangle. shorter: test its shorter axis instead of the longer step. Slopes are multiplied by the
 * doubled area throughout, so that there is no division. */
static bool shows_at_least(const mrwi_shade_vertex c[3], double width, double height, double texels,
                           bool shorter)
{
    const double ax = (double)(c[1].x - c[0].x), ay = (double)(c[1].y - c[0].y);
    const double bx = (double)(c[2].x - c[0].x), by = (double)(c[2].y - c[0].y);
    const double s0 = (double)c[0].inv_w, s1 = (double)c[1].inv_w, s2 = (double)c[2].inv_w;
    const vec2 a = {(double)(c[1].u - c[0].u) * width, (double)(c[1].v - c[0].v) * height};
    const vec2 b = {(double)(c[2].u - c[0].u) * width, (double)(c[2].v - c[0].v) * height};
    const vec2 zero = {0.0, 0.0}, centre = {(a.x + b.x) / 3.0, (a.y + b.y) / 3.0};
    const double area = fabs(ax * by - ay * bx), most = larger(s0, larger(s1, s2));
    const double px = by * s1, qx = -ay * s2, rx = (ay - by) * s0;
    const double py = -bx * s1, qy = ax * s2, ry = (bx - ax) * s0;
    const double slopes = larger(fabs(px) + fabs(qx) + fabs(rx), fabs(py) + fabs(qy) + fabs(ry));
    const double reach = (fabs((double)c[0].u) * width + fabs(a.x) + fabs(b.x)) +
                         (fabs((double)c[0].v) * height + fabs(a.y) + fabs(b.y));
    if (!(most < MOST && s0 > LEAST && s1 > LEAST && s2 > LEAST && slopes < MOST * area &&
          reach < MOST)) {
        return false;
    }
    const double rounding = (shorter ? 2.0 : 1.0) * ROUNDING * slopes * reach;
    const double least = texels / MARGIN * most * area + rounding;
    const double spread =
        sqrt(larger(square(from_to(centre, zero)),
                    larger(square(from_to(centre, a)), square(from_to(centre, b)))));
    const double sx = px + qx + rx, sy = py + qy + ry;
    if (shorter) {
        return is_wider(step_of(px, a, qx, b, sx, centre), step_of(py, a, qy, b, sy, centre),
                        sqrt(sx * sx + sy * sy) * spread,
                        fabs(a.x * b.y - a.y * b.x) * area * s0 * s1 * s2 / most, least);
    }
    return is_longer(step_of(px, a, qx, b, sx, centre), sx, spread, least) ||
           is_longer(step_of(py, a, qy, b, sy, centre), sy, spread, least) ||
           fabs(a.x * b.y - a.y * b.x) * area * s0 * s1 * s2 >= least * least * most;
}

/* Returns a vertex with the coordinates that a map uses. */
static inline mrwi_shade_vertex vertex_on_map(const mrwi_raster_geometry *geometry, uint32_t vertex,
                                              const mrw_raster_map *map)
{
    mrwi_shade_vertex out = geometry->vertices.shade[vertex];
    if (map->uvs > 0) {
        const float *uvs = geometry->vertices.streams[mrwi_shade_uvs_stream(map->uvs)][vertex];
        out.u = uvs[mrwi_shade_uvs_float(map->uvs)];
        out.v = uvs[mrwi_shade_uvs_float(map->uvs) + 1];
    }
    return out;
}

/* Returns the finest level that a triangle may read, `level` or finer. */
static uint32_t level_of(const mrwi_raster_geometry *geometry, uint32_t number,
                         const mrw_raster_map *map, mrw_filter filter, uint32_t level)
{
    const double width = (double)map->texture->layout.width,
                 height = (double)map->texture->layout.height;
    const uint32_t *v = geometry->kept.triangles[number].vertex;
    const mrwi_shade_vertex corners[3] = {vertex_on_map(geometry, v[0], map),
                                          vertex_on_map(geometry, v[1], map),
                                          vertex_on_map(geometry, v[2], map)};
    const bool aniso = filter == MRW_FILTER_ANISO;
    for (; level > 0; level--) {
        const double texels = (double)(1u << level);
        if (shows_at_least(corners, width, height, aniso ? MRWI_SHADE_MOST_PROBES * texels : texels,
                           false) ||
            (aniso && shows_at_least(corners, width, height, texels, true))) {
            break;
        }
    }
    return level;
}

#define SMALL_BOX 64 /* pixels; in larger boxes some sample is nearly always covered */

/* Returns true if a triangle has any fragments: small ones often lie between the samples. */
static bool covers_samples(const mrwi_raster_geometry *geometry, uint32_t number)
{
    const mrwi_shade_sample_pattern *pattern = geometry->view.pattern;
    const mrwi_raster_box *box = &geometry->kept.boxes[number];
    mrwi_raster_setup t;
    if ((int64_t)(box->x1 - box->x0) * (box->y1 - box->y0) > SMALL_BOX) {
        return true;
    }
    mrwi_raster_setup_triangle(geometry, &geometry->kept.triangles[number], box, &t);
    for (int32_t y = box->y0; y < box->y1; y++) {
        for (int32_t x = box->x0; x < box->x1; x++) {
            for (uint32_t s = 0; s < pattern->count; s++) {
                if (mrwi_raster_covers(&t.edges, x * 256 + 128 + pattern->x[s] * 16,
                                       y * 256 + 128 + pattern->y[s] * 16)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool is_open(const mrw_raster_map *map, uint32_t level)
{
    return map->texture && level > 0;
}

/* ---- four at a time -------------------------------------------------------------------------- */

/* The rounding for the first bound in float, for four triangles at once, most of which show far
 * coarser levels. The spread is taken as the sum of its coordinates, and ROUNDING is doubled for
 * the rounding here. */
#define FLOAT_ROUNDING 0x1p-17f

typedef struct corner4 {
    mrwi_base_f4 x, y, s, u, v;
} corner4;

static inline corner4 load_corners(const mrwi_raster_geometry *geometry, uint32_t first, int k,
                                   const mrw_raster_map *map)
{
    corner4 out;
    for (int i = 0; i < 4; i++) {
        const mrwi_shade_vertex v =
            vertex_on_map(geometry, geometry->kept.triangles[first + (uint32_t)i].vertex[k], map);
        out.x[i] = v.x;
        out.y[i] = v.y;
        out.s[i] = v.inv_w;
        out.u[i] = v.u;
        out.v[i] = v.v;
    }
    return out;
}

static inline mrwi_base_f4 absolute(mrwi_base_f4 a)
{
    return (mrwi_base_f4)((mrwi_base_i4)a & 0x7fffffff);
}

static inline mrwi_base_f4 larger4(mrwi_base_f4 a, mrwi_base_f4 b)
{
    return (mrwi_base_f4)mrwi_base_i4_select(a > b, (mrwi_base_i4)a, (mrwi_base_i4)b);
}

static inline mrwi_base_i4 are_longer(mrwi_base_f4 x, mrwi_base_f4 y, mrwi_base_f4 s,
                                      mrwi_base_f4 spread, mrwi_base_f4 least)
{
    const mrwi_base_f4 reach = least + absolute(s) * spread;
    return x * x + y * y >= reach * reach;
}

/* Returns true if all triangles `first` ... first + 3 certainly show at least so many texels per
 * pixel. */
static bool four_show_at_least(const mrwi_raster_geometry *geometry, uint32_t first,
                               const mrw_raster_map *map, float texels)
{
    const float width = map->texture->layout.width, height = map->texture->layout.height;
    const corner4 c0 = load_corners(geometry, first, 0, map),
                  c1 = load_corners(geometry, first, 1, map),
                  c2 = load_corners(geometry, first, 2, map);
    const mrwi_base_f4 ax = c1.x - c0.x, ay = c1.y - c0.y, bx = c2.x - c0.x, by = c2.y - c0.y;
    const mrwi_base_f4 au = (c1.u - c0.u) * width, av = (c1.v - c0.v) * height;
    const mrwi_base_f4 bu = (c2.u - c0.u) * width, bv = (c2.v - c0.v) * height;
    const mrwi_base_f4 cu = (au + bu) * (1.0f / 3.0f), cv = (av + bv) * (1.0f / 3.0f);
    const mrwi_base_f4 area = absolute(ax * by - ay * bx),
                       most = larger4(c0.s, larger4(c1.s, c2.s));
    const mrwi_base_f4 px = by * c1.s, qx = -ay * c2.s, rx = (ay - by) * c0.s;
    const mrwi_base_f4 py = -bx * c1.s, qy = ax * c2.s, ry = (bx - ax) * c0.s;
    const mrwi_base_f4 sx = px + qx + rx, sy = py + qy + ry;
    const mrwi_base_f4 slopes = larger4(absolute(px) + absolute(qx) + absolute(rx),
                                        absolute(py) + absolute(qy) + absolute(ry));
    const mrwi_base_f4 reach = (absolute(c0.u) * width + absolute(au) + absolute(bu)) +
                               (absolute(c0.v) * height + absolute(av) + absolute(bv));
    const mrwi_base_f4 spread =
        larger4(absolute(cu) + absolute(cv), larger4(absolute(au - cu) + absolute(av - cv),
                                                     absolute(bu - cu) + absolute(bv - cv)));
    const mrwi_base_f4 least =
        most * area * (texels / (float)MARGIN) + FLOAT_ROUNDING * slopes * reach;
    const mrwi_base_i4 shows =
        are_longer(px * au + qx * bu - sx * cu, px * av + qx * bv - sx * cv, sx, spread, least) |
        are_longer(py * au + qy * bu - sy * cu, py * av + qy * bv - sy * cv, sy, spread, least);
    const mrwi_base_i4 held = (slopes * reach < 1e15f) & (most * area > 1e-12f) & (reach < 1e9f) &
                              (slopes < area * 1e9f) & (most < 1e9f) & (c0.s > 1e-9f) &
                              (c1.s > 1e-9f) & (c2.s > 1e-9f);
    const mrwi_base_i4 all = shows & held;
    return (all[0] & all[1] & all[2] & all[3]) != 0;
}

/* Returns the levels of a draw's maps. */
static uint32_t *levels_of(uint32_t *levels, uint32_t draw)
{
    return levels + (size_t)draw * MRW_RASTER_MAP_COUNT;
}

/* Returns true if all four triangles belong to one draw and show coarser levels only. */
static bool four_are_coarser(const mrwi_raster_geometry *geometry, uint32_t first,
                             mrw_filter filter, uint32_t *levels)
{
    const float times = filter == MRW_FILTER_ANISO ? MRWI_SHADE_MOST_PROBES : 1.0f;
    const mrwi_shade_triangle *t = &geometry->kept.triangles[first];
    const uint32_t number = t[0].draw_flags >> 1, *known = levels_of(levels, number);
    const mrw_raster_map *maps = geometry->draws[number].material->maps;
    for (int i = 1; i < 4; i++) {
        if (t[i].draw_flags >> 1 != number) {
            return false;
        }
    }
    for (int m = 0; m < MRW_RASTER_MAP_COUNT; m++) {
        if (is_open(&maps[m], known[m]) &&
            !four_show_at_least(geometry, first, &maps[m], times * (float)(1u << known[m]))) {
            return false;
        }
    }
    return true;
}

static void look_at(const mrwi_raster_geometry *geometry, uint32_t t, mrw_filter filter,
                    uint32_t *levels)
{
    const uint32_t number = geometry->kept.triangles[t].draw_flags >> 1;
    const mrw_raster_map *maps = geometry->draws[number].material->maps;
    uint32_t *known = levels_of(levels, number);
    for (int m = 0; m < MRW_RASTER_MAP_COUNT; m++) {
        const uint32_t level = is_open(&maps[m], known[m])
                                   ? level_of(geometry, t, &maps[m], filter, known[m])
                                   : known[m];
        if (level < known[m] && covers_samples(geometry, t)) {
            known[m] = level;
        }
    }
}

static void look_at_run(const mrwi_raster_geometry *geometry, const mrwi_raster_run *run,
                        mrw_filter filter, uint32_t *levels)
{
    const uint32_t end = run->first + run->count;
    for (uint32_t first = run->first; first < end; first += 4) {
        const uint32_t count = end - first < 4 ? end - first : 4;
        if (count == 4 && four_are_coarser(geometry, first, filter, levels)) {
            continue;
        }
        for (uint32_t t = first; t < first + count; t++) {
            look_at(geometry, t, filter, levels);
        }
    }
}

bool mrwi_raster_find_levels(mrwi_raster_geometry *geometry, const mrw_raster_job *job,
                             uint32_t *levels)
{
    bool open = false;
    for (uint32_t i = 0; i < job->draw_count; i++) {
        const mrw_raster_draw *draw = &job->draws[i];
        uint32_t *level = levels_of(levels, i);
        for (int m = 0; m < MRW_RASTER_MAP_COUNT && draw->triangle_count > 0; m++) {
            if (is_open(&draw->material->maps[m], level[m])) {
                const bool finest = job->filter < MRW_FILTER_TRILINEAR ||
                                    mrwi_shade_minify_stays(&draw->material->maps[m]);
                level[m] = finest ? 0 : level[m];
                open = open || level[m] > 0;
            }
        }
    }
    if (!open) {
        return true;
    }
    if (!mrwi_raster_begin_vertices(geometry, job) ||
        !mrwi_raster_collect_triangles(geometry, job)) {
        return false;
    }
    for (uint32_t r = 0; r < geometry->runs.count; r++) {
        look_at_run(geometry, &geometry->runs.list[r], job->filter, levels);
    }
    return true;
}
