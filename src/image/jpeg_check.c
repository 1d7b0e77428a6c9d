/* jpeg_check.c: walks the markers of a JPEG (ITU T.81, annex B) as stb_image does. */
#include "image/jpeg_check.h"

#define MARKER_START  0xD8 /* SOI */
#define MARKER_TABLES 0xC4 /* DHT */
#define MARKER_SCAN   0xDA /* SOS */

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

bool mrwi_jpeg_tables_fit(const uint8_t *data, size_t size)
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
