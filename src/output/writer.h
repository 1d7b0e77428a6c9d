/* writer.h: what a format is to the room: how one file of it is written. */
#ifndef MRWI_OUTPUT_WRITER_H
#define MRWI_OUTPUT_WRITER_H

#include "marrow/output.h"

/* What a thread has of its own. */
typedef struct mrwi_output_worker {
    mrw_png_encoder *encoder; /* made for its first picture */
    mrw_bytes last;           /* the file encoded last: of PNG the encoder's, else `own` */
    mrw_bytes own;            /* freed with the output */
} mrwi_output_worker;

/* What a sprite sheet came to. */
typedef struct mrwi_output_made {
    uint32_t pages;         /* 0: it is not known yet */
    uint32_t width, height; /* of the first one */
    uint32_t *page_of;      /* [place]; freed with the output */
} mrwi_output_made;

/* A file to be written. */
typedef struct mrwi_output_target {
    const mrw_output_def *def;
    uint32_t file;          /* its number */
    mrwi_output_made *made; /* of sprite sheets: set when it is finished */
    const char *path;       /* NULL: standard output */
    uint32_t count;         /* of its pictures */
    mrw_rate rate;          /* of animations */
} mrwi_output_target;

/* A picture of a file. */
typedef struct mrwi_output_item {
    uint32_t place; /* in the file */
    const mrw_image *image;
    mrwi_output_worker *worker;
} mrwi_output_item;

/* How files of a format are written. put and repeat are called from several threads at once, once
 * for each place; open before them, finish after them. free follows whatever happened, and removes
 * what is not finished. */
typedef struct mrwi_output_writer {
    mrw_output_info info;
    /* Encodes a picture; 4 channels only if info.alpha. NULL: not a picture format. */
    mrw_status (*encode)(const mrw_output_def *def, const mrw_image *image, mrw_bytes *out,
                         mrw_error *error);
    /* Before anything is drawn: whether such a file can be made. NULL: always. */
    mrw_status (*check)(const mrwi_output_target *target, mrw_error *error);
    /* The picture's size; NULL: that of its pictures. */
    void (*size)(const mrwi_output_target *target, uint32_t *width, uint32_t *height);
    /* The command line of another program that makes the file. NULL: there is none. */
    void (*line)(const mrwi_output_target *target, mrw_text *out);
    /* How many of its pictures are not in it. NULL: none. */
    uint32_t (*left_out)(const mrwi_output_target *target);
    mrw_status (*open)(const mrwi_output_target *target, void **out, mrw_error *error);
    mrw_status (*put)(void *file, const mrwi_output_item *item, mrw_error *error);
    /* The same as place `as`: of this file where it collects, else of the file this worker put
     * last. */
    mrw_status (*repeat)(void *file, const mrwi_output_item *item, uint32_t as, mrw_error *error);
    /* Writes what is left; for standard output gives the bytes. */
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

/* The end of a writer that has the whole file in memory: writes it, or gives it for standard
 * output. Takes the bytes, whatever comes of it. */
mrw_status mrwi_output_deliver(const mrwi_output_target *target, mrw_bytes *bytes,
                               mrw_bytes *stdout_bytes, mrw_error *error);

#endif
