/* test_cli_report.c: `marrow report merge`: results folders in, one answer out. */
#include "cli_fixture.h"
#include "marrow/codecs.h"
#include "results_fixture.h"

/* A picture of one colour, in folders made for it. */
static void draw(const char *place, const char *name, uint8_t grey)
{
    char path[300], command[400];
    mrw_image image;
    mrw_bytes png;
    snprintf(path, sizeof path, "%s/%s", place, name);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(mrw_image_create(8, 6, 3, &image, NULL), MRW_OK);
    memset(image.pixels, grey, 8 * 6 * 3);
    ck_assert_int_eq(mrw_png_encode(&image, &png, NULL), MRW_OK);
    ck_assert_int_eq(mrw_file_write(path, png.data, png.size, NULL), MRW_OK);
    mrw_bytes_free(&png);
    mrw_image_free(&image);
}

/* Results of shard I of N with one case; a failed one with its pictures. */
static void make_results(const char *place, const char *name, mrw_outcome outcome, uint32_t index,
                         uint32_t count)
{
    char command[300];
    mrw_frame_result frame = bad_frame("Walk_0012", 12);
    mrw_case_result result = one_case(name, outcome);
    mrw_results results = {.cases = &result,
                           .case_count = 1,
                           .seconds = 0.5,
                           .shard_index = index,
                           .shard_count = count,
                           .title = "marrow test",
                           .folder = place};
    snprintf(command, sizeof command, "mkdir -p '%s'", place);
    ck_assert_int_eq(system(command), 0);
    if (outcome == MRW_FAILED) {
        result.message = "Walk_0012: 132 of 5210 pixels differ";
        result.frames = &frame;
        result.frame_count = result.bad_frames = 1;
        draw(place, frame.expected, 100);
        draw(place, frame.actual, 114);
        draw(place, frame.diff, 200);
    }
    count_outcomes(&results);
    ck_assert_int_eq(mrw_results_write(&results, NULL), MRW_OK);
}

START_TEST(shards)
{
    make_results("artifacts/1", "Idle", MRW_PASSED, 1, 3);
    make_results("artifacts/2", "Walk", MRW_FAILED, 2, 3);
    make_results("artifacts/3", "Run", MRW_SKIPPED, 3, 3);
    shell("marrow report merge artifacts/* --report out/page --report-inline out/one.html "
          "--junit out/xml/junit.xml");
    assert_status(1);
    ck_assert_str_eq(out, "failed hero/Walk: Walk_0012: 132 of 5210 pixels differ\n"
                          "3 cases from 3 results folders: 1 passed, 1 failed, 1 skipped\n");
    ck_assert_str_eq(err, "");
    ck_assert(exists("out/page/index.html") && exists("out/one.html"));
    shell("cat out/xml/junit.xml");
    assert_has(out, "<testsuites name=\"marrow test\" tests=\"3\" failures=\"1\"");
    assert_has(out, "[[ATTACHMENT|artifacts/2/hero/Walk/Walk_0012.diff.png]]");
    shell("find out/page -name '*.png*' | wc -l");
    ck_assert_int_ge(atoi(out), 3);
    shell("grep -c 'data:image/png' out/one.html");
    ck_assert_int_ge(atoi(out), 1);
}
END_TEST

START_TEST(a_shard_is_lost)
{
    make_results("artifacts/1", "Idle", MRW_PASSED, 1, 3);
    make_results("artifacts/3", "Run", MRW_PASSED, 3, 3);
    shell("marrow report merge artifacts/* --junit junit.xml");
    assert_status(1);
    assert_has(out, "failed marrow/shard 2 of 3: shard 2 of 3 is missing");
    assert_has(out, "3 cases from 2 results folders: 2 passed, 1 failed\n");
    shell("cat junit.xml");
    assert_has(out, "failures=\"1\"");
    assert_has(out, "<failure type=\"failed\" message=\"shard 2 of 3 is missing");
}
END_TEST

START_TEST(statuses)
{
    make_results("a", "Idle", MRW_PASSED, 1, 1);
    make_results("b", "Walk", MRW_SKIPPED, 1, 1);
    shell("marrow report merge a b");
    assert_status(0);
    shell("marrow report merge b");
    assert_status(77);
    shell("marrow report merge a b -q");
    assert_status(0);
    ck_assert_str_eq(out, "");
    make_results("c", "Run", MRW_XPASSED, 1, 1);
    shell("marrow report merge a b c");
    assert_status(1);
}
END_TEST

/* Folders as CI unpacks them: results of several suites at some depth, in the order of names. Links
 * and hidden folders are not entered. */
START_TEST(found_below)
{
    make_results("artifacts/two/tests/hero/results", "Idle", MRW_PASSED, 1, 1);
    make_results("artifacts/one/x/y", "Walk", MRW_PASSED, 1, 1);
    make_results("artifacts/one/x/y/z", "Within", MRW_PASSED, 1, 1);
    make_results("artifacts/.hidden", "Hidden", MRW_PASSED, 1, 1);
    make_results("elsewhere", "Linked", MRW_PASSED, 1, 1);
    shell("ln -s ../elsewhere artifacts/link; marrow report merge artifacts/ --tap");
    assert_status(0);
    ck_assert_str_eq(out, "TAP version 13\n1..2\nok 1 - hero/Walk\nok 2 - hero/Idle\n");
    shell("marrow report merge artifacts/link --tap"); /* named, it is */
    assert_has(out, "hero/Linked");
}
END_TEST

START_TEST(what_does_not_merge)
{
    make_results("a", "Idle", MRW_PASSED, 1, 3);
    make_results("b", "Walk", MRW_PASSED, 2, 4);
    shell("marrow report merge a a/ --junit junit.xml");
    assert_refused(3, "case hero/Idle is in 'a' and in 'a'");
    ck_assert(!exists("junit.xml"));
    shell("marrow report merge a b");
    assert_refused(3, "merge only shards of one run");
    shell("marrow report merge");
    assert_refused(2, "report");
    shell("marrow report join a b");
    assert_refused(2, "unknown action `join`");
    shell("marrow report merge not-there");
    assert_refused(3, "not-there: there is no results.json in this folder or below");
}
END_TEST

/* One folder that can't be read spoils the answer, not the report of the others. */
START_TEST(a_part_is_damaged)
{
    make_results("a", "Idle", MRW_PASSED, 1, 1);
    make_results("b", "Walk", MRW_FAILED, 1, 1);
    shell("mkdir c d; head -c 300 b/results.json >c/results.json; "
          "marrow report merge a b c d --junit junit.xml");
    assert_status(3);
    assert_said("c/results.json: the JSON is damaged or cut short");
    assert_said("d: there is no results.json");
    assert_has(out, "2 cases from 2 results folders: 1 passed, 1 failed\n");
    ck_assert(exists("junit.xml"));
}
END_TEST

/* One that names pictures outside its folder is refused before any is opened. */
START_TEST(a_part_reaches_out)
{
    make_results("a", "Walk", MRW_FAILED, 1, 1);
    shell("cp a/hero/Walk/Walk_0012.png secret.png; "
          "sed -i 's|hero/Walk/Walk_0012.png|../secret.png|' a/results.json; "
          "marrow report merge a --report out --report-inline one.html");
    assert_refused(3, "case 1, frame 1: \"actual\" must stay inside the results folder");
    ck_assert(!exists("out") && !exists("one.html"));
}
END_TEST

START_TEST(answers_for_machines)
{
    make_results("a", "Idle", MRW_PASSED, 1, 1);
    make_results("b", "Walk", MRW_FAILED, 1, 1);
    shell("marrow report merge a b --json");
    assert_status(1);
    cJSON *json = cJSON_Parse(out);
    ck_assert_ptr_nonnull(json);
    const cJSON *second = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "cases"), 1);
    ck_assert_str_eq(cJSON_GetObjectItem(second, "outcome")->valuestring, "failed");
    const cJSON *frame = cJSON_GetArrayItem(cJSON_GetObjectItem(second, "frames"), 0);
    ck_assert_str_eq(cJSON_GetObjectItem(frame, "actual")->valuestring,
                     "b/hero/Walk/Walk_0012.png");
    cJSON_Delete(json);
    shell("marrow report merge a b --json --tap");
    assert_status(2);
}
END_TEST

START_TEST(github)
{
    make_results("a", "Idle", MRW_PASSED, 1, 1);
    make_results("b", "Walk", MRW_FAILED, 1, 1);
    shell("echo earlier >step.md; export GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=step.md; "
          "marrow report merge a b --json");
    assert_status(1);
    ck_assert_int_eq(out[0], '{');
    ck_assert_int_eq(
        strncmp(err, "::error file=tests/hero/suite.ini,line=12,title=hero/Walk::", 59), 0);
    ck_assert_uint_eq(count_text(err, "\n"), 1);
    shell("cat step.md");
    assert_has(out, "earlier\n### marrow test: 1 bad of 2 cases\n");
    shell("export GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=no/step.md; marrow report merge a");
    assert_status(0);
    assert_said("warning: no/step.md: the step's summary could not be written");
    shell("GITHUB_STEP_SUMMARY=step2.md marrow report merge b");
    ck_assert(!exists("step2.md"));
    ck_assert_str_eq(err, "");
}
END_TEST

/* What can't be written does not take the rest with it. */
START_TEST(nowhere_to_write)
{
    make_results("a", "Idle", MRW_PASSED, 1, 1);
    shell("touch file; marrow report merge a --report file/out --junit file/junit.xml "
          "--report-inline one.html");
    assert_status(4);
    assert_said("file: cannot make the folder: Not a directory; choose another place");
    ck_assert(exists("one.html"));
    if (geteuid() != 0) {
        shell("mkdir shut; chmod a-w shut; marrow report merge a --junit shut/junit.xml");
        assert_refused(4, "shut/junit.xml");
    }
}
END_TEST

/* No stranger's name starts a line or moves the cursor. */
START_TEST(strangers)
{
    fixture f;
    fill_nasty(&f);
    f.results.shard_index = f.results.shard_count = 1;
    f.results.case_count = 1;
    f.cases[0].suite = f.cases[0].name = "::error::mine"; /* a path that stays inside */
    f.frames[0].name = "frame";
    f.cases[0].message = "\n::error::mine\x1b[31m";
    ck_assert_int_eq(mrw_results_write(&f.results, NULL), MRW_OK);
    shell("marrow report merge .");
    assert_status(1);
    assert_has(out, "failed \\x3A:error::mine/\\x3A:error::mine: \\x0A::error::mine\\x1B[31m\n");
    ck_assert_uint_eq(count_text(out, "\n"), 2);
    shell("mkdir \"$(printf 'x\\033[31m\\ny')\"; marrow report merge x*");
    assert_refused(3, "x\\x1B[31m\\x0Ay: there is no results.json");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_report");
    TCase *tc = tcase_create("merge");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, shards);
    tcase_add_test(tc, a_shard_is_lost);
    tcase_add_test(tc, statuses);
    tcase_add_test(tc, found_below);
    tcase_add_test(tc, what_does_not_merge);
    tcase_add_test(tc, a_part_is_damaged);
    tcase_add_test(tc, a_part_reaches_out);
    tcase_add_test(tc, answers_for_machines);
    tcase_add_test(tc, github);
    tcase_add_test(tc, nowhere_to_write);
    tcase_add_test(tc, strangers);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
