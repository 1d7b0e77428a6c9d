/* target.c: writes rows of a band to targets. One table has a line per kind and format. */
#include "raster/internal.h"

#include <assert.h>
#include <string.h>

/* ---- rows without anything ------------------------------------------------------------------- */

/* Fills a row of so many bytes with the background. */
typedef void (*row_clearer)(const mrwi_raster_frame *frame, size_t bytes, void *row);

static void clear_color(const mrwi_raster_frame *frame, size_t bytes, void *row)
{
    memcpy(row, frame->background.row, bytes);
}

/* The number of floats in a cache line. */
#define FAR_BLOCK 16

/* Fills a row and prefetches, block by block, another row that is written soon: each row lies on
 * pages of its own, which processors do not predict. A shadow map takes a tenth less time with it.
 */
static void fill_far(float *row, const float *soon, size_t count)
{
    size_t i = 0;
    for (; i + FAR_BLOCK <= count; i += FAR_BLOCK) {
        __builtin_prefetch(soon + i, 1);
        for (size_t k = 0; k < FAR_BLOCK; k++) {
            row[i + k] = 1.0f;
        }
    }
    for (; i < count; i++) {
        row[i] = 1.0f;
    }
}

static void clear_far(const mrwi_raster_frame *frame, size_t bytes, void *row)
{
    (void)frame;
    fill_far(row, row, bytes / sizeof(float));
}

static void clear_zeros(const mrwi_raster_frame *frame, size_t bytes, void *row)
{
    (void)frame;
    memset(row, 0, bytes);
}

static void clear_linear(const mrwi_raster_frame *frame, size_t bytes, void *row)
{
    const size_t pixel = sizeof frame->background.linear;
    float four[4][4];
    for (int i = 0; i < 4; i++) {
        memcpy(four[i], frame->background.linear, pixel);
    }
    size_t at = 0;
    for (; at + sizeof four <= bytes; at += sizeof four) {
        memcpy((uint8_t *)row + at, four, sizeof four);
    }
    memcpy((uint8_t *)row + at, four, bytes - at);
}

static void clear_ones(const mrwi_raster_frame *frame, size_t bytes, void *row)
{
    (void)frame;
    memset(row, 0xff, bytes);
}

/* ---- rows of triangles ----------------------------------------------------------------------- */

/* Writes the part of row y that triangles touch; the row is cleared. */
typedef void (*row_writer)(const mrwi_raster_band *band, int32_t y, void *row);

static inline const int32_t *first_ids(const mrwi_raster_band *band, int32_t y)
{
    return band->seen.id + mrwi_raster_sample_index(&band->seen, y, 0);
}

static inline const float *first_depths(const mrwi_raster_band *band, int32_t y)
{
    return band->seen.z + mrwi_raster_sample_index(&band->seen, y, 0);
}

static void write_depths(const mrwi_raster_band *band, int32_t y, void *row)
{
    const mrwi_raster_box *touch = &band->touch;
    memcpy((float *)row + touch->x0, first_depths(band, y) + touch->x0,
           (size_t)(touch->x1 - touch->x0) * sizeof(float));
}

static void write_depths_16(const mrwi_raster_band *band, int32_t y, void *row)
{
    const float *z = first_depths(band, y);
    uint16_t *out = row;
    for (int32_t x = band->touch.x0; x < band->touch.x1; x++) {
        out[x] = (uint16_t)((double)z[x] * 65535.0 + 0.5); /* exact but for the last step */
    }
}

static void write_ids(const mrwi_raster_band *band, int32_t y, void *row)
{
    const mrwi_raster_geometry *geometry = band->frame->geometry;
    const int32_t *ids = first_ids(band, y);
    uint32_t *out = row;
    for (int32_t x = band->touch.x0; x < band->touch.x1; x++) {
        if (ids[x] != MRWI_SHADE_NO_TRIANGLE) {
            out[x] = geometry->draws[geometry->kept.triangles[ids[x]].draw_flags >> 1].id;
        }
    }
}

static void write_triangles(const mrwi_raster_band *band, int32_t y, void *row)
{
    const mrw_raster_source *sources = band->frame->geometry->kept.sources;
    const int32_t *ids = first_ids(band, y);
    uint32_t *out = row;
    for (int32_t x = band->touch.x0; x < band->touch.x1; x++) {
        if (ids[x] != MRWI_SHADE_NO_TRIANGLE) {
            out[x] = sources[ids[x]].triangle;
        }
    }
}

#define MARK_BLOCK 16

/* ORs into out whether any sample of count pixels belongs to an opaque or masked triangle:
 * MRWI_SHADE_NO_TRIANGLE has all bits that ids can have. With a constant count the compiler uses
 * lanes. */
static inline void mark_pixels(const int32_t *ids, size_t stride, uint32_t samples, size_t count,
                               uint8_t *out)
{
    int32_t all[MARK_BLOCK];
    uint8_t seen[MARK_BLOCK];
    memcpy(all, ids, count * sizeof all[0]);
    for (uint32_t s = 1; s < samples; s++) {
        for (size_t i = 0; i < count; i++) {
            all[i] &= ids[s * stride + i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        seen[i] = all[i] != MRWI_SHADE_NO_TRIANGLE;
    }
    for (size_t i = 0; i < count; i++) {
        out[i] |= seen[i];
    }
}

/* Marks the row's opaque and masked pixels. Transparent triangles have marked theirs already. */
static void mark_row(const mrwi_raster_band *band, int32_t y, void *row)
{
    const int32_t *ids = first_ids(band, y);
    const uint32_t samples = band->seen.samples;
    uint8_t *out = row;
    int32_t x = band->touch.x0;
    for (; x + MARK_BLOCK <= band->touch.x1; x += MARK_BLOCK) {
        mark_pixels(ids + x, band->seen.stride, samples, MARK_BLOCK, out + x);
    }
    for (; x < band->touch.x1; x++) {
        mark_pixels(ids + x, band->seen.stride, samples, 1, out + x);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct target_writer {
    mrw_target_kind kind;
    mrw_format format;
    uint32_t least, most; /* channels */
    row_clearer clear;
    row_writer write; /* NULL: shading writes the rows */
} target_writer;

static const target_writer writers[] = {
    {MRW_TARGET_COLOR, MRW_FORMAT_U8, 3, 4, clear_color, NULL},
    {MRW_TARGET_COLOR, MRW_FORMAT_U16, 3, 4, clear_color, NULL},
    {MRW_TARGET_DEPTH, MRW_FORMAT_F32, 1, 1, clear_far, write_depths},
    {MRW_TARGET_DEPTH, MRW_FORMAT_U16, 1, 1, clear_ones, write_depths_16},
    {MRW_TARGET_ID, MRW_FORMAT_U32, 1, 1, clear_zeros, write_ids},
    {MRW_TARGET_TRIANGLE, MRW_FORMAT_U32, 1, 1, clear_ones, write_triangles},
    {MRW_TARGET_COVERAGE, MRW_FORMAT_U8, 1, 1, clear_zeros, mark_row},
    {MRW_TARGET_LINEAR, MRW_FORMAT_F32, 4, 4, clear_linear, NULL},
    {MRW_TARGET_ALPHA, MRW_FORMAT_F32, 1, 1, clear_zeros, NULL},
    {MRW_TARGET_NORMAL, MRW_FORMAT_F32, 3, 3, clear_zeros, NULL},
    {MRW_TARGET_ALBEDO, MRW_FORMAT_F32, 3, 3, clear_zeros, NULL},
};

/* Returns the writer of a target; NULL if there is no such target. */
static const target_writer *writer_of(const mrw_target *target)
{
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        const target_writer *w = &writers[i];
        if (w->kind == target->kind && w->format == target->format &&
            w->least <= target->channels && target->channels <= w->most) {
            return w;
        }
    }
    return NULL;
}

mrw_target mrw_target_of(mrw_target_kind kind, const mrw_image *image)
{
    return (mrw_target){kind, image->format, image->channels, image->pixels,
                        (size_t)image->width * image->channels * mrw_format_size(image->format)};
}

static size_t row_bytes(const mrw_raster_job *job, const mrw_target *target)
{
    return (size_t)job->width * target->channels * mrw_format_size(target->format);
}

bool mrwi_raster_targets_fit(const mrw_raster_job *job)
{
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < job->target_count; i++) {
        const mrw_target *target = &job->targets[i];
        if (!writer_of(target) || (kinds >> target->kind & 1) != 0) {
            return false;
        }
        const size_t value = mrw_format_size(target->format);
        const size_t unit = target->kind == MRW_TARGET_COLOR ? target->channels * value : value;
        kinds |= 1u << target->kind;
        if (!target->data || (uintptr_t)target->data % value != 0 ||
            target->stride < row_bytes(job, target) || target->stride % unit != 0 ||
            (target->kind == MRW_TARGET_COLOR &&
             target->stride / unit > (size_t)INT32_MAX / job->height)) {
            return false;
        }
    }
    const mrw_target *depth = mrwi_raster_target_find(job, MRW_TARGET_DEPTH);
    return (!job->depth_spans || (depth && depth->format == MRW_FORMAT_F32)) &&
           (!job->shares || (job->target_count == 0 && !job->visit));
}

const mrw_target *mrwi_raster_target_find(const mrw_raster_job *job, mrw_target_kind kind)
{
    for (uint32_t i = 0; i < job->target_count; i++) {
        if (job->targets[i].kind == kind) {
            return &job->targets[i];
        }
    }
    return NULL;
}

bool mrwi_raster_targets_show_blended(const mrw_raster_job *job)
{
    return mrwi_raster_targets_are_shaded(job) || job->shares ||
           mrwi_raster_target_find(job, MRW_TARGET_COVERAGE);
}

bool mrwi_raster_targets_are_shaded(const mrw_raster_job *job)
{
    return mrwi_raster_target_find(job, MRW_TARGET_COLOR) ||
           mrwi_raster_target_find(job, MRW_TARGET_LINEAR) ||
           mrwi_raster_target_find(job, MRW_TARGET_ALPHA);
}

bool mrwi_raster_targets_show_surfaces(const mrw_raster_job *job)
{
    return mrwi_raster_target_find(job, MRW_TARGET_NORMAL) ||
           mrwi_raster_target_find(job, MRW_TARGET_ALBEDO);
}

/* ---- a band ---------------------------------------------------------------------------------- */

#define ROWS_AHEAD 2 /* 1 to 8 take the same time */

/* Clears those parts of rows of depths that do not hold 1 already. */
static void clear_spans(const mrwi_raster_band *band, const mrw_target *target)
{
    for (int32_t y = band->box.y0; y < band->box.y1; y++) {
        const mrw_shadow_span *span = &band->frame->job->depth_spans[y / MRW_SHADOW_SPAN_ROWS];
        const int32_t soon = y + ROWS_AHEAD < band->box.y1 ? y + ROWS_AHEAD : y;
        if (span->x0 < span->x1) {
            fill_far((float *)mrwi_raster_target_row(target, y) + span->x0,
                     (float *)mrwi_raster_target_row(target, soon) + span->x0,
                     (size_t)(span->x1 - span->x0));
        }
    }
}

/* Clears a target that is clear except for its spans. */
static void clear_dirty(const mrwi_raster_band *band, const mrw_target *target,
                        const mrw_shadow_span *spans, row_clearer clear)
{
    const int32_t width = (int32_t)band->frame->job->width;
    const size_t pixel = target->channels * mrw_format_size(target->format);
    for (int32_t y = band->box.y0; y < band->box.y1; y++) {
        const mrw_shadow_span *span = &spans[y / MRW_SHADOW_SPAN_ROWS];
        const int32_t x0 = span->x0 > 0 ? span->x0 : 0, x1 = span->x1 < width ? span->x1 : width;
        if (x0 < x1) {
            clear(band->frame, (size_t)(x1 - x0) * pixel,
                  (uint8_t *)mrwi_raster_target_row(target, y) + (size_t)x0 * pixel);
        }
    }
}

void mrwi_raster_clear_targets(const mrwi_raster_band *band)
{
    const mrw_raster_job *job = band->frame->job;
    if (band->frame->background.backdrop) {
        mrwi_raster_draw_backdrop(band);
    }
    if (band->frame->background.plate) {
        mrwi_raster_draw_plate(band);
    }
    for (uint32_t i = 0; i < job->target_count; i++) {
        const mrw_target *target = &job->targets[i];
        const row_clearer clear = writer_of(target)->clear;
        if ((band->frame->background.backdrop || band->frame->background.plate) &&
            (target->kind == MRW_TARGET_COLOR || target->kind == MRW_TARGET_LINEAR)) {
            continue;
        }
        if (target->kind == MRW_TARGET_DEPTH && job->depth_spans) {
            clear_spans(band, target);
            continue;
        }
        if (job->target_spans && job->target_spans[i]) {
            clear_dirty(band, target, job->target_spans[i], clear);
            continue;
        }
        const size_t bytes = row_bytes(job, target);
        for (int32_t y = band->box.y0; y < band->box.y1; y++) {
            clear(band->frame, bytes, mrwi_raster_target_row(target, y));
        }
    }
}

void mrwi_raster_write_targets(const mrwi_raster_band *band)
{
    const mrw_raster_job *job = band->frame->job;
    for (uint32_t i = 0; i < job->target_count; i++) {
        const mrw_target *target = &job->targets[i];
        const row_writer write = writer_of(target)->write;
        for (int32_t y = band->touch.y0; write && y < band->touch.y1; y++) {
            write(band, y, mrwi_raster_target_row(target, y));
        }
    }
}
