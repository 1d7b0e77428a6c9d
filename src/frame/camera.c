/* camera.c: where frames are seen from: a camera as it is, one that follows a node, or one of the
 * scene.
 */
#include "frame/frame.h"

#include "base/math.h"
#include "base/parallel.h"

#include <assert.h>
#include <string.h>

void mrwi_frame_follow_offset(const mrw_follow *follow, const mrw_mat4 *node_to_world, float out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = follow && follow->node != MRW_NONE
                     ? node_to_world[follow->node].m[12 + i] - follow->origin[i]
                     : 0.0f;
    }
}

/* Moves a camera: world_to_view * translate(-by). */
static void move_camera(mrw_camera *camera, const float by[3])
{
    float *view = camera->world_to_view.m;
    for (int i = 0; i < 3; i++) {
        view[12 + i] -= (view[i] * by[0] + view[4 + i] * by[1]) + view[8 + i] * by[2];
        camera->eye[i] += by[i];
    }
}

mrw_frame_def mrwi_frame_seen_from(const mrw_frame_def *def, uint32_t time, uint32_t view)
{
    mrw_frame_def out = *def;
    if (def->labels) {
        out.label = def->labels[time];
    }
    if (def->views) {
        out.camera = def->views[view].camera;
        out.scene_camera = def->views[view].scene_camera;
    }
    if (def->cameras) {
        out.camera = def->cameras[(size_t)time * def->view_count + view];
    }
    return out;
}

mrw_status mrwi_frame_camera(const mrw_frame_def *def, const mrw_scene *scene,
                             const mrw_mat4 *node_to_world, mrw_camera *out, mrw_error *error)
{
    const mrw_scene_camera *camera;
    mrw_lens lens;
    if (def->scene_camera == MRW_NONE) {
        float offset[3];
        *out = def->camera;
        mrwi_frame_follow_offset(&def->follow, node_to_world, offset);
        if (def->follow.node != MRW_NONE) {
            move_camera(out, offset);
        }
        return MRW_OK;
    }
    camera = &scene->cameras[def->scene_camera];
    lens = (mrw_lens){.yfov = camera->orthographic ? 0.0f : camera->yfov,
                      .xmag = camera->xmag,
                      .ymag = camera->ymag,
                      .aspect = camera->aspect,
                      .near_plane = camera->near_plane,
                      .far_plane = camera->far_plane};
    return mrw_view_from_lens(&node_to_world[camera->node], &lens,
                              (float)def->width / (float)def->height, out, error);
}

mrw_status mrw_frame_camera(const mrw_frame_def *def, const mrw_instance *first,
                            const mrw_posed_instance *posed, mrw_camera *out, mrw_error *error)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status =
        mrwi_frame_camera(def, first->model->scene, posed->node_to_world, out, error);
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_follow_node(mrw_renderer *renderer, const mrw_instance *first, uint32_t node,
                           mrw_follow *out, mrw_error *error)
{
    mrw_instance start = *first;
    mrwi_frame_poses poses;
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status;
    assert(node < first->model->scene->nodes_count && !first->attached);
    start.time = 0.0;
    status = mrwi_frame_poses_begin(renderer, &start, 1, MRW_ISA_AUTO, &poses, error);
    if (status == MRW_OK) {
        status = mrwi_frame_pose_nodes(renderer, &poses, 0, error);
    }
    if (status == MRW_OK) {
        out->node = node;
        memcpy(out->origin, poses.items[0].placed[node].m + 12, sizeof out->origin);
    }
    mrwi_base_fp_leave(fp);
    return status;
}
