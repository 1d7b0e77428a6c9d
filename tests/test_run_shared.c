/* test_run_shared.c: what golden runs do once for several cases and frames. */
#include "test.h"

#include "frame.h"

#include <marrow/marrow.h>
#include <unistd.h>

/* run.h and frame.h each have a struct of one name. */
extern uint64_t mrwi_framings_measured(void);

static char folder[256];

static void enter(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/marrow-shared-XXXXXX", place ? place : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void leave(void)
{
    char command[300];
    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Runs a suite; returns how many of its cases passed or were written. */
static uint32_t run(const char *suite, mrw_update update, int threads)
{
    static const char *const here[1] = {"."};
    mrw_case_list cases;
    mrw_test_def def = mrw_test_def_default();
    mrw_results results;
    mrw_error error;
    FILE *file = fopen("a.suite.ini", "w");
    fputs(suite, file);
    fclose(file);
    def.update = update;
    def.threads = threads;
    def.out = "results";
    ck_assert_msg(mrw_cases_load(here, 1, &cases, &error) == MRW_OK, "%s", error.text);
    ck_assert_msg(mrw_test_run(&cases, &def, &results, &error) == MRW_OK, "%s", error.text);
    const uint32_t good = (uint32_t)(results.counts[MRW_PASSED] + results.counts[MRW_UPDATED]);
    mrw_results_free(&results);
    mrw_cases_free(&cases);
    return good;
}

/* Five framings: of two clips, of another shape, from another side, of the rest pose. Single frames
 * and what follows a node are framed each by itself, and not counted. */
static const char framings[] = "[defaults]\nmodel = demo:figure\nsize = 24\naa = 1\n"
                               "[a]\nclip = Walk\nframes = 1\n"
                               "[b]\nclip = Walk\nframes = 2\n"
                               "[c]\nclip = Walk\ntimes = 0.3\nfit = clip\nshading = unlit\n"
                               "[d]\nclip = Wave\nframes = 2\n"
                               "[e]\nclip = Walk\nframes = 3\nsize = 24x12\n"
                               "[f]\nclip = Walk\nframes = 3\nazimuth = 90\n"
                               "[g]\nclip = Walk\nframes = 3\nfit = rest\n"
                               "[h]\nclip = Walk\nframes = 4\nfit = rest\n"
                               "[i]\nclip = Walk\ntimes = 0.3\nfit = frame\n";

START_TEST(cases_share_what_they_frame)
{
    for (int threads = 1; threads <= 3; threads++) {
        const uint64_t before = mrwi_framings_measured();
        ck_assert_uint_eq(run(framings, threads == 1 ? MRW_UPDATE_ALL : MRW_UPDATE_NONE, threads),
                          9);
        /* [c] is drawn with another preparation of the model: it counts once more */
        ck_assert_uint_eq(mrwi_framings_measured() - before, 6);
    }
}
END_TEST

/* One after the other, each its own run and so its own framing, cases give the same pictures. */
START_TEST(sharing_changes_nothing)
{
    char suite[2000];
    ck_assert_uint_eq(run(framings, MRW_UPDATE_ALL, 2), 9);
    const char *defaults_end = strstr(framings, "[a]");
    for (const char *at = defaults_end; at; at = strstr(at + 1, "\n[")) {
        const char *from = *at == '\n' ? at + 1 : at, *to = strstr(from, "\n[");
        snprintf(suite, sizeof suite, "%.*s%.*s\n", (int)(defaults_end - framings), framings,
                 (int)(to ? to - from : (long)strlen(from)), from);
        ck_assert_msg(run(suite, MRW_UPDATE_NONE, 1) == 1, "%s", suite);
    }
}
END_TEST

/* Frames of a case that show the same are drawn once, compared each; with --repeat all again. */
START_TEST(equal_frames_are_drawn_once)
{
    static const char suite[] = "[defaults]\nmodel = demo:figure\nsize = 24\naa = 1\n"
                                "[a]\nclip = Walk\ntimes = 0.1,0.2,0.1,77,88,99\n"
                                "fit = clip\nwrap = clamp\n";
    for (int threads = 1; threads <= 3; threads++) {
        const uint64_t before = mrwi_frame_counts.pictures;
        ck_assert_uint_eq(run(suite, threads == 1 ? MRW_UPDATE_ALL : MRW_UPDATE_NONE, threads), 1);
        ck_assert_uint_eq(mrwi_frame_counts.pictures - before, 3);
    }
    ck_assert_int_eq(system("cmp -s golden/a/a/Walk_0003.png golden/a/a/Walk_0005.png"), 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("run_shared");
    TCase *t = tcase_create("run_shared");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, enter, leave);
    tcase_add_test(t, cases_share_what_they_frame);
    tcase_add_test(t, sharing_changes_nothing);
    tcase_add_test(t, equal_frames_are_drawn_once);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
