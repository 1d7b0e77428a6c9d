/* test_scene.c: the scene builder, its invariants, the validation of blobs, look-up by name. */
#include "test.h"

#include "scene/builder.h"

START_TEST(empty_scene)
{
    mrwi_builder *b;
    mrw_scene *scene;
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_builder_create("a.glb", "glb2", &b, &error), MRW_OK);
    ck_assert_msg(mrwi_builder_finish(b, &scene, &error) == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(scene->nodes_count, 0);
    ck_assert_str_eq(mrw_scene_string(scene, scene->format), "glb2");
    mrwi_builder_free(b);
    mrw_scene_free(scene);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("scene");
    TCase *tc = tcase_create("builder");
    tcase_add_test(tc, empty_scene);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
