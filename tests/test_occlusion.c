/* test_occlusion.c: ambient occlusion: against rays in double precision, from several cameras,
 * where it must be nothing, and what of a picture it may touch. */
#include "scene_fixture.h"

#include "base/math.h"
#include "frame/frame.h"

#include <marrow/frame.h>
#include <marrow/load.h>

#define MOST_TRIANGLES 30000

/* ---- a world of triangles -------------------------------------------------------------------- */

typedef struct world {
    uint32_t count;
    float corners[MOST_TRIANGLES][3][4];
    uint32_t indices[MOST_TRIANGLES][3];
} world;

static world w;

static void add_triangle(const float a[3], const float b[3], const float c[3])
{
    const float *const from[3] = {a, b, c};
    ck_assert_uint_lt(w.count, MOST_TRIANGLES);
    for (int k = 0; k < 3; k++) {
        memcpy(w.corners[w.count][k], from[k], 3 * sizeof(float));
        w.corners[w.count][k][3] = 1.0f;
        w.indices[w.count][k] = 3 * w.count + (uint32_t)k;
    }
    w.count++;
}

/* A parallelogram. */
static void add_sheet(const float o[3], const float u[3], const float v[3])
{
    float a[3], b[3], c[3];
    for (int i = 0; i < 3; i++) {
        a[i] = o[i] + u[i];
        b[i] = o[i] + v[i];
        c[i] = a[i] + v[i];
    }
    add_triangle(o, a, c);
    add_triangle(o, c, b);
}

static void add_box(const float min[3], const float max[3])
{
    const float x[3] = {max[0] - min[0], 0, 0}, y[3] = {0, max[1] - min[1], 0};
    const float z[3] = {0, 0, max[2] - min[2]};
    const float far_x[3] = {max[0], min[1], min[2]}, far_y[3] = {min[0], max[1], min[2]};
    const float far_z[3] = {min[0], min[1], max[2]};
    add_sheet(min, x, y);
    add_sheet(min, y, z);
    add_sheet(min, z, x);
    add_sheet(far_x, y, z);
    add_sheet(far_y, z, x);
    add_sheet(far_z, x, y);
}

/* A floor and two walls that meet behind it at the origin. */
static void make_corner(void)
{
    w.count = 0;
    add_sheet((float[3]){0, 0, 0}, (float[3]){4, 0, 0}, (float[3]){0, 0, 4});
    add_sheet((float[3]){0, 0, 0}, (float[3]){4, 0, 0}, (float[3]){0, 4, 0});
    add_sheet((float[3]){0, 0, 0}, (float[3]){0, 4, 0}, (float[3]){0, 0, 4});
}

static void make_boxes(void)
{
    make_corner();
    add_box((float[3]){0.7f, 0, 0.6f}, (float[3]){1.7f, 0.9f, 1.5f});
    add_box((float[3]){1.9f, 0, 0.3f}, (float[3]){2.3f, 2.0f, 0.9f});
    add_box((float[3]){1.0f, 0.9f, 0.8f}, (float[3]){1.5f, 1.3f, 1.3f});
}

/* ---- pictures of it -------------------------------------------------------------------------- */

typedef struct look {
    uint32_t width, height;
    mrw_raster_view view;
    mrw_occlusion *memory;
    mrw_raster_occlusion found;
    float radius;
    double inverse[16]; /* of the view's matrix */
} look;

static void invert(const mrw_mat4 *m, double out[16])
{
    double a[4][8];
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 8; c++) {
            a[r][c] = c < 4 ? (double)m->m[4 * c + r] : c - 4 == r;
        }
    }
    for (int k = 0; k < 4; k++) {
        int best = k;
        for (int r = k + 1; r < 4; r++) {
            best = fabs(a[r][k]) > fabs(a[best][k]) ? r : best;
        }
        for (int c = 0; c < 8; c++) {
            const double kept = a[k][c];
            a[k][c] = a[best][c];
            a[best][c] = kept;
        }
        for (int r = 0; r < 4; r++) {
            const double f = r == k ? 1.0 - 1.0 / a[k][k] : a[r][k] / a[k][k];
            for (int c = 0; c < 8; c++) {
                a[r][c] -= f * a[k][c];
            }
        }
    }
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            out[4 * c + r] = a[r][4 + c];
        }
    }
}

static look look_with(const mrw_camera *camera, uint32_t width, uint32_t height, float radius,
                      float strength, mrw_isa isa, int threads)
{
    static const mrw_raster_material material = {.double_sided = true};
    const mrw_raster_draw draw = {.vertex_count = 3 * w.count,
                                  .triangle_count = w.count,
                                  .indices = w.indices[0],
                                  .positions = w.corners[0][0],
                                  .normals = w.corners[0][0],
                                  .material = &material};
    look out = {.width = width, .height = height, .radius = radius};
    mrw_raster *raster;
    mrw_error error;
    mrwi_base_mat4_mul(&camera->view_to_clip, &camera->world_to_view, &out.view.world_to_clip);
    out.view.orthographic = camera->orthographic;
    for (int i = 0; i < 3; i++) {
        out.view.view_back[i] = camera->world_to_view.m[4 * i + 2];
    }
    invert(&out.view.world_to_clip, out.inverse);
    mrw_raster_job depths = {.draws = &draw,
                             .draw_count = 1,
                             .view = out.view,
                             .width = width,
                             .height = height,
                             .isa = isa,
                             .threads = threads};
    ck_assert_int_eq(mrw_raster_create(&raster, &error), MRW_OK);
    ck_assert_int_eq(mrw_occlusion_create(&out.memory, &error), MRW_OK);
    ck_assert_int_eq(mrw_occlusion_begin(out.memory, &depths, &error), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &depths, &error), MRW_OK);
    mrw_occlusion_find(out.memory, &depths, radius, strength, &out.found);
    mrw_raster_free(raster);
    return out;
}

static look look_at(const mrw_camera *camera, uint32_t width, uint32_t height, float radius)
{
    return look_with(camera, width, height, radius, 1.0f, MRW_ISA_AUTO, 1);
}

static mrw_camera camera_at(const float eye[3], const float target[3], float fov, bool orthographic,
                            float aspect)
{
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    mrw_camera camera;
    mrw_error error;
    view.has_eye = view.has_target = true;
    memcpy(view.eye, eye, sizeof view.eye);
    memcpy(view.target, target, sizeof view.target);
    view.fov_degrees = fov;
    view.orthographic = orthographic;
    view.height = orthographic ? 3.5f : 0.0f;
    mrw_extents_begin(&view, aspect, &extents);
    mrw_extents_add(&extents, w.corners[0][0], 3 * w.count, 4);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, aspect, &camera, &error), MRW_OK);
    return camera;
}

static float visibility_at(const look *l, uint32_t x, uint32_t y)
{
    return l->found.visibility[(size_t)y * l->found.stride + x];
}

/* ---- rays ------------------------------------------------------------------------------------ */

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void unit3(double v[3])
{
    const double length = sqrt(dot3(v, v));
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
}

/* Where a ray meets triangle i (Moeller and Trumbore 1997), or `most`. */
static double meets(const double o[3], const double d[3], uint32_t i, double most)
{
    double e1[3], e2[3], p[3], q[3], s[3];
    for (int k = 0; k < 3; k++) {
        e1[k] = (double)w.corners[i][1][k] - (double)w.corners[i][0][k];
        e2[k] = (double)w.corners[i][2][k] - (double)w.corners[i][0][k];
        s[k] = o[k] - (double)w.corners[i][0][k];
    }
    cross(d, e2, p);
    const double det = dot3(e1, p);
    if (det == 0.0) {
        return most;
    }
    cross(s, e1, q);
    const double u = dot3(s, p) / det, v = dot3(d, q) / det, t = dot3(e2, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t > 1e-7 && t < most ? t : most;
}

/* The point that pixel (x, y) shows, and its normal towards the eye; false: none. */
static bool seen_at(const look *l, double x, double y, double point[3], double normal[3])
{
    double ends[2][3], way[3], nearest = 1.0;
    uint32_t hit = MRW_NONE;
    for (int e = 0; e < 2; e++) {
        const double clip[4] = {2 * (x + 0.5) / l->width - 1, 1 - 2 * (y + 0.5) / l->height, e, 1};
        double out[4] = {0};
        for (int i = 0; i < 16; i++) {
            out[i % 4] += l->inverse[i] * clip[i / 4];
        }
        for (int i = 0; i < 3; i++) {
            ends[e][i] = out[i] / out[3];
        }
    }
    for (int i = 0; i < 3; i++) {
        way[i] = ends[1][i] - ends[0][i];
    }
    for (uint32_t i = 0; i < w.count; i++) {
        const double t = meets(ends[0], way, i, nearest);
        hit = t < nearest ? i : hit;
        nearest = t;
    }
    if (hit == MRW_NONE) {
        return false;
    }
    double a[3], b[3];
    for (int i = 0; i < 3; i++) {
        point[i] = ends[0][i] + nearest * way[i];
        a[i] = (double)w.corners[hit][1][i] - (double)w.corners[hit][0][i];
        b[i] = (double)w.corners[hit][2][i] - (double)w.corners[hit][0][i];
    }
    cross(a, b, normal);
    unit3(normal);
    const double side = dot3(normal, way) > 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) {
        normal[i] *= side;
    }
    return true;
}

/* The triangles whose boxes come within the radius of a point. */
static uint32_t find_near(const double p[3], double radius, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w.count; i++) {
        bool near = true;
        for (int k = 0; k < 3; k++) {
            const double a = w.corners[i][0][k], b = w.corners[i][1][k], c = w.corners[i][2][k];
            near =
                near && fmin(a, fmin(b, c)) < p[k] + radius && fmax(a, fmax(b, c)) > p[k] - radius;
        }
        if (near) {
            out[count++] = i;
        }
    }
    return count;
}

/* What is stopped of light from all around, by rays over a hemisphere as dense as the cosine. */
static double visibility_of(const double p[3], const double n[3], double radius, int rays)
{
    static uint32_t near[MOST_TRIANGLES];
    const uint32_t count = find_near(p, radius, near);
    double t[3], b[3], o[3], sum = 0.0;
    const double any[3] = {fabs(n[0]) < 0.5, fabs(n[0]) >= 0.5, 0};
    cross(n, any, t);
    unit3(t);
    cross(n, t, b);
    for (int i = 0; i < 3; i++) {
        o[i] = p[i] + 1e-6 * radius * n[i];
    }
    for (int i = 0; i < rays; i++) {
        for (int k = 0; k < rays; k++) {
            const double s2 = (i + 0.5) / rays, s = sqrt(s2), c = sqrt(1 - s2);
            const double phi = 2 * 3.14159265358979 * (k + 0.5) / rays;
            double d[3], hit = radius;
            for (int j = 0; j < 3; j++) {
                d[j] = s * cos(phi) * t[j] + s * sin(phi) * b[j] + c * n[j];
            }
            for (uint32_t j = 0; j < count; j++) {
                hit = meets(o, d, near[j], hit);
            }
            const double left = 1 - hit * hit / (radius * radius);
            sum += left * left;
        }
    }
    return 1 - sum / (rays * rays);
}

/* How far the picture is from the rays, on a lattice of pixels. */
typedef struct errors {
    double mean, bias, worst, darkness;
    int count;
} errors;

static errors compare(const look *l, uint32_t step, int rays)
{
    errors e = {0};
    for (uint32_t y = step / 2; y < l->height; y += step) {
        for (uint32_t x = step / 2; x < l->width; x += step) {
            double p[3], n[3];
            if (!seen_at(l, x, y, p, n)) {
                continue;
            }
            const double true_one = visibility_of(p, n, (double)l->radius, rays);
            const double off = (double)visibility_at(l, x, y) - true_one;
            e.mean += fabs(off);
            e.bias += off;
            e.darkness += 1 - true_one;
            e.worst = fabs(off) > e.worst ? fabs(off) : e.worst;
            e.count++;
        }
    }
    e.mean /= e.count;
    e.bias /= e.count;
    e.darkness /= e.count;
    return e;
}

/* ---- what is found --------------------------------------------------------------------------- */

/* A floor before a wall that is endless: of a point as far from it as x, half the directions go to
 * the wall, at x / (sin theta cos phi); by the midpoint rule. */
static double beside_a_wall(double x, double radius)
{
    const int steps = 400;
    double sum = 0.0;
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < steps; k++) {
            const double s = sqrt((i + 0.5) / steps),
                         phi = 3.14159265358979 * ((k + 0.5) / steps - 0.5);
            const double t = x / (s * cos(phi)), left = 1 - t * t / (radius * radius);
            sum += t < radius ? left * left : 0.0;
        }
    }
    return 1 - 0.5 * sum / (steps * steps);
}

/* Where a point lies in a picture. */
static void pixel_of(const look *l, const double p[3], double out[2])
{
    double clip[4];
    const float *m = l->view.world_to_clip.m;
    for (int r = 0; r < 4; r++) {
        clip[r] = (double)m[12 + r];
        for (int c = 0; c < 3; c++) {
            clip[r] += (double)m[4 * c + r] * p[c];
        }
    }
    out[0] = (clip[0] / clip[3] * 0.5 + 0.5) * l->width - 0.5;
    out[1] = (0.5 - clip[1] / clip[3] * 0.5) * l->height - 0.5;
}

static double visibility_of_point(const look *l, const double p[3])
{
    double at[2];
    pixel_of(l, p, at);
    return (double)visibility_at(l, (uint32_t)(at[0] + 0.5), (uint32_t)(at[1] + 0.5));
}

START_TEST(a_floor_darkens_towards_a_wall_as_it_must)
{
    const float eyes[3][3] = {{2.2f, 3, 6}, {1.5f, 2, 8}, {4, 5, 5}};
    make_corner();
    for (int c = 0; c < 6; c++) {
        const mrw_camera camera = camera_at(eyes[c % 3], (float[3]){2, 0.5f, 0.5f}, 35, c >= 3, 1);
        look l = look_at(&camera, 600, 600, 1.0f);
        for (int k = 0; k < 10; k++) {
            const double x = 0.1 * k + 0.05, p[3] = {2, 0, x}, q[3] = {2, x, 0};
            const double expected = beside_a_wall(x, 1.0);
            ck_assert_double_eq_tol(visibility_of_point(&l, p), expected, 0.12);
            ck_assert_double_eq_tol(visibility_of_point(&l, q), expected, 0.12);
        }
        mrw_occlusion_free(l.memory);
    }
}
END_TEST

/* Whatever the camera, planes hide nothing from themselves, nor does what is far before them. */
START_TEST(planes_and_walls_far_behind_are_open)
{
    const float eyes[4][3] = {{2, 1, 9}, {8, 0.3f, 5}, {-4, 3, 2}, {2, 2, 4}};
    for (int c = 0; c < 8; c++) {
        w.count = 0;
        add_sheet((float[3]){-20, -20, 0}, (float[3]){40, 0, 0}, (float[3]){0, 40, 0});
        add_sheet((float[3]){1, 1, 1.05f}, (float[3]){1, 0.2f, 0}, (float[3]){0, 1, 0.1f});
        const mrw_camera camera = camera_at(eyes[c % 4], (float[3]){1.5f, 1.5f, 0}, 35, c >= 4, 1);
        look l = look_at(&camera, 300, 300, 1.0f);
        for (uint32_t y = 0; y < l.height; y++) {
            for (uint32_t x = 0; x < l.width; x++) {
                ck_assert_msg(visibility_at(&l, x, y) > 0.9999f, "%u, %u of camera %d: %a", x, y, c,
                              (double)visibility_at(&l, x, y));
            }
        }
        mrw_occlusion_free(l.memory);
    }
}
END_TEST

static void add_figure(void)
{
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_error error;
    const mrw_posed_draw *posed;
    const mrw_model_def def = {.no_textures = true};
    ck_assert_int_eq(mrw_load_file("demo:figure", NULL, &scene, &error), MRW_OK);
    ck_assert_int_eq(mrw_model_create_with(scene, &def, 1, &model, &error), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, &error), MRW_OK);
    mrw_instance instance = mrw_instance_default(model);
    instance.time = 0.3;
    ck_assert_int_eq(mrw_pose_instance(renderer, &instance, MRW_ISA_AUTO, &posed, &error), MRW_OK);
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const mrw_mesh *mesh = &scene->meshes[scene->draws[posed[d].draw].mesh];
        const uint32_t *i = scene->indices + mesh->first_index;
        for (uint32_t t = 0; t < mesh->triangle_count; t++, i += 3) {
            const float *p = posed[d].positions;
            add_triangle(p + 4 * i[0], p + 4 * i[1], p + 4 * i[2]);
        }
    }
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
}

/* Rays meet what the picture does not show, too: the bounds allow for that. */
START_TEST(pictures_are_near_to_rays)
{
    static const struct {
        bool figure;
        float eye[3], target[3], radius;
        double mean;
    } looks[] = {{false, {5, 4, 6}, {1.3f, 0.8f, 0.9f}, 0.5f, 0.01},
                 {false, {2, 7, 3}, {1.3f, 0.8f, 0.9f}, 0.5f, 0.02},
                 {false, {3, 0.8f, 7}, {1.3f, 0.8f, 0.9f}, 1.2f, 0.05},
                 {true, {1.5f, 1.5f, 2.7f}, {0, 0.9f, 0}, 0.18f, 0.05},
                 {true, {-3, 0.8f, 1}, {0, 0.9f, 0}, 0.18f, 0.06}};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        make_boxes();
        if (looks[i].figure) {
            w.count = 0;
            add_figure();
        }
        const mrw_camera camera = camera_at(looks[i].eye, looks[i].target, 35, false, 1);
        look l = look_at(&camera, 480, 480, looks[i].radius);
        const errors e = compare(&l, 24, 10);
        ck_assert_msg(e.count > 30 && e.mean < looks[i].mean && e.bias > -0.01,
                      "look %zu: mean error %.4f, mean of it %.4f, of %.4f, at %d points", i,
                      e.mean, e.bias, e.darkness, e.count);
        mrw_occlusion_free(l.memory);
    }
}
END_TEST

/* What a point of a surface has does not depend on the camera, where that sees what is around it.
 */
START_TEST(points_keep_their_darkness_as_the_camera_moves)
{
    double first[2] = {0, 0};
    make_corner();
    for (int c = 0; c < 24; c++) {
        const double turn = 0.6 + 0.02 * c, far = 6 + 0.1 * c;
        const float eye[3] = {(float)(far * sin(turn)) + 1, 4, (float)(far * cos(turn)) + 1};
        const mrw_camera camera = camera_at(eye, (float[3]){2, 0.5f, 0.5f}, 35, false, 1);
        look l = look_at(&camera, 500, 500, 0.8f);
        const double points[2][3] = {{2, 0, 0.15}, {1.5, 0.3, 0}};
        for (int k = 0; k < 2; k++) {
            const double v = visibility_of_point(&l, points[k]);
            first[k] = c == 0 ? v : first[k];
            ck_assert_double_eq_tol(v, first[k], 0.05);
        }
        mrw_occlusion_free(l.memory);
    }
}
END_TEST

/* The pattern of 4 x 4 pixels must not be seen: along a wall all is the same. */
START_TEST(no_pattern_is_left)
{
    make_corner();
    const mrw_camera camera =
        camera_at((float[3]){2, 3, 7}, (float[3]){2, 0.5f, 0.5f}, 35, true, 1);
    look l = look_at(&camera, 500, 500, 0.5f);
    for (int k = 0; k < 8; k++) {
        double least = 1, most = 0;
        for (int i = 0; i < 200; i++) {
            const double v = visibility_of_point(&l, (double[3]){1 + 0.01 * i, 0, 0.05 + 0.05 * k});
            least = fmin(least, v);
            most = fmax(most, v);
        }
        ck_assert_double_lt(most - least, 0.05);
    }
    mrw_occlusion_free(l.memory);
}
END_TEST

START_TEST(threads_memory_and_strength)
{
    make_boxes();
    const mrw_camera camera =
        camera_at((float[3]){5, 4, 6}, (float[3]){1.3f, 0.8f, 0.9f}, 35, false, 1);
    look one = look_with(&camera, 301, 203, 0.5f, 1.0f, MRW_ISA_SCALAR, 1);
    look many = look_with(&camera, 301, 203, 0.5f, 1.0f, MRW_ISA_AUTO, 4);
    look strong = look_with(&camera, 301, 203, 0.5f, 2.0f, MRW_ISA_AUTO, 1);
    for (uint32_t y = 0; y < one.height; y++) {
        for (uint32_t x = 0; x < one.width; x++) {
            const float v = visibility_at(&one, x, y), twice = 1.0f - 2.0f * (1.0f - v);
            ck_assert(visibility_at(&many, x, y) == v);
            ck_assert_double_eq_tol((double)visibility_at(&strong, x, y),
                                    (double)(twice > 0 ? twice : 0), 1e-6);
        }
    }
    mrw_occlusion_free(one.memory);
    mrw_occlusion_free(many.memory);
    mrw_occlusion_free(strong.memory);
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------- */

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
    mrw_frame_def def;
} stage;

static void make_stage(stage *s, mrw_shading shading)
{
    mrw_error error;
    mrw_extents extents;
    mrw_view_def view = mrw_view_def_default();
    ck_assert_int_eq(mrw_load_file("demo:figure", NULL, &s->scene, &error), MRW_OK);
    ck_assert_int_eq(mrw_model_create(s->scene, shading, 1, &s->model, &error), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, &error), MRW_OK);
    s->instance = mrw_instance_default(s->model);
    s->def = mrw_frame_def_default();
    s->def.width = s->def.height = 160;
    s->def.shading = shading;
    ck_assert_int_eq(mrw_frame_extents(&s->instance, 1, MRW_FIT_FRAME, &view, 1.0f, MRW_ISA_AUTO, 1,
                                       &extents, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.0f, &s->def.camera, &error), MRW_OK);
}

static void free_stage(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static mrw_image draw(stage *s)
{
    mrw_image out = {0};
    mrw_error error;
    ck_assert_msg(mrw_render(s->renderer, &s->def, &s->instance, 1, 2, &out, &error) == MRW_OK,
                  "%s", error.text);
    return out;
}

/* How many bytes of the second are below, and above, those of the first. */
static void count_changes(stage *s, size_t *darker, size_t *brighter)
{
    s->def.occlusion = false;
    mrw_image without = draw(s);
    s->def.occlusion = true;
    mrw_image with = draw(s), again = draw(s);
    const size_t bytes = (size_t)with.width * with.height * with.channels;
    const uint8_t *a = without.pixels, *b = with.pixels;
    ck_assert_mem_eq(with.pixels, again.pixels, bytes);
    *darker = *brighter = 0;
    for (size_t i = 0; i < bytes; i++) {
        *darker += b[i] < a[i];
        *brighter += b[i] > a[i];
    }
    mrw_image_free(&without);
    mrw_image_free(&with);
    mrw_image_free(&again);
}

/* Of every mode that is lit: lamps are not touched, light from all around becomes less. */
START_TEST(only_light_from_all_around_is_hidden)
{
    const mrw_light_def sun = mrw_light_def_default(MRW_LIGHT_DIRECTIONAL);
    for (int mode = 0; mode < MRW_SHADING_COUNT; mode++) {
        size_t darker, brighter;
        stage s;
        const mrw_shading_info *info = mrw_shading_info_of((mrw_shading)mode);
        if (info->matcap || mode == MRW_SHADING_WEIGHTS) {
            continue; /* want more than a mode, and no light */
        }
        make_stage(&s, (mrw_shading)mode);
        s.def.rig = MRW_RIG_OFF;
        s.def.lights = &sun;
        s.def.light_count = 1;
        count_changes(&s, &darker, &brighter);
        ck_assert_msg(darker + brighter == 0, "%s", info->name);
        s.def.ambient[0] = s.def.ambient[1] = s.def.ambient[2] = 0.5f;
        count_changes(&s, &darker, &brighter);
        ck_assert_msg((darker > 500) == info->lit && brighter <= darker / 50, "%s: %zu, %zu",
                      info->name, darker, brighter);
        free_stage(&s);
    }
}
END_TEST

START_TEST(the_radius_and_no_strength)
{
    size_t darker, brighter, less;
    stage s;
    make_stage(&s, MRW_SHADING_CLAY);
    s.def.ambient[0] = s.def.ambient[1] = s.def.ambient[2] = 0.5f;
    count_changes(&s, &darker, &brighter);
    s.def.occlusion_radius = 0.01f;
    count_changes(&s, &less, &brighter);
    ck_assert_uint_lt(less, darker / 2);
    s.def.occlusion_radius = 0.1f;
    s.def.occlusion_strength = 0.0f;
    count_changes(&s, &darker, &brighter);
    ck_assert_uint_eq(darker + brighter, 0);
    free_stage(&s);
}
END_TEST

/* Light is hidden under the feet, also where a ground shows shadows alone. */
START_TEST(a_ground_is_darkened)
{
    size_t darker, brighter;
    stage s;
    make_stage(&s, MRW_SHADING_LIT);
    s.def.ambient[0] = s.def.ambient[1] = s.def.ambient[2] = 0.5f;
    for (int ground = MRW_GROUND_CATCHER; ground <= MRW_GROUND_COLOR; ground++) {
        s.def.ground = (mrw_ground)ground;
        memset(s.def.ground_color, 0xc0, sizeof s.def.ground_color);
        s.instance.model_to_world.m[13] = 0.0f;
        count_changes(&s, &darker, &brighter);
        ck_assert_msg(darker > 1500 && brighter < darker / 20, "%d: %zu, %zu", ground, darker,
                      brighter);
    }
    free_stage(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("occlusion");
    TCase *tc = tcase_create("occlusion");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_floor_darkens_towards_a_wall_as_it_must);
    tcase_add_test(tc, planes_and_walls_far_behind_are_open);
    tcase_add_test(tc, pictures_are_near_to_rays);
    tcase_add_test(tc, points_keep_their_darkness_as_the_camera_moves);
    tcase_add_test(tc, no_pattern_is_left);
    tcase_add_test(tc, threads_memory_and_strength);
    tcase_add_test(tc, only_light_from_all_around_is_hidden);
    tcase_add_test(tc, the_radius_and_no_strength);
    tcase_add_test(tc, a_ground_is_darkened);
    suite_add_tcase(s, tc);
    return s;
}
TEST_MAIN(suite())
