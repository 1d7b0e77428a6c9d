/* pack.c: packs rectangles into small pages with stb_rect_pack, a skyline packer: see Jylänki, "A
 * Thousand Ways to Pack the Bin" (2010), sections 2.4 and 2.6. Rectangles are placed by falling
 * height, then by falling width. Several widths of the page are tried; the smallest area wins. */
#include "output/pack.h"

#include "base/memory.h"
#include "base/text.h"

#include <assert.h>
#include <stdlib.h>

/* Rectangles are in order when stb gets them. Its own sort leaves equal ones in an order that
 * depends on the C library. */
#define STBRP_SORT(items, count, size, compare) ((void)(compare))
#define STBRP_ASSERT(condition)                 assert(condition)
#define STBRP_STATIC
#define STB_RECT_PACK_IMPLEMENTATION
#include <stb_rect_pack.h>

/* The packer's sides include the gap: a rectangle has it on its right and below, and the inner size
 * of a page leaves out the gap at its left and top. */
typedef struct packer {
    const mrwi_output_pack_def *def;
    mrwi_output_rect *rects;
    uint32_t *order;     /* rectangles to be placed, sorted by height, width and index */
    uint32_t left;       /* number of rectangles to be placed */
    uint32_t widest;     /* width of the widest rectangle */
    uint32_t most;       /* the longest inner side of a page */
    uint64_t area;       /* sum of the areas of the rectangles to be placed */
    uint32_t *next;      /* rectangles that the page does not hold, in the same order */
    stbrp_rect *placing; /* the rectangles to be placed, as stb takes them */
    stbrp_node *nodes;   /* memory of the skyline: one per column of the longest side */
} packer;

/* The result of filling a page. */
typedef struct attempt {
    uint32_t placed;        /* number of rectangles on the page */
    uint32_t width, height; /* inner sides that they take */
} attempt;

/* Fills a page with the rectangles to be placed. `next` lists those that it does not hold. */
static attempt fill(packer *p, uint32_t page, uint32_t width, uint32_t height)
{
    attempt out = {0};
    uint32_t over = 0;
    stbrp_context context;
    for (uint32_t i = 0; i < p->left; i++) {
        const mrwi_output_rect *rect = &p->rects[p->order[i]];
        p->placing[i] = (stbrp_rect){.w = (stbrp_coord)(rect->width + p->def->gap),
                                     .h = (stbrp_coord)(rect->height + p->def->gap)};
    }
    stbrp_init_target(&context, (int)width, (int)height, p->nodes, (int)width);
    stbrp_setup_heuristic(&context, STBRP_HEURISTIC_Skyline_BF_sortHeight);
    stbrp_pack_rects(&context, p->placing, (int)p->left);
    for (uint32_t i = 0; i < p->left; i++) {
        const stbrp_rect *placed = &p->placing[i];
        mrwi_output_rect *rect = &p->rects[p->order[i]];
        if (!placed->was_packed) {
            p->next[over++] = p->order[i];
            continue;
        }
        const uint32_t x = (uint32_t)placed->x, y = (uint32_t)placed->y;
        const uint32_t right = x + (uint32_t)placed->w, bottom = y + (uint32_t)placed->h;
        *rect =
            (mrwi_output_rect){rect->width, rect->height, page, x + p->def->gap, y + p->def->gap};
        out.placed++;
        out.width = right > out.width ? right : out.width;
        out.height = bottom > out.height ? bottom : out.height;
    }
    return out;
}

uint32_t mrwi_output_power_of_two(uint32_t least)
{
    uint32_t side = 1;
    while (side < least) {
        side *= 2;
    }
    return side;
}

uint32_t mrwi_output_power_of_two_within(uint32_t most)
{
    uint32_t side = most;
    while ((side & (side - 1)) != 0) {
        side &= side - 1;
    }
    return side;
}

/* Returns the page of an attempt, with the gap at its left and top. */
static mrwi_output_page page_of(const packer *p, const attempt *tried)
{
    mrwi_output_page page = {tried->width + p->def->gap, tried->height + p->def->gap};
    if (p->def->power_of_two) {
        page = (mrwi_output_page){mrwi_output_power_of_two(page.width),
                                  mrwi_output_power_of_two(page.height)};
    }
    return page;
}

static bool is_smaller(mrwi_output_page a, mrwi_output_page b)
{
    const uint64_t areas[2] = {(uint64_t)a.width * a.height, (uint64_t)b.width * b.height};
    const uint32_t sides[2] = {a.width > a.height ? a.width : a.height,
                               b.width > b.height ? b.width : b.height};
    return areas[0] != areas[1] ? areas[0] < areas[1] : sides[0] < sides[1];
}

static uint32_t square_root(uint64_t value)
{
    uint64_t root = 0;
    for (uint64_t bit = 1u << 31; bit > 0; bit >>= 1) {
        root = (root | bit) * (root | bit) <= value ? root | bit : root;
    }
    return (uint32_t)root;
}

#define TRIALS 48

/* Returns the i-th width to try, or 0 after the last. The widths go from half to twice the side of
 * a square with the area of the rectangles; or they are the powers of two. */
static uint32_t width_of_trial(const packer *p, uint32_t i)
{
    if (p->def->power_of_two) {
        const uint32_t side = i < 31 ? 1u << i : 0;
        return side > p->most + p->def->gap ? 0 : side > p->def->gap ? side - p->def->gap : 1;
    }
    const uint64_t side = (uint64_t)(square_root(p->area) + 1) * (TRIALS / 2 + i * 3 / 2) / TRIALS;
    const uint64_t width = side < p->widest ? p->widest : side;
    return i >= TRIALS ? 0 : width > p->most ? p->most : (uint32_t)width;
}

/* Lays all rectangles that are left on the smallest page found. Returns false if they need more
 * than one page. */
static bool fill_one(packer *p, uint32_t page, mrwi_output_page *out)
{
    uint32_t best = 0, width, last = 0;
    if (p->area > (uint64_t)p->most * p->most) {
        return false;
    }
    for (uint32_t i = 0; (width = width_of_trial(p, i)) > 0; i++) {
        if (width < p->widest || width == last) {
            continue;
        }
        const attempt tried = fill(p, page, width, p->most);
        const mrwi_output_page size = page_of(p, &tried);
        if (tried.placed == p->left && (best == 0 || is_smaller(size, *out))) {
            best = width;
            *out = size;
        }
        last = width;
    }
    if (best > 0) {
        fill(p, page, best, p->most);
    }
    return best > 0;
}

/* Fills a page of the longest sides; the rest is left for the next page. */
static void fill_next(packer *p, uint32_t page, mrwi_output_page *out)
{
    const attempt tried = fill(p, page, p->most, p->most);
    uint32_t *over = p->next;
    *out = page_of(p, &tried);
    p->next = p->order;
    p->order = over;
    p->left -= tried.placed;
    p->area = 0;
    for (uint32_t i = 0; i < p->left; i++) {
        const mrwi_output_rect *rect = &p->rects[p->order[i]];
        p->area += (uint64_t)(rect->width + p->def->gap) * (rect->height + p->def->gap);
    }
}

typedef struct sort_entry {
    uint32_t width, height, index;
} sort_entry;

static int compare_entries(const void *a, const void *b)
{
    const sort_entry *x = a, *y = b;
    if (x->height != y->height) {
        return x->height > y->height ? -1 : 1;
    }
    if (x->width != y->width) {
        return x->width > y->width ? -1 : 1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

/* Allocates the packer's arrays and sorts the rectangles. */
static mrw_status begin(packer *p, mrw_error *error)
{
    const uint32_t gap = p->def->gap, count = p->left;
    const uint32_t given = p->def->page_size;
    const uint32_t side = p->def->power_of_two ? mrwi_output_power_of_two_within(given) : given;
    sort_entry *entries = mrwi_base_alloc(count, sizeof *entries);
    p->order = mrwi_base_alloc(count, sizeof *p->order);
    p->next = mrwi_base_alloc(count, sizeof *p->next);
    p->placing = mrwi_base_alloc(count, sizeof *p->placing);
    p->most = side > gap ? side - gap : 0;
    p->nodes = mrwi_base_alloc(p->most, sizeof *p->nodes);
    if (!entries || !p->order || !p->next || !p->placing || !p->nodes) {
        mrwi_base_free(entries);
        return mrwi_base_fail_memory(error, count * sizeof *entries);
    }
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = (sort_entry){p->rects[i].width, p->rects[i].height, i};
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t width = entries[i].width + gap, height = entries[i].height + gap;
        p->order[i] = entries[i].index;
        p->widest = width > p->widest ? width : p->widest;
        p->area += (uint64_t)width * height;
    }
    const uint32_t tallest = count > 0 ? entries[0].height + gap : 0;
    mrwi_base_free(entries);
    if (p->widest > p->most || tallest > p->most) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "a picture of %ux%u with a gap of %u does not fit on a page of %ux%u; "
            "use a larger --page-size or a smaller --size",
            p->widest - gap, tallest - gap, gap, side, side);
    }
    return MRW_OK;
}

mrw_status mrwi_output_pack(const mrwi_output_pack_def *def, mrwi_output_rect *rects,
                            uint32_t count, mrwi_output_page **pages, uint32_t *page_count,
                            mrw_error *error)
{
    packer p = {.def = def, .rects = rects, .left = count};
    *pages = NULL;
    *page_count = 0;
    mrw_status status = begin(&p, error);
    if (status) {
        goto out;
    }
    while (p.left > 0) {
        mrwi_output_page *grown = mrwi_base_realloc(*pages, *page_count * sizeof **pages,
                                                    (size_t)*page_count + 1, sizeof **pages);
        if (!grown) {
            status = mrwi_base_fail_memory(error, sizeof *grown);
            goto out;
        }
        *pages = grown;
        if (fill_one(&p, *page_count, &grown[*page_count])) {
            p.left = 0;
        } else {
            fill_next(&p, *page_count, &grown[*page_count]);
        }
        ++*page_count;
    }
out:
    mrwi_base_free(p.order);
    mrwi_base_free(p.next);
    mrwi_base_free(p.placing);
    mrwi_base_free(p.nodes);
    if (status) {
        mrwi_base_free(*pages);
        *pages = NULL;
    }
    return status;
}
