/* path.c: joins and tidies paths as text, without looking at files. */
#include "suite/suite.h"

#include "base/utf8.h"

#include <string.h>

const char *mrwi_suite_path_join(mrwi_base_arena *arena, const char *folder, const char *path)
{
    const size_t length = strlen(folder);
    if (length == 0 || path[0] == '/') {
        return mrwi_base_copy_text(arena, path);
    }
    return mrwi_base_format(arena, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/", path);
}

/* Removes the last part of out[0 ... used]. Returns false when there is no part to undo. */
static bool drop_last(char *out, size_t start, size_t *used)
{
    size_t at = *used;
    while (at > start && out[at - 1] != '/') {
        at--;
    }
    if (*used == start || (*used - at == 2 && memcmp(out + at, "..", 2) == 0)) {
        return false;
    }
    *used = at > start ? at - 1 : start;
    return true;
}

const char *mrwi_suite_path_tidy(mrwi_base_arena *arena, const char *path, bool parents)
{
    const size_t start = path[0] == '/' ? 1 : 0;
    char *out = mrwi_base_arena_alloc(arena, strlen(path) + 1, 1);
    if (!out) {
        return NULL;
    }
    out[0] = '/';
    size_t used = start;
    while (*path != '\0') {
        const size_t length = strcspn(path, "/");
        const bool same = length == 0 || (length == 1 && path[0] == '.');
        const bool up = parents && length == 2 && memcmp(path, "..", 2) == 0;
        if (!same && !(up && drop_last(out, start, &used)) && !(up && start == 1)) {
            if (used > start) {
                out[used++] = '/';
            }
            memcpy(out + used, path, length);
            used += length;
        }
        path += length + (path[length] == '/');
    }
    out[used] = '\0';
    return out;
}

bool mrwi_suite_path_is_below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 &&
           (path[length] == '\0' || path[length] == '/' || length == 0);
}

bool mrwi_suite_text_is_plain(const char *text)
{
    while (*text != '\0') {
        uint32_t code = 0;
        const size_t length = mrwi_base_utf8_decode(text, &code);
        if (length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            return false;
        }
        text += length;
    }
    return true;
}
