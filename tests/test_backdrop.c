/* test_backdrop.c: the environment behind the model, seen through the camera's rays and composed in
 * linear light. Expected values are evaluated here in double precision, from the definitions of
 * marrow/light.h. */
#include "raster_fixture.h"

#include <marrow/raster.h>

#include <math.h>

#define PI     3.14159265358979323846
#define WIDTH  40
#define HEIGHT 24

static double srgb_level(double x)
{
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    return 255.0 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055);
}

/* ---- a picture ------------------------------------------------------------------------------- */

#define COLUMNS 16
#define ROWS    8
static float sky[ROWS][COLUMNS][3];

static mrw_environment *make_sky(void)
{
    mrw_environment *environment;
    for (int y = 0; y < ROWS; y++) {
        for (int x = 0; x < COLUMNS; x++) {
            for (int k = 0; k < 3; k++) {
                sky[y][x][k] = random_float(0.0f, 1.0f);
            }
        }
    }
    ck_assert_int_eq(
        mrw_environment_create(&sky[0][0][0], COLUMNS, ROWS, true, 1, &environment, NULL), MRW_OK);
    return environment;
}

/* Two by two pixels around a direction: columns go round, rows end at the poles. */
static void see(const double d[3], double out[3])
{
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double x = (0.5 + atan2(d[2], d[0]) / (2 * PI)) * COLUMNS - 0.5;
    const double y = fmin(fmax((0.5 - asin(d[1] / length) / PI) * ROWS - 0.5, 0), ROWS - 1);
    const int left = (int)floor(x), upper = (int)floor(y);
    const int lower = upper + 1 < ROWS ? upper + 1 : upper;
    for (int k = 0; k < 3; k++) {
        const int a = (left + COLUMNS) % COLUMNS, b = (left + 1) % COLUMNS;
        const double above = sky[upper][a][k] + (sky[upper][b][k] - sky[upper][a][k]) * (x - left);
        const double below = sky[lower][a][k] + (sky[lower][b][k] - sky[lower][a][k]) * (x - left);
        out[k] = above + (below - above) * (y - upper);
    }
}

/* ---- pictures of it -------------------------------------------------------------------------- */

static uint8_t pixels[HEIGHT][WIDTH][3];

static mrw_raster_job job_of(const mrw_environment *environment)
{
    mrw_raster_job job = {.shading = MRW_SHADING_LIT,
                          .filter = MRW_FILTER_TRILINEAR,
                          .exposure = 1.0f,
                          .tonemap = MRW_TONEMAP_NONE,
                          .samples = 4,
                          .environment_background = true,
                          .background = {255, 0, 255, 255},
                          .width = WIDTH,
                          .height = HEIGHT,
                          .threads = 1};
    mrw_environment_place(environment, 0, 1, NULL, &job.lighting);
    return job;
}

static void draw(mrw_raster_job *job, uint32_t channels, void *out)
{
    mrw_raster *raster;
    const mrw_target target = {MRW_TARGET_COLOR, MRW_FORMAT_U8, channels, out,
                               (size_t)job->width * channels};
    job->targets = &target;
    job->target_count = 1;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, job, NULL), MRW_OK);
    mrw_raster_free(raster);
}

static void check_pixel(int x, int y, const double expected[3])
{
    for (int k = 0; k < 3; k++) {
        ck_assert_msg(fabs(pixels[y][x][k] - srgb_level(expected[k])) < 1.01,
                      "%d, %d, %d: %d, expected %f", x, y, k, pixels[y][x][k],
                      srgb_level(expected[k]));
    }
}

/* A camera, and an environment that is turned. */
typedef struct sight {
    double yaw, pitch, focal, turn;
} sight;

/* Finds the direction of a pixel's centre in the environment. */
static void direction_of(const sight *s, int x, int y, double out[3])
{
    const double cy = cos(s->yaw), sy = sin(s->yaw), cp = cos(s->pitch), sp = sin(s->pitch);
    const double right[3] = {cy, 0, sy}, up[3] = {sp * sy, cp, -sp * cy};
    const double front[3] = {cp * sy, -sp, -cp * cy};
    const double a = ((x + 0.5) * 2 / WIDTH - 1) / s->focal;
    const double b = (1 - (y + 0.5) * 2 / HEIGHT) / s->focal;
    double d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = front[k] + a * right[k] + b * up[k];
    }
    /* turned by so much counter-clockwise from above: back again */
    out[0] = d[0] * cos(s->turn) - d[2] * sin(s->turn);
    out[1] = d[1];
    out[2] = d[0] * sin(s->turn) + d[2] * cos(s->turn);
}

START_TEST(every_pixel_shows_its_direction)
{
    mrw_environment *environment = make_sky();
    const double focal = 0.7, degrees = 35, turn = degrees * PI / 180;
    for (int i = 0; i < 8; i++) {
        const double yaw = i * 0.9, pitch = (i - 3.5) * 0.44;
        const sight at = {yaw, pitch, focal, turn};
        mrw_raster_job job = job_of(environment);
        job.view.world_to_clip = look(yaw, pitch, focal, 0.1, 10);
        job.exposure = 0.8f;
        mrw_environment_place(environment, (float)degrees, 0.9f, NULL, &job.lighting);
        draw(&job, 3, pixels);
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                double in[3], color[3];
                direction_of(&at, x, y, in);
                see(in, color);
                for (int k = 0; k < 3; k++) {
                    color[k] *= 0.8 * 0.9;
                }
                check_pixel(x, y, color);
            }
        }
    }
    mrw_environment_free(environment);
}
END_TEST

/* ---- blurred --------------------------------------------------------------------------------- */

/* Returns a component of the texel whose centre is at (u, v) of the unfolded octahedron. Beyond an
 * edge the map continues with the same edge, turned about its middle. */
static double texel_at(const mrw_environment_info *info, int level, double u, double v, int k)
{
    const uint32_t side = info->levels[level].side, size = side - 2;
    if (fabs(u) > 1) {
        u = copysign(2 - fabs(u), u);
        v = -v;
    }
    if (fabs(v) > 1) {
        v = copysign(2 - fabs(v), v);
        u = -u;
    }
    const uint32_t x = (uint32_t)((u + 1) / 2 * size), y = (uint32_t)((v + 1) / 2 * size);
    const size_t texel = info->levels[level].first + (size_t)(y + 1) * side + x + 1;
    return (double)info->texels[4 * texel + (size_t)k];
}

/* The cubic B-spline at a distance from its middle. */
static double spline(double x)
{
    x = fabs(x);
    return x < 1 ? 2.0 / 3 - x * x + x * x * x / 2 : x < 2 ? (2 - x) * (2 - x) * (2 - x) / 6 : 0;
}

static double see_level(const mrw_environment_info *info, int level, const double d[3], int k)
{
    const double sum = fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
    double u = d[0] / sum, v = d[2] / sum, result = 0;
    const double size = info->levels[level].side - 2;
    if (d[1] < 0) {
        const double folded = copysign(1 - fabs(v), u);
        v = copysign(1 - fabs(u), v);
        u = folded;
    }
    const double px = (u + 1) / 2 * size - 0.5, py = (v + 1) / 2 * size - 0.5;
    for (int y = -1; y <= 2; y++) {
        for (int x = -1; x <= 2; x++) {
            const double cx = floor(px) + x, cy = floor(py) + y;
            result +=
                spline(px - cx) * spline(py - cy) *
                texel_at(info, level, (cx + 0.5) * 2 / size - 1, (cy + 0.5) * 2 / size - 1, k);
        }
    }
    return result;
}

/* Level k is for roughness k / 8. With or without its picture, the environment looks the same. */
START_TEST(blur_shows_rough_reflections)
{
    static const float blurs[] = {0.01f, 0.125f, 0.3f, 0.5f, 0.8f, 1.0f};
    mrw_environment *kept = make_sky(), *dropped;
    ck_assert_int_eq(mrw_environment_create(&sky[0][0][0], COLUMNS, ROWS, false, 1, &dropped, NULL),
                     MRW_OK);
    const mrw_environment_info info = mrw_environment_look(kept);
    for (int i = 0; i < 12; i++) {
        const double degrees = 35 * i, blur = (double)blurs[i % 6] * 8;
        const sight at = {i * 0.53, (i - 5.5) * 0.26, 0.35, degrees * PI / 180};
        const int level = blur < 7 ? (int)blur : 7;
        mrw_raster_job job = job_of(kept);
        job.view.world_to_clip = look(at.yaw, at.pitch, at.focal, 0.1, 10);
        job.environment_blur = blurs[i % 6];
        mrw_environment_place(i % 2 ? kept : dropped, (float)degrees, 0.8f, NULL, &job.lighting);
        draw(&job, 3, pixels);
        for (int p = 0; p < WIDTH * HEIGHT; p++) {
            double d[3], color[3];
            direction_of(&at, p % WIDTH, p / WIDTH, d);
            for (int k = 0; k < 3; k++) {
                const double smooth = see_level(&info, level, d, k);
                const double rough = see_level(&info, level + 1, d, k);
                color[k] = 0.8 * (smooth + (rough - smooth) * (blur - level));
            }
            check_pixel(p % WIDTH, p / WIDTH, color);
        }
    }
    mrw_environment_free(kept);
    mrw_environment_free(dropped);
}
END_TEST

/* ---- behind surfaces ------------------------------------------------------------------------- */

/* Everything from every side is `radiance`. */
static mrw_environment *make_even(float radiance, bool keep_picture)
{
    mrw_environment *environment;
    const float picture[3] = {radiance, radiance, radiance};
    ck_assert_int_eq(mrw_environment_create(picture, 1, 1, keep_picture, 1, &environment, NULL),
                     MRW_OK);
    return environment;
}

static const uint32_t corners[6] = {0, 1, 2, 2, 1, 3};
static const float normals[4][4] = {{0, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 1, 0}};
static float positions[4][4];

/* A black square in pixel space, from x0 on over the rest of the picture. */
static mrw_raster_draw square_from(float x0, const mrw_raster_material *material)
{
    for (int i = 0; i < 4; i++) {
        positions[i][0] = i & 1 ? (float)SIDE : x0;
        positions[i][1] = i & 2 ? (float)SIDE : 0.0f;
        positions[i][2] = 0.5f;
        positions[i][3] = 1.0f;
    }
    return (mrw_raster_draw){.vertex_count = 4,
                             .triangle_count = 2,
                             .indices = corners,
                             .positions = positions[0],
                             .normals = normals[0],
                             .id = 1,
                             .material = material};
}

/* What becomes of three pixels: free, half covered, covered. */
static void draw_square(const mrw_environment *environment, const mrw_raster_material *material,
                        uint32_t channels, mrw_isa isa, uint8_t out[3][4])
{
    static uint8_t picture[SIDE * SIDE * 4];
    const mrw_raster_draw square = square_from(20.5f, material);
    mrw_raster_job job = job_of(environment);
    job.draws = &square;
    job.draw_count = 1;
    job.width = job.height = SIDE;
    job.view.world_to_clip = pixel_space(SIDE);
    job.view.orthographic = true;
    job.view.view_back[2] = 1;
    job.isa = isa;
    draw(&job, channels, picture);
    for (uint32_t i = 0; i < 3; i++) {
        memset(out[i], 255, 4);
        memcpy(out[i], picture + (30 * SIDE + 19 + i) * channels, channels);
    }
}

static void check_square(const mrw_environment *environment, const mrw_raster_material *material,
                         double edge, double inside)
{
    for (uint32_t channels = 3; channels <= 4; channels++) {
        for (int i = 0; i < 2; i++) {
            uint8_t seen[3][4];
            draw_square(environment, material, channels, i ? MRW_ISA_SCALAR : MRW_ISA_AUTO, seen);
            ck_assert_int_eq(seen[0][0], 255); /* 3 is brighter than white */
            ck_assert_double_eq_tol(seen[1][0], srgb_level(edge), 1.01);
            ck_assert_double_eq_tol(seen[2][0], srgb_level(inside), 1.01);
            ck_assert(seen[0][3] == 255 && seen[1][3] == 255 && seen[2][3] == 255);
        }
    }
}

/* Of three times white, half a pixel is still white, and of that, a tenth seen through. */
START_TEST(edges_and_glass_are_composed_in_linear_light)
{
    mrw_environment *bright = make_even(3.0f, true);
    mrw_raster_material black = double_sided;
    memset(black.base_color, 0, 3 * sizeof black.base_color[0]);
    black.unlit = true;
    check_square(bright, &black, 1.5, 0.0);
    black.alpha_mode = 2; /* blended */
    black.base_color[3] = 0.9f;
    check_square(bright, &black, 1.65, 0.3);
    mrw_environment_free(bright);
}
END_TEST

/* Without its picture it is seen as the smoothest surfaces mirror it. */
START_TEST(without_a_picture_the_first_level_is_seen)
{
    mrw_environment *even = make_even(0.25f, false);
    mrw_raster_job job = job_of(even);
    const double expected[3] = {0.25, 0.25, 0.25};
    job.view.world_to_clip = look(0.4, 0.3, 1.0, 0.1, 10);
    draw(&job, 3, pixels);
    check_pixel(0, 0, expected);
    check_pixel(WIDTH - 1, HEIGHT - 1, expected);
    mrw_environment_free(even);
}
END_TEST

/* Where no environment shines, or none is wanted, the background is what it was. */
START_TEST(otherwise_there_is_the_background)
{
    mrw_environment *even = make_even(0.25f, true);
    for (int i = 0; i < 3; i++) {
        mrw_raster_job job = job_of(i == 0 ? NULL : even);
        job.environment_background = i != 1;
        job.shading = i == 2 ? MRW_SHADING_LAMBERT : MRW_SHADING_LIT;
        job.view.world_to_clip = look(0.4, 0.3, 1.0, 0.1, 10);
        draw(&job, 3, pixels);
        ck_assert(pixels[3][3][0] == 255 && pixels[3][3][1] == 0 && pixels[3][3][2] == 255);
    }
    mrw_environment_free(even);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("backdrop");
    TCase *tc = tcase_create("backdrop");
    tcase_add_test(tc, every_pixel_shows_its_direction);
    tcase_add_test(tc, blur_shows_rough_reflections);
    tcase_add_test(tc, edges_and_glass_are_composed_in_linear_light);
    tcase_add_test(tc, without_a_picture_the_first_level_is_seen);
    tcase_add_test(tc, otherwise_there_is_the_background);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
