/* test_session_levels.c: sessions that keep only the levels of textures which their pictures show:
 * the same pictures, less memory, the same whichever part of up to 16 pictures is asked for.
 */
#include "scene_fixture.h"

#include "base/memory.h"

#include <marrow/session.h>

#define MODEL "demo:figure" /* one texture of 1024 x 1024: 11 MB with all levels */

#define MOST_PICTURES 32

/* Option and value in turn, up to a NULL. */
static void set_all(mrw_settings *settings, const char *const *options)
{
    mrw_error error;
    mrw_settings_init(settings);
    for (; *options; options += 2) {
        ck_assert_msg(mrw_settings_set(settings, options[0], options[1], &error) == MRW_OK, "%s",
                      error.text);
    }
}

typedef struct drawn {
    uint8_t hashes[MOST_PICTURES][32];
    uint32_t count;
    uint64_t memory; /* of the first model's textures */
} drawn;

static mrw_status draw_pictures(mrw_session *session, const mrw_picture_list *list, drawn *out,
                                mrw_error *error)
{
    mrw_renderer *renderer = NULL;
    mrw_image image = {0};
    mrw_status status = mrw_renderer_create(&renderer, error);
    for (uint32_t i = 0; i < list->count && status == MRW_OK; i++) {
        mrw_session_play(session, &list->items[i]);
        status = mrw_session_aim(session, error);
        if (status == MRW_OK) {
            status = mrw_render(renderer, &session->frame, session->instances,
                                session->instance_count, 1, &image, error);
        }
        if (status == MRW_OK) {
            mrw_image_hash(&image, out->hashes[i]);
        }
    }
    mrw_image_free(&image);
    mrw_renderer_free(renderer);
    return status;
}

/* Loads, prepares, draws. */
static mrw_status draw(const mrw_settings *settings, bool fewest, drawn *out, mrw_error *error)
{
    mrw_scene *scene = NULL;
    mrw_session_model model = {0};
    mrw_picture_list list = {0};
    mrw_session session = {0};
    const bool sequence = mrw_session_wants_sequence(settings);
    memset(out, 0, sizeof *out);
    mrw_status status = mrw_session_load(MODEL, settings, NULL, &scene, error);
    if (status == MRW_OK) {
        status = mrw_session_model_init(MODEL, scene, settings, &model, error);
    }
    if (status == MRW_OK) {
        status = mrw_session_pictures(&model, sequence, &list, error);
    }
    if (status == MRW_OK) {
        mrw_picture_list_share(&list, settings, 0);
        ck_assert_uint_le(list.count, MOST_PICTURES);
        status = mrw_session_begin(&session, &model, sequence, error);
    }
    if (status == MRW_OK) {
        session.fewest_levels = fewest;
        status = mrw_session_prepare(&session, NULL, error);
    }
    if (status == MRW_OK) {
        out->count = list.count;
        out->memory = mrw_model_texture_memory(session.instances[0].model);
        status = draw_pictures(&session, &list, out, error);
    }
    mrw_session_free(&session);
    mrw_picture_list_free(&list);
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    return status;
}

static drawn draw_with(const char *const *options, bool fewest)
{
    mrw_settings settings;
    mrw_error error;
    drawn out;
    set_all(&settings, options);
    ck_assert_msg(draw(&settings, fewest, &out, &error) == MRW_OK, "%s", error.text);
    mrw_settings_free(&settings);
    return out;
}

#define DRAW(fewest, ...) draw_with((const char *const[]){__VA_ARGS__, NULL}, fewest)

#define SAME(...)                                                                                  \
    do {                                                                                           \
        const drawn all = DRAW(false, __VA_ARGS__), some = DRAW(true, __VA_ARGS__);                \
        ck_assert_uint_eq(some.count, all.count);                                                  \
        ck_assert_mem_eq(some.hashes, all.hashes, sizeof all.hashes);                              \
        ck_assert_uint_lt(some.memory, all.memory);                                                \
    } while (0)

START_TEST(pictures_are_the_same)
{
    SAME("size", "96x72", "frames", "0-20x5");
    SAME("size", "96x72", "time", "0.37");
    SAME("size", "48", "clip", "Run", "times", "0.01,0.211,0.35", "fit", "frame");
    SAME("size", "48", "clip", "all", "count", "5", "fit", "all");
    SAME("size", "48", "clip", "all", "count", "5", "jobs", "3");
    SAME("size", "64", "count", "7", "fit", "rest", "shading", "unlit");
    SAME("size", "64", "frames", "30-90x20", "wrap", "loop", "root-motion", "loop");
    SAME("size", "64", "frames", "0-20x5", "follow", "chest", "ortho", "true");
    SAME("size", "64", "pose", "bind", "aa", "1");
    SAME("size", "48", "frames", "0-9x3", "add", MODEL "@chest");
    SAME("size", "24", "layer", "Wave@chest", "time", "0.5", "eye", "0.2,1.2,0.8", "target",
         "0,1.2,0");
}
END_TEST

/* What is kept is that of the whole clip. */
START_TEST(frames_and_shards_keep_the_same)
{
    const drawn first = DRAW(true, "size", "150", "frames", "0-20x5");
    static const char *const others[] = {"0", "7", "3-9x2"};
    for (int i = 0; i < 3; i++) {
        const drawn other = DRAW(true, "size", "150", "frames", others[i]);
        ck_assert_uint_eq(other.memory, first.memory);
    }
    const drawn shard = DRAW(true, "size", "150", "frames", "0-20x5", "shard", "2/5");
    ck_assert_uint_eq(shard.count, 1);
    ck_assert_uint_eq(shard.memory, first.memory);
    ck_assert_mem_eq(shard.hashes[0], first.hashes[1], 32);
    const drawn far = DRAW(true, "size", "78", "clip", "Run", "frames", "0");  /* alone: 0.2 MB */
    const drawn near = DRAW(true, "size", "78", "clip", "Run", "frames", "8"); /* alone: 0.7 MB */
    ck_assert_uint_eq(far.memory, near.memory);
    const drawn large = DRAW(true, "size", "2048x1536", "frames", "0");
    ck_assert_uint_gt(large.memory, first.memory);
}
END_TEST

/* Along -Z, at a distance from the figure's middle. */
static mrw_camera camera_at(float distance)
{
    const float near = 0.1f, far = 100.0f;
    return (mrw_camera){
        .world_to_view = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, -distance, 1}},
        .view_to_clip = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -far / (far - near), -1, 0, 0,
                          -far * near / (far - near), 0}}};
}

/* Bytes of textures that pictures of the rest pose show, one a camera. */
static uint64_t memory_found(const mrw_scene *scene, const mrw_camera *cameras, uint32_t count)
{
    static const double times[MOST_PICTURES];
    mrw_model_def model_def = mrw_model_def_default();
    mrw_frame_def def = mrw_frame_def_default();
    mrw_model *model;
    mrw_error error;
    model_def.later_textures = true;
    def.width = def.height = 128;
    def.cameras = cameras;
    ck_assert_int_eq(mrw_model_create_with(scene, &model_def, 1, &model, &error), MRW_OK);
    mrw_instance instance = mrw_instance_default(model);
    instance.pose = MRW_POSE_REST;
    ck_assert_int_eq(mrw_frame_find_levels(&def, &instance, 1, times, count, true, 1, &error),
                     MRW_OK);
    ck_assert_int_eq(mrw_model_fill_textures(model, 1, &error), MRW_OK);
    const uint64_t memory = mrw_model_texture_memory(model);
    mrw_model_free(model);
    return memory;
}

/* Each camera counts, though nothing moves; of more than 16 pictures nothing of this size is looked
 * for. */
START_TEST(every_camera_is_looked_through)
{
    mrw_camera cameras[17];
    mrw_scene *scene;
    mrw_model *model;
    ck_assert_int_eq(mrw_load_file(MODEL, NULL, &scene, NULL), MRW_OK);
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, NULL), MRW_OK);
    for (int i = 0; i < 17; i++) {
        cameras[i] = camera_at(20.0f);
    }
    const uint64_t all = mrw_model_texture_memory(model);
    const uint64_t far = memory_found(scene, cameras, 16);
    ck_assert_uint_eq(memory_found(scene, cameras, 17), all);
    cameras[1] = camera_at(2.5f);
    const uint64_t near = memory_found(scene, cameras + 1, 1);
    ck_assert_uint_lt(far, near);
    ck_assert_uint_lt(near, all);
    ck_assert_uint_eq(memory_found(scene, cameras, 2), near);
    mrw_model_free(model);
    mrw_scene_free(scene);
}
END_TEST

/* ---- what is drawn besides the picture's samples --------------------------------------------- */

#define TEXELS 256 /* smaller textures keep all their levels */

/* Three corners with a texture whose left half is black, whose right half is white. */
static mrw_scene *textured_triangle(const float *positions, const float *uvs, uint32_t alpha_mode)
{
    static uint8_t rgba[TEXELS * TEXELS][4];
    mrwi_scene_image_input image = {
        .name = "halves", .width = TEXELS, .height = TEXELS, .rgba = rgba[0]};
    mrw_material material = mrw_material_default();
    mrwi_scene_mesh_input mesh = triangle_mesh();
    mrwi_scene_builder *b = begin();
    mrw_texture texture = {0};
    for (int i = 0; i < TEXELS * TEXELS; i++) {
        const uint8_t light = i % TEXELS < TEXELS / 2 ? 0 : 255;
        memcpy(rgba[i], (uint8_t[4]){light, light, light, light}, 4);
    }
    ck_assert_int_eq(mrwi_scene_builder_image(b, &image, &texture.image, NULL), MRW_OK);
    material.alpha_mode = alpha_mode;
    ck_assert_int_eq(mrwi_scene_builder_texture(b, NULL, &texture,
                                                &material.maps[MRW_MAP_BASE_COLOR].texture, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrwi_scene_builder_material(b, NULL, &material, &mesh.material, NULL), MRW_OK);
    mesh.positions = positions;
    mesh.uvs[0] = uvs;
    ck_assert_int_eq(
        mrwi_scene_builder_draw(b, add_node(b, "", MRW_NONE), add_mesh(b, &mesh), MRW_NONE, NULL),
        MRW_OK);
    return finish(b);
}

/* 16 x 16 pixels of 1 unit each about the origin, 4 samples. */
static mrw_frame_def unit_pixels(void)
{
    const mrw_mat4 node = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1}};
    const mrw_lens lens = {.xmag = 8, .ymag = 8, .near_plane = 1, .far_plane = 10};
    mrw_frame_def def = mrw_frame_def_default();
    def.width = def.height = 16;
    ck_assert_int_eq(mrw_view_from_lens(&node, &lens, 1.0f, &def.camera, NULL), MRW_OK);
    ck_assert_uint_eq(def.samples, 4);
    return def;
}

/* With the levels that the definition's pictures show. */
static mrw_model *model_for(const mrw_scene *scene, const mrw_frame_def *def)
{
    static const double at_start = 0.0;
    mrw_model_def model_def = mrw_model_def_default();
    mrw_model *model;
    model_def.later_textures = true;
    ck_assert_int_eq(mrw_model_create_with(scene, &model_def, 1, &model, NULL), MRW_OK);
    const mrw_instance instance = mrw_instance_default(model);
    ck_assert_int_eq(mrw_frame_find_levels(def, &instance, 1, &at_start, 1, false, 1, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_model_fill_textures(model, 1, NULL), MRW_OK);
    return model;
}

static uint64_t memory_for(const mrw_scene *scene, const mrw_frame_def *def)
{
    mrw_model *model = model_for(scene, def);
    const uint64_t memory = mrw_model_texture_memory(model);
    mrw_model_free(model);
    return memory;
}

/* A triangle about a pixel's centre, which no sample of the picture meets. */
START_TEST(passes_see_centres)
{
    static const float tiny[9] = {0.4f, 0.4f, 0, 0.6f, 0.4f, 0, 0.5f, 0.6f, 0};
    static const float uvs[6] = {0.75f, 0.5f, 0.752f, 0.5f, 0.75f, 0.502f};
    static const mrw_aov_request albedo = {MRW_AOV_ALBEDO, NULL};
    mrw_scene *scene = textured_triangle(tiny, uvs, MRW_ALPHA_OPAQUE);
    const mrw_frame_def plain = unit_pixels();
    mrw_frame_def passes = plain, occluded = plain, depths = plain;
    const uint64_t few = memory_for(scene, &plain);
    passes.aovs = &albedo;
    passes.aov_count = 1;
    occluded.occlusion = true;
    depths.overlays = 1u << MRW_OVERLAY_WIRE;
    ck_assert_uint_gt(memory_for(scene, &occluded), few);
    ck_assert_uint_gt(memory_for(scene, &depths), few);
    mrw_model *model = model_for(scene, &passes);
    const mrw_instance instance = mrw_instance_default(model);
    mrw_renderer *renderer;
    mrw_image picture = {0};
    ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
    ck_assert_int_eq(mrw_render(renderer, &passes, &instance, 1, 1, &picture, NULL), MRW_OK);
    const float *values = (const float *)(const void *)mrw_frame_aov(renderer, 0)->pixels;
    for (int k = 0; k < 3; k++) {
        ck_assert_float_eq_tol(values[3 * (7 * 16 + 8) + k], 1.0f, 1e-6f);
    }
    mrw_image_free(&picture);
    mrw_renderer_free(renderer);
    mrw_model_free(model);
    mrw_scene_free(scene);
}
END_TEST

/* The picture beside may show the holes of a mask from nearer. */
START_TEST(flow_keeps_all_of_masks)
{
    static const float large[9] = {-4, -4, 0, 4, -4, 0, 0, 4, 0};
    static const float uvs[6] = {0, 0, 1, 0, 0, 1};
    static const mrw_aov_request flows[2] = {{MRW_AOV_FLOW_FORWARD, NULL},
                                             {MRW_AOV_FLOW_BACKWARD, NULL}};
    mrw_scene *scene = textured_triangle(large, uvs, MRW_ALPHA_MASK);
    mrw_frame_def def = unit_pixels();
    mrw_model *model;
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, NULL), MRW_OK);
    const uint64_t all = mrw_model_texture_memory(model);
    ck_assert_uint_lt(memory_for(scene, &def), all);
    def.aov_count = 1;
    for (int i = 0; i < 2; i++) {
        def.aovs = &flows[i];
        ck_assert_uint_eq(memory_for(scene, &def), all);
    }
    mrw_model_free(model);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(dropped_texels_are_gone)
{
    mrw_settings settings;
    mrw_scene *scene;
    mrw_model *model;
    mrw_error error;
    char before[65], after[65];
    mrw_settings_init(&settings);
    ck_assert_int_eq(mrw_session_load(MODEL, &settings, NULL, &scene, NULL), MRW_OK);
    mrw_scene_drop_texels(scene);
    mrw_scene_hash_text(scene, after); /* made anew */
    ck_assert_int_eq(mrw_model_create(scene, MRW_SHADING_LIT, 1, &model, &error), MRW_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "dropped"));
    mrw_scene_free(scene);
    ck_assert_int_eq(mrw_session_load(MODEL, &settings, NULL, &scene, NULL), MRW_OK);
    mrw_scene_hash_text(scene, before);
    ck_assert_str_eq(before, after);
    mrw_scene_free(scene);
    mrw_settings_free(&settings);
}
END_TEST

START_TEST(failing_memory)
{
    static const char *const options[] = {"size", "16", "frames", "0-4x4", "jobs", "1", NULL};
    mrw_settings settings;
    mrw_status status;
    drawn expected, out;
    uint64_t failed = 0;
    set_all(&settings, options);
    ck_assert_int_eq(draw(&settings, true, &expected, NULL), MRW_OK);
    for (uint64_t n = 1;; n++) {
        mrwi_base_alloc_fail_at(n);
        status = draw(&settings, true, &out, NULL);
        bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (pending) {
            break;
        }
        ck_assert(status == MRW_ERROR_MEMORY || status == MRW_OK);
        ck_assert(status != MRW_OK || memcmp(&out, &expected, sizeof out) == 0);
        failed += status == MRW_ERROR_MEMORY;
    }
    ck_assert_int_eq(status, MRW_OK);
    ck_assert_uint_gt(failed, 50);
    mrw_settings_free(&settings);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("session levels");
    TCase *tc = tcase_create("levels");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, pictures_are_the_same);
    tcase_add_test(tc, frames_and_shards_keep_the_same);
    tcase_add_test(tc, every_camera_is_looked_through);
    tcase_add_test(tc, passes_see_centres);
    tcase_add_test(tc, flow_keeps_all_of_masks);
    tcase_add_test(tc, dropped_texels_are_gone);
    tcase_add_test(tc, failing_memory);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
