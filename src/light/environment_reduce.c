/* environment_reduce.c: the picture of an environment in the width that is worked with: its rows
 * are read, checked and averaged one by one, so that a large file is never in memory as floats. */
#define MRWI_BASE_LANES 4
#include "base/simd/lanes.h"

#include "light/environment.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/work.h"

#include <assert.h>
#include <float.h>
#include <stdatomic.h>

/* Wider pictures are shrunk: reflections show fewer details, and the work stays bounded. */
#define MOST_COLUMNS 2048

#define BRIGHTEST 0x1p30f

/* ---- checks ---------------------------------------------------------------------------------- */

static bool is_radiance(float value)
{
    return value >= 0.0f && value <= FLT_MAX;
}

static bool all_are_radiance(const float *values, size_t count)
{
    vi good = vi_set(-1);
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const vf v = vf_load(values + i);
        good &= vf_at_least(v, vf_set(0.0f)) & vf_at_least(vf_set(FLT_MAX), v);
    }
    bool all = mask_bits(good) == 15;
    for (; i < count; i++) {
        all = all && is_radiance(values[i]);
    }
    return all;
}

/* Names the first value that is not a radiance. There is one. */
static mrw_status fail_value(const mrwi_light_picture *picture, mrw_error *error)
{
    size_t i = 0;
    while (is_radiance(picture->radiance[i])) {
        i++;
    }
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "pixel (%zu, %zu) of the environment is %s: radiance must be 0 or more; "
                          "export it again",
                          i / 3 % picture->width, i / 3 / picture->width,
                          picture->radiance[i] < 0.0f ? "negative" : "not a finite number");
}

static mrw_status check_sides(uint32_t width, uint32_t height, mrw_error *error)
{
    if (width == 0 || height == 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "the environment has no pixels");
    }
    if ((uint64_t)width * height > MRW_ENVIRONMENT_MAX_PIXELS) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "an environment of %u x %u pixels is larger than allowed (%ju pixels "
                              "in total): scale it down",
                              width, height, (uintmax_t)MRW_ENVIRONMENT_MAX_PIXELS);
    }
    return MRW_OK;
}

/* ---- means ----------------------------------------------------------------------------------- */

/* Sums of a pixel: red and green, and blue. */
typedef vd sums[2];

typedef struct reduce_job {
    const mrwi_light_picture *picture;
    const mrwi_light_sky *sky;
    const uint32_t *ends; /* per pixel of a row of the sky: end of its columns in the picture */
    uint8_t *work;        /* per worker: sums, a row of floats, and work memory of the file */
    size_t worker_size, sums_size, floats_size;
    atomic_bool bad; /* set if a value is not a radiance */
} reduce_job;

/* Returns row y of the picture, three floats per pixel. */
static const float *row_of(reduce_job *job, uint32_t y, uint8_t *work)
{
    const mrwi_light_picture *picture = job->picture;
    const size_t count = (size_t)picture->width * 3;
    if (picture->hdr) { /* its values cannot be bad */
        float *out = (float *)(void *)work;
        mrwi_image_hdr_read(picture->hdr, y, work + job->floats_size, out);
        return out;
    }
    const float *row = picture->radiance + y * count;
    if (!all_are_radiance(row, count)) {
        atomic_store_explicit(&job->bad, true, memory_order_relaxed);
    }
    return row;
}

/* Adds the weighted pixels of a row of the picture, from left to right. The fourth lane belongs to
 * the next pixel, and is dropped in the end. */
static void add_row(const reduce_job *job, const float *row, double weight, sums *to)
{
    const vf brightest = vf_set(BRIGHTEST);
    const uint32_t last = job->picture->width - 1;
    uint32_t column = 0;
    for (uint32_t x = 0; x < job->sky->width; x++) {
        vd low = to[x][0], high = to[x][1];
        for (; column < job->ends[x]; column++, row += 3) {
            const vf pixel = column < last ? vf_load(row) : (vf){row[0], row[1], row[2], 0.0f};
            const vf value = vf_min(pixel, brightest);
            low += weight * vd_low(value);
            high += weight * vd_high(value);
        }
        to[x][0] = low;
        to[x][1] = high;
    }
}

/* Computes row y of the smaller picture: means of the pixels that fall into each pixel. Rows are
 * weighted by the sine of the polar angle, which is their width on the sphere. */
static void reduce_row(void *user, int64_t y, int worker)
{
    reduce_job *job = user;
    const mrwi_light_sky *sky = job->sky;
    const uint64_t height = job->picture->height;
    const uint64_t first = (uint64_t)y * height / sky->height;
    const uint64_t end = ((uint64_t)y + 1) * height / sky->height;
    const uint32_t fewest = job->picture->width / sky->width; /* columns of a pixel, or one more */
    double weights[2] = {0.0, 0.0}; /* sums over the columns of a pixel: of fewest, and one more */
    uint8_t *work = job->work + (size_t)worker * job->worker_size;
    sums *all = memset(work, 0, job->sums_size);
    for (uint64_t row = first; row < end && mrwi_base_work_goes_on(); row++) {
        const double polar = MRWI_BASE_PI * ((double)row + 0.5) / job->picture->height;
        const double weight = end - first > 1 ? mrwi_base_sin(polar) : 1.0;
        for (uint32_t i = 0; i <= fewest; i++) {
            weights[0] += i < fewest ? weight : 0.0;
            weights[1] += weight;
        }
        add_row(job, row_of(job, (uint32_t)row, work + job->sums_size), weight, all);
    }
    float(*out)[4] = sky->pixels + (size_t)y * sky->width;
    for (uint32_t x = 0, column = 0; x < sky->width; column = job->ends[x++]) {
        const double weight = weights[job->ends[x] - column > fewest];
        const vf mean = vf_join(all[x][0] / weight, all[x][1] / weight);
        vf_store(out[x], mean);
        out[x][3] = 0.0f;
    }
}

static size_t aligned(size_t size)
{
    return (size + 63) / 64 * 64;
}

mrw_status mrwi_light_environment_reduce(const mrwi_light_picture *picture, int threads,
                                         mrwi_light_sky *out, mrw_error *error)
{
    const uint32_t width = picture->width, height = picture->height;
    uint32_t *ends = NULL;
    *out = (mrwi_light_sky){NULL, 0, 0};
    mrw_status status = check_sides(width, height, error);
    if (status) {
        return status;
    }
    const uint32_t share = (width + MOST_COLUMNS - 1) / MOST_COLUMNS;
    const uint32_t rows = (height + share - 1) / share;
    *out = (mrwi_light_sky){NULL, (width + share - 1) / share, rows};
    reduce_job job = {.picture = picture, .sky = out};
    job.sums_size = aligned(out->width * sizeof(sums));
    job.floats_size = picture->hdr ? aligned((size_t)width * 3 * sizeof(float)) : 0;
    job.worker_size = job.sums_size + job.floats_size +
                      (picture->hdr ? aligned(mrwi_image_hdr_work_size(picture->hdr)) : 0);
    const size_t workers = (uint32_t)threads < rows ? (size_t)threads : rows;
    out->pixels = mrwi_base_alloc((size_t)out->width * rows, sizeof *out->pixels);
    ends = mrwi_base_alloc(out->width, sizeof *ends);
    job.work = mrwi_base_alloc(workers, job.worker_size);
    if (!out->pixels || !ends || !job.work) {
        status = mrwi_base_fail_memory(error, (size_t)out->width * rows * 16);
        goto out;
    }
    for (uint32_t x = 0; x < out->width; x++) {
        ends[x] = (uint32_t)(((uint64_t)x + 1) * width / out->width);
    }
    job.ends = ends;
    mrwi_base_parallel_for(threads, rows, reduce_row, &job);
    status = job.bad ? fail_value(picture, error) : mrwi_base_work_check(NULL, error);
out:
    mrwi_base_free(ends);
    mrwi_base_free(job.work);
    if (status) {
        mrwi_base_free(out->pixels);
        out->pixels = NULL;
    }
    return status;
}
