/* test_perform.c: the loop of pictures, crews and backends. What is expected comes from a loop over
 * one picture at a time, in a session of its own, through mrw_session_play, _aim and mrw_render.
 */
#include "test.h"

#include "base/memory.h"
#include "session/framings.h"

#include <marrow/session.h>

#include <stdatomic.h>
#include <time.h>

#define MOST 64

static const int thread_counts[] = {1, 2, 5};
#define THREAD_COUNTS 3

/* ---- sessions -------------------------------------------------------------------------------- */

/* From options to a session that is prepared. */
typedef struct stand {
    mrw_settings settings;
    mrw_scene *scene;
    mrw_session_model model;
    mrw_picture_list list;
    mrw_session session;
} stand;

static void good(mrw_status status, const mrw_error *error)
{
    ck_assert_msg(status == MRW_OK, "%s", error->text);
}

/* Options and values in turn, up to a NULL. */
static void stand_up(stand *s, const char *path, const char *const *options)
{
    mrw_error error;
    *s = (stand){0};
    mrw_settings_init(&s->settings);
    good(mrw_settings_set(&s->settings, "size", "48x36", &error), &error);
    for (; options && *options; options += 2) {
        good(mrw_settings_set(&s->settings, options[0], options[1], &error), &error);
    }
    const bool sequence = mrw_session_wants_sequence(&s->settings);
    good(mrw_session_load(path, &s->settings, NULL, &s->scene, &error), &error);
    good(mrw_session_model_init(path, s->scene, &s->settings, &s->model, &error), &error);
    good(mrw_session_pictures(&s->model, sequence, &s->list, &error), &error);
    ck_assert_uint_le(s->list.count, MOST);
    good(mrw_session_begin(&s->session, &s->model, sequence, &error), &error);
    good(mrw_session_prepare(&s->session, NULL, &error), &error);
}

static void tear_down(stand *s)
{
    mrw_session_free(&s->session);
    mrw_picture_list_free(&s->list);
    mrw_session_model_free(&s->model);
    mrw_scene_free(s->scene);
    mrw_settings_free(&s->settings);
}

/* The pictures one by one. */
static void draw_one_by_one(const char *path, const char *const *options, const uint32_t *order,
                            uint32_t count, uint8_t hashes[MOST][32])
{
    stand s;
    mrw_error error;
    mrw_renderer *renderer;
    mrw_image image = {0};
    stand_up(&s, path, options);
    good(mrw_renderer_create(&renderer, &error), &error);
    for (uint32_t i = 0; i < count; i++) {
        mrw_session_play(&s.session, &s.list.items[order ? order[i] : i]);
        good(mrw_session_aim(&s.session, &error), &error);
        good(mrw_render(renderer, &s.session.frame, s.session.instances, s.session.instance_count,
                        1, &image, &error),
             &error);
        mrw_image_hash(&image, hashes[i]);
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    tear_down(&s);
}

/* ---- a sink that watches --------------------------------------------------------------------- */

typedef struct watcher {
    uint8_t hashes[MOST][32];
    uint32_t same_as[MOST];
    atomic_int puts[MOST];
    atomic_int busy[MOST]; /* by worker */
    atomic_int last[MOST]; /* by worker: the `same_as` it put last, + 1 */
    int threads;           /* of the crew */
    atomic_int wrong;      /* what no thread may assert by itself */
    int inside;            /* the `threads` that pictures are told, 0: any */
    uint32_t fail_put;     /* MRW_NONE: none */
    atomic_int go_ons, puts_in_all;
    int stop_at; /* the call of go_on that stops; 0: none */
    int aims, fail_aim;
    mrw_camera camera; /* of `aim` */
    const mrw_scene *scene;
} watcher;

static mrw_status fails(mrw_error *error, mrw_status status, const char *what, uint32_t number)
{
    *error = (mrw_error){.status = status};
    snprintf(error->text, sizeof error->text, "%s %u", what, number);
    return status;
}

static mrw_status put(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    watcher *w = user;
    atomic_fetch_add(&w->puts_in_all, 1);
    w->wrong += frame->worker < 0 || frame->worker >= w->threads;
    w->wrong += frame->threads < 1 || frame->threads > w->threads;
    w->wrong += w->inside && frame->threads != w->inside;
    w->wrong += atomic_exchange(&w->busy[frame->worker], 1);
    w->wrong += frame->index >= MOST || frame->same_as > frame->index;
    /* Equal ones come one right after the other. */
    const int last = atomic_exchange(&w->last[frame->worker], (int)frame->same_as + 1);
    w->wrong += frame->same_as != frame->index && last != (int)frame->same_as + 1;
    if (frame->image->pixels) {
        mrw_image_hash(frame->image, w->hashes[frame->index]);
    }
    w->same_as[frame->index] = frame->same_as;
    atomic_fetch_add(&w->puts[frame->index], 1);
    atomic_store(&w->busy[frame->worker], 0);
    return frame->index == w->fail_put ? fails(error, MRW_ERROR_OUTPUT, "put", frame->index)
                                       : MRW_OK;
}

static mrw_status go_on(void *user, mrw_error *error)
{
    watcher *w = user;
    const int calls = atomic_fetch_add(&w->go_ons, 1) + 1;
    return w->stop_at && calls >= w->stop_at ? fails(error, MRW_ERROR_OUTPUT, "stopped", 0)
                                             : MRW_OK;
}

static mrw_status aim(void *user, mrw_session *session, const mrw_picture *picture,
                      mrw_error *error)
{
    watcher *w = user;
    w->aims++;
    session->frame.camera = w->camera;
    return w->aims == w->fail_aim ? fails(error, MRW_ERROR_INPUT, "aim", picture->index) : MRW_OK;
}

static watcher watching(int threads)
{
    return (watcher){.threads = threads, .fail_put = MRW_NONE};
}

static mrw_session_sink sink_of(watcher *w)
{
    return (mrw_session_sink){.user = w, .put = put};
}

/* ---- a backend that counts ------------------------------------------------------------------- */

typedef struct counter {
    atomic_int created, freed, drawn;
    int fail_create;     /* the call that fails; 0: none */
    uint64_t fail_draws; /* bits of frame numbers at 30 a second */
    uint64_t slow_draws; /* the same */
    bool meet;           /* frame 2 is drawn once another one is, or a while has passed */
    atomic_int later;    /* frames behind 2 that were begun */
} counter;

typedef struct drawer {
    counter *counter;
    mrw_renderer *renderer;
} drawer;

static mrw_status create_drawer(void *user, mrw_renderer *renderer, void **out, mrw_error *error)
{
    counter *c = user;
    if (c->created + 1 == c->fail_create) {
        return fails(error, MRW_ERROR_UNSUPPORTED, "create", (uint32_t)c->fail_create);
    }
    c->created++;
    drawer *d = malloc(sizeof *d);
    *d = (drawer){.counter = c, .renderer = renderer};
    *out = d;
    return MRW_OK;
}

static mrw_status draw(void *user, const mrw_frame_def *def, const mrw_instance *instances,
                       uint32_t instance_count, int threads, mrw_image *out, mrw_error *error)
{
    drawer *d = user;
    const uint32_t number = (uint32_t)(instances[0].time * 30.0 + 0.5);
    atomic_fetch_add(&d->counter->drawn, 1);
    d->counter->later += number > 2;
    for (int i = 0; i < 100 && number == 2 && d->counter->meet && d->counter->later == 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    if (number < 64 && (d->counter->slow_draws >> number & 1) != 0) {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    if (number < 64 && (d->counter->fail_draws >> number & 1) != 0) {
        return fails(error, MRW_ERROR_MEMORY, "draw", number);
    }
    return mrw_render(d->renderer, def, instances, instance_count, threads, out, error);
}

static void free_drawer(void *user)
{
    drawer *d = user;
    atomic_fetch_add(&d->counter->freed, 1);
    free(d);
}

static mrw_backend counting(counter *c)
{
    return (mrw_backend){
        .name = "counting", .user = c, .create = create_drawer, .draw = draw, .free = free_drawer};
}

/* Performs with a crew of its own. */
static mrw_status perform_with(const mrw_backend *backend, stand *s, const mrw_picture *pictures,
                               uint32_t count, watcher *w, const mrw_session_sink *sink,
                               mrw_error *error)
{
    mrw_crew *crew;
    good(mrw_crew_create(backend, w->threads, &crew, error), error);
    mrw_status status = mrw_session_perform(&s->session, pictures, count, crew, sink, error);
    mrw_crew_free(crew);
    ck_assert_int_eq(w->wrong, 0);
    return status;
}

static mrw_status perform(stand *s, watcher *w, mrw_error *error)
{
    const mrw_session_sink sink = sink_of(w);
    return perform_with(mrw_backend_software(), s, s->list.items, s->list.count, w, &sink, error);
}

/* ---- the same pictures ----------------------------------------------------------------------- */

typedef struct scenery {
    const char *path;
    const char *options[16];
} scenery;

static const scenery sceneries[] = {
    {"demo:figure", {"fit", "frame", "clip", "Walk", "count", "5"}},
    {"demo:figure", {"fit", "clip", "clip", "Walk", "clip", "Run", "count", "3"}},
    {"demo:figure", {"fit", "frame", "clip", "Walk", "clip", "Wave", "count", "3"}},
    {"demo:figure", {"fit", "rest", "clip", "Run", "clip", "Walk", "count", "3"}},
    {"demo:figure", {"fit", "all", "clip", "Run", "clip", "Wave", "count", "3"}},
    {"demo:figure", {"follow", "head", "clip", "Walk", "clip", "Wave", "count", "4"}},
    {"demo:figure", {"root-motion", "loop", "wrap", "loop", "clip", "Walk", "frames", "0-60x12"}},
    {"demo:figure",
     {"add", "demo:blob", "clip", "Walk", "clip", "Run", "count", "3", "aa", "1", "fit", "frame"}},
    {"demo:figure", {"blend", "Walk:0.5,Run:0.5", "count", "4"}},
    {"demo:figure",
     {"root-motion", "loop", "wrap", "loop", "clip", "Walk", "frames", "0-60x12", "speed", "-2"}},
    {"demo:stage", {"camera", "0", "count", "4"}},
    {"demo:blob", {"clip", "all", "time", "0.3"}},
    {"demo:tentacle", {"pose", "bind"}},
};

START_TEST(pictures_are_those_drawn_one_by_one)
{
    const scenery *shown = &sceneries[_i];
    static uint8_t expected[MOST][32];
    stand s;
    mrw_error error;
    stand_up(&s, shown->path, shown->options);
    const uint32_t count = s.list.count;
    draw_one_by_one(shown->path, shown->options, NULL, count, expected);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        watcher w = watching(thread_counts[t]);
        good(perform(&s, &w, &error), &error);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_int_eq(w.puts[i], 1);
            ck_assert_msg(memcmp(w.hashes[i], expected[i], 32) == 0,
                          "picture %u differs with %d threads", i, thread_counts[t]);
        }
        ck_assert_int_eq(w.puts_in_all, (int)count);
    }
    tear_down(&s);
}
END_TEST

/* A clip that comes back has its camera again, and index is the place in what was given. */
START_TEST(clips_that_come_back)
{
    static const char *const options[] = {"clip", "Walk", "clip", "Wave", "count", "3", NULL};
    static const uint32_t order[] = {0, 1, 4, 3, 2, 5};
    static uint8_t expected[MOST][32];
    stand s;
    mrw_error error;
    mrw_picture pictures[6];
    stand_up(&s, "demo:figure", options);
    ck_assert_uint_eq(s.list.count, 6);
    for (int i = 0; i < 6; i++) {
        pictures[i] = s.list.items[order[i]];
    }
    draw_one_by_one("demo:figure", options, order, 6, expected);
    ck_assert_mem_ne(expected[1], expected[2], 32);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        watcher w = watching(thread_counts[t]);
        const mrw_session_sink sink = sink_of(&w);
        good(perform_with(mrw_backend_software(), &s, pictures, 6, &w, &sink, &error), &error);
        ck_assert_mem_eq(w.hashes, expected, 6 * 32);
    }
    tear_down(&s);
}
END_TEST

/* One cache, three sessions: what a clip reaches is measured by one of them for all. */
START_TEST(sessions_of_a_cache_have_the_same_cameras)
{
    static const char *const options[] = {"clip", "Walk", "clip", "Run", "count", "2", NULL};
    static uint8_t expected[MOST][32];
    mrw_error error;
    mrw_settings settings;
    mrw_session_cache *cache;
    draw_one_by_one("demo:figure", options, NULL, 4, expected);
    mrw_settings_init(&settings);
    good(mrw_settings_set(&settings, "size", "48x36", &error), &error);
    for (int i = 0; options[i]; i += 2) {
        good(mrw_settings_set(&settings, options[i], options[i + 1], &error), &error);
    }
    good(mrw_session_cache_create(&cache, &error), &error);
    const uint64_t measured = mrwi_session_framings_measured();
    stand stands[3];
    const mrw_scene *scene; /* one for all, as long as one of them has it */
    for (int k = 0; k < 3; k++) {
        stand *s = &stands[k];
        *s = (stand){.settings = settings};
        good(mrw_session_cache_load(cache, "demo:figure", &settings, NULL, &scene, &error), &error);
        good(mrw_session_model_init("demo:figure", scene, &settings, &s->model, &error), &error);
        good(mrw_session_pictures(&s->model, true, &s->list, &error), &error);
        good(mrw_session_begin(&s->session, &s->model, true, &error), &error);
        s->session.cache = cache;
        good(mrw_session_prepare(&s->session, NULL, &error), &error);
        watcher w = watching(2);
        good(perform(s, &w, &error), &error);
        ck_assert_mem_eq(w.hashes, expected, 4 * 32);
        ck_assert_uint_eq(mrwi_session_framings_measured() - measured, 2); /* the two clips */
    }
    for (int k = 0; k < 3; k++) {
        mrw_session_free(&stands[k].session);
        mrw_picture_list_free(&stands[k].list);
        mrw_session_model_free(&stands[k].model);
        mrw_session_cache_release(cache, scene);
    }
    mrw_session_cache_free(cache);
    mrw_settings_free(&settings);
}
END_TEST

/* Where measuring fails nothing is given, and nothing kept: who asks next measures. */
START_TEST(a_framing_that_fails)
{
    static const char *const options[] = {"clip", "Walk", "count", "2", NULL};
    stand s;
    mrw_error error;
    mrwi_session_framings framings;
    mrw_extents extents, before, expected;
    mrw_status status = MRW_ERROR_MEMORY;
    uint64_t failures = 0;
    stand_up(&s, "demo:figure", options);
    s.session.threads = 1;
    mrw_session_play(&s.session, &s.list.items[0]);
    good(mrw_session_extents(&s.session, &expected, &error), &error);
    memset(&extents, 0x5a, sizeof extents);
    memset(&before, 0x5a, sizeof before);
    mrwi_session_framings_begin(&framings);
    const mrw_view_def view = mrw_session_view_def(&s.settings);
    const uint64_t measured = mrwi_session_framings_measured();
    while (status != MRW_OK) {
        mrwi_base_alloc_fail_at(failures + 1);
        status = mrwi_session_framings_extents(&framings, &view, &s.session, &extents, &error);
        mrwi_base_alloc_fail_at(0);
        if (status != MRW_OK) {
            failures++;
            ck_assert_int_eq(status, MRW_ERROR_MEMORY);
            ck_assert_mem_eq(&extents, &before, sizeof extents);
        }
        ck_assert_uint_eq(mrwi_session_framings_measured() - measured, status == MRW_OK);
    }
    ck_assert_uint_gt(failures, 1);
    ck_assert_mem_eq(&extents, &expected, sizeof extents);
    mrwi_session_framings_free(&framings);
    tear_down(&s);
}
END_TEST

/* ---- equal pictures -------------------------------------------------------------------------- */

/* Of the times 0, 0.25, 0, 0.5, 0.25, 0 three differ. */
START_TEST(equal_pictures_are_drawn_once)
{
    static const char *const options[] = {"clip", "Walk", "times", "0,0.25,0,0.5,0.25,0", NULL};
    static const uint32_t same_as[] = {0, 1, 0, 3, 1, 0};
    stand s;
    mrw_error error;
    stand_up(&s, "demo:figure", options);
    ck_assert_uint_eq(s.list.count, 6);
    for (int every = 0; every < 2; every++) {
        for (int t = 0; t < THREAD_COUNTS; t++) {
            counter c = {0};
            const mrw_backend backend = counting(&c);
            watcher w = watching(thread_counts[t]);
            const mrw_session_sink sink = sink_of(&w);
            s.session.frame.every = every;
            good(perform_with(&backend, &s, s.list.items, 6, &w, &sink, &error), &error);
            ck_assert_int_eq(c.drawn, every ? 6 : 3);
            for (uint32_t i = 0; i < 6; i++) {
                ck_assert_int_eq(w.puts[i], 1);
                ck_assert_uint_eq(w.same_as[i], every ? i : same_as[i]);
                ck_assert_mem_eq(w.hashes[i], w.hashes[same_as[i]], 32);
            }
            ck_assert_mem_ne(w.hashes[0], w.hashes[1], 32);
        }
    }
    tear_down(&s);
}
END_TEST

/* ---- crews and backends ---------------------------------------------------------------------- */

static const char *const eight[] = {"clip", "Walk", "frames", "0-7", NULL};

/* Members are made when they are first wanted, and kept from session to session. */
START_TEST(crews_are_kept)
{
    static const char *const other[] = {"clip", "Curl", "count", "6", NULL};
    static uint8_t expected[2][MOST][32];
    stand s[2];
    mrw_error error;
    mrw_crew *crew;
    counter c = {0};
    const mrw_backend backend = counting(&c);
    draw_one_by_one("demo:figure", eight, NULL, 8, expected[0]);
    draw_one_by_one("demo:tentacle", other, NULL, 6, expected[1]);
    stand_up(&s[0], "demo:figure", eight);
    stand_up(&s[1], "demo:tentacle", other);
    good(mrw_crew_create(&backend, 3, &crew, &error), &error);
    ck_assert_int_eq(c.created, 0);
    for (int round = 0; round < 6; round++) {
        stand *at = &s[round % 2];
        watcher w = watching(3);
        mrw_session_sink sink = sink_of(&w);
        w.inside = round == 0 ? 3 : 1; /* a picture that is alone has all threads */
        const uint32_t count = round == 0 ? 1 : at->list.count;
        good(mrw_session_perform(&at->session, at->list.items, 0, crew, &sink, &error), &error);
        ck_assert_int_eq(w.puts_in_all, 0);
        good(mrw_session_perform(&at->session, at->list.items, count, crew, &sink, &error), &error);
        ck_assert_int_eq(w.wrong, 0);
        ck_assert_mem_eq(w.hashes, expected[round % 2], count * 32);
        ck_assert_int_eq(c.created, round == 0 ? 1 : 3);
    }
    ck_assert_int_eq(c.freed, 0);
    mrw_crew_free(crew);
    ck_assert_int_eq(c.freed, 3);
    tear_down(&s[0]);
    tear_down(&s[1]);
    mrw_crew_free(NULL);
}
END_TEST

/* What a sink draws beside the picture at hand: the same from behind. */
typedef struct beside {
    watcher *watcher;
    mrw_crew *crew;
    mrw_camera behind;
    mrw_image images[5]; /* by worker */
} beside;

static mrw_status put_behind(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    beside *b = user;
    mrw_frame_def def = *frame->def;
    mrw_sequence_frame other = *frame;
    uint8_t before[32], after[32];
    def.camera = b->behind;
    mrw_image_hash(frame->image, before);
    other.image = &b->images[frame->worker];
    mrw_status status =
        mrw_crew_draw(b->crew, frame->worker, &def, frame->instances, frame->instance_count,
                      frame->threads, &b->images[frame->worker], error);
    mrw_image_hash(frame->image, after);
    b->watcher->wrong += memcmp(before, after, 32) != 0;
    return status == MRW_OK ? put(b->watcher, &other, error) : status;
}

/* The backend draws what a sink wants drawn beside, too. */
START_TEST(pictures_beside_those_of_the_loop)
{
    static const char *const behind[] = {"clip", "Walk", "frames", "0-7", "azimuth", "180", NULL};
    static uint8_t expected[MOST][32];
    stand s;
    mrw_error error;
    stand_up(&s, "demo:figure", behind);
    beside b = {0};
    mrw_session_play(&s.session, &s.list.items[0]);
    good(mrw_session_aim(&s.session, &error), &error);
    b.behind = s.session.frame.camera;
    tear_down(&s);
    draw_one_by_one("demo:figure", behind, NULL, 8, expected);
    stand_up(&s, "demo:figure", eight);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        counter c = {0};
        const mrw_backend backend = counting(&c);
        watcher w = watching(thread_counts[t]);
        const mrw_session_sink sink = {.user = &b, .put = put_behind};
        b.watcher = &w;
        good(mrw_crew_create(&backend, thread_counts[t], &b.crew, &error), &error);
        good(mrw_session_perform(&s.session, s.list.items, 8, b.crew, &sink, &error), &error);
        ck_assert_int_eq(w.wrong, 0);
        ck_assert_int_eq(c.drawn, 16);
        ck_assert_mem_eq(w.hashes, expected, 8 * 32);
        mrw_crew_free(b.crew);
    }
    for (int i = 0; i < 5; i++) {
        mrw_image_free(&b.images[i]);
    }
    tear_down(&s);
}
END_TEST

/* What can't be made fails the pictures, frees what was made, and may be tried again. */
START_TEST(a_member_that_cannot_be_made)
{
    stand s;
    mrw_error error;
    mrw_crew *crew;
    counter c = {.fail_create = 2};
    const mrw_backend backend = counting(&c);
    watcher w = watching(3);
    const mrw_session_sink sink = sink_of(&w);
    stand_up(&s, "demo:figure", eight);
    good(mrw_crew_create(&backend, 3, &crew, &error), &error);
    ck_assert_int_eq(mrw_session_perform(&s.session, s.list.items, 8, crew, &sink, &error),
                     MRW_ERROR_UNSUPPORTED);
    ck_assert_str_eq(error.text, "create 2");
    ck_assert_int_eq(w.puts_in_all, 0);
    ck_assert_int_eq(c.drawn, 0);
    c.fail_create = 0;
    good(mrw_session_perform(&s.session, s.list.items, 8, crew, &sink, &error), &error);
    ck_assert_int_eq(w.puts_in_all, 8);
    mrw_crew_free(crew);
    ck_assert_int_eq(c.created, 3);
    ck_assert_int_eq(c.freed, 3);
    tear_down(&s);
}
END_TEST

/* Draws nothing; the sink poses. */
static mrw_status compare_pose(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    watcher *w = user;
    mrw_renderer *own = NULL;
    const mrw_posed_instance *a = NULL, *b = NULL;
    const mrw_scene *scene = w->scene;
    mrw_status status = mrw_pose_instances(frame->renderer, frame->instances, frame->instance_count,
                                           MRW_ISA_AUTO, &a, error);
    if (status == MRW_OK) {
        status = mrw_renderer_create(&own, error);
    }
    if (status == MRW_OK) {
        status = mrw_pose_instances(own, frame->instances, frame->instance_count, MRW_ISA_SCALAR,
                                    &b, error);
    }
    w->wrong += status != MRW_OK || frame->image->pixels;
    for (uint32_t d = 0; status == MRW_OK && d < scene->draws_count; d++) {
        const mrw_posed_draw *x = &a[0].draws[d], *y = &b[0].draws[d];
        w->wrong += x->vertex_count != y->vertex_count ||
                    memcmp(x->positions, y->positions, x->vertex_count * 4 * sizeof(float)) != 0;
    }
    mrw_renderer_free(own);
    return status == MRW_OK ? put(user, frame, error) : status;
}

START_TEST(nothing_is_drawn_without_a_backend)
{
    stand s;
    mrw_error error;
    watcher w = watching(2);
    mrw_session_sink sink = sink_of(&w);
    sink.put = compare_pose;
    stand_up(&s, "demo:figure", eight);
    w.scene = s.scene;
    good(perform_with(mrw_backend_none(), &s, s.list.items, 8, &w, &sink, &error), &error);
    ck_assert_int_eq(w.puts_in_all, 8);
    ck_assert_str_eq(mrw_backend_none()->name, "none");
    ck_assert_str_eq(mrw_backend_software()->name, "software");
    tear_down(&s);
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------- */

/* Of the failures of frames 2 to 7 that of 2 is told, whether others fail before or after it; 0 and
 * 1 are put. */
START_TEST(the_first_failure_is_told)
{
    stand s;
    mrw_error error;
    stand_up(&s, "demo:figure", eight);
    for (int round = 0; round < 20; round++) {
        for (int t = 0; t < THREAD_COUNTS; t++) {
            counter c = {.fail_draws = 0xfc,
                         .slow_draws = round % 2 ? 0xf8 : 0x04,
                         .meet = thread_counts[t] > 1};
            const mrw_backend backend = counting(&c);
            watcher w = watching(thread_counts[t]);
            const mrw_session_sink sink = sink_of(&w);
            ck_assert_int_eq(perform_with(&backend, &s, s.list.items, 8, &w, &sink, &error),
                             MRW_ERROR_MEMORY);
            ck_assert_str_eq(error.text, "draw 2");
            ck_assert_int_eq(w.puts[0] + w.puts[1], 2);
            ck_assert_int_eq(w.puts_in_all, 2);
            ck_assert_int_eq(c.freed, c.created);
            if (thread_counts[t] == 1) {
                ck_assert_int_eq(c.drawn, 3);
            }
        }
    }
    tear_down(&s);
}
END_TEST

/* Frame 3 of the first clip fails: nothing of the second is drawn. */
START_TEST(a_failure_ends_all_clips)
{
    static const char *const options[] = {"clip", "Walk", "clip", "Run", "frames", "0-4", NULL};
    stand s;
    mrw_error error;
    stand_up(&s, "demo:figure", options);
    ck_assert_uint_eq(s.list.count, 10);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        watcher w = watching(thread_counts[t]);
        w.fail_put = 3;
        ck_assert_int_eq(perform(&s, &w, &error), MRW_ERROR_OUTPUT);
        ck_assert_str_eq(error.text, "put 3");
        for (int i = 0; i < 10; i++) {
            ck_assert_msg(i < 4 ? w.puts[i] == 1 : i < 5 || w.puts[i] == 0, "picture %d", i);
        }
        w = watching(thread_counts[t]);
        w.fail_put = 8; /* of the second clip */
        ck_assert_int_eq(perform(&s, &w, &error), MRW_ERROR_OUTPUT);
        ck_assert_str_eq(error.text, "put 8");
    }
    tear_down(&s);
}
END_TEST

/* A picture that others equal fails at the third of them: the first two were put. */
START_TEST(equal_pictures_fail_by_themselves)
{
    static const char *const options[] = {"clip", "Walk", "times", "0,0,0.1,0,0", NULL};
    stand s;
    mrw_error error;
    stand_up(&s, "demo:figure", options);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        watcher w = watching(thread_counts[t]);
        w.fail_put = 3;
        ck_assert_int_eq(perform(&s, &w, &error), MRW_ERROR_OUTPUT);
        ck_assert_str_eq(error.text, "put 3");
        ck_assert_int_eq(w.puts[0] + w.puts[1] + w.puts[2], 3);
        ck_assert_int_eq(w.puts[4], 0);
    }
    tear_down(&s);
}
END_TEST

/* Asked before each camera and before each picture is put. */
START_TEST(a_signal_stops)
{
    static const char *const each[] = {"clip", "Walk", "frames", "0-7", "fit", "frame", NULL};
    static const struct {
        const char *const *options;
        int calls; /* in all: cameras and pictures */
    } kinds[] = {{eight, 1 + 8}, {each, 8 + 8}};
    for (int k = 0; k < 2; k++) {
        stand s;
        mrw_error error;
        stand_up(&s, "demo:figure", kinds[k].options);
        for (int stop_at = 0; stop_at <= kinds[k].calls + 1; stop_at++) {
            counter c = {0};
            const mrw_backend backend = counting(&c);
            const int cameras = kinds[k].calls - 8;
            watcher w = watching(1);
            mrw_session_sink sink = sink_of(&w);
            sink.go_on = go_on;
            w.stop_at = stop_at;
            mrw_status status = perform_with(&backend, &s, s.list.items, 8, &w, &sink, &error);
            const bool stopped = stop_at >= 1 && stop_at <= kinds[k].calls;
            ck_assert_int_eq(status, stopped ? MRW_ERROR_OUTPUT : MRW_OK);
            ck_assert_int_eq(w.go_ons, stopped ? stop_at : kinds[k].calls);
            ck_assert_int_eq(w.puts_in_all, !stopped             ? 8
                                            : stop_at <= cameras ? 0
                                                                 : stop_at - cameras - 1);
            ck_assert_msg(c.drawn > 0 || (stopped && stop_at <= cameras), "nothing was drawn");
            ck_assert_msg(c.drawn == 0 || !stopped || stop_at > cameras, "drawn without a camera");
            ck_assert_str_eq(stopped ? error.text : "stopped 0", "stopped 0");
        }
        tear_down(&s);
    }
}
END_TEST

/* A sink with cameras of its own: one a clip, or one a picture. */
START_TEST(cameras_of_the_sink)
{
    static const char *const two[] = {"clip", "Walk", "clip", "Run", "frames", "0-3", NULL};
    static const char *const each[] = {"clip", "Walk", "clip",  "Run", "frames",
                                       "0-3",  "fit",  "frame", NULL};
    for (int k = 0; k < 2; k++) {
        stand s;
        mrw_error error;
        mrw_extents extents;
        mrw_renderer *renderer;
        mrw_image image = {0};
        uint8_t hash[32];
        watcher w = watching(2);
        mrw_session_sink sink = sink_of(&w);
        stand_up(&s, "demo:figure", k ? each : two);
        /* A camera from behind, which no option asks for. */
        mrw_view_def view = mrw_view_def_default();
        view.azimuth_degrees = 180.0f;
        mrw_session_play(&s.session, &s.list.items[5]);
        good(mrw_frame_extents(s.session.instances, 1, MRW_FIT_FRAME, &view, 48.0f / 36.0f,
                               MRW_ISA_AUTO, 1, &extents, &error),
             &error);
        good(mrw_view_camera(&view, &extents, 48.0f / 36.0f, &w.camera, &error), &error);
        mrw_frame_def frame = s.session.frame;
        frame.camera = w.camera;
        good(mrw_renderer_create(&renderer, &error), &error);
        good(mrw_render(renderer, &frame, s.session.instances, 1, 1, &image, &error), &error);
        mrw_image_hash(&image, hash);
        sink.aim = aim;
        good(perform_with(mrw_backend_software(), &s, s.list.items, 8, &w, &sink, &error), &error);
        ck_assert_int_eq(w.aims, k ? 8 : 2);
        ck_assert_mem_eq(w.hashes[5], hash, 32);
        watcher failing = watching(2);
        failing.camera = w.camera;
        failing.fail_aim = 2;
        sink.user = &failing;
        ck_assert_int_eq(
            perform_with(mrw_backend_software(), &s, s.list.items, 8, &failing, &sink, &error),
            MRW_ERROR_INPUT);
        ck_assert_str_eq(error.text, k ? "aim 1" : "aim 4");
        ck_assert_int_eq(failing.puts_in_all, k ? 0 : 4);
        mrw_image_free(&image);
        mrw_renderer_free(renderer);
        tear_down(&s);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("perform");
    TCase *tc = tcase_create("perform");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, pictures_are_those_drawn_one_by_one, 0,
                        sizeof sceneries / sizeof *sceneries);
    tcase_add_test(tc, clips_that_come_back);
    tcase_add_test(tc, sessions_of_a_cache_have_the_same_cameras);
    tcase_add_test(tc, a_framing_that_fails);
    tcase_add_test(tc, equal_pictures_are_drawn_once);
    tcase_add_test(tc, crews_are_kept);
    tcase_add_test(tc, pictures_beside_those_of_the_loop);
    tcase_add_test(tc, a_member_that_cannot_be_made);
    tcase_add_test(tc, nothing_is_drawn_without_a_backend);
    tcase_add_test(tc, the_first_failure_is_told);
    tcase_add_test(tc, a_failure_ends_all_clips);
    tcase_add_test(tc, equal_pictures_fail_by_themselves);
    tcase_add_test(tc, a_signal_stops);
    tcase_add_test(tc, cameras_of_the_sink);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
