/* shade_kernel.h: the one source of the shading kernels, compiled once an instruction set.
 *
 * A file defines MRWI_BASE_LANES and MRWI_RASTER_SHADE_KERNELS (the name of the table) and includes
 * this.
 *
 *   list ─ blocks of 256 ─ groups of one draw ─► attributes ─► addresses ─► texels ─► light ─►
 * colour
 *
 * A group shares its material, so what depends on the material is decided once a group and textures
 * need no look-up a lane. Each stage is a loop over the group; what passes between stages stays in
 * the block, which fits into the first cache. Nothing a fragment gets depends on its neighbours.
 */
#include "base/simd/rows.h"
#include "raster/compact_lanes.h"
#include "raster/edge_lanes.h"
#include "raster/internal.h"
#include "raster/shade_block.h"
#include "raster/shade_isa.h"
#include "raster/texture.h"

#include <assert.h>

/* A stage stands alone, so that its loop gets all registers. */
#define STAGE static __attribute__((noinline))

/* enumerators of scene.h, which this room may not see */
enum { ALPHA_BLEND = 2 };
enum { WRAP_REPEAT = 0, WRAP_MIRROR = 2 };

#include "raster/attribute_kernel.h"

/* ---- addresses ------------------------------------------------------------------------------- */

/* A texture coordinate of any size -> 0 ... 1. */
LANE_INLINE vf wrap_coordinate(vf u, uint32_t wrap)
{
    if (wrap == WRAP_REPEAT || wrap == WRAP_MIRROR) {
        u = vf_clamp(u, -0x1p22f, 0x1p22f); /* whole numbers from there on: nothing to see */
        if (wrap == WRAP_REPEAT) {
            return u - vf_floor(u);
        }
        vf t = u - 2.0f * vf_floor(u * 0.5f);
        return vf_min(t, 2.0f - t);
    }
    return vf_clamp(u, 0.0f, 1.0f);
}

/* Where a wrapped coordinate falls on one axis of a level: *texel is the left one of the two to
 * blend, the result the weight of the right one. Between the last texel and the first, only
 * repeating blends: the others stop at the centre of either. */
LANE_INLINE vf place_on_axis(vf t, vf size, uint32_t wrap, vi *texel)
{
    vf x = t * size - 0.5f;
    if (wrap != WRAP_REPEAT) {
        x = vf_min(vf_max(x, vf_set(0.0f)), size - 1.0f);
    }
    vf whole = vf_floor(x);
    vi index = vf_truncate(whole);
    *texel = index + (vi_less(index, vi_set(0)) & vf_truncate(size));
    return x - whole;
}

/* Where `nearest` is set: the texel that holds the coordinate, alone. */
LANE_INLINE vf snap_on_axis(vf t, vf size, vi nearest, vf weight, vi *texel)
{
    vi own = vi_min(vf_truncate(t * size), vf_truncate(size) - 1);
    *texel = vi_select(nearest, own, *texel);
    return vf_select(nearest, vf_set(0.0f), weight);
}

/* log2(x) for 1 <= x < 2^64 to 2e-5; exact at powers of two. The mantissa's part is the minimax
 * polynomial of degree 5 that is 0 at 1 and 1 at 2. */
LANE_INLINE vf log2_approximate(vf x)
{
    vi bits = vf_bits(x);
    vf exponent = vi_to_float((bits >> 23) - 127);
    vf t = vf_from_bits((bits & 0x007fffff) | 0x3f800000) - 1.0f;
    vf p = 0.415606068f + t * (-0.193575707f + t * 0.04514905f);
    return exponent + t * (1.44191704f + t * (-0.70909645f + t * p));
}

/* One level of each lane, in whole: see mrwi_raster_texture_level. */
LANE_INLINE vf4 load_levels(const mrw_raster_texture *texture, vi level)
{
    int32_t index[MRWI_BASE_LANES];
    const void *row[MRWI_BASE_LANES];
    vi_store(index, level);
    LANE_UNROLL
    for (int k = 0; k < MRWI_BASE_LANES; k++) {
        row[k] = &texture->levels[index[k]];
    }
    return vf4_load_rows(row);
}

/* All levels of a texture, so that lanes find theirs without memory where registers are as long. */
typedef struct level_table {
    const mrw_raster_texture *texture;
    vi last;
    vf4 all; /* lane i: level i */
} level_table;

LANE_INLINE level_table level_table_of(const mrw_raster_texture *texture)
{
    const vi last = vi_set((int32_t)texture->level_count - 1);
    level_table table = {.texture = texture, .last = last};
#if MRWI_BASE_LANES == 16
    table.all = load_levels(texture, vi_min(lane_numbers(), last));
#endif
    return table;
}

LANE_INLINE vf4 level_of(const level_table *table, vi level)
{
    level = vi_min(level, table->last);
#if MRWI_BASE_LANES == 16
    return (vf4){vf_permute_lanes(table->all.x, level), vf_permute_lanes(table->all.y, level),
                 vf_permute_lanes(table->all.z, level), vf_permute_lanes(table->all.w, level)};
#else
    const int32_t first = vi_first(level);
    if (mask_any(~vi_equal(level, vi_set(first)))) {
        return load_levels(table->texture, level);
    }
    const mrwi_raster_texture_level *one = &table->texture->levels[first];
    return (vf4){vf_from_bits(vi_set(one->first)), vf_from_bits(vi_set(one->stride)),
                 vf_set(one->width), vf_set(one->height)};
#endif
}

LANE_INLINE void store_tap(const mrw_raster_material *material, vf4 level, vf u, vf v,
                           const vi *nearest, uint32_t i, tap_list *out)
{
    vi x, y, first = vf_bits(level.x), stride = vf_bits(level.y);
    vf across = place_on_axis(u, level.z, material->wrap_u, &x);
    vf down = place_on_axis(v, level.w, material->wrap_v, &y);
    if (nearest) {
        across = snap_on_axis(u, level.z, *nearest, across, &x);
        down = snap_on_axis(v, level.w, *nearest, down, &y);
    }
    vi texel = first + y * stride + x;
    vi_store(out->texel + i, texel);
    vi_store(out->lower + i, texel + stride);
    vf_store(out->across + i, across);
    vf_store(out->down + i, down);
}

/* Asks for the memory of a level ahead. Eight texels share a line; of the levels that trilinear
 * filtering blends, four neighbours in a row see no more. */
LANE_INLINE void fetch_tap(const uint16_t *texels, const tap_list *tap, uint32_t i)
{
    for (uint32_t k = i; k < i + MRWI_BASE_LANES; k += 4) {
        __builtin_prefetch(texels + 4 * (ptrdiff_t)tap->texel[k]);
        __builtin_prefetch(texels + 4 * (ptrdiff_t)tap->lower[k]);
    }
}

/* Where the finest level is magnified. */
LANE_INLINE vi magnified(const point_list *points, uint32_t i)
{
    return ~vf_less(vf_set(1.0f), vf_load(points->footprint + i));
}

/* Two levels: where some fragment of the group sees less than the finest. The level of detail is
 * log2 of the footprint's longer side. */
STAGE void addresses_trilinear(const draw_state *state, const point_list *points, uint32_t count,
                               address_list *out)
{
    const mrw_raster_material *material = state->material;
    const level_table levels = level_table_of(state->texture);
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        vf u = wrap_coordinate(vf_load(points->u + i), material->wrap_u);
        vf v = wrap_coordinate(vf_load(points->v + i), material->wrap_v);
        vf lod = 0.5f * log2_approximate(vf_load(points->footprint + i));
        vi level = vf_truncate(lod);
        vf_store(out->level_mix + i, lod - vi_to_float(level));
        vi nearest = magnified(points, i), *snap = material->nearest ? &nearest : NULL;
        store_tap(material, level_of(&levels, level), u, v, snap, i, &out->tap[0]);
        store_tap(material, level_of(&levels, level + 1), u, v, NULL, i, &out->tap[1]);
        fetch_tap(state->texture->texels, &out->tap[0], i);
        fetch_tap(state->texture->texels, &out->tap[1], i);
    }
}

/* The finest level alone: all other cases. */
STAGE void addresses_finest(const draw_state *state, mrw_filter filter, const point_list *points,
                            uint32_t count, tap_list *out)
{
    const mrw_raster_material *material = state->material;
    bool magnified_nearest = material->nearest && state->footprint;
    const vf4 finest = load_levels(state->texture, vi_set(0));
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        vf u = wrap_coordinate(vf_load(points->u + i), material->wrap_u);
        vf v = wrap_coordinate(vf_load(points->v + i), material->wrap_v);
        vi nearest = vi_set(-1), *snap = filter == MRW_FILTER_NEAREST ? &nearest : NULL;
        if (magnified_nearest) {
            nearest = magnified(points, i);
            snap = &nearest;
        }
        store_tap(material, finest, u, v, snap, i, out);
    }
}

/* ---- texels ---------------------------------------------------------------------------------- */

/* The 16-bit halves of each number. */
LANE_INLINE vf low_half(vf bits)
{
    return vi_to_float(vf_bits(bits) & 0xffff);
}
LANE_INLINE vf high_half(vf bits)
{
    return vi_to_float(vi_shift_right(vf_bits(bits), 16));
}

/* Equal texels stay what they are. */
LANE_INLINE vf mix(vf a, vf b, vf f)
{
    return a + (b - a) * f;
}

/* Two texels and the two below them, of each fragment: x is red and green of the left one, y its
 * blue and alpha, z and w those of the right one. */
typedef struct tap_lanes {
    vf4 upper, lower;
    vf across, down;
} tap_lanes;

LANE_INLINE tap_lanes load_tap(const uint16_t *texels, const tap_list *tap, uint32_t i)
{
    const void *upper[MRWI_BASE_LANES], *lower[MRWI_BASE_LANES];
    LANE_UNROLL
    for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
        upper[k] = texels + 4 * (ptrdiff_t)tap->texel[i + k];
        lower[k] = texels + 4 * (ptrdiff_t)tap->lower[i + k];
    }
    return (tap_lanes){vf4_load_rows(upper), vf4_load_rows(lower), vf_load(tap->across + i),
                       vf_load(tap->down + i)};
}

LANE_INLINE vf blend_low(const tap_lanes *t, vf upper_left, vf upper_right, vf lower_left,
                         vf lower_right)
{
    vf left = mix(low_half(upper_left), low_half(lower_left), t->down);
    vf right = mix(low_half(upper_right), low_half(lower_right), t->down);
    return mix(left, right, t->across);
}

LANE_INLINE vf blend_high(const tap_lanes *t, vf upper_left, vf upper_right, vf lower_left,
                          vf lower_right)
{
    vf left = mix(high_half(upper_left), high_half(lower_left), t->down);
    vf right = mix(high_half(upper_right), high_half(lower_right), t->down);
    return mix(left, right, t->across);
}

/* The colour of one level; alpha only where it is asked for. */
LANE_INLINE vf4 sample_level(const uint16_t *texels, const tap_list *tap, uint32_t i, bool alpha)
{
    const tap_lanes t = load_tap(texels, tap, i);
    const vf4 *u = &t.upper, *l = &t.lower;
    return (vf4){blend_low(&t, u->x, u->z, l->x, l->z), blend_high(&t, u->x, u->z, l->x, l->z),
                 blend_low(&t, u->y, u->w, l->y, l->w),
                 alpha ? blend_high(&t, u->y, u->w, l->y, l->w) : vf_set(0.0f)};
}

LANE_INLINE void store_colors(color_list *out, uint32_t i, vf4 color, bool alpha)
{
    vf_store(out->channel[0] + i, color.x);
    vf_store(out->channel[1] + i, color.y);
    vf_store(out->channel[2] + i, color.z);
    if (alpha) {
        vf_store(out->channel[3] + i, color.w);
    }
}

STAGE void texels_one_level(const draw_state *state, const tap_list *tap, uint32_t count,
                            color_list *out)
{
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        store_colors(out, i, sample_level(state->texture->texels, tap, i, state->see_through),
                     state->see_through);
    }
}

STAGE void texels_two_levels(const draw_state *state, const address_list *at, uint32_t count,
                             color_list *out)
{
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        vf4 fine = sample_level(state->texture->texels, &at->tap[0], i, state->see_through);
        vf4 coarse = sample_level(state->texture->texels, &at->tap[1], i, state->see_through);
        vf f = vf_load(at->level_mix + i);
        store_colors(out, i,
                     (vf4){mix(fine.x, coarse.x, f), mix(fine.y, coarse.y, f),
                           mix(fine.z, coarse.z, f), mix(fine.w, coarse.w, f)},
                     state->see_through);
    }
}

/* Runs the texture stages of count points. */
static void sample_texture(const draw_state *state, mrw_filter filter, const point_list *points,
                           uint32_t count, address_list *addresses, color_list *texels)
{
    if (filter == MRW_FILTER_TRILINEAR && points->minified) {
        addresses_trilinear(state, points, count, addresses);
        texels_two_levels(state, addresses, count, texels);
    } else {
        addresses_finest(state, filter, points, count, &addresses->tap[0]);
        texels_one_level(state, &addresses->tap[0], count, texels);
    }
}

#include "raster/encode_kernel.h"

/* ---- light ----------------------------------------------------------------------------------- */

typedef struct vec3 {
    vf x, y, z;
} vec3;

LANE_INLINE vf dot(vec3 a, vec3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

/* The zero vector stays what it is. */
LANE_INLINE vec3 normalize(vec3 v)
{
    vf scale = 1.0f / vf_sqrt(vf_max(dot(v, v), vf_set(1e-30f)));
    return (vec3){v.x * scale, v.y * scale, v.z * scale};
}

LANE_INLINE void add_light(vec3 *sum, const float color[3], vf amount)
{
    sum->x += amount * color[0];
    sum->y += amount * color[1];
    sum->z += amount * color[2];
}

/* The light that a matt white surface reflects: hemisphere and lights. */
LANE_INLINE vec3 diffuse_light(const mrw_light_rig *rig, vec3 n)
{
    const float *up = rig->up, *sky = rig->sky, *ground = rig->ground;
    vf above = 0.5f + 0.5f * ((n.x * up[0] + n.y * up[1]) + n.z * up[2]);
    vec3 sum = {ground[0] + above * (sky[0] - ground[0]), ground[1] + above * (sky[1] - ground[1]),
                ground[2] + above * (sky[2] - ground[2])};
    for (uint32_t i = 0; i < rig->light_count; i++) {
        const float *l = rig->lights[i].to_light;
        vf cosine = (n.x * l[0] + n.y * l[1]) + n.z * l[2];
        add_light(&sum, rig->lights[i].color, vf_max(cosine, vf_set(0.0f)));
    }
    return sum;
}

/* How often to square cos^2 for the exponent: -1 stands for a square root. */
static int highlight_squarings(float shininess)
{
    int squarings = -1;
    for (float power = 1.0f; power < shininess && squarings < 6; power *= 2.0f) {
        squarings++;
    }
    return squarings;
}

/* cos^2 whose power is 2^-32, by number of squarings: smaller ones are taken as that, because the
 * power would run through denormals, which cost hundreds of cycles. */
static const float darkest_highlight[7] = {0x1p-32f, 0x1p-16f, 0x1p-8f,    0x1p-4f,
                                           0x1p-2f,  0x1p-1f,  0.70710678f};

/* (N.H)^shininess with H = (L + V) / |L + V|: the square of the cosine needs no root. */
LANE_INLINE vf highlight(vec3 n, vec3 v, const float l[3], int squarings)
{
    vec3 h = {l[0] + v.x, l[1] + v.y, l[2] + v.z};
    vf nh = vf_max(dot(n, h), vf_set(0.0f));
    vf power = (nh * nh) / vf_max(dot(h, h), vf_set(1e-30f));
    if (squarings < 0) {
        return vf_sqrt(power);
    }
    power = vf_max(power, vf_set(darkest_highlight[squarings]));
    for (int i = 0; i < squarings; i++) {
        power = power * power;
    }
    return power;
}

LANE_INLINE vec3 specular_light(const mrwi_raster_shade_frame *frame, vec3 n, vf x, vf y,
                                int squarings)
{
    const float *r = frame->ray0, *dx = frame->ray_dx, *dy = frame->ray_dy;
    vec3 v = normalize((vec3){(x * dx[0] + y * dy[0]) + r[0], (x * dx[1] + y * dy[1]) + r[1],
                              (x * dx[2] + y * dy[2]) + r[2]});
    vec3 sum = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
    for (uint32_t i = 0; i < frame->rig.light_count; i++) {
        const mrw_light *light = &frame->rig.lights[i];
        if (light->specular <= 0.0f) {
            continue;
        }
        const float *l = light->to_light;
        vf cosine = (n.x * l[0] + n.y * l[1]) + n.z * l[2];
        vf amount = highlight(n, v, l, squarings) * light->specular;
        vi faces = vf_less(vf_set(0.0f), cosine);
        add_light(&sum, light->color, vf_from_bits(vf_bits(amount) & faces));
    }
    return sum;
}

LANE_INLINE vf4 load_base_color(const draw_state *state, const point_list *points,
                                const color_list *texels, uint32_t i)
{
    const float *factor = state->material->base_color;
    vf4 base = {vf_set(factor[0]), vf_set(factor[1]), vf_set(factor[2]), vf_set(factor[3])};
    if (state->colors) {
        const float(*tint)[BLOCK_PADDED] = points->tint;
        base = (vf4){vf_load(tint[0] + i), vf_load(tint[1] + i), vf_load(tint[2] + i),
                     vf_load(tint[3] + i)};
    }
    if (!state->texture) {
        return base;
    }
    const float(*channel)[BLOCK_PADDED] = texels->channel;
    const vf alpha = state->see_through ? vf_load(channel[3] + i) : vf_set(0.0f);
    const vf4 texel = {vf_load(channel[0] + i), vf_load(channel[1] + i), vf_load(channel[2] + i),
                       alpha};
    const float unit = 1.0f / 65535.0f; /* 65535 times this is 1 */
    return (vf4){texel.x * unit * base.x, texel.y * unit * base.y, texel.z * unit * base.z,
                 texel.w * unit * base.w};
}

LANE_INLINE void store_color(const group *g, uint32_t i, vf4 color, float (*rgba)[4])
{
    void *row[MRWI_BASE_LANES];
    LANE_UNROLL
    for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
        row[k] = rgba[g->slot ? g->slot[i + k] : i + k];
    }
    vf4_store_rows(row, color);
}

/* Base colours, lit. */
LANE_INLINE vf4 light_lanes(const mrwi_raster_shade_frame *frame, const group *g,
                            const point_list *points, vf4 c, int squarings, uint32_t i)
{
    const float(*normal)[BLOCK_PADDED] = points->normal;
    vec3 n =
        normalize((vec3){vf_load(normal[0] + i), vf_load(normal[1] + i), vf_load(normal[2] + i)});
    vec3 diffuse = diffuse_light(&frame->rig, n);
    c = (vf4){c.x * diffuse.x, c.y * diffuse.y, c.z * diffuse.z, c.w};
    if (frame->shading != MRW_SHADING_LIT) {
        return c;
    }
    vec3 specular = specular_light(frame, n, vf_load(g->x + i), vf_load(g->y + i), squarings);
    return (vf4){c.x + specular.x, c.y + specular.y, c.z + specular.z, c.w};
}

/* Colours, premultiplied. Values are held below 2^16: infinities would become NaN when blended. */
STAGE void light(const mrwi_raster_shade_frame *frame, const draw_state *state, const group *g,
                 const point_list *points, const color_list *texels, float (*rgba)[4])
{
    int squarings = highlight_squarings(frame->rig.shininess);
    for (uint32_t i = 0; i < g->count; i += MRWI_BASE_LANES) {
        vf4 c = load_base_color(state, points, texels, i);
        if (state->lit) {
            c = light_lanes(frame, g, points, c, squarings, i);
        }
        vf alpha = vf_set(1.0f);
        if (state->material->alpha_mode == ALPHA_BLEND) {
            alpha = vf_clamp(c.w, 0.0f, 1.0f);
        }
        store_color(g, i,
                    (vf4){vf_clamp(c.x, 0.0f, 0x1p16f) * alpha,
                          vf_clamp(c.y, 0.0f, 0x1p16f) * alpha,
                          vf_clamp(c.z, 0.0f, 0x1p16f) * alpha, alpha},
                    rgba);
    }
}

/* What is opaque and lit, in the place of its texels. Apart from the encoding: both in one loop are
 * too long for the processor to work on two rounds at once, and hold more values than there are
 * registers. */
STAGE void light_opaque(const mrwi_raster_shade_frame *frame, const draw_state *state,
                        const group *g, const point_list *points, color_list *colors)
{
    int squarings = highlight_squarings(frame->rig.shininess);
    for (uint32_t i = 0; i < g->count; i += MRWI_BASE_LANES) {
        vf4 base = load_base_color(state, points, colors, i);
        store_colors(colors, i, light_lanes(frame, g, points, base, squarings, i), false);
    }
}

LANE_INLINE vf4 opaque_color(const draw_state *state, const point_list *points,
                             const color_list *colors, uint32_t i)
{
    if (!state->lit) {
        return load_base_color(state, points, colors, i);
    }
    return (vf4){vf_load(colors->channel[0] + i), vf_load(colors->channel[1] + i),
                 vf_load(colors->channel[2] + i), vf_set(1.0f)};
}

/* The same as bytes: nothing shines through and no clamp is needed but that of the encoding. */
STAGE void encode_colors(const draw_state *state, const group *g, const point_list *points,
                         const color_list *colors, bool raw, int32_t *codes)
{
    for (uint32_t i = 0; i < g->count; i += MRWI_BASE_LANES) {
        vi code = encode_opaque(opaque_color(state, points, colors, i), raw);
        if (!g->slot) {
            vi_store(codes + i, code);
            continue;
        }
        int32_t lane[MRWI_BASE_LANES];
        vi_store(lane, code);
        for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
            codes[g->slot[i + k]] = lane[k];
        }
    }
}

/* ---- lists into blocks, blocks into groups --------------------------------------------------- */

static uint32_t draw_of(const mrwi_raster_shade_frame *frame, uint32_t triangle)
{
    return frame->triangles[triangle].draw_flags >> 1;
}

static draw_state state_of(const mrwi_raster_shade_frame *frame, uint32_t draw_number)
{
    const mrw_raster_draw *draw = &frame->draws[draw_number];
    const mrw_raster_material *material = draw->material;
    return (draw_state){
        .material = material,
        .texture = material->texture,
        .colors = draw->colors ? frame->colors : NULL,
        .see_through = material->alpha_mode == ALPHA_BLEND,
        .lit = frame->shading != MRW_SHADING_UNLIT && !material->unlit,
        .footprint =
            material->texture && (frame->filter == MRW_FILTER_TRILINEAR ||
                                  (frame->filter == MRW_FILTER_BILINEAR && material->nearest)),
    };
}

static void take_fragment(const group *all, uint32_t from, picked_list *out, uint32_t to)
{
    out->x[to] = all->x[from];
    out->y[to] = all->y[from];
    if (all->other_x) {
        out->other_x[to] = all->other_x[from];
        out->other_y[to] = all->other_y[from];
    }
    out->triangle[to] = all->triangle[from];
    out->slot[to] = from;
}

/* Numbers of fragments that no group has taken yet. */
typedef struct pending_list {
    uint32_t number[BLOCK];
    uint32_t count;
} pending_list;

/* Takes the fragments of the first pending one's draw; the others stay pending. */
STAGE group collect_group(const mrwi_raster_shade_frame *frame, const group *all,
                          pending_list *pending, picked_list *out)
{
    uint32_t draw = draw_of(frame, all->triangle[pending->number[0]]), taken = 0, kept = 0;
    for (uint32_t i = 0; i < pending->count; i++) {
        uint32_t from = pending->number[i];
        if (draw_of(frame, all->triangle[from]) == draw) {
            take_fragment(all, from, out, taken++);
        } else {
            pending->number[kept++] = from;
        }
    }
    for (uint32_t i = taken; i % MRWI_BASE_LANES != 0; i++) {
        take_fragment(all, out->slot[taken - 1], out, i);
    }
    pending->count = kept;
    return (group){.count = taken,
                   .x = out->x,
                   .y = out->y,
                   .triangle = out->triangle,
                   .other_x = all->other_x ? out->other_x : NULL,
                   .other_y = all->other_x ? out->other_y : NULL,
                   .slot = out->slot};
}

/* MRWI_BASE_LANES entries from p[i - 1] on; anything for p[-1]. */
LANE_INLINE vi load_before(const void *p, uint32_t i)
{
    int32_t before[MRWI_BASE_LANES] = {0};
    if (i > 0) {
        return vi_load((const int32_t *)p + i - 1);
    }
    memcpy(before + 1, p, sizeof before - sizeof before[0]);
    return vi_load(before);
}

/* Marks where runs begin, and counts them. */
LANE_INLINE void find_runs(const group *g, run_list *runs)
{
    runs->count = 0;
    for (uint32_t i = 0; i < g->count; i += MRWI_BASE_LANES) {
        const vi goes_on = vi_equal(vi_load(g->triangle + i), load_before(g->triangle, i)) &
                           vi_equal(vi_load(g->y + i), load_before(g->y, i));
        const uint32_t bits = mask_bits(~goes_on) | (i == 0);
        runs->starts[i / MRWI_BASE_LANES] = bits;
        runs->count += bit_count(bits);
    }
}

static bool has_one_draw(const mrwi_raster_shade_frame *frame, const group *all,
                         const run_list *runs)
{
    uint32_t differ = 0, draw = draw_of(frame, all->triangle[0]);
    for (uint32_t i = 0; i < all->count; i += MRWI_BASE_LANES) {
        for (uint32_t bits = runs->starts[i / MRWI_BASE_LANES]; bits != 0; bits &= bits - 1) {
            differ |= draw_of(frame, all->triangle[i + (uint32_t)__builtin_ctz(bits)]) ^ draw;
        }
    }
    return differ == 0;
}

typedef void (*group_job)(const mrwi_raster_shade_frame *frame, const draw_state *state,
                          const group *g, block *b, void *out);

/* Runs job over the groups of a block. */
static void for_each_group(const mrwi_raster_shade_frame *frame, const group *all, group_job job,
                           void *out)
{
    block b;
    find_runs(all, &b.runs);
    if (has_one_draw(frame, all, &b.runs)) {
        const draw_state state = state_of(frame, draw_of(frame, all->triangle[0]));
        job(frame, &state, all, &b, out);
        return;
    }
    pending_list pending;
    pending.count = all->count;
    for (uint32_t i = 0; i < pending.count; i++) {
        pending.number[i] = i;
    }
    while (pending.count > 0) {
        const group g = collect_group(frame, all, &pending, &b.picked);
        const draw_state state = state_of(frame, draw_of(frame, g.triangle[0]));
        find_runs(&g, &b.runs);
        job(frame, &state, &g, &b, out);
    }
}

static group block_of_list(const mrwi_raster_shade_list *list, uint32_t first)
{
    uint32_t count = list->count - first;
    return (group){.count = count < BLOCK ? count : BLOCK,
                   .x = list->x + first,
                   .y = list->y + first,
                   .triangle = list->triangle + first,
                   .other_x = list->other_x ? list->other_x + first : NULL,
                   .other_y = list->other_y ? list->other_y + first : NULL};
}

/* All stages before light. Returns the group with its fragments where they are shaded. */
static group look_up_group(const mrwi_raster_shade_frame *frame, const draw_state *state,
                           const group *g, block *b)
{
    attributes(frame, state, g, &b->runs, &b->points);
    if (state->texture) {
        sample_texture(state, frame->filter, &b->points, g->count, &b->addresses, &b->colors);
    }
    group placed = *g;
    if (g->other_x) {
        placed.x = b->points.x;
        placed.y = b->points.y;
    }
    return placed;
}

static void shade_group(const mrwi_raster_shade_frame *frame, const draw_state *state,
                        const group *g, block *b, void *out)
{
    const group placed = look_up_group(frame, state, g, b);
    light(frame, state, &placed, &b->points, &b->colors, out);
}

static void encode_group(const mrwi_raster_shade_frame *frame, const draw_state *state,
                         const group *g, block *b, void *out)
{
    const group placed = look_up_group(frame, state, g, b);
    if (state->lit) {
        light_opaque(frame, state, &placed, &b->points, &b->colors);
    }
    encode_colors(state, &placed, &b->points, &b->colors, frame->shading == MRW_SHADING_UNLIT, out);
}

static void shade(const mrwi_raster_shade_frame *frame, const mrwi_raster_shade_list *list,
                  float (*rgba)[4])
{
    for (uint32_t i = 0; i < list->count; i += BLOCK) {
        const group all = block_of_list(list, i);
        for_each_group(frame, &all, shade_group, rgba + i);
    }
}

static void shade_pixels(const mrwi_raster_shade_frame *frame, const mrwi_raster_shade_list *list,
                         const uint32_t *where, uint32_t channels, uint8_t *pixels)
{
    int32_t codes[BLOCK_PADDED];
    for (uint32_t i = 0; i < list->count; i += BLOCK) {
        const group all = block_of_list(list, i);
        for_each_group(frame, &all, encode_group, codes);
        write_block(codes, where + i, all.count, channels, pixels);
    }
}

static void alpha_group(const mrwi_raster_shade_frame *frame, const draw_state *state,
                        const group *g, block *b, void *out)
{
    float *alpha = out;
    draw_state unlit = *state;
    unlit.lit = false;
    unlit.see_through = true;
    if (state->texture || state->colors) {
        attributes(frame, &unlit, g, &b->runs, &b->points);
    }
    if (state->texture) {
        sample_texture(&unlit, frame->filter, &b->points, g->count, &b->addresses, &b->colors);
    }
    for (uint32_t i = 0; i < g->count; i += MRWI_BASE_LANES) {
        float lane[MRWI_BASE_LANES];
        const vf4 base = load_base_color(&unlit, &b->points, &b->colors, i);
        vf_store(lane, vf_clamp(base.w, 0.0f, 1.0f));
        for (uint32_t k = 0; k < MRWI_BASE_LANES && i + k < g->count; k++) {
            alpha[g->slot ? g->slot[i + k] : i + k] = lane[k];
        }
    }
}

static void alpha_of(const mrwi_raster_shade_frame *frame, const mrwi_raster_shade_list *list,
                     float *alpha)
{
    for (uint32_t i = 0; i < list->count; i += BLOCK) {
        const group all = block_of_list(list, i);
        for_each_group(frame, &all, alpha_group, alpha + i);
    }
}

#include "raster/gather_kernel.h"

const mrwi_raster_shade_kernels MRWI_RASTER_SHADE_KERNELS = {shade,  alpha_of,     encode,
                                                             gather, write_pixels, shade_pixels};
