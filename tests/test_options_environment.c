/* test_options_environment.c: what --env and the options around it take, refuse, and come to. */
#include "test.h"

#include "marrow/frame.h"
#include "marrow/options.h"

static void set(mrw_settings *s, const char *name, const char *value)
{
    mrw_error error;
    ck_assert_msg(mrw_settings_set(s, name, value, &error) == MRW_OK, "%s", error.text);
}

static void refused(mrw_settings *s, const char *name, const char *value, const char *words)
{
    mrw_error error;
    ck_assert_int_eq(mrw_settings_set(s, name, value, &error), MRW_ERROR_USAGE);
    ck_assert_msg(strstr(error.text, words), "%s", error.text);
}

START_TEST(defaults)
{
    mrw_settings s;
    mrw_settings_init(&s);
    ck_assert_ptr_null(s.environment);
    ck_assert(s.picture.environment_degrees == 0 && s.picture.environment_intensity == 1);
    ck_assert_uint_eq(s.picture.compensation, MRW_COMPENSATION_AUTO);
    ck_assert_uint_eq(s.picture.rig_kind, MRW_RIG_SOFT);
    ck_assert(s.picture.environment_blur == 0);
    ck_assert_int_eq(s.picture.light_frame, MRW_LIGHT_FRAME_CAMERA);
    mrw_settings_free(&s);
}
END_TEST

START_TEST(what_is_taken)
{
    mrw_settings s;
    mrw_settings_init(&s);
    set(&s, "env", "sky.hdr");
    set(&s, "env-rotate", "-90.5");
    set(&s, "env-intensity", "2.5");
    set(&s, "env-compensation", "on");
    set(&s, "light-frame", "world");
    set(&s, "env-background", "on");
    set(&s, "env-blur", "0.3");
    ck_assert_str_eq(s.environment, "sky.hdr");
    ck_assert(s.picture.environment_degrees == -90.5f && s.picture.environment_intensity == 2.5f);
    ck_assert_uint_eq(s.picture.compensation, MRW_COMPENSATION_ON);
    ck_assert(s.picture.environment_background && s.picture.environment_blur == 0.3f);
    ck_assert_int_eq(s.picture.light_frame, MRW_LIGHT_FRAME_WORLD);
    set(&s, "env-compensation", "off");
    ck_assert_uint_eq(s.picture.compensation, MRW_COMPENSATION_OFF);
    set(&s, "rig", "three-point");
    ck_assert_uint_eq(s.picture.rig_kind, MRW_RIG_THREE_POINT);
    mrw_settings_free(&s);
}
END_TEST

START_TEST(what_is_refused)
{
    mrw_settings s;
    mrw_settings_init(&s);
    refused(&s, "env-intensity", "-1", "from 0 to");
    refused(&s, "env-intensity", "nan", "a number");
    refused(&s, "env-rotate", "1e9", "from -36000 to 36000");
    refused(&s, "env-compensation", "yes", "auto");
    refused(&s, "env-blur", "1.1", "from 0 to 1");
    refused(&s, "env-blur", "-0.1", "from 0 to 1");
    refused(&s, "light-frame", "word", "world");
    mrw_settings_free(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("options environment");
    TCase *tc = tcase_create("options environment");
    tcase_add_test(tc, defaults);
    tcase_add_test(tc, what_is_taken);
    tcase_add_test(tc, what_is_refused);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
