/* links.h: symbolic links in folders of an untrusted suite. */
#ifndef MRWI_BASE_LINKS_H
#define MRWI_BASE_LINKS_H

#include "marrow/base.h"

/* Refuses a link in a folder or in those below it with MRW_ERROR_INPUT. The message names the first
 * that is found. A folder that is missing has none; one that cannot be listed is refused, too. */
mrw_status mrwi_base_links_below(const char *folder, mrw_error *error);

/* Refuses a link among the components of a path that follow its first `trusted` bytes. */
mrw_status mrwi_base_links_on_way(const char *path, size_t trusted, mrw_error *error);

#endif
