/* antialiased.c: does a pixel lie on an anti-aliased edge?
 *
 * After V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector", Electronics and
 * Electrical Engineering 7(95), 2009, with the safeguards that tools for comparing screenshots
 * made common: such a pixel lies between a darker and a brighter neighbour, at most two neighbours
 * are as bright as itself, and the darkest or the brightest neighbour belongs, in both pictures,
 * to a plain area, which the edge borders on. Where several neighbours are the darkest or the
 * brightest any of them may be it, so that mirrored pictures give mirrored answers.
 *
 * `antialiased` is the rule. Where many pixels are asked about, blocks of a row are answered four
 * lanes at a time, from copies of the five rows around with an apron at both ends, so that no lane
 * asks where it is: what lies outside of the picture, or is masked, is not `seen`. The next row
 * below finds four of its five rows there.
 */
#include "compare/pair.h"

#include "base/simd/f4.h"

#define PLAIN 3 /* a pixel belongs to a plain area when so many neighbours have its colour */

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
    return equal >= PLAIN;
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

static bool antialiased(const mrwi_compare_pair *pair, uint32_t x, uint32_t y)
{
    return antialiased_in(pair, pair->expected, x, y) || antialiased_in(pair, pair->actual, x, y);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

#define APRON MRWI_COMPARE_EDGE_APRON
#define ROWS  MRWI_COMPARE_EDGE_ROWS

/* Where row y - APRON + r is kept. */
static mrwi_compare_edge_row *row_of(mrwi_compare_edge_block *b, int r)
{
    return &b->rows[(b->y + (uint32_t)r) % ROWS];
}

/* Luma times alpha over mid grey, times 255000. */
static void brighten(mrwi_compare_edge_row *row, int k, bool opaque, uint32_t end)
{
    const mrwi_base_i4 low = mrwi_base_i4_set(255);
    for (uint32_t i = 0; i < end; i += 4) {
        mrwi_base_i4 p = mrwi_base_i4_load(&row->pixels[k][i]);
        mrwi_base_i4 luma = 299 * (p & low) + 587 * (p >> 8 & low) + 114 * (p >> 16 & low);
        mrwi_base_i4 alpha = p >> 24 & low;
        mrwi_base_i4 over = opaque ? (luma << 8) - luma : luma * alpha + 128000 * (255 - alpha);
        mrwi_base_i4_store(&row->brightness[k][i], over);
    }
}

/* Fills row r of both pictures. */
static void load_row(mrwi_compare_edge_block *b, int r)
{
    const mrwi_compare_pair *pair = b->pair;
    const mrw_image *images[2] = {pair->expected, pair->actual};
    const uint32_t y = b->y + (uint32_t)r - APRON; /* what lies before 0 is beyond the last, too */
    mrwi_compare_edge_row *row = row_of(b, r);
    memset(row, 0, sizeof *row);
    if (y >= pair->height) {
        return;
    }
    const uint32_t first = b->x < APRON ? APRON - b->x : 0, wanted = b->count + 2 * APRON;
    const uint32_t left = pair->width - (b->x + first - APRON);
    const uint32_t end = first + (left < wanted - first ? left : wanted - first);
    for (uint32_t i = first; i < end; i++) {
        uint32_t x = b->x + i - APRON;
        row->seen[i] = mrwi_compare_masked(pair, x, y) ? 0 : -1;
        row->border[i] = at_border(pair, x, y);
    }
    for (int k = 0; k < 2; k++) {
        uint32_t all = UINT32_MAX;
        for (uint32_t i = first; i < end; i++) {
            uint32_t pixel = mrwi_compare_pixel(images[k], b->x + i - APRON, y);
            all &= pixel;
            row->pixels[k][i] = (int32_t)pixel;
        }
        brighten(row, k, all >> 24 == 255, wanted);
    }
}

/* How many neighbours have the colour of the pixels in column i of row r, one more at the border.
 */
static inline mrwi_base_i4 count_equal(mrwi_compare_edge_row *const rows[3], int k, uint32_t i)
{
    const mrwi_base_i4 own = mrwi_base_i4_load(&rows[1]->pixels[k][i]);
    mrwi_base_i4 equal = mrwi_base_i4_load(&rows[1]->border[i]);
    for (int n = 0; n < 9; n++) {
        const mrwi_compare_edge_row *row = rows[n / 3];
        const uint32_t u = i - 1 + (uint32_t)n % 3;
        if (n != 4) {
            equal -=
                mrwi_base_i4_load(&row->seen[u]) & (mrwi_base_i4_load(&row->pixels[k][u]) == own);
        }
    }
    return equal;
}

static void find_plain(mrwi_compare_edge_block *b, int r)
{
    mrwi_compare_edge_row *const rows[3] = {row_of(b, r - 1), row_of(b, r), row_of(b, r + 1)};
    for (uint32_t i = APRON - 1; i < b->count + APRON + 1; i += 4) {
        mrwi_base_i4 plain =
            (count_equal(rows, 0, i) >= PLAIN) & (count_equal(rows, 1, i) >= PLAIN);
        mrwi_base_i4_store(&rows[1]->plain[i], plain);
    }
}

/* Moves to row y; of a block one row below the last one all but one row is there. */
static void move_block(mrwi_compare_edge_block *b, const mrwi_compare_pair *pair, uint32_t x,
                       uint32_t y)
{
    const bool next = b->pair == pair && b->x == x && b->y + 1 == y;
    b->pair = pair;
    b->x = x;
    b->y = y;
    b->count =
        pair->width - x < MRWI_COMPARE_EDGE_BLOCK ? pair->width - x : MRWI_COMPARE_EDGE_BLOCK;
    for (int r = next ? ROWS - 1 : 0; r < ROWS; r++) {
        load_row(b, r);
    }
    for (int r = next ? APRON + 1 : APRON - 1; r <= APRON + 1; r++) {
        find_plain(b, r);
    }
}

/* antialiased_in for the four pixels from column i on. */
static inline mrwi_base_i4 antialiased_lanes(mrwi_compare_edge_row *const rows[3], int k,
                                             uint32_t i)
{
    const mrwi_base_i4 own = mrwi_base_i4_load(&rows[1]->brightness[k][i]);
    mrwi_base_i4 delta[9], darkest = {0}, brightest = {0}, borders = {0};
    mrwi_base_i4 equal = mrwi_base_i4_load(&rows[1]->border[i]);
    for (int n = 0; n < 9; n++) {
        const mrwi_compare_edge_row *row = rows[n / 3];
        const uint32_t u = i - 1 + (uint32_t)n % 3;
        const mrwi_base_i4 seen = mrwi_base_i4_load(&row->seen[u]);
        delta[n] = (mrwi_base_i4_load(&row->brightness[k][u]) - own) & seen;
        darkest = mrwi_base_i4_select(delta[n] < darkest, delta[n], darkest);
        brightest = mrwi_base_i4_select(delta[n] > brightest, delta[n], brightest);
        equal -= n != 4 ? seen & (delta[n] == 0) : mrwi_base_i4_set(0);
    }
    const mrwi_base_i4 between = (darkest != 0) & (brightest != 0) & (equal < PLAIN);
    for (int n = 0; n < 9; n++) { /* the middle is 0, which neither of them is */
        mrwi_base_i4 plain = mrwi_base_i4_load(&rows[n / 3]->plain[i - 1 + (uint32_t)n % 3]);
        borders |= plain & ((delta[n] == darkest) | (delta[n] == brightest));
    }
    return between & borders;
}

static void keep_edges(mrwi_compare_edge_block *b, bool *marks)
{
    mrwi_compare_edge_row *const rows[3] = {row_of(b, APRON - 1), row_of(b, APRON),
                                            row_of(b, APRON + 1)};
    for (uint32_t i = 0; i < b->count; i += 4) {
        mrwi_base_i4 edges =
            antialiased_lanes(rows, 0, i + APRON) | antialiased_lanes(rows, 1, i + APRON);
        for (uint32_t lane = 0; lane < 4 && i + lane < b->count; lane++) {
            marks[i + lane] = marks[i + lane] && edges[lane] != 0;
        }
    }
}

#define FEW 12 /* pixels of a block that are faster answered one by one */

uint32_t mrwi_compare_keep_antialiased(mrwi_compare_edge_block *b, const mrwi_compare_pair *pair,
                                       uint32_t x, uint32_t y, bool *marks)
{
    const uint32_t left = pair->width - x,
                   count = left < MRWI_COMPARE_EDGE_BLOCK ? left : MRWI_COMPARE_EDGE_BLOCK;
    uint32_t marked = 0, found = 0;
    for (uint32_t i = 0; i < count; i++) {
        marked += marks[i];
    }
    if (marked > FEW) {
        move_block(b, pair, x, y);
        keep_edges(b, marks);
    }
    for (uint32_t i = 0; i < count && marked > 0; i++) {
        marks[i] = marks[i] && (marked > FEW || antialiased(pair, x + i, y));
        found += marks[i];
    }
    return found;
}
