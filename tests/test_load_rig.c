/* test_load_rig.c: what glTF files ask of a rig: joints, instances, animated ancestors,
 * KHR_animation_pointer, several scenes, and repairs; poses worked out by hand. */
#include "load_gltf.h"

#include <marrow/frame.h>
#include <marrow/load.h>

/* ---- poses ----------------------------------------------------------------------------------- */

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    const mrw_posed_draw *posed;
} stage;

static void pose(stage *s, const char *json, uint32_t clip, double time)
{
    s->scene = load(json);
    ck_assert_int_eq(mrw_model_create(s->scene, MRW_SHADING_RAW, 1, &s->model, &error), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, &error), MRW_OK);
    mrw_instance instance = mrw_instance_default(s->model);
    instance.clip = clip;
    instance.time = time;
    ck_assert_int_eq(mrw_pose_instance(s->renderer, &instance, MRW_ISA_SCALAR, &s->posed, &error),
                     MRW_OK);
}

static void strike(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static void check_posed(const stage *s, uint32_t draw, uint32_t k, double x, double y, double z)
{
    uint32_t mesh = s->scene->draws[draw].mesh;
    const float *got = s->posed[draw].positions + 4 * (size_t)corner(s->scene, mesh, k);
    const double want[3] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        ck_assert_msg(fabs((double)got[i] - want[i]) < 1e-5, "draw %u corner %u: %g %g %g", draw, k,
                      (double)got[0], (double)got[1], (double)got[2]);
    }
}

/* Joints without a common root, one of them below an animated node that is no joint; one mesh under
 * two skins, the second without matrices and with its joints the other way round, and once without
 * a skin; 16-bit weights. */
#define RIG                                                                                        \
    "],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5121, 3, VEC4) "," N(48, 5123, 3, VEC4) "," A( \
        72, 5126, 2,                                                                               \
        MAT4) "," A(200, 5126, 2,                                                                  \
                    SCALAR) "," A(208, 5126, 2,                                                    \
                                  VEC3) "],'meshes':[{'primitives':[{'attributes':{"               \
                                        "'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2}}]"               \
                                        "}],'skins':[{'joints':[2,4],"                             \
                                        "'inverseBindMatrices':3},{'joints':[4,2]}],"              \
                                        "'nodes':[{'mesh':0,'skin':0,'translation':["              \
                                        "100,0,0]},{'mesh':0,'translation':[0,0,5]},{"             \
                                        "'rotation':[0,0,0.70710678,0.70710678]},{"                \
                                        "'children':[4]},{'translation':[0,0,1]},{'"               \
                                        "mesh':0,'skin':1}],'animations':[{'"                      \
                                        "samplers':[{'input':4,'output':5}],"                      \
                                        "'channels':[{'sampler':0,'target':{'node':"               \
                                        "3,'path':'translation'}}]}]"

START_TEST(test_instances_and_ancestors)
{
    stage s;
    reset();
    PUT(float, TRIANGLE);
    PUT(uint8_t, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0);
    PUT(uint16_t, 65535, 0, 0, 0, 65535, 0, 0, 0, 30000, 30000, 0, 0);
    PUT(float, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1, /* 72: moved by -x */
        2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1);        /* twice as large */
    PUT(float, 0, 1);                                           /* 200 */
    PUT(float, 0, 0, 0, 0, 4, 0);                               /* 208 */
    pose(&s, gltf(RIG), 0, 0.5);
    ck_assert_uint_eq(s.scene->draws_count, 3);
    /* joint A: a quarter turn, (x, y) -> (-y, x); joint B: moved by (0, 2, 1) */
    check_posed(&s, 0, 0, 0, -1, 0);
    check_posed(&s, 0, 1, 2, 2, 1);
    check_posed(&s, 0, 2, -0.5, 1.5, 0.5); /* between (-1, -1, 0) and (0, 4, 1) */
    check_posed(&s, 1, 0, 0, 0, 5);
    check_posed(&s, 1, 1, 1, 0, 5);
    check_posed(&s, 2, 0, 0, 2, 1);
    check_posed(&s, 2, 1, 0, 1, 0);
    check_posed(&s, 2, 2, -0.5, 1.5, 0.5); /* between (0, 3, 1) and (-1, 0, 0) */
    ck_assert_uint_eq(s.scene->draws[1].skin, MRW_NONE);
    ck_assert_uint_eq(s.scene->draws[0].mesh, s.scene->draws[2].mesh);
    ck_assert_uint_eq(s.scene->meshes[s.scene->draws[1].mesh].max_influences, 0);
    strike(&s);
}
END_TEST

/* Negative weights of a node, which stand before those of its mesh; targets of positions, normals
 * and tangents. */
START_TEST(test_morph_pose)
{
    stage s;
    reset();
    PUT(float, TRIANGLE);
    PUT(float, 0, 0, 1, 0, 0, 1, 0, 0, 1);             /* 36: normals */
    PUT(float, 1, 0, 0, -1, 1, 0, 0, -1, 1, 0, 0, -1); /* 72: tangents */
    PUT(float, 0, 0, 2, 0, 0, 2, 0, 0, 2);             /* 120: positions by +2z */
    PUT(float, 3, 0, -1, 3, 0, -1, 3, 0, -1);          /* 156: normals to +x of 3 */
    PUT(float, -1, 0, -3, -1, 0, -3, -1, 0, -3);       /* 192: tangents to -z of 3 */
    static const char file[] = "],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5126, 3, VEC3) "," A(
        72, 5126, 3,
        VEC4) "," A(120, 5126, 3,
                    VEC3) "," A(156, 5126, 3,
                                VEC3) "," A(192, 5126, 3,
                                            VEC3) "],'meshes':[{'weights':[0,0],'primitives':[{'"
                                                  "attributes':{'POSITION':0,"
                                                  "'NORMAL':1,'TANGENT':2},'targets':[{'POSITION':"
                                                  "3},"
                                                  "{'NORMAL':4,'TANGENT':5}]}]}],'nodes':[{'mesh':"
                                                  "0,'weights':[-1.5,1]},{'mesh':"
                                                  "0}]";
    pose(&s, gltf("%s", file), MRW_NONE, 0.0);
    check_posed(&s, 0, 1, 1, 0, -3);
    check_posed(&s, 1, 1, 1, 0, 0);
    const mrw_mesh *mesh = &s.scene->meshes[0];
    const mrw_morph_target *target = &s.scene->targets[mesh->first_target + 1];
    ck_assert_uint_ne(target->tangent, MRW_NONE);
    check_floats(s.scene->morph_tangents + 3 * (size_t)target->tangent, (const double[]){-1, 0, -3},
                 3, 0);
    check_floats(s.posed[0].normals, (const double[]){1, 0, 0}, 3, 1e-6);
    check_floats(s.posed[1].normals, (const double[]){0, 0, 1}, 3, 1e-6);
    ck_assert_ptr_nonnull(s.posed[0].tangents);
    check_floats(s.posed[0].tangents, (const double[]){0, 0, -1, -1}, 4, 1e-6);
    strike(&s);
}
END_TEST

/* ---- KHR_animation_pointer ------------------------------------------------------------------- */

#define TO(pointer)                                                                                \
    "'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':'" pointer "'}}}" \
    "}"

static const char *pointers(const char *channels)
{
    reset();
    PUT(float, 0, 1);                   /* 0: times */
    PUT(float, 1, 2, 3, 4, 5, 6);       /* 8 */
    PUT(float, 0, 0, 0, 1, 0, 0, 1, 0); /* 32: rotations */
    PUT(float, 0.25f, -0.5f);           /* 64: weights */
    PUT(float, TRIANGLE);               /* 72 */
    return gltf(
        "],'accessors':[" A(0, 5126, 2, SCALAR) "," A(8, 5126, 2, VEC3) "," A(
            32, 5126, 2, VEC4) "," A(64, 5126, 2,
                                     SCALAR) "," A(72, 5126, 3,
                                                   VEC3) "],'extensionsRequired':['KHR_animation_"
                                                         "pointer'],'meshes':[{"
                                                         "'primitives':[{'attributes':{'POSITION':"
                                                         "4},'targets':[{'POSITION':4}]}]"
                                                         "}],'nodes':[{'mesh':0},{'mesh':0,'"
                                                         "weights':[1]},{'mesh':0}],"
                                                         "'animations':[{'samplers':[{'input':0,'"
                                                         "output':1},{'input':0,'output':2}"
                                                         ",{'input':0,'output':3,'interpolation':'"
                                                         "STEP'}],'channels':[%s]}]",
        channels);
}

static const mrw_channel *find_channel(const mrw_scene *s, uint32_t node, mrw_path path)
{
    for (uint32_t c = 0; c < s->channels_count; c++) {
        if (s->channels[c].node == node && s->channels[c].path == path) {
            return &s->channels[c];
        }
    }
    ck_abort_msg("node %u has no channel of path %d", node, (int)path);
    return NULL;
}

START_TEST(test_pointers_to_nodes)
{
    mrw_scene *s = load(pointers("{'sampler':0," TO("/nodes/2/translation") ",{'sampler':0," TO(
        "/nodes/1/scale") ",{'sampler':1," TO("/nodes/0/rotation") ",{'sampler':2," TO("/nodes/1/"
                                                                                       "weights")));
    ck_assert_uint_eq(s->warnings_count, 0);
    ck_assert_uint_eq(s->channels_count, 4);
    const double vectors[] = {1, 2, 3, 4, 5, 6}, turns[] = {0, 0, 0, 1, 0, 0, 1, 0};
    const double weights[] = {0.25, -0.5};
    check_floats(s->key_values + find_channel(s, 2, MRW_PATH_TRANSLATION)->first_value, vectors, 6,
                 0);
    check_floats(s->key_values + find_channel(s, 1, MRW_PATH_SCALE)->first_value, vectors, 6, 0);
    check_floats(s->key_values + find_channel(s, 0, MRW_PATH_ROTATION)->first_value, turns, 8, 0);
    const mrw_channel *last = find_channel(s, 1, MRW_PATH_WEIGHTS);
    check_floats(s->key_values + last->first_value, weights, 2, 0);
    ck_assert_uint_eq(last->interpolation, MRW_INTERPOLATION_STEP);
    mrw_scene_free(s);
}
END_TEST

/* The weights of a mesh reach the nodes that have none of their own. */
START_TEST(test_pointer_to_mesh_weights)
{
    mrw_scene *s = load(pointers("{'sampler':2," TO("/meshes/0/weights")));
    ck_assert_uint_eq(s->channels_count, 2);
    const double weights[] = {0.25, -0.5};
    check_floats(s->key_values + find_channel(s, 0, MRW_PATH_WEIGHTS)->first_value, weights, 2, 0);
    check_floats(s->key_values + find_channel(s, 2, MRW_PATH_WEIGHTS)->first_value, weights, 2, 0);
    ck_assert_uint_eq(s->warnings_count, 0);
    mrw_scene_free(s);
}
END_TEST

/* Other pointers: one warning a kind; the channels beside them stay. */
START_TEST(test_other_pointers)
{
    /* clang-format off */
    mrw_scene *s = load(pointers(
        "{'sampler':0," TO("/materials/0/emissiveFactor") ","
        "{'sampler':0," TO("/materials/12/emissiveFactor") ","
        "{'sampler':2," TO("/cameras/0/perspective/yfov") ","
        "{'sampler':2," TO("/nodes/1/weights/0") ","
        "{'sampler':2," TO("") ","
        "{'sampler':0,'target':{'path':'pointer'}},"
        "{'sampler':0," TO("/nodes/0/translation")));
    /* clang-format on */
    ck_assert_uint_eq(s->channels_count, 1);
    ck_assert(has_warning(s, "\"/materials/N/emissiveFactor\""));
    ck_assert(has_warning(s, "\"/cameras/N/perspective/yfov\""));
    ck_assert(has_warning(s, "\"/nodes/N/weights/N\""));
    ck_assert(has_warning(s, "channel 5: its KHR_animation_pointer has no pointer"));
    ck_assert_uint_eq(s->warnings_count, 5);
    mrw_scene_free(s);
}
END_TEST

START_TEST(test_pointers_out_of_range)
{
    static const char *const cases[][2] = {
        {"{'sampler':0," TO("/nodes/3/scale"),
         "refers to entry 3 of \"nodes\", but the file has 3"},
        {"{'sampler':0," TO("/nodes/99999999999999999999/scale"), "of \"nodes\""},
        {"{'sampler':2," TO("/meshes/1/weights"), "entry 1 of \"meshes\", but the file has 1"},
        {"{'sampler':1," TO("/nodes/0/scale"), "has 2 elements of 4"},
        {"{'sampler':0,'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{"
         "'pointer':5}}}}",
         "must be a string"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_ptr_null(try_load(pointers(cases[i][0])));
        ck_assert_int_eq(error.status, MRW_ERROR_INPUT);
        ck_assert_msg(strstr(error.text, "animation 0: channel 0: "), "%s", error.text);
        ck_assert_msg(strstr(error.text, cases[i][1]), "%s", error.text);
    }
}
END_TEST

/* ---- scenes ---------------------------------------------------------------------------------- */

static mrw_status load_scene(const char *json, const char *wanted, mrw_scene **scene)
{
    mrw_load_def def = mrw_load_def_default();
    def.scene = wanted;
    memset(&error, 0, sizeof error);
    return mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, scene, &error);
}

static const char *scenes_file(const char *scenes)
{
    reset();
    PUT(float, TRIANGLE);
    return gltf("],'accessors':[" A(
                    0, 5126, 3, VEC3) "],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]"
                                      ",'nodes':[{'mesh':0},{'mesh':0},{'mesh':0}]%s",
                scenes);
}

START_TEST(test_scene_by_name_or_index)
{
    static const struct {
        const char *wanted;
        uint32_t node;
    } cases[] = {{NULL, 1}, {"day", 0}, {"night", 1}, {"0", 2}, {"2", 2}, {"1", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *s;
        const char *json = scenes_file(",'scene':1,'scenes':[{'name':'day','nodes':[0]},{'name':"
                                       "'night','nodes':[1]},{'name':'0','nodes':[2]}]");
        ck_assert_msg(load_scene(json, cases[i].wanted, &s) == MRW_OK, "%s", error.text);
        ck_assert_uint_eq(s->draws_count, 1);
        ck_assert_uint_eq(s->draws[0].node, cases[i].node);
        ck_assert_uint_eq(s->nodes_count, 3);
        mrw_scene_free(s);
    }
}
END_TEST

START_TEST(test_unknown_scenes)
{
    static const char *const named = ",'scenes':[{'name':'day'},{'name':'night'}]";
    static const char *const cases[][3] = {
        {",'scenes':[{'name':'day'},{'name':'night'}]", "nigt", "\"nigt\"; did you mean night?"},
        {",'scenes':[{'name':'day'},{'name':'night'}]", "xxxxxx", "day, night"},
        {",'scenes':[{'name':'day'},{'name':'night'}]", "2", "\"2\""},
        {",'scenes':[{},{}]", "day", "the file has scenes 0 to 1"},
        {",'scenes':[{},{}]", "4294967296", "the file has scenes 0 to 1"},
        {",'scenes':[{},{}]", "", "the file has scenes 0 to 1"},
        {"", "0", "the file has no scenes; omit --scene"}};
    mrw_scene *s;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(load_scene(scenes_file(cases[i][0]), cases[i][1], &s), MRW_ERROR_INPUT);
        ck_assert_ptr_null(s);
        ck_assert_msg(strstr(error.text, cases[i][2]), "%s", error.text);
    }
    ck_assert_int_eq(load_scene(scenes_file(named), "day", &s), MRW_OK);
    mrw_scene_free(s);
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    mrw_load_def def = mrw_load_def_default();
    def.scene = "day";
    ck_assert_int_eq(mrw_load_memory(obj, sizeof obj - 1, "t.obj", NULL, &def, &s, &error),
                     MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "only glTF files have named scenes"));
}
END_TEST

/* ---- repairs --------------------------------------------------------------------------------- */

START_TEST(test_keys_out_of_order)
{
    reset();
    PUT(float, 2, 0, 1, 1);
    PUT(float, 2, 2, 2, 0, 0, 0, 9, 9, 9, 1, 1, 1);
    mrw_scene *s = load(gltf("],'accessors':[" A(0, 5126, 4, SCALAR) "," A(
        16, 5126, 4,
        VEC3) "],'nodes':[{}],'animations':[{'samplers':[{'input':0,'output':1}],"
              "'channels':[{'sampler':0,'target':{'node':0,'path':'translation'}}]}]"));
    const double values[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    ck_assert_uint_eq(s->channels[0].key_count, 3);
    check_floats(s->key_values, values, 9, 0);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(s->key_times[i], i);
    }
    ck_assert(has_warning(s, "keys were out of order"));
    mrw_scene_free(s);
}
END_TEST

/* ---- the first key --------------------------------------------------------------------------- */

/* Two channels, with keys at 0.5, 2 and at 1, 3; a clip with a key at 0; one without channels.
 * compiled: the same by way of a compiled scene. */
static mrw_scene *load_late(bool from_first_key, bool compiled)
{
    reset();
    PUT(float, 0.5f, 2, 1, 3, 0, 1);
    PUT(float, 0, 0, 0, 3, 0, 0);
    const char *json = gltf("],'accessors':[" A(0, 5126, 2, SCALAR) "," A(8, 5126, 2, SCALAR) "," A(
        16, 5126, 2,
        SCALAR) "," A(24, 5126, 2,
                      VEC3) "],'nodes':[{'name':'a'},{'name':'b'}],'animations':["
                            "{'name':'Late','samplers':[{'input':0,'output':3},{'input':1,'output':"
                            "3}],'channels':["
                            "{'sampler':0,'target':{'node':0,'path':'translation'}},"
                            "{'sampler':1,'target':{'node':1,'path':'translation'}}]},"
                            "{'name':'Early','samplers':[{'input':2,'output':3}],'channels':["
                            "{'sampler':0,'target':{'node':0,'path':'translation'}}]}]");
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *scene = NULL;
    mrw_bytes file;
    def.from_first_key = from_first_key;
    if (!compiled) {
        ck_assert_int_eq(mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &scene, &error),
                         MRW_OK);
        return scene;
    }
    mrw_scene *plain = load(json);
    ck_assert_int_eq(mrw_scene_compile(plain, &file, &error), MRW_OK);
    mrw_scene_free(plain);
    ck_assert_int_eq(mrw_load_memory(file.data, file.size, "t.marrow", NULL, &def, &scene, &error),
                     MRW_OK);
    mrw_bytes_free(&file);
    return scene;
}

START_TEST(test_clips_from_their_first_key)
{
    double first, last;
    mrw_scene *late = load_late(false, false);
    ck_assert(mrw_scene_key_span(late, 0, &first, &last));
    ck_assert_double_eq(first, 0.5);
    ck_assert_double_eq(last, 3.0);
    ck_assert_double_eq(late->clips[0].duration, 3.0);
    ck_assert_double_eq(late->clips[0].start, 0.0);
    mrw_scene *early = load_late(true, false), *again = load_late(true, true);
    ck_assert(mrw_scene_key_span(early, 0, &first, &last));
    ck_assert_double_eq(first, 0.0);
    ck_assert_double_eq(last, 2.5);
    ck_assert_double_eq(early->clips[0].duration, 2.5);
    ck_assert_double_eq(early->clips[0].start, 0.5);
    ck_assert_double_eq(early->key_times[early->channels[1].first_time], 0.5);
    ck_assert_double_eq(early->clips[1].duration, 1.0);
    ck_assert_double_eq(early->clips[1].start, 0.0);
    ck_assert(memcmp(mrw_scene_hash(early), mrw_scene_hash(again), 32) == 0);
    ck_assert(memcmp(mrw_scene_hash(early), mrw_scene_hash(late), 32) != 0);
    mrw_scene_free(late);
    mrw_scene_free(early);
    mrw_scene_free(again);
}
END_TEST

/* Weights that are all zero, or no numbers: the vertex follows its node, with a warning. */
START_TEST(test_weights_without_use)
{
    stage s;
    reset();
    PUT(float, TRIANGLE);
    PUT(uint8_t, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    PUT(float, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0);
    static const char file[] = "],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5121, 3, VEC4) "," A(
        48, 5126, 3,
        VEC4) "],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,"
              "'WEIGHTS_0':2}}]}],'skins':[{'joints':[1]}],'nodes':[{'mesh':0,'skin':0,"
              "'translation':[0,0,7]},{'translation':[0,3,0]}]";
    pose(&s, gltf("%s", file), MRW_NONE, 0.0);
    check_posed(&s, 0, 0, 0, 3, 0);
    check_posed(&s, 0, 1, 1, 0, 7);
    ck_assert(has_warning(s.scene, "1 vertices have no weights"));
    strike(&s);
    float bad = NAN;
    memcpy(bin.data + 48, &bad, sizeof bad);
    pose(&s, gltf("%s", file), MRW_NONE, 0.0);
    check_posed(&s, 0, 0, 0, 0, 7);
    check_posed(&s, 0, 2, 0, 4, 0);
    ck_assert(has_warning(s.scene, "1 weights are negative or not finite and are taken as 0"));
    strike(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("load_rig");
    TCase *tc = tcase_create("rig");
    tcase_add_test(tc, test_instances_and_ancestors);
    tcase_add_test(tc, test_morph_pose);
    tcase_add_test(tc, test_pointers_to_nodes);
    tcase_add_test(tc, test_pointer_to_mesh_weights);
    tcase_add_test(tc, test_other_pointers);
    tcase_add_test(tc, test_pointers_out_of_range);
    tcase_add_test(tc, test_scene_by_name_or_index);
    tcase_add_test(tc, test_unknown_scenes);
    tcase_add_test(tc, test_keys_out_of_order);
    tcase_add_test(tc, test_clips_from_their_first_key);
    tcase_add_test(tc, test_weights_without_use);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
