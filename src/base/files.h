/* files.h: whole files. Folders are made by mrw_make_folder. */
#ifndef MRWI_BASE_FILES_H
#define MRWI_BASE_FILES_H

#include "marrow/base.h"

/* Reads a whole regular file of at most max_size bytes; one zero byte stands behind it. With
 * `missing` a file that is not there is no failure: it is set, and *out is empty. Free with
 * mrw_bytes_free. */
mrw_status mrwi_base_read_file(const char *path, uint64_t max_size, mrw_bytes *out, bool *missing,
                               mrw_error *error);

/* Removes a file; one that is not there is no failure. */
mrw_status mrwi_base_remove_file(const char *path, mrw_error *error);

#endif
