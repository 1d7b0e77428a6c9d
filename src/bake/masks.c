/* masks.c: masks of visible things in a picture, as boxes and as runs of pixels. */
#include "marrow/bake.h"

#include "base/memory.h"
#include "base/text.h"

#include <assert.h>

/* A mask being made. */
typedef struct open_mask {
    uint32_t capacity; /* room for runs */
    uint32_t at;       /* pixel at which the last run begins */
    uint32_t left, top, right, bottom;
} open_mask;

/* Ends the current run before a pixel. Returns false without memory. */
static bool end_run(mrw_bake_mask *mask, open_mask *open, uint32_t pixel)
{
    if (mask->run_count == open->capacity) {
        const uint32_t capacity = open->capacity > 0 ? 2 * open->capacity : 64;
        uint32_t *grown =
            mrwi_base_realloc(mask->runs, mask->run_count * sizeof *grown, capacity, sizeof *grown);
        if (!grown) {
            return false;
        }
        mask->runs = grown;
        open->capacity = capacity;
    }
    mask->runs[mask->run_count++] = pixel - open->at;
    open->at = pixel;
    return true;
}

static void add_pixels(mrw_bake_mask *mask, open_mask *open, uint32_t x, uint32_t y0, uint32_t y1)
{
    const bool first = mask->area == 0;
    mask->area += y1 - y0;
    open->left = first || x < open->left ? x : open->left;
    open->top = first || y0 < open->top ? y0 : open->top;
    open->right = first || x + 1 > open->right ? x + 1 : open->right;
    open->bottom = first || y1 > open->bottom ? y1 : open->bottom;
}

/* Returns the owner of a pixel, or MRW_NONE. */
static uint32_t owner_at(const mrw_image *numbers, const uint32_t *owners, uint32_t x, uint32_t y)
{
    const uint32_t number = ((const uint32_t *)numbers->pixels)[(size_t)y * numbers->width + x];
    return number > 0 ? owners[number - 1] : MRW_NONE;
}

/* Walks columns from the left, and each from the top, in runs of one owner. Returns false without
 * memory. */
static bool fill(const mrw_image *numbers, const uint32_t *owners, mrw_bake_masks *masks,
                 open_mask *open)
{
    const uint32_t height = numbers->height;
    uint32_t last = MRW_NONE;
    for (uint32_t x = 0; x < numbers->width; x++) {
        for (uint32_t y = 0, end; y < height; y = end) {
            const uint32_t owner = owner_at(numbers, owners, x, y);
            for (end = y + 1; end < height && owner_at(numbers, owners, x, end) == owner;) {
                end++;
            }
            if (owner != last) {
                const uint32_t pixel = x * height + y;
                if ((last != MRW_NONE && !end_run(&masks->items[last], &open[last], pixel)) ||
                    (owner != MRW_NONE && !end_run(&masks->items[owner], &open[owner], pixel))) {
                    return false;
                }
                last = owner;
            }
            if (owner != MRW_NONE) {
                add_pixels(&masks->items[owner], &open[owner], x, y, end);
            }
        }
    }
    return true;
}

/* Ends the last runs and sets boxes. Returns false without memory. */
static bool close_all(const mrw_image *numbers, mrw_bake_masks *masks, open_mask *open)
{
    const uint32_t pixels = numbers->width * numbers->height;
    for (uint32_t i = 0; i < masks->count; i++) {
        mrw_bake_mask *mask = &masks->items[i];
        if (open[i].at < pixels && !end_run(mask, &open[i], pixels)) {
            return false;
        }
        mask->box[0] = open[i].left;
        mask->box[1] = open[i].top;
        mask->box[2] = open[i].right - open[i].left;
        mask->box[3] = open[i].bottom - open[i].top;
    }
    return true;
}

mrw_status mrw_bake_masks_find(const mrw_image *numbers, const uint32_t *owners, uint32_t count,
                               mrw_bake_masks *out, mrw_error *error)
{
    assert(numbers->format == MRW_FORMAT_U32 && numbers->channels == 1);
    mrw_bake_masks masks = {.items = mrwi_base_alloc_zero(count, sizeof *masks.items),
                            .count = count};
    open_mask *open = mrwi_base_alloc_zero(count, sizeof *open);
    const bool done = masks.items && open && fill(numbers, owners, &masks, open) &&
                      close_all(numbers, &masks, open);
    mrwi_base_free(open);
    if (!done) {
        mrw_bake_masks_free(&masks);
        return mrwi_base_fail_memory(error, count * sizeof *masks.items);
    }
    *out = masks;
    return MRW_OK;
}

void mrw_bake_masks_free(mrw_bake_masks *masks)
{
    for (uint32_t i = 0; masks->items && i < masks->count; i++) {
        mrwi_base_free(masks->items[i].runs);
    }
    mrwi_base_free(masks->items);
    *masks = (mrw_bake_masks){0};
}
