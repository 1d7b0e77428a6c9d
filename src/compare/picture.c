/* picture.c: draws a picture of the difference. */
#include "compare/flip.h"
#include "compare/pixel.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "image/image.h"

#include <assert.h>

typedef struct color {
    uint8_t r, g, b;
} color;

static const color yellow = {255, 226, 0}, magenta = {255, 0, 255};

/* Returns the pixel over white, in grey, most of the way to white. */
static color pale(uint32_t pixel)
{
    uint32_t alpha = mrwi_compare_channel(pixel, 3);
    uint32_t luma = (299 * mrwi_compare_channel(pixel, 0) + 587 * mrwi_compare_channel(pixel, 1) +
                     114 * mrwi_compare_channel(pixel, 2)) /
                    1000;
    uint8_t grey = (uint8_t)(255 - (255 - luma) * alpha / 255 * 3 / 10);
    return (color){grey, grey, grey};
}

/* Returns orange for 0 and red for 1 and more. */
static color heat(float amount)
{
    float t = amount < 1.0f ? amount : 1.0f;
    return (color){255, (uint8_t)(150.0f - 150.0f * t), 0};
}

/* Marks pixels of a block that would count but lie on edges, which are ignored. */
static void find_edges(mrwi_compare_edge_block *block, const mrwi_compare_pair *pair, uint32_t x,
                       uint32_t y, uint64_t edges[MRWI_COMPARE_EDGE_WORDS])
{
    memset(edges, 0, MRWI_COMPARE_EDGE_WORDS * sizeof *edges);
    if (!pair->ignore_antialiasing || x >= pair->width || y >= pair->height) {
        return;
    }
    for (uint32_t i = 0; i < MRWI_COMPARE_EDGE_BLOCK && x + i < pair->width; i++) {
        uint32_t expected = mrwi_compare_pixel(pair->expected, x + i, y);
        uint32_t actual = mrwi_compare_pixel(pair->actual, x + i, y);
        bool counts = expected != actual && !mrwi_compare_masked(pair, x + i, y) &&
                      mrwi_compare_pixel_delta(expected, actual) > pair->max_delta;
        edges[i / MRWI_COMPARE_WORD] |= (uint64_t)counts << i % MRWI_COMPARE_WORD;
    }
    mrwi_compare_keep_antialiased(block, pair, x, y, edges);
}

/* Returns the colour of a pixel. Red is a difference of 64, or a FLIP error of one half; masked
 * pixels are hatched. */
static color color_of(const mrwi_compare_pair *pair, const mrw_compare_def *def,
                      const float *errors, bool edge, uint32_t x, uint32_t y)
{
    if (mrwi_compare_masked(pair, x, y)) {
        return (x + y) / 3 % 2 == 0 ? (color){70, 110, 230} : (color){205, 218, 255};
    }
    uint32_t expected = mrwi_compare_pixel(pair->expected, x, y),
             actual = mrwi_compare_pixel(pair->actual, x, y);
    uint32_t delta = mrwi_compare_pixel_delta(expected, actual);
    if (errors) {
        float e = errors[(size_t)y * pair->width + x];
        return (double)e > def->max_flip ? heat(2.0f * e) : delta != 0 ? yellow : pale(expected);
    }
    if (delta == 0) {
        return pale(expected);
    }
    return delta > pair->max_delta && !edge ? heat((float)delta / 64.0f) : yellow;
}

/* Computes the FLIP error of every pixel. The caller frees it. */
static mrw_status make_errors(const mrwi_compare_pair *pair, const mrw_compare_def *def,
                              float **out, mrw_error *error)
{
    uint64_t *differing =
        mrwi_base_alloc(pair->height * mrwi_compare_row_words(pair), sizeof *differing);
    float *map = mrwi_base_alloc_zero((size_t)pair->width * pair->height, sizeof *map);
    mrw_status status = MRW_OK;
    if (!differing || !map) {
        status = mrwi_base_fail_memory(error, (size_t)pair->width * pair->height * sizeof *map);
        goto out;
    }
    mrwi_compare_differences found;
    status = mrwi_compare_find_differences(pair, def->threads, false, differing, &found, error);
    if (status) {
        goto out;
    }
    mrwi_compare_flip_job job = {.pair = pair,
                                 .differing = differing,
                                 .pixels_per_degree = def->pixels_per_degree,
                                 .isa = def->isa,
                                 .threads = def->threads,
                                 .map = map};
    status = mrwi_compare_flip(&job, error);
out:
    mrwi_base_free(differing);
    if (status) {
        mrwi_base_free(map);
        map = NULL;
    }
    *out = map;
    return status;
}

static void draw(const mrwi_compare_pair *pair, const mrw_compare_def *def, const float *errors,
                 mrw_image *out)
{
    mrwi_compare_edge_block block;
    uint64_t edges[MRWI_COMPARE_EDGE_WORDS];
    block.pair = NULL;
    for (uint32_t left = 0; left < out->width; left += MRWI_COMPARE_EDGE_BLOCK) {
        const uint32_t most = out->width - left;
        const uint32_t right =
            left + (most < MRWI_COMPARE_EDGE_BLOCK ? most : MRWI_COMPARE_EDGE_BLOCK);
        for (uint32_t y = 0; y < out->height; y++) {
            uint8_t *to = out->pixels + 3 * ((size_t)y * out->width + left);
            find_edges(&block, pair, left, y, edges);
            for (uint32_t x = left; x < right; x++, to += 3) {
                bool inside = x < pair->width && y < pair->height;
                uint32_t i = x - left;
                bool edge = edges[i / MRWI_COMPARE_WORD] >> i % MRWI_COMPARE_WORD & 1;
                color c = inside ? color_of(pair, def, errors, edge, x, y) : magenta;
                to[0] = c.r;
                to[1] = c.g;
                to[2] = c.b;
            }
        }
    }
}

mrw_status mrw_compare_picture(const mrw_image *expected, const mrw_image *actual,
                               const mrw_compare_def *def, mrw_image *out, mrw_error *error)
{
    assert(mrwi_image_is_picture(expected) && mrwi_image_is_picture(actual));
    assert(def->threads >= 1);
    *out = (mrw_image){0};
    uint32_t width = expected->width > actual->width ? expected->width : actual->width;
    uint32_t height = expected->height > actual->height ? expected->height : actual->height;
    mrwi_compare_pair pair = mrwi_compare_make_pair(expected, actual, def);
    bool same_size = pair.width == width && pair.height == height;
    float *errors = NULL;
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status = mrwi_base_isa_check(def->isa, error);
    if (status) {
        goto out;
    }
    if (same_size && def->mode == MRW_COMPARE_PERCEPTUAL) {
        status = make_errors(&pair, def, &errors, error);
        if (status) {
            goto out;
        }
    }
    status = mrw_image_create(width, height, 3, out, error);
    if (status) {
        goto out;
    }
    draw(&pair, def, errors, out);
out:
    mrwi_base_free(errors);
    mrwi_base_fp_leave(fp);
    return status;
}
