/* test_aov.c: passes against a slow evaluator of this file's own: a ray through the pixel's centre
 * against all triangles of all instances, in double precision. */
#include "scene_fixture.h"

#include "frame/frame.h"

#include <marrow/legend.h>
#include <marrow/load.h>

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
    const char *joint; /* of weights */
} stage;

static void open_scene(stage *s, mrw_scene *scene, bool orthographic, mrw_shading shading)
{
    const float aspect = (float)WIDTH / (float)HEIGHT;
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    *s = (stage){.scene = scene};
    ck_assert_int_eq(mrw_model_create(s->scene, shading, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->other, NULL), MRW_OK);
    s->instances[0] = s->instances[1] = mrw_instance_default(s->model);
    s->instances[0].time = 0.3;
    s->instances[1].time = 0.7;
    s->instances[1].model_to_world.m[12] = 1.0f;
    view.orthographic = orthographic;
    view.margin = 0.05f;
    s->def = mrw_frame_def_default();
    s->def.width = WIDTH;
    s->def.height = HEIGHT;
    s->def.shading = shading;
    ck_assert_int_eq(mrw_frame_extents(s->instances, 2, MRW_FIT_FRAME, &view, aspect, MRW_ISA_AUTO,
                                       1, &extents, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, aspect, &s->def.camera, NULL), MRW_OK);
}

static void open_shaded(stage *s, const char *model, bool orthographic, mrw_shading shading)
{
    mrw_scene *scene;
    ck_assert_int_eq(mrw_load_file(model, NULL, &scene, NULL), MRW_OK);
    open_scene(s, scene, orthographic, shading);
}

static void open_stage(stage *s, const char *model, bool orthographic)
{
    open_shaded(s, model, orthographic, MRW_SHADING_LIT);
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
        requests[i] = (mrw_aov_request){kinds[i], s->joint};
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

/* Through a point of the picture, by view space: x right, y up, looking along -z. */
static ray ray_through(const mrw_camera *camera, double x, double y)
{
    const float *p = camera->view_to_clip.m, *v = camera->world_to_view.m;
    const double cx = x / WIDTH * 2 - 1, cy = 1 - y / HEIGHT * 2;
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

/* Through the centre of pixel (x, y). */
static ray ray_at(const mrw_camera *camera, int x, int y)
{
    return ray_through(camera, x + 0.5, y + 0.5);
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

/* Solves origin + t along = p0 + b (p1 - p0) + c (p2 - p0) by Cramer's rule. side: of the
 * determinant, where only triangles that face the eye are there; 0: all are. */
static void meet(const ray *r, const float *p0, const float *p1, const float *p2, int side,
                 hit *best, uint32_t instance, uint32_t draw, uint32_t face)
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
    if (b >= 0 && c >= 0 && b + c <= 1 && t > 0 && t < best->depth && det * side >= 0) {
        *best = (hit){instance, draw, face, t, {1 - b - c, b, c}};
    }
}

static bool is_opaque(const mrw_scene *scene, uint32_t draw)
{
    const uint32_t material = scene->meshes[scene->draws[draw].mesh].material;
    return material == MRW_NONE || scene->materials[material].alpha_mode == MRW_ALPHA_OPAQUE;
}

static bool has_two_sides(const mrw_scene *scene, uint32_t draw)
{
    const uint32_t material = scene->meshes[scene->draws[draw].mesh].material;
    return material != MRW_NONE &&
           (scene->materials[material].flags & MRW_MATERIAL_DOUBLE_SIDED) != 0;
}

/* The nearest opaque surface. */
static hit look(const stage *s, const mrw_posed_instance *posed, const ray *r)
{
    hit best = {.triangle = MRW_NONE, .depth = INFINITY};
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t d = 0; d < s->scene->draws_count; d++) {
            const mrw_mesh *mesh = &s->scene->meshes[s->scene->draws[d].mesh];
            const float *p = posed[i].draws[d].positions;
            const int side = has_two_sides(s->scene, d) ? 0 : posed[i].draws[d].mirrored ? -1 : 1;
            for (uint32_t t = 0; t < mesh->triangle_count && is_opaque(s->scene, d); t++) {
                const uint32_t *corner = s->scene->indices + mesh->first_index + 3 * (size_t)t;
                meet(r, p + 4 * (size_t)corner[0], p + 4 * (size_t)corner[1],
                     p + 4 * (size_t)corner[2], side, &best, i, d, t);
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
enum { DEPTH, DISTANCE, POSITION, ID, TRIANGLE, BARYCENTRIC, UV, MATERIAL, JOINT, WEIGHTS, KINDS };
static const mrw_aov kinds[KINDS] = {
    MRW_AOV_DEPTH,       MRW_AOV_DISTANCE, MRW_AOV_POSITION, MRW_AOV_ID,    MRW_AOV_TRIANGLE,
    MRW_AOV_BARYCENTRIC, MRW_AOV_UV,       MRW_AOV_MATERIAL, MRW_AOV_JOINT, MRW_AOV_WEIGHTS};

/* How much a hit follows each node of the scene, by the influences as the scene has them. */
static void find_pull(const stage *s, const hit *h, double *pull)
{
    const mrw_draw *draw = &s->scene->draws[h->draw];
    const mrw_mesh *mesh = &s->scene->meshes[draw->mesh];
    const uint32_t *corner = s->scene->indices + mesh->first_index + 3 * (size_t)h->triangle;
    memset(pull, 0, s->scene->nodes_count * sizeof *pull);
    for (int i = 0; i < 3 && draw->skin != MRW_NONE; i++) {
        for (uint32_t g = 0; g < mesh->group_count; g++) {
            const mrw_influence_group *group = &s->scene->groups[mesh->first_group + g];
            const uint32_t v = corner[i] - group->first_vertex, n = group->influence_count;
            for (uint32_t k = 0; v < group->vertex_count && k < n; k++) {
                const size_t at = group->first_influence + (size_t)v * n + k;
                const uint32_t joint = s->scene->influence_joints[at];
                const uint32_t first = s->scene->skins[draw->skin].first_joint;
                pull[s->scene->joints[first + joint]] +=
                    h->share[i] * (double)s->scene->influence_weights[at];
            }
        }
    }
}

static void check_joints(const stage *s, const hit *h, int pixel)
{
    double pull[256], named = 0, most = 0, second = 0;
    uint32_t best = 0;
    ck_assert_uint_le(s->scene->nodes_count, 256);
    find_pull(s, h, pull);
    for (uint32_t n = 0; n < s->scene->nodes_count; n++) {
        if (pull[n] > most) {
            second = most;
            most = pull[n];
            best = n + 1;
        } else if (pull[n] > second) {
            second = pull[n];
        }
        const char *name = mrw_scene_string(s->scene, s->scene->nodes[n].name);
        named += strcmp(name, s->joint) == 0 ? pull[n] : 0;
    }
    ck_assert(fabs((double)floats(s, WEIGHTS)[pixel] - named) < 2e-4);
    if (most - second > 1e-3 || most == 0) {
        ck_assert_uint_eq(numbers(s, JOINT)[pixel], best);
    }
}

static void check_pixel(const stage *s, const mrw_posed_instance *posed, const ray *r, const hit *h,
                        int pixel)
{
    const mrw_mesh *mesh = &s->scene->meshes[s->scene->draws[h->draw].mesh];
    check_near((double)floats(s, DEPTH)[pixel], h->depth);
    check_near((double)floats(s, DISTANCE)[pixel], h->depth * sqrt(dot(r->along, r->along)));
    for (size_t k = 0; k < 3; k++) {
        check_near((double)floats(s, POSITION)[3 * pixel + (int)k],
                   mean_of(s, h, posed[h->instance].draws[h->draw].positions, 4, k));
        const double share = (double)floats(s, BARYCENTRIC)[3 * pixel + (int)k];
        ck_assert_msg(fabs(share - h->share[k]) < 2e-4, "%g, not %g", share, h->share[k]);
    }
    for (size_t k = 0; k < 2; k++) {
        const double uv = mesh->uv[0] == MRW_NONE
                              ? 0
                              : mean_of(s, h, s->scene->uvs + 2 * (size_t)mesh->uv[0], 2, k);
        ck_assert(fabs((double)floats(s, UV)[2 * pixel + (int)k] - uv) < 2e-4);
    }
    ck_assert_uint_eq(
        numbers(s, MATERIAL)[pixel],
        1 + (mesh->material == MRW_NONE ? s->scene->materials_count : mesh->material));
    check_joints(s, h, pixel);
}

static void check_all(const char *model, const char *joint, bool orthographic)
{
    const mrw_posed_instance *posed;
    stage s;
    int seen = 0, other = 0, pulled = 0;
    open_stage(&s, model, orthographic);
    s.joint = joint;
    draw(&s, kinds, KINDS, 2);
    ck_assert_int_eq(mrw_pose_instances(s.other, s.instances, 2, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    for (int p = 0; p < PIXELS; p += 7) {
        const ray r = ray_at(&s.def.camera, p % WIDTH, p / WIDTH);
        const hit h = look(&s, posed, &r);
        const bool hits = h.triangle != MRW_NONE;
        const uint32_t id = hits ? h.instance * s.scene->draws_count + h.draw + 1 : 0;
        const uint32_t face = hits ? h.triangle + 1 : 0;
        seen += id > 0;
        if (numbers(&s, ID)[p] != id || numbers(&s, TRIANGLE)[p] != face) {
            other++; /* an edge passes within 1/256 of a pixel */
        } else if (id > 0) {
            check_pixel(&s, posed, &r, &h, p);
            pulled += floats(&s, WEIGHTS)[p] > 0.1f;
        } else {
            ck_assert(isinf(floats(&s, DEPTH)[p]) && isinf(floats(&s, DISTANCE)[p]));
            ck_assert(floats(&s, POSITION)[3 * p] == 0.0f && floats(&s, WEIGHTS)[p] == 0.0f);
            ck_assert_uint_eq(numbers(&s, MATERIAL)[p] | numbers(&s, JOINT)[p], 0);
        }
    }
    ck_assert_int_gt(seen, 60);
    ck_assert_int_gt(pulled, 0);
    ck_assert_msg(other * 50 <= seen, "%d of %d", other, seen);
    close_stage(&s);
}

START_TEST(numbers_are_those_of_the_ray_through_the_centre)
{
    check_all("demo:figure", "upperarm.L", false);
    check_all("demo:figure", "head", true);
    check_all("demo:tentacle", "joint_03", false);
}
END_TEST

/* Of all models that the goldens show: which triangle is seen. What lies before the nearest opaque
 * surface must be masked or blended. */
static void check_ids(const char *model)
{
    const mrw_posed_instance *posed;
    stage s;
    int seen = 0, other = 0;
    open_stage(&s, model, false);
    s.instances[1].model_to_world.m[13] =
        0.01f; /* grounds in one plane hide each other by chance */
    s.joint = "none";
    draw(&s, kinds, KINDS, 1);
    ck_assert_int_eq(mrw_pose_instances(s.other, s.instances, 2, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    for (int p = 0; p < PIXELS; p += 13) {
        const ray r = ray_at(&s.def.camera, p % WIDTH, p / WIDTH);
        const hit h = look(&s, posed, &r);
        const bool hits = h.triangle != MRW_NONE;
        const uint32_t id = numbers(&s, ID)[p];
        if (id > 0 && !is_opaque(s.scene, (id - 1) % s.scene->draws_count)) {
            ck_assert_double_le((double)floats(&s, DEPTH)[p], h.depth + 1e-4);
            continue;
        }
        seen += id > 0;
        other += id != (hits ? h.instance * s.scene->draws_count + h.draw + 1 : 0) ||
                 numbers(&s, TRIANGLE)[p] != (hits ? h.triangle + 1 : 0);
    }
    ck_assert_int_gt(seen, 20);
    ck_assert_msg(other * 50 <= seen, "%s: %d of %d", model, other, seen);
    close_stage(&s);
}

START_TEST(ids_are_those_of_the_ray_through_the_centre)
{
    check_ids("demo:blob");
    check_ids("demo:stage");
    check_ids("demo:swatches");
    check_ids("assets/moon/moon.glb");
}
END_TEST

/* u = (K p)_x / w of the world's point, and the way back. */
START_TEST(positions_follow_from_depth_and_k)
{
    for (int orthographic = 0; orthographic < 2; orthographic++) {
        static const mrw_aov two[] = {MRW_AOV_DEPTH, MRW_AOV_POSITION};
        stage s;
        open_stage(&s, "demo:figure", orthographic != 0);
        draw(&s, two, 2, 1);
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

/* ---- normals and colours --------------------------------------------------------------------- */

/* Of vertices without maps: the mean of the corners' normals, turned to the eye. */
START_TEST(normals_are_of_the_seen_side)
{
    static const mrw_aov three[] = {MRW_AOV_NORMAL, MRW_AOV_ID, MRW_AOV_TRIANGLE};
    static const mrw_shading modes[] = {MRW_SHADING_LIT, MRW_SHADING_CLAY, MRW_SHADING_RAW};
    for (int m = 0; m < 3; m++) {
        const mrw_posed_instance *posed;
        int checked = 0;
        stage s;
        open_shaded(&s, "demo:figure", false, modes[m]);
        draw(&s, three, 3, 1);
        ck_assert_int_eq(mrw_pose_instances(s.other, s.instances, 2, MRW_ISA_AUTO, &posed, NULL),
                         MRW_OK);
        for (int p = 0; p < PIXELS; p += 5) {
            const ray r = ray_at(&s.def.camera, p % WIDTH, p / WIDTH);
            const hit h = look(&s, posed, &r);
            const float *got = floats(&s, 0) + 3 * p;
            double n[3];
            if (numbers(&s, 1)[p] == 0) {
                ck_assert(got[0] == 0.0f && got[1] == 0.0f && got[2] == 0.0f);
                continue;
            }
            const double length =
                sqrt((double)got[0] * (double)got[0] + (double)got[1] * (double)got[1] +
                     (double)got[2] * (double)got[2]);
            ck_assert(fabs(length - 1) < 1e-6);
            if (h.triangle == MRW_NONE || numbers(&s, 2)[p] != h.triangle + 1) {
                continue;
            }
            for (size_t k = 0; k < 3; k++) {
                n[k] = mean_of(&s, &h, posed[h.instance].draws[h.draw].normals, 4, k);
            }
            const double scale = 1 / sqrt(dot(n, n));
            for (int k = 0; k < 3; k++) {
                const double error = fabs((double)got[k] - n[k] * scale);
                ck_assert_msg(error < 1.5e-2, "(%d, %d) %d: off by %g", p % WIDTH, p / WIDTH, k,
                              error);
            }
            checked++;
        }
        ck_assert_int_gt(checked, 100);
        close_stage(&s);
    }
}
END_TEST

static double encoded(double x)
{
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

/* What the picture becomes of them, to a byte's rounding. */
static void check_colors(const stage *s, bool transparent)
{
    const uint32_t channels = transparent ? 4 : 3;
    for (int p = 0; p < PIXELS; p++) {
        const float *c = floats(s, 0) + 4 * p;
        const double coverage = (double)floats(s, 1)[p];
        ck_assert(coverage >= 0 && coverage <= 1 && coverage * 4 == floor(coverage * 4));
        ck_assert((double)c[3] == (transparent ? coverage : 1));
        const uint8_t *bytes = s->picture.pixels + (size_t)p * channels;
        for (int k = 0; k < 3; k++) {
            const double straight = c[3] > 0.0f ? (double)c[k] / (double)c[3] : 0;
            ck_assert_msg(fabs(encoded(straight) * 255 - bytes[k]) < 0.51 || coverage < 1,
                          "(%d, %d): %g, not %d", p % WIDTH, p / WIDTH, encoded(straight) * 255,
                          bytes[k]);
            ck_assert(fabs(encoded(straight) * 255 - bytes[k]) < 1.01);
        }
        ck_assert(!transparent || fabs(coverage * 255 - bytes[3]) <= 0.5);
    }
}

START_TEST(colours_are_the_pictures_before_the_bytes)
{
    static const mrw_aov two[] = {MRW_AOV_COLOR, MRW_AOV_COVERAGE};
    for (int transparent = 0; transparent < 2; transparent++) {
        mrw_image alone = {0};
        stage s;
        open_stage(&s, "demo:figure", false);
        s.def.tonemap = MRW_TONEMAP_NONE;
        s.def.exposure = 0.7f;
        s.def.transparent = transparent != 0;
        draw(&s, two, 2, 1);
        check_colors(&s, transparent != 0);
        ck_assert_int_eq(mrw_render(s.other, &s.def, s.instances, 2, 1, &alone, NULL), MRW_OK);
        ck_assert_mem_eq(alone.pixels, s.picture.pixels, (size_t)PIXELS * (transparent ? 4 : 3));
        float *first = malloc((size_t)PIXELS * 16);
        memcpy(first, floats(&s, 0), (size_t)PIXELS * 16);
        s.def.no_picture = true;
        mrw_image_free(&s.picture);
        draw(&s, two, 2, 1);
        ck_assert_ptr_null(s.picture.pixels);
        ck_assert_mem_eq(first, floats(&s, 0), (size_t)PIXELS * 16);
        free(first);
        mrw_image_free(&alone);
        close_stage(&s);
    }
}
END_TEST

/* Base colours alone are what unlit pictures show, sample by sample. */
START_TEST(albedo_is_what_unlit_pictures_show)
{
    static const mrw_aov three[] = {MRW_AOV_ALBEDO, MRW_AOV_COLOR, MRW_AOV_ID};
    stage s, lit;
    int seen = 0;
    open_shaded(&s, "demo:figure", false, MRW_SHADING_UNLIT);
    open_stage(&lit, "demo:figure", false);
    s.def.samples = 1;
    draw(&s, three, 3, 1);
    draw(&lit, three, 1, 1);
    for (int p = 0; p < PIXELS; p++) {
        for (int k = 0; k < 3 && numbers(&s, 2)[p] > 0; k++) {
            ck_assert(floats(&s, 0)[3 * p + k] == floats(&s, 1)[4 * p + k]);
            seen++;
        }
    }
    ck_assert_int_gt(seen, 1000);
    ck_assert_mem_eq(floats(&s, 0), floats(&lit, 0), (size_t)PIXELS * 12);
    close_stage(&s);
    close_stage(&lit);
}
END_TEST

/* ---- flow ------------------------------------------------------------------------------------ */

static mrw_camera camera_from(const stage *s, float azimuth)
{
    const float aspect = (float)WIDTH / (float)HEIGHT;
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    mrw_camera camera;
    view.azimuth_degrees = azimuth;
    view.orthographic = s->def.camera.orthographic;
    ck_assert_int_eq(mrw_frame_extents(s->instances, 2, MRW_FIT_FRAME, &view, aspect, MRW_ISA_AUTO,
                                       1, &extents, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, aspect, &camera, NULL), MRW_OK);
    return camera;
}

/* Where a point of the world lies in a picture; returns its depth. */
static double project(const mrw_camera *camera, const double *point, double *u, double *v)
{
    const float *w = camera->world_to_view.m, *p = camera->view_to_clip.m;
    double view[4] = {0, 0, 0, 1}, clip[4];
    for (int i = 0; i < 3; i++) {
        view[i] = (double)w[i] * point[0] + (double)w[4 + i] * point[1] +
                  (double)w[8 + i] * point[2] + (double)w[12 + i];
    }
    for (int i = 0; i < 4; i++) {
        clip[i] = (double)p[i] * view[0] + (double)p[4 + i] * view[1] + (double)p[8 + i] * view[2] +
                  (double)p[12 + i];
    }
    *u = (clip[0] / clip[3] + 1) / 2 * WIDTH;
    *v = (1 - clip[1] / clip[3]) / 2 * HEIGHT;
    return -view[2];
}

/* The eye's ray to a point of the picture that need not be a centre. */
static ray ray_to(const mrw_camera *camera, double u, double v)
{
    const ray r = ray_at(camera, 0, 0), across = ray_at(camera, 1, 0), down = ray_at(camera, 0, 1);
    ray out;
    for (int i = 0; i < 3; i++) {
        out.origin[i] = r.origin[i] + (u - 0.5) * (across.origin[i] - r.origin[i]) +
                        (v - 0.5) * (down.origin[i] - r.origin[i]);
        out.along[i] = r.along[i] + (u - 0.5) * (across.along[i] - r.along[i]) +
                       (v - 0.5) * (down.along[i] - r.along[i]);
    }
    return out;
}

/* Vertices of the picture at another time. */
static const mrw_posed_instance *pose_at(stage *s, mrw_renderer *renderer, double time)
{
    const mrw_posed_instance *posed;
    mrw_instance instances[2] = {s->instances[0], s->instances[1]};
    instances[0].time = instances[1].time = time;
    ck_assert_int_eq(mrw_pose_instances(renderer, instances, 2, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    return posed;
}

/* Whether a picture has an id at a pixel or beside it: an edge may pass between the point and the
 * pixel's centre. */
static bool shows_nearby(const stage *s, int x, int y, uint32_t id)
{
    bool shows = false;
    for (int i = 0; i < 9; i++) {
        const int at_x = x + i % 3 - 1, at_y = y + i / 3 - 1;
        shows = shows || (at_x >= 0 && at_y >= 0 && at_x < WIDTH && at_y < HEIGHT &&
                          numbers(s, 0)[at_y * WIDTH + at_x] == id);
    }
    return shows;
}

static void check_flow(bool forward, bool orthographic)
{
    static const mrw_aov ways[2] = {MRW_AOV_FLOW_BACKWARD, MRW_AOV_FLOW_FORWARD};
    const mrw_aov three[] = {ways[forward], MRW_AOV_ID, MRW_AOV_TRIANGLE};
    const mrw_aov id[] = {MRW_AOV_ID};
    mrw_renderer *renderer;
    stage s, there;
    int seen = 0, hidden = 0, same = 0, near = 0, alike = 0, checked = 0;
    open_stage(&s, "demo:figure", orthographic);
    open_stage(&there, "demo:figure", orthographic);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    const mrw_frame_neighbour neighbour = {true, 0.5, camera_from(&s, 42)};
    *(forward ? &s.def.next : &s.def.last) = neighbour;
    draw(&s, three, 3, 2);
    there.def.camera = neighbour.camera;
    there.instances[0].time = there.instances[1].time = neighbour.time;
    draw(&there, id, 1, 1);
    const mrw_posed_instance *now, *then = pose_at(&s, renderer, neighbour.time);
    ck_assert_int_eq(mrw_pose_instances(s.other, s.instances, 2, MRW_ISA_AUTO, &now, NULL), MRW_OK);
    for (int p = 0; p < PIXELS; p += 3) {
        const float *flow = floats(&s, 0) + 3 * p;
        const ray r = ray_at(&s.def.camera, p % WIDTH, p / WIDTH);
        const hit h = look(&s, now, &r);
        double point[3], u, v;
        if (numbers(&s, 1)[p] == 0) {
            ck_assert(flow[0] == 0.0f && flow[1] == 0.0f && flow[2] == 0.0f);
            continue;
        }
        if (h.triangle == MRW_NONE || numbers(&s, 2)[p] != h.triangle + 1) {
            continue;
        }
        for (size_t k = 0; k < 3; k++) {
            point[k] = mean_of(&s, &h, then[h.instance].draws[h.draw].positions, 4, k);
        }
        const double depth = project(&neighbour.camera, point, &u, &v);
        ck_assert(fabs((double)flow[0] - (u - (p % WIDTH + 0.5))) < 2e-3);
        ck_assert(fabs((double)flow[1] - (v - ((double)(p / WIDTH) + 0.5))) < 2e-3);
        const ray back = ray_to(&neighbour.camera, u, v);
        const bool shown = u >= 0 && v >= 0 && u < WIDTH && v < HEIGHT &&
                           look(&there, then, &back).depth > depth * 0.99;
        checked++;
        alike += shown == (flow[2] == 1.0f);
        hidden += flow[2] == 0.0f;
        if (flow[2] == 1.0f) {
            const int q = (int)v * WIDTH + (int)u;
            seen++;
            same += numbers(&there, 0)[q] == numbers(&s, 1)[p];
            near += shows_nearby(&there, (int)u, (int)v, numbers(&s, 1)[p]);
        }
    }
    ck_assert_int_gt(seen, 200);
    ck_assert_int_gt(hidden, 30);
    ck_assert_msg(alike * 100 >= checked * 96, "%d of %d as a ray says", alike, checked);
    ck_assert_msg(same * 100 >= seen * 90, "%d of %d ids", same, seen);
    ck_assert_msg(near * 100 >= seen * 99, "%d of %d ids nearby", near, seen);
    mrw_renderer_free(renderer);
    close_stage(&s);
    close_stage(&there);
}

START_TEST(flow_leads_to_the_same_point)
{
    check_flow(true, false);
    check_flow(false, true);
}
END_TEST

#define FRAMES 4

typedef struct flows {
    float at[FRAMES][2][PIXELS * 3];
} flows;
static flows of_sequence, of_frames;

static mrw_status keep_flow(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    flows *out = user;
    (void)error;
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(out->at[frame->index][i], mrw_frame_aov(frame->renderer, i)->pixels,
               sizeof out->at[0][0]);
    }
    return MRW_OK;
}

/* Pictures of a sequence know those before and behind; at its ends a frame is one of their rate;
 * two that are alike may move on differently. */
START_TEST(sequences_know_their_neighbours)
{
    static const mrw_aov_request both[] = {{MRW_AOV_FLOW_FORWARD, NULL},
                                           {MRW_AOV_FLOW_BACKWARD, NULL}};
    const double times[FRAMES] = {0.1, 0.2, 0.2, 0.4};
    mrw_camera cameras[FRAMES];
    stage s;
    open_stage(&s, "demo:figure", false);
    for (int i = 0; i < FRAMES; i++) {
        cameras[i] = camera_from(&s, (float)(30 + 2 * (i / 3)));
    }
    s.def.aovs = both;
    s.def.aov_count = 2;
    s.def.cameras = cameras;
    s.instances[0].rate = s.instances[1].rate = (mrw_rate){20, 1};
    ck_assert_int_eq(mrw_render_sequence(&s.def, s.instances, 2, times, FRAMES, 2, keep_flow,
                                         &of_sequence, NULL),
                     MRW_OK);
    s.def.cameras = NULL;
    for (uint32_t i = 0; i < FRAMES; i++) {
        mrw_sequence_frame frame = {.index = i, .renderer = s.renderer};
        s.instances[0].time = s.instances[1].time = times[i];
        s.def.camera = cameras[i];
        s.def.last = i > 0 ? (mrw_frame_neighbour){true, times[i - 1], cameras[i - 1]}
                           : (mrw_frame_neighbour){true, times[0] - 1.0 / 20, cameras[0]};
        s.def.next = i + 1 < FRAMES ? (mrw_frame_neighbour){true, times[i + 1], cameras[i + 1]}
                                    : (mrw_frame_neighbour){true, times[i] + 1.0 / 20, cameras[i]};
        ck_assert_int_eq(mrw_render(s.renderer, &s.def, s.instances, 2, 1, &s.picture, NULL),
                         MRW_OK);
        keep_flow(&of_frames, &frame, NULL);
    }
    ck_assert_mem_eq(&of_sequence, &of_frames, sizeof of_frames);
    double still = 0, moving = 0;
    for (int i = 0; i < PIXELS * 3; i++) {
        still += i % 3 < 2 ? fabs((double)of_frames.at[1][0][i]) : 0;
        moving += i % 3 < 2 ? fabs((double)of_frames.at[2][0][i]) : 0;
    }
    ck_assert(still < 1e-2 && moving > 10);
    close_stage(&s);
}
END_TEST

/* ---- Cryptomatte ----------------------------------------------------------------------------- */

/* Hashes as other programs have them; an exponent of all ones or none loses or gets a bit. */
START_TEST(ids_are_the_hashes_of_names)
{
    ck_assert_uint_eq(mrw_crypto_id("hello"), 0x248bfa47u);
    ck_assert_uint_eq(mrw_crypto_id("hello, world"), 0x149bbb7fu);
    ck_assert_uint_eq(mrw_crypto_id("The quick brown fox jumps over the lazy dog"), 0x2e4ff723u);
    ck_assert_uint_eq(mrw_crypto_id(""), 0x00800000u); /* of 0 */
    for (int i = 0; i < 100000; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        const uint32_t id = mrw_crypto_id(name), exponent = id >> 23 & 255;
        ck_assert(exponent > 0 && exponent < 255);
    }
}
END_TEST

/* What the reference decoder's own tests expect (github.com/Psyop/Cryptomatte,
 * cryptomatte_utilities_tests.py), with as many digits as they give. */
START_TEST(ids_are_the_published_ones)
{
    static const struct {
        const char *name;
        double id;
    } published[] = {
        {"hello", 6.0705627102400005616e-17},
        {"cube", -4.08461912519e+15},
        {"sphere", 2.79018604383e+15},
        {"plane", 3.66557617593e-11},
        {"\xd1\x80\xd0\xb0\xd0\xb2\xd0\xbd\xd0\xb8\xd0\xbd\xd0\xb0", -1.3192631212399999468e-25},
        {"m\xc3\xa4"
         "dchen",
         6.2361298211599995797e+25}};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const uint32_t id = mrw_crypto_id(published[i].name);
        float value;
        memcpy(&value, &id, sizeof value);
        ck_assert_double_eq_tol((double)value / published[i].id, 1.0, 1e-11);
    }
}
END_TEST

START_TEST(names_are_all_different)
{
    mrw_crypto_names objects, materials;
    stage s;
    open_stage(&s, "demo:figure", false);
    ck_assert_int_eq(mrw_frame_crypto_names(s.instances, 2, MRW_AOV_CRYPTO_OBJECT, &objects, NULL),
                     MRW_OK);
    ck_assert_int_eq(
        mrw_frame_crypto_names(s.instances, 2, MRW_AOV_CRYPTO_MATERIAL, &materials, NULL), MRW_OK);
    ck_assert_uint_eq(objects.draw_count, 10);
    ck_assert_uint_eq(objects.count, 10);
    for (uint32_t i = 0; i < objects.count; i++) {
        const mrw_draw *draw = &s.scene->draws[i % 5];
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%s%s",
                 mrw_scene_string(s.scene, s.scene->nodes[draw->node].name), i < 5 ? "" : "_2");
        ck_assert_str_eq(objects.names[objects.of_draw[i]], wanted);
        ck_assert_uint_eq(objects.ids[i], mrw_crypto_id(objects.names[i]));
    }
    ck_assert_uint_eq(materials.count, 3);
    for (uint32_t i = 0; i < materials.draw_count; i++) {
        const mrw_mesh *mesh = &s.scene->meshes[s.scene->draws[i % 5].mesh];
        ck_assert_str_eq(materials.names[materials.of_draw[i]],
                         mrw_scene_string(s.scene, s.scene->materials[mesh->material].name));
    }
    mrw_crypto_names_free(&objects);
    mrw_crypto_names_free(&materials);
    close_stage(&s);
}
END_TEST

/* Shares add up to the coverage, fall from rank to rank, and lead with what lies at the centre of a
 * pixel that nothing else covers. */
START_TEST(shares_are_those_of_samples)
{
    static const mrw_aov four[] = {MRW_AOV_CRYPTO_OBJECT, MRW_AOV_CRYPTO_MATERIAL, MRW_AOV_COVERAGE,
                                   MRW_AOV_ID};
    mrw_crypto_names names;
    int several = 0;
    stage s;
    open_stage(&s, "demo:figure", false);
    draw(&s, four, 4, 1);
    ck_assert_int_eq(mrw_frame_crypto_names(s.instances, 2, MRW_AOV_CRYPTO_OBJECT, &names, NULL),
                     MRW_OK);
    for (int i = 0; i < 2; i++) {
        for (int p = 0; p < PIXELS; p++) {
            const float *ranks = floats(&s, (uint32_t)i) + 12 * p;
            float sum = 0, last = 1;
            uint32_t bits;
            for (int r = 0; r < 6; r++) {
                const float part = ranks[2 * r + 1];
                ck_assert(part <= last && part * 4 == floorf(part * 4));
                ck_assert_int_eq(part > 0, ranks[2 * r] != 0.0f);
                several += i == 0 && r > 0 && part > 0;
                sum += last = part;
            }
            ck_assert_float_eq(sum, floats(&s, 2)[p]);
            memcpy(&bits, ranks, sizeof bits);
            if (i == 0 && ranks[1] == 1.0f && numbers(&s, 3)[p] > 0) {
                ck_assert_uint_eq(bits, names.ids[names.of_draw[numbers(&s, 3)[p] - 1]]);
            }
        }
    }
    ck_assert_int_gt(several, 30);
    mrw_crypto_names_free(&names);
    close_stage(&s);
}
END_TEST

/* ---- surfaces that blend --------------------------------------------------------------------- */

/* A square, and before it one whose alpha grows from 0 at its left side to 1. */
static mrw_scene *blended_squares(void)
{
    float front[18], colors[6][4];
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input mesh = square_mesh();
    mrwi_scene_builder *b = begin();
    uint32_t index;
    for (int v = 0; v < 6; v++) {
        memcpy(front + 3 * v, square + 3 * v, 2 * sizeof *front);
        front[3 * v + 2] = 0.5f;
        memcpy(colors[v], (float[4]){1, 1, 1, square[3 * v]}, sizeof colors[v]);
    }
    material.alpha_mode = MRW_ALPHA_BLEND;
    ck_assert_int_eq(mrwi_scene_builder_material(b, "glass", &material, &index, NULL), MRW_OK);
    const uint32_t behind = add_node(b, "", MRW_NONE), before = add_node(b, "pane", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, behind, add_mesh(b, &mesh), MRW_NONE, NULL),
                     MRW_OK);
    mesh.positions = front;
    mesh.colors = colors[0];
    mesh.material = index;
    ck_assert_int_eq(mrwi_scene_builder_draw(b, before, add_mesh(b, &mesh), MRW_NONE, NULL),
                     MRW_OK);
    return finish(b);
}

/* Seen straight on, a sixteenth of the square a pixel: the pane is there where its alpha is one
 * half or more. Cryptomatte has as much of it as its alpha, and coverage tells of all of it. */
START_TEST(what_blends_is_there_from_one_half_on)
{
    static const mrw_aov_request five[] = {{MRW_AOV_ID, NULL},
                                           {MRW_AOV_DEPTH, NULL},
                                           {MRW_AOV_COVERAGE, NULL},
                                           {MRW_AOV_CRYPTO_OBJECT, NULL},
                                           {MRW_AOV_MATERIAL, NULL}};
    const mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5f, 0.5f, 5, 1}};
    const mrw_lens lens = {.xmag = 0.5f, .ymag = 0.5f, .near_plane = 1, .far_plane = 10};
    mrw_crypto_names names;
    stage s = {.scene = blended_squares()};
    const uint32_t numbers_of_draws[2] = {40, 7};
    ck_assert_int_eq(mrw_model_create(s.scene, MRW_SHADING_LIT, 1, &s.model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s.renderer, NULL), MRW_OK);
    s.instances[0] = mrw_instance_default(s.model);
    s.def = mrw_frame_def_default();
    s.def.width = s.def.height = 16;
    s.def.aovs = five;
    s.def.aov_count = 5;
    s.def.ids = numbers_of_draws;
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &s.def.camera, NULL), MRW_OK);
    ck_assert_int_eq(mrw_render(s.renderer, &s.def, s.instances, 1, 1, &s.picture, NULL), MRW_OK);
    ck_assert_int_eq(mrw_frame_crypto_names(s.instances, 1, MRW_AOV_CRYPTO_OBJECT, &names, NULL),
                     MRW_OK);
    ck_assert_str_eq(names.names[names.of_draw[0]], "node_0");
    ck_assert_str_eq(names.names[names.of_draw[1]], "pane");
    for (int p = 0; p < 256; p++) {
        const bool pane = p % 16 >= 8;
        uint32_t id;
        ck_assert_uint_eq(numbers(&s, 0)[p], numbers_of_draws[pane]);
        ck_assert_float_eq_tol(floats(&s, 1)[p], pane ? 4.5f : 5.0f, 1e-5f);
        ck_assert_float_eq(floats(&s, 2)[p], 1.0f);
        for (int r = 0; r < 2; r++) {
            const float *rank = floats(&s, 3) + 12 * p + 2 * r;
            const float alpha = ((float)(p % 16) + 0.5f) / 16;
            const bool diagonal = p % 16 + p / 16 == 15; /* shared by two triangles */
            memcpy(&id, rank, sizeof id);
            ck_assert_uint_eq(id, mrw_crypto_id(pane == (r == 0) ? "pane" : "node_0"));
            ck_assert_float_eq_tol(rank[1], pane == (r == 0) ? alpha : 1 - alpha,
                                   diagonal ? 0.01f : 1e-6f);
        }
        ck_assert_float_eq(floats(&s, 3)[12 * p + 5], 0.0f);
        ck_assert_uint_eq(numbers(&s, 4)[p], pane ? 1 : 2);
    }
    mrw_crypto_names_free(&names);
    close_stage(&s);
}
END_TEST

/* ---- layers of Cryptomatte ------------------------------------------------------------------- */

enum { BACK, EVEN, FADE, PRINT, HOLES, FAR, PANES };

/* Of a point of a pane, which lies at (x, y) of the square. */
static double pane_alpha(uint32_t pane, double x, double y)
{
    switch (pane) {
    case BACK:
        return 1;
    case FADE:
        return (double)0.8f * x;
    case PRINT:
        return 102.0 / 255;
    case HOLES:
        return y;
    default:
        return 0.5;
    }
}

static uint32_t pane_material(mrwi_scene_builder *b, uint32_t pane)
{
    static const uint8_t texels[4 * 4] = {255, 0, 0, 102, 0, 255, 0, 102,
                                          0,   0, 9, 102, 9, 9,   9, 102};
    static const char *const names[] = {"solid", "even", "fade", "print", "holes", "even"};
    const mrwi_scene_image_input image = {.name = "dots", .width = 2, .height = 2, .rgba = texels};
    mrw_material material = mrw_material_default();
    mrw_material_map *color = &material.maps[MRW_MAP_BASE_COLOR];
    uint32_t index;
    material.alpha_mode = pane == BACK    ? MRW_ALPHA_OPAQUE
                          : pane == HOLES ? MRW_ALPHA_MASK
                                          : MRW_ALPHA_BLEND;
    material.alpha_cutoff = 0.5f;
    material.flags |= MRW_MATERIAL_DOUBLE_SIDED;
    color->factor[3] = pane == FADE ? 0.8f : pane == EVEN || pane == FAR ? 0.5f : 1.0f;
    if (pane == PRINT) {
        mrw_texture texture = {0};
        ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &texture.image, NULL), MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_texture(b, NULL, &texture, &color->texture, NULL),
                         MRW_OK);
    }
    ck_assert_int_eq(mrwi_scene_builder_material(b, names[pane], &material, &index, NULL), MRW_OK);
    return index;
}

/* Squares, or parts of them, before each other; two cross in the middle. */
static mrw_scene *panes(void)
{
    static const struct {
        const char *name;
        float x0, x1, z0, z1;
    } all_panes[PANES] = {{"back", 0, 0.8f, 0, 0},     {"even", 0, 1, 0.2f, 0.6f},
                          {"fade", 0, 1, 0.6f, 0.2f},  {"print", 0.3f, 1, 0.7f, 0.7f},
                          {"holes", 0, 1, 0.1f, 0.1f}, {"far", 0.5f, 1, -0.2f, -0.2f}};
    mrwi_scene_builder *b = begin();
    for (uint32_t i = 0; i < PANES; i++) {
        float positions[18], uvs[12], colors[6][4];
        mrwi_scene_mesh_input mesh = square_mesh();
        for (int v = 0; v < 6; v++) {
            const float s = square[3 * v], x = s > 0 ? all_panes[i].x1 : all_panes[i].x0;
            const float y = square[3 * v + 1];
            memcpy(positions + 3 * v, (float[3]){x, y, s > 0 ? all_panes[i].z1 : all_panes[i].z0},
                   12);
            memcpy(uvs + 2 * v, (float[2]){x, y}, 8);
            memcpy(colors[v], (float[4]){1, 1, 1, i == FADE ? x : i == HOLES ? y : 1}, 16);
        }
        mesh.positions = positions;
        mesh.uvs[0] = uvs;
        mesh.colors = colors[0];
        mesh.material = pane_material(b, i);
        ck_assert_int_eq(mrwi_scene_builder_draw(b, add_node(b, all_panes[i].name, MRW_NONE),
                                                 add_mesh(b, &mesh), MRW_NONE, NULL),
                         MRW_OK);
    }
    return finish(b);
}

/* What lies on a ray. */
typedef struct pane_hit {
    double depth, alpha;
    uint32_t instance, draw, triangle;
} pane_hit;

/* All that lies on the ray through a point of the picture, near to far; returns the count. */
static int list_hits(const stage *s, const mrw_posed_instance *posed, double px, double py,
                     pane_hit *out)
{
    const ray r = ray_through(&s->def.camera, px, py);
    int count = 0;
    for (uint32_t n = 0; n < 4 * PANES; n++) {
        const uint32_t i = n / (2 * PANES), d = n / 2 % PANES;
        const mrw_mesh *mesh = &s->scene->meshes[s->scene->draws[d].mesh];
        const uint32_t *corner = s->scene->indices + mesh->first_index + 3 * (size_t)(n % 2);
        const float *p = posed[i].draws[d].positions;
        hit h = {.triangle = MRW_NONE, .depth = INFINITY};
        meet(&r, p + 4 * (size_t)corner[0], p + 4 * (size_t)corner[1], p + 4 * (size_t)corner[2], 0,
             &h, i, d, n % 2);
        if (h.triangle == MRW_NONE) {
            continue;
        }
        const double moved = (double)s->instances[i].model_to_world.m[12];
        const double x = r.origin[0] + h.depth * r.along[0] - moved;
        const double alpha = pane_alpha(d, x, r.origin[1] + h.depth * r.along[1]);
        int at = count++;
        for (; at > 0 && out[at - 1].depth > h.depth; at--) {
            out[at] = out[at - 1];
        }
        out[at] = (pane_hit){h.depth, d == HOLES ? alpha >= 0.5 : alpha, i, d, n % 2};
    }
    return count;
}

/* Whether the same is met in the same order close by: else corners on 1/256 of a pixel decide. */
static bool is_clear(const stage *s, const mrw_posed_instance *posed, double px, double py,
                     const pane_hit *hits, int count)
{
    static const double around[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (int k = 0; k < 4; k++) {
        pane_hit others[4 * PANES];
        if (list_hits(s, posed, px + around[k][0] / 64, py + around[k][1] / 64, others) != count) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (others[i].instance != hits[i].instance || others[i].draw != hits[i].draw ||
                others[i].triangle != hits[i].triangle ||
                (hits[i].draw == HOLES && others[i].alpha != hits[i].alpha)) {
                return false;
            }
        }
    }
    return true;
}

/* A triangle has one alpha a pixel, where it blends: that of the pixel's centre, where it covers
 * it, else that of the first sample it covers. */
static double alpha_in_pixel(const pane_hit *h, pane_hit lists[5][4 * PANES], const int *counts,
                             uint32_t samples)
{
    for (uint32_t k = 0; k <= samples; k++) {
        const uint32_t list = k == 0 ? samples : k - 1; /* the last is the centre's */
        for (int i = 0; i < counts[list]; i++) {
            const pane_hit *other = &lists[list][i];
            if (other->instance == h->instance && other->draw == h->draw &&
                other->triangle == h->triangle) {
                return other->alpha;
            }
        }
    }
    return h->alpha;
}

/* Of each draw of both instances; false where that cannot be told. */
static bool find_panes(const stage *s, const mrw_posed_instance *posed, int x, int y, double *sums)
{
    const uint32_t samples = s->def.samples;
    pane_hit lists[5][4 * PANES];
    int counts[5];
    for (uint32_t k = 0; k <= samples; k++) {
        int offset[2] = {0, 0};
        if (k < samples) {
            mrw_raster_sample_at(samples, k, offset);
        }
        const double px = x + 0.5 + offset[0] / 16.0, py = y + 0.5 + offset[1] / 16.0;
        counts[k] = list_hits(s, posed, px, py, lists[k]);
        if (!is_clear(s, posed, px, py, lists[k], counts[k])) {
            return false;
        }
    }
    for (uint32_t k = 0; k < samples; k++) {
        double left = 1.0 / samples;
        for (int i = 0; i < counts[k]; i++) {
            const pane_hit *h = &lists[k][i];
            const double alpha =
                h->draw == HOLES ? h->alpha : alpha_in_pixel(h, lists, counts, samples);
            sums[h->instance * PANES + h->draw] += alpha * left;
            left -= alpha * left;
        }
    }
    return true;
}

/* Ranks against sums of draws: each name's, the largest first; equal ones by id. Corners that lie
 * on 1/256 of a pixel move alphas that grow by 1/40 a pixel. */
static void check_ranks(const float *ranks, const mrw_crypto_names *names, const double *of_draws)
{
    double sums[2 * PANES] = {0}, seen = 0, all_of_it = 0;
    uint32_t last_id = 0;
    for (uint32_t d = 0; d < names->draw_count; d++) {
        sums[names->of_draw[d]] += of_draws[d];
        all_of_it += of_draws[d];
    }
    for (int r = 0; r < 6; r++) {
        uint32_t id, n = 0;
        memcpy(&id, ranks + 2 * r, sizeof id);
        ck_assert_int_eq(id != 0, ranks[2 * r + 1] > 0);
        if (id == 0) {
            continue;
        }
        while (n < names->count && names->ids[n] != id) {
            n++;
        }
        ck_assert_uint_lt(n, names->count);
        ck_assert_double_eq_tol((double)ranks[2 * r + 1], sums[n], 1e-4);
        if (r > 0) {
            ck_assert(ranks[2 * r + 1] < ranks[2 * r - 1] ||
                      (ranks[2 * r + 1] == ranks[2 * r - 1] && id > last_id));
        }
        seen += sums[n];
        sums[n] = 0;
        last_id = id;
    }
    ck_assert_double_eq_tol(seen, all_of_it, 1e-4);
}

static const mrw_aov crypto_passes[] = {MRW_AOV_CRYPTO_OBJECT, MRW_AOV_CRYPTO_MATERIAL,
                                        MRW_AOV_COVERAGE};

static void check_panes(stage *s)
{
    const mrw_posed_instance *posed;
    mrw_crypto_names names[2];
    int told = 0, layered = 0;
    draw(s, crypto_passes, 3, 1);
    ck_assert_int_eq(mrw_pose_instances(s->other, s->instances, 2, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mrw_frame_crypto_names(s->instances, 2, crypto_passes[i], &names[i], NULL),
                         MRW_OK);
    }
    for (int p = 0; p < PIXELS; p++) {
        double sums[2 * PANES] = {0};
        for (int i = 0; i < 2; i++) { /* here nothing is left out of the ranks */
            const float *ranks = floats(s, (uint32_t)i) + 12 * p;
            const float sum =
                ((ranks[1] + ranks[3]) + (ranks[5] + ranks[7])) + (ranks[9] + ranks[11]);
            ck_assert_float_eq_tol(sum, floats(s, 2)[p], 1e-6f);
        }
        if (find_panes(s, posed, p % WIDTH, p / WIDTH, sums)) {
            check_ranks(floats(s, 0) + 12 * p, &names[0], sums);
            check_ranks(floats(s, 1) + 12 * p, &names[1], sums);
            layered += floats(s, 0)[12 * p + 7] > 0; /* four of them */
            told++;
        }
    }
    ck_assert_int_gt(told, PIXELS * 8 / 10);
    ck_assert_int_gt(layered, PIXELS / 20);
    mrw_crypto_names_free(&names[0]);
    mrw_crypto_names_free(&names[1]);
}

/* Every pixel, against rays through its samples. */
START_TEST(layers_have_what_is_left_to_them)
{
    for (uint32_t samples = 1; samples <= 4; samples *= 4) {
        for (int orthographic = 0; orthographic < 2; orthographic++) {
            stage s;
            open_scene(&s, panes(), orthographic, MRW_SHADING_LIT);
            s.def.samples = samples;
            check_panes(&s);
            close_stage(&s);
        }
    }
}
END_TEST

START_TEST(layers_are_the_same_everywhere)
{
    const size_t bytes = PIXELS * 12 * sizeof(float);
    uint8_t *first = malloc(2 * bytes);
    stage s;
    open_scene(&s, panes(), false, MRW_SHADING_LIT);
    draw(&s, crypto_passes, 2, 1);
    memcpy(first, floats(&s, 0), bytes);
    memcpy(first + bytes, floats(&s, 1), bytes);
    for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
        for (int threads = 1; threads <= 3 && mrw_isa_available((mrw_isa)isa); threads++) {
            s.def.isa = (mrw_isa)isa;
            draw(&s, crypto_passes, 2, threads);
            ck_assert_mem_eq(floats(&s, 0), first, bytes);
            ck_assert_mem_eq(floats(&s, 1), first + bytes, bytes);
        }
    }
    free(first);
    close_stage(&s);
}
END_TEST

/* Seven panes before a wall, each with more than the one before it but for the last and the wall,
 * which have as much: six ranks, the largest first, of equal ones the smaller id. */
START_TEST(ranks_are_the_largest_six)
{
    static const float alphas[8] = {1 / 64.0f, 1 / 32.0f, 1 / 16.0f, 1 / 8.0f,
                                    1 / 4.0f,  1 / 2.0f,  1 / 2.0f,  1};
    const bool wall_first = mrw_crypto_id("n7") < mrw_crypto_id("n6");
    const int wanted[6] = {5, 4, wall_first ? 7 : 6, wall_first ? 6 : 7, 3, 2};
    const mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5f, 0.5f, 5, 1}};
    const mrw_lens lens = {.xmag = 0.5f, .ymag = 0.5f, .near_plane = 1, .far_plane = 10};
    static const mrw_aov_request pass = {MRW_AOV_CRYPTO_OBJECT, NULL};
    double shares[8], left = 1;
    mrwi_scene_builder *b = begin();
    for (int i = 0; i < 8; i++) {
        float positions[18];
        char name[4];
        mrw_material material = mrw_material_default();
        mrwi_scene_mesh_input mesh = square_mesh();
        snprintf(name, sizeof name, "n%d", i);
        memcpy(positions, square, sizeof positions);
        for (int v = 0; v < 6; v++) {
            positions[3 * v + 2] = -0.1f * (float)i;
        }
        material.alpha_mode = MRW_ALPHA_BLEND;
        material.maps[MRW_MAP_BASE_COLOR].factor[3] = alphas[i];
        mesh.positions = positions;
        ck_assert_int_eq(mrwi_scene_builder_material(b, name, &material, &mesh.material, NULL),
                         MRW_OK);
        ck_assert_int_eq(mrwi_scene_builder_draw(b, add_node(b, name, MRW_NONE), add_mesh(b, &mesh),
                                                 MRW_NONE, NULL),
                         MRW_OK);
        shares[i] = left * (double)alphas[i];
        left -= shares[i];
    }
    stage s = {.scene = finish(b)};
    ck_assert_int_eq(mrw_model_create(s.scene, MRW_SHADING_LIT, 1, &s.model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s.renderer, NULL), MRW_OK);
    s.instances[0] = mrw_instance_default(s.model);
    s.def = mrw_frame_def_default();
    s.def.width = s.def.height = 16;
    s.def.aovs = &pass;
    s.def.aov_count = 1;
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &s.def.camera, NULL), MRW_OK);
    ck_assert_int_eq(mrw_render(s.renderer, &s.def, s.instances, 1, 1, &s.picture, NULL), MRW_OK);
    for (int r = 0; r < 6 * 256; r++) {
        char name[4];
        uint32_t id;
        snprintf(name, sizeof name, "n%d", wanted[r % 6]);
        memcpy(&id, floats(&s, 0) + 2 * r, sizeof id);
        ck_assert_uint_eq(id, mrw_crypto_id(name));
        ck_assert_float_eq(floats(&s, 0)[2 * r + 1], (float)shares[wanted[r % 6]]);
    }
    close_stage(&s);
}
END_TEST

/* ---- surfaces seen edge on ------------------------------------------------------------------- */

#define SLIVERS 3000

/* Triangles whose corners lie on a line as a parallel view along z has them, at any depths. */
static mrw_scene *slivers(void)
{
    static float positions[9 * SLIVERS];
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input mesh = square_mesh();
    mrwi_scene_builder *b = begin();
    uint64_t state = 1;
    uint32_t index;
    for (float *p = positions; p < positions + 9 * SLIVERS; p += 9) {
        int at[6];
        for (int k = 0; k < 6; k++) {
            at[k] = test_random_between(&state, -16, 16);
        }
        for (int v = 0; v < 3; v++) { /* exact, and on a line */
            p[3 * v] = (float)(512 + 16 * at[0] + at[2] * (v == 1 ? 3 : -v)) / 1024.0f;
            p[3 * v + 1] = (float)(512 + 16 * at[1] + at[3] * (v == 1 ? 3 : -v)) / 1024.0f;
            p[3 * v + 2] = (float)(at[4] * v + at[5]) / 64.0f;
        }
    }
    material.flags |= MRW_MATERIAL_DOUBLE_SIDED;
    ck_assert_int_eq(mrwi_scene_builder_material(b, "", &material, &index, NULL), MRW_OK);
    mesh.vertex_count = mesh.index_count = 3 * SLIVERS;
    mesh.positions = positions;
    mesh.material = index;
    ck_assert_int_eq(
        mrwi_scene_builder_draw(b, add_node(b, "", MRW_NONE), add_mesh(b, &mesh), MRW_NONE, NULL),
        MRW_OK);
    return finish(b);
}

/* The rasterizer's corners are on 1/256 of a pixel, so that some cover a pixel's centre. */
START_TEST(what_is_seen_edge_on_has_shares)
{
    static const mrw_aov_request two[] = {{MRW_AOV_BARYCENTRIC, NULL}, {MRW_AOV_ID, NULL}};
    const mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5f, 0.5f, 5, 1}};
    const mrw_lens lens = {.xmag = 0.5f, .ymag = 0.5f, .near_plane = 1, .far_plane = 10};
    stage s = {.scene = slivers()};
    uint32_t seen = 0;
    ck_assert_int_eq(mrw_model_create(s.scene, MRW_SHADING_LIT, 1, &s.model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s.renderer, NULL), MRW_OK);
    s.instances[0] = mrw_instance_default(s.model);
    s.def = mrw_frame_def_default();
    s.def.aovs = two;
    s.def.aov_count = 2;
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &s.def.camera, NULL), MRW_OK);
    for (uint32_t side = 100; side < 300; side += 7) {
        s.def.width = s.def.height = side;
        ck_assert_int_eq(mrw_render(s.renderer, &s.def, s.instances, 1, 1, &s.picture, NULL),
                         MRW_OK);
        for (uint32_t i = 0; i < side * side; i++) {
            const float *share = floats(&s, 0) + (size_t)3 * i;
            const bool here = numbers(&s, 1)[i] != 0;
            ck_assert_float_eq_tol((share[0] + share[1]) + share[2], here ? 1.0f : 0.0f, 1e-6f);
            ck_assert(share[0] >= 0.0f && share[1] >= 0.0f && share[2] >= 0.0f);
            seen += here;
        }
    }
    ck_assert_uint_gt(seen, 100);
    close_stage(&s);
}
END_TEST

/* ---- the same everywhere --------------------------------------------------------------------- */

static const mrw_aov all[] = {MRW_AOV_COLOR,         MRW_AOV_DEPTH,
                              MRW_AOV_DISTANCE,      MRW_AOV_NORMAL,
                              MRW_AOV_POSITION,      MRW_AOV_UV,
                              MRW_AOV_ALBEDO,        MRW_AOV_ID,
                              MRW_AOV_MATERIAL,      MRW_AOV_JOINT,
                              MRW_AOV_TRIANGLE,      MRW_AOV_BARYCENTRIC,
                              MRW_AOV_WEIGHTS,       MRW_AOV_COVERAGE,
                              MRW_AOV_FLOW_FORWARD,  MRW_AOV_FLOW_BACKWARD,
                              MRW_AOV_CRYPTO_OBJECT, MRW_AOV_CRYPTO_MATERIAL};
#define ALL ((uint32_t)(sizeof all / sizeof all[0]))

static size_t bytes_of(const mrw_image *image)
{
    return (size_t)image->width * image->height * image->channels * mrw_format_size(image->format);
}

START_TEST(no_machine_and_no_thread_shows)
{
    uint8_t *first[sizeof all / sizeof all[0]] = {0};
    stage s;
    open_stage(&s, "demo:figure", false);
    s.joint = "head";
    for (int isa = MRW_ISA_AUTO; isa < MRW_ISA_COUNT; isa++) {
        if (!mrw_isa_available((mrw_isa)isa)) {
            continue;
        }
        for (int threads = 1; threads <= 3; threads += 2) {
            s.def.isa = (mrw_isa)isa;
            draw(&s, all, ALL, threads);
            for (uint32_t i = 0; i < ALL; i++) {
                const mrw_image *image = mrw_frame_aov(s.renderer, i);
                if (!first[i]) {
                    first[i] = malloc(bytes_of(image));
                    memcpy(first[i], image->pixels, bytes_of(image));
                }
                ck_assert_msg(memcmp(first[i], image->pixels, bytes_of(image)) == 0, "%s, isa %d",
                              mrw_aov_info_of(all[i])->name, isa);
            }
        }
    }
    for (uint32_t i = 0; i < ALL; i++) {
        free(first[i]);
    }
    close_stage(&s);
}
END_TEST

/* Both at the left, then one there and one at the right, and so on: what a picture leaves in rows
 * may end before, between and behind what is seen next. */
START_TEST(nothing_is_left_of_pictures_before)
{
    static const float places[][2] = {{-0.4f, -0.4f}, {0, 1}, {1.2f, 1.2f},  {0, 1},        {-3, 3},
                                      {0.4f, 0.5f},   {0, 1}, {-0.6f, 1.4f}, {-0.4f, -0.4f}};
    static const mrw_aov passes[2] = {MRW_AOV_ID, MRW_AOV_DEPTH};
    stage s;
    open_stage(&s, "demo:figure", false);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        static uint32_t ids[PIXELS];
        static float depths[PIXELS];
        s.instances[0].model_to_world.m[12] = places[i][0];
        s.instances[1].model_to_world.m[12] = places[i][1];
        draw(&s, passes, 2, 1);
        memcpy(ids, numbers(&s, 0), sizeof ids);
        memcpy(depths, floats(&s, 1), sizeof depths);
        mrw_renderer *kept = s.renderer;
        ck_assert_int_eq(mrw_renderer_create(&s.renderer, NULL), MRW_OK);
        draw(&s, passes, 2, 1); /* with one that has drawn nothing before */
        ck_assert_mem_eq(ids, numbers(&s, 0), sizeof ids);
        ck_assert_mem_eq(depths, floats(&s, 1), sizeof depths);
        mrw_renderer_free(s.renderer);
        s.renderer = kept;
    }
    close_stage(&s);
}
END_TEST

/* Each alone is what it is beside the others. */
START_TEST(each_alone_is_the_same)
{
    stage s, other;
    open_stage(&s, "demo:figure", false);
    open_stage(&other, "demo:figure", false);
    s.joint = other.joint = "head";
    draw(&s, all, ALL, 1);
    for (uint32_t i = 0; i < ALL; i++) {
        const mrw_image *image = mrw_frame_aov(s.renderer, i);
        draw(&other, &all[i], 1, 1);
        ck_assert_msg(
            memcmp(image->pixels, mrw_frame_aov(other.renderer, 0)->pixels, bytes_of(image)) == 0,
            "%s", mrw_aov_info_of(all[i])->name);
        ck_assert_ptr_null(mrw_frame_aov(other.renderer, 1));
    }
    draw(&other, all, 0, 1);
    ck_assert_ptr_null(mrw_frame_aov(other.renderer, 0));
    close_stage(&s);
    close_stage(&other);
}
END_TEST

/* Images are kept from frame to frame: nothing of the frames before is left in them, whatever has
 * changed. */
START_TEST(nothing_is_left_of_frames_before)
{
    stage s;
    open_stage(&s, "demo:figure", false);
    s.joint = "head";
    for (int frame = 0; frame < 6; frame++) {
        stage fresh;
        open_stage(&fresh, "demo:figure", false);
        fresh.joint = s.joint;
        fresh.def.camera = s.def.camera = camera_from(&s, (float)(60 * frame));
        fresh.def.transparent = s.def.transparent = frame == 3;
        fresh.def.background[1] = s.def.background[1] = frame == 4 ? 10 : 200;
        fresh.def.height = s.def.height = frame == 5 ? HEIGHT - 20 : HEIGHT;
        const uint32_t first = frame == 2 ? 1 : 0; /* each pass in another one's place */
        draw(&s, all + first, ALL - first, 1);
        draw(&fresh, all + first, ALL - first, 1);
        for (uint32_t i = first; i < ALL; i++) {
            const mrw_image *image = mrw_frame_aov(s.renderer, i - first);
            ck_assert_msg(memcmp(image->pixels, mrw_frame_aov(fresh.renderer, i - first)->pixels,
                                 bytes_of(image)) == 0,
                          "%s of frame %d", mrw_aov_info_of(all[i])->name, frame);
        }
        close_stage(&fresh);
    }
    close_stage(&s);
}
END_TEST

/* ---- poses ----------------------------------------------------------------------------------- */

/* The vertices of the last picture serve another one, from another side. */
START_TEST(the_same_pose_is_not_skinned_again)
{
    static const mrw_aov two[] = {MRW_AOV_DEPTH, MRW_AOV_ID};
    stage s, other;
    open_stage(&s, "demo:figure", false);
    open_stage(&other, "demo:figure", true);
    draw(&s, two, 2, 1);
    const uint64_t skins = mrwi_frame_counts.skins, plays = mrwi_frame_counts.plays;
    mrw_instance copies[2] = {s.instances[0], s.instances[1]}; /* elsewhere in memory */
    memset(s.instances, 0, sizeof s.instances);
    memcpy(s.instances, copies, sizeof copies);
    s.def.camera = other.def.camera;
    s.def.same_pose = true;
    draw(&s, two, 2, 1);
    ck_assert_uint_eq(mrwi_frame_counts.skins, skins);
    ck_assert_uint_eq(mrwi_frame_counts.plays, plays);
    draw(&other, two, 2, 1);
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
    tcase_add_test(tc, ids_are_those_of_the_ray_through_the_centre);
    tcase_add_test(tc, normals_are_of_the_seen_side);
    tcase_add_test(tc, colours_are_the_pictures_before_the_bytes);
    tcase_add_test(tc, albedo_is_what_unlit_pictures_show);
    tcase_add_test(tc, flow_leads_to_the_same_point);
    tcase_add_test(tc, sequences_know_their_neighbours);
    tcase_add_test(tc, ids_are_the_hashes_of_names);
    tcase_add_test(tc, ids_are_the_published_ones);
    tcase_add_test(tc, names_are_all_different);
    tcase_add_test(tc, shares_are_those_of_samples);
    tcase_add_test(tc, what_blends_is_there_from_one_half_on);
    tcase_add_test(tc, layers_have_what_is_left_to_them);
    tcase_add_test(tc, layers_are_the_same_everywhere);
    tcase_add_test(tc, ranks_are_the_largest_six);
    tcase_add_test(tc, what_is_seen_edge_on_has_shares);
    tcase_add_test(tc, no_machine_and_no_thread_shows);
    tcase_add_test(tc, nothing_is_left_of_pictures_before);
    tcase_add_test(tc, nothing_is_left_of_frames_before);
    tcase_add_test(tc, each_alone_is_the_same);
    tcase_add_test(tc, positions_follow_from_depth_and_k);
    tcase_add_test(tc, the_same_pose_is_not_skinned_again);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
