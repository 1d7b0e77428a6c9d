/* test_golden.c: the proof of sameness. Every case of golden/ passes, bit for bit, over every
 * instruction set present and 1, 2, 3 and 8 threads (on arm64 1 and 8; scripts/same.sh runs all
 * builds but one with 8 alone), whatever compiler and optimisation level built this program, on
 * whatever machine. `make golden` is the only thing that writes the pictures. */
#include "test.h"

#include "base/sha256.h"

#include "marrow/frame.h"
#include "marrow/golden.h"
#include "marrow/load.h"

/* One picture a thread, and one by all, where sanitizers look at what is read and written, not at
 * bits, and under the emulator of arm64: the same program shares work out as it does elsewhere, and
 * two counts more take three minutes.
 */
#if defined(TEST_SANITIZED) || defined(__aarch64__)
static const int thread_counts[] = {1, 8};
#else
static const int thread_counts[] = {1, 2, 3, 8};
#endif
#define THREAD_COUNTS ((int)(sizeof thread_counts / sizeof *thread_counts))

/* Under the emulator of arm64 the scalar kernels, which are the same C as elsewhere, draw every
 * fourth case; all others draw all. */
#ifdef __aarch64__
#define SCALAR_STEP 4
#else
#define SCALAR_STEP 1
#endif

static mrw_case_list cases;

static void load(void)
{
    static const char *const path = "golden";
    mrw_error error = {0};
    ck_assert_msg(mrw_cases_load(&path, 1, &cases, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_gt(cases.count, 0);
#ifdef __aarch64__ /* the import helper does not start under the emulator */
    for (size_t i = 0; i < cases.count; i++) {
        cases.items[i].settings.files.no_sandbox = true;
    }
#endif
}

/* Not reached when a case failed: what it drew is left to be looked at. */
static void unload(void)
{
    mrw_cases_free(&cases);
    test_folder_remove();
}

static void run(const mrw_case_list *list, const mrw_test_def *def, mrw_results *results)
{
    mrw_error error = {0};
    ck_assert_msg(mrw_test_run(list, def, results, &error) == MRW_OK, "%s", error.text);
    for (size_t i = 0; i < results->case_count; i++) {
        const mrw_case_result *result = &results->cases[i];
        ck_assert_msg(result->outcome == MRW_PASSED, "%s/%s with %s and %d threads: %s (see %s)",
                      result->suite, result->name, mrw_isa_name(def->isa), def->threads,
                      result->message, test_folder());
        ck_assert_uint_eq(result->golden_pixel_version, MRW_PIXEL_VERSION);
        ck_assert_str_eq(result->golden_scene_hash, result->scene_hash);
    }
    ck_assert_msg(results->unused_count == 0, "no case uses %s", results->unused[0]);
}

static mrw_test_def def_of(mrw_isa isa, int threads)
{
    mrw_test_def def = mrw_test_def_default();
    def.out = test_folder();
    def.isa = isa;
    def.threads = threads;
    return def;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Moves every `step`-th case to the front. Returns how many these are. */
static size_t choose(mrw_case_list *list, size_t step)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i += step) {
        const mrw_case chosen = list->items[i];
        list->items[i] = list->items[count];
        list->items[count++] = chosen;
    }
    return count;
}

/* A run of fewer cases than threads gives all of them to each case in turn, so that one frame is
 * drawn by all. Models are loaded, and what they reach is measured, once for all runs: with these
 * threads and this instruction set. */
START_TEST(bits_are_the_same)
{
    const mrw_isa isa = (mrw_isa)(_i / THREAD_COUNTS);
    const int threads = thread_counts[_i % THREAD_COUNTS];
    mrw_test_def def = def_of(isa, threads);
    if (!mrw_isa_available(isa)) {
        return;
    }
    load();
    mrw_error error;
    ck_assert_int_eq(mrw_session_cache_create(&def.cache, &error), MRW_OK);
    const size_t count = choose(&cases, isa == MRW_ISA_SCALAR ? SCALAR_STEP : 1);
    const size_t step = threads > 1 ? (size_t)threads - 1 : count;
    def.full = step == cases.count; /* golden files that no case uses are failures, too */
    for (size_t at = 0; at < count; at += step) {
        mrw_case_list some = {.items = cases.items + at};
        mrw_results results;
        some.count = count - at < step ? count - at : step;
        run(&some, &def, &results);
        mrw_results_free(&results);
    }
    mrw_session_cache_free(def.cache);
    unload();
}
END_TEST

/* Nothing is allowed to differ, and no case is excused. */
START_TEST(cases_are_exact)
{
    load();
    for (size_t i = 0; i < cases.count; i++) {
        const mrw_case *c = &cases.items[i];
        ck_assert_msg(c->settings.compare.pictures.mode == MRW_COMPARE_EXACT &&
                          c->settings.compare.masks.count == 0 && c->max_degrees == 0 &&
                          c->max_distance == 0 && !c->skip && !c->xfail,
                      "%s/%s is not exact", c->suite, c->name);
    }
    unload();
}
END_TEST

/* ---- passes ---------------------------------------------------------------------------------- */

/* Of all passes of two pictures of the demo figure, as they were when looked at: numbers are the
 * same everywhere, too. */
static const char *const passes_hash =
    "f7917fad8d6fc73591b1f561cb4df89a74a3589a38a163a6113ec514886ca755";

static void draw_passes(mrw_isa isa, mrwi_base_sha256 *hash)
{
    mrw_aov_request requests[MRW_AOV_COUNT];
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_image picture = {0};
    mrw_frame_def def = mrw_frame_def_default();
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    for (int i = 0; i < MRW_AOV_COUNT; i++) {
        requests[i] = (mrw_aov_request){(mrw_aov)i, "upperarm.L"};
    }
    ck_assert_int_eq(mrw_load_file("demo:figure", NULL, &scene, NULL), MRW_OK);
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    mrw_instance instance = mrw_instance_default(model);
    def.width = 96;
    def.height = 64;
    def.isa = isa;
    def.aovs = requests;
    def.aov_count = MRW_AOV_COUNT;
    for (int i = 0; i < 2; i++) {
        instance.time = 0.2 + 0.3 * i;
        view.orthographic = i == 1;
        ck_assert_int_eq(
            mrw_frame_extents(&instance, 1, MRW_FIT_FRAME, &view, 1.5f, isa, 1, &extents, NULL),
            MRW_OK);
        ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.5f, &def.camera, NULL), MRW_OK);
        ck_assert_int_eq(mrw_render(renderer, &def, &instance, 1, 2, &picture, NULL), MRW_OK);
        for (uint32_t k = 0; k < MRW_AOV_COUNT; k++) {
            const mrw_image *pass = mrw_frame_aov(renderer, k);
            mrwi_base_sha256_add(hash, pass->pixels,
                                 (size_t)pass->width * pass->height * pass->channels * 4);
        }
    }
    mrw_image_free(&picture);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
}

START_TEST(passes_are_the_same)
{
    for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
        mrwi_base_sha256 hash;
        uint8_t digest[32];
        char text[65];
        if (!mrw_isa_available((mrw_isa)isa)) {
            continue;
        }
        mrwi_base_sha256_begin(&hash);
        draw_passes((mrw_isa)isa, &hash);
        mrwi_base_sha256_end(&hash, digest);
        for (int i = 0; i < 32; i++) {
            snprintf(text + 2 * i, 3, "%02x", digest[i]);
        }
        ck_assert_str_eq(text, passes_hash);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("golden");
    /* By instruction set (CK_RUN_CASE=neon) and number of threads (CK_EXCLUDE_TAGS=fewer-threads).
     */
    for (int i = 0; i < MRW_ISA_COUNT * THREAD_COUNTS; i++) {
        TCase *tc = tcase_create(mrw_isa_name((mrw_isa)(i / THREAD_COUNTS)));
        const bool fewer = i % THREAD_COUNTS < THREAD_COUNTS - 1;
        tcase_set_timeout(tc, 1200);
        tcase_set_tags(tc, fewer ? "fewer-threads" : "all-threads");
        tcase_add_loop_test(tc, bits_are_the_same, i, i + 1);
        suite_add_tcase(s, tc);
    }
    TCase *tc = tcase_create("exact");
    tcase_add_test(tc, cases_are_exact);
    suite_add_tcase(s, tc);
    tc = tcase_create("passes");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, passes_are_the_same);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
