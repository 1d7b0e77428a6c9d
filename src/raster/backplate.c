/* backplate.c: a picture behind everything. Its values are those of the finished picture, so it is
 * put behind resolved pixels after exposure and tone map, as a background of one colour is: pixels
 * next to each other that have the same colour behind them are encoded together. */
#include "raster/internal.h"

#include "image/color.h"

#include <assert.h>
#include <string.h>

/* Returns pixel x of row y. */
static const uint8_t *pixel_of(const mrw_image *plate, int32_t x, int32_t y)
{
    const size_t pixel = plate->channels * mrw_format_size(plate->format);
    return plate->pixels + ((size_t)y * plate->width + (size_t)x) * pixel;
}

/* Converts a pixel to what is seen behind a resolved one: linear, unless colours are stored as they
 * are. */
static void see(const mrwi_raster_frame *frame, const uint8_t *pixel, float out[4])
{
    const bool raw = frame->shade.tone.curve == MRWI_SHADE_CURVE_RAW;
    uint16_t deep[3];
    if (frame->background.plate->format == MRW_FORMAT_U8) {
        const uint8_t srgb[4] = {pixel[0], pixel[1], pixel[2], 255};
        mrwi_shade_background_of(srgb, raw, out);
        return;
    }
    memcpy(deep, pixel, sizeof deep);
    for (int k = 0; k < 3; k++) {
        const double value = deep[k] / 65535.0;
        out[k] = (float)(raw ? value : mrwi_image_srgb_to_linear(value));
    }
    out[3] = 1.0f;
}

void mrwi_raster_draw_plate(const mrwi_raster_band *band)
{
    const mrwi_raster_frame *frame = band->frame;
    const mrw_image *plate = frame->background.plate;
    const uint32_t width = frame->job->width;
    const size_t pixel = plate->channels * mrw_format_size(plate->format);
    assert(plate->channels == 3 && plate->width == width && plate->height == frame->job->height);
    assert(!frame->color || (frame->color->channels == 3 && frame->color->format == plate->format));
    for (int32_t y = band->box.y0; y < band->box.y1; y++) {
        const uint8_t *from = pixel_of(plate, 0, y);
        if (frame->color) {
            memcpy(mrwi_raster_target_row(frame->color, y), from, width * pixel);
        }
        float *linear = frame->linear ? mrwi_raster_target_row(frame->linear, y) : NULL;
        for (uint32_t x = 0; linear && x < width; x++) {
            see(frame, from + x * pixel, linear + 4 * (size_t)x);
        }
    }
}

/* Returns the number of pixels, at least one, that can be written with the first one: they show
 * something, and have the same colour behind them or hide it. */
static uint32_t run_of(const uint8_t *plate, size_t pixel, uint32_t count, const float (*rgba)[4])
{
    static const float nothing[4];
    uint32_t run = 1;
    while (run < count && memcmp(rgba[run], nothing, sizeof nothing) != 0 &&
           (rgba[run][3] >= 1.0f || memcmp(plate + run * pixel, plate, pixel) == 0)) {
        run++;
    }
    return run;
}

/* Writes pixels over one colour to the colour target. */
static void write_color(const mrwi_raster_frame *frame, const float (*rgba)[4], uint32_t count,
                        const uint8_t *behind, const float linear[4], uint8_t *out)
{
    if (!frame->background.is_deep) {
        frame->kernels->encode(rgba, count, linear, 3, frame->shade.tone, out);
        return;
    }
    mrwi_shade_deep_background deep = {.written = {0, 0, 0, 65535}};
    memcpy(deep.linear, linear, sizeof deep.linear);
    memcpy(deep.written, behind, 3 * sizeof *deep.written);
    mrwi_shade_encode_deep(rgba, count, &deep, 3, frame->shade.tone, (uint16_t *)(void *)out);
}

/* Writes pixels over one colour to the target of linear colours. */
static void write_linear(const mrwi_raster_frame *frame, const float (*rgba)[4], uint32_t count,
                         const float linear[4], float *out)
{
    const float exposure = frame->background.exposure;
    for (uint32_t i = 0; i < count; i++, out += 4) {
        const float through = 1.0f - rgba[i][3];
        for (int k = 0; k < 3; k++) {
            out[k] = rgba[i][k] * exposure + through * linear[k];
        }
        out[3] = rgba[i][3] + through * linear[3];
    }
}

void mrwi_raster_put_over_plate(const mrwi_raster_band *band, int32_t x, int32_t y, uint32_t count,
                                const float (*rgba)[4])
{
    static const float nothing[4];
    const mrwi_raster_frame *frame = band->frame;
    const mrw_image *plate = frame->background.plate;
    const size_t pixel = plate->channels * mrw_format_size(plate->format);
    const uint8_t *behind = pixel_of(plate, x, y);
    for (uint32_t i = 0, run; i < count; i += run) {
        float linear[4];
        run = 1;
        if (memcmp(rgba[i], nothing, sizeof nothing) == 0) {
            continue;
        }
        run = run_of(behind + i * pixel, pixel, count - i, rgba + i);
        see(frame, behind + i * pixel, linear);
        const size_t at = (size_t)x + i;
        if (frame->color) {
            write_color(frame, rgba + i, run, behind + i * pixel, linear,
                        (uint8_t *)mrwi_raster_target_row(frame->color, y) + at * pixel);
        }
        if (frame->linear) {
            write_linear(frame, rgba + i, run, linear,
                         (float *)mrwi_raster_target_row(frame->linear, y) + 4 * at);
        }
    }
}
