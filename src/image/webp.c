/* webp.c: animated WebP by libwebp. A frame is the smallest rectangle of changes, as libwebp's own
 * WebPAnimEncoder finds it, which encodes on one thread only. */
#include "image/webp.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/work.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>
#include <webp/mux.h>

/* Bytes per pixel that libwebp 1.2 takes to encode noise: 35 without loss, 39 with loss. Smooth
 * pictures take half. */
#define PIXEL_BYTES 40u

/* Frames that are encoded at the same time take at most this together; one may take more. */
#define MOST_BYTES ((uint64_t)2 << 30)

/* Memory for the frames that are being encoded. */
typedef struct frame_memory {
    pthread_mutex_t lock;
    pthread_cond_t given; /* `taken` has become less */
    uint64_t taken;       /* bytes; guarded by the lock */
} frame_memory;

/* Pictures in RGBA. */
typedef struct canvases {
    uint32_t *planes;  /* memory of the next three */
    uint32_t *before;  /* picture before */
    uint32_t *now;     /* current picture */
    uint32_t *cleared; /* `before` without the rectangle of its frame */
} canvases;

struct mrwi_image_webp {
    frame_memory memory;
    WebPConfig config;
    uint32_t width, height;
    bool animated; /* the first frame may be smaller than the picture */
    int tolerance; /* in each channel; below 0: lossless */
    canvases canvas;
    mrwi_image_webp_rect rect; /* rectangle of the frame before; empty before the first */
};

mrw_status mrwi_image_webp_begin(uint32_t width, uint32_t height, uint32_t quality, bool animated,
                                 mrwi_image_webp **out, mrw_error *error)
{
    const size_t pixels = (size_t)width * height;
    mrwi_image_webp *webp = mrwi_base_alloc_zero(1, sizeof *webp);
    assert(width <= MRWI_IMAGE_WEBP_MAX_SIDE && height <= MRWI_IMAGE_WEBP_MAX_SIDE);
    if (!webp) {
        return mrwi_base_fail_memory(error, sizeof *webp);
    }
    pthread_mutex_init(&webp->memory.lock, NULL);
    pthread_cond_init(&webp->memory.given, NULL);
    if (!WebPConfigInit(&webp->config)) {
        mrwi_image_webp_free(webp);
        return mrwi_base_fail(error, MRW_ERROR_INTERNAL,
                              "libwebp has a different version from the one marrow was built with");
    }
    webp->config.lossless = quality == 0;
    if (quality == 0) {
        webp->config.method = 3; /* 4 takes 1.6 to 2 times as long and saves 1 to 3 % */
    }
    webp->config.exact = quality == 0; /* keeps the colours of clear pixels, too */
    webp->config.quality = quality == 0 ? webp->config.quality : (float)quality;
    webp->width = width;
    webp->height = height;
    webp->animated = animated;
    /* WebPAnimEncoder's, in range: 1 at quality 100, 31 near 0 */
    webp->tolerance = quality == 0 ? -1 : (int)(31.5 - 30.0 * sqrt(quality / 100.0));
    webp->canvas.planes = mrwi_base_alloc_zero(pixels, 3 * sizeof *webp->canvas.planes);
    if (!webp->canvas.planes) {
        mrwi_image_webp_free(webp);
        return mrwi_base_fail_memory(error, 3 * pixels * sizeof *webp->canvas.planes);
    }
    webp->canvas.before = webp->canvas.planes;
    webp->canvas.now = webp->canvas.before + pixels;
    webp->canvas.cleared = webp->canvas.now + pixels;
    *out = webp;
    return MRW_OK;
}

void mrwi_image_webp_free(mrwi_image_webp *webp)
{
    if (webp) {
        pthread_cond_destroy(&webp->memory.given);
        pthread_mutex_destroy(&webp->memory.lock);
        mrwi_base_free(webp->canvas.planes);
        mrwi_base_free(webp);
    }
}

void mrwi_image_webp_frame_free(mrwi_image_webp_frame *frame)
{
    mrwi_base_free(frame->pixels);
    WebPFree(frame->data);
    mrwi_base_memory_return(frame->size);
    *frame = (mrwi_image_webp_frame){0};
}

/* ---- changes --------------------------------------------------------------------------------- */

static int channel_of(uint32_t pixel, int channel)
{
    return (int)(pixel >> (8 * channel) & 255);
}

/* Compares pixels as WebPAnimEncoder does: exactly when lossless, else their premultiplied channels
 * with a tolerance. */
static bool alike(const mrwi_image_webp *webp, uint32_t a, uint32_t b)
{
    const int alpha_a = channel_of(a, 3), alpha_b = channel_of(b, 3);
    if (a == b || webp->tolerance < 0) {
        return a == b;
    }
    for (int k = 0; k < 3; k++) {
        if (abs(channel_of(a, k) * alpha_a - channel_of(b, k) * alpha_b) > webp->tolerance * 255) {
            return false;
        }
    }
    return abs(alpha_a - alpha_b) <= webp->tolerance;
}

/* Returns the smallest rectangle around all changes, at an even place. It is empty without any. */
static mrwi_image_webp_rect find_changes(const mrwi_image_webp *webp, const uint32_t *before)
{
    const uint32_t width = webp->width;
    uint32_t top = webp->height, bottom = 0, left = width, right = 0;
    for (uint32_t y = 0; y < webp->height; y++) {
        const uint32_t *a = before + (size_t)y * width, *b = webp->canvas.now + (size_t)y * width;
        uint32_t first = 0, last = width;
        if (memcmp(a, b, width * sizeof *a) == 0) {
            continue;
        }
        while (first < width && alike(webp, a[first], b[first])) {
            first++;
        }
        if (first == width) {
            continue;
        }
        while (alike(webp, a[last - 1], b[last - 1])) {
            last--;
        }
        left = first < left ? first : left;
        right = last > right ? last : right;
        top = y < top ? y : top;
        bottom = y + 1;
    }
    if (bottom == 0) {
        return (mrwi_image_webp_rect){0};
    }
    left &= ~1u;
    top &= ~1u;
    return (mrwi_image_webp_rect){left, top, right - left, bottom - top};
}

/* Finds the frame's rectangle: the smaller one of those with and without clearing the one before.
 * `bare` becomes the canvas that the frame is drawn on. */
static void choose_rect(mrwi_image_webp *webp, bool has_alpha, mrwi_image_webp_frame *frame,
                        const uint32_t **bare)
{
    const mrwi_image_webp_rect last = webp->rect;
    const size_t pixels = (size_t)webp->width * webp->height;
    *bare = webp->canvas.before;
    if (!has_alpha) {
        return; /* all that is cleared would have to be drawn again */
    }
    memcpy(webp->canvas.cleared, webp->canvas.before, pixels * sizeof *webp->canvas.cleared);
    for (uint32_t y = last.y; y < last.y + last.height; y++) {
        memset(webp->canvas.cleared + (size_t)y * webp->width + last.x, 0,
               last.width * sizeof *webp->canvas.cleared);
    }
    mrwi_image_webp_rect rect = find_changes(webp, webp->canvas.cleared);
    if (rect.width == 0) {
        rect = (mrwi_image_webp_rect){0, 0, 1, 1};
    }
    if ((uint64_t)rect.width * rect.height < (uint64_t)frame->rect.width * frame->rect.height) {
        frame->rect = rect;
        frame->cleared = true;
        *bare = webp->canvas.cleared;
    }
}

/* ---- the pixels of a frame ------------------------------------------------------------------- */

/* Returns true if all changed pixels are opaque, so that clear ones can show the frame before. */
static bool may_be_over(const mrwi_image_webp *webp, const uint32_t *bare,
                        const mrwi_image_webp_rect *rect)
{
    for (uint32_t y = rect->y; y < rect->y + rect->height; y++) {
        const size_t row = (size_t)y * webp->width;
        for (uint32_t x = rect->x; x < rect->x + rect->width; x++) {
            const uint32_t pixel = webp->canvas.now[row + x];
            if (channel_of(pixel, 3) != 255 && !alike(webp, bare[row + x], pixel)) {
                return false;
            }
        }
    }
    return true;
}

/* Clears the unchanged pixels of a lossless frame. */
static void clear_unchanged(const mrwi_image_webp *webp, const uint32_t *bare,
                            mrwi_image_webp_frame *frame)
{
    const mrwi_image_webp_rect *rect = &frame->rect;
    uint32_t *to = frame->pixels;
    for (uint32_t y = rect->y; y < rect->y + rect->height; y++) {
        const uint32_t *from = bare + (size_t)y * webp->width + rect->x;
        for (uint32_t x = 0; x < rect->width; x++, to++) {
            *to = *to == from[x] ? 0 : *to;
        }
    }
}

#define BLOCK 8

/* Clears a block of 8 x 8 unchanged opaque pixels; their mean stays as the colour. */
static void clear_block(const mrwi_image_webp *webp, const uint32_t *from, uint32_t *to,
                        size_t stride)
{
    uint32_t sums[3] = {0}, mean = 0;
    for (size_t i = 0; i < BLOCK * BLOCK; i++) {
        const uint32_t old = from[i / BLOCK * webp->width + i % BLOCK];
        if (channel_of(old, 3) != 255 || !alike(webp, old, to[i / BLOCK * stride + i % BLOCK])) {
            return;
        }
        for (int k = 0; k < 3; k++) {
            sums[k] += (uint32_t)channel_of(old, k);
        }
    }
    for (int k = 0; k < 3; k++) {
        mean |= sums[k] / (BLOCK * BLOCK) << (8 * k);
    }
    for (size_t i = 0; i < BLOCK * BLOCK; i++) {
        to[i / BLOCK * stride + i % BLOCK] = mean;
    }
}

/* Clears blocks without changes in a lossy frame. */
static void clear_blocks(const mrwi_image_webp *webp, const uint32_t *bare,
                         mrwi_image_webp_frame *frame)
{
    const mrwi_image_webp_rect *rect = &frame->rect;
    const uint32_t mask = ~(BLOCK - 1u), right = (rect->x + rect->width) & mask;
    const uint32_t bottom = (rect->y + rect->height) & mask;
    for (uint32_t y = (rect->y + BLOCK) & mask; y < bottom; y += BLOCK) {
        for (uint32_t x = (rect->x + BLOCK) & mask; x < right; x += BLOCK) {
            clear_block(webp, bare + (size_t)y * webp->width + x,
                        frame->pixels + (size_t)(y - rect->y) * rect->width + (x - rect->x),
                        rect->width);
        }
    }
}

/* Copies the pixels of the frame, without those that do not change. */
static mrw_status cut(const mrwi_image_webp *webp, const uint32_t *bare,
                      mrwi_image_webp_frame *frame, mrw_error *error)
{
    const mrwi_image_webp_rect *rect = &frame->rect;
    frame->pixels = mrwi_base_alloc((size_t)rect->width * rect->height, sizeof *frame->pixels);
    if (!frame->pixels) {
        return mrwi_base_fail_memory(error, (size_t)rect->width * rect->height * 4);
    }
    for (uint32_t y = 0; y < rect->height; y++) {
        memcpy(frame->pixels + (size_t)y * rect->width,
               webp->canvas.now + (size_t)(rect->y + y) * webp->width + rect->x,
               rect->width * sizeof *frame->pixels);
    }
    if (frame->over && webp->tolerance < 0) {
        clear_unchanged(webp, bare, frame);
    } else if (frame->over) {
        clear_blocks(webp, bare, frame);
    }
    return MRW_OK;
}

static void take_pixels(const mrw_image *image, uint32_t *to)
{
    const uint8_t *from = image->pixels;
    const size_t pixels = (size_t)image->width * image->height;
    if (image->channels == 4) {
        memcpy(to, from, 4 * pixels);
        return;
    }
    for (size_t i = 0; i < pixels; i++, from += 3) {
        to[i] = from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | 0xFF000000u;
    }
}

mrw_status mrwi_image_webp_next(mrwi_image_webp *webp, const mrw_image *image, bool always,
                                mrwi_image_webp_frame *out, bool *changed, mrw_error *error)
{
    const bool first = webp->rect.width == 0;
    const uint32_t *bare = webp->canvas.before;
    *out = (mrwi_image_webp_frame){.rect = {0, 0, webp->width, webp->height}};
    take_pixels(image, webp->canvas.now);
    if (!first || webp->animated) {
        out->rect = find_changes(webp, webp->canvas.before); /* all is clear before the first */
    }
    *changed = first || out->rect.width > 0 || always;
    if (!*changed) {
        return MRW_OK;
    }
    if (out->rect.width == 0) {
        out->rect = (mrwi_image_webp_rect){0, 0, 1, 1};
    }
    if (!first) {
        choose_rect(webp, image->channels == 4, out, &bare);
        out->over = may_be_over(webp, bare, &out->rect);
    }
    mrw_status status = cut(webp, bare, out, error);
    uint32_t *before = webp->canvas.before;
    webp->canvas.before = webp->canvas.now;
    webp->canvas.now = before;
    webp->rect = out->rect;
    return status;
}

/* ---- encoding -------------------------------------------------------------------------------- */

/* Tells libwebp to go on: a WebPProgressHook. */
static int goes_on(int percent, const WebPPicture *picture)
{
    (void)percent;
    (void)picture;
    return mrwi_base_work_goes_on();
}

/* Waits until libwebp's memory for a frame is free, or nothing else is being encoded. */
static mrw_status take_memory(mrwi_image_webp *webp, size_t bytes, mrw_error *error)
{
    pthread_mutex_lock(&webp->memory.lock);
    while (webp->memory.taken > 0 &&
           (webp->memory.taken + bytes > MOST_BYTES || mrwi_base_memory_left() < bytes)) {
        pthread_cond_wait(&webp->memory.given, &webp->memory.lock);
    }
    const bool taken = mrwi_base_memory_lend(bytes);
    webp->memory.taken += taken ? bytes : 0;
    pthread_mutex_unlock(&webp->memory.lock);
    return taken ? MRW_OK : mrwi_base_fail_memory(error, bytes);
}

static void give_memory(mrwi_image_webp *webp, size_t bytes)
{
    pthread_mutex_lock(&webp->memory.lock);
    webp->memory.taken -= bytes;
    mrwi_base_memory_return(bytes);
    pthread_cond_broadcast(&webp->memory.given);
    pthread_mutex_unlock(&webp->memory.lock);
}

static mrw_status encode(const mrwi_image_webp *webp, mrwi_image_webp_frame *frame,
                         mrw_error *error)
{
    WebPConfig config = webp->config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    mrw_status status = MRW_OK;
    if (!WebPPictureInit(&picture)) {
        return mrwi_base_fail_memory(error, 0);
    }
    WebPMemoryWriterInit(&writer);
    picture.width = (int)frame->rect.width;
    picture.height = (int)frame->rect.height;
    picture.use_argb = 1;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    picture.progress_hook = goes_on;
    if (frame->over && !config.lossless) {
        config.autofilter = 0; /* would smooth the edges of what is clear */
        config.filter_strength = 0;
    }
    errno = 0;
    const bool encoded =
        WebPPictureImportRGBA(&picture, (const uint8_t *)frame->pixels, 4 * picture.width) &&
        WebPEncode(&config, &picture);
    if (encoded && errno == ENOMEM) { /* libwebp may go on without memory, and packs less well */
        status = mrwi_base_fail_memory(error, 0);
    } else if (!encoded) {
        const WebPEncodingError code = picture.error_code;
        status = code == VP8_ENC_ERROR_USER_ABORT ? mrwi_base_work_check(NULL, error)
                 : code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
                         code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY ||
                         code == VP8_ENC_ERROR_BAD_WRITE /* WebPMemoryWrite got none */
                     ? mrwi_base_fail_memory(error, 0)
                     : mrwi_base_fail(error, MRW_ERROR_INTERNAL, "libwebp: error %d", code);
    }
    WebPPictureFree(&picture);
    mrwi_base_free(frame->pixels);
    frame->pixels = NULL;
    frame->data = writer.mem;
    frame->size = writer.size;
    return status;
}

mrw_status mrwi_image_webp_encode(mrwi_image_webp *webp, mrwi_image_webp_frame *frame,
                                  mrw_error *error)
{
    const size_t bytes = (size_t)frame->rect.width * frame->rect.height * PIXEL_BYTES;
    mrw_status status = take_memory(webp, bytes, error);
    if (status) {
        return status;
    }
    status = encode(webp, frame, error);
    give_memory(webp, bytes);
    if (!mrwi_base_memory_lend(frame->size)) {
        status = status ? status : mrwi_base_fail_memory(error, frame->size);
        WebPFree(frame->data);
        frame->data = NULL;
        frame->size = 0;
    }
    return status;
}

/* Adds all frames to the file and makes it. */
static WebPMuxError assemble(const mrwi_image_webp *webp, WebPMux *mux,
                             const mrwi_image_webp_frame *frames, uint32_t count, uint32_t end,
                             WebPData *out)
{
    const WebPMuxAnimParams loop = {.bgcolor = 0xFFFFFFFFu, .loop_count = 0};
    WebPMuxError code = WebPMuxSetCanvasSize(mux, (int)webp->width, (int)webp->height);
    for (uint32_t i = 0; i < count && code == WEBP_MUX_OK; i++) {
        const mrwi_image_webp_frame *frame = &frames[i];
        const bool last = i + 1 == count;
        const WebPMuxFrameInfo info = {
            .bitstream = {frame->data, frame->size},
            .x_offset = (int)frame->rect.x,
            .y_offset = (int)frame->rect.y,
            .duration = (int)((last ? end : frames[i + 1].start) - frame->start),
            .id = WEBP_CHUNK_ANMF,
            .dispose_method = !last && frames[i + 1].cleared ? WEBP_MUX_DISPOSE_BACKGROUND
                                                             : WEBP_MUX_DISPOSE_NONE,
            .blend_method = frame->over ? WEBP_MUX_BLEND : WEBP_MUX_NO_BLEND};
        code = WebPMuxPushFrame(mux, &info, 0);
    }
    if (code == WEBP_MUX_OK) {
        code = WebPMuxSetAnimationParams(mux, &loop);
    }
    return code == WEBP_MUX_OK ? WebPMuxAssemble(mux, out) : code;
}

mrw_status mrwi_image_webp_finish(const mrwi_image_webp *webp, const mrwi_image_webp_frame *frames,
                                  uint32_t count, uint32_t end, mrw_bytes *out, mrw_error *error)
{
    const bool still =
        count == 1 && frames[0].rect.width == webp->width && frames[0].rect.height == webp->height;
    WebPData made = {NULL, 0}, file = {frames[0].data, frames[0].size};
    size_t copied = 0;
    for (uint32_t i = 0; i < count && !still; i++) {
        copied += frames[i].size;
    }
    if (!mrwi_base_memory_lend(copied)) {
        return mrwi_base_fail_memory(error, copied);
    }
    WebPMux *mux = still ? NULL : WebPMuxNew();
    WebPMuxError code = still ? WEBP_MUX_OK
                        : mux ? assemble(webp, mux, frames, count, end, &made)
                              : WEBP_MUX_MEMORY_ERROR;
    WebPMuxDelete(mux);
    if (code != WEBP_MUX_OK) {
        mrwi_base_memory_return(copied);
        /* libwebp calls its own frames bad if it gets no memory to read them */
        return code == WEBP_MUX_MEMORY_ERROR || code == WEBP_MUX_BAD_DATA
                   ? mrwi_base_fail_memory(error, 0)
                   : mrwi_base_fail(error, MRW_ERROR_INTERNAL, "libwebp: error %d", code);
    }
    file = still ? file : made;
    uint8_t *bytes = mrwi_base_alloc(file.size, 1);
    if (bytes) {
        memcpy(bytes, file.bytes, file.size);
        *out = (mrw_bytes){bytes, file.size};
    }
    WebPDataClear(&made);
    mrwi_base_memory_return(copied);
    return bytes ? MRW_OK : mrwi_base_fail_memory(error, file.size);
}
