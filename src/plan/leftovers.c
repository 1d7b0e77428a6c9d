/* leftovers.c: frames of an earlier run in the folder of those that were written now. A program
 * that reads the folder would take both. */
#include "marrow/plan.h"

#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that begin with `prefix`, end with `suffix`, and have a number between. */
typedef struct pattern {
    char folder[MRW_OUTPUT_PATH_SIZE]; /* ends with a slash, or is "" */
    char prefix[MRW_OUTPUT_PATH_SIZE], suffix[MRW_OUTPUT_PATH_SIZE];
} pattern;

/* Finds the last number of a file's name that is the frame's. */
static bool find_pattern(const char *path, uint64_t frame, pattern *out)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool found = false;
    for (const char *at = name; *at != '\0';) {
        const size_t digits = strspn(at, "0123456789");
        if (digits > 0 && digits < 20 && strtoull(at, NULL, 10) == frame) {
            snprintf(out->folder, sizeof out->folder, "%.*s", (int)(name - path), path);
            snprintf(out->prefix, sizeof out->prefix, "%.*s", (int)(at - name), name);
            snprintf(out->suffix, sizeof out->suffix, "%s", at + digits);
            found = true;
        }
        at += digits > 0 ? digits : 1;
    }
    return found;
}

static bool matches(const pattern *p, const char *name)
{
    const size_t before = strlen(p->prefix), length = strlen(name);
    if (length <= before || strncmp(name, p->prefix, before) != 0) {
        return false;
    }
    const size_t digits = strspn(name + before, "0123456789");
    return digits > 0 && strcmp(name + before + digits, p->suffix) == 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Counts files of a pattern that are not in the sorted list; *first receives the least name. */
static uint32_t count_others(const pattern *p, const char *const *written, size_t count,
                             char first[MRW_OUTPUT_PATH_SIZE])
{
    DIR *dir = opendir(p->folder[0] != '\0' ? p->folder : ".");
    uint32_t others = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[MRW_OUTPUT_PATH_SIZE];
        const char *key = path;
        const int length = snprintf(path, sizeof path, "%s%s", p->folder, entry->d_name);
        if (length >= (int)sizeof path || !matches(p, entry->d_name) ||
            bsearch(&key, written, count, sizeof *written, by_text)) {
            continue;
        }
        if (others == 0 || strcmp(path, first) < 0) {
            memcpy(first, path, (size_t)length + 1);
        }
        others++;
    }
    if (dir) {
        closedir(dir);
    }
    return others;
}

/* Returns true if names of files contain frame numbers, and all frames were written now. */
static bool has_numbered_frames(const mrw_settings *settings, const mrw_plan *plan)
{
    const char *path = settings->output.path;
    uint32_t fields = 0;
    if (mrw_output_describe(plan->format)->collects || plan->passes.count > 0 ||
        settings->run.shard_count > 1 || mrw_output_is_stdout(path)) {
        return false;
    }
    if (!path || mrw_output_is_folder(path)) { /* default names, without numbers for stills */
        return plan->pictures.count > plan->view_count;
    }
    return !mrw_template_check(path, &fields, NULL) && (fields & MRW_FIELD_FRAME) != 0;
}

/* Returns true if an earlier picture has the same clip and view. */
static bool is_repeated(const mrw_picture *pictures, uint32_t index)
{
    for (uint32_t i = index; i-- > 0 && pictures[i].clip == pictures[index].clip;) {
        if (pictures[i].view == pictures[index].view) {
            return true;
        }
    }
    return false;
}

uint32_t mrw_plan_leftovers(const mrw_settings *settings, const mrw_plan *plan,
                            char first[MRW_OUTPUT_PATH_SIZE])
{
    const mrw_output_files *files = &plan->files;
    uint32_t others = 0;
    first[0] = '\0';
    if (!has_numbered_frames(settings, plan)) {
        return 0;
    }
    const char **written = mrwi_base_alloc(files->count, sizeof *written);
    if (!written) {
        return 0;
    }
    for (uint32_t i = 0; i < files->count; i++) {
        written[i] = files->paths[i];
    }
    qsort(written, files->count, sizeof *written, by_text);
    for (uint32_t i = 0; i < files->picture_count; i++) {
        const mrw_picture *picture = &plan->pictures.items[i];
        char name[MRW_OUTPUT_PATH_SIZE];
        pattern p;
        if (is_repeated(plan->pictures.items, i) ||
            !find_pattern(files->paths[files->of[i]], picture->frame, &p)) {
            continue;
        }
        const uint32_t more = count_others(&p, written, files->count, name);
        if (others == 0 && more > 0) {
            memcpy(first, name, sizeof name);
        }
        others += more;
    }
    mrwi_base_free(written);
    return others;
}
