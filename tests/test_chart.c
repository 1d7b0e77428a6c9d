/* test_chart.c: the default look, on a chart of 24 matte spheres: what it does to hues, and what is
 * left to see of dark cloth and hair, and of white.
 *
 * Each sphere is drawn by itself under the light that `marrow render` has without any option: the
 * rig in the studio, the Neutral tone map, the camera at azimuth 30 and elevation 15. Hue is that
 * of HSV, of linear light: white light of any strength, and what is mirrored of it, leave it as it
 * is, so that whatever turns it is the colour of a lamp or a fault of the tone map.
 */
#include "scene_fixture.h"

#include <marrow/frame.h>
#include <marrow/load.h>

#define SIDE   96
#define AROUND 48
#define DOWN   24
#define PI     3.14159265358979323846

/* ---- a sphere -------------------------------------------------------------------------------- */

typedef struct sphere {
    float points[(DOWN + 1) * (AROUND + 1)][3];
    uint32_t corners[DOWN * AROUND * 6];
} sphere;

static void make_sphere(sphere *out)
{
    uint32_t *corner = out->corners;
    for (uint32_t y = 0; y <= DOWN; y++) {
        for (uint32_t x = 0; x <= AROUND; x++) {
            const double polar = PI * y / DOWN, turn = 2 * PI * x / AROUND;
            float *p = out->points[y * (AROUND + 1) + x];
            p[0] = (float)(sin(polar) * sin(turn));
            p[1] = (float)cos(polar);
            p[2] = (float)(sin(polar) * cos(turn));
            if (y < DOWN && x < AROUND) {
                const uint32_t a = y * (AROUND + 1) + x, below = a + AROUND + 1;
                const uint32_t two[6] = {a, below, below + 1, a, below + 1, a + 1};
                memcpy(corner, two, sizeof two);
                corner += 6;
            }
        }
    }
}

/* Its normals are its positions. */
static mrw_scene *scene_of_sphere(const mrw_material *material)
{
    static sphere ball;
    mrwi_scene_builder *b = begin();
    uint32_t index;
    make_sphere(&ball);
    ck_assert_int_eq(mrwi_scene_builder_material(b, NULL, material, &index, NULL), MRW_OK);
    const mrwi_scene_mesh_input mesh = {.material = index,
                                        .vertex_count = COUNT(ball.points),
                                        .index_count = COUNT(ball.corners),
                                        .positions = ball.points[0],
                                        .normals = ball.points[0],
                                        .indices = ball.corners};
    const uint32_t node = add_node(b, "sphere", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), MRW_NONE, NULL), MRW_OK);
    return finish(b);
}

/* The first picture of a scene as the command draws it, seen from an azimuth: straight alpha, four
 * bytes a pixel. The caller frees it; the scene is freed. */
static mrw_image draw(mrw_scene *scene, float azimuth)
{
    mrw_frame_def def = mrw_frame_def_default();
    mrw_view_def view = mrw_view_def_default();
    mrw_environment *studio;
    mrw_extents extents;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_image image = {0};
    ck_assert_int_eq(mrw_environment_create_studio(MRW_RIG_SOFT, 1, &studio, NULL), MRW_OK);
    ck_assert_int_eq(mrw_model_create(scene, def.shading, 1, &model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    const mrw_instance instance = mrw_instance_default(model);
    view.azimuth_degrees = azimuth;
    ck_assert_int_eq(mrw_frame_extents(&instance, 1, MRW_FIT_FRAME, &view, 1.0f, MRW_ISA_AUTO, 1,
                                       &extents, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1.0f, &def.camera, NULL), MRW_OK);
    def.width = def.height = SIDE;
    def.samples = 1;
    def.studio = studio;
    def.transparent = true;
    ck_assert_int_eq(mrw_render(renderer, &def, &instance, 1, 1, &image, NULL), MRW_OK);
    ck_assert_uint_eq(image.channels, 4);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
    mrw_environment_free(studio);
    return image;
}

/* ---- what is seen of it ---------------------------------------------------------------------- */

#define MOST (SIDE * SIDE)

/* The pixels that a sphere covers, linear, and their greens as bytes from the darkest. */
typedef struct seen {
    double colors[MOST][3];
    int greens[MOST];
    int count;
} seen;

static double linear_of(double byte)
{
    const double v = byte / 255;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static const seen *see(const mrw_material *material)
{
    static seen out;
    mrw_image image = draw(scene_of_sphere(material), 30.0f);
    out.count = 0;
    for (int i = 0; i < MOST; i++) {
        const uint8_t *p = (const uint8_t *)image.pixels + 4 * i;
        if (p[3] == 255) {
            for (int k = 0; k < 3; k++) {
                out.colors[out.count][k] = linear_of(p[k]);
            }
            out.greens[out.count++] = p[1];
        }
    }
    mrw_image_free(&image);
    ck_assert_int_gt(out.count, MOST / 2);
    qsort(out.greens, (size_t)out.count, sizeof out.greens[0], by_value);
    return &out;
}

/* The byte that a share of the sphere is darker than. */
static int level(const seen *s, double share)
{
    return s->greens[(int)(share * (s->count - 1))];
}

static mrw_material matte(bool classic, float roughness, const double color[3])
{
    mrw_material m = mrw_material_default();
    m.model = classic ? MRW_MATERIAL_CLASSIC : MRW_MATERIAL_METALLIC_ROUGHNESS;
    for (int k = 0; k < 3; k++) {
        m.maps[MRW_MAP_BASE_COLOR].factor[k] = (float)color[k];
    }
    m.maps[MRW_MAP_METALLIC_ROUGHNESS].factor[1] = roughness;
    m.maps[MRW_MAP_METALLIC_ROUGHNESS].factor[2] = 0;
    return m;
}

/* ---- hues ------------------------------------------------------------------------------------ */

static double most_of(const double c[3])
{
    return fmax(c[0], fmax(c[1], c[2]));
}

static double least_of(const double c[3])
{
    return fmin(c[0], fmin(c[1], c[2]));
}

/* Degrees, 0 red, 120 green. */
static double hue_of(const double c[3])
{
    const double most = most_of(c), range = most - least_of(c);
    if (most == c[0]) {
        return 60 * fmod((c[1] - c[2]) / range + 6, 6);
    }
    return most == c[1] ? 60 * ((c[2] - c[0]) / range + 2) : 60 * ((c[0] - c[1]) / range + 4);
}

/* Ottosson, "A perceptual color space for image processing", 2020: where mixing with white, as tone
 * maps and highlights do, turns hues a little. */
static double ok_hue_of(const double c[3])
{
    const double l = cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
    const double m = cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
    const double s = cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
    const double a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    const double b = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
    return atan2(b, a) * 180 / PI;
}

static double turned(double from, double to)
{
    return fabs(fmod(to - from + 900, 360) - 180);
}

/* The inverse of hue_of: of value 0.7 and saturation 0.6. */
static void color_of_hue(double hue, double out[3])
{
    for (int i = 0; i < 3; i++) {
        const double k = fmod((i == 0 ? 5 : i == 1 ? 3 : 1) + hue / 60, 6);
        out[i] = 0.7 - 0.7 * 0.6 * fmax(0, fmin(1, fmin(k, 4 - k)));
    }
}

/* Every pixel that has as much colour as makes its hue certain to a degree or so, and the sphere as
 * a whole. */
START_TEST(hues_stay)
{
    for (int i = 0; i < 36; i++) {
        double base[3], sum[3] = {0, 0, 0};
        int sure = 0;
        color_of_hue(i / 2 * 20, base);
        ck_assert_double_eq_tol(hue_of(base), i / 2 * 20, 1e-9);
        const mrw_material m = matte(i % 2, 1, base);
        const seen *s = see(&m);
        for (int p = 0; p < s->count; p++) {
            const double *c = s->colors[p];
            for (int k = 0; k < 3; k++) {
                sum[k] += c[k];
            }
            if (most_of(c) - least_of(c) > 0.15) {
                ck_assert_msg(turned(hue_of(base), hue_of(c)) < 2, "hue %d became %g", i / 2 * 20,
                              hue_of(c));
                sure++;
            }
        }
        ck_assert_int_gt(sure, s->count / 2);
        ck_assert_double_lt(turned(hue_of(base), hue_of(sum)), 0.2);
        ck_assert_msg(turned(ok_hue_of(base), ok_hue_of(sum)) < 2, "OKLab hue of %d: %g from %g",
                      i / 2 * 20, ok_hue_of(sum), ok_hue_of(base));
    }
}
END_TEST

/* ---- greys ----------------------------------------------------------------------------------- */

static const double greys[6] = {0.02, 0.03, 0.05, 0.2, 0.5, 0.9};

START_TEST(greys_stay_grey)
{
    for (int i = 0; i < 12; i++) {
        const double base[3] = {greys[i / 2], greys[i / 2], greys[i / 2]};
        const mrw_material m = matte(i % 2, 1, base);
        const seen *s = see(&m);
        for (int p = 0; p < s->count; p++) {
            ck_assert(s->colors[p][0] == s->colors[p][1] && s->colors[p][1] == s->colors[p][2]);
        }
    }
}
END_TEST

/* Cloth and hair as glTF has them, between what nineteen twentieths of the sphere are darker than,
 * and one; and as other formats have them, which mirror nothing, so that the tone map, which
 * expects that they do, takes most of what they show: between their lightest and their darkest. */
START_TEST(dark_cloth_and_hair_keep_their_shape)
{
    for (int i = 0; i < 3; i++) {
        const double base[3] = {greys[i], greys[i], greys[i]};
        for (int kind = 0; kind < 3; kind++) {
            const mrw_material m = matte(kind == 2, kind == 1 ? 0.5f : 0.9f, base);
            const seen *s = see(&m);
            const double share = kind == 2 && i == 0 ? 1 : 0.95;
            const int lit = level(s, share), shaded = level(s, 1 - share);
            ck_assert_msg(lit - shaded >= 12, "albedo %g, kind %d: %d to %d", base[0], kind, shaded,
                          lit);
        }
    }
}
END_TEST

/* White is not burnt out, though the studio is bright, and surfaces that face the camera are darker
 * than surfaces that face the key. */
START_TEST(white_keeps_its_shape)
{
    const double base[3] = {greys[5], greys[5], greys[5]};
    for (int classic = 0; classic < 2; classic++) {
        const mrw_material m = matte(classic, 1, base);
        const seen *s = see(&m);
        ck_assert_int_lt(level(s, 1), 253);
        ck_assert_int_gt(level(s, 0.75) - level(s, 0.25), 15);
        ck_assert_int_gt(level(s, 0.95) - level(s, 0.05), 45);
        ck_assert_int_gt(level(s, 0.05), 180);
    }
}
END_TEST

/* ---- all sides ------------------------------------------------------------------------------- */

/* The mean luminance of a model seen from an azimuth. Of plaster: all its materials white and matt,
 * so that what differs is the light alone. */
static double luminance(const char *name, float azimuth, bool plaster)
{
    const mrw_load_def load = mrw_load_def_default();
    mrw_scene *scene;
    double sum = 0;
    int count = 0;
    ck_assert_int_eq(mrw_load_file(name, &load, &scene, NULL), MRW_OK);
    for (uint32_t i = 0; i < scene->materials_count && plaster; i++) {
        ((mrw_material *)(uintptr_t)scene->materials)[i] =
            matte(false, 1, (double[]){0.8, 0.8, 0.8});
    }
    mrw_image image = draw(scene, azimuth);
    for (int i = 0; i < MOST; i++) {
        const uint8_t *p = (const uint8_t *)image.pixels + 4 * i;
        if (p[3] == 255) {
            sum += 0.2126 * linear_of(p[0]) + 0.7152 * linear_of(p[1]) + 0.0722 * linear_of(p[2]);
            count++;
        }
    }
    mrw_image_free(&image);
    ck_assert_int_gt(count, 200);
    return sum / count;
}

static void check_sides(const char *name, bool plaster)
{
    double least = INFINITY, most = 0;
    for (int side = 0; side < 4; side++) {
        const double mean = luminance(name, 90.0f * (float)side, plaster);
        least = fmin(least, mean);
        most = fmax(most, mean);
    }
    ck_assert_msg(most <= 1.25 * least, "%s, %s: %g to %g", name, plaster ? "plaster" : "as it is",
                  least, most);
}

/* The tentacle is left out: its corners have colours, pale on one side. */
START_TEST(all_sides_are_as_light)
{
    check_sides("demo:figure", true);
    check_sides("demo:blob", true);
    check_sides("demo:stage", true);
    check_sides("demo:figure", false);
    check_sides("demo:blob", false);
    check_sides("demo:stage", false);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("chart");
    TCase *tc = tcase_create("chart");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, hues_stay);
    tcase_add_test(tc, greys_stay_grey);
    tcase_add_test(tc, dark_cloth_and_hair_keep_their_shape);
    tcase_add_test(tc, white_keeps_its_shape);
    tcase_add_test(tc, all_sides_are_as_light);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
