/* unit.h: unit quaternions from keys. */
#ifndef MRWI_ANIM_UNIT_H
#define MRWI_ANIM_UNIT_H

#include "base/math.h"

#include <string.h>

/* Returns true if q is a unit quaternion, to rounding. */
static inline bool mrwi_anim_is_unit(const float q[4])
{
    const float off = (q[0] * q[0] + q[2] * q[2]) + (q[1] * q[1] + q[3] * q[3]) - 1.0f;
    return off <= 1e-6f && off >= -1e-6f;
}

/* Makes q a unit quaternion. One that is unit to rounding stays as it is, so that a key keeps the
 * bits of the file. */
static inline void mrwi_anim_make_unit(float q[4])
{
    static const float identity[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    if (!mrwi_anim_is_unit(q) && !mrwi_base_normalize4(q)) {
        memcpy(q, identity, sizeof identity);
    }
}

#endif
