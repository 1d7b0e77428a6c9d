/* iqm_data.c: numbers, arrays and messages of the IQM reader. */
#include "base/text.h"
#include "load/iqm.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- failures -------------------------------------------------------------------------------- */

bool mrwi_load_iqm_fail(mrwi_load_iqm *load, const char *format, ...)
{
    char text[400], name[300];
    if (!load->status) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        load->status = mrwi_base_fail(load->error, MRW_ERROR_INPUT, "%s: %s",
                                      mrwi_base_escape(load->job->name, name, sizeof name), text);
    }
    return false;
}

bool mrwi_load_iqm_ok(mrwi_load_iqm *load, mrw_status status)
{
    if (!load->status) {
        load->status = status;
    }
    return !load->status;
}

void *mrwi_load_iqm_alloc(mrwi_load_iqm *load, mrwi_base_arena *arena, size_t count, size_t size)
{
    void *memory = !load->status ? mrwi_base_arena_alloc(arena, count, size) : NULL;
    if (!memory && !load->status) {
        load->status = mrwi_base_fail_memory(load->error, 0);
    }
    return memory;
}

bool mrwi_load_iqm_charge(mrwi_load_iqm *load, uint64_t rows)
{
    if (rows > load->rows_left && load->budget == load->job->def->max_elements) {
        return mrwi_load_iqm_fail(load, "the file has more than the %" PRIu64 " elements allowed",
                                  load->budget);
    }
    if (rows > load->rows_left) {
        return mrwi_load_iqm_fail(load,
                                  "its meshes, clips and names share so much of its %zu bytes that "
                                  "they expand to more than %" PRIu64
                                  " vertices, corners and keys; export them to separate files",
                                  load->job->size, load->budget);
    }
    load->rows_left -= rows;
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

uint16_t mrwi_load_iqm_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | (uint32_t)at[1] << 8);
}

uint32_t mrwi_load_iqm_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

float mrwi_load_iqm_f32(const uint8_t *at)
{
    const uint32_t bits = mrwi_load_iqm_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double f64(const uint8_t *at)
{
    const uint64_t bits = mrwi_load_iqm_u32(at) | (uint64_t)mrwi_load_iqm_u32(at + 4) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double f16(const uint8_t *at)
{
    const uint32_t bits = mrwi_load_iqm_u16(at);
    const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 0    ? ldexp((double)mantissa, -24)
                   : exponent == 31 ? (mantissa == 0 ? (double)INFINITY : (double)NAN)
                                    : ldexp((double)(1024 + mantissa), (int)exponent - 25);
    return bits >> 15 ? -value : value;
}

/* Reads a two's complement number of `width` bits. */
static double signed_value(uint32_t bits, int width)
{
    const double value = (double)bits;
    return bits >> (width - 1) ? value - ldexp(1.0, width) : value;
}

static const struct {
    uint8_t size;
    bool is_signed, is_integer;
} formats[MRWI_LOAD_IQM_FORMAT_COUNT] = {
    [MRWI_LOAD_IQM_BYTE] = {1, true, true},    [MRWI_LOAD_IQM_UBYTE] = {1, false, true},
    [MRWI_LOAD_IQM_SHORT] = {2, true, true},   [MRWI_LOAD_IQM_USHORT] = {2, false, true},
    [MRWI_LOAD_IQM_INT] = {4, true, true},     [MRWI_LOAD_IQM_UINT] = {4, false, true},
    [MRWI_LOAD_IQM_HALF] = {2, true, false},   [MRWI_LOAD_IQM_FLOAT] = {4, true, false},
    [MRWI_LOAD_IQM_DOUBLE] = {8, true, false},
};

uint32_t mrwi_load_iqm_format_size(mrwi_load_iqm_format format)
{
    return formats[format].size;
}

double mrwi_load_iqm_number(const uint8_t *at, mrwi_load_iqm_format format)
{
    switch (format) {
    case MRWI_LOAD_IQM_BYTE:
        return signed_value(at[0], 8);
    case MRWI_LOAD_IQM_UBYTE:
        return at[0];
    case MRWI_LOAD_IQM_SHORT:
        return signed_value(mrwi_load_iqm_u16(at), 16);
    case MRWI_LOAD_IQM_USHORT:
        return mrwi_load_iqm_u16(at);
    case MRWI_LOAD_IQM_INT:
        return signed_value(mrwi_load_iqm_u32(at), 32);
    case MRWI_LOAD_IQM_UINT:
        return mrwi_load_iqm_u32(at);
    case MRWI_LOAD_IQM_HALF:
        return f16(at);
    case MRWI_LOAD_IQM_FLOAT:
        return (double)mrwi_load_iqm_f32(at);
    default:
        return f64(at);
    }
}

double mrwi_load_iqm_value(const uint8_t *at, mrwi_load_iqm_format format)
{
    const double number = mrwi_load_iqm_number(at, format);
    if (!formats[format].is_integer) {
        return number;
    }
    const double range = ldexp(1.0, 8 * formats[format].size) - 1.0;
    return formats[format].is_signed ? (2.0 * number + 1.0) / range : number / range;
}

void mrwi_load_iqm_turn(float v[3], bool sizes)
{
    const float y = v[1];
    v[1] = v[2];
    v[2] = sizes ? y : -y;
}

/* ---- arrays and names ------------------------------------------------------------------------ */

/* Bytes of a name that cost as much as a vertex, corner or key: many names may share one long
 * text. */
#define NAME_BYTES_A_ROW 16

bool mrwi_load_iqm_find(mrwi_load_iqm *load, const char *what, uint32_t count, uint64_t size,
                        uint32_t offset, mrwi_load_iqm_array *out)
{
    *out = (mrwi_load_iqm_array){NULL, count};
    if (count == 0) {
        return true;
    }
    if (offset < MRWI_LOAD_IQM_HEADER || offset > load->job->size ||
        size > (load->job->size - offset) / count) {
        return mrwi_load_iqm_fail(load,
                                  "its %s (%" PRIu32 " of %" PRIu64 " bytes at %" PRIu32
                                  ") are not inside the file; copy or export it again",
                                  what, count, size, offset);
    }
    out->at = load->job->bytes + offset;
    return true;
}

const char *mrwi_load_iqm_name(mrwi_load_iqm *load, const mrwi_load_iqm_file *file, uint32_t offset,
                               const char *what, uint32_t index)
{
    if (offset > file->text.size || (offset == file->text.size && offset > 0)) {
        mrwi_load_iqm_fail(load,
                           "%s %" PRIu32 ": its name, at %" PRIu32 " of %" PRIu32
                           " bytes of text, is missing; export the model again",
                           what, index, offset, file->text.size);
        return NULL;
    }
    const char *name = file->text.at + offset;
    return mrwi_load_iqm_charge(load, strlen(name) / NAME_BYTES_A_ROW) ? name : NULL;
}
