/* workers.c: a crew at work: the instances that each thread poses, and the first error. */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/text.h"

void mrwi_frame_workers_fail(mrwi_frame_workers *workers, int64_t index, mrw_status status,
                             const mrw_error *error)
{
    pthread_mutex_lock(&workers->mutex);
    if (index < atomic_load(&workers->failed_index)) {
        atomic_store(&workers->failed_index, index);
        workers->status = status;
        if (workers->error) {
            *workers->error = *error;
        }
    }
    pthread_mutex_unlock(&workers->mutex);
}

mrw_status mrwi_frame_workers_end(const mrwi_frame_workers *workers, mrw_error *error)
{
    return workers->status ? workers->status : mrwi_base_work_check(NULL, error);
}

void mrwi_frame_workers_free(mrwi_frame_workers *workers)
{
    mrw_crew_free(workers->own_crew);
    mrwi_base_free(workers->posed);
    pthread_mutex_destroy(&workers->mutex);
}

int mrwi_frame_workers_count(int threads, int64_t count)
{
    int64_t size = count < threads ? count : threads;
    return size < 1 ? 1 : (int)size;
}

mrw_status mrwi_frame_workers_create(mrwi_frame_workers *workers, mrw_crew *crew, int size,
                                     const mrw_instance *instances, uint32_t instance_count,
                                     mrw_error *error)
{
    const size_t count = (size_t)size * instance_count;
    *workers = (mrwi_frame_workers){.crew = crew,
                                    .size = size,
                                    .instances = instances,
                                    .instance_count = instance_count,
                                    .failed_index = INT64_MAX,
                                    .error = error};
    pthread_mutex_init(&workers->mutex, NULL);
    workers->posed = mrwi_base_alloc(count, sizeof *workers->posed);
    if (!workers->posed) {
        return mrwi_base_fail_memory(error, count * sizeof *workers->posed);
    }
    if (!crew) {
        mrw_status status = mrw_crew_create(mrw_backend_none(), size, &workers->own_crew, error);
        if (status) {
            return status;
        }
        workers->crew = workers->own_crew;
    }
    return mrwi_frame_crew_ready(workers->crew, size, error);
}

mrw_instance *mrwi_frame_workers_posed(const mrwi_frame_workers *workers, int worker)
{
    return workers->posed + (size_t)worker * workers->instance_count;
}

mrw_instance *mrwi_frame_workers_at(const mrwi_frame_workers *workers, int worker, double time)
{
    mrw_instance *posed = mrwi_frame_workers_posed(workers, worker);
    for (uint32_t i = 0; i < workers->instance_count; i++) {
        posed[i] = workers->instances[i];
        if (mrwi_frame_plays(&posed[i])) {
            posed[i].time = time;
        }
    }
    return posed;
}
