/* shade_kernel.h: the one source of the shading kernels in lanes, compiled once per instruction
 * set. shade_spec.c is the specification.
 *
 * A file defines MRWI_BASE_LANES and MRWI_SHADE_KERNELS (the name of the table) and includes this
 * file.
 *
 *   list ─ blocks of 256 ─ groups of one draw ─► attributes ─► addresses and texels of each map
 *   ─► base colour ─► light ─► colour, bytes or alpha
 *
 * A group shares its draw: `plan` lists its stages once, and textures need no look-up per lane.
 * Each stage is a loop over the group. Stages pass data on in the block, whose used part fits into
 * the first-level cache. No fragment's result depends on its neighbours.
 */
#include "base/simd/rows.h"
#include "shade/compact_lanes.h"
#include "shade/edge_lanes.h"
#include "shade/shade.h"
#include "shade/shade_block.h"
#include "shade/shade_isa.h"
#include "shade/texture.h"
#include "shade/tone_values.h"

#include <assert.h>

/* A stage is a function of its own, so that its loop gets all registers. */
#define STAGE static __attribute__((noinline))

/* Enumerators of scene.h, which this room must not include. */
enum { ALPHA_BLEND = 2 };
enum { WRAP_REPEAT = 0, WRAP_MIRROR = 2 };

#include "shade/attribute_kernel.h"
#include "shade/encode_kernel.h"
#include "shade/texel_kernel.h"

#include "shade/aniso_kernel.h"
#include "shade/light_kernel.h"

#include "shade/channel_kernel.h"

/* ---- base colours ---------------------------------------------------------------------------- */

/* Returns channel k of the base colour of fragments from i on: the material's factor times vertex
 * colour times texel. */
LANE_INLINE vf painted(const work *w, block *b, uint32_t i, uint32_t k, bool colored, bool textured)
{
    const float unit = 1.0f / 65535.0f; /* 65535 times this is 1 */
    vf base = vf_set(w->state->material->base_color[k]);
    if (colored) {
        base *= vf_load(b->points.stream[MRWI_SHADE_COLOR][k] + i);
    }
    return textured ? vf_load(colors_of(b)->channel[k] + i) * unit * base : base;
}

LANE_INLINE void paint_channels(const work *w, block *b, uint32_t first, uint32_t end, bool colored,
                                bool textured)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        LANE_UNROLL
        for (uint32_t k = first; k < end; k++) {
            vf_store(colors_of(b)->channel[k] + i, painted(w, b, i, k, colored, textured));
        }
    }
}

/* Paints base colours. Alpha is computed only if it matters. */
LANE_INLINE void paint(const work *w, block *b, bool colored, bool textured)
{
    if (w->state->alpha_alone) {
        paint_channels(w, b, 3, 4, colored, textured);
    } else if (w->state->see_through) {
        paint_channels(w, b, 0, 4, colored, textured);
    } else {
        paint_channels(w, b, 0, 3, colored, textured);
    }
}

STAGE void paint_plain(const work *w, block *b)
{
    paint(w, b, false, false);
}

STAGE void paint_colored(const work *w, block *b)
{
    paint(w, b, true, false);
}

STAGE void paint_textured(const work *w, block *b)
{
    paint(w, b, false, true);
}

STAGE void paint_colored_textured(const work *w, block *b)
{
    paint(w, b, true, true);
}

/* ---- what becomes of colours ----------------------------------------------------------------- */

LANE_INLINE vf4 load_color(const color_list *colors, uint32_t i, vf alpha)
{
    return (vf4){vf_load(colors->channel[0] + i), vf_load(colors->channel[1] + i),
                 vf_load(colors->channel[2] + i), alpha};
}

/* Stores premultiplied colours to rgba. Values are clamped to 2^16: infinities would become NaN
 * when blended. */
LANE_INLINE void store_color(const group *g, uint32_t i, vf4 c, float (*rgba)[4])
{
    void *row[MRWI_BASE_LANES];
    LANE_UNROLL
    for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
        row[k] = rgba[g->slot ? g->slot[i + k] : i + k];
    }
    vf4_store_rows(row,
                   (vf4){vf_clamp(c.x, 0.0f, 0x1p16f) * c.w, vf_clamp(c.y, 0.0f, 0x1p16f) * c.w,
                         vf_clamp(c.z, 0.0f, 0x1p16f) * c.w, c.w});
}

STAGE void store_opaque(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        store_color(w->g, i, load_color(colors_of(b), i, vf_set(1.0f)), w->out);
    }
}

STAGE void store_blended(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vf alpha = vf_clamp(vf_load(colors_of(b)->channel[3] + i), 0.0f, 1.0f);
        store_color(w->g, i, load_color(colors_of(b), i, alpha), w->out);
    }
}

STAGE void store_alpha(const work *w, block *b)
{
    float *alpha = w->out;
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const vf clamped = vf_clamp(vf_load(colors_of(b)->channel[3] + i), 0.0f, 1.0f);
        if (!w->g->slot && i + MRWI_BASE_LANES <= w->g->count) {
            vf_store(alpha + i, clamped);
            continue;
        }
        float lane[MRWI_BASE_LANES];
        vf_store(lane, clamped);
        for (uint32_t k = 0; k < MRWI_BASE_LANES && i + k < w->g->count; k++) {
            alpha[w->g->slot ? w->g->slot[i + k] : i + k] = lane[k];
        }
    }
}

/* Stores opaque colours as bytes. No clamp is needed but that of the encoding. */
LANE_INLINE void store_codes(const work *w, block *b, mrwi_shade_curve curve, bool paints)
{
    const float exposure = w->frame->tone.exposure;
    const uint32_t *slot = w->g->slot;
    const uint32_t count = w->g->count;
    int32_t *codes = w->out;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vf opaque = vf_set(1.0f);
        const vi code = encode_opaque(paints ? (vf4){painted(w, b, i, 0, false, true),
                                                     painted(w, b, i, 1, false, true),
                                                     painted(w, b, i, 2, false, true), opaque}
                                             : load_color(colors_of(b), i, opaque),
                                      curve, exposure);
        if (!slot) {
            vi_store(codes + i, code);
            continue;
        }
        int32_t lane[MRWI_BASE_LANES];
        vi_store(lane, code);
        for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
            codes[slot[i + k]] = lane[k];
        }
    }
}

STAGE void encode_srgb(const work *w, block *b)
{
    store_codes(w, b, MRWI_SHADE_CURVE_SRGB, false);
}

STAGE void encode_exposed(const work *w, block *b)
{
    store_codes(w, b, MRWI_SHADE_CURVE_EXPOSED, false);
}

STAGE void encode_aces(const work *w, block *b)
{
    store_codes(w, b, MRWI_SHADE_CURVE_ACES, false);
}

STAGE void encode_neutral(const work *w, block *b)
{
    store_codes(w, b, MRWI_SHADE_CURVE_NEUTRAL, false);
}

STAGE void encode_raw(const work *w, block *b)
{
    store_codes(w, b, MRWI_SHADE_CURVE_RAW, false);
}

/* Combines paint_textured and encode_raw: without light between them, a separate loop for painting
 * costs 4 % of the whole. */
STAGE void encode_raw_texels(const work *w, block *b)
{
    store_codes(w, b, MRWI_SHADE_CURVE_RAW, true);
}

#include "shade/mode_kernel.h"

/* ---- the stages of a draw -------------------------------------------------------------------- */

/* The output of a kernel. */
typedef enum goal {
    GOAL_COLOR, /* float[4]: premultiplied linear colour */
    GOAL_BYTES, /* int32_t: the encoded bytes of an opaque fragment */
    GOAL_ALPHA  /* float: alpha of the base colour */
} goal;

static void add_stage(stage_list *list, stage *next)
{
    list->stages[list->count++] = next;
}

/* The maps that a kind of surface reads, one bit each. */
#define BIT(map)     (1u << MRW_RASTER_MAP_##map)
#define ALL_SURFACES (BIT(BASE_COLOR) | BIT(NORMAL) | BIT(OCCLUSION) | BIT(EMISSIVE))
#define METALLIC_MAPS                                                                              \
    (BIT(METALLIC_ROUGHNESS) | BIT(METALLIC) | BIT(ROUGHNESS) | BIT(SPECULAR_STRENGTH))
#define COAT_MAPS  (BIT(CLEARCOAT) | BIT(CLEARCOAT_ROUGHNESS) | BIT(CLEARCOAT_NORMAL))
#define SHEEN_MAPS (BIT(SHEEN_COLOR) | BIT(SHEEN_ROUGHNESS))

static bool emits(const mrw_raster_material *m)
{
    return m->emissive[0] != 0.0f || m->emissive[1] != 0.0f || m->emissive[2] != 0.0f;
}

/* Returns the maps whose texels are wanted, one bit each. */
static uint32_t maps_of(const mrw_raster_draw *draw, const mrw_shading_info *mode,
                        mrw_shading_channel channel, bool lit, bool painted)
{
    const mrw_raster_material *m = draw->material;
    uint32_t wanted = painted ? BIT(BASE_COLOR) : 0, maps = 0;
    if (lit && mode->data) {
        wanted = channel_maps(channel, m);
        wanted &= draw->tangents ? ~0u : ~MRWI_SHADE_TANGENT_MAPS;
    } else if (lit && mode->materials) {
        const bool shines = m->surface != MRW_SURFACE_CLASSIC || m->shininess > 0.0f;
        wanted = ALL_SURFACES | (shines ? BIT(SPECULAR) : 0);
        wanted |= m->surface == MRW_SURFACE_METALLIC_ROUGHNESS ? METALLIC_MAPS : 0;
        wanted |= m->clearcoat > 0.0f ? COAT_MAPS : 0;
        wanted |= mrw_raster_has_sheen(m) ? SHEEN_MAPS : 0;
        wanted &= draw->tangents && !mode->flat ? ~0u : ~MRWI_SHADE_TANGENT_MAPS;
        wanted &= emits(m) ? ~0u : ~BIT(EMISSIVE);
    }
    if (lit && mode->matcap && draw->tangents) {
        wanted |= BIT(NORMAL);
    }
    for (; wanted != 0; wanted &= wanted - 1) {
        const uint32_t bit = wanted & -wanted;
        maps |= m->maps[__builtin_ctz(wanted)].texture ? bit : 0;
    }
    return maps;
}

static bool lie_alike(const mrw_raster_map *a, const mrw_raster_map *b)
{
    return a->uvs == b->uvs && a->wrap_u == b->wrap_u && a->wrap_v == b->wrap_v &&
           a->nearest == b->nearest && a->minify == b->minify &&
           a->texture->layout.width == b->texture->layout.width &&
           a->texture->layout.height == b->texture->layout.height &&
           a->texture->layout.finest == b->texture->layout.finest;
}

static void place_maps(draw_state *state, mrw_filter filter)
{
    for (uint32_t left = state->maps; left != 0; left &= left - 1) {
        const mrw_raster_map *map = &state->material->maps[__builtin_ctz(left)];
        uint32_t p = 0;
        while (p < state->placement_count && !lie_alike(map, state->placements[p].first)) {
            p++;
        }
        if (p == state->placement_count) {
            state->placements[state->placement_count++] = (placement){map, 0};
            const bool levels =
                filter >= MRW_FILTER_TRILINEAR || (filter == MRW_FILTER_BILINEAR && map->nearest);
            state->footprints |= (levels ? 1u : 0u) << p;
        }
        state->placements[p].maps |= left & -left;
    }
}

/* Returns true if the surface could be too smooth for normals that turn within a pixel: see
 * light_spec.h. */
static bool can_be_smooth(const draw_state *state)
{
    const mrw_raster_material *m = state->material;
    const uint32_t roughness = BIT(METALLIC_ROUGHNESS) | BIT(ROUGHNESS);
    if (m->clearcoat > 0.0f) {
        return true;
    }
    switch (m->surface) {
    case MRW_SURFACE_METALLIC_ROUGHNESS:
        return m->roughness < MRWI_SHADE_ROUGH || (state->maps & roughness) != 0;
    case MRW_SURFACE_SPECULAR_GLOSSINESS:
        return 1.0f - m->glossiness < MRWI_SHADE_ROUGH;
    default:
        return mrwi_shade_classic_of(m->shininess).roughness < MRWI_SHADE_ROUGH;
    }
}

/* Finds the inputs that a draw's stages read. */
static void find_needs(const mrwi_shade_frame *frame, const mrw_raster_draw *draw, goal wanted,
                       draw_state *out)
{
    const mrw_raster_material *material = draw->material;
    const mrw_shading_info *mode = mrw_shading_info_of(frame->shading);
    const bool as_it_is = wanted == GOAL_ALPHA || (material->unlit && mode->keeps_unlit);
    const bool lit = (mode->lit || mode->data || mode->matcap) && !as_it_is;
    out->material = material;
    out->as_it_is = as_it_is;
    out->see_through = wanted == GOAL_ALPHA || material->alpha_mode == ALPHA_BLEND ||
                       (mode->data && frame->channel == MRW_CHANNEL_ALPHA);
    out->alpha_alone = wanted == GOAL_ALPHA;
    out->painted = as_it_is || mode->base_color || mode->data || out->see_through;
    out->maps = maps_of(draw, mode, frame->channel, lit, out->painted);
    out->placement_count = out->footprints = 0;
    out->probes = frame->filter == MRW_FILTER_ANISO;
    place_maps(out, frame->filter);
    out->lit = lit;
    out->placed = lit && mode->lit && frame->placed_lights;
    out->ambient = lit && mrwi_shade_has_ambient_light(&frame->lighting);
    out->shadowed = lit && mode->lit && frame->shadow_count > 0;
    out->occluded = out->ambient && mode->lit && frame->occlusion;
    out->ground = draw->ground != MRW_GROUND_NONE;
    out->flat = draw->flat || mode->flat;
    out->edges = lit && frame->shading == MRW_SHADING_WIRE;
    out->curved = lit && frame->shading == MRW_SHADING_LIT && !draw->flat && can_be_smooth(out);
    out->mirrored = draw->mirrored;
    out->streams =
        (draw->colors && out->painted ? 1u << MRWI_SHADE_COLOR : 0u) |
        (out->placed || out->shadowed || out->occluded ? 1u << MRWI_SHADE_POSITION : 0u) |
        ((out->maps & MRWI_SHADE_TANGENT_MAPS) != 0 ? 1u << MRWI_SHADE_TANGENT : 0u);
    out->shown = lit && mode->data ? channel_stage(frame->channel, draw) : NULL;
    out->streams |= reads_tangents(out->shown) ? 1u << MRWI_SHADE_TANGENT : 0u;
}

/* Returns the stage that lights a kind of surface. There are variants for surfaces with maps and
 * for placed lights. */
static stage *light_stage(const draw_state *state)
{
    static stage *const plain[2][2] = {{light_metallic_plain, light_metallic_plain_placed},
                                       {light_dielectric, light_dielectric_placed}};
    static stage *const mapped[][2] = {
        [MRW_SURFACE_METALLIC_ROUGHNESS] = {light_metallic, light_metallic_placed},
        [MRW_SURFACE_SPECULAR_GLOSSINESS] = {light_glossy, light_glossy_placed},
        [MRW_SURFACE_CLASSIC] = {light_classic, light_classic_placed}};
    static stage *const matt[2] = {light_classic_matt, light_classic_matt_placed};
    const uint32_t others = ~(BIT(BASE_COLOR) | BIT(EMISSIVE) | COAT_MAPS | SHEEN_MAPS);
    const mrw_raster_material *m = state->material;
    if (m->surface == MRW_SURFACE_CLASSIC && !(m->shininess > 0.0f)) {
        return matt[state->placed];
    }
    if (m->surface != MRW_SURFACE_METALLIC_ROUGHNESS || (state->maps & others) != 0) {
        return mapped[m->surface][state->placed];
    }
    const float *tint = m->specular_color;
    const bool dielectric = m->metallic == 0.0f && tint[0] == tint[1] && tint[0] == tint[2] &&
                            m->specular >= 0.0f && m->specular <= 1.0f;
    return plain[dielectric][state->placed];
}

/* Adds the stages of MRW_SHADING_LIT. */
static void add_lit(const draw_state *state, stage_list *out)
{
    add_stage(out, light_stage(state));
    if (mrw_raster_has_sheen(state->material)) {
        add_stage(out, sheen);
    }
    if (emits(state->material)) {
        add_stage(out, emit);
    }
    if (state->material->clearcoat > 0.0f) {
        add_stage(out, coat);
    }
}

/* Adds the stages of MRW_SHADING_PHONG. */
static void add_phong(const draw_state *state, stage_list *out)
{
    static stage *const stages[] = {[MRW_SURFACE_METALLIC_ROUGHNESS] = phong_metallic,
                                    [MRW_SURFACE_SPECULAR_GLOSSINESS] = phong_glossy,
                                    [MRW_SURFACE_CLASSIC] = phong_classic};
    add_stage(out, stages[state->material->surface]);
    if (emits(state->material)) {
        add_stage(out, emit);
    }
}

/* Adds the stages of a mode. Modes that are not listed show the base colour. */
static void add_mode(mrw_shading shading, const draw_state *state, stage_list *out)
{
    switch (shading) {
    case MRW_SHADING_LIT:
    case MRW_SHADING_FLAT:
        add_lit(state, out);
        break;
    case MRW_SHADING_CLAY:
        add_stage(out, paint_clay);
        add_stage(out, light_lambert);
        break;
    case MRW_SHADING_LAMBERT:
        add_stage(out, light_lambert);
        break;
    case MRW_SHADING_PHONG:
        add_phong(state, out);
        break;
    case MRW_SHADING_TOON:
        add_stage(out, light_toon);
        break;
    case MRW_SHADING_MATCAP:
        add_stage(out, show_matcap);
        break;
    case MRW_SHADING_WIRE:
        add_stage(out, paint_faces);
        add_stage(out, light_lambert);
        add_stage(out, draw_edges);
        break;
    default:
        if (state->shown) { /* data; the base colour has no stage */
            add_stage(out, state->shown);
        }
        break;
    }
}

/* Plans a draw: the only place that knows how a draw is shaded. */
static void plan(const mrwi_shade_frame *frame, const mrw_raster_draw *draw,
                 const draw_state *state, goal wanted, stage_list *out)
{
    static stage *const paints[2][2] = {{paint_plain, paint_colored},
                                        {paint_textured, paint_colored_textured}};
    static stage *const encodes[MRWI_SHADE_CURVE_COUNT] = {
        [MRWI_SHADE_CURVE_SRGB] = encode_srgb,
        [MRWI_SHADE_CURVE_RAW] = encode_raw,
        [MRWI_SHADE_CURVE_EXPOSED] = encode_exposed,
        [MRWI_SHADE_CURVE_ACES] = encode_aces,
        [MRWI_SHADE_CURVE_NEUTRAL] = encode_neutral};
    static stage *const textures[] = {[MRW_FILTER_NEAREST] = textures_finest,
                                      [MRW_FILTER_BILINEAR] = textures_finest,
                                      [MRW_FILTER_TRILINEAR] = textures_trilinear,
                                      [MRW_FILTER_ANISO] = textures_aniso};
    out->count = 0;
    const bool textured = state->maps >> MRW_RASTER_MAP_BASE_COLOR & 1u;
    if (state->maps != 0 || state->streams != 0 || state->lit) {
        add_stage(out, attributes);
    }
    if (state->maps != 0) {
        add_stage(out, textures[frame->filter]);
    }
    if (wanted == GOAL_BYTES && frame->shading == MRW_SHADING_RAW && textured && !draw->colors) {
        add_stage(out, encode_raw_texels);
        return;
    }
    if (state->painted) {
        add_stage(out, paints[textured][draw->colors ? 1 : 0]);
    }
    if (state->placed && frame->lamps) {
        add_stage(out, choose_lamps);
    }
    if (state->shadowed) {
        add_stage(out, shadow_lights);
    }
    if (state->occluded) {
        add_stage(out, find_openness);
    }
    const bool lights = state->lit && mrw_shading_info_of(frame->shading)->lit;
    if (draw->ground == MRW_GROUND_CATCHER && lights) {
        add_stage(out, catch_shadows);
    } else if (!state->as_it_is) {
        add_mode(frame->shading, state, out);
    }
    if (wanted == GOAL_ALPHA) {
        add_stage(out, store_alpha);
    } else if (wanted == GOAL_BYTES) {
        add_stage(out, encodes[frame->tone.curve]);
    } else {
        const bool blends = state->material->alpha_mode == ALPHA_BLEND;
        add_stage(out, blends ? store_blended : store_opaque);
    }
}

/* ---- lists into blocks, blocks into groups --------------------------------------------------- */

static uint32_t draw_of(const mrwi_shade_frame *frame, uint32_t triangle)
{
    return frame->triangles[triangle].draw_flags >> 1;
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

/* The numbers of fragments that no group has taken yet. */
typedef struct pending_list {
    uint32_t number[BLOCK];
    uint32_t count;
} pending_list;

/* Takes the fragments of the first pending one's draw; the others stay pending. */
STAGE group collect_group(const mrwi_shade_frame *frame, const group *all, pending_list *pending,
                          picked_list *out)
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

/* Loads MRWI_BASE_LANES entries from p[i - 1] on; p[-1] may be anything. */
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

static bool has_one_draw(const mrwi_shade_frame *frame, const group *all, const run_list *runs)
{
    uint32_t differ = 0, draw = draw_of(frame, all->triangle[0]);
    for (uint32_t i = 0; i < all->count; i += MRWI_BASE_LANES) {
        for (uint32_t bits = runs->starts[i / MRWI_BASE_LANES]; bits != 0; bits &= bits - 1) {
            differ |= draw_of(frame, all->triangle[i + (uint32_t)__builtin_ctz(bits)]) ^ draw;
        }
    }
    return differ == 0;
}

static void run_stages(const mrwi_shade_frame *frame, const group *g, goal wanted, block *b,
                       void *out)
{
    const mrw_raster_draw *draw = &frame->draws[draw_of(frame, g->triangle[0])];
    draw_state state;
    stage_list list;
    find_needs(frame, draw, wanted, &state);
    plan(frame, draw, &state, wanted, &list);
    const work w = {frame, &state, g, out};
    take_lamps(frame, &b->lamps);
    for (uint32_t i = 0; i < list.count; i++) {
        list.stages[i](&w, b);
    }
}

_Static_assert(sizeof(block) % 64 == 0 && sizeof(block) + sizeof(value_table) <= MRWI_SHADE_MEMORY,
               "a block and its values lie in the memory of a list");

/* Runs the stages of the groups of a block, in `memory`. */
static void shade_block(const mrwi_shade_frame *frame, const group *all, goal wanted, void *memory,
                        void *out)
{
    block *b = memory;
    b->values = (value_table *)(b + 1);
    find_runs(all, &b->runs);
    if (has_one_draw(frame, all, &b->runs)) {
        run_stages(frame, all, wanted, b, out);
        return;
    }
    pending_list pending;
    pending.count = all->count;
    for (uint32_t i = 0; i < pending.count; i++) {
        pending.number[i] = i;
    }
    while (pending.count > 0) {
        const group g = collect_group(frame, all, &pending, &b->picked);
        find_runs(&g, &b->runs);
        run_stages(frame, &g, wanted, b, out);
    }
}

static group block_of_list(const mrwi_shade_list *list, uint32_t first)
{
    uint32_t count = list->count - first;
    return (group){.count = count < BLOCK ? count : BLOCK,
                   .x = list->x + first,
                   .y = list->y + first,
                   .triangle = list->triangle + first,
                   .other_x = list->other_x ? list->other_x + first : NULL,
                   .other_y = list->other_y ? list->other_y + first : NULL};
}

/* ---- the kernels ----------------------------------------------------------------------------- */

static void shade(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float (*rgba)[4])
{
    for (uint32_t i = 0; i < list->count; i += BLOCK) {
        const group all = block_of_list(list, i);
        shade_block(frame, &all, GOAL_COLOR, list->memory, rgba + i);
    }
}

static void shade_pixels(const mrwi_shade_frame *frame, const mrwi_shade_list *list,
                         const uint32_t *where, uint32_t channels, uint8_t *pixels)
{
    int32_t codes[BLOCK_PADDED];
    for (uint32_t i = 0; i < list->count; i += BLOCK) {
        const group all = block_of_list(list, i);
        shade_block(frame, &all, GOAL_BYTES, list->memory, codes);
        write_block(codes, where + i, all.count, channels, pixels);
    }
}

static void alpha_of(const mrwi_shade_frame *frame, const mrwi_shade_list *list, float *alpha)
{
    for (uint32_t i = 0; i < list->count; i += BLOCK) {
        const group all = block_of_list(list, i);
        shade_block(frame, &all, GOAL_ALPHA, list->memory, alpha + i);
    }
}

#include "shade/gather_kernel.h"

const mrwi_shade_kernels MRWI_SHADE_KERNELS = {shade,  alpha_of,     encode,
                                               gather, write_pixels, shade_pixels};
