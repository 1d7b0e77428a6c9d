/* shade_spec.c: shading, one fragment at a time in plain C: the scalar kernels, and the
 * specification of the kernels in lanes (shade_kernel.h), which give the same bits.
 *
 *   place in the triangle ─► attributes ─► level of detail ─► addresses ─► texels ─► base colour
 *   ─► light ─► premultiplied colour ─► resolved ─► exposure, tone map ─► over background ─► bytes
 *
 * All values are float, each operation rounded, in the order written; whole numbers are computed in
 * integers and rounded once. Where a formula would give an infinity or NaN, a clamp defines the
 * result.
 *
 * Sources: Heckbert, "Fundamentals of Texture Mapping and Image Warping" (1989), for interpolation
 * and footprints; Williams, "Pyramidal Parametrics" (1983), for mipmaps; Blinn, "Models of Light
 * Reflection for Computer Synthesized Pictures" (1977), for highlights; Porter and Duff,
 * "Compositing Digital Images" (1984), for alpha; IEC 61966-2-1 for sRGB; the Direct3D 11
 * functional specification, 3.4.2, for the top-left rule; for tone maps Khronos, "PBR Neutral Tone
 * Mapper" (2024), and Hill's fit of the ACES transforms, published with Pettineo's BakingLab
 * (2016).
 */
#include "base/math.h"
#include "base/parallel.h"
#include "shade/environment_spec.h"
#include "shade/shade.h"
#include "shade/shade_isa.h"
#include "shade/texture.h"
#include "shade/tone_values.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Enumerators of scene.h, which this room must not include. */
enum { ALPHA_BLEND = 2 };
enum { WRAP_REPEAT = 0, WRAP_MIRROR = 2 };

/* Returns the smaller one; b if one is NaN, as in all kernels. */
static inline float min_of(float a, float b)
{
    return a < b ? a : b;
}

static inline float max_of(float a, float b)
{
    return a > b ? a : b;
}

/* Clamps x to lo ... hi; NaN becomes lo. */
static inline float clamp(float x, float lo, float hi)
{
    return min_of(max_of(x, lo), hi);
}

/* Returns the floor of x for |x| < 2^31. */
static inline float floor_of(float x)
{
    const float whole = (float)(int32_t)x;
    return x < whole ? whole - 1.0f : whole;
}

/* Mixes a and b, with b's share f. Equal values keep their value exactly. */
static inline float mix(float a, float b, float f)
{
    return a + (b - a) * f;
}

/* ---- where a fragment lies in its triangle --------------------------------------------------- */

/* A fragment's triangle. */
typedef struct triangle {
    const mrw_raster_draw *draw;
    const mrwi_shade_vertex *v0, *v1, *v2; /* its corners */
    const uint32_t *vertex;                /* their numbers */
    bool back;                             /* the back side is seen */
} triangle;

static inline triangle triangle_of(const mrwi_shade_frame *frame, uint32_t number)
{
    const mrwi_shade_triangle *t = &frame->triangles[number];
    const mrwi_shade_vertex *v = frame->vertices;
    return (triangle){&frame->draws[t->draw_flags >> 1],
                      &v[t->vertex[0]],
                      &v[t->vertex[1]],
                      &v[t->vertex[2]],
                      t->vertex,
                      t->draw_flags & 1u};
}

/* A vector from a corner, in sub-pixels of 1/256: exact, since positions are snapped. */
typedef struct side {
    int64_t x, y;
} side;

static inline side side_to(const mrwi_shade_vertex *from, float x, float y)
{
    return (side){(int32_t)((x - from->x) * 256.0f), (int32_t)((y - from->y) * 256.0f)};
}

static inline int64_t cross(side a, side b)
{
    return a.x * b.y - b.x * a.y;
}

/* Twice the area of the triangle, and of the three parts into which a point cuts it; each part is
 * named by the corner opposite to it. All are negative if the corners go the other way round; a
 * single part is if the point is outside. In float, a sliver's area would be lost to cancellation.
 */
typedef struct areas {
    int64_t whole, of0, of1, of2;
} areas;

static inline areas areas_at(const triangle *t, float x, float y)
{
    const side a = side_to(t->v0, t->v1->x, t->v1->y), b = side_to(t->v0, t->v2->x, t->v2->y);
    const side p = side_to(t->v0, x, y);
    const int64_t whole = cross(a, b), of1 = cross(p, b), of2 = cross(a, p);
    return (areas){whole, whole - of1 - of2, of1, of2};
}

/* Converts an area to square pixels, rounded once. */
static inline float pixels_of(int64_t area)
{
    return (float)area * (1.0f / (MRWI_SHADE_SUBPIXEL * MRWI_SHADE_SUBPIXEL));
}

/* Returns true if a part of the area says that the point is inside an edge, or on a left or top
 * edge. With y down and a positive area, left edges go up and top edges to the right. */
static bool inside(int64_t part, const mrwi_shade_vertex *from, const mrwi_shade_vertex *to,
                   int64_t turn)
{
    const side edge = side_to(from, to->x, to->y);
    const bool left = turn * edge.y < 0, top = edge.y == 0 && turn * edge.x > 0;
    return turn * part > 0 || (part == 0 && (left || top));
}

/* Returns true if the triangle covers the point (top-left rule, Direct3D 11, 3.4.2.1). */
static bool covers(const triangle *t, const areas *at)
{
    const int64_t turn = at->whole < 0 ? -1 : 1;
    return inside(at->of2, t->v0, t->v1, turn) && inside(at->of0, t->v1, t->v2, turn) &&
           inside(at->of1, t->v2, t->v0, turn);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Perspective-correct interpolation (Heckbert 1989, 2.3): 1 / w and attributes over w are linear on
 * the screen, so a corner's share of an attribute is its part of the area times its 1 / w, divided
 * by the sum of all three. Corner 0 has the rest; its own part is used for the sum, though, because
 * a difference would have no correct bits if its 1 / w is by far the largest. Degenerate triangles
 * (0 / 0) show corner 0. */
typedef struct shares {
    float of1, of2;
    float inv_sum;                         /* 1 over the interpolated 1 / w */
    float inv_area;                        /* 1 over twice the triangle's area in pixels */
    float per_area0, per_area1, per_area2; /* a corner's 1 / w over the triangle's area */
} shares;

static inline shares shares_at(const triangle *t, const areas *at)
{
    const float inv_area = 1.0f / pixels_of(at->whole);
    const float per0 = t->v0->inv_w * inv_area;
    const float per1 = t->v1->inv_w * inv_area;
    const float per2 = t->v2->inv_w * inv_area;
    const float s1 = pixels_of(at->of1) * per1, s2 = pixels_of(at->of2) * per2;
    const float inv_sum = 1.0f / (pixels_of(at->of0) * per0 + (s1 + s2));
    return (shares){clamp(s1 * inv_sum, 0.0f, 1.0f),
                    clamp(s2 * inv_sum, 0.0f, 1.0f),
                    inv_sum,
                    inv_area,
                    per0,
                    per1,
                    per2};
}

static inline float interpolate(const shares *s, float a0, float a1, float a2)
{
    return a0 + (s->of1 * (a1 - a0) + s->of2 * (a2 - a0));
}

/* The corners' places on a map, in the set of coordinates that the map uses. */
typedef struct corner_uvs {
    float u0, v0, u1, v1, u2, v2;
} corner_uvs;

static inline corner_uvs corner_uvs_of(const mrwi_shade_frame *frame, const triangle *t,
                                       const mrw_raster_map *map)
{
    const mrwi_shade_vertex *v0 = t->v0, *v1 = t->v1, *v2 = t->v2;
    if (map->uvs == 0) {
        return (corner_uvs){v0->u, v0->v, v1->u, v1->v, v2->u, v2->v};
    }
    const float(*uvs)[4] = frame->streams[mrwi_shade_uvs_stream(map->uvs)];
    const float *c0 = uvs[t->vertex[0]], *c1 = uvs[t->vertex[1]], *c2 = uvs[t->vertex[2]];
    const uint32_t k = mrwi_shade_uvs_float(map->uvs);
    return (corner_uvs){c0[k], c0[k + 1], c1[k], c1[k + 1], c2[k], c2[k + 1]};
}

/* The steps of texture coordinates from a pixel to the next ones, in texels of the finest level. */
typedef struct steps {
    float ux, vx; /* to the one on the right */
    float uy, vy; /* to the one below */
} steps;

/* Computes the steps (Heckbert 1989, 3.5.2). With s the interpolated 1 / w and U = u s, both linear
 * on the screen, u' = (U' - u s') / s. u is counted from corner 0, where it is 0, so that U' needs
 * only the corners 1 and 2: (by, -bx) / area and (-ay, ax) / area are the slopes of their shares.
 */
static inline steps steps_at(const triangle *t, const shares *s, const corner_uvs *c, float u,
                             float v, const mrw_raster_texture *texture)
{
    const mrwi_shade_vertex *v0 = t->v0, *v1 = t->v1, *v2 = t->v2;
    const float ax = v1->x - v0->x, ay = v1->y - v0->y, bx = v2->x - v0->x, by = v2->y - v0->y;
    const float x1 = by * s->per_area1, y1 = -bx * s->per_area1;
    const float x2 = -ay * s->per_area2, y2 = ax * s->per_area2;
    const float sx = (ay - by) * s->per_area0 + (x1 + x2);
    const float sy = (bx - ax) * s->per_area0 + (y1 + y2);
    const float u1 = c->u1 - c->u0, u2 = c->u2 - c->u0, du = u - c->u0;
    const float w1 = c->v1 - c->v0, w2 = c->v2 - c->v0, dv = v - c->v0;
    const float across = s->inv_sum * texture->layout.width,
                down = s->inv_sum * texture->layout.height;
    return (steps){((x1 * u1 + x2 * u2) - du * sx) * across, ((x1 * w1 + x2 * w2) - dv * sx) * down,
                   ((y1 * u1 + y2 * u2) - du * sy) * across,
                   ((y1 * w1 + y2 * w2) - dv * sy) * down};
}

/* Returns the squared longer side of a pixel's footprint, at least 1: magnified. */
static inline float footprint_of(const steps *d)
{
    return clamp(max_of(d->ux * d->ux + d->vx * d->vx, d->uy * d->uy + d->vy * d->vy), 1.0f,
                 0x1p60f);
}

/* ---- texture --------------------------------------------------------------------------------- */

/* Wraps a texture coordinate of any size to 0 ... 1 (glTF 2.0, 3.8.4.3: repeat, clamp to edge,
 * mirrored repeat). From 2^22 on, floats are whole texels, so that nothing is to be seen. */
static inline float wrap(float u, uint32_t mode)
{
    if (mode != WRAP_REPEAT && mode != WRAP_MIRROR) {
        return clamp(u, 0.0f, 1.0f);
    }
    u = clamp(u, -0x1p22f, 0x1p22f);
    if (mode == WRAP_REPEAT) {
        return u - floor_of(u);
    }
    const float t = u - 2.0f * floor_of(u * 0.5f);
    return min_of(t, 2.0f - t);
}

/* The two texels on an axis between which a coordinate of 0 ... 1 lies: the left one, and the
 * weight of the right one. Beyond the outer centres only repeating blends, the last texel with the
 * first (which is stored behind it: texture.h). With `nearest`, only the texel that holds the
 * coordinate. */
typedef struct place {
    int32_t texel;
    float weight;
} place;

static inline place place_on_axis(float t, float size, uint32_t mode, bool nearest)
{
    if (nearest) {
        const int32_t own = (int32_t)(t * size), last = (int32_t)size - 1;
        return (place){own < last ? own : last, 0.0f};
    }
    float x = t * size - 0.5f;
    if (mode != WRAP_REPEAT) {
        x = min_of(max_of(x, 0.0f), size - 1.0f);
    }
    const float whole = floor_of(x);
    const int32_t texel = (int32_t)whole;
    return (place){texel < 0 ? texel + (int32_t)size : texel, x - whole};
}

/* Samples bilinearly: 2 x 2 texels of a level, mixed down, then across. The result is 0 ... 65535,
 * also for data, which are bytes. */
static inline void sample_level(const mrw_raster_map *map, uint32_t number, const float uv[2],
                                bool nearest, float out[4])
{
    const mrw_raster_texture *texture = map->texture;
    const mrwi_shade_texture_level *level = &texture->layout.levels[number];
    const place x = place_on_axis(uv[0], level->width, map->wrap_u, nearest);
    const place y = place_on_axis(uv[1], level->height, map->wrap_v, nearest);
    const ptrdiff_t first = 4 * (level->first + y.texel * (ptrdiff_t)level->stride + x.texel);
    const ptrdiff_t below = first + 4 * (ptrdiff_t)level->stride;
    const uint16_t *upper, *lower;
    const float scale = texture->data ? 257.0f : 1.0f; /* 255 becomes 65535 */
    uint16_t data[2][8];
    if (texture->data) {
        for (int c = 0; c < 8; c++) {
            data[0][c] = texture->data[first + c];
            data[1][c] = texture->data[below + c];
        }
        upper = data[0];
        lower = data[1];
    } else {
        upper = texture->texels + first;
        lower = texture->texels + below;
    }
    for (int c = 0; c < 4; c++) {
        const float left = mix(upper[c], lower[c], y.weight);
        const float right = mix(upper[4 + c], lower[4 + c], y.weight);
        out[c] = mix(left, right, x.weight) * scale;
    }
}

/* Returns log2(x) for 1 <= x < 2^64, accurate to 2e-5 and exact at powers of two: the exponent,
 * plus for the mantissa 1 + t the minimax polynomial of degree 5 that is 0 at 1 and 1 at 2. */
static inline float log2_approximate(float x)
{
    uint32_t bits;
    float mantissa;
    memcpy(&bits, &x, sizeof bits);
    const float exponent = (float)((int32_t)(bits >> 23) - 127);
    bits = (bits & 0x007fffffu) | 0x3f800000u;
    memcpy(&mantissa, &bits, sizeof mantissa);
    const float t = mantissa - 1.0f;
    const float p = 0.415606068f + t * (-0.193575707f + t * 0.04514905f);
    return exponent + t * (1.44191704f + t * (-0.70909645f + t * p));
}

/* Filters trilinearly (Williams 1983): the level of detail is log2 of the footprint's longer side,
 * and the two nearest levels are mixed, unless the map asks for something else. Magnified textures
 * show the finest level alone. */
static void sample_trilinear(const mrw_raster_map *map, const float uv[2], float footprint,
                             float out[4])
{
    const uint32_t last = map->texture->layout.level_count - 1;
    const bool snaps = mrwi_shade_minify_snaps(map);
    float lod = 0.5f * log2_approximate(footprint);
    if (mrwi_shade_minify_stays(map)) {
        lod = 0.0f;
    } else if (mrwi_shade_minify_rounds(map)) {
        lod = (float)(int32_t)(lod + 0.5f);
    }
    const uint32_t whole = (uint32_t)lod;
    const float share = lod - (float)whole;
    float coarse[4];
    sample_level(map, whole < last ? whole : last, uv, snaps, out);
    sample_level(map, whole + 1 < last ? whole + 1 : last, uv, snaps, coarse);
    for (int c = 0; c < 4; c++) {
        out[c] = mix(out[c], coarse[c], share);
    }
}

#include "shade/aniso_spec.h"

/* Samples a map as its filter says, 0 ... 65535. */
static inline void sample_map(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                              const mrw_raster_map *map, float out[4])
{
    const mrw_filter filter = frame->filter;
    const corner_uvs c = corner_uvs_of(frame, t, map);
    const float u = interpolate(s, c.u0, c.u1, c.u2), v = interpolate(s, c.v0, c.v1, c.v2);
    const float wrapped[2] = {wrap(u, map->wrap_u), wrap(v, map->wrap_v)};
    bool nearest = filter == MRW_FILTER_NEAREST;
    if (filter == MRW_FILTER_ANISO) {
        const steps d = steps_at(t, s, &c, u, v, map->texture);
        sample_aniso(map, u, v, &d, out);
        return;
    }
    if (filter == MRW_FILTER_TRILINEAR || (filter == MRW_FILTER_BILINEAR && map->nearest)) {
        const steps d = steps_at(t, s, &c, u, v, map->texture);
        const float footprint = footprint_of(&d);
        if (footprint > 1.0f && filter == MRW_FILTER_TRILINEAR) {
            sample_trilinear(map, wrapped, footprint, out);
            return;
        }
        nearest = map->nearest && footprint <= 1.0f;
    }
    sample_level(map, 0, wrapped, nearest, out);
}

/* ---- base colour ----------------------------------------------------------------------------- */

/* Computes the base colour: texel times factor times vertex colour, linear, straight alpha (glTF
 * 2.0, 3.9.2). */
static inline void base_color(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                              float out[4])
{
    const mrw_raster_map *map = &t->draw->material->maps[MRW_RASTER_MAP_BASE_COLOR];
    memcpy(out, t->draw->material->base_color, 4 * sizeof out[0]);
    if (t->draw->colors) {
        const float(*color)[4] = frame->streams[MRWI_SHADE_COLOR];
        const float *c0 = color[t->vertex[0]], *c1 = color[t->vertex[1]];
        const float *c2 = color[t->vertex[2]];
        for (int k = 0; k < 4; k++) {
            out[k] = interpolate(s, c0[k], c1[k], c2[k]) * out[k];
        }
    }
    if (map->texture) {
        float texel[4];
        sample_map(frame, t, s, map, texel);
        for (int k = 0; k < 4; k++) {
            out[k] = texel[k] * (1.0f / 65535.0f) * out[k]; /* 65535 becomes 1 */
        }
    }
}

#include "shade/light_spec.h"

#include "shade/channel_spec.h"
#include "shade/mode_spec.h"

/* ---- modes ----------------------------------------------------------------------------------- */

/* Replaces a base colour by the colour of a shading mode, at (x, y). */
typedef void show(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float x,
                  float y, float color[4]);

/* The functions by mrw_shading; NULL: the mode shows the base colour. */
static show *const shows[MRW_SHADING_COUNT] = {
    [MRW_SHADING_LIT] = light_surface,       [MRW_SHADING_FLAT] = light_surface,
    [MRW_SHADING_CLAY] = show_clay,          [MRW_SHADING_LAMBERT] = light_matt,
    [MRW_SHADING_PHONG] = light_phong,       [MRW_SHADING_TOON] = light_toon,
    [MRW_SHADING_MATCAP] = show_matcap,      [MRW_SHADING_WIRE] = show_wire,
    [MRW_SHADING_NORMAL] = show_channel,     [MRW_SHADING_UV] = show_channel,
    [MRW_SHADING_DEPTH] = show_channel,      [MRW_SHADING_JOINT] = show_channel,
    [MRW_SHADING_INFLUENCES] = show_channel, [MRW_SHADING_WEIGHTS] = show_channel,
    [MRW_SHADING_CHANNEL] = show_channel,
};

/* ---- a fragment ------------------------------------------------------------------------------ */

/* Shades fragment i of a list, premultiplied (Porter and Duff 1984). Values are clamped to 2^16:
 * infinities would become NaN when blended. */
static void shade_fragment(const mrwi_shade_frame *frame, const mrwi_shade_list *list, uint32_t i,
                           float out[4])
{
    const triangle t = triangle_of(frame, list->triangle[i]);
    const mrw_raster_material *material = t.draw->material;
    float x = list->x[i], y = list->y[i];
    areas at = areas_at(&t, x, y);
    if (list->other_x && !covers(&t, &at)) {
        x = list->other_x[i];
        y = list->other_y[i];
        at = areas_at(&t, x, y);
    }
    const shares s = shares_at(&t, &at);
    float color[4];
    base_color(frame, &t, &s, color);
    if (t.draw->ground == MRW_GROUND_CATCHER && mrw_shading_info_of(frame->shading)->lit) {
        catch_shadows(frame, &t, &s, x, y, color);
    } else if (shows[frame->shading] &&
               !(material->unlit && mrw_shading_info_of(frame->shading)->keeps_unlit)) {
        shows[frame->shading](frame, &t, &s, x, y, color);
    }
    out[3] = material->alpha_mode == ALPHA_BLEND ? clamp(color[3], 0.0f, 1.0f) : 1.0f;
    for (int k = 0; k < 3; k++) {
        out[k] = clamp(color[k], 0.0f, 0x1p16f) * out[3];
    }
}

static void shade(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float (*rgba)[4])
{
    for (uint32_t i = 0; i < list->count; i++) {
        shade_fragment(frame, list, i, rgba[i]);
    }
}

static void alpha_of(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float *alpha)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const triangle t = triangle_of(frame, list->triangle[i]);
        const areas at = areas_at(&t, list->x[i], list->y[i]);
        const shares s = shares_at(&t, &at);
        float color[4];
        base_color(frame, &t, &s, color);
        alpha[i] = clamp(color[3], 0.0f, 1.0f);
    }
}

/* ---- exposure and tone maps: tone_values.h --------------------------------------------------- */

/* Returns one channel of the curve; 1 for infinite brightness. */
static inline float aces_curve(float v)
{
    return (v * (v + ACES_ABOVE_0) - ACES_ABOVE_1) /
           (v * (ACES_BELOW_0 * v + ACES_BELOW_1) + ACES_BELOW_2);
}

static inline float weighted(vec3 c, float x, float y, float z)
{
    return (x * c.x + y * c.y) + z * c.z;
}

static vec3 aces(vec3 c)
{
    const vec3 v = {aces_curve(weighted(c, ACES_IN_0)), aces_curve(weighted(c, ACES_IN_1)),
                    aces_curve(weighted(c, ACES_IN_2))};
    return (vec3){clamp(weighted(v, ACES_OUT_0), 0.0f, 1.0f),
                  clamp(weighted(v, ACES_OUT_1), 0.0f, 1.0f),
                  clamp(weighted(v, ACES_OUT_2), 0.0f, 1.0f)};
}

/* Applies the neutral tone map. In the letters of its specification, peak is p, mapped p_n, peak *
 * scale g. */
static vec3 neutral(vec3 c)
{
    const float least = min_of(c.x, min_of(c.y, c.z));
    const float toe = least < NEUTRAL_DARK ? least - NEUTRAL_CURVE * (least * least) : NEUTRAL_F90;
    const vec3 d = {c.x - toe, c.y - toe, c.z - toe};
    const float peak = max_of(d.x, max_of(d.y, d.z));
    if (peak < NEUTRAL_START) {
        return d;
    }
    const float mapped = 1.0f - NEUTRAL_SQUARE / (peak - NEUTRAL_SHIFT);
    const float scale = 1.0f / (peak * (NEUTRAL_DESATURATION * (peak - mapped) + 1.0f));
    const float white = mapped * (1.0f - peak * scale);
    return (vec3){d.x * (mapped * scale) + white, d.y * (mapped * scale) + white,
                  d.z * (mapped * scale) + white};
}

/* Applies exposure and tone map to a colour with straight alpha. It is clamped to 2^16 again, for
 * callers that did not do it. */
static vec3 tone_mapped(vec3 c, mrwi_shade_tone tone)
{
    const bool is_aces = tone.curve == MRWI_SHADE_CURVE_ACES;
    const float factor = is_aces ? tone.exposure / ACES_EXPOSURE : tone.exposure;
    c = (vec3){clamp(c.x, 0.0f, 0x1p16f) * factor, clamp(c.y, 0.0f, 0x1p16f) * factor,
               clamp(c.z, 0.0f, 0x1p16f) * factor};
    return is_aces ? aces(c) : tone.curve == MRWI_SHADE_CURVE_NEUTRAL ? neutral(c) : c;
}

/* Applies exposure and tone map to a resolved pixel, premultiplied before and after. It is not
 * inlined, so that plain pixels do not pay for it. */
static __attribute__((noinline)) void foreground(const float rgba[4], mrwi_shade_tone tone,
                                                 float out[3])
{
    const float alpha = clamp(rgba[3], 0.0f, 1.0f), scale = alpha > 0.0f ? 1.0f / alpha : 0.0f;
    const vec3 seen = tone_mapped((vec3){rgba[0] * scale, rgba[1] * scale, rgba[2] * scale}, tone);
    out[0] = seen.x * alpha;
    out[1] = seen.y * alpha;
    out[2] = seen.z * alpha;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Converts 0 ... 1 to 0 ... 255, rounded. */
static inline uint8_t raw_byte(float x)
{
    return (uint8_t)(clamp(x, 0.0f, 1.0f) * 255.0f + 0.5f);
}

/* Returns the nearest byte of the sRGB curve (IEC 61966-2-1), by the table of shade_isa.h. */
static inline uint8_t srgb_byte(float x)
{
    int32_t bits;
    x = clamp(x, 0x1p-13f, 0x1.fffffep-1f);
    memcpy(&bits, &x, sizeof bits);
    const uint32_t offset = (uint32_t)(bits - MRWI_SHADE_ENCODE_FIRST);
    const uint32_t low = offset & ((1u << MRWI_SHADE_ENCODE_SHIFT) - 1);
    return (uint8_t)((mrwi_shade_encode_cells[offset >> MRWI_SHADE_ENCODE_SHIFT] + low) >>
                     MRWI_SHADE_ENCODE_SHIFT);
}

/* Encodes a pixel over the background (Porter and Duff 1984), both premultiplied, to bytes. With 4
 * channels the background may be transparent, and the result has straight alpha. */
static inline void encode_pixel(const float rgba[4], const float background[4], uint32_t channels,
                                mrwi_shade_tone tone, uint8_t *out)
{
    float front[3] = {rgba[0], rgba[1], rgba[2]};
    if (tone.curve != MRWI_SHADE_CURVE_SRGB && tone.curve != MRWI_SHADE_CURVE_RAW) {
        foreground(rgba, tone, front);
    }
    const float through = 1.0f - clamp(rgba[3], 0.0f, 1.0f);
    float scale = 1.0f;
    if (channels == 4) {
        const float alpha = rgba[3] + through * background[3];
        scale = alpha > 0.0f ? 1.0f / alpha : 0.0f;
        out[3] = raw_byte(alpha);
    }
    for (uint32_t k = 0; k < 3; k++) {
        const float c = (front[k] + through * background[k]) * scale;
        out[k] = tone.curve == MRWI_SHADE_CURVE_RAW ? raw_byte(c) : srgb_byte(c);
    }
}

/* ---- 16 bits a channel ----------------------------------------------------------------------- */

/* Converts 0 ... 1 to 0 ... 65535, rounded. */
static uint16_t deep_value(double x)
{
    return (uint16_t)(x * 65535.0 + 0.5);
}

/* Evaluates the sRGB curve itself (IEC 61966-2-1), in double. */
static uint16_t deep_srgb_exactly(double x)
{
    return deep_value(x <= 0.0031308 ? 12.92 * x : 1.055 * mrwi_base_pow(x, 1.0 / 2.4) - 0.055);
}

/* Returns the same number many times as fast. x is 2^e * middle * (1 + u), with the middle of a
 * sixteenth of an octave. Four terms of the series of (1 + u)^(1 / 2.4) are off by at most 0.03
 * u^5. With u up to 1/33 that is 5.3e-5 of a step, so only values nearer to a border than DOUBT
 * need the curve itself. */
#define DOUBT 1e-4
static uint16_t deep_srgb(float linear)
{
    /* 1.055 * 65535 * 2^(e / 2.4) for e from -9 to 0, and ((33 + 2 i) / 32)^(1 / 2.4) */
    static const double octaves[10] = {5138.818508574813,  6859.499748592277,  9156.333644090302,
                                       12222.239066209679, 16314.731812770624, 21777.55423378196,
                                       29069.547317601526, 38803.190302216135, 51796.04488434228,
                                       69139.425};
    static const double middles[16] = {
        1.0129040726095206, 1.0380442350118568, 1.0623596342008876, 1.0859198252546605,
        1.1087852739476636, 1.1310089254029025, 1.152637442301226,  1.1737121937367447,
        1.1942700533275972, 1.2143440496014062, 1.2339639006769594, 1.2531564573839147,
        1.2719460732360008, 1.2903549154572351, 1.3084032281192992, 1.3261095560814389};
    const float x = clamp(linear, 0.0f, 1.0f);
    if ((double)x <= 0.0031308) {
        return deep_srgb_exactly((double)x);
    }
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int32_t octave = (bits >> 23) - (127 - 9), i = bits >> 19 & 15;
    const int32_t middle = (33 + 2 * i) << 18, mantissa = (bits & 0x7FFFFF) | 0x800000;
    const double u = (double)(mantissa - middle) / middle;
    const double series =
        1.0 + u * (5.0 / 12 + u * (-35.0 / 288 + u * (665.0 / 10368 + u * (-20615.0 / 497664))));
    const double value = octaves[octave] * middles[i] * series - 0.055 * 65535.0 + 0.5;
    const int32_t step = (int32_t)value;
    const double above = value - step;
    return above > DOUBT && above < 1.0 - DOUBT ? (uint16_t)step : deep_srgb_exactly((double)x);
}

void mrwi_shade_encode_deep(const float (*rgba)[4], uint32_t count,
                            const mrwi_shade_deep_background *background, uint32_t channels,
                            mrwi_shade_tone tone, uint16_t *out)
{
    const float *behind = background->linear;
    for (uint32_t i = 0; i < count; i++, out += channels) {
        float front[3] = {rgba[i][0], rgba[i][1], rgba[i][2]}, scale = 1.0f;
        const float alpha = clamp(rgba[i][3], 0.0f, 1.0f), through = 1.0f - alpha;
        if (alpha == 0.0f) {
            memcpy(out, background->written, channels * sizeof *out);
            continue;
        }
        if (tone.curve != MRWI_SHADE_CURVE_SRGB && tone.curve != MRWI_SHADE_CURVE_RAW) {
            foreground(rgba[i], tone, front);
        }
        if (channels == 4) {
            const float sum = clamp(alpha + through * behind[3], 0.0f, 1.0f);
            scale = 1.0f / sum;
            out[3] = deep_value((double)sum);
        }
        for (uint32_t k = 0; k < 3; k++) {
            const float c = (front[k] + through * behind[k]) * scale;
            out[k] = tone.curve == MRWI_SHADE_CURVE_RAW ? deep_value((double)clamp(c, 0.0f, 1.0f))
                                                        : deep_srgb(c);
        }
    }
}

void mrwi_shade_deep_background_of(const uint8_t srgb[4], bool raw, mrwi_shade_deep_background *out)
{
    const double alpha = srgb[3] / 255.0;
    for (int k = 0; k < 3; k++) {
        const double c = srgb[k] / 255.0;
        const double linear = c <= 0.04045 ? c / 12.92 : mrwi_base_pow((c + 0.055) / 1.055, 2.4);
        out->linear[k] = (float)((raw ? c : linear) * alpha);
        out->written[k] = srgb[3] > 0 ? (uint16_t)(srgb[k] * 257) : 0;
    }
    out->linear[3] = (float)alpha;
    out->written[3] = (uint16_t)(srgb[3] * 257);
}

static void encode(const float (*rgba)[4], uint32_t count, const float background[4],
                   uint32_t channels, mrwi_shade_tone tone, uint8_t *out)
{
    assert(channels == 3 || channels == 4);
    for (uint32_t i = 0; i < count; i++) {
        encode_pixel(rgba[i], background, channels, tone, out + (size_t)i * channels);
    }
}

static void write_pixels(const mrwi_shade_pixels *list, const float (*rgba)[4],
                         const float background[4], uint32_t channels, mrwi_shade_tone tone,
                         uint8_t *pixels)
{
    for (uint32_t i = 0; i < list->count; i++) {
        encode_pixel(rgba[list->slot[i]], background, channels, tone,
                     pixels + (size_t)list->where[i] * channels);
    }
}

/* Shades and encodes opaque pixels. The background does not matter, because it is hidden. */
static void shade_pixels(const mrwi_shade_frame *frame, const mrwi_shade_list *list,
                         const uint32_t *where, uint32_t channels, uint8_t *pixels)
{
    static const float no_background[4];
    for (uint32_t i = 0; i < list->count; i++) {
        float rgba[4];
        shade_fragment(frame, list, i, rgba);
        encode_pixel(rgba, no_background, channels, frame->tone,
                     pixels + (size_t)where[i] * channels);
    }
}

/* ---- which fragments there are --------------------------------------------------------------- */

/* Appends a fragment, which is shaded at the pixel's centre, or at the lowest sample it won if its
 * triangle does not cover the centre. */
static void append_fragment(const mrwi_shade_gather *g, int32_t x, uint32_t sample, int32_t id,
                            mrwi_shade_fragments *f)
{
    const uint32_t n = f->count++;
    f->triangle[n] = (uint32_t)id;
    f->x[n] = (float)x + 0.5f;
    f->y[n] = (float)g->y + 0.5f;
    if (g->pattern->count > 1) {
        f->other_x[n] = f->x[n] + (float)g->pattern->x[sample] * 0.0625f;
        f->other_y[n] = f->y[n] + (float)g->pattern->y[sample] * 0.0625f;
    }
}

/* Appends pixel x and its fragments: one for each triangle that won samples of it, in the order of
 * the lowest ones. Appends nothing if no triangle did. */
static void gather_pixel(const mrwi_shade_gather *g, int32_t x, mrwi_shade_fragments *f,
                         mrwi_shade_pixels *p)
{
    const int32_t *ids = g->ids + x;
    uint32_t owner[MRWI_SHADE_MAX_SAMPLES], slot = MRWI_SHADE_NO_FRAGMENT;
    bool differ = false;
    for (uint32_t s = 0; s < g->pattern->count; s++) {
        const int32_t id = ids[s * g->stride];
        uint32_t lowest = 0;
        while (ids[lowest * g->stride] != id) {
            lowest++;
        }
        differ = differ || lowest > 0;
        owner[s] = lowest < s ? owner[lowest] : f->count;
        if (id == MRWI_SHADE_NO_TRIANGLE) {
            owner[s] = MRWI_SHADE_NO_FRAGMENT;
        } else if (lowest == s) {
            append_fragment(g, x, s, id, f);
        }
        slot = slot < owner[s] ? slot : owner[s];
    }
    if (slot == MRWI_SHADE_NO_FRAGMENT) {
        return;
    }
    if (differ) {
        for (uint32_t s = 0; s < g->pattern->count; s++) {
            p->owner[s][p->edge_count] = owner[s];
        }
        p->edge[p->edge_count++] = p->count;
    }
    if (g->pattern->count > 1) {
        p->slot[p->count] = slot;
    }
    p->where[p->count++] = g->first_pixel + (uint32_t)x;
}

static int32_t gather(const mrwi_shade_gather *g, mrwi_shade_fragments *f, mrwi_shade_pixels *p)
{
    for (int32_t x = g->x0; x < g->x1; x++) {
        if (f->count + g->pattern->count > MRWI_SHADE_LIST_MAX) {
            return x;
        }
        gather_pixel(g, x, f, p);
    }
    return g->x1;
}

const mrwi_shade_kernels mrwi_shade_kernels_scalar = {shade,  alpha_of,     encode,
                                                      gather, write_pixels, shade_pixels};
