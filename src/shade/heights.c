/* heights.c: converts bump maps to normal maps.
 *
 * A texel's slope follows from its 3 x 3 neighbourhood by Sobel's operator: central differences
 * across, averaged over three rows with the weights 1 2 1, and the same down. Without the average,
 * the steps of 8-bit heights would show as terraces. Slopes are computed in integers. Tilting the
 * normal against the slope is Blinn's method ("Simulation of Wrinkled Surfaces", 1978).
 */
#include "marrow/raster.h"

#include <math.h>

/* The result of Sobel's operator for a rise from black to white from each texel to the next:
 * weights of 4 over a distance of 2, and three bytes. */
#define WHOLE_RISE (4.0 * 2.0 * 3.0 * 255.0)

/* Three texels of a column: the weighted sum of their heights, and how much higher the upper one
 * is. */
typedef struct column {
    int32_t sum, rise;
} column;

static int32_t height_of(const uint8_t *texel)
{
    return texel[0] + texel[1] + texel[2];
}

static column column_at(const uint8_t *const rows[3], uint32_t x)
{
    const size_t at = 4 * (size_t)x;
    const int32_t upper = height_of(rows[0] + at), lower = height_of(rows[2] + at);
    return (column){upper + 2 * height_of(rows[1] + at) + lower, upper - lower};
}

static uint32_t before(uint32_t i, uint32_t count, bool repeats)
{
    return i > 0 ? i - 1 : repeats ? count - 1 : 0;
}

static uint32_t behind(uint32_t i, uint32_t count, bool repeats)
{
    return i + 1 < count ? i + 1 : repeats ? 0 : i;
}

static uint8_t byte_of(double along)
{
    return (uint8_t)floor(along * 127.5 + 128.0);
}

static void put_normal(double right, double up, uint8_t *out)
{
    const double scale = 1.0 / sqrt(right * right + up * up + 1.0);
    out[0] = byte_of(-right * scale);
    out[1] = byte_of(-up * scale);
    out[2] = byte_of(scale);
    out[3] = 255;
}

static double steepness_of(uint32_t width, uint32_t height)
{
    return MRW_RASTER_RELIEF * (double)(width > height ? width : height) / WHOLE_RISE;
}

void mrw_raster_heights_to_normals(const uint8_t *rgba, uint32_t width, uint32_t height,
                                   bool repeats_u, bool repeats_v, float scale, uint8_t *out)
{
    const double steepness = steepness_of(width, height) / (double)scale;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *const rows[3] = {rgba + 4 * (size_t)width * before(y, height, repeats_v),
                                        rgba + 4 * (size_t)width * y,
                                        rgba + 4 * (size_t)width * behind(y, height, repeats_v)};
        column left = column_at(rows, before(0, width, repeats_u)), here = column_at(rows, 0);
        for (uint32_t x = 0; x < width; x++, out += 4) {
            const column right = column_at(rows, behind(x, width, repeats_u));
            put_normal(steepness * (right.sum - left.sum),
                       steepness * (left.rise + 2 * here.rise + right.rise), out);
            left = here;
            here = right;
        }
    }
}

/* The most texels per side that are examined. */
#define PROBES 256u

/* Chooses the scale by the mean slope: normals that lean by a quarter to a half on average leave
 * room for steeper ones, and flat parts still have their own steps. */
float mrw_raster_height_scale(const uint8_t *rgba, uint32_t width, uint32_t height)
{
    const uint32_t across = (width + PROBES - 1) / PROBES, down = (height + PROBES - 1) / PROBES;
    const double steepness = steepness_of(width, height);
    uint64_t squares = 0, looked = 0;
    float scale = 4.0f;
    for (uint32_t y = 0; y < height; y += down) {
        const uint8_t *const rows[3] = {rgba + 4 * (size_t)width * before(y, height, false),
                                        rgba + 4 * (size_t)width * y,
                                        rgba + 4 * (size_t)width * behind(y, height, false)};
        for (uint32_t x = 0; x < width; x += across, looked++) {
            const column left = column_at(rows, before(x, width, false)), here = column_at(rows, x),
                         right = column_at(rows, behind(x, width, false));
            const int64_t along = right.sum - left.sum;
            const int64_t up = left.rise + 2 * here.rise + right.rise;
            squares += (uint64_t)(along * along + up * up);
        }
    }
    const double mean = steepness * steepness * (double)squares / (double)looked;
    while (scale > 1.0f / 64.0f && mean < 0.0625 * (double)(scale * scale)) {
        scale *= 0.5f;
    }
    return scale;
}

/* Returns true for texels that look like normals: blue, and of unit length within the errors of 8
 * bits, JPEG and scaling. Texels of heights are grey. */
static bool is_normal(const uint8_t *texel)
{
    int32_t squared = 0;
    for (int c = 0; c < 3; c++) {
        const int32_t along = 2 * texel[c] - 255;
        squared += along * along;
    }
    return texel[2] > 127 && 2 * texel[2] - texel[0] - texel[1] >= 48 &&
           100 * squared >= 64 * 255 * 255 && 100 * squared <= 144 * 255 * 255;
}

bool mrw_raster_are_normals(const uint8_t *rgba, uint32_t width, uint32_t height)
{
    const uint32_t across = (width + PROBES - 1) / PROBES, down = (height + PROBES - 1) / PROBES;
    uint32_t looked = 0, found = 0;
    for (uint32_t y = 0; y < height; y += down) {
        for (uint32_t x = 0; x < width; x += across, looked++) {
            found += is_normal(rgba + 4 * ((size_t)y * width + x));
        }
    }
    return 2 * found > looked;
}
