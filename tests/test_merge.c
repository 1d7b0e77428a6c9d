/* test_merge.c: the clips of other files: how joints are matched by name, what is added, what is
 * refused; small glTF files, results worked out by hand. */
#include "load_gltf.h"

#include "base/memory.h"

#include <marrow/clips.h>
#include <marrow/frame.h>
#include <marrow/load.h>

/* ---- files ----------------------------------------------------------------------------------- */

/* Nodes and channels go with: sampler 0 moves from (1, 2, 3) to (4, 5, 6), 1 turns a half about z,
 * 2 scales to (1, 1, 2), 3 goes through two weights. Mesh 0 is a skinned triangle with two targets.
 */
static mrw_scene *file(const char *nodes, const char *rest, const char *animations)
{
    reset();
    PUT(float, 0, 1);                                 /* 0: times */
    PUT(float, 1, 2, 3, 4, 5, 6);                     /* 8 */
    PUT(float, 0, 0, 0, 1, 0, 0, 1, 0);               /* 32 */
    PUT(float, 1, 1, 1, 1, 1, 2);                     /* 64 */
    PUT(float, 0.25f, 0.5f, -1, 2);                   /* 88 */
    PUT(float, TRIANGLE);                             /* 104 */
    PUT(uint8_t, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0); /* 140 */
    PUT(float, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);   /* 152 */
    return load(gltf(
        "],'accessors':[" A(0, 5126, 2, SCALAR) "," A(8, 5126, 2, VEC3) "," A(
            32, 5126, 2,
            VEC4) "," A(64, 5126, 2,
                        VEC3) "," A(88, 5126, 4,
                                    SCALAR) "," A(104, 5126, 3,
                                                  VEC3) "," A(140, 5121, 3,
                                                              VEC4) "," A(152, 5126, 3,
                                                                          VEC4) "],'meshes':[{'"
                                                                                "primitives':[{'"
                                                                                "attributes':{'"
                                                                                "POSITION':5,'"
                                                                                "JOINTS_0':"
                                                                                "6,'WEIGHTS_0':7},'"
                                                                                "targets':[{'"
                                                                                "POSITION':5},{'"
                                                                                "POSITION':5}]}]}],"
                                                                                "'nodes':[%s]%s,'"
                                                                                "animations':[%s]",
        nodes, rest, animations));
}

#define SAMPLERS                                                                                   \
    "'samplers':[{'input':0,'output':1},{'input':0,'output':2},{'input':0,'output':3},{'input':0," \
    "'output':4}]"
#define CLIP(name, channels) "{'name':'" name "'," SAMPLERS ",'channels':[" channels "]}"
#define MOVES(node)          "{'sampler':0,'target':{'node':" #node ",'path':'translation'}}"
#define TURNS(node)          "{'sampler':1,'target':{'node':" #node ",'path':'rotation'}}"
#define SCALES(node)         "{'sampler':2,'target':{'node':" #node ",'path':'scale'}}"
#define WEIGHS(node)         "{'sampler':3,'target':{'node':" #node ",'path':'weights'}}"

/* A body: Root > Hips > Spine, a mesh drawn with Hips and Spine as joints. */
static mrw_scene *body(const char *prefix, const char *animations)
{
    char nodes[600];
    snprintf(nodes, sizeof nodes,
             "{'name':'Body','mesh':0,'skin':0},{'name':'Root','children':[2]},"
             "{'name':'%sHips','children':[3],'translation':[0,1,0]},{'name':'%sSpine'}",
             prefix, prefix);
    return file(nodes, ",'skins':[{'joints':[2,3]}]", animations);
}

static mrw_scene *join(const mrw_scene *base, mrw_clip_source *source)
{
    mrw_scene *out = NULL;
    memset(&error, 0, sizeof error);
    mrw_status status = mrw_scene_add_clips(base, source, 1, &out, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return out;
}

static void refuse(const mrw_scene *base, mrw_scene *animation, const char *part)
{
    mrw_clip_source source = {.scene = animation, .name = "other"};
    mrw_scene *out = NULL;
    ck_assert_int_eq(mrw_scene_add_clips(base, &source, 1, &out, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_null(out);
    ck_assert_msg(strstr(error.text, part), "%s", error.text);
    mrw_scene_free(animation);
}

static uint32_t node_named(const mrw_scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->nodes_count; i++) {
        if (strcmp(mrw_scene_string(s, s->nodes[i].name), name) == 0) {
            return i;
        }
    }
    ck_abort_msg("no node %s", name);
    return MRW_NONE;
}

static const char *clip_name(const mrw_scene *s, uint32_t clip)
{
    ck_assert_uint_lt(clip, s->clips_count);
    return mrw_scene_string(s, s->clips[clip].name);
}

/* The channel of a clip, or NULL. */
static const mrw_channel *channel_of(const mrw_scene *s, uint32_t clip, uint32_t node,
                                     mrw_path path)
{
    const mrw_clip *c = &s->clips[clip];
    for (uint32_t i = c->first_channel; i < c->first_channel + c->channel_count; i++) {
        if (s->channels[i].node == node && s->channels[i].path == path) {
            return &s->channels[i];
        }
    }
    return NULL;
}

static const double move_keys[] = {1, 2, 3, 4, 5, 6}, turn_keys[] = {0, 0, 0, 1, 0, 0, 1, 0};

static void check_keys(const mrw_scene *s, uint32_t clip, uint32_t node, mrw_path path,
                       const double *keys, int count)
{
    const mrw_channel *channel = channel_of(s, clip, node, path);
    ck_assert_ptr_nonnull(channel);
    ck_assert_uint_eq(channel->key_count, 2);
    ck_assert_double_eq(s->key_times[channel->first_time], 0);
    ck_assert_double_eq(s->key_times[channel->first_time + 1], 1);
    check_floats(s->key_values + channel->first_value, keys, count, 0);
}

static void check_constant(const mrw_scene *s, uint32_t clip, uint32_t node, mrw_path path,
                           const double *value, int count)
{
    const mrw_channel *channel = channel_of(s, clip, node, path);
    ck_assert_ptr_nonnull(channel);
    ck_assert_uint_eq(channel->key_count, 1);
    check_floats(s->key_values + channel->first_value, value, count, 1e-6);
}

/* ---- matching -------------------------------------------------------------------------------- */

/* The clips of the model stay first and the same; the other file has its nodes in another order. */
START_TEST(test_equal_names)
{
    mrw_scene *base = body("", CLIP("stand", MOVES(2)));
    mrw_scene *other = file("{'name':'Spine'},{'name':'Hips','children':[0]}", "",
                            CLIP("walk", MOVES(1) "," TURNS(0)));
    mrw_clip_source source = {.scene = other, .name = "other"};
    mrw_scene *s = join(base, &source);
    mrw_scene_free(other);
    ck_assert_uint_eq(source.match.joints, 2);
    ck_assert_uint_eq(source.match.matched, 2);
    ck_assert_str_eq(source.match.unmatched, "");
    ck_assert_uint_eq(s->clips_count, 2);
    ck_assert_str_eq(clip_name(s, 0), "stand");
    ck_assert_str_eq(clip_name(s, 1), "walk");
    ck_assert_double_eq(s->clips[1].duration, 1);
    ck_assert_uint_eq(s->nodes_count, base->nodes_count);
    ck_assert_uint_eq(s->clips[1].channel_count, 2);
    check_keys(s, 0, node_named(s, "Hips"), MRW_PATH_TRANSLATION, move_keys, 6);
    check_keys(s, 1, node_named(s, "Hips"), MRW_PATH_TRANSLATION, move_keys, 6);
    check_keys(s, 1, node_named(s, "Spine"), MRW_PATH_ROTATION, turn_keys, 8);
    ck_assert_mem_ne(mrw_scene_hash(s), mrw_scene_hash(base), 32);
    mrw_scene_free(base);
    mrw_scene_free(s);
}
END_TEST

START_TEST(test_namespaces)
{
    static const char *const cases[][2] = {
        {"", "mixamorig:"}, {"mixamorig:", ""}, {"a:b:", "c:"}, {"x:", "x:"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[32];
        mrw_scene *base = body(cases[i][0], ""), *other = body(cases[i][1], CLIP("w", MOVES(2)));
        mrw_clip_source source = {.scene = other, .name = "other"};
        mrw_scene *s = join(base, &source);
        ck_assert_uint_eq(source.match.matched, 1);
        snprintf(name, sizeof name, "%sHips", cases[i][0]);
        check_keys(s, 0, node_named(s, name), MRW_PATH_TRANSLATION, move_keys, 6);
        mrw_scene_free(base);
        mrw_scene_free(other);
        mrw_scene_free(s);
    }
}
END_TEST

/* An equal name wins over one without its namespace, whatever the order; of two that are equal
 * without theirs neither is taken. */
START_TEST(test_equal_before_namespaces)
{
    mrw_scene *base = file("{'name':'a:Hips'},{'name':'Hips'},{'name':'b:Leg'}", "", "");
    mrw_scene *other = file("{'name':'c:Hips'},{'name':'Hips'},{'name':'d:Leg'},{'name':'e:Leg'}",
                            "", CLIP("w", TURNS(0) "," MOVES(1) "," MOVES(2) "," MOVES(3)));
    mrw_clip_source source = {.scene = other, .name = "other"};
    mrw_scene *s = join(base, &source);
    ck_assert_uint_eq(source.match.joints, 4);
    ck_assert_uint_eq(source.match.matched, 2);
    ck_assert_str_eq(source.match.unmatched, "d:Leg, e:Leg");
    check_keys(s, 0, 0, MRW_PATH_ROTATION, turn_keys, 8);
    check_keys(s, 0, 1, MRW_PATH_TRANSLATION, move_keys, 6);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* Of several nodes of one name the first joint; without joints, that below the matched parent. */
START_TEST(test_ambiguous_names)
{
    mrw_scene *base = file(
        "{'name':'Hips','mesh':0,'skin':0},{'name':'Hips'},{'name':'Hips'},{'name':'L','children"
        "':[4]},{'name':'Toe'},{'name':'R','children':[6]},{'name':'Toe'}",
        ",'skins':[{'joints':[2,1]}]", "");
    mrw_scene *other = file("{'name':'Hips'},{'name':'R','children':[2]},{'name':'Toe'}", "",
                            CLIP("w", MOVES(0) "," TURNS(2)));
    mrw_clip_source source = {.scene = other, .name = "other"};
    mrw_scene *s = join(base, &source);
    check_keys(s, 0, 1, MRW_PATH_TRANSLATION, move_keys, 6);
    check_keys(s, 0, 6, MRW_PATH_ROTATION, turn_keys, 8);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* ---- what is added --------------------------------------------------------------------------- */

/* Tail and its tip hang on the model's hips; Prop brings the parent that does not move; Still,
 * which does not move either, stays away. */
START_TEST(test_joints_of_the_animation_only)
{
    mrw_scene *base = body("", "");
    mrw_scene *other = file(
        "{'name':'Hips','children':[1,5]},{'name':'Tail','children':[2],'translation':[0,0,-1]},"
        "{'name':'Tip','matrix':[2,0,0,0,0,2,0,0,0,0,2,0,7,8,9,1]},"
        "{'name':'Stage','children':[4],'scale':[3,3,3]},{},{'name':'Still'}",
        "", CLIP("w", MOVES(0) "," TURNS(1) "," TURNS(2) "," MOVES(4)));
    mrw_clip_source source = {.scene = other, .name = "other"};
    mrw_scene *s = join(base, &source);
    mrw_scene_free(other);
    ck_assert_uint_eq(source.match.joints, 4);
    ck_assert_uint_eq(source.match.matched, 1);
    ck_assert_uint_eq(s->nodes_count, base->nodes_count + 4);
    uint32_t tail = node_named(s, "Tail"), tip = node_named(s, "Tip"),
             stage = node_named(s, "Stage");
    ck_assert_uint_eq(s->nodes[tail].parent, node_named(s, "Hips"));
    ck_assert_uint_eq(s->nodes[tip].parent, tail);
    ck_assert_uint_eq(s->nodes[stage].parent, MRW_NONE);
    check_floats(s->nodes[tail].rest.translation, (const double[]){0, 0, -1}, 3, 0);
    check_floats(s->nodes[stage].rest.scale, (const double[]){3, 3, 3}, 3, 0);
    ck_assert_uint_ne(s->nodes[tip].matrix, MRW_NONE);
    check_floats(s->matrices[s->nodes[tip].matrix].m + 12, (const double[]){7, 8, 9, 1}, 4, 0);
    check_keys(s, 0, tip, MRW_PATH_ROTATION, turn_keys, 8);
    uint32_t nameless = s->nodes_count - 1;
    ck_assert_uint_eq(s->nodes[nameless].parent, stage);
    check_keys(s, 0, nameless, MRW_PATH_TRANSLATION, move_keys, 6);
    ck_assert_ptr_nonnull(strstr(source.match.unmatched, "Tail, Tip, node "));
    ck_assert_mem_eq(s->draws, base->draws, base->draws_count * sizeof *s->draws);
    ck_assert_mem_eq(s->nodes, base->nodes, base->nodes_count * sizeof *s->nodes);
    mrw_scene_free(base);
    mrw_scene_free(s);
}
END_TEST

START_TEST(test_weights)
{
    mrw_scene *base = body("", "");
    mrw_scene *other = file("{'name':'Body','mesh':0},{'name':'Other','mesh':0}", "",
                            CLIP("w", WEIGHS(0) "," WEIGHS(1)));
    mrw_clip_source source = {.scene = other, .name = "other"};
    mrw_scene *s = join(base, &source);
    ck_assert_uint_eq(source.match.joints, 0);
    ck_assert_uint_eq(source.match.weights_left_out, 1);
    ck_assert_uint_eq(s->channels_count, 1);
    check_keys(s, 0, node_named(s, "Body"), MRW_PATH_WEIGHTS, (const double[]){0.25, 0.5, -1, 2},
               4);
    mrw_scene *without = file("{'name':'Body'},{'name':'Hips'}", "", "");
    refuse(without, other, "move no joints and no morph weights of the model");
    mrw_scene_free(without);
    mrw_scene_free(base);
    mrw_scene_free(s);
}
END_TEST

/* A clip that scales non-uniformly makes the skinned mesh need other normals. */
START_TEST(test_scales_reach_the_meshes)
{
    mrw_scene *base = body("", CLIP("stand", MOVES(2)));
    ck_assert_uint_eq(base->meshes[0].flags & MRW_MESH_NONUNIFORM, 0);
    for (int scaled = 0; scaled < 2; scaled++) {
        mrw_scene *other = body("", scaled ? CLIP("w", SCALES(2)) : CLIP("w", TURNS(2)));
        mrw_clip_source source = {.scene = other, .name = "other"};
        mrw_scene *s = join(base, &source);
        ck_assert_uint_eq(s->meshes[0].flags & MRW_MESH_NONUNIFORM,
                          scaled ? MRW_MESH_NONUNIFORM : 0);
        mrw_scene_free(other);
        mrw_scene_free(s);
    }
    mrw_scene_free(base);
}
END_TEST

/* ---- names of clips -------------------------------------------------------------------------- */

START_TEST(test_names_of_clips)
{
    mrw_scene *base = body("", CLIP("walk", MOVES(2)));
    mrw_scene *one =
        body("", CLIP("walk", MOVES(2)) "," CLIP("run", MOVES(2)) "," CLIP("Take", TURNS(2)));
    mrw_scene *two = body("", CLIP("Take", MOVES(3)) "," CLIP("sit", MOVES(3)));
    mrw_clip_source sources[] = {
        {.scene = one, .name = "a"}, {.scene = two, .name = "b"}, {.scene = two, .name = "b"}};
    mrw_scene *s = NULL;
    ck_assert_int_eq(mrw_scene_add_clips(base, sources, 3, &s, &error), MRW_OK);
    static const char *const want[] = {"walk",   "a/walk", "run",      "a/Take",
                                       "b/Take", "b/sit",  "b/Take-2", "b/sit-3"};
    ck_assert_uint_eq(s->clips_count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        ck_assert_str_eq(clip_name(s, i), want[i]);
    }
    ck_assert_str_eq(mrw_scene_string(s, s->clips[4].full_name), "Take");
    uint32_t found;
    ck_assert_int_eq(mrw_scene_find_clip(s, "b/Take", &found, &error), MRW_OK);
    ck_assert_uint_eq(found, 4);
    check_keys(s, 4, node_named(s, "Spine"), MRW_PATH_TRANSLATION, move_keys, 6);
    mrw_scene_free(base);
    mrw_scene_free(one);
    mrw_scene_free(two);
    mrw_scene_free(s);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------- */

START_TEST(test_strangers)
{
    mrw_scene *base = body("", "");
    refuse(
        base, file("{'name':'Wheel'},{'name':'Door'}", "", CLIP("w", MOVES(0) "," TURNS(1))),
        "other: none of the 2 joints that its clips move (Wheel, Door) is in the model, which has "
        "Hips, Spine;");
    refuse(base, body("", ""), "other: it has no clips");
    refuse(base, file("{},{}", "", CLIP("w", MOVES(0))), "(node 0)");
    refuse(base, file("{'name':'\\u001b[31m'}", "", CLIP("w", MOVES(0))), "(\\x1B[31m)");
    mrw_scene_free(base);
}
END_TEST

/* ---- joints spread over several nodes -------------------------------------------------------- */

#define PIVOTS                                                                                     \
    "{'name':'Root','children':[1]},"                                                              \
    "{'name':'Hips_$AssimpFbx$_Translation','translation':[0,5,0],'children':[2]},"                \
    "{'name':'Hips_$AssimpFbx$_PreRotation','rotation':[0,0,1,0],'children':[3]},"                 \
    "{'name':'Hips','scale':[2,2,2],'children':[4]},{'name':'Spine','translation':[1,0,0]}"

static const double zero[] = {0, 0, 0}, none[] = {0, 0, 0, 1}, one[] = {1, 1, 1};

/* The animation has the whole joint in one node: the pivots of the model stand still, and what the
 * clip does not animate is that of the whole joint: moved by 5y, half a turn, twice as large. */
START_TEST(test_pivots_of_the_model)
{
    mrw_scene *base = file(PIVOTS, ",'skins':[{'joints':[3,4]}]", "");
    mrw_scene *other =
        file("{'name':'Hips'},{'name':'Spine'}", "", CLIP("w", TURNS(0)) "," CLIP("v", MOVES(1)));
    mrw_clip_source source = {.scene = other, .name = "other"};
    mrw_scene *s = join(base, &source);
    ck_assert_uint_eq(source.match.matched, 2);
    for (uint32_t link = 1; link <= 2; link++) {
        check_constant(s, 0, link, MRW_PATH_TRANSLATION, zero, 3);
        check_constant(s, 0, link, MRW_PATH_ROTATION, none, 4);
        check_constant(s, 0, link, MRW_PATH_SCALE, one, 3);
    }
    check_keys(s, 0, 3, MRW_PATH_ROTATION, turn_keys, 8);
    check_constant(s, 0, 3, MRW_PATH_TRANSLATION, (const double[]){0, 5, 0}, 3);
    check_constant(s, 0, 3, MRW_PATH_SCALE, (const double[]){2, 2, 2}, 3);
    ck_assert_uint_eq(s->clips[0].channel_count, 9);
    ck_assert_uint_eq(s->clips[1].channel_count, 1); /* the hips rest as they are */
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* Both have pivots: equal kinds are matched under another namespace too, others stand still, and a
 * translation of a link that the model lacks goes to the joint. */
START_TEST(test_pivots_of_both)
{
    mrw_scene *base = file(PIVOTS, "", "");
    mrw_scene *other =
        file("{'name':'m:Hips_$AssimpFbx$_PreRotation','children':[1]},{'name':'m:Hips'}", "",
             CLIP("w", TURNS(0) "," MOVES(1)));
    mrw_clip_source source = {.scene = other, .name = "other", .retarget = MRW_RETARGET_OFF};
    mrw_scene *s = join(base, &source);
    mrw_scene_free(other);
    ck_assert_uint_eq(source.match.joints, 1);
    ck_assert_uint_eq(source.match.matched, 1);
    check_keys(s, 0, 2, MRW_PATH_ROTATION, turn_keys, 8);
    check_keys(s, 0, 3, MRW_PATH_TRANSLATION, move_keys, 6);
    check_constant(s, 0, 1, MRW_PATH_TRANSLATION, zero, 3);
    ck_assert_ptr_null(channel_of(s, 0, 3, MRW_PATH_SCALE));
    ck_assert_uint_eq(s->nodes_count, base->nodes_count);
    mrw_scene_free(s);
    mrw_scene_free(base);

    base = file("{'name':'Hips'}", "", "");
    other = file("{'name':'Hips_$AssimpFbx$_Translation','children':[1]},{'name':'Hips'}", "",
                 CLIP("w", MOVES(0) "," TURNS(1)));
    source = (mrw_clip_source){.scene = other, .name = "other", .retarget = MRW_RETARGET_OFF};
    s = join(base, &source);
    check_keys(s, 0, 0, MRW_PATH_TRANSLATION, move_keys, 6);
    check_keys(s, 0, 0, MRW_PATH_ROTATION, turn_keys, 8);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* ---- the whole ------------------------------------------------------------------------------- */

/* The result poses as a file would that has the clip itself: the same bits. */
START_TEST(test_poses_like_its_own)
{
    mrw_scene *own = body("", CLIP("w", MOVES(2) "," TURNS(3)));
    mrw_scene *base = body("", ""), *other = body("ns:", CLIP("w", MOVES(2) "," TURNS(3)));
    mrw_clip_source source = {.scene = other, .name = "other"};
    mrw_scene *s = join(base, &source);
    const mrw_scene *scenes[2] = {own, s};
    float positions[2][12];
    for (int i = 0; i < 2; i++) {
        mrw_model *model;
        mrw_renderer *renderer;
        const mrw_posed_draw *posed;
        ck_assert_int_eq(mrw_model_create(scenes[i], MRW_SHADING_RAW, 1, &model, &error), MRW_OK);
        ck_assert_int_eq(mrw_renderer_create(&renderer, &error), MRW_OK);
        mrw_instance instance = mrw_instance_default(model);
        ck_assert_uint_eq(instance.clip, 0);
        instance.time = 0.25;
        ck_assert_int_eq(mrw_pose_instance(renderer, &instance, MRW_ISA_SCALAR, &posed, &error),
                         MRW_OK);
        memcpy(positions[i], posed[0].positions, sizeof positions[i]);
        mrw_renderer_free(renderer);
        mrw_model_free(model);
    }
    ck_assert_mem_eq(positions[0], positions[1], sizeof positions[0]);
    check_floats(positions[0] + 4 * (size_t)corner(s, 0, 0), (const double[]){1.75, 2.75, 3.75}, 3,
                 1e-6);
    mrw_scene_free(own);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* Warnings and the format stay; a compiled copy is the same scene. */
START_TEST(test_compiled)
{
    mrw_scene *base = file("{'name':'Hips','rotation':[0,0,0,0]}", "", "");
    mrw_scene *other =
        file("{'name':'Hips','children':[1]},{'name':'Hat'}", "", CLIP("w", MOVES(0) "," TURNS(1)));
    ck_assert_uint_gt(base->warnings_count, 0);
    mrw_clip_source source = {.scene = other, .name = "other"};
    mrw_scene *s = join(base, &source), *again = NULL;
    ck_assert_uint_eq(s->warnings_count, base->warnings_count);
    ck_assert_str_eq(mrw_scene_string(s, s->warnings[0]),
                     mrw_scene_string(base, base->warnings[0]));
    ck_assert_str_eq(mrw_scene_string(s, s->format), "gltf2");
    mrw_bytes compiled;
    ck_assert_int_eq(mrw_scene_compile(s, &compiled, &error), MRW_OK);
    ck_assert_int_eq(
        mrw_load_memory(compiled.data, compiled.size, "s.marrow", NULL, NULL, &again, &error),
        MRW_OK);
    ck_assert_mem_eq(mrw_scene_hash(again), mrw_scene_hash(s), 32);
    mrw_scene *sum = NULL; /* and takes clips itself */
    ck_assert_int_eq(mrw_scene_add_clips(again, &source, 1, &sum, &error), MRW_OK);
    ck_assert_uint_eq(sum->nodes_count, s->nodes_count);
    ck_assert_str_eq(clip_name(sum, 1), "other/w");
    mrw_bytes_free(&compiled);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
    mrw_scene_free(again);
    mrw_scene_free(sum);
}
END_TEST

START_TEST(test_out_of_memory)
{
    mrw_scene *base = file(PIVOTS, "", CLIP("w", MOVES(3)));
    mrw_scene *other =
        file("{'name':'Hips','children':[1]},{'name':'Hat'}", "", CLIP("w", MOVES(0) "," TURNS(1)));
    mrw_clip_source sources[] = {{.scene = other, .name = "a"}, {.scene = other, .name = "b"}};
    bool pending = false;
    for (uint64_t n = 1; !pending; n++) {
        mrw_scene *s = NULL;
        ck_assert_uint_lt(n, 1000);
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_scene_add_clips(base, sources, 2, &s, &error);
        pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
        ck_assert(!s == !pending);
        mrw_scene_free(s);
    }
    mrw_scene_free(base);
    mrw_scene_free(other);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("merge");
    TCase *tc = tcase_create("merge");
    tcase_add_test(tc, test_equal_names);
    tcase_add_test(tc, test_namespaces);
    tcase_add_test(tc, test_equal_before_namespaces);
    tcase_add_test(tc, test_ambiguous_names);
    tcase_add_test(tc, test_joints_of_the_animation_only);
    tcase_add_test(tc, test_weights);
    tcase_add_test(tc, test_scales_reach_the_meshes);
    tcase_add_test(tc, test_names_of_clips);
    tcase_add_test(tc, test_strangers);
    tcase_add_test(tc, test_pivots_of_the_model);
    tcase_add_test(tc, test_pivots_of_both);
    tcase_add_test(tc, test_poses_like_its_own);
    tcase_add_test(tc, test_compiled);
    tcase_add_test(tc, test_out_of_memory);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
