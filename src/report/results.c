/* results.c: what a test run found, as a struct. */
#include "report/internal.h"

#include "base/text.h"

#include <assert.h>
#include <string.h>

const char *mrw_outcome_name(mrw_outcome outcome)
{
    static const char *const names[MRW_OUTCOME_COUNT] = {
        [MRW_PASSED] = "passed",   [MRW_FAILED] = "failed",   [MRW_XFAILED] = "xfailed",
        [MRW_XPASSED] = "xpassed", [MRW_SKIPPED] = "skipped", [MRW_UPDATED] = "updated",
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
    if (results != NULL) {
        if (results->memory != NULL) {
            mrwi_arena_free(results->memory);
            mrwi_free(results->memory);
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

mrwi_arena *mrwi_results_arena(mrw_results *results)
{
    if (results->memory == NULL) {
        results->memory = mrwi_alloc_zero(1, sizeof(mrwi_arena));
    }
    return results->memory;
}

const char *mrwi_copy_text(mrwi_arena *arena, const char *string)
{
    size_t size = string != NULL ? strlen(string) + 1 : 0;
    char *copy = string != NULL ? mrwi_arena_alloc(arena, size, 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, string, size);
    }
    return copy;
}

void mrwi_results_count(mrw_results *results)
{
    memset(results->counts, 0, sizeof results->counts);
    for (size_t i = 0; i < results->case_count; i++) {
        results->counts[results->cases[i].outcome]++;
    }
}

const mrw_frame_result *mrwi_first_bad_frame(const mrw_case_result *result)
{
    for (size_t i = 0; i < result->frame_count; i++) {
        if (!result->frames[i].passed) {
            return &result->frames[i];
        }
    }
    return NULL;
}

void mrwi_text_picture(mrwi_text *text, const mrw_results *results, const char *picture)
{
    const char *folder = results->folder;
    if (folder != NULL && picture[0] != '/' && strcmp(folder, ".") != 0) {
        mrwi_text_puts(text, folder);
        mrwi_text_puts(text, "/");
    }
    mrwi_text_puts(text, picture);
}

const char *mrwi_plain_path(const char *path)
{
    if (path == NULL) {
        return "";
    }
    while (path[0] == '.' && path[1] == '/' && path[2] != '/') {
        path += 2;
    }
    return path;
}

bool mrwi_path_is_inside(const char *path)
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

const char *mrwi_why_name(uint32_t why)
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
    case MRW_WHY_EMPTY:
        return "empty";
    default:
        return NULL;
    }
}
