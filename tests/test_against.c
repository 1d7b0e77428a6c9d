/* test_against.c: `marrow test --against`: the other marrow is the same program, or a script around
 * it that tampers, fails, hangs or lacks something. */
#include "cli_fixture.h"

#include "marrow/golden.h"

#include <errno.h>
#include <sys/prctl.h>

static void assert_has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part), "'%s' lacks '%s'", text, part);
}

/* A script that is another marrow: `body` with the arguments given, PROGRAM is the real one. */
static void write_other(const char *body)
{
    char text[PATH_MAX + 2000];
    snprintf(text, sizeof text, "#!/bin/sh\nPROGRAM='%s'\n%s\n", program, body);
    test_write_text("other", text);
    ck_assert_int_eq(chmod("other", 0755), 0);
}

/* Every kind of case; those whose extents an eye can't change come first. */
static void begin(void)
{
    char place[PATH_MAX + 8];
    enter();
    snprintf(place, sizeof place, "%s/tmp", test_folder());
    ck_assert_int_eq(mkdir(place, 0777), 0);
    setenv("TMPDIR", place, 1);
    test_write_text("suite.ini",
                    "[defaults]\nmodel = demo:figure\nsize = 48\n"
                    "[walk]\nclip = Walk\ncount = 3\ncheck = pixels, pose, bounds\n"
                    "[still]\nazimuth = -40\northo = yes\n"
                    "[many]\nclip = Walk + Run\nframes = 0,-1\nfps = 10\nmax-influences = 4\n"
                    "[rest]\npose = rest\ncheck = pose\n");
}

/* Runs the suite against ./other or the program named. */
static void run(const char *other, const char *more)
{
    shell("marrow test --against %s %s", other, more);
}

START_TEST(the_same_program)
{
    shell("marrow test --against '%s' --report rep --junit j.xml", program);
    ck_assert_msg(status == 0, "%s%s", err, out);
    assert_has(out, "4 cases: 4 passed");
    ck_assert(!exists("golden"));
    shell("cat j.xml");
    assert_has(out, "marrow test against ");
    assert_has(out, "(" MRW_VERSION ", pixel version ");
    shell("ls -A tmp | wc -l");
    ck_assert_str_eq(out, "0\n");
}
END_TEST

/* The other shades otherwise: pixels differ, joints don't. */
START_TEST(other_pixels)
{
    /* Behind -- everything is a model: so the option goes in front. */
    write_other("command=$1; shift\n[ $command = render ] && set -- --shading lambert \"$@\"\n"
                "exec \"$PROGRAM\" $command \"$@\"");
    run("./other", "-k walk");
    assert_status(1);
    assert_has(out, "failed ");
    assert_has(out, "walk: Walk_0000: ");
    assert_has(out, " pixels differ (");
    ck_assert_ptr_null(strstr(out, "turned"));
    ck_assert_ptr_null(strstr(out, "camera"));
    shell("find results -name 'Walk_0001*' | sort | xargs -n1 basename");
    ck_assert_str_eq(out, "Walk_0001.diff.png\nWalk_0001.expected.png\nWalk_0001.png\n");
    run("./other", "-k rest"); /* joints alone are compared */
    assert_status(0);
}
END_TEST

/* The other looks from elsewhere: that is said, and is no difference of every pixel. */
START_TEST(another_framing)
{
    write_other("command=$1; shift\n[ $command != --version ] && set -- --margin 0.2 \"$@\"\n"
                "exec \"$PROGRAM\" $command \"$@\"");
    run("./other", "-k 'walk'");
    assert_status(1);
    assert_has(out, "walk: the camera differs: the other marrow frames Walk_0000 differently");
    ck_assert_ptr_null(strstr(out, "pixels differ (9"));
    run("./other", "-k still");
    assert_status(1);
    assert_has(out, "the camera differs");
}
END_TEST

/* The other's joints: moved by hand in what it says. The hips stand 0.25 higher. */
START_TEST(other_joints)
{
    write_other("\"$PROGRAM\" \"$@\" || exit\n"
                "for a in \"$@\"; do case $a in --joints=*) "
                "sed -i 's/\"world\": \\[[^]]*\\]/\"world\": "
                "[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]/' \"${a#--joints=}\";; esac; done");
    run("./other", "-k rest");
    assert_status(1);
    assert_has(out, "rest: rest_0000: ");
    assert_has(out, " moved ");
    run("./other", "-k still"); /* joints are nothing to it */
    assert_status(0);
}
END_TEST

START_TEST(it_fails)
{
    write_other("[ $1 = --version ] && exec \"$PROGRAM\" --version\n"
                "echo 'marrow: error: unknown option --clip' >&2; exit 2");
    run("./other", "-k walk");
    assert_status(1);
    assert_has(out, "walk: ./other render: ended with status 2: unknown option --clip\n");
    write_other("[ $1 = --version ] && exec \"$PROGRAM\" --version\nkill -SEGV $$");
    run("./other", "-k walk");
    assert_status(1);
    assert_has(out, "walk: ./other render: ended by signal 11\n");
    write_other("[ $1 = --version ] && exec \"$PROGRAM\" --version\necho '{}'; exit 0");
    run("./other", "-k walk");
    assert_status(1);
    assert_has(out, "walk: the output of the other marrow is not what this one expects");
    /* One that lacks bake: drawing is compared, poses can't be. */
    write_other("[ $1 = bake ] && { echo 'marrow: error: unknown command' >&2; exit 2; }\n"
                "exec \"$PROGRAM\" \"$@\"");
    run("./other", "-k still");
    assert_status(0);
    run("./other", "-k walk");
    assert_status(1);
    assert_has(out, "walk: ./other bake: ended with status 2: unknown command\n");
}
END_TEST

/* It lacks a clip, and draws fewer frames. */
START_TEST(it_lacks)
{
    write_other("command=$1; shift\ncase \" $*\" in *'--clip=Run'*) "
                "echo 'marrow: error: there is no clip \"Run\"' >&2; exit 3;; esac\n"
                "exec \"$PROGRAM\" $command \"$@\"");
    run("./other", "-k many");
    assert_status(1);
    assert_has(out, "many: ./other render: ended with status 3: there is no clip \"Run\"\n");
    write_other("\"$PROGRAM\" \"$@\" || exit\n"
                "for a in \"$@\"; do case $a in --output=*) "
                "rm \"$(dirname \"${a#--output=}\")\"/Walk_0002.png;; esac; done");
    run("./other", "-k walk");
    assert_status(1);
    assert_has(out, "walk: Walk_0002: the other marrow gives no picture\n");
    shell("ls -A tmp | wc -l");
    ck_assert_str_eq(out, "0\n");
}
END_TEST

START_TEST(it_is_no_marrow)
{
    run("/bin/true", "");
    assert_refused(2, "--against /bin/true: this is not a marrow program");
    run("./gone", "");
    assert_refused(2, "--against ./gone: this is not a marrow program: ./gone: cannot start it");
    run("./other", "--update");
    assert_refused(2, "--update and --against cannot be combined");
}
END_TEST

/* The limit is a test's to choose: twice as long where this machine was too busy to say what the
 * other one is. What hangs, and what that started, is gone afterwards. */
START_TEST(it_hangs)
{
    static const char *const paths[] = {"suite.ini"};
    const mrw_case_choice choice = {.globs = (const char *const[]){"still"}, .glob_count = 1};
    mrw_case_list cases;
    mrw_results results;
    mrw_error error = {0};
    mrw_status done;
    char expected[80];
    int ended;
    write_other("[ $1 = --version ] && exec \"$PROGRAM\" --version\n"
                "sleep 1000 & wait");
    mrw_test_def def = mrw_test_def_default();
    ck_assert(def.against_seconds >= 60);
    def.against = "./other";
    def.against_seconds = 1.5;
    ck_assert_int_eq(mrw_cases_load(paths, 1, &cases, &error), MRW_OK);
    ck_assert_int_eq(mrw_cases_choose(&cases, &choice, &error), MRW_OK);
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    while ((done = mrw_test_run(&cases, &def, &results, &error)) == MRW_ERROR_USAGE) {
        def.against_seconds *= 2.0;
    }
    ck_assert_msg(done == MRW_OK, "%s", error.text);
    ck_assert_int_eq(results.cases[0].outcome, MRW_FAILED);
    snprintf(expected, sizeof expected,
             "./other render: did not finish within %g s, so it was stopped", def.against_seconds);
    ck_assert_str_eq(results.cases[0].message, expected);
    mrw_results_free(&results);
    mrw_cases_free(&cases);
    while (waitpid(-1, &ended, 0) > 0) { /* what is left comes to be this process' */
        ck_assert(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
    }
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/* What a suite says, as a command line: lists resolved, flags that are off left out. */
START_TEST(option_texts)
{
    static const char *const paths[] = {"texts/t.suite.ini"};
    mrw_case_list cases;
    mrw_error error = {0};
    shell("mkdir texts");
    test_write_text("texts/t.suite.ini", "[defaults]\nmodel = m.glb\northo = yes\nsize = 9\n"
                                         "[a]\nclip = Walk, Run + Wave\northo = no\nadd = x.glb\n");
    ck_assert_int_eq(mrw_cases_load(paths, 1, &cases, &error), MRW_OK);
    ck_assert_uint_eq(cases.count, 2);
    const mrw_case *c = &cases.items[1];
    ck_assert_uint_eq(c->option_count, 4);
    ck_assert_str_eq(c->options[0], "--clip=Run");
    ck_assert_str_eq(c->options[1], "--clip=Wave");
    ck_assert_str_eq(c->options[2], "--add=texts/x.glb");
    ck_assert_str_eq(c->options[3], "--size=9");
    mrw_cases_free(&cases);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("against");
    TCase *tc = tcase_create("against");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, begin, test_folder_remove);
    tcase_add_test(tc, the_same_program);
    tcase_add_test(tc, other_pixels);
    tcase_add_test(tc, another_framing);
    tcase_add_test(tc, other_joints);
    tcase_add_test(tc, it_fails);
    tcase_add_test(tc, it_lacks);
    tcase_add_test(tc, it_is_no_marrow);
    tcase_add_test(tc, it_hangs);
    tcase_add_test(tc, option_texts);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
