/* tone_fixture.h: what may become of colours, for tests of kernels. */
#ifndef MARROW_TONE_FIXTURE_H
#define MARROW_TONE_FIXTURE_H

#include "kernels.h"

#include "shade/shade.h"

static inline mrwi_shade_tone random_tone(void)
{
    static const float exposures[] = {0.0f, 1e-6f, 0.5f, 1.0f, 3.7f, 1e6f};
    return (mrwi_shade_tone){(mrwi_shade_curve)random_below(MRWI_SHADE_CURVE_COUNT),
                             exposures[random_below(6)]};
}

/* One that a frame of this shading may have. */
static inline mrwi_shade_tone random_tone_of(mrw_shading shading)
{
    mrwi_shade_tone tone = {.curve = MRWI_SHADE_CURVE_RAW};
    while (mrw_shading_info_of(shading)->encoded && tone.curve == MRWI_SHADE_CURVE_RAW) {
        tone = random_tone();
    }
    return tone;
}

#endif
