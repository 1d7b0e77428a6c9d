/* exr_reader.h: a reader of OpenEXR files of its own, for tests: one part, scanlines, ZIP, 32 bits
 * a value; after "OpenEXR File Layout" of the Academy Software Foundation. */
#ifndef MARROW_EXR_READER_H
#define MARROW_EXR_READER_H

#include "test.h"

#include <libdeflate.h>
#include <stdint.h>

#define EXR_MOST_CHANNELS 64

typedef struct exr_channel {
    char name[256];
    uint32_t type; /* 0 UINT, 2 FLOAT */
    uint8_t *values;
} exr_channel;

typedef struct exr_file {
    const uint8_t *data;
    size_t size;
    uint32_t flags; /* of the version */
    uint32_t width, height;
    exr_channel channels[EXR_MOST_CHANNELS]; /* as the file has them */
    uint32_t channel_count;
} exr_file;

static inline uint32_t exr_u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
}

/* The value of an attribute, and its bytes; NULL when it is not there. */
static inline const uint8_t *exr_attribute(const exr_file *file, const char *name, const char *type,
                                           uint32_t *size)
{
    const uint8_t *at = file->data + 8;
    while (*at) {
        const char *own = (const char *)at, *kind = own + strlen(own) + 1;
        const uint8_t *value = (const uint8_t *)kind + strlen(kind) + 5;
        const uint32_t bytes = exr_u32(value - 4);
        ck_assert(value + bytes < file->data + file->size);
        if (strcmp(own, name) == 0) {
            ck_assert_str_eq(kind, type);
            *size = bytes;
            return value;
        }
        at = value + bytes;
    }
    return NULL;
}

/* Behind the header: the table of where blocks are. */
static inline const uint8_t *exr_table(const exr_file *file)
{
    const uint8_t *at = file->data + 8;
    while (*at) {
        const char *kind = (const char *)at + strlen((const char *)at) + 1;
        const uint8_t *value = (const uint8_t *)kind + strlen(kind) + 5;
        at = value + exr_u32(value - 4);
    }
    return at + 1;
}

static inline void exr_read_channels(exr_file *file)
{
    uint32_t size = 0;
    const uint8_t *at = exr_attribute(file, "channels", "chlist", &size);
    ck_assert_ptr_nonnull(at);
    while (*at) {
        exr_channel *channel = &file->channels[file->channel_count++];
        ck_assert_uint_le(file->channel_count, EXR_MOST_CHANNELS);
        ck_assert_uint_lt(strlen((const char *)at), sizeof channel->name);
        strcpy(channel->name, (const char *)at);
        at += strlen(channel->name) + 1;
        channel->type = exr_u32(at);
        ck_assert(channel->type == 0 || channel->type == 2);
        ck_assert_uint_eq(exr_u32(at + 8), 1);
        ck_assert_uint_eq(exr_u32(at + 12), 1);
        at += 16;
        channel->values = calloc((size_t)file->width * file->height, 4);
        ck_assert(file->channel_count < 2 || strcmp(channel[-1].name, channel->name) < 0);
    }
}

/* Undoes ZIP: inflate, differences, and the two halves of bytes. */
static inline void exr_unpack(const uint8_t *from, uint32_t packed, uint8_t *to, size_t size)
{
    uint8_t *work = malloc(size);
    size_t got = 0;
    if (packed == size) {
        memcpy(to, from, size);
        free(work);
        return;
    }
    struct libdeflate_decompressor *inflate = libdeflate_alloc_decompressor();
    ck_assert_int_eq(libdeflate_zlib_decompress(inflate, from, packed, work, size, &got), 0);
    ck_assert_uint_eq(got, size);
    libdeflate_free_decompressor(inflate);
    for (size_t i = 1; i < size; i++) {
        work[i] = (uint8_t)(work[i - 1] + work[i] - 128);
    }
    for (size_t i = 0; i < size; i++) {
        to[i] = work[i / 2 + (i % 2 ? (size + 1) / 2 : 0)];
    }
    free(work);
}

static inline void exr_read_blocks(exr_file *file)
{
    const uint8_t *table = exr_table(file);
    uint8_t *rows = malloc((size_t)16 * file->width * 4 * file->channel_count);
    for (uint32_t y = 0; y < file->height; y += 16, table += 8) {
        const uint32_t count = file->height - y < 16 ? file->height - y : 16;
        const uint8_t *block = file->data + exr_u32(table);
        ck_assert_uint_eq(exr_u32(table + 4), 0);
        ck_assert_uint_eq(exr_u32(block), y);
        ck_assert(block + 8 + exr_u32(block + 4) <= file->data + file->size);
        exr_unpack(block + 8, exr_u32(block + 4), rows,
                   (size_t)count * file->width * 4 * file->channel_count);
        const uint8_t *at = rows;
        for (uint32_t row = y; row < y + count; row++) {
            for (uint32_t c = 0; c < file->channel_count; c++, at += 4 * (size_t)file->width) {
                memcpy(file->channels[c].values + 4 * (size_t)row * file->width, at,
                       4 * (size_t)file->width);
            }
        }
    }
    free(rows);
}

/* data is borrowed. */
static inline void exr_open(exr_file *file, const void *data, size_t size)
{
    uint32_t bytes = 0;
    *file = (exr_file){.data = data, .size = size};
    ck_assert_uint_gt(size, 8);
    ck_assert_uint_eq(exr_u32(file->data), 20000630);
    ck_assert_uint_eq(file->data[4], 2);
    file->flags = exr_u32(file->data + 4) >> 8;
    const uint8_t *window = exr_attribute(file, "dataWindow", "box2i", &bytes);
    ck_assert_ptr_nonnull(window);
    ck_assert_uint_eq(exr_u32(window), 0);
    ck_assert_uint_eq(exr_u32(window + 4), 0);
    file->width = exr_u32(window + 8) + 1;
    file->height = exr_u32(window + 12) + 1;
    const uint8_t *packing = exr_attribute(file, "compression", "compression", &bytes);
    ck_assert_uint_eq(*packing, 3); /* ZIP, 16 rows */
    exr_read_channels(file);
    exr_read_blocks(file);
}

/* NULL when the file has none of this name. */
static inline const exr_channel *exr_find(const exr_file *file, const char *name)
{
    for (uint32_t i = 0; i < file->channel_count; i++) {
        if (strcmp(file->channels[i].name, name) == 0) {
            return &file->channels[i];
        }
    }
    return NULL;
}

static inline void exr_close(exr_file *file)
{
    for (uint32_t i = 0; i < file->channel_count; i++) {
        free(file->channels[i].values);
    }
    *file = (exr_file){0};
}

#endif
