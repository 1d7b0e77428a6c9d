/* test_compiled.c: scenes as files: they come back as they were, and damage is refused. */
#include "test.h"

#include "base/memory.h"
#include "base/sha256.h"
#include "marrow/load.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static mrw_scene *load(const void *bytes, size_t size)
{
    mrw_error error;
    mrw_scene *scene = NULL;
    memset(&error, 0, sizeof error);
    mrw_status status = mrw_load_memory(bytes, size, "t.marrow", NULL, NULL, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return scene;
}

static mrw_scene *demo(const char *name)
{
    mrw_scene *scene = NULL;
    ck_assert_int_eq(mrw_load_file(name, NULL, &scene, NULL), MRW_OK);
    return scene;
}

static mrw_bytes compile(const mrw_scene *scene)
{
    mrw_bytes bytes;
    ck_assert_int_eq(mrw_scene_compile(scene, &bytes, NULL), MRW_OK);
    return bytes;
}

static mrw_status try_load(const void *bytes, size_t size, const mrw_load_def *def,
                           mrw_error *error)
{
    mrw_scene *scene = NULL;
    memset(error, 0, sizeof *error);
    mrw_status status = mrw_load_memory(bytes, size, "t.marrow", NULL, def, &scene, error);
    ck_assert((status != MRW_OK) == !scene);
    mrw_scene_free(scene);
    return status;
}

START_TEST(every_array_comes_back)
{
    static const char *const names[] = {"demo:figure", "demo:tentacle", "demo:blob", "demo:stage",
                                        "demo:swatches"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mrw_scene *before = demo(names[i]);
        mrw_bytes bytes = compile(before);
        mrw_scene *after = load(bytes.data, bytes.size);
        ck_assert_mem_eq(mrw_scene_hash(before), mrw_scene_hash(after), 32);
#define SAME(array, type, per)                                                                     \
    do {                                                                                           \
        if (strcmp(#array, "strings") != 0) {                                                      \
            ck_assert_uint_eq(before->array##_count, after->array##_count);                        \
            ck_assert_mem_eq(before->array, after->array,                                          \
                             sizeof(type) * (per) * (size_t)before->array##_count);                \
        }                                                                                          \
    } while (0);
        MRW_SCENE_ARRAYS(SAME)
#undef SAME
        ck_assert_mem_eq(before->strings, after->strings, before->strings_count);
        ck_assert_str_eq(mrw_scene_string(after, after->format), "marrow");
        mrw_scene_free(before);
        mrw_scene_free(after);
        mrw_bytes_free(&bytes);
    }
}
END_TEST

START_TEST(compiling_again_gives_the_same_bytes)
{
    mrw_scene *before = demo("demo:blob");
    mrw_bytes first = compile(before);
    mrw_scene *after = load(first.data, first.size);
    mrw_bytes second = compile(after);
    ck_assert_uint_eq(first.size, second.size);
    ck_assert_mem_eq(first.data, second.data, first.size);
    mrw_scene_free(before);
    mrw_scene_free(after);
    mrw_bytes_free(&first);
    mrw_bytes_free(&second);
}
END_TEST

START_TEST(the_header_is_the_documented_one)
{
    mrw_scene *scene = demo("demo:stage");
    mrw_bytes bytes = compile(scene);
    static const uint8_t start[16] = {0x8d, 'm', 'a', 'r', 'r', 'o', 'w', '\n',
                                      7,    0,   0,   0,   4,   3,   2,   1};
    ck_assert_mem_eq(bytes.data, start, sizeof start);
    uint64_t size = 0;
    for (int i = 7; i >= 0; i--) {
        size = size << 8 | bytes.data[16 + i];
    }
    ck_assert_uint_eq(size, bytes.size - 64);
    for (int i = 56; i < 64; i++) {
        ck_assert_uint_eq(bytes.data[i], 0);
    }
    mrw_bytes_free(&bytes);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(every_flipped_bit_is_refused)
{
    mrw_error error;
    mrw_scene *scene = demo("demo:stage");
    mrw_bytes bytes = compile(scene);
    /* All of both headers, then strides of a prime through the rest. */
    for (size_t at = 0; at < bytes.size; at += at < 1200 ? 1 : 4093) {
        uint8_t bit = (uint8_t)(1u << (at % 8));
        bytes.data[at] ^= bit;
        ck_assert_int_eq(try_load(bytes.data, bytes.size, NULL, &error), MRW_ERROR_INPUT);
        ck_assert_int_eq(strncmp(error.text, "t.marrow: ", 10), 0);
        bytes.data[at] ^= bit;
    }
    ck_assert_int_eq(try_load(bytes.data, bytes.size, NULL, &error), MRW_OK);
    mrw_bytes_free(&bytes);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(truncations_and_appendices_are_refused)
{
    mrw_error error;
    mrw_scene *scene = demo("demo:stage");
    mrw_bytes bytes = compile(scene);
    for (size_t size = 1; size < bytes.size; size += size < 700 ? 1 : 5003) {
        ck_assert_int_eq(try_load(bytes.data, size, NULL, &error), MRW_ERROR_INPUT);
    }
    uint8_t *longer = malloc(bytes.size + 64);
    ck_assert_ptr_nonnull(longer);
    memcpy(longer, bytes.data, bytes.size);
    memset(longer + bytes.size, 0, 64);
    ck_assert_int_eq(try_load(longer, bytes.size + 64, NULL, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "damaged"));
    free(longer);
    mrw_bytes_free(&bytes);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(another_version_is_named)
{
    mrw_error error;
    mrw_scene *scene = demo("demo:stage");
    mrw_bytes bytes = compile(scene);
    for (int version = 0; version < 9; version += 8) {
        bytes.data[8] = (uint8_t)version;
        ck_assert_int_eq(try_load(bytes.data, bytes.size, NULL, &error), MRW_ERROR_INPUT);
        ck_assert_ptr_nonnull(
            strstr(error.text, "another version of marrow; compile the model again"));
    }
    mrw_bytes_free(&bytes);
    mrw_scene_free(scene);
}
END_TEST

/* These were compiled from sail.gltf by marrows that wrote versions 1 to 6. */
static const char *const old_files[] = {"tests/data/sail-1.marrow", "tests/data/sail-2.marrow",
                                        "tests/data/sail-3.marrow", "tests/data/sail-4.marrow",
                                        "tests/data/sail-5.marrow", "tests/data/sail-6.marrow"};

/* printf '\2\0\0\0\1\0\0\0\4\0\0\0\377\0\0\377\0\0\377\200' | sha256sum: width, height,
 * channels, and a red and a half clear blue texel. */
static const char old_image_hash[] =
    "5c3f167f280aebede51339962a855b7685db20d8b2553db48f0cf09b4fe85e20";

/* Before version 4 the material was kept without what it is made of, so it is matt. */
static void check_old_material(const mrw_scene *now, const mrw_scene *before, bool matt)
{
    mrw_material expected = now->materials[0];
    if (matt) {
        expected.model = MRW_MATERIAL_CLASSIC;
        memset(expected.maps[MRW_MAP_SPECULAR].factor, 0, 3 * sizeof(float));
    }
    ck_assert_uint_eq(before->materials_count, 1);
    ck_assert_mem_eq(before->materials, &expected, sizeof expected);
}

/* Kinds of parts whose hashes differ, a bit each. */
static uint32_t other_parts(const mrw_scene *a, const mrw_scene *b)
{
    uint32_t other = 0;
    for (uint32_t kind = MRW_PART_NODES; kind < MRW_PART_END; kind++) {
        uint8_t hashes[2][32] = {{0}};
        ck_assert_uint_le(mrw_scene_part_count(a, (mrw_scene_part)kind), 1);
        if (mrw_scene_part_count(a, (mrw_scene_part)kind) == 1) {
            mrw_scene_part_hash(a, (mrw_scene_part)kind, 0, hashes[0]);
            mrw_scene_part_hash(b, (mrw_scene_part)kind, 0, hashes[1]);
        }
        other |= (memcmp(hashes[0], hashes[1], 32) != 0 ? 1u : 0u) << kind;
    }
    return other;
}

START_TEST(older_versions_are_read)
{
    mrw_scene *now = demo("tests/data/sail.gltf"), *before = demo(old_files[_i]);
    char text[65];
#define SAME(array, type, per)                                                                     \
    do {                                                                                           \
        if (strcmp(#array, "strings") != 0 && strcmp(#array, "images") != 0 &&                     \
            strcmp(#array, "materials") != 0) {                                                    \
            ck_assert_uint_eq(now->array##_count, before->array##_count);                          \
            ck_assert_mem_eq(now->array, before->array,                                            \
                             sizeof(type) * (per) * (size_t)now->array##_count);                   \
        }                                                                                          \
    } while (0);
    MRW_SCENE_ARRAYS(SAME)
#undef SAME
    check_old_material(now, before, _i < 3);
    ck_assert_uint_eq(before->images_count, 1);
    ck_assert_mem_eq(before->images, now->images, offsetof(mrw_image_info, hash));
    mrwi_base_sha256_text(before->images[0].hash, text);
    ck_assert((strcmp(text, old_image_hash) == 0) == (_i == 0));
    ck_assert_uint_eq(other_parts(before, now), (_i < 3 ? 1u << MRW_PART_MATERIALS : 0) |
                                                    (_i == 0 ? 1u << MRW_PART_IMAGES : 0));
    /* what is written of it is of this version, and the same scene */
    mrw_bytes bytes = compile(before);
    ck_assert_uint_eq(bytes.data[8], 7);
    mrw_scene *again = load(bytes.data, bytes.size);
    ck_assert_mem_eq(mrw_scene_hash(again), mrw_scene_hash(before), 32);
    mrw_bytes_free(&bytes);
    mrw_scene_free(again);
    mrw_scene_free(before);
    mrw_scene_free(now);
}
END_TEST

/* As if somebody had made a good file of it: the file's hash is right. */
static void seal(const mrw_bytes *bytes)
{
    mrwi_base_sha256 hash;
    mrwi_base_sha256_begin(&hash);
    mrwi_base_sha256_add(&hash, bytes->data + 64, bytes->size - 64);
    mrwi_base_sha256_end(&hash, bytes->data + 24);
}

/* Before version 7 the header had one section less, and the clip that plays by default stood in its
 * place: made of a file of today by hand. */
START_TEST(older_versions_keep_their_default_clip)
{
    enum { BLOB = 64, VERSION = BLOB + 8, SECTIONS = BLOB + 24, TABLE = BLOB + 40 };
    mrw_scene *now = demo("demo:figure");
    ck_assert_uint_gt(now->clips_count, 1);
    mrw_bytes bytes = compile(now);
    const uint32_t six = 6;
    uint32_t count;
    memcpy(&count, bytes.data + SECTIONS, sizeof count);
    const uint64_t clip = 1, none[2] = {0, 0};
    uint8_t *last = bytes.data + TABLE + 16 * (count - 1);
    memcpy(last, none, sizeof none);
    memcpy(last, &clip, sizeof clip);
    memset(last + 16, 0, sizeof clip); /* where it stands today */
    count--;
    memcpy(bytes.data + SECTIONS, &count, sizeof count);
    memcpy(bytes.data + 8, &six, sizeof six);
    memcpy(bytes.data + VERSION, &six, sizeof six);
    /* its own empty section took 64 bytes */
    bytes.size -= 64;
    uint64_t size = bytes.size - BLOB;
    memcpy(bytes.data + 16, &size, sizeof size);
    memcpy(bytes.data + BLOB + 16, &size, sizeof size);
    seal(&bytes);
    mrw_scene *before = load(bytes.data, bytes.size);
    ck_assert_uint_eq(before->default_clip, 1);
    ck_assert_uint_eq(before->material_channels_count, 0);
    ck_assert_mem_eq(mrw_scene_hash(before), mrw_scene_hash(now), 32);
    mrw_bytes_free(&bytes);
    mrw_scene_free(before);
    mrw_scene_free(now);
}
END_TEST

static mrw_bytes read_old(const char *name)
{
    mrw_bytes bytes = {malloc(8192), 0};
    FILE *file = fopen(name, "rb");
    ck_assert(file && bytes.data);
    bytes.size = fread(bytes.data, 1, 8192, file);
    ck_assert_uint_ge(bytes.size, 4544);
    ck_assert_uint_le(bytes.size, 5376);
    fclose(file);
    return bytes;
}

START_TEST(damage_of_older_versions_is_refused)
{
    mrw_error error;
    mrw_bytes bytes = read_old(old_files[_i]);
    uint32_t refused = 0;
    for (size_t at = 0; at < bytes.size; at++) {
        const uint8_t byte = bytes.data[at];
        bytes.data[at] ^= (uint8_t)(1u << (at % 8));
        ck_assert_int_eq(try_load(bytes.data, bytes.size, NULL, &error), MRW_ERROR_INPUT);
        seal(&bytes);
        refused += try_load(bytes.data, bytes.size, NULL, &error) != MRW_OK;
        bytes.data[at] = byte;
        seal(&bytes);
    }
    ck_assert_uint_gt(refused, 2000); /* padding, counts, indices; not each float */
    ck_assert_int_eq(try_load(bytes.data, bytes.size, NULL, &error), MRW_OK);
    for (size_t size = 0; size < bytes.size; size += 7) {
        ck_assert_int_eq(try_load(bytes.data, size, NULL, &error), MRW_ERROR_INPUT);
    }
    free(bytes.data);
}
END_TEST

START_TEST(older_versions_without_memory)
{
    mrw_error error;
    mrw_bytes bytes = read_old(old_files[_i]);
    for (uint64_t n = 1;; n++) {
        mrwi_base_alloc_fail_at(n);
        mrw_status status = try_load(bytes.data, bytes.size, NULL, &error);
        const bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
        if (pending) {
            ck_assert_uint_gt(n, 3);
            break;
        }
    }
    free(bytes.data);
}
END_TEST

START_TEST(every_failed_allocation_is_reported)
{
    mrw_error error;
    mrw_scene *scene = demo("demo:stage");
    mrw_bytes bytes;
    mrwi_base_alloc_fail_at(1);
    ck_assert_int_eq(mrw_scene_compile(scene, &bytes, &error), MRW_ERROR_MEMORY);
    ck_assert_ptr_null(bytes.data);
    bytes = compile(scene);
    for (uint64_t n = 1;; n++) {
        mrwi_base_alloc_fail_at(n);
        mrw_status status = try_load(bytes.data, bytes.size, NULL, &error);
        if (mrwi_base_alloc_fail_pending()) {
            mrwi_base_alloc_fail_at(0);
            ck_assert_int_eq(status, MRW_OK);
            ck_assert_uint_gt(n, 2);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
    }
    mrw_bytes_free(&bytes);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(limits_hold_for_compiled_scenes)
{
    mrw_error error;
    mrw_scene *scene = demo("demo:figure");
    mrw_bytes bytes = compile(scene);
    mrw_load_def def = mrw_load_def_default();
    def.max_vertices = 10;
    ck_assert_int_eq(try_load(bytes.data, bytes.size, &def, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "--max-vertices"));
    def = mrw_load_def_default();
    def.max_joints = scene->joints_count - 1;
    ck_assert_int_eq(try_load(bytes.data, bytes.size, &def, &error), MRW_ERROR_INPUT);
    def.max_joints++;
    ck_assert_int_eq(try_load(bytes.data, bytes.size, &def, &error), MRW_OK);
    def.max_keys = scene->key_times_count - 1;
    ck_assert_int_eq(try_load(bytes.data, bytes.size, &def, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "--max-keys"));
    def = mrw_load_def_default();
    def.max_texture_size = 512 * 512 - 1;
    ck_assert_int_eq(try_load(bytes.data, bytes.size, &def, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "more than 262143 pixels in one texture; if you trust "
                                             "the file, allow more with --max-texture-size"));
    def = mrw_load_def_default();
    def.flip_v = true; /* nothing could be flipped any more */
    ck_assert_int_eq(try_load(bytes.data, bytes.size, &def, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "--flip-v and --flip-winding to marrow compile"));
    def.clips_only = true;
    ck_assert_int_eq(try_load(bytes.data, bytes.size, &def, &error), MRW_OK);
    mrw_bytes_free(&bytes);
    mrw_scene_free(scene);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("compiled");
    TCase *tc = tcase_create("compiled");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, every_array_comes_back);
    tcase_add_test(tc, compiling_again_gives_the_same_bytes);
    tcase_add_test(tc, the_header_is_the_documented_one);
    tcase_add_test(tc, every_flipped_bit_is_refused);
    tcase_add_test(tc, truncations_and_appendices_are_refused);
    tcase_add_test(tc, another_version_is_named);
    tcase_add_loop_test(tc, older_versions_are_read, 0, 6);
    tcase_add_test(tc, older_versions_keep_their_default_clip);
    tcase_add_loop_test(tc, damage_of_older_versions_is_refused, 0, 6);
    tcase_add_loop_test(tc, older_versions_without_memory, 0, 6);
    tcase_add_test(tc, every_failed_allocation_is_reported);
    tcase_add_test(tc, limits_hold_for_compiled_scenes);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
