/* test_humanoid.c: one figure with the bone names of many rigs. A clip of any of them moves the
 * same bones of all others. The names are those that each maker documents or exports. */
#include "retarget_fixture.h"

#define BONES  24
#define MAKERS 13

/* Parents as rows; names by maker, NULL where it has no such bone. */
static const struct {
    int parent;
    vec place;
    const char *names[MAKERS];
} rows[BONES] = {
    {-1,
     {0, 1, 0},
     {"mixamorig:Hips", "DEF-spine", "pelvis", "J_Bip_C_Hips", "hips", "root", "Hips", "hips",
      "root", "Bip01 Pelvis", "pelvis", "hip", "CC_Base_Hip"}},
    {0,
     {0, 0.1, 0},
     {"mixamorig:Spine", "DEF-spine.001", "spine_01", "J_Bip_C_Spine", "spine", "lowerback",
      "Spine", "spine", "spine05", "Bip01 Spine", "spine1", "abdomenLower", "CC_Base_Waist"}},
    {1,
     {0, 0.2, 0},
     {"mixamorig:Spine1", "DEF-spine.003", "spine_03", "J_Bip_C_UpperChest", "upperChest", "thorax",
      "Spine1", "chest", "spine01", "Bip01 Spine2", "spine3", "chestUpper", "CC_Base_Spine02"}},
    {2,
     {0, 0.2, 0},
     {"mixamorig:Neck", "DEF-spine.004", "neck_01", "J_Bip_C_Neck", "neck", "lowerneck", "Neck",
      NULL, "neck01", "Bip01 Neck", "neck", "neckLower", "CC_Base_NeckTwist01"}},
    {3,
     {0, 0.1, 0},
     {"mixamorig:Head", "DEF-spine.006", "head", "J_Bip_C_Head", "head", "head", "Head", "head",
      "head", "Bip01 Head", "head", "head", "CC_Base_Head"}},
    {2,
     {0.05, 0.15, 0},
     {"mixamorig:LeftShoulder", "DEF-shoulder.L", "clavicle_l", "J_Bip_L_Shoulder", "leftShoulder",
      "lclavicle", "LeftShoulder", NULL, "clavicle.L", "Bip01 L Clavicle", "left_collar", "lCollar",
      "CC_Base_L_Clavicle"}},
    {5,
     {0.15, 0, 0},
     {"mixamorig:LeftArm", "DEF-upper_arm.L", "upperarm_l", "J_Bip_L_UpperArm", "leftUpperArm",
      "lhumerus", "LeftArm", "upperarm.l", "upperarm01.L", "Bip01 L UpperArm", "left_shoulder",
      "lShldrBend", "CC_Base_L_Upperarm"}},
    {6,
     {0.3, 0, 0},
     {"mixamorig:LeftForeArm", "DEF-forearm.L", "lowerarm_l", "J_Bip_L_LowerArm", "leftLowerArm",
      "lradius", "LeftForeArm", "lowerarm.l", "lowerarm01.L", "Bip01 L Forearm", "left_elbow",
      "lForearmBend", "CC_Base_L_Forearm"}},
    {7,
     {0.3, 0, 0},
     {"mixamorig:LeftHand", "DEF-hand.L", "hand_l", "J_Bip_L_Hand", "leftHand", "lwrist",
      "LeftHand", "wrist.l", "wrist.L", "Bip01 L Hand", "left_wrist", "lHand", "CC_Base_L_Hand"}},
    {8,
     {0.05, 0, 0.03},
     {"mixamorig:LeftHandThumb1", "DEF-thumb.01.L", "thumb_01_l", "J_Bip_L_Thumb1",
      "leftThumbProximal", "lthumb", NULL, NULL, "finger1-1.L", "Bip01 L Finger0", NULL, "lThumb1",
      "CC_Base_L_Thumb1"}},
    {8,
     {0.1, 0, 0.02},
     {"mixamorig:LeftHandIndex1", "DEF-f_index.01.L", "index_01_l", "J_Bip_L_Index1",
      "leftIndexProximal", NULL, NULL, NULL, "finger2-1.L", "Bip01 L Finger1", NULL, "lIndex1",
      "CC_Base_L_Index1"}},
    {10,
     {0.04, 0, 0},
     {"mixamorig:LeftHandIndex2", "DEF-f_index.02.L", "index_02_l", "J_Bip_L_Index2",
      "leftIndexIntermediate", NULL, NULL, NULL, "finger2-2.L", "Bip01 L Finger11", NULL, "lIndex2",
      "CC_Base_L_Index2"}},
    {2,
     {-0.05, 0.15, 0},
     {"mixamorig:RightShoulder", "DEF-shoulder.R", "clavicle_r", "J_Bip_R_Shoulder",
      "rightShoulder", "rclavicle", "RightShoulder", NULL, "clavicle.R", "Bip01 R Clavicle",
      "right_collar", "rCollar", "CC_Base_R_Clavicle"}},
    {12,
     {-0.15, 0, 0},
     {"mixamorig:RightArm", "DEF-upper_arm.R", "upperarm_r", "J_Bip_R_UpperArm", "rightUpperArm",
      "rhumerus", "RightArm", "upperarm.r", "upperarm01.R", "Bip01 R UpperArm", "right_shoulder",
      "rShldrBend", "CC_Base_R_Upperarm"}},
    {13,
     {-0.3, 0, 0},
     {"mixamorig:RightForeArm", "DEF-forearm.R", "lowerarm_r", "J_Bip_R_LowerArm", "rightLowerArm",
      "rradius", "RightForeArm", "lowerarm.r", "lowerarm01.R", "Bip01 R Forearm", "right_elbow",
      "rForearmBend", "CC_Base_R_Forearm"}},
    {14,
     {-0.3, 0, 0},
     {"mixamorig:RightHand", "DEF-hand.R", "hand_r", "J_Bip_R_Hand", "rightHand", "rwrist",
      "RightHand", "wrist.r", "wrist.R", "Bip01 R Hand", "right_wrist", "rHand", "CC_Base_R_Hand"}},
    {0,
     {0.1, -0.05, 0},
     {"mixamorig:LeftUpLeg", "DEF-thigh.L", "thigh_l", "J_Bip_L_UpperLeg", "leftUpperLeg", "lfemur",
      "LeftUpLeg", "upperleg.l", "upperleg01.L", "Bip01 L Thigh", "left_hip", "lThighBend",
      "CC_Base_L_Thigh"}},
    {16,
     {0, -0.45, 0},
     {"mixamorig:LeftLeg", "DEF-shin.L", "calf_l", "J_Bip_L_LowerLeg", "leftLowerLeg", "ltibia",
      "LeftLeg", "lowerleg.l", "lowerleg01.L", "Bip01 L Calf", "left_knee", "lShin",
      "CC_Base_L_Calf"}},
    {17,
     {0, -0.45, 0},
     {"mixamorig:LeftFoot", "DEF-foot.L", "foot_l", "J_Bip_L_Foot", "leftFoot", "lfoot", "LeftFoot",
      "foot.l", "foot.L", "Bip01 L Foot", "left_ankle", "lFoot", "CC_Base_L_Foot"}},
    {18,
     {0, -0.05, 0.1},
     {"mixamorig:LeftToeBase", "DEF-toe.L", "ball_l", "J_Bip_L_ToeBase", "leftToes", "ltoes",
      "LeftToeBase", "toes.l", "toe1-1.L", "Bip01 L Toe0", "left_foot", "lToe",
      "CC_Base_L_ToeBase"}},
    {0,
     {-0.1, -0.05, 0},
     {"mixamorig:RightUpLeg", "DEF-thigh.R", "thigh_r", "J_Bip_R_UpperLeg", "rightUpperLeg",
      "rfemur", "RightUpLeg", "upperleg.r", "upperleg01.R", "Bip01 R Thigh", "right_hip",
      "rThighBend", "CC_Base_R_Thigh"}},
    {20,
     {0, -0.45, 0},
     {"mixamorig:RightLeg", "DEF-shin.R", "calf_r", "J_Bip_R_LowerLeg", "rightLowerLeg", "rtibia",
      "RightLeg", "lowerleg.r", "lowerleg01.R", "Bip01 R Calf", "right_knee", "rShin",
      "CC_Base_R_Calf"}},
    {21,
     {0, -0.45, 0},
     {"mixamorig:RightFoot", "DEF-foot.R", "foot_r", "J_Bip_R_Foot", "rightFoot", "rfoot",
      "RightFoot", "foot.r", "foot.R", "Bip01 R Foot", "right_ankle", "rFoot", "CC_Base_R_Foot"}},
    {22,
     {0, -0.05, 0.1},
     {"mixamorig:RightToeBase", "DEF-toe.R", "ball_r", "J_Bip_R_ToeBase", "rightToes", "rtoes",
      "RightToeBase", "toes.r", "toe1-1.R", "Bip01 R Toe0", "right_foot", "rToe",
      "CC_Base_R_ToeBase"}}};

/* The bones of one maker; at[row]: which bone it is, or -1. */
static int make_rig(int maker, bool moves, bone *out, int at[BONES])
{
    int count = 0;
    for (int i = 0; i < BONES; i++) {
        int parent = rows[i].parent;
        vec place = rows[i].place;
        at[i] = -1;
        if (!rows[i].names[maker]) {
            continue;
        }
        for (; parent >= 0 && at[parent] < 0; parent = rows[parent].parent) { /* left out */
            place.x += rows[parent].place.x;
            place.y += rows[parent].place.y;
            place.z += rows[parent].place.z;
        }
        at[i] = count;
        out[count++] = (bone){rows[i].names[maker],
                              parent < 0 ? -1 : at[parent],
                              place,
                              {0, 0, 0, 1},
                              moves ? 2 : 0,
                              moves && i == 0,
                              0};
    }
    return count;
}

static void check_pair(int ours, int theirs)
{
    bone a[BONES], b[BONES];
    int in_a[BONES], in_b[BONES];
    mrw_clip_match match;
    const int count_a = make_rig(ours, false, a, in_a), count_b = make_rig(theirs, true, b, in_b);
    seed = (uint64_t)(ours * MAKERS + theirs);
    mrw_scene *base = write_rig(a, count_a, false), *other = write_rig(b, count_b, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
    uint32_t both = 0;
    for (int i = 0; i < BONES; i++) {
        if (in_a[i] < 0 || in_b[i] < 0) {
            continue;
        }
        both++;
        for (int k = 0; k <= 8; k++) {
            const quat got = node_at(s, (uint32_t)in_a[i], 0, 0.2 * k).turn;
            const quat want = node_at(other, (uint32_t)in_b[i], 0, 0.2 * k).turn;
            ck_assert_msg(apart(got, want) < 0.2, "%s by %s: %g degrees", rows[i].names[ours],
                          rows[i].names[theirs], apart(got, want));
        }
    }
    ck_assert_msg(match.matched == both, "%s by %s: %u of %u matched", rows[0].names[ours],
                  rows[0].names[theirs], match.matched, both);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}

START_TEST(every_maker_by_every_other)
{
    check_pair(_i / MAKERS, _i % MAKERS);
}
END_TEST

/* Spines of other lengths: ends to ends, and what is left over is folded. */
START_TEST(longer_spines)
{
    static const bone two[] = {{"Hips", -1, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0},
                               {"Spine", 0, {0, 0.2, 0}, {0, 0, 0, 1}, 0, false, 0},
                               {"UpperChest", 1, {0, 0.2, 0}, {0, 0, 0, 1}, 0, false, 0},
                               {"Head", 2, {0, 0.2, 0}, {0, 0, 0, 1}, 0, false, 0}};
    static const bone four[] = {{"pelvis", -1, {0, 1, 0}, {0, 0, 0, 1}, 2, false, 0},
                                {"spine_01", 0, {0, 0.1, 0}, {0, 0, 0, 1}, 2, false, 0},
                                {"spine_02", 1, {0, 0.1, 0}, {0, 0, 0, 1}, 2, false, 0},
                                {"spine_03", 2, {0, 0.1, 0}, {0, 0, 0, 1}, 2, false, 0},
                                {"spine_04", 3, {0, 0.1, 0}, {0, 0, 0, 1}, 2, false, 0},
                                {"neck_01", 4, {0, 0.1, 0}, {0, 0, 0, 1}, 2, false, 0},
                                {"head", 5, {0, 0.1, 0}, {0, 0, 0, 1}, 2, false, 0}};
    mrw_clip_match match;
    seed = 13;
    mrw_scene *base = write_rig(two, 4, false), *other = write_rig(four, 7, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
    static const uint32_t from[4] = {0, 1, 4, 6};
    ck_assert_uint_eq(match.matched, 4);
    ck_assert_uint_eq(match.matched_by[MRW_NAMES_HUMANOID], 4);
    ck_assert_uint_eq(match.folded, 3);
    for (uint32_t i = 0; i < 4; i++) {
        for (int k = 0; k <= 40; k++) {
            ck_assert_double_le(
                apart(node_at(s, i, 0, 0.04 * k).turn, node_at(other, from[i], 0, 0.04 * k).turn),
                0.2);
        }
    }
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* Words that all names of a rig begin with. */
START_TEST(common_words)
{
    static const char *const names[] = {"hips",       "spine01", "neck01", "head",
                                        "L_shoulder", "L_elbow", "L_wrist"};
    static const char *const plain[] = {
        "mixamorig:Hips",         "mixamorig:Spine",       "mixamorig:Neck",    "mixamorig:Head",
        "mixamorig:LeftShoulder", "mixamorig:LeftForeArm", "mixamorig:LeftHand"};
    char long_names[7][64];
    bone a[7], b[7];
    mrw_clip_match match;
    seed = 19;
    for (int i = 0; i < 7; i++) {
        snprintf(long_names[i], sizeof long_names[i], "astroBoy_newSkeleton_%s", names[i]);
        a[i] = (bone){long_names[i], i - 1, {0.1 * i, 0.2, 0}, {0, 0, 0, 1}, 0, false, 0};
        b[i] = (bone){plain[i], i - 1, {0.1 * i, 0.2, 0}, {0, 0, 0, 1}, 2, false, 0};
    }
    mrw_scene *base = write_rig(a, 7, false), *other = write_rig(b, 7, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
    ck_assert_uint_eq(match.matched, 7);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* Names that only look like bones, twice the same bone, and names without a side. */
START_TEST(what_is_no_bone)
{
    static const bone ours[] = {{"mixamorig:LeftArm", -1, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0},
                                {"mixamorig:LeftHand", 0, {1, 0, 0}, {0, 0, 0, 1}, 0, false, 0}};
    static const bone theirs[] = {{"upper_arm.L", -1, {0, 1, 0}, {0, 0, 0, 1}, 2, false, 0},
                                  {"upper_arm.L.001", 0, {0.3, 0, 0}, {0, 0, 0, 1}, 2, false, 0},
                                  {"upper_arm_twist.L", 0, {0.3, 0, 0}, {0, 0, 0, 1}, 2, false, 0},
                                  {"arm_L", 0, {0.3, 0, 0}, {0, 0, 0, 1}, 2, false, 0},
                                  {"handle.L", 0, {0.3, 0, 0}, {0, 0, 0, 1}, 2, false, 0},
                                  {"hand", 0, {0.3, 0, 0}, {0, 0, 0, 1}, 2, false, 0},
                                  {"l", 0, {0.3, 0, 0}, {0, 0, 0, 1}, 2, false, 0},
                                  {"..L..", 0, {0.3, 0, 0}, {0, 0, 0, 1}, 2, false, 0}};
    mrw_clip_match match;
    seed = 17;
    mrw_scene *base = write_rig(ours, 2, false), *other = write_rig(theirs, 8, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_AUTO, &match);
    ck_assert_uint_eq(match.matched, 1);
    ck_assert_double_le(apart(node_at(s, 0, 0, 0.7).turn, node_at(other, 0, 0, 0.7).turn), 0.01);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

/* The bone above both thighs is in the middle of what is called a spine: each bone of the model
 * moves with one of the clip's. Its many links would need more room than one joint each has. */
START_TEST(no_bone_is_matched_twice)
{
    bone ours[24], theirs[3] = {{"Hips", -1, {0, 1, 0}, {0, 0, 0, 1}, 2, false, 0},
                                {"Spine", 0, {0, 1, 0}, {0, 0, 0, 1}, 2, false, 0},
                                {"Chest", 1, {0, 1, 0}, {0, 0, 0, 1}, 2, false, 0}};
    ours[0] = (bone){"Torso", -1, {0, 0, 0}, {0, 0, 0, 1}, 0, false, 0};
    for (int i = 1; i <= 20; i++) {
        ours[i] =
            (bone){"Waist_$AssimpFbx$_PreRotation", i - 1, {0, 0, 0}, {0, 0, 0, 1}, 0, false, 0};
    }
    ours[21] = (bone){"Waist", 20, {0, 0, 0}, {0, 0, 0, 1}, 0, false, 0};
    ours[22] = (bone){"LThigh", 21, {0, 0, 0}, {0, 0, 0, 1}, 0, false, 0};
    ours[23] = (bone){"RThigh", 21, {0, 0, 0}, {0, 0, 0, 1}, 0, false, 0};
    seed = 29;
    mrw_clip_match match;
    mrw_scene *base = write_rig(ours, 24, false), *other = write_rig(theirs, 3, false);
    for (int how = 0; how < 3; how++) {
        mrw_scene *s = join(base, other, (mrw_retarget)how, &match);
        ck_assert_uint_le(match.matched, 2);
        mrw_scene_free(s);
    }
    mrw_scene_free(base);
    mrw_scene_free(other);
}
END_TEST

/* ---- rests in other poses -------------------------------------------------------------------- */

static vec direction(const mrw_scene *s, uint32_t from, uint32_t to, uint32_t clip, double t)
{
    const vec a = node_at(s, from, clip, t).place, b = node_at(s, to, clip, t).place;
    const vec d = {b.x - a.x, b.y - a.y, b.z - a.z};
    const double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return (vec){d.x / length, d.y / length, d.z / length};
}

/* The most degrees that a limb of the result is off the clip's own. */
static double limbs_off(const mrw_scene *s, const mrw_scene *other, const int in_s[BONES],
                        const int in_other[BONES])
{
    static const int limbs[][2] = {{6, 7},   {7, 8},   {13, 14}, {14, 15},
                                   {16, 17}, {17, 18}, {20, 21}};
    double most = 0;
    for (size_t i = 0; i < sizeof limbs / sizeof *limbs; i++) {
        const uint32_t from[2] = {(uint32_t)in_s[limbs[i][0]], (uint32_t)in_other[limbs[i][0]]};
        const uint32_t to[2] = {(uint32_t)in_s[limbs[i][1]], (uint32_t)in_other[limbs[i][1]]};
        for (int k = 0; k <= 16; k++) {
            const vec a = direction(s, from[0], to[0], 0, 0.1 * k);
            const vec b = direction(other, from[1], to[1], 0, 0.1 * k);
            const double dot = a.x * b.x + a.y * b.y + a.z * b.z;
            most = fmax(most, acos(fmin(1, dot)) * 180 / acos(-1));
        }
    }
    return most;
}

/* The model's arms hang down by so many degrees, and its joints have axes of their own; the clip's
 * rig stands in a T. */
static double arms_down(double degrees, mrw_retarget how, mrw_clip_match *match)
{
    bone a[BONES], b[BONES];
    int in_a[BONES], in_b[BONES];
    const int count_a = make_rig(2, false, a, in_a), count_b = make_rig(0, true, b, in_b);
    seed = 23;
    for (int side = 0; side < 2; side++) {
        const double angle = degrees * acos(-1) / 180, sign = side == 0 ? 1 : -1;
        const int arm = side == 0 ? 6 : 13;
        for (int i = 1; i <= 2; i++) {
            a[in_a[arm + i]].place = (vec){sign * 0.3 * cos(angle), -0.3 * sin(angle), 0};
        }
    }
    roll(a, count_a);
    mrw_scene *base = write_rig(a, count_a, false), *other = write_rig(b, count_b, false);
    mrw_scene *s = join(base, other, how, match);
    const double off = limbs_off(s, other, in_a, in_b);
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
    return off;
}

/* Limbs lie in the clip's directions once the rests are aligned, whatever the model's rest. */
START_TEST(rests_are_aligned)
{
    mrw_clip_match match;
    ck_assert_double_le(arms_down(60, MRW_RETARGET_POSE, &match), 0.2);
    ck_assert_uint_ge(match.aligned, 6); /* two arms of three bones */
    ck_assert_double_le(arms_down(20, MRW_RETARGET_POSE, &match), 0.2);
    ck_assert_double_le(arms_down(60, MRW_RETARGET_AUTO, &match), 0.2);
    ck_assert_uint_ge(match.aligned, 6);
}
END_TEST

/* Rests that differ by less are compared as they are: the arms stay as much lower. */
START_TEST(near_rests_are_left_alone)
{
    mrw_clip_match match;
    const double off = arms_down(20, MRW_RETARGET_AUTO, &match);
    ck_assert_uint_eq(match.aligned, 0);
    ck_assert_double_ge(off, 19.5);
    ck_assert_double_le(off, 20.5);
    ck_assert_double_le(arms_down(0, MRW_RETARGET_AUTO, &match), 0.2);
    ck_assert_uint_eq(match.aligned, 0);
}
END_TEST

/* Two bones that point away from each other do not fix how a joint is turned about them: it is not
 * turned if they need not be. */
START_TEST(opposite_bones)
{
    static const bone ours[3] = {{"Chest", -1, {0, 1, 0}, {0, 0, 0, 1}, 0, false, 0},
                                 {"LeftArm", 0, {1, 0, 0}, {0, 0, 0, 1}, 0, false, 0},
                                 {"RightArm", 0, {-1, 0, 0}, {0, 0, 0, 1}, 0, false, 0}};
    bone theirs[3];
    mrw_clip_match match;
    memcpy(theirs, ours, sizeof theirs);
    for (int i = 0; i < 3; i++) {
        theirs[i].turns = 2;
    }
    seed = 31;
    mrw_scene *base = write_rig(ours, 3, false), *other = write_rig(theirs, 3, false);
    mrw_scene *s = join(base, other, MRW_RETARGET_POSE, &match);
    ck_assert_uint_eq(match.aligned, 0);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_double_le(apart(node_at(s, i, 0, 0.7).turn, node_at(other, i, 0, 0.7).turn),
                            0.01);
    }
    mrw_scene_free(base);
    mrw_scene_free(other);
    mrw_scene_free(s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("humanoid");
    TCase *tc = tcase_create("humanoid");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, every_maker_by_every_other, 0, MAKERS * MAKERS);
    tcase_add_test(tc, longer_spines);
    tcase_add_test(tc, common_words);
    tcase_add_test(tc, no_bone_is_matched_twice);
    tcase_add_test(tc, opposite_bones);
    tcase_add_test(tc, rests_are_aligned);
    tcase_add_test(tc, near_rests_are_left_alone);
    tcase_add_test(tc, what_is_no_bone);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
