/* png_matched.c: the zlib stream of a picture with matches of any distance: an estimate whether it
 * is worth its time, and the stream itself. */
#include "image/png_matched.h"

#include "base/text.h"
#include "base/work.h"
#include "image/png_match.h"

#include <libdeflate.h>

/* ---- the stream ------------------------------------------------------------------------------ */

uint8_t *mrwi_image_zlib_begin(uint8_t *to)
{
    to[0] = 0x78;
    to[1] = 0x01;
    return to + 2;
}

uint8_t *mrwi_image_zlib_end(uint8_t *to, uint32_t checksum)
{
    for (int i = 0; i < 4; i++) {
        *to++ = (uint8_t)(checksum >> (24 - 8 * i));
    }
    return to;
}

uint32_t mrwi_image_zlib_join(uint32_t first, uint32_t second, size_t size)
{
    const uint64_t base = 65521, before = (first & 0xFFFF) + base - 1;
    const uint64_t low = (before + (second & 0xFFFF)) % base;
    const uint64_t high = ((first >> 16) + (second >> 16) + before % base * (size % base)) % base;
    return (uint32_t)(high << 16 | low);
}

void mrwi_image_png_filter_rows(const mrwi_image_png_source *s, mrwi_image_png_filtered *row,
                                int same, uint32_t y, uint32_t count, uint8_t *to)
{
    for (uint32_t end = y + count; y < end && mrwi_base_work_goes_on(); y++) {
        int chosen = same != MRWI_IMAGE_PNG_REPEATED            ? same
                     : s->filters[y] != MRWI_IMAGE_PNG_REPEATED ? s->filters[y]
                                                                : MRWI_IMAGE_PNG_UP;
        mrwi_image_png_filter_row(s, y, (mrwi_image_png_filter)chosen, row);
        memcpy(to, row->bytes - 1, s->stride + 1);
        to += s->stride + 1;
    }
}

/* Filters some rows and finds the matches in them. The first `begin` rows are only history. */
static mrw_status match_rows(mrwi_image_png_packer *p, int filter, uint32_t y, uint32_t count,
                             uint32_t begin, mrwi_image_png_matches *out, mrw_error *error)
{
    const size_t row = p->source.stride + 1;
    mrwi_image_room *rows = &p->memory->rows;
    const mrw_status status = mrwi_base_work_check(NULL, error);
    if (status) {
        return status;
    }
    if (!mrwi_image_room_reserve(rows, row * count)) {
        return mrwi_base_fail_memory(error, row * count);
    }
    const mrwi_image_png_window window = {.bytes = rows->data,
                                          .count = row * count,
                                          .begin = row * begin,
                                          .row = row,
                                          .careful = p->careful,
                                          .deep = p->deep};
    mrwi_image_png_filter_rows(&p->source, &p->row, filter, y, count, rows->data);
    return mrwi_image_png_match(p->memory, &window, out, error);
}

/* Blocks of this many bytes are searched and written one after another. So memory does not grow
 * with the picture, and each block has its own codes. */
#define MATCHED_BYTES ((size_t)1 << 19)

static uint32_t rows_of_block(const mrwi_image_png_source *s)
{
    const size_t rows = MATCHED_BYTES / (s->stride + 1);
    return rows < 1 ? 1 : rows < s->image->height ? (uint32_t)rows : s->image->height;
}

mrw_status mrwi_image_png_write_matched(mrwi_image_png_packer *p, int filter, uint8_t *to,
                                        size_t most, size_t *size, mrw_error *error)
{
    const uint32_t height = p->source.image->height, rows = rows_of_block(&p->source);
    const size_t row = p->source.stride + 1;
    uint32_t checksum = 1;
    mrwi_image_bits bits = {mrwi_image_zlib_begin(to), 0, 0};
    *size = 0;
    for (uint32_t y = 0; y < height; y += rows) {
        const uint32_t count = height - y < rows ? height - y : rows;
        mrwi_image_png_matches found;
        mrw_status status = match_rows(p, filter, y, count, 0, &found, error);
        if (status != MRW_OK ||
            (size_t)(bits.to - to) + found.bits / 8 + MRWI_IMAGE_ZLIB_BYTES > most) {
            return status;
        }
        mrwi_image_png_put_matches(&found, y + count == height, &bits);
        checksum = libdeflate_adler32(checksum, p->memory->rows.data, row * count);
    }
    mrwi_image_bits_end(&bits);
    *size = (size_t)(mrwi_image_zlib_end(bits.to, checksum) - to);
    return MRW_OK;
}

/* ---- the estimate ---------------------------------------------------------------------------- */

/* Strips of rows, spread over the picture, are compressed in both ways before the whole picture is.
 * Eight rows of history fill the window at a width of 1280 pixels; without them a strip shows a
 * third of what matches save. */
#define STRIP_ROWS   12
#define HISTORY_ROWS 8   /* rows of a strip that are history only */
#define ROWS_A_STRIP 512 /* rows of the picture for each strip */
#define WORTH        8   /* in a still, matches must save one eighth */
#define WORTH_DEEP   3   /* with 16 bits one third: they take ten times as long as none */

typedef struct strip {
    uint32_t y, count;
    uint32_t begin; /* rows of history */
} strip;

static uint32_t count_strips(const mrwi_image_png_source *s)
{
    return 1 + s->image->height / ROWS_A_STRIP;
}

/* Returns a strip that begins at the first row of which `busy` rows above are not repeated; a small
 * picture is one strip. */
static strip find_strip(const mrwi_image_png_source *s, uint32_t busy)
{
    const uint32_t height = s->image->height;
    uint32_t y = 0;
    if (height <= 2 * STRIP_ROWS) {
        return (strip){0, height, 0};
    }
    while (y < height - STRIP_ROWS && (s->filters[y] == MRWI_IMAGE_PNG_REPEATED || busy > 0)) {
        busy -= s->filters[y++] != MRWI_IMAGE_PNG_REPEATED;
    }
    return (strip){y, STRIP_ROWS, HISTORY_ROWS};
}

/* Returns the extra bits of a match's length (RFC 1951, 3.2.5). */
static uint32_t extra_bits(size_t symbol)
{
    const size_t length = symbol - MRWI_IMAGE_END_OF_BLOCK - 1;
    return length < 8 || symbol == MRWI_IMAGE_SYMBOLS - 1 ? 0 : (uint32_t)(length / 4 - 1);
}

/* Returns the bits that the rows of a strip take with these codes, without matches. */
static uint64_t count_coded(mrwi_image_png_packer *p, strip rows,
                            const uint8_t lengths[MRWI_IMAGE_SYMBOLS])
{
    mrwi_image_png_tally tally = {0};
    uint64_t bits = 0;
    for (uint32_t y = rows.y + rows.begin; y < rows.y + rows.count; y++) {
        const int chosen = p->source.filters[y];
        const bool repeated = chosen == MRWI_IMAGE_PNG_REPEATED;
        mrwi_image_png_filter_row(
            &p->source, y, repeated ? MRWI_IMAGE_PNG_UP : (mrwi_image_png_filter)chosen, &p->row);
        mrwi_image_png_count_row(&tally, &p->row, 1);
    }
    mrwi_image_png_count_end(&tally, 1);
    for (size_t i = 0; i < MRWI_IMAGE_SYMBOLS; i++) {
        const uint32_t more = i > MRWI_IMAGE_END_OF_BLOCK ? extra_bits(i) + 1 : 0;
        bits += tally.counts[i] * (lengths[i] + more);
    }
    return bits;
}

/* Adds up the bits of strips that are spread evenly over the rows that are not repeated: with the
 * codes of the whole picture, and with matches for each way to filter. */
static mrw_status add_strips(mrwi_image_png_packer *p, const uint8_t lengths[MRWI_IMAGE_SYMBOLS],
                             const int *ways, uint32_t way_count, uint64_t *coded,
                             uint64_t *matched, mrw_error *error)
{
    const uint32_t count = count_strips(&p->source);
    uint64_t busy = 0;
    for (uint32_t y = 0; y < p->source.image->height; y++) {
        busy += p->source.filters[y] != MRWI_IMAGE_PNG_REPEATED;
    }
    for (uint32_t i = 0; i < count; i++) {
        const strip rows = find_strip(&p->source, (uint32_t)(busy * (2 * i + 1) / (2 * count)));
        *coded += count_coded(p, rows, lengths);
        for (uint32_t way = 0; way < way_count; way++) {
            mrwi_image_png_matches found;
            mrw_status status =
                match_rows(p, ways[way], rows.y, rows.count, rows.begin, &found, error);
            if (status != MRW_OK) {
                return status;
            }
            matched[way] += found.bits;
        }
    }
    return MRW_OK;
}

mrw_status mrwi_image_png_try_matches(mrwi_image_png_packer *p,
                                      const uint8_t lengths[MRWI_IMAGE_SYMBOLS], int *filter,
                                      mrw_error *error)
{
    static const int ways[] = {MRWI_IMAGE_PNG_REPEATED, MRWI_IMAGE_PNG_NONE};
    uint64_t coded = 0, matched[2] = {0};
    mrw_status status = add_strips(p, lengths, ways, p->careful ? 2 : 1, &coded, matched, error);
    if (p->careful) {
        *filter = ways[matched[1] < matched[0]];
    } else {
        const uint64_t saved = coded / (p->deep ? WORTH_DEEP : WORTH);
        *filter = matched[0] < coded - saved ? MRWI_IMAGE_PNG_REPEATED : MRWI_IMAGE_PNG_NO_MATCHES;
    }
    return status;
}
