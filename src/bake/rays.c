/* rays.c: rays through joints against all triangles.
 *
 * Rays are sorted into a grid over the picture plane once; each triangle is tested against the rays
 * in the cells that its box covers. One function projects rays and triangles to the plane, in
 * double precision and from the origin of the rays, so a ray that meets a triangle lies in its box,
 * except for rounding errors.
 */
#include "bake/rays.h"

#include "base/memory.h"
#include "base/text.h"
#include "frame/frame.h"

#include <math.h>

/* A ray: points from + t * to, with depth t * depth_step. */
typedef struct ray {
    double from[3];
    double to[3];
    double depth_step;
    double at[2]; /* projection to the picture plane */
} ray;

/* Projection to the picture plane: along the view, or through the eye. */
typedef struct view {
    double eye[3];
    double right[3], up[3], ahead[3]; /* unit vectors with right angles */
    bool parallel;
    double near_depth; /* surfaces nearer than this are not drawn */
} view;

#define MOST_CELLS 256 /* per side of the grid */

/* Rays, sorted into side * side cells of the picture plane. */
typedef struct grid {
    const ray *rays;
    uint32_t count;
    double low[2], high[2]; /* box of all rays */
    uint32_t side;
    uint32_t *first; /* per cell: its first entry in order; one more marks the end */
    uint32_t *order; /* indices of rays, cell by cell */
} grid;

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* ---- the picture plane ----------------------------------------------------------------------- */

static void normalise(double v[3])
{
    const double length = sqrt(dot(v, v));
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
}

static view view_of(const mrw_camera *camera)
{
    const float *m = camera->world_to_view.m;
    view v = {.parallel = camera->orthographic, .near_depth = (double)camera->near_plane};
    for (int i = 0; i < 3; i++) {
        v.eye[i] = v.parallel ? 0.0 : (double)camera->eye[i];
        v.up[i] = (double)m[4 * i + 1];
        v.ahead[i] = -(double)m[4 * i + 2];
    }
    normalise(v.ahead);
    cross(v.ahead, v.up, v.right);
    normalise(v.right);
    cross(v.right, v.ahead, v.up);
    return v;
}

/* Projects a point to the picture plane. Returns false for points that are not in front of the eye.
 */
static bool project(const view *v, const double point[3], double out[2])
{
    const double d[3] = {point[0] - v->eye[0], point[1] - v->eye[1], point[2] - v->eye[2]};
    const double depth = v->parallel ? 1.0 : dot(d, v->ahead);
    out[0] = dot(d, v->right) / depth;
    out[1] = dot(d, v->up) / depth;
    return depth > 0.0 && isfinite(out[0]) && isfinite(out[1]);
}

/* Makes the ray from the eye to the point, or in a parallel projection straight ahead through it.
 */
static ray ray_to(const view *v, const mrwi_bake_target *target)
{
    ray r = {.depth_step = v->parallel ? 1.0 : target->depth};
    for (int i = 0; i < 3; i++) {
        r.from[i] = v->parallel ? target->point[i] - target->depth * v->ahead[i] : v->eye[i];
        r.to[i] = v->parallel ? v->ahead[i] : target->point[i] - r.from[i];
    }
    if (!project(v, target->point, r.at)) {
        r.at[0] = r.at[1] = 0.0;
    }
    return r;
}

/* ---- the grid -------------------------------------------------------------------------------- */

static void span_rays(grid *g)
{
    for (int i = 0; i < 2; i++) {
        g->low[i] = (double)INFINITY;
        g->high[i] = -(double)INFINITY;
    }
    for (uint32_t k = 0; k < g->count; k++) {
        for (int i = 0; i < 2; i++) {
            const double at = g->rays[k].at[i];
            g->low[i] = at < g->low[i] ? at : g->low[i];
            g->high[i] = at > g->high[i] ? at : g->high[i];
        }
    }
}

/* Returns the column or row of cells of a position; beyond the grid the outermost one. */
static uint32_t cell_at(const grid *g, int axis, double at)
{
    const double extent = g->high[axis] - g->low[axis];
    const double cell = extent > 0.0 ? (at - g->low[axis]) / extent * (double)g->side : 0.0;
    const double last = (double)(g->side - 1);
    return cell > 0.0 ? (uint32_t)(cell < last ? cell : last) : 0;
}

static uint32_t cell_of(const grid *g, const double at[2])
{
    return cell_at(g, 1, at[1]) * g->side + cell_at(g, 0, at[0]);
}

/* Sorts g->rays into the grid. Returns false without memory; the caller frees the arrays either
 * way. */
static bool build_grid(grid *g)
{
    span_rays(g);
    const double root = ceil(sqrt((double)g->count));
    g->side = root < (double)MOST_CELLS ? (uint32_t)root : MOST_CELLS;
    const size_t cells = (size_t)g->side * g->side;
    g->first = mrwi_base_alloc_zero(cells + 1, sizeof *g->first);
    g->order = mrwi_base_alloc(g->count, sizeof *g->order);
    if (!g->first || !g->order) {
        return false;
    }
    for (uint32_t k = 0; k < g->count; k++) {
        g->first[cell_of(g, g->rays[k].at) + 1]++;
    }
    for (size_t c = 0; c < cells; c++) {
        g->first[c + 1] += g->first[c];
    }
    for (uint32_t k = g->count; k-- > 0;) { /* backwards, so that cells keep the order of rays */
        const uint32_t cell = cell_of(g, g->rays[k].at);
        g->order[--g->first[cell + 1]] = k;
    }
    for (size_t c = 0; c < cells; c++) { /* counting down has left each entry one place late */
        g->first[c] = g->first[c + 1];
    }
    g->first[cells] = g->count;
    return true;
}

/* ---- triangles ------------------------------------------------------------------------------- */

typedef struct triangle {
    const float *corners[3];
    bool both; /* both sides are visible; else only the counter-clockwise one */
    bool mirrored;
    uint32_t instance, draw;
    const uint32_t *index;
} triangle;

/* Intersects a ray with a triangle (Moller and Trumbore, "Fast, Minimum Storage Ray/Triangle
 * Intersection", 1997). */
static bool hit_triangle(const ray *r, const triangle *tri, double *t)
{
    double e1[3], e2[3], s[3], p[3], q[3];
    for (int i = 0; i < 3; i++) {
        const double origin = (double)tri->corners[0][i];
        e1[i] = (double)tri->corners[1][i] - origin;
        e2[i] = (double)tri->corners[2][i] - origin;
        s[i] = r->from[i] - origin;
    }
    cross(r->to, e2, p);
    cross(s, e1, q);
    double determinant = dot(e1, p);
    if (determinant == 0.0 || (!tri->both && (determinant < 0.0) != tri->mirrored)) {
        return false;
    }
    double u = dot(s, p) / determinant, v = dot(r->to, q) / determinant;
    *t = dot(e2, q) / determinant;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0;
}

static void meet(const ray *r, const triangle *tri, double near_depth, mrwi_bake_surface *nearest)
{
    double t;
    if (!hit_triangle(r, tri, &t)) {
        return;
    }
    double depth = t * r->depth_step;
    if (depth >= near_depth && depth < nearest->depth) {
        *nearest = (mrwi_bake_surface){depth, tri->instance, tri->draw, tri->index};
    }
}

/* Finds the triangle's box on the picture plane, widened by rounding errors of the size of the
 * grid. Returns false when the triangle reaches behind the eye. */
static bool box_of(const view *v, const grid *g, const triangle *tri, double low[2], double high[2])
{
    for (int c = 0; c < 3; c++) {
        const float *corner = tri->corners[c];
        const double point[3] = {(double)corner[0], (double)corner[1], (double)corner[2]};
        double at[2];
        if (!project(v, point, at)) {
            return false;
        }
        for (int i = 0; i < 2; i++) {
            low[i] = c == 0 || at[i] < low[i] ? at[i] : low[i];
            high[i] = c == 0 || at[i] > high[i] ? at[i] : high[i];
        }
    }
    for (int i = 0; i < 2; i++) {
        const double room = 1e-9 * (fabs(low[i]) + fabs(high[i]) + (g->high[i] - g->low[i]));
        low[i] -= room;
        high[i] += room;
    }
    return true;
}

static void meet_rays(const view *v, const grid *g, const triangle *tri, mrwi_bake_surface *out)
{
    double low[2] = {0}, high[2] = {0};
    if (!box_of(v, g, tri, low, high)) {
        for (uint32_t k = 0; k < g->count; k++) {
            meet(&g->rays[k], tri, v->near_depth, &out[k]);
        }
        return;
    }
    if (high[0] < g->low[0] || low[0] > g->high[0] || high[1] < g->low[1] || low[1] > g->high[1]) {
        return;
    }
    const uint32_t left = cell_at(g, 0, low[0]), right = cell_at(g, 0, high[0]);
    const uint32_t end = cell_at(g, 1, high[1]);
    for (uint32_t row = cell_at(g, 1, low[1]); row <= end; row++) {
        const uint32_t *cells = g->first + (size_t)row * g->side;
        for (uint32_t k = cells[left]; k < cells[right + 1]; k++) {
            const uint32_t number = g->order[k];
            const double *at = g->rays[number].at;
            if (at[0] >= low[0] && at[0] <= high[0] && at[1] >= low[1] && at[1] <= high[1]) {
                meet(&g->rays[number], tri, v->near_depth, &out[number]);
            }
        }
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct search {
    const mrw_bake_joints_job *job;
    view view;
    grid grid;
    mrwi_bake_surface *out; /* one per ray */
} search;

static mrw_status search_draw(const search *s, uint32_t instance, uint32_t draw, mrw_error *error)
{
    const mrw_scene *scene = s->job->instances[instance].model->scene;
    const mrw_posed_draw *posed = &s->job->posed[instance].draws[draw];
    const mrw_mesh *mesh = &scene->meshes[scene->draws[posed->draw].mesh];
    const mrw_material usual = mrw_material_default();
    triangle tri = {.both = mrwi_frame_shows_both_sides(
                        s->job->instances[instance].model,
                        mesh->material == MRW_NONE ? &usual : &scene->materials[mesh->material]),
                    .mirrored = posed->mirrored,
                    .instance = instance,
                    .draw = posed->draw,
                    .index = scene->indices + mesh->first_index};
    for (uint32_t k = 0; k < posed->triangle_count; k++, tri.index += 3) {
        if (k % 256 == 0 && s->job->stop && s->job->stop(s->job->user)) {
            return mrwi_base_fail(error, MRW_ERROR_CANCELLED, "stopped");
        }
        for (int i = 0; i < 3; i++) {
            tri.corners[i] = posed->positions + 4 * (size_t)tri.index[i];
        }
        meet_rays(&s->view, &s->grid, &tri, s->out);
    }
    return MRW_OK;
}

static mrw_status search_all(const search *s, mrw_error *error)
{
    for (uint32_t i = 0; i < s->job->instance_count; i++) {
        const mrw_scene *scene = s->job->instances[i].model->scene;
        for (uint32_t d = 0; d < scene->draws_count; d++) {
            mrw_status status = search_draw(s, i, d, error);
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}

mrw_status mrwi_bake_find_surfaces(const mrw_bake_joints_job *job, const mrw_camera *camera,
                                   const mrwi_bake_target *targets, uint32_t count,
                                   mrwi_bake_surface *out, mrw_error *error)
{
    search s = {.job = job, .view = view_of(camera), .out = out};
    mrw_status status = MRW_OK;
    if (count == 0) {
        return MRW_OK;
    }
    ray *rays = mrwi_base_alloc(count, sizeof *rays);
    for (uint32_t k = 0; k < count && rays; k++) {
        rays[k] = ray_to(&s.view, &targets[k]);
        out[k] = (mrwi_bake_surface){.depth = (double)INFINITY};
    }
    s.grid.rays = rays;
    s.grid.count = count;
    if (!rays || !build_grid(&s.grid)) {
        status = mrwi_base_fail_memory(error, count * sizeof *rays);
        goto out;
    }
    status = search_all(&s, error);
out:
    mrwi_base_free(rays);
    mrwi_base_free(s.grid.first);
    mrwi_base_free(s.grid.order);
    return status;
}
