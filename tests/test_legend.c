/* test_legend.c: what the numbers of passes mean: ids, materials, groups; and the joints that move
 * points. Scenes in a few words; every number is counted by hand. */
#include "scene_fixture.h"

#include <marrow/frame.h>
#include <marrow/legend.h>

typedef struct stand {
    mrw_scene *scenes[2];
    mrw_model *models[2];
    mrw_instance instances[3];
} stand;

static uint32_t material(mrwi_scene_builder *b, const char *name)
{
    mrw_material in = mrw_material_default();
    uint32_t index;
    ck_assert_int_eq(mrwi_scene_builder_material(b, name, &in, &index, NULL), MRW_OK);
    return index;
}

static void draw(mrwi_scene_builder *b, uint32_t node, const char *name, uint32_t of)
{
    mrwi_scene_mesh_input mesh = triangle_mesh();
    mesh.name = name;
    mesh.material = of;
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), MRW_NONE, NULL), MRW_OK);
}

/* root - car - wheel, root - tree: four draws, of the materials red, none, red, green. */
static mrw_scene *one_root(void)
{
    mrwi_scene_builder *b = begin();
    const uint32_t root = add_node(b, "root", MRW_NONE);
    const uint32_t car = add_node(b, "car", root);
    const uint32_t wheel = add_node(b, "wheel", car);
    const uint32_t tree = add_node(b, "tree", root);
    const uint32_t red = material(b, "red"), green = material(b, "green");
    draw(b, root, "ground", red);
    draw(b, car, "body", MRW_NONE);
    draw(b, wheel, "tyre", red);
    draw(b, tree, "leaves", green);
    return finish(b);
}

/* two roots: house - door, and lamp */
static mrw_scene *two_roots(void)
{
    mrwi_scene_builder *b = begin();
    const uint32_t house = add_node(b, "house", MRW_NONE);
    const uint32_t door = add_node(b, "door", house);
    const uint32_t lamp = add_node(b, "lamp", MRW_NONE);
    const uint32_t wood = material(b, "wood");
    draw(b, door, "leaf", wood);
    draw(b, lamp, "bulb", MRW_NONE);
    return finish(b);
}

/* The first scene, the second, and the first again. */
static void set_up(stand *s)
{
    s->scenes[0] = one_root();
    s->scenes[1] = two_roots();
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mrw_model_create(s->scenes[i], MRW_SHADING_RAW, 1, &s->models[i], NULL),
                         MRW_OK);
    }
    for (int i = 0; i < 3; i++) {
        s->instances[i] = mrw_instance_default(s->models[i % 2]);
    }
}

static void take_down(stand *s)
{
    for (int i = 0; i < 2; i++) {
        mrw_model_free(s->models[i]);
        mrw_scene_free(s->scenes[i]);
    }
}

static const char *node_name(const stand *s, uint32_t instance, uint32_t node)
{
    const mrw_scene *scene = s->scenes[instance % 2];
    return string_at(scene, scene->nodes[node].name);
}

START_TEST(draws_are_told)
{
    static const struct {
        uint32_t instance, draw;
        const char *node, *mesh, *group;
        uint32_t material;
    } wanted[10] = {{0, 0, "root", "ground", "root", 1}, {0, 1, "car", "body", "car", 3},
                    {0, 2, "wheel", "tyre", "car", 1},   {0, 3, "tree", "leaves", "tree", 2},
                    {1, 0, "door", "leaf", "house", 4},  {1, 1, "lamp", "bulb", "lamp", 5},
                    {2, 0, "root", "ground", "root", 1}, {2, 1, "car", "body", "car", 3},
                    {2, 2, "wheel", "tyre", "car", 1},   {2, 3, "tree", "leaves", "tree", 2}};
    static const uint32_t ids[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 4294967295u};
    stand s;
    mrw_legend legend;
    set_up(&s);
    for (int given = 0; given < 2; given++) {
        ck_assert_int_eq(mrw_frame_legend(s.instances, 3, given ? ids : NULL, &legend, NULL),
                         MRW_OK);
        ck_assert_uint_eq(legend.draw_count, 10);
        ck_assert_uint_eq(legend.material_count, 5);
        for (uint32_t i = 0; i < 10; i++) {
            const mrw_legend_draw *at = &legend.draws[i];
            const mrw_scene *scene = s.scenes[wanted[i].instance % 2];
            ck_assert_uint_eq(at->id, given ? ids[i] : i + 1);
            ck_assert_uint_eq(at->instance, wanted[i].instance);
            ck_assert_uint_eq(at->draw, wanted[i].draw);
            ck_assert_str_eq(node_name(&s, at->instance, at->node), wanted[i].node);
            ck_assert_str_eq(node_name(&s, at->instance, at->group), wanted[i].group);
            ck_assert_str_eq(string_at(scene, scene->meshes[at->mesh].name), wanted[i].mesh);
            ck_assert_uint_eq(at->material_number, wanted[i].material);
            ck_assert_uint_eq(at->material, scene->meshes[at->mesh].material);
        }
        mrw_legend_free(&legend);
        ck_assert(!legend.draws && legend.draw_count == 0);
        mrw_legend_free(&legend);
    }
    take_down(&s);
}
END_TEST

START_TEST(materials_are_counted_once_a_scene)
{
    stand s;
    uint32_t firsts[3];
    set_up(&s);
    ck_assert_uint_eq(mrw_frame_number_materials(s.instances, 3, firsts), 5);
    ck_assert(firsts[0] == 1 && firsts[1] == 4 && firsts[2] == 1);
    take_down(&s);
}
END_TEST

/* ---- points of surfaces ---------------------------------------------------------------------- */

/* A triangle whose corners follow 0.75 a, 0.25 b; b alone; and 0.5 a, 0.5 c. In the skin c comes
 * before a, so that its number is the smaller one there, and not among the nodes. */
static mrw_scene *skinned(void)
{
    static const uint32_t joints[6] = {1, 2, 2, 0, 1, 0};
    static const float weights[6] = {0.75f, 0.25f, 1.0f, 0.0f, 0.5f, 0.5f};
    const mrw_mat4 still = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const mrw_mat4 binds[3] = {still, still, still};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = triangle_mesh();
    uint32_t skin;
    const uint32_t body = add_node(b, "body", MRW_NONE), a = add_node(b, "a", MRW_NONE);
    const uint32_t second = add_node(b, "b", a), third = add_node(b, "c", a);
    const uint32_t nodes[3] = {third, a, second};
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", nodes, binds, 3, &skin, NULL), MRW_OK);
    mesh.influence_count = 2;
    mesh.joints = joints;
    mesh.weights = weights;
    mesh.joint_limit = 3;
    ck_assert_int_eq(mrwi_scene_builder_draw(b, body, add_mesh(b, &mesh), skin, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, body, add_mesh(b, &mesh), MRW_NONE, NULL), MRW_OK);
    return finish(b);
}

static void assert_joints(const mrw_scene *scene, const mrw_instance *instance, uint32_t draw,
                          const float shares[3], const char *names, const double *weights)
{
    mrw_point_joints joints;
    ck_assert_int_eq(mrw_frame_point_joints(instance, draw, 0, shares, &joints, NULL), MRW_OK);
    ck_assert_uint_eq(joints.count, strlen(names));
    for (uint32_t i = 0; i < joints.count; i++) {
        ck_assert_int_eq(string_at(scene, scene->nodes[joints.items[i].node].name)[0], names[i]);
        ck_assert_double_eq_tol(joints.items[i].weight, weights[i], 1e-7);
    }
    mrw_point_joints_free(&joints);
    mrw_point_joints_free(&joints);
}

START_TEST(points_are_moved_by_joints)
{
    mrw_scene *scene = skinned();
    mrw_model *model;
    mrw_model_def def = mrw_model_def_default();
    for (uint32_t most = 0; most < 2; most++) {
        def.shading = MRW_SHADING_RAW;
        def.max_influences = most;
        ck_assert_int_eq(mrw_model_create_with(scene, &def, 1, &model, NULL), MRW_OK);
        const mrw_instance instance = mrw_instance_default(model);
        const float mixed[3] = {0.5f, 0.25f, 0.25f}, last[3] = {0, 0, 1}, first[3] = {1, 0, 0};
        if (most == 0) {
            assert_joints(scene, &instance, 0, mixed, "abc", (double[]){0.5, 0.375, 0.125});
            assert_joints(scene, &instance, 0, last, "ac", (double[]){0.5, 0.5});
            assert_joints(scene, &instance, 0, first, "ab", (double[]){0.75, 0.25});
        } else { /* of each corner the strongest; of equal ones the skin's first: c */
            assert_joints(scene, &instance, 0, mixed, "abc", (double[]){0.5, 0.25, 0.25});
            assert_joints(scene, &instance, 0, last, "c", (double[]){1.0});
        }
        assert_joints(scene, &instance, 1, mixed, "", NULL); /* without a skin */
        mrw_model_free(model);
    }
    mrw_scene_free(scene);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("legend");
    TCase *legend = test_case(s, "legend");
    tcase_add_test(legend, draws_are_told);
    tcase_add_test(legend, materials_are_counted_once_a_scene);
    tcase_add_test(legend, points_are_moved_by_joints);
    return s;
}

TEST_MAIN(suite())
