/* sha256_x86.c: SHA-256 with the SHA instructions of x86-64, six times the speed of plain C. */
#include "base/sha256.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

/* CPUID takes microseconds in a virtual machine, so it is asked once; threads that race agree. */
bool mrwi_base_sha256_x86_available(void)
{
    static _Atomic int known; /* 1 no, 2 yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        unsigned a = 0, b = 0, c = 0, d = 0, leaf1_c = 0;
        bool told = __get_cpuid(1, &a, &b, &leaf1_c, &d) && __get_cpuid_count(7, 0, &a, &b, &c, &d);
        answer = told && (leaf1_c & bit_SSE4_1) != 0 && (b & bit_SHA) != 0 ? 2 : 1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

/* w[i % 4] holds words 4i ... 4i + 3 of the message schedule (FIPS 180-4, 6.2.2). The instructions
 * want the state as a, b, e, f and c, d, g, h, the first in the highest lane, and do two rounds;
 * after each two, what was a, b, e, f is c, d, g, h. */
__attribute__((target("sha,sse4.1"))) void
mrwi_base_sha256_blocks_x86(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    const int *s = (const int *)state;
    __m128i abef = _mm_set_epi32(s[0], s[1], s[4], s[5]);
    __m128i cdgh = _mm_set_epi32(s[2], s[3], s[6], s[7]);
    for (; count > 0; count--, blocks += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4];
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            __m128i *now = &w[i % 4], last = w[(i + 3) % 4];
            if (i < 4) {
                *now = _mm_loadu_si128((const __m128i *)(const void *)(blocks + 16 * i));
                *now = _mm_shuffle_epi8(*now, big_endian);
            } else {
                __m128i sum = _mm_sha256msg1_epu32(*now, w[(i + 1) % 4]);
                sum = _mm_add_epi32(sum, _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
                *now = _mm_sha256msg2_epu32(sum, last);
            }
            const uint32_t *constants = &mrwi_base_sha256_constants[4 * i];
            __m128i k = _mm_loadu_si128((const __m128i *)(const void *)constants);
            k = _mm_add_epi32(k, *now);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0E));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    uint32_t lanes[2][4];
    _mm_storeu_si128((__m128i *)(void *)lanes[0], abef);
    _mm_storeu_si128((__m128i *)(void *)lanes[1], cdgh);
    for (int i = 0; i < 2; i++) {
        state[2 * i] = lanes[i][3];
        state[2 * i + 1] = lanes[i][2];
        state[2 * i + 4] = lanes[i][1];
        state[2 * i + 5] = lanes[i][0];
    }
}

#else

bool mrwi_base_sha256_x86_available(void)
{
    return false;
}

void mrwi_base_sha256_blocks_x86(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    mrwi_base_sha256_blocks_scalar(state, blocks, count);
}

#endif
