/* environment_specular.c: reflections of an environment in rough surfaces, seen along their normal.
 *
 * Each texel of a level is a weighted mean over a fixed list of directions, chosen by the
 * distribution of the level's roughness (importance sampling; Karis 2013). Each direction stands
 * for a part of the sphere, and is looked up in a map whose texels are about as large as that part
 * (Krivanek and Colbert, "Real-time Shading with Filtered Importance Sampling", 2008), which leaves
 * no noise. As the view is along the normal, the list and its maps are the same for all texels of a
 * level.
 */
#define MRWI_BASE_LANES 4
#include "base/simd/lanes.h"

#include "light/environment.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/work.h"

#define MOST_SAMPLES 1024
#define MOST_MEANS   10 /* from 512 x 512 texels to 1 */

/* Four directions around +Z, and the maps of means to look up, in lanes: index of the first texel,
 * and stride, half and middle of the map (mrwi_light_environment_level). Whole numbers below 2^24
 * are exact as floats. */
typedef struct samples {
    float x[4], y[4], z[4], first[4], stride[4], half[4], middle[4];
    float weight[4]; /* 0 in lanes behind the last direction */
} samples;

typedef struct sample_list {
    samples fours[MOST_SAMPLES / 4];
    uint32_t count; /* number of directions, a multiple of 4 */
    float scale;    /* 1 / sum of weights */
} sample_list;

/* The environment in maps, each half as wide as the one before. The fourth float of a texel is its
 * share of the sphere, its weight in the next map. */
typedef struct means {
    mrwi_light_environment_level levels[MOST_MEANS];
    uint32_t count;
    float (*texels)[4];
} means;

/* ---- directions ------------------------------------------------------------------------------ */

/* Returns the bits of i in reverse order, as a fraction: 1/2, 1/4, 3/4, 1/8, ... (van der Corput).
 */
static double reversed(uint32_t i)
{
    double result = 0.0;
    for (double digit = 0.5; i != 0; i >>= 1, digit *= 0.5) {
        result += (i & 1u) != 0 ? digit : 0.0;
    }
    return result;
}

/* Chooses the map whose texels are about as large as the part of the sphere of one of count
 * samples, with density D / 4 per steradian (the view is along the normal). */
static int32_t map_for(double density, uint32_t count, const means *maps)
{
    const double share = 4.0 / (density * count);
    const double side = mrwi_light_environment_size(&maps->levels[0]);
    const double texel = 4.0 * MRWI_BASE_PI / (side * side);
    const double halvings = 0.5 * mrwi_base_log(share / texel) / mrwi_base_log(2.0);
    return mrwi_base_round_to_int(halvings + 0.25, 0, (int32_t)maps->count - 1);
}

static void put_sample(sample_list *list, float x, float y, float z, float weight,
                       const mrwi_light_environment_level *map)
{
    samples *s = &list->fours[list->count / 4];
    const uint32_t lane = list->count++ % 4;
    s->x[lane] = x;
    s->y[lane] = y;
    s->z[lane] = z;
    s->weight[lane] = weight;
    s->first[lane] = (float)map->first;
    s->stride[lane] = (float)map->stride;
    s->half[lane] = map->half;
    s->middle[lane] = map->middle;
}

/* Lists the directions that half vectors of the distribution (Walter et al. 2007, equation 35), at
 * Hammersley points, reflect. The weight is the masking term 4 V (r.l) for a view along the normal.
 * Directions below the horizon are dropped. */
static void list_samples(float roughness, uint32_t count, const means *maps, sample_list *out)
{
    const double alpha = (double)roughness * (double)roughness, square = alpha * alpha;
    double weights = 0.0;
    out->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double part = (i + 0.5) / count, turn = 2.0 * MRWI_BASE_PI * reversed(i);
        const double cosine2 = (1.0 - part) / (1.0 + (square - 1.0) * part);
        const double z = 2.0 * cosine2 - 1.0;
        if (z <= 0.0) {
            continue;
        }
        const double across = 2.0 * sqrt(cosine2 * (1.0 - cosine2));
        const double denominator = cosine2 * (square - 1.0) + 1.0;
        const double density = square / (MRWI_BASE_PI * denominator * denominator);
        const float weight = (float)(2.0 * z / (z + sqrt(z * z * (1.0 - square) + square)));
        put_sample(out, (float)(across * mrwi_base_cos(turn)),
                   (float)(across * mrwi_base_sin(turn)), (float)z, weight,
                   &maps->levels[map_for(density, count, maps)]);
        weights += (double)weight;
    }
    out->scale = (float)(1.0 / weights);
    while (out->count % 4 != 0) {
        put_sample(out, 0.0f, 0.0f, 1.0f, 0.0f, &maps->levels[0]);
    }
}

/* ---- means ----------------------------------------------------------------------------------- */

/* Returns the share of the sphere of a patch of the octahedron, up to a constant factor: distance
 * and slant together give 1 / |p|^3. */
static float share_at(float u, float v)
{
    const float y = 1.0f - fabsf(u) - fabsf(v);
    const float x = y < 0.0f ? 1.0f - fabsf(v) : u, z = y < 0.0f ? 1.0f - fabsf(u) : v;
    const float square = (x * x + y * y) + z * z;
    return 1.0f / (square * sqrtf(square));
}

static void copy_first(const mrwi_light_environment_map *map, const means *out)
{
    const mrwi_light_environment_level *level = &out->levels[0];
    const int32_t size = (int32_t)mrwi_light_environment_size(level);
    const float step = 2.0f / (float)size;
    for (int32_t y = 0; y < size; y++) {
        const size_t row = (size_t)level->first + (size_t)(y + 1) * (size_t)level->stride + 1;
        for (int32_t x = 0; x < size; x++) {
            const float *from = map->texels[row + (size_t)x];
            float *to = out->texels[row + (size_t)x];
            to[0] = from[0];
            to[1] = from[1];
            to[2] = from[2];
            to[3] = share_at(((float)x + 0.5f) * step - 1.0f, ((float)y + 0.5f) * step - 1.0f);
        }
    }
}

/* Computes a texel of the next map from four of this one. */
static void mean_of_four(const float *a, const float *b, const float *c, const float *d, float *out)
{
    const float weight = (a[3] + b[3]) + (c[3] + d[3]);
    for (int k = 0; k < 3; k++) {
        out[k] = ((a[k] * a[3] + b[k] * b[3]) + (c[k] * c[3] + d[k] * d[3])) / weight;
    }
    out[3] = weight;
}

static void halve(const means *m, uint32_t level)
{
    const mrwi_light_environment_level *from = &m->levels[level - 1], *to = &m->levels[level];
    const uint32_t size = mrwi_light_environment_size(to);
    for (uint32_t y = 0; y < size; y++) {
        const float(*row)[4] = (const float(*)[4])m->texels + from->first +
                               (size_t)(2 * y + 1) * (size_t)from->stride + 1;
        float(*out)[4] = m->texels + to->first + (size_t)(y + 1) * (size_t)to->stride + 1;
        for (uint32_t x = 0; x < size; x++) {
            const float(*next)[4] = row + from->stride;
            mean_of_four(row[2 * x], row[2 * x + 1], next[2 * x], next[2 * x + 1], out[x]);
        }
    }
}

static mrw_status make_means(const mrwi_light_environment_map *map, means *out, mrw_error *error)
{
    uint32_t sizes[MOST_MEANS];
    *out = (means){.count = 0};
    for (uint32_t size = mrwi_light_environment_size(&map->levels[0]); size > 0; size /= 2) {
        sizes[out->count++] = size;
    }
    const size_t texels = mrwi_light_environment_lay_out(sizes, out->count, out->levels);
    out->texels = mrwi_base_alloc(texels, sizeof *out->texels);
    if (!out->texels) {
        return mrwi_base_fail_memory(error, texels * sizeof *out->texels);
    }
    copy_first(map, out);
    for (uint32_t i = 0; i < out->count; i++) {
        if (i > 0) {
            halve(out, i);
        }
        mrwi_light_environment_close(&out->levels[i], out->texels);
    }
    return MRW_OK;
}

/* ---- levels ---------------------------------------------------------------------------------- */

typedef struct prefilter_job {
    const means *means;
    const sample_list *list;
    const mrwi_light_environment_level *level;
    float (*texels)[4];
} prefilter_job;

/* Positions in four maps: the first of four texels to blend, and the weights of the next ones. */
typedef struct spots {
    int32_t texel[4], stride[4];
    float across[4], down[4];
} spots;

/* Finds where four maps show directions of any length. */
static inline void find_spots(const samples *s, vf x, vf y, vf z, spots *out)
{
    const vf zero = vf_set(0.0f), half = vf_load(s->half), middle = vf_load(s->middle);
    const vi sign = vi_set(INT32_MIN), folded = vf_less(y, zero);
    const vf scale = 1.0f / ((vf_abs(x) + vf_abs(y)) + vf_abs(z));
    const vf px = x * scale, pz = z * scale;
    const vf u_out = vf_from_bits(vf_bits(1.0f - vf_abs(pz)) | (vf_bits(px) & sign));
    const vf v_out = vf_from_bits(vf_bits(1.0f - vf_abs(px)) | (vf_bits(pz) & sign));
    const vf column = vf_select(folded, u_out, px) * half + middle;
    const vf row = vf_select(folded, v_out, pz) * half + middle;
    const vf left = vi_to_float(vf_truncate(column)), upper = vi_to_float(vf_truncate(row));
    const vf stride = vf_load(s->stride);
    vi_store(out->texel, vf_truncate((vf_load(s->first) + upper * stride) + left));
    vi_store(out->stride, vf_truncate(stride));
    vf_store(out->across, column - left);
    vf_store(out->down, row - upper);
}

static inline mrwi_base_f4 show(const float (*texels)[4], const spots *p, int i)
{
    const float(*at)[4] = texels + p->texel[i];
    const float(*below)[4] = at + p->stride[i];
    const mrwi_base_f4 a = mrwi_base_f4_load(at[0]), b = mrwi_base_f4_load(at[1]);
    const mrwi_base_f4 c = mrwi_base_f4_load(below[0]), d = mrwi_base_f4_load(below[1]);
    const mrwi_base_f4 above = a + (b - a) * p->across[i], under = c + (d - c) * p->across[i];
    return above + (under - above) * p->down[i];
}

/* Computes two unit vectors at right angles to n and to each other (Duff et al., "Building an
 * Orthonormal Basis, Revisited", 2017). */
static void basis_around(const float n[3], float t[3], float b[3])
{
    const float sign = copysignf(1.0f, n[2]), a = -1.0f / (sign + n[2]), c = n[0] * n[1] * a;
    t[0] = 1.0f + sign * n[0] * n[0] * a;
    t[1] = sign * c;
    t[2] = -sign * n[0];
    b[0] = c;
    b[1] = sign + n[1] * n[1] * a;
    b[2] = -n[1];
}

static mrwi_base_f4 mean_around(const prefilter_job *job, const float n[3])
{
    const float(*texels)[4] = (const float(*)[4])job->means->texels;
    float t[3], b[3];
    mrwi_base_f4 sum = mrwi_base_f4_set(0.0f);
    basis_around(n, t, b);
    for (uint32_t i = 0; i < job->list->count; i += 4) {
        const samples *s = &job->list->fours[i / 4];
        const vf sx = vf_load(s->x), sy = vf_load(s->y), sz = vf_load(s->z);
        const vf x = (sx * t[0] + sy * b[0]) + sz * n[0];
        const vf y = (sx * t[1] + sy * b[1]) + sz * n[1];
        const vf z = (sx * t[2] + sy * b[2]) + sz * n[2];
        spots p;
        find_spots(s, x, y, z, &p);
        LANE_UNROLL
        for (int k = 0; k < 4; k++) {
            sum += show(texels, &p, k) * s->weight[k];
        }
    }
    return sum * job->list->scale;
}

static void prefilter_row(void *user, int64_t y, int worker)
{
    const prefilter_job *job = user;
    const int32_t size = (int32_t)mrwi_light_environment_size(job->level);
    const float step = 2.0f / (float)size;
    float(*out)[4] = job->texels + job->level->first + (y + 1) * job->level->stride + 1;
    (void)worker;
    if (!mrwi_base_work_goes_on()) {
        return;
    }
    for (int32_t x = 0; x < size; x++) {
        float n[3];
        mrwi_light_environment_direction(((float)x + 0.5f) * step - 1.0f,
                                         ((float)y + 0.5f) * step - 1.0f, n);
        mrwi_base_f4 mean = mean_around(job, n);
        mean[3] = 0.0f;
        mrwi_base_f4_store(out[x], mean);
    }
}

mrw_status mrwi_light_environment_prefilter(const mrwi_light_environment_map *map, int threads,
                                            mrw_error *error)
{
    means maps;
    sample_list *list = mrwi_base_alloc(1, sizeof *list); /* too large for a small stack */
    if (!list) {
        return mrwi_base_fail_memory(error, sizeof *list);
    }
    mrw_status status = make_means(map, &maps, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 1; i < MRWI_LIGHT_ENVIRONMENT_LEVELS; i++) {
        const uint32_t texels = mrwi_light_environment_size(&map->levels[i]);
        const uint32_t count = texels > 128  ? 64
                               : texels > 64 ? 128
                               : texels > 32 ? 512
                                             : MOST_SAMPLES;
        list_samples((float)i / (MRWI_LIGHT_ENVIRONMENT_LEVELS - 1), count, &maps, list);
        prefilter_job job = {&maps, list, &map->levels[i], map->texels};
        mrwi_base_parallel_for(threads, texels, prefilter_row, &job);
        mrwi_light_environment_close(&map->levels[i], map->texels);
    }
    mrwi_base_free(maps.texels);
out:
    mrwi_base_free(list);
    return status;
}
