/* shared.c: serves comparisons of all kinds: cases of results, comparing and writing pictures,
 * progress. */
#include "diff/diff.h"

#include "base/text.h"
#include "marrow/codecs.h"

#include <string.h>
#include <strings.h>
#include <time.h>

/* ---- results --------------------------------------------------------------------------------- */

mrw_status mrwi_diff_cases(mrw_results *results, mrw_compare_mode mode, size_t count,
                           mrw_error *error)
{
    static const char *const modes[] = {"exact", "pixel", "perceptual"};
    mrw_case_result *cases = mrwi_report_alloc(results, count, sizeof *cases);
    if (!cases) {
        return mrwi_base_fail_memory(error, count * sizeof *cases);
    }
    for (size_t i = 0; i < count; i++) {
        cases[i] = (mrw_case_result){.outcome = MRW_PASSED,
                                     .line = 1,
                                     .message = "",
                                     .mode = modes[mode],
                                     .pixel_version = MRW_PIXEL_VERSION,
                                     .golden_pixel_version = MRW_PIXEL_VERSION,
                                     .scene_hash = "",
                                     .golden_scene_hash = "",
                                     .runs = 1};
    }
    results->cases = cases;
    results->case_count = count;
    return MRW_OK;
}

mrw_status mrwi_diff_name_case(const mrwi_diff *diff, mrw_case_result *result, const char *suite,
                               const char *name, const char *before, const char *after,
                               mrw_error *error)
{
    char safe[1024];
    result->suite = suite;
    result->name = mrwi_report_text(diff->results, mrwi_base_escape(name, safe, sizeof safe));
    result->golden = mrwi_report_text(diff->results, before);
    result->model = mrwi_report_text(diff->results, after);
    result->suite_file = mrwi_report_text(diff->results, diff->paths[1]);
    return result->name && result->golden && result->model && result->suite_file
               ? MRW_OK
               : mrwi_base_fail_memory(error, 0);
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
    if (status || all || out->passed) {
        return status;
    }
    return mrw_compare(&images[0], &images[1], &def, true, out, error);
}

mrw_status mrwi_diff_picture(const mrwi_diff *diff, const mrw_image images[2], const uint8_t *mask,
                             int threads, mrw_image *out, mrw_error *error)
{
    const mrw_compare_def def = compare_def(diff, mask, threads);
    return mrw_compare_picture(&images[0], &images[1], &def, out, error);
}

/* ---- progress -------------------------------------------------------------------------------- */

mrw_status mrwi_diff_count(mrwi_diff_progress *progress, mrw_error *error)
{
    const mrw_diff_def *def = progress->def;
    pthread_mutex_lock(&progress->lock);
    progress->done++;
    mrw_status status =
        def->progress ? def->progress(def->user, progress->done, progress->count, error) : MRW_OK;
    pthread_mutex_unlock(&progress->lock);
    return status;
}

void mrwi_diff_step(mrwi_diff_progress *progress, size_t index, mrw_status status,
                    const mrw_error *error)
{
    mrw_error why = {0};
    if (!status) {
        status = mrwi_diff_count(progress, &why);
        if (!status) {
            return;
        }
    } else if (error) {
        why = *error;
    }
    pthread_mutex_lock(&progress->lock);
    if (index < progress->failed_at) {
        progress->failed_at = index;
        progress->failure = why;
        progress->failure.status = status;
    }
    atomic_store(&progress->stop, true);
    pthread_mutex_unlock(&progress->lock);
}

mrw_status mrwi_diff_outcome(const mrwi_diff_progress *progress, mrw_error *error)
{
    return progress->failed_at == SIZE_MAX
               ? MRW_OK
               : mrwi_base_fail(error, progress->failure.status, "%s", progress->failure.text);
}

/* ---- names ----------------------------------------------------------------------------------- */

bool mrwi_diff_is_picture_name(const char *path)
{
    static const char *const endings[] = {".png", ".jpg", ".jpeg", ".bmp", ".tga", ".dds", ".webp"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(path), tail = strlen(endings[i]);
        if (length > tail && strcasecmp(path + length - tail, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}
