/* mode.c: what the shading modes read, and what becomes of their colours: the one table of it. */
#include "marrow/raster.h"

#include <assert.h>

const mrw_shading_info *mrw_shading_info_of(mrw_shading shading)
{
    static const mrw_shading_info modes[MRW_SHADING_COUNT] = {
        [MRW_SHADING_LIT] = {.name = "lit",
                             .shows = "materials as their files have them, in all light",
                             .lit = true,
                             .environment = true,
                             .materials = true,
                             .keeps_unlit = true,
                             .exposed = true,
                             .tone_mapped = true,
                             .encoded = true},
        [MRW_SHADING_LAMBERT] = {.name = "lambert",
                                 .shows = "base colours, matt, in the light of lamps",
                                 .lit = true,
                                 .keeps_unlit = true,
                                 .exposed = true,
                                 .encoded = true},
        [MRW_SHADING_UNLIT] = {.name = "unlit",
                               .shows =
                                   "base colours, linear light, as KHR_materials_unlit has them",
                               .encoded = true},
        [MRW_SHADING_RAW] = {.name = "raw",
                             .shows = "stored bytes of base colours, filtered as they are",
                             .stored = true},
    };
    assert((unsigned)shading < MRW_SHADING_COUNT);
    return &modes[shading];
}
