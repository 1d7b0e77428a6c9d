/* extents.c: extents for framing: supports of all points along the planes of a view.
 *
 * For a fixed direction of view, the position of a perspective camera solves a small linear system
 * in four supports max(n . p), where n are the normals of the picture's sides. So one pass over the
 * points, in any order and on any number of threads, frames them exactly. The box is six more
 * supports, along the axes of the world.
 */
#include "view/view.h"

#include "base/math.h"
#include "base/parallel.h"
#include "base/simd/f4.h"

#include <string.h>

mrwi_view_half_size mrwi_view_half_picture(const mrw_view_def *view, double aspect)
{
    double border = 2.0 * (double)view->margin;
    double half_angle = (double)view->fov_degrees * (MRWI_BASE_PI / 360.0);
    double y = view->orthographic ? 1.0 : mrwi_base_tan(half_angle);
    mrwi_view_half_size half = {.x = y * aspect, .y = y};
    half.inner_x = half.x * (1.0 - (aspect > 1.0 ? border / aspect : border));
    half.inner_y = half.y * (1.0 - (aspect > 1.0 ? border : border * aspect));
    return half;
}

static void set_plane(mrw_extents *extents, int plane, const double *side, double sign,
                      const double back[3], double lean)
{
    double length = sqrt(1.0 + lean * lean);
    for (int i = 0; i < 3; i++) {
        double component = sign * side[i] + lean * back[i];
        extents->plane[plane][i] = (float)(component / length);
    }
}

void mrw_extents_begin(const mrw_view_def *view, float aspect, mrw_extents *out)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    const double centre[3] = {0.0, 0.0, 0.0};
    mrwi_view_half_size half = mrwi_view_half_picture(view, (double)aspect);
    double lean_x = view->orthographic ? 0.0 : half.inner_x;
    double lean_y = view->orthographic ? 0.0 : half.inner_y;
    mrwi_view_axes_of axes;
    /* A view that does not determine its axes is refused later, by mrw_view_camera. */
    mrwi_view_axes(view, centre, &axes);
    memset(out, 0, sizeof *out);
    set_plane(out, MRW_PLANE_LEFT, axes.right, -1.0, axes.back, lean_x);
    set_plane(out, MRW_PLANE_RIGHT, axes.right, 1.0, axes.back, lean_x);
    set_plane(out, MRW_PLANE_BOTTOM, axes.up, -1.0, axes.back, lean_y);
    set_plane(out, MRW_PLANE_TOP, axes.up, 1.0, axes.back, lean_y);
    set_plane(out, MRW_PLANE_NEAR, axes.back, 1.0, axes.back, 0.0);
    set_plane(out, MRW_PLANE_FAR, axes.back, -1.0, axes.back, 0.0);
    for (int i = 0; i < MRW_PLANE_COUNT; i++) {
        out->support[i] = -FLT_MAX;
    }
    for (int i = 0; i < 3; i++) {
        out->aabb_min[i] = FLT_MAX;
        out->aabb_max[i] = -FLT_MAX;
    }
    mrwi_base_fp_leave(fp);
}

/* ---- blocks of points ------------------------------------------------------------------------ */

/* Points are added in blocks. The box of a block says which supports its points can change at all;
 * for a model most blocks change none. The box is exact: rounding never reverses an order, so a
 * support of the box, computed in the order of operations of `support_of_point`, is no less than
 * that of any point inside. */
#define BLOCK 64

typedef struct block {
    const float *points; /* float[4] each; the fourth number has no meaning */
    uint32_t count;
    mrwi_view_box box; /* not valid if the block is odd */
    bool odd;          /* a coordinate is infinite or NaN */
} block;

static float support_of_point(const float normal[3], const float *p)
{
    /* + 0 turns -0 into 0, so that zeros do not depend on the order of points */
    return (p[0] * normal[0] + p[1] * normal[1]) + (p[2] * normal[2] + 0.0f);
}

static float larger_product(float factor, float a, float b)
{
    return mrwi_base_maxf(factor * a, factor * b);
}

/* Returns a number that no support of a point in a finite box exceeds; NaN after an overflow. */
static float support_of_box(const float normal[3], const mrwi_view_box *box)
{
    return (larger_product(normal[0], box->min[0], box->max[0]) +
            larger_product(normal[1], box->min[1], box->max[1])) +
           (larger_product(normal[2], box->min[2], box->max[2]) + 0.0f);
}

/* Returns true when a support along the normal depends only on the given axes. */
static bool depends_only_on(const float normal[3], uint32_t axes)
{
    for (uint32_t i = 0; i < 3; i++) {
        if (normal[i] != 0.0f && (axes >> i & 1) == 0) {
            return false;
        }
    }
    return true;
}

bool mrwi_view_extents_hold(const mrw_extents *extents, uint32_t count, const mrwi_view_box *box,
                            uint32_t known_axes)
{
    for (uint32_t i = 0; i < 3; i++) {
        const bool holds =
            box->min[i] >= extents->aabb_min[i] && box->max[i] <= extents->aabb_max[i];
        if (!holds && (known_axes >> i & 1) == 0) {
            return false;
        }
    }
    for (uint32_t v = 0; v < count; v++) {
        for (int k = 0; k < MRW_PLANE_COUNT; k++) {
            const float *normal = extents[v].plane[k];
            if (!(support_of_box(normal, box) <= extents[v].support[k]) &&
                !depends_only_on(normal, known_axes)) {
                return false;
            }
        }
    }
    return true;
}

static block make_block(const float *points, uint32_t count)
{
    block b = {.points = points, .count = count};
    mrwi_base_f4 min = mrwi_base_f4_load(points), max = min, strange = {0};
    for (uint32_t i = 0; i < count; i++) {
        const mrwi_base_f4 p = mrwi_base_f4_load(points + 4 * i);
        min = mrwi_base_f4_min(p, min);
        max = mrwi_base_f4_max(p, max);
        strange += p - p; /* NaN for an infinity, too */
    }
    for (int i = 0; i < 3; i++) {
        b.box.min[i] = min[i] + 0.0f;
        b.box.max[i] = max[i] + 0.0f;
        b.odd = b.odd || strange[i] != 0.0f;
    }
    return b;
}

/* Raises the support along a normal by the points of a block, four at a time. */
static float raise_support(const block *b, const float normal[3], float support)
{
    mrwi_base_f4 best = mrwi_base_f4_set(support);
    for (uint32_t i = 0; i < b->count; i += 4) {
        mrwi_base_f4 p[4];
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t at = i + k < b->count ? i + k : i; /* the last ones count again */
            p[k] = mrwi_base_f4_load(b->points + 4 * at);
        }
        const mrwi_base_f4 xy01 = __builtin_shufflevector(p[0], p[1], 0, 4, 1, 5);
        const mrwi_base_f4 xy23 = __builtin_shufflevector(p[2], p[3], 0, 4, 1, 5);
        const mrwi_base_f4 z01 = __builtin_shufflevector(p[0], p[1], 2, 6, 3, 7);
        const mrwi_base_f4 z23 = __builtin_shufflevector(p[2], p[3], 2, 6, 3, 7);
        const mrwi_base_f4 x = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
        const mrwi_base_f4 y = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
        const mrwi_base_f4 z = __builtin_shufflevector(z01, z23, 0, 1, 4, 5);
        best = mrwi_base_f4_max((x * normal[0] + y * normal[1]) + (z * normal[2] + 0.0f), best);
    }
    return mrwi_base_maxf(mrwi_base_maxf(best[0], best[1]), mrwi_base_maxf(best[2], best[3]));
}

/* Adds a block with coordinates that are infinite or NaN. A product of infinity and 0 is NaN, so
 * such a point has no support along some axes of the world either. */
static void add_odd_block(mrw_extents *extents, const block *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const float *p = b->points + 4 * i;
        for (int k = 0; k < MRW_PLANE_COUNT; k++) {
            const float d = support_of_point(extents->plane[k], p);
            extents->support[k] = mrwi_base_maxf(d, extents->support[k]);
        }
        for (int k = 0; k < 3; k++) {
            const float up[3] = {k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f};
            const float down[3] = {-up[0], -up[1], -up[2]};
            const float high = support_of_point(up, p);
            const float low = 0.0f - support_of_point(down, p);
            extents->aabb_max[k] = mrwi_base_maxf(high, extents->aabb_max[k]);
            extents->aabb_min[k] = mrwi_base_minf(low, extents->aabb_min[k]);
        }
    }
}

static void add_block(mrw_extents *extents, const block *b)
{
    if (b->odd) {
        add_odd_block(extents, b);
        return;
    }
    for (int i = 0; i < 3; i++) {
        extents->aabb_min[i] = mrwi_base_minf(b->box.min[i], extents->aabb_min[i]);
        extents->aabb_max[i] = mrwi_base_maxf(b->box.max[i], extents->aabb_max[i]);
    }
    for (int k = 0; k < MRW_PLANE_COUNT; k++) {
        if (!(support_of_box(extents->plane[k], &b->box) <= extents->support[k])) {
            extents->support[k] = raise_support(b, extents->plane[k], extents->support[k]);
        }
    }
}

void mrwi_view_extents_add(mrw_extents *extents, uint32_t extents_count, const float *points,
                           size_t count)
{
    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t left = count - first;
        const block b = make_block(points + 4 * first, left < BLOCK ? (uint32_t)left : BLOCK);
        for (uint32_t v = 0; v < extents_count; v++) {
            add_block(&extents[v], &b);
        }
    }
    for (uint32_t v = 0; v < extents_count; v++) {
        extents[v].count += count;
    }
}

void mrw_extents_add(mrw_extents *extents, const float *points, size_t count, size_t stride)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t most = count - first < BLOCK ? count - first : BLOCK;
        float block_points[4 * BLOCK] = {0};
        for (size_t i = 0; i < most; i++) {
            memcpy(block_points + 4 * i, points + (first + i) * stride, 3 * sizeof *points);
        }
        mrwi_view_extents_add(extents, 1, block_points, most);
    }
    mrwi_base_fp_leave(fp);
}

void mrw_extents_merge(mrw_extents *extents, const mrw_extents *other)
{
    for (int i = 0; i < MRW_PLANE_COUNT; i++) {
        extents->support[i] = mrwi_base_maxf(extents->support[i], other->support[i]);
    }
    for (int i = 0; i < 3; i++) {
        extents->aabb_min[i] = mrwi_base_minf(extents->aabb_min[i], other->aabb_min[i]);
        extents->aabb_max[i] = mrwi_base_maxf(extents->aabb_max[i], other->aabb_max[i]);
    }
    extents->count += other->count;
}
