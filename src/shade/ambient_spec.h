/* ambient_spec.h: how open fragments are to ambient light; a part of shade_spec.c, included by
 * light_spec.h. occlusion.h says how the openness of pixels is found.
 *
 * A pixel's value belongs to the surface at its centre. Pixels at edges also have fragments of
 * other surfaces. Such a fragment takes the value of the neighbouring pixel whose depth is nearest
 * to its own, so that no surface shows the occlusion of another. Searching nine pixels is enough,
 * and costs one comparison where it is not needed. Computing the openness per fragment would cost
 * as much as per pixel, and would leave no neighbours to average over. A fragment of a surface that
 * is not visible at any of these centres is the more open, the farther it is from the nearest
 * depth.
 */

/* Returns the share of shadows and occlusion that is shown at (x, y): of the ground's, less towards
 * the border of the picture and none in its outermost pixels; of all others' all. */
static inline float ground_share(const mrwi_shade_frame *frame, const triangle *t, float x, float y)
{
    if (t->draw->ground == MRW_GROUND_NONE) {
        return 1.0f;
    }
    const float right = (float)frame->width - 1.0f, bottom = (float)frame->height - 1.0f;
    const float column = (float)(int32_t)clamp(x, 0.0f, right);
    const float row = (float)(int32_t)clamp(y, 0.0f, bottom);
    const float scale = frame->ground_border;
    const float across = clamp(min_of(column, right - column) * scale, 0.0f, 1.0f);
    const float down = clamp(min_of(row, bottom - row) * scale, 0.0f, 1.0f);
    return (across * across * (3.0f - 2.0f * across)) * (down * down * (3.0f - 2.0f * down));
}

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
    const float here = open + (1.0f - open) * clamp(least - MRWI_SHADE_SAME_DEPTH, 0.0f, 1.0f);
    return t->draw->ground ? 1.0f - (1.0f - here) * ground_share(frame, t, x, y) : here;
}
