/* shadow_kernel.h: the stage that finds how much of each light reaches fragments past occluders,
 * before they are lit; included by light_kernel.h, compiled once per instruction set. shadow_spec.h
 * is the specification, with the same names.
 *
 * A row of four texels is one load per fragment: four loads instead of the sixteen gathers that a
 * softness of one texel would take.
 */

/* Returns the unshadowed part of a light's share: all of it for a light without shadow map. For
 * later stages. */
LANE_INLINE vf shadowed(const block *b, const mrwi_shade_light *light, uint32_t i, vf share)
{
    return light->shadow == 0 ? share : share * vf_load(b->visibility[light->shadow - 1] + i);
}

typedef struct shadow_place {
    vi face;
    vf x, y, z;
    vf slope_x, slope_y;
} shadow_place;

typedef struct shadow_axes {
    vf right, down, forward;
} shadow_axes;

LANE_INLINE shadow_axes along_axes(const mrwi_shade_shadow *s, vec3 v, vi is_x, vi is_y)
{
    if (!s->cube) {
        return (shadow_axes){dot_with(v, s->right), dot_with(v, s->down), dot_with(v, s->forward)};
    }
    return (shadow_axes){vf_select(is_x, v.y, vf_select(is_y, v.z, v.x)),
                         vf_select(is_x, v.z, vf_select(is_y, v.x, v.y)),
                         vf_select(is_x, v.x, vf_select(is_y, v.y, v.z))};
}

LANE_INLINE shadow_place shadow_place_of(const mrwi_shade_shadow *s, vec3 position, vec3 n)
{
    const vec3 q = {position.x - s->origin[0], position.y - s->origin[1],
                    position.z - s->origin[2]};
    const vf size_x = vf_abs(q.x), size_y = vf_abs(q.y), size_z = vf_abs(q.z);
    const vi is_x = vf_at_least(size_x, size_y) & vf_at_least(size_x, size_z);
    const vi is_y = vf_at_least(size_y, size_z) & ~is_x;
    const shadow_axes at = along_axes(s, q, is_x, is_y), normal = along_axes(s, n, is_x, is_y);
    shadow_place p = {.face = vi_set(0)};
    vf w = at.forward, inv = vf_set(1.0f);
    if (s->cube) {
        p.face = vi_select(is_x, vi_set(0), vi_select(is_y, vi_set(2), vi_set(4))) -
                 vf_less(w, vf_set(0.0f));
        w = vf_abs(w);
    }
    if (s->perspective) {
        inv = 1.0f / vf_max(w, vf_set(1e-20f));
    }
    p.x = (at.right * s->texels) * inv + s->middle;
    p.y = (at.down * s->texels) * inv + s->middle;
    p.z = s->depth_offset + s->depth_scale * (s->perspective ? inv : w);
    const vf unit = s->unit * inv, steep = unit * MRWI_SHADE_SHADOW_STEEP;
    const vf per = s->slope / (s->perspective ? dot(n, q) : normal.forward);
    p.slope_x = vf_min(vf_max(normal.right * per, -steep), steep);
    p.slope_y = vf_min(vf_max(normal.down * per, -steep), steep);
    p.z = p.z - (unit * MRWI_SHADE_SHADOW_BIAS +
                 (vf_abs(p.slope_x) + vf_abs(p.slope_y)) * MRWI_SHADE_SHADOW_SNAP);
    return p;
}

LANE_INLINE vf shadow_weight(const mrwi_shade_shadow *s, vf first, int32_t i)
{
    return i == 0 ? 1.0f - first : vf_clamp((first + s->width) - (float)i, 0.0f, 1.0f);
}

/* Returns sum, plus weight where a < b. */
LANE_INLINE vf add_where_less(vf sum, vf a, vf b, vf weight)
{
#if MRWI_BASE_LANES == 16
    const __mmask16 less = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
    return (vf)_mm512_mask_add_ps((__m512)sum, less, (__m512)sum, (__m512)weight);
#else
    return sum + vf_keep(vf_less(a, b), weight);
#endif
}

/* Adds the weight of a texel that lies before the plane. */
LANE_INLINE vf add_dark_texel(const mrwi_shade_shadow *s, vf sum, vf slope_x, vf depth, vf z,
                              vf across, vf first, int32_t i)
{
    const vf here = vf_min(z + slope_x * (across + (float)i), vf_set(MRWI_SHADE_SHADOW_FAR));
    return add_where_less(sum, depth, here, shadow_weight(s, first, i));
}

/* The squares of fragments on the map, and the planes over them. */
typedef struct square_list {
    _Alignas(64) int32_t texel[BLOCK_PADDED]; /* index of the first texel */
    float z[BLOCK_PADDED];                    /* depth at the place itself */
    float slope_x[BLOCK_PADDED], slope_y[BLOCK_PADDED];
    float across[BLOCK_PADDED], down[BLOCK_PADDED]; /* from the place to the first texel's centre */
    float first_x[BLOCK_PADDED], first_y[BLOCK_PADDED];
    bool empty[BLOCK_PADDED / MRWI_BASE_LANES]; /* true if all squares of a register are empty */
} square_list;

/* Prefetches the rows ahead. Sixteen texels share a cache line, and four neighbouring fragments see
 * hardly more. */
LANE_INLINE void fetch_rows(const mrwi_shade_shadow *s, const int32_t *texel)
{
    for (int32_t k = 0; k < MRWI_BASE_LANES; k += 4) {
        for (int32_t j = 0; j < s->rows; j++) {
            __builtin_prefetch(s->depths + (texel[k] + j * s->stride));
        }
    }
}

/* Returns true if a square that begins at texels x0 of rows y0 may hold a texel of depth below 1.
 * Most fragments of a ground lie far from all shadows. */
LANE_INLINE bool any_texel_set(const mrwi_shade_shadow *s, vi face, vi x0, vi y0, int32_t rows)
{
    int32_t x[MRWI_BASE_LANES], first[MRWI_BASE_LANES], last[MRWI_BASE_LANES];
    bool any = !s->spans;
    vi_store(x, x0);
    vi_store(first, face * s->face_spans + y0 / MRW_SHADOW_SPAN_ROWS);
    vi_store(last, face * s->face_spans + (y0 + (rows - 1)) / MRW_SHADOW_SPAN_ROWS);
    for (int k = 0; k < MRWI_BASE_LANES && !any; k++) {
        const mrw_shadow_span *a = &s->spans[first[k]], *b = &s->spans[last[k]];
        any = (x[k] < a->x1 && x[k] + rows > a->x0) || (x[k] < b->x1 && x[k] + rows > b->x0);
    }
    return any;
}

STAGE void find_squares(const mrwi_shade_shadow *s, const work *w, block *b, square_list *out)
{
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const vec3 position = load3(b->points.stream[MRWI_SHADE_POSITION], i);
        const shadow_place p = shadow_place_of(s, position, load3(b->points.face, i));
        const vf left = vf_clamp(p.x - s->reach, 0.0f, s->last);
        const vf top = vf_clamp(p.y - s->reach, 0.0f, s->last);
        const vi x0 = vf_truncate(left), y0 = vf_truncate(top);
        out->empty[i / MRWI_BASE_LANES] = !any_texel_set(s, p.face, x0, y0, s->rows);
        if (out->empty[i / MRWI_BASE_LANES]) {
            continue;
        }
        const vf whole_x = vi_to_float(x0), whole_y = vi_to_float(y0);
        vi_store(out->texel + i, (p.face * s->face_texels + y0 * s->stride) + x0);
        fetch_rows(s, out->texel + i);
        vf_store(out->z + i, p.z);
        vf_store(out->slope_x + i, p.slope_x);
        vf_store(out->slope_y + i, p.slope_y);
        vf_store(out->across + i, (whole_x + 0.5f) - p.x);
        vf_store(out->down + i, (whole_y + 0.5f) - p.y);
        vf_store(out->first_x + i, left - whole_x);
        vf_store(out->first_y + i, top - whole_y);
    }
}

/* Returns the visibility. rows: those of the map; a constant for a softness of one texel. */
LANE_INLINE vf shadow_visibility(const mrwi_shade_shadow *s, const square_list *at, uint32_t n,
                                 int32_t rows)
{
    if (at->empty[n / MRWI_BASE_LANES]) {
        return vf_set(1.0f);
    }
    const vf slope_x = vf_load(at->slope_x + n), slope_y = vf_load(at->slope_y + n);
    const vf across = vf_load(at->across + n), down = vf_load(at->down + n);
    const vf first_x = vf_load(at->first_x + n), first_y = vf_load(at->first_y + n);
    vf dark = vf_set(0.0f);
    for (int32_t j = 0; j < rows; j++) {
        const vf z = vf_load(at->z + n) + slope_y * (down + (float)j);
        vf sum = vf_set(0.0f);
        for (int32_t i = 0; i < rows; i += 4) {
            const float *depths = s->depths + (j * s->stride + i);
            const void *row[MRWI_BASE_LANES];
            LANE_UNROLL
            for (int k = 0; k < MRWI_BASE_LANES; k++) {
                row[k] = depths + at->texel[n + (uint32_t)k];
            }
            const vf4 depth = vf4_load_rows(row);
            sum = add_dark_texel(s, sum, slope_x, depth.x, z, across, first_x, i);
            sum = add_dark_texel(s, sum, slope_x, depth.y, z, across, first_x, i + 1);
            sum = add_dark_texel(s, sum, slope_x, depth.z, z, across, first_x, i + 2);
            sum = add_dark_texel(s, sum, slope_x, depth.w, z, across, first_x, i + 3);
        }
        dark = dark + sum * shadow_weight(s, first_y, j);
    }
    return vf_max(1.0f - dark * s->share, vf_set(0.0f));
}

STAGE void look_through_squares(const mrwi_shade_shadow *s, uint32_t count, const square_list *at,
                                float *visibility)
{
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        vf_store(visibility + i, s->rows == 4 ? shadow_visibility(s, at, i, 4)
                                              : shadow_visibility(s, at, i, s->rows));
    }
}

STAGE void shadow_lights(const work *w, block *b)
{
    const mrwi_shade_frame *frame = w->frame;
    square_list squares;
    for (uint32_t k = 0; k < frame->shadow_count; k++) {
        find_squares(&frame->shadows[k], w, b, &squares);
        look_through_squares(&frame->shadows[k], w->g->count, &squares, b->visibility[k]);
    }
}
