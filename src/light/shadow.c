/* shadow.c: the views of shadow maps, and their resolution. */
#include "marrow/light.h"

#include "base/math.h"
#include "base/parallel.h"
#include "light/shadow_level.h"

#include <string.h>

/* Maximal ratio of the far to the near plane of a perspective map: float depths are then finer than
 * texels. */
#define MOST_DEPTH 1000.0
/* Radians; spots with a wider outer cone take six faces. */
#define WIDEST_CONE 1.2
/* Floats between the rows of maps. Without them, rows of whole pages would compete for the same few
 * cache lines. */
#define ROW_GAP 16

/* Texels around the casters on a face: a lookup of the finest level reads 8 of them in a row. */
#define MARGIN 12.0
/* Largest part of a face that its margin takes, on each side. Faces and cones see so much more than
 * their own, for soft borders at their edges. */
#define MOST_MARGIN 0.125
/* Widest borders of maps, in depths of a map. Shadows may fall farther than the map reaches. */
#define MOST_DEPTHS 2.0
/* Widest borders of all, in texels: so many are as wide as the window of the last level. */
#define MOST_SOFT ldexp(MRWI_LIGHT_SHADOW_WINDOW, MRW_SHADOW_LEVELS)
/* Texels that a lookup reads on each side, in widths of the border: half the width, and a texel of
 * the level. */
#define REACH (0.5 + 2.0 / MRWI_LIGHT_SHADOW_WINDOW)
/* See mrw_shadow_map.lift: in longest sides of the box. */
#define LIFT 0.0015f

/* Computes unit axes across a direction, which depend on that direction only. */
static void set_axes(const double forward[3], mrw_shadow_map *out)
{
    const bool upright = fabs(forward[1]) > 0.9;
    const double up[3] = {0.0, upright ? 0.0 : 1.0, upright ? 1.0 : 0.0};
    double right[3], down[3];
    mrwi_base_cross3d(forward, up, right);
    const double length = sqrt(mrwi_base_dot3d(right, right));
    for (int i = 0; i < 3; i++) {
        right[i] /= length;
    }
    mrwi_base_cross3d(forward, right, down);
    for (int i = 0; i < 3; i++) {
        out->right[i] = (float)right[i];
        out->down[i] = (float)down[i];
        out->forward[i] = (float)forward[i];
    }
}

/* Sets the width of borders, texels per depth, and how many levels it takes. */
static void set_softness(double per_depth, double most, mrw_shadow_map *out)
{
    double widest = MOST_DEPTHS * per_depth;
    widest = widest < most ? widest : most;
    out->softness = (float)per_depth;
    out->widest = (float)widest;
    while (out->levels < MRW_SHADOW_LEVELS &&
           ldexp(MRWI_LIGHT_SHADOW_WINDOW, (int)out->levels) < widest) {
        out->levels++;
    }
}

/* Rounds a length up to one of 32 steps per octave, so that small changes do not change the map. */
static double stepped(double length)
{
    int exponent;
    const double mantissa = frexp(length, &exponent);
    return ldexp(ceil(mantissa * 64.0) / 64.0, exponent);
}

/* Returns the distance, along a direction, from the origin to the farthest corner of a box. */
static double farthest(const mrw_shadow_bounds *box, const float direction[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        sum += (double)direction[i] * (double)(direction[i] > 0.0f ? box->max[i] : box->min[i]);
    }
    return sum;
}

static double nearest(const mrw_shadow_bounds *box, const float direction[3])
{
    const float back[3] = {-direction[0], -direction[1], -direction[2]};
    return -farthest(box, back);
}

/* Frames the box in a map, with a margin. The middle is moved to a whole number of texels from the
 * world's origin. */
static bool frame_directional(const mrw_light *light, const mrw_shadow_bounds *box, double softness,
                              mrw_shadow_map *out)
{
    double forward[3];
    for (int i = 0; i < 3; i++) {
        forward[i] = -(double)light->to_light[i];
    }
    set_axes(forward, out);
    const float *axes[2] = {out->right, out->down};
    double middle[2], width = 0.0;
    for (int k = 0; k < 2; k++) {
        const double from = nearest(box, axes[k]), to = farthest(box, axes[k]);
        middle[k] = 0.5 * (from + to);
        width = to - from > width ? to - from : width;
    }
    const double first = nearest(box, out->forward), last = farthest(box, out->forward);
    const double deep = last - first > width ? last - first : width;
    if (!(deep > 0.0)) {
        return false;
    }
    width = width > deep * 1e-3 ? width : deep * 1e-3;
    const double texel = stepped(width) / (out->size - 2.0 * MARGIN);
    const double range = stepped(1.125 * deep);
    const double begin = floor((first - 0.03 * range) / texel) * texel;
    for (int k = 0; k < 2; k++) {
        middle[k] = floor(middle[k] / texel + 0.5) * texel;
    }
    for (int i = 0; i < 3; i++) {
        out->origin[i] =
            (float)((middle[0] * (double)out->right[i] + middle[1] * (double)out->down[i]) +
                    begin * forward[i]);
    }
    out->texels = (float)(1.0 / texel);
    out->depth_offset = 0.0f;
    out->depth_scale = (float)(1.0 / range);
    set_softness(0.01 * softness * range / texel, MOST_SOFT, out);
    return true;
}

/* Computes the least and the largest distance of a box from a point; the least is 0 inside. */
static void distances(const mrw_shadow_bounds *box, const float place[3], double *least,
                      double *most)
{
    double low = 0.0, high = 0.0;
    for (int i = 0; i < 3; i++) {
        const double from = (double)box->min[i] - (double)place[i];
        const double to = (double)box->max[i] - (double)place[i];
        const double near = from > 0.0 ? from : to < 0.0 ? -to : 0.0;
        const double far = -from > to ? -from : to;
        low += near * near;
        high += far * far;
    }
    *least = sqrt(low);
    *most = sqrt(high);
}

/* Returns the distance from a light to the middle of a box. */
static double middle_distance(const mrw_shadow_bounds *box, const float place[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const double d = 0.5 * ((double)box->min[i] + (double)box->max[i]) - (double)place[i];
        sum += d * d;
    }
    return sqrt(sum);
}

static bool frame_placed(const mrw_light *light, const mrw_shadow_bounds *box, double softness,
                         mrw_shadow_map *out)
{
    const bool cone = light->type == MRW_LIGHT_SPOT && (double)light->outer_cone < WIDEST_CONE;
    double near, far, forward[3] = {0.0, 0.0, 1.0};
    distances(box, light->position, &near, &far);
    if (light->range > 0.0f && near >= (double)light->range) {
        return false;
    }
    for (int i = 0; i < 3 && cone; i++) {
        forward[i] = -(double)light->to_light[i];
    }
    set_axes(forward, out);
    out->perspective = true;
    if (!cone) {
        out->faces = MRW_SHADOW_FACES;
        out->size /= 2;
    }
    /* depth is along the axis: the nearest point of the box may lie off it */
    const double cosine = cone ? mrwi_base_cos((double)light->outer_cone) : 0.57;
    far = stepped(1.05 * far);
    near = near * cosine * 0.95;
    near = near > far / MOST_DEPTH ? near : far / MOST_DEPTH;
    if (!(far > 0.0)) {
        return false;
    }
    const double tangent = cone ? mrwi_base_tan((double)light->outer_cone) : 1.0;
    /* a light of this size makes borders of size * texels * (1 / nearer - 1 / farther) */
    const double across = 0.01 * softness * middle_distance(box, light->position);
    const double per_depth = across * (far - near) / (near * far);
    const double room = 0.5 * out->size / (tangent > 1e-4 ? tangent : 1e-4);
    const double wanted = MARGIN + REACH * MOST_DEPTHS * per_depth * room;
    const double most = MOST_MARGIN * out->size > MARGIN ? MOST_MARGIN * out->size : MARGIN;
    const double margin = wanted < most ? wanted : most;
    out->texels = (float)(room * (1.0 - 2.0 * margin / out->size));
    out->depth_offset = (float)(far / (far - near));
    out->depth_scale = (float)(-near * far / (far - near));
    set_softness(per_depth * (double)out->texels, (margin - MARGIN) / REACH, out);
    memcpy(out->origin, light->position, sizeof out->origin);
    return true;
}

bool mrw_shadow_frame(const mrw_light *light, const mrw_shadow_bounds *bounds, uint32_t size,
                      float softness, mrw_shadow_map *out)
{
    bool fine = light->throws_shadow;
    mrwi_base_fp fp = mrwi_base_fp_enter();
    *out = (mrw_shadow_map){.faces = 1, .size = size};
    for (int i = 0; i < 3; i++) {
        out->lift = mrwi_base_maxf((bounds->max[i] - bounds->min[i]) * LIFT, out->lift);
        fine = fine && bounds->max[i] >= bounds->min[i] && fabsf(bounds->min[i]) < 1e15f &&
               fabsf(bounds->max[i]) < 1e15f;
    }
    fine = fine && (light->color[0] > 0.0f || light->color[1] > 0.0f || light->color[2] > 0.0f);
    if (fine) {
        fine = light->type == MRW_LIGHT_DIRECTIONAL
                   ? frame_directional(light, bounds, (double)softness, out)
                   : frame_placed(light, bounds, (double)softness, out);
    }
    out->stride = out->size + ROW_GAP;
    mrwi_base_fp_leave(fp);
    return fine;
}

/* Returns the axes of a face; a single face has the map's axes. */
static void face_axes(const mrw_shadow_map *map, uint32_t face, double right[3], double down[3],
                      double forward[3])
{
    for (int i = 0; i < 3; i++) {
        right[i] = (double)map->right[i];
        down[i] = (double)map->down[i];
        forward[i] = (double)map->forward[i];
    }
    if (map->faces == MRW_SHADOW_FACES) {
        const int axis = (int)(face / 2);
        memset(right, 0, 3 * sizeof *right);
        memset(down, 0, 3 * sizeof *down);
        memset(forward, 0, 3 * sizeof *forward);
        forward[axis] = face % 2 == 0 ? 1.0 : -1.0;
        right[(axis + 1) % 3] = 1.0;
        down[(axis + 2) % 3] = 1.0;
    }
}

static void set_row(mrw_mat4 *out, int row, const double vector[3], double scale,
                    const float origin[3], double offset)
{
    double moved = offset;
    for (int i = 0; i < 3; i++) {
        out->m[4 * i + row] = (float)(vector[i] * scale);
        moved -= vector[i] * scale * (double)origin[i];
    }
    out->m[12 + row] = (float)moved;
}

void mrw_shadow_view(const mrw_shadow_map *map, uint32_t face, mrw_mat4 *world_to_clip)
{
    double right[3], down[3], forward[3];
    static const double none[3];
    mrwi_base_fp fp = mrwi_base_fp_enter();
    const double scale = 2.0 * (double)map->texels / map->size;
    face_axes(map, face, right, down, forward);
    set_row(world_to_clip, 0, right, scale, map->origin, 0.0);
    set_row(world_to_clip, 1, down, -scale, map->origin, 0.0);
    if (map->perspective) {
        set_row(world_to_clip, 2, forward, (double)map->depth_offset, map->origin,
                (double)map->depth_scale);
        set_row(world_to_clip, 3, forward, 1.0, map->origin, 0.0);
    } else {
        set_row(world_to_clip, 2, forward, (double)map->depth_scale, map->origin,
                (double)map->depth_offset);
        set_row(world_to_clip, 3, none, 0.0, map->origin, 1.0);
    }
    mrwi_base_fp_leave(fp);
}
