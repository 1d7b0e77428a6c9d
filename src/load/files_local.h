/* files_local.h: the files that a model may read on this machine. */
#ifndef MRWI_LOAD_FILES_LOCAL_H
#define MRWI_LOAD_FILES_LOCAL_H

#include "load/files_alike.h"
#include "marrow/load.h"
#include "sandbox/files.h"

/* The folders of a model. They do not change until they are closed. */
typedef struct mrwi_load_folders {
    int base_fd; /* the asset root, else the model's folder; -1 if there is none */
    /* the folder above the model's, for its texture folders; -1 if there is none */
    int above_fd;
    char inside[MRWI_BASE_PATH_MAX]; /* the model's folder as seen from the asset root: "a/b/" */
    char root[MRWI_BASE_PATH_MAX];   /* the asset root without links, with a '/' at its end */
    char given_root[MRWI_BASE_PATH_MAX]; /* the asset root as given */
} mrwi_load_folders;

typedef struct mrwi_load_local_files {
    const mrw_load_def *def;
    struct mrwi_load_opened *opened; /* the record of files that readers get, or NULL */
    /* the model's name for def->detail, or NULL to report nothing */
    const char *model;
    mrwi_load_folders folders;
    mrwi_load_names *names; /* lists of files beside the model; NULL until needed */
    bool exact;             /* true if textures are not searched by similar names */
    /* "", or a message: the first file that another one stands in for, and which */
    char stand_in[600];
} mrwi_load_local_files;

/* Returns the folder part of a file's path, in `out`; NULL if it is too long. */
const char *mrwi_load_folder_of(const char *path, char out[MRWI_BASE_PATH_MAX]);

/* Opens the folders of a model. folder: the model's folder, or NULL if it has none (then paths are
 * looked up in the asset root, if there is one). A folder that is not below the asset root is
 * MRW_ERROR_USAGE. */
mrw_status mrwi_load_local_files_open(mrwi_load_local_files *files, const char *folder,
                                      const mrw_load_def *def, mrw_error *error);
void mrwi_load_local_files_close(mrwi_load_local_files *files);

/* Finds and opens a file; a texture also by similar names (mrw_load_file says which). The caller
 * closes *fd. For one thread at a time. */
mrwi_base_read_result mrwi_load_local_files_find(mrwi_load_local_files *files,
                                                 mrwi_sandbox_file_kind kind, const char *path,
                                                 int *fd, uint64_t *size);

/* Returns the same as the mrwi_sandbox_files of a reader in this process. */
mrwi_sandbox_files mrwi_load_local_files_reader(mrwi_load_local_files *files);

/* Returns what the user can do, to follow mrwi_base_read_reason and "; ": "allow it with
 * --asset-root FOLDER". */
const char *mrwi_load_read_remedy(mrwi_base_read_result result, mrwi_sandbox_file_kind kind);

#endif
