/* test_run_shared.c: what golden runs do once for several cases and frames. */
#include "test.h"

#include "frame/frame.h"
#include "session/framings.h"

#include <marrow/golden.h>
#include <unistd.h>

/* Runs a suite, `times` in a row; returns how many of its cases passed or were written. */
static uint32_t run_often(const char *suite, mrw_update update, int threads, uint32_t times)
{
    static const char *const here[1] = {"."};
    mrw_case_list cases;
    mrw_test_def def = mrw_test_def_default();
    mrw_results results;
    mrw_error error;
    test_write_text("a.suite.ini", suite);
    def.update = update;
    def.threads = threads;
    def.repeat = times;
    def.out = "results";
    ck_assert_msg(mrw_cases_load(here, 1, &cases, &error) == MRW_OK, "%s", error.text);
    ck_assert_msg(mrw_test_run(&cases, &def, &results, &error) == MRW_OK, "%s", error.text);
    const uint32_t good = (uint32_t)(results.counts[MRW_PASSED] + results.counts[MRW_UPDATED]);
    mrw_results_free(&results);
    mrw_cases_free(&cases);
    return good;
}

static uint32_t run(const char *suite, mrw_update update, int threads)
{
    return run_often(suite, update, threads, 1);
}

/* How often a suite of so many cases measures what it frames. */
static uint32_t measures(const char *suite, uint32_t cases)
{
    const uint64_t before = mrwi_session_framings_measured();
    ck_assert_uint_eq(run(suite, MRW_UPDATE_ALL, 2), cases);
    return (uint32_t)(mrwi_session_framings_measured() - before);
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
        const uint64_t before = mrwi_session_framings_measured();
        ck_assert_uint_eq(run(framings, threads == 1 ? MRW_UPDATE_ALL : MRW_UPDATE_NONE, threads),
                          9);
        /* [c] is drawn with another preparation of the model: it counts once more */
        ck_assert_uint_eq(mrwi_session_framings_measured() - before, 6);
    }
}
END_TEST

#define DEFAULTS "[defaults]\nmodel = demo:figure\nsize = 24\naa = 1\n"

/* `clip` keeps clips apart; what frames all of them, or none, is one. */
START_TEST(clips_share_what_frames_them_all)
{
    ck_assert_uint_eq(measures(DEFAULTS "fit = all\n[a]\nclip = Walk\nframes = 1\n"
                                        "[b]\nclip = Wave\nframes = 2\n",
                               2),
                      1);
    ck_assert_uint_eq(measures(DEFAULTS "fit = all\n[a]\nclip = all\nframes = 0,1\n", 1), 1);
    ck_assert_uint_eq(measures(DEFAULTS "fit = clip\n[a]\nclip = Walk\nframes = 1\n"
                                        "[b]\nclip = Wave\nframes = 2\n",
                               2),
                      2);
    ck_assert_uint_eq(measures(DEFAULTS "fit = clip\n[a]\nclip = all\nframes = 0,1\n", 1), 3);
    ck_assert_uint_eq(measures(DEFAULTS "fit = rest\n[a]\nclip = Walk\nframes = 1\n"
                                        "[b]\nclip = Wave\nframes = 2\n",
                               2),
                      1);
}
END_TEST

/* The figure walks on the spot or away. */
static const char walks[] = DEFAULTS "[a]\nclip = Walk\nframes = 1\nfit = clip\n"
                                     "[b]\nclip = Walk\nframes = 1\nfit = clip\nwrap = loop\n"
                                     "[c]\nclip = Walk\nframes = 1\nfit = clip\nwrap = loop\n"
                                     "root-motion = loop\n"
                                     "[d]\nclip = Walk\nframes = 1\nfit = clip\n"
                                     "root-motion = strip\n"
                                     "[e]\nclip = Walk\nframes = 1\nfit = all\n"
                                     "[f]\nclip = Wave\nframes = 1\nfit = all\n"
                                     "[g]\nclip = Walk\nframes = 1\nfit = all\n"
                                     "root-motion = strip\n"
                                     "[h]\nclip = Run\nframes = 1\nfit = rest\n"
                                     "[i]\nclip = Walk\nframes = 1\nfit = rest\n"
                                     "root-motion = strip\n"
                                     "[j]\npose = rest\nfit = rest\n"
                                     "[k]\npose = bind\nfit = rest\n";

/* [a] to [c]; [d]; [e] and [f]; [g]; [h] to [j]; [k]. */
START_TEST(ways_to_walk_are_told_apart)
{
    ck_assert_uint_eq(measures(walks, 11), 6);
}
END_TEST

/* One after the other, each its own run and so its own framing, cases give the same pictures. */
static void assert_same_alone(const char *cases, uint32_t count)
{
    char suite[2000];
    ck_assert_uint_eq(run(cases, MRW_UPDATE_ALL, 2), count);
    const char *defaults_end = strstr(cases, "[a]");
    for (const char *at = defaults_end; at; at = strstr(at + 1, "\n[")) {
        const char *from = *at == '\n' ? at + 1 : at, *to = strstr(from, "\n[");
        snprintf(suite, sizeof suite, "%.*s%.*s\n", (int)(defaults_end - cases), cases,
                 (int)(to ? to - from : (long)strlen(from)), from);
        ck_assert_msg(run(suite, MRW_UPDATE_NONE, 1) == 1, "%s", suite);
    }
}

START_TEST(sharing_changes_nothing)
{
    assert_same_alone(framings, 9);
    assert_same_alone(walks, 11);
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

/* The same where each is framed by itself. A second run draws and poses all, each with its own
 * camera: what was shared is what it finds. */
START_TEST(equal_frames_are_equal)
{
    static const char suite[] = DEFAULTS "check = pixels, pose, bounds\nclip = Walk\n"
                                         "times = 0.1,0.2,0.1,77,88,99\n"
                                         "[a]\nfit = frame\n"
                                         "[b]\nfit = frame\nfollow = head\n"
                                         "[c]\nfit = frame\nmask = node:head\n"
                                         "[d]\nfit = clip\n";
    uint64_t before = mrwi_frame_counts.pictures;
    ck_assert_uint_eq(run(suite, MRW_UPDATE_ALL, 1), 4);
    ck_assert_uint_eq(mrwi_frame_counts.pictures - before, 4 * 3);
    for (int threads = 1; threads <= 3; threads++) {
        before = mrwi_frame_counts.pictures;
        ck_assert_uint_eq(run_often(suite, MRW_UPDATE_NONE, threads, 2), 4);
        ck_assert_uint_eq(mrwi_frame_counts.pictures - before, 4 * 3 + 4 * 6);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("run_shared");
    TCase *t = tcase_create("run_shared");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, test_folder_enter, test_folder_remove);
    tcase_add_test(t, cases_share_what_they_frame);
    tcase_add_test(t, clips_share_what_frames_them_all);
    tcase_add_test(t, ways_to_walk_are_told_apart);
    tcase_add_test(t, sharing_changes_nothing);
    tcase_add_test(t, equal_frames_are_drawn_once);
    tcase_add_test(t, equal_frames_are_equal);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
