/* test_scene.c: the scene builder: nodes, clips, materials, draws; look-up by name. */
#include "scene_fixture.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

START_TEST(empty_scene)
{
    mrw_scene *s = finish(begin());
    ck_assert_uint_eq(s->nodes_count, 0);
    ck_assert_str_eq(string_at(s, s->format), "glb2");
    ck_assert_uint_eq((uintptr_t)s->nodes % 64, 0);
    mrw_scene_free(s);
    mrw_scene_free(NULL);
}
END_TEST

START_TEST(nodes_parents_first)
{
    mrwi_scene_builder *b = begin();
    /* push order: leaf(parent hip), other, hip(parent root), root, last(parent other) */
    add_node(b, "leaf", 2);
    add_node(b, "other", MRW_NONE);
    add_node(b, "hip", 3);
    add_node(b, "root", MRW_NONE);
    add_node(b, "last", 1);
    const uint32_t joints[] = {0, 2, 3};
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", joints, NULL, 3, NULL, NULL), MRW_OK);
    mrwi_scene_mesh_input mesh = triangle_mesh();
    add_mesh(b, &mesh);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, 4, 0, MRW_NONE, NULL), MRW_OK);
    mrw_scene_camera camera = {.node = 0, .yfov = 1, .near_plane = 0.1f};
    ck_assert_int_eq(mrwi_scene_builder_camera(b, "cam", &camera, NULL), MRW_OK);
    mrw_scene_light light = {.node = 2, .color = {1, 1, 1}, .intensity = 1};
    ck_assert_int_eq(mrwi_scene_builder_light(b, "sun", &light, NULL), MRW_OK);
    mrw_scene *s = finish(b);
    const char *names[] = {"root", "hip", "leaf", "other", "last"};
    const uint32_t parents[] = {MRW_NONE, 0, 1, MRW_NONE, 3};
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert_str_eq(string_at(s, s->nodes[i].name), names[i]);
        ck_assert_uint_eq(s->nodes[i].parent, parents[i]);
    }
    const uint32_t expected[] = {2, 1, 0};
    ck_assert_int_eq(memcmp(s->joints, expected, sizeof expected), 0);
    ck_assert_uint_eq(s->draws[0].node, 4);
    ck_assert_uint_eq(s->cameras[0].node, 2);
    ck_assert_uint_eq(s->lights[0].node, 1);
    mrw_scene_free(s);
}
END_TEST

START_TEST(nodes_in_order_stay)
{
    mrwi_scene_builder *b = begin();
    const uint32_t parents[] = {MRW_NONE, 0, 0, 1, MRW_NONE, 2};
    for (uint32_t i = 0; i < 6; i++) {
        add_node(b, "n", parents[i]);
    }
    mrw_scene *s = finish(b);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(s->nodes[i].parent, parents[i]);
    }
    mrw_scene_free(s);
}
END_TEST

START_TEST(nodes_refused)
{
    mrwi_scene_builder *b = begin();
    add_node(b, "a", 1);
    add_node(b, "b\x1b[2J", 2);
    add_node(b, "c", 1);
    finish_refused(b, "node 1 \"b\\x1B[2J\" is its own ancestor");
    b = begin();
    add_node(b, "self", 0);
    finish_refused(b, "node 0 \"self\" is its own ancestor");
    b = begin();
    add_node(b, "orphan", 7);
    finish_refused(b, "node 0 \"orphan\" has node 7 as its parent");
    b = begin();
    mrwi_scene_node_input in = {.parent = MRW_NONE, .rest = identity};
    in.rest.translation[1] = INFINITY;
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, NULL, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "model.glb: node 0: its transform is not finite");
    finish_refused(b, "earlier step");
}
END_TEST

START_TEST(node_transforms)
{
    mrwi_scene_builder *b = begin();
    mrwi_scene_node_input in = {.name = "m", .parent = MRW_NONE, .is_matrix = true};
    /* scale 2, 3, 4, then a quarter turn about z, then a move; the last row is off by rounding */
    const float m[16] = {0, 2, 0, 1e-7f, -3, 0, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1};
    memcpy(in.matrix.m, m, sizeof m);
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, NULL, NULL), MRW_OK);
    mrwi_scene_node_input zero = {.name = "z", .parent = MRW_NONE, .rest = identity};
    zero.rest.rotation[3] = 0;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &zero, NULL, NULL), MRW_OK);
    mrwi_scene_node_input twice = {.name = "t", .parent = MRW_NONE, .rest = identity};
    twice.rest.rotation[3] = -2;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &twice, NULL, NULL), MRW_OK);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->nodes[0].matrix, 0);
    ck_assert_float_eq(s->matrices[0].m[3], 0);
    ck_assert_float_eq(s->matrices[0].m[4], -3);
    const mrw_transform *t = &s->nodes[0].rest;
    ck_assert_double_eq_tol(t->scale[1], 3, 1e-6);
    ck_assert_double_eq_tol(fabsf(t->rotation[2]), sqrt(0.5), 1e-6);
    ck_assert_float_eq(t->translation[2], 7);
    ck_assert_uint_eq(s->nodes[1].matrix, MRW_NONE);
    ck_assert_float_eq(s->nodes[1].rest.rotation[3], 1);
    ck_assert(warned(s, "node 1 \"z\": its rotation is zero"));
    ck_assert_float_eq(s->nodes[2].rest.rotation[3], -1);
    ck_assert_uint_eq(s->warnings_count, 1);
    mrw_scene_free(s);
}
END_TEST

/* ---- clips ----------------------------------------------------------------------------------- */

START_TEST(keys_sorted_and_cleaned)
{
    const double times[] = {3, 1, 2, NAN, 1, 1e300, 5};
    const float values[] = {30, 0, 0, 10, 0, 0, 20, 0, 0, 99, 0, 0, 1, 1, 1, 0, 0, 0, NAN, 0, 0};
    mrwi_scene_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    add_clip(b, "Walk", 0.5);
    mrwi_scene_channel_input in = linear(0, MRW_PATH_TRANSLATION, 3, 7, times, values);
    add_channel(b, &in);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->channels[0].key_count, 4);
    const double expected[] = {0.5, 1.5, 2.5, 1e300};
    const float firsts[] = {1, 20, 30, 0};
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq(s->key_times[i], expected[i]);
        ck_assert_float_eq(s->key_values[3 * i], firsts[i]);
    }
    ck_assert_double_eq(s->clips[0].start, 0.5);
    ck_assert_double_eq(s->clips[0].duration, 1e300);
    ck_assert(warned(s, "clip 0 \"Walk\": translation of node 0 \"n\": 2 keys"));
    mrw_scene_free(s);
}
END_TEST

START_TEST(rotation_keys)
{
    const double times[] = {0, 1, 2, 3};
    const float values[] = {0, 0, 0, 2, 0, 0, -0.6f, -0.8f, 0, 0, 0, 0, 0, 0, 1, 0};
    mrwi_scene_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    add_node(b, "m", MRW_NONE);
    add_clip(b, "", 0);
    mrwi_scene_channel_input in = linear(0, MRW_PATH_ROTATION, 4, 4, times, values);
    add_channel(b, &in);
    in.node = 1;
    in.interpolation = MRW_INTERPOLATION_STEP;
    add_channel(b, &in);
    mrw_scene *s = finish(b);
    const float expected[] = {0, 0, 0, 1, 0, 0, 0.6f, 0.8f, 0, 0, 1, 0};
    ck_assert_uint_eq(s->channels[0].key_count, 3); /* a quaternion without direction went */
    for (int i = 0; i < 12; i++) {
        ck_assert_double_eq_tol(s->key_values[i], expected[i], 1e-7);
    }
    ck_assert_double_eq_tol(s->key_values[12 + 7], -0.8, 1e-7); /* STEP keeps the sign */
    ck_assert_double_eq(s->key_times[2], 3);
    ck_assert_str_eq(string_at(s, s->clips[0].name), "clip_0");
    ck_assert_str_eq(string_at(s, s->clips[0].full_name), "");
    mrw_scene_free(s);
}
END_TEST

START_TEST(channels_sorted_once_each)
{
    const double times[] = {0, 1};
    const float ones[] = {1, 1, 1, 1, 1, 1, 1, 1}, twos[] = {2, 2, 2, 2, 2, 2};
    mrwi_scene_builder *b = begin();
    add_node(b, "child", 1);
    add_node(b, "parent", MRW_NONE);
    add_clip(b, "A", 0);
    mrwi_scene_channel_input in = linear(0, MRW_PATH_SCALE, 3, 2, times, ones);
    add_channel(b, &in);
    in = linear(1, MRW_PATH_SCALE, 3, 2, times, ones);
    add_channel(b, &in);
    in = linear(1, MRW_PATH_TRANSLATION, 3, 1, times, ones);
    add_channel(b, &in);
    in = linear(1, MRW_PATH_SCALE, 3, 2, times, twos);
    add_channel(b, &in);
    in = linear(1, MRW_PATH_WEIGHTS, 2, 2, times, ones);
    add_channel(b, &in);
    add_clip(b, "Empty", 0);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->clips[0].channel_count, 3);
    const mrw_channel *c = s->channels;
    ck_assert_uint_eq(c[0].node, 0); /* the parent, now first */
    ck_assert_uint_eq(c[0].path, MRW_PATH_TRANSLATION);
    ck_assert_uint_eq(c[1].node, 0);
    ck_assert_uint_eq(c[1].path, MRW_PATH_SCALE);
    ck_assert_float_eq(s->key_values[c[1].first_value], 1);
    ck_assert_uint_eq(c[2].node, 1);
    ck_assert(warned(s, "clip 0 \"A\": scale of node 0 \"parent\": a second channel"));
    ck_assert(warned(s, "weights of node 0 \"parent\": it has 2 weights per key, but the node "
                        "has 0; it is ignored"));
    ck_assert_uint_eq(s->clips[1].channel_count, 0);
    ck_assert_double_eq(s->clips[1].duration, 0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(weight_channels_are_cut)
{
    const double times[] = {0, 1};
    const float node_weights[] = {0.5f, 0.25f};
    float values[2 * 3 * 3];
    for (int i = 0; i < 18; i++) {
        values[i] = (float)i;
    }
    mrwi_scene_builder *b = begin();
    mrwi_scene_node_input node = {.parent = MRW_NONE, .rest = identity};
    node.weights = node_weights;
    node.weight_count = 2;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &node, NULL, NULL), MRW_OK);
    add_clip(b, "A", 0);
    mrwi_scene_channel_input in = linear(0, MRW_PATH_WEIGHTS, 3, 2, times, values);
    in.interpolation = MRW_INTERPOLATION_CUBICSPLINE;
    add_channel(b, &in);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->channels[0].width, 2);
    const float expected[] = {0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16};
    ck_assert_uint_eq(s->key_values_count, 12);
    ck_assert_int_eq(memcmp(s->key_values, expected, sizeof expected), 0);
    ck_assert_float_eq(s->weights[1], 0.25f);
    ck_assert(warned(s, "the extra ones were dropped"));
    mrw_scene_free(s);
}
END_TEST

START_TEST(clip_names)
{
    const char *full[] = {"Armature|Walk", "Run",      "",      "a|Idle",
                          "b|Idle",        "x|y|Wave", "Tail|", "Run"};
    const char *shown[] = {"Walk", "Run", "clip_2", "a|Idle", "b|Idle", "Wave", "Tail|", "Run"};
    mrwi_scene_builder *b = begin();
    for (size_t i = 0; i < COUNT(full); i++) {
        add_clip(b, full[i], 0);
    }
    mrw_scene *s = finish(b);
    for (size_t i = 0; i < COUNT(full); i++) {
        ck_assert_str_eq(string_at(s, s->clips[i].name), shown[i]);
        ck_assert_str_eq(string_at(s, s->clips[i].full_name), full[i]);
    }
    mrw_scene_free(s);
}
END_TEST

START_TEST(clips_refused)
{
    const double time = 0;
    const float value[4] = {0};
    mrwi_scene_builder *b = begin();
    add_clip(b, "A", 0);
    mrwi_scene_channel_input in = linear(3, MRW_PATH_SCALE, 3, 1, &time, value);
    add_channel(b, &in);
    finish_refused(b, "clip 0 \"A\": scale of node 3, which does not exist");
    b = begin();
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_scene_builder_clip(b, "A", NAN, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "model.glb: clip 0 \"A\": its start is not finite");
    mrwi_scene_builder_free(b);
}
END_TEST

/* 4096 bytes of a name are kept, less where that would cut a character. */
START_TEST(long_names_are_cut)
{
    static char name[5001];
    memset(name, 'x', 5000);
    memcpy(name + 4094, "\xe2\x82\xac", 3); /* a character of bytes 4094 to 4096 */
    mrwi_scene_builder *b = begin();
    mrwi_scene_node_input node = {.name = name, .parent = MRW_NONE, .rest = identity};
    mrwi_scene_builder_node(b, &node, NULL, NULL);
    node.name = name + 1; /* its character ends with byte 4095 */
    mrwi_scene_builder_node(b, &node, NULL, NULL);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(strlen(string_at(s, s->nodes[0].name)), 4094);
    ck_assert_uint_eq(strlen(string_at(s, s->nodes[1].name)), 4096);
    ck_assert_int_eq(strncmp(string_at(s, s->nodes[1].name), name + 1, 4096), 0);
    mrw_scene_free(s);
}
END_TEST

/* ---- materials ------------------------------------------------------------------------------- */

START_TEST(looks_once)
{
    const uint8_t red[8] = {255, 0, 0, 255, 255, 0, 0, 255};
    const uint8_t glass[8] = {255, 0, 0, 255, 255, 0, 0, 254};
    mrwi_scene_builder *b = begin();
    uint32_t i[6];
    mrwi_scene_image_input image = {"skin", "a.png", 2, 1, red, NULL};
    mrwi_scene_builder_image(b, &image, &i[0], NULL);
    mrwi_scene_builder_image(b, &image, &i[1], NULL);
    image.rgba = glass;
    mrwi_scene_builder_image(b, &image, &i[2], NULL);
    image = (mrwi_scene_image_input){"lost", "b.png", 0, 0, NULL, NULL};
    mrwi_scene_builder_image(b, &image, &i[3], NULL);
    image = (mrwi_scene_image_input){"in", NULL, 1, 2, red, NULL};
    mrwi_scene_builder_image(b, &image, &i[4], NULL);
    image = (mrwi_scene_image_input){"copy of skin", NULL, 2, 1, red, NULL};
    mrwi_scene_builder_image(b, &image, &i[5], NULL);
    ck_assert(i[0] == 0 && i[1] == 0 && i[2] == 1 && i[3] == 2 && i[4] == 3 && i[5] == 0);
    mrw_texture texture = {.name = 77, .image = 0, .wrap_u = MRW_WRAP_CLAMP, .nearest = 5};
    mrwi_scene_builder_texture(b, "t", &texture, &i[0], NULL);
    texture.name = 78;
    texture.nearest = 1;
    mrwi_scene_builder_texture(b, "t", &texture, &i[1], NULL);
    mrwi_scene_builder_texture(b, "u", &texture, &i[2], NULL);
    ck_assert(i[0] == 0 && i[1] == 0 && i[2] == 1);
    mrw_material material = mrw_material_default();
    memcpy(material.maps[MRW_MAP_BASE_COLOR].factor, (float[4]){1, 2, -1, 1}, 4 * sizeof(float));
    material.maps[MRW_MAP_BASE_COLOR].texture = 1;
    mrwi_scene_builder_material(b, "m", &material, &i[0], NULL);
    mrwi_scene_builder_material(b, "m", &material, &i[1], NULL);
    material.flags = MRW_MATERIAL_UNLIT;
    mrwi_scene_builder_material(b, "m", &material, &i[2], NULL);
    ck_assert(i[0] == 0 && i[1] == 0 && i[2] == 1);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->images_count, 4);
    ck_assert_str_eq(string_at(s, s->images[0].name), "skin");
    ck_assert_uint_eq(s->images[0].flags, 0);
    ck_assert_uint_eq(s->images[1].flags, MRW_IMAGE_ALPHA);
    ck_assert_uint_eq(s->images[2].flags, MRW_IMAGE_MISSING);
    ck_assert_str_eq(string_at(s, s->images[2].path), "b.png");
    ck_assert_uint_eq(s->images[3].flags, MRW_IMAGE_EMBEDDED);
    const uint8_t *checker = s->texels + 4 * s->images[2].first_texel;
    ck_assert_int_ne(memcmp(checker, checker + 4 * 8, 4), 0);
    ck_assert_float_eq(s->materials[0].maps[MRW_MAP_BASE_COLOR].factor[1], 1);
    ck_assert_float_eq(s->materials[0].maps[MRW_MAP_BASE_COLOR].factor[2], 0);
    ck_assert_str_eq(string_at(s, s->textures[0].name), "t");
    mrw_scene_free(s);
}
END_TEST

START_TEST(looks_refused)
{
    mrwi_scene_builder *b = begin();
    mrw_error error = {0};
    uint32_t index;
    mrw_texture texture = {.image = 0};
    ck_assert_int_eq(mrwi_scene_builder_texture(b, "t", &texture, &index, &error), MRW_ERROR_INPUT);
    mrw_material material = mrw_material_default();
    material.maps[MRW_MAP_BASE_COLOR].texture = 0;
    ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &index, &error),
                     MRW_ERROR_INPUT);
    for (int m = 0; m < MRW_MAP_COUNT; m++) {
        material = mrw_material_default();
        material.maps[m].uv_transform[2] = NAN;
        ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &index, &error),
                         MRW_ERROR_INPUT);
        material = mrw_material_default();
        material.maps[m].factor[3] = INFINITY;
        ck_assert(m == MRW_MAP_BASE_COLOR ||  /* that is clamped */
                  m == MRW_MAP_SPECULAR ||    /* there is no glossiness */
                  m == MRW_MAP_SHEEN_COLOR || /* clamped as well */
                  mrwi_scene_builder_material(b, "m", &material, &index, &error) ==
                      MRW_ERROR_INPUT);
        material = mrw_material_default();
        material.maps[m].uv_set = 2;
        ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &index, &error),
                         MRW_ERROR_INPUT);
    }
    const uint8_t rgba[4] = {0};
    mrwi_scene_image_input image = {"big", NULL, 65537, 1, rgba, NULL};
    ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &index, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text,
                     "model.glb: image 0 \"big\" is 65537x1 texels; each side must be 1 to 65536");
    mrwi_scene_builder_free(b);
}
END_TEST

/* The numbers of a material, one by one: what is out of range is brought into it, with a warning
 * that says which. */
START_TEST(numbers_of_materials_are_mended)
{
    enum { METAL, GLOSS, CLASSIC };
#define FACTOR(map, channel) offsetof(mrw_material, maps[MRW_MAP_##map].factor[channel])
    static const struct {
        uint32_t model;
        size_t at;
        float in, out;
        const char *warning; /* or NULL */
    } cases[] = {
        {METAL, FACTOR(BASE_COLOR, 3), 1.5f, 1, "its base colour was clamped to 0 ... 1"},
        {METAL, FACTOR(METALLIC_ROUGHNESS, 1), -0.5f, 0, "its roughness was clamped to 0 ... 1"},
        {METAL, FACTOR(METALLIC_ROUGHNESS, 2), 2, 1, "its metallic factor was clamped to 0 ... 1"},
        {METAL, FACTOR(METALLIC_ROUGHNESS, 2), NAN, 0, "its metallic factor was clamped"},
        {METAL, FACTOR(METALLIC_ROUGHNESS, 2), 0.5f, 0.5f, NULL},
        {METAL, FACTOR(EMISSIVE, 0), -1, 0, "its emissive colour was below 0 and was set to 0"},
        {METAL, FACTOR(EMISSIVE, 2), 1000, 1000, NULL},
        {METAL, FACTOR(EMISSIVE, 2), NAN, 0, "its emissive colour"},
        {METAL, FACTOR(SPECULAR, 1), 3, 3, NULL},
        {METAL, FACTOR(SPECULAR, 1), -3, 0, "its specular colour was below 0 and was set to 0"},
        {GLOSS, FACTOR(SPECULAR, 1), 3, 1, "its specular colour was clamped to 0 ... 1"},
        {CLASSIC, FACTOR(SPECULAR, 1), 3, 1, "its specular colour was clamped to 0 ... 1"},
        {GLOSS, FACTOR(SPECULAR, 3), -3, 0, "its glossiness was clamped to 0 ... 1"},
        {METAL, offsetof(mrw_material, ior), 0, 0, NULL},
        {METAL, offsetof(mrw_material, ior), 1, 1, NULL},
        {METAL, offsetof(mrw_material, ior), 0.5f, 1.5f, "its index of refraction must be 0 or"},
        {METAL, offsetof(mrw_material, ior), -1, 1.5f, "its index of refraction must be 0 or"},
        {METAL, offsetof(mrw_material, ior), INFINITY, 1.5f,
         "its index of refraction must be 0 or"},
        {METAL, offsetof(mrw_material, specular), 1.25f, 1, "its specular strength was clamped"},
        {METAL, offsetof(mrw_material, clearcoat), -1, 0, "its clearcoat was clamped to 0 ... 1"},
        {METAL, offsetof(mrw_material, clearcoat_roughness), INFINITY, 1,
         "its clearcoat roughness was clamped to 0 ... 1"},
        {CLASSIC, offsetof(mrw_material, shininess), 1e9f, 65536,
         "its shininess was clamped to 0 ... 65536"},
        {CLASSIC, offsetof(mrw_material, shininess), -1, 0, "its shininess was clamped"},
        /* what does not count by the model is usual */
        {METAL, offsetof(mrw_material, shininess), -1, 0, NULL},
        {METAL, FACTOR(SPECULAR, 3), 9, 1, NULL},
        {CLASSIC, FACTOR(SPECULAR, 3), 0.5f, 1, NULL},
        {GLOSS, offsetof(mrw_material, shininess), 5, 0, NULL},
        {CLASSIC, offsetof(mrw_material, ior), 9, 1.5f, NULL},
        {GLOSS, offsetof(mrw_material, specular), 0.25f, 1, NULL},
        {CLASSIC, offsetof(mrw_material, clearcoat), 1, 0, NULL},
        {GLOSS, offsetof(mrw_material, clearcoat_roughness), 1, 0, NULL},
        {CLASSIC, FACTOR(METALLIC_ROUGHNESS, 1), 0.25f, 1, NULL},
        {METAL, FACTOR(SHEEN_COLOR, 0), 0.25f, 0.25f, NULL},
        {METAL, FACTOR(SHEEN_COLOR, 1), 3, 1, "its sheen was clamped to 0 ... 1"},
        {METAL, FACTOR(SHEEN_COLOR, 3), NAN, 0, "its sheen was clamped to 0 ... 1"},
        {GLOSS, FACTOR(SHEEN_COLOR, 2), 0.25f, 0, NULL},
    };
#undef FACTOR
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrwi_scene_builder *b = begin();
        mrw_material material = mrw_material_default();
        uint32_t index;
        float out;
        material.model = cases[i].model;
        memcpy((char *)&material + cases[i].at, &cases[i].in, sizeof out);
        ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &index, NULL), MRW_OK);
        mrw_scene *s = finish(b);
        memcpy(&out, (const char *)&s->materials[0] + cases[i].at, sizeof out);
        ck_assert_msg(out == cases[i].out, "%zu: %g", i, (double)out);
        ck_assert_msg(s->warnings_count == (cases[i].warning ? 1u : 0u), "%zu", i);
        ck_assert_msg(!cases[i].warning || strstr(string_at(s, s->warnings[0]), cases[i].warning),
                      "%zu: %s", i, string_at(s, s->warnings[0]));
        mrw_scene_free(s);
    }
}
END_TEST

/* Materials that differ in what does not count alone are one; in what counts, two. */
START_TEST(materials_that_look_alike_are_one)
{
    mrwi_scene_builder *b = begin();
    mrw_material material = mrw_material_default();
    uint32_t i[6];
    mrwi_scene_builder_material(b, "m", &material, &i[0], NULL);
    material.shininess = 32;
    mrwi_scene_builder_material(b, "m", &material, &i[1], NULL);
    material.model = MRW_MATERIAL_CLASSIC;
    mrwi_scene_builder_material(b, "m", &material, &i[2], NULL);
    material.ior = 2;
    material.maps[MRW_MAP_METALLIC_ROUGHNESS].factor[2] = 0;
    mrwi_scene_builder_material(b, "m", &material, &i[3], NULL);
    material.maps[MRW_MAP_NORMAL].factor[0] = 9; /* without a texture */
    mrwi_scene_builder_material(b, "m", &material, &i[4], NULL);
    material.maps[MRW_MAP_EMISSIVE].factor[0] = 9;
    mrwi_scene_builder_material(b, "m", &material, &i[5], NULL);
    ck_assert(i[0] == 0 && i[1] == 0 && i[2] == 1 && i[3] == 1 && i[4] == 1 && i[5] == 2);
    mrw_scene_free(finish(b));
}
END_TEST

START_TEST(odd_cameras_and_lights_left_out)
{
    mrwi_scene_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    mrw_scene_camera camera = {.yfov = 0, .near_plane = 1};
    mrwi_scene_builder_camera(b, "flat", &camera, NULL);
    camera.yfov = 1;
    camera.far_plane = 0.5f;
    mrwi_scene_builder_camera(b, "inside out", &camera, NULL);
    camera.far_plane = 0;
    mrwi_scene_builder_camera(b, "good", &camera, NULL);
    mrw_scene_light light = {.intensity = NAN};
    mrwi_scene_builder_light(b, "nan", &light, NULL);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->cameras_count, 1);
    ck_assert_str_eq(string_at(s, s->cameras[0].name), "good");
    ck_assert_uint_eq(s->lights_count, 0);
    ck_assert_uint_eq(s->warnings_count, 3);
    mrw_scene_free(s);
}
END_TEST

/* ---- draws and scales ------------------------------------------------------------------------ */

static mrwi_scene_mesh_input skinned_triangle(void)
{
    static const uint32_t joints[3] = {0, 1, 1};
    static const float weights[3] = {1, 1, 1};
    mrwi_scene_mesh_input in = triangle_mesh();
    in.influence_count = 1;
    in.joints = joints;
    in.weights = weights;
    in.joint_limit = 2;
    return in;
}

static mrwi_scene_builder *begin_skinned(uint32_t meshes)
{
    mrwi_scene_builder *b = begin();
    add_node(b, "a", MRW_NONE);
    add_node(b, "b", 0);
    const uint32_t joints[2] = {0, 1};
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "s", joints, NULL, 2, NULL, NULL), MRW_OK);
    mrwi_scene_mesh_input in = skinned_triangle();
    for (uint32_t i = 0; i < meshes; i++) {
        add_mesh(b, &in);
    }
    return b;
}

START_TEST(skinned_mesh_drawn_rigidly)
{
    mrwi_scene_builder *b = begin_skinned(3);
    mrwi_scene_builder_draw(b, 0, 0, MRW_NONE, NULL); /* only rigid: loses its influences */
    mrwi_scene_builder_draw(b, 0, 1, 0, NULL);        /* both: gets a rigid copy */
    mrwi_scene_builder_draw(b, 1, 1, MRW_NONE, NULL);
    mrwi_scene_builder_draw(b, 1, 2, 0, NULL); /* only skinned: stays */
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->meshes_count, 4);
    const uint32_t meshes[] = {0, 1, 3, 2}, influences[] = {0, 1, 0, 1};
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(s->draws[i].mesh, meshes[i]);
        const mrw_mesh *mesh = &s->meshes[s->draws[i].mesh];
        ck_assert_uint_eq(mesh->max_influences, influences[i]);
        ck_assert_int_eq(memcmp(s->positions + 3 * mesh->position, triangle, sizeof triangle), 0);
        ck_assert_uint_eq(s->groups[mesh->first_group].vertex_count, 3);
    }
    mrw_scene_free(s);
}
END_TEST

START_TEST(draws_refused_and_simplified)
{
    mrwi_scene_builder *b = begin_skinned(1);
    mrwi_scene_builder_draw(b, 1, 1, MRW_NONE, NULL);
    finish_refused(b, "node 1 \"b\" draws mesh 1, which does not exist (there are 1)");
    b = begin_skinned(1);
    mrwi_scene_builder_draw(b, 1, 0, 3, NULL);
    finish_refused(b, "is drawn with skin 3, which does not exist (there are 1)");
    b = begin_skinned(1);
    mrwi_scene_builder_draw(b, 2, 0, 0, NULL);
    finish_refused(b, "draw 0 refers to node 2, which does not exist (there are 2)");
    b = begin_skinned(1);
    const uint32_t joint = 1;
    mrwi_scene_builder_skin(b, "small", &joint, NULL, 1, NULL, NULL);
    mrwi_scene_builder_draw(b, 1, 0, 1, NULL);
    finish_refused(b, "mesh 0 refers to joint 1, which does not exist (its skin has 1)");
    b = begin_skinned(0);
    mrwi_scene_mesh_input in = triangle_mesh();
    add_mesh(b, &in);
    in.vertex_count = in.index_count = 0;
    in.positions = in.normals = NULL;
    add_mesh(b, &in);
    mrwi_scene_builder_draw(b, 0, 1, MRW_NONE, NULL);
    mrwi_scene_builder_draw(b, 0, 0, 0, NULL);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->draws_count, 1); /* nothing to draw in an empty mesh */
    ck_assert_uint_eq(s->draws[0].mesh, 0);
    ck_assert_uint_eq(s->draws[0].skin, MRW_NONE);
    mrw_scene_free(s);
}
END_TEST

/* True when the rigid mesh under a child of a node with this scale needs cofactors. */
static bool rigid_nonuniform(float x, float y, float z)
{
    mrwi_scene_builder *b = begin();
    add_scaled(b, MRW_NONE, x, y, z);
    add_node(b, "child", 0);
    mrwi_scene_mesh_input in = triangle_mesh();
    add_mesh(b, &in);
    mrwi_scene_builder_draw(b, 1, 0, MRW_NONE, NULL);
    mrw_scene *s = finish(b);
    bool flag = s->meshes[0].flags & MRW_MESH_NONUNIFORM;
    mrw_scene_free(s);
    return flag;
}

/* The same for a scale channel on the joint of a skinned mesh. */
static bool animated_nonuniform(mrw_interpolation interpolation, const float *values)
{
    const double times[] = {0, 1};
    mrwi_scene_builder *b = begin_skinned(1);
    add_scaled(b, MRW_NONE, 1, 2, 3); /* where the mesh hangs, which a skin ignores */
    mrwi_scene_builder_draw(b, 2, 0, 0, NULL);
    add_clip(b, "A", 0);
    mrwi_scene_channel_input in = linear(0, MRW_PATH_SCALE, 3, 2, times, values);
    in.interpolation = interpolation;
    add_channel(b, &in);
    mrw_scene *s = finish(b);
    bool flag = s->meshes[0].flags & MRW_MESH_NONUNIFORM;
    mrw_scene_free(s);
    return flag;
}

START_TEST(nonuniform_scales)
{
    ck_assert(!rigid_nonuniform(2, 2, 2));
    ck_assert(!rigid_nonuniform(-2, 2, 2.0001f));
    ck_assert(!rigid_nonuniform(0, 0, 0));
    ck_assert(rigid_nonuniform(2, 2, 2.1f));
    ck_assert(rigid_nonuniform(0, 1, 1));
    const float even[] = {1, 1, 1, 3, 3, 3};
    const float odd[] = {1, 1, 1, 3, 3, 4};
    const float flip[] = {-1, 1, 1, 1, 1, 1};
    const float mirrored[] = {-1, 1, 1, -2, 2, 2};
    ck_assert(!animated_nonuniform(MRW_INTERPOLATION_LINEAR, even));
    ck_assert(animated_nonuniform(MRW_INTERPOLATION_STEP, odd));
    ck_assert(animated_nonuniform(MRW_INTERPOLATION_LINEAR, flip));
    ck_assert(!animated_nonuniform(MRW_INTERPOLATION_LINEAR, mirrored));
    float cubic[18] = {0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 2, 2, 2, 0, 0, 0};
    ck_assert(!animated_nonuniform(MRW_INTERPOLATION_CUBICSPLINE, cubic));
    cubic[9] = 1; /* an in-tangent */
    ck_assert(animated_nonuniform(MRW_INTERPOLATION_CUBICSPLINE, cubic));
}
END_TEST

static bool bind_nonuniform(const mrw_mat4 *geometry_to_joint)
{
    mrwi_scene_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    const uint32_t joints[2] = {0, 0};
    const mrw_mat4 matrices[2] = {*geometry_to_joint, *geometry_to_joint};
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "s", joints, matrices, 2, NULL, NULL), MRW_OK);
    mrwi_scene_mesh_input in = skinned_triangle();
    add_mesh(b, &in);
    mrwi_scene_builder_draw(b, 0, 0, 0, NULL);
    mrw_scene *s = finish(b);
    bool flag = s->meshes[0].flags & MRW_MESH_NONUNIFORM;
    mrw_scene_free(s);
    return flag;
}

START_TEST(nonuniform_bind_matrices)
{
    const mrw_mat4 turned = {{0, 3, 0, 0, -3, 0, 0, 0, 0, 0, 3, 0, 5, 6, 7, 1}};
    const mrw_mat4 sheared = {{1, 0, 0, 0, 0.6f, 0.8f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const mrw_mat4 stretched = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}};
    ck_assert(!bind_nonuniform(&turned));
    ck_assert(bind_nonuniform(&sheared));
    ck_assert(bind_nonuniform(&stretched));
}
END_TEST

/* ---- look-up --------------------------------------------------------------------------------- */

static mrw_scene *named_clips(void)
{
    const char *names[] = {"Rig|Walk", "Run", "2", "run*", "Rig|Wave Left", ""};
    mrwi_scene_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    for (size_t i = 0; i < COUNT(names); i++) {
        add_clip(b, names[i], 0);
    }
    const mrw_scene_camera camera = {.yfov = 1, .near_plane = 0.1f};
    mrwi_scene_builder_camera(b, "Front", &camera, NULL);
    mrwi_scene_builder_camera(b, "Side", &camera, NULL);
    return finish(b);
}

/* Of many clips those are named that have the word, wherever they stand. */
START_TEST(a_clip_of_many)
{
    mrwi_scene_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    for (int i = 0; i < 76; i++) {
        char name[32];
        snprintf(name, sizeof name, i < 70 ? "Attack_%02d" : "Walking_%c",
                 i < 70 ? i : 'A' + i - 70);
        add_clip(b, name, 0);
    }
    mrw_scene *s = finish(b);
    mrw_error error = {0};
    uint32_t found = 99;
    ck_assert_int_eq(mrw_scene_find_clip(s, "walk", &found, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text,
                     "there is no clip \"walk\"; did you mean Walking_A, Walking_B, Walking_C, "
                     "Walking_D, Walking_E, Walking_F?");
    ck_assert_int_eq(mrw_scene_find_clip(s, "attack", &found, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "Attack_11 and 58 more?"));
    ck_assert_int_eq(mrw_scene_find_clip(s, "punch", &found, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "did you mean Attack_00, "));
    mrw_scene_free(s);
}
END_TEST

START_TEST(find_clips)
{
    mrw_scene *s = named_clips();
    const struct {
        const char *pattern;
        uint32_t clip;
    } cases[] = {{"Walk", 0},  {"Rig|Walk", 0}, {"Run", 1},    {"2", 2},
                 {"1", 1},     {"run*", 3},     {"clip_5", 5}, {"W*", 0},
                 {"*Left", 4}, {"R?n", 1},      {"Rig|*t", 4}, {"3", 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t found = 99;
        ck_assert_int_eq(mrw_scene_find_clip(s, cases[i].pattern, &found, NULL), MRW_OK);
        ck_assert_msg(found == cases[i].clip, "%s: %u", cases[i].pattern, found);
    }
    uint32_t found = 99;
    mrw_error error = {0};
    ck_assert_int_eq(mrw_scene_find_clip(s, "Wlak", &found, &error), MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, "there is no clip \"Wlak\"; did you mean"), "%s", error.text);
    ck_assert_ptr_nonnull(strstr(error.text, "Walk"));
    ck_assert_int_eq(mrw_scene_find_clip(s, "wav", &found, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "there is no clip \"wav\"; did you mean Wave Left?");
    ck_assert_int_eq(mrw_scene_find_clip(s, "Sprint", &found, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "there is no clip \"Sprint\"; did you mean Run, run*?");
    ck_assert_int_eq(mrw_scene_find_clip(s, "Swim", &found, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "; there are Walk, Run, "));
    ck_assert_int_eq(mrw_scene_find_clip(s, "12", &found, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "there is no clip 12: valid numbers are 0 to 5");
    ck_assert_int_eq(mrw_scene_find_clip(s, "4294967296", &found, NULL), MRW_ERROR_INPUT);
    ck_assert_int_eq(mrw_scene_find_clip(s, "\x1b]0;", &found, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_null(strchr(error.text, '\x1b'));
    ck_assert_uint_eq(found, 99);
    mrw_scene_free(s);
    s = finish(begin());
    ck_assert_int_eq(mrw_scene_find_clip(s, "0", &found, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "there is no clip \"0\": the model has no clips");
    mrw_scene_free(s);
}
END_TEST

START_TEST(find_cameras)
{
    mrw_scene *s = named_clips();
    uint32_t found;
    mrw_error error = {0};
    ck_assert_int_eq(mrw_scene_find_camera(s, "Side", &found, NULL), MRW_OK);
    ck_assert_uint_eq(found, 1);
    ck_assert_int_eq(mrw_scene_find_camera(s, "0", &found, NULL), MRW_OK);
    ck_assert_uint_eq(found, 0);
    ck_assert_int_eq(mrw_scene_find_camera(s, "Top", &found, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "Front"));
    mrw_scene_free(s);
}
END_TEST

/* ---- size ------------------------------------------------------------------------------------ */

/* A grid of side * side vertices with skin weights, without normals. */
static void add_grid(mrwi_scene_builder *b, uint32_t side)
{
    uint32_t count = side * side, at = 0;
    float *positions = malloc(count * 3 * sizeof *positions);
    float *weights = malloc(count * 4 * sizeof *weights);
    uint32_t *joints = malloc(count * 4 * sizeof *joints);
    uint32_t *indices = malloc(count * 6 * sizeof *indices);
    for (uint32_t v = 0; v < count; v++) {
        positions[3 * v] = (float)(v % side);
        positions[3 * v + 1] = (float)(v / side);
        positions[3 * v + 2] = random_unit();
        for (uint32_t i = 0; i < 4; i++) {
            weights[4 * v + i] = random_unit();
            joints[4 * v + i] = random_u32() % 100;
        }
        if (v % side + 1 < side && v / side + 1 < side) {
            const uint32_t quad[6] = {v, v + 1, v + side, v + 1, v + side + 1, v + side};
            memcpy(indices + at, quad, sizeof quad);
            at += 6;
        }
    }
    mrwi_scene_mesh_input in = {.material = MRW_NONE,
                                .vertex_count = count,
                                .indices = indices,
                                .index_count = at,
                                .positions = positions,
                                .influence_count = 4,
                                .joints = joints,
                                .weights = weights,
                                .joint_limit = 100};
    add_mesh(b, &in);
    free(positions);
    free(weights);
    free(joints);
    free(indices);
}

START_TEST(large_is_ordinary)
{
    enum { NODES = 10000, CLIPS = 1000, SIDE = 450 };
    double start = seconds();
    mrwi_scene_builder *b = begin();
    char name[32];
    for (uint32_t i = 0; i < NODES; i++) { /* one chain, leaf first */
        snprintf(name, sizeof name, "node %u", i);
        add_node(b, name, i + 1 < NODES ? i + 1 : MRW_NONE);
    }
    add_grid(b, SIDE);
    const double times[] = {0, 1};
    const float values[] = {0, 0, 0, 1, 1, 1};
    for (uint32_t c = 0; c < CLIPS; c++) {
        snprintf(name, sizeof name, "Rig|clip %u", c);
        add_clip(b, name, 0);
        for (uint32_t i = 0; i < 100; i++) {
            mrwi_scene_channel_input in =
                linear((c * 37 + i * 61) % NODES, MRW_PATH_TRANSLATION, 3, 2, times, values);
            add_channel(b, &in);
        }
    }
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->nodes_count, NODES);
    ck_assert_uint_eq(s->nodes[NODES - 1].parent, NODES - 2);
    ck_assert_uint_ge(s->meshes[0].vertex_count, SIDE * SIDE);
    ck_assert_str_eq(string_at(s, s->clips[CLIPS - 1].name), "clip 999");
    /* a second with optimisation; anything quadratic takes minutes */
    ck_assert_double_lt(seconds() - start, 30);
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("scene");
    TCase *tc;
    tc = test_case(s, "nodes");
    tcase_add_test(tc, empty_scene);
    tcase_add_test(tc, nodes_parents_first);
    tcase_add_test(tc, nodes_in_order_stay);
    tcase_add_test(tc, nodes_refused);
    tcase_add_test(tc, node_transforms);
    tc = test_case(s, "clips");
    tcase_add_test(tc, keys_sorted_and_cleaned);
    tcase_add_test(tc, rotation_keys);
    tcase_add_test(tc, channels_sorted_once_each);
    tcase_add_test(tc, weight_channels_are_cut);
    tcase_add_test(tc, clip_names);
    tcase_add_test(tc, clips_refused);
    tc = test_case(s, "materials");
    tcase_add_test(tc, long_names_are_cut);
    tcase_add_test(tc, looks_once);
    tcase_add_test(tc, looks_refused);
    tcase_add_test(tc, numbers_of_materials_are_mended);
    tcase_add_test(tc, materials_that_look_alike_are_one);
    tcase_add_test(tc, odd_cameras_and_lights_left_out);
    tc = test_case(s, "draws and scales");
    tcase_add_test(tc, skinned_mesh_drawn_rigidly);
    tcase_add_test(tc, draws_refused_and_simplified);
    tcase_add_test(tc, nonuniform_scales);
    tcase_add_test(tc, nonuniform_bind_matrices);
    tc = test_case(s, "look-up");
    tcase_add_test(tc, find_clips);
    tcase_add_test(tc, a_clip_of_many);
    tcase_add_test(tc, find_cameras);
    tc = test_case(s, "size");
    tcase_add_test(tc, large_is_ordinary);
    return s;
}

TEST_MAIN(suite())
