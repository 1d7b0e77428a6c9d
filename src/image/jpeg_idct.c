/* jpeg_idct.c: the inverse cosine transform of libjpeg-turbo's islow method, for blocks that only
 * damaged or strange files contain.
 *
 * The kernels of libjpeg-turbo give the same samples as its C code as long as nothing overflows:
 * kernels add in 16 bits and saturate, C adds in more bits and wraps samples at 10 bits. A damaged
 * file easily gets there, because each DC coefficient is added to the one before it. In a trial of
 * 960 files with 1 to 4 wrong bytes, 138 became another picture with SSE2 than in C.
 *
 * So blocks are tested. The constants of the transform are at most 1.3870 = sqrt(2) cos(pi / 16),
 * so a sample is at most 1.3870 * 1.3870 / 8 = 0.2405 times the sum of all |coefficient *
 * quantiser|. If that sum is at most 2048, then samples are within -493 ... 493, results of the
 * first pass, which have 2 more bits, within 4 * 1.3870 * 2048 = 11363, and sums of two of those or
 * of two coefficients fit 16 bits. Blocks over that are computed here, in 64 bits. */
#include "image/jpeg_idct.h"

#define MODERATE 2048

_Static_assert((int64_t)64 * 32768 * MRWI_IMAGE_JPEG_QUANT_MAX <= INT32_MAX, "the sum fits");

bool mrwi_image_jpeg_is_moderate(const int16_t coefficients[64], const int16_t quantisers[64])
{
    int32_t sum = 0; /* The negative is taken: 32768 does not fit. */
    for (int i = 0; i < 64; i++) {
        const int16_t c = coefficients[i], other = (int16_t)-c;
        sum += (c < other ? c : other) * quantisers[i];
    }
    return sum >= -MODERATE;
}

/* One dimension of the transform, by Loeffler, Ligtenberg and Moschytz, "Practical fast 1-D DCT
 * algorithms with 11 multiplications" (ICASSP 1989), in libjpeg's order. Constants and results have
 * 13 more bits. */
static void transform(const int64_t in[8], int64_t out[8])
{
    /* even part */
    const int64_t turn = (in[2] + in[6]) * 4433;
    const int64_t low = turn - in[6] * 15137, high = turn + in[2] * 6270;
    const int64_t sum = (in[0] + in[4]) * 8192, difference = (in[0] - in[4]) * 8192;
    const int64_t even[4] = {sum + high, difference + low, difference - low, sum - high};
    /* odd part */
    const int64_t z5 = (in[7] + in[3] + in[5] + in[1]) * 9633;
    const int64_t z1 = (in[7] + in[1]) * -7373, z2 = (in[5] + in[3]) * -20995;
    const int64_t z3 = (in[7] + in[3]) * -16069 + z5, z4 = (in[5] + in[1]) * -3196 + z5;
    const int64_t odd[4] = {in[1] * 12299 + z1 + z4, in[3] * 25172 + z2 + z3,
                            in[5] * 16819 + z2 + z4, in[7] * 2446 + z1 + z3};
    for (int i = 0; i < 4; i++) {
        out[i] = even[i] + odd[i];
        out[7 - i] = even[i] - odd[i];
    }
}

/* Divides by 2^bits and rounds to the nearest integer, halves up. */
static int64_t descale(int64_t value, int bits)
{
    return (value + ((int64_t)1 << (bits - 1))) >> bits;
}

void mrwi_image_jpeg_transform(const int16_t coefficients[64], const uint16_t quantisers[64],
                               uint8_t *const rows[8], size_t column)
{
    int64_t work[64], in[8], out[8];
    for (int x = 0; x < 8; x++) {
        for (int v = 0; v < 8; v++) {
            in[v] = (int64_t)coefficients[8 * v + x] * quantisers[8 * v + x];
        }
        transform(in, out);
        for (int y = 0; y < 8; y++) {
            work[8 * y + x] = descale(out[y], 13 - 2);
        }
    }
    for (size_t y = 0; y < 8; y++) {
        transform(work + 8 * y, out);
        for (size_t x = 0; x < 8; x++) {
            const int64_t sample = descale(out[x], 13 + 2 + 3) + 128;
            rows[y][column + x] = (uint8_t)(sample < 0 ? 0 : sample > 255 ? 255 : sample);
        }
    }
}
