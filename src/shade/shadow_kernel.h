/* shadow_kernel.h: the stage that finds how much of each light reaches fragments past occluders,
 * before they are lit; included by light_kernel.h, compiled once per instruction set. shadow_spec.h
 * is the specification, with the same names.
 *
 * A row of eight texels is two loads per fragment: sixteen loads per square instead of 64 gathers.
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
    vf fade, side, far_z, most, near;
} shadow_place;

typedef struct receiver {
    vec3 position, n, face;
    vf share;
} receiver;

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

LANE_INLINE vec3 from_light(const mrwi_shade_shadow *s, vec3 position)
{
    return (vec3){position.x - s->origin[0], position.y - s->origin[1], position.z - s->origin[2]};
}

/* Returns the normal of the plane that is looked up. */
LANE_INLINE vec3 receiver_plane(const receiver *r, vec3 ray)
{
    const vi away = vf_less(dot(r->face, r->n), vf_set(0.0f));
    const vec3 face = {vf_select(away, r->face.x * -1.0f, r->face.x),
                       vf_select(away, r->face.y * -1.0f, r->face.y),
                       vf_select(away, r->face.z * -1.0f, r->face.z)};
    const vf own = vf_clamp(-dot(face, ray) * (1.0f / MRWI_SHADE_SHADOW_FACES), 0.0f, 1.0f);
    return (vec3){r->n.x + (face.x - r->n.x) * own, r->n.y + (face.y - r->n.y) * own,
                  r->n.z + (face.z - r->n.z) * own};
}

LANE_INLINE shadow_place shadow_place_of(const mrwi_shade_shadow *s, const receiver *r)
{
    const vec3 ray = s->perspective ? normalize(from_light(s, r->position)) : vec3_set(s->forward);
    const vf facing = -dot(r->n, ray), cosine = vf_clamp(facing, 0.0f, 1.0f);
    const vec3 n = receiver_plane(r, ray);
    const vec3 q = add_scaled(from_light(s, r->position), r->n, s->lift * (1.0f - cosine));
    const vf size_x = vf_abs(q.x), size_y = vf_abs(q.y), size_z = vf_abs(q.z);
    const vi is_x = vf_at_least(size_x, size_y) & vf_at_least(size_x, size_z);
    const vi is_y = vf_at_least(size_y, size_z) & ~is_x;
    const shadow_axes at = along_axes(s, q, is_x, is_y), normal = along_axes(s, n, is_x, is_y);
    shadow_place p = {
        .face = vi_set(0),
        .fade = cosine * (1.0f / MRWI_SHADE_SHADOW_FADE_FROM),
        .side = vf_clamp(1.0f + facing * (1.0f / MRWI_SHADE_SHADOW_FADE_FROM), 0.0f, 1.0f)};
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
    p.far_z = s->far_caster * inv;
    const vf unit = s->unit * inv, steep = unit * MRWI_SHADE_SHADOW_STEEP;
    const vf per = s->slope / (s->perspective ? dot(n, q) : normal.forward);
    p.slope_x = vf_min(vf_max(normal.right * per, -steep), steep);
    p.slope_y = vf_min(vf_max(normal.down * per, -steep), steep);
    p.z = p.z - (unit * MRWI_SHADE_SHADOW_BIAS +
                 (vf_abs(p.slope_x) + vf_abs(p.slope_y)) * MRWI_SHADE_SHADOW_SNAP);
    p.most = vf_clamp(s->softness * p.z, MRWI_SHADE_SHADOW_LEAST, s->widest);
    p.near = vf_max(vf_set(s->near_caster), p.most * (unit * MRWI_SHADE_SHADOW_CURVED));
    return p;
}

LANE_INLINE vf shadow_weight(vf first, vf width, int32_t i)
{
    return i == 0 ? vf_min(1.0f - first, width) : vf_clamp((first + width) - (float)i, 0.0f, 1.0f);
}

/* The squares of a register's fragments: see sum_square of the specification. */
typedef struct square {
    vf side, step;
    vi texel, stride; /* index of the first texel, and from row to row */
    vi x0, y0;
    vi turns; /* see shadow_level.h: shifts are 3 times a number below this */
    vf across, down;
    vf first_x, first_y;
} square;

LANE_INLINE square square_of(const mrwi_shade_shadow *s, const shadow_place *p, vf width)
{
    const mrw_shadow_level *level = s->levels;
    vi first = vi_set(level->first), stride = vi_set(level->stride);
    vi of_face = vi_set(level->face_texels), turns = vi_set(1);
    vf step = vf_set(1.0f), last = vf_set(level->last), border = vf_set(0.0f);
    vf origin = border;
    for (uint32_t k = 1; k <= s->level_count; k++, level++) {
        const vi wider = vf_less(vf_set(MRWI_SHADE_SHADOW_MOST * (float)level->step), width);
        if (!mask_any(wider)) {
            break;
        }
        first = vi_select(wider, vi_set(level[1].first), first);
        stride = vi_select(wider, vi_set(level[1].stride), stride);
        of_face = vi_select(wider, vi_set(level[1].face_texels), of_face);
        step = vf_select(wider, vf_set((float)level[1].step), step);
        turns = vi_select(wider, vi_set((level[1].step + 2) / 3), turns);
        last = vf_select(wider, vf_set(level[1].last), last);
        border = vf_select(wider, vf_set((float)level[1].border), border);
        origin = vf_select(wider, vf_set(level[1].origin), origin);
    }
    const vf scale = 1.0f / step, side = width * scale, half = 0.5f * side;
    const vf left = vf_min(vf_max((p->x * scale + origin) - half, vf_set(0.0f)), last);
    const vf top = vf_min(vf_max((p->y * scale + origin) - half, vf_set(0.0f)), last);
    const vi x0 = vf_truncate(left), y0 = vf_truncate(top);
    const vf whole_x = vi_to_float(x0), whole_y = vi_to_float(y0);
    return (square){.side = side,
                    .step = step,
                    .texel = first + p->face * of_face + y0 * stride + x0,
                    .stride = stride,
                    .x0 = x0,
                    .y0 = y0,
                    .turns = turns,
                    .across = ((whole_x - border) * step + 0.5f) - p->x,
                    .down = ((whole_y - border) * step + 0.5f) - p->y,
                    .first_x = left - whole_x,
                    .first_y = top - whole_y};
}

/* Returns the largest number of texels in a row that a square of the register touches. */
LANE_INLINE int32_t texels_of(const square *q)
{
    const vf end = vf_max(q->first_x, q->first_y) + q->side;
    int32_t texels = 1;
    while (texels < MRWI_SHADE_SHADOW_TAPS && mask_any(vf_less(vf_set((float)texels), end))) {
        texels++;
    }
    return texels;
}

/* Returns the least of the lanes. */
LANE_INLINE int32_t least_lane(vi v)
{
    int32_t lane[MRWI_BASE_LANES];
    vi_store(lane, v);
    int32_t least = lane[0];
    for (int k = 1; k < MRWI_BASE_LANES; k++) {
        least = lane[k] < least ? lane[k] : least;
    }
    return least;
}

/* Returns true if a square of so many texels may hold one of depth below 1. Most fragments of a
 * ground lie far from all shadows. */
LANE_INLINE bool any_texel_set(const mrwi_shade_shadow *s, const shadow_place *p, const square *q,
                               int32_t texels)
{
    const int32_t face = s->cube ? least_lane(p->face) : 0;
    if (!s->spans || (s->cube && -least_lane(-p->face) != face)) {
        return true;
    }
    const mrw_shadow_span *spans = s->spans + face * s->face_spans;
    const vi step = vf_truncate(q->step), border = vi_less(vi_set(1), step) & s->levels[1].border;
    const vi left = (q->x0 - border) * step, top = (q->y0 - border) * step, side = step * texels;
    const int32_t x0 = least_lane(left), x1 = -least_lane(-(left + side));
    const int32_t y0 = least_lane(top), y1 = -least_lane(-(top + side));
    for (int32_t row = y0 > 0 ? y0 / MRW_SHADOW_SPAN_ROWS : 0;
         row * MRW_SHADOW_SPAN_ROWS < y1 && row < s->face_spans; row++) {
        if (x0 < spans[row].x1 && x1 > spans[row].x0) {
            return true;
        }
    }
    return false;
}

typedef struct shadow_sum {
    vf dark, deep;
} shadow_sum;

/* Returns v where a < b, else 0. */
LANE_INLINE vf keep_less(vf a, vf b, vf v)
{
#if MRWI_BASE_LANES == 16
    return (vf)_mm512_maskz_mov_ps(_mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ), (__m512)v);
#else
    return vf_keep(vf_less(a, b), v);
#endif
}

/* The kinds of sums: only casters that are near, or only others, with their depths or without. */
typedef enum sum_kind { SUM_NEAR, SUM_FAR, SUM_FAR_DEPTHS } sum_kind;

/* Adds a texel to the sums of a row. */
LANE_INLINE void add_texel(vf depth, vf z, vf near, vf weight, sum_kind kind, shadow_sum *sum)
{
    const vf here = vf_min(z, vf_set(MRWI_SHADE_SHADOW_FAR));
    vf counted = keep_less(depth, kind == SUM_NEAR ? here : here - near, weight);
    if (kind == SUM_NEAR) {
        counted = vf_keep(vf_at_least(depth, here - near), counted);
    }
    sum->dark = sum->dark + counted;
    if (kind == SUM_FAR_DEPTHS) {
        sum->deep = sum->deep + counted * depth;
    }
}

/* Returns the remainder of a division of whole numbers that are not negative, below 2^23. */
LANE_INLINE vi remainder_of(vi n, vi by)
{
    const vi rest = n - vf_truncate(vi_to_float(n) / vi_to_float(by)) * by;
    const vi above = vi_select(vi_less(rest, vi_set(0)), rest + by, rest);
    return vi_select(vi_less(above, by), above, above - by);
}

LANE_INLINE vi next_turn(vi turn, vi step, vi turns)
{
    const vi next = turn + step;
    return vi_select(vi_less(next, turns), next, next - turns);
}

/* Sums up squares. texels: texels_of, or a constant that is not less. */
LANE_INLINE shadow_sum sum_square(const mrwi_shade_shadow *s, const shadow_place *p,
                                  const square *q, int32_t texels, sum_kind kind)
{
    vf rise[MRWI_SHADE_SHADOW_TAPS], weight[MRWI_SHADE_SHADOW_TAPS];
    int32_t texel[MRWI_BASE_LANES], stride[MRWI_BASE_LANES];
    vi_store(texel, q->texel);
    vi_store(stride, q->stride);
    const int32_t columns = (texels + 3) / 4 * 4;
    const vi one_turn = remainder_of(vi_set(5), q->turns);
    vi turn = remainder_of(5 * q->x0, q->turns);
    for (int32_t i = 0; i < columns; i++, turn = next_turn(turn, one_turn, q->turns)) {
        rise[i] =
            p->slope_x * (q->across + (float)i * q->step) + p->slope_y * vi_to_float(3 * turn);
        weight[i] = shadow_weight(q->first_x, q->side, i);
    }
    shadow_sum sum = {vf_set(0.0f), vf_set(0.0f)};
    turn = remainder_of(5 * q->y0, q->turns);
    for (int32_t j = 0; j < texels; j++, turn = next_turn(turn, one_turn, q->turns)) {
        const vf z = p->z + (p->slope_y * (q->down + (float)j * q->step) +
                             p->slope_x * vi_to_float(3 * turn));
        shadow_sum row = {vf_set(0.0f), vf_set(0.0f)};
        for (int32_t i = 0; i < columns; i += 4) {
            const void *from[MRWI_BASE_LANES];
            LANE_UNROLL
            for (int k = 0; k < MRWI_BASE_LANES; k++) {
                from[k] = s->depths + (texel[k] + j * stride[k] + i);
            }
            const vf4 depth = vf4_load_rows(from);
            add_texel(depth.x, z + rise[i], p->near, weight[i], kind, &row);
            add_texel(depth.y, z + rise[i + 1], p->near, weight[i + 1], kind, &row);
            add_texel(depth.z, z + rise[i + 2], p->near, weight[i + 2], kind, &row);
            add_texel(depth.w, z + rise[i + 3], p->near, weight[i + 3], kind, &row);
        }
        const vf part = shadow_weight(q->first_y, q->side, j);
        sum.dark = sum.dark + row.dark * part;
        if (kind == SUM_FAR_DEPTHS) {
            sum.deep = sum.deep + row.deep * part;
        }
    }
    const vf share = 1.0f / (q->side * q->side);
    return (shadow_sum){sum.dark * share, sum.deep * share};
}

/* Prefetches squares of the least width, which lie in level 0. Sixteen texels share a cache line,
 * and four neighbouring fragments see hardly more. */
LANE_INLINE void fetch_rows(const mrwi_shade_shadow *s, const square *q)
{
    int32_t texel[MRWI_BASE_LANES];
    vi_store(texel, q->texel);
    for (int32_t k = 0; k < MRWI_BASE_LANES; k += 4) {
        for (int32_t j = 0; j < 4; j++) {
            __builtin_prefetch(s->depths + (texel[k] + j * s->levels[0].stride));
        }
    }
}

/* Returns the dark shares of squares of these widths, in quarters. */
LANE_INLINE vf dark_share(const mrwi_shade_shadow *s, const shadow_place *p, vf width)
{
    const vf off = 0.25f * width;
    vf sum = vf_set(0.0f);
    for (int k = 0; k < 4; k++) {
        const vf dx = k & 1 ? off : -off, dy = k & 2 ? off : -off;
        shadow_place part = *p;
        part.x = p->x + dx;
        part.y = p->y + dy;
        part.z = p->z + (p->slope_x * dx + p->slope_y * dy);
        const square q = square_of(s, &part, 0.5f * width);
        sum = sum + sum_square(s, &part, &q, texels_of(&q), SUM_FAR).dark;
    }
    return 0.25f * sum;
}

/* Returns the share of the light that casters stop which are not near. q: the widest squares. */
LANE_INLINE vf stopped_far(const mrwi_shade_shadow *s, const shadow_place *p, const square *q,
                           int32_t texels)
{
    const shadow_sum found = sum_square(s, p, q, texels, SUM_FAR_DEPTHS);
    const vf zero = vf_set(0.0f);
    if (!mask_any(vf_less(zero, found.dark))) {
        return zero;
    }
    const vf gap = vf_max(p->z - found.deep / vf_max(found.dark, vf_set(1e-20f)), zero);
    const vf width = vf_min(vf_max(s->softness * gap, vf_set(MRWI_SHADE_SHADOW_LEAST)), p->most);
    const vi partly =
        vf_less(zero, found.dark) & vf_less(found.dark, vf_set(MRWI_SHADE_SHADOW_WHOLE));
    vf dark =
        vf_select(vf_less(found.dark, vf_set(MRWI_SHADE_SHADOW_WHOLE)), found.dark, vf_set(1.0f));
    if (mask_any(partly)) {
        dark = vf_select(partly, dark_share(s, p, width), dark);
    }
    return dark * vf_clamp(p->fade + gap / p->far_z, 0.0f, 1.0f);
}

/* Returns the share of the light that casters stop. */
LANE_INLINE vf stopped_light(const mrwi_shade_shadow *s, const shadow_place *p)
{
    const vf zero = vf_set(0.0f), one = vf_set(1.0f);
    const square wide = square_of(s, p, p->most);
    const square narrow = square_of(s, p, vf_set(MRWI_SHADE_SHADOW_LEAST));
    const int32_t texels = texels_of(&wide);
    const bool any_near = any_texel_set(s, p, &narrow, 4);
    vf dark = zero;
    if (any_near) {
        fetch_rows(s, &narrow);
    }
    if (s->softness > 0.0f && any_texel_set(s, p, &wide, texels)) {
        dark = stopped_far(s, p, &wide, texels);
    }
    if (any_near && mask_any(vf_less(dark, one))) {
        dark = sum_square(s, p, &narrow, 4, SUM_NEAR).dark * vf_min(p->fade, one) + dark;
    }
    return vf_min(dark, one);
}

LANE_INLINE vf shadow_visibility(const mrwi_shade_shadow *s, const receiver *r)
{
    const shadow_place p = shadow_place_of(s, r);
    vf lit = p.side;
    if (mask_any(vf_less(vf_set(0.0f), p.side))) {
        lit = (1.0f - stopped_light(s, &p)) * p.side;
    }
    return 1.0f - (1.0f - lit) * r->share;
}

STAGE void shadow_lights(const work *w, block *b)
{
    const mrwi_shade_frame *frame = w->frame;
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const receiver r = {load3(b->points.stream[MRWI_SHADE_POSITION], i), normal_at(b, i),
                            load3(b->points.face, i), ground_share(w, b, i)};
        for (uint32_t k = 0; k < frame->shadow_count; k++) {
            vf_store(b->visibility[k] + i, shadow_visibility(&frame->shadows[k], &r));
        }
    }
}
