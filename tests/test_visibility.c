/* test_visibility.c: what files hide: nodes at rest and in clips, what lies below them, their
 * lights; what all users of a pose make of it. */
#include "load_gltf.h"

#include "marrow/anim.h"
#include "marrow/bake.h"
#include "marrow/clips.h"
#include "marrow/frame.h"
#include "scene/blob.h"
#include "scene/builder.h"

/* Node 0 is a group at z = 5 above node 1, which draws a triangle of sides 1 at the group; node 2
 * draws the same at x = 10. A clip of 1 s hides and shows `animated` at the keys 0, 0.25, 0.5: 1 0
 * 1. `extra` goes into node 0, `more` behind all. */
static const char *hiding(const char *extra, const char *animated, const char *interpolation,
                          const char *more)
{
    static const char accessors[] =
        "],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5126, 3, SCALAR) "," A(
            48, 5121, 3, SCALAR) "," A(56, 5126, 2, SCALAR) "," A(64, 5126, 2, VEC3) "]";
    static const char nodes[] =
        ",'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]"
        ",'nodes':[{'name':'group','children':[1],"
        "'translation':[0,0,5]%s},{'mesh':0},"
        "{'name':'far','mesh':0,'translation':[10,0,0]}],'scenes':[{'nodes':[0,2]}]";
    static const char clip[] = ",'animations':[{'samplers':[{'input':1,'output':2,"
                               "'interpolation':'%s'},{'input':3,'output':4}],"
                               "'channels':[{'sampler':0,'target':{'path':'pointer',"
                               "'extensions':{'KHR_animation_pointer':{'pointer':"
                               "'/nodes/%s/extensions/KHR_node_visibility/visible'}}}},"
                               "{'sampler':1,'target':{'node':2,'path':'scale'}}]}]%s";
    char format[4000];
    reset();
    PUT(float, TRIANGLE);                 /* 0, 36 bytes */
    PUT(float, 0, 0.25f, 0.5f);           /* 36 */
    PUT(uint8_t, 1, 0, 2, 0, 0, 0, 0, 0); /* 48: all but 0 is true */
    PUT(float, 0, 1);                     /* 56 */
    PUT(float, 1, 1, 1, 1, 1, 1);         /* 64 */
    snprintf(format, sizeof format, "%s%s%s", accessors, nodes, clip);
    return gltf(format, extra, interpolation, animated, more);
}

#define HIDDEN ",'extensions':{'KHR_node_visibility':{'visible':false}}"

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
} stage;

static stage open_stage_for(mrw_scene *scene, mrw_shading shading, bool show_hidden)
{
    stage s = {.scene = scene};
    mrw_model_def def = mrw_model_def_default();
    def.shading = shading;
    def.show_hidden = show_hidden;
    ck_assert_int_eq(mrw_model_create_with(scene, &def, 1, &s.model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s.renderer, NULL), MRW_OK);
    s.instance = mrw_instance_default(s.model);
    return s;
}

static stage open_stage(mrw_scene *scene, bool show_hidden)
{
    return open_stage_for(scene, MRW_SHADING_LIT, show_hidden);
}

static void close_stage(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

/* Which draws are shown, a bit each. */
static unsigned shown(stage *s)
{
    const mrw_posed_draw *posed;
    unsigned bits = 0;
    ck_assert_int_eq(mrw_pose_instance(s->renderer, &s->instance, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    for (uint32_t d = 0; d < s->scene->draws_count; d++) {
        ck_assert_uint_eq(posed[d].vertex_count > 0, posed[d].triangle_count > 0);
        ck_assert_uint_eq(posed[d].vertex_count > 0, !!posed[d].positions);
        bits |= posed[d].vertex_count > 0 ? 1u << d : 0;
    }
    return bits;
}

static void rest(stage *s)
{
    s->instance.pose = MRW_POSE_REST;
    s->instance.clip = MRW_NONE;
}

START_TEST(a_hidden_node_hides_what_lies_below_it)
{
    stage s = open_stage(load(hiding(HIDDEN, "2", "STEP", "")), false);
    ck_assert_uint_eq(s.scene->warnings_count, 0);
    rest(&s);
    ck_assert_uint_eq(shown(&s), 2);
    s.instance.pose = MRW_POSE_BIND;
    ck_assert_uint_eq(shown(&s), 2);
    close_stage(&s);
    s = open_stage(load(hiding(HIDDEN, "2", "STEP", "")), true);
    rest(&s);
    ck_assert_uint_eq(shown(&s), 3);
    close_stage(&s);
    s = open_stage(load(hiding(",'extensions':{'KHR_node_visibility':{}}", "2", "STEP", "")),
                   false);
    rest(&s);
    ck_assert_uint_eq(shown(&s), 3);
    close_stage(&s);
}
END_TEST

/* What a clip says stands for what the file says; before it and behind it its ends hold. */
START_TEST(clips_hide_and_show)
{
    static const struct {
        double time;
        unsigned draws;
    } at[] = {{0, 3}, {0.24, 3}, {0.25, 2}, {0.4999, 2}, {0.5, 3}, {1, 3}};
    for (int hidden = 0; hidden < 2; hidden++) {
        stage s = open_stage(load(hiding(hidden ? HIDDEN : "", "0", "STEP", "")), false);
        s.instance.clip = 0;
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            s.instance.time = at[i].time;
            ck_assert_uint_eq(shown(&s), at[i].draws);
        }
        rest(&s);
        ck_assert_uint_eq(shown(&s), hidden ? 2 : 3);
        close_stage(&s);
    }
}
END_TEST

START_TEST(other_interpolations_are_taken_as_steps)
{
    mrw_scene *scene = load(hiding("", "0", "LINEAR", ""));
    ck_assert(has_warning(scene, "STEP"));
    ck_assert_int_eq(scene->channels[0].path, MRW_PATH_VISIBILITY);
    ck_assert_int_eq(scene->channels[0].interpolation, MRW_INTERPOLATION_STEP);
    mrw_scene_free(scene);
}
END_TEST

/* Framing sees the clip's time alone: the far triangle is hidden between its keys only. */
START_TEST(framing_measures_what_is_shown)
{
    stage s = open_stage(load(hiding(HIDDEN, "2", "STEP", "")), false);
    const mrw_view_def view = mrw_view_def_default();
    mrw_extents extents, alone;
    rest(&s);
    ck_assert_int_eq(
        mrw_frame_extents(&s.instance, 1, MRW_FIT_REST, &view, 1, MRW_ISA_AUTO, 1, &extents, NULL),
        MRW_OK);
    const float triangle[] = {10, 0, 0, 1, 11, 0, 0, 1, 10, 1, 0, 1};
    mrw_extents_begin(&view, 1, &alone);
    mrw_extents_add(&alone, triangle, 3, 4);
    ck_assert_mem_eq(&extents, &alone, sizeof extents);
    close_stage(&s);
}
END_TEST

static mrw_bake_meshes baked(stage *s)
{
    const mrw_posed_draw *posed;
    mrw_bake_meshes meshes;
    ck_assert_int_eq(mrw_pose_instance(s->renderer, &s->instance, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    ck_assert_int_eq(mrw_bake_meshes_measure(s->scene, posed, &meshes, NULL), MRW_OK);
    return meshes;
}

START_TEST(baking_leaves_out_what_is_hidden)
{
    stage s = open_stage(load(hiding(HIDDEN, "2", "STEP", "")), false);
    rest(&s);
    mrw_bake_meshes meshes = baked(&s);
    ck_assert_uint_eq(meshes.count, 1);
    ck_assert_uint_eq(meshes.items[0].draw, 1);
    ck_assert_double_eq(meshes.total.area, 0.5);
    mrw_bake_meshes_free(&meshes);
    close_stage(&s);
}
END_TEST

/* The rasterizer's coverage of a picture from the front that has both triangles in it. */
static unsigned covered(stage *s, mrw_shading shading)
{
    mrw_frame_def def = mrw_frame_def_default();
    mrw_image picture = {0};
    unsigned pixels = 0;
    def.shading = shading;
    def.width = def.height = 64;
    def.shadows = true;
    def.occlusion = true;
    def.camera =
        (mrw_camera){.world_to_view = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -5, 0, -20, 1}},
                     .view_to_clip = {{0.1f, 0, 0, 0, 0, 0.1f, 0, 0, 0, 0, -0.01f, 0, 0, 0, 0, 1}},
                     .orthographic = true,
                     .near_plane = 0,
                     .far_plane = 100};
    ck_assert_int_eq(mrw_render(s->renderer, &def, &s->instance, 1, 1, &picture, NULL), MRW_OK);
    for (uint32_t y = 0; y < picture.height; y++) {
        const uint8_t *row = (const uint8_t *)picture.pixels + y * picture.width * picture.channels;
        for (uint32_t x = 0; x < picture.width; x++) {
            pixels += row[picture.channels * x] != def.background[0] ||
                      row[picture.channels * x + 1] != def.background[1];
        }
    }
    mrw_image_free(&picture);
    return pixels;
}

START_TEST(pictures_show_no_hidden_triangle)
{
    static const mrw_shading modes[] = {MRW_SHADING_LIT, MRW_SHADING_DEPTH, MRW_SHADING_UV};
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        stage all = open_stage_for(load(hiding(HIDDEN, "2", "STEP", "")), modes[m], true);
        stage one = open_stage_for(load(hiding(HIDDEN, "2", "STEP", "")), modes[m], false);
        rest(&all);
        rest(&one);
        const unsigned both = covered(&all, modes[m]), single = covered(&one, modes[m]);
        ck_assert_uint_gt(single, 0);
        ck_assert_uint_gt(both, single);
        close_stage(&all);
        close_stage(&one);
    }
}
END_TEST

#define SUN ",'extensions':{'KHR_lights_punctual':{'lights':[{'type':'directional'}]}}"

START_TEST(lights_of_hidden_nodes_do_not_shine)
{
    const mrw_light *lights;
    uint32_t count;
    stage s = open_stage(load(hiding(",'extensions':{'KHR_node_visibility':{'visible':false},"
                                     "'KHR_lights_punctual':{'light':0}}",
                                     "0", "STEP", SUN)),
                         false);
    rest(&s);
    ck_assert_int_eq(
        mrw_frame_lights(s.renderer, &s.instance, 1, MRW_ISA_AUTO, &lights, &count, NULL), MRW_OK);
    ck_assert_uint_eq(count, 0);
    s.instance.pose = MRW_POSE_CLIP;
    s.instance.clip = 0;
    s.instance.time = 0;
    ck_assert_int_eq(
        mrw_frame_lights(s.renderer, &s.instance, 1, MRW_ISA_AUTO, &lights, &count, NULL), MRW_OK);
    ck_assert_uint_eq(count, 1);
    close_stage(&s);
}
END_TEST

/* ---- mixing ---------------------------------------------------------------------------------- */

/* Flags of node 0 of poses of one node scenes. */
static uint8_t blended(const mrw_scene *scene, uint8_t a, float weight_a, uint8_t b, float weight_b)
{
    static const mrw_transform identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    mrw_transform locals[3] = {identity, identity, identity};
    const uint8_t first[3] = {a, 0, 0}, second[3] = {b, 0, 0};
    uint8_t animated[3];
    const mrw_blend_input inputs[] = {{.pose = {locals, first, NULL}, .weight = weight_a},
                                      {.pose = {locals, second, NULL}, .weight = weight_b}};
    mrw_transform out[3];
    mrw_blend(&(mrw_blend_job){
        .scene = scene, .inputs = inputs, .input_count = 2, .locals = out, .animated = animated});
    return animated[0];
}

START_TEST(the_heavier_clip_decides)
{
    const uint8_t off = MRW_ANIMATED_VISIBILITY | MRW_ANIMATED_HIDDEN;
    const uint8_t on = MRW_ANIMATED_VISIBILITY;
    mrw_scene *scene = load(hiding("", "0", "STEP", ""));
    ck_assert_uint_eq(blended(scene, off, 1, on, 2), on);
    ck_assert_uint_eq(blended(scene, off, 2, on, 1), off);
    ck_assert_uint_eq(blended(scene, off, 1, on, 1), off);
    ck_assert_uint_eq(blended(scene, on, 1, off, 1), on);
    ck_assert_uint_eq(blended(scene, on, 0, off, 0), 0);
    mrw_scene_free(scene);
    scene = load(hiding(HIDDEN, "0", "STEP", ""));
    ck_assert_uint_eq(blended(scene, on, 0, on, 0), MRW_ANIMATED_HIDDEN);
    mrw_scene_free(scene);
}
END_TEST

static uint8_t layered(const mrw_scene *scene, uint8_t base, uint8_t over, float weight,
                       bool additive)
{
    static const mrw_transform identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    mrw_transform locals[3] = {identity, identity, identity}, upper[3];
    uint8_t animated[3] = {base, 0, 0};
    const uint8_t flags[3] = {over, 0, 0};
    memcpy(upper, locals, sizeof upper);
    const mrw_local_pose pose = {upper, flags, NULL};
    mrw_layer(&(mrw_layer_job){.scene = scene,
                               .over = pose,
                               .reference = additive ? &pose : NULL,
                               .weight = weight,
                               .locals = locals,
                               .animated = animated});
    return animated[0];
}

START_TEST(a_layer_decides_from_one_half_on)
{
    const uint8_t off = MRW_ANIMATED_VISIBILITY | MRW_ANIMATED_HIDDEN;
    const uint8_t on = MRW_ANIMATED_VISIBILITY;
    mrw_scene *scene = load(hiding("", "0", "STEP", ""));
    ck_assert_uint_eq(layered(scene, on, off, 0.5f, false), off);
    ck_assert_uint_eq(layered(scene, off, on, 0.5f, false), on);
    ck_assert_uint_eq(layered(scene, on, off, 0.4f, false), on);
    ck_assert_uint_eq(layered(scene, on, off, 1, true), on);
    ck_assert_uint_eq(layered(scene, 0, MRW_ANIMATED_HIDDEN, 1, false), 0); /* at rest there */
    mrw_scene_free(scene);
}
END_TEST

/* ---- scenes ---------------------------------------------------------------------------------- */

START_TEST(hashes_tell_what_is_hidden)
{
    mrw_scene *shown_one = load(hiding("", "0", "STEP", ""));
    mrw_scene *hidden_one = load(hiding(HIDDEN, "0", "STEP", ""));
    uint8_t a[32], b[32];
    mrw_scene_part_hash(shown_one, MRW_PART_NODES, 0, a);
    mrw_scene_part_hash(hidden_one, MRW_PART_NODES, 0, b);
    ck_assert_mem_ne(a, b, 32);
    mrw_scene_part_hash(shown_one, MRW_PART_CLIPS, 0, a);
    mrw_scene_part_hash(hidden_one, MRW_PART_CLIPS, 0, b);
    ck_assert_mem_eq(a, b, 32);
    mrw_scene_free(shown_one);
    mrw_scene_free(hidden_one);
}
END_TEST

/* As it comes of a .marrow file, whole and damaged. */
START_TEST(the_validation_knows_flags_and_keys)
{
    mrw_scene *scene = load(hiding(HIDDEN, "0", "STEP", ""));
    const uint32_t strings = ((const mrwi_scene_blob_header *)scene->blob)->hashed_strings;
    ck_assert_int_eq(mrwi_scene_validate(scene, strings, "t", NULL), MRW_OK);
    mrw_node *node = (mrw_node *)(uintptr_t)&scene->nodes[0];
    ck_assert_uint_eq(node->flags, MRW_NODE_HIDDEN);
    node->flags = 8;
    ck_assert_int_eq(mrwi_scene_validate(scene, strings, "t", NULL), MRW_ERROR_INPUT);
    node->flags = 7;
    ck_assert_int_eq(mrwi_scene_validate(scene, strings, "t", NULL), MRW_OK);
    mrw_channel *channel = (mrw_channel *)(uintptr_t)&scene->channels[0];
    float *values = (float *)(uintptr_t)&scene->key_values[channel->first_value];
    ck_assert_int_eq(channel->path, MRW_PATH_VISIBILITY);
    values[1] = 0.5f;
    ck_assert_int_eq(mrwi_scene_validate(scene, strings, "t", NULL), MRW_ERROR_INPUT);
    values[1] = 0;
    channel->interpolation = MRW_INTERPOLATION_LINEAR;
    ck_assert_int_eq(mrwi_scene_validate(scene, strings, "t", NULL), MRW_ERROR_INPUT);
    mrw_scene_free(scene);
}
END_TEST

/* A clip of another file hides what the names say. */
START_TEST(added_clips_hide)
{
    mrw_scene *base = load(hiding("", "2", "STEP", ""));
    mrw_scene *from = load(hiding("", "0", "STEP", ""));
    mrw_clip_source source = {.scene = from, .name = "walk"};
    mrw_scene *both = NULL;
    mrw_error added = {0};
    mrw_status status = mrw_scene_add_clips(base, &source, 1, &both, &added);
    if (status == MRW_OK) {
        stage s = open_stage(both, false);
        s.instance.clip = both->clips_count - 1;
        s.instance.time = 0.3;
        ck_assert_uint_eq(shown(&s) & 1, 0);
        close_stage(&s);
    }
    ck_assert_msg(status == MRW_OK, "%s", added.text);
    mrw_scene_free(base);
    mrw_scene_free(from);
}
END_TEST

/* ---- skeletons without triangles ------------------------------------------------------------- */

/* Joints 0 above 2, with a node between that turns and moves; 3 is no joint. */
START_TEST(bare_skeletons_of_gltf_show_joints)
{
    reset();
    PUT(float, 0, 0, 0);
    mrw_scene *scene = load(gltf("],'nodes':[{'translation':[5,0,0],'children':[1,3]},"
                                 "{'rotation':[0,0,0.70710678,0.70710678],'translation':[0,1,0],"
                                 "'children':[2]},{'translation':[3,0,0]},"
                                 "{'translation':[0,0,900]}],'scenes':[{'nodes':[0]}],"
                                 "'skins':[{'joints':[0,2]}]"));
    stage s = open_stage(scene, false);
    rest(&s);
    const mrw_posed_draw *posed;
    ck_assert_uint_eq(scene->draws_count, 1);
    ck_assert_uint_eq(scene->meshes[0].triangle_count, 8);
    ck_assert(scene->meshes[0].flags & MRW_MESH_BONES);
    ck_assert_int_eq(mrw_pose_instance(s.renderer, &s.instance, MRW_ISA_AUTO, &posed, NULL),
                     MRW_OK);
    float low = 1e9f, high = -1e9f; /* from 5,0,0 to 5,4,0 */
    for (uint32_t v = 0; v < posed->vertex_count; v++) {
        low = posed->positions[4 * v + 1] < low ? posed->positions[4 * v + 1] : low;
        high = posed->positions[4 * v + 1] > high ? posed->positions[4 * v + 1] : high;
        ck_assert_float_le(fabsf(posed->positions[4 * v] - 5.0f), 0.401f);
    }
    ck_assert_float_le(fabsf(low), 1e-5f);
    ck_assert_float_le(fabsf(high - 4.0f), 1e-5f);
    close_stage(&s);
}
END_TEST

/* ---- turning things around ------------------------------------------------------------------- */

/* A triangle in z = 0 with texture coordinates 0.25, 0.125 at each corner, and normals or none. */
static mrw_scene *flipped(const char *normal, bool v, bool winding)
{
    mrw_load_def def = mrw_load_def_default();
    mrw_scene *scene = NULL;
    mrw_error failed = {0};
    reset();
    PUT(float, TRIANGLE);                                    /* 0 */
    PUT(float, 0.25f, 0.125f, 0.25f, 0.125f, 0.25f, 0.125f); /* 36 */
    PUT(float, 0, 0, 1, 0, 0, 1, 0, 0, 1);                   /* 60 */
    PUT(float, 0, 0, -1, 0, 0, -1, 0, 0, -1);                /* 96 */
    const char *json =
        gltf("],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5126, 3, VEC2) "," A(
                 60, 5126, 3,
                 VEC3) "," A(96, 5126, 3,
                             VEC3) "],'meshes':[{'primitives':["
                                   "{'attributes':{'POSITION':0,'TEXCOORD_0':1%s}}]}]" ONE_NODE,
             normal);
    def.flip_v = v;
    def.flip_winding = winding;
    ck_assert_msg(mrw_load_memory(json, strlen(json), "t.gltf", NULL, &def, &scene, &failed) ==
                      MRW_OK,
                  "%s", failed.text);
    return scene;
}

START_TEST(winding_and_v_are_flipped)
{
    static const struct {
        const char *normal;
        float before, behind; /* z of the normals */
    } cases[] = {
        {"", 1, -1},             /* computed: of the triangle */
        {",'NORMAL':2", 1, -1},  /* agreed with it */
        {",'NORMAL':3", -1, -1}, /* and here not */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int turn = 0; turn < 2; turn++) {
            mrw_scene *scene = flipped(cases[i].normal, turn, turn);
            const mrw_mesh *mesh = &scene->meshes[0];
            const float *p[3];
            for (uint32_t k = 0; k < 3; k++) {
                const size_t at = corner(scene, 0, k);
                p[k] = scene->positions + 3 * (mesh->position + at);
                ck_assert_float_eq(scene->normals[3 * (mesh->normal + at) + 2],
                                   turn ? cases[i].behind : cases[i].before);
                ck_assert_float_eq(scene->uvs[2 * (mesh->uv[0] + at)], 0.25f);
                ck_assert_float_eq(scene->uvs[2 * (mesh->uv[0] + at) + 1], turn ? 0.875f : 0.125f);
            }
            const float area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                               (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
            ck_assert_float_eq(area, turn ? -1.0f : 1.0f);
            mrw_scene_free(scene);
        }
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("visibility");
    TCase *tc = tcase_create("visibility");
    tcase_add_test(tc, a_hidden_node_hides_what_lies_below_it);
    tcase_add_test(tc, clips_hide_and_show);
    tcase_add_test(tc, other_interpolations_are_taken_as_steps);
    tcase_add_test(tc, framing_measures_what_is_shown);
    tcase_add_test(tc, baking_leaves_out_what_is_hidden);
    tcase_add_test(tc, pictures_show_no_hidden_triangle);
    tcase_add_test(tc, lights_of_hidden_nodes_do_not_shine);
    tcase_add_test(tc, the_heavier_clip_decides);
    tcase_add_test(tc, a_layer_decides_from_one_half_on);
    tcase_add_test(tc, hashes_tell_what_is_hidden);
    tcase_add_test(tc, the_validation_knows_flags_and_keys);
    tcase_add_test(tc, added_clips_hide);
    tcase_add_test(tc, bare_skeletons_of_gltf_show_joints);
    tcase_add_test(tc, winding_and_v_are_flipped);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
