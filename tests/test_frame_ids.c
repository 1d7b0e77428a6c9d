/* test_frame_ids.c: the subject and the targets of a frame, and which node is seen at its pixels.
 * Strips and squares seen straight on, worked out by hand; the demo figure where only consistency
 * is asked for. */
#include "scene_fixture.h"

#include "base/memory.h"

#include <marrow/frame.h>
#include <marrow/load.h>
#include <pthread.h>

#define SIDE   16
#define PIXELS (SIDE * SIDE)

/* A parallel camera in front of the point (x, y) that shows `half` to each side of it. */
static mrw_camera camera_at(float x, float y, float half)
{
    mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, 5, 1}};
    mrw_lens lens = {.xmag = half, .ymag = half, .near_plane = 1, .far_plane = 10};
    mrw_camera camera;
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &camera, NULL), MRW_OK);
    return camera;
}

/* Four units a side, the middle at (x, y). */
static mrw_frame_def def_at(float x, float y)
{
    mrw_frame_def def = mrw_frame_def_default();
    def.width = def.height = SIDE;
    def.samples = 1;
    def.shading = MRW_SHADING_RAW;
    def.camera = camera_at(x, y, 2.0f);
    def.targets = MRW_NODE_TARGETS;
    return def;
}

typedef struct rendering {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
    mrw_image image;
} rendering;

static void open_rendering(mrw_scene *scene, mrw_shading shading, rendering *s)
{
    *s = (rendering){.scene = scene};
    ck_assert_int_eq(mrw_model_create(scene, shading, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    s->instance = mrw_instance_default(s->model);
}

static void close_rendering(rendering *s)
{
    mrw_image_free(&s->image);
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

/* What is seen at the pixels of a frame. */
typedef struct seen {
    const mrw_image *ids, *triangles; /* NULL: not asked for */
} seen;

static seen render(rendering *s, const mrw_frame_def *def, const mrw_instance *instances,
                   uint32_t count)
{
    mrw_error error = {0};
    ck_assert_msg(mrw_render(s->renderer, def, instances, count, 1, &s->image, &error) == MRW_OK,
                  "%s", error.text);
    return (seen){mrw_frame_target(s->renderer, MRW_TARGET_ID),
                  mrw_frame_target(s->renderer, MRW_TARGET_TRIANGLE)};
}

static uint32_t id_at(const seen *a, int p)
{
    return ((const uint32_t *)a->ids->pixels)[p];
}

static uint32_t triangle_at(const seen *a, int p)
{
    return ((const uint32_t *)a->triangles->pixels)[p];
}

static uint32_t node_of(const mrw_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        if (strcmp(string_at(scene, scene->nodes[i].name), name) == 0) {
            return i;
        }
    }
    ck_abort_msg("no node %s", name);
    return MRW_NONE;
}

typedef struct marks {
    uint8_t at[PIXELS];
    size_t count;
} marks;

static marks mark(const rendering *s, const seen *a, const mrw_instance *instances,
                  uint32_t instance, const char *node)
{
    marks m = {{0}, 0};
    m.count = mrw_frame_mark_node(a->ids, a->triangles, instances, instance,
                                  node_of(s->scene, node), m.at);
    return m;
}

/* ---- a strip on two joints ------------------------------------------------------------------- */

/* One unit wide, four high, two triangles a unit with the diagonal from the lower left; corners at
 * heights 0 and 1 follow the arm most, those above the hand, which hangs on the arm. */
static mrw_scene *strip(void)
{
    float positions[10][3];
    uint32_t indices[24], joints[10][2];
    float weights[10][2];
    for (uint32_t r = 0; r < 5; r++) {
        for (uint32_t c = 0; c < 2; c++) {
            uint32_t v = 2 * r + c;
            memcpy(positions[v], (float[3]){(float)c, (float)r, 0}, sizeof positions[v]);
            joints[v][0] = 0;
            joints[v][1] = 1;
            weights[v][0] = r < 2 ? 0.6f : 0.3f;
            weights[v][1] = r < 2 ? 0.4f : 0.7f;
        }
    }
    for (uint32_t r = 0; r < 4; r++) {
        uint32_t a = 2 * r;
        memcpy(indices + 6 * r, (uint32_t[6]){a, a + 1, a + 3, a, a + 3, a + 2}, 24);
    }
    mrwi_scene_builder *b = begin();
    uint32_t skin, nodes[2];
    add_node(b, "floor", MRW_NONE);
    uint32_t body = add_node(b, "body", MRW_NONE);
    uint32_t mesh_node = add_node(b, "mesh", body);
    nodes[0] = add_node(b, "arm", body);
    nodes[1] = add_node(b, "hand", nodes[0]);
    mrwi_scene_mesh_input mesh = {.material = MRW_NONE,
                                  .vertex_count = 10,
                                  .index_count = 24,
                                  .indices = indices,
                                  .positions = positions[0],
                                  .influence_count = 2,
                                  .joints = joints[0],
                                  .weights = weights[0],
                                  .joint_limit = 2};
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", nodes, NULL, 2, &skin, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, mesh_node, add_mesh(b, &mesh), skin, NULL), MRW_OK);
    return finish(b);
}

/* Where the camera at (x, y) sees a pixel's centre. Quarters of units; x is shifted so that no
 * centre lies on a diagonal. */
#define CAMERA_X 0.53f
#define CAMERA_Y 2.0f

static void seen_point(int p, float *x, float *y)
{
    *x = CAMERA_X - 2.0f + ((float)(p % SIDE) + 0.5f) / 4.0f;
    *y = CAMERA_Y + 2.0f - ((float)(p / SIDE) + 0.5f) / 4.0f;
}

/* Corners of the unit at height h: lower triangle (h, h, h + 1), upper (h, h + 1, h + 1). */
static bool follows_hand(float x, float y)
{
    int h = (int)y;
    bool upper = y - (float)h > x;
    return h + (upper ? 1 : 0) >= 2;
}

/* Whether a triangle of the scene's one draw contains a point. */
static bool contains(const rendering *s, uint32_t number, float x, float y)
{
    const mrw_mesh *mesh = &s->scene->meshes[s->scene->draws[0].mesh];
    const uint32_t *corner = s->scene->indices + mesh->first_index + 3 * (size_t)number;
    int left = 0;
    ck_assert_uint_lt(number, mesh->triangle_count);
    for (int i = 0; i < 3; i++) {
        const float *a = s->scene->positions + 3 * (size_t)(mesh->position + corner[i]);
        const float *b = s->scene->positions + 3 * (size_t)(mesh->position + corner[(i + 1) % 3]);
        left += (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0;
    }
    return left == 3;
}

START_TEST(a_strip_belongs_to_the_joints_it_follows)
{
    rendering s;
    open_rendering(strip(), MRW_SHADING_RAW, &s);
    mrw_frame_def def = def_at(CAMERA_X, CAMERA_Y);
    const seen ids = render(&s, &def, &s.instance, 1);
    marks body = mark(&s, &ids, &s.instance, 0, "body"),
          arm = mark(&s, &ids, &s.instance, 0, "arm");
    marks hand = mark(&s, &ids, &s.instance, 0, "hand"),
          mesh = mark(&s, &ids, &s.instance, 0, "mesh");
    marks other = mark(&s, &ids, &s.instance, 0, "floor");
    size_t whole = 0, part = 0;
    for (int p = 0; p < PIXELS; p++) {
        float x, y;
        seen_point(p, &x, &y);
        bool on = x > 0 && x < 1, hold = on && follows_hand(x, y);
        ck_assert_uint_eq(id_at(&ids, p), on ? 1 : 0);
        if (on) {
            ck_assert_msg(contains(&s, triangle_at(&ids, p), x, y), "pixel %d", p);
        } else {
            ck_assert_uint_eq(triangle_at(&ids, p), MRW_NONE);
        }
        ck_assert_uint_eq(body.at[p], on);
        ck_assert_uint_eq(mesh.at[p], on);
        ck_assert_uint_eq(arm.at[p], on);
        ck_assert_msg(hand.at[p] == hold, "pixel %d", p);
        whole += on;
        part += hold;
    }
    ck_assert_uint_eq(whole, 64);
    ck_assert_uint_gt(part, 32); /* two units and the upper half of one */
    ck_assert_uint_lt(part, 48);
    ck_assert_uint_eq(hand.count, part);
    ck_assert_uint_eq(arm.count, whole);
    ck_assert_uint_eq(other.count, 0);
    close_rendering(&s);
}
END_TEST

/* Marks of several nodes add up; those of other instances stay away. */
START_TEST(marks_are_an_instance_s_own_and_add_up)
{
    rendering s;
    open_rendering(strip(), MRW_SHADING_RAW, &s);
    mrw_frame_def def = def_at(CAMERA_X, CAMERA_Y);
    mrw_instance two[2] = {s.instance, s.instance};
    two[1].model_to_world.m[12] = 1.0f; /* right beside the first */
    const seen ids = render(&s, &def, two, 2);
    marks first = mark(&s, &ids, two, 0, "arm"), second = mark(&s, &ids, two, 1, "hand");
    for (int p = 0; p < PIXELS; p++) {
        float x, y;
        seen_point(p, &x, &y);
        ck_assert_uint_eq(id_at(&ids, p), x > 0 && x < 1 ? 1 : x > 1 && x < 2 ? 2 : 0);
        ck_assert_uint_eq(first.at[p], x > 0 && x < 1);
        ck_assert_uint_eq(second.at[p], x > 1 && x < 2 && follows_hand(x - 1, y));
    }
    marks both = first;
    uint32_t hand = node_of(s.scene, "hand");
    both.count = mrw_frame_mark_node(ids.ids, ids.triangles, two, 1, hand, both.at);
    ck_assert_uint_eq(both.count, second.count);
    for (int p = 0; p < PIXELS; p++) {
        ck_assert_uint_eq(both.at[p], first.at[p] | second.at[p]);
    }
    close_rendering(&s);
}
END_TEST

/* ---- corners that disagree ------------------------------------------------------------------- */

/* Side by side: corners that follow p, q, r; none, q, q; q, none, r; none at all. The joints are
 * strangers to each other and to the mesh. */
static mrw_scene *strangers(void)
{
    static const uint32_t joints[12] = {0, 1, 2, 0, 1, 1, 1, 0, 2, 0, 0, 0};
    static const float weights[12] = {1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0};
    float positions[12][3];
    for (int v = 0; v < 12; v++) {
        const float *corner = triangle + 3 * (v % 3);
        memcpy(positions[v], (float[3]){corner[0] + (float)(v / 3), corner[1], 0}, 12);
    }
    mrwi_scene_builder *b = begin();
    uint32_t skin, nodes[3] = {add_node(b, "p", MRW_NONE), add_node(b, "q", MRW_NONE),
                               add_node(b, "r", MRW_NONE)};
    uint32_t mesh_node = add_node(b, "mesh", MRW_NONE);
    mrwi_scene_mesh_input mesh = {.material = MRW_NONE,
                                  .vertex_count = 12,
                                  .index_count = 12,
                                  .positions = positions[0],
                                  .influence_count = 1,
                                  .joints = joints,
                                  .weights = weights,
                                  .joint_limit = 3};
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", nodes, NULL, 3, &skin, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, mesh_node, add_mesh(b, &mesh), skin, NULL), MRW_OK);
    return finish(b);
}

START_TEST(most_corners_decide_else_the_first)
{
    static const struct {
        const char *node;
        bool unit[4];
    } cases[] = {{"p", {true, false, false, false}},
                 {"q", {false, true, true, false}},
                 {"r", {false, false, false, false}},
                 {"mesh", {true, true, true, true}}};
    rendering s;
    open_rendering(strangers(), MRW_SHADING_RAW, &s);
    mrw_frame_def def = def_at(2.0f, 0.53f);
    const seen ids = render(&s, &def, &s.instance, 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        marks m = mark(&s, &ids, &s.instance, 0, cases[i].node);
        size_t expected = 0;
        for (int p = 0; p < PIXELS; p++) {
            bool belongs = id_at(&ids, p) == 1 && cases[i].unit[p % SIDE / 4];
            ck_assert_msg(m.at[p] == belongs, "node %s, pixel %d", cases[i].node, p);
            expected += belongs;
        }
        ck_assert_uint_eq(m.count, expected);
        ck_assert(i == 2 || expected >= 6);
    }
    close_rendering(&s);
}
END_TEST

/* What is not skinned belongs to its node and to all above; of two draws each to its own. */
START_TEST(rigid_draws_belong_to_their_nodes)
{
    mrwi_scene_builder *b = begin();
    mrwi_scene_mesh_input mesh = square_mesh();
    uint32_t body = add_node(b, "body", MRW_NONE), head = add_node(b, "head", body);
    uint32_t hat = add_node(b, "hat", head), square_index = add_mesh(b, &mesh);
    mrwi_scene_node_input foot = {.name = "foot", .parent = body, .rest = identity};
    foot.rest.translation[1] = 2;
    uint32_t foot_index;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &foot, &foot_index, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, hat, square_index, MRW_NONE, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_draw(b, foot_index, square_index, MRW_NONE, NULL), MRW_OK);
    rendering s;
    open_rendering(finish(b), MRW_SHADING_RAW, &s);
    mrw_frame_def def = def_at(0.5f, 1.5f);
    const seen ids = render(&s, &def, &s.instance, 1);
    static const char *const names[4] = {"body", "head", "hat", "foot"};
    static const size_t expected[4] = {32, 16, 16, 16}; /* a unit has 16 pixels */
    for (int i = 0; i < 4; i++) {
        marks m = mark(&s, &ids, &s.instance, 0, names[i]);
        ck_assert_uint_eq(m.count, expected[i]);
    }
    close_rendering(&s);
}
END_TEST

/* ---- frames ---------------------------------------------------------------------------------- */

static void open_figure(rendering *s, mrw_frame_def *def)
{
    mrw_scene *scene;
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    ck_assert_int_eq(mrw_load_file("demo:figure", NULL, &scene, NULL), MRW_OK);
    open_rendering(scene, MRW_SHADING_LIT, s);
    s->instance.time = 0.3;
    *def = mrw_frame_def_default();
    def->width = 90;
    def->height = 70;
    ck_assert_int_eq(mrw_frame_extents(&s->instance, 1, MRW_FIT_FRAME, &view, 90.0f / 70.0f,
                                       MRW_ISA_AUTO, 1, &extents, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 90.0f / 70.0f, &def->camera, NULL), MRW_OK);
}

/* Over a clear background an opaque figure has alpha where it is, be it one sample of four. */
START_TEST(the_subject_is_where_alpha_is)
{
    rendering s;
    mrw_frame_def def;
    open_figure(&s, &def);
    def.subject = true;
    def.transparent = true;
    for (def.samples = 1; def.samples <= 8; def.samples *= 2) {
        size_t drawn = 0;
        ck_assert_ptr_null(render(&s, &def, &s.instance, 1).ids);
        for (size_t p = 0; p < 90 * 70; p++) {
            ck_assert_uint_eq(s.image.subject[p], s.image.pixels[4 * p + 3] > 0);
            drawn += s.image.subject[p];
        }
        ck_assert_uint_gt(drawn, 300);
    }
    close_rendering(&s);
}
END_TEST

START_TEST(the_subject_comes_and_goes_with_the_def)
{
    rendering s;
    mrw_frame_def def;
    uint8_t plain[32], hash[32];
    open_figure(&s, &def);
    render(&s, &def, &s.instance, 1);
    ck_assert_ptr_null(s.image.subject);
    mrw_image_hash(&s.image, plain);
    const uint8_t *pixels = s.image.pixels;
    def.subject = true;
    def.targets = MRW_NODE_TARGETS;
    render(&s, &def, &s.instance, 1);
    mrw_image_hash(&s.image, hash);
    ck_assert_mem_eq(hash, plain, 32); /* nothing of it shows */
    ck_assert_ptr_eq(s.image.pixels, pixels);
    uint8_t *subject = s.image.subject;
    ck_assert_ptr_nonnull(subject);
    memset(subject, 9, 90 * 70);
    render(&s, &def, &s.instance, 1);
    ck_assert_ptr_eq(s.image.subject, subject); /* reused and written anew */
    for (size_t p = 0; p < 90 * 70; p++) {
        ck_assert_uint_le(subject[p], 1);
    }
    def.width = 180;
    def.height = 140;
    render(&s, &def, &s.instance, 1);
    for (size_t p = 0; p < 180 * 140; p++) {
        if (!s.image.subject[p]) {
            ck_assert_mem_eq(s.image.pixels + 3 * p, def.background, 3);
        }
    }
    def.subject = false;
    render(&s, &def, &s.instance, 1);
    ck_assert_ptr_null(s.image.subject); /* another frame's would be wrong */
    close_rendering(&s);
}
END_TEST

START_TEST(what_was_no_picture_becomes_one)
{
    rendering s;
    mrw_frame_def def;
    uint8_t expected[32], hash[32];
    open_figure(&s, &def);
    render(&s, &def, &s.instance, 1);
    mrw_image_hash(&s.image, expected);
    mrw_image_free(&s.image);
    ck_assert_int_eq(mrw_image_create_as(MRW_FORMAT_U16, 90, 70, 3, &s.image, NULL), MRW_OK);
    render(&s, &def, &s.instance, 1);
    ck_assert_int_eq(s.image.format, MRW_FORMAT_U8);
    mrw_image_hash(&s.image, hash);
    ck_assert_mem_eq(hash, expected, 32);
    close_rendering(&s);
}
END_TEST

START_TEST(targets_are_the_last_frame_s)
{
    rendering s;
    mrw_frame_def def;
    const mrw_posed_draw *posed;
    open_figure(&s, &def);
    ck_assert_ptr_null(mrw_frame_target(s.renderer, MRW_TARGET_ID));
    ck_assert_ptr_null(render(&s, &def, &s.instance, 1).ids);
    def.targets = 1u << MRW_TARGET_ID;
    const seen a = render(&s, &def, &s.instance, 1);
    ck_assert_ptr_nonnull(a.ids);
    ck_assert_ptr_null(a.triangles); /* what nobody asked for */
    ck_assert_uint_eq(a.ids->width, 90);
    ck_assert_uint_eq(a.ids->height, 70);
    ck_assert_uint_eq(a.ids->channels, 1);
    ck_assert_int_eq(a.ids->format, MRW_FORMAT_U32);
    ck_assert_int_eq(mrw_pose_instance(s.renderer, &s.instance, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    ck_assert_ptr_null(mrw_frame_target(s.renderer, MRW_TARGET_ID));
    close_rendering(&s);
}
END_TEST

START_TEST(every_kernel_and_thread_count_sees_the_same)
{
    enum { MOST = 90 * 70 };
    static uint32_t ids[MOST], triangles[MOST];
    static float depths[MOST];
    static uint8_t subject[MOST];
    rendering s;
    mrw_frame_def def;
    open_figure(&s, &def);
    def.subject = true;
    def.targets = MRW_NODE_TARGETS | 1u << MRW_TARGET_DEPTH;
    for (def.samples = 1; def.samples <= 4; def.samples *= 4) {
        for (int isa = -1; isa < MRW_ISA_COUNT; isa++) {
            def.isa = isa < 0 ? MRW_ISA_SCALAR : (mrw_isa)isa;
            if (!mrw_isa_available(def.isa) && def.isa != MRW_ISA_AUTO) {
                continue;
            }
            for (int threads = 1; threads <= (isa < 0 ? 1 : 8); threads++) {
                ck_assert_int_eq(
                    mrw_render(s.renderer, &def, &s.instance, 1, threads, &s.image, NULL), MRW_OK);
                const uint8_t *id = mrw_frame_target(s.renderer, MRW_TARGET_ID)->pixels;
                const uint8_t *number = mrw_frame_target(s.renderer, MRW_TARGET_TRIANGLE)->pixels;
                const uint8_t *depth = mrw_frame_target(s.renderer, MRW_TARGET_DEPTH)->pixels;
                if (isa < 0) {
                    memcpy(ids, id, sizeof ids);
                    memcpy(triangles, number, sizeof triangles);
                    memcpy(depths, depth, sizeof depths);
                    memcpy(subject, s.image.subject, sizeof subject);
                }
                ck_assert_mem_eq(id, ids, sizeof ids);
                ck_assert_mem_eq(number, triangles, sizeof triangles);
                ck_assert_mem_eq(depth, depths, sizeof depths);
                ck_assert_mem_eq(s.image.subject, subject, sizeof subject);
            }
        }
    }
    close_rendering(&s);
}
END_TEST

typedef struct sequence {
    rendering *rendering;
    const mrw_frame_def *def;
    const double *times;
    uint32_t seen;
    pthread_mutex_t mutex; /* of the rendering and of seen */
} sequence;

static void compare_target(const mrw_renderer *one, const mrw_renderer *other, mrw_target_kind kind)
{
    ck_assert_ptr_ne(one, other);
    const mrw_image *a = mrw_frame_target(one, kind), *b = mrw_frame_target(other, kind);
    ck_assert_uint_eq(a->width, b->width);
    ck_assert_mem_eq(a->pixels, b->pixels, 90 * 70 * mrw_format_size(a->format));
}

static mrw_status compare_with_one(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    sequence *q = user;
    const mrw_image *image = frame->image;
    mrw_instance instance = q->rendering->instance;
    instance.time = q->times[frame->index];
    (void)error;
    pthread_mutex_lock(&q->mutex);
    render(q->rendering, q->def, &instance, 1);
    ck_assert_mem_eq(image->subject, q->rendering->image.subject, 90 * 70);
    ck_assert_mem_eq(image->pixels, q->rendering->image.pixels, 90 * 70 * 3);
    compare_target(q->rendering->renderer, frame->renderer, MRW_TARGET_ID);
    compare_target(q->rendering->renderer, frame->renderer, MRW_TARGET_TRIANGLE);
    compare_target(q->rendering->renderer, frame->renderer, MRW_TARGET_DEPTH);
    q->seen++;
    pthread_mutex_unlock(&q->mutex);
    return MRW_OK;
}

/* Also of frames that show the same as another one. */
START_TEST(sequences_have_subjects_and_targets)
{
    static const double times[5] = {0.0, 0.25, 0.5, 0.25, 0.0};
    rendering s;
    mrw_frame_def def;
    open_figure(&s, &def);
    def.subject = true;
    def.targets = MRW_NODE_TARGETS | 1u << MRW_TARGET_DEPTH;
    for (int threads = 1; threads <= 3; threads++) {
        sequence q = {&s, &def, times, 0, PTHREAD_MUTEX_INITIALIZER};
        ck_assert_int_eq(mrw_render_sequence(&def, &s.instance, 1, times, 5, threads,
                                             compare_with_one, &q, NULL),
                         MRW_OK);
        ck_assert_uint_eq(q.seen, 5);
    }
    close_rendering(&s);
}
END_TEST

/* A frame does without some of its memory. */
START_TEST(any_allocation_may_fail)
{
    rendering s;
    mrw_frame_def def;
    int failures = 0;
    open_figure(&s, &def);
    def.subject = true;
    def.targets = MRW_NODE_TARGETS;
    for (uint64_t n = 1;; n++) {
        mrw_renderer *renderer = NULL;
        mrw_image image = {0};
        ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_render(renderer, &def, &s.instance, 1, 1, &image, NULL);
        bool fired = !mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert(status == MRW_OK || (fired && status == MRW_ERROR_MEMORY));
        ck_assert((status != MRW_OK) == !mrw_frame_target(renderer, MRW_TARGET_ID));
        mrw_image_free(&image);
        mrw_renderer_free(renderer);
        if (!fired) {
            break;
        }
        failures += status != MRW_OK;
    }
    ck_assert_int_gt(failures, 15);
    close_rendering(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("frame_ids");
    TCase *tc = test_case(s, "frame_ids");
    tcase_add_test(tc, a_strip_belongs_to_the_joints_it_follows);
    tcase_add_test(tc, marks_are_an_instance_s_own_and_add_up);
    tcase_add_test(tc, most_corners_decide_else_the_first);
    tcase_add_test(tc, rigid_draws_belong_to_their_nodes);
    tcase_add_test(tc, the_subject_is_where_alpha_is);
    tcase_add_test(tc, the_subject_comes_and_goes_with_the_def);
    tcase_add_test(tc, what_was_no_picture_becomes_one);
    tcase_add_test(tc, targets_are_the_last_frame_s);
    tcase_add_test(tc, every_kernel_and_thread_count_sees_the_same);
    tcase_add_test(tc, sequences_have_subjects_and_targets);
    tcase_add_test(tc, any_allocation_may_fail);
    return s;
}

TEST_MAIN(suite())
