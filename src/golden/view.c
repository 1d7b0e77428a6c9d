/* view.c: takes, compares, describes, writes and reads the views of pictures. */
#include "golden/view.h"

#include "base/math.h"
#include "golden/parts.h"

#include <math.h>
#include <string.h>

/* ---- sessions -------------------------------------------------------------------------------- */

bool mrwi_golden_view_of(const mrw_session *session, mrwi_golden_view *out)
{
    const mrw_frame_def *frame = &session->frame;
    *out = (mrwi_golden_view){.camera = frame->camera,
                              .boxed = session->has_framed,
                              .box = session->framed,
                              .follows = frame->follow.node != MRW_NONE};
    if (out->follows) {
        memcpy(out->origin, frame->follow.origin, sizeof out->origin);
    }
    return frame->scene_camera == MRW_NONE;
}

/* Keeps also what depends on the box of everything that is framed, such as shadows and the
 * ground. */
void mrwi_golden_view_take(const mrwi_golden_view *view, mrw_session *session)
{
    mrw_frame_def *frame = &session->frame;
    frame->camera = view->camera;
    if (frame->has_bounds && view->boxed && session->has_framed &&
        memcmp(&frame->bounds, &session->framed, sizeof frame->bounds) == 0) {
        frame->bounds = view->box;
    }
    if (view->follows && frame->follow.node != MRW_NONE) {
        memcpy(frame->follow.origin, view->origin, sizeof view->origin);
    }
}

static bool same_floats(const float *a, const float *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

bool mrwi_golden_view_same(const mrwi_golden_view *a, const mrwi_golden_view *b)
{
    const mrw_camera *x = &a->camera, *y = &b->camera;
    return same_floats(x->world_to_view.m, y->world_to_view.m, 16) &&
           same_floats(x->view_to_clip.m, y->view_to_clip.m, 16) &&
           same_floats(x->eye, y->eye, 3) && same_floats(&x->near_plane, &y->near_plane, 1) &&
           same_floats(&x->far_plane, &y->far_plane, 1) && x->orthographic == y->orthographic &&
           a->follows == b->follows && (!a->follows || same_floats(a->origin, b->origin, 3));
}

/* Projects a corner of a box: pixels from the middle. Returns false when it is not between the
 * planes. */
static bool project(const mrw_camera *camera, const mrw_shadow_bounds *box, int corner,
                    uint32_t width, uint32_t height, double out[2])
{
    const double p[3] = {corner & 1 ? (double)box->max[0] : (double)box->min[0],
                         corner & 2 ? (double)box->max[1] : (double)box->min[1],
                         corner & 4 ? (double)box->max[2] : (double)box->min[2]};
    const float *v = camera->world_to_view.m, *c = camera->view_to_clip.m;
    double seen[3], clip[4];
    for (int row = 0; row < 3; row++) {
        seen[row] = (double)v[row] * p[0] + (double)v[4 + row] * p[1] + (double)v[8 + row] * p[2] +
                    (double)v[12 + row];
    }
    for (int row = 0; row < 4; row++) {
        clip[row] = (double)c[row] * seen[0] + (double)c[4 + row] * seen[1] +
                    (double)c[8 + row] * seen[2] + (double)c[12 + row];
    }
    out[0] = clip[0] / clip[3] * 0.5 * width;
    out[1] = clip[1] / clip[3] * 0.5 * height;
    return clip[3] > 0.0 && clip[2] >= 0.0 && clip[2] <= clip[3];
}

bool mrwi_golden_view_alike(const mrwi_golden_view *a, const mrwi_golden_view *b, uint32_t width,
                            uint32_t height)
{
    bool alike = a->boxed && b->boxed && a->follows == b->follows &&
                 a->camera.orthographic == b->camera.orthographic;
    for (int i = 0; i < 16 && alike; i++) {
        const mrw_shadow_bounds *box = i < 8 ? &a->box : &b->box;
        double x[2], y[2];
        const bool seen = project(&a->camera, box, i & 7, width, height, x);
        alike = seen == project(&b->camera, box, i & 7, width, height, y) &&
                (!seen || (fabs(x[0] - y[0]) <= 0.25 && fabs(x[1] - y[1]) <= 0.25));
    }
    return alike || mrwi_golden_view_same(a, b);
}

bool mrwi_golden_view_side(const mrwi_golden_view *golden, mrw_view_def *view)
{
    const double degree = MRWI_BASE_PI / 180.0;
    const double elevation = degree * (double)view->elevation_degrees;
    const float *m = golden->camera.world_to_view.m;
    for (int quarter = 0; quarter < 4; quarter++) {
        const float turned = view->azimuth_degrees + 90.0f * (float)quarter;
        const double azimuth = degree * (double)turned;
        /* cosine of the angle between the directions to both cameras; 1 when they are equal */
        const double cosine = mrwi_base_sin(azimuth) * mrwi_base_cos(elevation) * (double)m[2] +
                              mrwi_base_sin(elevation) * (double)m[6] +
                              mrwi_base_cos(azimuth) * mrwi_base_cos(elevation) * (double)m[10];
        if (cosine > 1.0 - 1e-6) {
            view->azimuth_degrees = turned > 180.0f ? turned - 360.0f : turned;
            return true;
        }
    }
    return false;
}

/* ---- descriptions ---------------------------------------------------------------------------- */

/* Returns how far a side of a box has moved outwards. */
static double growth(const mrw_shadow_bounds *old, const mrw_shadow_bounds *new, int axis, int side)
{
    return side == 1 ? (double)new->max[axis] - (double)old->max[axis]
                     : (double)old->min[axis] - (double)new->min[axis];
}

/* Describes how far the sides of a box have moved, and in which direction. Leaves out sides that
 * have moved at most a twentieth of the largest distance. Returns the number of described sides. */
static uint32_t describe_box(const mrw_shadow_bounds *old, const mrw_shadow_bounds *new,
                             mrw_text *out)
{
    static const char *const ways[3][2] = {
        {"to the left", "to the right"}, {"downwards", "upwards"}, {"backwards", "forwards"}};
    static const char *const sides[3][2] = {{"from the left", "from the right"},
                                            {"from below", "from above"},
                                            {"from behind", "from the front"}};
    static const int order[] = {1, 0, 2};
    double most = 0.0;
    uint32_t said = 0;
    for (int i = 0; i < 6; i++) {
        const double grown = fabs(growth(old, new, i / 2, i % 2));
        most = grown > most ? grown : most;
    }
    for (int k = 0; k < 3; k++) {
        const int i = order[k];
        for (int side = 1; side >= 0; side--) {
            const double grown = growth(old, new, i, side);
            if (fabs(grown) <= most / 20.0) {
                continue;
            }
            mrw_text_add(out, "%s%s by ", said == 0 ? "the box " : ", ",
                         grown > 0.0 ? "grows" : "shrinks");
            mrwi_explain_put_length(out, fabs(grown));
            mrw_text_add(out, " %s", grown > 0.0 ? ways[i][side] : sides[i][side]);
            said++;
        }
    }
    return said;
}

void mrwi_golden_view_describe(const mrwi_golden_view *before, const mrwi_golden_view *after,
                               mrw_text *out)
{
    if (before->boxed && after->boxed && describe_box(&before->box, &after->box, out) > 0) {
        return;
    }
    double distance = 0.0;
    for (int i = 0; i < 3; i++) {
        const double way = (double)after->camera.eye[i] - (double)before->camera.eye[i];
        distance += way * way;
    }
    if (distance > 0.0) {
        mrw_text_puts(out, "the camera moves by ");
        mrwi_explain_put_length(out, sqrt(distance));
    } else {
        mrw_text_puts(out, "the camera's lens or clip planes");
    }
}

/* ---- lines of golden.txt --------------------------------------------------------------------- */

/* Entries of matrices that vary, by column */
static const int view_entries[12] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14};
static const int clip_entries[8] = {0, 5, 8, 9, 10, 12, 13, 14};

static void put_floats(mrw_text *out, const char *word, const float *values, uint32_t count)
{
    mrw_text_add(out, " %s", word);
    for (uint32_t i = 0; i < count; i++) {
        mrw_text_puts(out, " ");
        mrwi_golden_lines_put_float(out, values[i]);
    }
}

void mrwi_golden_view_put(const mrwi_golden_view *view, mrw_text *out)
{
    const mrw_camera *camera = &view->camera;
    const float planes[2] = {camera->near_plane, camera->far_plane};
    float rigid[12], lens[8], box[6];
    for (int i = 0; i < 12; i++) {
        rigid[i] = camera->world_to_view.m[view_entries[i]];
    }
    for (int i = 0; i < 8; i++) {
        lens[i] = camera->view_to_clip.m[clip_entries[i]];
    }
    put_floats(out, camera->orthographic ? "parallel" : "perspective", lens, 8);
    put_floats(out, "view", rigid, 12);
    put_floats(out, "eye", camera->eye, 3);
    put_floats(out, "planes", planes, 2);
    if (view->boxed) {
        memcpy(box, view->box.min, sizeof view->box.min);
        memcpy(box + 3, view->box.max, sizeof view->box.max);
        put_floats(out, "box", box, 6);
    }
    if (view->follows) {
        put_floats(out, "follows", view->origin, 3);
    }
}

/* Reads the words of a line in any order. The last two may be missing. */
static mrw_status read_words(mrwi_golden_lines *lines, mrwi_golden_view *out, float rigid[12],
                             float lens[8], float planes[2], mrw_error *error)
{
    static const char *const words[] = {"parallel", "perspective", "view",   "eye",
                                        "planes",   "box",         "follows"};
    float box[6] = {0};
    struct {
        float *values;
        uint32_t count;
    } const rooms[] = {{lens, 8},   {lens, 8}, {rigid, 12},     {out->camera.eye, 3},
                       {planes, 2}, {box, 6},  {out->origin, 3}};
    bool seen[7] = {false};
    while (mrwi_golden_lines_peek(lines) != '\0') {
        char word[32];
        int which = 0;
        mrw_status status = mrwi_golden_lines_word(lines, word, sizeof word, error);
        if (status) {
            return status;
        }
        while (which < 7 && strcmp(word, words[which]) != 0) {
            which++;
        }
        if (which == 7 || seen[which]) {
            return mrwi_golden_lines_fail(lines, error,
                                          "invalid camera: a word is unknown or repeated");
        }
        seen[which] = true;
        for (uint32_t i = 0; i < rooms[which].count; i++) {
            status = mrwi_golden_lines_float(lines, &rooms[which].values[i], error);
            if (status) {
                return status;
            }
        }
    }
    if (seen[0] == seen[1] || !seen[2] || !seen[3] || !seen[4]) {
        return mrwi_golden_lines_fail(lines, error, "invalid camera: something is missing");
    }
    out->camera.orthographic = seen[0];
    out->boxed = seen[5];
    out->follows = seen[6];
    memcpy(out->box.min, box, sizeof out->box.min);
    memcpy(out->box.max, box + 3, sizeof out->box.max);
    return MRW_OK;
}

/* Returns true for a rotation: its columns are orthogonal unit vectors, and its determinant is
 * positive. */
static bool is_rotation(const float *m)
{
    bool good = true;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b <= a; b++) {
            double dot = 0.0;
            for (int k = 0; k < 3; k++) {
                dot += (double)m[4 * a + k] * (double)m[4 * b + k];
            }
            good = good && fabs(dot - (a == b ? 1.0 : 0.0)) < 1e-3;
        }
    }
    const double turned =
        (double)m[0] * ((double)m[5] * (double)m[10] - (double)m[6] * (double)m[9]) -
        (double)m[4] * ((double)m[1] * (double)m[10] - (double)m[2] * (double)m[9]) +
        (double)m[8] * ((double)m[1] * (double)m[6] - (double)m[2] * (double)m[5]);
    return good && turned > 0.0;
}

static bool is_lens(const mrw_camera *camera)
{
    const bool infinite = camera->far_plane == 0.0f;
    return camera->view_to_clip.m[0] > 0.0f && camera->view_to_clip.m[5] > 0.0f &&
           camera->view_to_clip.m[10] < 0.0f &&
           (camera->orthographic ? !infinite : camera->near_plane > 0.0f) &&
           (infinite || camera->far_plane > camera->near_plane);
}

static bool is_box(const mrw_shadow_bounds *box)
{
    return box->min[0] <= box->max[0] && box->min[1] <= box->max[1] && box->min[2] <= box->max[2];
}

mrw_status mrwi_golden_view_read(mrwi_golden_lines *lines, mrwi_golden_view *out, mrw_error *error)
{
    float rigid[12] = {0}, lens[8] = {0}, planes[2] = {0};
    mrw_camera *camera = &out->camera;
    *out = (mrwi_golden_view){.boxed = false};
    mrw_status status = read_words(lines, out, rigid, lens, planes, error);
    if (status) {
        return status;
    }
    for (int i = 0; i < 12; i++) {
        camera->world_to_view.m[view_entries[i]] = rigid[i];
    }
    for (int i = 0; i < 8; i++) {
        camera->view_to_clip.m[clip_entries[i]] = lens[i];
    }
    camera->world_to_view.m[15] = 1.0f;
    camera->view_to_clip.m[11] = camera->orthographic ? 0.0f : -1.0f;
    camera->view_to_clip.m[15] = camera->orthographic ? 1.0f : 0.0f;
    camera->near_plane = planes[0];
    camera->far_plane = planes[1];
    if (!is_rotation(camera->world_to_view.m) || !is_lens(camera) ||
        (out->boxed && !is_box(&out->box))) {
        return mrwi_golden_lines_fail(
            lines, error, "invalid camera: it is not rigid, or its lens or box is wrong");
    }
    return MRW_OK;
}
