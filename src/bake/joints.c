/* joints.c: joints as ground truth: matrices, pixels, depths and occlusion. */
#include "bake/rays.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "frame/frame.h"

#include <assert.h>
#include <math.h>

mrw_bake_joints_job mrw_bake_joints_job_default(void)
{
    return (mrw_bake_joints_job){.tolerance = 0.05};
}

/* ---- points in a picture --------------------------------------------------------------------- */

/* Multiplies a column-major matrix with (p, 1). */
static void transform(const mrw_mat4 *m, const double p[3], double out[4])
{
    for (int r = 0; r < 4; r++) {
        out[r] = ((double)m->m[r] * p[0] + (double)m->m[4 + r] * p[1]) +
                 ((double)m->m[8 + r] * p[2] + (double)m->m[12 + r]);
    }
}

/* Fills in everything that does not depend on surfaces. */
static void look_at(const mrw_camera *camera, const mrw_frame_def *frame, mrw_bake_joint *joint)
{
    const float *place = joint->joint_to_world.m + 12;
    const double point[3] = {(double)place[0], (double)place[1], (double)place[2]};
    const double width = frame->width, height = frame->height;
    double view[4], clip[4];
    transform(&camera->world_to_view, point, view);
    transform(&camera->view_to_clip, view, clip);
    joint->depth = -view[2];
    joint->in_front = clip[3] > 1e-9;
    if (joint->in_front) {
        joint->x = (clip[0] / clip[3] + 1.0) * 0.5 * width;
        joint->y = (1.0 - clip[1] / clip[3]) * 0.5 * height;
        joint->depth01 = clip[2] / clip[3];
        joint->inside = joint->x >= 0.0 && joint->x < width && joint->y >= 0.0 && joint->y < height;
    }
}

/* ---- own flesh ------------------------------------------------------------------------------- */

static const mrw_scene *scene_of(const mrw_bake_joints_job *job)
{
    return job->instances[job->instance].model->scene;
}

/* Returns true for the same node, and for parent and child. */
static bool are_related(const mrw_scene *scene, uint32_t a, uint32_t b)
{
    return a == b || scene->nodes[a].parent == b || scene->nodes[b].parent == a;
}

static bool vertex_follows(const mrw_scene *scene, const mrw_draw *draw, uint32_t vertex,
                           uint32_t node)
{
    const mrw_mesh *mesh = &scene->meshes[draw->mesh];
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const mrw_influence_group *group = &scene->groups[mesh->first_group + g];
        if (vertex - group->first_vertex >= group->vertex_count) {
            continue; /* unsigned: also true before the group */
        }
        size_t first = group->first_influence +
                       (size_t)(vertex - group->first_vertex) * group->influence_count;
        for (uint32_t i = 0; i < group->influence_count && draw->skin != MRW_NONE; i++) {
            uint32_t joint = scene->influence_joints[first + i];
            if (are_related(scene, node,
                            scene->joints[scene->skins[draw->skin].first_joint + joint])) {
                return true;
            }
        }
        return group->influence_count == 0 && are_related(scene, node, draw->node);
    }
    return false;
}

/* Returns true when a corner of the surface follows the joint, its parent or one of its children.
 */
static bool is_own_flesh(const mrw_bake_joints_job *job, const mrwi_bake_surface *surface,
                         uint32_t node)
{
    const mrw_scene *scene = scene_of(job);
    for (int i = 0; i < 3 && surface->instance == job->instance; i++) {
        if (vertex_follows(scene, &scene->draws[surface->draw], surface->corners[i], node)) {
            return true;
        }
    }
    return false;
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* Returns the tolerance in world units: the job's share of the diagonal of the instance's box. */
static double tolerance_of(const mrw_bake_joints_job *job)
{
    const mrw_scene *scene = scene_of(job);
    mrw_bake_measure box = {0};
    double sum = 0.0;
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const mrw_bake_measure part =
            mrw_bake_measure_draw(scene, &job->posed[job->instance].draws[d]);
        mrw_bake_measure_add(&box, &part);
    }
    for (int i = 0; i < 3 && box.any; i++) {
        const double side = (double)box.aabb_max[i] - (double)box.aabb_min[i];
        sum += side * side;
    }
    return job->tolerance * sqrt(sum);
}

/* Looks at all joints, or at all nodes of a scene without joints. */
static mrw_status see_joints(const mrw_bake_joints_job *job, mrw_bake_joints *out, mrw_error *error)
{
    const mrw_scene *scene = scene_of(job);
    uint32_t *joint_of = mrwi_base_alloc(scene->nodes_count, sizeof *joint_of);
    out->items = mrwi_base_alloc_zero(scene->nodes_count, sizeof *out->items);
    if (!joint_of || !out->items) {
        mrwi_base_free(joint_of);
        return mrwi_base_fail_memory(error, scene->nodes_count * sizeof *out->items);
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        joint_of[n] = MRW_NONE;
    }
    for (uint32_t j = scene->joints_count; j-- > 0;) { /* the first skin wins */
        joint_of[scene->joints[j]] = j;
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        if (joint_of[n] != MRW_NONE || scene->joints_count == 0) {
            mrw_bake_joint *joint = &out->items[out->count++];
            joint->node = n;
            joint->joint = joint_of[n];
            joint->joint_to_world = job->posed[job->instance].node_to_world[n];
            joint->surface_depth = (double)INFINITY;
            look_at(&out->camera, job->frame, joint);
        }
    }
    mrwi_base_free(joint_of);
    return MRW_OK;
}

/* Builds the palettes of all skins, as skinning uses them. */
static mrw_status build_palettes(const mrw_bake_joints_job *job, mrw_bake_joints *out,
                                 mrw_error *error)
{
    const mrw_instance *instance = &job->instances[job->instance];
    const mrw_scene *scene = instance->model->scene;
    mrw_mat4 model_to_world = instance->model_to_world;
    if (instance->attached) {
        mrwi_base_mat4_mul(&job->posed[instance->parent].node_to_world[instance->parent_node],
                           &instance->model_to_world, &model_to_world);
    }
    out->geometry_to_world = mrwi_base_alloc(scene->joints_count, sizeof *out->geometry_to_world);
    if (!out->geometry_to_world) {
        return mrwi_base_fail_memory(error, scene->joints_count * sizeof *out->geometry_to_world);
    }
    for (uint32_t s = 0; s < scene->skins_count; s++) {
        mrw_build_palette(&(mrw_palette_job){
            .scene = scene,
            .skin = s,
            .bind = instance->pose == MRW_POSE_BIND,
            .model_to_world = &model_to_world,
            .node_to_world = job->posed[job->instance].node_to_world,
            .geometry_to_world = out->geometry_to_world + scene->skins[s].first_joint,
            .isa = job->frame->isa});
    }
    return MRW_OK;
}

/* Finds the surfaces between the camera and the joints in front of it. */
static mrw_status find_surfaces(const mrw_bake_joints_job *job, mrw_bake_joints *joints,
                                mrw_error *error)
{
    mrwi_bake_target *targets = mrwi_base_alloc(joints->count, sizeof *targets);
    mrwi_bake_surface *surfaces = mrwi_base_alloc(joints->count, sizeof *surfaces);
    mrw_status status = MRW_OK;
    uint32_t count = 0;
    if (!targets || !surfaces) {
        status = mrwi_base_fail_memory(error, joints->count * sizeof *surfaces);
        goto out;
    }
    for (uint32_t i = 0; i < joints->count; i++) {
        const mrw_bake_joint *joint = &joints->items[i];
        const float *place = joint->joint_to_world.m + 12;
        if (joint->in_front) {
            targets[count++] = (mrwi_bake_target){
                {(double)place[0], (double)place[1], (double)place[2]}, joint->depth};
        }
    }
    status = mrwi_bake_find_surfaces(job, &joints->camera, targets, count, surfaces, error);
    if (status) {
        goto out;
    }
    count = 0;
    for (uint32_t i = 0; i < joints->count; i++) {
        mrw_bake_joint *joint = &joints->items[i];
        if (joint->in_front) {
            const mrwi_bake_surface *surface = &surfaces[count++];
            joint->surface_depth = surface->depth;
            joint->hidden = surface->depth < joint->depth - joints->tolerance;
            joint->occluded = joint->hidden && !is_own_flesh(job, surface, joint->node);
        }
    }
out:
    mrwi_base_free(targets);
    mrwi_base_free(surfaces);
    return status;
}

mrw_status mrw_bake_joints_find(const mrw_bake_joints_job *job, mrw_bake_joints *out,
                                mrw_error *error)
{
    mrw_bake_joints joints = {.items = NULL};
    assert(job->instance < job->instance_count && job->tolerance >= 0.0);
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status =
        mrw_frame_camera(job->frame, &job->instances[0], &job->posed[0], &joints.camera, error);
    if (status) {
        goto out;
    }
    joints.tolerance = tolerance_of(job);
    status = see_joints(job, &joints, error);
    if (status) {
        goto out;
    }
    status = build_palettes(job, &joints, error);
    if (status) {
        goto out;
    }
    status = find_surfaces(job, &joints, error);
    if (status) {
        goto out;
    }
    *out = joints;
out:
    mrwi_base_fp_leave(fp);
    if (status) {
        mrw_bake_joints_free(&joints);
    }
    return status;
}

mrw_status mrw_bake_node_find(const mrw_bake_joints_job *job, uint32_t node, mrw_bake_joint *out,
                              mrw_error *error)
{
    mrw_camera camera;
    assert(job->instance < job->instance_count && node < scene_of(job)->nodes_count);
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status =
        mrw_frame_camera(job->frame, &job->instances[0], &job->posed[0], &camera, error);
    if (status) {
        goto out;
    }
    *out = (mrw_bake_joint){.node = node,
                            .joint = MRW_NONE,
                            .joint_to_world = job->posed[job->instance].node_to_world[node],
                            .surface_depth = (double)INFINITY};
    look_at(&camera, job->frame, out);
out:
    mrwi_base_fp_leave(fp);
    return status;
}

void mrw_bake_joints_free(mrw_bake_joints *joints)
{
    mrwi_base_free(joints->items);
    mrwi_base_free(joints->geometry_to_world);
    *joints = (mrw_bake_joints){0};
}
