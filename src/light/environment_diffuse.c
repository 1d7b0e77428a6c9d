/* environment_diffuse.c: light of an environment on matt surfaces, as nine spherical harmonics
 * (Ramamoorthi and Hanrahan 2001).
 *
 * A pixel is a patch of the sphere with constant radiance. Each harmonic is a product of a function
 * of the azimuth and a function of the polar angle, so its integral over a patch is the integral of
 * a column times that of a row, both in closed form. Constant pictures therefore stay exactly
 * constant, however coarse they are.
 */
#define MRWI_BASE_LANES 4
#include "base/simd/lanes.h"

#include "light/environment.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/work.h"

#include <string.h>

/* Functions of the azimuth a: 1, cos a, sin a, cos 2a, sin 2a. */
enum { AZIMUTHS = 5, HARMONICS = 9 };

/* Integrals of these functions per column, and sums of radiance times these integrals per row. */
typedef struct projection {
    const mrwi_light_sky *sky;
    double (*columns)[AZIMUTHS];
    double (*rows)[AZIMUTHS][3];
} projection;

static void project_row(void *user, int64_t y, int worker)
{
    const projection *p = user;
    const uint32_t width = p->sky->width;
    const float(*pixel)[4] = (const float(*)[4])p->sky->pixels + (size_t)y * width;
    vd low[AZIMUTHS] = {{0.0}}, high[AZIMUTHS] = {{0.0}}; /* red and green; blue */
    (void)worker;
    if (!mrwi_base_work_goes_on()) {
        return;
    }
    for (uint32_t x = 0; x < width; x++) {
        const vf shown = vf_load(pixel[x]);
        LANE_UNROLL
        for (int a = 0; a < AZIMUTHS; a++) {
            low[a] += p->columns[x][a] * vd_low(shown);
            high[a] += p->columns[x][a] * vd_high(shown);
        }
    }
    for (int a = 0; a < AZIMUTHS; a++) {
        const double sum[3] = {low[a][0], low[a][1], high[a][0]};
        memcpy(p->rows[y][a], sum, sizeof sum);
    }
}

/* Integrates over columns. Azimuth 0, +X, is the middle of a picture; +Z is a quarter further. */
static void integrate_columns(uint32_t width, double (*columns)[AZIMUTHS])
{
    for (uint32_t x = 0; x < width; x++) {
        const double from = MRWI_BASE_PI * (2.0 * x / width - 1.0);
        const double to = MRWI_BASE_PI * (2.0 * (x + 1.0) / width - 1.0);
        columns[x][0] = to - from;
        columns[x][1] = mrwi_base_sin(to) - mrwi_base_sin(from);
        columns[x][2] = mrwi_base_cos(from) - mrwi_base_cos(to);
        columns[x][3] = 0.5 * (mrwi_base_sin(2.0 * to) - mrwi_base_sin(2.0 * from));
        columns[x][4] = 0.5 * (mrwi_base_cos(2.0 * from) - mrwi_base_cos(2.0 * to));
    }
}

/* Integrals of one row over the polar angle t, with the sphere's factor sin t: of 1, cos t, sin t,
 * sin t cos t, sin^2 t and 3 cos^2 t - 1. */
typedef struct row_integrals {
    double one, cosine, sine, product, square, zonal;
} row_integrals;

static row_integrals integrate_row(double from, double to)
{
    const double c0 = mrwi_base_cos(from), s0 = mrwi_base_sin(from);
    const double c1 = mrwi_base_cos(to), s1 = mrwi_base_sin(to);
    row_integrals row;
    row.one = c0 - c1;
    row.cosine = 0.5 * (s1 * s1 - s0 * s0);
    row.sine = 0.5 * ((to - from) - (s1 * c1 - s0 * c0));
    row.product = (s1 * s1 * s1 - s0 * s0 * s0) / 3.0;
    const double cubes = (c0 * c0 * c0 - c1 * c1 * c1) / 3.0;
    row.square = row.one - cubes;
    row.zonal = 3.0 * cubes - row.one;
    return row;
}

/* Integrates the radiance times 1, x, y, z, xy, xz, yz, x^2 - z^2 and 3 y^2 - 1. */
static void sum_rows(const projection *p, double sums[HARMONICS][3])
{
    const uint32_t height = p->sky->height;
    for (uint32_t y = 0; y < height; y++) {
        const row_integrals row =
            integrate_row(MRWI_BASE_PI * y / height, MRWI_BASE_PI * (y + 1.0) / height);
        for (int k = 0; k < 3; k++) {
            const double one = p->rows[y][0][k], cosine = p->rows[y][1][k], sine = p->rows[y][2][k];
            sums[0][k] += row.one * one;
            sums[1][k] += row.sine * cosine;
            sums[2][k] += row.cosine * one;
            sums[3][k] += row.sine * sine;
            sums[4][k] += row.product * cosine;
            sums[5][k] += 0.5 * row.square * p->rows[y][4][k];
            sums[6][k] += row.product * sine;
            sums[7][k] += row.square * p->rows[y][3][k];
            sums[8][k] += row.zonal * one;
        }
    }
}

/* Computes the polynomial of a channel. Each sum is multiplied by the square of its harmonic's
 * constant and by the factor of the cosine lobe for its band (pi, 2 pi / 3, pi / 4), and divided by
 * pi. One square can be replaced, as x^2 + y^2 + z^2 = 1: here it is z^2. */
static void make_polynomial(const double sums[HARMONICS][3], int k, float out[9])
{
    const double pi = MRWI_BASE_PI, mixed = 15.0 / (16.0 * pi), zonal = 5.0 / (64.0 * pi);
    const double linear = 1.0 / (2.0 * pi), squares = mixed / 4.0;
    const double differ = squares * sums[7][k]; /* factor of x^2 - z^2 = 2 x^2 + y^2 - 1 */
    const double upright = zonal * sums[8][k];  /* factor of 3 y^2 - 1 */
    const double c[9] = {sums[0][k] / (4.0 * pi) - upright - differ,
                         linear * sums[1][k],
                         linear * sums[2][k],
                         linear * sums[3][k],
                         2.0 * differ,
                         mixed * sums[4][k],
                         mixed * sums[5][k],
                         3.0 * upright + differ,
                         mixed * sums[6][k]};
    for (int i = 0; i < 9; i++) {
        out[i] = (float)c[i];
    }
}

mrw_status mrwi_light_environment_find_diffuse(const mrwi_light_sky *sky, int threads,
                                               float out[3][9], mrw_error *error)
{
    double sums[HARMONICS][3] = {{0.0}};
    mrw_status status = MRW_OK;
    projection p = {sky, mrwi_base_alloc(sky->width, sizeof *p.columns),
                    mrwi_base_alloc(sky->height, sizeof *p.rows)};
    if (!p.columns || !p.rows) {
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    integrate_columns(sky->width, p.columns);
    mrwi_base_parallel_for(threads, sky->height, project_row, &p);
    status = mrwi_base_work_check(NULL, error);
    if (status) {
        goto out;
    }
    sum_rows(&p, sums);
    for (int k = 0; k < 3; k++) {
        make_polynomial((const double(*)[3])sums, k, out[k]);
    }
out:
    mrwi_base_free(p.columns);
    mrwi_base_free(p.rows);
    return status;
}
