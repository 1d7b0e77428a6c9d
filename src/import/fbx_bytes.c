/* fbx_bytes.c: repairs FBX bytes before assimp sees them.
 *
 * assimp drops keys more than 0.2 microseconds after a stack's LocalStop, although exporters round
 * both to their own grids. So each LocalStop is set a millisecond later: the duration of a clip is
 * that of its keys anyway. If LocalStart and LocalStop are both 0, assimp takes all keys and moves
 * the earliest to 0, which is where such files have their start ("Takes"): these stay unchanged. */
#include "import/fbx_bytes.h"

#include "base/math.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define TIME_LIMIT (INT64_C(1) << 60)

/* ---- times ----------------------------------------------------------------------------------- */

/* The value of a LocalStart or LocalStop. */
typedef struct time_value {
    size_t at, length; /* place of the text or the 8 bytes */
    int64_t value;
} time_value;

/* Reads a binary value, after the name: 'S' length text, three times, then 'L' and 8 bytes. */
static bool read_binary(const mrwi_import_fbx *s, size_t at, time_value *out)
{
    for (int i = 0; i < 3; i++) {
        if (s->size - at < 5 || s->bytes[at] != 'S') {
            return false;
        }
        uint64_t length = mrwi_import_fbx_little(s->bytes + at + 1, 4);
        if (length > 64 || s->size - at - 5 < length) {
            return false;
        }
        at += 5 + (size_t)length;
    }
    if (s->size - at < 9 || s->bytes[at] != 'L') {
        return false;
    }
    *out = (time_value){at + 1, 8, (int64_t)mrwi_import_fbx_little(s->bytes + at + 1, 8)};
    return true;
}

/* Reads a text value: `", "KTime", "Time", "",` and digits. */
static bool read_text(const mrwi_import_fbx *s, size_t at, time_value *out)
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

static void write_time(mrwi_import_fbx *s, const time_value *old, int64_t value)
{
    char text[32];
    size_t length = s->binary ? 8 : (size_t)snprintf(text, sizeof text, "%lld", (long long)value);
    mrwi_import_edit *edit = mrwi_import_edits_add(&s->edits, old->at, old->length, length);
    if (edit && s->binary) {
        mrwi_import_fbx_put_little(edit->data, (uint64_t)value, 8);
    } else if (edit) {
        memcpy(edit->data, text, length);
    }
}

static void remember_cut(mrwi_import_fbx *s, int64_t time)
{
    if (s->cut_count < MRWI_IMPORT_FBX_MAX_CUTS) {
        s->cuts[s->cut_count++] = time;
    }
}

static void find_stops(mrwi_import_fbx *s)
{
    static const char name[] = "LocalSt";
    const uint8_t *at = s->bytes, *end = s->bytes + s->size;
    int64_t start = 0;
    while ((at = memmem(at, (size_t)(end - at), name, sizeof name - 1))) {
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
            write_time(s, &time, time.value + MRWI_IMPORT_FBX_MILLISECOND);
            remember_cut(s, start);
            remember_cut(s, time.value);
        }
        start = is_start ? time.value : 0;
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static uint32_t text_version(const mrwi_import_fbx *fbx)
{
    static const char key[] = "FBXVersion:";
    const uint8_t *at = mrwi_import_fbx_find(fbx, 0, fbx->size < 4096 ? fbx->size : 4096, key);
    size_t from = at ? (size_t)(at - fbx->bytes) + sizeof key - 1 : fbx->size;
    double version = 0.0;
    while (from < fbx->size && fbx->bytes[from] == ' ') {
        from++;
    }
    mrwi_base_parse_double((const char *)fbx->bytes + from, fbx->size - from, &version);
    return version > 0.0 && version < 1e6 ? mrwi_base_to_u32(version) : 0;
}

mrwi_import_fbx mrwi_import_fbx_open(const uint8_t *bytes, size_t size)
{
    static const char magic[] = "Kaydara FBX Binary";
    mrwi_import_fbx fbx = {.bytes = bytes, .size = size, .edits = {.bytes = bytes, .size = size}};
    fbx.binary = size >= 27 && memcmp(bytes, magic, sizeof magic - 1) == 0;
    fbx.version = fbx.binary ? (uint32_t)mrwi_import_fbx_little(bytes + 23, 4) : text_version(&fbx);
    return fbx;
}

bool mrwi_import_fbx_mend(const uint8_t *bytes, size_t size, bool curves,
                          mrwi_import_fbx_sliders *sliders, mrwi_import_beyond *beyond,
                          uint32_t *unpainted, uint8_t **out, size_t *out_size)
{
    mrwi_import_fbx fbx = mrwi_import_fbx_open(bytes, size);
    *out = NULL;
    *sliders = (mrwi_import_fbx_sliders){NULL, 0};
    *beyond = (mrwi_import_beyond){NULL, 0, 0};
    find_stops(&fbx);
    mrwi_import_fbx_find_shapes(&fbx);
    if (curves || mrwi_import_fbx_may_go_on(&fbx)) {
        mrwi_import_fbx_find_curves(&fbx, curves);
    }
    bool good = mrwi_import_fbx_find_names(&fbx) && mrwi_import_fbx_find_instances(&fbx) &&
                mrwi_import_fbx_find_sliders(&fbx, sliders) &&
                mrwi_import_fbx_find_beyond(&fbx, beyond) &&
                (fbx.edits.count == 0 || mrwi_import_edits_apply(&fbx.edits, out, out_size));
    if (*out && fbx.binary) {
        mrwi_import_fbx_move_offsets(&fbx, *out);
    }
    mrwi_import_edits_free(&fbx.edits);
    *unpainted = fbx.unpainted;
    return good;
}
