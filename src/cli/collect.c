/* collect.c: several pictures in one file: sheets and animations.
 *
 * Pictures come from several threads. A sheet is one picture that they are copied into, an
 * animation is written as they come: no other pictures are in memory than those being drawn. The
 * last one of a file gives it its name.
 */
#include "cli.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHEET_GAP 4 /* pixels between the frames of a sheet */

/* One file. */
typedef struct collection {
    uint32_t count; /* of its pictures */
    atomic_uint left;
    mrw_apng *apng; /* made for its first picture */
    mrw_sheet_def sheet_def;
    mrw_image sheet;
} collection;

typedef struct cli_collections {
    const cli_plan *plan;
    const mrw_session_model *model;
    const mrw_frame_def *frame;
    mrw_png_def png;
    collection *files;
    uint32_t *places; /* of each picture in its file */
    mrw_bytes *stdout_bytes;
    pthread_mutex_t lock; /* of making */
} cli_collections;

/* ---- before anything is drawn ---------------------------------------------------------------- */

static uint32_t columns_of(const cli_collections *c, uint32_t count)
{
    return c->model->settings->output.sheet < count ? c->model->settings->output.sheet : count;
}

static mrw_status check_sheet(const cli_collections *c, uint32_t count, mrw_error *error)
{
    uint64_t columns = columns_of(c, count);
    uint64_t rows = (count + columns - 1) / columns;
    uint64_t width = columns * (c->frame->width + SHEET_GAP) + SHEET_GAP;
    uint64_t height = rows * (c->frame->height + SHEET_GAP) + SHEET_GAP;
    uint64_t bytes = width * height * (c->frame->transparent ? 4 : 3);
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (width > MRW_IMAGE_MAX_SIDE || height > MRW_IMAGE_MAX_SIDE) {
        return cli_fail(error, MRW_ERROR_USAGE,
                        "a sheet of %u pictures would be %llux%llu, over %d a side; use a smaller "
                        "--size, fewer frames or other --sheet columns",
                        count, (unsigned long long)width, (unsigned long long)height,
                        MRW_IMAGE_MAX_SIDE);
    }
    if (bytes > memory / 2) {
        return cli_fail(error, MRW_ERROR_MEMORY,
                        "a sheet of %u pictures needs %llu MiB of memory; use a smaller --size or "
                        "fewer frames",
                        count, (unsigned long long)(bytes >> 20));
    }
    return MRW_OK;
}

mrw_status cli_collections_create(const cli_plan *plan, const mrw_session *session,
                                  mrw_bytes *stdout_bytes, cli_collections **out, mrw_error *error)
{
    const mrw_settings *settings = session->model->settings;
    cli_collections *c = calloc(1, sizeof *c);
    mrw_status status = MRW_OK;
    if (!c) {
        return cli_fail_memory(error);
    }
    *c = (cli_collections){.plan = plan,
                           .model = session->model,
                           .frame = &session->frame,
                           .png = {(mrw_png_effort)settings->output.png, settings->run.isa},
                           .files = calloc(plan->file_count + 1, sizeof *c->files),
                           .places = calloc(plan->pictures.count + 1, sizeof *c->places),
                           .stdout_bytes = stdout_bytes};
    pthread_mutex_init(&c->lock, NULL);
    if (!c->files || !c->places) {
        status = cli_fail_memory(error);
    }
    for (uint32_t i = 0; i < plan->pictures.count && status == MRW_OK; i++) {
        c->places[i] = c->files[plan->file_of[i]].count++;
    }
    for (uint32_t f = 0; f < plan->file_count && status == MRW_OK; f++) {
        atomic_init(&c->files[f].left, c->files[f].count);
        status = settings->output.sheet > 0 ? check_sheet(c, c->files[f].count, error) : MRW_OK;
    }
    if (status != MRW_OK) {
        cli_collections_free(c);
        return status;
    }
    *out = c;
    return MRW_OK;
}

static void clear(collection *file)
{
    mrw_apng_free(file->apng);
    mrw_image_free(&file->sheet);
    file->apng = NULL;
}

void cli_collections_free(cli_collections *c)
{
    if (!c) {
        return;
    }
    for (uint32_t f = 0; c->files && f < c->plan->file_count; f++) {
        clear(&c->files[f]);
    }
    pthread_mutex_destroy(&c->lock);
    free(c->files);
    free(c->places);
    free(c);
}

/* ---- making a file --------------------------------------------------------------------------- */

/* The speed an animation plays at: --fps divided by a constant step of frame numbers; a --count
 * spread over the clip lasts as long as the clip. */
static mrw_rate animation_rate(const cli_collections *c, const mrw_picture *first, uint32_t count)
{
    const mrw_settings *settings = c->model->settings;
    mrw_rate rate = mrw_session_clip_rate(c->model, first->clip);
    double duration = mrw_session_clip_duration(c->model, first->clip);
    uint64_t step = count > 1 ? first[1].frame - first[0].frame : 1;
    uint32_t spans = settings->animation.loop ? count : count - 1;
    if (settings->animation.count > 1 && !mrw_settings_given(settings, "fps") && duration > 0.0) {
        double rounded = (double)spans * 1000.0 / duration + 0.5;
        return (mrw_rate){rounded < 1.0 ? 1 : rounded > 60000.0 ? 60000 : (uint32_t)rounded, 1000};
    }
    for (uint32_t i = 1; i < count; i++) {
        if (first[i].frame - first[i - 1].frame != step || first[i].clip != first->clip) {
            return rate;
        }
    }
    if (step > 1 && step < 1000) {
        rate.den *= (uint32_t)step;
    }
    return rate;
}

static mrw_status make_animation(cli_collections *c, uint32_t file, const mrw_image *like,
                                 mrw_error *error)
{
    collection *to = &c->files[file];
    mrw_picture *pictures = malloc(to->count * sizeof *pictures);
    if (!pictures) {
        return cli_fail_memory(error);
    }
    for (uint32_t i = 0; i < c->plan->pictures.count; i++) {
        if (c->plan->file_of[i] == file) {
            pictures[c->places[i]] = c->plan->pictures.items[i];
        }
    }
    mrw_apng_def def = {.width = like->width,
                        .height = like->height,
                        .channels = like->channels,
                        .count = to->count,
                        .rate = animation_rate(c, pictures, to->count),
                        .png = c->png,
                        .path = c->plan->to_stdout ? NULL : c->plan->files[file]};
    free(pictures);
    return mrw_apng_create(&def, &to->apng, error);
}

static mrw_status make_sheet(cli_collections *c, uint32_t file, const mrw_image *like,
                             mrw_error *error)
{
    collection *to = &c->files[file];
    to->sheet_def = (mrw_sheet_def){.width = like->width,
                                    .height = like->height,
                                    .channels = like->channels,
                                    .count = to->count,
                                    .columns = columns_of(c, to->count),
                                    .gap = SHEET_GAP};
    if (!c->frame->transparent) {
        memcpy(to->sheet_def.background, c->frame->background, sizeof to->sheet_def.background);
    }
    return mrw_sheet_create(&to->sheet_def, &to->sheet, error);
}

/* Of two threads with the first pictures of a file one makes it. */
static mrw_status make_once(cli_collections *c, uint32_t file, const mrw_image *like,
                            mrw_error *error)
{
    collection *to = &c->files[file];
    mrw_status status = MRW_OK;
    pthread_mutex_lock(&c->lock);
    if (c->model->settings->output.sheet > 0 && !to->sheet.pixels) {
        status = make_sheet(c, file, like, error);
    } else if (c->model->settings->output.sheet == 0 && !to->apng) {
        status = make_animation(c, file, like, error);
    }
    pthread_mutex_unlock(&c->lock);
    return status;
}

static mrw_status write_file(cli_collections *c, uint32_t file, mrw_error *error)
{
    collection *from = &c->files[file];
    mrw_bytes bytes = {0};
    mrw_status status = from->apng ? mrw_apng_finish(from->apng, &bytes, error)
                                   : mrw_png_encode_as(&from->sheet, &c->png, &bytes, error);
    const bool written = from->apng && !c->plan->to_stdout;
    clear(from);
    if (status == MRW_OK && c->plan->to_stdout) {
        *c->stdout_bytes = bytes;
        return MRW_OK;
    }
    if (status == MRW_OK && !written) {
        status = mrw_file_write(c->plan->files[file], bytes.data, bytes.size, error);
    }
    mrw_bytes_free(&bytes);
    return status;
}

mrw_status cli_collections_put(cli_collections *c, uint32_t picture, uint32_t same_as,
                               const mrw_image *image, mrw_png_encoder *encoder, mrw_error *error)
{
    const uint32_t file = c->plan->file_of[picture];
    collection *to = &c->files[file];
    const bool again = picture != same_as && c->plan->file_of[same_as] == file;
    mrw_status status = make_once(c, file, image, error);
    if (status == MRW_OK && !to->apng) {
        mrw_sheet_put(&to->sheet_def, &to->sheet, c->places[picture], image);
    } else if (status == MRW_OK && again) {
        mrw_apng_repeat(to->apng, c->places[picture], c->places[same_as]);
    } else if (status == MRW_OK) {
        status = mrw_apng_put(to->apng, c->places[picture], image, encoder, error);
    }
    if (status == MRW_OK && atomic_fetch_sub(&to->left, 1) == 1) {
        status = write_file(c, file, error);
    }
    return status;
}
