/* test_studio.c: the studio in the library: that it is made of its picture, small, and balanced.
 *
 * `studio --write`, which `make studio` runs, makes assets/studio.env of assets/studio.hdr, in the
 * format that light/environment_studio.c reads. */
#include "test.h"

#include "base/memory.h"
#include "light/environment.h"
#include "marrow/codecs.h"
#include "shade/environment_spec.h"

#define PI 3.14159265358979323846

/* ---- making it ------------------------------------------------------------------------------- */

#define MOST_BYTES (256 * 1024)

typedef struct packed {
    uint8_t bytes[MOST_BYTES];
    size_t size;
} packed;

static void put(packed *out, uint32_t value, int bytes)
{
    ck_assert_uint_le(out->size + 4, sizeof out->bytes);
    for (int i = 0; i < bytes; i++) {
        out->bytes[out->size++] = (uint8_t)(value >> 8 * i);
    }
}

static void put_float(packed *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(out, bits, 4);
}

static float largest_of(const mrw_environment *environment)
{
    const mrwi_light_environment_level *last =
        &environment->specular.levels[MRWI_LIGHT_ENVIRONMENT_LEVELS - 1];
    const int32_t count = last->first + last->stride * last->stride;
    float largest = 0;
    for (int32_t i = 0; i < count; i++) {
        const float *texel = environment->specular.texels[i];
        ck_assert(texel[0] == texel[1] && texel[0] == texel[2]); /* grey */
        largest = texel[0] > largest ? texel[0] : largest;
    }
    return largest;
}

static void pack(const mrw_environment *environment, packed *out)
{
    const float step = largest_of(environment) / 65535;
    out->size = 0;
    put_float(out, step);
    for (int i = 0; i < 9; i++) {
        put_float(out, environment->diffuse[0][i]);
    }
    for (int l = 0; l < MRWI_LIGHT_ENVIRONMENT_LEVELS; l++) {
        const mrwi_light_environment_level *level = &environment->specular.levels[l];
        for (int32_t y = 1; y < level->stride - 1; y++) {
            for (int32_t x = 1; x < level->stride - 1; x++) {
                const float value =
                    environment->specular.texels[level->first + y * level->stride + x][0];
                put(out, (uint32_t)floorf(value / step + 0.5f), 2);
            }
        }
    }
}

static mrw_environment *environment_of_picture(void)
{
    mrw_image image;
    mrw_environment *environment = NULL;
    mrw_error error;
    ck_assert_msg(mrw_image_read_hdr("assets/studio.hdr", 0, &image, &error) == MRW_OK, "%s",
                  error.text);
    ck_assert_int_eq(mrw_environment_create((const float *)(const void *)image.pixels, image.width,
                                            image.height, false, 2, &environment, &error),
                     MRW_OK);
    mrw_image_free(&image);
    return environment;
}

START_TEST(write_file)
{
    static packed made;
    mrw_environment *environment = environment_of_picture();
    mrw_error error;
    pack(environment, &made);
    mrw_environment_free(environment);
    const mrw_status status = mrw_file_write("assets/studio.env", made.bytes, made.size, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
}
END_TEST

/* ---- what it is ------------------------------------------------------------------------------ */

static mrw_environment *studio(void)
{
    mrw_environment *environment = NULL;
    ck_assert_int_eq(mrw_environment_create_studio(MRW_RIG_SOFT, 1, &environment, NULL), MRW_OK);
    return environment;
}

/* The file is what is made of the picture now, and the library has it, each texel within half a
 * step. */
START_TEST(the_library_has_what_the_picture_makes)
{
    static packed made, kept;
    mrw_environment *fresh = environment_of_picture(), *own = studio();
    FILE *file = fopen("assets/studio.env", "rb");
    ck_assert_ptr_nonnull(file);
    kept.size = fread(kept.bytes, 1, sizeof kept.bytes, file);
    ck_assert(feof(file));
    fclose(file);
    pack(fresh, &made);
    ck_assert_uint_eq(made.size, kept.size);
    ck_assert_msg(memcmp(made.bytes, kept.bytes, made.size) == 0,
                  "assets/studio.env is not of assets/studio.hdr: make studio");
    ck_assert_mem_eq(fresh->diffuse, own->diffuse, sizeof own->diffuse);
    const float half = largest_of(fresh) / 65535 * 0.51f;
    const mrwi_light_environment_level *last = &own->specular.levels[8];
    ck_assert_mem_eq(last, &fresh->specular.levels[8], sizeof *last);
    for (int32_t i = 0; i < last->first + last->stride * last->stride; i++) {
        ck_assert_float_le(fabsf(own->specular.texels[i][0] - fresh->specular.texels[i][0]), half);
    }
    mrw_environment_free(fresh);
    mrw_environment_free(own);
}
END_TEST

/* Unit vectors all over the sphere (Fibonacci). */
static void direction_of(int i, int count, double out[3])
{
    const double y = 1 - (2 * i + 1.0) / count, across = sqrt(1 - y * y);
    out[0] = across * cos(i * PI * (3 - sqrt(5)));
    out[1] = y;
    out[2] = across * sin(i * PI * (3 - sqrt(5)));
}

/* The mean over the pixels of a white matt sphere seen from an azimuth, of normals whose cosine to
 * the viewer is at least `facing`. */
static double seen_from(const mrw_environment *environment, double azimuth, double facing)
{
    const double view[3] = {sin(azimuth), 0, cos(azimuth)};
    double sum = 0, weights = 0;
    for (int i = 0; i < 4000; i++) {
        double n[3];
        float color[3];
        direction_of(i, 4000, n);
        const double c = n[0] * view[0] + n[2] * view[2];
        const float in[3] = {(float)n[0], (float)n[1], (float)n[2]};
        if (c <= facing) {
            continue;
        }
        mrwi_shade_environment_diffuse(environment, in, color);
        sum += c * (double)color[0];
        weights += c;
    }
    return sum / weights;
}

/* A sphere, and what of it faces the viewer, as flat things do. */
START_TEST(every_side_is_lit_alike)
{
    static const double kinds[] = {0, 0.8};
    mrw_environment *environment = studio();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double least = INFINITY, most = 0;
        for (int side = 0; side < 4; side++) {
            const double mean = seen_from(environment, side * PI / 2, kinds[k]);
            least = mean < least ? mean : least;
            most = mean > most ? mean : most;
        }
        ck_assert_msg(most < 1.25 * least, "facing %g: %g to %g", kinds[k], least, most);
    }
    mrw_environment_free(environment);
}
END_TEST

/* White matt surfaces: 1.08 in the mean, no normal in the dark; the tone map has to show what is
 * brighter than 1 (tests/test_chart.c). The key is on the upper left of a viewer at +Z. */
START_TEST(a_white_sphere_keeps_its_shape)
{
    mrw_environment *environment = studio();
    double sum = 0, least = INFINITY, most = 0;
    const float key[3] = {-0.5f, 0.67f, 0.55f}, other[3] = {0.5f, -0.67f, 0.55f};
    float lit[3], shaded[3];
    for (int i = 0; i < 4000; i++) {
        double n[3];
        float color[3];
        direction_of(i, 4000, n);
        const float in[3] = {(float)n[0], (float)n[1], (float)n[2]};
        mrwi_shade_environment_diffuse(environment, in, color);
        sum += (double)color[0] / 4000;
        least = (double)color[0] < least ? (double)color[0] : least;
        most = (double)color[0] > most ? (double)color[0] : most;
    }
    ck_assert_double_eq_tol(sum, 1.08, 0.02);
    ck_assert_msg(least > 0.45 && most < 1.9, "from %g to %g", least, most);
    mrwi_shade_environment_diffuse(environment, key, lit);
    mrwi_shade_environment_diffuse(environment, other, shaded);
    ck_assert_float_gt(lit[0], 2 * shaded[0]);
    mrw_environment_free(environment);
}
END_TEST

/* The studio of the three-point rig is half as bright, and each thread makes the same of it. Failed
 * allocations are statuses, and nothing is lost. */
START_TEST(the_dim_studio)
{
    mrw_environment *one = NULL, *many = NULL;
    double sum = 0;
    ck_assert_int_eq(mrw_environment_create_studio(MRW_RIG_THREE_POINT, 1, &one, NULL), MRW_OK);
    ck_assert_int_eq(mrw_environment_create_studio(MRW_RIG_THREE_POINT, 3, &many, NULL), MRW_OK);
    ck_assert_mem_eq(one->diffuse, many->diffuse, sizeof one->diffuse);
    const mrwi_light_environment_level *last = &one->specular.levels[8];
    const size_t texels = (size_t)(last->first + last->stride * last->stride);
    ck_assert_mem_eq(one->specular.texels, many->specular.texels,
                     texels * sizeof *one->specular.texels);
    for (int i = 0; i < 4000; i++) {
        double n[3];
        float color[3];
        direction_of(i, 4000, n);
        const float in[3] = {(float)n[0], (float)n[1], (float)n[2]};
        mrwi_shade_environment_diffuse(one, in, color);
        sum += (double)color[0] / 4000;
    }
    ck_assert_double_eq_tol(sum, 0.5, 0.02);
    mrw_environment_free(one);
    mrw_environment_free(many);
    for (uint64_t n = 1, done = 0; !done; n++) {
        mrwi_base_alloc_fail_at(n);
        const mrw_status status = mrw_environment_create_studio(MRW_RIG_THREE_POINT, 1, &one, NULL);
        done = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        ck_assert_int_eq(status, done ? MRW_OK : MRW_ERROR_MEMORY);
        mrw_environment_free(status ? NULL : one);
    }
}
END_TEST

static Suite *suite(bool writes)
{
    Suite *s = suite_create("studio");
    TCase *tc = tcase_create("studio");
    tcase_set_timeout(tc, 60);
    if (writes) {
        tcase_add_test(tc, write_file);
    } else {
        tcase_add_test(tc, the_library_has_what_the_picture_makes);
        tcase_add_test(tc, every_side_is_lit_alike);
        tcase_add_test(tc, a_white_sphere_keeps_its_shape);
        tcase_add_test(tc, the_dim_studio);
    }
    suite_add_tcase(s, tc);
    return s;
}

int main(int argc, char **argv)
{
    SRunner *runner = srunner_create(suite(argc > 1 && strcmp(argv[1], "--write") == 0));
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
