/* shadow_spec.h: how much of a light reaches a fragment past occluders; included by light_spec.h.
 *
 * A place is lit by the share of a square of the light's map that does not lie before it. The
 * square is 2 * softness + 1 texels wide, and texels on its border count in part (percentage-closer
 * filtering, Reeves, Salesin and Cook 1987, with the weights of a box). Each texel is compared at
 * its own centre with the plane of the fragment's triangle, which is linear there in perspective,
 * too (receiver plane, Isidoro, "Shadow Mapping: GPU-based Tips and Techniques", 2006). So surfaces
 * do not shade themselves, however steep they are.
 */

#include "shade/shadow.h"

/* A place on a map, and the slopes of a plane through it, in depth per texel. */
typedef struct shadow_place {
    int32_t face;
    float x, y, z;
    float slope_x, slope_y;
} shadow_place;

/* A vector along the axes of a face. */
typedef struct shadow_axes {
    float right, down, forward;
} shadow_axes;

/* Returns the axis of the face that a direction leads to: its longest, X before Y before Z if
 * equal. */
static inline int cube_axis(vec3 q)
{
    const float x = fabsf(q.x), y = fabsf(q.y), z = fabsf(q.z);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static inline shadow_axes along_axes(const mrwi_shade_shadow *s, vec3 v, int axis)
{
    if (!s->cube) {
        return (shadow_axes){dot(v, vec3_of(s->right)), dot(v, vec3_of(s->down)),
                             dot(v, vec3_of(s->forward))};
    }
    return axis == 0   ? (shadow_axes){v.y, v.z, v.x}
           : axis == 1 ? (shadow_axes){v.z, v.x, v.y}
                       : (shadow_axes){v.x, v.y, v.z};
}

/* Returns the place, moved towards the light by the bias. n: normal of the plane, of either side.
 */
static inline shadow_place shadow_place_of(const mrwi_shade_shadow *s, vec3 position, vec3 n)
{
    const vec3 q = {position.x - s->origin[0], position.y - s->origin[1],
                    position.z - s->origin[2]};
    const int axis = s->cube ? cube_axis(q) : 0;
    const shadow_axes at = along_axes(s, q, axis), normal = along_axes(s, n, axis);
    shadow_place p = {0};
    float w = at.forward;
    if (s->cube) {
        p.face = 2 * axis + (w < 0.0f ? 1 : 0);
        w = fabsf(w);
    }
    const float inv = s->perspective ? 1.0f / max_of(w, 1e-20f) : 1.0f;
    p.x = (at.right * s->texels) * inv + s->middle;
    p.y = (at.down * s->texels) * inv + s->middle;
    p.z = s->depth_offset + s->depth_scale * (s->perspective ? inv : w);
    const float unit = s->unit * inv, steep = unit * MRWI_SHADE_SHADOW_STEEP;
    const float per = s->slope / (s->perspective ? dot(n, q) : normal.forward);
    p.slope_x = clamp(normal.right * per, -steep, steep);
    p.slope_y = clamp(normal.down * per, -steep, steep);
    p.z = p.z - (unit * MRWI_SHADE_SHADOW_BIAS +
                 (fabsf(p.slope_x) + fabsf(p.slope_y)) * MRWI_SHADE_SHADOW_SNAP);
    return p;
}

/* Returns how much of texel i, counted from the first, lies in the square. first: where the square
 * begins in the first texel. */
static inline float shadow_weight(const mrwi_shade_shadow *s, float first, int32_t i)
{
    return i == 0 ? 1.0f - first : clamp((first + s->width) - (float)i, 0.0f, 1.0f);
}

/* The most texels on a side of a square. */
#define SHADOW_ROWS (2 * MRW_SHADOW_MAX_SOFTNESS + 2)

/* Returns 1 in the light, 0 in the shadow. */
static inline float shadow_visibility(const mrwi_shade_shadow *s, vec3 position, vec3 n)
{
    const shadow_place p = shadow_place_of(s, position, n);
    const float left = clamp(p.x - s->reach, 0.0f, s->last);
    const float top = clamp(p.y - s->reach, 0.0f, s->last);
    const int32_t x0 = (int32_t)left, y0 = (int32_t)top;
    const float across = ((float)x0 + 0.5f) - p.x, down = ((float)y0 + 0.5f) - p.y;
    const float *row = s->depths + ((p.face * s->face_texels + y0 * s->stride) + x0);
    float dark = 0.0f, rise[SHADOW_ROWS], weight[SHADOW_ROWS]; /* the same in all rows */
    for (int32_t i = 0; i < s->rows; i++) {
        rise[i] = p.slope_x * (across + (float)i);
        weight[i] = shadow_weight(s, left - (float)x0, i);
    }
    for (int32_t j = 0; j < s->rows; j++, row += s->stride) {
        const float z = p.z + p.slope_y * (down + (float)j);
        float sum = 0.0f;
        for (int32_t i = 0; i < s->rows; i++) {
            const float here = min_of(z + rise[i], MRWI_SHADE_SHADOW_FAR);
            sum = sum + (row[i] < here ? weight[i] : 0.0f);
        }
        dark = dark + sum * shadow_weight(s, top - (float)y0, j);
    }
    return max_of(1.0f - dark * s->share, 0.0f);
}
