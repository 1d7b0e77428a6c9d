/* fragments.c: visible fragments -> lists -> colours -> resolved, encoded rows.
 *
 * A pixel has one fragment for each triangle that won some of its samples. It is shaded at the
 * pixel's centre when the triangle covers that, else at the lowest sample it won, so that
 * attributes are never taken from outside the triangle.
 */
#include "raster/internal.h"

#include "base/lanes.h"

#include <string.h>

static const mrwi_edges *cached_edges(mrwi_band *band, int32_t id)
{
    const mrwi_geometry *geometry = band->frame->geometry;
    size_t slot = (size_t)id % MRWI_EDGE_CACHE;
    if (band->edge_cache[slot].id != id) {
        band->edge_cache[slot].id = id;
        mrwi_triangle_edges(geometry, &geometry->triangles[id], &band->edge_cache[slot].edges);
    }
    return &band->edge_cache[slot].edges;
}

static inline uint32_t lowest_bit(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

static inline uint32_t append(mrwi_fragments *f, int32_t id, float x, float y, uint32_t mask)
{
    uint32_t n = f->count++;
    f->x[n] = x;
    f->y[n] = y;
    f->triangle[n] = (uint32_t)id;
    f->mask[n] = (uint8_t)mask;
    return n;
}

uint32_t mrwi_add_fragment(mrwi_band *band, const mrwi_edges *edges, int32_t id, int32_t x,
                           int32_t y, uint32_t mask)
{
    const mrwi_sample_pattern *pattern = band->frame->geometry->pattern;
    float dx = 0.5f;
    float dy = 0.5f;
    /* who covers every sample covers the centre, which lies between them */
    if (mask != (1u << pattern->count) - 1u) {
        const int64_t half = MRWI_SUBPIXEL / 2;
        if (!mrwi_covers(edges, x * MRWI_SUBPIXEL + half, y * MRWI_SUBPIXEL + half)) {
            uint32_t s = lowest_bit(mask);
            dx += (float)pattern->x[s] * 0.0625f;
            dy += (float)pattern->y[s] * 0.0625f;
        }
    }
    return append(band->fragments, id, (float)x + dx, (float)y + dy, mask);
}

mrwi_shade_list mrwi_fragment_list(mrwi_fragments *f)
{
    uint32_t n = f->count;
    for (uint32_t i = n; i < n + MRWI_SHADE_PAD; i++) {
        f->x[i] = f->x[n - 1];
        f->y[i] = f->y[n - 1];
        f->triangle[i] = f->triangle[n - 1];
    }
    return (mrwi_shade_list){n, f->x, f->y, f->triangle};
}

/* ---- gathering ------------------------------------------------------------------------------- */

/* What happens to the shaded fragments of a list. */
typedef void (*fragment_sink)(mrwi_band *band, int32_t y);

static void flush(mrwi_band *band, int32_t y, fragment_sink sink)
{
    mrwi_fragments *f = band->fragments;
    if (f->count > 0) {
        mrwi_shade_list list = mrwi_fragment_list(f);
        band->frame->kernels->shade(&band->frame->shade, &list, f->rgba);
        sink(band, y);
        f->count = 0;
    }
}

/* The fragments of a pixel whose samples are not all the same. */
static void gather_edge_pixel(mrwi_band *band, const int32_t *ids, int32_t x, int32_t y)
{
    uint32_t samples = band->frame->job->samples;
    uint32_t left = (1u << samples) - 1u;
    while (left != 0) {
        int32_t id = ids[lowest_bit(left) * band->stride];
        uint32_t mask = 0;
        for (uint32_t s = 0; s < samples; s++) {
            mask |= (uint32_t)(ids[s * band->stride] == id) << s;
        }
        left &= ~mask;
        if (id != MRWI_NO_TRIANGLE) {
            uint32_t n = mrwi_add_fragment(band, cached_edges(band, id), id, x, y, mask);
            band->fragments->pixel[n] = (uint32_t)x;
        }
    }
}

static inline bool all_samples_equal(const int32_t *ids, size_t stride, uint32_t samples)
{
    int32_t differs = 0;
    for (uint32_t s = 1; s < samples; s++) {
        differs |= ids[0] ^ ids[s * stride];
    }
    return differs == 0;
}

/* Gathers and shades the fragments of a row. A pixel's fragments are never split over two lists. */
static void shade_row(mrwi_band *band, int32_t y, fragment_sink sink)
{
    const int32_t *ids = band->id + mrwi_sample_index(band, y, 0);
    const size_t stride = band->stride;
    const uint32_t samples = band->frame->job->samples;
    const uint32_t all = (1u << samples) - 1u;
    mrwi_fragments *f = band->fragments;
    f->count = 0;
    for (int32_t x = band->touch.x0; x < band->touch.x1; x++) {
        if (f->count + samples > MRWI_SHADE_MAX) {
            flush(band, y, sink);
        }
        if (!all_samples_equal(ids + x, stride, samples)) {
            gather_edge_pixel(band, ids + x, x, y);
        } else if (ids[x] != MRWI_NO_TRIANGLE) {
            uint32_t n = append(f, ids[x], (float)x + 0.5f, (float)y + 0.5f, all);
            f->pixel[n] = (uint32_t)x;
        }
    }
    flush(band, y, sink);
}

/* ---- resolve --------------------------------------------------------------------------------- */

/* The mean of a pixel's samples. Summed in pairs, so that equal samples give their value exactly
 * and a pixel without edges needs no sum at all. */
static inline mrwi_f4 resolve(const mrwi_f4 *s, uint32_t count)
{
    switch (count) {
    case 1:
        return s[0];
    case 2:
        return (s[0] + s[1]) * mrwi_f4_set(0.5f);
    case 4:
        return ((s[0] + s[1]) + (s[2] + s[3])) * mrwi_f4_set(0.25f);
    default:
        return (((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))) *
               mrwi_f4_set(0.125f);
    }
}

/* Sink: fragments -> resolved pixels of band->row. */
static void resolve_fragments(mrwi_band *band, int32_t y)
{
    (void)y;
    const mrwi_fragments *f = band->fragments;
    uint32_t count = band->frame->job->samples;
    uint32_t all = (1u << count) - 1u;
    for (uint32_t i = 0; i < f->count;) {
        uint32_t pixel = f->pixel[i];
        if (f->mask[i] == all) {
            memcpy(band->row[pixel], f->rgba[i], sizeof f->rgba[i]);
            i++;
            continue;
        }
        mrwi_f4 samples[MRWI_MAX_SAMPLES];
        memset(samples, 0, count * sizeof samples[0]);
        for (; i < f->count && f->pixel[i] == pixel; i++) {
            for (uint32_t mask = f->mask[i]; mask != 0; mask &= mask - 1) {
                samples[lowest_bit(mask)] = mrwi_f4_load(f->rgba[i]);
            }
        }
        mrwi_f4_store(band->row[pixel], resolve(samples, count));
    }
}

static inline float (*pixel_samples(const mrwi_band *band, int32_t x, int32_t y))[4]
{
    size_t row = (size_t)(y - band->box.y0) * (size_t)band->box.x1;
    return band->samples + (row + (size_t)x) * band->frame->job->samples;
}

/* Sink: fragments -> the samples they won. */
static void store_fragments(mrwi_band *band, int32_t y)
{
    const mrwi_fragments *f = band->fragments;
    for (uint32_t i = 0; i < f->count; i++) {
        float(*samples)[4] = pixel_samples(band, (int32_t)f->pixel[i], y);
        for (uint32_t mask = f->mask[i]; mask != 0; mask &= mask - 1) {
            memcpy(samples[lowest_bit(mask)], f->rgba[i], sizeof f->rgba[i]);
        }
    }
}

/* ---- finished rows --------------------------------------------------------------------------- */

static void clear_row(mrwi_band *band)
{
    size_t width = (size_t)(band->touch.x1 - band->touch.x0);
    memset(band->row + band->touch.x0, 0, width * sizeof band->row[0]);
}

static void clear_ids(const mrwi_band *band, int32_t y)
{
    const mrw_raster_job *job = band->frame->job;
    const size_t width = job->image->width;
    memset(job->ids + (size_t)y * width, 0, width * sizeof job->ids[0]);
    if (job->triangles != NULL) {
        memset(job->triangles + (size_t)y * width, 0xff, width * sizeof job->triangles[0]);
    }
}

static void write_ids(const mrwi_band *band, int32_t y)
{
    const mrwi_geometry *geometry = band->frame->geometry;
    const int32_t *ids = band->id + mrwi_sample_index(band, y, 0);
    const size_t row = (size_t)y * (size_t)geometry->width;
    uint32_t *out = band->frame->job->ids + row;
    clear_ids(band, y);
    for (int32_t x = band->touch.x0; x < band->touch.x1; x++) {
        if (ids[x] != MRWI_NO_TRIANGLE) {
            out[x] = geometry->draws[geometry->triangles[ids[x]].draw_flags >> 1].id;
        }
    }
    uint32_t *triangles = band->frame->job->triangles;
    for (int32_t x = band->touch.x0; triangles != NULL && x < band->touch.x1; x++) {
        if (ids[x] != MRWI_NO_TRIANGLE) {
            triangles[row + (size_t)x] = geometry->sources[ids[x]];
        }
    }
}

void mrwi_clear_subject(const mrwi_band *band)
{
    const mrw_raster_job *job = band->frame->job;
    if (job->subject != NULL) {
        size_t width = job->image->width;
        memset(job->subject + (size_t)band->box.y0 * width, 0,
               (size_t)(band->box.y1 - band->box.y0) * width);
    }
}

#define MARK_BLOCK 16

/* ORs into out whether any sample of count pixels is an opaque or masked triangle's:
 * MRWI_NO_TRIANGLE has all the bits that an id can have. With a constant count this is lanes. */
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
        seen[i] = all[i] != MRWI_NO_TRIANGLE;
    }
    for (size_t i = 0; i < count; i++) {
        out[i] |= seen[i];
    }
}

static void mark_subject(const mrwi_band *band, int32_t y)
{
    const mrw_raster_job *job = band->frame->job;
    const int32_t *ids = band->id + mrwi_sample_index(band, y, 0);
    uint8_t *out = job->subject + (size_t)y * job->image->width;
    int32_t x = band->touch.x0;
    for (; x + MARK_BLOCK <= band->touch.x1; x += MARK_BLOCK) {
        mark_pixels(ids + x, band->stride, job->samples, MARK_BLOCK, out + x);
    }
    for (; x < band->touch.x1; x++) {
        mark_pixels(ids + x, band->stride, job->samples, 1, out + x);
    }
}

/* Encodes the touched part of band->row; the rest is background. */
static void write_row(const mrwi_band *band, int32_t y)
{
    const mrwi_frame *frame = band->frame;
    const mrw_image *image = frame->job->image;
    size_t channels = image->channels;
    uint8_t *out = image->pixels + (size_t)y * image->width * channels;
    size_t x0 = (size_t)band->touch.x0;
    size_t x1 = (size_t)band->touch.x1;
    memcpy(out, frame->background_row, x0 * channels);
    frame->kernels->encode((const float(*)[4])(band->row + x0), (uint32_t)(x1 - x0),
                           frame->background, image->channels,
                           frame->job->shading == MRW_SHADING_UNLIT, out + x0 * channels);
    memcpy(out + x1 * channels, frame->background_row, (image->width - x1) * channels);
}

void mrwi_write_background(const mrwi_band *band, int32_t y0, int32_t y1)
{
    const mrw_image *image = band->frame->job->image;
    size_t row = (size_t)image->width * image->channels;
    for (int32_t y = y0; y < y1; y++) {
        memcpy(image->pixels + (size_t)y * row, band->frame->background_row, row);
        if (band->frame->job->ids != NULL) {
            clear_ids(band, y);
        }
    }
}

static void finish_row(const mrwi_band *band, int32_t y)
{
    write_row(band, y);
    if (band->frame->job->ids != NULL) {
        write_ids(band, y);
    }
    if (band->frame->job->subject != NULL) {
        mark_subject(band, y);
    }
}

void mrwi_finish_rows(mrwi_band *band)
{
    for (int32_t y = band->touch.y0; y < band->touch.y1; y++) {
        clear_row(band);
        shade_row(band, y, resolve_fragments);
        finish_row(band, y);
    }
}

void mrwi_shade_samples(mrwi_band *band)
{
    size_t width = (size_t)(band->touch.x1 - band->touch.x0) * band->frame->job->samples;
    for (int32_t y = band->touch.y0; y < band->touch.y1; y++) {
        memset(pixel_samples(band, band->touch.x0, y), 0, width * sizeof(float[4]));
        shade_row(band, y, store_fragments);
    }
}

void mrwi_resolve_samples(mrwi_band *band)
{
    uint32_t count = band->frame->job->samples;
    for (int32_t y = band->touch.y0; y < band->touch.y1; y++) {
        for (int32_t x = band->touch.x0; x < band->touch.x1; x++) {
            mrwi_f4 samples[MRWI_MAX_SAMPLES];
            memcpy(samples, pixel_samples(band, x, y), count * sizeof samples[0]);
            mrwi_f4_store(band->row[x], resolve(samples, count));
        }
        finish_row(band, y);
    }
}
