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
#include "base/parallel.h"
#include "base/text.h"
#include "base/work.h"
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

static bool counts_all(const mrwi_image_png_source *s)
{
    return (s->stride + 1) * s->image->height <= COUNT_ALL_BYTES;
}

static void count_band(void *user, int64_t index, int worker)
{
    const mrwi_image_png_packer *p = user;
    const mrwi_image_png_source *s = &p->source;
    mrwi_image_png_band *band = &p->bands[index];
    mrwi_image_png_filtered *row = &band->row;
    mrwi_image_png_tally *tally = &band->tally;
    const uint32_t one_of = counts_all(s) ? 1 : COUNT_ONE_OF;
    uint32_t others = band->others, repeated = 0;
    (void)worker;
    *tally = (mrwi_image_png_tally){0};
    for (uint32_t y = band->first; y < band->end && mrwi_base_work_goes_on(); y++) {
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
}

/* Counts the symbols of the picture. */
static void count_symbols(mrwi_image_png_packer *p, uint64_t counts[MRWI_IMAGE_SYMBOLS])
{
    mrwi_base_parallel_for(p->threads, p->band_count, count_band, p);
    for (uint32_t b = 0; b < p->band_count; b++) {
        for (size_t i = 0; i < MRWI_IMAGE_SYMBOLS; i++) {
            counts[i] += p->bands[b].tally.counts[i];
        }
    }
    counts[MRWI_IMAGE_END_OF_BLOCK]++;
    for (size_t i = 0; i < MRWI_IMAGE_SYMBOLS && !counts_all(&p->source); i++) {
        counts[i] += counts[i] == 0;
    }
}

static void find_codes(mrwi_image_png_packer *p, codes *out)
{
    uint64_t counts[MRWI_IMAGE_SYMBOLS] = {0};
    *out = (codes){0};
    count_symbols(p, counts);
    mrwi_image_code_lengths(counts, MRWI_IMAGE_SYMBOLS, MRWI_IMAGE_CODE_LIMIT, out->lengths);
    mrwi_image_codes_assign(out->lengths, MRWI_IMAGE_SYMBOLS, out->symbols);
    for (uint32_t match = MRWI_IMAGE_LEAST_MATCH; match <= MRWI_IMAGE_MOST_MATCH; match++) {
        mrwi_image_length length = mrwi_image_length_of(match);
        const mrwi_image_code distance = 1; /* the bit 0 */
        mrwi_image_code extra = (mrwi_image_code)length.extra << 8 | length.extra_count;
        out->matches[match] = mrwi_image_code_join(
            mrwi_image_code_join(out->symbols[length.symbol], extra), distance);
    }
    for (size_t i = 0; i < 256; i++) {
        out->literals += counts[i];
        out->bits += counts[i] * out->lengths[i];
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

/* ---- bands ----------------------------------------------------------------------------------- */

typedef struct write_job {
    const mrwi_image_png_packer *packer;
    const codes *codes;
    size_t most;
} write_job;

static void write_band(void *user, int64_t index, int worker)
{
    const write_job *job = user;
    mrwi_image_png_band *band = &job->packer->bands[index];
    mrwi_image_bits bits = band->bits;
    uint32_t checksum = 1;
    (void)worker;
    for (uint32_t y = band->first;
         y < band->end && mrwi_base_work_goes_on() && (size_t)(bits.to - band->from) <= job->most;
         y++) {
        put_row(&job->packer->source, y, &band->row, job->codes, &bits, &checksum);
    }
    band->bits = bits;
    band->checksum = checksum;
}

/* Returns the most bytes that the codes of so many rows take, and those that the writer stores
 * behind them. */
static size_t most_coded(const mrwi_image_png_source *s, uint32_t rows)
{
    return ((s->stride + 1) * MRWI_IMAGE_CODE_LIMIT / 8 + 1) * rows + 16;
}

/* Gives memory to all bands but the first, which is written where it belongs. */
static mrw_status place_bands(mrwi_image_png_packer *p, mrw_error *error)
{
    size_t size = 0;
    for (uint32_t b = 1; b < p->band_count; b++) {
        size += most_coded(&p->source, p->bands[b].end - p->bands[b].first);
    }
    if (p->band_count > 1 && !mrwi_image_room_reserve(&p->memory->trial, size)) {
        return mrwi_base_fail_memory(error, size);
    }
    uint8_t *at = p->memory->trial.data;
    for (uint32_t b = 1; b < p->band_count; b++) {
        mrwi_image_png_band *band = &p->bands[b];
        band->from = at;
        band->bits = (mrwi_image_bits){at, 0, 0};
        at += most_coded(&p->source, band->end - band->first);
    }
    return MRW_OK;
}

/* Writes the stream. Sets *size to its size, or to 0 if it would be larger than `most`; up to a row
 * more may have been written then. All bands are written side by side, then joined. */
static mrw_status write_coded(mrwi_image_png_packer *p, const codes *c, uint8_t *to, size_t most,
                              size_t *size, mrw_error *error)
{
    static const uint8_t distance_1[MRWI_IMAGE_DISTANCES] = {1};
    write_job job = {p, c, most};
    mrw_status status = place_bands(p, error);
    *size = 0;
    if (status) {
        return status;
    }
    p->bands[0].from = to;
    p->bands[0].bits = (mrwi_image_bits){mrwi_image_zlib_begin(to), 0, 0};
    mrwi_image_put_block_header(&p->bands[0].bits, c->lengths, distance_1, true);
    mrwi_base_parallel_for(p->threads, p->band_count, write_band, &job);
    status = mrwi_base_work_check(NULL, error);
    if (status) {
        return status;
    }
    mrwi_image_bits bits = p->bands[0].bits;
    uint32_t checksum = p->bands[0].checksum;
    for (uint32_t b = 1; b < p->band_count; b++) {
        const mrwi_image_png_band *band = &p->bands[b];
        if ((size_t)(bits.to - to) + (size_t)(band->bits.to - band->from) > most) {
            return MRW_OK;
        }
        mrwi_image_bits_append(&bits, band->from, &band->bits);
        checksum = mrwi_image_zlib_join(checksum, band->checksum,
                                        (p->source.stride + 1) * (band->end - band->first));
    }
    mrwi_image_put_code(&bits, c->symbols[MRWI_IMAGE_END_OF_BLOCK]);
    mrwi_image_bits_end(&bits);
    const size_t all = (size_t)(mrwi_image_zlib_end(bits.to, checksum) - to);
    *size = all <= most ? all : 0;
    return MRW_OK;
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
    *size = 0;
    if (c->bits / 8 < most) {
        mrw_status status = write_coded(p, c, to, most, size, error);
        if (status) {
            return status;
        }
    }
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
    find_codes(p, &c);
    *size = 0;
    status = mrwi_base_work_check(NULL, error);
    if (status) {
        return status;
    }
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

/* Compresses the `size` bytes of all rows at a level of libdeflate. Returns 0 without memory, or if
 * the work must end. */
static size_t pack_rows(mrw_png_encoder *memory, size_t size, int level, uint8_t *to, size_t most)
{
    struct libdeflate_compressor **compressor = &memory->compressors[level == BEST_LEVEL];
    if (!*compressor) {
        *compressor = libdeflate_alloc_compressor(level);
    }
    if (!*compressor || !mrwi_base_work_goes_on()) {
        return 0;
    }
    mrwi_base_work_deaf(true);
    const size_t used = libdeflate_zlib_compress(*compressor, memory->rows.data, size, to, most);
    mrwi_base_work_deaf(false);
    return used;
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
    const mrw_status status = mrwi_base_work_check(NULL, error);
    if (status || used == 0) {
        return status ? status : mrwi_base_fail_memory(error, before + most + behind);
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

/* Fewer rows or bytes than these are not worth another band. A thread gets several bands, because
 * some rows take longer than others. */
#define BAND_ROWS      16
#define BAND_BYTES     32768
#define BANDS_A_THREAD 4
#define MOST_BANDS     256

static uint32_t count_bands(const mrwi_image_png_source *s, int threads)
{
    const size_t rows = s->image->height / BAND_ROWS, bytes = raw_size(s) / BAND_BYTES;
    const size_t wanted = threads < MOST_BANDS ? (size_t)threads * BANDS_A_THREAD : MOST_BANDS;
    const size_t most = rows < bytes ? rows : bytes;
    const size_t count = wanted < most ? wanted : most;
    return threads <= 1 || count < 1 ? 1 : (uint32_t)(count < MOST_BANDS ? count : MOST_BANDS);
}

typedef struct choose_job {
    const mrwi_image_png_packer *packer;
    uint8_t *filters;
    mrwi_image_png_range *busy;
} choose_job;

static void choose_band(void *user, int64_t index, int worker)
{
    const choose_job *job = user;
    const mrwi_image_png_band *band = &job->packer->bands[index];
    (void)worker;
    mrwi_image_png_choose_filters(&job->packer->source, band->first, band->end, job->filters,
                                  job->busy);
}

/* Divides the encoder's work memory, and the rows among bands; chooses the filters. */
static mrw_status begin(mrwi_image_png_packer *p, mrw_error *error)
{
    mrwi_image_png_source *s = &p->source;
    const uint32_t height = s->image->height;
    /* 64 bytes more than a row: kernels read and write up to 64 bytes behind it */
    const size_t row = rounded_up(s->stride) + 64, map = rounded_up(row / 8 + 64);
    const size_t ranges = rounded_up(height * sizeof *s->busy), work = 2 * map + 64 + row;
    const size_t filters = rounded_up(height), bands = p->band_count * sizeof *p->bands;
    const size_t bytes = ranges + p->band_count * work + row + filters + bands;
    if (!mrwi_image_room_reserve(&p->memory->work, bytes)) {
        return mrwi_base_fail_memory(error, bytes);
    }
    uint8_t *block = p->memory->work.data, *nothing = block + ranges + p->band_count * work;
    choose_job job = {p, nothing + row, (mrwi_image_png_range *)(void *)block};
    p->bands = (mrwi_image_png_band *)(void *)(nothing + row + filters);
    for (uint32_t b = 0; b < p->band_count; b++) {
        uint8_t *own = block + ranges + b * work;
        p->bands[b] =
            (mrwi_image_png_band){.first = (uint32_t)((uint64_t)height * b / p->band_count),
                                  .end = (uint32_t)((uint64_t)height * (b + 1) / p->band_count),
                                  .row = {.count = s->stride,
                                          .bytes = own + 2 * map + 64,
                                          .zeros = (uint64_t *)(void *)own,
                                          .runs = (uint64_t *)(void *)(own + map)}};
    }
    p->row = p->bands[0].row;
    s->nothing = memset(nothing, 0, row);
    s->filters = job.filters;
    s->busy = job.busy;
    mrwi_base_parallel_for(p->threads, p->band_count, choose_band, &job);
    const mrw_status status = mrwi_base_work_check(NULL, error);
    if (status) {
        return status;
    }
    uint32_t others = 0;
    for (uint32_t b = 0; b < p->band_count; b++) {
        p->bands[b].others = others;
        for (uint32_t y = p->bands[b].first; y < p->bands[b].end; y++) {
            others += job.filters[y] != MRWI_IMAGE_PNG_REPEATED;
        }
    }
    return MRW_OK;
}

mrw_status mrwi_image_png_pack(mrw_png_encoder *encoder, const mrw_image *image,
                               const mrw_png_def *def, bool careful, size_t before, size_t behind,
                               uint8_t **out, size_t *size, mrw_error *error)
{
    const mrwi_image_png_source s = {.image = image,
                                     .kernels = mrwi_image_png_rows_kernels_for(def->isa),
                                     .stride = (size_t)image->width * image->channels};
    const int threads = def->threads > 1 && !mrwi_base_parallel_inside() ? def->threads : 1;
    mrwi_image_png_packer p = {.memory = encoder,
                               .source = s,
                               .band_count = count_bands(&s, threads),
                               .threads = threads,
                               .careful = careful,
                               /* 2, 6 or 8 bytes per pixel */
                               .deep = image->channels != 3 && image->channels != 4};
    mrw_status status = begin(&p, error);
    if (status) {
        return status;
    }
    status = pack_fast(&p, before, behind, size, error);
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
    return mrwi_base_work_check(NULL, error); /* rows may have been left out */
}
