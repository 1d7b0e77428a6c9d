/* passes.c: --aov: which passes go to which files, and which combinations are refused. */
#include "plan/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/raster.h"

#include <stdio.h>
#include <string.h>

/* ---- where to -------------------------------------------------------------------------------- */

/* Returns true if -o names a file, with an ending. */
static bool is_named(const char *path)
{
    return path && !mrw_output_is_stdout(path) && !mrw_output_is_folder(path);
}

/* Returns true if the pictures go to an animation or a sheet. */
static bool is_collected(const mrw_settings *settings)
{
    mrw_output_format format;
    mrw_error ignored;
    return settings->output.sheet > 0 || (mrw_plan_format(settings, &format, &ignored) == MRW_OK &&
                                          mrw_output_describe(format)->collects);
}

const char *mrwi_plan_passes_ending(const mrw_settings *settings)
{
    return mrw_pass_format_ending(settings->passes.view ? MRW_PASS_PNG : MRW_PASS_EXR);
}

static mrw_pass_format format_of(const mrw_settings *settings)
{
    mrw_pass_format format = settings->passes.view ? MRW_PASS_PNG : MRW_PASS_EXR;
    if (is_named(settings->output.path)) {
        mrw_pass_format_find(settings->output.path, &format);
    }
    return format;
}

/* Returns true if each pass has a file. With --aov-view this is also so if the files are named
 * after the model. */
static bool is_each(const mrw_settings *settings, uint32_t fields)
{
    const char *path = settings->output.path;
    return (fields & MRW_FIELD_AOV) != 0 ||
           (settings->passes.view && !is_named(path) && !mrw_output_is_stdout(path));
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* Writes the path of -o with another ending, escaped for a message. Returns out. */
static const char *with_ending(const char *path, const char *ending, bool by_pass, char out[400])
{
    char line[MRW_OUTPUT_PATH_SIZE], named[MRW_OUTPUT_PATH_SIZE];
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *dot = path ? strrchr(slash ? slash : path, '.') : NULL;
    const int length = dot ? (int)(dot - path) : path ? (int)strlen(path) : 0;
    snprintf(line, sizeof line, "%.*s%s", length > 3900 ? 3900 : length, path ? path : "", ending);
    mrw_template_add(line, by_pass ? MRW_FIELD_AOV : 0, named, sizeof named);
    return mrw_escape_text(named, out, 400);
}

static mrw_status refuse_together(const mrw_settings *settings, mrw_error *error)
{
    const char *path = settings->output.path;
    char each[400], all[400];
    if (mrw_output_is_stdout(path)) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "-o - can write only one picture, not %zu passes; leave out --aov-view, or "
            "give -o a name with {aov}",
            settings->passes.count);
    }
    with_ending(path, mrw_pass_format_ending(format_of(settings)), true, each);
    with_ending(path, ".exr", false, all);
    return settings->passes.view
               ? mrwi_base_fail(error, MRW_ERROR_USAGE,
                                "--aov lists %zu passes, but a picture shows only one; use -o '%s'",
                                settings->passes.count, each)
               : mrwi_base_fail(
                     error, MRW_ERROR_USAGE,
                     "--aov lists %zu passes, but only an .exr file can contain several; use "
                     "-o '%s', or -o '%s' for one file per pass",
                     settings->passes.count, all, each);
}

static mrw_status refuse_format(const mrw_settings *settings, const mrw_output_pass *pass,
                                mrw_error *error)
{
    char able[64] = "", line[400], safe[96];
    for (int i = 0; i < MRW_PASS_FORMAT_COUNT; i++) {
        if (mrw_pass_format_holds((mrw_pass_format)i, pass)) {
            strcat(able, able[0] ? ", " : "");
            strcat(able, mrw_pass_format_ending((mrw_pass_format)i));
        }
    }
    const mrw_pass_format format = format_of(settings);
    const bool depth = strcmp(pass->name, "depth") == 0 || strcmp(pass->name, "distance") == 0;
    return mrwi_base_fail(
        error, MRW_ERROR_USAGE, "--aov %s: %s files cannot store it, but %s can; use -o '%s'%s%s",
        mrw_escape_text(pass->name, safe, sizeof safe), mrw_pass_format_ending(format), able,
        with_ending(settings->output.path, ".exr", false, line),
        format != MRW_PASS_PNG ? ""
        : depth                ? ", --depth-scale 1000 for integers"
                               : "",
        format == MRW_PASS_PNG ? ", or --aov-view for a picture to look at" : "");
}

/* Checks the numbers of --id, which are known before anything is drawn. */
static mrw_status check_numbers(const mrw_settings *settings, const mrw_plan_passes *passes,
                                mrw_error *error)
{
    const mrw_text_list *ids = &settings->model.ids;
    mrw_id_entry entry;
    bool shown = false;
    for (uint32_t i = 0; i < passes->count; i++) {
        shown = shown || settings->passes.items[i].aov == MRW_AOV_ID;
    }
    for (size_t i = 0; i < ids->count && shown && passes->format == MRW_PASS_PNG; i++) {
        if (mrw_id_parse(ids->items[i], &entry) && entry.number > UINT16_MAX) {
            char safe[96], line[400];
            return mrwi_base_fail(
                error, MRW_ERROR_USAGE,
                "--id %s: .png files store numbers only up to 65535, .exr files store "
                "all; use -o '%s'",
                mrw_escape_text(ids->items[i], safe, sizeof safe),
                with_ending(settings->output.path, ".exr", false, line));
        }
    }
    return MRW_OK;
}

static mrw_status check_place(const mrw_settings *settings, uint32_t fields, mrw_error *error)
{
    char line[400];
    const size_t count = settings->passes.count;
    if (is_collected(settings) && (!settings->passes.view || count > 1)) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "--aov: %s show pictures, not passes; give --aov-view and one pass, or "
            "write files of passes",
            settings->output.sheet > 0 ? "contact sheets" : "animations");
    }
    if (settings->passes.view && format_of(settings) != MRW_PASS_PNG) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "--aov-view writes only pictures; use -o '%s', or leave out --aov-view",
            with_ending(settings->output.path, ".png", false, line));
    }
    return count > 1 && !is_each(settings, fields) && format_of(settings) != MRW_PASS_EXR
               ? refuse_together(settings, error)
               : MRW_OK;
}

#define LONGEST_NAME 255 /* bytes in the name of an .exr's channel */

static mrw_status check_passes(const mrw_settings *settings, const mrw_plan_passes *passes,
                               mrw_error *error)
{
    const mrw_pass_format format = format_of(settings);
    char safe[96], line[400];
    if (settings->picture.overlays != 0 && !mrw_plan_passes_show_picture(passes)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--overlay draws only over pictures; with --aov, only the color pass "
                              "in a .png is a picture");
    }
    for (uint32_t i = 0; i < passes->count && !passes->view; i++) {
        const mrw_output_pass *pass = &passes->items[i];
        if (format == MRW_PASS_EXR && strlen(pass->name) > LONGEST_NAME) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "--aov %s: names in an .exr have at most %d bytes; write a .pfm",
                                  mrw_escape_text(pass->name, safe, sizeof safe), LONGEST_NAME);
        }
        if (!mrw_pass_format_holds(format, pass)) {
            return refuse_format(settings, pass, error);
        }
    }
    bool scaled = false;
    for (uint32_t i = 0; i < passes->count; i++) {
        scaled = scaled || passes->items[i].scale > 0.0;
    }
    if (settings->passes.depth_scale > 0.0 && !scaled) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--depth-scale is for --aov depth or distance in a .png; use -o '%s'",
                              with_ending(settings->output.path, ".png", false, line));
    }
    return passes->view ? MRW_OK : check_numbers(settings, passes, error);
}

mrw_status mrwi_plan_passes_check(const mrw_settings *settings, uint32_t fields, mrw_error *error)
{
    mrw_plan_passes passes = {0};
    if (settings->passes.count == 0 && settings->command == MRW_COMMAND_BAKE &&
        (fields & MRW_FIELD_AOV) != 0) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "{aov} in -o stands for the name of a pass of render --aov; bake writes no "
            "passes, so leave {aov} out");
    }
    if (settings->passes.count == 0) {
        return (fields & MRW_FIELD_AOV) == 0
                   ? MRW_OK
                   : mrwi_base_fail(
                         error, MRW_ERROR_USAGE,
                         "{aov} in -o stands for the name of a pass; add --aov LIST to choose "
                         "the passes to write (marrow help aov)");
    }
    mrw_status status = check_place(settings, fields, error);
    if (status) {
        return status;
    }
    status = mrwi_plan_passes_make(settings, fields, &passes, error);
    if (status) {
        goto out;
    }
    status = check_passes(settings, &passes, error);
out:
    mrwi_plan_passes_free(&passes);
    return status;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Returns the shading mode that shows a pass, or MRW_NONE. */
static uint32_t mode_of(mrw_aov aov)
{
    switch (aov) {
    case MRW_AOV_DEPTH:
        return MRW_SHADING_DEPTH;
    case MRW_AOV_NORMAL:
        return MRW_SHADING_NORMAL;
    case MRW_AOV_UV:
        return MRW_SHADING_UV;
    case MRW_AOV_ALBEDO:
        return MRW_SHADING_CHANNEL;
    case MRW_AOV_JOINT:
        return MRW_SHADING_JOINT;
    case MRW_AOV_WEIGHTS:
        return MRW_SHADING_WEIGHTS;
    default:
        return MRW_NONE;
    }
}

/* Adds a pass, which is called as in --aov: "normal", "weights:Hips". scale: the value of
 * --depth-scale. */
static mrw_status add_pass(mrw_plan_passes *passes, const mrw_pass_entry *entry, double scale,
                           mrw_error *error)
{
    const mrw_aov aov = (mrw_aov)entry->aov;
    const mrw_aov_info *info = mrw_aov_info_of(aov);
    const char *joint = aov == MRW_AOV_WEIGHTS ? entry->joint : NULL;
    mrw_text text = {0};
    mrw_text_add(&text, "%s%s%s", info->name, joint ? ":" : "", joint ? joint : "");
    char *name = mrwi_plan_take(&text);
    if (!name) {
        return mrwi_base_fail_memory(error, 0);
    }
    passes->request_of[passes->count] = MRW_NONE;
    passes->shading_of[passes->count] = passes->view ? mode_of(aov) : MRW_NONE;
    if (passes->shading_of[passes->count] == MRW_NONE &&
        (aov != MRW_AOV_COLOR || passes->format != MRW_PASS_PNG)) {
        passes->request_of[passes->count] = passes->request_count;
        passes->requests[passes->request_count++] = (mrw_aov_request){aov, entry->joint};
    }
    const bool depth = aov == MRW_AOV_DEPTH || aov == MRW_AOV_DISTANCE;
    const char *crypto = aov == MRW_AOV_CRYPTO_OBJECT     ? "CryptoObject"
                         : aov == MRW_AOV_CRYPTO_MATERIAL ? "CryptoMaterial"
                                                          : NULL;
    passes->items[passes->count++] =
        (mrw_output_pass){.name = name,
                          .crypto = crypto,
                          .crypto_hash = crypto ? mrw_crypto_id(crypto) : 0,
                          .letters = info->letters,
                          .is_color = aov == MRW_AOV_COLOR,
                          .is_flow = aov == MRW_AOV_FLOW_FORWARD || aov == MRW_AOV_FLOW_BACKWARD,
                          .scale = depth && passes->format == MRW_PASS_PNG ? scale : 0.0,
                          .format = info->format,
                          .channels = info->channels};
    return MRW_OK;
}

mrw_status mrwi_plan_passes_make(const mrw_settings *settings, uint32_t fields,
                                 mrw_plan_passes *out, mrw_error *error)
{
    const size_t count = settings->passes.count;
    *out = (mrw_plan_passes){0};
    if (count == 0) {
        return MRW_OK;
    }
    *out = (mrw_plan_passes){.view = settings->passes.view,
                             .each = is_each(settings, fields),
                             .format = format_of(settings),
                             .items = mrwi_base_alloc_zero(count, sizeof *out->items),
                             .requests = mrwi_base_alloc_zero(count + 1, sizeof *out->requests),
                             .request_of = mrwi_base_alloc_zero(count, sizeof *out->request_of),
                             .shading_of = mrwi_base_alloc_zero(count, sizeof *out->shading_of)};
    if (!out->items || !out->requests || !out->request_of || !out->shading_of) {
        return mrwi_base_fail_memory(error, 0);
    }
    for (size_t i = 0; i < count; i++) {
        const mrw_status status =
            add_pass(out, &settings->passes.items[i], settings->passes.depth_scale, error);
        if (status) {
            return status;
        }
    }
    if (out->view || out->request_count == 0) {
        out->seen = out->request_count;
        out->requests[out->request_count++] = (mrw_aov_request){MRW_AOV_TRIANGLE, NULL};
    }
    return MRW_OK;
}

void mrwi_plan_passes_free(mrw_plan_passes *passes)
{
    for (uint32_t i = 0; i < passes->count; i++) {
        mrwi_base_free((void *)passes->items[i].name);
    }
    mrwi_base_free(passes->items);
    mrwi_base_free(passes->requests);
    mrwi_base_free(passes->request_of);
    mrwi_base_free(passes->shading_of);
    *passes = (mrw_plan_passes){0};
}

uint32_t mrw_plan_passes_files(const mrw_plan_passes *passes)
{
    return passes->each ? passes->count : 1;
}

bool mrw_plan_passes_show_picture(const mrw_plan_passes *passes)
{
    bool shown = passes->count == 0;
    for (uint32_t i = 0; i < passes->count; i++) {
        shown = shown || (passes->items[i].is_color && passes->request_of[i] == MRW_NONE);
    }
    return shown;
}

uint32_t mrw_plan_passes_modes(const mrw_plan_passes *passes)
{
    uint32_t modes = 0;
    for (uint32_t i = 0; i < passes->count; i++) {
        modes += passes->shading_of[i] != MRW_NONE;
    }
    return modes;
}
