/* test_later_jpegs.c: JPEGs that a load leaves encoded, and that models decode: the same textures
 * as of decoded ones, damage told, and what cannot wait.
 */
#include "test.h"

#include "base/memory.h"
#include "frame/frame.h"
#include "scene/builder.h"
#include "shade/texture.h"
#include "warnings.h"

#include <marrow/codecs.h>
#include <marrow/frame.h>
#include <marrow/load.h>
#include <math.h>

static uint64_t random_state = 3;

/* A JPEG with waves and some noise; the caller frees it. */
static mrw_bytes make_jpeg(uint32_t width, uint32_t height, int phase)
{
    mrw_image image;
    mrw_bytes out;
    ck_assert_int_eq(mrw_image_create(width, height, 3, &image, NULL), MRW_OK);
    for (uint32_t i = 0; i < width * height * 3; i++) {
        const double wave = sin(i / 3 % width * 0.2 + phase) + cos(i / 3 / width * 0.1 * (i % 3));
        image.pixels[i] = (uint8_t)(128 + 50 * wave + test_random_below(&random_state, 20));
    }
    ck_assert_int_eq(mrw_jpeg_encode(&image, 90, &out, NULL), MRW_OK);
    mrw_image_free(&image);
    return out;
}

static void write_jpeg(const char *name, uint32_t width, uint32_t height, int phase)
{
    mrw_bytes jpeg = make_jpeg(width, height, phase);
    test_write(test_path(name), jpeg.data, jpeg.size);
    mrw_bytes_free(&jpeg);
}

/* A material with three JPEGs: a is the base colour and occlusion, b emits, c has normals. */
static void write_model(void)
{
    static const char gltf[] =
        "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"a.jpg\"},{\"uri\":\"b.jpg\"},{"
        "\"uri\":\"c.jpg\"}],\"textures\":[{\"source\":0},{\"source\":1},{\"source\":2}],"
        "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}},"
        "\"occlusionTexture\":{\"index\":0},\"emissiveTexture\":{\"index\":1},"
        "\"emissiveFactor\":[1,1,1],\"normalTexture\":{\"index\":2}}],"
        "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},{"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}],\"meshes\":[{\"primitives\":[{"
        "\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"material\":0}]}],\"nodes\":[{"
        "\"mesh\":0}]}";
    test_write_text(test_path("m.gltf"), gltf);
}

static mrw_scene *load(const char *name, bool later, int threads)
{
    mrw_load_def def = mrw_load_def_default();
    mrw_error error;
    mrw_scene *scene = NULL;
    def.later_jpegs = later;
    def.threads = threads;
    ck_assert_msg(mrw_load_file(test_path(name), &def, &scene, &error) == MRW_OK, "%s", error.text);
    return scene;
}

static mrw_model *prepare(const mrw_scene *scene, int threads)
{
    mrw_model_def def = mrw_model_def_default();
    mrw_model *model;
    mrw_error error;
    ck_assert_msg(mrw_model_create_with(scene, &def, threads, &model, &error) == MRW_OK, "%s",
                  error.text);
    return model;
}

/* Compares all levels of all textures; returns the number of textures. */
static int same_textures(const mrw_model *a, const mrw_model *b)
{
    int count = 0;
    ck_assert_uint_eq(a->scene->images_count, b->scene->images_count);
    for (uint32_t i = 0; i < a->scene->images_count * MRWI_FRAME_TEXTURES; i++) {
        const mrw_raster_texture *t = a->textures[i].texture, *u = b->textures[i].texture;
        ck_assert(!t == !u);
        if (t) {
            ck_assert_uint_eq(t->memory, u->memory);
            ck_assert_mem_eq(t->data ? (const void *)t->data : t->texels,
                             u->data ? (const void *)u->data : u->texels, t->memory);
            count++;
        }
    }
    return count;
}

static uint32_t count_flags(const mrw_scene *scene, uint32_t flag)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->images_count; i++) {
        count += (scene->images[i].flags & flag) != 0;
    }
    return count;
}

/* ---- textures -------------------------------------------------------------------------------- */

START_TEST(textures_are_the_same)
{
    static const uint32_t sizes[][2] = {{64, 64}, {37, 64}, {5, 3}, {1, 9}, {130, 50}};
    write_model();
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        write_jpeg("a.jpg", sizes[k][0], sizes[k][1], 0);
        write_jpeg("b.jpg", sizes[k][1], sizes[k][0], 1);
        write_jpeg("c.jpg", sizes[k][0], sizes[k][0], 2);
        mrw_scene *decoded = load("m.gltf", false, 1);
        mrw_model *expected = prepare(decoded, 1);
        ck_assert_uint_eq(count_flags(decoded, MRW_IMAGE_ENCODED), 0);
        for (int threads = 1; threads <= 4; threads++) {
            mrw_scene *scene = load("m.gltf", true, threads);
            ck_assert_uint_eq(count_flags(scene, MRW_IMAGE_ENCODED), 3);
            ck_assert_uint_eq(scene->images[0].width, sizes[k][0]);
            ck_assert_uint_eq(scene->images[0].height, sizes[k][1]);
            mrw_model *model = prepare(scene, threads);
            ck_assert_int_eq(same_textures(model, expected), 4);
            ck_assert(!mrw_model_is_damaged(model, 0));
            mrw_model_free(model);
            mrw_scene_free(scene);
        }
        mrw_model_free(expected);
        mrw_scene_free(decoded);
    }
    test_folder_remove();
}
END_TEST

/* Wrong bytes anywhere: a part is shown, or a checker, the same as of a decoded image, and a
 * warning or the model says so. */
START_TEST(damage_is_told)
{
    int later = 0, at_once = 0;
    write_model();
    write_jpeg("a.jpg", 96, 96, 0);
    write_jpeg("b.jpg", 16, 16, 1);
    write_jpeg("c.jpg", 16, 16, 2);
    for (int round = 0; round < TEST_ROUNDS(120); round++) {
        mrw_bytes jpeg = make_jpeg(96, 96, 0);
        const uint32_t cut = round % 5 ? 0 : test_random_below(&random_state, 3000);
        for (int i = 0; i < 1 + round % 3; i++) {
            jpeg.data[test_random_below(&random_state, (uint32_t)jpeg.size - 2)] =
                (uint8_t)test_random(&random_state);
        }
        test_write(test_path("a.jpg"), jpeg.data, jpeg.size - (cut < jpeg.size ? cut : 0));
        mrw_bytes_free(&jpeg);
        mrw_scene *decoded = load("m.gltf", false, 1), *scene = load("m.gltf", true, 1);
        mrw_model *expected = prepare(decoded, 1), *model = prepare(scene, 1);
        same_textures(model, expected);
        const bool told = mrw_model_is_damaged(model, 0);
        ck_assert_uint_eq(scene->warnings_count + told, decoded->warnings_count);
        ck_assert(!told || has_warning(decoded, "\"a.jpg\": the JPEG is damaged"));
        later += told;
        at_once += scene->warnings_count > 0;
        mrw_model_free(model);
        mrw_model_free(expected);
        mrw_scene_free(scene);
        mrw_scene_free(decoded);
    }
    ck_assert_int_gt(later, 5);
    ck_assert_int_gt(at_once, 5);
    test_folder_remove();
}
END_TEST

/* ---- what cannot wait ------------------------------------------------------------------------ */

START_TEST(heights_are_decoded)
{
    test_write_text(test_path("m.obj"), "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\n"
                                        "vt 0 1\nusemtl a\nf 1/1 2/2 3/3\n");
    test_write_text(test_path("m.mtl"), "newmtl a\nmap_Kd a.jpg\nmap_bump b.jpg\n");
    write_jpeg("a.jpg", 24, 24, 0);
    write_jpeg("b.jpg", 32, 32, 1);
    mrw_scene *scene = load("m.obj", true, 1), *decoded = load("m.obj", false, 1);
    ck_assert_uint_eq(scene->images_count, 2);
    ck_assert_uint_eq(count_flags(scene, MRW_IMAGE_ENCODED), 1);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_int_eq((scene->images[i].flags & MRW_IMAGE_ENCODED) != 0,
                         scene->images[i].width == 24);
    }
    mrw_model *model = prepare(scene, 1), *expected = prepare(decoded, 1);
    ck_assert_int_eq(same_textures(model, expected), 2);
    mrw_model_free(model);
    mrw_model_free(expected);
    mrw_scene_free(scene);
    mrw_scene_free(decoded);
    test_folder_remove();
}
END_TEST

/* An image whose size is not the JPEG's, as only a hijacked importer makes it, is grey. */
START_TEST(sizes_are_not_believed)
{
    write_model();
    write_jpeg("a.jpg", 32, 16, 0);
    write_jpeg("b.jpg", 16, 16, 1);
    write_jpeg("c.jpg", 16, 16, 2);
    mrw_scene *scene = load("m.gltf", true, 1);
    mrw_image_info *images = (void *)(uintptr_t)scene->images;
    images[0].width = images[0].height = 64;
    mrw_model *model = prepare(scene, 1);
    ck_assert(mrw_model_is_damaged(model, 0));
    ck_assert(!mrw_model_is_damaged(model, 1));
    for (uint32_t i = 0; i < MRWI_FRAME_TEXTURES; i++) {
        const mrw_raster_texture *t = model->textures[i].texture;
        if (t && t->data) {
            ck_assert_uint_eq(t->data[0], 128);
            ck_assert_uint_eq(t->data[3], 255);
        }
    }
    mrw_model_free(model);
    mrw_scene_free(scene);
    test_folder_remove();
}
END_TEST

/* A blob whose encoded image claims more bytes than there are is refused. */
START_TEST(blobs_are_checked)
{
    write_model();
    write_jpeg("a.jpg", 32, 16, 0);
    write_jpeg("b.jpg", 16, 16, 1);
    write_jpeg("c.jpg", 16, 16, 2);
    mrw_scene *scene = load("m.gltf", true, 1), *copy = NULL;
    mrw_bytes bytes;
    mrw_error error;
    ck_assert_int_eq(mrw_scene_compile(scene, &bytes, &error), MRW_ERROR_USAGE);
    for (int lie = 0; lie < 2; lie++) {
        uint8_t *blob = mrwi_base_alloc(scene->blob_size, 1);
        memcpy(blob, scene->blob, scene->blob_size);
        uint8_t *first = blob + (scene->texels - (const uint8_t *)scene->blob);
        first += (size_t)scene->images[2].first_texel * 4;
        uint32_t size;
        memcpy(&size, first, sizeof size);
        size += lie ? 4 : 0;
        memcpy(first, &size, sizeof size);
        ck_assert_int_eq(mrwi_scene_from_blob(blob, scene->blob_size, "m", &copy, &error),
                         lie ? MRW_ERROR_INPUT : MRW_OK);
        if (lie) {
            mrwi_base_free(blob);
        } else {
            mrw_scene_free(copy);
        }
    }
    mrw_scene_drop_texels(scene);
    ck_assert_uint_eq(count_flags(scene, MRW_IMAGE_ENCODED), 0);
    ck_assert_uint_eq(count_flags(scene, MRW_IMAGE_UNDECODED), 3);
    mrw_scene_free(scene);
    test_folder_remove();
}
END_TEST

START_TEST(memory_may_end)
{
    mrw_model_def def = mrw_model_def_default();
    write_model();
    write_jpeg("a.jpg", 32, 16, 0);
    write_jpeg("b.jpg", 16, 16, 1);
    write_jpeg("c.jpg", 17, 16, 2);
    mrw_scene *scene = load("m.gltf", true, 1);
    mrw_status status = MRW_ERROR_MEMORY;
    int failures = 0;
    for (uint64_t n = 1; status != MRW_OK; n++) {
        mrw_model *model = NULL;
        mrw_error error;
        mrwi_base_alloc_fail_at(n);
        status = mrw_model_create_with(scene, &def, 1, &model, &error);
        mrwi_base_alloc_fail_at(0);
        ck_assert(status == MRW_OK || status == MRW_ERROR_MEMORY);
        failures += status != MRW_OK;
        if (!status) {
            mrw_model_free(model);
        }
    }
    ck_assert_int_gt(failures, 15);
    mrw_scene_free(scene);
    test_folder_remove();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("later_jpegs");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, textures_are_the_same);
    tcase_add_test(all, damage_is_told);
    tcase_add_test(all, heights_are_decoded);
    tcase_add_test(all, sizes_are_not_believed);
    tcase_add_test(all, blobs_are_checked);
    tcase_add_test(all, memory_may_end);
    suite_add_tcase(s, all);
    return s;
}

TEST_MAIN(suite())
