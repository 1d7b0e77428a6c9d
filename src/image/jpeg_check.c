/* jpeg_check.c: walks the markers of a JPEG (ITU T.81, annex B) as stb_image does. */
#include "image/jpeg_check.h"

#include <stdio.h>

/* ITU T.81, table B.1 */
#define MARKER_SEQUENTIAL   0xC0 /* SOF0; SOF1 with the extended process */
#define MARKER_PROGRESSIVE  0xC2 /* SOF2 */
#define MARKER_TABLES       0xC4 /* DHT */
#define MARKER_RESTART      0xD0 /* RST0 ... RST7 */
#define MARKER_START        0xD8 /* SOI */
#define MARKER_END          0xD9 /* EOI */
#define MARKER_SCAN         0xDA /* SOS */
#define MARKER_QUANTISATION 0xDB /* DQT */
#define MARKER_TEMPORARY    0x01 /* TEM */

/* A reader past the end sees zeros, as in stb_image. */
static unsigned byte_at(const uint8_t *data, size_t size, size_t at)
{
    return at < size ? data[at] : 0;
}

/* A DHT segment whose length field is at `at`: tables of a class byte, 16 counts and their sum of
 * values. */
static bool segment_fits(const uint8_t *data, size_t size, size_t at)
{
    size_t end = at + (byte_at(data, size, at) << 8 | byte_at(data, size, at + 1));
    at += 2;
    while (at < end) {
        size_t codes = 0;
        for (size_t i = 1; i <= 16; i++) {
            codes += byte_at(data, size, at + i);
        }
        if (codes > 256) {
            return false;
        }
        at += 17 + codes;
    }
    return true;
}

/* Position behind the marker at or after `at` (0xFF bytes may repeat); size when there is none. */
static size_t next_marker(const uint8_t *data, size_t size, size_t at, unsigned *marker)
{
    while (at < size && data[at] != 0xFF) {
        at++;
    }
    while (at < size && data[at] == 0xFF) {
        at++;
    }
    *marker = byte_at(data, size, at);
    return at < size ? at + 1 : size;
}

bool mrwi_image_jpeg_tables_fit(const uint8_t *data, size_t size)
{
    unsigned start = 0;
    size_t at = next_marker(data, size, 0, &start);
    if (size == 0 || data[0] != 0xFF || start != MARKER_START) {
        return true;
    }
    bool in_scans = false;
    while (at < size) {
        unsigned marker = 0;
        at = next_marker(data, size, at, &marker);
        if (marker == MARKER_TABLES && !segment_fits(data, size, at)) {
            return false;
        }
        in_scans = in_scans || marker == MARKER_SCAN;
        /* Where a damaged scan ends is the decoder's affair: behind the first, every marker counts.
         * Before it, segments are stepped over, for a thumbnail inside may hold anything. */
        if (!in_scans) {
            at += byte_at(data, size, at) << 8 | byte_at(data, size, at + 1);
        }
    }
    return true;
}

/* ---- tables that scans use ------------------------------------------------------------------- */

#define COMPONENTS_MAX 4

/* The frame that scans belong to, and what has been defined so far: a bit a destination. */
typedef struct state {
    const uint8_t *data;
    size_t size;
    uint32_t components; /* 0 before the frame header */
    uint8_t id[COMPONENTS_MAX];
    uint8_t quantisation_of[COMPONENTS_MAX];
    bool progressive;
    bool has_frame; /* of any process */
    uint32_t scans;
    unsigned quantisation, dc, ac;
} state;

static unsigned get(const state *s, size_t at)
{
    return byte_at(s->data, s->size, at);
}

/* B.2.2: precision, height, width, count, then an identifier, sampling factors and a quantisation
 * table each. */
static void read_frame(state *s, size_t at, bool progressive)
{
    const unsigned count = get(s, at + 7);
    if (s->components > 0 || count > COMPONENTS_MAX) {
        return;
    }
    s->components = count;
    s->progressive = progressive;
    for (unsigned i = 0; i < count; i++) {
        s->id[i] = (uint8_t)get(s, at + 8 + (size_t)3 * i);
        s->quantisation_of[i] = (uint8_t)get(s, at + 10 + (size_t)3 * i);
    }
}

/* B.2.4.1: precision and destination, then 64 numbers of one byte or two. */
static void define_quantisation(state *s, size_t at, size_t end)
{
    for (at += 2; at < end;) {
        const unsigned head = get(s, at);
        s->quantisation |= 1u << (head & 15);
        at += head >> 4 != 0 ? 129 : 65;
    }
}

/* B.2.4.2: class and destination, 16 counts, and their sum of values. */
static void define_huffman(state *s, size_t at, size_t end)
{
    for (at += 2; at < end;) {
        const unsigned head = get(s, at);
        *(head >> 4 != 0 ? &s->ac : &s->dc) |= 1u << (head & 15);
        size_t codes = 0;
        for (size_t i = 1; i <= 16; i++) {
            codes += get(s, at + i);
        }
        at += 17 + codes;
    }
}

static bool say_missing(const state *s, const char *kind, unsigned table, const char *segment,
                        char *missing, size_t room)
{
    snprintf(missing, room,
             "lacks %s table %u, which scan %u uses and no %s segment before it defines", kind,
             table, s->scans, segment);
    return false;
}

/* The tables of one component of a scan, whose header's entry is at `at`. */
static bool component_is_defined(const state *s, size_t at, bool uses_dc, bool uses_ac,
                                 char *missing, size_t room)
{
    const unsigned id = get(s, at), dc = get(s, at + 1) >> 4, ac = get(s, at + 1) & 15;
    for (unsigned c = 0; c < s->components; c++) {
        const unsigned table = s->quantisation_of[c];
        if (s->id[c] == id && table < 4 && (s->quantisation >> table & 1) == 0) {
            return say_missing(s, "quantisation", table, "DQT", missing, room);
        }
    }
    if (uses_dc && (s->dc >> dc & 1) == 0) {
        return say_missing(s, "DC Huffman", dc, "DHT", missing, room);
    }
    if (uses_ac && (s->ac >> ac & 1) == 0) {
        return say_missing(s, "AC Huffman", ac, "DHT", missing, room);
    }
    return true;
}

/* B.2.2 and B.2.3: the tables that a component selects shall be installed by the time that its scan
 * is decoded. Sequential scans use both Huffman tables. Progressive ones code either DC (Ss = 0) or
 * AC coefficients; later bits of DC are not Huffman-coded (G.1.2.1), those of AC are (G.1.2.3). */
static bool scan_is_defined(state *s, size_t at, char *missing, size_t room)
{
    const unsigned count = get(s, at + 2);
    const unsigned first = get(s, at + 3 + (size_t)2 * count);
    const unsigned approximation = get(s, at + 5 + (size_t)2 * count);
    const bool uses_dc = !s->progressive || (first == 0 && approximation >> 4 == 0);
    const bool uses_ac = !s->progressive || first > 0;
    s->scans++;
    if (s->components == 0 || count > COMPONENTS_MAX) {
        return true;
    }
    if ((uses_dc || uses_ac) && s->dc == 0 && s->ac == 0) {
        snprintf(missing, room,
                 "has no Huffman tables (DHT) before scan %u, like an abbreviated JPEG or a frame "
                 "of Motion-JPEG",
                 s->scans);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!component_is_defined(s, at + 3 + 2 * i, uses_dc, uses_ac, missing, room)) {
            return false;
        }
    }
    return true;
}

/* Table B.1: SOF0 ... SOF15 are all of 0xC0 ... 0xCF but DHT, JPG and DAC. */
static bool starts_frame(unsigned marker)
{
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/* B.1.1.3: markers that stand alone, and the 0 behind a byte 0xFF of a scan's data. */
static bool stands_alone(unsigned marker)
{
    return marker == 0 || marker == MARKER_TEMPORARY ||
           (marker >= MARKER_RESTART && marker <= MARKER_START);
}

bool mrwi_image_jpeg_tables_defined(const uint8_t *data, size_t size, char *missing, size_t room)
{
    state s = {.data = data, .size = size};
    unsigned marker = 0;
    size_t at = next_marker(data, size, 0, &marker);
    if (size == 0 || data[0] != 0xFF || marker != MARKER_START) {
        return true;
    }
    while (at < size && marker != MARKER_END) {
        at = next_marker(data, size, at, &marker);
        if (stands_alone(marker)) {
            continue;
        }
        s.has_frame = s.has_frame || starts_frame(marker);
        const size_t end = at + (get(&s, at) << 8 | get(&s, at + 1));
        if (marker >= MARKER_SEQUENTIAL && marker <= MARKER_PROGRESSIVE) {
            read_frame(&s, at, marker == MARKER_PROGRESSIVE);
        } else if (marker == MARKER_QUANTISATION) {
            define_quantisation(&s, at, end);
        } else if (marker == MARKER_TABLES) {
            define_huffman(&s, at, end);
        } else if (marker == MARKER_SCAN && !scan_is_defined(&s, at, missing, room)) {
            return false;
        }
        at = end;
    }
    if (marker == MARKER_END && !s.has_frame && (s.quantisation | s.dc | s.ac) != 0) {
        snprintf(missing, room, "holds tables and no picture, as an abbreviated JPEG may");
        return false;
    }
    return true;
}
