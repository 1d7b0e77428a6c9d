/* displace.c: gives a height map from outside of a model to all its materials. */
#include "scene/derive.h"

#include "base/memory.h"
#include "scene/maps.h"

#include <string.h>

/* The changes to a base scene. */
typedef struct displacing {
    const mrw_scene *base;
    const mrwi_scene_heights *heights; /* NULL: displacements are removed */
    mrwi_scene_changes changes;
    uint32_t image;
    uint32_t textures[3][3]; /* by wrap across and down; MRW_NONE until made */
} displacing;

/* Finds an image of the model that is the same file. */
static uint32_t find_image(const mrw_scene *base, const mrwi_scene_heights *heights)
{
    const uint32_t without =
        MRW_IMAGE_MISSING | MRW_IMAGE_UNSEEN | MRW_IMAGE_UNDECODED | MRW_IMAGE_ENCODED;
    for (uint32_t i = 0; i < base->images_count; i++) {
        const mrw_image_info *image = &base->images[i];
        if ((image->flags & without) == 0 &&
            memcmp(image->hash, heights->hash, sizeof image->hash) == 0 &&
            (!heights->deep || (image->flags & MRW_IMAGE_DEEP) != 0)) {
            return i;
        }
    }
    return MRW_NONE;
}

/* Pushes the image. It has no name: a path would make the scene's hash depend on the file's
 * place. */
static mrw_status push_image(displacing *d, mrw_error *error)
{
    const mrwi_scene_heights *heights = d->heights;
    const uint64_t count = (uint64_t)heights->width * heights->height;
    mrw_image_info info = {.width = heights->width,
                           .height = heights->height,
                           .first_texel = d->base->texels_count,
                           .flags = MRW_IMAGE_EMBEDDED | (heights->deep ? MRW_IMAGE_DEEP : 0)};
    const uint64_t texels = mrwi_scene_image_texels(&info, NULL);
    uint32_t first, index;
    memcpy(info.hash, heights->hash, sizeof info.hash);
    for (uint64_t i = 0; i < count; i++) {
        info.flags |= heights->rgba[4 * i + 3] < 255 ? MRW_IMAGE_ALPHA : 0;
    }
    mrw_status status =
        mrwi_scene_extend(&d->changes.draft, MRWI_SCENE_SECTION_texels, texels, &first, error);
    if (status) {
        return status;
    }
    memcpy(d->changes.draft.pools[MRWI_SCENE_SECTION_texels].data, heights->rgba,
           (size_t)texels * 4);
    d->image = d->base->images_count;
    return mrwi_scene_push(&d->changes.draft, MRWI_SCENE_SECTION_images, &info, &index, error);
}

static mrw_status find_texture(displacing *d, const mrw_material_map *like, uint32_t *out,
                               mrw_error *error)
{
    mrw_texture texture = {.image = d->image};
    if (like->texture != MRW_NONE) {
        texture.wrap_u = d->base->textures[like->texture].wrap_u;
        texture.wrap_v = d->base->textures[like->texture].wrap_v;
    }
    uint32_t *known = &d->textures[texture.wrap_u][texture.wrap_v], index;
    mrw_status status = MRW_OK;
    if (*known == MRW_NONE) {
        status = mrwi_scene_push(&d->changes.draft, MRWI_SCENE_SECTION_textures, &texture, &index,
                                 error);
        *known = d->base->textures_count + index;
    }
    *out = *known;
    return status;
}

static mrw_status displace_material(displacing *d, mrw_material *material, mrw_error *error)
{
    const mrw_material usual = mrw_material_default();
    const mrw_material_map *like = &material->maps[MRW_MAP_BASE_COLOR];
    mrw_material_map *map = &material->maps[MRW_MAP_DISPLACEMENT];
    *map = usual.maps[MRW_MAP_DISPLACEMENT];
    if (!d->heights) {
        return MRW_OK;
    }
    if (like->texture != MRW_NONE) {
        map->uv_set = like->uv_set;
        memcpy(map->uv_transform, like->uv_transform, sizeof map->uv_transform);
    }
    map->factor[0] = d->heights->scale;
    map->factor[1] = d->heights->midlevel;
    return find_texture(d, like, &map->texture, error);
}

static mrw_status push_material(displacing *d, const mrw_material *from, mrw_error *error)
{
    mrw_material material = *from;
    uint32_t index;
    mrw_status status = displace_material(d, &material, error);
    return status ? status
                  : mrwi_scene_push(&d->changes.draft, MRWI_SCENE_SECTION_materials, &material,
                                    &index, error);
}

static mrw_status push_meshes(displacing *d, mrw_error *error)
{
    const mrw_scene *base = d->base;
    mrw_status status = MRW_OK;
    bool missing = false;
    for (uint32_t m = 0; m < base->meshes_count; m++) {
        mrw_mesh mesh = base->meshes[m];
        uint32_t index;
        if (d->heights && mesh.material == MRW_NONE) {
            mesh.material = base->materials_count;
            missing = true;
        }
        status =
            mrwi_scene_push(&d->changes.draft, MRWI_SCENE_SECTION_meshes, &mesh, &index, error);
        if (status) {
            return status;
        }
    }
    if (missing) {
        const mrw_material usual = mrw_material_default();
        status = push_material(d, &usual, error);
    }
    return status;
}

mrw_status mrwi_scene_displace(const mrw_scene *base, const mrwi_scene_heights *heights,
                               const char *file_name, mrw_scene **out, mrw_error *error)
{
    displacing d = {.base = base, .heights = heights};
    *out = NULL;
    memset(d.textures, 0xff, sizeof d.textures);
    d.changes.replaced[MRWI_SCENE_SECTION_materials] = true;
    d.changes.replaced[MRWI_SCENE_SECTION_meshes] = true;
    mrw_status status = mrwi_scene_draft_begin(&d.changes.draft, file_name, error);
    if (status) {
        goto out;
    }
    if (heights) {
        d.image = find_image(base, heights);
        status = d.image == MRW_NONE ? push_image(&d, error) : MRW_OK;
    }
    if (status) {
        goto out;
    }
    for (uint32_t m = 0; m < base->materials_count; m++) {
        status = push_material(&d, &base->materials[m], error);
        if (status) {
            goto out;
        }
    }
    status = push_meshes(&d, error);
    if (status) {
        goto out;
    }
    status = mrwi_scene_derive(base, &d.changes, file_name, out, error);
out:
    mrwi_scene_draft_free(&d.changes.draft);
    return status;
}
