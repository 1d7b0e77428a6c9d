/* kernels.h: what the parts of test_kernels.c share: rows of its table, and numbers to feed kernels
 * with. Each room's kernels are a header of their own, kernels_ROOM.h, that ends in rows. */
#ifndef MARROW_TEST_KERNELS_H
#define MARROW_TEST_KERNELS_H

#include "test.h"

#include "marrow/base.h"

/* A kernel that several instruction sets have. */
typedef struct kernel_row {
    const char *name;
    const char *sources; /* "src/skin/skin_": its files go on with the instruction set */
    int variant;         /* what tells rows with the same functions apart */
    /* The kernels in use, to tell whether an instruction set has its own. */
    const void *(*table)(mrw_isa isa);
    /* Fails the test where the bits are not those of scalar. */
    void (*check)(mrw_isa isa, int variant);
    /* One run on ordinary input, for timing: the bytes that it has to read and write. */
    size_t (*work)(mrw_isa isa, int variant);
} kernel_row;

/* ---- numbers --------------------------------------------------------------------------------- */

/* How bad the input is. */
enum numbers {
    ORDINARY,
    ODD,    /* zeros of both signs, denormals, the largest and the smallest */
    BROKEN, /* and infinities, and what is no number */
    NUMBERS_COUNT
};

static uint64_t number_state = 1;

static uint32_t random_u32(void)
{
    return test_random(&number_state);
}

static uint32_t random_below(uint32_t n)
{
    return test_random_below(&number_state, n);
}

/* -1 ... 1 */
static float random_unit(void)
{
    return test_random_float(&number_state, -1.0f, 1.0f);
}

static float random_number(enum numbers numbers)
{
    static const float odd[] = {0.0f,    -0.0f,   1.0f,    -1.0f,           1e-45f,         -1e-40f,
                                1e-38f,  1e20f,   -1e20f,  1.17549435e-38f, 3.40282347e38f, 1e30f,
                                -1e-30f, 8388609, -1e-20f, -3.40282347e38f};
    static const float broken[] = {INFINITY, -INFINITY, NAN, -NAN};
    const uint32_t kind = random_u32() >> 4;
    if (numbers == ORDINARY || kind % 4 == 0) {
        return random_unit();
    }
    if (numbers == BROKEN && kind % 16 == 1) {
        return broken[(kind >> 4) % 4];
    }
    return odd[(kind >> 4) % (sizeof odd / sizeof *odd)];
}

static inline void random_numbers(float *out, size_t count, enum numbers numbers)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = random_number(numbers);
    }
}

static inline void random_bytes(uint8_t *out, size_t count, uint32_t range)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (uint8_t)random_below(range);
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Fails with the place of the first byte that differs. */
static inline void check_bytes(const void *actual, const void *expected, size_t size,
                               const char *what, mrw_isa isa)
{
    const uint8_t *a = actual, *b = expected;
    for (size_t i = 0; i < size && memcmp(a, b, size) != 0; i++) {
        if (a[i] != b[i]) {
            ck_abort_msg("%s, %s: byte %zu of %zu is %02x, not %02x", what, mrw_isa_name(isa), i,
                         size, a[i], b[i]);
        }
    }
}

#endif
