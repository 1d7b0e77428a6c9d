/* test_textures.c: mip pyramids by encoding, the levels of them that are kept, and which ones
 * pictures can show: footprints by hand, and pictures that are the same whichever are kept.
 */
#include "test.h"

#include "base/memory.h"
#include "image/color.h"
#include "shade/texture.h"

#include <marrow/raster.h>
#include <math.h>

static uint64_t random_state = 1;

static uint32_t random_u32(void)
{
    return test_random(&random_state);
}

static uint32_t random_below(uint32_t n)
{
    return test_random_below(&random_state, n);
}

static float random_between(float low, float high)
{
    return test_random_float(&random_state, low, high);
}

static uint8_t *random_image(uint32_t width, uint32_t height)
{
    uint8_t *rgba = malloc((size_t)width * height * 4);
    for (size_t i = 0; i < (size_t)width * height * 4; i++) {
        rgba[i] = (uint8_t)random_u32();
    }
    return rgba;
}

static mrw_raster_texture *sized(uint32_t width, uint32_t height, mrw_encoding encoding)
{
    mrw_raster_texture *texture;
    ck_assert_int_eq(mrw_raster_texture_create(NULL, width, height, encoding, &texture, NULL),
                     MRW_OK);
    ck_assert_uint_eq(mrw_raster_texture_memory(texture), 0);
    return texture;
}

static mrw_raster_texture *filled(const uint8_t *rgba, uint32_t width, uint32_t height,
                                  mrw_encoding encoding, uint32_t finest)
{
    mrw_raster_texture *texture = sized(width, height, encoding);
    ck_assert_int_eq(mrw_raster_texture_fill(texture, rgba, finest, NULL), MRW_OK);
    return texture;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* The bytes of a level, with the column and the row that follow it. */
static const void *level_bytes(const mrw_raster_texture *t, uint32_t level, size_t *size)
{
    const mrwi_shade_texture_level *l = &t->layout.levels[level];
    const size_t texel = t->data ? 4 : 8;
    *size = (size_t)l->stride * ((size_t)l->height + 1) * texel;
    return (const char *)(t->data ? (const void *)t->data : (const void *)t->texels) +
           (size_t)l->first * texel;
}

START_TEST(levels_are_the_same_whichever_are_kept)
{
    static const uint32_t sizes[][2] = {{64, 64}, {13, 7}, {100, 31}, {1, 9}, {37, 64}, {255, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t w = sizes[i][0], h = sizes[i][1];
        uint8_t *rgba = random_image(w, h);
        for (int e = 0; e < MRW_ENCODING_COUNT; e++) {
            mrw_raster_texture *all = filled(rgba, w, h, (mrw_encoding)e, 0);
            for (uint32_t finest = 0; finest < all->layout.level_count + 2; finest++) {
                mrw_raster_texture *some = filled(rgba, w, h, (mrw_encoding)e, finest);
                const uint32_t last = all->layout.level_count - 1;
                size_t total = 0;
                ck_assert_uint_eq(some->layout.level_count, all->layout.level_count);
                ck_assert_uint_eq(some->layout.finest, finest < last ? finest : last);
                for (uint32_t n = some->layout.finest; n < all->layout.level_count; n++) {
                    size_t size, same;
                    const void *expected = level_bytes(all, n, &size);
                    ck_assert(memcmp(level_bytes(some, n, &same), expected, size) == 0);
                    ck_assert_uint_eq(same, size);
                    total += size;
                }
                ck_assert_uint_eq(mrw_raster_texture_memory(some), total);
                mrw_raster_texture_free(some);
            }
            mrw_raster_texture_free(all);
        }
        free(rgba);
    }
}
END_TEST

/* The share of texel t of `side` in texel i of the next level, times the product of both sides. */
static uint64_t share(uint32_t side, uint32_t i, uint32_t t)
{
    const uint32_t half = side > 1 ? side / 2 : 1;
    const uint64_t first = (uint64_t)i * side, end = first + side;
    const uint64_t from = (uint64_t)t * half, to = from + half;
    const uint64_t low = from > first ? from : first, high = to < end ? to : end;
    return high > low ? high - low : 0;
}

/* Replaces a level by the next one: each texel is the mean of the texels under it, by area. */
static void next_level(uint16_t *texels, uint32_t *width, uint32_t *height)
{
    const uint32_t w = *width > 1 ? *width / 2 : 1, h = *height > 1 ? *height / 2 : 1;
    uint16_t *out = malloc((size_t)w * h * 4 * sizeof *out);
    for (uint32_t k = 0; k < w * h * 4; k++) {
        const uint64_t area = (uint64_t)*width * *height;
        uint64_t sum = 0;
        for (uint32_t y = 0; y < *height; y++) {
            for (uint32_t x = 0; x < *width; x++) {
                sum += share(*height, k / 4 / w, y) * share(*width, k / 4 % w, x) *
                       texels[(y * *width + x) * 4 + k % 4];
            }
        }
        out[k] = (uint16_t)((2 * sum + area) / (2 * area)); /* to nearest, halves up */
    }
    memcpy(texels, out, (size_t)w * h * 4 * sizeof *out);
    free(out);
    *width = w;
    *height = h;
}

/* Compares a level with texels; of normals that tell how they spread, not their alpha. */
static void check_level(const mrw_raster_texture *t, uint32_t n, const uint16_t *expected,
                        uint32_t width, uint32_t height)
{
    const mrw_raster_texture_level level = mrw_raster_texture_look(t).levels[n];
    ck_assert_uint_eq(level.width, width);
    ck_assert_uint_eq(level.height, height);
    for (uint32_t y = 0; y <= height; y++) {
        for (uint32_t i = 0; i < 4 * (width + 1); i++) { /* repeats its first column and row */
            const size_t at = (size_t)y * level.stride * 4 + i;
            const uint32_t from = ((y % height) * width + i / 4 % width) * 4 + i % 4;
            if (i % 4 == 3 && t->alpha == MRW_TEXTURE_ALPHA_SPREAD) {
                continue;
            }
            if (t->data) {
                ck_assert_uint_eq(((const uint8_t *)level.texels)[at],
                                  (2 * expected[from] + 257u) / 514u);
            } else {
                ck_assert_uint_eq(((const uint16_t *)level.texels)[at], expected[from]);
            }
        }
    }
}

/* Levels of a texture that is filled row by row, from each finest level on. */
START_TEST(levels_are_means_by_area)
{
    static const uint32_t sizes[][2] = {{1, 9}, {1, 64}, {16, 1}, {5, 3},  {37, 64}, {64, 37},
                                        {2, 2}, {6, 10}, {12, 8}, {34, 2}, {65, 33}, {40, 40}};
    for (size_t i = 0; i < 4 * (sizeof sizes / sizeof sizes[0]); i++) {
        const uint32_t *size = sizes[i / 4];
        const mrw_encoding encoding = i % 4 < 3 ? (mrw_encoding)(i % 4) : MRW_ENCODING_DATA;
        uint8_t *rgba = random_image(size[0], size[1]);
        uint16_t *expected = malloc((size_t)size[0] * size[1] * 4 * sizeof *expected);
        for (uint32_t finest = 0; finest < 8; finest++) {
            mrwi_shade_texture_filling *filling;
            mrw_raster_texture *t = sized(size[0], size[1], encoding);
            uint32_t width = size[0], height = size[1];
            if (i % 4 == 3) {
                mrw_raster_texture_set_alpha(t, MRW_TEXTURE_ALPHA_SPREAD, 0);
            }
            ck_assert_int_eq(mrwi_shade_texture_begin(t, finest, &filling, NULL), MRW_OK);
            for (uint32_t y = 0, rows; y < height; y += rows) {
                rows = 1 + random_below(height - y < 5 ? height - y : 5);
                mrwi_shade_texture_rows(filling, rgba + (size_t)y * width * 4, rows);
            }
            ck_assert_int_eq(mrwi_shade_texture_end(filling, NULL), MRW_OK);
            for (uint32_t k = 0; k < width * height * 4; k++) {
                expected[k] = encoding == MRW_ENCODING_COLOR && k % 4 < 3
                                  ? mrwi_image_srgb_to_linear16[rgba[k]]
                                  : (uint16_t)(rgba[k] * 257);
            }
            for (uint32_t n = 0; n < t->layout.level_count; n++) {
                if (n >= t->layout.finest) {
                    check_level(t, n, expected, width, height);
                }
                next_level(expected, &width, &height);
            }
            mrw_raster_texture_free(t);
        }
        free(expected);
        free(rgba);
    }
}
END_TEST

/* A texture whose filling ends before its last row stays empty, and can be filled. */
START_TEST(filling_can_be_given_up)
{
    uint8_t *rgba = random_image(8, 8);
    mrwi_shade_texture_filling *filling;
    mrw_raster_texture *t = sized(8, 8, MRW_ENCODING_DATA);
    ck_assert_int_eq(mrwi_shade_texture_begin(t, 0, &filling, NULL), MRW_OK);
    mrwi_shade_texture_rows(filling, rgba, 1);
    ck_assert_int_eq(mrwi_shade_texture_end(filling, NULL), MRW_OK);
    ck_assert_ptr_null(t->data);
    ck_assert_uint_eq(mrw_raster_texture_memory(t), 0);
    ck_assert_int_eq(mrw_raster_texture_fill(t, rgba, 0, NULL), MRW_OK);
    ck_assert_uint_eq(t->data[0], rgba[0]);
    mrw_raster_texture_free(t);
    free(rgba);
}
END_TEST

/* What normals vary by in the direction where they vary least, in parts of the square of their
 * length: by trying directions. */
static double least_variance(const uint8_t *rgba, int width, int x0, int y0, int side)
{
    double least = INFINITY;
    for (int d = 0; d < 360; d++) {
        const double along[2] = {cos(d * M_PI / 360), sin(d * M_PI / 360)};
        double sum = 0, squares = 0, lengths = 0;
        for (int k = 0; k < side * side; k++) {
            const uint8_t *from = rgba + 4 * ((y0 + k / side) * width + x0 + k % side);
            const double v[3] = {from[0] / 127.5 - 1, from[1] / 127.5 - 1, from[2] / 127.5 - 1};
            const double at = v[0] * along[0] + v[1] * along[1];
            sum += at;
            squares += at * at;
            lengths += v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        }
        const double count = side * side;
        const double variance = (squares / count - sum * sum / (count * count)) / lengths * count;
        least = variance < least ? variance : least;
    }
    return least;
}

/* Alpha of normals is the square root of 1 - r: r is the length of the mean of unit normals that
 * vary in all directions as those do where they vary least. Nothing at the first level, nor of a
 * groove, whose normals tilt to two sides. */
START_TEST(normals_tell_how_far_they_spread)
{
    enum { W = 32, H = 16 };
    uint8_t *rgba = random_image(W, H);
    int checked = 0;
    for (int i = 0; i < W * H; i++) { /* about upright; a quarter alike, a quarter of grooves */
        const int part = i % W * 4 / W;
        rgba[4 * i] = part < 2 ? (uint8_t)(100 + rgba[4 * i] % 56) : part == 2 || i % 2 ? 90 : 167;
        rgba[4 * i + 1] = part < 2 ? (uint8_t)(60 + rgba[4 * i + 1] % 136) : 140;
        rgba[4 * i + 2] = part < 2 ? (uint8_t)(200 + rgba[4 * i + 2] % 56) : 231;
    }
    mrw_raster_texture *t = sized(W, H, MRW_ENCODING_DATA);
    mrw_raster_texture_set_alpha(t, MRW_TEXTURE_ALPHA_SPREAD, 0);
    ck_assert_int_eq(mrw_raster_texture_fill(t, rgba, 0, NULL), MRW_OK);
    for (int n = 0; n < 5; n++) {
        const int side = 1 << n;
        for (int y = 0; y < H / side; y++) {
            for (int x = 0; x < W / side; x++) {
                const mrwi_shade_texture_level *level = &t->layout.levels[n];
                const uint8_t *texel = t->data + 4 * (level->first + y * level->stride + x);
                const double v = least_variance(rgba, W, x * side, y * side, side);
                const double lost = 1 - sqrt(1 - 2 * v);
                if (n == 0 || x * side >= W / 2) {
                    ck_assert_uint_eq(texel[3], 0);
                } else if (lost > 1e-3) {
                    ck_assert_double_eq_tol(texel[3], 255 * sqrt(lost), 1);
                    checked++;
                }
            }
        }
    }
    ck_assert_int_gt(checked, 60);
    mrw_raster_texture_free(t);
    free(rgba);
}
END_TEST

/* Data are means of bytes, each rounded once: of even sides, means of squares of 2^n texels. The
 * sixteen bits on the way add up to half a step of theirs a level. */
START_TEST(data_are_rounded_means)
{
    enum { W = 64, H = 32 };
    uint8_t *rgba = random_image(W, H);
    mrw_raster_texture *t = filled(rgba, W, H, MRW_ENCODING_DATA, 0);
    ck_assert_ptr_null(t->texels);
    for (int n = 0; n < 6; n++) {
        const int side = 1 << n;
        for (int y = 0; y < H / side; y++) {
            for (int x = 0; x < W / side; x++) {
                const mrwi_shade_texture_level *level = &t->layout.levels[n];
                const uint8_t *texel = t->data + 4 * (level->first + y * level->stride + x);
                for (int c = 0; c < 4; c++) {
                    double sum = 0.0;
                    for (int k = 0; k < side * side; k++) {
                        sum += rgba[((y * side + k / side) * W + x * side + k % side) * 4 + c];
                    }
                    ck_assert_double_le(fabs(texel[c] - sum / (side * side)),
                                        0.5 + n * 0.5 / 257.0 + 1e-9);
                }
            }
        }
    }
    mrw_raster_texture_free(t);
    free(rgba);
}
END_TEST

/* Of 2048 x 2048: (2^k + 1)^2 texels for each level, of 8 bytes for colour and 4 for data. The sum
 * for k = 0 ... 10 is (4^11 - 1) / 3 + 2 (2^11 - 1) + 11 = 1402206, and 2049^2 = 4198401. */
START_TEST(memory_by_hand)
{
    static const struct {
        mrw_encoding encoding;
        uint32_t finest;
        uint64_t bytes;
    } cases[] = {{MRW_ENCODING_COLOR, 0, (1402206 + 4198401) * 8},
                 {MRW_ENCODING_COLOR, 1, 1402206 * 8},
                 {MRW_ENCODING_RAW, 1, 1402206 * 8},
                 {MRW_ENCODING_DATA, 0, (1402206 + 4198401) * 4},
                 {MRW_ENCODING_DATA, 1, 1402206 * 4}};
    uint8_t *rgba = random_image(2048, 2048);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mrw_raster_texture *t = filled(rgba, 2048, 2048, cases[i].encoding, cases[i].finest);
        ck_assert_uint_eq(mrw_raster_texture_memory(t), cases[i].bytes);
        mrw_raster_texture_free(t);
    }
    free(rgba);
}
END_TEST

START_TEST(filling_fails_cleanly)
{
    uint8_t *rgba = random_image(8, 8);
    for (int e = 0; e < MRW_ENCODING_COUNT; e++) {
        mrw_raster_texture *t = sized(8, 8, (mrw_encoding)e);
        for (uint64_t n = 1; n <= 2; n++) {
            mrw_error error;
            mrwi_base_alloc_fail_at(n);
            ck_assert_int_eq(mrw_raster_texture_fill(t, rgba, 1, &error), MRW_ERROR_MEMORY);
            ck_assert_uint_eq(mrw_raster_texture_memory(t), 0);
        }
        ck_assert_int_eq(mrw_raster_texture_fill(t, rgba, 1, NULL), MRW_OK);
        mrw_raster_texture_free(t);
    }
    free(rgba);
}
END_TEST

/* ---- which levels are shown ------------------------------------------------------------------ */

#define WIDE       160
#define HIGH       120
#define MOST       60 /* triangles */
#define SIDE       64 /* of the texture that is drawn, and its levels */
#define ALL_LEVELS 7

typedef struct view {
    float positions[3 * MOST][4], normals[3 * MOST][4], uvs[3 * MOST][2];
    uint32_t indices[3 * MOST];
    mrw_raster_material material;
    mrw_raster_draw draw;
    mrw_raster_job job;
    mrw_target target;
    uint8_t pixels[WIDE * HIGH * 3 + 64];
} view;

static const mrw_mat4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

static void begin_view(view *v, const mrw_raster_texture *texture, uint32_t triangles)
{
    memset(v, 0, sizeof *v);
    for (uint32_t i = 0; i < 3 * MOST; i++) {
        v->indices[i] = i;
        v->normals[i][2] = v->positions[i][3] = 1.0f;
    }
    v->material = (mrw_raster_material){.base_color = {1, 1, 1, 1},
                                        .maps[0].texture = texture,
                                        .double_sided = true,
                                        .unlit = true,
                                        .uv_transform = {1, 0, 0, 0, 1, 0}};
    v->draw = (mrw_raster_draw){.vertex_count = 3 * triangles,
                                .triangle_count = triangles,
                                .indices = v->indices,
                                .positions = v->positions[0],
                                .normals = v->normals[0],
                                .uvs = v->uvs[0],
                                .id = 1,
                                .material = &v->material};
    v->target = (mrw_target){.kind = MRW_TARGET_COLOR,
                             .format = MRW_FORMAT_U8,
                             .channels = 3,
                             .data = v->pixels,
                             .stride = WIDE * 3};
    v->job = (mrw_raster_job){.draws = &v->draw,
                              .draw_count = 1,
                              .view = {.world_to_clip = identity, .orthographic = true},
                              .shading = MRW_SHADING_LIT,
                              .filter = MRW_FILTER_TRILINEAR,
                              .exposure = 1.0f,
                              .samples = 1,
                              .width = WIDE,
                              .height = HIGH,
                              .targets = &v->target,
                              .target_count = 1,
                              .threads = 1};
}

static uint32_t level_of(mrw_raster *raster, const view *v, uint32_t known)
{
    uint32_t levels[MRW_RASTER_MAP_COUNT];
    for (int m = 0; m < MRW_RASTER_MAP_COUNT; m++) {
        levels[m] = known;
    }
    ck_assert_int_eq(mrw_raster_finest_levels(raster, &v->job, levels, NULL), MRW_OK);
    return levels[MRW_RASTER_MAP_BASE_COLOR];
}

/* One triangle over half of the picture at depth z, `u` and `v` texels a pixel. */
static void put_flat(view *v, float u, float h)
{
    static const float at[3][2] = {{-1, 1}, {-1, -1}, {1, 1}};
    for (int i = 0; i < 3; i++) {
        v->positions[i][0] = at[i][0];
        v->positions[i][1] = at[i][1];
        v->positions[i][2] = 0.5f;
        v->uvs[i][0] = (at[i][0] + 1) / 2 * WIDE * u / SIDE;
        v->uvs[i][1] = (1 - at[i][1]) / 2 * HIGH * h / SIDE;
    }
}

/* A level begins where the longer step is a power of two of texels. */
START_TEST(flat_footprints_by_hand)
{
    static const struct {
        float u, v;
        uint32_t level;
    } cases[] = {{0.5f, 0.5f, 0},   {1.0f, 1.0f, 0},
                 {1.98f, 1.0f, 0},  {2.02f, 2.02f, 1},
                 {3.95f, 1.0f, 1},  {4.05f, 4.05f, 2},
                 {0.0f, 8.1f, 3},   {-8.1f, 0.01f, 3},
                 {16.2f, 16.2f, 4}, {5000.0f, 1.0f, MRW_FINEST_NONE - 2}};
    mrw_raster_texture *texture = sized(SIDE, SIDE, MRW_ENCODING_COLOR);
    mrw_raster *raster;
    view *v = malloc(sizeof *v);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_view(v, texture, 1);
        put_flat(v, cases[i].u, cases[i].v);
        ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), cases[i].level);
        ck_assert_uint_eq(level_of(raster, v, 1), cases[i].level < 1 ? cases[i].level : 1);
        ck_assert_uint_eq(level_of(raster, v, 0), 0);
        v->material.uv_transform[0] = v->material.uv_transform[4] = 0.25f; /* two levels finer */
        ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE),
                          cases[i].level < 2 ? 0 : cases[i].level - 2);
    }
    mrw_raster_free(raster);
    mrw_raster_texture_free(texture);
    free(v);
}
END_TEST

/* The shorter axis, or a 16th of the longer one. */
START_TEST(anisotropic_footprints_by_hand)
{
    static const struct {
        float u, v;
        uint32_t level;
    } cases[] = {{0.5f, 0.5f, 0},  {1.98f, 8.0f, 0},  {8.0f, 2.02f, 1},  {3.95f, 60.0f, 1},
                 {60.f, 4.05f, 2}, {31.8f, 0.01f, 0}, {32.2f, 0.01f, 1}, {0.01f, -128.8f, 3},
                 {0.f, 127.0f, 2}, {16.2f, 16.2f, 4}};
    mrw_raster_texture *texture = sized(SIDE, SIDE, MRW_ENCODING_COLOR);
    mrw_raster *raster;
    view *v = malloc(sizeof *v);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin_view(v, texture, 1);
        v->job.filter = MRW_FILTER_ANISO;
        put_flat(v, cases[i].u, cases[i].v);
        ck_assert_msg(level_of(raster, v, MRW_FINEST_NONE) == cases[i].level, "case %zu", i);
    }
    mrw_raster_free(raster);
    mrw_raster_texture_free(texture);
    free(v);
}
END_TEST

/* Seen at distances 1 ... 4: the footprint of the near end counts. With w the distance, the square
 * of (2 w)^2 at distance w has WIDE x HIGH pixels. */
START_TEST(distance_by_hand)
{
    mrw_raster_texture *texture = sized(SIDE, SIDE, MRW_ENCODING_COLOR);
    mrw_raster *raster;
    view *v = malloc(sizeof *v);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    for (int level = 1; level < 5; level++) {
        for (int above = 0; above < 2; above++) {
            begin_view(v, texture, 1);
            const double texels = ldexp(above ? 1.02 : 0.98, level); /* a pixel at distance 2 */
            const double a = texels * WIDE / 2 / 2 / SIDE, b = texels * HIGH / 2 / 2 / SIDE;
            put_flat(v, 0, 0);
            for (int i = 0; i < 3; i++) {
                for (int c = 0; c < 2; c++) {
                    v->uvs[i][c] = (float)((c ? b : a) * 2.0 * (double)v->positions[i][c]);
                    v->positions[i][c] *= 2.0f; /* at distance 2 a half of the picture */
                }
            }
            v->job.view.orthographic = false; /* w is z + 1.5, and near and far are 0.1 and 10 */
            v->job.view.world_to_clip =
                (mrw_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0.5f, 1.5f}};
            const uint32_t expected = (uint32_t)(above ? level : level - 1);
            ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), expected);
        }
    }
    mrw_raster_free(raster);
    mrw_raster_texture_free(texture);
    free(v);
}
END_TEST

START_TEST(what_is_not_seen_asks_for_nothing)
{
    mrw_raster_texture *texture = sized(SIDE, SIDE, MRW_ENCODING_COLOR);
    mrw_raster *raster;
    view *v = malloc(sizeof *v);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    begin_view(v, texture, 1);
    put_flat(v, 0.1f, 0.1f);
    ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), 0);
    v->material.double_sided = false;
    v->draw.mirrored = true; /* it shows its back */
    ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), MRW_FINEST_NONE);
    v->material.double_sided = true;
    v->material.maps[0].texture = NULL;
    ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), MRW_FINEST_NONE);
    v->material.maps[0].texture = texture;
    v->draw.triangle_count = 0;
    ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), MRW_FINEST_NONE);
    v->draw.triangle_count = 1;
    for (int i = 0; i < 3; i++) {
        v->positions[i][0] += 2.5f; /* beside the picture */
    }
    ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), MRW_FINEST_NONE);
    for (int i = 0; i < 3; i++) { /* a third of a pixel, between the centres */
        v->positions[i][0] = (i == 2 ? 0.66f : 0.0f) / WIDE;
        v->positions[i][1] = (i == 1 ? 0.66f : 0.0f) / HIGH;
    }
    ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), MRW_FINEST_NONE);
    for (int i = 0; i < 3; i++) { /* of the pixel's box more than half, but not the centre */
        v->positions[i][0] = 2.0f * (i == 0 ? 0.2f : 0.9f) / WIDE;
        v->positions[i][1] = -2.0f * (i == 2 ? 0.8f : 0.1f) / HIGH;
    }
    ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), MRW_FINEST_NONE);
    for (int i = 0; i < 3; i++) { /* a quarter of a pixel to the left it is */
        v->positions[i][0] -= 2.0f * 0.25f / WIDE;
    }
    ck_assert_uint_lt(level_of(raster, v, MRW_FINEST_NONE), MRW_FINEST_NONE);
    put_flat(v, 8.1f, 8.1f);
    ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), 3);
    v->job.filter = MRW_FILTER_BILINEAR;
    ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), 0);
    v->job.filter = MRW_FILTER_NEAREST;
    ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), 0);
    mrw_raster_free(raster);
    mrw_raster_texture_free(texture);
    free(v);
}
END_TEST

/* ---- the same pixels ------------------------------------------------------------------------- */

/* Any triangles: near and far, through the near plane and the eye, slivers, with coordinates that
 * run, stand nearly still, or lie far away. */
static void put_any(view *v)
{
    const float scale = ldexpf(1.0f, (int)random_below(14) - 5);
    const float aspect = random_below(3) ? 1.0f : ldexpf(1.0f, (int)random_below(8) - 4);
    const float place = random_below(4) ? 0.0f : random_between(-200.0f, 200.0f);
    const float size = ldexpf(1.0f, (int)random_below(8) - 5);
    for (uint32_t t = 0; t < v->draw.triangle_count; t++) {
        const float centre[3] = {random_between(-1.5f, 1.5f), random_between(-1.5f, 1.5f),
                                 random_between(-1.0f, 4.0f)};
        for (uint32_t i = 3 * t; i < 3 * t + 3; i++) {
            for (int c = 0; c < 3; c++) {
                v->positions[i][c] = centre[c] + random_between(-size, size);
            }
            const float *p = v->positions[i];
            v->uvs[i][0] = place + scale * (p[0] + 0.3f * p[2]); /* as if wrapped round something */
            v->uvs[i][1] = place + scale * aspect * (p[1] - 0.2f * p[2]);
            if (random_below(8) == 0) {
                v->uvs[i][0] += random_between(-scale, scale);
            }
        }
        if (random_below(8) == 0) { /* a sliver */
            for (int c = 0; c < 3; c++) {
                v->positions[3 * t + 2][c] =
                    v->positions[3 * t][c] + random_between(-0.004f, 0.004f);
            }
        }
    }
    v->material.maps[0].wrap_u = random_below(3);
    v->material.maps[0].wrap_v = random_below(3);
    v->material.maps[0].nearest = random_below(4) == 0;
    v->material.alpha_mode = random_below(3);
    v->material.alpha_cutoff = 0.5f;
    v->material.uv_transform[0] = random_below(3) ? 1.0f : random_between(-3.0f, 3.0f);
    v->material.uv_transform[1] = random_below(3) ? 0.0f : random_between(-1.0f, 1.0f);
    v->job.samples = 1u << random_below(4);
    v->job.view.orthographic = random_below(4) == 0;
    v->job.view.world_to_clip = identity;
    if (v->job.view.orthographic) {
        v->job.view.world_to_clip.m[10] = 0.2f;
        v->job.view.world_to_clip.m[14] = 0.2f;
    } else { /* w = z; from 0.01 or 0.5 to 100 */
        const float near = random_below(2) ? 0.01f : 0.5f;
        v->job.view.world_to_clip.m[10] = 100.0f / (100.0f - near);
        v->job.view.world_to_clip.m[14] = -near * 100.0f / (100.0f - near);
        v->job.view.world_to_clip.m[11] = 1.0f;
        v->job.view.world_to_clip.m[15] = 0.0f;
    }
}

/* The picture with the levels from `finest` on. */
static void draw_with(mrw_raster *raster, view *v, const uint8_t *rgba, mrw_encoding encoding,
                      uint32_t finest, uint8_t *out)
{
    mrw_raster_texture *texture = filled(rgba, SIDE, SIDE, encoding, finest);
    v->material.maps[0].texture = texture;
    memset(v->pixels, 0, sizeof v->pixels);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &v->job, NULL), MRW_OK);
    memcpy(out, v->pixels, sizeof v->pixels);
    mrw_raster_texture_free(texture);
}

/* The same coordinates, no more as the draw's first. */
static void move_uvs(view *v, uint32_t uvs)
{
    mrw_raster_uvs *more = &v->draw.more_uvs[uvs - 1];
    more->uvs = v->draw.uvs;
    memcpy(more->transform, v->material.uv_transform, sizeof more->transform);
    v->draw.uvs = NULL;
    v->material.maps[0].uvs = uvs;
}

/* Whichever coordinates a map takes, the picture is the same, and so are the levels it shows. */
START_TEST(maps_take_any_of_the_coordinates)
{
    static uint8_t first[WIDE * HIGH * 3 + 64], moved[sizeof first];
    uint8_t *rgba = random_image(SIDE, SIDE);
    mrw_raster_texture *texture = sized(SIDE, SIDE, MRW_ENCODING_COLOR);
    mrw_raster *raster;
    view *v = malloc(sizeof *v);
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    for (int round = 0; round < TEST_ROUNDS(600); round++) {
        const mrw_isa isa =
            (mrw_isa)(MRW_ISA_SCALAR + random_below(MRW_ISA_COUNT - MRW_ISA_SCALAR));
        begin_view(v, texture, 1 + random_below(random_below(2) ? 4 : MOST));
        put_any(v);
        v->job.isa = mrw_isa_available(isa) ? isa : MRW_ISA_AUTO;
        v->job.filter = (mrw_filter)random_below(MRW_FILTER_ANISO + 1);
        const uint32_t level = level_of(raster, v, MRW_FINEST_NONE);
        draw_with(raster, v, rgba, MRW_ENCODING_COLOR, level, first);
        v->material.maps[0].texture = texture;
        move_uvs(v, 1 + random_below(MRW_RASTER_MORE_UVS));
        ck_assert_uint_eq(level_of(raster, v, MRW_FINEST_NONE), level);
        draw_with(raster, v, rgba, MRW_ENCODING_COLOR, level, moved);
        ck_assert_msg(memcmp(first, moved, sizeof first) == 0, "round %d", round);
    }
    mrw_raster_free(raster);
    mrw_raster_texture_free(texture);
    free(rgba);
    free(v);
}
END_TEST

/* How many of the views can do without level 0, and of how many the level is the best there is: one
 * coarser shows. A texture whose texels are all different shows nearly every other level. */
START_TEST(pixels_are_the_same_whichever_levels_are_kept)
{
    static uint8_t all[WIDE * HIGH * 3 + 64], some[sizeof all];
    uint8_t *rgba = random_image(SIDE, SIDE);
    mrw_raster_texture *texture = sized(SIDE, SIDE, MRW_ENCODING_COLOR);
    mrw_raster *raster;
    view *v = malloc(sizeof *v);
    uint32_t without[2] = {0}, best[2] = {0}, could[2] = {0};
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    for (int round = 0; round < TEST_ROUNDS(2000); round++) {
        const mrw_encoding encoding = random_below(4) ? MRW_ENCODING_COLOR : MRW_ENCODING_DATA;
        begin_view(v, texture, 1 + random_below(random_below(2) ? 4 : MOST));
        put_any(v);
        v->job.filter = round % 2 ? MRW_FILTER_ANISO : MRW_FILTER_TRILINEAR;
        const uint32_t level = level_of(raster, v, MRW_FINEST_NONE);
        draw_with(raster, v, rgba, encoding, 0, all);
        without[round % 2] += level > 0;
        if (level > 0) {
            draw_with(raster, v, rgba, encoding, level, some);
            ck_assert_msg(memcmp(all, some, sizeof all) == 0, "round %d, level %u", round, level);
        }
#ifdef NDEBUG /* else it is an assertion */
        if (level + 1 < ALL_LEVELS) {
            draw_with(raster, v, rgba, encoding, level + 1, some);
            best[round % 2] += memcmp(all, some, sizeof all) != 0;
            could[round % 2]++;
        }
#endif
    }
    for (int aniso = 0; aniso < 2; aniso++) {
        ck_assert_uint_gt(without[aniso], TEST_ROUNDS(150));
        ck_assert_msg(could[aniso] == 0 || best[aniso] * 10 > could[aniso] * 7,
                      "aniso %d: %u of %u", aniso, best[aniso], could[aniso]);
    }
    mrw_raster_free(raster);
    mrw_raster_texture_free(texture);
    free(rgba);
    free(v);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("textures");
    TCase *levels = tcase_create("levels");
    tcase_add_test(levels, levels_are_the_same_whichever_are_kept);
    tcase_add_test(levels, levels_are_means_by_area);
    tcase_add_test(levels, filling_can_be_given_up);
    tcase_add_test(levels, data_are_rounded_means);
    tcase_add_test(levels, normals_tell_how_far_they_spread);
    tcase_add_test(levels, memory_by_hand);
    tcase_add_test(levels, filling_fails_cleanly);
    suite_add_tcase(s, levels);
    TCase *shown = tcase_create("shown");
    tcase_set_timeout(shown, 120);
    tcase_add_test(shown, flat_footprints_by_hand);
    tcase_add_test(shown, anisotropic_footprints_by_hand);
    tcase_add_test(shown, distance_by_hand);
    tcase_add_test(shown, what_is_not_seen_asks_for_nothing);
    tcase_add_test(shown, pixels_are_the_same_whichever_levels_are_kept);
    tcase_add_test(shown, maps_take_any_of_the_coordinates);
    suite_add_tcase(s, shown);
    return s;
}

TEST_MAIN(suite())
