/* options.h: the table of options and everything derived from it: command lines, the forms of their
 * values, and frame numbers. settings.h has the values.
 *
 * Everything that can be set when rendering is one row of one table (src/options/table.c). The
 * table drives the command line, --help, and the keys of settings files.
 *
 * Memory: text in the tables is static. Parsed values point into the text that they were parsed
 * from.
 *
 * Errors: a wrong name or value is MRW_ERROR_USAGE; the message says what is accepted. Every
 * mrw_error may be NULL. No other pointer may be NULL unless its comment says so.
 *
 * Threads: no function here keeps state of its own. Any number of threads may call them, as long as
 * no two write the same settings, list or text.
 */
#ifndef MARROW_OPTIONS_H
#define MARROW_OPTIONS_H

#include "base.h"
#include "settings.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Commands -------------------------------------------------------------------------------- */

/* The texture maps that a command needs from models. */
typedef enum mrw_command_reads {
    MRW_READS_ALL,      /* all maps */
    MRW_READS_PICTURES, /* the maps that pictures with these settings use: mrw_frame_maps */
    MRW_READS_COVERAGE, /* maps that affect visibility but not colour: displacement and alpha
                           cutouts */
    MRW_READS_VERTICES, /* maps that displace vertices */
    MRW_READS_NOTHING   /* no map: only the model itself is read */
} mrw_command_reads;

/* A command as help describes it. All text is static. */
typedef struct mrw_command_info {
    /* Word on the command line, such as "render". */
    const char *name;
    /* Plain arguments in the form that help shows: "MODEL... [-o PATH]". */
    const char *arguments;
    /* Summary in one line, without a newline at its end. */
    const char *summary;
    /* Several lines for the command's own help, without a newline at the end of the last. */
    const char *about;
    /* Example command lines to copy. */
    const char *examples[3];
    /* Least and largest number of plain arguments. UINT32_MAX in `most` means any number. */
    uint32_t least;
    uint32_t most;
    /* Maps that mrw_session_load decodes for this command. */
    mrw_command_reads reads;
} mrw_command_info;

/* Returns the description of a command, in static storage. `command` is below MRW_COMMAND_COUNT. */
MRW_API const mrw_command_info *mrw_command_describe(mrw_command command);

/* ---- The table ------------------------------------------------------------------------------- */

/* The headings under which help lists the options. */
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

/* One row of the table. All text is static. */
typedef struct mrw_option {
    /* Long name without dashes; also the key in settings files. */
    const char *name;
    /* A second long name, or NULL. */
    const char *alias;
    /* Letter of the short form, such as 'o' for -o; 0: none. */
    char short_name;
    /* Form of the value as help shows it: "fast|best", "WxH|N". NULL for a flag, which takes no
     * value. */
    const char *argument;
    /* The value is optional; when present, it must follow '='. */
    bool optional;
    /* Description in one line. */
    const char *help;
    mrw_option_group group;
    /* Names of the commands that accept the option, separated by spaces. One may appear twice. */
    const char *commands;
} mrw_option;

/* Returns true if the command accepts the option. `command` is below MRW_COMMAND_COUNT. */
MRW_API bool mrw_option_belongs(const mrw_option *option, mrw_command command);

/* Returns true for the options of `render` that most people need: at most thirty. */
MRW_API bool mrw_option_is_common(const mrw_option *option);

/* A word that new users type for an option or a command, as other programs call it. All text is
 * static. */
typedef struct mrw_option_word {
    /* Without leading dashes: "frame-rate". */
    const char *word;
    /* The meaning, with '|' between several: an option, perhaps with a value after a space
     * ("overlay wire"); "marrow COMMAND ..."; or "= " and a sentence to show. */
    const char *means;
} mrw_option_word;

/* Returns the number of words: at least 1, and the same on every call. */
MRW_API size_t mrw_option_word_count(void);

/* Returns a word. `index` is below mrw_option_word_count(). Static storage. */
MRW_API const mrw_option_word *mrw_option_word_at(size_t index);

/* Returns the word that equals `text` when dashes are ignored, or NULL. Static storage. */
MRW_API const mrw_option_word *mrw_option_word_find(const char *text);

/* An option that a look sets. `option` is a long name; `value` is as for mrw_settings_set. */
typedef struct mrw_look_value {
    const char *option;
    const char *value;
} mrw_look_value;

/* A row of --look: a set of option values for options that are not given. All text is static. */
typedef struct mrw_look {
    const char *name;
    const char *summary; /* one line */
    /* In the order in which they are set. Options with lists may occur several times. */
    const mrw_look_value *values;
    size_t value_count;
} mrw_look;

/* Returns all looks, in the order of the values of --look, and sets *count to their number. Static
 * storage. */
MRW_API const mrw_look *mrw_look_rows(size_t *count);

/* Returns the title of a group for help, such as "Reading files". `group` is below
 * MRW_OPTIONS_GROUP_COUNT. Static storage. */
MRW_API const char *mrw_option_group_title(mrw_option_group group);

/* Returns the number of rows in the table: at least 1, and the same on every call. */
MRW_API size_t mrw_option_count(void);

/* Returns a row of the table. `index` is below mrw_option_count(). Static storage. */
MRW_API const mrw_option *mrw_option_at(size_t index);

/* Writes the default of a row as help shows it, and returns `out`. The text is the default value in
 * the option's own form, or words such as "the first", or "" if there is nothing to say. `index` is
 * below mrw_option_count(). A buffer of 64 bytes is always large enough. */
MRW_API const char *mrw_option_default(size_t index, char *out, size_t size);

/* ---- Forms of values ------------------------------------------------------------------------- */

/* The forms of a mask, in the order in which they are tried. */
typedef enum mrw_mask_kind {
    MRW_MASK_RECT,  /* rect:X,Y,WIDTH,HEIGHT in pixels from the top left */
    MRW_MASK_IMAGE, /* image:FILE.png: pixels neither black nor transparent */
    MRW_MASK_NODE   /* node:NAME: pixels of a node and of all its descendants */
} mrw_mask_kind;

/* The pixels that --mask excludes from a comparison. */
typedef struct mrw_mask {
    mrw_mask_kind kind;
    /* RECT: x, y, width and height in pixels, each up to 16384; the sides are at least 1. The
     * rectangle may extend beyond the picture. Other kinds: zeros. */
    uint32_t rect[4];
    /* IMAGE, NODE: non-empty name of the file or node. It points into the parsed text and lives as
     * long. RECT: "". */
    const char *name;
} mrw_mask;

/* Parses one mask. Returns false if the text has none of these forms; *out is then undefined. */
MRW_API bool mrw_mask_parse(const char *text, mrw_mask *out);

/* An entry of --id: a number for the draws with this name. */
typedef struct mrw_id_entry {
    const char *name; /* non-empty name of a node or model; points into the parsed text */
    size_t length;    /* bytes of the name; '=' follows it */
    uint32_t number;  /* at least 1 */
} mrw_id_entry;

/* Parses NAME=N, split at the last '='. Returns false if N is not 1 ... 4294967295 or the name is
 * empty; *out is then undefined. */
MRW_API bool mrw_id_parse(const char *text, mrw_id_entry *out);

/* Parses X,Y: a pixel counted from the top left, in whole numbers below 16384. Returns false for
 * anything else. */
MRW_API bool mrw_pixel_parse(const char *text, uint32_t out[2]);

/* A height map of --displacement. It moves a vertex by (height - midlevel) * scale, in units of the
 * model. */
typedef struct mrw_displacement {
    /* Length in bytes of the path at the start of the text; 0: the text is "none". */
    size_t path_length;
    /* Scale of the displacement, finite. */
    float scale;
    /* Height that moves nothing; default 0.5 (mid-grey). */
    float midlevel;
} mrw_displacement;

/* Parses TEXTURE:SCALE, TEXTURE:SCALE:MIDLEVEL or "none". Returns false for anything else. */
MRW_API bool mrw_displacement_parse(const char *text, mrw_displacement *out);

/* Returns the name that --views gives to these angles ("front" for 0, 0), or NULL if they have
 * none. Static storage. */
MRW_API const char *mrw_view_name(float azimuth_degrees, float elevation_degrees);

/* Returns a name that --background accepts, "black" for 0, or NULL if `index` is too large. */
MRW_API const char *mrw_color_name(size_t index);

/* A model of --add: MODEL[@NODE][:KEY=VALUE,...]. Texts point into the text that was parsed. */
typedef struct mrw_placement {
    /* Bytes of MODEL[@NODE], from the beginning of the text. */
    size_t length;
    /* pos: in world units or, with @NODE, in units of the node. Default 0. */
    float position[3];
    /* rot: degrees about X, then Y, then Z. Default 0. */
    float rotation[3];
    /* scale, above 0. Default 1. */
    float scale;
    /* clip: name of the model's clip, `clip_length` bytes. NULL: the clip called as the main
     * model's, else its first. */
    const char *clip;
    size_t clip_length;
    /* time: the model stays at `time` seconds of the clip. */
    bool has_time;
    double time;
    /* speed: playback speed relative to the main model's. Default 1. */
    double speed;
} mrw_placement;

/* Parses the keys of a value of --add. They begin at the last colon that a word and '=' follow.
 * Fails with MRW_ERROR_USAGE for unknown keys, with the nearest names, and for values out of range.
 */
MRW_API mrw_status mrw_placement_parse(const char *text, mrw_placement *out, mrw_error *error);

/* Returns a pointer to the last '@' in NAME@NODE, or NULL if there is none. The last one counts
 * because names may contain '@'. */
MRW_API const char *mrw_split_at(const char *text);

/* ---- Command lines --------------------------------------------------------------------------- */

/* Parses a command line without the program's name. Options may appear anywhere, as `--opt value`
 * or `--opt=value`; values may begin with '-'. `--` ends the options. Short options may be joined
 * (-qj4). The first plain argument is the command. Giving an option twice is an error unless it is
 * a list. Checks that the command accepts the options, that they do not exclude or lack each other,
 * and that the number of arguments fits the command; skips this if help or the version is
 * requested. For `sheet` it then sets what that command implies, unless given otherwise: labels,
 * all clips at 8 times, 128 pixels per side.
 *
 * `settings` must be initialised. `argc` may be 0. The arguments are borrowed for as long as the
 * settings live. Fails with MRW_ERROR_USAGE for every user error, otherwise with MRW_ERROR_MEMORY.
 * After a failure the settings hold all values set before the error; free them as usual. */
MRW_API mrw_status mrw_settings_parse(mrw_settings *settings, int argc, const char *const *argv,
                                      mrw_error *error);

/* Writes the text that sets an option to its present value; index: which of several values. Returns
 * false if there is no such value, or if the option has no single text. `name` is a long name of
 * the table; `out` has room for at least 32 bytes, and longer texts are cut. */
MRW_API bool mrw_settings_text(const mrw_settings *settings, const char *name, size_t index,
                               char *out, size_t size);

/* Does what mrw_settings_parse does after it has read the options, for settings that
 * mrw_settings_set filled: sets the command, checks that it accepts the options and that they do
 * not exclude or lack each other, and sets what --look and the command imply. Call it once, after
 * the last option. Plain arguments are not checked. Fails with MRW_ERROR_USAGE or
 * MRW_ERROR_MEMORY. */
MRW_API mrw_status mrw_settings_check(mrw_settings *settings, mrw_command command,
                                      mrw_error *error);

/* Sets an option as mrw_settings_set does, on behalf of somebody who must not reach the machine: a
 * client of a server, a line of a list of jobs. Refused with MRW_ERROR_USAGE are options that name
 * files to read or to write, options about how the program runs (threads, messages, kernels,
 * sandbox), values that are files (a --background, an --env, a matcap, a --displacement), limits
 * above the present ones, and, if settings->command is set, options that it lacks. */
MRW_API mrw_status mrw_settings_set_request(mrw_settings *settings, const char *name,
                                            const char *value, mrw_error *error);

/* ---- Which frames ---------------------------------------------------------------------------- */

/* One picture of a clip. */
typedef struct mrw_frame_choice {
    /* Number that replaces {frame}: the frame's number at the rate, or with --times and --count the
     * index in the list, from 0. */
    uint64_t number;
    /* Time in seconds from the clip's start, after clamping or wrapping. */
    double time;
    /* Requested time in seconds, before clamping or wrapping. */
    double asked;
} mrw_frame_choice;

/* Frames in the requested order; one may appear twice. */
typedef struct mrw_frame_list {
    /* Array of `count` frames, owned by the list; NULL when `count` is 0. */
    mrw_frame_choice *items;
    size_t count;
} mrw_frame_list;

/* The duration and frames of a clip. */
typedef struct mrw_frame_span {
    /* Duration in seconds, not negative. */
    double duration;
    /* Frames per second of the clip's own time, independent of the playback speed: see
     * mrw_time_rate. */
    mrw_rate rate;
    /* Number of the last frame, counted from 0: mrw_last_frame(duration, rate). */
    uint64_t last_frame;
} mrw_frame_span;

/* Returns fps / speed: the rate of frames in the clip's own time, as a fraction in lowest terms. If
 * that needs more than 32 bits, both numbers are halved until they fit. Both arguments are above 0.
 */
MRW_API mrw_rate mrw_time_rate(mrw_rate fps, mrw_rate speed);

/* Largest number of frames of one clip per call. */
#define MRW_MAX_FRAMES 1000000u

/* Maps a time into 0 ... duration; MRW_TIME_FILE leaves it unchanged. A clip of N whole frames at
 * this rate loops after exactly N frames (a tolerance of a ten-thousandth of a frame applies, as in
 * mrw_last_frame). Frame k then equals frame k mod N to the bit, although no float is exactly
 * 32/30. A rate of 0/0 wraps by the duration alone. */
MRW_API double mrw_wrap_time(mrw_time_wrap wrap, double time, double duration, mrw_rate rate);

/* Lists the frames that the settings ask for: --frames, --times or --count. Without these, lists
 * all frames of the clip if `sequence` is true, and otherwise its start alone. Free the list with
 * mrw_frame_list_free.
 *
 * Fails with MRW_ERROR_INPUT for frames outside the clip, unless animation.wrap says what to show
 * there; for numbers that count back from the end to before the start; and for more than
 * MRW_MAX_FRAMES frames. *out is empty after a failure. Shards are ignored: all frames are listed.
 */
MRW_API mrw_status mrw_settings_frames(const mrw_settings *settings, const mrw_frame_span *span,
                                       bool sequence, mrw_frame_list *out, mrw_error *error);

/* Frees the frames and zeroes the struct. */
MRW_API void mrw_frame_list_free(mrw_frame_list *list);

#ifdef __cplusplus
}
#endif
#endif
