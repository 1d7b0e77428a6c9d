/* aov.h: what the files of the passes share. */
#ifndef MRWI_FRAME_AOV_H
#define MRWI_FRAME_AOV_H

#include "frame/frame.h"

/* A camera as computer vision has it, for a picture of so many pixels. */
mrw_intrinsics mrwi_frame_intrinsics_of(const mrw_camera *camera, uint32_t width, uint32_t height);

/* What is seen at the centres of pixels, of posed instances from a camera. */
typedef struct mrwi_frame_seen {
    const mrwi_frame_posed *posed;
    mrw_intrinsics camera;
    mrw_image ids;       /* 1 and the number of the draw in posed; 0: nothing */
    mrw_image triangles; /* of that draw */
} mrwi_frame_seen;

/* aov_resolve.c: fills an image for each of a definition's passes that can be told of the triangle
 * and the camera. False when out of memory. */
bool mrwi_frame_resolve_aovs(mrwi_base_arena *arena, const mrwi_frame_seen *seen,
                             const mrw_frame_def *def, int threads, mrw_image *images);

#endif
