/* test_retarget_pairs.c: one figure, written as many rigs would have it: with an armature that is
 * turned or scaled, inverse bind matrices in the world or in the armature's space, the mesh inside
 * or outside the armature, resting as bound or in another pose. Every clip has to move every rig
 * in the same way, which is known before any file is written. Then rigs that agree but for lengths,
 * and bones that the model lacks. */
#include "retarget_fixture.h"

/* ---- one figure, many rigs ------------------------------------------------------------------- */

typedef struct way_to_write {
    quat turn; /* of the armature */
    double scale;
    bool of_armature; /* inverse bind matrices are in the armature's space, else in the world */
    bool mesh_inside; /* the mesh's node is below the armature */
    bool posed;       /* rests in another pose than the bound one */
} way_to_write;

#define TIMES 2

/* The figure in the world, where all joints have the world's axes as bound. */
static vec place_of[BODY];        /* as bound */
static quat turn_of[BODY][TIMES]; /* at the clip's keys */
static vec hips_at[TIMES];        /* the same */
static const vec stride = {0.5, 0.2, 1.5};

static vec sum_of(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static vec scaled(vec v, double s)
{
    return (vec){v.x * s, v.y * s, v.z * s};
}

static void make_figure(const bone *body)
{
    for (int i = 0; i < BODY; i++) {
        const int up = body[i].parent;
        place_of[i] = up < 0 ? body[i].place : sum_of(place_of[up], body[i].place);
        for (int k = 0; k < TIMES; k++) {
            const quat own = any_turn(50);
            turn_of[i][k] = up < 0 ? own : times(turn_of[up][k], own);
        }
    }
    hips_at[0] = place_of[0];
    hips_at[1] = sum_of(place_of[0], stride);
}

/* Column by column, for glTF. */
static void put_inverse_bind(const way_to_write *w, vec place, float *out)
{
    /* From the world to the joint, then, if the mesh is in its space, from the armature. */
    const double inverse = 1 / w->scale;
    const vec axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int c = 0; c < 3; c++) {
        const vec axis = w->of_armature ? turned(w->turn, axes[c]) : scaled(axes[c], inverse);
        const float column[4] = {(float)axis.x, (float)axis.y, (float)axis.z, 0};
        memcpy(out + 4 * c, column, sizeof column);
    }
    const vec moved = scaled(place, -inverse);
    const float column[4] = {(float)moved.x, (float)moved.y, (float)moved.z, 1};
    memcpy(out + 12, column, sizeof column);
}

static void put_clip(const way_to_write *w, const bone *body)
{
    const int input = accessor(PUT(float, 0, 1), TIMES, "SCALAR");
    for (int i = 0; i < BODY; i++) {
        float turns[TIMES][4], ways[TIMES][3];
        for (int k = 0; k < TIMES; k++) {
            const quat up = body[i].parent < 0 ? w->turn : turn_of[body[i].parent][k];
            const quat q = times(back(up), turn_of[i][k]);
            const vec p = scaled(turned(back(w->turn), hips_at[k]), 1 / w->scale);
            const float turn[4] = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
            const float way[3] = {(float)p.x, (float)p.y, (float)p.z};
            memcpy(turns[k], turn, sizeof turn);
            memcpy(ways[k], way, sizeof way);
        }
        const size_t at = put_bytes(turns, sizeof turns);
        channel(i + 1, "rotation", input, accessor(at, TIMES, "VEC4"), "LINEAR");
        if (i == 0) {
            const size_t moved = put_bytes(ways, sizeof ways);
            channel(i + 1, "translation", input, accessor(moved, TIMES, "VEC3"), "LINEAR");
        }
    }
}

/* Node 0 is the armature, 1 ... BODY are joints, the last one is the mesh's. */
static void put_figure(const way_to_write *w, const bone *body)
{
    bone rig[BODY + 2] = {{"Armature", -1, {0, 0, 0}, w->turn, 0, false, w->scale}};
    for (int i = 0; i < BODY; i++) {
        rig[i + 1] = body[i];
        rig[i + 1].parent++;
        rig[i + 1].place = scaled(body[i].place, 1 / w->scale);
        rig[i + 1].rest = w->posed ? any_turn(40) : (quat){0, 0, 0, 1};
    }
    rig[1].place = turned(back(w->turn), rig[1].place);
    rig[1].rest = times(back(w->turn), rig[1].rest);
    rig[BODY + 1] = (bone){"Mesh", w->mesh_inside ? 0 : -1, {0, 0, 0}, {0, 0, 0, 1}, 0, false, 0};
    for (int i = 0; i < BODY + 2; i++) {
        put_node(rig, BODY + 2, i);
    }
    nodes[strlen(nodes) - 1] = '\0'; /* more of the last node follows */
    ADD(nodes, ",'mesh':0,'skin':0}");
}

static mrw_scene *write_figure(const way_to_write *w, const bone *body)
{
    float inverse[BODY * 16];
    nodes[0] = accessors[0] = samplers[0] = channels[0] = '\0';
    reset();
    for (int i = 0; i < BODY; i++) {
        put_inverse_bind(w, place_of[i], inverse + 16 * i);
    }
    put_figure(w, body);
    accessor(PUT(float, TRIANGLE), 3, "VEC3");
    accessor(PUT(float, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0), 3, "VEC4");
    accessor(put_bytes(inverse, sizeof inverse), BODY, "MAT4");
    accessor_of(PUT(uint8_t, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0), 5121, 3, "VEC4");
    put_clip(w, body);
    return load(
        gltf("],'accessors':[%s],'nodes':[%s],'meshes':[{'primitives':[{'attributes':{"
             "'POSITION':0,'JOINTS_0':3,'WEIGHTS_0':1}}]}],'skins':[{'joints':[1,2,3,4,5,6,"
             "7,8,9,10],'inverseBindMatrices':2}],'animations':[{'name':'go','samplers':[%s]"
             ",'channels':[%s]}]",
             accessors, nodes, samplers, channels));
}

#define RIGS 72
static int write_all(const bone *body, mrw_scene *rigs[RIGS])
{
    const quat turns[4] = {
        {0, 0, 0, 1}, about(1, 0, 0, 90), about(1, 0, 0, -90), about(1, 2, 3, 130)};
    const double scales[3] = {1, 0.01, 100};
    int count = 0;
    for (int i = 0; i < 96; i++) {
        const way_to_write w = {turns[i % 4], scales[i / 4 % 3], i / 48 == 1, i / 24 % 2 == 1,
                                i / 12 % 2 == 1};
        /* No file of the last kind tells in which space it was bound. */
        if (!(w.of_armature && w.posed)) {
            rigs[count++] = write_figure(&w, body);
        }
    }
    return count;
}

/* How far a figure is from what it should do: degrees, and lengths in thousandths. */
static double figure_off(const mrw_scene *s, uint32_t clip)
{
    double most = 0;
    for (int k = 0; k < TIMES; k++) {
        for (uint32_t i = 0; i < BODY; i++) {
            most = fmax(most, apart(node_at(s, i + 1, clip, k).turn, turn_of[i][k]));
        }
        const vec hips = node_at(s, 1, clip, k).place;
        most = fmax(most, 1000 * (fabs(hips.x - hips_at[k].x) + fabs(hips.y - hips_at[k].y) +
                                  fabs(hips.z - hips_at[k].z)));
    }
    return most;
}

START_TEST(every_clip_on_every_rig)
{
    mrw_scene *rigs[RIGS];
    bone body[BODY];
    seed = 3;
    make_body(body, 1, 0);
    make_figure(body);
    ck_assert_int_eq(write_all(body, rigs), RIGS);
    for (int i = 0; i < RIGS; i++) {
        ck_assert_double_le(figure_off(rigs[i], 0), 0.02);
        for (int k = 0; k < RIGS; k++) {
            mrw_clip_match match;
            mrw_scene *s = join(rigs[i], rigs[k], MRW_RETARGET_AUTO, &match);
            const double off = figure_off(s, 1);
            ck_assert_msg(off <= 0.02, "rig %d with the clip of rig %d: %g", i, k, off);
            ck_assert_double_eq(match.root_scale, 1);
            mrw_scene_free(s);
        }
    }
    for (int i = 0; i < RIGS; i++) {
        mrw_scene_free(rigs[i]);
    }
}
END_TEST

/* Its own clips on a rig: as filed, to the bit. */
START_TEST(own_clips_stay_as_filed)
{
    mrw_scene *rigs[RIGS];
    bone body[BODY];
    seed = 5;
    make_body(body, 1, 0);
    make_figure(body);
    ck_assert_int_eq(write_all(body, rigs), RIGS);
    for (int i = 0; i < RIGS; i++) {
        mrw_clip_match match;
        mrw_scene *s = join(rigs[i], rigs[i], MRW_RETARGET_AUTO, &match);
        mrw_scene *off = join(rigs[i], rigs[i], MRW_RETARGET_OFF, NULL);
        ck_assert_mem_eq(mrw_scene_hash(s), mrw_scene_hash(off), 32);
        ck_assert_uint_eq(match.retargeted, 0);
        mrw_scene_free(s);
        mrw_scene_free(off);
        mrw_scene_free(rigs[i]);
    }
}
END_TEST

/* ---- rests that agree but for lengths -------------------------------------------------------- */

/* The model splits a joint, as importers of FBX do; the file has the whole of it. Its rotations do
 * not include the model's links, whether its lengths agree or not. */
START_TEST(links_are_not_applied_twice)
{
    for (int longer = 0; longer < 2; longer++) {
        bone file[BODY], model[BODY + 1];
        mrw_clip_match match;
        seed = 7;
        make_body(file, 1, 0);
        for (int i = 0; i < BODY; i++) {
            file[i].rest = any_turn(40);
            file[i].travels = i == 4; /* lengths decide whether this joint is retargeted */
            model[i + (i > 4)] = file[i];
            model[i + (i > 4)].parent += file[i].parent > 4;
        }
        model[4] =
            (bone){"LeftHand_$AssimpFbx$_PreRotation", 3, file[4].place, any_turn(90), 0, false, 0};
        model[5] =
            (bone){"LeftHand", 4, {0, 0, 0}, times(back(model[4].rest), file[4].rest), 0, false, 0};
        still(model, BODY + 1);
        file[4].place.x *= longer ? 1.5 : 1;
        mrw_scene *base = write_rig(model, BODY + 1, false);
        mrw_scene *other = write_rig(file, BODY, false);
        mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
        mrw_scene *off = join(base, other, MRW_RETARGET_OFF, NULL);
        ck_assert_uint_eq(match.turned, 0);
        ck_assert_int_eq((int)match.retargeted, longer);
        for (uint32_t i = 0; i < BODY; i++) {
            const uint32_t node = named(base, file[i].name);
            for (int k = 0; k <= 50; k++) {
                const quat want = node_at(other, i, 0, 0.032 * k).turn;
                ck_assert_double_le(apart(node_at(s, node, 0, 0.032 * k).turn, want), 2e-3);
                ck_assert_double_le(apart(node_at(off, node, 0, 0.032 * k).turn, want), 2e-3);
            }
        }
        ck_assert_int_eq(memcmp(mrw_scene_hash(s), mrw_scene_hash(off), 32) == 0, !longer);
        mrw_scene_free(base);
        mrw_scene_free(other);
        mrw_scene_free(s);
        mrw_scene_free(off);
    }
}
END_TEST

/* ---- bones that the model lacks -------------------------------------------------------------- */

/* Root, Middle and End stand above each other; the model lacks Middle, which moves or turns. Bits
 * of `keys`: the file has keys that do nothing for Root, for End. */
static mrw_scene *write_middle(bool turns, int keys)
{
    const bone file[3] = {{"Root", -1, {0, 0, 0}, {0, 0, 0, 1}, 0, false, 0},
                          {"Middle", 0, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0},
                          {"End", 1, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0}};
    nodes[0] = accessors[0] = samplers[0] = channels[0] = '\0';
    reset();
    for (int i = 0; i < 3; i++) {
        put_node(file, 3, i);
    }
    const int input = accessor(PUT(float, 0, 1), 2, "SCALAR");
    const int stay = accessor(PUT(float, 0, 0, 0, 1, 0, 0, 0, 1), 2, "VEC4");
    if (turns) { /* by 90 degrees about z */
        const float half = sqrtf(0.5f);
        channel(1, "rotation", input, accessor(PUT(float, 0, 0, 0, 1, 0, 0, half, half), 2, "VEC4"),
                "LINEAR");
    } else {
        channel(1, "translation", input, accessor(PUT(float, 0, 1, 0, 4, 1, 0), 2, "VEC3"),
                "LINEAR");
    }
    for (int i = 0; i < 2; i++) {
        if (keys >> i & 1) {
            channel(2 * i, "rotation", input, stay, "LINEAR");
        }
    }
    return load(gltf("],'accessors':[%s],'nodes':[%s],'animations':[{'name':'w','samplers':[%s],"
                     "'channels':[%s]}]",
                     accessors, nodes, samplers, channels));
}

START_TEST(missing_bones_move_what_is_below_them)
{
    const bone model[2] = {{"Root", -1, {0, 0, 0}, {0, 0, 0, 1}, 0, false, 0},
                           {"End", 0, {0, 2, 0}, {0, 0, 0, 1}, 0, false, 0}};
    for (int i = 0; i < 8; i++) {
        const bool turns = i >= 4;
        mrw_scene *base = write_rig(model, 2, false), *other = write_middle(turns, i % 4);
        mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, NULL);
        const placed end = node_at(s, 1, 0, 1), root = node_at(s, 0, 0, 1);
        ck_assert_uint_eq(s->nodes_count, 2);
        ck_assert_double_eq_tol(end.place.x, turns ? -1 : 4, 1e-5);
        ck_assert_double_eq_tol(end.place.y, turns ? 1 : 2, 1e-5);
        ck_assert_double_le(apart(end.turn, about(0, 0, 1, turns ? 90 : 0)), 1e-3);
        ck_assert_double_le(apart(root.turn, about(0, 0, 1, 0)), 1e-3);
        mrw_scene_free(base);
        mrw_scene_free(other);
        mrw_scene_free(s);
    }
}
END_TEST

/* The same in a figure: the model has no clavicle, and the arm below it has no keys. */
START_TEST(missing_bones_in_a_figure)
{
    bone model[BODY], file[BODY + 1];
    mrw_clip_match match;
    seed = 11;
    make_body(model, 1, 0);
    still(model, BODY);
    model[3].place.x = 0.3;
    for (int i = 0; i < BODY; i++) {
        file[i + (i > 2)] = model[i];
        file[i + (i > 2)].parent += model[i].parent > 2;
    }
    file[3] = (bone){"Clavicle", 1, {0.1, 0.3, 0}, {0, 0, 0, 1}, 2, false, 0};
    file[4].parent = 3;
    file[4].place = (vec){0.2, 0, 0};
    file[0].turns = file[1].turns = 2;
    mrw_scene *base = write_rig(model, BODY, false), *other = write_rig(file, BODY + 1, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
    ck_assert_uint_eq(match.folded, 1);
    for (int k = 0; k <= 50; k++) {
        const placed got = node_at(s, 3, 0, 0.032 * k), want = node_at(other, 4, 0, 0.032 * k);
        ck_assert_double_le(apart(got.turn, want.turn), 0.1);
        ck_assert_double_eq_tol(got.place.x, want.place.x, 3e-3);
        ck_assert_double_eq_tol(got.place.y, want.place.y, 3e-3);
        ck_assert_double_eq_tol(got.place.z, want.place.z, 3e-3);
    }
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("retarget_pairs");
    TCase *tc = tcase_create("retarget_pairs");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, every_clip_on_every_rig);
    tcase_add_test(tc, own_clips_stay_as_filed);
    tcase_add_test(tc, links_are_not_applied_twice);
    tcase_add_test(tc, missing_bones_move_what_is_below_them);
    tcase_add_test(tc, missing_bones_in_a_figure);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
