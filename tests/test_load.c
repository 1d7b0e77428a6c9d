/* test_load.c: what the glTF reader makes of a file's content, from strings written here with
 * values worked out by hand. */
#include "load_gltf.h"

#include "load/gltf.h"

#include <meshoptimizer.h>

/* ---- triangles ------------------------------------------------------------------------------- */

START_TEST(test_triangle_without_indices)
{
    reset();
    PUT(float, TRIANGLE);
    mrw_scene *s = load(gltf("],'accessors':[" A(
        0, 5126, 3, VEC3) "],'meshes':[{'name':'m',"
                          "'primitives':[{'attributes':{'POSITION':0}}]}]" ONE_NODE));
    ck_assert_uint_eq(s->meshes_count, 1);
    ck_assert_uint_eq(s->draws_count, 1);
    ck_assert_uint_eq(s->draws[0].skin, MRW_NONE);
    ck_assert_str_eq(mrw_scene_string(s, s->meshes[0].name), "m");
    ck_assert_str_eq(mrw_scene_string(s, s->format), "gltf2");
    CHECK_CORNER(s, positions, 3, position, 1, 1, 0, 0);
    CHECK_CORNER(s, normals, 3, normal, 2, 0, 0, 1); /* computed, counter-clockwise faces +z */
    mrw_scene_free(s);
}
END_TEST

/* Indices of every size, and the three kinds of triangle primitives. */
START_TEST(test_indices_and_modes)
{
    static const struct {
        int type, mode;
    } cases[] = {{5121, 4}, {5123, 4}, {5125, 4}, {5121, 5}, {5123, 6}, {5125, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        PUT(float, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0); /* a square: 0 1 / 2 3 */
        bool list = cases[i].mode == 4, strip = cases[i].mode == 5;
        /* strip 0 1 2 3: (0 1 2), (1 3 2); fan 0 1 3 2: (1 3 0), (3 2 0) */
        const uint32_t lists[3][6] = {{0, 1, 2, 1, 3, 2}, {0, 1, 2, 3}, {0, 1, 3, 2}};
        const uint32_t *from = lists[list ? 0 : strip ? 1 : 2];
        const uint32_t want[2][6] = {{0, 1, 2, 1, 3, 2}, {1, 3, 0, 3, 2, 0}};
        uint8_t raw[24] = {0};
        size_t size = cases[i].type == 5121 ? 1 : cases[i].type == 5123 ? 2 : 4;
        for (int k = 0; k < 6; k++) {
            raw[(size_t)k * size] = (uint8_t)from[list || k < 4 ? k : 0];
        }
        put_bytes(raw, sizeof raw);
        mrw_scene *s = load(gltf(
            "],'accessors':[" A(
                0, 5126, 4, VEC3) ",{'bufferView':0,"
                                  "'byteOffset':48,'componentType':%d,'count':%d,'type':'SCALAR'}],"
                                  "'meshes':[{'primitives':[{'mode':%d,'indices':1,"
                                  "'attributes':{'POSITION':0}}]}]" ONE_NODE,
            cases[i].type, list ? 6 : 4, cases[i].mode));
        ck_assert_uint_eq(s->meshes[0].triangle_count, 2);
        for (uint32_t k = 0; k < 6; k++) {
            uint32_t v = want[list || strip ? 0 : 1][k];
            CHECK_CORNER(s, positions, 3, position, k, v & 1, v >> 1, 0);
        }
        mrw_scene_free(s);
    }
}
END_TEST

/* A strip without indices; points and lines give one warning together; a primitive that shares a
 * longer run of vertices keeps only its own. */
START_TEST(test_primitives_of_a_mesh)
{
    reset();
    PUT(float, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 9, 9, 9);
    PUT(uint8_t, 4, 2, 1);
    mrw_scene *s = load(gltf("],'accessors':[" A(0, 5126, 5, VEC3) "," A(
        60, 5121, 3, SCALAR) "],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1},"
                             "{'mode':0,'attributes':{'POSITION':0}},"
                             "{'mode':1,'attributes':{'POSITION':0}},"
                             "{'mode':5,'attributes':{'POSITION':0}}]}]" ONE_NODE));
    ck_assert_uint_eq(s->draws_count, 2);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 3);
    CHECK_CORNER(s, positions, 3, position, 0, 9, 9, 9);
    ck_assert_uint_eq(s->meshes[1].triangle_count, 3);
    ck_assert_uint_eq(s->warnings_count, 1);
    ck_assert(has_warning(s, "2 primitives are points or lines"));
    mrw_scene_free(s);
}
END_TEST

/* ---- accessors ------------------------------------------------------------------------------- */

START_TEST(test_component_types)
{
    static const struct {
        int type;
        bool normalized;
        double want[2];
    } cases[] = {
        {5120, false, {-128, 64}},   {5120, true, {-1, 64.0 / 127}},
        {5121, false, {128, 64}},    {5121, true, {128.0 / 255, 64.0 / 255}},
        {5122, false, {-32640, 64}}, {5122, true, {-32640.0 / 32767, 64.0 / 32767}},
        {5123, false, {32896, 64}},  {5123, true, {32896.0 / 65535, 64.0 / 65535}},
        {5126, false, {-1.5, 0.25}},
    };
    static const uint8_t byte_pair[] = {128, 64}, short_pair[] = {128, 128, 64, 0};
    static const float float_pair[] = {-1.5f, 0.25f};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        PUT(float, TRIANGLE);
        for (int v = 0; v < 3; v++) { /* stride 8 */
            bool one = cases[i].type <= 5121, two = cases[i].type <= 5123;
            const void *from = one ? byte_pair : two ? (const void *)short_pair : float_pair;
            memcpy(bin.data + 36 + 8 * v, from, one ? 2 : two ? 4 : 8);
        }
        bin.size = 60;
        mrw_scene *s =
            load(gltf(",{'buffer':0,'byteOffset':36,'byteLength':24,'byteStride':8}],"
                      "'accessors':[" A(
                          0, 5126, 3,
                          VEC3) ",{'bufferView':1,'componentType':%d,"
                                "'count':3,'type':'VEC2','normalized':%s}],'meshes':[{'primitives':"
                                "[{'attributes':{'POSITION':0,'TEXCOORD_1':1}}]}]" ONE_NODE,
                      cases[i].type, cases[i].normalized ? "true" : "false"));
        ck_assert_uint_eq(s->meshes[0].uv[0], MRW_NONE);
        CHECK_CORNER(s, uvs, 2, uv[1], 2, cases[i].want[0], cases[i].want[1]);
        mrw_scene_free(s);
    }
}
END_TEST

/* KHR_mesh_quantization: positions, normals and tangents as integers, interleaved. */
START_TEST(test_quantized_interleaved)
{
    reset();
    for (int v = 0; v < 3; v++) {
        PUT(int16_t, (int16_t)(v == 1 ? -300 : 0), (int16_t)(v == 2 ? 500 : 0), 7, 0);
        PUT(int8_t, 0, 0, 127, 0, 127, 0, 0, -127);
    }
    mrw_scene *s =
        load(gltf(",{'buffer':0,'byteLength':48,'byteStride':16}],'accessors':["
                  "{'bufferView':1,'componentType':5122,'count':3,'type':'VEC3'},"
                  "{'bufferView':1,'byteOffset':8,'componentType':5120,'count':3,'type':'VEC3',"
                  "'normalized':true},{'bufferView':1,'byteOffset':12,'componentType':5120,'count'"
                  ":3,'type':'VEC4','normalized':true}],'extensionsRequired':"
                  "['KHR_mesh_quantization'],'meshes':[{'primitives':[{'attributes':{'POSITION':0,"
                  "'NORMAL':1,'TANGENT':2}}]}]" ONE_NODE));
    CHECK_CORNER(s, positions, 3, position, 1, -300, 0, 7);
    CHECK_CORNER(s, positions, 3, position, 2, 0, 500, 7);
    CHECK_CORNER(s, normals, 3, normal, 0, 0, 0, 1);
    CHECK_CORNER(s, tangents, 4, tangent, 0, 1, 0, 0, -1);
    mrw_scene_free(s);
}
END_TEST

/* Floats and indices in the file are used in place; they are copied if they are not aligned, or if
 * the primitive uses only some of the rows. */
START_TEST(test_unaligned_arrays)
{
    static const float points[] = {TRIANGLE, 1, 1, 7};
    static const uint32_t all[] = {2, 0, 1, 1, 3, 2}, some[] = {3, 1, 2};
    for (size_t shift = 0; shift < 4; shift++) {
        for (int k = 0; k < 2; k++) {
            reset();
            memcpy(bin.data + shift, points, sizeof points);
            memcpy(bin.data + shift + sizeof points, k == 0 ? all : some,
                   sizeof all / (size_t)(k + 1));
            bin.size = shift + sizeof points + sizeof all;
            mrw_scene *s = load(gltf(
                "],'accessors':[{'bufferView':0,'byteOffset':%zu,'componentType':5126,'count':4,"
                "'type':'VEC3'},{'bufferView':0,'byteOffset':%zu,'componentType':5125,'count':%d,"
                "'type':'SCALAR'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},"
                "'indices':1}]}]" ONE_NODE,
                shift, shift + sizeof points, k == 0 ? 6 : 3));
            ck_assert_uint_eq(s->meshes[0].triangle_count, k == 0 ? 2 : 1);
            CHECK_CORNER(s, positions, 3, position, k == 0 ? 2 : 1, 1, 0, 0);
            CHECK_CORNER(s, positions, 3, position, k == 0 ? 4 : 0, 1, 1, 7);
            mrw_scene_free(s);
        }
    }
}
END_TEST

/* Sparse values over a buffer view and over zeros, and both for a primitive that uses few rows. */
START_TEST(test_sparse)
{
    reset();
    PUT(float, TRIANGLE, 5, 5, 5);
    PUT(uint16_t, 1, 2);
    PUT(float, 4, 0, 0, 0, 3, 0);
    PUT(uint8_t, 0, 1, 2);
#define SPARSE                                                                                     \
    "'componentType':5126,'count':4,'type':'VEC3','sparse':{'count':2,'indices':{'bufferView':0,"  \
    "'byteOffset':48,'componentType':5123},'values':{'bufferView':0,'byteOffset':52}}}"
    mrw_scene *s = load(gltf("],'accessors':[{'bufferView':0," SPARSE ",{" SPARSE "," A(
        76, 5121, 3,
        SCALAR) "],'meshes':[{'primitives':[{'indices':2,"
                "'attributes':{'POSITION':0},'targets':[{'POSITION':1}]}]}]" ONE_NODE));
    CHECK_CORNER(s, positions, 3, position, 0, 0, 0, 0);
    CHECK_CORNER(s, positions, 3, position, 1, 4, 0, 0);
    CHECK_CORNER(s, positions, 3, position, 2, 0, 3, 0);
    ck_assert_uint_eq(s->targets[0].entry_count, 2); /* vertex 0 does not move */
    check_floats(s->morph_positions + 3 * (size_t)s->targets[0].first_entry,
                 (const double[]){4, 0, 0, 0, 3, 0}, 6, 0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(test_colors)
{
    static const struct {
        const char *accessor;
        double want[4];
    } cases[] = {
        {"'componentType':5126,'type':'VEC3'", {0.25, 0.5, 0.75, 1}},
        {"'componentType':5121,'type':'VEC4','byteOffset':36", {1, 0, 51.0 / 255, 102.0 / 255}},
        {"'componentType':5123,'type':'VEC3','byteOffset':48", {1, 0, 13107.0 / 65535, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        PUT(float, 0.25f, 0.5f, 0.75f, 0.25f, 0.5f, 0.75f, 0.25f, 0.5f, 0.75f);
        PUT(uint8_t, 255, 0, 51, 102, 255, 0, 51, 102, 255, 0, 51, 102);
        PUT(uint16_t, 65535, 0, 13107, 65535, 0, 13107, 65535, 0, 13107);
        size_t at = PUT(float, TRIANGLE);
        mrw_scene *s = load(gltf("],'accessors':[{'bufferView':0,'byteOffset':%zu,'componentType':"
                                 "5126,'count':3,'type':'VEC3'},{'bufferView':0,'count':3,%s}],"
                                 "'meshes':[{'primitives':[{'attributes':{'COLOR_0':1,'POSITION':0}"
                                 "}]}]" ONE_NODE,
                                 at, cases[i].accessor));
        CHECK_CORNER(s, colors, 4, color, 0, cases[i].want[0], cases[i].want[1], cases[i].want[2],
                     cases[i].want[3]);
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- skins ----------------------------------------------------------------------------------- */

/* The influences of corner k as joint → weight, 0 where there is none. */
static void influences(const mrw_scene *s, uint32_t k, double weights[8])
{
    uint32_t v = corner(s, 0, k);
    memset(weights, 0, 8 * sizeof *weights);
    for (uint32_t g = 0; g < s->meshes[0].group_count; g++) {
        const mrw_influence_group *group = &s->groups[s->meshes[0].first_group + g];
        if (v < group->first_vertex || v >= group->first_vertex + group->vertex_count) {
            continue;
        }
        uint32_t n = group->influence_count,
                 at = group->first_influence + (v - group->first_vertex) * n;
        for (uint32_t i = 0; i < n; i++) {
            weights[s->influence_joints[at + i]] = (double)s->influence_weights[at + i];
        }
    }
}

/* JOINTS_1 before JOINTS_0, other types, u8 weights without "normalized", a vertex without weights,
 * joints out of range where the weight is 0. */
START_TEST(test_influences)
{
    reset();
    PUT(float, TRIANGLE);
    PUT(uint8_t, 0, 1, 2, 3, 1, 0, 99, 99, 0, 0, 0, 0);     /* 36: JOINTS_0 */
    PUT(uint8_t, 51, 102, 0, 51, 255, 0, 0, 0, 0, 0, 0, 0); /* 48: WEIGHTS_0 */
    PUT(uint16_t, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);      /* 60: JOINTS_1 */
    PUT(float, 0.2f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);      /* 84: WEIGHTS_1 */
    mrw_scene *s = load(gltf("],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5121, 3, VEC4) "," A(
        48, 5121, 3, VEC4) "," A(60, 5123, 3,
                                 VEC4) "," A(84, 5126, 3,
                                             VEC4) "],'meshes':[{'primitives':[{'attributes':"
                                                   "{'WEIGHTS_1':4,'JOINTS_1':3,'POSITION':0,'"
                                                   "WEIGHTS_0':2,'JOINTS_0':1}}]}],"
                                                   "'skins':[{'joints':[1,2,3,4,5]}],'nodes':[{'"
                                                   "mesh':0,'skin':0},{},{},{},{},{}]"));
    double weights[8];
    ck_assert_uint_eq(s->meshes[0].max_influences, 4);
    influences(s, 0, weights); /* 0.2, 0.4, 0, 0.2 and 0.2 of joint 4 */
    const double want[8] = {0.2, 0.4, 0, 0.2, 0.2};
    for (int i = 0; i < 8; i++) {
        ck_assert_double_eq_tol(weights[i], want[i], 1e-6);
    }
    influences(s, 1, weights);
    ck_assert_double_eq(weights[1], 1.0);
    influences(s, 2, weights);
    ck_assert_double_eq(weights[0], 0.0);
    ck_assert(has_warning(s, "1 vertices have no weights"));
    mrw_scene_free(s);
}
END_TEST

/* One mesh under two skins with different matrices; a third draw without a skin; a skin without
 * inverseBindMatrices. */
START_TEST(test_shared_mesh_two_skins)
{
    reset();
    PUT(float, TRIANGLE);
    PUT(uint8_t, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    PUT(float, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    PUT(float, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0,
        0, 0, 0, 1);
    mrw_scene *s = load(gltf("],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5121, 3, VEC4) "," A(
        48, 5126, 3,
        VEC4) "," A(96, 5126, 2,
                    MAT4) "],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,"
                          "'WEIGHTS_0':2}}]}],'skins':[{'name':'s','joints':[3,4],'"
                          "inverseBindMatrices':3},"
                          "{'joints':[4,3,3]}],'nodes':[{'mesh':0,'skin':1},{'mesh':0,'skin':0},{'"
                          "mesh':0},"
                          "{'children':[4]},{}]"));
    ck_assert_uint_eq(s->draws_count, 3);
    ck_assert_uint_eq(s->draws[0].mesh, s->draws[1].mesh);
    ck_assert_uint_eq(s->draws[0].skin, 1);
    ck_assert_uint_eq(s->draws[1].skin, 0);
    ck_assert_uint_eq(s->draws[2].skin, MRW_NONE);
    const mrw_skin *first = &s->skins[0], *second = &s->skins[1];
    ck_assert_uint_eq(second->joint_count, 3);
    check_floats(s->geometry_to_joint[first->first_joint].m + 12, (const double[]){5, 6, 7, 1}, 4,
                 0);
    ck_assert_float_eq(s->geometry_to_joint[first->first_joint + 1].m[5], 2.0f);
    ck_assert_float_eq(s->geometry_to_joint[second->first_joint].m[0], 1.0f);
    ck_assert_float_eq(s->geometry_to_joint[second->first_joint].m[12], 0.0f);
    ck_assert_uint_eq(s->joints[first->first_joint], s->joints[second->first_joint + 1]);
    mrw_scene_free(s);
}
END_TEST

/* ---- scenes and nodes ------------------------------------------------------------------------ */

START_TEST(test_scene_choice)
{
    static const struct {
        const char *rest;
        uint32_t draws; /* node 0 has a child 1; both and node 2 draw the mesh */
    } cases[] = {{"", 3},
                 {",'scene':0", 3},
                 {",'scenes':[{'nodes':[2]}]", 1},
                 {",'scenes':[{'nodes':[2]},{'nodes':[0]}],'scene':1", 2},
                 {",'scenes':[{'nodes':[1]}]", 1},
                 {",'scenes':[{}]", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        PUT(float, TRIANGLE);
        mrw_scene *s = load(gltf(
            "],'accessors':[" A(
                0, 5126, 3, VEC3) "],'meshes':[{'primitives':"
                                  "[{'attributes':{'POSITION':0}}]}],'nodes':[{'mesh':0,'children':"
                                  "[1]},{'mesh':0},{'mesh':0}]%s",
            cases[i].rest));
        ck_assert_uint_eq(s->draws_count, cases[i].draws);
        ck_assert_uint_eq(s->nodes_count, 3);
        mrw_scene_free(s);
    }
}
END_TEST

START_TEST(test_node_transforms)
{
    reset();
    mrw_scene *s = load(
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"child\",\"translation\":[1,2,3"
        "],\"rotation\":[0,0,0,2],\"scale\":[4,5,-6]},{\"name\":\"root\",\"children\":[0],"
        "\"matrix\":[2,0,0,0,0,2,0,0,0,0,2,0,7,8,9,1]}]}");
    uint32_t child = s->nodes[0].parent == MRW_NONE ? 1 : 0; /* sorted parents first */
    ck_assert_uint_eq(child, 1);
    ck_assert_str_eq(mrw_scene_string(s, s->nodes[1].name), "child");
    ck_assert_uint_eq(s->nodes[1].parent, 0);
    check_floats(s->nodes[1].rest.translation, (const double[]){1, 2, 3}, 3, 0);
    check_floats(s->nodes[1].rest.rotation, (const double[]){0, 0, 0, 1}, 4, 0);
    check_floats(s->nodes[1].rest.scale, (const double[]){4, 5, -6}, 3, 0);
    check_floats(s->matrices[s->nodes[0].matrix].m + 12, (const double[]){7, 8, 9, 1}, 4, 0);
    mrw_scene_free(s);
}
END_TEST

START_TEST(test_cameras_and_lights)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(gltf(
        "],'cameras':[{'type':'perspective','name':'p','perspective':{'yfov':0.5,'znear':0.1,"
        "'aspectRatio':2}},{'type':'orthographic','orthographic':{'xmag':3,'ymag':2,'znear':0,"
        "'zfar':9}},{'type':'perspective','perspective':{'yfov':9,'znear':1}}],'extensions':"
        "{'KHR_lights_punctual':{'lights':[{'type':'spot','color':[1,0.5,0],'intensity':3,"
        "'range':7,'spot':{'innerConeAngle':0.25}}]}},'nodes':[{'camera':0},{'name':'n','camera':1"
        "},{'camera':2},{'extensions':{'KHR_lights_punctual':{'light':0}}}]"));
    ck_assert_uint_eq(s->cameras_count, 2);
    ck_assert_str_eq(mrw_scene_string(s, s->cameras[0].name), "p");
    ck_assert_float_eq(s->cameras[0].yfov, 0.5f);
    ck_assert_float_eq(s->cameras[0].aspect, 2.0f);
    ck_assert_float_eq(s->cameras[0].near_plane, 0.1f);
    ck_assert_float_eq(s->cameras[0].far_plane, 0.0f);
    ck_assert_str_eq(mrw_scene_string(s, s->cameras[1].name), "n");
    ck_assert_uint_eq(s->cameras[1].orthographic, 1);
    ck_assert_float_eq(s->cameras[1].xmag, 3.0f);
    ck_assert(has_warning(s, "camera 2"));
    ck_assert_uint_eq(s->lights_count, 1);
    ck_assert_uint_eq(s->lights[0].type, MRW_SCENE_LIGHT_SPOT);
    ck_assert_float_eq(s->lights[0].color[1], 0.5f);
    ck_assert_float_eq(s->lights[0].range, 7.0f);
    ck_assert_double_eq_tol((double)s->lights[0].outer_cone, 0.78539816, 1e-6);
    mrw_scene_free(s);
}
END_TEST

/* Lamps that no number makes sense of: left out, each by its number. JSON's 1e400 is infinite. */
START_TEST(test_broken_lights)
{
    static const char *const lights[] = {"'type':'point','intensity':1e400",
                                         "'type':'point','intensity':-1",
                                         "'type':'point','intensity':1e39",
                                         "'type':'point','color':[1e400,1,1]",
                                         "'type':'point','color':[1,-1,1]",
                                         "'type':'point','color':[1]",
                                         "'type':'point','range':-1",
                                         "'type':'point','range':-1e400",
                                         "'type':'area'",
                                         "'type':'spot','spot':{'innerConeAngle':1e400}",
                                         "'type':'point','intensity':'x'",
                                         "'type':'spot','spot':{'innerConeAngle':1}",
                                         "'type':'point','range':0"};
    const size_t count = sizeof lights / sizeof *lights;
    for (size_t i = 0; i < count; i++) {
        reset();
        PUT(float, 0);
        mrw_scene *s =
            load(gltf("],'extensions':{'KHR_lights_punctual':{'lights':[{'type':'point'},{%s}]}},"
                      "'nodes':[{'extensions':{'KHR_lights_punctual':{'light':0}}},"
                      "{'extensions':{'KHR_lights_punctual':{'light':1}}}]",
                      lights[i]));
        const bool good = i == count - 1; /* a range of 0 is none */
        ck_assert_msg(s->lights_count == (good ? 2 : 1), "%s", lights[i]);
        ck_assert_msg(has_warning(s, "light 1") == !good, "%s", lights[i]);
        mrw_scene_free(s);
    }
}
END_TEST

/* Nodes that name no lamp of the file: without one, and named. */
START_TEST(test_nodes_with_broken_lights)
{
    static const char *const nodes[] = {
        "{'KHR_lights_punctual':{'light':1}}", "{'KHR_lights_punctual':{'light':-1}}",
        "{'KHR_lights_punctual':{'light':'x'}}", "{'KHR_lights_punctual':'x'}"};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        reset();
        PUT(float, 0);
        mrw_scene *s =
            load(gltf("],'extensions':{'KHR_lights_punctual':{'lights':[{'type':'point'}]}},"
                      "'nodes':[{'extensions':{'KHR_lights_punctual':{'light':0}}},"
                      "{'extensions':%s}]",
                      nodes[i]));
        ck_assert_msg(s->lights_count == 1, "%s", nodes[i]);
        ck_assert_msg(has_warning(s, "node 1"), "%s", nodes[i]);
        ck_assert_uint_eq(s->lights[0].node, 0);
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- morph targets --------------------------------------------------------------------------- */

START_TEST(test_morph_targets)
{
    reset();
    PUT(float, TRIANGLE);
    PUT(float, 0, 0, 1, 0, 0, 1, 0, 0, 1);                /* 36: normals */
    PUT(int8_t, 127, 0, 0, 0, 0, 0, 0, 0, -127, 0, 0, 0); /* 72: deltas, stride 4 */
    PUT(float, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0);             /* 84 */
    mrw_scene *s =
        load(gltf(",{'buffer':0,'byteOffset':72,'byteLength':12,'byteStride':4}],'accessors':[" A(
            0, 5126, 3,
            VEC3) "," A(36, 5126, 3,
                        VEC3) ",{'bufferView':1,'componentType':5120,"
                              "'count':3,'type':'VEC3','normalized':true}," A(
                                  84, 5126, 3,
                                  VEC3) "],'meshes':[{'weights':"
                                        "[0.25,0.5],'extras':{'targetNames':['smile','frown']},'"
                                        "primitives':[{'attributes':"
                                        "{'POSITION':0,'NORMAL':1},'targets':[{'POSITION':2},{'"
                                        "NORMAL':3}]}]}],"
                                        "'nodes':[{'mesh':0},{'mesh':0,'weights':[-1,2]}]"));
    ck_assert_uint_eq(s->meshes[0].target_count, 2);
    const mrw_morph_target *t = &s->targets[s->meshes[0].first_target];
    ck_assert_str_eq(mrw_scene_string(s, t[0].name), "smile");
    ck_assert_str_eq(mrw_scene_string(s, t[1].name), "frown");
    ck_assert_uint_eq(t[0].entry_count, 2);
    ck_assert_uint_eq(s->morph_vertices[t[0].first_entry], corner(s, 0, 0));
    check_floats(s->morph_positions + 3 * (size_t)t[0].first_entry,
                 (const double[]){1, 0, 0, -1, 0, 0}, 6, 0);
    ck_assert_uint_eq(t[1].entry_count, 1);
    ck_assert_uint_eq(s->morph_vertices[t[1].first_entry], corner(s, 0, 1));
    check_floats(s->morph_normals + 3 * (size_t)t[1].normal, (const double[]){0, 0.5, 0}, 3, 0);
    check_floats(s->weights + s->nodes[0].first_weight, (const double[]){0.25, 0.5}, 2, 0);
    check_floats(s->weights + s->nodes[1].first_weight, (const double[]){-1, 2}, 2, 0);
    mrw_scene_free(s);
}
END_TEST

/* ---- animations ------------------------------------------------------------------------------ */

START_TEST(test_animations)
{
    reset();
    PUT(float, 0.5f, 2);                                              /* 0: times */
    PUT(float, 1, 2, 3, 4, 5, 6);                                     /* 8: translations */
    PUT(int16_t, 0, 0, 0, 32767, 0, 32767, 0, 0);                     /* 32: rotations */
    PUT(float, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6); /* 48: cubic scales */
    PUT(uint8_t, 0, 255, 51, 102);                                    /* 120: weights */
    PUT(float, TRIANGLE);                                             /* 124 */
    mrw_scene *s = load(gltf("],'accessors':[" A(0, 5126, 2, SCALAR) "," A(8, 5126, 2, VEC3) "," N(
        32, 5122, 2,
        VEC4) "," A(48, 5126, 6,
                    VEC3) "," A(120, 5121, 4,
                                SCALAR) "," A(124, 5126, 3,
                                              VEC3) "],"
                                                    "'meshes':[{'primitives':[{'attributes':{'"
                                                    "POSITION':5},'targets':[{'POSITION':5},"
                                                    "{'POSITION':5}]}]}],'nodes':[{'mesh':0}],'"
                                                    "animations':[{'name':'A','samplers':["
                                                    "{'input':0,'output':1,'interpolation':'STEP'},"
                                                    "{'input':0,'output':2},"
                                                    "{'input':0,'output':3,'interpolation':'"
                                                    "CUBICSPLINE'},{'input':0,'output':4}],"
                                                    "'channels':[{'sampler':0,'target':{'node':0,'"
                                                    "path':'translation'}},"
                                                    "{'sampler':1,'target':{'node':0,'path':'"
                                                    "rotation'}},"
                                                    "{'sampler':2,'target':{'node':0,'path':'scale'"
                                                    "}},"
                                                    "{'sampler':3,'target':{'node':0,'path':'"
                                                    "weights'}},"
                                                    "{'sampler':0,'target':{'path':'translation'}},"
                                                    "{'sampler':0,'target':{'path':'pointer','"
                                                    "extensions':{'KHR_animation_pointer':{}}}}]},"
                                                    "{'samplers':[],'channels':[]}]"));
    ck_assert_uint_eq(s->clips_count, 2);
    ck_assert_uint_eq(s->clips[0].channel_count, 4);
    ck_assert_double_eq(s->clips[0].start, 0);
    ck_assert_double_eq(s->clips[0].duration, 2);
    static const double values[4][18] = {{1, 2, 3, 4, 5, 6},
                                         {0, 0, 0, 1, 0, 1, 0, 0},
                                         {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6},
                                         {0, 1, 0.2, 0.4}};
    static const uint32_t interpolations[] = {MRW_INTERPOLATION_STEP, MRW_INTERPOLATION_LINEAR,
                                              MRW_INTERPOLATION_CUBICSPLINE,
                                              MRW_INTERPOLATION_LINEAR};
    static const int counts[] = {6, 8, 18, 4};
    for (uint32_t c = 0; c < 4; c++) {
        const mrw_channel *channel = &s->channels[s->clips[0].first_channel + c];
        ck_assert_uint_lt(channel->path, 4);
        ck_assert_uint_eq(channel->interpolation, interpolations[channel->path]);
        ck_assert_uint_eq(channel->key_count, 2);
        ck_assert_double_eq(s->key_times[channel->first_time], 0.5);
        ck_assert_double_eq(s->key_times[channel->first_time + 1], 2);
        check_floats(s->key_values + channel->first_value, values[channel->path],
                     counts[channel->path], 1e-7);
    }
    ck_assert(has_warning(s, "KHR_animation_pointer"));
    mrw_scene_free(s);
}
END_TEST

/* ---- materials ------------------------------------------------------------------------------- */

START_TEST(test_broken_numbers_of_materials)
{
    static const struct {
        const char *material, *warning;
    } cases[] = {
        {"'alphaMode':'MASK','alphaCutoff':1e400", "alphaCutoff"},
        {"'alphaMode':'MASK','alphaCutoff':-1", "alpha cutoff"},
        {"'pbrMetallicRoughness':{'baseColorFactor':[1e400,1,1,1]}", "baseColorFactor"},
        {"'pbrMetallicRoughness':{'baseColorFactor':[-1,1,1,1]}", "base colour"},
        {"'pbrMetallicRoughness':{'roughnessFactor':1e400}", "roughnessFactor"},
        {"'pbrMetallicRoughness':{'baseColorTexture':{'index':0,'extensions':"
         "{'KHR_texture_transform':{'scale':[1e400,1]}}}}",
         "scale"},
        {"'normalTexture':{'index':0,'scale':1e400}", "scale"},
        {"'occlusionTexture':{'index':0,'strength':-1}", "occlusion strength"},
        {"'emissiveFactor':[1,1,1],'extensions':{'KHR_materials_emissive_strength':"
         "{'emissiveStrength':1e400}}",
         "emissiveStrength"},
        {"'extensions':{'KHR_materials_ior':{'ior':-1}}", "index of refraction"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        PUT(float, 0);
        mrw_scene *s = load(gltf(
            "],'images':[{'uri':'data:image/png;base64," PNG_1X1 "'}],'textures':[{'source':0}],"
            "'materials':[{%s}],'accessors':[{'componentType':5126,'count':3,'type':'VEC3'}],"
            "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},"
            "'material':0}]}]",
            cases[i].material));
        ck_assert_msg(has_warning(s, cases[i].warning), "%s", cases[i].material);
        ck_assert_uint_eq(s->materials_count, 1);
        const mrw_material *m = &s->materials[0];
        ck_assert(m->alpha_cutoff >= 0 && m->alpha_cutoff <= 1);
        ck_assert(m->maps[MRW_MAP_BASE_COLOR].factor[0] <= 1);
        ck_assert(m->maps[MRW_MAP_BASE_COLOR].uv_transform[0] == 1);
        mrw_scene_free(s);
    }
}
END_TEST

START_TEST(test_materials)
{
    reset();
    PUT(float, 0);
    mrw_scene *s = load(gltf(
        "],'images':[{'uri':'data:image/png;base64," PNG_1X1 "','name':'i'}],'samplers':[{'wrapS':"
        "33071,'wrapT':33648,'magFilter':9728,'minFilter':9986}],'textures':[{'source':0,'sampler':"
        "0},{'source':0}],"
        "'materials':[{'name':'a','alphaMode':'MASK','alphaCutoff':0.3,'doubleSided':true,"
        "'pbrMetallicRoughness':{'baseColorFactor':[0.5,0.25,0.125,0.75],'baseColorTexture':"
        "{'index':0,'texCoord':1,'extensions':{'KHR_texture_transform':{'offset':[0.1,0.2],"
        "'rotation':1.5707963267948966,'scale':[2,3]}}}}},"
        "{'name':'b','alphaMode':'BLEND','extensions':{'KHR_materials_unlit':{},"
        "'KHR_materials_pbrSpecularGlossiness':{'diffuseFactor':[1,0,0,1],'diffuseTexture':"
        "{'index':1}}}}],'accessors':[{'componentType':5126,'count':3,'type':'VEC3'}],'meshes':"
        "[{'primitives':[{'attributes':{'POSITION':0},'material':0}]}],'nodes':[{'mesh':0}]"));
    ck_assert_uint_eq(s->materials_count, 2);
    ck_assert_uint_eq(s->images_count, 1);
    ck_assert_uint_eq(s->textures_count, 2);
    const mrw_material *a = &s->materials[0], *b = &s->materials[1];
    ck_assert_str_eq(mrw_scene_string(s, a->name), "a");
    ck_assert_uint_eq(a->alpha_mode, MRW_ALPHA_MASK);
    ck_assert_float_eq(a->alpha_cutoff, 0.3f);
    ck_assert_uint_eq(a->flags, MRW_MATERIAL_DOUBLE_SIDED);
    check_floats(a->maps[MRW_MAP_BASE_COLOR].factor, (const double[]){0.5, 0.25, 0.125, 0.75}, 4,
                 0);
    ck_assert_uint_eq(a->maps[MRW_MAP_BASE_COLOR].uv_set, 1);
    /* a quarter turn counter-clockwise with v down takes (u, v) to (v, -u) */
    check_floats(a->maps[MRW_MAP_BASE_COLOR].uv_transform, (const double[]){0, 3, 0.1, -2, 0, 0.2},
                 6, 1e-6);
    const mrw_texture *t = &s->textures[a->maps[MRW_MAP_BASE_COLOR].texture];
    ck_assert_uint_eq(t->wrap_u, MRW_WRAP_CLAMP);
    ck_assert_uint_eq(t->wrap_v, MRW_WRAP_MIRROR);
    ck_assert_uint_eq(t->nearest, 1);
    ck_assert_uint_eq(t->minify, MRW_MINIFY_NEAREST_MIPMAP_LINEAR);
    ck_assert_uint_eq(b->alpha_mode, MRW_ALPHA_BLEND);
    ck_assert_uint_eq(b->flags, MRW_MATERIAL_UNLIT);
    check_floats(b->maps[MRW_MAP_BASE_COLOR].factor, (const double[]){1, 0, 0, 1}, 4, 0);
    ck_assert_uint_eq(s->textures[b->maps[MRW_MAP_BASE_COLOR].texture].wrap_u, MRW_WRAP_REPEAT);
    ck_assert_uint_eq(s->images[0].width, 1);
    ck_assert_uint_eq(s->images[0].flags & MRW_IMAGE_MISSING, 0);
    mrw_scene_free(s);
}
END_TEST

/* What can be repaired is: the file loads, with a warning. */
START_TEST(test_repairs)
{
    reset();
    PUT(float, TRIANGLE);
    PUT(float, 0, 0, 1, NAN, 0, 1, 0, 0, 0);        /* 36: normals */
    PUT(float, 0, NAN, 1);                          /* 72: times */
    PUT(float, 1, 1, 1, 2, 2, 2, 3, 3, 3);          /* 84 */
    PUT(float, 0, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 4); /* 120: rotations */
    mrw_scene *s = load(gltf("],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5126, 3, VEC3) "," A(
        72, 5126, 3,
        SCALAR) "," A(84, 5126, 3,
                      VEC3) "," A(120, 5126, 3,
                                  VEC4) "],'meshes':[{'primitives':["
                                        "{'attributes':{'POSITION':0,'NORMAL':1}}]}]" ONE_NODE
                                        ",'animations':[{'samplers':["
                                        "{'input':2,'output':3},{'input':2,'output':4}],'channels':"
                                        "[{'sampler':0,'target':"
                                        "{'node':0,'path':'scale'}},{'sampler':1,'target':{'node':"
                                        "0,'path':'rotation'}}]}]"));
    ck_assert_uint_ge(s->warnings_count, 2);
    for (uint32_t k = 0; k < 3; k++) {
        CHECK_CORNER(s, normals, 3, normal, k, 0, 0, 1);
    }
    ck_assert_uint_eq(s->channels[0].key_count, 2);
    for (uint32_t c = 0; c < 2; c++) {
        if (s->channels[c].path == MRW_PATH_ROTATION) {
            check_floats(s->key_values + s->channels[c].first_value,
                         (const double[]){0, 0, 0, 1, 0, 0, 0, 1}, 8, 0);
        }
    }
    mrw_scene_free(s);
}
END_TEST

/* ---- EXT_meshopt_compression ----------------------------------------------------------------- */

START_TEST(test_meshopt_views)
{
    reset();
    static const float positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const unsigned list[6] = {0, 1, 2, 2, 1, 3};
    unsigned char vertices[512], triangles[512], sequence[512];
    size_t v = meshopt_encodeVertexBuffer(vertices, sizeof vertices, positions, 4, 12);
    size_t t = meshopt_encodeIndexBuffer(triangles, sizeof triangles, list, 6);
    size_t q = meshopt_encodeIndexSequence(sequence, sizeof sequence, list, 6);
    size_t v_at = put_bytes(vertices, v), t_at = put_bytes(triangles, t);
    size_t q_at = put_bytes(sequence, q);
#define VIEW(length)                                                                               \
    ",{'buffer':1,'byteLength':" #length ",'extensions':{'EXT_meshopt_compression':{'buffer':0,"   \
    "'byteOffset':%zu,'byteLength':%zu,"
    mrw_scene *s = load(
        gltf(VIEW(48) "'byteStride':12,'count':4,'mode':'ATTRIBUTES'}}}" VIEW(
                 12) "'byteStride':2,"
                     "'count':6,'mode':'TRIANGLES'}}}" VIEW(
                         24) "'byteStride':4,'count':6,'mode':'INDICES'}}}],"
                             "'accessors':[{'bufferView':1,'componentType':5126,'count':4,'type':'"
                             "VEC3'},"
                             "{'bufferView':2,'componentType':5123,'count':6,'type':'SCALAR'},"
                             "{'bufferView':3,'componentType':5125,'count':6,'type':'SCALAR'}],'"
                             "extensionsRequired':"
                             "['EXT_meshopt_compression'],'meshes':[{'primitives':[{'attributes':{'"
                             "POSITION':0},"
                             "'indices':2},{'attributes':{'POSITION':0},'indices':1}]}]" ONE_NODE,
             v_at, v, t_at, t, q_at, q));
    for (uint32_t k = 0; k < 6; k++) {
        CHECK_CORNER(s, positions, 3, position, k, list[k] & 1, list[k] >> 1, 0);
    }
    for (uint32_t k = 0; k < 6; k += 3) { /* the triangle coding may turn a triangle */
        uint32_t got[3], turn = 0;
        for (uint32_t c = 0; c < 3; c++) {
            const float *at =
                s->positions + 3 * (size_t)(s->meshes[1].position + corner(s, 1, k + c));
            got[c] = (uint32_t)at[0] + 2 * (uint32_t)at[1];
            turn = got[c] == list[k] ? c : turn;
        }
        for (uint32_t c = 0; c < 3; c++) {
            ck_assert_uint_eq(got[(turn + c) % 3], list[k + c]);
        }
    }
    mrw_scene_free(s);
}
END_TEST

static uint64_t random_state = 1;

static int random_int(int low, int high)
{
    return test_random_between(&random_state, low, high);
}

/* The specification's octahedral filter, in double. */
static void reference_octahedral(const int in[3], double max, double out[3])
{
    double x = (double)in[0] / in[2], y = (double)in[1] / in[2], z = 1 - fabs(x) - fabs(y);
    double t = z < 0 ? z : 0;
    x += x < 0 ? -t : t; /* t is negative: copysign(t, x) of the specification keeps |t| */
    y += y < 0 ? -t : t;
    double length = sqrt(x * x + y * y + z * z);
    out[0] = x / length * max;
    out[1] = y / length * max;
    out[2] = z / length * max;
}

START_TEST(test_meshopt_filters)
{
    for (int i = 0; i < TEST_ROUNDS(20000); i++) {
        int bits = random_int(4, 16), one = (1 << (bits - 1)) - 1;
        int x = random_int(-one, one), rest = one - abs(x), y = random_int(-rest, rest);
        if (i % 2 == 1) { /* the other hemisphere: |x| + |y| > 1 */
            y = random_int(0, 1) ? random_int(rest, one) : -random_int(rest, one);
        }
        double want[4];
        reference_octahedral((int[]){x, y, one}, 32767, want);
        int16_t wide[4] = {(int16_t)x, (int16_t)y, (int16_t)one, 77};
        mrwi_load_meshopt_octahedral16((uint8_t *)wide, 1);
        for (int c = 0; c < 3; c++) {
            ck_assert_double_eq_tol((double)wide[c], want[c], 0.51);
        }
        ck_assert_int_eq(wide[3], 77);
        if (bits <= 8) {
            reference_octahedral((int[]){x, y, one}, 127, want);
            int8_t narrow[4] = {(int8_t)x, (int8_t)y, (int8_t)one, 77};
            mrwi_load_meshopt_octahedral8((uint8_t *)narrow, 1);
            for (int c = 0; c < 3; c++) {
                ck_assert_double_eq_tol((double)narrow[c], want[c], 0.51);
            }
        }
        double q[4], sum = 0;
        int16_t quat[4];
        int largest = random_int(0, 3);
        for (int c = 0; c < 3; c++) {
            int value = random_int(-one / 2, one / 2);
            quat[c] = (int16_t)value;
            q[(largest + 1 + c) % 4] = (double)value / (one | 3) / sqrt(2);
            sum += q[(largest + 1 + c) % 4] * q[(largest + 1 + c) % 4];
        }
        q[largest] = sqrt(1 - sum);
        quat[3] = (int16_t)((one & ~3) | largest);
        mrwi_load_meshopt_quaternion((uint8_t *)quat, 1);
        for (int c = 0; c < 4; c++) {
            ck_assert_double_eq_tol((double)quat[c], q[c] * 32767, 0.52);
        }
        int mantissa = random_int(-8388608, 8388607), exponent = random_int(-100, 100);
        uint32_t packed = (uint32_t)exponent << 24 | ((uint32_t)mantissa & 0xffffff);
        float value;
        mrwi_load_meshopt_exponential((uint8_t *)&packed, 1);
        memcpy(&value, &packed, 4);
        ck_assert_double_eq((double)value, (double)(float)(mantissa * pow(2, exponent)));
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("load");
    TCase *tc = tcase_create("load");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_triangle_without_indices);
    tcase_add_test(tc, test_indices_and_modes);
    tcase_add_test(tc, test_primitives_of_a_mesh);
    tcase_add_test(tc, test_component_types);
    tcase_add_test(tc, test_quantized_interleaved);
    tcase_add_test(tc, test_unaligned_arrays);
    tcase_add_test(tc, test_sparse);
    tcase_add_test(tc, test_colors);
    tcase_add_test(tc, test_influences);
    tcase_add_test(tc, test_shared_mesh_two_skins);
    tcase_add_test(tc, test_scene_choice);
    tcase_add_test(tc, test_node_transforms);
    tcase_add_test(tc, test_cameras_and_lights);
    tcase_add_test(tc, test_morph_targets);
    tcase_add_test(tc, test_animations);
    tcase_add_test(tc, test_materials);
    tcase_add_test(tc, test_broken_numbers_of_materials);
    tcase_add_test(tc, test_broken_lights);
    tcase_add_test(tc, test_nodes_with_broken_lights);
    tcase_add_test(tc, test_repairs);
    tcase_add_test(tc, test_meshopt_views);
    tcase_add_test(tc, test_meshopt_filters);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
