/* bigint.h: unsigned integers up to 4096 bits, for exact conversion between decimal and binary. */
#ifndef MRWI_BASE_BIGINT_H
#define MRWI_BASE_BIGINT_H

#include "marrow/base.h"

/* Enough for 800 decimal digits beside 5^1200: the hardest decimal number a double needs. */
#define MRWI_BASE_BIGINT_WORDS 128

/* Least significant word first; words from count on are not defined; zero has count 0. A result
 * that does not fit is a programmer's error. */
typedef struct mrwi_base_bigint {
    int count;
    uint32_t words[MRWI_BASE_BIGINT_WORDS];
} mrwi_base_bigint;

void mrwi_base_bigint_set(mrwi_base_bigint *a, uint64_t value);
void mrwi_base_bigint_copy(mrwi_base_bigint *a, const mrwi_base_bigint *b);
/* a = a * factor + addend */
void mrwi_base_bigint_multiply(mrwi_base_bigint *a, uint32_t factor, uint32_t addend);
/* a = a * 5^exponent */
void mrwi_base_bigint_multiply_power5(mrwi_base_bigint *a, int exponent);
void mrwi_base_bigint_shift_left(mrwi_base_bigint *a, int bits);
void mrwi_base_bigint_add(mrwi_base_bigint *a, const mrwi_base_bigint *b);
/* a = a - b for a >= b */
void mrwi_base_bigint_subtract(mrwi_base_bigint *a, const mrwi_base_bigint *b);
/* Negative, zero or positive as a is less than, equal to or greater than b. */
int mrwi_base_bigint_compare(const mrwi_base_bigint *a, const mrwi_base_bigint *b);
/* Position of the highest set bit plus one; 0 for zero. */
int mrwi_base_bigint_bits(const mrwi_base_bigint *a);

#endif
