/* links.c: symbolic links in folders of an untrusted suite. */
#include "base/links.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Results have pictures in folders of folders; nothing of marrow's lies deeper. */
#define MOST_DEPTH 8

static mrw_status refuse(const char *path, mrw_error *error)
{
    char safe[PATH_MAX];
    return mrwi_base_fail(
        error, MRW_ERROR_INPUT,
        "%s: is a link; among goldens, results and reports nothing is read or written "
        "through links: put a file or a folder there",
        mrwi_base_escape(path, safe, sizeof safe));
}

/* A folder that may be entered but not listed could hide a link. */
static mrw_status cannot_list(const char *folder, mrw_error *error)
{
    char safe[PATH_MAX], why[100];
    const int number = errno;
    return number == ENOMEM ? mrwi_base_fail_memory(error, 0)
                            : mrwi_base_fail(error, MRW_ERROR_INPUT,
                                             "%s: cannot be listed, and may have links in it: %s",
                                             mrwi_base_escape(folder, safe, sizeof safe),
                                             mrwi_base_error_text(number, why, sizeof why));
}

static bool is_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

/* Refuses a link in a folder, and in those below it. A folder that is missing has none. */
static mrw_status check_folder(const char *folder, int depth, mrw_error *error)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    mrw_status status = MRW_OK;
    if (!dir && errno != ENOENT && errno != ENOTDIR) {
        return cannot_list(folder, error);
    }
    while (dir && !status && (entry = readdir(dir))) {
        char path[PATH_MAX];
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path ||
            lstat(path, &info) != 0) {
            continue;
        }
        if (S_ISLNK(info.st_mode)) {
            status = refuse(path, error);
        } else if (S_ISDIR(info.st_mode) && depth < MOST_DEPTH) {
            status = check_folder(path, depth + 1, error);
        }
    }
    if (dir) {
        closedir(dir);
    }
    return status;
}

mrw_status mrwi_base_links_below(const char *folder, mrw_error *error)
{
    return check_folder(folder, 0, error);
}

mrw_status mrwi_base_links_on_way(const char *path, size_t trusted, mrw_error *error)
{
    char part[PATH_MAX];
    const size_t length = strlen(path); /* a path that was too long is cut off */
    for (const char *at = path + (trusted < length ? trusted : length); *at;) {
        at += strspn(at, "/");
        at += strcspn(at, "/");
        const int size = snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
        if (size > 0 && size < (int)sizeof part && is_link(part)) {
            return refuse(part, error);
        }
    }
    return MRW_OK;
}
