/* differences.c: which pixels differ, and by how much.
 *
 * Equal rows cost one memcmp. In others what lies between the first and the last byte that differs
 * is widened to four bytes a pixel and subtracted 16 bytes at a time. All results are integers, so
 * the order in which rows are taken does not matter.
 */
#include "compare/pair.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/f4.h"
#include "base/text.h"

#define BAND 64 /* rows a thread takes at a time */

typedef uint8_t bytes16 __attribute__((vector_size(16)));

typedef struct work {
    const mrwi_compare_pair *pair;
    bool sums;
    mrwi_compare_span *spans;
    mrwi_compare_differences *bands; /* one a band */
    uint32_t *rows;                  /* two widened rows a worker */
    size_t row_size;                 /* pixels */
} work;

static const uint8_t *row_of(const mrw_image *image, uint32_t y)
{
    return image->pixels + (size_t)y * image->width * image->channels;
}

/* The pixels between the first and the last byte that differs. */
static mrwi_compare_span differing_bytes(const uint8_t *a, const uint8_t *b, uint32_t width,
                                         uint32_t channels)
{
    size_t first = 0, end = (size_t)width * channels;
    if (memcmp(a, b, end) == 0) {
        return (mrwi_compare_span){0, 0};
    }
    while (end - first >= 16 && memcmp(a + first, b + first, 16) == 0) {
        first += 16;
    }
    while (a[first] == b[first]) {
        first++;
    }
    while (end - first >= 16 && memcmp(a + end - 16, b + end - 16, 16) == 0) {
        end -= 16;
    }
    while (a[end - 1] == b[end - 1]) {
        end--;
    }
    return (mrwi_compare_span){(uint32_t)(first / channels), (uint32_t)((end - 1) / channels + 1)};
}

static void widen(const mrw_image *image, uint32_t y, mrwi_compare_span span, uint32_t *out)
{
    const uint8_t *from = row_of(image, y) + (size_t)span.first * image->channels;
    uint32_t count = span.end - span.first;
    if (image->channels == 4) {
        memcpy(out, from, (size_t)count * 4);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value;
            memcpy(&value, from + (size_t)3 * i, 4);
            out[i] = value | 0xFF000000u;
        }
    }
    for (uint32_t i = count; i % 4 != 0; i++) {
        out[i] = 0;
    }
}

static void mask_out(const mrwi_compare_pair *pair, uint32_t y, mrwi_compare_span span,
                     const uint32_t *expected, uint32_t *actual)
{
    for (uint32_t x = span.first; x < span.end; x++) {
        if (mrwi_compare_masked(pair, x, y)) {
            actual[x - span.first] = expected[x - span.first];
        }
    }
}

/* Turns rows into their difference, in place of a; returns how many pixels count. */
static uint32_t subtract(uint32_t *a, const uint32_t *b, uint32_t count, uint32_t max_delta,
                         uint32_t largest[4])
{
    uint8_t limit = (uint8_t)(max_delta < 255 ? max_delta : 255);
    bytes16 limits, most = {0};
    memset(&limits, limit, sizeof limits);
    mrwi_base_i4 over = {0};
    for (uint32_t i = 0; i < count; i += 4) {
        bytes16 p, q;
        memcpy(&p, a + i, sizeof p);
        memcpy(&q, b + i, sizeof q);
        bytes16 above = (bytes16)(p > q);
        bytes16 delta = ((p - q) & above) | ((q - p) & ~above);
        memcpy(a + i, &delta, sizeof delta);
        bytes16 more = (bytes16)(delta > most);
        most = (delta & more) | (most & ~more);
        over -= (mrwi_base_i4)((mrwi_base_i4)(delta > limits) != mrwi_base_i4_set(0));
    }
    for (int i = 0; i < 16; i++) {
        largest[i % 4] = most[i] > largest[i % 4] ? most[i] : largest[i % 4];
    }
    return (uint32_t)((over[0] + over[1]) + (over[2] + over[3]));
}

static void add_sums(const mrwi_compare_pair *pair, uint32_t y, mrwi_compare_span span,
                     const uint32_t *delta, mrwi_compare_differences *out)
{
    for (uint32_t x = span.first; x < span.end; x++) {
        uint32_t d = delta[x - span.first], sum = 0, squares = 0;
        for (int c = 0; c < 4; c++) {
            sum += mrwi_compare_channel(d, c);
            squares += mrwi_compare_channel(d, c) * mrwi_compare_channel(d, c);
        }
        int region = mrwi_compare_region_of(pair, x, y);
        out->sum[region] += sum;
        out->squares[region] += squares;
    }
}

static void add_span(mrwi_compare_differences *out, uint32_t y, mrwi_compare_span span)
{
    if (out->bottom == 0) {
        out->top = y;
        out->left = span.first;
    }
    out->left = span.first < out->left ? span.first : out->left;
    out->right = span.end > out->right ? span.end : out->right;
    out->bottom = y + 1;
}

static mrwi_compare_span compare_row(const work *w, uint32_t y, uint32_t *rows,
                                     mrwi_compare_differences *out)
{
    const mrwi_compare_pair *pair = w->pair;
    const mrw_image *expected = pair->expected, *actual = pair->actual;
    mrwi_compare_span span = {0, pair->width};
    if (expected->channels == actual->channels) {
        span = differing_bytes(row_of(expected, y), row_of(actual, y), pair->width,
                               expected->channels);
    }
    if (span.first == span.end) {
        return span;
    }
    uint32_t *delta = rows, *other = rows + w->row_size, count = span.end - span.first;
    widen(expected, y, span, other);
    widen(actual, y, span, delta);
    if (pair->mask) {
        mask_out(pair, y, span, other, delta);
    }
    uint32_t over = subtract(delta, other, count, pair->max_delta, out->largest);
    while (span.end > span.first && delta[count - 1] == 0) {
        span.end--;
        count--;
    }
    while (span.end > span.first && delta[0] == 0) {
        span.first++;
        delta++;
    }
    if (span.first == span.end) {
        return (mrwi_compare_span){0, 0};
    }
    out->differing += over;
    if (w->sums) {
        add_sums(pair, y, span, delta, out);
    }
    add_span(out, y, span);
    return span;
}

/* Marks the pixels that count in a block of a row. */
static bool mark_block(const mrwi_compare_pair *pair, uint32_t x, uint32_t y,
                       mrwi_compare_span span, bool *marks)
{
    const uint32_t left = span.first > x ? span.first : x;
    const uint32_t end =
        span.end < x + MRWI_COMPARE_EDGE_BLOCK ? span.end : x + MRWI_COMPARE_EDGE_BLOCK;
    bool any = false;
    memset(marks, 0, MRWI_COMPARE_EDGE_BLOCK * sizeof *marks);
    for (uint32_t u = left; u < end; u++) {
        uint32_t a = mrwi_compare_pixel(pair->expected, u, y),
                 b = mrwi_compare_pixel(pair->actual, u, y);
        marks[u - x] = a != b && !mrwi_compare_masked(pair, u, y) &&
                       mrwi_compare_pixel_delta(a, b) > pair->max_delta;
        any |= marks[u - x];
    }
    return any;
}

/* Pixels of rows from `first` on that count, but lie on anti-aliased edges. */
static uint64_t count_antialiased(const mrwi_compare_pair *pair, const mrwi_compare_span *spans,
                                  uint32_t first, uint32_t end)
{
    mrwi_compare_edge_block block;
    bool marks[MRWI_COMPARE_EDGE_BLOCK];
    uint64_t found = 0;
    block.pair = NULL;
    for (uint32_t x = 0; x < pair->width; x += MRWI_COMPARE_EDGE_BLOCK) {
        for (uint32_t y = first; y < end; y++) {
            if (mark_block(pair, x, y, spans[y], marks)) {
                found += mrwi_compare_keep_antialiased(&block, pair, x, y, marks);
            }
        }
    }
    return found;
}

static void compare_band(void *user, int64_t band, int worker)
{
    const work *w = user;
    uint32_t *rows = w->rows + (size_t)worker * 2 * w->row_size;
    uint32_t first = (uint32_t)band * BAND, left = w->pair->height - first;
    const uint32_t end = first + (left < BAND ? left : BAND);
    mrwi_compare_differences *out = &w->bands[band];
    for (uint32_t y = first; y < end; y++) {
        w->spans[y] = compare_row(w, y, rows, out);
    }
    if (w->pair->ignore_antialiasing && out->differing > 0) {
        out->antialiased = count_antialiased(w->pair, w->spans, first, end);
        out->differing -= out->antialiased;
    }
}

static void add_band(mrwi_compare_differences *out, const mrwi_compare_differences *band)
{
    if (band->bottom == 0) {
        return;
    }
    if (out->bottom == 0) {
        *out = *band;
        return;
    }
    out->differing += band->differing;
    out->antialiased += band->antialiased;
    for (int i = 0; i < MRWI_COMPARE_REGIONS; i++) {
        out->sum[i] += band->sum[i];
        out->squares[i] += band->squares[i];
    }
    for (int c = 0; c < 4; c++) {
        uint32_t d = band->largest[c];
        out->largest[c] = d > out->largest[c] ? d : out->largest[c];
    }
    out->left = band->left < out->left ? band->left : out->left;
    out->right = band->right > out->right ? band->right : out->right;
    out->bottom = band->bottom;
}

mrw_status mrwi_compare_find_differences(const mrwi_compare_pair *pair, int threads, bool sums,
                                         mrwi_compare_span *spans, mrwi_compare_differences *out,
                                         mrw_error *error)
{
    *out = (mrwi_compare_differences){0};
    size_t band_count = (pair->height + BAND - 1) / BAND;
    work w = {.pair = pair, .sums = sums, .spans = spans};
    w.row_size = ((size_t)pair->width + 15) / 16 * 16;
    w.bands = mrwi_base_alloc_zero(band_count, sizeof *w.bands);
    w.rows = mrwi_base_alloc((size_t)threads * 2 * w.row_size, sizeof *w.rows);
    mrw_status status = MRW_OK;
    if (!w.bands || !w.rows) {
        status = mrwi_base_fail_memory(error, (size_t)threads * 2 * w.row_size * sizeof *w.rows);
        goto out;
    }
    mrwi_base_parallel_for(threads, (int64_t)band_count, compare_band, &w);
    for (size_t i = 0; i < band_count; i++) {
        add_band(out, &w.bands[i]);
    }
out:
    mrwi_base_free(w.bands);
    mrwi_base_free(w.rows);
    return status;
}
