/* png_pack.c: the pixels of a picture as the zlib stream of a PNG.
 *
 * Rendered pictures are plain ground and smooth surfaces. Rows that repeat the one above are seen
 * by comparing them and cost nothing more. Of the others the filter is chosen that leaves the least
 * magnitudes, as PNG 12.7 proposes; then come two passes over the filtered bytes: one over some of
 * the rows counts what there is, which gives one prefix code for the whole picture, and one writes.
 * Runs of zeros become matches of distance 1. Only where the bytes take few bits each, as those of
 * slopes without noise do, and in frames of animations other matches are looked for, first in some
 * rows: on a shaded figure they save three hundredths and take ten times as long as all else.
 * Filtering again is cheaper than keeping the filtered bytes: memory that was not used before costs
 * more.
 *
 * Every decision rests on whole numbers that all kernels have in common.
 */
#include "image/png_pack.h"

#include "base/memory.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "image/deflate.h"
#include "image/png_encoder.h"
#include "image/png_match.h"
#include "image/png_rows.h"

#include <assert.h>
#include <libdeflate.h>

#define HEAD         MRWI_IMAGE_PNG_BLOCK /* is filtered apart, with zeros to its left */
#define HEAD_LEFT    16
#define LEAST_RUN    MRWI_IMAGE_PNG_LEAST_RUN
#define REPEATED     MRWI_IMAGE_PNG_FILTERS /* in place of a filter: the row above once more */
#define ZLIB_BYTES   6                      /* header and checksum */
#define STORED_MOST  65535
#define STORED_BYTES 5 /* the header of a stored block */

/* The rows of a picture, and how each is filtered. */
typedef struct source {
    const mrw_image *image;
    const mrwi_image_png_rows_kernels *kernels;
    size_t stride;
    const uint8_t *nothing;           /* what is above the first row */
    const uint8_t *filters;           /* one a row, or REPEATED */
    const mrwi_image_png_range *busy; /* one a row, from HEAD on */
} source;

/* A filtered row. */
typedef struct filtered {
    size_t count;    /* bytes, without the filter's */
    uint8_t *bytes;  /* its filter is at [-1] */
    uint64_t *zeros; /* where it is 0, */
    uint64_t *runs;  /* and LEAST_RUN - 1 more from there on */
} filtered;

/* What the picture is written with. */
typedef struct codes {
    mrwi_image_code symbols[MRWI_IMAGE_SYMBOLS];
    mrwi_image_code matches[MRWI_IMAGE_MOST_MATCH + 1]; /* length and distance */
    const mrwi_image_code *pairs;                       /* of two literals, or NULL */
} codes;

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

static const uint8_t *row_at(const source *s, uint32_t y)
{
    return s->image->pixels + y * s->stride;
}

static const uint8_t *row_above(const source *s, uint32_t y)
{
    return y == 0 ? s->nothing : row_at(s, y - 1);
}

/* The first bytes of a row and of the one above, with the zeros to their left that PNG sees. */
typedef struct row_head {
    uint8_t row[HEAD_LEFT + HEAD], above[HEAD_LEFT + HEAD];
    size_t count;
} row_head;

static void copy_head(const source *s, uint32_t y, row_head *head)
{
    head->count = s->stride < HEAD ? s->stride : HEAD;
    memset(head->row, 0, sizeof head->row);
    memset(head->above, 0, sizeof head->above);
    memcpy(head->row + HEAD_LEFT, row_at(s, y), head->count);
    memcpy(head->above + HEAD_LEFT, row_above(s, y), head->count);
}

static mrwi_image_png_filter cheapest_filter(const source *s, uint32_t y,
                                             mrwi_image_png_range *busy)
{
    uint64_t costs[MRWI_IMAGE_PNG_FILTERS] = {0};
    const uint8_t *row = row_at(s, y), *above = row_above(s, y);
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

/* One a row of each. */
static void choose_filters(const source *s, uint8_t *filters, mrwi_image_png_range *busy)
{
    for (uint32_t y = 0; y < s->image->height; y++) {
        bool repeated =
            s->stride >= LEAST_RUN && memcmp(row_at(s, y), row_above(s, y), s->stride) == 0;
        busy[y] = (mrwi_image_png_range){HEAD, HEAD};
        filters[y] = repeated ? REPEATED : (uint8_t)cheapest_filter(s, y, &busy[y]);
    }
}

/* The numbers of the first and last words, and of those around the busy range, are looked at; the
 * others are within a run. */
static void find_runs(const mrwi_image_png_rows_kernels *kernels, mrwi_image_png_range busy,
                      size_t words, filtered *row)
{
    size_t first = busy.first / 64 - 1, behind = (busy.end + 63) / 64;
    size_t tail = words > 2 ? words - 2 : 0;
    memset(row->runs, 255, words * sizeof *row->runs);
    kernels->runs(row->zeros, 1, row->runs);
    kernels->runs(row->zeros + first, behind - first, row->runs + first);
    kernels->runs(row->zeros + tail, words - tail, row->runs + tail);
}

/* Fills bytes, zeros and runs. */
static void filter_row(const source *s, uint32_t y, mrwi_image_png_filter filter, filtered *out)
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
        s->kernels->filter(row_at(s, y) + busy.first, row_above(s, y) + busy.first,
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

/* ---- literals and matches -------------------------------------------------------------------- */

/* The first set bit from `at` on of a map whose bits are those of `map`, or all others. There is
 * one. */
static size_t next_bit(const uint64_t *map, uint64_t flip, size_t at)
{
    size_t word = at / 64;
    uint64_t bits = (map[word] ^ flip) & UINT64_MAX << (at % 64);
    while (bits == 0) {
        bits = map[++word] ^ flip;
    }
    return word * 64 + (size_t)__builtin_ctzll(bits);
}

/* A part of a filtered row: literals, and how often the last of them, then 0, is repeated. */
typedef struct span {
    const uint8_t *literals;
    size_t count;
    size_t repeats;
} span;

static span next_span(const filtered *row, size_t at)
{
    size_t run = next_bit(row->runs, 0, at);
    if (run >= row->count) {
        return (span){row->bytes + at, row->count - at, 0};
    }
    return (span){row->bytes + at, run + 1 - at, next_bit(row->zeros, UINT64_MAX, run) - run - 1};
}

/* How much of a long match to take now, so that what is left is none or long enough. */
static uint32_t next_match(size_t repeats)
{
    if (repeats <= MRWI_IMAGE_MOST_MATCH) {
        return (uint32_t)repeats;
    }
    bool short_rest = repeats < MRWI_IMAGE_MOST_MATCH + MRWI_IMAGE_LEAST_MATCH;
    return short_rest ? (uint32_t)repeats - MRWI_IMAGE_LEAST_MATCH : MRWI_IMAGE_MOST_MATCH;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Of more bytes than this, some rows are counted for all, and every symbol gets a code. */
#define COUNT_ALL_BYTES 131072
#define COUNT_ONE_OF    8 /* of 2 takes 25 % longer and saves 0.03 % */

static void count_repeats(uint64_t counts[MRWI_IMAGE_SYMBOLS], size_t repeats, uint64_t times)
{
    while (repeats > 0) {
        uint32_t match = next_match(repeats);
        counts[mrwi_image_length_of(match).symbol] += times;
        repeats -= match;
    }
}

/* Four tables: equal bytes in a row would wait for each other. */
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

static void count_row(const filtered *row, uint64_t times, uint32_t tables[4][256],
                      uint64_t counts[MRWI_IMAGE_SYMBOLS])
{
    for (size_t at = 0; at < row->count;) {
        span s = next_span(row, at);
        count_literals(tables, s.literals, s.count);
        count_repeats(counts, s.repeats, times);
        at += s.count + s.repeats;
    }
}

static void count_symbols(const source *s, filtered *row, uint64_t counts[MRWI_IMAGE_SYMBOLS])
{
    uint32_t tables[4][256] = {0};
    bool all = (s->stride + 1) * s->image->height <= COUNT_ALL_BYTES;
    uint32_t one_of = all ? 1 : COUNT_ONE_OF, others = 0, repeated = 0;
    memset(counts, 0, MRWI_IMAGE_SYMBOLS * sizeof *counts);
    for (uint32_t y = 0; y < s->image->height; y++) {
        if (s->filters[y] == REPEATED) {
            repeated++;
            continue;
        }
        counts[s->filters[y]]++;
        if (others++ % one_of == 0) {
            filter_row(s, y, (mrwi_image_png_filter)s->filters[y], row);
            count_row(row, one_of, tables, counts);
        }
    }
    for (size_t i = 0; i < 256; i++) {
        uint64_t seen = (uint64_t)tables[0][i] + tables[1][i] + tables[2][i] + tables[3][i];
        counts[i] += seen * one_of;
    }
    if (repeated > 0) {
        counts[MRWI_IMAGE_PNG_UP] += repeated;
        counts[0] += repeated;
        count_repeats(counts, s->stride - 1, repeated);
    }
    counts[MRWI_IMAGE_END_OF_BLOCK]++;
    for (size_t i = 0; i < MRWI_IMAGE_SYMBOLS && !all; i++) {
        counts[i] += counts[i] == 0;
    }
}

static void make_codes(const uint64_t counts[MRWI_IMAGE_SYMBOLS],
                       uint8_t lengths[MRWI_IMAGE_SYMBOLS], codes *out)
{
    mrwi_image_code_lengths(counts, MRWI_IMAGE_SYMBOLS, MRWI_IMAGE_CODE_LIMIT, lengths);
    mrwi_image_codes_assign(lengths, MRWI_IMAGE_SYMBOLS, out->symbols);
    for (uint32_t match = MRWI_IMAGE_LEAST_MATCH; match <= MRWI_IMAGE_MOST_MATCH; match++) {
        mrwi_image_length length = mrwi_image_length_of(match);
        const mrwi_image_code distance = 1; /* the bit 0 */
        mrwi_image_code extra = (mrwi_image_code)length.extra << 8 | length.extra_count;
        out->matches[match] = mrwi_image_code_join(
            mrwi_image_code_join(out->symbols[length.symbol], extra), distance);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* What two literals are written as, by their bytes as a little-endian number. */
static void make_pairs(const mrwi_image_code *symbols, mrwi_image_code *pairs)
{
    mrwi_image_code scales[256]; /* what moves a code behind the first one */
    for (uint32_t first = 0; first < 256; first++) {
        scales[first] = UINT32_C(256) << mrwi_image_code_size(symbols[first]);
    }
    for (uint32_t second = 0; second < 256; second++, pairs += 256) {
        const uint32_t size = mrwi_image_code_size(symbols[second]), value = symbols[second] >> 8;
        for (uint32_t first = 0; first < 256; first++) { /* mrwi_image_code_join, without shifts */
            pairs[first] = symbols[first] + value * scales[first] + size;
        }
    }
}

static inline mrwi_image_code pair_at(const mrwi_image_code *pairs, const uint8_t *bytes)
{
    uint16_t both;
    memcpy(&both, bytes, sizeof both);
    return pairs[both];
}

/* Leaves up to 43 bits in the writer: there is room for a match. */
static void put_literals(const codes *c, mrwi_image_bits *to, const uint8_t *bytes, size_t count)
{
    mrwi_image_bits copy = *to, *bits = &copy; /* in registers: stored bytes may be anything's */
    const mrwi_image_code *symbols = c->symbols, *pairs = c->pairs;
    for (; count >= 4 && pairs; count -= 4, bytes += 4) {
        mrwi_image_put_code(bits, pair_at(pairs, bytes));
        mrwi_image_put_code(bits, pair_at(pairs, bytes + 2));
        mrwi_image_bits_flush(bits);
    }
    for (; count >= 4; count -= 4, bytes += 4) {
        mrwi_image_put_code(bits, mrwi_image_code_join(symbols[bytes[0]], symbols[bytes[1]]));
        mrwi_image_put_code(bits, mrwi_image_code_join(symbols[bytes[2]], symbols[bytes[3]]));
        mrwi_image_bits_flush(bits);
    }
    /* up to three more, without branches, which would be guessed wrong: a code of 0 is nothing */
    mrwi_image_code one = symbols[bytes[0]] & (0 - (mrwi_image_code)(count & 1));
    bytes += count & 1;
    mrwi_image_code two = mrwi_image_code_join(symbols[bytes[0]], symbols[bytes[1]]);
    mrwi_image_put_code(bits, one);
    mrwi_image_put_code(bits, two & (0 - (mrwi_image_code)(count >> 1)));
    *to = copy;
}

static void put_repeats(const codes *c, mrwi_image_bits *bits, size_t repeats)
{
    while (repeats > 0) {
        uint32_t match = next_match(repeats);
        mrwi_image_put_code(bits, c->matches[match]);
        mrwi_image_bits_flush(bits);
        repeats -= match;
    }
}

/* The checksum after one more row that repeats the one above: the filter, then zeros (RFC 1950,
 * clause 8.2, in closed form). */
static uint32_t add_repeated_row(uint32_t checksum, size_t zeros)
{
    const uint64_t base = 65521;
    uint64_t low = ((checksum & 0xFFFF) + MRWI_IMAGE_PNG_UP) % base;
    uint64_t high = ((checksum >> 16) + low * (zeros + 1)) % base;
    return (uint32_t)(high << 16 | low);
}

static void put_row(const source *s, uint32_t y, filtered *row, const codes *c,
                    mrwi_image_bits *bits, uint32_t *checksum)
{
    if (s->filters[y] == REPEATED) {
        mrwi_image_put_code(bits,
                            mrwi_image_code_join(c->symbols[MRWI_IMAGE_PNG_UP], c->symbols[0]));
        mrwi_image_bits_flush(bits);
        put_repeats(c, bits, s->stride - 1);
        *checksum = add_repeated_row(*checksum, s->stride);
        return;
    }
    filter_row(s, y, (mrwi_image_png_filter)s->filters[y], row);
    *checksum = libdeflate_adler32(*checksum, row->bytes - 1, s->stride + 1);
    mrwi_image_put_code(bits, c->symbols[s->filters[y]]);
    mrwi_image_bits_flush(bits);
    for (size_t at = 0; at < s->stride;) {
        span part = next_span(row, at);
        put_literals(c, bits, part.literals, part.count);
        put_repeats(c, bits, part.repeats);
        mrwi_image_bits_flush(bits);
        at += part.count + part.repeats;
    }
}

/* Deflate, a window of 32 KiB; the fastest level (RFC 1950, 2.2). */
static uint8_t *put_zlib_header(uint8_t *to)
{
    to[0] = 0x78;
    to[1] = 0x01;
    return to + 2;
}

static uint8_t *put_checksum(uint8_t *to, uint32_t checksum)
{
    for (int i = 0; i < 4; i++) {
        *to++ = (uint8_t)(checksum >> (24 - 8 * i));
    }
    return to;
}

/* The first rows of a picture, which tell what to expect of it. */
#define TRIAL_BYTES 16384
typedef struct first_rows {
    size_t bytes; /* 0: all of it is small */
    size_t size;  /* of the stream for them */
} first_rows;

/* Returns the stream's size, or 0 when it would be larger than `most`. Up to a row more is
 * written. */
static size_t write_coded(const source *s, filtered *row, const codes *c,
                          const uint8_t lengths[MRWI_IMAGE_SYMBOLS], uint8_t *to, size_t most,
                          first_rows *first)
{
    static const uint8_t distance_1[MRWI_IMAGE_DISTANCES] = {1};
    uint32_t checksum = 1;
    mrwi_image_bits bits = {put_zlib_header(to), 0, 0};
    mrwi_image_put_block_header(&bits, lengths, distance_1);
    for (uint32_t y = 0; y < s->image->height && (size_t)(bits.to - to) <= most; y++) {
        put_row(s, y, row, c, &bits, &checksum);
        if (first->bytes == 0 && bits.to - to >= TRIAL_BYTES) {
            *first = (first_rows){(s->stride + 1) * (y + 1), (size_t)(bits.to - to)};
        }
    }
    mrwi_image_put_code(&bits, c->symbols[MRWI_IMAGE_END_OF_BLOCK]);
    mrwi_image_bits_end(&bits);
    size_t size = (size_t)(put_checksum(bits.to, checksum) - to);
    return size <= most ? size : 0;
}

/* ---- stored ---------------------------------------------------------------------------------- */

static size_t raw_size(const source *s)
{
    return (s->stride + 1) * s->image->height;
}

static size_t stored_size(const source *s)
{
    size_t blocks = (raw_size(s) + STORED_MOST - 1) / STORED_MOST;
    return ZLIB_BYTES + blocks * STORED_BYTES + raw_size(s);
}

/* Stored blocks, filled from pieces (RFC 1951, 3.2.4). */
typedef struct store {
    uint8_t *to;
    size_t left;       /* bytes to come in all */
    size_t block_left; /* in this block */
} store;

static void begin_stored(store *s)
{
    uint32_t size = (uint32_t)(s->left < STORED_MOST ? s->left : STORED_MOST);
    s->to[0] = size == s->left; /* the last one */
    for (int i = 0; i < 2; i++) {
        s->to[1 + i] = (uint8_t)(size >> (8 * i));
        s->to[3 + i] = (uint8_t)(~size >> (8 * i));
    }
    s->to += STORED_BYTES;
    s->block_left = size;
}

static void put_stored(store *s, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        if (s->block_left == 0) {
            begin_stored(s);
        }
        size_t part = count < s->block_left ? count : s->block_left;
        memcpy(s->to, bytes, part);
        s->to += part;
        s->left -= part;
        s->block_left -= part;
        bytes += part;
        count -= part;
    }
}

/* For what no code makes smaller, such as noise: the rows as they are. */
static size_t write_stored(const source *s, uint8_t *to)
{
    const uint8_t none = MRWI_IMAGE_PNG_NONE;
    uint32_t checksum = 1;
    store blocks = {put_zlib_header(to), raw_size(s), 0};
    for (uint32_t y = 0; y < s->image->height; y++) {
        put_stored(&blocks, &none, 1);
        put_stored(&blocks, row_at(s, y), s->stride);
        checksum = libdeflate_adler32(checksum, &none, 1);
        checksum = libdeflate_adler32(checksum, row_at(s, y), s->stride);
    }
    return (size_t)(put_checksum(blocks.to, checksum) - to);
}

/* ---- matches of any distance ----------------------------------------------------------------- */

/* What a picture is packed with. */
typedef struct packer {
    mrw_png_encoder *memory;
    source source;
    filtered row;
    bool careful; /* matches are looked for whatever the bytes are like */
    first_rows first;
} packer;

/* All rows with one filter, or each with the one chosen for it when `same` is REPEATED. */
static void filter_all(const source *s, filtered *row, int same, uint8_t *to)
{
    for (uint32_t y = 0; y < s->image->height; y++) {
        int chosen = same != REPEATED            ? same
                     : s->filters[y] != REPEATED ? s->filters[y]
                                                 : MRWI_IMAGE_PNG_UP;
        filter_row(s, y, (mrwi_image_png_filter)chosen, row);
        memcpy(to, row->bytes - 1, s->stride + 1);
        to += s->stride + 1;
    }
}

/* Literals that take fewer bits than this repeat themselves in patterns. */
#define PATTERN_BITS 3

/* Whether `size` is less than `before` by what is worth the time. */
static bool pays(size_t size, size_t before)
{
    return size < before / 16 * 15;
}

/* Looks for matches in the first rows, then, where that pays, in all. What is found takes the place
 * of what was written when it is smaller. */
static mrw_status write_matched(packer *p, int filter, uint8_t *to, size_t *size, mrw_error *error)
{
    const size_t raw = raw_size(&p->source);
    mrwi_image_room *rows = &p->memory->rows;
    mrwi_image_png_matches found;
    if (!mrwi_image_room_reserve(rows, raw)) {
        return mrwi_base_fail_memory(error, raw);
    }
    filter_all(&p->source, &p->row, filter, rows->data);
    mrw_status status = MRW_OK;
    if (p->first.bytes > 0) {
        status = mrwi_image_png_match(p->memory, rows->data, p->first.bytes, &found, error);
        if (status != MRW_OK || !pays(found.size, p->first.size)) {
            return status;
        }
    }
    status = mrwi_image_png_match(p->memory, rows->data, raw, &found, error);
    if (status == MRW_OK && p->careful && pays(found.size, *size)) {
        mrwi_image_png_match_again(p->memory, &found);
    }
    if (status == MRW_OK && ZLIB_BYTES + found.size < *size) {
        mrwi_image_bits out = {put_zlib_header(to), 0, 0};
        mrwi_image_png_put_matches(&found, &out);
        mrwi_image_bits_end(&out);
        *size = (size_t)(put_checksum(out.to, libdeflate_adler32(1, rows->data, raw)) - to);
    }
    return status;
}

/* ---- fast ------------------------------------------------------------------------------------ */

/* From so many literals on the table of pairs, which takes a few of them each, pays. */
#define PAIRS_PAY 65536

static mrw_status write_pixels(packer *p, uint8_t *to, size_t most, size_t *size, mrw_error *error)
{
    codes c = {.pairs = NULL};
    uint64_t counts[MRWI_IMAGE_SYMBOLS], literals = 0, bits = 0;
    uint8_t lengths[MRWI_IMAGE_SYMBOLS];
    count_symbols(&p->source, &p->row, counts);
    make_codes(counts, lengths, &c);
    for (size_t s = 0; s < 256; s++) {
        literals += counts[s];
        bits += counts[s] * lengths[s];
    }
    if (literals >= PAIRS_PAY) {
        const size_t bytes = 65536 * sizeof *c.pairs;
        if (!mrwi_image_room_reserve(&p->memory->pairs, bytes)) {
            return mrwi_base_fail_memory(error, bytes);
        }
        mrwi_image_code *pairs = (mrwi_image_code *)(void *)p->memory->pairs.data;
        make_pairs(c.symbols, pairs);
        c.pairs = pairs;
    }
    *size =
        bits / 8 < most ? write_coded(&p->source, &p->row, &c, lengths, to, most, &p->first) : 0;
    if (*size == 0) {
        *size = write_stored(&p->source, to);
    }
    mrw_status status = MRW_OK;
    if (literals > 0 && (p->careful || bits < literals * PATTERN_BITS)) {
        status = write_matched(p, REPEATED, to, size, error);
    }
    if (literals > 0 && p->careful && status == MRW_OK) {
        status = write_matched(p, MRWI_IMAGE_PNG_NONE, to, size, error);
    }
    return status;
}

static mrw_status pack_fast(packer *p, size_t before, size_t behind, size_t *size, mrw_error *error)
{
    size_t most = stored_size(&p->source);
    size_t row_most = (p->source.stride + 1) * MRWI_IMAGE_CODE_LIMIT / 8;
    /* the row in which the limit is crossed, and 8 bytes of the bit writer */
    size_t bound = before + most + MRWI_IMAGE_MOST_HEADER_BYTES + row_most + 16 + behind;
    if (!mrwi_image_room_reserve(&p->memory->file, bound)) {
        return mrwi_base_fail_memory(error, bound);
    }
    return write_pixels(p, p->memory->file.data + before, most, size, error);
}

/* ---- best ------------------------------------------------------------------------------------ */

#define BEST_LEVEL  12 /* of libdeflate: the strongest */
#define TRIAL_LEVEL 6

/* Packs the size bytes of all rows at a level of libdeflate; 0 when out of memory. */
static size_t pack_rows(mrw_png_encoder *memory, size_t size, int level, uint8_t *to, size_t most)
{
    struct libdeflate_compressor **compressor = &memory->compressors[level == BEST_LEVEL];
    if (!*compressor) {
        *compressor = libdeflate_alloc_compressor(level);
    }
    return !*compressor ? 0
                        : libdeflate_zlib_compress(*compressor, memory->rows.data, size, to, most);
}

/* Matches of several pixels want rows as they are, shading wants filters. Which it is a quicker
 * level tells. Takes the place of what pack_fast made when it is smaller. */
static mrw_status pack_best(packer *p, size_t before, size_t behind, size_t *size, mrw_error *error)
{
    static const int ways[] = {REPEATED, MRWI_IMAGE_PNG_NONE, MRWI_IMAGE_PNG_UP};
    const size_t raw = raw_size(&p->source), most = libdeflate_zlib_compress_bound(NULL, raw);
    mrwi_image_room *rows = &p->memory->rows, *trial = &p->memory->trial, fast = p->memory->file;
    size_t least = SIZE_MAX, used = 1;
    int best = REPEATED;
    if (!mrwi_image_room_reserve(rows, raw) ||
        !mrwi_image_room_reserve(trial, before + most + behind)) {
        return mrwi_base_fail_memory(error, before + most + behind);
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways && used > 0; i++) {
        filter_all(&p->source, &p->row, ways[i], rows->data);
        used = pack_rows(p->memory, raw, TRIAL_LEVEL, trial->data + before, most);
        best = used < least ? ways[i] : best;
        least = used < least ? used : least;
    }
    if (used > 0) {
        filter_all(&p->source, &p->row, best, rows->data);
        used = pack_rows(p->memory, raw, BEST_LEVEL, trial->data + before, most);
    }
    if (used == 0) {
        return mrwi_base_fail_memory(error, before + most + behind);
    }
    if (used < *size) {
        p->memory->file = *trial;
        *trial = fast;
        *size = used;
    }
    return MRW_OK;
}

/* ---- a picture ------------------------------------------------------------------------------- */

static size_t rounded_up(size_t size)
{
    return (size + 63) / 64 * 64;
}

mrw_status mrwi_image_png_pack(mrw_png_encoder *encoder, const mrw_image *image,
                               const mrw_png_def *def, bool careful, size_t before, size_t behind,
                               uint8_t **out, size_t *size, mrw_error *error)
{
    source s = {.image = image,
                .kernels = mrwi_image_png_rows_kernels_for(def->isa),
                .stride = (size_t)image->width * image->channels};
    /* 64 bytes more than a row: kernels read and write so far behind it */
    size_t row = rounded_up(s.stride) + 64, map = rounded_up(row / 8 + 64);
    size_t ranges = rounded_up(image->height * sizeof *s.busy);
    size_t bytes = ranges + 2 * map + row + 64 + row + image->height;
    if (!mrwi_image_room_reserve(&encoder->work, bytes)) {
        return mrwi_base_fail_memory(error, bytes);
    }
    uint8_t *block = encoder->work.data, *nothing = block + ranges + 2 * map;
    filtered f = {.count = s.stride,
                  .bytes = nothing + row + 64,
                  .zeros = (uint64_t *)(void *)(block + ranges),
                  .runs = (uint64_t *)(void *)(block + ranges + map)};
    mrwi_image_png_range *busy = (mrwi_image_png_range *)(void *)block;
    uint8_t *filters = f.bytes + row;
    s.nothing = memset(nothing, 0, row);
    choose_filters(&s, filters, busy);
    s.filters = filters;
    s.busy = busy;
    packer p = {encoder, s, f, careful, {0}};
    mrw_status status = pack_fast(&p, before, behind, size, error);
    if (status == MRW_OK && def->effort == MRW_PNG_BEST) {
        status = pack_best(&p, before, behind, size, error);
    }
    *out = encoder->file.data;
    return status;
}
