/* links.c: symbolic links where a suite keeps its files. Writing through one would change a file
 * outside the suite's folder, and reading through one would show it in a report. */
#include "golden/links.h"

#include "base/links.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Returns the length of a path without its last `count` components. */
static size_t without_parts(const char *path, int count)
{
    size_t length = strlen(path);
    for (; count > 0 && length > 0; count--) {
        while (length > 0 && path[length - 1] != '/') {
            length--;
        }
        length -= length > 0;
    }
    return length;
}

/* Returns the length of the folder of a suite if it contains a path, else that of the path without
 * ROOT/SUITE/CASE's last two components: the root was named by the suite, and lies elsewhere. */
static size_t trusted_part(const mrw_case *c, const char *path)
{
    const size_t folder = without_parts(c->suite_file, 1);
    const bool contains = folder == 0
                              ? *path != '/' && strncmp(path, "..", 2) != 0
                              : strncmp(path, c->suite_file, folder) == 0 && path[folder] == '/';
    return contains ? folder : without_parts(path, 2);
}

/* Checks ROOT/SUITE/CASE: the way there, and, once, all that is in the folder without its last
 * `parts` components. Goldens may lie among other files of the suite, results do not. */
static mrw_status check_case(const char *path, size_t trusted, int parts, char done[PATH_MAX],
                             mrw_error *error)
{
    char root[PATH_MAX];
    mrw_status status = mrwi_base_links_on_way(path, trusted, error);
    snprintf(root, sizeof root, "%.*s", (int)without_parts(path, parts), path);
    if (status || strcmp(root, done) == 0) {
        return status;
    }
    memcpy(done, root, sizeof root);
    return mrwi_base_links_below(root[0] ? root : ".", error);
}

/* Checks a case's folder among the results that the user has named. */
static mrw_status check_named(const mrw_case *c, const char *results, char done[PATH_MAX],
                              mrw_error *error)
{
    static const char *const files[] = {"results.json", ".gitignore"};
    char path[PATH_MAX];
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !status; i++) {
        snprintf(path, sizeof path, "%s/%s", results, files[i]);
        status = mrwi_base_links_on_way(path, strlen(results), error);
    }
    snprintf(path, sizeof path, "%s/%s/%s", results, c->suite, c->name);
    return status ? status : check_case(path, strlen(results), 1, done, error);
}

mrw_status mrwi_golden_refuse_links(const mrw_case_list *cases, const char *results,
                                    mrw_error *error)
{
    char goldens[PATH_MAX] = "-", own[PATH_MAX] = "-";
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < cases->count && !status; i++) {
        const mrw_case *c = &cases->items[i];
        status = check_case(c->golden, trusted_part(c, c->golden), 1, goldens, error);
        if (!status) {
            status = results ? check_named(c, results, own, error)
                             : check_case(c->results, trusted_part(c, c->results), 2, own, error);
        }
    }
    return status;
}
