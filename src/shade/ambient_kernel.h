/* ambient_kernel.h: the stage that finds how open fragments are to ambient light, before they are
 * lit; included by light_kernel.h, compiled once per instruction set. ambient_spec.h specifies it,
 * under the same names. */

/* Returns the openness of fragments from i on, for later stages. */
LANE_INLINE vf openness_at(const work *w, const block *b, uint32_t i)
{
    return w->state->occluded ? vf_load(b->openness + i) : vf_set(1.0f);
}

LANE_INLINE vf look_at_floats(const float *from, vi index)
{
    return vf_from_bits(vi_look_up((const uint32_t *)(const void *)from, index));
}

/* Takes the neighbour whose depth is nearest to the fragment's, if the fragment's own pixel shows
 * another surface. */
LANE_INLINE vi nearest_depth(const mrw_raster_occlusion *o, vi middle, vf depth, vf *least)
{
    const vi other = vf_less(vf_set(MRWI_SHADE_SAME_DEPTH), *least);
    vi chosen = middle;
    for (int32_t k = 0; k < 9 && mask_any(other); k++) {
        const vi at = middle + ((k / 3 - 1) * (int32_t)o->stride + (k % 3 - 1));
        const vf off = vf_abs(look_at_floats(o->depths, at) - depth);
        const vi nearer = other & vf_less(off, *least);
        chosen = vi_select(nearer, at, chosen);
        *least = vf_select(nearer, off, *least);
    }
    return chosen;
}

/* Returns the share of shadows and occlusion that is shown. */
LANE_INLINE vf ground_share(const work *w, const block *b, uint32_t i)
{
    const mrwi_shade_frame *frame = w->frame;
    if (!w->state->ground) {
        return vf_set(1.0f);
    }
    const float right = (float)frame->width - 1.0f, bottom = (float)frame->height - 1.0f;
    const float *x = w->g->other_x ? b->points.x : w->g->x;
    const float *y = w->g->other_y ? b->points.y : w->g->y;
    const vf column = vi_to_float(vf_truncate(vf_clamp(vf_load(x + i), 0.0f, right)));
    const vf row = vi_to_float(vf_truncate(vf_clamp(vf_load(y + i), 0.0f, bottom)));
    const float scale = frame->ground_border;
    const vf across = vf_clamp(vf_min(column, right - column) * scale, 0.0f, 1.0f);
    const vf down = vf_clamp(vf_min(row, bottom - row) * scale, 0.0f, 1.0f);
    return (across * across * (3.0f - 2.0f * across)) * (down * down * (3.0f - 2.0f * down));
}

STAGE void find_openness(const work *w, block *b)
{
    const mrwi_shade_frame *frame = w->frame;
    const mrw_raster_occlusion *o = frame->occlusion;
    const float *all_x = w->g->other_x ? b->points.x : w->g->x;
    const float *all_y = w->g->other_y ? b->points.y : w->g->y;
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const vec3 p = load3(b->points.stream[MRWI_SHADE_POSITION], i);
        const vf depth = dot_with(p, o->axis) + o->axis[3];
        const vi column =
            vf_truncate(vf_clamp(vf_load(all_x + i), 0.0f, (float)frame->width - 0.5f));
        const vi row = vf_truncate(vf_clamp(vf_load(all_y + i), 0.0f, (float)frame->height - 0.5f));
        const vi middle = row * (int32_t)o->stride + column;
        vf least = vf_abs(look_at_floats(o->depths, middle) - depth);
        const vi chosen = nearest_depth(o, middle, depth, &least);
        const vf open = look_at_floats(o->visibility, chosen);
        const vf here = open + (1.0f - open) * vf_clamp(least - MRWI_SHADE_SAME_DEPTH, 0.0f, 1.0f);
        vf_store(b->openness + i,
                 w->state->ground ? 1.0f - (1.0f - here) * ground_share(w, b, i) : here);
    }
}
