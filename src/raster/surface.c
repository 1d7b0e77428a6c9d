/* surface.c: normals and base colours of what is seen at the centres of pixels, whatever the mode
 * of the picture: what MRW_SHADING_CHANNEL shows of them, before it becomes bytes. */
#include "raster/internal.h"

#include <math.h>

/* A list's colours, each as three numbers of its pixel. */
typedef void (*surface_writer)(const float rgba[4], float out[3]);

/* n / 2 + 1/2, which took away a bit or two: n is of length one again. */
static void write_normal(const float rgba[4], float out[3])
{
    const double x = 2.0 * (double)rgba[0] - 1.0, y = 2.0 * (double)rgba[1] - 1.0;
    const double z = 2.0 * (double)rgba[2] - 1.0, length = sqrt((x * x + y * y) + z * z);
    const double scale = length > 0.0 ? 1.0 / length : 0.0;
    out[0] = (float)(x * scale);
    out[1] = (float)(y * scale);
    out[2] = (float)(z * scale);
}

static void write_albedo(const float rgba[4], float out[3])
{
    out[0] = rgba[0];
    out[1] = rgba[1];
    out[2] = rgba[2];
}

static void write_list(mrwi_raster_band *band, const mrwi_raster_shade_frame *shade,
                       const mrw_target *target, surface_writer write)
{
    const mrwi_raster_pixels *p = &band->scratch->pixels;
    const uint32_t width = band->frame->job->width;
    float(*rgba)[4] = band->scratch->rgba;
    const mrwi_raster_shade_list list = mrwi_raster_fragment_list(&band->scratch->fragments);
    band->frame->kernels->shade(shade, &list, rgba);
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t y = p->where[i] / width;
        float *row = mrwi_raster_target_row(target, (int32_t)y);
        write(rgba[i], row + 3 * (size_t)(p->where[i] - y * width));
    }
}

static void write_surfaces(mrwi_raster_band *band)
{
    const mrwi_raster_frame *frame = band->frame;
    if (frame->normal) {
        write_list(band, frame->normal_shade, frame->normal, write_normal);
    }
    if (frame->albedo) {
        write_list(band, frame->albedo_shade, frame->albedo, write_albedo);
    }
}

void mrwi_raster_write_surfaces(mrwi_raster_band *band)
{
    if (band->frame->normal || band->frame->albedo) {
        mrwi_raster_visit_centers(band, write_surfaces);
    }
}
