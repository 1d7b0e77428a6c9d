/* kernels_flip.h: the kernels of FLIP. Their input comes from bytes of pictures, by way of each
 * other, so it is finite and bounded; within that, anything. */
#include "kernels.h"

#include "compare/flip.h"

enum { FLIP_ACROSS, FLIP_DOWN, FLIP_COMPARE };

#define FLIP_WIDTH (MRWI_COMPARE_FLIP_TILE + 2 * MRWI_COMPARE_FLIP_MAX_RADIUS)
#define FLIP_ROWS  (2 * MRWI_COMPARE_FLIP_MAX_RADIUS + MRWI_COMPARE_FLIP_ROWS)
#define FLIP_CELLS (MRWI_COMPARE_FLIP_TILE / MRWI_COMPARE_FLIP_CELL)
#define FLIP_LOOKS (MRWI_COMPARE_LOOK_COUNT * MRWI_COMPARE_FLIP_CELL * MRWI_COMPARE_FLIP_ROWS)
#define FLIP_SHIFT 16 /* arrays begin at any float of a cache line */

typedef struct flip_input {
    mrwi_compare_flip_filters filters;
    mrwi_compare_flip_metric metric;
    float planes[3][FLIP_WIDTH + FLIP_SHIFT];
    float lines[FLIP_ROWS][MRWI_COMPARE_LINE_COUNT * MRWI_COMPARE_FLIP_TILE + FLIP_SHIFT];
    float looks[2][FLIP_LOOKS + FLIP_SHIFT];
    const float *line_at[FLIP_ROWS];
} flip_input;

#define FLIP_OUT (FLIP_LOOKS + FLIP_SHIFT) /* the most of all */

static flip_input flip_in;

static const void *flip_table(mrw_isa isa)
{
    return mrwi_compare_flip_kernels_for(isa);
}

/* Up to `bound` in size; now and then nothing, next to nothing, or the bound. */
static float flip_number(float bound)
{
    const float small[] = {0.0f, -0.0f, 1e-45f, -1e-39f, 1e-20f, bound, -bound, 1e-6f};
    const uint32_t kind = random_below(64);
    return kind < 8 ? small[kind] : bound * random_unit();
}

static void random_filter(mrwi_compare_flip_filter *filter, int radius)
{
    filter->radius = radius;
    for (int i = 0; i <= radius; i++) {
        filter->taps[i] = flip_number(1.0f) / (float)(2 * radius + 1);
    }
}

#define FLIP_FILTERS 9

static void list_filters(mrwi_compare_flip_filters *f, mrwi_compare_flip_filter *all[FLIP_FILTERS])
{
    mrwi_compare_flip_filter *const list[FLIP_FILTERS] = {&f->color.achromatic,
                                                          &f->color.red_green,
                                                          &f->color.blue_yellow[0],
                                                          &f->color.blue_yellow[1],
                                                          &f->color.blue_yellow_down[0],
                                                          &f->color.blue_yellow_down[1],
                                                          &f->feature.smooth,
                                                          &f->feature.edge,
                                                          &f->feature.point};
    memcpy(all, list, sizeof list);
}

static void random_filters(mrwi_compare_flip_filters *f, int most)
{
    mrwi_compare_flip_filter *all[FLIP_FILTERS];
    list_filters(f, all);
    for (int i = 0; i < FLIP_FILTERS; i++) {
        random_filter(all[i], (int)random_below((uint32_t)most + 1));
    }
    f->feature.edge.radius = f->feature.point.radius = f->feature.smooth.radius;
    for (int i = 0; i < 3; i++) {
        f->matrices.to_rgb[i][0] = 3.0f * random_unit();
        f->matrices.to_rgb[i][1] = 3.0f * random_unit();
        const float x = 0.5f + 0.4f * random_unit(), y = (1.0f - x) * 0.5f;
        const float m[3] = {x, y, 1.0f - x - y};
        memcpy(f->matrices.to_xyz[i], m, sizeof m);
    }
}

static void random_metric(mrwi_compare_flip_metric *m)
{
    m->knee = 20.0f + 10.0f * random_unit();
    m->low_scale = 0.95f / m->knee;
    m->high_scale = 0.001f + 0.0005f * random_unit();
}

static void random_flip(int most)
{
    random_filters(&flip_in.filters, most);
    random_metric(&flip_in.metric);
    for (size_t i = 0; i < sizeof flip_in.planes / sizeof(float); i++) {
        (&flip_in.planes[0][0])[i] = flip_number(1.0f);
    }
    for (size_t i = 0; i < sizeof flip_in.lines / sizeof(float); i++) {
        (&flip_in.lines[0][0])[i] = flip_number(1.0f);
    }
    for (size_t i = 0; i < sizeof flip_in.looks[0] / sizeof(float); i++) {
        const size_t kind = i / MRWI_COMPARE_FLIP_CELL % MRWI_COMPARE_LOOK_COUNT;
        const float bound = kind < MRWI_COMPARE_LOOK_EDGE ? 100.0f : 1.0f;
        flip_in.looks[0][i] = flip_number(bound);
        flip_in.looks[1][i] = random_below(3) == 0 ? flip_in.looks[0][i] : flip_number(bound);
    }
}

static void run_flip(const mrwi_compare_flip_kernels *kernels, int variant, uint32_t shift,
                     float *out)
{
    if (variant == FLIP_ACROSS) {
        const float *planes[3];
        for (int i = 0; i < 3; i++) {
            planes[i] =
                flip_in.planes[i] + MRWI_COMPARE_FLIP_MAX_RADIUS + (shift + 3 * (uint32_t)i) % 16;
        }
        kernels->across(&flip_in.filters, planes, MRWI_COMPARE_FLIP_TILE, out);
    } else if (variant == FLIP_DOWN) {
        for (uint32_t i = 0; i < FLIP_ROWS; i++) {
            flip_in.line_at[i] = flip_in.lines[i] + (shift + 5 * i) % FLIP_SHIFT;
        }
        kernels->down(&flip_in.filters, flip_in.line_at + MRWI_COMPARE_FLIP_MAX_RADIUS,
                      (int)(shift % FLIP_CELLS) * MRWI_COMPARE_FLIP_CELL, out);
    } else {
        kernels->compare(&flip_in.metric, flip_in.looks[0] + shift,
                         flip_in.looks[1] + (shift * 7) % FLIP_SHIFT, out);
    }
}

static void check_flip(mrw_isa isa, int variant)
{
    static const int radii[] = {0, 1, 2, 5, 9, 17, MRWI_COMPARE_FLIP_MAX_RADIUS};
    static float expected[FLIP_OUT], actual[FLIP_OUT];
    for (int round = 0; round < TEST_ROUNDS(140); round++) {
        const uint32_t shift = random_below(FLIP_SHIFT), out = random_below(FLIP_SHIFT);
        random_flip(radii[round % 7]);
        memset(expected, 0xA5, sizeof expected);
        memset(actual, 0xA5, sizeof actual);
        run_flip(flip_table(MRW_ISA_SCALAR), variant, shift, expected + out);
        run_flip(flip_table(isa), variant, shift, actual + out);
        check_bytes(actual, expected, sizeof actual, "tile", isa);
    }
}

static size_t work_flip(mrw_isa isa, int variant)
{
    static float out[FLIP_OUT];
    static bool prepared;
    if (!prepared) {
        random_state = 7;
        random_flip(9);
        mrwi_compare_flip_filter *all[FLIP_FILTERS];
        list_filters(&flip_in.filters, all);
        for (int i = 0; i < FLIP_FILTERS; i++) { /* all as wide as at 67 pixels a degree */
            all[i]->radius = 9;
        }
    }
    prepared = true;
    for (int i = 0; i < 32; i++) {
        run_flip(flip_table(isa), variant, 0, out);
    }
    return 32 * sizeof(float) *
           (variant == FLIP_ACROSS ? MRWI_COMPARE_FLIP_TILE * (3 + MRWI_COMPARE_LINE_COUNT)
            : variant == FLIP_DOWN
                ? MRWI_COMPARE_FLIP_CELL * MRWI_COMPARE_LINE_COUNT * 27 + FLIP_LOOKS
                : 2 * FLIP_LOOKS + MRWI_COMPARE_FLIP_CELL * MRWI_COMPARE_FLIP_ROWS);
}

#define FLIP_ROW(name, variant)                                                                    \
    {                                                                                              \
        name, "src/compare/flip_", variant, flip_table, check_flip, work_flip                      \
    }
#define FLIP_TABLE                                                                                 \
    FLIP_ROW("flip across", FLIP_ACROSS), FLIP_ROW("flip down", FLIP_DOWN),                        \
        FLIP_ROW("flip compare", FLIP_COMPARE)
