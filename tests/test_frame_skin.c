/* test_frame_skin.c: how an instance is skinned: dual quaternions through the whole path, and the
 * cut to the strongest influences. */
#include "scene_fixture.h"

#include "base/memory.h"

#include <marrow/frame.h>
#include <marrow/load.h>

static const mrw_posed_draw *pose(mrw_renderer *renderer, const mrw_instance *instance)
{
    const mrw_posed_draw *posed;
    mrw_error error = {0};
    ck_assert_msg(mrw_pose_instance(renderer, instance, MRW_ISA_AUTO, &posed, &error) == MRW_OK,
                  "%s", error.text);
    return posed;
}

/* ---- the cut --------------------------------------------------------------------------------- */

static uint32_t add_joint(mrwi_scene_builder *b, float x)
{
    mrwi_scene_node_input in = {.parent = MRW_NONE, .rest = identity};
    uint32_t index;
    in.rest.translation[0] = x;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &index, NULL), MRW_OK);
    return index;
}

/* Two triangles whose vertices are told apart by their place. Joints stand at x = 1, 2, 4, 8: a
 * vertex moves by its weights times that. Corner (0, 0) hangs on all four with 8, 4, 3 and 1
 * sixteenths, (1, 0) on the first with 10 and the second with 6, (1, 1) on the last alone. */
static mrw_scene *four_joints(void)
{
    static uint32_t joints[24];
    static float weights[24];
    static const float shares[3][4] = {{8, 4, 3, 1}, {10, 6, 0, 0}, {0, 0, 0, 16}};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    uint32_t nodes[4], skin;
    for (int v = 0; v < 6; v++) {
        const float *p = mesh.positions + 3 * v;
        const float *share = shares[p[0] < 0.5f && p[1] < 0.5f ? 0 : p[1] < 0.5f ? 1 : 2];
        for (int i = 0; i < 4; i++) {
            joints[4 * v + i] = (uint32_t)i;
            weights[4 * v + i] = share[i] / 16.0f;
        }
    }
    mesh.influence_count = 4;
    mesh.joints = joints;
    mesh.weights = weights;
    mesh.joint_limit = 4;
    uint32_t node = add_node(b, "square", MRW_NONE);
    for (int i = 0; i < 4; i++) {
        nodes[i] = add_joint(b, (float)(1 << i));
    }
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", nodes, NULL, 4, &skin, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), skin, NULL), MRW_OK);
    return finish(b);
}

/* How far each of the three kinds of corners moves along x. */
static void expect_moves(uint32_t max_influences, mrw_skinning skinning, const float moves[3],
                         mrw_influence_cut cut)
{
    mrw_scene *scene = four_joints();
    mrw_model_def def = mrw_model_def_default();
    mrw_model *model;
    mrw_renderer *renderer;
    int seen[3] = {0};
    def.max_influences = max_influences;
    ck_assert_int_eq(mrw_model_create_with(scene, &def, 1, &model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    mrw_influence_cut actual = mrw_model_influence_cut(model);
    ck_assert_uint_eq(actual.vertices, cut.vertices);
    ck_assert_float_eq(actual.largest_weight, cut.largest_weight);
    ck_assert_float_eq(actual.largest_sum, cut.largest_sum);
    mrw_instance instance = mrw_instance_default(model);
    ck_assert_int_eq(instance.skinning, MRW_SKINNING_LINEAR);
    instance.skinning = skinning;
    const mrw_posed_draw *posed = pose(renderer, &instance);
    const float *base = scene->positions + 3 * (size_t)scene->meshes[0].position;
    for (uint32_t v = 0; v < posed->vertex_count; v++) {
        const float *p = base + 3 * v;
        int kind = p[0] < 0.5f && p[1] < 0.5f ? 0 : p[1] < 0.5f ? 1 : 2;
        ck_assert_float_eq_tol(posed->positions[4 * v] - p[0], moves[kind], 1e-6f);
        seen[kind]++;
    }
    ck_assert_int_gt(seen[0], 0);
    ck_assert_int_gt(seen[1], 0);
    ck_assert_int_gt(seen[2], 0);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
}

/* All: (8 + 2 * 4 + 4 * 3 + 8 * 1) / 16 = 2.25 and (10 + 2 * 6) / 16 = 1.375.
 * Two: (8 + 2 * 4) / 12 = 4/3, the corner loses 3/16 and 1/16. One: 1; 4/16 or 6/16 were next.
 * Motions without turns blend linearly, so that dual quaternions give the same. */
START_TEST(the_strongest_influences_are_kept)
{
    for (mrw_skinning s = MRW_SKINNING_LINEAR; s <= MRW_SKINNING_DUAL_QUATERNION; s++) {
        uint64_t many = 0;
        mrw_scene *scene = four_joints();
        for (uint32_t g = 0; g < scene->groups_count; g++) {
            many += scene->groups[g].influence_count == 4 ? scene->groups[g].vertex_count : 0;
        }
        mrw_scene_free(scene);
        ck_assert_uint_gt(many, 0);
        expect_moves(0, s, (float[3]){2.25f, 1.375f, 8}, (mrw_influence_cut){0, 0, 0});
        expect_moves(4, s, (float[3]){2.25f, 1.375f, 8}, (mrw_influence_cut){0, 0, 0});
        expect_moves(3, s, (float[3]){28.0f / 15.0f, 1.375f, 8},
                     (mrw_influence_cut){many, 1.0f / 16, 1.0f / 16});
        expect_moves(2, s, (float[3]){4.0f / 3.0f, 1.375f, 8},
                     (mrw_influence_cut){many, 3.0f / 16, 4.0f / 16});
        scene = four_joints();
        for (uint32_t g = 0; g < scene->groups_count; g++) {
            many += scene->groups[g].influence_count == 2 ? scene->groups[g].vertex_count : 0;
        }
        mrw_scene_free(scene);
        expect_moves(1, s, (float[3]){1, 1, 8}, (mrw_influence_cut){many, 6.0f / 16, 8.0f / 16});
    }
}
END_TEST

/* ---- dual quaternions ------------------------------------------------------------------------ */

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
} stage;

static void open_stage(const char *name, const char *clip, double time, stage *s)
{
    mrw_error error = {0};
    ck_assert_msg(mrw_load_file(name, NULL, &s->scene, &error) == MRW_OK, "%s", error.text);
    ck_assert_int_eq(mrw_model_create(s->scene, MRW_SHADING_LIT, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    s->instance = mrw_instance_default(s->model);
    ck_assert_int_eq(mrw_scene_find_clip(s->scene, clip, &s->instance.clip, NULL), MRW_OK);
    s->instance.time = time;
}

static void close_stage(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

/* The positions of all draws, end to end; the caller frees them. */
static float *all_positions(stage *s, mrw_skinning skinning, size_t *count)
{
    size_t total = 0;
    s->instance.skinning = skinning;
    const mrw_posed_draw *posed = pose(s->renderer, &s->instance);
    for (uint32_t d = 0; d < s->scene->draws_count; d++) {
        total += posed[d].vertex_count;
    }
    float *out = malloc(total * 4 * sizeof *out);
    *count = 4 * total;
    total = 0;
    for (uint32_t d = 0; d < s->scene->draws_count; d++) {
        memcpy(out + 4 * total, posed[d].positions, posed[d].vertex_count * 4 * sizeof *out);
        total += posed[d].vertex_count;
    }
    return out;
}

static double greatest_difference(stage *s)
{
    size_t count;
    float *linear = all_positions(s, MRW_SKINNING_LINEAR, &count);
    float *dual = all_positions(s, MRW_SKINNING_DUAL_QUATERNION, &count);
    double greatest = 0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)linear[i] - (double)dual[i]);
        greatest = difference > greatest ? difference : greatest;
    }
    free(linear);
    free(dual);
    return greatest;
}

/* Bound, no joint turns: both are the mesh. Playing, they part by some of the thickness of a limb,
 * no more: a wrong sign of one influence would throw vertices across the model. */
START_TEST(both_ways_differ_where_joints_bend)
{
    stage s;
    open_stage("demo:figure", "Wave", 0.9, &s);
    double difference = greatest_difference(&s);
    ck_assert_double_ge(difference, 0.002);
    ck_assert_double_le(difference, 0.06);
    s.instance.pose = MRW_POSE_BIND;
    ck_assert_double_le(greatest_difference(&s), 1e-5);
    close_stage(&s);
}
END_TEST

/* The tentacle's joints swell and shrink in this clip; the tentacle stays in one piece. */
START_TEST(scaled_joints_stay_together)
{
    stage s;
    open_stage("demo:tentacle", "Gulp", 1.3, &s);
    ck_assert_double_le(greatest_difference(&s), 0.03);
    close_stage(&s);
}
END_TEST

/* Moving, turning and enlarging the whole model does so to the picture: a quarter turn about Y,
 * three times the size, one step up: (x, y, z) -> (3 z, 3 y + 1, -3 x). */
START_TEST(the_model_s_transform_comes_after)
{
    stage s;
    size_t count;
    open_stage("demo:tentacle", "Gulp", 1.3, &s);
    float *before = all_positions(&s, MRW_SKINNING_DUAL_QUATERNION, &count);
    s.instance.model_to_world = (mrw_mat4){{0, 0, -3, 0, 0, 3, 0, 0, 3, 0, 0, 0, 0, 1, 0, 1}};
    float *after = all_positions(&s, MRW_SKINNING_DUAL_QUATERNION, &count);
    for (size_t i = 0; i < count; i += 4) {
        ck_assert_float_eq_tol(after[i + 0], 3 * before[i + 2], 2e-5f);
        ck_assert_float_eq_tol(after[i + 1], 3 * before[i + 1] + 1, 2e-5f);
        ck_assert_float_eq_tol(after[i + 2], -3 * before[i + 0], 2e-5f);
    }
    free(before);
    free(after);
    close_stage(&s);
}
END_TEST

/* Whichever allocation fails, it is told; nothing leaks (the sanitizer build watches). */
START_TEST(any_allocation_may_fail)
{
    mrw_scene *scene = four_joints();
    mrw_model_def def = mrw_model_def_default();
    int failures = 0;
    def.max_influences = 2;
    for (uint64_t n = 1;; n++) {
        mrw_model *model = NULL;
        mrw_renderer *renderer = NULL;
        const mrw_posed_draw *posed;
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_model_create_with(scene, &def, 1, &model, NULL);
        if (status == MRW_OK) {
            status = mrw_renderer_create(&renderer, NULL);
        }
        if (status == MRW_OK) {
            mrw_instance instance = mrw_instance_default(model);
            instance.skinning = MRW_SKINNING_DUAL_QUATERNION;
            status = mrw_pose_instance(renderer, &instance, MRW_ISA_AUTO, &posed, NULL);
        }
        mrw_renderer_free(renderer);
        mrw_model_free(model);
        if (mrwi_base_alloc_fail_pending()) {
            ck_assert_int_eq(status, MRW_OK);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        failures++;
    }
    mrwi_base_alloc_fail_at(0);
    mrw_scene_free(scene);
    ck_assert_int_ge(failures, 7);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("frame skin");
    TCase *tc = tcase_create("skinning");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_strongest_influences_are_kept);
    tcase_add_test(tc, both_ways_differ_where_joints_bend);
    tcase_add_test(tc, scaled_joints_stay_together);
    tcase_add_test(tc, the_model_s_transform_comes_after);
    tcase_add_test(tc, any_allocation_may_fail);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
