/* extrapolate.h: channels before their first key and after their last. */
#ifndef MRWI_ANIM_EXTRAPOLATE_H
#define MRWI_ANIM_EXTRAPOLATE_H

#include "marrow/anim.h"

/* Corrects the result of the kernels, which hold beyond the keys of all channels. */
void mrwi_anim_extrapolate(const mrw_sample_job *job);

#endif
