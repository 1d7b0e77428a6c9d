/* webp.c: an animated WebP. Its frames are found in their order, and encoded by all threads. */
#include "image/webp.h"

#include "base/memory.h"
#include "base/text.h"
#include "output/spool.h"
#include "output/writer.h"

__extension__ typedef unsigned __int128 uint128;

typedef struct webp_file {
    const mrwi_output_target *target;
    mrwi_output_spool spool;
    mrwi_image_webp *webp;
    mrwi_image_webp_frame *frames;
    uint32_t frame_count;
    uint32_t next;        /* place of the next picture */
    bool failed;          /* a frame has failed */
    pthread_mutex_t lock; /* guards all of this, except for frames that are being encoded */
} webp_file;

/* Returns the time at which a picture begins, in milliseconds, rounded. Differences of these times
 * add up to the duration of the whole. */
static uint32_t start_of(const mrwi_output_target *target, uint32_t place)
{
    const mrw_rate rate = target->rate;
    const uint128 time = ((uint128)place * 2000 * rate.den + rate.num) / (2 * (uint128)rate.num);
    return time < INT32_MAX ? (uint32_t)time : INT32_MAX;
}

static mrw_status check(const mrwi_output_target *target, mrw_error *error)
{
    const mrw_output_def *def = target->def;
    if (def->width > MRWI_IMAGE_WEBP_MAX_SIDE || def->height > MRWI_IMAGE_WEBP_MAX_SIDE) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "a WebP has at most %d pixels per side, not %ux%u; write .png, or "
                              "give a smaller --size",
                              MRWI_IMAGE_WEBP_MAX_SIDE, def->width, def->height);
    }
    if (start_of(target, 1) >= MRWI_IMAGE_WEBP_LONGEST) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "a WebP must show each picture for less than 16777 seconds; give a higher --fps");
    }
    if (start_of(target, target->count) == INT32_MAX) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "a WebP can play for at most 24 days; give a higher --fps");
    }
    return MRW_OK;
}

static void free_file(void *self)
{
    webp_file *file = self;
    for (uint32_t i = 0; i < file->frame_count; i++) {
        mrwi_image_webp_frame_free(&file->frames[i]);
    }
    mrwi_base_free(file->frames);
    mrwi_image_webp_free(file->webp);
    mrwi_output_spool_free(&file->spool);
    pthread_mutex_destroy(&file->lock);
    mrwi_base_free(file);
}

static mrw_status open(const mrwi_output_target *target, void **out, mrw_error *error)
{
    const mrw_output_def *def = target->def;
    webp_file *file = mrwi_base_alloc_zero(1, sizeof *file);
    if (!file) {
        return mrwi_base_fail_memory(error, sizeof *file);
    }
    file->target = target;
    pthread_mutex_init(&file->lock, NULL);
    mrw_status status = mrwi_output_spool_begin(target->count, &file->spool, error);
    if (status) {
        goto out;
    }
    file->frames = mrwi_base_alloc_zero(target->count, sizeof *file->frames);
    if (!file->frames) {
        status = mrwi_base_fail_memory(error, target->count * sizeof *file->frames);
        goto out;
    }
    status = mrwi_image_webp_begin(def->width, def->height, def->quality, target->count > 1,
                                   &file->webp, error);
    if (status) {
        goto out;
    }
    *out = file;
    return MRW_OK;
out:
    free_file(file);
    return status;
}

/* Finds the frame of a picture. One that repeats the picture before it only extends that one's
 * time, up to the longest time that the format can say; *out is NULL then. */
static mrw_status find_frame(webp_file *file, uint32_t place, mrwi_image_webp_frame **out,
                             mrw_error *error)
{
    mrwi_image_webp_frame *frame = &file->frames[file->frame_count];
    const uint32_t shown = place > 0 ? frame[-1].start : 0;
    const bool fits = start_of(file->target, place + 1) - shown <= MRWI_IMAGE_WEBP_LONGEST;
    mrw_image image = {0};
    uint32_t as, before = MRW_NONE;
    bool changed = false;
    mrwi_output_spool_has(&file->spool, place, &as);
    if (place > 0) {
        mrwi_output_spool_has(&file->spool, place - 1, &before);
    }
    *out = NULL;
    if (as == before && fits) {
        return MRW_OK;
    }
    mrw_status status = mrwi_output_spool_get(&file->spool, place, &image, error);
    if (status) {
        return status;
    }
    status = mrwi_image_webp_next(file->webp, &image, !fits, frame, &changed, error);
    mrw_image_free(&image);
    if (!status && changed) {
        frame->start = start_of(file->target, place);
        file->frame_count++;
        *out = frame;
    }
    return status;
}

/* Encodes the pictures that are next and have come, as long as there are any. A thread that waits
 * for the lock is the next to find a frame, while the others encode those that they found. */
static mrw_status pack_ready(webp_file *file, mrw_error *error)
{
    mrw_status status = MRW_OK;
    bool more = true;
    while (more && !status) {
        mrwi_image_webp_frame *frame = NULL;
        uint32_t as;
        pthread_mutex_lock(&file->lock);
        more = !file->failed && file->next < file->target->count &&
               mrwi_output_spool_has(&file->spool, file->next, &as);
        if (more) {
            status = find_frame(file, file->next++, &frame, error);
            file->failed = status != MRW_OK;
        }
        pthread_mutex_unlock(&file->lock);
        if (frame) {
            status = mrwi_image_webp_encode(file->webp, frame, error);
        }
    }
    if (status) {
        pthread_mutex_lock(&file->lock);
        file->failed = true; /* there are no more frames */
        pthread_mutex_unlock(&file->lock);
    }
    return status;
}

static mrw_status put(void *self, const mrwi_output_item *item, mrw_error *error)
{
    webp_file *file = self;
    mrw_status status =
        mrwi_output_spool_put(&file->spool, item->place, item->image, item->worker->encoder, error);
    if (status) {
        return status;
    }
    return pack_ready(file, error);
}

static mrw_status repeat(void *self, const mrwi_output_item *item, uint32_t as, mrw_error *error)
{
    webp_file *file = self;
    (void)error;
    mrwi_output_spool_repeat(&file->spool, item->place, as);
    return MRW_OK;
}

static mrw_status finish(void *self, mrw_bytes *stdout_bytes, mrw_error *error)
{
    webp_file *file = self;
    mrw_bytes bytes = {0};
    mrw_status status = pack_ready(file, error);
    if (status) {
        return status;
    }
    status = mrwi_image_webp_finish(file->webp, file->frames, file->frame_count,
                                    start_of(file->target, file->target->count), &bytes, error);
    if (status) {
        return status;
    }
    return mrwi_output_deliver(file->target, &bytes, stdout_bytes, error);
}

const mrwi_output_writer mrwi_output_webp = {.info = {.name = "webp",
                                                      .endings = {".webp"},
                                                      .alpha = true,
                                                      .collects = true,
                                                      .animates = true,
                                                      .takes = MRW_TAKES_QUALITY},
                                             .check = check,
                                             .open = open,
                                             .put = put,
                                             .repeat = repeat,
                                             .finish = finish,
                                             .free = free_file};
