/* cover_setup.h: set-up of MRWI_LANES triangles at once: what setup.c does with one, the same
 * operations in the same order, into arrays that hold a triangle a lane.
 */
#ifndef MRWI_RASTER_COVER_SETUP_H
#define MRWI_RASTER_COVER_SETUP_H

#include "raster/cover.h"
#include "raster/cover_lanes.h"

/* Below this extent, in sub-pixels, edge values fit 32 bits wherever they are asked for: |a|, |b| <
 * 2^14, and samples lie within 2^14 + 2^13 of the corners, so |a dx + b dy| < 2^30. */
#define SMALL_EXTENT (1 << 14)

/* Triangles ready for coverage, one a lane. */
typedef struct batch {
    _Alignas(64) int32_t id[MRWI_LANES];
    int32_t x[3][MRWI_LANES], y[3][MRWI_LANES]; /* the corners, clockwise */
    int32_t a[3][MRWI_LANES], b[3][MRWI_LANES]; /* as in mrwi_edges, but for c: see edge_start */
    int32_t bias[3][MRWI_LANES];
    float z0[MRWI_LANES], zx[MRWI_LANES], zy[MRWI_LANES]; /* as in mrwi_setup */
    float z_min[MRWI_LANES], z_max[MRWI_LANES];
    int32_t box_y0[MRWI_LANES];
    int32_t x0[MRWI_LANES], x1[MRWI_LANES]; /* columns of the box */
    int32_t y0[MRWI_LANES], y1[MRWI_LANES]; /* its rows that lie in the band */
    uint32_t small;                         /* a bit a lane: extents below SMALL_EXTENT */
    uint32_t tiny;                          /* small, and no side longer than TINY pixels */
} batch;

/* Three corners of a lane's triangle. */
typedef struct corners {
    vf x[3], y[3]; /* sub-pixels, below 2^23 and so exact, as are their differences */
    vf z[3];
} corners;

/* ---- fetching -------------------------------------------------------------------------------- */

/* 16 bytes of element[index[i]] a lane, as columns of any type. */
LANE_INLINE vf4 fetch_rows(const void *elements, const int32_t index[MRWI_LANES])
{
    const void *row[MRWI_LANES];
    LANE_UNROLL
    for (int i = 0; i < MRWI_LANES; i++) {
        row[i] = (const char *)elements + (size_t)(uint32_t)index[i] * 16;
    }
    return vf4_load_rows(row);
}

LANE_INLINE corners fetch_corners(const mrwi_geometry *geometry, const int32_t id[MRWI_LANES])
{
    _Static_assert(sizeof(mrwi_triangle) == 16 && sizeof(mrwi_screen_vertex) == 16, "rows");
    const vf4 triangle = fetch_rows(geometry->triangles, id);
    const vf number[3] = {triangle.x, triangle.y, triangle.z};
    corners c;
    LANE_UNROLL
    for (int k = 0; k < 3; k++) {
        int32_t index[MRWI_LANES];
        vi_store(index, vf_bits(number[k]));
        vf4 v = fetch_rows(geometry->screen, index);
        c.x[k] = vi_to_float(vf_bits(v.x));
        c.y[k] = vi_to_float(vf_bits(v.y));
        c.z[k] = v.z;
    }
    return c;
}

/* ---- orientation ----------------------------------------------------------------------------- */

/* Twice the area, of either sign, of one half of the lanes: exact. */
LANE_INLINE vd area_of(vd x10, vd y10, vd x20, vd y20)
{
    return x10 * y20 - x20 * y10;
}

LANE_INLINE void swap_where(vi mask, vf *a, vf *b)
{
    vf t = *a;
    *a = vf_select(mask, *b, t);
    *b = vf_select(mask, t, *b);
}

/* Puts the corners in the order that makes the area positive. */
LANE_INLINE void orient(corners *c)
{
    const vf x10 = c->x[1] - c->x[0], y10 = c->y[1] - c->y[0];
    const vf x20 = c->x[2] - c->x[0], y20 = c->y[2] - c->y[0];
    const vf area = vf_join(area_of(vd_low(x10), vd_low(y10), vd_low(x20), vd_low(y20)),
                            area_of(vd_high(x10), vd_high(y10), vd_high(x20), vd_high(y20)));
    const vi turned = vf_less(area, vf_set(0.0f));
    swap_where(turned, &c->x[1], &c->x[2]);
    swap_where(turned, &c->y[1], &c->y[2]);
    swap_where(turned, &c->z[1], &c->z[2]);
}

/* ---- edges ----------------------------------------------------------------------------------- */

LANE_INLINE void set_edges(const corners *c, batch *t)
{
    const vi zero = vi_set(0);
    LANE_UNROLL
    for (int i = 0; i < 3; i++) {
        const int next = i < 2 ? i + 1 : 0;
        vi a = vf_truncate(c->y[i] - c->y[next]);
        vi b = vf_truncate(c->x[next] - c->x[i]);
        vi top_left = vi_less(zero, a) | ((vi)(a == zero) & vi_less(zero, b));
        vi_store(t->a[i], a);
        vi_store(t->b[i], b);
        vi_store(t->bias[i], ~top_left); /* -1 or 0 */
        vi_store(t->x[i], vf_truncate(c->x[i]));
        vi_store(t->y[i], vf_truncate(c->y[i]));
    }
}

/* ---- depth ----------------------------------------------------------------------------------- */

typedef struct plane {
    vd z0, zx, zy;
} plane;

/* setup.c's set_depth for one half of the lanes. */
LANE_INLINE plane plane_of(vd x0, vd y0, vd z0, vd x10, vd y10, vd z1, vd x20, vd y20, vd z2,
                           vd box_x, vd box_y)
{
    const vd z10 = z1 - z0;
    const vd z20 = z2 - z0;
    const vd scale = (double)MRWI_SUBPIXEL / area_of(x10, y10, x20, y20);
    plane p;
    p.zx = (z10 * y20 - z20 * y10) * scale;
    p.zy = (z20 * x10 - z10 * x20) * scale;
    const vd dx = box_x - x0 * (1.0 / MRWI_SUBPIXEL);
    const vd dy = box_y - y0 * (1.0 / MRWI_SUBPIXEL);
    p.z0 = z0 + (dx * p.zx + dy * p.zy);
    return p;
}

LANE_INLINE void set_depth(const corners *c, vi box_x0, vi box_y0, batch *t)
{
    const vf x10 = c->x[1] - c->x[0], y10 = c->y[1] - c->y[0];
    const vf x20 = c->x[2] - c->x[0], y20 = c->y[2] - c->y[0];
    const vf box_x = vi_to_float(box_x0), box_y = vi_to_float(box_y0);
    plane low = plane_of(vd_low(c->x[0]), vd_low(c->y[0]), vd_low(c->z[0]), vd_low(x10),
                         vd_low(y10), vd_low(c->z[1]), vd_low(x20), vd_low(y20), vd_low(c->z[2]),
                         vd_low(box_x), vd_low(box_y));
    plane high = plane_of(vd_high(c->x[0]), vd_high(c->y[0]), vd_high(c->z[0]), vd_high(x10),
                          vd_high(y10), vd_high(c->z[1]), vd_high(x20), vd_high(y20),
                          vd_high(c->z[2]), vd_high(box_x), vd_high(box_y));
    vf_store(t->z0, vf_join(low.z0, high.z0));
    vf_store(t->zx, vf_join(low.zx, high.zx));
    vf_store(t->zy, vf_join(low.zy, high.zy));
    vf_store(t->z_min, vf_min(vf_min(c->z[0], c->z[1]), c->z[2]));
    vf_store(t->z_max, vf_max(vf_max(c->z[0], c->z[1]), c->z[2]));
}

/* ---- classes --------------------------------------------------------------------------------- */

LANE_INLINE vf extent_of(const vf v[3])
{
    return vf_max(vf_max(v[0], v[1]), v[2]) - vf_min(vf_min(v[0], v[1]), v[2]);
}

/* The boxes, and what follows from their sizes. */
LANE_INLINE void set_box(const mrwi_band *band, const corners *c, vf4 box, uint32_t lanes, batch *t)
{
    const vi x0 = vf_bits(box.x), x1 = vf_bits(box.z);
    const vi y0 = vi_max(vf_bits(box.y), vi_set(band->box.y0));
    const vi y1 = vi_min(vf_bits(box.w), vi_set(band->box.y1));
    const vf limit = vf_set((float)SMALL_EXTENT);
    const vmask small =
        vmask_and(vf_is_less(extent_of(c->x), limit), vf_is_less(extent_of(c->y), limit));
    const vmask tiny =
        vmask_and(vi_is_less(x1 - x0, vi_set(TINY + 1)), vi_is_less(y1 - y0, vi_set(TINY + 1)));
    vi_store(t->box_y0, vf_bits(box.y));
    vi_store(t->x0, x0);
    vi_store(t->x1, x1);
    vi_store(t->y0, y0);
    vi_store(t->y1, y1);
    t->small = vmask_bits(small) & lanes;
    t->tiny = vmask_bits(vmask_and(small, tiny)) & lanes;
}

/* Sets count triangles up; lanes beyond repeat the last. */
LANE_INLINE void set_up(const mrwi_band *band, const uint32_t *ids, uint32_t count, batch *t)
{
    const mrwi_geometry *geometry = band->frame->geometry;
    LANE_UNROLL
    for (uint32_t i = 0; i < MRWI_LANES; i++) {
        t->id[i] = (int32_t)ids[i < count ? i : count - 1];
    }
    _Static_assert(sizeof(mrwi_box) == 16, "rows");
    vf4 box = fetch_rows(geometry->boxes, t->id);
    corners c = fetch_corners(geometry, t->id);
    orient(&c);
    set_edges(&c, t);
    set_depth(&c, vf_bits(box.x), vf_bits(box.y), t);
    set_box(band, &c, box, (1u << count) - 1u, t);
}

#endif
