/* against.c: compares cases with another marrow. Starts it once per case to draw and once to pose,
 * without a shell, and collects its output in a temporary folder. */
#include "golden/against.h"

#include "base/child.h"
#include "base/file.h"
#include "base/text.h"
#include "base/work.h"
#include "marrow/session.h"
#include "options/table.h"
#include "report/results.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- starting it ----------------------------------------------------------------------------- */

/* A growing command line; its texts are borrowed. */
typedef struct arguments {
    const char **items;
    size_t count;
    bool failed;
} arguments;

static void add(arguments *list, const char *text)
{
    void *items = list->items;
    list->failed = list->failed || !mrwi_options_append(&items, &list->count, sizeof text, &text);
    list->items = items;
}

/* Returns 0 or an errno. */
static int start(const arguments *list, const char *output, const char *errors,
                 mrwi_base_child *out)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    mrwi_base_child_def def = {.program = list->items[0],
                               .arguments = list->items,
                               .files = {-1, open(output, flags, 0600), -1}};
    int code = def.files[1] < 0 ? errno : 0;
    if (code == 0) {
        def.files[2] = open(errors, flags, 0600);
        code = def.files[2] < 0 ? errno : mrwi_base_child_start(&def, out);
    }
    for (int i = 1; i < 3; i++) {
        if (def.files[i] >= 0) {
            close(def.files[i]);
        }
    }
    return code;
}

/* ---- running it ------------------------------------------------------------------------------ */

/* Returns its first error message, else its first line on stderr, else "". */
static void first_complaint(const char *errors, char *out, size_t size)
{
    static const char prefix[] = "marrow: error: ";
    char line[700] = "";
    FILE *file = fopen(errors, "r");
    out[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, prefix, sizeof prefix - 1) == 0 || out[0] == '\0') {
            const char *text =
                strncmp(line, prefix, sizeof prefix - 1) == 0 ? line + sizeof prefix - 1 : line;
            mrwi_base_escape(text, out, size);
        }
        if (strncmp(line, prefix, sizeof prefix - 1) == 0) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

/* Runs it. Returns MRW_ERROR_INPUT unless it succeeds. */
static mrw_status run_other(const arguments *list, const char *output, const char *errors,
                            double seconds, mrw_error *error)
{
    char safe[300], why[700], number[32];
    mrwi_base_child child;
    if (list->failed) {
        return mrwi_base_fail_memory(error, 0);
    }
    mrwi_base_escape(list->items[0], safe, sizeof safe);
    const int code = start(list, output, errors, &child);
    if (code != 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: cannot start it: %s", safe,
                              mrwi_base_error_text(code, why, sizeof why));
    }
    const bool in_time = mrwi_base_child_wait(&child, seconds);
    const int ended = mrwi_base_child_end(&child);
    mrw_status status = mrwi_base_work_check(NULL, error);
    if (status) {
        return status;
    }
    if (!in_time) {
        mrwi_base_format_double(seconds, number);
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "%s %s: did not finish within %s s, so it was stopped", safe,
                              list->items[1], number);
    }
    if (ended == -1) {
        return MRW_OK; /* how it ended is unknown; its files tell */
    }
    if (WIFSIGNALED(ended)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s %s: ended by signal %d", safe,
                              list->items[1], WTERMSIG(ended));
    }
    if (WEXITSTATUS(ended) != 0) {
        first_complaint(errors, why, sizeof why);
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s %s: ended with status %d%s%s", safe,
                              list->items[1], WEXITSTATUS(ended), why[0] ? ": " : "", why);
    }
    return MRW_OK;
}

/* ---- a temporary folder ---------------------------------------------------------------------- */

static const char *make_folder(mrwi_base_arena *arena, mrw_error *error)
{
    const char *place = getenv("TMPDIR");
    char path[4096], why[128];
    snprintf(path, sizeof path, "%s/marrow-against-XXXXXX", place && place[0] ? place : "/tmp");
    if (!mkdtemp(path)) {
        mrwi_base_fail(error, MRW_ERROR_OUTPUT, "%s: cannot make a folder: %s", path,
                       mrwi_base_error_text(errno, why, sizeof why));
        return NULL;
    }
    const char *copy = mrwi_base_copy_text(arena, path);
    if (!copy) {
        rmdir(path);
        mrwi_base_fail_memory(error, sizeof path);
    }
    return copy;
}

static int remove_entry(const char *path, const struct stat *info, int flag, struct FTW *walk)
{
    (void)info;
    (void)flag;
    (void)walk;
    remove(path);
    return 0;
}

static void remove_folder(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void forget(const mrwi_golden_expected *expected)
{
    if (expected->folder) {
        remove_folder(expected->folder);
    }
}

/* ---- one case -------------------------------------------------------------------------------- */

/* Adds the case's options that the command takes. Options of other commands are left out. */
static void add_options(arguments *list, const mrw_case *c, mrw_command command)
{
    for (size_t i = 0; i < c->option_count; i++) {
        const char *text = c->options[i];
        const mrwi_options_option *option =
            mrwi_options_option_find(text + 2, strcspn(text + 2, "="));
        if (option && mrw_option_belongs(&option->shown, command)) {
            add(list, text);
        }
    }
}

static void add_model(arguments *list, const mrw_case *c, const char *jobs)
{
    add(list, "--json");
    add(list, "--quiet");
    add(list, jobs);
    add(list, "--");
    add(list, c->model);
    add(list, NULL);
}

/* Draws the pictures. A frame field in the output's name would ask for the whole clip, so a still
 * gets none. */
static mrw_status draw(const mrw_test_def *def, const mrw_case *c, const char *folder,
                       const char *jobs, mrw_error *error)
{
    char output[4200], said[4200], errors[4200];
    arguments list = {0};
    bool sequence = mrw_session_wants_sequence(&c->settings);
    snprintf(output, sizeof output, "--output=%s/{clip}_%s.png", folder,
             sequence ? "{frame:04}" : "0000");
    snprintf(said, sizeof said, "%s/" MRWI_GOLDEN_AGAINST_RENDER, folder);
    snprintf(errors, sizeof errors, "%s/" MRWI_GOLDEN_AGAINST_ERRORS, folder);
    add(&list, def->against);
    add(&list, "render");
    add_options(&list, c, MRW_COMMAND_RENDER);
    add(&list, output);
    add_model(&list, c, jobs);
    mrw_status status = run_other(&list, said, errors, def->against_seconds, error);
    mrwi_base_free(list.items);
    return status;
}

static mrw_status pose(const mrw_test_def *def, const mrw_case *c, const char *folder,
                       const char *jobs, mrw_error *error)
{
    char joints[4200], said[4200], errors[4200];
    arguments list = {0};
    snprintf(joints, sizeof joints, "--joints=%s/" MRWI_GOLDEN_AGAINST_JOINTS, folder);
    snprintf(said, sizeof said, "%s/" MRWI_GOLDEN_AGAINST_BAKE, folder);
    snprintf(errors, sizeof errors, "%s/" MRWI_GOLDEN_AGAINST_ERRORS, folder);
    add(&list, def->against);
    add(&list, "bake");
    add_options(&list, c, MRW_COMMAND_BAKE);
    add(&list, joints);
    add_model(&list, c, jobs);
    mrw_status status = run_other(&list, said, errors, def->against_seconds, error);
    mrwi_base_free(list.items);
    return status;
}

/* Runs the other marrow for a case. Poses are required only if they are compared; else only the
 * camera beside them is used, if there is one. */
static mrw_status open_other(const void *user, const mrw_case *c, int threads,
                             mrwi_base_arena *arena, mrwi_golden_expected *out, mrw_error *error)
{
    const mrw_test_def *def = user;
    const bool needed = (c->checks & (MRW_CHECK_POSE | MRW_CHECK_BOUNDS)) != 0;
    const char **names = NULL;
    uint32_t count = 0;
    char jobs[32];
    mrw_error why;
    *out = (mrwi_golden_expected){.folder = make_folder(arena, error)};
    if (!out->folder) {
        return MRW_ERROR_OUTPUT;
    }
    snprintf(jobs, sizeof jobs, "--jobs=%d", threads);
    mrw_status status = draw(def, c, out->folder, jobs, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_against_read_pictures(out->folder, c, arena, out, &names, &count, error);
    if (status) {
        return status;
    }
    status = pose(def, c, out->folder, jobs, &why);
    if (!status) {
        status = mrwi_golden_against_read_shapes(out->folder, names, count, arena, out, &why);
    }
    if (status == MRW_ERROR_INPUT && !needed) {
        out->cameras = (mrwi_golden_cameras){0};
        return MRW_OK;
    }
    return status ? mrwi_base_fail(error, status, "%s", why.text) : MRW_OK;
}

mrwi_golden_reference mrwi_golden_against_source(const mrw_test_def *def)
{
    return (mrwi_golden_reference){.open = open_other, .close = forget, .user = def};
}

/* ---- the camera ------------------------------------------------------------------------------ */

mrw_status mrwi_golden_against_aim(const mrwi_golden_cameras *cameras, const char *name,
                                   mrwi_base_arena *arena, mrw_frame_def *frame, const char **fault,
                                   mrw_error *error)
{
    if (frame->scene_camera != MRW_NONE || frame->follow.node != MRW_NONE) {
        return MRW_OK;
    }
    for (uint32_t i = 0; i < cameras->count; i++) {
        if (strcmp(cameras->frames[i], name) != 0) {
            continue;
        }
        const mrw_camera *a = &cameras->items[i], *b = &frame->camera;
        if (memcmp(&a->world_to_view, &b->world_to_view, sizeof a->world_to_view) != 0 ||
            memcmp(&a->view_to_clip, &b->view_to_clip, sizeof a->view_to_clip) != 0) {
            frame->camera = *a;
            *fault = mrwi_base_format(arena,
                                      "the camera differs: the other marrow frames %s differently, "
                                      "and both are drawn with its camera",
                                      name);
            return *fault ? MRW_OK : mrwi_base_fail_memory(error, 0);
        }
        break;
    }
    return MRW_OK;
}

/* ---- its version ----------------------------------------------------------------------------- */

/* Reads the output of --version: "marrow 0.1.0\npixel version 1\n" becomes "0.1.0, pixel version
 * 1". */
static bool read_version(const char *path, char *out, size_t size)
{
    char text[200], safe[200], version[60] = "", pixel[60] = "";
    mrw_bytes bytes = {0};
    if (mrwi_base_read_file(path, 4096, &bytes, NULL, NULL)) {
        return false;
    }
    snprintf(text, sizeof text, "%s", (const char *)bytes.data);
    mrw_bytes_free(&bytes);
    int found = sscanf(text, "marrow %59[^\n]\npixel version %59[^\n]", version, pixel);
    snprintf(text, sizeof text, "%s, pixel version %s", version, pixel);
    snprintf(out, size, "%s", mrwi_base_escape(text, safe, sizeof safe));
    return found == 2;
}

mrw_status mrwi_golden_against_begin(const mrw_test_def *def, mrw_results *results,
                                     mrw_error *error)
{
    mrwi_base_arena arena = {0};
    arguments list = {0};
    char said[4200], errors[4200], version[220], safe[512];
    mrw_error why = {0};
    const char *folder = make_folder(&arena, error);
    if (!folder) {
        mrwi_base_arena_free(&arena);
        return MRW_ERROR_OUTPUT;
    }
    snprintf(said, sizeof said, "%s/" MRWI_GOLDEN_AGAINST_RENDER, folder);
    snprintf(errors, sizeof errors, "%s/" MRWI_GOLDEN_AGAINST_ERRORS, folder);
    add(&list, def->against);
    add(&list, "--version");
    add(&list, NULL);
    mrwi_base_escape(def->against, safe, sizeof safe);
    mrw_status status = run_other(&list, said, errors, def->against_seconds, &why);
    if (!status && read_version(said, version, sizeof version)) {
        const char *title =
            mrwi_base_format(&arena, "marrow test against %s (%s)", def->against, version);
        results->title = title ? mrwi_report_text(results, title) : NULL;
        results->against = mrwi_report_text(results, safe);
        status = results->title && results->against ? MRW_OK : mrwi_base_fail_memory(error, 0);
    } else if (status == MRW_ERROR_MEMORY) {
        mrwi_base_fail_memory(error, 0);
    } else {
        status = mrwi_base_fail(
            error, MRW_ERROR_USAGE, "--against %s: this is not a marrow program%s%s", safe,
            why.text[0] ? ": " : "; give the path of another build's `marrow`", why.text);
    }
    mrwi_base_free(list.items);
    remove_folder(folder);
    mrwi_base_arena_free(&arena);
    return status;
}
