/* options.h: one table of options, and what follows from it: settings, the command line, frame
 * numbers, names of output files. Also the text helpers a program that talks about models needs.
 *
 * Everything that can be set when rendering is one row of one table (src/options/table.c), which
 * drives the command line, --help, and the keys of files that hold settings. Text values in
 * settings are borrowed: what they were set from must outlive the settings.
 */
#ifndef MARROW_OPTIONS_H
#define MARROW_OPTIONS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Commands -------------------------------------------------------------------------------- */

typedef enum mrw_command {
    MRW_COMMAND_RENDER,
    MRW_COMMAND_INFO,
    MRW_COMMAND_BAKE,
    MRW_COMMAND_COMPILE,
    MRW_COMMAND_DOCTOR,
    MRW_COMMAND_TEST,
    MRW_COMMAND_ACCEPT,
    MRW_COMMAND_DIFF,
    MRW_COMMAND_REPORT,
    MRW_COMMAND_INIT,
    MRW_COMMAND_BENCH,
    MRW_COMMAND_HELP,
    MRW_COMMAND_COUNT,
    MRW_COMMAND_NONE = MRW_COMMAND_COUNT /* no command, as in `marrow --version` */
} mrw_command;

typedef struct mrw_command_info {
    const char *name;
    const char *arguments; /* as help shows them */
    const char *summary;   /* one line */
    const char *about;     /* some lines, for the command's own help */
    const char *examples[3];
    uint32_t least; /* plain arguments it takes */
    uint32_t most;
} mrw_command_info;

/* Static storage; command is below MRW_COMMAND_COUNT. */
MRW_API const mrw_command_info *mrw_command_describe(mrw_command command);

/* ---- The table ------------------------------------------------------------------------------- */

typedef enum mrw_option_group {
    MRW_OPTIONS_OUTPUT,
    MRW_OPTIONS_ANIMATION,
    MRW_OPTIONS_PICTURE,
    MRW_OPTIONS_CAMERA,
    MRW_OPTIONS_MODEL,
    MRW_OPTIONS_CASES,
    MRW_OPTIONS_GOLDENS,
    MRW_OPTIONS_COMPARE,
    MRW_OPTIONS_REPORTS,
    MRW_OPTIONS_FILES,
    MRW_OPTIONS_RUN,
    MRW_OPTIONS_GROUP_COUNT
} mrw_option_group;

typedef struct mrw_option {
    const char *name;         /* long name without dashes; also the key in files */
    char short_name;          /* 0: none */
    const char *argument;     /* form of its value; NULL for a flag */
    bool optional;            /* the value may be left out, and stands only behind '=' */
    const char *default_text; /* NULL: none */
    const char *help;         /* one line */
    mrw_option_group group;
    uint32_t commands; /* bit 1 << command for each command it belongs to */
} mrw_option;

/* Title of a group for help. Static storage. */
MRW_API const char *mrw_option_group_title(mrw_option_group group);

MRW_API size_t mrw_option_count(void);

/* Row index of the table; static storage. */
MRW_API const mrw_option *mrw_option_at(size_t index);

/* ---- Settings -------------------------------------------------------------------------------- */

/* What to do with a time outside 0 ... duration. */
typedef enum mrw_time_wrap {
    MRW_TIME_REFUSE, /* frame numbers are refused, times clamp */
    MRW_TIME_CLAMP,
    MRW_TIME_LOOP,
    MRW_TIME_PINGPONG
} mrw_time_wrap;

/* first, first + step, ... up to last (or down to it). Negative numbers count from the end: -1 is
 * the last frame. */
typedef struct mrw_frame_range {
    int64_t first;
    int64_t last;
    int64_t step; /* at least 1 */
} mrw_frame_range;

typedef struct mrw_text_list {
    const char **items;
    size_t count;
} mrw_text_list;

/* One of several clips that are blended. */
typedef struct mrw_blend_entry {
    const char *name; /* name_length characters, not terminated */
    size_t name_length;
    double weight; /* not negative; all together above 0 */
} mrw_blend_entry;

typedef enum mrw_mask_kind {
    MRW_MASK_RECT,  /* rect:X,Y,WIDTH,HEIGHT in pixels from the top left */
    MRW_MASK_IMAGE, /* image:FILE.png: pixels that are not black and not transparent */
    MRW_MASK_NODE   /* node:NAME: what is drawn of a node and of all below it */
} mrw_mask_kind;

/* What --mask leaves out of a comparison. */
typedef struct mrw_mask {
    mrw_mask_kind kind;
    uint32_t rect[4]; /* x, y, width, height; may reach beyond the picture */
    const char *name; /* of the file or node: a part of the text that was read; "" for RECT */
} mrw_mask;

/* Reads one mask; false when the text has none of the forms above. */
MRW_API bool mrw_mask_parse(const char *text, mrw_mask *out);

/* Values of all options, defaults included. Choices are numbered in the order in which the table
 * lists them, which is that of the enum named here. */
typedef struct mrw_settings {
    mrw_command command;
    uint64_t given[2];       /* bit per row of the table: set by a command line or file */
    mrw_text_list arguments; /* models, or the topic of help */

    const char *output; /* a template, "-" for stdout, or NULL */
    uint32_t sheet;     /* columns of a contact sheet, 0: none */
    bool force;
    bool dry_run;
    uint32_t png; /* mrw_png_effort */
    bool json;
    const char *joints; /* where bake writes joints, "-" for stdout, or NULL */

    mrw_text_list clips;
    mrw_text_list anims; /* files whose clips are added */
    mrw_blend_entry *blend;
    size_t blend_count;
    bool sync;
    mrw_text_list layers; /* CLIP or CLIP@NODE */
    bool additive;
    bool together;
    uint32_t root_motion; /* mrw_root_motion */
    uint32_t pose;        /* mrw_pose */
    mrw_frame_range *frames;
    size_t frame_count;
    double *times;
    size_t time_count;
    uint32_t count; /* 0: not given */
    mrw_rate fps;   /* 30 unless given */
    bool fps_of_file;
    bool loop;
    uint32_t wrap;        /* mrw_time_wrap */
    uint32_t shard_index; /* 1 ... shard_count */
    uint32_t shard_count;

    uint32_t width;
    uint32_t height;
    uint32_t samples;
    uint32_t shading; /* mrw_shading */
    uint32_t filter;  /* mrw_filter */
    uint8_t background[4];
    bool transparent;

    uint32_t fit; /* mrw_fit; which default holds depends on what is drawn, see `given` */
    double margin;
    double azimuth;
    double elevation;
    double fov;
    bool orthographic;
    float eye[3];
    float target[3];
    float up[3];
    double near_plane; /* 0: from the model */
    double far_plane;
    const char *camera;
    const char *follow; /* a node, or NULL */

    float translate[3];
    float rotate[3];
    float scale[3];
    uint32_t skinning;       /* mrw_skinning */
    uint32_t max_influences; /* 0: all */
    mrw_text_list added;     /* MODEL or MODEL@NODE */
    mrw_text_list texture_dirs;

    const char *match; /* a pattern for names of cases, or NULL */
    const char *tag;
    bool last_failed;
    bool list;
    bool quick; /* bench: fewer runs */
    bool fail_fast;
    uint32_t repeat;     /* at least 1 */
    const char *against; /* another marrow, or NULL */

    uint32_t update;  /* mrw_update */
    const char *from; /* a results folder, or NULL */
    bool allow_blank;
    bool prune;

    uint32_t compare; /* mrw_compare_mode; this and what follows: see mrw_compare_def */
    uint32_t max_delta;
    uint64_t max_pixels;
    double max_ratio;
    double max_flip;
    bool ignore_antialiasing;
    mrw_text_list masks; /* each is read by mrw_mask_parse */
    double max_degrees;  /* of joints, in a comparison of poses */
    double max_distance;

    const char *report; /* a folder, or NULL */
    const char *report_inline;
    const char *junit;
    bool tap;
    const char *results; /* folder of --out, or NULL */

    const char *formats; /* this and what follows: see mrw_load_def, with the same defaults */
    const char *input_format;
    const char *scene;
    const char *asset_root;
    uint64_t max_file_size;
    uint64_t max_texture_size;
    uint64_t texture_memory; /* of all models that are drawn together */
    uint64_t max_vertices;
    uint64_t max_joints;
    uint64_t max_keys;
    double import_seconds;
    uint64_t import_memory;
    bool fbx_curves;
    bool no_sandbox;

    uint32_t threads; /* 0: mrw_cpu_count() */
    mrw_isa isa;
    bool strict;
    bool quiet;
    bool verbose;
    bool help;
    bool version;
} mrw_settings;

/* Fills in the defaults. */
MRW_API void mrw_settings_init(mrw_settings *settings);

/* Frees the lists, not the texts in them. */
MRW_API void mrw_settings_free(mrw_settings *settings);

/* Sets one option by its long name. value is what a command line would say; NULL switches a flag
 * on, and flags take yes, no, true, false, on, off, 1, 0. Lists grow, everything else is replaced.
 * Failures are MRW_ERROR_USAGE and name the option, the accepted values and the nearest names. */
MRW_API mrw_status mrw_settings_set(mrw_settings *settings, const char *name, const char *value,
                                    mrw_error *error);

/* True when the option of this long name was set. */
MRW_API bool mrw_settings_given(const mrw_settings *settings, const char *name);

/* The last '@' of NAME@NODE, or NULL when there is none: names may hold some themselves. */
MRW_API const char *mrw_split_at(const char *text);

/* Reads a command line without the program's name: options anywhere, `--opt value` or
 * `--opt=value`, values may begin with '-', `--` ends options, short options join (-qj4). The first
 * plain argument is the command. Checks that options belong to the command, that they don't exclude
 * each other and that the command gets as many arguments as it takes, unless help is asked for. */
MRW_API mrw_status mrw_settings_parse(mrw_settings *settings, int argc, const char *const *argv,
                                      mrw_error *error);

/* ---- Which frames ---------------------------------------------------------------------------- */

typedef struct mrw_frame_choice {
    uint64_t number; /* what {frame} is replaced by */
    double time;     /* seconds from the clip's start, clamped or wrapped */
    double asked;    /* before that */
} mrw_frame_choice;

typedef struct mrw_frame_list {
    mrw_frame_choice *items;
    size_t count;
} mrw_frame_list;

/* What a clip offers. */
typedef struct mrw_frame_span {
    double duration;
    mrw_rate rate;
    uint64_t last_frame; /* mrw_last_frame(duration, rate) */
} mrw_frame_span;

#define MRW_MAX_FRAMES 1000000u /* of one clip in one go */

/* Puts a time into 0 ... duration. A clip that lasts N whole frames of this rate (a ten thousandth
 * of a frame is overlooked, as by mrw_last_frame) loops after exactly N frames: frame k shows what
 * frame k mod N shows, to the bit, although no float is 32/30. rate 0/0: by the duration alone. */
MRW_API double mrw_wrap_time(mrw_time_wrap wrap, double time, double duration, mrw_rate rate);

/* The frames that settings ask for: --frames, --times or --count, else all frames of the clip when
 * `sequence`, else its start. Frames outside the clip are MRW_ERROR_INPUT. Free with
 * mrw_frame_list_free. */
MRW_API mrw_status mrw_settings_frames(const mrw_settings *settings, const mrw_frame_span *span,
                                       bool sequence, mrw_frame_list *out, mrw_error *error);

MRW_API void mrw_frame_list_free(mrw_frame_list *list);

/* ---- Names of output files ------------------------------------------------------------------- */

/* Fields of a template: {model} {clip} {view} {time} {frame} and {frame:04}; #### and %04d mean
 * {frame:04}; {{ }} and %% are the characters themselves. {time:3} has three decimals. */
typedef enum mrw_template_field {
    MRW_FIELD_MODEL = 1,
    MRW_FIELD_CLIP = 2,
    MRW_FIELD_FRAME = 4,
    MRW_FIELD_TIME = 8,
    MRW_FIELD_VIEW = 16
} mrw_template_field;

typedef struct mrw_template_values {
    const char *model; /* strangers' names: made safe for a file name when put in */
    const char *clip;
    const char *view;
    uint64_t frame;
    double time;
} mrw_template_values;

/* Checks a template and says which fields it has (MRW_FIELD_... or-ed). */
MRW_API mrw_status mrw_template_check(const char *text, uint32_t *fields, mrw_error *error);

/* Of a model's name a file name holds so many bytes, with a NUL. */
#define MRW_TEMPLATE_MODEL_SIZE 201

/* Writes the name of one file. The template must be a checked one; a name longer than size is
 * MRW_ERROR_USAGE. Where the name of a file, or of a folder above it, would be longer than 255
 * bytes, the names of clips and views in it are cut, with 20 digits kept free for a number, so that
 * all pictures of a clip are cut alike. Then different names may give the same. */
MRW_API mrw_status mrw_template_expand(const char *text, const mrw_template_values *values,
                                       char *out, size_t size, mrw_error *error);

/* The template with the missing fields put in before its extension: what a message proposes.
 * Returns out. */
MRW_API const char *mrw_template_add(const char *text, uint32_t missing, char *out, size_t size);

/* ---- Text ------------------------------------------------------------------------------------ */

/* Shortest text that reads back to the same number, without locale; "null" when not finite. Returns
 * the length. */
MRW_API size_t mrw_format_double(double value, char out[32]);
MRW_API size_t mrw_format_float(float value, char out[32]);

/* value with 0 ... 9 decimals, rounded half away from zero. */
MRW_API size_t mrw_format_fixed(double value, int decimals, char out[32]);

/* Copies a stranger's text, safe to print on a terminal; cut to fit. Returns out. */
MRW_API const char *mrw_escape_text(const char *text, char *out, size_t size);

/* Copies a stranger's name as part of a file name: letters, digits, '.', '_', '-' stay, the rest
 * becomes '_'; never a leading dot, never empty. Returns out. */
MRW_API const char *mrw_safe_file_name(const char *text, char *out, size_t size);

/* Matches a whole text: * ? [abc] [a-z] [!x]; a backslash quotes. */
MRW_API bool mrw_glob_match(const char *pattern, const char *text);

/* Appends "; did you mean A, B?" with the nearest names, if any is near, to the string in out. */
MRW_API void mrw_suggest_names(char *out, size_t size, const char *name,
                               const char *const *candidates, size_t count);

#ifdef __cplusplus
}
#endif
#endif
