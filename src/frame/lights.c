/* lights.c: the lights of scenes, in the world. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"

#include <assert.h>
#include <float.h>
#include <string.h>

_Static_assert((int)MRW_LIGHT_DIRECTIONAL == (int)MRW_SCENE_LIGHT_DIRECTIONAL &&
                   (int)MRW_LIGHT_POINT == (int)MRW_SCENE_LIGHT_POINT &&
                   (int)MRW_LIGHT_SPOT == (int)MRW_SCENE_LIGHT_SPOT,
               "the types of a scene's lights are those of lights");

static mrw_light place_light(const mrw_scene_light *in, const mrw_mat4 *node_to_world)
{
    mrw_light out = {.type = (mrw_light_type)in->type,
                     .specular = 1.0f,
                     .range = in->range,
                     .inner_cone = in->inner_cone,
                     .outer_cone = in->outer_cone};
    for (int i = 0; i < 3; i++) {
        const double color = (double)in->color[i] * (double)in->intensity / MRWI_BASE_PI;
        out.color[i] = color < (double)FLT_MAX ? (float)color : FLT_MAX;
    }
    if (in->type != MRW_SCENE_LIGHT_DIRECTIONAL) {
        memcpy(out.position, node_to_world->m + 12, sizeof out.position);
    }
    if (in->type != MRW_SCENE_LIGHT_POINT) {
        memcpy(out.to_light, node_to_world->m + 8, sizeof out.to_light);
        if (!mrwi_base_normalize3(out.to_light)) {
            memset(out.to_light, 0, sizeof out.to_light);
        }
    }
    return out;
}

/* Poses the nodes of all instances and places the lights; *out lies in the renderer's arena. */
static mrw_status gather_lights(mrw_renderer *renderer, mrwi_frame_poses *poses, mrw_light **out,
                                uint32_t *count, mrw_error *error)
{
    size_t total = 0;
    *count = 0;
    for (uint32_t i = 0; i < poses->count; i++) {
        total += poses->instances[i].model->scene->lights_count;
    }
    *out = mrwi_base_arena_alloc(&renderer->arena, total, sizeof **out);
    if (!*out || total > UINT32_MAX) {
        return mrwi_base_fail_memory(error, total * sizeof **out);
    }
    for (uint32_t i = 0; i < poses->count; i++) {
        const mrw_status status = mrwi_frame_pose_nodes(renderer, poses, i, error);
        if (status != MRW_OK) {
            return status;
        }
        const mrwi_frame_pose *pose = &poses->items[i];
        for (uint32_t l = 0; l < pose->scene->lights_count; l++) {
            const mrw_scene_light *light = &pose->scene->lights[l];
            (*out)[(*count)++] = place_light(light, &pose->placed[light->node]);
        }
    }
    return MRW_OK;
}

mrw_status mrw_frame_lights(mrw_renderer *renderer, const mrw_instance *instances,
                            uint32_t instance_count, mrw_isa isa, const mrw_light **out,
                            uint32_t *count, mrw_error *error)
{
    mrw_light *lights;
    mrwi_frame_poses poses;
    assert(renderer && instances && instance_count > 0 && out && count);
    mrw_status status = mrwi_base_isa_check(isa, error);
    if (status != MRW_OK) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = mrwi_frame_poses_begin(renderer, instances, instance_count, isa, &poses, error);
    if (status == MRW_OK) {
        status = gather_lights(renderer, &poses, &lights, count, error);
    }
    mrwi_base_fp_leave(fp);
    if (status == MRW_OK) {
        *out = lights;
    }
    return status;
}
