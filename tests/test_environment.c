/* test_environment.c: environments against sums and integrals in double: matt light, reflections,
 * how much of them comes back, where maps are folded, and the studio. */
#include "test.h"

#include "base/memory.h"
#include "light/environment.h"
#include "shade/environment_spec.h"

#define PI 3.14159265358979323846

/* ---- pictures -------------------------------------------------------------------------------- */

/* The direction that an equirectangular picture shows at (u, v): u = 0.5 + atan2(z, x) / 2 pi, v =
 * 0.5 - asin(y) / pi. */
static void direction_at(double u, double v, double out[3])
{
    const double azimuth = 2 * PI * (u - 0.5), height = PI * (0.5 - v);
    out[0] = cos(height) * cos(azimuth);
    out[1] = sin(height);
    out[2] = cos(height) * sin(azimuth);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A picture, and of each pixel its direction; of each row how much of the sphere a pixel has. */
typedef struct picture {
    uint32_t width, height;
    float *radiance;
    double (*directions)[3];
    double *shares;
} picture;

typedef double look(const double direction[3], const void *user);

static picture picture_of(uint32_t width, uint32_t height, look *radiance, const void *user)
{
    picture p = {width, height, malloc((size_t)width * height * 3 * sizeof(float)),
                 malloc((size_t)width * height * sizeof *p.directions),
                 malloc(height * sizeof *p.shares)};
    ck_assert(p.radiance && p.directions && p.shares);
    for (uint32_t y = 0; y < height; y++) {
        p.shares[y] = 2 * PI / width * (cos(PI * y / height) - cos(PI * (y + 1.0) / height));
        for (uint32_t x = 0; x < width; x++) {
            const size_t i = (size_t)y * width + x;
            direction_at((x + 0.5) / width, (y + 0.5) / height, p.directions[i]);
            const double value = radiance(p.directions[i], user);
            for (int k = 0; k < 3; k++) { /* green half, blue twice as bright */
                p.radiance[3 * i + (size_t)k] = (float)(value * (k == 0 ? 1 : k == 1 ? 0.5 : 2));
            }
        }
    }
    return p;
}

static void picture_free(picture *p)
{
    free(p->radiance);
    free(p->directions);
    free(p->shares);
}

static mrw_environment *environment_of(const picture *p, int threads)
{
    mrw_environment *environment = NULL;
    mrw_error error;
    const mrw_status status = mrw_environment_create(p->radiance, p->width, p->height, false,
                                                     threads, &environment, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return environment;
}

/* Unit vectors all over the sphere (Fibonacci). */
static void direction_of(int i, int count, double out[3])
{
    const double y = 1 - (2 * i + 1.0) / count, across = sqrt(1 - y * y);
    const double turn = i * PI * (3 - sqrt(5));
    out[0] = across * cos(turn);
    out[1] = y;
    out[2] = across * sin(turn);
}

static void floats_of(const double v[3], float out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = (float)v[i];
    }
}

/* The red channel; green and blue have to follow it. */
static double red_of(const float color[3])
{
    ck_assert_double_eq_tol(color[1], 0.5 * (double)color[0], 1e-5 * (1 + (double)color[0]));
    ck_assert_double_eq_tol(color[2], 2 * (double)color[0], 1e-5 * (1 + (double)color[0]));
    return color[0];
}

static double diffuse_of(const mrw_environment *environment, const double n[3])
{
    float normal[3], color[3];
    floats_of(n, normal);
    mrwi_shade_environment_diffuse(environment, normal, color);
    return red_of(color);
}

static double specular_of(const mrw_environment *environment, const double r[3], double roughness)
{
    float reflected[3], color[3];
    floats_of(r, reflected);
    mrwi_shade_environment_specular(environment, reflected, (float)roughness, color);
    return red_of(color);
}

/* ---- constant -------------------------------------------------------------------------------- */

static double constant(const double direction[3], const void *user)
{
    (void)direction;
    return *(const double *)user;
}

/* Whatever the shape of the picture, down to a single pixel. */
START_TEST(a_constant_environment_stays_constant)
{
    static const uint32_t sizes[][2] = {{1, 1}, {7, 3}, {64, 32}, {600, 300}, {2049, 5}};
    const double value = 0.7;
    picture p = picture_of(sizes[_i][0], sizes[_i][1], constant, &value);
    mrw_environment *environment = environment_of(&p, 2);
    for (int i = 0; i < 200; i++) {
        double n[3];
        direction_of(i, 200, n);
        ck_assert_double_eq_tol(diffuse_of(environment, n), value, 1e-5);
        for (int r = 0; r <= 32; r++) {
            ck_assert_double_eq_tol(specular_of(environment, n, r / 32.0), value, 1e-5);
        }
    }
    mrw_environment_free(environment);
    picture_free(&p);
}
END_TEST

/* ---- matt light ------------------------------------------------------------------------------ */

static const double lobe_axis[3] = {0.36, 0.48, -0.8};

static double cosine_lobe(const double direction[3], const void *user)
{
    const double cosine = dot(direction, user);
    return cosine > 0 ? cosine : 0;
}

/* max(0, c) is 1/4 + c/2 + 5/16 P2(c) + ... in Legendre polynomials; irradiance keeps 1, 2/3 and
 * 1/4 of those bands (Ramamoorthi and Hanrahan 2001, equation 8, over pi). */
START_TEST(a_cosine_lobe_by_hand)
{
    picture p = picture_of(512, 256, cosine_lobe, lobe_axis);
    mrw_environment *environment = environment_of(&p, 1);
    for (int i = 0; i < 400; i++) {
        double n[3];
        direction_of(i, 400, n);
        const double c = dot(n, lobe_axis), band2 = 0.5 * (3 * c * c - 1);
        const double expected = 0.25 + (2.0 / 3) * 0.5 * c + 0.25 * (5.0 / 16) * band2;
        ck_assert_double_eq_tol(diffuse_of(environment, n), expected > 0 ? expected : 0, 2e-4);
    }
    mrw_environment_free(environment);
    picture_free(&p);
}
END_TEST

/* A sky that varies slowly, for which nine harmonics are enough to 1 % of what is brightest: the
 * irradiance is summed over all pixels. */
static double slow_sky(const double d[3], const void *user)
{
    (void)user;
    return 1 + 0.6 * d[1] + 0.3 * d[0] * d[2] + 0.2 * d[1] * d[1] * d[2];
}

START_TEST(a_slow_sky_by_sums)
{
    picture p = picture_of(256, 128, slow_sky, NULL);
    mrw_environment *environment = environment_of(&p, 1);
    for (int i = 0; i < 60; i++) {
        double n[3], sum = 0;
        direction_of(i, 60, n);
        for (size_t k = 0; k < (size_t)p.width * p.height; k++) {
            const double c = dot(n, p.directions[k]);
            sum += c > 0 ? c * p.shares[k / p.width] * (double)p.radiance[3 * k] / PI : 0;
        }
        ck_assert_double_eq_tol(diffuse_of(environment, n), sum, 0.005);
    }
    mrw_environment_free(environment);
    picture_free(&p);
}
END_TEST

/* A small disc around an axis over a dim sky. */
typedef struct sun {
    double axis[3], radius, strength;
} sun;

static double sunny(const double direction[3], const void *user)
{
    const sun *s = user;
    return 0.3 + (dot(direction, s->axis) > cos(s->radius) ? s->strength : 0);
}

/* Of a point, the bands are 1, 3 and 5 times its flux over 4 pi. */
START_TEST(a_sun_by_hand)
{
    const sun s = {{0.48, 0.64, 0.6}, 0.02, 5000};
    picture p = picture_of(1024, 512, sunny, &s);
    mrw_environment *environment = environment_of(&p, 1);
    double flux = 0;
    for (size_t k = 0; k < (size_t)p.width * p.height; k++) {
        flux += p.shares[k / p.width] * ((double)p.radiance[3 * k] - 0.3);
    }
    for (int i = 0; i < 400; i++) {
        double n[3];
        direction_of(i, 400, n);
        const double c = dot(n, s.axis), bands = 1 + 2 * c + 1.25 * 0.5 * (3 * c * c - 1);
        const double expected = 0.3 + flux / (4 * PI) * bands;
        ck_assert_double_eq_tol(diffuse_of(environment, n), expected > 0 ? expected : 0,
                                flux / (4 * PI) * 0.002);
    }
    mrw_environment_free(environment);
    picture_free(&p);
}
END_TEST

/* ---- reflections ----------------------------------------------------------------------------- */

/* The definition: the mean of all pixels by D(h) V (r.l), h halfway between r and l, so that
 * (r.h)^2 = (1 + r.l) / 2, and V of the view along r. Factors that all have are left out. */
static double mean_around(const picture *p, const double r[3], double roughness)
{
    const double square = pow(roughness, 4);
    double sum = 0, weights = 0;
    for (size_t k = 0; k < (size_t)p->width * p->height; k++) {
        const double c = dot(r, p->directions[k]);
        const double below = (1 + c) / 2 * (square - 1) + 1;
        const double visible = 1 / (c + sqrt(c * c * (1 - square) + square));
        const double weight = c > 0 ? c * visible / (below * below) * p->shares[k / p->width] : 0;
        sum += weight * (double)p->radiance[3 * k];
        weights += weight;
    }
    return sum / weights;
}

static double half_and_half(const double d[3], const void *user)
{
    (void)user;
    return d[1] > 0 ? 1 + 0.5 * d[0] : 0.2;
}

/* The largest difference among directions all over, as a share of the brightest. */
static double worst_share(const picture *p, const mrw_environment *environment, double roughness,
                          const double near[3], double spread)
{
    double worst = 0, brightest = 0;
    for (int i = 0; i < 24; i++) {
        double r[3], length = 0;
        direction_of(i, 24, r);
        for (int k = 0; k < 3 && near; k++) {
            r[k] = near[k] + r[k] * spread * i / 23;
        }
        length = sqrt(dot(r, r));
        for (int k = 0; k < 3; k++) {
            r[k] /= length;
        }
        const double expected = mean_around(p, r, roughness);
        const double off = fabs(specular_of(environment, r, roughness) - expected);
        worst = off > worst ? off : worst;
        brightest = expected > brightest ? expected : brightest;
    }
    return worst / brightest;
}

/* At the levels themselves; between them, light blends. The soft box is 7 degrees wide and 68 times
 * as bright as the rest: its edge is where the texels' size shows. */
START_TEST(reflections_by_sums)
{
    const sun box = {{0.48, 0.64, 0.6}, 0.12, 20};
    picture halves = picture_of(1024, 512, half_and_half, NULL);
    picture boxed = picture_of(1024, 512, sunny, &box);
    mrw_environment *of_halves = environment_of(&halves, 2), *of_box = environment_of(&boxed, 2);
    for (int level = 1; level <= 8; level++) {
        const double all_over = worst_share(&halves, of_halves, level / 8.0, NULL, 0);
        const double around = worst_share(&boxed, of_box, level / 8.0, box.axis, 0.3);
        ck_assert_msg(all_over < 0.012, "level %d: halves differ by %g", level, all_over);
        ck_assert_msg(around < 0.05, "level %d: the box differs by %g", level, around);
    }
    mrw_environment_free(of_halves);
    mrw_environment_free(of_box);
    picture_free(&halves);
    picture_free(&boxed);
}
END_TEST

/* Between levels k and k + 1 the blend is that of the neighbours: within 4 % of the sums. */
START_TEST(roughness_between_levels)
{
    picture p = picture_of(512, 256, half_and_half, NULL);
    mrw_environment *environment = environment_of(&p, 2);
    for (int level = 1; level < 8; level++) {
        const double off = worst_share(&p, environment, (level + 0.5) / 8, NULL, 0);
        ck_assert_msg(off < 0.04, "between %d and the next: %g", level, off);
    }
    mrw_environment_free(environment);
    picture_free(&p);
}
END_TEST

/* And evenly so: level k is what roughness k / 8 shows, and nothing else shares in what lies
 * between it and the next. */
START_TEST(levels_blend_evenly)
{
    picture p = picture_of(512, 256, half_and_half, NULL);
    mrw_environment *environment = environment_of(&p, 2);
    double most = 0;
    for (int level = 0; level < 8; level++) {
        for (int i = 0; i < 50; i++) {
            double r[3];
            direction_of(i, 50, r);
            const double smooth = specular_of(environment, r, level / 8.0);
            const double rough = specular_of(environment, r, (level + 1) / 8.0);
            for (int k = 1; k < 8; k++) {
                const double expected = smooth + (rough - smooth) * k / 8;
                const double got = specular_of(environment, r, (level + k / 8.0) / 8);
                ck_assert_double_eq_tol(got, expected, 2e-6);
            }
            most = fabs(rough - smooth) > most ? fabs(rough - smooth) : most;
        }
    }
    ck_assert_double_gt(most, 0.05);
    mrw_environment_free(environment);
    picture_free(&p);
}
END_TEST

/* A mirror shows the picture: where rule 13 of the look puts the axes, and their channels. */
START_TEST(a_mirror_shows_the_picture)
{
    static const double axes[6][5] = {
        /* x, y, z, u, v */
        {1, 0, 0, 0.5, 0.5},   {0, 0, 1, 0.75, 0.5},          {-1, 0, 0, 1, 0.5},
        {0, 0, -1, 0.25, 0.5}, {0.6, 0.8, 0, 0.5, 0.2048328}, {0, -1, 0, 0.5, 1}};
    const uint32_t width = 64, height = 32;
    float *radiance = malloc(width * height * 3 * sizeof(float));
    mrw_environment *environment = NULL;
    for (uint32_t i = 0; i < width * height; i++) {
        const double u = (i % width + 0.5) / width, v = (i / width + 0.5) / height;
        radiance[3 * i] = (float)(1 + cos(2 * PI * u) * sin(PI * v));
        radiance[3 * i + 1] = (float)(1 + sin(2 * PI * u) * sin(PI * v));
        radiance[3 * i + 2] = (float)v;
    }
    ck_assert_int_eq(mrw_environment_create(radiance, width, height, false, 1, &environment, NULL),
                     MRW_OK);
    for (int i = 0; i < 6; i++) {
        const double *a = axes[i], bend = sin(PI * a[4]);
        const float r[3] = {3 * (float)a[0], 3 * (float)a[1], 3 * (float)a[2]}; /* any length */
        float color[3];
        mrwi_shade_environment_specular(environment, r, 0, color);
        ck_assert_double_eq_tol(color[0], 1 + cos(2 * PI * a[3]) * bend, 0.02);
        ck_assert_double_eq_tol(color[1], 1 + sin(2 * PI * a[3]) * bend, 0.02);
        ck_assert_double_eq_tol(color[2], a[4], 0.02);
    }
    mrw_environment_free(environment);
    free(radiance);
}
END_TEST

/* Radiance times the sphere's share of the first level's texels within 0.03 radians of a direction:
 * of a patch du dv of the unfolded octahedron 1 / |p|^3 is seen. */
static double flux_around(const mrw_environment *environment, const double axis[3])
{
    const mrwi_light_environment_level *level = &environment->specular.levels[0];
    const int32_t size = level->stride - 2;
    double flux = 0;
    for (int32_t i = 0; i < size * size; i++) {
        const double u = (i % size + 0.5) * 2 / size - 1, v = (i / size + 0.5) * 2 / size - 1;
        const double y = 1 - fabs(u) - fabs(v);
        const double p[3] = {y < 0 ? copysign(1 - fabs(v), u) : u, y,
                             y < 0 ? copysign(1 - fabs(u), v) : v};
        const double length = sqrt(dot(p, p));
        if (dot(p, axis) > cos(0.03) * length) {
            const int32_t at = level->first + (i / size + 1) * level->stride + i % size + 1;
            flux += (double)environment->specular.texels[at][0] * 4 / ((double)size * size) /
                    (length * length * length);
        }
    }
    return flux;
}

/* Suns of a single pixel of the largest pictures: wherever they lie among the texels, the first
 * level has as much light of each as the picture. Near the poles pixels are narrower than any
 * places that are looked at; there it takes suns of a few. */
START_TEST(a_sun_of_a_pixel_keeps_its_energy)
{
    static const double dark = 0.0;
    enum { SUNS = 40 };
    picture p = picture_of(2048, 1024, constant, &dark);
    size_t pixels[SUNS];
    double off = 0;
    for (size_t i = 0; i < SUNS; i++) {
        pixels[i] = (250 + i * 13) * p.width + i * 1237 % p.width;
        for (size_t k = 0; k < 3; k++) {
            p.radiance[3 * pixels[i] + k] = k == 0 ? 500 : k == 1 ? 250 : 1000;
        }
    }
    mrw_environment *environment = environment_of(&p, 2);
    for (size_t i = 0; i < SUNS; i++) {
        const double expected = 500 * p.shares[pixels[i] / p.width];
        const double got = flux_around(environment, p.directions[pixels[i]]);
        ck_assert_double_eq_tol(got, expected, 0.06 * expected);
        off += fabs(got / expected - 1) / SUNS;
    }
    ck_assert_msg(off < 0.01, "off by %g", off);
    mrw_environment_free(environment);
    picture_free(&p);
}
END_TEST

/* ---- the map --------------------------------------------------------------------------------- */

static double noise(const double d[3], const void *user)
{
    (void)user;
    const double x = sin(d[0] * 91 + d[1] * 57 + d[2] * 133) * 4321.7;
    return x - floor(x);
}

/* Over every fold: the edges of the square, where the lower half meets itself, and the upper half's
 * edge. Steps of a millionth change no more than the texels' slope lets them. */
START_TEST(nothing_shows_where_the_map_is_folded)
{
    picture p = picture_of(512, 256, noise, NULL);
    mrw_environment *environment = environment_of(&p, 1);
    for (int i = 0; i < 2000; i++) {
        const double at = 2 * PI * i / 2000, low = -0.9 + 1.8 * (i % 97) / 96, e = 1e-6;
        const double across = sqrt(1 - low * low);
        const double pairs[3][2][3] = {
            {{across, low, e}, {across, low, -e}},
            {{e, low, across}, {-e, low, across}},
            {{cos(at), e, sin(at)}, {cos(at), -e, sin(at)}},
        };
        for (int k = 0; k < 3; k++) {
            for (int r = 0; r <= 16; r++) {
                ck_assert_double_eq_tol(specular_of(environment, pairs[k][0], r / 16.0),
                                        specular_of(environment, pairs[k][1], r / 16.0), 2e-3);
            }
        }
    }
    mrw_environment_free(environment);
    picture_free(&p);
}
END_TEST

/* A border texel lies across the fold: where its own direction would be, at the same distance from
 * the edge on the other side. */
START_TEST(borders_repeat_what_lies_across)
{
    picture p = picture_of(64, 32, noise, NULL);
    mrw_environment *environment = environment_of(&p, 1);
    const mrwi_light_environment_map *map = &environment->specular;
    for (int l = 0; l < MRWI_LIGHT_ENVIRONMENT_LEVELS; l++) {
        const mrwi_light_environment_level *level = &map->levels[l];
        const int32_t stride = level->stride, end = stride - 1;
        float(*t)[4] = map->texels + level->first;
        for (int32_t i = 1; i < end; i++) {
            ck_assert_mem_eq(t[i], t[stride + end - i], 12);
            ck_assert_mem_eq(t[end * stride + i], t[(end - 1) * stride + end - i], 12);
            ck_assert_mem_eq(t[i * stride], t[(end - i) * stride + 1], 12);
            ck_assert_mem_eq(t[i * stride + end], t[(end - i) * stride + end - 1], 12);
        }
        ck_assert_mem_eq(t[0], t[(end - 1) * stride + end - 1], 12);
        ck_assert_mem_eq(t[end], t[(end - 1) * stride + 1], 12);
        ck_assert_mem_eq(t[end * stride], t[stride + end - 1], 12);
        ck_assert_mem_eq(t[end * stride + end], t[stride + 1], 12);
    }
    mrw_environment_free(environment);
    picture_free(&p);
}
END_TEST

START_TEST(threads_change_no_bit)
{
    picture p = picture_of(1100, 301, noise, NULL);
    mrw_environment *one = environment_of(&p, 1), *four = environment_of(&p, 4);
    const mrwi_light_environment_level *last = &one->specular.levels[8];
    const size_t texels = (size_t)last->first + (size_t)last->stride * (size_t)last->stride;
    ck_assert_mem_eq(one->diffuse, four->diffuse, sizeof one->diffuse);
    ck_assert_mem_eq(one->specular.texels, four->specular.texels, texels * 16);
    mrw_environment_free(one);
    mrw_environment_free(four);
    picture_free(&p);
}
END_TEST

/* ---- how much comes back --------------------------------------------------------------------- */

/* Both integrals by the BRDF's definition, over half vectors of the distribution: what is left of
 * it is 4 V (n.l) (v.h) / (n.h). */
static void integrate_brdf(double roughness, double n_dot_v, double *scale, double *bias)
{
    const int across = 300, around = 128;
    const double alpha = roughness * roughness, square = alpha * alpha;
    double sums[2] = {0, 0};
    for (int i = 0; i < across * around; i++) {
        const double part = (i / around + 0.5) / across, turn = PI * (i % around + 0.5) / around;
        const double nh = sqrt((1 - part) / (1 + (square - 1) * part));
        const double vh = sqrt((1 - n_dot_v * n_dot_v) * (1 - nh * nh)) * cos(turn) + n_dot_v * nh;
        const double nl = 2 * vh * nh - n_dot_v;
        if (nl <= 0 || vh <= 0) {
            continue;
        }
        const double v = 0.5 / (nl * sqrt(square + (1 - square) * n_dot_v * n_dot_v) +
                                n_dot_v * sqrt(square + (1 - square) * nl * nl));
        const double weight = 4 * v * nl * vh / nh / (across * around), f = pow(1 - vh, 5);
        sums[0] += weight * (1 - f);
        sums[1] += weight * f;
    }
    *scale = sums[0];
    *bias = sums[1];
}

/* The approximation for mobile devices (Karis 2014), the formula that was not taken. */
static void karis_brdf(double roughness, double n_dot_v, double *scale, double *bias)
{
    const double x = 1 - roughness, y = 0.0425 - 0.0275 * roughness;
    const double z = 1.04 - 0.572 * roughness, w = 0.022 * roughness - 0.04;
    const double least = x * x < pow(2, -9.28 * n_dot_v) ? x * x : pow(2, -9.28 * n_dot_v);
    const double a = least * x + y;
    *scale = z - 1.04 * a;
    *bias = 1.04 * a + w;
}

static void larger(double *most, double value)
{
    *most = fabs(value) > *most ? fabs(value) : *most;
}

START_TEST(what_comes_back_by_integrals)
{
    double most[2] = {0, 0}, grazing[2] = {0, 0}, karis[2] = {0, 0};
    for (int r = 0; r <= 20; r++) {
        for (int i = 0; i <= 40; i++) {
            const double roughness = r == 0 ? 0.01 : r / 20.0;
            const double n_dot_v = i == 0 ? 0.004 : i / 40.0;
            double scale, bias, other[2];
            float fit[2];
            integrate_brdf(roughness, n_dot_v, &scale, &bias);
            mrwi_shade_environment_brdf((float)roughness, (float)n_dot_v, &fit[0], &fit[1]);
            larger(&(n_dot_v < 0.02 ? grazing : most)[0], (double)fit[0] - scale);
            larger(&(n_dot_v < 0.02 ? grazing : most)[1], (double)fit[1] - bias);
            if (n_dot_v >= 0.02) {
                karis_brdf(roughness, n_dot_v, &other[0], &other[1]);
                larger(&karis[0], other[0] - scale);
                larger(&karis[1], other[1] - bias);
            }
        }
    }
    ck_assert_msg(most[0] < 0.02 && most[1] < 0.02, "off by %g and %g", most[0], most[1]);
    ck_assert_msg(grazing[0] < 0.08 && grazing[1] < 0.08, "%g and %g", grazing[0], grazing[1]);
    ck_assert(karis[0] > 2 * most[0] && karis[1] > 2 * most[1]);
}
END_TEST

/* The furnace: white all around, a white metal. Once is never more than all; with what comes back
 * of several facets it is all, whatever the fit. A white dielectric gives the rest as matt light.
 */
START_TEST(a_furnace_loses_nothing_with_compensation)
{
    for (int r = 0; r <= 50; r++) {
        for (int i = 0; i <= 50; i++) {
            float scale, bias;
            mrwi_shade_environment_brdf((float)r / 50, (float)i / 50, &scale, &bias);
            const float once = scale + bias;
            ck_assert(scale >= 0 && bias >= 0 && once <= 1.0001f && once > 0.25f);
            const float again = mrwi_shade_environment_compensation(1, once, scale, bias);
            ck_assert_double_eq_tol((double)once + (double)again, 1, 1e-4);
            const float matt_once = 0.04f * scale + bias;
            const float matt_again =
                mrwi_shade_environment_compensation(0.04f, matt_once, scale, bias);
            ck_assert(matt_again >= 0 && matt_once + matt_again <= 1.0001f);
        }
    }
}
END_TEST

/* Light that comes back after one more facet, then another (Fdez-Aguera 2019): of what the first
 * facet does not reflect to the eye, each of those reflects the mean Fresnel term, by the cosine.
 */
START_TEST(compensation_is_a_series)
{
    for (int i = 0; i <= 20; i++) {
        const double f0 = i / 20.0;
        double mean = 0;
        for (int k = 0; k < 20000; k++) {
            const double c = (k + 0.5) / 20000;
            mean += 2 * c * (f0 + (1 - f0) * pow(1 - c, 5)) / 20000;
        }
        for (int k = 0; k <= 16; k++) {
            const double scale = 0.95 - 0.05 * k, bias = 0.02 + 0.01 * (k % 3);
            const double lost = 1 - scale - bias, once = f0 * scale + bias;
            double sum = 0, left = once;
            for (int facet = 0; facet < 400; facet++) {
                left *= mean * lost;
                sum += left;
            }
            ck_assert_double_eq_tol(mrwi_shade_environment_compensation((float)f0, (float)once,
                                                                        (float)scale, (float)bias),
                                    sum, 2e-6 * (1 + sum));
        }
    }
}
END_TEST

/* ---- bad pictures ---------------------------------------------------------------------------- */

static void refused(const float *radiance, uint32_t width, uint32_t height, const char *words)
{
    mrw_environment *environment = (mrw_environment *)(uintptr_t)8;
    mrw_error error;
    ck_assert_int_eq(
        mrw_environment_create(radiance, width, height, false, 1, &environment, &error),
        MRW_ERROR_INPUT);
    ck_assert_ptr_null(environment);
    ck_assert_msg(strstr(error.text, words), "%s", error.text);
}

START_TEST(bad_pictures_are_refused)
{
    float radiance[6 * 3] = {1};
    refused(radiance, 0, 3, "no pixels");
    refused(radiance, 3, 0, "no pixels");
    refused(radiance, 8193, 4097, "8193 x 4097");
    radiance[10] = NAN;
    refused(radiance, 3, 2, "pixel (0, 1) of the environment is not a finite number");
    radiance[10] = INFINITY;
    refused(radiance, 3, 2, "not a finite number");
    radiance[10] = -0.5f;
    refused(radiance, 3, 2, "negative");
}
END_TEST

/* The largest numbers come out finite. */
START_TEST(huge_radiance_stays_finite)
{
    float radiance[8 * 4 * 3];
    mrw_environment *environment = NULL;
    for (size_t i = 0; i < sizeof radiance / sizeof *radiance; i++) {
        radiance[i] = 3e38f;
    }
    ck_assert_int_eq(mrw_environment_create(radiance, 8, 4, false, 1, &environment, NULL), MRW_OK);
    for (int i = 0; i < 50; i++) {
        double n[3];
        float normal[3], color[3];
        direction_of(i, 50, n);
        floats_of(n, normal);
        mrwi_shade_environment_specular(environment, normal, (float)i / 50, color);
        ck_assert_double_eq_tol(color[0], 1073741824.0, 1e5);
        mrwi_shade_environment_diffuse(environment, normal, color);
        ck_assert_double_eq_tol(color[0], 1073741824.0, 1e5);
    }
    mrw_environment_free(environment);
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------- */

/* A flat file whose pixels differ, with a few exponents, and its pixels by the format's formula. */
static uint8_t *make_file(uint32_t width, uint32_t height, size_t *size, float *radiance)
{
    uint8_t *file = malloc(64 + (size_t)width * height * 4);
    ck_assert_ptr_nonnull(file);
    *size = (size_t)sprintf((char *)file, "#?RADIANCE\n\n-Y %u +X %u\n", height, width);
    for (uint32_t i = 0; i < width * height; i++) {
        const uint8_t pixel[4] = {(uint8_t)(3 + i * 7 % 251), (uint8_t)(2 + i * 11 % 253),
                                  (uint8_t)(5 + i / 3 % 249), (uint8_t)(120 + i / 5 % 60)};
        memcpy(file + *size + 4 * (size_t)i, pixel, 4);
        for (size_t k = 0; k < 3; k++) {
            radiance[3 * i + k] = (float)ldexp(pixel[k], pixel[3] - 136);
        }
    }
    *size += (size_t)width * height * 4;
    return file;
}

/* A file gives what its floats give, at any width and with any number of threads. */
START_TEST(files_are_as_their_floats)
{
    static const uint32_t sides[][2] = {{1, 1}, {7, 3}, {2048, 5}, {2049, 6}, {4101, 9}, {8192, 8}};
    float *radiance = malloc(8192 * 8 * 3 * sizeof *radiance);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const uint32_t width = sides[i][0], height = sides[i][1];
        size_t size = 0;
        uint8_t *file = make_file(width, height, &size, radiance);
        mrw_environment *a = NULL, *b = NULL;
        mrw_error error;
        ck_assert_int_eq(mrw_environment_create(radiance, width, height, true, 1, &a, NULL),
                         MRW_OK);
        ck_assert_msg(mrw_environment_create_hdr(file, size, "sky.hdr", true, 1 + (int)(i % 3), &b,
                                                 &error) == MRW_OK,
                      "%s", error.text);
        const mrw_environment_info one = mrw_environment_look(a), two = mrw_environment_look(b);
        ck_assert_mem_eq(one.diffuse, two.diffuse, sizeof one.diffuse);
        ck_assert_mem_eq(one.texels, two.texels, one.texel_count * 4 * sizeof *one.texels);
        ck_assert_uint_eq(one.picture_width, two.picture_width);
        ck_assert_mem_eq(one.picture, two.picture,
                         (size_t)one.picture_width * one.picture_height * 16);
        mrw_environment_free(a);
        mrw_environment_free(b);
        /* a byte less, and nothing */
        ck_assert_int_eq(mrw_environment_create_hdr(file, size - 1, "sky.hdr", true, 1, &b, &error),
                         MRW_ERROR_INPUT);
        ck_assert_msg(strstr(error.text, "sky.hdr: the picture is cut off"), "%s", error.text);
        ck_assert_ptr_null(b);
        free(file);
    }
    free(radiance);
}
END_TEST

/* A wide picture is reduced to means, whose rows are weighted by the sine of the polar angle. */
START_TEST(wide_pictures_are_means)
{
    enum { WIDTH = 4101, HEIGHT = 9, COLUMNS = 1367, ROWS = 3 };
    float *radiance = malloc(WIDTH * HEIGHT * 3 * sizeof *radiance);
    size_t size = 0;
    uint8_t *file = make_file(WIDTH, HEIGHT, &size, radiance);
    mrw_environment *environment = NULL;
    ck_assert_int_eq(mrw_environment_create_hdr(file, size, "sky.hdr", true, 2, &environment, NULL),
                     MRW_OK);
    const mrw_environment_info info = mrw_environment_look(environment);
    ck_assert_uint_eq(info.picture_width, COLUMNS);
    ck_assert_uint_eq(info.picture_height, ROWS);
    for (int i = 0; i < COLUMNS * ROWS * 3; i++) {
        const int k = i % 3, x = i / 3 % COLUMNS, y = i / 3 / COLUMNS;
        double sum = 0, weights = 0;
        for (int j = 0; j < 9; j++) {
            const int row = 3 * y + j / 3, column = 3 * x + j % 3;
            const double weight = sin(PI * (row + 0.5) / HEIGHT);
            sum += weight * fmin(radiance[(row * WIDTH + column) * 3 + k], 0x1p30);
            weights += weight;
        }
        const float got = info.picture[i / 3 * 4 + k];
        ck_assert_double_eq_tol((double)got, sum / weights, 1e-6 * (sum / weights));
    }
    mrw_environment_free(environment);
    free(file);
    free(radiance);
}
END_TEST

START_TEST(memory_that_ends_is_told)
{
    const double value = 1;
    picture p = picture_of(4, 2, constant, &value);
    bool pending = false;
    for (uint64_t n = 1; !pending; n++) {
        mrw_environment *environment = NULL;
        mrw_error error;
        mrwi_base_alloc_fail_at(n);
        const mrw_status status =
            mrw_environment_create(p.radiance, p.width, p.height, false, 1, &environment, &error);
        pending = mrwi_base_alloc_fail_pending();
        ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
        ck_assert(!environment == !pending);
        mrw_environment_free(environment);
    }
    mrwi_base_alloc_fail_at(0);
    picture_free(&p);
}
END_TEST

START_TEST(memory_that_ends_in_a_file_is_told)
{
    float radiance[3];
    size_t size = 0;
    uint8_t *file = make_file(1, 1, &size, radiance);
    bool pending = false;
    for (uint64_t n = 1; !pending; n++) {
        mrw_environment *environment = NULL;
        mrwi_base_alloc_fail_at(n);
        const mrw_status status =
            mrw_environment_create_hdr(file, size, "sky.hdr", false, 1, &environment, NULL);
        pending = mrwi_base_alloc_fail_pending();
        ck_assert_int_eq(status, pending ? MRW_OK : MRW_ERROR_MEMORY);
        ck_assert(!environment == !pending);
        mrw_environment_free(environment);
    }
    mrwi_base_alloc_fail_at(0);
    free(file);
}
END_TEST

/* ---- placing --------------------------------------------------------------------------------- */

static void check_turn(const mrw_lighting *lighting, const float world[3], float x, float y,
                       float z)
{
    float got[3];
    mrwi_shade_environment_turn(lighting, world, got);
    ck_assert_float_eq_tol(got[0], x, 1e-6f);
    ck_assert_float_eq_tol(got[1], y, 1e-6f);
    ck_assert_float_eq_tol(got[2], z, 1e-6f);
}

/* Seen from +X, the viewer's right is -Z. */
START_TEST(environments_turn)
{
    static const float x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    mrw_camera camera = {.world_to_view.m = {0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 1}};
    mrw_lighting lighting = {.up = {0, 1, 0}};
    mrw_environment_place(NULL, 0, 1.5f, NULL, &lighting);
    ck_assert(!lighting.environment && lighting.environment_intensity == 1.5f);
    ck_assert(lighting.up[1] == 1); /* the rest stays */
    check_turn(&lighting, x, 1, 0, 0);
    check_turn(&lighting, z, 0, 0, 1);
    /* What was at +Z is a quarter further, seen from above: at +X. */
    mrw_environment_place(NULL, 90, 1, NULL, &lighting);
    check_turn(&lighting, x, 0, 0, 1);
    check_turn(&lighting, z, -1, 0, 0);
    check_turn(&lighting, y, 0, 1, 0);
    /* The viewer stands at +Z of the environment; turning adds to it. */
    mrw_environment_place(NULL, 0, 1, &camera, &lighting);
    check_turn(&lighting, x, 0, 0, 1);
    check_turn(&lighting, z, -1, 0, 0);
    mrw_environment_place(NULL, -90, 1, &camera, &lighting);
    check_turn(&lighting, x, 1, 0, 0);
    /* Straight from above, right is still right. */
    const float above[16] = {1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1};
    memcpy(camera.world_to_view.m, above, sizeof above);
    mrw_environment_place(NULL, 0, 1, &camera, &lighting);
    check_turn(&lighting, x, 1, 0, 0);
    check_turn(&lighting, y, 0, 1, 0);
    /* On its side, with right upwards: what lies behind the camera counts. */
    const float side[16] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    memcpy(camera.world_to_view.m, side, sizeof side);
    mrw_environment_place(NULL, 0, 1, &camera, &lighting);
    check_turn(&lighting, z, 0, 0, 1);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("environment");
    TCase *tc = tcase_create("environment");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, a_constant_environment_stays_constant, 0, 5);
    tcase_add_test(tc, a_cosine_lobe_by_hand);
    tcase_add_test(tc, a_slow_sky_by_sums);
    tcase_add_test(tc, a_sun_by_hand);
    tcase_add_test(tc, reflections_by_sums);
    tcase_add_test(tc, roughness_between_levels);
    tcase_add_test(tc, levels_blend_evenly);
    tcase_add_test(tc, a_mirror_shows_the_picture);
    tcase_add_test(tc, a_sun_of_a_pixel_keeps_its_energy);
    tcase_add_test(tc, nothing_shows_where_the_map_is_folded);
    tcase_add_test(tc, borders_repeat_what_lies_across);
    tcase_add_test(tc, threads_change_no_bit);
    tcase_add_test(tc, what_comes_back_by_integrals);
    tcase_add_test(tc, a_furnace_loses_nothing_with_compensation);
    tcase_add_test(tc, compensation_is_a_series);
    tcase_add_test(tc, bad_pictures_are_refused);
    tcase_add_test(tc, huge_radiance_stays_finite);
    tcase_add_test(tc, files_are_as_their_floats);
    tcase_add_test(tc, wide_pictures_are_means);
    tcase_add_test(tc, memory_that_ends_is_told);
    tcase_add_test(tc, memory_that_ends_in_a_file_is_told);
    tcase_add_test(tc, environments_turn);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
