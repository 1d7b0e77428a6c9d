/* test_scene.c: the scene builder, its invariants, the validation of blobs, look-up by name. */
#include "test.h"

#include "base/memory.h"
#include "scene/blob.h"
#include "scene/builder.h"

#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- helpers --------------------------------------------------------------------------------- */

static const mrw_transform identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

static mrwi_builder *begin(void)
{
    mrwi_builder *b;
    ck_assert_int_eq(mrwi_builder_create("model.glb", "glb2", &b, NULL), MRW_OK);
    return b;
}

static mrw_scene *finish(mrwi_builder *b)
{
    mrw_scene *scene;
    mrw_error error = {0};
    mrw_status status = mrwi_builder_finish(b, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    mrwi_builder_free(b);
    return scene;
}

/* Expects finish to refuse with a message that contains `words`. */
static void finish_refused(mrwi_builder *b, const char *words)
{
    mrw_scene *scene;
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_builder_finish(b, &scene, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_null(scene);
    ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
    mrwi_builder_free(b);
}

static uint32_t add_node(mrwi_builder *b, const char *name, uint32_t parent)
{
    mrwi_node_input in = {.name = name, .parent = parent, .rest = identity};
    uint32_t index;
    ck_assert_int_eq(mrwi_builder_node(b, &in, &index, NULL), MRW_OK);
    return index;
}

static uint32_t add_scaled(mrwi_builder *b, uint32_t parent, float x, float y, float z)
{
    mrwi_node_input in = {.parent = parent, .rest = identity};
    in.rest.scale[0] = x;
    in.rest.scale[1] = y;
    in.rest.scale[2] = z;
    uint32_t index;
    ck_assert_int_eq(mrwi_builder_node(b, &in, &index, NULL), MRW_OK);
    return index;
}

static uint32_t add_mesh(mrwi_builder *b, const mrwi_mesh_input *in)
{
    uint32_t index;
    mrw_error error = {0};
    mrw_status status = mrwi_builder_mesh(b, in, &index, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return index;
}

static const char *string_at(const mrw_scene *s, uint32_t offset)
{
    return mrw_scene_string(s, offset);
}

static bool warned(const mrw_scene *s, const char *words)
{
    for (uint32_t i = 0; i < s->warnings_count; i++)
        if (strstr(string_at(s, s->warnings[i]), words))
            return true;
    return false;
}

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const float up_normals[9] = {0, 0, 1, 0, 0, 1, 0, 0, 1};

static mrwi_mesh_input triangle_mesh(void)
{
    return (mrwi_mesh_input){.name = "tri",
                             .material = MRW_NONE,
                             .vertex_count = 3,
                             .index_count = 3,
                             .positions = triangle,
                             .normals = up_normals};
}

static uint64_t random_state = 1;

static uint32_t random_u32(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 32);
}

static float random_unit(void)
{
    return (float)(random_u32() >> 8) / 16777216.0f;
}

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
    mrwi_builder *b = begin();
    /* push order: leaf(parent hip), other, hip(parent root), root, last(parent other) */
    add_node(b, "leaf", 2);
    add_node(b, "other", MRW_NONE);
    add_node(b, "hip", 3);
    add_node(b, "root", MRW_NONE);
    add_node(b, "last", 1);
    const uint32_t joints[] = {0, 2, 3};
    ck_assert_int_eq(mrwi_builder_skin(b, "skin", joints, NULL, 3, NULL, NULL), MRW_OK);
    mrwi_mesh_input mesh = triangle_mesh();
    add_mesh(b, &mesh);
    ck_assert_int_eq(mrwi_builder_draw(b, 4, 0, MRW_NONE, NULL), MRW_OK);
    mrw_scene_camera camera = {.node = 0, .yfov = 1, .near_plane = 0.1f};
    ck_assert_int_eq(mrwi_builder_camera(b, "cam", &camera, NULL), MRW_OK);
    mrw_scene_light light = {.node = 2, .color = {1, 1, 1}, .intensity = 1};
    ck_assert_int_eq(mrwi_builder_light(b, "sun", &light, NULL), MRW_OK);
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
    mrwi_builder *b = begin();
    const uint32_t parents[] = {MRW_NONE, 0, 0, 1, MRW_NONE, 2};
    for (uint32_t i = 0; i < 6; i++)
        add_node(b, "n", parents[i]);
    mrw_scene *s = finish(b);
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_uint_eq(s->nodes[i].parent, parents[i]);
    mrw_scene_free(s);
}
END_TEST

START_TEST(nodes_refused)
{
    mrwi_builder *b = begin();
    add_node(b, "a", 1);
    add_node(b, "b\x1b[2J", 2);
    add_node(b, "c", 1);
    finish_refused(b, "node 1 \"b\\x1B[2J\" is its own ancestor");
    b = begin();
    add_node(b, "self", 0);
    finish_refused(b, "node 0 \"self\" is its own ancestor");
    b = begin();
    add_node(b, "orphan", 7);
    finish_refused(b, "node 0 \"orphan\" has node 7 as parent");
    b = begin();
    mrwi_node_input in = {.parent = MRW_NONE, .rest = identity};
    in.rest.translation[1] = INFINITY;
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_builder_node(b, &in, NULL, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "model.glb: node 0: its transform is not finite");
    finish_refused(b, "earlier step");
}
END_TEST

START_TEST(node_transforms)
{
    mrwi_builder *b = begin();
    mrwi_node_input in = {.name = "m", .parent = MRW_NONE, .is_matrix = true};
    /* scale 2, 3, 4, then a quarter turn about z, then a move; the last row is off by rounding */
    const float m[16] = {0, 2, 0, 1e-7f, -3, 0, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1};
    memcpy(in.matrix.m, m, sizeof m);
    ck_assert_int_eq(mrwi_builder_node(b, &in, NULL, NULL), MRW_OK);
    mrwi_node_input zero = {.name = "z", .parent = MRW_NONE, .rest = identity};
    zero.rest.rotation[3] = 0;
    ck_assert_int_eq(mrwi_builder_node(b, &zero, NULL, NULL), MRW_OK);
    mrwi_node_input twice = {.name = "t", .parent = MRW_NONE, .rest = identity};
    twice.rest.rotation[3] = -2;
    ck_assert_int_eq(mrwi_builder_node(b, &twice, NULL, NULL), MRW_OK);
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

/* ---- welding --------------------------------------------------------------------------------- */

/* Two triangles of a square as six corners. */
static const float square[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};

static mrwi_mesh_input square_mesh(void)
{
    return (mrwi_mesh_input){
        .material = MRW_NONE, .vertex_count = 6, .index_count = 6, .positions = square};
}

static uint32_t vertices_of(const mrwi_mesh_input *in)
{
    mrwi_builder *b = begin();
    add_mesh(b, in);
    mrw_scene *s = finish(b);
    uint32_t count = s->meshes[0].vertex_count;
    mrw_scene_free(s);
    return count;
}

START_TEST(weld_looks_at_everything)
{
    float negative_zero[18], uv[12] = {0}, color[24] = {0}, move[18] = {0}, second[18] = {0};
    float normals[18], tangents[24];
    for (int i = 0; i < 6; i++) {
        normals[3 * i] = normals[3 * i + 1] = 0;
        normals[3 * i + 2] = 2; /* not unit on purpose */
        const float tangent[4] = {1, 0, 0, 1};
        memcpy(tangents + 4 * i, tangent, sizeof tangent);
    }
    mrwi_mesh_input in = square_mesh();
    ck_assert_uint_eq(vertices_of(&in), 4);
    memcpy(negative_zero, square, sizeof square);
    negative_zero[9] = negative_zero[11] = -0.0f;
    in.positions = negative_zero;
    ck_assert_uint_eq(vertices_of(&in), 4);
    in.positions = square;
    in.normals = normals;
    in.tangents = tangents;
    in.uvs[0] = in.uvs[1] = uv;
    in.colors = color;
    ck_assert_uint_eq(vertices_of(&in), 4);
    tangents[3 * 4 + 3] = -1; /* corner 3 was welded to corner 0 */
    ck_assert_uint_eq(vertices_of(&in), 5);
    tangents[3 * 4 + 3] = 1;
    uv[2 * 3] = 0.5f;
    ck_assert_uint_eq(vertices_of(&in), 5);
    uv[2 * 3] = 0;
    color[4 * 3] = 0.5f;
    ck_assert_uint_eq(vertices_of(&in), 5);
    color[4 * 3] = 0;
    mrwi_target_input targets[2] = {{.positions = move}, {.normals = second}};
    in.targets = targets;
    in.target_count = 2;
    ck_assert_uint_eq(vertices_of(&in), 4);
    move[9] = 1;
    ck_assert_uint_eq(vertices_of(&in), 5);
    move[9] = 0;
    second[9] = 1;
    ck_assert_uint_eq(vertices_of(&in), 5);
}
END_TEST

START_TEST(weld_influences)
{
    uint32_t joints[6] = {0};
    float weights[6] = {1, 1, 1, 1, 1, 1};
    mrwi_mesh_input in = square_mesh();
    in.influence_count = 1;
    in.joints = joints;
    in.weights = weights;
    in.joint_limit = 2;
    ck_assert_uint_eq(vertices_of(&in), 4);
    joints[3] = 1;
    ck_assert_uint_eq(vertices_of(&in), 5);
    joints[3] = 0;
    weights[3] = 0;
    ck_assert_uint_eq(vertices_of(&in), 5);
}
END_TEST

START_TEST(indices_and_unused)
{
    const float positions[15] = {NAN, 9, 9, 0, 0, 0, 1, 0, 0, 9, NAN, 9, 0, 1, 0};
    float normals[15] = {0};
    for (int i = 0; i < 5; i++)
        normals[3 * i + 2] = 1;
    const uint32_t indices[] = {4, 1, 2, 1, 1, 2, 2, 4, 1, 0};
    mrwi_mesh_input in = {.material = MRW_NONE,
                          .vertex_count = 5,
                          .indices = indices,
                          .index_count = 10,
                          .positions = positions,
                          .normals = normals};
    mrwi_builder *b = begin();
    add_mesh(b, &in);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 3);
    ck_assert_uint_eq(s->meshes[0].triangle_count, 2);
    ck_assert(warned(s, "mesh 0: its last triangle is incomplete"));
    const uint32_t expected[] = {2, 0, 1, 1, 2, 0};
    ck_assert_int_eq(memcmp(s->indices, expected, sizeof expected), 0);
    ck_assert_float_eq(s->positions[3], 1);
    ck_assert_uint_eq(s->meshes[0].flags, 0);
    mrw_scene_free(s);
}
END_TEST

static void mesh_refused(const mrwi_mesh_input *in, const char *text)
{
    mrwi_builder *b = begin();
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_builder_mesh(b, in, NULL, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, text);
    finish_refused(b, "earlier step");
}

START_TEST(meshes_refused)
{
    uint32_t indices[3] = {0, 1, 3};
    mrwi_mesh_input in = triangle_mesh();
    in.indices = indices;
    mesh_refused(&in, "model.glb: mesh 0 \"tri\": triangle 0 refers to vertex 3 of 3");
    in = triangle_mesh();
    in.index_count = 6;
    mesh_refused(&in, "model.glb: mesh 0 \"tri\": triangle 1 refers to vertex 3 of 3");
    float broken[9];
    memcpy(broken, triangle, sizeof broken);
    broken[7] = NAN;
    in = triangle_mesh();
    in.positions = broken;
    mesh_refused(&in, "model.glb: mesh 0 \"tri\": the position of vertex 2 is not finite");
    in = triangle_mesh();
    mrwi_target_input target = {.positions = broken};
    in.targets = &target;
    in.target_count = 1;
    mesh_refused(&in,
                 "model.glb: mesh 0 \"tri\": the morph target position of vertex 2 is not finite");
    const uint32_t joints[3] = {0, 5, 0};
    const float weights[3] = {1, 1, 1};
    in = triangle_mesh();
    in.influence_count = 1;
    in.joints = joints;
    in.weights = weights;
    in.joint_limit = 5;
    mesh_refused(&in, "model.glb: mesh 0 \"tri\": vertex 1 refers to joint 5 of a skin with 5");
    in = triangle_mesh();
    in.material = 0;
    mesh_refused(&in, "model.glb: mesh 0 \"tri\" refers to material 0, which is not there");
    in = triangle_mesh();
    in.index_count = 0x80000000u;
    mesh_refused(&in, "model.glb: mesh 0 \"tri\" has more than 2147483647 vertices or indices; "
                      "split it");
}
END_TEST

START_TEST(mesh_repairs)
{
    const float normals[9] = {0, 0, 0, 0, 0, NAN, 0, 0, 5};
    const float tangents[12] = {0, 0, 0, NAN, 3, 0, 0, -0.5f, 0, 1e-30f, 0, 1};
    const float uv[6] = {NAN, 1, 2, 3, 4, INFINITY};
    mrwi_mesh_input in = triangle_mesh();
    in.normals = normals;
    in.tangents = tangents;
    in.uvs[1] = uv;
    mrwi_builder *b = begin();
    add_mesh(b, &in);
    mrw_scene *s = finish(b);
    const mrw_mesh *m = &s->meshes[0];
    ck_assert_uint_eq(m->vertex_count, 3);
    for (int i = 0; i < 3; i++) /* the triangle lies in z = 0 */
        ck_assert_float_eq(s->normals[3 * i + 2], 1);
    ck_assert_float_eq(s->tangents[2], 0);
    ck_assert_float_eq(s->tangents[0] * s->tangents[0] + s->tangents[1] * s->tangents[1], 1);
    ck_assert_float_eq(s->tangents[3], 1);
    ck_assert_float_eq(s->tangents[4], 1);
    ck_assert_float_eq(s->tangents[7], -1);
    ck_assert_float_eq(s->tangents[9], 1);
    ck_assert_uint_eq(m->uv[0], MRW_NONE);
    const float expected_uv[] = {0, 1, 2, 3, 4, 0};
    ck_assert_int_eq(memcmp(s->uvs + 2 * m->uv[1], expected_uv, sizeof expected_uv), 0);
    ck_assert_uint_eq(s->warnings_count, 3);
    mrw_scene_free(s);
}
END_TEST

/* ---- influences ------------------------------------------------------------------------------ */

START_TEST(influences_cleaned)
{
    const uint32_t joints[15] = {/* repeated */ 3,
                                 1,
                                 3,
                                 99,
                                 0,
                                 /* none */ 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 /* ties, and a joint without weight out of range */ 2,
                                 1,
                                 0,
                                 99,
                                 4};
    const float weights[15] = {0.5f, 1.25f, 0.25f, 0, 0, 0, 0, -1, NAN, 0, 1, 1, 1, 0, 1};
    mrwi_mesh_input in = triangle_mesh();
    in.influence_count = 5;
    in.joints = joints;
    in.weights = weights;
    in.joint_limit = 5;
    mrwi_builder *b = begin();
    add_mesh(b, &in);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->groups_count, 3);
    const mrw_influence_group expected[3] = {{0, 1, 0, 0}, {1, 1, 2, 0}, {2, 1, 4, 2}};
    ck_assert_int_eq(memcmp(s->groups, expected, sizeof expected), 0);
    ck_assert_uint_eq(s->meshes[0].max_influences, 4);
    const uint16_t expected_joints[] = {1, 3, 0, 1, 2, 4};
    ck_assert_int_eq(memcmp(s->influence_joints, expected_joints, sizeof expected_joints), 0);
    const float expected_weights[] = {0.625f, 0.375f, 0.25f, 0.25f, 0.25f, 0.25f};
    ck_assert_int_eq(memcmp(s->influence_weights, expected_weights, sizeof expected_weights), 0);
    /* the vertex without influences came first */
    const uint32_t indices[] = {1, 0, 2};
    ck_assert_int_eq(memcmp(s->indices, indices, sizeof indices), 0);
    ck_assert(warned(s, "mesh 0 \"tri\": joint weights that are negative"));
    mrw_scene_free(s);
}
END_TEST

/* The weight of a joint at a vertex, in double. */
static double weight_of(const mrwi_mesh_input *in, uint32_t vertex, uint32_t joint)
{
    double sum = 0, found = 0;
    for (uint32_t i = 0; i < in->influence_count; i++) {
        double weight = in->weights[vertex * in->influence_count + i];
        sum += weight;
        found += in->joints[vertex * in->influence_count + i] == joint ? weight : 0;
    }
    return found / sum;
}

START_TEST(influences_random)
{
    enum { VERTICES = 300, SLOTS = 12, JOINTS = 20 };
    static float positions[VERTICES * 3], normals[VERTICES * 3], weights[VERTICES * SLOTS];
    static uint32_t joints[VERTICES * SLOTS];
    random_state = 7;
    for (int i = 0; i < VERTICES * 3; i++) {
        positions[i] = (float)i; /* all differ: nothing is welded */
        normals[i] = i % 3 == 1;
    }
    for (int i = 0; i < VERTICES * SLOTS; i++) {
        joints[i] = random_u32() % JOINTS;
        weights[i] = random_u32() % 3 ? random_unit() * (i % 5 ? 1.0f : 1e-20f) : 0.0f;
    }
    mrwi_mesh_input in = {.material = MRW_NONE,
                          .vertex_count = VERTICES,
                          .index_count = VERTICES,
                          .positions = positions,
                          .normals = normals,
                          .influence_count = SLOTS,
                          .joints = joints,
                          .weights = weights,
                          .joint_limit = JOINTS};
    mrwi_builder *b = begin();
    add_mesh(b, &in);
    mrw_scene *s = finish(b);
    uint32_t exact = 0;
    for (uint32_t g = 0; g < s->groups_count; g++)
        for (uint32_t k = 0; k < s->groups[g].vertex_count; k++) {
            uint32_t n = s->groups[g].influence_count;
            uint32_t source = (uint32_t)s->positions[3 * (s->groups[g].first_vertex + k)] / 3;
            const float *w = s->influence_weights + s->groups[g].first_influence + k * n;
            const uint16_t *j = s->influence_joints + s->groups[g].first_influence + k * n;
            float sum = 0;
            for (uint32_t i = 0; i < n; i++) {
                sum += w[i];
                ck_assert_double_eq_tol(w[i], weight_of(&in, source, j[i]), 3e-7);
                ck_assert(i == 0 || w[i] < w[i - 1] || (w[i] == w[i - 1] && j[i] > j[i - 1]));
            }
            exact += sum == 1.0f;
        }
    ck_assert_uint_ge(exact, VERTICES * 95 / 100);
    mrw_scene_free(s);
}
END_TEST

/* ---- normals --------------------------------------------------------------------------------- */

typedef struct shape {
    const float *positions;
    uint32_t vertex_count;
    const uint32_t *indices;
    uint32_t index_count;
} shape;

static mrw_scene *build_shape(const shape *in, bool flat)
{
    mrwi_mesh_input mesh = {.material = MRW_NONE,
                            .vertex_count = in->vertex_count,
                            .indices = in->indices,
                            .index_count = in->index_count,
                            .positions = in->positions,
                            .flat_normals = flat};
    mrwi_builder *b = begin();
    add_mesh(b, &mesh);
    return finish(b);
}

static const float octahedron[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
static const uint32_t octahedron_faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                              2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};

START_TEST(normals_flat_and_sharp)
{
    /* faces of an octahedron turn by 70.5 degrees: sharp either way */
    shape in = {octahedron, 6, octahedron_faces, 24};
    for (int flat = 0; flat < 2; flat++) {
        mrw_scene *s = build_shape(&in, flat);
        ck_assert_uint_eq(s->meshes[0].vertex_count, 24);
        ck_assert_uint_eq(s->meshes[0].flags, MRW_MESH_COMPUTED_NORMALS);
        for (uint32_t i = 0; i < 3; i++) /* the first face looks to +x +y +z */
            ck_assert_double_eq_tol(s->normals[3 * s->indices[0] + i], sqrt(1.0 / 3), 1e-6);
        mrw_scene_free(s);
    }
}
END_TEST

START_TEST(normals_smooth)
{
    /* an icosahedron's faces turn by 41.8 degrees: its normals are its directions */
    const float p = 1.618034f;
    const float positions[36] = {-1, p,  0,  1, p, 0,  -1, -p, 0,  1, -p, 0, 0,  -1, p,  0,  1, p,
                                 0,  -1, -p, 0, 1, -p, p,  0,  -1, p, 0,  1, -p, 0,  -1, -p, 0, 1};
    const uint32_t faces[60] = {0, 11, 5,  0, 5,  1, 0, 1, 7, 0, 7,  10, 0, 10, 11, 1, 5, 9, 5, 11,
                                4, 11, 10, 2, 10, 7, 6, 7, 1, 8, 3,  9,  4, 3,  4,  2, 3, 2, 6, 3,
                                6, 8,  3,  8, 9,  4, 9, 5, 2, 4, 11, 6,  2, 10, 8,  6, 7, 9, 8, 1};
    shape in = {positions, 12, faces, 60};
    mrw_scene *s = build_shape(&in, false);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 12);
    double radius = sqrt(1 + (double)p * p);
    for (uint32_t i = 0; i < 36; i++)
        ck_assert_double_eq_tol(s->normals[i], s->positions[i] / radius, 1e-5);
    mrw_scene_free(s);
    s = build_shape(&in, true);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 60);
    mrw_scene_free(s);
}
END_TEST

/* The sides of a prism with n sides. */
static mrw_scene *build_prism(uint32_t sides)
{
    float positions[6 * 64];
    uint32_t indices[6 * 64];
    for (uint32_t i = 0; i < sides; i++) {
        double angle = 2 * 3.14159265358979 * i / sides;
        for (uint32_t top = 0; top < 2; top++) {
            float *out = positions + 3 * (2 * i + top);
            out[0] = (float)cos(angle);
            out[1] = (float)sin(angle);
            out[2] = (float)top;
        }
        uint32_t a = 2 * i, b = 2 * ((i + 1) % sides);
        const uint32_t quad[6] = {a, b, b + 1, a, b + 1, a + 1};
        memcpy(indices + 6 * i, quad, sizeof quad);
    }
    shape in = {positions, 2 * sides, indices, 6 * sides};
    return build_shape(&in, false);
}

START_TEST(normals_at_sixty_degrees)
{
    mrw_scene *s = build_prism(6); /* exactly 60: smooth on all sides alike */
    ck_assert_uint_eq(s->meshes[0].vertex_count, 12);
    for (uint32_t v = 0; v < 12; v++)
        for (uint32_t i = 0; i < 2; i++)
            ck_assert_double_eq_tol(s->normals[3 * v + i], s->positions[3 * v + i], 1e-5);
    mrw_scene_free(s);
    s = build_prism(5); /* 72: sharp */
    ck_assert_uint_eq(s->meshes[0].vertex_count, 20);
    mrw_scene_free(s);
}
END_TEST

START_TEST(normals_at_a_pole)
{
    /* a blunt cone of 200 triangles around one apex, and a thin triangle upside down at it */
    enum { SIDES = 200 };
    float positions[3 * (SIDES + 3)];
    uint32_t indices[3 * (SIDES + 1)];
    for (uint32_t i = 0; i < SIDES; i++) {
        double angle = 2 * 3.14159265358979 * i / SIDES;
        positions[3 * i] = (float)cos(angle);
        positions[3 * i + 1] = (float)sin(angle);
        positions[3 * i + 2] = -0.5f;
        const uint32_t face[3] = {SIDES, i, (i + 1) % SIDES};
        memcpy(indices + 3 * i, face, sizeof face);
    }
    const float last[9] = {0, 0, 0, 0.1f, 1, 0, -0.1f, 1, 0};
    memcpy(positions + 3 * SIDES, last, sizeof last);
    const uint32_t face[3] = {SIDES, SIDES + 1, SIDES + 2};
    const uint32_t reversed[3] = {face[0], face[2], face[1]};
    memcpy(indices + 3 * SIDES, reversed, sizeof reversed);
    shape in = {positions, SIDES + 3, indices, 3 * (SIDES + 1)};
    mrw_scene *s = build_shape(&in, false);
    uint32_t apex = s->indices[0], under = s->indices[3 * SIDES];
    ck_assert_double_eq_tol(s->normals[3 * apex + 2], 1, 1e-5);
    ck_assert_double_eq_tol(s->normals[3 * under + 2], -1, 1e-5);
    mrw_scene_free(s);
}
END_TEST

START_TEST(normals_without_area)
{
    const float positions[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    shape in = {positions, 3, NULL, 3};
    mrw_scene *s = build_shape(&in, false);
    ck_assert_float_eq(s->normals[2], 1);
    mrw_scene_free(s);
}
END_TEST

/* ---- morph targets --------------------------------------------------------------------------- */

START_TEST(morph_targets_are_sparse)
{
    const float move[9] = {0, 0, 0, 0, 0, 2, -0.0f, 0, 0};
    const float turn[9] = {1, 0, 0, 0, 0, 0, 0, 0, 0};
    const mrwi_target_input targets[2] = {{"smile", move, NULL, turn}, {"open", NULL, turn, NULL}};
    mrwi_mesh_input in = triangle_mesh();
    in.targets = targets;
    in.target_count = 2;
    mrwi_builder *b = begin();
    add_mesh(b, &in);
    add_node(b, "face", MRW_NONE);
    ck_assert_int_eq(mrwi_builder_draw(b, 0, 0, MRW_NONE, NULL), MRW_OK);
    mrw_scene *s = finish(b);
    const mrw_morph_target *t = s->targets;
    ck_assert_str_eq(string_at(s, t[0].name), "smile");
    ck_assert_uint_eq(t[0].entry_count, 1);
    ck_assert_uint_eq(s->morph_vertices[t[0].first_entry], 1);
    ck_assert_float_eq(s->morph_positions[3 * t[0].first_entry + 2], 2);
    ck_assert_uint_eq(t[0].normal, MRW_NONE);
    ck_assert_uint_eq(t[0].tangent, MRW_NONE); /* the mesh has none to change */
    ck_assert_uint_eq(t[1].entry_count, 1);
    ck_assert_uint_eq(s->morph_vertices[t[1].first_entry], 0);
    ck_assert_float_eq(s->morph_positions[3 * t[1].first_entry], 0);
    ck_assert_float_eq(s->morph_normals[3 * t[1].normal], 1);
    ck_assert_uint_eq(s->nodes[0].weight_count, 2); /* made by the builder */
    ck_assert_float_eq(s->weights[s->nodes[0].first_weight + 1], 0);
    mrw_scene_free(s);
}
END_TEST

/* ---- clips ----------------------------------------------------------------------------------- */

static void add_clip(mrwi_builder *b, const char *name, double start)
{
    ck_assert_int_eq(mrwi_builder_clip(b, name, start, NULL), MRW_OK);
}

static void add_channel(mrwi_builder *b, const mrwi_channel_input *in)
{
    mrw_error error = {0};
    mrw_status status = mrwi_builder_channel(b, in, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
}

static mrwi_channel_input linear(uint32_t node, mrw_path path, uint32_t width, uint32_t keys,
                                 const double *times, const float *values)
{
    return (mrwi_channel_input){node, path, MRW_INTERPOLATION_LINEAR, width, keys, times, values};
}

START_TEST(keys_sorted_and_cleaned)
{
    const double times[] = {3, 1, 2, NAN, 1, 1e300, 5};
    const float values[] = {30, 0, 0, 10, 0, 0, 20, 0, 0, 99, 0, 0, 1, 1, 1, 0, 0, 0, NAN, 0, 0};
    mrwi_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    add_clip(b, "Walk", 0.5);
    mrwi_channel_input in = linear(0, MRW_PATH_TRANSLATION, 3, 7, times, values);
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
    mrwi_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    add_node(b, "m", MRW_NONE);
    add_clip(b, "", 0);
    mrwi_channel_input in = linear(0, MRW_PATH_ROTATION, 4, 4, times, values);
    add_channel(b, &in);
    in.node = 1;
    in.interpolation = MRW_INTERPOLATION_STEP;
    add_channel(b, &in);
    mrw_scene *s = finish(b);
    const float expected[] = {0, 0, 0, 1, 0, 0, 0.6f, 0.8f, 0, 0, 1, 0};
    ck_assert_uint_eq(s->channels[0].key_count, 3); /* a quaternion without direction went */
    for (int i = 0; i < 12; i++)
        ck_assert_double_eq_tol(s->key_values[i], expected[i], 1e-7);
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
    mrwi_builder *b = begin();
    add_node(b, "child", 1);
    add_node(b, "parent", MRW_NONE);
    add_clip(b, "A", 0);
    mrwi_channel_input in = linear(0, MRW_PATH_SCALE, 3, 2, times, ones);
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
    ck_assert(warned(s, "weights of node 0 \"parent\": it has 2 weights a key where the node "
                        "has 0; it was left out"));
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
    for (int i = 0; i < 18; i++)
        values[i] = (float)i;
    mrwi_builder *b = begin();
    mrwi_node_input node = {.parent = MRW_NONE, .rest = identity};
    node.weights = node_weights;
    node.weight_count = 2;
    ck_assert_int_eq(mrwi_builder_node(b, &node, NULL, NULL), MRW_OK);
    add_clip(b, "A", 0);
    mrwi_channel_input in = linear(0, MRW_PATH_WEIGHTS, 3, 2, times, values);
    in.interpolation = MRW_INTERPOLATION_CUBICSPLINE;
    add_channel(b, &in);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->channels[0].width, 2);
    const float expected[] = {0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16};
    ck_assert_uint_eq(s->key_values_count, 12);
    ck_assert_int_eq(memcmp(s->key_values, expected, sizeof expected), 0);
    ck_assert_float_eq(s->weights[1], 0.25f);
    ck_assert(warned(s, "the others were cut"));
    mrw_scene_free(s);
}
END_TEST

START_TEST(clip_names)
{
    const char *full[] = {"Armature|Walk", "Run",      "",      "a|Idle",
                          "b|Idle",        "x|y|Wave", "Tail|", "Run"};
    const char *shown[] = {"Walk", "Run", "clip_2", "a|Idle", "b|Idle", "Wave", "Tail|", "Run"};
    mrwi_builder *b = begin();
    for (size_t i = 0; i < COUNT(full); i++)
        add_clip(b, full[i], 0);
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
    mrwi_builder *b = begin();
    add_clip(b, "A", 0);
    mrwi_channel_input in = linear(3, MRW_PATH_SCALE, 3, 1, &time, value);
    add_channel(b, &in);
    finish_refused(b, "clip 0 \"A\": scale of node 3, which is not there");
    b = begin();
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_builder_clip(b, "A", NAN, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "model.glb: clip 0 \"A\": its start is not finite");
    mrwi_builder_free(b);
}
END_TEST

/* ---- looks ----------------------------------------------------------------------------------- */

START_TEST(looks_once)
{
    const uint8_t red[8] = {255, 0, 0, 255, 255, 0, 0, 255};
    const uint8_t glass[8] = {255, 0, 0, 255, 255, 0, 0, 254};
    mrwi_builder *b = begin();
    uint32_t i[6];
    mrwi_image_input image = {"skin", "a.png", 2, 1, red};
    mrwi_builder_image(b, &image, &i[0], NULL);
    mrwi_builder_image(b, &image, &i[1], NULL);
    image.rgba = glass;
    mrwi_builder_image(b, &image, &i[2], NULL);
    image = (mrwi_image_input){"lost", "b.png", 0, 0, NULL};
    mrwi_builder_image(b, &image, &i[3], NULL);
    image = (mrwi_image_input){"in", NULL, 1, 2, red};
    mrwi_builder_image(b, &image, &i[4], NULL);
    ck_assert(i[0] == 0 && i[1] == 0 && i[2] == 1 && i[3] == 2 && i[4] == 3);
    mrw_texture texture = {.name = 77, .image = 0, .wrap_u = MRW_WRAP_CLAMP, .nearest = 5};
    mrwi_builder_texture(b, "t", &texture, &i[0], NULL);
    texture.name = 78;
    texture.nearest = 1;
    mrwi_builder_texture(b, "t", &texture, &i[1], NULL);
    mrwi_builder_texture(b, "u", &texture, &i[2], NULL);
    ck_assert(i[0] == 0 && i[1] == 0 && i[2] == 1);
    mrw_material material = {.base_color = {1, 2, -1, 1},
                             .base_color_texture = {1, 0, {1, 0, 0, 0, 1, 0}}};
    mrwi_builder_material(b, "m", &material, &i[0], NULL);
    mrwi_builder_material(b, "m", &material, &i[1], NULL);
    material.flags = MRW_MATERIAL_UNLIT;
    mrwi_builder_material(b, "m", &material, &i[2], NULL);
    ck_assert(i[0] == 0 && i[1] == 0 && i[2] == 1);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->images_count, 4);
    ck_assert_uint_eq(s->images[0].flags, 0);
    ck_assert_uint_eq(s->images[1].flags, MRW_IMAGE_ALPHA);
    ck_assert_uint_eq(s->images[2].flags, MRW_IMAGE_MISSING);
    ck_assert_str_eq(string_at(s, s->images[2].path), "b.png");
    ck_assert_uint_eq(s->images[3].flags, MRW_IMAGE_EMBEDDED);
    const uint8_t *checker = s->texels + 4 * s->images[2].first_texel;
    ck_assert_int_ne(memcmp(checker, checker + 4 * 8, 4), 0);
    ck_assert_float_eq(s->materials[0].base_color[1], 1);
    ck_assert_float_eq(s->materials[0].base_color[2], 0);
    ck_assert_str_eq(string_at(s, s->textures[0].name), "t");
    mrw_scene_free(s);
}
END_TEST

START_TEST(looks_refused)
{
    mrwi_builder *b = begin();
    mrw_error error = {0};
    uint32_t index;
    mrw_texture texture = {.image = 0};
    ck_assert_int_eq(mrwi_builder_texture(b, "t", &texture, &index, &error), MRW_ERROR_INPUT);
    mrw_material material = {.base_color_texture = {0, 0, {1, 0, 0, 0, 1, 0}}};
    ck_assert_int_eq(mrwi_builder_material(b, "m", &material, &index, &error), MRW_ERROR_INPUT);
    material.base_color_texture.texture = MRW_NONE;
    material.base_color_texture.uv_transform[2] = NAN;
    ck_assert_int_eq(mrwi_builder_material(b, "m", &material, &index, &error), MRW_ERROR_INPUT);
    const uint8_t rgba[4] = {0};
    mrwi_image_input image = {"big", NULL, 65537, 1, rgba};
    ck_assert_int_eq(mrwi_builder_image(b, &image, &index, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text,
                     "model.glb: image 0 \"big\" is 65537x1 texels; a side has 1 to 65536");
    mrwi_builder_free(b);
}
END_TEST

START_TEST(odd_cameras_and_lights_left_out)
{
    mrwi_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    mrw_scene_camera camera = {.yfov = 0, .near_plane = 1};
    mrwi_builder_camera(b, "flat", &camera, NULL);
    camera.yfov = 1;
    camera.far_plane = 0.5f;
    mrwi_builder_camera(b, "inside out", &camera, NULL);
    camera.far_plane = 0;
    mrwi_builder_camera(b, "good", &camera, NULL);
    mrw_scene_light light = {.intensity = NAN};
    mrwi_builder_light(b, "nan", &light, NULL);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->cameras_count, 1);
    ck_assert_str_eq(string_at(s, s->cameras[0].name), "good");
    ck_assert_uint_eq(s->lights_count, 0);
    ck_assert_uint_eq(s->warnings_count, 3);
    mrw_scene_free(s);
}
END_TEST

/* ---- draws and scales ------------------------------------------------------------------------ */

static mrwi_mesh_input skinned_triangle(void)
{
    static const uint32_t joints[3] = {0, 1, 1};
    static const float weights[3] = {1, 1, 1};
    mrwi_mesh_input in = triangle_mesh();
    in.influence_count = 1;
    in.joints = joints;
    in.weights = weights;
    in.joint_limit = 2;
    return in;
}

static mrwi_builder *begin_skinned(uint32_t meshes)
{
    mrwi_builder *b = begin();
    add_node(b, "a", MRW_NONE);
    add_node(b, "b", 0);
    const uint32_t joints[2] = {0, 1};
    ck_assert_int_eq(mrwi_builder_skin(b, "s", joints, NULL, 2, NULL, NULL), MRW_OK);
    mrwi_mesh_input in = skinned_triangle();
    for (uint32_t i = 0; i < meshes; i++)
        add_mesh(b, &in);
    return b;
}

START_TEST(skinned_mesh_drawn_rigidly)
{
    mrwi_builder *b = begin_skinned(3);
    mrwi_builder_draw(b, 0, 0, MRW_NONE, NULL); /* only rigid: loses its influences */
    mrwi_builder_draw(b, 0, 1, 0, NULL);        /* both: gets a rigid copy */
    mrwi_builder_draw(b, 1, 1, MRW_NONE, NULL);
    mrwi_builder_draw(b, 1, 2, 0, NULL); /* only skinned: stays */
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
    mrwi_builder *b = begin_skinned(1);
    mrwi_builder_draw(b, 1, 1, MRW_NONE, NULL);
    finish_refused(b, "node 1 \"b\" draws mesh 1 of 1");
    b = begin_skinned(1);
    mrwi_builder_draw(b, 1, 0, 3, NULL);
    finish_refused(b, "is drawn with skin 3 of 1");
    b = begin_skinned(1);
    mrwi_builder_draw(b, 2, 0, 0, NULL);
    finish_refused(b, "draw 0 refers to node 2 of 2");
    b = begin_skinned(1);
    const uint32_t joint = 1;
    mrwi_builder_skin(b, "small", &joint, NULL, 1, NULL, NULL);
    mrwi_builder_draw(b, 1, 0, 1, NULL);
    finish_refused(b, "mesh 0 refers to joint 1 of a skin with 1");
    b = begin_skinned(0);
    mrwi_mesh_input in = triangle_mesh();
    add_mesh(b, &in);
    in.vertex_count = in.index_count = 0;
    in.positions = in.normals = NULL;
    add_mesh(b, &in);
    mrwi_builder_draw(b, 0, 1, MRW_NONE, NULL);
    mrwi_builder_draw(b, 0, 0, 0, NULL);
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
    mrwi_builder *b = begin();
    add_scaled(b, MRW_NONE, x, y, z);
    add_node(b, "child", 0);
    mrwi_mesh_input in = triangle_mesh();
    add_mesh(b, &in);
    mrwi_builder_draw(b, 1, 0, MRW_NONE, NULL);
    mrw_scene *s = finish(b);
    bool flag = s->meshes[0].flags & MRW_MESH_NONUNIFORM;
    mrw_scene_free(s);
    return flag;
}

/* The same for a scale channel on the joint of a skinned mesh. */
static bool animated_nonuniform(mrw_interpolation interpolation, const float *values)
{
    const double times[] = {0, 1};
    mrwi_builder *b = begin_skinned(1);
    add_scaled(b, MRW_NONE, 1, 2, 3); /* where the mesh hangs, which a skin ignores */
    mrwi_builder_draw(b, 2, 0, 0, NULL);
    add_clip(b, "A", 0);
    mrwi_channel_input in = linear(0, MRW_PATH_SCALE, 3, 2, times, values);
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
    mrwi_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    const uint32_t joints[2] = {0, 0};
    const mrw_mat4 matrices[2] = {*geometry_to_joint, *geometry_to_joint};
    ck_assert_int_eq(mrwi_builder_skin(b, "s", joints, matrices, 2, NULL, NULL), MRW_OK);
    mrwi_mesh_input in = skinned_triangle();
    add_mesh(b, &in);
    mrwi_builder_draw(b, 0, 0, 0, NULL);
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

/* ---- a scene with everything ----------------------------------------------------------------- */

#define TRY(call)                                                                                  \
    if (!status)                                                                                   \
        status = (call);

static mrw_status fill_geometry(mrwi_builder *b, mrw_error *error)
{
    static const float uv[6] = {0, 0, 1, 0, 0, 1}, move[9] = {0, 0, 1}, color[12] = {1};
    static const float tangents[12] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
    static const uint32_t joints[9] = {0, 1, 0, 1, 0, 0, 0, 0, 0};
    static const float weights[9] = {0.3f, 0.7f, 0, 1, 0, 0, 0.1f, 0.1f, 0};
    const mrwi_target_input target = {"up", move, move, move};
    mrwi_mesh_input in = triangle_mesh();
    in.material = 0;
    in.uvs[0] = in.uvs[1] = uv;
    in.colors = color;
    in.tangents = tangents;
    in.influence_count = 3;
    in.joints = joints;
    in.weights = weights;
    in.joint_limit = 2;
    in.targets = &target;
    in.target_count = 1;
    mrw_status status = mrwi_builder_mesh(b, &in, NULL, error);
    mrwi_mesh_input plain = square_mesh();
    TRY(mrwi_builder_mesh(b, &plain, NULL, error));
    const uint32_t skin_joints[2] = {0, 2};
    TRY(mrwi_builder_skin(b, "skin", skin_joints, NULL, 2, NULL, error));
    TRY(mrwi_builder_draw(b, 2, 0, 0, error));
    TRY(mrwi_builder_draw(b, 1, 0, MRW_NONE, error));
    TRY(mrwi_builder_draw(b, 1, 1, MRW_NONE, error));
    return status;
}

static mrw_status fill_clips(mrwi_builder *b, mrw_error *error)
{
    static const double times[3] = {0.5, 0.25, 1};
    static const float turns[12] = {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0}, weights[3] = {0, 1, 0};
    mrw_status status = mrwi_builder_clip(b, "Armature|Walk", 0.25, error);
    mrwi_channel_input in = linear(2, MRW_PATH_ROTATION, 4, 3, times, turns);
    TRY(mrwi_builder_channel(b, &in, error));
    in = linear(1, MRW_PATH_WEIGHTS, 1, 3, times, weights);
    TRY(mrwi_builder_channel(b, &in, error));
    TRY(mrwi_builder_clip(b, "Run", 0, error));
    in = linear(1, MRW_PATH_SCALE, 3, 1, times, turns);
    in.interpolation = MRW_INTERPOLATION_CUBICSPLINE;
    TRY(mrwi_builder_channel(b, &in, error));
    return status;
}

static mrw_status fill_looks(mrwi_builder *b, mrw_error *error)
{
    static const uint8_t rgba[16] = {1, 2, 3, 4};
    const mrwi_image_input image = {"img", "i.png", 2, 2, rgba};
    const mrw_texture texture = {.image = 0};
    const mrw_material material = {.alpha_mode = MRW_ALPHA_MASK,
                                   .alpha_cutoff = 0.5f,
                                   .base_color = {1, 1, 1, 1},
                                   .base_color_texture = {0, 1, {1, 0, 0, 0, 1, 0}}};
    const mrw_scene_camera camera = {.node = 1, .yfov = 1, .near_plane = 0.1f};
    const mrw_scene_light light = {.node = 2, .color = {1, 1, 1}, .intensity = 3, .outer_cone = 1};
    uint32_t index;
    mrw_status status = mrwi_builder_image(b, &image, &index, error);
    TRY(mrwi_builder_texture(b, "tex", &texture, &index, error));
    TRY(mrwi_builder_material(b, "mat", &material, &index, error));
    TRY(mrwi_builder_camera(b, "cam", &camera, error));
    TRY(mrwi_builder_light(b, "lamp", &light, error));
    return status;
}

static mrw_status build_everything(const char *format, const char *root, const char *warning,
                                   mrw_scene **out, mrw_error *error)
{
    mrwi_builder *b;
    *out = NULL;
    mrw_status status = mrwi_builder_create("all.glb", format, &b, error);
    if (status)
        return status;
    const float weight = 0.5f;
    mrwi_node_input leaf = {.name = "leaf", .parent = 1, .rest = identity};
    mrwi_node_input top = {.name = root, .parent = MRW_NONE, .is_matrix = true};
    top.matrix = (mrw_mat4){{1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    top.weights = &weight;
    top.weight_count = 1;
    mrwi_node_input mid = {.name = "mid", .parent = 1, .rest = identity};
    if (warning)
        mrwi_builder_warn(b, "%s", warning);
    TRY(mrwi_builder_node(b, &leaf, NULL, error));
    TRY(mrwi_builder_node(b, &top, NULL, error));
    TRY(mrwi_builder_node(b, &mid, NULL, error));
    TRY(fill_looks(b, error));
    TRY(fill_geometry(b, error));
    TRY(fill_clips(b, error));
    TRY(mrwi_builder_finish(b, out, error));
    mrwi_builder_free(b);
    return status;
}

static mrw_scene *everything(const char *format, const char *root, const char *warning)
{
    mrw_scene *s;
    mrw_error error = {0};
    mrw_status status = build_everything(format, root, warning, &s, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return s;
}

START_TEST(hash_is_of_the_scene)
{
    mrw_scene *s = everything("glb2", "root", NULL);
    mrw_scene *same = everything("gltf2", "root", "a texture is missing");
    mrw_scene *other = everything("glb2", "Root", NULL);
    ck_assert_int_eq(memcmp(s->hash, same->hash, 32), 0);
    ck_assert_int_ne(memcmp(s->hash, other->hash, 32), 0);
    char text[65];
    mrw_scene_hash_text(s, text);
    ck_assert_uint_eq(strlen(text), 64);
    ck_assert_uint_eq(strspn(text, "0123456789abcdef"), 64);
    ck_assert_str_eq(string_at(same, same->warnings[0]), "a texture is missing");
    ck_assert_str_eq(string_at(same, same->format), "gltf2");
    mrw_scene_free(s);
    mrw_scene_free(same);
    mrw_scene_free(other);
}
END_TEST

START_TEST(warnings_once_and_few)
{
    mrwi_builder *b = begin();
    for (int i = 0; i < 3; i++)
        mrwi_builder_warn(b, "the %s", "same\n");
    for (int i = 0; i < 1000; i++)
        mrwi_builder_warn(b, "number %d", i);
    mrw_scene *s = finish(b);
    ck_assert_str_eq(string_at(s, s->warnings[0]), "the same\\x0A");
    ck_assert_str_eq(string_at(s, s->warnings[1]), "number 0");
    ck_assert_uint_eq(s->warnings_count, 201);
    ck_assert_str_eq(string_at(s, s->warnings[200]), "801 more warnings were left out");
    mrw_scene_free(s);
}
END_TEST

/* Every allocation of the whole build may fail: a status, no crash, no leak. */
START_TEST(out_of_memory)
{
    uint32_t failures = 0;
    for (uint32_t n = 1; n < 10000; n++) {
        mrw_scene *s;
        mrw_error error = {0};
        mrwi_alloc_fail_at(n);
        mrw_status status = build_everything("glb2", "root", "careful", &s, &error);
        mrwi_alloc_fail_at(0);
        if (!status) {
            mrw_scene_free(s);
            break;
        }
        ck_assert_int_eq(status, MRW_ERROR_MEMORY);
        ck_assert_ptr_null(s);
        failures++;
    }
    ck_assert_uint_gt(failures, 50);
    ck_assert_uint_lt(failures, 9999);
}
END_TEST

/* ---- blobs ----------------------------------------------------------------------------------- */

static void *copy_blob(const mrw_scene *s, uint64_t size)
{
    void *blob = mrwi_alloc((size_t)size, 1);
    memcpy(blob, s->blob, (size_t)(size < s->blob_size ? size : s->blob_size));
    return blob;
}

/* Follows every reference the engine would follow; sanitizers and assertions watch. */
static double walk_mesh(const mrw_scene *s, const mrw_mesh *m)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3 * m->triangle_count; i++)
        sum += s->positions[3 * (m->position + s->indices[m->first_index + i])];
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        sum += s->normals[3 * (m->normal + v)];
        sum += m->tangent == MRW_NONE ? 0 : s->tangents[4 * (m->tangent + v)];
        for (int set = 0; set < 2; set++)
            sum += m->uv[set] == MRW_NONE ? 0 : s->uvs[2 * (m->uv[set] + v)];
        sum += m->color == MRW_NONE ? 0 : s->colors[4 * (m->color + v)];
    }
    for (uint32_t t = 0; t < m->target_count; t++) {
        const mrw_morph_target *target = &s->targets[m->first_target + t];
        for (uint32_t e = 0; e < target->entry_count; e++) {
            ck_assert_uint_lt(s->morph_vertices[target->first_entry + e], m->vertex_count);
            sum += s->morph_positions[3 * (target->first_entry + e)];
        }
    }
    return sum;
}

static double walk_draw(const mrw_scene *s, const mrw_draw *draw)
{
    const mrw_mesh *m = &s->meshes[draw->mesh];
    double sum = walk_mesh(s, m);
    for (uint32_t t = 0; t < m->target_count; t++)
        sum += s->weights[s->nodes[draw->node].first_weight + t];
    for (uint32_t g = 0; g < m->group_count; g++) {
        const mrw_influence_group *group = &s->groups[m->first_group + g];
        for (uint32_t i = 0; i < group->vertex_count * group->influence_count; i++) {
            const mrw_skin *skin = &s->skins[draw->skin];
            uint32_t joint = s->influence_joints[group->first_influence + i];
            ck_assert_uint_lt(joint, skin->joint_count);
            sum += s->geometry_to_joint[skin->first_joint + joint].m[0];
            sum += s->nodes[s->joints[skin->first_joint + joint]].rest.scale[0];
        }
    }
    if (m->material != MRW_NONE &&
        s->materials[m->material].base_color_texture.texture != MRW_NONE) {
        const mrw_texture *t = &s->textures[s->materials[m->material].base_color_texture.texture];
        const mrw_image_info *image = &s->images[t->image];
        sum += s->texels[4 * (image->first_texel + (size_t)image->width * image->height) - 1];
    }
    return sum;
}

static double walk_scene(const mrw_scene *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->draws_count; i++)
        sum += walk_draw(s, &s->draws[i]);
    for (uint32_t i = 0; i < s->nodes_count; i++) {
        sum += (double)strlen(string_at(s, s->nodes[i].name));
        ck_assert(s->nodes[i].parent == MRW_NONE || s->nodes[i].parent < i);
        sum += s->nodes[i].matrix == MRW_NONE ? 0 : s->matrices[s->nodes[i].matrix].m[0];
    }
    for (uint32_t c = 0; c < s->clips_count; c++) {
        sum += (double)strlen(string_at(s, s->clips[c].name));
        for (uint32_t k = 0; k < s->clips[c].channel_count; k++) {
            const mrw_channel *channel = &s->channels[s->clips[c].first_channel + k];
            uint32_t floats = channel->width * channel->key_count;
            floats *= channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3 : 1;
            sum += s->key_values[channel->first_value + floats - 1];
            sum += s->key_times[channel->first_time + channel->key_count - 1];
            sum += s->nodes[channel->node].rest.scale[0];
        }
    }
    for (uint32_t i = 0; i < s->cameras_count; i++)
        sum += s->nodes[s->cameras[i].node].rest.scale[0];
    for (uint32_t i = 0; i < s->lights_count; i++)
        sum += s->nodes[s->lights[i].node].rest.scale[0];
    for (uint32_t i = 0; i < s->warnings_count; i++)
        sum += (double)strlen(string_at(s, s->warnings[i]));
    return sum + (double)strlen(string_at(s, s->format));
}

/* Takes the blob. True when it was accepted. */
static bool try_blob(void *blob, uint64_t size)
{
    mrw_scene *s;
    mrw_error error = {0};
    mrw_status status = mrwi_scene_from_blob(blob, size, "x.marrow", &s, &error);
    if (status) {
        ck_assert_int_eq(status, MRW_ERROR_INPUT);
        ck_assert_ptr_null(s);
        ck_assert_int_eq(strncmp(error.text, "x.marrow: ", 10), 0);
        mrwi_free(blob);
        return false;
    }
    volatile double sum = walk_scene(s);
    (void)sum;
    mrw_scene_free(s);
    return true;
}

START_TEST(blob_round_trip)
{
    mrw_scene *s = everything("glb2", "root", "w"), *copy;
    ck_assert_int_eq(
        mrwi_scene_from_blob(copy_blob(s, s->blob_size), s->blob_size, "x", &copy, NULL), MRW_OK);
    ck_assert_int_eq(memcmp(s->hash, copy->hash, 32), 0);
    ck_assert_str_eq(string_at(copy, copy->warnings[0]), "w");
    ck_assert_double_eq(walk_scene(s), walk_scene(copy));
    mrw_scene_free(copy);
    for (uint64_t size = 0; size < s->blob_size; size += 1 + size / 16)
        ck_assert(!try_blob(copy_blob(s, size), size));
    ck_assert(!try_blob(copy_blob(s, s->blob_size + 64), s->blob_size + 64));
    mrw_scene_free(s);
}
END_TEST

static void mutate(uint8_t *blob, uint64_t size)
{
    static const uint32_t nasty[] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000,
                                     0x7f800000, 0x7fc00000, 0xff800000, 2,          0xfffffffe};
    uint32_t changes = 1 + random_u32() % 3;
    for (uint32_t i = 0; i < changes; i++) {
        uint64_t at = random_u32() % (size / 4) * 4;
        uint32_t word;
        memcpy(&word, blob + at, 4);
        switch (random_u32() % 4) {
        case 0:
            word = nasty[random_u32() % COUNT(nasty)];
            break;
        case 1:
            word += random_u32() % 5 - 2;
            break;
        case 2:
            word ^= 1u << random_u32() % 32;
            break;
        default:
            word = random_u32();
        }
        memcpy(blob + at, &word, 4);
    }
}

START_TEST(blob_mutations)
{
    mrw_scene *s = everything("glb2", "root", "w");
    const mrwi_blob_header *header = s->blob;
    random_state = 42;
    uint32_t accepted = 0, refused = 0;
    for (int round = 0; round < 20000; round++) {
        uint8_t *blob = copy_blob(s, s->blob_size);
        /* mostly the entries; sometimes the header with its table */
        if (round % 8 == 0)
            mutate(blob, sizeof *header);
        else {
            uint64_t first = header->sections[random_u32() % MRWI_SECTION_COUNT].offset;
            mutate(blob + first, 128);
        }
        if (try_blob(blob, s->blob_size))
            accepted++;
        else
            refused++;
    }
    ck_assert_uint_gt(accepted, 500);
    ck_assert_uint_gt(refused, 10000);
    mrw_scene_free(s);
}
END_TEST

/* Counts that lie in a table that is consistent with itself. */
START_TEST(blob_wrong_counts)
{
    mrw_scene *s = everything("glb2", "root", "w");
    for (int section = 0; section < MRWI_SECTION_COUNT; section++)
        for (int step = -1; step <= 1; step += 2) {
            mrwi_blob_header header = *(const mrwi_blob_header *)s->blob;
            if (step < 0 && header.sections[section].count == 0)
                continue;
            header.sections[section].count += (uint64_t)step;
            ck_assert(mrwi_blob_layout(&header));
            uint8_t *blob = mrwi_alloc_zero((size_t)header.size, 1);
            memcpy(blob, &header, sizeof header);
            const mrwi_blob_header *from = s->blob;
            for (int i = 0; i < MRWI_SECTION_COUNT; i++) {
                uint64_t count = from->sections[i].count - (i == section && step < 0 ? 1 : 0);
                memcpy(blob + header.sections[i].offset,
                       (const uint8_t *)s->blob + from->sections[i].offset,
                       (size_t)(count * mrwi_sections[i].entry_size));
            }
            bool accepted = try_blob(blob, header.size);
            /* one draw, clip or warning less can still be a scene; a lost vertex cannot */
            if (section == MRWI_SECTION_positions || section == MRWI_SECTION_nodes ||
                section == MRWI_SECTION_key_times || section == MRWI_SECTION_influence_joints)
                ck_assert(!accepted);
        }
    mrw_scene_free(s);
}
END_TEST

/* Each invariant of scene.h, broken alone, is refused. */
START_TEST(blob_broken_invariants)
{
    mrw_scene *s = everything("glb2", "root", "w");
    const struct {
        const void *at;
        uint32_t value;
    } cases[] = {
        {&s->nodes[1].parent, 1},
        {&s->nodes[1].name, s->strings_count},
        {&s->nodes[1].rest.rotation[0], 0x3f800000},
        {&s->nodes[0].rest.scale[0], 0x7f800000},
        {&s->nodes[0].matrix, MRW_NONE},
        {&s->matrices[0].m[3], 0x3f800000},
        {&s->weights[0], 0x7fc00000},
        {&s->draws[0].skin, MRW_NONE},
        {&s->draws[0].skin, 1},
        {&s->draws[1].skin, 7},
        {&s->draws[0].node, s->nodes_count},
        {&s->meshes[0].vertex_count, 2},
        {&s->meshes[0].max_influences, 1},
        {&s->meshes[0].material, 1},
        {&s->indices[0], 3},
        {&s->positions[0], 0x7f800000},
        {&s->normals[2], 0x40000000},
        {&s->tangents[3], 0x3f000000},
        {&s->uvs[0], 0xff800000},
        {&s->groups[0].influence_count, 2},
        {&s->influence_weights[0], 0x3f000000},
        {&s->morph_vertices[0], 3},
        {&s->skins[0].joint_count, 1},
        {&s->joints[1], s->nodes_count},
        {&s->geometry_to_joint[0].m[15], 0},
        {&s->channels[0].node, s->nodes_count},
        {&s->channels[0].path, 4},
        {&s->channels[0].interpolation, 3},
        {&s->channels[0].width, 2},
        {&s->channels[0].key_count, 0},
        {&s->key_values[s->key_values_count - 1], 0x7fc00000},
        {&s->materials[0].alpha_mode, 3},
        {&s->materials[0].base_color[0], 0x40000000},
        {&s->materials[0].base_color_texture.texture, 1},
        {&s->materials[0].base_color_texture.uv_set, 2},
        {&s->textures[0].image, 1},
        {&s->textures[0].wrap_u, 3},
        {&s->images[0].width, 3},
        {&s->images[0].height, 0},
        {&s->cameras[0].node, s->nodes_count},
        {&s->cameras[0].yfov, 0},
        {&s->lights[0].type, 3},
        {&s->lights[0].intensity, 0xbf800000},
        {&s->warnings[0], s->strings_count},
    };
    ck_assert(try_blob(copy_blob(s, s->blob_size), s->blob_size));
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t *blob = copy_blob(s, s->blob_size);
        memcpy(blob + ((const uint8_t *)cases[i].at - (const uint8_t *)s->blob), &cases[i].value,
               4);
        ck_assert_msg(!try_blob(blob, s->blob_size), "case %zu was accepted", i);
    }
    mrw_scene_free(s);
}
END_TEST

START_TEST(blob_keys_increase)
{
    mrw_scene *s = everything("glb2", "root", "w");
    for (uint32_t i = 0; i < s->key_times_count; i++)
        for (int k = 0; k < 2; k++) {
            uint8_t *blob = copy_blob(s, s->blob_size);
            const double wrong[2] = {NAN, 100};
            memcpy(blob + ((const uint8_t *)&s->key_times[i] - (const uint8_t *)s->blob), &wrong[k],
                   8);
            ck_assert(!try_blob(blob, s->blob_size));
        }
    mrw_scene_free(s);
}
END_TEST

/* ---- look-up --------------------------------------------------------------------------------- */

static mrw_scene *named_clips(void)
{
    const char *names[] = {"Rig|Walk", "Run", "2", "run*", "Rig|Wave Left", ""};
    mrwi_builder *b = begin();
    add_node(b, "n", MRW_NONE);
    for (size_t i = 0; i < COUNT(names); i++)
        add_clip(b, names[i], 0);
    const mrw_scene_camera camera = {.yfov = 1, .near_plane = 0.1f};
    mrwi_builder_camera(b, "Front", &camera, NULL);
    mrwi_builder_camera(b, "Side", &camera, NULL);
    return finish(b);
}

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
    ck_assert_msg(strstr(error.text, "there is no clip \"Wlak\"; did you mean") != NULL, "%s",
                  error.text);
    ck_assert_ptr_nonnull(strstr(error.text, "Walk"));
    ck_assert_int_eq(mrw_scene_find_clip(s, "12", &found, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, "there is no clip 12: the model has 0 to 5");
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

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A grid of side * side vertices with skin weights, without normals. */
static void add_grid(mrwi_builder *b, uint32_t side)
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
    mrwi_mesh_input in = {.material = MRW_NONE,
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
    mrwi_builder *b = begin();
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
            mrwi_channel_input in =
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

/* One position shared by all corners, and vertices that are all equal. */
START_TEST(large_and_degenerate)
{
    enum { COUNT = 120000 };
    float *positions = calloc(COUNT * 3, sizeof *positions);
    random_state = 3;
    for (uint32_t i = 0; i < COUNT; i++)
        if (i % 3) /* every third corner is the origin: a fan without end */
            for (uint32_t k = 0; k < 3; k++)
                positions[3 * i + k] = random_unit() - 0.5f;
    shape in = {positions, COUNT, NULL, COUNT};
    double start = seconds();
    mrw_scene *s = build_shape(&in, false);
    ck_assert_uint_eq(s->meshes[0].triangle_count, COUNT / 3);
    mrw_scene_free(s);
    memset(positions, 0, COUNT * 3 * sizeof *positions);
    s = build_shape(&in, true);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 1);
    ck_assert_double_lt(seconds() - start, 30);
    mrw_scene_free(s);
    free(positions);
}
END_TEST

static TCase *test_case(Suite *s, const char *name)
{
    TCase *tc = tcase_create(name);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(s, tc);
    return tc;
}

static Suite *suite(void)
{
    Suite *s = suite_create("scene");
    TCase *tc = test_case(s, "nodes");
    tcase_add_test(tc, empty_scene);
    tcase_add_test(tc, nodes_parents_first);
    tcase_add_test(tc, nodes_in_order_stay);
    tcase_add_test(tc, nodes_refused);
    tcase_add_test(tc, node_transforms);
    tc = test_case(s, "meshes");
    tcase_add_test(tc, weld_looks_at_everything);
    tcase_add_test(tc, weld_influences);
    tcase_add_test(tc, indices_and_unused);
    tcase_add_test(tc, meshes_refused);
    tcase_add_test(tc, mesh_repairs);
    tcase_add_test(tc, influences_cleaned);
    tcase_add_test(tc, influences_random);
    tcase_add_test(tc, normals_flat_and_sharp);
    tcase_add_test(tc, normals_smooth);
    tcase_add_test(tc, normals_at_sixty_degrees);
    tcase_add_test(tc, normals_at_a_pole);
    tcase_add_test(tc, normals_without_area);
    tcase_add_test(tc, morph_targets_are_sparse);
    tc = test_case(s, "clips");
    tcase_add_test(tc, keys_sorted_and_cleaned);
    tcase_add_test(tc, rotation_keys);
    tcase_add_test(tc, channels_sorted_once_each);
    tcase_add_test(tc, weight_channels_are_cut);
    tcase_add_test(tc, clip_names);
    tcase_add_test(tc, clips_refused);
    tc = test_case(s, "looks");
    tcase_add_test(tc, looks_once);
    tcase_add_test(tc, looks_refused);
    tcase_add_test(tc, odd_cameras_and_lights_left_out);
    tc = test_case(s, "draws");
    tcase_add_test(tc, skinned_mesh_drawn_rigidly);
    tcase_add_test(tc, draws_refused_and_simplified);
    tcase_add_test(tc, nonuniform_scales);
    tcase_add_test(tc, nonuniform_bind_matrices);
    tc = test_case(s, "whole");
    tcase_add_test(tc, hash_is_of_the_scene);
    tcase_add_test(tc, warnings_once_and_few);
    tcase_add_test(tc, out_of_memory);
    tc = test_case(s, "blob");
    tcase_add_test(tc, blob_round_trip);
    tcase_add_test(tc, blob_mutations);
    tcase_add_test(tc, blob_wrong_counts);
    tcase_add_test(tc, blob_broken_invariants);
    tcase_add_test(tc, blob_keys_increase);
    tc = test_case(s, "look-up");
    tcase_add_test(tc, find_clips);
    tcase_add_test(tc, find_cameras);
    tc = test_case(s, "size");
    tcase_add_test(tc, large_is_ordinary);
    tcase_add_test(tc, large_and_degenerate);
    return s;
}

TEST_MAIN(suite())
