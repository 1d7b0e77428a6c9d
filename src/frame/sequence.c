/* sequence.c: many times on many threads, each from all views; those that show the same are drawn
 * once.
 */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"

#include <assert.h>

/* Numbers given to workers from the first on, whatever the loop over threads makes of them: the
 * worker with the smallest of those that are out never waits. */
typedef struct numbers {
    uint32_t ahead; /* 0: nobody waits */
    pthread_mutex_t lock;
    pthread_cond_t came_back;
    uint32_t next; /* to be given */
    uint32_t low;  /* all below have come back */
    uint8_t *back; /* [number] it has */
} numbers;

typedef struct sequence {
    numbers numbers;
    mrwi_frame_workers workers;
    const mrw_frame_def *def;
    const double *times;
    uint32_t time_count;
    mrwi_frame_duplicates duplicates;
    int threads_inside; /* 1 unless a single time has all threads to itself */
    mrw_frame_sink sink;
    void *user;
} sequence;

static mrw_status make_numbers(numbers *n, uint32_t ahead, uint32_t count, mrw_error *error)
{
    n->ahead = ahead;
    n->back = mrwi_base_alloc_zero((size_t)count + 1, 1); /* the last one stays 0 */
    return n->back ? MRW_OK : mrwi_base_fail_memory(error, count);
}

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

/* Gives the picture that shows a time from a view away for all times that show the same. */
static void pass_on(sequence *s, mrw_sequence_frame *frame, uint32_t first, uint32_t view)
{
    const uint32_t views = s->def->view_count;
    mrw_error error = {0};
    frame->same_as = first * views + view;
    for (uint32_t i = first; i != MRW_NONE && mrwi_frame_workers_go_on(&s->workers, i);
         i = s->duplicates.next[i]) {
        frame->index = i * views + view;
        mrw_status status = s->sink(s->user, frame, &error);
        if (status != MRW_OK) {
            mrwi_frame_workers_fail(&s->workers, i, status, &error);
        }
    }
}

/* The picture of a view at another place of the list, which may lie before it or behind. */
static mrw_frame_neighbour neighbour_at(const sequence *s, int64_t index, uint32_t view)
{
    if (index < 0 || index >= s->time_count) {
        return (mrw_frame_neighbour){0};
    }
    const mrw_frame_def def = mrwi_frame_seen_from(s->def, (uint32_t)index, view);
    return (mrw_frame_neighbour){true, s->times[index], def.camera};
}

/* What is drawn of a time from a view. The pose of the view before it is there, unless the sink has
 * posed something with the renderer. */
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
        if (status == MRW_OK) {
            pass_on(s, &frame, first, v);
        } else {
            mrwi_frame_workers_fail(workers, first, status, &error);
        }
    }
}

/* Which time it is, numbers say: not the loop, which may hand its own out in any order. */
static void draw_next(void *user, int64_t unused, int worker)
{
    sequence *s = user;
    const uint32_t number = take_number(&s->numbers);
    (void)unused;
    draw_time(s, s->duplicates.firsts[number], worker);
    give_back(&s->numbers, number);
}

static mrw_status find_duplicates(sequence *s, uint32_t count, mrw_error *error)
{
    const mrw_frame_def *def = s->def; /* of which pictures before and after may differ */
    const bool flows = mrwi_frame_wants_aov(def, MRW_AOV_FLOW_FORWARD) ||
                       mrwi_frame_wants_aov(def, MRW_AOV_FLOW_BACKWARD);
    return def->every || flows ? mrwi_frame_duplicates_none(count, &s->duplicates, error)
                               : mrwi_frame_duplicates_find(&s->workers, s->def, s->times, count,
                                                            &s->duplicates, error);
}

mrw_status mrw_crew_render(mrw_crew *crew, const mrw_frame_def *def, const mrw_instance *instances,
                           uint32_t instance_count, const double *times, uint32_t time_count,
                           mrw_frame_sink sink, void *user, mrw_error *error)
{
    sequence s = {
        .numbers = {.lock = PTHREAD_MUTEX_INITIALIZER, .came_back = PTHREAD_COND_INITIALIZER},
        .def = def,
        .times = times,
        .time_count = time_count,
        .sink = sink,
        .user = user};
    mrwi_base_fp fp;
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    assert(crew && instances && instance_count > 0 && (times || time_count == 0) && sink);
    if (status != MRW_OK) {
        return status;
    }
    fp = mrwi_base_fp_enter();
    status = mrwi_frame_workers_create(&s.workers, crew,
                                       mrwi_frame_workers_count(crew->size, time_count), instances,
                                       instance_count, error);
    if (status == MRW_OK) {
        status = find_duplicates(&s, time_count, error);
    }
    if (status == MRW_OK) {
        status = make_numbers(&s.numbers, def->ahead, s.duplicates.first_count, error);
    }
    if (status == MRW_OK) {
        s.threads_inside = s.duplicates.first_count == 1 ? crew->size : 1;
        mrwi_base_parallel_for(s.workers.size, s.duplicates.first_count, draw_next, &s);
        status = s.workers.status;
    }
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
    if (status == MRW_OK) {
        status = mrw_crew_render(crew, def, instances, instance_count, times, time_count, sink,
                                 user, error);
    }
    mrw_crew_free(crew);
    return status;
}
