/* antialiased.c: does a pixel lie on an anti-aliased edge?
 *
 * After V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector", Electronics and
 * Electrical Engineering 7(95), 2009, with the safeguards that tools for comparing screenshots
 * made common: such a pixel lies between a darker and a brighter neighbour, at most two neighbours
 * are as bright as itself, and the darkest or the brightest neighbour belongs, in both pictures,
 * to a plain area, which the edge borders on. Where several neighbours are the darkest or the
 * brightest any of them may be it, so that mirrored pictures give mirrored answers.
 *
 * `antialiased` is the rule. Where several pixels are asked about, blocks of a row are answered in
 * lanes (pixel_kernel.h), from copies of the five rows around with an apron at both ends, so that
 * no lane asks where it is: what lies outside of the picture, or is masked, is not `seen`. The next
 * row below finds four of its five rows there.
 */
#include "compare/pixel.h"

#include "base/simd/isa.h"

#define MANY MRWI_COMPARE_EDGE_MANY

/* Where the eight neighbours are. Unsigned, so that what lies before 0 is beyond the last, too. */
#define BACK UINT32_MAX
static const uint32_t step_x[8] = {BACK, 0, 1, BACK, 1, BACK, 0, 1};
static const uint32_t step_y[8] = {BACK, BACK, BACK, 0, 0, 1, 1, 1};

/* True when a neighbour exists and is not masked. */
static inline bool is_seen(const mrwi_compare_pair *pair, uint32_t x, uint32_t y)
{
    return x < pair->width && y < pair->height && !mrwi_compare_masked(pair, x, y);
}

/* At the border, what lies outside counts as one more pixel of the same colour. */
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

/* Rec. 601 luma over mid grey, times 255000. */
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

static bool antialiased(const mrwi_compare_pair *pair, uint32_t x, uint32_t y)
{
    return antialiased_in(pair, pair->expected, x, y) || antialiased_in(pair, pair->actual, x, y);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

#define APRON MRWI_COMPARE_EDGE_APRON
#define ROWS  MRWI_COMPARE_EDGE_ROWS
#define WORDS MRWI_COMPARE_EDGE_WORDS
#define NONE  (-100) /* no row that is asked for */

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

static void begin_block(mrwi_compare_edge_block *b, const mrwi_compare_pair *pair, uint32_t x)
{
    if (b->pair == pair && b->x == x) {
        return;
    }
    b->pair = pair;
    b->x = x;
    b->kernels = mrwi_compare_pixel_kernels_for(pair->isa);
    for (int i = 0; i < ROWS; i++) {
        b->rows[i].y = NONE;
    }
}

static const uint8_t *pixels_at(const mrw_image *image, uint32_t x, uint32_t y)
{
    return image->pixels + ((size_t)y * image->width + x) * image->channels;
}

static void fill_row(mrwi_compare_edge_block *b, mrwi_compare_edge_row *row)
{
    const mrwi_compare_pair *pair = b->pair;
    const bool outside = row->y < 0 || row->y >= (int64_t)pair->height;
    const uint32_t y = outside ? 0 : (uint32_t)row->y, first = b->x < APRON ? APRON - b->x : 0;
    const uint32_t x = b->x + first - APRON, left = pair->width - x,
                   wanted = MRWI_COMPARE_EDGE_COLUMNS - first;
    mrwi_compare_edge_source source = {
        .pixels = {pixels_at(pair->expected, x, y), pixels_at(pair->actual, x, y)},
        .channels = {pair->expected->channels, pair->actual->channels},
        .mask = pair->mask ? pair->mask + (size_t)y * pair->width + x : NULL,
        .first = first,
        .end = outside ? 0 : first + (left < wanted ? left : wanted)};
    if (y > 0 && y + 1 < pair->height) { /* columns 0 and width - 1 alone are at the border */
        source.border_first = b->x == 0 ? APRON + 1 : 0;
        source.border_end = left <= wanted ? first + left - 1 : MRWI_COMPARE_EDGE_COLUMNS;
        source.whole = !pair->mask && b->x > 0 && left > wanted;
    }
    b->kernels->fill(&source, row);
}

/* Row y, -2 APRON at least, filled. */
static mrwi_compare_edge_row *row_at(mrwi_compare_edge_block *b, int64_t y)
{
    mrwi_compare_edge_row *row = &b->rows[(y + ROWS) % ROWS];
    if (row->y != y) {
        row->y = y;
        row->matched = row->plain_found = row->graded = false;
        fill_row(b, row);
    }
    return row;
}

static mrwi_compare_edge_row *matched_row(mrwi_compare_edge_block *b, int64_t y)
{
    mrwi_compare_edge_row *row = row_at(b, y);
    if (!row->matched) {
        row->matched = true;
        b->kernels->match(row, row_at(b, y + 1));
    }
    return row;
}

static mrwi_compare_edge_row *row_of_plain(mrwi_compare_edge_block *b, int64_t y)
{
    mrwi_compare_edge_row *row = matched_row(b, y);
    if (!row->plain_found) {
        row->plain_found = true;
        b->kernels->find_plain(matched_row(b, y - 1), row);
    }
    return row;
}

static mrwi_compare_edge_row *graded_row(mrwi_compare_edge_block *b, int64_t y)
{
    mrwi_compare_edge_row *row = row_of_plain(b, y);
    if (!row->graded) {
        row->graded = true;
        b->kernels->grade(row);
    }
    return row;
}

/* Leaves those marks that have a plain pixel around them: of those alone brightness is looked at.
 */
static void keep_near_plain(mrwi_compare_edge_block *b, int64_t y, uint64_t marks[WORDS])
{
    uint64_t plain[WORDS + 1];
    for (int i = -1; i <= 1; i++) { /* needs rows y - 2 ... y + 2, which all have a place */
        const mrwi_compare_edge_row *row = row_of_plain(b, y + i);
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

static void keep_edges(mrwi_compare_edge_block *b, int64_t y, uint64_t marks[WORDS])
{
    const mrwi_compare_edge_row *rows[3];
    for (int i = 0; i < 3; i++) {
        rows[i] = graded_row(b, y + i - 1);
    }
    b->kernels->keep_edges(rows, marks);
}

#define FEW 2 /* pixels of a block that are faster answered one by one */

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
        begin_block(b, pair, x);
        keep_near_plain(b, y, marks);
        if (count_marks(marks) > FEW) {
            keep_edges(b, y, marks);
            return count_marks(marks);
        }
    }
    for (int i = 0; i < WORDS; i++) {
        for (uint64_t left = marks[i]; left != 0; left &= left - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(left);
            if (!antialiased(pair, x + (uint32_t)i * MRWI_COMPARE_WORD + bit, y)) {
                marks[i] &= ~(UINT64_C(1) << bit);
            }
        }
    }
    return count_marks(marks);
}
