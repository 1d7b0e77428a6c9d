/* plan.c: from settings and a model to the pictures to draw and the files they go to. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 4096

/* ---- what -o says ---------------------------------------------------------------------------- */

bool cli_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcasecmp(text + length - tail, ending) == 0;
}

static bool is_folder(const char *path)
{
    struct stat info;
    size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') ||
           (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

static bool is_stdout(const mrw_settings *settings)
{
    return settings->output.path && strcmp(settings->output.path, "-") == 0;
}

static mrw_status check_ending(const char *output, const cli_output_kinds *kinds, mrw_error *error)
{
    char safe[512];
    for (int i = 0; i < 2; i++) {
        const char *ending = kinds->endings[i];
        if (cli_ends_with(output, ending) && strlen(output) > strlen(ending)) {
            return MRW_OK;
        }
    }
    return cli_fail(
        error, MRW_ERROR_USAGE, "-o '%s': the name must end in %s or %s, or be a folder/",
        mrw_escape_text(output, safe, sizeof safe), kinds->endings[0], kinds->endings[1]);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

static mrw_status check_model_names(const mrw_text_list *models, mrw_error *error)
{
    char(*names)[MRW_TEMPLATE_MODEL_SIZE] = calloc(models->count, sizeof *names);
    mrw_status status = names ? MRW_OK : cli_fail_memory(error);
    for (size_t i = 0; i < models->count && names; i++) {
        char name[MRW_SESSION_NAME_SIZE];
        mrw_session_name(models->items[i], name);
        mrw_safe_file_name(name, names[i], sizeof names[i]);
    }
    if (names) {
        qsort(names, models->count, sizeof *names, compare_texts);
    }
    for (size_t i = 1; i < models->count && status == MRW_OK; i++) {
        if (strcmp(names[i], names[i - 1]) == 0) {
            status = cli_fail(error, MRW_ERROR_USAGE,
                              "two models are called '%s' and would be written to the same files; "
                              "render them one by one with -o",
                              names[i]);
        }
    }
    free(names);
    return status;
}

/* Several models need {model}, and names that differ. */
static mrw_status check_models(const mrw_settings *settings, uint32_t fields, mrw_error *error)
{
    const mrw_text_list *models = &settings->arguments;
    bool plain = !settings->output.path || is_folder(settings->output.path);
    char line[NAME_SIZE], safe[512];
    if (models->count < 2) {
        return MRW_OK;
    }
    if (is_stdout(settings)) {
        return cli_fail(error, MRW_ERROR_USAGE, "-o - takes one picture of one model");
    }
    if (!plain && (fields & MRW_FIELD_MODEL) == 0) {
        mrw_template_add(settings->output.path, MRW_FIELD_MODEL, line, sizeof line);
        return cli_fail(error, MRW_ERROR_USAGE,
                        "%zu models would be written to the same files; use -o '%s'", models->count,
                        mrw_escape_text(line, safe, sizeof safe));
    }
    return check_model_names(models, error);
}

mrw_status cli_check_output(const mrw_settings *settings, const cli_output_kinds *kinds,
                            mrw_error *error)
{
    uint32_t fields = 0;
    mrw_status status = MRW_OK;
    if (settings->output.path && !is_stdout(settings)) {
        status = mrw_template_check(settings->output.path, &fields, error);
        if (status == MRW_OK && !is_folder(settings->output.path)) {
            status = check_ending(settings->output.path, kinds, error);
        }
    } else if (settings->output.path && isatty(STDOUT_FILENO) && !settings->output.dry_run) {
        status = cli_fail(error, MRW_ERROR_USAGE,
                          "-o - would write a picture to the terminal; redirect it to a file");
    }
    return status == MRW_OK ? check_models(settings, fields, error) : status;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Names on the way to files: one a picture. */
typedef struct naming {
    const mrw_session_model *model;
    const mrw_settings *settings;
    char template_text[NAME_SIZE];
    uint32_t fields;
    char view[300];
    char **names;
    uint32_t *leader; /* the first picture with the same name */
} naming;

static void choose_template(naming *n, const cli_output_kinds *kinds, const cli_plan *plan)
{
    const char *output = n->settings->output.path;
    const char *slash = output && output[strlen(output) - 1] != '/' ? "/" : "";
    bool several = plan->pictures.count > 1 && !plan->collected;
    const char *stem = several ? "{model}_{clip}_{frame:04}" : "{model}";
    if (!output) {
        snprintf(n->template_text, NAME_SIZE, "%s%s", stem, kinds->endings[0]);
    } else if (is_folder(output)) {
        snprintf(n->template_text, NAME_SIZE, "%s%s%s%s", output, slash, stem, kinds->endings[0]);
    } else {
        snprintf(n->template_text, NAME_SIZE, "%s", output);
    }
}

/* {view}: the camera's name, or the angles. */
static void name_view(naming *n)
{
    char azimuth[32], elevation[32];
    if (n->settings->camera.name) {
        snprintf(n->view, sizeof n->view, "%.280s", n->settings->camera.name);
        return;
    }
    mrw_format_float(n->settings->camera.view.azimuth_degrees, azimuth);
    mrw_format_float(n->settings->camera.view.elevation_degrees, elevation);
    snprintf(n->view, sizeof n->view, "az%s_el%s", azimuth, elevation);
}

static mrw_status expand_names(naming *n, const cli_plan *plan, mrw_error *error)
{
    char name[NAME_SIZE];
    for (uint32_t i = 0; i < plan->pictures.count; i++) {
        const mrw_picture *picture = &plan->pictures.items[i];
        mrw_template_values values = {.model = n->model->name,
                                      .clip = mrw_session_clip_name(n->model, picture->clip),
                                      .view = n->view,
                                      .frame = picture->frame,
                                      .time = picture->time};
        mrw_status status =
            mrw_template_expand(n->template_text, &values, name, sizeof name, error);
        if (status != MRW_OK) {
            return status;
        }
        n->names[i] = strdup(name);
        if (!n->names[i]) {
            return cli_fail_memory(error);
        }
    }
    return MRW_OK;
}

typedef struct sort_entry {
    const char *name;
    uint32_t index;
} sort_entry;

static int compare_names(const void *a, const void *b)
{
    const sort_entry *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order != 0) {
        return order;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

static mrw_status find_leaders(naming *n, const cli_plan *plan, mrw_error *error)
{
    sort_entry *entries = malloc(plan->pictures.count * sizeof *entries);
    if (!entries) {
        return cli_fail_memory(error);
    }
    for (uint32_t i = 0; i < plan->pictures.count; i++) {
        entries[i] = (sort_entry){n->names[i], i};
    }
    qsort(entries, plan->pictures.count, sizeof *entries, compare_names);
    for (uint32_t i = 0; i < plan->pictures.count; i++) {
        bool same = i > 0 && strcmp(entries[i].name, entries[i - 1].name) == 0;
        n->leader[entries[i].index] = same ? n->leader[entries[i - 1].index] : entries[i].index;
    }
    free(entries);
    return MRW_OK;
}

static bool same_picture(const mrw_picture *a, const mrw_picture *b)
{
    return a->clip == b->clip && a->frame == b->frame && a->time == b->time;
}

/* The message for two pictures that would go to one file, with the line that would work. */
static mrw_status refuse_collision(const naming *n, const cli_plan *plan, uint32_t i,
                                   mrw_error *error)
{
    const mrw_picture *a = &plan->pictures.items[n->leader[i]], *b = &plan->pictures.items[i];
    uint32_t missing = 0;
    char line[NAME_SIZE], safe[300], safe_line[400], first[100], second[100];
    if (plan->pictures.clip_count > 1 && (n->fields & MRW_FIELD_CLIP) == 0) {
        missing |= MRW_FIELD_CLIP;
    }
    if (plan->pictures.most_frames > 1 && (n->fields & (MRW_FIELD_FRAME | MRW_FIELD_TIME)) == 0) {
        missing |= MRW_FIELD_FRAME;
    }
    mrw_escape_text(n->names[i], safe, sizeof safe);
    if (missing == 0 && a->clip != b->clip) {
        mrw_escape_text(mrw_session_clip_name(n->model, a->clip), first, sizeof first);
        mrw_escape_text(mrw_session_clip_name(n->model, b->clip), second, sizeof second);
        return cli_fail(error, MRW_ERROR_INPUT, /* the file has it so */
                        "clips '%s' and '%s' would both be written to '%s'; render them one by "
                        "one, each with its own -o",
                        first, second, safe);
    }
    missing |= missing == 0 ? MRW_FIELD_FRAME : 0;
    mrw_template_add(n->template_text, missing, line, sizeof line);
    return cli_fail(error, MRW_ERROR_USAGE,
                    "-o would write several of the %u pictures to '%s'; use -o '%s'",
                    plan->pictures.count, safe, mrw_escape_text(line, safe_line, sizeof safe_line));
}

static mrw_status check_collisions(const naming *n, const cli_plan *plan, mrw_error *error)
{
    for (uint32_t i = 0; i < plan->pictures.count && !plan->collected; i++) {
        if (!same_picture(&plan->pictures.items[n->leader[i]], &plan->pictures.items[i])) {
            return refuse_collision(n, plan, i, error);
        }
    }
    return MRW_OK;
}

/* Keeps this shard's pictures, and lists their files. */
static mrw_status assign_files(naming *n, cli_plan *plan, mrw_error *error)
{
    uint32_t count = plan->pictures.count;
    uint32_t *file_of_name = malloc(count * sizeof *file_of_name); /* of each leader's */
    plan->files = calloc(count, sizeof *plan->files);
    plan->file_of = malloc(count * sizeof *plan->file_of);
    if (!plan->files || !plan->file_of || !file_of_name) {
        free(file_of_name);
        return cli_fail_memory(error);
    }
    memset(file_of_name, 0xFF, count * sizeof *file_of_name); /* MRW_NONE */
    if (!plan->collected) {
        mrw_picture_list_share(&plan->pictures, n->settings);
    }
    for (uint32_t i = 0; i < plan->pictures.count; i++) {
        uint32_t leader = n->leader[plan->pictures.items[i].index];
        if (file_of_name[leader] == MRW_NONE) {
            file_of_name[leader] = plan->file_count;
            plan->files[plan->file_count++] = n->names[leader];
            n->names[leader] = NULL;
        }
        plan->file_of[i] = file_of_name[leader];
    }
    free(file_of_name);
    return MRW_OK;
}

static mrw_status name_all(naming *n, const cli_output_kinds *kinds, cli_plan *plan,
                           mrw_error *error)
{
    choose_template(n, kinds, plan);
    name_view(n);
    mrw_status status = mrw_template_check(n->template_text, &n->fields, error);
    if (status == MRW_OK) {
        status = expand_names(n, plan, error);
    }
    if (status == MRW_OK) {
        status = find_leaders(n, plan, error);
    }
    if (status == MRW_OK) {
        status = check_collisions(n, plan, error);
    }
    return status == MRW_OK ? assign_files(n, plan, error) : status;
}

static mrw_status name_files(const mrw_session_model *model, const cli_output_kinds *kinds,
                             cli_plan *plan, mrw_error *error)
{
    naming *n = calloc(1, sizeof *n);
    uint32_t count = plan->pictures.count;
    if (!n) {
        return cli_fail_memory(error);
    }
    n->model = model;
    n->settings = model->settings;
    n->names = calloc(count, sizeof *n->names);
    n->leader = malloc(count * sizeof *n->leader);
    mrw_status status =
        n->names && n->leader ? name_all(n, kinds, plan, error) : cli_fail_memory(error);
    for (uint32_t i = 0; n->names && i < count; i++) {
        free(n->names[i]);
    }
    free(n->names);
    free(n->leader);
    free(n);
    return status;
}

static mrw_status name_stdout(cli_plan *plan, mrw_error *error)
{
    if (plan->pictures.count > 1 && !plan->collected) {
        return cli_fail(error, MRW_ERROR_USAGE,
                        "-o - takes one picture, not %u; choose one with --time, or give -o a name",
                        plan->pictures.count);
    }
    plan->files = calloc(1, sizeof *plan->files);
    plan->file_of = calloc(plan->pictures.count, sizeof *plan->file_of);
    plan->file_count = 1;
    if (!plan->file_of || !plan->files || !(plan->files[0] = strdup("-"))) {
        return cli_fail_memory(error);
    }
    return MRW_OK;
}

mrw_status cli_plan_make(const mrw_session_model *model, const cli_output_kinds *kinds,
                         cli_plan *out, mrw_error *error)
{
    const mrw_settings *settings = model->settings;
    uint32_t fields = 0;
    mrw_status status = MRW_OK;
    *out = (cli_plan){.to_stdout = is_stdout(settings)};
    if (settings->output.path && !out->to_stdout) {
        status = mrw_template_check(settings->output.path, &fields, error);
    }
    bool animation = settings->output.path && cli_ends_with(settings->output.path, ".apng");
    out->collected = animation || settings->output.sheet > 0;
    out->sequence = animation || (fields & (MRW_FIELD_FRAME | MRW_FIELD_TIME)) != 0 ||
                    mrw_session_wants_sequence(settings);
    if (status == MRW_OK && animation && mrw_settings_given(settings, "shard")) {
        status = cli_fail(error, MRW_ERROR_USAGE,
                          "an animation can't be drawn in shards; write .png files");
    }
    if (status == MRW_OK) {
        status = mrw_session_pictures(model, out->sequence, &out->pictures, error);
    }
    if (status == MRW_OK && out->to_stdout) {
        status = name_stdout(out, error);
    } else if (status == MRW_OK && kinds) {
        status = name_files(model, kinds, out, error);
    }
    if (status != MRW_OK) {
        cli_plan_free(out);
    }
    return status;
}

void cli_plan_free(cli_plan *plan)
{
    for (uint32_t i = 0; plan->files && i < plan->file_count; i++) {
        free(plan->files[i]);
    }
    free(plan->files);
    free(plan->file_of);
    mrw_picture_list_free(&plan->pictures);
    *plan = (cli_plan){0};
}

/* ---- folders --------------------------------------------------------------------------------- */

static mrw_status fail_folder(const char *folder, int code, mrw_error *error)
{
    char safe[512];
    mrw_escape_text(folder, safe, sizeof safe);
    return cli_fail(error, MRW_ERROR_OUTPUT,
                    "%s: cannot write to this folder: %s; choose another one with -o", safe,
                    strerror(code));
}

static mrw_status prepare_folder(const char *file, size_t length, mrw_error *error)
{
    char folder[NAME_SIZE];
    snprintf(folder, sizeof folder, "%.*s", (int)length, length > 0 ? file : ".");
    if (length == 0) {
        snprintf(folder, sizeof folder, "%s", file[0] == '/' ? "/" : ".");
    }
    mrw_status status = mrw_make_folder(folder, NULL, error);
    if (status != MRW_OK) {
        return status;
    }
    return access(folder, W_OK | X_OK) == 0 ? MRW_OK : fail_folder(folder, errno, error);
}

static mrw_status check_target(const char *file, bool overwrite, mrw_error *error)
{
    struct stat info;
    char safe[512];
    if (stat(file, &info) != 0) {
        return MRW_OK;
    }
    mrw_escape_text(file, safe, sizeof safe);
    if (S_ISDIR(info.st_mode)) {
        return cli_fail(error, MRW_ERROR_OUTPUT, "%s: this is a folder; give -o another name",
                        safe);
    }
    if (!overwrite) {
        return cli_fail(error, MRW_ERROR_OUTPUT,
                        "%s: the file exists; --force overwrites it, -o chooses another name",
                        safe);
    }
    return MRW_OK;
}

mrw_status cli_plan_prepare_files(const cli_plan *plan, const mrw_settings *settings,
                                  mrw_error *error)
{
    const char *last = NULL;
    size_t last_length = 0;
    bool overwrite = settings->output.path || settings->output.force;
    for (uint32_t i = 0; i < plan->file_count && !plan->to_stdout; i++) {
        const char *file = plan->files[i];
        const char *slash = strrchr(file, '/');
        size_t length = slash ? (size_t)(slash - file) : 0;
        mrw_status status = MRW_OK;
        if (!last || length != last_length || memcmp(last, file, length) != 0) {
            status = prepare_folder(file, length, error);
            last = file;
            last_length = length;
        }
        if (status == MRW_OK) {
            status = check_target(file, overwrite, error);
        }
        if (status != MRW_OK) {
            return status;
        }
    }
    return MRW_OK;
}
