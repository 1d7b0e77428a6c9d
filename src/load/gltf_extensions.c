/* gltf_extensions.c: the supported extensions of glTF, and what the others may change. */
#include "load/gltf.h"

#include "base/text.h"
#include "marrow/text.h"

#include <string.h>

/* The effect of an extension on a picture. */
typedef enum effect {
    IS_READ,
    CHANGES_NOTHING,
    CHANGES_LOOK,
    CHANGES_SHAPE,   /* the positions of vertices, or which objects are drawn where */
    CHANGES_TEXELS,  /* a texture cannot be read without it */
    CHANGES_UNKNOWN, /* marrow does not know it, so it may change anything */
    EFFECTS
} effect;

static const char *const effect_words[EFFECTS] = {NULL,
                                                  "no effect on what is drawn",
                                                  "may change the look",
                                                  "may change shapes",
                                                  "only textures",
                                                  "unknown: may change shapes and the look"};

/* Extensions and their effects. The first pattern that matches a name counts. */
static const struct {
    const char *pattern;
    effect effect;
} extensions[] = {
    {"KHR_mesh_quantization", IS_READ},
    {"EXT_meshopt_compression", IS_READ},
    {"EXT_mesh_gpu_instancing", IS_READ},
    {"KHR_draco_mesh_compression", IS_READ},
    {"KHR_animation_pointer", IS_READ},
    {"KHR_node_visibility", IS_READ},
    {"KHR_texture_transform", IS_READ},
    {"KHR_lights_punctual", IS_READ},
    {"EXT_texture_webp", IS_READ},
    {"KHR_texture_basisu", IS_READ}, /* the image says if its format is not */
    {"KHR_materials_unlit", IS_READ},
    {"KHR_materials_variants", IS_READ},
    {"KHR_materials_emissive_strength", IS_READ},
    {"KHR_materials_ior", IS_READ},
    {"KHR_materials_specular", IS_READ},
    {"KHR_materials_clearcoat", IS_READ},
    {"KHR_materials_sheen", IS_READ},
    {"KHR_materials_transmission", IS_READ},
    {"KHR_materials_pbrSpecularGlossiness", IS_READ},
    {"KHR_materials_*", CHANGES_LOOK},
    {"EXT_lights_*", CHANGES_LOOK},
    {"VRMC_materials_*", CHANGES_LOOK},
    {"KHR_texture_*", CHANGES_TEXELS},
    {"EXT_texture_*", CHANGES_TEXELS},
    {"MSFT_texture_dds", CHANGES_TEXELS},
    {"VRMC_*", CHANGES_NOTHING}, /* springs and constraints move joints only while a program runs */
    {"VRM", CHANGES_NOTHING},
    {"KHR_xmp*", CHANGES_NOTHING},
    {"KHR_node_hoverability", CHANGES_NOTHING},
    {"KHR_node_selectability", CHANGES_NOTHING},
    {"KHR_interactivity", CHANGES_NOTHING},
    {"KHR_audio*", CHANGES_NOTHING},
    {"KHR_physics_*", CHANGES_NOTHING},
    {"KHR_implicit_shapes", CHANGES_NOTHING},
    {"EXT_mesh_features", CHANGES_NOTHING},
    {"EXT_mesh_manifold", CHANGES_NOTHING},
    {"EXT_instance_features", CHANGES_NOTHING},
    {"EXT_structural_metadata", CHANGES_NOTHING},
    {"FB_ngon_encoding", CHANGES_NOTHING},
    {"OMI_*", CHANGES_NOTHING},
    {"MSFT_lod", CHANGES_NOTHING}, /* the finest level is the node's own */
    {"MSFT_screencoverage", CHANGES_NOTHING},
    {"KHR_meshopt_compression", CHANGES_SHAPE},
    {"CESIUM_RTC", CHANGES_SHAPE},
};

static effect effect_of(const char *name)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (mrwi_base_glob(extensions[i].pattern, name)) {
            return extensions[i].effect;
        }
    }
    return CHANGES_UNKNOWN;
}

/* Commands of glTF-Transform 4, according to its source: `copy` writes geometry uncompressed; `png`
 * converts pictures of the given formats. */
const char *mrwi_load_gltf_conversion(const char *extension)
{
    static const char *const commands[][2] = {
        {"KHR_meshopt_compression", "copy in.glb out.glb"},
        {"EXT_texture_avif", "png in.glb out.glb --formats avif"}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(extension, commands[i][0]) == 0) {
            return commands[i][1];
        }
    }
    return NULL;
}

bool mrwi_load_gltf_check_extensions(mrwi_load_json *json, const cJSON *root)
{
    const cJSON *list = mrwi_load_json_array(json, root, "extensionsRequired");
    for (const cJSON *e = list ? list->child : NULL; e; e = e->next) {
        char name[128];
        const effect what = cJSON_IsString(e) ? effect_of(e->valuestring) : IS_READ;
        if (!cJSON_IsString(e)) {
            mrwi_load_json_fail(json, "\"extensionsRequired\" must contain strings");
        } else if (what == CHANGES_SHAPE || what == CHANGES_UNKNOWN) {
            const char *command = mrwi_load_gltf_conversion(e->valuestring);
            mrwi_load_json_fail(json, "it needs the extension %s, which marrow does not read%s%s",
                                mrwi_base_escape(e->valuestring, name, sizeof name),
                                command ? "; convert it with: npx @gltf-transform/cli "
                                        : "; export the model without it",
                                command ? command : "");
        }
    }
    return mrwi_load_json_good(json);
}

/* ---- the warning ----------------------------------------------------------------------------- */

/* Largest number of names that are collected; fewer of one effect are named. */
#define MAX_NAMES 64
#define MAX_NAMED 8

static bool is_listed(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Appends those names of one list that are not supported and not yet collected. */
static uint32_t collect(const cJSON *list, const char *names[MAX_NAMES], uint32_t count)
{
    for (const cJSON *e = cJSON_IsArray(list) ? list->child : NULL; e && count < MAX_NAMES;
         e = e->next) {
        if (cJSON_IsString(e) && effect_of(e->valuestring) != IS_READ &&
            !is_listed(names, count, e->valuestring)) {
            names[count++] = e->valuestring;
        }
    }
    return count;
}

/* Appends "A, B (may change the look)". */
static void add_names(const char *const *names, uint32_t count, effect wanted, mrw_text *text)
{
    char safe[128];
    uint32_t named = 0, left = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (effect_of(names[i]) != wanted) {
            continue;
        }
        if (named == MAX_NAMED) {
            left++;
            continue;
        }
        mrw_text_add(text, "%s%s",
                     named > 0        ? ", "
                     : text->size > 0 ? "; "
                                      : "",
                     mrwi_base_escape(names[i], safe, sizeof safe));
        named++;
    }
    if (left > 0) {
        mrw_text_add(text, " and %u more", left);
    }
    if (named > 0) {
        mrw_text_add(text, " (%s)", effect_words[wanted]);
    }
}

bool mrwi_load_gltf_tell_extensions(mrwi_load_json *json, const cJSON *root,
                                    mrwi_scene_builder *builder)
{
    const char *names[MAX_NAMES];
    mrw_text text = {0};
    uint32_t count = collect(cJSON_GetObjectItemCaseSensitive(root, "extensionsUsed"), names, 0);
    count = collect(cJSON_GetObjectItemCaseSensitive(root, "extensionsRequired"), names, count);
    for (effect e = CHANGES_UNKNOWN; e > IS_READ; e--) {
        add_names(names, count, e, &text);
    }
    if (text.failed) {
        mrwi_load_json_fail_memory(json, text.size);
    } else if (count > 0) {
        mrwi_scene_builder_warn(builder, "it uses extensions that marrow does not read: %s",
                                text.data);
    }
    mrw_text_free(&text);
    return mrwi_load_json_good(json);
}
