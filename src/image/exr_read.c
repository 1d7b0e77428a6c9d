/* exr_read.c: decodes OpenEXR pictures to linear floats, by OpenEXR's C core: the first part, in
 * scanlines or tiles, of halves or floats, with any compression whose values are the same on every
 * machine.
 *
 * The size is read from the header before the library sees the file: the library refuses a file
 * that is too short for its size, and does not say why. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/work.h"
#include "image/decode.h"
#include "image/file.h"
#include "image/limited.h"
#include "marrow/codecs.h"

#include <OpenEXR/openexr.h>
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MOST_CHANNELS 64
#define MOST_BLOCK    ((size_t)1 << 30)

typedef struct reader {
    const uint8_t *data;
    size_t size;
    const char *name; /* escaped */
    mrw_error *error;
    exr_context_t exr;
    exr_attr_box2i_t window;
    bool grey;
} reader;

static mrw_status fail(const reader *r, const char *what)
{
    return mrwi_base_fail(r->error, MRW_ERROR_INPUT, "%s: %s: export it again, as an OpenEXR .exr",
                          r->name, what);
}

static mrw_status fail_result(const reader *r, exr_result_t result)
{
    return mrwi_base_fail(r->error, MRW_ERROR_INPUT,
                          "%s: the picture is damaged or cut off (%s): export it again, as an "
                          "OpenEXR .exr",
                          r->name, exr_get_default_error_message(result));
}

/* ---- the file in memory ---------------------------------------------------------------------- */

static int64_t read_at(exr_const_context_t context, void *user, void *out, uint64_t size,
                       uint64_t offset, exr_stream_error_func_ptr_t complain)
{
    const reader *r = user;
    const uint64_t left = offset < r->size ? r->size - offset : 0;
    const uint64_t count = size < left ? size : left;
    (void)context;
    (void)complain;
    memcpy(out, r->data + (count > 0 ? offset : 0), (size_t)count);
    return (int64_t)count;
}

static int64_t size_of(exr_const_context_t context, void *user)
{
    const reader *r = user;
    (void)context;
    return (int64_t)r->size;
}

static void keep_quiet(exr_const_context_t context, exr_result_t code, const char *message)
{
    (void)context;
    (void)code;
    (void)message;
}

static void *allocate(size_t size)
{
    return mrwi_image_limited_alloc(size, true); /* zeros, should a chunk be short */
}

static void release(void *block)
{
    mrwi_base_free(block);
}

/* ---- header ---------------------------------------------------------------------------------- */

bool mrw_image_is_exr(const void *data, size_t size)
{
    static const uint8_t magic[4] = {0x76, 0x2f, 0x31, 0x01};
    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

static int32_t read_int(const uint8_t *at)
{
    const uint32_t value =
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    int32_t out;
    memcpy(&out, &value, sizeof out);
    return out;
}

/* Finds the data window of the first part in the header: attributes are a name, a type, a size and
 * a value (OpenEXR, "File Layout"). Returns false if there is none. */
static bool find_window(const uint8_t *data, size_t size, exr_attr_box2i_t *out)
{
    const uint8_t *at = data + 8, *end = data + size;
    while (size > 8 && at < end && *at != '\0') {
        const char *name = (const char *)at;
        const uint8_t *type = memchr(at, '\0', (size_t)(end - at));
        const uint8_t *last = type ? memchr(type + 1, '\0', (size_t)(end - (type + 1))) : NULL;
        if (!last || end - last < 5) {
            return false;
        }
        const int32_t length = read_int(last + 1);
        at = last + 5;
        if (length < 0 || length > end - at) {
            return false;
        }
        if (strcmp(name, "dataWindow") == 0 && length == 16) {
            out->min.x = read_int(at);
            out->min.y = read_int(at + 4);
            out->max.x = read_int(at + 8);
            out->max.y = read_int(at + 12);
            return true;
        }
        at += length;
    }
    return false;
}

static int64_t width_of(const exr_attr_box2i_t *box)
{
    return (int64_t)box->max.x - box->min.x + 1;
}

static int64_t height_of(const exr_attr_box2i_t *box)
{
    return (int64_t)box->max.y - box->min.y + 1;
}

static mrw_status check_size(reader *r, uint64_t max_pixels)
{
    const uint64_t all = (uint64_t)MRW_IMAGE_MAX_SIDE * MRW_IMAGE_MAX_SIDE;
    max_pixels = max_pixels == 0 ? all : max_pixels;
    if (!mrw_image_is_exr(r->data, r->size)) {
        return fail(r, "not an OpenEXR picture");
    }
    if (!find_window(r->data, r->size, &r->window)) {
        return fail(r, "the header is damaged or cut off");
    }
    const int64_t width = width_of(&r->window), height = height_of(&r->window);
    if (width < 1 || height < 1) {
        return fail(r, "the picture has no pixels");
    }
    if (width > MRW_IMAGE_MAX_SIDE || height > MRW_IMAGE_MAX_SIDE ||
        (uint64_t)width * (uint64_t)height > max_pixels) {
        return mrwi_base_fail(r->error, MRW_ERROR_INPUT,
                              "%s: a picture of %jd x %jd pixels is larger than allowed (%d per "
                              "side, %ju in total): scale it down",
                              r->name, (intmax_t)width, (intmax_t)height, MRW_IMAGE_MAX_SIDE,
                              (uintmax_t)max_pixels);
    }
    return MRW_OK;
}

/* Returns the largest block that a header needs: a few tables, and the file's own compressed bytes.
 */
static size_t least_limit(const reader *r)
{
    return 2 * r->size + ((size_t)4 << 20);
}

/* Opens the file whose size is known. */
static mrw_status open_file(reader *r)
{
    exr_context_initializer_t start = EXR_DEFAULT_CONTEXT_INITIALIZER;
    start.error_handler_fn = keep_quiet;
    start.alloc_fn = allocate;
    start.free_fn = release;
    start.user_data = r;
    start.read_fn = read_at;
    start.size_fn = size_of;
    start.flags =
        EXR_CONTEXT_FLAG_SILENT_HEADER_PARSE | EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
    mrwi_image_limited_set(least_limit(r));
    const exr_result_t result = exr_start_read(&r->exr, "picture.exr", &start);
    return result == EXR_ERR_SUCCESS ? MRW_OK : fail_result(r, result);
}

/* Fails unless the file holds pixels in a form that is read. */
static mrw_status check_form(const reader *r)
{
    exr_storage_t storage;
    exr_compression_t compression;
    exr_attr_box2i_t window, display;
    exr_envmap_t map;
    exr_result_t result = exr_get_storage(r->exr, 0, &storage);
    if (result == EXR_ERR_SUCCESS) {
        result = exr_get_compression(r->exr, 0, &compression);
    }
    if (result == EXR_ERR_SUCCESS) {
        result = exr_get_data_window(r->exr, 0, &window);
    }
    if (result == EXR_ERR_SUCCESS) {
        result = exr_get_display_window(r->exr, 0, &display);
    }
    if (result != EXR_ERR_SUCCESS) {
        return fail_result(r, result);
    }
    if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED) {
        return fail(r, "the picture has several depths per pixel (deep data)");
    }
    if (compression == EXR_COMPRESSION_DWAA || compression == EXR_COMPRESSION_DWAB) {
        return mrwi_base_fail(r->error, MRW_ERROR_INPUT,
                              "%s: it is compressed by DWA, whose values differ between "
                              "processors: save it with ZIP or PIZ",
                              r->name);
    }
    if (compression == EXR_COMPRESSION_B44 || compression == EXR_COMPRESSION_B44A) {
        return mrwi_base_fail(r->error, MRW_ERROR_INPUT,
                              "%s: it is compressed by B44: save it with ZIP or PIZ", r->name);
    }
    if (memcmp(&window, &r->window, sizeof window) != 0) {
        return fail(r, "the header has two sizes");
    }
    if (memcmp(&window, &display, sizeof window) != 0) {
        return mrwi_base_fail(
            r->error, MRW_ERROR_INPUT,
            "%s: its pixels are a part of a picture (the data window has %jd x %jd pixels, the "
            "display window %jd x %jd): export all of it",
            r->name, (intmax_t)width_of(&window), (intmax_t)height_of(&window),
            (intmax_t)width_of(&display), (intmax_t)height_of(&display));
    }
    if (exr_attr_get_envmap(r->exr, 0, "envmap", &map) == EXR_ERR_SUCCESS &&
        map == EXR_ENVMAP_CUBE) {
        return fail(r, "the environment is a cube map, not latitude and longitude");
    }
    return MRW_OK;
}

/* ---- channels -------------------------------------------------------------------------------- */

/* Returns the place in a pixel of a channel that is read: 0, 1, 2, or -1 for others. */
static int place_of(const reader *r, const char *name)
{
    static const char *const names[] = {"R", "G", "B"};
    for (int k = 0; k < 3 && !r->grey; k++) {
        if (strcmp(name, names[k]) == 0) {
            return k;
        }
    }
    return r->grey && strcmp(name, "Y") == 0 ? 0 : -1;
}

static mrw_status refuse_channels(const reader *r, const exr_attr_chlist_t *list)
{
    char names[200] = "", safe[64], shown[64];
    size_t used = 0;
    for (int i = 0; i < list->num_channels && used < sizeof names - 70; i++) {
        snprintf(safe, sizeof safe, "%.40s", list->entries[i].name.str);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 mrwi_base_escape(safe, shown, sizeof shown));
    }
    return mrwi_base_fail(r->error, MRW_ERROR_INPUT,
                          "%s: its channels are %s, not R, G and B, or Y alone: export it as RGB",
                          r->name, names);
}

/* Finds out whether the picture has colours or is grey. */
static mrw_status check_channels(reader *r)
{
    const exr_attr_chlist_t *list = NULL;
    const exr_result_t result = exr_get_channels(r->exr, 0, &list);
    int colors = 0, greys = 0, chroma = 0;
    if (result != EXR_ERR_SUCCESS) {
        return fail_result(r, result);
    }
    if (list->num_channels > MOST_CHANNELS) {
        return fail(r, "the picture has more than 64 channels");
    }
    for (int i = 0; i < list->num_channels; i++) {
        const char *name = list->entries[i].name.str;
        colors += strcmp(name, "R") == 0 || strcmp(name, "G") == 0 || strcmp(name, "B") == 0;
        greys += strcmp(name, "Y") == 0;
        chroma += strcmp(name, "RY") == 0 || strcmp(name, "BY") == 0;
    }
    r->grey = colors == 0;
    if (colors != 3 && (colors > 0 || greys != 1 || chroma > 0)) {
        return refuse_channels(r, list);
    }
    for (int i = 0; i < list->num_channels; i++) {
        const exr_attr_chlist_entry_t *channel = &list->entries[i];
        if (place_of(r, channel->name.str) < 0) {
            continue;
        }
        if (channel->pixel_type != EXR_PIXEL_HALF && channel->pixel_type != EXR_PIXEL_FLOAT) {
            return fail(r, "its channels are integers, not halves or floats");
        }
        if (channel->x_sampling != 1 || channel->y_sampling != 1) {
            return fail(r, "its channels have fewer pixels than the picture");
        }
    }
    const size_t pixels = (size_t)width_of(&r->window) * (size_t)height_of(&r->window);
    const size_t honest = pixels * (size_t)list->num_channels * sizeof(float) + least_limit(r);
    mrwi_image_limited_set(honest < MOST_BLOCK ? honest : MOST_BLOCK);
    return MRW_OK;
}

/* ---- pixels ---------------------------------------------------------------------------------- */

/* Decodes a chunk whose first pixel is (x, y) of the picture. */
static exr_result_t decode_chunk(const reader *r, const exr_chunk_info_t *chunk,
                                 exr_decode_pipeline_t *pipeline, int64_t x, int64_t y,
                                 const mrw_image *out)
{
    const bool first = !pipeline->channels;
    exr_compression_t compression = EXR_COMPRESSION_NONE;
    exr_result_t result = exr_get_compression(r->exr, 0, &compression);
    /* the library decodes a stored chunk that is too short, with whatever is in its memory */
    if (result == EXR_ERR_SUCCESS && compression == EXR_COMPRESSION_NONE &&
        chunk->packed_size != chunk->unpacked_size) {
        result = EXR_ERR_CORRUPT_CHUNK;
    }
    if (result != EXR_ERR_SUCCESS) {
        return result;
    }
    result = first ? exr_decoding_initialize(r->exr, 0, chunk, pipeline)
                   : exr_decoding_update(r->exr, 0, chunk, pipeline);
    float *start = (float *)(void *)out->pixels + ((size_t)y * out->width + (size_t)x) * 3;
    for (int16_t i = 0; i < pipeline->channel_count && result == EXR_ERR_SUCCESS; i++) {
        exr_coding_channel_info_t *to = &pipeline->channels[i];
        const int place = place_of(r, to->channel_name);
        const bool inside = x + to->width <= out->width && y + to->height <= out->height;
        to->decode_to_ptr = place < 0 ? NULL : (uint8_t *)(start + place);
        to->user_pixel_stride = 3 * (int32_t)sizeof(float);
        to->user_line_stride = (int32_t)out->width * 3 * (int32_t)sizeof(float);
        to->user_bytes_per_element = sizeof(float);
        to->user_data_type = EXR_PIXEL_FLOAT;
        result = inside ? result : EXR_ERR_BAD_CHUNK_LEADER;
    }
    if (result == EXR_ERR_SUCCESS) {
        result = exr_decoding_choose_default_routines(r->exr, 0, pipeline);
    }
    return result == EXR_ERR_SUCCESS ? exr_decoding_run(r->exr, 0, pipeline) : result;
}

static exr_result_t read_scanlines(const reader *r, exr_decode_pipeline_t *pipeline,
                                   const mrw_image *out)
{
    int32_t step = 0;
    exr_result_t result = exr_get_scanlines_per_chunk(r->exr, 0, &step);
    for (int64_t y = 0; y < out->height && result == EXR_ERR_SUCCESS && mrwi_base_work_goes_on();
         y += step) {
        exr_chunk_info_t chunk = {0};
        result = exr_read_scanline_chunk_info(r->exr, 0, (int)(r->window.min.y + y), &chunk);
        if (result == EXR_ERR_SUCCESS) {
            result = decode_chunk(r, &chunk, pipeline, 0, y, out);
        }
    }
    return result;
}

/* Reads the tiles of the largest level. */
static exr_result_t read_tiles(const reader *r, exr_decode_pipeline_t *pipeline,
                               const mrw_image *out)
{
    int32_t width = 0, height = 0;
    exr_result_t result = exr_get_tile_sizes(r->exr, 0, 0, 0, &width, &height);
    if (result == EXR_ERR_SUCCESS && (width < 1 || height < 1)) {
        result = EXR_ERR_INVALID_ATTR;
    }
    for (int64_t y = 0; result == EXR_ERR_SUCCESS && y < out->height && mrwi_base_work_goes_on();
         y += height) {
        for (int64_t x = 0; result == EXR_ERR_SUCCESS && x < out->width; x += width) {
            exr_chunk_info_t chunk = {0};
            result = exr_read_tile_chunk_info(r->exr, 0, (int)(x / width), (int)(y / height), 0, 0,
                                              &chunk);
            if (result == EXR_ERR_SUCCESS) {
                result = decode_chunk(r, &chunk, pipeline, x, y, out);
            }
        }
    }
    return result;
}

static mrw_status read_pixels(const reader *r, const mrw_image *out)
{
    exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
    exr_storage_t storage = EXR_STORAGE_SCANLINE;
    exr_result_t result = exr_get_storage(r->exr, 0, &storage);
    if (result == EXR_ERR_SUCCESS) {
        result = storage == EXR_STORAGE_TILED ? read_tiles(r, &pipeline, out)
                                              : read_scanlines(r, &pipeline, out);
    }
    exr_decoding_destroy(r->exr, &pipeline);
    if (result != EXR_ERR_SUCCESS) {
        return fail_result(r, result);
    }
    float *pixel = (float *)(void *)out->pixels;
    const size_t count = (size_t)out->width * out->height;
    for (size_t i = 0; i < count && r->grey; i++, pixel += 3) {
        pixel[1] = pixel[2] = pixel[0];
    }
    return MRW_OK;
}

/* ---- the picture ----------------------------------------------------------------------------- */

mrw_status mrw_image_decode_exr(const void *data, size_t size, uint64_t max_pixels,
                                const char *name, mrw_image *out, mrw_error *error)
{
    char shown[512];
    reader r = {.data = data,
                .size = size,
                .name = mrwi_base_escape(name, shown, sizeof shown),
                .error = error};
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrwi_image_limited_begin(0);
    *out = (mrw_image){.width = 0};
    mrw_status status = check_size(&r, max_pixels);
    if (status) {
        goto out;
    }
    status = open_file(&r);
    if (status) {
        goto out;
    }
    status = check_form(&r);
    if (status) {
        goto out;
    }
    status = check_channels(&r);
    if (status) {
        goto out;
    }
    status = mrwi_image_ask(r.name, (uint32_t)width_of(&r.window), (uint32_t)height_of(&r.window),
                            3 * sizeof(float), error);
    if (status) {
        goto out;
    }
    status = mrw_image_create_as(MRW_FORMAT_F32, (uint32_t)width_of(&r.window),
                                 (uint32_t)height_of(&r.window), 3, out, error);
    if (status) {
        goto out;
    }
    status = read_pixels(&r, out);
    status = status ? status : mrwi_base_work_check(r.name, error);
out:
    if (mrwi_image_limited_ended()) { /* the library goes on without some things */
        status = mrwi_base_fail_memory(error, 0);
    }
    if (status) {
        mrw_image_free(out);
    }
    if (r.exr) {
        exr_finish(&r.exr);
    }
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_image_read_exr(const char *path, uint64_t max_pixels, mrw_image *out,
                              mrw_error *error)
{
    return mrwi_image_read_by(mrw_image_decode_exr, path, max_pixels, out, error);
}
