/* lamp_kernel.h: finds the lights that reach the fragments of a group; included by light_kernel.h,
 * compiled once per instruction set. Skipped lights would add nothing: see mrwi_shade_lamps. */

/* Returns the k-th light of the list. */
LANE_INLINE const mrwi_shade_light *lamp_at(const mrwi_shade_frame *frame, const block *b,
                                            uint32_t k)
{
    return &frame->lights[b->lamps.light ? b->lamps.light[k] : k];
}

/* Takes all lights of the frame or of the band. */
static void take_lamps(const mrwi_shade_frame *frame, lamp_list *out)
{
    out->count = frame->lamps ? frame->lamps->count : frame->lighting.light_count;
    out->light = frame->lamps ? frame->lamps->light : NULL;
}

/* Finds the range of the fragments' positions on one axis. NaNs do not count: they are not lit. */
LANE_INLINE void find_extent(const float *at, uint32_t count, float out[2])
{
    vf low = vf_set(INFINITY), high = vf_set(-INFINITY);
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        low = vf_min(vf_load(at + i), low);
        high = vf_max(vf_load(at + i), high);
    }
    float lows[MRWI_BASE_LANES], highs[MRWI_BASE_LANES];
    vf_store(lows, low);
    vf_store(highs, high);
    out[0] = lows[0];
    out[1] = highs[0];
    for (int k = 1; k < MRWI_BASE_LANES; k++) {
        out[0] = lows[k] < out[0] ? lows[k] : out[0];
        out[1] = highs[k] > out[1] ? highs[k] : out[1];
    }
}

/* Returns how far a coordinate lies outside the range. */
LANE_INLINE vf outside(const float extent[2], vf at)
{
    return vf_max(vf_max(extent[0] - at, at - extent[1]), vf_set(0.0f));
}

/* Skips lights that do not reach the box of the group's positions. If more lights remain than fit
 * in the list, it skips none. */
STAGE void choose_lamps(const work *w, block *b)
{
    const mrwi_shade_lamps *lamps = w->frame->lamps;
    float extent[3][2];
    for (int c = 0; c < 3; c++) {
        find_extent(b->points.stream[MRWI_SHADE_POSITION][c], w->g->count, extent[c]);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < lamps->count; i += MRWI_BASE_LANES) {
        const vf x = outside(extent[0], vf_load(lamps->x + i));
        const vf y = outside(extent[1], vf_load(lamps->y + i));
        const vf z = outside(extent[2], vf_load(lamps->z + i));
        const vi reaches = vf_at_least(vf_load(lamps->reach + i), (x * x + y * y) + z * z);
        for (uint32_t bits = mask_bits(reaches); bits != 0; bits &= bits - 1) {
            b->lamps.room[count++] = lamps->light[i + (uint32_t)__builtin_ctz(bits)];
        }
        if (count > LAMPS_MAX) {
            return;
        }
    }
    b->lamps.count = count;
    b->lamps.light = b->lamps.room;
}
