/* kernels_skin.h: the kernels of skinning. */
#include "kernels.h"

#include "skin/kernels.h"

#define SKIN_JOINTS   24
#define SKIN_VERTICES 33 /* two registers of the widest and a vertex, and more */
#define SKIN_COUNT    10
#define SKIN_SHIFT    16               /* inputs begin at any float of a cache line */
#define SKIN_TIMED    30000            /* vertices */
#define SKIN_LONG     65543            /* where memory is asked for ahead */
#define SKIN_ANY      (SKIN_COUNT + 1) /* variant: counts from MRWI_SKIN_ANY_COUNT on */
#define SKIN_DUAL     16               /* flag of variants */
#define SKIN_GUARD    0x7FA5A5A5u

enum { SKIN_NORMALS = 1, SKIN_TANGENTS = 2, SKIN_COFACTOR = 4, SKIN_SCALES = 8, SKIN_OPTIONS = 16 };

typedef struct skin_input {
    _Alignas(64) mrw_mat4 palette[SKIN_JOINTS];
    mrw_mat4 scales[SKIN_JOINTS];
    mrw_mat4 rigid;
    mrw_dual_quaternion motions[SKIN_JOINTS]; /* any numbers: none counts on unit length */
    float positions[3 * SKIN_LONG + 32], normals[3 * SKIN_LONG + 32];
    float tangents[4 * SKIN_LONG + 32];
    uint16_t joints[SKIN_LONG * SKIN_COUNT + 32];
    float weights[SKIN_LONG * SKIN_COUNT + 32];
} skin_input;

typedef struct skin_output {
    _Alignas(64) float positions[4 * SKIN_LONG + 32];
    float normals[4 * SKIN_LONG + 32], tangents[4 * SKIN_LONG + 32];
} skin_output;

static skin_input skin_in;
static skin_output skin_expected, skin_actual;

static const void *skin_table(mrw_isa isa)
{
    return mrwi_skin_kernels_for(isa);
}

/* Every third round the last row is any, too: nothing may depend on it. */
static void random_matrices(mrw_mat4 *m, size_t count, enum numbers numbers)
{
    const bool affine = random_below(3) != 0;
    for (size_t i = 0; i < 16 * count; i++) {
        const size_t row = i % 4, column = i / 4 % 4;
        const float last = column == 3 ? 1.0f : 0.0f;
        m[i / 16].m[i % 16] = row == 3 && affine ? last : random_number(numbers);
    }
}

/* A matrix that flattens: the sign of its determinant is all rounding. */
static void flatten(mrw_mat4 *m)
{
    const float u = random_unit(), v = random_unit();
    for (int r = 0; r < 3; r++) {
        m->m[8 + r] = u * m->m[r] + v * m->m[4 + r];
    }
}

/* What a weight may be besides a share of 1. */
static float odd_weight(void)
{
    static const float odd[] = {0.0f,   -0.0f,  1.0f,   0.99999994f, 0.5f, 1.17549435e-38f,
                                1e-40f, 1e-45f, 1e-30f, 0x1p-24f,    0.25f};
    return odd[random_below(sizeof odd / sizeof *odd)];
}

/* The weights of a vertex. Most sum to one, but for rounding; or one has it all; or any are odd. */
static void random_weights(float *weights, uint32_t count, bool plain)
{
    const uint32_t kind = plain ? 3 : random_below(4), whole = random_below(count + 1);
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = (1.1f + random_unit()) / (1.1f * (float)count);
        if (kind == 0) {
            weights[i] = i == whole ? 1.0f : random_below(2) ? 0.0f : -0.0f;
        } else if (kind == 1 || (kind == 2 && random_below(count) == 0)) {
            weights[i] = odd_weight();
        }
    }
}

/* In every vertex' own way; when timed, all are plain. */
static void random_influences(size_t vertices, uint32_t count, bool plain)
{
    for (size_t i = 0; i < vertices; i++) {
        random_weights(&skin_in.weights[i * count], count, plain);
    }
    for (size_t i = 0; i < vertices * count + 32; i++) {
        skin_in.joints[i] = (uint16_t)random_below(SKIN_JOINTS);
        if (i >= vertices * count) {
            skin_in.weights[i] = odd_weight();
        }
    }
}

static void random_skin(size_t vertices, uint32_t count, enum numbers numbers)
{
    random_matrices(skin_in.palette, SKIN_JOINTS, numbers);
    random_matrices(skin_in.scales, SKIN_JOINTS, numbers);
    random_matrices(&skin_in.rigid, 1, numbers);
    for (uint32_t j = 0; j < SKIN_JOINTS && numbers == ORDINARY; j += 1 + random_below(4)) {
        flatten(&skin_in.palette[j]);
    }
    random_numbers((float *)skin_in.motions, SKIN_JOINTS * 8, numbers);
    random_numbers(skin_in.positions, 3 * vertices + 32, numbers);
    random_numbers(skin_in.normals, 3 * vertices + 32, numbers);
    random_numbers(skin_in.tangents, 4 * vertices + 32, numbers);
    random_influences(vertices, count > 0 ? count : 1, vertices == SKIN_TIMED);
}

/* What a job asks for, and where its arrays begin. */
typedef struct skin_shape {
    uint32_t first, vertices, count;
    uint32_t shift, out_shift; /* floats; the second a multiple of four */
    int options;
    bool dual;
} skin_shape;

static void run_skin(const skin_shape *s, mrw_isa isa, skin_output *out)
{
    const mrw_skin_group group = {s->first, s->vertices, s->count, skin_in.joints + s->shift,
                                  skin_in.weights + s->shift};
    mrw_skin_vertices(
        &(mrw_skin_job){.groups = &group,
                        .group_count = 1,
                        .palette = s->dual ? NULL : skin_in.palette,
                        .motions = s->dual ? skin_in.motions : NULL,
                        .scales = s->options & SKIN_SCALES ? skin_in.scales : NULL,
                        .rigid = &skin_in.rigid,
                        .cofactor_normals = (s->options & SKIN_COFACTOR) != 0,
                        .positions = skin_in.positions + s->shift,
                        .normals = s->options & SKIN_NORMALS ? skin_in.normals + s->shift : NULL,
                        .tangents = s->options & SKIN_TANGENTS ? skin_in.tangents + s->shift : NULL,
                        .out_positions = out->positions + s->out_shift,
                        .out_normals = out->normals + s->out_shift,
                        .out_tangents = out->tangents + s->out_shift,
                        .isa = isa});
}

static void guard_skin(skin_output *out, size_t vertices)
{
    const uint32_t guard = SKIN_GUARD;
    for (size_t i = 0; i < 4 * vertices + 16; i++) {
        memcpy(&out->positions[i], &guard, sizeof guard);
        memcpy(&out->normals[i], &guard, sizeof guard);
        memcpy(&out->tangents[i], &guard, sizeof guard);
    }
}

static void compare_skin(const skin_shape *s, mrw_isa isa)
{
    const size_t behind = s->first + s->vertices;
    const size_t size = (4 * behind + 16) * sizeof(float); /* and what lies around the results */
    guard_skin(&skin_expected, behind);
    guard_skin(&skin_actual, behind);
    run_skin(s, MRW_ISA_SCALAR, &skin_expected);
    run_skin(s, isa, &skin_actual);
    check_bytes(skin_actual.positions, skin_expected.positions, size, "positions", isa);
    check_bytes(skin_actual.normals, skin_expected.normals, size, "normals", isa);
    check_bytes(skin_actual.tangents, skin_expected.tangents, size, "tangents", isa);
}

static void check_skin_count(mrw_isa isa, uint32_t count, bool dual, enum numbers numbers)
{
    for (uint32_t vertices = 0; vertices <= SKIN_VERTICES; vertices++) {
        for (int options = 0; options < (dual ? SKIN_OPTIONS : SKIN_SCALES); options++) {
            const skin_shape s = {.first = random_below(6),
                                  .vertices = vertices,
                                  .count = count,
                                  .shift = random_below(SKIN_SHIFT),
                                  .out_shift = 4 * random_below(4),
                                  .options = options,
                                  .dual = dual};
            if (options % 4 == 0) {
                random_skin(vertices + s.first + SKIN_SHIFT, count, numbers);
            }
            compare_skin(&s, isa);
        }
    }
}

/* A long run; then one in which what is no number comes up once, far from the ends. */
static void check_long_skin(mrw_isa isa, uint32_t count, bool dual)
{
    const skin_shape s = {
        .vertices = SKIN_LONG, .count = count, .options = SKIN_NORMALS, .dual = dual};
    random_skin(SKIN_LONG, count, ORDINARY);
    compare_skin(&s, isa);
    skin_in.positions[3 * 40001 + 1] = INFINITY;
    skin_in.positions[3 * 40001 + 2] = -INFINITY;
    compare_skin(&s, isa);
    skin_in.positions[3 * 40001 + 1] = skin_in.positions[3 * 40001 + 2] = 0.0f;
    skin_in.normals[3 * 40002] = NAN;
    compare_skin(&s, isa);
}

static void check_skin(mrw_isa isa, int variant)
{
    const uint32_t asked = (uint32_t)variant % SKIN_DUAL;
    const uint32_t from = asked == SKIN_ANY ? MRWI_SKIN_ANY_COUNT : asked;
    const uint32_t to = asked == SKIN_ANY ? SKIN_COUNT : asked;
    for (int numbers = ORDINARY; numbers < NUMBERS_COUNT; numbers++) {
        for (uint32_t count = from; count <= to; count++) {
            for (int round = 0; round < (from == to ? 12 : 2); round++) {
                check_skin_count(isa, count, variant >= SKIN_DUAL, (enum numbers)numbers);
            }
        }
    }
    check_long_skin(isa, to, variant >= SKIN_DUAL);
}

static size_t work_skin(mrw_isa isa, int variant)
{
    static int prepared = -1;
    const uint32_t asked = (uint32_t)variant % SKIN_DUAL;
    const skin_shape s = {.vertices = SKIN_TIMED,
                          .count = asked == SKIN_ANY ? 8 : asked,
                          .options = SKIN_NORMALS,
                          .dual = variant >= SKIN_DUAL};
    if (prepared != variant) {
        random_skin(SKIN_TIMED, s.count, ORDINARY);
    }
    prepared = variant;
    run_skin(&s, isa, &skin_actual);
    return SKIN_TIMED * (2 * 12 + 2 * 16 + (size_t)s.count * 6);
}

#define SKIN_ROW(name, variant)                                                                    \
    {                                                                                              \
        name, "src/skin/skin_", variant, skin_table, check_skin, work_skin                         \
    }
#define SKIN_ROWS                                                                                  \
    SKIN_ROW("skin rigid", 0), SKIN_ROW("skin 1", 1), SKIN_ROW("skin 2", 2),                       \
        SKIN_ROW("skin 3", 3), SKIN_ROW("skin 4", 4), SKIN_ROW("skin 8", SKIN_ANY),                \
        SKIN_ROW("skin dual 1", SKIN_DUAL + 1), SKIN_ROW("skin dual 2", SKIN_DUAL + 2),            \
        SKIN_ROW("skin dual 3", SKIN_DUAL + 3), SKIN_ROW("skin dual 4", SKIN_DUAL + 4),            \
        SKIN_ROW("skin dual 8", SKIN_DUAL + SKIN_ANY)
