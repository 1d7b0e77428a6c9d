/* test_front.c: where models look, of skeletons by hand. What is expected is known from how they
 * were set up: a figure that faces +Z has its left at +X.
 */
#include "test.h"

#include "marrow/anim.h"
#include "marrow/view.h"

#include <math.h>

#define MOST 16

/* A joint where it stands in the world, of a figure that faces +Z. */
typedef struct joint {
    const char *name;
    int parent;
    float at[3];
} joint;

typedef struct stage {
    mrw_scene scene;
    mrw_node nodes[MOST];
    uint32_t joints[MOST];
    char strings[2048];
    uint32_t used;
} stage;

static uint32_t keep(stage *s, const char *text)
{
    const uint32_t at = s->used;
    memcpy(s->strings + at, text, strlen(text) + 1);
    s->used += (uint32_t)strlen(text) + 1;
    ck_assert_uint_lt(s->used, sizeof s->strings);
    return at;
}

/* Turns about the vertical, counter-clockwise from above: +Z to +X. */
static void turn(const float in[3], double degrees, float out[3])
{
    const double a = degrees * 3.14159265358979323846 / 180.0;
    out[0] = (float)((double)in[0] * cos(a) + (double)in[2] * sin(a));
    out[1] = in[1];
    out[2] = (float)((double)in[2] * cos(a) - (double)in[0] * sin(a));
}

static void set_up(stage *s, const joint *joints, uint32_t count, double degrees,
                   const char *format)
{
    memset(s, 0, sizeof *s);
    keep(s, "");
    s->scene.format = keep(s, format);
    for (uint32_t i = 0; i < count; i++) {
        float at[3], parent[3] = {0};
        turn(joints[i].at, degrees, at);
        if (joints[i].parent >= 0) {
            turn(joints[joints[i].parent].at, degrees, parent);
        }
        s->nodes[i] =
            (mrw_node){.name = keep(s, joints[i].name),
                       .parent = joints[i].parent < 0 ? MRW_NONE : (uint32_t)joints[i].parent,
                       .matrix = MRW_NONE,
                       .rest = {{at[0] - parent[0], at[1] - parent[1], at[2] - parent[2]},
                                {0.0f, 0.0f, 0.0f, 1.0f},
                                {1.0f, 1.0f, 1.0f}}};
        s->joints[i] = i;
    }
    s->scene.nodes = s->nodes;
    s->scene.joints = s->joints;
    s->scene.strings = s->strings;
    s->scene.nodes_count = s->scene.joints_count = count;
    s->scene.strings_count = s->used;
}

static mrw_front front_of(const stage *s, const mrw_mat4 *model_to_world)
{
    mrw_front front;
    ck_assert_int_eq(mrw_find_front(&s->scene, model_to_world, &front, NULL), MRW_OK);
    return front;
}

/* Four ways, and some degrees off each. */
static void assert_seen(const joint *joints, uint32_t count, const char *what)
{
    static const float ways[] = {0.0f, 90.0f, 180.0f, -90.0f};
    for (int i = 0; i < 4; i++) {
        for (int off = -30; off <= 30; off += 15) {
            stage s;
            set_up(&s, joints, count, (double)ways[i] + off, "glb2");
            const mrw_front front = front_of(&s, NULL);
            ck_assert_msg(front.of_joints && front.azimuth_degrees == ways[i], "%s at %g%+d: %g",
                          what, (double)ways[i], off, (double)front.azimuth_degrees);
        }
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* An arm and a leg of each side, in the words of many programs. */
START_TEST(left_and_right_by_name)
{
    static const char *const names[][4] = {
        {"LeftArm", "RightArm", "LeftUpLeg", "RightUpLeg"},
        {"mixamorig:LeftArm", "mixamorig:RightArm", "mixamorig:LeftLeg", "mixamorig:RightLeg"},
        {"mixamorig_LeftArm", "mixamorig_RightArm", "mixamorig_LeftLeg", "mixamorig_RightLeg"},
        {"mixamorigLeftArm", "mixamorigRightArm", "mixamorigLeftLeg", "mixamorigRightLeg"},
        {"Bip01 L UpperArm", "Bip01 R UpperArm", "Bip01 L Thigh", "Bip01 R Thigh"},
        {"ValveBiped.Bip01_L_Hand", "ValveBiped.Bip01_R_Hand", "ValveBiped.Bip01_L_Calf",
         "ValveBiped.Bip01_R_Calf"},
        {"J_Bip_L_Hand", "J_Bip_R_Hand", "J_Bip_L_LowerLeg", "J_Bip_R_LowerLeg"},
        {"upper_arm.L", "upper_arm.R", "thigh.L", "thigh.R"},
        {"DEF-hand.L.001", "DEF-hand.R.001", "DEF-shin.L", "DEF-shin.R"},
        {"hand_l", "hand_r", "thigh_l", "thigh_r"},
        {"L_Wrist", "R_Wrist", "L_Knee", "R_Knee"},
        {"lHand", "rHand", "lThigh", "rThigh"},
        {"lhand", "rhand", "lthigh", "rthigh"},
        {"LHand", "RHand", "LThigh", "RThigh"},
        {"armleft", "armright", "legleft", "legright"},
        {"ARM_LEFT", "ARM_RIGHT", "LEG_LEFT", "LEG_RIGHT"},
        {"b_LeftUpperArm_09", "b_RightUpperArm_06", "b_LeftLeg01_015", "b_RightLeg01_019"},
        {"Armature|Arm_L", "Armature|Arm_R", "Armature|Leg_L", "Armature|Leg_R"},
        {"\xe5\xb7\xa6\xe8\x85\x95", "\xe5\x8f\xb3\xe8\x85\x95", "\xe5\xb7\xa6\xe8\xb6\xb3",
         "\xe5\x8f\xb3\xe8\xb6\xb3"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const joint joints[] = {{"root", -1, {0.0f, 1.0f, 0.0f}},
                                {names[i][0], 0, {0.5f, 1.4f, 0.0f}},
                                {names[i][1], 0, {-0.5f, 1.4f, 0.0f}},
                                {names[i][2], 0, {0.1f, 0.9f, 0.1f}},
                                {names[i][3], 0, {-0.1f, 0.9f, -0.1f}}};
        assert_seen(joints, 5, names[i][0]);
    }
}
END_TEST

/* Numbers are left out: joints of one name are one pair each. */
START_TEST(pairs_of_one_name)
{
    const joint wings[] = {{"wing_l_01", -1, {0.5f, 1.0f, 0.0f}},
                           {"wing_r_01", -1, {-0.5f, 1.0f, 0.0f}},
                           {"wing_l_02", 0, {1.5f, 1.0f, 0.0f}},
                           {"wing_r_02", 1, {-1.5f, 1.0f, 0.0f}}};
    stage s;
    assert_seen(wings, 4, "wings");
    set_up(&s, wings, 4, 0.0, "glb2");
    ck_assert_uint_eq(front_of(&s, NULL).counts[MRW_FRONT_SIDES], 2);
    set_up(&s, wings, 2, 90.0, "glb2");
    ck_assert(!front_of(&s, NULL).of_joints);
}
END_TEST

/* No pairs of sides, or one alone. */
START_TEST(what_is_no_side)
{
    static const char *const names[][4] = {{"leg", "root", "lip", "rim"},
                                           {"Bright", "Bleft_", "lock", "reed"},
                                           {"clip_l", "grip_r", "leftover", "righteous"},
                                           {"arm.L", "arm.R", "head", "neck"},
                                           {"ik_pole_l", "ik_pole_r", "goal.L", "goal.R"},
                                           {"12", "__", "", "-"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const joint joints[] = {{names[i][0], -1, {0.5f, 1.0f, 0.0f}},
                                {names[i][1], -1, {-0.5f, 1.0f, 0.0f}},
                                {names[i][2], -1, {0.1f, 1.9f, 0.0f}},
                                {names[i][3], -1, {-0.1f, 1.5f, 0.0f}}};
        stage s;
        set_up(&s, joints, 4, 90.0, "glb2");
        const mrw_front front = front_of(&s, NULL);
        ck_assert_msg(!front.of_joints, "%s", names[i][0]);
        ck_assert_float_eq(front.azimuth_degrees, 0.0f);
    }
}
END_TEST

/* ---- parts ----------------------------------------------------------------------------------- */

START_TEST(toes_lie_ahead)
{
    static const char *const names[][2] = {{"LeftFoot", "LeftToeBase"},
                                           {"foot.L", "toe.L"},
                                           {"foot_l", "ball_l"},
                                           {"ankle.L", "tiptoe.L"},
                                           {"Bip01 L Foot", "Bip01 L Toe0"},
                                           {"LeftAnkle", "LeftToe"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const joint joints[] = {{"hips", -1, {0.0f, 1.0f, 0.0f}},
                                {names[i][0], 0, {0.1f, 0.1f, 0.0f}},
                                {names[i][1], 1, {0.12f, 0.02f, 0.15f}}};
        assert_seen(joints, 3, names[i][0]);
    }
}
END_TEST

/* Nodes that assimp spreads one joint over are no steps. */
START_TEST(links_are_passed)
{
    const joint joints[] = {{"LeftFoot", -1, {0.1f, 0.1f, 0.0f}},
                            {"LeftToeBase_$AssimpFbx$_Translation", 0, {0.1f, 0.02f, 0.15f}},
                            {"LeftToeBase_$AssimpFbx$_RotationPivot", 1, {0.1f, 0.02f, 0.15f}},
                            {"LeftToeBase_$AssimpFbx$_PreRotation", 2, {0.1f, 0.02f, 0.15f}},
                            {"LeftToeBase_$AssimpFbx$_PostRotation", 3, {0.1f, 0.02f, 0.15f}},
                            {"LeftToeBase_$AssimpFbx$_Scaling", 4, {0.1f, 0.02f, 0.15f}},
                            {"LeftToeBase", 5, {0.1f, 0.02f, 0.15f}}};
    assert_seen(joints, 7, "links");
    stage s;
    set_up(&s, joints, 7, 0.0, "fbx");
    ck_assert_uint_eq(front_of(&s, NULL).counts[MRW_FRONT_FEET], 1);
}
END_TEST

START_TEST(faces_and_spines)
{
    const joint face[] = {{"Head", -1, {0.0f, 1.6f, 0.0f}},
                          {"LeftEye", 0, {0.03f, 1.66f, 0.08f}},
                          {"RightEye", 0, {-0.03f, 1.66f, 0.08f}}};
    const joint horse[] = {{"Pelvis", -1, {0.0f, 1.0f, -0.6f}},
                           {"Spine", 0, {0.0f, 1.0f, 0.0f}},
                           {"Head", 1, {0.0f, 1.5f, 0.8f}},
                           {"Tail1", 0, {0.0f, 1.0f, -0.8f}},
                           {"Tail2", 3, {0.0f, 0.6f, -1.0f}}};
    const joint snake[] = {{"Bone", -1, {0.0f, 0.0f, 0.0f}},
                           {"Tail", 0, {0.0f, 0.0f, -0.5f}},
                           {"Head", 0, {0.0f, 0.1f, 1.0f}}};
    assert_seen(face, 3, "face");
    assert_seen(horse, 5, "horse");
    assert_seen(snake, 3, "snake");
    /* a first joint is no hips */
    const joint root[] = {{"root", -1, {0.0f, 1.0f, 3.0f}}, {"Head", 0, {0.0f, 1.6f, 0.0f}}};
    /* who stands has no head ahead */
    const joint man[] = {{"Hips", -1, {0.0f, 1.0f, 0.0f}}, {"Head", 0, {0.0f, 1.6f, 0.1f}}};
    stage s;
    set_up(&s, man, 2, 90.0, "glb2");
    ck_assert(!front_of(&s, NULL).of_joints);
    set_up(&s, root, 2, 90.0, "glb2");
    ck_assert(!front_of(&s, NULL).of_joints);
}
END_TEST

/* ---- the vote -------------------------------------------------------------------------------- */

static const joint confused[] = {
    {"arm.R", -1, {0.5f, 1.4f, 0.0f}}, /* as the viewer sees them */
    {"arm.L", -1, {-0.5f, 1.4f, 0.0f}}, {"leg.R", -1, {0.1f, 0.9f, 0.0f}},
    {"leg.L", -1, {-0.1f, 0.9f, 0.0f}}, {"foot.R", 2, {0.1f, 0.1f, 0.0f}},
    {"toe.R", 4, {0.1f, 0.02f, 0.15f}}};

START_TEST(feet_outvote_sides)
{
    stage s;
    assert_seen(confused, 6, "feet");
    set_up(&s, confused, 4, 0.0, "glb2");
    ck_assert_float_eq(front_of(&s, NULL).azimuth_degrees, 180.0f);
    set_up(&s, confused, 6, 0.0, "glb2");
    const mrw_front front = front_of(&s, NULL);
    ck_assert_uint_eq(front.counts[MRW_FRONT_SIDES], 2);
    ck_assert_uint_eq(front.counts[MRW_FRONT_FEET], 1);
    ck_assert_uint_eq(front.counts[MRW_FRONT_FACE], 0);
    ck_assert_float_eq_tol(front.ways[MRW_FRONT_SIDES][1], -1.0f, 1e-6f);
    ck_assert_float_eq_tol(front.ways[MRW_FRONT_FEET][1], 1.0f, 1e-6f);
}
END_TEST

START_TEST(customs_of_formats)
{
    static const struct {
        const char *format;
        float azimuth;
    } formats[] = {{"b3d", 180.0f},  {"ms3d", 180.0f}, {"smd", 180.0f}, {"mdl", 180.0f},
                   {"ogre", 180.0f}, {"glb2", 0.0f},   {"fbx", 0.0f},   {"collada", 0.0f},
                   {"x", 0.0f},      {"md5", 0.0f},    {"obj", 0.0f},   {"marrow", 0.0f}};
    const joint box[] = {{"Box", -1, {0.0f, 0.0f, 0.0f}}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        stage s;
        set_up(&s, box, 1, 0.0, formats[i].format);
        const mrw_front front = front_of(&s, NULL);
        ck_assert(!front.of_joints);
        ck_assert_msg(front.azimuth_degrees == formats[i].azimuth, "%s", formats[i].format);
        /* joints know better */
        set_up(&s, confused, 6, -90.0, formats[i].format);
        ck_assert_float_eq(front_of(&s, NULL).azimuth_degrees, -90.0f);
        /* without a skin and a clip no node is a joint */
        s.scene.joints_count = 0;
        ck_assert_float_eq(front_of(&s, NULL).azimuth_degrees, formats[i].azimuth);
    }
}
END_TEST

/* Placed in the world: turned, stood upright, mirrored. */
START_TEST(as_the_model_stands)
{
    static const float none[3] = {0}, one[3] = {1.0f, 1.0f, 1.0f};
    static const float quarter[3] = {0.0f, 90.0f, 0.0f}, upright[3] = {-90.0f, 0.0f, 0.0f};
    static const float mirror[3] = {-1.0f, 1.0f, 1.0f}, back[3] = {1.0f, 1.0f, -1.0f};
    mrw_mat4 placed;
    stage s;
    /* Z up, facing -Y, as Blender has it */
    const joint blender[] = {{"arm.L", -1, {0.5f, 0.0f, 1.4f}},
                             {"arm.R", -1, {-0.5f, 0.0f, 1.4f}},
                             {"leg.L", -1, {0.1f, 0.0f, 0.9f}},
                             {"leg.R", -1, {-0.1f, 0.0f, 0.9f}}};
    set_up(&s, blender, 4, 0.0, "glb2");
    mrw_view_model_transform(none, upright, one, &placed);
    ck_assert_float_eq(front_of(&s, &placed).azimuth_degrees, 0.0f);

    const joint sides[] = {{"arm.L", -1, {0.5f, 1.4f, 0.0f}},
                           {"arm.R", -1, {-0.5f, 1.4f, 0.0f}},
                           {"leg.L", -1, {0.1f, 0.9f, 0.0f}},
                           {"leg.R", -1, {-0.1f, 0.9f, 0.0f}}};
    set_up(&s, sides, 4, 0.0, "glb2");
    mrw_view_model_transform(none, quarter, one, &placed);
    ck_assert_float_eq(front_of(&s, &placed).azimuth_degrees, 90.0f);
    mrw_view_model_transform(none, none, mirror, &placed);
    ck_assert_float_eq(front_of(&s, &placed).azimuth_degrees, 0.0f);
    mrw_view_model_transform(none, none, back, &placed);
    ck_assert_float_eq(front_of(&s, &placed).azimuth_degrees, 180.0f);
}
END_TEST

/* Joints at one place, numbers at the end of their range, names beyond any length. */
START_TEST(odd_skeletons)
{
    char name[600];
    memset(name, 'a', sizeof name);
    memcpy(name, "Left", 4);
    name[599] = '\0';
    const joint joints[] = {{name, -1, {0}},    {"arm.L", -1, {0}}, {"arm.R", -1, {0}},
                            {"leg.L", -1, {0}}, {"leg.R", -1, {0}}, {"foot.L", 3, {0}},
                            {"toe.L", 5, {0}},  {"Head", -1, {0}},  {"Eye", 7, {0}}};
    stage s;
    set_up(&s, joints, 9, 0.0, "glb2");
    mrw_front front = front_of(&s, NULL);
    ck_assert(!front.of_joints);
    for (uint32_t i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++) {
            s.nodes[i].rest.translation[k] = i % 2 ? 3e38f : -3e38f;
        }
    }
    front = front_of(&s, NULL);
    ck_assert(fmod((double)front.azimuth_degrees, 90.0) == 0.0);
    s.scene.nodes_count = s.scene.joints_count = 0;
    ck_assert(!front_of(&s, NULL).of_joints);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("front");
    TCase *tc = tcase_create("front");
    tcase_add_test(tc, left_and_right_by_name);
    tcase_add_test(tc, pairs_of_one_name);
    tcase_add_test(tc, what_is_no_side);
    tcase_add_test(tc, toes_lie_ahead);
    tcase_add_test(tc, links_are_passed);
    tcase_add_test(tc, faces_and_spines);
    tcase_add_test(tc, feet_outvote_sides);
    tcase_add_test(tc, customs_of_formats);
    tcase_add_test(tc, as_the_model_stands);
    tcase_add_test(tc, odd_skeletons);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
