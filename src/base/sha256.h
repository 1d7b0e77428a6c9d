/* sha256.h: SHA-256 (FIPS 180-4). */
#ifndef MRWI_BASE_SHA256_H
#define MRWI_BASE_SHA256_H

#include "marrow/base.h"

typedef struct mrwi_base_sha256 {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
} mrwi_base_sha256;

void mrwi_base_sha256_begin(mrwi_base_sha256 *hash);
void mrwi_base_sha256_add(mrwi_base_sha256 *hash, const void *data, size_t size);
void mrwi_base_sha256_add_u32(mrwi_base_sha256 *hash, uint32_t value); /* little-endian */
void mrwi_base_sha256_end(mrwi_base_sha256 *hash, uint8_t out[32]);
void mrwi_base_sha256_text(const uint8_t hash[32], char out[65]);

/* Takes `count` blocks of 64 bytes into the state. The first is the specification; the second needs
 * the SHA instructions of x86-64, is the same, and is chosen at run time where it is available. */
void mrwi_base_sha256_blocks_scalar(uint32_t state[8], const uint8_t *blocks, size_t count);
void mrwi_base_sha256_blocks_x86(uint32_t state[8], const uint8_t *blocks, size_t count);
bool mrwi_base_sha256_x86_available(void);

/* FIPS 180-4, 4.2.2. */
extern const uint32_t mrwi_base_sha256_constants[64];

#endif
