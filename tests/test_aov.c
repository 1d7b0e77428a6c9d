/* test_aov.c: passes against a slow evaluator of this file's own: a ray through the pixel's centre
 * against all triangles of all instances, in double precision. */
#include "test.h"

#include "frame/frame.h"

#include <marrow/marrow.h>

#define WIDTH  90
#define HEIGHT 70
#define PIXELS (WIDTH * HEIGHT)

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer, *other;
    mrw_instance instances[2]; /* at different times */
    mrw_frame_def def;
    mrw_image picture;
} stage;

static void open_stage(stage *s, const char *model, bool orthographic)
{
    const float aspect = (float)WIDTH / (float)HEIGHT;
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    *s = (stage){0};
    ck_assert_int_eq(mrw_load_file(model, NULL, &s->scene, NULL), MRW_OK);
    ck_assert_int_eq(mrw_model_create(s->scene, MRW_SHADING_LIT, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->other, NULL), MRW_OK);
    s->instances[0] = s->instances[1] = mrw_instance_default(s->model);
    s->instances[0].time = 0.3;
    s->instances[1].time = 0.7;
    s->instances[1].model_to_world.m[12] = 1.0f;
    view.orthographic = orthographic;
    s->def = mrw_frame_def_default();
    s->def.width = WIDTH;
    s->def.height = HEIGHT;
    ck_assert_int_eq(mrw_frame_extents(s->instances, 2, MRW_FIT_FRAME, &view, aspect, MRW_ISA_AUTO,
                                       1, &extents, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, aspect, &s->def.camera, NULL), MRW_OK);
}

static void close_stage(stage *s)
{
    mrw_image_free(&s->picture);
    mrw_renderer_free(s->renderer);
    mrw_renderer_free(s->other);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

/* All passes that `kinds` names, in that order. */
static void draw(stage *s, const mrw_aov *kinds, uint32_t count, int threads)
{
    mrw_aov_request requests[MRW_AOV_COUNT] = {{0}};
    mrw_error error = {0};
    for (uint32_t i = 0; i < count; i++) {
        requests[i].aov = kinds[i];
    }
    s->def.aovs = requests;
    s->def.aov_count = count;
    ck_assert_msg(mrw_render(s->renderer, &s->def, s->instances, 2, threads, &s->picture, &error) ==
                      MRW_OK,
                  "%s", error.text);
    s->def.aovs = NULL;
    s->def.aov_count = 0;
}

static const float *floats(const stage *s, uint32_t index)
{
    const mrw_image *image = mrw_frame_aov(s->renderer, index);
    ck_assert_ptr_nonnull(image);
    ck_assert_int_eq(image->format, MRW_FORMAT_F32);
    return (const float *)image->pixels;
}

static const uint32_t *numbers(const stage *s, uint32_t index)
{
    const mrw_image *image = mrw_frame_aov(s->renderer, index);
    ck_assert_ptr_nonnull(image);
    ck_assert_int_eq(image->format, MRW_FORMAT_U32);
    ck_assert_uint_eq(image->channels, 1);
    return (const uint32_t *)image->pixels;
}

/* ---- the slow evaluator ---------------------------------------------------------------------- */

typedef struct ray {
    double origin[3], along[3]; /* world space; along the view axis it goes on by 1 */
} ray;

/* Through the centre of pixel (x, y), by view space: x right, y up, looking along -z. */
static ray ray_at(const mrw_camera *camera, int x, int y)
{
    const float *p = camera->view_to_clip.m, *v = camera->world_to_view.m;
    const double cx = (x + 0.5) / WIDTH * 2 - 1, cy = 1 - (y + 0.5) / HEIGHT * 2;
    double from[3] = {0, 0, 0}, along[3] = {0, 0, -1};
    ray r;
    if (camera->orthographic) {
        from[0] = (cx - (double)p[12]) / (double)p[0];
        from[1] = (cy - (double)p[13]) / (double)p[5];
    } else {
        along[0] = (cx + (double)p[8]) / (double)p[0];
        along[1] = (cy + (double)p[9]) / (double)p[5];
    }
    for (int i = 0; i < 3; i++) { /* the transpose of a rotation turns back */
        r.origin[i] = r.along[i] = 0;
        for (int k = 0; k < 3; k++) {
            r.origin[i] += (double)v[4 * i + k] * (from[k] - (double)v[12 + k]);
            r.along[i] += (double)v[4 * i + k] * along[k];
        }
    }
    return r;
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

typedef struct hit {
    uint32_t instance, draw, triangle; /* triangle MRW_NONE: nothing */
    double depth, share[3];
} hit;

/* Solves origin + t along = p0 + b (p1 - p0) + c (p2 - p0) by Cramer's rule. */
static void meet(const ray *r, const float *p0, const float *p1, const float *p2, hit *best,
                 uint32_t instance, uint32_t draw, uint32_t triangle)
{
    double e1[3], e2[3], s[3], h[3], q[3];
    for (int i = 0; i < 3; i++) {
        e1[i] = (double)p1[i] - (double)p0[i];
        e2[i] = (double)p2[i] - (double)p0[i];
        s[i] = r->origin[i] - (double)p0[i];
    }
    cross(r->along, e2, h);
    cross(s, e1, q);
    const double det = dot(e1, h);
    const double b = dot(s, h) / det, c = dot(r->along, q) / det, t = dot(e2, q) / det;
    if (b >= 0 && c >= 0 && b + c <= 1 && t > 0 && t < best->depth) {
        *best = (hit){instance, draw, triangle, t, {1 - b - c, b, c}};
    }
}

/* The test models are closed or seen from both sides, so that no side has to be left out. */
static hit look(const stage *s, const mrw_posed_instance *posed, const ray *r)
{
    hit best = {.triangle = MRW_NONE, .depth = INFINITY};
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t d = 0; d < s->scene->draws_count; d++) {
            const mrw_mesh *mesh = &s->scene->meshes[s->scene->draws[d].mesh];
            const float *p = posed[i].draws[d].positions;
            for (uint32_t t = 0; t < mesh->triangle_count; t++) {
                const uint32_t *corner = s->scene->indices + mesh->first_index + 3 * (size_t)t;
                meet(r, p + 4 * (size_t)corner[0], p + 4 * (size_t)corner[1],
                     p + 4 * (size_t)corner[2], &best, i, d, t);
            }
        }
    }
    return best;
}

/* The mean of a vertex' floats at a hit. */
static double mean_of(const stage *s, const hit *h, const float *values, size_t stride, size_t k)
{
    const mrw_mesh *mesh = &s->scene->meshes[s->scene->draws[h->draw].mesh];
    const uint32_t *corner = s->scene->indices + mesh->first_index + 3 * (size_t)h->triangle;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += h->share[i] * (double)values[stride * corner[i] + k];
    }
    return sum;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void check_near(double got, double wanted)
{
    const double error = fabs(got - wanted), size = fabs(wanted) > 1 ? fabs(wanted) : 1;
    ck_assert_msg(error <= 2e-5 * size, "%.9g, not %.9g", got, wanted);
}

/* Passes that follow from the triangle, in the order of `kinds` below. */
enum { DEPTH, DISTANCE, POSITION, ID, TRIANGLE, BARYCENTRIC, KINDS };

static void check_pixel(const stage *s, const mrw_posed_instance *posed, const ray *r, const hit *h,
                        int pixel)
{
    check_near((double)floats(s, DEPTH)[pixel], h->depth);
    check_near((double)floats(s, DISTANCE)[pixel], h->depth * sqrt(dot(r->along, r->along)));
    for (size_t k = 0; k < 3; k++) {
        check_near((double)floats(s, POSITION)[3 * pixel + (int)k],
                   mean_of(s, h, posed[h->instance].draws[h->draw].positions, 4, k));
        const double share = (double)floats(s, BARYCENTRIC)[3 * pixel + (int)k];
        ck_assert_msg(fabs(share - h->share[k]) < 2e-4, "%g, not %g", share, h->share[k]);
    }
}

static void check_all(const char *model, bool orthographic)
{
    static const mrw_aov kinds[KINDS] = {MRW_AOV_DEPTH, MRW_AOV_DISTANCE, MRW_AOV_POSITION,
                                         MRW_AOV_ID,    MRW_AOV_TRIANGLE, MRW_AOV_BARYCENTRIC};
    const mrw_posed_instance *posed;
    stage s;
    int seen = 0, other = 0;
    open_stage(&s, model, orthographic);
    draw(&s, kinds, KINDS, 2);
    ck_assert_int_eq(mrw_pose_instances(s.other, s.instances, 2, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    for (int p = 0; p < PIXELS; p += 7) {
        const ray r = ray_at(&s.def.camera, p % WIDTH, p / WIDTH);
        const hit h = look(&s, posed, &r);
        const uint32_t id =
            h.triangle == MRW_NONE ? 0 : h.instance * s.scene->draws_count + h.draw + 1;
        const uint32_t triangle = h.triangle == MRW_NONE ? 0 : h.triangle + 1;
        seen += id > 0;
        if (numbers(&s, ID)[p] != id || numbers(&s, TRIANGLE)[p] != triangle) {
            other++; /* an edge passes within 1/256 of a pixel */
        } else if (id > 0) {
            check_pixel(&s, posed, &r, &h, p);
        } else {
            ck_assert(isinf(floats(&s, DEPTH)[p]) && floats(&s, POSITION)[3 * p] == 0.0f);
        }
    }
    ck_assert_int_gt(seen, 60);
    ck_assert_msg(other * 50 <= seen, "%d of %d", other, seen);
    close_stage(&s);
}

START_TEST(numbers_are_those_of_the_ray_through_the_centre)
{
    check_all("demo:figure", false);
    check_all("demo:figure", true);
    check_all("demo:tentacle", false);
}
END_TEST

/* u = (K p)_x / w of the world's point, and the way back. */
START_TEST(positions_follow_from_depth_and_k)
{
    for (int orthographic = 0; orthographic < 2; orthographic++) {
        static const mrw_aov kinds[] = {MRW_AOV_DEPTH, MRW_AOV_POSITION};
        stage s;
        open_stage(&s, "demo:figure", orthographic != 0);
        draw(&s, kinds, 2, 1);
        const mrw_intrinsics c = mrw_frame_intrinsics(s.renderer);
        const double *m = c.world_to_camera;
        ck_assert_int_eq(c.orthographic, orthographic);
        for (int i = 0; i < PIXELS; i++) {
            const double z = (double)floats(&s, 0)[i], w = orthographic ? 1 : z;
            const double at[3] = {(i % WIDTH + 0.5 - c.k[2]) / c.k[0] * w,
                                  ((double)(i / WIDTH) + 0.5 - c.k[5]) / c.k[4] * w, z};
            for (int k = 0; k < 3 && !isinf(z); k++) {
                const double world =
                    m[k] * (at[0] - m[3]) + m[4 + k] * (at[1] - m[7]) + m[8 + k] * (at[2] - m[11]);
                const double error = fabs((double)floats(&s, 1)[3 * i + k] - world);
                ck_assert_msg(error <= 2.5e-7 * (z + fabs(world)), "off by %g at %g", error, z);
            }
        }
        close_stage(&s);
    }
}
END_TEST

/* The vertices of the last picture serve another one, from another side. */
START_TEST(the_same_pose_is_not_skinned_again)
{
    static const mrw_aov kinds[] = {MRW_AOV_DEPTH, MRW_AOV_ID};
    stage s, other;
    open_stage(&s, "demo:figure", false);
    open_stage(&other, "demo:figure", true);
    draw(&s, kinds, 2, 1);
    const uint64_t skins = mrwi_frame_counts.skins, plays = mrwi_frame_counts.plays;
    mrw_instance copies[2] = {s.instances[0], s.instances[1]}; /* elsewhere in memory */
    memset(s.instances, 0, sizeof s.instances);
    memcpy(s.instances, copies, sizeof copies);
    s.def.camera = other.def.camera;
    s.def.same_pose = true;
    draw(&s, kinds, 2, 1);
    ck_assert_uint_eq(mrwi_frame_counts.skins, skins);
    ck_assert_uint_eq(mrwi_frame_counts.plays, plays);
    draw(&other, kinds, 2, 1);
    ck_assert_mem_eq(s.picture.pixels, other.picture.pixels, (size_t)PIXELS * 3);
    ck_assert_mem_eq(floats(&s, 0), floats(&other, 0), PIXELS * sizeof(float));
    ck_assert_mem_eq(numbers(&s, 1), numbers(&other, 1), PIXELS * sizeof(uint32_t));
    close_stage(&s);
    close_stage(&other);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("aov");
    TCase *tc = tcase_create("aov");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, numbers_are_those_of_the_ray_through_the_centre);
    tcase_add_test(tc, positions_follow_from_depth_and_k);
    tcase_add_test(tc, the_same_pose_is_not_skinned_again);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
