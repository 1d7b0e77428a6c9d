/* test_frame_mix.c: clips played at the same time, root motion, instances that hang on nodes, and
 * cameras that follow them. Expected places are worked out by hand from the clips below. */
#include "scene_fixture.h"

#include "base/memory.h"

#include <marrow/frame.h>

/* ---- a walker: hips, a hand below them, and a stone that stands apart ------------------------ */

enum { HIPS, HAND, STONE, NODES };
enum { GO, BACK, RAISE, BOTH, COUNT, CLIPS };

/* Go, 1 s: hips to (2, 1, 0). Back, 2 s: hips to (-2, 0, 0). Raise, 2 s: hand from (0, 3, 0) to
 * (0, 7, 0). Both, 1 s: hips from (0, 0, 0) to (0, 0, 4), hand from (0, 3, 0) to (5, 3, 0). Count,
 * 32 frames of 30 a second as a float rounds them: hips to (0, 4, 0). */
static void add_clips(mrwi_scene_builder *b, const uint32_t nodes[NODES])
{
    static const double one[2] = {0, 1}, two[2] = {0, 2}, count[2] = {0, 32.0f / 30.0f};
    static const float go[6] = {0, 0, 0, 2, 1, 0}, back[6] = {0, 0, 0, -2, 0, 0};
    static const float raise[6] = {0, 3, 0, 0, 7, 0};
    static const float forth[6] = {0, 0, 0, 0, 0, 4}, side[6] = {0, 3, 0, 5, 3, 0};
    static const float up[6] = {0, 0, 0, 0, 4, 0};
    const mrwi_scene_channel_input channels[] = {
        linear(nodes[HIPS], MRW_PATH_TRANSLATION, 3, 2, one, go),
        linear(nodes[HIPS], MRW_PATH_TRANSLATION, 3, 2, two, back),
        linear(nodes[HAND], MRW_PATH_TRANSLATION, 3, 2, two, raise),
        linear(nodes[HIPS], MRW_PATH_TRANSLATION, 3, 2, one, forth),
        linear(nodes[HIPS], MRW_PATH_TRANSLATION, 3, 2, count, up),
        linear(nodes[HAND], MRW_PATH_TRANSLATION, 3, 2, one, side)};
    static const char *const names[CLIPS] = {"Go", "Back", "Raise", "Both", "Count"};
    for (int c = 0; c < CLIPS; c++) {
        add_clip(b, names[c], 0.0);
        add_channel(b, &channels[c]);
        if (c == BOTH) {
            add_channel(b, &channels[CLIPS]);
        }
    }
}

static mrw_scene *walker(void)
{
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    mrwi_scene_node_input hand = {.name = "hand", .rest = identity};
    uint32_t nodes[NODES], square_index = add_mesh(b, &mesh);
    nodes[HIPS] = add_node(b, "hips", MRW_NONE);
    hand.parent = nodes[HIPS];
    hand.rest.translation[1] = 3;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &hand, &nodes[HAND], NULL), MRW_OK);
    nodes[STONE] = add_node(b, "stone", MRW_NONE);
    for (int n = 0; n < STONE; n++) {
        ck_assert_int_eq(mrwi_scene_builder_draw(b, nodes[n], square_index, MRW_NONE, NULL),
                         MRW_OK);
    }
    add_clips(b, nodes);
    return finish(b);
}

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
    uint32_t node[NODES];
} stage;

static void open_stage(stage *s)
{
    static const char *const names[NODES] = {"hips", "hand", "stone"};
    *s = (stage){.scene = walker()};
    for (uint32_t n = 0; n < s->scene->nodes_count; n++) {
        for (int i = 0; i < NODES; i++) {
            if (strcmp(string_at(s->scene, s->scene->nodes[n].name), names[i]) == 0) {
                s->node[i] = n;
            }
        }
    }
    ck_assert_int_eq(mrw_model_create(s->scene, MRW_SHADING_LIT, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    s->instance = mrw_instance_default(s->model);
}

static void close_stage(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static const mrw_posed_instance *pose(stage *s, const mrw_instance *instances, uint32_t count)
{
    const mrw_posed_instance *posed;
    mrw_error error = {0};
    ck_assert_msg(mrw_pose_instances(s->renderer, instances, count, MRW_ISA_AUTO, &posed, &error) ==
                      MRW_OK,
                  "%s", error.text);
    return posed;
}

#define ASSERT_AT(matrix, x, y, z)                                                                 \
    do {                                                                                           \
        const float *place = (matrix).m + 12;                                                      \
        ck_assert_float_eq_tol(place[0], x, 1e-5f);                                                \
        ck_assert_float_eq_tol(place[1], y, 1e-5f);                                                \
        ck_assert_float_eq_tol(place[2], z, 1e-5f);                                                \
    } while (0)

/* Where hips and hand are at a time; the hand relative to the hips. */
static void expect(stage *s, double time, const float hips[3], const float hand[3])
{
    s->instance.time = time;
    const mrw_mat4 *world = pose(s, &s->instance, 1)->node_to_world;
    ASSERT_AT(world[s->node[HIPS]], hips[0], hips[1], hips[2]);
    ASSERT_AT(world[s->node[HAND]], hips[0] + hand[0], hips[1] + hand[1], hips[2] + hand[2]);
}

#define AT(...) ((const float[3]){__VA_ARGS__})

static const float still[3] = {0, 3, 0};

/* ---- blends ---------------------------------------------------------------------------------- */

/* All matrices and vertices, to the bit. */
static void expect_same(stage *s, const mrw_instance *a, const mrw_instance *b)
{
    mrw_mat4 nodes[64];
    float positions[4 * 6];
    const uint32_t count = s->scene->nodes_count;
    const mrw_posed_instance *posed = pose(s, a, 1);
    memcpy(nodes, posed->node_to_world, count * sizeof *nodes);
    const size_t size = posed->draws[1].vertex_count * 4 * sizeof(float);
    ck_assert_uint_le(size, sizeof positions);
    memcpy(positions, posed->draws[1].positions, size);
    posed = pose(s, b, 1);
    ck_assert_mem_eq(nodes, posed->node_to_world, count * sizeof *nodes);
    ck_assert_mem_eq(positions, posed->draws[1].positions, size);
}

START_TEST(a_clip_with_itself_is_the_clip)
{
    const mrw_track twice[2] = {{MRW_TRACK_BLEND, GO, 0.3f, MRW_NONE},
                                {MRW_TRACK_BLEND, GO, 0.7f, MRW_NONE}};
    const mrw_track one[2] = {{MRW_TRACK_BLEND, GO, 1, MRW_NONE},
                              {MRW_TRACK_BLEND, BACK, 0, MRW_NONE}};
    stage s;
    open_stage(&s);
    for (int sync = 0; sync < 2; sync++) {
        for (int k = 0; k <= 20; k++) {
            mrw_mix first = {twice, 2, sync}, second = {one, 2, sync};
            mrw_instance plain = s.instance;
            plain.time = k * 0.07;
            mrw_instance mixed = plain;
            mixed.mix = &first;
            expect_same(&s, &plain, &mixed);
            mixed.mix = &second;
            expect_same(&s, &plain, &mixed);
        }
    }
    close_stage(&s);
}
END_TEST

/* Go 3 : Back 1. By itself each is clamped: at 1.5 s Go stands at its end. In step they last
 * 0.75 * 1 + 0.25 * 2 = 1.25 s. */
START_TEST(blends_by_hand)
{
    const mrw_track tracks[2] = {{MRW_TRACK_BLEND, GO, 3, MRW_NONE},
                                 {MRW_TRACK_BLEND, BACK, 1, MRW_NONE}};
    mrw_mix mix = {tracks, 2, false};
    stage s;
    open_stage(&s);
    s.instance.mix = &mix;
    ck_assert_double_eq(mrw_instance_duration(&s.instance), 2.0);
    expect(&s, 1.0, AT(1.25f, 0.75f, 0), still);
    expect(&s, 1.5, AT(1.125f, 0.75f, 0), still);
    s.instance.loop = true; /* Go is at 0.5 again */
    expect(&s, 2.5, AT(0.625f, 0.375f, 0), still);
    s.instance.loop = false;
    mix.sync = true;
    ck_assert_double_eq(mrw_instance_duration(&s.instance), 1.25);
    expect(&s, 0.625, AT(0.5f, 0.375f, 0), still);
    expect(&s, 9.0, AT(1, 0.75f, 0), still);
    s.instance.loop = true;
    expect(&s, 1.25 + 0.625, AT(0.5f, 0.375f, 0), still);
    close_stage(&s);
}
END_TEST

/* A float's 32/30 is a little longer than 32 frames: with the rate, frame 32 is the start again; by
 * the duration alone it is still the end. Side by side as well as alone. */
START_TEST(loops_differ_by_their_rate)
{
    stage s;
    open_stage(&s);
    s.instance.clip = COUNT;
    s.instance.loop = true;
    s.instance.time = 32.0 / 30.0;
    mrw_instance two[2] = {s.instance, s.instance};
    two[1].rate = (mrw_rate){30, 1};
    for (int turned = 0; turned < 2; turned++) {
        const mrw_posed_instance *posed = pose(&s, two, 2);
        ASSERT_AT(posed[turned].node_to_world[s.node[HIPS]], 0, 4, 0);
        ASSERT_AT(posed[1 - turned].node_to_world[s.node[HIPS]], 0, 0, 0);
        const mrw_instance first = two[0];
        two[0] = two[1];
        two[1] = first;
    }
    close_stage(&s);
}
END_TEST

/* ---- layers ---------------------------------------------------------------------------------- */

START_TEST(layers_change_the_sub_tree_only)
{
    mrw_track tracks[2] = {{MRW_TRACK_BLEND, GO, 1, MRW_NONE}};
    mrw_mix mix = {tracks, 2, false};
    stage s;
    open_stage(&s);
    s.instance.mix = &mix;
    tracks[1] = (mrw_track){MRW_TRACK_OVERRIDE, BOTH, 1, s.node[HAND]};
    ck_assert_double_eq(mrw_instance_duration(&s.instance), 1.0);
    expect(&s, 0.5, AT(1, 0.5f, 0), AT(2.5f, 3, 0)); /* the hips of Both are not in it */
    tracks[1].weight = 0.5f;
    expect(&s, 0.5, AT(1, 0.5f, 0), AT(1.25f, 3, 0));
    tracks[1] = (mrw_track){MRW_TRACK_OVERRIDE, RAISE, 1, s.node[HAND]};
    ck_assert_double_eq(mrw_instance_duration(&s.instance), 1.0);
    expect(&s, 2.0, AT(2, 1, 0), AT(0, 7, 0)); /* the layer plays on while the base stands */
    tracks[1].node = s.node[STONE];
    expect(&s, 0.5, AT(1, 0.5f, 0), still);
    close_stage(&s);
}
END_TEST

START_TEST(additive_layers_add_differences)
{
    mrw_track tracks[2] = {{MRW_TRACK_BLEND, GO, 1, MRW_NONE},
                           {MRW_TRACK_ADDITIVE, BOTH, 1, MRW_NONE}};
    mrw_mix mix = {tracks, 2, false};
    stage s;
    open_stage(&s);
    s.instance.mix = &mix;
    ck_assert_double_eq(mrw_instance_duration(&s.instance), 1.0);
    expect(&s, 0.5, AT(1, 0.5f, 2), AT(2.5f, 3, 0));
    mrw_instance plain = s.instance; /* a difference of nothing: the same bits */
    plain.mix = NULL;
    plain.time = s.instance.time = 0.0;
    expect_same(&s, &plain, &s.instance);
    tracks[1].weight = 0;
    plain.time = s.instance.time = 0.7;
    expect_same(&s, &plain, &s.instance);
    close_stage(&s);
}
END_TEST

START_TEST(clips_play_together)
{
    const mrw_track tracks[2] = {{MRW_TRACK_BLEND, GO, 1, MRW_NONE},
                                 {MRW_TRACK_OVERRIDE, RAISE, 1, MRW_NONE}};
    const mrw_mix mix = {tracks, 2, false};
    stage s;
    open_stage(&s);
    s.instance.mix = &mix;
    ck_assert_double_eq(mrw_instance_duration(&s.instance), 2.0);
    expect(&s, 0.5, AT(1, 0.5f, 0), AT(0, 4, 0));
    expect(&s, 1.5, AT(2, 1, 0), AT(0, 6, 0));
    close_stage(&s);
}
END_TEST

/* ---- root motion ----------------------------------------------------------------------------- */

START_TEST(root_motion)
{
    const mrw_track tracks[2] = {{MRW_TRACK_BLEND, GO, 1, MRW_NONE},
                                 {MRW_TRACK_BLEND, BACK, 1, MRW_NONE}};
    const mrw_mix mix = {tracks, 2, true};
    stage s;
    open_stage(&s);
    ck_assert_uint_eq(mrw_model_root(s.model, GO), s.node[HIPS]);
    ck_assert_uint_eq(mrw_model_root(s.model, RAISE), s.node[HAND]);
    s.instance.root_motion = MRW_ROOT_MOTION_STRIP;
    expect(&s, 0.5, AT(0, 0.5f, 0), still); /* height stays */
    s.instance.root_motion = MRW_ROOT_MOTION_LOOP;
    expect(&s, 9.0, AT(2, 1, 0), still); /* clamped: no second loop */
    s.instance.loop = true;
    expect(&s, 2.5, AT(5, 0.5f, 0), still);
    expect(&s, 1000.25, AT(2000.5f, 0.25f, 0), still);
    s.instance.mix = &mix; /* 1.5 s a loop, in which Go goes 2 and Back -2 */
    expect(&s, 3.75, AT(0, 0.25f, 0), still);
    close_stage(&s);
}
END_TEST

/* ---- instances on nodes ---------------------------------------------------------------------- */

/* The parent is turned a quarter about Y, (x, y, z) -> (z, y, -x), and moved by 10 along x: its
 * hand, at (1, 3.5, 0) in its own space after half of Go, is at (10, 3.5, -1). The one on it is
 * moved by (0, 0, 2) in the hand's space, so by (2, 0, 0) in the world. */
START_TEST(attached_instances_move_with_their_node)
{
    stage s;
    open_stage(&s);
    mrw_instance two[2] = {s.instance, s.instance};
    two[0].model_to_world = (mrw_mat4){{0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 10, 0, 0, 1}};
    two[0].time = 0.5;
    two[1].clip = MRW_NONE;
    two[1].model_to_world.m[14] = 2;
    two[1].attached = true;
    two[1].parent = 0;
    two[1].parent_node = s.node[HAND];
    const mrw_posed_instance *posed = pose(&s, two, 2);
    ASSERT_AT(posed[0].node_to_world[s.node[HAND]], 10, 3.5f, -1);
    ASSERT_AT(posed[1].node_to_world[s.node[HIPS]], 12, 3.5f, -1);
    ASSERT_AT(posed[1].node_to_world[s.node[HAND]], 12, 6.5f, -1);
    for (uint32_t v = 0; v < posed[1].draws[0].vertex_count;
         v++) { /* the square on its hips: (x, y, 0) -> (12, y + 3.5, -1 - x) */
        const float *p = posed[1].draws[0].positions + 4 * v;
        const float *in = s.scene->positions + 3 * (size_t)(s.scene->meshes[0].position + v);
        ck_assert_float_eq_tol(p[0], 12, 1e-5f);
        ck_assert_float_eq_tol(p[1], in[1] + 3.5f, 1e-5f);
        ck_assert_float_eq_tol(p[2], -1 - in[0], 1e-5f);
    }
    close_stage(&s);
}
END_TEST

/* In the bind pose joints stand at the inverse of their inverse bind matrices: here at (1, 2, 3),
 * while the node rests at (7, 0, 0). */
START_TEST(bound_joints)
{
    static const uint32_t joints[6] = {0};
    static const float weights[6] = {1, 1, 1, 1, 1, 1};
    const mrw_mat4 inverse_bind = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, -2, -3, 1}};
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    mrwi_scene_node_input in = {.name = "joint", .parent = MRW_NONE, .rest = identity};
    uint32_t node, skin;
    in.rest.translation[0] = 7;
    mesh.influence_count = 1;
    mesh.joints = joints;
    mesh.weights = weights;
    mesh.joint_limit = 1;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &node, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", &node, &inverse_bind, 1, &skin, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, node, add_mesh(b, &mesh), skin, NULL), MRW_OK);
    stage s = {.scene = finish(b)};
    ck_assert_int_eq(mrw_model_create(s.scene, MRW_SHADING_LIT, 1, &s.model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s.renderer, NULL), MRW_OK);
    s.instance = mrw_instance_default(s.model);
    ASSERT_AT(pose(&s, &s.instance, 1)->node_to_world[0], 7, 0, 0);
    s.instance.pose = MRW_POSE_BIND;
    ASSERT_AT(pose(&s, &s.instance, 1)->node_to_world[0], 1, 2, 3);
    close_stage(&s);
}
END_TEST

/* ---- framing and following ------------------------------------------------------------------- */

static mrw_extents extents(stage *s, const mrw_instance *instances, uint32_t count,
                           const mrw_follow *follow, mrw_fit fit)
{
    mrw_view_def view = mrw_view_def_default();
    mrw_extents out;
    (void)s;
    ck_assert_int_eq(mrw_frame_extents_following(instances, count, follow, fit, &view, 1.0f,
                                                 MRW_ISA_AUTO, 2, &out, NULL),
                     MRW_OK);
    return out;
}

static void expect_box(const mrw_extents *e, const float least[3], const float most[3])
{
    for (int i = 0; i < 3; i++) {
        ck_assert_float_eq_tol(e->aabb_min[i], least[i], 1e-5f);
        ck_assert_float_eq_tol(e->aabb_max[i], most[i], 1e-5f);
    }
}

/* Squares from 0 to 1 on the hips and, 3 higher, on the hand. */
START_TEST(framing_sees_all_that_plays)
{
    mrw_track tracks[2] = {{MRW_TRACK_BLEND, GO, 1, MRW_NONE},
                           {MRW_TRACK_OVERRIDE, RAISE, 1, MRW_NONE}};
    const mrw_mix mix = {tracks, 2, false};
    stage s;
    open_stage(&s);
    s.instance.mix = &mix;
    mrw_extents e = extents(&s, &s.instance, 1, NULL, MRW_FIT_CLIP);
    expect_box(&e, AT(0, 0, 0), AT(3, 9, 0)); /* hips at (2, 1) and the hand 7 above them */
    s.instance.loop = true;                   /* one loop, its end included */
    e = extents(&s, &s.instance, 1, NULL, MRW_FIT_CLIP);
    expect_box(&e, AT(0, 0, 0), AT(3, 9, 0));
    e = extents(&s, &s.instance, 1, NULL, MRW_FIT_ALL);
    expect_box(&e, AT(-2, 0, 0), AT(6, 9, 4)); /* Back, and the hand of Both at 5 */
    mrw_instance two[2] = {s.instance, s.instance};
    two[0].mix = NULL;
    two[1].mix = NULL;
    two[1].clip = MRW_NONE;
    two[1].attached = true;
    two[1].parent_node = s.node[HAND];
    e = extents(&s, two, 2, NULL, MRW_FIT_CLIP);
    expect_box(&e, AT(0, 0, 0), AT(3, 8, 0)); /* hand on hand: 1 + 3 + 3 + 1 */
    e = extents(&s, two, 2, NULL, MRW_FIT_REST);
    expect_box(&e, AT(0, 0, 0), AT(1, 7, 0));
    close_stage(&s);
}
END_TEST

/* The pixel of a point, in double. */
static void project(const mrw_camera *camera, const float p[3], double out[2])
{
    double view[4], clip[4];
    const float *m = camera->world_to_view.m, *c = camera->view_to_clip.m;
    for (int r = 0; r < 4; r++) {
        view[r] = (double)m[r] * (double)p[0] + (double)m[4 + r] * (double)p[1] +
                  (double)m[8 + r] * (double)p[2] + (double)m[12 + r];
    }
    for (int r = 0; r < 4; r++) {
        clip[r] = (double)c[r] * view[0] + (double)c[4 + r] * view[1] + (double)c[8 + r] * view[2] +
                  (double)c[12 + r] * view[3];
    }
    out[0] = clip[0] / clip[3];
    out[1] = clip[1] / clip[3];
}

START_TEST(a_followed_node_stays_where_it_is)
{
    stage s;
    mrw_frame_def def = mrw_frame_def_default();
    mrw_view_def view = mrw_view_def_default();
    mrw_camera camera;
    double first[2], now[2];
    open_stage(&s);
    ck_assert_int_eq(mrw_follow_node(s.renderer, &s.instance, s.node[HIPS], &def.follow, NULL),
                     MRW_OK);
    mrw_extents e = extents(&s, &s.instance, 1, &def.follow, MRW_FIT_CLIP);
    expect_box(&e, AT(0, 0, 0), AT(1, 4, 0)); /* as if it stood */
    ck_assert_int_eq(mrw_view_camera(&view, &e, 1.0f, &def.camera, NULL), MRW_OK);
    for (int k = 0; k <= 4; k++) {
        s.instance.time = k * 0.25;
        const mrw_posed_instance *posed = pose(&s, &s.instance, 1);
        ck_assert_int_eq(mrw_frame_camera(&def, &s.instance, posed, &camera, NULL), MRW_OK);
        project(&camera, posed->node_to_world[s.node[HIPS]].m + 12, k == 0 ? first : now);
        ck_assert_float_eq_tol(camera.eye[0] - def.camera.eye[0], (float)k * 0.5f, 1e-5f);
        if (k > 0) {
            ck_assert_double_eq_tol(now[0], first[0], 1e-5);
            ck_assert_double_eq_tol(now[1], first[1], 1e-5);
        }
    }
    close_stage(&s);
}
END_TEST

/* ---- sequences and memory -------------------------------------------------------------------- */

static mrw_status keep_hash(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    (void)error;
    mrw_image_hash(frame->image, (uint8_t *)user + 32 * (size_t)frame->index);
    return MRW_OK;
}

/* Threads, and cursors that come from other times, change nothing. */
START_TEST(sequences_of_mixes_are_the_same_bits)
{
    const mrw_track tracks[3] = {{MRW_TRACK_BLEND, GO, 1, MRW_NONE},
                                 {MRW_TRACK_BLEND, BACK, 2, MRW_NONE},
                                 {MRW_TRACK_ADDITIVE, BOTH, 1, MRW_NONE}};
    const mrw_mix mix = {tracks, 3, true};
    const double times[5] = {0.0, 0.3, 2.9, 1.1, 5.5};
    uint8_t one[5][32], four[5][32], single[32];
    stage s;
    mrw_view_def view = mrw_view_def_default();
    mrw_frame_def def = mrw_frame_def_default();
    mrw_image image = {0};
    open_stage(&s);
    mrw_instance two[2] = {s.instance, s.instance};
    two[0].mix = &mix;
    two[0].loop = true;
    two[0].root_motion = MRW_ROOT_MOTION_LOOP;
    two[1].attached = true;
    two[1].parent_node = s.node[HAND];
    def.width = def.height = 64;
    mrw_extents e = extents(&s, two, 2, NULL, MRW_FIT_CLIP);
    ck_assert_int_eq(mrw_view_camera(&view, &e, 1.0f, &def.camera, NULL), MRW_OK);
    ck_assert_int_eq(mrw_render_sequence(&def, two, 2, times, 5, 1, keep_hash, one, NULL), MRW_OK);
    ck_assert_int_eq(mrw_render_sequence(&def, two, 2, times, 5, 4, keep_hash, four, NULL), MRW_OK);
    ck_assert_mem_eq(one, four, sizeof one);
    two[0].time = two[1].time = times[2];
    ck_assert_int_eq(mrw_render(s.renderer, &def, two, 2, 1, &image, NULL), MRW_OK);
    mrw_image_hash(&image, single);
    ck_assert_mem_eq(single, one[2], 32);
    ck_assert_mem_ne(one[0], one[1], 32);
    mrw_image_free(&image);
    close_stage(&s);
}
END_TEST

/* Whichever allocation fails, the call says so, and the next one works. */
START_TEST(failing_memory)
{
    stage s;
    open_stage(&s);
    mrw_track tracks[3] = {{MRW_TRACK_BLEND, GO, 1, MRW_NONE},
                           {MRW_TRACK_BLEND, BACK, 1, MRW_NONE},
                           {MRW_TRACK_ADDITIVE, BOTH, 1, s.node[HAND]}};
    const mrw_mix mix = {tracks, 3, true};
    s.instance.mix = &mix;
    s.instance.root_motion = MRW_ROOT_MOTION_STRIP;
    for (uint64_t n = 1;; n++) {
        mrw_renderer *renderer = NULL;
        const mrw_posed_instance *posed;
        ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
        mrwi_base_alloc_fail_at(n);
        mrw_status status =
            mrw_pose_instances(renderer, &s.instance, 1, MRW_ISA_AUTO, &posed, NULL);
        bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert(status == MRW_OK || status == MRW_ERROR_MEMORY);
        ck_assert(!pending || status == MRW_OK);
        mrw_renderer_free(renderer);
        if (pending) {
            break;
        }
        ck_assert_uint_lt(n, 1000);
    }
    close_stage(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("frame mix");
    TCase *tc = test_case(s, "mix");
    tcase_add_test(tc, a_clip_with_itself_is_the_clip);
    tcase_add_test(tc, blends_by_hand);
    tcase_add_test(tc, loops_differ_by_their_rate);
    tcase_add_test(tc, layers_change_the_sub_tree_only);
    tcase_add_test(tc, additive_layers_add_differences);
    tcase_add_test(tc, clips_play_together);
    tcase_add_test(tc, root_motion);
    tcase_add_test(tc, attached_instances_move_with_their_node);
    tcase_add_test(tc, bound_joints);
    tcase_add_test(tc, framing_sees_all_that_plays);
    tcase_add_test(tc, a_followed_node_stays_where_it_is);
    tcase_add_test(tc, sequences_of_mixes_are_the_same_bits);
    tcase_add_test(tc, failing_memory);
    return s;
}

TEST_MAIN(suite())
