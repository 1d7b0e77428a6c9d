/* shadows.c: the shadow maps of a picture: what each light sees of the vertices that the camera
 * sees, drawn before it. */
#include "frame/frame.h"

#include "base/math.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

/* The draws as casters: they stop light whichever way they face, transparent ones a part of it. */
static mrw_raster_draw *make_casters(mrw_renderer *renderer, const mrw_raster_job *job)
{
    const size_t count = job->draw_count;
    mrw_raster_draw *casters = mrwi_base_arena_alloc(&renderer->arena, count, sizeof *casters);
    mrw_raster_material *materials =
        mrwi_base_arena_alloc(&renderer->arena, count, sizeof *materials);
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
        for (uint32_t v = 0; v < job->draws[d].vertex_count; v++, p += 4) {
            for (int i = 0; i < 3; i++) {
                box.min[i] = mrwi_base_minf(p[i], box.min[i]);
                box.max[i] = mrwi_base_maxf(p[i], box.max[i]);
            }
        }
    }
    return box;
}

/* Whether a box holds another one, but for a 200th of its own sides: between the times at which
 * clips are measured little sticks out. */
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

/* What lights see: what pictures of a sequence have in common, unless this one leaves it. */
static mrw_shadow_bounds caster_bounds(const mrw_frame_def *def, const mrw_raster_job *job)
{
    const mrw_shadow_bounds own = mrwi_frame_measure(job);
    return def->has_bounds && holds(&def->bounds, &own) ? def->bounds : own;
}

/* ---- what is kept from frame to frame -------------------------------------------------------- */

void mrwi_frame_free_shadow_memory(mrwi_frame_shadow_memory *memory)
{
    mrwi_base_free(memory->depths);
    mrwi_base_free(memory->spans);
    *memory = (mrwi_frame_shadow_memory){0};
}

static size_t face_spans_of(const mrw_shadow_map *map)
{
    return (map->size + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
}

/* Room for a map. What is there stays only if it is laid out alike; else all has to be cleared. */
static mrw_status make_room(mrwi_frame_shadow_memory *memory, const mrw_shadow_map *map,
                            mrw_error *error)
{
    const size_t texels = map->faces * (size_t)map->stride * map->size;
    const size_t spans = map->faces * face_spans_of(map);
    if (memory->faces == map->faces && memory->size == map->size && memory->stride == map->stride) {
        return MRW_OK;
    }
    if (texels > memory->room || spans > memory->span_room) {
        mrwi_frame_free_shadow_memory(memory);
        memory->depths = mrwi_base_alloc(texels, sizeof *memory->depths);
        memory->spans = mrwi_base_alloc(spans, sizeof *memory->spans);
        if (!memory->depths || !memory->spans) {
            mrwi_frame_free_shadow_memory(memory);
            return mrwi_base_fail_memory(error, texels * sizeof *memory->depths);
        }
        memory->room = texels;
        memory->span_room = spans;
    }
    memory->faces = map->faces;
    memory->size = map->size;
    memory->stride = map->stride;
    for (size_t i = 0; i < spans; i++) {
        memory->spans[i] = (mrw_shadow_span){0, (int32_t)map->size};
    }
    return MRW_OK;
}

/* ---- maps ------------------------------------------------------------------------------------ */

static mrw_status draw_map(mrw_renderer *renderer, const mrw_raster_job *job,
                           const mrw_raster_draw *casters, mrwi_frame_shadow_memory *memory,
                           mrw_shadow_map *map, mrw_error *error)
{
    const size_t texels = (size_t)map->stride * map->size;
    mrw_status status = make_room(memory, map, error);
    for (uint32_t face = 0; face < map->faces && status == MRW_OK; face++) {
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
        status = mrw_raster_draw_frame(renderer->raster, &seen, error);
    }
    map->depths = memory->depths;
    map->spans = memory->spans;
    return status;
}

mrw_status mrwi_frame_draw_shadow_maps(mrw_renderer *renderer, const mrw_frame_def *def,
                                       mrw_raster_job *job, mrw_error *error)
{
    const uint32_t count = job->lighting.light_count;
    const mrw_shadow_bounds bounds = caster_bounds(def, job);
    mrw_raster_draw *casters = make_casters(renderer, job);
    mrw_light *lights = mrwi_base_arena_alloc(&renderer->arena, count, sizeof *lights);
    mrw_shadow_map *maps = mrwi_base_arena_alloc(&renderer->arena, MRW_SHADOW_LIGHTS, sizeof *maps);
    mrw_status status = MRW_OK;
    uint32_t made = 0;
    assert(def->shadow_size >= MRW_SHADOW_MIN_SIZE && def->shadow_size <= MRW_SHADOW_MAX_SIZE);
    assert(def->shadow_softness >= 0.0f && def->shadow_softness <= (float)MRW_SHADOW_MAX_SOFTNESS);
    if (!casters || !lights || !maps) {
        return mrwi_base_fail_memory(error, count * sizeof *lights);
    }
    memcpy(lights, job->lighting.lights, count * sizeof *lights);
    for (uint32_t i = 0; i < count && status == MRW_OK; i++) {
        mrw_shadow_map one, *map = made < MRW_SHADOW_LIGHTS ? &maps[made] : &one;
        if (!mrw_shadow_frame(&lights[i], &bounds, def->shadow_size, def->shadow_softness, map)) {
            continue;
        }
        renderer->shadowless += map == &one;
        if (map != &one) {
            status = draw_map(renderer, job, casters, &renderer->shadows[made], map, error);
            lights[i].shadow = map;
            made++;
        }
    }
    job->lighting.lights = lights;
    return status;
}

uint32_t mrw_frame_shadowless_lights(const mrw_renderer *renderer)
{
    return renderer->shadowless;
}
