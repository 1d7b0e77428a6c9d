/* blend.c: triangles whose alpha counts. Masked ones enter depth and id where their alpha passes;
 * transparent ones are blended over the shaded samples of their band, back to front.
 */
#include "raster/internal.h"

#include "base/lanes.h"

static inline uint32_t pixel_of(const mrwi_band *band, int32_t x, int32_t y)
{
    return (uint32_t)(y - band->box.y0) * (uint32_t)band->box.x1 + (uint32_t)x;
}

/* Depths of the samples of mask, and which of them would win against the band as it is. */
static uint32_t depth_test(const mrwi_band *band, const mrwi_setup *t, int32_t id, int32_t x,
                           int32_t y, uint32_t mask, float z[MRWI_MAX_SAMPLES])
{
    const mrwi_sample_pattern *pattern = band->frame->geometry->pattern;
    uint32_t won = 0;
    for (; mask != 0; mask &= mask - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(mask);
        size_t at = mrwi_sample_index(band, y, s) + (size_t)x;
        float dx = (float)(x - t->box.x0) + ((float)pattern->x[s] * 0.0625f + 0.5f);
        float dy = (float)(y - t->box.y0) + ((float)pattern->y[s] * 0.0625f + 0.5f);
        z[s] = mrwi_depth(t, dx, dy);
        won |= (uint32_t)mrwi_wins(z[s], id, band->z[at], band->id[at]) << s;
    }
    return won;
}

/* ---- masked ---------------------------------------------------------------------------------- */

/* Alpha of the list's fragments; those that pass enter depth and id. Tested again, since fragments
 * of one list may hide each other. */
static void flush_masked(mrwi_band *band)
{
    const mrwi_frame *frame = band->frame;
    mrwi_fragments *f = band->fragments;
    if (f->count == 0) {
        return;
    }
    mrwi_shade_list list = mrwi_fragment_list(f);
    frame->kernels->alpha(&frame->shade, &list, f->alpha);
    for (uint32_t i = 0; i < f->count; i++) {
        const mrwi_triangle *triangle = &frame->geometry->triangles[f->triangle[i]];
        const mrw_raster_draw *draw = &frame->geometry->draws[triangle->draw_flags >> 1];
        if (!(f->alpha[i] >= draw->material->alpha_cutoff)) {
            continue;
        }
        int32_t y = band->box.y0 + (int32_t)(f->pixel[i] / (uint32_t)band->box.x1);
        for (uint32_t mask = f->mask[i]; mask != 0; mask &= mask - 1) {
            uint32_t s = (uint32_t)__builtin_ctz(mask);
            size_t at = mrwi_sample_index(band, y, s) + f->pixel[i] % (uint32_t)band->box.x1;
            if (mrwi_wins(f->z[i][s], (int32_t)f->triangle[i], band->z[at], band->id[at])) {
                band->z[at] = f->z[i][s];
                band->id[at] = (int32_t)f->triangle[i];
            }
        }
    }
    f->count = 0;
}

static void visit_masked(mrwi_band *band, const mrwi_setup *setup, int32_t id, int32_t x, int32_t y,
                         uint32_t mask)
{
    float z[MRWI_MAX_SAMPLES];
    uint32_t won = depth_test(band, setup, id, x, y, mask, z);
    if (won == 0) {
        return;
    }
    if (band->fragments->count == MRWI_SHADE_MAX) {
        flush_masked(band);
    }
    /* the position follows from all that is covered, so that hidden samples don't move it */
    uint32_t n = mrwi_add_fragment(band, &setup->edges, id, x, y, mask);
    band->fragments->pixel[n] = pixel_of(band, x, y);
    band->fragments->mask[n] = (uint8_t)won;
    for (uint32_t s = 0; s < band->frame->job->samples; s++) {
        band->fragments->z[n][s] = z[s];
    }
}

static void visit_triangles(mrwi_band *band, const uint32_t *ids, uint32_t count,
                            mrwi_pixel_visitor visit)
{
    const mrwi_geometry *geometry = band->frame->geometry;
    band->fragments->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        mrwi_setup setup;
        mrwi_setup_triangle(geometry, &geometry->triangles[ids[i]], &geometry->boxes[ids[i]],
                            &setup);
        mrwi_visit_pixels(band, &setup, (int32_t)ids[i], visit);
    }
}

void mrwi_cover_masked(mrwi_band *band, const uint32_t *ids, uint32_t count)
{
    visit_triangles(band, ids, count, visit_masked);
    flush_masked(band);
}

/* ---- transparent ----------------------------------------------------------------------------- */

/* The pixels that the list's fragments change. */
static void mark_blended(const mrwi_band *band)
{
    const mrw_raster_job *job = band->frame->job;
    const mrwi_fragments *f = band->fragments;
    uint8_t *subject = job->subject + (size_t)band->box.y0 * job->image->width;
    for (uint32_t i = 0; i < f->count; i++) {
        subject[f->pixel[i]] |= f->rgba[i][3] > 0.0f;
    }
}

/* Premultiplied source over destination, in list order. */
static void flush_blended(mrwi_band *band)
{
    const mrwi_frame *frame = band->frame;
    mrwi_fragments *f = band->fragments;
    if (f->count == 0) {
        return;
    }
    mrwi_shade_list list = mrwi_fragment_list(f);
    frame->kernels->shade(&frame->shade, &list, f->rgba);
    if (frame->job->subject != NULL) {
        mark_blended(band);
    }
    for (uint32_t i = 0; i < f->count; i++) {
        float(*samples)[4] = band->samples + (size_t)f->pixel[i] * frame->job->samples;
        mrwi_f4 source = mrwi_f4_load(f->rgba[i]);
        mrwi_f4 through = mrwi_f4_set(1.0f - f->rgba[i][3]);
        for (uint32_t mask = f->mask[i]; mask != 0; mask &= mask - 1) {
            float *sample = samples[__builtin_ctz(mask)];
            mrwi_f4_store(sample, source + mrwi_f4_load(sample) * through);
        }
    }
    f->count = 0;
}

static void visit_blended(mrwi_band *band, const mrwi_setup *setup, int32_t id, int32_t x,
                          int32_t y, uint32_t mask)
{
    float z[MRWI_MAX_SAMPLES];
    uint32_t won = depth_test(band, setup, id, x, y, mask, z);
    if (won == 0) {
        return;
    }
    if (band->fragments->count == MRWI_SHADE_MAX) {
        flush_blended(band);
    }
    uint32_t n = mrwi_add_fragment(band, &setup->edges, id, x, y, mask);
    band->fragments->pixel[n] = pixel_of(band, x, y);
    band->fragments->mask[n] = (uint8_t)won;
}

void mrwi_blend_triangles(mrwi_band *band, const uint32_t *ids, uint32_t count)
{
    visit_triangles(band, ids, count, visit_blended);
    flush_blended(band);
}
