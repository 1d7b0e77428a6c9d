/* bigint.c: unsigned integers up to 4096 bits. */
#include "base/bigint.h"

#include <assert.h>
#include <string.h>

static void push(mrwi_base_bigint *a, uint32_t word)
{
    assert(a->count < MRWI_BASE_BIGINT_WORDS);
    a->words[a->count++] = word;
}

static void drop_leading_zeros(mrwi_base_bigint *a)
{
    while (a->count > 0 && a->words[a->count - 1] == 0) {
        a->count--;
    }
}

void mrwi_base_bigint_set(mrwi_base_bigint *a, uint64_t value)
{
    a->words[0] = (uint32_t)value;
    a->words[1] = (uint32_t)(value >> 32);
    a->count = 2;
    drop_leading_zeros(a);
}

void mrwi_base_bigint_copy(mrwi_base_bigint *a, const mrwi_base_bigint *b)
{
    a->count = b->count;
    memcpy(a->words, b->words, (size_t)b->count * sizeof *a->words);
}

void mrwi_base_bigint_multiply(mrwi_base_bigint *a, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < a->count; i++) {
        carry += (uint64_t)a->words[i] * factor;
        a->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        push(a, (uint32_t)carry);
    }
    drop_leading_zeros(a);
}

void mrwi_base_bigint_multiply_power5(mrwi_base_bigint *a, int exponent)
{
    const uint32_t power13 = 1220703125; /* 5^13, the largest that fits a word */
    for (; exponent >= 13; exponent -= 13) {
        mrwi_base_bigint_multiply(a, power13, 0);
    }
    uint32_t rest = 1;
    for (; exponent > 0; exponent--) {
        rest *= 5;
    }
    mrwi_base_bigint_multiply(a, rest, 0);
}

void mrwi_base_bigint_shift_left(mrwi_base_bigint *a, int bits)
{
    if (a->count == 0 || bits == 0) {
        return;
    }
    int whole = bits / 32, part = bits % 32;
    uint64_t carry = 0;
    for (int i = 0; i < a->count; i++) {
        carry |= (uint64_t)a->words[i] << part;
        a->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        push(a, (uint32_t)carry);
    }
    if (whole != 0) {
        assert(a->count + whole <= MRWI_BASE_BIGINT_WORDS);
        memmove(a->words + whole, a->words, (size_t)a->count * sizeof *a->words);
        memset(a->words, 0, (size_t)whole * sizeof *a->words);
        a->count += whole;
    }
}

void mrwi_base_bigint_add(mrwi_base_bigint *a, const mrwi_base_bigint *b)
{
    while (a->count < b->count) {
        push(a, 0);
    }
    uint64_t carry = 0;
    for (int i = 0; i < a->count; i++) {
        carry += (uint64_t)a->words[i] + (i < b->count ? b->words[i] : 0);
        a->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        push(a, (uint32_t)carry);
    }
}

void mrwi_base_bigint_subtract(mrwi_base_bigint *a, const mrwi_base_bigint *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        uint64_t difference = (uint64_t)a->words[i] - (i < b->count ? b->words[i] : 0) - borrow;
        a->words[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    assert(borrow == 0);
    drop_leading_zeros(a);
}

int mrwi_base_bigint_compare(const mrwi_base_bigint *a, const mrwi_base_bigint *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->words[i] != b->words[i]) {
            return a->words[i] < b->words[i] ? -1 : 1;
        }
    }
    return 0;
}

int mrwi_base_bigint_bits(const mrwi_base_bigint *a)
{
    return a->count == 0 ? 0 : 32 * a->count - __builtin_clz(a->words[a->count - 1]);
}
