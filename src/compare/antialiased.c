/* antialiased.c: finds out whether pixels lie on anti-aliased edges.
 *
 * The method follows V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector", Electronics
 * and Electrical Engineering 7(95), 2009, with the safeguards that are common in tools for
 * comparing screenshots: such a pixel lies between a darker and a brighter neighbour, at most two
 * neighbours are as bright as itself, and the darkest or the brightest neighbour belongs, in both
 * pictures, to a plain area, which borders on the edge. If several neighbours are the darkest or
 * the brightest, any of them may be plain, so that mirrored pictures give mirrored answers.
 *
 * `antialiased_in` is the rule for one picture. If several pixels are tested, blocks of a row are
 * tested in lanes (pixel_kernel.h), on copies of the five rows around with an apron at both ends.
 * Pixels outside the picture and masked ones are not `seen`, so that no lane needs its place. The
 * next row below reuses four of the five rows.
 */
#include "compare/pixel.h"

#include "base/simd/isa.h"

#define MANY MRWI_COMPARE_EDGE_MANY

/* Offsets of the eight neighbours. They are unsigned, so that coordinates below 0 are beyond the
 * last one, too. */
#define BACK UINT32_MAX
static const uint32_t step_x[8] = {BACK, 0, 1, BACK, 1, BACK, 0, 1};
static const uint32_t step_y[8] = {BACK, BACK, BACK, 0, 0, 1, 1, 1};

/* Returns true if a neighbour exists and is not masked. */
static inline bool is_seen(const mrwi_compare_pair *pair, uint32_t x, uint32_t y)
{
    return x < pair->width && y < pair->height && !mrwi_compare_masked(pair, x, y);
}

/* Returns 1 at the border, where the outside counts as one more pixel of the same colour. */
static inline int at_border(const mrwi_compare_pair *pair, uint32_t x, uint32_t y)
{
    return x == 0 || y == 0 || x + 1 == pair->width || y + 1 == pair->height;
}

static bool is_plain(const mrwi_compare_pair *pair, const mrw_image *image, uint32_t x, uint32_t y)
{
    uint32_t color = mrwi_compare_pixel(image, x, y);
    int equal = at_border(pair, x, y);
    for (int i = 0; i < 8; i++) {
        uint32_t u = x + step_x[i], v = y + step_y[i];
        equal += is_seen(pair, u, v) && mrwi_compare_pixel(image, u, v) == color;
    }
    return equal >= MANY;
}

/* Returns Rec. 601 luma over mid grey, times 255000. */
static inline int32_t brightness(uint32_t pixel)
{
    int32_t alpha = (int32_t)mrwi_compare_channel(pixel, 3);
    int32_t luma = 299 * (int32_t)mrwi_compare_channel(pixel, 0) +
                   587 * (int32_t)mrwi_compare_channel(pixel, 1) +
                   114 * (int32_t)mrwi_compare_channel(pixel, 2);
    return luma * alpha + 128000 * (255 - alpha);
}

static bool antialiased_in(const mrwi_compare_pair *pair, const mrw_image *image, uint32_t x,
                           uint32_t y)
{
    int32_t own = brightness(mrwi_compare_pixel(image, x, y)), delta[8] = {0}, darkest = 0,
            brightest = 0;
    int equal = at_border(pair, x, y);
    for (int i = 0; i < 8; i++) {
        uint32_t u = x + step_x[i], v = y + step_y[i];
        if (!is_seen(pair, u, v)) {
            continue;
        }
        delta[i] = brightness(mrwi_compare_pixel(image, u, v)) - own;
        equal += delta[i] == 0;
        if (equal >= MANY) {
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

/* ---- blocks ---------------------------------------------------------------------------------- */

#define APRON MRWI_COMPARE_EDGE_APRON
#define ROWS  MRWI_COMPARE_EDGE_ROWS
#define WORDS MRWI_COMPARE_EDGE_WORDS
#define NONE  (-100) /* a row that is never needed */

const mrwi_compare_pixel_kernels *mrwi_compare_pixel_kernels_for(mrw_isa isa)
{
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_compare_pixel_kernels_scalar,
        [MRW_ISA_SSE2] = MRWI_BASE_ON_X86(&mrwi_compare_pixel_kernels_f4),
        [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_compare_pixel_kernels_avx2),
        [MRW_ISA_AVX512] = MRWI_BASE_ON_X86(&mrwi_compare_pixel_kernels_avx512),
        [MRW_ISA_NEON] = MRWI_BASE_ON_ARM64(&mrwi_compare_pixel_kernels_f4),
    };
    return mrwi_base_isa_kernels(by_isa, isa);
}

/* Returns the address of a pixel. */
static const uint8_t *pixels_at(const mrw_image *image, uint32_t x, uint32_t y)
{
    return image->pixels + ((size_t)y * image->width + x) * image->channels;
}

/* Copies row y of the block from both pictures. */
static void fill_row(const mrwi_compare_edge_block *b, int64_t place, mrwi_compare_edge_row *out)
{
    const mrwi_compare_pair *pair = b->pair;
    const bool outside = place < 0 || place >= (int64_t)pair->height;
    const uint32_t y = outside ? 0 : (uint32_t)place, first = b->x < APRON ? APRON - b->x : 0;
    const uint32_t x = b->x + first - APRON, left = pair->width - x,
                   wanted = MRWI_COMPARE_EDGE_COLUMNS - first;
    mrwi_compare_edge_source source = {
        .pixels = {pixels_at(pair->expected, x, y), pixels_at(pair->actual, x, y)},
        .channels = {pair->expected->channels, pair->actual->channels},
        .mask = pair->mask ? pair->mask + (size_t)y * pair->width + x : NULL,
        .first = first,
        .end = outside ? 0 : first + (left < wanted ? left : wanted)};
    if (y > 0 && y + 1 < pair->height) { /* only columns 0 and width - 1 are at the border */
        source.border_first = b->x == 0 ? APRON + 1 : 0;
        source.border_end = left <= wanted ? first + left - 1 : MRWI_COMPARE_EDGE_COLUMNS;
        source.whole = !pair->mask && b->x > 0 && left > wanted;
    }
    b->kernels->fill(&source, out);
}

/* Returns the slot of row y, at least -2 APRON, with the row filled. */
static mrwi_compare_edge_slot *filled_row(mrwi_compare_edge_block *b, int64_t y)
{
    mrwi_compare_edge_slot *slot = &b->slots[(y + ROWS) % ROWS];
    if (slot->y != y) {
        slot->y = y;
        slot->matched = slot->plain_found = slot->graded = false;
        fill_row(b, y, &slot->row);
    }
    return slot;
}

static mrwi_compare_edge_slot *matched_row(mrwi_compare_edge_block *b, int64_t y)
{
    mrwi_compare_edge_slot *slot = filled_row(b, y);
    if (!slot->matched) {
        slot->matched = true;
        b->kernels->match(&slot->row, &filled_row(b, y + 1)->row);
    }
    return slot;
}

static mrwi_compare_edge_slot *row_of_plain(mrwi_compare_edge_block *b, int64_t y)
{
    mrwi_compare_edge_slot *slot = matched_row(b, y);
    if (!slot->plain_found) {
        slot->plain_found = true;
        b->kernels->find_plain(&matched_row(b, y - 1)->row, &slot->row);
    }
    return slot;
}

static mrwi_compare_edge_slot *graded_row(mrwi_compare_edge_block *b, int64_t y)
{
    mrwi_compare_edge_slot *slot = row_of_plain(b, y);
    if (!slot->graded) {
        slot->graded = true;
        b->kernels->grade(&slot->row);
    }
    return slot;
}

/* Keeps only marks next to a plain pixel; brightness is tested for those alone. */
static void keep_near_plain(mrwi_compare_edge_block *b, int64_t y, uint64_t marks[WORDS])
{
    uint64_t plain[WORDS + 1];
    for (int i = -1; i <= 1; i++) { /* needs rows y - 2 ... y + 2, which all have a place */
        const mrwi_compare_edge_row *row = &row_of_plain(b, y + i)->row;
        for (int w = 0; w <= WORDS; w++) {
            plain[w] = i < 0 ? row->plain[w] : plain[w] | row->plain[w];
        }
    }
    for (int w = 0; w < WORDS; w++) {
        uint64_t near = 0;
        for (int column = APRON - 1; column <= APRON + 1; column++) {
            near |= plain[w] >> column | plain[w + 1] << (MRWI_COMPARE_WORD - column);
        }
        marks[w] &= near;
    }
}

#define FEW 2 /* so few pixels of a block are faster tested one by one */

static uint32_t count_marks(const uint64_t marks[WORDS])
{
    uint32_t count = 0;
    for (int i = 0; i < WORDS; i++) {
        count += (uint32_t)__builtin_popcountll(marks[i]);
    }
    return count;
}

uint32_t mrwi_compare_keep_antialiased(mrwi_compare_edge_block *b, const mrwi_compare_pair *pair,
                                       uint32_t x, uint32_t y, uint64_t marks[WORDS])
{
    if (count_marks(marks) > FEW) {
        if (b->pair != pair || b->x != x) {
            b->pair = pair;
            b->x = x;
            b->kernels = mrwi_compare_pixel_kernels_for(pair->isa);
            for (int i = 0; i < ROWS; i++) {
                b->slots[i].y = NONE;
            }
        }
        keep_near_plain(b, y, marks);
        if (count_marks(marks) > FEW) {
            const mrwi_compare_edge_row *rows[3];
            for (int i = 0; i < 3; i++) {
                rows[i] = &graded_row(b, (int64_t)y + i - 1)->row;
            }
            b->kernels->keep_edges(rows, marks);
            return count_marks(marks);
        }
    }
    for (int i = 0; i < WORDS; i++) {
        for (uint64_t left = marks[i]; left != 0; left &= left - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(left);
            const uint32_t u = x + (uint32_t)i * MRWI_COMPARE_WORD + bit;
            if (!antialiased_in(pair, pair->expected, u, y) &&
                !antialiased_in(pair, pair->actual, u, y)) {
                marks[i] &= ~(UINT64_C(1) << bit);
            }
        }
    }
    return count_marks(marks);
}
