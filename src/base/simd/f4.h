/* f4.h: four lanes of float and int32, the width every 64-bit CPU has.
 *
 * GCC and clang vector extensions: each lane is one IEEE operation, so the bits are those of scalar
 * code on every machine. Comparisons give 0 or -1 a lane.
 */
#ifndef MRWI_BASE_SIMD_F4_H
#define MRWI_BASE_SIMD_F4_H

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

typedef float mrwi_base_f4 __attribute__((vector_size(16)));
typedef int32_t mrwi_base_i4 __attribute__((vector_size(16)));

static inline mrwi_base_f4 mrwi_base_f4_set(float v)
{
    return (mrwi_base_f4){v, v, v, v};
}
static inline mrwi_base_i4 mrwi_base_i4_set(int32_t v)
{
    return (mrwi_base_i4){v, v, v, v};
}

static inline mrwi_base_f4 mrwi_base_f4_load(const float *p)
{
    mrwi_base_f4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline mrwi_base_i4 mrwi_base_i4_load(const void *p)
{
    mrwi_base_i4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void mrwi_base_f4_store(float *p, mrwi_base_f4 v)
{
    memcpy(p, &v, sizeof v);
}
static inline void mrwi_base_i4_store(void *p, mrwi_base_i4 v)
{
    memcpy(p, &v, sizeof v);
}

/* Lanes of a where mask is -1, of b where it is 0. */
static inline mrwi_base_i4 mrwi_base_i4_select(mrwi_base_i4 mask, mrwi_base_i4 a, mrwi_base_i4 b)
{
    return (mask & a) | (~mask & b);
}

/* a < b ? a : b and a > b ? a : b, so b when one is NaN or both are zeros. */
static inline mrwi_base_f4 mrwi_base_f4_min(mrwi_base_f4 a, mrwi_base_f4 b)
{
#if defined(__x86_64__)
    return (mrwi_base_f4)_mm_min_ps((__m128)a, (__m128)b);
#else
    return (mrwi_base_f4)mrwi_base_i4_select(a < b, (mrwi_base_i4)a, (mrwi_base_i4)b);
#endif
}
static inline mrwi_base_f4 mrwi_base_f4_max(mrwi_base_f4 a, mrwi_base_f4 b)
{
#if defined(__x86_64__)
    return (mrwi_base_f4)_mm_max_ps((__m128)a, (__m128)b);
#else
    return (mrwi_base_f4)mrwi_base_i4_select(a > b, (mrwi_base_i4)a, (mrwi_base_i4)b);
#endif
}

#endif
