/* diff.c: two of a kind against each other: what they are, and what all kinds share. */
#include "diff/diff.h"

#include "base/simd/isa.h"
#include "base/text.h"
#include "load/format_sniff.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define SNIFFED 64 /* bytes that tell a picture */

/* ---- what two paths are ---------------------------------------------------------------------- */

bool mrwi_diff_is_picture_name(const char *path)
{
    static const char *const endings[] = {".png", ".jpg", ".jpeg", ".bmp", ".tga", ".dds"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(path), tail = strlen(endings[i]);
        if (length > tail && strcasecmp(path + length - tail, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* TGA has no magic number, and two letters of BMP are too few. */
static bool holds_picture(const char *path)
{
    uint8_t start[SNIFFED];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(start, 1, sizeof start, file) : 0;
    if (file) {
        fclose(file);
    }
    return mrwi_is_picture(start, size) || mrwi_diff_is_picture_name(path);
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
        return mrwi_fail(error, MRW_ERROR_INPUT, "%s: cannot open it: %s; check the path",
                         mrwi_escape(path, safe, sizeof safe),
                         mrwi_base_error_text(errno, why, sizeof why));
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
    if (status == MRW_OK) {
        status = kind_of(after, &other, error);
    }
    if (status == MRW_OK && *out != other) {
        status = mrwi_fail(error, MRW_ERROR_USAGE,
                           "%s is %s, %s is %s; compare two pictures, two folders or two models",
                           mrwi_escape(before, safe[0], sizeof safe[0]), names[*out],
                           mrwi_escape(after, safe[1], sizeof safe[1]), names[other]);
    }
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

void *mrwi_diff_alloc(mrwi_diff *diff, size_t count, size_t size)
{
    pthread_mutex_lock(&diff->lock);
    mrwi_arena *arena = mrwi_results_arena(diff->results);
    void *block = arena ? mrwi_arena_alloc(arena, count, size) : NULL;
    pthread_mutex_unlock(&diff->lock);
    return block;
}

const char *mrwi_diff_text(mrwi_diff *diff, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mrwi_diff_alloc(diff, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

mrw_status mrwi_diff_cases(mrwi_diff *diff, size_t count, mrw_error *error)
{
    static const char *const modes[] = {"exact", "pixel", "perceptual"};
    mrw_case_result *cases = mrwi_diff_alloc(diff, count, sizeof *cases);
    if (!cases) {
        return mrwi_fail_memory(error, count * sizeof *cases);
    }
    for (size_t i = 0; i < count; i++) {
        cases[i] = (mrw_case_result){.outcome = MRW_PASSED,
                                     .line = 1,
                                     .message = "",
                                     .mode = modes[diff->compare.mode],
                                     .pixel_version = MRW_PIXEL_VERSION,
                                     .golden_pixel_version = MRW_PIXEL_VERSION,
                                     .scene_hash = "",
                                     .golden_scene_hash = "",
                                     .runs = 1};
    }
    diff->results->cases = cases;
    diff->results->case_count = count;
    return MRW_OK;
}

mrw_status mrwi_diff_name_case(mrwi_diff *diff, mrw_case_result *result, const char *suite,
                               const char *name, const char *before, const char *after,
                               mrw_error *error)
{
    char safe[1024];
    result->suite = suite;
    result->name = mrwi_diff_text(diff, mrwi_escape(name, safe, sizeof safe));
    result->golden = mrwi_diff_text(diff, before);
    result->model = mrwi_diff_text(diff, after);
    result->suite_file = mrwi_diff_text(diff, diff->paths[1]);
    return result->name && result->golden && result->model && result->suite_file
               ? MRW_OK
               : mrwi_fail_memory(error, 0);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static mrw_compare_def compare_def(const mrwi_diff *diff, const uint8_t *mask, int threads)
{
    mrw_compare_def def = diff->compare;
    def.mask = mask;
    def.threads = threads;
    return def;
}

mrw_status mrwi_diff_compare(const mrwi_diff *diff, const mrw_image images[2], const uint8_t *mask,
                             int threads, mrw_compare_result *out, mrw_error *error)
{
    const mrw_compare_def def = compare_def(diff, mask, threads);
    const bool all = diff->def->all_metrics;
    mrw_status status = mrw_compare(&images[0], &images[1], &def, all, out, error);
    if (status == MRW_OK && !all && !out->passed) {
        status = mrw_compare(&images[0], &images[1], &def, true, out, error);
    }
    return status;
}

mrw_status mrwi_diff_picture(const mrwi_diff *diff, const mrw_image images[2], const uint8_t *mask,
                             int threads, mrw_image *out, mrw_error *error)
{
    const mrw_compare_def def = compare_def(diff, mask, threads);
    return mrw_compare_picture(&images[0], &images[1], &def, out, error);
}

mrw_status mrwi_diff_write(const char *path, const mrw_image *image, mrw_error *error)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    mrw_bytes bytes;
    mrw_status status = MRW_OK;
    if (slash && slash != path && slash - path < (ptrdiff_t)sizeof folder) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        status = mrwi_golden_make_folder(folder, NULL, error);
    }
    if (status == MRW_OK) {
        status = mrw_png_encode(image, &bytes, error);
    }
    if (status == MRW_OK) {
        status = mrw_file_write(path, bytes.data, bytes.size, error);
        mrw_bytes_free(&bytes);
    }
    return status;
}

/* ---- progress -------------------------------------------------------------------------------- */

void mrwi_diff_step(mrwi_diff *diff, size_t index, mrw_status status, const mrw_error *error)
{
    mrw_error why = {0};
    pthread_mutex_lock(&diff->lock);
    if (status != MRW_OK && error) {
        why = *error;
    } else if (status == MRW_OK) {
        diff->done++;
        if (diff->def->progress) {
            status = diff->def->progress(diff->def->user, diff->done, diff->count, &why);
        }
    }
    if (status != MRW_OK) {
        if (index < diff->failed_at) {
            diff->failed_at = index;
            diff->failure = why;
            diff->failure.status = status;
        }
        atomic_store(&diff->stop, true);
    }
    pthread_mutex_unlock(&diff->lock);
}

mrw_status mrwi_diff_outcome(const mrwi_diff *diff, mrw_error *error)
{
    return diff->failed_at == SIZE_MAX
               ? MRW_OK
               : mrwi_fail(error, diff->failure.status, "%s", diff->failure.text);
}

/* ---- the comparison -------------------------------------------------------------------------- */

mrw_diff_def mrw_diff_def_default(const mrw_settings *settings)
{
    return (mrw_diff_def){.settings = settings, .threads = 1};
}

static mrw_status set_title(mrwi_diff *diff, mrw_error *error)
{
    mrwi_text title = {0};
    mrwi_text_add(&title, "%s and %s", diff->paths[0], diff->paths[1]);
    diff->results->title = title.failed ? NULL : mrwi_diff_text(diff, title.data);
    mrwi_text_free(&title);
    return diff->results->title ? MRW_OK : mrwi_fail_memory(error, 0);
}

static mrw_status run(mrwi_diff *diff, mrw_error *error)
{
    mrw_diff_kind kind;
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    mrw_status status = mrw_diff_kind_of(diff->paths[0], diff->paths[1], &kind, error);
    if (status == MRW_OK) {
        status = set_title(diff, error);
    }
    if (status == MRW_OK) {
        status = kind == MRW_DIFF_PICTURES  ? mrwi_diff_pictures(diff, error)
                 : kind == MRW_DIFF_FOLDERS ? mrwi_diff_folders(diff, error)
                                            : mrwi_diff_models(diff, error);
    }
    mrwi_results_count(diff->results);
    diff->results->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    return status;
}

mrw_status mrw_diff(const char *before, const char *after, const mrw_diff_def *def,
                    mrw_results *out, mrw_error *error)
{
    mrwi_diff diff = {.def = def,
                      .settings = def->settings,
                      .paths = {before, after},
                      .compare = mrwi_compare_def_of(def->settings, def->isa),
                      .results = out,
                      .failed_at = SIZE_MAX};
    *out = (mrw_results){.shard_index = 1, .shard_count = 1, .folder = "."};
    mrw_status status = mrwi_isa_check(def->isa, error);
    if (status != MRW_OK) {
        return status;
    }
    pthread_mutex_init(&diff.lock, NULL);
    status = run(&diff, error);
    pthread_mutex_destroy(&diff.lock);
    if (status != MRW_OK) {
        mrw_results_free(out);
    }
    return status;
}
