/* test_subdivide.c: triangles cut into four: what becomes of each attribute, of seams, of limits.
 * Expected values are written down or computed here. */
#include "scene_fixture.h"

#include "scene/derive.h"

#include <marrow/scene.h>

static mrw_scene *subdivide(const mrw_scene *base, uint32_t levels)
{
    mrw_scene *out;
    mrw_error error = {0};
    const mrw_status status =
        mrwi_scene_subdivide(base, levels, UINT64_MAX, "model.glb", &out, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return out;
}

/* The vertex of a mesh at a place; fails without one. */
static uint32_t vertex_at(const mrw_scene *s, const mrw_mesh *mesh, float x, float y, float z)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const float *p = s->positions + 3 * (size_t)(mesh->position + v);
        if (p[0] == x && p[1] == y && p[2] == z) {
            return v;
        }
    }
    ck_abort_msg("no vertex at %g %g %g", (double)x, (double)y, (double)z);
}

static void check(const float *got, const double *want, int count)
{
    for (int i = 0; i < count; i++) {
        ck_assert_msg(fabs((double)got[i] - want[i]) < 1e-6, "%d: %.9g, not %.9g", i,
                      (double)got[i], want[i]);
    }
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* All that a vertex can have, and two joints: corner 0 hangs on joint 0 with 3/4 and on 1, corner 1
 * on 1 and 2 by halves, corner 2 on nothing. */
static mrw_scene *rich_triangle(void)
{
    static const float r = 0.70710678f;
    const float normals[9] = {0, 0, 1, r, 0, r, 0, 0, 1};
    const float tangents[12] = {1, 0, 0, -1, r, 0, -r, -1, 1, 0, 0, -1};
    const float uvs[6] = {0, 0, 1, 0.5f, 0, 1}, more[6] = {2, 2, 4, 2, 2, -2};
    const float colors[12] = {1, 0, 0, 1, 0, 1, 0, 0.5f, 0, 0, 1, 1};
    const uint32_t joints[6] = {0, 1, 2, 1, 0, 0};
    const float weights[6] = {0.75f, 0.25f, 0.5f, 0.5f, 0, 0};
    const float moved[9] = {0, 0, 0, 0, 0, 2, 0, 0, 0}, turned[9] = {0, 0, 0, 0, 0.5f, 0, 0, 0, 0};
    const mrwi_scene_target_input target = {"smile", moved, turned, NULL};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input in = triangle_mesh();
    uint32_t nodes[3], skin;
    in.normals = normals;
    in.tangents = tangents;
    in.uvs[0] = uvs;
    in.uvs[1] = more;
    in.colors = colors;
    in.influence_count = 2;
    in.joints = joints;
    in.weights = weights;
    in.joint_limit = 3;
    in.targets = &target;
    in.target_count = 1;
    const uint32_t node = add_node(b, "body", MRW_NONE);
    for (int i = 0; i < 3; i++) {
        nodes[i] = add_node(b, "joint", MRW_NONE);
    }
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", nodes, NULL, 3, &skin, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &in), skin, NULL), MRW_OK);
    return finish(b);
}

static void check_influences(const mrw_scene *s, const mrw_mesh *mesh, uint32_t vertex,
                             uint32_t count, const uint32_t *joints, const double *weights)
{
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const mrw_influence_group *group = &s->groups[mesh->first_group + g];
        if (vertex < group->first_vertex || vertex >= group->first_vertex + group->vertex_count) {
            continue;
        }
        const size_t first = group->first_influence +
                             (size_t)(vertex - group->first_vertex) * group->influence_count;
        ck_assert_uint_eq(group->influence_count, count);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_uint_eq(s->influence_joints[first + i], joints[i]);
        }
        check(s->influence_weights + first, weights, (int)count);
        return;
    }
    ck_abort_msg("a vertex without a group");
}

START_TEST(middles_are_means)
{
    mrw_scene *base = rich_triangle(), *s = subdivide(base, 1);
    const mrw_mesh *mesh = &s->meshes[0];
    ck_assert_uint_eq(mesh->vertex_count, 6);
    ck_assert_uint_eq(mesh->triangle_count, 4);
    ck_assert_str_eq(string_at(s, mesh->name), "tri");
    ck_assert_str_eq(string_at(s, s->targets[mesh->first_target].name), "smile");
    const uint32_t ab = vertex_at(s, mesh, 0.5f, 0, 0), ca = vertex_at(s, mesh, 0, 0.5f, 0);
    const double n[3] = {0.38268343, 0, 0.92387953}, t[4] = {0.92387953, 0, -0.38268343, -1};
    check(s->normals + 3 * (size_t)(mesh->normal + ab), n, 3);
    check(s->tangents + 4 * (size_t)(mesh->tangent + ab), t, 4);
    check(s->uvs + 2 * (size_t)(mesh->uv[0] + ab), (const double[]){0.5, 0.25}, 2);
    check(s->uvs + 2 * (size_t)(mesh->uv[1] + ab), (const double[]){3, 2}, 2);
    check(s->colors + 4 * (size_t)(mesh->color + ab), (const double[]){0.5, 0.5, 0, 0.75}, 4);
    check_influences(s, mesh, ab, 3, (const uint32_t[]){0, 1, 2},
                     (const double[]){0.375, 0.375, 0.25});
    check_influences(s, mesh, ca, 2, (const uint32_t[]){0, 1}, (const double[]){0.75, 0.25});
    const mrw_morph_target *target = &s->targets[mesh->first_target];
    ck_assert_uint_eq(target->entry_count, 3); /* corner 1 and the middles beside it */
    for (uint32_t e = 0; e < 3; e++) {
        const uint32_t v = s->morph_vertices[target->first_entry + e];
        const bool corner = v == vertex_at(s, mesh, 1, 0, 0);
        check(s->morph_positions + 3 * (size_t)(target->first_entry + e),
              (const double[]){0, 0, corner ? 2 : 1}, 3);
        check(s->morph_normals + 3 * (size_t)(target->normal + e),
              (const double[]){0, corner ? 0.5 : 0.25, 0}, 3);
    }
    mrw_scene_free(s);
    mrw_scene_free(base);
}
END_TEST

/* ---- surfaces -------------------------------------------------------------------------------- */

/* Twice the area of each triangle, along z. */
static double area(const mrw_scene *s, const mrw_mesh *mesh, double *least)
{
    double sum = 0.0;
    *least = INFINITY;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const float *p[3];
        for (uint32_t k = 0; k < 3; k++) {
            p[k] = s->positions +
                   3 * (size_t)(mesh->position + s->indices[mesh->first_index + 3 * t + k]);
        }
        const double a = ((double)p[1][0] - (double)p[0][0]) * ((double)p[2][1] - (double)p[0][1]) -
                         ((double)p[2][0] - (double)p[0][0]) * ((double)p[1][1] - (double)p[0][1]);
        sum += a;
        *least = a < *least ? a : *least;
    }
    return sum;
}

/* A square of two triangles that share an edge: 4, 9, 25, 81 vertices, and facing where it did. */
START_TEST(the_surface_stays)
{
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input in = square_mesh();
    const uint32_t node = add_node(b, "n", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &in), MRW_NONE, NULL), MRW_OK);
    mrw_scene *base = finish(b);
    for (uint32_t n = 1; n <= 3; n++) {
        mrw_scene *s = subdivide(base, n);
        const uint32_t side = (1u << n) + 1;
        double least;
        ck_assert_uint_eq(s->meshes[0].vertex_count, side * side);
        ck_assert_uint_eq(s->meshes[0].triangle_count, 2u << (2 * n));
        ck_assert_double_eq_tol(area(s, &s->meshes[0], &least), 2, 1e-9);
        ck_assert_double_eq_tol(least, 1.0 / (double)(1u << (2 * n)), 1e-9);
        ck_assert_uint_eq(s->meshes[0].flags, base->meshes[0].flags);
        mrw_scene_free(s);
    }
    mrw_scene_free(base);
}
END_TEST

/* Two meshes that share an edge, named from its other end, have the same vertices along it, whose
 * influences are the same, to the bit. */
START_TEST(both_sides_of_a_seam_agree)
{
    const float first[9] = {0.1f, 0.7f, 0.3f, 1.3f, 0.9f, 0.37f, 0.2f, 2.1f, 0.4f};
    const float second[9] = {1.3f, 0.9f, 0.37f, 0.1f, 0.7f, 0.3f, 0.8f, -1.1f, 0.2f};
    const float uvs[6] = {0.9f, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f};
    const uint32_t joints[6] = {0, 1, 1, 2, 0, 2}, turned[6] = {2, 1, 1, 0, 2, 2};
    const float weights[6] = {0.7f, 0.3f, 0.45f, 0.55f, 0.5f, 0.5f};
    const float back[6] = {0.55f, 0.45f, 0.3f, 0.7f, 1, 0};
    mrwi_scene_builder *b = begin();
    uint32_t nodes[3], skin;
    mrwi_scene_mesh_input in = triangle_mesh();
    in.influence_count = 2;
    in.joint_limit = 3;
    in.positions = first;
    in.joints = joints;
    in.weights = weights;
    const uint32_t a = add_mesh(b, &in);
    in.positions = second;
    in.uvs[0] = uvs;
    in.joints = turned;
    in.weights = back;
    const uint32_t c = add_mesh(b, &in), node = add_node(b, "n", MRW_NONE);
    for (int i = 0; i < 3; i++) {
        nodes[i] = add_node(b, "joint", MRW_NONE);
    }
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", nodes, NULL, 3, &skin, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, a, skin, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, c, skin, NULL), MRW_OK);
    mrw_scene *base = finish(b), *s = subdivide(base, 3);
    uint32_t shared = 0;
    for (uint32_t v = 0; v < s->meshes[0].vertex_count; v++) {
        const float *p = s->positions + 3 * (size_t)(s->meshes[0].position + v);
        for (uint32_t w = 0; w < s->meshes[1].vertex_count; w++) {
            const float *q = s->positions + 3 * (size_t)(s->meshes[1].position + w);
            shared += memcmp(p, q, 3 * sizeof *p) == 0;
        }
    }
    ck_assert_uint_eq(shared, 9);
    for (int g = 0; g < 2; g++) {
        const mrw_mesh *mesh = &s->meshes[g];
        ck_assert_uint_eq(mesh->max_influences, 3);
    }
    mrw_scene_free(s);
    mrw_scene_free(base);
}
END_TEST

/* ---- limits ---------------------------------------------------------------------------------- */

START_TEST(limits_hold)
{
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input in = square_mesh();
    const uint32_t node = add_node(b, "n", MRW_NONE);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &in), MRW_NONE, NULL), MRW_OK);
    mrw_scene *base = finish(b), *s;
    mrw_error error = {0};
    ck_assert_int_eq(mrwi_scene_subdivide(base, 2, 25, "model.glb", &s, &error), MRW_OK);
    mrw_scene_free(s);
    ck_assert_int_eq(mrwi_scene_subdivide(base, 2, 24, "model.glb", &s, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_null(s);
    ck_assert_msg(strstr(error.text, "makes 25 vertices, but only 24 are allowed"), "%s",
                  error.text);
    ck_assert_int_eq(mrwi_scene_subdivide(base, 30, UINT64_MAX, "model.glb", &s, &error),
                     MRW_ERROR_INPUT);
    mrw_scene_free(base);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("subdivide");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, middles_are_means);
    tcase_add_test(tc, the_surface_stays);
    tcase_add_test(tc, both_sides_of_a_seam_agree);
    tcase_add_test(tc, limits_hold);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
