/* blob.c: the layout of a scene's block of memory, and making scenes of one. */
#include "scene/blob.h"

#include "base/memory.h"
#include "base/text.h"
#include "scene/builder.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* Entries are hashed and compared as bytes, so none may have padding. */
_Static_assert(sizeof(mrw_node) == 6 * 4 + 10 * 4, "padding in mrw_node");
_Static_assert(sizeof(mrw_draw) == 3 * 4, "padding in mrw_draw");
_Static_assert(sizeof(mrw_mesh) == 17 * 4, "padding in mrw_mesh");
_Static_assert(sizeof(mrw_influence_group) == 4 * 4, "padding in mrw_influence_group");
_Static_assert(sizeof(mrw_morph_target) == 5 * 4, "padding in mrw_morph_target");
_Static_assert(sizeof(mrw_skin) == 3 * 4, "padding in mrw_skin");
_Static_assert(sizeof(mrw_clip) == 4 * 4 + 2 * 8, "padding in mrw_clip");
_Static_assert(sizeof(mrw_channel) == 7 * 4 + 4 * 2, "padding in mrw_channel");
_Static_assert(sizeof(mrw_material_channel) == 8 * 4, "padding in mrw_material_channel");
_Static_assert(sizeof(mrw_material) == (10 + 12 * MRW_MAP_COUNT) * 4, "padding in mrw_material");
_Static_assert(sizeof(mrw_texture) == 5 * 4, "padding in mrw_texture");
_Static_assert(sizeof(mrw_image_info) == 6 * 4 + 32, "padding in mrw_image_info");
_Static_assert(sizeof(mrw_scene_camera) == 9 * 4, "padding in mrw_scene_camera");
_Static_assert(sizeof(mrw_scene_light) == 10 * 4, "padding in mrw_scene_light");
_Static_assert(sizeof(mrwi_scene_blob_header) == 48 + 16 * MRWI_SCENE_SECTION_COUNT,
               "padding in the header");

const mrwi_scene_section_info mrwi_scene_sections[MRWI_SCENE_SECTION_COUNT] = {
#define SECTION_INFO(name, type, per) {#name, sizeof(type) * (per)},
    MRW_SCENE_ARRAYS(SECTION_INFO)
#undef SECTION_INFO
};

/* ---- layout ---------------------------------------------------------------------------------- */

/* Size of an image up to its hash. */
#define IMAGE_SIZE_1 offsetof(mrw_image_info, hash)

/* Size of a channel before version 6: it had no extrapolation, and held. */
#define CHANNEL_SIZE_5 offsetof(mrw_channel, before)
/* Size of a node up to its flags. */
#define NODE_SIZE_5 offsetof(mrw_node, flags)

/* A material before version 3. */
typedef struct material_2 {
    uint32_t name, alpha_mode;
    float alpha_cutoff;
    uint32_t flags;
    float base_color[4];
    uint32_t texture, uv_set;
    float uv_transform[6];
} material_2;

/* Number of sections before version 7, which added the last one. The first section begins at the
 * same place nevertheless. */
#define SECTION_COUNT_6 (MRWI_SCENE_SECTION_COUNT - 1)
_Static_assert((sizeof(mrwi_scene_blob_header) - 1) / MRWI_SCENE_BLOB_ALIGN ==
                   (sizeof(mrwi_scene_blob_header) - sizeof(mrwi_scene_blob_section) - 1) /
                       MRWI_SCENE_BLOB_ALIGN,
               "headers with one section less end elsewhere: compute where from section_count");

/* The part of a material before its maps, and the largest number of maps in versions 3, 4 and 5. */
#define HEAD_SIZE   offsetof(mrw_material, maps)
#define HEAD_SIZE_3 offsetof(mrw_material, model)
#define MOST_MAPS_3 (MRW_MAP_ROUGHNESS + 1)
#define MOST_MAPS_4 (MRW_MAP_CLEARCOAT_NORMAL + 1)
#define MOST_MAPS_5 (MRW_MAP_DISPLACEMENT + 1)

static size_t material_size(const mrwi_scene_blob_header *header)
{
    const size_t head = header->version == 3 ? HEAD_SIZE_3 : HEAD_SIZE;
    return header->version < 3 ? sizeof(material_2)
                               : head + header->map_count * sizeof(mrw_material_map);
}

static uint32_t entry_size(const mrwi_scene_blob_header *header, int section)
{
    if (section == MRWI_SCENE_SECTION_materials) {
        return (uint32_t)material_size(header);
    }
    if (section == MRWI_SCENE_SECTION_channels && header->version < 6) {
        return (uint32_t)CHANNEL_SIZE_5;
    }
    if (header->version <= 5 && section == MRWI_SCENE_SECTION_nodes) {
        return (uint32_t)NODE_SIZE_5;
    }
    return header->version == 1 && section == MRWI_SCENE_SECTION_images
               ? (uint32_t)IMAGE_SIZE_1
               : mrwi_scene_sections[section].entry_size;
}

static uint64_t align_up(uint64_t value)
{
    return (value + (MRWI_SCENE_BLOB_ALIGN - 1)) / MRWI_SCENE_BLOB_ALIGN * MRWI_SCENE_BLOB_ALIGN;
}

/* Counts below 2^31 of entries below 4096 bytes cannot overflow: 35 * 2^43 is below 2^49. */
bool mrwi_scene_blob_layout(mrwi_scene_blob_header *header)
{
    uint64_t at = align_up(sizeof *header);
    for (uint32_t s = 0; s < header->section_count; s++) {
        mrwi_scene_blob_section *section = &header->sections[s];
        if (section->count > MRWI_SCENE_SECTION_LIMIT) {
            return false;
        }
        section->offset = at;
        at = align_up(at + section->count * entry_size(header, (int)s) + MRWI_SCENE_BLOB_ALIGN);
    }
    header->size = at;
    return at <= SIZE_MAX / 2;
}

void mrwi_scene_blob_header_init(mrwi_scene_blob_header *header)
{
    memset(header, 0, sizeof *header);
    memcpy(header->magic, MRWI_SCENE_BLOB_MAGIC, sizeof header->magic);
    header->version = MRWI_SCENE_BLOB_VERSION;
    header->byte_order = MRWI_SCENE_BLOB_BYTE_ORDER;
    header->section_count = MRWI_SCENE_SECTION_COUNT;
    header->map_count = MRW_MAP_COUNT;
}

mrwi_scene_blob_header mrwi_scene_blob_read_header(const void *blob)
{
    mrwi_scene_blob_header header;
    memcpy(&header, blob, sizeof header);
    if (header.section_count == SECTION_COUNT_6) {
        mrwi_scene_blob_section *last = &header.sections[SECTION_COUNT_6];
        header.default_clip = last->offset;
        *last = (mrwi_scene_blob_section){0};
    }
    return header;
}

void mrwi_scene_blob_copy_sections(const void *from, void *to)
{
    const mrwi_scene_blob_header *old = from, *new = to;
    for (int s = 0; s < (int)old->section_count; s++) {
        const uint32_t size = entry_size(new, s);
        const uint64_t counts[2] = {old->sections[s].count, new->sections[s].count};
        const uint64_t count = counts[0] < counts[1] ? counts[0] : counts[1];
        if (size == entry_size(old, s)) {
            memcpy((char *)to + new->sections[s].offset,
                   (const char *)from + old->sections[s].offset, (size_t)count * size);
        }
    }
}

void mrwi_scene_blob_attach(const void *blob, mrw_scene *scene)
{
    const mrwi_scene_blob_header *header = blob;
    const char *base = blob;
#define ATTACH(name, type, per)                                                                    \
    scene->name =                                                                                  \
        (const type *)(const void *)(base + header->sections[MRWI_SCENE_SECTION_##name].offset);   \
    scene->name##_count = (uint32_t)header->sections[MRWI_SCENE_SECTION_##name].count;
    MRW_SCENE_ARRAYS(ATTACH)
#undef ATTACH
    scene->format = header->format;
    scene->default_clip =
        header->default_clip < UINT32_MAX ? (uint32_t)header->default_clip : UINT32_MAX;
    scene->blob = blob;
    scene->blob_size = header->size;
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool all_zero(const char *from, const char *to)
{
    for (; from < to; from++) {
        if (*from) {
            return false;
        }
    }
    return true;
}

static bool padding_zero(const char *blob, const mrwi_scene_blob_header *header)
{
    uint64_t end = sizeof *header -
                   (MRWI_SCENE_SECTION_COUNT - header->section_count) * sizeof header->sections[0];
    for (int s = 0; s < (int)header->section_count; s++) {
        const mrwi_scene_blob_section *section = &header->sections[s];
        if (!all_zero(blob + end, blob + section->offset)) {
            return false;
        }
        end = section->offset + section->count * entry_size(header, s);
    }
    return all_zero(blob + end, blob + header->size);
}

/* Returns true for an older version, or another number of maps, that can be read. */
static bool is_older(const mrwi_scene_blob_header *header)
{
    switch (header->version) {
    case 1:
    case 2:
        return header->map_count == 0;
    case 3:
        return header->map_count > 0 && header->map_count <= MOST_MAPS_3;
    case 4:
        return header->map_count > 0 && header->map_count <= MOST_MAPS_4;
    case 5:
        return header->map_count > 0 && header->map_count <= MOST_MAPS_5;
    case 6:
        return header->map_count > 0 && header->map_count <= MRW_MAP_COUNT;
    default:
        return header->version == MRWI_SCENE_BLOB_VERSION && header->map_count > 0 &&
               header->map_count < MRW_MAP_COUNT;
    }
}

mrw_status mrwi_scene_blob_check(const void *blob, uint64_t size, const char *label,
                                 mrw_error *error)
{
    mrwi_scene_blob_header header, wanted;
    mrwi_scene_blob_header_init(&wanted);
    if (size < sizeof header) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: too short for a scene", label);
    }
    header = mrwi_scene_blob_read_header(blob);
    if (is_older(&header)) {
        wanted.version = header.version;
        wanted.map_count = header.map_count;
        wanted.section_count =
            header.version < 7 ? SECTION_COUNT_6 : (uint32_t)MRWI_SCENE_SECTION_COUNT;
    }
    if (memcmp(header.magic, wanted.magic, sizeof header.magic) != 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: not a compiled scene", label);
    }
    if (header.version != wanted.version || header.byte_order != wanted.byte_order ||
        header.section_count != wanted.section_count || header.map_count != wanted.map_count) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: the scene was compiled by another version of marrow; compile it again", label);
    }
    for (int s = 0; s < MRWI_SCENE_SECTION_COUNT; s++) {
        wanted.sections[s].count = header.sections[s].count;
    }
    if (!mrwi_scene_blob_layout(&wanted) || header.size != wanted.size ||
        memcmp(header.sections, wanted.sections, sizeof header.sections) != 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: damaged scene: its table of sections is invalid", label);
    }
    if (size != header.size) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s: damaged scene: it is cut off or has extra bytes at its end",
                              label);
    }
    if (!padding_zero(blob, &header)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: damaged scene: padding is not zero",
                              label);
    }
    return MRW_OK;
}

/* ---- older versions -------------------------------------------------------------------------- */

/* Gives images of version 1 the hash of their pixels. Images with missing texels are left to the
 * validation. */
static void upgrade_images(const void *old_blob, char *blob)
{
    const mrwi_scene_blob_header *old = old_blob, *new = (const void *)blob;
    const char *from = (const char *)old_blob + old->sections[MRWI_SCENE_SECTION_images].offset;
    mrw_image_info *images = (void *)(blob + new->sections[MRWI_SCENE_SECTION_images].offset);
    const uint8_t *texels = (const uint8_t *)blob + new->sections[MRWI_SCENE_SECTION_texels].offset;
    const uint64_t count = new->sections[MRWI_SCENE_SECTION_texels].count;
    for (uint64_t i = 0; i < new->sections[MRWI_SCENE_SECTION_images].count; i++) {
        mrw_image_info *image = &images[i];
        memcpy(image, from + i * IMAGE_SIZE_1, IMAGE_SIZE_1);
        const uint64_t size = (uint64_t)image->width * image->height;
        if (image->first_texel <= count && size <= count - image->first_texel && size > 0 &&
            (image->flags & MRW_IMAGE_MISSING) == 0) {
            mrwi_scene_texels_hash(texels + (size_t)image->first_texel * 4, image->width,
                                   image->height, image->hash);
        }
    }
}

static void upgrade_material_2(const char *from, mrw_material *to)
{
    material_2 m;
    mrw_material_map *base = &to->maps[MRW_MAP_BASE_COLOR];
    memcpy(&m, from, sizeof m);
    to->name = m.name;
    to->alpha_mode = m.alpha_mode;
    to->alpha_cutoff = m.alpha_cutoff;
    to->flags = m.flags;
    base->texture = m.texture;
    base->uv_set = m.uv_set;
    memcpy(base->uv_transform, m.uv_transform, sizeof m.uv_transform);
    memcpy(base->factor, m.base_color, sizeof m.base_color);
}

/* Upgrades materials. Those of this version and of version 4 may lack maps. Older ones keep only
 * their base colour: other maps have no texels, and metal, roughness and highlights are unknown, so
 * they are matt. */
static void upgrade_materials(const void *old_blob, char *blob)
{
    const mrwi_scene_blob_header *old = old_blob, *new = (const void *)blob;
    const char *from = (const char *)old_blob + old->sections[MRWI_SCENE_SECTION_materials].offset;
    mrw_material *to = (void *)(blob + new->sections[MRWI_SCENE_SECTION_materials].offset);
    const size_t size = material_size(old);
    for (uint64_t i = 0; i < old->sections[MRWI_SCENE_SECTION_materials].count; i++, from += size) {
        if (old->version >= 4) {
            const mrw_material usual = mrw_material_default();
            to[i] = usual;
            memcpy(&to[i], from, size);
            if (old->version == 4) {
                to[i].maps[MRW_MAP_HEIGHT] = usual.maps[MRW_MAP_HEIGHT];
            }
        } else if (old->version == 3) {
            to[i] = mrwi_scene_matt();
            memcpy(&to[i], from, HEAD_SIZE_3);
            memcpy(to[i].maps, from + HEAD_SIZE_3, sizeof *to[i].maps);
        } else {
            to[i] = mrwi_scene_matt();
            upgrade_material_2(from, &to[i]);
        }
    }
}

static void upgrade_channels(const void *old_blob, char *blob)
{
    const mrwi_scene_blob_header *old = old_blob, *new = (const void *)blob;
    const char *from = (const char *)old_blob + old->sections[MRWI_SCENE_SECTION_channels].offset;
    mrw_channel *to = (void *)(blob + new->sections[MRWI_SCENE_SECTION_channels].offset);
    const size_t size = entry_size(old, MRWI_SCENE_SECTION_channels);
    for (uint64_t i = 0; i < old->sections[MRWI_SCENE_SECTION_channels].count; i++) {
        memcpy(&to[i], from + i * size, size); /* the rest is zero: channels hold */
    }
}

static void upgrade_nodes(const void *old_blob, char *blob)
{
    const mrwi_scene_blob_header *old = old_blob, *new = (const void *)blob;
    const char *from = (const char *)old_blob + old->sections[MRWI_SCENE_SECTION_nodes].offset;
    mrw_node *nodes = (void *)(blob + new->sections[MRWI_SCENE_SECTION_nodes].offset);
    const size_t size = entry_size(old, MRWI_SCENE_SECTION_nodes);
    for (uint64_t i = 0; i < new->sections[MRWI_SCENE_SECTION_nodes].count; i++) {
        memcpy(&nodes[i], from + i * size, size);
    }
}

/* Makes a blob of this version from a checked older one. NULL when out of memory. */
static void *upgrade(const void *old)
{
    mrwi_scene_blob_header header = mrwi_scene_blob_read_header(old);
    header.version = MRWI_SCENE_BLOB_VERSION;
    header.map_count = MRW_MAP_COUNT;
    header.section_count = MRWI_SCENE_SECTION_COUNT;
    const bool fits = mrwi_scene_blob_layout(&header);
    char *blob = fits ? mrwi_base_alloc_zero((size_t)header.size, 1) : NULL;
    if (!blob) {
        return NULL;
    }
    memcpy(blob, &header, sizeof header);
    mrwi_scene_blob_copy_sections(old, blob);
    if (((const mrwi_scene_blob_header *)old)->version == 1) {
        upgrade_images(old, blob);
    }
    upgrade_channels(old, blob);
    upgrade_nodes(old, blob);
    upgrade_materials(old, blob);
    return blob;
}

/* ---- scenes ---------------------------------------------------------------------------------- */

typedef struct owned_scene {
    mrw_scene scene; /* must be first: it is what gets freed */
    mrwi_scene_kept_hash hash;
} owned_scene;

mrw_status mrwi_scene_from_blob(void *blob, uint64_t size, const char *file_name, mrw_scene **out,
                                mrw_error *error)
{
    assert((uintptr_t)blob % MRWI_SCENE_BLOB_ALIGN == 0);
    *out = NULL;
    char label[256];
    mrwi_base_escape(file_name, label, sizeof label);
    mrw_status status = mrwi_scene_blob_check(blob, size, label, error);
    if (status) {
        return status;
    }
    const bool old = is_older(blob);
    void *own = old ? upgrade(blob) : blob;
    owned_scene *owned = own ? mrwi_base_alloc_zero(1, sizeof *owned) : NULL;
    if (!owned) {
        status = mrwi_base_fail_memory(error, own ? sizeof *owned : (size_t)size);
        goto out;
    }
    mrwi_scene_blob_attach(own, &owned->scene);
    uint32_t hashed_strings = ((const mrwi_scene_blob_header *)own)->hashed_strings;
    status = mrwi_scene_validate(&owned->scene, hashed_strings, label, error);
    if (status) {
        goto out;
    }
    pthread_mutex_init(&owned->hash.lock, NULL);
    owned->scene.kept_hash = &owned->hash;
    *out = &owned->scene;
out:
    if (status) {
        mrwi_base_free(owned);
    }
    if (old) {
        mrwi_base_free(status ? own : blob);
    }
    return status;
}

void mrw_scene_drop_texels(mrw_scene *scene)
{
    mrw_image_info *images = (void *)(uintptr_t)scene->images;
    for (uint32_t i = 0; i < scene->images_count; i++) {
        images[i].flags &= ~MRW_IMAGE_ENCODED;
        images[i].flags |= (images[i].flags & MRW_IMAGE_UNSEEN) ? 0 : MRW_IMAGE_UNDECODED;
    }
    mrwi_base_release((void *)(uintptr_t)scene->texels, (size_t)scene->texels_count * 4);
}

void mrw_scene_free(mrw_scene *scene)
{
    if (!scene) {
        return;
    }
    pthread_mutex_destroy(&scene->kept_hash->lock);
    mrwi_base_free((void *)(uintptr_t)scene->blob);
    mrwi_base_free(scene);
}
