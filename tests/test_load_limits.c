/* test_load_limits.c: small files that ask for much are refused before time and memory are taken.
 * Each file here was a minute's work or gigabytes with a million in place of ten. */
#include "load_gltf.h"

/* piece,piece,...,piece */
static const char *times(int count, const char *piece)
{
    static char list[4][20000];
    static unsigned next;
    char *out = list[next++ % 4], *at = out;
    for (int i = 0; i < count; i++) {
        at += snprintf(at, (size_t)(out + sizeof list[0] - at), "%s%s", i > 0 ? "," : "", piece);
    }
    ck_assert(at < out + sizeof list[0]);
    return out;
}

static mrw_scene *load_with(const char *json, const mrw_load_def *def)
{
    mrw_scene *scene = NULL;
    memset(&error, 0, sizeof error);
    mrw_load_memory(json, strlen(json), "t.gltf", NULL, def, &scene, &error);
    return scene;
}

/* The file is refused with at most `elements`, and that is the reason: it loads without. */
static void check_elements(const char *json, uint64_t elements)
{
    mrw_load_def def = mrw_load_def_default();
    mrw_scene_free(load(json));
    def.max_elements = elements;
    ck_assert_ptr_null(load_with(json, &def));
    ck_assert_int_eq(error.status, MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, "contains more than"), "%s", error.text);
}

#define POSITIONS "],'accessors':[" A(0, 5126, 3, VEC3)
#define PLAIN     "{'attributes':{'POSITION':0}}"

static void begin_triangle(void)
{
    reset();
    PUT(float, TRIANGLE);
}

START_TEST(draws_are_charged)
{
    begin_triangle();
    const char *primitives = times(10, PLAIN), *nodes = times(30, "{'mesh':0}");
    check_elements(
        gltf(POSITIONS "],'meshes':[{'primitives':[%s]}],'nodes':[%s]", primitives, nodes), 2900);
}
END_TEST

START_TEST(weights_are_charged_at_each_node)
{
    begin_triangle();
    const char *targets = times(50, "{}"), *nodes = times(30, "{'mesh':0}");
    check_elements(gltf(POSITIONS "],'meshes':[{'primitives':[{'attributes':{'POSITION':0},"
                                  "'targets':[%s]}]}],'nodes':[%s]",
                        targets, nodes),
                   1490);
}
END_TEST

START_TEST(targets_are_charged_at_each_primitive)
{
    begin_triangle();
    const char *primitives = times(8, PLAIN), *targets = times(30, "{}");
    check_elements(gltf(POSITIONS "],'meshes':[{'primitives':[%s,{'attributes':{'POSITION':0},"
                                  "'targets':[%s]}]}]" ONE_NODE,
                        primitives, targets),
                   2600);
}
END_TEST

START_TEST(influence_slots_are_charged)
{
    char attributes[1000] = "'POSITION':0";
    begin_triangle();
    PUT(float, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    for (int n = 0; n < 30; n++) {
        char set[64];
        snprintf(set, sizeof set, ",'JOINTS_%d':1,'WEIGHTS_%d':2", n, n);
        strcat(attributes, set);
    }
    check_elements(gltf(POSITIONS "," A(0, 5121, 3, VEC4) "," A(
                            36, 5126, 3, VEC4) "],'skins':[{'joints':[0]}],'meshes':[{'primitives':"
                                               "[{'attributes':{%s}}]}],"
                                               "'nodes':[{'mesh':0,'skin':0}]",
                        attributes),
                   250); /* the rows alone are 3 + 2 * 30 * 3 */
}
END_TEST

START_TEST(sparse_indices_are_charged_at_each_use)
{
    reset();
    PUT(uint8_t, 0, 1, 2, 0);
    PUT(float, TRIANGLE);
    const char *primitives = times(50, "{'attributes':{'POSITION':0},'indices':1}");
    check_elements(
        gltf("],'accessors':[{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':3,"
             "'indices':{'bufferView':0,'componentType':5121},'values':{'bufferView':0,"
             "'byteOffset':4}}},{'componentType':5125,'count':0,'type':'SCALAR'}],"
             "'meshes':[{'primitives':[%s]}]" ONE_NODE,
             primitives),
        600); /* the draws are 500 */
}
END_TEST

/* Four billion vertices without data, of which a triangle uses three. */
START_TEST(unused_vertices_cost_no_memory)
{
    reset();
    PUT(uint16_t, 0, 1, 2);
    const char *json = gltf("],'accessors':[{'componentType':5126,'count':4294967294,'type':'VEC3'}"
                            "," A(0, 5123, 3, SCALAR) "],'meshes':[{'primitives':[{'attributes':{"
                                                      "'POSITION':0},'indices':1}]}]" ONE_NODE);
    ck_assert_ptr_null(try_load(json));
    ck_assert_msg(strstr(error.text, "contains more than"), "%s", error.text);
}
END_TEST

START_TEST(objects_have_a_thousand_keys)
{
    begin_triangle();
    const char *format = POSITIONS "],'meshes':[{%s,'name':'m','primitives':[" PLAIN "]}]" ONE_NODE;
    mrw_scene_free(load(gltf(format, times(900, "'x':0"))));
    ck_assert_ptr_null(try_load(gltf(format, times(1000, "'x':0"))));
    ck_assert_ptr_nonnull(strstr(error.text, "mesh 0: an object has more than 1000 keys"));
}
END_TEST

/* Weights beyond the targets are not even looked at. */
START_TEST(weights_beyond_the_targets_are_ignored)
{
    begin_triangle();
    mrw_scene *s = load(gltf(POSITIONS "],'meshes':[{'weights':[0.5,'x'],'primitives':[{"
                                       "'attributes':{'POSITION':0},'targets':[{}]}]}]" ONE_NODE));
    ck_assert_uint_eq(s->nodes[0].weight_count, 1);
    ck_assert_float_eq(s->weights[0], 0.5f);
    mrw_scene_free(s);
}
END_TEST

/* ---- textures -------------------------------------------------------------------------------- */

/* Loads a file with these images, each used by the material of a triangle. */
static mrw_scene *load_images(const char *images, int count, const mrw_load_def *def)
{
    char textures[500] = "", materials[2000] = "", primitives[1000] = "";
    for (int i = 0; i < count; i++) {
        const char *comma = i > 0 ? "," : "";
        size_t used = strlen(textures);
        snprintf(textures + used, sizeof textures - used, "%s{'source':%d}", comma, i);
        used = strlen(materials);
        snprintf(materials + used, sizeof materials - used,
                 "%s{'pbrMetallicRoughness':{'baseColorTexture':{'index':%d}}}", comma, i);
        used = strlen(primitives);
        snprintf(primitives + used, sizeof primitives - used,
                 "%s{'attributes':{'POSITION':0},'material':%d}", comma, i);
    }
    reset();
    mrw_scene *s = load_with(gltf("],'images':[%s],'textures':[%s],'materials':[%s],'accessors':"
                                  "[{'componentType':5126,'count':3,'type':'VEC3'}],"
                                  "'meshes':[{'primitives':[%s]}],'nodes':[{'mesh':0}]",
                                  images, textures, materials, primitives),
                             def);
    ck_assert_msg(s, "%s", error.text);
    return s;
}

#define PICTURE "{'uri':'data:image/png;base64," PNG_1X1 "'}"
/* The header of the same PNG, and then nothing. */
#define HEADER_ONLY "{'uri':'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'}"

START_TEST(damaged_pictures_use_up_pixels)
{
    mrw_load_def def = mrw_load_def_default();
    def.max_texture_size = 1; /* two pixels for all */
    mrw_scene *s = load_images(HEADER_ONLY "," PICTURE, 2, &def);
    ck_assert(!has_warning(s, "too large"));
    mrw_scene_free(s);
    s = load_images(HEADER_ONLY "," HEADER_ONLY "," PICTURE, 3, &def);
    ck_assert(has_warning(s, "image 2: the images of the file are too large together: scale them "
                             "down, or allow more with --max-texture-size"));
    mrw_scene_free(s);
}
END_TEST

START_TEST(pictures_use_up_bytes)
{
    mrw_load_def def = mrw_load_def_default();
    def.max_file_size = 100; /* the picture has 70 */
    mrw_scene *s = load_images(PICTURE, 1, &def);
    ck_assert(!has_warning(s, "too large"));
    mrw_scene_free(s);
    s = load_images(PICTURE "," PICTURE, 2, &def);
    ck_assert(has_warning(s, "image 1: the images of the file are too large together: scale them "
                             "down, or allow more with --max-file-size"));
    mrw_scene_free(s);
}
END_TEST

START_TEST(equal_pictures_are_stored_once)
{
    const char *images = "{'name':'a'," /* PICTURE without its brace */
                         "'uri':'data:image/png;base64," PNG_1X1 "'}," PICTURE
                         ",{'name':'gone','uri':'a.png'},{'uri':'b.png'}";
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *s = load_images(images, 4, &def);
    ck_assert_uint_eq(s->images_count, 3); /* what is missing keeps its name */
    ck_assert_str_eq(mrw_scene_string(s, s->images[0].name), "a");
    ck_assert_str_eq(mrw_scene_string(s, s->images[1].path), "a.png");
    ck_assert_str_eq(mrw_scene_string(s, s->images[2].path), "b.png");
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("load limits");
    TCase *tc = tcase_create("load limits");
    tcase_add_test(tc, draws_are_charged);
    tcase_add_test(tc, weights_are_charged_at_each_node);
    tcase_add_test(tc, targets_are_charged_at_each_primitive);
    tcase_add_test(tc, influence_slots_are_charged);
    tcase_add_test(tc, sparse_indices_are_charged_at_each_use);
    tcase_add_test(tc, unused_vertices_cost_no_memory);
    tcase_add_test(tc, objects_have_a_thousand_keys);
    tcase_add_test(tc, weights_beyond_the_targets_are_ignored);
    tcase_add_test(tc, damaged_pictures_use_up_pixels);
    tcase_add_test(tc, pictures_use_up_bytes);
    tcase_add_test(tc, equal_pictures_are_stored_once);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
