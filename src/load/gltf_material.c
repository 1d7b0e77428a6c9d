/* gltf_material.c: reads materials and textures of a glTF file. */
#include "base/math.h"
#include "base/text.h"
#include "load/gltf.h"
#include "scene/maps.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- textures -------------------------------------------------------------------------------- */

/* The places of a texture's image. The first one that exists counts: a WebP picture, since `source`
 * is then for readers without WebP; `source`; a KTX2 picture, whose format may be supported; a
 * picture in an unsupported format, which becomes a checker, with a warning if it is shown. */
static const struct {
    const char *extension; /* NULL for the texture itself */
    const char *unread;
} sources[] = {{"EXT_texture_webp", NULL},
               {NULL, NULL},
               {"KHR_texture_basisu", NULL},
               {"EXT_texture_avif", "AVIF"}};

static uint32_t find_image(mrwi_load_json *json, const mrwi_load_gltf_document *document,
                           mrwi_scene_builder *builder, uint32_t index, bool shown)
{
    const cJSON *texture = document->textures.items[index];
    uint32_t image = MRW_NONE;
    for (size_t i = 0; image == MRW_NONE && i < sizeof sources / sizeof *sources; i++) {
        const char *extension = sources[i].extension;
        const cJSON *holder =
            extension ? mrwi_load_json_extension(json, texture, extension) : texture;
        image = mrwi_load_json_index(json, holder, "source", document->images.count, "images");
        if (image != MRW_NONE && sources[i].unread && shown) {
            mrwi_scene_builder_warn(builder,
                                    "texture %" PRIu32
                                    " is %s, which marrow does not read; convert the "
                                    "file with: npx @gltf-transform/cli %s",
                                    index, sources[i].unread, mrwi_load_gltf_conversion(extension));
        }
    }
    return image;
}

typedef struct texture_entry {
    uint32_t index; /* index in the builder, MRW_NONE until used */
    uint32_t image; /* index in the file, of a used texture; MRW_NONE if it has none */
    bool shown;     /* true if a material that is drawn shows it */
} texture_entry;

/* The textures of the file, and their sources. */
typedef struct textures {
    mrwi_load_gltf_file *file;
    mrwi_load_gltf_images *images;
    mrwi_scene_builder *builder;
    texture_entry *entries; /* one per JSON entry */
} textures;

static uint32_t read_wrap(mrwi_load_json *json, const cJSON *sampler, const char *key)
{
    switch (mrwi_load_json_uint(json, sampler, key, 10497, UINT32_MAX)) {
    case 33071:
        return MRW_WRAP_CLAMP;
    case 33648:
        return MRW_WRAP_MIRROR;
    default:
        return MRW_WRAP_REPEAT;
    }
}

/* Reads the minification filter. Files without one get the best. */
static uint16_t read_minify(mrwi_load_json *json, const cJSON *sampler)
{
    switch (mrwi_load_json_uint(json, sampler, "minFilter", 9987, UINT32_MAX)) {
    case 9728:
        return MRW_MINIFY_NEAREST;
    case 9729:
        return MRW_MINIFY_LINEAR;
    case 9984:
        return MRW_MINIFY_NEAREST_MIPMAP_NEAREST;
    case 9985:
        return MRW_MINIFY_LINEAR_MIPMAP_NEAREST;
    case 9986:
        return MRW_MINIFY_NEAREST_MIPMAP_LINEAR;
    default:
        return MRW_MINIFY_LINEAR_MIPMAP_LINEAR;
    }
}

static bool push_texture(textures *t, uint32_t index, bool drawn)
{
    const mrwi_load_gltf_document *document = t->file->document;
    mrwi_load_json *json = &t->file->json;
    const cJSON *entry = document->textures.items[index];
    uint32_t image = find_image(json, document, t->builder, index, false);
    uint32_t s = mrwi_load_json_index(json, entry, "sampler", document->samplers.count, "samplers");
    const cJSON *sampler = s != MRW_NONE ? document->samplers.items[s] : NULL;
    const char *name = mrwi_load_json_string(json, entry, "name");
    mrw_texture texture;
    memset(&texture, 0, sizeof texture);
    texture.wrap_u = read_wrap(json, sampler, "wrapS");
    texture.wrap_v = read_wrap(json, sampler, "wrapT");
    texture.nearest = mrwi_load_json_uint(json, sampler, "magFilter", 9729, UINT32_MAX) == 9728;
    texture.minify = read_minify(json, sampler);
    if (!mrwi_load_json_good(json)) {
        return false;
    }
    if (image == MRW_NONE) {
        if (drawn) {
            mrwi_scene_builder_warn(t->builder, "texture %" PRIu32 " has no image and is ignored",
                                    index);
        }
        return true;
    }
    if (t->images->index[image] == MRW_NONE &&
        !mrwi_load_gltf_name_image(json, document, t->images, t->builder, image)) {
        return false;
    }
    t->entries[index].image = image;
    texture.image = t->images->index[image];
    return mrwi_load_json_ok(json,
                             mrwi_scene_builder_texture(t->builder, name, &texture,
                                                        &t->entries[index].index, json->error));
}

/* Marks a texture that was pushed as shown. */
static bool show_texture(textures *t, uint32_t index)
{
    texture_entry *texture = &t->entries[index];
    if (texture->shown || texture->image == MRW_NONE) {
        return true;
    }
    find_image(&t->file->json, t->file->document, t->builder, index, true);
    texture->shown = mrwi_load_gltf_show_image(t->file, t->images, t->builder, texture->image);
    return texture->shown;
}

/* Ends a try. A fault in any map other than the base colour costs only that map. */
static bool leave_out(textures *t)
{
    const bool malformed = mrwi_load_json_forgive(&t->file->json);
    if (malformed) {
        mrwi_scene_builder_warn(t->builder, "%s: %s; it is ignored", t->file->json.where,
                                t->file->json.reason);
    }
    return malformed;
}

/* Reads the parts of KHR_texture_transform. */
static void read_transform_parts(mrwi_load_json *json, const cJSON *transform,
                                 mrwi_load_gltf_transform *out)
{
    *out = (mrwi_load_gltf_transform){{0, 0}, 0.0, {1, 1}};
    mrwi_load_json_floats(json, transform, "offset", out->offset, 2);
    mrwi_load_json_floats(json, transform, "scale", out->scale, 2);
    out->rotation = mrwi_load_json_number(json, transform, "rotation", 0.0);
}

static void read_texture_transform(mrwi_load_json *json, const cJSON *transform,
                                   mrw_material_map *map)
{
    mrwi_load_gltf_transform parts;
    read_transform_parts(json, transform, &parts);
    mrwi_scene_texture_transform(parts.offset, parts.rotation, parts.scale, map->uv_transform);
}

/* Reads a textureInfo object; NULL means no texture. A fault in a map that is not shown is not
 * reported: the map is left out. */
static void read_map(textures *t, const cJSON *info, bool drawn, bool shown, mrw_material_map *map)
{
    mrwi_load_json *json = &t->file->json;
    uint32_t index =
        mrwi_load_json_index(json, info, "index", t->file->document->textures.count, "textures");
    const cJSON *transform = mrwi_load_json_extension(json, info, "KHR_texture_transform");
    uint64_t set = mrwi_load_json_uint(json, info, "texCoord", 0, UINT32_MAX);
    set = mrwi_load_json_uint(json, transform, "texCoord", set, UINT32_MAX);
    if (transform && !json->trying) {
        mrw_material_map moved = *map;
        mrwi_load_json_try(json);
        read_texture_transform(json, transform, &moved);
        *map = leave_out(t) ? *map : moved;
    } else if (transform) {
        read_texture_transform(json, transform, map);
    }
    if (!mrwi_load_json_good(json) || index == MRW_NONE) {
        return;
    }
    if (set > 1) {
        if (drawn) {
            mrwi_scene_builder_warn(t->builder,
                                    "texture %" PRIu32 " is used with TEXCOORD_%" PRIu64
                                    ", but marrow reads only 0 and 1; it is ignored",
                                    index, set);
        }
        return;
    }
    if ((t->entries[index].index == MRW_NONE && !push_texture(t, index, drawn)) ||
        (shown && !show_texture(t, index))) {
        return;
    }
    map->uv_set = (uint32_t)set;
    map->texture = t->entries[index].index;
}

/* ---- materials ------------------------------------------------------------------------------- */

static uint32_t read_alpha_mode(mrwi_load_json *json, const cJSON *entry)
{
    const char *mode = mrwi_load_json_string(json, entry, "alphaMode");
    if (!mode || strcmp(mode, "OPAQUE") == 0) {
        return MRW_ALPHA_OPAQUE;
    }
    if (strcmp(mode, "MASK") == 0) {
        return MRW_ALPHA_MASK;
    }
    if (strcmp(mode, "BLEND") != 0) {
        mrwi_load_json_fail(json, "\"alphaMode\" must be OPAQUE, MASK or BLEND");
    }
    return MRW_ALPHA_BLEND;
}

/* The objects that hold the maps of a material. The older KHR_materials_pbrSpecularGlossiness
 * replaces pbrMetallicRoughness in materials that have it, and excludes the extensions after it;
 * its diffuse colour is the base colour. */
enum { MATERIAL, METAL, GLOSS, IOR, SPECULAR, COAT, SHEEN, CLEAR, HOLDERS };

typedef struct map_place {
    mrw_map map;
    int holder;
    const char *texture;
    const char *color; /* key of the factor, an array of numbers, or NULL */
    uint32_t width;
} map_place;

static const map_place places[] = {
    {MRW_MAP_BASE_COLOR, METAL, "baseColorTexture", "baseColorFactor", 4},
    {MRW_MAP_BASE_COLOR, GLOSS, "diffuseTexture", "diffuseFactor", 4},
    {MRW_MAP_METALLIC_ROUGHNESS, METAL, "metallicRoughnessTexture", NULL, 0},
    {MRW_MAP_NORMAL, MATERIAL, "normalTexture", NULL, 0},
    {MRW_MAP_OCCLUSION, MATERIAL, "occlusionTexture", NULL, 0},
    {MRW_MAP_EMISSIVE, MATERIAL, "emissiveTexture", "emissiveFactor", 3},
    {MRW_MAP_SPECULAR, GLOSS, "specularGlossinessTexture", "specularFactor", 3},
    {MRW_MAP_SPECULAR, SPECULAR, "specularColorTexture", "specularColorFactor", 3},
    {MRW_MAP_SPECULAR_STRENGTH, SPECULAR, "specularTexture", NULL, 0},
    {MRW_MAP_CLEARCOAT, COAT, "clearcoatTexture", NULL, 0},
    {MRW_MAP_CLEARCOAT_ROUGHNESS, COAT, "clearcoatRoughnessTexture", NULL, 0},
    {MRW_MAP_CLEARCOAT_NORMAL, COAT, "clearcoatNormalTexture", NULL, 0},
    {MRW_MAP_SHEEN_COLOR, SHEEN, "sheenColorTexture", "sheenColorFactor", 3},
    {MRW_MAP_SHEEN_ROUGHNESS, SHEEN, "sheenRoughnessTexture", NULL, 0},
};

/* Multiplies emissiveFactor by KHR_materials_emissive_strength. */
static void strengthen(mrwi_load_json *json, const cJSON *material, float factor[3])
{
    const cJSON *strength =
        mrwi_load_json_extension(json, material, "KHR_materials_emissive_strength");
    const double times = mrwi_load_json_number(json, strength, "emissiveStrength", 1.0);
    for (int c = 0; c < 3; c++) {
        const double shone = (double)factor[c] * times;
        if (fabs(shone) > (double)FLT_MAX) {
            mrwi_load_json_fail(json,
                                "\"emissiveFactor\" times \"emissiveStrength\" must be finite");
            return;
        }
        factor[c] = (float)shone;
    }
}

/* Reads the factor of a map, whose textureInfo object may be NULL. */
static void read_factor(mrwi_load_json *json, const map_place *place, const cJSON *holder,
                        const cJSON *info, float factor[4])
{
    if (place->color) {
        mrwi_load_json_floats(json, holder, place->color, factor, place->width);
    }
    if (place->map == MRW_MAP_METALLIC_ROUGHNESS) {
        factor[1] = (float)mrwi_load_json_number(json, holder, "roughnessFactor", 1.0);
        factor[2] = (float)mrwi_load_json_number(json, holder, "metallicFactor", 1.0);
    } else if (place->map == MRW_MAP_NORMAL || place->map == MRW_MAP_CLEARCOAT_NORMAL) {
        factor[0] = factor[1] = (float)mrwi_load_json_number(json, info, "scale", 1.0);
    } else if (place->map == MRW_MAP_OCCLUSION) {
        factor[0] = (float)mrwi_load_json_number(json, info, "strength", 1.0);
    } else if (place->map == MRW_MAP_EMISSIVE) {
        strengthen(json, holder, factor);
    } else if (place->map == MRW_MAP_SHEEN_COLOR) {
        factor[3] = (float)mrwi_load_json_number(json, holder, "sheenRoughnessFactor", 0.0);
    } else if (place->holder == GLOSS && place->map == MRW_MAP_SPECULAR) {
        factor[3] = (float)mrwi_load_json_number(json, holder, "glossinessFactor", 1.0);
    }
}

/* Reads a map from one of its places: its texture and its factor, either of which may be absent. */
static void read_place(textures *t, const map_place *place, const cJSON *holder, bool shown,
                       mrw_material *out)
{
    mrwi_load_json *json = &t->file->json;
    const bool drawn = mrw_map_info_of(place->map)->drawn;
    mrw_material_map map = mrw_material_default().maps[place->map];
    size_t mark = mrwi_load_json_enter(json, "%s", place->texture);
    if (place->map != MRW_MAP_BASE_COLOR) {
        mrwi_load_json_try(json);
    }
    const cJSON *info = mrwi_load_json_object(json, holder, place->texture);
    if (place->map == MRW_MAP_BASE_COLOR && mrwi_load_json_good(json)) {
        mrwi_load_json_try(json);
        read_factor(json, place, holder, info, map.factor);
        leave_out(t);
    } else {
        read_factor(json, place, holder, info, map.factor);
    }
    read_map(t, info, drawn, shown && drawn, &map);
    if (!leave_out(t)) {
        out->maps[place->map] = map;
    }
    mrwi_load_json_leave(json, mark);
}

static void read_maps(textures *t, const cJSON *const *holders, bool shown, mrw_material *out)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const cJSON *holder = holders[places[i].holder];
        if (holder && mrwi_load_json_good(&t->file->json)) {
            read_place(t, &places[i], holder, shown, out);
        }
    }
}

/* Finds an extension that may be left out. */
static const cJSON *find_extension(textures *t, const cJSON *entry, const char *name)
{
    mrwi_load_json_try(&t->file->json);
    const cJSON *found = mrwi_load_json_extension(&t->file->json, entry, name);
    return leave_out(t) ? NULL : found;
}

/* Reads a number that may be left out. */
static float read_number(textures *t, const cJSON *holder, const char *key, float absent)
{
    mrwi_load_json_try(&t->file->json);
    const double value = mrwi_load_json_number(&t->file->json, holder, key, (double)absent);
    return leave_out(t) ? absent : (float)value;
}

/* Reads KHR_materials_ior, _specular and _clearcoat. */
static void read_extensions(textures *t, const cJSON *const *holders, mrw_material *out)
{
    out->ior = read_number(t, holders[IOR], "ior", out->ior);
    out->specular = read_number(t, holders[SPECULAR], "specularFactor", out->specular);
    out->clearcoat = read_number(t, holders[COAT], "clearcoatFactor", out->clearcoat);
    out->clearcoat_roughness =
        read_number(t, holders[COAT], "clearcoatRoughnessFactor", out->clearcoat_roughness);
}

/* Least alpha of clear materials. */
#define CLEAR_GLASS 0.2f

/* Approximates KHR_materials_transmission: opaque glass is blended instead, and covers the share of
 * light that it does not let through. The share is that of white for all colours. It never covers
 * less than CLEAR_GLASS, because alpha also reduces reflections. Nothing is refracted. A map of
 * transmission makes nothing clear (not_drawn). */
static void read_transmission(textures *t, const cJSON *clear, mrw_material *out)
{
    const float factor = read_number(t, clear, "transmissionFactor", 0.0f);
    float *base = out->maps[MRW_MAP_BASE_COLOR].factor;
    const mrw_material_map *metal = &out->maps[MRW_MAP_METALLIC_ROUGHNESS];
    const float metallic = metal->texture == MRW_NONE ? metal->factor[2] : 0.0f;
    if (cJSON_HasObjectItem(clear, "transmissionTexture") || out->flags & MRW_MATERIAL_UNLIT ||
        out->alpha_mode != MRW_ALPHA_OPAQUE || !(factor * (1.0f - metallic) > 0.0f)) {
        return;
    }
    const float white = 0.2126f * base[0] + 0.7152f * base[1] + 0.0722f * base[2];
    const float covers = 1.0f - factor * (1.0f - metallic) * white;
    out->alpha_mode = MRW_ALPHA_BLEND;
    base[3] = covers > CLEAR_GLASS ? covers : CLEAR_GLASS;
}

static void read_surface(textures *t, const cJSON *entry, bool shown, mrw_material *out)
{
    mrwi_load_json *json = &t->file->json;
    const cJSON *metal = mrwi_load_json_object(json, entry, "pbrMetallicRoughness");
    const cJSON *gloss =
        mrwi_load_json_extension(json, entry, "KHR_materials_pbrSpecularGlossiness");
    const cJSON *holders[HOLDERS] = {[MATERIAL] = entry, [GLOSS] = gloss};
    if (gloss) {
        out->model = MRW_MATERIAL_SPECULAR_GLOSSINESS;
    } else {
        holders[METAL] = metal;
        holders[IOR] = find_extension(t, entry, "KHR_materials_ior");
        holders[SPECULAR] = find_extension(t, entry, "KHR_materials_specular");
        holders[COAT] = find_extension(t, entry, "KHR_materials_clearcoat");
        holders[SHEEN] = find_extension(t, entry, "KHR_materials_sheen");
        holders[CLEAR] = find_extension(t, entry, "KHR_materials_transmission");
    }
    read_maps(t, holders, shown, out);
    read_extensions(t, holders, out);
    read_transmission(t, holders[CLEAR], out);
}

static bool push_material(textures *t, const mrwi_load_gltf_materials *materials, uint32_t i)
{
    mrwi_load_json *json = &t->file->json;
    const cJSON *entry = t->file->document->materials.items[i];
    mrw_material material = mrw_material_default();
    const char *name = mrwi_load_json_string(json, entry, "name");
    material.alpha_mode = read_alpha_mode(json, entry);
    material.alpha_cutoff = read_number(t, entry, "alphaCutoff", 0.5f);
    material.flags |=
        mrwi_load_json_bool(json, entry, "doubleSided") ? MRW_MATERIAL_DOUBLE_SIDED : 0;
    bool unlit = mrwi_load_json_extension(json, entry, "KHR_materials_unlit");
    material.flags |= unlit ? MRW_MATERIAL_UNLIT : 0;
    const uint32_t filed_mode = material.alpha_mode;
    read_surface(t, entry, materials->drawn[i], &material);
    if (material.alpha_mode != filed_mode) {
        materials->clear[i] = material.maps[MRW_MAP_BASE_COLOR].factor[3];
    }
    return mrwi_load_json_good(json) &&
           mrwi_load_json_ok(json,
                             (materials->animated[i] ? mrwi_scene_builder_animated_material
                                                     : mrwi_scene_builder_material)(
                                 t->builder, name, &material, &materials->index[i], json->error));
}

/* ---- what is not drawn ----------------------------------------------------------------------- */

/* Extensions that change the look of a material if this factor is above 0. For one that is drawn
 * without its map, only materials with the map count. */
static const struct {
    const char *name, *map, *factor, *instead;
} not_drawn[] = {
    {"KHR_materials_transmission", "transmissionTexture", "transmissionFactor",
     "materials with a transmission map are opaque"},
    {"KHR_materials_diffuse_transmission", NULL, "diffuseTransmissionFactor",
     "thin surfaces are opaque"},
    {"KHR_materials_volume", NULL, "thicknessFactor", "nothing is refracted"},
    {"KHR_materials_dispersion", NULL, "dispersion", "nothing is refracted"},
    {"KHR_materials_iridescence", NULL, "iridescenceFactor", "thin films have no colours"},
    {"KHR_materials_anisotropy", NULL, "anisotropyStrength", "highlights are round"},
};

/* Returns true if a number, or one of several, is above 0. Malformed values do not count. */
static bool is_above_0(const cJSON *value)
{
    for (const cJSON *one = cJSON_IsArray(value) ? value->child : NULL; one; one = one->next) {
        if (cJSON_IsNumber(one) && one->valuedouble > 0.0) {
            return true;
        }
    }
    return cJSON_IsNumber(value) && value->valuedouble > 0.0;
}

/* Warns once about each such extension, with the first shown material that uses it. */
static void tell_what_is_not_drawn(const cJSON *const *entries, const bool *shown, uint32_t count,
                                   mrwi_scene_builder *builder)
{
    for (size_t e = 0; e < sizeof not_drawn / sizeof *not_drawn; e++) {
        uint32_t first = 0, found = 0;
        for (uint32_t i = 0; i < count; i++) {
            const cJSON *all = cJSON_GetObjectItemCaseSensitive(entries[i], "extensions");
            const cJSON *one = cJSON_GetObjectItemCaseSensitive(all, not_drawn[e].name);
            if (shown[i] && !cJSON_HasObjectItem(all, "KHR_materials_unlit") &&
                (!not_drawn[e].map || cJSON_HasObjectItem(one, not_drawn[e].map)) &&
                is_above_0(cJSON_GetObjectItemCaseSensitive(one, not_drawn[e].factor))) {
                first = found == 0 ? i : first;
                found++;
            }
        }
        if (found > 1) {
            mrwi_scene_builder_warn(
                builder, "material %" PRIu32 " and %" PRIu32 " more: %s is not drawn: %s", first,
                found - 1, not_drawn[e].name, not_drawn[e].instead);
        } else if (found == 1) {
            mrwi_scene_builder_warn(builder, "material %" PRIu32 ": %s is not drawn: %s", first,
                                    not_drawn[e].name, not_drawn[e].instead);
        }
    }
}

/* ---- which maps show an image ---------------------------------------------------------------- */

/* Extensions that hold maps. */
static const struct {
    int holder;
    const char *name;
} extensions[] = {{GLOSS, "KHR_materials_pbrSpecularGlossiness"},
                  {SPECULAR, "KHR_materials_specular"},
                  {COAT, "KHR_materials_clearcoat"},
                  {SHEEN, "KHR_materials_sheen"}};

/* Largest number of keys of an object that are examined, as when it is read. */
#define MOST_KEYS 1000

/* Finds a value without reporting faults; reading it reports them. */
static const cJSON *peek(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_IsObject(object) ? object->child : NULL;
    for (int i = 0; item && i < MOST_KEYS; i++, item = item->next) {
        if (strcmp(item->string, key) == 0) {
            return item;
        }
    }
    return NULL;
}

/* Returns the entry that an index of an object names; MRW_NONE if there is none. */
static uint32_t peek_index(const cJSON *object, const char *key, uint32_t count)
{
    const cJSON *item = peek(object, key);
    const double index = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
    return index >= 0.0 && index < (double)count ? mrwi_base_to_u32(index) : MRW_NONE;
}

/* Adds maps to the image of a texture, which may be MRW_NONE. */
static void note_texture(const mrwi_load_gltf_document *document, uint32_t texture, uint32_t maps,
                         mrwi_load_gltf_images *images)
{
    const cJSON *entry = texture == MRW_NONE ? NULL : document->textures.items[texture];
    const cJSON *all = peek(entry, "extensions");
    uint32_t image = MRW_NONE;
    for (size_t i = 0; image == MRW_NONE && i < sizeof sources / sizeof *sources; i++) {
        const char *extension = sources[i].extension;
        image =
            peek_index(extension ? peek(all, extension) : entry, "source", document->images.count);
    }
    if (image != MRW_NONE) {
        images->maps[image] |= maps;
    }
}

/* Returns true for opaque materials. Glass that lets light through blends, whatever its alpha
 * mode. */
static bool is_opaque(const cJSON *material, const cJSON *all)
{
    const cJSON *mode = peek(material, "alphaMode");
    return (!mode || (cJSON_IsString(mode) && strcmp(mode->valuestring, "OPAQUE") == 0)) &&
           !peek(all, "KHR_materials_transmission");
}

/* Records the maps of a material before any image is decoded: several maps may show one image. */
static void note_material(const mrwi_load_gltf_document *document, const cJSON *material,
                          mrwi_load_gltf_images *images)
{
    const cJSON *all = peek(material, "extensions");
    const cJSON *holders[HOLDERS] = {
        [MATERIAL] = material, [METAL] = peek(material, "pbrMetallicRoughness")};
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        holders[extensions[i].holder] = peek(all, extensions[i].name);
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const cJSON *info = peek(holders[places[i].holder], places[i].texture);
        const bool alpha = places[i].map == MRW_MAP_BASE_COLOR && !is_opaque(material, all);
        note_texture(document, peek_index(info, "index", document->textures.count),
                     MRW_MAP_BIT(places[i].map) | (alpha ? MRW_MAPS_ALPHA : 0), images);
    }
}

/* ---- which maps animations change ------------------------------------------------------------ */

bool mrwi_load_gltf_is_glossy(const cJSON *material)
{
    return peek(peek(material, "extensions"), "KHR_materials_pbrSpecularGlossiness");
}

/* Returns the name of the extension that holds a place's map; NULL for other places. */
static const char *extension_of(const map_place *place)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (extensions[i].holder == place->holder) {
            return extensions[i].name;
        }
    }
    return NULL;
}

/* Returns the object that holds a place's map. NULL if the material lacks it, or reads another one
 * instead. */
static const cJSON *find_holder(const cJSON *material, const map_place *place)
{
    if (place->holder == MATERIAL) {
        return material;
    }
    if (mrwi_load_gltf_is_glossy(material) != (place->holder == GLOSS)) {
        return NULL;
    }
    return place->holder == METAL ? peek(material, "pbrMetallicRoughness")
                                  : peek(peek(material, "extensions"), extension_of(place));
}

/* Writes the pointer to a place's map, relative to the material, with a slash at its end. */
static int write_pointer(const map_place *place, char *out, size_t size)
{
    const char *extension = extension_of(place);
    return snprintf(out, size, "%s%s/%s/",
                    extension                ? "/extensions/"
                    : place->holder == METAL ? "/pbrMetallicRoughness"
                                             : "",
                    extension ? extension : "", place->texture);
}

const char *mrwi_load_gltf_find_map(const cJSON *material, const char *pointer, mrw_map *map)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[160];
        const int length = write_pointer(&places[i], path, sizeof path);
        if (strncmp(pointer, path, (size_t)length) == 0 && find_holder(material, &places[i])) {
            *map = places[i].map;
            return pointer + length - 1;
        }
    }
    return NULL;
}

mrwi_load_gltf_transform mrwi_load_gltf_rest_transform(mrwi_load_json *json, const cJSON *material,
                                                       mrw_map map)
{
    mrwi_load_gltf_transform out = {{0, 0}, 0.0, {1, 1}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const cJSON *holder = places[i].map == map ? find_holder(material, &places[i]) : NULL;
        const cJSON *info = peek(holder, places[i].texture);
        if (info) {
            mrwi_load_gltf_transform parts;
            mrwi_load_json_try(json);
            read_transform_parts(
                json, mrwi_load_json_extension(json, info, "KHR_texture_transform"), &parts);
            out = mrwi_load_json_forgive(json) ? out : parts;
        }
    }
    return out;
}

/* ---- all of them ----------------------------------------------------------------------------- */

bool mrwi_load_gltf_push_materials(mrwi_load_gltf_file *file, mrwi_base_arena *keep,
                                   mrwi_load_gltf_materials *materials,
                                   mrwi_load_gltf_images *images, mrwi_scene_builder *builder)
{
    const mrwi_load_gltf_document *document = file->document;
    mrwi_load_json *json = &file->json;
    textures t = {file, images, builder, NULL};
    t.entries = mrwi_load_json_alloc_zero(json, keep, document->textures.count, sizeof *t.entries);
    for (uint32_t i = 0; t.entries && i < document->textures.count; i++) {
        t.entries[i].index = t.entries[i].image = MRW_NONE;
    }
    for (uint32_t i = 0; i < document->materials.count && mrwi_load_json_good(json); i++) {
        if (materials->drawn[i]) {
            note_material(document, document->materials.items[i], images);
        }
    }
    for (uint32_t i = 0; i < document->materials.count && mrwi_load_json_good(json); i++) {
        size_t mark = mrwi_load_json_enter(json, "material %" PRIu32, i);
        push_material(&t, materials, i);
        mrwi_load_json_leave(json, mark);
    }
    tell_what_is_not_drawn(document->materials.items, materials->drawn, document->materials.count,
                           builder);
    return mrwi_load_json_good(json);
}

/* ---- which are drawn ------------------------------------------------------------------------- */

/* Returns the material of a primitive of triangles, or MRW_NONE. Primitives may be malformed in any
 * way; reading them later reports it. Some may turn out to have no triangles after all. */
static uint32_t drawn_material(const cJSON *primitive, const cJSON *holder, uint32_t count)
{
    const cJSON *mode = cJSON_GetObjectItemCaseSensitive(primitive, "mode");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(holder, "material");
    double material = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
    bool triangles = !cJSON_IsNumber(mode) || mode->valuedouble >= 4.0;
    return triangles && material >= 0.0 && material < (double)count ? mrwi_base_to_u32(material)
                                                                    : MRW_NONE;
}

void mrwi_load_gltf_find_drawn(const mrwi_load_gltf_document *document,
                               const mrwi_load_gltf_tree *tree, mrwi_load_gltf_materials *materials)
{
    for (uint32_t m = 0; m < document->meshes.count; m++) {
        const mrwi_load_gltf_mesh *mesh = &tree->meshes[m];
        for (uint32_t i = 0; mesh->drawn && i < mesh->primitive_list.count; i++) {
            uint32_t material =
                drawn_material(mesh->primitive_list.items[i], mesh->primitives[i].holder,
                               document->materials.count);
            if (material != MRW_NONE) {
                materials->drawn[material] = true;
            }
        }
    }
}
