/* files_local.c: the files that a model may read on this machine: below its folder or the asset
 * root; textures also in the texture folders. */
#include "load/files_local.h"

#include "base/text.h"
#include "load/opened.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(MRWI_BASE_PATH_MAX >= PATH_MAX, "realpath writes PATH_MAX bytes");

const char *mrwi_load_read_remedy(mrwi_base_read_result result, mrwi_sandbox_file_kind kind)
{
    bool texture = kind == MRWI_SANDBOX_FILE_TEXTURE;
    switch (result) {
    case MRWI_BASE_READ_OUTSIDE:
        return texture ? "allow it with --asset-root FOLDER, or give its folder with --texture-dir "
                         "FOLDER"
                       : "allow it with --asset-root FOLDER, or put it in the folder of the model";
    case MRWI_BASE_READ_DENIED:
        return "make it readable (chmod +r)";
    case MRWI_BASE_READ_LARGE:
        return "allow it with --max-file-size";
    case MRWI_BASE_READ_FOLDER:
    case MRWI_BASE_READ_SPECIAL:
        return "put a regular file in its place";
    default:
        return texture ? "put it next to the model, or give its folder with --texture-dir FOLDER"
                       : "put it in the folder of the model";
    }
}

/* ---- folders --------------------------------------------------------------------------------- */

const char *mrwi_load_folder_of(const char *path, char out[MRWI_BASE_PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    /* with the slash: "/a.glb" is in "/" */
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= MRWI_BASE_PATH_MAX) {
        return NULL;
    }
    memcpy(out, path, length);
    memcpy(out + length, length > 0 ? "" : ".", length > 0 ? 1 : 2);
    return out;
}

/* Appends a '/' if there is none. Returns false if there is no room. */
static bool end_with_slash(char path[MRWI_BASE_PATH_MAX])
{
    size_t length = strlen(path);
    if (length > 0 && path[length - 1] == '/') {
        return true;
    }
    if (length + 2 > MRWI_BASE_PATH_MAX) {
        return false;
    }
    memcpy(path + length, "/", 2);
    return true;
}

/* Finds the folder's path without links and with a '/' at its end. */
static bool real_folder(const char *folder, char out[MRWI_BASE_PATH_MAX])
{
    return realpath(folder, out) && end_with_slash(out);
}

/* Opens the asset root, and finds the model's folder in it. After a failure the folders that are
 * open must still be closed. */
static mrw_status open_root(const char *root, const char *folder, mrwi_load_folders *out,
                            mrw_error *error)
{
    char name[200], where[200], real[MRWI_BASE_PATH_MAX];
    mrwi_base_escape(root, name, sizeof name);
    out->base_fd = mrwi_base_open_folder(root);
    size_t length = strlen(root);
    if (out->base_fd < 0 || length >= sizeof out->given_root || !real_folder(root, out->root)) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--asset-root %s: this is not a folder that can be opened", name);
    }
    memcpy(out->given_root, root, length + 1);
    if (!end_with_slash(out->given_root)) {
        out->given_root[0] = '\0';
    }
    if (!folder) {
        return MRW_OK;
    }
    size_t size = strlen(out->root);
    if (!real_folder(folder, real) || strncmp(real, out->root, size) != 0) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--asset-root %s: the model's folder %s is not inside it; give a "
                              "folder that also contains the model",
                              name, mrwi_base_escape(folder, where, sizeof where));
    }
    memcpy(out->inside, real + size, strlen(real + size) + 1);
    return MRW_OK;
}

mrw_status mrwi_load_local_files_open(mrwi_load_local_files *files, const char *folder,
                                      const mrw_load_def *def, mrw_error *error)
{
    mrwi_load_folders *folders = &files->folders;
    files->def = def;
    files->opened = NULL;
    files->model = NULL;
    files->names = NULL;
    files->stand_in[0] = '\0';
    files->exact = false;
    folders->base_fd = folders->above_fd = -1;
    folders->inside[0] = folders->root[0] = folders->given_root[0] = '\0';
    if (def->find_file) {
        return MRW_OK; /* no folder is read */
    }
    if (def->asset_root) {
        mrw_status status = open_root(def->asset_root, folder, folders, error);
        if (status) {
            mrwi_load_local_files_close(files);
        }
        return status;
    }
    if (folder) {
        folders->base_fd = mrwi_base_open_folder(folder);
        folders->above_fd =
            folders->base_fd >= 0 ? mrwi_base_open_folder_above(folders->base_fd) : -1;
    }
    return MRW_OK;
}

void mrwi_load_local_files_close(mrwi_load_local_files *files)
{
    mrwi_load_folders *folders = &files->folders;
    if (folders->base_fd >= 0) {
        close(folders->base_fd);
    }
    if (folders->above_fd >= 0) {
        close(folders->above_fd);
    }
    folders->base_fd = folders->above_fd = -1;
    mrwi_load_names_free(files->names);
    files->names = NULL;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Appends the parts of `path` to `out`, a relative path that ends in '/' or is empty. ".." removes
 * the part before it, as the path is written, whatever links there are: so a path means the same on
 * every machine. */
static mrwi_base_read_result append_parts(char out[MRWI_BASE_PATH_MAX], const char *path)
{
    size_t used = strlen(out);
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        if (length == 2 && path[0] == '.' && path[1] == '.') {
            if (used == 0) {
                return MRWI_BASE_READ_OUTSIDE;
            }
            do {
                used--;
            } while (used > 0 && out[used - 1] != '/');
        } else if (length > 0 && !(length == 1 && path[0] == '.')) {
            if (used + length + 2 > MRWI_BASE_PATH_MAX) {
                return MRWI_BASE_READ_MISSING;
            }
            memcpy(out + used, path, length);
            out[used + length] = '/';
            used += length + 1;
        }
        path += length;
        path += *path == '/';
    }
    out[used > 0 ? used - 1 : 0] = '\0';
    return MRWI_BASE_READ_OK;
}

/* Returns the part of an absolute path after a root; NULL if it leads elsewhere. */
static const char *behind_root(const char *root, const char *path)
{
    size_t size = strlen(root);
    return size > 0 && strncmp(path, root, size) == 0 ? path + size : NULL;
}

/* Finds the path as seen from base_fd. */
static mrwi_base_read_result place(const mrwi_load_folders *folders, const char *path,
                                   char out[MRWI_BASE_PATH_MAX])
{
    out[0] = '\0';
    if (path[0] != '/') {
        memcpy(out, folders->inside, strlen(folders->inside) + 1);
        return append_parts(out, path);
    }
    const char *rest = behind_root(folders->root, path);
    rest = rest ? rest : behind_root(folders->given_root, path);
    return rest ? append_parts(out, rest) : MRWI_BASE_READ_OUTSIDE;
}

/* ---- looking --------------------------------------------------------------------------------- */

typedef struct search {
    mrwi_load_local_files *files;
    int *fd;
    uint64_t *size;
    mrwi_base_read_result
        result; /* the first result, over all places, that says more than "does not exist" */
} search;

/* Records a result. Returns true if the search is over. */
static bool note(search *s, mrwi_base_read_result result)
{
    const bool stands_in = result == MRWI_BASE_READ_LFS || result == MRWI_BASE_READ_PAGE;
    if (result == MRWI_BASE_READ_OK || result == MRWI_BASE_READ_MEMORY || stands_in ||
        s->result == MRWI_BASE_READ_MISSING) {
        s->result = result;
    }
    return result == MRWI_BASE_READ_OK || result == MRWI_BASE_READ_MEMORY;
}

/* Opens a file through a link. A link may use an absolute path to another place below the asset
 * root; openat2 takes that for a way out, so it is followed here and opened by a path without
 * links. */
static mrwi_base_read_result open_linked(const search *s, const char *path)
{
    char full[MRWI_BASE_PATH_MAX], real[MRWI_BASE_PATH_MAX];
    size_t root = strlen(s->files->folders.root), length = strlen(path);
    if (root == 0 || root + length >= sizeof full) {
        return MRWI_BASE_READ_OUTSIDE;
    }
    memcpy(full, s->files->folders.root, root);
    memcpy(full + root, path, length + 1);
    const char *rest = realpath(full, real) ? behind_root(s->files->folders.root, real) : NULL;
    return rest ? mrwi_base_open_beneath(s->files->folders.base_fd, rest,
                                         s->files->def->max_file_size, s->fd, s->size)
                : MRWI_BASE_READ_OUTSIDE;
}

/* Tries a path relative to base_fd. */
static bool look_at(search *s, const char *placed)
{
    mrwi_base_read_result result = mrwi_base_open_beneath(
        s->files->folders.base_fd, placed, s->files->def->max_file_size, s->fd, s->size);
    return note(s, result == MRWI_BASE_READ_OUTSIDE ? open_linked(s, placed) : result);
}

static bool look_as_written(search *s, const char *path)
{
    char placed[MRWI_BASE_PATH_MAX];
    mrwi_base_read_result result = MRWI_BASE_READ_MISSING;
    if (path[0] != '\0') {
        result = place(&s->files->folders, path, placed);
    }
    return result == MRWI_BASE_READ_OK ? look_at(s, placed) : note(s, result);
}

/* Tries the path as written, then, for a texture, its basename beside the model. */
static bool look_near_model(search *s, mrwi_sandbox_file_kind kind, const char *path)
{
    const char *base = mrwi_base_basename(path);
    return look_as_written(s, path) ||
           (kind == MRWI_SANDBOX_FILE_TEXTURE && base != path && look_as_written(s, base));
}

static bool look_in_folder(search *s, int folder, const char *path)
{
    const char *base = mrwi_base_basename(path);
    uint64_t max = s->files->def->max_file_size;
    return note(s, mrwi_base_open_beneath(folder, path, max, s->fd, s->size)) ||
           (base != path && note(s, mrwi_base_open_beneath(folder, base, max, s->fd, s->size)));
}

static bool look_in_texture_folders(search *s, const char *path)
{
    bool done = false;
    for (size_t i = 0; i < s->files->def->texture_dir_count && !done; i++) {
        int folder = mrwi_base_open_folder(s->files->def->texture_dirs[i]);
        if (folder >= 0) {
            done = look_in_folder(s, folder, path);
            close(folder);
        }
    }
    return done;
}

static bool look_everywhere(search *s, mrwi_sandbox_file_kind kind, const char *path)
{
    return look_near_model(s, kind, path) ||
           (kind == MRWI_SANDBOX_FILE_TEXTURE && look_in_texture_folders(s, path));
}

/* Tries the path as written, and then with '\\' read as '/'. */
static void look_exactly(search *s, mrwi_sandbox_file_kind kind, const char *path)
{
    char slashes[MRWI_BASE_PATH_MAX];
    if (look_everywhere(s, kind, path) || !strchr(path, '\\')) {
        return;
    }
    memcpy(slashes, path, strlen(path) + 1);
    for (char *c = slashes; *c != '\0'; c++) {
        *c = *c == '\\' ? '/' : *c;
    }
    look_everywhere(s, kind, slashes);
}

/* ---- names that are alike -------------------------------------------------------------------- */

/* Folders of a root that are searched for similar names, after the one in the path. */
static const char *const usual_folders[] = {"", "textures/", "tex/", "Textures/", "Texture/"};
#define FOLDERS (1 + sizeof usual_folders / sizeof *usual_folders)

/* Finds the path of such a folder from its root: 0 is base_fd, the others are the texture folders.
 * Returns false if it leads out. */
static bool folder_of(const search *s, size_t root, size_t folder, const char *written,
                      char out[MRWI_BASE_PATH_MAX])
{
    const char *path = folder == 0 ? written : usual_folders[folder - 1];
    if (root == 0) {
        return place(&s->files->folders, path, out) == MRWI_BASE_READ_OK;
    }
    out[0] = '\0';
    return path[0] != '/' && append_parts(out, path) == MRWI_BASE_READ_OK;
}

/* Reports a similar name. folder: the folder that contains `found`; "" for that of the model. */
static void tell_alike(const search *s, const char *path, const char *folder, const char *found)
{
    const mrw_load_def *def = s->files->def;
    char text[1200], model[300], wanted[300], taken[300], safe[200];
    if (!s->files->model || !def->detail) {
        return;
    }
    snprintf(text, sizeof text, "%s: texture \"%s\" is missing; \"%s\"%s%s is used instead",
             mrwi_base_escape(s->files->model, model, sizeof model),
             mrwi_base_escape(path, wanted, sizeof wanted),
             mrwi_base_escape(found, taken, sizeof taken), folder[0] ? " of " : "",
             mrwi_base_escape(folder, safe, sizeof safe));
    def->detail(def->detail_user, text);
}

/* Searches one root for one kind of fit. */
static bool look_in_root(search *s, size_t root, int root_fd, unsigned fit, const char *path,
                         const char *clean)
{
    char written[MRWI_BASE_PATH_MAX], folder[MRWI_BASE_PATH_MAX], found[MRWI_BASE_PATH_MAX];
    const char *base = mrwi_base_basename(clean);
    const uint64_t max = s->files->def->max_file_size;
    memcpy(written, clean, (size_t)(base - clean));
    written[base - clean] = '\0';
    for (size_t i = 0; i < FOLDERS; i++) {
        if (folder_of(s, root, i, written, folder) &&
            mrwi_load_names_find(s->files->names, root_fd, root, folder, base, fit, found) &&
            (root == 0 ? look_at(s, found)
                       : note(s, mrwi_base_open_beneath(root_fd, found, max, s->fd, s->size)))) {
            if (s->result == MRWI_BASE_READ_OK) {
                tell_alike(s, path, root > 0 ? s->files->def->texture_dirs[root - 1] : "", found);
            }
            return true;
        }
    }
    return false;
}

/* Returns true if the model names no folder, or a usual folder of textures. A file from
 * "SourceImages" may be a different one with the same name. */
static bool may_lie_beside(const char *clean)
{
    const char *base = mrwi_base_basename(clean), *from = base;
    while (from > clean && (from == base || from[-1] != '/')) {
        from--;
    }
    for (size_t i = 1; i < sizeof usual_folders / sizeof *usual_folders; i++) {
        const size_t length = strlen(usual_folders[i]);
        if ((size_t)(base - from) == length && strncasecmp(from, usual_folders[i], length) == 0) {
            return true;
        }
    }
    return base == clean;
}

/* Searches the folders of textures beside the model's own folder, as packs of models have them:
 * FBX/tree.fbx, Textures/tree.png. Follows no link. */
static bool look_beside(search *s, unsigned fit, const char *path, const char *clean)
{
    const char *base = mrwi_base_basename(clean);
    char found[MRWI_BASE_PATH_MAX], shown[MRWI_BASE_PATH_MAX];
    bool done = false;
    for (size_t i = 1; i < sizeof usual_folders / sizeof *usual_folders && !done; i++) {
        const size_t root = 1 + s->files->def->texture_dir_count + i;
        const int fd = mrwi_base_open_by_components(s->files->folders.above_fd, usual_folders[i],
                                                    O_PATH | O_DIRECTORY | O_CLOEXEC);
        struct stat status;
        if (fd < 0) {
            continue;
        }
        if (mrwi_load_names_find(s->files->names, fd, root, "", base, fit, found) &&
            fstatat(fd, found, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISLNK(status.st_mode)) {
            const uint64_t max = s->files->def->max_file_size;
            done = note(s, mrwi_base_open_beneath(fd, found, max, s->fd, s->size));
        }
        if (done && s->result == MRWI_BASE_READ_OK) {
            snprintf(shown, sizeof shown, "../%s", usual_folders[i]);
            tell_alike(s, path, shown, found);
        }
        close(fd);
    }
    return done;
}

/* Searches for similar names. A better fit in any place wins over a better place. */
static void look_alike(search *s, const char *path)
{
    char clean[MRWI_BASE_PATH_MAX];
    const mrw_load_def *def = s->files->def;
    bool done = !mrwi_load_alike_clean(path, clean);
    if (!done && !s->files->names) {
        s->files->names = mrwi_load_names_create();
        done = !s->files->names && note(s, MRWI_BASE_READ_MEMORY);
    }
    const bool beside = !done && s->files->folders.above_fd >= 0 && may_lie_beside(clean);
    for (unsigned fit = 0; fit < MRWI_LOAD_ALIKE_FITS && !done; fit++) {
        done = s->files->folders.base_fd >= 0 &&
               look_in_root(s, 0, s->files->folders.base_fd, fit, path, clean);
        for (size_t i = 0; i < def->texture_dir_count && !done; i++) {
            const int fd = mrwi_base_open_folder(def->texture_dirs[i]);
            if (fd >= 0) {
                done = look_in_root(s, i + 1, fd, fit, path, clean);
                close(fd);
            }
        }
        done = done || (beside && look_beside(s, fit, path, clean));
    }
    if (s->files->names && mrwi_load_names_failed(s->files->names) &&
        s->result != MRWI_BASE_READ_OK) {
        note(s, MRWI_BASE_READ_MEMORY);
    }
}

/* ---- files in memory ------------------------------------------------------------------------- */

/* Asks def->find_file for a path, and, for a texture, for its other forms. */
static bool ask(const mrw_load_def *def, mrwi_sandbox_file_kind kind, const char *path,
                const void **bytes, size_t *size)
{
    char slashes[MRWI_BASE_PATH_MAX];
    if (def->find_file(def->find_file_user, path, bytes, size)) {
        return true;
    }
    if (kind != MRWI_SANDBOX_FILE_TEXTURE) {
        return false;
    }
    memcpy(slashes, path, strlen(path) + 1);
    for (char *c = slashes; *c != '\0'; c++) {
        *c = *c == '\\' ? '/' : *c;
    }
    const char *base = mrwi_base_basename(slashes);
    return (strcmp(slashes, path) != 0 &&
            def->find_file(def->find_file_user, slashes, bytes, size)) ||
           (base != slashes && def->find_file(def->find_file_user, base, bytes, size));
}

/* Finds a file in memory and gives it a descriptor, as the importer needs one. */
static mrwi_base_read_result find_in_memory(const mrw_load_def *def, mrwi_sandbox_file_kind kind,
                                            const char *path, int *fd, uint64_t *size)
{
    const void *bytes = NULL;
    size_t length = 0;
    if (!ask(def, kind, path, &bytes, &length)) {
        return MRWI_BASE_READ_MISSING;
    }
    if (length > def->max_file_size) {
        return MRWI_BASE_READ_LARGE;
    }
    const mrwi_base_read_result stand_in = mrwi_base_stand_in(bytes, length);
    if (stand_in != MRWI_BASE_READ_OK) {
        return stand_in;
    }
    *fd = mrwi_base_file_of_bytes(bytes, length);
    *size = length;
    return *fd >= 0 ? MRWI_BASE_READ_OK : MRWI_BASE_READ_MEMORY;
}

static mrwi_base_read_result find(mrwi_load_local_files *files, mrwi_sandbox_file_kind kind,
                                  const char *path, int *fd, uint64_t *size)
{
    search s = {files, fd, size, MRWI_BASE_READ_MISSING};
    *fd = -1;
    *size = 0;
    if (strlen(path) >= MRWI_BASE_PATH_MAX) {
        return MRWI_BASE_READ_MISSING;
    }
    if (files->def->find_file) {
        return find_in_memory(files->def, kind, path, fd, size);
    }
    look_exactly(&s, kind, path);
    if (kind == MRWI_SANDBOX_FILE_TEXTURE && !files->exact &&
        (s.result == MRWI_BASE_READ_MISSING || s.result == MRWI_BASE_READ_OUTSIDE)) {
        look_alike(&s, path);
    }
    return s.result;
}

mrwi_base_read_result mrwi_load_local_files_find(mrwi_load_local_files *files,
                                                 mrwi_sandbox_file_kind kind, const char *path,
                                                 int *fd, uint64_t *size)
{
    const mrwi_base_read_result result = find(files, kind, path, fd, size);
    if (result == MRWI_BASE_READ_OK && files->def->file_opened) {
        files->def->file_opened(files->def->file_opened_user, *fd);
    }
    if ((result == MRWI_BASE_READ_LFS || result == MRWI_BASE_READ_PAGE) &&
        files->stand_in[0] == '\0') {
        char name[200];
        snprintf(files->stand_in, sizeof files->stand_in, "its file \"%s\" %s",
                 mrwi_base_escape(path, name, sizeof name), mrwi_base_read_reason(result));
    }
    return result;
}

/* ---- reading --------------------------------------------------------------------------------- */

static mrwi_base_read_result read_found(void *user, mrwi_sandbox_file_kind kind, const char *path,
                                        uint8_t **data, size_t *size)
{
    mrwi_load_local_files *files = user;
    int fd;
    uint64_t length;
    mrwi_base_read_result result = mrwi_load_local_files_find(files, kind, path, &fd, &length);
    if (result == MRWI_BASE_READ_OK) {
        result = mrwi_base_read_open(fd, files->def->max_file_size, data, size);
    }
    if (result == MRWI_BASE_READ_OK) {
        mrwi_load_opened_note(files->opened, kind, path, *data, *size);
    } else {
        mrwi_load_opened_note_failure(files->opened, kind, path, result);
    }
    return result;
}

mrwi_sandbox_files mrwi_load_local_files_reader(mrwi_load_local_files *files)
{
    return (mrwi_sandbox_files){read_found, files};
}
