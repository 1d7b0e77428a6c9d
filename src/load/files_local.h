/* files_local.h: the files a model may have, on this machine. */
#ifndef MRWI_LOAD_FILES_LOCAL_H
#define MRWI_LOAD_FILES_LOCAL_H

#include "load/files_alike.h"
#include "marrow/load.h"
#include "sandbox/files.h"

typedef struct mrwi_load_local_files {
    const mrw_load_def *def;
    struct mrwi_load_opened *opened; /* where it is noted what readers get, or NULL */
    const char *model;               /* its name, for def->detail; NULL: that is not told */
    mrwi_load_names *names; /* of files beside the model; NULL until it is asked for them */
    bool exact;             /* textures are not looked for by names that are alike */
    char stand_in[600];     /* the first file that another one stands in for, and which; or "" */
    int base_fd;            /* the asset root, else the model's folder; -1: none */
    int above_fd;           /* the folder above the model's, of its texture folders; -1: none */
    char inside[MRWI_BASE_PATH_MAX]; /* "a/b/": the model's folder as seen from the asset root */
    char root[MRWI_BASE_PATH_MAX];   /* the asset root without links, with a '/' at its end */
    char given_root[MRWI_BASE_PATH_MAX]; /* the same as given */
} mrwi_load_local_files;

/* The folder part of a file's path, in `out`; NULL when it is too long. */
const char *mrwi_load_folder_of(const char *path, char out[MRWI_BASE_PATH_MAX]);

/* folder: where the model lies; NULL: nowhere (then paths are looked up in the asset root, if there
 * is one). A folder that is not below the asset root is MRW_ERROR_USAGE. */
mrw_status mrwi_load_local_files_open(mrwi_load_local_files *files, const char *folder,
                                      const mrw_load_def *def, mrw_error *error);
void mrwi_load_local_files_close(mrwi_load_local_files *files);

/* Finds and opens a file, a texture by names that are alike, too (mrw_load_file says which); *fd is
 * the caller's. For one thread at a time. */
mrwi_base_read_result mrwi_load_local_files_find(mrwi_load_local_files *files,
                                                 mrwi_sandbox_file_kind kind, const char *path,
                                                 int *fd, uint64_t *size);

/* The same as the mrwi_sandbox_files of a reader in this process. */
mrwi_sandbox_files mrwi_load_local_files_reader(mrwi_load_local_files *files);

/* What to do about it, to follow mrwi_base_read_reason and "; ": "allow it with --asset-root
 * FOLDER". */
const char *mrwi_load_read_remedy(mrwi_base_read_result result, mrwi_sandbox_file_kind kind);

#endif
