/* promote.h: results of a case become its goldens. */
#ifndef MRWI_GOLDEN_PROMOTE_H
#define MRWI_GOLDEN_PROMOTE_H

#include "marrow/suite.h"

/* Results of one case to its goldens. */
typedef struct mrwi_golden_promotion {
    const mrw_case *c;
    const char *results;      /* the case's folder: FRAME.png, golden.txt, pose.txt, bounds.txt */
    const char *const *names; /* of its frames, in order */
    const uint8_t *take;      /* kinds (MRW_CHECK_...) that become goldens, of each frame */
    const bool *pictures;     /* frames whose picture is in the results, and is to be taken */
    uint32_t count;
    bool partial; /* frames are left that differ: golden.txt goes on saying what models and suite
                     they are of, if it is of version 3, so that they don't seem to be of these */
} mrwi_golden_promotion;

/* Each file is replaced whole: pictures, poses, bounds, golden.txt. What of the goldens is not
 * taken stays. */
mrw_status mrwi_golden_promote(const mrwi_golden_promotion *promotion, mrw_error *error);

#endif
