/* fit.c: framing: extents of everything that clips reach, measured on many threads. */
#include "frame/frame.h"

#include "frame/hulls.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/f4.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "base/work.h"

#include <assert.h>
#include <stdatomic.h>

#define FIT_RATE      30
#define FIT_MAX_TIMES 600

/* Poses from which on hulls pay: to build them takes about as long as two poses. */
#define FIT_MANY_POSES 4

/* Returns the number of times at which a clip is measured: every 1/30 s and its end, or
 * FIT_MAX_TIMES evenly spaced ones. */
static uint32_t fit_time_count(double duration)
{
    double whole = floor(duration * FIT_RATE);
    return whole + 2 > FIT_MAX_TIMES ? FIT_MAX_TIMES : (uint32_t)whole + 2;
}

static double fit_time(double duration, uint32_t index)
{
    uint32_t count = fit_time_count(duration);
    if (index + 1 == count) {
        return duration;
    }
    if (count == FIT_MAX_TIMES) {
        return (double)index * duration / (FIT_MAX_TIMES - 1);
    }
    return mrw_frame_time(index, (mrw_rate){FIT_RATE, 1});
}

/* Returns the longest duration of the instances that play; negative when nothing plays. */
static double longest_duration(const mrw_instance *instances, uint32_t count)
{
    double longest = -1.0;
    for (uint32_t i = 0; i < count; i++) {
        const double duration = mrw_instance_duration(&instances[i]);
        if (mrwi_frame_plays(&instances[i]) && !instances[i].still && duration > longest) {
            longest = duration;
        }
    }
    return longest;
}

uint32_t mrwi_frame_fit_times(const mrw_instance *instances, uint32_t count, double *out)
{
    const double duration = longest_duration(instances, count);
    const uint32_t times = duration < 0.0 ? 0 : fit_time_count(duration);
    for (uint32_t i = 0; out && i < times; i++) {
        out[i] = fit_time(duration, i);
    }
    return times;
}

/* One set of poses to measure. */
typedef struct pose_time {
    uint32_t only; /* index of the only instance to measure; MRW_NONE: all */
    uint32_t clip; /* clip that it plays in place of its own, or MRW_NONE */
    double time;   /* time of all instances that play; negative: their own times */
} pose_time;

typedef struct gathering {
    mrwi_frame_workers workers;
    const mrw_instance *instances;
    uint32_t instance_count;
    const mrw_follow *follow;
    bool attaches; /* an instance is attached to another one */
    mrw_fit fit;
    pose_time *pose_times;
    mrw_isa isa;
    const mrw_view_def *views;
    uint32_t view_count;
    mrw_extents *extents; /* view_count per worker */
    mrwi_frame_hull_set hulls;
} gathering;

/* Copies the instances, set to a pose time. */
static void set_pose_time(const gathering *g, const pose_time *at, mrw_instance *posed)
{
    for (uint32_t i = 0; i < g->instance_count; i++) {
        posed[i] = g->instances[i];
        if (g->fit == MRW_FIT_REST && posed[i].pose == MRW_POSE_CLIP) {
            posed[i].pose = MRW_POSE_REST;
        }
        if (i == at->only && at->clip != MRW_NONE) {
            posed[i].clip = at->clip;
            posed[i].mix = NULL;
        }
        if (mrwi_frame_plays(&posed[i]) && !posed[i].still && at->time >= 0.0) {
            posed[i].time = at->time; /* a time of the clip, whatever its speed and offset */
            posed[i].speed = 1.0;
            posed[i].offset = 0.0;
            posed[i].loop = false;
        }
    }
}

/* Returns true when an instance is measured at a pose time; still ones are only at the first. */
static bool is_measured(const gathering *g, int64_t index, uint32_t instance)
{
    const mrw_instance *it = &g->instances[instance];
    if (g->pose_times[index].only != MRW_NONE) {
        return g->pose_times[index].only == instance;
    }
    return index == 0 || mrwi_frame_plays(it) || it->attached || g->follow;
}

/* Target of the vertices of a posed instance. */
typedef struct measuring {
    mrw_extents *extents;
    uint32_t count;                /* number of extents */
    const mrwi_frame_hulls *hulls; /* NULL: none */
    const float *offset;           /* subtracted from all positions; NULL: nothing */
} measuring;

static void add_positions(const measuring *m, float *positions, uint32_t count)
{
    for (uint32_t v = 0; m->offset && v < count; v++) {
        for (int i = 0; i < 3; i++) {
            positions[4 * (size_t)v + (size_t)i] -= m->offset[i];
        }
    }
    mrwi_view_extents_add(m->extents, m->count, positions, count);
}

/* Returns true when the vertices of a hull are proven to change nothing. */
static bool is_inside(const measuring *m, const mrwi_frame_hull *hull, const mrw_skin_job *job,
                      uint32_t known_axes)
{
    mrwi_view_box box;
    if (!mrwi_frame_hull_place(m->hulls, hull, job, &box)) {
        return false;
    }
    for (int i = 0; m->offset && i < 3; i++) {
        box.min[i] -= m->offset[i];
        box.max[i] -= m->offset[i];
    }
    return mrwi_view_extents_hold(m->extents, m->count, &box, known_axes);
}

/* Keeps the lanes in which all columns of two matrices have the same bits. */
static mrwi_base_i4 same_rows(mrwi_base_i4 rows, const mrw_mat4 *a, const mrw_mat4 *b)
{
    for (int k = 0; k < 16; k += 4) {
        rows &= mrwi_base_i4_load(a->m + k) == mrwi_base_i4_load(b->m + k);
    }
    return rows;
}

/* Returns bits of the axes along which the vertices of a draw have the same coordinates in two
 * poses with one local pose: the matrices have the same rows. Copies that stand on one ground reach
 * the same heights. other NULL: returns 0. */
static uint32_t same_axes(const mrwi_frame_pose *pose, const mrwi_frame_pose *other, uint32_t index)
{
    const mrw_draw *draw = &pose->scene->draws[index];
    mrwi_base_i4 rows = mrwi_base_i4_set(-1);
    if (!other) {
        return 0;
    }
    rows = same_rows(rows, &pose->model_to_world, &other->model_to_world);
    rows = same_rows(rows, &pose->node_to_world[draw->node], &other->node_to_world[draw->node]);
    if (draw->skin != MRW_NONE) {
        const mrw_mat4 *a = pose->palettes.matrices[draw->skin];
        const mrw_mat4 *b = other->palettes.matrices[draw->skin];
        for (uint32_t j = 0; j < pose->scene->skins[draw->skin].joint_count; j++) {
            rows = same_rows(rows, &a[j], &b[j]);
        }
    }
    return (rows[0] ? 1u : 0u) | (rows[1] ? 2u : 0u) | (rows[2] ? 4u : 0u);
}

/* Skins and adds the vertices of a block of a group. */
static void add_block(const measuring *m, const mrw_skin_job *job, const mrw_skin_group *group,
                      uint32_t first, uint32_t count)
{
    _Alignas(64) float positions[4 * MRWI_FRAME_HULL_BLOCK];
    const size_t influence = (size_t)first * group->influence_count;
    const mrw_skin_group block = {.vertex_count = count,
                                  .influence_count = group->influence_count,
                                  .joints = group->joints + influence,
                                  .weights = group->weights + influence};
    mrw_skin_job part = *job;
    part.groups = &block;
    part.group_count = 1;
    part.positions = job->positions + 3 * (size_t)(group->first_vertex + first);
    part.out_positions = positions;
    mrw_skin_vertices(&part);
    add_positions(m, positions, count);
}

/* Adds the vertices of a draw block by block; those inside are only counted. */
static void add_draw(const measuring *m, const mrw_skin_job *job, const mrwi_frame_pose *pose,
                     uint32_t index)
{
    const mrw_scene *scene = pose->scene;
    const uint32_t number = scene->draws[index].mesh;
    const mrw_mesh *mesh = &scene->meshes[number];
    const mrwi_frame_mesh_hulls *hulls =
        m->hulls && !job->motions && mesh->target_count == 0 ? &m->hulls->meshes[number] : NULL;
    const uint32_t known = hulls ? same_axes(pose, pose->local->measured, index) : 0;
    uint32_t inside = 0, at = hulls ? hulls->first_block : 0;
    if (hulls && is_inside(m, &hulls->whole, job, known)) {
        inside = mesh->vertex_count;
    }
    for (uint32_t g = 0; g < job->group_count && inside < mesh->vertex_count; g++) {
        const mrw_skin_group *group = &job->groups[g];
        for (uint32_t first = 0, count; first < group->vertex_count; first += count, at++) {
            count = group->vertex_count - first;
            count = count < MRWI_FRAME_HULL_BLOCK ? count : MRWI_FRAME_HULL_BLOCK;
            if (hulls && is_inside(m, &m->hulls->blocks[at], job, known)) {
                inside += count;
            } else {
                add_block(m, job, group, first, count);
            }
        }
    }
    for (uint32_t v = 0; v < m->count; v++) {
        m->extents[v].count += inside;
    }
}

/* Adds the vertices of an instance. */
static mrw_status add_instance(const measuring *m, mrwi_frame_scratch *scratch,
                               const mrwi_frame_pose *pose, mrw_error *error)
{
    if (pose->instance->model->displacement) {
        mrw_posed_draw *draws;
        mrw_status status = mrwi_frame_skin_draws(scratch, pose, false, &draws, error);
        for (uint32_t d = 0; !status && d < pose->scene->draws_count; d++) {
            add_positions(m, (float *)draws[d].positions, draws[d].vertex_count);
        }
        return status;
    }
    for (uint32_t d = 0; d < pose->scene->draws_count; d++) {
        mrw_skin_job job;
        if (mrwi_frame_hides(pose, d)) {
            continue;
        }
        mrw_status status = mrwi_frame_position_job(scratch, pose, d, &job, error);
        if (status) {
            return status;
        }
        add_draw(m, &job, pose, d);
    }
    if (!pose->palettes.motions && !pose->local->measured) {
        pose->local->measured = pose;
    }
    return MRW_OK;
}

static mrw_extents *extents_of(const gathering *g, int worker, uint32_t view)
{
    return &g->extents[(size_t)worker * g->view_count + view];
}

static mrw_status measure(gathering *g, int64_t index, int worker, mrw_error *error)
{
    mrw_renderer *renderer = g->workers.crew->renderers[worker];
    mrw_instance *posed = mrwi_frame_workers_posed(&g->workers, worker);
    mrwi_frame_poses poses;
    float offset[3];
    measuring m = {.extents = extents_of(g, worker, 0), .count = g->view_count};
    set_pose_time(g, &g->pose_times[index], posed);
    mrw_status status =
        mrwi_frame_poses_begin(renderer, posed, g->instance_count, g->isa, &poses, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < g->instance_count; i++) {
        if (!is_measured(g, index, i) && !g->attaches && !(g->follow && i == 0)) {
            continue;
        }
        status = mrwi_frame_pose_nodes(&renderer->scratch, &poses, i, error);
        if (status) {
            return status;
        }
        if (!is_measured(g, index, i) || poses.items[i].first->measured) {
            continue; /* instances that share vertices are measured once */
        }
        poses.items[i].first->measured = true;
        if (g->follow) {
            mrwi_frame_follow_offset(g->follow, poses.items[0].placed, offset);
            m.offset = offset;
        }
        m.hulls = g->hulls.of ? g->hulls.of[i] : NULL;
        status = add_instance(&m, &renderer->scratch, &poses.items[i], error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}

static void gather_pose(void *user, int64_t index, int worker)
{
    gathering *g = user;
    mrw_error error = {0};
    if (!mrwi_frame_workers_go_on(&g->workers, index)) {
        return;
    }
    mrwi_base_budget budget = {0};
    const mrwi_base_work before = mrwi_base_work_enter_budget(&budget);
    const mrw_status status = measure(g, index, worker, &error);
    mrwi_base_work_enter(before);
    if (status) {
        mrwi_frame_workers_fail(&g->workers, index, status, &error);
    }
}

/* Appends the times of a duration and returns their number. out NULL: only counts. */
static uint32_t add_times(uint32_t only, uint32_t clip, double duration, pose_time *out)
{
    uint32_t count = fit_time_count(duration);
    for (uint32_t i = 0; out && i < count; i++) {
        out[i] = (pose_time){only, clip, fit_time(duration, i)};
    }
    return count;
}

/* Appends the times of all clips of an instance, and of its mix; one time when it plays nothing. */
static uint32_t add_all_clips(const mrw_instance *instance, uint32_t only, pose_time *out)
{
    const mrw_scene *scene = instance->model->scene;
    uint32_t count = 0;
    if (instance->pose == MRW_POSE_CLIP) {
        for (uint32_t c = 0; c < scene->clips_count; c++) {
            count += add_times(only, c, scene->clips[c].duration, out ? out + count : NULL);
        }
        if (instance->mix) {
            count += add_times(only, MRW_NONE, mrw_instance_duration(instance),
                               out ? out + count : NULL);
        }
    }
    if (count == 0) {
        if (out) {
            *out = (pose_time){only, MRW_NONE, -1.0};
        }
        count = 1;
    }
    return count;
}

/* Lists the pose times of a fit and returns their number. out NULL: only counts. */
static uint32_t list_pose_times(const gathering *g, pose_time *out)
{
    uint32_t count = 0;
    if (g->fit == MRW_FIT_ALL) {
        for (uint32_t i = 0; i < g->instance_count; i++) {
            count += add_all_clips(&g->instances[i], i, out ? out + count : NULL);
        }
        return count;
    }
    const double longest = longest_duration(g->instances, g->instance_count);
    if (g->fit == MRW_FIT_CLIP && longest >= 0.0) {
        return add_times(MRW_NONE, MRW_NONE, longest, out);
    }
    if (out) {
        *out = (pose_time){MRW_NONE, MRW_NONE, -1.0};
    }
    return 1;
}

static mrw_status gather(gathering *g, float aspect, int threads, mrw_extents *out,
                         mrw_error *error)
{
    const uint32_t count = list_pose_times(g, NULL);
    mrw_status status =
        mrwi_frame_workers_create(&g->workers, NULL, mrwi_frame_workers_count(threads, count),
                                  g->instances, g->instance_count, error);
    if (status) {
        goto out;
    }
    g->pose_times = mrwi_base_alloc(count, sizeof *g->pose_times);
    g->extents = mrwi_base_alloc((size_t)g->workers.size * g->view_count, sizeof *g->extents);
    if (!g->pose_times || !g->extents) {
        status = mrwi_base_fail_memory(error, count * sizeof *g->pose_times);
        goto out;
    }
    list_pose_times(g, g->pose_times);
    for (uint32_t i = 0; i < g->instance_count; i++) {
        g->attaches = g->attaches || g->instances[i].attached;
    }
    if ((uint64_t)count * g->instance_count >= FIT_MANY_POSES) {
        status = mrwi_frame_hull_set_build(g->instances, g->instance_count, &g->hulls, error);
        if (status) {
            goto out;
        }
    }
    for (int i = 0; i < g->workers.size; i++) {
        for (uint32_t v = 0; v < g->view_count; v++) {
            mrw_extents_begin(&g->views[v], aspect, extents_of(g, i, v));
        }
    }
    mrwi_base_parallel_for(g->workers.size, count, gather_pose, g);
    status = mrwi_frame_workers_end(&g->workers, error);
    for (uint32_t v = 0; v < g->view_count; v++) {
        out[v] = *extents_of(g, 0, v);
        for (int i = 1; i < g->workers.size; i++) {
            mrw_extents_merge(&out[v], extents_of(g, i, v));
        }
    }
out:
    mrwi_frame_workers_free(&g->workers);
    mrwi_frame_hull_set_free(&g->hulls);
    mrwi_base_free(g->extents);
    mrwi_base_free(g->pose_times);
    return status;
}

mrw_status mrw_frame_extents_of_views(const mrw_instance *instances, uint32_t instance_count,
                                      const mrw_follow *follow, mrw_fit fit,
                                      const mrw_view_def *views, uint32_t view_count, float aspect,
                                      mrw_isa isa, int threads, mrw_extents *out, mrw_error *error)
{
    gathering g = {.instances = instances,
                   .instance_count = instance_count,
                   .follow = follow && follow->node != MRW_NONE ? follow : NULL,
                   .fit = fit,
                   .isa = isa,
                   .views = views,
                   .view_count = view_count};
    assert(instances && instance_count > 0 && views && view_count > 0 && threads > 0 && out);
    mrw_status status = mrwi_base_isa_check(isa, error);
    if (status) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = gather(&g, aspect, threads, out, error);
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_frame_extents_following(const mrw_instance *instances, uint32_t instance_count,
                                       const mrw_follow *follow, mrw_fit fit,
                                       const mrw_view_def *view, float aspect, mrw_isa isa,
                                       int threads, mrw_extents *out, mrw_error *error)
{
    return mrw_frame_extents_of_views(instances, instance_count, follow, fit, view, 1, aspect, isa,
                                      threads, out, error);
}

mrw_status mrw_frame_extents(const mrw_instance *instances, uint32_t instance_count, mrw_fit fit,
                             const mrw_view_def *view, float aspect, mrw_isa isa, int threads,
                             mrw_extents *out, mrw_error *error)
{
    return mrw_frame_extents_following(instances, instance_count, NULL, fit, view, aspect, isa,
                                       threads, out, error);
}
