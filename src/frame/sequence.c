/* sequence.c: sequences: many times on many threads, each from all views. Equal pictures are drawn
 * once. */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"

#include <assert.h>

/* Numbers of the times to draw, given to workers in ascending order, whatever order the loop over
 * threads has. The worker with the smallest number that is out never waits. */
typedef struct numbers {
    uint32_t ahead; /* mrw_frame_def.ahead; 0: no worker waits */
    pthread_mutex_t lock;
    pthread_cond_t came_back;
    uint32_t next; /* next number to give */
    uint32_t low;  /* all numbers below have come back */
    uint8_t *back; /* [number] 1: it has come back */
} numbers;

typedef struct sequence {
    numbers numbers;
    mrwi_frame_workers workers;
    const mrw_frame_def *def;
    const double *times;
    uint32_t time_count;
    mrwi_frame_duplicates duplicates;
    int threads_inside; /* threads per picture: 1 unless there is a single time */
    mrw_frame_sink sink;
    void *user;
} sequence;

static uint32_t take_number(numbers *n)
{
    pthread_mutex_lock(&n->lock);
    const uint32_t number = n->next++;
    while (n->ahead > 0 && number - n->low >= n->ahead) {
        pthread_cond_wait(&n->came_back, &n->lock);
    }
    pthread_mutex_unlock(&n->lock);
    return number;
}

static void give_back(numbers *n, uint32_t number)
{
    pthread_mutex_lock(&n->lock);
    n->back[number] = 1;
    while (n->back[n->low]) {
        n->low++;
    }
    pthread_cond_broadcast(&n->came_back);
    pthread_mutex_unlock(&n->lock);
}

/* Passes the picture of a time and a view to the sink, for all times that show the same. */
static void pass_on(sequence *s, mrw_sequence_frame *frame, uint32_t first, uint32_t view)
{
    const uint32_t views = s->def->view_count;
    mrw_error error = {0};
    frame->same_as = first * views + view;
    for (uint32_t i = first; i != MRW_NONE && mrwi_frame_workers_go_on(&s->workers, i);
         i = s->duplicates.next[i]) {
        frame->index = i * views + view;
        mrw_status status = s->sink(s->user, frame, &error);
        if (status) {
            mrwi_frame_workers_fail(&s->workers, i, status, &error);
        }
    }
}

/* Returns the neighbour at an index of the list of times; an index outside the list gives none. */
static mrw_frame_neighbour neighbour_at(const sequence *s, int64_t index, uint32_t view)
{
    if (index < 0 || index >= s->time_count) {
        return (mrw_frame_neighbour){0};
    }
    const mrw_frame_def def = mrwi_frame_seen_from(s->def, (uint32_t)index, view);
    return (mrw_frame_neighbour){true, s->times[index], def.camera};
}

/* Returns the definition of a picture. It reuses the pose of the view before, unless the sink has
 * posed something else with the renderer. */
static mrw_frame_def picture_def(const sequence *s, const mrw_renderer *renderer, uint32_t time,
                                 uint32_t view)
{
    const size_t index = (size_t)time * s->def->view_count + view;
    mrw_frame_def def = mrwi_frame_seen_from(s->def, time, view);
    def.last = def.lasts ? def.lasts[index] : neighbour_at(s, (int64_t)time - 1, view);
    def.next = def.nexts ? def.nexts[index] : neighbour_at(s, (int64_t)time + 1, view);
    def.same_pose = view > 0 && renderer->posed.draws;
    return def;
}

/* Draws a time from all views, posed for the first of them. */
static void draw_time(sequence *s, uint32_t first, int worker)
{
    mrwi_frame_workers *workers = &s->workers;
    mrw_crew *crew = workers->crew;
    mrw_error error = {0};
    if (!mrwi_frame_workers_go_on(workers, first)) {
        return;
    }
    mrw_frame_def def;
    mrw_sequence_frame frame = {
        .worker = worker,
        .threads = s->threads_inside,
        .image = &crew->images[worker],
        .renderer = crew->renderers[worker],
        .def = &def,
        .instances = mrwi_frame_workers_at(workers, worker, s->times[first]),
        .instance_count = workers->instance_count,
    };
    for (uint32_t v = 0; v < s->def->view_count && mrwi_frame_workers_go_on(workers, first); v++) {
        def = picture_def(s, frame.renderer, first, v);
        mrw_status status =
            mrwi_frame_draw_with(crew, worker, &def, frame.instances, frame.instance_count,
                                 frame.threads, &crew->images[worker], &error);
        if (status) {
            mrwi_frame_workers_fail(workers, first, status, &error);
            return;
        }
        pass_on(s, &frame, first, v);
    }
}

/* Draws the time of the next number. The index of the loop is not used: it may come in any order.
 */
static void draw_next(void *user, int64_t unused, int worker)
{
    sequence *s = user;
    const uint32_t number = take_number(&s->numbers);
    (void)unused;
    draw_time(s, s->duplicates.firsts[number], worker);
    give_back(&s->numbers, number);
}

mrw_status mrw_crew_render(mrw_crew *crew, const mrw_frame_def *def, const mrw_instance *instances,
                           uint32_t instance_count, const double *times, uint32_t time_count,
                           mrw_frame_sink sink, void *user, mrw_error *error)
{
    sequence s = {.numbers = {.ahead = def->ahead,
                              .lock = PTHREAD_MUTEX_INITIALIZER,
                              .came_back = PTHREAD_COND_INITIALIZER},
                  .def = def,
                  .times = times,
                  .time_count = time_count,
                  .sink = sink,
                  .user = user};
    /* the neighbours of equal pictures may differ */
    const bool flows = mrwi_frame_wants_aov(def, MRW_AOV_FLOW_FORWARD) ||
                       mrwi_frame_wants_aov(def, MRW_AOV_FLOW_BACKWARD);
    assert(crew && instances && instance_count > 0 && (times || time_count == 0) && sink);
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status) {
        return status;
    }
    mrwi_base_fp fp = mrwi_base_fp_enter();
    status = mrwi_frame_workers_create(&s.workers, crew,
                                       mrwi_frame_workers_count(crew->size, time_count), instances,
                                       instance_count, error);
    if (status) {
        goto out;
    }
    status = def->every || flows ? mrwi_frame_duplicates_none(time_count, &s.duplicates, error)
                                 : mrwi_frame_duplicates_find(&s.workers, def, times, time_count,
                                                              &s.duplicates, error);
    if (status) {
        goto out;
    }
    const uint32_t count = s.duplicates.first_count;
    s.numbers.back = mrwi_base_alloc_zero((size_t)count + 1, 1); /* the last one stays 0 */
    if (!s.numbers.back) {
        status = mrwi_base_fail_memory(error, count);
        goto out;
    }
    s.threads_inside = count == 1 ? crew->size : 1;
    mrwi_base_parallel_for(s.workers.size, count, draw_next, &s);
    status = mrwi_frame_workers_end(&s.workers, error);
out:
    mrwi_base_free(s.numbers.back);
    mrwi_frame_duplicates_free(&s.duplicates);
    mrwi_frame_workers_free(&s.workers);
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_render_sequence(const mrw_frame_def *def, const mrw_instance *instances,
                               uint32_t instance_count, const double *times, uint32_t time_count,
                               int threads, mrw_frame_sink sink, void *user, mrw_error *error)
{
    mrw_crew *crew = NULL;
    mrw_status status = mrw_crew_create(mrw_backend_software(), threads, &crew, error);
    if (status) {
        return status;
    }
    status =
        mrw_crew_render(crew, def, instances, instance_count, times, time_count, sink, user, error);
    mrw_crew_free(crew);
    return status;
}
