/* ambient_spec.h: how open fragments are to light from all around, as shade_spec.c has it; included
 * by light_spec.h. occlusion.h says what pixels know of that.
 *
 * A pixel tells of the surface at its centre. At edges it has fragments of others: they take what
 * the pixel next to them says whose depth is theirs, so that no surface wears the darkness of
 * another. To look among nine is enough for that and costs one more look where it is not needed; to
 * compute it for each fragment would cost as much as for a pixel, and leave no neighbours to take a
 * mean of. What is nowhere seen at a pixel's centre is the more open, the farther it is from what
 * is. */

static inline float openness_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                                float x, float y)
{
    const mrw_raster_occlusion *o = frame->occlusion;
    if (!o) {
        return 1.0f;
    }
    float w;
    const vec3 p = stream_at(frame, t, s, MRWI_SHADE_POSITION, &w);
    const float depth = dot(p, vec3_of(o->axis)) + o->axis[3];
    const int32_t column = (int32_t)clamp(x, 0.0f, (float)frame->width - 0.5f);
    const int32_t row = (int32_t)clamp(y, 0.0f, (float)frame->height - 0.5f);
    const int32_t stride = (int32_t)o->stride, middle = row * stride + column;
    float least = fabsf(o->depths[middle] - depth);
    int32_t chosen = middle;
    for (int32_t k = 0; k < 9 && MRWI_SHADE_SAME_DEPTH < fabsf(o->depths[middle] - depth); k++) {
        const int32_t at = middle + (k / 3 - 1) * stride + (k % 3 - 1);
        const float off = fabsf(o->depths[at] - depth);
        chosen = off < least ? at : chosen;
        least = off < least ? off : least;
    }
    const float open = o->visibility[chosen];
    return open + (1.0f - open) * clamp(least - MRWI_SHADE_SAME_DEPTH, 0.0f, 1.0f);
}
