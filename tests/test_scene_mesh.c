/* test_scene_mesh.c: the mesh builder: welding, influences, computed normals, morph targets. */
#include "scene_fixture.h"

/* ---- welding --------------------------------------------------------------------------------- */

static uint32_t vertices_of(const mrwi_scene_mesh_input *in)
{
    mrwi_scene_builder *b = begin();
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
    mrwi_scene_mesh_input in = square_mesh();
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
    mrwi_scene_target_input targets[2] = {{.positions = move}, {.normals = second}};
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
    mrwi_scene_mesh_input in = square_mesh();
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
    for (int i = 0; i < 5; i++) {
        normals[3 * i + 2] = 1;
    }
    const uint32_t indices[] = {4, 1, 2, 1, 1, 2, 2, 4, 1, 0};
    mrwi_scene_mesh_input in = {.material = MRW_NONE,
                                .vertex_count = 5,
                                .indices = indices,
                                .index_count = 10,
                                .positions = positions,
                                .normals = normals};
    mrwi_scene_builder *b = begin();
    add_mesh(b, &in);
    mrw_scene *s = finish(b);
    ck_assert_uint_eq(s->meshes[0].vertex_count, 3);
    ck_assert_uint_eq(s->meshes[0].triangle_count, 3);
    ck_assert(warned(s, "mesh 0: its last triangle is incomplete"));
    const uint32_t expected[] = {2, 0, 1, 0, 0, 1, 1, 2, 0};
    ck_assert_int_eq(memcmp(s->indices, expected, sizeof expected), 0);
    ck_assert_float_eq(s->positions[3], 1);
    ck_assert_uint_eq(s->meshes[0].flags, 0);
    mrw_scene_free(s);
}
END_TEST

static void mesh_refused(const mrwi_scene_mesh_input *in, const char *text)
{
    mrwi_scene_builder *b = begin();
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_scene_builder_mesh(b, in, NULL, &error), MRW_ERROR_INPUT);
    ck_assert_str_eq(error.text, text);
    finish_refused(b, "earlier step");
}

START_TEST(meshes_refused)
{
    uint32_t indices[3] = {0, 1, 3};
    mrwi_scene_mesh_input in = triangle_mesh();
    in.indices = indices;
    mesh_refused(&in, "model.glb: mesh 0 \"tri\": triangle 0 refers to vertex 3, which does not "
                      "exist (there are 3)");
    in = triangle_mesh();
    in.index_count = 6;
    mesh_refused(&in, "model.glb: mesh 0 \"tri\": triangle 1 refers to vertex 3, which does not "
                      "exist (there are 3)");
    float broken[9];
    memcpy(broken, triangle, sizeof broken);
    broken[7] = NAN;
    in = triangle_mesh();
    in.positions = broken;
    mesh_refused(&in, "model.glb: mesh 0 \"tri\": the position of vertex 2 is not finite");
    in = triangle_mesh();
    mrwi_scene_target_input target = {.positions = broken};
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
    mesh_refused(&in, "model.glb: mesh 0 \"tri\": vertex 1 refers to joint 5, which does not exist "
                      "(its skin has 5)");
    in = triangle_mesh();
    in.material = 0;
    mesh_refused(&in, "model.glb: mesh 0 \"tri\" refers to material 0, which does not exist");
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
    mrwi_scene_mesh_input in = triangle_mesh();
    in.normals = normals;
    in.tangents = tangents;
    in.uvs[1] = uv;
    mrwi_scene_builder *b = begin();
    add_mesh(b, &in);
    mrw_scene *s = finish(b);
    const mrw_mesh *m = &s->meshes[0];
    ck_assert_uint_eq(m->vertex_count, 3);
    for (int i = 0; i < 3; i++) { /* the triangle lies in z = 0 */
        ck_assert_float_eq(s->normals[3 * i + 2], 1);
    }
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
    mrwi_scene_mesh_input in = triangle_mesh();
    in.influence_count = 5;
    in.joints = joints;
    in.weights = weights;
    in.joint_limit = 5;
    mrwi_scene_builder *b = begin();
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
static double weight_of(const mrwi_scene_mesh_input *in, uint32_t vertex, uint32_t joint)
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
    mrwi_scene_mesh_input in = {.material = MRW_NONE,
                                .vertex_count = VERTICES,
                                .index_count = VERTICES,
                                .positions = positions,
                                .normals = normals,
                                .influence_count = SLOTS,
                                .joints = joints,
                                .weights = weights,
                                .joint_limit = JOINTS};
    mrwi_scene_builder *b = begin();
    add_mesh(b, &in);
    mrw_scene *s = finish(b);
    uint32_t exact = 0;
    for (uint32_t g = 0; g < s->groups_count; g++) {
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
    }
    ck_assert_uint_eq(exact, VERTICES);
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
    mrwi_scene_mesh_input mesh = {.material = MRW_NONE,
                                  .vertex_count = in->vertex_count,
                                  .indices = in->indices,
                                  .index_count = in->index_count,
                                  .positions = in->positions,
                                  .flat_normals = flat};
    mrwi_scene_builder *b = begin();
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
        ck_assert_uint_eq(s->meshes[0].flags,
                          MRW_MESH_COMPUTED_NORMALS | (flat ? MRW_MESH_FLAT_NORMALS : 0));
        for (uint32_t i = 0; i < 3; i++) { /* the first face materials to +x +y +z */
            ck_assert_double_eq_tol(s->normals[3 * s->indices[0] + i], sqrt(1.0 / 3), 1e-6);
        }
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
    for (uint32_t i = 0; i < 36; i++) {
        ck_assert_double_eq_tol(s->normals[i], s->positions[i] / radius, 1e-5);
    }
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
    for (uint32_t v = 0; v < 12; v++) {
        for (uint32_t i = 0; i < 2; i++) {
            ck_assert_double_eq_tol(s->normals[3 * v + i], s->positions[3 * v + i], 1e-5);
        }
    }
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
    const mrwi_scene_target_input targets[2] = {{"smile", move, NULL, turn},
                                                {"open", NULL, turn, NULL}};
    mrwi_scene_mesh_input in = triangle_mesh();
    in.targets = targets;
    in.target_count = 2;
    mrwi_scene_builder *b = begin();
    add_mesh(b, &in);
    add_node(b, "face", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, 0, 0, MRW_NONE, NULL), MRW_OK);
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

/* A row of points that have no equal, so that they stay in order: blocks of vertices that a target
 * does not move are skipped, and others are copied together. */
START_TEST(morph_targets_of_many_vertices)
{
    enum { MANY = 300 };
    static const uint32_t moved[] = {0, 63, 64, 65, 190, 191, 299};
    float positions[3 * MANY], normals[3 * MANY], move[3 * MANY] = {0}, turn[3 * MANY] = {0};
    for (uint32_t v = 0; v < MANY; v++) {
        positions[3 * v] = (float)v;
        positions[3 * v + 1] = (float)(v % 2);
        positions[3 * v + 2] = 0;
        memcpy(normals + 3 * v, (const float[3]){0, 0, 1}, 3 * sizeof *normals);
        move[3 * v + 1] = -0.0f;
    }
    for (uint32_t i = 0; i < COUNT(moved); i++) {
        move[3 * moved[i] + i % 3] = (float)moved[i] + 1;
    }
    turn[3 * 128 + 2] = 7; /* the first vertex of a block that positions do not move */
    const mrwi_scene_target_input targets[2] = {{"move", move, NULL, NULL},
                                                {"both", move, turn, NULL}};
    mrwi_scene_mesh_input in = {.material = MRW_NONE,
                                .vertex_count = MANY,
                                .positions = positions,
                                .normals = normals,
                                .targets = targets,
                                .target_count = 2};
    in.index_count = MANY; /* each point is a corner */
    mrwi_scene_builder *b = begin();
    add_mesh(b, &in);
    mrw_scene *s = finish(b);
    const mrw_morph_target *t = s->targets;
    ck_assert_uint_eq(s->meshes[0].vertex_count, MANY);
    ck_assert_uint_eq(t[0].entry_count, COUNT(moved));
    ck_assert_uint_eq(t[1].entry_count, COUNT(moved) + 1);
    for (uint32_t i = 0; i < COUNT(moved); i++) {
        ck_assert_uint_eq(s->morph_vertices[t[0].first_entry + i], moved[i]);
        ck_assert_float_eq(s->morph_positions[3 * (t[0].first_entry + i) + i % 3],
                           (float)moved[i] + 1);
    }
    ck_assert_uint_eq(s->morph_vertices[t[1].first_entry + 4], 128);
    ck_assert_float_eq(s->morph_positions[3 * (t[1].first_entry + 4)], 0);
    ck_assert_float_eq(s->morph_normals[3 * (t[1].normal + 4) + 2], 7);
    ck_assert_uint_eq(s->morph_vertices[t[1].first_entry + 7], 299);
    mrw_scene_free(s);
}
END_TEST

/* ---- against a slow evaluator ---------------------------------------------------------------- */

/* A mesh of few distinct values, so that much is equal. */
typedef struct random_mesh {
    uint32_t vertex_count, index_count;
    uint32_t indices[3 * 60];
    float positions[3 * 40], normals[3 * 40], uv[2 * 40], weights[3 * 40], move[3 * 40];
    uint32_t joints[3 * 40];
} random_mesh;

static void fill_random(random_mesh *m)
{
    m->vertex_count = 3 + random_u32() % 38;
    m->index_count = 3 * (random_u32() % 61);
    for (uint32_t i = 0; i < m->index_count; i++) {
        m->indices[i] = random_u32() % m->vertex_count;
    }
    for (uint32_t i = 0; i < 3 * m->vertex_count; i++) {
        m->positions[i] = (float)(random_u32() % 2);
        m->normals[i] = i % 3 == 2 ? 1 : 0;
        m->weights[i] = (float)(random_u32() % 3);
        m->joints[i] = random_u32() % 3;
        m->move[i] = random_u32() % 6 ? 0.0f : random_u32() % 2 ? -0.0f : 1.0f;
    }
    for (uint32_t i = 0; i < 2 * m->vertex_count; i++) {
        m->uv[i] = random_u32() % 9 ? 0 : 1;
    }
}

static mrwi_scene_mesh_input random_input(const random_mesh *m, mrwi_scene_target_input *target)
{
    *target = (mrwi_scene_target_input){.positions = m->move};
    return (mrwi_scene_mesh_input){.material = MRW_NONE,
                                   .vertex_count = m->vertex_count,
                                   .indices = m->indices,
                                   .index_count = m->index_count,
                                   .positions = m->positions,
                                   .normals = m->normals,
                                   .uvs = {NULL, m->uv},
                                   .influence_count = 3,
                                   .joints = m->joints,
                                   .weights = m->weights,
                                   .joint_limit = 3,
                                   .targets = target,
                                   .target_count = 1};
}

/* All that a vertex is: position, uv, weight of each of three joints, morph difference. */
typedef struct vertex_facts {
    double values[11];
} vertex_facts;

static vertex_facts source_facts(const mrwi_scene_mesh_input *in, uint32_t v)
{
    vertex_facts facts = {0};
    double sum = 0;
    for (uint32_t i = 0; i < 3; i++) {
        facts.values[i] = in->positions[3 * v + i];
        facts.values[8 + i] = in->targets[0].positions[3 * v + i];
        facts.values[5 + in->joints[3 * v + i]] += in->weights[3 * v + i];
        sum += in->weights[3 * v + i];
    }
    for (uint32_t i = 0; i < 3; i++) {
        facts.values[5 + i] /= sum > 0 ? sum : 1;
    }
    for (uint32_t i = 0; i < 2; i++) {
        facts.values[3 + i] = in->uvs[1][2 * v + i];
    }
    return facts;
}

static vertex_facts scene_facts(const mrw_scene *s, uint32_t v)
{
    vertex_facts facts = {0};
    const mrw_mesh *m = &s->meshes[0];
    for (uint32_t i = 0; i < 3; i++) {
        facts.values[i] = s->positions[3 * v + i];
    }
    for (uint32_t i = 0; i < 2; i++) {
        facts.values[3 + i] = s->uvs[2 * (m->uv[1] + v) + i];
    }
    for (uint32_t g = 0; g < m->group_count; g++) {
        const mrw_influence_group *group = &s->groups[g];
        for (uint32_t i = 0; i < group->influence_count; i++) {
            uint32_t at =
                group->first_influence + (v - group->first_vertex) * group->influence_count;
            if (v >= group->first_vertex && v < group->first_vertex + group->vertex_count) {
                facts.values[5 + s->influence_joints[at + i]] = s->influence_weights[at + i];
            }
        }
    }
    for (uint32_t e = 0; e < s->targets[0].entry_count; e++) {
        for (uint32_t i = 0; i < 3; i++) {
            if (s->morph_vertices[e] == v) {
                facts.values[8 + i] = s->morph_positions[3 * e + i];
            }
        }
    }
    return facts;
}

static bool same_facts(const vertex_facts *a, const vertex_facts *b)
{
    for (size_t i = 0; i < COUNT(a->values); i++) {
        if (fabs(a->values[i] - b->values[i]) > 1e-6) {
            return false;
        }
    }
    return true;
}

static void check_random(const mrwi_scene_mesh_input *in)
{
    mrwi_scene_builder *b = begin();
    add_mesh(b, in);
    mrw_scene *s = finish(b);
    uint32_t corner = 0;
    for (uint32_t t = 0; t < in->index_count; t += 3) {
        const uint32_t *v = in->indices + t;
        for (uint32_t k = 0; k < 3; k++) {
            vertex_facts wanted = source_facts(in, v[k]);
            vertex_facts found = scene_facts(s, s->indices[corner++]);
            ck_assert(same_facts(&wanted, &found));
        }
    }
    ck_assert_uint_eq(corner, 3 * s->meshes[0].triangle_count);
    for (uint32_t x = 0; x < s->meshes[0].vertex_count; x++) {
        vertex_facts one = scene_facts(s, x);
        for (uint32_t y = 0; y < x; y++) {
            vertex_facts other = scene_facts(s, y);
            ck_assert(!same_facts(&one, &other)); /* else they would have been welded */
        }
    }
    mrw_scene_free(s);
}

START_TEST(random_meshes)
{
    random_state = 99;
    for (int round = 0; round < 400; round++) {
        random_mesh m;
        mrwi_scene_target_input target;
        fill_random(&m);
        mrwi_scene_mesh_input in = random_input(&m, &target);
        check_random(&in);
    }
}
END_TEST

/* ---- size ------------------------------------------------------------------------------------ */

/* One position shared by all corners, and vertices that are all equal. */
START_TEST(large_and_degenerate)
{
    enum { COUNT = 120000 };
    float *positions = calloc(COUNT * 3, sizeof *positions);
    random_state = 3;
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i % 3) { /* every third corner is the origin: a fan without end */
            for (uint32_t k = 0; k < 3; k++) {
                positions[3 * i + k] = random_unit() - 0.5f;
            }
        }
    }
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

static Suite *suite(void)
{
    Suite *s = suite_create("scene_mesh");
    TCase *tc;
    tc = test_case(s, "welding");
    tcase_add_test(tc, weld_looks_at_everything);
    tcase_add_test(tc, weld_influences);
    tcase_add_test(tc, indices_and_unused);
    tcase_add_test(tc, meshes_refused);
    tcase_add_test(tc, mesh_repairs);
    tc = test_case(s, "influences");
    tcase_add_test(tc, influences_cleaned);
    tcase_add_test(tc, influences_random);
    tc = test_case(s, "normals");
    tcase_add_test(tc, normals_flat_and_sharp);
    tcase_add_test(tc, normals_smooth);
    tcase_add_test(tc, normals_at_sixty_degrees);
    tcase_add_test(tc, normals_at_a_pole);
    tcase_add_test(tc, normals_without_area);
    tc = test_case(s, "morph targets");
    tcase_add_test(tc, morph_targets_are_sparse);
    tcase_add_test(tc, morph_targets_of_many_vertices);
    tc = test_case(s, "slow evaluator");
    tcase_add_test(tc, random_meshes);
    tc = test_case(s, "size");
    tcase_add_test(tc, large_and_degenerate);
    return s;
}

TEST_MAIN(suite())
