/* test_drivers.c: goldens that another backend than software draws. The backend here is software
 * under another name, so that its pictures are the same, to the bit, and only the name can part
 * them. */
#include "test.h"

#include <limits.h>
#include <marrow/frame.h>
#include <marrow/golden.h>
#include <unistd.h>

#define CARD   "card 1 (\"fast\"), OpenGL 3.3"
#define CARD_2 "card 2, OpenGL 4.6"

static mrw_backend backend; /* "gl" */

static void enter(void)
{
    test_folder_enter();
    backend = *mrw_backend_software();
    backend.name = "gl";
}

static const char suite_text[] = "[defaults]\nmodel = demo:blob\nsize = 32\naa = 1\ncount = 2\n"
                                 "[a]\n"
                                 "[b]\nstore = hash\nkey-frames = 0\n"
                                 "[c]\ncheck = pixels, pose\n";
#define CASES 3

static mrw_case_list load(const char *text)
{
    static const char *const here[] = {"suite.ini"};
    mrw_case_list cases;
    mrw_error error;
    test_write_text("suite.ini", text);
    ck_assert_msg(mrw_cases_load(here, 1, &cases, &error) == MRW_OK, "%s", error.text);
    return cases;
}

/* driver NULL: software. */
static mrw_results run_list(const mrw_case_list *cases, const char *driver, mrw_update update)
{
    mrw_test_def def = mrw_test_def_default();
    mrw_results results;
    mrw_error error;
    def.update = update;
    def.full = true;
    def.threads = 2;
    def.backend = driver ? &backend : NULL;
    def.driver = driver;
    ck_assert_msg(mrw_test_run(cases, &def, &results, &error) == MRW_OK, "%s", error.text);
    return results;
}

static mrw_results run(const char *driver, mrw_update update)
{
    mrw_case_list cases = load(suite_text);
    mrw_results results = run_list(&cases, driver, update);
    ck_assert_uint_eq(results.case_count, CASES);
    mrw_cases_free(&cases);
    return results;
}

static void expect(const char *driver, mrw_update update, mrw_outcome outcome)
{
    mrw_results results = run(driver, update);
    for (size_t i = 0; i < CASES; i++) {
        ck_assert_msg(results.cases[i].outcome == outcome, "%s: %s", results.cases[i].name,
                      results.cases[i].message);
    }
    mrw_results_free(&results);
}

static void shell(const char *command)
{
    ck_assert_int_eq(system(command), 0);
}

static bool says(const char *path, const char *part)
{
    char text[4000];
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "no %s", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strstr(text, part);
}

/* The folder of a case's goldens: GOLDEN/SUITE/CASE. */
static char *golden(const char *name, const char *file)
{
    static char path[PATH_MAX];
    mrw_case_list cases = load(suite_text);
    for (size_t i = 0; i < cases.count; i++) {
        if (strcmp(cases.items[i].name, name) == 0) {
            snprintf(path, sizeof path, "%s/%s", cases.items[i].golden, file);
        }
    }
    mrw_cases_free(&cases);
    return path;
}

START_TEST(both_kinds_side_by_side)
{
    expect(NULL, MRW_UPDATE_MISSING, MRW_UPDATED);
    mrw_results results = run(CARD, MRW_UPDATE_NONE);
    ck_assert_ptr_nonnull(strstr(results.title, "card 1"));
    for (size_t i = 0; i < CASES; i++) {
        ck_assert_int_eq(results.cases[i].outcome, MRW_FAILED);
        ck_assert_uint_eq(results.cases[i].frames[0].why, MRW_WHY_MISSING);
        ck_assert_str_eq(results.cases[i].backend, "gl");
        ck_assert_ptr_nonnull(strstr(results.cases[i].driver, "OpenGL 3.3"));
    }
    mrw_results_free(&results);
    expect(CARD, MRW_UPDATE_MISSING, MRW_UPDATED);
    expect(CARD, MRW_UPDATE_NONE, MRW_PASSED);
    results = run(NULL, MRW_UPDATE_NONE);
    ck_assert_uint_eq(results.counts[MRW_PASSED], CASES);
    ck_assert_uint_eq(results.unused_count, 0);
    ck_assert_ptr_null(results.cases[0].backend);
    ck_assert_ptr_null(results.cases[0].driver);
    mrw_results_free(&results);
    ck_assert(says(golden("a", "gl/golden.txt"), "\ndrawn_by gl \"card 1 "));
    ck_assert(!says(golden("a", "golden.txt"), "drawn_by"));
    /* one file per model, whoever drew it */
    ck_assert_int_eq(system("ls golden/*/scene-*.txt >/dev/null"), 0);
    ck_assert_int_ne(system("ls golden/*/*/scene-* golden/*/*/*/scene-* 2>/dev/null"), 0);
}
END_TEST

/* Every frame fails by it, and none is compared, though all pixels are the same. */
static void assert_not_compared(const char *driver, const char *theirs)
{
    mrw_results results = run(driver, MRW_UPDATE_NONE);
    for (size_t i = 0; i < CASES; i++) {
        const mrw_case_result *c = &results.cases[i];
        ck_assert_int_eq(c->outcome, MRW_FAILED);
        ck_assert_msg(strstr(c->message, "the goldens were drawn by ") &&
                          strstr(c->message, theirs) && strstr(c->message, "not compared"),
                      "%s", c->message);
        ck_assert_uint_eq(c->bad_frames, 2);
        for (size_t f = 0; f < c->frame_count; f++) {
            ck_assert_uint_eq(c->frames[f].why, MRW_WHY_DRIVER);
            ck_assert(!c->frames[f].compared);
            ck_assert_ptr_null(c->frames[f].expected);
            ck_assert_ptr_nonnull(c->frames[f].actual);
        }
    }
    mrw_results_free(&results);
}

START_TEST(one_is_never_taken_for_the_other)
{
    expect(NULL, MRW_UPDATE_MISSING, MRW_UPDATED);
    expect(CARD, MRW_UPDATE_MISSING, MRW_UPDATED);
    shell("for d in golden/*/*/; do mv $d/gl gl && mv $d soft && mv gl $d && mv soft $d/gl; done");
    assert_not_compared(NULL, "card 1");
    assert_not_compared(CARD, "software");
    expect(CARD, MRW_UPDATE_MISSING, MRW_FAILED); /* nothing is missing */
    ck_assert(!says(golden("a", "gl/golden.txt"), "drawn_by"));
    expect(CARD, MRW_UPDATE_CHANGED, MRW_UPDATED);
    expect(CARD, MRW_UPDATE_NONE, MRW_PASSED);
    expect(NULL, MRW_UPDATE_CHANGED, MRW_UPDATED);
    expect(NULL, MRW_UPDATE_NONE, MRW_PASSED);
    ck_assert(!says(golden("b", "golden.txt"), "drawn_by"));
}
END_TEST

START_TEST(another_driver_says_so)
{
    mrw_changes changes;
    mrw_error error;
    expect(CARD, MRW_UPDATE_MISSING, MRW_UPDATED);
    expect(CARD_2, MRW_UPDATE_MISSING, MRW_FAILED);
    mrw_results results = run(CARD_2, MRW_UPDATE_NONE);
    for (size_t i = 0; i < CASES; i++) {
        const mrw_case_result *c = &results.cases[i];
        ck_assert_int_eq(c->outcome, MRW_FAILED);
        ck_assert(strstr(c->message, "card 1") && strstr(c->message, "card 2"));
        ck_assert_uint_eq(c->frames[0].why, MRW_WHY_DRIVER);
        ck_assert(c->frames[0].compared && c->frames[0].metrics.identical);
        ck_assert_ptr_nonnull(c->frames[0].expected);
    }
    mrw_results_free(&results);
    mrw_case_list cases = load(suite_text);
    ck_assert_msg(mrw_accept(&cases, &(mrw_accept_def){.dry_run = false}, &changes, &error) ==
                      MRW_OK,
                  "%s", error.text);
    ck_assert_uint_ge(changes.count, CASES);
    mrw_changes_free(&changes);
    mrw_cases_free(&cases);
    ck_assert(says(golden("a", "gl/golden.txt"), "card 2"));
    ck_assert_int_ne(access(golden("a", "golden.txt"), F_OK), 0);
    expect(CARD_2, MRW_UPDATE_NONE, MRW_PASSED);
    expect(CARD, MRW_UPDATE_CHANGED, MRW_UPDATED);
    expect(CARD, MRW_UPDATE_NONE, MRW_PASSED);
}
END_TEST

/* Results say whose they are. */
START_TEST(results_are_accepted_where_they_belong)
{
    mrw_changes changes;
    mrw_error error;
    mrw_case_list cases = load(suite_text);
    expect(CARD, MRW_UPDATE_NONE, MRW_FAILED);
    ck_assert_int_eq(mrw_accept(&cases, &(mrw_accept_def){.dry_run = false}, &changes, &error),
                     MRW_OK);
    ck_assert_uint_eq(changes.count, 2 * CASES);
    mrw_changes_free(&changes);
    expect(CARD, MRW_UPDATE_NONE, MRW_PASSED);
    expect(NULL, MRW_UPDATE_NONE, MRW_FAILED);
    shell("sed 's/\"backend\": null/\"backend\": \".gl\"/; s/\"driver\": null/\"driver\": \"x\"/' "
          "results/results.json >r && mv r results/results.json");
    ck_assert_int_eq(mrw_accept(&cases, &(mrw_accept_def){.dry_run = false}, &changes, &error),
                     MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "the backend is invalid"));
    mrw_cases_free(&cases);
}
END_TEST

START_TEST(unused_goldens)
{
    expect(NULL, MRW_UPDATE_MISSING, MRW_UPDATED);
    expect(CARD, MRW_UPDATE_MISSING, MRW_UPDATED);
    test_write_text(golden("a", "gl/blob_0099.png"), "not asked for");
    for (int k = 0; k < 2; k++) { /* by who draws them alone */
        mrw_results results = run(k == 0 ? NULL : CARD, MRW_UPDATE_NONE);
        ck_assert_uint_eq(results.unused_count, (size_t)k);
        mrw_results_free(&results);
    }
    mrw_case_list cases = load("[a]\nmodel = demo:blob\nsize = 32\naa = 1\ncount = 2\n");
    mrw_results results = run_list(&cases, NULL, MRW_UPDATE_NONE);
    /* of b a text and a picture, of c two of each, and all of it twice */
    ck_assert_uint_eq(results.unused_count, 2 * (2 + 4));
    mrw_results_free(&results);
    mrw_cases_free(&cases);
}
END_TEST

START_TEST(what_software_alone_draws_is_skipped)
{
    mrw_case_list cases = load("[a]\nmodel = demo:blob\nsize = 16\nbackend = soft it flickers\n");
    mrw_results results = run_list(&cases, CARD, MRW_UPDATE_NONE);
    ck_assert_int_eq(results.cases[0].outcome, MRW_SKIPPED);
    ck_assert_str_eq(results.cases[0].message, "it flickers");
    ck_assert_int_eq(mrw_results_exit_status(&results), 77);
    mrw_results_free(&results);
    results = run_list(&cases, NULL, MRW_UPDATE_MISSING);
    ck_assert_int_eq(results.cases[0].outcome, MRW_UPDATED);
    mrw_results_free(&results);
    mrw_cases_free(&cases);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("drivers");
    TCase *tc = tcase_create("drivers");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, both_kinds_side_by_side);
    tcase_add_test(tc, one_is_never_taken_for_the_other);
    tcase_add_test(tc, another_driver_says_so);
    tcase_add_test(tc, results_are_accepted_where_they_belong);
    tcase_add_test(tc, unused_goldens);
    tcase_add_test(tc, what_software_alone_draws_is_skipped);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
