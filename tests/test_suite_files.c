/* test_suite_files.c: which suite files are found, and which of their cases are chosen. */
#include "suite_fixture.h"

/* ---- which files ----------------------------------------------------------------------------- */

#define ONE_CASE "[c]\nmodel=m\n"

START_TEST(suites_below_a_folder)
{
    test_write_text("b/suite.ini", ONE_CASE);
    test_write_text("b/z.suite.ini", ONE_CASE);
    test_write_text("b/a.suite.ini", ONE_CASE);
    test_write_text("a/x/deep/suite.ini", ONE_CASE);
    test_write_text("a/other.ini", "no suite");
    test_write_text("a/.suite.ini", "no suite");
    test_write_text("a/suite.ini.bak", "no suite");
    test_write_text("a/.hidden/suite.ini", "no suite");
    test_write_text("b/results/b/c/suite.ini", "no suite");
    test_write_text("b/golden/b/c/suite.ini", "no suite");
    test_write_text("c/suite.ini", "[c]\nmodel=m\ngolden=refs/x\n[d]\nmodel=m\ngolden=.\n");
    test_write_text("c/refs/x/suite.ini", "no suite");
    test_write_text("c/refs/y/suite.ini", ONE_CASE);
    test_write_text("c/c/suite.ini", "no suite");
    test_write_text("results/suite.ini", ONE_CASE);
    ck_assert_int_eq(symlink("b", "link"), 0);
    ck_assert_int_eq(symlink("../b/suite.ini", "a/again.suite.ini"), 0);
    ck_assert_int_eq(mkfifo("pipe.suite.ini", 0600), 0);
    ck_assert_int_eq(mkdir("folder.suite.ini", 0700), 0);
    ck_assert_msg(load(".") == MRW_OK, "%s", error.text);
    ck_assert_str_eq(names(), "again/c deep/c a/c z/c y/c c/c c/d results/c");
    ck_assert_str_eq(list.items[1].suite_file, "a/x/deep/suite.ini");
    ck_assert_str_eq(list.items[2].suite_file, "b/a.suite.ini");
    ck_assert_int_eq(unlink("a/again.suite.ini"), 0);
    ck_assert_int_eq(load("."), MRW_OK);
    ck_assert_str_eq(names(), "deep/c a/c b/c z/c y/c c/c c/d results/c");
    mrw_cases_free(&list);
    ck_assert_int_eq(mrw_cases_load(NULL, 0, &list, &error), MRW_OK);
    ck_assert_str_eq(names(), "deep/c a/c b/c z/c y/c c/c c/d results/c");
    ck_assert_int_eq(load("link"), MRW_OK); /* a link that is named is followed */
    ck_assert_str_eq(names(), "a/c link/c z/c");
}
END_TEST

START_TEST(the_same_suite_twice_and_in_any_order)
{
    static const char *const paths[] = {"b/suite.ini", "./a", ".", "a/suite.ini"};
    test_write_text("a/suite.ini", ONE_CASE);
    test_write_text("b/suite.ini", ONE_CASE);
    ck_assert_int_eq(mrw_cases_load(paths, 4, &list, &error), MRW_OK);
    ck_assert_str_eq(names(), "a/c b/c");
}
END_TEST

START_TEST(names_of_suites)
{
    char path[400];
    const char *base = strrchr(test_folder(), '/') + 1;
    test_write_text("suite.ini", ONE_CASE);
    ck_assert_int_eq(load("suite.ini"), MRW_OK);
    ck_assert_str_eq(list.items[0].suite, base);
    ck_assert_int_eq(load("./suite.ini"), MRW_OK);
    ck_assert_str_eq(list.items[0].suite, base);
    ck_assert_str_eq(list.items[0].suite_file, "suite.ini");
    snprintf(path, sizeof path, "../%s", base);
    ck_assert_int_eq(load(path), MRW_OK);
    ck_assert_str_eq(list.items[0].suite, base);
    ck_assert_int_eq(load(test_folder()), MRW_OK);
    ck_assert_str_eq(list.items[0].suite, base);
    ck_assert_int_eq(list.items[0].suite_file[0], '/');
    test_write_text("my art/suite.ini", ONE_CASE);
    ck_assert_int_eq(load("my art"), MRW_OK);
    ck_assert_str_eq(list.items[0].suite, "my_art");
    ck_assert_str_eq(list.items[0].golden, "my art/golden/my_art/c");
    test_write_text("in/in/suite.ini", ONE_CASE);
    ck_assert_int_eq(chdir("in/in"), 0);
    ck_assert_int_eq(load(".."), MRW_OK);
    ck_assert_str_eq(list.items[0].suite_file, "../in/suite.ini");
    ck_assert_str_eq(list.items[0].suite, "in");
}
END_TEST

START_TEST(suites_that_share_folders)
{
    test_write_text("h/suite.ini", ONE_CASE);
    test_write_text("h/h.suite.ini", ONE_CASE);
    ck_assert_int_eq(load("."), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "this suite is called h, as is h/h.suite.ini"));
    test_write_text("h/h.suite.ini", "[c]\nmodel=m\ngolden=other\n");
    ck_assert_int_eq(load("."), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "the same folder of results"));
    ck_assert_int_eq(unlink("h/h.suite.ini"), 0);
    test_write_text("i/h.suite.ini", "[c]\nmodel=m\ngolden=../h/golden\n");
    ck_assert_int_eq(load("."), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "i/h.suite.ini:1: "));
    ck_assert_ptr_nonnull(strstr(error.text, "the same folder of goldens"));
    test_write_text("i/h.suite.ini", ONE_CASE);
    ck_assert_int_eq(load("."), MRW_OK);
    ck_assert_str_eq(names(), "h/c h/c");
}
END_TEST

START_TEST(paths_that_are_no_suites)
{
    test_write_text("cases.ini", ONE_CASE);
    ck_assert_int_eq(load("cases.ini"), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(
        strstr(error.text, "cases.ini: a suite file must be called suite.ini or NAME"));
    ck_assert_int_eq(load("nowhere"), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "nowhere: "));
    ck_assert_int_eq(mkfifo("p.suite.ini", 0600), 0);
    ck_assert_int_eq(load("p.suite.ini"), MRW_ERROR_INPUT);
    test_write_text("bad\nname.suite.ini", ONE_CASE);
    ck_assert_int_eq(load("."), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "rename it"));
    ck_assert_int_eq(unlink("bad\nname.suite.ini"), 0);
    ck_assert_int_eq(mkdir("empty", 0700), 0);
    ck_assert_int_eq(load("empty"), MRW_OK);
    ck_assert_uint_eq(list.count, 0);
    if (geteuid() != 0) {
        ck_assert_int_eq(mkdir("shut", 0), 0);
        ck_assert_int_eq(load("."), MRW_ERROR_INPUT);
        ck_assert_ptr_nonnull(strstr(error.text, "shut: cannot look for suites"));
        ck_assert_int_eq(chmod("shut", 0700), 0);
    }
    char deep[300] = "";
    for (int i = 0; i < 66; i++) {
        strcat(deep, i ? "/d" : "d");
        ck_assert_int_eq(mkdir(deep, 0700), 0);
    }
    ck_assert_int_eq(load("d"), MRW_ERROR_USAGE); /* 65 below */
    ck_assert_ptr_nonnull(strstr(error.text, "are nested too deeply"));
    ck_assert_int_eq(load("d/d"), MRW_OK); /* 64 */
}
END_TEST

/* ---- choosing -------------------------------------------------------------------------------- */

#define GLOB(text) .globs = (const char *const[]){text}, .glob_count = 1

static const char *choose(mrw_case_choice choice)
{
    ck_assert_int_eq(load("."), MRW_OK);
    mrw_status status = mrw_cases_choose(&list, &choice, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return names();
}

static void put_two_suites(void)
{
    test_write_text("a/suite.ini",
                    "[defaults]\nmodel=m\n[hero]\nclip=Walk,Run,Idle\ntags=slow\n[fox]\n");
    test_write_text("b/suite.ini", "[hero]\nmodel=m\ntags=slow,big\n[x]\nmodel=m\n");
}

START_TEST(cases_by_name_and_tag)
{
    put_two_suites();
    ck_assert_str_eq(choose((mrw_case_choice){0}),
                     "a/hero.Walk a/hero.Run a/hero.Idle a/fox b/hero b/x");
    ck_assert_str_eq(choose((mrw_case_choice){GLOB("hero.*")}),
                     "a/hero.Walk a/hero.Run a/hero.Idle");
    ck_assert_str_eq(choose((mrw_case_choice){GLOB("b/*")}), "b/hero b/x");
    ck_assert_str_eq(choose((mrw_case_choice){GLOB("hero")}), "b/hero");
    ck_assert_str_eq(choose((mrw_case_choice){.tag = "slow"}),
                     "a/hero.Walk a/hero.Run a/hero.Idle b/hero");
    ck_assert_str_eq(choose((mrw_case_choice){.tag = "big"}), "b/hero");
    ck_assert_str_eq(choose((mrw_case_choice){GLOB("a/*"), .tag = "big"}), "");
}
END_TEST

START_TEST(cases_by_shard)
{
    put_two_suites();
    ck_assert_str_eq(choose((mrw_case_choice){.shard_index = 1, .shard_count = 2}),
                     "a/hero.Walk a/hero.Idle b/hero");
    ck_assert_str_eq(choose((mrw_case_choice){.shard_index = 2, .shard_count = 2}),
                     "a/hero.Run a/fox b/x");
    ck_assert_str_eq(choose((mrw_case_choice){GLOB("b/*"), .shard_index = 2, .shard_count = 2}),
                     "b/x");
    ck_assert_str_eq(choose((mrw_case_choice){.shard_index = 9, .shard_count = 9}), "");
}
END_TEST

static void write_results(const char *root, const mrw_case_result *cases, size_t count)
{
    char command[300];
    snprintf(command, sizeof command, "mkdir -p %s", root);
    ck_assert_int_eq(system(command), 0);
    mrw_results results = {.cases = (mrw_case_result *)cases,
                           .case_count = count,
                           .shard_index = 1,
                           .shard_count = 1,
                           .title = "marrow test",
                           .folder = root};
    ck_assert_msg(mrw_results_write(&results, &error) == MRW_OK, "%s", error.text);
}

static mrw_case_result result_of(const char *suite, const char *name, mrw_outcome outcome)
{
    return (mrw_case_result){.suite = suite,
                             .name = name,
                             .suite_file = "suite.ini",
                             .line = 1,
                             .model = "m",
                             .golden = "golden",
                             .outcome = outcome,
                             .message = "",
                             .mode = "exact",
                             .pixel_version = 1,
                             .scene_hash = "",
                             .golden_scene_hash = "",
                             .runs = 1};
}

START_TEST(cases_that_failed_last_time)
{
    const mrw_case_result of_a[] = {
        result_of("a", "hero.Walk", MRW_FAILED), result_of("a", "hero.Run", MRW_PASSED),
        result_of("a", "fox", MRW_XPASSED), result_of("b", "x", MRW_FAILED)};
    const mrw_case_result of_b[] = {result_of("b", "hero", MRW_XFAILED)};
    const mrw_case_choice last = {.last_failed = true};
    put_two_suites();
    ck_assert_int_eq(load("."), MRW_OK);
    ck_assert_int_eq(mrw_cases_choose(&list, &last, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "there was no last run"));
    write_results("a/results", of_a, 3);
    ck_assert_str_eq(choose(last), "a/hero.Walk a/fox");
    write_results("b/results", of_b, 1);
    ck_assert_str_eq(choose(last), "a/hero.Walk a/fox");
    ck_assert_str_eq(
        choose((mrw_case_choice){.last_failed = true, .shard_index = 2, .shard_count = 2}),
        "a/fox");
    write_results("out", of_a, 4);
    ck_assert_str_eq(choose((mrw_case_choice){.last_failed = true, .out = "out"}),
                     "a/hero.Walk a/fox b/x");
    test_write_text("b/results/results.json", "{");
    ck_assert_int_eq(load("."), MRW_OK);
    ck_assert_int_eq(mrw_cases_choose(&list, &last, &error), MRW_ERROR_INPUT);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("suite files");
    TCase *tc = tcase_create("suite files");
    tcase_add_checked_fixture(tc, test_folder_enter, leave);
    tcase_add_test(tc, suites_below_a_folder);
    tcase_add_test(tc, the_same_suite_twice_and_in_any_order);
    tcase_add_test(tc, names_of_suites);
    tcase_add_test(tc, suites_that_share_folders);
    tcase_add_test(tc, paths_that_are_no_suites);
    tcase_add_test(tc, cases_by_name_and_tag);
    tcase_add_test(tc, cases_by_shard);
    tcase_add_test(tc, cases_that_failed_last_time);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
