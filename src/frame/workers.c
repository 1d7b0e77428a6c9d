/* workers.c: threads that pose and draw: a renderer each, and the first error of all. */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/text.h"

bool mrwi_plays(const mrw_instance *instance)
{
    return instance->pose == MRW_POSE_CLIP && (instance->mix || instance->clip != MRW_NONE);
}

void mrwi_team_fail(struct mrwi_team *team, int64_t index, mrw_status status,
                    const mrw_error *error)
{
    pthread_mutex_lock(&team->mutex);
    if (mrwi_team_goes_on(team, index)) {
        atomic_store(&team->failed_index, index);
        team->status = status;
        if (team->error)
            *team->error = *error;
    }
    pthread_mutex_unlock(&team->mutex);
}

void mrwi_team_free(struct mrwi_team *team)
{
    for (int i = 0; team->renderers && i < team->size; i++)
        mrw_renderer_free(team->renderers[i]);
    mrwi_free(team->renderers);
    mrwi_free(team->posed);
    pthread_mutex_destroy(&team->mutex);
}

int mrwi_team_size(int threads, int64_t count)
{
    int64_t size = count < threads ? count : threads;
    return size < 1 ? 1 : (int)size;
}

mrw_status mrwi_team_create(struct mrwi_team *team, int size, const mrw_instance *instances,
                            uint32_t instance_count, mrw_error *error)
{
    const size_t count = (size_t)size * instance_count;
    *team = (struct mrwi_team){.size = size,
                               .instances = instances,
                               .instance_count = instance_count,
                               .failed_index = INT64_MAX,
                               .error = error};
    pthread_mutex_init(&team->mutex, NULL);
    team->renderers = mrwi_alloc_zero((size_t)size, sizeof *team->renderers);
    team->posed = mrwi_alloc(count, sizeof *team->posed);
    if (!team->renderers || !team->posed)
        return mrwi_fail_memory(error, count * sizeof *team->posed);
    for (int i = 0; i < size; i++) {
        mrw_status status = mrw_renderer_create(&team->renderers[i], error);
        if (status != MRW_OK)
            return status;
    }
    return MRW_OK;
}

mrw_instance *mrwi_team_posed(const struct mrwi_team *team, int worker)
{
    return team->posed + (size_t)worker * team->instance_count;
}

mrw_instance *mrwi_team_at(const struct mrwi_team *team, int worker, double time)
{
    mrw_instance *posed = mrwi_team_posed(team, worker);
    for (uint32_t i = 0; i < team->instance_count; i++) {
        posed[i] = team->instances[i];
        if (mrwi_plays(&posed[i]))
            posed[i].time = time;
    }
    return posed;
}
