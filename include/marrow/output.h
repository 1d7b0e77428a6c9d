/* output.h: writing pictures: the names of files, and the encoding of pictures into them.
 *
 *     mrw_output_find_format      -o and --sheet to a format: a row of the table of writers
 *     mrw_output_files_make       assigns pictures to files
 *     mrw_output_files_prepare    before any work: makes folders, refuses to overwrite files
 *     mrw_output_open, _put, _finish   write pictures as they arrive, from any thread
 *
 * Files appear complete under their names, or not at all. A failure or an early mrw_output_free
 * leaves no trace of an unfinished file; only bytes already written to a stream are gone. Messages
 * are safe to print on a terminal.
 *
 * Errors: MRW_ERROR_USAGE for invalid names, MRW_ERROR_INPUT if the names of clips are the cause,
 * MRW_ERROR_OUTPUT for failed writes, MRW_ERROR_MEMORY. Every mrw_error may be NULL; other pointers
 * may not, unless their comment says so. A failed call leaves nothing to free.
 *
 * Threads: any number of threads may put pictures into one mrw_output, each with a worker number of
 * its own. Everything else keeps no state and is thread-safe.
 */
#ifndef MARROW_OUTPUT_H
#define MARROW_OUTPUT_H

#include "image.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Templates ------------------------------------------------------------------------------- */

/* Fields of a template: {model} {path} {clip} {view} {dir} {aov} {time} {n} {frame} and {frame:04}.
 * #### and %04d mean {frame:04}; {{ }} and %% stand for the characters themselves. {time:3} has
 * three decimals. {page} stays in expanded names; its number is known late, and
 * mrw_output_page_path inserts it. */
typedef enum mrw_template_field {
    MRW_FIELD_MODEL = 1,
    MRW_FIELD_CLIP = 2,
    MRW_FIELD_FRAME = 4, /* {frame:N}: at least N digits, 0 ... 20; or two or more '#' */
    MRW_FIELD_TIME = 8,  /* {time:N}: N decimals, 0 ... 9; without N as many as needed */
    MRW_FIELD_VIEW = 16,
    MRW_FIELD_AOV = 32,
    MRW_FIELD_DIR = 64,
    MRW_FIELD_N = 128, /* {n:N}: digits as in {frame:N} */
    MRW_FIELD_PAGE = 256,
    MRW_FIELD_PATH = 512 /* path of the model below the current folder, without its ending */
} mrw_template_field;

/* Values of the fields. The text of each field in the template must not be NULL. Texts are borrowed
 * for the call. */
typedef struct mrw_template_values {
    /* Untrusted names; expansion makes them safe for a file name (mrw_safe_file_name). */
    const char *model;
    const char *path; /* path of the model; '/' stays */
    const char *clip;
    const char *view;
    const char *aov;
    const char *dir;
    uint64_t frame;
    uint64_t n;
    /* Time in seconds. */
    double time;
} mrw_template_values;

/* Checks a template. *fields receives its fields, MRW_FIELD_... or-ed; 0 means that it names a
 * single file. Fails with MRW_ERROR_USAGE for an unknown field, an unbalanced brace or a width out
 * of range. */
MRW_API mrw_status mrw_template_check(const char *text, uint32_t *fields, mrw_error *error);

/* Bytes that a file name holds of the name of a model, clip, view or pass, with the NUL. */
#define MRW_TEMPLATE_NAME_SIZE 201

/* Writes the name of one file. The template must have passed mrw_template_check. A name longer than
 * `size` is MRW_ERROR_USAGE. Names are cut at 200 bytes, between characters. If a file or folder in
 * the path would exceed 255 bytes, the names of clips, views and passes in it are shortened
 * further. 20 bytes stay free for a number, so all pictures of a clip are shortened alike.
 * Different names may then become equal. `out` is undefined after a failure. */
MRW_API mrw_status mrw_template_expand(const char *text, const mrw_template_values *values,
                                       char *out, size_t size, mrw_error *error);

/* Inserts missing fields (MRW_FIELD_... or-ed) before the template's extension, for a suggestion in
 * a message. The result is truncated to `size` bytes, NUL included. Returns `out`. */
MRW_API const char *mrw_template_add(const char *text, uint32_t missing, char *out, size_t size);

/* ---- Formats --------------------------------------------------------------------------------- */

/* The list of all formats. X(identifier, writer): MRW_OUTPUT_identifier, and the library's writer.
 * - PNG, JPEG, TGA, BMP, QOI, PAM: one file per picture. JPEG with 4 channels needs a matte, else
 *   MRW_ERROR_USAGE. PNG and PAM have 8 or 16 bits per channel.
 * - APNG, GIF (up to 255 colours), WEBP: one animation of several pictures.
 * - SHEET: contact sheet of several pictures, in the picture format of its file's ending, else PNG.
 * - SPRITES: sprite sheet: PNG pages, and JSON with the position of each picture.
 * - MP4, WEBM, MOV: videos made by ffmpeg, which must be in an absolute folder of PATH; otherwise
 *   MRW_ERROR_TOOL. MP4 is H.264; pictures with 4 channels are MRW_ERROR_USAGE. WEBM is VP9,
 *   with alpha if the pictures have it. MOV is H.264, or with alpha ProRes 4444. H.264 needs even
 *   sides; odd ones are MRW_ERROR_USAGE. In a process that ignores SIGCHLD, the exit status of
 *   ffmpeg is unknown, and the result is MRW_ERROR_OUTPUT.
 * - STREAM_PNG, STREAM_Y4M, STREAM_RGBA: pictures one after another to mrw_output_def.stream: as
 *   PNG; as YUV4MPEG2 (4:4:4, BT.709, limited range; needs 3 channels, else MRW_ERROR_USAGE); as
 * raw bytes, 4 per pixel, with straight alpha.
 */
#define MRW_OUTPUT_FORMATS(X)                                                                      \
    X(PNG, png)                                                                                    \
    X(JPEG, jpeg)                                                                                  \
    X(TGA, tga)                                                                                    \
    X(BMP, bmp)                                                                                    \
    X(QOI, qoi)                                                                                    \
    X(PAM, pam)                                                                                    \
    X(APNG, apng)                                                                                  \
    X(GIF, gif)                                                                                    \
    X(WEBP, webp)                                                                                  \
    X(MP4, mp4)                                                                                    \
    X(WEBM, webm)                                                                                  \
    X(MOV, mov)                                                                                    \
    X(SHEET, sheet)                                                                                \
    X(SPRITES, sprites)                                                                            \
    X(STREAM_PNG, stream_png)                                                                      \
    X(STREAM_Y4M, stream_y4m)                                                                      \
    X(STREAM_RGBA, stream_rgba)

/* Output formats. */
typedef enum mrw_output_format {
#define MRW_OUTPUT_VALUE(identifier, writer) MRW_OUTPUT_##identifier,
    MRW_OUTPUT_FORMATS(MRW_OUTPUT_VALUE)
#undef MRW_OUTPUT_VALUE
        MRW_OUTPUT_FORMAT_COUNT
} mrw_output_format;

/* Options of mrw_output_def that only some formats take. Bits. */
typedef enum mrw_output_take {
    MRW_TAKES_QUALITY = 1,
    MRW_TAKES_MATTE = 2,
    MRW_TAKES_DITHER = 4
} mrw_output_take;

/* A row of the table of formats. All text is static. */
typedef struct mrw_output_info {
    const char *name;       /* name, such as "png" */
    const char *endings[3]; /* endings of its files with the dot, ".png"; NULL after the last */
    const char *option;     /* option that makes such a file, such as "--sheet"; NULL: -o alone */
    bool alpha;             /* pictures can have 4 channels */
    bool deep;              /* pictures can have 16 bits per channel */
    bool collects;          /* one file holds several pictures; cannot be split into shards */
    bool animates;          /* pictures follow one another in time at a rate, from one view */
    bool in_order;  /* pictures are written in their order; one that is put early is held in memory
                       (mrw_frame_def.ahead) */
    bool streams;   /* writes to mrw_output_def.stream instead of a file */
    uint32_t takes; /* MRW_TAKES_... or-ed */
} mrw_output_info;

/* Returns a row of the table in static storage. `format` is below MRW_OUTPUT_FORMAT_COUNT. */
MRW_API const mrw_output_info *mrw_output_describe(mrw_output_format format);

/* Appends the first ending of each format that a file name can choose and that `fits` accepts, such
 * as ".jpg or .webp". Appends nothing if there is none. `user` is passed on. */
MRW_API void mrw_output_endings(bool (*fits)(const mrw_output_info *info, uint32_t user),
                                uint32_t user, mrw_text *out);

/* Finds the format of an output path by its ending, ignoring case; never a stream. NULL, "-" and
 * folders give PNG, "-.gif" GIF. With columns above 0 the format is a sheet, and an animation's
 * ending is MRW_ERROR_USAGE. An unknown ending gives PNG, too; mrw_output_check_path rejects it. */
MRW_API mrw_status mrw_output_find_format(const char *path, uint32_t columns,
                                          mrw_output_format *out, mrw_error *error);

/* ---- Files ----------------------------------------------------------------------------------- */

/* Size of the longest path, with its NUL. */
#define MRW_OUTPUT_PATH_SIZE 4096

/* The properties of a picture that file names use. */
typedef struct mrw_output_picture {
    uint32_t clip;         /* number of the clip, equal for all its pictures */
    const char *clip_name; /* name of the clip in the file; borrowed */
    const char *aov;       /* name of the pass, borrowed; NULL: the picture itself, or all passes */
    uint64_t frame;
    double time;           /* time in seconds */
    uint32_t view;         /* number of the view, equal for all its pictures */
    const char *view_name; /* like clip_name */
    const char *dir;       /* name of the direction, borrowed; NULL: none */
    uint64_t n;            /* index among all requested pictures */
} mrw_output_picture;

/* How output files are named. */
typedef struct mrw_output_names {
    /* -o: a template, a folder (existing, or ending in '/'), standard output
     * (mrw_output_is_stdout), or NULL for files named after the model in the current folder. */
    const char *path;
    /* Option that gave the path, for messages; NULL: "-o". */
    const char *option;
    /* Ending of files whose name the path leaves open. */
    const char *ending;
    /* Value of {model}: an untrusted name, made safe. */
    const char *model;
    /* Path of the model as it was given; {path} is made of it. NULL if no template has {path}. */
    const char *model_path;
    /* Put all pictures with the same name into one file. */
    bool collected;
    /* Number of passes per picture; 0: no passes. The passes of a picture are consecutive entries.
     * Default file names then contain the pass, too. */
    uint32_t passes;
    /* Give each view a file of its own, even if `collected`; for animations. */
    bool views_apart;
    /* Number of clips, of frames in the longest clip, and of views; for messages about names that
     * do not tell them apart. */
    uint32_t clip_count;
    uint32_t most_frames;
    uint32_t view_count;
} mrw_output_names;

/* The files of a list of pictures. */
typedef struct mrw_output_files {
    char **paths; /* in the order of their first pictures: see mrw_output_is_stdout */
    uint32_t count;
    uint32_t *of; /* for each picture, the index of its file */
    uint32_t picture_count;
} mrw_output_files;

/* Returns true if a path means standard output: "-", or "-.gif" and the like, whose ending names
 * the format. */
MRW_API bool mrw_output_is_stdout(const char *path);

/* Returns true for an existing folder and for any path that ends in '/'. */
MRW_API bool mrw_output_is_folder(const char *path);

/* Returns true if `text` has this ending, ignoring case. */
MRW_API bool mrw_output_ends_with(const char *text, const char *ending);

/* Checks the template and ending of an output path, as far as possible before the pictures are
 * known. *fields receives the template's fields (MRW_FIELD_... or-ed). A NULL path is valid. */
MRW_API mrw_status mrw_output_check_path(const char *path, const char *const *endings,
                                         uint32_t ending_count, uint32_t *fields, mrw_error *error);

/* Models that are written by one command line. */
typedef struct mrw_output_models {
    const char *const *names; /* values of {model}: untrusted names */
    const char *const *paths; /* paths of the models as given; {path} is made of them */
    size_t count;
    /* Template to suggest for models of one name if the path names none; NULL: "{path}.png". */
    const char *suggestion;
    const char *option; /* option that gave the path, for messages; NULL: "-o" */
} mrw_output_models;

/* Checks that models do not write to the same files; the message suggests a path that tells them
 * apart. `path` and `fields`: see mrw_output_check_path. */
MRW_API mrw_status mrw_output_check_models(const char *path, uint32_t fields,
                                           const mrw_output_models *models, mrw_error *error);

/* Writes the text of {path} for a model: its path without the ending, below the current folder (no
 * root, "." or ".."); each part is made safe, '/' stays. At most 255 bytes. */
MRW_API void mrw_template_path(const char *path, char out[256]);

/* Assigns a file to each picture. Different pictures may share a file only if they are collected;
 * otherwise the call fails, and its message suggests a template that separates them. Equal pictures
 * (same clip, frame, time and view) share a file. Free with mrw_output_files_free. */
MRW_API mrw_status mrw_output_files_make(const mrw_output_names *names,
                                         const mrw_output_picture *pictures, uint32_t count,
                                         mrw_output_files *out, mrw_error *error);

/* Appends the pictures of `more` and their files; equal paths become one file. After a failure
 * *files must still be freed. */
MRW_API mrw_status mrw_output_files_append(mrw_output_files *files, const mrw_output_files *more,
                                           mrw_error *error);

/* Keeps only the `count` listed pictures, in this order, and their files: one shard. */
MRW_API mrw_status mrw_output_files_keep(mrw_output_files *files, const uint32_t *pictures,
                                         uint32_t count, mrw_error *error);

/* Prepares the files before any work. Makes missing folders; rejects paths that cannot be written,
 * paths of folders and, unless `overwrite` is set, existing files. */
MRW_API mrw_status mrw_output_files_prepare(const mrw_output_files *files, bool overwrite,
                                            mrw_error *error);

/* Frees the lists and zeroes the struct. A zeroed struct is allowed. */
MRW_API void mrw_output_files_free(mrw_output_files *files);

/* ---- Files of passes ------------------------------------------------------------------------- */

/* File formats for the values of passes. */
typedef enum mrw_pass_format {
    MRW_PASS_PNG, /* integers up to 65535, as 16-bit grey; floats of a pass with a scale, times
                     that, rounded to the nearest integer, infinity as 0. Passes that are pictures
                     are written by mrw_output_put instead */
    MRW_PASS_EXR, /* all passes, in one file or in one each */
    MRW_PASS_PFM, /* floats: 1 channel, 3 channels, or the first 3 of 4 */
    MRW_PASS_FLO, /* optical flow; MRW_FLO_UNKNOWN where the last channel is 0 */
    MRW_PASS_NPY, /* all passes, each as a NumPy array in a file of its own */
    MRW_PASS_FORMAT_COUNT
} mrw_pass_format;

/* One pass of a picture, to be encoded. */
typedef struct mrw_output_pass {
    const char *name;    /* name, such as "normal" or "weights:Hips" */
    const char *letters; /* one letter per channel, as in NAME.X; "RGBA" and "Z" are channel names
                            by themselves; "" names the only channel after the pass */
    bool is_color;       /* holds a colour picture, not values */
    bool is_flow;
    double scale; /* integers per unit in a PNG, for floats of 1 channel; 0: no PNG */
    /* Cryptomatte passes only, otherwise NULL: the name in the file ("CryptoObject"). */
    const char *crypto;
    /* Hash of `crypto` (mrw_crypto_id). */
    uint32_t crypto_hash;
    /* Names behind the ids, as a JSON object {"name":"<8 hexadecimal digits>"...}; NULL as
     * `crypto`. */
    const char *manifest;
    const mrw_image *image; /* may be NULL for mrw_pass_format_holds */
    mrw_format format;      /* format of the image */
    uint32_t channels;      /* channels of the image */
} mrw_output_pass;

/* The camera of a picture: mrw_intrinsics in single precision. A far_plane of 0 is infinity. */
typedef struct mrw_output_camera {
    float k[9];
    float world_to_camera[16];
    float near_plane, far_plane;
    bool orthographic;
} mrw_output_camera;

/* Returns the ending of a format's files, with the dot. Static storage. */
MRW_API const char *mrw_pass_format_ending(mrw_pass_format format);

/* Finds the format by a path's ending. Returns false if the ending is unknown. */
MRW_API bool mrw_pass_format_find(const char *path, mrw_pass_format *out);

/* Returns true if a file of this format can hold the pass. Only EXR holds several passes. */
MRW_API bool mrw_pass_format_holds(mrw_pass_format format, const mrw_output_pass *pass);

/* Encodes the passes of one picture as one file. All passes have the same size; PNG, PFM and FLO
 * take exactly one, which the format must hold. EXR files get the attributes K (m33f, the rows of
 * K), world_to_camera (m44f, rows, for column vectors), near and far (float; far may be infinity),
 * orthographic (int), and those of Cryptomatte. A value that PNG cannot hold is MRW_ERROR_INPUT.
 * The caller frees *out. */
MRW_API mrw_status mrw_pass_encode(mrw_pass_format format, const mrw_output_pass *passes,
                                   uint32_t count, const mrw_output_camera *camera, mrw_bytes *out,
                                   mrw_error *error);

/* ---- Writing --------------------------------------------------------------------------------- */

/* The entry of a picture in a sprite sheet. Text is borrowed, untrusted and not escaped. */
typedef struct mrw_output_sprite {
    const char *name;      /* unique within its file, such as "Walk/s/003" */
    const char *animation; /* common to the pictures of one clip and direction, such as "Walk/s" */
    const char *clip;      /* name of the clip, such as "Walk" */
    const char *direction; /* direction such as "s", or the view's name; NULL: single view */
    double seconds;        /* how long it is shown, above 0 */
    /* The point that stays in place when pictures of other sizes follow: fractions of the picture's
     * width and height from the top left. May lie outside the picture. */
    bool has_pivot; /* this and `pivot` may be set until the picture is put */
    double pivot[2];
} mrw_output_sprite;

/* The label of a picture in a contact sheet. Texts are UTF-8, drawn as strokes. Only ASCII has
 * glyphs; any other character is a box. Text that does not fit in a line is broken, after a space
 * or a mark if possible; more than fits in the room is cut and ends in "...". Headings and captions
 * have up to four lines, or one if a line has room for few letters. */
typedef struct mrw_output_label {
    /* Text above the first picture of the group and of each of its rows; NULL: none. */
    const char *heading;
    const char *caption; /* below the picture; NULL: none */
    const char *note;    /* over the picture, such as why it is missing; NULL: none */
    uint32_t group;      /* pictures with the same number, in neighbouring cells, form a group */
} mrw_output_label;
/* How borders of clear pixels (alpha 0) are cut off the pictures of a sprite sheet. */
typedef enum mrw_sprite_trim {
    MRW_TRIM_NONE,
    MRW_TRIM_FRAME, /* clear borders of each picture */
    MRW_TRIM_CLIP,  /* borders that are clear in all pictures of an animation */
    MRW_TRIM_ALL    /* borders that are clear in all pictures of the file */
} mrw_sprite_trim;

/* How a sprite sheet is made. Its pictures stay in memory, trimmed if requested, until the last one
 * has arrived; more than half of the machine's memory is MRW_ERROR_MEMORY. In columns each picture
 * has its own cell, as in a contact sheet. Packed, equal pictures share a cell. */
typedef struct mrw_sprites_def {
    /* Entry of each picture. */
    const mrw_output_sprite *labels;
    /* JSON path of each file; NULL: no JSON. If a sheet needs several pages (see `page_size`), both
     * this path and the sheet's must contain {page}; otherwise MRW_ERROR_USAGE. */
    const char *const *json_paths;
    /* Also write a SpriteFrames resource for Godot 4 beside the JSON: see mrw_output_godot_path. */
    bool godot;
    bool loops; /* animations in that resource repeat */
    /* Call pictures in the JSON by their index in the page, "0", "1" ..., instead of by name. */
    bool numbered;
    uint32_t page_size; /* longest side of a page, 1 ... MRW_IMAGE_MAX_SIDE */
    bool power_of_two;  /* make the sides of pages powers of two */
    /* Pixels of the gap that repeat the edges of a picture; at most half the gap. */
    uint32_t extrude;
    /* Give clear pixels the colour of the nearest other pixel of their picture; on a tie the
     * leftmost, then the topmost. Their alpha stays 0. */
    bool bleed;
    /* Trimming of clear borders; needs 4 channels. A picture with no pixel left becomes 1x1. */
    mrw_sprite_trim trim;
} mrw_sprites_def;

/* Writes the path of the resource for Godot that belongs to a sheet's JSON: ".tres" in place of
 * ".json", and no {page}, as it covers all pages. Truncates it to `size` bytes. Returns `out`. */
MRW_API const char *mrw_output_godot_path(const char *json_path, char *out, size_t size);

/* How pictures are written. All pointers are borrowed until the output is freed. */
typedef struct mrw_output_def {
    mrw_output_format format;
    const mrw_output_files *files;
    /* Size of every picture in pixels. */
    uint32_t width;
    uint32_t height;
    /* Channels of every picture, 3 or 4. */
    uint32_t channels;
    mrw_png_def png;
    /* Number of threads that put pictures. */
    int workers;
    /* Sheets only: number of columns, at least 1; 0 packs a sprite sheet. */
    uint32_t columns;
    /* Sheets only: pixels between and around pictures, up to 1024. */
    uint32_t gap;
    /* Sheets only: colour of these pixels as sRGB bytes with straight alpha. */
    uint8_t background[4];
    /* Sheets only: label of each picture. NULL: no labels. */
    const mrw_output_label *labels;
    /* Sheets only: cell of each picture in its file's sheet, counted along the rows from the top
     * left; no two pictures of a file share one. NULL: in order. */
    const uint32_t *cells;
    /* Sprite sheets only. */
    mrw_sprites_def sprites;
    /* Animations only: frames per second of each file. NULL: one per second. */
    const mrw_rate *rates;
    /* Streams only: a writable descriptor. If its reader is gone, the process gets SIGPIPE; where
     * that signal is ignored, mrw_output_put returns MRW_ERROR_OUTPUT. */
    int stream;
    /* WebP and JPEG only: quality, 1 ... 100. 0: lossless WebP, JPEG at 92. */
    uint32_t quality;
    /* GIF and JPEG only: sRGB background that pixels are mixed with. GIF pixels are opaque, or
     * clear where alpha is below one half; without a matte the half-transparent ones keep their own
     * colour. */
    bool has_matte;
    uint8_t matte[3];
    /* GIF only: dither colours that the palette lacks. */
    bool dither;
} mrw_output_def;

/* The files being written. */
typedef struct mrw_output mrw_output;

/* Starts the output, before anything is drawn. Refuses sheets that are too large (MRW_ERROR_USAGE)
 * or need too much memory. The caller frees *out with mrw_output_free. */
MRW_API mrw_status mrw_output_open(const mrw_output_def *def, mrw_output **out, mrw_error *error);

/* Adds a picture of the def's size. `same_as` is the picture that it equals, usually itself. Equal
 * pictures follow their first one directly and come from the same worker. `worker` is below
 * def.workers; concurrent calls pass different workers. The last picture of a file completes it. */
MRW_API mrw_status mrw_output_put(mrw_output *output, int worker, uint32_t picture,
                                  uint32_t same_as, const mrw_image *image, mrw_error *error);

/* Finishes once all pictures are put. *stdout_bytes receives the bytes for standard output, or
 * none; the caller frees them with mrw_bytes_free. Returns MRW_ERROR_INTERNAL if pictures are
 * missing. */
MRW_API mrw_status mrw_output_finish(mrw_output *output, mrw_bytes *stdout_bytes, mrw_error *error);

/* Appends the command line, quoted for a shell, of the external program that makes a file. Appends
 * nothing if the library makes the file itself. */
MRW_API void mrw_output_line(const mrw_output *output, uint32_t file, mrw_text *out);

/* Builds the path of a page by replacing each {page} with its number, from 0. Returns
 * MRW_ERROR_USAGE if the result is too long. */
MRW_API mrw_status mrw_output_page_path(const char *path, uint32_t page, char *out, size_t size,
                                        mrw_error *error);

/* Returns the number of pages of a file: 1, except for sprite sheets, whose pages are known after
 * all pictures are put. */
MRW_API uint32_t mrw_output_pages(const mrw_output *output, uint32_t file);

/* Returns the page that a picture is on. */
MRW_API uint32_t mrw_output_page_of(const mrw_output *output, uint32_t picture);

/* Returns the size of a file's picture: the sides of a sheet, or of the first page of a sprite
 * sheet once all pictures are put; otherwise the size of a single picture. */
MRW_API void mrw_output_size(const mrw_output *output, uint32_t file, uint32_t *width,
                             uint32_t *height);

/* Returns the number of pictures that the files omit. Only GIFs omit any: those beyond their limit
 * of 50 pictures per second. */
MRW_API uint64_t mrw_output_left_out(const mrw_output *output);

/* Frees the output and removes unfinished files. NULL is allowed. */
MRW_API void mrw_output_free(mrw_output *output);

#ifdef __cplusplus
}
#endif
#endif
