/* image.h: pixel buffers, their hash and sheets of them; and writing files completely or not at
 * all. codecs.h reads and writes picture formats. Every function is thread-safe.
 */
#ifndef MARROW_IMAGE_H
#define MARROW_IMAGE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest side of an image that is rendered or read. */
#define MRW_IMAGE_MAX_SIDE 16384

/* How a value of an image, or of a rasterizer's target, is stored: in the machine's byte order,
 * aligned to its size. */
typedef enum mrw_format {
    MRW_FORMAT_U8,  /* format of pictures that are read, shown, compared and written */
    MRW_FORMAT_U16, /* unsigned, 2 bytes */
    MRW_FORMAT_U32, /* unsigned, 4 bytes */
    MRW_FORMAT_F32, /* IEEE single, 4 bytes */
    MRW_FORMAT_COUNT
} mrw_format;

/* Returns the size of a value in bytes: 1, 2 or 4. */
MRW_API size_t mrw_format_size(mrw_format format);

/* An image: rows from the top without padding, width * channels values per row. A picture is an
 * image of U8 with 3 channels (RGB) or 4 (RGBA, straight alpha), sRGB-encoded. For any other image,
 * the function that fills it defines the meaning of its values. Functions take pictures unless
 * their comment says otherwise; passing another image is a programming error. */
typedef struct mrw_image {
    uint32_t width;
    uint32_t height;
    uint32_t channels; /* values per pixel: 3 or 4 in pictures, 1 ... 16 in other images */
    mrw_format format; /* format of all values */
    /* height rows, 64-byte aligned and followed by 64 readable bytes; owned by the image. Cast the
     * pointer for formats other than U8. */
    uint8_t *pixels;
    /* width * height bytes, 1 for drawn pixels, otherwise 0; owned by the image. NULL: unknown.
     * mrw_image_free frees it; the pixel hash ignores it. */
    uint8_t *subject;
} mrw_image;

/* Allocates a zeroed picture with 3 or 4 channels. Sides are 1 ... MRW_IMAGE_MAX_SIDE. Free with
 * mrw_image_free. */
MRW_API mrw_status mrw_image_create(uint32_t width, uint32_t height, uint32_t channels,
                                    mrw_image *out, mrw_error *error);

/* Allocates a zeroed image of any format with 1 ... 4 channels. Otherwise like mrw_image_create. */
MRW_API mrw_status mrw_image_create_as(mrw_format format, uint32_t width, uint32_t height,
                                       uint32_t channels, mrw_image *out, mrw_error *error);

/* Frees the pixels and the subject of any image, and zeroes the struct. */
MRW_API void mrw_image_free(mrw_image *image);

/* Computes the pixel hash of any image: SHA-256 over width, height, channels (u32 little-endian)
 * and the rows. */
MRW_API void mrw_image_hash(const mrw_image *image, uint8_t out[32]);

/* Effort spent on making a PNG small. */
typedef enum mrw_png_effort {
    MRW_PNG_FAST, /* marrow's own encoder; files have the same bytes on every machine */
    MRW_PNG_BEST  /* libdeflate's strongest level, where that is smaller; hundreds of times slower;
                     bytes may change with libdeflate's version */
} mrw_png_effort;

/* How a PNG is compressed. */
typedef struct mrw_png_def {
    /* Effort, default MRW_PNG_FAST. */
    mrw_png_effort effort;
    /* Instruction set, MRW_ISA_AUTO (default) or one that is available. It changes no byte. */
    mrw_isa isa;
    /* Number of threads that filter and compress a picture of 8 bits per channel, in bands of rows.
     * Default 1; 0 means 1. More need up to three halves of the picture's memory besides. It
     * changes no byte. Ignored inside a parallel region of OpenMP, as in the sink of a sequence. */
    int threads;
} mrw_png_def;

/* Returns the defaults: FAST, AUTO, 1. */
MRW_API mrw_png_def mrw_png_def_default(void);

/* ---- Files ----------------------------------------------------------------------------------- */

/* Writes a file completely or not at all: under a temporary name beside it, which is then renamed.
 * A symbolic link stays, and its target is replaced. Pipes and devices are written directly. */
MRW_API mrw_status mrw_file_write(const char *path, const void *data, size_t size,
                                  mrw_error *error);

/* Stops all work on files; call it from a signal handler that ends the process right afterwards.
 * Terminates all programs that the library has started (ffmpeg, another marrow) with their own
 * children, and removes the temporary files of everything being written: by mrw_file_write, as
 * animations (mrw_apng_create) and as videos. Async-signal-safe. Takes milliseconds, or at most two
 * seconds if a disk does not respond. Afterwards no file can be begun or finished: threads that try
 * wait for the process to end. (If a process ends in another way, such as SIGKILL, the system
 * terminates the programs that the library has started, but not their children.) */
MRW_API void mrw_file_abandon_all(void);

/* ---- Sheets ---------------------------------------------------------------------------------- */

/* Arranges `count` images of equal size and channels in rows of `columns` on a plain background,
 * with `gap` pixels between and around them. The caller frees *out. */
MRW_API mrw_status mrw_image_sheet(const mrw_image *images, uint32_t count, uint32_t columns,
                                   uint32_t gap, const uint8_t background[4], mrw_image *out,
                                   mrw_error *error);

/* A sheet that is made step by step: mrw_sheet_create makes the empty background for `count`
 * pictures of one size, mrw_sheet_put copies a picture to its place. Different places may be filled
 * concurrently. */
typedef struct mrw_sheet_def {
    /* Size of one picture in pixels. */
    uint32_t width;
    uint32_t height;
    /* Channels of all pictures, 3 or 4. */
    uint32_t channels;
    /* Number of pictures. */
    uint32_t count;
    /* Number of columns; at most `count` are used. */
    uint32_t columns;
    /* Pixels between and around the pictures. */
    uint32_t gap;
    /* Background as sRGB bytes with straight alpha. */
    uint8_t background[4];
    /* Additional pixels above and below the pictures of each row. */
    uint32_t above;
    uint32_t below;
} mrw_sheet_def;

/* Creates the empty background. The caller frees *out with mrw_image_free. */
MRW_API mrw_status mrw_sheet_create(const mrw_sheet_def *def, mrw_image *out, mrw_error *error);

/* Copies a picture with the def's size and channels to place `index`, below `count`. Places are
 * counted along the rows from the top left. */
MRW_API void mrw_sheet_put(const mrw_sheet_def *def, mrw_image *sheet, uint32_t index,
                           const mrw_image *image);

/* ---- Backplates ------------------------------------------------------------------------------ */

/* Shapes of a gradient. In a picture of W x H pixels, pixel (x, y) has the colour
 * first + t * (second - first), rounded to nearest, in which first and second are sRGB-encoded
 * values (as in CSS), u = (2 x + 1) / W - 1 and v = (2 y + 1) / H - 1. */
typedef enum mrw_gradient {
    MRW_GRADIENT_VERTICAL, /* t = (1 + v) / 2: from the top to the bottom */
    MRW_GRADIENT_RADIAL    /* t = sqrt((u u + v v) / 2): from the middle to the corners */
} mrw_gradient;

/* Fills an image of 3 channels, U8 or U16, with a gradient. Colours are sRGB bytes; in U16 they
 * stand for 257 times their value. */
MRW_API void mrw_image_fill_gradient(mrw_gradient shape, const uint8_t first[3],
                                     const uint8_t second[3], mrw_image *out);

/* Fills an image of 3 channels, U8 or U16, with a picture that is scaled until it covers the image,
 * middle on middle (`background-size: cover` in CSS). The parts that stick out are cut off. Works
 * in linear light: each pixel of a reduced picture is the mean of the area that it shows, and an
 * enlarged one is bilinear. At its own size a picture is copied. `matte`, sRGB, is seen through
 * clear pixels. The picture is U8 with 3 or 4 channels. Uses up to `threads` threads (1 or more),
 * which change no bit. Fails only if memory runs out. */
MRW_API mrw_status mrw_image_cover(const mrw_image *picture, const uint8_t matte[3], int threads,
                                   mrw_image *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
