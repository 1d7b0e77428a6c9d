/* test_plan.c: what a scene holds, as explain.h says it, and the open files of plans. Expected
 * texts are written by hand from a scene of one triangle. */
#include "scene_fixture.h"

#include "base/memory.h"

#include <marrow/bake.h>
#include <marrow/explain.h>
#include <marrow/plan.h>
#include <marrow/session.h>
#include <unistd.h>

/* ---- what a scene holds ---------------------------------------------------------------------- */

/* Makes a triangle with the corners (0, 0, 0), (1, 0, 0) and (0, 1, 0), twice as wide, of one
 * material. */
static mrw_scene *make_scene(void)
{
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = triangle_mesh();
    const mrw_material material = mrw_material_default();
    ck_assert_int_eq(mrwi_scene_builder_material(b, "paint", &material, &mesh.material, NULL),
                     MRW_OK);
    const uint32_t node = add_scaled(b, MRW_NONE, 2, 1, 1);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), MRW_NONE, NULL), MRW_OK);
    return finish(b);
}

static void describe(const mrw_scene *scene, const mrw_scene_origin *origin, mrw_json *json)
{
    mrw_json_open(json, '{');
    mrw_scene_describe_json(scene, origin, json);
    mrw_json_close(json, '}');
}

static void assert_has(const mrw_text *text, const char *words)
{
    ck_assert(!text->failed);
    ck_assert_msg(strstr(text->data, words), "%s is not in %s", words, text->data);
}

START_TEST(a_description_has_what_the_scene_lacks)
{
    mrw_scene *scene = make_scene();
    mrw_bake_measure rest;
    mrw_json json = {0};
    mrw_text text = {0};
    mrw_scene_origin origin = {
        .path = "a/model.glb", .variants = "red\0bl\"ue", .variant_count = 2};
    ck_assert_int_eq(mrw_bake_measure_rest(scene, false, 2, &rest, NULL), MRW_OK);
    ck_assert(rest.any && rest.area == 1.0);
    const float box[2][3] = {{rest.aabb_min[0], rest.aabb_min[1], rest.aabb_min[2]},
                             {rest.aabb_max[0], rest.aabb_max[1], rest.aabb_max[2]}};
    origin.rest_box = box[0];
    describe(scene, &origin, &json);
    assert_has(&json.text, "{\"schema\": 1, \"model\": \"a/model.glb\", \"format\": \"glb2\", ");
    assert_has(&json.text, "\"vertices\": 3, \"triangles\": 1, ");
    assert_has(&json.text, "\"variants\": [\"red\", \"bl\\\"ue\"], ");
    assert_has(&json.text, "\"bounds_rest\": {\"min\": [0, 0, 0], \"max\": [2, 1, 0]}}");
    mrw_scene_describe(scene, &origin, &text);
    assert_has(&text, "a/model.glb\n  format      glb2\n  nodes       1, drawn meshes 1\n"
                      "  rest box    0.000 to 2.000, 0.000 to 1.000, 0.000 to 0.000\n");
    assert_has(&text, "\nVariants (2)\n  #  name\n  0  red\n  1  bl\"ue\n");
    mrw_text_free(&text);
    mrw_text_free(&json.text);
    origin = (mrw_scene_origin){.path = "x"};
    describe(scene, &origin, &json);
    assert_has(&json.text, "\"variants\": [], ");
    assert_has(&json.text, "\"bounds_rest\": {\"min\": null, \"max\": null}}");
    mrw_scene_describe(scene, &origin, &text);
    assert_has(&text, "  rest box    none: there are no triangles\n");
    ck_assert(!strstr(text.data, "Variants"));
    mrw_text_free(&text);
    mrw_text_free(&json.text);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(each_failed_allocation_of_a_description_is_told)
{
    mrw_scene *scene = make_scene();
    const mrw_scene_origin origin = {.path = "x", .variants = "a", .variant_count = 1};
    bool fired = true;
    uint64_t n = 1;
    for (; fired; n++) {
        mrw_json json = {0};
        mrw_text text = {0};
        mrwi_base_alloc_fail_at(n);
        describe(scene, &origin, &json);
        mrw_scene_describe(scene, &origin, &text);
        fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(json.text.failed || text.failed, fired);
        mrw_text_free(&json.text);
        mrw_text_free(&text);
    }
    ck_assert_uint_gt(n, 5);
    mrw_scene_free(scene);
}
END_TEST

/* Some blocks are scratch that the measure can do without. */
START_TEST(measures_survive_failed_allocations)
{
    mrw_scene *scene = make_scene();
    bool fired = true;
    int failures = 0;
    for (uint64_t n = 1; fired; n++) {
        mrw_bake_measure rest;
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = mrw_bake_measure_rest(scene, false, 1, &rest, NULL);
        fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert(!status || (fired && status == MRW_ERROR_MEMORY));
        failures += status != MRW_OK;
    }
    ck_assert_int_gt(failures, 5);
    mrw_scene_free(scene);
}
END_TEST

/* ---- open files ------------------------------------------------------------------------------ */

/* A model with its plan, whose session is begun. */
typedef struct planned {
    mrw_settings settings;
    mrw_scene *scene;
    mrw_session_model model;
    mrw_plan plan;
    mrw_session session;
} planned;

static void plan_pictures(const char *const *words, int count, planned *p)
{
    const mrw_plan_kinds kinds = {.pictures = true};
    mrw_error error;
    mrw_settings_init(&p->settings);
    ck_assert_msg(!mrw_settings_parse(&p->settings, count, words, &error), "%s", error.text);
    ck_assert(!mrw_session_load("demo:tentacle", &p->settings, NULL, &p->scene, &error));
    ck_assert(!mrw_session_model_init("demo:tentacle", p->scene, &p->settings, &p->model, &error));
    ck_assert_msg(!mrw_plan_make(&p->model, &kinds, NULL, &p->plan, &error), "%s", error.text);
    ck_assert(!mrw_session_begin(&p->session, &p->model, p->plan.sequence, &error));
}

static void free_planned(planned *p)
{
    mrw_session_free(&p->session);
    mrw_plan_free(&p->plan);
    mrw_session_model_free(&p->model);
    mrw_scene_free(p->scene);
    mrw_settings_free(&p->settings);
}

/* Opens the files and gives them up. */
static mrw_status open_files(planned *p, const mrw_plan_part *part, mrw_error *error)
{
    mrw_plan_output out;
    const mrw_frame_def frame = p->session.frame;
    mrw_status status = mrw_plan_output_begin(&p->settings, part, 1, &out, error);
    if (!status) {
        status = mrw_plan_output_open(&out, &p->session, error);
    }
    mrw_plan_output_free(&out);
    p->session.frame = frame; /* without passes, which are freed */
    return status;
}

static const char *const commands[][9] = {
    {"sprites", "demo:tentacle", "--count", "3", "--pivot", "0", "-o", "s.png"},
    {"render", "demo:tentacle", "--count", "3", "--sheet", "2", "--labels", "-o", "s.png"},
    {"render", "demo:tentacle", "--count", "3", "-o", "s.gif"},
    {"render", "demo:tentacle", "--aov", "depth,id", "-o", "s.exr", "--json"}};

START_TEST(each_failed_allocation_of_files_is_told)
{
    int count = 0, failures = 0;
    planned p = {0};
    while (count < 9 && commands[_i][count]) {
        count++;
    }
    test_folder_enter();
    plan_pictures(commands[_i], count, &p);
    const mrw_plan_part part = {.model = &p.model, .plan = &p.plan};
    for (uint64_t n = 1;; n++) {
        mrw_error error = {0};
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = open_files(&p, &part, &error);
        const bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (!fired) {
            ck_assert_msg(!status, "%s", error.text);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        failures++;
    }
    ck_assert_int_gt(failures, 2);
    ck_assert_int_ne(access(commands[_i][count - 1], F_OK), 0); /* nothing was completed */
    free_planned(&p);
}
END_TEST

START_TEST(a_note_has_one_picture_that_is_never_drawn)
{
    mrw_settings settings;
    mrw_plan plan;
    mrw_error error;
    const char *const words[] = {"render", "a.glb", "b.glb", "--sheet", "2", "-o", "all.png"};
    mrw_settings_init(&settings);
    ck_assert(!mrw_settings_parse(&settings, COUNT(words), words, &error));
    ck_assert(!mrw_plan_make_note(&settings, &plan, &error));
    ck_assert_uint_eq(plan.pictures.count, 1);
    ck_assert_uint_eq(plan.pictures.items[0].clip, MRW_NONE);
    ck_assert_uint_eq(plan.files.count, 1);
    ck_assert_str_eq(plan.files.paths[0], "all.png");
    mrw_plan_free(&plan);
    mrw_settings_free(&settings);
}
END_TEST

START_TEST(frames_of_an_earlier_run_are_counted)
{
    const char *const words[] = {"render", "demo:tentacle",   "--frames", "0-2",
                                 "-o",     "x_{frame:02}.png"};
    char first[MRW_OUTPUT_PATH_SIZE];
    planned p = {0};
    test_folder_enter();
    plan_pictures(words, COUNT(words), &p);
    const char *const names[] = {"x_00.png", "x_02.png", "x_.png", "x_03.gif", "y_03.png"};
    for (size_t i = 0; i < COUNT(names); i++) {
        test_write_text(names[i], "");
    }
    ck_assert_uint_eq(mrw_plan_leftovers(&p.settings, &p.plan, first), 0);
    ck_assert_str_eq(first, "");
    test_write_text("x_12.png", "");
    test_write_text("x_03.png", "");
    ck_assert_uint_eq(mrw_plan_leftovers(&p.settings, &p.plan, first), 2);
    ck_assert_str_eq(first, "x_03.png");
    free_planned(&p);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("plan");
    TCase *explain = test_case(s, "explain");
    tcase_add_test(explain, a_description_has_what_the_scene_lacks);
    tcase_add_test(explain, each_failed_allocation_of_a_description_is_told);
    tcase_add_test(explain, measures_survive_failed_allocations);
    TCase *files = test_case(s, "files");
    tcase_add_loop_test(files, each_failed_allocation_of_files_is_told, 0, COUNT(commands));
    tcase_add_test(files, a_note_has_one_picture_that_is_never_drawn);
    tcase_add_test(files, frames_of_an_earlier_run_are_counted);
    return s;
}

TEST_MAIN(suite())
