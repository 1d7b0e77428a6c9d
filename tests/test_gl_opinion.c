/* test_gl_opinion.c: `marrow test --backend gl --against-backend soft`; made with GL=1 alone. */
#include "cli_fixture.h"

#include "marrow/marrow.h"

static void put(const char *path, const char *text)
{
    ck_assert_int_eq(mrw_file_write(path, text, strlen(text), NULL), MRW_OK);
}

START_TEST(two_renderers_agree)
{
    enter();
    put("suite.ini", "[defaults]\nmodel = demo:figure\nsize = 48\n"
                     "[walk]\nclip = Walk\ncount = 2\n[bare]\nbackground = none\n");
    shell("marrow test --backend gl --against-backend soft -v");
    if (status == 77) {
        SKIP("gl_opinion: no OpenGL here");
        return;
    }
    ck_assert_msg(status == 0, "%s%s", out, err);
    ck_assert(strstr(out, "passed suite/walk: ") || strstr(out, "walk: "));
    ck_assert_msg(strstr(out, "2 compared, 0 skipped\n"), "%s", out);
    ck_assert(strstr(err, "OpenGL"));
}
END_TEST

START_TEST(a_share_and_its_reason)
{
    enter();
    put("suite.ini", "[one]\nmodel = demo:blob\nsize = 32\ngl-ratio = 0.9 only here\n");
    shell("marrow test --backend gl --against-backend soft -v");
    ck_assert(status == 77 || (status == 0 && strstr(out, "only here")));
    put("suite.ini", "[one]\nmodel = demo:blob\ngl-ratio = 0.9\n");
    shell("marrow test --list");
    ck_assert(status == 2 && strstr(err, "reason"));
    put("suite.ini", "[one]\nmodel = demo:blob\ngl-ratio = 2 why\n");
    shell("marrow test --list");
    ck_assert(status == 2);
}
END_TEST

START_TEST(nothing_compared_is_a_failure)
{
    enter();
    put("suite.ini", "[one]\nmodel = demo:blob\nsize = 32\nskip = not today\n");
    shell("marrow test --backend gl --against-backend soft");
    ck_assert(status == 77 || (status == 1 && strstr(out, "0 compared, 1 skipped\n")));
    shell("marrow test --backend gl");
    ck_assert(status == 2 && strstr(err, "--against-backend soft"));
    shell("marrow test --against-backend soft");
    ck_assert(status == 2);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("gl_opinion");
    TCase *tc = tcase_create("gl_opinion");
    tcase_set_timeout(tc, 200);
    tcase_add_test(tc, two_renderers_agree);
    tcase_add_test(tc, a_share_and_its_reason);
    tcase_add_test(tc, nothing_compared_is_a_failure);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
