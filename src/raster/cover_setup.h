/* cover_setup.h: set-up of MRWI_BASE_LANES triangles at once: the operations of setup.c in the same
 * order, into arrays with one triangle per lane. */
#ifndef MRWI_RASTER_COVER_SETUP_H
#define MRWI_RASTER_COVER_SETUP_H

#include "base/simd/rows.h"
#include "raster/cover.h"
#include "raster/cover_lanes.h"

/* Below this extent, in sub-pixels, edge values fit 32 bits at all places where they are needed:
 * |a|, |b| < 2^14, and samples lie within 2^14 + 2^13 of the corners, so |a dx + b dy| < 2^30. */
#define SMALL_EXTENT (1 << 14)

/* The edges, one triangle per lane. */
typedef struct edge_lists {
    int32_t x[3][MRWI_BASE_LANES], y[3][MRWI_BASE_LANES]; /* the corners */
    int32_t a[3][MRWI_BASE_LANES], b[3][MRWI_BASE_LANES]; /* see mrwi_raster_edges */
    int32_t bias[3][MRWI_BASE_LANES]; /* -1 if points on the edge do not count */
    /* E at the centre of the pixel where its rows and columns begin; set for small triangles only.
     */
    int32_t e[3][MRWI_BASE_LANES];
} edge_lists;

/* The planes of depth, as in mrwi_raster_setup. */
typedef struct plane_lists {
    float z0[MRWI_BASE_LANES], zx[MRWI_BASE_LANES], zy[MRWI_BASE_LANES];
    float z_min[MRWI_BASE_LANES], z_max[MRWI_BASE_LANES];
} plane_lists;

/* The pixels to examine. */
typedef struct box_lists {
    int32_t top[MRWI_BASE_LANES];                     /* first row of the whole box */
    int32_t x0[MRWI_BASE_LANES], x1[MRWI_BASE_LANES]; /* columns of the box */
    int32_t y0[MRWI_BASE_LANES], y1[MRWI_BASE_LANES]; /* rows of the box in the band */
} box_lists;

/* Classes of triangles, one bit per lane. */
typedef struct sizes {
    uint32_t small; /* extents below SMALL_EXTENT */
    uint32_t tiny;  /* small, and the box is not larger than for tiny ones */
} sizes;

/* Triangles ready for coverage, one per lane. */
typedef struct batch {
    _Alignas(64) int32_t id[MRWI_BASE_LANES];
    edge_lists edge;
    plane_lists depth;
    box_lists box;
    sizes size;
} batch;

/* The three corners of a lane's triangle. */
typedef struct corners {
    vf x[3], y[3]; /* sub-pixels, below 2^23 and so exact, as are their differences */
    vf z[3];
    vi turned; /* lanes whose corners go round counter-clockwise */
} corners;

/* ---- fetching -------------------------------------------------------------------------------- */

LANE_INLINE void fetch_corners(const mrwi_raster_geometry *geometry, const int32_t *id, corners *c)
{
    _Static_assert(sizeof(mrwi_raster_screen_vertex) == 16, "a row a lane");
    LANE_UNROLL
    for (int k = 0; k < 3; k++) {
        const void *row[MRWI_BASE_LANES];
        LANE_UNROLL
        for (int i = 0; i < MRWI_BASE_LANES; i++) {
            row[i] = &geometry->vertices.screen[geometry->kept.triangles[id[i]].vertex[k]];
        }
        vf4 v = vf4_load_rows(row);
        c->x[k] = vi_to_float(vf_bits(v.x));
        c->y[k] = vi_to_float(vf_bits(v.y));
        c->z[k] = v.z;
    }
}

/* ---- depth ----------------------------------------------------------------------------------- */

/* The plane of depth for one half of the lanes, and twice the triangles' area, of either sign. */
typedef struct plane {
    vd z0, zx, zy, area;
} plane;

/* Computes setup.c's set_depth. There the corners are clockwise; turning them round negates both
 * factors of the slopes, which does not change their product, except that + 0.0 has to remove the
 * sign of zeros. */
LANE_INLINE plane plane_of(vd x0, vd y0, vd z0, vd x10, vd y10, vd z1, vd x20, vd y20, vd z2,
                           vd box_x, vd box_y)
{
    plane p;
    p.area = x10 * y20 - x20 * y10;
    const vd z10 = z1 - z0;
    const vd z20 = z2 - z0;
    const vd scale = (double)MRWI_SHADE_SUBPIXEL / p.area;
    p.zx = (z10 * y20 - z20 * y10) * scale + 0.0;
    p.zy = (z20 * x10 - z10 * x20) * scale + 0.0;
    const vd dx = box_x - x0 * (1.0 / MRWI_SHADE_SUBPIXEL);
    const vd dy = box_y - y0 * (1.0 / MRWI_SHADE_SUBPIXEL);
    p.z0 = z0 + (dx * p.zx + dy * p.zy);
    return p;
}

LANE_INLINE void set_depth(corners *c, vi box_x0, vi box_y0, plane_lists *out)
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
    vf_store(out->z0, vf_join(low.z0, high.z0));
    vf_store(out->zx, vf_join(low.zx, high.zx));
    vf_store(out->zy, vf_join(low.zy, high.zy));
    vf_store(out->z_min, vf_min(vf_min(c->z[0], c->z[1]), c->z[2]));
    vf_store(out->z_max, vf_max(vf_max(c->z[0], c->z[1]), c->z[2]));
    c->turned = vf_bits(vf_join(low.area, high.area)) >> 31;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Returns x, or -x where the mask is set. */
LANE_INLINE vi negate_where(vi mask, vi x)
{
    return (x ^ mask) - mask;
}

/* Sets the edges. For triangles that go round the other way, only the sign changes. */
LANE_INLINE void set_edges(const corners *c, edge_lists *out)
{
    const vi zero = vi_set(0);
    LANE_UNROLL
    for (int i = 0; i < 3; i++) {
        const int next = i < 2 ? i + 1 : 0;
        vi a = negate_where(c->turned, vf_truncate(c->y[i] - c->y[next]));
        vi b = negate_where(c->turned, vf_truncate(c->x[next] - c->x[i]));
        /* a > 0, or a == 0 and b > 0: the sign of -a, or of a - 1 and -b as well */
        vi top_left = ((zero - a) | ((a - 1) & (zero - b) & ~a)) >> 31;
        vi_store(out->a[i], a);
        vi_store(out->b[i], b);
        vi_store(out->bias[i], ~top_left); /* -1 or 0 */
        vi_store(out->x[i], vf_truncate(c->x[i]));
        vi_store(out->y[i], vf_truncate(c->y[i]));
    }
}

/* ---- classes --------------------------------------------------------------------------------- */

LANE_INLINE vf extent_of(const vf v[3])
{
    return vf_max(vf_max(v[0], v[1]), v[2]) - vf_min(vf_min(v[0], v[1]), v[2]);
}

/* Sets the values at the start of small edges. */
LANE_INLINE void set_starts(const box_lists *box, vi small, edge_lists *out)
{
    const vi x0 = vi_load(box->x0), y0 = vi_load(box->y0);
    LANE_UNROLL
    for (int i = 0; i < 3; i++) {
        /* the products of others may overflow */
        const vi a = vi_load(out->a[i]) & small, b = vi_load(out->b[i]) & small;
        const vi dx =
            (x0 * MRWI_SHADE_SUBPIXEL + MRWI_SHADE_SUBPIXEL / 2 - vi_load(out->x[i])) & small;
        const vi dy =
            (y0 * MRWI_SHADE_SUBPIXEL + MRWI_SHADE_SUBPIXEL / 2 - vi_load(out->y[i])) & small;
        vi_store(out->e[i], a * dx + b * dy + vi_load(out->bias[i]));
    }
}

/* Cuts the boxes to the band. */
LANE_INLINE void set_boxes(const mrwi_raster_visibility *band, vf4 box, box_lists *out)
{
    vi_store(out->top, vf_bits(box.y));
    vi_store(out->x0, vf_bits(box.x));
    vi_store(out->x1, vf_bits(box.z));
    vi_store(out->y0, vi_max(vf_bits(box.y), vi_set(band->y0)));
    vi_store(out->y1, vi_min(vf_bits(box.w), vi_set(band->y1)));
}

/* Returns the classes of the lanes whose bits are set. */
LANE_INLINE sizes sizes_of(const box_lists *box, vi small, uint32_t lanes)
{
    const vi width = vi_load(box->x1) - vi_load(box->x0);
    const vi height = vi_load(box->y1) - vi_load(box->y0);
    const vi tiny =
        vi_less(width, vi_set(TINY_WIDTH + 1)) & vi_less(height, vi_set(TINY_HEIGHT + 1));
    return (sizes){mask_bits(small) & lanes, mask_bits(small & tiny) & lanes};
}

/* Sets up the triangles of the ids; only the first `lanes` count. */
LANE_INLINE void set_up(const mrwi_raster_geometry *geometry, const mrwi_raster_visibility *band,
                        const int32_t *id, uint32_t lanes, batch *t)
{
    _Static_assert(sizeof(mrwi_raster_box) == 16, "a row a lane");
    const void *row[MRWI_BASE_LANES];
    corners c;
    LANE_UNROLL
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        row[i] = &geometry->kept.boxes[id[i]];
    }
    vf4 box = vf4_load_rows(row);
    vi_store(t->id, vi_load(id));
    fetch_corners(geometry, id, &c);
    set_depth(&c, vf_bits(box.x), vf_bits(box.y), &t->depth);
    set_edges(&c, &t->edge);
    set_boxes(band, box, &t->box);
    const vf limit = vf_set((float)SMALL_EXTENT);
    const vi small = vf_less(extent_of(c.x), limit) & vf_less(extent_of(c.y), limit);
    set_starts(&t->box, small, &t->edge);
    t->size = sizes_of(&t->box, small, (1u << lanes) - 1u);
}

#endif
