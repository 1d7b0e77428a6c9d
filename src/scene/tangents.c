/* tangents.c: computes tangents for meshes whose file has none, by the method of MikkTSpace,
 * which bakers of normal maps assume and glTF 2.0 requires (3.7.2.1).
 *
 * The method is that of M. Mikkelsen, "Simulation of Wrinkled Surfaces Revisited", 2008:
 * - Corners with equal position, normal and texture coordinates are one vertex.
 * - Each triangle has the direction in which u grows, and an orientation: the same in the
 *   texture as on the surface, or mirrored.
 * - The corners of a vertex form groups: corners that shared edges join, directly or through
 *   others, and whose triangles have the same orientation.
 * - A group's tangent is the mean of its triangles' directions, each projected to the plane of
 *   the normal and made unit, weighted by the angle of the corner in that plane.
 * - A triangle without area in the texture adds nothing. It joins the first group that reaches
 *   it, and with that group's orientation those at its other corners. A triangle with two
 *   corners in one place joins no group, and then takes the tangents of the same vertices in
 *   other triangles.
 *
 * It computes in double, with a fixed order of sums; everything is linear in the number of
 * corners.
 *
 * Corner c belongs to triangle c / 3. Edge c leads from corner c to the next one of its
 * triangle. */
#include "scene/tangents.h"

#include "base/math.h"

#include <string.h>

/* Sine of the angle to the normal below which a vector has no direction in its plane. */
#define FLAT_LIMIT 1e-9

/* The orientation of a triangle: 1, -1 (mirrored) or: */
enum { UNDECIDED = 0, LEFT_OUT = 2 };

typedef struct surface {
    const mrwi_scene_tangent_job *job;
    /* per corner; equal if position, normal and texture coordinates are equal */
    uint32_t *vertex_of;
    uint32_t vertex_count;
    double (*directions)[3]; /* per triangle: unit vector in which u grows; zero if unknown */
    int8_t *orientations;    /* per triangle */
    uint32_t *beyond;        /* per edge: the same edge in the triangle beyond it, or MRW_NONE */
} surface;

static uint32_t next_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static uint32_t previous_corner(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

/* Makes v a unit vector. Returns false, and zero, if it has no direction. */
static bool normalise(double *v)
{
    double length = sqrt(mrwi_base_dot3d(v, v));
    for (int i = 0; i < 3; i++) {
        v[i] = length > 0.0 ? v[i] / length : 0.0;
    }
    return length > 0.0;
}

/* Projects a vector to the plane of a unit normal and makes it unit. Returns false, and zero, if it
 * has no direction there. */
static bool lay_flat(double *v, const double *normal)
{
    if (!normalise(v)) {
        return false;
    }
    double along = mrwi_base_dot3d(v, normal);
    for (int i = 0; i < 3; i++) {
        v[i] -= normal[i] * along;
    }
    if (!(mrwi_base_dot3d(v, v) > FLAT_LIMIT * FLAT_LIMIT)) {
        memset(v, 0, 3 * sizeof *v);
    }
    return normalise(v);
}

static const float *position_of(const mrwi_scene_tangent_job *job, uint32_t corner)
{
    return job->positions + (size_t)job->corners[corner] * 3;
}

static const float *normal_of(const mrwi_scene_tangent_job *job, uint32_t corner)
{
    return job->corner_normals ? job->corner_normals + (size_t)corner * 3
                               : job->normals + (size_t)job->corners[corner] * 3;
}

static void edge_between(const mrwi_scene_tangent_job *job, uint32_t from, uint32_t to, double *out)
{
    const float *a = position_of(job, from), *b = position_of(job, to);
    for (int i = 0; i < 3; i++) {
        out[i] = (double)b[i] - (double)a[i];
    }
}

/* ---- triangles ------------------------------------------------------------------------------- */

static mrw_status find_vertices(surface *s, mrwi_base_arena *scratch, mrw_error *error)
{
    const mrwi_scene_tangent_job *job = s->job;
    const mrwi_scene_stream streams[3] = {{job->positions, 3}, {job->uvs, 2}, {job->normals, 3}};
    mrwi_scene_weld_job weld = {
        .streams = streams,
        .stream_count = job->corner_normals ? 2 : 3,
        .source_count = job->vertex_count,
        .sources = job->corners,
        .candidate_count = job->corner_count,
    };
    if (job->corner_normals) {
        weld.own_streams[weld.own_stream_count++] = (mrwi_scene_stream){job->corner_normals, 3};
    }
    weld.vertex_of = mrwi_scene_scratch(scratch, job->corner_count, sizeof(uint32_t), error);
    weld.first_of = mrwi_scene_scratch(scratch, job->corner_count, sizeof(uint32_t), error);
    if (!weld.vertex_of || !weld.first_of) {
        return MRW_ERROR_MEMORY;
    }
    mrw_status status = mrwi_scene_weld(&weld, scratch, error);
    s->vertex_of = weld.vertex_of;
    s->vertex_count = weld.vertex_count;
    return status;
}

/* Returns true if two corners of a triangle are in one place. */
static bool collapsed(const double edges[3][3])
{
    for (int k = 0; k < 3; k++) {
        if (edges[k][0] == 0.0 && edges[k][1] == 0.0 && edges[k][2] == 0.0) {
            return true;
        }
    }
    return false;
}

/* Measures a triangle. If p, q are the edges from the first corner, and (du1, dv1), (du2, dv2) the
 * changes of u and v along them, the derivative of the position by u is (dv2 p - dv1 q) / (du1 dv2
 * - du2 dv1), and that by v (du1 q - du2 p) over the same. The divisor is twice the area in the
 * texture. Only the linear part of the transform counts, and its determinant multiplies that area.
 * In double nothing overflows: lengths are roots of products of six floats. */
static void measure_triangle(surface *s, uint32_t triangle)
{
    const mrwi_scene_tangent_job *job = s->job;
    const float *m = *job->uv_transform;
    const uint32_t first = 3 * triangle;
    double edges[3][3], raw[2][2], du[2], dv[2], by_u[3], by_v[3];
    edge_between(job, first, first + 1, edges[0]);
    edge_between(job, first, first + 2, edges[1]);
    edge_between(job, first + 1, first + 2, edges[2]);
    memset(s->directions[triangle], 0, sizeof *s->directions);
    s->orientations[triangle] = collapsed((const double(*)[3])edges) ? LEFT_OUT : UNDECIDED;
    const float *origin = job->uvs + (size_t)job->corners[first] * 2;
    for (uint32_t k = 0; k < 2; k++) {
        const float *uv = job->uvs + (size_t)job->corners[first + 1 + k] * 2;
        raw[k][0] = (double)uv[0] - (double)origin[0];
        raw[k][1] = (double)uv[1] - (double)origin[1];
        du[k] = (double)m[0] * raw[k][0] + (double)m[1] * raw[k][1];
        dv[k] = (double)m[3] * raw[k][0] + (double)m[4] * raw[k][1];
    }
    double area = (raw[0][0] * raw[1][1] - raw[1][0] * raw[0][1]) *
                  ((double)m[0] * (double)m[4] - (double)m[1] * (double)m[3]);
    if (area == 0.0 || s->orientations[triangle] == LEFT_OUT) {
        return;
    }
    double sign = area > 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < 3; i++) {
        by_u[i] = (dv[1] * edges[0][i] - dv[0] * edges[1][i]) * sign;
        by_v[i] = (du[0] * edges[1][i] - du[1] * edges[0][i]) * sign;
    }
    if (normalise(by_u) && normalise(by_v)) {
        memcpy(s->directions[triangle], by_u, sizeof by_u);
        s->orientations[triangle] = (int8_t)sign; /* in range: 1 or -1 */
    }
}

/* ---- edges ----------------------------------------------------------------------------------- */

static bool runs_up(const surface *s, uint32_t edge)
{
    return s->vertex_of[edge] < s->vertex_of[next_corner(edge)];
}

/* Returns the smaller or the greater vertex of an edge. */
static uint32_t end_of(const surface *s, uint32_t edge, bool greater)
{
    return s->vertex_of[runs_up(s, edge) == greater ? next_corner(edge) : edge];
}

/* Sorts edges by one of their ends, otherwise as they were (counting sort). */
static void sort_edges(const surface *s, bool greater, const uint32_t *edges, uint32_t count,
                       uint32_t *start, uint32_t *out)
{
    memset(start, 0, ((size_t)s->vertex_count + 1) * sizeof *start);
    for (uint32_t i = 0; i < count; i++) {
        start[end_of(s, edges[i], greater) + 1]++;
    }
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        start[v + 1] += start[v];
    }
    for (uint32_t i = 0; i < count; i++) {
        out[start[end_of(s, edges[i], greater)]++] = edges[i];
    }
}

/* Joins edges of the same two vertices: the n-th that runs up meets the n-th that runs down. Two
 * are normal; a broken mesh may have any number. */
static void join_edges(surface *s, const uint32_t *edges, uint32_t count)
{
    uint32_t down = 0;
    for (uint32_t up = 0; up < count; up++) {
        if (!runs_up(s, edges[up])) {
            continue;
        }
        while (down < count && runs_up(s, edges[down])) {
            down++;
        }
        if (down == count) {
            return;
        }
        s->beyond[edges[up]] = edges[down];
        s->beyond[edges[down]] = edges[up];
        down++;
    }
}

static mrw_status find_beyond(surface *s, mrwi_base_arena *scratch, mrw_error *error)
{
    const uint32_t corner_count = s->job->corner_count;
    uint32_t *edges = mrwi_scene_scratch(scratch, corner_count, sizeof *edges, error);
    uint32_t *sorted = mrwi_scene_scratch(scratch, corner_count, sizeof *sorted, error);
    uint32_t *start =
        mrwi_scene_scratch(scratch, (size_t)s->vertex_count + 1, sizeof *start, error);
    s->beyond = mrwi_scene_scratch(scratch, corner_count, sizeof *s->beyond, error);
    if (!edges || !sorted || !start || !s->beyond) {
        return MRW_ERROR_MEMORY;
    }
    uint32_t count = 0;
    for (uint32_t e = 0; e < corner_count; e++) {
        s->beyond[e] = MRW_NONE;
        if (s->orientations[e / 3] != LEFT_OUT) {
            edges[count++] = e;
        }
    }
    sort_edges(s, true, edges, count, start, sorted);
    sort_edges(s, false, sorted, count, start, edges);
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1;
             end < count && end_of(s, edges[end], false) == end_of(s, edges[first], false) &&
             end_of(s, edges[end], true) == end_of(s, edges[first], true);
             end++) {
        }
        join_edges(s, edges + first, end - first);
    }
    return MRW_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Lists the group of a corner, which comes first, and marks its corners in `grouped`. */
static uint32_t collect_group(surface *s, uint32_t corner, uint8_t *grouped, uint32_t *group)
{
    const int8_t orientation = s->orientations[corner / 3];
    uint32_t count = 0;
    group[count++] = corner;
    grouped[corner] = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t over = s->beyond[group[i]];
        const uint32_t neighbours[2] = {over == MRW_NONE ? MRW_NONE : next_corner(over),
                                        s->beyond[previous_corner(group[i])]};
        for (int k = 0; k < 2; k++) {
            uint32_t c = neighbours[k];
            if (c == MRW_NONE || grouped[c]) {
                continue;
            }
            int8_t *other = &s->orientations[c / 3];
            *other = *other == UNDECIDED ? orientation : *other;
            if (*other == orientation) {
                grouped[c] = 1;
                group[count++] = c;
            }
        }
    }
    return count;
}

/* Adds a corner's part of its group's tangent. */
static void add_corner(const surface *s, uint32_t corner, const double *normal, double *sum)
{
    double direction[3], before[3], after[3];
    memcpy(direction, s->directions[corner / 3], sizeof direction);
    if (!lay_flat(direction, normal)) {
        return;
    }
    edge_between(s->job, corner, previous_corner(corner), before);
    edge_between(s->job, corner, next_corner(corner), after);
    lay_flat(before, normal);
    lay_flat(after, normal);
    double cosine = mrwi_base_dot3d(before, after);
    double angle = mrwi_base_acos(cosine < -1.0 ? -1.0 : cosine > 1.0 ? 1.0 : cosine);
    for (int i = 0; i < 3; i++) {
        sum[i] += direction[i] * angle;
    }
}

/* Computes the tangent of a group, with glTF's w: the bitangent, cross(normal, tangent) * w, points
 * to where v falls, and v grows downwards. If the mean has no direction (all angles are zero, or
 * the triangles cancel out), takes that of the first triangle which has one. */
static void group_tangent(const surface *s, const uint32_t *group, uint32_t count, float *out)
{
    const float *n = normal_of(s->job, group[0]);
    double normal[3] = {n[0], n[1], n[2]}, sum[3] = {0, 0, 0};
    normalise(normal);
    for (uint32_t i = 0; i < count; i++) {
        add_corner(s, group[i], normal, sum);
    }
    bool found = lay_flat(sum, normal);
    for (uint32_t i = 0; i < count && !found; i++) {
        memcpy(sum, s->directions[group[i] / 3], sizeof sum);
        found = lay_flat(sum, normal);
    }
    if (!found) {
        mrwi_scene_any_tangent(n, out);
    }
    for (int i = 0; i < 3 && found; i++) {
        out[i] = (float)sum[i];
    }
    out[3] = s->orientations[group[0] / 3] > 0 ? -1.0f : 1.0f;
}

/* Gives corners without a group the first tangent that their vertex has elsewhere, if any. */
static mrw_status fill_gaps(const surface *s, const uint8_t *grouped, mrwi_base_arena *scratch,
                            float (*tangents)[4], mrw_error *error)
{
    uint32_t *given = mrwi_scene_scratch(scratch, s->vertex_count, sizeof *given, error);
    if (!given) {
        return MRW_ERROR_MEMORY;
    }
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        given[v] = MRW_NONE;
    }
    for (uint32_t c = 0; c < s->job->corner_count; c++) {
        uint32_t *first = &given[s->vertex_of[c]];
        *first = grouped[c] && *first == MRW_NONE ? c : *first;
    }
    for (uint32_t c = 0; c < s->job->corner_count; c++) {
        uint32_t from = given[s->vertex_of[c]];
        if (grouped[c]) {
            continue;
        }
        if (from != MRW_NONE) {
            memcpy(tangents[c], tangents[from], sizeof *tangents);
        } else {
            mrwi_scene_any_tangent(normal_of(s->job, c), tangents[c]);
            tangents[c][3] = 1.0f;
        }
    }
    return MRW_OK;
}

static mrw_status find_tangents(surface *s, mrwi_base_arena *scratch, float (*tangents)[4],
                                mrw_error *error)
{
    const uint32_t count = s->job->corner_count;
    uint8_t *grouped = mrwi_scene_scratch(scratch, count, sizeof *grouped, error);
    uint32_t *group = mrwi_scene_scratch(scratch, count, sizeof *group, error);
    if (!grouped || !group) {
        return MRW_ERROR_MEMORY;
    }
    memset(grouped, 0, count);
    for (uint32_t c = 0; c < count; c++) {
        const double *direction = s->directions[c / 3];
        if (grouped[c] || !(mrwi_base_dot3d(direction, direction) > 0.0)) {
            continue;
        }
        uint32_t members = collect_group(s, c, grouped, group);
        group_tangent(s, group, members, tangents[c]);
        for (uint32_t i = 1; i < members; i++) {
            memcpy(tangents[group[i]], tangents[c], sizeof *tangents);
        }
    }
    return fill_gaps(s, grouped, scratch, tangents, error);
}

mrw_status mrwi_scene_corner_tangents(const mrwi_scene_tangent_job *job, mrwi_base_arena *scratch,
                                      float **out, mrw_error *error)
{
    const uint32_t count = job->corner_count;
    surface s = {.job = job};
    float(*tangents)[4] = mrwi_scene_scratch(scratch, count, sizeof *tangents, error);
    s.directions = mrwi_scene_scratch(scratch, count / 3, sizeof *s.directions, error);
    s.orientations = mrwi_scene_scratch(scratch, count / 3, sizeof *s.orientations, error);
    if (!tangents || !s.directions || !s.orientations) {
        return MRW_ERROR_MEMORY;
    }
    for (uint32_t t = 0; t < count / 3; t++) {
        measure_triangle(&s, t);
    }
    mrw_status status = find_vertices(&s, scratch, error);
    if (!status) {
        status = find_beyond(&s, scratch, error);
    }
    if (!status) {
        status = find_tangents(&s, scratch, tangents, error);
    }
    *out = *tangents;
    return status;
}

void mrwi_scene_any_tangent(const float *normal, float *tangent)
{
    float x = fabsf(normal[0]), y = fabsf(normal[1]), z = fabsf(normal[2]);
    float axis[3] = {0, 0, 0};
    axis[x <= y && x <= z ? 0 : y <= z ? 1 : 2] = 1.0f;
    mrwi_base_cross3(normal, axis, tangent);
    mrwi_base_normalize3(tangent);
}
