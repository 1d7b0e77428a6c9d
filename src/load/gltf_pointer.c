/* gltf_pointer.c: what KHR_animation_pointer points at: JSON pointers (RFC 6901) such as
 * "/nodes/3/rotation". */
#include "load/gltf.h"

#include <inttypes.h>
#include <string.h>

#define EXTENSION "KHR_animation_pointer"
#define PARTS     6 /* one more than what we animate has */

typedef struct part {
    const char *text;
    size_t length;
} part;

static bool is(const part *p, const char *text)
{
    return p->length == strlen(text) && memcmp(p->text, text, p->length) == 0;
}

/* Splits at the slashes, of which one comes first; returns how many parts there are, PARTS for that
 * many or more. */
static size_t split(const char *pointer, part parts[PARTS])
{
    size_t count = 0;
    while (count < PARTS && *pointer == '/') {
        size_t length = strcspn(++pointer, "/");
        parts[count++] = (part){pointer, length};
        pointer += length;
    }
    return *pointer == '\0' ? count : PARTS;
}

static bool is_number(const part *p)
{
    return p->length > 0 && strspn(p->text, "0123456789") >= p->length;
}

/* Fails where there is no such element. */
static uint32_t read_index(mrwi_load_json *json, const part *p, uint32_t count, const char *what)
{
    uint64_t index = 0;
    for (size_t i = 0; i < p->length && index <= MRW_NONE; i++) {
        index = index * 10 + (uint64_t)(p->text[i] - '0');
    }
    if (index >= count) {
        mrwi_load_json_fail(
            json, "its pointer refers to entry %" PRIu64 " of \"%s\", but the file has %" PRIu32,
            index, what, count);
        return MRW_NONE;
    }
    return (uint32_t)index;
}

/* The pointer with N for its numbers: what the warnings for all nodes or materials have in common.
 */
static void warn_kind(mrwi_scene_builder *builder, const char *pointer)
{
    char kind[200];
    size_t used = 0;
    while (*pointer != '\0' && used < sizeof kind - 2) {
        size_t digits = strspn(pointer, "0123456789");
        bool number = digits > 0 && used > 0 && kind[used - 1] == '/' &&
                      (pointer[digits] == '/' || pointer[digits] == '\0');
        kind[used++] = number ? 'N' : *pointer;
        pointer += number ? digits : 1;
    }
    kind[used] = '\0';
    mrwi_scene_builder_warn(
        builder,
        EXTENSION
        ": \"%s\" is not a node's transform, weights or visibility; its animation is ignored",
        kind);
}

bool mrwi_load_gltf_read_pointer(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                                 mrwi_scene_builder *builder, const cJSON *target,
                                 mrwi_load_gltf_target *out)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const cJSON *extension = mrwi_load_json_extension(json, target, EXTENSION);
    const char *pointer = mrwi_load_json_string(json, extension, "pointer");
    part parts[PARTS];
    *out = (mrwi_load_gltf_target){MRW_NONE, MRW_NONE, MRW_PATH_WEIGHTS};
    if (!pointer) {
        mrwi_scene_builder_warn(builder, "%s: its " EXTENSION " has no pointer, so it is ignored",
                                json->where);
        return mrwi_load_json_good(json);
    }
    if (split(pointer, parts) == 3 && is_number(&parts[1])) {
        for (uint32_t i = 0; i < 4 && is(&parts[0], "nodes"); i++) {
            if (is(&parts[2], paths[i])) {
                out->path = (mrw_path)i;
                out->node = read_index(json, &parts[1], document->nodes.count, "nodes");
                return mrwi_load_json_good(json);
            }
        }
        if (is(&parts[0], "meshes") && is(&parts[2], "weights")) {
            out->mesh = read_index(json, &parts[1], document->meshes.count, "meshes");
            return mrwi_load_json_good(json);
        }
    }
    if (split(pointer, parts) == 5 && is(&parts[0], "nodes") && is_number(&parts[1]) &&
        is(&parts[2], "extensions") && is(&parts[3], "KHR_node_visibility") &&
        is(&parts[4], "visible")) {
        out->path = MRW_PATH_VISIBILITY;
        out->node = read_index(json, &parts[1], document->nodes.count, "nodes");
        return mrwi_load_json_good(json);
    }
    warn_kind(builder, pointer);
    return mrwi_load_json_good(json);
}
