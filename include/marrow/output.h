/* output.h: pictures to files: what the files are called, and how pictures become them.
 *
 *   mrw_output_find_format      -o and --sheet to a format: a row of the table of writers
 *   mrw_output_files_make       which picture goes to which file
 *   mrw_output_files_prepare    before any work: folders are made, files that stay are refused
 *   mrw_output_open, _put, _finish   pictures as they come, from any thread
 *
 * Files appear whole under their names, or not at all: what fails, or is freed before its end,
 * leaves nothing of the file at hand behind; only what went to a stream has gone. Texts of messages
 * are fit for a terminal.
 *
 * Errors: MRW_ERROR_USAGE for names that can't be, MRW_ERROR_INPUT where the names of clips are at
 * fault, MRW_ERROR_OUTPUT for what can't be written, MRW_ERROR_MEMORY. Every mrw_error may be NULL;
 * other pointers are not NULL, where nothing else is said. What could not be made need not be
 * freed.
 *
 * Threads: one mrw_output takes pictures from any number of threads, each with a number of its own.
 * Everything else keeps no state and is thread-safe.
 */
#ifndef MARROW_OUTPUT_H
#define MARROW_OUTPUT_H

#include "image.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Templates ------------------------------------------------------------------------------- */

/* Fields of a template: {model} {clip} {view} {dir} {aov} {time} {n} {frame} and {frame:04}; ####
 * and %04d mean {frame:04}; {{ }} and %% are the characters themselves. {time:3} has three
 * decimals. {page} stays as it is: mrw_output_page_path puts the number in, which is known late. */
typedef enum mrw_template_field {
    MRW_FIELD_MODEL = 1,
    MRW_FIELD_CLIP = 2,
    MRW_FIELD_FRAME = 4, /* {frame:N}: at least N digits, 0 ... 20; or two '#' or more */
    MRW_FIELD_TIME = 8,  /* {time:N}: N decimals, 0 ... 9; without N as many as it takes */
    MRW_FIELD_VIEW = 16,
    MRW_FIELD_AOV = 32,
    MRW_FIELD_DIR = 64,
    MRW_FIELD_N = 128, /* {n:N}: as of {frame:N} */
    MRW_FIELD_PAGE = 256
} mrw_template_field;

/* What stands for the fields. Texts of fields that the template has are not NULL; they are borrowed
 * for the call. */
typedef struct mrw_template_values {
    /* Strangers' names: made safe for a file name (mrw_safe_file_name) when put in. */
    const char *model;
    const char *clip;
    const char *view;
    const char *aov;
    const char *dir;
    uint64_t frame;
    uint64_t n;
    /* Seconds. */
    double time;
} mrw_template_values;

/* Checks a template and says which fields it has (MRW_FIELD_... or-ed; 0: it names one file). An
 * unknown field, a brace without its other half and a width out of range are MRW_ERROR_USAGE. */
MRW_API mrw_status mrw_template_check(const char *text, uint32_t *fields, mrw_error *error);

/* Of a model's name a file name holds so many bytes, with a NUL. */
#define MRW_TEMPLATE_MODEL_SIZE 201

/* Writes the name of one file. The template must be a checked one; a name longer than size is
 * MRW_ERROR_USAGE. Where the name of a file, or of a folder above it, would be longer than 255
 * bytes, the names of clips, views and passes in it are cut, with 20 digits kept free for a number,
 * so that all pictures of a clip are cut alike. Then different names may give the same. What out
 * holds after a failure means nothing. */
MRW_API mrw_status mrw_template_expand(const char *text, const mrw_template_values *values,
                                       char *out, size_t size, mrw_error *error);

/* The template with the missing fields (MRW_FIELD_... or-ed) put in before its extension: what a
 * message proposes. out holds up to size bytes, NUL included; what is longer is cut. Returns out.
 */
MRW_API const char *mrw_template_add(const char *text, uint32_t missing, char *out, size_t size);

/* ---- Formats --------------------------------------------------------------------------------- */

/* What pictures are written as. */
typedef enum mrw_output_format {
    MRW_OUTPUT_PNG,   /* a file a picture */
    MRW_OUTPUT_APNG,  /* an animation of several */
    MRW_OUTPUT_SHEET, /* a contact sheet of several: a PNG, or what its file's ending says */
    /* Videos that ffmpeg makes, which must be in an absolute folder of PATH: MRW_ERROR_UNSUPPORTED
     * where it is not. Sides of H.264 are even: else MRW_ERROR_USAGE. In a process that ignores
     * SIGCHLD it is not known whether ffmpeg ended well: MRW_ERROR_OUTPUT. */
    MRW_OUTPUT_MP4,  /* H.264; pictures of 4 channels are MRW_ERROR_USAGE */
    MRW_OUTPUT_WEBM, /* VP9, with alpha where pictures have it */
    MRW_OUTPUT_MOV,  /* H.264; with alpha ProRes 4444 */
    /* One after another to mrw_output_def.stream. */
    MRW_OUTPUT_STREAM_PNG,
    MRW_OUTPUT_STREAM_Y4M,  /* YUV4MPEG2: 4:4:4, BT.709, limited range; 3 channels, else
                               MRW_ERROR_USAGE */
    MRW_OUTPUT_STREAM_RGBA, /* bare bytes, 4 a pixel, straight alpha */
    MRW_OUTPUT_GIF,         /* an animation of up to 255 colours */
    MRW_OUTPUT_WEBP,        /* an animation */
    MRW_OUTPUT_JPEG,        /* a file a picture; of 4 channels with a matte, else MRW_ERROR_USAGE */
    MRW_OUTPUT_TGA,         /* a file a picture, as those that follow */
    MRW_OUTPUT_BMP,
    MRW_OUTPUT_QOI,
    MRW_OUTPUT_PAM,     /* of pictures of 8 or of 16 bits */
    MRW_OUTPUT_SPRITES, /* a sprite sheet of several: PNGs, and JSON that says what lies where */
    MRW_OUTPUT_FORMAT_COUNT
} mrw_output_format;

/* A row of the table of formats. All text is static. */
typedef struct mrw_output_info {
    const char *name;         /* "png" */
    const char *ending;       /* of its files, with the dot: ".png" */
    const char *other_ending; /* which means the same, or NULL */
    bool collects;            /* several pictures go to a file; they cannot be drawn in shards */
    bool animates; /* they follow one another in time, as rates say, seen from one place */
    bool in_order; /* they are written as they are put: of those that come before their turn
                      all bytes are kept (mrw_frame_def.ahead) */
    bool streams;  /* to mrw_output_def.stream, no file of its own */
} mrw_output_info;

/* Static storage; format is below MRW_OUTPUT_FORMAT_COUNT. */
MRW_API const mrw_output_info *mrw_output_describe(mrw_output_format format);

/* The format of an output path (of its ending, capital letters or not; NULL, "-" and folders are
 * PNG; no stream). With columns (of a sheet, above 0) a sheet, whose path must not be an
 * animation's: MRW_ERROR_USAGE. Paths of other endings are PNG: mrw_output_check_path refuses them.
 */
MRW_API mrw_status mrw_output_find_format(const char *path, uint32_t columns,
                                          mrw_output_format *out, mrw_error *error);

/* ---- Files ----------------------------------------------------------------------------------- */

/* The longest path, with its NUL. */
#define MRW_OUTPUT_PATH_SIZE 4096

/* A picture as names of files know it. */
typedef struct mrw_output_picture {
    uint32_t clip;         /* a number: pictures of one clip have the same */
    const char *clip_name; /* as the file has it; borrowed */
    const char *aov;       /* the pass it is of, borrowed; NULL: it is the picture, or all passes */
    uint64_t frame;
    double time;           /* seconds */
    uint32_t view;         /* a number, as that of clips */
    const char *view_name; /* as clip_name */
    const char *dir;       /* a direction, borrowed; NULL: it has none */
    uint64_t n;            /* its number among all that were asked for */
} mrw_output_picture;

/* Where pictures go. */
typedef struct mrw_output_names {
    /* -o: a template, a folder (it is one, or ends in '/'), "-" for standard output, or NULL: files
     * called after the model in the current folder. */
    const char *path;
    /* The option that the path is from, for messages; NULL: "-o". */
    const char *option;
    /* What files whose path says nothing end in. */
    const char *ending;
    /* For the field of templates: a stranger's name, made safe. */
    const char *model;
    /* All pictures of a name go to one file. */
    bool collected;
    /* Above 0: so many passes of each picture stand one behind the other, which files whose path
     * says nothing are called after, too. */
    uint32_t passes;
    /* But not those of several views: of animations. */
    bool views_apart;
    /* How many clips, frames of one at the most, and views there are to tell apart: for messages.
     */
    uint32_t clip_count;
    uint32_t most_frames;
    uint32_t view_count;
} mrw_output_names;

/* The files of pictures. */
typedef struct mrw_output_files {
    char **paths; /* in the order of their first pictures; "-" is standard output */
    uint32_t count;
    uint32_t *of; /* [picture] its file */
    uint32_t picture_count;
} mrw_output_files;

/* True for "-". */
MRW_API bool mrw_output_is_stdout(const char *path);

/* True for an existing folder and whatever ends in '/'. */
MRW_API bool mrw_output_is_folder(const char *path);

/* True when text ends so, capital letters or not. */
MRW_API bool mrw_output_ends_with(const char *text, const char *ending);

/* Checks an output path without knowing pictures, as far as that is possible: its template, its
 * ending. *fields: those of the template (MRW_FIELD_... or-ed). path NULL: nothing to check. */
MRW_API mrw_status mrw_output_check_path(const char *path, const char *const *endings,
                                         uint32_t ending_count, uint32_t *fields, mrw_error *error);

/* Checks that so many models do not go to the same files. models: what they are called, strangers'
 * names. */
MRW_API mrw_status mrw_output_check_models(const char *path, uint32_t fields,
                                           const char *const *models, size_t count,
                                           mrw_error *error);

/* Names the files of pictures. Different pictures in one file are refused, unless they are
 * collected, and the message proposes a template that keeps them apart; equal ones (clip, frame,
 * time, view) share a file. Free with mrw_output_files_free. */
MRW_API mrw_status mrw_output_files_make(const mrw_output_names *names,
                                         const mrw_output_picture *pictures, uint32_t count,
                                         mrw_output_files *out, mrw_error *error);

/* Puts the pictures of others behind them: paths that are the same are one file. After a failure
 * *files is still to be freed. */
MRW_API mrw_status mrw_output_files_append(mrw_output_files *files, const mrw_output_files *more,
                                           mrw_error *error);

/* Keeps `count` of the pictures, in this order, and their files: what is left of a shard. */
MRW_API mrw_status mrw_output_files_keep(mrw_output_files *files, const uint32_t *pictures,
                                         uint32_t count, mrw_error *error);

/* Before any work: makes missing folders, refuses those that can't be written, files that are
 * folders, and, without overwrite, files that exist. */
MRW_API mrw_status mrw_output_files_prepare(const mrw_output_files *files, bool overwrite,
                                            mrw_error *error);

/* Frees and zeroes them. Zeroed ones are allowed. */
MRW_API void mrw_output_files_free(mrw_output_files *files);

/* ---- Files of passes ------------------------------------------------------------------------- */

/* What the numbers of passes are written as. */
typedef enum mrw_pass_format {
    MRW_PASS_PNG, /* whole numbers up to 65535: grey, 16 bits. What is a picture is written as such,
                     by mrw_output_put */
    MRW_PASS_EXR, /* all, together or one by one */
    MRW_PASS_PFM, /* floats, one, three, or the first three of four */
    MRW_PASS_FLO, /* flow: MRW_FLO_UNKNOWN where its last channel is 0 */
    MRW_PASS_FORMAT_COUNT
} mrw_pass_format;

/* A pass of one picture, for its file. */
typedef struct mrw_output_pass {
    const char *name;    /* "normal"; "weights:Hips" */
    const char *letters; /* of its channels, one each: NAME.X ...; "RGBA" and "Z" are channels by
                            themselves; "": its one channel is called after it */
    bool is_color;       /* as a picture it is no number */
    bool is_flow;
    /* Of Cryptomatte what it is called in the file, "CryptoObject", the hash of that
     * (mrw_crypto_id), and the names behind its ids: a JSON object {"name":"<8 hexadecimal
     * digits>"...}; else NULL. */
    const char *crypto;
    uint32_t crypto_hash;
    const char *manifest;
    const mrw_image *image; /* may be NULL where it is only asked whether a format holds it */
    mrw_format format;      /* of the image, */
    uint32_t channels;      /* and how many */
} mrw_output_pass;

/* What saw it: mrw_intrinsics in fewer bits. far_plane 0: infinitely far. */
typedef struct mrw_output_camera {
    float k[9];
    float world_to_camera[16];
    float near_plane, far_plane;
    bool orthographic;
} mrw_output_camera;

/* The ending of a format's files, with the dot. Static storage. */
MRW_API const char *mrw_pass_format_ending(mrw_pass_format format);

/* The format that a path's ending names; false when it names none. */
MRW_API bool mrw_pass_format_find(const char *path, mrw_pass_format *out);

/* Whether files of a format can hold a pass, and that alone: only EXR holds several. */
MRW_API bool mrw_pass_format_holds(mrw_pass_format format, const mrw_output_pass *pass);

/* Encodes the file of passes of one picture, all of one size; of PNG, PFM and FLO one, which they
 * hold. EXR files have the attributes K (m33f, its nine numbers K's rows), world_to_camera (m44f,
 * rows, for column vectors), near, far (float; infinity where nothing is too far) and orthographic
 * (int), and those of Cryptomatte. A number that PNG can't hold is MRW_ERROR_INPUT. The caller
 * frees *out. */
MRW_API mrw_status mrw_pass_encode(mrw_pass_format format, const mrw_output_pass *passes,
                                   uint32_t count, const mrw_output_camera *camera, mrw_bytes *out,
                                   mrw_error *error);

/* ---- Writing --------------------------------------------------------------------------------- */

/* What a sprite sheet says of a picture. Text is borrowed, a stranger's, not escaped. */
typedef struct mrw_output_sprite {
    const char *name;      /* of no other picture of its file: "Walk/s/003" */
    const char *animation; /* "Walk/s": what pictures of one clip and direction have in common */
    const char *clip;      /* "Walk" */
    const char *direction; /* "s", or what its view is called; NULL: there is one view */
    double seconds;        /* for which it is shown, above 0 */
    /* The point that stays where it is when pictures of other sizes take its place: shares of the
     * picture's width and height, from the top left; may lie outside of it. */
    bool has_pivot; /* it, and the point, may be set until the picture is put */
    double pivot[2];
} mrw_output_sprite;

/* What a sheet says of a picture. Texts are UTF-8, drawn in strokes: ASCII has glyphs, each other
 * character is a box; what has no room is cut, with "..." behind. */
typedef struct mrw_output_label {
    const char *heading; /* above the first of its group, and of each row of that; NULL: nothing */
    const char *caption; /* below it, or NULL: nothing */
    uint32_t group;      /* a number: pictures one after another with the same are a group */
} mrw_output_label;
/* What is cut off pictures of a sprite sheet: the border of clear pixels (alpha 0). */
typedef enum mrw_sprite_trim {
    MRW_TRIM_NONE,
    MRW_TRIM_FRAME, /* of each */
    MRW_TRIM_CLIP,  /* what is clear in all of an animation */
    MRW_TRIM_ALL    /* what is clear in all of the file */
} mrw_sprite_trim;

/* How a sprite sheet is made. Its pictures are kept until the last one has come, without their
 * clear borders where these are cut off; where that takes more than half of the machine's memory it
 * is MRW_ERROR_MEMORY. In columns every picture has a cell of its own, as in a contact sheet;
 * packed, equal ones share one. */
typedef struct mrw_sprites_def {
    /* [picture] */
    const mrw_output_sprite *labels;
    /* [file] of JSON; NULL: none is written. Where the sheet has several pages, whose longest side
     * is `page_size`, this path and the sheet's have {page}: else MRW_ERROR_USAGE. */
    const char *const *json_paths;
    /* In the JSON pictures are called by their places in the page, "0", "1" ..., not by names. */
    bool numbered;
    uint32_t page_size; /* 1 ... MRW_IMAGE_MAX_SIDE */
    bool power_of_two;  /* sides of pages are */
    /* Pixels by which the edges of a picture are repeated into the gap; half of it at most. */
    uint32_t extrude;
    /* Clear pixels take the colour of the nearest other one of their picture, of equally near ones
     * the leftmost, of those the upper; their alpha stays 0. */
    bool bleed;
    /* Pictures of 4 channels; what has no pixel left is 1x1. */
    mrw_sprite_trim trim;
} mrw_sprites_def;

/* How pictures are written. All is borrowed until the output is freed. */
typedef struct mrw_output_def {
    mrw_output_format format;
    const mrw_output_files *files;
    /* Of every picture, in pixels. */
    uint32_t width;
    uint32_t height;
    /* 3 or 4. */
    uint32_t channels;
    mrw_png_def png;
    /* Threads that put pictures. */
    int workers;
    /* Of sheets: columns, at least 1 (of sprite sheets 0: they are packed), pixels between and
     * around pictures, up to 1024, and what is seen there: sRGB bytes, straight alpha. */
    uint32_t columns;
    uint32_t gap;
    uint8_t background[4];
    /* [picture] what sheets say of them. NULL: nothing. */
    const mrw_output_label *labels;
    /* With them, above 0: each group begins in a column that is a multiple of this. */
    uint32_t apart;
    /* Of sprite sheets. */
    mrw_sprites_def sprites;
    /* Of animations: [file] frames a second. NULL: one. */
    const mrw_rate *rates;
    /* Of streams: a descriptor that can be written to. When its reader has gone the process gets
     * SIGPIPE; where that is ignored putting pictures is MRW_ERROR_OUTPUT. */
    int stream;
    /* Of WebP and JPEG: 1 ... 100; 0: WebP is lossless, JPEG has 92. */
    uint32_t quality;
    /* sRGB bytes. Of GIF, whose pixels are opaque, or clear where alpha is below one half: what
     * half clear ones are mixed with; without it they keep their colour. Of JPEG what shows
     * through. */
    bool has_matte;
    uint8_t matte[3];
    /* Of GIF: patterns of neighbours in place of colours that the palette lacks. */
    bool dither;
} mrw_output_def;

/* Files in the making. */
typedef struct mrw_output mrw_output;

/* Before anything is drawn: refuses sheets that are too large (MRW_ERROR_USAGE) or want too much
 * memory. The caller frees *out with mrw_output_free. */
MRW_API mrw_status mrw_output_open(const mrw_output_def *def, mrw_output **out, mrw_error *error);

/* Takes a picture, with the size of the def, which is the same as picture `same_as`, mostly itself.
 * Equal ones come right after the first of them, from the same worker. `worker` is below
 * def.workers; calls at the same time have different ones. The last picture of a file writes it. */
MRW_API mrw_status mrw_output_put(mrw_output *output, int worker, uint32_t picture,
                                  uint32_t same_as, const mrw_image *image, mrw_error *error);

/* When all pictures are put: gives what is meant for standard output, else no bytes. The caller
 * frees them with mrw_bytes_free. MRW_ERROR_INTERNAL when pictures are missing. */
MRW_API mrw_status mrw_output_finish(mrw_output *output, mrw_bytes *stdout_bytes, mrw_error *error);

/* Appends the command line, as a shell reads it, of the other program that makes a file; nothing
 * where there is none. */
MRW_API void mrw_output_line(const mrw_output *output, uint32_t file, mrw_text *out);

/* The file of a page: its number, from 0, in place of each {page}. MRW_ERROR_USAGE where that is
 * too long. */
MRW_API mrw_status mrw_output_page_path(const char *path, uint32_t page, char *out, size_t size,
                                        mrw_error *error);

/* How many pages a file has: 1, and of sprite sheets, when all pictures are put, what it came to.
 */
MRW_API uint32_t mrw_output_pages(const mrw_output *output, uint32_t file);

/* On which of them a picture is. */
MRW_API uint32_t mrw_output_page_of(const mrw_output *output, uint32_t picture);

/* How large the picture of a file is: a sheet's sides, when all are put those of a sprite sheet's
 * first page, else those of its pictures. */
MRW_API void mrw_output_size(const mrw_output *output, uint32_t file, uint32_t *width,
                             uint32_t *height);

/* How many pictures the files leave out: GIFs, which play at most 50 a second, of those that would
 * come faster. Others none. */
MRW_API uint64_t mrw_output_left_out(const mrw_output *output);

/* Files that are not whole are removed. NULL is allowed. */
MRW_API void mrw_output_free(mrw_output *output);

#ifdef __cplusplus
}
#endif
#endif
