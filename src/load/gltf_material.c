/* gltf_material.c: materials and textures of a glTF file. */
#include "base/math.h"
#include "base/text.h"
#include "load/gltf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- textures -------------------------------------------------------------------------------- */

/* The image of a texture. Where only a KTX2, WebP or AVIF picture is offered, that one: it cannot
 * be decoded, which makes a checker, and a warning where it is shown. */
static uint32_t find_image(mrwi_load_gltf *g, uint32_t index, bool shown)
{
    static const struct {
        const char *extension, *format, *command;
    } others[] = {{"KHR_texture_basisu", "KTX2", "ktxdecompress"},
                  {"EXT_texture_webp", "WebP", "png"},
                  {"EXT_texture_avif", "AVIF", "png"}};
    const cJSON *texture = g->textures.items[index];
    uint32_t image = mrwi_load_json_index(&g->json, texture, "source", g->images.count, "images");
    for (size_t i = 0; image == MRW_NONE && i < sizeof others / sizeof *others; i++) {
        const cJSON *extension = mrwi_load_json_extension(&g->json, texture, others[i].extension);
        image = mrwi_load_json_index(&g->json, extension, "source", g->images.count, "images");
        if (image != MRW_NONE && shown) {
            mrwi_scene_builder_warn(g->builder,
                                    "texture %" PRIu32
                                    " is %s, which marrow does not read; convert the "
                                    "file with: npx @gltf-transform/cli %s in.glb out.glb",
                                    index, others[i].format, others[i].command);
        }
    }
    return image;
}

static uint32_t read_wrap(mrwi_load_gltf *g, const cJSON *sampler, const char *key)
{
    switch (mrwi_load_json_uint(&g->json, sampler, key, 10497, UINT32_MAX)) {
    case 33071:
        return MRW_WRAP_CLAMP;
    case 33648:
        return MRW_WRAP_MIRROR;
    default:
        return MRW_WRAP_REPEAT;
    }
}

static bool push_texture(mrwi_load_gltf *g, uint32_t index)
{
    const cJSON *entry = g->textures.items[index];
    uint32_t image = find_image(g, index, false);
    uint32_t s = mrwi_load_json_index(&g->json, entry, "sampler", g->samplers.count, "samplers");
    const cJSON *sampler = s != MRW_NONE ? g->samplers.items[s] : NULL;
    const char *name = mrwi_load_json_string(&g->json, entry, "name");
    mrw_texture texture;
    memset(&texture, 0, sizeof texture);
    texture.wrap_u = read_wrap(g, sampler, "wrapS");
    texture.wrap_v = read_wrap(g, sampler, "wrapT");
    texture.nearest = mrwi_load_json_uint(&g->json, sampler, "magFilter", 9729, UINT32_MAX) == 9728;
    if (!mrwi_load_gltf_good(g)) {
        return false;
    }
    if (image == MRW_NONE) {
        mrwi_scene_builder_warn(g->builder, "texture %" PRIu32 " has no image and is left out",
                                index);
        return true;
    }
    if (g->image_index[image] == MRW_NONE && !mrwi_load_gltf_name_image(g, image)) {
        return false;
    }
    g->texture_image[index] = image;
    texture.image = g->image_index[image];
    return mrwi_load_json_ok(&g->json,
                             mrwi_scene_builder_texture(g->builder, name, &texture,
                                                        &g->texture_index[index], g->json.error));
}

/* A texture that was pushed is shown. */
static bool show_texture(mrwi_load_gltf *g, uint32_t index)
{
    if (g->texture_shown[index] || g->texture_image[index] == MRW_NONE) {
        return true;
    }
    g->texture_shown[index] = true;
    find_image(g, index, true);
    return mrwi_load_gltf_show_image(g, g->texture_image[index]);
}

/* KHR_texture_transform: translation * rotation * scale, the rotation counter-clockwise as seen in
 * the picture, whose v points down. */
static void read_texture_transform(mrwi_load_gltf *g, const cJSON *transform, mrw_texture_use *use)
{
    float offset[2] = {0, 0}, scale[2] = {1, 1};
    mrwi_load_json_floats(&g->json, transform, "offset", offset, 2);
    mrwi_load_json_floats(&g->json, transform, "scale", scale, 2);
    double rotation = mrwi_load_json_number(&g->json, transform, "rotation", 0.0);
    rotation = fmod(rotation, 2.0 * MRWI_BASE_PI);
    double s = mrwi_base_sin(rotation), c = mrwi_base_cos(rotation);
    use->uv_transform[0] = (float)(c * (double)scale[0]);
    use->uv_transform[1] = (float)(s * (double)scale[1]);
    use->uv_transform[2] = offset[0];
    use->uv_transform[3] = (float)(-s * (double)scale[0]);
    use->uv_transform[4] = (float)(c * (double)scale[1]);
    use->uv_transform[5] = offset[1];
}

static mrw_texture_use no_texture(void)
{
    const mrw_texture_use none = {MRW_NONE, 0, {1, 0, 0, 0, 1, 0}};
    return none;
}

/* A textureInfo object of a material; info NULL means no texture. */
static mrw_texture_use read_texture_use(mrwi_load_gltf *g, const cJSON *info, uint32_t material)
{
    mrw_texture_use use = no_texture();
    uint32_t index = mrwi_load_json_index(&g->json, info, "index", g->textures.count, "textures");
    const cJSON *transform = mrwi_load_json_extension(&g->json, info, "KHR_texture_transform");
    uint64_t set = mrwi_load_json_uint(&g->json, info, "texCoord", 0, UINT32_MAX);
    set = mrwi_load_json_uint(&g->json, transform, "texCoord", set, UINT32_MAX);
    if (transform) {
        read_texture_transform(g, transform, &use);
    }
    if (!mrwi_load_gltf_good(g) || index == MRW_NONE) {
        return no_texture();
    }
    if (set > 1) {
        mrwi_scene_builder_warn(g->builder,
                                "texture %" PRIu32 " is used with TEXCOORD_%" PRIu64
                                ", but marrow reads only 0 and 1; it is left out",
                                index, set);
        return no_texture();
    }
    if ((g->texture_index[index] == MRW_NONE && !push_texture(g, index)) ||
        (g->material_drawn[material] && !show_texture(g, index))) {
        return no_texture();
    }
    use.uv_set = (uint32_t)set;
    use.texture = g->texture_index[index];
    return use;
}

/* ---- materials ------------------------------------------------------------------------------- */

static uint32_t read_alpha_mode(mrwi_load_gltf *g, const cJSON *entry)
{
    const char *mode = mrwi_load_json_string(&g->json, entry, "alphaMode");
    if (!mode || strcmp(mode, "OPAQUE") == 0) {
        return MRW_ALPHA_OPAQUE;
    }
    if (strcmp(mode, "MASK") == 0) {
        return MRW_ALPHA_MASK;
    }
    if (strcmp(mode, "BLEND") != 0) {
        mrwi_load_json_fail(&g->json, "\"alphaMode\" must be OPAQUE, MASK or BLEND");
    }
    return MRW_ALPHA_BLEND;
}

/* Base colour from pbrMetallicRoughness, or from the diffuse half of the older
 * KHR_materials_pbrSpecularGlossiness where that is what the material has. */
static void read_base_color(mrwi_load_gltf *g, const cJSON *entry, uint32_t index,
                            mrw_material *out)
{
    const cJSON *gloss =
        mrwi_load_json_extension(&g->json, entry, "KHR_materials_pbrSpecularGlossiness");
    const cJSON *metal = mrwi_load_json_object(&g->json, entry, "pbrMetallicRoughness");
    const cJSON *from = gloss ? gloss : metal;
    const char *factor = gloss ? "diffuseFactor" : "baseColorFactor";
    const char *texture = gloss ? "diffuseTexture" : "baseColorTexture";
    for (int c = 0; c < 4; c++) {
        out->base_color[c] = 1.0f;
    }
    mrwi_load_json_floats(&g->json, from, factor, out->base_color, 4);
    size_t mark = mrwi_load_json_enter(&g->json, "%s", texture);
    out->base_color_texture =
        read_texture_use(g, mrwi_load_json_object(&g->json, from, texture), index);
    mrwi_load_json_leave(&g->json, mark);
}

static bool push_material(mrwi_load_gltf *g, uint32_t index)
{
    const cJSON *entry = g->materials.items[index];
    mrw_material material;
    memset(&material, 0, sizeof material);
    const char *name = mrwi_load_json_string(&g->json, entry, "name");
    material.alpha_mode = read_alpha_mode(g, entry);
    material.alpha_cutoff = (float)mrwi_load_json_number(&g->json, entry, "alphaCutoff", 0.5);
    material.flags |=
        mrwi_load_json_bool(&g->json, entry, "doubleSided") ? MRW_MATERIAL_DOUBLE_SIDED : 0;
    bool unlit = mrwi_load_json_extension(&g->json, entry, "KHR_materials_unlit");
    material.flags |= unlit ? MRW_MATERIAL_UNLIT : 0;
    read_base_color(g, entry, index, &material);
    return mrwi_load_gltf_good(g) &&
           mrwi_load_json_ok(&g->json,
                             mrwi_scene_builder_material(g->builder, name, &material,
                                                         &g->material_index[index], g->json.error));
}

bool mrwi_load_gltf_push_materials(mrwi_load_gltf *g)
{
    for (uint32_t i = 0; i < g->materials.count && mrwi_load_gltf_good(g); i++) {
        size_t mark = mrwi_load_json_enter(&g->json, "material %" PRIu32, i);
        push_material(g, i);
        mrwi_load_json_leave(&g->json, mark);
    }
    return mrwi_load_gltf_good(g);
}

/* ---- which are drawn ------------------------------------------------------------------------- */

/* Looks at primitives that may be malformed in any way, and says nothing: whoever reads them will.
 * Some of them may turn out to have no triangles after all. */
static void note_primitive(mrwi_load_gltf *g, const cJSON *primitive)
{
    const cJSON *mode = cJSON_GetObjectItemCaseSensitive(primitive, "mode");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(primitive, "material");
    double material = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
    bool triangles = !cJSON_IsNumber(mode) || mode->valuedouble >= 4.0;
    if (triangles && material >= 0.0 && material < (double)g->materials.count) {
        g->material_drawn[(uint32_t)material] = true;
    }
}

void mrwi_load_gltf_find_drawn(mrwi_load_gltf *g)
{
    for (uint32_t m = 0; m < g->meshes.count && !g->def->clips_only; m++) {
        const mrwi_load_gltf_mesh *mesh = &g->mesh_data[m];
        for (uint32_t i = 0; mesh->drawn && i < mesh->primitive_list.count; i++) {
            note_primitive(g, mesh->primitive_list.items[i]);
        }
    }
}
