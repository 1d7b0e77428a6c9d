/* compare.h: masks of settings. */
#ifndef MRWI_SESSION_COMPARE_H
#define MRWI_SESSION_COMPARE_H

#include "marrow/compare.h"
#include "marrow/options.h"

/* Marks the pixels that a rectangle or an image leaves out of pictures of that size. Masks of nodes
 * are not handled here. */
mrw_status mrwi_session_mask(const mrw_mask *mask, uint32_t width, uint32_t height, uint8_t *marks,
                             mrw_error *error);

#endif
