/* status.c: names of statuses, frame rates. */
#include "marrow/base.h"

const char *mrw_status_name(mrw_status status)
{
    switch (status) {
    case MRW_OK:
        return "ok";
    case MRW_ERROR_USAGE:
        return "usage";
    case MRW_ERROR_INPUT:
        return "input";
    case MRW_ERROR_OUTPUT:
        return "output";
    case MRW_ERROR_MEMORY:
        return "memory";
    case MRW_ERROR_UNSUPPORTED:
        return "unsupported";
    case MRW_ERROR_CPU:
        return "cpu";
    case MRW_ERROR_DISPLAY:
        return "display";
    case MRW_ERROR_TOOL:
        return "tool";
    case MRW_ERROR_TIME:
        return "time";
    case MRW_ERROR_CANCELLED:
        return "cancelled";
    case MRW_ERROR_INTERNAL:
        return "internal";
    }
    return "unknown";
}

/* Appends the digits at *text to *value; false when there are none or it passes `limit`. */
static bool read_digits(const char **text, uint64_t limit, uint64_t *value)
{
    const char *start = *text;
    while (**text >= '0' && **text <= '9') {
        *value = *value * 10 + (uint64_t)(**text - '0');
        if (*value > limit) {
            return false;
        }
        (*text)++;
    }
    return *text != start;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The NTSC family, written as decimals everywhere though it means n * 1000 / 1001. */
static mrw_rate exact_rate(mrw_rate rate)
{
    static const struct {
        mrw_rate written, meant;
    } ntsc[] = {
        {{2997, 125}, {24000, 1001}}, /* 23.976 */
        {{2997, 100}, {30000, 1001}}, /* 29.97 */
        {{2997, 50}, {60000, 1001}},  /* 59.94 */
    };
    for (size_t i = 0; i < sizeof ntsc / sizeof *ntsc; i++) {
        if (rate.num == ntsc[i].written.num && rate.den == ntsc[i].written.den) {
            return ntsc[i].meant;
        }
    }
    return rate;
}

bool mrw_rate_parse(const char *text, mrw_rate *out)
{
    const uint64_t limit = UINT64_C(1000000000000000);
    uint64_t num = 0, den = 1;
    if (!read_digits(&text, limit, &num)) {
        return false;
    }
    bool decimal = *text == '.';
    if (decimal) {
        const char *start = ++text;
        if (!read_digits(&text, limit, &num)) {
            return false;
        }
        for (; start < text; start++) {
            den *= 10;
            if (den > limit) {
                return false;
            }
        }
    } else if (*text == '/') {
        text++;
        den = 0;
        if (!read_digits(&text, limit, &den)) {
            return false;
        }
    }
    if (*text != '\0' || num == 0 || den == 0) {
        return false;
    }
    uint64_t common = greatest_common_divisor(num, den);
    num /= common;
    den /= common;
    if (num > UINT32_MAX || den > UINT32_MAX) {
        return false;
    }
    mrw_rate rate = {(uint32_t)num, (uint32_t)den};
    *out = decimal ? exact_rate(rate) : rate;
    return true;
}
