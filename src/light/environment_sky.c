/* environment_sky.c: the first level of reflections, from an equirectangular picture. Each texel is
 * the mean of 16 points of the picture, or of 256 if one of them stands out, so that a sun of a few
 * pixels keeps its energy.
 *
 * Tried and dropped: adding each pixel of the picture to the texel that it falls into needs no arc
 * functions, but leaves gaps where texels are smaller than pixels, and does not work on several
 * threads.
 */
#define MRWI_BASE_LANES 4
#include "base/simd/lanes.h"

#include "light/environment.h"

#include "base/math.h"
#include "base/parallel.h"
#include "base/work.h"

#define PLACES      4    /* points per axis of a texel */
#define MORE_PLACES 16   /* points per axis if one of them stands out */
#define STANDS_OUT  4.0f /* a point stands out if it is this many times as bright as the mean */

/* ---- arc functions in lanes ------------------------------------------------------------------ */

/* Computes atan(t) for 0 <= t <= 1, to 2e-7 (Abramowitz and Stegun 4.4.49). */
static inline vf arc_tangent(vf t)
{
    static const float c[] = {0.0028662257f, -0.0161657367f, 0.0429096138f, -0.0752896400f,
                              0.1065626393f, -0.1420889944f, 0.1999355085f, -0.3333314528f};
    const vf square = t * t;
    vf sum = vf_set(c[0]);
    for (size_t i = 1; i < sizeof c / sizeof *c; i++) {
        sum = sum * square + c[i];
    }
    return t + t * square * sum;
}

/* Computes acos(y) for -1 <= y <= 1, to 3e-7 (Abramowitz and Stegun 4.4.46). */
static inline vf arc_cosine(vf y)
{
    static const float c[] = {-0.0012624911f, 0.0066700901f, -0.0170881256f, 0.0308918810f,
                              -0.0501743046f, 0.0889789874f, -0.2145988016f, 1.5707963050f};
    const vf size = vf_abs(y);
    vf sum = vf_set(c[0]);
    for (size_t i = 1; i < sizeof c / sizeof *c; i++) {
        sum = sum * size + c[i];
    }
    sum = sum * vf_sqrt(vf_max(1.0f - size, vf_set(0.0f)));
    return vf_select(vf_less(y, vf_set(0.0f)), (float)MRWI_BASE_PI - sum, sum);
}

/* Computes atan2(z, x) / 2 pi: -0.5 ... 0.5. */
static inline vf turns(vf z, vf x)
{
    const vf along = vf_abs(x), across = vf_abs(z), zero = vf_set(0.0f);
    const vf ratio = vf_min(along, across) / vf_max(vf_max(along, across), vf_set(1e-30f));
    vf t = arc_tangent(ratio) * (float)(0.5 / MRWI_BASE_PI);
    t = vf_select(vf_less(along, across), 0.25f - t, t);
    t = vf_select(vf_less(x, zero), 0.5f - t, t);
    return vf_select(vf_less(z, zero), -t, t);
}

/* ---- reading the picture --------------------------------------------------------------------- */

/* Positions of four directions in the picture, in pixels: whole parts, and the weight of the next
 * pixel. */
typedef struct places {
    int32_t x[4], y[4];
    float across[4], down[4];
} places;

/* Finds the positions of directions (x, y, z) of any length. */
static inline places places_of(const mrwi_light_sky *sky, vf x, vf y, vf z)
{
    const vf upright = y / vf_sqrt((x * x + y * y) + z * z);
    const float width = (float)sky->width, height = (float)sky->height;
    vf column = (0.5f + turns(z, x)) * width - 0.5f;
    vf row = arc_cosine(vf_clamp(upright, -1.0f, 1.0f)) * (height / (float)MRWI_BASE_PI) - 0.5f;
    column = vf_clamp(column, -0.5f, width - 0.5f);
    row = vf_clamp(row, 0.0f, height - 1.0f);
    const vf left = vf_floor(column), upper = vf_floor(row);
    places p;
    vi_store(p.x, vf_truncate(left));
    vi_store(p.y, vf_truncate(upper));
    vf_store(p.across, column - left);
    vf_store(p.down, row - upper);
    return p;
}

/* Finds the positions of (u, v) of a map, per lane; compare mrwi_light_environment_direction. */
static places find_places(const mrwi_light_sky *sky, vf u, vf v)
{
    const vf y = (1.0f - vf_abs(u)) - vf_abs(v);
    const vi folded = vf_less(y, vf_set(0.0f));
    const vi sign = vi_set(INT32_MIN);
    const vf x_out = vf_from_bits(vf_bits(1.0f - vf_abs(v)) ^ (vf_bits(u) & sign));
    const vf z_out = vf_from_bits(vf_bits(1.0f - vf_abs(u)) ^ (vf_bits(v) & sign));
    return places_of(sky, vf_select(folded, x_out, u), y, vf_select(folded, z_out, v));
}

/* Samples the picture at position i. The picture wraps from the last column to the first, and ends
 * at the poles. */
static mrwi_base_f4 show(const mrwi_light_sky *sky, const places *p, int i)
{
    const int32_t width = (int32_t)sky->width, height = (int32_t)sky->height;
    const int32_t left = p->x[i] < 0 ? width - 1 : p->x[i];
    const int32_t right = left + 1 < width ? left + 1 : 0;
    const int32_t lower = p->y[i] + 1 < height ? p->y[i] + 1 : p->y[i];
    const float(*row)[4] = (const float(*)[4])sky->pixels + (size_t)p->y[i] * sky->width;
    const float(*next)[4] = (const float(*)[4])sky->pixels + (size_t)lower * sky->width;
    const mrwi_base_f4 a = mrwi_base_f4_load(row[left]), b = mrwi_base_f4_load(row[right]);
    const mrwi_base_f4 c = mrwi_base_f4_load(next[left]), d = mrwi_base_f4_load(next[right]);
    const mrwi_base_f4 above = a + (b - a) * p->across[i], below = c + (d - c) * p->across[i];
    return above + (below - above) * p->down[i];
}

void mrwi_light_environment_see(const mrwi_light_sky *sky, const float x[4], const float y[4],
                                const float z[4], float out[4][4])
{
    const places p = places_of(sky, vf_load(x), vf_load(y), vf_load(z));
    for (int i = 0; i < 4; i++) {
        mrwi_base_f4_store(out[i], show(sky, &p, i));
    }
}

/* ---- the level ------------------------------------------------------------------------------- */

typedef struct resample_job {
    const mrwi_light_sky *sky;
    const mrwi_light_environment_level *level;
    float (*texels)[4];
} resample_job;

/* Computes the mean of count x count points of a texel, and the largest value per channel. count is
 * a multiple of 4. */
static mrwi_base_f4 mean_of(const resample_job *job, int64_t column, int64_t row, int count,
                            mrwi_base_f4 *largest)
{
    const float step = 2.0f / ((float)mrwi_light_environment_size(job->level) * (float)count);
    mrwi_base_f4 sum = mrwi_base_f4_set(0.0f);
    *largest = sum;
    for (int y = 0; y < count; y++) {
        const float v = ((float)(row * count + y) + 0.5f) * step - 1.0f;
        for (int x = 0; x < count; x += 4) {
            const vf u = (((float)(column * count + x) + 0.5f) + lane_floats()) * step - 1.0f;
            const places p = find_places(job->sky, u, vf_set(v));
            for (int i = 0; i < 4; i++) {
                const mrwi_base_f4 shown = show(job->sky, &p, i);
                sum += shown;
                *largest = vf_max(shown, *largest);
            }
        }
    }
    return sum * (1.0f / (float)(count * count));
}

static bool stands_out(mrwi_base_f4 largest, mrwi_base_f4 mean)
{
    for (int k = 0; k < 3; k++) {
        if (largest[k] > mean[k] * STANDS_OUT) {
            return true;
        }
    }
    return false;
}

static void resample_row(void *user, int64_t row, int worker)
{
    const resample_job *job = user;
    const int32_t size = (int32_t)mrwi_light_environment_size(job->level);
    float(*out)[4] = job->texels + job->level->first + (row + 1) * job->level->stride + 1;
    (void)worker;
    if (!mrwi_base_work_goes_on()) {
        return;
    }
    for (int32_t column = 0; column < size; column++) {
        mrwi_base_f4 largest, mean = mean_of(job, column, row, PLACES, &largest);
        if (stands_out(largest, mean)) {
            mean = mean_of(job, column, row, MORE_PLACES, &largest);
        }
        mrwi_base_f4_store(out[column], mean);
    }
}

void mrwi_light_environment_resample(const mrwi_light_sky *sky, int threads,
                                     const mrwi_light_environment_level *level, float (*texels)[4])
{
    resample_job job = {sky, level, texels};
    mrwi_base_parallel_for(threads, mrwi_light_environment_size(level), resample_row, &job);
}
