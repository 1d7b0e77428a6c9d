/* pose.c: compares poses and boxes and describes the difference. */
#include "compare/pose.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Difference of the lengths of axes that passes beyond any limit but 0: rounding changes lengths so
 * much when a joint turns. */
#define LENGTH_ROUNDING 1e-5

#define LARGEST_RATIO 1e6 /* largest ratio of scales: an axis may be 0 */

/* ---- matrices -------------------------------------------------------------------------------- */

static double determinant(const double m[9])
{
    double cross[3];
    mrwi_base_cross3d(m, m + 3, cross);
    return mrwi_base_dot3d(cross, m + 6);
}

/* Finds the rotation nearest to a 3x3 matrix: its orthogonal polar factor by Newton's iteration, X
 * -> (g X + X^-T / g) / 2 with the scaling g of Higham, "Computing the Polar Decomposition", 1986.
 * It ends long before the count for any matrix that is not singular. The mirror is taken out of
 * mirrored matrices first. Returns false for a singular matrix. */
static bool rotation_of(const float *joint, double out[9])
{
    double length = 0.0;
    for (int i = 0; i < 9; i++) {
        double size = fabs((double)joint[i]);
        length = size > length ? size : length;
    }
    for (int i = 0; i < 9; i++) {
        out[i] = length > 0.0 ? (double)joint[i] / length : 0.0;
    }
    double mirror = determinant(out) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 9; i++) {
        out[i] *= mirror;
    }
    for (int step = 0; step < 40; step++) {
        double inverse[9], here = 0.0, there = 0.0, det = determinant(out);
        if (!(det > 1e-12)) {
            return false;
        }
        /* columns of the inverse's transpose */
        mrwi_base_cross3d(out + 3, out + 6, inverse);
        mrwi_base_cross3d(out + 6, out, inverse + 3);
        mrwi_base_cross3d(out, out + 3, inverse + 6);
        for (int i = 0; i < 9; i++) {
            inverse[i] /= det;
            here += out[i] * out[i];
            there += inverse[i] * inverse[i];
        }
        double g = sqrt(sqrt(there / here)), change = 0.0;
        for (int i = 0; i < 9; i++) {
            double next = (g * out[i] + inverse[i] / g) * 0.5;
            change += fabs(next - out[i]);
            out[i] = next;
        }
        if (change < 1e-14) {
            break;
        }
    }
    return true;
}

/* Returns the degrees between two rotations. The length of the axis of A^T B is twice the sine, its
 * trace minus one is twice the cosine; together they are exact near 0 and near 180. */
static double angle_between(const float *expected, const float *actual)
{
    double a[9], b[9], r[9];
    if (!rotation_of(expected, a) || !rotation_of(actual, b)) {
        return 0.0;
    }
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            r[3 * c + i] = mrwi_base_dot3d(a + 3 * i, b + 3 * c);
        }
    }
    double axis[3] = {r[5] - r[7], r[6] - r[2], r[1] - r[3]};
    double angle = mrwi_base_atan2(sqrt(mrwi_base_dot3d(axis, axis)), r[0] + r[4] + r[8] - 1.0);
    return angle * (180.0 / MRWI_BASE_PI);
}

static double length_of(const float *column)
{
    double v[3] = {column[0], column[1], column[2]};
    return sqrt(mrwi_base_dot3d(v, v));
}

/* ---- one joint ------------------------------------------------------------------------------- */

typedef struct offset {
    double degrees;
    double distance;
    double ratio;  /* Larger ratio of two lengths, at least 1. */
    double length; /* Largest difference of lengths beyond rounding. */
} offset;

static offset measure(const float *expected, const float *actual)
{
    offset o = {.degrees = angle_between(expected, actual), .ratio = 1.0};
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = (double)actual[9 + i] - expected[9 + i];
    }
    o.distance = sqrt(mrwi_base_dot3d(d, d));
    for (int c = 0; c < 3; c++) {
        double a = length_of(expected + 3 * c), b = length_of(actual + 3 * c);
        double small = a < b ? a : b, large = a < b ? b : a;
        double ratio = large == small                  ? 1.0
                       : small * LARGEST_RATIO > large ? large / small
                                                       : LARGEST_RATIO;
        double length = large - small - LENGTH_ROUNDING * large;
        o.ratio = ratio > o.ratio ? ratio : o.ratio;
        o.length = length > o.length ? length : o.length;
    }
    return o;
}

static bool within(const offset *o, const mrwi_compare_pose_limits *limits)
{
    return (limits->degrees > 0.0 || limits->distance > 0.0) && o->degrees <= limits->degrees &&
           o->distance <= limits->distance && o->length <= limits->distance;
}

/* Returns true if a joint is reported rather than the worst so far: rotation counts more than
 * distance, and distance more than scale. A turned joint turns and moves all joints below it, so of
 * nearly equal joints the first in the file is kept: parents come before their children. */
static bool is_worse(const offset *o, const offset *worst)
{
    if (o->degrees > 0.01 || worst->degrees > 0.01) {
        return o->degrees > worst->degrees * 1.01;
    }
    if (o->distance > 1e-5 || worst->distance > 1e-5) {
        return o->distance > worst->distance * 1.01;
    }
    return o->ratio > worst->ratio * 1.0001;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Writes two significant digits as people write them: 3.1, 0.02, 170. */
static const char *amount(double value, char out[32])
{
    int decimals = value >= 10.0 ? 0 : value >= 1.0 ? 1 : value >= 0.1 ? 2 : value >= 0.01 ? 3 : 4;
    if (value < 0.0001) {
        return "less than 0.0001";
    }
    size_t length = mrwi_base_format_fixed(value, decimals, out);
    while (strchr(out, '.') && (out[length - 1] == '0' || out[length - 1] == '.')) {
        bool point = out[length - 1] == '.';
        out[--length] = '\0';
        if (point) {
            break;
        }
    }
    return out;
}

/* Writes "LeftFoot turned 3.1 degrees, moved 0.02". */
static void describe(const char *joint, const offset *o, char *text, size_t size)
{
    char name[200], number[32], region[320];
    snprintf(text, size, "%s", mrwi_base_escape(joint, name, sizeof name));
    size_t start = strlen(text);
    if (o->degrees >= 0.0001) {
        snprintf(region, sizeof region, " turned %s degrees", amount(o->degrees, number));
        snprintf(text + strlen(text), size - strlen(text), "%s", region);
    }
    if (o->distance >= 0.0001 || (o->degrees < 0.0001 && o->distance > 0.0)) {
        snprintf(region, sizeof region, "%s moved %s", start < strlen(text) ? "," : "",
                 amount(o->distance, number));
        snprintf(text + strlen(text), size - strlen(text), "%s", region);
    }
    if (o->ratio > 1.0001) {
        mrwi_base_format_fixed(o->ratio, o->ratio < 1.1 ? 4 : 2, number);
        snprintf(region, sizeof region, "%s scaled by a factor of %s",
                 start < strlen(text) ? "," : "", number);
        snprintf(text + strlen(text), size - strlen(text), "%s", region);
    }
    if (start == strlen(text)) {
        snprintf(text + start, size - start, " differs in its last bits");
    }
}

/* ---- matching by name ------------------------------------------------------------------------ */

static bool same_order(const mrwi_compare_pose *a, const mrwi_compare_pose *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; i < a->count && same; i++) {
        same = a->joints[i].name == b->joints[i].name ||
               strcmp(a->joints[i].name, b->joints[i].name) == 0;
    }
    return same;
}

typedef mrwi_compare_named named;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

void mrwi_compare_named_sort(mrwi_compare_named *joints, uint32_t count)
{
    qsort(joints, count, sizeof *joints, by_name);
}

static void sort_joints(const mrwi_compare_pose *pose, named *out)
{
    for (uint32_t i = 0; i < pose->count; i++) {
        out[i] = (named){pose->joints[i].name, i};
    }
    mrwi_compare_named_sort(out, pose->count);
}

/* Partners of the joints in the other pose: the first of a name belongs to the first, and so on;
 * MRW_NONE if there is none. Both lists are NULL if the poses have one order; then partners have
 * the same index. */
typedef struct matching {
    uint32_t *expected_of; /* [joint of actual] */
    uint32_t *actual_of;   /* [joint of expected] */
} matching;

static void match_sorted(const named *e, uint32_t expected, const named *a, uint32_t actual,
                         matching *out)
{
    memset(out->expected_of, 0xFF, actual * sizeof *out->expected_of);
    memset(out->actual_of, 0xFF, expected * sizeof *out->actual_of);
    for (uint32_t i = 0, j = 0; i < expected && j < actual;) {
        int order = strcmp(e[i].name, a[j].name);
        if (order == 0) {
            out->expected_of[a[j].index] = e[i].index;
            out->actual_of[e[i].index] = a[j].index;
        }
        i += order <= 0;
        j += order >= 0;
    }
}

static void free_matching(matching *m)
{
    mrwi_base_free(m->expected_of);
    mrwi_base_free(m->actual_of);
    *m = (matching){0};
}

static mrw_status match_joints(const mrwi_compare_pose *expected, const mrwi_compare_pose *actual,
                               matching *out, mrw_error *error)
{
    *out = (matching){0};
    if (same_order(expected, actual)) {
        return MRW_OK;
    }
    named *e = mrwi_base_alloc(expected->count, sizeof *e);
    named *a = mrwi_base_alloc(actual->count, sizeof *a);
    out->expected_of = mrwi_base_alloc(actual->count, sizeof *out->expected_of);
    out->actual_of = mrwi_base_alloc(expected->count, sizeof *out->actual_of);
    bool made = e && a && out->expected_of && out->actual_of;
    if (made) {
        sort_joints(expected, e);
        sort_joints(actual, a);
        match_sorted(e, expected->count, a, actual->count, out);
    } else {
        free_matching(out);
    }
    mrwi_base_free(e);
    mrwi_base_free(a);
    return made ? MRW_OK : mrwi_base_fail_memory(error, actual->count * sizeof *a);
}

/* Adds "joints not in the golden: Tail, Hat, ..." to text and returns how many there are. */
static uint32_t name_unmatched(const mrwi_compare_pose *pose, const uint32_t *partner_of,
                               const char *what, char *text, size_t size)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pose->count && partner_of; i++) {
        char name[100];
        size_t used = strlen(text);
        if (partner_of[i] != MRW_NONE) {
            continue;
        }
        mrwi_base_escape(pose->joints[i].name, name, sizeof name);
        if (count == 0) {
            snprintf(text + used, size - used, "%s%s: %s", used > 0 ? "; " : "", what, name);
        } else if (count < 4) {
            snprintf(text + used, size - used, ", %s", count < 3 ? name : "...");
        }
        count++;
    }
    return count;
}

/* ---- poses ----------------------------------------------------------------------------------- */

/* The joint that is reported. */
typedef struct search {
    offset worst;
    const char *joint; /* NULL if no joint differs. */
    bool beyond;       /* The joint exceeds the limits. */
    uint32_t count;    /* Number of joints that exceed the limits. */
} search;

static void look_at(search *s, const mrwi_compare_joint *expected, const mrwi_compare_joint *actual,
                    const mrwi_compare_pose_limits *limits)
{
    if (memcmp(expected->joint_to_world, actual->joint_to_world, sizeof actual->joint_to_world) ==
        0) {
        return;
    }
    offset o = measure(expected->joint_to_world, actual->joint_to_world);
    bool beyond = !within(&o, limits);
    s->count += beyond;
    if (!s->joint || (beyond && !s->beyond) || (beyond == s->beyond && is_worse(&o, &s->worst))) {
        s->joint = actual->name;
        s->worst = o;
        s->beyond = beyond;
    }
}

mrw_status mrwi_compare_pose_compare(const mrwi_compare_pose *expected,
                                     const mrwi_compare_pose *actual,
                                     const mrwi_compare_pose_limits *limits,
                                     mrw_pose_difference *out, char *text, size_t size,
                                     mrw_error *error)
{
    search s = {.worst = {.ratio = 1.0}};
    matching m;
    *out = (mrw_pose_difference){.joints = actual->count};
    text[0] = '\0';
    mrw_status status = match_joints(expected, actual, &m, error);
    if (status) {
        return status;
    }
    out->differing = name_unmatched(actual, m.expected_of, "joints not in the golden", text, size);
    out->differing +=
        name_unmatched(expected, m.actual_of, "joints only in the golden", text, size);
    for (uint32_t i = 0; i < actual->count; i++) {
        uint32_t e = m.expected_of ? m.expected_of[i] : i;
        if (e != MRW_NONE) {
            look_at(&s, &expected->joints[e], &actual->joints[i], limits);
        }
    }
    if (s.beyond) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s", used > 0 ? "; " : "");
        used = strlen(text);
        describe(s.joint, &s.worst, text + used, size - used);
    }
    if (s.joint) {
        out->joint = s.joint;
        out->degrees = s.worst.degrees;
        out->distance = s.worst.distance;
        out->scale = s.worst.ratio;
    }
    out->differing += s.count;
    free_matching(&m);
    return MRW_OK;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

bool mrwi_compare_box_compare(const mrwi_compare_box *expected, const mrwi_compare_box *actual,
                              double limit, double *off, char *text, size_t size)
{
    char number[32];
    bool same = expected->any == actual->any;
    *off = 0.0;
    text[0] = '\0';
    for (int i = 0; i < 6 && same && actual->any; i++) {
        float a = i < 3 ? expected->min[i] : expected->max[i - 3];
        float b = i < 3 ? actual->min[i] : actual->max[i - 3];
        double d = fabs((double)a - b);
        *off = d > *off ? d : *off;
    }
    if (!same) {
        snprintf(text, size, "%s",
                 actual->any ? "there was no geometry to bound before"
                             : "there is no geometry to bound any more");
    } else if (*off > limit) {
        snprintf(text, size, "the bounding box is off by %s", amount(*off, number));
    }
    return same && *off <= limit;
}
