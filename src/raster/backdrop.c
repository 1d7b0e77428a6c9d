/* backdrop.c: the environment, seen behind everything, in the direction of each pixel's centre. It
 * is put behind resolved pixels in linear light, before exposure and tone map, like a very distant
 * surface.
 *
 * The code is the same on every machine: it handles one direction at a time, and four places of the
 * picture at once.
 */
#include "base/simd/f4.h"
#include "raster/internal.h"
#include "shade/environment_spec.h"

/* ---- blurred --------------------------------------------------------------------------------- */

/* Returns a texel of a level, counted with its border. Beyond the border the map continues as
 * light/environment.c says: with the same edge, mirrored about its middle. */
static const float *texel_of(const mrwi_light_environment_map *map,
                             const mrwi_light_environment_level *level, int32_t x, int32_t y)
{
    const int32_t size = level->stride - 2;
    if (x < 0 || x > size + 1) {
        x = x < 0 ? 1 - x : 2 * size + 1 - x;
        y = size + 1 - y;
    }
    if (y < 0 || y > size + 1) {
        y = y < 0 ? 1 - y : 2 * size + 1 - y;
        x = size + 1 - x;
    }
    return map->texels[level->first + y * level->stride + x];
}

/* Writes the weights of four neighbours, by a cubic B-spline, at a share of the way from the second
 * to the third. */
static void weigh(float t, float out[4])
{
    const float rest = 1.0f - t, sixth = 1.0f / 6.0f;
    out[0] = (rest * rest) * rest * sixth;
    out[1] = (4.0f + (3.0f * t - 6.0f) * (t * t)) * sixth;
    out[2] = (4.0f + (3.0f * rest - 6.0f) * (rest * rest)) * sixth;
    out[3] = (t * t) * t * sixth;
}

/* Blends 4 x 4 texels of a level. Texels of rough levels are dozens of pixels large: between four
 * of them, edges of bright areas would show as creases. */
static mrwi_base_f4 blend_level(const mrwi_light_environment_map *map,
                                const mrwi_light_environment_level *level, float u, float v)
{
    const float column = u * level->half + level->middle, row = v * level->half + level->middle;
    const int32_t left = (int32_t)column, upper = (int32_t)row;
    float across[4], down[4];
    mrwi_base_f4 sum = mrwi_base_f4_set(0.0f);
    weigh(column - (float)left, across);
    weigh(row - (float)upper, down);
    for (int32_t y = 0; y < 4; y++) {
        mrwi_base_f4 line = mrwi_base_f4_set(0.0f);
        for (int32_t x = 0; x < 4; x++) {
            const float *texel = texel_of(map, level, left + x - 1, upper + y - 1);
            line += mrwi_base_f4_load(texel) * mrwi_base_f4_set(across[x]);
        }
        sum += line * mrwi_base_f4_set(down[y]);
    }
    return sum;
}

/* Looks a direction of any length up in the levels around a roughness above 0. */
static void see_blurred(const mrwi_light_environment_map *map, const float d[3], float roughness,
                        float out[4])
{
    const int32_t last = MRWI_LIGHT_ENVIRONMENT_LEVELS - 1;
    const float at = mrwi_shade_environment_clamp(roughness, 0.0f, 1.0f) * (float)last;
    const int32_t level = (int32_t)at < last - 1 ? (int32_t)at : last - 1;
    float u, v;
    mrwi_shade_environment_place(d, &u, &v);
    const mrwi_base_f4 smooth = blend_level(map, &map->levels[level], u, v);
    const mrwi_base_f4 rough = blend_level(map, &map->levels[level + 1], u, v);
    mrwi_base_f4_store(out, smooth + (rough - smooth) * mrwi_base_f4_set(at - (float)level));
}

/* ---- directions ------------------------------------------------------------------------------ */

/* Looks up four directions of the environment, 0 ... 65536. */
static void see(const mrw_lighting *lighting, float blur, float direction[3][4], float out[4][4])
{
    const mrw_environment *environment = lighting->environment;
    const mrwi_light_environment_map *map = &environment->specular;
    if (environment->picture.pixels && blur == 0.0f) {
        mrwi_light_environment_see(&environment->picture, direction[0], direction[1], direction[2],
                                   out);
    } else {
        for (int i = 0; i < 4; i++) {
            const float d[3] = {direction[0][i], direction[1][i], direction[2][i]};
            float u, v;
            if (blur > 0.0f) {
                see_blurred(map, d, blur, out[i]);
                continue;
            }
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
static void see_row(const mrwi_raster_frame *frame, int32_t x, int32_t y, uint32_t count,
                    float (*out)[4])
{
    const mrwi_shade_frame *shade = &frame->shade;
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
        see(&shade->lighting, frame->job->environment_blur, direction, out + i);
    }
}

/* ---- pixels ---------------------------------------------------------------------------------- */

void mrwi_raster_draw_backdrop(const mrwi_raster_band *band)
{
    const mrwi_raster_frame *frame = band->frame;
    const mrw_target *color = frame->color;
    float(*row)[4] = band->scratch->backdrop;
    for (int32_t y = band->box.y0; y < band->box.y1; y++) {
        see_row(frame, 0, y, frame->job->width, row);
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
    see_row(band->frame, x, y, count, behind);
    for (uint32_t i = 0; i < count; i++) {
        const float through = 1.0f - mrwi_shade_environment_clamp(rgba[i][3], 0.0f, 1.0f);
        for (int k = 0; k < 3; k++) {
            rgba[i][k] = rgba[i][k] + through * behind[i][k];
        }
        rgba[i][3] = 1.0f;
    }
}
