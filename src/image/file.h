/* file.h: a file that is written in pieces, and appears complete or not at all. */
#ifndef MRWI_IMAGE_FILE_H
#define MRWI_IMAGE_FILE_H

#include "marrow/image.h"

#include <limits.h>
#include <sys/types.h>

typedef struct mrwi_image_file {
    char path[PATH_MAX];      /* the file that is replaced in the end */
    char temporary[PATH_MAX]; /* the file's name until then */
    int fd;
    pid_t owner;                  /* the process that began it; its children leave it alone */
    struct mrwi_image_file *next; /* next in the list of all unfinished files */
} mrwi_image_file;

/* Returns true if the path names a pipe, a device or a folder, which cannot be replaced. */
bool mrwi_image_file_is_special(const char *path);

/* Opens a temporary file beside the path, or beside the target of a symbolic link. After MRW_OK the
 * file must be finished or dropped, and *out must not move until then. */
mrw_status mrwi_image_file_begin(const char *path, mrwi_image_file *out, mrw_error *error);
mrw_status mrwi_image_file_add(mrwi_image_file *file, const void *data, size_t size,
                               mrw_error *error);
/* Reads bytes that were written, from position `at`. */
mrw_status mrwi_image_file_read(const mrwi_image_file *file, uint64_t at, void *data, size_t size,
                                mrw_error *error);
/* Closes the file and gives it its name. Afterwards there is nothing to drop, also on failure. */
mrw_status mrwi_image_file_finish(mrwi_image_file *file, mrw_error *error);
/* Closes and removes the temporary file. */
void mrwi_image_file_drop(mrwi_image_file *file);

/* Writes a file that is the only copy of its content: like mrw_file_write, but it is on the disk
 * before it replaces another one, and its name is before the function returns. */
mrw_status mrwi_image_file_keep(const char *path, const void *data, size_t size, mrw_error *error);

/* Reads an image like mrw_image_read, but fails for a pipe or device, which it could wait for. */
mrw_status mrwi_image_read_regular(const char *path, uint32_t channels, mrw_image *out,
                                   mrw_error *error);

/* Reads an image that is compared with another one. Its header is looked at first: an image of more
 * than 16 times the other's pixels and a million is not decoded, but refused as invalid input. A
 * PNG of 32 kB can claim, and take, a gigabyte. */
mrw_status mrwi_image_read_to_compare(const char *path, const mrw_image *other, mrw_image *out,
                                      mrw_error *error);

/* Reads a whole file of less than 2 GB. The caller frees *out. */
mrw_status mrwi_image_read_bytes(const char *path, mrw_bytes *out, mrw_error *error);

/* Decodes a picture of floats, as mrw_image_decode_hdr does. */
typedef mrw_status mrwi_image_decoder(const void *data, size_t size, uint64_t max_pixels,
                                      const char *name, mrw_image *out, mrw_error *error);

/* Reads a file and decodes it. */
mrw_status mrwi_image_read_by(mrwi_image_decoder *decode, const char *path, uint64_t max_pixels,
                              mrw_image *out, mrw_error *error);

/* Writes a picture as a PNG, and makes the folders of its path. option: the option that named it.
 */
mrw_status mrwi_image_write_png(const char *path, const char *option, const mrw_image *image,
                                mrw_error *error);

#endif
