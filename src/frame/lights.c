/* lights.c: the light of a picture: rigs, and the lights of scenes and frames in the world. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

_Static_assert((int)MRW_LIGHT_DIRECTIONAL == (int)MRW_SCENE_LIGHT_DIRECTIONAL &&
                   (int)MRW_LIGHT_POINT == (int)MRW_SCENE_LIGHT_POINT &&
                   (int)MRW_LIGHT_SPOT == (int)MRW_SCENE_LIGHT_SPOT,
               "scene light types and light types must have the same values");

static mrw_light place_light(const mrw_scene_light *in, const mrw_mat4 *node_to_world)
{
    mrw_light_def def = mrw_light_def_default((mrw_light_type)in->type);
    mrw_light out;
    memcpy(def.color, in->color, sizeof def.color);
    def.intensity = in->intensity;
    def.range = in->range;
    def.inner_cone = in->inner_cone;
    def.outer_cone = in->outer_cone;
    mrw_light_place(&def, node_to_world, &out);
    return out;
}

static size_t count_file_lights(const mrwi_frame_poses *poses)
{
    size_t total = 0;
    for (uint32_t i = 0; i < poses->count; i++) {
        total += poses->instances[i].model->scene->lights_count;
    }
    return total;
}

/* Places the lights of all scenes, whose nodes are posed, without those that the file hides.
 * Returns their number. */
static uint32_t place_file_lights(const mrwi_frame_poses *poses, mrw_light *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < poses->count; i++) {
        const mrwi_frame_pose *pose = &poses->items[i];
        for (uint32_t l = 0; l < pose->scene->lights_count; l++) {
            const mrw_scene_light *light = &pose->scene->lights[l];
            if (!pose->hidden_by_file || !pose->hidden_by_file[light->node]) {
                out[count++] = place_light(light, &pose->placed[light->node]);
            }
        }
    }
    return count;
}

static mrw_status make_lights(mrwi_base_arena *arena, size_t count, mrw_light **out,
                              mrw_error *error)
{
    *out = mrwi_base_arena_alloc(arena, count, sizeof **out);
    return *out && count <= UINT32_MAX ? MRW_OK
                                       : mrwi_base_fail_memory(error, count * sizeof **out);
}

/* ---- the light of a picture ------------------------------------------------------------------ */

/* Sources that shine besides the lights that a frame names. */
typedef struct sources {
    bool rig;
    bool files;
    bool dim;
} sources;

/* Applies the table at mrw_frame_def in marrow/frame.h. Only this function decides it. */
static sources choose_sources(const mrw_frame_def *def, size_t file_lights)
{
    const bool automatic = def->rig == MRW_RIG_AUTO;
    const bool as_filed = mrw_shading_info_of(def->shading)->environment;
    const bool files = def->file_lights && file_lights > 0 && (as_filed || !automatic);
    return (sources){.rig = def->rig == MRW_RIG_ON || (automatic && !files),
                     .files = files,
                     .dim = automatic && files};
}

/* Inverts the rigid matrix of a camera. */
static mrw_mat4 camera_to_world(const mrw_camera *camera)
{
    const float *m = camera->world_to_view.m;
    mrw_mat4 out = mrwi_base_mat4_identity();
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out.m[4 * k + i] = m[4 * i + k];
        }
        out.m[12 + i] = -((m[4 * i] * m[12] + m[4 * i + 1] * m[13]) + m[4 * i + 2] * m[14]);
    }
    return out;
}

static void place_lights(const mrw_frame_def *def, const mrwi_frame_pose *first,
                         const mrw_camera *camera, mrw_light *out)
{
    const mrw_mat4 world = mrwi_base_mat4_identity(), view = camera_to_world(camera);
    const bool classic = mrw_shading_info_of(def->shading)->classic_lights;
    for (uint32_t i = 0; i < def->light_count; i++) {
        const mrw_light_def *light = &def->lights[i];
        const mrw_mat4 *to_world = &world;
        if (light->space == MRW_LIGHT_SPACE_CAMERA) {
            to_world = &view;
        } else if (light->space == MRW_LIGHT_SPACE_NODE) {
            assert(light->node < first->scene->nodes_count);
            to_world = &first->placed[light->node];
        }
        (classic ? mrw_light_place_classic : mrw_light_place)(light, to_world, &out[i]);
    }
}

static float environment_share(const mrw_frame_def *def, const mrw_environment *chosen,
                               const sources *shine)
{
    const bool beside_rig = chosen == def->studio && shine->rig;
    return def->environment && !beside_rig ? 1.0f
                                           : mrw_light_studio_share(def->rig_kind, beside_rig);
}

static bool compensates(const mrw_frame_def *def, const mrw_environment *chosen)
{
    return def->compensation == MRW_COMPENSATION_AUTO ? chosen == def->studio
                                                      : def->compensation == MRW_COMPENSATION_ON;
}

/* Places the environment of a picture, which replaces a rig's hemisphere. Only this function
 * decides it. */
static void place_environment(const mrw_frame_def *def, const sources *shine,
                              const mrw_camera *camera, mrw_lighting *out)
{
    const bool given = def->environment, turns = def->light_frame == MRW_LIGHT_FRAME_CAMERA;
    const mrw_environment *chosen = given ? def->environment : def->studio;
    if (!chosen || !mrw_shading_info_of(def->shading)->environment ||
        !(given || shine->rig || shine->dim)) {
        return;
    }
    memset(out->sky, 0, sizeof out->sky);
    memset(out->ground, 0, sizeof out->ground);
    const float share = environment_share(def, chosen, shine);
    mrw_environment_place(chosen, def->environment_degrees, def->environment_intensity * share,
                          turns && chosen == def->studio ? camera : NULL, out);
    out->environment_compensation = compensates(def, chosen);
}

mrw_status mrwi_frame_lighting(mrwi_base_arena *arena, const mrwi_frame_picture *picture,
                               mrw_lighting *out, mrw_error *error)
{
    const mrw_frame_def *def = picture->def;
    const mrw_camera *camera = &picture->camera;
    const mrwi_frame_poses *poses = &picture->posed->poses;
    const size_t in_files = count_file_lights(poses);
    const sources shine = choose_sources(def, in_files);
    const mrw_camera front = {.world_to_view = mrwi_base_mat4_identity()};
    mrw_light *lights;
    if (def->lighting) {
        *out = *def->lighting;
        return MRW_OK;
    }
    mrw_status status =
        make_lights(arena, MRW_RIG_LIGHTS + in_files + def->light_count, &lights, error);
    if (status) {
        return status;
    }
    *out = (mrw_lighting){.up = {0.0f, 1.0f, 0.0f}};
    const mrw_camera *stand = def->light_frame == MRW_LIGHT_FRAME_WORLD ? &front : camera;
    if (shine.rig && mrw_shading_info_of(def->shading)->environment) {
        mrw_light_rig_studio(def->rig_kind, stand, lights, out);
    } else if (shine.rig) {
        mrw_light_rig_single(stand, lights, out);
    } else if (shine.dim) {
        mrw_light_rig_dim(out);
    }
    place_environment(def, &shine, camera, out);
    out->wide_highlights = def->rig_kind == MRW_RIG_THREE_POINT;
    out->lights = lights;
    if (shine.files) {
        out->light_count += place_file_lights(poses, lights + out->light_count);
    }
    place_lights(def, &poses->items[0], camera, lights + out->light_count);
    out->light_count += def->light_count;
    for (int i = 0; i < 3; i++) {
        out->sky[i] += def->ambient[i];
        out->ground[i] += def->ambient[i];
    }
    return MRW_OK;
}

/* ---- lights of files ------------------------------------------------------------------------- */

mrw_status mrw_frame_lights(mrw_renderer *renderer, const mrw_instance *instances,
                            uint32_t instance_count, mrw_isa isa, const mrw_light **out,
                            uint32_t *count, mrw_error *error)
{
    mrwi_frame_scratch *scratch = &renderer->scratch;
    mrw_light *lights;
    mrwi_frame_poses poses;
    assert(renderer && instances && instance_count > 0 && out && count);
    mrw_status status = mrwi_base_isa_check(isa, error);
    if (status) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = mrwi_frame_poses_begin(renderer, instances, instance_count, isa, &poses, error);
    if (status) {
        goto out;
    }
    *count = 0;
    status = make_lights(&scratch->arena, count_file_lights(&poses), &lights, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < instance_count; i++) {
        status = mrwi_frame_pose_nodes(scratch, &poses, i, error);
        if (status) {
            goto out;
        }
    }
    *count = place_file_lights(&poses, lights);
    *out = lights;
out:
    mrwi_base_fp_leave(fp);
    return status;
}
