/* gouraud.c: the light at vertices, as colours of draws. */
#include "frame/frame.h"

#include "base/memory.h"
#include "base/text.h"

/* Finds the eye in the form that mrw_raster_light_vertices takes. */
static void eye_of(const mrw_camera *camera, float out[4])
{
    const float *m = camera->world_to_view.m;
    for (int i = 0; i < 3; i++) {
        out[i] = camera->orthographic
                     ? m[4 * i + 2]
                     : -((m[4 * i] * m[12] + m[4 * i + 1] * m[13]) + m[4 * i + 2] * m[14]);
    }
    out[3] = camera->orthographic ? 0.0f : 1.0f;
}

mrw_status mrwi_frame_light_vertices(mrwi_base_arena *arena, const mrw_camera *camera,
                                     mrw_raster_job *job, mrw_error *error)
{
    float eye[4];
    mrw_raster_draw *draws = mrwi_base_arena_alloc(arena, job->draw_count, sizeof *draws);
    if (!draws) {
        return mrwi_base_fail_memory(error, job->draw_count * sizeof *draws);
    }
    eye_of(camera, eye);
    for (uint32_t i = 0; i < job->draw_count; i++) {
        draws[i] = job->draws[i];
        if (draws[i].material->unlit) {
            continue;
        }
        float(*colors)[4] = mrwi_base_arena_alloc(arena, draws[i].vertex_count, sizeof *colors);
        if (!colors) {
            return mrwi_base_fail_memory(error, draws[i].vertex_count * sizeof *colors);
        }
        mrwi_frame_fill(&draws[i]);
        mrw_raster_light_vertices(&job->draws[i], &job->lighting, eye, colors);
        draws[i].colors = colors[0];
    }
    job->draws = draws;
    return MRW_OK;
}
