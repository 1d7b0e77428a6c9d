/* gltf_variants.c: KHR_materials_variants: alternative materials for the same meshes. */
#include "load/gltf.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *name_of(const mrwi_load_gltf_document *document, uint32_t variant)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(document->variants.items[variant], "name");
    return cJSON_IsString(name) ? name->valuestring : "";
}

static void fail_variant(mrwi_load_json *json, mrwi_base_arena *keep,
                         const mrwi_load_gltf_document *document, const char *wanted)
{
    const uint32_t count = document->variants.count;
    const char **names = mrwi_load_json_alloc_zero(json, keep, count, sizeof *names);
    char text[512], escaped[100];
    if (!names) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        names[i] = name_of(document, i);
    }
    snprintf(text, sizeof text, "there is no variant \"%s\"%s",
             mrwi_base_escape(wanted, escaped, sizeof escaped),
             count == 0 ? ": the file has no variants; omit --variant" : "");
    mrwi_base_suggest(text, sizeof text, wanted, names, count, true);
    mrwi_load_json_fail(json, "%s", text);
}

/* Returns the index written in decimal digits, or MRW_NONE. */
static uint32_t index_of(const char *text)
{
    uint64_t index = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9' && index < MRW_NONE; c++) {
        index = index * 10 + (uint64_t)(*c - '0');
    }
    return c != text && *c == '\0' && index < MRW_NONE ? (uint32_t)index : MRW_NONE;
}

static bool is_required(const cJSON *root)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "extensionsRequired"))
    {
        if (cJSON_IsString(item) && strcmp(item->valuestring, "KHR_materials_variants") == 0) {
            return true;
        }
    }
    return false;
}

bool mrwi_load_gltf_choose_variant(mrwi_load_json *json, mrwi_base_arena *keep,
                                   const mrw_load_def *def, mrwi_scene_builder *builder,
                                   mrwi_load_gltf_document *document)
{
    const cJSON *extension =
        mrwi_load_json_extension(json, document->root, "KHR_materials_variants");
    document->variants = mrwi_load_json_objects(json, keep, extension, "variants");
    document->variant = MRW_NONE;
    const uint32_t count = document->variants.count;
    for (uint32_t i = 0; i < count && def->variant_found && mrwi_load_json_good(json); i++) {
        def->variant_found(def->variant_found_user, name_of(document, i));
    }
    if (!def->variant && is_required(document->root)) {
        mrwi_scene_builder_warn(builder, "it requires KHR_materials_variants; without --variant "
                                         "the primitives' own materials are drawn");
    }
    if (!def->variant || !mrwi_load_json_good(json)) {
        return mrwi_load_json_good(json);
    }
    for (uint32_t i = 0; i < count && document->variant == MRW_NONE; i++) {
        document->variant = strcmp(name_of(document, i), def->variant) == 0 ? i : MRW_NONE;
    }
    if (document->variant == MRW_NONE) {
        const uint32_t index = index_of(def->variant);
        document->variant = index < count ? index : MRW_NONE;
    }
    if (document->variant == MRW_NONE) {
        fail_variant(json, keep, document, def->variant);
    }
    return mrwi_load_json_good(json);
}

const cJSON *mrwi_load_gltf_material_holder(const mrwi_load_gltf_document *document,
                                            const cJSON *primitive)
{
    const cJSON *extensions = cJSON_GetObjectItemCaseSensitive(primitive, "extensions");
    const cJSON *variants = cJSON_GetObjectItemCaseSensitive(extensions, "KHR_materials_variants");
    const cJSON *mappings = cJSON_GetObjectItemCaseSensitive(variants, "mappings"), *mapping, *item;
    if (document->variant == MRW_NONE || !cJSON_IsArray(mappings)) {
        return primitive;
    }
    cJSON_ArrayForEach(mapping, mappings)
    {
        cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(mapping, "variants"))
        {
            if (cJSON_IsNumber(item) && item->valuedouble == (double)document->variant) {
                return mapping;
            }
        }
    }
    return primitive;
}
