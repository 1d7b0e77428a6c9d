/* backplate.c: pictures to stand behind others: gradients, and pictures scaled to cover an area.
 *
 * Gradients are interpolated between encoded colours, as CSS does: a step of one byte then looks
 * equally large everywhere, and neighbouring rows never differ by more than the bytes require.
 * Pictures are scaled in linear light: rows first, then columns. */
#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "image/color.h"
#include "marrow/image.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- gradients ------------------------------------------------------------------------------- */

/* Writes the colour at t, 0 ... 1, between two colours. */
static void mix(const uint8_t first[3], const uint8_t second[3], double t, mrw_format format,
                uint8_t *out)
{
    const double scale = format == MRW_FORMAT_U16 ? 257.0 : 1.0;
    for (int k = 0; k < 3; k++) {
        const double value = scale * ((double)first[k] + t * ((double)second[k] - first[k])) + 0.5;
        if (format == MRW_FORMAT_U16) {
            ((uint16_t *)(void *)out)[k] = (uint16_t)value; /* in range: between two bytes */
        } else {
            out[k] = (uint8_t)value; /* in range: between two bytes */
        }
    }
}

void mrw_image_fill_gradient(mrw_gradient shape, const uint8_t first[3], const uint8_t second[3],
                             mrw_image *out)
{
    assert(out->channels == 3 && out->pixels &&
           (out->format == MRW_FORMAT_U8 || out->format == MRW_FORMAT_U16));
    const size_t pixel = 3 * mrw_format_size(out->format);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    for (uint32_t y = 0; y < out->height; y++) {
        const double down = (2.0 * y + 1.0) / out->height - 1.0;
        uint8_t *row = out->pixels + (size_t)y * out->width * pixel;
        for (uint32_t x = 0; x < out->width; x++) {
            const double across = (2.0 * x + 1.0) / out->width - 1.0;
            const double t = shape == MRW_GRADIENT_VERTICAL
                                 ? 0.5 + 0.5 * down
                                 : sqrt(0.5 * (across * across + down * down));
            if (shape == MRW_GRADIENT_VERTICAL && x > 0) {
                memcpy(row + x * pixel, row, pixel);
            } else {
                mix(first, second, t, out->format, row + x * pixel);
            }
        }
    }
    mrwi_base_fp_leave(fp);
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* How one axis of the picture is mapped: output i shows the picture's first + i * step to
 * first + (i + 1) * step, in pixels. */
typedef struct axis {
    double first, step;
    uint32_t count; /* pixels of the picture */
} axis;

/* Pixels of the picture that an output pixel is made of. */
typedef struct taps {
    uint32_t first, end; /* end is the last one plus 1 */
    double low, high;    /* reduced: the part that is shown */
    double part;         /* enlarged: the share of the second pixel */
    bool reduced;
} taps;

static uint32_t clamp_index(double at, uint32_t count)
{
    const double most = (double)count - 1.0;
    return mrwi_base_to_u32(at > most ? most : at);
}

static taps taps_of(const axis *a, uint32_t i)
{
    taps out = {.reduced = a->step >= 1.0};
    if (out.reduced) {
        out.low = a->first + i * a->step;
        out.high = out.low + a->step;
        out.first = clamp_index(floor(out.low), a->count);
        out.end = clamp_index(ceil(out.high) - 1.0, a->count) + 1;
        return out;
    }
    const double at = a->first + (i + 0.5) * a->step - 0.5;
    out.part = at - floor(at);
    out.first = clamp_index(floor(at), a->count);
    out.end = clamp_index(floor(at) + 1.0, a->count) + 1;
    out.part = out.end - out.first > 1 ? out.part : 0.0; /* beyond an edge there is one pixel */
    return out;
}

/* Returns the weight of pixel k, not yet divided by the sum of all weights. */
static double weight_of(const taps *t, uint32_t k)
{
    if (!t->reduced) {
        return k == t->first ? 1.0 - t->part : t->part;
    }
    const double from = t->low > k ? t->low : k, to = t->high < k + 1.0 ? t->high : k + 1.0;
    return to > from ? to - from : 0.0;
}

static double weight_sum(const taps *t)
{
    double sum = 0.0;
    for (uint32_t k = t->first; k < t->end; k++) {
        sum += weight_of(t, k);
    }
    return sum;
}

typedef struct cover_job {
    const mrw_image *picture;
    mrw_image *out;
    axis across, down;
    uint32_t left, right; /* columns of the picture that are shown */
    float linear[256];    /* sRGB bytes in linear light */
    float matte[3];       /* linear */
    float *rows;          /* 3 * (right - left) floats per thread */
} cover_job;

/* Adds a row of the picture, over the matte, in linear light. */
static void add_row(const cover_job *job, uint32_t y, float weight, float *sum)
{
    const uint32_t channels = job->picture->channels;
    const uint8_t *at =
        job->picture->pixels + ((size_t)y * job->picture->width + job->left) * channels;
    for (uint32_t x = job->left; x < job->right; x++, at += channels, sum += 3) {
        const float alpha = channels == 4 ? (float)at[3] / 255.0f : 1.0f;
        for (int k = 0; k < 3; k++) {
            const float color = job->linear[at[k]] * alpha + (1.0f - alpha) * job->matte[k];
            sum[k] += weight * color;
        }
    }
}

/* Writes a linear value as sRGB. */
static void put(const mrw_image *out, size_t index, double linear)
{
    if (out->format == MRW_FORMAT_U8) {
        out->pixels[index] = mrwi_image_linear_to_srgb8((float)linear);
        return;
    }
    const double x = linear < 0.0 ? 0.0 : linear > 1.0 ? 1.0 : linear;
    const double srgb = x <= 0.0031308 ? 12.92 * x : 1.055 * mrwi_base_pow(x, 1.0 / 2.4) - 0.055;
    ((uint16_t *)(void *)out->pixels)[index] = (uint16_t)mrwi_base_to_u32(srgb * 65535.0 + 0.5);
}

static void cover_row(void *user, int64_t y, int worker)
{
    const cover_job *job = user;
    const size_t values = 3 * (size_t)(job->right - job->left);
    float *sum = job->rows + (size_t)worker * values;
    const taps rows = taps_of(&job->down, (uint32_t)y);
    const double height = weight_sum(&rows);
    memset(sum, 0, values * sizeof *sum);
    for (uint32_t k = rows.first; k < rows.end; k++) {
        add_row(job, k, (float)(weight_of(&rows, k) / height), sum);
    }
    for (uint32_t x = 0; x < job->out->width; x++) {
        const taps columns = taps_of(&job->across, x);
        const double width = weight_sum(&columns);
        double mean[3] = {0.0, 0.0, 0.0};
        for (uint32_t k = columns.first; k < columns.end; k++) {
            const double weight = weight_of(&columns, k) / width;
            for (int c = 0; c < 3; c++) {
                mean[c] += weight * (double)sum[3 * (size_t)(k - job->left) + (size_t)c];
            }
        }
        for (size_t c = 0; c < 3; c++) {
            put(job->out, 3 * ((size_t)y * job->out->width + x) + c, mean[c]);
        }
    }
}

/* Maps the picture to the area such that it covers it, with the middles on each other. At its own
 * size a picture is moved by whole pixels, which keeps it sharp. */
static void place(cover_job *job)
{
    const double width = job->picture->width, height = job->picture->height;
    const double out_width = job->out->width, out_height = job->out->height;
    const double step =
        width * out_height <= height * out_width ? width / out_width : height / out_height;
    job->across = (axis){0.5 * (width - step * out_width), step, job->picture->width};
    job->down = (axis){0.5 * (height - step * out_height), step, job->picture->height};
    if (step == 1.0) {
        job->across.first = floor(job->across.first);
        job->down.first = floor(job->down.first);
    }
    job->left = taps_of(&job->across, 0).first;
    job->right = taps_of(&job->across, job->out->width - 1).end;
}

mrw_status mrw_image_cover(const mrw_image *picture, const uint8_t matte[3], int threads,
                           mrw_image *out, mrw_error *error)
{
    cover_job job = {.picture = picture, .out = out};
    assert(picture->format == MRW_FORMAT_U8 && picture->channels >= 3 && picture->channels <= 4);
    assert(out->channels == 3 && out->pixels &&
           (out->format == MRW_FORMAT_U8 || out->format == MRW_FORMAT_U16));
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status = MRW_OK;
    for (int i = 0; i < 256; i++) {
        job.linear[i] = (float)mrwi_image_srgb_to_linear(i / 255.0);
    }
    for (int k = 0; k < 3; k++) {
        job.matte[k] = job.linear[matte[k]];
    }
    place(&job);
    const size_t values = 3 * (size_t)(job.right - job.left) * (size_t)threads;
    job.rows = mrwi_base_alloc(values, sizeof *job.rows);
    if (!job.rows) {
        status = mrwi_base_fail_memory(error, values * sizeof *job.rows);
        goto out;
    }
    mrwi_base_parallel_for(threads, out->height, cover_row, &job);
out:
    mrwi_base_free(job.rows);
    mrwi_base_fp_leave(fp);
    return status;
}
