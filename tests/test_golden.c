/* test_golden.c: the proof of sameness. Every case of golden/ passes, bit for bit, over every
 * instruction set present and 1, 2, 3 and 8 threads, whatever compiler and optimisation level built
 * this program, on whatever machine. `make golden` is the only thing that writes the pictures.
 */
#include "test.h"

#include "marrow/marrow.h"

#include <ftw.h>
#include <unistd.h>

static const int thread_counts[] = {1, 2, 3, 8};
#define THREAD_COUNTS ((int)(sizeof thread_counts / sizeof *thread_counts))

static mrw_case_list cases;
static char folder[256]; /* of results */

static void load(void)
{
    static const char *const path = "golden";
    const char *place = getenv("TMPDIR");
    mrw_error error = {0};
    ck_assert_msg(mrw_cases_load(&path, 1, &cases, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_gt(cases.count, 0);
    snprintf(folder, sizeof folder, "%s/marrow-golden-XXXXXX", place ? place : P_tmpdir);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

/* Not reached when a case failed: what it drew is left to be looked at. */
static void unload(void)
{
    mrw_cases_free(&cases);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void run(const mrw_case_list *list, const mrw_test_def *def, mrw_results *results)
{
    mrw_error error = {0};
    ck_assert_msg(mrw_test_run(list, def, results, &error) == MRW_OK, "%s", error.text);
    for (size_t i = 0; i < results->case_count; i++) {
        const mrw_case_result *result = &results->cases[i];
        ck_assert_msg(result->outcome == MRW_PASSED, "%s/%s with %s and %d threads: %s (see %s)",
                      result->suite, result->name, mrw_isa_name(def->isa), def->threads,
                      result->message, folder);
        ck_assert_uint_eq(result->golden_pixel_version, MRW_PIXEL_VERSION);
        ck_assert_str_eq(result->golden_scene_hash, result->scene_hash);
    }
    ck_assert_msg(results->unused_count == 0, "no case uses %s", results->unused[0]);
}

static mrw_test_def def_of(mrw_isa isa, int threads)
{
    mrw_test_def def = mrw_test_def_default();
    def.out = folder;
    def.isa = isa;
    def.threads = threads;
    return def;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* A run of fewer cases than threads gives all of them to each case in turn, so that one frame is
 * drawn by all. */
START_TEST(bits_are_the_same)
{
    const mrw_isa isa = (mrw_isa)(MRW_ISA_SCALAR + _i / THREAD_COUNTS);
    const int threads = thread_counts[_i % THREAD_COUNTS];
    mrw_test_def def = def_of(isa, threads);
    if (!mrw_isa_available(isa)) {
        return;
    }
    load();
    const size_t step = threads > 1 ? (size_t)threads - 1 : cases.count;
    def.full =
        step == cases.count; /* files among the goldens that no case uses are failures, too */
    for (size_t at = 0; at < cases.count; at += step) {
        mrw_case_list some = {.items = cases.items + at};
        mrw_results results;
        some.count = cases.count - at < step ? cases.count - at : step;
        run(&some, &def, &results);
        mrw_results_free(&results);
    }
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

static Suite *suite(void)
{
    Suite *s = suite_create("golden");
    TCase *tc = tcase_create("sameness");
    tcase_set_timeout(tc, 1200);
    tcase_add_loop_test(tc, bits_are_the_same, 0, (MRW_ISA_COUNT - MRW_ISA_SCALAR) * THREAD_COUNTS);
    tcase_add_test(tc, cases_are_exact);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
