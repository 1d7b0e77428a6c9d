/* results.c: the results of a test run: their memory, their order, and what follows from them. */
#include "report/results.h"

#include "base/text.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The struct that mrw_results.memory points to. */
typedef struct memory {
    mrwi_base_arena arena;
    pthread_mutex_t lock; /* guards the arena while several threads fill in results */
} memory;

const char *mrw_outcome_name(mrw_outcome outcome)
{
    static const char *const names[MRW_OUTCOME_COUNT] = {
        [MRW_PASSED] = "passed",     [MRW_FAILED] = "failed",   [MRW_XFAILED] = "xfailed",
        [MRW_XPASSED] = "xpassed",   [MRW_SKIPPED] = "skipped", [MRW_UPDATED] = "updated",
        [MRW_LEFT_OUT] = "left-out",
    };
    assert((unsigned)outcome < MRW_OUTCOME_COUNT);
    return names[outcome];
}

bool mrw_outcome_is_bad(mrw_outcome outcome)
{
    return outcome == MRW_FAILED || outcome == MRW_XPASSED;
}

void mrw_results_free(mrw_results *results)
{
    if (results) {
        memory *own = results->memory;
        if (own) {
            pthread_mutex_destroy(&own->lock);
            mrwi_base_arena_free(&own->arena);
            mrwi_base_free(own);
        }
        *results = (mrw_results){0};
    }
}

int mrw_results_exit_status(const mrw_results *results)
{
    size_t bad = 0, skipped = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        bad += mrw_outcome_is_bad(results->cases[i].outcome);
        skipped += results->cases[i].outcome == MRW_SKIPPED;
    }
    if (results->case_count == 0) {
        return results->shard_count > 1 && results->shard_index > 1 ? 0 : 1;
    }
    return bad > 0 ? 1 : skipped == results->case_count ? 77 : 0;
}

/* ---- for the room ---------------------------------------------------------------------------- */

mrwi_base_arena *mrwi_report_results_arena(mrw_results *results)
{
    memory *own = results->memory;
    if (!own) {
        own = mrwi_base_alloc_zero(1, sizeof *own);
        if (!own) {
            return NULL;
        }
        pthread_mutex_init(&own->lock, NULL);
        results->memory = own;
    }
    return &own->arena;
}

void *mrwi_report_alloc(mrw_results *results, size_t count, size_t size)
{
    mrwi_base_arena *arena = mrwi_report_results_arena(results);
    if (!arena) {
        return NULL;
    }
    memory *own = results->memory;
    pthread_mutex_lock(&own->lock);
    void *block = mrwi_base_arena_alloc(arena, count, size);
    pthread_mutex_unlock(&own->lock);
    return block;
}

const char *mrwi_report_text(mrw_results *results, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mrwi_report_alloc(results, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

void mrwi_report_results_count(mrw_results *results)
{
    memset(results->counts, 0, sizeof results->counts);
    for (size_t i = 0; i < results->case_count; i++) {
        results->counts[results->cases[i].outcome]++;
    }
}

const mrw_frame_result *mrwi_report_first_bad_frame(const mrw_case_result *result)
{
    for (size_t i = 0; i < result->frame_count; i++) {
        if (!result->frames[i].passed) {
            return &result->frames[i];
        }
    }
    return NULL;
}

void mrwi_report_picture_path(mrw_text *text, const mrw_results *results, const char *picture)
{
    const char *folder = results->folder;
    if (folder && picture[0] != '/' && strcmp(folder, ".") != 0) {
        mrw_text_puts(text, folder);
        mrw_text_puts(text, "/");
    }
    mrw_text_puts(text, picture);
}

const char *mrwi_report_plain_path(const char *path)
{
    if (!path) {
        return "";
    }
    while (path[0] == '.' && path[1] == '/' && path[2] != '/') {
        path += 2;
    }
    return path;
}

bool mrwi_report_path_is_inside(const char *path)
{
    while (true) {
        size_t length = strcspn(path, "/");
        bool dots = (length == 1 && path[0] == '.') || (length == 2 && memcmp(path, "..", 2) == 0);
        if (length == 0 || dots) {
            return false;
        }
        for (size_t i = 0; i < length; i++) {
            if ((unsigned char)path[i] < 0x20 || path[i] == 0x7F) {
                return false;
            }
        }
        if (path[length] == '\0') {
            return true;
        }
        path += length + 1;
    }
}

const char *mrwi_report_why_name(uint32_t why)
{
    switch (why) {
    case MRW_WHY_MISSING:
        return "missing";
    case MRW_WHY_DAMAGED:
        return "damaged";
    case MRW_WHY_PIXELS:
        return "pixels";
    case MRW_WHY_POSE:
        return "pose";
    case MRW_WHY_BOUNDS:
        return "bounds";
    case MRW_WHY_DRIVER:
        return "driver";
    case MRW_WHY_SUITE:
        return "suite";
    case MRW_WHY_EMPTY:
        return "empty";
    default:
        return NULL;
    }
}

/* ---- cases with one cause -------------------------------------------------------------------- */

/* A case, and the first case with the same cause. */
typedef struct place {
    const char *cause; /* NULL for a case that is reported by itself. */
    size_t index;
    size_t first;
} place;

static int by_cause(const void *a, const void *b)
{
    const place *x = a, *y = b;
    const int order = x->cause && y->cause ? strcmp(x->cause, y->cause) : !y->cause - !x->cause;
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static int by_first(const void *a, const void *b)
{
    const place *x = a, *y = b;
    const int order = (x->first > y->first) - (x->first < y->first);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static const char *cause_of(const mrw_case_result *result)
{
    return mrw_outcome_is_bad(result->outcome) ? result->model_change : NULL;
}

mrw_status mrw_results_order(const mrw_results *results, size_t *order, mrw_error *error)
{
    const size_t count = results->case_count;
    place *places = mrwi_base_alloc(count, sizeof *places);
    if (!places) {
        return mrwi_base_fail_memory(error, count * sizeof *places);
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = (place){cause_of(&results->cases[i]), i, i};
    }
    qsort(places, count, sizeof *places, by_cause);
    for (size_t i = 1; i < count; i++) {
        const place *before = &places[i - 1];
        if (before->cause && places[i].cause && strcmp(before->cause, places[i].cause) == 0) {
            places[i].first = before->first;
        }
    }
    qsort(places, count, sizeof *places, by_first);
    for (size_t i = 0; i < count; i++) {
        order[i] = places[i].index;
    }
    mrwi_base_free(places);
    return MRW_OK;
}

mrw_status mrwi_report_results_order(const mrw_results *results, size_t **order, mrw_error *error)
{
    *order = mrwi_base_alloc(results->case_count, sizeof **order);
    if (!*order) {
        return mrwi_base_fail_memory(error, results->case_count * sizeof **order);
    }
    mrw_status status = mrw_results_order(results, *order, error);
    if (status) {
        mrwi_base_free(*order);
        *order = NULL;
    }
    return status;
}

size_t mrw_results_run(const mrw_results *results, const size_t *order, size_t at)
{
    const char *cause = cause_of(&results->cases[order[at]]);
    size_t end = at + 1;
    while (cause && end < results->case_count) {
        const char *other = cause_of(&results->cases[order[end]]);
        if (!other || strcmp(cause, other) != 0) {
            break;
        }
        end++;
    }
    return end - at;
}

const char *mrw_case_detail(const mrw_case_result *result)
{
    const char *cause = result->model_change, *message = result->message ? result->message : "";
    const size_t length = cause ? strlen(cause) : 0;
    if (length == 0 || strncmp(message, cause, length) != 0) {
        return message;
    }
    return message + length + (strncmp(message + length, "; ", 2) == 0 ? 2 : 0);
}
