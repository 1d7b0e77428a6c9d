/* test_session.c: from settings to pictures: clips, mixes, frames, shares, sessions that share a
 * scene, cameras that several sessions share, what a host hears. */
#include "test.h"

#include "base/memory.h"

#include <marrow/session.h>
#include <unistd.h>

static char tri[300];
static char far_tri[300];

/* ---- a model whose answers are known --------------------------------------------------------- */

/* The triangle (0,0,0) (1,0,0) (0,1,0) at x. Its node "mover" goes from z = 0 to z = 2 in the clips
 * Go (1 s), Half (0.5 s) and Film (13 frames of 1/24 s). A point "post" stands at its side. */
static void write_triangle(const char *path, const char *bin, float x)
{
    const float data[] = {0, 0, 0, 1,    0, 0,          0, 1, 0, /* positions */
                          0, 1, 0, 0.5f, 0, 13.0f / 24,          /* times of each clip */
                          x, 0, 0, x,    0, 2};                  /* translations */
    static const char *const names[] = {"Go", "Half", "Film"};
    test_write(test_path(bin), data, sizeof data);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],"
            "\"nodes\":[{\"name\":\"mover\",\"mesh\":0},{\"name\":\"post\"}],"
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
            "\"buffers\":[{\"byteLength\":%zu,\"uri\":\"%s\"}],\"bufferViews\":["
            "{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":24},"
            "{\"buffer\":0,\"byteOffset\":60,\"byteLength\":24}],"
            "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
            "\"min\":[0,0,0],\"max\":[1,1,0]},"
            "{\"bufferView\":2,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}",
            sizeof data, bin);
    for (int i = 0; i < 3; i++) {
        fprintf(file,
                ",{\"bufferView\":1,\"byteOffset\":%d,\"componentType\":5126,\"count\":2,"
                "\"type\":\"SCALAR\",\"min\":[0],\"max\":[%s]}",
                8 * i,
                i == 0   ? "1"
                : i == 1 ? "0.5"
                         : "0.54166668");
    }
    fprintf(file, "],\"animations\":[");
    for (int i = 0; i < 3; i++) {
        fprintf(file,
                "%s{\"name\":\"%s\",\"samplers\":[{\"input\":%d,\"output\":1}],\"channels\":"
                "[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}]}",
                i ? "," : "", names[i], 2 + i);
    }
    fprintf(file, "]}");
    fclose(file);
}

static void enter(void)
{
    snprintf(tri, sizeof tri, "%s/tri.gltf", test_folder());
    snprintf(far_tri, sizeof far_tri, "%s/far.gltf", test_folder());
    write_triangle(tri, "tri.bin", 0.0f);
    write_triangle(far_tri, "far.bin", 10.0f);
}

/* ---- settings, models ------------------------------------------------------------------------ */

/* Option and value in turn, up to a NULL. */
static void set_all(mrw_settings *settings, const char *const *options)
{
    mrw_error error;
    mrw_settings_init(settings);
    for (; *options; options += 2) {
        ck_assert_msg(mrw_settings_set(settings, options[0], options[1], &error) == MRW_OK, "%s",
                      error.text);
    }
}

#define SET(settings, ...) set_all(settings, (const char *const[]){__VA_ARGS__, NULL})

static mrw_scene *load(const char *path)
{
    mrw_settings settings;
    mrw_scene *scene = NULL;
    mrw_error error;
    mrw_settings_init(&settings);
    ck_assert_msg(mrw_session_load(path, &settings, NULL, &scene, &error) == MRW_OK, "%s",
                  error.text);
    mrw_settings_free(&settings);
    return scene;
}

static mrw_session_model model_of(const char *path, const mrw_scene *scene,
                                  const mrw_settings *settings)
{
    mrw_session_model model;
    mrw_error error;
    ck_assert_msg(mrw_session_model_init(path, scene, settings, &model, &error) == MRW_OK, "%s",
                  error.text);
    return model;
}

static mrw_picture_list pictures_of(const mrw_session_model *model)
{
    mrw_picture_list list;
    mrw_error error;
    bool sequence = mrw_session_wants_sequence(model->settings);
    ck_assert_msg(mrw_session_pictures(model, sequence, &list, &error) == MRW_OK, "%s", error.text);
    return list;
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void assert_pictures(const mrw_picture_list *list, const mrw_picture *expected,
                            uint32_t count)
{
    ck_assert_uint_eq(list->count, count);
    for (uint32_t i = 0; i < count; i++) {
        const mrw_picture *a = &list->items[i], *b = &expected[i];
        ck_assert_msg(a->index == b->index && a->clip == b->clip && a->frame == b->frame,
                      "picture %u: index %u, clip %u, frame %d", i, a->index, a->clip,
                      (int)a->frame);
        ck_assert_double_eq(a->time, b->time);
        ck_assert_double_eq(a->play_time, b->play_time);
    }
}

/* What is expected of a picture: its index, clip, frame, and both times. */
#define AT(i, c, f, t, p)                                                                          \
    {                                                                                              \
        .index = i, .clip = c, .frame = f, .time = t, .play_time = p                               \
    }

#define ASSERT_PICTURES(list, ...)                                                                 \
    assert_pictures(list, (const mrw_picture[]){__VA_ARGS__},                                      \
                    sizeof((const mrw_picture[]){__VA_ARGS__}) / sizeof(mrw_picture))

static mrw_picture_list list_for(const mrw_scene *scene, mrw_settings *settings)
{
    mrw_session_model model = model_of(tri, scene, settings);
    mrw_picture_list list = pictures_of(&model);
    mrw_session_model_free(&model);
    return list;
}

START_TEST(clips_become_pictures)
{
    mrw_scene *scene = load(tri);
    mrw_settings settings;
    SET(&settings, "clip", "Half", "clip", "Go", "fps", "4");
    mrw_picture_list list = list_for(scene, &settings);
    ASSERT_PICTURES(&list, AT(0, 1, 0, 0.0, 0.0), AT(1, 1, 1, 0.25, 0.25), AT(2, 1, 2, 0.5, 0.5),
                    AT(3, 0, 0, 0.0, 0.0), AT(4, 0, 1, 0.25, 0.25), AT(5, 0, 2, 0.5, 0.5),
                    AT(6, 0, 3, 0.75, 0.75), AT(7, 0, 4, 1.0, 1.0));
    ck_assert_uint_eq(list.clip_count, 2);
    ck_assert_uint_eq(list.most_frames, 5);
    mrw_picture_list_free(&list);
    mrw_settings_free(&settings);

    SET(&settings, "clip", "*"); /* no word of frames: the start of each */
    list = list_for(scene, &settings);
    ASSERT_PICTURES(&list, AT(0, 0, 0, 0.0, 0.0), AT(1, 1, 0, 0.0, 0.0), AT(2, 2, 0, 0.0, 0.0));
    mrw_picture_list_free(&list);
    mrw_settings_free(&settings);

    SET(&settings, "pose", "bind");
    list = list_for(scene, &settings);
    ASSERT_PICTURES(&list, AT(0, MRW_NONE, 0, 0.0, 0.0));
    mrw_picture_list_free(&list);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
}
END_TEST

/* Options that speak of several frames or of their rate, and some that don't. */
START_TEST(what_makes_a_sequence)
{
    static const struct {
        const char *name, *value;
        bool sequence;
    } options[] = {{"frames", "0", true},    {"times", "0", true},    {"time", "0.5", true},
                   {"count", "1", true},     {"loop", NULL, true},    {"fps", "24", true},
                   {"speed", "2", true},     {"sheet", "2", true},    {"shard", "1/2", false},
                   {"clip", "all", false},   {"wrap", "loop", false}, {"pose", "rest", false},
                   {"anim", "a.glb", false}, {"fit", "clip", false},  {"no-sandbox", NULL, false}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        mrw_settings settings;
        mrw_settings_init(&settings);
        ck_assert(!mrw_session_wants_sequence(&settings));
        ck_assert_int_eq(mrw_settings_set(&settings, options[i].name, options[i].value, NULL),
                         MRW_OK);
        ck_assert_msg(mrw_session_wants_sequence(&settings) == options[i].sequence, "%s",
                      options[i].name);
        mrw_settings_free(&settings);
    }
}
END_TEST

/* One time of a clip is framed by itself; one frame of a sequence as the sequence is. */
START_TEST(what_is_framed_by_itself)
{
    static const struct {
        const char *names[3], *values[3];
        mrw_fit fit;
    } cases[] = {{{NULL}, {NULL}, MRW_FIT_FRAME},
                 {{"time"}, {"0.5"}, MRW_FIT_FRAME},
                 {{"times"}, {"0.5"}, MRW_FIT_FRAME},
                 {{"times"}, {"0,0.5"}, MRW_FIT_CLIP},
                 {{"count"}, {"1"}, MRW_FIT_FRAME},
                 {{"count"}, {"2"}, MRW_FIT_CLIP},
                 {{"count", "loop"}, {"1", NULL}, MRW_FIT_FRAME},
                 {{"loop"}, {NULL}, MRW_FIT_CLIP},
                 {{"fps"}, {"24"}, MRW_FIT_CLIP},
                 {{"fps", "time"}, {"24", "1"}, MRW_FIT_FRAME},
                 {{"frames"}, {"7"}, MRW_FIT_CLIP},
                 {{"frames"}, {"0-3"}, MRW_FIT_CLIP},
                 {{"clip", "time"}, {"all", "1"}, MRW_FIT_FRAME},
                 {{"shard", "time"}, {"1/2", "1"}, MRW_FIT_FRAME},
                 {{"shard", "times"}, {"1/2", "1,2"}, MRW_FIT_CLIP},
                 {{"shard"}, {"2/2"}, MRW_FIT_FRAME},
                 {{"sheet", "count"}, {"1", "1"}, MRW_FIT_FRAME},
                 {{"time", "fit"}, {"1", "clip"}, MRW_FIT_CLIP},
                 {{"count", "fit"}, {"2", "frame"}, MRW_FIT_FRAME},
                 {{"time", "fit"}, {"1", "rest"}, MRW_FIT_REST}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_settings settings;
        mrw_settings_init(&settings);
        for (int k = 0; k < 3 && cases[i].names[k]; k++) {
            ck_assert_int_eq(
                mrw_settings_set(&settings, cases[i].names[k], cases[i].values[k], NULL), MRW_OK);
        }
        const bool sequence = mrw_session_wants_sequence(&settings);
        ck_assert_msg(mrw_session_fit(&settings, sequence) == cases[i].fit, "case %zu", i);
        mrw_settings_free(&settings);
    }
    /* a name with {frame} in it makes a sequence of what names no time */
    mrw_settings settings;
    SET(&settings, "clip", "Go");
    ck_assert_int_eq(mrw_session_fit(&settings, true), MRW_FIT_CLIP);
    mrw_settings_free(&settings);
    SET(&settings, "clip", "Go", "time", "0");
    ck_assert_int_eq(mrw_session_fit(&settings, true), MRW_FIT_FRAME);
    mrw_settings_free(&settings);
}
END_TEST

/* A clip of 13 frames at 24 a second is that at 48 played at half of the speed, and backwards its
 * frames are the same times. */
START_TEST(speeds)
{
    mrw_scene *scene = load(tri);
    mrw_settings settings;
    for (int backwards = 0; backwards < 2; backwards++) {
        SET(&settings, "clip", "Film", "fps", "48", "speed", backwards ? "-2" : "2");
        mrw_picture_list list = list_for(scene, &settings);
        ck_assert_uint_eq(list.count, 14);
        for (uint32_t k = 0; k < 14; k++) {
            const double time = (backwards ? 13 - k : k) * 1.0 / 24.0;
            const double last = (double)(13.0f / 24);
            ck_assert_double_eq(list.items[k].time, time < last ? time : last);
            ck_assert_uint_eq(list.items[k].frame, k);
        }
        const double step = list.items[5].next_time - list.items[5].time;
        ck_assert_double_eq_tol(step, backwards ? -1.0 / 24 : 1.0 / 24, 1e-15);
        ck_assert_double_eq_tol(list.items[0].last_time, list.items[0].time - step, 1e-7);
        mrw_picture_list_free(&list);
        mrw_settings_free(&settings);
    }
    SET(&settings, "clip", "Go", "fps", "4", "speed", "-1/2", "wrap", "loop", "frames", "7-9");
    mrw_picture_list list = list_for(scene, &settings);
    ASSERT_PICTURES(&list, AT(0, 0, 7, 0.125, 0.125), AT(1, 0, 8, 0.0, 0.0),
                    AT(2, 0, 9, 0.875, -0.125));
    mrw_picture_list_free(&list);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
}
END_TEST

static uint32_t warned;
static char warning[1024];

static void hear_warning(void *user, const char *text)
{
    (void)user;
    warned++;
    snprintf(warning, sizeof warning, "%s", text);
}

/* How many warnings a session has for the clips of the triangle. */
static uint32_t warnings_for(const char *const *options)
{
    const mrw_session_host host = {.warning = hear_warning};
    mrw_session session;
    mrw_settings settings;
    mrw_error error;
    mrw_scene *scene = load(tri);
    warned = 0;
    set_all(&settings, options);
    mrw_session_model model = model_of(tri, scene, &settings);
    const bool sequence = mrw_session_wants_sequence(&settings);
    ck_assert_int_eq(mrw_session_begin(&session, &model, sequence, &error), MRW_OK);
    ck_assert_msg(mrw_session_prepare(&session, &host, &error) == MRW_OK, "%s", error.text);
    mrw_session_free(&session);
    mrw_session_model_free(&model);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
    return warned;
}

#define WARNINGS(...) warnings_for((const char *const[]){__VA_ARGS__, NULL})

/* Go lasts 1 s, Half half of it. */
START_TEST(clips_shorter_than_two_frames_warn)
{
    ck_assert_uint_eq(WARNINGS("clip", "Go", "fps", "2"), 0);
    ck_assert_uint_eq(WARNINGS("clip", "Go", "clip", "Half", "fps", "2"), 1);
    ck_assert_ptr_nonnull(strstr(warning, "tri.gltf: clip Half lasts 0.5000 s"));
    ck_assert_ptr_nonnull(strstr(warning, "--fps 48 "));
    ck_assert_uint_eq(WARNINGS("clip", "Go", "clip", "Half", "frames", "0", "fps", "1"), 2);
    ck_assert_uint_eq(WARNINGS("clip", "Go", "fps", "30", "speed", "20"), 1);
    ck_assert_ptr_nonnull(strstr(warning, "at 1.5 frames per second of its time"));
    ck_assert_ptr_nonnull(strstr(warning, "--fps 480 "));
    ck_assert_uint_eq(WARNINGS("clip", "Half", "fps", "1", "count", "3"), 0);
    ck_assert_uint_eq(WARNINGS("clip", "Half", "times", "0,0.1", "fps", "1"), 0);
    ck_assert_uint_eq(WARNINGS("clip", "Half"), 0); /* a still */
}
END_TEST

START_TEST(frames_counts_and_times)
{
    mrw_scene *scene = load(tri);
    mrw_settings settings;
    SET(&settings, "fps", "4", "frames", "3,-1");
    mrw_picture_list list = list_for(scene, &settings);
    ASSERT_PICTURES(&list, AT(0, 0, 3, 0.75, 0.75), AT(1, 0, 4, 1.0, 1.0));
    mrw_picture_list_free(&list);
    mrw_settings_free(&settings);

    SET(&settings, "count", "3");
    list = list_for(scene, &settings);
    ck_assert_uint_eq(list.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_double_eq(list.items[i].time, i * 0.5);
    }
    mrw_picture_list_free(&list);
    mrw_settings_free(&settings);

    SET(&settings, "times", "1.25", "wrap", "loop");
    list = list_for(scene, &settings);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_double_eq(list.items[0].time, 0.25);
    ck_assert_double_eq(list.items[0].play_time, 1.25);
    mrw_picture_list_free(&list);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
}
END_TEST

/* Frames 2 0 2 1 0 3, of which 2 0 1 3 differ: shard 1/2 has the first and third, 2/2 the rest. */
START_TEST(shares_are_of_different_pictures)
{
    static const char *const shards[] = {"1/2", "2/2", "3/5", "5/5", "1/1"};
    static const uint32_t places[][5] = {{0, 3, 9}, {1, 5, 9}, {3, 9}, {9}, {0, 1, 3, 5, 9}};
    mrw_scene *scene = load(tri);
    for (int s = 0; s < 5; s++) {
        mrw_settings settings;
        uint32_t count = 0;
        SET(&settings, "fps", "4", "frames", "2,0,2,1,0,3", "shard", shards[s]);
        mrw_picture_list list = list_for(scene, &settings);
        ck_assert_uint_eq(list.count, 6);
        mrw_picture_list_share(&list, &settings, 0);
        for (; places[s][count] != 9; count++) {
            ck_assert_uint_lt(count, list.count);
            ck_assert_uint_eq(list.items[count].index, places[s][count]);
        }
        ck_assert_uint_eq(list.count, count);
        ck_assert_uint_eq(list.most_frames, 6);
        mrw_picture_list_free(&list);
        mrw_picture_list_share(&list, &settings, 0); /* an empty one stays empty */
        mrw_settings_free(&settings);
    }
    mrw_scene_free(scene);
}
END_TEST

START_TEST(rates_of_files)
{
    mrw_scene *scene = load(tri);
    mrw_settings settings;
    SET(&settings, "fps", "file");
    mrw_session_model model = model_of(tri, scene, &settings);
    ck_assert_uint_eq(mrw_session_clip_rate(&model, 0).num, 30);
    ck_assert_uint_eq(mrw_session_clip_rate(&model, 2).num, 24); /* 13/24 is no 30th */
    ck_assert_uint_eq(mrw_session_clip_rate(&model, 2).den, 1);
    ck_assert_uint_eq(mrw_session_clip_rate(&model, MRW_NONE).num, 30);
    mrw_session_model_free(&model);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
}
END_TEST

/* ---- mixes ----------------------------------------------------------------------------------- */

START_TEST(mixes_of_clips)
{
    mrw_scene *scene = load(tri);
    mrw_settings settings;
    mrw_session_clips clips;
    SET(&settings, "blend", "Half:1,Film:3", "layer", "Go@mover");
    mrw_session_model model = model_of("a/b.c.gltf", scene, &settings);
    ck_assert_str_eq(model.name, "b.c");
    ck_assert_uint_eq(model.mix.track_count, 3);
    ck_assert(model.mix.fixed);
    ck_assert_str_eq(mrw_session_clip_name(&model, 1), "Half+Film");
    ck_assert_float_eq(model.mix.tracks[1].weight, 3.0f);
    ck_assert_uint_eq(model.mix.tracks[2].clip, 0);
    ck_assert_uint_eq(model.mix.tracks[2].node, 0);
    ck_assert_int_eq(mrw_session_choose_clips(&model, &clips, NULL), MRW_OK);
    ck_assert_uint_eq(clips.count, 1);
    ck_assert_uint_eq(clips.items[0], 1);
    /* the longest of Half and Film; a layer on a part does not count */
    ck_assert_double_eq_tol(mrw_session_clip_duration(&model, 1), 13.0 / 24, 1e-7);
    mrw_session_clips_free(&clips);
    mrw_session_model_free(&model);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
}
END_TEST

/* ---- sessions -------------------------------------------------------------------------------- */

static void stand(mrw_session *session, const mrw_session_model *model)
{
    mrw_error error;
    bool sequence = mrw_session_wants_sequence(model->settings);
    ck_assert_msg(mrw_session_begin(session, model, sequence, &error) == MRW_OK, "%s", error.text);
    ck_assert_msg(mrw_session_prepare(session, NULL, &error) == MRW_OK, "%s", error.text);
}

/* Draws every picture of a session; false when anything fails. Without Check: on any thread. */
static bool draw_stage(mrw_session *session, const mrw_picture_list *list, uint8_t (*hashes)[32])
{
    mrw_renderer *renderer = NULL;
    mrw_image image = {0};
    bool fine = mrw_renderer_create(&renderer, NULL) == MRW_OK;
    for (uint32_t i = 0; i < list->count && fine; i++) {
        mrw_session_play(session, &list->items[i]);
        fine = mrw_session_aim(session, NULL) == MRW_OK &&
               mrw_render(renderer, &session->frame, session->instances, session->instance_count, 1,
                          &image, NULL) == MRW_OK;
        if (fine) {
            mrw_image_hash(&image, hashes[i]);
        }
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    return fine;
}

/* What the settings of the test below say, through the rooms below the session. */
static void draw_by_hand(const mrw_scene *scene, uint32_t clip, const mrw_track *layer,
                         float azimuth, uint8_t (*hashes)[32])
{
    const mrw_track base = {MRW_TRACK_BLEND, clip, 1.0f, MRW_NONE};
    const mrw_track tracks[2] = {base, layer ? *layer : base};
    const mrw_mix mix = {tracks, 2, false};
    mrw_view_def view = mrw_view_def_default();
    mrw_frame_def def = mrw_frame_def_default();
    mrw_model *model = NULL;
    mrw_renderer *renderer = NULL;
    mrw_extents extents;
    mrw_image image = {0};
    mrw_environment *studio = NULL;
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    ck_assert_int_eq(mrw_environment_create_studio(MRW_RIG_SOFT, 1, &studio, NULL), MRW_OK);
    def.studio = studio;
    mrw_instance instance = mrw_instance_default(model);
    instance.clip = clip;
    instance.mix = layer ? &mix : NULL;
    view.azimuth_degrees = azimuth;
    def.width = 64;
    def.height = 48;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(mrw_frame_extents(&instance, 1, MRW_FIT_CLIP, &view, 64.0f / 48.0f,
                                           MRW_ISA_AUTO, 1, &extents, NULL),
                         MRW_OK);
        ck_assert_int_eq(mrw_view_camera(&view, &extents, 64.0f / 48.0f, &def.camera, NULL),
                         MRW_OK);
        instance.time = 0.1 * i;
        ck_assert_int_eq(mrw_render(renderer, &def, &instance, 1, 1, &image, NULL), MRW_OK);
        mrw_image_hash(&image, hashes[i]);
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_environment_free(studio);
}

/* Two sessions on one scene, one with a layer, the other without, drawn at the same time. */
START_TEST(sessions_share_a_scene)
{
    mrw_scene *scene = load("demo:figure");
    uint8_t hashes[2][3][32], expected[2][3][32];
    mrw_settings settings[2];
    mrw_session_model models[2];
    mrw_picture_list lists[2];
    mrw_session sessions[2];
    bool fine[2];
    mrw_track layer = {MRW_TRACK_OVERRIDE, 2, 1.0f, MRW_NONE};
    SET(&settings[0], "clip", "Walk", "layer", "Wave@chest", "size", "64x48", "times", "0,0.1,0.2",
        "jobs", "1");
    SET(&settings[1], "clip", "Run", "azimuth", "-70", "size", "64x48", "times", "0,0.1,0.2",
        "jobs", "2");
    for (int i = 0; i < 2; i++) {
        models[i] = model_of("demo:figure", scene, &settings[i]);
        lists[i] = pictures_of(&models[i]);
        ck_assert_uint_eq(lists[i].count, 3);
        stand(&sessions[i], &models[i]);
    }
    ck_assert_int_eq(sessions[0].threads, 1);
    ck_assert_int_eq(sessions[1].threads, 2);
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 2; i++) {
        fine[i] = draw_stage(&sessions[i], &lists[i], hashes[i]);
    }
    ck_assert(fine[0] && fine[1]);
    ck_assert_int_eq(mrw_session_find_node(&models[0], "chest", &layer.node, NULL), MRW_OK);
    draw_by_hand(scene, 0, &layer, 30.0f, expected[0]);
    draw_by_hand(scene, 1, NULL, -70.0f, expected[1]);
    ck_assert_mem_eq(hashes, expected, sizeof hashes);
    ck_assert_mem_ne(hashes[0][0], hashes[0][1], 32);
    for (int i = 0; i < 2; i++) {
        mrw_session_free(&sessions[i]);
        mrw_picture_list_free(&lists[i]);
        mrw_session_model_free(&models[i]);
        mrw_settings_free(&settings[i]);
    }
    mrw_scene_free(scene);
}
END_TEST

/* The camera of two sessions is that of one picture that has both triangles in it. */
START_TEST(sessions_share_a_view)
{
    const char *paths[2] = {tri, far_tri};
    mrw_scene *scenes[2] = {load(tri), load(far_tri)};
    mrw_session_model models[2];
    mrw_session sessions[2];
    mrw_extents extents[2], both;
    mrw_camera camera, alone;
    mrw_settings settings;
    const mrw_picture start = AT(0, 0, 0, 0.0, 0.0);
    SET(&settings, "fit", "clip", "size", "80x40", "azimuth", "10");
    for (int i = 0; i < 2; i++) {
        models[i] = model_of(paths[i], scenes[i], &settings);
        stand(&sessions[i], &models[i]);
        mrw_session_play(&sessions[i], &start);
        ck_assert_int_eq(mrw_session_extents(&sessions[i], &extents[i], NULL), MRW_OK);
    }
    ck_assert_float_eq(extents[0].aabb_max[0], 1.0f);
    ck_assert_float_eq(extents[1].aabb_max[0], 11.0f);
    ck_assert_float_eq(extents[0].aabb_max[2], 2.0f); /* where the clip ends */
    ck_assert_int_eq(mrw_session_aim_at(&sessions[0], &extents[0], NULL), MRW_OK);
    alone = sessions[0].frame.camera;
    ck_assert_int_eq(mrw_session_aim(&sessions[0], NULL), MRW_OK);
    ck_assert_mem_eq(&sessions[0].frame.camera, &alone, sizeof alone);

    mrw_extents_merge(&extents[0], &extents[1]);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mrw_session_aim_at(&sessions[i], &extents[0], NULL), MRW_OK);
    }
    const mrw_instance together[2] = {sessions[0].instances[0], sessions[1].instances[0]};
    mrw_view_def view = mrw_view_def_default();
    view.azimuth_degrees = 10.0f;
    ck_assert_int_eq(
        mrw_frame_extents(together, 2, MRW_FIT_CLIP, &view, 2.0f, MRW_ISA_AUTO, 1, &both, NULL),
        MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &both, 2.0f, &camera, NULL), MRW_OK);
    ck_assert_mem_eq(&sessions[0].frame.camera, &camera, sizeof camera);
    ck_assert_mem_eq(&sessions[1].frame.camera, &camera, sizeof camera);
    ck_assert_mem_ne(&camera, &alone, sizeof camera);
    for (int i = 0; i < 2; i++) {
        mrw_session_free(&sessions[i]);
        mrw_session_model_free(&models[i]);
        mrw_scene_free(scenes[i]);
    }
    mrw_settings_free(&settings);
}
END_TEST

/* Looks from another place, which needs nothing of what is drawn; shadows still know the box of the
 * clip. Then from where it was at first. */
START_TEST(another_view)
{
    mrw_scene *scene = load(tri);
    mrw_settings settings;
    mrw_session session;
    mrw_extents none;
    mrw_camera first, alone;
    const mrw_picture start = AT(0, 0, 0, 0.0, 0.0);
    SET(&settings, "fit", "clip", "size", "80x40", "shadows", "yes");
    mrw_session_model model = model_of(tri, scene, &settings);
    stand(&session, &model);
    mrw_session_play(&session, &start);
    ck_assert_int_eq(mrw_session_aim(&session, NULL), MRW_OK);
    first = session.frame.camera;
    mrw_view_def view = mrw_session_view_def(&settings);
    view.has_eye = view.has_target = true;
    view.eye[0] = 3.0f;
    view.near_plane = 0.5f;
    view.far_plane = 9.0f;
    mrw_session_set_view(&session, &view);
    memset(&session.frame.bounds, 0, sizeof session.frame.bounds);
    ck_assert_int_eq(mrw_session_aim(&session, NULL), MRW_OK);
    mrw_extents_begin(&view, 2.0f, &none);
    ck_assert_int_eq(mrw_view_camera(&view, &none, 2.0f, &alone, NULL), MRW_OK);
    ck_assert_mem_eq(&session.frame.camera, &alone, sizeof alone);
    ck_assert_float_eq(alone.eye[0], 3.0f);
    ck_assert(session.frame.has_bounds);
    ck_assert_float_eq(session.frame.bounds.max[2], 2.0f);
    ck_assert_float_eq(session.frame.bounds.max[0], 1.0f);
    view = mrw_session_view_def(&settings);
    mrw_session_set_view(&session, &view);
    ck_assert_int_eq(mrw_session_aim(&session, NULL), MRW_OK);
    ck_assert_mem_eq(&session.frame.camera, &first, sizeof first);
    mrw_session_free(&session);
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    mrw_settings_free(&settings);
}
END_TEST

/* On the way back time goes backwards: what lies a frame away from a single picture is what lists
 * have beside it. */
START_TEST(ping_pong_goes_back_at_the_ends)
{
    mrw_scene *scene = load(tri);
    mrw_settings one, three;
    SET(&one, "clip", "Go", "times", "1.6", "wrap", "pingpong", "fps", "10");
    SET(&three, "clip", "Go", "times", "1.5,1.6,1.7", "wrap", "pingpong", "fps", "10");
    mrw_session_model model = model_of(tri, scene, &one), other = model_of(tri, scene, &three);
    mrw_picture_list alone = pictures_of(&model), beside = pictures_of(&other);
    ck_assert_uint_eq(beside.count, 3);
    ck_assert_double_eq_tol(alone.items[0].last_time, 0.5, 1e-9);
    ck_assert_double_eq_tol(alone.items[0].next_time, 0.3, 1e-9);
    ck_assert_double_eq_tol(alone.items[0].last_time, beside.items[1].last_time, 1e-9);
    ck_assert_double_eq_tol(alone.items[0].next_time, beside.items[1].next_time, 1e-9);
    ck_assert_double_eq_tol(beside.items[0].last_time, 0.6, 1e-9);
    ck_assert_double_eq_tol(beside.items[2].next_time, 0.2, 1e-9);
    mrw_picture_list_free(&alone);
    mrw_picture_list_free(&beside);
    mrw_session_model_free(&model);
    mrw_session_model_free(&other);
    mrw_scene_free(scene);
    mrw_settings_free(&one);
    mrw_settings_free(&three);
}
END_TEST

static uint64_t drawn_pixels(const char *time, const char *option, const char *value, float *eye)
{
    mrw_scene *scene = load(tri);
    mrw_settings settings;
    mrw_session session;
    mrw_renderer *renderer = NULL;
    mrw_image image = {0};
    uint64_t drawn = 0;
    SET(&settings, "clip", "Go", "times", time, "size", "32", "azimuth", "0", "elevation", "0",
        "wrap", "loop", "fit", "clip", option, value, "background", "none");
    mrw_session_model model = model_of(tri, scene, &settings);
    mrw_picture_list list = pictures_of(&model);
    stand(&session, &model);
    mrw_session_play(&session, &list.items[0]);
    ck_assert_int_eq(mrw_session_aim(&session, NULL), MRW_OK);
    *eye = session.frame.camera.eye[2];
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    ck_assert_int_eq(mrw_render(renderer, &session.frame, session.instances, 1, 1, &image, NULL),
                     MRW_OK);
    for (uint32_t p = 0; p < image.width * image.height; p++) {
        drawn += image.pixels[4 * p + 3] > 0;
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    mrw_session_free(&session);
    mrw_picture_list_free(&list);
    mrw_session_model_free(&model);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
    return drawn;
}

/* What is framed is at z = 0 (at rest) and at z = 0 ... 2 (one loop); what is drawn is in front of
 * that, and before the camera. The nearer the larger. */
START_TEST(what_leaves_the_frame_is_not_cut)
{
    float eye[2];
    const uint64_t rest = drawn_pixels("0", "fit", "rest", &eye[0]);
    ck_assert_float_gt(eye[0], 1.5f);
    ck_assert_uint_gt(drawn_pixels("0.5", "fit", "rest", &eye[1]), rest);
    ck_assert_float_eq(eye[0], eye[1]);

    const uint64_t start = drawn_pixels("0", "root-motion", "loop", &eye[0]);
    ck_assert_float_gt(eye[0], 3.5f);
    ck_assert_uint_gt(start, 0);
    ck_assert_uint_gt(drawn_pixels("1.5", "root-motion", "loop", &eye[1]), start);
}
END_TEST

/* The added model hangs on the mover: at the clip's end, at z = 2, its own clip of that name has
 * moved it by 2 more, and by 10 in x. */
START_TEST(added_models_play_along)
{
    char added[320];
    mrw_scene *scene = load(tri);
    mrw_settings settings;
    mrw_session session;
    mrw_renderer *renderer = NULL;
    const mrw_posed_instance *posed;
    const mrw_picture end = AT(0, 1, 15, 0.5, 0.5);
    snprintf(added, sizeof added, "%s@mover", far_tri);
    SET(&settings, "add", added);
    mrw_session_model model = model_of(tri, scene, &settings);
    stand(&session, &model);
    ck_assert_uint_eq(session.instance_count, 2);
    ck_assert_ptr_eq(session.scenes[0], scene);
    mrw_session_play(&session, &end);
    ck_assert_uint_eq(session.instances[1].clip, 1);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    ck_assert_int_eq(mrw_pose_instances(renderer, session.instances, 2, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    ck_assert_float_eq(posed[1].draws[0].positions[0], 10.0f);
    ck_assert_float_eq(posed[1].draws[0].positions[2], 4.0f);
    mrw_renderer_free(renderer);
    mrw_session_free(&session);
    mrw_session_model_free(&model);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
}
END_TEST

/* Five triangles of width 2 stand in rows of three, 2.5 apart, all as the first one moves; what is
 * added stands there once. */
START_TEST(copies_stand_in_a_square)
{
    static const float offsets[5][2] = {{0, 0}, {2.5f, 0}, {5, 0}, {0, -2.5f}, {2.5f, -2.5f}};
    mrw_scene *scene = load(tri);
    mrw_settings settings;
    mrw_session session;
    mrw_renderer *renderer = NULL;
    const mrw_posed_instance *posed;
    const mrw_picture end = AT(0, 1, 15, 0.5, 0.5);
    SET(&settings, "copies", "5", "scale", "2", "add", far_tri);
    mrw_session_model model = model_of(tri, scene, &settings);
    stand(&session, &model);
    ck_assert_uint_eq(session.model_count, 2);
    ck_assert_uint_eq(session.instance_count, 6);
    mrw_session_play(&session, &end);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    ck_assert_int_eq(mrw_pose_instances(renderer, session.instances, 6, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    for (int i = 0; i < 5; i++) {
        const float *p = posed[i == 0 ? 0 : i + 1].draws[0].positions;
        ck_assert_float_eq_tol(p[0], offsets[i][0], 1e-6f);
        ck_assert_float_eq_tol(p[2], 4.0f + offsets[i][1], 1e-6f);
    }
    ck_assert_float_eq(posed[1].draws[0].positions[0], 10.0f);
    mrw_renderer_free(renderer);
    mrw_session_free(&session);
    mrw_session_model_free(&model);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
}
END_TEST

/* Without vertices there is no size to keep apart: all stand where the first does. */
START_TEST(copies_of_nothing)
{
    const char *path = test_path("bare.gltf");
    mrw_settings settings;
    mrw_session session;
    test_write_text(
        path, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"scenes\":[{\"nodes\":[0]}]}");
    mrw_scene *scene = load(path);
    SET(&settings, "copies", "4");
    mrw_session_model model = model_of(path, scene, &settings);
    stand(&session, &model);
    ck_assert_uint_eq(session.instance_count, 4);
    ck_assert_mem_eq(&session.instances[3].model_to_world, &session.instances[0].model_to_world,
                     sizeof session.instances[0].model_to_world);
    mrw_session_free(&session);
    mrw_session_model_free(&model);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
    remove(path);
}
END_TEST

/* ---- hosts ----------------------------------------------------------------------------------- */

typedef struct ears {
    int notes, details, stdins;
    char last_note[512];
} ears;

static void hear_note(void *user, const char *text)
{
    ears *e = user;
    e->notes++;
    snprintf(e->last_note, sizeof e->last_note, "%s", text);
}

static void hear_detail(void *user, const char *text)
{
    ears *e = user;
    e->details += strstr(text, "scene hash ") ? 1 : 0;
}

static mrw_status give_triangle(void *user, const mrw_load_def *def, mrw_scene **out,
                                mrw_error *error)
{
    ears *e = user;
    e->stdins++;
    return mrw_load_file(tri, def, out, error);
}

START_TEST(hosts_hear_and_give)
{
    ears e = {0};
    const mrw_session_host host = {
        .user = &e, .note = hear_note, .detail = hear_detail, .standard_input = give_triangle};
    const mrw_session_host silent = {0};
    mrw_settings settings;
    mrw_scene *scene = NULL;
    mrw_error error;
    SET(&settings, "anim", far_tri);
    ck_assert_msg(mrw_session_load("-", &settings, &host, &scene, &error) == MRW_OK, "%s",
                  error.text);
    ck_assert_uint_eq(scene->clips_count, 6);
    ck_assert_int_eq(e.stdins, 1);
    ck_assert_int_eq(e.details, 2);
    ck_assert_int_eq(e.notes, 1);
    ck_assert_msg(strstr(e.last_note, "far.gltf: 1 of 1 joints matched"), "%s", e.last_note);
    mrw_scene_free(scene);
    ck_assert_int_eq(mrw_session_load(tri, &settings, &silent, &scene, &error), MRW_OK);
    mrw_scene_free(scene);
    ck_assert_int_eq(mrw_session_load("-", &settings, &silent, &scene, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_null(scene);
    ck_assert_int_eq(mrw_session_load("-", &settings, NULL, &scene, NULL), MRW_ERROR_USAGE);
    mrw_settings_free(&settings);
}
END_TEST

START_TEST(names_of_models)
{
    static const char *const names[][2] = {{"a/b/knight.v2.glb", "knight.v2"},
                                           {"demo:figure", "figure"},
                                           {"-", "stdin"},
                                           {"dir/.hidden", ".hidden"},
                                           {"plain", "plain"}};
    char name[MRW_SESSION_NAME_SIZE];
    for (int i = 0; i < 5; i++) {
        mrw_session_name(names[i][0], name);
        ck_assert_str_eq(name, names[i][1]);
    }
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------- */

/* All steps as far as they go. */
static mrw_status go(const char *path, const mrw_settings *settings, mrw_error *error)
{
    mrw_scene *scene = NULL;
    mrw_session_model model = {0};
    mrw_picture_list list = {0};
    mrw_session session = {0};
    bool sequence = mrw_session_wants_sequence(settings);
    mrw_status status = mrw_session_load(path, settings, NULL, &scene, error);
    if (status == MRW_OK) {
        status = mrw_session_model_init(path, scene, settings, &model, error);
    }
    if (status == MRW_OK) {
        status = mrw_session_pictures(&model, sequence, &list, error);
    }
    if (status == MRW_OK) {
        status = mrw_session_begin(&session, &model, sequence, error);
    }
    if (status == MRW_OK) {
        status = mrw_session_prepare(&session, NULL, error);
    }
    if (status == MRW_OK) {
        mrw_session_play(&session, &list.items[0]);
        status = mrw_session_aim(&session, error);
    }
    mrw_session_free(&session);
    mrw_picture_list_free(&list);
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    return status;
}

START_TEST(what_is_missing_is_named)
{
    static const struct {
        const char *option, *value, *part;
    } cases[] = {
        {"clip", "Goo", "tri.gltf: there is no clip \"Goo\""},
        {"blend", "Go:1,Nope:1", "\"Nope\""},
        {"layer", "Go@movr", "there is no node \"movr\"; did you mean mover?"},
        {"follow", "7", "there is no node \"7\""},
        {"light", "point:pos=0,0,0@pots", "there is no node \"pots\"; did you mean post?"},
        {"light", "point:pos=0,0,0@node:camera", "there is no node \"camera\""},
        {"camera", "front", "camera"},
        {"frames", "99", "tri.gltf: clip Go: "},
        {"add", "/nowhere/hat.glb", "/nowhere/hat.glb"},
        {"anim", "/nowhere/run.glb", "/nowhere/run.glb"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_settings settings;
        mrw_error error = {0};
        SET(&settings, cases[i].option, cases[i].value);
        ck_assert_msg(go(tri, &settings, &error) == MRW_ERROR_INPUT, "%s", cases[i].option);
        ck_assert_msg(strstr(error.text, cases[i].part), "'%s' lacks '%s'", error.text,
                      cases[i].part);
        ck_assert_int_eq(go(tri, &settings, NULL), MRW_ERROR_INPUT);
        mrw_settings_free(&settings);
    }
}
END_TEST

/* Nodes are found by name, number and pattern, like all nodes; what else is asked of light is in
 * the frame as it was said. */
START_TEST(lights_find_their_nodes)
{
    mrw_scene *scene = load(tri);
    mrw_settings settings;
    mrw_session session;
    mrw_error error;
    SET(&settings, "light", "point:pos=1,2,3,intensity=5@post", "light", "none", "light",
        "spot:pos=0,0,0,dir=0,0,-1@0", "light", "directional:dir=0,-1,0@camera", "light",
        "point:pos=0,0,0@po*", "light", "ambient:color=0.5,0,0", "file-lights", "off");
    mrw_session_model model = model_of(tri, scene, &settings);
    ck_assert_msg(mrw_session_begin(&session, &model, false, &error) == MRW_OK, "%s", error.text);
    const mrw_frame_def *frame = &session.frame;
    ck_assert_uint_eq(frame->light_count, 4);
    ck_assert(frame->lights[0].space == MRW_LIGHT_SPACE_NODE && frame->lights[0].node == 1);
    ck_assert(frame->lights[0].position[2] == 3 && frame->lights[0].intensity == 5);
    ck_assert(frame->lights[1].space == MRW_LIGHT_SPACE_NODE && frame->lights[1].node == 0);
    ck_assert_int_eq(frame->lights[2].space, MRW_LIGHT_SPACE_CAMERA);
    ck_assert(frame->lights[3].space == MRW_LIGHT_SPACE_NODE && frame->lights[3].node == 1);
    ck_assert(frame->rig == MRW_RIG_OFF && !frame->file_lights && frame->ambient[0] == 0.5f);
    mrw_session_free(&session);
    mrw_session_model_free(&model);
    mrw_settings_free(&settings);
    mrw_settings_init(&settings);
    model = model_of(tri, scene, &settings);
    ck_assert_int_eq(mrw_session_begin(&session, &model, false, &error), MRW_OK);
    ck_assert_uint_eq(session.frame.light_count, 0);
    ck_assert(session.frame.rig == MRW_RIG_AUTO && session.frame.file_lights);
    mrw_session_free(&session);
    mrw_session_model_free(&model);
    mrw_settings_free(&settings);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(missing_kernels_are_refused)
{
    static const mrw_isa all[] = {MRW_ISA_SSE2, MRW_ISA_AVX2, MRW_ISA_AVX512, MRW_ISA_NEON};
    mrw_settings settings;
    mrw_error error;
    mrw_settings_init(&settings);
    unsetenv("MARROW_ISA");
    ck_assert_int_eq(mrw_session_check_isa(&settings, &error), MRW_OK);
    setenv("MARROW_ISA", "fast", 1);
    ck_assert_int_eq(mrw_session_check_isa(&settings, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "MARROW_ISA"));
    settings.run.isa = MRW_ISA_SCALAR; /* is what counts, then */
    ck_assert_int_eq(mrw_session_check_isa(&settings, &error), MRW_OK);
    for (int i = 0; i < 4; i++) {
        bool there = mrw_isa_available(all[i]);
        settings.run.isa = all[i];
        ck_assert_int_eq(mrw_session_check_isa(&settings, &error), there ? MRW_OK : MRW_ERROR_CPU);
        settings.run.isa = MRW_ISA_AUTO;
        setenv("MARROW_ISA", mrw_isa_name(all[i]), 1);
        ck_assert_int_eq(mrw_session_check_isa(&settings, &error), there ? MRW_OK : MRW_ERROR_CPU);
    }
    unsetenv("MARROW_ISA");
}
END_TEST

START_TEST(failing_memory)
{
    mrw_settings settings;
    mrw_status status = MRW_ERROR_MEMORY;
    SET(&settings, "layer", "Half@mover", "light", "point:pos=0,0,0@post", "add", far_tri, "anim",
        far_tri, "follow", "mover", "fit", "all", "jobs", "1", "frames", "0,1");
    ck_assert_int_eq(go(tri, &settings, NULL), MRW_OK);
    for (uint64_t n = 1;; n++) {
        mrwi_base_alloc_fail_at(n);
        status = go(tri, &settings, NULL);
        bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (pending) {
            break;
        }
        ck_assert_msg(status == MRW_ERROR_MEMORY || status == MRW_OK, "%d at %d", (int)status,
                      (int)n);
        ck_assert_uint_lt(n, 100000);
    }
    ck_assert_int_eq(status, MRW_OK);
    mrw_settings_free(&settings);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("session");
    TCase *tc = tcase_create("stage");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, clips_become_pictures);
    tcase_add_test(tc, what_makes_a_sequence);
    tcase_add_test(tc, what_is_framed_by_itself);
    tcase_add_test(tc, speeds);
    tcase_add_test(tc, clips_shorter_than_two_frames_warn);
    tcase_add_test(tc, frames_counts_and_times);
    tcase_add_test(tc, shares_are_of_different_pictures);
    tcase_add_test(tc, rates_of_files);
    tcase_add_test(tc, mixes_of_clips);
    tcase_add_test(tc, sessions_share_a_scene);
    tcase_add_test(tc, sessions_share_a_view);
    tcase_add_test(tc, another_view);
    tcase_add_test(tc, what_leaves_the_frame_is_not_cut);
    tcase_add_test(tc, added_models_play_along);
    tcase_add_test(tc, copies_stand_in_a_square);
    tcase_add_test(tc, copies_of_nothing);
    tcase_add_test(tc, hosts_hear_and_give);
    tcase_add_test(tc, names_of_models);
    tcase_add_test(tc, what_is_missing_is_named);
    tcase_add_test(tc, lights_find_their_nodes);
    tcase_add_test(tc, missing_kernels_are_refused);
    tcase_add_test(tc, failing_memory);
    tcase_add_test(tc, ping_pong_goes_back_at_the_ends);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
