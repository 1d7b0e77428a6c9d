/* differences.c: finds which pixels differ, and by how much.
 *
 * Equal rows cost one memcmp. In other rows the pixels between the first and the last byte that
 * differs are subtracted in lanes (pixel_kernel.h). All results are integers, so the order of the
 * rows does not matter.
 */
#include "compare/pixel.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/work.h"

#define BAND 64 /* rows that a thread takes at a time */

typedef struct work {
    const mrwi_compare_pair *pair;
    bool sums;
    uint64_t *differing;             /* Bits of all rows; NULL if not wanted. */
    mrwi_compare_differences *bands; /* One entry per band. */
    const mrwi_compare_pixel_kernels *kernels;
    uint64_t *marks;  /* For each worker: bits of pixels that count, for all rows of a band and one
                       * row more. */
    size_t row_words; /* Words of a row, rounded up to whole blocks. */
} work;

static const uint8_t *row_of(const mrw_image *image, uint32_t y)
{
    return image->pixels + (size_t)y * image->width * image->channels;
}

/* Returns the pixels between the first and the last byte that differs. */
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

/* Compares a row and marks the pixels that count, one bit per pixel. */
static void compare_row(const work *w, uint32_t y, uint64_t *differing, uint64_t *counting,
                        mrwi_compare_differences *out)
{
    const mrwi_compare_pair *pair = w->pair;
    const mrw_image *expected = pair->expected, *actual = pair->actual;
    const size_t at = (size_t)y * pair->width;
    mrwi_compare_span span = {0, pair->width};
    if (expected->channels == actual->channels) {
        span = differing_bytes(row_of(expected, y), row_of(actual, y), pair->width,
                               expected->channels);
    }
    if (span.first == span.end) {
        return;
    }
    mrwi_compare_rows rows = {.pixels = {row_of(expected, y), row_of(actual, y)},
                              .channels = {expected->channels, actual->channels},
                              .width = pair->width,
                              .mask = pair->mask ? pair->mask + at : NULL,
                              .max_delta = pair->max_delta < 255 ? pair->max_delta : 255,
                              .sums = w->sums,
                              .subject = pair->subject};
    if (pair->subject == MRW_SUBJECT_DRAWN) {
        rows.drawn[0] = expected->subject + at;
        rows.drawn[1] = actual->subject + at;
    }
    span = w->kernels->subtract(&rows, span, differing, counting, out);
    if (span.first < span.end) {
        add_span(out, y, span);
    }
}

/* Counts the marked pixels on anti-aliased edges, in `count` rows from y on. */
static uint64_t count_antialiased(const work *w, uint32_t y, uint32_t count, const uint64_t *marks)
{
    mrwi_compare_edge_block block;
    uint64_t found = 0;
    block.pair = NULL;
    for (size_t i = 0; i < w->row_words; i += MRWI_COMPARE_EDGE_WORDS) {
        for (uint32_t row = 0; row < count; row++) {
            uint64_t here[MRWI_COMPARE_EDGE_WORDS];
            memcpy(here, marks + row * w->row_words + i, sizeof here);
            found += mrwi_compare_keep_antialiased(&block, w->pair, (uint32_t)i * MRWI_COMPARE_WORD,
                                                   y + row, here);
        }
    }
    return found;
}

static void compare_band(void *user, int64_t band, int worker)
{
    const work *w = user;
    uint64_t *marks = w->marks + (size_t)worker * (BAND + 1) * w->row_words;
    uint64_t *unwanted = marks + BAND * w->row_words;
    uint32_t first = (uint32_t)band * BAND, left = w->pair->height - first;
    const uint32_t count = left < BAND ? left : BAND;
    mrwi_compare_differences *out = &w->bands[band];
    memset(marks, 0, count * w->row_words * sizeof *marks);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *differing = w->differing ? w->differing + (first + i) * w->row_words : unwanted;
        compare_row(w, first + i, differing, marks + i * w->row_words, out);
    }
    if (w->pair->ignore_antialiasing && out->differing > 0) {
        out->antialiased = count_antialiased(w, first, count, marks);
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
                                         uint64_t *differing, mrwi_compare_differences *out,
                                         mrw_error *error)
{
    *out = (mrwi_compare_differences){0};
    size_t band_count = (pair->height + BAND - 1) / BAND;
    work w = {.pair = pair, .sums = sums, .differing = differing};
    w.kernels = mrwi_compare_pixel_kernels_for(pair->isa);
    w.row_words = mrwi_compare_row_words(pair);
    if (differing) {
        memset(differing, 0, pair->height * w.row_words * sizeof *differing);
    }
    w.bands = mrwi_base_alloc_zero(band_count, sizeof *w.bands);
    const size_t words = (size_t)threads * (BAND + 1) * w.row_words;
    w.marks = mrwi_base_alloc(words, sizeof *w.marks);
    mrw_status status = MRW_OK;
    if (!w.bands || !w.marks) {
        status = mrwi_base_fail_memory(error, words * sizeof *w.marks);
        goto out;
    }
    mrwi_base_parallel_for(threads, (int64_t)band_count, compare_band, &w);
    status = mrwi_base_work_check(NULL, error);
    for (size_t i = 0; i < band_count; i++) {
        add_band(out, &w.bands[i]);
    }
out:
    mrwi_base_free(w.bands);
    mrwi_base_free(w.marks);
    return status;
}
