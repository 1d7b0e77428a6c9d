/* cover_kernel.h: coverage and depth test of opaque triangles, MRWI_BASE_LANES at a time; compiled
 * once per instruction set (cover_sse2.c ...). All kernels cover the same samples at the same
 * depths (coverage.c is the specification), and so have the same winner of each sample, the
 * smallest (depth, id). Only the order in which samples are met differs.
 *
 * Triangles are set up a batch at a time and go one of three ways:
 *   tiny    one triangle per lane; all lanes step over the positions of their boxes together;
 *           covered samples go to a list, which is depth-tested one sample after another
 *   rows    one triangle; a few pixels of a row, one per lane, edge values in 32 bits
 *   spans   one triangle; first one row per lane: the ends of its span; then its pixels
 */
#include "raster/cover.h"

/* The largest box of a tiny triangle, and the least number of tiny triangles in a batch for this
 * way. */
#define TINY_WIDTH  6
#define TINY_HEIGHT 6
#define TINY_MIN    (MRWI_BASE_LANES / 4)

/* The widest box that goes by rows. */
#define ROWS_WIDTH 24

#include "raster/cover_setup.h"

/* Returns the offset of a sample from the corner of its pixel, in pixels. */
static inline float sample_offset(int8_t sixteenths)
{
    return (float)sixteenths * 0.0625f + 0.5f;
}

/* ---- lists of samples ------------------------------------------------------------------------ */

/* The most samples that one sample of a batch of tiny triangles may add, and the length at which a
 * list is full. */
#define HITS_PASS (TINY_WIDTH * TINY_HEIGHT * MRWI_BASE_LANES)
#define HITS_FULL 1024

/* The fill level of a list of samples. */
typedef struct hits_end {
    uint32_t count; /* covered samples */
    uint32_t used;  /* entries; with `order`, there are gaps between them */
} hits_end;

/* Covered samples that wait for their depth test. */
typedef struct hits {
    _Alignas(64) float z[HITS_FULL + HITS_PASS];
    int32_t at[HITS_FULL + HITS_PASS]; /* index in z and id of the visible samples */
    int32_t id[HITS_FULL + HITS_PASS];
#if MRWI_BASE_LANES < 16
    uint16_t order[HITS_FULL + HITS_PASS]; /* indices of covered entries in the above */
#endif
    hits_end end;
} hits;

/* Adds the lanes whose bits are set behind *end, which callers keep in registers. */
#if MRWI_BASE_LANES == 16
LANE_INLINE void hits_add(hits *h, hits_end *end, uint32_t bits, vi at, vf z, vi id)
{
    const __mmask16 covered = _cvtu32_mask16(bits);
    _mm512_storeu_ps(h->z + end->used, _mm512_maskz_compress_ps(covered, (__m512)z));
    _mm512_storeu_epi32(h->at + end->used, _mm512_maskz_compress_epi32(covered, (__m512i)at));
    _mm512_storeu_epi32(h->id + end->used, _mm512_maskz_compress_epi32(covered, (__m512i)id));
    end->used += (uint32_t)__builtin_popcount(bits);
    end->count = end->used;
}

LANE_INLINE uint32_t hits_entry(const hits *h, uint32_t i)
{
    (void)h;
    return i;
}
#else
/* The numbers of the set bits of a nibble, and their count. */
static const uint16_t nibble_bits[16][4] = {
    {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
    {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
static const uint8_t nibble_count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

LANE_INLINE void hits_add(hits *h, hits_end *end, uint32_t bits, vi at, vf z, vi id)
{
    vf_store(h->z + end->used, z);
    vi_store(h->at + end->used, at);
    vi_store(h->id + end->used, id);
    LANE_UNROLL
    for (uint32_t k = 0; k < MRWI_BASE_LANES; k += 4) {
        const uint32_t nibble = bits >> k & 15u;
        uint64_t four;
        memcpy(&four, nibble_bits[nibble], sizeof four);
        four += (end->used + k) * UINT64_C(0x0001000100010001);
        memcpy(h->order + end->count, &four, sizeof four);
        end->count += nibble_count[nibble];
    }
    end->used += MRWI_BASE_LANES;
}

LANE_INLINE uint32_t hits_entry(const hits *h, uint32_t i)
{
    return h->order[i];
}
#endif

static void hits_test(hits *h, const mrwi_raster_visibility *seen)
{
    for (uint32_t i = 0; i < h->end.count; i++) {
        const uint32_t k = hits_entry(h, i);
        const int32_t at = h->at[k];
        if (!seen->id) {
            seen->z[at] = h->z[k] < seen->z[at] ? h->z[k] : seen->z[at];
        } else if (mrwi_raster_wins(h->z[k], h->id[k], seen->z[at], seen->id[at])) {
            seen->z[at] = h->z[k];
            seen->id[at] = h->id[k];
        }
    }
    h->end = (hits_end){0, 0};
}

/* ---- tiny triangles: one per lane ------------------------------------------------------------ */

/* The data of a batch that stay in registers while its lanes step over their boxes. */
typedef struct walk {
    vi a[3], b[3]; /* a pixel to the right, a row down */
    vi e[3];       /* value at the first pixel's centre */
    vf dy;         /* offset of the first pixel's corner from the box's */
    vf z0, zx, zy, z_min, z_max;
    vi height;
    vi at; /* index of the first pixel in the band, sample 0 */
    vi id;
    int32_t columns, rows; /* the largest of all lanes */
} walk;

LANE_INLINE int32_t lanes_max(vi v)
{
#if MRWI_BASE_LANES == 16
    return _mm512_reduce_max_epi32((__m512i)v);
#else
    int32_t lane[MRWI_BASE_LANES], most = 0;
    vi_store(lane, v);
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        most = lane[i] > most ? lane[i] : most;
    }
    return most;
#endif
}

/* Returns a mask of the lanes whose bits are set. */
LANE_INLINE vi lanes_of(uint32_t bits)
{
    vi bit = vi_set(1) << lane_numbers();
    return (vi)((vi_set((int32_t)bits) & bit) != vi_set(0));
}

LANE_INLINE void walk_begin(walk *w, const mrwi_raster_visibility *seen, const batch *t)
{
    const vi tiny = lanes_of(t->size.tiny);
    const vi x0 = vi_load(t->box.x0), y0 = vi_load(t->box.y0);
    LANE_UNROLL
    for (int i = 0; i < 3; i++) {
        /* lanes of larger triangles stay at 0 */
        w->e[i] = vi_load(t->edge.e[i]) & tiny;
        w->a[i] = (vi_load(t->edge.a[i]) & tiny) * MRWI_SHADE_SUBPIXEL;
        w->b[i] = (vi_load(t->edge.b[i]) & tiny) * MRWI_SHADE_SUBPIXEL;
    }
    w->dy = vi_to_float(y0 - vi_load(t->box.top));
    w->z0 = vf_load(t->depth.z0);
    w->zx = vf_load(t->depth.zx);
    w->zy = vf_load(t->depth.zy);
    w->z_min = vf_load(t->depth.z_min);
    w->z_max = vf_load(t->depth.z_max);
    w->height = (vi_load(t->box.y1) - y0) & tiny;
    w->id = vi_load(t->id);
    w->columns = lanes_max((vi_load(t->box.x1) - x0) & tiny);
    w->rows = lanes_max(w->height);
    const int32_t row = (int32_t)(seen->stride * seen->samples);
    w->at = (y0 - seen->y0) * row + x0;
}

/* Tests one sample of each pixel of the boxes. Columns beyond a lane's own box are not covered, or
 * lie in the padding of the row. */
LANE_INLINE void walk_sample(const walk *w, vi e[3], float sx, float sy, vi at, int32_t row,
                             hits *h)
{
    hits_end end = h->end;
    vf dy = w->dy + sy;
    for (int32_t y = 0; y < w->rows; y++) {
        const vmask in_box = vi_is_less(vmask_first(MRWI_BASE_LANES), vi_set(y), w->height);
        const vf row_z = w->z0 + dy * w->zy;
        vf dx = vf_set(sx);
        vi e0 = e[0], e1 = e[1], e2 = e[2], pixel = at;
        for (int32_t x = 0; x < w->columns; x++) {
            const uint32_t covered = vmask_bits(vi_is_natural(in_box, e0 | e1 | e2));
            if (covered != 0) {
                const vf z = vf_min(w->z_max, vf_max(row_z + dx * w->zx, w->z_min));
                hits_add(h, &end, covered, pixel, z, w->id);
            }
            e0 += w->a[0];
            e1 += w->a[1];
            e2 += w->a[2];
            dx += 1.0f;
            pixel += 1;
        }
        e[0] += w->b[0];
        e[1] += w->b[1];
        e[2] += w->b[2];
        dy += 1.0f;
        at += row;
    }
    h->end = end;
}

static void cover_tiny(const mrwi_raster_visibility *seen, const mrwi_shade_sample_pattern *pattern,
                       const batch *t, hits *h)
{
    const int32_t row = (int32_t)(seen->stride * pattern->count);
    walk w;
    walk_begin(&w, seen, t);
    for (uint32_t s = 0; s < pattern->count; s++) {
        vi e[3];
        LANE_UNROLL
        for (int i = 0; i < 3; i++) {
            /* a sixteenth of a pixel: 16 of the 256 sub-pixels of a step */
            e[i] = w.e[i] + (w.a[i] >> 4) * pattern->x[s] + (w.b[i] >> 4) * pattern->y[s];
        }
        walk_sample(&w, e, sample_offset(pattern->x[s]), sample_offset(pattern->y[s]),
                    w.at + (int32_t)(s * seen->stride), row, h);
        if (h->end.used > HITS_FULL) {
            hits_test(h, seen);
        }
    }
}

/* ---- depth test of a row --------------------------------------------------------------------- */

/* The data that the depth test of a triangle's rows needs. */
typedef struct surface {
    vf zx, z_min, z_max;
    vi id;
    bool with_id; /* false: only the smallest depth is wanted */
} surface;

LANE_INLINE surface surface_of(const batch *t, int k, bool with_id)
{
    return (surface){vf_set(t->depth.zx[k]), vf_set(t->depth.z_min[k]), vf_set(t->depth.z_max[k]),
                     vi_set(t->id[k]), with_id};
}

/* Returns the covered lanes where z and the face's id win against the current ones. */
LANE_INLINE vmask wins_against(const surface *f, vf z, vmask covered, const float *z_row,
                               const int32_t *id_row)
{
    const vf old_z = vf_load(z_row);
    const vi old_id = vi_load(id_row);
    const vmask ties = vi_is_less(vf_is_equal(covered, z, old_z), f->id, old_id);
    return vmask_or(vf_is_less(covered, z, old_z), ties);
}

/* Tests the covered pixels from z and id on. Their depth is that of the row plus the part of x.
 * Storing where nothing wins is cheaper than checking, except in the middle of long spans. */
LANE_INLINE void test_pixels(const surface *f, vf row_z, vf of_x, vmask covered, bool always,
                             float *z_row, int32_t *id_row)
{
    const vf z = vf_min(f->z_max, vf_max(row_z + of_x, f->z_min));
    const vf old_z = vf_load(z_row);
    if (!f->with_id) {
        vf_store_less(covered, z_row, z, old_z);
        return;
    }
    const vi old_id = vi_load(id_row);
    const vmask wins = wins_against(f, z, covered, z_row, id_row);
    if (always || vmask_any(wins)) {
        vf_store_where(wins, z_row, z, old_z);
        vi_store_where(wins, id_row, f->id, old_id);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The most chunks of MRWI_BASE_LANES pixels side by side in a row. */
#define ROWS_CHUNKS ((ROWS_WIDTH + MRWI_BASE_LANES - 1) / MRWI_BASE_LANES)

/* Covers one sample of the rows of triangle k. chunks is a constant: the steps of a row are
 * unrolled, and values that all rows share, also the part of x in the depth, stay in registers. */
LANE_INLINE void cover_sample_rows(const mrwi_raster_visibility *seen,
                                   const mrwi_shade_sample_pattern *pattern, const batch *t, int k,
                                   uint32_t s, int chunks, bool with_id)
{
    const int32_t y0 = t->box.y0[k], y1 = t->box.y1[k];
    const size_t first = mrwi_raster_sample_index(seen, y0, s) + (size_t)t->box.x0[k];
    const size_t row = seen->stride * pattern->count;
    const surface f = surface_of(t, k, with_id);
    const vf dx = vi_to_float(lane_numbers()) + sample_offset(pattern->x[s]);
    vf dy = vi_to_float(lane_numbers() + (y0 - t->box.top[k])) + sample_offset(pattern->y[s]);
    float *z_row = seen->z + first;
    int32_t *id_row = with_id ? seen->id + first : NULL;
    vi e[3], right[3], down[3];
    vf of_x[ROWS_CHUNKS];
    LANE_UNROLL
    for (int c = 0; c < chunks; c++) {
        of_x[c] = (dx + (float)(c * MRWI_BASE_LANES)) * f.zx;
    }
    LANE_UNROLL
    for (int i = 0; i < 3; i++) {
        const int32_t a = t->edge.a[i][k], b = t->edge.b[i][k];
        right[i] = vi_set(a * MRWI_SHADE_SUBPIXEL * MRWI_BASE_LANES);
        down[i] = vi_set(b * MRWI_SHADE_SUBPIXEL);
        e[i] = vi_set(t->edge.e[i][k] + (a * pattern->x[s] + b * pattern->y[s]) * 16) +
               vi_set(a * MRWI_SHADE_SUBPIXEL) * lane_numbers();
    }
    for (int32_t y = y0; y < y1; y += MRWI_BASE_LANES) {
        const int32_t rows = y1 - y < MRWI_BASE_LANES ? y1 - y : MRWI_BASE_LANES;
        float row_z[MRWI_BASE_LANES];
        vf_store(row_z, t->depth.z0[k] + dy * t->depth.zy[k]);
        for (int32_t j = 0; j < rows; j++) {
            vi e0 = e[0], e1 = e[1], e2 = e[2];
            LANE_UNROLL
            for (int c = 0; c < chunks; c++) {
                const vmask covered = vi_is_natural(vmask_first(MRWI_BASE_LANES), e0 | e1 | e2);
                test_pixels(&f, vf_set(row_z[j]), of_x[c], covered, true,
                            z_row + c * MRWI_BASE_LANES,
                            with_id ? id_row + c * MRWI_BASE_LANES : NULL);
                e0 += right[0];
                e1 += right[1];
                e2 += right[2];
            }
            LANE_UNROLL
            for (int i = 0; i < 3; i++) {
                e[i] += down[i];
            }
            z_row += row;
            id_row = with_id ? id_row + row : NULL;
        }
        dy += (float)MRWI_BASE_LANES;
    }
}

/* Up to six chunks, three go as four and five as six: pixels beyond the box are not covered, or lie
 * in the padding of the row. */
LANE_INLINE void cover_chunks(const mrwi_raster_visibility *seen,
                              const mrwi_shade_sample_pattern *pattern, const batch *t, int k,
                              uint32_t s, bool with_id)
{
    const int32_t width = t->box.x1[k] - t->box.x0[k];
    if (width <= MRWI_BASE_LANES) {
        cover_sample_rows(seen, pattern, t, k, s, 1, with_id);
    } else if (ROWS_CHUNKS == 2 || width <= 2 * MRWI_BASE_LANES) {
        cover_sample_rows(seen, pattern, t, k, s, 2, with_id);
    } else if (ROWS_CHUNKS > 4 && width <= 4 * MRWI_BASE_LANES) {
        cover_sample_rows(seen, pattern, t, k, s, 4, with_id);
    } else {
        cover_sample_rows(seen, pattern, t, k, s, ROWS_CHUNKS, with_id);
    }
}

static void cover_rows(const mrwi_raster_visibility *seen, const mrwi_shade_sample_pattern *pattern,
                       const batch *t, int k)
{
    for (uint32_t s = 0; s < pattern->count; s++) {
        if (seen->id) {
            cover_chunks(seen, pattern, t, k, s, true);
        } else {
            cover_chunks(seen, pattern, t, k, s, false);
        }
    }
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* The crossing of an edge with MRWI_BASE_LANES rows: E at pixel x0 of each, in doubles, which hold
 * it exactly (|E| < 2^48). */
typedef struct crossing {
    vd low, high;
    double step;    /* change of E from one set of rows to the next */
    double divisor; /* change of E to the next pixel, without sign */
    bool left;      /* the inside is to the right of the edge */
} crossing;

LANE_INLINE crossing crossing_begin(const batch *t, int k, int i, int sx, int sy)
{
    const int32_t dx =
        t->box.x0[k] * MRWI_SHADE_SUBPIXEL + MRWI_SHADE_SUBPIXEL / 2 + sx * 16 - t->edge.x[i][k];
    const int32_t dy =
        t->box.y0[k] * MRWI_SHADE_SUBPIXEL + MRWI_SHADE_SUBPIXEL / 2 + sy * 16 - t->edge.y[i][k];
    const int32_t a = t->edge.a[i][k];
    const double start = (double)a * dx + (double)t->edge.b[i][k] * dy + t->edge.bias[i][k];
    const double down = (double)t->edge.b[i][k] * MRWI_SHADE_SUBPIXEL;
    const vf lane = vi_to_float(lane_numbers());
    crossing c;
    c.low = vd_low(lane) * down + start;
    c.high = vd_high(lane) * down + start;
    c.step = down * MRWI_BASE_LANES;
    /* horizontal edges keep a row or, by a quotient of -FLOOR_LIMIT or less, drop it whole */
    c.divisor = a == 0 ? 1.0 / FLOOR_LIMIT : MRWI_SHADE_SUBPIXEL * (a < 0 ? -(double)a : (double)a);
    c.left = a >= 0;
    return c;
}

/* Cuts the rows' spans to the inside, and goes on to the next rows. The floor of a correctly
 * rounded quotient of integers is exact below 2^52. */
LANE_INLINE void crossing_cut(crossing *c, vi x0, vi *lo, vi *hi)
{
    const vi pixels = vd_floor_join(c->low / c->divisor, c->high / c->divisor);
    if (c->left) {
        *lo = vi_max(*lo, x0 - pixels);
    } else {
        *hi = vi_min(*hi, x0 + pixels + 1);
    }
    c->low += c->step;
    c->high += c->step;
}

/* Covers the next count pixels of a row. dx: distance of the first one from the corner of the box.
 */
LANE_INLINE void cover_span(const surface *f, float z, float dx, int32_t count, float *z_row,
                            int32_t *id_row)
{
    const vf row_z = vf_set(z);
    vf from_box = vi_to_float(lane_numbers()) + dx;
    for (; count > MRWI_BASE_LANES; count -= MRWI_BASE_LANES) {
        test_pixels(f, row_z, from_box * f->zx, vmask_first(MRWI_BASE_LANES), false, z_row, id_row);
        from_box += (float)MRWI_BASE_LANES;
        z_row += MRWI_BASE_LANES;
        id_row = id_row ? id_row + MRWI_BASE_LANES : NULL;
    }
    test_pixels(f, row_z, from_box * f->zx, vmask_first(count), true, z_row, id_row);
}

static void cover_spans(const mrwi_raster_visibility *seen,
                        const mrwi_shade_sample_pattern *pattern, const batch *t, int k)
{
    const surface f = surface_of(t, k, seen->id);
    const int32_t x0 = t->box.x0[k], y0 = t->box.y0[k], y1 = t->box.y1[k];
    const size_t row = seen->stride * pattern->count;
    for (uint32_t s = 0; s < pattern->count; s++) {
        const float sx = sample_offset(pattern->x[s]), sy = sample_offset(pattern->y[s]);
        size_t at = mrwi_raster_sample_index(seen, y0, s);
        crossing edge[3];
        for (int i = 0; i < 3; i++) {
            edge[i] = crossing_begin(t, k, i, pattern->x[s], pattern->y[s]);
        }
        for (int32_t y = y0; y < y1; y += MRWI_BASE_LANES) {
            vi lo = vi_set(x0), hi = vi_set(t->box.x1[k]);
            for (int i = 0; i < 3; i++) {
                crossing_cut(&edge[i], vi_set(x0), &lo, &hi);
            }
            const vf dy = vi_to_float(lane_numbers() + (y - t->box.top[k])) + sy;
            float row_z[MRWI_BASE_LANES];
            int32_t from[MRWI_BASE_LANES], to[MRWI_BASE_LANES];
            vf_store(row_z, t->depth.z0[k] + dy * t->depth.zy[k]);
            vi_store(from, lo);
            vi_store(to, hi);
            const uint32_t inside =
                (1u << (y1 - y < MRWI_BASE_LANES ? y1 - y : MRWI_BASE_LANES)) - 1u;
            uint32_t left = mask_bits(vi_less(lo, hi)) & inside;
            for (; left != 0; left &= left - 1) {
                const int i = __builtin_ctz(left);
                const size_t first = at + (size_t)i * row + (size_t)from[i];
                cover_span(&f, row_z[i], (float)(from[i] - x0) + sx, to[i] - from[i],
                           seen->z + first, seen->id ? seen->id + first : NULL);
            }
            at += MRWI_BASE_LANES * row;
        }
    }
}

/* ---- all of a bin ---------------------------------------------------------------------------- */

static void cover_batch(const mrwi_raster_geometry *geometry, const mrwi_raster_visibility *seen,
                        const int32_t *id, uint32_t lanes, hits *h)
{
    const mrwi_shade_sample_pattern *pattern = geometry->view.pattern;
    batch t;
    set_up(geometry, seen, id, lanes, &t);
    uint32_t others = (1u << lanes) - 1u;
    if ((uint32_t)__builtin_popcount(t.size.tiny) >= TINY_MIN) {
        cover_tiny(seen, pattern, &t, h);
        others &= ~t.size.tiny;
    }
    for (; others != 0; others &= others - 1) {
        const int k = __builtin_ctz(others);
        if ((t.size.small >> k & 1u) != 0 && t.box.x1[k] - t.box.x0[k] <= ROWS_WIDTH) {
            cover_rows(seen, pattern, &t, k);
        } else {
            cover_spans(seen, pattern, &t, k);
        }
    }
}

static void cover(const mrwi_raster_geometry *geometry, const mrwi_raster_visibility *seen,
                  const uint32_t *ids, uint32_t count)
{
    hits h;
    h.end = (hits_end){0, 0};
    uint32_t first = 0;
    for (; first + MRWI_BASE_LANES <= count; first += MRWI_BASE_LANES) {
        cover_batch(geometry, seen, (const int32_t *)ids + first, MRWI_BASE_LANES, &h);
    }
    if (first < count) {
        int32_t last[MRWI_BASE_LANES]; /* repeated for all lanes */
        for (uint32_t i = 0; i < MRWI_BASE_LANES; i++) {
            last[i] = (int32_t)ids[first + i < count ? first + i : count - 1];
        }
        cover_batch(geometry, seen, last, count - first, &h);
    }
    hits_test(&h, seen);
}

/* ---- farthest depths ------------------------------------------------------------------------- */

static void farthest(const float *z, size_t stride, size_t rows, int32_t columns, float *out)
{
    for (int32_t i = 0; i < columns; i++, z += MRWI_RASTER_BLOCK_WIDTH) {
        vf most[MRWI_RASTER_BLOCK_WIDTH / MRWI_BASE_LANES];
        LANE_UNROLL
        for (int k = 0; k < MRWI_RASTER_BLOCK_WIDTH / MRWI_BASE_LANES; k++) {
            most[k] = vf_load(z + k * MRWI_BASE_LANES);
        }
        for (size_t y = 1; y < rows; y++) {
            LANE_UNROLL
            for (int k = 0; k < MRWI_RASTER_BLOCK_WIDTH / MRWI_BASE_LANES; k++) {
                most[k] = vf_max(most[k], vf_load(z + y * stride + k * MRWI_BASE_LANES));
            }
        }
        float lane[MRWI_RASTER_BLOCK_WIDTH];
        LANE_UNROLL
        for (int k = 0; k < MRWI_RASTER_BLOCK_WIDTH / MRWI_BASE_LANES; k++) {
            vf_store(lane + k * MRWI_BASE_LANES, most[k]);
        }
        out[i] = lane[0];
        for (int k = 1; k < MRWI_RASTER_BLOCK_WIDTH; k++) {
            out[i] = lane[k] > out[i] ? lane[k] : out[i];
        }
    }
}

#include "raster/cover_fragments.h"

const mrwi_raster_cover_kernels MRWI_RASTER_COVER_KERNELS = {cover, farthest, collect};
