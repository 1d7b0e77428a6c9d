/* test_light.c: light rigs, against directions worked out by hand and in double. */
#include "test.h"

#include "marrow/light.h"

#include <float.h>
#include <math.h>

/* A camera at the origin, as far as rigs read it: the rows of world_to_view are the axes of view
 * space in the world. */
static mrw_camera camera_along(const float right[3], const float up[3], const float back[3])
{
    mrw_camera camera = {.world_to_view.m[15] = 1.0f};
    for (int i = 0; i < 3; i++) {
        camera.world_to_view.m[4 * i] = right[i];
        camera.world_to_view.m[4 * i + 1] = up[i];
        camera.world_to_view.m[4 * i + 2] = back[i];
    }
    return camera;
}

/* The view of two opposite corners of a cube. */
static mrw_camera camera_from(float azimuth, float elevation)
{
    static const float cube[6] = {-1, -1, -1, 1, 1, 1};
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    mrw_camera camera;
    view.azimuth_degrees = azimuth;
    view.elevation_degrees = elevation;
    mrw_extents_begin(&view, 1.0f, &extents);
    mrw_extents_add(&extents, cube, 2, 3);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.0f, &camera, NULL), MRW_OK);
    return camera;
}

static void check_direction(const mrw_light *light, double x, double y, double z)
{
    ck_assert_double_eq_tol(light->to_light[0], x, 1e-6);
    ck_assert_double_eq_tol(light->to_light[1], y, 1e-6);
    ck_assert_double_eq_tol(light->to_light[2], z, 1e-6);
}

static void check_color(const float *got, float r, float g, float b)
{
    ck_assert_float_eq(got[0], r);
    ck_assert_float_eq(got[1], g);
    ck_assert_float_eq(got[2], b);
}

/* The directions are (-0.68, 0.56, 0.68) / sqrt(1.2384), (0.7, -0.6, 0.65) / sqrt(1.2725) and
 * (0.45, 0.6, -0.85) / sqrt(1.285) of view space; seen from +X, the view's X is the world's -Z and
 * its Z the world's X. */
START_TEST(the_three_point_rig_by_hand)
{
    const mrw_camera front =
        camera_along((float[]){1, 0, 0}, (float[]){0, 1, 0}, (float[]){0, 0, 1});
    const mrw_camera side =
        camera_along((float[]){0, 0, -1}, (float[]){0, 1, 0}, (float[]){1, 0, 0});
    mrw_light lights[MRW_RIG_LIGHTS];
    mrw_lighting lighting;
    mrw_light_rig_studio(MRW_RIG_THREE_POINT, &front, lights, &lighting);
    ck_assert_ptr_eq(lighting.lights, lights);
    ck_assert_uint_eq(lighting.light_count, 3);
    check_direction(&lights[0], -0.6110524, 0.5032196, 0.6110524);
    check_direction(&lights[1], 0.6205391, -0.5318906, 0.5762149);
    check_direction(&lights[2], 0.3969730, 0.5292973, -0.7498379);
    check_color(lights[0].color, 1.0f, 1.0f, 1.0f);
    check_color(lights[1].color, 0.24f, 0.24f, 0.24f);
    check_color(lights[2].color, 0.43f, 0.43f, 0.43f);
    ck_assert(lights[0].specular == 0.6f && lights[1].specular == 0 && lights[2].specular == 0.4f);
    check_color(lighting.up, 0, 1, 0);
    check_color(lighting.sky, 0.20f, 0.20f, 0.20f);
    check_color(lighting.ground, 0.125f, 0.125f, 0.125f);
    mrw_light_rig_studio(MRW_RIG_THREE_POINT, &side, lights, &lighting);
    check_direction(&lights[0], 0.6110524, 0.5032196, 0.6110524);
    check_direction(&lights[1], 0.5762149, -0.5318906, -0.6205391);
    check_direction(&lights[2], -0.7498379, 0.5292973, -0.3969730);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(lights[i].type, MRW_LIGHT_DIRECTIONAL);
    }
}
END_TEST

/* (-0.35, 1.4, 0.45) / sqrt(2.285): 68 degrees above the horizon, as asin(0.9261577) tells. */
START_TEST(the_soft_rig_by_hand)
{
    const mrw_camera side =
        camera_along((float[]){0, 0, -1}, (float[]){0, 1, 0}, (float[]){1, 0, 0});
    mrw_light lights[MRW_RIG_LIGHTS];
    mrw_lighting lighting;
    mrw_light_rig_studio(MRW_RIG_SOFT, &side, lights, &lighting);
    ck_assert_ptr_eq(lighting.lights, lights);
    ck_assert_uint_eq(lighting.light_count, 1);
    check_direction(&lights[0], 0.2976935, 0.9261577, 0.2315394);
    check_color(lights[0].color, 0.83f, 0.83f, 0.83f);
    ck_assert(lights[0].specular == 1.0f && lights[0].type == MRW_LIGHT_DIRECTIONAL);
    ck_assert(lights[0].throws_shadow);
    check_color(lighting.up, 0, 1, 0);
    check_color(lighting.sky, 0.20f, 0.20f, 0.20f);
    check_color(lighting.ground, 0.125f, 0.125f, 0.125f);
}
END_TEST

/* (-0.35, 0.5, 0.9) / sqrt(1.1825) */
START_TEST(the_single_light_by_hand)
{
    const mrw_camera front =
        camera_along((float[]){1, 0, 0}, (float[]){0, 1, 0}, (float[]){0, 0, 1});
    mrw_light lights[MRW_RIG_LIGHTS];
    mrw_lighting lighting;
    mrw_light_rig_single(&front, lights, &lighting);
    ck_assert_ptr_eq(lighting.lights, lights);
    ck_assert_uint_eq(lighting.light_count, 1);
    check_direction(&lights[0], -0.3218603, 0.4598005, 0.8276409);
    check_color(lights[0].color, 0.86f, 0.86f, 0.86f);
    ck_assert(lights[0].specular == 1.0f && lights[0].type == MRW_LIGHT_DIRECTIONAL);
    check_color(lighting.up, 0, 1, 0);
    check_color(lighting.sky, 0.1f, 0.1f, 0.1f);
    check_color(lighting.ground, 0.1f, 0.1f, 0.1f);
}
END_TEST

/* Diffuse light on a white surface: largest and smallest over all normals that face the camera. */
static void walk_normals(const mrw_lighting *lighting, const mrw_camera *camera, double *highest,
                         double *lowest)
{
    *highest = 0.0;
    *lowest = 1e9;
    for (int i = 0; i < 4000; i++) { /* a Fibonacci sphere */
        double z = 1.0 - (2.0 * i + 1.0) / 4000.0, r = sqrt(1.0 - z * z), t = 2.399963229728653 * i;
        double n[3] = {r * cos(t), r * sin(t), z};
        double facing = 0.0, up = 0.0;
        for (int k = 0; k < 3; k++) {
            facing += n[k] * (double)camera->world_to_view.m[4 * k + 2];
            up += n[k] * (double)lighting->up[k];
        }
        if (facing <= 0.0) {
            continue;
        }
        for (int c = 0; c < 3; c++) {
            double sum =
                lighting->ground[c] + (lighting->sky[c] - lighting->ground[c]) * (0.5 + 0.5 * up);
            for (uint32_t l = 0; l < lighting->light_count; l++) {
                double cosine = 0.0;
                for (int k = 0; k < 3; k++) {
                    cosine += n[k] * (double)lighting->lights[l].to_light[k];
                }
                sum += fmax(cosine, 0.0) * lighting->lights[l].color[c];
            }
            *highest = fmax(*highest, sum);
            *lowest = fmin(*lowest, sum);
        }
    }
}

START_TEST(rigs_flatter)
{
    static const float angles[5][2] = {{0, 0}, {30, 15}, {200, -40}, {0, 90}, {90, -90}};
    for (int i = 0; i < 5; i++) {
        const mrw_camera camera = camera_from(angles[i][0], angles[i][1]);
        mrw_light lights[MRW_RIG_LIGHTS];
        mrw_lighting lighting;
        double highest, lowest;
        mrw_light_rig_studio(MRW_RIG_THREE_POINT, &camera, lights, &lighting);
        walk_normals(&lighting, &camera, &highest, &lowest);
        ck_assert_msg(highest < 1.3 && highest > 0.8, "studio, view %d: highest %g", i, highest);
        ck_assert_msg(lowest > 0.1, "studio, view %d: lowest %g", i, lowest);
        for (uint32_t l = 0; l < lighting.light_count; l++) {
            const float *d = lights[l].to_light;
            ck_assert_double_eq_tol(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], 1.0, 1e-6);
        }
        mrw_light_rig_single(&camera, lights, &lighting);
        walk_normals(&lighting, &camera, &highest, &lowest);
        ck_assert_msg(highest <= 1.0 && highest > 0.8, "single, view %d: highest %g", i, highest);
    }
}
END_TEST

/* The key light comes from the viewer's upper left wherever the camera stands. */
START_TEST(rigs_follow_the_camera)
{
    const mrw_camera camera = camera_from(180.0f, 0.0f);
    mrw_light lights[MRW_RIG_LIGHTS];
    mrw_lighting lighting;
    mrw_light_rig_studio(MRW_RIG_THREE_POINT, &camera, lights, &lighting);
    ck_assert_float_gt(lights[0].to_light[0], 0.0f); /* left of a camera behind the model: +X */
    ck_assert_float_gt(lights[0].to_light[1], 0.0f);
    ck_assert_float_lt(lights[0].to_light[2], 0.0f);
    ck_assert_float_gt(lights[2].to_light[2], 0.0f); /* the rim comes from beyond */
}
END_TEST

/* ---- placing --------------------------------------------------------------------------------- */

START_TEST(definitions_begin_as_documented)
{
    const mrw_light_def def = mrw_light_def_default(MRW_LIGHT_SPOT);
    ck_assert_int_eq(def.type, MRW_LIGHT_SPOT);
    ck_assert_int_eq(def.space, MRW_LIGHT_SPACE_WORLD);
    check_color(def.position, 0, 0, 0);
    check_color(def.direction, 0, 0, -1);
    check_color(def.color, 1, 1, 1);
    ck_assert(def.node == 0 && def.intensity == 1 && def.range == 0 && def.inner_cone == 0);
    ck_assert_double_eq_tol((double)def.outer_cone, 0.78539816339744831, 1e-7);
}
END_TEST

/* The matrix takes (x, y, z) to (10 - 2z, 20 + 3y, 30 + 4x): (1, 2, 3) goes to (4, 26, 34), and the
 * direction (1, 1, 1) to (-2, 3, 4), whose length is sqrt(29). */
START_TEST(lights_are_placed_by_a_matrix)
{
    const mrw_mat4 matrix = {{0, 0, 4, 0, 0, 3, 0, 0, -2, 0, 0, 0, 10, 20, 30, 1}};
    mrw_light_def def = {.type = MRW_LIGHT_SPOT,
                         .position = {1, 2, 3},
                         .direction = {1e20f, 1e20f, 1e20f},
                         .color = {1, 0.5f, 0},
                         .intensity = 6.2831853f,
                         .range = 5,
                         .inner_cone = 0.125f,
                         .outer_cone = 0.25f};
    mrw_light light;
    mrw_light_place(&def, &matrix, &light);
    ck_assert_int_eq(light.type, MRW_LIGHT_SPOT);
    check_direction(&light, 0.3713907, -0.5570860, -0.7427814);
    check_color(light.position, 4, 26, 34);
    ck_assert_double_eq_tol((double)light.color[0], 2, 1e-6);
    ck_assert_double_eq_tol((double)light.color[1], 1, 1e-6);
    ck_assert(light.color[2] == 0 && light.specular == 1 && light.range == 5 &&
              light.inner_cone == 0.125f && light.outer_cone == 0.25f);
    def.type = MRW_LIGHT_POINT;
    mrw_light_place(&def, &matrix, &light);
    check_color(light.position, 4, 26, 34);
    check_color(light.to_light, 0, 0, 0);
    def.type = MRW_LIGHT_DIRECTIONAL;
    mrw_light_place(&def, &matrix, &light);
    check_direction(&light, 0.3713907, -0.5570860, -0.7427814);
    check_color(light.position, 0, 0, 0);
}
END_TEST

static void check_off(const mrw_light_def *def, const mrw_mat4 *matrix)
{
    const mrw_light off = {.type = def->type};
    mrw_light light;
    mrw_light_place(def, matrix, &light);
    ck_assert_int_eq(light.type, off.type);
    check_color(light.color, 0, 0, 0);
    check_color(light.to_light, 0, 0, 0);
    check_color(light.position, 0, 0, 0);
    ck_assert(light.specular == 0 && light.range == 0 && light.outer_cone == 0);
}

/* Flattened along what it shines along, without a direction, or moved beyond all numbers. */
START_TEST(lights_that_have_no_place_are_off)
{
    const mrw_mat4 flat = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
    const mrw_mat4 away = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, INFINITY, 0, 0, 1}};
    const mrw_mat4 broken = {{NAN, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    mrw_light_def def = mrw_light_def_default(MRW_LIGHT_SPOT);
    mrw_light light;
    check_off(&def, &flat);
    check_off(&def, &away);
    check_off(&def, &broken);
    def.direction[2] = 0;
    check_off(&def, &away);
    def = mrw_light_def_default(MRW_LIGHT_DIRECTIONAL);
    check_off(&def, &flat);
    def = mrw_light_def_default(MRW_LIGHT_POINT);
    check_off(&def, &away);
    mrw_light_place(&def, &flat, &light); /* a point needs no direction */
    ck_assert_double_eq_tol((double)light.color[0], 1 / 3.14159265358979, 1e-7);
    def.intensity = 1e30f;
    def.color[0] = 1e30f;
    mrw_light_place(&def, &flat, &light);
    ck_assert_float_eq(light.color[0], FLT_MAX);
}
END_TEST

/* A third of 0.25 and of 0.125. */
START_TEST(the_dim_rig_by_hand)
{
    mrw_lighting lighting;
    mrw_light_rig_dim(&lighting);
    ck_assert_uint_eq(lighting.light_count, 0);
    check_color(lighting.up, 0, 1, 0);
    const double sky = 0.0833333333, ground = 0.0416666667;
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol((double)lighting.sky[i], sky, 1e-8);
        ck_assert_double_eq_tol((double)lighting.ground[i], ground, 1e-8);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("light");
    TCase *tc = tcase_create("light");
    tcase_add_test(tc, the_three_point_rig_by_hand);
    tcase_add_test(tc, the_soft_rig_by_hand);
    tcase_add_test(tc, the_single_light_by_hand);
    tcase_add_test(tc, rigs_flatter);
    tcase_add_test(tc, rigs_follow_the_camera);
    tcase_add_test(tc, definitions_begin_as_documented);
    tcase_add_test(tc, lights_are_placed_by_a_matrix);
    tcase_add_test(tc, lights_that_have_no_place_are_off);
    tcase_add_test(tc, the_dim_rig_by_hand);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
