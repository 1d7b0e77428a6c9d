/* fit.c: framing: the extents of everything that clips reach, measured on many threads. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"

#include <assert.h>
#include <stdatomic.h>

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

/* One set of poses to measure. */
struct moment {
    uint32_t only; /* the one instance that is measured, or MRW_NONE: all */
    uint32_t clip; /* what it plays in place of its own, or MRW_NONE */
    double time;   /* of all that play; negative: their own times */
};

struct gathering {
    struct mrwi_team team;
    const mrw_instance *instances;
    uint32_t instance_count;
    const mrw_follow *follow;
    mrw_fit fit;
    struct moment *moments;
    mrw_isa isa;
    mrw_extents *extents; /* one a worker */
};

/* The instances as they are at a moment. */
static void set_moment(const struct gathering *g, const struct moment *at, mrw_instance *posed)
{
    for (uint32_t i = 0; i < g->instance_count; i++) {
        posed[i] = g->instances[i];
        if (g->fit == MRW_FIT_REST && posed[i].pose == MRW_POSE_CLIP)
            posed[i].pose = MRW_POSE_REST;
        if (i == at->only && at->clip != MRW_NONE) {
            posed[i].clip = at->clip;
            posed[i].mix = NULL;
        }
        if (mrwi_plays(&posed[i]) && at->time >= 0.0) {
            posed[i].time = at->time;
            posed[i].loop = false;
        }
    }
}

/* What stands still is measured at the first moment only. */
static bool is_measured(const struct gathering *g, int64_t index, uint32_t instance)
{
    const mrw_instance *it = &g->instances[instance];
    if (g->moments[index].only != MRW_NONE)
        return g->moments[index].only == instance;
    return index == 0 || mrwi_plays(it) || it->attached || g->follow;
}

static void shift(float *points, uint32_t count, const float by[3])
{
    for (uint32_t v = 0; v < count; v++, points += 4)
        for (int i = 0; i < 3; i++)
            points[i] -= by[i];
}

static mrw_status measure(struct gathering *g, int64_t index, int worker, mrw_error *error)
{
    mrw_renderer *renderer = g->team.renderers[worker];
    mrw_instance *posed = mrwi_team_posed(&g->team, worker);
    struct mrwi_cast cast;
    float offset[3];
    mrw_status status;
    set_moment(g, &g->moments[index], posed);
    status = mrwi_begin_moment(renderer, posed, g->instance_count, g->isa, &cast, error);
    for (uint32_t i = 0; i < g->instance_count && status == MRW_OK; i++) {
        mrw_posed_draw *draws;
        status = mrwi_pose_nodes(renderer, &cast, i, error);
        if (status != MRW_OK || !is_measured(g, index, i))
            continue;
        status = mrwi_skin_draws(renderer, &cast.poses[i], false, &draws, error);
        if (status != MRW_OK)
            return status;
        mrwi_follow_offset(g->follow, cast.poses[0].placed, offset);
        for (uint32_t d = 0; d < cast.poses[i].scene->draws_count; d++) {
            if (g->follow)
                shift((float *)draws[d].positions, draws[d].vertex_count, offset);
            mrw_extents_add(&g->extents[worker], draws[d].positions, draws[d].vertex_count, 4);
        }
    }
    return status;
}

static void gather_moment(void *user, int64_t index, int worker)
{
    struct gathering *g = user;
    mrw_error error = {0};
    if (!mrwi_team_goes_on(&g->team, index))
        return;
    mrw_status status = measure(g, index, worker, &error);
    if (status != MRW_OK)
        mrwi_team_fail(&g->team, index, status, &error);
}

/* Appends the times of a duration; with out NULL only counts them. */
static uint32_t add_times(uint32_t only, uint32_t clip, double duration, struct moment *out)
{
    uint32_t count = fit_time_count(duration);
    for (uint32_t i = 0; out && i < count; i++)
        out[i] = (struct moment){only, clip, fit_time(duration, i)};
    return count;
}

/* All clips of an instance, and its mix; itself when it plays nothing. */
static uint32_t add_all_clips(const mrw_instance *instance, uint32_t only, struct moment *out)
{
    const mrw_scene *scene = instance->model->scene;
    uint32_t count = 0;
    if (instance->pose == MRW_POSE_CLIP) {
        for (uint32_t c = 0; c < scene->clips_count; c++)
            count += add_times(only, c, scene->clips[c].duration, out ? out + count : NULL);
        if (instance->mix)
            count += add_times(only, MRW_NONE, mrw_instance_duration(instance),
                               out ? out + count : NULL);
    }
    if (count == 0) {
        if (out)
            *out = (struct moment){only, MRW_NONE, -1.0};
        count = 1;
    }
    return count;
}

/* The moments that a fit wants; with out NULL only counts them. */
static uint32_t list_moments(const struct gathering *g, struct moment *out)
{
    double longest = 0.0;
    bool any = false;
    uint32_t count = 0;
    if (g->fit == MRW_FIT_ALL) {
        for (uint32_t i = 0; i < g->instance_count; i++)
            count += add_all_clips(&g->instances[i], i, out ? out + count : NULL);
        return count;
    }
    for (uint32_t i = 0; i < g->instance_count && g->fit == MRW_FIT_CLIP; i++) {
        double duration = mrw_instance_duration(&g->instances[i]);
        any = any || mrwi_plays(&g->instances[i]);
        longest = duration > longest ? duration : longest;
    }
    if (any)
        return add_times(MRW_NONE, MRW_NONE, longest, out);
    if (out)
        *out = (struct moment){MRW_NONE, MRW_NONE, -1.0};
    return 1;
}

static mrw_status gather(struct gathering *g, const mrw_view_def *view, float aspect, int threads,
                         mrw_extents *out, mrw_error *error)
{
    const uint32_t count = list_moments(g, NULL);
    mrw_status status = mrwi_team_create(&g->team, mrwi_team_size(threads, count), g->instances,
                                         g->instance_count, error);
    g->moments = mrwi_alloc(count, sizeof *g->moments);
    g->extents = mrwi_alloc((size_t)g->team.size, sizeof *g->extents);
    if (status == MRW_OK && (!g->moments || !g->extents))
        status = mrwi_fail_memory(error, count * sizeof *g->moments);
    if (status != MRW_OK)
        goto out;
    list_moments(g, g->moments);
    for (int i = 0; i < g->team.size; i++)
        mrw_extents_begin(view, aspect, &g->extents[i]);
    mrwi_parallel_for(g->team.size, count, gather_moment, g);
    status = g->team.status;
    *out = g->extents[0];
    for (int i = 1; i < g->team.size; i++)
        mrw_extents_merge(out, &g->extents[i]);
out:
    mrwi_team_free(&g->team);
    mrwi_free(g->extents);
    mrwi_free(g->moments);
    return status;
}

mrw_status mrw_frame_extents_following(const mrw_instance *instances, uint32_t instance_count,
                                       const mrw_follow *follow, mrw_fit fit,
                                       const mrw_view_def *view, float aspect, mrw_isa isa,
                                       int threads, mrw_extents *out, mrw_error *error)
{
    struct gathering g = {.instances = instances,
                          .instance_count = instance_count,
                          .follow = follow && follow->node != MRW_NONE ? follow : NULL,
                          .fit = fit,
                          .isa = isa};
    mrw_status status = mrwi_isa_check(isa, error);
    assert(instances && instance_count > 0 && view && threads > 0 && out);
    if (status == MRW_OK) {
        mrwi_fp fp = mrwi_fp_enter();
        status = gather(&g, view, aspect, threads, out, error);
        mrwi_fp_leave(fp);
    }
    return status;
}

mrw_status mrw_frame_extents(const mrw_instance *instances, uint32_t instance_count, mrw_fit fit,
                             const mrw_view_def *view, float aspect, mrw_isa isa, int threads,
                             mrw_extents *out, mrw_error *error)
{
    return mrw_frame_extents_following(instances, instance_count, NULL, fit, view, aspect, isa,
                                       threads, out, error);
}
