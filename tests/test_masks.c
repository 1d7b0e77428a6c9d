/* test_masks.c: masked materials on the screen: which samples pass, by hand; as much of a leaf at
 * any size; and no fringe of what is not to be seen, neither of masks nor of what blends.
 */
#include "raster_fixture.h"

#include "shade/texture.h"

#include <marrow/raster.h>

#define PICTURE 256

/* A square card from the top left corner on, over a background. */
typedef struct card {
    float positions[4][4], uvs[4][2], colors[4][4];
    mrw_raster_material material;
    mrw_raster_draw draw;
    uint32_t samples;
    mrw_isa isa;
    mrw_shading shading;
    uint8_t background[4];
    uint8_t pixels[PICTURE * PICTURE * 3];
    uint8_t covered[PICTURE * PICTURE];
} card;

static void make_card(card *c, float size, uint32_t alpha_mode)
{
    static const uint32_t indices[6] = {0, 2, 1, 1, 2, 3};
    static const float normals[4][4] = {{0, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 1, 0}};
    memset(c, 0, sizeof *c);
    for (int i = 0; i < 4; i++) {
        const float u = (float)(i % 2), v = (float)(i / 2);
        memcpy(c->positions[i], (float[4]){u * size, v * size, 0.5f, 1}, sizeof c->positions[i]);
        memcpy(c->uvs[i], (float[2]){u, v}, sizeof c->uvs[i]);
        memcpy(c->colors[i], (float[4]){1, 1, 1, 1}, sizeof c->colors[i]);
    }
    c->material = double_sided;
    c->material.alpha_mode = alpha_mode;
    c->material.alpha_cutoff = 0.5f;
    c->shading = MRW_SHADING_RAW;
    c->samples = 4;
    c->draw = (mrw_raster_draw){.vertex_count = 4,
                                .triangle_count = 2,
                                .indices = indices,
                                .positions = c->positions[0],
                                .normals = normals[0],
                                .uvs = c->uvs[0],
                                .colors = c->colors[0],
                                .id = 1,
                                .material = &c->material};
}

static void draw(card *c)
{
    mrw_raster *raster;
    const mrw_target targets[2] = {{MRW_TARGET_COLOR, MRW_FORMAT_U8, 3, c->pixels, PICTURE * 3},
                                   {MRW_TARGET_COVERAGE, MRW_FORMAT_U8, 1, c->covered, PICTURE}};
    mrw_raster_job job = {.draws = &c->draw,
                          .draw_count = 1,
                          .view = {pixel_space(PICTURE), {0, 0, 1}, true},
                          .shading = c->shading,
                          .filter = MRW_FILTER_TRILINEAR,
                          .exposure = 1.0f,
                          .samples = c->samples,
                          .width = PICTURE,
                          .height = PICTURE,
                          .targets = targets,
                          .target_count = 2,
                          .isa = c->isa,
                          .threads = 1};
    memcpy(job.background, c->background, sizeof job.background);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &job, NULL), MRW_OK);
    mrw_raster_free(raster);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Alpha is a plane over the card: at the corners it is 0.1, 0.1 + 256 dx, 0.1 + 256 dy and both. */
static void slope(card *c, double dx, double dy)
{
    for (int i = 0; i < 4; i++) {
        c->colors[i][3] = (float)(0.1 + PICTURE * (i % 2 * dx + i / 2 * dy));
    }
}

/* How many samples of a pixel have an alpha of 0.5 or more; -1: one is too near to tell. */
static int passing(int row, uint32_t samples, int x, int y, double dx, double dy)
{
    int count = 0;
    for (uint32_t s = 0; s < samples; s++) {
        const double alpha = 0.1 + dx * (x + 0.5 + standard[row][s][0] / 16.0) +
                             dy * (y + 0.5 + standard[row][s][1] / 16.0);
        if (fabs(alpha - 0.5) < 1e-5) {
            return -1;
        }
        count += alpha >= 0.5;
    }
    return count;
}

/* White where it passes, over black: a pixel is 255 times the share of its samples that do. */
START_TEST(each_sample_has_its_own_alpha)
{
    static const double slopes[][2] = {{0.0031, 0.00011}, {0.0013, 0.0019}, {0.0029, -0.00013}};
    for (int row = 0; row < 4; row++) {
        for (size_t k = 0; k < sizeof slopes / sizeof slopes[0]; k++) {
            const double dx = slopes[k][0], dy = slopes[k][1];
            static card c;
            uint32_t partly = 0;
            make_card(&c, PICTURE, 1);
            slope(&c, dx, dy);
            c.samples = 1u << row;
            for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
                if (!mrw_isa_available((mrw_isa)isa)) {
                    continue;
                }
                c.isa = (mrw_isa)isa;
                draw(&c);
                for (int i = 0; i < PICTURE * PICTURE; i++) {
                    const int n = passing(row, c.samples, i % PICTURE, i / PICTURE, dx, dy);
                    const int level = (int)(255.0 * n / c.samples + 0.5);
                    REQUIRE(n < 0 || c.pixels[3 * i] == level);
                    REQUIRE(n < 0 || c.covered[i] == (n > 0));
                    partly += n > 0 && n < (int)c.samples;
                }
            }
            ck_assert(c.samples == 1 ? partly == 0 : partly > 100);
        }
    }
}
END_TEST

/* ---- leaves ---------------------------------------------------------------------------------- */

/* Opaque green leaves, nothing in black between. */
static uint8_t *leaves(void)
{
    uint8_t *rgba = calloc(PICTURE * PICTURE, 4);
    for (int k = 0; k < 110; k++) {
        const double cx = random_float(0, PICTURE), cy = random_float(0, PICTURE);
        const double turn = random_float(0, 3.14f), c = cos(turn), s = sin(turn);
        for (int y = (int)cy - 18; y <= (int)cy + 18; y++) {
            for (int x = (int)cx - 18; x <= (int)cx + 18; x++) {
                const double u = (x - cx) * c + (y - cy) * s, v = (x - cx) * s - (y - cy) * c;
                if (u * u / 256 + v * v / 16 < 1) {
                    uint8_t *texel =
                        rgba + 4 * ((y & (PICTURE - 1)) * PICTURE + (x & (PICTURE - 1)));
                    memcpy(texel, (uint8_t[4]){0, 120, 0, 255}, 4);
                }
            }
        }
    }
    return rgba;
}

static mrw_raster_texture *texture_of(const uint8_t *rgba, mrw_texture_alpha alpha)
{
    mrw_raster_texture *texture;
    ck_assert_int_eq(
        mrw_raster_texture_create(NULL, PICTURE, PICTURE, MRW_ENCODING_COLOR, &texture, NULL),
        MRW_OK);
    mrw_raster_texture_set_alpha(texture, alpha, 0.5f);
    ck_assert_int_eq(mrw_raster_texture_fill(texture, rgba, 0, NULL), MRW_OK);
    return texture;
}

/* The share of the card that is drawn: of black, what is left of a white background. */
static double drawn_share(card *c, const mrw_raster_texture *texture, int size)
{
    double sum = 0.0;
    make_card(c, (float)size, 1);
    c->material.maps[0].texture = texture;
    memset(c->material.base_color, 0, 3 * sizeof c->material.base_color[0]);
    memset(c->background, 255, sizeof c->background);
    draw(c);
    for (int i = 0; i < size * size; i++) {
        sum += 1.0 - c->pixels[3 * ((i / size) * PICTURE + i % size)] / 255.0;
    }
    return sum / (size * size);
}

START_TEST(leaves_cover_as_much_at_any_size)
{
    static card c;
    uint8_t *rgba = leaves();
    double truth = 0.0, lost = 0.0;
    for (int i = 0; i < PICTURE * PICTURE; i++) {
        truth += rgba[4 * i + 3] / 255.0 / (PICTURE * PICTURE);
    }
    ck_assert(truth > 0.15 && truth < 0.4);
    mrw_raster_texture *masks = texture_of(rgba, MRW_TEXTURE_ALPHA_MASKS);
    mrw_raster_texture *covers = texture_of(rgba, MRW_TEXTURE_ALPHA_COVERS);
    static const int sizes[] = {256, 181, 128, 91, 64, 45, 32, 23, 16, 11, 8};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const int size = sizes[k];
        const double share = drawn_share(&c, masks, size);
        ck_assert_msg(fabs(share - truth) <= 0.015, "%d: %f, not %f", size, share, truth);
        lost = fmax(lost, fabs(drawn_share(&c, covers, size) - truth));
    }
    ck_assert_double_ge(lost, 0.1);
    mrw_raster_texture_free(masks);
    mrw_raster_texture_free(covers);
    free(rgba);
}
END_TEST

/* Over a background of their own green nothing else may be seen, however the leaves are drawn. */
START_TEST(leaves_have_no_fringe)
{
    static card c;
    static const float sizes[] = {1000, 256, 200, 128, 91, 64, 40, 21, 9};
    uint8_t *rgba = leaves();
    for (uint32_t mode = 1; mode <= 2; mode++) {
        mrw_raster_texture *texture =
            texture_of(rgba, mode == 1 ? MRW_TEXTURE_ALPHA_MASKS : MRW_TEXTURE_ALPHA_COVERS);
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            make_card(&c, sizes[k], mode);
            c.shading = MRW_SHADING_UNLIT;
            c.material.maps[0].texture = texture;
            memcpy(c.background, (uint8_t[4]){0, 120, 0, 255}, 4);
            draw(&c);
            for (int i = 0; i < PICTURE * PICTURE; i++) {
                const uint8_t *pixel = c.pixels + 3 * i;
                REQUIRE(pixel[0] == 0 && abs(pixel[1] - 120) <= 1 && pixel[2] == 0);
            }
        }
        mrw_raster_texture_free(texture);
    }
    free(rgba);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("masks");
    TCase *tc = tcase_create("masks");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, each_sample_has_its_own_alpha);
    tcase_add_test(tc, leaves_cover_as_much_at_any_size);
    tcase_add_test(tc, leaves_have_no_fringe);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
