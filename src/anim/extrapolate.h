/* extrapolate.h: channels before their first key and after their last. */
#ifndef MRWI_ANIM_EXTRAPOLATE_H
#define MRWI_ANIM_EXTRAPOLATE_H

#include "marrow/anim.h"

/* Puts right what the kernels, which hold there, have written of a clip. */
void mrwi_anim_extrapolate(const mrw_sample_job *job);

#endif
