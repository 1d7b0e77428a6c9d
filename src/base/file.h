/* file.h: reads files that the user names, and files that an untrusted model names, which must lie
 * in allowed folders; removes files. A function that can end a command with a message returns a
 * status, the others a result. Folders are made by mrw_make_folder, files written by
 * mrw_file_write. */
#ifndef MRWI_BASE_FILE_H
#define MRWI_BASE_FILE_H

#include "marrow/base.h"

#define MRWI_BASE_PATH_MAX 4096

typedef enum mrwi_base_read_result {
    MRWI_BASE_READ_OK,
    MRWI_BASE_READ_MISSING,
    MRWI_BASE_READ_OUTSIDE, /* absolute, "..", or through a link out of the folder */
    MRWI_BASE_READ_DENIED,
    MRWI_BASE_READ_FOLDER,
    MRWI_BASE_READ_SPECIAL, /* a FIFO, device or socket */
    MRWI_BASE_READ_LARGE,
    MRWI_BASE_READ_LFS,  /* a Git LFS pointer in place of the file */
    MRWI_BASE_READ_PAGE, /* an HTML page in place of the file */
    MRWI_BASE_READ_FAILED,
    MRWI_BASE_READ_MEMORY
} mrwi_base_read_result;

/* The result in words, to follow a file's name: "does not exist". */
const char *mrwi_base_read_reason(mrwi_base_read_result result);

/* Recognises by its first bytes what stands in for a file: MRWI_BASE_READ_LFS, MRWI_BASE_READ_PAGE,
 * or MRWI_BASE_READ_OK if it is neither. 256 bytes are enough. Functions below that open a file
 * refuse both. */
mrwi_base_read_result mrwi_base_stand_in(const void *bytes, size_t size);

/* Fails with MRW_ERROR_INPUT if a file holds a Git LFS pointer or an HTML page, which must not be
 * overwritten with what it stands for. A file that cannot be read passes. */
mrw_status mrwi_base_check_stand_in(const char *path, mrw_error *error);

/* Reads a whole regular file of at most max bytes that the user named. *data comes from
 * mrwi_base_alloc. Never waits: a FIFO or a device is refused. */
mrwi_base_read_result mrwi_base_read_path(const char *path, uint64_t max, uint8_t **data,
                                          size_t *size);

/* The same with the reason in words, and one zero byte behind the data. With `missing` a file that
 * is not there is no failure: it is set, and *out is empty. Free with mrw_bytes_free. */
mrw_status mrwi_base_read_file(const char *path, uint64_t max_size, mrw_bytes *out, bool *missing,
                               mrw_error *error);

/* Removes a file; one that is not there is no failure. */
mrw_status mrwi_base_remove_file(const char *path, mrw_error *error);

/* Opens such a file for a relative path that is not trusted, below the folder's descriptor:
 * absolute paths, ".." and links that lead out of the folder are refused. *fd is the caller's.
 * Something other than a regular file is found out without opening it. folder_fd -1: no folder, all
 * is missing. */
mrwi_base_read_result mrwi_base_open_beneath(int folder_fd, const char *path, uint64_t max, int *fd,
                                             uint64_t *size);

/* Reads `room` bytes from a descriptor, fewer where its file ends, and closes it. */
mrwi_base_read_result mrwi_base_read_bytes(int fd, size_t room, uint8_t **data, size_t *size);

/* Makes a file in memory that holds the bytes, with its offset at 0. Returns its descriptor, or -1
 * with errno. */
int mrwi_base_file_of_bytes(const void *bytes, size_t size);

/* Reads the whole file that a descriptor stands for, and closes that. */
mrwi_base_read_result mrwi_base_read_open(int fd, uint64_t max, uint8_t **data, size_t *size);

/* Opens a path that mrwi_base_open_beneath allows where the kernel lacks openat2: each component by
 * itself, through no link at all; flags as for open. Returns a descriptor, or -1 and errno. Public
 * for the tests. */
int mrwi_base_open_by_components(int folder_fd, const char *path, int flags);

/* Finds a path whose parts have the same names in normal form C (é as one character or as two), for
 * a path that does not exist. Paths begin at folder_fd; AT_FDCWD: at the current folder. Returns
 * false if there is none. If several match, `out` is the first by strcmp. May change errno. */
bool mrwi_base_find_form(int folder_fd, const char *path, char out[MRWI_BASE_PATH_MAX]);

/* A descriptor of a folder; -1 when it cannot be opened. The caller closes it. */
int mrwi_base_open_folder(const char *path);

/* A descriptor of the folder above an open one; -1 when it cannot be opened. The caller closes it.
 */
int mrwi_base_open_folder_above(int folder_fd);

/* Opens a folder below another one for reading, by a path that is not trusted. Returns -1 if it
 * does not exist, or if mrwi_base_open_beneath would refuse the path. The caller closes it. */
int mrwi_base_open_folder_beneath(int folder_fd, const char *path);

/* The part behind the last '/' or '\'. */
const char *mrwi_base_basename(const char *path);

/* Removes the last `count` parts of a path, which has room for 2 bytes. The result is "." if the
 * path has no more parts. */
void mrwi_base_cut_parts(char *path, int count);

#endif
