/* test_webp_read.c: WebP textures: exact where they are lossless, the same bits by all of libwebp's
 * code where they are lossy, and damaged ones. */
#include "load_gltf.h"

#include "base/sha256.h"
#include "marrow/codecs.h"

#include <webp/encode.h>

/* libwebp asks this for instruction sets, and looks anew when it is another function. */
extern int (*VP8GetCPUInfo)(int feature);
static int (*all_features)(int feature);
static int most_feature; /* 0 SSE2, 1 SSE3, 2 (slow SSSE3), 3 SSE4.1, 4 AVX, 5 AVX2 */
static int questions;

static int some_features(int feature)
{
    questions++;
    return feature <= most_feature && all_features(feature);
}

/* Its encoder and decoder of other numbers of features are other functions: it compares pointers.
 */
static int two(int feature)
{
    return some_features(feature);
}

/* ---- pictures -------------------------------------------------------------------------------- */

#define MAX_SIDE 70

/* Noise on gradients; no alpha is 0, where an encoder may change colours. */
static void fill(uint8_t *rgba, int width, int height, uint32_t seed)
{
    for (int i = 0; i < width * height; i++) {
        seed = seed * 1664525u + 1013904223u;
        rgba[4 * i] = (uint8_t)(i % width * 3 + (int)(seed >> 28));
        rgba[4 * i + 1] = (uint8_t)(i / width * 5);
        rgba[4 * i + 2] = (uint8_t)(seed >> 24);
        rgba[4 * i + 3] = (uint8_t)(128 + (seed >> 20) % 128);
    }
}

static mrw_image decode(const uint8_t *data, size_t size, uint32_t channels)
{
    mrw_image image = {0};
    mrw_error why = {0};
    ck_assert_msg(mrw_image_decode(data, size, channels, 0, "a.webp", &image, &why) == MRW_OK, "%s",
                  why.text);
    return image;
}

START_TEST(lossless)
{
    static uint8_t rgba[MAX_SIDE * MAX_SIDE * 4];
    for (int side = 1; side <= MAX_SIDE; side += 23) {
        uint8_t *data;
        fill(rgba, side, side + 1 < MAX_SIDE ? side + 1 : side, (uint32_t)side);
        const int height = side + 1 < MAX_SIDE ? side + 1 : side;
        const size_t size = WebPEncodeLosslessRGBA(rgba, side, height, 4 * side, &data);
        ck_assert_uint_gt(size, 0);
        mrw_image image = decode(data, size, 0);
        ck_assert_uint_eq(image.width, (uint32_t)side);
        ck_assert_uint_eq(image.height, (uint32_t)height);
        ck_assert_uint_eq(image.channels, 4);
        ck_assert_mem_eq(image.pixels, rgba, (size_t)(side * height * 4));
        mrw_image_free(&image);
        image = decode(data, size, 3);
        ck_assert_uint_eq(image.channels, 3);
        ck_assert_mem_eq((uint8_t *)image.pixels + 3 * (side * height - 1),
                         rgba + 4 * (side * height - 1), 3);
        mrw_image_free(&image);
        WebPFree(data);
    }
}
END_TEST

/* ---- the same bits --------------------------------------------------------------------------- */

static void check_levels(const uint8_t *data, size_t size, uint32_t channels)
{
    all_features = all_features ? all_features : VP8GetCPUInfo;
    VP8GetCPUInfo = NULL; /* C alone, but on arm64 */
    mrw_image plain = decode(data, size, channels);
    for (most_feature = 0; most_feature < 6 && all_features; most_feature++) {
        questions = 0;
        VP8GetCPUInfo = most_feature % 2 ? two : some_features;
        mrw_image other = decode(data, size, channels);
#ifdef __x86_64__ /* on arm64 it has NEON code alone and need not ask */
        ck_assert_int_gt(questions, 0);
#endif
        ck_assert_mem_eq(other.pixels, plain.pixels,
                         (size_t)plain.width * plain.height * plain.channels);
        mrw_image_free(&other);
    }
    mrw_image_free(&plain);
    VP8GetCPUInfo = all_features;
}

START_TEST(lossy_by_all_levels)
{
    static uint8_t rgba[MAX_SIDE * MAX_SIDE * 4];
    static const float qualities[] = {1, 30, 75, 100};
    for (int i = 0; i < TEST_ROUNDS(60); i++) {
        const int width = 1 + i * 37 % MAX_SIDE, height = 1 + i * 53 % MAX_SIDE;
        uint8_t *data;
        fill(rgba, width, height, (uint32_t)i);
        const size_t size = WebPEncodeRGBA(rgba, width, height, 4 * width, qualities[i % 4], &data);
        ck_assert_uint_gt(size, 0);
        check_levels(data, size, i % 2 ? 4 : 3);
        WebPFree(data);
    }
}
END_TEST

/* 24 x 20 at quality 40, written by cwebp 1.2.4; the hash is of what dwebp -noasm made of it. */
static const uint8_t fixed[] = {
    0x52, 0x49, 0x46, 0x46, 0xce, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x20,
    0xc2, 0x00, 0x00, 0x00, 0x50, 0x06, 0x00, 0x9d, 0x01, 0x2a, 0x18, 0x00, 0x14, 0x00, 0x3e, 0xed,
    0x68, 0xa9, 0x4f, 0xa9, 0xa6, 0x23, 0xa2, 0x28, 0x0d, 0x51, 0x30, 0x1d, 0x89, 0x6c, 0x00, 0x9d,
    0x32, 0x84, 0x74, 0xf6, 0x83, 0x39, 0xf0, 0x65, 0x30, 0xb6, 0xc6, 0x2e, 0xe0, 0x57, 0x99, 0x8d,
    0xb9, 0x47, 0xa3, 0xae, 0x19, 0x02, 0x20, 0x47, 0xec, 0x61, 0x5c, 0x59, 0x3a, 0xc2, 0x00, 0x00,
    0xfe, 0xf1, 0x11, 0x44, 0xbd, 0x48, 0xf3, 0x49, 0x77, 0x97, 0x0e, 0xdb, 0x6f, 0x0b, 0x0f, 0x6d,
    0x40, 0x92, 0xdf, 0xe0, 0xe8, 0x71, 0x93, 0x51, 0x85, 0x40, 0x05, 0xa9, 0xee, 0x9a, 0x05, 0xb9,
    0x48, 0xc4, 0x62, 0x3b, 0x18, 0xd5, 0xc0, 0x43, 0xc3, 0xd2, 0x80, 0x0f, 0xeb, 0xc1, 0xd6, 0xbb,
    0xf7, 0xfc, 0x19, 0x01, 0x9e, 0xc4, 0x38, 0xfd, 0x10, 0xa3, 0xca, 0x2c, 0x93, 0xeb, 0xf9, 0xd7,
    0xb7, 0x27, 0x43, 0x40, 0xec, 0xcc, 0x5b, 0x73, 0xab, 0x39, 0x77, 0x28, 0x57, 0xe9, 0x04, 0xd5,
    0x9b, 0x8d, 0xd8, 0x09, 0xa1, 0x38, 0x13, 0xfc, 0x69, 0x31, 0x7b, 0xf4, 0x5e, 0xa9, 0x66, 0xc2,
    0xed, 0x79, 0x46, 0x02, 0xd1, 0xad, 0x7b, 0x2b, 0x23, 0xeb, 0xa6, 0x42, 0x6a, 0xac, 0x9a, 0x45,
    0x09, 0x1f, 0xfc, 0x36, 0x39, 0x68, 0x2b, 0xa4, 0x70, 0xd2, 0xfc, 0xb3, 0xfc, 0x1b, 0xc0, 0x8a,
    0xfe, 0x12, 0x14, 0x00, 0x00, 0x00,
};

START_TEST(lossy_on_every_machine)
{
    char hex[65];
    mrw_image image = decode(fixed, sizeof fixed, 0);
    ck_assert_uint_eq(image.channels, 3);
    mrwi_base_sha256 hash;
    uint8_t digest[32];
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, image.pixels, 24 * 20 * 3);
    mrwi_base_sha256_end(&hash, digest);
    for (int i = 0; i < 32; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
    ck_assert_str_eq(hex, "e5258c843a50dab8305cd7162ea83a8e4d39221b5703c9abd0dd8695c596b368");
    mrw_image_free(&image);
    check_levels(fixed, sizeof fixed, 4);
}
END_TEST

/* ---- models ---------------------------------------------------------------------------------- */

#define WHITE_PNG                                                                                  \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC"

/* The picture of the extension is taken, whatever `source` has. */
START_TEST(of_gltf)
{
    static const char *const sources[] = {"", "'source':0,"};
    static const uint8_t green[16] = {0, 255, 0, 255, 0, 255, 0, 255,
                                      0, 255, 0, 255, 0, 255, 0, 255};
    char encoded[400];
    uint8_t *data;
    const size_t size = WebPEncodeLosslessRGBA(green, 2, 2, 8, &data);
    ck_assert_uint_lt(size, 200);
    base64(data, size, encoded);
    WebPFree(data);
    for (size_t i = 0; i < 2; i++) {
        reset();
        PUT(float, TRIANGLE);
        PUT(float, 0, 0, 1, 0, 0, 1);
        mrw_scene *s = try_load(gltf(
            "],'extensionsUsed':['EXT_texture_webp'],'extensionsRequired':['EXT_texture_webp'],"
            "'images':[{'uri':'data:image/png;base64," WHITE_PNG "'},"
            "{'uri':'data:image/webp;base64,%s','mimeType':'image/webp'}],"
            "'textures':[{%s'extensions':{'EXT_texture_webp':{'source':1}}}],"
            "'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0}}}],"
            "'accessors':[" A(0, 5126, 3, VEC3) "," A(
                36, 5126, 3,
                VEC2) "],'meshes':[{"
                      "'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1},'material':0}]}],"
                      "'nodes':[{'mesh':0}]",
            encoded, sources[i]));
        ck_assert_msg(s, "%s", error.text);
        ck_assert_uint_eq(s->warnings_count, 0);
        const uint32_t texture = s->materials[0].maps[MRW_MAP_BASE_COLOR].texture;
        const mrw_image_info *image = &s->images[s->textures[texture].image];
        ck_assert_uint_eq(image->width, 2);
        ck_assert_uint_ne(image->first_texel, MRW_NONE);
        ck_assert_mem_eq(s->texels + (size_t)image->first_texel * 4, green, 16);
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------- */

static void expect_fault(const uint8_t *data, size_t size, const char *part)
{
    mrw_image image = {0};
    mrw_error why = {0};
    uint8_t *exact = malloc(size); /* so that a sanitizer sees its end */
    memcpy(exact, data, size);
    const mrw_status status = mrw_image_decode(exact, size, 0, 10000, "a.webp", &image, &why);
    free(exact);
    ck_assert(status == MRW_ERROR_INPUT || (!part && status == MRW_OK));
    ck_assert_msg(!part || strstr(why.text, part), "%s", why.text);
    ck_assert(status == MRW_OK || strstr(why.text, "a.webp: "));
    if (status == MRW_OK) {
        mrw_image_free(&image);
    }
}

START_TEST(damaged)
{
    static uint8_t rgba[200 * 200 * 4];
    uint8_t copy[sizeof fixed], *data;
    for (size_t cut = 12; cut < sizeof fixed - 4; cut++) { /* whatever padding follows */
        expect_fault(fixed, cut, "damaged or cut off");
    }
    for (size_t i = 0; i < 8 * sizeof fixed; i++) {
        memcpy(copy, fixed, sizeof fixed);
        copy[i / 8] ^= (uint8_t)(1 << i % 8);
        expect_fault(copy, sizeof copy, NULL);
    }
    fill(rgba, 200, 200, 1);
    size_t size = WebPEncodeRGB(rgba, 200, 200, 600, 10, &data);
    expect_fault(data, size, "larger than allowed");
    WebPFree(data);
    /* An animation, by its flag. RIFF, VP8X: RFC 9649, section 2.7. */
    static const uint8_t animation[] = {
        'R', 'I', 'F', 'F', 36, 0, 0, 0, 'W', 'E', 'B', 'P', 'V', 'P', '8', 'X', 10, 0, 0, 0, 2, 0,
        0,   0,   3,   0,   0,  3, 0, 0, 'A', 'N', 'I', 'M', 6,   0,   0,   0,   0,  0, 0, 0, 0, 0};
    expect_fault(animation, sizeof animation, "is an animation");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("webp_read");
    TCase *tc = tcase_create("webp_read");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, lossless);
    tcase_add_test(tc, lossy_by_all_levels);
    tcase_add_test(tc, lossy_on_every_machine);
    tcase_add_test(tc, of_gltf);
    tcase_add_test(tc, damaged);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
