/* texel_kernel.h: the stages that read textures: where to read, and what stands there; included by
 * shade_kernel.h, compiled once an instruction set.
 */

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

/* Where a texel begins. */
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

/* Asks for the memory of a level ahead. Eight texels share a line (of data sixteen); of the levels
 * that trilinear filtering blends, four neighbours in a row see no more. */
LANE_INLINE void fetch_tap(const mrw_raster_texture *texture, bool data, const tap_list *tap,
                           uint32_t i)
{
    for (uint32_t k = i; k < i + MRWI_BASE_LANES; k += 4) {
        __builtin_prefetch(texel_at(texture, data, tap->texel[k]));
        __builtin_prefetch(texel_at(texture, data, tap->lower[k]));
    }
}

/* That all levels which a group reads are kept: mrw_raster_finest_levels promised it. */
LANE_INLINE void check_levels(const mrw_raster_texture *texture, vi level)
{
    assert(!mask_any(vi_less(level, vi_set((int32_t)texture->finest))));
    (void)texture, (void)level;
}

/* Where the finest level is magnified. */
LANE_INLINE vi magnified(const uv_list *uvs, uint32_t i)
{
    return ~vf_less(vf_set(1.0f), vf_load(uvs->footprint + i));
}

/* The level of detail is log2 of the footprint's longer side, unless the map asks for whole ones.
 */
LANE_INLINE vf level_of_detail(const mrw_raster_map *map, vf footprint)
{
    const vf lod = 0.5f * log2_approximate(footprint);
    if (mrwi_raster_minify_stays(map)) {
        return vf_set(0.0f);
    }
    return mrwi_raster_minify_rounds(map) ? vi_to_float(vf_truncate(lod + 0.5f)) : lod;
}

/* Two levels: where some fragment of the group sees less than the finest. */
LANE_INLINE void trilinear_addresses(const mrw_raster_map *map, bool data, const uv_list *uvs,
                                     uint32_t count, address_list *out)
{
    const level_table levels = level_table_of(map->texture);
    const bool snaps = mrwi_raster_minify_snaps(map), snaps_some = snaps || map->nearest;
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

/* The finest level alone: all other cases. */
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
 * blue and alpha, z and w those of the right one. Of data, x is the left one and y the right one,
 * and what follows is not used. */
typedef struct tap_lanes {
    vf4 upper, lower;
    vf across, down;
} tap_lanes;

LANE_INLINE tap_lanes load_tap(const mrw_raster_texture *texture, bool data, const tap_list *tap,
                               uint32_t i)
{
    const void *upper[MRWI_BASE_LANES], *lower[MRWI_BASE_LANES];
    LANE_UNROLL
    for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
        upper[k] = texel_at(texture, data, tap->texel[i + k]);
        lower[k] = texel_at(texture, data, tap->lower[i + k]);
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

/* A byte of each number. */
LANE_INLINE vf data_byte(vf bits, int shift)
{
    return vi_to_float(vi_shift_right(vf_bits(bits), shift) & 0xff);
}

/* The same of data: a channel, 0 ... 255, in the range of the others. */
LANE_INLINE vf blend_bytes(const tap_lanes *t, int shift)
{
    vf left = mix(data_byte(t->upper.x, shift), data_byte(t->lower.x, shift), t->down);
    vf right = mix(data_byte(t->upper.y, shift), data_byte(t->lower.y, shift), t->down);
    return mix(left, right, t->across) * 257.0f;
}

/* What one level shows; alpha only where it is asked for. */
LANE_INLINE vf4 sample_level(const mrw_raster_texture *texture, bool data, const tap_list *tap,
                             uint32_t i, bool alpha)
{
    const tap_lanes t = load_tap(texture, data, tap, i);
    const vf4 *u = &t.upper, *l = &t.lower;
    const vf none = vf_set(0.0f);
    if (data) {
        return (vf4){blend_bytes(&t, 0), blend_bytes(&t, 8), blend_bytes(&t, 16),
                     alpha ? blend_bytes(&t, 24) : none};
    }
    return (vf4){blend_low(&t, u->x, u->z, l->x, l->z), blend_high(&t, u->x, u->z, l->x, l->z),
                 blend_low(&t, u->y, u->w, l->y, l->w),
                 alpha ? blend_high(&t, u->y, u->w, l->y, l->w) : none};
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

LANE_INLINE void one_level(const mrw_raster_texture *texture, bool data, bool alpha,
                           const tap_list *tap, uint32_t count, color_list *out)
{
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        store_colors(out, i, sample_level(texture, data, tap, i, alpha), alpha);
    }
}

/* next: NULL, or what is read next at the same places, whose memory is asked for ahead. */
LANE_INLINE void two_levels(const mrw_raster_texture *texture, bool data, bool alpha,
                            const address_list *at, uint32_t count, const mrw_raster_texture *next,
                            color_list *out)
{
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        if (next) {
            fetch_tap(next, next->data, &at->tap[0], i);
            fetch_tap(next, next->data, &at->tap[1], i);
        }
        vf4 fine = sample_level(texture, data, &at->tap[0], i, alpha);
        vf4 coarse = sample_level(texture, data, &at->tap[1], i, alpha);
        vf f = vf_load(at->level_mix + i);
        store_colors(out, i,
                     (vf4){mix(fine.x, coarse.x, f), mix(fine.y, coarse.y, f),
                           mix(fine.z, coarse.z, f), mix(fine.w, coarse.w, f)},
                     alpha);
    }
}

/* Each encoding has loops of its own. */
STAGE void texels_one_level(const mrw_raster_texture *texture, bool alpha, const tap_list *tap,
                            uint32_t count, color_list *out)
{
    one_level(texture, false, alpha, tap, count, out);
}

STAGE void texels_two_levels(const mrw_raster_texture *texture, bool alpha, const address_list *at,
                             uint32_t count, const mrw_raster_texture *next, color_list *out)
{
    two_levels(texture, false, alpha, at, count, next, out);
}

STAGE void data_one_level(const mrw_raster_texture *texture, bool alpha, const tap_list *tap,
                          uint32_t count, color_list *out)
{
    one_level(texture, true, alpha, tap, count, out);
}

STAGE void data_two_levels(const mrw_raster_texture *texture, bool alpha, const address_list *at,
                           uint32_t count, const mrw_raster_texture *next, color_list *out)
{
    two_levels(texture, true, alpha, at, count, next, out);
}

/* ---- alpha alone ----------------------------------------------------------------------------- */

LANE_INLINE void sample_alphas(const mrw_raster_texture *texture, bool data, bool two,
                               const address_list *at, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        vf alpha = sample_level(texture, data, &at->tap[0], i, true).w;
        if (two) {
            const vf coarse = sample_level(texture, data, &at->tap[1], i, true).w;
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

/* Of the base colour where it matters. */
static bool wants_alpha(const draw_state *state, uint32_t map)
{
    return map == MRW_RASTER_MAP_BASE_COLOR
               ? state->see_through
               : map == MRW_RASTER_MAP_SPECULAR || map == MRW_RASTER_MAP_SPECULAR_STRENGTH ||
                     map == MRW_RASTER_MAP_SHEEN_ROUGHNESS ||
                     (MRWI_RASTER_TANGENT_MAPS >> map & 1u) != 0;
}

static void finest_of_placement(const work *w, uint32_t number, block *b)
{
    const placement *p = &w->state->placements[number];
    const uint32_t count = w->g->count;
    tap_list *tap = &b->addresses.tap[0];
    addresses_of_finest(p->first, w->frame->filter, &b->points.uvs[number], count, tap);
    if (w->state->alpha_alone) {
        alphas_one_level(p->first->texture, &b->addresses, count, colors_of(b)->channel[3]);
        return;
    }
    for (uint32_t left = p->maps; left != 0; left &= left - 1) {
        const uint32_t m = (uint32_t)__builtin_ctz(left);
        const mrw_raster_texture *texture = w->state->material->maps[m].texture;
        (texture->data ? data_one_level : texels_one_level)(texture, wants_alpha(w->state, m), tap,
                                                            count, &b->colors[m]);
    }
}

/* The texture of the second of the maps whose bits are set; NULL: there is none. */
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
        const mrw_raster_texture *texture = w->state->material->maps[m].texture;
        (texture->data ? data_two_levels : texels_two_levels)(texture, wants_alpha(w->state, m),
                                                              &b->addresses, count,
                                                              map_behind(w, left), &b->colors[m]);
    }
}

static void textures_finest(const work *w, block *b)
{
    for (uint32_t p = 0; p < w->state->placement_count; p++) {
        finest_of_placement(w, p, b);
    }
}

/* Where a group nowhere sees less than the finest level of a placement, it has no other. */
static void textures_trilinear(const work *w, block *b)
{
    for (uint32_t p = 0; p < w->state->placement_count; p++) {
        (b->points.minified >> p & 1u ? two_levels_of_placement : finest_of_placement)(w, p, b);
    }
}
