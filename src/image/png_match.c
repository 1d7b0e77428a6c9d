/* png_match.c: finds repeated bytes in the filtered rows of a picture.
 *
 * Filtered smooth shading without noise has few values in repeated patterns. Matches of any
 * distance make it 15 to 40 % smaller than runs of zeros alone. The search is that of zlib (hash
 * chains, one step lazy) with three changes that suit pictures, measured on thirteen smooth ones of
 * 1280x720:
 *
 * - The hash covers 8 bytes. With 4, short matches fill the chains: 7 % larger, and slower.
 * - A run of one byte, the last distance and the row above are tried before the chain.
 * - A match is valued as if each byte took 3 bits without it. Values from a histogram saved
 * nothing.
 *
 * Frames of animations are often flat colours, where short matches matter and literals take more
 * bits: the careful search hashes 5 bytes. Smooth shading of 16 bits repeats differences of a few
 * bytes: the deep search hashes 4, which makes eight pictures 13 to 45 % smaller than 8 do. It
 * leaves noise after 16 bytes: up to 2 % larger in two thirds of the time.
 *
 * Where nothing matches, the search moves on in growing steps, as LZ4 does. */
#include "image/png_match.h"

#include "base/text.h"
#include "marrow/codecs.h"

#define HASH_BITS     15
#define HASH_READ     8 /* bytes */
#define WINDOW        32768
#define HEADS_BYTES   (sizeof(uint32_t) << HASH_BITS)
#define EARLIER_BYTES (sizeof(uint32_t) * WINDOW)
#define CODE_LIMIT    15 /* bits: there is no table of pairs here */
#define RUN_BITS      4  /* assumed cost of a run of one byte */
#define MATCH_BITS    9  /* assumed cost of another match, without the bits of its distance */

/* How long to search, and how to value matches. */
typedef struct effort {
    uint32_t hash_shift;  /* leaves this many bits out of a hash */
    uint32_t candidates;  /* the most places of a chain to compare */
    uint32_t long_enough; /* a match that ends the search for a longer one */
    int literal_bits;     /* the assumed cost of a byte without a match */
    uint32_t step_bits;   /* after 2 to the power of this many misses, steps grow by one byte */
} effort;

static const effort quick = {0, 4, 64, 3, 6}, careful = {24, 32, MRWI_IMAGE_MOST_MATCH, 5, 6},
                    deep = {32, 4, 64, 5, 4};

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct search {
    const mrwi_image_png_window *window;
    effort effort;
    size_t end;        /* the search ends here, because hashes read 8 bytes */
    size_t last;       /* the distance of the last match */
    uint32_t *heads;   /* [hash] the last place plus 1, or 0 */
    uint32_t *earlier; /* [place % WINDOW] the place before it with the same hash, plus 1, or 0 */
} search;

typedef struct match {
    uint32_t length;
    uint32_t distance;
    int gain; /* bits saved; 0: no match */
} match;

static uint64_t load_u64(const uint8_t *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

/* Returns the number of equal bytes at two places, up to `most`. */
static uint32_t same_bytes(const uint8_t *a, const uint8_t *b, size_t most)
{
    size_t n = 0;
    for (; n + 8 <= most; n += 8) {
        const uint64_t differ = load_u64(a + n) ^ load_u64(b + n);
        if (differ) {
            return (uint32_t)(n + (size_t)__builtin_ctzll(differ) / 8);
        }
    }
    while (n < most && a[n] == b[n]) {
        n++;
    }
    return (uint32_t)n;
}

static uint32_t *head_of(const search *s, size_t at)
{
    const uint64_t value = load_u64(s->window->bytes + at) << s->effort.hash_shift;
    return &s->heads[value * UINT64_C(0x9E3779B97F4A7C15) >> (64 - HASH_BITS)];
}

static void remember(const search *s, size_t at)
{
    uint32_t *head = head_of(s, at);
    s->earlier[at % WINDOW] = *head;
    *head = (uint32_t)at + 1;
}

static int match_bits(size_t distance)
{
    return distance == 1 ? RUN_BITS : MATCH_BITS + 31 - __builtin_clz((uint32_t)distance);
}

/* Takes the match at a distance if it gains more than *best. */
static inline void try_distance(const search *s, size_t at, size_t distance, match *best)
{
    if (distance - 1 >= at || distance > WINDOW) {
        return; /* also for distance 0 */
    }
    const uint8_t *here = s->window->bytes + at, *there = here - distance;
    const size_t left = s->window->count - at;
    const size_t most = left < MRWI_IMAGE_MOST_MATCH ? left : MRWI_IMAGE_MOST_MATCH;
    if (best->length >= most || there[best->length] != here[best->length]) {
        return;
    }
    const uint32_t length = same_bytes(there, here, most);
    const int gain = (int)length * s->effort.literal_bits - match_bits(distance);
    if (length >= MRWI_IMAGE_LEAST_MATCH && gain > best->gain) {
        *best = (match){length, (uint32_t)distance, gain};
    }
}

static match find_match(const search *s, size_t at)
{
    match best = {0};
    try_distance(s, at, 1, &best);
    if (best.length >= s->effort.long_enough) {
        return best;
    }
    try_distance(s, at, s->last, &best);
    try_distance(s, at, s->window->row, &best);
    uint32_t place = *head_of(s, at);
    for (uint32_t i = 0;
         i < s->effort.candidates && place > 0 && best.length < s->effort.long_enough; i++) {
        if (at + 1 - place > WINDOW) {
            break;
        }
        try_distance(s, at, at + 1 - place, &best);
        const uint32_t before = s->earlier[(place - 1) % WINDOW];
        place = before < place ? before : 0; /* a larger one has replaced it in the ring */
    }
    return best;
}

/* Takes a match, or the one that begins a byte later as long as that gains more (Deutsch and
 * Gailly's lazy evaluation). Returns the place after it. */
static size_t take_match(search *s, size_t at, match found, size_t from, mrwi_image_png_step *step)
{
    while (found.length < s->effort.long_enough && at + 1 < s->end) {
        const match next = find_match(s, at + 1);
        if (next.gain <= found.gain) {
            break;
        }
        remember(s, ++at);
        found = next;
    }
    *step = (mrwi_image_png_step){(uint32_t)(at - from), (uint16_t)found.length,
                                  (uint16_t)(found.distance - 1)};
    s->last = found.distance;
    const size_t behind = at + found.length, end = behind < s->end ? behind : s->end;
    for (size_t i = at + 1; i < end && found.length < s->effort.long_enough; i++) {
        remember(s, i);
    }
    return behind;
}

static size_t find_steps(search *s, mrwi_image_png_step *steps)
{
    const size_t begin = s->window->begin;
    size_t at = begin, from = begin, missed = 0, n = 0;
    memset(s->heads, 0, HEADS_BYTES);
    for (size_t i = 0; i < begin && i < s->end; i++) {
        remember(s, i);
    }
    while (at < s->end) {
        const match found = find_match(s, at);
        remember(s, at);
        if (found.gain == 0) {
            at += 1 + (missed++ >> s->effort.step_bits);
            continue;
        }
        at = from = take_match(s, at, found, from, &steps[n++]);
        missed = 0;
    }
    steps[n++] = (mrwi_image_png_step){(uint32_t)(s->window->count - from), 0, 0};
    return n;
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Counts symbols, and returns the bits that follow them. */
static uint64_t count_symbols(const mrwi_image_png_matches *m, uint64_t symbols[MRWI_IMAGE_SYMBOLS],
                              uint64_t distances[MRWI_IMAGE_DISTANCES])
{
    const uint8_t *bytes = m->bytes;
    uint64_t bits = 0;
    for (size_t i = 0; i < m->step_count; i++) {
        const mrwi_image_png_step *step = &m->steps[i];
        for (uint32_t k = 0; k < step->literals; k++) {
            symbols[bytes[k]]++;
        }
        bytes += step->literals + step->length;
        if (step->length > 0) {
            mrwi_image_length length = mrwi_image_length_of(step->length);
            mrwi_image_distance distance = mrwi_image_distance_of(step->distance + 1u);
            symbols[length.symbol]++;
            distances[distance.symbol]++;
            bits += length.extra_count + distance.extra_count;
        }
    }
    symbols[MRWI_IMAGE_END_OF_BLOCK]++;
    return bits;
}

static void find_codes(mrwi_image_png_matches *m)
{
    uint64_t symbols[MRWI_IMAGE_SYMBOLS] = {0}, distances[MRWI_IMAGE_DISTANCES] = {0};
    m->bits = count_symbols(m, symbols, distances);
    mrwi_image_code_lengths(symbols, MRWI_IMAGE_SYMBOLS, CODE_LIMIT, m->lengths);
    mrwi_image_code_lengths(distances, MRWI_IMAGE_DISTANCES, CODE_LIMIT, m->distances);
    for (size_t s = 0; s < MRWI_IMAGE_SYMBOLS; s++) {
        m->bits += symbols[s] * m->lengths[s];
    }
    for (size_t s = 0; s < MRWI_IMAGE_DISTANCES; s++) {
        m->bits += distances[s] * m->distances[s];
    }
    uint8_t header[MRWI_IMAGE_MOST_HEADER_BYTES + sizeof(uint64_t)];
    mrwi_image_bits to = {header, 0, 0};
    mrwi_image_put_block_header(&to, m->lengths, m->distances, false);
    m->bits += (uint64_t)(to.to - header) * 8 + to.count;
}

mrw_status mrwi_image_png_match(mrw_png_encoder *encoder, const mrwi_image_png_window *window,
                                mrwi_image_png_matches *out, mrw_error *error)
{
    const size_t size = EARLIER_BYTES + HEADS_BYTES +
                        (window->count / MRWI_IMAGE_LEAST_MATCH + 1) * sizeof(mrwi_image_png_step);
    if (!mrwi_image_room_reserve(&encoder->matches, size)) {
        return mrwi_base_fail_memory(error, size);
    }
    uint8_t *room = encoder->matches.data;
    mrwi_image_png_step *steps =
        (mrwi_image_png_step *)(void *)(room + EARLIER_BYTES + HEADS_BYTES);
    search s = {.window = window,
                .effort = window->careful ? careful
                          : window->deep  ? deep
                                          : quick,
                .end = window->count < HASH_READ ? 0 : window->count - HASH_READ + 1,
                .earlier = (uint32_t *)(void *)room,
                .heads = (uint32_t *)(void *)(room + EARLIER_BYTES)};
    *out = (mrwi_image_png_matches){.bytes = window->bytes + window->begin,
                                    .steps = steps,
                                    .step_count = find_steps(&s, steps)};
    find_codes(out);
    return MRW_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

void mrwi_image_png_put_matches(const mrwi_image_png_matches *m, bool last, mrwi_image_bits *bits)
{
    mrwi_image_code symbols[MRWI_IMAGE_SYMBOLS], distances[MRWI_IMAGE_DISTANCES];
    const uint8_t *bytes = m->bytes;
    mrwi_image_codes_assign(m->lengths, MRWI_IMAGE_SYMBOLS, symbols);
    mrwi_image_codes_assign(m->distances, MRWI_IMAGE_DISTANCES, distances);
    mrwi_image_put_block_header(bits, m->lengths, m->distances, last);
    for (size_t i = 0; i < m->step_count; i++) {
        const mrwi_image_png_step *step = &m->steps[i];
        for (uint32_t k = 0; k < step->literals; k++) {
            mrwi_image_put_code(bits, symbols[bytes[k]]);
            mrwi_image_bits_flush(bits);
        }
        bytes += step->literals + step->length;
        if (step->length > 0) {
            mrwi_image_length length = mrwi_image_length_of(step->length);
            mrwi_image_distance distance = mrwi_image_distance_of(step->distance + 1u);
            mrwi_image_put_code(bits, symbols[length.symbol]);
            mrwi_image_bits_put(bits, length.extra, length.extra_count);
            mrwi_image_put_code(bits, distances[distance.symbol]);
            mrwi_image_bits_put(bits, distance.extra, distance.extra_count);
            mrwi_image_bits_flush(bits);
        }
    }
    mrwi_image_put_code(bits, symbols[MRWI_IMAGE_END_OF_BLOCK]);
    mrwi_image_bits_flush(bits);
}
