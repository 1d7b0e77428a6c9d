/* files.h: the way in which a reader gets the files that its model names. Readers never open files
 * themselves: in the main process they call load/files_local.c, in a confined process they ask the
 * parent through the channel. */
#ifndef MRWI_SANDBOX_FILES_H
#define MRWI_SANDBOX_FILES_H

#include "base/file.h"

typedef enum mrwi_sandbox_file_kind {
    MRWI_SANDBOX_FILE_PART, /* a buffer, material library, skeleton ...: looked up as written, below
                       the model's folder or the asset root */
    MRWI_SANDBOX_FILE_TEXTURE /* searched in several places, by several names (mrw_load_file) */
} mrwi_sandbox_file_kind;

/* Finds and reads a whole file. The path is that of the model (percent-decoded in glTF), with
 * slashes or backslashes. *data comes from mrwi_base_alloc. On failure the result says why; a
 * warning or message then names the path and the option that would allow it
 * (mrwi_load_read_remedy). */
typedef struct mrwi_sandbox_files {
    mrwi_base_read_result (*read)(void *user, mrwi_sandbox_file_kind kind, const char *path,
                                  uint8_t **data, size_t *size);
    void *user;
} mrwi_sandbox_files;

/* Returns the files of a confined process, which requests each from its parent. The process ends if
 * the parent sends one larger than *max_file_size, which must live as long as the result. */
mrwi_sandbox_files mrwi_sandbox_helper_files(const uint64_t *max_file_size);

#endif
