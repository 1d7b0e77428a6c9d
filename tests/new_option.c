/* new_option.c: no test of this tree. scripts/check_additions.py adds an option, and more rows
 * than fit into any word of bits, in a copy of it, and finds them here. */
#include "test.h"

#include "marrow/options.h"

#define MANY 150

START_TEST(it_is_set_and_has_its_default)
{
    mrw_settings s;
    mrw_error error;
    mrw_settings_init(&s);
    ck_assert_uint_eq(s.animation.scratch, 5);
    ck_assert_int_eq(mrw_settings_set(&s, "scratch", "10", &error), MRW_ERROR_USAGE);
    ck_assert(!mrw_settings_given(&s, "scratch"));
    ck_assert_int_eq(mrw_settings_set(&s, "scratch", "7", &error), MRW_OK);
    ck_assert(mrw_settings_given(&s, "scratch"));
    ck_assert_uint_eq(s.animation.scratch, 7);
    mrw_settings_free(&s);
}
END_TEST

START_TEST(many_rows_are_told_apart)
{
    mrw_settings s;
    mrw_error error;
    char name[32];
    mrw_settings_init(&s);
    ck_assert_uint_gt(mrw_option_count(), 128 + MANY / 2);
    for (int i = 0; i < MANY; i += 2) {
        snprintf(name, sizeof name, "scratch-%03d", i);
        ck_assert_int_eq(mrw_settings_set(&s, name, NULL, &error), MRW_OK);
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "scratch-%03d", i);
        ck_assert_msg(mrw_settings_given(&s, name) == (i % 2 == 0), "%s", name);
    }
    ck_assert(!mrw_settings_given(&s, "version"));
    mrw_settings_free(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("new option");
    TCase *tc = tcase_create("new option");
    tcase_add_test(tc, it_is_set_and_has_its_default);
    tcase_add_test(tc, many_rows_are_told_apart);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
