/* jpeg.c: reads JPEGs by libjpeg-turbo: baseline, extended, progressive and arithmetic-coded ones
 * of 8 bits. Its exact integer transform (islow) and smooth upsampling are what browsers use.
 *
 * Pictures are always decoded at full size. Most of the time goes into Huffman codes, so that
 * decoding at 1/8 saves a tenth to two thirds; and the decoder's reduced pictures are means of
 * encoded bytes, of which 14 % differ by more than 3 levels from the mean of light. */
#include "image/jpeg.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/work.h"
#include "image/decode.h"
#include "image/jpeg_idct.h"

#include <assert.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#define JPEG_INTERNALS /* for the table of inverse transforms */
#include <jpeglib.h>

#define STRIP 16 /* rows: a whole number of blocks, also of halved chroma */

/* A file of a few bytes can hold scans without end, each of which walks the whole picture. Usual
 * progressive files have about 10. */
#define SCANS_MAX 100

/* The code of an error that is not libjpeg's. */
#define TOO_MANY_SCANS (-1)

/* A picture's rows on their way out. */
typedef struct strips {
    uint32_t channels;
    size_t stride;   /* bytes */
    uint8_t *pixels; /* the whole picture if `take` is NULL, otherwise STRIP rows */
    mrwi_image_take_rows take;
    void *user;
} strips;

/* Inverse transforms by component: libjpeg's kernels, and what is needed to choose. */
typedef struct transforms {
    inverse_DCT_method_ptr kernel[4];
    int16_t quantisers[4][64];
    bool large[4]; /* Quantisers are over MRWI_IMAGE_JPEG_QUANT_MAX. */
} transforms;

/* State of a file with several scans. */
typedef struct scans {
    size_t complete; /* Bytes up to the end of the last complete scan; 0 before there is one. */
    size_t lent;     /* Bytes of all coefficients, which libjpeg keeps. */
} scans;

typedef struct reader {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    jmp_buf failed;
    const uint8_t *data;
    size_t size;
    scans scans;
    int damage;  /* Code of the first warning about damaged data; 0 if there is none. */
    bool strict; /* Damage is an error. */
    strips *out;
    transforms inverse;
} reader;

bool mrwi_image_jpeg_is(const void *data, size_t size)
{
    return size >= 3 && memcmp(data, "\xFF\xD8\xFF", 3) == 0;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void exit_step(j_common_ptr info)
{
    reader *r = info->client_data;
    longjmp(r->failed, 1);
}

static void print_nothing(j_common_ptr info)
{
    (void)info;
}

/* Returns true if the bytes that libjpeg has just skipped before a marker are equal: some cameras
 * pad their files. Other bytes are codes that a damaged scan did not use up, of which wrong ones
 * become zeros without another warning. */
static bool is_padding(const reader *r)
{
    const size_t count = (size_t)r->errors.msg_parm.i[0];
    const size_t end = r->size - r->info.src->bytes_in_buffer;
    return count <= end && memcmp(r->data + end - count, r->data + end - count + 1, count - 1) == 0;
}

/* Notes a warning about lost data. Others are about a strange version or parameter, or bytes
 * between segments of the header. */
static void note_warning(j_common_ptr info, int level)
{
    reader *r = info->client_data;
    const int code = info->err->msg_code;
    if (level >= 0 || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR ||
        code == JWRN_NOT_SEQUENTIAL ||
        (code == JWRN_EXTRANEOUS_DATA && (r->info.input_scan_number == 0 || is_padding(r)))) {
        return;
    }
    r->damage = r->damage != 0 ? r->damage : code;
    if (r->strict) {
        exit_step(info);
    }
}

/* Runs a step of reading. Returns false if libjpeg fails in it; fail() then says why. */
static bool run(reader *r, void (*step)(reader *))
{
    if (setjmp(r->failed) != 0) {
        return false;
    }
    step(r);
    return true;
}

/* Our words for errors of libjpeg that users meet; formats of a number. */
static const struct {
    int code;
    const char *text;
} reasons[] = {
    {TOO_MANY_SCANS, "has more than %d scans: it is damaged or hostile; export it again"},
    {JERR_BAD_PRECISION, "has %d bits per channel, of which only 8 can be read: convert it to PNG"},
    {JERR_SOF_UNSUPPORTED,
     "is lossless or hierarchical (marker 0x%02X), which cannot be read: convert it to PNG"},
    {JERR_CONVERSION_NOTIMPL, "has neither 1 nor 3 nor 4 channels: convert it to PNG"},
    {JERR_NO_QUANT_TABLE,
     "lacks quantisation table %d, which a scan uses: export the complete picture again"},
    {JERR_NO_HUFF_TABLE,
     "lacks Huffman table %d, which a scan uses: export the complete picture again"},
    {JERR_NO_IMAGE, "contains no picture, as an abbreviated JPEG of tables may: export the "
                    "complete picture again"},
};

/* Says why a step failed, with libjpeg's reason. */
static mrw_status fail(reader *r, const char *name, mrw_error *error)
{
    char text[JMSG_LENGTH_MAX];
    const int code = r->errors.msg_code;
    if (code == JERR_OUT_OF_MEMORY) {
        return mrwi_base_fail_memory(error, 0);
    }
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].code == code) {
            snprintf(text, sizeof text, reasons[i].text, r->errors.msg_parm.i[0]);
            return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: the JPEG %s", name, text);
        }
    }
    r->errors.format_message((j_common_ptr)&r->info, text);
    return mrwi_base_fail(error, MRW_ERROR_INPUT,
                          "%s: the JPEG is damaged or cut off (%s): copy or export it again", name,
                          text);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void read_header(reader *r)
{
    jpeg_create_decompress(&r->info);
    r->info.mem->max_memory_to_use = 0; /* whatever JPEGMEM says in the environment */
    jpeg_mem_src(&r->info, r->data, r->size);
    jpeg_read_header(&r->info, TRUE);
}

/* Transforms a block by libjpeg's kernel, or by our code if kernels could differ. */
static void transform(j_decompress_ptr info, jpeg_component_info *component, JCOEFPTR block,
                      JSAMPARRAY rows, JDIMENSION column)
{
    const reader *r = info->client_data;
    const int i = component->component_index;
    if (!r->inverse.large[i] && mrwi_image_jpeg_is_moderate(block, r->inverse.quantisers[i])) {
        r->inverse.kernel[i](info, component, block, rows, column);
    } else {
        mrwi_image_jpeg_transform(block, component->quant_table->quantval, rows, column);
    }
}

/* Puts transform() in front of libjpeg's kernels. No function of libjpeg does this, but the table
 * of kernels has been the same in all versions with this binary interface, since 1998. */
static void guard_transforms(reader *r)
{
    for (int i = 0; i < r->info.num_components; i++) {
        const JQUANT_TBL *table = r->info.comp_info[i].quant_table; /* NULL: without a scan */
        for (int k = 0; k < 64 && table; k++) {
            r->inverse.quantisers[i][k] = (int16_t)table->quantval[k];
            r->inverse.large[i] |= table->quantval[k] > MRWI_IMAGE_JPEG_QUANT_MAX;
        }
        r->inverse.kernel[i] = r->info.idct->inverse_DCT[i];
        r->info.idct->inverse_DCT[i] = transform;
    }
}

/* Reads all scans of a file with several. */
static void read_scans(reader *r)
{
    struct jpeg_decompress_struct *info = &r->info;
    for (int got = 0; got != JPEG_REACHED_EOI;) {
        got = jpeg_consume_input(info);
        if (got == JPEG_SCAN_COMPLETED) { /* The next marker may have been read. */
            r->scans.complete =
                r->size - info->src->bytes_in_buffer - (info->unread_marker != 0 ? 2 : 0);
        }
        if (info->input_scan_number > SCANS_MAX) {
            info->err->msg_code = TOO_MANY_SCANS;
            info->err->msg_parm.i[0] = SCANS_MAX;
            exit_step((j_common_ptr)info);
        }
    }
}

/* Counts libjpeg's memory for all coefficients. */
static void lend_coefficients(reader *r)
{
    size_t bytes = 0;
    for (int i = 0; i < r->info.num_components; i++) {
        const jpeg_component_info *component = &r->info.comp_info[i];
        bytes += (size_t)component->width_in_blocks * component->height_in_blocks * sizeof(JBLOCK);
    }
    if (!mrwi_base_memory_lend(bytes)) {
        r->info.err->msg_code = JERR_OUT_OF_MEMORY;
        exit_step((j_common_ptr)&r->info);
    }
    r->scans.lent = bytes;
}

static void close_reader(reader *r)
{
    jpeg_destroy_decompress(&r->info);
    mrwi_base_memory_return(r->scans.lent);
    r->scans.lent = 0;
}

static void start(reader *r)
{
    struct jpeg_decompress_struct *info = &r->info;
    info->dct_method = JDCT_ISLOW;
    info->do_fancy_upsampling = TRUE;
    info->do_block_smoothing = FALSE;
    info->out_color_space = info->num_components == 4 ? JCS_CMYK
                            : r->out->channels == 4   ? JCS_EXT_RGBA
                                                      : JCS_EXT_RGB;
    info->buffered_image = jpeg_has_multiple_scans(info);
    if (info->buffered_image) {
        lend_coefficients(r);
    }
    jpeg_start_decompress(info);
    if (info->buffered_image) {
        read_scans(r);
        jpeg_start_output(info, info->input_scan_number);
    }
    guard_transforms(r);
}

/* Turns CMYK into opaque RGBA. As browsers do, it takes all CMYK for inverted, as Adobe's programs
 * write it: 255 means without ink. */
static void ink_to_light(uint8_t *pixels, size_t count)
{
    for (uint8_t *p = pixels; count > 0; count--, p += 4) {
        for (int c = 0; c < 3; c++) {
            p[c] = (uint8_t)((p[c] * p[3] + 127) / 255);
        }
        p[3] = 255;
    }
}

static void read_rows(reader *r)
{
    struct jpeg_decompress_struct *info = &r->info;
    const strips *to = r->out;
    while (info->output_scanline < info->output_height && mrwi_base_work_goes_on()) {
        JSAMPROW rows[STRIP];
        const uint32_t first = info->output_scanline, left = info->output_height - first;
        const uint32_t count = left < STRIP ? left : STRIP;
        uint8_t *pixels = to->pixels + (to->take ? 0 : first * to->stride);
        for (uint32_t i = 0; i < count; i++) {
            rows[i] = pixels + i * to->stride;
        }
        for (uint32_t got = 0; got < count;) {
            got += jpeg_read_scanlines(info, rows + got, count - got);
        }
        if (info->out_color_space == JCS_CMYK) {
            ink_to_light(pixels, (size_t)count * info->output_width);
        }
        if (to->take) {
            to->take(to->user, pixels, first, count);
        }
    }
}

/* Reads up to the end marker: what is behind the scan may be damaged, too. */
static void finish(reader *r)
{
    if (r->info.buffered_image) {
        jpeg_finish_output(&r->info);
    }
    jpeg_finish_decompress(&r->info);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void begin(reader *r, const void *data, size_t size)
{
    memset(r, 0, sizeof *r);
    r->data = data;
    r->size = size;
    r->info.err = jpeg_std_error(&r->errors);
    r->info.client_data = r;
    r->errors.error_exit = exit_step;
    r->errors.emit_message = note_warning;
    r->errors.output_message = print_nothing;
}

/* Reads the header and compares the sides with the limits. libjpeg refuses sides over 65,500 by
 * itself, but knows them. */
static mrw_status open(reader *r, uint64_t max_pixels, const char *name, mrw_error *error)
{
    if (!run(r, read_header) && r->errors.msg_code != JERR_IMAGE_TOO_BIG) {
        return fail(r, name, error);
    }
    if (r->info.src->bytes_in_buffer == 0) {
        return mrwi_base_fail(
            error, MRW_ERROR_INPUT,
            "%s: the JPEG is cut off before its first pixel: copy or export it again", name);
    }
    return mrwi_image_check_sides((int)r->info.image_width, (int)r->info.image_height, max_pixels,
                                  name, error);
}

/* Starts decoding. If a marker between scans is damaged, the file ends before it. */
static bool start_or_cut(reader *r)
{
    if (run(r, start)) {
        return true;
    }
    if (r->strict || r->scans.complete == 0 || r->errors.msg_code == JERR_OUT_OF_MEMORY ||
        r->errors.msg_code == TOO_MANY_SCANS) {
        return false;
    }
    close_reader(r);
    r->size = r->scans.complete;
    return run(r, read_header) && run(r, start);
}

/* Decodes an opened file. */
static mrw_status decode(reader *r, const char *name, bool *damaged, mrw_error *error)
{
    r->strict = !damaged;
    if (!start_or_cut(r) || !run(r, read_rows)) {
        return fail(r, name, error);
    }
    if (!run(r, finish)) {
        if (r->strict || r->errors.msg_code == JERR_OUT_OF_MEMORY) {
            return fail(r, name, error);
        }
        r->damage = r->errors.msg_code;
    }
    if (damaged) {
        *damaged = r->damage != 0;
    }
    return MRW_OK;
}

mrw_status mrwi_image_jpeg_read_header(const void *data, size_t size, const char *name,
                                       mrwi_image_jpeg_header *out, mrw_error *error)
{
    reader r;
    begin(&r, data, size);
    mrw_status status = MRW_OK;
    if (!run(&r, read_header) && r.errors.msg_code != JERR_IMAGE_TOO_BIG) {
        status = fail(&r, name, error);
    }
    *out = (mrwi_image_jpeg_header){r.info.image_width, r.info.image_height,
                                    (uint32_t)r.info.num_components};
    close_reader(&r);
    return status;
}

bool mrwi_image_jpeg_streams(const void *data, size_t size)
{
    const uint8_t *end = (const uint8_t *)data + size;
    if (!mrwi_image_jpeg_is(data, size) || end[-2] != 0xFF || end[-1] != 0xD9) {
        return false;
    }
    reader r;
    strips out = {.channels = 4};
    begin(&r, data, size);
    r.strict = true;
    r.out = &out;
    const bool streams = run(&r, read_header) && !jpeg_has_multiple_scans(&r.info) &&
                         r.info.src->bytes_in_buffer > 0 && run(&r, start);
    close_reader(&r);
    return streams;
}

mrw_status mrwi_image_jpeg_rows(const void *data, size_t size, uint64_t max_pixels,
                                const char *name, mrwi_image_take_rows take, void *user,
                                bool *damaged, mrw_error *error)
{
    assert(damaged);
    reader r;
    begin(&r, data, size);
    mrw_status status = open(&r, max_pixels, name, error);
    if (!status) {
        strips out = {.channels = 4, .stride = (size_t)4 * r.info.image_width, .take = take};
        out.user = user;
        out.pixels = mrwi_base_alloc(STRIP, out.stride);
        r.out = &out;
        status = out.pixels ? decode(&r, name, damaged, error)
                            : mrwi_base_fail_memory(error, STRIP * out.stride);
        mrwi_base_free(out.pixels);
    }
    close_reader(&r);
    return status;
}

/* Drops the alpha of pixels. */
static void drop_alpha(mrw_image *image)
{
    const size_t count = (size_t)image->width * image->height;
    for (size_t i = 0; i < count; i++) {
        memmove(image->pixels + 3 * i, image->pixels + 4 * i, 3);
    }
    image->channels = 3;
}

/* Returns the bytes per pixel of the coefficients, two bytes each, that libjpeg keeps until the
 * last of several scans; rounded down. */
static uint32_t coefficients_of(const reader *r)
{
    uint32_t taken = 0, whole = 0;
    for (int i = 0; i < r->info.num_components &&
                    jpeg_has_multiple_scans((j_decompress_ptr)(uintptr_t)&r->info);
         i++) {
        const jpeg_component_info *c = &r->info.comp_info[i];
        const uint32_t share = (uint32_t)(c->h_samp_factor * c->v_samp_factor);
        taken += share;
        whole = share > whole ? share : whole;
    }
    return whole > 0 ? 2 * taken / whole : 0;
}

mrw_status mrwi_image_jpeg_decode(const void *data, size_t size, uint32_t channels,
                                  uint64_t max_pixels, const char *name, mrw_image *out,
                                  bool *damaged, mrw_error *error)
{
    assert(channels == 3 || channels == 4);
    reader r;
    begin(&r, data, size);
    uint32_t read = 0;
    mrw_status status = open(&r, max_pixels, name, error);
    if (!status) {
        read = r.info.num_components == 4 ? 4 : channels;
        status = mrwi_image_ask(name, r.info.image_width, r.info.image_height,
                                read + coefficients_of(&r), error);
    }
    if (!status) {
        status = mrw_image_create(r.info.image_width, r.info.image_height, read, out, error);
    }
    if (!status) {
        strips to = {.channels = out->channels, .pixels = out->pixels};
        to.stride = (size_t)out->width * out->channels;
        r.out = &to;
        status = decode(&r, name, damaged, error);
        if (status) {
            mrw_image_free(out);
        } else if (out->channels != channels) {
            drop_alpha(out);
        }
    }
    close_reader(&r);
    return status;
}
