/* aov_crypto.c: the passes of Cryptomatte: which objects, or materials, the samples of a pixel
 * show, the ones with most of them first. */
#include "frame/aov.h"

#include "base/parallel.h"

#include <string.h>

#define ROWS_A_TASK 8

typedef struct crypto_work {
    const mrw_image *samples; /* ids of draws, one a sample */
    const mrwi_frame_names *names;
    mrw_image *out;
} crypto_work;

/* A name that some of a pixel's samples show. */
typedef struct share {
    uint32_t name, count;
} share;

/* In the order of shares, equal ones in that of names. */
static void put_share(share *list, uint32_t count, share s)
{
    while (count > 0 && (list[count - 1].count < s.count ||
                         (list[count - 1].count == s.count && list[count - 1].name > s.name))) {
        list[count] = list[count - 1];
        count--;
    }
    list[count] = s;
}

static uint32_t find_shares(const crypto_work *work, const uint32_t *samples, share *list)
{
    const uint32_t count = work->samples->channels;
    share sorted[MRWI_FRAME_MOST_SAMPLES];
    uint32_t found = 0;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t i = 0;
        if (samples[s] == 0) {
            continue;
        }
        const uint32_t name = work->names->of_draw[samples[s] - 1];
        while (i < found && list[i].name != name) {
            i++;
        }
        if (i == found) {
            list[found++] = (share){name, 0};
        }
        list[i].count++;
    }
    for (uint32_t i = 0; i < found; i++) {
        put_share(sorted, i, list[i]);
    }
    memcpy(list, sorted, found * sizeof *list);
    return found;
}

static void fill_pixel(const crypto_work *work, const uint32_t *samples, float *out)
{
    share list[MRWI_FRAME_MOST_SAMPLES];
    const uint32_t ranks = work->out->channels / 2, found = find_shares(work, samples, list);
    memset(out, 0, work->out->channels * sizeof *out);
    for (uint32_t i = 0; i < found && i < ranks; i++) {
        memcpy(&out[2 * i], &work->names->ids[list[i].name], sizeof out[2 * i]);
        out[2 * i + 1] = (float)list[i].count / (float)work->samples->channels;
    }
}

/* mrwi_base_parallel_body */
static void fill_rows(void *user, int64_t index, int worker)
{
    const crypto_work *work = user;
    const size_t width = work->out->width, samples = work->samples->channels;
    const size_t first = (size_t)index * ROWS_A_TASK, height = work->out->height;
    const size_t end = first + ROWS_A_TASK < height ? first + ROWS_A_TASK : height;
    const uint32_t *from = (const uint32_t *)work->samples->pixels;
    float *to = (float *)work->out->pixels;
    (void)worker;
    for (size_t p = first * width; p < end * width; p++) {
        fill_pixel(work, from + p * samples, to + p * work->out->channels);
    }
}

void mrwi_frame_fill_crypto(const mrw_image *samples, const mrwi_frame_names *names, int threads,
                            mrw_image *out)
{
    crypto_work work = {samples, names, out};
    mrwi_base_parallel_for(threads, (out->height + ROWS_A_TASK - 1) / ROWS_A_TASK, fill_rows,
                           &work);
}
