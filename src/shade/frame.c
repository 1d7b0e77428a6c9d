/* frame.c: constants of a frame's shading that follow from its job: rays to the eye, the channel
 * that is shown, exposure and tone map.
 */
#include "base/math.h"
#include "shade/shade.h"

/* Expresses the direction from a surface to the eye as a linear function of the pixel. The vectors
 * d with row0 . d = x, row1 . d = y, row3 . d = 1 (rows of world_to_clip, x and y in -1 ... 1) lead
 * from the eye to the points one unit of w away, so neither the eye point nor an inverse matrix is
 * needed. */
void mrwi_shade_set_rays(mrwi_shade_frame *shade, const mrw_raster_job *job)
{
    for (int i = 0; i < 3; i++) {
        shade->ray0[i] = job->view.view_back[i];
        shade->ray_dx[i] = shade->ray_dy[i] = 0.0f;
    }
    double row[3][3];
    double rx[3], ry[3], rw[3];
    for (int c = 0; c < 3; c++) {
        row[0][c] = (double)job->view.world_to_clip.m[4 * c];
        row[1][c] = (double)job->view.world_to_clip.m[4 * c + 1];
        row[2][c] = (double)job->view.world_to_clip.m[4 * c + 3];
    }
    mrwi_base_cross3d(row[1], row[2], rx);
    mrwi_base_cross3d(row[2], row[0], ry);
    mrwi_base_cross3d(row[0], row[1], rw);
    const double back[3] = {(double)job->view.view_back[0], (double)job->view.view_back[1],
                            (double)job->view.view_back[2]};
    const double along = mrwi_base_dot3d(row[1], back); /* not 0 in shifted views */
    for (int i = 0; i < 3; i++) {
        shade->up[i] = (float)(row[1][i] - along * back[i]);
    }
    double det = mrwi_base_dot3d(row[0], rx);
    if (job->view.orthographic || det == 0.0) {
        return;
    }
    double width = job->width;
    double height = job->height;
    for (int i = 0; i < 3; i++) {
        shade->ray0[i] = (float)(((rx[i] - ry[i]) - rw[i]) / det);
        shade->ray_dx[i] = (float)(-2.0 * rx[i] / (width * det));
        shade->ray_dy[i] = (float)(2.0 * ry[i] / (height * det));
    }
}

mrw_shading_channel mrwi_shade_channel_of(const mrw_raster_job *job)
{
    switch (job->shading) {
    case MRW_SHADING_NORMAL:
        return MRW_CHANNEL_NORMAL;
    case MRW_SHADING_UV:
        return MRW_CHANNEL_UV0;
    case MRW_SHADING_CHANNEL:
        return job->channel;
    default:
        return MRW_CHANNEL_VERTEX_COLOR;
    }
}

static bool is_color(mrw_shading_channel channel)
{
    return channel == MRW_CHANNEL_BASE || channel == MRW_CHANNEL_EMISSIVE ||
           channel == MRW_CHANNEL_VERTEX_COLOR;
}

mrwi_shade_tone mrwi_shade_tone_of(const mrw_raster_job *job)
{
    static const mrwi_shade_curve curves[] = {[MRW_TONEMAP_NONE] = MRWI_SHADE_CURVE_EXPOSED,
                                              [MRW_TONEMAP_ACES] = MRWI_SHADE_CURVE_ACES,
                                              [MRW_TONEMAP_NEUTRAL] = MRWI_SHADE_CURVE_NEUTRAL};
    const mrw_shading_info *mode = mrw_shading_info_of(job->shading);
    const mrw_tonemap tonemap = mode->tone_mapped ? job->tonemap : MRW_TONEMAP_NONE;
    const float exposure = mode->exposed ? job->exposure : 1.0f;
    const bool colors = job->shading == MRW_SHADING_CHANNEL && is_color(job->channel);
    if (!mode->encoded && !colors) {
        return (mrwi_shade_tone){.curve = MRWI_SHADE_CURVE_RAW};
    }
    if (tonemap == MRW_TONEMAP_NONE && exposure == 1.0f) {
        return (mrwi_shade_tone){.curve = MRWI_SHADE_CURVE_SRGB};
    }
    return (mrwi_shade_tone){curves[tonemap], exposure};
}
