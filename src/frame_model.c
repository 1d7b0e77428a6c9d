/* frame_model.c: a scene prepared for drawing: textures with mipmaps, materials, vertex groups. */
#include "frame.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

struct texture_build {
    mrw_model *model;
    mrw_status *statuses;
};

static void build_texture(void *user, int64_t index, int worker)
{
    const struct texture_build *build = user;
    const mrw_scene *scene = build->model->scene;
    const mrw_image_info *image = &scene->images[index];
    bool used = false;
    (void)worker;
    for (uint32_t m = 0; m < scene->materials_count; m++) {
        uint32_t texture = scene->materials[m].base_color_texture.texture;
        used = used || (texture != MRW_NONE && scene->textures[texture].image == index);
    }
    if (used)
        build->statuses[index] = mrw_raster_texture_create(
            scene->texels + (size_t)image->first_texel * 4, image->width, image->height,
            build->model->shading == MRW_SHADING_UNLIT, &build->model->textures[index], NULL);
}

static mrw_status build_textures(mrw_model *model, int threads, mrw_error *error)
{
    uint32_t count = model->scene->images_count;
    mrw_status status = MRW_OK;
    mrw_status *statuses = mrwi_alloc_zero(count, sizeof *statuses);
    model->textures = mrwi_alloc_zero(count, sizeof *model->textures);
    if (!statuses || !model->textures) {
        mrwi_free(statuses);
        return mrwi_fail_memory(error, count * sizeof *model->textures);
    }
    mrwi_parallel_for(threads, count, build_texture, &(struct texture_build){model, statuses});
    for (uint32_t i = 0; i < count && status == MRW_OK; i++)
        if (statuses[i] != MRW_OK)
            status = mrwi_fail(error, statuses[i], "out of memory for the texture '%s'",
                               mrw_scene_string(model->scene, model->scene->images[i].name));
    mrwi_free(statuses);
    return status;
}

static mrw_raster_material default_material(void)
{
    return (mrw_raster_material){.base_color = {1, 1, 1, 1}, .uv_transform = {1, 0, 0, 0, 1, 0}};
}

static mrw_raster_material convert_material(const mrw_model *model, const mrw_material *in)
{
    const mrw_scene *scene = model->scene;
    const mrw_texture_use *use = &in->base_color_texture;
    mrw_raster_material out = default_material();
    memcpy(out.base_color, in->base_color, sizeof out.base_color);
    out.alpha_mode = in->alpha_mode;
    out.alpha_cutoff = in->alpha_cutoff;
    out.double_sided = (in->flags & MRW_MATERIAL_DOUBLE_SIDED) != 0;
    out.unlit = (in->flags & MRW_MATERIAL_UNLIT) != 0;
    if (use->texture != MRW_NONE) {
        const mrw_texture *texture = &scene->textures[use->texture];
        out.texture = model->textures[texture->image];
        out.wrap_u = texture->wrap_u;
        out.wrap_v = texture->wrap_v;
        out.nearest = texture->nearest != 0;
        memcpy(out.uv_transform, use->uv_transform, sizeof out.uv_transform);
    }
    return out;
}

mrw_status mrw_model_create(const mrw_scene *scene, mrw_shading shading, int threads,
                            mrw_model **out, mrw_error *error)
{
    mrwi_fp fp = mrwi_fp_enter();
    mrw_status status = MRW_OK;
    mrw_model *model = mrwi_alloc_zero(1, sizeof *model);
    assert(scene && out);
    if (!model) {
        status = mrwi_fail_memory(error, sizeof *model);
        goto out;
    }
    model->scene = scene;
    model->shading = shading;
    model->materials = mrwi_alloc((size_t)scene->materials_count + 1, sizeof *model->materials);
    model->groups = mrwi_alloc(scene->groups_count, sizeof *model->groups);
    if (!model->materials || !model->groups) {
        status = mrwi_fail_memory(error, scene->groups_count * sizeof *model->groups);
        goto out;
    }
    status = build_textures(model, threads, error);
    if (status != MRW_OK)
        goto out;
    for (uint32_t i = 0; i < scene->materials_count; i++)
        model->materials[i] = convert_material(model, &scene->materials[i]);
    model->materials[scene->materials_count] = default_material();
    for (uint32_t i = 0; i < scene->groups_count; i++) {
        const mrw_influence_group *g = &scene->groups[i];
        model->groups[i] = (mrw_skin_group){g->first_vertex, g->vertex_count, g->influence_count,
                                            scene->influence_joints + g->first_influence,
                                            scene->influence_weights + g->first_influence};
    }
out:
    mrwi_fp_leave(fp);
    if (status != MRW_OK) {
        mrw_model_free(model);
        return status;
    }
    *out = model;
    return MRW_OK;
}

void mrw_model_free(mrw_model *model)
{
    if (!model)
        return;
    for (uint32_t i = 0; model->textures && i < model->scene->images_count; i++)
        mrw_raster_texture_free(model->textures[i]);
    mrwi_free(model->textures);
    mrwi_free(model->materials);
    mrwi_free(model->groups);
    mrwi_free(model);
}

mrw_instance mrw_instance_default(const mrw_model *model)
{
    return (mrw_instance){.model = model,
                          .pose = MRW_POSE_CLIP,
                          .clip = model->scene->clips_count > 0 ? 0 : MRW_NONE,
                          .model_to_world = mrwi_mat4_identity()};
}
