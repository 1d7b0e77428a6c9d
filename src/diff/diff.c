/* diff.c: finds out whether two paths are pictures, folders or models, and compares them. */
#include "diff/diff.h"

#include "base/simd/isa.h"
#include "base/text.h"
#include "load/format_sniff.h"
#include "session/compare.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SNIFFED 64 /* bytes read to recognise a picture */

/* ---- kinds of paths -------------------------------------------------------------------------- */

/* Returns true if the file starts or is named like a picture. The name counts because TGA has no
 * magic number and BMP has only two letters. */
static bool holds_picture(const char *path)
{
    uint8_t start[SNIFFED];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(start, 1, sizeof start, file) : 0;
    if (file) {
        fclose(file);
    }
    return mrwi_load_is_picture(start, size) || mrwi_diff_is_picture_name(path);
}

static mrw_status kind_of(const char *path, mrw_diff_kind *out, mrw_error *error)
{
    struct stat info;
    char safe[512], why[128];
    *out = MRW_DIFF_MODELS;
    if (strncmp(path, "demo:", 5) == 0 || strcmp(path, "-") == 0) {
        return MRW_OK;
    }
    if (stat(path, &info) != 0) {
        const int code = errno;
        *out = mrwi_diff_is_picture_name(path) ? MRW_DIFF_PICTURES : MRW_DIFF_MODELS;
        mrwi_base_escape(path, safe, sizeof safe);
        if (code == ENOENT) {
            return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                  "%s: there is no such file; check the path", safe);
        }
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: cannot open it: %s; check the path",
                              safe, mrwi_base_error_text(code, why, sizeof why));
    }
    if (S_ISDIR(info.st_mode)) {
        *out = MRW_DIFF_FOLDERS;
    } else if (S_ISREG(info.st_mode) && holds_picture(path)) {
        *out = MRW_DIFF_PICTURES;
    }
    return MRW_OK;
}

mrw_status mrw_diff_kind_of(const char *before, const char *after, mrw_diff_kind *out,
                            mrw_error *error)
{
    static const char *const names[] = {"a picture", "a folder", "a model"};
    mrw_diff_kind other;
    char safe[2][256];
    mrw_status status = kind_of(before, out, error);
    if (status) {
        return status;
    }
    status = kind_of(after, &other, error);
    if (status) {
        return status;
    }
    if (*out != other) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "%s is %s, but %s is %s; compare two pictures, two folders or two models",
            mrwi_base_escape(before, safe[0], sizeof safe[0]), names[*out],
            mrwi_base_escape(after, safe[1], sizeof safe[1]), names[other]);
    }
    return MRW_OK;
}

/* ---- the comparison -------------------------------------------------------------------------- */

mrw_diff_def mrw_diff_def_default(const mrw_settings *settings)
{
    return (mrw_diff_def){.settings = settings, .threads = 1};
}

/* Finds the kind of the paths, runs the comparison and sums up its results. */
static mrw_status run(const mrwi_diff *diff, mrw_error *error)
{
    mrw_diff_kind kind;
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    mrw_status status = mrw_diff_kind_of(diff->paths[0], diff->paths[1], &kind, error);
    if (status) {
        return status;
    }
    mrw_text title = {0};
    mrw_text_add(&title, "%s and %s", diff->paths[0], diff->paths[1]);
    diff->results->title = title.failed ? NULL : mrwi_report_text(diff->results, title.data);
    mrw_text_free(&title);
    if (!diff->results->title) {
        return mrwi_base_fail_memory(error, 0);
    }
    status = kind == MRW_DIFF_PICTURES  ? mrwi_diff_pictures(diff, error)
             : kind == MRW_DIFF_FOLDERS ? mrwi_diff_folders(diff, error)
                                        : mrwi_diff_models(diff, error);
    if (status) {
        return status;
    }
    mrwi_report_results_count(diff->results);
    diff->results->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    return MRW_OK;
}

mrw_status mrw_diff(const char *before, const char *after, const mrw_diff_def *def,
                    mrw_results *out, mrw_error *error)
{
    mrwi_diff_progress progress = {.def = def, .failed_at = SIZE_MAX};
    mrw_compare_def compare = mrw_session_compare_def(def->settings);
    compare.isa = def->isa;
    const mrwi_diff diff = {.def = def,
                            .paths = {before, after},
                            .compare = compare,
                            .results = out,
                            .progress = &progress};
    *out = (mrw_results){.shard_index = 1, .shard_count = 1, .folder = "."};
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status) {
        return status;
    }
    pthread_mutex_init(&progress.lock, NULL);
    status = run(&diff, error);
    pthread_mutex_destroy(&progress.lock);
    if (status) {
        mrw_results_free(out);
    }
    return status;
}
