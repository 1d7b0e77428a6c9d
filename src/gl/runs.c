/* runs.c: finds draws of a frame that can share a call. */
#include "gl/draw.h"

#include <string.h>

static bool same_uvs(const mrw_raster_draw *a, const mrw_raster_draw *b)
{
    bool same = !a->uvs == !b->uvs;
    for (int i = 0; i < MRW_RASTER_MORE_UVS && same; i++) {
        const mrw_raster_uvs *one = &a->more_uvs[i], *other = &b->more_uvs[i];
        same = !one->uvs == !other->uvs &&
               (!one->uvs || !memcmp(one->transform, other->transform, sizeof one->transform));
    }
    return same;
}

static bool same_surface(const mrw_raster_draw *a, const mrw_raster_draw *b)
{
    return a->material == b->material && a->mirrored == b->mirrored && a->flat == b->flat &&
           a->ground == b->ground && !a->colors == !b->colors && same_uvs(a, b);
}

static bool same_skinning(const mrw_vertex_source *a, const mrw_vertex_source *b)
{
    return a->skin.palette == b->skin.palette && a->skin.motions == b->skin.motions &&
           a->skin.scales == b->skin.scales &&
           a->skin.cofactor_normals == b->skin.cofactor_normals &&
           !a->skin.normals == !b->skin.normals && !a->skin.tangents == !b->skin.tangents;
}

/* Returns true if draws `first` and `d` can share a call. Only neighbours in the frame can, because
 * the order of draws decides ties of depth. They must also be neighbours in the model, because the
 * stored geometry is identified by its first draw and the number of draws. */
static bool can_share(const gl_frame *frame, uint32_t first, uint32_t d)
{
    const mrw_vertex_source *a = &frame->description->sources[first];
    const mrw_vertex_source *b = &frame->description->sources[d];
    const mrw_raster_draw *draws = frame->job->draws;
    return a->model && a->model == b->model && a->instance == b->instance &&
           b->draw - a->draw == d - first && draws[d].id - draws[first].id == d - first &&
           same_surface(&draws[first], &draws[d]) && same_skinning(a, b);
}

uint32_t gl_run_length(const gl_frame *frame, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < frame->job->draw_count && can_share(frame, first, end)) {
        end++;
    }
    return end - first;
}

gl_parts gl_run_parts(const gl_frame *frame, const gl_run *run)
{
    return (gl_parts){frame->description->sources + run->draw, frame->job->draws + run->draw,
                      run->count};
}
