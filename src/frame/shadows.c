/* shadows.c: the shadow maps of a picture: depths of its vertices as each light sees them, drawn
 * before the picture. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* Copies the draws as casters: they stop light on both sides, and blended ones stop a part of it.
 */
static mrw_raster_draw *make_casters(mrwi_base_arena *arena, const mrw_raster_job *job)
{
    const size_t count = job->draw_count;
    mrw_raster_draw *casters = mrwi_base_arena_alloc(arena, count, sizeof *casters);
    mrw_raster_material *materials = mrwi_base_arena_alloc(arena, count, sizeof *materials);
    if (!casters || !materials) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        casters[i] = job->draws[i];
        materials[i] = *casters[i].material;
        materials[i].double_sided = true;
        materials[i].screen_door = materials[i].alpha_mode == (uint32_t)MRW_ALPHA_BLEND;
        materials[i].alpha_mode =
            materials[i].screen_door ? (uint32_t)MRW_ALPHA_MASK : materials[i].alpha_mode;
        casters[i].material = &materials[i];
    }
    return casters;
}

mrw_shadow_bounds mrwi_frame_measure(const mrw_raster_job *job)
{
    mrw_shadow_bounds box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (uint32_t d = 0; d < job->draw_count; d++) {
        const float *p = job->draws[d].positions;
        mrwi_frame_fill(&job->draws[d]);
        for (uint32_t v = 0; v < job->draws[d].vertex_count; v++, p += 4) {
            for (int i = 0; i < 3; i++) {
                box.min[i] = mrwi_base_minf(p[i], box.min[i]);
                box.max[i] = mrwi_base_maxf(p[i], box.max[i]);
            }
        }
    }
    return box;
}

/* Returns true when a box holds another one, with slack of 1/200 of its longest side: between the
 * times at which clips are measured a little may stick out. */
static bool holds(const mrw_shadow_bounds *box, const mrw_shadow_bounds *other)
{
    float slack = 0.0f;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        slack = mrwi_base_maxf((box->max[i] - box->min[i]) * 0.005f, slack);
    }
    for (int i = 0; i < 3; i++) {
        inside =
            inside && other->min[i] >= box->min[i] - slack && other->max[i] <= box->max[i] + slack;
    }
    return inside;
}

/* Returns the box that lights look at: the sequence's, unless this picture leaves it. */
static mrw_shadow_bounds caster_bounds(const mrw_frame_def *def, const mrw_raster_job *job)
{
    const mrw_shadow_bounds own = mrwi_frame_measure(job);
    return def->has_bounds && holds(&def->bounds, &own) ? def->bounds : own;
}

/* ---- memory kept from frame to frame --------------------------------------------------------- */

void mrwi_frame_free_shadow_memory(mrwi_frame_shadow_memory *memory)
{
    mrwi_base_free(memory->depths);
    mrwi_base_free(memory->spans);
    mrwi_base_free(memory->last);
    *memory = (mrwi_frame_shadow_memory){0};
}

static size_t face_spans_of(const mrw_shadow_map *map)
{
    return (map->size + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
}

/* Makes room for a map. Content of the same layout stays; else everything is to be cleared. */
static mrw_status make_room(mrwi_frame_shadow_memory *memory, const mrw_shadow_map *map,
                            mrw_error *error)
{
    const size_t texels = mrw_shadow_floats(map), spans = map->faces * face_spans_of(map);
    if (memory->faces == map->faces && memory->size == map->size && memory->stride == map->stride &&
        texels <= memory->room) {
        return MRW_OK;
    }
    if (texels > memory->room || spans > memory->span_room) {
        mrwi_frame_free_shadow_memory(memory);
        memory->depths = mrwi_base_alloc(texels, sizeof *memory->depths);
        memory->spans = mrwi_base_alloc(spans, sizeof *memory->spans);
        memory->last = mrwi_base_alloc(spans, sizeof *memory->last);
        if (!memory->depths || !memory->spans || !memory->last) {
            mrwi_frame_free_shadow_memory(memory);
            return mrwi_base_fail_memory(error, texels * sizeof *memory->depths);
        }
        memory->room = texels;
        memory->span_room = spans;
    }
    memory->faces = map->faces;
    memory->size = map->size;
    memory->stride = map->stride;
    memory->levels = 0;
    for (size_t i = 0; i < spans; i++) {
        memory->spans[i] = (mrw_shadow_span){0, (int32_t)map->size};
    }
    return MRW_OK;
}

/* ---- maps ------------------------------------------------------------------------------------ */

static mrw_status draw_map(mrw_raster *raster, const mrw_raster_job *job,
                           const mrw_raster_draw *casters, mrwi_frame_shadow_memory *memory,
                           mrw_shadow_map *map, mrw_error *error)
{
    const size_t texels = (size_t)map->stride * map->size;
    mrw_status status = make_room(memory, map, error);
    if (status) {
        return status;
    }
    const bool kept = memory->levels == map->levels;
    memory->levels = 0;
    memcpy(memory->last, memory->spans, map->faces * face_spans_of(map) * sizeof *memory->last);
    for (uint32_t face = 0; face < map->faces; face++) {
        const mrw_target target = {MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1,
                                   memory->depths + face * texels, map->stride * sizeof(float)};
        mrw_raster_job seen = {.draws = casters,
                               .draw_count = job->draw_count,
                               .shading = job->shading,
                               .filter = job->filter,
                               .samples = 1,
                               .width = map->size,
                               .height = map->size,
                               .targets = &target,
                               .target_count = 1,
                               .depth_spans = memory->spans + face * face_spans_of(map),
                               .isa = job->isa,
                               .threads = job->threads};
        mrw_shadow_view(map, face, &seen.view.world_to_clip);
        status = mrw_raster_draw_frame(raster, &seen, error);
        if (status) {
            return status;
        }
    }
    map->depths = memory->depths;
    map->spans = memory->spans;
    mrw_shadow_reduce(map, kept ? memory->last : NULL, memory->depths, job->threads);
    memory->levels = map->levels;
    return MRW_OK;
}

mrw_status mrwi_frame_draw_shadow_maps(mrwi_frame_scratch *scratch, mrwi_frame_lights *memory,
                                       const mrw_frame_def *def, mrw_raster_job *job,
                                       mrw_error *error)
{
    const uint32_t count = job->lighting.light_count;
    const mrw_shadow_bounds bounds = caster_bounds(def, job);
    mrw_raster_draw *casters = make_casters(&scratch->arena, job);
    mrw_light *lights = mrwi_base_arena_alloc(&scratch->arena, count, sizeof *lights);
    mrw_shadow_map *maps = mrwi_base_arena_alloc(&scratch->arena, MRW_SHADOW_LIGHTS, sizeof *maps);
    uint32_t made = 0;
    assert(def->shadow_size >= MRW_SHADOW_MIN_SIZE && def->shadow_size <= MRW_SHADOW_MAX_SIZE);
    assert(def->shadow_softness >= 0.0f && def->shadow_softness <= (float)MRW_SHADOW_MAX_SOFTNESS);
    if (!casters || !lights || !maps) {
        return mrwi_base_fail_memory(error, count * sizeof *lights);
    }
    memcpy(lights, job->lighting.lights, count * sizeof *lights);
    for (uint32_t i = 0; i < count; i++) {
        mrw_shadow_map one, *map = made < MRW_SHADOW_LIGHTS ? &maps[made] : &one;
        if (!mrw_shadow_frame(&lights[i], &bounds, def->shadow_size, def->shadow_softness, map)) {
            continue;
        }
        if (map == &one) {
            memory->shadowless++;
            continue;
        }
        mrw_status status =
            draw_map(scratch->raster, job, casters, &memory->shadows[made], map, error);
        if (status) {
            return status;
        }
        lights[i].shadow = map;
        made++;
    }
    job->lighting.lights = lights;
    return MRW_OK;
}
