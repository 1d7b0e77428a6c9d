/* render_output.c: the files that `marrow render` writes: animations, sheets, sprite sheets. */
#include "render.h"

#include <stdlib.h>
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
static mrw_status make_rates(cli_job *jobs, uint32_t count, mrw_rate **out, mrw_error *error)
{
    const uint32_t files = jobs[0].plan.files.count;
    const mrw_output_files *all = &jobs[0].plan.files;
    mrw_picture *pictures = calloc((size_t)all->picture_count + 1, sizeof *pictures);
    *out = calloc((size_t)files + 1, sizeof **out);
    if (!pictures || !*out) {
        free(pictures);
        return host_fail_memory(error);
    }
    for (uint32_t f = 0; f < files; f++) {
        uint32_t found = 0;
        for (uint32_t j = 0; j < count && found == 0; j++) {
            for (uint32_t i = 0; i < jobs[j].plan.pictures.count; i++) {
                if (all->of[jobs[j].first + i] == f) {
                    pictures[found++] = jobs[j].plan.pictures.items[i];
                }
            }
            if (found > 0) {
                (*out)[f] = lowest_terms(mrw_plan_rate(jobs[j].model, pictures, found));
            }
        }
    }
    free(pictures);
    return MRW_OK;
}

/* Describes the sprite sheets of `count` jobs. The first job owns the entries of all pictures. */
static mrw_status make_sprites(cli_job *jobs, uint32_t count, mrw_sprites_def *out,
                               mrw_error *error)
{
    const mrw_settings *settings = jobs[0].settings;
    mrw_plan_sprites *sprites = &jobs[0].sprites;
    for (uint32_t i = 0; i < count; i++) {
        const mrw_status status =
            mrw_plan_sprites_add(sprites, jobs[i].model, &jobs[i].plan, count > 1, error);
        if (status) {
            return status;
        }
    }
    mrw_status status = mrw_plan_sprites_name(sprites, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        jobs[i].own_sprites = sprites->items + jobs[i].first;
        status = mrw_plan_sprites_find_pivot(jobs[i].model, &jobs[i].pivot, error);
        if (status) {
            return status;
        }
    }
    *out = (mrw_sprites_def){.labels = sprites->items,
                             .json_paths = (const char *const *)jobs[0].plan.atlases.paths,
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

/* Sets the labels and the layout of the sheets of `count` jobs. */
static mrw_status label_sheets(cli_job *jobs, uint32_t count, mrw_output_def *out, mrw_error *error)
{
    const mrw_settings *settings = jobs[0].settings;
    cli_job *first = &jobs[0];
    bool labels = settings->output.labels;
    for (uint32_t i = 0; i < count; i++) {
        labels = labels || jobs[i].failure;
    }
    if (settings->output.sheet > 0) {
        out->columns = first->layout.columns;
        out->cells = first->layout.cells;
    }
    for (uint32_t i = 0; i < count && labels; i++) {
        const mrw_status status =
            jobs[i].failure ? mrw_plan_labels_add_note(&first->labels, jobs[i].model->path,
                                                       jobs[i].failure, error)
                            : mrw_plan_labels_add(&first->labels, jobs[i].model, &jobs[i].plan,
                                                  count > 1, error);
        if (status) {
            return status;
        }
    }
    if (!settings->output.labels) {
        mrw_plan_labels_keep_notes(&first->labels);
    }
    out->labels = first->labels.items;
    return MRW_OK;
}

/* Returns the first job that has pictures, else the first one. */
static cli_job *find_drawn(cli_job *jobs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!jobs[i].failure) {
            return &jobs[i];
        }
    }
    return &jobs[0];
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
        list.failed ? host_fail_memory(error)
                    : mrw_fail(error, MRW_ERROR_USAGE,
                               "--bits 16: only %s can have 16 bits per channel; use -o NAME.png",
                               list.data);
    mrw_text_free(&list);
    return status;
}

/* Opens the output of the pictures of `count` jobs, whose files are those of the first. */
static mrw_status open_output(cli_job *jobs, uint32_t count, mrw_error *error)
{
    cli_job *j = &jobs[0], *drawn = find_drawn(jobs, count);
    mrw_frame_def *frame = &drawn->session.frame;
    const mrw_settings *settings = j->settings;
    const mrw_output_info *info = mrw_output_describe(j->plan.format);
    mrw_output_def def = {.format = j->plan.format,
                          .files = &j->plan.files,
                          .width = frame->width,
                          .height = frame->height,
                          .channels = frame->transparent ? 4 : 3,
                          .png = {(mrw_png_effort)settings->output.png, settings->run.isa},
                          .workers = drawn->session.threads,
                          .columns = settings->output.sheet,
                          .gap = settings->output.gap,
                          .stream = STDOUT_FILENO,
                          .quality = settings->output.quality,
                          .has_matte = settings->output.has_matte,
                          .dither = settings->output.dither};
    mrw_status status = MRW_OK;
    if (j->plan.passes.count > 0) {
        status = mrw_pass_files_begin(settings, &j->plan, frame, &j->passes, error);
        if (status || j->plan.format == MRW_OUTPUT_PNG) {
            return status;
        }
    }
    if (frame->bits == 16 && !info->deep) {
        return refuse_deep(error);
    }
    if (info->animates) {
        status = make_rates(jobs, count, &j->rates, error);
        if (status) {
            return status;
        }
    }
    if (j->plan.format == MRW_OUTPUT_SPRITES) {
        status = make_sprites(jobs, count, &def.sprites, error);
        if (status) {
            return status;
        }
    }
    def.rates = j->rates;
    status = label_sheets(jobs, count, &def, error);
    if (status) {
        return status;
    }
    memcpy(def.matte, settings->output.matte, sizeof def.matte);
    if (!frame->transparent) {
        memcpy(def.background, frame->background, sizeof def.background);
    }
    status = mrw_output_open(&def, &j->output, error);
    j->passes.output = j->output;
    return status;
}

mrw_status cli_job_open_files(cli_job *jobs, uint32_t count, mrw_error *error)
{
    const cli_job *j = &jobs[0];
    const mrw_settings *settings = j->settings;
    const mrw_output_files *atlases = &j->plan.atlases;
    bool overwrite = settings->output.path || settings->output.force;
    mrw_status status = open_output(jobs, count, error);
    if (status) {
        return status;
    }
    const uint64_t left_out = j->output ? mrw_output_left_out(j->output) : 0;
    if (left_out > 0) {
        host_say("%s: a GIF plays at most 50 pictures per second; %llu of %u are left out",
                 j->model->name, (unsigned long long)left_out, j->plan.files.picture_count);
    }
    status = mrw_output_files_prepare(&j->plan.files, overwrite, error);
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
