/* test_alpha_levels.c: levels of textures whose alpha counts: colours weighted by it, and as much
 * above a mask's cutoff on each level as on the first. Expected values are means in double
 * precision over the exact areas of texels.
 */
#include "raster_fixture.h"

#include "shade/texture.h"

#include <marrow/raster.h>

static mrw_raster_texture *made(const uint8_t *rgba, uint32_t width, uint32_t height,
                                mrw_encoding encoding, mrw_texture_alpha alpha, float cutoff,
                                uint32_t finest)
{
    mrw_raster_texture *texture;
    ck_assert_int_eq(mrw_raster_texture_create(NULL, width, height, encoding, &texture, NULL),
                     MRW_OK);
    mrw_raster_texture_set_alpha(texture, alpha, cutoff);
    ck_assert_int_eq(mrw_raster_texture_fill(texture, rgba, finest, NULL), MRW_OK);
    return texture;
}

static const uint16_t *texel_at(const mrw_raster_texture *t, uint32_t n, uint32_t x, uint32_t y)
{
    const mrwi_shade_texture_level *level = &t->layout.levels[n];
    return t->texels + 4 * ((size_t)level->first + (size_t)y * (size_t)level->stride + x);
}

/* How much of texel i of an axis lies in piece k of `pieces` equal ones. */
static double overlap(uint32_t side, uint32_t pieces, uint32_t k, uint32_t i)
{
    const double width = (double)side / pieces, from = k * width, to = from + width;
    const double lo = from > i ? from : i, hi = to < i + 1.0 ? to : i + 1.0;
    return hi > lo ? hi - lo : 0.0;
}

/* Channels of texel (x, y) of level n, as means of level n - 1. */
static void expected_texel(const mrw_raster_texture *t, uint32_t n, uint32_t x, uint32_t y,
                           double out[4])
{
    const uint32_t w = (uint32_t)t->layout.levels[n - 1].width,
                   h = (uint32_t)t->layout.levels[n - 1].height;
    double plain[4] = {0}, weighted[3] = {0}, area = 0.0;
    for (uint32_t j = 0; j < h; j++) {
        for (uint32_t i = 0; i < w; i++) {
            const uint16_t *texel = texel_at(t, n - 1, i, j);
            const double share = overlap(w, (uint32_t)t->layout.levels[n].width, x, i) *
                                 overlap(h, (uint32_t)t->layout.levels[n].height, y, j);
            for (int c = 0; c < 4; c++) {
                plain[c] += share * texel[c];
            }
            for (int c = 0; c < 3; c++) {
                weighted[c] += share * texel[c] * texel[3];
            }
            area += share;
        }
    }
    for (int c = 0; c < 3; c++) {
        out[c] = plain[3] > 0.0 ? weighted[c] / plain[3] : plain[c] / area;
    }
    out[3] = plain[3] / area;
}

/* Whole regions without alpha, some of full alpha, noise between. */
static void fill_ragged(uint8_t *rgba, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *texel = rgba + 4 * ((size_t)y * width + x);
            const uint32_t kind = (x / 5 + y / 4) % 3;
            for (int c = 0; c < 4; c++) {
                texel[c] = (uint8_t)random_bits();
            }
            texel[3] = kind == 0 ? 0 : kind == 1 ? 255 : texel[3];
        }
    }
}

/* A hole has the colour of the next level's texel over it. */
static void check_hole(const mrw_raster_texture *t, uint32_t n, uint32_t x, uint32_t y)
{
    const uint32_t w = (uint32_t)t->layout.levels[n + 1].width,
                   h = (uint32_t)t->layout.levels[n + 1].height;
    const uint16_t *over = texel_at(t, n + 1, x / 2 < w ? x / 2 : w - 1, y / 2 < h ? y / 2 : h - 1);
    REQUIRE(memcmp(texel_at(t, n, x, y), over, 3 * sizeof *over) == 0);
}

START_TEST(colours_are_weighted_by_alpha)
{
    static const uint32_t sizes[][2] = {{32, 32}, {13, 7}, {16, 9}, {1, 9}, {27, 24}, {31, 3}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const uint32_t w = sizes[k][0], h = sizes[k][1];
        uint32_t holes = 0;
        uint8_t rgba[32 * 32 * 4];
        fill_ragged(rgba, w, h);
        mrw_raster_texture *t =
            made(rgba, w, h, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_COVERS, 0.0f, 0);
        for (uint32_t n = 0; n < t->layout.level_count; n++) {
            for (uint32_t y = 0; y < (uint32_t)t->layout.levels[n].height; y++) {
                for (uint32_t x = 0; x < (uint32_t)t->layout.levels[n].width; x++) {
                    const uint16_t *texel = texel_at(t, n, x, y);
                    double expected[4] = {0};
                    if (n > 0) {
                        expected_texel(t, n, x, y, expected);
                        REQUIRE(fabs(texel[3] - expected[3]) <= 0.5 + 1e-6);
                    }
                    if (texel[3] == 0) {
                        check_hole(t, n, x, y);
                        holes++;
                        continue;
                    }
                    for (int c = 0; c < 3 && n > 0; c++) {
                        REQUIRE(fabs(texel[c] - expected[c]) <= 0.5 + 1e-6);
                    }
                }
            }
        }
        ck_assert_uint_gt(holes, 0);
        mrw_raster_texture_free(t);
    }
}
END_TEST

/* What is there keeps its bytes on the first level; where nothing is, all of it does. */
START_TEST(the_first_level_is_the_image)
{
    uint8_t rgba[27 * 24 * 4];
    fill_ragged(rgba, 27, 24);
    for (int empty = 0; empty < 2; empty++) {
        mrw_raster_texture *plain =
            made(rgba, 27, 24, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_PLAIN, 0.0f, 0);
        mrw_raster_texture *covers =
            made(rgba, 27, 24, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_COVERS, 0.0f, 0);
        for (uint32_t i = 0; i < 27 * 24; i++) {
            const uint16_t *a = texel_at(plain, 0, i % 27, i / 27);
            const uint16_t *b = texel_at(covers, 0, i % 27, i / 27);
            REQUIRE(a[3] == b[3] && (a[3] == 0 || memcmp(a, b, 6) == 0));
            rgba[4 * i + 3] = 0;
            rgba[4 * i] = rgba[4 * i + 1] = rgba[4 * i + 2] = 77;
        }
        if (empty) {
            ck_assert_uint_eq(texel_at(covers, 0, 5, 5)[0], texel_at(plain, 0, 5, 5)[0]);
            ck_assert_uint_gt(texel_at(plain, 0, 5, 5)[0], 0);
        }
        mrw_raster_texture_free(plain);
        mrw_raster_texture_free(covers);
    }
}
END_TEST

/* 1, 0, 0, 0 of full alpha: a quarter is there, and all of that is of the first one's colour. sRGB
 * 200 is 0.57758 of linear light. */
START_TEST(a_leaf_over_black_has_no_fringe)
{
    static const uint8_t rgba[16] = {0, 200, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    mrw_raster_texture *covers =
        made(rgba, 2, 2, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_COVERS, 0.0f, 0);
    mrw_raster_texture *plain =
        made(rgba, 2, 2, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_PLAIN, 0.0f, 0);
    mrw_raster_texture *raw = made(rgba, 2, 2, MRW_ENCODING_RAW, MRW_TEXTURE_ALPHA_COVERS, 0.0f, 0);
    ck_assert_double_le(fabs(texel_at(covers, 1, 0, 0)[1] / 65535.0 - 0.57758), 1e-5);
    ck_assert_double_le(fabs(texel_at(plain, 1, 0, 0)[1] / 65535.0 - 0.57758 / 4), 1e-5);
    ck_assert_uint_eq(texel_at(raw, 1, 0, 0)[1], 200 * 257 / 4);
    ck_assert_uint_eq(texel_at(covers, 1, 0, 0)[3], (65535 + 2) / 4);
    mrw_raster_texture_free(covers);
    mrw_raster_texture_free(plain);
    mrw_raster_texture_free(raw);
}
END_TEST

static bool equal(const mrw_raster_texture *a, const mrw_raster_texture *b)
{
    for (uint32_t n = a->layout.finest > b->layout.finest ? a->layout.finest : b->layout.finest;
         n < a->layout.level_count; n++) {
        const mrwi_shade_texture_level *level = &a->layout.levels[n];
        const size_t size = 8 * (size_t)level->stride * ((size_t)level->height + 1);
        if (memcmp(texel_at(a, n, 0, 0), texel_at(b, n, 0, 0), size) != 0) {
            return false;
        }
    }
    return true;
}

START_TEST(levels_are_the_same_whichever_are_kept)
{
    uint8_t rgba[27 * 24 * 4];
    fill_ragged(rgba, 27, 24);
    for (int alpha = MRW_TEXTURE_ALPHA_PLAIN; alpha <= MRW_TEXTURE_ALPHA_MASKS; alpha++) {
        mrw_raster_texture *all =
            made(rgba, 27, 24, MRW_ENCODING_COLOR, (mrw_texture_alpha)alpha, 0.6f, 0);
        for (uint32_t finest = 1; finest <= all->layout.level_count; finest++) {
            mrw_raster_texture *some =
                made(rgba, 27, 24, MRW_ENCODING_COLOR, (mrw_texture_alpha)alpha, 0.6f, finest);
            ck_assert(equal(all, some));
            mrw_raster_texture_free(some);
        }
        mrw_raster_texture_free(all);
    }
}
END_TEST

START_TEST(what_is_opaque_everywhere_is_the_same_for_all)
{
    uint8_t rgba[27 * 24 * 4];
    fill_ragged(rgba, 27, 24);
    for (int i = 0; i < 27 * 24; i++) {
        rgba[4 * i + 3] = 255;
    }
    mrw_raster_texture *plain =
        made(rgba, 27, 24, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_PLAIN, 0.0f, 0);
    for (int alpha = MRW_TEXTURE_ALPHA_COVERS; alpha <= MRW_TEXTURE_ALPHA_MASKS; alpha++) {
        mrw_raster_texture *other =
            made(rgba, 27, 24, MRW_ENCODING_COLOR, (mrw_texture_alpha)alpha, 0.5f, 0);
        ck_assert(equal(plain, other));
        mrw_raster_texture_free(other);
    }
    mrw_raster_texture_free(plain);
}
END_TEST

/* ---- masks ----------------------------------------------------------------------------------- */

#define LEAVES 256

/* Thin leaves with soft edges on nothing: round ones, and all alphas a little apart. */
static uint8_t *leaves(void)
{
    uint8_t *rgba = calloc(LEAVES * LEAVES, 4);
    for (int k = 0; k < 60; k++) {
        const double cx = random_float(8, LEAVES - 8), cy = random_float(8, LEAVES - 8);
        const double turn = random_float(0, 3.14f), c = cos(turn), s = sin(turn);
        for (int y = (int)cy - 16; y <= (int)cy + 16; y++) {
            for (int x = (int)cx - 16; x <= (int)cx + 16; x++) {
                const double u = ((x - cx) * c + (y - cy) * s) / 14,
                             v = (x - cx) * s - (y - cy) * c;
                const double inside = 1.5 - (u * u + v * v / 9) * 1.5;
                uint8_t *texel = rgba + 4 * ((y & (LEAVES - 1)) * LEAVES + (x & (LEAVES - 1)));
                const double alpha = inside < 0 ? 0 : inside > 1 ? 1 : inside;
                texel[1] = 120;
                texel[3] = (uint8_t)(alpha * 255) > texel[3] ? (uint8_t)(alpha * 255) : texel[3];
            }
        }
    }
    return rgba;
}

/* The share of a level whose alpha reaches the cutoff: of its texels, or filtered as pictures read
 * it, at PLACES x PLACES places a texel. */
#define PLACES 6

static double share_of_texels(const mrw_raster_texture *t, uint32_t n, float cutoff)
{
    const uint32_t w = (uint32_t)t->layout.levels[n].width,
                   h = (uint32_t)t->layout.levels[n].height;
    uint32_t count = 0;
    for (uint32_t i = 0; i < w * h; i++) {
        count += texel_at(t, n, i % w, i / w)[3] * (1.0f / 65535.0f) >= cutoff;
    }
    return (double)count / ((double)w * h);
}

static double share_filtered(const mrw_raster_texture *t, uint32_t n, float cutoff)
{
    const uint32_t side = (uint32_t)t->layout.levels[n].width, mask = side - 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < side * side * PLACES * PLACES; i++) {
        const double u = ((i % (side * PLACES)) + 0.5) / PLACES + side - 0.5;
        const double v = ((i / (side * PLACES)) + 0.5) / PLACES + side - 0.5;
        const uint32_t x = (uint32_t)u, y = (uint32_t)v;
        const double fx = u - x, fy = v - y;
        const double upper = texel_at(t, n, x & mask, y & mask)[3] * (1 - fx) +
                             texel_at(t, n, (x + 1) & mask, y & mask)[3] * fx;
        const double lower = texel_at(t, n, x & mask, (y + 1) & mask)[3] * (1 - fx) +
                             texel_at(t, n, (x + 1) & mask, (y + 1) & mask)[3] * fx;
        count += (upper * (1 - fy) + lower * fy) / 65535.0 >= (double)cutoff;
    }
    return (double)count / (side * side * PLACES * PLACES);
}

/* Down to 4 x 4 texels. Near a cutoff of 1 no scale can do it: alphas end there. */
START_TEST(masks_cover_as_much_on_each_level)
{
    static const float cutoffs[] = {0.1f, 0.25f, 0.5f, 0.7f};
    uint8_t *rgba = leaves();
    for (size_t k = 0; k < sizeof cutoffs / sizeof cutoffs[0]; k++) {
        mrw_raster_texture *t =
            made(rgba, LEAVES, LEAVES, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_MASKS, cutoffs[k], 0);
        mrw_raster_texture *unscaled =
            made(rgba, LEAVES, LEAVES, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_COVERS, 0.0f, 0);
        const double first = share_of_texels(t, 0, cutoffs[k]);
        double lost = 0.0;
        ck_assert(first > 0.02 && first < 0.9);
        for (uint32_t n = 1; n <= 6; n++) {
            const double share = share_filtered(t, n, cutoffs[k]);
            ck_assert_msg(fabs(share - first) <= 0.03, "%g, level %u: %f, not %f",
                          (double)cutoffs[k], n, share, first);
            lost = fmax(lost, fabs(share_filtered(unscaled, n, cutoffs[k]) - first));
        }
        ck_assert_double_ge(lost, 0.05);
        mrw_raster_texture_free(t);
        mrw_raster_texture_free(unscaled);
    }
    free(rgba);
}
END_TEST

static int falling(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* All places of a level, four a texel, a quarter of it off its centre: round their alphas, as they
 * are blended there of four texels in ninths, thirds and one, falling. */
static uint32_t read_places(const mrw_raster_texture *t, uint32_t n, uint32_t *out)
{
    const uint32_t w = (uint32_t)t->layout.levels[n].width,
                   h = (uint32_t)t->layout.levels[n].height;
    for (uint32_t i = 0; i < 4 * w * h; i++) {
        const uint32_t x = i / 4 % w, y = i / 4 / w;
        const uint32_t near_x = (x + (i & 1 ? 1 : w - 1)) % w;
        const uint32_t near_y = (y + (i & 2 ? 1 : h - 1)) % h;
        const double blend =
            0.75 * (0.75 * texel_at(t, n, x, y)[3] + 0.25 * texel_at(t, n, near_x, y)[3]) +
            0.25 * (0.75 * texel_at(t, n, x, near_y)[3] + 0.25 * texel_at(t, n, near_x, near_y)[3]);
        out[i] = (uint32_t)floor(blend + 0.5);
    }
    qsort(out, 4 * w * h, sizeof *out, falling);
    return 4 * w * h;
}

/* What alphas of a level are to be divided by and multiplied with the cutoff: the middle between
 * the least place that is to reach it and the next. The count of those is as near to the wanted as
 * can be, of two as near the larger; places of one alpha go together, those without never. */
static uint32_t divisor_of(const uint32_t *places, uint32_t count, uint32_t wanted, uint32_t cutoff)
{
    uint32_t best = 0, reach = 0;
    for (uint32_t k = 0; k <= count; k++) {
        const bool whole =
            k == 0 || (places[k - 1] > 0 && (k == count || places[k] < places[k - 1]));
        const uint32_t off = k > wanted ? k - wanted : wanted - k;
        if (whole && off <= (best > wanted ? best - wanted : wanted - best)) {
            best = k;
        }
        reach += k < count && places[k] >= cutoff;
    }
    if (reach == wanted) {
        return cutoff;
    }
    if (best == 0) {
        return 65536;
    }
    return (places[best - 1] + (best < count ? places[best] : 0) + 1) / 2;
}

/* Against sorted lists of all places. Alphas are few, so that many are alike, and some are the
 * cutoff itself. */
START_TEST(counts_are_the_nearest)
{
    static const uint32_t sides[][2] = {{16, 16}, {8, 32}, {13, 9}, {1, 16}, {2, 2}};
    static uint32_t places[4 * 32 * 32];
    for (int round = 0; round < 400; round++) {
        const uint32_t w = sides[round % 5][0], h = sides[round % 5][1], step = round % 2 ? 51 : 17;
        const float cutoff = (float)(1 + random_bits() % 5) / 5.0f;
        const uint32_t least = (uint32_t)ceil((double)cutoff * 65535.0);
        const uint32_t dense = random_bits() % 4;
        uint8_t rgba[16 * 32 * 4];
        uint32_t seen = 0;
        for (uint32_t i = 0; i < w * h; i++) {
            const uint32_t alpha = random_bits() % 4 < dense ? 0 : random_bits() % (255 / step + 1);
            memset(rgba + 4 * i, 100, 3);
            rgba[4 * i + 3] = (uint8_t)(alpha * step);
            seen += rgba[4 * i + 3] * 257u >= least;
        }
        mrw_raster_texture *t =
            made(rgba, w, h, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_MASKS, cutoff, 0);
        mrw_raster_texture *plain =
            made(rgba, w, h, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_COVERS, 0.0f, 0);
        for (uint32_t n = 0; n < t->layout.level_count; n++) {
            const uint32_t count = read_places(plain, n, places);
            const uint32_t wanted = (uint32_t)floor((double)seen * count / (w * h) + 0.5);
            const uint64_t by = n > 0 ? divisor_of(places, count, wanted, least) : least;
            const uint32_t width = (uint32_t)t->layout.levels[n].width;
            for (uint32_t i = 0; i < count / 4; i++) {
                const uint64_t scaled =
                    (uint64_t)texel_at(plain, n, i % width, i / width)[3] * least / by;
                REQUIRE(texel_at(t, n, i % width, i / width)[3] ==
                        (scaled < 65535 ? scaled : 65535));
            }
        }
        mrw_raster_texture_free(t);
        mrw_raster_texture_free(plain);
    }
}
END_TEST

/* Where the cutoff says nothing, alpha stays what it is. */
START_TEST(cutoffs_out_of_reach)
{
    uint8_t rgba[27 * 24 * 4];
    fill_ragged(rgba, 27, 24);
    mrw_raster_texture *covers =
        made(rgba, 27, 24, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_COVERS, 0.0f, 0);
    static const float cutoffs[] = {0.0f, -1.0f, 1.5f, INFINITY, NAN};
    for (size_t k = 0; k < sizeof cutoffs / sizeof cutoffs[0]; k++) {
        mrw_raster_texture *t =
            made(rgba, 27, 24, MRW_ENCODING_COLOR, MRW_TEXTURE_ALPHA_MASKS, cutoffs[k], 0);
        ck_assert(equal(covers, t));
        mrw_raster_texture_free(t);
    }
    mrw_raster_texture_free(covers);
}
END_TEST

START_TEST(filling_fails_cleanly)
{
    uint8_t rgba[27 * 24 * 4];
    fill_ragged(rgba, 27, 24);
    mrw_raster_texture *t;
    ck_assert_int_eq(mrw_raster_texture_create(NULL, 27, 24, MRW_ENCODING_COLOR, &t, NULL), MRW_OK);
    mrw_raster_texture_set_alpha(t, MRW_TEXTURE_ALPHA_MASKS, 0.5f);
    for (uint64_t n = 1; n <= 3; n++) {
        mrwi_base_alloc_fail_at(n);
        ck_assert_int_eq(mrw_raster_texture_fill(t, rgba, 0, NULL), MRW_ERROR_MEMORY);
        ck_assert_uint_eq(mrw_raster_texture_memory(t), 0);
    }
    ck_assert_int_eq(mrw_raster_texture_fill(t, rgba, 0, NULL), MRW_OK);
    mrw_raster_texture_free(t);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("alpha_levels");
    TCase *colors = tcase_create("colors");
    tcase_add_test(colors, colours_are_weighted_by_alpha);
    tcase_add_test(colors, the_first_level_is_the_image);
    tcase_add_test(colors, a_leaf_over_black_has_no_fringe);
    tcase_add_test(colors, levels_are_the_same_whichever_are_kept);
    tcase_add_test(colors, what_is_opaque_everywhere_is_the_same_for_all);
    suite_add_tcase(s, colors);
    TCase *masks = tcase_create("masks");
    tcase_add_test(masks, masks_cover_as_much_on_each_level);
    tcase_add_test(masks, counts_are_the_nearest);
    tcase_add_test(masks, cutoffs_out_of_reach);
    tcase_add_test(masks, filling_fails_cleanly);
    suite_add_tcase(s, masks);
    return s;
}

TEST_MAIN(suite())
