/* assimp_fbx_bytes.c: FBX bytes mended before assimp sees them.
 *
 * assimp drops keys more than 0.2 microseconds after a stack's LocalStop, although exporters round
 * both to their own grids. So each LocalStop is set a millisecond later: the duration of a clip is
 * that of its keys anyway. Where LocalStart and LocalStop are both 0, it takes all keys and moves
 * them so that the earliest lies at 0, which is where such files have their start ("Takes"): they
 * stay as they are.
 */
#include "load/assimp_fbx_bytes.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#define MILLISECOND INT64_C(46186158) /* in FBX ticks */
#define TIME_LIMIT  (INT64_C(1) << 60)
#define MAX_STOPS   4096

/* One value of a LocalStart or LocalStop. */
typedef struct time_value {
    size_t at, length; /* of the text or the 8 bytes */
    int64_t value;
} time_value;

typedef struct stops {
    const uint8_t *bytes;
    size_t size;
    bool binary;
    time_value list[MAX_STOPS];
    size_t count;
} stops;

/* ---- binary: 'S' length text, three times, then 'L' and 8 bytes, all little-endian ------------
 */

static uint64_t read_little(const uint8_t *p, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        value = value << 8 | p[i];
    }
    return value;
}

static bool read_binary(const stops *s, size_t at, time_value *out)
{
    for (int i = 0; i < 3; i++) {
        if (s->size - at < 5 || s->bytes[at] != 'S') {
            return false;
        }
        uint64_t length = read_little(s->bytes + at + 1, 4);
        if (length > 64 || s->size - at - 5 < length) {
            return false;
        }
        at += 5 + (size_t)length;
    }
    if (s->size - at < 9 || s->bytes[at] != 'L') {
        return false;
    }
    *out = (time_value){at + 1, 8, (int64_t)read_little(s->bytes + at + 1, 8)};
    return true;
}

/* ---- text: `", "KTime", "Time", "",` and digits -----------------------------------------------
 */

static bool read_text(const stops *s, size_t at, time_value *out)
{
    int quotes = 0, commas = 0;
    for (; at < s->size && commas < 4 && s->bytes[at] != '\n'; at++) {
        quotes += s->bytes[at] == '"';
        commas += s->bytes[at] == ',' && quotes % 2 == 1;
    }
    while (at < s->size && s->bytes[at] == ' ') {
        at++;
    }
    size_t first = at;
    bool negative = at < s->size && s->bytes[at] == '-';
    at += negative;
    int64_t value = 0;
    for (; at < s->size && s->bytes[at] >= '0' && s->bytes[at] <= '9' && at - first < 18; at++) {
        value = 10 * value + (s->bytes[at] - '0');
    }
    *out = (time_value){first, at - first, negative ? -value : value};
    return commas == 4 && at - first > (size_t)negative;
}

/* ---- finding ----------------------------------------------------------------------------------
 */

/* The value whose name ends at `end`. */
static bool read_value(const stops *s, size_t end, time_value *out)
{
    return s->binary ? read_binary(s, end, out) : read_text(s, end, out);
}

static void find_stops(stops *s)
{
    static const char name[] = "LocalSt";
    const uint8_t *at = s->bytes, *end = s->bytes + s->size;
    int64_t start = 0;
    while (s->count < MAX_STOPS &&
           (at = memmem(at, (size_t)(end - at), name, sizeof name - 1)) != NULL) {
        at += sizeof name - 1;
        time_value value;
        if (end - at >= 3 && memcmp(at, "art", 3) == 0) {
            bool good = read_value(s, (size_t)(at + 3 - s->bytes), &value);
            start = good ? value.value : start;
        } else if (end - at >= 2 && memcmp(at, "op", 2) == 0 &&
                   read_value(s, (size_t)(at + 2 - s->bytes), &value)) {
            bool says_nothing = value.value == 0 && start == 0;
            if (!says_nothing && value.value < TIME_LIMIT && value.value > -TIME_LIMIT) {
                value.value += MILLISECOND;
                s->list[s->count++] = value;
            }
            start = 0;
        }
    }
}

/* ---- writing ----------------------------------------------------------------------------------
 */

static size_t write_value(const stops *s, const time_value *value, uint8_t *out)
{
    if (s->binary) {
        for (int i = 0; i < 8; i++) {
            out[i] = (uint8_t)((uint64_t)value->value >> (8 * i));
        }
        return 8;
    }
    char text[32];
    int length = snprintf(text, sizeof text, "%lld", (long long)value->value);
    memcpy(out, text, (size_t)length);
    return (size_t)length;
}

static size_t write_all(const stops *s, uint8_t *out)
{
    size_t from = 0, to = 0;
    for (size_t i = 0; i < s->count; i++) {
        const time_value *value = &s->list[i];
        memcpy(out + to, s->bytes + from, value->at - from);
        to += value->at - from;
        to += write_value(s, value, out + to);
        from = value->at + value->length;
    }
    memcpy(out + to, s->bytes + from, s->size - from);
    return to + (s->size - from);
}

bool mrwi_fbx_mend(const uint8_t *bytes, size_t size, uint8_t **out, size_t *out_size)
{
    static const char magic[] = "Kaydara FBX Binary";
    *out = NULL;
    stops *s = mrwi_alloc_zero(1, sizeof *s);
    if (s == NULL) {
        return false;
    }
    s->bytes = bytes;
    s->size = size;
    s->binary = size > sizeof magic && memcmp(bytes, magic, sizeof magic - 1) == 0;
    find_stops(s);
    bool good = true;
    if (s->count > 0) {
        *out = mrwi_alloc(size + 24 * s->count, 1);
        good = *out != NULL;
        *out_size = good ? write_all(s, *out) : 0;
    }
    mrwi_free(s);
    return good;
}
