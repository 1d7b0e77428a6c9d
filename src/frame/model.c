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

/* Notes the cutoff of a mask in the cutoffs of its image, if there is room. */
static void note_cutoff(float *cutoffs, float cutoff)
{
    for (uint32_t k = 0; k < MRWI_FRAME_CUTOFFS && cutoffs[k] != cutoff; k++) {
        if (cutoffs[k] == 0.0f) {
            cutoffs[k] = cutoff;
            return;
        }
    }
}

/* Textures of fewer texels keep all their levels: 0.7 MB or little more. */
#define SMALL_TEXTURE (256u * 256u)

/* Begins the texture of a material's map, which must have one: creates it, not filled yet. */
static mrw_status begin_texture(const mrw_model *model, const mrw_material *material, mrw_map map,
                                mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    const uint32_t index = scene->textures[material->maps[map].texture].image;
    const mrw_image_info *image = &scene->images[index];
    if (!mrwi_frame_shows_map(model, material, map)) {
        return MRW_OK;
    }
    const bool heights_later = map == MRW_MAP_HEIGHT && (image->flags & MRW_IMAGE_ENCODED) != 0;
    if ((image->flags & MRW_IMAGE_UNDECODED) != 0 || heights_later) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "a scene that was loaded without the texels of its %s maps, or has "
                              "dropped them, cannot be drawn",
                              mrw_map_info_of(map)->name);
    }
    float cutoff;
    const mrw_texture_alpha alpha = mrwi_frame_map_alpha(material, map, &cutoff);
    if (alpha == MRW_TEXTURE_ALPHA_MASKS) {
        note_cutoff(model->cutoffs + (size_t)index * MRWI_FRAME_CUTOFFS, cutoff);
    }
    const uint8_t *texels = scene->texels + (size_t)image->first_texel * 4;
    if (map == MRW_MAP_HEIGHT && !mrw_raster_are_normals(texels, image->width, image->height)) {
        model->height_scales[index] = mrw_raster_height_scale(texels, image->width, image->height);
    }
    mrwi_frame_texture *out = mrwi_frame_map_texture(model, material, map);
    if ((uint64_t)image->width * image->height < SMALL_TEXTURE) {
        atomic_store(&out->finest, 0);
    } else if (!out->texture) {
        atomic_store(&out->finest, MRW_FINEST_NONE);
    }
    if (out->texture) {
        return MRW_OK;
    }
    const mrw_encoding encoding = mrwi_frame_map_encoding(map, model->shading);
    mrw_status status = mrw_raster_texture_create(NULL, image->width, image->height, encoding,
                                                  &out->texture, error);
    if (status) {
        return status;
    }
    if (alpha != MRW_TEXTURE_ALPHA_PLAIN) {
        mrw_raster_texture_set_alpha(out->texture, alpha, cutoff);
    }
    return MRW_OK;
}

/* Begins the textures of everything that is drawn. */
static mrw_status begin_textures(const mrw_model *model, mrw_error *error)
{
    const mrw_scene *scene = model->scene;
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const uint32_t index = scene->meshes[scene->draws[d].mesh].material;
        const mrw_material *material = index == MRW_NONE ? NULL : &scene->materials[index];
        mrw_map map;
        for (uint32_t next = 0; mrwi_frame_next_map(material, &next, &map);) {
            mrw_status status = begin_texture(model, material, map, error);
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}

/* ---- materials ------------------------------------------------------------------------------- */

_Static_assert((int)MRW_SURFACE_METALLIC_ROUGHNESS == (int)MRW_MATERIAL_METALLIC_ROUGHNESS &&
                   (int)MRW_SURFACE_SPECULAR_GLOSSINESS == (int)MRW_MATERIAL_SPECULAR_GLOSSINESS &&
                   (int)MRW_SURFACE_CLASSIC == (int)MRW_MATERIAL_CLASSIC,
               "material models and surface kinds must have the same values");

/* Returns the reflectance at normal incidence for an index of refraction; 0 stands for infinite
 * (KHR_materials_ior). */
static float reflectance_of(float ior)
{
    const double r = ((double)ior - 1.0) / ((double)ior + 1.0);
    return ior == 0.0f ? 1.0f : (float)(r * r);
}

/* Returns the strength of normals. A height map that holds normals keeps them as they are. */
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

/* Copies the first `kept` influences of a vertex, scaled so that they sum to one: the last absorbs
 * the rounding. */
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

/* Keeps the strongest `most` influences; scenes hold them in descending order. The groups keep
 * their vertices. */
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

/* Finds the point that geometry_to_joint maps to the joint's origin, by Cramer's rule; the
 * geometry's origin for matrices that flatten. */
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

/* Lists the influences of all groups. max_influences 0: no limit. */
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

/* Converts the scene's materials, and behind them the default material of draws without one. */
static void convert_materials(const mrw_model *model)
{
    const mrw_scene *scene = model->scene;
    const mrw_material usual = mrw_material_default();
    for (uint32_t i = 0; i < scene->material_channels_count; i++) {
        const mrw_material_channel *channel = &scene->material_channels[i];
        if (channel->property >= MRW_PROPERTY_UV_OFFSET) {
            model->moving_maps[channel->material] |= MRW_MAP_BIT(channel->map);
        }
    }
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

static _Atomic uint64_t last_id;

/* Sets the options of a model and allocates its arrays. */
static mrw_status begin_model(const mrw_scene *scene, const mrw_model_def *def, mrw_model *out,
                              mrw_error *error)
{
    const size_t materials = (size_t)scene->materials_count + 1, images = scene->images_count;
    *out = (mrw_model){.id = atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1,
                       .scene = scene,
                       .shading = def->shading,
                       .normals = def->normals,
                       .maps = def->maps,
                       .sides = def->sides,
                       .shows_hidden = def->show_hidden};
    out->materials = mrwi_base_alloc(materials, sizeof *out->materials);
    out->textures = mrwi_base_alloc_zero(images * MRWI_FRAME_TEXTURES, sizeof *out->textures);
    out->cutoffs = mrwi_base_alloc_zero(images * MRWI_FRAME_CUTOFFS, sizeof *out->cutoffs);
    out->height_scales = mrwi_base_alloc_zero(images, sizeof *out->height_scales);
    out->damaged = mrwi_base_alloc_zero(images, sizeof *out->damaged);
    out->pivots = mrwi_base_alloc(scene->joints_count, 3 * sizeof *out->pivots);
    out->moving_maps = mrwi_base_alloc_zero(materials, sizeof *out->moving_maps);
    if (!out->materials || !out->moving_maps || !out->textures || !out->cutoffs ||
        !out->height_scales || !out->damaged || !out->pivots) {
        return mrwi_base_fail_memory(error, scene->materials_count * sizeof *out->materials);
    }
    if (def->left_out) {
        out->left_out = mrwi_base_alloc(scene->nodes_count, sizeof *out->left_out);
        if (!out->left_out) {
            return mrwi_base_fail_memory(error, scene->nodes_count);
        }
        memcpy(out->left_out, def->left_out, scene->nodes_count * sizeof *out->left_out);
    }
    return MRW_OK;
}

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
    status = begin_model(scene, def, model, error);
    if (status) {
        goto out;
    }
    status = mrw_poser_create(scene, &model->poser, error);
    if (status) {
        goto out;
    }
    status = build_influences(scene, def->max_influences, &model->influences, error);
    if (status) {
        goto out;
    }
    status = mrwi_frame_find_roots(scene, &model->roots, error);
    if (status) {
        goto out;
    }
    if (!def->no_textures) {
        status = begin_textures(model, error);
        if (status) {
            goto out;
        }
        if ((def->maps & MRW_MAP_BIT(MRW_MAP_DISPLACEMENT)) != 0) {
            status = mrwi_frame_displacement_create(model, &model->displacement, error);
            if (status) {
                goto out;
            }
        }
    }
    if (!def->later_textures) {
        status = mrwi_frame_fill_textures(model, true, threads, error);
        if (status) {
            goto out;
        }
    }
    convert_materials(model);
    for (uint32_t j = 0; j < scene->joints_count; j++) {
        joint_pivot(&scene->geometry_to_joint[j], model->pivots + 3 * (size_t)j);
    }
    *out = model;
out:
    mrwi_base_fp_leave(fp);
    if (status) {
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
    mrwi_base_free(model->damaged);
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
