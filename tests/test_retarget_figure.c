/* test_retarget_figure.c: the clips of our figure on other rigs of it, written here: other
 * proportions, sizes, units and axes. Where hips and feet must be follows from the figure's own
 * motion, in double precision: rotations are the same changes from rest, bones have the rig's
 * lengths, and the way of the hips is scaled by their height. */
#include "retarget_fixture.h"

#define MOST 64

/* One way to write the figure. */
typedef struct rig_kind {
    const char *name;
    double size, legs; /* factors on all lengths, and once more on those of the legs */
    double unit;       /* metres per unit */
    double turn;       /* degrees of the armature about x, which the hips undo */
    bool rolled;       /* joints have other axes */
} rig_kind;

static const rig_kind kinds[] = {
    {"as it is", 1, 1, 1, 0, false},     {"long legs", 1, 1.5, 1, 0, false},
    {"a child", 0.6, 0.85, 1, 0, false}, {"centimetres, z up", 1, 1, 0.01, -90, false},
    {"other axes", 1, 1, 1, 0, true},    {"a giant with other axes", 30, 1.2, 0.1, 90, true},
};

/* The joints of the figure, parents first, and where they are at rest. */
typedef struct joint {
    const char *name;
    uint32_t node;
    int parent;
    quat turn;
    vec place;
} joint;

static joint joints[MOST];
static int joint_count;

static vec less(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec plus(vec a, vec b, double times_b)
{
    return (vec){a.x + times_b * b.x, a.y + times_b * b.y, a.z + times_b * b.z};
}

static void read_joints(const mrw_scene *figure)
{
    joint_count = 0;
    for (uint32_t n = 0; n < figure->nodes_count; n++) {
        const char *name = mrw_scene_string(figure, figure->nodes[n].name);
        bool is_joint = false;
        for (uint32_t j = 0; j < figure->joints_count; j++) {
            is_joint = is_joint || figure->joints[j] == n;
        }
        if (is_joint) {
            const placed at = node_at(figure, n, MRW_NONE, 0);
            int parent = -1;
            for (int i = 0; i < joint_count; i++) {
                parent = joints[i].node == figure->nodes[n].parent ? i : parent;
            }
            joints[joint_count++] = (joint){name, n, parent, at.turn, at.place};
        }
    }
    ck_assert_int_eq(joint_count, 49);
    ck_assert_str_eq(joints[0].name, "hips");
}

static bool is_of_a_leg(const char *name)
{
    return strncmp(name, "shin", 4) == 0 || strncmp(name, "foot", 4) == 0 ||
           strncmp(name, "toe", 3) == 0;
}

/* The rig at rest: places in the world, in metres, and axes of joints. */
typedef struct rest_pose {
    vec place[MOST];
    quat turn[MOST];
    double height; /* of the hips above the lowest joint */
} rest_pose;

static void make_rest(const rig_kind *kind, rest_pose *out)
{
    double lowest = 0;
    for (int i = 0; i < joint_count; i++) {
        const int parent = joints[i].parent;
        const quat roll = kind->rolled ? any_turn(170) : (quat){0, 0, 0, 1};
        out->turn[i] = times(joints[i].turn, roll);
        const double factor = kind->size * (is_of_a_leg(joints[i].name) ? kind->legs : 1);
        out->place[i] = parent < 0 ? (vec){0, 0, 0}
                                   : plus(out->place[parent],
                                          less(joints[i].place, joints[parent].place), factor);
        lowest = fmin(lowest, out->place[i].y);
    }
    out->height = -lowest;
    for (int i = 0; i < joint_count; i++) {
        out->place[i].y += out->height + 0.01 * kind->size; /* it stands on the ground */
    }
}

static mrw_scene *write_kind(const rig_kind *kind, const rest_pose *rest)
{
    static bone rig[MOST + 1];
    const quat armature = about(1, 0, 0, kind->turn);
    rig[0] = (bone){"Armature", -1, {0, 0, 0}, armature, 0, false, kind->unit};
    for (int i = 0; i < joint_count; i++) {
        const int parent = joints[i].parent;
        const vec offset = parent < 0 ? rest->place[i] : less(rest->place[i], rest->place[parent]);
        const quat up = parent < 0 ? armature : rest->turn[parent];
        const vec place = turned(back(up), offset);
        rig[i + 1] = (bone){joints[i].name,
                            parent + 1,
                            {place.x / kind->unit, place.y / kind->unit, place.z / kind->unit},
                            times(back(up), rest->turn[i]),
                            0,
                            false,
                            0};
    }
    return write_rig(rig, joint_count + 1, false);
}

/* How far the rig is from where it must be: lengths by its size, and radians. */
static double error_at(const mrw_scene *moved, const mrw_scene *figure, const rest_pose *rest,
                       const rig_kind *kind, uint32_t clip, double t)
{
    vec place[MOST];
    quat change[MOST];
    double lowest = joints[0].place.y, most = 0;
    for (int i = 0; i < joint_count; i++) {
        lowest = fmin(lowest, joints[i].place.y);
    }
    const double ratio = rest->height / (joints[0].place.y - lowest);
    for (int i = 0; i < joint_count; i++) {
        const int parent = joints[i].parent;
        const placed at = node_at(figure, joints[i].node, clip, t);
        const placed got = node_at(moved, named(moved, joints[i].name), clip, t);
        change[i] = times(at.turn, back(joints[i].turn));
        place[i] = parent < 0
                       ? plus(rest->place[i], less(at.place, joints[i].place), ratio)
                       : plus(place[parent],
                              turned(change[parent], less(rest->place[i], rest->place[parent])), 1);
        const vec off = less(got.place, place[i]);
        most = fmax(most, sqrt(off.x * off.x + off.y * off.y + off.z * off.z) / kind->size);
        most = fmax(most, apart(got.turn, times(change[i], rest->turn[i])) * acos(-1) / 180);
    }
    return most;
}

START_TEST(hips_and_feet_are_where_they_must_be)
{
    const rig_kind *kind = &kinds[_i];
    mrw_scene *figure = NULL;
    rest_pose rest;
    mrw_clip_match match;
    seed = 11;
    ck_assert_int_eq(mrw_load_file("assets/figure.glb", NULL, &figure, &error), MRW_OK);
    read_joints(figure);
    make_rest(kind, &rest);
    mrw_scene *model = write_kind(kind, &rest);
    mrw_scene *moved = join(model, figure, MRW_RETARGET_AUTO, &match);
    ck_assert_uint_eq(match.matched_by[0], 49);
    ck_assert_uint_eq(match.aligned, 0);
    for (uint32_t clip = 0; clip < figure->clips_count; clip++) {
        for (int k = 0; k <= 24; k++) {
            const double t = figure->clips[clip].duration * k / 24;
            const double off = error_at(moved, figure, &rest, kind, clip, t);
            ck_assert_msg(off < 1e-5, "%s: clip %u at %.3f s: off by %g", kind->name, clip, t, off);
        }
    }
    mrw_scene_free(moved);
    mrw_scene_free(model);
    mrw_scene_free(figure);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("retarget_figure");
    TCase *tc = tcase_create("figure");
    tcase_add_loop_test(tc, hips_and_feet_are_where_they_must_be, 0,
                        (int)(sizeof kinds / sizeof *kinds));
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
