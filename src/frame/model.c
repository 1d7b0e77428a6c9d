/* model.c: a scene prepared for drawing: textures with mipmaps, materials, vertex groups
 * and their influences. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "scene/maps.h"

#include <assert.h>
#include <string.h>

/* ---- textures -------------------------------------------------------------------------------- */

/* What a map's image is read as. */
static mrw_encoding encoding_of(mrw_map map, mrw_shading shading)
{
    if (!mrw_map_info_of(map)->srgb) {
        return MRW_ENCODING_DATA;
    }
    return mrw_shading_info_of(shading)->stored ? MRW_ENCODING_RAW : MRW_ENCODING_COLOR;
}

/* What the alpha of a material's map is for, and with MASKS what it must reach. */
static mrw_texture_alpha alpha_of(const mrw_material *material, mrw_map map, float *cutoff)
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

/* Of a texture whose image holds heights: a texel beyond the edge is the edge where it mirrors, as
 * where it clamps. */
static uint32_t heights_of(const mrw_texture *texture)
{
    return MRWI_FRAME_HEIGHTS + (texture->wrap_u == MRW_WRAP_REPEAT ? 1u : 0u) +
           (texture->wrap_v == MRW_WRAP_REPEAT ? 2u : 0u);
}

/* Which of the image's textures a material's map takes. */
static uint32_t kind_of(const mrw_model *model, const mrw_material *material, mrw_map map,
                        uint32_t image)
{
    float cutoff;
    switch (alpha_of(material, map, &cutoff)) {
    case MRW_TEXTURE_ALPHA_PLAIN:
        return encoding_of(map, model->shading);
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

/* Notes the cutoff of a mask, as long as there is room. */
static void note_cutoff(mrw_model *model, const mrw_material *material, mrw_map map, uint32_t image)
{
    float cutoff, *known = model->cutoffs + (size_t)image * MRWI_FRAME_CUTOFFS;
    if (alpha_of(material, map, &cutoff) != MRW_TEXTURE_ALPHA_MASKS) {
        return;
    }
    for (uint32_t k = 0; k < MRWI_FRAME_CUTOFFS && known[k] != cutoff; k++) {
        if (known[k] == 0.0f) {
            known[k] = cutoff;
        }
    }
}

static void note_heights(mrw_model *model, mrw_map map, uint32_t image)
{
    const mrw_image_info *info = &model->scene->images[image];
    const uint8_t *texels = model->scene->texels + (size_t)info->first_texel * 4;
    if (map == MRW_MAP_HEIGHT && !mrw_raster_are_normals(texels, info->width, info->height)) {
        model->height_scales[image] = mrw_raster_height_scale(texels, info->width, info->height);
    }
}

/* Smaller ones keep all their levels: 0.7 MB or little more. */
#define SMALL_TEXTURE (256u * 256u)

/* Makes a texture as a map wants it, not filled yet. */
static mrw_status create_texture(const mrw_model *model, const mrw_material *material, mrw_map map,
                                 const mrw_image_info *image, mrw_raster_texture **out,
                                 mrw_error *error)
{
    const mrw_encoding encoding = encoding_of(map, model->shading);
    mrw_status status =
        mrw_raster_texture_create(NULL, image->width, image->height, encoding, out, error);
    float cutoff;
    const mrw_texture_alpha alpha = alpha_of(material, map, &cutoff);
    if (status == MRW_OK && alpha != MRW_TEXTURE_ALPHA_PLAIN) {
        mrw_raster_texture_set_alpha(*out, alpha, cutoff);
    }
    return status;
}

/* Makes the texture of a map that is there. */
static mrw_status begin_texture(mrw_model *model, const mrw_material *material, mrw_map map,
                                mrw_error *error)
{
    const uint32_t index = model->scene->textures[material->maps[map].texture].image;
    const mrw_image_info *image = &model->scene->images[index];
    if (!mrwi_frame_shows_map(model, material, map)) {
        return MRW_OK;
    }
    if ((image->flags & MRW_IMAGE_UNDECODED) != 0) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "a scene that was loaded without the texels of its %s maps, or has "
                              "dropped them, cannot be drawn",
                              mrw_map_info_of(map)->name);
    }
    note_cutoff(model, material, map, index);
    note_heights(model, map, index);
    mrwi_frame_texture *out = mrwi_frame_map_texture(model, material, map);
    if ((uint64_t)image->width * image->height < SMALL_TEXTURE) {
        atomic_store(&out->finest, 0);
    } else if (!out->texture) {
        atomic_store(&out->finest, MRW_FINEST_NONE);
    }
    return out->texture ? MRW_OK
                        : create_texture(model, material, map, image, &out->texture, error);
}

/* Begins the textures that something drawn shows. */
static mrw_status begin_textures(mrw_model *model, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    mrw_status status = MRW_OK;
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const uint32_t index = scene->meshes[scene->draws[d].mesh].material;
        const mrw_material *material = index == MRW_NONE ? NULL : &scene->materials[index];
        mrw_map map;
        for (uint32_t next = 0; status == MRW_OK && mrwi_frame_next_map(material, &next, &map);) {
            status = begin_texture(model, material, map, error);
        }
    }
    return status;
}

typedef struct texture_fill {
    const mrw_scene *scene;
    mrwi_frame_texture *textures;
    const float *height_scales;
    bool all; /* levels */
    mrw_status *statuses;
} texture_fill;

static bool is_heights(uint32_t kind)
{
    return kind >= MRWI_FRAME_HEIGHTS && kind < MRWI_FRAME_MASKS;
}

/* Fills the texture of an image with the normals of its heights. */
static mrw_status fill_with_normals(const texture_fill *fill, uint32_t index, uint32_t kind,
                                    uint32_t finest)
{
    const mrw_image_info *image = &fill->scene->images[index];
    const uint8_t *heights = fill->scene->texels + (size_t)image->first_texel * 4;
    const uint32_t repeats = kind - MRWI_FRAME_HEIGHTS;
    uint8_t *normals = mrwi_base_alloc((size_t)image->width * image->height, 4);
    if (!normals) {
        return MRW_ERROR_MEMORY;
    }
    mrw_raster_heights_to_normals(heights, image->width, image->height, (repeats & 1u) != 0,
                                  (repeats & 2u) != 0, fill->height_scales[index], normals);
    mrw_raster_texture *texture = fill->textures[index * MRWI_FRAME_TEXTURES + kind].texture;
    mrw_status status = mrw_raster_texture_fill(texture, normals, finest, NULL);
    mrwi_base_free(normals);
    return status;
}

static void fill_texture(void *user, int64_t index, int worker)
{
    const texture_fill *fill = user;
    const mrw_scene *scene = fill->scene;
    const uint32_t kind = (uint32_t)(index % MRWI_FRAME_TEXTURES);
    mrwi_frame_texture *texture = &fill->textures[index];
    const uint32_t finest = fill->all ? 0 : atomic_load(&texture->finest);
    (void)worker;
    if (!texture->texture) {
        return;
    }
    if (is_heights(kind)) {
        fill->statuses[index] =
            fill_with_normals(fill, (uint32_t)(index / MRWI_FRAME_TEXTURES), kind, finest);
    } else {
        const mrw_image_info *image = &scene->images[index / MRWI_FRAME_TEXTURES];
        fill->statuses[index] = mrw_raster_texture_fill(
            texture->texture, scene->texels + (size_t)image->first_texel * 4, finest, NULL);
    }
    atomic_store(&texture->finest, 0); /* nothing is left to find */
}

static mrw_status fill_textures(mrw_model *model, bool all, int threads, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    const uint32_t count = scene->images_count * MRWI_FRAME_TEXTURES;
    mrw_status status = MRW_OK;
    mrw_status *statuses = mrwi_base_alloc_zero(count, sizeof *statuses);
    if (!statuses) {
        return mrwi_base_fail_memory(error, count * sizeof *statuses);
    }
    texture_fill fill = {scene, model->textures, model->height_scales, all, statuses};
    mrwi_base_parallel_for(threads, count, fill_texture, &fill);
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        if (statuses[i] != MRW_OK) {
            const uint32_t name = scene->images[i / MRWI_FRAME_TEXTURES].name;
            status = mrwi_base_fail(error, statuses[i], "out of memory for the texture '%s'",
                                    mrw_scene_string(scene, name));
        }
    }
    mrwi_base_free(statuses);
    return status;
}

mrw_status mrw_model_fill_textures(mrw_model *model, int threads, mrw_error *error)
{
    return fill_textures(model, false, threads, error);
}

uint64_t mrw_model_texture_memory(const mrw_model *model)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < model->scene->images_count * MRWI_FRAME_TEXTURES; i++) {
        const mrw_raster_texture *texture = model->textures[i].texture;
        sum += texture ? mrw_raster_texture_memory(texture) : 0;
    }
    return sum;
}

/* ---- materials ------------------------------------------------------------------------------- */

_Static_assert((int)MRW_SURFACE_METALLIC_ROUGHNESS == (int)MRW_MATERIAL_METALLIC_ROUGHNESS &&
                   (int)MRW_SURFACE_SPECULAR_GLOSSINESS == (int)MRW_MATERIAL_SPECULAR_GLOSSINESS &&
                   (int)MRW_SURFACE_CLASSIC == (int)MRW_MATERIAL_CLASSIC,
               "material models and surface kinds must have the same values");

/* Reflectance of what is seen head on, by its index of refraction, which 0 stands for as infinite
 * (KHR_materials_ior). */
static float reflectance_of(float ior)
{
    const double r = ((double)ior - 1.0) / ((double)ior + 1.0);
    return ior == 0.0f ? 1.0f : (float)(r * r);
}

/* Of heights it is their strength; normals in their place are as they are. */
static float normal_scale_of(const mrw_model *model, const mrw_material *in)
{
    const mrw_material_map *normal = &in->maps[MRW_MAP_NORMAL], *height = &in->maps[MRW_MAP_HEIGHT];
    if (normal->texture != MRW_NONE || height->texture == MRW_NONE) {
        return normal->factor[0];
    }
    const float scale = model->height_scales[model->scene->textures[height->texture].image];
    return scale > 0.0f ? height->factor[0] * scale : 1.0f;
}

bool mrwi_frame_shows_both_sides(const mrw_model *model, const mrw_material *material)
{
    return model->sides == MRW_SIDES_FILE ? (material->flags & MRW_MATERIAL_DOUBLE_SIDED) != 0
                                          : model->sides == MRW_SIDES_BOTH;
}

mrw_raster_material mrwi_frame_convert_material(const mrw_model *model, const mrw_material *rest,
                                                const mrw_material *in)
{
    const mrw_material_map *maps = in->maps;
    mrw_raster_material out = {
        .alpha_mode = in->alpha_mode,
        .alpha_cutoff = in->alpha_cutoff,
        .double_sided = mrwi_frame_shows_both_sides(model, in),
        .unlit = (in->flags & MRW_MATERIAL_UNLIT) != 0,
        .surface = (mrw_surface)in->model,
        .roughness = maps[MRW_MAP_METALLIC_ROUGHNESS].factor[1],
        .metallic = maps[MRW_MAP_METALLIC_ROUGHNESS].factor[2],
        .reflectance = reflectance_of(in->ior),
        .specular = in->specular,
        .glossiness = maps[MRW_MAP_SPECULAR].factor[3],
        .shininess = in->shininess,
        .normal_scale = normal_scale_of(model, in),
        .clearcoat_normal_scale = maps[MRW_MAP_CLEARCOAT_NORMAL].factor[0],
        .occlusion_strength = maps[MRW_MAP_OCCLUSION].factor[0],
        .clearcoat = in->clearcoat,
        .clearcoat_roughness = in->clearcoat_roughness,
    };
    memcpy(out.base_color, maps[MRW_MAP_BASE_COLOR].factor, sizeof out.base_color);
    out.sheen_roughness = maps[MRW_MAP_SHEEN_COLOR].factor[3];
    memcpy(out.sheen_color, maps[MRW_MAP_SHEEN_COLOR].factor, sizeof out.sheen_color);
    memcpy(out.specular_color, maps[MRW_MAP_SPECULAR].factor, sizeof out.specular_color);
    memcpy(out.emissive, maps[MRW_MAP_EMISSIVE].factor, sizeof out.emissive);
    mrwi_frame_convert_maps(model, rest, in, &out);
    return out;
}

/* ---- influences ------------------------------------------------------------------------------ */

/* Copies the first `kept` influences of a vertex, scaled so that they sum to one: the last takes
 * what rounding left over. */
static void cut_vertex(const mrw_skin_group *from, uint32_t vertex, uint32_t kept, uint16_t *joints,
                       float *weights, mrw_influence_cut *cut)
{
    const size_t first = (size_t)vertex * from->influence_count;
    double sum = 0.0, lost = 0.0;
    float so_far = 0.0f;
    for (uint32_t i = 0; i < from->influence_count; i++) {
        *(i < kept ? &sum : &lost) += (double)from->weights[first + i];
    }
    for (uint32_t i = 0; i < kept; i++) {
        float weight = (float)((double)from->weights[first + i] / sum);
        if (i + 1 == kept) {
            weight = mrwi_base_maxf(1.0f - so_far, 0.0f);
        }
        joints[i] = from->joints[first + i];
        weights[i] = weight;
        so_far += weight;
    }
    cut->vertices++;
    cut->largest_weight = mrwi_base_maxf(cut->largest_weight, from->weights[first + kept]);
    cut->largest_sum = mrwi_base_maxf(cut->largest_sum, (float)lost);
}

/* Keeps the strongest `most` influences; scenes hold them in descending order. Groups stay the runs
 * of vertices that they are. */
static mrw_status cut_influences(mrwi_frame_influences *all, uint32_t group_count, uint32_t most,
                                 mrw_error *error)
{
    size_t slots = 0, used = 0;
    for (uint32_t g = 0; g < group_count; g++) {
        slots +=
            all->groups[g].influence_count > most ? (size_t)all->groups[g].vertex_count * most : 0;
    }
    if (most == 0 || slots == 0) {
        return MRW_OK;
    }
    all->cut_joints = mrwi_base_alloc(slots, sizeof *all->cut_joints);
    all->cut_weights = mrwi_base_alloc(slots, sizeof *all->cut_weights);
    if (!all->cut_joints || !all->cut_weights) {
        return mrwi_base_fail_memory(error, slots * sizeof *all->cut_weights);
    }
    for (uint32_t g = 0; g < group_count; g++) {
        mrw_skin_group *group = &all->groups[g];
        const mrw_skin_group full = *group;
        if (full.influence_count <= most) {
            continue;
        }
        group->influence_count = most;
        group->joints = all->cut_joints + used;
        group->weights = all->cut_weights + used;
        for (uint32_t v = 0; v < full.vertex_count; v++, used += most) {
            cut_vertex(&full, v, most, all->cut_joints + used, all->cut_weights + used, &all->cut);
        }
    }
    return MRW_OK;
}

/* The point that geometry_to_joint takes to the joint's origin, by Cramer's rule; the geometry's
 * origin for matrices that flatten. */
static void joint_pivot(const mrw_mat4 *geometry_to_joint, float out[3])
{
    double c[4][3], yz[3], zx[3], xy[3];
    for (int k = 0; k < 12; k++) {
        c[k / 3][k % 3] = (double)geometry_to_joint->m[4 * (k / 3) + k % 3];
    }
    mrwi_base_cross3d(c[1], c[2], yz);
    mrwi_base_cross3d(c[2], c[0], zx);
    mrwi_base_cross3d(c[0], c[1], xy);
    const double determinant = mrwi_base_dot3d(c[0], yz);
    const double point[3] = {-mrwi_base_dot3d(c[3], yz) / determinant,
                             -mrwi_base_dot3d(c[3], zx) / determinant,
                             -mrwi_base_dot3d(c[3], xy) / determinant};
    for (int k = 0; k < 3; k++) {
        out[k] = fabs(point[k]) <= 1e30 ? (float)point[k] : 0.0f;
    }
}

/* max_influences 0: all. */
static mrw_status build_influences(const mrw_scene *scene, uint32_t max_influences,
                                   mrwi_frame_influences *out, mrw_error *error)
{
    out->groups = mrwi_base_alloc(scene->groups_count, sizeof *out->groups);
    if (!out->groups) {
        return mrwi_base_fail_memory(error, scene->groups_count * sizeof *out->groups);
    }
    for (uint32_t i = 0; i < scene->groups_count; i++) {
        const mrw_influence_group *g = &scene->groups[i];
        out->groups[i] = (mrw_skin_group){g->first_vertex, g->vertex_count, g->influence_count,
                                          scene->influence_joints + g->first_influence,
                                          scene->influence_weights + g->first_influence};
    }
    return cut_influences(out, scene->groups_count, max_influences, error);
}

/* ---- models ---------------------------------------------------------------------------------- */

mrw_model_def mrw_model_def_default(void)
{
    return (mrw_model_def){.shading = MRW_SHADING_LIT, .maps = MRW_MAPS_ALL};
}

/* Finds the maps that clips move. */
static void find_moving_maps(mrw_model *model)
{
    for (uint32_t i = 0; i < model->scene->material_channels_count; i++) {
        const mrw_material_channel *channel = &model->scene->material_channels[i];
        if (channel->property >= MRW_PROPERTY_UV_OFFSET) {
            model->moving_maps[channel->material] |= MRW_MAP_BIT(channel->map);
        }
    }
}

/* Those of the scene, and behind them that of draws without. */
static void convert_materials(mrw_model *model)
{
    const mrw_scene *scene = model->scene;
    find_moving_maps(model);
    const mrw_material usual = mrw_material_default();
    for (uint32_t i = 0; i < scene->materials_count; i++) {
        model->materials[i] =
            mrwi_frame_convert_material(model, &scene->materials[i], &scene->materials[i]);
    }
    model->materials[scene->materials_count] = mrwi_frame_convert_material(model, &usual, &usual);
}

mrw_status mrw_model_create(const mrw_scene *scene, mrw_shading shading, int threads,
                            mrw_model **out, mrw_error *error)
{
    mrw_model_def def = mrw_model_def_default();
    def.shading = shading;
    return mrw_model_create_with(scene, &def, threads, out, error);
}

static mrw_status prepare_textures(mrw_model *model, const mrw_model_def *def, int threads,
                                   mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (!def->no_textures) {
        status = begin_textures(model, error);
    }
    if (status == MRW_OK && !def->no_textures &&
        (def->maps & MRW_MAP_BIT(MRW_MAP_DISPLACEMENT)) != 0) {
        status = mrwi_frame_displacement_create(model, &model->displacement, error);
    }
    if (status == MRW_OK && !def->later_textures) {
        status = fill_textures(model, true, threads, error);
    }
    return status;
}

static mrw_status copy_left_out(mrw_model *model, const bool *left_out, mrw_error *error)
{
    const size_t nodes = model->scene->nodes_count;
    model->left_out = left_out ? mrwi_base_alloc(nodes, sizeof *left_out) : NULL;
    if (left_out && !model->left_out) {
        return mrwi_base_fail_memory(error, nodes);
    }
    if (left_out) {
        memcpy(model->left_out, left_out, nodes * sizeof *left_out);
    }
    return MRW_OK;
}

static _Atomic uint64_t last_id;

mrw_status mrw_model_create_with(const mrw_scene *scene, const mrw_model_def *def, int threads,
                                 mrw_model **out, mrw_error *error)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status = MRW_OK;
    mrw_model *model = mrwi_base_alloc_zero(1, sizeof *model);
    assert(scene && def && out);
    if (!model) {
        status = mrwi_base_fail_memory(error, sizeof *model);
        goto out;
    }
    *model = (mrw_model){.id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1,
                         .scene = scene,
                         .shading = def->shading,
                         .normals = def->normals,
                         .maps = def->maps,
                         .sides = def->sides,
                         .shows_hidden = def->show_hidden};
    model->materials =
        mrwi_base_alloc((size_t)scene->materials_count + 1, sizeof *model->materials);
    model->textures = mrwi_base_alloc_zero((size_t)scene->images_count * MRWI_FRAME_TEXTURES,
                                           sizeof *model->textures);
    model->cutoffs = mrwi_base_alloc_zero((size_t)scene->images_count * MRWI_FRAME_CUTOFFS,
                                          sizeof *model->cutoffs);
    model->height_scales = mrwi_base_alloc_zero(scene->images_count, sizeof *model->height_scales);
    model->pivots = mrwi_base_alloc(scene->joints_count, 3 * sizeof *model->pivots);
    model->moving_maps =
        mrwi_base_alloc_zero((size_t)scene->materials_count + 1, sizeof *model->moving_maps);
    if (!model->materials || !model->moving_maps || !model->textures || !model->cutoffs ||
        !model->height_scales || !model->pivots) {
        status = mrwi_base_fail_memory(error, scene->materials_count * sizeof *model->materials);
        goto out;
    }
    status = copy_left_out(model, def->left_out, error);
    status = status == MRW_OK ? mrw_poser_create(scene, &model->poser, error) : status;
    if (status == MRW_OK) {
        status = build_influences(scene, def->max_influences, &model->influences, error);
    }
    if (status == MRW_OK) {
        status = mrwi_frame_find_roots(scene, &model->roots, error);
    }
    if (status == MRW_OK) {
        status = prepare_textures(model, def, threads, error);
    }
    if (status == MRW_OK) {
        convert_materials(model);
    }
    for (uint32_t j = 0; j < scene->joints_count && status == MRW_OK; j++) {
        joint_pivot(&scene->geometry_to_joint[j], model->pivots + 3 * (size_t)j);
    }
out:
    mrwi_base_fp_leave(fp);
    if (status == MRW_OK) {
        *out = model;
    } else {
        mrw_model_free(model);
    }
    return status;
}

uint64_t mrw_model_id(const mrw_model *model)
{
    return model->id;
}

void mrw_model_free(mrw_model *model)
{
    if (!model) {
        return;
    }
    const uint32_t textures =
        model->textures ? model->scene->images_count * MRWI_FRAME_TEXTURES : 0;
    for (uint32_t i = 0; i < textures; i++) {
        mrw_raster_texture_free(model->textures[i].texture);
    }
    mrwi_base_free(model->textures);
    mrwi_base_free(model->cutoffs);
    mrwi_base_free(model->height_scales);
    mrwi_base_free(model->materials);
    mrwi_base_free(model->moving_maps);
    mrwi_base_free(model->influences.groups);
    mrwi_base_free(model->influences.cut_joints);
    mrwi_base_free(model->influences.cut_weights);
    mrwi_frame_displacement_free(model->displacement);
    mrwi_base_free(model->pivots);
    mrwi_base_free(model->left_out);
    mrwi_base_free(model->roots);
    mrw_poser_free(model->poser);
    mrwi_base_free(model);
}

mrw_influence_cut mrw_model_influence_cut(const mrw_model *model)
{
    return model->influences.cut;
}

mrw_instance mrw_instance_default(const mrw_model *model)
{
    return (mrw_instance){.model = model,
                          .pose = MRW_POSE_CLIP,
                          .clip =
                              model->scene->clips_count > 0 ? model->scene->default_clip : MRW_NONE,
                          .model_to_world = mrwi_base_mat4_identity()};
}
