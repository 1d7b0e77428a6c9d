/* misnamed.c: finds suites whose goldens lie under another name. A suite without a `name` is
 * named by its file or its folder, so a checkout into another folder looks for goldens that do
 * not exist. */
#include "base/file.h"
#include "base/text.h"
#include "marrow/golden.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Cases of one suite file, next to each other in a list. */
typedef struct suite_cases {
    const mrw_case *items;
    size_t count;
} suite_cases;

/* ---- goldens --------------------------------------------------------------------------------- */

/* Copies GOLDEN of a case's folder GOLDEN/SUITE/CASE. */
static void root_of(const mrw_case *c, char out[4096])
{
    snprintf(out, 4096, "%s", c->golden);
    mrwi_base_cut_parts(out, 2);
}

static bool has_goldens(const char *folder)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/golden.txt", folder);
    return length < (int)sizeof path && access(path, F_OK) == 0;
}

static bool has_any_goldens(const suite_cases *suite)
{
    for (size_t i = 0; i < suite->count; i++) {
        if (has_goldens(suite->items[i].golden)) {
            return true;
        }
    }
    return false;
}

/* Returns how many of the cases have goldens if the suite had this name. */
static size_t count_goldens(const suite_cases *suite, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < suite->count; i++) {
        char root[4096], folder[4096];
        root_of(&suite->items[i], root);
        const int length =
            snprintf(folder, sizeof folder, "%s/%s/%s", root, name, suite->items[i].name);
        count += length < (int)sizeof folder && has_goldens(folder);
    }
    return count;
}

/* ---- other suites ---------------------------------------------------------------------------- */

/* Returns true if another suite of the list, or another one beside this suite, has this name.
 * Suites that cannot be read do not count. */
static bool is_taken(const mrw_case_list *cases, const suite_cases *suite, const char *name)
{
    const char *own = suite->items[0].suite_file;
    char folder[4096];
    bool taken = false;
    for (size_t i = 0; i < cases->count; i++) {
        const mrw_case *c = &cases->items[i];
        taken = taken || (strcmp(c->suite_file, own) != 0 && strcmp(c->suite, name) == 0);
    }
    snprintf(folder, sizeof folder, "%s", own);
    mrwi_base_cut_parts(folder, 1);
    DIR *dir = taken ? NULL : opendir(folder);
    for (struct dirent *entry; dir && !taken && (entry = readdir(dir));) {
        const char *slash = strrchr(own, '/');
        char path[4096];
        const char *paths[] = {path};
        mrw_case_list others = {0};
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (mrw_is_suite_file(entry->d_name) && length < (int)sizeof path &&
            strcmp(entry->d_name, slash ? slash + 1 : own) != 0 &&
            !mrw_cases_load(paths, 1, &others, NULL)) {
            taken = others.count > 0 && strcmp(others.items[0].suite, name) == 0;
        }
        mrw_cases_free(&others);
    }
    if (dir) {
        closedir(dir);
    }
    return taken;
}

/* ---- one suite ------------------------------------------------------------------------------- */

/* Finds the name under which most of the cases have goldens, at least half of them; "" if there is
 * none. Among equal counts it takes the first name by strcmp. */
static void find_name(const mrw_case_list *cases, const suite_cases *suite, char out[NAME_MAX + 1])
{
    char root[4096];
    size_t best = (suite->count + 1) / 2 - 1;
    root_of(&suite->items[0], root);
    out[0] = '\0';
    DIR *dir = opendir(root);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const size_t count = entry->d_name[0] == '.' ? 0 : count_goldens(suite, entry->d_name);
        const bool better =
            count > best || (count == best && out[0] != '\0' && strcmp(entry->d_name, out) < 0);
        if (count > 0 && better && !is_taken(cases, suite, entry->d_name)) {
            best = count;
            snprintf(out, NAME_MAX + 1, "%s", entry->d_name);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

/* Adds "golden/repo holds these cases: add `name = repo` to [defaults] of suite.ini". */
static void add_line(const suite_cases *suite, const char *name, mrw_text *out)
{
    const mrw_case *c = &suite->items[0];
    char root[4096], safe[600];
    root_of(c, root);
    mrw_text_escaped(out, root);
    mrw_text_add(out, "/%s holds these cases: %s `name = %s` ",
                 mrw_escape_text(name, safe, sizeof safe), c->named ? "write" : "add", safe);
    mrw_text_puts(out, c->named ? "in [defaults] of " : "to [defaults] of ");
    mrw_text_escaped(out, c->suite_file);
    mrw_text_puts(out, "\n");
}

mrw_status mrw_find_misnamed_suites(const mrw_case_list *cases, mrw_text *out, mrw_error *error)
{
    suite_cases suite = {0};
    for (size_t i = 0; i < cases->count; i += suite.count) {
        char name[NAME_MAX + 1];
        suite = (suite_cases){&cases->items[i], 1};
        while (i + suite.count < cases->count &&
               strcmp(suite.items[suite.count].suite_file, suite.items[0].suite_file) == 0) {
            suite.count++;
        }
        if (has_any_goldens(&suite)) {
            continue;
        }
        find_name(cases, &suite, name);
        if (name[0] != '\0') {
            add_line(&suite, name, out);
        }
    }
    return out->failed ? mrwi_base_fail_memory(error, out->capacity) : MRW_OK;
}
