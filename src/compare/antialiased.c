/* antialiased.c: does a pixel lie on an anti-aliased edge?
 *
 * After V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector", Electronics and
 * Electrical Engineering 7(95), 2009, with the safeguards that tools for comparing screenshots
 * made common: such a pixel lies between a darker and a brighter neighbour, at most two neighbours
 * are as bright as itself, and the darkest or the brightest neighbour belongs, in both pictures,
 * to a plain area, which the edge borders on. Where several neighbours are the darkest or the
 * brightest any of them may be it, so that mirrored pictures give mirrored answers.
 */
#include "compare/pair.h"

#define PLAIN 3 /* a pixel belongs to a plain area when so many neighbours have its colour */

/* Where the eight neighbours are. Unsigned, so that what lies before 0 is beyond the last, too. */
#define BACK UINT32_MAX
static const uint32_t step_x[8] = {BACK, 0, 1, BACK, 1, BACK, 0, 1};
static const uint32_t step_y[8] = {BACK, BACK, BACK, 0, 0, 1, 1, 1};

/* True when a neighbour exists and is not masked. */
static inline bool is_seen(const mrwi_pair *pair, uint32_t x, uint32_t y)
{
    return x < pair->width && y < pair->height && !mrwi_masked(pair, x, y);
}

/* At the border, what lies outside counts as one more pixel of the same colour. */
static inline int at_border(const mrwi_pair *pair, uint32_t x, uint32_t y)
{
    return x == 0 || y == 0 || x + 1 == pair->width || y + 1 == pair->height;
}

static bool is_plain(const mrwi_pair *pair, const mrw_image *image, uint32_t x, uint32_t y)
{
    uint32_t color = mrwi_pixel(image, x, y);
    int equal = at_border(pair, x, y);
    for (int i = 0; i < 8; i++) {
        uint32_t u = x + step_x[i], v = y + step_y[i];
        equal += is_seen(pair, u, v) && mrwi_pixel(image, u, v) == color;
    }
    return equal >= PLAIN;
}

/* Rec. 601 luma over mid grey, times 255000. */
static inline int32_t brightness(uint32_t pixel)
{
    int32_t alpha = (int32_t)mrwi_channel(pixel, 3);
    int32_t luma = 299 * (int32_t)mrwi_channel(pixel, 0) + 587 * (int32_t)mrwi_channel(pixel, 1) +
                   114 * (int32_t)mrwi_channel(pixel, 2);
    return luma * alpha + 128000 * (255 - alpha);
}

static bool antialiased_in(const mrwi_pair *pair, const mrw_image *image, uint32_t x, uint32_t y)
{
    int32_t own = brightness(mrwi_pixel(image, x, y)), delta[8] = {0}, darkest = 0, brightest = 0;
    int equal = at_border(pair, x, y);
    for (int i = 0; i < 8; i++) {
        uint32_t u = x + step_x[i], v = y + step_y[i];
        if (!is_seen(pair, u, v)) {
            continue;
        }
        delta[i] = brightness(mrwi_pixel(image, u, v)) - own;
        equal += delta[i] == 0;
        if (equal >= PLAIN) {
            return false;
        }
        darkest = delta[i] < darkest ? delta[i] : darkest;
        brightest = delta[i] > brightest ? delta[i] : brightest;
    }
    if (darkest == 0 || brightest == 0) {
        return false;
    }
    for (int i = 0; i < 8; i++) {
        uint32_t u = x + step_x[i], v = y + step_y[i];
        if ((delta[i] == darkest || delta[i] == brightest) &&
            is_plain(pair, pair->expected, u, v) && is_plain(pair, pair->actual, u, v)) {
            return true;
        }
    }
    return false;
}

bool mrwi_antialiased(const mrwi_pair *pair, uint32_t x, uint32_t y)
{
    return antialiased_in(pair, pair->expected, x, y) || antialiased_in(pair, pair->actual, x, y);
}
