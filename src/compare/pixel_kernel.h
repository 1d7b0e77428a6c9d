/* pixel_kernel.h: the kernels of the pixel mode, MRWI_BASE_LANES pixels at a time.
 *
 * A kernel file defines MRWI_BASE_LANES and MRWI_COMPARE_PIXEL_KERNELS, the name of its table, and
 * includes this. All is in integers. A lane holds a pixel as mrwi_compare_pixel has it.
 */
#include "base/simd/lanes.h"
#include "compare/pixel.h"

#define LOW_BYTES 0x00FF00FF /* low byte of each half of a lane */

/* ---- bytes in lanes -------------------------------------------------------------------------- */

#if MRWI_BASE_LANES == 1
/* Returns max(a - b, 0), byte by byte. */
LANE_INLINE vi bytes_above(vi a, vi b)
{
    uint32_t out = 0;
    for (int c = 0; c < 4; c++) {
        uint32_t p = mrwi_compare_channel((uint32_t)a, c), q = mrwi_compare_channel((uint32_t)b, c);
        out |= (p > q ? p - q : 0) << (8 * c);
    }
    return (int32_t)out;
}

/* Multiplies both halves of a lane, which are below 2^15, by a number each and adds the products.
 */
LANE_INLINE vi halves_dot(vi v, int16_t low, int16_t high)
{
    return (v & 0xFFFF) * low + vi_shift_right(v, 16) * high;
}

/* Squares both halves, which are below 256. */
LANE_INLINE vi halves_squared(vi v)
{
    const uint32_t low = (uint32_t)v & 0xFFFF, high = (uint32_t)v >> 16;
    return (int32_t)(low * low | high * high << 16);
}

/* Returns -1 in lanes whose byte is not 0; `left` bytes are readable. */
LANE_INLINE vi bytes_set(const uint8_t *p, uint32_t left)
{
    (void)left;
    return *p != 0 ? -1 : 0;
}

#else

typedef uint16_t halves __attribute__((vector_size(4 * MRWI_BASE_LANES)));
typedef uint8_t bytes __attribute__((vector_size(4 * MRWI_BASE_LANES)));

LANE_INLINE vi bytes_above(vi a, vi b)
{
#if MRWI_BASE_LANES == 16
    return (vi)_mm512_subs_epu8((__m512i)a, (__m512i)b);
#elif MRWI_BASE_LANES == 8
    return (vi)_mm256_subs_epu8((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (vi)_mm_subs_epu8((__m128i)a, (__m128i)b);
#else
    return (vi)vqsubq_u8((uint8x16_t)a, (uint8x16_t)b);
#endif
}

LANE_INLINE vi halves_dot(vi v, int16_t low, int16_t high)
{
    const vi factors = vi_set((int32_t)(((uint32_t)(uint16_t)high << 16) | (uint16_t)low));
#if MRWI_BASE_LANES == 16
    return (vi)_mm512_madd_epi16((__m512i)v, (__m512i)factors);
#elif MRWI_BASE_LANES == 8
    return (vi)_mm256_madd_epi16((__m256i)v, (__m256i)factors);
#elif defined(__SSE2__)
    return (vi)_mm_madd_epi16((__m128i)v, (__m128i)factors);
#else
    return (v & 0xFFFF) * (factors & 0xFFFF) + vi_shift_right(v, 16) * vi_shift_right(factors, 16);
#endif
}

LANE_INLINE vi halves_squared(vi v)
{
    return (vi)((halves)v * (halves)v);
}

LANE_INLINE vi bytes_set(const uint8_t *p, uint32_t left)
{
    typedef uint8_t few __attribute__((vector_size(MRWI_BASE_LANES)));
    few v = {0};
    if (left >= MRWI_BASE_LANES) {
        memcpy(&v, p, sizeof v);
    } else {
        memcpy(&v, p, left);
    }
    return (vi)(__builtin_convertvector(v, vi) != 0);
}
#endif

LANE_INLINE vi bytes_max(vi a, vi b)
{
    const vi more = bytes_above(a, b);
#if MRWI_BASE_LANES == 1
    return (int32_t)((uint32_t)more + (uint32_t)b);
#else
    return (vi)((bytes)more + (bytes)b);
#endif
}

#if MRWI_BASE_LANES <= 4
LANE_INLINE int32_t load_four(const uint8_t *p)
{
    int32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}
#endif

/* Loads pixels of 3 bytes into lanes, opaque. Reads at most 64 bytes. */
LANE_INLINE vi load_rgb(const uint8_t *p)
{
    const vi opaque = vi_set((int32_t)0xFF000000u);
#if MRWI_BASE_LANES == 16
    const __m512i parts = _mm512_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
    const __m512i spread =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
    return (vi)_mm512_shuffle_epi8(_mm512_permutexvar_epi32(parts, _mm512_loadu_si512(p)), spread) |
           opaque;
#elif MRWI_BASE_LANES == 8
    const __m256i spread = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(p + 12));
    return (vi)_mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1),
                                   spread) |
           opaque;
#elif MRWI_BASE_LANES == 4
    return (vi){load_four(p), load_four(p + 3), load_four(p + 6), load_four(p + 9)} | opaque;
#else
    return load_four(p) | opaque;
#endif
}

LANE_INLINE vi load_pixels(const uint8_t *p, uint32_t channels)
{
    return channels == 4 ? vi_load(p) : load_rgb(p);
}

/* Returns bits; bit i is set if lane i is not 0. */
LANE_INLINE uint64_t bits_set(vi v)
{
#if MRWI_BASE_LANES == 16
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v);
#else
    return mask_bits(~vi_equal(v, vi_set(0)));
#endif
}

LANE_INLINE uint64_t bits_equal(vi a, vi b)
{
#if MRWI_BASE_LANES == 16
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
#else
    return mask_bits(vi_equal(a, b));
#endif
}

/* Returns -1 in the lanes whose bit is set. */
LANE_INLINE vi mask_of_bits(uint32_t bits)
{
#if MRWI_BASE_LANES == 16
    return (vi)_mm512_movm_epi32((__mmask16)bits);
#elif MRWI_BASE_LANES == 8
    const vi lane = {1, 2, 4, 8, 16, 32, 64, 128};
    return vi_equal(vi_set((int32_t)bits) & lane, lane);
#elif MRWI_BASE_LANES == 4
    const vi lane = {1, 2, 4, 8};
    return vi_equal(vi_set((int32_t)bits) & lane, lane);
#else
    return -(int32_t)(bits & 1);
#endif
}

/* ---- differences ----------------------------------------------------------------------------- */

typedef struct lane_sums {
    vi sum[MRWI_COMPARE_REGIONS], squares[MRWI_COMPARE_REGIONS];
} lane_sums;

LANE_INLINE vi in_subject(const mrwi_compare_rows *rows, uint32_t x, vi a, vi b)
{
    if (rows->subject == MRW_SUBJECT_DRAWN) {
        const uint32_t left = rows->width - x;
        return bytes_set(rows->drawn[0] + x, left) | bytes_set(rows->drawn[1] + x, left);
    }
    return rows->subject == MRW_SUBJECT_ALPHA ? ~vi_equal(vi_shift_right(a | b, 24), vi_set(0))
                                              : vi_set(-1);
}

LANE_INLINE void add_delta(lane_sums *out, vi delta, vi inside)
{
    const vi even = delta & LOW_BYTES, odd = vi_shift_right(delta, 8) & LOW_BYTES;
    const vi both = even + odd, p = halves_squared(even), q = halves_squared(odd);
    const vi sum = (both & 0xFFFF) + vi_shift_right(both, 16);
    const vi squares =
        ((p & 0xFFFF) + vi_shift_right(p, 16)) + ((q & 0xFFFF) + vi_shift_right(q, 16));
    out->sum[MRWI_COMPARE_IN_SUBJECT] += sum & inside;
    out->squares[MRWI_COMPARE_IN_SUBJECT] += squares & inside;
    out->sum[MRWI_COMPARE_IN_REST] += sum & ~inside;
    out->squares[MRWI_COMPARE_IN_REST] += squares & ~inside;
}

LANE_INLINE uint64_t added_lanes(vi v)
{
    int32_t lanes[MRWI_BASE_LANES];
    uint64_t sum = 0;
    vi_store(lanes, v);
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        sum += (uint32_t)lanes[i];
    }
    return sum;
}

static void flush_sums(lane_sums *sums, mrwi_compare_differences *out)
{
    for (int i = 0; i < MRWI_COMPARE_REGIONS; i++) {
        out->sum[i] += added_lanes(sums->sum[i]);
        out->squares[i] += added_lanes(sums->squares[i]);
        sums->sum[i] = sums->squares[i] = vi_set(0);
    }
}

static void raise_largest(vi most, uint32_t largest[4])
{
    int32_t lanes[MRWI_BASE_LANES];
    vi_store(lanes, most);
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        for (int c = 0; c < 4; c++) {
            const uint32_t d = mrwi_compare_channel((uint32_t)lanes[i], c);
            largest[c] = d > largest[c] ? d : largest[c];
        }
    }
}

typedef struct subtraction {
    lane_sums sums;
    vi most;
    uint64_t differing, counting;
} subtraction;

/* Compares the pixels of a word from x on. */
LANE_INLINE void subtract_word(const mrwi_compare_rows *rows, uint32_t x, bool plain,
                               subtraction *s)
{
    const uint32_t left = rows->width - x,
                   count = left < MRWI_COMPARE_WORD ? left : MRWI_COMPARE_WORD;
    const vi limit = vi_set((int32_t)(rows->max_delta * 0x01010101u));
    s->differing = s->counting = 0;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vi a =
            load_pixels(rows->pixels[0] + (size_t)(x + i) * rows->channels[0], rows->channels[0]);
        const vi b =
            load_pixels(rows->pixels[1] + (size_t)(x + i) * rows->channels[1], rows->channels[1]);
        vi delta = bytes_above(a, b) | bytes_above(b, a);
        if (count - i < MRWI_BASE_LANES) {
            delta &= vi_less(lane_numbers(), vi_set((int32_t)(count - i)));
        }
        if (!plain && rows->mask) {
            delta &= ~bytes_set(rows->mask + x + i, left - i);
        }
        s->most = bytes_max(s->most, delta);
        s->differing |= bits_set(delta) << i;
        s->counting |= bits_set(bytes_above(delta, limit)) << i;
        if (!plain && rows->sums) {
            add_delta(&s->sums, delta, in_subject(rows, x + i, a, b));
        }
    }
}

static mrwi_compare_span subtract(const mrwi_compare_rows *rows, mrwi_compare_span within,
                                  uint64_t *differing, uint64_t *counting,
                                  mrwi_compare_differences *out)
{
    mrwi_compare_span span = {0, 0};
    subtraction s = {.most = vi_set(0)};
    const bool plain = !rows->mask && !rows->sums;
    for (uint32_t w = within.first / MRWI_COMPARE_WORD; w * MRWI_COMPARE_WORD < within.end; w++) {
        const uint32_t x = w * MRWI_COMPARE_WORD;
        if (plain) {
            subtract_word(rows, x, true, &s);
        } else {
            subtract_word(rows, x, false, &s);
        }
        differing[w] = s.differing;
        counting[w] = s.counting;
        out->differing += (uint64_t)__builtin_popcountll(s.counting);
        if (s.differing != 0) {
            span.first = span.end == 0 ? x + (uint32_t)__builtin_ctzll(s.differing) : span.first;
            span.end = x + MRWI_COMPARE_WORD - (uint32_t)__builtin_clzll(s.differing);
        }
        if (rows->sums && w % MRWI_BASE_LANES == MRWI_BASE_LANES - 1) { /* before lanes overflow */
            flush_sums(&s.sums, out);
        }
    }
    flush_sums(&s.sums, out);
    raise_largest(s.most, out->largest);
    return span;
}

/* ---- anti-aliased edges ---------------------------------------------------------------------- */

#define APRON   MRWI_COMPARE_EDGE_APRON
#define BLOCK   MRWI_COMPARE_EDGE_BLOCK
#define COLUMNS MRWI_COMPARE_EDGE_COLUMNS
#define WORDS   MRWI_COMPARE_EDGE_COLUMN_WORDS
#define WORD    MRWI_COMPARE_WORD
#define MANY    MRWI_COMPARE_EDGE_MANY

LANE_INLINE vi brightness_of(vi pixels, bool opaque)
{
    const vi luma = halves_dot(pixels & LOW_BYTES, 299, 114) +
                    halves_dot(vi_shift_right(pixels, 8) & LOW_BYTES, 587, 0);
    const vi alpha = vi_shift_right(pixels, 24);
    return opaque ? vi_shift_left(luma, 8) - luma : luma * alpha + (255 - alpha) * vi_set(128000);
}

/* Sets the bits first ... end - 1 of the columns. */
static void set_columns(uint32_t first, uint32_t end, uint64_t out[WORDS])
{
    for (uint32_t w = 0; w < WORDS; w++) {
        const uint32_t at = w * WORD, low = first > at ? first - at : 0, high = end - at;
        const uint64_t below = end <= at ? 0 : high < WORD ? (UINT64_C(1) << high) - 1 : UINT64_MAX;
        out[w] = low < WORD ? below >> low << low : 0;
    }
}

static void hide_masked(const mrwi_compare_edge_source *source, uint64_t seen[WORDS])
{
    for (uint32_t i = source->first; i < source->end; i++) {
        if (source->mask[i - source->first] != 0) {
            seen[i / WORD] &= ~(UINT64_C(1) << i % WORD);
        }
    }
}

LANE_INLINE vi lanes_of(const uint64_t words[WORDS], uint32_t i)
{
    const uint64_t next = i / WORD + 1 < WORDS ? words[i / WORD + 1] : 0;
    const uint64_t bits = words[i / WORD] >> i % WORD | (next << 1) << (WORD - 1 - i % WORD);
    return mask_of_bits((uint32_t)bits);
}

static void fill(const mrwi_compare_edge_source *source, mrwi_compare_edge_row *row)
{
    row->whole = source->whole;
    set_columns(source->first, source->end, row->seen);
    set_columns(source->border_first, source->border_end, row->border);
    for (int w = 0; w < WORDS; w++) {
        row->border[w] = ~row->border[w];
    }
    if (source->mask) {
        hide_masked(source, row->seen);
    }
    for (int k = 0; k < 2; k++) {
        const uint32_t channels = source->channels[k];
        row->opaque[k] = channels == 3;
        for (uint32_t i = source->first; i < source->end; i += MRWI_BASE_LANES) {
            const uint8_t *from = source->pixels[k] + (size_t)(i - source->first) * channels;
            vi_store(row->colors[k] + i, load_pixels(from, channels));
        }
    }
}

LANE_INLINE void match_colors(const int32_t *row, const int32_t *below, mrwi_compare_matches *out)
{
    uint64_t across = 0, down = 0, falling = 0, rising = 0;
    for (uint32_t i = 0; i < COLUMNS; i += MRWI_BASE_LANES) {
        const vi own = vi_load(row + i), next = vi_load(row + i + 1);
        const vi under = vi_load(below + i), next_under = vi_load(below + i + 1);
        const uint32_t shift = i % WORD;
        across |= bits_equal(own, next) << shift;
        down |= bits_equal(own, under) << shift;
        falling |= bits_equal(own, next_under) << shift;
        rising |= bits_equal(next, under) << shift;
        if (shift == WORD - MRWI_BASE_LANES || i + MRWI_BASE_LANES >= COLUMNS) {
            out->across[i / WORD] = across;
            out->down[i / WORD] = down;
            out->falling[i / WORD] = falling;
            out->rising[i / WORD] = rising;
            across = down = falling = rising = 0;
        }
    }
}

/* Return the bits of the column before and of the column after. */
LANE_INLINE uint64_t before(const uint64_t words[WORDS], int w)
{
    return words[w] << 1 | (w > 0 ? words[w - 1] >> (WORD - 1) : 0);
}
LANE_INLINE uint64_t after(const uint64_t words[WORDS], int w)
{
    return words[w] >> 1 | (w + 1 < WORDS ? words[w + 1] << (WORD - 1) : 0);
}

/* Clears matches with pixels that are not seen. */
static void match_seen(const mrwi_compare_edge_row *row, const mrwi_compare_edge_row *below,
                       mrwi_compare_matches *out)
{
    for (int w = 0; w < WORDS; w++) {
        const uint64_t next = after(row->seen, w), next_below = after(below->seen, w);
        out->across[w] &= row->seen[w] & next;
        out->down[w] &= row->seen[w] & below->seen[w];
        out->falling[w] &= row->seen[w] & next_below;
        out->rising[w] &= below->seen[w] & next;
    }
}

static void match(mrwi_compare_edge_row *row, const mrwi_compare_edge_row *below)
{
    for (int k = 0; k < 2; k++) {
        match_colors(row->colors[k], below->colors[k], &row->matches[k]);
        if (!(row->whole && below->whole)) {
            match_seen(row, below, &row->matches[k]);
        }
    }
}

/* Sum of three bits per column: its low bit and its carry. */
typedef struct bit_sum {
    uint64_t one, two;
} bit_sum;

LANE_INLINE bit_sum bits_added(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t either = a ^ b;
    return (bit_sum){either ^ c, (a & b) | (either & c)};
}

/* Returns columns in which at least three of nine conditions hold: each neighbour has the same
 * colour, and the pixel is at the border. */
LANE_INLINE uint64_t many_equal(const mrwi_compare_edge_row *above,
                                const mrwi_compare_edge_row *row, int k, int w)
{
    const mrwi_compare_matches *over = &above->matches[k], *own = &row->matches[k];
    const bit_sum up = bits_added(over->down[w], before(over->falling, w), over->rising[w]);
    const bit_sum down = bits_added(own->down[w], own->falling[w], before(own->rising, w));
    const bit_sum side = bits_added(own->across[w], before(own->across, w), row->border[w]);
    const bit_sum all = bits_added(up.one, down.one, side.one);
    const bit_sum twos = bits_added(up.two, down.two, side.two);
    return (all.two & twos.one) | twos.two | ((all.two | twos.one) & all.one);
}

static void find_plain(const mrwi_compare_edge_row *above, mrwi_compare_edge_row *row)
{
    for (int w = 0; w < WORDS; w++) {
        row->plain[w] = many_equal(above, row, 0, w) & many_equal(above, row, 1, w);
    }
}

static void grade(mrwi_compare_edge_row *row)
{
    const vi unseen = vi_set(INT32_MAX);
    for (int k = 0; k < 2; k++) {
        const bool opaque = row->opaque[k], whole = row->whole;
        for (uint32_t i = 0; i < COLUMNS; i += MRWI_BASE_LANES) {
            const vi brightness = brightness_of(vi_load(row->colors[k] + i), opaque);
            const vi v = ((brightness + brightness) | 1) + lanes_of(row->plain, i);
            vi_store(row->grades[k] + i, whole ? v : vi_select(lanes_of(row->seen, i), v, unseen));
        }
    }
}

/* Adds 1 in lanes where a and b are equal. */
LANE_INLINE vi count_equal(vi count, vi a, vi b)
{
#if MRWI_BASE_LANES == 16
    return (vi)_mm512_mask_sub_epi32((__m512i)count,
                                     _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b),
                                     (__m512i)count, _mm512_set1_epi32(-1));
#else
    return count - vi_equal(a, b);
#endif
}

/* Returns lanes whose pixel lies between a darker and a brighter neighbour, the darkest or the
 * brightest of which is plain, while few neighbours are as bright as itself. */
LANE_INLINE vi edges_of(const mrwi_compare_edge_row *const rows[3], int k, uint32_t i, bool whole)
{
    const vi own = vi_load(rows[1]->grades[k] + i) | 1;
    vi least = vi_set(INT32_MAX), most = vi_set(INT32_MIN);
    vi equal = whole ? vi_set(0) : lanes_of(rows[1]->border, i) & 1;
    LANE_UNROLL
    for (int n = 0; n < 9; n++) {
        if (n == 4) {
            continue;
        }
        const vi grade = vi_load(rows[n / 3]->grades[k] + (i - 1 + (uint32_t)n % 3));
        const vi high = grade ^ 1; /* among equally bright pixels, a plain one is the most */
        least = vi_min(least, grade);
        most = vi_max(
            most,
            whole ? high : vi_select(vi_equal(grade, vi_set(INT32_MAX)), vi_set(INT32_MIN), high));
        equal = count_equal(equal, own, grade | 1);
    }
    const vi plain = vi_equal((~least | most) & 1, vi_set(1));
    return plain & vi_less(least | 1, own) & vi_less(own, most | 1) & vi_less(equal, vi_set(MANY));
}

static void keep_edges(const mrwi_compare_edge_row *const rows[3],
                       uint64_t marks[MRWI_COMPARE_EDGE_WORDS])
{
    const uint64_t lanes = (UINT64_C(1) << MRWI_BASE_LANES) - 1;
    const bool whole = rows[0]->whole && rows[1]->whole && rows[2]->whole;
    for (uint32_t i = 0; i < BLOCK; i += MRWI_BASE_LANES) {
        uint64_t *word = &marks[i / WORD];
        const uint32_t shift = i % WORD, u = i + APRON;
        if ((*word >> shift & lanes) == 0) {
            continue;
        }
        const vi edges = whole ? edges_of(rows, 0, u, true) | edges_of(rows, 1, u, true)
                               : edges_of(rows, 0, u, false) | edges_of(rows, 1, u, false);
        *word &= (uint64_t)mask_bits(edges) << shift | ~(lanes << shift);
    }
}

const mrwi_compare_pixel_kernels MRWI_COMPARE_PIXEL_KERNELS = {subtract,   fill,  match,
                                                               find_plain, grade, keep_edges};
