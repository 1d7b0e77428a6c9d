/* names.c: chooses the names of goldens, and renames goldens with old names. */
#include "golden/names.h"

#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "golden/scene_files.h"
#include "golden/unused_files.h"
#include "image/file.h"
#include "report/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- choosing -------------------------------------------------------------------------------- */

static bool has_goldens(const mrwi_golden_expected *expected, const char *name)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s.png", expected->folder, name);
    return mrwi_golden_stored_time_of(&expected->stored, name, 0) ||
           mrwi_golden_stored_find(&expected->stored, name, 0) ||
           mrwi_golden_poses_find(&expected->poses, name, 0) ||
           mrwi_golden_boxes_find(&expected->boxes, name, 0) ||
           (length < (int)sizeof path && access(path, F_OK) == 0);
}

const char *mrwi_golden_names_choose(const mrwi_golden_expected *expected, const char *name,
                                     bool one_clip, mrw_results *memory)
{
    char old[MRWI_GOLDEN_NAME_SIZE];
    const mrwi_golden_stored *stored = &expected->stored;
    if (!mrwi_base_utf8_is_wide(name) || !expected->folder || has_goldens(expected, name)) {
        return mrwi_report_text(memory, name);
    }
    for (uint32_t i = 0; i < stored->time_count; i++) {
        if (mrwi_base_utf8_same(stored->times[i].name, name)) {
            return mrwi_report_text(memory, stored->times[i].name);
        }
    }
    mrwi_base_old_file_name(name, old, sizeof old);
    return mrwi_report_text(memory, one_clip && has_goldens(expected, old) ? old : name);
}

bool mrwi_golden_names_path(const char *folder, const char *name, char out[MRWI_BASE_PATH_MAX])
{
    char form[MRWI_BASE_PATH_MAX];
    const int length = snprintf(out, MRWI_BASE_PATH_MAX, "%s/%s.png", folder, name);
    if (length < MRWI_BASE_PATH_MAX && access(out, F_OK) != 0 && errno == ENOENT &&
        mrwi_base_find_form(AT_FDCWD, out, form)) {
        memcpy(out, form, sizeof form);
    }
    return length < MRWI_BASE_PATH_MAX;
}

/* ---- moving ---------------------------------------------------------------------------------- */

static mrw_status check_free(const char *path, mrw_error *error)
{
    char safe[512];
    struct stat info;
    return lstat(path, &info) != 0
               ? MRW_OK
               : mrwi_base_fail(error, MRW_ERROR_OUTPUT,
                                "%s: this exists already; remove it, or the golden with the old "
                                "name",
                                mrwi_base_escape(path, safe, sizeof safe));
}

static mrw_status move(const char *from, const char *to, mrw_error *error)
{
    char safe[512], why[128];
    mrw_status status = check_free(to, error);
    if (status) {
        return status;
    }
    if (rename(from, to) != 0 && errno != ENOENT) {
        return mrwi_base_fail(error, MRW_ERROR_OUTPUT, "%s: cannot rename it: %s",
                              mrwi_base_escape(from, safe, sizeof safe),
                              mrwi_base_error_text(errno, why, sizeof why));
    }
    return MRW_OK;
}

/* Returns the frame that a line's second word names by its old name, or NULL. */
static const mrw_frame_result *find_frame(const mrwi_golden_findings *found, const char *word,
                                          size_t length)
{
    for (size_t i = 0; i < found->result->frame_count; i++) {
        const char *name = found->result->frames[i].name;
        if (found->states[i].renamed && strlen(name) == length && memcmp(name, word, length) == 0) {
            return &found->result->frames[i];
        }
    }
    return NULL;
}

/* Copies lines; those like "frame NAME ..." get the new name of the frame. */
static void copy_lines(const mrwi_golden_findings *found, const mrw_bytes *bytes, mrw_text *out)
{
    static const char *const firsts[] = {"frame ", "key ", "empty ", "time "};
    const char *at = (const char *)bytes->data, *end = at + bytes->size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
            const size_t first = strlen(firsts[i]);
            if ((size_t)(next - at) <= first || memcmp(at, firsts[i], first) != 0) {
                continue;
            }
            const char *word = at + first; /* the bytes end with a NUL */
            const size_t length = strcspn(word, " \n");
            const mrw_frame_result *frame = find_frame(found, word, length);
            if (frame) {
                mrw_text_put(out, at, first);
                mrw_text_puts(out, found->states[frame - found->result->frames].renamed);
                at = word + length;
            }
            break;
        }
        mrw_text_put(out, at, (size_t)(next - at));
        at = next;
    }
}

static mrw_status move_text(const mrwi_golden_input *in, const mrwi_golden_findings *found,
                            const char *name, mrw_error *error)
{
    char path[4096];
    mrw_bytes bytes = {0};
    mrw_text text = {0};
    bool missing = false;
    snprintf(path, sizeof path, "%s/%s", in->c->golden, name);
    mrw_status status = mrwi_base_read_file(path, MRWI_GOLDEN_TEXT_SIZE, &bytes, &missing, error);
    if (!status && bytes.data) {
        copy_lines(found, &bytes, &text);
        status = text.failed ? mrwi_base_fail_memory(error, text.size)
                             : mrwi_image_file_keep(path, text.data, text.size, error);
    }
    mrw_text_free(&text);
    mrw_bytes_free(&bytes);
    return status;
}

mrw_status mrwi_golden_names_move_frames(const mrwi_golden_input *in,
                                         const mrwi_golden_findings *found, mrw_error *error)
{
    static const char *const texts[] = {"golden.txt", "pose.txt", "bounds.txt"};
    const mrw_case_result *result = found->result;
    char from[4096], to[4096];
    bool any = false;
    mrw_status status;
    /* Refuses to replace a picture before anything is written. */
    for (size_t i = 0; i < result->frame_count; i++) {
        if (found->states[i].renamed) {
            any = true;
            snprintf(to, sizeof to, "%s/%s.png", in->c->golden, found->states[i].renamed);
            status = check_free(to, error);
            if (status) {
                return status;
            }
        }
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts && any; i++) {
        status = move_text(in, found, texts[i], error);
        if (status) {
            return status;
        }
    }
    for (size_t i = 0; i < result->frame_count; i++) {
        if (found->states[i].renamed) {
            snprintf(from, sizeof from, "%s/%s.png", in->c->golden, result->frames[i].name);
            snprintf(to, sizeof to, "%s/%s.png", in->c->golden, found->states[i].renamed);
            status = move(from, to, error);
            if (status) {
                return status;
            }
        }
    }
    /* Results have the old names: accepting them would bring these back. */
    return result->old_names ? mrwi_golden_remove_results(in->folder, error) : MRW_OK;
}

mrw_status mrwi_golden_names_move_cases(const mrw_case_list *cases, mrw_error *error)
{
    for (size_t i = 0; i < cases->count; i++) {
        const mrw_case *c = &cases->items[i];
        char suite[4096], old_suite[4096];
        if (!c->golden_renamed) {
            continue;
        }
        snprintf(suite, sizeof suite, "%s", c->golden_renamed);
        mrwi_base_cut_parts(suite, 1);
        mrw_status status = mrw_make_folder(suite, NULL, error);
        if (!status) {
            status = move(c->golden, c->golden_renamed, error);
        }
        snprintf(old_suite, sizeof old_suite, "%s", c->golden);
        mrwi_base_cut_parts(old_suite, 1);
        if (!status && strcmp(suite, old_suite) != 0) {
            status = mrwi_golden_scene_files_move(old_suite, suite, error);
        }
        rmdir(old_suite); /* stays if it holds other cases */
        if (status) {
            return status;
        }
    }
    return MRW_OK;
}
