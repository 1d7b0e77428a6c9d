/* writer.h: the interface of a format: how it writes a file. */
#ifndef MRWI_OUTPUT_WRITER_H
#define MRWI_OUTPUT_WRITER_H

#include "marrow/codecs.h"
#include "marrow/output.h"

/* Data of one thread. */
typedef struct mrwi_output_worker {
    mrw_png_encoder *encoder; /* created for the thread's first picture */
    mrw_bytes last; /* the picture encoded last: owned by the encoder if PNG, else `own` */
    mrw_bytes own;  /* freed with the output */
} mrwi_output_worker;

/* The pages of a finished sprite sheet. */
typedef struct mrwi_output_made {
    uint32_t pages;         /* 0: not known yet */
    uint32_t width, height; /* size of the first page */
    uint32_t *page_of;      /* [place]; freed with the output */
} mrwi_output_made;

/* A file to be written. */
typedef struct mrwi_output_target {
    const mrw_output_def *def;
    uint32_t file;          /* index in def->files */
    mrwi_output_made *made; /* filled in when a sprite sheet is finished */
    const char *path;       /* NULL: standard output */
    uint32_t count;         /* number of its pictures */
    mrw_rate rate;          /* rate of an animation */
} mrwi_output_target;

/* A picture of a file. */
typedef struct mrwi_output_item {
    uint32_t place; /* index among the pictures of the file */
    const mrw_image *image;
    mrwi_output_worker *worker;
} mrwi_output_item;

/* How files of a format are written. open is called first. Then put or repeat is called once for
 * each place, from several threads at once, and finish after the last. free is always called in the
 * end, and removes a file that is not finished. */
typedef struct mrwi_output_writer {
    mrw_output_info info;
    /* Encodes a picture; 4 channels only if info.alpha. NULL: not a picture format. */
    mrw_status (*encode)(const mrw_output_def *def, const mrw_image *image, mrw_bytes *out,
                         mrw_error *error);
    /* Fails if such a file cannot be made; called before anything is drawn. NULL: never fails. */
    mrw_status (*check)(const mrwi_output_target *target, mrw_error *error);
    /* Finds the size of the file's picture. NULL: the size of the rendered pictures. */
    void (*size)(const mrwi_output_target *target, uint32_t *width, uint32_t *height);
    /* Writes the command line of the program that makes the file. NULL: no program does. */
    void (*line)(const mrwi_output_target *target, mrw_text *out);
    /* Returns the number of pictures that the file leaves out. NULL: none. */
    uint32_t (*left_out)(const mrwi_output_target *target);
    mrw_status (*open)(const mrwi_output_target *target, void **out, mrw_error *error);
    mrw_status (*put)(void *file, const mrwi_output_item *item, mrw_error *error);
    /* Puts a picture that equals the one at place `as`: in this file if it collects pictures, else
     * in the file that this worker put last. */
    mrw_status (*repeat)(void *file, const mrwi_output_item *item, uint32_t as, mrw_error *error);
    /* Completes the file. For standard output it returns the bytes. */
    mrw_status (*finish)(void *file, mrw_bytes *stdout_bytes, mrw_error *error);
    void (*free)(void *file);
} mrwi_output_writer;

#define MRWI_OUTPUT_WRITER(identifier, writer) extern const mrwi_output_writer mrwi_output_##writer;
MRW_OUTPUT_FORMATS(MRWI_OUTPUT_WRITER)
#undef MRWI_OUTPUT_WRITER

/* Fails with MRW_ERROR_USAGE if files of a picture format cannot hold pictures of the def. */
mrw_status mrwi_output_check_picture(mrw_output_format format, const mrw_output_def *def,
                                     mrw_error *error);

/* Encodes a picture in a picture format, over the matte if that has no alpha. The caller frees
 * *out. */
mrw_status mrwi_output_encode(mrw_output_format format, const mrw_output_def *def,
                              const mrw_image *image, mrw_bytes *out, mrw_error *error);

/* Lays a picture with 4 channels over a colour, in sRGB as browsers mix. The caller frees *out,
 * also after a failure. */
mrw_status mrwi_output_flatten(const mrw_image *image, const uint8_t matte[3], mrw_image *out,
                               mrw_error *error);

/* Writes a whole file that is in memory, or returns its bytes for standard output. Takes over the
 * bytes, also on failure. */
mrw_status mrwi_output_deliver(const mrwi_output_target *target, mrw_bytes *bytes,
                               mrw_bytes *stdout_bytes, mrw_error *error);

#endif
