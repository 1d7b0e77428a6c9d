/* test_ktx2.c: KTX 2.0 textures, written here field by field. Texels by hand; Zstandard and zlib by
 * their own compressors. */
#include "load_gltf.h"

#include "marrow/codecs.h"

#include <libdeflate.h>
#include <zstd.h>

/* ---- writing --------------------------------------------------------------------------------- */

static uint8_t file[8192];
static size_t file_size;

static void put_little(uint64_t value, int count)
{
    for (int i = 0; i < count; i++) {
        file[file_size++] = (uint8_t)(value >> (8 * i));
    }
}

static void put_data(const void *data, size_t size)
{
    memcpy(file + file_size, data, size);
    file_size += size;
}

/* A texture of one level, as the specification lists the fields. */
static void write_ktx2(uint32_t format, uint32_t width, uint32_t height, uint32_t scheme,
                       const uint8_t *level, size_t size, size_t whole)
{
    static const uint8_t identifier[12] = {0xab, 0x4b, 0x54, 0x58, 0x20, 0x32,
                                           0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a};
    file_size = 0;
    put_data(identifier, sizeof identifier);
    put_little(format, 4);
    put_little(1, 4); /* typeSize */
    put_little(width, 4);
    put_little(height, 4);
    put_little(0, 4); /* pixelDepth */
    put_little(0, 4); /* layerCount */
    put_little(1, 4); /* faceCount */
    put_little(1, 4); /* levelCount */
    put_little(scheme, 4);
    put_little(0, 8); /* no data format descriptor */
    put_little(0, 8); /* no key/value data */
    put_little(0, 8); /* no supercompression data */
    put_little(0, 8);
    put_little(104, 8);
    put_little(size, 8);
    put_little(whole, 8);
    ck_assert_uint_eq(file_size, 104);
    put_data(level, size);
}

static mrw_status decode(uint32_t channels, mrw_image *out)
{
    memset(&error, 0, sizeof error);
    return mrw_image_decode(file, file_size, channels, 1u << 20, "t", out, &error);
}

static void expect(uint32_t width, uint32_t height, uint32_t channels, const uint8_t *want)
{
    mrw_image image;
    ck_assert_msg(decode(0, &image) == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(image.width, width);
    ck_assert_uint_eq(image.height, height);
    ck_assert_uint_eq(image.channels, channels);
    ck_assert_mem_eq(image.pixels, want, (size_t)width * height * channels);
    mrw_image_free(&image);
}

/* ---- formats --------------------------------------------------------------------------------- */

START_TEST(bytes_per_channel)
{
    static const uint8_t rgba[8] = {1, 2, 3, 4, 250, 251, 252, 253};
    write_ktx2(37, 2, 1, 0, rgba, 8, 8);
    expect(2, 1, 4, rgba);
    write_ktx2(43, 1, 2, 0, rgba, 8, 8);
    expect(1, 2, 4, rgba);
    write_ktx2(44, 2, 1, 0, rgba, 8, 8);
    expect(2, 1, 4, (const uint8_t[]){3, 2, 1, 4, 252, 251, 250, 253});
    write_ktx2(23, 2, 1, 0, rgba, 6, 6);
    expect(2, 1, 3, (const uint8_t[]){1, 2, 3, 4, 250, 251});
    write_ktx2(36, 2, 1, 0, rgba, 6, 6);
    expect(2, 1, 3, (const uint8_t[]){3, 2, 1, 251, 250, 4});
    write_ktx2(9, 3, 1, 0, rgba, 3, 3);
    expect(3, 1, 3, (const uint8_t[]){1, 1, 1, 2, 2, 2, 3, 3, 3});
}
END_TEST

/* Two columns of pure red and half of transparent black: c0 = 0x0000 <= c1 = 0xf800. With alpha the
 * fourth index is transparent; without it is opaque black. */
START_TEST(blocks)
{
    static const uint8_t block[8] = {0, 0, 0, 0xf8, 0xdd, 0xdd, 0xdd, 0xdd}; /* 1, 3, 1, 3 */
    uint8_t with[64], without[48];
    for (int i = 0; i < 16; i++) {
        const bool red = i % 2 == 0;
        memcpy(with + 4 * i,
               red ? (const uint8_t[]){255, 0, 0, 255} : (const uint8_t[]){0, 0, 0, 0}, 4);
        memcpy(without + 3 * i, red ? (const uint8_t[]){255, 0, 0} : (const uint8_t[]){0, 0, 0}, 3);
    }
    write_ktx2(134, 4, 4, 0, block, 8, 8);
    expect(4, 4, 4, with);
    write_ktx2(131, 4, 4, 0, block, 8, 8);
    expect(4, 4, 3, without);
    mrw_image image;
    ck_assert_int_eq(decode(4, &image), MRW_OK);
    for (int i = 0; i < 16; i++) {
        ck_assert_uint_eq(image.pixels[4 * i + 3], 255);
    }
    mrw_image_free(&image);
    /* BC4: ends 0 and 255; index 0 and 1 in turn. */
    static const uint8_t gray[8] = {0, 255, 0x08, 0x82, 0x20, 0x08, 0x82, 0x20};
    uint8_t stripes[48];
    for (int i = 0; i < 16; i++) {
        memset(stripes + 3 * i, i % 2 == 0 ? 0 : 255, 3);
    }
    write_ktx2(139, 4, 4, 0, gray, 8, 8);
    expect(4, 4, 3, stripes);
}
END_TEST

static void pack(bool zstd, const uint8_t *data, size_t size, uint8_t *out, size_t *packed)
{
    if (zstd) {
        *packed = ZSTD_compress(out, 4000, data, size, 3);
        ck_assert(!ZSTD_isError(*packed));
        return;
    }
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    *packed = libdeflate_zlib_compress(compressor, data, size, out, 4000);
    libdeflate_free_compressor(compressor);
    ck_assert_uint_gt(*packed, 0);
}

START_TEST(compressed)
{
    uint8_t texels[16 * 16 * 4], packed[4000];
    size_t size;
    for (size_t i = 0; i < sizeof texels; i++) {
        texels[i] = (uint8_t)(i * i / 7);
    }
    for (uint32_t scheme = 2; scheme <= 3; scheme++) {
        pack(scheme == 2, texels, sizeof texels, packed, &size);
        write_ktx2(37, 16, 16, scheme, packed, size, sizeof texels);
        expect(16, 16, 4, texels);
        /* A level that says it is larger, or smaller, than the picture. */
        mrw_image image;
        write_ktx2(37, 16, 16, scheme, packed, size, (size_t)1 << 40);
        ck_assert_int_eq(decode(0, &image), MRW_ERROR_INPUT);
        write_ktx2(37, 16, 15, scheme, packed, size, 16 * 15 * 4);
        ck_assert_int_eq(decode(0, &image), MRW_ERROR_INPUT);
        write_ktx2(37, 16, 17, scheme, packed, size, 16 * 17 * 4);
        ck_assert_int_eq(decode(0, &image), MRW_ERROR_INPUT);
    }
}
END_TEST

/* ---- files that are refused ------------------------------------------------------------------ */

START_TEST(cut_off_anywhere)
{
    uint8_t texels[64] = {0}, packed[4000];
    mrw_image image;
    for (uint32_t scheme = 0; scheme <= 2; scheme += 2) {
        size_t size = sizeof texels;
        memcpy(packed, texels, size);
        if (scheme > 0) {
            pack(true, texels, sizeof texels, packed, &size);
        }
        write_ktx2(37, 4, 4, scheme, packed, size, sizeof texels);
        const size_t whole = file_size;
        for (file_size = 0; file_size < whole; file_size++) {
            ck_assert_int_eq(decode(0, &image), MRW_ERROR_INPUT);
        }
        ck_assert_int_eq(decode(0, &image), MRW_OK);
        mrw_image_free(&image);
    }
}
END_TEST

START_TEST(bad_fields)
{
    static const uint8_t texels[64] = {0};
    static const struct {
        size_t at;
        int count;
        uint64_t value;
        const char *says;
    } cases[] = {
        {12, 4, 0, "Basis Universal"}, {12, 4, 97, "format 97"},
        {44, 4, 1, "Basis Universal"}, {44, 4, 4, "supercompression 4"},
        {20, 4, 0, "no pixels"},       {20, 4, 1u << 30, "larger than allowed"},
        {80, 8, 105, "damaged"},       {80, 8, UINT64_MAX, "damaged"},
        {88, 8, 63, "damaged"},        {88, 8, UINT64_MAX, "damaged"},
        {24, 4, 5, "damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_image image;
        write_ktx2(37, 4, 4, 0, texels, 64, 64);
        const size_t whole = file_size;
        file_size = cases[i].at;
        put_little(cases[i].value, cases[i].count);
        file_size = whole;
        ck_assert_int_eq(decode(0, &image), MRW_ERROR_INPUT);
        ck_assert_msg(strstr(error.text, cases[i].says), "case %zu: %s", i, error.text);
    }
}
END_TEST

/* ---- in glTF --------------------------------------------------------------------------------- */

/* A triangle with the texture in two images; `source`: each has a PNG of 1x1, too. */
static mrw_scene *load_texture(bool source)
{
    reset();
    PUT(float, TRIANGLE, 0, 0, 1, 0, 0, 1);
    put_bytes(file, file_size); /* 60 */
    return load(gltf(
        ",{'buffer':0,'byteOffset':60,'byteLength':%zu}],'accessors':[" A(0, 5126, 3, VEC3) "," A(
            36, 5126, 3,
            VEC2) "],"
                  "'extensionsRequired':['KHR_texture_basisu'],"
                  "'images':[{'bufferView':1,'mimeType':'image/ktx2'},"
                  "{'uri':'data:image/png;base64," PNG_1X1 "'},"
                  "{'bufferView':1,'mimeType':'image/ktx2'}],"
                  "'textures':[{%s'extensions':{'KHR_texture_basisu':{'source':0}}},"
                  "{%s'extensions':{'KHR_texture_basisu':{'source':2}}}],"
                  "'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0}},"
                  "'emissiveTexture':{'index':1}}],"
                  "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':1},"
                  "'material':0}]}],'nodes':[{'mesh':0}]",
        file_size, source ? "'source':1," : "", source ? "'source':1," : ""));
}

START_TEST(textures_of_gltf)
{
    static const uint8_t texels[12] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 10, 20};
    write_ktx2(23, 2, 2, 0, texels, 12, 12);
    mrw_scene *s = load_texture(false);
    ck_assert_uint_eq(s->warnings_count, 0);
    ck_assert_uint_eq(s->images[0].width, 2);
    ck_assert_uint_eq(s->images[0].flags & MRW_IMAGE_MISSING, 0);
    mrw_scene_free(s);
    /* Basis Universal: the PNG if there is one, else a checker and one warning. */
    write_ktx2(0, 2, 2, 1, texels, 12, 0);
    s = load_texture(true);
    ck_assert_uint_eq(s->warnings_count, 0);
    ck_assert_uint_eq(s->images[0].width, 1);
    mrw_scene_free(s);
    s = load_texture(false);
    ck_assert_uint_eq(s->warnings_count, 1);
    ck_assert(has_warning(s, "npx @gltf-transform/cli ktxdecompress in.glb out.glb"));
    ck_assert_uint_ne(s->images[0].flags & MRW_IMAGE_MISSING, 0);
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ktx2");
    TCase *tc = tcase_create("ktx2");
    tcase_add_test(tc, bytes_per_channel);
    tcase_add_test(tc, blocks);
    tcase_add_test(tc, compressed);
    tcase_add_test(tc, cut_off_anywhere);
    tcase_add_test(tc, bad_fields);
    tcase_add_test(tc, textures_of_gltf);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
