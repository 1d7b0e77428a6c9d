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
#include <stdlib.h>
#include <string.h>

#define MILLISECOND INT64_C(46186158) /* in FBX ticks */
#define TIME_LIMIT  (INT64_C(1) << 60)
#define MAX_EDITS   4096
#define MAX_ADDED   (64u << 20)

/* ---- edits ------------------------------------------------------------------------------------*/

uint64_t mrwi_fbx_little(const uint8_t *p, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
        value = value << 8 | p[i];
    }
    return value;
}

void mrwi_fbx_put_little(uint8_t *p, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        p[i] = (uint8_t)(value >> (8 * i));
    }
}

mrwi_fbx_edit *mrwi_fbx_add_edit(mrwi_fbx_edits *edits, size_t at, size_t removed, size_t added)
{
    if (edits->count == MAX_EDITS || added > MAX_ADDED - edits->added) {
        return NULL;
    }
    edits->added += added;
    mrwi_fbx_edit *edit = &edits->list[edits->count++];
    memset(edit, 0, sizeof *edit);
    edit->at = at;
    edit->removed = removed;
    return edit;
}

static int compare_edits(const void *a, const void *b)
{
    const mrwi_fbx_edit *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void sum_shifts(mrwi_fbx_edits *edits)
{
    ptrdiff_t shift = 0;
    for (size_t i = 0; i < edits->count; i++) {
        mrwi_fbx_edit *e = &edits->list[i];
        shift += (ptrdiff_t)(e->head_size + e->repeats * e->unit_size + e->tail_size);
        shift -= (ptrdiff_t)e->removed;
        e->shift = shift;
    }
}

static size_t apply(const mrwi_fbx_edits *edits, uint8_t *out)
{
    size_t from = 0, to = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const mrwi_fbx_edit *e = &edits->list[i];
        memcpy(out + to, edits->bytes + from, e->at - from);
        to += e->at - from;
        memcpy(out + to, e->head, e->head_size);
        to += e->head_size;
        for (size_t k = 0; k < e->repeats; k++, to += e->unit_size) {
            memcpy(out + to, e->unit, e->unit_size);
        }
        memcpy(out + to, e->tail, e->tail_size);
        to += e->tail_size;
        from = e->at + e->removed;
    }
    memcpy(out + to, edits->bytes + from, edits->size - from);
    return to + (edits->size - from);
}

/* ---- times ------------------------------------------------------------------------------------*/

/* The value of a LocalStart or LocalStop. */
typedef struct time_value {
    size_t at, length; /* of the text or the 8 bytes */
    int64_t value;
} time_value;

/* Binary, behind the name: 'S' length text, three times, then 'L' and 8 bytes. */
static bool read_binary(const mrwi_fbx_edits *s, size_t at, time_value *out)
{
    for (int i = 0; i < 3; i++) {
        if (s->size - at < 5 || s->bytes[at] != 'S') {
            return false;
        }
        uint64_t length = mrwi_fbx_little(s->bytes + at + 1, 4);
        if (length > 64 || s->size - at - 5 < length) {
            return false;
        }
        at += 5 + (size_t)length;
    }
    if (s->size - at < 9 || s->bytes[at] != 'L') {
        return false;
    }
    *out = (time_value){at + 1, 8, (int64_t)mrwi_fbx_little(s->bytes + at + 1, 8)};
    return true;
}

/* Text, behind the name: `", "KTime", "Time", "",` and digits. */
static bool read_text(const mrwi_fbx_edits *s, size_t at, time_value *out)
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

static void write_time(mrwi_fbx_edits *s, const time_value *old, int64_t value)
{
    char text[32];
    size_t length = s->binary ? 8 : (size_t)snprintf(text, sizeof text, "%lld", (long long)value);
    mrwi_fbx_edit *edit = mrwi_fbx_add_edit(s, old->at, old->length, length);
    if (edit == NULL) {
        return;
    }
    edit->head_size = length;
    if (s->binary) {
        mrwi_fbx_put_little(edit->head, (uint64_t)value, 8);
    } else {
        memcpy(edit->head, text, length);
    }
}

static void find_stops(mrwi_fbx_edits *s)
{
    static const char name[] = "LocalSt";
    const uint8_t *at = s->bytes, *end = s->bytes + s->size;
    int64_t start = 0;
    while ((at = memmem(at, (size_t)(end - at), name, sizeof name - 1)) != NULL) {
        at += sizeof name - 1;
        bool is_stop = end - at >= 2 && memcmp(at, "op", 2) == 0;
        bool is_start = end - at >= 3 && memcmp(at, "art", 3) == 0;
        size_t behind = (size_t)(at - s->bytes) + (is_stop ? 2 : 3);
        time_value time;
        if ((!is_stop && !is_start) ||
            !(s->binary ? read_binary(s, behind, &time) : read_text(s, behind, &time))) {
            continue;
        }
        bool says_something = time.value != 0 || start != 0;
        if (is_stop && says_something && time.value < TIME_LIMIT && time.value > -TIME_LIMIT) {
            write_time(s, &time, time.value + MILLISECOND);
        }
        start = is_start ? time.value : 0;
    }
}

/* ---- all of it --------------------------------------------------------------------------------*/

bool mrwi_fbx_mend(const uint8_t *bytes, size_t size, uint8_t **out, size_t *out_size)
{
    static const char magic[] = "Kaydara FBX Binary";
    mrwi_fbx_edits edits = {.bytes = bytes, .size = size};
    *out = NULL;
    edits.binary = size >= 27 && memcmp(bytes, magic, sizeof magic - 1) == 0;
    edits.version = edits.binary ? (uint32_t)mrwi_fbx_little(bytes + 23, 4) : 0;
    edits.list = mrwi_alloc(MAX_EDITS, sizeof *edits.list);
    if (edits.list == NULL) {
        return false;
    }
    find_stops(&edits);
    mrwi_fbx_find_shapes(&edits);
    bool good = true;
    if (edits.count > 0) {
        qsort(edits.list, edits.count, sizeof *edits.list, compare_edits);
        sum_shifts(&edits);
        *out = mrwi_alloc(size + edits.added, 1);
        good = *out != NULL;
        *out_size = good ? apply(&edits, *out) : 0;
    }
    if (good && *out != NULL && edits.binary) {
        mrwi_fbx_move_offsets(&edits, *out);
    }
    mrwi_free(edits.list);
    return good;
}
