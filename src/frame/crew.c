/* crew.c: crews: renderers and drawers of threads, kept from sequence to sequence; and the backends
 * of this library. */
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "frame/frame.h"

#include <assert.h>

/* ---- backends -------------------------------------------------------------------------------- */

/* Takes the thread's renderer as the drawer: the software rasterizer needs nothing else. */
static mrw_status take_renderer(void *unused, mrw_renderer *renderer, void **out, mrw_error *error)
{
    (void)unused;
    (void)error;
    *out = renderer;
    return MRW_OK;
}

static void leave_renderer(void *drawer)
{
    (void)drawer;
}

static mrw_status draw_nothing(void *drawer, const mrw_frame_def *def,
                               const mrw_instance *instances, uint32_t count, int threads,
                               mrw_image *out, mrw_error *error)
{
    (void)drawer, (void)def, (void)instances, (void)count, (void)threads, (void)out, (void)error;
    return MRW_OK;
}

const mrw_backend *mrw_backend_software(void)
{
    static const mrw_backend software = {.name = "software",
                                         .create = take_renderer,
                                         .draw = mrwi_frame_render,
                                         .free = leave_renderer};
    return &software;
}

const mrw_backend *mrw_backend_none(void)
{
    static const mrw_backend none = {
        .name = "none", .create = take_renderer, .draw = draw_nothing, .free = leave_renderer};
    return &none;
}

/* ---- the crew -------------------------------------------------------------------------------- */

mrw_status mrw_crew_create(const mrw_backend *backend, int threads, mrw_crew **out,
                           mrw_error *error)
{
    const size_t size = (size_t)threads;
    mrw_crew *crew = mrwi_base_alloc_zero(1, sizeof *crew);
    assert(backend && threads > 0);
    *out = crew;
    if (!crew) {
        return mrwi_base_fail_memory(error, sizeof *crew);
    }
    *crew = (mrw_crew){.backend = backend,
                       .size = threads,
                       .renderers = mrwi_base_alloc_zero(size, sizeof *crew->renderers),
                       .drawers = mrwi_base_alloc_zero(size, sizeof *crew->drawers),
                       .images = mrwi_base_alloc_zero(size, sizeof *crew->images)};
    if (!crew->renderers || !crew->drawers || !crew->images) {
        mrw_crew_free(crew);
        *out = NULL;
        return mrwi_base_fail_memory(error, size * sizeof *crew->images);
    }
    return MRW_OK;
}

void mrw_crew_free(mrw_crew *crew)
{
    if (!crew) {
        return;
    }
    for (int i = 0; i < crew->ready; i++) {
        crew->backend->free(crew->drawers[i]);
    }
    for (int i = 0; i < crew->size; i++) {
        if (crew->renderers) {
            mrw_renderer_free(crew->renderers[i]);
        }
        if (crew->images) {
            mrw_image_free(&crew->images[i]);
        }
    }
    mrwi_base_free(crew->renderers);
    mrwi_base_free(crew->drawers);
    mrwi_base_free(crew->images);
    mrwi_base_free(crew);
}

mrw_status mrw_crew_draw(mrw_crew *crew, int worker, const mrw_frame_def *def,
                         const mrw_instance *instances, uint32_t instance_count, int threads,
                         mrw_image *out, mrw_error *error)
{
    assert(worker >= 0 && worker < crew->ready && instances && instance_count > 0 && threads > 0);
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status) {
        return status;
    }
    const mrwi_base_fp fp = mrwi_base_fp_enter();
    status =
        mrwi_frame_draw_with(crew, worker, def, instances, instance_count, threads, out, error);
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrwi_frame_crew_ready(mrw_crew *crew, int size, mrw_error *error)
{
    assert(size <= crew->size);
    for (; crew->ready < size; crew->ready++) {
        const int i = crew->ready;
        if (!crew->renderers[i]) {
            mrw_status status = mrw_renderer_create(&crew->renderers[i], error);
            if (status) {
                return status;
            }
        }
        mrw_status status = crew->backend->create(crew->backend->user, crew->renderers[i],
                                                  &crew->drawers[i], error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}
