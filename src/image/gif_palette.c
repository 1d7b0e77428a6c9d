/* gif_palette.c: the palette of a clip: its colours themselves, or the means of 255 boxes.
 *
 * Boxes are found as by X. Wu, "Efficient statistical computations for optimal color quantization"
 * (Graphics Gems II, 1991): the box with the largest error is cut where the errors of both halves
 * are smallest. Three rounds of Lloyd's algorithm move the means. Distances are measured between
 * sRGB bytes, whose steps are about equally visible (linear light would spend the palette on
 * highlights). They are weighted like luma (ITU-R BT.601: 0.299, 0.587, 0.114), with blue doubled
 * because it is more visible in hues than in luma. Sums are exact, and errors are computed from
 * them in a fixed order, so that a clip has the same palette everywhere. */
#include "image/gif_palette.h"

#include "base/memory.h"
#include "base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const int weights[3] = {3, 6, 2};

/* ---- the colours of a clip ------------------------------------------------------------------- */

static uint32_t cube_of(const uint8_t *pixel)
{
    return (uint32_t)(pixel[0] >> 4) << 8 | (uint32_t)(pixel[1] >> 4) << 4 | pixel[2] >> 4;
}

static uint32_t place_of(const uint8_t *pixel)
{
    return (uint32_t)(pixel[0] & 15) << 8 | (uint32_t)(pixel[1] & 15) << 4 | (pixel[2] & 15);
}

mrw_status mrwi_image_gif_count(mrwi_image_gif_colors *colors, const mrw_image *image,
                                mrw_error *error)
{
    const size_t pixels = (size_t)image->width * image->height;
    assert(image->channels == 4);
    for (size_t i = 0; i < pixels;) {
        const uint8_t *pixel = image->pixels + 4 * i;
        const size_t start = i;
        while (i < pixels && memcmp(image->pixels + 4 * i, pixel, 4) == 0) {
            i++;
        }
        if (pixel[3] == 0) {
            continue;
        }
        uint32_t **cube = &colors->cubes[cube_of(pixel)];
        if (!*cube) {
            *cube = mrwi_base_alloc_zero(4096, sizeof **cube);
            if (!*cube) {
                return mrwi_base_fail_memory(error, 4096 * sizeof **cube);
            }
        }
        uint32_t *count = &(*cube)[place_of(pixel)];
        const size_t room = UINT32_MAX - *count;
        colors->distinct += *count == 0;
        *count += (uint32_t)(i - start < room ? i - start : room);
    }
    return MRW_OK;
}

/* An iterator over all colours of the clip, in a fixed order. */
typedef struct walk {
    uint32_t next; /* the next position to look at: cube * 4096 + place */
    uint8_t color[3];
    uint32_t *slot; /* the current colour's count, or its index */
} walk;

static bool step(const mrwi_image_gif_colors *colors, walk *w)
{
    for (; w->next < MRWI_IMAGE_GIF_CUBES * 4096u; w->next++) {
        uint32_t *cube = colors->cubes[w->next >> 12];
        if (!cube) {
            w->next |= 4095;
            continue;
        }
        if (cube[w->next & 4095] != 0) {
            for (int c = 0; c < 3; c++) {
                const int shift = 8 - 4 * c;
                w->color[c] =
                    (uint8_t)((w->next >> (12 + shift) & 15) << 4 | (w->next >> shift & 15));
            }
            w->slot = &cube[w->next++ & 4095];
            return true;
        }
    }
    return false;
}

void mrwi_image_gif_colors_free(mrwi_image_gif_colors *colors)
{
    for (int i = 0; i < MRWI_IMAGE_GIF_CUBES; i++) {
        mrwi_base_free(colors->cubes[i]);
    }
    mrwi_base_free(colors->patterns);
    *colors = (mrwi_image_gif_colors){0};
}

/* ---- the nearest ----------------------------------------------------------------------------- */

/* The palette sorted by green, so that a search can end where green alone is too far away. */
typedef struct finder {
    const mrwi_image_gif_palette *palette;
    uint8_t order[MRWI_IMAGE_GIF_COLORS];
} finder;

static void make_finder(finder *f, const mrwi_image_gif_palette *palette)
{
    f->palette = palette;
    for (uint32_t i = 0; i < palette->count; i++) {
        uint32_t at = i;
        for (; at > 0 && palette->colors[f->order[at - 1]][1] > palette->colors[i][1]; at--) {
            f->order[at] = f->order[at - 1];
        }
        f->order[at] = (uint8_t)i;
    }
}

static int distance(const uint8_t a[3], const uint8_t b[3])
{
    int sum = 0;
    for (int c = 0; c < 3; c++) {
        sum += weights[c] * (a[c] - b[c]) * (a[c] - b[c]);
    }
    return sum;
}

/* Returns the place in the palette of the nearest colour; the first of equally near ones. */
static uint32_t find(const finder *f, const uint8_t color[3])
{
    const mrwi_image_gif_palette *palette = f->palette;
    uint32_t low = 0, high = palette->count, best = 0;
    int least = INT32_MAX;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (palette->colors[f->order[middle]][1] < color[1]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (int way = -1; way <= 1; way += 2) {
        for (int64_t i = way < 0 ? (int64_t)low - 1 : low; i >= 0 && i < palette->count; i += way) {
            const uint32_t place = f->order[i];
            const int green = palette->colors[place][1] - color[1];
            if (weights[1] * green * green > least) {
                break;
            }
            const int far = distance(palette->colors[place], color);
            if (far < least || (far == least && place < best)) {
                least = far;
                best = place;
            }
        }
    }
    return best;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

#define SIDE   65 /* cells of 4 x 4 x 4 colours, and a plane of zeros before them */
#define CELLS  (SIDE * SIDE * SIDE)
#define ROUNDS 3

/* Statistics of a set of pixels: their number, the sum of their colours, and the sum of the
 * weighted squares. */
typedef struct tally {
    int64_t n, sum[3], squares;
} tally;

typedef struct box {
    int low[3], high[3]; /* the box has the cells above low, up to and including high */
    tally of;
    double error;
} box;

static size_t cell_at(int r, int g, int b)
{
    return ((size_t)r * SIDE + (size_t)g) * SIDE + (size_t)b;
}

static void add(tally *to, const tally *what, int64_t sign)
{
    to->n += sign * what->n;
    to->squares += sign * what->squares;
    for (int c = 0; c < 3; c++) {
        to->sum[c] += sign * what->sum[c];
    }
}

/* Sorts the counted colours into cells. */
static void fill_cells(const mrwi_image_gif_colors *colors, tally *cells)
{
    for (walk w = {0}; step(colors, &w);) {
        tally *cell = &cells[cell_at(1 + w.color[0] / 4, 1 + w.color[1] / 4, 1 + w.color[2] / 4)];
        const int64_t n = *w.slot;
        cell->n += n;
        for (int c = 0; c < 3; c++) {
            cell->sum[c] += n * w.color[c];
            cell->squares += n * weights[c] * w.color[c] * w.color[c];
        }
    }
}

/* Turns each cell into the sum of all cells up to it. */
static void accumulate(tally *cells)
{
    static const size_t strides[3] = {SIDE * SIDE, SIDE, 1};
    for (int axis = 0; axis < 3; axis++) {
        for (size_t i = 0; i < CELLS; i++) {
            if (i / strides[axis] % SIDE > 0) {
                add(&cells[i], &cells[i - strides[axis]], 1);
            }
        }
    }
}

static tally tally_of(const tally *sums, const int low[3], const int high[3])
{
    tally out = {0};
    for (int corner = 0; corner < 8; corner++) {
        const int r = corner & 1 ? low[0] : high[0], g = corner & 2 ? low[1] : high[1];
        const int b = corner & 4 ? low[2] : high[2];
        const int lows = (corner & 1) + (corner >> 1 & 1) + (corner >> 2);
        add(&out, &sums[cell_at(r, g, b)], lows % 2 == 0 ? 1 : -1);
    }
    return out;
}

/* Returns the part of a set's sum of squares that its mean explains. */
static double explained(const tally *m)
{
    double sum = 0.0;
    for (int c = 0; c < 3; c++) {
        sum += weights[c] * ((double)m->sum[c] * (double)m->sum[c]);
    }
    return sum / (double)m->n;
}

static void measure(const tally *sums, box *b)
{
    b->of = tally_of(sums, b->low, b->high);
    b->error = b->of.n > 0 ? (double)b->of.squares - explained(&b->of) : 0.0;
}

/* Cuts a box in two where the means explain most. Returns false if the box is one cell. */
static bool cut(const tally *sums, box *b, box *other)
{
    double most = 0.0;
    int axis = -1, where = 0;
    for (int c = 0; c < 3; c++) {
        for (int at = b->low[c] + 1; at < b->high[c]; at++) {
            int high[3] = {b->high[0], b->high[1], b->high[2]};
            high[c] = at;
            const tally first = tally_of(sums, b->low, high);
            tally second = b->of;
            add(&second, &first, -1);
            if (first.n == 0 || second.n == 0) {
                continue;
            }
            const double gain = explained(&first) + explained(&second);
            if (axis < 0 || gain > most) {
                most = gain;
                axis = c;
                where = at;
            }
        }
    }
    if (axis < 0) {
        b->error = 0.0;
        return false;
    }
    *other = *b;
    b->high[axis] = where;
    other->low[axis] = where;
    measure(sums, b);
    measure(sums, other);
    return true;
}

static void set_mean(uint8_t out[3], const tally *m)
{
    for (int c = 0; c < 3; c++) {
        out[c] = (uint8_t)((2 * m->sum[c] + m->n) / (2 * m->n));
    }
}

static void cut_boxes(const tally *sums, mrwi_image_gif_palette *out)
{
    box boxes[MRWI_IMAGE_GIF_COLORS] = {{.high = {SIDE - 1, SIDE - 1, SIDE - 1}}};
    uint32_t count = 1;
    measure(sums, &boxes[0]);
    while (count < MRWI_IMAGE_GIF_COLORS) {
        uint32_t worst = 0;
        for (uint32_t i = 1; i < count; i++) {
            worst = boxes[i].error > boxes[worst].error ? i : worst;
        }
        if (!(boxes[worst].error > 0.0)) {
            break;
        }
        count += cut(sums, &boxes[worst], &boxes[count]);
    }
    out->count = count;
    for (uint32_t i = 0; i < count; i++) {
        set_mean(out->colors[i], &boxes[i].of);
    }
}

/* Moves the palette by a round of Lloyd's algorithm, with the mean of a cell for all its colours.
 */
static void move_means(const tally *cells, mrwi_image_gif_palette *palette)
{
    for (int round = 0; round < ROUNDS; round++) {
        tally means[MRWI_IMAGE_GIF_COLORS] = {{0}};
        finder f;
        make_finder(&f, palette);
        for (size_t i = 0; i < CELLS; i++) {
            uint8_t mean[3];
            if (cells[i].n > 0) {
                set_mean(mean, &cells[i]);
                add(&means[find(&f, mean)], &cells[i], 1);
            }
        }
        for (uint32_t i = 0; i < palette->count; i++) {
            if (means[i].n > 0) {
                set_mean(palette->colors[i], &means[i]);
            }
        }
    }
}

/* ---- the palette ----------------------------------------------------------------------------- */

/* A colour of the palette, and the pixels that it replaces. */
typedef struct share {
    uint8_t color[3];
    uint64_t pixels;
    uint8_t top[3]; /* their most frequent colour */
    uint32_t top_pixels;
} share;

static int compare_shares(const void *a, const void *b)
{
    const share *x = a, *y = b;
    return x->pixels != y->pixels ? (x->pixels < y->pixels) - (x->pixels > y->pixels)
                                  : memcmp(x->color, y->color, 3);
}

/* Finishes the palette. A colour that more than half of a mean's pixels have replaces the mean, so
 * that a plain background keeps its colour. Frequent colours come first, so that pictures of few
 * colours get short codes. */
static void settle(const mrwi_image_gif_colors *colors, mrwi_image_gif_palette *palette)
{
    share shares[MRWI_IMAGE_GIF_COLORS] = {{{0}, 0, {0}, 0}};
    finder f;
    make_finder(&f, palette);
    for (walk w = {0}; step(colors, &w);) {
        share *s = &shares[find(&f, w.color)];
        s->pixels += *w.slot;
        if (*w.slot > s->top_pixels) {
            s->top_pixels = *w.slot;
            memcpy(s->top, w.color, 3);
        }
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < palette->count; i++) {
        share s = shares[i];
        memcpy(s.color, s.top_pixels > s.pixels / 2 ? s.top : palette->colors[i], 3);
        if (s.pixels > 0) {
            shares[count++] = s;
        }
    }
    qsort(shares, count, sizeof *shares, compare_shares);
    palette->count = count;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(palette->colors[i], shares[i].color, 3);
    }
}

static void take_all(const mrwi_image_gif_colors *colors, mrwi_image_gif_palette *out)
{
    for (walk w = {0}; step(colors, &w);) {
        memcpy(out->colors[out->count++], w.color, 3);
    }
}

/* ---- dithering ------------------------------------------------------------------------------- */

#define PATTERN 16

/* Returns true if a colour of a pattern is too far from the colour that it stands for: farther than
 * about 20 steps of each byte, and than 4 times the distance to the nearest colour. Such colours
 * would compensate for a colour outside the palette's range, and are visible as speckles. */
static bool is_speckle(int far, int least)
{
    return far > 11 * 20 * 20 && far > 4 * 4 * least;
}

static int luma(const uint8_t color[3])
{
    return 299 * color[0] + 587 * color[1] + 114 * color[2];
}

/* Makes a colour's pattern by Thomas Knoll's dithering (US patent 6606166, expired): each of 16
 * indices compensates for the error of those before it; then they are sorted from dark to light. A
 * pixel takes one of them by its position, so that still parts do not flicker as with error
 * diffusion. */
static void make_pattern(const finder *f, const uint8_t color[3], uint8_t out[PATTERN])
{
    const mrwi_image_gif_palette *palette = f->palette;
    const uint8_t nearest = (uint8_t)find(f, color);
    const int least = distance(palette->colors[nearest], color);
    int missed[3] = {0};
    for (int i = 0; i < PATTERN; i++) {
        uint8_t wanted[3];
        for (int c = 0; c < 3; c++) {
            const int value = color[c] + missed[c];
            wanted[c] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
        uint8_t found = (uint8_t)find(f, wanted);
        const bool speckle = is_speckle(distance(palette->colors[found], color), least);
        found = speckle ? nearest : found;
        for (int c = 0; c < 3; c++) {
            missed[c] = (speckle ? 0 : missed[c]) + color[c] - palette->colors[found][c];
        }
        int at = i;
        for (; at > 0 && luma(palette->colors[out[at - 1] - 1]) > luma(palette->colors[found]);
             at--) {
            out[at] = out[at - 1];
        }
        out[at] = (uint8_t)(found + 1);
    }
}

/* Bayer's order of 4 x 4 positions. */
static const uint8_t order_of_places[4][4] = {
    {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

static mrw_status make_patterns(mrwi_image_gif_colors *colors, const finder *f, mrw_error *error)
{
    uint32_t next = 0;
    colors->patterns = mrwi_base_alloc(colors->distinct, PATTERN);
    if (!colors->patterns) {
        return mrwi_base_fail_memory(error, (size_t)colors->distinct * PATTERN);
    }
    for (walk w = {0}; step(colors, &w);) {
        make_pattern(f, w.color, colors->patterns + (size_t)next * PATTERN);
        *w.slot = ++next; /* 0 still means that the colour does not occur */
    }
    return MRW_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static mrw_status quantize(const mrwi_image_gif_colors *colors, mrwi_image_gif_palette *out,
                           mrw_error *error)
{
    tally *cells = mrwi_base_alloc_zero(CELLS, sizeof *cells);
    tally *sums = mrwi_base_alloc(CELLS, sizeof *sums);
    const bool made = cells && sums;
    if (made) {
        fill_cells(colors, cells);
        memcpy(sums, cells, CELLS * sizeof *cells);
        accumulate(sums);
        cut_boxes(sums, out);
        move_means(cells, out);
    }
    mrwi_base_free(cells);
    mrwi_base_free(sums);
    return made ? MRW_OK : mrwi_base_fail_memory(error, CELLS * sizeof *cells);
}

mrw_status mrwi_image_gif_choose(mrwi_image_gif_colors *colors, bool dither,
                                 mrwi_image_gif_palette *out, mrw_error *error)
{
    mrw_status status = MRW_OK;
    finder f;
    *out = (mrwi_image_gif_palette){0};
    if (colors->distinct <= MRWI_IMAGE_GIF_COLORS) {
        take_all(colors, out);
    } else {
        status = quantize(colors, out, error);
    }
    if (status != MRW_OK) {
        return status;
    }
    settle(colors, out);
    make_finder(&f, out);
    if (dither) {
        return make_patterns(colors, &f, error);
    }
    for (walk w = {0}; step(colors, &w);) {
        *w.slot = 1 + find(&f, w.color);
    }
    return MRW_OK;
}

void mrwi_image_gif_map(const mrwi_image_gif_colors *colors, const mrw_image *image,
                        uint8_t *indices)
{
    const uint8_t clear[4] = {0}, *before = clear; /* equal pixels often follow each other */
    uint32_t slot = 0;
    for (uint32_t y = 0; y < image->height; y++) {
        for (uint32_t x = 0; x < image->width; x++) {
            const size_t i = (size_t)y * image->width + x;
            const uint8_t *pixel = image->pixels + 4 * i;
            if (memcmp(pixel, before, 4) != 0) {
                slot = pixel[3] > 0 ? colors->cubes[cube_of(pixel)][place_of(pixel)] : 0;
                before = pixel;
            }
            indices[i] =
                colors->patterns && slot > 0
                    ? colors->patterns[(size_t)(slot - 1) * PATTERN + order_of_places[y & 3][x & 3]]
                    : (uint8_t)slot;
        }
    }
}
