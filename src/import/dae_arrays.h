/* dae_arrays.h: Collada arrays that say they are shorter than what is read of them. */
#ifndef MRWI_IMPORT_DAE_ARRAYS_H
#define MRWI_IMPORT_DAE_ARRAYS_H

#include "import/edits.h"

/* Adds edits that let every array's count cover what its accessors read. False when out of memory.
 */
bool mrwi_dae_mend_arrays(const char *text, size_t size, mrwi_edits *edits);

#endif
