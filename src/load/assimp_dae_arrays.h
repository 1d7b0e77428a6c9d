/* assimp_dae_arrays.h: Collada arrays that say they are shorter than what is read of them. */
#ifndef MRWI_LOAD_ASSIMP_DAE_ARRAYS_H
#define MRWI_LOAD_ASSIMP_DAE_ARRAYS_H

#include "load/assimp_edits.h"

/* Adds edits that let every array's count cover what its accessors read. False when out of memory.
 */
bool mrwi_dae_mend_arrays(const char *text, size_t size, mrwi_edits *edits);

#endif
