/* gltf_pointer.c: resolves KHR_animation_pointer: JSON pointers (RFC 6901) such as
 * "/nodes/3/rotation". */
#include "load/gltf.h"

#include <inttypes.h>
#include <string.h>

#define EXTENSION "KHR_animation_pointer"
#define PARTS     6 /* one more than any supported pointer has */

typedef struct part {
    const char *text;
    size_t length;
} part;

static bool is(const part *p, const char *text)
{
    return p->length == strlen(text) && memcmp(p->text, text, p->length) == 0;
}

/* Splits at the slashes; the first character is one. Returns the number of parts, PARTS for that
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

/* Returns the value of a number. Numbers above MRW_NONE may become any other number above it. */
static uint64_t index_of(const part *p)
{
    uint64_t index = 0;
    for (size_t i = 0; i < p->length && index <= MRW_NONE; i++) {
        index = index * 10 + (uint64_t)(p->text[i] - '0');
    }
    return index;
}

/* Reads an index. Fails if there is no such element. */
static uint32_t read_index(mrwi_load_json *json, const part *p, uint32_t count, const char *what)
{
    const uint64_t index = index_of(p);
    if (index >= count) {
        mrwi_load_json_fail(
            json, "its pointer refers to entry %" PRIu64 " of \"%s\", but the file has %" PRIu32,
            index, what, count);
        return MRW_NONE;
    }
    return (uint32_t)index;
}

/* Warns with numbers replaced by N, so that nodes or materials of one kind share one warning. */
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
        ": \"%s\" is not a property that marrow animates, or does not exist; its animation "
        "is ignored",
        kind);
}

/* ---- materials ------------------------------------------------------------------------------- */

/* Properties that a material has once. */
static const struct {
    const char *pointer; /* relative to the material */
    mrw_map map;
    mrw_material_property property;
} properties[] = {
    {"/pbrMetallicRoughness/baseColorFactor", MRW_MAP_BASE_COLOR, MRW_PROPERTY_BASE_COLOR},
    {"/pbrMetallicRoughness/roughnessFactor", MRW_MAP_METALLIC_ROUGHNESS, MRW_PROPERTY_ROUGHNESS},
    {"/pbrMetallicRoughness/metallicFactor", MRW_MAP_METALLIC_ROUGHNESS, MRW_PROPERTY_METALLIC},
    {"/emissiveFactor", MRW_MAP_EMISSIVE, MRW_PROPERTY_EMISSIVE_COLOR},
    {"/extensions/KHR_materials_emissive_strength/emissiveStrength", MRW_MAP_EMISSIVE,
     MRW_PROPERTY_EMISSIVE_STRENGTH},
    {"/alphaCutoff", MRW_MAP_BASE_COLOR, MRW_PROPERTY_ALPHA_CUTOFF},
};

/* Properties in the texture transform of each map. */
static const struct {
    const char *pointer; /* relative to the map */
    mrw_material_property property;
} transforms[] = {
    {"/extensions/KHR_texture_transform/offset", MRW_PROPERTY_UV_OFFSET},
    {"/extensions/KHR_texture_transform/rotation", MRW_PROPERTY_UV_ROTATION},
    {"/extensions/KHR_texture_transform/scale", MRW_PROPERTY_UV_SCALE},
};

#define MATERIALS "/materials/"
#define METAL     "/pbrMetallicRoughness/"

/* Returns the JSON entry of the material that a pointer begins with, and the rest of the pointer.
 * MRW_NONE if there is no such material. */
static uint32_t find_material(const mrwi_load_gltf_document *document, const char *pointer,
                              const char **rest)
{
    if (strncmp(pointer, MATERIALS, strlen(MATERIALS)) != 0) {
        return MRW_NONE;
    }
    const char *text = pointer + strlen(MATERIALS);
    const part entry = {text, strcspn(text, "/")};
    const uint64_t index = is_number(&entry) ? index_of(&entry) : UINT64_MAX;
    *rest = text + entry.length;
    return index < document->materials.count ? (uint32_t)index : MRW_NONE;
}

/* Returns true if the rest of a pointer names a property of the material. */
static bool find_property(const cJSON *material, const char *rest, mrwi_load_gltf_target *out)
{
    const bool gloss = mrwi_load_gltf_is_glossy(material);
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        const bool read = !gloss || strncmp(rest, METAL, strlen(METAL)) != 0;
        if (read && strcmp(rest, properties[i].pointer) == 0) {
            out->map = properties[i].map;
            out->property = properties[i].property;
            return true;
        }
    }
    const char *transform = mrwi_load_gltf_find_map(material, rest, &out->map);
    for (size_t i = 0; transform && i < sizeof transforms / sizeof *transforms; i++) {
        if (strcmp(transform, transforms[i].pointer) == 0) {
            out->property = transforms[i].property;
            return true;
        }
    }
    return false;
}

uint32_t mrwi_load_gltf_pointed_material(const mrwi_load_gltf_document *document,
                                         const cJSON *target)
{
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(target, "extensions");
    const cJSON *pointer = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(all, EXTENSION), "pointer");
    const char *rest;
    return cJSON_IsString(pointer) ? find_material(document, pointer->valuestring, &rest)
                                   : MRW_NONE;
}

/* ---- pointers -------------------------------------------------------------------------------- */

bool mrwi_load_gltf_read_pointer(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                                 mrwi_scene_builder *builder, const cJSON *target,
                                 mrwi_load_gltf_target *out)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const cJSON *extension = mrwi_load_json_extension(json, target, EXTENSION);
    const char *pointer = mrwi_load_json_string(json, extension, "pointer");
    const char *pointer_rest;
    part parts[PARTS];
    *out = (mrwi_load_gltf_target){.node = MRW_NONE, .mesh = MRW_NONE, .material = MRW_NONE};
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
            out->path = MRW_PATH_WEIGHTS;
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
    const uint32_t material = find_material(document, pointer, &pointer_rest);
    if (material != MRW_NONE &&
        find_property(document->materials.items[material], pointer_rest, out)) {
        out->material = material;
    } else {
        warn_kind(builder, pointer);
    }
    return mrwi_load_json_good(json);
}
