/* test_view.c: cameras and framing against projections worked out by hand or in double. */
#include "test.h"

#include "marrow/view.h"

#include <math.h>

static uint64_t random_state = 12345;

static double random_unit(void)
{
    return test_random_double(&random_state, 0.0, 1.0);
}

/* Clip space of a world point through the camera's two matrices, in double. */
static void project(const mrw_camera *camera, const float p[3], double out[4])
{
    double view[4];
    for (int r = 0; r < 4; r++) {
        view[r] = camera->world_to_view.m[12 + r];
        for (int c = 0; c < 3; c++) {
            view[r] += (double)camera->world_to_view.m[4 * c + r] * (double)p[c];
        }
    }
    for (int r = 0; r < 4; r++) {
        out[r] = 0.0;
        for (int c = 0; c < 4; c++) {
            out[r] += (double)camera->view_to_clip.m[4 * c + r] * view[c];
        }
    }
}

typedef struct span {
    double min[3], max[3];
} span;

/* Bounds of the projected points: x and y in -1..1 across the picture, z the depth. */
static span projected_span(const mrw_camera *camera, const float *points, int count)
{
    span s = {{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};
    for (int i = 0; i < count; i++) {
        double clip[4];
        project(camera, points + 3 * i, clip);
        ck_assert_double_gt(clip[3], 0.0);
        for (int k = 0; k < 3; k++) {
            s.min[k] = fmin(s.min[k], clip[k] / clip[3]);
            s.max[k] = fmax(s.max[k], clip[k] / clip[3]);
        }
    }
    return s;
}

static mrw_camera frame_points(const mrw_view_def *view, float aspect, const float *points,
                               int count)
{
    mrw_extents extents;
    mrw_camera camera;
    mrw_error error = {0};
    mrw_extents_begin(view, aspect, &extents);
    mrw_extents_add(&extents, points, (size_t)count, 3);
    mrw_status status = mrw_view_camera(view, &extents, aspect, &camera, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return camera;
}

static void assert_near(double got, double expected, double tolerance)
{
    ck_assert_msg(fabs(got - expected) <= tolerance, "%.9g, expected %.9g", got, expected);
}

/* A square of side 2 in the plane z = 0 seen from the front at 90 degrees, no margin: the eye is at
 * distance 1 / tan 45 = 1. */
START_TEST(front_square_by_hand)
{
    static const float square[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    mrw_view_def view = mrw_view_def_default();
    view.azimuth_degrees = view.elevation_degrees = 0.0f;
    view.fov_degrees = 90.0f;
    view.margin = 0.0f;
    mrw_camera camera = frame_points(&view, 1.0f, square, 4);
    assert_near(camera.eye[0], 0.0, 1e-6);
    assert_near(camera.eye[1], 0.0, 1e-6);
    assert_near(camera.eye[2], 1.0, 1e-6);
    ck_assert(!camera.orthographic);
    double clip[4];
    project(&camera, square + 6, clip); /* right top corner */
    assert_near(clip[0] / clip[3], 1.0, 1e-6);
    assert_near(clip[1] / clip[3], 1.0, 1e-6);
    assert_near(clip[3], 1.0, 1e-6);
    ck_assert_float_gt(camera.near_plane, 0.0f);
    ck_assert_float_lt(camera.near_plane, 1.0f);
    ck_assert_float_gt(camera.far_plane, 1.0f);
}
END_TEST

/* Eight units from the bottom of the picture to its top, and twice that from side to side: clip
 * space has 1/4 a unit, and 1/8. Where an eye stands, or how deep the points lie, is all the same.
 */
START_TEST(height_by_hand)
{
    static const float square[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    mrw_view_def view = mrw_view_def_default();
    view.azimuth_degrees = view.elevation_degrees = 0.0f;
    view.orthographic = true;
    view.height = 8.0f;
    for (int eye = 0; eye < 2; eye++) {
        view.has_eye = eye;
        view.eye[2] = 50.0f;
        mrw_camera camera = frame_points(&view, 2.0f, square, 4);
        ck_assert(camera.orthographic);
        assert_near(camera.view_to_clip.m[5], 0.25, 1e-7);
        assert_near(camera.view_to_clip.m[0], 0.125, 1e-7);
        ck_assert_float_lt(camera.near_plane, camera.eye[2]);
        ck_assert_float_gt(camera.far_plane, camera.eye[2]);
    }
    mrw_extents extents;
    mrw_camera camera;
    mrw_error error;
    mrw_extents_begin(&view, 1.0f, &extents);
    view.height = -1.0f;
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.0f, &camera, &error), MRW_ERROR_USAGE);
    view.height = 8.0f; /* a perspective has none */
    view.orthographic = view.has_eye = false;
    view.fov_degrees = 90.0f;
    view.margin = 0.0f;
    assert_near(frame_points(&view, 1.0f, square, 4).eye[2], 1.0, 1e-6);
}
END_TEST

/* A quarter of border on each side of the smaller side leaves half: the eye stands at 2. In a
 * picture twice as wide the height is the smaller side still. */
START_TEST(margin_by_hand)
{
    static const float square[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    mrw_view_def view = mrw_view_def_default();
    view.azimuth_degrees = view.elevation_degrees = 0.0f;
    view.fov_degrees = 90.0f;
    view.margin = 0.25f;
    assert_near(frame_points(&view, 1.0f, square, 4).eye[2], 2.0, 1e-6);
    assert_near(frame_points(&view, 2.0f, square, 4).eye[2], 2.0, 1e-6);
    /* Half as wide: x has tangent 1/2 less the border of half its width: 1/4, so 4. */
    assert_near(frame_points(&view, 0.5f, square, 4).eye[2], 4.0, 1e-6);
}
END_TEST

START_TEST(depth_is_zero_to_one)
{
    static const float line[6] = {-1, 0, 3, 1, 0, -3};
    mrw_view_def view = mrw_view_def_default();
    view.azimuth_degrees = view.elevation_degrees = 0.0f;
    view.near_plane = 2.0f;
    view.far_plane = 50.0f;
    for (int orthographic = 0; orthographic < 2; orthographic++) {
        view.orthographic = orthographic != 0;
        mrw_camera camera = frame_points(&view, 1.0f, line, 2);
        const float at_near[3] = {camera.eye[0], camera.eye[1], camera.eye[2] - 2.0f};
        const float at_far[3] = {camera.eye[0], camera.eye[1], camera.eye[2] - 50.0f};
        double clip[4];
        project(&camera, at_near, clip);
        assert_near(clip[2] / clip[3], 0.0, 1e-6);
        project(&camera, at_far, clip);
        assert_near(clip[2] / clip[3], 1.0, 1e-6);
        ck_assert_float_eq(camera.near_plane, 2.0f);
        ck_assert_float_eq(camera.far_plane, 50.0f);
    }
}
END_TEST

/* Right, up and back of a camera, from its matrix. */
static void assert_axes(const mrw_camera *camera, const double right[3], const double up[3],
                        const double back[3])
{
    for (int i = 0; i < 3; i++) {
        assert_near(camera->world_to_view.m[4 * i + 0], right[i], 1e-6);
        assert_near(camera->world_to_view.m[4 * i + 1], up[i], 1e-6);
        assert_near(camera->world_to_view.m[4 * i + 2], back[i], 1e-6);
    }
}

START_TEST(azimuth_and_elevation)
{
    static const struct {
        float azimuth, elevation;
        double right[3], up[3], back[3];
    } cases[] = {
        {0, 0, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},     /* from the front */
        {90, 0, {0, 0, -1}, {0, 1, 0}, {1, 0, 0}},   /* from +X: counter-clockwise from above */
        {180, 0, {-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}, /* from behind */
        {-90, 0, {0, 0, 1}, {0, 1, 0}, {-1, 0, 0}},
        {0, 90, {1, 0, 0}, {0, 0, -1}, {0, 1, 0}},  /* from above: the front is below */
        {0, -90, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, /* from below */
        {450, 0, {0, 0, -1}, {0, 1, 0}, {1, 0, 0}}, /* a turn more */
        {0, 30, {1, 0, 0}, {0, 0.8660254037844387, -0.5}, {0, 0.5, 0.8660254037844387}},
    };
    static const float cube[6] = {-1, -1, -1, 1, 1, 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_view_def view = mrw_view_def_default();
        view.azimuth_degrees = cases[i].azimuth;
        view.elevation_degrees = cases[i].elevation;
        mrw_camera camera = frame_points(&view, 1.0f, cube, 2);
        assert_axes(&camera, cases[i].right, cases[i].up, cases[i].back);
    }
}
END_TEST

/* Points of a crooked cloud touch the margin on one axis, are equally far from both sides of the
 * picture on it, and stay inside on the other; nothing lies outside near and far. */
START_TEST(framing_touches_the_margin)
{
    float points[3 * 200];
    for (int round = 0; round < 40; round++) {
        mrw_view_def view = mrw_view_def_default();
        double spread[3] = {0.1 + random_unit(), 0.1 + 3.0 * random_unit(), 0.1 + random_unit()};
        float aspect = (float)(0.4 + 2.0 * random_unit());
        for (int i = 0; i < 600; i++) {
            points[i] = (float)((random_unit() - 0.3) * spread[i % 3] + 2.0 * (i % 3));
        }
        view.azimuth_degrees = (float)(360.0 * random_unit());
        view.elevation_degrees = (float)(180.0 * random_unit() - 90.0);
        view.fov_degrees = (float)(5.0 + 90.0 * random_unit());
        view.margin = (float)(0.3 * random_unit());
        view.orthographic = round % 2 == 1;
        mrw_camera camera = frame_points(&view, aspect, points, 200);
        span s = projected_span(&camera, points, 200);
        double smaller = aspect < 1.0f ? aspect : 1.0;
        double free_x = 1.0 - 2.0 * view.margin * smaller / aspect;
        double free_y = 1.0 - 2.0 * view.margin * smaller;
        double use_x = fmax(s.max[0], -s.min[0]) / free_x;
        double use_y = fmax(s.max[1], -s.min[1]) / free_y;
        assert_near(fmax(use_x, use_y), 1.0, 2e-5);
        if (use_x > use_y) {
            assert_near(s.max[0], -s.min[0], 2e-5);
        } else {
            assert_near(s.max[1], -s.min[1], 2e-5);
        }
        ck_assert_double_gt(s.min[2], 0.0);
        ck_assert_double_lt(s.max[2], 1.0);
        if (view.orthographic) { /* parallel projection: centred exactly on both */
            assert_near(s.max[0], -s.min[0], 2e-5);
            assert_near(s.max[1], -s.min[1], 2e-5);
        }
    }
}
END_TEST

/* The looser axis is centred, too: a tall box seen from the front in a square picture. */
START_TEST(framing_centres_the_loose_axis)
{
    static const float box[24] = {3, 0, 0, 4, 0, 0, 3, 9, 0, 4, 9, 0,
                                  3, 0, 1, 4, 0, 1, 3, 9, 1, 4, 9, 1};
    mrw_view_def view = mrw_view_def_default();
    view.azimuth_degrees = view.elevation_degrees = 0.0f;
    mrw_camera camera = frame_points(&view, 1.0f, box, 8);
    span s = projected_span(&camera, box, 8);
    assert_near(camera.eye[0], 3.5, 1e-5);
    assert_near(s.max[0], -s.min[0], 1e-5);
    assert_near(s.max[1], 0.8, 1e-5);
    assert_near(s.min[1], -0.8, 1e-5);
}
END_TEST

START_TEST(target_is_the_centre)
{
    static const float points[9] = {0, 0, 0, 2, 1, 0, 1, 3, 1};
    mrw_view_def view = mrw_view_def_default();
    view.has_target = true;
    view.target[0] = 0.25f;
    view.target[1] = 0.5f;
    for (int orthographic = 0; orthographic < 2; orthographic++) {
        view.orthographic = orthographic != 0;
        mrw_camera camera = frame_points(&view, 1.5f, points, 3);
        double clip[4];
        project(&camera, view.target, clip);
        assert_near(clip[0] / clip[3], 0.0, 1e-5);
        assert_near(clip[1] / clip[3], 0.0, 1e-5);
        span s = projected_span(&camera, points, 3);
        double use =
            fmax(fmax(s.max[0], -s.min[0]) / (1.0 - 0.2 / 1.5), fmax(s.max[1], -s.min[1]) / 0.8);
        assert_near(use, 1.0, 1e-5);
    }
}
END_TEST

START_TEST(extents_ignore_order)
{
    float points[3 * 64];
    mrw_extents whole, parts[2];
    mrw_view_def view = mrw_view_def_default();
    for (int i = 0; i < 192; i++) {
        points[i] = (float)(random_unit() - 0.5);
    }
    points[0] = -0.0f; /* the sign of a zero must not tell the order either */
    points[100] = 0.0f;
    mrw_extents_begin(&view, 1.0f, &whole);
    mrw_extents_begin(&view, 1.0f, &parts[0]);
    mrw_extents_begin(&view, 1.0f, &parts[1]);
    mrw_extents_add(&whole, points, 64, 3);
    for (int i = 63; i >= 0; i--) {
        mrw_extents_add(&parts[i % 2], points + 3 * i, 1, 3);
    }
    mrw_extents_merge(&parts[1], &parts[0]);
    ck_assert_int_eq(memcmp(&whole, &parts[1], sizeof whole), 0);
    ck_assert_uint_eq(whole.count, 64);
}
END_TEST

/* Supports and box against the definition, in double; stride 4 skips the fourth component. */
START_TEST(extents_are_supports)
{
    float points[4 * 50];
    mrw_extents e;
    mrw_view_def view = mrw_view_def_default();
    for (int i = 0; i < 200; i++) {
        points[i] = i % 4 == 3 ? 1e9f : (float)(10.0 * random_unit() - 3.0);
    }
    mrw_extents_begin(&view, 1.3f, &e);
    mrw_extents_add(&e, points, 50, 4);
    for (int plane = 0; plane < MRW_PLANE_COUNT; plane++) {
        double support = -1e30;
        double length = 0.0;
        for (int i = 0; i < 50; i++) {
            double d = 0.0;
            for (int k = 0; k < 3; k++) {
                d += (double)e.plane[plane][k] * (double)points[4 * i + k];
            }
            support = fmax(support, d);
        }
        for (int k = 0; k < 3; k++) {
            length += (double)e.plane[plane][k] * (double)e.plane[plane][k];
        }
        assert_near(e.support[plane], support, 1e-5);
        assert_near(length, 1.0, 1e-6);
    }
    for (int k = 0; k < 3; k++) {
        float low = 1e30f, high = -1e30f;
        for (int i = 0; i < 50; i++) {
            low = fminf(low, points[4 * i + k]);
            high = fmaxf(high, points[4 * i + k]);
        }
        ck_assert_float_eq(e.aabb_min[k], low);
        ck_assert_float_eq(e.aabb_max[k], high);
    }
}
END_TEST

START_TEST(degenerate_extents)
{
    static const float point[3] = {5, 6, 7};
    static const float needle[6] = {0, 0, 0, 0, 0, 4}; /* along the view */
    mrw_view_def view = mrw_view_def_default();
    view.azimuth_degrees = view.elevation_degrees = 0.0f;
    for (int orthographic = 0; orthographic < 2; orthographic++) {
        view.orthographic = orthographic != 0;
        mrw_camera camera = frame_points(&view, 1.0f, NULL, 0);
        static const float corner[3] = {0.5f, 0.5f, 0.5f}; /* of the unit cube */
        double clip[4];
        project(&camera, corner, clip);
        assert_near(clip[0] / clip[3], 0.8, 1e-5);
        camera = frame_points(&view, 1.0f, point, 1);
        project(&camera, point, clip);
        assert_near(clip[0] / clip[3], 0.0, 1e-5);
        camera = frame_points(&view, 1.0f, needle, 2);
        span s = projected_span(&camera, needle, 2);
        ck_assert_double_gt(s.min[2], 0.0);
        ck_assert_double_lt(s.max[2], 1.0);
    }
}
END_TEST

static mrw_status try_view(const mrw_view_def *view, mrw_camera *camera, mrw_error *error)
{
    static const float cube[6] = {-1, -1, -1, 1, 1, 1};
    mrw_extents extents;
    mrw_extents_begin(view, 1.0f, &extents);
    mrw_extents_add(&extents, cube, 2, 3);
    return mrw_view_camera(view, &extents, 1.0f, camera, error);
}

START_TEST(given_eye)
{
    mrw_camera camera;
    mrw_error error;
    mrw_view_def view = mrw_view_def_default();
    view.has_eye = true;
    view.eye[2] = 10.0f;
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_OK);
    assert_axes(&camera, (double[]){1, 0, 0}, (double[]){0, 1, 0}, (double[]){0, 0, 1});
    ck_assert_float_eq(camera.eye[2], 10.0f);
    ck_assert_float_lt(camera.near_plane, 9.0f);
    ck_assert_float_gt(camera.far_plane, 11.0f);
    view.has_target = true;
    view.target[0] = 10.0f;
    view.target[2] = 10.0f; /* looks along +X */
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_OK);
    assert_axes(&camera, (double[]){0, 0, 1}, (double[]){0, 1, 0}, (double[]){-1, 0, 0});
    view.target[0] = 0.0f;
    view.target[2] = 0.0f;
    view.eye[1] = 10.0f;
    view.eye[2] = 0.0f; /* straight down with the default up: as at elevation 90 */
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_OK);
    assert_axes(&camera, (double[]){1, 0, 0}, (double[]){0, 0, -1}, (double[]){0, 1, 0});
    view.orthographic = true;
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_OK);
    double clip[4];
    project(&camera, (const float[]){1, 1, 1}, clip);
    assert_near(clip[0], 0.8, 1e-6);
}
END_TEST

/* One plane alone, out of reach of the other as the extents set it: the other makes room. */
START_TEST(one_plane_beyond_the_extents)
{
    mrw_camera camera;
    mrw_error error;
    mrw_view_def view = mrw_view_def_default();
    view.near_plane = 1000.0f;
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_OK);
    ck_assert_float_eq(camera.near_plane, 1000.0f);
    ck_assert_float_gt(camera.far_plane, 1000.0f);
    view = mrw_view_def_default();
    view.far_plane = 0.01f;
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_OK);
    ck_assert_float_eq(camera.far_plane, 0.01f);
    ck_assert(camera.near_plane > 0.0f && camera.near_plane < 0.01f);
}
END_TEST

START_TEST(impossible_views)
{
    mrw_camera camera;
    mrw_error error;
    mrw_view_def view = mrw_view_def_default();
    view.has_eye = view.has_target = true;
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "eye"));
    view.eye[0] = 3.0f;
    view.up[0] = -2.0f;
    view.up[1] = 0.0f;
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "up"));
    view = mrw_view_def_default();
    view.up[1] = 0.0f;
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
    view = mrw_view_def_default();
    view.near_plane = 5.0f;
    view.far_plane = 5.0f;
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
    view = mrw_view_def_default();
    view.fov_degrees = 0.5f;
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
    view = mrw_view_def_default();
    view.margin = 0.5f;
    ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
    const float odd[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        view = mrw_view_def_default();
        view.azimuth_degrees = odd[i];
        ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
        view = mrw_view_def_default();
        view.elevation_degrees = odd[i];
        ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
        view = mrw_view_def_default();
        view.far_plane = odd[i];
        ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
        view = mrw_view_def_default();
        view.has_eye = true;
        view.eye[1] = odd[i];
        ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
        view = mrw_view_def_default();
        view.has_target = true;
        view.target[1] = odd[i];
        ck_assert_int_eq(try_view(&view, &camera, &error), MRW_ERROR_USAGE);
    }
}
END_TEST

START_TEST(huge_models_are_refused)
{
    static const float points[6] = {-3e38f, -3e38f, -3e38f, 3e38f, 3e38f, 3e38f};
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    mrw_camera camera;
    mrw_error error;
    mrw_extents_begin(&view, 1.0f, &extents);
    mrw_extents_add(&extents, points, 2, 3);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.0f, &camera, &error), MRW_ERROR_INPUT);
}
END_TEST

static const mrw_mat4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

START_TEST(lens_by_hand)
{
    mrw_mat4 place = identity;
    mrw_lens lens = {.yfov = 1.5707963267948966f, .aspect = 2.0f, .near_plane = 1, .far_plane = 9};
    mrw_camera camera;
    double clip[4];
    for (int i = 0; i < 12; i++) {
        place.m[i] *= 3.0f; /* scale is dropped */
    }
    place.m[14] = 5.0f;
    /* The picture's own aspect: the corner of the view at distance 2. */
    ck_assert_int_eq(mrw_view_from_lens(&place, &lens, 2.0f, &camera, NULL), MRW_OK);
    project(&camera, (const float[]){4, 2, 3}, clip);
    assert_near(clip[0] / clip[3], 1.0, 1e-6);
    assert_near(clip[1] / clip[3], 1.0, 1e-6);
    assert_near(clip[3], 2.0, 1e-6);
    /* Narrower: the width stays, the height grows. Wider: the height stays. */
    ck_assert_int_eq(mrw_view_from_lens(&place, &lens, 1.0f, &camera, NULL), MRW_OK);
    project(&camera, (const float[]){4, 2, 3}, clip);
    assert_near(clip[0] / clip[3], 1.0, 1e-6);
    assert_near(clip[1] / clip[3], 0.5, 1e-6);
    ck_assert_int_eq(mrw_view_from_lens(&place, &lens, 4.0f, &camera, NULL), MRW_OK);
    project(&camera, (const float[]){4, 2, 3}, clip);
    assert_near(clip[0] / clip[3], 0.5, 1e-6);
    assert_near(clip[1] / clip[3], 1.0, 1e-6);
    assert_near(camera.eye[2], 5.0, 0.0);
    project(&camera, (const float[]){0, 0, 4}, clip);
    assert_near(clip[2] / clip[3], 0.0, 1e-6);
    project(&camera, (const float[]){0, 0, -4}, clip);
    assert_near(clip[2] / clip[3], 1.0, 1e-6);
    lens.far_plane = 0.0f; /* infinite: depth 1 - near / distance */
    ck_assert_int_eq(mrw_view_from_lens(&place, &lens, 4.0f, &camera, NULL), MRW_OK);
    project(&camera, (const float[]){0, 0, 1}, clip);
    assert_near(clip[2] / clip[3], 0.75, 1e-6);
    ck_assert_float_eq(camera.far_plane, 0.0f);
}
END_TEST

START_TEST(orthographic_lens_by_hand)
{
    mrw_lens lens = {.xmag = 2, .ymag = 1, .near_plane = 0, .far_plane = 10};
    mrw_camera camera;
    double clip[4];
    ck_assert_int_eq(mrw_view_from_lens(&identity, &lens, 1.0f, &camera, NULL), MRW_OK);
    ck_assert(camera.orthographic);
    project(&camera, (const float[]){2, 1, -5}, clip);
    assert_near(clip[0], 1.0, 1e-6);
    assert_near(clip[1], 0.5, 1e-6);
    assert_near(clip[2], 0.5, 1e-6);
    assert_near(clip[3], 1.0, 0.0);
}
END_TEST

START_TEST(broken_lenses)
{
    mrw_error error;
    mrw_camera camera;
    mrw_lens lens = {.yfov = 1.0f, .near_plane = 0.1f, .far_plane = 9};
    mrw_mat4 flat = identity;
    flat.m[10] = 0.0f;
    ck_assert_int_eq(mrw_view_from_lens(&flat, &lens, 1.0f, &camera, &error), MRW_ERROR_INPUT);
    lens.far_plane = 0.05f;
    ck_assert_int_eq(mrw_view_from_lens(&identity, &lens, 1.0f, &camera, &error), MRW_ERROR_INPUT);
    lens = (mrw_lens){.yfov = 3.2f, .near_plane = 0.1f};
    ck_assert_int_eq(mrw_view_from_lens(&identity, &lens, 1.0f, &camera, &error), MRW_ERROR_INPUT);
    lens = (mrw_lens){.xmag = 1, .near_plane = 0.1f, .far_plane = 2};
    ck_assert_int_eq(mrw_view_from_lens(&identity, &lens, 1.0f, &camera, &error), MRW_ERROR_INPUT);
}
END_TEST

static void apply(const mrw_mat4 *m, const float p[3], double out[3])
{
    for (int r = 0; r < 3; r++) {
        out[r] = m->m[12 + r];
        for (int c = 0; c < 3; c++) {
            out[r] += (double)m->m[4 * c + r] * (double)p[c];
        }
    }
}

START_TEST(model_transform)
{
    mrw_mat4 m;
    double got[3];
    static const float move[3] = {10, 20, 30}, scale[3] = {2, 3, 4}, x[3] = {1, 0, 0},
                       y[3] = {0, 1, 0}, none[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    /* y scaled by 3, about X by 90 to +Z, then about Z by 90: stays; moved. */
    mrw_view_model_transform(move, (const float[]){90, 0, 90}, scale, &m);
    apply(&m, y, got);
    assert_near(got[0], 10.0, 0.0);
    assert_near(got[1], 20.0, 0.0);
    assert_near(got[2], 33.0, 0.0);
    /* x: 2, X leaves it, Z turns it to +Y. */
    apply(&m, x, got);
    assert_near(got[0], 10.0, 0.0);
    assert_near(got[1], 22.0, 0.0);
    assert_near(got[2], 30.0, 0.0);
    /* about Y a positive angle turns +X to -Z */
    mrw_view_model_transform(none, (const float[]){0, 90, 0}, one, &m);
    apply(&m, x, got);
    assert_near(got[2], -1.0, 0.0);
    /* an odd rotation, against X, then Y, then Z in double */
    mrw_view_model_transform(none, (const float[]){20, 35, 50}, one, &m);
    double p[3] = {0.3, -0.8, 0.5}, d = 3.14159265358979323846 / 180.0;
    double a[3] = {p[0], p[1] * cos(20 * d) - p[2] * sin(20 * d),
                   p[1] * sin(20 * d) + p[2] * cos(20 * d)};
    double b[3] = {a[0] * cos(35 * d) + a[2] * sin(35 * d), a[1],
                   -a[0] * sin(35 * d) + a[2] * cos(35 * d)};
    double c[3] = {b[0] * cos(50 * d) - b[1] * sin(50 * d), b[0] * sin(50 * d) + b[1] * cos(50 * d),
                   b[2]};
    apply(&m, (const float[]){0.3f, -0.8f, 0.5f}, got);
    for (int i = 0; i < 3; i++) {
        assert_near(got[i], c[i], 1e-6);
    }
}
END_TEST

/* How far beyond the border of the margin, from the middle of the picture, the points reach. */
static double reach(const span *s, double aspect, double margin)
{
    const double border = 2.0 * margin;
    const double x =
        fmax(-s->min[0], s->max[0]) / (1.0 - (aspect > 1.0 ? border / aspect : border));
    const double y =
        fmax(-s->min[1], s->max[1]) / (1.0 - (aspect > 1.0 ? border : border * aspect));
    return fmax(x, y) - 1.0;
}

/* Views around one point: their eyes lie on a sphere about the centre of the box, each view shows
 * all points, and one of them touches the margin. */
START_TEST(one_distance_for_all)
{
    enum { VIEWS = 7, POINTS = 40 };
    static float points[3 * POINTS];
    const float aspect = _i % 2 == 0 ? 1.0f : 1.6f;
    float low[3] = {1e9f, 1e9f, 1e9f}, high[3] = {-1e9f, -1e9f, -1e9f};
    mrw_view_def views[VIEWS];
    mrw_extents extents[VIEWS];
    mrw_error error = {0};
    double most = -1e9, first = 0.0;
    for (int i = 0; i < 3 * POINTS; i++) {
        points[i] = (float)((random_unit() - 0.3) * (i % 3 + 1));
        low[i % 3] = fminf(low[i % 3], points[i]);
        high[i % 3] = fmaxf(high[i % 3], points[i]);
    }
    for (int v = 0; v < VIEWS; v++) {
        views[v] = mrw_view_def_default();
        views[v].azimuth_degrees = (float)(v * 360) / VIEWS;
        views[v].elevation_degrees = _i < 4 ? 20.0f : 90.0f;
        views[v].orthographic = _i % 4 >= 2;
        mrw_extents_begin(&views[v], aspect, &extents[v]);
        mrw_extents_add(&extents[v], points, POINTS, 3);
    }
    mrw_status status = mrw_view_at_one_distance(views, extents, VIEWS, aspect, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    for (int v = 0; v < VIEWS; v++) {
        mrw_camera camera;
        double square = 0.0;
        ck_assert_int_eq(mrw_view_camera(&views[v], &extents[v], aspect, &camera, &error), MRW_OK);
        const span s = projected_span(&camera, points, POINTS);
        const double own = reach(&s, (double)aspect, 0.1);
        ck_assert_double_le(own, 1e-5);
        ck_assert(s.min[2] >= 0.0 && s.max[2] <= 1.0);
        most = fmax(most, own);
        for (int k = 0; k < 3; k++) {
            const double centre = ((double)low[k] + (double)high[k]) / 2.0;
            square += ((double)camera.eye[k] - centre) * ((double)camera.eye[k] - centre);
        }
        first = v == 0 ? sqrt(square) : first;
        assert_near(sqrt(square), first, 1e-5);
        assert_near(camera.view_to_clip.m[5],
                    views[0].orthographic ? 2.0 / (double)views[0].height
                                          : 1.0 / tan(17.5 * acos(-1.0) / 180.0),
                    1e-5);
    }
    assert_near(most, 0.0, 1e-5);
}
END_TEST

START_TEST(one_distance_that_cannot_be)
{
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    mrw_camera camera;
    mrw_error error;
    mrw_extents_begin(&view, 1.0f, &extents); /* without points a unit cube is seen */
    ck_assert_int_eq(mrw_view_at_one_distance(&view, &extents, 1, 1.0f, &error), MRW_OK);
    ck_assert(view.distance > 0.5f && view.target[0] == 0.0f);
    view.distance = -1.0f;
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.0f, &camera, &error), MRW_ERROR_USAGE);
    ck_assert_int_eq(mrw_view_at_one_distance(&view, &extents, 1, 1.0f, &error), MRW_ERROR_USAGE);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("view");
    TCase *tc = tcase_create("view");
    tcase_add_test(tc, front_square_by_hand);
    tcase_add_test(tc, height_by_hand);
    tcase_add_test(tc, margin_by_hand);
    tcase_add_test(tc, depth_is_zero_to_one);
    tcase_add_test(tc, azimuth_and_elevation);
    tcase_add_test(tc, framing_touches_the_margin);
    tcase_add_test(tc, framing_centres_the_loose_axis);
    tcase_add_test(tc, target_is_the_centre);
    tcase_add_test(tc, extents_ignore_order);
    tcase_add_test(tc, extents_are_supports);
    tcase_add_test(tc, degenerate_extents);
    tcase_add_test(tc, given_eye);
    tcase_add_test(tc, one_plane_beyond_the_extents);
    tcase_add_test(tc, impossible_views);
    tcase_add_test(tc, huge_models_are_refused);
    tcase_add_test(tc, lens_by_hand);
    tcase_add_test(tc, orthographic_lens_by_hand);
    tcase_add_test(tc, broken_lenses);
    tcase_add_test(tc, model_transform);
    tcase_add_loop_test(tc, one_distance_for_all, 0, 8);
    tcase_add_test(tc, one_distance_that_cannot_be);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
