/* kernels_cover.h: the kernels of coverage: the depth test of a list of triangles, the farthest
 * depths of blocks, and the fragments of triangles whose alpha counts. test_cover_kernels.c holds
 * them against a slow evaluator. */
#include "cover_fixture.h"
#include "kernels.h"

enum { COVER_SMALL, COVER_LARGE, COVER_FARTHEST, COVER_COLLECT, COVER_COLLECT_SAMPLES };

#define COVER_FRAGMENTS (16 * MAX_WIDTH * MAX_ROWS)
#define COVER_REPEATS   16 /* when timed */

static band_scene cover_scene;
static band_memory cover_expected, cover_actual;

static const void *cover_table(mrw_isa isa)
{
    return mrwi_raster_cover_kernels_for(isa);
}

static void run_cover(mrw_isa isa, band_memory *out)
{
    const mrwi_raster_cover_kernels *kernels = cover_table(isa);
    use_samples(&cover_scene, out);
    kernels->cover(&cover_scene.geometry, &cover_scene.band.seen, cover_scene.ids,
                   cover_scene.id_count);
}

static void check_cover_list(mrw_isa isa)
{
    for (int n = 0; n < TEST_ROUNDS(1600); n++) {
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
    const mrwi_raster_cover_kernels *scalar = cover_table(MRW_ISA_SCALAR),
                                    *kernels = cover_table(isa);
    for (uint32_t round = 0; round < TEST_ROUNDS(4000); round++) {
        const size_t start = random_below(16), rows = 1 + random_below(ROWS);
        const int32_t columns = (int32_t)random_below(COLUMNS + 1);
        float expected[COLUMNS + 2], actual[COLUMNS + 2];
        const uint32_t drawn = random_below(5);
        for (size_t i = 0; i < ROWS * STRIDE; i++) {
            z[i] = random_below(4) < drawn ? some_depth() : 1.0f;
        }
        memset(expected, 0xA5, sizeof expected);
        memset(actual, 0xA5, sizeof actual);
        scalar->farthest(z + start, STRIDE, rows, columns, expected + 1);
        kernels->farthest(z + start, STRIDE, rows, columns, actual + 1);
        check_bytes(actual, expected, sizeof actual, "farthest", isa);
    }
}

/* What was flushed: a fragment is three numbers, its position, and the depths of its samples. */
typedef struct cover_fragment {
    uint32_t triangle, pixel, mask;
    float x, y, z[MRWI_SHADE_MAX_SAMPLES];
} cover_fragment;

static mrwi_raster_scratch cover_scratch;
static cover_fragment cover_fragments[2][COVER_FRAGMENTS];
static cover_fragment *cover_out; /* NULL: none are kept */
static size_t cover_out_count;

static void flush_cover_list(const mrwi_raster_band *band)
{
    const mrwi_shade_fragments *f = &band->scratch->fragments;
    const mrwi_raster_candidates *list = &band->scratch->candidates;
    for (uint32_t i = 0; cover_out && i < f->count; i++) {
        ck_assert_uint_lt(cover_out_count, COVER_FRAGMENTS);
        cover_fragment *c = &cover_out[cover_out_count++];
        *c = (cover_fragment){f->triangle[i], list->pixel[i], list->mask[i], f->x[i], f->y[i], {0}};
        for (uint32_t k = 0; k < band->frame->job->samples; k++) {
            c->z[k] = (c->mask >> k & 1u) != 0 ? list->z[k][i] : 0.0f; /* of others: anything */
        }
    }
    band->scratch->fragments.count = 0;
}

/* What was flushed of samples, one list after another: lists are flushed at any time, so what went
 * to each is put behind what went there before. */
typedef struct cover_sample {
    uint32_t triangle, place;
    float x, y, z;
} cover_sample;

static cover_sample cover_samples[2][MRWI_SHADE_MAX_SAMPLES][COVER_FRAGMENTS];
static size_t cover_sample_count[2][MRWI_SHADE_MAX_SAMPLES];
static int cover_run; /* which of them; below 0: none are kept */

static void flush_cover_samples(const mrwi_raster_band *band)
{
    for (uint32_t s = 0; s < band->frame->job->samples; s++) {
        mrwi_raster_mask_samples *list = &band->scratch->mask_samples[s];
        for (uint32_t i = 0; cover_run >= 0 && i < list->at.count; i++) {
            const size_t n = cover_sample_count[cover_run][s]++;
            ck_assert_uint_lt(n, COVER_FRAGMENTS);
            cover_samples[cover_run][s][n] = (cover_sample){
                list->at.triangle[i], list->place[i], list->at.x[i], list->at.y[i], list->z[i]};
        }
        list->at.count = 0;
    }
}

static void run_collect_samples(mrw_isa isa, int run)
{
    mrwi_shade_kernels_for(isa); /* fills the tables of lanes */
    mrwi_raster_collector to = collect_to(&cover_scene, &cover_scratch, flush_cover_samples);
    to.samples = cover_scratch.mask_samples;
    cover_run = run;
    for (int s = 0; s < MRWI_SHADE_MAX_SAMPLES && run >= 0; s++) {
        cover_sample_count[run][s] = 0;
    }
    mrwi_raster_cover_kernels_for(isa)->collect(&cover_scene.geometry, &to, cover_scene.ids,
                                                cover_scene.id_count);
    flush_cover_samples(&cover_scene.band);
}

static void run_collect(mrw_isa isa, cover_fragment *out)
{
    const mrwi_raster_cover_kernels *kernels = cover_table(isa);
    mrwi_shade_kernels_for(isa); /* fills the tables of lanes */
    const mrwi_raster_collector to = collect_to(&cover_scene, &cover_scratch, flush_cover_list);
    cover_out = out;
    cover_out_count = 0;
    kernels->collect(&cover_scene.geometry, &to, cover_scene.ids, cover_scene.id_count);
    flush_cover_list(&cover_scene.band);
}

/* Where the first half of them is already; 16 at most, since each may fill the band. */
static void check_collect(mrw_isa isa)
{
    const mrwi_raster_cover_kernels *scalar = cover_table(MRW_ISA_SCALAR);
    for (int n = 0; n < TEST_ROUNDS(800); n++) {
        make_scene(&cover_scene, n % 4, n / 4);
        cover_scene.id_count = cover_scene.id_count < 16 ? cover_scene.id_count : 16;
        use_samples(&cover_scene, &cover_actual);
        scalar->cover(&cover_scene.geometry, &cover_scene.band.seen, cover_scene.ids,
                      cover_scene.id_count / 2);
        run_collect(MRW_ISA_SCALAR, cover_fragments[0]);
        const size_t count = cover_out_count;
        run_collect(isa, cover_fragments[1]);
        ck_assert_uint_eq(cover_out_count, count);
        check_bytes(cover_fragments[1], cover_fragments[0], count * sizeof(cover_fragment),
                    "collect", isa);
    }
}

/* Likewise of samples; those of the scalar kernel are those of its fragments. */
static void check_collect_samples(mrw_isa isa)
{
    for (int n = 0; n < TEST_ROUNDS(800); n++) {
        make_scene(&cover_scene, n % 4, n / 4);
        cover_scene.id_count = cover_scene.id_count < 16 ? cover_scene.id_count : 16;
        use_samples(&cover_scene, &cover_actual);
        mrwi_raster_cover_kernels_for(MRW_ISA_SCALAR)
            ->cover(&cover_scene.geometry, &cover_scene.band.seen, cover_scene.ids,
                    cover_scene.id_count / 2);
        run_collect(MRW_ISA_SCALAR, cover_fragments[0]);
        run_collect_samples(MRW_ISA_SCALAR, 0);
        run_collect_samples(isa, 1);
        for (uint32_t s = 0; s < cover_scene.job.samples; s++) {
            size_t count = 0;
            for (size_t i = 0; i < cover_out_count; i++) {
                const cover_fragment *f = &cover_fragments[0][i];
                const cover_sample *sample = &cover_samples[0][s][count];
                if ((f->mask >> s & 1u) != 0) {
                    ck_assert_uint_eq(sample->triangle, f->triangle);
                    ck_assert(sample->z == f->z[s] && (int)sample->x == (int)f->x &&
                              (int)sample->y == (int)f->y);
                    count++;
                }
            }
            ck_assert_uint_eq(cover_sample_count[0][s], count);
            ck_assert_uint_eq(cover_sample_count[1][s], count);
            check_bytes(cover_samples[1][s], cover_samples[0][s], count * sizeof(cover_sample),
                        "samples collected", isa);
        }
    }
}

static void check_cover(mrw_isa isa, int variant)
{
    if (variant == COVER_FARTHEST) {
        check_farthest(isa);
    } else if (variant == COVER_COLLECT) {
        check_collect(isa);
    } else if (variant == COVER_COLLECT_SAMPLES) {
        check_collect_samples(isa);
    } else {
        check_cover_list(isa);
    }
}

/* A picture's worth of triangles of one kind, four samples a pixel. */
static void make_timed_scene(enum kind kind)
{
    begin(&cover_scene, 2, MAX_WIDTH, 64, 0, 64);
    while (cover_scene.triangle_count < MAX_TRIANGLES - 1) {
        add_random(&cover_scene, kind);
    }
}

static size_t work_cover(mrw_isa isa, int variant)
{
    static int prepared = -1;
    static float farthest[MAX_WIDTH / MRWI_RASTER_BLOCK_WIDTH];
    const mrwi_raster_cover_kernels *kernels = cover_table(isa);
    if (prepared != variant) {
        make_timed_scene(variant == COVER_SMALL ? TINY : MIDDLE);
    }
    prepared = variant;
    use_samples(&cover_scene, &cover_actual);
    const size_t size = band_size(&cover_scene), block_rows = 32;
    for (int i = 0; i < COVER_REPEATS; i++) {
        if (variant == COVER_COLLECT) {
            run_collect(isa, NULL);
            continue;
        }
        if (variant == COVER_COLLECT_SAMPLES) {
            run_collect_samples(isa, -1);
            continue;
        }
        if (variant != COVER_FARTHEST) {
            kernels->cover(&cover_scene.geometry, &cover_scene.band.seen, cover_scene.ids,
                           cover_scene.id_count);
            continue;
        }
        for (size_t row = 0; row + block_rows <= 64 * 4; row += block_rows) {
            kernels->farthest(cover_scene.band.seen.z + row * cover_scene.band.seen.stride,
                              cover_scene.band.seen.stride, block_rows,
                              MAX_WIDTH / MRWI_RASTER_BLOCK_WIDTH, farthest);
        }
    }
    return COVER_REPEATS * size * (variant == COVER_FARTHEST ? 4 : 8);
}

#define COVER_ROW(name, variant)                                                                   \
    {                                                                                              \
        name, "src/raster/cover_", variant, cover_table, check_cover, work_cover                   \
    }
#define COVER_ROWS                                                                                 \
    COVER_ROW("cover small", COVER_SMALL), COVER_ROW("cover large", COVER_LARGE),                  \
        COVER_ROW("cover farthest", COVER_FARTHEST), COVER_ROW("cover collect", COVER_COLLECT),    \
        COVER_ROW("cover samples", COVER_COLLECT_SAMPLES)
