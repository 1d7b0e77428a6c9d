/* dae_library.c: finds the sources, samplers and channels of a Collada file's animations, and reads
 * numbers. */
#include "import/dae_library.h"

#include "base/memory.h"
#include "base/text.h"
#include "import/curve.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS (1u << 18)

typedef mrwi_import_dae_source source;
typedef mrwi_import_dae_sampler sampler;
typedef mrwi_import_dae_channel channel;
typedef mrwi_import_dae_library library;
typedef mrwi_import_dae_numbers numbers;

/* ---- finding --------------------------------------------------------------------------------- */

/* Makes room for one more entry. */
static void *extend(void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return list;
    }
    size_t more = *room > 0 ? 2 * *room : 64;
    void *longer = more <= MAX_ELEMENTS ? mrwi_base_alloc(more, size) : NULL;
    if (longer) {
        if (count > 0) {
            memcpy(longer, list, count * size);
        }
        mrwi_base_free(list);
        *room = more;
    }
    return longer;
}

static bool list_source(library *lib, const mrwi_import_xml_tag *tag, mrwi_import_span body)
{
    mrwi_import_span id;
    source *list = extend(lib->sources, lib->source_count, &lib->source_room, sizeof *list);
    if (!list) {
        return false;
    }
    lib->sources = list;
    if (mrwi_import_xml_attribute(tag, "id", &id)) {
        list[lib->source_count++] = (source){id, body};
    }
    return true;
}

static bool list_sampler(library *lib, const mrwi_import_xml_tag *tag, mrwi_import_span body)
{
    sampler *list = extend(lib->samplers, lib->sampler_count, &lib->sampler_room, sizeof *list);
    if (!list) {
        return false;
    }
    lib->samplers = list;
    sampler *added = &list[lib->sampler_count++];
    *added = (sampler){.tag = *tag, .body = body};
    mrwi_import_xml_attribute(tag, "id", &added->id);
    return true;
}

/* Reads `<channel source="#sampler" target="node/rotateX.ANGLE"/>`. */
static bool list_channel(library *lib, const mrwi_import_xml_tag *tag)
{
    channel c;
    channel *list = extend(lib->channels, lib->channel_count, &lib->channel_room, sizeof *list);
    if (!list) {
        return false;
    }
    lib->channels = list;
    if (mrwi_import_xml_attribute(tag, "source", &c.sampler) &&
        mrwi_import_xml_attribute(tag, "target", &c.node)) {
        const char *slash = memchr(c.node.at, '/', c.node.size);
        c.node.size = slash ? (size_t)(slash - c.node.at) : c.node.size;
        list[lib->channel_count++] = c;
    }
    return true;
}

int mrwi_import_dae_compare(mrwi_import_span x, mrwi_import_span y)
{
    size_t shared = x.size < y.size ? x.size : y.size;
    int order = shared > 0 ? memcmp(x.at, y.at, shared) : 0;
    if (order != 0 || x.size != y.size) {
        return order != 0 ? order : x.size < y.size ? -1 : 1;
    }
    return 0;
}

static int compare_sources(const void *a, const void *b)
{
    const source *x = a, *y = b;
    int order = mrwi_import_dae_compare(x->id, y->id);
    return order != 0 ? order : x->id.at < y->id.at ? -1 : x->id.at > y->id.at;
}

bool mrwi_import_dae_library_list(mrwi_import_span text, library *lib)
{
    const char *at = text.at, *end = at + text.size;
    mrwi_import_xml_tag tag;
    mrwi_import_span body;
    bool inside = false;
    while (mrwi_import_xml_next(&at, end, &tag)) {
        if (mrwi_import_span_is(tag.name, "library_animations")) {
            inside = !tag.closes && !tag.empty;
        } else if (inside && !tag.closes && mrwi_import_span_is(tag.name, "source")) {
            if (mrwi_import_xml_body(&at, end, &tag, &body) && !list_source(lib, &tag, body)) {
                return false;
            }
        } else if (inside && !tag.closes && mrwi_import_span_is(tag.name, "sampler")) {
            if (mrwi_import_xml_body(&at, end, &tag, &body) && !list_sampler(lib, &tag, body)) {
                return false;
            }
        } else if (inside && !tag.closes && mrwi_import_span_is(tag.name, "channel") &&
                   !list_channel(lib, &tag)) {
            return false;
        }
    }
    if (lib->source_count > 0) {
        qsort(lib->sources, lib->source_count, sizeof *lib->sources, compare_sources);
    }
    return true;
}

void mrwi_import_dae_library_free(library *lib)
{
    mrwi_base_free(lib->sources);
    mrwi_base_free(lib->samplers);
    mrwi_base_free(lib->channels);
}

const source *mrwi_import_dae_find_source(const library *lib, mrwi_import_span reference)
{
    if (reference.size < 2 || reference.at[0] != '#') {
        return NULL;
    }
    mrwi_import_span id = {reference.at + 1, reference.size - 1};
    size_t low = 0, high = lib->source_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const mrwi_import_span *other = &lib->sources[middle].id;
        size_t shared = other->size < id.size ? other->size : id.size;
        int order = memcmp(other->at, id.at, shared);
        if (order < 0 || (order == 0 && other->size < id.size)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const source *found = low < lib->source_count ? &lib->sources[low] : NULL;
    bool same = found && found->id.size == id.size && memcmp(found->id.at, id.at, id.size) == 0;
    return same ? found : NULL;
}

/* ---- reading a source ------------------------------------------------------------------------ */

const char *mrwi_import_dae_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
        at++;
    }
    return at;
}

/* Skips `offset` numbers and reads the rest of `count`. */
static bool read_values(mrwi_import_span text, size_t offset, size_t count, double *out)
{
    const char *at = text.at, *end = at + text.size;
    for (size_t i = 0; i < offset + count; i++) {
        double value;
        at = mrwi_import_dae_skip_blanks(at, end);
        size_t length = mrwi_base_parse_double(at, (size_t)(end - at), &value);
        if (length == 0) {
            return false;
        }
        if (i >= offset) {
            out[i - offset] = value;
        }
        at += length;
    }
    return true;
}

bool mrwi_import_dae_read_source(const source *from, size_t *numbers_left, numbers *out)
{
    memset(out, 0, sizeof *out);
    if (!from) {
        return false;
    }
    const char *at = from->body.at, *end = at + from->body.size;
    mrwi_import_xml_tag array, accessor;
    mrwi_import_span text;
    size_t offset, most = from->body.size;
    if (!mrwi_import_xml_find(&at, end, "float_array", &array) ||
        !mrwi_import_xml_body(&at, end, &array, &text) ||
        !mrwi_import_xml_find(&at, end, "accessor", &accessor) ||
        !mrwi_import_xml_body(&at, end, &accessor, &out->parameters) ||
        !mrwi_import_xml_count(&accessor, "count", 0, most, &out->count) ||
        !mrwi_import_xml_count(&accessor, "stride", 1, 2 * MRWI_IMPORT_CURVE_WIDTH, &out->width) ||
        !mrwi_import_xml_count(&accessor, "offset", 0, most, &offset)) {
        return false;
    }
    size_t total = out->count * out->width; /* at most 32 times the size of the file */
    if (total == 0 || total > text.size || total > *numbers_left) {
        return false;
    }
    *numbers_left -= total;
    out->values = mrwi_base_alloc(total, sizeof *out->values);
    if (out->values && !read_values(text, offset, total, out->values)) {
        mrwi_base_free(out->values);
        out->values = NULL;
    }
    return out->values;
}
