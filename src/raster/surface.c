/* surface.c: normals and base colours of the surfaces at the centres of pixels, in any shading mode
 * of the picture: the values of MRW_SHADING_CHANNEL before encoding. */
#include "raster/internal.h"

/* Converts n / 2 + 1/2 to n, whose length is then one up to an error of 2e-7. */
static inline void write_normal(const float rgba[4], float out[3])
{
    out[0] = 2.0f * rgba[0] - 1.0f;
    out[1] = 2.0f * rgba[1] - 1.0f;
    out[2] = 2.0f * rgba[2] - 1.0f;
}

static inline void write_albedo(const float rgba[4], float out[3])
{
    out[0] = rgba[0];
    out[1] = rgba[1];
    out[2] = rgba[2];
}

static void write_list(const mrwi_raster_band *band, const mrwi_shade_frame *shade,
                       const mrw_target *target)
{
    const mrwi_shade_pixels *p = &band->scratch->pixels;
    const uint32_t width = band->frame->job->width;
    const bool normals = target->kind == MRW_TARGET_NORMAL;
    float(*rgba)[4] = band->scratch->rgba;
    const mrwi_shade_list list = mrwi_raster_fragment_list(&band->scratch->fragments);
    band->frame->kernels->shade(shade, &list, rgba);
    uint32_t y = p->where[0] / width; /* pixels ascend, row after row */
    float *row = mrwi_raster_target_row(target, (int32_t)y);
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->where[i] - y * width >= width) {
            y = p->where[i] / width;
            row = mrwi_raster_target_row(target, (int32_t)y);
        }
        float *out = row + 3 * (size_t)(p->where[i] - y * width);
        if (normals) {
            write_normal(rgba[i], out);
        } else {
            write_albedo(rgba[i], out);
        }
    }
}

static void write_surfaces(const mrwi_raster_band *band)
{
    const mrwi_raster_frame *frame = band->frame;
    if (frame->normal) {
        write_list(band, frame->normal_shade, frame->normal);
    }
    if (frame->albedo) {
        write_list(band, frame->albedo_shade, frame->albedo);
    }
}

void mrwi_raster_write_surfaces(const mrwi_raster_band *band)
{
    if (band->frame->normal || band->frame->albedo) {
        mrwi_raster_visit_centers(band, write_surfaces);
    }
}
