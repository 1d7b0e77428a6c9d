/* image.h: pixel buffers, their hash, PNG in and out, pictures for other programs, files of
 * numbers. Every function is thread-safe. */
#ifndef MARROW_IMAGE_H
#define MARROW_IMAGE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest side of an image that is rendered or read. */
#define MRW_IMAGE_MAX_SIDE 16384

/* What a value of an image, or of a target of the rasterizer, is stored as; in the machine's byte
 * order, each at a multiple of its size. */
typedef enum mrw_format {
    MRW_FORMAT_U8,  /* the format of pictures that are read, shown, compared and written */
    MRW_FORMAT_U16, /* unsigned, 2 bytes */
    MRW_FORMAT_U32, /* unsigned, 4 bytes */
    MRW_FORMAT_F32, /* IEEE single, 4 bytes */
    MRW_FORMAT_COUNT
} mrw_format;

/* Bytes of a value: 1, 2 or 4. */
MRW_API size_t mrw_format_size(mrw_format format);

/* Rows from the top, tight: width * channels values a row. A picture is U8 with 3 channels (RGB) or
 * 4 (RGBA, straight alpha), sRGB-encoded. Whoever fills an image of another kind says what its
 * values are. Functions that take an image take pictures, where they don't say otherwise: another
 * one is a programmer's error. */
typedef struct mrw_image {
    uint32_t width;
    uint32_t height;
    uint32_t channels; /* values a pixel: 3 or 4 of pictures, 1 ... 16 of others */
    mrw_format format; /* of all of them */
    /* height rows, 64-byte aligned, owned by the image, followed by 64 readable bytes; cast it for
     * formats other than U8. */
    uint8_t *pixels;
    /* width * height bytes, 1 where something was drawn, else 0, owned by the image; NULL: not
     * known. mrw_image_free frees it, the pixel hash leaves it out. */
    uint8_t *subject;
} mrw_image;

/* Allocates a picture of 3 or 4 channels, zeroed. Sides are 1 ... MRW_IMAGE_MAX_SIDE. */
MRW_API mrw_status mrw_image_create(uint32_t width, uint32_t height, uint32_t channels,
                                    mrw_image *out, mrw_error *error);

/* The same with any format, and 1 ... 4 channels. */
MRW_API mrw_status mrw_image_create_as(mrw_format format, uint32_t width, uint32_t height,
                                       uint32_t channels, mrw_image *out, mrw_error *error);

/* Frees the pixels of any image and zeroes the struct. */
MRW_API void mrw_image_free(mrw_image *image);

/* The pixel hash: SHA-256 over width, height, channels (u32 little-endian) and the rows; of any
 * image. */
MRW_API void mrw_image_hash(const mrw_image *image, uint8_t out[32]);

/* How much is done to make a PNG small. */
typedef enum mrw_png_effort {
    MRW_PNG_FAST, /* marrow's own encoder; the file's bytes are the same on every machine */
    MRW_PNG_BEST  /* libdeflate's strongest, where that is smaller; hundreds of times slower; the
                     bytes may change with its version */
} mrw_png_effort;

/* How a PNG is packed. */
typedef struct mrw_png_def {
    /* Default MRW_PNG_FAST. */
    mrw_png_effort effort;
    /* Available, or MRW_ISA_AUTO, the default: it changes no byte. */
    mrw_isa isa;
} mrw_png_def;

/* FAST, AUTO. */
MRW_API mrw_png_def mrw_png_def_default(void);

/* Encodes a PNG: RGB or RGBA of 8 bits a channel, or 16 for images of MRW_FORMAT_U16, which may be
 * grey, too (1 channel), have no subject, take no notice of `def` and leave out the promise of
 * bytes below (libdeflate packs them: pixels are the same); never palette or interlaced; no date,
 * no program name.
 * The caller frees *out. def may be NULL: the default.
 *
 * A picture with a subject gets one chunk more, before its pixels: `mrSB`, which programs that
 * don't know it skip, and leave out when they change the picture (ancillary, private, unsafe to
 * copy: PNG third edition, 5.4). Its data are a byte 1, the version, then the lengths of the runs
 * of equal bytes of the subject, rows from the top, one row going on into the next: zeros first (0
 * of them when the first pixel is drawn), ones, zeros and so on. A length is written 7 bits a byte,
 * lowest first, 0x80 set in all bytes but its last (LEB128), in as few bytes as it takes. The
 * lengths are at least 1, but for the first, and add up to width * height. */
MRW_API mrw_status mrw_png_encode_as(const mrw_image *image, const mrw_png_def *def, mrw_bytes *out,
                                     mrw_error *error);

/* The same with the default. */
MRW_API mrw_status mrw_png_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Memory for encoding, kept from picture to picture: of pictures of one size the second one and
 * those after it are encoded without allocating, unless one packs to more than all before it, or is
 * the first in which patterns are looked for. One a thread. */
typedef struct mrw_png_encoder mrw_png_encoder;

/* The caller frees *out with mrw_png_encoder_free. Fails only for want of memory. */
MRW_API mrw_status mrw_png_encoder_create(mrw_png_encoder **out, mrw_error *error);

/* Frees the encoder and the file it made last. NULL is allowed. */
MRW_API void mrw_png_encoder_free(mrw_png_encoder *encoder);

/* mrw_png_encode_as, the same bytes; but *out is the encoder's, and valid until its next use. */
MRW_API mrw_status mrw_png_encoder_encode(mrw_png_encoder *encoder, const mrw_image *image,
                                          const mrw_png_def *def, mrw_bytes *out, mrw_error *error);

/* ---- Pictures for other programs ------------------------------------------------------------- */

/* Encodes a baseline JPEG, by stb_image_write. image: a picture of 3 channels; quality: 1 (small)
 * ... 100 (good), up to 90 with colours at half the resolution (4:2:0). Of this and the next three
 * the file's bytes depend on the version of the library that packs them, not on the machine; there
 * is no date or program's name in them. The caller frees *out. */
MRW_API mrw_status mrw_jpeg_encode(const mrw_image *image, uint32_t quality, mrw_bytes *out,
                                   mrw_error *error);

/* Encodes a Truevision TGA, packed by runs, by stb_image_write: of 24 bits, or 32 with alpha. The
 * caller frees *out. */
MRW_API mrw_status mrw_tga_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Encodes a Windows bitmap, by stb_image_write: of 24 bits, or 32 with alpha (a BITMAPV4HEADER with
 * its mask; programs older than that, or without care, show it opaque). The caller frees *out. */
MRW_API mrw_status mrw_bmp_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Encodes a QOI ("The Quite OK Image Format", qoiformat.org, 1.0), by its author's library: sRGB
 * with linear alpha. The caller frees *out. */
MRW_API mrw_status mrw_qoi_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Encodes Netpbm's PAM: RGB or RGB_ALPHA of MAXVAL 255. image: a picture, or U16 of 1, 3 or 4
 * channels: then MAXVAL is 65535, and one channel is GRAYSCALE. The caller frees *out. */
MRW_API mrw_status mrw_pam_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* ---- Files of numbers ------------------------------------------------------------------------ */

/* A channel of an OpenEXR file. */
typedef struct mrw_exr_channel {
    /* 1 ... 255 bytes, of no other channel; over 31 the file says that it has long names. */
    const char *name;
    /* F32, a FLOAT channel, or U32, a UINT one. */
    mrw_format format;
    /* Its value of the first pixel; that of the next is `stride` bytes behind, rows from the top,
     * one row going on into the next. */
    const void *values;
    size_t stride;
} mrw_exr_channel;

/* What an attribute of an OpenEXR file is. */
typedef enum mrw_exr_kind {
    MRW_EXR_STRING, /* text */
    MRW_EXR_FLOAT,  /* numbers[0] */
    MRW_EXR_INT,    /* numbers[0], a whole number */
    MRW_EXR_M33F,   /* numbers[0 ... 8] */
    MRW_EXR_M44F    /* numbers[0 ... 15] */
} mrw_exr_kind;

/* An attribute of an OpenEXR file, other than those that all have. */
typedef struct mrw_exr_attribute {
    const char *name; /* 1 ... 255 bytes */
    mrw_exr_kind kind;
    const char *text;
    float numbers[16];
} mrw_exr_attribute;

/* An OpenEXR file: one part of scanlines, packed by ZIP. */
typedef struct mrw_exr_def {
    /* Pixels, 1 ... MRW_IMAGE_MAX_SIDE each. */
    uint32_t width;
    uint32_t height;
    /* At least one; the file has them in the order of their names. */
    const mrw_exr_channel *channels;
    uint32_t channel_count;
    const mrw_exr_attribute *attributes;
    uint32_t attribute_count;
} mrw_exr_def;

/* Encodes an OpenEXR file, by OpenEXR's C core. No date, no program's name: its bytes change with
 * zlib's version only, its values with nothing. Names that it can't have are MRW_ERROR_USAGE. The
 * caller frees *out. */
MRW_API mrw_status mrw_exr_encode(const mrw_exr_def *def, mrw_bytes *out, mrw_error *error);

/* Encodes a portable float map (Debevec's PFM): little-endian, rows from the bottom. image: F32 of
 * 1 ("Pf") or 3 channels ("PF"). The caller frees *out. */
MRW_API mrw_status mrw_pfm_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* What a .flo file has in place of both numbers where the flow is not known: Baker et al., "A
 * Database and Evaluation Methodology for Optical Flow", 2011, takes all above 1e9 for that. */
#define MRW_FLO_UNKNOWN 1e10f

/* Encodes Middlebury's .flo. image: F32 of 3 channels: right, down, and 0 where it is not known.
 * The caller frees *out. */
MRW_API mrw_status mrw_flo_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* An animated PNG on the way. Its frames may come in any order and from several threads at once.
 * Each is kept until those before and after it have come, and packed: of all but the first the
 * rectangle alone in which it differs from the one before (1x1 where nothing does), so that frames
 * keep their number and their times. With a path, what has come in order is written at once, under
 * a temporary name, and forgotten: frames that come about in order take little memory. Without one,
 * or to a pipe or a device, memory follows the file (not the pictures). The order in which frames
 * come changes no byte. */
typedef struct mrw_apng mrw_apng;

/* What is known of an animation before its first frame. */
typedef struct mrw_apng_def {
    /* Of each frame, in pixels. */
    uint32_t width;
    uint32_t height;
    /* 3 or 4. */
    uint32_t channels;
    /* Frames, at least 1. */
    uint32_t count;
    /* Frames a second. */
    mrw_rate rate;
    mrw_png_def png;
    /* Where it goes, as with mrw_file_write; must last as long as the animation. NULL:
     * mrw_apng_finish gives the file. */
    const char *path;
} mrw_apng_def;

/* Begins an animation. The caller frees *out with mrw_apng_free. */
MRW_API mrw_status mrw_apng_create(const mrw_apng_def *def, mrw_apng **out, mrw_error *error);

/* Ends an animation, finished or not: see mrw_apng_finish. */
MRW_API void mrw_apng_free(mrw_apng *apng);

/* Puts frame `index`, once; it must have the size and channels of the animation. encoder may be
 * NULL. */
MRW_API mrw_status mrw_apng_put(mrw_apng *apng, uint32_t index, const mrw_image *image,
                                mrw_png_encoder *encoder, mrw_error *error);

/* The same for a frame that shows what frame `as` shows, which is put before or after: what was
 * packed for that is taken again where it is of use. */
MRW_API mrw_status mrw_apng_repeat(mrw_apng *apng, uint32_t index, uint32_t as,
                                   const mrw_image *image, mrw_png_encoder *encoder,
                                   mrw_error *error);

/* The file, when all frames are there; then the animation can only be freed. Without a path it is
 * *out, which the caller frees; with one it appears there, whole, and out may be NULL. An animation
 * that is freed before leaves no file. */
MRW_API mrw_status mrw_apng_finish(mrw_apng *apng, mrw_bytes *out, mrw_error *error);

/* Encodes an animated PNG (PNG 3rd edition, acTL/fcTL/fdAT) of count images of equal size, played
 * in a loop at the given rate. Subjects are left out. The caller frees *out. def may be NULL. */
MRW_API mrw_status mrw_apng_encode_as(const mrw_image *images, uint32_t count, mrw_rate rate,
                                      const mrw_png_def *def, mrw_bytes *out, mrw_error *error);

/* The same with the default. */
MRW_API mrw_status mrw_apng_encode(const mrw_image *images, uint32_t count, mrw_rate rate,
                                   mrw_bytes *out, mrw_error *error);

/* Writes a file whole or not at all: to a temporary name beside it, then renamed. A symbolic link
 * stays and what it names is replaced; a pipe or a device is written to. */
MRW_API mrw_status mrw_file_write(const char *path, const void *data, size_t size,
                                  mrw_error *error);

/* For a signal handler that ends the process right after it: ends all programs that the library has
 * started (ffmpeg, another marrow), with what these have started, and removes the temporary files
 * of all that is being written, by mrw_file_write, as animations (mrw_apng_create) and as videos.
 * Async-signal-safe. Takes milliseconds; two seconds at most, where a disk does not answer. After
 * it no file can be begun or finished: threads that try wait for the end. (Where a process ends
 * otherwise, by SIGKILL say, the system ends the programs that the library has started, but not
 * what these have started.) */
MRW_API void mrw_file_abandon_all(void);

/* Decodes a PNG, JPEG, BMP, TGA or DDS to 3 or 4 channels as stored (channels 0; grey becomes RGB,
 * 16 bits become 8) or as asked for. DDS: BC1 to BC5 unsigned and uncompressed 24 and 32 bit, the
 * largest level; of BC5, which holds normals, the third component is computed. max_pixels refuses
 * larger pictures before memory is taken; 0 means MRW_IMAGE_MAX_SIDE squared. `name` stands in
 * messages, escaped. A PNG with one subject (see mrw_png_encode) that is sound and fits its size
 * gives it back; any other is ignored. The caller frees *out. */
MRW_API mrw_status mrw_image_decode(const void *data, size_t size, uint32_t channels,
                                    uint64_t max_pixels, const char *name, mrw_image *out,
                                    mrw_error *error);

/* Reads an image file; see mrw_image_decode. */
MRW_API mrw_status mrw_image_read(const char *path, uint32_t channels, mrw_image *out,
                                  mrw_error *error);

/* Decodes a Radiance picture (.hdr): 32-bit RGBE, flat or with run lengths of either kind, rows
 * from the top, to linear RGB: 3 channels of MRW_FORMAT_F32, which are finite and not negative.
 * Exposure and primaries that its header may name are not applied. max_pixels and name as of
 * mrw_image_decode; fails with MRW_ERROR_INPUT for what it can't read, and pictures that are cut
 * off. The caller frees *out. */
MRW_API mrw_status mrw_image_decode_hdr(const void *data, size_t size, uint64_t max_pixels,
                                        const char *name, mrw_image *out, mrw_error *error);

/* Reads a Radiance picture from a file; see mrw_image_decode_hdr. */
MRW_API mrw_status mrw_image_read_hdr(const char *path, uint64_t max_pixels, mrw_image *out,
                                      mrw_error *error);

/* Lays count images of equal size and channels out in rows of `columns` on a plain ground with
 * `gap` pixels between and around them. The caller frees *out. */
MRW_API mrw_status mrw_image_sheet(const mrw_image *images, uint32_t count, uint32_t columns,
                                   uint32_t gap, const uint8_t background[4], mrw_image *out,
                                   mrw_error *error);

/* The same in pieces: the empty ground for count pictures of a size, and a picture at its place.
 * Different places may be filled at the same time. */
typedef struct mrw_sheet_def {
    /* Of one picture, in pixels. */
    uint32_t width;
    uint32_t height;
    /* 3 or 4, as that of all pictures. */
    uint32_t channels;
    /* Pictures. */
    uint32_t count;
    /* At most count are used. */
    uint32_t columns;
    /* Pixels between and around the pictures. */
    uint32_t gap;
    /* sRGB bytes, straight alpha. */
    uint8_t background[4];
    /* More pixels between the rows, above and below the pictures of each. */
    uint32_t above;
    uint32_t below;
} mrw_sheet_def;

/* The ground alone. The caller frees *out with mrw_image_free. */
MRW_API mrw_status mrw_sheet_create(const mrw_sheet_def *def, mrw_image *out, mrw_error *error);

/* Copies a picture, of the size and channels of the def, to place `index` below count: places are
 * counted along the rows, from the top left. */
MRW_API void mrw_sheet_put(const mrw_sheet_def *def, mrw_image *sheet, uint32_t index,
                           const mrw_image *image);

#ifdef __cplusplus
}
#endif
#endif
