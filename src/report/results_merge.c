/* results_merge.c: merges the results of shards or suites into one. */
#include "report/results.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A case of a part. */
typedef struct entry {
    const mrw_case_result *result;
    uint32_t part;
    uint64_t rank; /* Its place in the list before that was cut into shards. */
} entry;

/* The cases of all parts. */
typedef struct entry_list {
    entry *items;
    size_t count;
} entry_list;

/* The shards of the run, and which of them were given. */
typedef struct shard_set {
    uint8_t *present; /* One byte per shard. */
    uint32_t count;   /* At least 1. */
} shard_set;

/* Copies parts into the merged results. */
typedef struct copier {
    mrwi_base_arena *arena; /* The arena of the merged results. */
    bool failed;            /* It ran out of memory. */
} copier;

/* Orders texts as a reader sees them: NULL is the empty text. */
static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static const char *shown_folder(const mrw_results *part, char out[256])
{
    return mrwi_base_escape(part->folder ? part->folder : ".", out, 256);
}

/* ---- shards ---------------------------------------------------------------------------------- */

/* Finds the number of shards and which were given. Fails for shards of different runs. */
static mrw_status count_shards(const mrw_results *parts, size_t count, shard_set *out,
                               mrw_error *error)
{
    const mrw_results *first = NULL;
    out->count = 1;
    for (size_t i = 0; i < count; i++) {
        const mrw_results *part = &parts[i];
        if (part->shard_count <= 1) {
            continue;
        }
        if (first && first->shard_count != part->shard_count) {
            char a[256], b[256];
            return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                  "'%s' is one of %" PRIu32 " shards, but '%s' is one of %" PRIu32
                                  "; merge only shards of one run",
                                  shown_folder(first, a), first->shard_count, shown_folder(part, b),
                                  part->shard_count);
        }
        first = first ? first : part;
    }
    if (first) {
        out->count = first->shard_count;
    }
    if (out->count > MRWI_REPORT_MAX_SHARDS) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "more than %d shards can't be merged",
                              MRWI_REPORT_MAX_SHARDS);
    }
    out->present = mrwi_base_alloc_zero(out->count, 1);
    if (!out->present) {
        return mrwi_base_fail_memory(error, out->count);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t index = parts[i].shard_index;
        if (parts[i].shard_count > 1 && index >= 1 && index <= out->count) {
            out->present[index - 1] = 1;
        }
    }
    return MRW_OK;
}

/* Returns true for a shard that was not given. A run that was not cut misses none. */
static bool is_missing(const shard_set *shards, uint32_t index)
{
    return shards->count > 1 && shards->present[index] == 0;
}

/* ---- the cases in order ---------------------------------------------------------------------- */

/* Orders entries by suite file, suite, line, place in the list and part. Shard I of N has the cases
 * I, I + N, I + 2 N ... of the list. */
static int compare_entries(const void *pa, const void *pb)
{
    const entry *a = pa, *b = pb;
    int order = compare_texts(a->result->suite_file, b->result->suite_file);
    order = order != 0 ? order : compare_texts(a->result->suite, b->result->suite);
    if (order == 0 && a->result->line != b->result->line) {
        order = a->result->line < b->result->line ? -1 : 1;
    }
    if (order == 0 && a->rank != b->rank) {
        order = a->rank < b->rank ? -1 : 1;
    }
    if (order == 0 && a->part != b->part) {
        order = a->part < b->part ? -1 : 1;
    }
    return order;
}

static int compare_names(const void *pa, const void *pb)
{
    const entry *a = pa, *b = pb;
    int order = compare_texts(a->result->suite_file, b->result->suite_file);
    order = order != 0 ? order : compare_texts(a->result->suite, b->result->suite);
    order = order != 0 ? order : compare_texts(a->result->name, b->result->name);
    return order != 0 ? order : compare_entries(pa, pb);
}

static mrw_status list_entries(const mrw_results *parts, size_t count, entry_list *out,
                               mrw_error *error)
{
    for (size_t i = 0; i < count; i++) {
        out->count += parts[i].case_count;
    }
    out->items = mrwi_base_alloc(out->count, sizeof *out->items);
    if (!out->items) {
        return mrwi_base_fail_memory(error, 0);
    }
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const mrw_results *part = &parts[i];
        uint64_t shards = part->shard_count > 1 ? part->shard_count : 1;
        uint64_t shard = part->shard_count > 1 ? part->shard_index - 1 : 0;
        for (size_t k = 0; k < part->case_count; k++) {
            out->items[used++] = (entry){&part->cases[k], (uint32_t)i, k * shards + shard};
        }
    }
    return MRW_OK;
}

/* Fails if a case comes twice. Sorts the cases by name. */
static mrw_status refuse_doubles(const mrw_results *parts, entry_list *list, mrw_error *error)
{
    qsort(list->items, list->count, sizeof *list->items, compare_names);
    for (size_t i = 1; i < list->count; i++) {
        const entry *a = &list->items[i - 1], *b = &list->items[i];
        if (compare_texts(a->result->suite_file, b->result->suite_file) == 0 &&
            compare_texts(a->result->suite, b->result->suite) == 0 &&
            compare_texts(a->result->name, b->result->name) == 0) {
            char suite[128], name[128], one[256], other[256];
            return mrwi_base_fail(error, MRW_ERROR_INPUT,
                                  "case %s/%s is in '%s' and in '%s'; merge each results folder "
                                  "only once, and only folders of one run",
                                  mrwi_base_escape(a->result->suite, suite, sizeof suite),
                                  mrwi_base_escape(a->result->name, name, sizeof name),
                                  shown_folder(&parts[a->part], one),
                                  shown_folder(&parts[b->part], other));
        }
    }
    return MRW_OK;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Appends the parts of a path to an absolute path that does not end in a slash. Leaves out "." and
 * resolves ".." by name. */
static void append_parts(mrw_text *text, const char *path)
{
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        if (length == 2 && memcmp(path, "..", 2) == 0) {
            while (text->size > 0 && text->data[--text->size] != '/') {
            }
        } else if (length > 1 || (length == 1 && *path != '.')) {
            mrw_text_put(text, "/", 1);
            mrw_text_put(text, path, length);
        }
        path += length + (path[length] == '/');
    }
}

/* Writes "/a/b" for "/a/./b/", and for "b" in folder /a. Returns false if there is no current
 * folder. */
static bool make_absolute(const char *path, mrw_text *out)
{
    if (path[0] != '/') {
        char current[4096];
        if (!getcwd(current, sizeof current)) {
            return false;
        }
        append_parts(out, current);
    }
    append_parts(out, path);
    mrw_text_put(out, "", 0); /* terminates what ".." has shortened */
    return true;
}

/* Writes the prefix that makes a path below `to` relative to `from`: "", "a/b/", "../a/". Both are
 * absolute; the root is the empty text. */
static void relative_prefix(const char *from, const char *to, mrw_text *out)
{
    size_t common = 0;
    for (size_t i = 0;; i++) {
        bool from_part = from[i] == '/' || from[i] == '\0', to_part = to[i] == '/' || to[i] == '\0';
        common = from_part && to_part ? i : common;
        if (from[i] != to[i] || from[i] == '\0') {
            break;
        }
    }
    for (const char *p = from + common; *p != '\0'; p++) {
        mrw_text_puts(out, *p == '/' ? "../" : "");
    }
    if (to[common] == '/') {
        mrw_text_puts(out, to + common + 1);
        mrw_text_puts(out, "/");
    }
}

/* Writes the prefix of the pictures of one part. */
static mrw_status part_prefix(const char *folder, const mrw_results *part, mrw_text *out,
                              mrw_error *error)
{
    mrw_text from = {0}, to = {0};
    char why[128];
    bool fine =
        make_absolute(folder, &from) && make_absolute(part->folder ? part->folder : ".", &to);
    if (fine && !from.failed && !to.failed) {
        relative_prefix(from.data, to.data, out);
        mrw_text_put(out, "", 0);
    }
    bool made = !from.failed && !to.failed && !out->failed;
    mrw_text_free(&from);
    mrw_text_free(&to);
    if (!fine) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "the current folder can't be determined (%s); give absolute paths, "
                              "or start in another folder",
                              mrwi_base_error_text(errno, why, sizeof why));
    }
    return made ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

/* ---- copying --------------------------------------------------------------------------------- */

static const char *copy(copier *c, const char *text)
{
    const char *out = mrwi_base_copy_text(c->arena, text);
    c->failed = c->failed || (text && !out);
    return out;
}

static const char *copy_picture(copier *c, const char *prefix, const char *picture)
{
    if (!picture || picture[0] == '/') {
        return copy(c, picture);
    }
    size_t before = strlen(prefix), size = strlen(picture) + 1;
    char *out = mrwi_base_arena_alloc(c->arena, before + size, 1);
    c->failed = c->failed || !out;
    if (out) {
        memcpy(out, prefix, before);
        memcpy(out + before, picture, size);
    }
    return out;
}

static const char *const *copy_texts(copier *c, const char *const *texts, size_t count)
{
    const char **out = mrwi_base_arena_alloc(c->arena, count, sizeof *out);
    c->failed = c->failed || !out;
    for (size_t i = 0; out && i < count; i++) {
        out[i] = copy(c, texts[i]);
    }
    return out;
}

static mrw_frame_result copy_frame(copier *c, const char *prefix, const mrw_frame_result *frame)
{
    mrw_frame_result out = *frame;
    out.name = copy(c, frame->name);
    out.clip = copy(c, frame->clip);
    out.message = copy(c, frame->message);
    out.pose.joint = copy(c, frame->pose.joint);
    out.expected = copy_picture(c, prefix, frame->expected);
    out.actual = copy_picture(c, prefix, frame->actual);
    out.diff = copy_picture(c, prefix, frame->diff);
    return out;
}

static mrw_case_result copy_case(copier *c, const char *prefix, const mrw_case_result *result)
{
    mrw_case_result out = *result;
    out.suite = copy(c, result->suite);
    out.name = copy(c, result->name);
    out.suite_file = copy(c, result->suite_file);
    out.model = copy(c, result->model);
    out.golden = copy(c, result->golden);
    out.backend = copy(c, result->backend);
    out.driver = copy(c, result->driver);
    out.message = copy(c, result->message);
    out.model_change = copy(c, result->model_change);
    out.suite_change = copy(c, result->suite_change);
    out.framing = copy(c, result->framing);
    out.reason = copy(c, result->reason);
    out.mode = copy(c, result->mode);
    out.scene_hash = copy(c, result->scene_hash);
    out.golden_scene_hash = copy(c, result->golden_scene_hash);
    out.tags = copy_texts(c, result->tags, result->tag_count);
    out.frames = mrwi_base_arena_alloc(c->arena, result->frame_count, sizeof *out.frames);
    c->failed = c->failed || !out.frames;
    for (size_t i = 0; i < result->frame_count && !c->failed; i++) {
        out.frames[i] = copy_frame(c, prefix, &result->frames[i]);
    }
    return out;
}

/* Makes the failed case that stands for a shard without results. */
static mrw_case_result lost_shard(copier *c, uint32_t shard, uint32_t count)
{
    char name[64], message[256];
    snprintf(name, sizeof name, "shard %" PRIu32 " of %" PRIu32, shard, count);
    snprintf(message, sizeof message,
             "%s is missing: its results were not given; check whether its job ended early and "
             "whether its results were kept",
             name);
    return (mrw_case_result){
        .suite = "marrow",
        .name = copy(c, name),
        .suite_file = "",
        .model = "",
        .golden = "",
        .outcome = MRW_FAILED,
        .message = copy(c, message),
        .mode = "exact",
        .scene_hash = "",
        .golden_scene_hash = "",
        .runs = 0,
    };
}

/* Copies all cases, lost shards first. */
static void copy_cases(copier *c, const shard_set *shards, const entry_list *list,
                       const mrw_text *prefixes, mrw_results *out)
{
    size_t missing = 0;
    for (uint32_t i = 0; i < shards->count; i++) {
        missing += is_missing(shards, i);
    }
    out->cases = mrwi_base_arena_alloc(c->arena, list->count + missing, sizeof *out->cases);
    c->failed = c->failed || !out->cases;
    for (uint32_t i = 0; i < shards->count && !c->failed; i++) {
        if (is_missing(shards, i)) {
            out->cases[out->case_count++] = lost_shard(c, i + 1, shards->count);
        }
    }
    for (size_t i = 0; i < list->count && !c->failed; i++) {
        const entry *e = &list->items[i];
        out->cases[out->case_count++] = copy_case(c, prefixes[e->part].data, e->result);
    }
}

static void copy_unused(copier *c, const mrw_results *parts, size_t count, mrw_results *out)
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all += parts[i].unused_count;
    }
    const char **unused = mrwi_base_arena_alloc(c->arena, all, sizeof *unused);
    c->failed = c->failed || !unused;
    for (size_t i = 0; i < count && unused; i++) {
        for (size_t k = 0; k < parts[i].unused_count; k++) {
            unused[out->unused_count++] = copy(c, parts[i].unused[k]);
        }
    }
    out->unused = unused;
}

static void copy_head(copier *c, const mrw_results *parts, size_t count, const char *folder,
                      mrw_results *out)
{
    for (size_t i = 0; i < count; i++) {
        out->seconds += parts[i].seconds;
    }
    out->title = copy(c, count > 0 && parts[0].title ? parts[0].title : "marrow test");
    out->against = copy(c, count > 0 ? parts[0].against : NULL);
    out->folder = copy(c, folder);
    out->shard_index = out->shard_count = 1;
}

/* ---- merging --------------------------------------------------------------------------------- */

mrw_status mrw_results_merge(const mrw_results *parts, size_t count, const char *folder,
                             mrw_results *out, mrw_error *error)
{
    mrw_results merged = {0};
    shard_set shards = {0};
    entry_list list = {0};
    copier c = {.arena = mrwi_report_results_arena(&merged)};
    mrw_text *prefixes = mrwi_base_alloc_zero(count, sizeof *prefixes);
    mrw_status status = MRW_OK;
    if (!c.arena) {
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    status = count_shards(parts, count, &shards, error);
    if (status) {
        goto out;
    }
    status = list_entries(parts, count, &list, error);
    if (status) {
        goto out;
    }
    status = refuse_doubles(parts, &list, error);
    if (status) {
        goto out;
    }
    if (!prefixes) {
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        status = part_prefix(folder, &parts[i], &prefixes[i], error);
        if (status) {
            goto out;
        }
    }
    qsort(list.items, list.count, sizeof *list.items, compare_entries);
    copy_cases(&c, &shards, &list, prefixes, &merged);
    copy_unused(&c, parts, count, &merged);
    copy_head(&c, parts, count, folder, &merged);
    mrwi_report_results_count(&merged);
    status = c.failed ? mrwi_base_fail_memory(error, 0) : MRW_OK;
out:
    for (size_t i = 0; i < count && prefixes; i++) {
        mrw_text_free(&prefixes[i]);
    }
    mrwi_base_free(prefixes);
    mrwi_base_free(list.items);
    mrwi_base_free(shards.present);
    if (status) {
        mrw_results_free(&merged);
    }
    *out = merged;
    return status;
}
