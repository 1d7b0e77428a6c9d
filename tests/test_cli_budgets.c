/* test_cli_budgets.c: --timeout, --memory and --max-work: answers, suites and wrong values.
 * test_cli_memory.c has what fits in memory. */
#include "cli_fixture.h"

START_TEST(answers_say_why)
{
    shell("marrow render demo:figure --memory 1M --json -o w.png");
    assert_status(77);
    ck_assert_ptr_nonnull(strstr(out, "\"status\": 77, \"reason\": \"memory\""));
    shell("marrow render demo:figure --timeout 0.001 --size 9000 --json -o w.png");
    assert_status(77);
    ck_assert_ptr_nonnull(strstr(out, "\"status\": 77, \"reason\": \"time\""));
    shell("marrow render demo:figure --max-work 1000 --json -o w.png");
    assert_status(3);
    ck_assert_ptr_nonnull(strstr(err, "demo:figure: the picture takes "));
    ck_assert_ptr_nonnull(strstr(err, "--max-work allows 1000"));
    ck_assert(!exists("w.png"));
}
END_TEST

/* A suite, a diff: the case or the model that does not fit says so. */
START_TEST(suites_and_pairs)
{
    test_write_text("a.suite.ini", "[large]\nmodel = demo:figure\nsize = 3000\n");
    shell("marrow test -q --update --force");
    assert_status(0);
    shell("marrow test -q --memory 40M");
    assert_status(77);
    ck_assert_ptr_nonnull(strstr(err, "--memory allows 41943040"));
    shell("marrow test -q --memory 1G");
    assert_status(0);
    shell("marrow diff golden/a/large/*.png golden/a/large/*.png -q --memory 20M");
    assert_status(77);
    shell("marrow test -q --max-work 1M");
    assert_status(1);
    ck_assert_ptr_nonnull(strstr(out, "--max-work allows 1000000"));
}
END_TEST

/* A golden of 32 kB that claims far more pixels than its case draws is not decoded. */
START_TEST(huge_goldens)
{
    test_write_text("a.suite.ini", "[one]\nmodel = demo:figure\nsize = 32\n");
    shell("marrow test -q --update --force && marrow render demo:figure --size 8192 -q "
          "--hide Figure --shading raw -o golden/a/one/*.png --force && marrow test -q");
    assert_status(1);
    ck_assert_ptr_nonnull(strstr(out, "the golden is damaged: "));
    ck_assert_ptr_nonnull(strstr(out, "an image of 8192 x 8192 pixels is larger than allowed"));
    shell("marrow test -q --memory 40M");
    assert_status(1);
}
END_TEST

/* A limit is the command line's: an untrusted suite can't raise it. */
START_TEST(not_in_suites)
{
    static const char *const options[] = {"memory = 1G", "max-work = 1", "timeout = 1"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char text[100];
        snprintf(text, sizeof text, "[a]\nmodel = demo:figure\n%s\n", options[i]);
        test_write_text("a.suite.ini", text);
        shell("marrow test -q");
        assert_status(2);
        ck_assert_ptr_nonnull(strstr(err, "it belongs on the command line"));
    }
}
END_TEST

START_TEST(wrong_values)
{
    static const char *const options[] = {"--memory", "--max-work", "--timeout"};
    static const char *const values[] = {"0", "-1", "9223372036854775809", "x", "nan", "''"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            shell("marrow render demo:figure %s %s -o w.png", options[i], values[k]);
            assert_status(2);
            ck_assert_ptr_nonnull(strstr(err, options[i]));
        }
    }
    ck_assert(!exists("w.png"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_budgets");
    TCase *tc = tcase_create("budgets");
    tcase_set_timeout(tc, 300);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, answers_say_why);
    tcase_add_test(tc, suites_and_pairs);
    tcase_add_test(tc, huge_goldens);
    tcase_add_test(tc, not_in_suites);
    tcase_add_test(tc, wrong_values);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
