/* loading.c: copies the options that decide how a model is loaded, with their texts. */
#include "base/memory.h"
#include "options/table.h"

#include <assert.h>
#include <string.h>

/* Returns true for kinds whose field is a list of texts. */
static bool is_texts(mrwi_options_kind kind)
{
    return kind == MRWI_OPTIONS_TEXTS || kind == MRWI_OPTIONS_AT || kind == MRWI_OPTIONS_MASKS ||
           kind == MRWI_OPTIONS_IDS || kind == MRWI_OPTIONS_POINTS;
}

static bool is_text(mrwi_options_kind kind)
{
    return kind == MRWI_OPTIONS_TEXT || kind == MRWI_OPTIONS_HEIGHTS;
}

/* Returns the bytes of a field that holds no pointer. */
static size_t value_size(mrwi_options_kind kind)
{
    switch (kind) {
    case MRWI_OPTIONS_FLAG:
        return sizeof(bool);
    case MRWI_OPTIONS_INTEGER:
    case MRWI_OPTIONS_CHOICE:
    case MRWI_OPTIONS_MAYBE:
    case MRWI_OPTIONS_SAMPLES:
        return sizeof(uint32_t);
    case MRWI_OPTIONS_AMOUNT:
    case MRWI_OPTIONS_BYTES:
    case MRWI_OPTIONS_PIXELS:
        return sizeof(uint64_t);
    case MRWI_OPTIONS_NUMBER:
        return sizeof(double);
    case MRWI_OPTIONS_FLOAT:
        return sizeof(float);
    default:
        assert(false); /* no option that loads has several fields */
        return 0;
    }
}

/* Returns the bytes that copies of an option's texts take, lists of pointers first. */
static void count_texts(const mrw_settings *from, const mrwi_options_option *option,
                        size_t *pointers, size_t *bytes)
{
    const void *field = (const char *)from + option->offset;
    const char *text = is_text(option->kind) ? *(const char *const *)field : NULL;
    const mrw_text_list *list = is_texts(option->kind) ? field : NULL;
    *bytes += text ? strlen(text) + 1 : 0;
    for (size_t i = 0; list && i < list->count; i++) {
        *pointers += 1;
        *bytes += strlen(list->items[i]) + 1;
    }
}

/* Copies a text to *at, and moves *at behind it. */
static const char *put(char **at, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = *at;
    memcpy(copy, text, size);
    *at += size;
    return copy;
}

static void copy_option(const mrw_settings *from, const mrwi_options_option *option,
                        mrw_settings *out, const char ***pointers, char **texts)
{
    const void *source = (const char *)from + option->offset;
    void *target = (char *)out + option->offset;
    if (is_text(option->kind)) {
        const char *text = *(const char *const *)source;
        *(const char **)target = text ? put(texts, text) : NULL;
    } else if (is_texts(option->kind)) {
        const mrw_text_list *list = source;
        *(mrw_text_list *)target = (mrw_text_list){.items = *pointers, .count = list->count};
        for (size_t i = 0; i < list->count; i++) {
            *(*pointers)++ = put(texts, list->items[i]);
        }
    } else {
        memcpy(target, source, value_size(option->kind));
    }
}

bool mrwi_options_copy_loading(const mrw_settings *from, mrw_settings *out, void **texts)
{
    size_t pointer_count = 0, bytes = 0;
    mrw_settings_init(out);
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        if ((mrwi_options[i].roles & MRWI_OPTIONS_LOADS) != 0) {
            count_texts(from, &mrwi_options[i], &pointer_count, &bytes);
        }
    }
    *texts = mrwi_base_alloc(pointer_count * sizeof(char *) + bytes, 1);
    if (!*texts) {
        return false;
    }
    const char **pointers = *texts;
    char *at = (char *)(pointers + pointer_count);
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        if ((mrwi_options[i].roles & MRWI_OPTIONS_LOADS) != 0) {
            copy_option(from, &mrwi_options[i], out, &pointers, &at);
        }
    }
    return true;
}
