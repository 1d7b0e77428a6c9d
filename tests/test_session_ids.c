/* test_session_ids.c: which numbers --id gives the draws of a session. */
#include "test.h"

#include <marrow/legend.h>
#include <marrow/session.h>
#include <unistd.h>

static char cars[300], lamp[300];
static char heard[600];
static int warnings;

/* ---- models: the same triangle at several nodes ---------------------------------------------- */

static void write_model(const char *path, const char *nodes)
{
    FILE *file = fopen(path, "w");
    fprintf(file,
            "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[%s],"
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
            "\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
            "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],"
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
            "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],"
            "\"max\":[1,1,0]}]}",
            nodes);
    fclose(file);
}

/* root - car - wheel.L, wheel.R; root - tree; root - empty. Four draws, in this order. */
static void enter(void)
{
    snprintf(cars, sizeof cars, "%s/cars.gltf", test_folder());
    snprintf(lamp, sizeof lamp, "%s/lamp.gltf", test_folder());
    write_model(cars, "{\"name\":\"root\",\"children\":[1,4,5]},"
                      "{\"name\":\"car\",\"mesh\":0,\"children\":[2,3]},"
                      "{\"name\":\"wheel.L\",\"mesh\":0},{\"name\":\"wheel.R\",\"mesh\":0},"
                      "{\"name\":\"tree\",\"mesh\":0},{\"name\":\"empty\"}");
    write_model(lamp, "{\"name\":\"tree\",\"mesh\":0}"); /* called as a node of the other */
}

static void hear(void *unused, const char *text)
{
    (void)unused;
    snprintf(heard, sizeof heard, "%s", text);
    warnings++;
}

/* The numbers of all draws of the model, those of --add and copies, where options are given in
 * pairs up to a NULL; or a failure. */
static mrw_status numbers_of(const char *const *options, uint32_t *ids, uint32_t *count,
                             mrw_error *error)
{
    const mrw_session_host host = {.warning = hear};
    mrw_settings settings;
    mrw_scene *scene;
    mrw_session_model model;
    mrw_session session;
    mrw_legend legend = {0};
    mrw_settings_init(&settings);
    for (; *options; options += 2) {
        ck_assert_int_eq(mrw_settings_set(&settings, options[0], options[1], error), MRW_OK);
    }
    warnings = 0;
    ck_assert_int_eq(mrw_session_load(cars, &settings, NULL, &scene, error), MRW_OK);
    ck_assert_int_eq(mrw_session_model_init(cars, scene, &settings, &model, error), MRW_OK);
    ck_assert_int_eq(mrw_session_begin(&session, &model, false, error), MRW_OK);
    mrw_status status = mrw_session_prepare(&session, &host, error);
    if (status == MRW_OK) {
        ck_assert_int_eq(mrw_frame_legend(session.instances, session.instance_count,
                                          session.frame.ids, &legend, error),
                         MRW_OK);
    }
    *count = legend.draw_count;
    for (uint32_t i = 0; i < legend.draw_count && i < 16; i++) {
        ids[i] = legend.draws[i].id;
    }
    mrw_legend_free(&legend);
    mrw_session_free(&session);
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    mrw_settings_free(&settings);
    return status;
}

static void assert_numbers(const char *const *options, const uint32_t *wanted, uint32_t count)
{
    uint32_t ids[16], found;
    mrw_error error;
    ck_assert_msg(numbers_of(options, ids, &found, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(found, count);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_msg(ids[i] == wanted[i], "draw %u has %u, not %u", i, ids[i], wanted[i]);
    }
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NUMBERS(options, ...)                                                                      \
    assert_numbers(options, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)

/* ---- tests ----------------------------------------------------------------------------------- */

START_TEST(nodes_have_numbers)
{
    NUMBERS(OPTIONS(NULL), 1, 2, 3, 4);
    NUMBERS(OPTIONS("id", "car=40"), 40, 40, 40, 4);
    NUMBERS(OPTIONS("id", "wheel.R=4294967295"), 1, 2, 4294967295u, 4);
    NUMBERS(OPTIONS("id", "root=7"), 7, 7, 7, 7);
    NUMBERS(OPTIONS("id", "wheel.*=9"), 1, 9, 9, 4);
    NUMBERS(OPTIONS("id", "4=9"), 1, 2, 3, 9); /* by place */
    ck_assert_int_eq(warnings, 0);
}
END_TEST

START_TEST(the_deeper_node_wins)
{
    NUMBERS(OPTIONS("id", "wheel.L=8", "id", "root=7", "id", "car=6"), 6, 8, 6, 7);
    NUMBERS(OPTIONS("id", "car=6", "id", "car=5"), 5, 5, 5, 4); /* of one node the later */
}
END_TEST

START_TEST(models_have_numbers)
{
    NUMBERS(OPTIONS("add", lamp, "id", "lamp=50"), 1, 2, 3, 4, 50);
    NUMBERS(OPTIONS("add", lamp, "id", "cars=60", "id", "car=61"), 61, 61, 61, 60, 5);
    NUMBERS(OPTIONS("add", lamp, "id", "tree=50"), 1, 2, 3, 50, 5); /* the model's node */
    NUMBERS(OPTIONS("add", lamp, "add", lamp, "id", "lamp=50"), 1, 2, 3, 4, 50, 50);
    /* the model's nodes in its copies, not in the same file beside it */
    NUMBERS(OPTIONS("copies", "2", "add", cars, "id", "car=80"), 80, 80, 80, 4, 5, 6, 7, 8, 80, 80,
            80, 12);
}
END_TEST

START_TEST(numbers_that_meet_are_told)
{
    NUMBERS(OPTIONS("id", "tree=2"), 1, 2, 3, 2);
    ck_assert_int_eq(warnings, 1);
    ck_assert_str_eq(
        heard, "--id tree=2: 2 is also the number of \"wheel.L\", which has no --id of its own");
    NUMBERS(OPTIONS("id", "tree=4"), 1, 2, 3, 4); /* its own */
    NUMBERS(OPTIONS("id", "tree=2", "id", "car=2"), 2, 2, 2, 2);
    ck_assert_int_eq(warnings, 0);
}
END_TEST

static void assert_refused(const char *id, const char *words)
{
    uint32_t ids[16], count;
    mrw_error error = {0};
    ck_assert_int_eq(numbers_of(OPTIONS("id", id), ids, &count, &error), MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, words) && strstr(error.text, "cars.gltf: --id: "), "%s",
                  error.text);
}

START_TEST(what_is_not_there_is_told)
{
    assert_refused("weel.L=2", "there is no node or model \"weel.L\"; did you mean wheel.L");
    assert_refused("lamp=2", "there is no node or model \"lamp\"");
    assert_refused("6=2", "there is no node or model \"6\"");
    assert_refused("x*=2", "there is no node or model \"x*\"");
    assert_refused("empty=2", "nothing is drawn at \"empty\" or below it");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("session ids");
    TCase *tc = tcase_create("ids");
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    suite_add_tcase(s, tc);
    tcase_add_test(tc, nodes_have_numbers);
    tcase_add_test(tc, the_deeper_node_wins);
    tcase_add_test(tc, models_have_numbers);
    tcase_add_test(tc, numbers_that_meet_are_told);
    tcase_add_test(tc, what_is_not_there_is_told);
    return s;
}

TEST_MAIN(suite())
