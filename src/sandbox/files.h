/* files.h: files on request: how a reader gets the files its model names. Readers never open
 * anything themselves: in the process they ask load/files_local.c; in a confined process they ask
 * the parent through the channel.
 */
#ifndef MRWI_SANDBOX_FILES_H
#define MRWI_SANDBOX_FILES_H

#include "base/file.h"

typedef enum mrwi_sandbox_file_kind {
    MRWI_SANDBOX_FILE_PART, /* a buffer, material library, skeleton ...: looked up as written, below
                       the model's folder or the asset root */
    MRWI_SANDBOX_FILE_TEXTURE /* looked for in several places, by several names (mrw_load_file) */
} mrwi_sandbox_file_kind;

/* Finds and reads one whole file; the path is as the model has it (percent-decoded in glTF), with
 * slashes or backslashes. *data comes from mrwi_base_alloc. On failure the result says why; the
 * path is then named in a warning or message together with the option that would allow it
 * (mrwi_load_read_remedy). */
typedef struct mrwi_sandbox_files {
    mrwi_base_read_result (*read)(void *user, mrwi_sandbox_file_kind kind, const char *path,
                                  uint8_t **data, size_t *size);
    void *user;
} mrwi_sandbox_files;

/* Those of a confined process: each is asked of the parent. A larger one than *max_file_size is no
 * answer; the number must last as long as the files. */
mrwi_sandbox_files mrwi_sandbox_helper_files(const uint64_t *max_file_size);

#endif
