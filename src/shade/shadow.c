/* shadow.c: shadow maps made ready for shading. */
#include "shade/shadow.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void prepare(const mrw_shadow_map *map, mrwi_shade_shadow *out)
{
    assert(map->depths && map->size >= MRW_SHADOW_MIN_SIZE / 2 &&
           map->size <= MRW_SHADOW_MAX_SIZE && map->stride >= map->size && map->softness >= 0.0f &&
           map->softness <= (float)MRW_SHADOW_MAX_SOFTNESS);
    const float width = 2.0f * map->softness + 1.0f, length = 1.0f / map->texels;
    *out = (mrwi_shade_shadow){.depths = map->depths,
                               .size = (int32_t)map->size,
                               .stride = (int32_t)map->stride,
                               .face_texels = (int32_t)(map->stride * map->size),
                               .cube = map->faces == MRW_SHADOW_FACES,
                               .perspective = map->perspective,
                               .texels = map->texels,
                               .middle = 0.5f * (float)map->size,
                               .depth_offset = map->depth_offset,
                               .depth_scale = map->depth_scale,
                               .slope = map->perspective ? map->depth_scale * length
                                                         : -map->depth_scale * length,
                               .unit = fabsf(map->depth_scale) * length,
                               .reach = map->softness + 0.5f,
                               .width = width,
                               .share = 1.0f / (width * width),
                               .rows = (int32_t)ceilf(width) + 1};
    out->spans = map->spans;
    out->face_spans = (out->size + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
    out->last = (float)(out->size - (out->rows + 3) / 4 * 4);
    memcpy(out->origin, map->origin, sizeof out->origin);
    memcpy(out->right, map->right, sizeof out->right);
    memcpy(out->down, map->down, sizeof out->down);
    memcpy(out->forward, map->forward, sizeof out->forward);
}

uint32_t mrwi_shade_prepare_shadows(const mrw_lighting *lighting,
                                    mrwi_shade_shadow out[MRW_SHADOW_LIGHTS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < lighting->light_count && count < MRW_SHADOW_LIGHTS; i++) {
        if (lighting->lights[i].shadow) {
            prepare(lighting->lights[i].shadow, &out[count++]);
        }
    }
    return count;
}
