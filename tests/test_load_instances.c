/* test_load_instances.c: EXT_mesh_gpu_instancing. Corners of all instances, by hand and by an
 * evaluator in double precision that turns each vertex with its instance's quaternion. */
#include "load_gltf.h"

#include <math.h>

#define EXTENSION(attributes)                                                                      \
    "'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{" attributes "}}}"

/* ---- the evaluator --------------------------------------------------------------------------- */

/* q v q*, for a quaternion of any length. */
static void turned(const double q[4], const double v[3], double out[3])
{
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double x = q[0] / n, y = q[1] / n, z = q[2] / n, w = q[3] / n;
    const double t[3] = {2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]),
                         2 * (x * v[1] - y * v[0])};
    out[0] = v[0] + w * t[0] + (y * t[2] - z * t[1]);
    out[1] = v[1] + w * t[1] + (z * t[0] - x * t[2]);
    out[2] = v[2] + w * t[2] + (x * t[1] - y * t[0]);
}

static void unit(double v[3])
{
    const double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) {
        v[i] /= n;
    }
}

static const float *position(const mrw_scene *s, uint32_t mesh, uint32_t k)
{
    return s->positions + 3 * (size_t)(s->meshes[mesh].position + corner(s, mesh, k));
}

static const float *normal(const mrw_scene *s, uint32_t k)
{
    return s->normals + 3 * (size_t)(s->meshes[0].normal + corner(s, 0, k));
}

/* ---- what is drawn --------------------------------------------------------------------------- */

/* Three instances by translations alone; the mesh is also drawn once by another node, below which
 * nothing changes. */
START_TEST(translations)
{
    reset();
    PUT(float, TRIANGLE);
    PUT(float, -3, 0, 0, 0, 5, 0, 3, 0, 7); /* 36 */
    mrw_scene *s = load(gltf("],'accessors':[" A(0, 5126, 3, VEC3) "," A(
        36, 5126, 3, VEC3) "],"
                           "'extensionsRequired':['EXT_mesh_gpu_instancing'],"
                           "'meshes':[{'name':'m','primitives':[{'attributes':{'POSITION':0}}]}],"
                           "'nodes':[{'name':'many','mesh':0," EXTENSION(
                               "'TRANSLATION':1") "},"
                                                  "{'name':'once','mesh':0}]"));
    ck_assert_uint_eq(s->draws_count, 2);
    ck_assert_uint_eq(s->warnings_count, 0);
    const uint32_t many = s->draws[0].node == 0 ? 0 : 1;
    const uint32_t mesh = s->draws[many].mesh, other = s->draws[1 - many].mesh;
    ck_assert_uint_eq(s->meshes[mesh].triangle_count, 3);
    ck_assert_uint_eq(s->meshes[other].triangle_count, 1);
    static const double want[3][3] = {{-3, 0, 0}, {0, 5, 0}, {3, 0, 7}};
    for (uint32_t i = 0; i < 3; i++) {
        const double *t = want[i];
        check_floats(position(s, mesh, 3 * i), t, 3, 0);
        check_floats(position(s, mesh, 3 * i + 1), (const double[]){t[0] + 1, t[1], t[2]}, 3, 0);
        check_floats(position(s, mesh, 3 * i + 2), (const double[]){t[0], t[1] + 1, t[2]}, 3, 0);
    }
    mrw_scene_free(s);
}
END_TEST

/* Rotations as floats of any length, normalized bytes and shorts, with scales of which one mirrors:
 * positions, normals, tangents, the order of corners, and differences of a morph target. */
static void check_rotations(int type)
{
    static const double q[2][4] = {{0.5, -0.25, 0.75, 0.375}, {-0.125, 0.5, 0.25, 0.75}};
    static const double t[2][3] = {{1, 2, 3}, {-4, 5, 6}}, sc[2][3] = {{2, 3, 0.5}, {1, -2, 4}};
    double filed[2][4];
    reset();
    PUT(float, TRIANGLE);                                    /* 0 */
    PUT(float, 0.6f, 0, 0.8f, 0.6f, 0, 0.8f, 0.6f, 0, 0.8f); /* 36: normals */
    PUT(float, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1);          /* 72: tangents */
    PUT(float, 1, 2, 3, -4, 5, 6);                           /* 120 */
    PUT(float, 2, 3, 0.5f, 1, -2, 4);                        /* 144 */
    PUT(float, 0.5f, 0.25f, 1, 0, 0, 0, 0, 0, 0);            /* 168: a morph's positions */
    PUT(float, 0, 0.5f, 0, 0, 0, 0, 0, 0, 0);                /* 204: its normals */
    for (int i = 0; i < 8; i++) {                            /* 240: not aligned between them */
        const double v = q[i / 4][i % 4];
        const float whole = (float)(3 * v);
        const int16_t word = (int16_t)lrint(v * 32767);
        const int8_t byte = (int8_t)lrint(v * 127);
        const size_t size = type == 5126 ? 4 : type == 5122 ? 2 : 1;
        memcpy(bin.data + bin.size,
               type == 5126   ? (const void *)&whole
               : type == 5122 ? (const void *)&word
                              : &byte,
               size);
        bin.size += size;
        filed[i / 4][i % 4] = type == 5126 ? v : type == 5122 ? word / 32767.0 : byte / 127.0;
    }
    mrw_scene *s = load(gltf(
        "],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5126, 3, VEC3) "," A(
            72, 5126, 3,
            VEC4) "," A(120, 5126, 2,
                        VEC3) "," A(144, 5126, 2,
                                    VEC3) "," A(168, 5126, 3,
                                                VEC3) "," A(204, 5126, 3,
                                                            VEC3) ",{'bufferView':0,'byteOffset':"
                                                                  "240,'componentType':%d,'count':"
                                                                  "2,"
                                                                  "'type':'VEC4'%s}],'images':[{'"
                                                                  "uri':'data:image/"
                                                                  "png;base64," PNG_1X1 "'}],"
                                                                  "'textures':[{'source':0}],'"
                                                                  "materials':[{'normalTexture':{'"
                                                                  "index':0}}],"
                                                                  "'meshes':[{'primitives':[{'"
                                                                  "material':0,'attributes':{'"
                                                                  "POSITION':0,'NORMAL':1,'TANGENT'"
                                                                  ":2},"
                                                                  "'targets':[{'POSITION':5,'"
                                                                  "NORMAL':6}]}]}],'nodes':[{'mesh'"
                                                                  ":0," EXTENSION(
                                                                      "'TRANSLATION':3,'SCALE':4,'"
                                                                      "ROTATION':7") "}]",
        type, type == 5126 ? "" : ",'normalized':true"));
    static const double corners[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    ck_assert_uint_eq(s->meshes[0].triangle_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t from = i == 1 && k > 0 ? 3 - k : k; /* the second one mirrors */
            const double *c = corners[from];
            const double in[3] = {sc[i][0] * c[0], sc[i][1] * c[1], sc[i][2] * c[2]};
            double out[3], up[3] = {0.6 / sc[i][0], 0, 0.8 / sc[i][2]};
            turned(filed[i], in, out);
            const double place[3] = {out[0] + t[i][0], out[1] + t[i][1], out[2] + t[i][2]};
            check_floats(position(s, 0, 3 * i + k), place, 3, 2e-6);
            turned(filed[i], up, up);
            unit(up);
            check_floats(normal(s, 3 * i + k), up, 3, 2e-6);
        }
    }
    const mrw_morph_target *target = &s->targets[s->meshes[0].first_target];
    ck_assert_uint_eq(target->entry_count, 2); /* one vertex per instance */
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t e = target->first_entry;
        e += s->morph_vertices[e] != corner(s, 0, 3 * i);
        ck_assert_uint_eq(s->morph_vertices[e], corner(s, 0, 3 * i));
        const double way[3] = {sc[i][0] * 0.5, sc[i][1] * 0.25, sc[i][2] * 1};
        double out[3];
        turned(filed[i], way, out);
        check_floats(s->morph_positions + 3 * (size_t)e, out, 3, 2e-6);
        /* The direction of normal plus difference is that of the whole, turned. */
        const float *n = normal(s, 3 * i);
        const float *d = s->morph_normals + 3 * (size_t)(target->normal + e - target->first_entry);
        double sum[3] = {(double)n[0] + (double)d[0], (double)n[1] + (double)d[1],
                         (double)n[2] + (double)d[2]};
        double want[3] = {0.6 / sc[i][0], 0.5 / sc[i][1], 0.8 / sc[i][2]};
        turned(filed[i], want, want);
        unit(sum);
        unit(want);
        for (int k = 0; k < 3; k++) {
            ck_assert_double_le(fabs(sum[k] - want[k]), 2e-6);
        }
    }
    const float *tangent = s->tangents + 4 * (size_t)(s->meshes[0].tangent + corner(s, 0, 3));
    double along[3] = {0, -2, 0};
    turned(filed[1], along, along);
    unit(along);
    check_floats(tangent, (const double[]){along[0], along[1], along[2], -1}, 4, 2e-6);
    mrw_scene_free(s);
}

START_TEST(rotations_of_all_types)
{
    static const int types[3] = {5126, 5120, 5122};
    check_rotations(types[_i]);
}
END_TEST

/* A scale of zero along z: normals stay finite, and point along it. */
START_TEST(flat_instances)
{
    reset();
    PUT(float, TRIANGLE);
    PUT(float, 0, 0, 1, 0, 0, 1, 0, 0, 1); /* 36 */
    PUT(float, 2, 2, 0, 0, 0, 0);          /* 72 */
    mrw_scene *s = load(gltf("],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5126, 3, VEC3) "," A(
        72, 5126, 2,
        VEC3) "],'meshes':[{'primitives':[{'attributes':{"
              "'POSITION':0,'NORMAL':1}}]}],'nodes':[{'mesh':0," EXTENSION("'SCALE':2") "}]"));
    check_floats(position(s, 0, 1), (const double[]){2, 0, 0}, 3, 0);
    check_floats(normal(s, 1), (const double[]){0, 0, 1}, 3, 0);
    mrw_scene_free(s);
}
END_TEST

/* An extension without attributes, and one on a skinned node: the mesh is drawn once. */
START_TEST(without_instances)
{
    reset();
    PUT(float, TRIANGLE);
    PUT(float, -3, 0, 0, 0, 5, 0);                    /* 36 */
    PUT(uint8_t, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0); /* 60 */
    PUT(float, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);   /* 72 */
    mrw_scene *s = load(gltf("],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5126, 2, VEC3) "," A(
        60, 5121, 3,
        VEC4) "," A(72, 5126, 3,
                    VEC4) "],"
                          "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':2,"
                          "'WEIGHTS_0':3}}]}],'skins':[{'joints':[2]}],"
                          "'nodes':[{'mesh':0,'skin':0," EXTENSION(
                              "'TRANSLATION':1") "},"
                                                 "{'mesh':0," EXTENSION(
                                                     "'_FEATURE_ID_0':1") "},{}]"));
    ck_assert_uint_eq(s->draws_count, 2);
    for (uint32_t i = 0; i < s->draws_count; i++) {
        ck_assert_uint_eq(s->meshes[s->draws[i].mesh].triangle_count, 1);
    }
    ck_assert(has_warning(s, "node 0 has a skin, so its mesh is drawn once"));
    mrw_scene_free(s);
}
END_TEST

/* ---- files that are refused ------------------------------------------------------------------ */

START_TEST(bad_instances)
{
    static const struct {
        const char *attributes, *says;
    } cases[] = {
        {"'TRANSLATION':2", "TRANSLATION of its instances, accessor 2, has the wrong type"},
        {"'ROTATION':1", "ROTATION of its instances, accessor 1, has the wrong type"},
        {"'SCALE':4", "SCALE of its instances, accessor 4, has the wrong type"},
        {"'TRANSLATION':9", "\"TRANSLATION\" is 9, but the file has 5 accessors"},
        {"'TRANSLATION':1,'SCALE':0", "has 3 elements, but another attribute has 2"},
        {"'TRANSLATION':3", "has values that are not finite"}};
    reset();
    PUT(float, TRIANGLE);
    PUT(float, -3, 0, 0, 0, 5, 0, 0, 0); /* 36 */
    PUT(float, NAN, 0, 0);               /* 68 */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *s = try_load(gltf(
            "],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5126, 2, VEC3) "," A(
                36, 5126, 2, VEC4) "," A(68, 5126, 1,
                                         VEC3) "," A(36, 5121, 2,
                                                     VEC3) "],'meshes':[{'primitives':[{"
                                                           "'attributes':{'POSITION':0}}]}],'nodes'"
                                                           ":[{'mesh':0," EXTENSION("%s") "}]",
            cases[i].attributes));
        ck_assert_ptr_null(s);
        ck_assert_int_eq(error.status, MRW_ERROR_INPUT);
        ck_assert_msg(strstr(error.text, cases[i].says), "%s", error.text);
    }
}
END_TEST

/* Ten million instances cost the file one accessor without data. */
START_TEST(many_instances)
{
    for (int i = 0; i < 2; i++) {
        reset();
        PUT(float, TRIANGLE);
        mrw_scene *s = try_load(gltf(
            "],'accessors':[" A(0, 5126, 3, VEC3) ",{'componentType':5126,'count':%s,'type':"
                                                  "'VEC3'}],'meshes':[{'primitives':[{'attributes':"
                                                  "{'POSITION':0}}]}],'nodes':[{"
                                                  "'mesh':0," EXTENSION("'TRANSLATION':1") "}]",
            i == 0 ? "10000000" : "4294967294"));
        ck_assert_ptr_null(s);
        ck_assert_int_eq(error.status, MRW_ERROR_INPUT);
        ck_assert_msg(strstr(error.text, "more than"), "%s", error.text);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("load_instances");
    TCase *tc = tcase_create("load_instances");
    tcase_add_test(tc, translations);
    tcase_add_loop_test(tc, rotations_of_all_types, 0, 3);
    tcase_add_test(tc, flat_instances);
    tcase_add_test(tc, without_instances);
    tcase_add_test(tc, bad_instances);
    tcase_add_test(tc, many_instances);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
