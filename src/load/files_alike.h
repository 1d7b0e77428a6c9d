/* files_alike.h: textures whose files are not called quite what the model calls them. */
#ifndef MRWI_LOAD_FILES_ALIKE_H
#define MRWI_LOAD_FILES_ALIKE_H

#include "base/file.h"

/* What lies in folders: each is read once, whatever is looked for, and sorted. Folders with more
 * than 262,144 files, and those that come after 1024 others or 64 MiB of names, are not looked
 * into: the cost is bounded, and what is found does not depend on the order of a folder's files. */
typedef struct mrwi_load_names mrwi_load_names;

mrwi_load_names *mrwi_load_names_create(void);             /* NULL: out of memory */
void mrwi_load_names_free(mrwi_load_names *names);         /* NULL allowed */
bool mrwi_load_names_failed(const mrwi_load_names *names); /* out of memory on the way */

/* How well the name of a file fits, the best first: 0 is the name itself, 1 that in any case of
 * ASCII letters, those from 2 on the name with another ending of those that pictures have that are
 * read: png, jpg, jpeg, tga, bmp, dds. */
#define MRWI_LOAD_ALIKE_FITS 9u

/* A path without quotes and blanks around it and around its last part, '/' for '\'. False when no
 * file can have the last part for its name. */
bool mrwi_load_alike_clean(const char *path, char out[MRWI_BASE_PATH_MAX]);

/* Finds what fits `name` in a folder below an open one, ""  being that itself: *out is its path
 * from there. The folder's own path is taken in any case, too, where there is none of its name. Of
 * several that fit so well, the one with the same letters is found, else the first in the order of
 * bytes. root_number tells the open folders apart. It may be no file, and a link: to be opened as a
 * stranger's path. */
bool mrwi_load_names_find(mrwi_load_names *names, int root_fd, size_t root_number,
                          const char *folder, const char *name, unsigned fit,
                          char out[MRWI_BASE_PATH_MAX]);

#endif
