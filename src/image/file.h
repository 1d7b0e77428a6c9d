/* file.h: a file that is written in pieces, and appears whole or not at all. */
#ifndef MRWI_IMAGE_FILE_H
#define MRWI_IMAGE_FILE_H

#include "marrow/image.h"

#include <limits.h>

typedef struct mrwi_image_file {
    char path[PATH_MAX];      /* what is replaced in the end */
    char temporary[PATH_MAX]; /* its name until then */
    int fd;
    struct mrwi_image_file *next; /* in the list of all files in the making */
} mrwi_image_file;

/* Whether the path names a pipe or a device (or a folder): it can't be replaced. */
bool mrwi_image_file_is_special(const char *path);

/* Opens a temporary file beside the path, or beside what a symbolic link names. Only after MRW_OK
 * there is something to be finished or dropped; until then *out stays where it is. */
mrw_status mrwi_image_file_begin(const char *path, mrwi_image_file *out, mrw_error *error);
mrw_status mrwi_image_file_add(mrwi_image_file *file, const void *data, size_t size,
                               mrw_error *error);
/* Reads what was written, at a distance from the beginning. */
mrw_status mrwi_image_file_read(const mrwi_image_file *file, uint64_t at, void *data, size_t size,
                                mrw_error *error);
/* Gives the file its name. Whether or not it can, there is nothing to be dropped any more. */
mrw_status mrwi_image_file_finish(mrwi_image_file *file, mrw_error *error);
/* Leaves nothing behind. */
void mrwi_image_file_drop(mrwi_image_file *file);

/* mrw_image_read, but of regular files only: a pipe in the place of a picture would be waited for.
 */
mrw_status mrwi_image_read_regular(const char *path, uint32_t channels, mrw_image *out,
                                   mrw_error *error);

/* A whole file, below 2 GB; the caller frees *out. */
mrw_status mrwi_image_read_bytes(const char *path, mrw_bytes *out, mrw_error *error);

#endif
