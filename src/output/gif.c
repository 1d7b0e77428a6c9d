/* gif.c: an animated GIF. All pictures share a palette, so they are written when the last has come.
 */
#include "image/gif.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/spool.h"
#include "output/writer.h"

#include <string.h>

#define SHORTEST 2 /* hundredths of a second: browsers show 0 and 1 as if they were 10 */

__extension__ typedef unsigned __int128 uint128;

typedef struct gif_file {
    const mrwi_output_target *target;
    mrwi_output_spool spool;
    mrwi_image_gif_colors colors;
    pthread_mutex_t lock; /* guards the colours */
} gif_file;

/* ---- times ----------------------------------------------------------------------------------- */

/* Returns the time at which a frame begins, in hundredths of a second since the start, rounded.
 * Differences of these times add up to the duration of the whole. */
static uint64_t hundredths(uint64_t frames, mrw_rate rate)
{
    return (uint64_t)(((uint128)frames * 200 * rate.den + rate.num) / (2 * (uint128)rate.num));
}

static bool is_too_fast(mrw_rate rate)
{
    return 100 * (uint64_t)rate.den < SHORTEST * (uint64_t)rate.num;
}

static uint64_t duration_of(const mrwi_output_target *target)
{
    const uint64_t duration = hundredths(target->count, target->rate);
    return duration > SHORTEST ? duration : SHORTEST;
}

/* Returns the number of pictures that are shown: all, or one per SHORTEST if the rate is too high.
 */
static uint32_t shown_count(const mrwi_output_target *target)
{
    return is_too_fast(target->rate) ? (uint32_t)(duration_of(target) / SHORTEST) : target->count;
}

/* Returns the time at which the i-th shown picture begins. */
static uint64_t start_of(const mrwi_output_target *target, uint32_t i)
{
    return i == shown_count(target)    ? duration_of(target)
           : is_too_fast(target->rate) ? (uint64_t)i * SHORTEST
                                       : hundredths(i, target->rate);
}

/* Returns the place of the i-th shown picture: the one that plays at the time it begins. */
static uint32_t place_of(const mrwi_output_target *target, uint32_t i)
{
    const mrw_rate rate = target->rate;
    return is_too_fast(rate)
               ? (uint32_t)((uint128)i * SHORTEST * rate.num / (100 * (uint128)rate.den))
               : i;
}

static uint32_t left_out(const mrwi_output_target *target)
{
    return target->count - shown_count(target);
}

static mrw_status check(const mrwi_output_target *target, mrw_error *error)
{
    const mrw_output_def *def = target->def;
    return def->width <= MRWI_IMAGE_GIF_MAX_SIDE && def->height <= MRWI_IMAGE_GIF_MAX_SIDE
               ? MRW_OK
               : mrwi_base_fail(error, MRW_ERROR_USAGE,
                                "a GIF has at most %d pixels per side, not %ux%u",
                                MRWI_IMAGE_GIF_MAX_SIDE, def->width, def->height);
}

/* ---- collecting pictures --------------------------------------------------------------------- */

static mrw_status open(const mrwi_output_target *target, void **out, mrw_error *error)
{
    gif_file *file = mrwi_base_alloc_zero(1, sizeof *file);
    if (!file) {
        return mrwi_base_fail_memory(error, sizeof *file);
    }
    mrw_status status = mrwi_output_spool_begin(target->count, &file->spool, error);
    if (status) {
        mrwi_base_free(file);
        return status;
    }
    file->target = target;
    pthread_mutex_init(&file->lock, NULL);
    *out = file;
    return MRW_OK;
}

static void free_file(void *self)
{
    gif_file *file = self;
    mrwi_output_spool_free(&file->spool);
    mrwi_image_gif_colors_free(&file->colors);
    pthread_mutex_destroy(&file->lock);
    mrwi_base_free(file);
}

/* Makes each pixel opaque or clear. Alpha below one half becomes clear; other translucent pixels
 * are mixed with the matte, in sRGB as browsers mix. */
static mrw_status make_hard(const mrw_output_def *def, const mrw_image *image, mrw_image *out,
                            mrw_error *error)
{
    const size_t pixels = (size_t)image->width * image->height;
    mrw_status status = mrw_image_create(image->width, image->height, 4, out, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t *from = image->pixels + i * image->channels;
        uint8_t *to = out->pixels + 4 * i;
        const int alpha = image->channels == 4 ? from[3] : 255;
        for (int c = 0; c < 3 && alpha >= 128; c++) {
            to[c] = def->has_matte
                        ? (uint8_t)((from[c] * alpha + def->matte[c] * (255 - alpha) + 127) / 255)
                        : from[c];
        }
        to[3] = alpha >= 128 ? 255 : 0;
    }
    return MRW_OK;
}

static mrw_status put(void *self, const mrwi_output_item *item, mrw_error *error)
{
    gif_file *file = self;
    mrw_image hard = {0};
    mrw_status status = make_hard(file->target->def, item->image, &hard, error);
    if (status) {
        return status;
    }
    pthread_mutex_lock(&file->lock);
    status = mrwi_image_gif_count(&file->colors, &hard, error);
    pthread_mutex_unlock(&file->lock);
    if (status) {
        goto out;
    }
    status = mrwi_output_spool_put(&file->spool, item->place, &hard, item->worker->encoder, error);
out:
    mrw_image_free(&hard);
    return status;
}

static mrw_status repeat(void *self, const mrwi_output_item *item, uint32_t as, mrw_error *error)
{
    gif_file *file = self;
    (void)error;
    mrwi_output_spool_repeat(&file->spool, item->place, as);
    return MRW_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Fills in the palette index of each pixel of a shown picture. */
static mrw_status load(gif_file *file, uint32_t shown, uint8_t *indices, mrw_error *error)
{
    mrw_image image = {0};
    mrw_status status =
        mrwi_output_spool_get(&file->spool, place_of(file->target, shown), &image, error);
    if (status) {
        return status;
    }
    mrwi_image_gif_map(&file->colors, &image, indices);
    mrw_image_free(&image);
    return MRW_OK;
}

/* Writes a picture; several times if it's shown for longer than a GIF can say. */
static mrw_status write_picture(mrwi_image_gif *gif, const uint8_t *indices, const uint8_t *next,
                                uint64_t delay, mrw_error *error)
{
    while (delay > MRWI_IMAGE_GIF_LONGEST) {
        const mrwi_image_gif_frame part = {indices, indices, MRWI_IMAGE_GIF_LONGEST - SHORTEST};
        mrw_status status = mrwi_image_gif_put(gif, &part, error);
        if (status) {
            return status;
        }
        delay -= part.delay;
    }
    const mrwi_image_gif_frame last = {indices, next, (uint32_t)delay};
    return mrwi_image_gif_put(gif, &last, error);
}

/* Writes all pictures; equal ones in a row become one. two: memory for two pictures. */
static mrw_status write_pictures(gif_file *file, mrwi_image_gif *gif, uint8_t *two,
                                 mrw_error *error)
{
    const mrwi_output_target *target = file->target;
    const size_t pixels = (size_t)target->def->width * target->def->height;
    const uint32_t count = shown_count(target);
    uint8_t *now = two, *next = two + pixels;
    uint32_t begun = 0;
    mrw_status status = load(file, 0, now, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 1; i < count; i++) {
        status = load(file, i, next, error);
        if (status) {
            return status;
        }
        if (memcmp(now, next, pixels) != 0) {
            uint8_t *other = now;
            status =
                write_picture(gif, now, next, start_of(target, i) - start_of(target, begun), error);
            if (status) {
                return status;
            }
            now = next;
            next = other;
            begun = i;
        }
    }
    const uint64_t delay = start_of(target, count) - start_of(target, begun);
    return write_picture(gif, now, NULL, delay, error);
}

static mrw_status finish(void *self, mrw_bytes *stdout_bytes, mrw_error *error)
{
    gif_file *file = self;
    const mrw_output_def *def = file->target->def;
    const size_t pixels = (size_t)def->width * def->height;
    mrwi_image_gif_palette palette;
    mrwi_image_gif *gif = NULL;
    mrw_bytes bytes = {0};
    uint8_t *two = mrwi_base_alloc(pixels, 2);
    if (!two) {
        return mrwi_base_fail_memory(error, 2 * pixels);
    }
    mrw_status status = mrwi_image_gif_choose(&file->colors, def->dither, &palette, error);
    if (status) {
        goto out;
    }
    status = mrwi_image_gif_begin(def->width, def->height, &palette, file->target->count > 1, &gif,
                                  error);
    if (status) {
        goto out;
    }
    status = write_pictures(file, gif, two, error);
    if (status) {
        goto out;
    }
    status = mrwi_image_gif_finish(gif, &bytes, error);
    if (status) {
        goto out;
    }
    status = mrwi_output_deliver(file->target, &bytes, stdout_bytes, error);
out:
    mrwi_image_gif_free(gif);
    mrwi_base_free(two);
    return status;
}

const mrwi_output_writer mrwi_output_gif = {.info = {.name = "gif",
                                                     .endings = {".gif"},
                                                     .alpha = true,
                                                     .collects = true,
                                                     .animates = true,
                                                     .takes = MRW_TAKES_MATTE | MRW_TAKES_DITHER},
                                            .check = check,
                                            .left_out = left_out,
                                            .open = open,
                                            .put = put,
                                            .repeat = repeat,
                                            .finish = finish,
                                            .free = free_file};
