/* kernels_occlusion.h: the kernels of ambient occlusion: all their steps, over depths of steps,
 * slopes, noise and nothing. test_occlusion.c holds what comes out against rays. */
#include "kernels.h"

#include "shade/occlusion.h"

enum { OCCLUSION_PERSPECTIVE, OCCLUSION_PARALLEL };

#define OCCLUSION_WIDTH  75 /* four registers of the widest, and a part */
#define OCCLUSION_HEIGHT 40
#define OCCLUSION_STRIDE (MRWI_SHADE_OCCLUSION_LEFT + OCCLUSION_WIDTH + 2 + 19)
#define OCCLUSION_FLOATS                                                                           \
    (OCCLUSION_STRIDE * (OCCLUSION_HEIGHT + 2 * MRWI_SHADE_OCCLUSION_ROWS) + 16)

enum { OCCLUSION_Z, OCCLUSION_DEPTH, OCCLUSION_VISIBILITY, OCCLUSION_RAW, OCCLUSION_GRIDS };

static float occlusion_in[OCCLUSION_GRIDS][OCCLUSION_FLOATS];
static float occlusion_out[2][OCCLUSION_GRIDS][OCCLUSION_FLOATS];

static const void *occlusion_table(mrw_isa isa)
{
    return mrwi_shade_occlusion_kernels_for(isa);
}

static ptrdiff_t occlusion_place(int x, int y)
{
    return (y + MRWI_SHADE_OCCLUSION_ROWS) * OCCLUSION_STRIDE + MRWI_SHADE_OCCLUSION_LEFT + x;
}

static mrwi_shade_occlusion_view random_occlusion(int variant, float (*grids)[OCCLUSION_FLOATS])
{
    const bool perspective = variant == OCCLUSION_PERSPECTIVE;
    mrwi_shade_occlusion_view view = {
        .width = OCCLUSION_WIDTH,
        .height = OCCLUSION_HEIGHT,
        .stride = OCCLUSION_STRIDE,
        .perspective = perspective,
        .scale = perspective ? -2.2f : 12.0f,
        .shift = perspective ? 1.1f : 0.0f,
        .x_step = random_below(2) ? 0.002f : 0.02f + 0.01f * random_unit(),
        .x_first = -1.0f + random_unit(),
        .y_step = random_below(2) ? 0.002f : 0.02f + 0.01f * random_unit(),
        .y_first = -1.0f + random_unit(),
        .strength = 1.0f + random_unit()};
    const float slope = 0.01f * random_unit(), down = 0.01f * random_unit();
    const uint32_t gaps = 2 + random_below(40), noise = random_below(3);
    view.x_reach = 1.0f / view.x_step;
    view.y_reach = 1.0f / view.y_step;
    view.rounding = 1e-4f * (1.0f + random_unit());
    view.plane = perspective ? 10.0f / 2.2f : 120.0f;
    for (int i = 0; i < OCCLUSION_FLOATS; i++) {
        grids[OCCLUSION_Z][i] = 1.0f;
        grids[OCCLUSION_DEPTH][i] = MRWI_SHADE_OCCLUSION_NO_DEPTH;
        grids[OCCLUSION_VISIBILITY][i] = grids[OCCLUSION_RAW][i] = 0.0f;
    }
    for (int y = 0; y < OCCLUSION_HEIGHT; y++) {
        float step = random_unit() * 0.2f;
        for (int x = 0; x < OCCLUSION_WIDTH; x++) {
            step = random_below(20) == 0 ? random_unit() * 0.4f : step;
            const float z = 0.5f + slope * (float)x + down * (float)y + step +
                            (float)noise * 0.001f * random_unit();
            grids[OCCLUSION_Z][occlusion_place(x, y)] = random_below(gaps) == 0 || z > 1.0f ? 1.0f
                                                        : z < 0.0f                          ? 0.0f
                                                                                            : z;
        }
    }
    return view;
}

static void run_occlusion(mrw_isa isa, mrwi_shade_occlusion_view view,
                          float (*grids)[OCCLUSION_FLOATS])
{
    const mrwi_shade_occlusion_kernels *kernels = occlusion_table(isa);
    mrwi_shade_occlusion_row *const rows[4] = {kernels->scale, kernels->occlude,
                                               kernels->smooth_across, kernels->smooth_down};
    view.z = grids[OCCLUSION_Z] + occlusion_place(0, 0);
    view.depth = grids[OCCLUSION_DEPTH] + occlusion_place(0, 0);
    view.visibility = grids[OCCLUSION_VISIBILITY] + occlusion_place(0, 0);
    view.raw = grids[OCCLUSION_RAW] + occlusion_place(0, 0);
    for (int k = 0; k < 4; k++) {
        for (int y = 0; y < OCCLUSION_HEIGHT; y++) {
            rows[k](&view, y, 0, OCCLUSION_WIDTH);
        }
    }
}

static void check_occlusion(mrw_isa isa, int variant)
{
    for (int round = 0; round < TEST_ROUNDS(40); round++) {
        const mrwi_shade_occlusion_view view = random_occlusion(variant, occlusion_in);
        for (int k = 0; k < 2; k++) {
            memcpy(occlusion_out[k], occlusion_in, sizeof occlusion_in);
            run_occlusion(k == 0 ? MRW_ISA_SCALAR : isa, view, occlusion_out[k]);
        }
        for (int g = OCCLUSION_DEPTH; g < OCCLUSION_GRIDS; g++) {
            for (int y = 0; y < OCCLUSION_HEIGHT; y++) {
                check_bytes(occlusion_out[1][g] + occlusion_place(0, y),
                            occlusion_out[0][g] + occlusion_place(0, y),
                            OCCLUSION_WIDTH * sizeof(float), "a row", isa);
            }
        }
    }
}

static size_t work_occlusion(mrw_isa isa, int variant)
{
    static mrwi_shade_occlusion_view view;
    static int made = -1;
    if (made != variant) {
        view = random_occlusion(variant, occlusion_in);
        made = variant;
    }
    run_occlusion(isa, view, occlusion_in);
    return sizeof(float) * OCCLUSION_WIDTH * OCCLUSION_HEIGHT * 12;
}

#define OCCLUSION_ROW(name, variant)                                                               \
    {                                                                                              \
        name, "src/shade/occlusion_", variant, occlusion_table, check_occlusion, work_occlusion    \
    }
#define OCCLUSION_ROWS                                                                             \
    OCCLUSION_ROW("occlusion", OCCLUSION_PERSPECTIVE),                                             \
        OCCLUSION_ROW("occlusion, parallel", OCCLUSION_PARALLEL)
