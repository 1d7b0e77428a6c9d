/* codecs.h: reading and writing of PNG, other picture formats, animated PNG, and files of
 * floating-point and integer values. Every function is thread-safe.
 */
#ifndef MARROW_CODECS_H
#define MARROW_CODECS_H

#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- PNG ------------------------------------------------------------------------------------- */

/* Encodes a PNG: RGB or RGBA with 8 bits per channel, never with a palette or interlaced, without
 * date and program name. The caller frees *out. A NULL `def` means the default.
 *
 * Images of MRW_FORMAT_U16 become PNGs with 16 bits per channel; they may also be grey (1 channel).
 * Their subject is not written. The encoder turns their bytes around in memory of its own, which is
 * as large as the pixels.
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

/* Encodes a baseline JPEG with libjpeg-turbo. `image` is a picture with 3 channels. `quality` is
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

/* Encodes an OpenEXR file with OpenEXR's C core, without date and program name. Its bytes are the
 * same on every machine. Names that OpenEXR does not allow are MRW_ERROR_USAGE. The caller frees
 * *out. */
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

/* ---- Animated PNG ---------------------------------------------------------------------------- */

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

/* ---- Reading --------------------------------------------------------------------------------- */

/* Decodes a PNG, JPEG, BMP, TGA, DDS or WebP to the requested 3 or 4 channels, or as stored if
 * `channels` is 0. Grey becomes RGB, and 16 bits become 8. JPEG: 8 bits; baseline, progressive or
 * arithmetic-coded; the orientation that a camera noted is ignored, and CMYK is taken for inverted,
 * as browsers do; a damaged or truncated one is an error. DDS: unsigned BC1 to BC5, and
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

/* Returns true if a file begins as an OpenEXR file does. */
MRW_API bool mrw_image_is_exr(const void *data, size_t size);

/* Decodes an OpenEXR picture (.exr) with OpenEXR's C core: the first part, in scanlines or in
 * tiles (the largest level), compressed by any method except DWA, whose values differ between
 * machines, and B44, which that library misreads for 32-bit channels. The channels are R, G and B,
 * or Y alone, of halves or floats; others, at most 64 in all, are ignored. The result is linear
 * RGB: 3 channels of MRW_FORMAT_F32, as stored, so values may be negative or not finite.
 * Chromaticities are not applied. The data window must be the display window. max_pixels and name
 * are as in mrw_image_decode; the size is checked before memory is allocated. Returns
 * MRW_ERROR_INPUT for pictures that are damaged, truncated or of another form. The caller frees
 * *out. */
MRW_API mrw_status mrw_image_decode_exr(const void *data, size_t size, uint64_t max_pixels,
                                        const char *name, mrw_image *out, mrw_error *error);

/* Reads an OpenEXR picture from a file; see mrw_image_decode_exr. */
MRW_API mrw_status mrw_image_read_exr(const char *path, uint64_t max_pixels, mrw_image *out,
                                      mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
