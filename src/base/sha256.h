/* sha256.h: SHA-256 (FIPS 180-4). */
#ifndef MRWI_BASE_SHA256_H
#define MRWI_BASE_SHA256_H

#include "marrow/base.h"

typedef struct mrwi_sha256 {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
} mrwi_sha256;

void mrwi_sha256_begin(mrwi_sha256 *hash);
void mrwi_sha256_add(mrwi_sha256 *hash, const void *data, size_t size);
void mrwi_sha256_add_u32(mrwi_sha256 *hash, uint32_t value); /* little-endian */
void mrwi_sha256_end(mrwi_sha256 *hash, uint8_t out[32]);
void mrwi_sha256_text(const uint8_t hash[32], char out[65]);

#endif
