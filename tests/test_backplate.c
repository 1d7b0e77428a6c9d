/* test_backplate.c: pictures behind pictures: gradients against values by hand, pictures that are
 * scaled to cover an area against an evaluator in double, and what is drawn over them against the
 * same drawing over nothing, composed in double. */
#include "test.h"

#include <marrow/frame.h>
#include <marrow/image.h>
#include <marrow/raster.h>
#include <math.h>

static double to_linear(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

static double to_srgb(double x)
{
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
}

static mrw_image image_of(mrw_format format, uint32_t width, uint32_t height, uint32_t channels)
{
    mrw_image out;
    ck_assert_int_eq(mrw_image_create_as(format, width, height, channels, &out, NULL), MRW_OK);
    return out;
}

/* Returns a value of an image, 0 ... 1. */
static double value_of(const mrw_image *image, uint32_t x, uint32_t y, uint32_t k)
{
    const size_t i = ((size_t)y * image->width + x) * image->channels + k;
    return image->format == MRW_FORMAT_U8
               ? image->pixels[i] / 255.0
               : ((const uint16_t *)(const void *)image->pixels)[i] / 65535.0;
}

/* ---- gradients ------------------------------------------------------------------------------- */

/* Four rows: t is 1/8, 3/8, 5/8 and 7/8 of the way. 10 + 100/8 = 22.5 is rounded up. */
START_TEST(vertical_gradients)
{
    static const uint8_t first[3] = {10, 200, 0}, second[3] = {110, 0, 255};
    static const uint8_t rows[4][3] = {{23, 175, 32}, {48, 125, 96}, {73, 75, 159}, {98, 25, 223}};
    mrw_image image = image_of(MRW_FORMAT_U8, 3, 4, 3);
    mrw_image_fill_gradient(MRW_GRADIENT_VERTICAL, first, second, &image);
    for (int i = 0; i < 12; i++) {
        ck_assert_mem_eq(image.pixels + 3 * i, rows[i / 3], 3);
    }
    mrw_image_free(&image);
}
END_TEST

/* Of 2 x 2 pixels, all lie halfway to a corner: u = v = 1/2, so t = sqrt(1/4). Of 5 x 5 pixels,
 * the middle one has the first colour, and one at a corner is at t = 4/5: u = v = 4/5. Beside the
 * middle u = 2/5, so t = sqrt(2/25) = 0.28284. */
START_TEST(radial_gradients)
{
    static const uint8_t first[3] = {0, 100, 255}, second[3] = {200, 100, 55};
    mrw_image image = image_of(MRW_FORMAT_U8, 2, 2, 3);
    mrw_image_fill_gradient(MRW_GRADIENT_RADIAL, first, second, &image);
    for (int i = 0; i < 4; i++) {
        ck_assert_mem_eq(image.pixels + 3 * i, ((const uint8_t[3]){100, 100, 155}), 3);
    }
    mrw_image_free(&image);
    image = image_of(MRW_FORMAT_U8, 5, 5, 3);
    mrw_image_fill_gradient(MRW_GRADIENT_RADIAL, first, second, &image);
    ck_assert_mem_eq(image.pixels + 3 * 12, first, 3);
    ck_assert_mem_eq(image.pixels + 3 * 24, ((const uint8_t[3]){160, 100, 95}), 3);
    ck_assert_mem_eq(image.pixels + 3 * 13, ((const uint8_t[3]){57, 100, 198}), 3);
    ck_assert_mem_eq(image.pixels + 3 * 7, ((const uint8_t[3]){57, 100, 198}), 3);
    mrw_image_free(&image);
}
END_TEST

/* 16 bits: 257 times the bytes, with steps between them. */
START_TEST(deep_gradients)
{
    static const uint8_t first[3] = {10, 255, 7}, second[3] = {12, 0, 7};
    mrw_image image = image_of(MRW_FORMAT_U16, 1, 64, 3);
    mrw_image_fill_gradient(MRW_GRADIENT_VERTICAL, first, second, &image);
    const uint16_t *values = (const uint16_t *)(const void *)image.pixels;
    for (int y = 0; y < 64; y++) {
        const double t = (y + 0.5) / 64;
        ck_assert_double_le(fabs(values[3 * y] - 257 * (10 + 2 * t)), 0.5);
        ck_assert_double_le(fabs(values[3 * y + 1] - 257 * (255 - 255 * t)), 0.5);
        ck_assert_uint_eq(values[3 * y + 2], 7 * 257);
    }
    mrw_image_free(&image);
}
END_TEST

/* From row to row no channel steps by more than it must: less than 1 for fewer levels than rows. */
START_TEST(gradients_have_no_bands)
{
    static const uint8_t first[3] = {0xdd, 0xe6, 0xf0}, second[3] = {0x10, 0x14, 0x18};
    mrw_image image = image_of(MRW_FORMAT_U8, 1, 512, 3);
    mrw_image_fill_gradient(MRW_GRADIENT_VERTICAL, first, second, &image);
    for (size_t i = 3; i < 512 * 3; i++) {
        ck_assert_int_le(image.pixels[i], image.pixels[i - 3]);
        ck_assert_int_le(image.pixels[i - 3] - image.pixels[i], 1);
    }
    mrw_image_free(&image);
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------- */

static const uint8_t matte[3] = {0xb8, 0xc3, 0xd3};

static mrw_image random_picture(uint32_t width, uint32_t height, uint32_t channels, uint64_t seed)
{
    mrw_image out = image_of(MRW_FORMAT_U8, width, height, channels);
    for (size_t i = 0; i < (size_t)width * height * channels; i++) {
        out.pixels[i] = (uint8_t)test_random(&seed);
    }
    return out;
}

/* Returns a pixel over the matte, in linear light; beyond an edge, the one at the edge. */
static double pixel_of(const mrw_image *picture, int64_t x, int64_t y, uint32_t k)
{
    const int64_t right = (int64_t)picture->width - 1, last = (int64_t)picture->height - 1;
    const uint32_t px = (uint32_t)(x < 0 ? 0 : x > right ? right : x);
    const uint32_t py = (uint32_t)(y < 0 ? 0 : y > last ? last : y);
    const double alpha = picture->channels == 4 ? value_of(picture, px, py, 3) : 1;
    return alpha * to_linear(value_of(picture, px, py, k)) +
           (1 - alpha) * to_linear(matte[k] / 255.0);
}

/* Returns how much of 0 ... 1 past k lies between low and high. */
static double overlap(double low, double high, int64_t k)
{
    const double from = fmax(low, (double)k), to = fmin(high, (double)k + 1);
    return to > from ? to - from : 0;
}

/* One pixel of the result: the mean over its area, or bilinear at its centre. */
static double covered(const mrw_image *picture, const mrw_image *out, uint32_t x, uint32_t y,
                      uint32_t k)
{
    const double step =
        fmin((double)picture->width / out->width, (double)picture->height / out->height);
    double left = (picture->width - step * out->width) / 2;
    double top = (picture->height - step * out->height) / 2;
    if (step == 1) {
        left = floor(left);
        top = floor(top);
    }
    if (step < 1) {
        const double px = left + (x + 0.5) * step - 0.5, py = top + (y + 0.5) * step - 0.5;
        const int64_t cx = (int64_t)floor(px), cy = (int64_t)floor(py);
        const double fx = px - (double)cx, fy = py - (double)cy;
        return (pixel_of(picture, cx, cy, k) * (1 - fx) + pixel_of(picture, cx + 1, cy, k) * fx) *
                   (1 - fy) +
               (pixel_of(picture, cx, cy + 1, k) * (1 - fx) +
                pixel_of(picture, cx + 1, cy + 1, k) * fx) *
                   fy;
    }
    const double x0 = left + x * step, y0 = top + y * step, x1 = x0 + step, y1 = y0 + step;
    double sum = 0, area = 0;
    for (int64_t row = (int64_t)floor(y0); row < (int64_t)ceil(y1); row++) {
        for (int64_t column = (int64_t)floor(x0); column < (int64_t)ceil(x1); column++) {
            const double part = overlap(x0, x1, column) * overlap(y0, y1, row);
            sum += part * pixel_of(picture, column, row, k);
            area += part;
        }
    }
    return sum / area;
}

START_TEST(pictures_cover_the_area)
{
    static const uint32_t sizes[][4] = {{64, 32, 16, 16}, {31, 57, 20, 9},  {100, 10, 7, 7},
                                        {5, 4, 33, 21},   {3, 40, 16, 16},  {1, 1, 9, 5},
                                        {8, 8, 8, 8},     {24, 16, 24, 10}, {200, 130, 3, 2}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint32_t *size = sizes[s];
        for (uint32_t form = 0; form < 4; form++) {
            mrw_image picture = random_picture(size[0], size[1], 3 + form % 2, s + 1);
            mrw_image out =
                image_of(form < 2 ? MRW_FORMAT_U8 : MRW_FORMAT_U16, size[2], size[3], 3);
            const double most = form < 2 ? 255 : 65535;
            ck_assert_int_eq(mrw_image_cover(&picture, matte, 2, &out, NULL), MRW_OK);
            for (uint32_t i = 0; i < size[2] * size[3] * 3; i++) {
                const uint32_t k = i % 3, x = i / 3 % size[2], y = i / 3 / size[2];
                const double expected = to_srgb(covered(&picture, &out, x, y, k)) * most;
                const double got = value_of(&out, x, y, k) * most;
                ck_assert_msg(fabs(got - expected) <= 0.5 + most * 3e-6,
                              "%zu.%u: %u, %u, %u: %f, not %f", s, form, x, y, k, got, expected);
            }
            mrw_image_free(&picture);
            mrw_image_free(&out);
        }
    }
}
END_TEST

/* 4 x 2 to 2 x 2: the two columns in the middle, byte for byte. 5 x 1 to 2 x 1: columns 1 and 2. */
START_TEST(at_its_own_size_a_picture_is_copied)
{
    mrw_image picture = random_picture(4, 2, 3, 5), out = image_of(MRW_FORMAT_U8, 2, 2, 3);
    ck_assert_int_eq(mrw_image_cover(&picture, matte, 1, &out, NULL), MRW_OK);
    ck_assert_mem_eq(out.pixels, picture.pixels + 3, 6);
    ck_assert_mem_eq(out.pixels + 6, picture.pixels + 15, 6);
    mrw_image_free(&out);
    mrw_image_free(&picture);
    picture = random_picture(5, 1, 3, 6);
    out = image_of(MRW_FORMAT_U16, 2, 1, 3);
    ck_assert_int_eq(mrw_image_cover(&picture, matte, 1, &out, NULL), MRW_OK);
    for (int i = 0; i < 6; i++) {
        ck_assert_uint_eq(((const uint16_t *)(const void *)out.pixels)[i],
                          picture.pixels[3 + i] * 257u);
    }
    mrw_image_free(&out);
    mrw_image_free(&picture);
}
END_TEST

/* Black and white columns of 2 x 1 to 1 x 1: only the middle is shown, half of each: half of the
 * light is 188, not 128. */
START_TEST(light_is_averaged)
{
    mrw_image picture = image_of(MRW_FORMAT_U8, 2, 2, 3), out = image_of(MRW_FORMAT_U8, 1, 1, 3);
    memset(picture.pixels + 3, 255, 3);
    memset(picture.pixels + 9, 255, 3);
    ck_assert_int_eq(mrw_image_cover(&picture, matte, 1, &out, NULL), MRW_OK);
    ck_assert_mem_eq(out.pixels, ((const uint8_t[3]){188, 188, 188}), 3);
    mrw_image_free(&out);
    mrw_image_free(&picture);
}
END_TEST

START_TEST(threads_change_no_bit_of_a_cover)
{
    mrw_image picture = random_picture(301, 203, 4, 9);
    mrw_image one = image_of(MRW_FORMAT_U8, 97, 55, 3), many = image_of(MRW_FORMAT_U8, 97, 55, 3);
    ck_assert_int_eq(mrw_image_cover(&picture, matte, 1, &one, NULL), MRW_OK);
    ck_assert_int_eq(mrw_image_cover(&picture, matte, 5, &many, NULL), MRW_OK);
    ck_assert_mem_eq(one.pixels, many.pixels, 97 * 55 * 3);
    mrw_image_free(&picture);
    mrw_image_free(&one);
    mrw_image_free(&many);
}
END_TEST

/* ---- what is drawn over them ----------------------------------------------------------------- */

#define WIDE 150
#define HIGH 90

/* Draws an opaque triangle with slanted edges, and a blended one over half of it, if asked for. */
static void draw(mrw_raster_job job, bool blended, mrw_format format, uint32_t channels,
                 void *color, float *linear)
{
    static const uint32_t indices[6] = {0, 1, 2, 3, 4, 5};
    static const mrw_mat4 unmoved = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    static const float positions[6][4] = {{-0.83f, -0.71f, 0.5f, 1}, {0.67f, -0.42f, 0.5f, 1},
                                          {-0.1f, 0.85f, 0.5f, 1},   {-0.5f, -0.9f, 0.4f, 1},
                                          {0.9f, 0.1f, 0.4f, 1},     {-0.3f, 0.6f, 0.4f, 1}};
    float normals[6][4] = {{0}};
    mrw_raster *raster;
    for (int i = 0; i < 6; i++) {
        normals[i][2] = 1;
    }
    mrw_raster_material materials[2] = {{.base_color = {0.9f, 0.3f, 0.05f, 1},
                                         .double_sided = true,
                                         .unlit = true,
                                         .uv_transform = {1, 0, 0, 0, 1, 0}}};
    materials[1] = materials[0];
    materials[1].base_color[2] = 0.8f;
    materials[1].base_color[3] = 0.35f;
    materials[1].alpha_mode = 2;
    mrw_raster_draw draws[2] = {{.vertex_count = 6,
                                 .triangle_count = 1,
                                 .indices = indices,
                                 .positions = positions[0],
                                 .normals = normals[0],
                                 .id = 1,
                                 .material = &materials[0]}};
    draws[1] = draws[0];
    draws[1].indices = indices + 3;
    draws[1].material = &materials[1];
    const size_t value = mrw_format_size(format);
    mrw_target targets[2] = {{MRW_TARGET_COLOR, format, channels, color, WIDE * channels * value},
                             {MRW_TARGET_LINEAR, MRW_FORMAT_F32, 4, linear, WIDE * 16}};
    job.draws = draws;
    job.draw_count = blended ? 2 : 1;
    job.view = (mrw_raster_view){.world_to_clip = unmoved, .orthographic = true};
    job.filter = MRW_FILTER_TRILINEAR;
    job.width = WIDE;
    job.height = HIGH;
    job.targets = color ? targets : targets + 1;
    job.target_count = color && linear ? 2 : 1;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &job, NULL), MRW_OK);
    mrw_raster_free(raster);
}

static mrw_raster_job job_of(mrw_tonemap tonemap, uint32_t samples)
{
    return (mrw_raster_job){.shading = MRW_SHADING_LIT,
                            .exposure = 1.0f,
                            .tonemap = tonemap,
                            .samples = samples,
                            .threads = 1};
}

/* Without a tone map, the picture is the premultiplied linear colours over the picture behind:
 * for each kind of picture, with and without blended surfaces, in 8 and 16 bits. */
START_TEST(drawings_are_composed_in_linear_light)
{
    static float bare[WIDE * HIGH][4], linear[WIDE * HIGH][4];
    static const uint8_t first[3] = {250, 240, 20}, second[3] = {0, 10, 90};
    for (int i = 0; i < 12; i++) {
        const mrw_format format = i % 2 ? MRW_FORMAT_U16 : MRW_FORMAT_U8;
        const bool blended = i / 2 % 2;
        mrw_raster_job job = job_of(MRW_TONEMAP_NONE, i % 3 == 2 ? 8 : 4);
        mrw_image plate = image_of(format, WIDE, HIGH, 3), out = image_of(format, WIDE, HIGH, 3);
        mrw_image picture = random_picture(40, 40, 3, 3);
        if (i / 4 == 2) {
            ck_assert_int_eq(mrw_image_cover(&picture, matte, 1, &plate, NULL), MRW_OK);
        } else {
            mrw_image_fill_gradient((mrw_gradient)(i / 4), first, second, &plate);
        }
        draw(job, blended, format, 4, NULL, bare[0]);
        job.backplate = &plate;
        draw(job, blended, format, 3, out.pixels, linear[0]);
        const double most = format == MRW_FORMAT_U8 ? 255 : 65535;
        uint32_t partial = 0, empty = 0;
        for (uint32_t p = 0; p < WIDE * HIGH; p++) {
            const double alpha = (double)bare[p][3];
            partial += alpha > 0 && alpha < 1;
            empty += alpha == 0;
            for (uint32_t k = 0; k < 3; k++) {
                const double behind = value_of(&plate, p % WIDE, p / WIDE, k);
                const double sum = (double)bare[p][k] + (1 - alpha) * to_linear(behind);
                const double got = value_of(&out, p % WIDE, p / WIDE, k);
                ck_assert_msg(fabs(got - to_srgb(sum)) * most <= 0.5 + most * 6e-6,
                              "%d: pixel %u, %u: %f, not %f", i, p, k, got * most,
                              to_srgb(sum) * most);
                ck_assert(alpha > 0 || got == behind);
                ck_assert_double_le(fabs((double)linear[p][k] - sum), 1e-5);
            }
            ck_assert(linear[p][3] == 1.0f);
        }
        ck_assert_uint_gt(partial, blended ? 500 : 200);
        ck_assert_uint_gt(empty, 5000);
        mrw_image_free(&plate);
        mrw_image_free(&picture);
        mrw_image_free(&out);
    }
}
END_TEST

/* A picture of one colour gives the bits of that colour as a background: with every tone map and
 * mode, number of samples, instruction set and number of threads, alone or with linear colours. */
START_TEST(one_colour_is_a_background)
{
    static float linear[2][WIDE * HIGH][4];
    static const mrw_shading modes[] = {MRW_SHADING_LIT, MRW_SHADING_RAW, MRW_SHADING_LAMBERT,
                                        MRW_SHADING_UNLIT, MRW_SHADING_NORMAL};
    static const mrw_isa isas[] = {MRW_ISA_AUTO, MRW_ISA_SCALAR, MRW_ISA_SSE2,
                                   MRW_ISA_AVX2, MRW_ISA_AVX512, MRW_ISA_NEON};
    static const uint8_t color[3] = {200, 31, 4};
    for (uint32_t i = 0; i < 5 * 3 * 4 * 6; i++) {
        const mrw_format format = i % 2 ? MRW_FORMAT_U16 : MRW_FORMAT_U8;
        mrw_raster_job job = job_of((mrw_tonemap)(i / 5 % 3), 1u << i / 15 % 4);
        job.shading = modes[i % 5];
        job.isa = isas[i / 60];
        if (job.isa != MRW_ISA_AUTO && !mrw_isa_available(job.isa)) {
            continue;
        }
        mrw_image plate = image_of(format, WIDE, HIGH, 3), flat = image_of(format, WIDE, HIGH, 3);
        mrw_image out = image_of(format, WIDE, HIGH, 3);
        const bool with_linear = i % 8 < 4;
        mrw_image_fill_gradient(MRW_GRADIENT_RADIAL, color, color, &plate);
        memcpy(job.background, color, 3);
        job.background[3] = 255;
        draw(job, i % 3 == 0, format, 3, flat.pixels, with_linear ? linear[0][0] : NULL);
        memset(job.background, 77, 4);
        job.backplate = &plate;
        job.threads = 1 + (int)i % 3;
        draw(job, i % 3 == 0, format, 3, out.pixels, with_linear ? linear[1][0] : NULL);
        ck_assert_mem_eq(out.pixels, flat.pixels,
                         (size_t)WIDE * HIGH * 3 * mrw_format_size(format));
        if (with_linear && format == MRW_FORMAT_U8) { /* of 16 bits, it is more exact */
            ck_assert_mem_eq(linear[0], linear[1], sizeof linear[0]);
        }
        mrw_image_free(&plate);
        mrw_image_free(&flat);
        mrw_image_free(&out);
    }
}
END_TEST

/* Threads and instruction sets give the same bits over a picture of many colours, too. */
START_TEST(pictures_have_the_same_bits_everywhere)
{
    static const mrw_isa isas[] = {MRW_ISA_SCALAR, MRW_ISA_SSE2, MRW_ISA_AVX2, MRW_ISA_AVX512,
                                   MRW_ISA_NEON};
    for (int blended = 0; blended < 2; blended++) {
        mrw_image plate = random_picture(WIDE, HIGH, 3, 4);
        mrw_image one = image_of(MRW_FORMAT_U8, WIDE, HIGH, 3);
        mrw_image other = image_of(MRW_FORMAT_U8, WIDE, HIGH, 3);
        mrw_raster_job job = job_of(MRW_TONEMAP_NEUTRAL, 4);
        job.backplate = &plate;
        draw(job, blended, MRW_FORMAT_U8, 3, one.pixels, NULL);
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
            if (!mrw_isa_available(isas[i])) {
                continue;
            }
            job.isa = isas[i];
            job.threads = 1 + (int)i;
            draw(job, blended, MRW_FORMAT_U8, 3, other.pixels, NULL);
            ck_assert_mem_eq(one.pixels, other.pixels, (size_t)WIDE * HIGH * 3);
        }
        mrw_image_free(&plate);
        mrw_image_free(&one);
        mrw_image_free(&other);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("backplate");
    TCase *t = tcase_create("backplate");
    tcase_add_test(t, vertical_gradients);
    tcase_add_test(t, radial_gradients);
    tcase_add_test(t, deep_gradients);
    tcase_add_test(t, gradients_have_no_bands);
    tcase_add_test(t, pictures_cover_the_area);
    tcase_add_test(t, at_its_own_size_a_picture_is_copied);
    tcase_add_test(t, light_is_averaged);
    tcase_add_test(t, threads_change_no_bit_of_a_cover);
    tcase_add_test(t, drawings_are_composed_in_linear_light);
    tcase_add_test(t, one_colour_is_a_background);
    tcase_add_test(t, pictures_have_the_same_bits_everywhere);
    suite_add_tcase(s, t);
    return s;
}

TEST_MAIN(suite())
