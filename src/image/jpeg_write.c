/* jpeg_write.c: writes baseline JPEGs by libjpeg-turbo: its exact integer transform (islow), whose
 * kernels give the same bytes as its C code, and the usual Huffman tables. */
#include "base/memory.h"
#include "base/text.h"
#include "base/work.h"
#include "image/image.h"
#include "marrow/codecs.h"

#include <assert.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

_Static_assert(MRW_IMAGE_MAX_SIDE <= JPEG_MAX_DIMENSION, "sides fit");

#define ROWS 16 /* given to libjpeg at once */

/* Up to this quality, colours have half the resolution. */
#define HALVED_MAX 90

typedef struct writer {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr to;
    jmp_buf failed;
    const mrw_image *image;
    uint32_t quality;
    uint8_t *file;
    size_t room;
} writer;

static void exit_writing(j_common_ptr info)
{
    writer *w = info->client_data;
    longjmp(w->failed, 1);
}

static void say_nothing(j_common_ptr info, int level)
{
    (void)info;
    (void)level;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Libjpeg calls this before it writes: the memory is there already. */
static void begin_file(j_compress_ptr info)
{
    (void)info;
}

/* Doubles the memory, all of which is used. */
static boolean grow_file(j_compress_ptr info)
{
    writer *w = info->client_data;
    uint8_t *grown = mrwi_base_realloc(w->file, w->room, w->room, 2);
    if (!grown) {
        ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    }
    w->to.next_output_byte = grown + w->room;
    w->to.free_in_buffer = w->room;
    w->file = grown;
    w->room *= 2;
    return TRUE;
}

static void end_file(j_compress_ptr info)
{
    (void)info;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Returns false if memory runs out, for which alone libjpeg fails here, or if the work must end. */
static bool write_file(writer *w)
{
    if (setjmp(w->failed) != 0) {
        return false;
    }
    struct jpeg_compress_struct *info = &w->info;
    const size_t stride = (size_t)3 * w->image->width;
    jpeg_create_compress(info);
    info->mem->max_memory_to_use = 0; /* whatever JPEGMEM says in the environment */
    info->dest = &w->to;
    info->image_width = w->image->width;
    info->image_height = w->image->height;
    info->in_color_space = JCS_RGB;
    info->input_components = 3;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, (int)w->quality, TRUE);
    info->dct_method = JDCT_ISLOW;
    if (w->quality > HALVED_MAX) {
        info->comp_info[0].h_samp_factor = info->comp_info[0].v_samp_factor = 1;
    }
    jpeg_start_compress(info, TRUE);
    while (info->next_scanline < info->image_height) {
        JSAMPROW rows[ROWS];
        const uint32_t first = info->next_scanline, left = info->image_height - first;
        const uint32_t count = left < ROWS ? left : ROWS;
        if (!mrwi_base_work_goes_on()) {
            return false;
        }
        for (uint32_t i = 0; i < count; i++) {
            rows[i] = w->image->pixels + (first + i) * stride;
        }
        jpeg_write_scanlines(info, rows, count);
    }
    jpeg_finish_compress(info);
    return true;
}

mrw_status mrw_jpeg_encode(const mrw_image *image, uint32_t quality, mrw_bytes *out,
                           mrw_error *error)
{
    assert(mrwi_image_is_picture(image) && image->channels == 3);
    assert(quality >= 1 && quality <= 100);
    writer w = {.image = image, .quality = quality};
    w.room = 4096 + (size_t)image->width * image->height / 4;
    w.file = mrwi_base_alloc(w.room, 1);
    if (!w.file) {
        return mrwi_base_fail_memory(error, w.room);
    }
    w.info.err = jpeg_std_error(&w.errors);
    w.info.client_data = &w;
    w.errors.error_exit = exit_writing;
    w.errors.emit_message = say_nothing;
    w.to = (struct jpeg_destination_mgr){w.file, w.room, begin_file, grow_file, end_file};
    const bool complete = write_file(&w);
    jpeg_destroy_compress(&w.info);
    if (!complete) {
        mrwi_base_free(w.file);
        const mrw_status status = mrwi_base_work_check(NULL, error);
        return status ? status : mrwi_base_fail_memory(error, w.room);
    }
    *out = (mrw_bytes){w.file, w.room - w.to.free_in_buffer};
    return MRW_OK;
}
