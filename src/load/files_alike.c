/* files_alike.c: finds textures whose files have a slightly different name than in the model.
 * Models are made where case does not count, with pictures in their own folders, and in formats
 * that were converted later. */
#include "load/files_alike.h"

#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FOLDERS 1024u
#define MAX_FILES   (1u << 18)
#define MAX_BYTES   ((size_t)64 << 20)

static const char *const endings[] = {"png", "jpg", "jpeg", "tga", "bmp", "dds", "webp"};
_Static_assert(sizeof endings / sizeof *endings + 2 == MRWI_LOAD_ALIKE_FITS, "one fit per ending");

/* The files of one folder. */
typedef struct listing {
    size_t root;
    uint32_t hash; /* hash of `path` */
    char *path;    /* below the root */
    char *text;    /* names, each with a NUL */
    char **names;  /* sorted */
    size_t count;  /* 0 also if the path is not a folder, leads out or holds too much */
    bool there;
} listing;

struct mrwi_load_names {
    listing folders[MAX_FOLDERS];
    size_t folder_count;
    size_t bytes;
    bool failed;
};

/* ---- names ----------------------------------------------------------------------------------- */

static uint8_t fold(char c)
{
    return (uint8_t)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int compare_folded(const char *a, const char *b)
{
    while (*a != '\0' && fold(*a) == fold(*b)) {
        a++, b++;
    }
    return fold(*a) - fold(*b);
}

/* Compares without case, then by bytes, since the names of a folder differ. */
static int compare_names(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    const int order = compare_folded(x, y);
    return order != 0 ? order : strcmp(x, y);
}

/* Finds the name itself. If it does not exist and any_case is set, finds the first that differs
 * only in case. */
static const char *find_name(const listing *in, const char *name, bool any_case)
{
    size_t low = 0, high = in->count;
    char *const *exact =
        in->count > 0 ? bsearch(&name, in->names, in->count, sizeof *in->names, compare_names)
                      : NULL;
    if (exact || !any_case) {
        return exact ? *exact : NULL;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_folded(in->names[middle], name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < in->count && compare_folded(in->names[low], name) == 0 ? in->names[low] : NULL;
}

/* ---- reading a folder ------------------------------------------------------------------------ */

/* Reads names into one block, one after the other. Returns false if there are too many, or no
 * memory. */
static bool read_names(DIR *folder, size_t room_left, listing *out, size_t *size, bool *failed)
{
    size_t room = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const size_t length = strlen(entry->d_name) + 1;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (out->count == MAX_FILES || *size + length > room_left) {
            return false;
        }
        if (*size + length > room) {
            room = 2 * room + 4096;
            char *grown = mrwi_base_realloc(out->text, *size, room, 1);
            *failed = !grown;
            if (!grown) {
                return false;
            }
            out->text = grown;
        }
        memcpy(out->text + *size, entry->d_name, length);
        *size += length;
        out->count++;
    }
    return true;
}

static void read_folder(mrwi_load_names *names, int root_fd, listing *out)
{
    size_t size = 0;
    const int fd = mrwi_base_open_folder_beneath(root_fd, out->path[0] ? out->path : ".");
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    out->there = true;
    bool good = read_names(folder, MAX_BYTES - names->bytes, out, &size, &names->failed);
    closedir(folder);
    out->names = good && out->count > 0 ? mrwi_base_alloc(out->count, sizeof *out->names) : NULL;
    names->failed = names->failed || (good && out->count > 0 && !out->names);
    if (!out->names) {
        mrwi_base_free(out->text);
        out->text = NULL;
        out->count = 0;
        return;
    }
    char *at = out->text;
    for (size_t i = 0; i < out->count; i++) {
        out->names[i] = at;
        at += strlen(at) + 1;
    }
    names->bytes += size;
    qsort(out->names, out->count, sizeof *out->names, compare_names);
}

/* Computes FNV-1a. Comparing hashes first saves comparing paths. */
static uint32_t hash_of(const char *path)
{
    uint32_t hash = 2166136261u;
    for (; *path != '\0'; path++) {
        hash = (hash ^ (uint8_t)*path) * 16777619u;
    }
    return hash;
}

/* Lists a folder once. NULL if there are too many folders, or no memory. */
static const listing *list_folder(mrwi_load_names *names, int root_fd, size_t root,
                                  const char *path)
{
    const uint32_t hash = hash_of(path);
    for (size_t i = 0; i < names->folder_count; i++) {
        const listing *known = &names->folders[i];
        if (known->hash == hash && known->root == root && strcmp(known->path, path) == 0) {
            return known;
        }
    }
    const size_t size = strlen(path) + 1;
    char *copy = names->folder_count < MAX_FOLDERS ? mrwi_base_alloc(size, 1) : NULL;
    names->failed = names->failed || (names->folder_count < MAX_FOLDERS && !copy);
    if (!copy) {
        return NULL;
    }
    memcpy(copy, path, size);
    listing *added = &names->folders[names->folder_count++];
    *added = (listing){.root = root, .hash = hash, .path = copy};
    read_folder(names, root_fd, added);
    return added;
}

mrwi_load_names *mrwi_load_names_create(void)
{
    return mrwi_base_alloc_zero(1, sizeof(mrwi_load_names));
}

void mrwi_load_names_free(mrwi_load_names *names)
{
    for (size_t i = 0; names && i < names->folder_count; i++) {
        mrwi_base_free(names->folders[i].path);
        mrwi_base_free(names->folders[i].text);
        mrwi_base_free(names->folders[i].names);
    }
    mrwi_base_free(names);
}

bool mrwi_load_names_failed(const mrwi_load_names *names)
{
    return names->failed;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static bool is_around(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '"' || c == '\'';
}

bool mrwi_load_alike_clean(const char *path, char out[MRWI_BASE_PATH_MAX])
{
    size_t length = strlen(path);
    while (length > 0 && is_around(path[0])) {
        path++, length--;
    }
    while (length > 0 && is_around(path[length - 1])) {
        length--;
    }
    if (length == 0 || length >= MRWI_BASE_PATH_MAX) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        out[i] = path[i] == '\\' ? '/' : path[i];
    }
    out[length] = '\0';
    char *slash = strrchr(out, '/'), *base = slash ? slash + 1 : out, *from = base;
    while (is_around(*from)) {
        from++;
    }
    memmove(base, from, strlen(from) + 1);
    return base[0] != '\0' && strcmp(base, ".") != 0 && strcmp(base, "..") != 0;
}

/* Appends a part to a path. Returns false if it is too long. */
static bool append(char path[MRWI_BASE_PATH_MAX], const char *part, size_t length)
{
    const size_t used = strlen(path), slash = used > 0;
    if (used + slash + length >= MRWI_BASE_PATH_MAX) {
        return false;
    }
    memcpy(path + used, "/", slash);
    memcpy(path + used + slash, part, length);
    path[used + slash + length] = '\0';
    return true;
}

/* Finds the folder of a path in any case, part by part; NULL if there is none. *real is its actual
 * path. */
static const listing *find_folder(mrwi_load_names *names, int root_fd, size_t root,
                                  const char *path, char real[MRWI_BASE_PATH_MAX])
{
    const listing *at = list_folder(names, root_fd, root, path);
    const size_t length = strlen(path);
    if (at && at->there) {
        memcpy(real, path, length + 1);
        return at;
    }
    real[0] = '\0';
    at = list_folder(names, root_fd, root, "");
    while (at && at->there && *path != '\0') {
        char part[256];
        const size_t size = strcspn(path, "/");
        if (size >= sizeof part) {
            return NULL;
        }
        memcpy(part, path, size);
        part[size] = '\0';
        const char *found = find_name(at, part, true);
        if (!found || !append(real, found, strlen(found))) {
            return NULL;
        }
        path += size;
        path += *path == '/';
        at = list_folder(names, root_fd, root, real);
    }
    return at && at->there ? at : NULL;
}

/* Returns the offset of an ending that may be replaced, at its dot: two to four letters and digits,
 * but not digits alone, as in "wood.001". Returns the length if there is none. */
static size_t stem_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t letters = 0, others = 0;
    for (const char *c = dot ? dot + 1 : ""; *c != '\0'; c++) {
        const uint8_t low = fold(*c);
        letters += low >= 'a' && low <= 'z';
        others += low < '0' || (low > '9' && low < 'a') || low > 'z';
    }
    const size_t length = dot ? strlen(dot + 1) : 0;
    const bool replaced =
        dot && dot != name && others == 0 && letters > 0 && length >= 2 && length <= 4;
    return replaced ? (size_t)(dot - name) : strlen(name);
}

bool mrwi_load_names_find(mrwi_load_names *names, int root_fd, size_t root_number,
                          const char *folder, const char *name, unsigned fit,
                          char out[MRWI_BASE_PATH_MAX])
{
    char wanted[300];
    const listing *in = find_folder(names, root_fd, root_number, folder, out);
    const size_t stem = fit < 2 ? strlen(name) : stem_length(name);
    if (!in || in->count == 0 || stem + 6 > sizeof wanted) {
        return false;
    }
    snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)stem, name, fit < 2 ? "" : ".",
             fit < 2 ? "" : endings[fit - 2]);
    const char *found = find_name(in, wanted, fit > 0);
    return found && append(out, found, strlen(found));
}
