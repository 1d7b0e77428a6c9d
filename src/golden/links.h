/* links.h: the links of an untrusted suite must not lead out of its folder. */
#ifndef MRWI_GOLDEN_LINKS_H
#define MRWI_GOLDEN_LINKS_H

#include "marrow/golden.h"

/* Refuses symbolic links among the goldens and results of cases: below the folder of a suite, and
 * below a folder that the user has named (`results`; NULL: those beside the suites). The folder
 * itself may be reached by links. Call it before anything is read or written there: the message
 * names the first link. */
mrw_status mrwi_golden_refuse_links(const mrw_case_list *cases, const char *results,
                                    mrw_error *error);

#endif
