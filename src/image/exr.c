/* exr.c: OpenEXR files of one part, by OpenEXR's C core: scanlines in blocks of 16 (ZIP). The files
 * have no date and no program name; their bytes change only with zlib's version. */
#include "base/memory.h"
#include "base/text.h"
#include "marrow/codecs.h"

#include <OpenEXR/openexr.h>
#include <assert.h>
#include <string.h>

#define LEVEL      4   /* zlib level, OpenEXR's default from 3.2 on: twice as fast, 1 % larger */
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
        return exr_attr_set_int(exr, 0, attribute->name, (int32_t)attribute->numbers[0]);
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

/* Points a block of rows to its values. The file has its channels sorted by name. */
static void point_to(exr_encode_pipeline_t *pipeline, const mrw_exr_def *def, uint32_t y)
{
    for (int16_t i = 0; i < pipeline->channel_count; i++) {
        exr_coding_channel_info_t *to = &pipeline->channels[i];
        const mrw_exr_channel *from = find_channel(def, to->channel_name);
        const size_t row = def->width * from->stride;
        to->encode_from_ptr = (const uint8_t *)from->values + y * row;
        to->user_pixel_stride = (int32_t)from->stride;
        to->user_line_stride = (int32_t)row;
        to->user_bytes_per_element = 4;
        to->user_data_type = to->data_type;
    }
}

static exr_result_t write_rows(exr_context_t exr, const mrw_exr_def *def)
{
    exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
    int32_t step = 0;
    exr_result_t result = exr_get_scanlines_per_chunk(exr, 0, &step);
    for (uint32_t y = 0; y < def->height && result == EXR_ERR_SUCCESS; y += (uint32_t)step) {
        exr_chunk_info_t chunk = {0};
        result = exr_write_scanline_chunk_info(exr, 0, (int)y, &chunk);
        if (result == EXR_ERR_SUCCESS) {
            result = y == 0 ? exr_encoding_initialize(exr, 0, &chunk, &pipeline)
                            : exr_encoding_update(exr, 0, &chunk, &pipeline);
        }
        if (result == EXR_ERR_SUCCESS) {
            point_to(&pipeline, def, y);
            result =
                y == 0 ? exr_encoding_choose_default_routines(exr, 0, &pipeline) : EXR_ERR_SUCCESS;
        }
        if (result == EXR_ERR_SUCCESS) {
            result = exr_encoding_run(exr, 0, &pipeline);
        }
    }
    exr_encoding_destroy(exr, &pipeline);
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
    start.zip_level = LEVEL;
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
    return to.starved || result == EXR_ERR_OUT_OF_MEMORY
               ? mrwi_base_fail_memory(error, to.size)
               : mrwi_base_fail(error, MRW_ERROR_INTERNAL, "OpenEXR: %s",
                                exr_get_default_error_message(result));
}
