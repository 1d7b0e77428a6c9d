/* results_merge.c: results of shards or suites as one. */
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
    uint64_t rank; /* where it stood in the list that was cut into shards */
} entry;

typedef struct merge {
    const mrw_results *parts;
    size_t count;
    const char *folder;
    entry *entries;
    size_t entry_count;
    uint8_t *present; /* a byte a shard */
    uint32_t shards;  /* at least 1 */
    mrw_results out;
    mrwi_base_arena *arena; /* of out */
    bool failed;            /* out of memory */
    mrw_error *error;
} merge;

/* Order by what a reader sees, NULL as the empty text. */
static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static const char *shown_folder(const mrw_results *part, char out[256])
{
    return mrwi_base_escape(part->folder ? part->folder : ".", out, 256);
}

/* ---- shards ---------------------------------------------------------------------------------- */

static mrw_status count_shards(merge *m)
{
    const mrw_results *first = NULL;
    m->shards = 1;
    for (size_t i = 0; i < m->count; i++) {
        const mrw_results *part = &m->parts[i];
        if (part->shard_count <= 1) {
            continue;
        }
        if (first && first->shard_count != part->shard_count) {
            char a[256], b[256];
            return mrwi_base_fail(m->error, MRW_ERROR_INPUT,
                                  "'%s' is one of %" PRIu32 " shards and '%s' one of %" PRIu32
                                  "; merge shards of one run",
                                  shown_folder(first, a), first->shard_count, shown_folder(part, b),
                                  part->shard_count);
        }
        first = first ? first : part;
    }
    if (first) {
        m->shards = first->shard_count;
    }
    if (m->shards > MRWI_REPORT_MAX_SHARDS) {
        return mrwi_base_fail(m->error, MRW_ERROR_INPUT, "more than %d shards can't be merged",
                              MRWI_REPORT_MAX_SHARDS);
    }
    m->present = mrwi_base_alloc_zero(m->shards, 1);
    if (!m->present) {
        return mrwi_base_fail_memory(m->error, m->shards);
    }
    for (size_t i = 0; i < m->count; i++) {
        uint32_t index = m->parts[i].shard_index;
        if (m->parts[i].shard_count > 1 && index >= 1 && index <= m->shards) {
            m->present[index - 1] = 1;
        }
    }
    return MRW_OK;
}

static size_t missing_shards(const merge *m)
{
    size_t missing = 0;
    for (uint32_t i = 0; i < m->shards && m->shards > 1; i++) {
        missing += m->present[i] == 0;
    }
    return missing;
}

/* ---- the cases in order ---------------------------------------------------------------------- */

/* Suite file, line, place in the list; what remains equal is told apart by its part. Shard I of N
 * has the cases I, I + N, I + 2 N ... of the list. */
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

static mrw_status list_entries(merge *m)
{
    for (size_t i = 0; i < m->count; i++) {
        m->entry_count += m->parts[i].case_count;
    }
    m->entries = mrwi_base_alloc(m->entry_count, sizeof *m->entries);
    if (!m->entries) {
        return mrwi_base_fail_memory(m->error, 0);
    }
    size_t used = 0;
    for (size_t i = 0; i < m->count; i++) {
        const mrw_results *part = &m->parts[i];
        uint64_t shards = part->shard_count > 1 ? part->shard_count : 1;
        uint64_t shard = part->shard_count > 1 ? part->shard_index - 1 : 0;
        for (size_t k = 0; k < part->case_count; k++) {
            m->entries[used++] = (entry){&part->cases[k], (uint32_t)i, k * shards + shard};
        }
    }
    return MRW_OK;
}

static mrw_status refuse_doubles(const merge *m)
{
    qsort(m->entries, m->entry_count, sizeof *m->entries, compare_names);
    for (size_t i = 1; i < m->entry_count; i++) {
        const entry *a = &m->entries[i - 1], *b = &m->entries[i];
        if (compare_texts(a->result->suite_file, b->result->suite_file) == 0 &&
            compare_texts(a->result->suite, b->result->suite) == 0 &&
            compare_texts(a->result->name, b->result->name) == 0) {
            char suite[128], name[128], one[256], other[256];
            return mrwi_base_fail(
                m->error, MRW_ERROR_INPUT,
                "case %s/%s stands in '%s' and in '%s'; merge each results folder "
                "once, and not those of two runs",
                mrwi_base_escape(a->result->suite, suite, sizeof suite),
                mrwi_base_escape(a->result->name, name, sizeof name),
                shown_folder(&m->parts[a->part], one), shown_folder(&m->parts[b->part], other));
        }
    }
    return MRW_OK;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Appends the parts of a path to an absolute one without a slash at its end, "." left out and ".."
 * resolved by name. */
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

/* "/a/b" for "/a/./b/" and for "b" in /a. False when there is no current folder. */
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

/* What stands before a path below `to` to have it relative to `from`: "", "a/b/", "../a/". Both are
 * absolute, the root being the empty text. */
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

static mrw_status part_prefix(merge *m, const mrw_results *part, mrw_text *out)
{
    mrw_text from = {0}, to = {0};
    char why[128];
    bool fine =
        make_absolute(m->folder, &from) && make_absolute(part->folder ? part->folder : ".", &to);
    if (fine && !from.failed && !to.failed) {
        relative_prefix(from.data, to.data, out);
        mrw_text_put(out, "", 0);
    }
    m->failed = m->failed || from.failed || to.failed || out->failed;
    mrw_text_free(&from);
    mrw_text_free(&to);
    return fine ? MRW_OK
                : mrwi_base_fail(
                      m->error, MRW_ERROR_INPUT,
                      "the current folder can't be told (%s); give absolute paths, or start "
                      "in another folder",
                      mrwi_base_error_text(errno, why, sizeof why));
}

/* ---- copying --------------------------------------------------------------------------------- */

static const char *copy(merge *m, const char *text)
{
    const char *out = mrwi_base_copy_text(m->arena, text);
    m->failed = m->failed || (text && !out);
    return out;
}

static const char *copy_picture(merge *m, const char *prefix, const char *picture)
{
    if (!picture || picture[0] == '/') {
        return copy(m, picture);
    }
    size_t before = strlen(prefix), size = strlen(picture) + 1;
    char *out = mrwi_base_arena_alloc(m->arena, before + size, 1);
    m->failed = m->failed || !out;
    if (out) {
        memcpy(out, prefix, before);
        memcpy(out + before, picture, size);
    }
    return out;
}

static const char *const *copy_texts(merge *m, const char *const *texts, size_t count)
{
    const char **out = mrwi_base_arena_alloc(m->arena, count, sizeof *out);
    m->failed = m->failed || !out;
    for (size_t i = 0; out && i < count; i++) {
        out[i] = copy(m, texts[i]);
    }
    return out;
}

static mrw_frame_result copy_frame(merge *m, const char *prefix, const mrw_frame_result *frame)
{
    mrw_frame_result out = *frame;
    out.name = copy(m, frame->name);
    out.clip = copy(m, frame->clip);
    out.message = copy(m, frame->message);
    out.pose.joint = copy(m, frame->pose.joint);
    out.expected = copy_picture(m, prefix, frame->expected);
    out.actual = copy_picture(m, prefix, frame->actual);
    out.diff = copy_picture(m, prefix, frame->diff);
    return out;
}

static mrw_case_result copy_case(merge *m, const char *prefix, const mrw_case_result *result)
{
    mrw_case_result out = *result;
    out.suite = copy(m, result->suite);
    out.name = copy(m, result->name);
    out.suite_file = copy(m, result->suite_file);
    out.model = copy(m, result->model);
    out.golden = copy(m, result->golden);
    out.message = copy(m, result->message);
    out.reason = copy(m, result->reason);
    out.mode = copy(m, result->mode);
    out.scene_hash = copy(m, result->scene_hash);
    out.golden_scene_hash = copy(m, result->golden_scene_hash);
    out.tags = copy_texts(m, result->tags, result->tag_count);
    out.frames = mrwi_base_arena_alloc(m->arena, result->frame_count, sizeof *out.frames);
    m->failed = m->failed || !out.frames;
    for (size_t i = 0; i < result->frame_count && !m->failed; i++) {
        out.frames[i] = copy_frame(m, prefix, &result->frames[i]);
    }
    return out;
}

/* The case that stands for a shard of which there is nothing. */
static mrw_case_result lost_shard(merge *m, uint32_t shard)
{
    char name[64], message[256];
    snprintf(name, sizeof name, "shard %" PRIu32 " of %" PRIu32, shard, m->shards);
    snprintf(message, sizeof message,
             "%s is missing: its results were not given; look whether its job ended early and "
             "whether its results were kept",
             name);
    return (mrw_case_result){
        .suite = "marrow",
        .name = copy(m, name),
        .suite_file = "",
        .model = "",
        .golden = "",
        .outcome = MRW_FAILED,
        .message = copy(m, message),
        .mode = "exact",
        .scene_hash = "",
        .golden_scene_hash = "",
        .runs = 0,
    };
}

static mrw_status copy_cases(merge *m)
{
    mrw_text *prefixes = mrwi_base_alloc_zero(m->count, sizeof *prefixes);
    mrw_status status = prefixes ? MRW_OK : mrwi_base_fail_memory(m->error, 0);
    for (size_t i = 0; i < m->count && status == MRW_OK; i++) {
        status = part_prefix(m, &m->parts[i], &prefixes[i]);
    }
    m->out.cases =
        mrwi_base_arena_alloc(m->arena, m->entry_count + missing_shards(m), sizeof *m->out.cases);
    m->failed = m->failed || !m->out.cases;
    for (uint32_t i = 0; i < m->shards && m->shards > 1 && status == MRW_OK && !m->failed; i++) {
        if (m->present[i] == 0) {
            m->out.cases[m->out.case_count++] = lost_shard(m, i + 1);
        }
    }
    for (size_t i = 0; i < m->entry_count && status == MRW_OK && !m->failed; i++) {
        m->out.cases[m->out.case_count++] =
            copy_case(m, prefixes[m->entries[i].part].data, m->entries[i].result);
    }
    for (size_t i = 0; i < m->count && prefixes; i++) {
        mrw_text_free(&prefixes[i]);
    }
    mrwi_base_free(prefixes);
    return status;
}

static void copy_unused(merge *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        count += m->parts[i].unused_count;
    }
    const char **unused = mrwi_base_arena_alloc(m->arena, count, sizeof *unused);
    m->failed = m->failed || !unused;
    for (size_t i = 0; i < m->count && unused; i++) {
        for (size_t k = 0; k < m->parts[i].unused_count; k++) {
            unused[m->out.unused_count++] = copy(m, m->parts[i].unused[k]);
        }
    }
    m->out.unused = unused;
}

static mrw_status fill(merge *m)
{
    mrw_status status = count_shards(m);
    status = status == MRW_OK ? list_entries(m) : status;
    status = status == MRW_OK ? refuse_doubles(m) : status;
    if (status != MRW_OK) {
        return status;
    }
    qsort(m->entries, m->entry_count, sizeof *m->entries, compare_entries);
    status = copy_cases(m);
    copy_unused(m);
    for (size_t i = 0; i < m->count; i++) {
        m->out.seconds += m->parts[i].seconds;
    }
    m->out.title = copy(m, m->count > 0 && m->parts[0].title ? m->parts[0].title : "marrow test");
    m->out.folder = copy(m, m->folder);
    m->out.shard_index = m->out.shard_count = 1;
    mrwi_report_results_count(&m->out);
    return status == MRW_OK && m->failed ? mrwi_base_fail_memory(m->error, 0) : status;
}

mrw_status mrw_results_merge(const mrw_results *parts, size_t count, const char *folder,
                             mrw_results *out, mrw_error *error)
{
    merge m = {.parts = parts, .count = count, .folder = folder, .error = error};
    m.arena = mrwi_report_results_arena(&m.out);
    mrw_status status = m.arena ? fill(&m) : mrwi_base_fail_memory(error, 0);
    mrwi_base_free(m.entries);
    mrwi_base_free(m.present);
    if (status != MRW_OK) {
        mrw_results_free(&m.out);
    }
    *out = m.out;
    return status;
}
