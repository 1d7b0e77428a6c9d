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

static bool goes_up(const char *path)
{
    return strncmp(path, "..", 2) == 0 && (path[2] == '\0' || path[2] == '/');
}

/* Returns the length of the folder of a suite if it contains a path, else that of the path without
 * ROOT/SUITE/CASE's last two components: the root was named by the suite, and lies elsewhere. */
static size_t trusted_part(const mrw_case *c, const char *path)
{
    const size_t folder = without_parts(c->suite_file, 1);
    const bool contains = folder == 0
                              ? *path != '/' && !goes_up(path)
                              : strncmp(path, c->suite_file, folder) == 0 && path[folder] == '/';
    return contains ? folder : without_parts(path, 2);
}

/* Checks ROOT/SUITE/CASE: the way there, and, once, all that is in ROOT/SUITE. */
static mrw_status check_case(const char *path, size_t trusted, char done[PATH_MAX],
                             mrw_error *error)
{
    char suite[PATH_MAX];
    mrw_status status = mrwi_base_links_on_way(path, trusted, error);
    const size_t length = without_parts(path, 1);
    snprintf(suite, sizeof suite, "%.*s", (int)(length < PATH_MAX ? length : PATH_MAX - 1), path);
    if (status || strcmp(suite, done) == 0) {
        return status;
    }
    memcpy(done, suite, sizeof suite);
    return mrwi_base_links_below(suite, error);
}

static mrw_status check_goldens(const mrw_case *c, char done[PATH_MAX], mrw_error *error)
{
    mrw_status status = check_case(c->golden, trusted_part(c, c->golden), done, error);
    return status || !c->golden_renamed
               ? status
               : check_case(c->golden_renamed, trusted_part(c, c->golden_renamed), done, error);
}

/* Checks the results of a case, in a folder that the user has named or beside the suite. */
static mrw_status check_results(const mrw_case *c, const char *named, char done[PATH_MAX],
                                mrw_error *error)
{
    static const char *const files[] = {"results.json", ".gitignore"};
    char path[2 * PATH_MAX], root[PATH_MAX];
    const size_t trusted = named ? strlen(named) : trusted_part(c, c->results);
    mrw_status status = MRW_OK;
    snprintf(root, sizeof root, "%.*s", (int)(named ? trusted : without_parts(c->results, 2)),
             named ? named : c->results);
    for (size_t i = 0; i < sizeof files / sizeof *files && !status; i++) {
        snprintf(path, sizeof path, "%s/%s", root, files[i]);
        status = mrwi_base_links_on_way(path, trusted, error);
    }
    snprintf(path, sizeof path, "%s/%s/%s", root, c->suite, c->name);
    return status ? status : check_case(path, trusted, done, error);
}

mrw_status mrwi_golden_refuse_links(const mrw_case_list *cases, const char *results,
                                    mrw_error *error)
{
    char goldens[PATH_MAX] = "-", own[PATH_MAX] = "-";
    mrw_status status = MRW_OK;
    for (size_t i = 0; i < cases->count && !status; i++) {
        status = check_goldens(&cases->items[i], goldens, error);
        status = status ? status : check_results(&cases->items[i], results, own, error);
    }
    return status;
}
