/* test_retarget.c: clips of rigs that rest otherwise than the model, against an evaluator that asks
 * for every matched joint at every time: is it turned by A S^-1 M in the world? It knows nothing of
 * keys that are multiplied, and uses libm. */
#include "retarget_fixture.h"

#include "base/memory.h"

/* The most degrees that a joint both have is off at any time. */
static double most_off(const mrw_scene *base, const mrw_scene *other, const mrw_scene *sum)
{
    double most = 0;
    for (uint32_t i = 0; i < other->nodes_count; i++) {
        const char *name = mrw_scene_string(other, other->nodes[i].name);
        uint32_t node = named(sum, name);
        bool moves = false;
        for (uint32_t c = 0; c < other->channels_count; c++) {
            moves = moves || other->channels[c].node == i;
        }
        if (node == MRW_NONE || node >= base->nodes_count || !moves) {
            continue;
        }
        quat change =
            times(back(node_at(other, i, MRW_NONE, 0).turn), node_at(base, node, MRW_NONE, 0).turn);
        for (int k = 0; k <= 400; k++) {
            double t = 1.6 * k / 400;
            quat want = times(node_at(other, i, 0, t).turn, change);
            most = fmax(most, apart(node_at(sum, node, 0, t).turn, want));
        }
    }
    return most;
}

static const mrw_channel *channel_of(const mrw_scene *s, uint32_t node, mrw_path path)
{
    for (uint32_t i = s->clips[0].first_channel;
         i < s->clips[0].first_channel + s->clips[0].channel_count; i++) {
        if (s->channels[i].node == node && s->channels[i].path == path) {
            return &s->channels[i];
        }
    }
    return NULL;
}

/* ---- the formula ----------------------------------------------------------------------------- */

/* Other axes, and another pose besides, in other units: the world's change is the same, at keys and
 * between them, for all interpolations; the root's way is twice the file's, all other lengths are
 * the model's. */
START_TEST(change_in_the_world)
{
    for (uint32_t round = 0; round < 6; round++) {
        bone a[BODY], b[BODY];
        mrw_clip_match match;
        seed = round;
        make_body(a, 2, round % 2 ? 40 : 0);
        make_body(b, 1, round % 3 ? 25 : 0);
        roll(a, BODY);
        if (round > 2) {
            roll(b, BODY);
        }
        still(a, BODY);
        mrw_scene *base = write_rig(a, BODY, false), *other = write_rig(b, BODY, false);
        mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
        ck_assert_double_le(most_off(base, other, s), 2e-3);
        ck_assert_uint_eq(match.matched, BODY);
        ck_assert_uint_eq(match.folded, 0);
        for (uint32_t i = 0; i < BODY; i++) {
            ck_assert(!channel_of(s, i, MRW_PATH_TRANSLATION) == (i != 0));
        }
        for (int k = 0; k <= 40; k++) {
            vec got = node_at(s, 0, 0, 0.04 * k).place, from = node_at(other, 0, 0, 0.04 * k).place;
            double r = match.root_scale;
            ck_assert_double_le(fabs(got.x - r * from.x) + fabs(got.y - r * from.y) +
                                    fabs(got.z - r * from.z),
                                1e-5);
        }
        if (round % 2 == 0 && round % 3 == 0) {
            ck_assert_double_eq_tol(match.root_scale, 2, 1e-6);
        }
        mrw_scene_free(base);
        mrw_scene_free(other);
        mrw_scene_free(s);
    }
}
END_TEST

/* Straight keys stay as many, and cubic ones cubic. */
START_TEST(keys_stay_keys)
{
    bone a[BODY], b[BODY];
    seed = 7;
    make_body(a, 1, 0);
    make_body(b, 1, 0);
    roll(a, BODY);
    still(a, BODY);
    mrw_scene *base = write_rig(a, BODY, false), *other = write_rig(b, BODY, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, NULL);
    for (uint32_t i = 0; i < BODY; i++) {
        const mrw_channel *c = channel_of(s, i, MRW_PATH_ROTATION);
        ck_assert_uint_eq(c->key_count, KEYS);
        ck_assert_int_eq((int)c->interpolation + 1, b[i].turns);
    }
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* Within a degree and a hundredth nothing changes: the scene is that of `off`, bit for bit. */
START_TEST(same_rests_change_nothing)
{
    for (int bent = 0; bent < 3; bent++) {
        bone a[BODY], b[BODY];
        mrw_clip_match match;
        seed = 11;
        make_body(a, 1, 30);
        memcpy(b, a, sizeof a);
        a[3].rest = times(a[3].rest, about(1, 2, 3, bent == 1 ? 0.9 : bent == 2 ? 1.2 : 0));
        a[7].place.y *= 1.005;
        still(a, BODY);
        mrw_scene *base = write_rig(a, BODY, false), *other = write_rig(b, BODY, false);
        mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
        mrw_scene *off = join(base, other, MRW_RETARGET_OFF, NULL);
        bool same = memcmp(mrw_scene_hash(s), mrw_scene_hash(off), 32) == 0;
        ck_assert_int_eq(same, bent < 2);
        ck_assert_uint_eq(match.turned, bent < 2 ? 0 : 2); /* the arm and the hand */
        ck_assert_uint_eq(match.retargeted, bent < 2 ? 0 : 2);
        if (bent == 2) {
            ck_assert_str_eq(match.differing, "LeftArm 1.2, LeftHand 1.2");
            ck_assert_double_eq_tol(match.most_degrees, 1.2, 1e-3);
        }
        mrw_scene_free(base);
        mrw_scene_free(other);
        mrw_scene_free(s);
        mrw_scene_free(off);
    }
}
END_TEST

/* Lengths alone: rotations are the file's to the bit, lengths the model's, the way is scaled. */
/* Nor do they in files without skins whose roots stand away from the origin. */
START_TEST(same_places_change_nothing)
{
    const bone parts[3] = {{"Door", -1, {7, 1, -3}, about(0, 1, 0, 30), 2, true, 0},
                           {"Handle", 0, {0.5, 0, 0}, {0, 0, 0, 1}, 2, false, 0},
                           {"Lamp", -1, {-9, 4, 2}, {0, 0, 0, 1}, 0, true, 0}};
    mrw_clip_match match;
    seed = 19;
    mrw_scene *other = write_rig(parts, 3, false);
    mrw_scene *s = join(other, other, MRW_RETARGET_AUTO, &match);
    const mrw_clip *from = &other->clips[0], *to = &s->clips[1];
    ck_assert_uint_eq(match.retargeted, 0);
    ck_assert_uint_eq(to->channel_count, from->channel_count);
    for (uint32_t c = 0; c < from->channel_count; c++) {
        const mrw_channel *a = &other->channels[from->first_channel + c],
                          *b = &s->channels[to->first_channel + c];
        ck_assert_uint_eq(a->key_count, b->key_count);
        ck_assert_mem_eq(other->key_values + a->first_value, s->key_values + b->first_value,
                         (size_t)a->key_count * a->width * sizeof(float));
    }
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

START_TEST(other_lengths)
{
    bone a[BODY], b[BODY];
    mrw_clip_match match;
    seed = 13;
    make_body(a, 100, 0);
    make_body(b, 1, 0);
    still(a, BODY);
    mrw_scene *base = write_rig(a, BODY, false), *other = write_rig(b, BODY, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
    ck_assert_uint_eq(match.turned, 0);
    ck_assert_double_eq_tol(match.root_scale, 100, 1e-4);
    for (uint32_t i = 0; i < BODY; i++) {
        const mrw_channel *got = channel_of(s, i, MRW_PATH_ROTATION),
                          *was = channel_of(other, i, MRW_PATH_ROTATION);
        size_t floats = got->key_count * 4 * (b[i].turns == 3 ? 3 : 1);
        ck_assert_mem_eq(s->key_values + got->first_value, other->key_values + was->first_value,
                         floats * sizeof(float));
    }
    ck_assert_ptr_null(channel_of(s, 7, MRW_PATH_TRANSLATION));
    for (int k = 0; k <= 10; k++) {
        ck_assert_double_eq_tol(node_at(s, 0, 0, 0.16 * k).place.y,
                                100 * node_at(other, 0, 0, 0.16 * k).place.y, 1e-3);
    }
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* ---- what stands between --------------------------------------------------------------------- */

/* Nodes above the root and between joints, turned and scaled, in one of the files or both. */
START_TEST(still_nodes_between)
{
    for (int where = 1; where < 4; where++) {
        bone sides[2][BODY + 2];
        seed = 17;
        for (int side = 0; side < 2; side++) {
            bone body[BODY], *b = sides[side];
            bool has = where >> side & 1;
            make_body(body, has ? 100 : 1, 20);
            roll(body, BODY);
            b[0] = (bone){"Rig", -1,    {0, 0, 0},     has ? any_turn(100) : (quat){0, 0, 0, 1},
                          0,     false, has ? 0.01 : 1};
            b[1] = (bone){has ? "Twist" : "Other", 3, {0.01, 0, 0}, any_turn(90), 0, false, 0};
            body[0].rest = times(back(b[0].rest), body[0].rest); /* it faces the same way */
            body[0].place = turned(back(b[0].rest), body[0].place);
            for (int i = 0; i < BODY; i++) {
                b[i + 2] = body[i];
                b[i + 2].parent = body[i].parent < 0 ? 0 : body[i].parent + 2;
            }
            b[1].parent = 0; /* nobody's, but where it counts */
        }
        bone *a = sides[0];
        still(a, BODY + 2);
        mrw_scene *base = write_rig(a, BODY + 2, false),
                  *other = write_rig(sides[1], BODY + 2, false);
        mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, NULL);
        ck_assert_double_le(most_off(base, other, s), 2e-3);
        mrw_scene_free(base);
        mrw_scene_free(other);
        mrw_scene_free(s);
    }
}
END_TEST

/* A node above the root and one between two joints, both moving: within the bound of sampling; they
 * are not added. */
START_TEST(moving_nodes_are_folded)
{
    for (int how = 1; how <= 3; how++) {
        bone a[BODY], b[BODY + 2], body[BODY];
        mrw_clip_match match;
        seed = 19 + (uint32_t)how;
        make_body(a, 1, 10);
        make_body(body, 1, 0);
        still(a, BODY);
        b[0] = (bone){"Mover", -1, {0, 0, 0}, any_turn(30), 2, true, 0};
        int n = 1, at[BODY];
        for (int i = 0; i < BODY; i++) {
            int parent = body[i].parent < 0 ? 0 : at[body[i].parent];
            if (i == 4) {
                b[n] = (bone){"Elbow", parent, {0.2, 0, 0}, any_turn(20), how, false, 0};
                parent = n++;
            }
            at[i] = n;
            b[n] = body[i];
            b[n++].parent = parent;
        }
        mrw_scene *base = write_rig(a, BODY, false), *other = write_rig(b, n, false);
        mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
        ck_assert_uint_eq(match.folded, 2);
        ck_assert_uint_eq(match.joints, BODY + 2);
        ck_assert_uint_eq(s->nodes_count, base->nodes_count);
        ck_assert_double_le(most_off(base, other, s), 0.15);
        for (int k = 0; k <= 100; k++) {
            vec got = node_at(s, 0, 0, 0.016 * k).place,
                want = node_at(other, named(other, "Hips"), 0, 0.016 * k).place;
            double r = match.root_scale;
            ck_assert_double_le(fabs(got.x - r * want.x), 3e-3);
            ck_assert_double_le(fabs(got.y - r * want.y), 3e-3);
            ck_assert_double_le(fabs(got.z - r * want.z), 3e-3);
        }
        mrw_scene *off = join(base, other, MRW_RETARGET_OFF, NULL);
        ck_assert_uint_eq(off->nodes_count, base->nodes_count + 2);
        mrw_scene_free(base);
        mrw_scene_free(other);
        mrw_scene_free(s);
        mrw_scene_free(off);
    }
}
END_TEST

/* Joints that hang on others in the model: the feet on the hips, the head on nothing. */
START_TEST(other_trees)
{
    bone a[BODY], b[BODY];
    seed = 23;
    make_body(a, 1, 20);
    make_body(b, 1, 30);
    still(a, BODY);
    a[2].parent = -1;
    a[7].parent = a[9].parent = 0;
    b[5].parent = 3; /* and in the file an arm on the other */
    mrw_scene *base = write_rig(a, BODY, false), *other = write_rig(b, BODY, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, NULL);
    ck_assert_double_le(most_off(base, other, s), 0.15);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* One hangs the hips below the chest, the other the chest below the hips, and neither moves. */
START_TEST(still_joints_change_places)
{
    static const bone ours[2] = {{"Chest", -1, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0},
                                 {"Hips", 0, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0}};
    reset();
    const int at = (int)PUT(float, 0);
    const int turn = (int)PUT(float, 0, 0, 0.6f, 0.8f);
    const int way = (int)PUT(float, 0, 3, 0);
    mrw_scene *other = load(gltf(
        "],'accessors':[{'bufferView':0,'byteOffset':%d,'componentType':5126,'count':1,"
        "'type':'SCALAR'},{'bufferView':0,'byteOffset':%d,'componentType':5126,'count':1,"
        "'type':'VEC4'},{'bufferView':0,'byteOffset':%d,'componentType':5126,'count':1,"
        "'type':'VEC3'}],'nodes':[{'name':'Hips','translation':[0,3,0],'children':[1]},"
        "{'name':'Chest','translation':[1,0,0]}],'animations':[{'samplers':[{'input':0,'output':1},"
        "{'input':0,'output':2}],'channels':[{'sampler':0,'target':{'node':1,'path':'rotation'}},"
        "{'sampler':1,'target':{'node':0,'path':'translation'}}]}]",
        at, turn, way));
    mrw_scene *base = write_rig(ours, 2, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, NULL);
    ck_assert_uint_eq(s->clips_count, 1);
    ck_assert_double_le(most_off(base, other, s), 0.15);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* FBX pivots as importers write them: links above joints, in the file, in the model, in both. */
START_TEST(pivots)
{
    for (int where = 1; where < 4; where++) {
        bone sides[2][BODY + 4];
        int counts[2];
        seed = 29;
        for (int side = 0; side < 2; side++) {
            bone body[BODY], *b = sides[side];
            int at[BODY], n = 0;
            make_body(body, 1, 30);
            for (int i = 0; i < BODY; i++) {
                int parent = body[i].parent < 0 ? -1 : at[body[i].parent];
                if (where >> side & 1 && (i == 1 || i == 3)) {
                    const char *pre = i == 1 ? "Spine_$AssimpFbx$_PreRotation"
                                             : "LeftArm_$AssimpFbx$_PreRotation";
                    const char *rotation =
                        i == 1 ? "Spine_$AssimpFbx$_Rotation" : "LeftArm_$AssimpFbx$_Rotation";
                    b[n] = (bone){pre, parent, {0, 0, 0}, any_turn(90), 0, false, 0};
                    b[n + 1] =
                        (bone){rotation, n, {0, 0, 0}, any_turn(20), i == 1 ? 2 : 0, false, 0};
                    b[n].place = body[i].place;
                    body[i].place = (vec){0, 0, 0};
                    body[i].turns = i == 1 ? 0 : body[i].turns;
                    parent = n + 1;
                    n += 2;
                }
                at[i] = n;
                b[n] = body[i];
                b[n++].parent = parent;
            }
            counts[side] = n;
        }
        still(sides[0], counts[0]);
        mrw_scene *base = write_rig(sides[0], counts[0], false),
                  *other = write_rig(sides[1], counts[1], false);
        mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, NULL);
        /* The evaluator asks joints, whose chains count as wholes. */
        for (uint32_t i = 0; i < other->nodes_count; i++) {
            const char *name = mrw_scene_string(other, other->nodes[i].name);
            uint32_t node = named(base, name);
            if (strchr(name, '$') || node == MRW_NONE) {
                continue;
            }
            quat change = times(back(node_at(other, i, MRW_NONE, 0).turn),
                                node_at(base, node, MRW_NONE, 0).turn);
            for (int k = 0; k <= 50; k++) {
                quat want = times(node_at(other, i, 0, 0.032 * k).turn, change);
                ck_assert_double_le(apart(node_at(s, node, 0, 0.032 * k).turn, want), 2e-3);
            }
        }
        mrw_scene_free(base);
        mrw_scene_free(other);
        mrw_scene_free(s);
    }
}
END_TEST

/* ---- rests ----------------------------------------------------------------------------------- */

/* A model whose nodes stand bent, but whose skin was bound straight: the bind pose is its rest,
 * also where a node above the mesh turns all of it. */
START_TEST(bind_poses)
{
    bone a[BODY + 1], b[BODY], straight[BODY];
    float inverse[BODY * 16];
    seed = 32;
    make_body(straight, 1, 0);
    make_body(b, 1, 0);
    roll(b, BODY);
    quat rig = about(1, 0, 0, -90);
    a[0] = (bone){"Rig", -1, {0, 0, 0}, rig, 0, false, 0};
    vec place[BODY];
    for (int i = 0; i < BODY; i++) {
        a[i + 1] = straight[i];
        a[i + 1].parent++;
        a[i + 1].rest = i == 1 || i > 6 ? any_turn(50) : (quat){0, 0, 0, 1};
        vec up = straight[i].parent < 0 ? (vec){0, 0, 0} : place[straight[i].parent];
        place[i] = (vec){up.x + straight[i].place.x, up.y + straight[i].place.y,
                         up.z + straight[i].place.z};
        /* The mesh lies on its back, as its space is that below the rig. */
        const float m[16] = {1,
                             0,
                             0,
                             0,
                             0,
                             0,
                             -1,
                             0,
                             0,
                             1,
                             0,
                             0,
                             (float)-place[i].x,
                             (float)-place[i].y,
                             (float)-place[i].z,
                             1};
        memcpy(inverse + 16 * i, m, sizeof m);
    }
    a[1].rest = back(rig);
    a[1].place = turned(back(rig), a[1].place);
    still(a, BODY + 1);
    nodes[0] = accessors[0] = samplers[0] = channels[0] = '\0';
    reset();
    size_t at = PUT(float, TRIANGLE), joints = PUT(uint8_t, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0),
           weights = PUT(float, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    size_t matrices = put_bytes(inverse, sizeof inverse);
    accessor(at, 3, "VEC3");
    accessor(weights, 3, "VEC4");
    accessor(matrices, BODY, "MAT4");
    for (int i = 0; i <= BODY; i++) {
        put_node(a, BODY + 1, i);
    }
    mrw_scene *base = load(gltf(
        "],'accessors':[%s,{'bufferView':0,'byteOffset':%zu,'componentType':5121,'count':3,'type':"
        "'VEC4'}],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':3,'WEIGHTS_0':1}}"
        "]}],'skins':[{'joints':[1,2,3,4,5,6,7,8,9,10],'inverseBindMatrices':2}],'nodes':[%s,{"
        "'name':'Mesh','mesh':0,'skin':0}]",
        accessors, joints, nodes));
    mrw_scene *other = write_rig(b, BODY, false);
    mrw_clip_match match;
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
    for (uint32_t i = 0; i < BODY; i++) {
        quat change = back(node_at(other, i, MRW_NONE, 0).turn);
        uint32_t node = named(s, b[i].name);
        for (int k = 0; k <= 50; k++) {
            quat want = times(node_at(other, i, 0, 0.032 * k).turn, change);
            ck_assert_double_le(apart(node_at(s, node, 0, 0.032 * k).turn, want), 2e-3);
        }
    }
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* A file without a skin whose nodes stand as its clip begins, with the model's axes: rotations are
 * played as they are. With other axes, what can be done is done, and said. */
START_TEST(rests_that_are_none)
{
    for (int rolled = 0; rolled < 2; rolled++) {
        bone a[BODY], b[BODY];
        mrw_clip_match match;
        seed = 37;
        make_body(a, 1, 0);
        make_body(b, 1, 0);
        for (int i = 0; i < BODY; i++) {
            b[i].rest = any_turn(70);
            b[i].travels = i == 0;
        }
        if (rolled) {
            roll(a, BODY);
        }
        still(a, BODY);
        mrw_scene *base = write_rig(a, BODY, false), *other = write_rig(b, BODY, true);
        mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
        mrw_scene *off = join(base, other, MRW_RETARGET_OFF, NULL);
        ck_assert_int_eq(match.rest_unknown, !rolled);
        ck_assert_int_eq(match.rest_doubtful, rolled);
        ck_assert_int_eq(memcmp(mrw_scene_hash(s), mrw_scene_hash(off), 32) == 0, !rolled);
        mrw_scene_free(base);
        mrw_scene_free(other);
        mrw_scene_free(s);
        mrw_scene_free(off);
    }
}
END_TEST

/* The file's figure looks along x, and lies on its back: it is turned as a whole. */
START_TEST(other_facings)
{
    bone a[BODY], b[BODY];
    mrw_clip_match match;
    seed = 41;
    make_body(a, 1, 0);
    a[7].place.z = a[9].place.z = 0.2; /* toes say where ahead is */
    memcpy(b, a, sizeof b);
    still(a, BODY);
    roll(b, BODY);
    quat facing = times(about(0, 1, 0, 90), about(1, 0, 0, -90));
    b[0].rest = times(facing, b[0].rest);
    b[0].place = turned(facing, b[0].place);
    mrw_scene *base = write_rig(a, BODY, false), *other = write_rig(b, BODY, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
    ck_assert(match.is_turned);
    for (uint32_t i = 0; i < BODY; i++) {
        quat change = times(back(times(back(facing), node_at(other, i, MRW_NONE, 0).turn)),
                            node_at(base, i, MRW_NONE, 0).turn);
        for (int k = 0; k <= 20; k++) {
            quat turn = times(back(facing), node_at(other, i, 0, 0.08 * k).turn);
            ck_assert_double_le(apart(node_at(s, i, 0, 0.08 * k).turn, times(turn, change)), 2e-3);
        }
    }
    vec got = node_at(s, 0, 0, 0.7).place,
        want = turned(back(facing), node_at(other, 0, 0, 0.7).place);
    ck_assert_double_le(fabs(got.x - want.x) + fabs(got.y - want.y) + fabs(got.z - want.z), 1e-4);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* ---- names ----------------------------------------------------------------------------------- */

static void one_name(const char *ours, const char *theirs, mrw_name_match by)
{
    bone a[1] = {{ours, -1, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0}};
    bone b[1] = {{theirs, -1, {0, 1, 0}, {0, 0, 0, 1}, 2, false, 0}};
    seed = 1;
    mrw_scene *base = write_rig(a, 1, false), *other = write_rig(b, 1, false);
    mrw_clip_source source = {.scene = other, .name = "other"};
    mrw_scene *s = NULL;
    mrw_status status = mrw_scene_add_clips(base, &source, 1, &s, &error);
    if (by == MRW_NAME_MATCHES) {
        ck_assert_int_eq(status, MRW_ERROR_INPUT);
    } else {
        ck_assert_msg(status == MRW_OK, "%s %s", ours, theirs);
        ck_assert_uint_eq(source.match.matched_by[by], 1);
    }
    mrw_scene_free(s);
    mrw_scene_free(base);
    mrw_scene_free(other);
}

START_TEST(names)
{
    one_name("Hips", "Hips", MRW_NAMES_EQUAL);
    one_name("mixamorig1:Hips", "mixamorig:Hips", MRW_NAMES_WITHOUT_NAMESPACE);
    one_name("mixamorig_Hips", "mixamorig:Hips", MRW_NAMES_ALIKE);
    one_name("Bip01 L Foot", "bip01_l_foot", MRW_NAMES_ALIKE);
    one_name("Upper.Arm-L", "upper_arm L", MRW_NAMES_ALIKE);
    one_name("Rig|Left.Arm", "x:left arm", MRW_NAMES_ALIKE_WITHOUT_NAMESPACE);
    one_name("UpperArm", "Upper Arm", MRW_NAME_MATCHES);
    one_name("Hips", "mixamorig_Hips", MRW_NAMES_HUMANOID);
}
END_TEST

/* A word that most joints of a file begin with; and names that are alike, but not one to one. */
START_TEST(prefixes_and_one_to_one)
{
    bone a[] = {{"Hips", -1, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0},
                {"Spine", 0, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0},
                {"Head", 1, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0},
                {"Arm.L", 1, {1, 0, 0}, {0, 0, 0, 1}, 0, false, 0},
                {"arm_l", 1, {1, 1, 0}, {0, 0, 0, 1}, 0, false, 0}};
    bone b[] = {{"mixamorig_Hips", -1, {0, 1, 0}, {0, 0, 0, 1}, 2, false, 0},
                {"mixamorig_Spine", 0, {0, 1, 0}, {0, 0, 0, 1}, 2, false, 0},
                {"mixamorig_Head", 1, {0, 1, 0}, {0, 0, 0, 1}, 2, false, 0},
                {"mixamorig_ARM L", 1, {1, 0, 0}, {0, 0, 0, 1}, 2, false, 0}};
    mrw_clip_match match;
    mrw_scene *base = write_rig(a, 5, false), *other = write_rig(b, 4, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
    ck_assert_uint_eq(match.matched, 3);
    ck_assert_uint_eq(match.matched_by[MRW_NAMES_WITHOUT_PREFIX], 3);
    ck_assert_str_eq(match.unmatched, "mixamorig_ARM L");
    mrw_scene_free(s);
    mrw_scene_free(base);
    mrw_scene_free(other);
}
END_TEST

/* ---- limits ---------------------------------------------------------------------------------- */

START_TEST(out_of_memory)
{
    bone a[BODY], b[BODY + 1];
    seed = 43;
    make_body(a, 1, 20);
    make_body(b + 1, 2, 20);
    still(a, BODY);
    b[0] = (bone){"Mover", -1, {0, 0, 0}, any_turn(30), 2, true, 0};
    for (int i = 1; i <= BODY; i++) {
        b[i].parent++;
    }
    mrw_scene *base = write_rig(a, BODY, false), *other = write_rig(b, BODY + 1, false);
    mrw_clip_source source = {.scene = other, .name = "a"};
    bool pending = false;
    for (uint64_t n = 1; !pending; n++) {
        mrw_scene *s = NULL;
        ck_assert_uint_lt(n, 1000);
        mrwi_base_alloc_fail_at(n);
        mrw_status status = mrw_scene_add_clips(base, &source, 1, &s, &error);
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
    Suite *s = suite_create("retarget");
    TCase *tc = tcase_create("retarget");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, change_in_the_world);
    tcase_add_test(tc, keys_stay_keys);
    tcase_add_test(tc, same_rests_change_nothing);
    tcase_add_test(tc, same_places_change_nothing);
    tcase_add_test(tc, other_lengths);
    tcase_add_test(tc, still_nodes_between);
    tcase_add_test(tc, moving_nodes_are_folded);
    tcase_add_test(tc, other_trees);
    tcase_add_test(tc, still_joints_change_places);
    tcase_add_test(tc, pivots);
    tcase_add_test(tc, bind_poses);
    tcase_add_test(tc, rests_that_are_none);
    tcase_add_test(tc, other_facings);
    tcase_add_test(tc, names);
    tcase_add_test(tc, prefixes_and_one_to_one);
    tcase_add_test(tc, out_of_memory);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
