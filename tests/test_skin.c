/* test_skin.c: the scalar kernel against a double evaluator, properties of skinning and morphing,
 * and how jobs fall into groups. That all kernels give the bits of the scalar one is in
 * test_kernels.c.
 */
#include "test.h"

#include "marrow/skin.h"

#include <sys/mman.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define MAX_VERTICES 64
#define MAX_COUNT    10
#define JOINTS       24
#define GUARD        0x7FA5A5A5u

/* ---- random input ---------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t random_u32(void)
{
    return test_random(&random_state);
}

static float random_float(void)
{
    return test_random_float(&random_state, -1.0f, 1.0f);
}

/* Zeros of both signs, denormals, the largest and the smallest. */
static float adversarial_float(void)
{
    static const float values[] = {
        0.0f,           -0.0f,           1.0f,  -1.0f,   1e-45f, -1e-40f, 1e-38f, 1.17549435e-38f,
        3.40282347e38f, -3.40282347e38f, 1e30f, -1e-30f, 1e20f,  -1e20f,  0.5f,   1e-20f};
    uint32_t r = random_u32();
    return r % 4 == 0 ? random_float() : values[(r >> 4) % (sizeof values / sizeof *values)];
}

typedef struct fixture {
    _Alignas(64) mrw_mat4 palette[JOINTS];
    mrw_mat4 rigid;
    mrw_dual_quaternion motions[JOINTS]; /* any numbers: kernels do not count on unit length */
    float positions[3 * MAX_VERTICES + 16];
    float normals[3 * MAX_VERTICES + 16];
    float tangents[4 * MAX_VERTICES + 16];
    uint16_t joints[MAX_VERTICES * MAX_COUNT];
    float weights[MAX_VERTICES * MAX_COUNT];
} fixture;

typedef struct result {
    _Alignas(16) float positions[4 * MAX_VERTICES];
    _Alignas(16) float normals[4 * MAX_VERTICES];
    _Alignas(16) float tangents[4 * MAX_VERTICES];
} result;

static void fill_floats(float *out, size_t count, float (*next)(void))
{
    for (size_t i = 0; i < count; i++) {
        out[i] = next();
    }
}

static void fill_affine(mrw_mat4 *m, float (*next)(void))
{
    for (int i = 0; i < 16; i++) {
        m->m[i] = i % 4 == 3 ? (i == 15 ? 1.0f : 0.0f) : next();
    }
}

/* Weights of each run of `count` sum to one. */
static void fill_influences(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < MAX_VERTICES * MAX_COUNT; i++) {
        f->joints[i] = (uint16_t)(random_u32() % JOINTS);
        f->weights[i] = 0.05f + (float)(random_u32() % 1000u) / 1000.0f;
    }
    for (uint32_t v = 0; count > 0 && v < MAX_VERTICES; v++) {
        float sum = 0.0f;
        for (uint32_t i = 0; i < count; i++) {
            sum += f->weights[v * count + i];
        }
        for (uint32_t i = 0; i < count; i++) {
            f->weights[v * count + i] /= sum;
        }
    }
}

static void fill_fixture(fixture *f, uint32_t count, float (*next)(void))
{
    for (int j = 0; j < JOINTS; j++) {
        fill_affine(&f->palette[j], next);
    }
    fill_affine(&f->rigid, next);
    for (int j = 0; j < JOINTS; j++) {
        fill_floats(f->motions[j].real, 4, next);
        fill_floats(f->motions[j].dual, 4, next);
    }
    fill_floats(f->positions, 3 * MAX_VERTICES + 16, next);
    fill_floats(f->normals, 3 * MAX_VERTICES + 16, next);
    fill_floats(f->tangents, 4 * MAX_VERTICES + 16, next);
    fill_influences(f, count);
}

/* Powers of two as weights blend without rounding. */
static void exact_weights(fixture *f, uint32_t count)
{
    for (uint32_t v = 0; v < MAX_VERTICES; v++) {
        for (uint32_t i = 0; i < count; i++) {
            f->weights[v * count + i] = ldexpf(1.0f, i + 1 < count ? -(int)i - 1 : 1 - (int)count);
        }
    }
}

static void clear_result(result *r)
{
    uint32_t guard = GUARD;
    for (size_t i = 0; i < sizeof *r / sizeof guard; i++) {
        memcpy((char *)r + i * sizeof guard, &guard, sizeof guard);
    }
}

#define NORMALS  1
#define TANGENTS 2
#define COFACTOR 4
#define MOTIONS  8
#define SCALES   16 /* with MOTIONS: the palette stands for the scales */

static mrw_skin_job make_job(const fixture *f, const mrw_skin_group *groups, uint32_t group_count,
                             int options, mrw_isa isa, result *out)
{
    mrw_skin_job job = {.groups = groups,
                        .group_count = group_count,
                        .palette = options & MOTIONS ? NULL : f->palette,
                        .motions = options & MOTIONS ? f->motions : NULL,
                        .scales = options & SCALES ? f->palette : NULL,
                        .rigid = &f->rigid,
                        .cofactor_normals = (options & COFACTOR) != 0,
                        .positions = f->positions,
                        .normals = options & NORMALS ? f->normals : NULL,
                        .tangents = options & TANGENTS ? f->tangents : NULL,
                        .out_positions = out->positions,
                        .out_normals = out->normals,
                        .out_tangents = out->tangents,
                        .isa = isa};
    return job;
}

static void run(const fixture *f, const mrw_skin_group *groups, uint32_t group_count, int options,
                mrw_isa isa, result *out)
{
    clear_result(out);
    mrw_skin_job job = make_job(f, groups, group_count, options, isa, out);
    mrw_skin_vertices(&job);
}

static mrw_skin_group whole_group(const fixture *f, uint32_t vertex_count, uint32_t count)
{
    mrw_skin_group group = {0, vertex_count, count, f->joints, f->weights};
    return group;
}

/* ---- kernels against scalar ------------------------------------------------------------------ */

static void check_isas(const fixture *f, const mrw_skin_group *groups, uint32_t group_count,
                       int options)
{
    static result expected, actual;
    run(f, groups, group_count, options, MRW_ISA_SCALAR, &expected);
    for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
        if (!mrw_isa_available((mrw_isa)isa)) {
            continue;
        }
        run(f, groups, group_count, options, (mrw_isa)isa, &actual);
        ck_assert_msg(memcmp(&expected, &actual, sizeof expected) == 0,
                      "%s differs from scalar: %u vertices, %u influences, options %d",
                      mrw_isa_name((mrw_isa)isa), groups[0].vertex_count, groups[0].influence_count,
                      options);
    }
}

/* Any split into groups gives the vertices of the whole. */
START_TEST(group_splits_change_nothing)
{
    static fixture f;
    static result whole, split;
    random_state = 3;
    for (uint32_t count = 0; count <= MAX_COUNT; count++) {
        fill_fixture(&f, count, random_float);
        mrw_skin_group one = whole_group(&f, 33, count);
        run(&f, &one, 1, NORMALS | TANGENTS, MRW_ISA_SCALAR, &whole);
        for (uint32_t cut = 0; cut <= 33; cut++) {
            mrw_skin_group two[2] = {
                {0, cut, count, f.joints, f.weights},
                {cut, 33 - cut, count, f.joints + cut * count, f.weights + cut * count}};
            check_isas(&f, two, 2, NORMALS | TANGENTS);
            run(&f, two, 2, NORMALS | TANGENTS, MRW_ISA_SCALAR, &split);
            ck_assert(memcmp(&whole, &split, sizeof whole) == 0);
        }
    }
}
END_TEST

START_TEST(groups_of_different_counts_share_a_job)
{
    static fixture f;
    random_state = 4;
    fill_fixture(&f, 3, random_float);
    mrw_skin_group groups[4] = {{0, 7, 0, NULL, NULL},
                                {7, 5, 1, f.joints, f.weights},
                                {12, 11, 4, f.joints + 5, f.weights + 5},
                                {23, 10, 9, f.joints + 60, f.weights + 60}};
    for (int options = 0; options < 8; options++) {
        check_isas(&f, groups, 4, options);
    }
}
END_TEST

/* infinity - infinity may arise inside, never in an output; fourth lanes are as documented. */
START_TEST(outputs_are_never_nan)
{
    static fixture f;
    static result out;
    random_state = 5;
    int infinite = 0;
    for (int round = 0; round < 200; round++) {
        fill_fixture(&f, 4, adversarial_float);
        mrw_skin_group group = whole_group(&f, 33, 4);
        int blending = round % 3 == 0 ? 0 : round % 3 == 1 ? MOTIONS : MOTIONS | SCALES;
        run(&f, &group, 1, NORMALS | TANGENTS | COFACTOR | blending, MRW_ISA_SCALAR, &out);
        for (int i = 0; i < 4 * 33; i++) {
            ck_assert(!isnan(out.positions[i]) && !isnan(out.normals[i]) &&
                      !isnan(out.tangents[i]));
            infinite += isinf(out.positions[i]);
        }
        for (int v = 0; v < 33; v++) {
            ck_assert(out.positions[4 * v + 3] == 1.0f);
            ck_assert(out.normals[4 * v + 3] == 0.0f);
            ck_assert(memcmp(&out.tangents[4 * v + 3], &f.tangents[4 * v + 3], 4) == 0);
        }
    }
    ck_assert_int_ne(infinite, 0); /* the input was bad enough to overflow */
}
END_TEST

#if defined(__x86_64__)
/* A library linked with -ffast-math turns denormals off for the whole process. */
START_TEST(denormals_survive_a_hostile_environment)
{
    static fixture f;
    static result expected, actual;
    fill_fixture(&f, 1, random_float);
    exact_weights(&f, 1);
    for (int i = 0; i < 3 * 9; i++) {
        f.positions[i] = 1e-41f;
    }
    for (int j = 0; j < JOINTS; j++) {
        f.palette[j].m[12] = f.palette[j].m[13] = f.palette[j].m[14] = 0.0f;
    }
    mrw_skin_group group = whole_group(&f, 9, 1);
    run(&f, &group, 1, 0, MRW_ISA_SCALAR, &expected);
    unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | 0x8040u); /* flush to zero, denormals are zero */
    run(&f, &group, 1, 0, MRW_ISA_SCALAR, &actual);
    ck_assert_uint_eq(_mm_getcsr() & 0x8040u, 0x8040u);
    _mm_setcsr(saved);
    ck_assert(memcmp(&expected, &actual, sizeof expected) == 0);
    uint32_t bits;
    memcpy(&bits, &expected.positions[0], sizeof bits);
    ck_assert_uint_ne(bits & 0x7FFFFFu, 0);
}
END_TEST
#endif

START_TEST(streams_left_out_are_not_written)
{
    static fixture f;
    static result out;
    fill_fixture(&f, 2, random_float);
    mrw_skin_group group = whole_group(&f, 9, 2);
    for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
        if (!mrw_isa_available((mrw_isa)isa)) {
            continue;
        }
        run(&f, &group, 1, 0, (mrw_isa)isa, &out);
        const uint32_t guard = GUARD;
        ck_assert(memcmp(&out.normals[0], &guard, 4) == 0);
        ck_assert(memcmp(&out.tangents[0], &guard, 4) == 0);
        ck_assert(memcmp(&out.positions[4 * 9], &guard, 4) == 0);
        ck_assert(memcmp(&out.positions[4 * 9 - 1], &guard, 4) != 0);
    }
}
END_TEST

/* Memory of which nothing lies behind: the pages after it may not be touched. */
#define GUARDED 16384

static char *guarded_memory(void)
{
    char *memory = mmap(NULL, 2 * GUARDED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(memory != MAP_FAILED);
    ck_assert_int_eq(mprotect(memory, GUARDED, PROT_READ | PROT_WRITE), 0);
    return memory;
}

/* A copy that ends `spare` bytes before the guard. */
static void *at_the_end(char *memory, const void *from, size_t size, size_t spare)
{
    char *at = memory + GUARDED - spare - size;
    return memcpy(at, from, size);
}

enum { IN_POSITIONS, IN_NORMALS, IN_TANGENTS, IN_JOINTS, IN_WEIGHTS, OUT_STREAMS, GUARDS = 8 };

/* Inputs end 16 bytes before the guard, as the header has it, and all else at the guard. */
static void check_bounds(const fixture *f, uint32_t vertices, uint32_t count, int options,
                         mrw_isa isa, char *memory[GUARDS])
{
    static result expected, actual;
    mrw_skin_group group = whole_group(f, vertices, count);
    run(f, &group, 1, options, isa, &expected);
    clear_result(&actual);
    mrw_skin_job job = make_job(f, &group, 1, options, isa, &actual);
    const size_t influences = (size_t)vertices * count;
    job.positions = at_the_end(memory[IN_POSITIONS], f->positions, 12 * (size_t)vertices, 16);
    job.normals = at_the_end(memory[IN_NORMALS], f->normals, 12 * (size_t)vertices, 16);
    job.tangents = at_the_end(memory[IN_TANGENTS], f->tangents, 16 * (size_t)vertices, 16);
    group.joints = at_the_end(memory[IN_JOINTS], f->joints, 2 * influences, 0);
    group.weights = at_the_end(memory[IN_WEIGHTS], f->weights, 4 * influences, 0);
    float *out[3];
    for (int i = 0; i < 3; i++) {
        out[i] = (float *)(void *)(memory[OUT_STREAMS + i] + GUARDED - 16 * (size_t)vertices);
    }
    job.out_positions = out[0];
    job.out_normals = out[1];
    job.out_tangents = out[2];
    mrw_skin_vertices(&job);
    ck_assert(memcmp(out[0], expected.positions, 16 * (size_t)vertices) == 0);
    ck_assert(memcmp(out[1], expected.normals, 16 * (size_t)vertices) == 0);
    ck_assert(memcmp(out[2], expected.tangents, 16 * (size_t)vertices) == 0);
}

START_TEST(nothing_beyond_the_arrays_is_touched)
{
    static fixture f;
    char *memory[GUARDS];
    for (int i = 0; i < GUARDS; i++) {
        memory[i] = guarded_memory();
    }
    random_state = 12;
    for (uint32_t count = 0; count <= MAX_COUNT; count++) {
        fill_fixture(&f, count, random_float);
        for (int isa = MRW_ISA_SCALAR; isa < MRW_ISA_COUNT; isa++) {
            for (uint32_t vertices = 1; mrw_isa_available((mrw_isa)isa) && vertices < 19;
                 vertices++) {
                for (int blending = 0; blending <= (MOTIONS | SCALES); blending += MOTIONS) {
                    if (blending != SCALES) {
                        check_bounds(&f, vertices, count, NORMALS | TANGENTS | blending,
                                     (mrw_isa)isa, memory);
                    }
                }
            }
        }
    }
    for (int i = 0; i < GUARDS; i++) {
        munmap(memory[i], 2 * GUARDED);
    }
}
END_TEST

/* ---- scalar against double ------------------------------------------------------------------- */

/* m: column-major 3x4; magnitude: the same sum of absolute values, for the error bound */
static void blend_double(const fixture *f, uint32_t v, uint32_t count, double m[16],
                         double magnitude[16])
{
    for (int e = 0; e < 16; e++) {
        m[e] = count == 0 ? (double)f->rigid.m[e] : 0.0;
        magnitude[e] = fabs(m[e]);
        for (uint32_t i = 0; i < count; i++) {
            double w = (double)f->weights[v * count + i];
            double a = (double)f->palette[f->joints[v * count + i]].m[e];
            m[e] += w * a;
            magnitude[e] += fabs(w * a);
        }
    }
}

static void check_row(double expected, double magnitude, float actual)
{
    /* at most 10 + 3 roundings on the way to each sum */
    ck_assert_double_le(fabs(expected - (double)actual), 20.0 * 6e-8 * magnitude);
}

static void check_vector(const double *m, const double *magnitude, const float *v, double w,
                         const float *actual)
{
    for (int r = 0; r < 3; r++) {
        double sum = m[12 + r] * w;
        double bound = magnitude[12 + r] * fabs(w);
        for (int c = 0; c < 3; c++) {
            sum += m[4 * c + r] * (double)v[c];
            bound += magnitude[4 * c + r] * fabs((double)v[c]);
        }
        check_row(sum, bound, actual[r]);
    }
}

/* |det| times the inverse transpose, from the adjugate's definition by minors */
static void cofactors_double(const double *m, double out[16])
{
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            out[4 * c + r] = m[4 * c1 + r1] * m[4 * c2 + r2] - m[4 * c2 + r1] * m[4 * c1 + r2];
        }
    }
    out[12] = out[13] = out[14] = 0.0;
    double det = m[0] * out[0] + m[1] * out[1] + m[2] * out[2];
    for (int i = 0; i < 12 && det < 0.0; i++) {
        out[i] = -out[i];
    }
}

START_TEST(scalar_is_linear_blend_skinning)
{
    static fixture f;
    static result out;
    random_state = 6;
    for (uint32_t count = 0; count <= MAX_COUNT; count++) {
        fill_fixture(&f, count, random_float);
        mrw_skin_group group = whole_group(&f, 33, count);
        run(&f, &group, 1, NORMALS | TANGENTS, MRW_ISA_SCALAR, &out);
        for (uint32_t v = 0; v < 33; v++) {
            double m[16], magnitude[16];
            blend_double(&f, v, count, m, magnitude);
            check_vector(m, magnitude, f.positions + 3 * v, 1.0, out.positions + 4 * v);
            check_vector(m, magnitude, f.normals + 3 * v, 0.0, out.normals + 4 * v);
            check_vector(m, magnitude, f.tangents + 4 * v, 0.0, out.tangents + 4 * v);
        }
    }
}
END_TEST

START_TEST(scalar_uses_the_signed_cofactors)
{
    static fixture f;
    static result out;
    random_state = 7;
    int mirrored = 0;
    for (uint32_t count = 0; count <= MAX_COUNT; count++) {
        fill_fixture(&f, count, random_float);
        mrw_skin_group group = whole_group(&f, 33, count);
        run(&f, &group, 1, NORMALS | COFACTOR, MRW_ISA_SCALAR, &out);
        for (uint32_t v = 0; v < 33; v++) {
            double m[16], magnitude[16], cofactors[16];
            blend_double(&f, v, count, m, magnitude);
            cofactors_double(m, cofactors);
            double det = m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) +
                         m[8] * (m[1] * m[6] - m[2] * m[5]);
            mirrored += det < 0.0;
            if (fabs(det) < 1e-4) { /* its sign is rounding */
                continue;
            }
            for (int r = 0; r < 3; r++) {
                double sum = 0.0;
                for (int c = 0; c < 3; c++) {
                    sum += cofactors[4 * c + r] * (double)f.normals[3 * v + (uint32_t)c];
                }
                /* entries are at most 1, so minors at most 2 and sums at most 6 */
                ck_assert_double_le(fabs(sum - (double)out.normals[4 * v + (uint32_t)r]),
                                    6.0 * 40.0 * 6e-8);
            }
        }
    }
    ck_assert_int_gt(mirrored, 100);
}
END_TEST

/* ---- properties ------------------------------------------------------------------------------ */

static mrw_mat4 identity(void)
{
    mrw_mat4 m = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    return m;
}

static void fill_palette(fixture *f, const mrw_mat4 *m)
{
    for (int j = 0; j < JOINTS; j++) {
        f->palette[j] = *m;
    }
    f->rigid = *m;
}

START_TEST(identity_returns_the_input)
{
    static fixture f;
    static result out;
    random_state = 8;
    const mrw_mat4 one = identity();
    for (int options = NORMALS | TANGENTS; options < 8; options += COFACTOR) {
        for (uint32_t count = 0; count <= MAX_COUNT; count++) {
            fill_fixture(&f, count, random_float);
            fill_palette(&f, &one);
            exact_weights(&f, count);
            mrw_skin_group group = whole_group(&f, 33, count);
            run(&f, &group, 1, options, MRW_ISA_AUTO, &out);
            for (uint32_t v = 0; v < 33; v++) {
                for (uint32_t r = 0; r < 3; r++) {
                    ck_assert(out.positions[4 * v + r] == f.positions[3 * v + r]);
                    ck_assert(out.normals[4 * v + r] == f.normals[3 * v + r]);
                    ck_assert(out.tangents[4 * v + r] == f.tangents[4 * v + r]);
                }
            }
        }
    }
}
END_TEST

/* A quarter turn about z and a translation, exact in float. */
START_TEST(rigid_motion_moves_vertices_rigidly)
{
    static fixture f;
    static result out;
    random_state = 9;
    const mrw_mat4 motion = {{0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 2, -4, 8, 1}};
    fill_fixture(&f, 4, random_float);
    fill_palette(&f, &motion);
    exact_weights(&f, 4);
    mrw_skin_group group = whole_group(&f, 33, 4);
    run(&f, &group, 1, NORMALS | COFACTOR, MRW_ISA_AUTO, &out);
    for (int v = 0; v < 33; v++) {
        const float *p = f.positions + 3 * v;
        const float *n = f.normals + 3 * v;
        ck_assert(out.positions[4 * v + 0] == -p[1] + 2.0f);
        ck_assert(out.positions[4 * v + 1] == p[0] - 4.0f);
        ck_assert(out.positions[4 * v + 2] == p[2] + 8.0f);
        ck_assert(out.normals[4 * v + 0] == -n[1]);
        ck_assert(out.normals[4 * v + 1] == n[0]);
        ck_assert(out.normals[4 * v + 2] == n[2]);
    }
}
END_TEST

/* Under any affine map, also a mirroring one, the transformed normal is perpendicular to the
 * transformed surface and on the side the normal was on. */
START_TEST(cofactor_normals_stay_perpendicular)
{
    static fixture f;
    static result out;
    random_state = 10;
    const mrw_mat4 maps[3] = {{{3, 0, 0, 0, 0, 0.25f, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1}},
                              {{-2, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
                              {{1, 0.5f, 0, 0, 0, 2, -0.25f, 0, 0.75f, 0, 0.5f, 0, 0, 0, 0, 1}}};
    for (int k = 0; k < 3; k++) {
        fill_fixture(&f, 1, random_float);
        fill_palette(&f, &maps[k]);
        exact_weights(&f, 1);
        /* vertices 2i and 2i + 1 span the tangent plane at the origin; their cross product is n */
        for (int i = 0; i < 16; i++) {
            float *a = f.positions + 6 * i, *b = a + 3, *n = f.normals + 6 * i;
            n[0] = a[1] * b[2] - a[2] * b[1];
            n[1] = a[2] * b[0] - a[0] * b[2];
            n[2] = a[0] * b[1] - a[1] * b[0];
        }
        mrw_skin_group group = whole_group(&f, 32, 1);
        run(&f, &group, 1, NORMALS | COFACTOR, MRW_ISA_AUTO, &out);
        for (int i = 0; i < 16; i++) {
            const float *n = out.normals + 8 * i;
            for (int s = 0; s < 2; s++) {
                double dot = 0.0;
                for (int r = 0; r < 3; r++) {
                    dot += (double)n[r] *
                           ((double)out.positions[8 * i + 4 * s + r] - (double)maps[k].m[12 + r]);
                }
                ck_assert_double_le(fabs(dot), 1e-5);
            }
            /* a point off the surface along the old normal stays on the normal's side */
            double side = 0.0;
            for (int r = 0; r < 3; r++) {
                for (int c = 0; c < 3; c++) {
                    side +=
                        (double)n[r] * (double)maps[k].m[4 * c + r] * (double)f.normals[6 * i + c];
                }
            }
            ck_assert_double_gt(side, 0.0);
        }
    }
}
END_TEST

/* ---- morph ----------------------------------------------------------------------------------- */

START_TEST(morph_adds_weighted_deltas)
{
    const float base[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    const float normals[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    const float tangents[16] = {1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 1, 0, 0, -1};
    const uint32_t first[2] = {1, 3}, second[1] = {3};
    const float first_deltas[6] = {1, 2, 4, -1, 0, 8}, second_deltas[3] = {0.5f, 0.5f, 0.5f};
    const mrw_morph_delta targets[2] = {{-0.5f, 2, first, first_deltas, first_deltas, NULL},
                                        {4.0f, 1, second, second_deltas, NULL, second_deltas}};
    float out_positions[12], out_normals[12], out_tangents[16];
    const mrw_morph_job job = {4,        targets,       2,           base,        normals,
                               tangents, out_positions, out_normals, out_tangents};
    mrw_morph_vertices(&job);
    const float expect_positions[12] = {0, 0, 0, 0.5f, 0, -1, 2, 2, 2, 5.5f, 5, 1};
    const float expect_normals[12] = {0, 0, 1, -0.5f, -1, -1, 0, 0, 1, 0.5f, 0, -3};
    const float expect_tangents[16] = {1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 3, 2, 2, -1};
    for (int i = 0; i < 12; i++) {
        ck_assert(out_positions[i] == expect_positions[i]);
        ck_assert(out_normals[i] == expect_normals[i]);
    }
    for (int i = 0; i < 16; i++) {
        ck_assert(out_tangents[i] == expect_tangents[i]);
    }
}
END_TEST

START_TEST(morph_without_targets_copies_the_base)
{
    const float base[6] = {1, -0.0f, 1e-45f, 4, 5, 6};
    float out[6];
    const mrw_morph_job job = {.vertex_count = 2, .positions = base, .out_positions = out};
    mrw_morph_vertices(&job);
    ck_assert(memcmp(base, out, sizeof base) == 0);
}
END_TEST

/* ((1 + 1e8) - 1e8) + 1 is 1 in float, as 1 vanishes beside 1e8; other orders give 0 or 2. */
START_TEST(morph_targets_add_in_order)
{
    const float base[3] = {1, 1, 1}, big[3] = {1e8f, 1e8f, 1e8f}, one[3] = {1, 1, 1};
    const uint32_t vertex[1] = {0};
    const mrw_morph_delta targets[3] = {{1.0f, 1, vertex, big, NULL, NULL},
                                        {-1.0f, 1, vertex, big, NULL, NULL},
                                        {1.0f, 1, vertex, one, NULL, NULL}};
    float out[3];
    const mrw_morph_job job = {.vertex_count = 1,
                               .targets = targets,
                               .target_count = 3,
                               .positions = base,
                               .out_positions = out};
    mrw_morph_vertices(&job);
    ck_assert(out[0] == 1.0f && out[1] == 1.0f && out[2] == 1.0f);
}
END_TEST

/* Vertices in a row are taken four at a time; whatever lies between them, each number is the sum in
 * the order of the targets. */
START_TEST(morph_runs_and_gaps_add_alike)
{
    enum { TARGETS = 5 };
    static fixture f;
    static float deltas[TARGETS][3 * MAX_VERTICES], normals[TARGETS][3 * MAX_VERTICES];
    static float expected[6 * MAX_VERTICES], out[6 * MAX_VERTICES + 4];
    random_state = 13;
    for (uint32_t round = 0; round < TEST_ROUNDS(3000); round++) {
        uint32_t vertices[TARGETS][MAX_VERTICES];
        mrw_morph_delta targets[TARGETS];
        fill_fixture(&f, 1, round % 2 == 0 ? random_float : adversarial_float);
        memcpy(expected, f.positions, 3 * MAX_VERTICES * sizeof(float));
        memcpy(expected + 3 * MAX_VERTICES, f.normals, 3 * MAX_VERTICES * sizeof(float));
        for (uint32_t t = 0; t < TARGETS; t++) {
            const bool with_normals = random_u32() % 3 != 0;
            const uint32_t density = random_u32() % 9; /* from nothing to all */
            uint32_t count = 0;
            fill_floats(deltas[t], 3 * MAX_VERTICES, random_float);
            fill_floats(normals[t], 3 * MAX_VERTICES, random_float);
            for (uint32_t v = 0; v < MAX_VERTICES; v++) {
                if (random_u32() % 8 < density) {
                    vertices[t][count++] = v;
                }
            }
            targets[t] = (mrw_morph_delta){random_float(),
                                           count,
                                           vertices[t],
                                           deltas[t],
                                           with_normals ? normals[t] : NULL,
                                           NULL};
            for (uint32_t i = 0; i < 3 * count; i++) {
                const uint32_t at = 3 * vertices[t][i / 3] + i % 3;
                expected[at] = expected[at] + targets[t].weight * deltas[t][i];
                if (with_normals) {
                    expected[3 * MAX_VERTICES + at] =
                        expected[3 * MAX_VERTICES + at] + targets[t].weight * normals[t][i];
                }
            }
        }
        out[6 * MAX_VERTICES] = 42.0f;
        mrw_morph_vertices(&(mrw_morph_job){.vertex_count = MAX_VERTICES,
                                            .targets = targets,
                                            .target_count = TARGETS,
                                            .positions = f.positions,
                                            .normals = f.normals,
                                            .out_positions = out,
                                            .out_normals = out + 3 * MAX_VERTICES});
        ck_assert(memcmp(out, expected, sizeof expected) == 0);
        ck_assert(out[6 * MAX_VERTICES] == 42.0f);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("skin");
    TCase *kernels = tcase_create("kernels");
    tcase_set_timeout(kernels, 120);
    tcase_add_test(kernels, group_splits_change_nothing);
    tcase_add_test(kernels, groups_of_different_counts_share_a_job);
    tcase_add_test(kernels, outputs_are_never_nan);
#if defined(__x86_64__)
    tcase_add_test(kernels, denormals_survive_a_hostile_environment);
#endif
    tcase_add_test(kernels, streams_left_out_are_not_written);
    tcase_add_test(kernels, nothing_beyond_the_arrays_is_touched);
    suite_add_tcase(s, kernels);
    TCase *values = tcase_create("values");
    tcase_add_test(values, scalar_is_linear_blend_skinning);
    tcase_add_test(values, scalar_uses_the_signed_cofactors);
    tcase_add_test(values, identity_returns_the_input);
    tcase_add_test(values, rigid_motion_moves_vertices_rigidly);
    tcase_add_test(values, cofactor_normals_stay_perpendicular);
    suite_add_tcase(s, values);
    TCase *morph = tcase_create("morph");
    tcase_add_test(morph, morph_adds_weighted_deltas);
    tcase_add_test(morph, morph_without_targets_copies_the_base);
    tcase_add_test(morph, morph_targets_add_in_order);
    tcase_add_test(morph, morph_runs_and_gaps_add_alike);
    suite_add_tcase(s, morph);
    return s;
}

TEST_MAIN(suite())
