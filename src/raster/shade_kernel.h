/* shade_kernel.h: the one source of the shading kernels in lanes, compiled once an instruction set.
 * shade_spec.c says what is computed.
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
#include "raster/encode_kernel.h"
#include "raster/light_kernel.h"
#include "raster/texel_kernel.h"

/* ---- colours --------------------------------------------------------------------------------- */

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

/* Colours, premultiplied. Values are held below 2^16: infinities would become NaN when blended. */
STAGE void light(const mrwi_raster_shade_frame *frame, const draw_state *state, const group *g,
                 const point_list *points, const color_list *texels, float (*rgba)[4])
{
    const int squarings = highlight_squarings(state->material->shininess);
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
    const int squarings = highlight_squarings(state->material->shininess);
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
