/* kernels_cover.h: the kernels of coverage: the depth test of a list of triangles, and the farthest
 * depths of blocks. test_cover_kernels.c holds them against a slow evaluator. */
#include "cover_fixture.h"
#include "kernels.h"

enum { COVER_SMALL, COVER_LARGE, COVER_FARTHEST };

#define COVER_REPEATS 16 /* when timed */

static band_scene cover_scene;
static band_memory cover_expected, cover_actual;

static const void *cover_table(mrw_isa isa)
{
    return mrwi_cover_kernels_for(isa);
}

static void run_cover(mrw_isa isa, band_memory *out)
{
    const mrwi_cover_kernels *kernels = cover_table(isa);
    use_samples(&cover_scene, out);
    kernels->cover(&cover_scene.band, cover_scene.ids, cover_scene.id_count);
}

static void check_cover_list(mrw_isa isa)
{
    for (int n = 0; n < 1600; n++) {
        make_scene(&cover_scene, n % 4, n / 4);
        run_cover(MRW_ISA_SCALAR, &cover_expected);
        run_cover(isa, &cover_actual);
        compare_samples(&cover_scene, &cover_actual, &cover_expected, mrw_isa_name(isa));
    }
}

/* Depths as they come, most of them 1; blocks from anywhere in a row. */
static void check_farthest(mrw_isa isa)
{
    enum { STRIDE = 96, ROWS = 16, COLUMNS = 5 };
    static float z[ROWS * STRIDE];
    const mrwi_cover_kernels *scalar = cover_table(MRW_ISA_SCALAR), *kernels = cover_table(isa);
    for (uint32_t round = 0; round < 4000; round++) {
        const size_t start = random_below(16), rows = 1 + random_below(ROWS);
        const int32_t columns = (int32_t)random_below(COLUMNS + 1);
        float expected[COLUMNS + 2], actual[COLUMNS + 2];
        const uint32_t drawn = random_below(5);
        for (size_t i = 0; i < ROWS * STRIDE; i++)
            z[i] = random_below(4) < drawn ? some_depth() : 1.0f;
        memset(expected, 0xA5, sizeof expected);
        memset(actual, 0xA5, sizeof actual);
        scalar->farthest(z + start, STRIDE, rows, columns, expected + 1);
        kernels->farthest(z + start, STRIDE, rows, columns, actual + 1);
        check_bytes(actual, expected, sizeof actual, "farthest", isa);
    }
}

static void check_cover(mrw_isa isa, int variant)
{
    if (variant == COVER_FARTHEST)
        check_farthest(isa);
    else
        check_cover_list(isa);
}

/* A picture's worth of triangles of one kind, four samples a pixel. */
static void make_timed_scene(enum kind kind)
{
    begin(&cover_scene, 2, MAX_WIDTH, 64, 0, 64);
    while (cover_scene.triangle_count < MAX_TRIANGLES - 1)
        add_random(&cover_scene, kind);
}

static size_t work_cover(mrw_isa isa, int variant)
{
    static int prepared = -1;
    static float farthest[MAX_WIDTH / MRWI_BLOCK_WIDTH];
    const mrwi_cover_kernels *kernels = cover_table(isa);
    if (prepared != variant)
        make_timed_scene(variant == COVER_SMALL ? TINY : MIDDLE);
    prepared = variant;
    use_samples(&cover_scene, &cover_actual);
    const size_t size = band_size(&cover_scene), block_rows = 32;
    for (int i = 0; i < COVER_REPEATS; i++) {
        if (variant != COVER_FARTHEST) {
            kernels->cover(&cover_scene.band, cover_scene.ids, cover_scene.id_count);
            continue;
        }
        for (size_t row = 0; row + block_rows <= 64 * 4; row += block_rows)
            kernels->farthest(cover_scene.band.z + row * cover_scene.band.stride,
                              cover_scene.band.stride, block_rows, MAX_WIDTH / MRWI_BLOCK_WIDTH,
                              farthest);
    }
    return COVER_REPEATS * size * (variant == COVER_FARTHEST ? 4 : 8);
}

#define COVER_ROW(name, variant)                                                                   \
    {                                                                                              \
        name, "src/raster/cover_", variant, cover_table, check_cover, work_cover                   \
    }
#define COVER_ROWS                                                                                 \
    COVER_ROW("cover small", COVER_SMALL), COVER_ROW("cover large", COVER_LARGE),                  \
        COVER_ROW("cover farthest", COVER_FARTHEST)
