/* front_kernel.h: the one source of the front's kernels in lanes, compiled once per instruction
 * set.
 *
 * A file defines MRWI_BASE_LANES and MRWI_RASTER_FRONT_KERNELS (the name of the table) and includes
 * this file. front_scalar.c specifies the result and the order of operations.
 *
 * Vertices lie one after another, so a block of them is loaded whole and transposed in parts of
 * four. This leaves lanes in an order of their own; the same transposition undoes it on the way
 * out. Triangles refer to their vertices by index, so their lanes are in order.
 */
#include "base/simd/rows.h"
#include "raster/front.h"

#include <assert.h>

LANE_INLINE vf min3(vf a, vf b, vf c)
{
    return vf_min(vf_min(a, b), c);
}

LANE_INLINE vf max3(vf a, vf b, vf c)
{
    return vf_max(vf_max(a, b), c);
}

/* ---- blocks of vertices ---------------------------------------------------------------------- */

/* Loads float[4] per vertex. */
LANE_INLINE vf4 block_load(const float *p)
{
    return transpose_parts(vf_load(p), vf_load(p + MRWI_BASE_LANES),
                           vf_load(p + 2 * MRWI_BASE_LANES), vf_load(p + 3 * MRWI_BASE_LANES));
}

LANE_INLINE void block_store(void *out, vf4 v)
{
    float *p = out;
    vf4 t = transpose_parts(v.x, v.y, v.z, v.w);
    vf_store(p, t.x);
    vf_store(p + MRWI_BASE_LANES, t.y);
    vf_store(p + 2 * MRWI_BASE_LANES, t.z);
    vf_store(p + 3 * MRWI_BASE_LANES, t.w);
}

/* Stores float[8] per vertex: the 16-byte parts of both halves in turn. */
LANE_INLINE void block_store_pair(void *out, vf4 low, vf4 high)
{
    float *p = out;
    vf4 l = transpose_parts(low.x, low.y, low.z, low.w);
    vf4 h = transpose_parts(high.x, high.y, high.z, high.w);
    const vf column[4][2] = {{l.x, h.x}, {l.y, h.y}, {l.z, h.z}, {l.w, h.w}};
    LANE_UNROLL
    for (int i = 0; i < 4; i++) {
        vf a = column[i][0], b = column[i][1];
#if MRWI_BASE_LANES == 16
        const __m512i front = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
        const __m512i back = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
        vf_store(p, (vf)_mm512_permutex2var_pd((__m512d)a, front, (__m512d)b));
        vf_store(p + MRWI_BASE_LANES, (vf)_mm512_permutex2var_pd((__m512d)a, back, (__m512d)b));
#elif MRWI_BASE_LANES == 8
        vf_store(p, (vf)_mm256_permute2f128_ps((__m256)a, (__m256)b, 0x20));
        vf_store(p + MRWI_BASE_LANES, (vf)_mm256_permute2f128_ps((__m256)a, (__m256)b, 0x31));
#else
        vf_store(p, a);
        vf_store(p + MRWI_BASE_LANES, b);
#endif
        p += 2 * MRWI_BASE_LANES;
    }
}

/* Loads float[2] per vertex, in the order of lanes that block_load makes. */
LANE_INLINE void block_load_uvs(const float *p, vf *u, vf *v)
{
    vf a = vf_load(p), b = vf_load(p + MRWI_BASE_LANES);
#if MRWI_BASE_LANES == 16
    const __m512i even =
        _mm512_setr_epi32(0, 8, 16, 24, 2, 10, 18, 26, 4, 12, 20, 28, 6, 14, 22, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    *u = (vf)_mm512_permutex2var_ps((__m512)a, even, (__m512)b);
    *v = (vf)_mm512_permutex2var_ps((__m512)a, odd, (__m512)b);
#elif MRWI_BASE_LANES == 8
    *u = __builtin_shufflevector(a, b, 0, 4, 8, 12, 2, 6, 10, 14);
    *v = __builtin_shufflevector(a, b, 1, 5, 9, 13, 3, 7, 11, 15);
#else
    *u = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    *v = __builtin_shufflevector(a, b, 1, 3, 5, 7);
#endif
}

/* ---- vertices -------------------------------------------------------------------------------- */

LANE_INLINE vf transform_row(const float *m, vf4 p)
{
    return (m[0] * p.x + m[8] * p.z) + (m[4] * p.y + m[12]);
}

LANE_INLINE vi outcode(vf4 p)
{
    vf guard = MRWI_RASTER_GUARD * p.w;
    vi depth =
        vf_at_least(vf_set(MRWI_RASTER_MAX_W), p.w) & vf_less(vf_set(MRWI_RASTER_MIN_W), p.w);
    return (~vf_at_least(p.z, vf_set(0.0f)) & 1) | (~vf_at_least(p.w, p.z) & 2) |
           (~vf_at_least(p.x, -guard) & 4) | (~vf_at_least(guard, p.x) & 8) |
           (~vf_at_least(p.y, -guard) & 16) | (~vf_at_least(guard, p.y) & 32) | (~depth & 64);
}

/* Returns floor(pixels * 256 + 0.5) without rounding: the product is exact, and so is the part that
 * floor removes if that is about a half. */
LANE_INLINE vi snap(vf pixels)
{
    vf x = pixels * MRWI_SHADE_SUBPIXEL;
    vf whole = vf_floor(x);
    return vf_truncate(whole) - vf_at_least(x - whole, vf_set(0.5f));
}

/* Computes the first half of the shading stream's vertices, except for u. */
LANE_INLINE vf4 screen_vertices(const mrwi_raster_vertex_job *job, uint32_t i)
{
    const float *m = job->world_to_pixel->m;
    vf4 position = block_load(job->draw->positions + 4 * (size_t)i);
    vf4 p = {transform_row(m, position), transform_row(m + 1, position),
             transform_row(m + 2, position), transform_row(m + 3, position)};
    vi code = outcode(p);
    vi inside = (vi)(code == 0);
    vi x = snap(vf_keep(inside, p.x / p.w));
    vi y = snap(vf_keep(inside, p.y / p.w));
    vf z = vf_keep(inside, p.z / p.w + 0.0f);
    vf inv_w = vf_keep(inside, 1.0f / p.w);
    vf4 screen = {vf_from_bits(vi_select(inside, x, vi_set(MRWI_RASTER_OUTSIDE))),
                  vf_from_bits(vi_select(inside, y, code)), z, inv_w};
    block_store(job->screen + i, screen);
    const float pixel = 1.0f / MRWI_SHADE_SUBPIXEL;
    return (vf4){vi_to_float(x) * pixel, vi_to_float(y) * pixel, inv_w, vf_set(0.0f)};
}

/* Scales the normals. Returns false if some normal needs the careful way. */
LANE_INLINE bool unit_normals(const float *p, vf4 *n)
{
    *n = block_load(p);
    vf squared = (n->x * n->x + n->y * n->y) + n->z * n->z;
    vf inverse = 1.0f / vf_sqrt(squared);
    n->x *= inverse;
    n->y *= inverse;
    n->z *= inverse;
    vi plain = vf_less(vf_set(MRWI_RASTER_NORMAL_MIN), squared) &
               vf_less(squared, vf_set(MRWI_RASTER_NORMAL_MAX));
    return mask_bits(~plain) == 0;
}

LANE_INLINE void transform_block(const mrwi_raster_vertex_job *job, uint32_t i)
{
    const mrw_raster_draw *draw = job->draw;
    vf4 low = screen_vertices(job, i);
    vf v = vf_set(0.0f);
    if (!job->shade) {
        return;
    }
    if (draw->uvs) {
        const float *m = draw->material->uv_transform;
        vf s, t;
        block_load_uvs(draw->uvs + 2 * (size_t)i, &s, &t);
        low.w = (m[0] * s + m[1] * t) + m[2];
        v = (m[3] * s + m[4] * t) + m[5];
    }
    vf4 n;
    if (unit_normals(draw->normals + 4 * (size_t)i, &n)) {
        block_store_pair(job->shade + i, low, (vf4){v, n.x, n.y, n.z});
    } else {
        mrwi_raster_front_kernels_scalar.transform(job, i, MRWI_BASE_LANES);
    }
}

/* Transforms vertices. The last block ends with the last vertex and may overlap the one before: it
 * gives the same bits again. */
static void transform(const mrwi_raster_vertex_job *job, uint32_t first, uint32_t count)
{
    if (count < MRWI_BASE_LANES) {
        mrwi_raster_front_kernels_scalar.transform(job, first, count);
        return;
    }
    uint32_t last = first + count - MRWI_BASE_LANES;
    for (uint32_t i = first; i < last; i += MRWI_BASE_LANES) {
        transform_block(job, i);
    }
    transform_block(job, last);
}

/* ---- triangles ------------------------------------------------------------------------------- */

/* Constants of all triangles of a draw. */
typedef struct cull_view {
    const mrwi_raster_screen_vertex *screen; /* the draw's first vertex */
    const uint32_t *indices;
    uint32_t vertex_count;
    float before, after; /* offsets from the smallest and largest coordinate to a box */
    float width, height; /* in sub-pixels */
    bool mirrored, double_sided;
} cull_view;

static cull_view view_of(const mrwi_raster_cull_job *job)
{
    const mrwi_raster_geometry *geometry = job->geometry;
    const mrw_raster_draw *draw = &geometry->draws[job->draw];
    return (cull_view){
        .screen = geometry->vertices.screen + job->first_vertex,
        .indices = draw->indices,
        .vertex_count = draw->vertex_count,
        .before = (float)(127 - geometry->view.pattern->extent),
        .after = (float)(127 + geometry->view.pattern->extent),
        .width = (float)(geometry->view.width * MRWI_SHADE_SUBPIXEL),
        .height = (float)(geometry->view.height * MRWI_SHADE_SUBPIXEL),
        .mirrored = draw->mirrored,
        .double_sided = draw->material->double_sided,
    };
}

/* The screen coordinates of a block's corners: whole numbers of 23 bits, which float holds. */
typedef struct corners {
    vf x[3], y[3];
    vi code[3]; /* outcodes of vertices outside */
} corners;

LANE_INLINE corners load_corners(const cull_view *view, uint32_t first)
{
    const uint32_t *index = view->indices + 3 * (size_t)first;
    corners c;
    LANE_UNROLL
    for (int k = 0; k < 3; k++) {
        const void *row[MRWI_BASE_LANES];
        LANE_UNROLL
        for (int i = 0; i < MRWI_BASE_LANES; i++) {
            assert(index[3 * i + k] < view->vertex_count);
            row[i] = &view->screen[index[3 * i + k]];
        }
        vf4 v = vf4_load_rows(row);
        c.x[k] = vi_to_float(vf_bits(v.x));
        c.y[k] = vi_to_float(vf_bits(v.y));
        c.code[k] = vf_bits(v.y);
    }
    return c;
}

/* The lanes whose triangles are drawn as they are, show their front, or must be clipped; others are
 * culled. */
typedef struct verdict {
    uint32_t drawn, front, clipped;
} verdict;

/* Finds the lanes whose signed areas, p - q of exact factors, are above and below 0. Rounding keeps
 * order, so products that differ decide; equal products decide if they are exact. The few others
 * are computed in integers. */
LANE_INLINE void area_signs(const cull_view *view, uint32_t first, const corners *c, vi wanted,
                            uint32_t *above, uint32_t *below)
{
    vf p = (c->x[1] - c->x[0]) * (c->y[2] - c->y[0]);
    vf q = (c->x[2] - c->x[0]) * (c->y[1] - c->y[0]);
    *above = mask_bits(vf_less(q, p));
    *below = mask_bits(vf_less(p, q));
    const vf exact = vf_set(16777216.0f); /* 2^24 */
    uint32_t unsure =
        mask_bits(wanted & ~(vf_less(p, exact) & vf_less(-exact, p))) & ~(*above | *below);
    for (; unsure != 0; unsure &= unsure - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(unsure);
        const uint32_t *index = view->indices + 3 * ((size_t)first + lane);
        int64_t area = mrwi_raster_signed_area(&view->screen[index[0]], &view->screen[index[1]],
                                               &view->screen[index[2]]);
        *above |= (area > 0 ? 1u : 0u) << lane;
        *below |= (area < 0 ? 1u : 0u) << lane;
    }
}

/* Computes the boxes of a block's triangles within the viewport, one row per lane. Returns a bit
 * for each box that is not empty. */
LANE_INLINE uint32_t make_boxes(const cull_view *view, vf x_min, vf x_max, vf y_min, vf y_max,
                                mrwi_raster_box box[MRWI_BASE_LANES])
{
    const vf zero = vf_set(0.0f);
    vi x0 = vf_truncate(vf_max(x_min + view->before, zero)) >> 8;
    vi y0 = vf_truncate(vf_max(y_min + view->before, zero)) >> 8;
    vi x1 = vf_truncate(vf_min(x_max + view->after, vf_set(view->width))) >> 8;
    vi y1 = vf_truncate(vf_min(y_max + view->after, vf_set(view->height))) >> 8;
    void *row[MRWI_BASE_LANES];
    LANE_UNROLL
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        row[i] = &box[i];
    }
    vf4_store_rows(row,
                   (vf4){vf_from_bits(x0), vf_from_bits(y0), vf_from_bits(x1), vf_from_bits(y1)});
    return mask_bits(vi_less(x0, x1) & vi_less(y0, y1));
}

/* Decides a block of triangles. `box` receives the boxes of those that are drawn. */
LANE_INLINE verdict judge(const cull_view *view, uint32_t first,
                          mrwi_raster_box box[MRWI_BASE_LANES])
{
    corners c = load_corners(view, first);
    vf x_min = min3(c.x[0], c.x[1], c.x[2]), x_max = max3(c.x[0], c.x[1], c.x[2]);
    const vf far_away = vf_set(-2.0f * MRWI_RASTER_GUARD * MRWI_SHADE_SUBPIXEL);
    vi outside = vf_less(x_min, far_away);
    uint32_t above, below, out = mask_bits(outside);
    area_signs(view, first, &c, ~outside, &above, &below);
    verdict v = {.front = view->mirrored ? above : below};
    if (out != 0) {
        vi hidden =
            vf_less(x_max, far_away) & vi_less(vi_set(0), c.code[0] & c.code[1] & c.code[2]);
        v.clipped = out & ~mask_bits(hidden);
    }
    v.drawn = (view->double_sided ? above | below : v.front) & ~out;
    if (v.drawn != 0) {
        vf y_min = min3(c.y[0], c.y[1], c.y[2]), y_max = max3(c.y[0], c.y[1], c.y[2]);
        v.drawn &= make_boxes(view, x_min, x_max, y_min, y_max, box);
    }
    return v;
}

/* Appends the drawn lanes of a block. The job is a copy, which stays in registers. */
LANE_INLINE void append_block(mrwi_raster_cull_job *job, const cull_view *view, uint32_t first,
                              const mrwi_raster_box box[MRWI_BASE_LANES], uint32_t drawn,
                              uint32_t front)
{
    mrwi_raster_cull_job out = *job;
    for (; drawn != 0; drawn &= drawn - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(drawn);
        const uint32_t *index = view->indices + 3 * ((size_t)first + lane);
        mrwi_raster_append_triangle(&out, index, first + lane, &box[lane], front >> lane & 1);
    }
    job->count = out.count;
}

/* Culls triangles. The last block ends with the last triangle and skips those that the block before
 * has decided. */
static uint32_t cull(mrwi_raster_cull_job *job, uint32_t first, uint32_t end)
{
    if (end < MRWI_BASE_LANES) {
        return mrwi_raster_front_kernels_scalar.cull(job, first, end);
    }
    const cull_view view = view_of(job);
    while (first < end) {
        uint32_t block = first < end - MRWI_BASE_LANES ? first : end - MRWI_BASE_LANES;
        mrwi_raster_box box[MRWI_BASE_LANES];
        verdict v = judge(&view, block, box);
        uint32_t todo = ~0u << (first - block);
        uint32_t clipped = v.clipped & todo;
        if (clipped != 0) {
            todo &= (clipped & (0u - clipped)) - 1;
        }
        append_block(job, &view, block, box, v.drawn & todo, v.front);
        if (clipped != 0) {
            return block + (uint32_t)__builtin_ctz(clipped);
        }
        first = block + MRWI_BASE_LANES;
    }
    return end;
}

const mrwi_raster_front_kernels MRWI_RASTER_FRONT_KERNELS = {transform, cull};
