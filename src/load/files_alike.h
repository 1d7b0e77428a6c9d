/* files_alike.h: finds textures whose files have a slightly different name than in the model. */
#ifndef MRWI_LOAD_FILES_ALIKE_H
#define MRWI_LOAD_FILES_ALIKE_H

#include "base/file.h"

/* Lists of the files in folders. Each folder is read once, whatever is searched for, and sorted.
 * Folders with more than 262,144 files are skipped, and so are those that come after 1024 others or
 * 64 MiB of names: the cost is bounded, and the result does not depend on the order of a folder's
 * files. */
typedef struct mrwi_load_names mrwi_load_names;

mrwi_load_names *mrwi_load_names_create(void);     /* NULL when out of memory */
void mrwi_load_names_free(mrwi_load_names *names); /* NULL allowed */
/* true if memory ran out during a search */
bool mrwi_load_names_failed(const mrwi_load_names *names);

/* Number of ways a file's name can fit, from the best: 0 is the name itself, 1 ignores the case of
 * ASCII letters, and those from 2 on replace the ending with one of a picture format that is read:
 * png, jpg, jpeg, tga, bmp, dds. */
#define MRWI_LOAD_ALIKE_FITS 9u

/* Removes quotes and blanks around a path and around its last part, and writes '/' for '\'. Returns
 * false if no file can have the last part as its name. */
bool mrwi_load_alike_clean(const char *path, char out[MRWI_BASE_PATH_MAX]);

/* Finds a name that fits `name` in a folder below an open one; "" is the open folder itself. *out
 * is its path from there. The folder's own path may differ in case, too, if none has its exact
 * name. If several names fit equally well, the one with the same letters wins, else the first in
 * the order of bytes. root_number tells the open folders apart. The result may not be a file, or
 * may be a link, so it must be opened like any untrusted path. */
bool mrwi_load_names_find(mrwi_load_names *names, int root_fd, size_t root_number,
                          const char *folder, const char *name, unsigned fit,
                          char out[MRWI_BASE_PATH_MAX]);

#endif
