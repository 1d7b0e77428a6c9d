/* flip.c: FLIP of two pictures, a tile at a time.
 *
 * Every filter is a product of one across and one down, or a sum of two such. A tile goes down a
 * strip of MRWI_COMPARE_FLIP_TILE columns: each row is converted, filtered across and put into a
 * ring of lines, over which a row is filtered down as soon as all lines that it needs are there; so
 * what a thread works on stays in its cache. Rows that no difference reaches are not computed.
 *
 * YCxCz (paper: "Spatial Filtering") is kept without its scale and offset, Y = Y/Yn, Cx = X/Xn -
 * Y/Yn, Cz = Y/Yn - Z/Zn: filters are linear and their taps sum to 1, so both would only be taken
 * back afterwards, and the features are made of Y/Yn anyway.
 */
#include "compare/flip.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd/f4.h"
#include "base/simd/isa.h"
#include "base/text.h"

#define TILE        MRWI_COMPARE_FLIP_TILE
#define TILE_HEIGHT 128
#define GREY        128 /* what transparent pictures lie on, in sRGB */

typedef struct tile_sum {
    double sums[MRWI_COMPARE_REGIONS];
    float largest;
} tile_sum;

typedef struct flip {
    mrwi_compare_flip_job *job;
    const mrwi_compare_flip_kernels *kernels;
    mrwi_compare_flip_filters filters;
    mrwi_compare_flip_metric metric;
    int radius;
    mrwi_base_f4 channels[3][256]; /* what a byte of R, G, B adds to Y, Cx, Cz */
    mrwi_base_f4 ground;
    uint32_t columns; /* of tiles */
    tile_sum *tiles;
    float *scratch;
    size_t scratch_size; /* floats a worker */
} flip;

/* ---- filters --------------------------------------------------------------------------------- */

/* Half of exp(-steepness * i * i), scaled so that the whole sums to 1. Taps that are below 2^-30 of
 * the sum are left off: no float would notice. Returns the unscaled sum. */
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

/* "Spatial Filtering", equation and table of the contrast sensitivity functions: g(x) = a sqrt(pi /
 * b) exp(-pi^2 x^2 / b), x in degrees; the radius is 3 standard deviations of the widest. */
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

/* "Feature Detection": derivatives of a Gaussian with a standard deviation of half of w = 0.082
 * degrees, positive and negative taps each scaled to a sum of 1. The derivatives' other direction
 * is the Gaussian itself. */
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

/* Linear sRGB to XYZ with the white point of the authors' own programs, so that figures compare. */
static const double rgb_to_xyz[3][3] = {
    {10135552.0 / 24577794.0, 8788810.0 / 24577794.0, 4435075.0 / 24577794.0},
    {2613072.0 / 12288897.0, 8788810.0 / 12288897.0, 887015.0 / 12288897.0},
    {1425312.0 / 73733382.0, 8788810.0 / 73733382.0, 70074185.0 / 73733382.0},
};

/* The same relative to white: every row sums to 1. */
static void relative_xyz(double out[3][3])
{
    for (int i = 0; i < 3; i++) {
        double white = (rgb_to_xyz[i][0] + rgb_to_xyz[i][1]) + rgb_to_xyz[i][2];
        for (int j = 0; j < 3; j++) {
            out[i][j] = rgb_to_xyz[i][j] / white;
        }
    }
}

/* IEC 61966-2-1 */
static double linear_of(int byte)
{
    double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : mrwi_base_pow((c + 0.055) / 1.055, 2.4);
}

static void make_channels(flip *f)
{
    double xyz[3][3];
    relative_xyz(xyz);
    for (int c = 0; c < 3; c++) {
        for (int byte = 0; byte < 256; byte++) {
            double v = linear_of(byte), x = v * xyz[0][c], y = v * xyz[1][c], z = v * xyz[2][c];
            f->channels[c][byte] = (mrwi_base_f4){(float)y, (float)(x - y), (float)(y - z), 0.0f};
        }
    }
    f->ground = (f->channels[0][GREY] + f->channels[1][GREY]) + f->channels[2][GREY];
}

/* The inverse matrix: its rows sum to 1, too, so X = Y + Cx, Z = Y - Cz leave two columns of it. */
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

/* "Perceptually Uniform Color Space" in double, for the constants below. */
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

/* "Color Metric": q_c = 0.7, p_c = 0.4, p_t = 0.95; the largest distance is that of green and
 * blue. */
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

/* Masked pixels of the actual picture look as expected, so that their neighbours see no change. */
static const mrw_image *seen_at(const mrwi_compare_pair *pair, const mrw_image *image, uint32_t x,
                                uint32_t y)
{
    return mrwi_compare_masked(pair, x, y) ? pair->expected : image;
}

/* Columns first ... first + TILE - 1 with f->radius more on both sides; the border's pixels go on
 * outside. */
static void convert_row(const flip *f, const mrw_image *image, int64_t row, int64_t first,
                        float *planes[3])
{
    const mrwi_compare_pair *pair = f->job->pair;
    int64_t last_row = (int64_t)pair->height - 1, width = pair->width;
    uint32_t y = (uint32_t)(row < 0 ? 0 : row > last_row ? last_row : row);
    int64_t begin = first - f->radius > 0 ? first - f->radius : 0;
    int64_t end = first + TILE + f->radius < width ? first + TILE + f->radius : width;
    for (int64_t x = begin; x < end; x++) {
        const mrw_image *from = seen_at(pair, image, (uint32_t)x, y);
        const uint8_t *pixel =
            from->pixels + ((size_t)y * from->width + (size_t)x) * from->channels;
        mrwi_base_f4 c = color_of(f, pixel, from->channels);
        for (int i = 0; i < 3; i++) {
            planes[i][x - first] = c[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int64_t x = first - f->radius; x < begin; x++) {
            planes[i][x - first] = planes[i][begin - first];
        }
        for (int64_t x = end; x < first + TILE + f->radius; x++) {
            planes[i][x - first] = planes[i][end - 1 - first];
        }
    }
}

/* ---- one tile -------------------------------------------------------------------------------- */

/* The memory of a worker. */
typedef struct strip {
    int64_t first;    /* column */
    float *planes[3]; /* at `first` */
    float *rings[2];  /* of the expected and the actual picture: 2 * radius + 1 lines */
    const float *lines[2 * MRWI_COMPARE_FLIP_MAX_RADIUS + 1];
    float *appearances[2];
    float *errors;
} strip;

static float *take(float **memory, size_t count)
{
    float *taken = *memory;
    *memory += count;
    return taken;
}

static size_t ring_size(const flip *f)
{
    return (2 * (size_t)f->radius + 1) * MRWI_COMPARE_LINE_COUNT * TILE;
}

static size_t strip_size(const flip *f)
{
    return 3 * (TILE + 2 * (size_t)f->radius) +
           2 * (ring_size(f) + MRWI_COMPARE_LOOK_COUNT * TILE) + TILE;
}

static strip make_strip(const flip *f, float *memory, int64_t first)
{
    strip s = {.first = first};
    for (int i = 0; i < 2; i++) {
        s.rings[i] = take(&memory, ring_size(f));
        s.appearances[i] = take(&memory, MRWI_COMPARE_LOOK_COUNT * TILE);
    }
    s.errors = take(&memory, TILE);
    for (int i = 0; i < 3; i++) {
        s.planes[i] = take(&memory, TILE + 2 * (size_t)f->radius) + f->radius;
    }
    return s;
}

static float *line_of(const flip *f, const strip *s, int picture, int64_t row)
{
    int64_t count = 2 * f->radius + 1; /* row is -radius at least */
    return s->rings[picture] + (row + count) % count * (MRWI_COMPARE_LINE_COUNT * TILE);
}

static void add_line(const flip *f, strip *s, int64_t row)
{
    const mrwi_compare_pair *pair = f->job->pair;
    for (int picture = 0; picture < 2; picture++) {
        convert_row(f, picture == 0 ? pair->expected : pair->actual, row, s->first, s->planes);
        const float *const planes[3] = {s->planes[0], s->planes[1], s->planes[2]};
        f->kernels->across(&f->filters, planes, line_of(f, s, picture, row));
    }
}

static void compute_errors(const flip *f, strip *s, int64_t row)
{
    for (int picture = 0; picture < 2; picture++) {
        for (int i = -f->radius; i <= f->radius; i++) {
            s->lines[i + f->radius] = line_of(f, s, picture, row + i);
        }
        f->kernels->down(&f->filters, s->lines + f->radius, s->appearances[picture]);
    }
    f->kernels->compare(&f->metric, s->appearances[0], s->appearances[1], s->errors);
}

/* Sums are in double, over a row and then over the rows of a tile and over tiles, in this order. */
static void add_row(const flip *f, const strip *s, int64_t row, tile_sum *out)
{
    const mrwi_compare_pair *pair = f->job->pair;
    uint32_t y = (uint32_t)row;
    double sums[MRWI_COMPARE_REGIONS] = {0.0};
    for (uint32_t i = 0; i < TILE && s->first + i < pair->width; i++) {
        uint32_t x = (uint32_t)s->first + i;
        if (mrwi_compare_masked(pair, x, y)) {
            continue;
        }
        float e = s->errors[i];
        sums[mrwi_compare_region_of(pair, x, y)] += (double)e;
        out->largest = mrwi_base_maxf(e, out->largest);
        if (f->job->map) {
            f->job->map[(size_t)y * pair->width + x] = e;
        }
    }
    for (int i = 0; i < MRWI_COMPARE_REGIONS; i++) {
        out->sums[i] += sums[i];
    }
}

/* The rows of a tile that a difference reaches. */
static mrwi_compare_span rows_reached(const flip *f, int64_t left, int64_t top)
{
    const mrwi_compare_pair *pair = f->job->pair;
    int64_t begin = top - f->radius, end = top + TILE_HEIGHT + f->radius, first = -1, last = -1;
    for (int64_t y = begin > 0 ? begin : 0; y < end && y < (int64_t)pair->height; y++) {
        mrwi_compare_span span = f->job->spans[y];
        if (span.first < span.end && (int64_t)span.end > left - f->radius &&
            (int64_t)span.first < left + TILE + f->radius) {
            first = first < 0 ? y : first;
            last = y;
        }
    }
    if (first < 0) {
        return (mrwi_compare_span){0, 0};
    }
    int64_t bottom = top + TILE_HEIGHT < (int64_t)pair->height ? top + TILE_HEIGHT : pair->height;
    first = first - f->radius > top ? first - f->radius : top;
    last = last + f->radius + 1 < bottom ? last + f->radius + 1 : bottom;
    return (mrwi_compare_span){(uint32_t)first, (uint32_t)last};
}

static void run_tile(void *user, int64_t index, int worker)
{
    const flip *f = user;
    int64_t left = index % f->columns * TILE, top = index / f->columns * TILE_HEIGHT;
    mrwi_compare_span rows = rows_reached(f, left, top);
    if (rows.first == rows.end) {
        return;
    }
    strip s = make_strip(f, f->scratch + (size_t)worker * f->scratch_size, left);
    for (int64_t y = (int64_t)rows.first - f->radius; y < (int64_t)rows.first + f->radius; y++) {
        add_line(f, &s, y);
    }
    for (int64_t y = rows.first; y < (int64_t)rows.end; y++) {
        add_line(f, &s, y + f->radius);
        compute_errors(f, &s, y);
        add_row(f, &s, y, &f->tiles[index]);
    }
}

/* ---- both pictures --------------------------------------------------------------------------- */

const mrwi_compare_flip_kernels *mrwi_compare_flip_kernels_for(mrw_isa isa)
{
    static const void *const by_isa[MRW_ISA_COUNT] = {
        [MRW_ISA_SCALAR] = &mrwi_compare_flip_kernels_scalar,
        [MRW_ISA_SSE2] = MRWI_BASE_ON_X86(&mrwi_compare_flip_kernels_f4),
        [MRW_ISA_AVX2] = MRWI_BASE_ON_X86(&mrwi_compare_flip_kernels_avx2),
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
    f->scratch_size = (strip_size(f) + 15) / 16 * 16;
    f->columns = (f->job->pair->width + TILE - 1) / TILE;
}

static mrw_status check_ppd(double ppd, mrw_error *error)
{
    if (ppd >= MRWI_COMPARE_FLIP_MIN_PPD && ppd <= MRWI_COMPARE_FLIP_MAX_PPD) {
        return MRW_OK;
    }
    char number[32];
    mrwi_base_format_double(ppd, number);
    return mrwi_base_fail(error, MRW_ERROR_USAGE,
                          "%s pixels a degree cannot be: give 1 to 500; 67 is a common screen",
                          number);
}

mrw_status mrwi_compare_flip(mrwi_compare_flip_job *job, mrw_error *error)
{
    mrw_status status = check_ppd(job->pixels_per_degree, error);
    if (status != MRW_OK) {
        return status;
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
