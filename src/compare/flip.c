/* flip.c: computes FLIP of two pictures, one tile at a time.
 *
 * Every filter is a product of one across and one down, or a sum of two such products. A tile goes
 * down a strip of MRWI_COMPARE_FLIP_TILE columns, several rows at a time: the lines of both
 * pictures that the rows need are converted, filtered across and put into a ring, and rows are
 * filtered down over the ring. So the data of a thread stay in its cache. All of this is done cell
 * by cell, MRWI_COMPARE_FLIP_CELL columns each: cells that no difference reaches have no error, and
 * cells of lines without a difference are made once for both pictures.
 *
 * YCxCz (paper: "Spatial Filtering") has no scale and offset here: Y = Y/Yn, Cx = X/Xn - Y/Yn,
 * Cz = Y/Yn - Z/Zn. Filters are linear and their taps sum to 1, so both would only be undone
 * afterwards, and the features are made from Y/Yn anyway.
 */
#include "compare/flip.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/f4.h"
#include "base/simd/isa.h"
#include "base/text.h"
#include "base/work.h"

#define TILE        MRWI_COMPARE_FLIP_TILE
#define TILE_HEIGHT 128
#define CELL        MRWI_COMPARE_FLIP_CELL
#define CELLS       (TILE / CELL)
#define ROWS        MRWI_COMPARE_FLIP_ROWS
#define LOOK        (MRWI_COMPARE_LOOK_COUNT * CELL)
#define MAX_SLOTS   (2 * MRWI_COMPARE_FLIP_MAX_RADIUS + ROWS)
#define GREY        128 /* the background of transparent pictures, in sRGB */

/* Columns begin ... end - 1 of a tile; the first is -radius. */
typedef struct range {
    int64_t begin, end;
} range;

typedef struct tile_sum {
    double sums[MRWI_COMPARE_REGIONS];
    float largest;
} tile_sum;

typedef struct flip {
    mrwi_compare_flip_job *job;
    const mrwi_compare_flip_kernels *kernels;
    mrwi_compare_flip_filters filters;
    mrwi_compare_flip_metric metric;
    int radius, slots;
    mrwi_base_f4 channels[3][256]; /* Contribution of a byte of R, G, B to Y, Cx, Cz. */
    mrwi_base_f4 ground;
    uint32_t columns; /* Number of columns of tiles. */
    tile_sum *tiles;
    float *scratch;
    size_t scratch_size; /* Floats per worker. */
} flip;

/* ---- filters --------------------------------------------------------------------------------- */

/* Makes half of exp(-steepness * i * i), scaled so that the whole sums to 1. Leaves off taps below
 * 2^-30 of the sum, which change no float. Returns the unscaled sum. */
static double make_gaussian(double steepness, int radius, mrwi_compare_flip_filter *out)
{
    double sum = 1.0;
    for (int i = 1; i <= radius; i++) {
        sum += 2.0 * mrwi_base_exp(-steepness * i * i);
    }
    out->radius = 0;
    for (int i = 0; i <= radius; i++) {
        double tap = mrwi_base_exp(-steepness * i * i) / sum;
        out->taps[i] = (float)tap;
        out->radius = tap >= 0x1p-30 ? i : out->radius;
    }
    return sum;
}

/* Makes the filters of "Spatial Filtering", equation and table of the contrast sensitivity
 * functions: g(x) = a sqrt(pi / b) exp(-pi^2 x^2 / b), x in degrees; the radius is 3 standard
 * deviations of the widest. */
static void make_color_filters(double ppd, mrwi_compare_flip_colors *out)
{
    static const double a[2] = {34.1, 13.5}, b[2] = {0.04, 0.025};
    const double per_pixel = MRWI_BASE_PI * MRWI_BASE_PI / (ppd * ppd);
    int radius = (int)ceil(3.0 * sqrt(b[0] / (2.0 * MRWI_BASE_PI * MRWI_BASE_PI)) * ppd);
    make_gaussian(per_pixel / 0.0047, radius, &out->achromatic);
    make_gaussian(per_pixel / 0.0053, radius, &out->red_green);
    double share[2];
    for (int i = 0; i < 2; i++) {
        double sum = make_gaussian(per_pixel / b[i], radius, &out->blue_yellow[i]);
        share[i] = a[i] * sqrt(MRWI_BASE_PI / b[i]) * sum * sum;
    }
    for (int i = 0; i < 2; i++) {
        out->blue_yellow_down[i] = out->blue_yellow[i];
        for (int k = 0; k <= radius; k++) {
            double tap = (double)out->blue_yellow[i].taps[k] * (share[i] / (share[0] + share[1]));
            out->blue_yellow_down[i].taps[k] = (float)tap;
        }
    }
}

/* Makes the filters of "Feature Detection": derivatives of a Gaussian with a standard deviation of
 * half of w = 0.082 degrees, positive and negative taps each scaled to a sum of 1. In their other
 * direction the derivatives are the Gaussian itself. */
static void make_feature_filters(double ppd, mrwi_compare_flip_features *out)
{
    double deviation = 0.5 * 0.082 * ppd, positive = 0.0, negative = 0.0, slope = 0.0;
    double steepness = 1.0 / (2.0 * deviation * deviation);
    int radius = (int)ceil(3.0 * deviation);
    make_gaussian(steepness, radius, &out->smooth);
    out->smooth.radius = radius;
    double edge[MRWI_COMPARE_FLIP_TAPS], point[MRWI_COMPARE_FLIP_TAPS];
    for (int i = 0; i <= radius; i++) {
        double g = mrwi_base_exp(-steepness * i * i);
        edge[i] = i * g;
        point[i] = (2.0 * steepness * i * i - 1.0) * g;
        slope += edge[i];
        double both = i > 0 ? 2.0 * point[i] : point[i];
        positive += both > 0.0 ? both : 0.0;
        negative -= both < 0.0 ? both : 0.0;
    }
    for (int i = 0; i <= radius; i++) {
        out->edge.taps[i] = (float)(edge[i] / slope);
        out->point.taps[i] = (float)(point[i] / (point[i] > 0.0 ? positive : negative));
    }
    out->edge.radius = out->point.radius = radius;
}

/* ---- colours --------------------------------------------------------------------------------- */

/* Matrix from linear sRGB to XYZ with the white point of the authors' own programs, so that results
 * can be compared. */
static const double rgb_to_xyz[3][3] = {
    {10135552.0 / 24577794.0, 8788810.0 / 24577794.0, 4435075.0 / 24577794.0},
    {2613072.0 / 12288897.0, 8788810.0 / 12288897.0, 887015.0 / 12288897.0},
    {1425312.0 / 73733382.0, 8788810.0 / 73733382.0, 70074185.0 / 73733382.0},
};

/* Writes that matrix relative to white: every row sums to 1. */
static void relative_xyz(double out[3][3])
{
    for (int i = 0; i < 3; i++) {
        double white = (rgb_to_xyz[i][0] + rgb_to_xyz[i][1]) + rgb_to_xyz[i][2];
        for (int j = 0; j < 3; j++) {
            out[i][j] = rgb_to_xyz[i][j] / white;
        }
    }
}

/* Makes the tables of colours. The transfer function is that of IEC 61966-2-1. */
static void make_channels(flip *f)
{
    double xyz[3][3];
    relative_xyz(xyz);
    for (int byte = 0; byte < 256; byte++) {
        const double s = byte / 255.0;
        const double v = s <= 0.04045 ? s / 12.92 : mrwi_base_pow((s + 0.055) / 1.055, 2.4);
        for (int c = 0; c < 3; c++) {
            double x = v * xyz[0][c], y = v * xyz[1][c], z = v * xyz[2][c];
            f->channels[c][byte] = (mrwi_base_f4){(float)y, (float)(x - y), (float)(y - z), 0.0f};
        }
    }
    f->ground = (f->channels[0][GREY] + f->channels[1][GREY]) + f->channels[2][GREY];
}

/* Makes both matrices. The rows of the inverse sum to 1, too, so X = Y + Cx, Z = Y - Cz leave two
 * of its columns. */
static void make_matrices(mrwi_compare_flip_matrices *out)
{
    double m[3][3], adjugate[3][3];
    relative_xyz(m);
    for (int i = 0; i < 3; i++) {
        const double *p = m[(i + 1) % 3], *q = m[(i + 2) % 3];
        for (int j = 0; j < 3; j++) {
            int k = (j + 1) % 3, l = (j + 2) % 3;
            adjugate[j][i] = p[k] * q[l] - p[l] * q[k];
            out->to_xyz[i][j] = (float)m[i][j];
        }
    }
    double det = (m[0][0] * adjugate[0][0] + m[0][1] * adjugate[1][0]) + m[0][2] * adjugate[2][0];
    for (int i = 0; i < 3; i++) {
        out->to_rgb[i][0] = (float)(adjugate[i][0] / det);
        out->to_rgb[i][1] = (float)(-adjugate[i][2] / det);
    }
}

/* Computes the "Perceptually Uniform Color Space" in double, for the constants below. */
static void hunt_lab(const double xyz[3], double lab[3])
{
    double f[3];
    for (int i = 0; i < 3; i++) {
        double t = xyz[i];
        f[i] = t > 216.0 / 24389.0 ? mrwi_base_pow(t, 1.0 / 3.0) : t * (841.0 / 108.0) + 4.0 / 29.0;
    }
    lab[0] = 116.0 * f[1] - 16.0;
    lab[1] = 0.01 * lab[0] * 500.0 * (f[0] - f[1]);
    lab[2] = 0.01 * lab[0] * 200.0 * (f[1] - f[2]);
}

/* Makes the constants of "Color Metric": q_c = 0.7, p_c = 0.4, p_t = 0.95; the largest distance is
 * that of green and blue. */
static void make_color_metric(mrwi_compare_flip_metric *out)
{
    double xyz[3][3], green[3], blue[3];
    relative_xyz(xyz);
    hunt_lab((double[3]){xyz[0][1], xyz[1][1], xyz[2][1]}, green);
    hunt_lab((double[3]){xyz[0][2], xyz[1][2], xyz[2][2]}, blue);
    double a = green[1] - blue[1], b = green[2] - blue[2];
    double most = mrwi_base_pow(fabs(green[0] - blue[0]) + sqrt(a * a + b * b), 0.7);
    double knee = 0.4 * most;
    out->knee = (float)knee;
    out->low_scale = (float)(0.95 / knee);
    out->high_scale = (float)((1.0 - 0.95) / (most - knee));
}

/* ---- one row --------------------------------------------------------------------------------- */

static inline mrwi_base_f4 color_of(const flip *f, const uint8_t *pixel, uint32_t channels)
{
    mrwi_base_f4 c =
        (f->channels[0][pixel[0]] + f->channels[1][pixel[1]]) + f->channels[2][pixel[2]];
    if (channels == 4 && pixel[3] != 255) {
        c = f->ground + (c - f->ground) * mrwi_base_f4_set((float)pixel[3] / 255.0f);
    }
    return c;
}

static uint32_t row_within(const mrwi_compare_pair *pair, int64_t row)
{
    const int64_t last = (int64_t)pair->height - 1;
    return (uint32_t)(row < 0 ? 0 : row > last ? last : row);
}

/* Returns the picture that a pixel is taken from. Masked pixels of the actual picture look as
 * expected, so that their neighbours see no change. */
static const mrw_image *seen_at(const mrwi_compare_pair *pair, const mrw_image *image, uint32_t x,
                                uint32_t y)
{
    return mrwi_compare_masked(pair, x, y) ? pair->expected : image;
}

/* Converts the colours of `count` pixels, four at a time. */
static inline __attribute__((always_inline)) void convert_pixels(const flip *f,
                                                                 const uint8_t *pixels,
                                                                 uint32_t channels, int64_t count,
                                                                 float *const planes[3], int64_t at)
{
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const uint8_t *p = pixels + i * channels;
        const mrwi_base_f4 a = color_of(f, p, channels), b = color_of(f, p + channels, channels),
                           c = color_of(f, p + (size_t)2 * channels, channels),
                           d = color_of(f, p + (size_t)3 * channels, channels);
        const mrwi_base_f4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                           cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        const mrwi_base_f4 ab_z = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                           cd_z = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        mrwi_base_f4_store(planes[0] + at + i, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
        mrwi_base_f4_store(planes[1] + at + i, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
        mrwi_base_f4_store(planes[2] + at + i, __builtin_shufflevector(ab_z, cd_z, 0, 1, 4, 5));
    }
    for (; i < count; i++) {
        const mrwi_base_f4 c = color_of(f, pixels + i * channels, channels);
        for (int k = 0; k < 3; k++) {
            planes[k][at + i] = c[k];
        }
    }
}

/* Prefetches the same pixels of a row that is needed soon. Rows of tiles are too short and too far
 * apart for the CPU to predict it. */
static void fetch_row(const mrw_image *image, uint32_t y, int64_t begin, int64_t end)
{
    if (y < image->height) {
        const size_t at = (size_t)y * image->width;
        const uint8_t *first = image->pixels + (at + (size_t)begin) * image->channels,
                      *last = image->pixels + (at + (size_t)end) * image->channels;
        for (const uint8_t *p = first; p < last; p += 64) {
            __builtin_prefetch(p);
        }
    }
}

/* Converts columns of a row. Column 0 is at `left` of the picture; outside, the pixels of the
 * border are repeated. */
static void convert_row(const flip *f, const mrw_image *image, int64_t row, int64_t left,
                        range columns, float *const planes[3])
{
    const mrwi_compare_pair *pair = f->job->pair;
    const int64_t width = pair->width;
    const uint32_t y = row_within(pair, row);
    const int64_t begin = left + columns.begin > 0 ? left + columns.begin : 0;
    const int64_t end = left + columns.end < width ? left + columns.end : width;
    const int64_t step = pair->mask ? 1 : end - begin;
    fetch_row(image, y + ROWS, begin, end);
    for (int64_t x = begin; x < end; x += step) {
        const mrw_image *from = seen_at(pair, image, (uint32_t)x, y);
        const size_t at = (size_t)y * from->width + (size_t)x;
        if (from->channels == 3) {
            convert_pixels(f, from->pixels + at * 3, 3, step, planes, x - left);
        } else {
            convert_pixels(f, from->pixels + at * 4, 4, step, planes, x - left);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int64_t x = left + columns.begin; x < begin; x++) {
            planes[i][x - left] = planes[i][begin - left];
        }
        for (int64_t x = end; x < left + columns.end; x++) {
            planes[i][x - left] = planes[i][end - 1 - left];
        }
    }
}

/* ---- reach of differences -------------------------------------------------------------------- */

/* Returns true if a pixel of begin ... end - 1 of row y differs. */
static bool any_differs(const flip *f, uint32_t y, int64_t begin, int64_t end)
{
    const mrwi_compare_pair *pair = f->job->pair;
    const uint64_t *words = f->job->differing + y * mrwi_compare_row_words(pair);
    uint32_t x = begin > 0 ? (uint32_t)begin : 0;
    const uint32_t last = end < (int64_t)pair->width ? (uint32_t)end : pair->width;
    while (x < last) {
        const uint32_t at = x % MRWI_COMPARE_WORD, left = last - x,
                       count = left < MRWI_COMPARE_WORD - at ? left : MRWI_COMPARE_WORD - at;
        if (words[x / MRWI_COMPARE_WORD] >> at << (MRWI_COMPARE_WORD - count) != 0) {
            return true;
        }
        x += count;
    }
    return false;
}

/* Returns the cells of a row, one bit per cell, that a difference in it reaches. */
static uint32_t cells_reached(const flip *f, int64_t left, uint32_t y)
{
    uint32_t cells = 0;
    if (!any_differs(f, y, left - f->radius, left + TILE + f->radius)) {
        return 0;
    }
    for (int c = 0; c < CELLS; c++) {
        const int64_t x = left + (int64_t)c * CELL;
        const bool any = x < (int64_t)f->job->pair->width &&
                         any_differs(f, y, x - f->radius, x + CELL + f->radius);
        cells |= (uint32_t)any << c;
    }
    return cells;
}

/* ---- one tile -------------------------------------------------------------------------------- */

/* Lines of both pictures, filtered across. Row y is in slot y modulo f->slots. */
typedef struct line_ring {
    float *lines[2];           /* Lines of the expected and of the actual picture. */
    int64_t rows[MAX_SLOTS];   /* Row of each slot. */
    uint32_t cells[MAX_SLOTS]; /* Cells of the slot's line that are made, one bit per cell. */
} line_ring;

/* Cells of a tile that differences reach, one bit per cell. */
typedef struct reach {
    /* Cells that differences of each row reach, from row top - radius on. */
    uint32_t across[TILE_HEIGHT + 2 * MRWI_COMPARE_FLIP_MAX_RADIUS];
    uint32_t rows[TILE_HEIGHT]; /* Cells that differences of all rows around reach. */
} reach;

/* Memory of a worker for one tile. */
typedef struct strip {
    int64_t left, top, columns; /* Place within the picture. */
    float *planes[3];           /* Point to column `left`. */
    line_ring ring;
    float *look[2];                       /* ROWS each. */
    float (*errors)[TILE], (*rest)[TILE]; /* ROWS each. */
    reach reached;
} strip;

static float *take(float **memory, size_t count)
{
    float *taken = *memory;
    *memory += count;
    return taken;
}

static size_t ring_size(const flip *f)
{
    return (size_t)f->slots * MRWI_COMPARE_LINE_COUNT * TILE;
}

static size_t strip_size(const flip *f)
{
    return 3 * (TILE + 2 * (size_t)f->radius + 32) + 2 * (ring_size(f) + ROWS * LOOK + ROWS * TILE);
}

/* Divides a worker's memory, which is aligned to 64 bytes. All sizes but those of the planes are
 * multiples of that. */
static void make_strip(const flip *f, float *memory, int64_t left, int64_t top, strip *out)
{
    const int64_t columns = (int64_t)f->job->pair->width - left;
    out->left = left;
    out->top = top;
    out->columns = columns < TILE ? columns : TILE;
    for (int i = 0; i < 2; i++) {
        out->ring.lines[i] = take(&memory, ring_size(f));
        out->look[i] = take(&memory, ROWS * LOOK);
    }
    out->errors = (float(*)[TILE])take(&memory, ROWS * TILE);
    out->rest = (float(*)[TILE])take(&memory, ROWS * TILE);
    for (int i = 0; i < 3; i++) {
        out->planes[i] = take(&memory, TILE + 2 * (size_t)f->radius) + f->radius;
    }
    for (int i = 0; i < f->slots; i++) {
        out->ring.rows[i] = INT64_MIN;
    }
}

/* Finds the cells that differences reach; returns true if there are any. */
static bool find_reach(const flip *f, int64_t left, int64_t top, reach *out)
{
    const int64_t height = f->job->pair->height, radius = f->radius;
    uint32_t any = 0;
    for (int64_t i = 0; i < TILE_HEIGHT + 2 * radius; i++) {
        const int64_t y = top - radius + i;
        out->across[i] = y >= 0 && y < height ? cells_reached(f, left, (uint32_t)y) : 0;
        any |= out->across[i];
    }
    for (int64_t i = 0; i < TILE_HEIGHT; i++) {
        out->rows[i] = 0;
        for (int64_t k = 0; k <= 2 * radius && any && top + i < height; k++) {
            out->rows[i] |= out->across[i + k];
        }
    }
    return any != 0;
}

/* Returns the line of a row, at least -radius, of one picture. */
static float *line_of(const flip *f, const line_ring *ring, int picture, int64_t row)
{
    return ring->lines[picture] + (row + f->slots) % f->slots * (MRWI_COMPARE_LINE_COUNT * TILE);
}

/* Makes cells of a line of one picture. */
static void make_line(const flip *f, strip *s, int picture, int64_t row, uint32_t cells)
{
    const mrwi_compare_pair *pair = f->job->pair;
    const range columns = {
        __builtin_ctz(cells) * CELL - f->radius,
        (32 - __builtin_clz(cells)) * CELL + f->radius,
    };
    convert_row(f, picture == 0 ? pair->expected : pair->actual, row, s->left, columns, s->planes);
    while (cells != 0) {
        const int first = __builtin_ctz(cells), count = __builtin_ctz(~(cells >> first)),
                  at = first * CELL;
        const float *const planes[3] = {s->planes[0] + at, s->planes[1] + at, s->planes[2] + at};
        f->kernels->across(&f->filters, planes, count * CELL,
                           line_of(f, &s->ring, picture, row) + at);
        cells &= ~(((1u << count) - 1) << first);
    }
}

/* Copies cells of the expected picture's line, for the actual one, which does not differ there. */
static void copy_line(const flip *f, line_ring *ring, int64_t row, uint32_t cells)
{
    const float *from = line_of(f, ring, 0, row);
    float *to = line_of(f, ring, 1, row);
    for (int i = 0; i < CELLS * MRWI_COMPARE_LINE_COUNT; i++) {
        if (cells >> i % CELLS & 1) {
            memcpy(to + i * CELL, from + i * CELL, CELL * sizeof *to);
        }
    }
}

/* Makes cells of both lines of a row, unless they are made. */
static void need_line(const flip *f, strip *s, int64_t row, uint32_t cells)
{
    line_ring *ring = &s->ring;
    const int64_t slot = (row + f->slots) % f->slots;
    if (ring->rows[slot] != row) {
        ring->rows[slot] = row;
        ring->cells[slot] = 0;
    }
    cells &= ~ring->cells[slot];
    ring->cells[slot] |= cells;
    if (cells == 0) {
        return;
    }
    const int64_t within = row_within(f->job->pair, row);
    const uint32_t differing = cells & s->reached.across[within - s->top + f->radius];
    make_line(f, s, 0, row, cells);
    if (differing != 0) {
        make_line(f, s, 1, row, differing);
    }
    copy_line(f, ring, row, cells & ~differing);
}

/* Computes the errors of cells of the rows from y on. It goes picture by picture, so that a cell's
 * lines stay in the nearest cache. */
static void compute_errors(const flip *f, strip *s, int64_t y, uint32_t cells)
{
    const float *lines[2][MAX_SLOTS];
    for (int i = 0; i < f->slots; i++) {
        need_line(f, s, y - f->radius + i, cells);
        for (int k = 0; k < 2; k++) {
            lines[k][i] = line_of(f, &s->ring, k, y - f->radius + i);
        }
    }
    memset(s->errors, 0, ROWS * sizeof *s->errors);
    for (int c = 0; c < CELLS; c++) {
        if (cells >> c & 1) {
            for (int k = 0; k < 2; k++) {
                f->kernels->down(&f->filters, lines[k] + f->radius, c * CELL, s->look[k]);
            }
            f->kernels->compare(&f->metric, s->look[0], s->look[1], s->errors[0] + c * CELL);
        }
    }
}

/* Clears errors of masked pixels and of pixels beyond the picture. */
static void drop_errors(const flip *f, strip *s, int64_t y, int64_t count)
{
    const mrwi_compare_pair *pair = f->job->pair;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < s->columns && pair->mask; k++) {
            if (mrwi_compare_masked(pair, (uint32_t)(s->left + k), (uint32_t)(y + i))) {
                s->errors[i][k] = 0.0f;
            }
        }
        memset(s->errors[i] + s->columns, 0, (size_t)(TILE - s->columns) * sizeof(float));
    }
    memset(s->errors + count, 0, (size_t)(ROWS - count) * sizeof *s->errors);
}

/* Moves the errors of pixels outside the subject from `errors` to `rest`. */
static void part_errors(const flip *f, strip *s, int64_t y, int64_t count)
{
    memset(s->rest, 0, ROWS * sizeof *s->rest);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < s->columns; k++) {
            const int region =
                mrwi_compare_region_of(f->job->pair, (uint32_t)(s->left + k), (uint32_t)(y + i));
            if (region == MRWI_COMPARE_IN_REST) {
                s->rest[i][k] = s->errors[i][k];
                s->errors[i][k] = 0.0f;
            }
        }
    }
}

static float largest_error(const strip *s)
{
    mrwi_base_f4 most = mrwi_base_f4_set(0.0f);
    for (int64_t i = 0; i < ROWS * TILE; i += 4) {
        const mrwi_base_f4 e = mrwi_base_f4_load((const float *)s->errors + i);
        most = (mrwi_base_f4)mrwi_base_i4_select((mrwi_base_i4)(e > most), (mrwi_base_i4)e,
                                                 (mrwi_base_i4)most);
    }
    return mrwi_base_maxf(mrwi_base_maxf(most[0], most[1]), mrwi_base_maxf(most[2], most[3]));
}

/* Adds up ROWS rows side by side, so that no addition waits for the one before. */
static void sum_rows(float (*errors)[TILE], uint32_t cells, double sums[ROWS])
{
    for (int c = 0; c < CELLS; c++) {
        for (int x = c * CELL; x < (c + 1) * CELL && (cells >> c & 1); x++) {
            for (int i = 0; i < ROWS; i++) {
                sums[i] += (double)errors[i][x];
            }
        }
    }
}

/* Adds the errors of rows to the sums of a tile. Sums are in double, over a row, then over the rows
 * of a tile, then over tiles, in this order. Errors of 0 change no sum. */
static void add_rows(const flip *f, strip *s, int64_t y, int64_t count, uint32_t cells,
                     tile_sum *out)
{
    const mrwi_compare_pair *pair = f->job->pair;
    double sums[MRWI_COMPARE_REGIONS][ROWS] = {{0.0}};
    drop_errors(f, s, y, count);
    out->largest = mrwi_base_maxf(largest_error(s), out->largest);
    for (int64_t i = 0; i < count && f->job->map; i++) {
        memcpy(f->job->map + (size_t)(y + i) * pair->width + s->left, s->errors[i],
               (size_t)s->columns * sizeof(float));
    }
    if (pair->subject != MRW_SUBJECT_FRAME) {
        part_errors(f, s, y, count);
        sum_rows(s->rest, cells, sums[MRWI_COMPARE_IN_REST]);
    }
    sum_rows(s->errors, cells, sums[MRWI_COMPARE_IN_SUBJECT]);
    for (int64_t i = 0; i < count; i++) {
        for (int k = 0; k < MRWI_COMPARE_REGIONS; k++) {
            out->sums[k] += sums[k][i];
        }
    }
}

static void run_tile(void *user, int64_t index, int worker)
{
    const flip *f = user;
    const int64_t left = index % f->columns * TILE, top = index / f->columns * TILE_HEIGHT;
    strip s;
    make_strip(f, f->scratch + (size_t)worker * f->scratch_size, left, top, &s);
    if (!mrwi_base_work_goes_on() || !find_reach(f, left, top, &s.reached)) {
        return;
    }
    const int64_t height = f->job->pair->height,
                  end = top + TILE_HEIGHT < height ? top + TILE_HEIGHT : height;
    for (int64_t y = top; y < end; y += ROWS) {
        const int64_t count = end - y < ROWS ? end - y : ROWS;
        uint32_t cells = 0;
        for (int64_t i = 0; i < count; i++) {
            cells |= s.reached.rows[y - top + i];
        }
        if (cells != 0) {
            compute_errors(f, &s, y, cells);
            add_rows(f, &s, y, count, cells, &f->tiles[index]);
        }
    }
}

/* ---- both pictures --------------------------------------------------------------------------- */

const mrwi_compare_flip_kernels *mrwi_compare_flip_kernels_for(mrw_isa isa)
{
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_compare_flip_kernels_scalar,
        [MRW_ISA_SSE2] = MRWI_BASE_ON_X86(&mrwi_compare_flip_kernels_f4),
        [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_compare_flip_kernels_avx2),
        [MRW_ISA_AVX512] = MRWI_BASE_ON_X86(&mrwi_compare_flip_kernels_avx512),
        [MRW_ISA_NEON] = MRWI_BASE_ON_ARM64(&mrwi_compare_flip_kernels_f4),
    };
    return mrwi_base_isa_kernels(by_isa, isa);
}

static void set_up(flip *f)
{
    double ppd = f->job->pixels_per_degree;
    make_color_filters(ppd, &f->filters.color);
    make_feature_filters(ppd, &f->filters.feature);
    make_color_metric(&f->metric);
    make_matrices(&f->filters.matrices);
    make_channels(f);
    f->kernels = mrwi_compare_flip_kernels_for(f->job->isa);
    const mrwi_compare_flip_filter *widest[] = {
        &f->filters.color.achromatic, &f->filters.color.red_green, &f->filters.color.blue_yellow[0],
        &f->filters.feature.smooth};
    for (size_t i = 0; i < sizeof widest / sizeof *widest; i++) {
        f->radius = widest[i]->radius > f->radius ? widest[i]->radius : f->radius;
    }
    f->slots = 2 * f->radius + ROWS;
    f->scratch_size = (strip_size(f) + 15) / 16 * 16;
    f->columns = (f->job->pair->width + TILE - 1) / TILE;
}

mrw_status mrwi_compare_flip(mrwi_compare_flip_job *job, mrw_error *error)
{
    mrw_status status = MRW_OK;
    const double ppd = job->pixels_per_degree;
    if (!(ppd >= MRWI_COMPARE_FLIP_MIN_PPD && ppd <= MRWI_COMPARE_FLIP_MAX_PPD)) {
        char number[32];
        mrwi_base_format_double(ppd, number);
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "%s pixels per degree is out of range: give 1 to 500; 67 is a common screen", number);
    }
    memset(job->sums, 0, sizeof job->sums);
    job->largest = 0.0f;
    flip *f = mrwi_base_alloc_zero(1, sizeof *f);
    if (!f) {
        return mrwi_base_fail_memory(error, sizeof *f);
    }
    f->job = job;
    set_up(f);
    size_t tile_count = (size_t)f->columns * ((job->pair->height + TILE_HEIGHT - 1) / TILE_HEIGHT);
    size_t workers = (size_t)job->threads;
    f->tiles = mrwi_base_alloc_zero(tile_count, sizeof *f->tiles);
    f->scratch = mrwi_base_alloc(workers * f->scratch_size, sizeof *f->scratch);
    if (!f->tiles || !f->scratch) {
        status = mrwi_base_fail_memory(error, workers * f->scratch_size * sizeof *f->scratch);
        goto out;
    }
    mrwi_base_parallel_for(job->threads, (int64_t)tile_count, run_tile, f);
    status = mrwi_base_work_check(NULL, error);
    for (size_t i = 0; i < tile_count; i++) {
        for (int k = 0; k < MRWI_COMPARE_REGIONS; k++) {
            job->sums[k] += f->tiles[i].sums[k];
        }
        job->largest = mrwi_base_maxf(f->tiles[i].largest, job->largest);
    }
out:
    mrwi_base_free(f->tiles);
    mrwi_base_free(f->scratch);
    mrwi_base_free(f);
    return status;
}
