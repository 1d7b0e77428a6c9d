/* dae_curves.h: Collada curves mended before assimp sees them. */
#ifndef MRWI_IMPORT_DAE_CURVES_H
#define MRWI_IMPORT_DAE_CURVES_H

#include "marrow/base.h"

#include <stddef.h>
#include <stdint.h>

/* Sets *out (mrwi_alloc) to a copy of the file in which all curves are straight between their keys,
 * or to NULL when the file may be read as it is. False when out of memory. */
bool mrwi_dae_mend(const uint8_t *bytes, size_t size, uint8_t **out, size_t *out_size);

#endif
