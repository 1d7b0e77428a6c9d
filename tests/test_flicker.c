/* test_flicker.c: highlights of a turning chrome figure, small in the picture, flicker hardly more
 * than with 64 samples of the light of each pixel, and the figure is as bright.
 *
 * Flicker: the mean absolute difference of the bytes of one picture to those of the next, over a
 * small turn of the camera. With 64 samples a picture is drawn eight times as large on each side
 * with one sample a pixel, and averaged in linear light, before exposure and tone map, where marrow
 * takes the mean of samples. Linear light of any strength is put together of pictures of several
 * exposures. */
#include "test.h"

#include "frame/frame.h"
#include "shade/shade.h"

#include <marrow/frame.h>
#include <marrow/load.h>

#include <math.h>

#define SIDE   128
#define TIMES  8 /* 64 samples are so many on a side */
#define FRAMES 9
#define STEP   0.5f /* degrees */

typedef struct stage_set {
    mrw_scene *scene;
    mrw_model *model;
    mrw_instance instance;
    mrw_environment *studio;
    mrw_renderer *renderer;
    mrw_image image;
} stage_set;

/* Everything that the figure consists of becomes bright metal of one roughness. */
static stage_set *chrome_figure(float roughness)
{
    stage_set *s = calloc(1, sizeof *s);
    ck_assert_int_eq(mrw_load_file("assets/figure.glb", NULL, &s->scene, NULL), MRW_OK);
    ck_assert_int_eq(mrw_model_create(s->scene, MRW_SHADING_LIT, 1, &s->model, NULL), MRW_OK);
    for (uint32_t i = 0; i <= s->scene->materials_count; i++) {
        s->model->materials[i] = (mrw_raster_material){.base_color = {0.95f, 0.95f, 0.95f, 1},
                                                       .metallic = 1,
                                                       .roughness = roughness,
                                                       .reflectance = 0.04f,
                                                       .specular = 1,
                                                       .specular_color = {1, 1, 1},
                                                       .uv_transform = {1, 0, 0, 0, 1, 0}};
    }
    s->instance = mrw_instance_default(s->model);
    ck_assert_int_eq(mrw_environment_create_studio(MRW_RIG_SOFT, 1, &s->studio, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    return s;
}

static void take_down(stage_set *s)
{
    mrw_image_free(&s->image);
    mrw_renderer_free(s->renderer);
    mrw_environment_free(s->studio);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
    free(s);
}

/* Seen from a frame's side. */
static mrw_frame_def frame_of(const stage_set *s, uint32_t side, uint32_t samples, int frame)
{
    mrw_frame_def def = mrw_frame_def_default();
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    view.azimuth_degrees = 20.0f + STEP * (float)frame;
    ck_assert_int_eq(
        mrw_frame_extents(&s->instance, 1, MRW_FIT_REST, &view, 1, MRW_ISA_AUTO, 1, &extents, NULL),
        MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1, &def.camera, NULL), MRW_OK);
    def.width = def.height = side;
    def.samples = samples;
    def.studio = s->studio;
    memset(def.background, 0, 3);
    return def;
}

static const float exposures[] = {0x1p-11f, 0x1p-7f, 0x1p-3f, 1};

/* The mean light of blocks of pixels: the most exposed picture counts that is not overexposed. */
static void see_light(stage_set *s, int frame, float (*light)[4])
{
    static float linear[SIDE * TIMES * SIDE * TIMES][3];
    float curve[256];
    mrw_frame_def def = frame_of(s, SIDE * TIMES, 1, frame);
    def.tonemap = MRW_TONEMAP_NONE;
    for (int i = 0; i < 256; i++) {
        curve[i] = i <= 10 ? (float)i / 255 / 12.92f : (float)pow((i / 255.0 + 0.055) / 1.055, 2.4);
    }
    for (size_t e = 0; e < sizeof exposures / sizeof *exposures; e++) {
        def.exposure = exposures[e];
        ck_assert_int_eq(mrw_render(s->renderer, &def, &s->instance, 1, 1, &s->image, NULL),
                         MRW_OK);
        const uint8_t *bytes = s->image.pixels;
        for (size_t i = 0; i < SIDE * TIMES * SIDE * TIMES; i++) {
            for (int k = 0; k < 3; k++) {
                const uint8_t byte = bytes[3 * i + (size_t)k];
                linear[i][k] = e == 0 || byte < 245 ? curve[byte] / exposures[e] : linear[i][k];
            }
        }
    }
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        double sum[3] = {0, 0, 0};
        for (size_t y = i / SIDE * TIMES; y < (i / SIDE + 1) * TIMES; y++) {
            for (size_t x = i % SIDE * TIMES; x < (i % SIDE + 1) * TIMES; x++) {
                for (int k = 0; k < 3; k++) {
                    sum[k] += (double)linear[y * SIDE * TIMES + x][k];
                }
            }
        }
        for (int k = 0; k < 3; k++) {
            light[i][k] = (float)(sum[k] / (TIMES * TIMES));
        }
        light[i][3] = 1;
    }
}

typedef uint8_t picture[SIDE * SIDE * 3];

static void draw_with_64_samples(stage_set *s, int frame, picture out)
{
    static float light[SIDE * SIDE][4] __attribute__((aligned(64)));
    static const float nothing[4];
    const mrwi_shade_tone tone = {MRWI_SHADE_CURVE_NEUTRAL, 1};
    see_light(s, frame, light);
    mrwi_shade_kernels_for(MRW_ISA_SCALAR)
        ->encode((const float(*)[4])light, SIDE * SIDE, nothing, 3, tone, out);
}

static void draw(stage_set *s, int frame, picture out)
{
    const mrw_frame_def def = frame_of(s, SIDE, 4, frame);
    ck_assert_int_eq(mrw_render(s->renderer, &def, &s->instance, 1, 1, &s->image, NULL), MRW_OK);
    memcpy(out, s->image.pixels, sizeof(picture));
}

static double flicker(stage_set *s, void (*draw_frame)(stage_set *s, int frame, picture out))
{
    static picture before, now;
    double sum = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        draw_frame(s, frame, now);
        for (size_t i = 0; i < sizeof now && frame > 0; i++) {
            sum += fabs((double)now[i] - (double)before[i]);
        }
        memcpy(before, now, sizeof now);
    }
    return sum / (FRAMES - 1) / sizeof now;
}

/* Edges that glow or highlights that fill a pixel would make the figure brighter. */
START_TEST(chrome_is_as_bright_as_with_64_samples)
{
    static picture few, many;
    stage_set *s = chrome_figure(0.1f);
    double brighter = 0;
    draw(s, 0, few);
    draw_with_64_samples(s, 0, many);
    for (size_t i = 0; i < sizeof few; i++) {
        brighter += (double)few[i] - (double)many[i];
    }
    printf("brighter by %.2f levels\n", brighter / sizeof few);
    ck_assert_double_le(fabs(brighter / sizeof few), 2.5);
    take_down(s);
}
END_TEST

START_TEST(chrome_flickers_hardly_more_than_with_64_samples)
{
    stage_set *s = chrome_figure(0.1f);
    const double few = flicker(s, draw), many = flicker(s, draw_with_64_samples);
    printf("flicker %.3f, with 64 samples %.3f: %.2f times\n", few, many, few / many);
    ck_assert_double_le(few, 1.25 * many);
    take_down(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("flicker");
    TCase *tc = tcase_create("flicker");
    tcase_set_timeout(tc, 60); /* of sanitizers */
    tcase_add_test(tc, chrome_flickers_hardly_more_than_with_64_samples);
    tcase_add_test(tc, chrome_is_as_bright_as_with_64_samples);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
