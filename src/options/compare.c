/* compare.c: values of single options: compared between two settings, and as texts. */
#include "options/table.h"

#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static int compare_number(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_uint(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : !b - !a;
}

static int compare_texts(const mrw_text_list *a, const mrw_text_list *b)
{
    int order = compare_uint(a->count, b->count);
    for (size_t i = 0; i < a->count && order == 0; i++) {
        order = strcmp(a->items[i], b->items[i]);
    }
    return order;
}

int mrwi_options_compare(const mrw_settings *a, const mrw_settings *b,
                         const mrwi_options_option *option)
{
    const void *x = (const char *)a + option->offset, *y = (const char *)b + option->offset;
    switch (option->kind) {
    case MRWI_OPTIONS_FLAG:
        return *(const bool *)x - *(const bool *)y;
    case MRWI_OPTIONS_TEXT:
    case MRWI_OPTIONS_HEIGHTS:
        return compare_text(*(const char *const *)x, *(const char *const *)y);
    case MRWI_OPTIONS_TEXTS:
    case MRWI_OPTIONS_AT:
    case MRWI_OPTIONS_MASKS:
    case MRWI_OPTIONS_IDS:
    case MRWI_OPTIONS_POINTS:
        return compare_texts(x, y);
    case MRWI_OPTIONS_INTEGER:
    case MRWI_OPTIONS_CHOICE:
    case MRWI_OPTIONS_MAYBE:
    case MRWI_OPTIONS_SAMPLES:
        return compare_uint(*(const uint32_t *)x, *(const uint32_t *)y);
    case MRWI_OPTIONS_AMOUNT:
    case MRWI_OPTIONS_BYTES:
    case MRWI_OPTIONS_PIXELS:
        return compare_uint(*(const uint64_t *)x, *(const uint64_t *)y);
    case MRWI_OPTIONS_NUMBER:
        return compare_number(*(const double *)x, *(const double *)y);
    case MRWI_OPTIONS_FLOAT:
        return compare_number((double)*(const float *)x, (double)*(const float *)y);
    default:
        assert(false); /* a kind of several fields */
        return 0;
    }
}

/* Writes the text of a value, which has one field. */
static bool put_value(const mrw_settings *settings, const mrwi_options_option *option, size_t index,
                      char *out, size_t size)
{
    const void *field = (const char *)settings + option->offset;
    const mrw_text_list *list = field;
    size_t length = 0;
    switch (option->kind) {
    case MRWI_OPTIONS_FLAG:
        snprintf(out, size, "%s", *(const bool *)field ? "yes" : "no");
        return true;
    case MRWI_OPTIONS_TEXT:
    case MRWI_OPTIONS_HEIGHTS:
        snprintf(out, size, "%s", *(const char *const *)field ? *(const char *const *)field : "");
        return *(const char *const *)field;
    case MRWI_OPTIONS_TEXTS:
        snprintf(out, size, "%s", index < list->count ? list->items[index] : "");
        return index < list->count;
    case MRWI_OPTIONS_INTEGER:
        snprintf(out, size, "%u", *(const uint32_t *)field);
        return true;
    case MRWI_OPTIONS_AMOUNT:
    case MRWI_OPTIONS_BYTES:
    case MRWI_OPTIONS_PIXELS:
        snprintf(out, size, "%llu", (unsigned long long)*(const uint64_t *)field);
        return true;
    case MRWI_OPTIONS_NUMBER:
        mrwi_base_format_double(*(const double *)field, out);
        return true;
    case MRWI_OPTIONS_CHOICE: {
        const char *word = mrwi_options_choice(settings, option, &length);
        snprintf(out, size, "%.*s", (int)length, word);
        return true;
    }
    case MRWI_OPTIONS_ISA:
        snprintf(out, size, "%s", mrw_isa_name(*(const mrw_isa *)field));
        return true;
    default:
        return false;
    }
}

bool mrw_settings_text(const mrw_settings *settings, const char *name, size_t index, char *out,
                       size_t size)
{
    const mrwi_options_option *option = mrwi_options_option_find(name, strlen(name));
    assert(option && size >= 32);
    return (index == 0 || option->kind == MRWI_OPTIONS_TEXTS) &&
           put_value(settings, option, index, out, size);
}
