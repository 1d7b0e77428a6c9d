/* test_overlays.c: what frames draw over their pictures: small scenes seen straight on, whose lines
 * lie where hands have worked them out. */
#include "scene_fixture.h"

#include "base/memory.h"

#include <marrow/frame.h>

#define SIDE 64

/* A parallel camera at a place that shows one unit to each side; from above it looks down. */
static mrw_camera camera_of(bool above)
{
    const mrw_mat4 front = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1}};
    const mrw_mat4 top = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 5, 0, 1}};
    const mrw_lens lens = {.xmag = 1.0f, .ymag = 1.0f, .near_plane = 1, .far_plane = 10};
    mrw_camera camera;
    ck_assert_int_eq(mrw_view_from_lens(above ? &top : &front, &lens, 1.0f, &camera, NULL), MRW_OK);
    return camera;
}

static mrw_frame_def def_of(uint32_t overlays)
{
    mrw_frame_def def = mrw_frame_def_default();
    def.width = def.height = SIDE;
    def.samples = 1;
    def.shading = MRW_SHADING_UNLIT;
    def.camera = camera_of(false);
    def.subject = true;
    def.overlays = overlays;
    return def;
}

/* Nodes at (-0.7, 0, 0) and (0.7, 0, 0), which are a bone, and under the first a square that covers
 * the left half of the picture from x = -0.9 on, half a unit before them. */
static mrw_scene *make_scene(void)
{
    static const float corners[4][3] = {
        {-0.2f, -0.9f, 0.5f}, {0.7f, -0.9f, 0.5f}, {0.7f, 0.9f, 0.5f}, {-0.2f, 0.9f, 0.5f}};
    static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    mrwi_scene_builder *b = begin();
    mrwi_scene_node_input in = {.name = "left", .parent = MRW_NONE, .rest = identity};
    uint32_t left, right;
    in.rest.translation[0] = -0.7f;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &left, NULL), MRW_OK);
    in = (mrwi_scene_node_input){.name = "right", .parent = left, .rest = identity};
    in.rest.translation[0] = 1.4f;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &right, NULL), MRW_OK);
    const mrwi_scene_mesh_input mesh = {.material = MRW_NONE,
                                        .vertex_count = 4,
                                        .index_count = 6,
                                        .indices = indices,
                                        .positions = corners[0]};
    ck_assert_int_eq(mrwi_scene_builder_draw(b, left, add_mesh(b, &mesh), MRW_NONE, NULL), MRW_OK);
    return finish(b);
}

typedef struct rendering {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
    mrw_image image;
} rendering;

static rendering open_rendering(void)
{
    rendering r = {.scene = make_scene()};
    ck_assert_int_eq(mrw_model_create(r.scene, MRW_SHADING_UNLIT, 1, &r.model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&r.renderer, NULL), MRW_OK);
    r.instance = mrw_instance_default(r.model);
    return r;
}

static void close_rendering(rendering *r)
{
    mrw_image_free(&r->image);
    mrw_renderer_free(r->renderer);
    mrw_model_free(r->model);
    mrw_scene_free(r->scene);
}

static const mrw_image *render_on(rendering *r, const mrw_frame_def *def, int threads)
{
    mrw_error error = {0};
    ck_assert_msg(mrw_render(r->renderer, def, &r->instance, 1, threads, &r->image, &error) ==
                      MRW_OK,
                  "%s", error.text);
    return &r->image;
}

static const mrw_image *render(rendering *r, const mrw_frame_def *def)
{
    return render_on(r, def, 1);
}

static const uint8_t *pixel_at(const mrw_image *image, int x, int y)
{
    return image->pixels + image->channels * (size_t)(y * SIDE + x);
}

static bool is_like(const mrw_image *image, int x, int y, const uint8_t color[3])
{
    return memcmp(pixel_at(image, x, y), color, 3) == 0;
}

static const uint8_t ground[3] = {0xb8, 0xc3, 0xd3}, white[3] = {255, 255, 255};

/* The bone runs along row 32 from x = 32 - 0.7 * 32 = 9.6 to 54.4; the square ends at x = 32. */
START_TEST(bones_are_hidden_where_something_is_nearer)
{
    rendering r = open_rendering();
    mrw_frame_def def = def_of(0);
    ck_assert(is_like(render(&r, &def), 20, 32, white)); /* the square, from x = 3.2 on */
    ck_assert(is_like(&r.image, 44, 32, ground));
    def.overlays = 1u << MRW_OVERLAY_SKELETON;
    render(&r, &def);
    ck_assert(!is_like(&r.image, 20, 32, white));
    ck_assert(!is_like(&r.image, 44, 32, ground));
    ck_assert(is_like(&r.image, 20, 50, white)); /* and nothing else is changed */
    ck_assert(is_like(&r.image, 44, 50, ground));
    def.overlay_depth = true;
    render(&r, &def);
    for (int x = 4; x < 32; x++) {
        for (int y = 6; y < 58; y++) {
            ck_assert(is_like(&r.image, x, y, white));
        }
    }
    ck_assert(!is_like(&r.image, 44, 32, ground));
    r.instance.model_to_world.m[14] = -0.25f; /* all of it, the bone and what hides it */
    render(&r, &def);
    ck_assert(is_like(&r.image, 20, 32, white));
    close_rendering(&r);
}
END_TEST

/* Joints in a column at x = -0.5, of which the upper one moves a triangle far away, and beside them
 * a target at (0.5, 0) that moves nothing. */
static mrw_scene *make_controlled(bool weighted)
{
    static const float corners[3][3] = {{90, 0, 0}, {91, 0, 0}, {90, 1, 0}};
    static const float whole[3] = {1, 1, 1};
    static const uint32_t indices[3] = {0, 1, 2}, upper[3] = {1, 1, 1};
    static const struct {
        const char *name;
        float x, y;
    } places[] = {{"root", -0.5f, -0.6f}, {"upper", 0.0f, 1.2f}, {"target", 1.0f, 0.6f}};
    mrwi_scene_builder *b = begin();
    uint32_t nodes[3], skin, body;
    for (int i = 0; i < 3; i++) {
        mrwi_scene_node_input in = {
            .name = places[i].name, .parent = i == 0 ? MRW_NONE : nodes[0], .rest = identity};
        in.rest.translation[0] = places[i].x;
        in.rest.translation[1] = places[i].y;
        ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &nodes[i], NULL), MRW_OK);
    }
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", nodes, NULL, 3, &skin, NULL), MRW_OK);
    const mrwi_scene_node_input in = {.name = "body", .parent = MRW_NONE, .rest = identity};
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &body, NULL), MRW_OK);
    const mrwi_scene_mesh_input mesh = {.material = MRW_NONE,
                                        .vertex_count = 3,
                                        .index_count = 3,
                                        .indices = indices,
                                        .positions = corners[0],
                                        .influence_count = weighted ? 1 : 0,
                                        .joints = weighted ? upper : NULL,
                                        .weights = weighted ? whole : NULL,
                                        .joint_limit = weighted ? 3 : 0};
    ck_assert_int_eq(
        mrwi_scene_builder_draw(b, body, add_mesh(b, &mesh), weighted ? skin : MRW_NONE, NULL),
        MRW_OK);
    return finish(b);
}

/* Control bones are not drawn, but named; a skeleton that moves nothing is drawn whole. The root is
 * at pixel (16, 51), the target at (48, 32), the bone between them passes (32, 41). */
START_TEST(control_bones_are_left_out)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        rendering r = {.scene = make_controlled(weighted)};
        ck_assert_int_eq(mrw_model_create(r.scene, MRW_SHADING_UNLIT, 1, &r.model, NULL), MRW_OK);
        ck_assert_int_eq(mrw_renderer_create(&r.renderer, NULL), MRW_OK);
        r.instance = mrw_instance_default(r.model);
        mrw_frame_def def = def_of(1u << MRW_OVERLAY_SKELETON);
        render(&r, &def);
        ck_assert(!is_like(&r.image, 16, 32, ground)); /* the column */
        ck_assert(is_like(&r.image, 48, 32, ground) == weighted);
        def.overlays = 1u << MRW_OVERLAY_AXES;
        render(&r, &def);
        ck_assert(!is_like(&r.image, 48, 32, ground));
        close_rendering(&r);
    }
}
END_TEST

START_TEST(models_can_be_left_out)
{
    rendering r = open_rendering();
    mrw_frame_def def = def_of(1u << MRW_OVERLAY_SKELETON);
    def.overlay_alone = true;
    render(&r, &def);
    ck_assert(is_like(&r.image, 20, 50, ground));
    ck_assert(!is_like(&r.image, 20, 32, ground));
    def.overlay_depth = true; /* what is not drawn hides it nevertheless */
    render(&r, &def);
    ck_assert(is_like(&r.image, 20, 32, ground));
    ck_assert(!is_like(&r.image, 44, 32, ground));
    def.transparent = true;
    render(&r, &def);
    ck_assert_int_eq(pixel_at(&r.image, 20, 32)[3], 0);
    ck_assert_int_eq(pixel_at(&r.image, 44, 32)[3], 255);
    close_rendering(&r);
}
END_TEST

START_TEST(the_subject_is_what_is_drawn)
{
    rendering r = open_rendering();
    mrw_frame_def def = def_of(1u << MRW_OVERLAY_SKELETON | 1u << MRW_OVERLAY_LABEL);
    size_t drawn = 0, alike = 0;
    def.overlay_alone = true;
    def.label = "Walk";
    def.transparent = true;
    render(&r, &def);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t alpha = r.image.pixels[4 * i + 3];
        drawn += alpha > 0;
        alike += (alpha > 0) == r.image.subject[i];
    }
    ck_assert_uint_gt(drawn, 100);
    ck_assert_uint_eq(alike, SIDE * SIDE);
    close_rendering(&r);
}
END_TEST

/* Corners at x = 3.2 and 32, y = 3.2 and 60.8; the diagonal goes through (17.6, 32). */
START_TEST(edges_lie_on_edges)
{
    rendering r = open_rendering();
    mrw_frame_def def = def_of(1u << MRW_OVERLAY_WIRE);
    for (int depth = 0; depth < 2; depth++) {
        def.overlay_depth = depth > 0;
        render(&r, &def);
        ck_assert(!is_like(&r.image, 3, 20, white));
        ck_assert(!is_like(&r.image, 31, 40, white));
        ck_assert(!is_like(&r.image, 10, 3, white));
        ck_assert(!is_like(&r.image, 17, 32, white));
        ck_assert(is_like(&r.image, 8, 20, white));
        ck_assert(is_like(&r.image, 26, 45, white));
    }
    close_rendering(&r);
}
END_TEST

/* From above: the square is a line from x = -0.9 to 0 at z = 0.5. Its box has a diagonal of 2.01
 * and is 0.9 wide, so that steps are 0.2: 0.9 / 5 = 0.18. x = 0.2 k lies at column 32 + 6.4 k. */
START_TEST(the_grid_has_round_steps)
{
    rendering r = open_rendering();
    mrw_frame_def def = def_of(1u << MRW_OVERLAY_GRID);
    def.camera = camera_of(true);
    render(&r, &def);
    for (int k = -4; k <= 4; k++) {
        const int column = (int)floor(32.0 + 6.4 * k), row = (int)floor(32.0 + 6.4 * k);
        ck_assert_msg(!is_like(&r.image, column, 35, ground), "column %d", column);
        ck_assert_msg(!is_like(&r.image, 29, row, ground), "row %d", row);
        ck_assert_msg(is_like(&r.image, column + 3, 35, ground), "column %d", column + 3);
    }
    close_rendering(&r);
}
END_TEST

START_TEST(boxes_axes_normals_names_and_lights_are_drawn)
{
    static const mrw_overlay others[] = {MRW_OVERLAY_BOUNDS, MRW_OVERLAY_AXES, MRW_OVERLAY_NORMALS,
                                         MRW_OVERLAY_NAMES, MRW_OVERLAY_FRUSTUM};
    const mrw_light_def lamp = mrw_light_def_default(MRW_LIGHT_POINT); /* at the origin */
    rendering r = open_rendering();
    mrw_frame_def def = def_of(0);
    mrw_image pictures[COUNT(others)] = {0};
    def.lights = &lamp;
    def.light_count = 1;
    for (size_t i = 0; i < COUNT(others); i++) {
        def.overlays = 1u << others[i];
        def.camera = camera_of(others[i] == MRW_OVERLAY_NORMALS);
        render(&r, &def);
        mrw_image plain = r.image;
        r.image = pictures[i];
        pictures[i] = plain;
        def.overlays = 0;
        render(&r, &def);
        ck_assert_msg(memcmp(r.image.pixels, pictures[i].pixels, SIDE * SIDE * 3) != 0, "%s",
                      mrw_overlay_name(others[i]));
    }
    /* the box is flat: corners at (3.2, 3.2) and (32, 60.8) */
    ck_assert(!is_like(&pictures[0], 3, 20, white));
    ck_assert(is_like(&pictures[0], 10, 20, white));
    /* the world's axes begin in the middle of the picture; x is red, y is green */
    const uint8_t *x = pixel_at(&pictures[1], 38, 31), *y = pixel_at(&pictures[1], 31, 26);
    ck_assert(x[0] > 200 && x[1] < 150 && y[1] > 180 && y[0] < 180);
    /* normals point to z = 0.5 + 2.01 / 50, which is row 49.3 from above */
    ck_assert(!is_like(&pictures[2], 3, 48, ground));
    ck_assert(is_like(&pictures[2], 3, 53, ground));
    for (size_t i = 0; i < COUNT(others); i++) {
        mrw_image_free(&pictures[i]);
    }
    close_rendering(&r);
}
END_TEST

/* A camera that one looks through has no lines, whether the frame names it or stands where it is.
 */
START_TEST(the_camera_one_looks_through_is_not_drawn)
{
    static const float eye[3] = {0.25f, 0.5f, 5.0f};
    const mrw_mat4 placed = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, eye[0], eye[1], eye[2], 1}};
    const mrw_lens lens = {.yfov = 0.8f, .aspect = 1.0f, .near_plane = 1, .far_plane = 10};
    mrwi_scene_builder *b = begin();
    mrw_scene_camera camera = {.yfov = lens.yfov, .aspect = 1.0f, .near_plane = 1, .far_plane = 10};
    mrwi_scene_node_input in = {.name = "eye", .parent = MRW_NONE, .rest = identity};
    memcpy(in.rest.translation, eye, sizeof eye);
    ck_assert_int_eq(mrwi_scene_builder_node(b, &in, &camera.node, NULL), MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_camera(b, "eye", &camera, NULL), MRW_OK);
    rendering r = {.scene = finish(b)};
    mrw_frame_def def = def_of(0);
    ck_assert_int_eq(mrw_model_create(r.scene, MRW_SHADING_UNLIT, 1, &r.model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&r.renderer, NULL), MRW_OK);
    r.instance = mrw_instance_default(r.model);
    for (int k = 0; k < 3; k++) {
        float moved = k == 2 ? 0.5f : 0.0f; /* beside it its lines are seen */
        mrw_mat4 at = placed;
        at.m[12] += moved;
        at.m[14] += 4.0f * moved;
        ck_assert_int_eq(mrw_view_from_lens(&at, &lens, 1.0f, &def.camera, NULL), MRW_OK);
        def.scene_camera = k == 0 ? 0 : MRW_NONE;
        def.overlays = 0;
        mrw_image plain = *render(&r, &def);
        r.image = (mrw_image){0};
        def.overlays = 1u << MRW_OVERLAY_FRUSTUM;
        render(&r, &def);
        ck_assert_int_eq(memcmp(plain.pixels, r.image.pixels, SIDE * SIDE * 3) != 0, k == 2);
        mrw_image_free(&plain);
    }
    close_rendering(&r);
}
END_TEST

/* The eye is inside of the bone, whose middle lies at (0, 0, 0), and looks along it. */
START_TEST(lines_are_cut_before_the_eye)
{
    const mrw_mat4 node = {{0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0.01f, 0, 1}};
    const mrw_lens lens = {.yfov = 1.0f, .near_plane = 0.1f, .far_plane = 10};
    rendering r = open_rendering();
    mrw_frame_def def = def_of((1u << MRW_OVERLAY_COUNT) - 1);
    def.label = "\xc3\xa4";
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &def.camera, NULL), MRW_OK);
    render(&r, &def);
    def.overlays = 1u << MRW_OVERLAY_SKELETON;
    def.overlay_alone = true;
    render(&r, &def);
    ck_assert(!is_like(&r.image, 32, 33, ground)); /* its end, a little below the middle */
    close_rendering(&r);
}
END_TEST

START_TEST(bits_are_the_same_with_all_kernels_and_threads)
{
    static const mrw_isa isas[] = {MRW_ISA_SCALAR, MRW_ISA_SSE2, MRW_ISA_AVX2, MRW_ISA_AVX512,
                                   MRW_ISA_NEON};
    rendering r = open_rendering();
    mrw_frame_def def = def_of((1u << MRW_OVERLAY_COUNT) - 1);
    uint8_t hash[32], other[32];
    def.label = "label";
    def.overlay_depth = true;
    def.camera = camera_of(false);
    mrw_image_hash(render(&r, &def), hash);
    for (size_t i = 0; i < COUNT(isas); i++) {
        if (!mrw_isa_available(isas[i])) {
            continue;
        }
        def.isa = isas[i];
        for (int threads = 1; threads <= 3; threads += 2) {
            mrw_image_hash(render_on(&r, &def, threads), other);
            ck_assert_mem_eq(hash, other, sizeof hash);
        }
    }
    close_rendering(&r);
}
END_TEST

typedef struct sequence {
    uint32_t same_as[3];
    uint8_t hashes[3][32];
} sequence;

static mrw_status receive(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    sequence *s = user;
    (void)error;
    s->same_as[frame->index] = frame->same_as;
    mrw_image_hash(frame->image, s->hashes[frame->index]);
    return MRW_OK;
}

/* Nothing moves: pictures differ by what is written on them. */
START_TEST(labels_tell_pictures_apart)
{
    static const char *const labels[] = {"0.0 s", "0.1 s", "0.0 s"};
    static const double times[] = {0.0, 0.1, 0.2};
    rendering r = open_rendering();
    mrw_frame_def def = def_of(1u << MRW_OVERLAY_LABEL);
    sequence s;
    def.labels = labels;
    ck_assert_int_eq(mrw_render_sequence(&def, &r.instance, 1, times, 3, 2, receive, &s, NULL),
                     MRW_OK);
    ck_assert_int_eq(s.same_as[1], 1);
    ck_assert_int_eq(s.same_as[2], 0);
    ck_assert_mem_ne(s.hashes[0], s.hashes[1], 32);
    def.overlays = 0;
    ck_assert_int_eq(mrw_render_sequence(&def, &r.instance, 1, times, 3, 2, receive, &s, NULL),
                     MRW_OK);
    ck_assert_int_eq(s.same_as[1], 0); /* not written: not told apart */
    close_rendering(&r);
}
END_TEST

/* However far a sequence goes, normals are as long as the model in it is large. */
START_TEST(normals_go_by_the_model)
{
    rendering r = open_rendering();
    mrw_frame_def def = def_of(1u << MRW_OVERLAY_NORMALS);
    uint8_t alone[32], far[32];
    def.camera = camera_of(true);
    mrw_image_hash(render(&r, &def), alone);
    def.has_bounds = true;
    def.bounds = (mrw_shadow_bounds){{-100, -100, -100}, {100, 100, 100}};
    mrw_image_hash(render(&r, &def), far);
    ck_assert_mem_eq(alone, far, sizeof far);
    close_rendering(&r);
}
END_TEST

/* Linear light of an sRGB byte: IEC 61966-2-1. */
static double light_of(uint8_t byte)
{
    const double x = byte / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

/* Returns how much of a row's first quarter the normals' green of 30 covers, in pixels. */
static double width_in_row(const mrw_image *image, uint32_t row)
{
    double sum = 0.0;
    for (uint32_t x = 0; x < image->width / 4; x++) {
        const uint8_t green = image->pixels[3 * ((size_t)row * image->width + x) + 1];
        sum += (light_of(ground[1]) - light_of(green)) / (light_of(ground[1]) - light_of(30));
    }
    return sum;
}

/* From above, the normal at x = -0.9 is a column from z = 0.5 to 0.5 + 2.01 / 50: rows 0.75 to 0.77
 * of the picture. It is 1/512 of the picture wide, but at least 0.4 pixels. */
START_TEST(normals_grow_with_the_picture)
{
    static const uint32_t sides[] = {96, 128, 320, 512, 1024};
    static const double widths[] = {0.4, 0.4, 0.625, 1.0, 2.0};
    for (size_t i = 0; i < COUNT(sides); i++) {
        rendering r = open_rendering();
        mrw_frame_def def = def_of(1u << MRW_OVERLAY_NORMALS);
        def.camera = camera_of(true);
        def.width = def.height = sides[i];
        render(&r, &def);
        const double width = width_in_row(&r.image, (uint32_t)(0.76 * sides[i]));
        ck_assert_double_eq_tol(width, widths[i], 0.02);
        ck_assert_double_eq(width_in_row(&r.image, (uint32_t)(0.73 * sides[i])), 0.0);
        ck_assert_double_eq(width_in_row(&r.image, (uint32_t)(0.79 * sides[i])), 0.0);
        close_rendering(&r);
    }
}
END_TEST

START_TEST(memory_may_run_out)
{
    mrw_frame_def def = def_of((1u << MRW_OVERLAY_COUNT) - 1);
    bool failed = false;
    def.overlay_depth = true;
    def.label = "label";
    for (uint64_t n = 1; n < 1000; n++) {
        rendering r = open_rendering();
        mrw_error error = {0};
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = mrw_render(r.renderer, &def, &r.instance, 1, 1, &r.image, &error);
        const bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
        failed = failed || !pending;
        close_rendering(&r);
        if (pending) {
            break;
        }
    }
    ck_assert(failed);
}
END_TEST

START_TEST(overlays_can_be_laid_over_later)
{
    rendering r = open_rendering();
    mrw_frame_def def = def_of((1u << MRW_OVERLAY_COUNT) - 1);
    uint8_t at_once[32], later[32];
    def.label = "label";
    mrw_image_hash(render(&r, &def), at_once);
    mrw_frame_def plain = def;
    plain.overlays = 0;
    render(&r, &plain);
    ck_assert_int_eq(mrw_frame_draw_overlays(r.renderer, &def, &r.instance, 1, 1, &r.image, NULL),
                     MRW_OK);
    mrw_image_hash(&r.image, later);
    ck_assert_mem_eq(at_once, later, sizeof later);
    close_rendering(&r);
}
END_TEST

/* Another program draws a picture black; overlays come over it. */
static mrw_status create_black(void *user, mrw_renderer *renderer, void **out, mrw_error *error)
{
    (void)renderer;
    (void)error;
    *out = user;
    return MRW_OK;
}

static mrw_status draw_black(void *drawer, const mrw_frame_def *def, const mrw_instance *instances,
                             uint32_t count, int threads, mrw_image *out, mrw_error *error)
{
    (void)drawer;
    (void)instances;
    (void)count;
    (void)threads;
    mrw_image_free(out);
    return mrw_image_create(def->width, def->height, 3, out, error);
}

static void free_black(void *drawer)
{
    (void)drawer;
}

static mrw_status look_at_bone(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    static const uint8_t black[3] = {0};
    (void)error;
    *(bool *)user = !is_like(frame->image, 44, 32, black) && is_like(frame->image, 44, 50, black);
    return MRW_OK;
}

START_TEST(pictures_of_other_backends_are_drawn_over)
{
    const mrw_backend backend = {"black", NULL, create_black, draw_black, free_black};
    const double time = 0.0;
    rendering r = open_rendering();
    const mrw_frame_def def = def_of(1u << MRW_OVERLAY_SKELETON);
    bool right = false;
    mrw_crew *crew;
    ck_assert_int_eq(mrw_crew_create(&backend, 1, &crew, NULL), MRW_OK);
    ck_assert_int_eq(
        mrw_crew_render(crew, &def, &r.instance, 1, &time, 1, look_at_bone, &right, NULL), MRW_OK);
    ck_assert(right);
    mrw_crew_free(crew);
    close_rendering(&r);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("overlays");
    TCase *tc = tcase_create("overlays");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, bones_are_hidden_where_something_is_nearer);
    tcase_add_test(tc, control_bones_are_left_out);
    tcase_add_test(tc, models_can_be_left_out);
    tcase_add_test(tc, the_subject_is_what_is_drawn);
    tcase_add_test(tc, edges_lie_on_edges);
    tcase_add_test(tc, the_grid_has_round_steps);
    tcase_add_test(tc, boxes_axes_normals_names_and_lights_are_drawn);
    tcase_add_test(tc, the_camera_one_looks_through_is_not_drawn);
    tcase_add_test(tc, lines_are_cut_before_the_eye);
    tcase_add_test(tc, bits_are_the_same_with_all_kernels_and_threads);
    tcase_add_test(tc, labels_tell_pictures_apart);
    tcase_add_test(tc, normals_go_by_the_model);
    tcase_add_test(tc, normals_grow_with_the_picture);
    tcase_add_test(tc, memory_may_run_out);
    tcase_add_test(tc, overlays_can_be_laid_over_later);
    tcase_add_test(tc, pictures_of_other_backends_are_drawn_over);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
