/* test_cli_jpegs.c: JPEGs that are decoded when a picture needs them: the same picture whatever
 * else a run draws, and damage that is told before the first picture.
 */
#include "cli_fixture.h"

#include <marrow/codecs.h>
#include <math.h>

enum { SIDE = 512, BUFFER = 140 };

static mrw_bytes make_jpeg(void)
{
    mrw_image image;
    mrw_bytes jpeg;
    uint64_t state = 5;
    ck_assert_int_eq(mrw_image_create(SIDE, SIDE, 3, &image, NULL), MRW_OK);
    for (int i = 0; i < SIDE * SIDE * 3; i++) {
        const double wave = 60 * sin(i / 3 % SIDE * 0.4 + i % 3) + 50 * cos(i / 3 / SIDE * 0.3);
        image.pixels[i] = (uint8_t)(120 + wave + test_random_below(&state, 16));
    }
    ck_assert_int_eq(mrw_jpeg_encode(&image, 85, &jpeg, NULL), MRW_OK);
    mrw_image_free(&image);
    return jpeg;
}

/* Writes a square with t.jpg, which comes 40 times nearer in a second, and the picture. */
static void write_square(void)
{
    static const float square[][5] = {
        {-1, -1, 0, 0, 1}, {1, -1, 0, 1, 1}, {1, 1, 0, 1, 0}, {-1, 1, 0, 0, 0}};
    static const float times[2] = {0, 1}, scales[6] = {0.02f, 0.02f, 0.02f, 0.8f, 0.8f, 0.8f};
    static const uint16_t indices[6] = {0, 1, 2, 0, 2, 3};
    unsigned char buffer[BUFFER] = {0};
    char text[2 * BUFFER], gltf[3000];
    for (int i = 0; i < 4; i++) {
        memcpy(buffer + 12 * i, square[i], 12);
        memcpy(buffer + 48 + 8 * i, square[i] + 3, 8);
    }
    memcpy(buffer + 80, indices, sizeof indices);
    memcpy(buffer + 92, times, sizeof times);
    memcpy(buffer + 100, scales, sizeof scales);
    base64(buffer, BUFFER, text);
    snprintf(
        gltf, sizeof gltf,
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%d,\"uri\":"
        "\"data:application/octet-stream;base64,%s\"}],\"bufferViews\":["
        "{\"buffer\":0,\"byteOffset\":0,\"byteLength\":48},"
        "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":32},"
        "{\"buffer\":0,\"byteOffset\":80,\"byteLength\":12},"
        "{\"buffer\":0,\"byteOffset\":92,\"byteLength\":8},"
        "{\"buffer\":0,\"byteOffset\":100,\"byteLength\":24}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":4,\"type\":\"VEC2\"},"
        "{\"bufferView\":2,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"},"
        "{\"bufferView\":3,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
        "{\"bufferView\":4,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],"
        "\"images\":[{\"uri\":\"t.jpg\"}],\"textures\":[{\"source\":0}],\"materials\":[{"
        "\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}},\"occlusionTexture\":{"
        "\"index\":0}}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
        "\"TEXCOORD_0\":1},\"indices\":2,\"material\":0}]}],\"nodes\":[{\"mesh\":0}],"
        "\"animations\":[{\"samplers\":[{\"input\":3,\"output\":4}],\"channels\":[{\"sampler\":0,"
        "\"target\":{\"node\":0,\"path\":\"scale\"}}]}]}",
        BUFFER, text);
    test_write_text("m.gltf", gltf);
    mrw_bytes jpeg = make_jpeg();
    test_write("t.jpg", jpeg.data, jpeg.size);
    mrw_bytes_free(&jpeg);
}

/* The levels that are kept of the texture depend on the run; frame 7's pixels do not. */
START_TEST(a_frame_is_the_same_in_every_run)
{
    write_square();
    shell("marrow render m.gltf --fps 10 --frames 7 --size 96 -q -o alone.png");
    assert_status(0);
    static const char *const runs[] = {"--frames 7 -j 4", "--frames 0-10", "--frames 0-10 -j 3",
                                       "--frames 7,10", "--frames 0-10 --shard 2/3"};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        shell("rm -rf f; marrow render m.gltf --fps 10 --size 96 -q -o 'f/{frame}.png' %s && cmp "
              "f/7.png alone.png",
              runs[i]);
        assert_status(0);
    }
    for (int shard = 1; shard <= 3; shard++) {
        shell("marrow render m.gltf --fps 10 --frames 0-10 --shard %d/3 --size 96 -q -o "
              "'s/{frame}.png'",
              shard);
        assert_status(0);
    }
    shell("marrow render m.gltf --fps 10 --frames 0-10 --size 96 -q -o 'w/{frame}.png'; "
          "ls s | wc -l; diff -r s w && cmp s/7.png alone.png");
    assert_status(0);
    ck_assert_int_eq(atoi(out), 11);
    /* the suite shares its model, decoded at once, with a case that keeps all levels */
    test_write_text("t.suite.ini", "[defaults]\nmodel = m.gltf\nfps = 10\n[far]\nframes = 7\n"
                                   "size = 96\n[near]\nframes = 0-10\nsize = 700\n");
    shell("marrow test --update -q && cmp golden/t/far/*_0007.png alone.png");
    assert_status(0);
}
END_TEST

/* Two bytes in the middle of the scan: found when the texture is decoded. */
START_TEST(damage_is_told_before_the_first_picture)
{
    static const char warning[] = "m.gltf: image 0 \"t.jpg\": the JPEG is damaged or cut off";
    write_square();
    mrw_bytes jpeg = make_jpeg();
    memcpy(jpeg.data + jpeg.size / 2, "\xff\x3f", 2);
    test_write("t.jpg", jpeg.data, jpeg.size);
    shell("marrow render m.gltf --size 64 -o a.png");
    assert_status(0);
    assert_said(warning);
    ck_assert_ptr_null(strstr(strstr(err, warning) + 1, warning));
    static const char *const more[] = {"-o b.png", "-o c.png --dry-run", "-o d.png --add m.gltf",
                                       "-o e.exr --aov normal", "-o f.png --add demo:blob"};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        shell("marrow render m.gltf --size 64 --strict %s", more[i]);
        assert_status(5);
        assert_said(warning);
        ck_assert_ptr_null(strstr(strstr(err, warning) + 1, warning));
    }
    shell("cmp a.png b.png && marrow render m.gltf --size 64 --json -o d.png");
    ck_assert_ptr_nonnull(strstr(out, "the JPEG is damaged or cut off"));
    shell("marrow render demo:blob --add m.gltf --size 64 --strict -o e.png");
    assert_status(5);
    assert_said(warning);
    test_write("t.jpg", jpeg.data, jpeg.size / 2); /* without an end it is decoded at once */
    shell("marrow render m.gltf --size 64 --strict -o g.png");
    assert_status(5);
    assert_said(warning);
    mrw_bytes_free(&jpeg);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_jpegs");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_checked_fixture(all, enter, test_folder_remove);
    tcase_add_test(all, a_frame_is_the_same_in_every_run);
    tcase_add_test(all, damage_is_told_before_the_first_picture);
    suite_add_tcase(s, all);
    return s;
}

TEST_MAIN(suite())
