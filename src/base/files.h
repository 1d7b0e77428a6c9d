/* files.h: whole files and folders, and text in arenas. */
#ifndef MRWI_BASE_FILES_H
#define MRWI_BASE_FILES_H

#include "base/memory.h"
#include "marrow/image.h"

/* Reads a whole regular file of at most max_size bytes; one zero byte stands behind it. With
 * `missing` a file that is not there is no failure: it is set, and *out is empty. Free with
 * mrw_bytes_free. */
mrw_status mrwi_golden_read(const char *path, uint64_t max_size, mrw_bytes *out, bool *missing,
                            mrw_error *error);

/* mrw_image_read, but of regular files only: a pipe in the place of a picture would be waited for.
 */
mrw_status mrwi_golden_image(const char *path, uint32_t channels, mrw_image *out, mrw_error *error);

/* Makes a folder and those above it; MRW_ERROR_OUTPUT. `made`, which may be NULL, tells whether it
 * was not there. */
mrw_status mrwi_golden_make_folder(const char *path, bool *made, mrw_error *error);

/* Removes a file; one that is not there is no failure. */
mrw_status mrwi_golden_remove(const char *path, mrw_error *error);

/* Text in an arena; NULL when out of memory. */
const char *mrwi_golden_format(mrwi_arena *arena, const char *format, ...) MRW_PRINTF(2, 3);

#endif
