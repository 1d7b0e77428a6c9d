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

typedef struct file {
    const uint8_t *data;
    size_t size;
} file;

/* Returns a byte, or 0 past the end, as stb_image does. */
static unsigned byte_at(const file *in, size_t at)
{
    return at < in->size ? in->data[at] : 0;
}

/* Returns the end of a segment whose length field is at `at`. */
static size_t segment_end(const file *in, size_t at)
{
    return at + (byte_at(in, at) << 8 | byte_at(in, at + 1));
}

/* Checks a DHT segment whose length field is at `at`. Each table has a class byte, 16 counts, and
 * as many values as the sum of the counts. */
static bool segment_fits(const file *in, size_t at)
{
    size_t end = segment_end(in, at);
    at += 2;
    while (at < end) {
        size_t codes = 0;
        for (size_t i = 1; i <= 16; i++) {
            codes += byte_at(in, at + i);
        }
        if (codes > 256) {
            return false;
        }
        at += 17 + codes;
    }
    return true;
}

/* Returns the position behind the marker at or after `at` (0xFF bytes may repeat), or the size if
 * there is none. */
static size_t next_marker(const file *in, size_t at, unsigned *marker)
{
    while (at < in->size && in->data[at] != 0xFF) {
        at++;
    }
    while (at < in->size && in->data[at] == 0xFF) {
        at++;
    }
    *marker = byte_at(in, at);
    return at < in->size ? at + 1 : in->size;
}

bool mrwi_image_jpeg_tables_fit(const uint8_t *data, size_t size)
{
    const file in = {data, size};
    unsigned start = 0;
    size_t at = next_marker(&in, 0, &start);
    if (size == 0 || data[0] != 0xFF || start != MARKER_START) {
        return true;
    }
    bool in_scans = false;
    while (at < size) {
        unsigned marker = 0;
        at = next_marker(&in, at, &marker);
        if (marker == MARKER_TABLES && !segment_fits(&in, at)) {
            return false;
        }
        in_scans = in_scans || marker == MARKER_SCAN;
        /* After the first scan every marker is checked, because only the decoder knows where a
         * damaged scan ends. Before it, segments are skipped: a thumbnail in one may contain any
         * bytes. */
        if (!in_scans) {
            at = segment_end(&in, at);
        }
    }
    return true;
}

/* ---- tables that scans use ------------------------------------------------------------------- */

#define COMPONENTS_MAX 4

/* The frame that scans belong to. */
typedef struct frame {
    uint32_t components; /* 0 before the frame header */
    uint8_t id[COMPONENTS_MAX];
    uint8_t quantisation_of[COMPONENTS_MAX];
    bool progressive;
} frame;

/* The tables that have been defined so far, one bit per destination. */
typedef struct tables {
    unsigned quantisation, dc, ac;
} tables;

/* A scan, and the kinds of Huffman tables that its components use. */
typedef struct scan {
    uint32_t number; /* from 1 on */
    bool uses_dc, uses_ac;
} scan;

/* The caller's text, which receives what is missing. */
typedef struct complaint {
    char *text;
    size_t room;
} complaint;

/* Reads a frame header (B.2.2): precision, height, width, count; then for each component an
 * identifier, sampling factors and a quantisation table. */
static void read_frame(const file *in, size_t at, bool progressive, frame *out)
{
    const unsigned count = byte_at(in, at + 7);
    if (out->components > 0 || count > COMPONENTS_MAX) {
        return;
    }
    out->components = count;
    out->progressive = progressive;
    for (unsigned i = 0; i < count; i++) {
        out->id[i] = (uint8_t)byte_at(in, at + 8 + (size_t)3 * i);
        out->quantisation_of[i] = (uint8_t)byte_at(in, at + 10 + (size_t)3 * i);
    }
}

/* Reads a DQT segment (B.2.4.1): precision and destination, then 64 numbers of one byte or two. */
static void define_quantisation(const file *in, size_t at, size_t end, tables *defined)
{
    for (at += 2; at < end;) {
        const unsigned head = byte_at(in, at);
        defined->quantisation |= 1u << (head & 15);
        at += head >> 4 != 0 ? 129 : 65;
    }
}

/* Reads a DHT segment (B.2.4.2): class and destination, 16 counts, and as many values as their sum.
 */
static void define_huffman(const file *in, size_t at, size_t end, tables *defined)
{
    for (at += 2; at < end;) {
        const unsigned head = byte_at(in, at);
        *(head >> 4 != 0 ? &defined->ac : &defined->dc) |= 1u << (head & 15);
        size_t codes = 0;
        for (size_t i = 1; i <= 16; i++) {
            codes += byte_at(in, at + i);
        }
        at += 17 + codes;
    }
}

static bool say_missing(const complaint *to, uint32_t number, const char *kind, unsigned table,
                        const char *segment)
{
    snprintf(to->text, to->room,
             "lacks %s table %u, which scan %u uses but no %s segment before it defines", kind,
             table, number, segment);
    return false;
}

/* Checks the tables of a component of a scan; its entry in the scan's header is at `at`. */
static bool component_is_defined(const file *in, size_t at, const frame *f, const tables *defined,
                                 const scan *s, const complaint *to)
{
    const unsigned id = byte_at(in, at);
    const unsigned dc = byte_at(in, at + 1) >> 4, ac = byte_at(in, at + 1) & 15;
    for (unsigned c = 0; c < f->components; c++) {
        const unsigned table = f->quantisation_of[c];
        if (f->id[c] == id && table < 4 && (defined->quantisation >> table & 1) == 0) {
            return say_missing(to, s->number, "quantisation", table, "DQT");
        }
    }
    if (s->uses_dc && (defined->dc >> dc & 1) == 0) {
        return say_missing(to, s->number, "DC Huffman", dc, "DHT");
    }
    if (s->uses_ac && (defined->ac >> ac & 1) == 0) {
        return say_missing(to, s->number, "AC Huffman", ac, "DHT");
    }
    return true;
}

/* B.2.2 and B.2.3: the tables that a component selects shall be installed by the time that its scan
 * is decoded. Sequential scans use both Huffman tables. Progressive ones code either DC (Ss = 0) or
 * AC coefficients; later bits of DC are not Huffman-coded (G.1.2.1), those of AC are (G.1.2.3). */
static bool scan_is_defined(const file *in, size_t at, uint32_t number, const frame *f,
                            const tables *defined, const complaint *to)
{
    const unsigned count = byte_at(in, at + 2);
    const unsigned first = byte_at(in, at + 3 + (size_t)2 * count);
    const unsigned approximation = byte_at(in, at + 5 + (size_t)2 * count);
    const scan s = {.number = number,
                    .uses_dc = !f->progressive || (first == 0 && approximation >> 4 == 0),
                    .uses_ac = !f->progressive || first > 0};
    if (f->components == 0 || count > COMPONENTS_MAX) {
        return true;
    }
    if ((s.uses_dc || s.uses_ac) && defined->dc == 0 && defined->ac == 0) {
        snprintf(to->text, to->room,
                 "has no Huffman tables (DHT) before scan %u, like an abbreviated JPEG or a frame "
                 "of Motion-JPEG",
                 number);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!component_is_defined(in, at + 3 + 2 * i, f, defined, &s, to)) {
            return false;
        }
    }
    return true;
}

/* Returns true for SOF0 ... SOF15 (table B.1): all of 0xC0 ... 0xCF except DHT, JPG and DAC. */
static bool starts_frame(unsigned marker)
{
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/* Returns true for markers without a segment (B.1.1.3), and for the 0 behind a byte 0xFF of a scan.
 */
static bool stands_alone(unsigned marker)
{
    return marker == 0 || marker == MARKER_TEMPORARY ||
           (marker >= MARKER_RESTART && marker <= MARKER_START);
}

bool mrwi_image_jpeg_tables_defined(const uint8_t *data, size_t size, char *missing, size_t room)
{
    const file in = {data, size};
    const complaint to = {missing, room};
    frame f = {0};
    tables defined = {0};
    bool has_frame = false; /* a frame header of any process was read */
    uint32_t scans = 0;
    unsigned marker = 0;
    size_t at = next_marker(&in, 0, &marker);
    if (size == 0 || data[0] != 0xFF || marker != MARKER_START) {
        return true;
    }
    while (at < size && marker != MARKER_END) {
        at = next_marker(&in, at, &marker);
        if (stands_alone(marker)) {
            continue;
        }
        has_frame = has_frame || starts_frame(marker);
        const size_t end = segment_end(&in, at);
        if (marker >= MARKER_SEQUENTIAL && marker <= MARKER_PROGRESSIVE) {
            read_frame(&in, at, marker == MARKER_PROGRESSIVE, &f);
        } else if (marker == MARKER_QUANTISATION) {
            define_quantisation(&in, at, end, &defined);
        } else if (marker == MARKER_TABLES) {
            define_huffman(&in, at, end, &defined);
        } else if (marker == MARKER_SCAN && !scan_is_defined(&in, at, ++scans, &f, &defined, &to)) {
            return false;
        }
        at = end;
    }
    if (marker == MARKER_END && !has_frame &&
        (defined.quantisation | defined.dc | defined.ac) != 0) {
        snprintf(missing, room, "contains tables but no picture, as an abbreviated JPEG may");
        return false;
    }
    return true;
}
