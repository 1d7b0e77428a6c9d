/* kernels_pixel.h: the kernels of the rule by pixels, on rows of few colours and of many, of 3 and
 * 4 channels, masked or not, at the picture's border or not. */
#include "kernels.h"

#include "compare/pixel.h"

enum { PIXEL_SUBTRACT, PIXEL_EDGES };

#define PIXEL_WIDTH 700
#define PIXEL_WORDS (PIXEL_WIDTH / MRWI_COMPARE_WORD + 1)
#define PIXEL_ROWS  3

static const void *pixel_table(mrw_isa isa)
{
    return mrwi_compare_pixel_kernels_for(isa);
}

/* Of both pictures; masks and subjects end where their last row does. */
static uint8_t pixel_bytes[2][4 * PIXEL_WIDTH + 64], pixel_flags[3][PIXEL_WIDTH];

static void random_pixels(void)
{
    static const uint32_t ranges[] = {2, 3, 256};
    const uint32_t range = ranges[random_below(3)], change = 1 + random_below(60);
    random_bytes(pixel_bytes[0], sizeof pixel_bytes[0], range);
    for (size_t i = 0; i < sizeof pixel_bytes[1]; i++) {
        pixel_bytes[1][i] =
            random_below(change) == 0 ? (uint8_t)random_below(256) : pixel_bytes[0][i];
    }
    for (int k = 0; k < 3; k++) {
        random_bytes(pixel_flags[k], PIXEL_WIDTH, 3);
    }
}

/* ---- differences ----------------------------------------------------------------------------- */

typedef struct pixel_out {
    mrwi_compare_span span;
    uint64_t differing[PIXEL_WORDS], counting[PIXEL_WORDS];
    mrwi_compare_differences sums;
} pixel_out;

static mrwi_compare_rows random_pair(uint32_t width)
{
    const uint8_t *flags[3]; /* the last byte is the last of the array, so that tools see more */
    for (int k = 0; k < 3; k++) {
        flags[k] = pixel_flags[k] + PIXEL_WIDTH - width;
    }
    return (mrwi_compare_rows){.pixels = {pixel_bytes[0], pixel_bytes[1]},
                               .channels = {3 + random_below(2), 3 + random_below(2)},
                               .width = width,
                               .mask = random_below(2) == 0 ? flags[2] : NULL,
                               .max_delta = random_below(2) * random_below(256),
                               .sums = random_below(2) == 0,
                               .subject = (mrw_subject)random_below(3),
                               .drawn = {flags[0], flags[1]}};
}

static void run_subtract(mrw_isa isa, const mrwi_compare_rows *rows, mrwi_compare_span within,
                         pixel_out *out)
{
    const mrwi_compare_pixel_kernels *kernels = pixel_table(isa);
    memset(out, 0, sizeof *out);
    out->span = kernels->subtract(rows, within, out->differing, out->counting, &out->sums);
}

static void check_subtract(mrw_isa isa)
{
    static pixel_out expected, actual;
    for (uint32_t round = 0; round < TEST_ROUNDS(3000); round++) {
        random_pixels();
        const uint32_t width = 1 + (round < 300 ? round : random_below(PIXEL_WIDTH));
        const mrwi_compare_rows rows = random_pair(width);
        const uint32_t first = random_below(width);
        const mrwi_compare_span within = {first, first + 1 + random_below(width - first)};
        run_subtract(MRW_ISA_SCALAR, &rows, within, &expected);
        run_subtract(isa, &rows, within, &actual);
        check_bytes(&actual, &expected, sizeof actual, "differences", isa);
    }
}

/* ---- edges ----------------------------------------------------------------------------------- */

#define PIXEL_COLUMNS MRWI_COMPARE_EDGE_COLUMNS

static mrwi_compare_edge_source random_source(bool whole)
{
    const uint32_t at = random_below(64);
    mrwi_compare_edge_source s = {
        .channels = {3 + random_below(2), 3 + random_below(2)},
        .border_end = PIXEL_COLUMNS,
        .end = PIXEL_COLUMNS,
        .whole = whole,
    };
    if (!whole) {
        s.first = random_below(2) * MRWI_COMPARE_EDGE_APRON;
        s.end = random_below(3) == 0 ? PIXEL_COLUMNS : random_below(PIXEL_COLUMNS + 1);
        s.end = s.end < s.first ? 0 : s.end;
        s.border_first = random_below(5);
        s.border_end = random_below(3) == 0 ? 0 : s.end > 0 ? s.end - 1 : 0;
        s.mask = random_below(2) == 0 ? pixel_flags[2] + at : NULL;
    }
    for (int k = 0; k < 2; k++) {
        s.pixels[k] = pixel_bytes[k] + at * s.channels[k];
    }
    return s;
}

/* The columns that a step leaves right, of those of a row; others are of no matter. */
static uint64_t valid_columns(int word, uint32_t first, uint32_t end)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < MRWI_COMPARE_WORD; i++) {
        const uint32_t column = (uint32_t)word * MRWI_COMPARE_WORD + i;
        bits |= (uint64_t)(column >= first && column < end) << i;
    }
    return bits;
}

static void clear_invalid(mrwi_compare_edge_row *row, const mrwi_compare_edge_source *source)
{
    const uint32_t first = MRWI_COMPARE_EDGE_APRON - 1, end = PIXEL_COLUMNS - 1;
    for (int w = 0; w < MRWI_COMPARE_EDGE_COLUMN_WORDS; w++) {
        row->plain[w] &= valid_columns(w, first, end) & row->seen[w];
        for (int k = 0; k < 2; k++) {
            mrwi_compare_matches *m = &row->matches[k];
            m->across[w] &= valid_columns(w, source->first, end);
            m->down[w] &= valid_columns(w, source->first, end);
            m->falling[w] &= valid_columns(w, source->first, end);
            m->rising[w] &= valid_columns(w, source->first, end);
        }
    }
    for (uint32_t i = 0; i < MRWI_COMPARE_EDGE_ROW; i++) {
        for (int k = 0; k < 2; k++) {
            row->colors[k][i] = i >= source->first && i < source->end ? row->colors[k][i] : 0;
            row->grades[k][i] = i >= first && i < end ? row->grades[k][i] : 0;
        }
    }
}

typedef struct edges_out {
    mrwi_compare_edge_row rows[PIXEL_ROWS + 2];
    uint64_t marks[MRWI_COMPARE_EDGE_WORDS];
} edges_out;

static void run_edges(mrw_isa isa, const mrwi_compare_edge_source *sources, uint64_t marks,
                      edges_out *out)
{
    const mrwi_compare_pixel_kernels *kernels = pixel_table(isa);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < PIXEL_ROWS + 2; i++) {
        kernels->fill(&sources[i], &out->rows[i]);
    }
    for (int i = 0; i < PIXEL_ROWS + 1; i++) {
        kernels->match(&out->rows[i], &out->rows[i + 1]);
    }
    for (int i = 1; i <= PIXEL_ROWS; i++) {
        kernels->find_plain(&out->rows[i - 1], &out->rows[i]);
        kernels->grade(&out->rows[i]);
    }
    for (int w = 0; w < MRWI_COMPARE_EDGE_WORDS; w++) { /* what is not seen is never marked */
        const uint64_t *seen = out->rows[2].seen;
        out->marks[w] = marks & (seen[w] >> MRWI_COMPARE_EDGE_APRON |
                                 seen[w + 1] << (MRWI_COMPARE_WORD - MRWI_COMPARE_EDGE_APRON));
    }
    const mrwi_compare_edge_row *const rows[3] = {&out->rows[1], &out->rows[2], &out->rows[3]};
    kernels->keep_edges(rows, out->marks);
}

static void check_edges(mrw_isa isa)
{
    static edges_out expected, actual;
    uint64_t edges = 0;
    for (int round = 0; round < TEST_ROUNDS(1500); round++) {
        mrwi_compare_edge_source sources[PIXEL_ROWS + 2];
        random_pixels();
        for (int i = 0; i < PIXEL_ROWS + 2; i++) {
            sources[i] = random_source(round % 3 != 0);
        }
        const uint64_t marks =
            round % 2 == 0 ? UINT64_MAX : (uint64_t)random_u32() << 32 | random_below(1u << 20);
        run_edges(MRW_ISA_SCALAR, sources, marks, &expected);
        run_edges(isa, sources, marks, &actual);
        for (int i = 0; i < PIXEL_ROWS + 2; i++) {
            clear_invalid(&expected.rows[i], &sources[i]);
            clear_invalid(&actual.rows[i], &sources[i]);
        }
        check_bytes(&actual, &expected, sizeof actual, "edges", isa);
        edges |= actual.marks[0] | actual.marks[1];
    }
    ck_assert_uint_ne(edges, 0);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void check_pixel(mrw_isa isa, int variant)
{
    if (variant == PIXEL_SUBTRACT) {
        check_subtract(isa);
    } else {
        check_edges(isa);
    }
}

static size_t work_pixel(mrw_isa isa, int variant)
{
    static pixel_out out;
    static edges_out edges;
    const mrwi_compare_rows rows = {.pixels = {pixel_bytes[0], pixel_bytes[1]},
                                    .channels = {3, 3},
                                    .width = PIXEL_WIDTH,
                                    .subject = MRW_SUBJECT_FRAME};
    mrwi_compare_edge_source sources[PIXEL_ROWS + 2];
    for (int i = 0; i < PIXEL_ROWS + 2; i++) {
        sources[i] = (mrwi_compare_edge_source){.pixels = {pixel_bytes[0], pixel_bytes[1]},
                                                .channels = {3, 3},
                                                .end = PIXEL_COLUMNS,
                                                .border_end = PIXEL_COLUMNS,
                                                .whole = true};
    }
    if (variant == PIXEL_SUBTRACT) {
        run_subtract(isa, &rows, (mrwi_compare_span){0, PIXEL_WIDTH}, &out);
        return 6 * PIXEL_WIDTH;
    }
    run_edges(isa, sources, UINT64_MAX, &edges);
    return (PIXEL_ROWS + 2) * 6 * PIXEL_COLUMNS;
}

#define PIXEL_ROW(name, variant)                                                                   \
    {                                                                                              \
        name, "src/compare/pixel_", variant, pixel_table, check_pixel, work_pixel                  \
    }
#define PIXEL_TABLE                                                                                \
    PIXEL_ROW("pixel subtract", PIXEL_SUBTRACT), PIXEL_ROW("pixel edges", PIXEL_EDGES)
