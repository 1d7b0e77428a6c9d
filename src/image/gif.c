/* gif.c: GIF89a by giflib: for each picture, the rectangle that differs from the canvas.
 *
 * A rectangle may leave pixels as they are, but it cannot clear one. To clear pixels, the picture
 * before is disposed of, and its rectangle is made to enclose them. Unchanged pixels in a rectangle
 * are drawn again or left clear, whichever compresses better: drawing suits a figure that fills its
 * rectangle, leaving suits small motion. (Choosing pixel by pixel, by the strings of LZW's
 * dictionary, would save 1 %.) */
#include "image/gif.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/work.h"

#include <assert.h>
#include <gif_lib.h>
#include <string.h>

/* A rectangle; right and bottom are one behind its last pixels. */
typedef struct rectangle {
    uint32_t left, top, right, bottom;
} rectangle;

struct mrwi_image_gif {
    GifFileType *file;
    uint32_t width, height;
    uint8_t *memory; /* bytes of the file so far */
    size_t size, capacity;
    bool failed;     /* memory ran out */
    uint8_t *canvas; /* the picture on which the next frame is drawn; 0: clear */
    uint8_t *pixels; /* three pictures: a rectangle's pixels, which of them are shown already, and
                        the pixels that are written */
};

/* ---- bytes ----------------------------------------------------------------------------------- */

static int write_bytes(GifFileType *file, const GifByteType *data, int size)
{
    mrwi_image_gif *gif = file->UserData;
    const size_t wanted = gif->size + (size_t)size;
    if (wanted > gif->capacity) {
        uint8_t *grown = mrwi_base_realloc(gif->memory, gif->size, 2 * wanted + 4096, 1);
        if (!grown) {
            gif->failed = true;
            return 0;
        }
        gif->memory = grown;
        gif->capacity = 2 * wanted + 4096;
    }
    memcpy(gif->memory + gif->size, data, (size_t)size);
    gif->size = wanted;
    return size;
}

static mrw_status fail(const mrwi_image_gif *gif, mrw_error *error)
{
    const int code = gif->file ? gif->file->Error : E_GIF_ERR_NOT_ENOUGH_MEM;
    const mrw_status status = mrwi_base_work_check(NULL, error);
    if (status) {
        return status;
    }
    if (gif->failed || code == 0 || code == E_GIF_ERR_NOT_ENOUGH_MEM) {
        return mrwi_base_fail_memory(error, gif->capacity);
    }
    const char *text = GifErrorString(code);
    return mrwi_base_fail(error, MRW_ERROR_INTERNAL, "giflib: %s", text ? text : "it fails");
}

/* ---- the beginning --------------------------------------------------------------------------- */

static bool put_loop(GifFileType *file)
{
    static const uint8_t without_end[3] = {1, 0, 0};
    return EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(file, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(file, sizeof without_end, without_end) == GIF_OK &&
           EGifPutExtensionTrailer(file) == GIF_OK;
}

static bool put_head(mrwi_image_gif *gif, const mrwi_image_gif_palette *palette, bool plays)
{
    GifColorType colors[256] = {{0, 0, 0}};
    const int size = 1 << GifBitSize((int)palette->count + 1);
    for (uint32_t i = 0; i < palette->count; i++) {
        const uint8_t *color = palette->colors[i];
        colors[i + 1] = (GifColorType){color[0], color[1], color[2]};
    }
    ColorMapObject *map = GifMakeMapObject(size < 2 ? 2 : size, colors);
    EGifSetGifVersion(gif->file, true);
    const bool put =
        map && EGifPutScreenDesc(gif->file, (int)gif->width, (int)gif->height, 8, 0, map) == GIF_OK;
    GifFreeMapObject(map);
    return put && (!plays || put_loop(gif->file));
}

mrw_status mrwi_image_gif_begin(uint32_t width, uint32_t height,
                                const mrwi_image_gif_palette *palette, bool plays,
                                mrwi_image_gif **out, mrw_error *error)
{
    const size_t pixels = (size_t)width * height;
    int code = 0;
    mrwi_image_gif *gif = mrwi_base_alloc_zero(1, sizeof *gif);
    if (!gif) {
        return mrwi_base_fail_memory(error, sizeof *gif);
    }
    *gif = (mrwi_image_gif){.width = width,
                            .height = height,
                            .canvas = mrwi_base_alloc_zero(pixels, 1),
                            .pixels = mrwi_base_alloc(pixels, 3)};
    if (!gif->canvas || !gif->pixels) {
        mrwi_image_gif_free(gif);
        return mrwi_base_fail_memory(error, 3 * pixels);
    }
    gif->file = EGifOpen(gif, write_bytes, &code);
    if (!gif->file || !put_head(gif, palette, plays)) {
        const mrw_status status = fail(gif, error);
        mrwi_image_gif_free(gif);
        return status;
    }
    *out = gif;
    return MRW_OK;
}

void mrwi_image_gif_free(mrwi_image_gif *gif)
{
    if (!gif) {
        return;
    }
    if (gif->file) {
        EGifCloseFile(gif->file, NULL);
    }
    mrwi_base_free(gif->memory);
    mrwi_base_free(gif->canvas);
    mrwi_base_free(gif->pixels);
    mrwi_base_free(gif);
}

mrw_status mrwi_image_gif_finish(mrwi_image_gif *gif, mrw_bytes *out, mrw_error *error)
{
    GifFileType *file = gif->file;
    int code = 0;
    gif->file = NULL;
    if (EGifCloseFile(file, &code) != GIF_OK) {
        return fail(gif, error);
    }
    *out = (mrw_bytes){gif->memory, gif->size};
    gif->memory = NULL;
    return MRW_OK;
}

/* ---- rectangles ------------------------------------------------------------------------------ */

static void grow(rectangle *r, uint32_t x, uint32_t y)
{
    r->left = x < r->left ? x : r->left;
    r->top = y < r->top ? y : r->top;
    r->right = x >= r->right ? x + 1 : r->right;
    r->bottom = y >= r->bottom ? y + 1 : r->bottom;
}

static bool is_empty(const rectangle *r)
{
    return r->right <= r->left;
}

/* The rectangle of a frame, and how the frame is disposed of. */
typedef struct plan {
    rectangle drawn;
    int disposal;
} plan;

/* Counts the pixels that the next frame must draw if this one's rectangle is cleared, and if the
 * picture before this one is restored. */
static void count_changes(const mrwi_image_gif *gif, const mrwi_image_gif_frame *frame,
                          const rectangle *cleared, size_t *with_clearing, size_t *with_restoring)
{
    *with_clearing = *with_restoring = 0;
    for (uint32_t y = 0; y < gif->height; y++) {
        for (uint32_t x = 0; x < gif->width; x++) {
            const size_t i = (size_t)y * gif->width + x;
            const bool inside = x >= cleared->left && x < cleared->right && y >= cleared->top &&
                                y < cleared->bottom;
            *with_clearing += (inside ? 0 : frame->indices[i]) != frame->next[i];
            *with_restoring += gif->canvas[i] != frame->next[i];
        }
    }
}

static plan make_plan(const mrwi_image_gif *gif, const mrwi_image_gif_frame *frame)
{
    const rectangle nothing = {UINT32_MAX, UINT32_MAX, 0, 0};
    rectangle changed = nothing, going = nothing;
    bool restorable = true;
    for (uint32_t y = 0; y < gif->height; y++) {
        for (uint32_t x = 0; x < gif->width; x++) {
            const size_t i = (size_t)y * gif->width + x;
            const bool clear_next = frame->next && frame->next[i] == 0;
            if (gif->canvas[i] != frame->indices[i]) {
                grow(&changed, x, y);
            }
            if (clear_next && frame->indices[i] != 0) {
                grow(&going, x, y);
            }
            restorable = restorable && (!clear_next || gif->canvas[i] == 0);
        }
    }
    plan out = {changed, DISPOSE_DO_NOT};
    if (!is_empty(&going)) {
        size_t with_clearing, with_restoring;
        rectangle both = going;
        if (!is_empty(&changed)) {
            grow(&both, changed.left, changed.top);
            grow(&both, changed.right - 1, changed.bottom - 1);
        }
        count_changes(gif, frame, &both, &with_clearing, &with_restoring);
        out = restorable && with_restoring < with_clearing ? (plan){changed, DISPOSE_PREVIOUS}
                                                           : (plan){both, DISPOSE_BACKGROUND};
    }
    if (is_empty(&out.drawn)) {
        out.drawn = (rectangle){0, 0, 1, 1};
    }
    return out;
}

/* ---- a frame --------------------------------------------------------------------------------- */

static bool put_control(GifFileType *file, int disposal, uint32_t delay, bool clear)
{
    const GraphicsControlBlock control = {.DisposalMode = disposal,
                                          .DelayTime = (int)delay,
                                          .TransparentColor = clear ? 0 : NO_TRANSPARENT_COLOR};
    GifByteType block[4];
    return EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, (int)EGifGCBToExtension(&control, block),
                            block) == GIF_OK;
}

/* Writes the pixels of a rectangle with `bits` bits per pixel. giflib uses as many as the screen's
 * palette needs, so a palette that ends after the last index in use makes shorter codes. */
static bool put_pixels(mrwi_image_gif *gif, const rectangle *r, int bits, uint8_t *pixels)
{
    const int width = (int)(r->right - r->left), height = (int)(r->bottom - r->top);
    ColorMapObject *whole = gif->file->SColorMap;
    ColorMapObject part = *whole;
    part.BitsPerPixel = bits < whole->BitsPerPixel ? bits : whole->BitsPerPixel;
    gif->file->SColorMap = &part;
    bool put = EGifPutImageDesc(gif->file, (int)r->left, (int)r->top, width, height, false, NULL) ==
               GIF_OK;
    gif->file->SColorMap = whole;
    for (int y = 0; y < height && put; y++) {
        put = mrwi_base_work_goes_on() &&
              EGifPutLine(gif->file, pixels + (size_t)y * (size_t)width, width) == GIF_OK;
    }
    return put;
}

static int bits_of(const uint8_t *pixels, size_t count)
{
    uint8_t all = 0;
    int bits = 2; /* giflib's minimum */
    for (size_t i = 0; i < count; i++) {
        all |= pixels[i];
    }
    while (all >> bits != 0) {
        bits++;
    }
    return bits;
}

/* Copies a rectangle, and marks each pixel that is shown already. */
static bool gather(mrwi_image_gif *gif, const uint8_t *indices, const rectangle *r)
{
    const size_t width = r->right - r->left, count = width * (r->bottom - r->top);
    bool any = false;
    for (uint32_t y = r->top; y < r->bottom; y++) {
        const size_t from = (size_t)y * gif->width + r->left, to = (y - r->top) * width;
        for (size_t x = 0; x < width; x++) {
            const bool same = indices[from + x] == gif->canvas[from + x];
            gif->pixels[to + x] = indices[from + x];
            gif->pixels[count + to + x] = same;
            any = any || same;
        }
    }
    return any;
}

/* Makes the pixels that are written. Returns true if any is clear. */
static bool make_pixels(const mrwi_image_gif *gif, bool leaves, size_t count, uint8_t *pixels)
{
    const uint8_t *drawn = gif->pixels, *optional = drawn + count;
    bool clear = false;
    for (size_t i = 0; i < count; i++) {
        pixels[i] = leaves && optional[i] ? 0 : drawn[i];
        clear = clear || pixels[i] == 0;
    }
    return clear;
}

/* Writes the frame with all pixels of its rectangle, then with the changed ones only, and keeps the
 * shorter version. */
static bool put_best(mrwi_image_gif *gif, const plan *p, uint32_t delay, bool several)
{
    const rectangle *r = &p->drawn;
    const size_t count = (size_t)(r->right - r->left) * (r->bottom - r->top);
    const size_t start = gif->size;
    uint8_t *pixels = gif->pixels + 2 * count;
    size_t best = 0;
    for (int leaves = 0; leaves <= (several ? 1 : 0); leaves++) {
        const size_t from = gif->size;
        const bool clear = make_pixels(gif, leaves != 0, count, pixels);
        if (!put_control(gif->file, p->disposal, delay, clear) ||
            !put_pixels(gif, r, bits_of(pixels, count), pixels)) {
            return false;
        }
        const size_t size = gif->size - from;
        if (leaves == 0 || size < best) {
            memmove(gif->memory + start, gif->memory + from, size);
            best = size;
        }
        gif->size = start + best;
    }
    return true;
}

static void dispose(mrwi_image_gif *gif, const mrwi_image_gif_frame *frame, const plan *p)
{
    const rectangle *r = &p->drawn;
    if (p->disposal == DISPOSE_PREVIOUS) {
        return;
    }
    memcpy(gif->canvas, frame->indices, (size_t)gif->width * gif->height);
    for (uint32_t y = r->top; y < r->bottom && p->disposal == DISPOSE_BACKGROUND; y++) {
        memset(gif->canvas + (size_t)y * gif->width + r->left, 0, r->right - r->left);
    }
}

mrw_status mrwi_image_gif_put(mrwi_image_gif *gif, const mrwi_image_gif_frame *frame,
                              mrw_error *error)
{
    assert(frame->delay <= MRWI_IMAGE_GIF_LONGEST);
    const plan p = make_plan(gif, frame);
    const bool several = gather(gif, frame->indices, &p.drawn);
    if (!put_best(gif, &p, frame->delay, several)) {
        return fail(gif, error);
    }
    dispose(gif, frame, &p);
    return MRW_OK;
}
