/* test_bake.c: posed models as numbers and as geometry. Triangles and squares seen straight on;
 * every expected value is worked out by hand. */
#include "scene_fixture.h"

#include "base/memory.h"

#include <marrow/bake.h>
#include <marrow/frame.h>
#include <marrow/load.h>
#include <unistd.h>

#define SIDE 16

typedef struct stand {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
    mrw_frame_def frame;
    const mrw_posed_instance *posed;
} stand;

/* Poses a scene, which the stand frees, at a time. The camera is at (0, 0, 5), looks along -Z and
 * sees two units to each side, from depth 1 to depth 10; a pixel is a quarter of a unit. */
static void set_up(mrw_scene *scene, double time, stand *s)
{
    const mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1}};
    const mrw_lens lens = {.xmag = 2, .ymag = 2, .near_plane = 1, .far_plane = 10};
    *s = (stand){.scene = scene, .frame = mrw_frame_def_default()};
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_RAW, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    s->instance = mrw_instance_default(s->model);
    s->instance.time = time;
    s->frame.width = s->frame.height = SIDE;
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &s->frame.camera, NULL), MRW_OK);
    ck_assert_int_eq(
        mrw_pose_instances(s->renderer, &s->instance, 1, MRW_ISA_AUTO, &s->posed, NULL), MRW_OK);
}

static void take_down(stand *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static uint32_t add_at(mrwi_scene_builder *b, const char *name, uint32_t parent, float x, float y,
                       float z)
{
    mrwi_scene_node_input in = {.name = name, .parent = parent, .rest = identity};
    uint32_t index;
    in.rest.translation[0] = x;
    in.rest.translation[1] = y;
    in.rest.translation[2] = z;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &index, NULL), MRW_OK);
    return index;
}

static void draw(mrwi_scene_builder *b, uint32_t node, const mrwi_scene_mesh_input *mesh,
                 uint32_t skin)
{
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, mesh), skin, NULL), MRW_OK);
}

static void assert_box(const mrw_bake_measure *m, float x0, float y0, float x1, float y1)
{
    ck_assert(m->any);
    ck_assert(m->aabb_min[0] == x0 && m->aabb_min[1] == y0 && m->aabb_min[2] == 0.0f);
    ck_assert(m->aabb_max[0] == x1 && m->aabb_max[1] == y1 && m->aabb_max[2] == 0.0f);
}

static void assert_centroid(const mrw_bake_measure *m, double x, double y)
{
    double centroid[3];
    ck_assert(mrw_bake_centroid(m, centroid));
    ck_assert_double_eq_tol(centroid[0], x, 1e-12);
    ck_assert_double_eq_tol(centroid[1], y, 1e-12);
    ck_assert_double_eq_tol(centroid[2], 0.0, 1e-12);
}

/* ---- measures -------------------------------------------------------------------------------- */

/* The corner (0, 0), (1, 0), (0, 1) on a node that goes from x = 0 to x = 2 in a second, and the
 * same twice as wide and three times as high on another one. */
static mrw_scene *moving_triangle(void)
{
    static const double times[2] = {0, 1};
    static const float places[6] = {0, 0, 0, 2, 0, 0};
    mrwi_scene_builder *b = begin();
    const uint32_t node = add_node(b, "mover", MRW_NONE);
    const uint32_t wide = add_scaled(b, MRW_NONE, 2, 3, 1);
    const mrwi_scene_mesh_input mesh = triangle_mesh();
    const mrwi_scene_channel_input channel =
        linear(node, MRW_PATH_TRANSLATION, 3, 2, times, places);
    draw(b, node, &mesh, MRW_NONE);
    draw(b, wide, &mesh, MRW_NONE);
    add_clip(b, "move", 0);
    add_channel(b, &channel);
    return finish(b);
}

START_TEST(triangles_are_measured_where_they_are)
{
    stand s;
    mrw_bake_meshes meshes;
    set_up(moving_triangle(), 0.5, &s);
    ck_assert_int_eq(mrw_bake_meshes_measure(s.scene, s.posed[0].draws, &meshes, NULL), MRW_OK);
    ck_assert_uint_eq(meshes.count, 2);
    const mrw_bake_mesh *moved = &meshes.items[0], *wide = &meshes.items[1];
    ck_assert(moved->draw == 0 && wide->draw == 1 && !moved->bones && !wide->bones);
    assert_box(&moved->measure, 1, 0, 2, 1);
    ck_assert_double_eq(moved->measure.area, 0.5);
    assert_centroid(&moved->measure, 4.0 / 3.0, 1.0 / 3.0);
    assert_box(&wide->measure, 0, 0, 2, 3);
    ck_assert_double_eq(wide->measure.area, 3.0);
    assert_centroid(&wide->measure, 2.0 / 3.0, 1.0);
    /* Together: (0.5 * (4/3, 1/3) + 3 * (2/3, 1)) / 3.5 = (16/21, 19/21). */
    assert_box(&meshes.total, 0, 0, 2, 3);
    ck_assert_double_eq(meshes.total.area, 3.5);
    assert_centroid(&meshes.total, 16.0 / 21.0, 19.0 / 21.0);
    mrw_bake_meshes_free(&meshes);
    ck_assert(!meshes.items && meshes.count == 0);
    mrw_bake_meshes_free(&meshes);
    take_down(&s);
}
END_TEST

START_TEST(nothing_has_no_centroid)
{
    const mrw_bake_measure nothing = {0};
    mrw_bake_measure sum = {.any = true, .aabb_min = {1, 0, 0}, .aabb_max = {2, 1, 0}, .area = 0.5};
    double centroid[3] = {7, 7, 7};
    ck_assert(!mrw_bake_centroid(&nothing, centroid));
    ck_assert(centroid[0] == 7 && centroid[1] == 7 && centroid[2] == 7);
    mrw_bake_measure_add(&sum, &nothing); /* its box of zeros is none */
    assert_box(&sum, 1, 0, 2, 1);
    ck_assert_double_eq(sum.area, 0.5);
}
END_TEST

START_TEST(bones_are_no_meshes_of_the_file)
{
    stand s;
    mrw_bake_meshes meshes;
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = triangle_mesh();
    mesh.shows_bones = true;
    draw(b, add_node(b, "hips", MRW_NONE), &mesh, MRW_NONE);
    set_up(finish(b), 0, &s);
    ck_assert_int_eq(mrw_bake_meshes_measure(s.scene, s.posed[0].draws, &meshes, NULL), MRW_OK);
    ck_assert_uint_eq(meshes.count, 1);
    ck_assert(meshes.items[0].bones && meshes.items[0].measure.area == 0.5);
    ck_assert(!meshes.total.any && meshes.total.area == 0.0);
    mrw_bake_meshes_free(&meshes);
    take_down(&s);
}
END_TEST

/* ---- joints ---------------------------------------------------------------------------------- */

static mrw_bake_joints_job job_of(const stand *s)
{
    mrw_bake_joints_job job = mrw_bake_joints_job_default();
    job.instances = &s->instance;
    job.instance_count = 1;
    job.posed = s->posed;
    job.frame = &s->frame;
    return job;
}

static mrw_bake_joints find(const mrw_bake_joints_job *job)
{
    mrw_bake_joints joints;
    mrw_error error = {0};
    ck_assert_msg(mrw_bake_joints_find(job, &joints, &error) == MRW_OK, "%s", error.text);
    return joints;
}

static const mrw_bake_joint *joint_of(const stand *s, const mrw_bake_joints *joints,
                                      const char *name)
{
    for (uint32_t i = 0; i < joints->count; i++) {
        if (strcmp(string_at(s->scene, s->scene->nodes[joints->items[i].node].name), name) == 0) {
            return &joints->items[i];
        }
    }
    ck_abort_msg("no joint %s", name);
    return NULL;
}

static void assert_seen(const mrw_bake_joint *j, double x, double y, double depth)
{
    ck_assert(j->in_front);
    ck_assert_double_eq_tol(j->x, x, 1e-5);
    ck_assert_double_eq_tol(j->y, y, 1e-5);
    ck_assert_double_eq_tol(j->depth, depth, 1e-5);
    ck_assert_double_eq_tol(j->depth01, (depth - 1.0) / 9.0, 1e-6);
}

/* A square of two units around the origin, at z = 0, on "wall". Without a skin all nodes are
 * joints: "behind" lies 3 behind it, "child" as well but hangs on the wall, "shallow" lies 0.1
 * behind it (the box' diagonal is sqrt(8), a twentieth of which is 0.141), "beside" it, "before"
 * it, "far" out of the picture. */
static mrw_scene *wall(bool faces_away)
{
    static const float corners[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    static const uint32_t front[6] = {0, 1, 2, 0, 2, 3}, back[6] = {0, 2, 1, 0, 3, 2};
    const mrwi_scene_mesh_input mesh = {.name = "wall",
                                        .material = MRW_NONE,
                                        .vertex_count = 4,
                                        .index_count = 6,
                                        .indices = faces_away ? back : front,
                                        .positions = corners};
    mrwi_scene_builder *b = begin();
    const uint32_t node = add_node(b, "wall", MRW_NONE);
    add_at(b, "behind", MRW_NONE, 0.5f, 0.25f, -3);
    add_at(b, "child", node, 0.5f, 0.25f, -3);
    add_at(b, "shallow", MRW_NONE, 0.5f, 0.25f, -0.1f);
    add_at(b, "beside", MRW_NONE, 1.5f, 1, -3);
    add_at(b, "before", MRW_NONE, 0.5f, 0.25f, 2);
    add_at(b, "far", MRW_NONE, 3, 0, 0);
    draw(b, node, &mesh, MRW_NONE);
    return finish(b);
}

START_TEST(joints_behind_a_wall_are_hidden)
{
    stand s;
    set_up(wall(false), 0, &s);
    const mrw_bake_joints_job job = job_of(&s);
    mrw_bake_joints joints = find(&job);
    ck_assert_uint_eq(joints.count, 7);
    ck_assert_double_eq_tol(joints.tolerance, 0.05 * sqrt(8.0), 1e-12);
    ck_assert_mem_eq(&joints.camera, &s.frame.camera, sizeof joints.camera);

    const mrw_bake_joint *behind = joint_of(&s, &joints, "behind");
    assert_seen(behind, 10, 7, 8); /* 2 units are 8 pixels: 8 + 0.5 * 4, 8 - 0.25 * 4 */
    ck_assert(behind->inside && behind->hidden && behind->occluded);
    ck_assert_double_eq_tol(behind->surface_depth, 5.0, 1e-5);
    ck_assert(behind->joint_to_world.m[12] == 0.5f && behind->joint_to_world.m[14] == -3.0f);

    const mrw_bake_joint *child = joint_of(&s, &joints, "child"); /* behind its own flesh */
    ck_assert(child->hidden && !child->occluded);
    const mrw_bake_joint *shallow = joint_of(&s, &joints, "shallow"); /* within the tolerance */
    ck_assert(!shallow->hidden && !shallow->occluded && shallow->surface_depth < shallow->depth);
    const mrw_bake_joint *beside = joint_of(&s, &joints, "beside");
    assert_seen(beside, 14, 4, 8);
    ck_assert(beside->inside && !beside->hidden && isinf(beside->surface_depth));
    const mrw_bake_joint *before = joint_of(&s, &joints, "before"); /* the wall is beyond it */
    assert_seen(before, 10, 7, 3);
    ck_assert(!before->hidden && fabs(before->surface_depth - 5.0) < 1e-5);
    const mrw_bake_joint *far = joint_of(&s, &joints, "far");
    assert_seen(far, 20, 8, 5);
    ck_assert(!far->inside && !far->hidden);
    mrw_bake_joints_free(&joints);
    ck_assert(!joints.items && joints.count == 0);
    take_down(&s);
}
END_TEST

/* Nodes alone, of what is hidden, out of the picture and behind the camera, too. */
START_TEST(nodes_are_found_as_joints_are)
{
    const mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1}};
    const mrw_lens lens = {.yfov = 1.57079633f, .near_plane = 0.5f, .far_plane = 10};
    stand s;
    set_up(wall(false), 0, &s);
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &s.frame.camera, NULL), MRW_OK);
    const mrw_bake_joints_job job = job_of(&s);
    static const struct {
        const char *name;
        bool in_front, inside;
        double x, y;
    } expected[] = {{"behind", true, true, 8 + 0.5 / 4 * 8, 8 - 0.25 / 4 * 8},
                    {"far", true, false, 8 + 3.0 / 1 * 8, 8},
                    {"before", false, false, 0, 0}};
    for (uint32_t i = 0; i < 3; i++) {
        mrw_bake_joint found;
        uint32_t n = 0;
        while (strcmp(string_at(s.scene, s.scene->nodes[n].name), expected[i].name) != 0) {
            n++;
        }
        ck_assert_int_eq(mrw_bake_node_find(&job, n, &found, NULL), MRW_OK);
        ck_assert_uint_eq(found.node, n);
        ck_assert(found.in_front == expected[i].in_front && found.inside == expected[i].inside);
        ck_assert_double_eq_tol(found.x, expected[i].x, 1e-4);
        ck_assert_double_eq_tol(found.y, expected[i].y, 1e-4);
    }
    take_down(&s);
}
END_TEST

/* Surfaces hide as they are drawn: not from behind, and not before the near plane. */
START_TEST(what_is_not_drawn_hides_nothing)
{
    stand s;
    set_up(wall(_i == 0), 0, &s);
    s.frame.camera.near_plane = _i == 0 ? 1 : 6; /* the wall is at 5 */
    const mrw_bake_joints_job job = job_of(&s);
    mrw_bake_joints joints = find(&job);
    const mrw_bake_joint *behind = joint_of(&s, &joints, "behind");
    ck_assert(!behind->hidden && isinf(behind->surface_depth));
    mrw_bake_joints_free(&joints);
    take_down(&s);
}
END_TEST

START_TEST(tolerance_is_a_share_of_the_diagonal)
{
    stand s;
    set_up(wall(false), 0, &s);
    mrw_bake_joints_job job = job_of(&s);
    job.tolerance = 0.0;
    mrw_bake_joints joints = find(&job);
    ck_assert(joint_of(&s, &joints, "shallow")->hidden);
    mrw_bake_joints_free(&joints);
    job.tolerance = 1.25; /* 3.54, more than the 3 between the wall and what is behind it */
    joints = find(&job);
    ck_assert(!joint_of(&s, &joints, "behind")->hidden);
    mrw_bake_joints_free(&joints);
    take_down(&s);
}
END_TEST

/* Another instance hides as well, and is nobody's own flesh. */
START_TEST(other_instances_hide)
{
    stand s;
    mrw_instance both[2];
    set_up(wall(false), 0, &s);
    both[0] = both[1] = s.instance;
    both[0].model_to_world.m[14] = -2; /* the second one stays 2 before it */
    ck_assert_int_eq(mrw_pose_instances(s.renderer, both, 2, MRW_ISA_AUTO, &s.posed, NULL), MRW_OK);
    mrw_bake_joints_job job = job_of(&s);
    job.instances = both;
    job.instance_count = 2;
    mrw_bake_joints joints = find(&job);
    const mrw_bake_joint *child = joint_of(&s, &joints, "child");
    ck_assert_double_eq_tol(child->depth, 10.0, 1e-5);
    ck_assert_double_eq_tol(child->surface_depth, 5.0, 1e-5);
    ck_assert(child->hidden && child->occluded);
    mrw_bake_joints_free(&joints);
    job.instance = 1; /* whose wall is its own flesh */
    joints = find(&job);
    child = joint_of(&s, &joints, "child");
    ck_assert_double_eq_tol(child->depth, 8.0, 1e-5);
    ck_assert_double_eq_tol(child->surface_depth, 5.0, 1e-5);
    ck_assert(child->hidden && !child->occluded);
    mrw_bake_joints_free(&joints);
    take_down(&s);
}
END_TEST

/* Half the view's angle is 45 degrees: at a depth of d the picture shows d units to each side. */
START_TEST(a_perspective_has_a_back)
{
    const mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1}};
    const mrw_lens lens = {.yfov = 1.57079633f, .near_plane = 0.5f, .far_plane = 10};
    stand s;
    set_up(wall(false), 0, &s);
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &s.frame.camera, NULL), MRW_OK);
    const mrw_bake_joints_job job = job_of(&s);
    mrw_bake_joints joints = find(&job);
    const mrw_bake_joint *before = joint_of(&s, &joints, "before"); /* z = 2, the camera's is 1 */
    ck_assert(!before->in_front && !before->inside && !before->hidden);
    ck_assert_double_eq_tol(before->depth, -1.0, 1e-5);
    ck_assert(before->x == 0.0 && before->y == 0.0 && isinf(before->surface_depth));
    const mrw_bake_joint *behind = joint_of(&s, &joints, "behind"); /* at a depth of 4 */
    ck_assert(behind->in_front && behind->hidden && behind->occluded);
    ck_assert_double_eq_tol(behind->x, 8 + 0.5 / 4 * 8, 1e-4);
    ck_assert_double_eq_tol(behind->y, 8 - 0.25 / 4 * 8, 1e-4);
    ck_assert_double_eq_tol(behind->surface_depth, 1.0, 1e-5);
    mrw_bake_joints_free(&joints);
    take_down(&s);
}
END_TEST

/* A square of one unit that follows the third of four joints, one behind the other. All are 3
 * behind it: their own flesh is what follows them, their parent or one of their children. Other
 * nodes are no joints. */
START_TEST(skinned_flesh_is_that_of_related_joints)
{
    static const uint32_t all_of_c[6] = {2, 2, 2, 2, 2, 2};
    static const float whole[6] = {1, 1, 1, 1, 1, 1};
    static const char *const names[4] = {"a", "b", "c", "d"};
    static const bool occluded[4] = {true, false, false, false};
    mrw_mat4 binds[4];
    uint32_t nodes[4], skin;
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    mesh.influence_count = 1;
    mesh.joints = all_of_c;
    mesh.weights = whole;
    mesh.joint_limit = 4;
    for (uint32_t j = 0; j < 4; j++) {
        nodes[j] = j == 0 ? add_at(b, names[j], MRW_NONE, 0.5f, 0.25f, -3)
                          : add_at(b, names[j], nodes[j - 1], 0, 0, 0);
        binds[j] = (mrw_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.5f, -0.25f, 3, 1}};
    }
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", nodes, binds, 4, &skin, NULL), MRW_OK);
    draw(b, add_node(b, "body", MRW_NONE), &mesh, skin);
    stand s;
    set_up(finish(b), 0, &s);
    const mrw_bake_joints_job job = job_of(&s);
    mrw_bake_joints joints = find(&job);
    ck_assert_uint_eq(joints.count, 4);
    for (int j = 0; j < 4; j++) {
        const mrw_bake_joint *joint = joint_of(&s, &joints, names[j]);
        ck_assert(joint->hidden);
        ck_assert_msg(joint->occluded == occluded[j], "%s", names[j]);
    }
    mrw_bake_joints_free(&joints);
    take_down(&s);
}
END_TEST

/* Column-major, of an affine map, to about the precision of its floats. */
static void assert_affine(const mrw_mat4 *m, const double want[12])
{
    for (int i = 0; i < 16; i++) {
        const double bottom = i == 15 ? 1.0 : 0.0;
        ck_assert_double_eq_tol((double)m->m[i], i % 4 == 3 ? bottom : want[i / 4 * 3 + i % 4],
                                1e-6);
    }
}

/* "tip" hangs 2 above "root", which stands at x = 1, turned by 90 degrees about Z. The first skin
 * has the tip before the root; the second one the root alone, bound otherwise. */
static mrw_scene *twice_bound(void)
{
    static const uint32_t first[6] = {0};
    static const float whole[6] = {1, 1, 1, 1, 1, 1};
    const mrw_mat4 binds[3] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -3, 0, 0, 1}},
                               {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
                               {{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}}};
    mrwi_scene_builder *b = begin();
    mrwi_scene_node_input root = {.name = "root", .parent = MRW_NONE, .rest = identity};
    root.rest.translation[0] = 1;
    root.rest.rotation[2] = root.rest.rotation[3] = sqrtf(0.5f);
    uint32_t nodes[2], skins[2];
    ck_assert_int_eq(mrwi_scene_builder_node(b, &root, &nodes[1], NULL), MRW_OK);
    nodes[0] = add_at(b, "tip", nodes[1], 0, 2, 0);
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "one", nodes, binds, 2, &skins[0], NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "two", nodes + 1, binds + 2, 1, &skins[1], NULL),
                     MRW_OK);
    mrwi_scene_mesh_input mesh = square_mesh();
    mesh.influence_count = 1;
    mesh.joints = first;
    mesh.weights = whole;
    for (int i = 0; i < 2; i++) {
        mesh.joint_limit = i == 0 ? 2 : 1;
        draw(b, add_node(b, "body", MRW_NONE), &mesh, skins[i]);
    }
    return finish(b);
}

/* A turn by 90 degrees takes (x, y) to (-y, x). The tip is at (-1, 0), so that what is 3 before it
 * comes to (-1, 0) + turned (-3, 0) = (-1, -3). */
START_TEST(matrices_of_skins_are_in_their_order)
{
    static const double finals[3][12] = {{0, 1, 0, -1, 0, 0, 0, 0, 1, -1, -3, 7},
                                         {0, 1, 0, -1, 0, 0, 0, 0, 1, 1, 0, 7},
                                         {0, 2, 0, -2, 0, 0, 0, 0, 2, 1, 0, 7}};
    static const double placed[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 7};
    stand s;
    set_up(twice_bound(), 0, &s);
    s.instance.model_to_world.m[14] = 7;
    for (int bind = 0; bind < 2; bind++) {
        s.instance.pose = bind ? MRW_POSE_BIND : MRW_POSE_REST;
        ck_assert_int_eq(
            mrw_pose_instances(s.renderer, &s.instance, 1, MRW_ISA_AUTO, &s.posed, NULL), MRW_OK);
        const mrw_bake_joints_job job = job_of(&s);
        mrw_bake_joints joints = find(&job);
        ck_assert_uint_eq(joint_of(&s, &joints, "tip")->joint, 0);
        ck_assert_uint_eq(joint_of(&s, &joints, "root")->joint, 1); /* not the second skin's */
        ck_assert_uint_eq(s.scene->joints_count, 3);
        for (int j = 0; j < 3; j++) {
            assert_affine(&joints.geometry_to_world[j], bind ? placed : finals[j]);
        }
        mrw_bake_joints_free(&joints);
    }
    take_down(&s);
}
END_TEST

/* What a shader would make of a vertex. */
static void blend(const mrw_scene *scene, const mrw_draw *draw, const mrw_influence_group *group,
                  uint32_t vertex, const mrw_mat4 *finals, double out[3])
{
    const float *p = scene->positions + 3 * ((size_t)scene->meshes[draw->mesh].position + vertex);
    const size_t first =
        group->first_influence + (size_t)(vertex - group->first_vertex) * group->influence_count;
    out[0] = out[1] = out[2] = 0.0;
    for (size_t i = first; i < first + group->influence_count; i++) {
        const float *m =
            finals[scene->skins[draw->skin].first_joint + scene->influence_joints[i]].m;
        for (int r = 0; r < 3; r++) {
            out[r] += (double)scene->influence_weights[i] *
                      ((double)m[r] * (double)p[0] + (double)m[4 + r] * (double)p[1] +
                       (double)m[8 + r] * (double)p[2] + (double)m[12 + r]);
        }
    }
}

START_TEST(matrices_move_vertices_where_they_are_drawn)
{
    stand s;
    mrw_scene *scene;
    uint32_t vertices = 0;
    ck_assert_int_eq(mrw_load_file("demo:figure", NULL, &scene, NULL), MRW_OK);
    set_up(scene, 0.4, &s);
    s.instance.clip = 1;
    ck_assert_int_eq(mrw_pose_instances(s.renderer, &s.instance, 1, MRW_ISA_AUTO, &s.posed, NULL),
                     MRW_OK);
    const mrw_bake_joints_job job = job_of(&s);
    mrw_bake_joints joints = find(&job);
    for (uint32_t d = 0; d < scene->draws_count; d++) {
        const mrw_draw *drawn = &scene->draws[d];
        const mrw_mesh *mesh = &scene->meshes[drawn->mesh];
        for (uint32_t g = 0; g < mesh->group_count && drawn->skin != MRW_NONE; g++) {
            const mrw_influence_group *group = &scene->groups[mesh->first_group + g];
            for (uint32_t v = group->first_vertex; v < group->first_vertex + group->vertex_count;
                 v++, vertices++) {
                double want[3];
                blend(scene, drawn, group, v, joints.geometry_to_world, want);
                for (int r = 0; r < 3; r++) {
                    const float *at = s.posed[0].draws[d].positions + 4 * (size_t)v;
                    ck_assert_double_eq_tol((double)at[r], want[r], 1e-6);
                }
            }
        }
    }
    ck_assert_uint_gt(vertices, 1000);
    mrw_bake_joints_free(&joints);
    take_down(&s);
}
END_TEST

static bool at_once(void *asked)
{
    ++*(int *)asked;
    return true;
}

START_TEST(stopping_is_an_error)
{
    stand s;
    mrw_bake_joints joints;
    mrw_error error;
    int asked = 0;
    set_up(wall(false), 0, &s);
    mrw_bake_joints_job job = job_of(&s);
    job.stop = at_once;
    job.user = &asked;
    ck_assert_int_eq(mrw_bake_joints_find(&job, &joints, &error), MRW_ERROR_CANCELLED);
    ck_assert_int_eq(asked, 1);
    take_down(&s);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

/* The triangle with texture coordinates, once as it is and once mirrored at x = 0. */
static mrw_scene *mirrored_pair(void)
{
    static const float uvs[6] = {0, 1, 1, 1, 0, 0.25f};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = triangle_mesh(), plain = triangle_mesh();
    plain.name = "a/b";
    mesh.uvs[0] = uvs;
    draw(b, add_node(b, "left hand", MRW_NONE), &mesh, MRW_NONE);
    draw(b, add_scaled(b, MRW_NONE, -1, 1, 1), &plain, MRW_NONE);
    return finish(b);
}

/* Names hold what file names hold; v counts from the bottom; the mirrored face is turned round. */
static const char mirrored_obj[] = "o 0_left_hand_tri\n"
                                   "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
                                   "vt 0 0\nvt 1 0\nvt 0 0.75\n"
                                   "vn 0 0 1\nvn 0 0 1\nvn 0 0 1\n"
                                   "f 1/1/1 2/2/2 3/3/3\n"
                                   "o 1___a_b\n"
                                   "v 0 0 0\nv -1 0 0\nv 0 1 0\n"
                                   "vn 0 0 1\nvn 0 0 1\nvn 0 0 1\n"
                                   "f 4//4 6//6 5//5\n";

/* As text; "-0" is 0 here. */
static char *encode_obj(const stand *s)
{
    mrw_bytes obj;
    ck_assert_int_eq(mrw_bake_mesh_encode(s->scene, s->posed[0].draws, MRW_BAKE_OBJ, &obj, NULL),
                     MRW_OK);
    char *text = calloc(obj.size + 1, 1);
    for (size_t i = 0, at = 0; i < obj.size; i++) {
        const bool zero = obj.data[i] == '-' && i + 2 < obj.size && obj.data[i + 1] == '0' &&
                          obj.data[i + 2] <= ' ';
        if (!zero) {
            text[at++] = (char)obj.data[i];
        }
    }
    mrw_bytes_free(&obj);
    return text;
}

START_TEST(obj_is_as_written_by_hand)
{
    stand s;
    set_up(mirrored_pair(), 0, &s);
    char *text = encode_obj(&s);
    ck_assert_str_eq(text, mirrored_obj);
    free(text);
    take_down(&s);
}
END_TEST

static float float_at(const uint8_t *bytes)
{
    const uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                          (uint32_t)bytes[3] << 24;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

START_TEST(ply_is_as_laid_out_by_hand)
{
    static const char head[] =
        "ply\nformat binary_little_endian 1.0\nelement vertex 6\nproperty float x\n"
        "property float y\nproperty float z\nproperty float nx\nproperty float ny\n"
        "property float nz\nproperty float s\nproperty float t\nelement face 2\n"
        "property list uchar int vertex_indices\nend_header\n";
    static const float vertices[6][8] = {{0, 0, 0, 0, 0, 1, 0, 0},     {1, 0, 0, 0, 0, 1, 1, 0},
                                         {0, 1, 0, 0, 0, 1, 0, 0.75f}, {0, 0, 0, 0, 0, 1, 0, 0},
                                         {-1, 0, 0, 0, 0, 1, 0, 0},    {0, 1, 0, 0, 0, 1, 0, 0}};
    static const uint8_t faces[26] = {3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
                                      3, 3, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0};
    stand s;
    mrw_bytes ply;
    set_up(mirrored_pair(), 0, &s);
    ck_assert_int_eq(mrw_bake_mesh_encode(s.scene, s.posed[0].draws, MRW_BAKE_PLY, &ply, NULL),
                     MRW_OK);
    ck_assert_uint_eq(ply.size, sizeof head - 1 + 6 * 32 + 26);
    ck_assert_mem_eq(ply.data, head, sizeof head - 1);
    const uint8_t *at = ply.data + sizeof head - 1;
    for (int v = 0; v < 6; v++) {
        for (int k = 0; k < 8; k++, at += 4) {
            ck_assert_msg(float_at(at) == vertices[v][k], "vertex %d, value %d", v, k);
        }
    }
    ck_assert_mem_eq(at, faces, sizeof faces);
    mrw_bytes_free(&ply);
    take_down(&s);
}
END_TEST

START_TEST(files_are_whole_or_not_there)
{
    const char *path = test_path("posed.ply");
    stand s;
    mrw_error error;
    struct {
        char text[1024];
        size_t size;
    } file;
    set_up(mirrored_pair(), 0, &s);
    ck_assert_int_eq(mrw_bake_mesh_write(s.scene, s.posed[0].draws, MRW_BAKE_PLY, path, &error),
                     MRW_OK);
    FILE *in = fopen(path, "rb");
    ck_assert_ptr_nonnull(in);
    file.size = fread(file.text, 1, sizeof file.text, in);
    fclose(in);
    mrw_bytes ply;
    ck_assert_int_eq(mrw_bake_mesh_encode(s.scene, s.posed[0].draws, MRW_BAKE_PLY, &ply, NULL),
                     MRW_OK);
    ck_assert_uint_eq(file.size, ply.size);
    ck_assert_mem_eq(file.text, ply.data, ply.size);
    mrw_bytes_free(&ply);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(test_folder()), 0); /* nothing else was in it */
    ck_assert_int_eq(mrw_bake_mesh_write(s.scene, s.posed[0].draws, MRW_BAKE_PLY, path, &error),
                     MRW_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(error.text, path));
    take_down(&s);
    test_folder_remove();
}
END_TEST

/* ---- masks ----------------------------------------------------------------------------------- */

/* Four wide, three high; columns from the left are 1 1 0, 0 1 2, 3 3 3 and 1 0 3. */
static const uint32_t numbered[12] = {1, 0, 3, 1, 1, 1, 3, 0, 0, 2, 3, 3};

/* Numbers 1 and 2 show thing 0, number 3 thing 2; nothing shows thing 1. */
static mrw_status find_masks(mrw_bake_masks *masks, mrw_error *error)
{
    static const uint32_t owners[3] = {0, 0, 2};
    uint32_t pixels[12];
    memcpy(pixels, numbered, sizeof pixels);
    const mrw_image image = {4, 3, 1, MRW_FORMAT_U32, (uint8_t *)pixels, NULL};
    return mrw_bake_masks_find(&image, owners, 3, masks, error);
}

START_TEST(masks_are_runs_down_the_columns)
{
    static const uint32_t first[] = {0, 2, 2, 2, 3, 1, 2}, none[] = {12}, third[] = {6, 3, 2, 1};
    static const uint32_t boxes[3][4] = {{0, 0, 4, 3}, {0, 0, 0, 0}, {2, 0, 2, 3}};
    static const uint32_t areas[3] = {5, 0, 4};
    static const uint32_t *const runs[3] = {first, none, third};
    static const uint32_t counts[3] = {COUNT(first), COUNT(none), COUNT(third)};
    mrw_bake_masks masks;
    ck_assert_int_eq(find_masks(&masks, NULL), MRW_OK);
    ck_assert_uint_eq(masks.count, 3);
    for (int i = 0; i < 3; i++) {
        const mrw_bake_mask *mask = &masks.items[i];
        ck_assert_uint_eq(mask->area, areas[i]);
        ck_assert_mem_eq(mask->box, boxes[i], sizeof boxes[i]);
        ck_assert_uint_eq(mask->run_count, counts[i]);
        ck_assert_mem_eq(mask->runs, runs[i], counts[i] * sizeof(uint32_t));
    }
    mrw_bake_masks_free(&masks);
    ck_assert(!masks.items && masks.count == 0);
    mrw_bake_masks_free(&masks);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

typedef mrw_status (*attempt)(const stand *s, mrw_error *error);

static mrw_status try_meshes(const stand *s, mrw_error *error)
{
    mrw_bake_meshes meshes;
    mrw_status status = mrw_bake_meshes_measure(s->scene, s->posed[0].draws, &meshes, error);
    if (status == MRW_OK) {
        mrw_bake_meshes_free(&meshes);
    }
    return status;
}

static mrw_status try_joints(const stand *s, mrw_error *error)
{
    const mrw_bake_joints_job job = job_of(s);
    mrw_bake_joints joints;
    mrw_status status = mrw_bake_joints_find(&job, &joints, error);
    if (status == MRW_OK) {
        mrw_bake_joints_free(&joints);
    }
    return status;
}

static mrw_status try_obj(const stand *s, mrw_error *error)
{
    mrw_bytes obj;
    mrw_status status =
        mrw_bake_mesh_encode(s->scene, s->posed[0].draws, MRW_BAKE_OBJ, &obj, error);
    if (status == MRW_OK) {
        mrw_bytes_free(&obj);
    }
    return status;
}

static mrw_status try_masks(const stand *unused, mrw_error *error)
{
    mrw_bake_masks masks;
    mrw_status status = find_masks(&masks, error);
    (void)unused;
    if (status == MRW_OK) {
        mrw_bake_masks_free(&masks);
    }
    return status;
}

START_TEST(each_failed_allocation_is_told)
{
    static const attempt attempts[4] = {try_meshes, try_joints, try_obj, try_masks};
    static const uint64_t least[4] = {1, 6, 1, 5}; /* allocations there are at least */
    stand s;
    set_up(wall(false), 0, &s);
    uint64_t n = 1;
    for (bool failed = true; failed; n++) {
        mrw_error error = {0};
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = attempts[_i](&s, &error);
        failed = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(status, failed ? MRW_ERROR_MEMORY : MRW_OK);
        ck_assert_int_eq(error.status, status);
    }
    ck_assert_uint_gt(n - 1, least[_i]);
    take_down(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("bake");
    TCase *measures = test_case(s, "measures");
    tcase_add_test(measures, triangles_are_measured_where_they_are);
    tcase_add_test(measures, nothing_has_no_centroid);
    tcase_add_test(measures, bones_are_no_meshes_of_the_file);
    TCase *joints = test_case(s, "joints");
    tcase_add_test(joints, joints_behind_a_wall_are_hidden);
    tcase_add_test(joints, nodes_are_found_as_joints_are);
    tcase_add_loop_test(joints, what_is_not_drawn_hides_nothing, 0, 2);
    tcase_add_test(joints, tolerance_is_a_share_of_the_diagonal);
    tcase_add_test(joints, other_instances_hide);
    tcase_add_test(joints, a_perspective_has_a_back);
    tcase_add_test(joints, skinned_flesh_is_that_of_related_joints);
    tcase_add_test(joints, matrices_of_skins_are_in_their_order);
    tcase_add_test(joints, matrices_move_vertices_where_they_are_drawn);
    tcase_add_test(joints, stopping_is_an_error);
    tcase_add_test(test_case(s, "masks"), masks_are_runs_down_the_columns);
    TCase *files = test_case(s, "files");
    tcase_add_test(files, obj_is_as_written_by_hand);
    tcase_add_test(files, ply_is_as_laid_out_by_hand);
    tcase_add_test(files, files_are_whole_or_not_there);
    tcase_add_loop_test(test_case(s, "memory"), each_failed_allocation_is_told, 0, 4);
    return s;
}

TEST_MAIN(suite())
