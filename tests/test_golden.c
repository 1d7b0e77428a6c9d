/* test_golden.c: the proof of sameness. Small frames of our own models, over every instruction set
 * present and 1, 2, 3 and 8 threads, must have the hashes in golden/hashes.txt, whatever compiler
 * and optimisation level built this program, on whatever machine. The pictures themselves stand
 * beside it, to be looked at.
 *
 * MRW_GOLDEN_UPDATE=1 writes the hashes and the pictures instead (make golden).
 */
#include "test.h"

#include <marrow/marrow.h>

#define HASHES "golden/hashes.txt"

/* ---- the scenes ------------------------------------------------------------------------------ */

struct scene_case {
    const char *name;
    const char *model;
    const char *clip; /* NULL: the first, if any */
    double time;
    uint32_t samples;
    mrw_shading shading;
    mrw_filter filter;
    mrw_skinning skinning;
    float azimuth, elevation;
    bool orthographic;
    bool transparent;
    const char *camera; /* of the file */
    float zoom;         /* moves the camera towards its target; above 1 into the model */
};

#define LIT     MRW_SHADING_LIT, MRW_FILTER_TRILINEAR, MRW_SKINNING_LINEAR
#define LAMBERT MRW_SHADING_LAMBERT, MRW_FILTER_BILINEAR, MRW_SKINNING_LINEAR
#define RAW     MRW_SHADING_UNLIT, MRW_FILTER_NEAREST, MRW_SKINNING_LINEAR
#define DUAL    MRW_SHADING_LIT, MRW_FILTER_TRILINEAR, MRW_SKINNING_DUAL_QUATERNION

static const struct scene_case cases[] = {
    {"figure_walk", "demo:figure", "Walk", 0.25, 4, LIT, 30, 15, false, false, NULL, 0},
    {"figure_walk_later", "demo:figure", "Walk", 0.7, 8, LIT, -60, 5, false, false, NULL, 0},
    {"figure_run", "demo:figure", "Run", 0.31, 4, LIT, 80, 10, false, false, NULL, 0},
    {"figure_wave", "demo:figure", "Wave", 0.9, 2, LIT, 0, 0, false, true, NULL, 0},
    {"figure_lambert", "demo:figure", "Walk", 0.5, 1, LAMBERT, 180, 20, true, false, NULL, 0},
    {"figure_raw", "demo:figure", "Run", 0.1, 1, RAW, 30, 15, false, false, NULL, 0},
    {"figure_close", "demo:figure", "Wave", 0.4, 4, LIT, 20, 0, false, false, NULL, 0.85f},
    {"figure_inside", "demo:figure", "Wave", 0.4, 1, LIT, 20, 0, false, false, NULL, 0.95f},
    {"tentacle", "demo:tentacle", NULL, 0.6, 4, LIT, 40, 20, false, false, NULL, 0},
    {"tentacle_raw", "demo:tentacle", NULL, 1.3, 8, RAW, -20, 60, false, true, NULL, 0},
    {"blob", "demo:blob", NULL, 0.5, 4, LIT, 10, 5, false, false, NULL, 0},
    {"blob_later", "demo:blob", NULL, 1.45, 2, LAMBERT, -30, 5, true, false, NULL, 0},
    {"stage", "demo:stage", NULL, 0.8, 4, LIT, 30, 25, false, false, NULL, 0.5f},
    {"stage_camera", "demo:stage", NULL, 1.7, 8, LIT, 0, 0, false, false, "0", 0},
    {"stage_ortho", "demo:stage", NULL, 0.2, 1, LIT, 0, 0, false, false, "1", 0},
    {"stage_bilinear", "demo:stage", NULL, 1.2, 4, LAMBERT, 30, 8, false, true, NULL, 0},
    {"figure_dual", "demo:figure", "Wave", 0.9, 4, DUAL, 30, 15, false, false, NULL, 0},
    {"tentacle_dual", "demo:tentacle", "Gulp", 1.3, 4, DUAL, 40, 20, false, false, NULL, 0},
};

#define CASE_COUNT ((int)(sizeof cases / sizeof cases[0]))
#define WIDTH      160
#define HEIGHT     120

static const int thread_counts[] = {1, 2, 3, 8};

static bool updating(void)
{
    const char *value = getenv("MRW_GOLDEN_UPDATE");
    return value && *value;
}

/* ---- drawing --------------------------------------------------------------------------------- */

struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_instance instance;
};

static void open_stage(const struct scene_case *c, struct stage *stage)
{
    mrw_error error = {0};
    ck_assert_msg(mrw_load_file(c->model, NULL, &stage->scene, &error) == MRW_OK, "%s", error.text);
    ck_assert_msg(mrw_model_create(stage->scene, c->shading, 2, &stage->model, &error) == MRW_OK,
                  "%s", error.text);
    stage->instance = mrw_instance_default(stage->model);
    stage->instance.time = c->time;
    stage->instance.skinning = c->skinning;
    if (c->clip)
        ck_assert_msg(mrw_scene_find_clip(stage->scene, c->clip, &stage->instance.clip, &error) ==
                          MRW_OK,
                      "%s", error.text);
}

static void close_stage(struct stage *stage)
{
    mrw_model_free(stage->model);
    mrw_scene_free(stage->scene);
}

static void place_camera(const struct scene_case *c, const struct stage *stage, mrw_frame_def *def)
{
    const float aspect = (float)WIDTH / HEIGHT;
    mrw_error error = {0};
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    if (c->camera) {
        ck_assert(mrw_scene_find_camera(stage->scene, c->camera, &def->scene_camera, &error) ==
                  MRW_OK);
        return;
    }
    view.azimuth_degrees = c->azimuth;
    view.elevation_degrees = c->elevation;
    view.orthographic = c->orthographic;
    ck_assert(mrw_frame_extents(&stage->instance, 1, MRW_FIT_CLIP, &view, aspect, def->isa, 2,
                                &extents, &error) == MRW_OK);
    ck_assert(mrw_view_camera(&view, &extents, aspect, &def->camera, &error) == MRW_OK);
    if (c->zoom == 0)
        return;
    view.has_eye = view.has_target = true;
    view.near_plane = 0.01f;
    for (int i = 0; i < 3; i++) {
        float centre = (extents.aabb_min[i] + extents.aabb_max[i]) * 0.5f;
        view.eye[i] = def->camera.eye[i] + (centre - def->camera.eye[i]) * c->zoom;
        view.target[i] = view.eye[i] + (centre - def->camera.eye[i]);
    }
    ck_assert(mrw_view_camera(&view, &extents, aspect, &def->camera, &error) == MRW_OK);
}

static mrw_frame_def frame_of(const struct scene_case *c, const struct stage *stage, mrw_isa isa)
{
    mrw_frame_def def = mrw_frame_def_default();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.samples = c->samples;
    def.shading = c->shading;
    def.filter = c->filter;
    def.transparent = c->transparent;
    def.isa = isa;
    place_camera(c, stage, &def);
    return def;
}

static void draw(const mrw_frame_def *def, const struct stage *stage, int threads, mrw_image *image)
{
    mrw_error error = {0};
    mrw_renderer *renderer;
    ck_assert(mrw_renderer_create(&renderer, &error) == MRW_OK);
    ck_assert_msg(mrw_render(renderer, def, &stage->instance, 1, threads, image, &error) == MRW_OK,
                  "%s", error.text);
    mrw_renderer_free(renderer);
}

static void hash_text(const mrw_image *image, char out[65])
{
    uint8_t hash[32];
    mrw_image_hash(image, hash);
    for (int i = 0; i < 32; i++)
        snprintf(out + 2 * i, 3, "%02x", hash[i]);
}

/* ---- the file of hashes ---------------------------------------------------------------------- */

/* Finds "key value" in the file; false when it has no such line. */
static bool find_line(const char *key, char value[65])
{
    char line[256], word[128];
    bool found = false;
    FILE *file = fopen(HASHES, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, "%127s %64s", word, value) == 2 && strcmp(word, key) == 0;
    if (file)
        fclose(file);
    return found;
}

static void write_hashes(void)
{
    FILE *file = fopen(HASHES, "w");
    const char *last = "";
    char text[65];
    ck_assert_msg(file != NULL, "cannot write " HASHES);
    fprintf(file,
            "# Pixel hashes of the frames in this folder and hashes of the scenes behind them;\n"
            "# written by `make golden`, equal on every machine.\n");
    fprintf(file, "pixel_version %d\n", MRW_PIXEL_VERSION);
    for (int i = 0; i < CASE_COUNT; i++) {
        struct stage stage;
        mrw_image image = {0};
        mrw_frame_def def;
        mrw_error error;
        mrw_bytes png;
        char path[128];
        open_stage(&cases[i], &stage);
        if (strcmp(last, cases[i].model) != 0) {
            last = cases[i].model;
            mrw_scene_hash_text(stage.scene, text);
            fprintf(file, "%s %s\n", last, text);
        }
        def = frame_of(&cases[i], &stage, MRW_ISA_SCALAR);
        draw(&def, &stage, 1, &image);
        hash_text(&image, text);
        fprintf(file, "%s %s\n", cases[i].name, text);
        snprintf(path, sizeof path, "golden/%s.png", cases[i].name);
        ck_assert(mrw_png_encode(&image, &png, &error) == MRW_OK);
        ck_assert(mrw_file_write(path, png.data, png.size, &error) == MRW_OK);
        mrw_bytes_free(&png);
        mrw_image_free(&image);
        close_stage(&stage);
    }
    fclose(file);
}

/* ---- tests ----------------------------------------------------------------------------------- */

START_TEST(update)
{
    if (updating())
        write_hashes();
}
END_TEST

START_TEST(pixel_version_is_recorded)
{
    char expected[65], version[16];
    snprintf(version, sizeof version, "%d", MRW_PIXEL_VERSION);
    ck_assert_msg(find_line("pixel_version", expected), "no pixel_version in " HASHES);
    ck_assert_str_eq(expected, version);
}
END_TEST

/* The reader gives the same scene everywhere: told apart from a difference in drawing. */
START_TEST(scene_is_the_same)
{
    const struct scene_case *c = &cases[_i];
    struct stage stage;
    char expected[65], actual[65];
    open_stage(c, &stage);
    mrw_scene_hash_text(stage.scene, actual);
    ck_assert_msg(find_line(c->model, expected), "no line '%s' in " HASHES, c->model);
    ck_assert_str_eq(actual, expected);
    close_stage(&stage);
}
END_TEST

START_TEST(pixels_are_the_same)
{
    const struct scene_case *c = &cases[_i];
    struct stage stage;
    char expected[65], actual[65];
    ck_assert_msg(find_line(c->name, expected), "no line '%s' in " HASHES, c->name);
    open_stage(c, &stage);
    for (mrw_isa isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        mrw_frame_def def;
        if (!mrw_isa_available(isa))
            continue;
        def = frame_of(c, &stage, isa);
        for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
            mrw_image image = {0};
            draw(&def, &stage, thread_counts[t], &image);
            hash_text(&image, actual);
            ck_assert_msg(strcmp(actual, expected) == 0, "%s with %s and %d threads: %s, not %s",
                          c->name, mrw_isa_name(isa), thread_counts[t], actual, expected);
            mrw_image_free(&image);
        }
    }
    close_stage(&stage);
}
END_TEST

/* The picture in the folder is the one the hash speaks of, so that looking at it means something.
 */
START_TEST(picture_matches_hash)
{
    mrw_image image = {0};
    mrw_error error = {0};
    char path[128], expected[65], actual[65];
    snprintf(path, sizeof path, "golden/%s.png", cases[_i].name);
    ck_assert_msg(mrw_image_read(path, 0, &image, &error) == MRW_OK, "%s", error.text);
    hash_text(&image, actual);
    ck_assert(find_line(cases[_i].name, expected));
    ck_assert_str_eq(actual, expected);
    mrw_image_free(&image);
}
END_TEST

/* A picture of one colour would be the same everywhere, too. */
START_TEST(picture_shows_something)
{
    mrw_image image = {0};
    mrw_error error = {0};
    char path[128];
    size_t different = 0;
    snprintf(path, sizeof path, "golden/%s.png", cases[_i].name);
    ck_assert_msg(mrw_image_read(path, 0, &image, &error) == MRW_OK, "%s", error.text);
    for (size_t p = 0; p < (size_t)image.width * image.height; p++)
        different += memcmp(image.pixels + p * image.channels, image.pixels, image.channels) != 0;
    ck_assert_uint_gt(different, (size_t)image.width * image.height / 50);
    mrw_image_free(&image);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("golden");
    TCase *tc = tcase_create("sameness");
    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, update);
    tcase_add_test(tc, pixel_version_is_recorded);
    tcase_add_loop_test(tc, scene_is_the_same, 0, CASE_COUNT);
    tcase_add_loop_test(tc, pixels_are_the_same, 0, CASE_COUNT);
    tcase_add_loop_test(tc, picture_matches_hash, 0, CASE_COUNT);
    tcase_add_loop_test(tc, picture_shows_something, 0, CASE_COUNT);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
