/* shadow.c: shadow maps made ready for shading. */
#include "shade/shadow.h"

#include "light/shadow_level.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void prepare_level(const mrw_shadow_map *map, uint32_t level, mrw_shadow_level *out)
{
    const mrwi_light_shadow_level at = mrwi_light_shadow_level_of(map, level);
    const int32_t step = 1 << level, turns = (step + 2) / 3, beyond = 3 * turns - 2 - step;
    *out = (mrw_shadow_level){.first = (int32_t)at.first,
                              .stride = (int32_t)at.stride,
                              .face_texels = (int32_t)(at.stride * at.side),
                              .border = (int32_t)at.border,
                              .step = step,
                              .origin = (float)at.border - 0.5f * (float)beyond / (float)step,
                              .last = (float)(at.side - MRWI_LIGHT_SHADOW_TAPS)};
}

static void prepare(const mrw_shadow_map *map, mrwi_shade_shadow *out)
{
    assert(map->depths && map->size >= MRW_SHADOW_MIN_SIZE / 2 &&
           map->size <= MRW_SHADOW_MAX_SIZE && map->stride >= map->size && map->softness >= 0.0f &&
           map->widest >= 0.0f && map->levels <= MRW_SHADOW_LEVELS);
    const float length = 1.0f / map->texels, unit = fabsf(map->depth_scale) * length;
    const float widest = (float)MRWI_LIGHT_SHADOW_WINDOW * (float)(1 << map->levels);
    const float clamped = map->widest < widest ? map->widest : widest;
    const float least = MRWI_SHADE_SHADOW_LEAST;
    *out = (mrwi_shade_shadow){
        .depths = map->depths,
        .floats = mrw_shadow_floats(map),
        .size = (int32_t)map->size,
        .cube = map->faces == MRW_SHADOW_FACES,
        .perspective = map->perspective,
        .texels = map->texels,
        .middle = 0.5f * (float)map->size,
        .depth_offset = map->depth_offset,
        .depth_scale = map->depth_scale,
        .slope = map->perspective ? map->depth_scale * length : -map->depth_scale * length,
        .unit = unit,
        .lift = map->lift,
        .softness = map->softness,
        .widest = least > clamped ? least : clamped,
        .near_caster = map->softness > 0.0f ? least / map->softness : MRWI_SHADE_SHADOW_ALL,
        .far_caster = MRWI_SHADE_SHADOW_FAR_CASTER * (float)map->size * unit,
        .level_count = map->levels};
    out->spans = map->spans;
    out->face_spans = (out->size + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
    for (uint32_t level = 0; level <= map->levels; level++) {
        prepare_level(map, level, &out->levels[level]);
    }
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

float mrwi_shade_ground_border(uint32_t width, uint32_t height)
{
    const uint32_t side = width < height ? width : height;
    const float pixels = MRWI_SHADE_GROUND_BORDER * (float)side;
    return 1.0f / (pixels > 1.0f ? pixels : 1.0f);
}
