/* test_text.c: text that grows, and JSON written into it. */
#include "test.h"

#include "base/memory.h"
#include "marrow/json.h"

START_TEST(text_grows)
{
    mrw_text text = {0};
    char block[5000];
    memset(block, 'x', sizeof block);
    mrw_text_puts(&text, "a");
    mrw_text_put(&text, block, sizeof block);
    mrw_text_put(&text, NULL, 0); /* of an empty mrw_text */
    mrw_text_add(&text, "%s-%d", "b", 7);
    ck_assert_uint_eq(text.size, 1 + 5000 + 3);
    ck_assert(text.data[0] == 'a' && text.data[5000] == 'x');
    ck_assert_str_eq(text.data + 5001, "b-7");
    ck_assert(!text.failed);
    mrw_text_free(&text);
    ck_assert(!text.data && text.size == 0);
}
END_TEST

START_TEST(numbers_are_short)
{
    mrw_text text = {0};
    mrw_text_double(&text, 0.1);
    mrw_text_puts(&text, " ");
    mrw_text_float(&text, 0.1f);
    mrw_text_puts(&text, " ");
    mrw_text_fixed(&text, 2.345, 1);
    ck_assert_str_eq(text.data, "0.1 0.1 2.3");
    mrw_text_free(&text);
}
END_TEST

START_TEST(strangers_are_escaped)
{
    mrw_text text = {0};
    char longer[2000];
    mrw_text_escaped(&text, "a\x1B[31m");
    ck_assert_str_eq(text.data, "a\\x1B[31m");
    mrw_text_free(&text);
    memset(longer, 'y', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    mrw_text_escaped(&text, longer);
    ck_assert_uint_eq(text.size, 511);
    mrw_text_free(&text);
}
END_TEST

START_TEST(text_is_handed_over)
{
    mrw_text text = {0};
    mrw_bytes bytes = {0};
    mrw_error error = {0};
    ck_assert_int_eq(mrw_text_take(&text, &bytes, &error), MRW_OK);
    ck_assert(bytes.size == 0 && bytes.data && bytes.data[0] == 0);
    mrw_bytes_free(&bytes);
    mrw_text_puts(&text, "abc");
    ck_assert_int_eq(mrw_text_take(&text, &bytes, &error), MRW_OK);
    ck_assert(bytes.size == 3 && memcmp(bytes.data, "abc", 4) == 0);
    ck_assert(!text.data && text.size == 0);
    mrw_bytes_free(&bytes);
}
END_TEST

START_TEST(memory_may_run_out)
{
    mrw_text text = {0};
    mrw_bytes bytes = {0};
    mrw_error error = {0};
    mrwi_base_alloc_fail_at(1);
    mrw_text_puts(&text, "abc");
    ck_assert(text.failed);
    mrw_text_puts(&text, "def"); /* there is memory again, but the text has a gap */
    ck_assert(!text.data && text.failed);
    ck_assert_int_eq(mrw_text_take(&text, &bytes, &error), MRW_ERROR_MEMORY);
    ck_assert(!bytes.data && !text.failed);
}
END_TEST

static void put_values(mrw_json *json)
{
    const float floats[] = {0.5f, -2.0f};
    const double doubles[] = {1e300, 0.0};
    const uint32_t uints[] = {4294967295u};
    mrw_json_open(json, '{');
    mrw_json_string(mrw_json_key(json, "name"), "a\"b\\c");
    mrw_json_string(mrw_json_key(json, "none"), NULL);
    mrw_json_uint(mrw_json_key(json, "big"), UINT64_MAX);
    mrw_json_bool(mrw_json_key(json, "yes"), true);
    mrw_json_double(mrw_json_key(json, "huge"), 1.0 / 0.0);
    mrw_json_break(json, "  ");
    mrw_json_floats(mrw_json_key(json, "f"), floats, 2);
    mrw_json_doubles(mrw_json_key(json, "d"), doubles, 2);
    mrw_json_uints(mrw_json_key(json, "u"), uints, 1);
    mrw_json_uints(mrw_json_key(json, "empty"), uints, 0);
    mrw_json_close(json, '}');
}

START_TEST(json_has_commas)
{
    mrw_json json = {0};
    put_values(&json);
    mrw_json_line(&json);
    mrw_json_open(&json, '[');
    mrw_json_null(&json);
    mrw_json_close(&json, ']');
    ck_assert_str_eq(json.text.data,
                     "{\"name\": \"a\\\"b\\\\c\", \"none\": null, \"big\": 18446744073709551615, "
                     "\"yes\": true, \"huge\": null,\n"
                     "  \"f\": [0.5, -2], \"d\": [1e300, 0], \"u\": [4294967295], \"empty\": []}\n"
                     "[null]");
    mrw_text_free(&json.text);
}
END_TEST

START_TEST(json_may_be_compact)
{
    mrw_json json = {.compact = true};
    put_values(&json);
    ck_assert_str_eq(json.text.data,
                     "{\"name\":\"a\\\"b\\\\c\",\"none\":null,\"big\":18446744073709551615,"
                     "\"yes\":true,\"huge\":null,\n"
                     "  \"f\":[0.5,-2],\"d\":[1e300,0],\"u\":[4294967295],\"empty\":[]}");
    mrw_text_free(&json.text);
}
END_TEST

/* Strings, and what stands for them. */
static const char *const strings[][2] = {
    {"", "\"\""},
    {"caf\xC3\xA9 \xF0\x9F\x90\x8E", "\"caf\xC3\xA9 \xF0\x9F\x90\x8E\""},
    {"\x1B[31m\n", "\"\\u001b[31m\\u000a\""},
    {"\x7F", "\"\\u007f\""},
    {"\xE2\x80\xAE", "\"\\u202e\""}, /* turns the text around */
    {"</script>", "\"\\u003c/script>\""},
    {"##[error] #1", "\"\\u0023#[error] #1\""},
    {"a\xFF\xC0\x80z", "\"a\\ufffd\\ufffd\\ufffdz\""},
    {"\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* a surrogate */
};

START_TEST(json_strings_are_safe)
{
    mrw_text text = {0};
    mrw_json_quote(&text, strings[_i][0]);
    ck_assert_str_eq(text.data, strings[_i][1]);
    mrw_text_free(&text);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("text");
    TCase *tc = tcase_create("text");
    tcase_add_test(tc, text_grows);
    tcase_add_test(tc, numbers_are_short);
    tcase_add_test(tc, strangers_are_escaped);
    tcase_add_test(tc, text_is_handed_over);
    tcase_add_test(tc, memory_may_run_out);
    tcase_add_test(tc, json_has_commas);
    tcase_add_test(tc, json_may_be_compact);
    tcase_add_loop_test(tc, json_strings_are_safe, 0, sizeof strings / sizeof *strings);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
