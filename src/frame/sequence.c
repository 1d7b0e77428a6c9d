/* sequence.c: many frames on many threads; those that show the same are drawn once. */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"

#include <assert.h>

typedef struct sequence {
    mrwi_frame_workers workers;
    const mrw_frame_def *def;
    const double *times;
    mrwi_frame_duplicates duplicates;
    int threads_inside; /* 1 unless a single picture has all threads to itself */
    mrw_image *images;  /* one a worker */
    mrw_frame_sink sink;
    void *user;
} sequence;

/* Gives a picture away for all frames that show it. */
static void pass_on(sequence *s, uint32_t first, int worker)
{
    mrw_error error = {0};
    mrw_status status = MRW_OK;
    for (uint32_t i = first; i != MRW_NONE && mrwi_frame_workers_go_on(&s->workers, i);
         i = s->duplicates.next[i]) {
        const mrw_sequence_frame frame = {i, first, worker, &s->images[worker],
                                          s->workers.renderers[worker]};
        status = s->sink(s->user, &frame, &error);
        if (status != MRW_OK) {
            mrwi_frame_workers_fail(&s->workers, i, status, &error);
        }
    }
}

static void draw_picture(void *user, int64_t number, int worker)
{
    sequence *s = user;
    mrwi_frame_workers *workers = &s->workers;
    const uint32_t first = s->duplicates.firsts[number];
    mrw_error error = {0};
    if (!mrwi_frame_workers_go_on(workers, first)) {
        return;
    }
    mrw_frame_def def = *s->def;
    if (def.cameras) {
        def.camera = def.cameras[first];
    }
    mrw_status status = mrwi_frame_render(
        workers->renderers[worker], &def, mrwi_frame_workers_at(workers, worker, s->times[first]),
        workers->instance_count, s->threads_inside, &s->images[worker], &error);
    if (status == MRW_OK) {
        pass_on(s, first, worker);
    } else {
        mrwi_frame_workers_fail(workers, first, status, &error);
    }
}

static mrw_status draw_sequence(sequence *s, uint32_t count, int threads, mrw_error *error)
{
    mrw_status status =
        mrwi_frame_duplicates_find(&s->workers, s->def, s->times, count, &s->duplicates, error);
    s->images = mrwi_base_alloc_zero((size_t)s->workers.size, sizeof *s->images);
    if (status == MRW_OK && !s->images) {
        status = mrwi_base_fail_memory(error, (size_t)s->workers.size * sizeof *s->images);
    }
    if (status == MRW_OK) {
        s->threads_inside = s->duplicates.first_count == 1 ? threads : 1;
        mrwi_base_parallel_for(s->workers.size, s->duplicates.first_count, draw_picture, s);
        status = s->workers.status;
    }
    for (int i = 0; s->images && i < s->workers.size; i++) {
        mrw_image_free(&s->images[i]);
    }
    mrwi_base_free(s->images);
    mrwi_frame_duplicates_free(&s->duplicates);
    return status;
}

mrw_status mrw_render_sequence(const mrw_frame_def *def, const mrw_instance *instances,
                               uint32_t instance_count, const double *times, uint32_t time_count,
                               int threads, mrw_frame_sink sink, void *user, mrw_error *error)
{
    sequence s = {.def = def, .times = times, .sink = sink, .user = user};
    mrwi_base_fp fp;
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    assert(instances && instance_count > 0 && (times || time_count == 0) && threads > 0 && sink);
    if (status != MRW_OK) {
        return status;
    }
    fp = mrwi_base_fp_enter();
    status = mrwi_frame_workers_create(&s.workers, mrwi_frame_workers_count(threads, time_count),
                                       instances, instance_count, error);
    if (status == MRW_OK) {
        status = draw_sequence(&s, time_count, threads, error);
    }
    mrwi_frame_workers_free(&s.workers);
    mrwi_base_fp_leave(fp);
    return status;
}
