/* frame_sequence.c: many poses on many threads: framing a clip, rendering a sequence. */
#include "frame.h"

#include "base/cpu.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* ---- work shared by threads: one renderer a worker, the first error kept -------------------- */

struct team {
    mrw_renderer **renderers;
    int size;
    atomic_int stop;
    pthread_mutex_t mutex;
    int64_t failed_index; /* the smallest that failed so far */
    mrw_status status;
    mrw_error *error;
};

static void team_fail(struct team *team, int64_t index, mrw_status status, const mrw_error *error)
{
    pthread_mutex_lock(&team->mutex);
    if (team->status == MRW_OK || index < team->failed_index) {
        team->status = status;
        team->failed_index = index;
        if (team->error)
            *team->error = *error;
    }
    pthread_mutex_unlock(&team->mutex);
    atomic_store(&team->stop, 1);
}

static void team_free(struct team *team)
{
    for (int i = 0; team->renderers && i < team->size; i++)
        mrw_renderer_free(team->renderers[i]);
    mrwi_free(team->renderers);
    pthread_mutex_destroy(&team->mutex);
}

static mrw_status team_create(struct team *team, int size, mrw_error *error)
{
    *team = (struct team){.size = size, .error = error};
    pthread_mutex_init(&team->mutex, NULL);
    team->renderers = mrwi_alloc_zero((size_t)size, sizeof *team->renderers);
    if (!team->renderers)
        return mrwi_fail_memory(error, (size_t)size * sizeof *team->renderers);
    for (int i = 0; i < size; i++) {
        mrw_status status = mrw_renderer_create(&team->renderers[i], error);
        if (status != MRW_OK)
            return status;
    }
    return MRW_OK;
}

static int team_size(int threads, int64_t count)
{
    int64_t size = count < threads ? count : threads;
    return size < 1 ? 1 : (int)size;
}

/* ---- framing -------------------------------------------------------------------------------- */

#define FIT_RATE      30
#define FIT_MAX_TIMES 600

/* Times at which a clip is measured: every 1/30 s and its end, or evenly spaced when those are
 * too many. */
static uint32_t fit_time_count(double duration)
{
    double whole = floor(duration * FIT_RATE);
    return whole + 2 > FIT_MAX_TIMES ? FIT_MAX_TIMES : (uint32_t)whole + 2;
}

static double fit_time(double duration, uint32_t index)
{
    uint32_t count = fit_time_count(duration);
    if (index + 1 == count)
        return duration;
    if (count == FIT_MAX_TIMES)
        return (double)index * duration / (FIT_MAX_TIMES - 1);
    return mrw_frame_time(index, (mrw_rate){FIT_RATE, 1});
}

struct gathering {
    struct team team;
    const mrw_instance *poses; /* everything to measure */
    mrw_isa isa;
    mrw_extents *extents; /* one a worker */
};

static void gather_pose(void *user, int64_t index, int worker)
{
    struct gathering *g = user;
    const mrw_instance *instance = &g->poses[index];
    mrw_renderer *renderer = g->team.renderers[worker];
    struct mrwi_pose pose;
    mrw_posed_draw *draws;
    mrw_error error;
    mrw_status status;
    if (atomic_load(&g->team.stop))
        return;
    mrwi_arena_reset(&renderer->arena);
    status = mrwi_pose_instance(renderer, 0, instance, g->isa, false, &pose, &draws, &error);
    if (status != MRW_OK) {
        team_fail(&g->team, index, status, &error);
        return;
    }
    for (uint32_t d = 0; d < pose.scene->draws_count; d++)
        mrw_extents_add(&g->extents[worker], draws[d].positions, draws[d].vertex_count, 4);
}

/* Appends the poses of one clip of an instance; with poses NULL only counts them. */
static uint32_t clip_poses(const mrw_instance *instance, uint32_t clip, mrw_instance *poses)
{
    double duration = instance->model->scene->clips[clip].duration;
    uint32_t count = fit_time_count(duration);
    for (uint32_t i = 0; poses && i < count; i++) {
        poses[i] = *instance;
        poses[i].clip = clip;
        poses[i].time = fit_time(duration, i);
    }
    return count;
}

/* All poses of an instance that a fit wants; with poses NULL only counts them. */
static uint32_t fit_poses(const mrw_instance *instance, mrw_fit fit, mrw_instance *poses)
{
    uint32_t clips = instance->model->scene->clips_count, count = 0;
    bool plays = instance->pose == MRW_POSE_CLIP && clips > 0;
    if (plays && fit == MRW_FIT_ALL) {
        for (uint32_t c = 0; c < clips; c++)
            count += clip_poses(instance, c, poses ? poses + count : NULL);
        return count;
    }
    if (plays && fit == MRW_FIT_CLIP && instance->clip != MRW_NONE)
        return clip_poses(instance, instance->clip, poses);
    if (poses) {
        *poses = *instance;
        if (fit == MRW_FIT_REST && instance->pose == MRW_POSE_CLIP)
            poses->pose = MRW_POSE_REST;
    }
    return 1;
}

mrw_status mrw_frame_extents(const mrw_instance *instances, uint32_t instance_count, mrw_fit fit,
                             const mrw_view_def *view, float aspect, mrw_isa isa, int threads,
                             mrw_extents *out, mrw_error *error)
{
    struct gathering g = {.isa = mrwi_isa_resolve(isa)};
    mrw_instance *poses = NULL;
    uint32_t count = 0;
    mrwi_fp fp;
    mrw_status status = mrwi_isa_check(isa, error);
    assert(instances && instance_count > 0 && view && threads > 0 && out);
    if (status != MRW_OK)
        return status;
    fp = mrwi_fp_enter();
    for (uint32_t i = 0; i < instance_count; i++)
        count += fit_poses(&instances[i], fit, NULL);
    status = team_create(&g.team, team_size(threads, count), error);
    poses = mrwi_alloc(count, sizeof *poses);
    g.extents = mrwi_alloc((size_t)g.team.size, sizeof *g.extents);
    if (status == MRW_OK && (!poses || !g.extents))
        status = mrwi_fail_memory(error, count * sizeof *poses);
    if (status != MRW_OK)
        goto out;
    count = 0;
    for (uint32_t i = 0; i < instance_count; i++)
        count += fit_poses(&instances[i], fit, poses + count);
    g.poses = poses;
    for (int i = 0; i < g.team.size; i++)
        mrw_extents_begin(view, aspect, &g.extents[i]);
    mrwi_parallel_for(g.team.size, count, gather_pose, &g);
    status = g.team.status;
    *out = g.extents[0];
    for (int i = 1; i < g.team.size; i++)
        mrw_extents_merge(out, &g.extents[i]);
out:
    team_free(&g.team);
    mrwi_free(g.extents);
    mrwi_free(poses);
    mrwi_fp_leave(fp);
    return status;
}

/* ---- sequences ------------------------------------------------------------------------------ */

struct sequence {
    struct team team;
    const mrw_frame_def *def;
    const mrw_instance *instances;
    uint32_t instance_count;
    const double *times;
    int threads_inside;  /* 1 unless a single frame has all threads to itself */
    mrw_instance *posed; /* instance_count a worker */
    mrw_image *images;   /* one a worker */
    mrw_frame_sink sink;
    void *user;
};

static void sequence_frame(void *user, int64_t index, int worker)
{
    struct sequence *s = user;
    mrw_instance *posed = s->posed + (size_t)worker * s->instance_count;
    mrw_image *image = &s->images[worker];
    mrw_error error = {0};
    mrw_status status;
    if (atomic_load(&s->team.stop))
        return;
    for (uint32_t i = 0; i < s->instance_count; i++) {
        posed[i] = s->instances[i];
        if (posed[i].pose == MRW_POSE_CLIP && posed[i].clip != MRW_NONE)
            posed[i].time = s->times[index];
    }
    status = mrwi_render(s->team.renderers[worker], s->def, posed, s->instance_count,
                         s->threads_inside, image, &error);
    if (status == MRW_OK)
        status = s->sink(s->user, (uint32_t)index, image, &error);
    if (status != MRW_OK)
        team_fail(&s->team, index, status, &error);
}

mrw_status mrw_render_sequence(const mrw_frame_def *def, const mrw_instance *instances,
                               uint32_t instance_count, const double *times, uint32_t time_count,
                               int threads, mrw_frame_sink sink, void *user, mrw_error *error)
{
    struct sequence s = {.def = def,
                         .instances = instances,
                         .instance_count = instance_count,
                         .times = times,
                         .threads_inside = time_count == 1 ? threads : 1,
                         .sink = sink,
                         .user = user};
    mrwi_fp fp;
    mrw_status status = mrwi_isa_check(def->isa, error);
    assert(instances && instance_count > 0 && (times || time_count == 0) && threads > 0 && sink);
    if (status != MRW_OK)
        return status;
    fp = mrwi_fp_enter();
    status = team_create(&s.team, team_size(threads, time_count), error);
    s.posed = mrwi_alloc((size_t)s.team.size * instance_count, sizeof *s.posed);
    s.images = mrwi_alloc_zero((size_t)s.team.size, sizeof *s.images);
    if (status == MRW_OK && (!s.posed || !s.images))
        status = mrwi_fail_memory(error, (size_t)s.team.size * instance_count * sizeof *s.posed);
    if (status == MRW_OK) {
        mrwi_parallel_for(s.team.size, time_count, sequence_frame, &s);
        status = s.team.status;
    }
    for (int i = 0; s.images && i < s.team.size; i++)
        mrw_image_free(&s.images[i]);
    mrwi_free(s.images);
    mrwi_free(s.posed);
    team_free(&s.team);
    mrwi_fp_leave(fp);
    return status;
}
