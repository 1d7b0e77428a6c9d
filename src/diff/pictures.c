/* pictures.c: compares two pictures, or the pictures of two folders. */
#include "diff/diff.h"

#include "base/parallel.h"
#include "base/text.h"
#include "image/file.h"
#include "marrow/codecs.h"
#include "options/table.h"
#include "session/compare.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_DEPTH 64

/* A picture that both sides have, or only one of them. */
typedef struct pair {
    const char *name;     /* Name of the case. */
    const char *paths[2]; /* NULL for a side that does not have it. */
    const char *diff;     /* Path of the difference's picture; NULL: it is not written. */
    bool always;          /* Write the difference's picture even if there is no difference. */
    bool alone;           /* An unreadable picture is an error, not a difference. */
} pair;

/* ---- one pair -------------------------------------------------------------------------------- */

/* Makes the mask, in the size of the picture before. *out is NULL without masks and for pictures of
 * different sizes. */
static mrw_status make_mask(const mrw_text_list *masks, const mrw_image images[2], uint8_t **out,
                            mrw_error *error)
{
    const uint32_t width = images[0].width, height = images[0].height;
    *out = NULL;
    if (masks->count == 0 || width != images[1].width || height != images[1].height) {
        return MRW_OK;
    }
    *out = mrwi_base_alloc_zero((size_t)width * height, 1);
    if (!*out) {
        return mrwi_base_fail_memory(error, (size_t)width * height);
    }
    for (size_t i = 0; i < masks->count; i++) {
        mrw_mask mask;
        if (mrw_mask_parse(masks->items[i], &mask)) {
            mrw_status status = mrwi_session_mask(&mask, width, height, *out, error);
            if (status) {
                return status;
            }
        }
    }
    return MRW_OK;
}

/* Refuses masks of nodes, because picture files do not record nodes. */
static mrw_status check_masks(const mrw_text_list *masks, mrw_error *error)
{
    for (size_t i = 0; i < masks->count; i++) {
        mrw_mask mask;
        char safe[300];
        if (!mrw_mask_parse(masks->items[i], &mask) || mask.kind == MRW_MASK_NODE) {
            return mrwi_base_fail(
                error, MRW_ERROR_USAGE,
                "--mask %s: a picture does not record which pixels belong to a node; use "
                "rect:X,Y,WIDTH,HEIGHT or image:FILE.png, or compare the models",
                mrwi_base_escape(masks->items[i], safe, sizeof safe));
        }
    }
    return MRW_OK;
}

static mrw_status set_frame(mrw_results *results, const pair *p, mrw_case_result *result,
                            mrw_error *error)
{
    mrw_frame_result *frame = mrwi_report_alloc(results, 1, sizeof *frame);
    if (!frame) {
        return mrwi_base_fail_memory(error, sizeof *frame);
    }
    *frame = (mrw_frame_result){
        .name = result->name, .clip = "", .passed = true, .message = "", .pose = {.scale = 1.0}};
    frame->expected = p->paths[0] ? mrwi_report_text(results, p->paths[0]) : NULL;
    frame->actual = p->paths[1] ? mrwi_report_text(results, p->paths[1]) : NULL;
    result->frames = frame;
    result->frame_count = 1;
    bool made = (frame->expected || !p->paths[0]) && (frame->actual || !p->paths[1]);
    return made ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

/* Sets the outcome of frame and case. If they pass, only the case gets the message. */
static mrw_status settle(mrw_results *results, mrw_case_result *result, uint32_t why,
                         const char *text, mrw_error *error)
{
    mrw_frame_result *frame = &result->frames[0];
    const char *message = mrwi_report_text(results, text);
    if (!message) {
        return mrwi_base_fail_memory(error, strlen(text));
    }
    result->message = message;
    frame->why = why;
    frame->passed = why == 0;
    if (why != 0) {
        frame->message = message;
        result->outcome = MRW_FAILED;
        result->bad_frames = 1;
    }
    return MRW_OK;
}

static mrw_status write_diff(const mrwi_diff *diff, const pair *p, const mrw_image images[2],
                             const uint8_t *mask, int threads, mrw_case_result *result,
                             mrw_error *error)
{
    mrw_frame_result *frame = &result->frames[0];
    mrw_image picture = {0};
    if (!p->diff || (frame->metrics.identical && !p->always)) {
        return MRW_OK;
    }
    mrw_status status = mrwi_diff_picture(diff, images, mask, threads, &picture, error);
    if (status) {
        goto out;
    }
    status = mrwi_image_write_png(p->diff, "-o", &picture, error);
    if (status) {
        goto out;
    }
    frame->diff = mrwi_report_text(diff->results, p->diff);
    if (!frame->diff) {
        status = mrwi_base_fail_memory(error, 0);
    }
out:
    mrw_image_free(&picture);
    return status;
}

static mrw_status compare_images(const mrwi_diff *diff, const pair *p, const mrw_image images[2],
                                 int threads, mrw_case_result *result, mrw_error *error)
{
    mrw_frame_result *frame = &result->frames[0];
    uint8_t *mask = NULL;
    char text[256];
    mrw_status status = make_mask(&diff->def->settings->compare.masks, images, &mask, error);
    if (status) {
        goto out;
    }
    status = mrwi_diff_compare(diff, images, mask, threads, &frame->metrics, error);
    if (status) {
        goto out;
    }
    frame->compared = true;
    frame->emptiness = mrw_image_emptiness(&images[1]);
    status = write_diff(diff, p, images, mask, threads, result, error);
    if (status) {
        goto out;
    }
    mrw_compare_text(&frame->metrics, &images[0], &images[1], text, sizeof text);
    status = settle(diff->results, result, frame->metrics.passed ? 0 : MRW_WHY_PIXELS, text, error);
out:
    mrwi_base_free(mask);
    return status;
}

/* Reads and compares both pictures. In a folder an unreadable picture is a difference. */
static mrw_status compare_files(const mrwi_diff *diff, const pair *p, int threads,
                                mrw_case_result *result, mrw_error *error)
{
    mrw_image images[2] = {{0}, {0}};
    mrw_error why;
    mrw_status (*read)(const char *, uint32_t, mrw_image *, mrw_error *) =
        p->alone ? mrw_image_read : mrwi_image_read_regular; /* a named path may be a pipe */
    mrw_status status = MRW_OK;
    for (int s = 0; s < 2; s++) {
        status = read(p->paths[s], 0, &images[s], &why);
        if (status == MRW_ERROR_INPUT && !p->alone) {
            status = settle(diff->results, result, MRW_WHY_DAMAGED, why.text, error);
            goto out;
        }
        if (status) {
            mrwi_base_fail(error, status, "%s", why.text);
            goto out;
        }
    }
    status = compare_images(diff, p, images, threads, result, error);
out:
    mrw_image_free(&images[0]);
    mrw_image_free(&images[1]);
    return status;
}

static mrw_status compare_pair(const mrwi_diff *diff, const pair *p, int threads,
                               mrw_case_result *result, mrw_error *error)
{
    const double start = mrw_clock_seconds(MRW_CLOCK_WALL);
    const char *before = p->paths[0] ? p->paths[0] : "";
    const char *after = p->paths[1] ? p->paths[1] : p->paths[0];
    char text[600], safe[512];
    mrw_status status =
        mrwi_diff_name_case(diff, result, "pictures", p->name, before, after, error);
    if (status) {
        return status;
    }
    status = set_frame(diff->results, p, result, error);
    if (status) {
        return status;
    }
    if (p->paths[0] && p->paths[1]) {
        status = compare_files(diff, p, threads, result, error);
    } else {
        const char *only = diff->paths[p->paths[0] ? 0 : 1];
        snprintf(text, sizeof text, "it is only in %s", mrwi_base_escape(only, safe, sizeof safe));
        status = settle(diff->results, result, MRW_WHY_MISSING, text, error);
    }
    result->seconds = mrw_clock_seconds(MRW_CLOCK_WALL) - start;
    return status;
}

/* ---- two pictures ---------------------------------------------------------------------------- */

mrw_status mrwi_diff_pictures(const mrwi_diff *diff, mrw_error *error)
{
    const char *slash = strrchr(diff->paths[1], '/');
    const pair p = {.name = slash ? slash + 1 : diff->paths[1],
                    .paths = {diff->paths[0], diff->paths[1]},
                    .diff = diff->def->out,
                    .always = true,
                    .alone = true};
    diff->progress->count = 1;
    mrw_status status = check_masks(&diff->def->settings->compare.masks, error);
    if (status) {
        return status;
    }
    status = mrwi_diff_cases(diff->results, diff->compare.mode, 1, error);
    if (status) {
        return status;
    }
    status = compare_pair(diff, &p, diff->def->threads, &diff->results->cases[0], error);
    mrwi_diff_step(diff->progress, 0, status, error);
    return mrwi_diff_outcome(diff->progress, error);
}

/* ---- two folders ----------------------------------------------------------------------------- */

/* Names of the pictures of a folder, relative to it. */
typedef struct listing {
    void *names; /* Items are const char *, in the arena. */
    size_t count;
    size_t others; /* Number of files that are not pictures. */
    mrwi_base_arena *arena;
} listing;

static mrw_status list_entry(listing *list, const char *folder, const char *below, int depth,
                             mrw_error *error);

static mrw_status list_folder(listing *list, const char *folder, const char *below, int depth,
                              mrw_error *error)
{
    char path[4096], safe[512], why[128];
    int length = snprintf(path, sizeof path, "%s/%s", folder, below);
    DIR *open = length < (int)sizeof path && depth < MOST_DEPTH ? opendir(path) : NULL;
    if (!open) {
        const char *reason = depth < MOST_DEPTH ? mrwi_base_error_text(errno, why, sizeof why)
                                                : "folders are nested too deeply";
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: cannot list the folder: %s",
                              mrwi_base_escape(path, safe, sizeof safe), reason);
    }
    mrw_status status = MRW_OK;
    for (struct dirent *entry; (entry = readdir(open));) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        const char *name =
            mrwi_base_format(list->arena, "%s%s%s", below, below[0] ? "/" : "", entry->d_name);
        status =
            name ? list_entry(list, folder, name, depth, error) : mrwi_base_fail_memory(error, 0);
        if (status) {
            goto out;
        }
    }
out:
    closedir(open);
    return status;
}

static mrw_status list_entry(listing *list, const char *folder, const char *below, int depth,
                             mrw_error *error)
{
    char path[4096];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, below);
    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return list_folder(list, folder, below, depth + 1, error);
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return MRW_OK;
    }
    if (!mrwi_diff_is_picture_name(below)) {
        list->others++;
        return MRW_OK;
    }
    return mrwi_options_append(&list->names, &list->count, sizeof below, &below)
               ? MRW_OK
               : mrwi_base_fail_memory(error, sizeof below);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_listed(const listing *list, const char *name)
{
    return list->count > 0 && bsearch(&name, list->names, list->count, sizeof name, by_text);
}

/* Returns the path of a difference's picture: out/NAME for a PNG, otherwise out/NAME.png, with
 * underscores before ".png" until no other picture has that name. NULL when out of memory. */
static const char *diff_path(const listing lists[2], const char *out, const char *name)
{
    const size_t length = strlen(name);
    const bool png = length > 4 && strcmp(name + length - 4, ".png") == 0;
    const char *ending = png ? "" : ".png";
    const char *path = mrwi_base_format(lists[0].arena, "%s%s", name, ending);
    while (path && !png && (is_listed(&lists[0], path) || is_listed(&lists[1], path))) {
        ending = mrwi_base_format(lists[0].arena, "_%s", ending);
        path = ending ? mrwi_base_format(lists[0].arena, "%s%s", name, ending) : NULL;
    }
    return path ? mrwi_base_format(lists[0].arena, "%s/%s", out, path) : NULL;
}

typedef struct folders {
    const mrwi_diff *diff;
    listing lists[2];
    const char *roots[2];
    pair *pairs;
    size_t count;
    int threads; /* Threads that compare one picture. */
} folders;

static mrw_status add_pair(folders *f, const char *before, const char *after, mrw_error *error)
{
    mrwi_base_arena *arena = f->lists[0].arena;
    const char *out = f->diff->def->out;
    pair *p = &f->pairs[f->count++];
    *p = (pair){.name = before ? before : after};
    p->paths[0] = before ? mrwi_base_format(arena, "%s/%s", f->roots[0], before) : NULL;
    p->paths[1] = after ? mrwi_base_format(arena, "%s/%s", f->roots[1], after) : NULL;
    p->diff = out && before && after ? diff_path(f->lists, out, before) : NULL;
    bool made = (p->paths[0] || !before) && (p->paths[1] || !after) &&
                (p->diff || !out || !before || !after);
    return made ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

/* Merges the two lists by name. */
static mrw_status make_pairs(folders *f, mrw_error *error)
{
    const char **a = f->lists[0].names, **b = f->lists[1].names;
    const size_t na = f->lists[0].count, nb = f->lists[1].count;
    f->pairs = mrwi_base_arena_alloc(f->lists[0].arena, na + nb, sizeof *f->pairs);
    if (!f->pairs) {
        return mrwi_base_fail_memory(error, (na + nb) * sizeof *f->pairs);
    }
    for (size_t i = 0, k = 0; i < na || k < nb;) {
        int order = i == na ? 1 : k == nb ? -1 : strcmp(a[i], b[k]);
        mrw_status status = add_pair(f, order <= 0 ? a[i] : NULL, order >= 0 ? b[k] : NULL, error);
        if (status) {
            return status;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return MRW_OK;
}

static mrw_status list_both(folders *f, mrw_error *error)
{
    char safe[2][256];
    for (int s = 0; s < 2; s++) {
        listing *list = &f->lists[s];
        const char *path = f->diff->paths[s];
        size_t length = strlen(path);
        while (length > 1 && path[length - 1] == '/') { /* "before" for "before/" */
            length--;
        }
        f->roots[s] = mrwi_base_format(list->arena, "%.*s", (int)length, path);
        if (!f->roots[s]) {
            return mrwi_base_fail_memory(error, 0);
        }
        mrw_status status = list_folder(list, f->roots[s], "", 0, error);
        if (status) {
            return status;
        }
        if (list->count > 0) {
            qsort(list->names, list->count, sizeof(const char *), by_text);
        }
    }
    if (f->lists[0].count + f->lists[1].count == 0) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "there are no pictures (png, jpg, bmp, tga, dds) in %s or %s",
                              mrwi_base_escape(f->roots[0], safe[0], sizeof safe[0]),
                              mrwi_base_escape(f->roots[1], safe[1], sizeof safe[1]));
    }
    return MRW_OK;
}

static void tell_others(const folders *f)
{
    const mrw_session_host *host = f->diff->def->host;
    size_t others = f->lists[0].others + f->lists[1].others;
    char text[120];
    if (others > 0 && host && host->note) {
        snprintf(text, sizeof text, "%zu file%s not compared", others,
                 others == 1 ? " is not a picture and was" : "s are not pictures and were");
        host->note(host->user, text);
    }
}

static void compare_one(void *user, int64_t index, int worker)
{
    folders *f = user;
    mrw_error error = {0};
    (void)worker;
    if (!atomic_load(&f->diff->progress->stop)) {
        mrw_status status = compare_pair(f->diff, &f->pairs[index], f->threads,
                                         &f->diff->results->cases[index], &error);
        mrwi_diff_step(f->diff->progress, (size_t)index, status, &error);
    }
}

mrw_status mrwi_diff_folders(const mrwi_diff *diff, mrw_error *error)
{
    const int threads = diff->def->threads;
    mrwi_base_arena arena = {0};
    folders f = {.diff = diff, .lists = {{.arena = &arena}, {.arena = &arena}}};
    mrw_status status = check_masks(&diff->def->settings->compare.masks, error);
    if (status) {
        return status;
    }
    status = list_both(&f, error);
    if (status) {
        goto out;
    }
    status = make_pairs(&f, error);
    if (status) {
        goto out;
    }
    status = mrwi_diff_cases(diff->results, diff->compare.mode, f.count, error);
    if (status) {
        goto out;
    }
    tell_others(&f);
    diff->progress->count = f.count;
    const bool apart = f.count >= (size_t)threads; /* one thread per picture */
    f.threads = apart ? 1 : threads;
    mrwi_base_parallel_for(apart ? threads : 1, (int64_t)f.count, compare_one, &f);
    status = mrwi_diff_outcome(diff->progress, error);
out:
    mrwi_base_free(f.lists[0].names);
    mrwi_base_free(f.lists[1].names);
    mrwi_base_arena_free(&arena);
    return status;
}
