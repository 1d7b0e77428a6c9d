/* aov_crypto.c: the passes of Cryptomatte: the objects or materials that a pixel shows, the largest
 * share first.
 */
#include "frame/aov.h"

#include "base/text.h"

#include <string.h>

/* A pass being filled. */
typedef struct crypto_pass {
    mrwi_frame_names names;
    mrw_image *out;
} crypto_pass;

typedef struct crypto_work {
    crypto_pass *passes;
    uint32_t count;
    uint32_t *sums; /* per worker: one sum per name, all 0 between pixels */
    size_t stride;  /* from one worker's sums to the next's */
} crypto_work;

/* A name, and the share of a pixel that shows it. */
typedef struct rank {
    uint32_t id;
    float share; /* rounded as it is written, so that shares that look equal are equal */
} rank;

/* Inserts a rank in order: larger shares first, then smaller ids. A full list drops its last.
 * Returns the new count. */
static uint32_t put_rank(rank *list, uint32_t count, uint32_t most, rank one)
{
    uint32_t at = count;
    while (at > 0 && (list[at - 1].share < one.share ||
                      (list[at - 1].share == one.share && list[at - 1].id > one.id))) {
        at--;
    }
    if (at == most) {
        return count;
    }
    const uint32_t kept = count < most ? count : most - 1;
    memmove(list + at + 1, list + at, (kept - at) * sizeof *list);
    list[at] = one;
    return kept + 1;
}

static void fill_pixel(const crypto_pass *pass, const mrw_raster_share *shares, uint32_t count,
                       uint32_t *sums, float *out)
{
    const mrwi_frame_names *names = &pass->names;
    rank list[MRWI_FRAME_CRYPTO_RANKS];
    uint32_t ranks = 0;
    for (uint32_t i = 0; i < count; i++) {
        sums[names->of_draw[shares[i].draw]] += shares[i].share;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t name = names->of_draw[shares[i].draw];
        if (sums[name] > 0) {
            const float share = (float)((double)sums[name] / MRW_RASTER_SHARE_ALL);
            const rank one = {names->ids[name], share};
            ranks = put_rank(list, ranks, MRWI_FRAME_CRYPTO_RANKS, one);
            sums[name] = 0;
        }
    }
    for (uint32_t i = 0; i < ranks; i++) {
        memcpy(&out[2 * i], &list[i].id, sizeof out[2 * i]);
        out[2 * i + 1] = list[i].share;
    }
}

/* Takes the shares of a pixel: the callback of mrw_raster_shares. */
static void take_pixel(void *user, int worker, uint32_t x, uint32_t y,
                       const mrw_raster_share *shares, uint32_t count)
{
    const crypto_work *work = user;
    for (uint32_t i = 0; i < work->count; i++) {
        const mrw_image *image = work->passes[i].out;
        float *out = (float *)image->pixels + ((size_t)y * image->width + x) * image->channels;
        fill_pixel(&work->passes[i], shares, count, work->sums + (size_t)worker * work->stride,
                   out);
    }
}

/* Starts the definition's passes, empty. Returns false without memory. */
static bool begin_passes(mrwi_base_arena *arena, const mrwi_frame_aovs *aovs,
                         const mrwi_frame_picture *picture, crypto_work *out)
{
    const mrw_frame_def *def = picture->def;
    const mrwi_frame_poses *poses = &picture->posed->poses;
    out->passes = mrwi_base_arena_alloc(arena, def->aov_count, sizeof *out->passes);
    if (!out->passes) {
        return false;
    }
    for (uint32_t i = 0; i < def->aov_count; i++) {
        const mrw_aov aov = def->aovs[i].aov;
        if (!mrwi_frame_is_crypto(aov)) {
            continue;
        }
        crypto_pass *pass = &out->passes[out->count++];
        pass->out = &aovs->images[i];
        memset(pass->out->pixels, 0,
               (size_t)def->width * def->height * pass->out->channels * sizeof(float));
        if (!mrwi_frame_name_draws(arena, poses->instances, poses->count,
                                   aov == MRW_AOV_CRYPTO_MATERIAL, &pass->names)) {
            return false;
        }
    }
    return true;
}

/* Makes room for threads to add up shares. Returns false without memory. */
static bool begin_sums(mrwi_base_arena *arena, int threads, crypto_work *out)
{
    for (uint32_t i = 0; i < out->count; i++) {
        const size_t names = out->passes[i].names.count;
        out->stride = names > out->stride ? names : out->stride;
    }
    out->stride = (out->stride + 31) / 16 * 16; /* no two threads share a cache line */
    const size_t count = (size_t)threads * out->stride;
    out->sums = mrwi_base_arena_alloc(arena, count, sizeof *out->sums);
    if (out->sums) {
        memset(out->sums, 0, count * sizeof *out->sums);
    }
    return out->sums;
}

mrw_status mrwi_frame_make_crypto(mrwi_frame_scratch *scratch, const mrwi_frame_aovs *aovs,
                                  const mrwi_frame_picture *picture, mrw_error *error)
{
    const mrwi_frame_posed *posed = picture->posed;
    crypto_work work = {0};
    const mrw_raster_shares shares = {take_pixel, &work};
    mrw_raster_job job = mrwi_frame_raster_job(picture->def, &picture->camera);
    if (!begin_passes(&scratch->arena, aovs, picture, &work)) {
        return mrwi_base_fail_memory(error, posed->draw_count * sizeof(uint32_t));
    }
    if (work.count == 0) {
        return MRW_OK;
    }
    if (!begin_sums(&scratch->arena, picture->threads, &work)) {
        return mrwi_base_fail_memory(error,
                                     (size_t)picture->threads * work.stride * sizeof *work.sums);
    }
    job.draws = posed->draws;
    job.draw_count = posed->draw_count;
    job.shares = &shares;
    job.isa = scratch->isa;
    job.threads = picture->threads;
    return mrw_raster_draw_frame(scratch->raster, &job, error);
}
