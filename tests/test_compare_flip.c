/* test_compare_flip.c: FLIP against a slow evaluator in double, written from the paper: whole
 * two-dimensional filters, pow, exp and cbrt of libm, no tiles, no shortcuts. */
#include "compare_fixture.h"

#include "compare/flip.h"

/* ---- the slow evaluator ---------------------------------------------------------------------- */

static const double to_xyz[3][3] = {
    {10135552.0 / 24577794, 8788810.0 / 24577794, 4435075.0 / 24577794},
    {2613072.0 / 12288897, 8788810.0 / 12288897, 887015.0 / 12288897},
    {1425312.0 / 73733382, 8788810.0 / 73733382, 70074185.0 / 73733382},
};
static const double white[3] = {0.950428545377181, 1.0, 1.088900370798128};

static double linear_of(double byte)
{
    double c = byte / 255;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void linear_to_xyz(const double rgb[3], double xyz[3])
{
    for (int i = 0; i < 3; i++) {
        xyz[i] = to_xyz[i][0] * rgb[0] + to_xyz[i][1] * rgb[1] + to_xyz[i][2] * rgb[2];
    }
}

/* Cramer's rule. */
static void xyz_to_linear(const double xyz[3], double rgb[3])
{
    double m[3][3], whole = 0;
    for (int k = -1; k < 3; k++) {
        memcpy(m, to_xyz, sizeof m);
        for (int i = 0; k >= 0 && i < 3; i++) {
            m[i][k] = xyz[i];
        }
        double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                     m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                     m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        if (k < 0) {
            whole = det;
        } else {
            rgb[k] = det / whole;
        }
    }
}

static void to_ycxcz(const double rgb[3], double out[3])
{
    double xyz[3];
    linear_to_xyz(rgb, xyz);
    double x = xyz[0] / white[0], y = xyz[1] / white[1], z = xyz[2] / white[2];
    out[0] = 116 * y - 16;
    out[1] = 500 * (x - y);
    out[2] = 200 * (y - z);
}

static double lab_curve(double t)
{
    const double d = 6.0 / 29;
    return t > d * d * d ? cbrt(t) : t / (3 * d * d) + 4.0 / 29;
}

static void hunt_lab(const double rgb[3], double lab[3])
{
    double xyz[3];
    linear_to_xyz(rgb, xyz);
    double x = lab_curve(xyz[0] / white[0]), y = lab_curve(xyz[1] / white[1]),
           z = lab_curve(xyz[2] / white[2]);
    lab[0] = 116 * y - 16;
    lab[1] = 0.01 * lab[0] * 500 * (x - y);
    lab[2] = 0.01 * lab[0] * 200 * (y - z);
}

static double hyab(const double a[3], const double b[3])
{
    return fabs(a[0] - b[0]) + sqrt(pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

#define WIDE 64 /* most of a filter's radius here */

typedef struct filter {
    int radius;
    double tap[2 * WIDE + 1][2 * WIDE + 1]; /* [y][x] */
} filter;

static double sensitivity(int channel, double x, double y)
{
    static const double a[3][2] = {{1, 0}, {1, 0}, {34.1, 13.5}};
    static const double b[3][2] = {{0.0047, 1e-5}, {0.0053, 1e-5}, {0.04, 0.025}};
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        double spread = b[channel][i];
        sum += a[channel][i] * sqrt(M_PI / spread) * exp(-M_PI * M_PI * (x * x + y * y) / spread);
    }
    return sum;
}

static void make_color_filter(int channel, double ppd, filter *out)
{
    double sum = 0;
    out->radius = (int)ceil(3 * sqrt(0.04 / (2 * M_PI * M_PI)) * ppd);
    for (int pass = 0; pass < 2; pass++) {
        for (int y = -out->radius; y <= out->radius; y++) {
            for (int x = -out->radius; x <= out->radius; x++) {
                double tap = sensitivity(channel, x / ppd, y / ppd);
                out->tap[y + WIDE][x + WIDE] = pass == 0 ? 0 : tap / sum;
                sum += pass == 0 ? tap : 0;
            }
        }
    }
}

/* kind 0: edges, 1: points; across or, turned, down */
static void make_feature_filter(int kind, bool turned, double ppd, filter *out)
{
    double deviation = 0.5 * 0.082 * ppd, square = deviation * deviation, sums[2] = {0, 0};
    out->radius = (int)ceil(3 * deviation);
    for (int pass = 0; pass < 2; pass++) {
        for (int y = -out->radius; y <= out->radius; y++) {
            for (int x = -out->radius; x <= out->radius; x++) {
                double u = turned ? y : x, g = exp(-(x * x + y * y) / (2 * square));
                double tap = kind == 0 ? -u * g : (u * u / square - 1) * g;
                if (pass == 0) {
                    sums[tap > 0] += fabs(tap);
                } else {
                    out->tap[y + WIDE][x + WIDE] = tap == 0 ? 0 : tap / sums[tap > 0];
                }
            }
        }
    }
}

/* What a filter makes of one channel; the border's pixels go on outside. */
static double filtered(const filter *f, const double *values, int channel, int width, int height,
                       int x, int y)
{
    double sum = 0;
    for (int v = -f->radius; v <= f->radius; v++) {
        for (int u = -f->radius; u <= f->radius; u++) {
            int p = x + u < 0 ? 0 : x + u >= width ? width - 1 : x + u;
            int q = y + v < 0 ? 0 : y + v >= height ? height - 1 : y + v;
            sum += f->tap[v + WIDE][u + WIDE] * values[3 * (q * width + p) + channel];
        }
    }
    return sum;
}

typedef struct seen {
    double lab[3], edge, point;
} seen;

static filter color_filters[3], feature_filters[2][2];

static void make_filters(double ppd)
{
    for (int c = 0; c < 3; c++) {
        make_color_filter(c, ppd, &color_filters[c]);
    }
    for (int i = 0; i < 4; i++) {
        make_feature_filter(i / 2, i % 2 == 1, ppd, &feature_filters[i / 2][i % 2]);
    }
}

static seen see(const double *values, int width, int height, int x, int y)
{
    seen out;
    double c[3], rgb[3], strength[2];
    for (int i = 0; i < 3; i++) {
        c[i] = filtered(&color_filters[i], values, i, width, height, x, y);
    }
    double fy = (c[0] + 16) / 116, xyz[3] = {fy + c[1] / 500, fy, fy - c[2] / 200};
    for (int i = 0; i < 3; i++) {
        xyz[i] *= white[i];
    }
    xyz_to_linear(xyz, rgb);
    for (int i = 0; i < 3; i++) {
        rgb[i] = rgb[i] < 0 ? 0 : rgb[i] > 1 ? 1 : rgb[i];
    }
    hunt_lab(rgb, out.lab);
    for (int kind = 0; kind < 2; kind++) {
        double dx = filtered(&feature_filters[kind][0], values, 0, width, height, x, y) / 116;
        double dy = filtered(&feature_filters[kind][1], values, 0, width, height, x, y) / 116;
        strength[kind] = hypot(dx, dy);
    }
    out.edge = strength[0];
    out.point = strength[1];
    return out;
}

static double slow_error(const seen *a, const seen *b)
{
    double green[3], blue[3];
    hunt_lab((double[3]){0, 1, 0}, green);
    hunt_lab((double[3]){0, 0, 1}, blue);
    double most = pow(hyab(green, blue), 0.7), e = pow(hyab(a->lab, b->lab), 0.7);
    double knee = 0.4 * most;
    double color = e < knee ? 0.95 / knee * e : 0.95 + (e - knee) / (most - knee) * (1 - 0.95);
    double feature = fmax(fabs(a->edge - b->edge), fabs(a->point - b->point));
    return pow(color, 1 - sqrt(feature / sqrt(2)));
}

/* Y Cx Cz of every pixel, transparent ones over mid grey in linear light. */
static double *slow_values(const mrw_image *image)
{
    size_t count = (size_t)image->width * image->height;
    double *values = malloc(3 * count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = image->pixels + i * image->channels;
        double alpha = image->channels == 4 ? p[3] / 255.0 : 1, rgb[3];
        for (int c = 0; c < 3; c++) {
            rgb[c] = alpha * linear_of(p[c]) + (1 - alpha) * linear_of(128);
        }
        to_ycxcz(rgb, values + 3 * i);
    }
    return values;
}

static double *slow_map(const mrw_image *a, const mrw_image *b, double ppd)
{
    int width = (int)a->width, height = (int)a->height;
    double *p = slow_values(a), *q = slow_values(b);
    double *map = malloc((size_t)(width * height) * sizeof *map);
    make_filters(ppd);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            seen s = see(p, width, height, x, y), t = see(q, width, height, x, y);
            map[y * width + x] = slow_error(&s, &t);
        }
    }
    free(p);
    free(q);
    return map;
}

/* ---- against it ------------------------------------------------------------------------------ */

/* `whole`: as if every pixel differed, so that nothing is left out. */
static float *make_map(const mrw_image *a, const mrw_image *b, double ppd, mrw_isa isa, bool whole,
                       mrwi_compare_flip_job *job)
{
    mrw_compare_def def = mrw_compare_def_default();
    mrwi_compare_pair pair = mrwi_compare_make_pair(a, b, &def);
    uint64_t *differing = malloc(a->height * mrwi_compare_row_words(&pair) * sizeof *differing);
    mrwi_compare_differences found;
    float *map = calloc((size_t)a->width * a->height, sizeof *map);
    ck_assert_int_eq(mrwi_compare_find_differences(&pair, 1, false, differing, &found, NULL),
                     MRW_OK);
    if (whole) {
        memset(differing, 0xFF, a->height * mrwi_compare_row_words(&pair) * sizeof *differing);
    }
    *job = (mrwi_compare_flip_job){.pair = &pair,
                                   .differing = differing,
                                   .pixels_per_degree = ppd,
                                   .isa = isa,
                                   .threads = 1,
                                   .map = map};
    ck_assert_int_eq(mrwi_compare_flip(job, NULL), MRW_OK);
    free(differing);
    return map;
}

static float *fast_map(const mrw_image *a, const mrw_image *b, double ppd, mrw_isa isa,
                       mrwi_compare_flip_job *job)
{
    return make_map(a, b, ppd, isa, false, job);
}

/* Errors agree to 1e-4, which floats leave where colours are all but the same; means to 1e-5. */
static void check_against_slow(const mrw_image *a, const mrw_image *b, double ppd)
{
    mrwi_compare_flip_job job;
    double *slow = slow_map(a, b, ppd), sum = 0, largest = 0, worst = 0;
    float *fast = fast_map(a, b, ppd, MRW_ISA_AUTO, &job);
    size_t count = (size_t)a->width * a->height;
    for (size_t i = 0; i < count; i++) {
        worst = fmax(worst, fabs(slow[i] - (double)fast[i]));
        sum += slow[i];
        largest = fmax(largest, slow[i]);
    }
    ck_assert_double_le(worst, 1e-4);
    ck_assert_double_eq_tol((job.sums[0] + job.sums[1]) / (double)count, sum / (double)count, 1e-5);
    ck_assert_double_eq_tol((double)job.largest, largest, 1e-4);
    free(slow);
    free(fast);
}

START_TEST(agrees_with_the_slow_evaluator_on_noise)
{
    mrw_image a = noise(37, 29, 3), b = noise(37, 29, 3);
    check_against_slow(&a, &b, 67.02);
    check_against_slow(&a, &b, 20.0);
    check_against_slow(&a, &b, 1.0);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(agrees_with_the_slow_evaluator_on_shapes)
{
    mrw_image a = disc(140, 48, 60, 22, 15), b = disc(140, 48, 61.5, 22.5, 15);
    check_against_slow(&a, &b, 67.02);
    check_against_slow(&a, &b, 33.0);
    check_against_slow(&a, &b, 150.0);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* Slight noise: colours that are all but the same. */
START_TEST(agrees_with_the_slow_evaluator_on_small_differences)
{
    mrw_image a = disc(64, 48, 30, 22, 15), b = disc(64, 48, 30, 22, 15);
    for (uint32_t i = 0; i < 64 * 48 * 3; i++) {
        b.pixels[i] = (uint8_t)(b.pixels[i] + random_below(2));
    }
    check_against_slow(&a, &b, 67.02);
    b.pixels[3 * (64 * 20 + 33)] ^= 128;
    check_against_slow(&a, &b, 67.02);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(agrees_with_the_slow_evaluator_on_transparency)
{
    mrw_image a = noise(30, 20, 4), b = noise(30, 20, 3);
    check_against_slow(&a, &b, 67.02);
    check_against_slow(&b, &a, 40.0);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* Differences on both sides of where tiles meet, far from each other and at the borders; what no
 * difference reaches is not computed. */
START_TEST(agrees_with_the_slow_evaluator_over_tiles)
{
    static const uint32_t sides[2][2] = {{300, 13}, {13, 300}};
    static const uint32_t places[] = {0, 127, 140, 263, 299};
    for (int i = 0; i < 2; i++) {
        mrw_image a = disc(sides[i][0], sides[i][1], 6, 6, 4), b = copy_of(&a);
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            uint32_t far = places[k], near = (uint32_t)k * 3;
            set(&b, i == 0 ? far : near, i == 0 ? near : far, 0xFF8000FF);
        }
        check_against_slow(&a, &b, 30.0);
        mrw_image_free(&a);
        mrw_image_free(&b);
    }
}
END_TEST

START_TEST(agrees_with_the_slow_evaluator_on_slivers)
{
    static const uint32_t sides[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 3}, {33, 2}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        mrw_image a = noise(sides[i][0], sides[i][1], 3), b = noise(sides[i][0], sides[i][1], 3);
        check_against_slow(&a, &b, 67.02);
        mrw_image_free(&a);
        mrw_image_free(&b);
    }
}
END_TEST

/* ---- known errors ---------------------------------------------------------------------------- */

static double mean_flip(const mrw_image *a, const mrw_image *b, double ppd)
{
    mrw_compare_def def = mrw_compare_def_default();
    def.pixels_per_degree = ppd;
    return compare(a, b, &def, true).flip;
}

/* Two plain pictures have no features, and filters leave them alone: what stays is the colour's
 * error. Black and white are 100 apart, green and blue 203.3017, which is the most (HyAB after
 * Hunt); with e = d^0.7, most = 203.3017^0.7 = 41.27610 and knee = 0.4 most = 16.51044 the error is
 * 0.95 e / knee below the knee, 0.95 + 0.05 (e - knee) / (most - knee) above:
 * 100^0.7 = 25.11886 gives 0.967380. The others come from a Python script that computes only this.
 */
START_TEST(errors_of_plain_colours)
{
    static const struct {
        uint32_t a, b;
        double error;
    } pairs[] = {{0x000000FF, 0xFFFFFFFF, 0.9673797614921327},
                 {0x00FF00FF, 0x0000FFFF, 1.0},
                 {0xFF0000FF, 0x00FF00FF, 0.9866622751952874},
                 {0x808080FF, 0x818181FF, 0.02985520669861834},
                 {0x4020C8FF, 0x3C28BEFF, 0.12580922199966407}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        mrw_image a = plain(40, 30, 3, pairs[i].a), b = plain(40, 30, 3, pairs[i].b);
        ck_assert_double_eq_tol(mean_flip(&a, &b, 67.02), pairs[i].error, 2e-5);
        ck_assert_double_eq_tol(mean_flip(&a, &b, 10.0), pairs[i].error, 2e-5);
        mrw_image_free(&a);
        mrw_image_free(&b);
    }
}
END_TEST

START_TEST(identical_is_zero_and_order_does_not_matter)
{
    mrw_image a = noise(50, 40, 3), b = noise(50, 40, 3), c = copy_of(&a);
    ck_assert_double_eq(mean_flip(&a, &c, 67.02), 0.0);
    ck_assert_double_eq(mean_flip(&a, &b, 67.02), mean_flip(&b, &a, 67.02));
    mrw_image_free(&a);
    mrw_image_free(&b);
    mrw_image_free(&c);
}
END_TEST

START_TEST(more_difference_is_more_error)
{
    mrw_image a = disc(90, 60, 40, 30, 20);
    double last = 0.0;
    for (uint32_t amount = 1; amount <= 96; amount *= 2) {
        mrw_image b = copy_of(&a);
        for (uint32_t i = 0; i < 10; i++) {
            at(&b, 20 + 5 * i, 30)[1] = (uint8_t)(at(&a, 20 + 5 * i, 30)[1] + amount);
        }
        double error = mean_flip(&a, &b, 67.02);
        ck_assert_double_gt(error, last);
        last = error;
        mrw_image_free(&b);
    }
    mrw_image_free(&a);
}
END_TEST

/* Seen from afar, fine noise becomes grey. */
START_TEST(distance_hides_fine_noise)
{
    mrw_image a = plain(60, 60, 3, 0x808080FF), b = noise(60, 60, 3);
    double near = mean_flip(&a, &b, 10.0), middle = mean_flip(&a, &b, 67.02),
           far = mean_flip(&a, &b, 200.0);
    ck_assert_double_gt(near, 1.1 * middle);
    ck_assert_double_gt(middle, 1.1 * far);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(the_map_sums_to_the_mean)
{
    mrw_image a = disc(200, 140, 90, 70, 40), b = disc(200, 140, 92, 70, 40);
    mrwi_compare_flip_job job;
    float *map = fast_map(&a, &b, 67.02, MRW_ISA_AUTO, &job);
    double sum = 0.0;
    float largest = 0.0f;
    for (size_t i = 0; i < 200 * 140; i++) {
        sum += (double)map[i];
        largest = map[i] > largest ? map[i] : largest;
    }
    ck_assert_double_eq_tol(job.sums[MRWI_COMPARE_IN_REST] + job.sums[MRWI_COMPARE_IN_SUBJECT], sum,
                            1e-9);
    ck_assert_float_eq(job.largest, largest);
    ck_assert_float_eq(map[0], 0.0f);
    free(map);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(distances_out_of_range_are_refused)
{
    static const double wrong[] = {0.0, 0.5, -67.0, 501.0, (double)INFINITY, (double)NAN};
    mrw_image a = plain(4, 4, 3, 0x000000FF), b = plain(4, 4, 3, 0xFFFFFFFF);
    mrw_compare_def def = mrw_compare_def_default();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mrw_compare_result result;
        mrw_error error;
        def.pixels_per_degree = wrong[i];
        ck_assert_int_eq(mrw_compare(&a, &b, &def, true, &result, &error), MRW_ERROR_USAGE);
        ck_assert_ptr_nonnull(strstr(error.text, "pixels per degree"));
        ck_assert(!result.same_size && !result.passed);
        ck_assert_int_eq(mrw_compare(&a, &b, &def, false, &result, &error), MRW_OK);
    }
    def.pixels_per_degree = 500.0;
    ck_assert_double_eq_tol(compare(&a, &b, &def, true).flip, 0.9673797614921327, 2e-5);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* ---- the same everywhere --------------------------------------------------------------------- */

START_TEST(every_kernel_and_thread_count_gives_the_same_bits)
{
    mrw_image a = disc(431, 270, 200, 130, 90), b = disc(431, 270, 201.3, 130.4, 90);
    for (uint32_t i = 0; i < 3000; i++) {
        b.pixels[random_below(431 * 270 * 3)] ^= (uint8_t)random_below(256);
    }
    mrw_compare_def def = mrw_compare_def_default();
    def.mode = MRW_COMPARE_PIXEL;
    def.ignore_antialiasing = true;
    def.isa = MRW_ISA_SCALAR;
    mrw_compare_result expected = compare(&a, &b, &def, true);
    for (int isa = MRW_ISA_AUTO; isa < MRW_ISA_COUNT; isa++) {
        for (def.threads = 1; def.threads <= 8 && mrw_isa_available((mrw_isa)isa); def.threads++) {
            def.isa = (mrw_isa)isa;
            mrw_compare_result got = compare(&a, &b, &def, true);
            ck_same_result(&expected, &got);
        }
    }
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

/* One in `rarity` pixels another, by up to `most`. */
static mrw_image altered(const mrw_image *image, uint32_t rarity, uint32_t most)
{
    mrw_image changed = copy_of(image);
    for (uint32_t i = 0; i < image->width * image->height; i++) {
        if (random_below(rarity) == 0) {
            changed.pixels[i * image->channels + random_below(image->channels)] ^=
                (uint8_t)(1 + random_below(most));
        }
    }
    return changed;
}

/* Only what differences reach is computed: the bits are those of the whole, in every kernel. */
START_TEST(what_differences_reach_is_all_there_is)
{
    for (uint32_t round = 0; round < TEST_ROUNDS(90); round++) {
        const bool small = round % 3 != 0;
        const uint32_t width = 1 + random_below(small ? 37 : 400),
                       height = 1 + random_below(small ? 29 : 300);
        mrw_image a = noise(width, height, 3 + round % 2);
        mrw_image b = altered(&a, random_below(3) == 0 ? 1 : 1 + random_below(2 * width * height),
                              random_below(2) == 0 ? 2 : 255);
        const double ppd = round % 4 == 0 ? 1.0 + random_below(200) : 67.02;
        mrwi_compare_flip_job whole, job;
        float *expected = make_map(&a, &b, ppd, MRW_ISA_SCALAR, true, &whole);
        for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
            if (mrw_isa_available((mrw_isa)isa)) {
                float *map = fast_map(&a, &b, ppd, (mrw_isa)isa, &job);
                ck_assert_mem_eq(map, expected, (size_t)width * height * sizeof *map);
                ck_assert_mem_eq(job.sums, whole.sums, sizeof job.sums);
                ck_assert(job.largest == whole.largest);
                free(map);
            }
        }
        free(expected);
        mrw_image_free(&a);
        mrw_image_free(&b);
    }
}
END_TEST

/* The same bits from every compiler, at every optimisation level and on every machine: pinned here,
 * and right by the tests above. */
START_TEST(every_build_gives_the_same_bits)
{
    mrw_image a = make_image(61, 53, 3), b = make_image(61, 53, 3);
    uint32_t state = 12345; /* of a generator of its own, which is a part of what is pinned */
    for (uint32_t i = 0; i < 2 * 61 * 53 * 3; i++) {
        state = state * 1664525u + 1013904223u;
        (i < 61 * 53 * 3 ? a.pixels : b.pixels)[i % (61 * 53 * 3)] = (uint8_t)(state >> 8);
    }
    for (uint32_t i = 0; i < 61 * 53 * 3; i += 2) {
        b.pixels[i] = a.pixels[i];
    }
    mrw_compare_def def = mrw_compare_def_default();
    mrw_compare_result r = compare(&a, &b, &def, true);
    ck_assert_double_eq(r.flip, 0x1.6ef7df6b73afep-2);
    ck_assert_double_eq(r.flip_largest, 0x1.b913bcp-1);
    ck_assert_double_eq(r.psnr, 0x1.5968269dd6a23p+3);
    mrw_image_free(&a);
    mrw_image_free(&b);
}
END_TEST

START_TEST(a_kernel_that_is_not_there_is_refused)
{
    mrw_image a = plain(4, 4, 3, 0x000000FF);
    mrw_compare_def def = mrw_compare_def_default();
    mrw_compare_result result;
    mrw_image picture;
    def.isa = mrw_isa_available(MRW_ISA_NEON) ? MRW_ISA_AVX2 : MRW_ISA_NEON;
    ck_assert_int_eq(mrw_compare(&a, &a, &def, true, &result, NULL), MRW_ERROR_CPU);
    ck_assert_int_eq(mrw_compare_picture(&a, &a, &def, &picture, NULL), MRW_ERROR_CPU);
    mrw_image_free(&a);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("compare_flip");
    TCase *tc = tcase_create("flip");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, agrees_with_the_slow_evaluator_on_noise);
    tcase_add_test(tc, agrees_with_the_slow_evaluator_on_shapes);
    tcase_add_test(tc, agrees_with_the_slow_evaluator_on_small_differences);
    tcase_add_test(tc, agrees_with_the_slow_evaluator_on_transparency);
    tcase_add_test(tc, agrees_with_the_slow_evaluator_over_tiles);
    tcase_add_test(tc, agrees_with_the_slow_evaluator_on_slivers);
    tcase_add_test(tc, errors_of_plain_colours);
    tcase_add_test(tc, identical_is_zero_and_order_does_not_matter);
    tcase_add_test(tc, more_difference_is_more_error);
    tcase_add_test(tc, distance_hides_fine_noise);
    tcase_add_test(tc, the_map_sums_to_the_mean);
    tcase_add_test(tc, distances_out_of_range_are_refused);
    tcase_add_test(tc, every_kernel_and_thread_count_gives_the_same_bits);
    tcase_add_test(tc, what_differences_reach_is_all_there_is);
    tcase_add_test(tc, every_build_gives_the_same_bits);
    tcase_add_test(tc, a_kernel_that_is_not_there_is_refused);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
