/* shadow_spec.h: how much of a light reaches a fragment past occluders; included by light_spec.h.
 *
 * A place is lit by the share of a square of the light's map that does not lie before it. Texels on
 * the square's border count in part (percentage-closer filtering, Reeves, Salesin and Cook 1987,
 * with the weights of a box). Each texel is compared at its own centre with a plane through the
 * place, which is linear there in perspective, too (receiver plane, Isidoro, "Shadow Mapping:
 * GPU-based Tips and Techniques", 2006). So surfaces do not shade themselves, however steep they
 * are.
 *
 * The square is as wide as the border of a shadow here (Fernando, "Percentage-Closer Soft Shadows",
 * 2005): the map's softness times the depth between the place and the mean of what lies before it.
 * That mean is taken over the square that a caster at depth 0 would need. Casters so near that
 * their border would be narrower than three texels are counted in a square of three texels, and not
 * in wide ones: a curved surface rises over its own plane there. A wide square is looked up in a
 * level in which it is at most 7 texels wide (light/shadow_level.h), so that all squares cost the
 * same. No pattern turns from pixel to pixel: the borders are smooth without noise, and stand
 * still.
 *
 * The plane is that of the fragment's triangle. Where triangles turn away from the light, their
 * edges would shade smooth surfaces in bristles. Therefore it turns into the smooth surface's
 * tangent plane there, the place is lifted along the normal, and shadows of near casters fade with
 * the cosine. Surfaces that face away from the light are dark without a lookup; their normal maps
 * do not bring the light back.
 */

#include "shade/shadow.h"

/* A place on a map, and the slopes of a plane through it, in depth per texel. */
typedef struct shadow_place {
    int32_t face;
    float x, y, z;
    float slope_x, slope_y;
    float fade;  /* the share of the shadow of a caster that touches the place */
    float side;  /* the share of light that a surface turned like this may get */
    float far_z; /* depth between the place and a far caster */
    float most;  /* the widest square */
    float near;  /* depth between the place and the nearest caster that counts in wide squares */
} shadow_place;

/* A fragment as shadows fall on it. */
typedef struct receiver {
    vec3 position;
    vec3 n, face; /* unit normals of the surface and of the triangle */
    float share;  /* the share of shadows that is shown */
} receiver;

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

static inline vec3 from_light(const mrwi_shade_shadow *s, vec3 position)
{
    return (vec3){position.x - s->origin[0], position.y - s->origin[1], position.z - s->origin[2]};
}

/* Returns the place, lifted along the normal, and moved towards the light by the bias. */
static inline shadow_place shadow_place_of(const mrwi_shade_shadow *s, const receiver *r)
{
    const vec3 ray = s->perspective ? normalize(from_light(s, r->position)) : vec3_of(s->forward);
    const vec3 face = dot(r->face, r->n) < 0.0f ? scaled(r->face, -1.0f) : r->face;
    const float facing = -dot(r->n, ray), cosine = clamp(facing, 0.0f, 1.0f);
    const float own = clamp(-dot(face, ray) * (1.0f / MRWI_SHADE_SHADOW_FACES), 0.0f, 1.0f);
    const vec3 n = {r->n.x + (face.x - r->n.x) * own, r->n.y + (face.y - r->n.y) * own,
                    r->n.z + (face.z - r->n.z) * own};
    const vec3 q = add_scaled(from_light(s, r->position), r->n, s->lift * (1.0f - cosine));
    const int axis = s->cube ? cube_axis(q) : 0;
    const shadow_axes at = along_axes(s, q, axis), normal = along_axes(s, n, axis);
    shadow_place p = {.fade = cosine * (1.0f / MRWI_SHADE_SHADOW_FADE_FROM),
                      .side =
                          clamp(1.0f + facing * (1.0f / MRWI_SHADE_SHADOW_FADE_FROM), 0.0f, 1.0f)};
    float w = at.forward;
    if (s->cube) {
        p.face = 2 * axis + (w < 0.0f ? 1 : 0);
        w = fabsf(w);
    }
    const float inv = s->perspective ? 1.0f / max_of(w, 1e-20f) : 1.0f;
    p.x = (at.right * s->texels) * inv + s->middle;
    p.y = (at.down * s->texels) * inv + s->middle;
    p.z = s->depth_offset + s->depth_scale * (s->perspective ? inv : w);
    p.far_z = s->far_caster * inv;
    const float unit = s->unit * inv, steep = unit * MRWI_SHADE_SHADOW_STEEP;
    const float per = s->slope / (s->perspective ? dot(n, q) : normal.forward);
    p.slope_x = clamp(normal.right * per, -steep, steep);
    p.slope_y = clamp(normal.down * per, -steep, steep);
    p.z = p.z - (unit * MRWI_SHADE_SHADOW_BIAS +
                 (fabsf(p.slope_x) + fabsf(p.slope_y)) * MRWI_SHADE_SHADOW_SNAP);
    p.most = clamp(s->softness * p.z, MRWI_SHADE_SHADOW_LEAST, s->widest);
    p.near = max_of(s->near_caster, p.most * (unit * MRWI_SHADE_SHADOW_CURVED));
    return p;
}

/* Returns how much of texel i, counted from the first, lies in a square. first: where the square
 * begins in the first texel. */
static inline float shadow_weight(float first, float width, int32_t i)
{
    return i == 0 ? min_of(1.0f - first, width) : clamp((first + width) - (float)i, 0.0f, 1.0f);
}

/* The texels of a square before a place. */
typedef struct shadow_sum {
    float dark; /* their share of the square */
    float deep; /* their depths, each times its share */
} shadow_sum;

/* Returns the first level in which a square of this width fits a window. */
static inline const mrw_shadow_level *level_for(const mrwi_shade_shadow *s, float width)
{
    const mrw_shadow_level *level = s->levels;
    while (level < s->levels + s->level_count &&
           width > MRWI_SHADE_SHADOW_MOST * (float)level->step) {
        level++;
    }
    return level;
}

/* Sums up a square of this width around the place. Counts texels that lie before the plane by
 * `from` to `to` in depth. */
static inline shadow_sum sum_square(const mrwi_shade_shadow *s, const shadow_place *p, float width,
                                    float from, float to)
{
    const mrw_shadow_level *level = level_for(s, width);
    const float step = (float)level->step, scale = 1.0f / step, border = (float)level->border;
    const float wide = width * scale, half = 0.5f * wide;
    const float left = clamp((p->x * scale + level->origin) - half, 0.0f, level->last);
    const float top = clamp((p->y * scale + level->origin) - half, 0.0f, level->last);
    const int32_t x0 = (int32_t)left, y0 = (int32_t)top, turns = (level->step + 2) / 3;
    const float across = (((float)x0 - border) * step + 0.5f) - p->x;
    const float down = (((float)y0 - border) * step + 0.5f) - p->y;
    const float *row =
        s->depths + (level->first + p->face * level->face_texels + y0 * level->stride + x0);
    float rise[MRWI_SHADE_SHADOW_TAPS], weight[MRWI_SHADE_SHADOW_TAPS]; /* the same in all rows */
    for (int32_t i = 0; i < MRWI_SHADE_SHADOW_TAPS; i++) {
        rise[i] = p->slope_x * (across + (float)i * step) +
                  p->slope_y * (float)(3 * (5 * (x0 + i) % turns));
        weight[i] = shadow_weight(left - (float)x0, wide, i);
    }
    shadow_sum sum = {0.0f, 0.0f};
    for (int32_t j = 0; j < MRWI_SHADE_SHADOW_TAPS; j++, row += level->stride) {
        const float z = p->z + (p->slope_y * (down + (float)j * step) +
                                p->slope_x * (float)(3 * (5 * (y0 + j) % turns)));
        float dark = 0.0f, deep = 0.0f;
        for (int32_t i = 0; i < MRWI_SHADE_SHADOW_TAPS; i++) {
            const float here = min_of(z + rise[i], MRWI_SHADE_SHADOW_FAR);
            const bool counts = row[i] < here - from && row[i] >= here - to;
            const float counted = counts ? weight[i] : 0.0f;
            dark = dark + counted;
            deep = deep + counted * row[i];
        }
        const float part = shadow_weight(top - (float)y0, wide, j);
        sum.dark = sum.dark + dark * part;
        sum.deep = sum.deep + deep * part;
    }
    const float share = 1.0f / (wide * wide);
    return (shadow_sum){sum.dark * share, sum.deep * share};
}

/* Returns the dark share of a square of this width, summed up in quarters: these fit finer levels,
 * whose texels show less in the border of a shadow. */
static inline float dark_share(const mrwi_shade_shadow *s, const shadow_place *p, float width)
{
    const float off = 0.25f * width;
    float sum = 0.0f;
    for (int k = 0; k < 4; k++) {
        const float dx = k & 1 ? off : -off, dy = k & 2 ? off : -off;
        shadow_place part = *p;
        part.x = p->x + dx;
        part.y = p->y + dy;
        part.z = p->z + (p->slope_x * dx + p->slope_y * dy);
        sum = sum + sum_square(s, &part, 0.5f * width, p->near, MRWI_SHADE_SHADOW_ALL).dark;
    }
    return 0.25f * sum;
}

/* Returns the share of the light that casters stop which are not near. */
static inline float stopped_far(const mrwi_shade_shadow *s, const shadow_place *p)
{
    const shadow_sum found = sum_square(s, p, p->most, p->near, MRWI_SHADE_SHADOW_ALL);
    const float gap = max_of(p->z - found.deep / max_of(found.dark, 1e-20f), 0.0f);
    const float width = clamp(s->softness * gap, MRWI_SHADE_SHADOW_LEAST, p->most);
    float dark = found.dark < MRWI_SHADE_SHADOW_WHOLE ? found.dark : 1.0f;
    if (dark > 0.0f && dark < MRWI_SHADE_SHADOW_WHOLE) {
        dark = dark_share(s, p, width);
    }
    return dark * clamp(p->fade + gap / p->far_z, 0.0f, 1.0f);
}

/* Returns 1 in the light, 0 in the shadow. */
static inline float shadow_visibility(const mrwi_shade_shadow *s, const receiver *r)
{
    const shadow_place p = shadow_place_of(s, r);
    float dark = 1.0f;
    if (p.side > 0.0f) {
        const float near = sum_square(s, &p, MRWI_SHADE_SHADOW_LEAST, 0.0f, p.near).dark;
        dark = near * min_of(p.fade, 1.0f) + stopped_far(s, &p);
    }
    const float lit = (1.0f - min_of(dark, 1.0f)) * p.side;
    return 1.0f - (1.0f - lit) * r->share;
}
