/* plan.c: from settings and a model to the pictures to draw and the files they go to. */
#include "plan/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/session.h"
#include "session/internal.h"

#include <stdio.h>
#include <string.h>

bool mrw_plan_shares_files(const mrw_settings *settings)
{
    const char *path = settings->output.path;
    mrw_output_format format;
    uint32_t fields = 0;
    if (!path || settings->passes.count > 0 || mrw_plan_format(settings, &format, NULL) != MRW_OK ||
        !mrw_output_describe(format)->collects) {
        return false;
    }
    return mrw_output_is_stdout(path) ||
           (!mrw_output_is_folder(path) && mrw_template_check(path, &fields, NULL) == MRW_OK &&
            (fields & (MRW_FIELD_MODEL | MRW_FIELD_PATH)) == 0);
}

/* Writes a template that tells models of one name apart: {path} and the fields that the pictures of
 * one model need. */
static void suggest_name(const mrw_settings *settings, char *out, size_t size)
{
    mrw_output_format format;
    if (mrw_plan_format(settings, &format, NULL) == MRW_OK &&
        mrw_output_describe(format)->collects) {
        snprintf(out, size,
                 settings->command == MRW_COMMAND_SHEET ? "{path}-sheet.png" : "{path}.png");
        return;
    }
    const bool several = mrw_session_wants_clips(settings);
    const bool sequence = mrw_session_wants_sequence(settings);
    const char *ending = settings->passes.count > 0
                             ? mrwi_plan_passes_ending(settings)
                             : mrw_output_describe(MRW_OUTPUT_PNG)->endings[0];
    const uint32_t missing = (several ? MRW_FIELD_CLIP : 0) | (sequence ? MRW_FIELD_FRAME : 0) |
                             (mrw_session_view_count(settings) > 1 ? MRW_FIELD_VIEW : 0) |
                             (settings->passes.count > 1 ? MRW_FIELD_AOV : 0);
    char name[64];
    snprintf(name, sizeof name, "{path}%s", ending);
    mrw_template_add(name, missing, out, size);
}

static mrw_status check_models(const mrw_settings *settings, uint32_t fields, mrw_error *error)
{
    char suggestion[MRW_OUTPUT_PATH_SIZE];
    const mrw_text_list *models = &settings->arguments;
    char(*names)[MRW_SESSION_NAME_SIZE] = mrwi_base_alloc_zero(models->count + 1, sizeof *names);
    const char **list = mrwi_base_alloc_zero(models->count + 1, sizeof *list);
    mrw_status status = MRW_OK;
    if (!names || !list) {
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    for (size_t i = 0; i < models->count; i++) {
        mrw_session_name(models->items[i], names[i]);
        list[i] = names[i];
    }
    suggest_name(settings, suggestion, sizeof suggestion);
    const mrw_output_models all = {list, models->items, models->count, suggestion, NULL};
    status = mrw_output_check_models(settings->output.path, fields, &all, error);
    if (status) {
        goto out;
    }
    uint32_t in_atlas = 0; /* a faulty template is refused elsewhere */
    if (settings->output.atlas && !mrw_template_check(settings->output.atlas, &in_atlas, NULL)) {
        const mrw_output_models sheets = {list, models->items, models->count, "{path}.json",
                                          "--atlas"};
        status = mrw_output_check_models(settings->output.atlas, in_atlas, &sheets, error);
    }
out:
    mrwi_base_free(names);
    mrwi_base_free(list);
    return status;
}

static mrw_status check_path(const mrw_settings *settings, const mrw_plan_kinds *kinds,
                             uint32_t *fields, mrw_error *error)
{
    const char *endings[MRW_PLAN_ENDINGS + MRW_PASS_FORMAT_COUNT + 3 * MRW_OUTPUT_FORMAT_COUNT];
    const bool passes = settings->passes.count > 0;
    uint32_t count = 0;
    for (int i = 0; i < MRW_PASS_FORMAT_COUNT && passes; i++) {
        endings[count++] = mrw_pass_format_ending((mrw_pass_format)i);
    }
    for (int i = 0; i < MRW_PLAN_ENDINGS && !passes && kinds->endings[i]; i++) {
        endings[count++] = kinds->endings[i];
    }
    for (int i = 0; i < MRW_OUTPUT_FORMAT_COUNT && (passes || kinds->pictures); i++) {
        const mrw_output_info *info = mrw_output_describe((mrw_output_format)i);
        for (int k = 0; info->endings[k] && !info->option && (!passes || info->animates); k++) {
            endings[count++] = info->endings[k];
        }
    }
    return mrw_output_check_path(settings->output.path, endings, count, fields, error);
}

mrw_status mrw_plan_format(const mrw_settings *settings, mrw_output_format *out, mrw_error *error)
{
    static const mrw_output_format streams[] = {MRW_OUTPUT_PNG, MRW_OUTPUT_STREAM_PNG,
                                                MRW_OUTPUT_STREAM_Y4M, MRW_OUTPUT_STREAM_RGBA};
    if (settings->output.stream > 0) {
        *out = streams[settings->output.stream];
        return MRW_OK;
    }
    const bool sprites = mrw_plan_wants_sprites(settings);
    mrw_status status = mrw_output_find_format(settings->output.path,
                                               sprites ? 0 : settings->output.sheet, out, error);
    if (status || !sprites) {
        return status;
    }
    if (*out != MRW_OUTPUT_PNG) {
        char safe[512];
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "-o '%s': a sprite sheet is a picture; give it a name that ends in .png",
            mrw_escape_text(settings->output.path, safe, sizeof safe));
    }
    *out = MRW_OUTPUT_SPRITES;
    return MRW_OK;
}

static bool takes(const mrw_output_info *info, uint32_t option)
{
    return (info->takes & option) != 0;
}

/* Refuses options that the format of the file does not take. */
static mrw_status check_wants(const mrw_settings *settings, mrw_error *error)
{
    static const struct {
        const char *option;
        mrw_output_take take;
    } wants[] = {
        {"quality", MRW_TAKES_QUALITY}, {"matte", MRW_TAKES_MATTE}, {"dither", MRW_TAKES_DITHER}};
    mrw_output_format file; /* format of the file, also for a sheet, by its name */
    mrw_status status = mrw_output_find_format(settings->output.path, 0, &file, error);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        mrw_text list = {0};
        if (!mrw_settings_given(settings, wants[i].option) ||
            takes(mrw_output_describe(file), wants[i].take)) {
            continue;
        }
        mrw_output_endings(takes, wants[i].take, &list);
        status = list.failed
                     ? mrwi_base_fail_memory(error, 0)
                     : mrwi_base_fail(error, MRW_ERROR_USAGE,
                                      "--%s has no effect on this file, only on %s; choose one "
                                      "with -o, or leave out the option",
                                      wants[i].option, list.data);
        mrw_text_free(&list);
        return status;
    }
    return MRW_OK;
}

/* Checks what goes to standard output, and what goes only there. */
static mrw_status check_stdout(const mrw_settings *settings, mrw_error *error)
{
    const char *path = settings->output.path;
    char safe[512];
    if (settings->output.stream > 0 && (!path || strcmp(path, "-") != 0)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--stream writes frames to standard output, not to %s%s%s; use -o -",
                              path ? "'" : "files",
                              path ? mrw_escape_text(path, safe, sizeof safe) : "",
                              path ? "'" : "");
    }
    return MRW_OK;
}

mrw_status mrw_plan_check(const mrw_settings *settings, const mrw_plan_kinds *kinds,
                          mrw_error *error)
{
    mrw_output_format format;
    uint32_t fields;
    mrw_status status = check_stdout(settings, error);
    if (status) {
        return status;
    }
    status = check_path(settings, kinds, &fields, error);
    if (status) {
        return status;
    }
    status = mrwi_plan_passes_check(settings, fields, error);
    if (status) {
        return status;
    }
    status = mrwi_plan_sprites_check(settings, fields, error);
    if (status) {
        return status;
    }
    status = mrw_plan_format(settings, &format, error);
    if (status) {
        return status;
    }
    status = check_wants(settings, error);
    if (status) {
        return status;
    }
    if (mrw_output_describe(format)->animates && mrw_settings_given(settings, "shard")) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "an animation cannot be split into shards; write .png files");
    }
    return mrw_plan_shares_files(settings) ? MRW_OK : check_models(settings, fields, error);
}

static mrw_status find_views(const mrw_session_model *model, mrw_plan *plan, mrw_error *error)
{
    plan->view_count = mrw_session_view_count(model->settings);
    plan->views = mrwi_base_alloc_zero(plan->view_count, sizeof *plan->views);
    if (!plan->views) {
        return mrwi_base_fail_memory(error, 0);
    }
    return mrwi_session_find_views(model, plan->views, error);
}

/* Each picture has one entry per pass, one after the other. */
mrw_status mrw_plan_name(const mrw_session_model *model, const char *option, const char *path,
                         const char *ending, const mrw_plan *plan, mrw_output_files *out,
                         mrw_error *error)
{
    const uint32_t each = mrw_plan_passes_files(&plan->passes), count = plan->pictures.count * each;
    mrw_output_picture *pictures = mrwi_base_alloc_zero((size_t)count + 1, sizeof *pictures);
    mrw_output_names names = {.path = path,
                              .option = option,
                              .ending = ending,
                              .model = model->name,
                              .model_path = model->path,
                              .collected = mrw_output_describe(plan->format)->collects,
                              .passes = plan->passes.each ? each : 0,
                              .views_apart = mrw_output_describe(plan->format)->animates &&
                                             plan->pictures.view_count > 1,
                              .clip_count = plan->pictures.clip_count,
                              .most_frames = plan->pictures.most_frames,
                              .view_count = plan->pictures.view_count};
    if (!pictures) {
        return mrwi_base_fail_memory(error, 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        const mrw_picture *at = &plan->pictures.items[i / each];
        pictures[i] = (mrw_output_picture){
            .clip = at->clip,
            .clip_name = mrw_session_clip_name(model, at->clip),
            .aov = plan->passes.each ? plan->passes.items[i % each].name : NULL,
            .frame = at->frame,
            .time = at->time,
            .view = at->view,
            .view_name = plan->views[at->view].name,
            .dir = plan->views[at->view].direction,
            .n = plan->first_number + at->index};
    }
    mrw_status status = mrw_output_files_make(&names, pictures, count, out, error);
    mrwi_base_free(pictures);
    return status;
}

mrw_status mrw_plan_check_atlases(const mrw_plan *plan, mrw_error *error)
{
    return plan->atlases.count != plan->files.count ||
                   memcmp(plan->atlases.of, plan->files.of,
                          plan->files.picture_count * sizeof *plan->files.of) != 0
               ? mrwi_base_fail(
                     error, MRW_ERROR_USAGE,
                     "-o and --atlas split the pictures differently (%u sheets, %u atlas "
                     "files); use the fields of -o in --atlas",
                     plan->files.count, plan->atlases.count)
               : MRW_OK;
}

/* Names the files: after -o, or with the usual name without -o and in a folder. */
static mrw_status name_files(const mrw_session_model *model, const mrw_plan_kinds *kinds,
                             mrw_plan *plan, mrw_error *error)
{
    const mrw_output_settings *output = &model->settings->output;
    const char *ending = plan->passes.count > 0 ? mrwi_plan_passes_ending(model->settings)
                         : kinds->pictures      ? mrw_output_describe(MRW_OUTPUT_PNG)->endings[0]
                                                : kinds->endings[0];
    const char *path = output->path ? output->path : kinds->usual;
    char usual[MRW_OUTPUT_PATH_SIZE];
    if (output->path && kinds->usual && mrw_output_is_folder(path)) {
        const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
        snprintf(usual, sizeof usual, "%s%s%s", path, slash, kinds->usual);
        path = usual;
    }
    mrw_status status = mrw_plan_name(model, "-o", path, ending, plan, &plan->files, error);
    if (status || !output->atlas) {
        return status;
    }
    status = mrw_plan_name(model, "--atlas", output->atlas, ".json", plan, &plan->atlases, error);
    return status ? status : mrw_plan_check_atlases(plan, error);
}

/* Finds out whether a sequence is drawn: by options, by the format, or by the fields of a name.
 * *fields: those of -o. */
static mrw_status find_sequence(const mrw_settings *settings, mrw_output_format *format,
                                uint32_t *fields, bool *sequence, mrw_error *error)
{
    uint32_t named = 0;
    mrw_status status = mrw_plan_format(settings, format, error);
    if (status) {
        return status;
    }
    if (settings->output.path && !mrw_output_is_stdout(settings->output.path)) {
        status = mrw_template_check(settings->output.path, fields, error);
        if (status) {
            return status;
        }
    }
    if (settings->output.images) {
        status = mrw_template_check(settings->output.images, &named, error);
        if (status) {
            return status;
        }
    }
    *sequence = mrw_session_wants_sequence(settings) || mrw_output_describe(*format)->animates ||
                ((*fields | named) & (MRW_FIELD_FRAME | MRW_FIELD_TIME | MRW_FIELD_N)) != 0;
    return MRW_OK;
}

/* Reads a model for its clips alone and counts its times and pictures. Returns zeroes if it cannot
 * be read. */
static mrw_plan_before count_times(const char *path, const mrw_settings *settings, bool sequence)
{
    mrw_session_model model = {0};
    mrw_picture_list list = {0};
    mrw_scene *scene = NULL;
    mrw_plan_before count = {0, 0};
    const mrw_session_host host = {.clips_only = true};
    if (mrw_session_load(path, settings, &host, &scene, NULL) == MRW_OK &&
        mrw_session_model_init(path, scene, settings, &model, NULL) == MRW_OK &&
        mrw_session_pictures(&model, sequence, &list, NULL) == MRW_OK) {
        count.pictures = list.count;
        count.times = mrw_picture_list_share(&list, settings, 0);
    }
    mrw_picture_list_free(&list);
    mrw_session_model_free(&model);
    mrw_scene_free(scene);
    return count;
}

mrw_plan_before mrw_plan_count(const char *path, const mrw_settings *settings)
{
    mrw_output_format format = MRW_OUTPUT_PNG;
    uint32_t fields = 0;
    bool sequence = false;
    if (find_sequence(settings, &format, &fields, &sequence, NULL) != MRW_OK) {
        return (mrw_plan_before){0, 0}; /* planning says why */
    }
    const uint64_t known = mrw_session_known_times(settings, sequence);
    const uint32_t views = mrw_session_turns(settings) ? 1 : mrw_session_view_count(settings);
    return known > 0 ? (mrw_plan_before){known, known * views}
                     : count_times(path, settings, sequence);
}

mrw_status mrw_plan_make(const mrw_session_model *model, const mrw_plan_kinds *kinds,
                         const mrw_plan_before *before, mrw_plan *out, mrw_error *error)
{
    const mrw_settings *settings = model->settings;
    uint32_t fields = 0;
    *out = (mrw_plan){.format = MRW_OUTPUT_PNG, .first_number = before ? before->pictures : 0};
    mrw_status status = find_sequence(settings, &out->format, &fields, &out->sequence, error);
    if (status) {
        return status;
    }
    if (kinds) {
        status = mrwi_plan_passes_make(settings, fields, &out->passes, error);
        if (status) {
            goto out;
        }
    }
    status = mrw_session_pictures(model, out->sequence, &out->pictures, error);
    if (status) {
        goto out;
    }
    out->planned = out->pictures.count;
    status = find_views(model, out, error);
    if (status || !kinds) {
        goto out;
    }
    status = name_files(model, kinds, out, error);
out:
    if (status) {
        mrw_plan_free(out);
    }
    return status;
}

mrw_status mrw_plan_make_note(const mrw_settings *settings, mrw_plan *out, mrw_error *error)
{
    const mrw_output_names names = {.path = settings->output.path,
                                    .ending = ".png",
                                    .model = "",
                                    .collected = true,
                                    .clip_count = 1,
                                    .most_frames = 1,
                                    .view_count = 1};
    const mrw_output_picture name = {.clip = MRW_NONE, .clip_name = "", .view_name = ""};
    mrw_picture *picture = mrwi_base_alloc_zero(1, sizeof *picture);
    if (!picture) {
        return mrwi_base_fail_memory(error, sizeof *picture);
    }
    picture->clip = MRW_NONE;
    *out = (mrw_plan){
        .format = MRW_OUTPUT_SHEET,
        .pictures = {
            .items = picture, .count = 1, .clip_count = 1, .most_frames = 1, .view_count = 1}};
    const mrw_status status = mrw_output_files_make(&names, &name, 1, &out->files, error);
    if (status) {
        mrw_plan_free(out);
    }
    return status;
}

mrw_status mrw_plan_share(const mrw_settings *settings, const mrw_plan_before *before,
                          mrw_plan *plan, mrw_error *error)
{
    if (plan->files.count == 0 || mrw_output_is_stdout(settings->output.path) ||
        mrw_output_describe(plan->format)->collects) {
        return MRW_OK;
    }
    mrw_picture_list_share(&plan->pictures, settings, before ? before->times : 0);
    const uint32_t each = mrw_plan_passes_files(&plan->passes);
    const uint32_t count = plan->pictures.count * each;
    uint32_t *kept = mrwi_base_alloc((size_t)count + 1, sizeof *kept);
    if (!kept) {
        return mrwi_base_fail_memory(error, 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = plan->pictures.items[i / each].index * each + i % each;
    }
    const mrw_status status = mrw_output_files_keep(&plan->files, kept, count, error);
    mrwi_base_free(kept);
    return status;
}

void mrw_plan_free(mrw_plan *plan)
{
    mrw_output_files_free(&plan->files);
    mrw_output_files_free(&plan->atlases);
    mrwi_plan_passes_free(&plan->passes);
    mrw_picture_list_free(&plan->pictures);
    mrwi_base_free(plan->views);
    *plan = (mrw_plan){0};
}

/* ---- animations ------------------------------------------------------------------------------ */

mrw_rate mrw_plan_rate(const mrw_session_model *model, const mrw_picture *pictures, uint32_t count)
{
    const mrw_settings *settings = model->settings;
    mrw_rate rate = mrw_session_clip_rate(model, pictures[0].clip);
    const mrw_rate speed = settings->animation.speed;
    const double duration =
        mrw_session_clip_duration(model, pictures[0].clip) * (double)speed.den / (double)speed.num;
    const uint64_t step = count > 1 ? pictures[1].frame - pictures[0].frame : 1;
    /* The spans between the pictures of one clip: a file may have several clips. */
    const uint32_t spans = settings->animation.count - (settings->animation.loop ? 0 : 1);
    if (settings->animation.count > 1 && !mrw_settings_given(settings, "fps") && duration > 0.0) {
        double rounded = (double)spans * 1000.0 / duration + 0.5;
        return (mrw_rate){rounded < 1.0 ? 1 : rounded > 60000.0 ? 60000 : (uint32_t)rounded, 1000};
    }
    for (uint32_t i = 1; i < count; i++) {
        if (pictures[i].frame - pictures[i - 1].frame != step ||
            pictures[i].clip != pictures[0].clip) {
            return rate;
        }
    }
    if (step > 1 && step < 1000) {
        rate.den *= (uint32_t)step;
    }
    return rate;
}
