/* sha256.c: SHA-256 (FIPS 180-4). */
#include "base/sha256.h"

#include <string.h>

const uint32_t mrwi_base_sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, int n)
{
    return (x >> n) | (x << (32 - n));
}

static uint32_t load_big_endian(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static void expand_schedule(const uint8_t block[64], uint32_t w[64])
{
    for (int t = 0; t < 16; t++) {
        w[t] = load_big_endian(block + 4 * t);
    }
    for (int t = 16; t < 64; t++) {
        uint32_t x = w[t - 15], y = w[t - 2];
        uint32_t s0 = rotate_right(x, 7) ^ rotate_right(x, 18) ^ (x >> 3);
        uint32_t s1 = rotate_right(y, 17) ^ rotate_right(y, 19) ^ (y >> 10);
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
}

/* FIPS 180-4, 6.2.2. */
static void compress(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64];
    expand_schedule(block, w);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t++) {
        uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + mrwi_base_sha256_constants[t] + w[t];
        uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void mrwi_base_sha256_blocks_scalar(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    for (; count > 0; count--, blocks += 64) {
        compress(state, blocks);
    }
}

static void take_blocks(uint32_t state[8], const uint8_t *blocks, size_t count)
{
    if (mrwi_base_sha256_x86_available()) {
        mrwi_base_sha256_blocks_x86(state, blocks, count);
    } else {
        mrwi_base_sha256_blocks_scalar(state, blocks, count);
    }
}

void mrwi_base_sha256_begin(mrwi_base_sha256 *hash)
{
    *hash = (mrwi_base_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                         0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void mrwi_base_sha256_add(mrwi_base_sha256 *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    size_t filled = (size_t)(hash->length % 64);
    hash->length += size;
    if (filled != 0) {
        size_t take = size < 64 - filled ? size : 64 - filled;
        if (take != 0) {
            memcpy(hash->block + filled, bytes, take);
        }
        if (filled + take < 64) {
            return;
        }
        take_blocks(hash->state, hash->block, 1);
        bytes += take;
        size -= take;
    }
    take_blocks(hash->state, bytes, size / 64);
    if (size % 64 != 0) {
        memcpy(hash->block, bytes + size / 64 * 64, size % 64);
    }
}

void mrwi_base_sha256_add_u32(mrwi_base_sha256 *hash, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    mrwi_base_sha256_add(hash, bytes, sizeof bytes);
}

void mrwi_base_sha256_end(mrwi_base_sha256 *hash, uint8_t out[32])
{
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = hash->length * 8;
    size_t filled = (size_t)(hash->length % 64);
    mrwi_base_sha256_add(hash, padding, filled < 56 ? 56 - filled : 120 - filled);
    uint8_t tail[8];
    for (int i = 0; i < 8; i++) {
        tail[i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    mrwi_base_sha256_add(hash, tail, sizeof tail);
    for (int i = 0; i < 32; i++) {
        out[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

void mrwi_base_sha256_text(const uint8_t hash[32], char out[65])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    out[64] = '\0';
}
