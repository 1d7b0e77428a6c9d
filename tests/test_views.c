/* test_views.c: pictures of one time from several views. What is expected of each comes from a
 * session of that view alone, picture by picture; of the work done, from counts.
 */
#include "test.h"

#include "frame/frame.h"
#include "session/internal.h"

#include <marrow/session.h>

#include <stdatomic.h>

#define MOST_PICTURES 64
#define MOST_OPTIONS  24
#define MOST_VIEWS    8

static void good(mrw_status status, const mrw_error *error)
{
    ck_assert_msg(status == MRW_OK, "%s", error->text);
}

/* ---- sessions -------------------------------------------------------------------------------- */

typedef struct stand {
    mrw_settings settings;
    mrw_session_cache *cache; /* where the model is from, or NULL */
    const mrw_scene *scene;
    mrw_session_model model;
    mrw_picture_list list;
    mrw_session session;
} stand;

/* Options and values in turn, up to a NULL. */
static void set_all(stand *s, const char *const *options)
{
    mrw_error error;
    for (; options && *options; options += 2) {
        good(mrw_settings_set(&s->settings, options[0], options[1], &error), &error);
    }
}

static void stand_up(stand *s, mrw_session_cache *cache, const char *path,
                     const char *const *options, const char *const *more)
{
    mrw_error error;
    *s = (stand){.cache = cache};
    mrw_settings_init(&s->settings);
    good(mrw_settings_set(&s->settings, "size", "40x30", &error), &error);
    set_all(s, options);
    set_all(s, more);
    const bool sequence = mrw_session_wants_sequence(&s->settings);
    good(mrw_session_cache_load(cache, path, &s->settings, NULL, &s->scene, &error), &error);
    good(mrw_session_model_init(path, s->scene, &s->settings, &s->model, &error), &error);
    good(mrw_session_pictures(&s->model, sequence, &s->list, &error), &error);
    ck_assert_uint_le(s->list.count, MOST_PICTURES);
    good(mrw_session_begin(&s->session, &s->model, sequence, &error), &error);
    s->session.cache = cache;
}

static void prepare(stand *s, bool fewest_levels)
{
    mrw_error error;
    s->session.fewest_levels = fewest_levels;
    good(mrw_session_prepare(&s->session, NULL, &error), &error);
}

static void tear_down(stand *s)
{
    mrw_session_free(&s->session);
    mrw_picture_list_free(&s->list);
    mrw_session_model_free(&s->model);
    mrw_session_cache_release(s->cache, s->scene);
    mrw_settings_free(&s->settings);
}

/* ---- a sink ---------------------------------------------------------------------------------- */

typedef struct watcher {
    uint8_t hashes[MOST_PICTURES][32];
    uint32_t same_as[MOST_PICTURES];
    atomic_int puts[MOST_PICTURES];
    uint32_t order[MOST_PICTURES]; /* of one thread */
    atomic_uint count;
    uint32_t fails[2]; /* pictures; MRW_NONE: none */
    bool poses;        /* with the renderer that drew */
} watcher;

static watcher watching(void)
{
    return (watcher){.fails = {MRW_NONE, MRW_NONE}};
}

static mrw_status put(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    watcher *w = user;
    w->order[w->count++] = frame->index;
    w->same_as[frame->index] = frame->same_as;
    w->puts[frame->index]++;
    mrw_image_hash(frame->image, w->hashes[frame->index]);
    if (w->poses) {
        const mrw_posed_instance *posed;
        good(mrw_pose_instances(frame->renderer, frame->instances, frame->instance_count,
                                frame->def->isa, &posed, error),
             error);
    }
    if (frame->index != w->fails[0] && frame->index != w->fails[1]) {
        return MRW_OK;
    }
    *error = (mrw_error){.status = MRW_ERROR_OUTPUT};
    snprintf(error->text, sizeof error->text, "picture %u", frame->index);
    return MRW_ERROR_OUTPUT;
}

static mrw_status perform(stand *s, const mrw_backend *backend, int threads, watcher *w,
                          mrw_error *error)
{
    const mrw_session_sink sink = {.user = w, .put = put};
    mrw_crew *crew;
    good(mrw_crew_create(backend, threads, &crew, error), error);
    mrw_status status =
        mrw_session_perform(&s->session, s->list.items, s->list.count, crew, &sink, error);
    mrw_crew_free(crew);
    return status;
}

/* ---- a backend that draws what is described -------------------------------------------------- */

static mrw_status take(void *user, mrw_renderer *renderer, void **out, mrw_error *error)
{
    (void)user, (void)error;
    *out = renderer;
    return MRW_OK;
}

/* Of modes whose descriptions have all vertices. */
static mrw_status draw_described(void *user, const mrw_frame_def *def,
                                 const mrw_instance *instances, uint32_t count, int threads,
                                 mrw_image *out, mrw_error *error)
{
    mrw_frame_description description;
    mrw_raster *raster = NULL;
    mrw_status status =
        mrw_frame_describe(user, def, instances, count, threads, out, &description, error);
    if (status == MRW_OK) {
        status = mrw_raster_create(&raster, error);
    }
    if (status == MRW_OK) {
        status = mrw_raster_draw_frame(raster, &description.job, error);
    }
    mrw_raster_free(raster);
    return status;
}

static void leave(void *drawer)
{
    (void)drawer;
}

static const mrw_backend describing = {
    .name = "describing", .create = take, .draw = draw_described, .free = leave};

/* ---- the same pictures ----------------------------------------------------------------------- */

/* What names of views mean, as their definition has it. */
static const char *const angles[][3] = {{"12.5/-7", "12.5", "-7"}, {"top", "0", "90"},
                                        {"iso", "45", "35.264"},   {"front", "0", "0"},
                                        {"left", "90", "0"},       {"right", "-90", "0"},
                                        {"back", "180", "0"},      {"bottom", "0", "-90"}};

/* The views, some of them for what takes longer, and the options of each alone. */
static const char *const all_views[] = {"views", "12.5/-7,top,iso, front,left,right,back,bottom",
                                        NULL};
static const char *const some_views[] = {"views", "12.5/-7,top,iso", NULL};
#define SOME_VIEWS 3

static void one_view(uint32_t view, const char *out[8])
{
    const char *const options[8] = {"azimuth", angles[view][1], "elevation", angles[view][2], NULL};
    memcpy(out, options, sizeof options);
}

/* Pictures of a session of one view, one by one: every `step`-th entry of hashes from `first`. */
static void draw_alone(mrw_session_cache *cache, const char *path, const char *const *options,
                       const char *const *view, uint32_t first, uint32_t step,
                       uint8_t hashes[MOST_PICTURES][32])
{
    stand s;
    mrw_error error;
    mrw_renderer *renderer;
    mrw_image image = {0};
    stand_up(&s, cache, path, options, view);
    prepare(&s, false);
    good(mrw_renderer_create(&renderer, &error), &error);
    for (uint32_t i = 0; i < s.list.count; i++) {
        mrw_session_play(&s.session, &s.list.items[i]);
        good(mrw_session_aim(&s.session, &error), &error);
        good(mrw_render(renderer, &s.session.frame, s.session.instances, s.session.instance_count,
                        1, &image, &error),
             &error);
        mrw_image_hash(&image, hashes[first + i * step]);
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    tear_down(&s);
}

typedef struct scenery {
    const char *path;
    const char *options[MOST_OPTIONS];
} scenery;

static const scenery sceneries[] = {
    {"demo:figure", {NULL}},
    {"demo:figure", {"clip", "Walk", "clip", "Wave", "count", "3"}},
    {"demo:figure", {"fit", "frame", "count", "3", "shadows", "yes"}},
    {"demo:figure", {"fit", "rest", "clip", "Run", "clip", "Walk", "count", "2"}},
    {"demo:figure", {"fit", "all", "clip", "Run", "clip", "Wave", "count", "2"}},
    {"demo:figure", {"follow", "head", "clip", "Walk", "count", "3", "add", "demo:blob"}},
    {"demo:figure", {"copies", "3", "blend", "Walk:0.5,Run:0.5", "count", "2", "ground", "on"}},
    {"demo:figure", {"target", "0.2,1,0", "ortho", "yes", "view-height", "1.5", "count", "2"}},
    {"demo:figure", {"root-motion", "loop", "wrap", "loop", "clip", "Walk", "frames", "0-60x30"}},
    {"demo:blob", {"clip", "all", "shading", "gouraud", "count", "2"}},
    {"demo:stage", {"count", "3", "aa", "1"}},
    {"demo:figure", {"count", "3", "overlay", "skeleton,axes,grid", "fit", "frame"}},
};
#define SCENERIES (int)(sizeof sceneries / sizeof *sceneries)

START_TEST(each_view_is_what_it_is_alone)
{
    const scenery *shown = &sceneries[_i];
    const bool levels = _i % 2 == 1;
    const uint32_t views = _i == 0 ? MOST_VIEWS : SOME_VIEWS;
    static uint8_t expected[MOST_PICTURES][32];
    mrw_session_cache *cache;
    mrw_error error;
    stand s;
    good(mrw_session_cache_create(&cache, &error), &error);
    for (uint32_t v = 0; v < views; v++) {
        const char *view[8];
        one_view(v, view);
        draw_alone(cache, shown->path, shown->options, view, v, views, expected);
    }
    ck_assert_mem_ne(expected[0], expected[1], 32);
    stand_up(&s, levels ? NULL : cache, shown->path, shown->options,
             _i == 0 ? all_views : some_views);
    prepare(&s, levels);
    ck_assert_uint_eq(s.list.view_count, views);
    for (int threads = 1; threads <= 3; threads += 2) {
        watcher w = watching();
        w.poses = threads > 1;
        good(perform(&s, mrw_backend_software(), threads, &w, &error), &error);
        ck_assert_uint_eq(w.count, s.list.count);
        for (uint32_t i = 0; i < s.list.count; i++) {
            ck_assert_msg(memcmp(w.hashes[i], expected[i], 32) == 0,
                          "picture %u, from %s, differs with %d threads", i, angles[i % views][0],
                          threads);
        }
    }
    tear_down(&s);
    mrw_session_cache_free(cache);
}
END_TEST

/* A session plays pictures of any view one by one, too. */
START_TEST(pictures_of_views_one_by_one)
{
    static uint8_t expected[MOST_PICTURES][32], own[MOST_PICTURES][32];
    static const char *const fits[] = {"frame", "all"};
    mrw_session_cache *cache;
    mrw_error error;
    good(mrw_session_cache_create(&cache, &error), &error);
    for (int f = 0; f < 2; f++) {
        const char *const fit[] = {"count", "2", "fit", fits[f], NULL};
        for (uint32_t v = 0; v < SOME_VIEWS; v++) {
            const char *view[8];
            one_view(v, view);
            draw_alone(cache, "demo:figure", fit, view, v, SOME_VIEWS, expected);
        }
        draw_alone(cache, "demo:figure", fit, some_views, 0, 1, own);
        ck_assert_mem_eq(own, expected, 2 * SOME_VIEWS * 32);
    }
    mrw_session_cache_free(cache);
}
END_TEST

START_TEST(several_cameras_of_the_file)
{
    static uint8_t expected[MOST_PICTURES][32];
    static const char *const options[] = {"count", "4", "shadows", "yes", NULL};
    static const char *const orbit[] = {"camera", "Orbit", NULL}, *const plan[] = {"camera", "1",
                                                                                   NULL};
    static const char *const both[] = {"camera", "0", "camera", "Plan", NULL};
    mrw_error error;
    stand s;
    draw_alone(NULL, "demo:stage", options, orbit, 0, 2, expected);
    draw_alone(NULL, "demo:stage", options, plan, 1, 2, expected);
    stand_up(&s, NULL, "demo:stage", options, both);
    prepare(&s, true);
    watcher w = watching();
    good(perform(&s, mrw_backend_software(), 2, &w, &error), &error);
    ck_assert_uint_eq(w.count, 8);
    ck_assert_mem_eq(w.hashes, expected, 8 * 32);
    for (uint32_t v = 0; v < 2; v++) {
        mrw_session_view view;
        good(mrw_session_find_view(&s.model, v, &view, &error), &error);
        ck_assert_str_eq(view.name, v == 0 ? "Orbit" : "Plan");
        ck_assert_uint_eq(view.scene_camera, v);
    }
    tear_down(&s);
}
END_TEST

/* Half a turn about X and half a turn about Z are half a turn about Y: the figure then looks along
 * -Z, and all views turn to that front. */
START_TEST(all_views_turn_to_the_front)
{
    static const char *const options[] = {"rotate", "180,0,180", "directions", "4", NULL};
    mrw_session_view views[4], view;
    mrw_error error;
    stand s;
    stand_up(&s, NULL, "demo:figure", options, NULL);
    good(mrwi_session_find_views(&s.model, views, &error), &error);
    for (uint32_t v = 0; v < 4; v++) {
        const float expected[4] = {-1.0f, 0.0f, 1.0f, 0.0f}; /* the cosine, turned by half a turn */
        good(mrw_session_find_view(&s.model, v, &view, &error), &error);
        ck_assert_float_eq_tol(cosf(views[v].view.azimuth_degrees * 0.01745329f), expected[v],
                               1e-3f);
        ck_assert_float_eq(views[v].view.azimuth_degrees, view.view.azimuth_degrees);
        ck_assert_str_eq(views[v].name, view.name);
    }
    tear_down(&s);
}
END_TEST

START_TEST(one_camera_twice_is_refused)
{
    static const char *const both[] = {"camera", "0", "camera", "Orbit", NULL};
    mrw_error error;
    stand s = {0};
    mrw_settings_init(&s.settings);
    set_all(&s, both);
    good(mrw_session_cache_load(NULL, "demo:stage", &s.settings, NULL, &s.scene, &error), &error);
    good(mrw_session_model_init("demo:stage", s.scene, &s.settings, &s.model, &error), &error);
    ck_assert_int_eq(mrw_session_begin(&s.session, &s.model, false, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "demo:stage: --camera 0 and --camera Orbit are the same camera; "
                                 "leave one out");
    tear_down(&s);
}
END_TEST

/* What backends are told of a pose that they know is what they were told the first time. */
START_TEST(described_from_all_views)
{
    static const char *const modes[][MOST_OPTIONS] = {
        {"shading", "depth", "count", "2"},
        {"shading", "gouraud", "count", "2", "overlay", "skeleton,bounds,label"},
        {"shadows", "yes", "count", "2"}};
    watcher drawn = watching(), described = watching();
    mrw_error error;
    stand s;
    stand_up(&s, NULL, "demo:figure", modes[_i], all_views);
    prepare(&s, false);
    good(perform(&s, mrw_backend_software(), 1, &drawn, &error), &error);
    good(perform(&s, &describing, 1, &described, &error), &error);
    ck_assert_uint_eq(described.count, 2 * MOST_VIEWS);
    ck_assert_mem_eq(described.hashes, drawn.hashes, 2 * MOST_VIEWS * 32);
    tear_down(&s);
}
END_TEST

/* ---- the work -------------------------------------------------------------------------------- */

typedef struct work {
    uint64_t pictures, plays, places, skins;
} work;

static work so_far(void)
{
    return (work){mrwi_frame_counts.pictures, mrwi_frame_counts.plays, mrwi_frame_counts.places,
                  mrwi_frame_counts.skins};
}

/* Of preparing, and of drawing. */
static void count_work(const char *const *options, const char *const *views,
                       const mrw_backend *backend, work out[2])
{
    mrw_error error;
    stand s;
    watcher w = watching();
    stand_up(&s, NULL, "demo:figure", options, views);
    const work start = so_far();
    prepare(&s, true);
    const work ready = so_far();
    good(perform(&s, backend, 2, &w, &error), &error);
    const work end = so_far();
    out[0] = (work){ready.pictures - start.pictures, ready.plays - start.plays,
                    ready.places - start.places, ready.skins - start.skins};
    out[1] = (work){end.pictures - ready.pictures, end.plays - ready.plays,
                    end.places - ready.places, end.skins - ready.skins};
    tear_down(&s);
}

START_TEST(each_time_is_posed_and_skinned_once)
{
    static const char *const fits[] = {"clip", "frame", "rest", "all"};
    static const char *const one[] = {"azimuth", "0", NULL};
    for (int f = 0; f < 4; f++) {
        const char *const options[] = {"fit", fits[f], "times", "0,0.2,0.4", NULL};
        work alone[2], together[2];
        count_work(options, one, mrw_backend_software(), alone);
        count_work(options, all_views, mrw_backend_software(), together);
        ck_assert_uint_eq(together[1].plays, alone[1].plays);
        ck_assert_uint_eq(together[1].places, alone[1].places);
        ck_assert_uint_eq(together[1].skins, alone[1].skins);
        /* textures are looked at until all their levels are known to be shown */
        ck_assert_uint_le(together[0].plays, alone[0].plays);
        ck_assert_uint_le(together[0].places, alone[0].places);
        ck_assert_uint_le(together[0].skins, alone[0].skins);
        ck_assert_uint_eq(alone[1].pictures, 3);
        ck_assert_uint_eq(together[1].pictures, 3 * MOST_VIEWS);
    }
}
END_TEST

/* Overlays are drawn over what others have drawn, and want vertices for that. */
START_TEST(backends_pose_once_too)
{
    static const char *const options[] = {"overlay", "skeleton,wire", "times", "0,0.2",
                                          "shading", "depth",         NULL};
    static const char *const one[] = {"azimuth", "0", NULL};
    work alone[2], together[2];
    count_work(options, one, &describing, alone);
    count_work(options, all_views, &describing, together);
    ck_assert_uint_gt(alone[1].skins, 0);
    ck_assert_uint_eq(together[1].plays, alone[1].plays);
    ck_assert_uint_eq(together[1].places, alone[1].places);
    ck_assert_uint_eq(together[1].skins, alone[1].skins);
}
END_TEST

/* With cameras that stand already each time is sampled and placed once, and each draw skinned once.
 */
START_TEST(counts_known_by_hand)
{
    static const char *const options[] = {"fit", "rest", "times", "0,0.2,0.4", NULL};
    mrw_error error;
    stand s;
    watcher w = watching();
    stand_up(&s, NULL, "demo:figure", options, all_views);
    prepare(&s, false);
    const mrw_picture_list all = s.list;
    s.list.count = MOST_VIEWS;
    good(perform(&s, mrw_backend_software(), 1, &w, &error), &error); /* framed, for good */
    s.list = all;
    w = watching();
    const work start = so_far();
    good(perform(&s, mrw_backend_software(), 1, &w, &error), &error);
    const work end = so_far();
    ck_assert_uint_eq(end.pictures - start.pictures, 3 * MOST_VIEWS);
    ck_assert_uint_eq(end.plays - start.plays, 3);
    ck_assert_uint_eq(end.places - start.places, 3);
    ck_assert_uint_eq(end.skins - start.skins, 3 * s.scene->draws_count);
    tear_down(&s);
}
END_TEST

/* ---- order ----------------------------------------------------------------------------------- */

/* Times that show the same share their pictures, view by view, one right behind the other. */
START_TEST(duplicates_of_times)
{
    static const char *const options[] = {"times", "0,0.2,0,0.2", NULL};
    static const char *const views[] = {"views", "front,left", NULL};
    static const uint32_t order[] = {0, 4, 1, 5, 2, 6, 3, 7};
    static const uint32_t same_as[] = {0, 1, 2, 3, 0, 1, 2, 3};
    mrw_error error;
    stand s;
    watcher w = watching();
    stand_up(&s, NULL, "demo:figure", options, views);
    prepare(&s, false);
    good(perform(&s, mrw_backend_software(), 1, &w, &error), &error);
    ck_assert_uint_eq(w.count, 8);
    ck_assert_mem_eq(w.order, order, sizeof order);
    ck_assert_mem_eq(w.same_as, same_as, sizeof same_as);
    ck_assert_mem_eq(w.hashes[4], w.hashes[0], 4 * 32);
    ck_assert_mem_ne(w.hashes[1], w.hashes[0], 32);
    ck_assert_mem_ne(w.hashes[2], w.hashes[0], 32);
    tear_down(&s);
}
END_TEST

START_TEST(the_first_failure_is_told)
{
    static const char *const options[] = {"count", "6", NULL};
    static const char *const views[] = {"views", "front,left,top", NULL};
    mrw_error error;
    stand s;
    stand_up(&s, NULL, "demo:figure", options, views);
    prepare(&s, false);
    for (int threads = 1; threads <= 4; threads++) {
        watcher w = watching();
        w.fails[0] = 12;
        w.fails[1] = 7; /* the third time's second view */
        ck_assert_int_eq(perform(&s, mrw_backend_software(), threads, &w, &error),
                         MRW_ERROR_OUTPUT);
        ck_assert_str_eq(error.text, "picture 7");
        for (uint32_t i = 0; i < 7; i++) {
            ck_assert_int_eq(w.puts[i], 1);
        }
        ck_assert_int_eq(w.puts[8], 0);
    }
    tear_down(&s);
}
END_TEST

/* Clips, times, views; a shard has whole times. */
START_TEST(lists_and_shards)
{
    static const char *const options[] = {"clip",  "Walk",  "clip", "Run", "frames",
                                          "0,3,0", "shard", "2/2",  NULL};
    static const char *const views[] = {"views", "front,left", NULL};
    static const uint32_t kept[] = {2, 3, 8, 9};
    stand s;
    stand_up(&s, NULL, "demo:figure", options, views);
    ck_assert_uint_eq(s.list.count, 12);
    for (uint32_t i = 0; i < 12; i++) {
        ck_assert_uint_eq(s.list.items[i].index, i);
        ck_assert_uint_eq(s.list.items[i].view, i % 2);
        ck_assert(s.list.items[i].time == (i / 2 % 3 == 1 ? 0.1 : 0.0));
        ck_assert_uint_eq(s.list.items[i].clip, s.list.items[i / 6 * 6].clip);
    }
    /* equal ones are kept once: times 0 and 0.1 of each clip, of which this shard has the second */
    mrw_picture_list_share(&s.list, &s.settings, 0);
    ck_assert_uint_eq(s.list.count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(s.list.items[i].index, kept[i]);
    }
    tear_down(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("views");
    TCase *tc = tcase_create("views");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, each_view_is_what_it_is_alone, 0, SCENERIES);
    tcase_add_test(tc, pictures_of_views_one_by_one);
    tcase_add_test(tc, several_cameras_of_the_file);
    tcase_add_test(tc, all_views_turn_to_the_front);
    tcase_add_test(tc, one_camera_twice_is_refused);
    tcase_add_loop_test(tc, described_from_all_views, 0, 3);
    tcase_add_test(tc, each_time_is_posed_and_skinned_once);
    tcase_add_test(tc, backends_pose_once_too);
    tcase_add_test(tc, counts_known_by_hand);
    tcase_add_test(tc, duplicates_of_times);
    tcase_add_test(tc, the_first_failure_is_told);
    tcase_add_test(tc, lists_and_shards);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
