/* maps.c: the maps of materials as the rasterizer takes them: a texture each, and the texture
 * coordinates of the draw.
 *
 * Maps with one layout, which is a uv set and a transform, share coordinates. The base colour takes
 * the draw's uvs; other layouts follow in the order of maps in the table.
 */
#include "frame/frame.h"

#include "scene/maps.h"

#include <string.h>

_Static_assert(MRW_RASTER_MAP_COUNT <= 1 + MRW_RASTER_MORE_UVS,
               "each map may need its own texture coordinates: raise MRW_RASTER_MORE_UVS");

mrw_raster_map_kind mrwi_frame_raster_map(mrw_map map)
{
#define DRAWN_0(map)                           MRW_RASTER_MAP_COUNT
#define DRAWN_1(map)                           MRW_RASTER_MAP_##map
#define DRAWN_2(map)                           MRW_RASTER_MAP_COUNT  /* it moves vertices */
#define MRW_RASTER_MAP_HEIGHT                  MRW_RASTER_MAP_NORMAL /* made from heights */
#define KIND(map, name, srgb, drawn, tangents) DRAWN_##drawn(map),
    static const mrw_raster_map_kind kinds[] = {MRW_MATERIAL_MAPS(KIND)};
#undef KIND
#undef MRW_RASTER_MAP_HEIGHT
#undef DRAWN_2
#undef DRAWN_1
#undef DRAWN_0
    return kinds[map];
}

const mrw_material_map *mrwi_frame_next_map(const mrw_material *material, uint32_t *next,
                                            mrw_map *map)
{
    const mrw_material_map *shown;
    do {
        shown = mrwi_scene_drawn_map(material, next, map);
    } while (shown && mrwi_frame_raster_map(*map) == MRW_RASTER_MAP_COUNT);
    return shown;
}

/* ---- maps that are read ---------------------------------------------------------------------- */

#define BIT(map) MRW_MAP_BIT(MRW_MAP_##map)
/* A height map stands for the normal map that is made from it. */
#define BENT    (BIT(NORMAL) | BIT(HEIGHT))
#define TANGENT (BENT | BIT(CLEARCOAT_NORMAL))

/* Maps that a channel shows. */
static const uint32_t channel_maps[MRW_CHANNEL_COUNT] = {
    [MRW_CHANNEL_BASE] = BIT(BASE_COLOR),
    [MRW_CHANNEL_ALPHA] = BIT(BASE_COLOR),
    [MRW_CHANNEL_METALLIC] = BIT(METALLIC_ROUGHNESS) | BIT(METALLIC),
    [MRW_CHANNEL_ROUGHNESS] = BIT(METALLIC_ROUGHNESS) | BIT(ROUGHNESS) | BIT(SPECULAR),
    [MRW_CHANNEL_OCCLUSION] = BIT(OCCLUSION),
    [MRW_CHANNEL_EMISSIVE] = BIT(EMISSIVE),
    [MRW_CHANNEL_NORMAL_MAP] = BENT,
    [MRW_CHANNEL_NORMAL] = BENT,
};

/* Returns the maps that pixels of a mode read, without alpha that cuts or blends. */
static uint32_t mode_maps(mrw_shading shading, mrw_shading_channel channel)
{
    const mrw_shading_info *mode = mrw_shading_info_of(shading);
    if (mode->data) {
        return shading == MRW_SHADING_CHANNEL  ? channel_maps[channel]
               : shading == MRW_SHADING_NORMAL ? channel_maps[MRW_CHANNEL_NORMAL]
                                               : 0;
    }
    if (mode->materials) {
        return (MRW_MAPS_ALL & ~MRW_MAPS_ALPHA) & (mode->flat ? ~TANGENT : UINT32_MAX);
    }
    return mode->matcap ? BENT : mode->base_color ? BIT(BASE_COLOR) : 0;
}

uint32_t mrw_frame_maps(const mrw_frame_def *def)
{
    uint32_t maps = MRW_MAPS_ALPHA | BIT(DISPLACEMENT) | mode_maps(def->shading, def->channel);
    for (uint32_t i = 0; i < def->aov_count; i++) {
        maps |= mrw_aov_info_of(def->aovs[i].aov)->maps;
    }
    return maps;
}

/* Returns true when the alpha of a base colour changes the picture. */
static bool alpha_counts(const mrw_material *material, const mrw_image_info *image)
{
    return material->alpha_mode != MRW_ALPHA_OPAQUE && (image->flags & MRW_IMAGE_ALPHA) != 0;
}

bool mrwi_frame_shows_map(const mrw_model *model, const mrw_material *material, mrw_map map)
{
    const mrw_scene *scene = model->scene;
    const mrw_image_info *image =
        &scene->images[scene->textures[material->maps[map].texture].image];
    const mrw_shading_info *mode = mrw_shading_info_of(model->shading);
    const bool read = mode->materials || ((mode->matcap || model->normals) &&
                                          (map == MRW_MAP_NORMAL || map == MRW_MAP_HEIGHT));
    const bool allowed = (model->maps & MRW_MAP_BIT(map)) != 0;
    if (map == MRW_MAP_BASE_COLOR) {
        return allowed || ((model->maps & MRW_MAPS_ALPHA) != 0 && alpha_counts(material, image));
    }
    return allowed && read && (image->flags & MRW_IMAGE_MISSING) == 0;
}

/* ---- their textures -------------------------------------------------------------------------- */

mrw_encoding mrwi_frame_map_encoding(mrw_map map, mrw_shading shading)
{
    if (!mrw_map_info_of(map)->srgb) {
        return MRW_ENCODING_DATA;
    }
    return mrw_shading_info_of(shading)->stored ? MRW_ENCODING_RAW : MRW_ENCODING_COLOR;
}

mrw_texture_alpha mrwi_frame_map_alpha(const mrw_material *material, mrw_map map, float *cutoff)
{
    const float factor = material->maps[MRW_MAP_BASE_COLOR].factor[3];
    *cutoff = 0.0f;
    if (map == MRW_MAP_NORMAL || map == MRW_MAP_CLEARCOAT_NORMAL || map == MRW_MAP_HEIGHT) {
        return MRW_TEXTURE_ALPHA_SPREAD;
    }
    if (map != MRW_MAP_BASE_COLOR || material->alpha_mode == MRW_ALPHA_OPAQUE) {
        return MRW_TEXTURE_ALPHA_PLAIN;
    }
    if (material->alpha_mode == MRW_ALPHA_MASK && material->alpha_cutoff > 0.0f &&
        material->alpha_cutoff <= factor) {
        *cutoff = material->alpha_cutoff / factor;
        return MRW_TEXTURE_ALPHA_MASKS;
    }
    return MRW_TEXTURE_ALPHA_COVERS;
}

/* Returns the kind of a texture of heights. Mirroring counts as clamping: in both, a texel beyond
 * the edge equals the edge. */
static uint32_t heights_of(const mrw_texture *texture)
{
    return MRWI_FRAME_HEIGHTS + (texture->wrap_u == MRW_WRAP_REPEAT ? 1u : 0u) +
           (texture->wrap_v == MRW_WRAP_REPEAT ? 2u : 0u);
}

/* Returns which of the image's textures a material's map takes. */
static uint32_t kind_of(const mrw_model *model, const mrw_material *material, mrw_map map,
                        uint32_t image)
{
    float cutoff;
    switch (mrwi_frame_map_alpha(material, map, &cutoff)) {
    case MRW_TEXTURE_ALPHA_PLAIN:
        return mrwi_frame_map_encoding(map, model->shading);
    case MRW_TEXTURE_ALPHA_SPREAD:
        return map == MRW_MAP_HEIGHT && model->height_scales[image] > 0.0f
                   ? heights_of(&model->scene->textures[material->maps[map].texture])
                   : MRWI_FRAME_SPREADS;
    case MRW_TEXTURE_ALPHA_MASKS:
        for (uint32_t k = 0; k < MRWI_FRAME_CUTOFFS; k++) {
            if (model->cutoffs[image * MRWI_FRAME_CUTOFFS + k] == cutoff) {
                return MRWI_FRAME_MASKS + k;
            }
        }
        break;
    default:
        break;
    }
    return MRWI_FRAME_COVERS;
}

mrwi_frame_texture *mrwi_frame_map_texture(const mrw_model *model, const mrw_material *material,
                                           mrw_map map)
{
    const uint32_t image = model->scene->textures[material->maps[map].texture].image;
    return &model->textures[image * MRWI_FRAME_TEXTURES + kind_of(model, material, map, image)];
}

/* ---- their coordinates ----------------------------------------------------------------------- */

static bool same_layout(const mrw_material_map *a, const mrw_material_map *b)
{
    return a->uv_set == b->uv_set &&
           memcmp(a->uv_transform, b->uv_transform, sizeof a->uv_transform) == 0;
}

static uint32_t moving_maps(const mrw_model *model, const mrw_material *rest)
{
    const mrw_scene *scene = model->scene;
    const uintptr_t at = (uintptr_t)rest - (uintptr_t)scene->materials;
    const bool own = at < scene->materials_count * sizeof *rest; /* else it is the default one */
    return own ? model->moving_maps[at / sizeof *rest] : 0;
}

/* Chooses the coordinates of a map; the maps before it must be converted. A moving map does not
 * share its coordinates. */
static uint32_t choose_uvs(const mrw_model *model, const mrw_material *rest,
                           const mrw_raster_material *out, mrw_map map)
{
    const uint32_t moving = moving_maps(model, rest);
    const mrw_material_map *before;
    uint32_t last = 0;
    mrw_map kind;
    if (map == MRW_MAP_BASE_COLOR) {
        return 0;
    }
    const bool alone = (moving & MRW_MAP_BIT(map)) != 0;
    if (!alone && (moving & MRW_MAP_BIT(MRW_MAP_BASE_COLOR)) == 0 &&
        same_layout(&rest->maps[map], &rest->maps[MRW_MAP_BASE_COLOR])) {
        return 0;
    }
    for (uint32_t next = 0; (before = mrwi_frame_next_map(rest, &next, &kind)) && kind != map;) {
        if (!mrwi_frame_shows_map(model, rest, kind)) {
            continue;
        }
        const uint32_t uvs = out->maps[mrwi_frame_raster_map(kind)].uvs;
        if (!alone && (moving & MRW_MAP_BIT(kind)) == 0 && same_layout(&rest->maps[map], before)) {
            return uvs;
        }
        last = uvs > last ? uvs : last;
    }
    return last + 1;
}

void mrwi_frame_convert_maps(const mrw_model *model, const mrw_material *rest,
                             const mrw_material *in, mrw_raster_material *out)
{
    const mrw_material_map *map;
    mrw_map kind;
    memcpy(out->uv_transform, in->maps[MRW_MAP_BASE_COLOR].uv_transform, sizeof out->uv_transform);
    for (uint32_t next = 0; (map = mrwi_frame_next_map(in, &next, &kind));) {
        const mrw_texture *texture = &model->scene->textures[map->texture];
        if (!mrwi_frame_shows_map(model, rest, kind)) {
            continue;
        }
        out->maps[mrwi_frame_raster_map(kind)] =
            (mrw_raster_map){.texture = mrwi_frame_map_texture(model, rest, kind)->texture,
                             .wrap_u = texture->wrap_u,
                             .wrap_v = texture->wrap_v,
                             .nearest = texture->nearest != 0,
                             .minify = texture->minify,
                             .uvs = choose_uvs(model, rest, out, kind)};
    }
}

static const float *uv_set_of(const mrw_scene *scene, const mrw_mesh *mesh, uint32_t set)
{
    return mesh->uv[set] == MRW_NONE ? NULL : scene->uvs + (size_t)mesh->uv[set] * 2;
}

void mrwi_frame_set_uvs(const mrw_scene *scene, const mrw_mesh *mesh, const mrw_material *material,
                        mrw_raster_draw *draw)
{
    const mrw_material_map *map;
    mrw_map kind;
    draw->uvs = uv_set_of(scene, mesh, material ? material->maps[MRW_MAP_BASE_COLOR].uv_set : 0);
    for (uint32_t next = 0; (map = mrwi_frame_next_map(material, &next, &kind));) {
        const uint32_t uvs = draw->material->maps[mrwi_frame_raster_map(kind)].uvs;
        if (uvs > 0) {
            mrw_raster_uvs *more = &draw->more_uvs[uvs - 1];
            more->uvs = uv_set_of(scene, mesh, map->uv_set);
            memcpy(more->transform, map->uv_transform, sizeof more->transform);
        }
    }
}
