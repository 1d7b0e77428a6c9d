/* promote.h: makes results of a case its goldens. */
#ifndef MRWI_GOLDEN_PROMOTE_H
#define MRWI_GOLDEN_PROMOTE_H

#include "marrow/suite.h"

/* Results of one case that become goldens. */
typedef struct mrwi_golden_promotion {
    const mrw_case *c;
    /* Case's results folder: FRAME.png, golden.txt, pose.txt, bounds.txt */
    const char *results;
    const char *const *names; /* Names of the frames, in order */
    const uint8_t *take;      /* Kinds of each frame that become goldens: bits MRW_CHECK_... */
    const bool *pictures;     /* Per frame: take the picture, which the results hold */
    uint32_t count;
    /* Some differing frames are left. Then golden.txt, if it is of version 3, keeps its models and
     * suite, so that these frames do not seem to be made of the new ones. */
    bool partial;
} mrwi_golden_promotion;

/* Replaces whole files: pictures, poses, bounds, golden.txt. Goldens that are not taken stay. */
mrw_status mrwi_golden_promote(const mrwi_golden_promotion *promotion, mrw_error *error);

#endif
