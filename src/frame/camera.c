/* camera.c: cameras of frames: as given, following a node, or one of the scene. */
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
    if (def->scene_camera == MRW_NONE) {
        float offset[3];
        *out = def->camera;
        mrwi_frame_follow_offset(&def->follow, node_to_world, offset);
        if (def->follow.node != MRW_NONE) {
            move_camera(out, offset);
        }
        return MRW_OK;
    }
    const mrw_scene_camera *camera = &scene->cameras[def->scene_camera];
    const mrw_lens lens = {.yfov = camera->orthographic ? 0.0f : camera->yfov,
                           .xmag = camera->xmag,
                           .ymag = camera->ymag,
                           .aspect = camera->aspect,
                           .near_plane = camera->near_plane,
                           .far_plane = camera->far_plane};
    return mrw_view_from_lens(&node_to_world[camera->node], &lens,
                              (float)def->width / (float)def->height, out, error);
}

mrw_status mrwi_frame_picture_begin(const mrw_frame_def *def, const mrwi_frame_posed *posed,
                                    int threads, mrwi_frame_picture *out, mrw_error *error)
{
    const mrwi_frame_pose *first = &posed->poses.items[0];
    *out = (mrwi_frame_picture){.def = def, .posed = posed, .threads = threads};
    return mrwi_frame_camera(def, first->scene, first->placed, &out->camera, error);
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
    assert(node < first->model->scene->nodes_count && !first->attached);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    start.time = 0.0;
    mrw_status status = mrwi_frame_poses_begin(renderer, &start, 1, MRW_ISA_AUTO, &poses, error);
    if (status) {
        goto out;
    }
    status = mrwi_frame_pose_nodes(&renderer->scratch, &poses, 0, error);
    if (status) {
        goto out;
    }
    out->node = node;
    memcpy(out->origin, poses.items[0].placed[node].m + 12, sizeof out->origin);
out:
    mrwi_base_fp_leave(fp);
    return status;
}

/* ---- the camera of computer vision ----------------------------------------------------------- */

/* Clip space from -w to w is 0 to the width in pixels, and 0 to the height downwards. The camera's
 * space is view space with y and z reversed. */
mrw_intrinsics mrwi_frame_intrinsics_of(const mrw_camera *camera, uint32_t width, uint32_t height)
{
    const float *p = camera->view_to_clip.m, *v = camera->world_to_view.m;
    const double half_width = 0.5 * width, half_height = 0.5 * height;
    const int at = camera->orthographic ? 12 : 8;
    const double side = camera->orthographic ? -1.0 : 1.0;
    mrw_intrinsics out = {.near_plane = (double)camera->near_plane,
                          .far_plane = (double)camera->far_plane,
                          .orthographic = camera->orthographic};
    out.k[0] = (double)p[0] * half_width;
    out.k[2] = (1.0 - side * (double)p[at]) * half_width;
    out.k[4] = (double)p[5] * half_height;
    out.k[5] = (1.0 + side * (double)p[at + 1]) * half_height;
    out.k[8] = 1.0;
    for (int row = 0; row < 4; row++) {
        const double sign = row == 1 || row == 2 ? -1.0 : 1.0;
        for (int column = 0; column < 4; column++) {
            out.world_to_camera[4 * row + column] = sign * (double)v[4 * column + row];
        }
    }
    return out;
}

void mrwi_frame_to_camera(const mrw_intrinsics *camera, const float *position, double out[3])
{
    const double *m = camera->world_to_camera;
    const double x = (double)position[0], y = (double)position[1], z = (double)position[2];
    for (int i = 0; i < 3; i++) {
        out[i] = ((m[4 * i] * x + m[4 * i + 1] * y) + m[4 * i + 2] * z) + m[4 * i + 3];
    }
}
