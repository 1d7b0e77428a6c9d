/* files.c: which picture goes to which file. */
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "marrow/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- paths ----------------------------------------------------------------------------------- */

bool mrw_output_is_stdout(const char *path)
{
    return path && path[0] == '-' && (path[1] == '\0' || (path[1] == '.' && !strchr(path, '/')));
}

bool mrw_output_is_folder(const char *path)
{
    struct stat info;
    size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') ||
           (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

bool mrw_output_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcasecmp(text + length - tail, ending) == 0;
}

static mrw_status refuse_ending(const char *path, const char *const *endings, uint32_t count,
                                mrw_error *error)
{
    mrwi_base_arena arena = {0};
    const char *list = endings[0];
    char safe[512];
    for (uint32_t i = 1; i < count && list; i++) {
        list = mrwi_base_format(&arena, "%s%s%s", list, i + 1 == count ? " or " : ", ", endings[i]);
    }
    mrw_status status = list ? mrwi_base_fail(error, MRW_ERROR_USAGE,
                                              "-o '%s': the name must end in %s, or be a folder/",
                                              mrwi_base_escape(path, safe, sizeof safe), list)
                             : mrwi_base_fail_memory(error, 0);
    mrwi_base_arena_free(&arena);
    return status;
}

mrw_status mrw_output_check_path(const char *path, const char *const *endings,
                                 uint32_t ending_count, uint32_t *fields, mrw_error *error)
{
    *fields = 0;
    if (!path || strcmp(path, "-") == 0) {
        return MRW_OK;
    }
    mrw_status status = mrw_template_check(path, fields, error);
    if (status) {
        return status;
    }
    if (mrw_output_is_folder(path)) {
        return MRW_OK;
    }
    for (uint32_t i = 0; i < ending_count; i++) {
        if (mrw_output_ends_with(path, endings[i]) && strlen(path) > strlen(endings[i])) {
            return MRW_OK;
        }
    }
    return refuse_ending(path, endings, ending_count, error);
}

/* ---- several models -------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Fields that differ from model to model. */
#define TELL_MODELS (MRW_FIELD_MODEL | MRW_FIELD_PATH | MRW_FIELD_N)

/* Writes a path that would tell the models apart: {model} becomes {path}. A path without {model} is
 * taken for a folder, and gets the suggested name. */
static const char *suggest_path(const char *path, const mrw_output_models *models, char *out,
                                size_t size)
{
    static const char field[] = "{model}";
    const char *usual = models->suggestion ? models->suggestion : "{path}.png";
    const char *at = path ? strstr(path, field) : NULL;
    if (at) {
        snprintf(out, size, "%.*s{path}%s", (int)(at - path), path, at + strlen(field));
    } else if (path && path[0] != '\0') {
        snprintf(out, size, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", usual);
    } else {
        snprintf(out, size, "%s", usual);
    }
    return out;
}

/* Fails if two models have the same {path} (by_path) or the same {model}. */
static mrw_status check_model_names(const char *path, bool by_path, const mrw_output_models *models,
                                    mrw_error *error)
{
    const size_t count = models->count;
    char(*names)[256] = mrwi_base_alloc(count, sizeof *names);
    const char *option = models->option ? models->option : "-o";
    char line[MRW_OUTPUT_PATH_SIZE], safe[512], nfc[MRWI_BASE_NFC_SIZE];
    mrw_status status = MRW_OK;
    if (!names) {
        return mrwi_base_fail_memory(error, count * sizeof *names);
    }
    for (size_t i = 0; i < count; i++) {
        if (by_path) {
            mrw_template_path(models->paths[i], names[i]);
        } else {
            mrwi_base_file_name(models->names[i], names[i], MRW_TEMPLATE_NAME_SIZE);
        }
        snprintf(names[i], sizeof names[i], "%s", mrwi_base_utf8_nfc(names[i], nfc));
    }
    qsort(names, count, sizeof *names, compare_texts);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(names[i], names[i - 1]) == 0) {
            suggest_path(path, models, line, sizeof line);
            status = mrwi_base_fail(error, MRW_ERROR_USAGE,
                                    by_path ? "two models have the path '%s' and would be written "
                                              "to the same files; render them one by one with %s"
                                            : "two models are called '%s' and would be written to "
                                              "the same files; use %s '%s'",
                                    names[i], option, mrwi_base_escape(line, safe, sizeof safe));
            break;
        }
    }
    mrwi_base_free(names);
    return status;
}

mrw_status mrw_output_check_models(const char *path, uint32_t fields,
                                   const mrw_output_models *models, mrw_error *error)
{
    char line[MRW_OUTPUT_PATH_SIZE], safe[512];
    if (models->count < 2) {
        return MRW_OK;
    }
    if (mrw_output_is_stdout(path)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "-o - can write pictures of only one model; give -o a name");
    }
    if (path && !mrw_output_is_folder(path) && (fields & TELL_MODELS) == 0) {
        const bool alike = check_model_names(NULL, false, models, NULL) == MRW_ERROR_USAGE;
        mrw_template_add(path, alike ? MRW_FIELD_PATH : MRW_FIELD_MODEL, line, sizeof line);
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "%zu models would be written to the same files; use %s '%s'",
                              models->count, models->option ? models->option : "-o",
                              mrwi_base_escape(line, safe, sizeof safe));
    }
    return (fields & MRW_FIELD_N) != 0
               ? MRW_OK
               : check_model_names(path, (fields & MRW_FIELD_PATH) != 0, models, error);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The names of all pictures, before they become files. */
typedef struct naming {
    const mrw_output_names *names;
    const mrw_output_picture *pictures;
    uint32_t count;
    char template_text[MRW_OUTPUT_PATH_SIZE];
    uint32_t fields;
    char **paths;     /* [picture] */
    uint32_t *leader; /* [picture] the first picture with the same path */
} naming;

static const char *option_of(const naming *n)
{
    return n->names->option ? n->names->option : "-o";
}

/* Sets the template: the path, or a name that fits the pictures if that is empty or a folder. */
static void choose_template(naming *n)
{
    const mrw_output_names *names = n->names;
    const char *path = names->path ? names->path : "";
    const uint32_t passes = names->passes > 0 ? names->passes : 1;
    const bool several = n->count / passes > names->view_count && !names->collected;
    const bool views = names->view_count > 1 && (!names->collected || names->views_apart);
    const char *stem = several ? "{model}_{clip}_{frame:04}" : "{model}";
    const char *view = views ? "_{view}" : "";
    const char *pass = names->passes > 0 ? "_{aov}" : "";
    const size_t length = strlen(path);
    if (length > 0 && !mrw_output_is_folder(path)) {
        snprintf(n->template_text, sizeof n->template_text, "%s", path);
        return;
    }
    snprintf(n->template_text, sizeof n->template_text, "%s%s%s%s%s%s", path,
             length > 0 && path[length - 1] != '/' ? "/" : "", stem, view, pass, names->ending);
}

static mrw_status expand_names(naming *n, mrw_error *error)
{
    char path[MRW_OUTPUT_PATH_SIZE];
    for (uint32_t i = 0; i < n->count; i++) {
        const mrw_output_picture *picture = &n->pictures[i];
        if ((n->fields & MRW_FIELD_AOV) != 0 && !picture->aov) {
            return mrwi_base_fail(error, MRW_ERROR_USAGE,
                                  "{aov} in %s stands for the name of a pass, but there is none",
                                  option_of(n));
        }
        if ((n->fields & MRW_FIELD_DIR) != 0 && !picture->dir) {
            return mrwi_base_fail(
                error, MRW_ERROR_USAGE,
                "{dir} in %s stands for a direction of --directions, but there is none",
                option_of(n));
        }
        const mrw_template_values values = {.model = n->names->model,
                                            .path = n->names->model_path,
                                            .clip = picture->clip_name,
                                            .view = picture->view_name,
                                            .aov = picture->aov,
                                            .dir = picture->dir,
                                            .frame = picture->frame,
                                            .n = picture->n,
                                            .time = picture->time};
        mrw_status status =
            mrw_template_expand(n->template_text, &values, path, sizeof path, error);
        if (status) {
            return status;
        }
        const size_t size = strlen(path) + 1;
        n->paths[i] = mrwi_base_alloc(size, 1);
        if (!n->paths[i]) {
            return mrwi_base_fail_memory(error, size);
        }
        memcpy(n->paths[i], path, size);
    }
    return MRW_OK;
}

typedef struct sort_entry {
    const char *path;
    uint32_t index;
} sort_entry;

static int compare_paths(const void *a, const void *b)
{
    const sort_entry *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* Returns a path with each part in normal form C, or NULL when out of memory. */
static const char *normalize(mrwi_base_arena *arena, const char *path)
{
    const char *out = "";
    while (*path != '\0' && out) {
        char part[MRWI_BASE_NFC_SIZE], nfc[MRWI_BASE_NFC_SIZE];
        const size_t length = strcspn(path, "/");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        path += length;
        out = mrwi_base_format(arena, "%s%s%s", out, mrwi_base_utf8_nfc(part, nfc),
                               *path == '/' ? "/" : "");
        path += *path == '/';
    }
    return out;
}

/* Finds pictures whose files have the same name in normal form C: some file systems can't tell them
 * apart. */
static mrw_status find_leaders(naming *n, mrw_error *error)
{
    sort_entry *entries = mrwi_base_alloc(n->count, sizeof *entries);
    mrwi_base_arena arena = {0}; /* owns paths in normal form C */
    mrw_status status = MRW_OK;
    if (!entries) {
        return mrwi_base_fail_memory(error, n->count * sizeof *entries);
    }
    for (uint32_t i = 0; i < n->count; i++) {
        const char *path =
            mrwi_base_utf8_is_wide(n->paths[i]) ? normalize(&arena, n->paths[i]) : n->paths[i];
        if (!path) {
            status = mrwi_base_fail_memory(error, MRWI_BASE_NFC_SIZE);
            goto out;
        }
        entries[i] = (sort_entry){path, i};
    }
    qsort(entries, n->count, sizeof *entries, compare_paths);
    for (uint32_t i = 0; i < n->count; i++) {
        bool same = i > 0 && strcmp(entries[i].path, entries[i - 1].path) == 0;
        n->leader[entries[i].index] = same ? n->leader[entries[i - 1].index] : entries[i].index;
    }
out:
    mrwi_base_free(entries);
    mrwi_base_arena_free(&arena);
    return status;
}

static bool is_other_pass(const mrw_output_picture *a, const mrw_output_picture *b)
{
    return a->aov && b->aov && strcmp(a->aov, b->aov) != 0;
}

/* Fails with a message about picture i, whose file another picture has, and suggests a template
 * that tells the two apart if there is one. */
static mrw_status refuse_collision(const naming *n, uint32_t i, mrw_error *error)
{
    const mrw_output_picture *a = &n->pictures[n->leader[i]], *b = &n->pictures[i];
    const char *option = option_of(n);
    uint32_t missing = 0;
    char line[MRW_OUTPUT_PATH_SIZE], safe[300], safe_line[400], first[100], second[100];
    if (n->names->clip_count > 1 && (n->fields & MRW_FIELD_CLIP) == 0) {
        missing |= n->names->collected ? 0 : MRW_FIELD_CLIP;
    }
    if (n->names->most_frames > 1 && (n->fields & (MRW_FIELD_FRAME | MRW_FIELD_TIME)) == 0) {
        missing |= n->names->collected ? 0 : MRW_FIELD_FRAME;
    }
    if (n->names->view_count > 1 && (n->fields & (MRW_FIELD_VIEW | MRW_FIELD_DIR)) == 0) {
        missing |= MRW_FIELD_VIEW;
    }
    mrwi_base_escape(n->paths[i], safe, sizeof safe);
    if (missing == 0 && a->view != b->view) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT, /* two cameras of the file have the same name */
            "views '%s' and '%s' would both be written to '%s'; render them one by one, each with "
            "its own %s",
            mrwi_base_escape(a->view_name, first, sizeof first),
            mrwi_base_escape(b->view_name, second, sizeof second), safe, option);
    }
    if (missing == 0 && a->clip != b->clip) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT, /* two clips of the file have the same name */
            "clips '%s' and '%s' would both be written to '%s'; render them one by one, each with "
            "its own %s",
            mrwi_base_escape(a->clip_name, first, sizeof first),
            mrwi_base_escape(b->clip_name, second, sizeof second), safe, option);
    }
    if (missing == 0 && is_other_pass(a, b)) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "passes '%s' and '%s' would both be written to '%s'; write them one by one, each with "
            "its own %s",
            mrwi_base_escape(a->aov, first, sizeof first),
            mrwi_base_escape(b->aov, second, sizeof second), safe, option);
    }
    missing |= missing == 0 ? MRW_FIELD_FRAME : 0;
    mrw_template_add(n->template_text, missing, line, sizeof line);
    return mrwi_base_fail(
        error, MRW_ERROR_USAGE, "%s would write several of the %u pictures to '%s'; use %s '%s'",
        option, n->count, safe, option, mrwi_base_escape(line, safe_line, sizeof safe_line));
}

/* Fails if pictures would go to one file that does not collect them. */
static mrw_status check_collisions(const naming *n, mrw_error *error)
{
    const bool collected = n->names->collected, apart = !collected || n->names->views_apart;
    for (uint32_t i = 0; i < n->count; i++) {
        const mrw_output_picture *a = &n->pictures[n->leader[i]], *b = &n->pictures[i];
        if ((apart && a->view != b->view) ||
            (!collected && (a->clip != b->clip || a->frame != b->frame || a->time != b->time ||
                            is_other_pass(a, b)))) {
            return refuse_collision(n, i, error);
        }
    }
    return MRW_OK;
}

/* Names every picture's file; the paths of leaders become those of the files. */
static mrw_status name_files(naming *n, mrw_output_files *out, mrw_error *error)
{
    choose_template(n);
    mrw_status status = mrw_template_check(n->template_text, &n->fields, error);
    if (status) {
        return status;
    }
    status = expand_names(n, error);
    if (status) {
        return status;
    }
    status = find_leaders(n, error);
    if (status) {
        return status;
    }
    status = check_collisions(n, error);
    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < n->count; i++) {
        if (n->leader[i] == i) {
            out->of[i] = out->count;
            out->paths[out->count++] = n->paths[i];
            n->paths[i] = NULL;
        } else {
            out->of[i] = out->of[n->leader[i]];
        }
    }
    return MRW_OK;
}

static mrw_status name_stdout(uint32_t count, const mrw_output_names *names, mrw_output_files *out,
                              mrw_error *error)
{
    if (count > 1 && !names->collected) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "-o - can write only one picture, not %u; choose one with --time%s, or give -o a name",
            count, names->view_count > 1 ? " and one view" : "");
    }
    if (names->views_apart && names->view_count > 1) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "-o - can write pictures from only one view, not from %u; render them one by one",
            names->view_count);
    }
    const size_t size = strlen(names->path) + 1;
    out->paths[0] = mrwi_base_alloc(size, 1);
    if (!out->paths[0]) {
        return mrwi_base_fail_memory(error, size);
    }
    memcpy(out->paths[0], names->path, size);
    out->count = 1;
    return MRW_OK;
}

mrw_status mrw_output_files_make(const mrw_output_names *names, const mrw_output_picture *pictures,
                                 uint32_t count, mrw_output_files *out, mrw_error *error)
{
    naming *n = mrwi_base_alloc_zero(1, sizeof *n);
    mrw_status status;
    *out = (mrw_output_files){.paths = mrwi_base_alloc_zero((size_t)count + 1, sizeof *out->paths),
                              .of = mrwi_base_alloc_zero((size_t)count + 1, sizeof *out->of),
                              .picture_count = count};
    if (n) {
        n->names = names;
        n->pictures = pictures;
        n->count = count;
        n->paths = mrwi_base_alloc_zero(count, sizeof *n->paths);
        n->leader = mrwi_base_alloc(count, sizeof *n->leader);
    }
    if (!n || !n->paths || !n->leader || !out->paths || !out->of) {
        status = mrwi_base_fail_memory(error, count * sizeof *out->paths);
    } else if (mrw_output_is_stdout(names->path)) {
        status = name_stdout(count, names, out, error);
    } else {
        status = name_files(n, out, error);
    }
    for (uint32_t i = 0; n && n->paths && i < count; i++) {
        mrwi_base_free(n->paths[i]);
    }
    if (n) {
        mrwi_base_free(n->paths);
        mrwi_base_free(n->leader);
    }
    mrwi_base_free(n);
    if (status) {
        mrw_output_files_free(out);
    }
    return status;
}

static int compare_names(const void *a, const void *b)
{
    const sort_entry *x = a, *y = b;
    return strcmp(x->path, y->path);
}

/* Appends the files of `more` whose paths `files` lacks. places[f] becomes the index in `files` of
 * each file of `more`. */
static mrw_status append_paths(mrw_output_files *files, const mrw_output_files *more,
                               uint32_t *places, mrw_error *error)
{
    const uint32_t count = files->count;
    sort_entry *entries = mrwi_base_alloc((size_t)count + 1, sizeof *entries);
    mrw_status status = MRW_OK;
    if (!entries) {
        return mrwi_base_fail_memory(error, (count + 1) * sizeof *entries);
    }
    for (uint32_t f = 0; f < count; f++) {
        entries[f] = (sort_entry){files->paths[f], f};
    }
    qsort(entries, count, sizeof *entries, compare_names);
    for (uint32_t f = 0; f < more->count; f++) {
        const sort_entry wanted = {more->paths[f], 0};
        const sort_entry *found = bsearch(&wanted, entries, count, sizeof *entries, compare_names);
        const size_t size = strlen(more->paths[f]) + 1;
        places[f] = found ? found->index : files->count;
        if (!found) {
            char *copy = mrwi_base_alloc(size, 1);
            if (!copy) {
                status = mrwi_base_fail_memory(error, size);
                break;
            }
            memcpy(copy, more->paths[f], size);
            files->paths[files->count++] = copy;
        }
    }
    mrwi_base_free(entries);
    return status;
}

mrw_status mrw_output_files_append(mrw_output_files *files, const mrw_output_files *more,
                                   mrw_error *error)
{
    const size_t count = (size_t)files->picture_count + more->picture_count;
    const size_t most = (size_t)files->count + more->count;
    uint32_t *of = mrwi_base_realloc(files->of, (files->picture_count + 1) * sizeof *of, count + 1,
                                     sizeof *of);
    files->of = of ? of : files->of;
    char **paths = mrwi_base_realloc(files->paths, (files->count + 1) * sizeof *paths, most + 1,
                                     sizeof *paths);
    files->paths = paths ? paths : files->paths;
    uint32_t *places = mrwi_base_alloc((size_t)more->count + 1, sizeof *places);
    mrw_status status;
    if (!of || !paths || !places) {
        status = mrwi_base_fail_memory(error, (count + most) * sizeof *paths);
        goto out;
    }
    status = append_paths(files, more, places, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < more->picture_count; i++) {
        of[files->picture_count++] = places[more->of[i]];
    }
out:
    mrwi_base_free(places);
    return status;
}

mrw_status mrw_output_files_keep(mrw_output_files *files, const uint32_t *pictures, uint32_t count,
                                 mrw_error *error)
{
    mrw_output_files kept = {.paths = mrwi_base_alloc_zero((size_t)count + 1, sizeof *kept.paths),
                             .of = mrwi_base_alloc((size_t)count + 1, sizeof *kept.of),
                             .picture_count = count};
    uint32_t *place = mrwi_base_alloc(files->count, sizeof *place); /* [file] among those kept */
    if (!kept.paths || !kept.of || !place) {
        mrw_output_files_free(&kept);
        mrwi_base_free(place);
        return mrwi_base_fail_memory(error, count * sizeof *kept.paths);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t file = files->of[pictures[i]];
        if (files->paths[file]) {
            place[file] = kept.count;
            kept.paths[kept.count++] = files->paths[file];
            files->paths[file] = NULL;
        }
        kept.of[i] = place[file];
    }
    mrwi_base_free(place);
    mrw_output_files_free(files);
    *files = kept;
    return MRW_OK;
}

void mrw_output_files_free(mrw_output_files *files)
{
    for (uint32_t i = 0; files->paths && i < files->count; i++) {
        mrwi_base_free(files->paths[i]);
    }
    mrwi_base_free(files->paths);
    mrwi_base_free(files->of);
    *files = (mrw_output_files){0};
}

/* ---- before any work ------------------------------------------------------------------------- */

static mrw_status check_target(const char *file, bool overwrite, mrw_error *error)
{
    struct stat info;
    char safe[512];
    if (stat(file, &info) != 0) {
        return MRW_OK;
    }
    mrwi_base_escape(file, safe, sizeof safe);
    if (S_ISDIR(info.st_mode)) {
        return mrwi_base_fail(error, MRW_ERROR_OUTPUT, "%s: this is a folder; give -o another name",
                              safe);
    }
    return overwrite ? MRW_OK
                     : mrwi_base_fail(error, MRW_ERROR_OUTPUT,
                                      "%s: the file exists; overwrite it with --force, or choose "
                                      "another name with -o",
                                      safe);
}

mrw_status mrw_output_files_prepare(const mrw_output_files *files, bool overwrite, mrw_error *error)
{
    const char *last = NULL;
    size_t last_length = 0;
    for (uint32_t i = 0; i < files->count; i++) {
        const char *file = files->paths[i];
        const char *slash = strrchr(file, '/');
        const size_t length = slash ? (size_t)(slash - file) : 0;
        if (mrw_output_is_stdout(file)) {
            continue;
        }
        if (!last || length != last_length || memcmp(last, file, length) != 0) {
            mrw_status status = mrw_make_folder_of(file, "-o", error);
            if (status) {
                return status;
            }
            last = file;
            last_length = length;
        }
        mrw_status status = check_target(file, overwrite, error);
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}
