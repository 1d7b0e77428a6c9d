/* png_source.c: the rows of a picture to compress. Rows that repeat the row above are found by a
 * comparison. The others get the filter that leaves the smallest sum of magnitudes (PNG third
 * edition, 12.7). */
#include "image/png_source.h"

#include "base/simd/isa.h"
#include "base/work.h"

#include <string.h>

/* Bytes of a row that are filtered separately, with zeros to their left. */
#define HEAD      MRWI_IMAGE_PNG_BLOCK
#define HEAD_LEFT 16
#define LEAST_RUN MRWI_IMAGE_PNG_LEAST_RUN

const mrwi_image_png_rows_kernels *mrwi_image_png_rows_kernels_for(mrw_isa isa)
{
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_image_png_rows_kernels_scalar,
        [MRW_ISA_SSE2] = MRWI_BASE_ON_X86(&mrwi_image_png_rows_kernels_sse2),
        [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_image_png_rows_kernels_avx2),
        [MRW_ISA_NEON] = MRWI_BASE_ON_ARM64(&mrwi_image_png_rows_kernels_neon),
    };
    return mrwi_base_isa_kernels(by_isa, isa);
}

/* ---- rows ------------------------------------------------------------------------------------ */

const uint8_t *mrwi_image_png_row(const mrwi_image_png_source *s, uint32_t y)
{
    return s->image->pixels + y * s->stride;
}

static const uint8_t *row_above(const mrwi_image_png_source *s, uint32_t y)
{
    return y == 0 ? s->nothing : mrwi_image_png_row(s, y - 1);
}

/* The first bytes of a row and of the one above, with the zeros to their left that PNG sees. */
typedef struct row_head {
    uint8_t row[HEAD_LEFT + HEAD], above[HEAD_LEFT + HEAD];
    size_t count;
} row_head;

static void copy_head(const mrwi_image_png_source *s, uint32_t y, row_head *head)
{
    head->count = s->stride < HEAD ? s->stride : HEAD;
    memset(head->row, 0, sizeof head->row);
    memset(head->above, 0, sizeof head->above);
    memcpy(head->row + HEAD_LEFT, mrwi_image_png_row(s, y), head->count);
    memcpy(head->above + HEAD_LEFT, row_above(s, y), head->count);
}

static mrwi_image_png_filter cheapest_filter(const mrwi_image_png_source *s, uint32_t y,
                                             mrwi_image_png_range *busy)
{
    uint64_t costs[MRWI_IMAGE_PNG_FILTERS] = {0};
    const uint8_t *row = mrwi_image_png_row(s, y), *above = row_above(s, y);
    size_t pixel = s->image->channels;
    row_head head;
    copy_head(s, y, &head);
    s->kernels->costs(head.row + HEAD_LEFT, head.above + HEAD_LEFT, head.count, pixel, costs);
    if (s->stride > HEAD) {
        *busy = s->kernels->busy(row + HEAD, above + HEAD, s->stride - HEAD, pixel);
        busy->first += HEAD;
        busy->end += HEAD;
        s->kernels->costs(row + busy->first, above + busy->first, busy->end - busy->first, pixel,
                          costs);
    }
    mrwi_image_png_filter best = costs[MRWI_IMAGE_PNG_SUB] < costs[MRWI_IMAGE_PNG_UP]
                                     ? MRWI_IMAGE_PNG_SUB
                                     : MRWI_IMAGE_PNG_UP;
    return costs[MRWI_IMAGE_PNG_PAETH] < costs[best] ? MRWI_IMAGE_PNG_PAETH : best;
}

void mrwi_image_png_choose_filters(const mrwi_image_png_source *s, uint32_t first, uint32_t end,
                                   uint8_t *filters, mrwi_image_png_range *busy)
{
    for (uint32_t y = first; y < end && mrwi_base_work_goes_on(); y++) {
        bool repeated = s->stride >= LEAST_RUN &&
                        memcmp(mrwi_image_png_row(s, y), row_above(s, y), s->stride) == 0;
        busy[y] = (mrwi_image_png_range){HEAD, HEAD};
        filters[y] = repeated ? MRWI_IMAGE_PNG_REPEATED : (uint8_t)cheapest_filter(s, y, &busy[y]);
    }
}

/* Finds the starts of runs. Only the first and last words, and those in and around the busy range,
 * are searched; the others lie within a run. */
static void find_runs(const mrwi_image_png_rows_kernels *kernels, mrwi_image_png_range busy,
                      size_t words, mrwi_image_png_filtered *row)
{
    size_t first = busy.first / 64 - 1, behind = (busy.end + 63) / 64;
    size_t tail = words > 2 ? words - 2 : 0;
    memset(row->runs, 255, words * sizeof *row->runs);
    kernels->runs(row->zeros, 1, row->runs);
    kernels->runs(row->zeros + first, behind - first, row->runs + first);
    kernels->runs(row->zeros + tail, words - tail, row->runs + tail);
}

void mrwi_image_png_filter_row(const mrwi_image_png_source *s, uint32_t y,
                               mrwi_image_png_filter filter, mrwi_image_png_filtered *out)
{
    row_head head;
    copy_head(s, y, &head);
    size_t pixel = s->image->channels, words = s->stride / 64 + 1;
    mrwi_image_png_range busy =
        filter == MRWI_IMAGE_PNG_NONE ? (mrwi_image_png_range){HEAD, s->stride} : s->busy[y];
    out->bytes[-1] = (uint8_t)filter;
    if (s->stride > HEAD) {
        size_t behind = (busy.end + 63) / 64;
        memset(out->bytes + HEAD, 0, busy.first - HEAD);
        memset(out->zeros + 1, 255, busy.first / 8 - 8);
        memset(out->bytes + busy.end, 0, s->stride - busy.end);
        memset(out->zeros + behind, 255, (words - behind) * sizeof *out->zeros);
        s->kernels->filter(mrwi_image_png_row(s, y) + busy.first, row_above(s, y) + busy.first,
                           busy.end - busy.first, pixel, filter, out->bytes + busy.first,
                           out->zeros + busy.first / 64);
    }
    s->kernels->filter(head.row + HEAD_LEFT, head.above + HEAD_LEFT, head.count, pixel, filter,
                       out->bytes, out->zeros);
    out->zeros[words - 1] &= (UINT64_C(1) << (s->stride % 64)) - 1;
    out->zeros[words] = 0;
    find_runs(s->kernels, busy, words, out);
    out->runs[s->stride / 64] |= UINT64_C(1) << (s->stride % 64); /* stops the search */
}

/* ---- counting -------------------------------------------------------------------------------- */

void mrwi_image_png_count_run(mrwi_image_png_tally *tally, size_t repeats, uint64_t times)
{
    while (repeats > 0) {
        const uint32_t match = mrwi_image_png_next_match(repeats);
        tally->counts[mrwi_image_length_of(match).symbol] += times;
        repeats -= match;
    }
}

static void count_literals(uint32_t tables[4][256], const uint8_t *bytes, size_t count)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            tables[k][bytes[i + k]]++;
        }
    }
    for (; i < count; i++) {
        tables[0][bytes[i]]++;
    }
}

void mrwi_image_png_count_row(mrwi_image_png_tally *tally, const mrwi_image_png_filtered *row,
                              uint64_t times)
{
    for (size_t at = 0; at < row->count;) {
        const mrwi_image_png_span span = mrwi_image_png_next_span(row, at);
        count_literals(tally->literals, span.literals, span.count);
        mrwi_image_png_count_run(tally, span.repeats, times);
        at += span.count + span.repeats;
    }
}

void mrwi_image_png_count_end(mrwi_image_png_tally *tally, uint64_t times)
{
    for (size_t i = 0; i < 256; i++) {
        uint64_t seen = 0;
        for (size_t k = 0; k < 4; k++) {
            seen += tally->literals[k][i];
        }
        tally->counts[i] += seen * times;
    }
}
