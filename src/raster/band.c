/* band.c: a thread's memory, and the way through one band of scanlines. */
#include "base/simd/f4.h"
#include "base/work.h"
#include "raster/internal.h"

#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

bool mrwi_raster_buffer_reserve(mrwi_raster_buffer *buffer, size_t used_bytes, size_t count,
                                size_t size)
{
    if (buffer->data && count <= buffer->size / size) {
        return true;
    }
    size_t grown = count + count / 2;
    void *data = mrwi_base_realloc(buffer->data, used_bytes, grown, size);
    if (!data) {
        return false;
    }
    buffer->data = data;
    buffer->size = grown * size;
    return true;
}

void mrwi_raster_buffer_free(mrwi_raster_buffer *buffer)
{
    mrwi_base_free(buffer->data);
    *buffer = (mrwi_raster_buffer){0};
}

static size_t align_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Lays out the memory of worker `index` in one block. Rows are padded: coverage handles up to 16
 * pixels at a time. */
static bool prepare_worker(mrwi_raster_worker *worker, int index, const mrwi_raster_frame *frame)
{
    size_t width = frame->job->width;
    size_t rows = (size_t)frame->bins->band_rows;
    size_t samples = frame->job->samples;
    size_t stride = (width + 16 + 15) / 16 * 16;
    size_t plane = align_up(rows * samples * stride * sizeof(float));
    bool shades_samples = (frame->bins->blends || frame->background.is_deep) && frame->shaded;
    size_t row = shades_samples ? align_up(width * sizeof(float[4])) : 0;
    size_t colors = shades_samples ? rows * samples * width * sizeof(float[4]) : 0;
    size_t backdrop = frame->background.backdrop ? align_up((width + 3) * sizeof(float[4])) : 0;
    size_t farthest = align_up(mrwi_raster_block_count(width, rows) * sizeof(float));
    const uint32_t lights = frame->shade.lamps ? frame->shade.lamps->count : 0;
    size_t lamps = lights > 0 ? align_up(mrwi_shade_lamps_size(lights)) : 0;
    const size_t draws = frame->job->shares ? frame->job->draw_count : 0;
    const size_t shares = align_up(draws * (sizeof *worker->shares.items + sizeof(uint32_t)));
    size_t total = MRWI_SHADE_MEMORY + 2 * plane + row + backdrop + farthest +
                   align_up(sizeof(mrwi_raster_scratch)) + align_up(sizeof(mrwi_raster_frame)) +
                   lamps + shares + colors;
    if (!mrwi_raster_buffer_reserve(&worker->memory, 0, total, 1) ||
        (frame->bins->blends && mrwi_raster_keeps_fragments(frame) &&
         !mrwi_raster_abuffer_prepare(&worker->abuffer, rows * width, frame->job->samples,
                                      frame->bins))) {
        return false;
    }
    worker->sorted_bands = 0;
    char *at = worker->memory.data;
    worker->frame = frame;
    worker->own = (void *)at;
    at += align_up(sizeof(mrwi_raster_frame));
    if (lights > 0) {
        mrwi_shade_lamps_place(at, lights, &worker->lamps);
        at += lamps;
    }
    worker->shares = (mrwi_raster_share_list){.worker = index, .items = (void *)at};
    worker->shares.places = (uint32_t *)(worker->shares.items + draws);
    memset(at, 0, shares);
    at += shares;
    worker->scratch = (void *)at;
    at += align_up(sizeof(mrwi_raster_scratch));
    worker->scratch->fragments.memory = at;
    for (int s = 0; s < MRWI_SHADE_MAX_SAMPLES; s++) {
        worker->scratch->mask_samples[s].at.memory = at;
    }
    at += MRWI_SHADE_MEMORY;
    worker->scratch->row = shades_samples ? (void *)at : NULL;
    at += row;
    worker->scratch->backdrop = (void *)at;
    at += backdrop;
    worker->scratch->farthest = (void *)at;
    at += farthest;
    worker->seen = (mrwi_raster_visibility){.z = (void *)at,
                                            .id = (void *)(at + plane),
                                            .stride = stride,
                                            .samples = frame->job->samples};
    worker->samples = shades_samples ? (void *)(at + 2 * plane) : NULL;
    return true;
}

bool mrwi_raster_prepare_workers(mrwi_raster_workers *workers, const mrwi_raster_frame *frame,
                                 int count)
{
    size_t used = (size_t)workers->count * sizeof(mrwi_raster_worker);
    if (!mrwi_raster_buffer_reserve(&workers->buffer, used, (size_t)count,
                                    sizeof(mrwi_raster_worker))) {
        return false;
    }
    workers->items = workers->buffer.data;
    for (; workers->count < count; workers->count++) {
        workers->items[workers->count].memory = (mrwi_raster_buffer){0};
        workers->items[workers->count].abuffer = (mrwi_raster_abuffer){0};
    }
    for (int i = 0; i < count; i++) {
        if (!prepare_worker(&workers->items[i], i, frame)) {
            return false;
        }
    }
    return true;
}

void mrwi_raster_free_workers(mrwi_raster_workers *workers)
{
    for (int i = 0; i < workers->count; i++) {
        mrwi_raster_buffer_free(&workers->items[i].memory);
        mrwi_raster_buffer_free(&workers->items[i].abuffer.memory);
    }
    mrwi_raster_buffer_free(&workers->buffer);
    *workers = (mrwi_raster_workers){0};
}

/* ---- a band ---------------------------------------------------------------------------------- */

/* Clears only the part that triangles may touch; at the right edge also the padding, because
 * kernels test samples of boxes that the edge cuts. The first row is written by a loop, the others
 * are copies of it, at the speed of memory. */
static void clear_depth(const mrwi_raster_box *touch, int32_t picture_width,
                        const mrwi_raster_visibility *seen)
{
    const size_t x0 = (size_t)touch->x0;
    const size_t x1 = touch->x1 < picture_width ? (size_t)touch->x1 : seen->stride;
    const size_t width = x1 - x0;
    float *const first_z = seen->z + mrwi_raster_sample_index(seen, touch->y0, 0) + x0;
    int32_t *const first_id = seen->id + mrwi_raster_sample_index(seen, touch->y0, 0) + x0;
    for (size_t x = 0; x < width; x++) {
        first_z[x] = 1.0f;
        first_id[x] = MRWI_SHADE_NO_TRIANGLE;
    }
    const size_t rows = (size_t)(touch->y1 - touch->y0) * seen->samples;
    for (size_t i = 1; i < rows; i++) {
        memcpy(first_z + i * seen->stride, first_z, width * sizeof first_z[0]);
        memcpy(first_id + i * seen->stride, first_id, width * sizeof first_id[0]);
    }
}

/* Returns true if only depths are wanted and kernels, which handle up to 16 pixels at a time, stay
 * within the rows of their target. Then depths are found in that target. */
static bool finds_in_target(const mrwi_raster_band *band)
{
    const mrw_raster_job *job = band->frame->job;
    const mrw_target *target = job->targets;
    return job->target_count == 1 && !job->visit && job->samples == 1 &&
           target->kind == MRW_TARGET_DEPTH && target->format == MRW_FORMAT_F32 &&
           !band->frame->bins->masks && band->touch.x1 + 16 <= (int32_t)job->width;
}

static void find_in_target(const mrwi_raster_band *band, const uint32_t *opaque, uint32_t count)
{
    const mrw_target *target = band->frame->job->targets;
    mrwi_raster_band in_target = *band;
    in_target.seen.z = mrwi_raster_target_row(target, band->box.y0);
    in_target.seen.id = NULL;
    in_target.seen.stride = target->stride / sizeof(float);
    mrwi_raster_clear_targets(band);
    mrwi_raster_cover_opaque(&in_target, opaque, count);
}

/* Calls the job's visitor for a band. */
static void visit_band(const mrwi_raster_band *band, int worker)
{
    const mrw_raster_job *job = band->frame->job;
    const mrwi_raster_box *touch = &band->touch;
    if (job->visit) {
        const mrw_raster_seen seen = {.y0 = (uint32_t)band->box.y0,
                                      .y1 = (uint32_t)band->box.y1,
                                      .x0 = (uint32_t)touch->x0,
                                      .x1 =
                                          (uint32_t)(touch->x0 < touch->x1 ? touch->x1 : touch->x0),
                                      .touch_y0 = (uint32_t)touch->y0,
                                      .touch_y1 = (uint32_t)touch->y1,
                                      .ids = band->seen.id,
                                      .stride = band->seen.stride * job->samples,
                                      .sources = band->frame->geometry->kept.sources};
        job->visit(job->visit_user, worker, &seen);
    }
}

/* The triangles of a band by layer. */
typedef struct band_bins {
    const uint32_t *ids[MRWI_RASTER_LAYERS];
    uint32_t count[MRWI_RASTER_LAYERS];
} band_bins;

static void cover_band(const mrwi_raster_band *band, const band_bins *bins)
{
    clear_depth(&band->touch, band->frame->geometry->view.width, &band->seen);
    mrwi_raster_cover_opaque(band, bins->ids[MRWI_RASTER_OPAQUE], bins->count[MRWI_RASTER_OPAQUE]);
    mrwi_raster_cover_masked(band, bins->ids[MRWI_RASTER_MASK], bins->count[MRWI_RASTER_MASK]);
}

/* Draws the pixels of colour targets, and marks those of the coverage target that transparent
 * triangles change. Counts a band with too many transparent fragments. */
static void shade_band(const mrwi_raster_band *band, const band_bins *bins, uint32_t *sorted_bands)
{
    const mrwi_raster_frame *frame = band->frame;
    const uint32_t *blended = bins->ids[MRWI_RASTER_BLEND];
    const uint32_t count = bins->count[MRWI_RASTER_BLEND];
    if (!frame->shaded) {
        mrwi_raster_blend_triangles(band, blended, count);
    } else if (count == 0 && !frame->background.is_deep) {
        mrwi_raster_shade_rows(band);
    } else {
        mrwi_raster_shade_samples(band);
        if (count > 0 && !mrwi_raster_blend_fragments(band, blended, count)) {
            ++*sorted_bands;
            cover_band(band, bins);
            mrwi_raster_blend_triangles(band, blended, count);
        }
        mrwi_raster_resolve_samples(band);
    }
}

/* Returns the frame without the lights that reach none of a band's triangles. */
static const mrwi_raster_frame *choose_lamps(mrwi_raster_worker *worker, const uint32_t *ids,
                                             uint32_t count)
{
    const mrwi_raster_frame *all = worker->frame;
    if (!all->shade.lamps || !all->shade.lamps->any_placed) {
        return all;
    }
    mrwi_raster_lamps_of_band(all->shade.lamps, all->geometry, ids, count, &worker->lamps);
    *worker->own = *all;
    worker->own->shade.lamps = &worker->lamps;
    return worker->own;
}

void mrwi_raster_draw_band(void *user, int64_t index, int worker)
{
    mrwi_raster_worker *memory = (mrwi_raster_worker *)user + worker;
    const mrwi_raster_bins *bins = memory->frame->bins;
    const mrwi_raster_view *view = &memory->frame->geometry->view;
    const uint64_t *first = bins->first + index * MRWI_RASTER_LAYERS;
    band_bins own;
    for (int i = 0; i < MRWI_RASTER_LAYERS; i++) {
        own.ids[i] = bins->ids + first[i];
        own.count[i] = (uint32_t)(first[i + 1] - first[i]);
    }
    if (!mrwi_base_work_goes_on()) {
        return;
    }
    const int32_t y0 = (int32_t)index * bins->band_rows;
    const int32_t y1 = y0 + bins->band_rows < view->height ? y0 + bins->band_rows : view->height;
    mrwi_raster_band band = {.frame = memory->frame,
                             .box = {0, y0, view->width, y1},
                             .touch = bins->bounds[index],
                             .seen = memory->seen,
                             .samples = memory->samples,
                             .scratch = memory->scratch,
                             .abuffer = &memory->abuffer};
    band.seen.y0 = y0;
    band.seen.y1 = y1;
    band.touch.x0 &= ~3; /* so that encoded rows begin at a 64-byte boundary */
    if (band.touch.x0 >= band.touch.x1) {
        mrwi_raster_clear_targets(&band);
        visit_band(&band, worker);
        return;
    }
    band.frame = choose_lamps(memory, own.ids[0], (uint32_t)(first[MRWI_RASTER_LAYERS] - first[0]));
    if (finds_in_target(&band)) {
        find_in_target(&band, own.ids[MRWI_RASTER_OPAQUE], own.count[MRWI_RASTER_OPAQUE]);
        return;
    }
    cover_band(&band, &own);
    if (band.frame->job->shares) {
        mrwi_raster_share_band(&band, &memory->shares, own.ids[MRWI_RASTER_BLEND],
                               own.count[MRWI_RASTER_BLEND]);
        return;
    }
    mrwi_raster_clear_targets(&band);
    mrwi_raster_write_targets(&band);
    visit_band(&band, worker);
    mrwi_raster_write_surfaces(&band);
    shade_band(&band, &own, &memory->sorted_bands);
}
