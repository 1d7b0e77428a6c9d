/* test_atlas.c: the JSON of sprite sheets, from structs made by hand. */
#include "test.h"

#include "output/atlas.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mrw_output_sprite labels[64];
static mrwi_output_atlas_sprite sprites[64];
static mrwi_output_animation animations[8];
static mrwi_output_atlas_page pages[2] = {{"walk0.png", "walk0.json", 64, 32},
                                          {"walk1.png", "walk1.json", 16, 8}};
static mrwi_output_atlas atlas;

static void set_up(void)
{
    memset(labels, 0, sizeof labels);
    memset(sprites, 0, sizeof sprites);
    memset(animations, 0, sizeof animations);
    atlas = (mrwi_output_atlas){
        .sprites = sprites, .animations = animations, .pages = pages, .page_count = 1};
}

/* A sprite of 8x8, behind the others; a name that none before it has begins an animation. */
static void add(const char *animation, const char *name, double seconds)
{
    const uint32_t i = atlas.count++;
    labels[i] = (mrw_output_sprite){.name = name, .animation = animation, .seconds = seconds};
    sprites[i] = (mrwi_output_atlas_sprite){.label = &labels[i],
                                            .x = 4,
                                            .y = 4,
                                            .width = 8,
                                            .height = 8,
                                            .source_width = 8,
                                            .source_height = 8};
    if (i == 0 || strcmp(labels[i - 1].animation, animation) != 0) {
        animations[atlas.animation_count++].first = i;
    }
    animations[atlas.animation_count - 1].count++;
}

static mrw_bytes text_of(uint32_t page)
{
    mrw_bytes bytes = {0};
    mrw_error error = {0};
    ck_assert_msg(mrwi_output_atlas_json(&atlas, page, &bytes, &error) == MRW_OK, "%s", error.text);
    return bytes;
}

static void check_text(uint32_t page, const char *expected)
{
    mrw_bytes bytes = text_of(page);
    ck_assert_str_eq((const char *)bytes.data, expected);
    ck_assert_uint_eq(bytes.size, strlen(expected));
    mrw_bytes_free(&bytes);
}

static cJSON *tree_of(uint32_t page)
{
    mrw_bytes bytes = text_of(page);
    cJSON *tree = cJSON_Parse((const char *)bytes.data);
    ck_assert_ptr_nonnull(tree);
    mrw_bytes_free(&bytes);
    return tree;
}

START_TEST(a_page_by_hand)
{
    add("Walk", "Walk/0", 0.125);
    add("Walk", "Walk/1", 0.125);
    labels[0].has_pivot = true;
    labels[0].pivot[0] = 0.5;
    labels[0].pivot[1] = 1.25;
    sprites[1] = (mrwi_output_atlas_sprite){&labels[1], 0, 20, 4, 5, 7, 2, 1, 8, 8, true};
    check_text(0,
               "{\n"
               " \"frames\": {\n"
               "  \"Walk/0\": {\"frame\": {\"x\": 4, \"y\": 4, \"w\": 8, \"h\": 8}, "
               "\"rotated\": false, \"trimmed\": false, "
               "\"spriteSourceSize\": {\"x\": 0, \"y\": 0, \"w\": 8, \"h\": 8}, "
               "\"sourceSize\": {\"w\": 8, \"h\": 8}, "
               "\"pivot\": {\"x\": 0.5, \"y\": 1.25}, \"anchor\": {\"x\": 0.5, \"y\": 1.25}, "
               "\"duration\": 125},\n"
               "  \"Walk/1\": {\"frame\": {\"x\": 20, \"y\": 4, \"w\": 5, \"h\": 7}, "
               "\"rotated\": false, \"trimmed\": true, "
               "\"spriteSourceSize\": {\"x\": 2, \"y\": 1, \"w\": 5, \"h\": 7}, "
               "\"sourceSize\": {\"w\": 8, \"h\": 8}, \"duration\": 125}},\n"
               " \"animations\": {\n"
               "  \"Walk\": [\"Walk/0\", \"Walk/1\"]},\n"
               " \"meta\": {\"app\": \"marrow\", \"version\": \"1.0\", "
               "\"image\": \"walk0.png\", \"format\": \"RGBA8888\", "
               "\"size\": {\"w\": 64, \"h\": 32}, \"scale\": \"1\",\n"
               "  \"frameTags\": [\n"
               "   {\"name\": \"Walk\", \"from\": 0, \"to\": 1, \"direction\": \"forward\"}]}}\n");
}
END_TEST

static const char *string_at(const cJSON *list, int i)
{
    return cJSON_GetStringValue(cJSON_GetArrayItem(list, i));
}

static void check_tag(const cJSON *tree, int i, const char *name, int from, int to)
{
    const cJSON *tag =
        cJSON_GetArrayItem(cJSON_GetObjectItem(cJSON_GetObjectItem(tree, "meta"), "frameTags"), i);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(tag, "name")), name);
    ck_assert_int_eq(cJSON_GetObjectItem(tag, "from")->valueint, from);
    ck_assert_int_eq(cJSON_GetObjectItem(tag, "to")->valueint, to);
}

/* The second page has the end of one animation and all of another; readers look no further than its
 * own sprites. */
START_TEST(pages_have_their_own)
{
    static const char *const names[] = {"A/0", "A/1", "B/0", "B/1", "C/0"};
    for (int i = 0; i < 5; i++) {
        add((const char *[]){"A", "A", "B", "B", "C"}[i], names[i], 0.1);
        sprites[i].page = i == 3 || i == 4;
    }
    atlas.page_count = 2;
    for (int numbered = 0; numbered < 2; numbered++) {
        atlas.numbered = numbered;
        cJSON *first = tree_of(0), *second = tree_of(1);
        const cJSON *all = cJSON_GetObjectItem(second, "animations");
        const cJSON *b = cJSON_GetObjectItem(all, "B"), *meta = cJSON_GetObjectItem(second, "meta");
        ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(first, "frames")), 3);
        ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(second, "frames")), 2);
        ck_assert_int_eq(cJSON_GetArraySize(all), 2);
        ck_assert_int_eq(cJSON_GetArraySize(b), 1);
        ck_assert_str_eq(string_at(b, 0), numbered ? "0" : "B/1");
        ck_assert_ptr_nonnull(cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItem(second, "frames"), numbered ? "1" : "C/0"));
        check_tag(first, 0, "A", 0, 1);
        check_tag(first, 1, "B", 2, 2);
        check_tag(second, 0, "B", 0, 0);
        check_tag(second, 1, "C", 1, 1);
        ck_assert_str_eq(string_at(cJSON_GetObjectItem(meta, "related_multi_packs"), 0),
                         "walk0.json");
        ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetObjectItem(meta, "image")), "walk1.png");
        cJSON_Delete(first);
        cJSON_Delete(second);
    }
}
END_TEST

static double duration_of(const cJSON *tree, const char *name)
{
    const cJSON *frame =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(tree, "frames"), name);
    return cJSON_GetNumberValue(cJSON_GetObjectItem(frame, "duration"));
}

/* 30 a second: 33.3, 66.7, 100 ms; each animation from 0. 16 a second: halves, 62.5. */
START_TEST(durations_add_up)
{
    static const char *const names[] = {"A/0", "A/1", "A/2", "B/0", "B/1", "C/0"};
    static const double expected[] = {33, 34, 33, 63, 62, 1};
    for (int i = 0; i < 6; i++) {
        add((const char *[]){"A", "A", "A", "B", "B", "C"}[i], names[i],
            (double[]){1.0 / 30, 1.0 / 30, 1.0 / 30, 1.0 / 16, 1.0 / 16, 0.0001}[i]);
    }
    cJSON *tree = tree_of(0);
    for (int i = 0; i < 6; i++) {
        ck_assert_double_eq(duration_of(tree, names[i]), expected[i]);
    }
    cJSON_Delete(tree);
}
END_TEST

/* Text of files stays text, and what is no UTF-8 is no reason for a file that is none. */
START_TEST(names_of_strangers)
{
    static const char *const names[] = {"a\"b\\c/0",   "\x1b[31m\n/0", "</script>/0",
                                        "__proto__/0", "\xff/0",       "\xf0\x9f\x90\xbe/0"};
    static const char *const read[] = {"a\"b\\c/0",   "\x1b[31m\n/0",   "</script>/0",
                                       "__proto__/0", "\xef\xbf\xbd/0", "\xf0\x9f\x90\xbe/0"};
    for (int i = 0; i < 6; i++) {
        add(names[i], names[i], 0.1);
    }
    cJSON *tree = tree_of(0);
    for (int i = 0; i < 6; i++) {
        const cJSON *list =
            cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(tree, "animations"), read[i]);
        ck_assert_str_eq(string_at(list, 0), read[i]);
        ck_assert_double_eq(duration_of(tree, read[i]), 100.0);
        check_tag(tree, i, read[i], i, i);
    }
    cJSON_Delete(tree);
}
END_TEST

/* Readers look for the picture from where the JSON is. */
START_TEST(files_as_seen_from_the_json)
{
    static const struct {
        const char *json, *image, *expected;
    } cases[] = {
        {"x/a.json", "x/a.png", "a.png"},
        {"x/a.json", "a.png", "../a.png"},
        {"a.json", "x/a.png", "x/a.png"},
        {"x/a.json", "x/y/a.png", "y/a.png"},
        {"x/y/a.json", "xy/a.png", "../../xy/a.png"},
        {"./x/../a.json", "x//y/a.png", "x/y/a.png"},
        {"x/a.json", "link/a.png", "y/a.png"},
    };
    test_folder_enter();
    ck_assert_int_eq(mkdir("x", 0700) | mkdir("x/y", 0700) | mkdir("xy", 0700), 0);
    ck_assert_int_eq(symlink("x/y", "link"), 0);
    mrwi_output_atlas_page page = {.width = 1, .height = 1};
    add("A", "A/0", 0.1);
    atlas.pages = &page;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        page.json_path = cases[i].json;
        page.image_path = cases[i].image;
        cJSON *tree = tree_of(0);
        ck_assert_str_eq(
            cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(tree, "meta"), "image")),
            cases[i].expected);
        cJSON_Delete(tree);
    }
    test_folder_remove();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("atlas");
    TCase *json = tcase_create("json");
    tcase_add_checked_fixture(json, set_up, NULL);
    tcase_add_test(json, a_page_by_hand);
    tcase_add_test(json, pages_have_their_own);
    tcase_add_test(json, durations_add_up);
    tcase_add_test(json, names_of_strangers);
    tcase_add_test(json, files_as_seen_from_the_json);
    suite_add_tcase(s, json);
    return s;
}

TEST_MAIN(suite())
