/* exr.c: OpenEXR files of one part, by OpenEXR's C core: scanlines in blocks of 16 (ZIP). The
 * blocks are packed here by the search of PNG, in a tenth of the time that the core takes with
 * zlib. Files have no date and no program name, and their bytes are the same everywhere. */
#include "base/memory.h"
#include "base/text.h"
#include "base/work.h"
#include "image/png_match.h"
#include "image/png_matched.h"
#include "marrow/codecs.h"

#include <OpenEXR/openexr.h>
#include <assert.h>
#include <libdeflate.h>
#include <string.h>

#define SHORT_NAME 31  /* longest name in bytes that all versions of the format read */
#define LONG_NAME  255 /* longest name in a file with the flag for long names */

/* ---- the file in memory ---------------------------------------------------------------------- */

/* The file in memory, which the library writes. It goes back to fill in the positions of blocks. */
typedef struct sink {
    uint8_t *data;
    size_t size;
    size_t room;
    bool starved; /* one of our allocations failed */
} sink;

static bool grow(sink *to, size_t size)
{
    size_t room = to->room > 0 ? to->room : 4096;
    while (room < size) {
        room *= 2;
    }
    if (room > to->room) {
        uint8_t *data =
            to->data ? mrwi_base_realloc(to->data, to->size, room, 1) : mrwi_base_alloc(room, 1);
        if (!data) {
            to->starved = true;
            return false;
        }
        to->data = data;
        to->room = room;
    }
    return true;
}

static int64_t write_at(exr_const_context_t context, void *user, const void *bytes, uint64_t size,
                        uint64_t offset, exr_stream_error_func_ptr_t complain)
{
    sink *to = user;
    const size_t end = (size_t)(offset + size);
    (void)context;
    (void)complain;
    if (!grow(to, end)) {
        return -1;
    }
    if (offset > to->size) {
        memset(to->data + to->size, 0, (size_t)offset - to->size);
    }
    memcpy(to->data + offset, bytes, (size_t)size);
    to->size = end > to->size ? end : to->size;
    return (int64_t)size;
}

/* Ignores messages: without such a function the library prints them. It holds a lock during the
 * call, so the file being written cannot be queried. */
static void keep_quiet(exr_const_context_t context, exr_result_t code, const char *message)
{
    (void)context;
    (void)code;
    (void)message;
}

static void *allocate(size_t size)
{
    return mrwi_base_alloc(size, 1);
}

static void release(void *block)
{
    mrwi_base_free(block);
}

/* ---- header ---------------------------------------------------------------------------------- */

static exr_result_t set_attribute(exr_context_t exr, const mrw_exr_attribute *attribute)
{
    exr_attr_m33f_t m33;
    exr_attr_m44f_t m44;
    switch (attribute->kind) {
    case MRW_EXR_STRING:
        return exr_attr_set_string(exr, 0, attribute->name, attribute->text);
    case MRW_EXR_FLOAT:
        return exr_attr_set_float(exr, 0, attribute->name, attribute->numbers[0]);
    case MRW_EXR_INT:
        return exr_attr_set_int(exr, 0, attribute->name,
                                (int32_t)attribute->numbers[0]); /* in range: the caller's */
    case MRW_EXR_M33F:
        memcpy(m33.m, attribute->numbers, sizeof m33.m);
        return exr_attr_set_m33f(exr, 0, attribute->name, &m33);
    case MRW_EXR_M44F:
        memcpy(m44.m, attribute->numbers, sizeof m44.m);
        return exr_attr_set_m44f(exr, 0, attribute->name, &m44);
    }
    return EXR_ERR_INVALID_ARGUMENT;
}

/* Returns true if a name needs the flag for long names. */
static bool has_long_names(const mrw_exr_def *def)
{
    bool found = false;
    for (uint32_t i = 0; i < def->channel_count; i++) {
        found = found || strlen(def->channels[i].name) > SHORT_NAME;
    }
    for (uint32_t i = 0; i < def->attribute_count; i++) {
        found = found || strlen(def->attributes[i].name) > SHORT_NAME;
    }
    return found;
}

static exr_result_t write_header(exr_context_t exr, const mrw_exr_def *def)
{
    int part = 0;
    exr_result_t result = exr_set_longname_support(exr, has_long_names(def));
    if (result == EXR_ERR_SUCCESS) {
        result = exr_add_part(exr, NULL, EXR_STORAGE_SCANLINE, &part);
    }
    if (result == EXR_ERR_SUCCESS) {
        result = exr_initialize_required_attr_simple(exr, part, (int32_t)def->width,
                                                     (int32_t)def->height, EXR_COMPRESSION_ZIP);
    }
    for (uint32_t i = 0; i < def->channel_count && result == EXR_ERR_SUCCESS; i++) {
        const mrw_exr_channel *channel = &def->channels[i];
        assert(channel->format == MRW_FORMAT_F32 || channel->format == MRW_FORMAT_U32);
        result =
            exr_add_channel(exr, part, channel->name,
                            channel->format == MRW_FORMAT_F32 ? EXR_PIXEL_FLOAT : EXR_PIXEL_UINT,
                            EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
    }
    for (uint32_t i = 0; i < def->attribute_count && result == EXR_ERR_SUCCESS; i++) {
        result = set_attribute(exr, &def->attributes[i]);
    }
    return result == EXR_ERR_SUCCESS ? exr_write_header(exr) : result;
}

/* ---- values ---------------------------------------------------------------------------------- */

static const mrw_exr_channel *find_channel(const mrw_exr_def *def, const char *name)
{
    uint32_t i = 0;
    while (strcmp(def->channels[i].name, name) != 0) {
        i++;
    }
    return &def->channels[i];
}

/* Memory for packing blocks. */
typedef struct packer {
    mrw_png_encoder matches;
    uint8_t *raw;    /* values of a block, row by row, each row channel by channel */
    uint8_t *halves; /* the first, third, ... bytes of raw, then the others */
    uint8_t *deltas; /* differences of halves, which are compressed */
    uint8_t *packed;
    size_t row; /* bytes of a row */
} packer;

static bool make_packer(const mrw_exr_def *def, uint32_t rows, packer *out)
{
    const size_t row = (size_t)def->width * def->channel_count * 4, size = row * rows;
    uint8_t *block = mrwi_base_alloc(size, 4);
    *out = (packer){.raw = block, .row = row};
    if (block) {
        out->halves = block + size;
        out->deltas = block + 2 * size;
        out->packed = block + 3 * size;
    }
    return block;
}

static void free_packer(packer *p)
{
    mrwi_image_png_encoder_clear(&p->matches);
    mrwi_base_free(p->raw);
}

/* Copies the values of some rows. The file has its channels sorted by name. */
static void gather(const exr_attr_chlist_t *channels, const mrw_exr_def *def, uint32_t y,
                   uint32_t end, uint8_t *to)
{
    for (; y < end; y++) {
        for (int i = 0; i < channels->num_channels; i++) {
            const mrw_exr_channel *from = find_channel(def, channels->entries[i].name.str);
            const uint8_t *at = (const uint8_t *)from->values + y * def->width * from->stride;
            for (uint32_t x = 0; x < def->width; x++, at += from->stride, to += 4) {
                memcpy(to, at, 4);
            }
        }
    }
}

typedef uint16_t pairs __attribute__((vector_size(16)));
typedef uint8_t half __attribute__((vector_size(8)));
typedef uint8_t bytes __attribute__((vector_size(16)));

/* Prepares a block for deflate as ZIP does: separates bytes of even and odd places, and takes the
 * differences of neighbours, plus 128. size: a multiple of 4. */
static void separate(const uint8_t *raw, size_t size, uint8_t *to)
{
    size_t i = 0;
    for (; i + sizeof(pairs) <= size; i += sizeof(pairs)) {
        pairs v;
        memcpy(&v, raw + i, sizeof v);
        const half even = __builtin_convertvector(v, half);
        const half odd = __builtin_convertvector(v >> 8, half);
        memcpy(to + i / 2, &even, sizeof even);
        memcpy(to + size / 2 + i / 2, &odd, sizeof odd);
    }
    for (; i < size; i += 2) {
        to[i / 2] = raw[i];
        to[size / 2 + i / 2] = raw[i + 1];
    }
}

static void subtract(const uint8_t *from, size_t size, uint8_t *to)
{
    size_t i = 1;
    to[0] = from[0];
    for (; i + sizeof(bytes) <= size; i += sizeof(bytes)) {
        bytes v, left;
        memcpy(&v, from + i, sizeof v);
        memcpy(&left, from + i - 1, sizeof left);
        v = v - left + 128;
        memcpy(to + i, &v, sizeof v);
    }
    for (; i < size; i++) {
        to[i] = (uint8_t)(from[i] - from[i - 1] + 128);
    }
}

/* So many bytes of a block are searched at a time: memory does not grow with the picture. */
#define SEARCHED_BYTES ((size_t)1 << 19)

/* Compresses the differences to a zlib stream. Sets *packed to its size, or to 0 if it would not be
 * smaller. */
static exr_result_t compress(packer *p, size_t size, size_t *packed)
{
    mrwi_image_bits bits = {mrwi_image_zlib_begin(p->packed), 0, 0};
    *packed = 0;
    for (size_t at = 0; at < size; at += SEARCHED_BYTES) {
        const size_t left = size - at, count = left < SEARCHED_BYTES ? left : SEARCHED_BYTES;
        const mrwi_image_png_window window = {
            .bytes = p->deltas + at, .count = count, .row = p->row / 2, .deep = true};
        mrwi_image_png_matches found;
        if (mrwi_image_png_match(&p->matches, &window, &found, NULL)) {
            return EXR_ERR_OUT_OF_MEMORY;
        }
        if ((size_t)(bits.to - p->packed) + found.bits / 8 + 8 + MRWI_IMAGE_ZLIB_BYTES > size) {
            return EXR_ERR_SUCCESS;
        }
        mrwi_image_png_put_matches(&found, count == left, &bits);
    }
    mrwi_image_bits_end(&bits);
    const uint32_t checksum = libdeflate_adler32(1, p->deltas, size);
    *packed = (size_t)(mrwi_image_zlib_end(bits.to, checksum) - p->packed);
    return EXR_ERR_SUCCESS;
}

static exr_result_t write_blocks(exr_context_t exr, const mrw_exr_def *def, uint32_t rows,
                                 packer *p)
{
    const exr_attr_chlist_t *channels = NULL;
    exr_result_t result = exr_get_channels(exr, 0, &channels);
    for (uint32_t y = 0; y < def->height && result == EXR_ERR_SUCCESS; y += rows) {
        if (!mrwi_base_work_goes_on()) {
            return EXR_ERR_OUT_OF_MEMORY; /* mrw_exr_encode tells what it is */
        }
        const uint32_t end = def->height - y < rows ? def->height : y + rows;
        const size_t size = p->row * (end - y);
        size_t packed = 0;
        gather(channels, def, y, end, p->raw);
        separate(p->raw, size, p->halves);
        subtract(p->halves, size, p->deltas);
        result = compress(p, size, &packed);
        if (result == EXR_ERR_SUCCESS) { /* a block that is not smaller is stored as it is */
            result = exr_write_scanline_chunk(exr, 0, (int)y, packed > 0 ? p->packed : p->raw,
                                              packed > 0 ? packed : size);
        }
    }
    return result;
}

static exr_result_t write_rows(exr_context_t exr, const mrw_exr_def *def)
{
    int32_t rows = 0;
    packer p;
    exr_result_t result = exr_get_scanlines_per_chunk(exr, 0, &rows);
    if (result != EXR_ERR_SUCCESS) {
        return result;
    }
    if (!make_packer(def, (uint32_t)rows, &p)) {
        return EXR_ERR_OUT_OF_MEMORY;
    }
    result = write_blocks(exr, def, (uint32_t)rows, &p);
    free_packer(&p);
    return result;
}

/* ---- a file ---------------------------------------------------------------------------------- */

static mrw_status refuse_name(const char *what, const char *name, bool again, mrw_error *error)
{
    char safe[96];
    return mrwi_base_fail(error, MRW_ERROR_USAGE, "OpenEXR: %s cannot have the name '%s': %s", what,
                          mrwi_base_escape(name, safe, sizeof safe),
                          again ? "it is already used" : "a name must have 1 to 255 bytes");
}

/* Fails if a name is empty or too long, or if two channels or two attributes have the same name. */
static mrw_status check_names(const mrw_exr_def *def, mrw_error *error)
{
    for (uint32_t i = 0; i < def->channel_count; i++) {
        const char *name = def->channels[i].name;
        bool again = false;
        for (uint32_t k = 0; k < i; k++) {
            again = again || strcmp(def->channels[k].name, name) == 0;
        }
        if (again || name[0] == '\0' || strlen(name) > LONG_NAME) {
            return refuse_name("a channel", name, again, error);
        }
    }
    for (uint32_t i = 0; i < def->attribute_count; i++) {
        const char *name = def->attributes[i].name;
        bool again = false;
        for (uint32_t k = 0; k < i; k++) {
            again = again || strcmp(def->attributes[k].name, name) == 0;
        }
        if (again || name[0] == '\0' || strlen(name) > LONG_NAME) {
            return refuse_name("an attribute", name, again, error);
        }
    }
    return MRW_OK;
}

mrw_status mrw_exr_encode(const mrw_exr_def *def, mrw_bytes *out, mrw_error *error)
{
    sink to = {0};
    exr_context_t exr = NULL;
    exr_context_initializer_t start = EXR_DEFAULT_CONTEXT_INITIALIZER;
    assert(def->width >= 1 && def->height >= 1 && def->channel_count >= 1);
    mrw_status status = check_names(def, error);
    if (status != MRW_OK) {
        return status;
    }
    start.error_handler_fn = keep_quiet;
    start.alloc_fn = allocate;
    start.free_fn = release;
    start.user_data = &to;
    start.write_fn = write_at;
    exr_result_t result = exr_start_write(&exr, "picture.exr", EXR_WRITE_FILE_DIRECTLY, &start);
    if (result == EXR_ERR_SUCCESS) {
        result = write_header(exr, def);
    }
    if (result == EXR_ERR_SUCCESS) {
        result = write_rows(exr, def);
    }
    const exr_result_t end = exr ? exr_finish(&exr) : result; /* writes the positions of blocks */
    result = result == EXR_ERR_SUCCESS ? end : result;
    if (result == EXR_ERR_SUCCESS) {
        *out = (mrw_bytes){to.data, to.size};
        return MRW_OK;
    }
    mrwi_base_free(to.data);
    status = mrwi_base_work_check(NULL, error);
    return status ? status
           : to.starved || result == EXR_ERR_OUT_OF_MEMORY
               ? mrwi_base_fail_memory(error, to.size)
               : mrwi_base_fail(error, MRW_ERROR_INTERNAL, "OpenEXR: %s",
                                exr_get_default_error_message(result));
}
