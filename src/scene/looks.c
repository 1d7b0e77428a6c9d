/* looks.c: images, textures and materials of a builder, each stored once. */
#include "scene/build.h"

#include "base/math.h"
#include "base/text.h"

#include <string.h>

/* ---- images ---------------------------------------------------------------------------------- */

#define CHECKER_SIDE 64u /* texels of the picture that stands in for a missing image */
#define CHECKER_CELL 8u

static void fill_checker(uint8_t *rgba)
{
    static const uint8_t colors[2][4] = {{255, 0, 255, 255}, {32, 32, 32, 255}};
    for (uint32_t y = 0; y < CHECKER_SIDE; y++)
        for (uint32_t x = 0; x < CHECKER_SIDE; x++, rgba += 4)
            memcpy(rgba, colors[(x / CHECKER_CELL + y / CHECKER_CELL) & 1], 4);
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

/* Four sums side by side: one alone waits for each multiplication. */
static uint64_t hash_texels(const uint8_t *rgba, size_t size)
{
    uint64_t sums[4] = {MRWI_HASH_SEED, 1, 2, 3};
    size_t i = 0;
    for (; i + 32 <= size; i += 32) {
        uint64_t words[4];
        memcpy(words, rgba + i, sizeof words);
        for (int k = 0; k < 4; k++)
            sums[k] = mrwi_hash_word(sums[k], words[k]);
    }
    uint64_t hash = mrwi_hash_bytes(sums[0], rgba + i, size - i);
    for (int k = 1; k < 4; k++)
        hash = mrwi_hash_word(hash, sums[k]);
    return hash;
}

/* Images with the same texels are one, under the first name. Missing ones have the checker in
 * common, but say by name and path what is missing. */
typedef struct image_key {
    const mrwi_builder *builder;
    const mrw_image_info *info;
    const uint8_t *rgba;
} image_key;

static bool same_image(const void *user, uint32_t index)
{
    const image_key *key = user;
    const mrw_image_info *other = &MRWI_AT(key->builder, images, mrw_image_info, index);
    const mrw_image_info *info = key->info;
    const uint32_t missing = (info->flags | other->flags) & MRW_IMAGE_MISSING;
    if (info->width != other->width || info->height != other->height ||
        (missing &&
         (info->flags != other->flags || info->name != other->name || info->path != other->path)))
        return false;
    return memcmp(key->builder->pictures[index], key->rgba,
                  (size_t)info->width * info->height * 4) == 0;
}

/* Room for one more picture. */
static mrw_status grow_pictures(mrwi_builder *b, mrw_error *error)
{
    const uint32_t count = MRWI_COUNT(b, images);
    if (count < b->picture_room)
        return MRW_OK;
    const uint32_t room = 2 * count + 16;
    uint8_t **grown = mrwi_realloc(b->pictures, count * sizeof *grown, room, sizeof *grown);
    if (!grown)
        return b->failed = mrwi_fail_memory(error, room * sizeof *grown);
    b->pictures = grown;
    b->picture_room = room;
    return MRW_OK;
}

/* Takes what *rgba points to, unless there is an equal image. */
static mrw_status add_image(mrwi_builder *b, mrw_image_info *info, uint8_t **rgba, uint32_t *index,
                            mrw_error *error)
{
    uint64_t texels = (uint64_t)info->width * info->height;
    uint64_t hash = mrwi_hash_word(hash_texels(*rgba, (size_t)texels * 4), info->width);
    if (info->flags & MRW_IMAGE_MISSING)
        hash = mrwi_hash_word(mrwi_hash_word(hash, info->name), info->path);
    image_key key = {b, info, *rgba};
    uint32_t found = mrwi_table_find(&b->image_table, hash, same_image, &key);
    if (found != MRW_NONE) {
        *index = found;
        return MRW_OK;
    }
    mrwi_pool *section = &b->pools[MRWI_SECTION_texels];
    if (texels > MRWI_SECTION_LIMIT - section->count)
        return b->failed =
                   mrwi_fail(error, MRW_ERROR_INPUT, "%s: more than %u %s; split the model",
                             b->file, MRWI_SECTION_LIMIT, mrwi_sections[MRWI_SECTION_texels].name);
    info->first_texel = section->count;
    mrw_status status = grow_pictures(b, error);
    if (!status)
        status = mrwi_push(b, MRWI_SECTION_images, info, index, error);
    if (status)
        return status;
    b->pictures[*index] = *rgba;
    *rgba = NULL;
    section->count += (uint32_t)texels;
    return mrwi_table_add(&b->image_table, hash, *index)
               ? MRW_OK
               : (b->failed = mrwi_fail_memory(error, sizeof(mrwi_table_entry)));
}

static mrw_status check_sides(mrwi_builder *b, const mrwi_image_input *in, mrw_error *error)
{
    if (in->width - 1 < MRWI_IMAGE_SIDE_LIMIT && in->height - 1 < MRWI_IMAGE_SIDE_LIMIT)
        return MRW_OK;
    mrwi_label label;
    return b->failed =
               mrwi_fail(error, MRW_ERROR_INPUT, "%s: %s is %ux%u texels; a side has 1 to 65536",
                         b->file, mrwi_label_of(label, "image", MRWI_COUNT(b, images), in->name),
                         in->width, in->height);
}

/* The checker for a missing image, else a copy of the texels. */
static uint8_t *make_texels(const mrwi_image_input *in, mrw_image_info *info)
{
    if (!in->rgba) {
        info->width = info->height = CHECKER_SIDE;
        info->flags = MRW_IMAGE_MISSING;
    }
    size_t texels = (size_t)info->width * info->height;
    uint8_t *rgba = mrwi_alloc(texels, 4);
    if (rgba && in->rgba)
        memcpy(rgba, in->rgba, texels * 4);
    else if (rgba)
        fill_checker(rgba);
    return rgba;
}

mrw_status mrwi_builder_image(mrwi_builder *b, const mrwi_image_input *in, uint32_t *index,
                              mrw_error *error)
{
    uint8_t *rgba = in->given;
    mrw_image_info info = {.width = in->width, .height = in->height};
    mrw_status status = in->rgba || rgba ? check_sides(b, in, error) : MRW_OK;
    if (!status && !rgba)
        rgba = make_texels(in, &info);
    if (!status && !rgba)
        status = b->failed = mrwi_fail_memory(error, (size_t)info.width * info.height * 4);
    if (!status)
        status = mrwi_name(b, in->name, &info.name, error);
    if (!status)
        status = mrwi_name(b, in->path, &info.path, error);
    if (!status) {
        info.flags |= in->path ? 0 : MRW_IMAGE_EMBEDDED;
        info.flags |= has_alpha(rgba, (uint64_t)info.width * info.height) ? MRW_IMAGE_ALPHA : 0;
        status = add_image(b, &info, &rgba, index, error);
    }
    mrwi_free(rgba);
    return status;
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

/* Pushes an entry unless an equal one is there. Its padding must be zero. */
static mrw_status push_once(mrwi_builder *b, mrwi_section section, mrwi_table *table,
                            const void *entry, uint32_t *index, mrw_error *error)
{
    size_t size = mrwi_sections[section].entry_size;
    uint64_t hash = mrwi_hash_bytes(MRWI_HASH_SEED, entry, size);
    entry_key key = {b->pools[section].data, entry, size};
    uint32_t found = mrwi_table_find(table, hash, same_entry, &key);
    if (found != MRW_NONE) {
        *index = found;
        return MRW_OK;
    }
    mrw_status status = mrwi_push(b, section, entry, index, error);
    if (!status && !mrwi_table_add(table, hash, *index))
        status = b->failed = mrwi_fail_memory(error, sizeof(mrwi_table_entry));
    return status;
}

mrw_status mrwi_builder_texture(mrwi_builder *b, const char *name, const mrw_texture *in,
                                uint32_t *index, mrw_error *error)
{
    mrw_texture texture = *in;
    mrwi_label label;
    mrwi_label_of(label, "texture", MRWI_COUNT(b, textures), name);
    if (in->image >= MRWI_COUNT(b, images) || in->wrap_u > MRW_WRAP_MIRROR ||
        in->wrap_v > MRW_WRAP_MIRROR)
        return b->failed = mrwi_fail(error, MRW_ERROR_INPUT,
                                     "%s: %s refers to an image or a wrap mode that is not there",
                                     b->file, label);
    texture.nearest = in->nearest ? 1 : 0;
    mrw_status status = mrwi_name(b, name, &texture.name, error);
    return status ? status
                  : push_once(b, MRWI_SECTION_textures, &b->texture_table, &texture, index, error);
}

bool mrwi_material_valid(const mrw_material *m)
{
    for (int i = 0; i < 4; i++)
        if (!(m->base_color[i] >= 0.0f && m->base_color[i] <= 1.0f))
            return false;
    return m->alpha_mode <= MRW_ALPHA_BLEND && m->alpha_cutoff >= 0.0f &&
           isfinite(m->alpha_cutoff) && m->base_color_texture.uv_set <= 1 &&
           mrwi_all_finite(m->base_color_texture.uv_transform, 6) &&
           (m->flags & ~(MRW_MATERIAL_DOUBLE_SIDED | MRW_MATERIAL_UNLIT)) == 0;
}

/* Colours outside 0 ... 1 are clamped; true when any was. */
static bool clamp_color(float color[4])
{
    bool changed = false;
    for (int i = 0; i < 4; i++) {
        float value = color[i];
        color[i] = !(value > 0.0f) ? 0.0f : value > 1.0f ? 1.0f : value;
        changed |= color[i] != value;
    }
    return changed;
}

mrw_status mrwi_builder_material(mrwi_builder *b, const char *name, const mrw_material *in,
                                 uint32_t *index, mrw_error *error)
{
    mrw_material material = *in;
    mrwi_label label;
    mrwi_label_of(label, "material", MRWI_COUNT(b, materials), name);
    if (clamp_color(material.base_color))
        mrwi_builder_warn(b, "%s: its base colour was clamped to 0 ... 1", label);
    uint32_t texture = material.base_color_texture.texture;
    if (!mrwi_material_valid(&material) ||
        (texture != MRW_NONE && texture >= MRWI_COUNT(b, textures)))
        return b->failed =
                   mrwi_fail(error, MRW_ERROR_INPUT,
                             "%s: %s has a value or texture that is out of range", b->file, label);
    mrw_status status = mrwi_name(b, name, &material.name, error);
    return status
               ? status
               : push_once(b, MRWI_SECTION_materials, &b->material_table, &material, index, error);
}
