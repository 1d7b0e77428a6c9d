/* image.h: pixel buffers and their hash, reading and writing of PNG, other picture formats, and
 * files of floating-point and integer values. Every function is thread-safe.
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
} mrw_png_def;

/* Returns the defaults: FAST, AUTO. */
MRW_API mrw_png_def mrw_png_def_default(void);

/* Encodes a PNG: RGB or RGBA with 8 bits per channel, never with a palette or interlaced, without
 * date and program name. The caller frees *out. A NULL `def` means the default.
 *
 * Images of MRW_FORMAT_U16 become PNGs with 16 bits per channel; they may also be grey (1 channel),
 * and must have no subject. They ignore `def`. Their pixels are the same on every machine, but
 * libdeflate compresses them, so their bytes may change with its version.
 *
 * A picture with a subject gets an additional chunk before its pixels: `mrSB`. Programs that do not
 * know it skip it, and drop it when they change the picture (ancillary, private, unsafe to copy:
 * PNG third edition, 5.4). Its data are a version byte, 1, then the lengths of runs of equal bytes
 * of the subject, in rows from the top; runs continue across rows. The first run is of zeros
 * (length 0 if the first pixel is drawn), then ones, zeros and so on. A length is written in
 * LEB128: 7 bits per byte, lowest first, with 0x80 set in all bytes but the last, in the fewest
 * bytes. All lengths except the first are at least 1, and they add up to width * height. */
MRW_API mrw_status mrw_png_encode_as(const mrw_image *image, const mrw_png_def *def, mrw_bytes *out,
                                     mrw_error *error);

/* Encodes a PNG like mrw_png_encode_as with the default. */
MRW_API mrw_status mrw_png_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Work memory for encoding, kept between pictures. From the second picture of one size on, encoding
 * does not allocate, unless a picture compresses to more bytes than all before it, or is the first
 * in which patterns are searched for. Use one per thread. */
typedef struct mrw_png_encoder mrw_png_encoder;

/* Creates an encoder. The caller frees *out with mrw_png_encoder_free. Fails only if memory runs
 * out. */
MRW_API mrw_status mrw_png_encoder_create(mrw_png_encoder **out, mrw_error *error);

/* Frees the encoder and its last file. NULL is allowed. */
MRW_API void mrw_png_encoder_free(mrw_png_encoder *encoder);

/* Encodes the same bytes as mrw_png_encode_as. *out belongs to the encoder and is valid until its
 * next use. */
MRW_API mrw_status mrw_png_encoder_encode(mrw_png_encoder *encoder, const mrw_image *image,
                                          const mrw_png_def *def, mrw_bytes *out, mrw_error *error);

/* ---- Pictures for other programs ------------------------------------------------------------- */

/* Encodes a baseline JPEG with stb_image_write. `image` is a picture with 3 channels. `quality` is
 * 1 (small) ... 100 (good); up to 90, colours have half the resolution (4:2:0). For this and the
 * next three formats, the bytes depend on the version of the encoding library but not on the
 * machine, and contain no date or program name. The caller frees *out. */
MRW_API mrw_status mrw_jpeg_encode(const mrw_image *image, uint32_t quality, mrw_bytes *out,
                                   mrw_error *error);

/* Encodes a run-length compressed Truevision TGA with stb_image_write: 24 bits, or 32 with alpha.
 * The caller frees *out. */
MRW_API mrw_status mrw_tga_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Encodes a Windows bitmap with stb_image_write: 24 bits, or 32 with alpha (a BITMAPV4HEADER with
 * its mask; old or simple programs show it opaque). The caller frees *out. */
MRW_API mrw_status mrw_bmp_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Encodes a QOI ("The Quite OK Image Format", qoiformat.org, 1.0) with its author's library: sRGB
 * with linear alpha. The caller frees *out. */
MRW_API mrw_status mrw_qoi_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Encodes a Netpbm PAM: RGB or RGB_ALPHA with MAXVAL 255. `image` is a picture, or U16 with 1, 3 or
 * 4 channels; then MAXVAL is 65535, and one channel is GRAYSCALE. The caller frees *out. */
MRW_API mrw_status mrw_pam_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* ---- Files of values ------------------------------------------------------------------------- */

/* A channel of an OpenEXR file. */
typedef struct mrw_exr_channel {
    /* Unique name of 1 ... 255 bytes. Names over 31 bytes set the file's long-name flag. */
    const char *name;
    /* F32 for a FLOAT channel, U32 for a UINT channel. */
    mrw_format format;
    /* Value of the first pixel. Each next one is `stride` bytes later, in rows from the top; rows
     * follow one another without padding. */
    const void *values;
    size_t stride;
} mrw_exr_channel;

/* The types of OpenEXR attributes. */
typedef enum mrw_exr_kind {
    MRW_EXR_STRING, /* `text` */
    MRW_EXR_FLOAT,  /* numbers[0] */
    MRW_EXR_INT,    /* numbers[0], an integer */
    MRW_EXR_M33F,   /* numbers[0 ... 8] */
    MRW_EXR_M44F    /* numbers[0 ... 15] */
} mrw_exr_kind;

/* An attribute of an OpenEXR file, in addition to the mandatory ones. */
typedef struct mrw_exr_attribute {
    const char *name; /* 1 ... 255 bytes */
    mrw_exr_kind kind;
    const char *text;
    float numbers[16];
} mrw_exr_attribute;

/* An OpenEXR file: one part with scanlines, compressed by ZIP. */
typedef struct mrw_exr_def {
    /* Size in pixels, 1 ... MRW_IMAGE_MAX_SIDE per side. */
    uint32_t width;
    uint32_t height;
    /* At least one channel; the file sorts them by name. */
    const mrw_exr_channel *channels;
    uint32_t channel_count;
    const mrw_exr_attribute *attributes;
    uint32_t attribute_count;
} mrw_exr_def;

/* Encodes an OpenEXR file with OpenEXR's C core, without date and program name. Its bytes change
 * only with zlib's version, its values never. Names that OpenEXR does not allow are
 * MRW_ERROR_USAGE. The caller frees *out. */
MRW_API mrw_status mrw_exr_encode(const mrw_exr_def *def, mrw_bytes *out, mrw_error *error);

/* Encodes a portable float map (Debevec's PFM): little-endian, rows from the bottom. `image` is F32
 * with 1 ("Pf") or 3 channels ("PF"). The caller frees *out. */
MRW_API mrw_status mrw_pfm_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Encodes a NumPy array (NumPy Enhancement Proposal 1, version 1.0): little-endian, rows from the
 * top, shape (height, width), or (height, width, channels) if there are several. The type is that
 * of the image: u1, u2, u4 or f4. The caller frees *out. */
MRW_API mrw_status mrw_npy_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Value of both components in a .flo file for unknown flow. Baker et al., "A Database and
 * Evaluation Methodology for Optical Flow", 2011, treat all values above 1e9 as unknown. */
#define MRW_FLO_UNKNOWN 1e10f

/* Encodes Middlebury's .flo. `image` is F32 with 3 channels: right, down, and 0 for unknown flow.
 * The caller frees *out. */
MRW_API mrw_status mrw_flo_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* An animated PNG that is being written. Frames may arrive in any order and from several threads
 * concurrently; the order changes no byte. Each frame is kept until its neighbours have arrived,
 * and then compressed. All frames but the first are reduced to the rectangle that differs from the
 * previous frame (1x1 if they are equal), so the number of frames and their times stay. With a
 * path, frames that have arrived in order are written at once, under a temporary name, and
 * released; roughly ordered frames therefore need little memory. Without a path, or for a pipe or
 * device, the compressed file (but not the pictures) stays in memory. */
typedef struct mrw_apng mrw_apng;

/* The properties of an animation that are known before its first frame. */
typedef struct mrw_apng_def {
    /* Size of each frame in pixels. */
    uint32_t width;
    uint32_t height;
    /* Channels, 3 or 4. */
    uint32_t channels;
    /* Number of frames, at least 1. */
    uint32_t count;
    /* Frames per second. */
    mrw_rate rate;
    mrw_png_def png;
    /* Output path, as for mrw_file_write; must outlive the animation. NULL: mrw_apng_finish returns
     * the bytes. */
    const char *path;
} mrw_apng_def;

/* Begins an animation. The caller frees *out with mrw_apng_free. */
MRW_API mrw_status mrw_apng_create(const mrw_apng_def *def, mrw_apng **out, mrw_error *error);

/* Frees an animation, finished or not: see mrw_apng_finish. */
MRW_API void mrw_apng_free(mrw_apng *apng);

/* Adds frame `index`, once. It must have the size and channels of the animation. `encoder` may be
 * NULL. */
MRW_API mrw_status mrw_apng_put(mrw_apng *apng, uint32_t index, const mrw_image *image,
                                mrw_png_encoder *encoder, mrw_error *error);

/* Adds a frame that equals frame `as`, which may be added before or after it. Reuses the compressed
 * data of that frame where possible. */
MRW_API mrw_status mrw_apng_repeat(mrw_apng *apng, uint32_t index, uint32_t as,
                                   const mrw_image *image, mrw_png_encoder *encoder,
                                   mrw_error *error);

/* Completes the file after all frames have been added; then the animation can only be freed.
 * Without a path the file is *out, which the caller frees. With a path the file appears there
 * complete, and `out` may be NULL. An animation that is freed earlier leaves no file. */
MRW_API mrw_status mrw_apng_finish(mrw_apng *apng, mrw_bytes *out, mrw_error *error);

/* Encodes an animated PNG (PNG 3rd edition, acTL/fcTL/fdAT) from `count` images of equal size,
 * played in a loop at the given rate. Omits subjects. The caller frees *out. `def` may be NULL. */
MRW_API mrw_status mrw_apng_encode_as(const mrw_image *images, uint32_t count, mrw_rate rate,
                                      const mrw_png_def *def, mrw_bytes *out, mrw_error *error);

/* Encodes an animated PNG like mrw_apng_encode_as with the default. */
MRW_API mrw_status mrw_apng_encode(const mrw_image *images, uint32_t count, mrw_rate rate,
                                   mrw_bytes *out, mrw_error *error);

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

/* Decodes a PNG, JPEG, BMP, TGA, DDS or WebP to the requested 3 or 4 channels, or as stored if
 * `channels` is 0. Grey becomes RGB, and 16 bits become 8. DDS: unsigned BC1 to BC5, and
 * uncompressed 24 and 32 bits; only the largest level. BC5 holds normals, whose third component is
 * computed. WebP: still pictures, lossless or lossy; the bits are the same on every machine.
 * Pictures with more than max_pixels are rejected before memory is allocated; 0 means
 * MRW_IMAGE_MAX_SIDE squared. `name` is used in messages, escaped. A PNG with a single valid
 * subject (see mrw_png_encode_as) of the right size restores it; any other subject is ignored. The
 * caller frees *out. */
MRW_API mrw_status mrw_image_decode(const void *data, size_t size, uint32_t channels,
                                    uint64_t max_pixels, const char *name, mrw_image *out,
                                    mrw_error *error);

/* Reads an image file; see mrw_image_decode. */
MRW_API mrw_status mrw_image_read(const char *path, uint32_t channels, mrw_image *out,
                                  mrw_error *error);

/* Decodes a Radiance picture (.hdr): 32-bit RGBE, flat or with either kind of run lengths, rows
 * from the top. The result is linear RGB: 3 channels of MRW_FORMAT_F32, finite and not negative.
 * Exposure and primaries in the header are not applied. max_pixels and name are as in
 * mrw_image_decode. Returns MRW_ERROR_INPUT for unreadable or truncated pictures. The caller frees
 * *out. */
MRW_API mrw_status mrw_image_decode_hdr(const void *data, size_t size, uint64_t max_pixels,
                                        const char *name, mrw_image *out, mrw_error *error);

/* Reads a Radiance picture from a file; see mrw_image_decode_hdr. */
MRW_API mrw_status mrw_image_read_hdr(const char *path, uint64_t max_pixels, mrw_image *out,
                                      mrw_error *error);

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

#ifdef __cplusplus
}
#endif
#endif
