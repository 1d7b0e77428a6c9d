/* fragments.c: from visible fragments to lists, colours, and resolved, encoded rows of the colour
 * target.
 *
 * A pixel has one fragment for each triangle that won some of its samples. It is shaded at the
 * pixel's centre if the triangle covers that, otherwise at the lowest sample it won, so that
 * attributes are never taken from outside the triangle.
 */
#include "raster/internal.h"

#include "base/simd/f4.h"
#include "base/work.h"

#include <string.h>

mrwi_shade_list mrwi_raster_fragment_list(mrwi_shade_fragments *f)
{
    uint32_t n = f->count;
    for (uint32_t i = n; i < n + MRWI_SHADE_LIST_PAD; i++) {
        f->x[i] = f->x[n - 1];
        f->y[i] = f->y[n - 1];
        f->triangle[i] = f->triangle[n - 1];
    }
    return (mrwi_shade_list){n, f->x, f->y, f->triangle, NULL, NULL, f->memory};
}

/* ---- gathering ------------------------------------------------------------------------------- */

/* A function that shades the fragments of a list and stores them. */
typedef void (*fragment_sink)(const mrwi_raster_band *band);

static void pad_others(mrwi_shade_fragments *f)
{
    for (uint32_t i = f->count; i < f->count + MRWI_SHADE_LIST_PAD; i++) {
        f->other_x[i] = f->other_x[f->count - 1];
        f->other_y[i] = f->other_y[f->count - 1];
    }
}

/* Shades visible fragments. with_others: some do not lie at their pixel's centre. */
static void shade_fragments(const mrwi_raster_frame *frame, mrwi_shade_fragments *f,
                            bool with_others, float (*rgba)[4])
{
    mrwi_shade_list list = mrwi_raster_fragment_list(f);
    if (with_others) {
        pad_others(f);
        list.other_x = f->other_x;
        list.other_y = f->other_y;
    }
    frame->kernels->shade(&frame->shade, &list, rgba);
}

static void empty_lists(mrwi_raster_scratch *scratch)
{
    scratch->fragments.count = scratch->pixels.count = scratch->pixels.edge_count = 0;
}

/* Moves masked fragments that did not win a whole pixel from its centre to the lowest sample they
 * won: the centre may be a hole, whose colour is not meant to be seen. */
static void place_masked(const mrwi_raster_band *band)
{
    const mrwi_raster_geometry *geometry = band->frame->geometry;
    const mrwi_shade_pixels *p = &band->scratch->pixels;
    mrwi_shade_fragments *f = &band->scratch->fragments;
    for (uint32_t i = 0; i < p->edge_count; i++) {
        for (uint32_t s = 0; s < band->frame->job->samples; s++) {
            const uint32_t n = p->owner[s][i];
            if (n == MRWI_SHADE_NO_FRAGMENT) {
                continue;
            }
            const uint32_t draw = geometry->kept.triangles[f->triangle[n]].draw_flags >> 1;
            if (geometry->draws[draw].material->alpha_mode == MRWI_RASTER_MASK) {
                f->x[n] = f->other_x[n];
                f->y[n] = f->other_y[n];
            }
        }
    }
}

static void flush(const mrwi_raster_band *band, fragment_sink sink)
{
    if (band->frame->bins->masks) {
        place_masked(band);
    }
    const uint64_t lights = band->frame->job->lighting.light_count;
    if (band->scratch->fragments.count > 0 &&
        mrwi_base_work_look(MRWI_RASTER_LIST_UNITS * (1 + lights))) {
        sink(band);
    }
    empty_lists(band->scratch);
}

/* Gathers and shades the visible fragments of the band, for as many samples of each pixel as the
 * pattern has. Those of a pixel are never split over two lists. pitch: pixels per row, for their
 * numbers. */
static void shade_visible(const mrwi_raster_band *band, const mrwi_shade_sample_pattern *pattern,
                          uint32_t pitch, fragment_sink sink)
{
    const mrwi_raster_frame *frame = band->frame;
    const mrwi_raster_visibility *seen = &band->seen;
    mrwi_raster_scratch *scratch = band->scratch;
    empty_lists(scratch);
    memset(scratch->rgba[MRWI_SHADE_NO_FRAGMENT], 0, sizeof scratch->rgba[0]);
    for (int32_t y = band->touch.y0; y < band->touch.y1; y++) {
        mrwi_shade_gather row = {.pattern = pattern,
                                 .ids = seen->id + mrwi_raster_sample_index(seen, y, 0),
                                 .stride = seen->stride,
                                 .x0 = band->touch.x0,
                                 .x1 = band->touch.x1,
                                 .y = y,
                                 .first_pixel = (uint32_t)y * pitch};
        for (;;) {
            row.x0 = frame->kernels->gather(&row, &scratch->fragments, &scratch->pixels);
            if (row.x0 == row.x1) {
                break;
            }
            flush(band, sink);
        }
    }
    flush(band, sink);
}

/* ---- resolve --------------------------------------------------------------------------------- */

/* Returns the mean of a pixel's samples. It is summed in pairs, so that equal samples give exactly
 * their value, and a pixel without edges needs no sum at all. */
static inline mrwi_base_f4 resolve(const mrwi_base_f4 *s, uint32_t count)
{
    switch (count) {
    case 1:
        return s[0];
    case 2:
        return (s[0] + s[1]) * mrwi_base_f4_set(0.5f);
    case 4:
        return ((s[0] + s[1]) + (s[2] + s[3])) * mrwi_base_f4_set(0.25f);
    default:
        return (((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))) *
               mrwi_base_f4_set(0.125f);
    }
}

/* Resolves each edge pixel to the colour of its first fragment. */
static inline void resolve_edges(const mrwi_shade_pixels *p, uint32_t count, float (*rgba)[4])
{
    for (uint32_t i = 0; i < p->edge_count; i++) {
        mrwi_base_f4 samples[MRWI_SHADE_MAX_SAMPLES];
        for (uint32_t s = 0; s < count; s++) {
            samples[s] = mrwi_base_f4_load(rgba[p->owner[s][i]]);
        }
        mrwi_base_f4_store(rgba[p->slot[p->edge[i]]], resolve(samples, count));
    }
}

/* Returns the pixels per row by which pixels are numbered: those of the colour target. */
static uint32_t color_pitch(const mrwi_raster_band *band)
{
    const mrw_target *color = band->frame->color;
    return color ? (uint32_t)(color->stride / color->channels) : band->frame->job->width;
}

/* Puts pixels some of whose samples show nothing over the backdrop. */
static void back_edges(const mrwi_raster_band *band, const mrwi_shade_pixels *p, float (*rgba)[4])
{
    const uint32_t pitch = color_pitch(band);
    for (uint32_t i = 0; i < p->edge_count; i++) {
        float(*pixel)[4] = rgba + p->slot[p->edge[i]];
        const uint32_t where = p->where[p->edge[i]];
        if (pixel[0][3] < 1.0f) {
            mrwi_raster_put_over_backdrop(band, (int32_t)(where % pitch), (int32_t)(where / pitch),
                                          1, pixel);
        }
    }
}

/* Writes pixels some of whose samples show nothing once more, over the picture behind them. */
static void plate_edges(const mrwi_raster_band *band, const mrwi_shade_pixels *p,
                        const float (*rgba)[4])
{
    const uint32_t pitch = color_pitch(band);
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const float(*pixel)[4] = rgba + p->slot[p->edge[i]];
        const uint32_t where = p->where[p->edge[i]];
        if (pixel[0][3] < 1.0f) {
            mrwi_raster_put_over_plate(band, (int32_t)(where % pitch), (int32_t)(where / pitch), 1,
                                       pixel);
        }
    }
}

void mrwi_raster_store_linear(const mrwi_raster_frame *frame, const float (*rgba)[4],
                              uint32_t count, float *out)
{
    const mrwi_base_f4 exposure = {frame->background.exposure, frame->background.exposure,
                                   frame->background.exposure, 1.0f};
    const mrwi_base_f4 behind = mrwi_base_f4_load(frame->background.linear);
    for (uint32_t i = 0; i < count; i++) {
        const mrwi_base_f4 through = mrwi_base_f4_set(1.0f - rgba[i][3]);
        mrwi_base_f4_store(out + 4 * (size_t)i,
                           mrwi_base_f4_load(rgba[i]) * exposure + through * behind);
    }
}

/* Stores a list's pixels to the target of linear colours, or to that of alpha. They ascend, row
 * after row. */
static void store_pixels(const mrwi_raster_band *band, const mrwi_shade_pixels *p,
                         const float (*rgba)[4], const mrw_target *to)
{
    const mrwi_raster_frame *frame = band->frame;
    const uint32_t pitch = color_pitch(band);
    uint32_t y = p->where[0] / pitch;
    float *row = mrwi_raster_target_row(to, (int32_t)y);
    for (uint32_t i = 0; i < p->count; i++) {
        const float(*pixel)[4] = rgba + p->slot[i];
        if (p->where[i] - y * pitch >= pitch) {
            y = p->where[i] / pitch;
            row = mrwi_raster_target_row(to, (int32_t)y);
        }
        const size_t x = p->where[i] - y * pitch;
        if (to == frame->linear) {
            mrwi_raster_store_linear(frame, pixel, 1, row + 4 * x);
        } else {
            row[x] = pixel[0][3];
        }
    }
}

/* Writes fragments to pixels of the picture: a sink. */
static void write_fragments(const mrwi_raster_band *band)
{
    const mrwi_raster_frame *frame = band->frame;
    const mrw_target *color = frame->color;
    mrwi_shade_fragments *f = &band->scratch->fragments;
    mrwi_shade_pixels *p = &band->scratch->pixels;
    float(*rgba)[4] = band->scratch->rgba;
    if (p->edge_count == 0 && !frame->linear && !frame->alpha) {
        const mrwi_shade_list list = mrwi_raster_fragment_list(f);
        frame->kernels->shade_pixels(&frame->shade, &list, p->where, color->channels, color->data);
        return;
    }
    shade_fragments(frame, f, p->edge_count > 0, rgba);
    for (uint32_t i = 0; i < p->count && frame->job->samples == 1; i++) {
        p->slot[i] = i;
    }
    switch (frame->job->samples) { /* a constant in each call: loops are unrolled */
    case 2:
        resolve_edges(p, 2, rgba);
        break;
    case 4:
        resolve_edges(p, 4, rgba);
        break;
    case 8:
        resolve_edges(p, 8, rgba);
        break;
    default:
        break;
    }
    if (frame->alpha) {
        store_pixels(band, p, (const float(*)[4])rgba, frame->alpha);
    }
    if (frame->background.backdrop) {
        back_edges(band, p, rgba);
    }
    if (frame->linear) {
        store_pixels(band, p, (const float(*)[4])rgba, frame->linear);
    }
    if (color) {
        frame->kernels->write_pixels(p, (const float(*)[4])rgba, frame->background.color,
                                     color->channels, frame->shade.tone, color->data);
    }
    if (frame->background.plate) {
        plate_edges(band, p, (const float(*)[4])rgba);
    }
}

/* Returns the samples of a pixel, numbered like the fragments. */
static inline float (*pixel_samples(const mrwi_raster_band *band, size_t pixel))[4]
{
    size_t first = (size_t)band->box.y0 * (size_t)band->box.x1;
    return band->samples + (pixel - first) * band->frame->job->samples;
}

/* Stores fragments to the samples they won: a sink. */
static void store_fragments(const mrwi_raster_band *band)
{
    const mrwi_shade_pixels *p = &band->scratch->pixels;
    float(*rgba)[4] = band->scratch->rgba;
    const uint32_t count = band->frame->job->samples;
    shade_fragments(band->frame, &band->scratch->fragments, p->edge_count > 0, rgba);
    for (uint32_t i = 0; i < p->count; i++) {
        float(*samples)[4] = pixel_samples(band, p->where[i]);
        for (uint32_t s = 0; s < count; s++) {
            memcpy(samples[s], rgba[count > 1 ? p->slot[i] : i], sizeof samples[s]);
        }
    }
    for (uint32_t i = 0; i < p->edge_count; i++) {
        float(*samples)[4] = pixel_samples(band, p->where[p->edge[i]]);
        for (uint32_t s = 0; s < count; s++) {
            memcpy(samples[s], rgba[p->owner[s][i]], sizeof samples[s]);
        }
    }
}

/* ---- finished rows --------------------------------------------------------------------------- */

/* Encodes the touched part of the resolved row. */
static void write_row(const mrwi_raster_band *band, int32_t y)
{
    const mrwi_raster_frame *frame = band->frame;
    const mrw_target *color = frame->color;
    size_t x0 = (size_t)band->touch.x0;
    size_t x1 = (size_t)band->touch.x1;
    if (frame->alpha) {
        float *alpha = mrwi_raster_target_row(frame->alpha, y);
        for (size_t x = x0; x < x1; x++) {
            alpha[x] = band->scratch->row[x][3];
        }
    }
    if (frame->background.plate) {
        mrwi_raster_put_over_plate(band, band->touch.x0, y, (uint32_t)(x1 - x0),
                                   (const float(*)[4])(band->scratch->row + x0));
        return;
    }
    if (frame->background.backdrop) {
        mrwi_raster_put_over_backdrop(band, band->touch.x0, y, (uint32_t)(x1 - x0),
                                      band->scratch->row + x0);
    }
    if (frame->linear) {
        float *linear = mrwi_raster_target_row(frame->linear, y);
        mrwi_raster_store_linear(frame, (const float(*)[4])(band->scratch->row + x0),
                                 (uint32_t)(x1 - x0), linear + 4 * x0);
    }
    if (!color) {
        return;
    }
    if (frame->background.is_deep) {
        mrwi_shade_encode_deep((const float(*)[4])(band->scratch->row + x0), (uint32_t)(x1 - x0),
                               &frame->background.deep, color->channels, frame->shade.tone,
                               (uint16_t *)((uint8_t *)color->data + (size_t)y * color->stride) +
                                   x0 * color->channels);
        return;
    }
    frame->kernels->encode((const float(*)[4])(band->scratch->row + x0), (uint32_t)(x1 - x0),
                           frame->background.color, color->channels, frame->shade.tone,
                           (uint8_t *)color->data + (size_t)y * color->stride +
                               x0 * color->channels);
}

void mrwi_raster_visit_centers(const mrwi_raster_band *band,
                               void (*sink)(const mrwi_raster_band *band))
{
    shade_visible(band, mrwi_raster_samples(1), (uint32_t)band->box.x1, sink);
}

void mrwi_raster_shade_rows(const mrwi_raster_band *band)
{
    shade_visible(band, band->frame->geometry->view.pattern, color_pitch(band), write_fragments);
}

static inline float (*row_samples(const mrwi_raster_band *band, int32_t y))[4]
{
    return pixel_samples(band, (size_t)y * (size_t)band->box.x1 + (size_t)band->touch.x0);
}

void mrwi_raster_shade_samples(const mrwi_raster_band *band)
{
    size_t width = (size_t)(band->touch.x1 - band->touch.x0) * band->frame->job->samples;
    for (int32_t y = band->touch.y0; y < band->touch.y1; y++) {
        memset(row_samples(band, y), 0, width * sizeof(float[4]));
    }
    shade_visible(band, band->frame->geometry->view.pattern, (uint32_t)band->box.x1,
                  store_fragments);
}

static inline void resolve_row(const mrwi_raster_band *band, int32_t y, uint32_t count)
{
    const float *from = row_samples(band, y)[0];
    for (int32_t x = band->touch.x0; x < band->touch.x1; x++) {
        mrwi_base_f4 samples[MRWI_SHADE_MAX_SAMPLES];
        for (uint32_t s = 0; s < count; s++, from += 4) {
            samples[s] = mrwi_base_f4_load(from);
        }
        mrwi_base_f4_store(band->scratch->row[x], resolve(samples, count));
    }
}

void mrwi_raster_resolve_samples(const mrwi_raster_band *band)
{
    for (int32_t y = band->touch.y0; y < band->touch.y1; y++) {
        switch (band->frame->job->samples) { /* a constant in each call: loops are unrolled */
        case 1:
            resolve_row(band, y, 1);
            break;
        case 2:
            resolve_row(band, y, 2);
            break;
        case 4:
            resolve_row(band, y, 4);
            break;
        default:
            resolve_row(band, y, 8);
        }
        write_row(band, y);
    }
}
