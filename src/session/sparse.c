/* sparse.c: warns of pictures that show almost nothing because the camera frames a part that lies
 * far from the rest, and names the part. */
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "session/internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A picture is sparse if fewer than one pixel in this many differs from its background: the first
 * pixel, or the picture behind it. */
#define SPARSE 1000u

/* Counts pixels that differ from the background. Tests every `step`th pixel and stops at `enough`.
 */
static size_t count_seen(const mrw_frame_def *def, const mrw_image *image, size_t step,
                         size_t enough)
{
    const bool plate = def->backplate && !def->transparent && image->channels == 3;
    const uint8_t *behind = plate ? def->backplate->pixels : image->pixels;
    const size_t pixel = image->channels * mrw_format_size(image->format);
    const size_t end = (size_t)image->width * image->height * pixel;
    size_t seen = 0;
    for (size_t at = step * pixel; at < end && seen < enough; at += step * pixel) {
        seen += memcmp(image->pixels + at, behind + (plate ? at : 0), pixel) != 0;
    }
    return seen;
}

/* Tests a few pixels first: if four times the share of them differs, the picture is not sparse, and
 * most pictures end here. */
bool mrwi_session_is_sparse(const mrw_frame_def *def, const mrw_image *image)
{
    const size_t count = (size_t)image->width * image->height, step = 61;
    if (def->no_picture || count < 4 * SPARSE) { /* a few pixels are all that may fit */
        return false;
    }
    const size_t enough = 4 * count / (step * SPARSE) + 4, most = (count + SPARSE - 1) / SPARSE;
    return count_seen(def, image, step, enough) < enough && count_seen(def, image, 1, most) < most;
}

/* ---- parts ----------------------------------------------------------------------------------- */

typedef struct box {
    double low[3], high[3];
} box;

static box empty_box(void)
{
    return (box){{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
}

static void join(box *out, const box *other)
{
    for (int k = 0; k < 3; k++) {
        out->low[k] = other->low[k] < out->low[k] ? other->low[k] : out->low[k];
        out->high[k] = other->high[k] > out->high[k] ? other->high[k] : out->high[k];
    }
}

static box box_of(const mrw_posed_draw *draw)
{
    box out = empty_box();
    for (uint32_t v = 0; v < draw->vertex_count && draw->triangle_count > 0; v++) {
        for (int k = 0; k < 3; k++) {
            const double x = (double)draw->positions[4 * (size_t)v + (size_t)k];
            out.low[k] = x < out.low[k] ? x : out.low[k];
            out.high[k] = x > out.high[k] ? x : out.high[k];
        }
    }
    return out;
}

/* Writes how far box a lies from box b on each axis, 0 where they overlap. Returns the distance. */
static double gap_of(const box *a, const box *b, double gap[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        gap[k] = a->low[k] > b->high[k]   ? a->low[k] - b->high[k]
                 : a->high[k] < b->low[k] ? a->high[k] - b->low[k]
                                          : 0;
        sum += gap[k] * gap[k];
    }
    return sqrt(sum);
}

static double size_of(const box *b)
{
    const double d[3] = {b->high[0] - b->low[0], b->high[1] - b->low[1], b->high[2] - b->low[2]};
    return sqrt(mrwi_base_dot3d(d, d));
}

/* Returns the draw that lies farthest from all others, or MRW_NONE. Of two equally far draws it
 * takes the smaller one. */
static uint32_t find_far(const mrw_posed_draw *draws, uint32_t count, double gap[3])
{
    box *boxes = mrwi_base_alloc(2 * (size_t)count + 1, sizeof *boxes), before = empty_box();
    uint32_t far = MRW_NONE;
    double most = 0, way[3];
    if (!boxes) {
        return MRW_NONE;
    }
    box *after = boxes + count; /* after[d] joins the boxes of draw d and of all behind it */
    after[count] = empty_box();
    for (uint32_t d = count; d-- > 0;) {
        boxes[d] = box_of(&draws[d]);
        after[d] = after[d + 1];
        join(&after[d], &boxes[d]);
    }
    for (uint32_t d = 0; d < count; d++) {
        box rest = before;
        join(&rest, &after[d + 1]);
        const bool both = boxes[d].low[0] <= boxes[d].high[0] && rest.low[0] <= rest.high[0];
        const double distance = both ? gap_of(&boxes[d], &rest, way) : 0;
        if (distance > most ||
            (distance == most && far != MRW_NONE && size_of(&boxes[d]) < size_of(&boxes[far]))) {
            most = distance;
            far = d;
            memcpy(gap, way, sizeof way);
        }
        join(&before, &boxes[d]);
    }
    mrwi_base_free(boxes);
    return far;
}

/* Writes which node lies how far from the rest: "node "rock" lies 419 units below the rest; ...".
 */
static void name_part(const mrw_session *session, uint32_t draw, const double gap[3], char *out,
                      size_t size)
{
    static const char *const ways[3][2] = {{"in the direction of -X", "in the direction of +X"},
                                           {"below", "above"},
                                           {"in the direction of -Z", "in the direction of +Z"}};
    const mrw_scene *scene = session->scenes[0];
    const uint32_t node = scene->draws[draw].node;
    const char *name = mrw_scene_string(scene, scene->nodes[node].name);
    char safe[200], index[16], units[32];
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        axis = fabs(gap[k]) > fabs(gap[axis]) ? k : axis;
    }
    mrwi_base_format_fixed(fabs(gap[axis]), fabs(gap[axis]) < 10 ? 2 : 0, units);
    snprintf(index, sizeof index, "%u", node);
    mrwi_base_escape(name[0] ? name : index, safe, sizeof safe);
    snprintf(out, size, "node \"%s\" lies %s units %s the rest; --hide '%s' leaves it out", safe,
             units, ways[axis][gap[axis] > 0], safe);
}

void mrwi_session_warn_of_sparse(mrw_session *session, const mrw_picture *picture, uint32_t count,
                                 const mrw_session_sink *sink)
{
    mrw_renderer *renderer = NULL;
    const mrw_posed_instance *posed;
    char text[1024], part[700] = "what the camera sees of it is thin";
    double gap[3];
    mrw_picture at = *picture;
    at.view = session->frame.view_count > 1 ? 0 : at.view;
    mrw_session_play(session, &at);
    if (!mrw_renderer_create(&renderer, NULL) &&
        !mrw_pose_instances(renderer, session->instances, 1, session->frame.isa, &posed, NULL)) {
        const uint32_t far = find_far(posed[0].draws, session->scenes[0]->draws_count, gap);
        if (far != MRW_NONE) {
            name_part(session, far, gap, part, sizeof part);
        }
    }
    mrw_renderer_free(renderer);
    snprintf(text, sizeof text, "%.250s: %u picture%s less than 0.1 %% of what is framed: %s",
             session->model->path, count, count == 1 ? " shows" : "s show", part);
    mrwi_session_warn(sink->host, text);
}
