/* cover_kernel.h: coverage and depth test of opaque triangles, MRWI_LANES at a time; compiled once
 * an ISA (cover_sse2.c ...). Which samples are covered and at what depth is the same everywhere
 * (coverage.c is the specification), and so is the winner of a sample, the smallest (depth, id):
 * what differs is the order in which samples are met.
 *
 * Triangles are set up a batch at a time and go one of three ways:
 *   tiny    a triangle a lane, all lanes step over the positions of their boxes together; what is
 *           covered goes on a list, which is depth-tested one sample after another
 *   rows    one triangle; a few pixels of a row a lane, edge values in 32 bits
 *   spans   one triangle; first a row a lane: where its span begins and ends, then its pixels
 */
#include "raster/cover.h"

/* Longest side of the box of a tiny triangle, and how many of a batch must be for that way. */
#define TINY     8
#define TINY_MIN (MRWI_LANES / 4)

/* Widest box that goes by rows. */
#define ROWS_WIDTH (MRWI_LANES > 8 ? MRWI_LANES : 16)

#include "raster/cover_setup.h"

/* Offset of a sample from the corner of its pixel, in pixels. */
static inline float sample_offset(int8_t sixteenths)
{
    return (float)sixteenths * 0.0625f + 0.5f;
}

/* ---- lists of samples ------------------------------------------------------------------------ */

/* Room for the most that one sample of a batch of tiny triangles may add. */
#define HITS_PASS (TINY * TINY * MRWI_LANES)
#define HITS_FULL 1024

/* Covered samples that are still to be depth-tested. */
typedef struct hits {
    _Alignas(64) float z[HITS_FULL + HITS_PASS];
    int32_t at[HITS_FULL + HITS_PASS]; /* into the band's z and id */
    int32_t id[HITS_FULL + HITS_PASS];
#if MRWI_LANES < 16
    uint16_t order[HITS_FULL + HITS_PASS]; /* which entries above are covered */
    uint32_t used;                         /* entries above, covered or not */
#endif
    uint32_t count;
} hits;

#if MRWI_LANES == 16
LANE_INLINE void hits_add(hits *h, vmask covered, uint32_t bits, vi at, vf z, vi id)
{
    _mm512_storeu_ps(h->z + h->count, _mm512_maskz_compress_ps(covered, (__m512)z));
    _mm512_storeu_epi32(h->at + h->count, _mm512_maskz_compress_epi32(covered, (__m512i)at));
    _mm512_storeu_epi32(h->id + h->count, _mm512_maskz_compress_epi32(covered, (__m512i)id));
    h->count += (uint32_t)__builtin_popcount(bits);
}

LANE_INLINE uint32_t hits_entry(const hits *h, uint32_t i)
{
    (void)h;
    return i;
}
#else
/* The numbers of the bits of a nibble, and how many there are. */
static const uint16_t nibble_bits[16][4] = {
    {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
    {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
static const uint8_t nibble_count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

LANE_INLINE void hits_add(hits *h, vmask covered, uint32_t bits, vi at, vf z, vi id)
{
    (void)covered;
    vf_store(h->z + h->used, z);
    vi_store(h->at + h->used, at);
    vi_store(h->id + h->used, id);
    for (uint32_t k = 0; k < MRWI_LANES; k += 4) {
        const uint32_t nibble = bits >> k & 15u;
        uint64_t four;
        memcpy(&four, nibble_bits[nibble], sizeof four);
        four += (h->used + k) * UINT64_C(0x0001000100010001);
        memcpy(h->order + h->count, &four, sizeof four);
        h->count += nibble_count[nibble];
    }
    h->used += MRWI_LANES;
}

LANE_INLINE uint32_t hits_entry(const hits *h, uint32_t i)
{
    return h->order[i];
}
#endif

static void hits_clear(hits *h)
{
    h->count = 0;
#if MRWI_LANES < 16
    h->used = 0;
#endif
}

static void hits_test(hits *h, mrwi_band *band)
{
    for (uint32_t i = 0; i < h->count; i++) {
        const uint32_t k = hits_entry(h, i);
        const int32_t at = h->at[k];
        if (mrwi_wins(h->z[k], h->id[k], band->z[at], band->id[at])) {
            band->z[at] = h->z[k];
            band->id[at] = h->id[k];
        }
    }
    hits_clear(h);
}

static bool hits_full(const hits *h)
{
#if MRWI_LANES < 16
    return h->used > HITS_FULL;
#else
    return h->count > HITS_FULL;
#endif
}

/* ---- tiny triangles: one a lane -------------------------------------------------------------- */

/* What of a batch stays in registers while its lanes step over their boxes. */
typedef struct walk {
    vi a[3], b[3]; /* a pixel to the right, a row down */
    vi e[3];       /* at the first pixel's centre */
    vf dy;         /* of the first pixel's corner from the box's */
    vf z0, zx, zy, z_min, z_max;
    vi height;
    vi at; /* the first pixel's place in the band, sample 0 */
    vi id;
    int32_t columns, rows; /* the most any lane has */
} walk;

LANE_INLINE int32_t lanes_max(vi v)
{
    int32_t lane[MRWI_LANES], most = 0;
    vi_store(lane, v);
    for (int i = 0; i < MRWI_LANES; i++) {
        most = lane[i] > most ? lane[i] : most;
    }
    return most;
}

/* The lanes whose bits are set. */
LANE_INLINE vi lanes_of(uint32_t bits)
{
    vi bit = vi_set(1) << vi_numbers();
    return (vi)((vi_set((int32_t)bits) & bit) != vi_set(0));
}

LANE_INLINE void walk_begin(walk *w, const mrwi_band *band, const batch *t)
{
    const vi tiny = lanes_of(t->tiny);
    const vi x0 = vi_load(t->x0), y0 = vi_load(t->y0);
    LANE_UNROLL
    for (int i = 0; i < 3; i++) {
        /* lanes of larger triangles stand still at 0 */
        const vi a = vi_load(t->a[i]) & tiny, b = vi_load(t->b[i]) & tiny;
        const vi dx = (x0 * MRWI_SUBPIXEL + MRWI_SUBPIXEL / 2 - vi_load(t->x[i])) & tiny;
        const vi dy = (y0 * MRWI_SUBPIXEL + MRWI_SUBPIXEL / 2 - vi_load(t->y[i])) & tiny;
        w->e[i] = a * dx + b * dy + vi_load(t->bias[i]);
        w->a[i] = a * MRWI_SUBPIXEL;
        w->b[i] = b * MRWI_SUBPIXEL;
    }
    w->dy = vi_to_float(y0 - vi_load(t->box_y0));
    w->z0 = vf_load(t->z0);
    w->zx = vf_load(t->zx);
    w->zy = vf_load(t->zy);
    w->z_min = vf_load(t->z_min);
    w->z_max = vf_load(t->z_max);
    w->height = (vi_load(t->y1) - y0) & tiny;
    w->id = vi_load(t->id);
    w->columns = lanes_max((vi_load(t->x1) - x0) & tiny);
    w->rows = lanes_max(w->height);
    const int32_t row = (int32_t)(band->stride * band->frame->job->samples);
    w->at = (y0 - band->box.y0) * row + x0;
}

/* One sample of each pixel of the boxes. Columns beyond a lane's own box are not covered, or lie in
 * the padding of the row. */
LANE_INLINE void walk_sample(const walk *w, vi e[3], float dx, float dy, vi at, int32_t row,
                             hits *h)
{
    for (int32_t y = 0; y < w->rows; y++) {
        const vmask in_box = vi_is_less(vi_set(y), w->height);
        const vf row_z = w->z0 + (w->dy + ((float)y + dy)) * w->zy;
        vi e0 = e[0], e1 = e[1], e2 = e[2];
        for (int32_t x = 0; x < w->columns; x++) {
            const vmask covered = vmask_and(vi_is_natural(e0 | e1 | e2), in_box);
            const uint32_t bits = vmask_bits(covered);
            if (bits != 0) {
                vf z = row_z + ((float)x + dx) * w->zx;
                z = vf_min(w->z_max, vf_max(w->z_min, z));
                hits_add(h, covered, bits, at + x, z, w->id);
            }
            e0 += w->a[0];
            e1 += w->a[1];
            e2 += w->a[2];
        }
        e[0] += w->b[0];
        e[1] += w->b[1];
        e[2] += w->b[2];
        at += row;
    }
}

static void cover_tiny(mrwi_band *band, const batch *t, hits *h)
{
    const mrwi_sample_pattern *pattern = band->frame->geometry->pattern;
    const int32_t row = (int32_t)(band->stride * pattern->count);
    walk w;
    walk_begin(&w, band, t);
    for (uint32_t s = 0; s < pattern->count; s++) {
        vi e[3];
        LANE_UNROLL
        for (int i = 0; i < 3; i++) {
            /* a sixteenth of a pixel: 16 of the 256 sub-pixels of a step */
            e[i] = w.e[i] + (w.a[i] >> 4) * pattern->x[s] + (w.b[i] >> 4) * pattern->y[s];
        }
        walk_sample(&w, e, sample_offset(pattern->x[s]), sample_offset(pattern->y[s]),
                    w.at + (int32_t)(s * band->stride), row, h);
        if (hits_full(h)) {
            hits_test(h, band);
        }
    }
}

/* ---- depth test of a row --------------------------------------------------------------------- */

/* One triangle: what the depth test of its rows needs. */
typedef struct surface {
    vf zx, z_min, z_max;
    vi id;
} surface;

LANE_INLINE surface surface_of(const batch *t, int k)
{
    return (surface){vf_set(t->zx[k]), vf_set(t->z_min[k]), vf_set(t->z_max[k]), vi_set(t->id[k])};
}

/* Tests the pixels of z and id on where covered. dx: their distance from the corner of the box. */
LANE_INLINE void test_pixels(const surface *f, vf row_z, vf dx, vmask covered, float *z_row,
                             int32_t *id_row)
{
    const vf z = vf_min(f->z_max, vf_max(f->z_min, row_z + dx * f->zx));
    const vf old_z = vf_load(z_row);
    const vi old_id = vi_load(id_row);
    const vmask before = vmask_and(vf_is_equal(z, old_z), vi_is_less(f->id, old_id));
    const vmask wins = vmask_and(covered, vmask_or(vf_is_less(z, old_z), before));
    if (vmask_any(wins)) {
        vf_store_where(wins, z_row, z, old_z);
        vi_store_where(wins, id_row, f->id, old_id);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* E of edge i of triangle k at a sample of pixel (x, y), for small triangles. */
LANE_INLINE int32_t edge_start(const batch *t, int k, int i, int32_t x, int32_t y, int sx, int sy)
{
    const int32_t dx = x * MRWI_SUBPIXEL + MRWI_SUBPIXEL / 2 + sx * 16 - t->x[i][k];
    const int32_t dy = y * MRWI_SUBPIXEL + MRWI_SUBPIXEL / 2 + sy * 16 - t->y[i][k];
    return t->a[i][k] * dx + t->b[i][k] * dy + t->bias[i][k];
}

static void cover_rows(mrwi_band *band, const batch *t, int k)
{
    const mrwi_sample_pattern *pattern = band->frame->geometry->pattern;
    const surface f = surface_of(t, k);
    const int32_t x0 = t->x0[k], x1 = t->x1[k], y0 = t->y0[k], y1 = t->y1[k];
    const size_t row = band->stride * pattern->count;
    vi across[3], chunk[3], down[3];
    LANE_UNROLL
    for (int i = 0; i < 3; i++) {
        across[i] = vi_set(t->a[i][k] * MRWI_SUBPIXEL) * vi_numbers();
        chunk[i] = vi_set(t->a[i][k] * MRWI_SUBPIXEL * MRWI_LANES);
        down[i] = vi_set(t->b[i][k] * MRWI_SUBPIXEL);
    }
    for (uint32_t s = 0; s < pattern->count; s++) {
        const int sx = pattern->x[s], sy = pattern->y[s];
        const size_t first = mrwi_sample_index(band, y0, s) + (size_t)x0;
        const vf dx0 = vi_to_float(vi_numbers()) + sample_offset(pattern->x[s]);
        vf dy = vf_set((float)(y0 - t->box_y0[k]) + sample_offset(pattern->y[s]));
        vi e[3];
        LANE_UNROLL
        for (int i = 0; i < 3; i++) {
            e[i] = vi_set(edge_start(t, k, i, x0, y0, sx, sy)) + across[i];
        }
        float *z_row = band->z + first;
        int32_t *id_row = band->id + first;
        for (int32_t y = y0; y < y1; y++) {
            const vf row_z = t->z0[k] + dy * t->zy[k];
            vi e0 = e[0], e1 = e[1], e2 = e[2];
            vf dx = dx0;
            for (int32_t x = 0; x < x1 - x0; x += MRWI_LANES) {
                const vmask covered = vi_is_natural(e0 | e1 | e2);
                if (vmask_any(covered)) {
                    test_pixels(&f, row_z, dx, covered, z_row + x, id_row + x);
                }
                e0 += chunk[0];
                e1 += chunk[1];
                e2 += chunk[2];
                dx += (float)MRWI_LANES;
            }
            LANE_UNROLL
            for (int i = 0; i < 3; i++) {
                e[i] += down[i];
            }
            dy += 1.0f;
            z_row += row;
            id_row += row;
        }
    }
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* Where an edge crosses MRWI_LANES rows: E at pixel x0 of each, in doubles, which hold it exactly
 * (|E| < 2^48). */
typedef struct crossing {
    vd low, high;
    double step;    /* E of so many rows further down */
    double divisor; /* E of a pixel to the right, without sign */
    bool left;      /* the inside is to the right of it */
} crossing;

LANE_INLINE crossing crossing_begin(const batch *t, int k, int i, int sx, int sy)
{
    const int32_t dx = t->x0[k] * MRWI_SUBPIXEL + MRWI_SUBPIXEL / 2 + sx * 16 - t->x[i][k];
    const int32_t dy = t->y0[k] * MRWI_SUBPIXEL + MRWI_SUBPIXEL / 2 + sy * 16 - t->y[i][k];
    const int32_t a = t->a[i][k];
    const double start = (double)a * dx + (double)t->b[i][k] * dy + t->bias[i][k];
    const double down = (double)t->b[i][k] * MRWI_SUBPIXEL;
    const vf lane = vi_to_float(vi_numbers());
    crossing c;
    c.low = vd_low(lane) * down + start;
    c.high = vd_high(lane) * down + start;
    c.step = down * MRWI_LANES;
    /* horizontal ones keep a row or, by a quotient of -FLOOR_LIMIT or less, drop it whole */
    c.divisor = a == 0 ? 1.0 / FLOOR_LIMIT : MRWI_SUBPIXEL * (a < 0 ? -(double)a : (double)a);
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

LANE_INLINE void cover_span(const surface *f, float row_z, float dx, int32_t count, float *z_row,
                            int32_t *id_row)
{
    vf from_box = vi_to_float(vi_numbers()) + dx;
    for (int32_t x = 0; x < count; x += MRWI_LANES) {
        const vmask covered = vi_is_less(vi_numbers(), vi_set(count - x));
        test_pixels(f, vf_set(row_z), from_box, covered, z_row + x, id_row + x);
        from_box += (float)MRWI_LANES;
    }
}

static void cover_spans(mrwi_band *band, const batch *t, int k)
{
    const mrwi_sample_pattern *pattern = band->frame->geometry->pattern;
    const surface f = surface_of(t, k);
    const int32_t x0 = t->x0[k], y0 = t->y0[k], y1 = t->y1[k];
    const size_t row = band->stride * pattern->count;
    for (uint32_t s = 0; s < pattern->count; s++) {
        const float sx = sample_offset(pattern->x[s]), sy = sample_offset(pattern->y[s]);
        size_t at = mrwi_sample_index(band, y0, s);
        crossing edge[3];
        for (int i = 0; i < 3; i++) {
            edge[i] = crossing_begin(t, k, i, pattern->x[s], pattern->y[s]);
        }
        for (int32_t y = y0; y < y1; y += MRWI_LANES) {
            vi lo = vi_set(x0), hi = vi_set(t->x1[k]);
            for (int i = 0; i < 3; i++) {
                crossing_cut(&edge[i], vi_set(x0), &lo, &hi);
            }
            const vf dy = vi_to_float(vi_numbers() + (y - t->box_y0[k])) + sy;
            float row_z[MRWI_LANES];
            int32_t from[MRWI_LANES], to[MRWI_LANES];
            vf_store(row_z, t->z0[k] + dy * t->zy[k]);
            vi_store(from, lo);
            vi_store(to, hi);
            for (int i = 0; i < MRWI_LANES && y + i < y1; i++, at += row) {
                if (from[i] < to[i]) {
                    const size_t first = at + (size_t)from[i];
                    cover_span(&f, row_z[i], (float)(from[i] - x0) + sx, to[i] - from[i],
                               band->z + first, band->id + first);
                }
            }
        }
    }
}

/* ---- all of a bin ---------------------------------------------------------------------------- */

void MRWI_COVER(mrwi_band *band, const uint32_t *ids, uint32_t count)
{
    hits h;
    hits_clear(&h);
    for (uint32_t first = 0; first < count; first += MRWI_LANES) {
        batch t;
        const uint32_t left = count - first;
        const uint32_t lanes = left < MRWI_LANES ? left : MRWI_LANES;
        set_up(band, ids + first, lanes, &t);
        uint32_t others = (1u << lanes) - 1u;
        if ((uint32_t)__builtin_popcount(t.tiny) >= TINY_MIN) {
            cover_tiny(band, &t, &h);
            others &= ~t.tiny;
        }
        for (; others != 0; others &= others - 1) {
            const int k = __builtin_ctz(others);
            if ((t.small >> k & 1u) != 0 && t.x1[k] - t.x0[k] <= ROWS_WIDTH) {
                cover_rows(band, &t, k);
            } else {
                cover_spans(band, &t, k);
            }
        }
    }
    hits_test(&h, band);
}
