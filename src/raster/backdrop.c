/* backdrop.c: the environment, seen behind everything, in the direction of each pixel's centre. It
 * is put behind resolved pixels in linear light, before exposure and tone map, like a very distant
 * surface.
 *
 * The code is the same on every machine: it handles one direction at a time, and four places of the
 * picture at once.
 */
#include "raster/internal.h"
#include "shade/environment_spec.h"

/* Looks up four directions of the environment, 0 ... 65536. */
static void see(const mrw_lighting *lighting, float direction[3][4], float out[4][4])
{
    const mrw_environment *environment = lighting->environment;
    const mrwi_light_environment_map *map = &environment->specular;
    if (environment->picture.pixels) {
        mrwi_light_environment_see(&environment->picture, direction[0], direction[1], direction[2],
                                   out);
    } else {
        for (int i = 0; i < 4; i++) {
            const float d[3] = {direction[0][i], direction[1][i], direction[2][i]};
            float u, v;
            mrwi_shade_environment_place(d, &u, &v);
            mrwi_shade_environment_tap(map, &map->levels[0], u, v, out[i]);
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            out[i][k] = mrwi_shade_environment_clamp(out[i][k] * lighting->environment_intensity,
                                                     0.0f, 0x1p16f);
        }
        out[i][3] = 1.0f;
    }
}

/* Computes pixels x ... x + count - 1 of row y; writes up to three more. */
static void see_row(const mrwi_shade_frame *shade, int32_t x, int32_t y, uint32_t count,
                    float (*out)[4])
{
    const float *dx = shade->ray_dx, *dy = shade->ray_dy, *r = shade->ray0;
    const float down = (float)y + 0.5f;
    for (uint32_t i = 0; i < count; i += 4) {
        float direction[3][4];
        for (int lane = 0; lane < 4; lane++) {
            const float across = (float)(x + (int32_t)i + lane) + 0.5f;
            float away[3], turned[3];
            for (int k = 0; k < 3; k++) { /* the rays lead to the eye */
                away[k] = -((across * dx[k] + down * dy[k]) + r[k]);
            }
            mrwi_shade_environment_turn(&shade->lighting, away, turned);
            for (int k = 0; k < 3; k++) {
                direction[k][lane] = turned[k];
            }
        }
        see(&shade->lighting, direction, out + i);
    }
}

void mrwi_raster_draw_backdrop(const mrwi_raster_band *band)
{
    const mrwi_raster_frame *frame = band->frame;
    const mrw_target *color = frame->color;
    float(*row)[4] = band->scratch->backdrop;
    for (int32_t y = band->box.y0; y < band->box.y1; y++) {
        see_row(&frame->shade, 0, y, frame->job->width, row);
        if (frame->linear) {
            mrwi_raster_store_linear(frame, (const float(*)[4])row, frame->job->width,
                                     mrwi_raster_target_row(frame->linear, y));
        }
        if (!color) {
            continue;
        }
        if (frame->background.is_deep) {
            mrwi_shade_encode_deep(
                (const float(*)[4])row, frame->job->width, &frame->background.deep, color->channels,
                frame->shade.tone,
                (uint16_t *)((uint8_t *)color->data + (size_t)y * color->stride));
            continue;
        }
        frame->kernels->encode((const float(*)[4])row, frame->job->width, frame->background.color,
                               color->channels, frame->shade.tone,
                               (uint8_t *)color->data + (size_t)y * color->stride);
    }
}

void mrwi_raster_put_over_backdrop(const mrwi_raster_band *band, int32_t x, int32_t y,
                                   uint32_t count, float (*rgba)[4])
{
    float(*behind)[4] = band->scratch->backdrop;
    see_row(&band->frame->shade, x, y, count, behind);
    for (uint32_t i = 0; i < count; i++) {
        const float through = 1.0f - mrwi_shade_environment_clamp(rgba[i][3], 0.0f, 1.0f);
        for (int k = 0; k < 3; k++) {
            rgba[i][k] = rgba[i][k] + through * behind[i][k];
        }
        rgba[i][3] = 1.0f;
    }
}
