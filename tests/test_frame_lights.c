/* test_frame_lights.c: the lights of scenes in the world, against places worked out by hand. */
#include "scene_fixture.h"

#include "base/memory.h"

#include <float.h>
#include <marrow/marrow.h>

typedef struct lit_stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
} lit_stage;

static void open_stage(mrw_scene *scene, lit_stage *s)
{
    s->scene = scene;
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    s->instance = mrw_instance_default(s->model);
}

static void close_stage(lit_stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static const mrw_light *lights_of(lit_stage *s, const mrw_instance *instances, uint32_t count,
                                  uint32_t expected)
{
    const mrw_light *lights;
    uint32_t found;
    mrw_error error = {0};
    ck_assert_msg(mrw_frame_lights(s->renderer, instances, count, MRW_ISA_AUTO, &lights, &found,
                                   &error) == MRW_OK,
                  "%s", error.text);
    ck_assert_uint_eq(found, expected);
    return lights;
}

static void add_light(mrwi_scene_builder *b, const mrw_scene_light *light)
{
    ck_assert_int_eq(mrwi_scene_builder_light(b, "lamp", light, NULL), MRW_OK);
}

static void check_vector(const float *got, double x, double y, double z)
{
    ck_assert_msg(fabs(got[0] - x) < 2e-6 && fabs(got[1] - y) < 2e-6 && fabs(got[2] - z) < 2e-6,
                  "%g %g %g, not %g %g %g", (double)got[0], (double)got[1], (double)got[2], x, y,
                  z);
}

/* An arm that turns by 90 degrees about Y in a second. At its end, 2 along X, hangs a spot whose
 * node is stretched along Z; a sun and a bulb are at the arm itself. */
static mrw_scene *turning_arm(void)
{
    static const double times[2] = {0, 1};
    static const float turns[8] = {0, 0, 0, 1, 0, 0.70710678f, 0, 0.70710678f};
    mrwi_scene_builder *b = begin();
    const uint32_t arm = add_node(b, "arm", MRW_NONE);
    mrwi_scene_node_input end = {.name = "end", .parent = arm, .rest = identity};
    uint32_t node;
    end.rest.translation[0] = 2;
    end.rest.scale[2] = 3;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &end, &node, NULL), MRW_OK);
    add_light(b, &(mrw_scene_light){.node = node,
                                    .type = MRW_SCENE_LIGHT_SPOT,
                                    .color = {1, 0.5f, 0.25f},
                                    .intensity = 6.2831853f,
                                    .range = 7,
                                    .inner_cone = 0.25f,
                                    .outer_cone = 0.5f});
    add_light(b, &(mrw_scene_light){.node = arm,
                                    .type = MRW_SCENE_LIGHT_DIRECTIONAL,
                                    .color = {1, 1, 0},
                                    .intensity = 3.1415927f});
    add_light(b, &(mrw_scene_light){.node = arm,
                                    .type = MRW_SCENE_LIGHT_POINT,
                                    .color = {0, 0, 1},
                                    .intensity = 31.415927f});
    add_clip(b, "turn", 0);
    mrwi_scene_channel_input channel = linear(arm, MRW_PATH_ROTATION, 4, 2, times, turns);
    add_channel(b, &channel);
    return finish(b);
}

/* Turned about Y by an angle, X goes to (cos, 0, -sin) and Z to (sin, 0, cos). The model is twice
 * as large and stands at (10, 1, 0): the spot is 4 from there. */
START_TEST(lights_move_with_their_nodes)
{
    lit_stage s;
    open_stage(turning_arm(), &s);
    s.instance.model_to_world = (mrw_mat4){{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 10, 1, 0, 1}};
    for (int i = 0; i < 3; i++) {
        const double angle = i * 0.78539816339744831, c = cos(angle), z = sin(angle);
        s.instance.time = 0.5 * i;
        const mrw_light *lights = lights_of(&s, &s.instance, 1, 3);
        ck_assert_int_eq(lights[0].type, MRW_LIGHT_SPOT);
        check_vector(lights[0].position, 10 + 4 * c, 1, -4 * z);
        check_vector(lights[0].to_light, z, 0, c);
        check_vector(lights[0].color, 2, 1, 0.5);
        ck_assert(lights[0].range == 7.0f && lights[0].inner_cone == 0.25f &&
                  lights[0].outer_cone == 0.5f && lights[0].specular == 1.0f);
        ck_assert_int_eq(lights[1].type, MRW_LIGHT_DIRECTIONAL);
        check_vector(lights[1].to_light, z, 0, c);
        check_vector(lights[1].color, 1, 1, 0);
        ck_assert_int_eq(lights[2].type, MRW_LIGHT_POINT);
        check_vector(lights[2].position, 10, 1, 0);
        check_vector(lights[2].color, 0, 0, 10);
    }
    close_stage(&s);
}
END_TEST

/* A second arm hangs at the end of the first: it is turned twice. */
START_TEST(lights_of_all_instances_come_in_order)
{
    lit_stage s;
    open_stage(turning_arm(), &s);
    mrw_instance both[2] = {s.instance, s.instance};
    both[0].time = both[1].time = 1.0;
    both[1].attached = true;
    both[1].parent_node = s.scene->lights[0].node;
    const mrw_light *lights = lights_of(&s, both, 2, 6);
    check_vector(lights[0].position, 0, 0, -2);
    check_vector(lights[0].to_light, 1, 0, 0);
    check_vector(lights[4].to_light, 0, 0, -1); /* the second sun */
    check_vector(lights[5].position, 0, 0, -2); /* the second bulb, in the first spot */
    close_stage(&s);
}
END_TEST

/* A joint at the origin was bound at (5, 0, 0), turned so that its Z is the world's X. */
START_TEST(lights_go_with_bound_joints)
{
    static const mrw_mat4 geometry_to_joint = {{0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, -5, 1}};
    mrwi_scene_builder *b = begin();
    const uint32_t joint = add_node(b, "joint", MRW_NONE);
    uint32_t skin;
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", &joint, &geometry_to_joint, 1, &skin, NULL),
                     MRW_OK);
    add_light(b, &(mrw_scene_light){.node = joint, .type = MRW_SCENE_LIGHT_SPOT});
    lit_stage s;
    open_stage(finish(b), &s);
    const mrw_light *lights = lights_of(&s, &s.instance, 1, 1);
    check_vector(lights[0].position, 0, 0, 0);
    s.instance.pose = MRW_POSE_BIND;
    lights = lights_of(&s, &s.instance, 1, 1);
    check_vector(lights[0].position, 5, 0, 0);
    check_vector(lights[0].to_light, 1, 0, 0);
    close_stage(&s);
}
END_TEST

/* A node without depth has no direction, and a colour beyond all floats is the largest. */
START_TEST(odd_lights_are_harmless)
{
    mrwi_scene_builder *b = begin();
    const uint32_t node = add_scaled(b, MRW_NONE, 1, 1, 0);
    add_light(b, &(mrw_scene_light){.node = node,
                                    .type = MRW_SCENE_LIGHT_DIRECTIONAL,
                                    .color = {1e30f, 1, 0},
                                    .intensity = 1e30f});
    lit_stage s;
    open_stage(finish(b), &s);
    const mrw_light *lights = lights_of(&s, &s.instance, 1, 1);
    check_vector(lights[0].to_light, 0, 0, 0);
    ck_assert_float_eq(lights[0].color[0], FLT_MAX);
    ck_assert_float_eq(lights[0].color[2], 0.0f);
    ck_assert_double_eq_tol((double)lights[0].color[1], 1e30 / 3.14159265358979, 1e24);
    close_stage(&s);
    b = begin(); /* a direction beyond all floats is none, too */
    add_light(b, &(mrw_scene_light){
                     .node = add_scaled(b, add_scaled(b, MRW_NONE, 1, 1, 1e30f), 1, 1, 1e30f),
                     .type = MRW_SCENE_LIGHT_DIRECTIONAL});
    open_stage(finish(b), &s);
    check_vector(lights_of(&s, &s.instance, 1, 1)[0].to_light, 0, 0, 0);
    close_stage(&s);
    b = begin();
    add_node(b, "dark", MRW_NONE);
    open_stage(finish(b), &s);
    lights_of(&s, &s.instance, 1, 0);
    close_stage(&s);
}
END_TEST

/* Whichever allocation fails, the answer is MRW_ERROR_MEMORY with a message, or the lights. Those
 * of 200 instances with 500 lights take 5 MB, which no arena has at first. */
START_TEST(more_lights_than_memory_are_an_error)
{
    mrwi_scene_builder *b = begin();
    const uint32_t node = add_node(b, "chandelier", MRW_NONE);
    for (int i = 0; i < 500; i++) {
        add_light(b, &(mrw_scene_light){.node = node,
                                        .type = MRW_SCENE_LIGHT_POINT,
                                        .color = {1, 1, 1},
                                        .intensity = i == 499 ? 3.1415927f : 0.0f});
    }
    lit_stage s;
    open_stage(finish(b), &s);
    mrw_instance instances[200];
    for (int i = 0; i < 200; i++) {
        instances[i] = s.instance;
    }
    int failures = 0;
    for (uint64_t n = 1;; n++) {
        const mrw_light *lights = NULL;
        uint32_t count = 0;
        mrw_renderer *renderer;
        mrw_error error = {0};
        ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
        mrwi_base_alloc_fail_at(n);
        mrw_status status =
            mrw_frame_lights(renderer, instances, 200, MRW_ISA_AUTO, &lights, &count, &error);
        const bool done = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (status == MRW_OK) {
            ck_assert_uint_eq(count, 200 * 500);
            check_vector(lights[count - 1].color, 1, 1, 1);
        } else {
            ck_assert_int_eq(status, MRW_ERROR_MEMORY);
            ck_assert_ptr_null(lights);
            ck_assert_str_ne(error.text, "");
            failures++;
        }
        mrw_renderer_free(renderer);
        if (done) {
            break;
        }
    }
    ck_assert_int_ge(failures, 2);
    close_stage(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("frame lights");
    TCase *tc = test_case(s, "lights");
    tcase_add_test(tc, lights_move_with_their_nodes);
    tcase_add_test(tc, lights_of_all_instances_come_in_order);
    tcase_add_test(tc, lights_go_with_bound_joints);
    tcase_add_test(tc, odd_lights_are_harmless);
    tcase_add_test(tc, more_lights_than_memory_are_an_error);
    return s;
}

TEST_MAIN(suite())
