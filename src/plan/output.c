/* output.c: from plans to open files: rates of animations, labels of sheets, entries of sprite
 * sheets, files of passes; and drawn pictures to those files. */
#include "plan/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/session.h"

#include <string.h>
#include <unistd.h>

static mrw_rate lowest_terms(mrw_rate rate)
{
    uint32_t a = rate.num, b = rate.den;
    while (b > 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return (mrw_rate){rate.num / a, rate.den / a};
}

/* Finds the rate of each file. If several models go to a file, it is that of the first one in it.
 */
static mrw_status make_rates(mrw_plan_output *o, mrw_error *error)
{
    const mrw_output_files *all = &o->parts[0].plan->files;
    const size_t count = (size_t)all->picture_count + 1;
    mrw_picture *pictures = mrwi_base_alloc_zero(count, sizeof *pictures);
    o->rates = mrwi_base_alloc_zero((size_t)all->count + 1, sizeof *o->rates);
    if (!pictures || !o->rates) {
        mrwi_base_free(pictures);
        return mrwi_base_fail_memory(error, 0);
    }
    for (uint32_t f = 0; f < all->count; f++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < o->part_count && found == 0; k++) {
            const mrw_plan_part *part = &o->parts[k];
            for (uint32_t i = 0; i < part->plan->pictures.count; i++) {
                if (all->of[part->first + i] == f) {
                    pictures[found++] = part->plan->pictures.items[i];
                }
            }
            if (found > 0) {
                o->rates[f] = lowest_terms(mrw_plan_rate(part->model, pictures, found));
            }
        }
    }
    mrwi_base_free(pictures);
    return MRW_OK;
}

/* Describes the sprite sheets: entries of all pictures, and the node of --pivot of each part. */
static mrw_status make_sprites(mrw_plan_output *o, mrw_sprites_def *out, mrw_error *error)
{
    const mrw_settings *settings = o->settings;
    o->pivots = mrwi_base_alloc(o->part_count, sizeof *o->pivots);
    if (!o->pivots) {
        return mrwi_base_fail_memory(error, o->part_count * sizeof *o->pivots);
    }
    for (uint32_t i = 0; i < o->part_count; i++) {
        const mrw_status status = mrw_plan_sprites_add(&o->sprites, o->parts[i].model,
                                                       o->parts[i].plan, o->part_count > 1, error);
        if (status) {
            return status;
        }
    }
    mrw_status status = mrw_plan_sprites_name(&o->sprites, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < o->part_count; i++) {
        status = mrw_plan_sprites_find_pivot(o->parts[i].model, &o->pivots[i], error);
        if (status) {
            return status;
        }
    }
    *out = (mrw_sprites_def){.labels = o->sprites.items,
                             .json_paths = (const char *const *)o->parts[0].plan->atlases.paths,
                             .numbered = settings->output.atlas_numbers,
                             .godot = settings->output.atlas_format == 1,
                             .loops = settings->animation.loop,
                             .page_size = settings->output.page_size,
                             .power_of_two = settings->output.power_of_two,
                             .extrude = settings->output.extrude,
                             .bleed = settings->output.bleed,
                             .trim = (mrw_sprite_trim)settings->output.trim};
    return MRW_OK;
}

/* Makes the labels of the cells: those of pictures if --labels asks for them, and all notes. */
static mrw_status make_labels(mrw_plan_output *o, mrw_error *error)
{
    bool labels = o->settings->output.labels;
    for (uint32_t i = 0; i < o->part_count; i++) {
        labels = labels || o->parts[i].note;
    }
    for (uint32_t i = 0; i < o->part_count && labels; i++) {
        const mrw_plan_part *part = &o->parts[i];
        const mrw_status status =
            part->note ? mrw_plan_labels_add_note(&o->labels, part->model->path, part->note, error)
                       : mrw_plan_labels_add(&o->labels, part->model, part->plan, o->part_count > 1,
                                             error);
        if (status) {
            return status;
        }
    }
    if (!o->settings->output.labels) {
        mrw_plan_labels_keep_notes(&o->labels);
    }
    return MRW_OK;
}

static bool is_deep(const mrw_output_info *info, uint32_t unused)
{
    (void)unused;
    return info->deep;
}

static mrw_status refuse_deep(mrw_error *error)
{
    mrw_text list = {0};
    mrw_output_endings(is_deep, 0, &list);
    const mrw_status status =
        list.failed ? mrwi_base_fail_memory(error, list.size)
                    : mrwi_base_fail(error, MRW_ERROR_USAGE,
                                     "--bits 16: only %s can have 16 bits per channel; use -o "
                                     "NAME.png",
                                     list.data);
    mrw_text_free(&list);
    return status;
}

/* Makes what the format needs besides pictures: rates, entries of sprite sheets, labels, cells. */
static mrw_status furnish(mrw_plan_output *o, mrw_output_def *def, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (mrw_output_describe(def->format)->animates) {
        status = make_rates(o, error);
        if (status) {
            return status;
        }
    }
    if (def->format == MRW_OUTPUT_SPRITES) {
        status = make_sprites(o, &def->sprites, error);
        if (status) {
            return status;
        }
    }
    status = make_labels(o, error);
    def->rates = o->rates;
    def->labels = o->labels.items;
    if (o->settings->output.sheet > 0) {
        def->columns = o->layout.columns;
        def->cells = o->layout.cells;
    }
    return status;
}

mrw_status mrw_plan_output_begin(const mrw_settings *settings, const mrw_plan_part *parts,
                                 uint32_t count, mrw_plan_output *out, mrw_error *error)
{
    *out = (mrw_plan_output){.settings = settings, .parts = parts, .part_count = count};
    if (settings->output.atlas) {
        const mrw_status status = mrw_plan_check_atlases(parts[0].plan, error);
        if (status) {
            return status;
        }
    }
    return settings->output.sheet > 0
               ? mrw_plan_layout_make(settings, parts, count, &out->layout, error)
               : MRW_OK;
}

mrw_status mrw_plan_output_open(mrw_plan_output *o, mrw_session *session, mrw_error *error)
{
    const mrw_settings *settings = o->settings;
    const mrw_plan *plan = o->parts[0].plan;
    mrw_frame_def *frame = &session->frame;
    mrw_output_def def = {.format = plan->format,
                          .files = &plan->files,
                          .width = frame->width,
                          .height = frame->height,
                          .channels = frame->transparent ? 4 : 3,
                          .png = {(mrw_png_effort)settings->output.png, settings->run.isa,
                                  mrw_session_threads(settings)},
                          .workers = session->threads,
                          .columns = settings->output.sheet,
                          .gap = settings->output.gap,
                          .stream = STDOUT_FILENO,
                          .quality = settings->output.quality,
                          .has_matte = settings->output.has_matte,
                          .dither = settings->output.dither};
    mrw_status status = MRW_OK;
    if (plan->passes.count > 0) {
        status = mrw_pass_files_begin(o->settings, plan, frame, &o->passes, error);
        if (status || plan->format == MRW_OUTPUT_PNG) {
            return status;
        }
    }
    if (frame->bits == 16 && !mrw_output_describe(plan->format)->deep) {
        return refuse_deep(error);
    }
    status = furnish(o, &def, error);
    if (status) {
        return status;
    }
    memcpy(def.matte, settings->output.matte, sizeof def.matte);
    if (!frame->transparent) {
        memcpy(def.background, frame->background, sizeof def.background);
    }
    status = mrw_output_open(&def, &o->output, error);
    o->passes.output = o->output;
    return status;
}

mrw_status mrw_plan_output_put(mrw_plan_output *o, uint32_t part, const mrw_sequence_frame *frame,
                               mrw_error *error)
{
    const uint32_t first = o->parts[part].first;
    if (o->passes.plan) {
        return mrw_pass_files_put(&o->passes, frame, error);
    }
    if (o->pivots && o->pivots[part] != MRW_NONE) {
        const mrw_status status =
            mrw_plan_sprites_put_pivot(o->sprites.items + first, o->pivots[part], frame, error);
        if (status) {
            return status;
        }
    }
    return mrw_output_put(o->output, frame->worker, first + frame->index, first + frame->same_as,
                          frame->image, error);
}

mrw_status mrw_plan_output_put_note(mrw_plan_output *o, uint32_t part, mrw_error *error)
{
    const mrw_picture_settings *frame = &o->settings->picture;
    const uint32_t first = o->parts[part].first;
    mrw_image image = {0};
    mrw_status status =
        mrw_image_create(frame->width, frame->height, frame->transparent ? 4 : 3, &image, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < (size_t)image.width * image.height && !frame->transparent; i++) {
        memcpy(image.pixels + i * image.channels, frame->background, image.channels);
    }
    status = mrw_output_put(o->output, 0, first, first, &image, error);
    mrw_image_free(&image);
    return status;
}

mrw_status mrw_plan_output_finish(mrw_plan_output *o, mrw_bytes *stdout_bytes, mrw_error *error)
{
    if (o->output) {
        return mrw_output_finish(o->output, stdout_bytes, error);
    }
    *stdout_bytes = o->passes.stdout_bytes;
    o->passes.stdout_bytes = (mrw_bytes){0};
    return MRW_OK;
}

void mrw_plan_output_free(mrw_plan_output *o)
{
    mrw_output_free(o->output);
    mrw_pass_files_free(&o->passes);
    mrwi_base_free(o->rates);
    mrw_plan_labels_free(&o->labels);
    mrw_plan_sprites_free(&o->sprites);
    mrwi_base_free(o->pivots);
    mrw_plan_layout_free(&o->layout);
    *o = (mrw_plan_output){0};
}

mrw_status mrw_plan_prepare_files(const mrw_settings *settings, const mrw_plan *plan,
                                  mrw_error *error)
{
    const mrw_output_files *atlases = &plan->atlases;
    bool overwrite = settings->output.path || settings->output.force;
    mrw_status status = mrw_output_files_prepare(&plan->files, overwrite, error);
    if (status) {
        return status;
    }
    overwrite = overwrite || settings->command != MRW_COMMAND_SPRITES; /* --atlas was given */
    status = mrw_output_files_prepare(atlases, overwrite, error);
    if (status || settings->output.atlas_format != 1) {
        return status;
    }
    for (uint32_t i = 0; i < atlases->count; i++) {
        char path[MRW_OUTPUT_PATH_SIZE], *paths[] = {path};
        const mrw_output_files one = {.paths = paths, .count = 1};
        mrw_output_godot_path(atlases->paths[i], path, sizeof path);
        status = mrw_output_files_prepare(&one, overwrite, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}
