/* files.h: how a reader gets the files its model names. Readers never open anything themselves: in
 * the process they ask files_local.c; in the import helper they ask the parent through the channel.
 */
#ifndef MRWI_LOAD_FILES_H
#define MRWI_LOAD_FILES_H

#include "base/file.h"
#include "marrow/load.h"

typedef enum mrwi_file_kind {
    MRWI_FILE_PART,   /* a buffer, material library, skeleton ...: looked up as written, below the
                         model's folder or the asset root */
    MRWI_FILE_TEXTURE /* as written, then by basename beside the model, then (as written, then by
                         basename) in the texture folders */
} mrwi_file_kind;

/* Finds and reads one whole file; the path is as the model has it (percent-decoded in glTF), with
 * slashes or backslashes. *data comes from mrwi_alloc. On failure the result says why; the
 * path is then named in a warning or message together with the option that would allow it
 * (mrwi_read_remedy). */
typedef struct mrwi_files {
    mrwi_read_result (*read)(void *user, mrwi_file_kind kind, const char *path, uint8_t **data,
                             size_t *size);
    void *user;
} mrwi_files;

/* What to do about it, to follow mrwi_read_reason and "; ": "allow it with --asset-root FOLDER". */
const char *mrwi_read_remedy(mrwi_read_result result, mrwi_file_kind kind);

#endif
