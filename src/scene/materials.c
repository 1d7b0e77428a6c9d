/* materials.c: stores images, textures and materials of a builder, each once. */
#include "scene/build.h"

#include "base/math.h"
#include "base/text.h"
#include "marrow/image.h"
#include "scene/maps.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

/* ---- images ---------------------------------------------------------------------------------- */

#define CHECKER_CELL 8u

void mrwi_scene_checker_fill(uint8_t *rgba)
{
    static const uint8_t colors[2][4] = {{255, 0, 255, 255}, {32, 32, 32, 255}};
    for (uint32_t y = 0; y < MRWI_SCENE_CHECKER_SIDE; y++) {
        for (uint32_t x = 0; x < MRWI_SCENE_CHECKER_SIDE; x++, rgba += 4) {
            memcpy(rgba, colors[(x / CHECKER_CELL + y / CHECKER_CELL) & 1], 4);
        }
    }
}

static bool make_checker(mrwi_scene_texels *out)
{
    out->rgba = mrwi_base_alloc(MRWI_SCENE_CHECKER_SIDE * MRWI_SCENE_CHECKER_SIDE, 4);
    out->width = out->height = MRWI_SCENE_CHECKER_SIDE;
    if (out->rgba) {
        mrwi_scene_checker_fill(out->rgba);
    }
    return out->rgba;
}

uint64_t mrw_image_memory(uint32_t width, uint32_t height)
{
    uint64_t bytes = (uint64_t)width * height * 4;
    for (;; width = width > 1 ? width / 2 : 1, height = height > 1 ? height / 2 : 1) {
        bytes += ((uint64_t)width + 1) * ((uint64_t)height + 1) * 8;
        if (width <= 1 && height <= 1) {
            return bytes;
        }
    }
}

uint64_t mrw_scene_texture_memory(const mrw_scene *scene)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < scene->images_count; i++) {
        const mrw_image_info *image = &scene->images[i];
        if ((image->flags & (MRW_IMAGE_MISSING | MRW_IMAGE_UNSEEN)) == 0) {
            bytes += mrw_image_memory(image->width, image->height);
        }
    }
    return bytes;
}

static bool has_alpha(const uint8_t *rgba, uint64_t texels)
{
    uint64_t all = UINT64_MAX, word = 0;
    for (uint64_t i = 0; i + 2 <= texels; i += 2) {
        memcpy(&word, rgba + 4 * i, sizeof word);
        all &= word;
    }
    return (all & UINT64_C(0xff000000ff000000)) != UINT64_C(0xff000000ff000000) ||
           rgba[4 * (texels - 1) + 3] != 255;
}

void mrwi_scene_texels_hash(const uint8_t *rgba, uint32_t width, uint32_t height, uint8_t out[32])
{
    const mrw_image image = {width, height, 4, MRW_FORMAT_U8, (uint8_t *)(uintptr_t)rgba, NULL};
    mrw_image_hash(&image, out);
}

static bool is_hash(const uint8_t hash[32])
{
    static const uint8_t none[32];
    return memcmp(hash, none, sizeof none) != 0;
}

void mrwi_scene_texels_find(mrwi_scene_texels *texels)
{
    const uint64_t count = (uint64_t)texels->width * texels->height;
    if (count == 0) {
        return; /* mrwi_scene_builder_texels refuses it */
    }
    texels->alpha = has_alpha(texels->rgba, count);
    if (!is_hash(texels->hash)) {
        mrwi_scene_texels_hash(texels->rgba, texels->width, texels->height, texels->hash);
    }
}

/* The key of an image. Images with the same hash are one, under the first name. Missing images have
 * no hash, and name and path say what is missing. */
typedef struct image_key {
    const mrwi_scene_draft *draft;
    const mrw_image_info *info;
} image_key;

static bool same_image(const void *user, uint32_t index)
{
    const image_key *key = user;
    const mrw_image_info *other = &MRWI_SCENE_AT(key->draft, images, mrw_image_info, index);
    const mrw_image_info *info = key->info;
    return memcmp(info->hash, other->hash, sizeof info->hash) == 0 &&
           (is_hash(info->hash) || (info->name == other->name && info->path == other->path));
}

static uint64_t texels_of(const mrw_image_info *info, const uint8_t *rgba, bool deep, bool encoded)
{
    mrw_image_info image = *info;
    image.flags = (deep ? MRW_IMAGE_DEEP : 0) | (encoded ? MRW_IMAGE_ENCODED : 0);
    return rgba ? mrwi_scene_image_texels(&image, rgba) : 0;
}

/* Makes room for one more picture. */
static mrw_status grow_pictures(mrwi_scene_materials *materials, uint32_t count, mrw_error *error)
{
    if (count < materials->picture_room) {
        return MRW_OK;
    }
    const uint32_t room = 2 * count + 16;
    mrwi_scene_picture *grown =
        mrwi_base_realloc(materials->pictures, count * sizeof *grown, room, sizeof *grown);
    if (!grown) {
        return mrwi_base_fail_memory(error, room * sizeof *grown);
    }
    materials->pictures = grown;
    materials->picture_room = room;
    return MRW_OK;
}

static mrw_status take_rgba(mrwi_scene_draft *draft, mrwi_scene_picture *picture,
                            const mrw_image_info *info, mrwi_scene_texels *texels, mrw_error *error)
{
    mrwi_scene_pool *section = &draft->pools[MRWI_SCENE_SECTION_texels];
    const uint64_t before = texels_of(info, picture->rgba, picture->deep, picture->encoded);
    const uint64_t count = texels_of(info, texels->rgba, texels->deep, texels->encoded);
    if (count > MRWI_SCENE_SECTION_LIMIT - section->count + before) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: more than %u %s; split the model",
                              draft->file, MRWI_SCENE_SECTION_LIMIT,
                              mrwi_scene_sections[MRWI_SCENE_SECTION_texels].name);
    }
    section->count = (uint32_t)(section->count - before + count);
    mrwi_base_free(picture->rgba);
    picture->rgba = texels->rgba;
    picture->deep = texels->deep;
    picture->encoded = texels->encoded;
    texels->rgba = NULL;
    return MRW_OK;
}

/* Returns how far an image is on its way to texels. */
static int stage_of(const mrw_image_info *image)
{
    return (image->flags & MRW_IMAGE_UNDECODED) != 0 ? 0
           : (image->flags & MRW_IMAGE_ENCODED) != 0 ? 1
                                                     : 2;
}

/* Merges the properties of two equal images. The one with texels decides (the checker counts as
 * texels), then the one that is encoded; if neither has any, the image is opaque if either says so.
 * Returns true if the new one is ahead. */
static bool join_infos(mrw_image_info *old, mrw_image_info *new)
{
    const uint32_t found =
        MRW_IMAGE_MISSING | MRW_IMAGE_ALPHA | MRW_IMAGE_UNDECODED | MRW_IMAGE_ENCODED;
    const int was = stage_of(old), is = stage_of(new);
    const mrw_image_info from = is > was ? *new : *old;
    uint32_t flags = from.flags & found;
    flags &= was == 0 && is == 0 ? new->flags | ~MRW_IMAGE_ALPHA : UINT32_MAX;
    mrw_image_info *both[] = {old, new};
    for (int i = 0; i < 2; i++) {
        both[i]->width = from.width;
        both[i]->height = from.height;
        both[i]->flags = (both[i]->flags & ~found) | flags;
    }
    return is > was;
}

/* Takes texels->rgba, unless an equal image has texels with the same depth. */
static mrw_status keep_texels(mrwi_scene_draft *draft, mrwi_scene_materials *materials,
                              uint32_t index, mrwi_scene_texels *texels, mrw_error *error)
{
    mrw_image_info *info = &MRWI_SCENE_AT(draft, images, mrw_image_info, index);
    uint64_t hash;
    memcpy(&hash, info->hash, sizeof hash);
    if (!is_hash(info->hash)) {
        hash = mrwi_scene_hash_word(mrwi_scene_hash_word(MRWI_SCENE_HASH_SEED, info->name),
                                    info->path);
    }
    const image_key key = {draft, info};
    const uint32_t found = mrwi_scene_table_find(&materials->same_image, hash, same_image, &key);
    if (found != MRW_NONE) {
        mrwi_scene_picture *picture = &materials->pictures[found];
        materials->pictures[index].same_as = found;
        if (!picture->opacity) {
            picture->opacity = texels->opacity;
            texels->opacity = NULL;
        }
        const bool deeper = texels->deep && picture->rgba && !picture->deep;
        return join_infos(&MRWI_SCENE_AT(draft, images, mrw_image_info, found), info) || deeper
                   ? take_rgba(draft, picture, info, texels, error)
                   : MRW_OK;
    }
    mrw_status status = take_rgba(draft, &materials->pictures[index], info, texels, error);
    materials->pictures[index].opacity = texels->opacity;
    texels->opacity = NULL;
    return status ? status
           : mrwi_scene_table_add(&materials->same_image, hash, index)
               ? MRW_OK
               : mrwi_base_fail_memory(error, sizeof(mrwi_scene_table_entry));
}

static mrw_status check_sides(const mrwi_scene_draft *draft, uint32_t index,
                              const mrwi_scene_texels *texels, mrw_error *error)
{
    if (texels->width - 1 < MRWI_SCENE_IMAGE_SIDE_LIMIT &&
        texels->height - 1 < MRWI_SCENE_IMAGE_SIDE_LIMIT) {
        return MRW_OK;
    }
    mrwi_scene_label label;
    const char *name = (const char *)draft->names.text.data +
                       MRWI_SCENE_AT(draft, images, mrw_image_info, index).name;
    return mrwi_base_fail(
        error, MRW_ERROR_INPUT, "%s: %s is %ux%u texels; each side must be 1 to 65536", draft->file,
        mrwi_scene_label_of(label, "image", index, name), texels->width, texels->height);
}

mrw_status mrwi_scene_builder_texels(mrwi_scene_builder *b, uint32_t index,
                                     mrwi_scene_texels *texels, mrw_error *error)
{
    mrw_image_info *info = &MRWI_SCENE_AT(&b->draft, images, mrw_image_info, index);
    const bool missing = !texels->rgba && !texels->undecoded;
    mrw_status status = missing ? MRW_OK : check_sides(&b->draft, index, texels, error);
    if (missing && !make_checker(texels)) {
        status = mrwi_base_fail_memory(error, (size_t)MRWI_SCENE_CHECKER_SIDE *
                                                  MRWI_SCENE_CHECKER_SIDE * 4);
    }
    if (!status) {
        info->width = texels->width;
        info->height = texels->height;
        info->flags &= ~MRW_IMAGE_UNSEEN;
        info->flags |= missing ? MRW_IMAGE_MISSING : 0;
        info->flags |= texels->alpha ? MRW_IMAGE_ALPHA : 0;
        info->flags |= texels->undecoded ? MRW_IMAGE_UNDECODED : 0;
        info->flags |= texels->encoded ? MRW_IMAGE_ENCODED : 0;
        memcpy(info->hash, texels->hash, sizeof info->hash);
        status = keep_texels(&b->draft, &b->materials, index, texels, error);
    }
    mrwi_base_free(texels->rgba);
    mrwi_base_free(texels->opacity);
    texels->rgba = texels->opacity = NULL;
    texels->joined = !status && b->materials.pictures[index].same_as != MRW_NONE;
    return mrwi_scene_settle(b, status);
}

/* Pushes an image without texels. */
static mrw_status push_unseen(mrwi_scene_draft *draft, mrwi_scene_materials *materials,
                              const mrwi_scene_image_input *in, uint32_t *index, mrw_error *error)
{
    mrw_image_info info = {.flags = MRW_IMAGE_UNSEEN | (in->path ? 0 : MRW_IMAGE_EMBEDDED)};
    mrw_status status = mrwi_scene_name(draft, in->name, &info.name, error);
    if (status) {
        return status;
    }
    status = mrwi_scene_name(draft, in->path, &info.path, error);
    if (status) {
        return status;
    }
    status = grow_pictures(materials, MRWI_SCENE_COUNT(draft, images), error);
    if (status) {
        return status;
    }
    status = mrwi_scene_push(draft, MRWI_SCENE_SECTION_images, &info, index, error);
    if (status) {
        return status;
    }
    materials->pictures[*index] = (mrwi_scene_picture){.same_as = MRW_NONE};
    return MRW_OK;
}

mrw_status mrwi_scene_builder_image(mrwi_scene_builder *b, const mrwi_scene_image_input *in,
                                    uint32_t *index, mrw_error *error)
{
    mrwi_scene_texels texels = {.width = in->width, .height = in->height};
    const size_t size = (size_t)in->width * in->height * 4;
    mrw_status status = push_unseen(&b->draft, &b->materials, in, index, error);
    if (status || in->unseen) {
        return mrwi_scene_settle(b, status);
    }
    if (in->rgba) {
        status = check_sides(&b->draft, *index, &texels, error);
        if (status) {
            return b->failed = status;
        }
        texels.rgba = mrwi_base_alloc(size, 1);
        if (!texels.rgba) {
            return b->failed = mrwi_base_fail_memory(error, size);
        }
        memcpy(texels.rgba, in->rgba, size);
        mrwi_scene_texels_find(&texels);
    }
    status = mrwi_scene_builder_texels(b, *index, &texels, error);
    if (status) {
        return status;
    }
    if (texels.joined) {
        *index = b->materials.pictures[*index].same_as;
        MRWI_SCENE_COUNT(&b->draft, images)--;
    }
    return MRW_OK;
}

/* ---- textures and materials ------------------------------------------------------------------ */

typedef struct entry_key {
    const char *pool;
    const void *entry;
    size_t size;
} entry_key;

static bool same_entry(const void *user, uint32_t index)
{
    const entry_key *key = user;
    return memcmp(key->pool + index * key->size, key->entry, key->size) == 0;
}

/* Pushes an entry unless an equal one exists. Its padding must be zero. */
static mrw_status push_once(mrwi_scene_draft *draft, mrwi_scene_section section,
                            mrwi_scene_table *table, const void *entry, uint32_t *index,
                            mrw_error *error)
{
    size_t size = mrwi_scene_sections[section].entry_size;
    uint64_t hash = mrwi_scene_hash_bytes(MRWI_SCENE_HASH_SEED, entry, size);
    entry_key key = {draft->pools[section].data, entry, size};
    uint32_t found = mrwi_scene_table_find(table, hash, same_entry, &key);
    if (found != MRW_NONE) {
        *index = found;
        return MRW_OK;
    }
    mrw_status status = mrwi_scene_push(draft, section, entry, index, error);
    if (status) {
        return status;
    }
    if (!mrwi_scene_table_add(table, hash, *index)) {
        status = mrwi_base_fail_memory(error, sizeof(mrwi_scene_table_entry));
    }
    return status;
}

mrw_status mrwi_scene_builder_texture(mrwi_scene_builder *b, const char *name,
                                      const mrw_texture *in, uint32_t *index, mrw_error *error)
{
    mrwi_scene_draft *draft = &b->draft;
    mrw_texture texture = *in;
    mrwi_scene_label label;
    mrwi_scene_label_of(label, "texture", MRWI_SCENE_COUNT(draft, textures), name);
    if (in->image >= MRWI_SCENE_COUNT(draft, images) || in->wrap_u > MRW_WRAP_MIRROR ||
        in->wrap_v > MRW_WRAP_MIRROR || in->minify > MRW_MINIFY_NEAREST) {
        return b->failed = mrwi_base_fail(
                   error, MRW_ERROR_INPUT,
                   "%s: %s refers to an image, wrap mode or filter that does not exist",
                   draft->file, label);
    }
    texture.nearest = in->nearest ? 1 : 0;
    mrw_status status = mrwi_scene_name(draft, name, &texture.name, error);
    if (!status) {
        status = push_once(draft, MRWI_SCENE_SECTION_textures, &b->materials.same_texture, &texture,
                           index, error);
    }
    return mrwi_scene_settle(b, status);
}

/* Numbers of a material in the range 0 ... most, which depends on whether its model is
 * MRW_MATERIAL_METALLIC_ROUGHNESS or another one. */
static const struct {
    const char *name;
    size_t at; /* offset of the first float in mrw_material */
    uint32_t count;
    float most, most_of_others;
} limits[] = {
#define FACTOR(map, channel) offsetof(mrw_material, maps[MRW_MAP_##map].factor[channel])
    {"base colour", FACTOR(BASE_COLOR, 0), 4, 1, 1},
    {"roughness", FACTOR(METALLIC_ROUGHNESS, 1), 1, 1, 1},
    {"metallic factor", FACTOR(METALLIC_ROUGHNESS, 2), 1, 1, 1},
    {"occlusion strength", FACTOR(OCCLUSION, 0), 1, 1, 1},
    {"emissive colour", FACTOR(EMISSIVE, 0), 3, FLT_MAX, FLT_MAX},
    {"specular colour", FACTOR(SPECULAR, 0), 3, FLT_MAX, 1},
    {"glossiness", FACTOR(SPECULAR, 3), 1, 1, 1},
    {"sheen", FACTOR(SHEEN_COLOR, 0), 4, 1, 1},
    {"specular strength", offsetof(mrw_material, specular), 1, 1, 1},
    {"clearcoat", offsetof(mrw_material, clearcoat), 1, 1, 1},
    {"clearcoat roughness", offsetof(mrw_material, clearcoat_roughness), 1, 1, 1},
    {"alpha cutoff", offsetof(mrw_material, alpha_cutoff), 1, FLT_MAX, FLT_MAX},
    {"shininess", offsetof(mrw_material, shininess), 1, MRW_SHININESS_MOST, MRW_SHININESS_MOST},
#undef FACTOR
};

#define LIMIT_COUNT (sizeof limits / sizeof *limits)

static float most_of(size_t limit, const mrw_material *m)
{
    return m->model == MRW_MATERIAL_METALLIC_ROUGHNESS ? limits[limit].most
                                                       : limits[limit].most_of_others;
}

static bool ior_valid(float ior)
{
    return ior == 0.0f || (ior >= 1.0f && ior <= FLT_MAX);
}

static bool bumps_valid(float strength)
{
    return strength >= -MRW_BUMPS_MOST && strength <= MRW_BUMPS_MOST;
}

static bool limits_kept(const mrw_material *m)
{
    for (size_t i = 0; i < LIMIT_COUNT; i++) {
        const float *values = (const void *)((const char *)m + limits[i].at);
        for (uint32_t k = 0; k < limits[i].count; k++) {
            if (!(values[k] >= 0.0f && values[k] <= most_of(i, m))) {
                return false;
            }
        }
    }
    return ior_valid(m->ior) && bumps_valid(m->maps[MRW_MAP_HEIGHT].factor[0]);
}

bool mrwi_scene_material_valid(const mrw_material *m, uint32_t texture_count)
{
    return m->alpha_mode <= MRW_ALPHA_BLEND && m->alpha_cutoff >= 0.0f &&
           isfinite(m->alpha_cutoff) && m->model <= MRW_MATERIAL_CLASSIC && limits_kept(m) &&
           mrwi_scene_maps_valid(m, texture_count) &&
           (m->flags & ~(MRW_MATERIAL_DOUBLE_SIDED | MRW_MATERIAL_UNLIT)) == 0;
}

/* Clamps numbers that are out of range, with a warning each. NaN becomes 0. */
static void keep_limits(mrw_material *m, mrwi_scene_warnings *warnings, const char *label)
{
    for (size_t i = 0; i < LIMIT_COUNT; i++) {
        float *values = (void *)((char *)m + limits[i].at);
        const float most = most_of(i, m);
        bool changed = false;
        for (uint32_t k = 0; k < limits[i].count; k++) {
            const float value = values[k];
            values[k] = !(value > 0.0f) ? 0.0f : value > most ? most : value;
            changed |= values[k] != value;
        }
        if (changed && most == FLT_MAX) {
            mrwi_scene_warn(warnings, "%s: its %s was below 0 and was set to 0", label,
                            limits[i].name);
        } else if (changed) {
            mrwi_scene_warn(warnings, "%s: its %s was clamped to 0 ... %u", label, limits[i].name,
                            mrwi_base_to_u32((double)most));
        }
    }
    float *bumps = &m->maps[MRW_MAP_HEIGHT].factor[0];
    if (!bumps_valid(*bumps)) {
        *bumps = *bumps > 0.0f ? MRW_BUMPS_MOST : *bumps < 0.0f ? -MRW_BUMPS_MOST : 1.0f;
        mrwi_scene_warn(warnings,
                        "%s: the strength of its bump map is not within %g of 0; it was set to %g",
                        label, (double)MRW_BUMPS_MOST, (double)*bumps);
    }
    if (!ior_valid(m->ior)) {
        m->ior = mrw_material_default().ior;
        mrwi_scene_warn(warnings,
                        "%s: its index of refraction must be 0 or at least 1; it was set to 1.5",
                        label);
    }
}

/* Gives fields that do not count in the material's model their usual values, so that materials that
 * look alike are one. */
static void settle_model(mrw_material *m)
{
    const mrw_material usual = mrw_material_default();
    if (m->model == MRW_MATERIAL_METALLIC_ROUGHNESS) {
        m->shininess = usual.shininess;
    } else {
        const size_t from = offsetof(mrw_material, ior), to = offsetof(mrw_material, shininess);
        memcpy((char *)m + from, (const char *)&usual + from, to - from);
        memcpy(m->maps[MRW_MAP_METALLIC_ROUGHNESS].factor,
               usual.maps[MRW_MAP_METALLIC_ROUGHNESS].factor, 4 * sizeof(float));
        memcpy(m->maps[MRW_MAP_SHEEN_COLOR].factor, usual.maps[MRW_MAP_SHEEN_COLOR].factor,
               4 * sizeof(float));
    }
    if (m->model == MRW_MATERIAL_SPECULAR_GLOSSINESS) {
        m->shininess = usual.shininess;
    } else {
        m->maps[MRW_MAP_SPECULAR].factor[3] = usual.maps[MRW_MAP_SPECULAR].factor[3];
    }
}

/* Adds a material. apart: it becomes a new entry, even if an equal one exists. */
static mrw_status add_material(mrwi_scene_draft *draft, mrwi_scene_warnings *warnings,
                               mrwi_scene_materials *materials, const char *name,
                               const mrw_material *in, bool apart, uint32_t *index,
                               mrw_error *error)
{
    mrw_material material = *in;
    mrwi_scene_label label;
    for (int m = 0; m < MRW_MAP_COUNT && materials->hides_textures; m++) {
        material.maps[m].texture = MRW_NONE;
    }
    mrwi_scene_label_of(label, "material", MRWI_SCENE_COUNT(draft, materials), name);
    settle_model(&material);
    keep_limits(&material, warnings, label);
    mrw_material settled = material;
    settled.alpha_mode *= material.alpha_mode != MRWI_SCENE_ALPHA_BY_TEXELS;
    if (!mrwi_scene_material_valid(&settled, MRWI_SCENE_COUNT(draft, textures))) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: %s has a value or texture that is out of range", draft->file,
                              label);
    }
    mrwi_scene_maps_settle(&material);
    mrw_status status = mrwi_scene_name(draft, name, &material.name, error);
    if (status) {
        return status;
    }
    return apart ? mrwi_scene_push(draft, MRWI_SCENE_SECTION_materials, &material, index, error)
                 : push_once(draft, MRWI_SCENE_SECTION_materials, &materials->same_material,
                             &material, index, error);
}

mrw_status mrwi_scene_builder_material(mrwi_scene_builder *b, const char *name,
                                       const mrw_material *in, uint32_t *index, mrw_error *error)
{
    return mrwi_scene_settle(
        b, add_material(&b->draft, &b->warnings, &b->materials, name, in, false, index, error));
}

mrw_status mrwi_scene_builder_animated_material(mrwi_scene_builder *b, const char *name,
                                                const mrw_material *in, uint32_t *index,
                                                mrw_error *error)
{
    return mrwi_scene_settle(
        b, add_material(&b->draft, &b->warnings, &b->materials, name, in, true, index, error));
}

bool mrwi_scene_builder_shows_uvs(const mrwi_scene_builder *b, uint32_t material, uint32_t set)
{
    const mrwi_scene_draft *draft = &b->draft;
    const mrw_material_map *shown;
    mrw_map map;
    if (material == MRW_NONE) {
        return false;
    }
    const mrw_material *m = &MRWI_SCENE_AT(draft, materials, mrw_material, material);
    for (uint32_t next = 0; (shown = mrwi_scene_drawn_map(m, &next, &map));) {
        if (shown->uv_set == set) {
            return true;
        }
    }
    return false;
}

void mrwi_scene_builder_hide_textures(mrwi_scene_builder *b)
{
    b->materials.hides_textures = true;
}

/* ---- images that turned out to be the same --------------------------------------------------- */

/* Finds the first of equal images, which has the texels; these may come in any order. Returns true
 * if image i has its own; else *same is the earlier one. */
static bool settle_image(mrwi_scene_picture *pictures, uint32_t i, uint32_t *same)
{
    mrwi_scene_picture *picture = &pictures[i];
    *same = picture->same_as;
    if (*same == MRW_NONE) {
        return true;
    }
    if (*same > i && pictures[*same].same_as == MRW_NONE) {
        *picture = pictures[*same];
        pictures[*same] = (mrwi_scene_picture){.same_as = i};
        return true;
    }
    *same = *same > i ? pictures[*same].same_as : *same;
    return false;
}

/* Moves the images that stay together; place[i] is the new index of image i. */
static void join_images(mrwi_scene_draft *draft, mrwi_scene_picture *pictures, uint32_t *place)
{
    mrw_image_info *images = MRWI_SCENE_POOL(draft, images, mrw_image_info);
    uint32_t kept = 0, texels = 0, same = MRW_NONE;
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, images); i++) {
        if (!settle_image(pictures, i, &same)) {
            place[i] = place[same];
            continue;
        }
        const mrwi_scene_picture picture = pictures[i];
        pictures[i].rgba = pictures[i].opacity = NULL;
        pictures[kept] = picture;
        images[kept] = images[i];
        images[kept].flags |= picture.deep ? MRW_IMAGE_DEEP : 0;
        images[kept].first_texel = texels;
        texels += picture.rgba ? (uint32_t)mrwi_scene_image_texels(&images[kept], picture.rgba) : 0;
        place[i] = kept++;
    }
    MRWI_SCENE_COUNT(draft, images) = kept;
}

typedef void (*move_entry)(void *entry, const uint32_t *place);

static void move_texture(void *entry, const uint32_t *place)
{
    mrw_texture *texture = entry;
    texture->image = place[texture->image];
}

static void move_material(void *entry, const uint32_t *place)
{
    mrwi_scene_maps_move(entry, place);
}

/* Options of join_entries. */
typedef struct joining {
    move_entry move;
    const uint32_t *from; /* new indices of what an entry refers to */
    const uint8_t *apart; /* 1: it stays a separate entry; NULL: all can be joined */
} joining;

/* Merges equal entries of a section. */
static mrw_status join_entries(mrwi_scene_draft *draft, mrwi_scene_section section,
                               mrwi_scene_table *table, const joining *how, uint32_t *place,
                               mrw_error *error)
{
    mrwi_scene_pool *pool = &draft->pools[section];
    const size_t size = mrwi_scene_sections[section].entry_size;
    const uint32_t count = pool->count;
    union {
        mrw_texture texture;
        mrw_material material;
    } entry;
    mrw_status status = MRW_OK;
    mrwi_scene_table_free(table);
    pool->count = 0; /* an entry never moves behind its old place */
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&entry, (const char *)pool->data + i * size, size);
        how->move(&entry, how->from);
        status = how->apart && how->apart[i]
                     ? mrwi_scene_push(draft, section, &entry, &place[i], error)
                     : push_once(draft, section, table, &entry, &place[i], error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

/* Sets 1 for materials that clips animate. */
static void find_animated(const mrwi_scene_draft *draft, uint8_t *out)
{
    memset(out, 0, MRWI_SCENE_COUNT(draft, materials));
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, material_channels); i++) {
        out[MRWI_SCENE_AT(draft, material_channels, mrw_material_channel, i).material] = 1;
    }
}

/* Updates materials in meshes and channels to their new indices. */
static void move_materials(mrwi_scene_draft *draft, const uint32_t *place, uint32_t count)
{
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, meshes); i++) {
        uint32_t *material = &MRWI_SCENE_AT(draft, meshes, mrw_mesh, i).material;
        *material = *material < count ? place[*material] : *material;
    }
    for (uint32_t i = 0; i < MRWI_SCENE_COUNT(draft, material_channels); i++) {
        uint32_t *material =
            &MRWI_SCENE_AT(draft, material_channels, mrw_material_channel, i).material;
        *material = place[*material];
    }
}

mrw_status mrwi_scene_finish_materials(mrwi_scene_draft *draft, mrwi_scene_materials *tables,
                                       mrwi_base_arena *scratch, mrw_error *error)
{
    mrwi_base_arena_reset(scratch);
    uint32_t *images =
        mrwi_scene_scratch(scratch, MRWI_SCENE_COUNT(draft, images), sizeof *images, error);
    uint32_t *textures =
        mrwi_scene_scratch(scratch, MRWI_SCENE_COUNT(draft, textures), sizeof *textures, error);
    uint32_t *materials =
        mrwi_scene_scratch(scratch, MRWI_SCENE_COUNT(draft, materials), sizeof *materials, error);
    uint8_t *animated = mrwi_scene_scratch(scratch, MRWI_SCENE_COUNT(draft, materials), 1, error);
    if (!images || !textures || !materials || !animated) {
        return MRW_ERROR_MEMORY;
    }
    const uint32_t image_count = MRWI_SCENE_COUNT(draft, images),
                   count = MRWI_SCENE_COUNT(draft, materials);
    join_images(draft, tables->pictures, images);
    if (MRWI_SCENE_COUNT(draft, images) == image_count) {
        return MRW_OK;
    }
    find_animated(draft, animated);
    mrw_status status = join_entries(draft, MRWI_SCENE_SECTION_textures, &tables->same_texture,
                                     &(joining){move_texture, images, NULL}, textures, error);
    if (status) {
        return status;
    }
    status = join_entries(draft, MRWI_SCENE_SECTION_materials, &tables->same_material,
                          &(joining){move_material, textures, animated}, materials, error);
    if (status) {
        return status;
    }
    move_materials(draft, materials, count);
    return MRW_OK;
}
