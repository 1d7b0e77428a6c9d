/* texel_kernel.h: the stages that read textures: addresses and texels; included by shade_kernel.h,
 * compiled once per instruction set. */

/* ---- addresses ------------------------------------------------------------------------------- */

/* Wraps a texture coordinate of any size to 0 ... 1. */
LANE_INLINE vf wrap_coordinate(vf u, uint32_t wrap)
{
    if (wrap == WRAP_REPEAT || wrap == WRAP_MIRROR) {
        u = vf_clamp(u, -0x1p22f,
                     0x1p22f); /* floats are whole numbers from there on: nothing to see */
        if (wrap == WRAP_REPEAT) {
            return u - vf_floor(u);
        }
        vf t = u - 2.0f * vf_floor(u * 0.5f);
        return vf_min(t, 2.0f - t);
    }
    return vf_clamp(u, 0.0f, 1.0f);
}

/* Finds the place of a wrapped coordinate on one axis of a level: *texel is the left one of the two
 * texels to blend, the result the weight of the right one. Between the last texel and the first,
 * only repeating blends; the other modes stop at the centre of either. */
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

/* Replaces the place by the texel that holds the coordinate, alone, where `nearest` is set. */
LANE_INLINE vf snap_on_axis(vf t, vf size, vi nearest, vf weight, vi *texel)
{
    vi own = vi_min(vf_truncate(t * size), vf_truncate(size) - 1);
    *texel = vi_select(nearest, own, *texel);
    return vf_select(nearest, vf_set(0.0f), weight);
}

/* Returns log2(x) for 1 <= x < 2^64, accurate to 2e-5 and exact at powers of two. The mantissa's
 * part is the minimax polynomial of degree 5 that is 0 at 1 and 1 at 2. */
LANE_INLINE vf log2_approximate(vf x)
{
    vi bits = vf_bits(x);
    vf exponent = vi_to_float((bits >> 23) - 127);
    vf t = vf_from_bits((bits & 0x007fffff) | 0x3f800000) - 1.0f;
    vf p = 0.415606068f + t * (-0.193575707f + t * 0.04514905f);
    return exponent + t * (1.44191704f + t * (-0.70909645f + t * p));
}

/* Loads one level per lane as a whole: see mrwi_shade_texture_level. */
LANE_INLINE vf4 load_levels(const mrw_raster_texture *texture, vi level)
{
    int32_t index[MRWI_BASE_LANES];
    const void *row[MRWI_BASE_LANES];
    vi_store(index, level);
    LANE_UNROLL
    for (int k = 0; k < MRWI_BASE_LANES; k++) {
        row[k] = &texture->layout.levels[index[k]];
    }
    return vf4_load_rows(row);
}

/* All levels of a texture, so that lanes find theirs without memory if registers are long enough.
 */
typedef struct level_table {
    const mrw_raster_texture *texture;
    vi last;
    vf4 all; /* lane i: level i */
} level_table;

LANE_INLINE level_table level_table_of(const mrw_raster_texture *texture)
{
    const vi last = vi_set((int32_t)texture->layout.level_count - 1);
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
    const mrwi_shade_texture_level *one = &table->texture->layout.levels[first];
    return (vf4){vf_from_bits(vi_set(one->first)), vf_from_bits(vi_set(one->stride)),
                 vf_set(one->width), vf_set(one->height)};
#endif
}

/* Returns the address of a texel. */
LANE_INLINE const void *texel_at(const mrw_raster_texture *texture, bool data, int32_t index)
{
    return data ? (const void *)(texture->data + 4 * (ptrdiff_t)index)
                : (const void *)(texture->texels + 4 * (ptrdiff_t)index);
}

LANE_INLINE void store_tap(const mrw_raster_map *map, vf4 level, vf u, vf v, const vi *nearest,
                           uint32_t i, tap_list *out)
{
    vi x, y, first = vf_bits(level.x), stride = vf_bits(level.y);
    vf across = place_on_axis(u, level.z, map->wrap_u, &x);
    vf down = place_on_axis(v, level.w, map->wrap_v, &y);
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

/* Prefetches the texels of a level ahead. Eight texels share a cache line (sixteen of data); four
 * neighbours in a row see no more of the levels that trilinear filtering blends. */
LANE_INLINE void fetch_tap(const mrw_raster_texture *texture, bool data, const tap_list *tap,
                           uint32_t i)
{
    for (uint32_t k = i; k < i + MRWI_BASE_LANES; k += 4) {
        __builtin_prefetch(texel_at(texture, data, tap->texel[k]));
        __builtin_prefetch(texel_at(texture, data, tap->lower[k]));
    }
}

/* Asserts that all levels that a group reads are kept: mrw_raster_finest_levels promised it. */
LANE_INLINE void check_levels(const mrw_raster_texture *texture, vi level)
{
    assert(!mask_any(vi_less(level, vi_set((int32_t)texture->layout.finest))));
    (void)texture, (void)level;
}

/* Returns a mask of fragments that magnify the finest level. */
LANE_INLINE vi magnified(const uv_list *uvs, uint32_t i)
{
    return ~vf_less(vf_set(1.0f), vf_load(uvs->footprint + i));
}

/* Returns the level of detail: log2 of the footprint's longer side, unless the map asks for whole
 * levels. */
LANE_INLINE vf level_of_detail(const mrw_raster_map *map, vf footprint)
{
    const vf lod = 0.5f * log2_approximate(footprint);
    if (mrwi_shade_minify_stays(map)) {
        return vf_set(0.0f);
    }
    return mrwi_shade_minify_rounds(map) ? vi_to_float(vf_truncate(lod + 0.5f)) : lod;
}

/* Finds the addresses in two levels, if some fragment of the group sees less than the finest level.
 */
LANE_INLINE void trilinear_addresses(const mrw_raster_map *map, bool data, const uv_list *uvs,
                                     uint32_t count, address_list *out)
{
    const level_table levels = level_table_of(map->texture);
    const bool snaps = mrwi_shade_minify_snaps(map), snaps_some = snaps || map->nearest;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        vf u = wrap_coordinate(vf_load(uvs->u + i), map->wrap_u);
        vf v = wrap_coordinate(vf_load(uvs->v + i), map->wrap_v);
        vf lod = level_of_detail(map, vf_load(uvs->footprint + i));
        vi level = vf_truncate(lod);
        vf_store(out->level_mix + i, lod - vi_to_float(level));
        check_levels(map->texture, vi_min(level, levels.last));
        vi nearest = magnified(uvs, i);
        if (snaps) {
            nearest = map->nearest ? vi_set(-1) : ~nearest;
        }
        store_tap(map, level_of(&levels, level), u, v, snaps_some ? &nearest : NULL, i,
                  &out->tap[0]);
        store_tap(map, level_of(&levels, level + 1), u, v, snaps ? &nearest : NULL, i,
                  &out->tap[1]);
        fetch_tap(map->texture, data, &out->tap[0], i);
        fetch_tap(map->texture, data, &out->tap[1], i);
    }
}

STAGE void addresses_of_two_levels(const mrw_raster_map *map, const uv_list *uvs, uint32_t count,
                                   address_list *out)
{
    trilinear_addresses(map, false, uvs, count, out);
}

STAGE void addresses_of_two_data_levels(const mrw_raster_map *map, const uv_list *uvs,
                                        uint32_t count, address_list *out)
{
    trilinear_addresses(map, true, uvs, count, out);
}

/* Finds the addresses in the finest level, in all other cases. */
STAGE void addresses_of_finest(const mrw_raster_map *map, mrw_filter filter, const uv_list *uvs,
                               uint32_t count, tap_list *out)
{
    bool magnified_nearest = map->nearest && filter != MRW_FILTER_NEAREST;
    const vf4 finest = load_levels(map->texture, vi_set(0));
    check_levels(map->texture, vi_set(0));
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        vf u = wrap_coordinate(vf_load(uvs->u + i), map->wrap_u);
        vf v = wrap_coordinate(vf_load(uvs->v + i), map->wrap_v);
        vi nearest = vi_set(-1), *snap = filter == MRW_FILTER_NEAREST ? &nearest : NULL;
        if (magnified_nearest) {
            nearest = magnified(uvs, i);
            snap = &nearest;
        }
        store_tap(map, finest, u, v, snap, i, out);
    }
}

/* ---- texels ---------------------------------------------------------------------------------- */

/* Return the 16-bit halves of each number. */
LANE_INLINE vf low_half(vf bits)
{
    return vi_to_float(vf_bits(bits) & 0xffff);
}
LANE_INLINE vf high_half(vf bits)
{
    return vi_to_float(vi_shift_right(vf_bits(bits), 16));
}

/* Mixes a and b; equal texels keep their value exactly. */
LANE_INLINE vf mix(vf a, vf b, vf f)
{
    return a + (b - a) * f;
}

/* Channels, one bit each. */
enum { RED = 1, GREEN = 2, BLUE = 4, ALPHA = 8, COLOR = RED | GREEN | BLUE };

/* Two texels and the two below them, for each fragment: x holds red and green of the left one, y
 * its blue and alpha, z and w those of the right one. */
typedef struct tap_lanes {
    vf4 upper, lower;
    vf across, down;
} tap_lanes;

LANE_INLINE tap_lanes load_tap(const mrw_raster_texture *texture, const tap_list *tap, uint32_t i)
{
    const void *upper[MRWI_BASE_LANES], *lower[MRWI_BASE_LANES];
    LANE_UNROLL
    for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
        upper[k] = texel_at(texture, false, tap->texel[i + k]);
        lower[k] = texel_at(texture, false, tap->lower[i + k]);
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

LANE_INLINE vf4 sample_colors(const mrw_raster_texture *texture, uint32_t channels,
                              const tap_list *tap, uint32_t i)
{
    const tap_lanes t = load_tap(texture, tap, i);
    const vf4 *u = &t.upper, *l = &t.lower;
    return (vf4){blend_low(&t, u->x, u->z, l->x, l->z), blend_high(&t, u->x, u->z, l->x, l->z),
                 blend_low(&t, u->y, u->w, l->y, l->w),
                 channels & ALPHA ? blend_high(&t, u->y, u->w, l->y, l->w) : vf_set(0.0f)};
}

/* The same for data: x is the left texel, y the right one. */
typedef struct data_tap_lanes {
    vf2 upper, lower;
    vf across, down;
} data_tap_lanes;

LANE_INLINE data_tap_lanes load_data_tap(const mrw_raster_texture *texture, const tap_list *tap,
                                         uint32_t i)
{
    const void *upper[MRWI_BASE_LANES], *lower[MRWI_BASE_LANES];
    LANE_UNROLL
    for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
        upper[k] = texel_at(texture, true, tap->texel[i + k]);
        lower[k] = texel_at(texture, true, tap->lower[i + k]);
    }
    return (data_tap_lanes){vf2_load_rows(upper), vf2_load_rows(lower), vf_load(tap->across + i),
                            vf_load(tap->down + i)};
}

/* Returns byte k of each number, times 256^k except for the last byte, which would become the sign.
 */
LANE_INLINE vf data_byte(vf bits, int k)
{
    return vi_to_float(k == 3 ? vi_shift_right(vf_bits(bits), 24) : vf_bits(bits) & 0xff << 8 * k);
}

/* Blends a channel, 0 ... 255, to the range of colours. Powers of two change no rounding on the
 * way, so they are removed at the end. */
LANE_INLINE vf blend_bytes(const data_tap_lanes *t, int k)
{
    const float scale[4] = {257.0f, 257.0f / 0x1p8f, 257.0f / 0x1p16f, 257.0f};
    vf left = mix(data_byte(t->upper.x, k), data_byte(t->lower.x, k), t->down);
    vf right = mix(data_byte(t->upper.y, k), data_byte(t->lower.y, k), t->down);
    return mix(left, right, t->across) * scale[k];
}

LANE_INLINE vf4 sample_data(const mrw_raster_texture *texture, uint32_t channels,
                            const tap_list *tap, uint32_t i)
{
    const data_tap_lanes t = load_data_tap(texture, tap, i);
    const vf none = vf_set(0.0f);
    return (vf4){
        channels & RED ? blend_bytes(&t, 0) : none, channels & GREEN ? blend_bytes(&t, 1) : none,
        channels & BLUE ? blend_bytes(&t, 2) : none, channels & ALPHA ? blend_bytes(&t, 3) : none};
}

/* Samples one level, for some channels. */
LANE_INLINE vf4 sample_level(const mrw_raster_texture *texture, bool data, uint32_t channels,
                             const tap_list *tap, uint32_t i)
{
    return data ? sample_data(texture, channels, tap, i) : sample_colors(texture, channels, tap, i);
}

LANE_INLINE void store_channels(color_list *out, uint32_t i, vf4 color, uint32_t channels)
{
    const vf channel[4] = {color.x, color.y, color.z, color.w};
    LANE_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        if (channels >> k & 1u) {
            vf_store(out->channel[k] + i, channel[k]);
        }
    }
}

/* at: the addresses to read, up to count. next: NULL, or the texture that is read next at the same
 * places, whose texels are prefetched if there are two levels. */
typedef struct texel_job {
    const mrw_raster_texture *texture, *next;
    const address_list *at;
    uint32_t count;
    color_list *out;
} texel_job;

LANE_INLINE void one_level(const texel_job *job, bool data, uint32_t channels)
{
    for (uint32_t i = 0; i < job->count; i += MRWI_BASE_LANES) {
        const vf4 color = sample_level(job->texture, data, channels, &job->at->tap[0], i);
        store_channels(job->out, i, color, channels);
    }
}

LANE_INLINE void two_levels(const texel_job *job, bool data, uint32_t channels)
{
    const mrw_raster_texture *texture = job->texture, *next = job->next;
    const address_list *at = job->at;
    for (uint32_t i = 0; i < job->count; i += MRWI_BASE_LANES) {
        if (next) {
            fetch_tap(next, next->data, &at->tap[0], i);
            fetch_tap(next, next->data, &at->tap[1], i);
        }
        vf4 fine = sample_level(texture, data, channels, &at->tap[0], i);
        vf4 coarse = sample_level(texture, data, channels, &at->tap[1], i);
        vf f = vf_load(at->level_mix + i);
        store_channels(job->out, i,
                       (vf4){mix(fine.x, coarse.x, f), mix(fine.y, coarse.y, f),
                             mix(fine.z, coarse.z, f), mix(fine.w, coarse.w, f)},
                       channels);
    }
}

/* Has a loop for each encoding, and for the sets of channels that are often read. */
STAGE void texels_one_level(const texel_job *job, uint32_t channels)
{
    if (channels & ALPHA) {
        one_level(job, false, COLOR | ALPHA);
    } else {
        one_level(job, false, COLOR);
    }
}

STAGE void texels_two_levels(const texel_job *job, uint32_t channels)
{
    if (channels & ALPHA) {
        two_levels(job, false, COLOR | ALPHA);
    } else {
        two_levels(job, false, COLOR);
    }
}

STAGE void data_one_level(const texel_job *job, uint32_t channels)
{
    if (channels == RED) {
        one_level(job, true, RED);
    } else if (channels == (GREEN | BLUE)) {
        one_level(job, true, GREEN | BLUE);
    } else if ((channels & ALPHA) == 0) {
        one_level(job, true, COLOR);
    } else {
        one_level(job, true, COLOR | ALPHA);
    }
}

STAGE void data_two_levels(const texel_job *job, uint32_t channels)
{
    if (channels == RED) {
        two_levels(job, true, RED);
    } else if (channels == (GREEN | BLUE)) {
        two_levels(job, true, GREEN | BLUE);
    } else if ((channels & ALPHA) == 0) {
        two_levels(job, true, COLOR);
    } else {
        two_levels(job, true, COLOR | ALPHA);
    }
}

/* ---- alpha alone ----------------------------------------------------------------------------- */

LANE_INLINE void sample_alphas(const mrw_raster_texture *texture, bool data, bool two,
                               const address_list *at, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        vf alpha = sample_level(texture, data, ALPHA, &at->tap[0], i).w;
        if (two) {
            const vf coarse = sample_level(texture, data, ALPHA, &at->tap[1], i).w;
            alpha = mix(alpha, coarse, vf_load(at->level_mix + i));
        }
        vf_store(out + i, alpha);
    }
}

STAGE void alphas_one_level(const mrw_raster_texture *texture, const address_list *at,
                            uint32_t count, float *out)
{
    if (texture->data) {
        sample_alphas(texture, true, false, at, count, out);
    } else {
        sample_alphas(texture, false, false, at, count, out);
    }
}

STAGE void alphas_two_levels(const mrw_raster_texture *texture, const address_list *at,
                             uint32_t count, float *out)
{
    if (texture->data) {
        sample_alphas(texture, true, true, at, count, out);
    } else {
        sample_alphas(texture, false, true, at, count, out);
    }
}

/* ---- the stages ------------------------------------------------------------------------------ */

/* Returns the channels that stages read of a map, or more: alpha of the base colour if it matters,
 * and that of normals if levels have averaged some (has_bumps). */
static uint32_t channels_of(const draw_state *state, uint32_t map)
{
    static const uint8_t numbers[MRW_RASTER_MAP_COUNT] = {
        [MRW_RASTER_MAP_METALLIC_ROUGHNESS] = GREEN | BLUE,
        [MRW_RASTER_MAP_METALLIC] = RED,
        [MRW_RASTER_MAP_ROUGHNESS] = RED,
        [MRW_RASTER_MAP_OCCLUSION] = RED,
        [MRW_RASTER_MAP_CLEARCOAT] = RED,
        [MRW_RASTER_MAP_CLEARCOAT_ROUGHNESS] = GREEN | BLUE,
        [MRW_RASTER_MAP_SPECULAR] = COLOR | ALPHA,
        [MRW_RASTER_MAP_SPECULAR_STRENGTH] = COLOR | ALPHA,
        [MRW_RASTER_MAP_SHEEN_ROUGHNESS] = COLOR | ALPHA};
    if (map == MRW_RASTER_MAP_BASE_COLOR) {
        return state->see_through ? COLOR | ALPHA : COLOR;
    }
    if (state->material->maps[map].texture->alpha == MRW_TEXTURE_ALPHA_SPREAD) {
        return COLOR | ALPHA;
    }
    return numbers[map] != 0 ? numbers[map] : COLOR;
}

static void finest_of_placement(const work *w, uint32_t number, block *b)
{
    const placement *p = &w->state->placements[number];
    const uint32_t count = w->g->count;
    addresses_of_finest(p->first, w->frame->filter, &b->points.uvs[number], count,
                        &b->addresses.tap[0]);
    if (w->state->alpha_alone) {
        alphas_one_level(p->first->texture, &b->addresses, count, colors_of(b)->channel[3]);
        return;
    }
    for (uint32_t left = p->maps; left != 0; left &= left - 1) {
        const uint32_t m = (uint32_t)__builtin_ctz(left);
        const texel_job job = {.texture = w->state->material->maps[m].texture,
                               .at = &b->addresses,
                               .count = count,
                               .out = &b->colors[m]};
        (job.texture->data ? data_one_level : texels_one_level)(&job, channels_of(w->state, m));
    }
}

/* Returns the texture of the second map whose bit is set, or NULL. */
static const mrw_raster_texture *map_behind(const work *w, uint32_t maps)
{
    const uint32_t left = maps & (maps - 1);
    return left != 0 ? w->state->material->maps[__builtin_ctz(left)].texture : NULL;
}

static void two_levels_of_placement(const work *w, uint32_t number, block *b)
{
    const placement *p = &w->state->placements[number];
    const uint32_t count = w->g->count;
    const bool first_data = p->first->texture->data;
    (first_data ? addresses_of_two_data_levels
                : addresses_of_two_levels)(p->first, &b->points.uvs[number], count, &b->addresses);
    if (w->state->alpha_alone) {
        alphas_two_levels(p->first->texture, &b->addresses, count, colors_of(b)->channel[3]);
        return;
    }
    for (uint32_t left = p->maps; left != 0; left &= left - 1) {
        const uint32_t m = (uint32_t)__builtin_ctz(left);
        const texel_job job = {w->state->material->maps[m].texture, map_behind(w, left),
                               &b->addresses, count, &b->colors[m]};
        (job.texture->data ? data_two_levels : texels_two_levels)(&job, channels_of(w->state, m));
    }
}

static void textures_finest(const work *w, block *b)
{
    for (uint32_t p = 0; p < w->state->placement_count; p++) {
        finest_of_placement(w, p, b);
    }
}

/* Reads textures trilinearly. A placement of which a group nowhere sees less than the finest level
 * needs no other level. */
static void textures_trilinear(const work *w, block *b)
{
    for (uint32_t p = 0; p < w->state->placement_count; p++) {
        (b->points.minified >> p & 1u ? two_levels_of_placement : finest_of_placement)(w, p, b);
    }
}
