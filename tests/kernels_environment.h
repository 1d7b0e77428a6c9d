/* kernels_environment.h: what surfaces see of an environment. The scalar one is
 * shade/environment_spec.h; the lanes are included by the shading kernels, and here stand in loops
 * of their own. */
#include "kernels.h"

#include "environment_lanes.h"
#include "shade/environment_spec.h"

/* Roughness may differ from place to place, or not: levels are then found once. */
enum { ENVIRONMENT_MIXED, ENVIRONMENT_ONE_ROUGHNESS };

static environment_in environment_places;

static void environment_scalar_run(const mrw_lighting *lighting, environment_in *in, uint32_t count,
                                   environment_out *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const float world[3] = {(*in)[LANES_V][i], (*in)[LANES_V + 1][i], (*in)[LANES_V + 2][i]};
        const float roughness = (*in)[LANES_ROUGHNESS][i], f0 = (*in)[LANES_F0][i];
        float v[3], diffuse[3], specular[3], scale, bias;
        mrwi_shade_environment_turn(lighting, world, v);
        mrwi_shade_environment_diffuse(lighting->environment, v, diffuse);
        mrwi_shade_environment_specular(lighting->environment, v, roughness, specular);
        mrwi_shade_environment_brdf(roughness, (*in)[LANES_N_DOT_V][i], &scale, &bias);
        for (int k = 0; k < 3; k++) {
            (*out)[LANES_DIFFUSE + k][i] = diffuse[k];
            (*out)[LANES_SPECULAR + k][i] = specular[k];
        }
        (*out)[LANES_SCALE][i] = scale;
        (*out)[LANES_BIAS][i] = bias;
        (*out)[LANES_AGAIN][i] =
            mrwi_shade_environment_compensation(f0, f0 * scale + bias, scale, bias);
    }
}

static const environment_lanes *environment_table_of(mrw_isa isa)
{
    static const environment_lanes scalar = {environment_scalar_run};
    switch (isa) {
#if defined(__x86_64__)
    case MRW_ISA_SSE2:
        return &environment_lanes_sse2;
    case MRW_ISA_AVX2:
        return &environment_lanes_avx2;
    case MRW_ISA_AVX512:
        return &environment_lanes_avx512;
#elif defined(__aarch64__)
    case MRW_ISA_NEON:
        return &environment_lanes_neon;
#endif
    default:
        return &scalar;
    }
}

static const void *environment_table(mrw_isa isa)
{
    return environment_table_of(isa);
}

/* An environment of any texels, turned; the maps are those that come of a small picture. */
static void random_environment(mrw_lighting *lighting)
{
    static float picture[32 * 16 * 3];
    mrw_environment *environment = NULL;
    mrw_error error;
    for (size_t i = 0; i < sizeof picture / sizeof *picture; i++) {
        const uint32_t kind = random_below(16);
        picture[i] = kind == 0 ? 0.0f : kind == 1 ? 1e6f : 1.0f + random_unit();
    }
    ck_assert_msg(mrw_environment_create(picture, 32, 16, false, 1, &environment, &error) == MRW_OK,
                  "%s", error.text);
    mrw_environment_place(environment, 180.0f * random_unit(), 1.0f, NULL, lighting);
}

static void random_surfaces(int variant, enum numbers numbers)
{
    const float one = fabsf(random_unit());
    for (int k = 0; k < LANES_IN; k++) {
        random_numbers(environment_places[k], LANES_MOST + 16, numbers);
    }
    for (int i = 0; i < LANES_MOST + 16; i++) {
        float *f0 = &environment_places[LANES_F0][i];
        *f0 = fabsf(*f0) <= 1.0f ? fabsf(*f0) : 0.04f;
        if (variant == ENVIRONMENT_ONE_ROUGHNESS) {
            environment_places[LANES_ROUGHNESS][i] = one;
        }
    }
}

static void check_environment(mrw_isa isa, int variant)
{
    static environment_out expected, actual;
    mrw_lighting lighting = {.lights = NULL};
    random_environment(&lighting);
    for (int round = 0; round < TEST_ROUNDS(60); round++) {
        const uint32_t count = random_below(LANES_MOST + 1);
        random_surfaces(variant, (enum numbers)(round % NUMBERS_COUNT));
        environment_table_of(MRW_ISA_SCALAR)->run(&lighting, &environment_places, count, &expected);
        environment_table_of(isa)->run(&lighting, &environment_places, count, &actual);
        for (int k = 0; k < LANES_OUT; k++) {
            check_bytes(actual[k], expected[k], count * sizeof(float), "value", isa);
        }
    }
    mrw_environment_free((mrw_environment *)(uintptr_t)lighting.environment);
}

static size_t work_environment(mrw_isa isa, int variant)
{
    static environment_out out;
    static mrw_lighting lighting;
    if (!lighting.environment) {
        number_state = 7;
        random_environment(&lighting);
    }
    number_state = 7;
    random_surfaces(variant, ORDINARY);
    for (int i = 0; i < 16; i++) {
        environment_table_of(isa)->run(&lighting, &environment_places, LANES_MOST, &out);
    }
    return 16 * sizeof(float) * LANES_MOST * (LANES_IN + LANES_OUT);
}

#define ENVIRONMENT_ROW(name, variant)                                                             \
    {                                                                                              \
        name, "tests/environment_lanes_", variant, environment_table, check_environment,           \
            work_environment                                                                       \
    }
#define ENVIRONMENT_ROWS                                                                           \
    ENVIRONMENT_ROW("environment", ENVIRONMENT_MIXED),                                             \
        ENVIRONMENT_ROW("environment one", ENVIRONMENT_ONE_ROUGHNESS)
