/* test_fit.c: framing measures every vertex: what hulls leave out, copies that share heights, and
 * points that are no numbers. The expected values come from a slow loop over all vertices. */
#include "test.h"

#include "base/parallel.h"
#include "frame/hulls.h"

#include <marrow/load.h>

static uint64_t seed = 7;

/* ---- the slow way ---------------------------------------------------------------------------- */

/* The support of a point along a normal, in the order that view/extents.c promises. */
static float slow_support(const float *normal, const float *p)
{
    return (p[0] * normal[0] + p[1] * normal[1]) + (p[2] * normal[2] + 0.0f);
}

/* Adds a point: twelve products, of which a comparison with NaN takes none. */
static void slow_add(mrw_extents *e, const float *p)
{
    for (int k = 0; k < MRW_PLANE_COUNT; k++) {
        const float d = slow_support(e->plane[k], p);
        e->support[k] = d > e->support[k] ? d : e->support[k];
    }
    for (int i = 0; i < 3; i++) {
        float up[3] = {0}, down[3] = {-0.0f, -0.0f, -0.0f};
        up[i] = 1.0f;
        down[i] = -1.0f;
        const float high = slow_support(up, p), low = 0.0f - slow_support(down, p);
        e->aabb_max[i] = high > e->aabb_max[i] ? high : e->aabb_max[i];
        e->aabb_min[i] = low < e->aabb_min[i] ? low : e->aabb_min[i];
    }
    e->count++;
}

static void expect_equal(const mrw_extents *slow, const mrw_extents *fast)
{
    ck_assert_uint_eq(slow->count, fast->count);
    ck_assert_mem_eq(slow->support, fast->support, sizeof slow->support);
    ck_assert_mem_eq(slow->aabb_min, fast->aabb_min, sizeof slow->aabb_min);
    ck_assert_mem_eq(slow->aabb_max, fast->aabb_max, sizeof slow->aabb_max);
}

static mrw_view_def random_view(void)
{
    mrw_view_def view = mrw_view_def_default();
    view.azimuth_degrees = test_random_float(&seed, -180.0f, 180.0f);
    view.elevation_degrees =
        test_random_below(&seed, 2) ? 0.0f : test_random_float(&seed, -89.0f, 89.0f);
    view.orthographic = test_random_below(&seed, 2);
    return view;
}

/* ---- points ---------------------------------------------------------------------------------- */

static float odd_number(void)
{
    static const float odd[] = {0.0f,     -0.0f,  INFINITY, -INFINITY, NAN,      -NAN, FLT_MAX,
                                -FLT_MAX, 1e-42f, -1e-42f,  3e38f,     -3.4e38f, 1.0f, -1.0f};
    return odd[test_random_below(&seed, sizeof odd / sizeof *odd)];
}

/* NaN, infinities, zeros of both signs and sums that overflow count as in the slow loop, in any
 * number of points and calls. */
START_TEST(odd_points_count_as_defined)
{
    float points[5 * 300];
    for (int round = 0; round < TEST_ROUNDS(4000); round++) {
        const mrw_view_def view = random_view();
        const uint32_t count = test_random_below(&seed, round % 8 ? 20 : 301);
        const uint32_t stride = 3 + test_random_below(&seed, 3), odd = test_random_below(&seed, 40);
        mrw_extents slow, fast;
        mrw_extents_begin(&view, 1.5f, &slow);
        fast = slow;
        for (uint32_t i = 0; i < count * stride; i++) {
            points[i] = test_random_below(&seed, 1 + odd) == 1
                            ? odd_number()
                            : test_random_float(&seed, -2.0f, 2.0f);
        }
        for (uint32_t i = 0; i < count; i++) {
            slow_add(&slow, points + (size_t)i * stride);
        }
        const uint32_t half = test_random_below(&seed, count + 1);
        mrw_extents_add(&fast, points, half, stride);
        mrw_extents_add(&fast, points + (size_t)half * stride, count - half, stride);
        expect_equal(&slow, &fast);
    }
}
END_TEST

/* Points in a box that is held change nothing; at the ends of the box they touch what is there. */
START_TEST(a_box_that_is_held_changes_nothing)
{
    uint32_t held = 0, refused = 0;
    for (int round = 0; round < TEST_ROUNDS(20000); round++) {
        mrw_extents before[2], after[2];
        mrwi_view_box box;
        float points[4 * 30];
        for (int v = 0; v < 2; v++) {
            const mrw_view_def view = random_view();
            mrw_extents_begin(&view, 1.0f, &before[v]);
        }
        for (int i = 0; i < 120; i++) {
            points[i] = test_random_float(&seed, -1.0f, 1.0f);
        }
        mrwi_view_extents_add(before, 2, points, 30);
        for (int i = 0; i < 3; i++) {
            const float a = test_random_float(&seed, -0.8f, 0.8f);
            box.min[i] = a;
            box.max[i] = a + test_random_float(&seed, 0.0f, 0.3f);
        }
        memcpy(after, before, sizeof after);
        const bool holds = mrwi_view_extents_hold(before, 2, &box, 0);
        for (int i = 0; i < 8; i++) {
            const float corner[4] = {i & 1 ? box.min[0] : box.max[0],
                                     i & 2 ? box.min[1] : box.max[1],
                                     i & 4 ? box.min[2] : box.max[2], 1.0f};
            mrwi_view_extents_add(after, 2, corner, 1);
        }
        const bool same = memcmp(before[0].support, after[0].support, 24) == 0 &&
                          memcmp(before[1].support, after[1].support, 24) == 0 &&
                          memcmp(before[0].aabb_min, after[0].aabb_min, 24) == 0;
        ck_assert_int_eq(holds, same); /* the corners of a box are its points farthest out */
        held += holds;
        refused += !holds;
    }
    ck_assert_uint_gt(held, 50);
    ck_assert_uint_gt(refused, 50);
}
END_TEST

/* Seen from the front in a parallel projection, top and bottom depend on y alone. */
START_TEST(known_axes_need_not_be_held)
{
    const float point[4] = {1.0f, 2.0f, 3.0f, 1.0f};
    const mrwi_view_box higher = {{1.0f, 2.0f, 3.0f}, {1.0f, 2.5f, 3.0f}};
    const mrwi_view_box wider = {{1.0f, 2.0f, 3.0f}, {1.5f, 2.0f, 3.0f}};
    mrw_view_def view = mrw_view_def_default();
    mrw_extents e;
    view.orthographic = true;
    view.azimuth_degrees = view.elevation_degrees = 0.0f;
    mrw_extents_begin(&view, 1.0f, &e);
    mrw_extents_add(&e, point, 1, 4);
    ck_assert(!mrwi_view_extents_hold(&e, 1, &higher, 0));
    ck_assert(mrwi_view_extents_hold(&e, 1, &higher, 2));
    ck_assert(!mrwi_view_extents_hold(&e, 1, &higher, 5));
    ck_assert(!mrwi_view_extents_hold(&e, 1, &wider, 2));
    ck_assert(mrwi_view_extents_hold(&e, 1, &wider, 1));
    view.elevation_degrees = 30.0f; /* now top and bottom depend on z, too */
    mrw_extents_begin(&view, 1.0f, &e);
    mrw_extents_add(&e, point, 1, 4);
    ck_assert(!mrwi_view_extents_hold(&e, 1, &higher, 2));
}
END_TEST

/* ---- hulls ----------------------------------------------------------------------------------- */

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
} stage;

static void open_stage(const char *model, stage *s)
{
    mrw_error error = {0};
    ck_assert_msg(mrw_load_file(model, NULL, &s->scene, &error) == MRW_OK, "%s", error.text);
    ck_assert(mrw_model_create(s->scene, MRW_SHADING_LIT, 1, &s->model, &error) == MRW_OK);
    ck_assert(mrw_renderer_create(&s->renderer, &error) == MRW_OK);
}

static void close_stage(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

/* Any affine matrix: of any size, with translations that dwarf it or not, and now and then with a
 * number that overflows. */
static void random_matrix(float size, mrw_mat4 *m)
{
    const float far = test_random_below(&seed, 2) ? 1000.0f : 1.0f;
    for (int i = 0; i < 16; i++) {
        m->m[i] = size * test_random_float(&seed, -1.0f, 1.0f) * (i >= 12 ? far : 1.0f);
        if (test_random_below(&seed, 20000) == 0) {
            m->m[i] = odd_number();
        }
    }
    m->m[3] = m->m[7] = m->m[11] = 0.0f;
    m->m[15] = 1.0f;
}

static bool encloses(const mrwi_view_box *box, const float *p)
{
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        inside = inside && p[i] >= box->min[i] && p[i] <= box->max[i];
    }
    return inside;
}

/* Whatever the matrices are, a placed hull has all its vertices inside. */
static void expect_enclosed(const stage *s, const mrwi_frame_hulls *hulls, uint32_t number,
                            mrw_skin_job *job, uint32_t *placed)
{
    const mrw_mesh *mesh = &s->scene->meshes[number];
    uint32_t at = hulls->meshes[number].first_block;
    mrwi_view_box whole, box;
    job->groups = s->model->influences.groups + mesh->first_group;
    job->group_count = mesh->group_count;
    job->positions = s->scene->positions + (size_t)mesh->position * 3;
    mrw_skin_vertices(job);
    const bool has_whole = mrwi_frame_hull_place(hulls, &hulls->meshes[number].whole, job, &whole);
    for (uint32_t g = 0; g < job->group_count; g++) {
        const mrw_skin_group *group = &job->groups[g];
        for (uint32_t v = 0; v < group->vertex_count; v++) {
            const float *p = job->out_positions + 4 * (size_t)(group->first_vertex + v);
            if (v % MRWI_FRAME_HULL_BLOCK == 0 &&
                !mrwi_frame_hull_place(hulls, &hulls->blocks[at++], job, &box)) {
                box = (mrwi_view_box){{-INFINITY, -INFINITY, -INFINITY},
                                      {INFINITY, INFINITY, INFINITY}};
            } else {
                ++*placed;
            }
            ck_assert(encloses(&box, p));
            ck_assert(!has_whole || encloses(&whole, p));
        }
    }
}

START_TEST(hulls_enclose_vertices)
{
    static const char *const names[] = {"demo:figure", "demo:tentacle", "demo:blob",
                                        "assets/koi/koi.iqm"};
    static const float sizes[] = {1.0f, 1e-3f, 1e4f, 1e-20f, 1e-42f, 1e30f, 3e35f, 3e38f};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        stage s;
        mrwi_frame_hulls hulls;
        uint32_t joints = 1, most = 1, placed = 0;
        open_stage(names[n], &s);
        ck_assert(mrwi_frame_hulls_build(s.model, &hulls, NULL) == MRW_OK);
        for (uint32_t i = 0; i < s.scene->skins_count; i++) {
            joints += s.scene->skins[i].joint_count;
        }
        for (uint32_t i = 0; i < s.scene->meshes_count; i++) {
            const uint32_t count = s.scene->meshes[i].vertex_count;
            most = count > most ? count : most;
        }
        mrw_mat4 *palette = aligned_alloc(64, joints * sizeof *palette);
        float *positions = aligned_alloc(64, (most + 4) * 16 / 64 * 64 + 64);
        for (int round = 0; round < TEST_ROUNDS(48); round++) {
            const float size = sizes[round % 8];
            mrw_mat4 rigid;
            random_matrix(size, &rigid);
            for (uint32_t i = 0; i < joints; i++) {
                random_matrix(size, &palette[i]);
            }
            mrw_skin_job job = {.palette = palette,
                                .rigid = &rigid,
                                .out_positions = positions,
                                .isa = MRW_ISA_SCALAR};
            for (uint32_t i = 0; i < s.scene->meshes_count; i++) {
                expect_enclosed(&s, &hulls, i, &job, &placed);
            }
        }
        ck_assert_uint_gt(placed, 100);
        free(palette);
        free(positions);
        mrwi_frame_hulls_free(&hulls);
        close_stage(&s);
    }
}
END_TEST

/* A mesh that is not drawn may name joints that no skin has: a compiled scene with one is valid. */
START_TEST(hulls_of_joints_without_a_skin)
{
    stage s;
    mrwi_frame_hulls hulls;
    open_stage("demo:tentacle", &s);
    mrw_skin_group *group = (void *)(uintptr_t)s.model->influences.groups;
    const size_t count = (size_t)group->vertex_count * group->influence_count;
    ck_assert_uint_gt(count, 0);
    uint16_t *joints = malloc(count * sizeof *joints);
    for (size_t i = 0; i < count; i++) {
        joints[i] = (uint16_t)(UINT16_MAX - i % 2);
    }
    group->joints = joints;
    ck_assert(mrwi_frame_hulls_build(s.model, &hulls, NULL) == MRW_OK);
    ck_assert_uint_eq(hulls.blocks[0].part_count, 2);
    ck_assert_uint_eq(hulls.parts[0].joint, UINT16_MAX);
    ck_assert_uint_eq(hulls.parts[1].joint, UINT16_MAX - 1);
    free(joints);
    mrwi_frame_hulls_free(&hulls);
    close_stage(&s);
}
END_TEST

/* ---- framing --------------------------------------------------------------------------------- */

#define VIEWS 2
#define CROWD 9

/* Adds all vertices of the instances, at a time unless it is negative. Those that show the same in
 * one place count once. */
static void slow_pose(stage *s, const mrw_instance *instances, uint32_t count, double time,
                      const mrw_follow *follow, mrw_extents out[VIEWS])
{
    const mrw_posed_instance *posed;
    mrw_instance at[CROWD];
    for (uint32_t i = 0; i < count; i++) {
        at[i] = instances[i];
        if (time >= 0.0) {
            at[i].time = time;
            at[i].offset = 0.0;
        }
    }
    ck_assert(mrw_pose_instances(s->renderer, at, count, MRW_ISA_SCALAR, &posed, NULL) == MRW_OK);
    for (uint32_t i = 0; i < count; i++) {
        bool seen = false;
        for (uint32_t k = 0; k < i; k++) {
            seen = seen || posed[k].draws == posed[i].draws;
        }
        for (uint32_t d = 0; d < s->scene->draws_count && !seen; d++) {
            for (uint32_t v = 0; v < posed[i].draws[d].vertex_count; v++) {
                float p[3];
                for (int k = 0; k < 3; k++) {
                    const float *node = posed[0].node_to_world[follow ? follow->node : 0].m + 12;
                    p[k] = posed[i].draws[d].positions[4 * (size_t)v + (size_t)k] -
                           (follow ? node[k] - follow->origin[k] : 0.0f);
                }
                for (int k = 0; k < VIEWS; k++) {
                    slow_add(&out[k], p);
                }
            }
        }
    }
}

/* Makes a crowd that plays one clip: copies on one ground, two in one place, one turned, one in the
 * air, one larger. */
static void make_crowd(const stage *s, uint32_t clip, mrw_skinning skinning,
                       mrw_instance crowd[CROWD])
{
    for (int i = 0; i < CROWD; i++) {
        float *m = crowd[i].model_to_world.m;
        crowd[i] = mrw_instance_default(s->model);
        crowd[i].clip = clip;
        crowd[i].skinning = skinning;
        m[12] = 1.7f * (float)(i % 3);
        m[14] = -0.9f * (float)(i / 3);
    }
    float *turned = crowd[3].model_to_world.m, *large = crowd[5].model_to_world.m;
    crowd[2].model_to_world = crowd[1].model_to_world;
    turned[0] = turned[10] = 0.0f;
    turned[2] = -1.0f;
    turned[8] = 1.0f;
    crowd[4].model_to_world.m[13] = 0.25f;
    large[0] = large[5] = large[10] = 1.25f;
}

/* Compares a fit of a crowd with the slow way. */
static void expect_crowd(stage *s, const mrw_instance *crowd, uint32_t count, mrw_fit fit,
                         const mrw_follow *follow, bool aligned)
{
    static double times[1000];
    mrw_view_def views[VIEWS];
    mrw_extents slow[VIEWS], fast[VIEWS];
    uint32_t moments = fit == MRW_FIT_CLIP ? mrwi_frame_fit_times(crowd, count, times) : 1;
    times[0] = fit == MRW_FIT_CLIP ? times[0] : -1.0;
    for (int v = 0; v < VIEWS; v++) {
        views[v] = random_view();
        if (aligned) { /* sides depend on one axis each */
            views[v].orthographic = true;
            views[v].azimuth_degrees = 90.0f * (float)v;
            views[v].elevation_degrees = 0.0f;
        }
        mrw_extents_begin(&views[v], 1.25f, &slow[v]);
    }
    for (uint32_t t = 0; t < moments; t++) {
        slow_pose(s, crowd, count, times[t], follow, slow);
    }
    for (int threads = 1; threads < 3; threads++) {
        ck_assert(mrw_frame_extents_of_views(crowd, count, follow, fit, views, VIEWS, 1.25f,
                                             MRW_ISA_AUTO, threads, fast, NULL) == MRW_OK);
        for (int v = 0; v < VIEWS; v++) {
            expect_equal(&slow[v], &fast[v]);
        }
    }
}

/* The camera of a crowd is that of all its vertices, to the bit: rigid and skinned parts, morph
 * targets, dual quaternions, a camera that follows. */
START_TEST(crowds_are_framed_by_all_vertices)
{
    static const char *const names[] = {"demo:figure", "demo:tentacle", "demo:blob"};
    const char *name = names[_i / 2];
    const mrw_skinning skinning = _i % 2 ? MRW_SKINNING_DUAL_QUATERNION : MRW_SKINNING_LINEAR;
    mrw_instance crowd[CROWD];
    stage s;
    open_stage(name, &s);
    make_crowd(&s, 0, skinning, crowd);
    const mrw_posed_instance *posed;
    ck_assert(mrw_pose_instances(s.renderer, crowd, 1, MRW_ISA_AUTO, &posed, NULL) == MRW_OK);
    mrw_follow follow = {.node = s.scene->nodes_count - 1};
    memcpy(follow.origin, posed[0].node_to_world[follow.node].m + 12, sizeof follow.origin);
    for (int aligned = 0; aligned < 2; aligned++) {
        expect_crowd(&s, crowd, CROWD, MRW_FIT_CLIP, NULL, aligned);
        expect_crowd(&s, crowd, CROWD, MRW_FIT_FRAME, NULL, aligned);
        expect_crowd(&s, crowd, aligned ? 1 : CROWD, MRW_FIT_CLIP, &follow, aligned);
    }
    crowd[1].skinning = MRW_SKINNING_DUAL_QUATERNION;
    expect_crowd(&s, crowd, CROWD, MRW_FIT_CLIP, NULL, false);
    close_stage(&s);
}
END_TEST

/* A clip far outside the moments before it is found, too: MRW_FIT_ALL has the extents of each clip
 * merged. */
START_TEST(all_clips_are_those_of_each)
{
    stage s;
    open_stage("demo:figure", &s);
    const mrw_view_def view = random_view();
    mrw_instance instance = mrw_instance_default(s.model);
    mrw_extents all, each, merged;
    ck_assert(mrw_frame_extents(&instance, 1, MRW_FIT_ALL, &view, 1, MRW_ISA_AUTO, 2, &all, NULL) ==
              MRW_OK);
    mrw_extents_begin(&view, 1, &merged);
    for (instance.clip = 0; instance.clip < s.scene->clips_count; instance.clip++) {
        ck_assert(mrw_frame_extents(&instance, 1, MRW_FIT_CLIP, &view, 1, MRW_ISA_AUTO, 1, &each,
                                    NULL) == MRW_OK);
        mrw_extents_merge(&merged, &each);
    }
    expect_equal(&merged, &all);
    close_stage(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("fit");
    TCase *tc = tcase_create("fit");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, odd_points_count_as_defined);
    tcase_add_test(tc, a_box_that_is_held_changes_nothing);
    tcase_add_test(tc, known_axes_need_not_be_held);
    tcase_add_test(tc, hulls_enclose_vertices);
    tcase_add_test(tc, hulls_of_joints_without_a_skin);
    tcase_add_loop_test(tc, crowds_are_framed_by_all_vertices, 0, 6);
    tcase_add_test(tc, all_clips_are_those_of_each);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
