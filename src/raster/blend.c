/* blend.c: triangles whose alpha counts. Masked ones write depth and id at samples where their
 * alpha passes. Transparent ones are blended over the shaded samples of their band: fragment by
 * fragment (abuffer.c), or, if there are too many, triangle by triangle, back to front. */
#include "raster/cover.h"

#include "base/simd/f4.h"
#include "base/work.h"

mrwi_raster_collector mrwi_raster_begin_lists(const mrwi_raster_band *band,
                                              void (*flush)(const mrwi_raster_band *band))
{
    mrwi_raster_scratch *scratch = band->scratch;
    scratch->fragments.count = 0;
    scratch->candidates.flush = flush;
    scratch->candidates.band = band;
    return (mrwi_raster_collector){band->frame->geometry->view.pattern, &band->seen,
                                   &scratch->fragments, &scratch->candidates, NULL};
}

/* ---- masked ---------------------------------------------------------------------------------- */

/* Returns the alpha below which a fragment is a hole. */
static float cutoff_of(const mrw_raster_material *material, float x, float y)
{
    static const uint8_t order[3][3] = {{0, 7, 3}, {6, 5, 2}, {4, 1, 8}};
    return material->screen_door ? ((float)order[(uint32_t)y % 3][(uint32_t)x % 3] + 0.5f) / 9.0f
                                 : material->alpha_cutoff;
}

/* Finds the samples whose alpha passes. Returns their count. It has no branches, because they would
 * be unpredictable. */
static uint32_t find_passing(const mrwi_raster_band *band, const mrwi_shade_fragments *at,
                             const float *alpha, uint32_t *passing)
{
    const mrwi_raster_geometry *geometry = band->frame->geometry;
    const mrw_raster_material *material = NULL;
    uint32_t count = 0, last = 0;
    for (uint32_t i = 0; i < at->count; i++) {
        if (!material || at->triangle[i] != last) {
            last = at->triangle[i];
            material = geometry->draws[geometry->kept.triangles[last].draw_flags >> 1].material;
        }
        passing[count] = i;
        count += alpha[i] >= cutoff_of(material, at->x[i], at->y[i]);
    }
    return count;
}

/* Writes depth and id of the samples whose alpha passes. They are depth-tested again, because they
 * may hide each other. */
static void enter_samples(const mrwi_raster_band *band, mrwi_raster_mask_samples *samples)
{
    const mrwi_raster_frame *frame = band->frame;
    const mrwi_raster_visibility *seen = &band->seen;
    float alpha[MRWI_SHADE_LIST_ROOM];
    uint32_t passing[MRWI_SHADE_LIST_ROOM];
    const mrwi_shade_list list = mrwi_raster_fragment_list(&samples->at);
    frame->kernels->alpha(&frame->shade, &list, alpha);
    const uint32_t count = find_passing(band, &samples->at, alpha, passing);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = passing[k], place = samples->place[i];
        const int32_t id = (int32_t)samples->at.triangle[i];
        if (mrwi_raster_wins(samples->z[i], id, seen->z[place], seen->id[place])) {
            seen->z[place] = samples->z[i];
            seen->id[place] = id;
        }
    }
}

/* Looks up a mask at the position of each sample, so that its edges are as smooth as a triangle's;
 * "alpha to coverage" would guess the number of passing samples from a pixel's alpha and its slope.
 * With one sample this is glTF's rule: the alpha at the pixel's centre against the cutoff. It
 * handles one sample after the other, because kernels are fast along rows. */
static void flush_masked(const mrwi_raster_band *band)
{
    const bool goes_on = mrwi_base_work_look(MRWI_RASTER_LIST_UNITS * band->seen.samples);
    for (uint32_t s = 0; s < band->seen.samples; s++) {
        mrwi_raster_mask_samples *samples = &band->scratch->mask_samples[s];
        if (samples->at.count > 0 && goes_on) {
            enter_samples(band, samples);
        }
        samples->at.count = 0;
    }
}

void mrwi_raster_cover_masked(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count)
{
    mrwi_raster_collector to = mrwi_raster_begin_lists(band, flush_masked);
    to.samples = band->scratch->mask_samples;
    for (uint32_t s = 0; s < band->seen.samples; s++) {
        to.samples[s].at.count = 0;
    }
    mrwi_raster_cover_nearest_first(band, ids, count, &to);
    flush_masked(band);
}

/* ---- transparent ----------------------------------------------------------------------------- */

void mrwi_raster_mark_blended(const mrwi_raster_band *band, const float *alpha, size_t step)
{
    const mrwi_shade_fragments *f = &band->scratch->fragments;
    const mrw_target *coverage = band->frame->coverage;
    uint8_t *first = coverage->data;
    for (uint32_t i = 0; i < f->count; i++) {
        const size_t x = (size_t)f->x[i], y = (size_t)f->y[i];
        first[y * coverage->stride + x] |= alpha[i * step] > 0.0f;
    }
}

/* Marks the fragments of the list, if there is no colour target. */
static void flush_marked(const mrwi_raster_band *band)
{
    const mrwi_raster_frame *frame = band->frame;
    mrwi_shade_fragments *f = &band->scratch->fragments;
    float alpha[MRWI_SHADE_LIST_ROOM];
    if (f->count == 0 || !mrwi_base_work_look(MRWI_RASTER_LIST_UNITS)) {
        f->count = 0;
        return;
    }
    mrwi_shade_list list = mrwi_raster_fragment_list(f);
    frame->kernels->alpha(&frame->shade, &list, alpha);
    mrwi_raster_mark_blended(band, alpha, 1);
    f->count = 0;
}

/* Blends premultiplied source over destination, in list order. */
static void flush_blended(const mrwi_raster_band *band)
{
    const mrwi_raster_frame *frame = band->frame;
    mrwi_shade_fragments *f = &band->scratch->fragments;
    const mrwi_raster_candidates *c = &band->scratch->candidates;
    float(*rgba)[4] = band->scratch->rgba;
    if (f->count == 0 || !mrwi_base_work_look(MRWI_RASTER_LIST_UNITS)) {
        f->count = 0;
        return;
    }
    mrwi_shade_list list = mrwi_raster_fragment_list(f);
    frame->kernels->shade(&frame->shade, &list, rgba);
    if (frame->coverage) {
        mrwi_raster_mark_blended(band, rgba[0] + 3, 4);
    }
    for (uint32_t i = 0; i < f->count; i++) {
        float(*samples)[4] = band->samples + (size_t)c->pixel[i] * frame->job->samples;
        mrwi_base_f4 source = mrwi_base_f4_load(rgba[i]);
        mrwi_base_f4 through = mrwi_base_f4_set(1.0f - rgba[i][3]);
        for (uint32_t mask = c->mask[i]; mask != 0; mask &= mask - 1) {
            float *sample = samples[__builtin_ctz(mask)];
            mrwi_base_f4_store(sample, source + mrwi_base_f4_load(sample) * through);
        }
    }
    f->count = 0;
}

void mrwi_raster_blend_triangles(const mrwi_raster_band *band, const uint32_t *ids, uint32_t count)
{
    void (*flush)(const mrwi_raster_band *) = band->frame->shaded ? flush_blended : flush_marked;
    const mrwi_raster_collector to = mrwi_raster_begin_lists(band, flush);
    to.candidates->pitch = (uint32_t)band->box.x1;
    to.candidates->with_z = false;
    const mrwi_raster_cover_kernels *kernels = mrwi_raster_cover_kernels_for(band->frame->isa);
    const uint64_t samples = (uint64_t)(band->box.x1 - band->box.x0) *
                             (uint64_t)(band->box.y1 - band->box.y0) * band->seen.samples;
    const uint32_t few = mrwi_raster_few(samples);
    for (uint32_t i = 0; i < count && mrwi_base_work_look(few * samples); i += few) {
        kernels->collect(band->frame->geometry, &to, ids + i, count - i < few ? count - i : few);
    }
    flush(band);
}
