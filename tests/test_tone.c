/* test_tone.c: exposure and tone maps, from resolved colours to bytes, by all kernels; and which of
 * them a picture has.
 *
 * Beside the kernels stand double-precision evaluators, written here from what is published: the
 * specification of Khronos PBR Neutral, the constants of Hill's ACES fit, IEC 61966-2-1.
 */
#include "tone_fixture.h"

#include <marrow/raster.h>

#define MOST 65536.0 /* colours are held below that */

static const mrwi_shade_curve toned[3] = {MRWI_SHADE_CURVE_EXPOSED, MRWI_SHADE_CURVE_ACES,
                                          MRWI_SHADE_CURVE_NEUTRAL};

/* ---- evaluators ------------------------------------------------------------------------------ */

static double srgb_level(double x)
{
    return 255.0 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x < 1.0 ? x : 1.0, 1 / 2.4) - 0.055);
}

static double linear_of(uint8_t byte)
{
    const double s = byte / 255.0;
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static void multiply(const double m[3][3], double c[3])
{
    const double in[3] = {c[0], c[1], c[2]};
    for (int i = 0; i < 3; i++) {
        c[i] = m[i][0] * in[0] + m[i][1] * in[1] + m[i][2] * in[2];
    }
}

static void evaluate_aces(double c[3])
{
    static const double input[3][3] = {
        {0.59719, 0.35458, 0.04823}, {0.07600, 0.90834, 0.01566}, {0.02840, 0.13383, 0.83777}};
    static const double output[3][3] = {{1.60475, -0.53108, -0.07367},
                                        {-0.10208, 1.10813, -0.00605},
                                        {-0.00327, -0.07276, 1.07602}};
    multiply(input, c);
    for (int i = 0; i < 3; i++) {
        const double v = c[i] / 0.6; /* both are linear: before the matrix or behind it */
        c[i] = (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081);
    }
    multiply(output, c);
    for (int i = 0; i < 3; i++) {
        c[i] = fmin(fmax(c[i], 0.0), 1.0);
    }
}

static void evaluate_neutral(double c[3])
{
    const double f90 = 0.04, ks = 0.8 - f90, kd = 0.15, x = fmin(c[0], fmin(c[1], c[2]));
    const double f = x <= 2 * f90 ? x - x * x / (4 * f90) : f90;
    const double p = fmax(c[0] - f, fmax(c[1] - f, c[2] - f));
    const double pn = 1 - (1 - ks) * (1 - ks) / (p + 1 - 2 * ks), g = 1 / (kd * (p - pn) + 1);
    for (int i = 0; i < 3; i++) {
        c[i] = p <= ks ? c[i] - f : (c[i] - f) * pn / p * g + pn * (1 - g);
    }
}

/* The light of 0 ... 1 and more that a colour comes to. */
static void evaluate(mrwi_shade_tone tone, double c[3])
{
    for (int i = 0; i < 3; i++) {
        c[i] = fmin(c[i], MOST) * (double)tone.exposure;
    }
    if (tone.curve == MRWI_SHADE_CURVE_ACES) {
        evaluate_aces(c);
    } else if (tone.curve == MRWI_SHADE_CURVE_NEUTRAL) {
        evaluate_neutral(c);
    }
}

/* ---- encoding -------------------------------------------------------------------------------- */

static const mrwi_shade_kernels *kernels;
static const float no_background[4];

static void encode_one(const float rgba[4], const float background[4], uint32_t channels,
                       mrwi_shade_tone tone, uint8_t *out)
{
    float row[1][4];
    memcpy(row[0], rgba, sizeof row[0]);
    kernels->encode((const float(*)[4])row, 1, background, channels, tone, out);
}

static void encode_light(float r, float g, float b, mrwi_shade_tone tone, uint8_t *out)
{
    encode_one((const float[4]){r, g, b, 1.0f}, no_background, 3, tone, out);
}

static bool choose_kernels(int isa)
{
    if (isa == MRW_ISA_AUTO || !mrw_isa_available((mrw_isa)isa)) {
        return false;
    }
    kernels = mrwi_shade_kernels_for((mrw_isa)isa);
    number_state = 77;
    return true;
}

/* A byte is the nearest to the level, but for what single precision loses. */
static void check_level(uint8_t byte, double level, const char *what)
{
    ck_assert_msg(fabs(byte - level) <= 0.5 + 0.002, "%s: byte %u for level %.4f", what, byte,
                  level);
}

/* 2^-14 ... 2^17, evenly over the octaves; one in eight is 0. */
static float random_light(void)
{
    return random_below(8) == 0 ? 0.0f
                                : (float)exp2(-14.0 + 31.0 * random_below(1u << 20) / 0x1p20);
}

/* ---- curves ---------------------------------------------------------------------------------- */

START_TEST(curves_are_those_of_the_papers)
{
    static const float exposures[] = {1.0f, 0.25f, 2.5f, 1e-3f, 1e6f};
    if (!choose_kernels(_i)) {
        return;
    }
    for (int i = 0; i < TEST_ROUNDS(200000); i++) {
        const mrwi_shade_tone tone = {toned[i % 3], exposures[random_below(5)]};
        const float r = random_light(), g = random_light(), b = random_light();
        const bool near = random_below(2); /* colours of one brightness, too */
        const float in[3] = {r, near ? r * 0.7f : g, near ? r * 0.9f : b};
        double c[3] = {(double)in[0], (double)in[1], (double)in[2]};
        uint8_t out[3];
        encode_light(in[0], in[1], in[2], tone, out);
        evaluate(tone, c);
        for (int k = 0; k < 3; k++) {
            check_level(out[k], srgb_level(c[k]), "a curve");
        }
    }
}
END_TEST

/* Its notes: 0.08 ... 0.8 come out less by F90 = 0.04. Below, greys are 6.25 x^2. The curve above
 * ends at 1: at p = 4.52, p_n is 1 - 0.0576 / 4. */
START_TEST(neutral_is_as_its_specification_says)
{
    const mrwi_shade_tone tone = {MRWI_SHADE_CURVE_NEUTRAL, 1.0f};
    uint8_t out[3];
    if (!choose_kernels(_i)) {
        return;
    }
    for (int i = 80; i <= 800; i++) {
        encode_light((float)i / 1000.0f, 0.08f, 0.8f, tone, out);
        check_level(out[0], srgb_level(i / 1000.0 - 0.04), "a base colour");
        check_level(out[1], srgb_level(0.04), "a base colour");
        check_level(out[2], srgb_level(0.76), "a base colour");
    }
    for (int i = 0; i < 80; i++) {
        const double x = i / 1000.0;
        encode_light((float)x, (float)x, (float)x, tone, out);
        check_level(out[1], srgb_level(6.25 * x * x), "a dark grey");
    }
    encode_light(4.56f, 4.56f, 4.56f, tone, out);
    check_level(out[1], srgb_level(0.9856), "a bright grey");
    /* 0.54, 0.29, 0.79: shiny base colours of 0.5, 0.25, 0.75 under white light */
    encode_light(0.54f, 0.29f, 0.79f, tone, out);
    ck_assert(out[0] == 188 && out[1] == 137 && out[2] == 225);
}
END_TEST

/* ACES shows a grey card, 18 % of white, at 10 % of it; the fit is good to some percent. The curve
 * ends at 1 / 0.983729, and 0 is below 0, which is cut off. */
START_TEST(aces_is_filmic)
{
    uint8_t out[3];
    if (!choose_kernels(_i)) {
        return;
    }
    encode_light(0.18f, 0.18f, 0.18f, (mrwi_shade_tone){MRWI_SHADE_CURVE_ACES, 0.6f}, out);
    ck_assert_double_lt(fabs(linear_of(out[1]) - 0.10), 0.007);
    encode_light(100.0f, 100.0f, 100.0f, (mrwi_shade_tone){MRWI_SHADE_CURVE_ACES, 1.0f}, out);
    ck_assert(out[0] == 255 && out[1] == 255 && out[2] == 255);
    encode_light(0.0f, 0.0f, 0.0f, (mrwi_shade_tone){MRWI_SHADE_CURVE_ACES, 1.0f}, out);
    ck_assert(out[0] == 0 && out[1] == 0 && out[2] == 0);
}
END_TEST

/* From black to far beyond white, and up to it. */
START_TEST(more_light_is_never_darker)
{
    static const float tints[][3] = {{1, 1, 1}, {1, 0.5f, 0.2f}, {0.1f, 0.2f, 1}};
    if (!choose_kernels(_i)) {
        return;
    }
    for (int curve = 0; curve < 3; curve++) {
        for (int tint = 0; tint < 3; tint++) {
            const float *t = tints[tint];
            uint8_t last[3] = {0};
            for (int i = -3200; i <= 3800; i++) {
                const float light = (float)exp2(i / 200.0);
                uint8_t out[3];
                encode_light(light * t[0], light * t[1], light * t[2],
                             (mrwi_shade_tone){toned[curve], 1.0f}, out);
                for (int k = 0; k < 3; k++) {
                    ck_assert_msg(out[k] >= last[k], "curve %d, tint %d, light %g: %u after %u",
                                  curve, tint, (double)light, out[k], last[k]);
                }
                memcpy(last, out, sizeof last);
            }
            ck_assert(curve == 0 || last[0] >= 250);
            ck_assert(tint > 0 || (last[0] == 255 && last[1] == 255 && last[2] == 255));
        }
    }
}
END_TEST

START_TEST(greys_stay_grey)
{
    if (!choose_kernels(_i)) {
        return;
    }
    for (int i = -3200; i <= 3200; i++) {
        const float light = (float)exp2(i / 200.0);
        uint8_t out[3];
        encode_light(light, light, light, (mrwi_shade_tone){MRWI_SHADE_CURVE_NEUTRAL, 1.0f}, out);
        ck_assert(out[0] == out[1] && out[1] == out[2]);
        /* the rows of Hill's matrices sum to 1, but for 1e-5 */
        encode_light(light, light, light, (mrwi_shade_tone){MRWI_SHADE_CURVE_ACES, 1.0f}, out);
        ck_assert(abs(out[0] - out[1]) <= 1 && abs(out[1] - out[2]) <= 1);
    }
}
END_TEST

/* Neutral moves colours towards white alone: the middle channel keeps its place between the others,
 * as far as bytes tell. */
START_TEST(neutral_keeps_hues)
{
    int told = 0;
    if (!choose_kernels(_i)) {
        return;
    }
    for (int i = 0; i < TEST_ROUNDS(20000); i++) {
        const float light = (float)exp2(-3.0 + 8.0 * random_below(1024) / 1024.0);
        const float place = (float)random_below(1024) / 1024.0f;
        const float low = light * (float)random_below(1024) / 2048.0f;
        const float middle = low + (light - low) * place;
        uint8_t out[3];
        encode_light(light, middle, low, (mrwi_shade_tone){MRWI_SHADE_CURVE_NEUTRAL, 1.0f}, out);
        const double most[2] = {linear_of(out[0]), out[0] == 255 ? 1.0 : linear_of(out[0] + 1)};
        const double mid[2] = {out[1] == 0 ? 0.0 : linear_of(out[1] - 1),
                               linear_of(out[1] < 255 ? out[1] + 1 : 255)};
        const double least[2] = {out[2] == 0 ? 0.0 : linear_of(out[2] - 1),
                                 linear_of(out[2] < 255 ? out[2] + 1 : 255)};
        const double less = out[0] == 0 ? 0.0 : linear_of(out[0] - 1);
        const double widest = most[1] - least[0], narrowest = less - least[1];
        if (narrowest <= 0.02) {
            continue; /* nearly white or grey: bytes tell nothing */
        }
        told++;
        ck_assert_double_ge((double)place, (mid[0] - least[1]) / widest);
        ck_assert_double_le((double)place, (mid[1] - least[0]) / narrowest);
    }
    ck_assert_int_gt(told, TEST_ROUNDS(10000));
}
END_TEST

/* What shines of one primary turns white, by ACES soon, by Neutral slowly and without a tint;
 * without a tone map it stays what it is. */
START_TEST(what_is_too_bright_turns_white)
{
    uint8_t out[3];
    if (!choose_kernels(_i)) {
        return;
    }
    encode_light(0.0f, 0.0f, 20.0f, (mrwi_shade_tone){MRWI_SHADE_CURVE_EXPOSED, 2.0f}, out);
    ck_assert(out[0] == 0 && out[1] == 0 && out[2] == 255);
    encode_light(0.0f, 0.0f, 20.0f, (mrwi_shade_tone){MRWI_SHADE_CURVE_ACES, 2.0f}, out);
    ck_assert(out[0] > 100 && out[1] > 0 && out[0] != out[1] && out[2] == 255);
    encode_light(0.0f, 0.0f, 20.0f, (mrwi_shade_tone){MRWI_SHADE_CURVE_NEUTRAL, 2.0f}, out);
    ck_assert(out[0] > 100 && out[0] == out[1] && out[2] >= 254);
}
END_TEST

/* ---- exposure -------------------------------------------------------------------------------- */

/* A factor before all else; doubling is exact. */
START_TEST(exposure_multiplies_light)
{
    if (!choose_kernels(_i)) {
        return;
    }
    for (int i = 0; i < TEST_ROUNDS(3000); i++) {
        const float r = random_light(), g = random_light(), b = random_light();
        uint8_t one[3], other[3];
        if (r > 8192.0f || g > 8192.0f || b > 8192.0f) {
            continue;
        }
        encode_light(r, g, b, (mrwi_shade_tone){toned[i % 3], 4.0f}, one);
        encode_light(4 * r, 4 * g, 4 * b, (mrwi_shade_tone){toned[i % 3], 1.0f}, other);
        ck_assert_mem_eq(one, other, 3);
        encode_light(r, g, b, (mrwi_shade_tone){toned[i % 3], 0.0f}, one);
        ck_assert(one[0] == 0 && one[1] == 0 && one[2] == 0);
        /* exposure 1 without a tone map is what there is without both */
        encode_light(r, g, b, (mrwi_shade_tone){MRWI_SHADE_CURVE_EXPOSED, 1.0f}, one);
        encode_light(r, g, b, (mrwi_shade_tone){MRWI_SHADE_CURVE_SRGB, 0.0f}, other);
        ck_assert_mem_eq(one, other, 3);
    }
}
END_TEST

/* Neither sRGB nor raw bytes read it. */
START_TEST(exposure_is_not_for_all)
{
    uint8_t out[3];
    if (!choose_kernels(_i)) {
        return;
    }
    encode_light(0.5f, 0.25f, 1.5f, (mrwi_shade_tone){MRWI_SHADE_CURVE_SRGB, 8.0f}, out);
    ck_assert(out[0] == 188 && out[1] == 137 && out[2] == 255);
    encode_light(0.5f, 0.25f, 1.5f, (mrwi_shade_tone){MRWI_SHADE_CURVE_RAW, 8.0f}, out);
    ck_assert(out[0] == 128 && out[1] == 64 && out[2] == 255);
}
END_TEST

/* What no picture should have. */
START_TEST(odd_light_becomes_some_byte)
{
    static const float odd[] = {INFINITY, -INFINITY, NAN, 3e38f, -3e38f, -1.0f, 1e-45f, -0.0f};
    static const uint8_t wanted[] = {255, 0, 0, 255, 0, 0, 0, 0};
    if (!choose_kernels(_i)) {
        return;
    }
    for (int i = 0; i < 8; i++) {
        for (int curve = 0; curve < 3; curve++) {
            uint8_t out[4];
            encode_light(odd[i], odd[i], odd[i], (mrwi_shade_tone){toned[curve], 1.0f}, out);
            ck_assert_msg(out[0] == wanted[i] && out[1] == wanted[i] && out[2] == wanted[i],
                          "%g by curve %d: %u %u %u", (double)odd[i], curve, out[0], out[1],
                          out[2]);
            /* a trace of alpha, whose reciprocal is infinite, hides nothing */
            const float rgba[4] = {odd[i], 0.0f, 0.0f, 1e-45f};
            encode_one(rgba, (const float[4]){0.5f, 0.25f, 0.0f, 1.0f}, 3,
                       (mrwi_shade_tone){toned[curve], 1e6f}, out);
            ck_assert(out[0] == 188 && out[1] == 137 && out[2] == 0);
        }
    }
}
END_TEST

/* ---- over the background --------------------------------------------------------------------- */

/* Half a pixel of light 0.54, which Neutral shows as 0.5: 0.25 of it, and half the background,
 * which has no tone map. Bytes by hand from the sRGB curve. */
START_TEST(covered_parts_by_hand)
{
    static const float half[4] = {0.27f, 0.27f, 0.27f, 0.5f};
    const mrwi_shade_tone neutral = {MRWI_SHADE_CURVE_NEUTRAL, 1.0f};
    const mrwi_shade_tone bright = {MRWI_SHADE_CURVE_EXPOSED, 2.0f};
    uint8_t out[4];
    if (!choose_kernels(_i)) {
        return;
    }
    /* 0.25: 137; 0.25 + 1/2: 225; 0.25 + 0.2159 / 2 (#80) = 0.3579: 161 */
    encode_one(half, (const float[4]){0, 0, 0, 1}, 3, neutral, out);
    ck_assert(out[0] == 137 && out[1] == 137 && out[2] == 137);
    float ground[4];
    mrwi_shade_background_of((const uint8_t[4]){0xff, 0x80, 0x00, 0xff}, false, ground);
    encode_one(half, ground, 3, neutral, out);
    ck_assert(out[0] == 225 && out[1] == 161 && out[2] == 137);
    /* straight alpha: 0.5 is 188 */
    encode_one(half, no_background, 4, neutral, out);
    ck_assert(out[0] == 188 && out[1] == 188 && out[2] == 188 && out[3] == 128);
    /* exposed, 1.08 and white over it: 0.54 + 1/2 is beyond 1, 0.54: 194 */
    encode_one(half, ground, 3, bright, out);
    ck_assert(out[0] == 255 && out[2] == 194);
    /* endless light in a quarter of a pixel: white by a tone map, so that a quarter of it is 137 */
    encode_one((const float[4]){16384.0f, 16384.0f, 16384.0f, 0.25f}, (const float[4]){0, 0, 0, 1},
               3, neutral, out);
    ck_assert(out[0] == 137 && out[1] == 137 && out[2] == 137);
}
END_TEST

/* c / alpha by the curve, times alpha, over the background, and out of the alpha again. */
START_TEST(covered_parts_by_evaluation)
{
    if (!choose_kernels(_i)) {
        return;
    }
    for (int i = 0; i < TEST_ROUNDS(60000); i++) {
        const mrwi_shade_tone tone = {toned[i % 3], i % 5 == 0 ? 1.7f : 1.0f};
        const bool clear = random_below(2);
        const uint32_t channels = clear ? 4 : 3;
        const double alpha = (1 + random_below(256)) / 256.0;
        const float background[4] = {0.8f, 0.1f, 0.3f, 1.0f};
        double c[3];
        float rgba[4] = {0, 0, 0, (float)alpha};
        uint8_t out[4];
        for (int k = 0; k < 3; k++) {
            rgba[k] = random_light() * rgba[3];
            c[k] = (double)rgba[k] / alpha;
        }
        encode_one(rgba, clear ? no_background : background, channels, tone, out);
        evaluate(tone, c);
        for (int k = 0; k < 3; k++) {
            const double over = alpha * c[k] + (1 - alpha) * (double)background[k];
            check_level(out[k], srgb_level(clear ? c[k] : over), "a covered part");
        }
        if (clear) {
            check_level(out[3], 255.0 * alpha, "alpha");
        }
    }
}
END_TEST

START_TEST(backgrounds_come_out_as_written)
{
    static const float exposures[] = {0.0f, 0.3f, 1.0f, 1e6f};
    if (!choose_kernels(_i)) {
        return;
    }
    for (int i = 0; i < 256 * 3 * 4; i++) {
        const uint8_t grey = (uint8_t)i;
        const mrwi_shade_tone tone = {toned[i / 256 % 3], exposures[i / 768]};
        const uint8_t grounds[3][4] = {{grey, grey, grey, 255},
                                       {grey, (uint8_t)(grey ^ 0x5a), (uint8_t)~grey, 255},
                                       {grey, (uint8_t)(grey ^ 0x5a), (uint8_t)~grey, 77}};
        for (int k = 0; k < 3; k++) {
            uint8_t out[4];
            float linear[4];
            mrwi_shade_background_of(grounds[k], false, linear);
            encode_one(no_background, linear, 4, tone, out);
            ck_assert_mem_eq(out, grounds[k], 4);
            if (k < 2) {
                encode_one(no_background, linear, 3, tone, out);
                ck_assert_mem_eq(out, grounds[k], 3);
            }
        }
    }
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------- */

#define SIDE 8

/* A square over the left half of the picture, from x = 0 to `edge`, without light or under
 * white light from everywhere: its colours are those of its material. */
typedef struct square {
    float positions[4][4], normals[4][4];
    mrw_raster_material material;
    mrw_raster_draw draw;
    mrw_raster_job job;
    mrw_target target;
    uint8_t pixels[SIDE * SIDE * 4];
} square;

static void make_square(square *s, float edge, mrw_shading shading, mrw_tonemap tonemap)
{
    static const uint32_t indices[6] = {0, 1, 2, 2, 1, 3};
    *s = (square){.material = {.base_color = {0.54f, 0.29f, 0.79f, 0.5f},
                               .double_sided = true,
                               .unlit = shading == MRW_SHADING_LIT,
                               .uv_transform = {1, 0, 0, 0, 1, 0}}};
    for (int i = 0; i < 4; i++) {
        memcpy(s->positions[i], (float[4]){i % 2 ? edge : 0.0f, i < 2 ? 0.0f : SIDE, 0.5f, 1},
               sizeof s->positions[i]);
        s->normals[i][2] = 1.0f;
    }
    s->draw = (mrw_raster_draw){.vertex_count = 4,
                                .triangle_count = 2,
                                .indices = indices,
                                .positions = s->positions[0],
                                .normals = s->normals[0],
                                .id = 1,
                                .material = &s->material};
    s->target = (mrw_target){MRW_TARGET_COLOR, MRW_FORMAT_U8, 3, s->pixels, SIDE * 3};
    s->job = (mrw_raster_job){.draws = &s->draw,
                              .draw_count = 1,
                              .view = {.world_to_clip = {{2.0f / SIDE, 0, 0, 0, 0, -2.0f / SIDE, 0,
                                                          0, 0, 0, 1, 0, -1, 1, 0, 1}},
                                       .view_back = {0, 0, 1},
                                       .orthographic = true},
                              .lighting = {.up = {0, 1, 0}, .sky = {1, 1, 1}, .ground = {1, 1, 1}},
                              .shading = shading,
                              .filter = MRW_FILTER_TRILINEAR,
                              .exposure = 1.0f,
                              .tonemap = tonemap,
                              .samples = 4,
                              .background = {0xff, 0x80, 0x00, 0xff},
                              .width = SIDE,
                              .height = SIDE,
                              .targets = &s->target,
                              .target_count = 1,
                              .threads = 1};
}

static void draw_square(square *s)
{
    mrw_raster *raster = NULL;
    s->job.targets = &s->target;
    s->draw.material = &s->material;
    s->draw.positions = s->positions[0];
    s->draw.normals = s->normals[0];
    s->target.data = s->pixels;
    s->job.draws = &s->draw;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &s->job, NULL), MRW_OK);
    mrw_raster_free(raster);
}

/* Every row shows the same. */
static void expect_column(const square *s, int x, int r, int g, int b)
{
    for (int y = 0; y < SIDE; y++) {
        const uint8_t *p = s->pixels + (y * SIDE + x) * (int)s->target.channels;
        ck_assert_msg(p[0] == r && p[1] == g && p[2] == b, "pixel %d %d: %d %d %d, not %d %d %d", x,
                      y, p[0], p[1], p[2], r, g, b);
    }
}

/* Light 0.54, 0.29, 0.79 is 194, 147, 230 as it is, and 188, 137, 225 by Neutral. */
START_TEST(each_shading_has_what_is_its)
{
    square s;
    make_square(&s, 4.0f, MRW_SHADING_LIT, MRW_TONEMAP_NONE);
    draw_square(&s);
    expect_column(&s, 0, 194, 147, 230);
    make_square(&s, 4.0f, MRW_SHADING_LIT, MRW_TONEMAP_NEUTRAL);
    draw_square(&s);
    expect_column(&s, 0, 188, 137, 225);
    expect_column(&s, 4, 0xff, 0x80, 0x00);
    s.job.exposure = 0.5f; /* 0.27, 0.145, 0.395 less 0.04 */
    draw_square(&s);
    expect_column(&s, 0, 132, 91, 161);
    make_square(&s, 4.0f, MRW_SHADING_LAMBERT, MRW_TONEMAP_NEUTRAL);
    draw_square(&s);
    expect_column(&s, 0, 194, 147, 230);
    s.job.exposure = 0.5f; /* 0.27, 0.145, 0.395 */
    draw_square(&s);
    expect_column(&s, 0, 142, 106, 169);
    expect_column(&s, 4, 0xff, 0x80, 0x00);
    make_square(&s, 4.0f, MRW_SHADING_UNLIT, MRW_TONEMAP_NEUTRAL);
    s.job.exposure = 0.5f;
    draw_square(&s);
    expect_column(&s, 0, 194, 147, 230);
    expect_column(&s, 4, 0xff, 0x80, 0x00);
    make_square(&s, 4.0f, MRW_SHADING_RAW, MRW_TONEMAP_NEUTRAL);
    s.job.exposure = 0.5f;
    draw_square(&s);
    expect_column(&s, 0, 138, 74, 201); /* 0.54 * 255 = 137.7 */
    expect_column(&s, 4, 0xff, 0x80, 0x00);
}
END_TEST

/* The square ends in the middle of column 3: two of its four samples. Or it is half transparent, in
 * the columns that it covers whole. Both show 0.5, 0.25, 0.75 by halves over #ff8000: linear 0.75,
 * 0.125 + 0.1079 = 0.2329, 0.375. */
START_TEST(edges_and_glass_are_laid_over_the_background)
{
    for (uint32_t channels = 3; channels <= 4; channels++) {
        for (int glass = 0; glass < 2; glass++) {
            square s;
            make_square(&s, 3.5f, MRW_SHADING_LIT, MRW_TONEMAP_NEUTRAL);
            s.target.channels = channels;
            s.target.stride = channels * SIDE;
            s.material.alpha_mode = glass ? 2 : 0;
            draw_square(&s);
            expect_column(&s, glass ? 1 : 3, 225, 133, 165);
            expect_column(&s, 4, 0xff, 0x80, 0x00);
            if (!glass) {
                expect_column(&s, 1, 188, 137, 225);
            }
        }
    }
}
END_TEST

/* No background: colours keep what alpha takes. */
START_TEST(clear_pictures_have_straight_alpha)
{
    for (int glass = 0; glass < 2; glass++) {
        square s;
        make_square(&s, 3.5f, MRW_SHADING_LIT, MRW_TONEMAP_NEUTRAL);
        s.target.channels = 4;
        s.target.stride = 4 * SIDE;
        s.material.alpha_mode = glass ? 2 : 0;
        memset(s.job.background, 0, sizeof s.job.background);
        draw_square(&s);
        expect_column(&s, 1, 188, 137, 225);
        expect_column(&s, 3, 188, 137, 225);
        expect_column(&s, 4, 0, 0, 0);
        ck_assert_uint_eq(s.pixels[4 * 1 + 3], glass ? 128 : 255);
        ck_assert_uint_eq(s.pixels[4 * 3 + 3], glass ? 64 : 128);
        ck_assert_uint_eq(s.pixels[4 * 4 + 3], 0);
    }
}
END_TEST

/* Samples are averaged as light, not as what is shown of it: white in two of four samples and black
 * in the others are a grey of 0.5. */
START_TEST(tone_maps_see_means)
{
    square s, back;
    mrw_raster_draw draws[2];
    make_square(&s, 3.5f, MRW_SHADING_LIT, MRW_TONEMAP_NEUTRAL);
    make_square(&back, SIDE, MRW_SHADING_LIT, MRW_TONEMAP_NEUTRAL);
    for (int k = 0; k < 3; k++) {
        s.material.base_color[k] = 1.0f;
        back.material.base_color[k] = 0.0f;
    }
    for (int i = 0; i < 4; i++) {
        back.positions[i][2] = 0.75f;
    }
    s.job.exposure = 1.04f; /* 0.52, less 0.04, is 184; half of what white becomes is 0.44 */
    draws[0] = back.draw;
    draws[0].positions = back.positions[0];
    draws[0].normals = back.normals[0];
    draws[0].material = &back.material;
    draws[1] = s.draw;
    draws[1].positions = s.positions[0];
    draws[1].normals = s.normals[0];
    draws[1].material = &s.material;
    mrw_raster *raster = NULL;
    s.job.draws = draws;
    s.job.draw_count = 2;
    ck_assert_int_eq(mrw_raster_create(&raster, NULL), MRW_OK);
    ck_assert_int_eq(mrw_raster_draw_frame(raster, &s.job, NULL), MRW_OK);
    mrw_raster_free(raster);
    expect_column(&s, 3, 184, 184, 184);
    expect_column(&s, 5, 0, 0, 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("tone");
    TCase *tc = tcase_create("tone");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, curves_are_those_of_the_papers, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, neutral_is_as_its_specification_says, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, aces_is_filmic, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, more_light_is_never_darker, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, greys_stay_grey, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, neutral_keeps_hues, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, what_is_too_bright_turns_white, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, exposure_multiplies_light, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, exposure_is_not_for_all, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, odd_light_becomes_some_byte, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, covered_parts_by_hand, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, covered_parts_by_evaluation, 0, MRW_ISA_COUNT);
    tcase_add_loop_test(tc, backgrounds_come_out_as_written, 0, MRW_ISA_COUNT);
    tcase_add_test(tc, each_shading_has_what_is_its);
    tcase_add_test(tc, edges_and_glass_are_laid_over_the_background);
    tcase_add_test(tc, clear_pictures_have_straight_alpha);
    tcase_add_test(tc, tone_maps_see_means);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
