/* png_pack.c: compresses the pixels of a picture to the zlib stream of a PNG.
 *
 * Rendered pictures are plain ground and smooth surfaces. Rows that repeat the row above are found
 * by a comparison and cost nothing more. Each other row gets the filter that leaves the smallest
 * sum of magnitudes, as PNG 12.7 proposes. Two passes over the filtered bytes follow: one counts
 * the symbols of some of the rows, which gives one prefix code for the whole picture, and one
 * writes. Runs of zeros become matches of distance 1. Matches of any distance are searched for if
 * some rows show that they save an eighth (smooth shading without noise, slopes), and in frames of
 * animations; png_match.c says how. Filtering twice is cheaper than storing the filtered bytes,
 * because memory that was not used before costs more.
 *
 * Every decision rests on integers that are the same in all kernels. */
#include "image/png_pack.h"

#include "base/memory.h"
#include "base/text.h"
#include "image/png_matched.h"
#include "marrow/codecs.h"

#include <libdeflate.h>

#define STORED_MOST  65535
#define STORED_BYTES 5 /* the header of a stored block */

/* The codes of a picture. */
typedef struct codes {
    mrwi_image_code symbols[MRWI_IMAGE_SYMBOLS];
    mrwi_image_code matches[MRWI_IMAGE_MOST_MATCH + 1]; /* length and distance */
    const mrwi_image_code *pairs;                       /* codes of two literals, or NULL */
    uint8_t lengths[MRWI_IMAGE_SYMBOLS];
    uint64_t literals, bits; /* number of literals, and of the bits that they take */
} codes;

/* ---- counting -------------------------------------------------------------------------------- */

/* In larger pictures only one row in eight is counted, and every symbol gets a code. */
#define COUNT_ALL_BYTES 131072
#define COUNT_ONE_OF    8 /* counting one row in 2 takes 25 % longer and saves 0.03 % */

static void count_symbols(const mrwi_image_png_source *s, mrwi_image_png_filtered *row,
                          mrwi_image_png_tally *tally)
{
    const bool all = (s->stride + 1) * s->image->height <= COUNT_ALL_BYTES;
    const uint32_t one_of = all ? 1 : COUNT_ONE_OF;
    uint32_t others = 0, repeated = 0;
    for (uint32_t y = 0; y < s->image->height; y++) {
        if (s->filters[y] == MRWI_IMAGE_PNG_REPEATED) {
            repeated++;
            continue;
        }
        tally->counts[s->filters[y]]++;
        if (others++ % one_of == 0) {
            mrwi_image_png_filter_row(s, y, (mrwi_image_png_filter)s->filters[y], row);
            mrwi_image_png_count_row(tally, row, one_of);
        }
    }
    mrwi_image_png_count_end(tally, one_of);
    if (repeated > 0) {
        tally->counts[MRWI_IMAGE_PNG_UP] += repeated;
        tally->counts[0] += repeated;
        mrwi_image_png_count_run(tally, s->stride - 1, repeated);
    }
    tally->counts[MRWI_IMAGE_END_OF_BLOCK]++;
    for (size_t i = 0; i < MRWI_IMAGE_SYMBOLS && !all; i++) {
        tally->counts[i] += tally->counts[i] == 0;
    }
}

static void find_codes(const mrwi_image_png_source *s, mrwi_image_png_filtered *row, codes *out)
{
    mrwi_image_png_tally tally = {0};
    *out = (codes){0};
    count_symbols(s, row, &tally);
    mrwi_image_code_lengths(tally.counts, MRWI_IMAGE_SYMBOLS, MRWI_IMAGE_CODE_LIMIT, out->lengths);
    mrwi_image_codes_assign(out->lengths, MRWI_IMAGE_SYMBOLS, out->symbols);
    for (uint32_t match = MRWI_IMAGE_LEAST_MATCH; match <= MRWI_IMAGE_MOST_MATCH; match++) {
        mrwi_image_length length = mrwi_image_length_of(match);
        const mrwi_image_code distance = 1; /* the bit 0 */
        mrwi_image_code extra = (mrwi_image_code)length.extra << 8 | length.extra_count;
        out->matches[match] = mrwi_image_code_join(
            mrwi_image_code_join(out->symbols[length.symbol], extra), distance);
    }
    for (size_t i = 0; i < 256; i++) {
        out->literals += tally.counts[i];
        out->bits += tally.counts[i] * out->lengths[i];
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Makes the codes of two literals; their bytes as a little-endian number are the index. */
static void make_pairs(const mrwi_image_code *symbols, mrwi_image_code *pairs)
{
    mrwi_image_code scales[256]; /* factors that move a code behind the first one */
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

/* Writes literals. Leaves up to 43 bits in the writer, so that it has room for a match. Not
 * inlined: in a larger function its loops lack registers and take a tenth longer. */
static __attribute__((noinline)) void put_literals(const codes *c, mrwi_image_bits *to,
                                                   const uint8_t *bytes, size_t count)
{
    mrwi_image_bits copy = *to, *bits = &copy; /* in registers: byte stores may alias *to */
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
    /* up to three more, without branches, which would be mispredicted: a code of 0 writes nothing
     */
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
        uint32_t match = mrwi_image_png_next_match(repeats);
        mrwi_image_put_code(bits, c->matches[match]);
        mrwi_image_bits_flush(bits);
        repeats -= match;
    }
}

/* Returns the checksum after another row that repeats the one above: the filter, then zeros (RFC
 * 1950, clause 8.2, in closed form). */
static uint32_t add_repeated_row(uint32_t checksum, size_t zeros)
{
    const uint64_t base = 65521;
    uint64_t low = ((checksum & 0xFFFF) + MRWI_IMAGE_PNG_UP) % base;
    uint64_t high = ((checksum >> 16) + low * (zeros + 1)) % base;
    return (uint32_t)(high << 16 | low);
}

static void put_row(const mrwi_image_png_source *s, uint32_t y, mrwi_image_png_filtered *row,
                    const codes *c, mrwi_image_bits *bits, uint32_t *checksum)
{
    if (s->filters[y] == MRWI_IMAGE_PNG_REPEATED) {
        mrwi_image_put_code(bits,
                            mrwi_image_code_join(c->symbols[MRWI_IMAGE_PNG_UP], c->symbols[0]));
        mrwi_image_bits_flush(bits);
        put_repeats(c, bits, s->stride - 1);
        *checksum = add_repeated_row(*checksum, s->stride);
        return;
    }
    mrwi_image_png_filter_row(s, y, (mrwi_image_png_filter)s->filters[y], row);
    *checksum = libdeflate_adler32(*checksum, row->bytes - 1, s->stride + 1);
    mrwi_image_put_code(bits, c->symbols[s->filters[y]]);
    mrwi_image_bits_flush(bits);
    for (size_t at = 0; at < s->stride;) {
        mrwi_image_png_span part = mrwi_image_png_next_span(row, at);
        put_literals(c, bits, part.literals, part.count);
        put_repeats(c, bits, part.repeats);
        mrwi_image_bits_flush(bits);
        at += part.count + part.repeats;
    }
}

/* Writes the stream. Returns its size, or 0 if it would be larger than `most`; up to a row more may
 * have been written then. */
static size_t write_coded(const mrwi_image_png_source *s, mrwi_image_png_filtered *row,
                          const codes *c, uint8_t *to, size_t most)
{
    static const uint8_t distance_1[MRWI_IMAGE_DISTANCES] = {1};
    uint32_t checksum = 1;
    mrwi_image_bits bits = {mrwi_image_zlib_begin(to), 0, 0};
    mrwi_image_put_block_header(&bits, c->lengths, distance_1, true);
    for (uint32_t y = 0; y < s->image->height && (size_t)(bits.to - to) <= most; y++) {
        put_row(s, y, row, c, &bits, &checksum);
    }
    mrwi_image_put_code(&bits, c->symbols[MRWI_IMAGE_END_OF_BLOCK]);
    mrwi_image_bits_end(&bits);
    size_t size = (size_t)(mrwi_image_zlib_end(bits.to, checksum) - to);
    return size <= most ? size : 0;
}

/* ---- stored ---------------------------------------------------------------------------------- */

static size_t raw_size(const mrwi_image_png_source *s)
{
    return (s->stride + 1) * s->image->height;
}

static size_t stored_size(const mrwi_image_png_source *s)
{
    size_t blocks = (raw_size(s) + STORED_MOST - 1) / STORED_MOST;
    return MRWI_IMAGE_ZLIB_BYTES + blocks * STORED_BYTES + raw_size(s);
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
    s->to[0] = size == s->left; /* the last block */
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

/* Writes the rows uncompressed: no code makes noise smaller. */
static size_t write_stored(const mrwi_image_png_source *s, uint8_t *to)
{
    const uint8_t none = MRWI_IMAGE_PNG_NONE;
    uint32_t checksum = 1;
    store blocks = {mrwi_image_zlib_begin(to), raw_size(s), 0};
    for (uint32_t y = 0; y < s->image->height; y++) {
        put_stored(&blocks, &none, 1);
        put_stored(&blocks, mrwi_image_png_row(s, y), s->stride);
        checksum = libdeflate_adler32(checksum, &none, 1);
        checksum = libdeflate_adler32(checksum, mrwi_image_png_row(s, y), s->stride);
    }
    return (size_t)(mrwi_image_zlib_end(blocks.to, checksum) - to);
}

/* ---- fast ------------------------------------------------------------------------------------ */

/* The number of literals from which the table of pairs saves more time than it takes to make. */
#define PAIRS_PAY 65536

/* Writes the stream with runs as its only matches, or stored when that is smaller. */
static mrw_status write_plain(mrwi_image_png_packer *p, codes *c, uint8_t *to, size_t most,
                              size_t *size, mrw_error *error)
{
    if (c->literals >= PAIRS_PAY) {
        const size_t bytes = 65536 * sizeof *c->pairs;
        if (!mrwi_image_room_reserve(&p->memory->pairs, bytes)) {
            return mrwi_base_fail_memory(error, bytes);
        }
        mrwi_image_code *pairs = (mrwi_image_code *)(void *)p->memory->pairs.data;
        make_pairs(c->symbols, pairs);
        c->pairs = pairs;
    }
    *size = c->bits / 8 < most ? write_coded(&p->source, &p->row, c, to, most) : 0;
    if (*size == 0) {
        *size = write_stored(&p->source, to);
    }
    return MRW_OK;
}

/* Returns false for texture and noise: many literals of many bits each. */
static bool may_have_patterns(const mrwi_image_png_source *s, const codes *c)
{
    return c->literals < raw_size(s) / 8 || c->bits < c->literals * 7 / 2;
}

/* Replaces the stream by one with matches if that is smaller. */
static mrw_status improve(mrwi_image_png_packer *p, const codes *c, size_t before, size_t behind,
                          size_t *size, mrw_error *error)
{
    mrwi_image_room *trial = &p->memory->trial, plain = p->memory->file;
    const size_t bound = before + *size + sizeof(uint64_t) + behind;
    size_t matched = 0;
    int filter = MRWI_IMAGE_PNG_NO_MATCHES;
    mrw_status status = mrwi_image_png_try_matches(p, c->lengths, &filter, error);
    if (status) {
        return status;
    }
    if (!mrwi_image_room_reserve(trial, bound)) {
        return mrwi_base_fail_memory(error, bound);
    }
    status =
        mrwi_image_png_write_matched(p, filter, trial->data + before, *size - 1, &matched, error);
    if (matched > 0) {
        p->memory->file = *trial;
        *trial = plain;
        *size = matched;
    }
    return status;
}

static mrw_status pack_fast(mrwi_image_png_packer *p, size_t before, size_t behind, size_t *size,
                            mrw_error *error)
{
    const size_t most = stored_size(&p->source);
    const size_t row_most = (p->source.stride + 1) * MRWI_IMAGE_CODE_LIMIT / 8;
    /* the row in which the limit is crossed, and 8 bytes of the bit writer */
    const size_t bound = before + most + MRWI_IMAGE_MOST_HEADER_BYTES + row_most + 16 + behind;
    mrw_status status;
    int filter = MRWI_IMAGE_PNG_NO_MATCHES;
    codes c;
    if (!mrwi_image_room_reserve(&p->memory->file, bound)) {
        return mrwi_base_fail_memory(error, bound);
    }
    uint8_t *to = p->memory->file.data + before;
    find_codes(&p->source, &p->row, &c);
    *size = 0;
    if (!p->careful && (p->deep || may_have_patterns(&p->source, &c))) {
        status = mrwi_image_png_try_matches(p, c.lengths, &filter, error);
        if (status) {
            return status;
        }
    }
    if (filter != MRWI_IMAGE_PNG_NO_MATCHES) {
        status = mrwi_image_png_write_matched(p, filter, to, most, size, error);
        if (status) {
            return status;
        }
    }
    if (*size == 0) {
        status = write_plain(p, &c, to, most, size, error);
        if (status) {
            return status;
        }
    }
    return p->careful ? improve(p, &c, before, behind, size, error) : MRW_OK;
}

/* ---- best ------------------------------------------------------------------------------------ */

#define BEST_LEVEL  12 /* libdeflate's strongest level */
#define TRIAL_LEVEL 6

/* Compresses the `size` bytes of all rows at a level of libdeflate. Returns 0 without memory. */
static size_t pack_rows(mrw_png_encoder *memory, size_t size, int level, uint8_t *to, size_t most)
{
    struct libdeflate_compressor **compressor = &memory->compressors[level == BEST_LEVEL];
    if (!*compressor) {
        *compressor = libdeflate_alloc_compressor(level);
    }
    return !*compressor ? 0
                        : libdeflate_zlib_compress(*compressor, memory->rows.data, size, to, most);
}

/* Replaces the stream of pack_fast by libdeflate's if that is smaller. Repeated patterns compress
 * best without filters, shading with them: a quicker level finds out which the picture needs. */
static mrw_status pack_best(mrwi_image_png_packer *p, size_t before, size_t behind, size_t *size,
                            mrw_error *error)
{
    static const int ways[] = {MRWI_IMAGE_PNG_REPEATED, MRWI_IMAGE_PNG_NONE, MRWI_IMAGE_PNG_UP};
    const size_t raw = raw_size(&p->source), most = libdeflate_zlib_compress_bound(NULL, raw);
    mrwi_image_room *rows = &p->memory->rows, *trial = &p->memory->trial, fast = p->memory->file;
    size_t least = SIZE_MAX, used = 1;
    int best = MRWI_IMAGE_PNG_REPEATED;
    if (!mrwi_image_room_reserve(rows, raw) ||
        !mrwi_image_room_reserve(trial, before + most + behind)) {
        return mrwi_base_fail_memory(error, before + most + behind);
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways && used > 0; i++) {
        mrwi_image_png_filter_rows(&p->source, &p->row, ways[i], 0, p->source.image->height,
                                   rows->data);
        used = pack_rows(p->memory, raw, TRIAL_LEVEL, trial->data + before, most);
        best = used < least ? ways[i] : best;
        least = used < least ? used : least;
    }
    if (used > 0) {
        mrwi_image_png_filter_rows(&p->source, &p->row, best, 0, p->source.image->height,
                                   rows->data);
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
    mrwi_image_png_source s = {.image = image,
                               .kernels = mrwi_image_png_rows_kernels_for(def->isa),
                               .stride = (size_t)image->width * image->channels};
    /* 64 bytes more than a row: kernels read and write up to 64 bytes behind it */
    size_t row = rounded_up(s.stride) + 64, map = rounded_up(row / 8 + 64);
    size_t ranges = rounded_up(image->height * sizeof *s.busy);
    size_t bytes = ranges + 2 * map + row + 64 + row + image->height;
    if (!mrwi_image_room_reserve(&encoder->work, bytes)) {
        return mrwi_base_fail_memory(error, bytes);
    }
    uint8_t *block = encoder->work.data, *nothing = block + ranges + 2 * map;
    mrwi_image_png_filtered f = {.count = s.stride,
                                 .bytes = nothing + row + 64,
                                 .zeros = (uint64_t *)(void *)(block + ranges),
                                 .runs = (uint64_t *)(void *)(block + ranges + map)};
    mrwi_image_png_range *busy = (mrwi_image_png_range *)(void *)block;
    uint8_t *filters = f.bytes + row;
    s.nothing = memset(nothing, 0, row);
    mrwi_image_png_choose_filters(&s, filters, busy);
    s.filters = filters;
    s.busy = busy;
    const bool deep = image->channels != 3 && image->channels != 4; /* 2, 6 or 8 bytes a pixel */
    mrwi_image_png_packer p = {encoder, s, f, careful, deep};
    mrw_status status = pack_fast(&p, before, behind, size, error);
    if (status) {
        return status;
    }
    if (def->effort == MRW_PNG_BEST) {
        status = pack_best(&p, before, behind, size, error);
        if (status) {
            return status;
        }
    }
    *out = encoder->file.data;
    return MRW_OK;
}
