/* fbx_arrays.c: reads arrays of numbers in FBX files.
 *
 * Binary: a property with type, count, whether it is compressed (zlib), bytes. Text: "Name: *count
 * { a: 1,2,3 }". */
#include "import/fbx_bytes.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"

#include <libdeflate.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_COUNT      (1u << 22)
#define EXACT_INTEGERS (INT64_C(1) << 53)

/* ---- binary ---------------------------------------------------------------------------------- */

static size_t element_size(uint8_t type)
{
    return type == 'l' || type == 'd' ? 8 : type == 'i' || type == 'f' ? 4 : 0;
}

/* Returns the elements of a property of `size` bytes, uncompressed if necessary: *block must be
 * freed. */
static const uint8_t *unpack(const uint8_t *p, size_t size, size_t *count, uint8_t **block)
{
    size_t element = size >= 13 ? element_size(p[0]) : 0;
    *block = NULL;
    if (element == 0) {
        return NULL;
    }
    size_t wanted = (size_t)mrwi_import_fbx_little(p + 1, 4),
           packed = (size_t)mrwi_import_fbx_little(p + 9, 4);
    uint64_t encoding = mrwi_import_fbx_little(p + 5, 4);
    *count = wanted;
    if (wanted == 0 || wanted > MAX_COUNT || packed > size - 13) {
        return NULL;
    }
    if (encoding == 0) {
        return packed == wanted * element ? p + 13 : NULL;
    }
    struct libdeflate_decompressor *inflater =
        encoding == 1 ? libdeflate_alloc_decompressor() : NULL;
    *block = inflater ? mrwi_base_alloc(wanted, element) : NULL;
    bool good = *block && libdeflate_zlib_decompress(inflater, p + 13, packed, *block,
                                                     wanted * element, NULL) == 0;
    libdeflate_free_decompressor(inflater);
    return good ? *block : NULL;
}

static double number_at(const uint8_t *p, uint8_t type, mrwi_import_fbx_kind kind)
{
    size_t size = element_size(type);
    uint64_t bits = size == 8 ? mrwi_import_fbx_little(p, 8) : mrwi_import_fbx_little(p, 4);
    uint32_t low = (uint32_t)bits;
    float single;
    double number;
    if (kind == MRWI_IMPORT_FBX_BITS && size == 4) {
        return (double)low;
    }
    switch (type) {
    case 'i':
        return (double)(int32_t)low;
    case 'l':
        return (double)(int64_t)bits;
    case 'f':
        memcpy(&single, &low, sizeof single);
        return (double)single;
    default:
        memcpy(&number, &bits, sizeof number);
        return number;
    }
}

static bool read_binary_array(const mrwi_import_fbx *fbx, const mrwi_import_fbx_node *parent,
                              const char *name, mrwi_import_fbx_kind kind,
                              mrwi_import_fbx_array *out)
{
    mrwi_import_fbx_node node;
    uint8_t *block;
    if (!mrwi_import_fbx_find_child(fbx, parent, name, &node)) {
        return false;
    }
    const uint8_t *property = fbx->bytes + node.properties;
    const uint8_t *p = unpack(property, node.children - node.properties, &out->count, &block);
    if (p) {
        out->numbers = mrwi_base_alloc(out->count, sizeof *out->numbers);
    }
    for (size_t i = 0; out->numbers && i < out->count; i++) {
        out->numbers[i] = number_at(p + i * element_size(property[0]), property[0], kind);
    }
    mrwi_base_free(block);
    out->at = node.at;
    out->end = node.end;
    return out->numbers;
}

/* ---- text ------------------------------------------------------------------------------------ */

static size_t skip_commas(const mrwi_import_fbx *fbx, size_t at, size_t to)
{
    at = mrwi_import_fbx_skip_blanks(fbx, at, to);
    while (at < to && fbx->bytes[at] == ',') {
        at = mrwi_import_fbx_skip_blanks(fbx, at + 1, to);
    }
    return at;
}

/* Returns the 32 bits of a number in a text file: from version 7200 on it is the integer; in older
 * files and those of other writers it is the float. */
static double bits_of(const mrwi_import_fbx *fbx, const char *token, size_t length, double number)
{
    bool is_float =
        memchr(token, '.', length) || memchr(token, 'e', length) || memchr(token, 'E', length);
    if (is_float || fbx->version < 7200) {
        float single = fabs(number) < 1e30 ? (float)number : 0.0f;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return (double)bits;
    }
    return number;
}

/* Reads `count` numbers and the closing brace after them. Returns the offset of the end, or 0. */
static size_t read_numbers(const mrwi_import_fbx *fbx, size_t at, size_t to,
                           mrwi_import_fbx_kind kind, mrwi_import_fbx_array *out)
{
    for (size_t i = 0; i < out->count; i++) {
        at = i > 0 ? skip_commas(fbx, at, to) : mrwi_import_fbx_skip_blanks(fbx, at, to);
        const char *token = (const char *)fbx->bytes + at;
        size_t length = mrwi_base_parse_double(token, to - at, &out->numbers[i]);
        if (length == 0) {
            return 0;
        }
        if (kind == MRWI_IMPORT_FBX_BITS) {
            out->numbers[i] = bits_of(fbx, token, length, out->numbers[i]);
        }
        at += length;
    }
    at = mrwi_import_fbx_skip_blanks(fbx, at, to);
    return at < to && fbx->bytes[at] == '}' ? at + 1 : 0;
}

static bool read_text_array(const mrwi_import_fbx *fbx, size_t from, size_t to, const char *name,
                            mrwi_import_fbx_kind kind, mrwi_import_fbx_array *out)
{
    double count;
    size_t at =
        mrwi_import_fbx_skip_blanks(fbx, mrwi_import_fbx_find_line(fbx, from, to, name), to);
    out->at = at;
    if (at == to || fbx->bytes[at] != '*') {
        return false;
    }
    at++;
    size_t length = mrwi_base_parse_double((const char *)fbx->bytes + at, to - at, &count);
    /* a number takes at least two characters */
    if (length == 0 || count < 1.0 || count > MAX_COUNT || count > (double)(to - at)) {
        return false;
    }
    at = mrwi_import_fbx_skip_blanks(fbx, at + length, to);
    if (at == to || fbx->bytes[at] != '{') {
        return false;
    }
    at = mrwi_import_fbx_skip_blanks(fbx, at + 1, to);
    if (to - at < 2 || memcmp(fbx->bytes + at, "a:", 2) != 0) {
        return false;
    }
    out->count = mrwi_base_to_u64(count);
    out->numbers = mrwi_base_alloc(out->count, sizeof *out->numbers);
    out->end = out->numbers ? read_numbers(fbx, at + 2, to, kind, out) : 0;
    return out->end != 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool array_is_sound(const mrwi_import_fbx_array *array)
{
    for (size_t i = 0; i < array->count; i++) {
        if (!(fabs(array->numbers[i]) < (double)EXACT_INTEGERS)) {
            return false;
        }
    }
    return true;
}

/* Keeps the low 32 bits of integers. A damaged file may have larger integers; a negative one is its
 * two's complement. */
static void keep_low_bits(mrwi_import_fbx_array *array)
{
    for (size_t i = 0; i < array->count; i++) {
        array->numbers[i] = (double)(uint32_t)mrwi_base_to_i64(array->numbers[i]);
    }
}

bool mrwi_import_fbx_read_array(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                                const char *name, mrwi_import_fbx_kind kind,
                                mrwi_import_fbx_array *out)
{
    memset(out, 0, sizeof *out);
    bool good = fbx->binary ? read_binary_array(fbx, &body->node, name, kind, out)
                            : read_text_array(fbx, body->from, body->to, name, kind, out);
    if (!good || !array_is_sound(out)) {
        mrwi_base_free(out->numbers);
        out->numbers = NULL;
        return false;
    }
    if (kind == MRWI_IMPORT_FBX_BITS) {
        keep_low_bits(out);
    }
    return true;
}

static bool replace_binary(mrwi_import_fbx *fbx, const mrwi_import_fbx_array *old, const char *name,
                           bool integers, const double *numbers, size_t count)
{
    int width = integers ? 8 : 4;
    size_t data = 13 + (size_t)width * count;
    mrwi_import_edit *edit =
        mrwi_import_edits_add(&fbx->edits, old->at, old->end - old->at,
                              mrwi_import_fbx_header_size(fbx) + strlen(name) + data);
    if (!edit) {
        return false;
    }
    uint8_t *p = edit->data + mrwi_import_fbx_put_header(fbx, edit, name, data);
    p[0] = integers ? 'l' : 'f';
    mrwi_import_fbx_put_little(p + 1, count, 4);
    mrwi_import_fbx_put_little(p + 5, 0, 4); /* not compressed */
    mrwi_import_fbx_put_little(p + 9, (size_t)width * count, 4);
    for (size_t i = 0; integers && i < count; i++) {
        mrwi_import_fbx_put_little(p + 13 + i * 8, (uint64_t)mrwi_base_to_i64(numbers[i]), 8);
    }
    for (size_t i = 0; !integers && i < count; i++) {
        float single = (float)numbers[i];
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        mrwi_import_fbx_put_little(p + 13 + i * 4, bits, 4);
    }
    return true;
}

static size_t write_number(double number, bool integer, char out[32])
{
    return integer ? (size_t)snprintf(out, 32, "%lld", (long long)mrwi_base_to_i64(number))
                   : mrwi_base_format_float((float)number, out);
}

static bool replace_text(mrwi_import_fbx *fbx, const mrwi_import_fbx_array *old, bool integers,
                         const double *numbers, size_t count)
{
    char text[48];
    size_t size = (size_t)snprintf(text, sizeof text, "*%zu { a: ", count);
    size_t head = size;
    for (size_t i = 0; i < count; i++) {
        char number[32];
        size += write_number(numbers[i], integers, number) + 1;
    }
    mrwi_import_edit *edit =
        mrwi_import_edits_add(&fbx->edits, old->at, old->end - old->at, size + 1);
    if (!edit) {
        return false;
    }
    memcpy(edit->data, text, head);
    for (size_t i = 0, at = head; i < count; i++) {
        char number[32];
        size_t length = write_number(numbers[i], integers, number);
        memcpy(edit->data + at, number, length);
        at += length;
        edit->data[at++] = i + 1 < count ? ',' : ' ';
    }
    edit->data[size] = '}';
    return true;
}

bool mrwi_import_fbx_replace_array(mrwi_import_fbx *fbx, const mrwi_import_fbx_array *old,
                                   const char *name, bool integers, const double *numbers,
                                   size_t count)
{
    return fbx->binary ? replace_binary(fbx, old, name, integers, numbers, count)
                       : replace_text(fbx, old, integers, numbers, count);
}
