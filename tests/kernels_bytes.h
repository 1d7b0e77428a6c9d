/* kernels_bytes.h: the kernels that take bytes: the filters of PNG, and SHA-256. */
#include "kernels.h"

#include "base/sha256.h"
#include "image/png_rows.h"

/* ---- PNG ------------------------------------------------------------------------------------- */

enum { PNG_BUSY, PNG_COSTS, PNG_FILTER, PNG_RUNS, PNG_UNFILTER };

#define PNG_ROOM  1024
#define PNG_TIMED 3840

typedef struct png_rows { /* what is behind a row counts for nothing */
    uint8_t row[64 + PNG_TIMED + 192], above[64 + PNG_TIMED + 192];
} png_rows;

typedef struct png_output {
    uint8_t bytes[PNG_TIMED + 64];
    uint64_t zeros[PNG_TIMED / 64 + 8], starts[PNG_TIMED / 64 + 8];
} png_output;

static const void *png_table(mrw_isa isa)
{
    return mrwi_image_png_rows_kernels_for(isa);
}

static void check_png_filter(const mrwi_image_png_rows_kernels *kernels, const uint8_t *row,
                             const uint8_t *above, size_t count, size_t pixel,
                             mrwi_image_png_filter filter, mrw_isa isa)
{
    static png_output expected, actual;
    mrwi_image_png_rows_kernels_scalar.filter(row, above, count, pixel, filter, expected.bytes,
                                              expected.zeros);
    kernels->filter(row, above, count, pixel, filter, actual.bytes, actual.zeros);
    check_bytes(actual.bytes, expected.bytes, count, "filtered bytes", isa);
    const uint64_t known = (UINT64_C(1) << (count % 64)) - 1;
    expected.zeros[count / 64] &= known; /* else any bits: also when no number was written */
    actual.zeros[count / 64] &= known;
    check_bytes(actual.zeros, expected.zeros, (count / 64 + (count % 64 != 0)) * 8, "zeros", isa);
}

static void check_png_runs(const mrwi_image_png_rows_kernels *kernels, size_t count, mrw_isa isa)
{
    uint64_t zeros[24], expected[24], actual[24];
    for (size_t i = 0; i < 24; i++) {
        zeros[i] = (uint64_t)random_u32() << 32 | random_u32();
        for (uint32_t k = random_below(5); k > 0; k--) { /* long runs, and their ends anywhere */
            zeros[i] |= (uint64_t)random_u32() << 32 | random_u32();
        }
        if (random_below(4) == 0) {
            zeros[i] = random_below(2) ? UINT64_MAX : 0;
        }
    }
    mrwi_image_png_rows_kernels_scalar.runs(zeros + 4, count, expected + 4);
    kernels->runs(zeros + 4, count, actual + 4);
    check_bytes(actual + 4, expected + 4, count * 8, "starts of runs", isa);
}

/* Takes any bytes as filtered ones, or those of a row, which has flat stretches. Restored rows
 * begin at their filtered bytes, or before. Compares the bytes around them, too. */
static void check_png_unfilter(const mrwi_image_png_rows_kernels *kernels, const uint8_t *row,
                               const uint8_t *above, size_t count, mrw_isa isa)
{
    static png_output filtered;
    for (size_t pixel = 1; pixel <= 4; pixel++) {
        const size_t size = (count + pixel - 1) / pixel * pixel, before = random_below(32);
        for (int f = 0; f < MRWI_IMAGE_PNG_FILTERS; f++) {
            const mrwi_image_png_filter filter = (mrwi_image_png_filter)f;
            uint8_t expected[PNG_ROOM + 128], actual[PNG_ROOM + 128];
            memcpy(expected, row - 64, sizeof expected);
            if (filter != MRWI_IMAGE_PNG_AVERAGE && random_below(2)) {
                mrwi_image_png_rows_kernels_scalar.filter(row, above, size, pixel, filter,
                                                          filtered.bytes, filtered.zeros);
                memcpy(expected + 64, filtered.bytes, size);
            }
            memcpy(actual, expected, sizeof actual);
            mrwi_image_png_rows_kernels_scalar.unfilter(expected + 64, above, size, pixel, filter,
                                                        expected + 64 - before);
            kernels->unfilter(actual + 64, above, size, pixel, filter, actual + 64 - before);
            check_bytes(actual, expected, sizeof actual, "restored bytes", isa);
        }
    }
}

static void check_png_row(const mrwi_image_png_rows_kernels *kernels, const uint8_t *row,
                          const uint8_t *above, size_t count, mrw_isa isa, int variant)
{
    const size_t pixel = 3 + random_below(2);
    if (variant == PNG_BUSY) {
        const mrwi_image_png_range expected =
            mrwi_image_png_rows_kernels_scalar.busy(row, above, count, pixel);
        const mrwi_image_png_range actual = kernels->busy(row, above, count, pixel);
        ck_assert(actual.first == expected.first && actual.end == expected.end);
    } else if (variant == PNG_COSTS) {
        uint64_t expected[MRWI_IMAGE_PNG_FILTERS] = {1, 2, 3, 4, 5};
        uint64_t actual[MRWI_IMAGE_PNG_FILTERS] = {1, 2, 3, 4, 5};
        mrwi_image_png_rows_kernels_scalar.costs(row, above, count, pixel, expected);
        kernels->costs(row, above, count, pixel, actual);
        check_bytes(actual, expected, sizeof actual, "costs", isa);
    } else if (variant == PNG_FILTER) {
        for (int f = 0; f < MRWI_IMAGE_PNG_FILTERS; f++) {
            if (f != MRWI_IMAGE_PNG_AVERAGE) {
                check_png_filter(kernels, row, above, count, pixel, (mrwi_image_png_filter)f, isa);
            }
        }
    } else if (variant == PNG_UNFILTER) {
        check_png_unfilter(kernels, row, above, count, isa);
    } else {
        check_png_runs(kernels, 1 + count % 16, isa);
    }
}

/* Bytes of any kind or of few; plain stretches in both rows or in one. */
static void random_rows(png_rows *rows)
{
    const uint32_t range = 1 + random_below(random_below(2) ? 256 : 4);
    random_bytes(rows->row, PNG_ROOM + 256, range);
    random_bytes(rows->above, PNG_ROOM + 256, range);
    for (int k = 0; k < 2; k++) {
        const size_t from = random_below(PNG_ROOM),
                     length = random_below(PNG_ROOM - (uint32_t)from);
        memset(rows->row + 64 + from, 7, length);
        if (random_below(4) != 0) {
            memset(rows->above + 64 + from, 7, length);
        }
    }
}

/* Every length up to a few blocks, then any; rows begin anywhere in a cache line. */
static void check_png(mrw_isa isa, int variant)
{
    static png_rows rows;
    const mrwi_image_png_rows_kernels *kernels = png_table(isa);
    for (uint32_t round = 0; round < TEST_ROUNDS(20000); round++) {
        const size_t count = round % 2 == 0 ? 1 + round / 2 % 300 : 1 + random_below(PNG_ROOM);
        const size_t shift = random_below(64);
        if (round % 3 == 0) {
            random_rows(&rows);
        }
        const size_t shift_above = random_below(64);
        if (variant == PNG_UNFILTER) { /* the pixel before a row is zero */
            memset(rows.row + 60 + shift, 0, 4);
            memset(rows.above + 60 + shift_above, 0, 4);
        }
        check_png_row(kernels, rows.row + 64 + shift, rows.above + 64 + shift_above, count, isa,
                      variant);
    }
}

static size_t work_png(mrw_isa isa, int variant)
{
    static png_rows rows;
    static png_output out;
    static uint8_t plain[PNG_TIMED + 64];
    static bool prepared;
    const mrwi_image_png_rows_kernels *kernels = png_table(isa);
    const uint8_t *row = rows.row + 64, *above = rows.above + 64;
    uint64_t costs[MRWI_IMAGE_PNG_FILTERS] = {0};
    if (!prepared) {
        random_bytes(rows.row, sizeof rows, 4);
    }
    prepared = true;
    for (int i = 0; i < 16; i++) {
        if (variant == PNG_BUSY) { /* all is plain, so all is looked at */
            kernels->busy(plain + 4, plain + 4, PNG_TIMED - 4, 4);
        } else if (variant == PNG_COSTS) {
            kernels->costs(row, above, PNG_TIMED, 3, costs);
        } else if (variant == PNG_FILTER) {
            kernels->filter(row, above, PNG_TIMED, 3, MRWI_IMAGE_PNG_PAETH, out.bytes, out.zeros);
        } else if (variant == PNG_UNFILTER) {
            kernels->unfilter(row, above, PNG_TIMED, 4, MRWI_IMAGE_PNG_PAETH, out.bytes);
        } else {
            kernels->runs(out.zeros, PNG_TIMED / 64, out.starts);
        }
    }
    return 16 * (variant == PNG_FILTER || variant == PNG_UNFILTER ? 3 * PNG_TIMED
                 : variant == PNG_RUNS                            ? PNG_TIMED / 4
                                                                  : 2 * PNG_TIMED);
}

/* ---- SHA-256 --------------------------------------------------------------------------------- */

typedef struct sha_table_of {
    void (*blocks)(uint32_t state[8], const uint8_t *blocks, size_t count);
} sha_table_of;

/* Chosen by CPU, not by instruction set: it counts as the widest one's. */
static const void *sha_table(mrw_isa isa)
{
    static const sha_table_of plain = {mrwi_base_sha256_blocks_scalar},
                              x86 = {mrwi_base_sha256_blocks_x86};
    return isa != MRW_ISA_SCALAR && mrwi_base_sha256_x86_available() ? &x86 : &plain;
}

#define SHA_ROOM 32

/* Chains of random blocks, as many as there may be, from every alignment. */
static void check_sha(mrw_isa isa, int variant)
{
    static uint8_t blocks[64 * SHA_ROOM + 64];
    const sha_table_of *table = sha_table(isa);
    uint32_t expected[8], actual[8];
    (void)variant;
    for (uint32_t i = 0; i < 8; i++) {
        expected[i] = actual[i] = random_u32();
    }
    for (size_t count = 0; count <= SHA_ROOM; count++) {
        for (size_t shift = 0; shift < 64; shift++) {
            random_bytes(blocks, 64 * count + shift, shift % 32 == 0 ? 1 : 256);
            mrwi_base_sha256_blocks_scalar(expected, blocks + shift, count);
            table->blocks(actual, blocks + shift, count);
            check_bytes(actual, expected, sizeof actual, "state", isa);
        }
    }
}

static size_t work_sha(mrw_isa isa, int variant)
{
    static uint8_t blocks[64 * 256];
    static uint32_t state[8];
    (void)variant;
    ((const sha_table_of *)sha_table(isa))->blocks(state, blocks, 256);
    return sizeof blocks;
}

#define PNG_ROW(name, variant)                                                                     \
    {                                                                                              \
        name, "src/image/png_rows_", variant, png_table, check_png, work_png                       \
    }
#define BYTES_ROWS                                                                                 \
    PNG_ROW("png busy", PNG_BUSY), PNG_ROW("png costs", PNG_COSTS),                                \
        PNG_ROW("png filter", PNG_FILTER), PNG_ROW("png runs", PNG_RUNS),                          \
        PNG_ROW("png unfilter", PNG_UNFILTER),                                                     \
    {                                                                                              \
        "sha256", "src/base/sha256_", 0, sha_table, check_sha, work_sha                            \
    }
