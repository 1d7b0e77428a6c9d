/* test_frame_lights.c: the lights of scenes and frames in the world, against places worked out by
 * hand, and which of them shine. */
#include "scene_fixture.h"

#include "base/memory.h"
#include "frame/frame.h"

#include <float.h>
#include <marrow/frame.h>

typedef struct lit_stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
} lit_stage;

static void open_stage_for(mrw_scene *scene, mrw_shading shading, lit_stage *s)
{
    s->scene = scene;
    ck_assert_int_eq(mrw_model_create(scene, shading, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    s->instance = mrw_instance_default(s->model);
}

static void open_stage(mrw_scene *scene, lit_stage *s)
{
    open_stage_for(scene, MRW_SHADING_LIT, s);
}

static void close_stage(lit_stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static const mrw_light *lights_of(lit_stage *s, const mrw_instance *instances, uint32_t count,
                                  uint32_t expected)
{
    const mrw_light *lights;
    uint32_t found;
    mrw_error error = {0};
    ck_assert_msg(mrw_frame_lights(s->renderer, instances, count, MRW_ISA_AUTO, &lights, &found,
                                   &error) == MRW_OK,
                  "%s", error.text);
    ck_assert_uint_eq(found, expected);
    return lights;
}

static void add_light(mrwi_scene_builder *b, const mrw_scene_light *light)
{
    ck_assert_int_eq(mrwi_scene_builder_light(b, "lamp", light, NULL), MRW_OK);
}

static void check_vector(const float *got, double x, double y, double z)
{
    ck_assert_msg(fabs(got[0] - x) < 2e-6 && fabs(got[1] - y) < 2e-6 && fabs(got[2] - z) < 2e-6,
                  "%g %g %g, not %g %g %g", (double)got[0], (double)got[1], (double)got[2], x, y,
                  z);
}

/* An arm that turns by 90 degrees about Y in a second. At its end, 2 along X, hangs a spot whose
 * node is stretched along Z; a sun and a bulb are at the arm itself. */
static mrw_scene *turning_arm(void)
{
    static const double times[2] = {0, 1};
    static const float turns[8] = {0, 0, 0, 1, 0, 0.70710678f, 0, 0.70710678f};
    mrwi_scene_builder *b = begin();
    const uint32_t arm = add_node(b, "arm", MRW_NONE);
    mrwi_scene_node_input end = {.name = "end", .parent = arm, .rest = identity};
    uint32_t node;
    end.rest.translation[0] = 2;
    end.rest.scale[2] = 3;
    ck_assert_int_eq(mrwi_scene_builder_node(b, &end, &node, NULL), MRW_OK);
    add_light(b, &(mrw_scene_light){.node = node,
                                    .type = MRW_SCENE_LIGHT_SPOT,
                                    .color = {1, 0.5f, 0.25f},
                                    .intensity = 6.2831853f,
                                    .range = 7,
                                    .inner_cone = 0.25f,
                                    .outer_cone = 0.5f});
    add_light(b, &(mrw_scene_light){.node = arm,
                                    .type = MRW_SCENE_LIGHT_DIRECTIONAL,
                                    .color = {1, 1, 0},
                                    .intensity = 3.1415927f});
    add_light(b, &(mrw_scene_light){.node = arm,
                                    .type = MRW_SCENE_LIGHT_POINT,
                                    .color = {0, 0, 1},
                                    .intensity = 31.415927f});
    add_clip(b, "turn", 0);
    mrwi_scene_channel_input channel = linear(arm, MRW_PATH_ROTATION, 4, 2, times, turns);
    add_channel(b, &channel);
    return finish(b);
}

/* Turned about Y by an angle, X goes to (cos, 0, -sin) and Z to (sin, 0, cos). The model is twice
 * as large and stands at (10, 1, 0): the spot is 4 from there. */
START_TEST(lights_move_with_their_nodes)
{
    lit_stage s;
    open_stage(turning_arm(), &s);
    s.instance.model_to_world = (mrw_mat4){{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 10, 1, 0, 1}};
    for (int i = 0; i < 3; i++) {
        const double angle = i * 0.78539816339744831, c = cos(angle), z = sin(angle);
        s.instance.time = 0.5 * i;
        const mrw_light *lights = lights_of(&s, &s.instance, 1, 3);
        ck_assert_int_eq(lights[0].type, MRW_LIGHT_SPOT);
        check_vector(lights[0].position, 10 + 4 * c, 1, -4 * z);
        check_vector(lights[0].to_light, z, 0, c);
        check_vector(lights[0].color, 2, 1, 0.5);
        ck_assert(lights[0].range == 7.0f && lights[0].inner_cone == 0.25f &&
                  lights[0].outer_cone == 0.5f && lights[0].specular == 1.0f);
        ck_assert_int_eq(lights[1].type, MRW_LIGHT_DIRECTIONAL);
        check_vector(lights[1].to_light, z, 0, c);
        check_vector(lights[1].color, 1, 1, 0);
        ck_assert_int_eq(lights[2].type, MRW_LIGHT_POINT);
        check_vector(lights[2].position, 10, 1, 0);
        check_vector(lights[2].color, 0, 0, 10);
    }
    close_stage(&s);
}
END_TEST

/* A second arm hangs at the end of the first: it is turned twice. */
START_TEST(lights_of_all_instances_come_in_order)
{
    lit_stage s;
    open_stage(turning_arm(), &s);
    mrw_instance both[2] = {s.instance, s.instance};
    both[0].time = both[1].time = 1.0;
    both[1].attached = true;
    both[1].parent_node = s.scene->lights[0].node;
    const mrw_light *lights = lights_of(&s, both, 2, 6);
    check_vector(lights[0].position, 0, 0, -2);
    check_vector(lights[0].to_light, 1, 0, 0);
    check_vector(lights[4].to_light, 0, 0, -1); /* the second sun */
    check_vector(lights[5].position, 0, 0, -2); /* the second bulb, in the first spot */
    close_stage(&s);
}
END_TEST

/* A joint at the origin was bound at (5, 0, 0), turned so that its Z is the world's X. */
START_TEST(lights_go_with_bound_joints)
{
    static const mrw_mat4 geometry_to_joint = {{0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, -5, 1}};
    mrwi_scene_builder *b = begin();
    const uint32_t joint = add_node(b, "joint", MRW_NONE);
    uint32_t skin;
    ck_assert_int_eq(mrwi_scene_builder_skin(b, "skin", &joint, &geometry_to_joint, 1, &skin, NULL),
                     MRW_OK);
    add_light(b, &(mrw_scene_light){.node = joint, .type = MRW_SCENE_LIGHT_SPOT});
    lit_stage s;
    open_stage(finish(b), &s);
    const mrw_light *lights = lights_of(&s, &s.instance, 1, 1);
    check_vector(lights[0].position, 0, 0, 0);
    s.instance.pose = MRW_POSE_BIND;
    lights = lights_of(&s, &s.instance, 1, 1);
    check_vector(lights[0].position, 5, 0, 0);
    check_vector(lights[0].to_light, 1, 0, 0);
    close_stage(&s);
}
END_TEST

/* A node without depth has no direction: its light is off. A colour beyond all floats is the
 * largest. */
START_TEST(odd_lights_are_harmless)
{
    mrwi_scene_builder *b = begin();
    mrw_scene_light light = {.node = add_node(b, "node", MRW_NONE),
                             .type = MRW_SCENE_LIGHT_DIRECTIONAL,
                             .color = {1e30f, 1, 0},
                             .intensity = 1e30f};
    add_light(b, &light);
    light.node = add_scaled(b, MRW_NONE, 1, 1, 0);
    add_light(b, &light);
    lit_stage s;
    open_stage(finish(b), &s);
    const mrw_light *lights = lights_of(&s, &s.instance, 1, 2);
    check_vector(lights[1].to_light, 0, 0, 0);
    check_vector(lights[1].color, 0, 0, 0);
    ck_assert_float_eq(lights[0].color[0], FLT_MAX);
    ck_assert_float_eq(lights[0].color[2], 0.0f);
    ck_assert_double_eq_tol((double)lights[0].color[1], 1e30 / 3.14159265358979, 1e24);
    close_stage(&s);
    b = begin(); /* a direction beyond all floats is none, too */
    add_light(b, &(mrw_scene_light){
                     .node = add_scaled(b, add_scaled(b, MRW_NONE, 1, 1, 1e30f), 1, 1, 1e30f),
                     .type = MRW_SCENE_LIGHT_DIRECTIONAL});
    open_stage(finish(b), &s);
    check_vector(lights_of(&s, &s.instance, 1, 1)[0].to_light, 0, 0, 0);
    close_stage(&s);
    b = begin();
    add_node(b, "dark", MRW_NONE);
    open_stage(finish(b), &s);
    lights_of(&s, &s.instance, 1, 0);
    close_stage(&s);
}
END_TEST

/* Whichever allocation fails, the answer is MRW_ERROR_MEMORY with a message, or the lights. Those
 * of 200 instances with 500 lights take 5 MB, which no arena has at first. */
START_TEST(more_lights_than_memory_are_an_error)
{
    mrwi_scene_builder *b = begin();
    const uint32_t node = add_node(b, "chandelier", MRW_NONE);
    for (int i = 0; i < 500; i++) {
        add_light(b, &(mrw_scene_light){.node = node,
                                        .type = MRW_SCENE_LIGHT_POINT,
                                        .color = {1, 1, 1},
                                        .intensity = i == 499 ? 3.1415927f : 0.0f});
    }
    lit_stage s;
    open_stage(finish(b), &s);
    mrw_instance instances[200];
    for (int i = 0; i < 200; i++) {
        instances[i] = s.instance;
    }
    int failures = 0;
    for (uint64_t n = 1;; n++) {
        const mrw_light *lights = NULL;
        uint32_t count = 0;
        mrw_renderer *renderer;
        mrw_error error = {0};
        ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
        mrwi_base_alloc_fail_at(n);
        mrw_status status =
            mrw_frame_lights(renderer, instances, 200, MRW_ISA_AUTO, &lights, &count, &error);
        const bool done = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (status == MRW_OK) {
            ck_assert_uint_eq(count, 200 * 500);
            check_vector(lights[count - 1].color, 1, 1, 1);
        } else {
            ck_assert_int_eq(status, MRW_ERROR_MEMORY);
            ck_assert_ptr_null(lights);
            ck_assert_str_ne(error.text, "");
            failures++;
        }
        mrw_renderer_free(renderer);
        if (done) {
            break;
        }
    }
    ck_assert_int_ge(failures, 2);
    close_stage(&s);
}
END_TEST

/* ---- what lights a picture ------------------------------------------------------------------- */

/* A camera that looks along -X from (5, 1, 2): the view's X is the world's -Z, its Z the world's
 * X. */
static mrw_frame_def def_from_the_side(void)
{
    mrw_frame_def def = mrw_frame_def_default();
    def.width = def.height = 8;
    def.camera =
        (mrw_camera){.world_to_view = {{0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 2, -1, -5, 1}},
                     .view_to_clip = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -0.01f, 0, 0, 0, 0, 1}},
                     .eye = {5, 1, 2},
                     .orthographic = true};
    return def;
}

/* The light that the rasterizer is given. */
static mrw_lighting lighting_of(lit_stage *s, const mrw_frame_def *def)
{
    mrwi_frame_poses poses;
    mrw_raster_job job;
    mrw_error error = {0};
    ck_assert_msg(mrwi_frame_job(s->renderer, def, &s->instance, 1, &poses, &job, &error) == MRW_OK,
                  "%s", error.text);
    return job.lighting;
}

/* Sky and ground of the rigs, and of the dim one. */
static const double skies[4] = {0.2, 0.1, 0.25 / 3, 0}, grounds[4] = {0.125, 0.1, 0.125 / 3, 0};
enum { STUDIO, SINGLE, DIM, DARK };

/* What mrw_frame_def says of rigs and lights of files: how many lights, and which hemisphere. */
START_TEST(what_shines)
{
    static const struct {
        mrw_shading shading;
        bool bright; /* the file has three lights */
        bool file_lights;
        mrw_rig_use rig;
        uint32_t lights;
        int hemisphere;
    } cases[] = {
        {MRW_SHADING_LIT, false, true, MRW_RIG_AUTO, 1, STUDIO},
        {MRW_SHADING_LIT, false, false, MRW_RIG_AUTO, 1, STUDIO},
        {MRW_SHADING_LIT, true, true, MRW_RIG_AUTO, 3, DIM},
        {MRW_SHADING_LIT, true, false, MRW_RIG_AUTO, 1, STUDIO},
        {MRW_SHADING_LIT, false, true, MRW_RIG_OFF, 0, DARK},
        {MRW_SHADING_LIT, true, true, MRW_RIG_OFF, 3, DARK},
        {MRW_SHADING_LIT, true, false, MRW_RIG_OFF, 0, DARK},
        {MRW_SHADING_LIT, false, true, MRW_RIG_ON, 1, STUDIO},
        {MRW_SHADING_LIT, true, true, MRW_RIG_ON, 4, STUDIO},
        {MRW_SHADING_LIT, true, false, MRW_RIG_ON, 1, STUDIO},
        {MRW_SHADING_LAMBERT, false, true, MRW_RIG_AUTO, 1, SINGLE},
        {MRW_SHADING_LAMBERT, true, true, MRW_RIG_AUTO, 1, SINGLE},
        {MRW_SHADING_LAMBERT, true, true, MRW_RIG_OFF, 3, DARK},
        {MRW_SHADING_LAMBERT, true, false, MRW_RIG_OFF, 0, DARK},
        {MRW_SHADING_LAMBERT, true, true, MRW_RIG_ON, 4, SINGLE},
    };
    const mrw_light_def own = {.type = MRW_LIGHT_POINT, .color = {1, 1, 1}, .intensity = 1};
    for (size_t i = 0; i < COUNT(cases); i++) {
        lit_stage s;
        mrw_scene *scene = cases[i].bright ? turning_arm() : NULL;
        if (!scene) {
            mrwi_scene_builder *b = begin();
            add_node(b, "dark", MRW_NONE);
            scene = finish(b);
        }
        open_stage_for(scene, cases[i].shading, &s);
        mrw_frame_def def = def_from_the_side();
        def.shading = cases[i].shading;
        def.file_lights = cases[i].file_lights;
        def.rig = cases[i].rig;
        for (uint32_t named = 0; named < 2; named++) { /* what is named shines in any case */
            def.lights = &own;
            def.light_count = named;
            def.ambient[0] = 0.5f * (float)named;
            const mrw_lighting lighting = lighting_of(&s, &def);
            ck_assert_msg(lighting.light_count == cases[i].lights + named, "case %zu: %u lights", i,
                          lighting.light_count);
            ck_assert_double_eq_tol((double)lighting.sky[0],
                                    skies[cases[i].hemisphere] + 0.5 * named, 1e-7);
            ck_assert_double_eq_tol((double)lighting.ground[0],
                                    grounds[cases[i].hemisphere] + 0.5 * named, 1e-7);
            check_vector(lighting.up, 0, 1, 0);
            if (named) {
                const mrw_light *last = &lighting.lights[lighting.light_count - 1];
                ck_assert_int_eq(last->type, MRW_LIGHT_POINT);
                const bool tutorials = cases[i].shading == MRW_SHADING_LAMBERT;
                ck_assert_int_eq(last->classic, tutorials);
                ck_assert_double_eq_tol((double)last->color[0], tutorials ? 1.0 : 0.31830989, 1e-7);
            }
        }
        close_stage(&s);
    }
}
END_TEST

/* First the rig, whose key comes from the left of the camera, then the file's, then those named. */
START_TEST(lights_come_in_order)
{
    lit_stage s;
    open_stage(turning_arm(), &s);
    mrw_frame_def def = def_from_the_side();
    const mrw_light_def own = mrw_light_def_default(MRW_LIGHT_DIRECTIONAL);
    def.rig = MRW_RIG_ON;
    def.lights = &own;
    def.light_count = 1;
    const mrw_lighting lighting = lighting_of(&s, &def);
    ck_assert_uint_eq(lighting.light_count, 5);
    check_vector(lighting.lights[0].to_light, 0.2976935, 0.9261577, 0.2315394);
    ck_assert_int_eq(lighting.lights[1].type, MRW_LIGHT_SPOT);
    check_vector(lighting.lights[1].position, 2, 0, 0);
    ck_assert_int_eq(lighting.lights[3].type, MRW_LIGHT_POINT);
    check_vector(lighting.lights[4].to_light, 0, 0, 1);
    close_stage(&s);
}
END_TEST

/* What the caller has made is taken as it is. */
START_TEST(lighting_wins_over_all)
{
    lit_stage s;
    open_stage(turning_arm(), &s);
    mrw_frame_def def = def_from_the_side();
    const mrw_light_def own = mrw_light_def_default(MRW_LIGHT_DIRECTIONAL);
    const mrw_lighting given = {.up = {1, 0, 0}, .sky = {0.5f, 0, 0}};
    def.rig = MRW_RIG_ON;
    def.lights = &own;
    def.light_count = 1;
    def.ambient[0] = 1;
    def.lighting = &given;
    const mrw_lighting lighting = lighting_of(&s, &def);
    ck_assert_uint_eq(lighting.light_count, 0);
    check_vector(lighting.up, 1, 0, 0);
    check_vector(lighting.sky, 0.5, 0, 0);
    close_stage(&s);
}
END_TEST

/* In the space of the arm's end, which is stretched along Z, (0, 1, 1) is (0, 1, 3), and 2 further
 * along X in that of the arm: turned, doubled and moved it is at (10 + 4c + 6s, 3, 6c - 4s). The
 * direction (0, -1, -1) is (0, -1, -3) there, whose length is sqrt(10). Range and cones stay. */
START_TEST(a_light_moves_with_a_node)
{
    lit_stage s;
    open_stage(turning_arm(), &s);
    mrw_light_def lamp = mrw_light_def_default(MRW_LIGHT_SPOT);
    mrw_frame_def def = def_from_the_side();
    lamp.space = MRW_LIGHT_SPACE_NODE;
    lamp.node = s.scene->lights[0].node;
    lamp.position[1] = lamp.position[2] = 1;
    lamp.direction[1] = lamp.direction[2] = -1;
    lamp.range = 4;
    def.rig = MRW_RIG_OFF;
    def.file_lights = false;
    def.lights = &lamp;
    def.light_count = 1;
    s.instance.model_to_world = (mrw_mat4){{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 10, 1, 0, 1}};
    for (int i = 0; i < 3; i++) {
        const double angle = i * 0.78539816339744831, c = cos(angle), z = sin(angle);
        const double length = sqrt(10.0);
        s.instance.time = 0.5 * i;
        const mrw_lighting lighting = lighting_of(&s, &def);
        ck_assert_uint_eq(lighting.light_count, 1);
        check_vector(lighting.lights[0].position, 10 + 4 * c + 6 * z, 3, 6 * c - 4 * z);
        check_vector(lighting.lights[0].to_light, 3 * z / length, 1 / length, 3 * c / length);
        ck_assert_float_eq(lighting.lights[0].range, 4);
    }
    close_stage(&s);
}
END_TEST

/* In view space (1, 2, -3) is one to the right, which is -Z, two up and three ahead, which is -X,
 * of (5, 1, 2). The camera follows the arm's end, which has moved by (-2, 0, -2). */
START_TEST(a_light_goes_with_the_camera)
{
    lit_stage s;
    open_stage(turning_arm(), &s);
    mrw_light_def lamps[2] = {mrw_light_def_default(MRW_LIGHT_SPOT),
                              mrw_light_def_default(MRW_LIGHT_DIRECTIONAL)};
    mrw_frame_def def = def_from_the_side();
    lamps[0].space = lamps[1].space = MRW_LIGHT_SPACE_CAMERA;
    memcpy(lamps[0].position, (float[]){1, 2, -3}, sizeof lamps[0].position);
    memcpy(lamps[1].direction, (float[]){0, -2, 0}, sizeof lamps[1].direction);
    def.rig = MRW_RIG_OFF;
    def.file_lights = false;
    def.lights = lamps;
    def.light_count = 2;
    mrw_lighting lighting = lighting_of(&s, &def);
    check_vector(lighting.lights[0].position, 2, 3, 1);
    check_vector(lighting.lights[0].to_light, 1, 0, 0);
    check_vector(lighting.lights[1].to_light, 0, 1, 0);
    def.follow = (mrw_follow){.node = s.scene->lights[0].node, .origin = {2, 0, 0}};
    s.instance.time = 1;
    lighting = lighting_of(&s, &def);
    check_vector(lighting.lights[0].position, 0, 3, -1);
    check_vector(lighting.lights[0].to_light, 1, 0, 0);
    close_stage(&s);
}
END_TEST

/* ---- sequences ------------------------------------------------------------------------------- */

/* A backend that notes where the lights of each picture stand. */
typedef struct light_notes {
    float positions[8][3];
    uint32_t same_as[8];
    uint32_t pictures;
} light_notes;

static mrw_status create_drawer(void *user, mrw_renderer *renderer, void **out, mrw_error *error)
{
    (void)user;
    (void)error;
    *out = renderer;
    return MRW_OK;
}

/* The picture is the place of the first light. */
static mrw_status draw_light(void *drawer, const mrw_frame_def *def, const mrw_instance *instances,
                             uint32_t count, int threads, mrw_image *out, mrw_error *error)
{
    mrwi_frame_poses poses;
    mrw_raster_job job;
    (void)threads;
    mrw_status status = mrwi_frame_job(drawer, def, instances, count, &poses, &job, error);
    if (status == MRW_OK && !out->pixels) {
        status = mrw_image_create(4, 1, 3, out, error);
    }
    if (status == MRW_OK) {
        memcpy(out->pixels, job.lighting.lights[0].position, sizeof(float[3]));
    }
    return status;
}

static void free_drawer(void *drawer)
{
    (void)drawer;
}

static mrw_status note_light(void *user, const mrw_sequence_frame *frame, mrw_error *error)
{
    light_notes *notes = user;
    (void)error;
    memcpy(notes->positions[frame->index], frame->image->pixels, sizeof(float[3]));
    notes->same_as[frame->index] = frame->same_as;
    notes->pictures += frame->index == frame->same_as;
    return MRW_OK;
}

static light_notes notes_of(const lit_stage *s, const mrw_frame_def *def, int threads)
{
    static const double times[5] = {0, 0.5, 1, 0.5, 2};
    const mrw_backend backend = {"notes", NULL, create_drawer, draw_light, free_drawer};
    light_notes notes = {.pictures = 0};
    mrw_crew *crew;
    ck_assert_int_eq(mrw_crew_create(&backend, threads, &crew, NULL), MRW_OK);
    ck_assert_int_eq(
        mrw_crew_render(crew, def, &s->instance, 1, times, 5, note_light, &notes, NULL), MRW_OK);
    mrw_crew_free(crew);
    return notes;
}

/* Nothing is drawn but light, so that frames differ in their lights alone: those of a file, and one
 * that hangs at a node. At 2 seconds the clip is over, as at 1. The light at the root stands. */
START_TEST(frames_with_other_lights_are_no_duplicates)
{
    const uint32_t expected[5] = {0, 1, 2, 1, 2};
    lit_stage s;
    open_stage(turning_arm(), &s);
    mrw_light_def lamp = mrw_light_def_default(MRW_LIGHT_POINT);
    lamp.space = MRW_LIGHT_SPACE_NODE;
    lamp.node = s.scene->lights[0].node;
    for (int named = 0; named < 2; named++) {
        mrw_frame_def def = def_from_the_side();
        def.file_lights = !named;
        def.rig = named ? MRW_RIG_OFF : MRW_RIG_AUTO;
        def.lights = &lamp;
        def.light_count = (uint32_t)named;
        for (int threads = 1; threads <= 3; threads += 2) {
            const light_notes notes = notes_of(&s, &def, threads);
            ck_assert_mem_eq(notes.same_as, expected, sizeof expected);
            check_vector(notes.positions[0], 2, 0, 0);
            check_vector(notes.positions[1], 1.4142136, 0, -1.4142136);
            check_vector(notes.positions[2], 0, 0, -2);
            check_vector(notes.positions[3], 1.4142136, 0, -1.4142136);
            check_vector(notes.positions[4], 0, 0, -2);
        }
    }
    close_stage(&s);
}
END_TEST

/* One that is fixed to the camera moves with the cameras of a sequence. */
START_TEST(lights_of_cameras_are_no_duplicates)
{
    lit_stage s;
    open_stage(turning_arm(), &s);
    mrw_light_def lamp = mrw_light_def_default(MRW_LIGHT_POINT);
    mrw_frame_def def = def_from_the_side();
    mrw_camera cameras[5];
    for (int i = 0; i < 5; i++) {
        cameras[i] = def.camera;
        cameras[i].world_to_view.m[13] = (float)-i; /* the eye is i above the ground */
    }
    lamp.space = MRW_LIGHT_SPACE_CAMERA;
    def.file_lights = false;
    def.rig = MRW_RIG_OFF;
    def.lights = &lamp;
    def.light_count = 1;
    def.cameras = cameras;
    const light_notes notes = notes_of(&s, &def, 1);
    ck_assert_uint_eq(notes.pictures, 5);
    for (int i = 0; i < 5; i++) {
        check_vector(notes.positions[i], 5, i, 2);
    }
    close_stage(&s);
}
END_TEST

/* ---- environments ---------------------------------------------------------------------------- */

/* The rules at mrw_frame_def: a given environment always shines. The studio shines with strength 1
 * or 1/2 beside the rig, and with 1/12 or 1/6 beside the lights of files. Only the studio
 * compensates by itself. No surface is drawn, so any two pointers will do. */
START_TEST(environments_shine_as_said)
{
    static const char places[2];
    const mrw_environment *sky = (const void *)&places[0], *studio = (const void *)&places[1];
    static const struct {
        mrw_rig_use rig;
        bool files, given;
        int shines;              /* 0: nothing, 1: the studio, 2: what was given */
        float soft, three_point; /* strength with intensity 2 */
    } cases[] = {
        {MRW_RIG_AUTO, false, false, 1, 2, 1},
        {MRW_RIG_AUTO, false, true, 2, 2, 2},
        {MRW_RIG_AUTO, true, false, 1, 1.0f / 6.0f, 1.0f / 3.0f},
        {MRW_RIG_AUTO, true, true, 2, 2, 2},
        {MRW_RIG_OFF, true, false, 0, 0, 0},
        {MRW_RIG_OFF, false, true, 2, 2, 2},
        {MRW_RIG_ON, true, false, 1, 2, 1},
        {MRW_RIG_ON, false, true, 2, 2, 2},
    };
    static const mrw_compensation uses[] = {MRW_COMPENSATION_AUTO, MRW_COMPENSATION_OFF,
                                            MRW_COMPENSATION_ON};
    lit_stage s;
    open_stage(turning_arm(), &s);
    for (size_t n = 0; n < 6 * COUNT(cases); n++) {
        const size_t i = n / 6;
        const mrw_compensation use = uses[n % 3];
        mrw_frame_def def = def_from_the_side();
        ck_assert(!lighting_of(&s, &def).environment);
        def.rig_kind = n / 3 % 2 ? MRW_RIG_THREE_POINT : MRW_RIG_SOFT;
        def.rig = cases[i].rig;
        def.file_lights = cases[i].files;
        def.environment = cases[i].given ? sky : NULL;
        def.studio = studio;
        def.environment_intensity = 2;
        def.compensation = use;
        const float strength = n / 3 % 2 ? cases[i].three_point : cases[i].soft;
        const mrw_lighting lighting = lighting_of(&s, &def);
        const mrw_environment *const expected[] = {NULL, studio, sky};
        ck_assert_ptr_eq(lighting.environment, expected[cases[i].shines]);
        ck_assert_float_eq_tol(lighting.environment_intensity, strength, 1e-6f);
        ck_assert(lighting.environment_compensation ==
                  (use == MRW_COMPENSATION_ON
                       ? cases[i].shines != 0
                       : use == MRW_COMPENSATION_AUTO && cases[i].shines == 1));
    }
    close_stage(&s);
    open_stage_for(turning_arm(), MRW_SHADING_LAMBERT, &s);
    mrw_frame_def def = def_from_the_side();
    def.shading = MRW_SHADING_LAMBERT;
    def.environment = def.studio = studio;
    ck_assert(!lighting_of(&s, &def).environment);
    close_stage(&s);
}
END_TEST

/* The camera of def_from_the_side looks along -X: the rig and the studio are where it is, or where
 * it would be in front; what was given stays. */
START_TEST(light_turns_with_the_camera_or_not)
{
    static const char places[2];
    lit_stage s;
    open_stage(turning_arm(), &s);
    mrw_frame_def def = def_from_the_side();
    def.file_lights = false;
    def.studio = (const void *)&places[1];
    mrw_lighting lighting = lighting_of(&s, &def);
    const float *m = lighting.world_to_environment;
    const float *right = def.camera.world_to_view.m;
    ck_assert_float_eq_tol(m[0], right[0], 1e-6f);
    ck_assert_float_eq_tol(m[6], right[8], 1e-6f);
    ck_assert_float_gt(fabsf(m[0] - 1), 0.1f);
    def.light_frame = MRW_LIGHT_FRAME_WORLD;
    lighting = lighting_of(&s, &def);
    check_vector(lighting.lights[0].to_light, -0.2315394, 0.9261577, 0.2976935);
    check_vector(lighting.world_to_environment, 1, 0, 0);
    def.light_frame = MRW_LIGHT_FRAME_CAMERA;
    def.environment = (const void *)&places[0];
    lighting = lighting_of(&s, &def);
    check_vector(lighting.world_to_environment, 1, 0, 0);
    def.environment = def.studio; /* asked for by name: still the studio */
    lighting = lighting_of(&s, &def);
    ck_assert_float_eq_tol(lighting.world_to_environment[0], right[0], 1e-6f);
    close_stage(&s);
}
END_TEST

/* ---- many ------------------------------------------------------------------------------------ */

/* Ten times as many lights, of a file and named, take about ten times as long. */
START_TEST(many_lights_cost_by_their_number)
{
    static mrw_light_def lamps[100000];
    double took[2];
    for (int round = 0; round < 2; round++) {
        const uint32_t count = round ? 100000 : 10000;
        mrwi_scene_builder *b = begin();
        lit_stage s;
        const uint32_t node = add_node(b, "chandelier", MRW_NONE);
        for (uint32_t i = 0; i < count; i++) {
            add_light(b, &(mrw_scene_light){.node = node,
                                            .type = MRW_SCENE_LIGHT_POINT,
                                            .color = {1, 1, 1},
                                            .intensity = 1});
            lamps[i] = mrw_light_def_default(MRW_LIGHT_SPOT);
            lamps[i].space = MRW_LIGHT_SPACE_NODE;
            lamps[i].node = node;
        }
        open_stage(finish(b), &s);
        mrw_frame_def def = def_from_the_side();
        def.lights = lamps;
        def.light_count = count;
        ck_assert_uint_eq(lighting_of(&s, &def).light_count, 2 * count);
        const double start = seconds();
        lighting_of(&s, &def);
        took[round] = seconds() - start;
        close_stage(&s);
    }
    ck_assert_msg(took[1] < 40 * took[0] + 0.05, "%g s, then %g s", took[0], took[1]);
}
END_TEST

/* Whichever allocation of a frame fails, that is told, or its lights are all there. */
START_TEST(more_lights_of_a_frame_than_memory)
{
    static mrw_light_def lamps[20000];
    lit_stage s;
    open_stage(turning_arm(), &s);
    mrw_frame_def def = def_from_the_side();
    for (size_t i = 0; i < COUNT(lamps); i++) {
        lamps[i] = mrw_light_def_default(MRW_LIGHT_POINT);
    }
    def.lights = lamps;
    def.light_count = COUNT(lamps);
    int failures = 0;
    for (uint64_t n = 1;; n++) {
        mrwi_frame_poses poses;
        mrw_raster_job job;
        mrw_renderer *renderer;
        mrw_error error = {0};
        ck_assert_int_eq(mrw_renderer_create(&renderer, NULL), MRW_OK);
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrwi_frame_job(renderer, &def, &s.instance, 1, &poses, &job, &error);
        const bool done = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (status == MRW_OK) {
            ck_assert_uint_eq(job.lighting.light_count, 3 + COUNT(lamps));
        } else {
            ck_assert_int_eq(status, MRW_ERROR_MEMORY);
            ck_assert_str_ne(error.text, "");
            failures++;
        }
        mrw_renderer_free(renderer);
        if (done) {
            break;
        }
    }
    ck_assert_int_ge(failures, 2);
    close_stage(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("frame lights");
    TCase *tc = test_case(s, "lights");
    tcase_add_test(tc, lights_move_with_their_nodes);
    tcase_add_test(tc, lights_of_all_instances_come_in_order);
    tcase_add_test(tc, lights_go_with_bound_joints);
    tcase_add_test(tc, odd_lights_are_harmless);
    tcase_add_test(tc, more_lights_than_memory_are_an_error);
    tcase_add_test(tc, what_shines);
    tcase_add_test(tc, lights_come_in_order);
    tcase_add_test(tc, lighting_wins_over_all);
    tcase_add_test(tc, a_light_moves_with_a_node);
    tcase_add_test(tc, a_light_goes_with_the_camera);
    tcase_add_test(tc, frames_with_other_lights_are_no_duplicates);
    tcase_add_test(tc, lights_of_cameras_are_no_duplicates);
    tcase_add_test(tc, environments_shine_as_said);
    tcase_add_test(tc, light_turns_with_the_camera_or_not);
    tcase_add_test(tc, many_lights_cost_by_their_number);
    tcase_add_test(tc, more_lights_of_a_frame_than_memory);
    return s;
}

TEST_MAIN(suite())
