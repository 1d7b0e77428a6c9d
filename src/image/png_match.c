/* png_match.c: what repeats itself in the filtered rows of a picture, away from the byte before.
 *
 * A slope without noise is filtered to few values in a pattern, and flat colours come again, which
 * matches of any distance make far smaller than codes of single bytes. At each byte the last places
 * with the same four bytes are looked at, and taken is what saves most bits, if one byte later
 * does not save more (lazily, as zlib does). How many bits a byte takes is known from codes without
 * matches; those of a match are guessed. */
#include "image/png_match.h"

#include "base/text.h"

#define HASH_BITS     15
#define HASH_BYTES    4 /* matches of three bytes save little */
#define WINDOW        32768
#define HEADS_BYTES   (sizeof(uint32_t) << HASH_BITS)
#define EARLIER_BYTES (sizeof(uint32_t) * WINDOW)
#define CODE_LIMIT    15  /* bits: no table of pairs is made */
#define PLACES        16  /* that are looked at, */
#define ALL_PLACES    128 /* and where that pays */
#define LONG_MATCH    64  /* nothing longer is looked for */
#define SUMMED        32  /* bytes of a match whose bits are added */

/* ---- the search ------------------------------------------------------------------------------ */

/* What is searched, and what is known of it. */
typedef struct search {
    const uint8_t *bytes;
    size_t count;
    int places;        /* so many are looked at */
    uint32_t *heads;   /* [hash] the last place, plus 1, */
    uint32_t *earlier; /* [place % WINDOW] and the one before it */
    /* Bits that symbols take, and with them those that follow. */
    uint8_t literal_costs[256];
    uint8_t length_costs[MRWI_IMAGE_MOST_MATCH + 1];
    uint8_t distance_costs[MRWI_IMAGE_DISTANCES];
} search;

typedef struct match {
    uint32_t length;
    uint32_t distance;
    int gain; /* bits */
} match;

/* How many bytes are the same in two places, up to `most`. */
static uint32_t same_bytes(const uint8_t *a, const uint8_t *b, size_t most)
{
    size_t n = 0;
    for (; n + 8 <= most; n += 8) {
        uint64_t one, two;
        memcpy(&one, a + n, sizeof one);
        memcpy(&two, b + n, sizeof two);
        if (one != two) {
            return (uint32_t)(n + (size_t)__builtin_ctzll(one ^ two) / 8);
        }
    }
    while (n < most && a[n] == b[n]) {
        n++;
    }
    return (uint32_t)n;
}

static uint32_t *head_of(const search *s, size_t at)
{
    uint32_t value;
    memcpy(&value, s->bytes + at, sizeof value);
    return &s->heads[value * UINT32_C(0x9E3779B1) >> (32 - HASH_BITS)];
}

static void remember(const search *s, size_t at)
{
    if (at + HASH_BYTES <= s->count) {
        uint32_t *head = head_of(s, at);
        s->earlier[at % WINDOW] = *head;
        *head = (uint32_t)at + 1;
    }
}

/* Bits of it. */
static int match_cost(const search *s, uint32_t length, uint32_t distance)
{
    return s->length_costs[length] + s->distance_costs[mrwi_image_distance_of(distance).symbol];
}

static void try_distance(const search *s, size_t at, uint32_t distance, match *best)
{
    const size_t left = s->count - at;
    const size_t most = left < MRWI_IMAGE_MOST_MATCH ? left : MRWI_IMAGE_MOST_MATCH;
    const uint8_t *here = s->bytes + at, *there = here - distance;
    if (best->length >= most || there[best->length] != here[best->length]) {
        return;
    }
    const uint32_t length = same_bytes(there, here, most);
    if (length < MRWI_IMAGE_LEAST_MATCH) {
        return;
    }
    int gain = -match_cost(s, length, distance);
    for (uint32_t i = 0; i < length && i < SUMMED; i++) {
        gain += s->literal_costs[here[i]];
    }
    gain += length > SUMMED ? (int)(length - SUMMED) : 0;
    if (gain > best->gain) {
        *best = (match){length, distance, gain};
    }
}

/* Length 0: none that pays. */
static match find_match(const search *s, size_t at, uint32_t last)
{
    match best = {0};
    if (last > 0 && last <= at) {
        try_distance(s, at, last, &best);
    }
    if (at + HASH_BYTES > s->count || best.length >= LONG_MATCH) {
        return best;
    }
    uint32_t place = *head_of(s, at);
    for (int i = 0; i < s->places && place > 0 && at + 1 - place <= WINDOW; i++) {
        try_distance(s, at, (uint32_t)(at + 1 - place), &best);
        const uint32_t before = s->earlier[(place - 1) % WINDOW];
        if (best.length >= LONG_MATCH || before >= place) {
            break;
        }
        place = before;
    }
    return best;
}

static size_t find_steps(const search *s, mrwi_image_png_step *steps)
{
    size_t at = 0, from = 0, n = 0;
    uint32_t last = 0;
    memset(s->heads, 0, sizeof *s->heads << HASH_BITS);
    match found = find_match(s, 0, 0);
    while (at < s->count) {
        remember(s, at);
        match next = {0};
        if (found.length < LONG_MATCH && at + 1 < s->count) {
            next = find_match(s, at + 1, last);
        }
        if (found.length == 0 || next.gain > found.gain) {
            found = next;
            at++;
            continue;
        }
        steps[n++] = (mrwi_image_png_step){(uint32_t)(at - from), (uint16_t)found.length,
                                           (uint16_t)(found.distance - 1)};
        last = found.distance;
        from = at + found.length;
        while (++at < from) {
            remember(s, at);
        }
        found = at < s->count ? find_match(s, at, last) : found;
    }
    steps[n++] = (mrwi_image_png_step){(uint32_t)(s->count - from), 0, 0};
    return n;
}

static uint32_t extra_bits(uint32_t distance_symbol)
{
    return distance_symbol < 4 ? 0 : distance_symbol / 2 - 1;
}

/* Bits of bytes without matches but of repeated ones, and a guess for these. */
static void guess_costs(search *s)
{
    uint64_t counts[256] = {0};
    const uint8_t *bytes = s->bytes;
    for (size_t i = 0; i < s->count; i++) {
        counts[bytes[i]] += i < 2 || bytes[i] != bytes[i - 1] || bytes[i] != bytes[i - 2];
    }
    mrwi_image_code_lengths(counts, 256, CODE_LIMIT, s->literal_costs);
    memset(s->length_costs, 6, sizeof s->length_costs);
    for (uint32_t i = 0; i < MRWI_IMAGE_DISTANCES; i++) {
        s->distance_costs[i] = (uint8_t)(5 + extra_bits(i));
    }
}

/* Bits by the codes of a first search; what did not occur takes as many as can be. */
static void take_costs(search *s, const mrwi_image_png_matches *m)
{
    for (size_t i = 0; i < 256; i++) {
        s->literal_costs[i] = m->lengths[i] ? m->lengths[i] : CODE_LIMIT;
    }
    for (uint32_t i = MRWI_IMAGE_LEAST_MATCH; i <= MRWI_IMAGE_MOST_MATCH; i++) {
        mrwi_image_length length = mrwi_image_length_of(i);
        const uint32_t bits = m->lengths[length.symbol];
        s->length_costs[i] = (uint8_t)((bits ? bits : CODE_LIMIT) + length.extra_count);
    }
    for (uint32_t i = 0; i < MRWI_IMAGE_DISTANCES; i++) {
        const uint32_t bits = m->distances[i];
        s->distance_costs[i] = (uint8_t)((bits ? bits : CODE_LIMIT) + extra_bits(i));
    }
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Counts symbols, makes codes, and finds the stream's size. */
static void find_codes(mrwi_image_png_matches *m)
{
    uint64_t symbols[MRWI_IMAGE_SYMBOLS] = {0}, distances[MRWI_IMAGE_DISTANCES] = {0}, bits = 0;
    const uint8_t *bytes = m->bytes;
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
    mrwi_image_code_lengths(symbols, MRWI_IMAGE_SYMBOLS, CODE_LIMIT, m->lengths);
    mrwi_image_code_lengths(distances, MRWI_IMAGE_DISTANCES, CODE_LIMIT, m->distances);
    for (size_t s = 0; s < MRWI_IMAGE_SYMBOLS; s++) {
        bits += symbols[s] * m->lengths[s];
    }
    for (size_t s = 0; s < MRWI_IMAGE_DISTANCES; s++) {
        bits += distances[s] * m->distances[s];
    }
    uint8_t header[MRWI_IMAGE_MOST_HEADER_BYTES + sizeof(uint64_t)];
    mrwi_image_bits to = {header, 0, 0};
    mrwi_image_put_block_header(&to, m->lengths, m->distances);
    mrwi_image_bits_end(&to);
    m->size = (size_t)(to.to - header) + (size_t)(bits + 7) / 8;
}

static search begin_search(uint8_t *room, const uint8_t *bytes, size_t count, int places)
{
    return (search){.bytes = bytes,
                    .count = count,
                    .places = places,
                    .heads = (uint32_t *)(void *)(room + EARLIER_BYTES),
                    .earlier = (uint32_t *)(void *)room};
}

static mrwi_image_png_step *steps_in(uint8_t *room)
{
    return (mrwi_image_png_step *)(void *)(room + EARLIER_BYTES + HEADS_BYTES);
}

mrw_status mrwi_image_png_match(mrw_png_encoder *encoder, const uint8_t *bytes, size_t count,
                                mrwi_image_png_matches *out, mrw_error *error)
{
    const size_t size = EARLIER_BYTES + HEADS_BYTES +
                        (count / MRWI_IMAGE_LEAST_MATCH + 1) * sizeof(mrwi_image_png_step);
    if (!mrwi_image_room_reserve(&encoder->matches, size)) {
        return mrwi_base_fail_memory(error, size);
    }
    search s = begin_search(encoder->matches.data, bytes, count, PLACES);
    mrwi_image_png_step *steps = steps_in(encoder->matches.data);
    guess_costs(&s);
    *out = (mrwi_image_png_matches){
        .bytes = bytes, .count = count, .steps = steps, .step_count = find_steps(&s, steps)};
    find_codes(out);
    return MRW_OK;
}

void mrwi_image_png_match_again(mrw_png_encoder *encoder, mrwi_image_png_matches *m)
{
    search s = begin_search(encoder->matches.data, m->bytes, m->count, ALL_PLACES);
    take_costs(&s, m);
    m->step_count = find_steps(&s, steps_in(encoder->matches.data));
    find_codes(m);
}

/* ---- writing --------------------------------------------------------------------------------- */

void mrwi_image_png_put_matches(const mrwi_image_png_matches *m, mrwi_image_bits *bits)
{
    mrwi_image_code symbols[MRWI_IMAGE_SYMBOLS], distances[MRWI_IMAGE_DISTANCES];
    const uint8_t *bytes = m->bytes;
    mrwi_image_codes_assign(m->lengths, MRWI_IMAGE_SYMBOLS, symbols);
    mrwi_image_codes_assign(m->distances, MRWI_IMAGE_DISTANCES, distances);
    mrwi_image_put_block_header(bits, m->lengths, m->distances);
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
}
