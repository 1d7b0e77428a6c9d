/* options.h: the table of options and everything derived from it: settings, command lines and frame
 * numbers. Also text helpers for programs that print models' names.
 *
 * Everything that can be set when rendering is one row of one table (src/options/table.c). The
 * table drives the command line, --help, and the keys of settings files.
 *
 *     mrw_settings settings;
 *     mrw_settings_init(&settings);
 *     if (mrw_settings_set(&settings, "size", "320x240", &error) == MRW_OK) { ... }
 *     mrw_settings_free(&settings);
 *
 * Memory: text values in settings are borrowed: the strings they were set from must outlive the
 * settings. Lists, including the list of given options, belong to the settings; mrw_settings_free
 * frees them. Text in the tables is static.
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
#include "compare.h"
#include "frame.h"
#include "load.h"
#include "text.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Commands -------------------------------------------------------------------------------- */

/* All commands: X(CONSTANT, name). Define X to build a table of them. */
#define MRW_COMMANDS(X)                                                                            \
    X(RENDER, render)   /* draws stills, sequences, animations and contact sheets */               \
    X(SHEET, sheet)     /* draws all clips of a model in one picture */                            \
    X(SPRITES, sprites) /* draws sprite sheets of all clips from eight directions */               \
    X(INFO, info)       /* tells what a file contains */                                           \
    X(BAKE, bake)       /* writes the deformed mesh, or the joints, as geometry or numbers */      \
    X(PICK, pick)       /* tells what is visible at pixels of a picture */                         \
    X(COMPILE, compile) /* writes a model as a file that needs no importer */                      \
    X(DOCTOR, doctor)   /* checks this machine */                                                  \
    X(TEST, test)       /* compares rendered pictures with goldens */                              \
    X(ACCEPT, accept)   /* makes the pictures of the last test run the new goldens */              \
    X(DIFF, diff)       /* compares two pictures, folders or models */                             \
    X(REPORT, report)   /* merges results folders into one report */                               \
    X(INIT, init)       /* writes a first suite for a model */                                     \
    X(VIEW, view)       /* shows moving models in a window */                                      \
    X(BENCH, bench)     /* measures how fast marrow is on this machine */                          \
    X(COMPLETIONS, completions) /* prints the script that completes command lines in a shell */    \
    X(VERSION, version)         /* shows the version and the pixel version */                      \
    X(HELP, help)               /* shows all commands, the options of one, or what a word finds */

/* The command of a command line, its first plain argument: MRW_COMMAND_RENDER and so on. */
typedef enum mrw_command {
#define MRW_COMMAND_ENUMERATOR(constant, name) MRW_COMMAND_##constant,
    MRW_COMMANDS(MRW_COMMAND_ENUMERATOR)
#undef MRW_COMMAND_ENUMERATOR
        MRW_COMMAND_COUNT,
    MRW_COMMAND_NONE = MRW_COMMAND_COUNT /* no command, as in `marrow --version` */
} mrw_command;

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

/* ---- Settings -------------------------------------------------------------------------------- */

/* The treatment of times outside 0 ... duration. */
typedef enum mrw_time_wrap {
    MRW_TIME_REFUSE,   /* the default: frame numbers are rejected, times are clamped */
    MRW_TIME_CLAMP,    /* clamp to the nearer end */
    MRW_TIME_LOOP,     /* continue from the end at the start */
    MRW_TIME_PINGPONG, /* play forwards and backwards in turn */
    MRW_TIME_FILE      /* extrapolate each channel as the file says (mrw_extrapolation) */
} mrw_time_wrap;

/* A range of frames: first, first + step, ... up (or down) to last. Negative numbers count from the
 * end: -1 is the last frame. Parsed numbers lie in -1e9 ... 1e9. */
typedef struct mrw_frame_range {
    int64_t first;
    int64_t last;
    /* Distance between frames, 1 ... 1e9. The direction follows from `first` and `last`. */
    int64_t step;
} mrw_frame_range;

/* A growing list. The array belongs to the settings, its strings to whoever set them. */
typedef struct mrw_text_list {
    /* Array of `count` pointers, none of them NULL; NULL when `count` is 0. */
    const char **items;
    size_t count;
} mrw_text_list;

/* One clip of a blend. */
typedef struct mrw_blend_entry {
    /* Name of the clip: name_length bytes (at least 1) of the parsed text, without a NUL. */
    const char *name;
    size_t name_length;
    /* Weight, 0 ... 1e6. The weights of all entries add up to at least 1e-6, not always to 1. */
    double weight;
} mrw_blend_entry;

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

/* A light of --light. */
typedef struct mrw_light_entry {
    /* The light. In MRW_LIGHT_SPACE_NODE its node is not resolved yet. */
    mrw_light_def def;
    /* Non-empty name of that node, in the form that mrw_session_find_node takes. It points into the
     * parsed text. NULL in other spaces. */
    const char *node;
    /* Last given key that only modes with mrw_shading_info.classic_lights read; NULL: none. */
    const char *classic_key;
} mrw_light_entry;

/* The parts of mrw_settings, one per concern, like the groups of the table. A concern that another
 * header describes uses that header's struct and its defaults; the other structs are here. Choices
 * are stored as numbers: the index of the word in the row of the table, which equals the value of
 * the enumerator in the named enum. Unless another default is given, texts and lists are NULL,
 * numbers 0 and flags false. Vectors are x, y, z in the named space. */

typedef struct mrw_output_settings {
    /* -o: a template (see mrw_template_check), a folder if it ends in '/', or "-" for stdout
     * (except in bake). */
    const char *path;
    /* Columns of a contact sheet, 1 ... 1000; 0: no sheet. */
    uint32_t sheet;
    /* Property that the pictures of a row share: 0 direction, 1 view (the same), 2 time, 3 clip. If
     * mrw_settings_given says that this option is not set, several views of several times have one
     * row per view, and other pictures follow one another. */
    uint32_t rows;
    /* Write names and times into the sheet. */
    bool labels;
    /* JSON file of a sprite sheet: a template, like `path`; NULL: none. */
    const char *atlas;
    char *usual_atlas; /* Its name if only `sprites` chose it; owned. NULL: otherwise. */
    /* 0: JSON alone; 1: also a SpriteFrames resource for Godot (mrw_output_godot_path). */
    uint32_t atlas_format;
    /* Call the frames in that JSON "0", "1" ... */
    bool atlas_numbers;
    /* Node whose position becomes the pivot of every frame; NULL: no pivots. */
    const char *pivot;
    /* Pixels between and around the pictures of a sheet, 0 ... 1024; default 4. */
    uint32_t gap;
    /* Pixels of the gap that repeat the edges of each sprite, 0 ... 512. */
    uint32_t extrude;
    /* Give clear pixels the colour of the nearest visible one. */
    bool bleed;
    /* mrw_sprite_trim: which clear borders to cut off. */
    uint32_t trim;
    /* Longest side of a sprite sheet's pages, 1 ... 16384; default 16384. */
    uint32_t page_size;
    /* Make the sides of these pages powers of two. */
    bool power_of_two;
    /* Stream pictures to standard output one after another: 1 as PNG, 2 as YUV4MPEG2, 3 as raw
     * RGBA; 0: no stream. */
    uint32_t stream;
    /* Overwrite files even when no output was named. In tests: write goldens even in CI. */
    bool force;
    /* Only list the files that would be written. */
    bool dry_run;
    /* mrw_png_effort; default MRW_PNG_FAST. */
    uint32_t png;
    /* Quality of WebP and JPEG, 1 ... 100. 0: lossless WebP, and JPEG at 92. */
    uint32_t quality;
    /* sRGB colour behind a JPEG and behind half-transparent pixels of a GIF. Default: none; GIF
     * pixels then keep their own colour, and a picture with alpha cannot become a JPEG. */
    bool has_matte;
    uint8_t matte[3];
    /* Dither GIFs that have more colours than the palette holds. */
    bool dither;
    /* Answer in JSON to this file, or to stdout for "-"; NULL: answer in words. */
    const char *json;
    /* File to which bake writes joints, one JSON line per time; "-" for stdout. */
    const char *joints;
    /* Format of that file: 0: JSON lines; 1: one document of COCO key points; 2: the same with the
     * 17 key points of a person. */
    uint32_t joints_format;
    /* Names of the pictures in the COCO document: the -o of render. NULL: the names that render
     * uses without -o. */
    const char *images;
    /* Pixels for pick, as X,Y. Each was checked with mrw_pixel_parse when it was set. */
    mrw_text_list pixels;
} mrw_output_settings;

typedef struct mrw_animation_settings {
    /* Draw a clip that does not move only one time. `sheet` sets it, unless the times are given. */
    bool still_once;
    /* Clip patterns in the form that mrw_scene_find_clip takes, or "all". Empty: the first clip. */
    mrw_text_list clips;
    /* Files whose clips are added in this order (mrw_scene_add_clips). */
    mrw_text_list anims;
    /* mrw_retarget mode for these files; default MRW_RETARGET_AUTO. */
    uint32_t retarget;
    /* Clips to blend instead of playing one: blend_count entries, owned by the settings. */
    mrw_blend_entry *blend;
    size_t blend_count;
    /* Start and end blended clips together, whatever their lengths. */
    bool sync;
    /* CLIP or CLIP@NODE, layered over the current animation in this order. */
    mrw_text_list layers;
    /* Layers add their difference from their own first pose; otherwise they replace. */
    bool additive;
    /* Play all clips at once. A later clip overrides the channels it animates. */
    bool together;
    /* mrw_root_motion; default MRW_ROOT_MOTION_KEEP. LOOP needs `wrap` MRW_TIME_LOOP. */
    uint32_t root_motion;
    /* mrw_pose; default MRW_POSE_CLIP. With any other pose no clip plays. */
    uint32_t pose;
    /* Ranges of frame numbers in the given order: frame_count entries, owned by the settings. */
    mrw_frame_range *frames;
    size_t frame_count;
    /* Times in seconds from the clip's start: time_count entries, owned by the settings. A command
     * line may give only one of frames, times and count. */
    double *times;
    size_t time_count;
    /* For each time, true if it is a fraction of the clip's duration instead: 25% is 0.25. Owned by
     * the settings. NULL: all times are seconds. */
    bool *time_shares;
    /* Number of frames spread evenly over the clip, 1 ... MRW_MAX_FRAMES; 0: not given. */
    uint32_t count;
    /* Frames per second: above 0, at most 10000; default 30/1. */
    mrw_rate fps;
    /* --fps file: use the rate that the file's keys suggest. `fps` keeps its value and applies
     * where the keys suggest no rate. */
    bool fps_of_file;
    /* Playback speed, 0.001 ... 1000; default 1/1. Frame k is at k / fps * speed. */
    mrw_rate speed;
    /* Play from the clip's end backwards: frame k is k / fps * speed before the end. In a clip of N
     * whole frames it is frame N - k. */
    bool backwards;
    /* Omit the end frame, which repeats the first. */
    bool loop;
    /* mrw_time_wrap; default MRW_TIME_REFUSE. */
    uint32_t wrap;
} mrw_animation_settings;

/* Passes to write instead of the picture; see aov.h. */
typedef struct mrw_pass_settings {
    /* Requested passes: `count` entries in the given order, each once; owned by the settings. */
    mrw_aov_request *items;
    size_t count;
    /* Write passes as viewable pictures. */
    bool view;
    /* Integers per unit of depth and distance in a .png; 0: none. */
    double depth_scale;
} mrw_pass_settings;

/* Largest number of views from --turntable, --azimuth and --elevation. */
#define MRW_MAX_VIEWS 3600

/* One of several views. */
typedef struct mrw_view_entry {
    /* Name such as "front", static. NULL: these angles have no name. */
    const char *name;
    /* Angles with the meaning and ranges of mrw_view_def. */
    float azimuth_degrees;
    float elevation_degrees;
} mrw_view_entry;

typedef struct mrw_camera_settings {
    /* mrw_fit. The default depends on the job: clip for several frames, frame for a still. Use
     * mrw_settings_given to see whether it was set. */
    uint32_t fit;
    /* Position and field of view. The azimuth is relative to the model's front if
     * mrw_settings_finds_front returns true. */
    mrw_view_def view;
    /* --azimuth auto was given. */
    bool azimuth_auto;
    /* Views from which every time is drawn: view_count entries, owned by the settings. They replace
     * the angles of `view`; without any, `view` is the only view. */
    mrw_view_entry *views;
    size_t view_count;
    /* Values of --azimuth and of --elevation where an option has several; otherwise NULL and 0.
     * Owned by the settings. `view` holds the first of each, too. Each time is drawn from all
     * azimuths at the first elevation, then from all at the second, and so on. */
    float *azimuths;
    size_t azimuth_count;
    float *elevations;
    size_t elevation_count;
    /* Number of turntable views; 0: none. Picture i is `view` turned by i * 360 / turntable
     * degrees. */
    uint32_t turntable;
    /* Number of sides from which each time is drawn: 4, 8 or 16. The first is the given azimuth or
     * else the model's front. 0, the default: one view. */
    uint32_t directions;
    /* Cameras of the file by name or index (mrw_scene_find_camera). They replace all of the fields
     * above; several names are several views. */
    mrw_text_list names;
    /* Node that the camera follows; NULL: the camera does not move. */
    const char *follow;
} mrw_camera_settings;

/* Lights in the given order. picture.rig and picture.ambient hold the rest of --light. */
typedef struct mrw_light_settings {
    /* Array of `count` entries, owned by the settings; NULL when `count` is 0. */
    mrw_light_entry *items;
    size_t count;
} mrw_light_settings;

/* Hides or shows nodes with all below them. */
typedef struct mrw_node_rule {
    /* Name, index or pattern of nodes; borrowed. */
    const char *node;
    /* Show the nodes; false: hide them. */
    bool show;
} mrw_node_rule;

typedef struct mrw_node_rules {
    mrw_node_rule *items; /* owned by the settings */
    size_t count;
} mrw_node_rules;

typedef struct mrw_model_settings {
    /* Distance of neighbouring copies, as a multiple of the longer side of the model on the ground;
     * default 1.25. */
    double spread;
    /* Seconds by which each copy is ahead of the one before it in the clip; default 0. */
    double stagger;
    /* Model to world: translate * rotate * scale; see mrw_view_model_transform. `translate` is in
     * units of world space, default 0. `rotate` is in degrees about X, then Y, then Z, default 0.
     * `scale` is not 0, default 1; negative values mirror. */
    float translate[3];
    float rotate[3];
    float scale[3];
    /* mrw_skinning; default linear. */
    uint32_t skinning;
    /* Number of strongest joint weights to keep per vertex, 1 ... 65535; 0, the default: all. */
    uint32_t max_influences;
    /* Show nodes that the file hides; default false. */
    bool show_hidden;
    /* mrw_sides; default as in the file. */
    uint32_t sides;
    /* Height map that displaces the model's vertices, as TEXTURE:SCALE or TEXTURE:SCALE:MIDLEVEL
     * (mrw_displacement_parse). It replaces the maps of the materials; "none" disables them. NULL,
     * the default: use those of the materials. */
    const char *displacement;
    /* Number of times that each triangle of the model is split into four, 1 ... 8; 0, the default:
     * never. */
    uint32_t subdivide;
    /* Copies of the model in a square on the ground, 1 ... 1,000; default 1. */
    uint32_t copies;
    /* Other models to draw, as MODEL or MODEL@NODE: free, or attached to a node of the first one.
     */
    mrw_text_list added;
    /* Numbers for passes, as NAME=N. Each was checked with mrw_id_parse when it was set. */
    mrw_text_list ids;
    /* Additional folders in which textures are looked for, in this order. */
    mrw_text_list texture_dirs;
    /* Rules of --hide and --show, in their order; the last one that matches a node decides. */
    mrw_node_rules parts;
} mrw_model_settings;

/* Selection of a suite's cases, and how they run. */
typedef struct mrw_case_settings {
    /* init: name of the suite; NULL: that of the file or the first model. */
    const char *name;
    /* Patterns (mrw_glob_match) for CASE or SUITE/CASE, or words without wildcards, which match
     * anywhere in SUITE/CASE. A case must match one of them; none: all match. */
    mrw_text_list matches;
    /* Run only cases with this tag; NULL: all. */
    const char *tag;
    /* Run only cases that failed in the last run. */
    bool last_failed;
    /* Run only cases whose goldens were made from other inputs: see mrw_test_def.changed. */
    bool changed;
    /* List the cases that would run, and run none. */
    bool list;
    /* Start no further case after a failure. */
    bool fail_fast;
    /* Runs of each case, 1 ... 1000; default 1. */
    uint32_t repeat;
    /* Another marrow program whose pictures replace the goldens. */
    const char *against;
    /* 1: compare the pictures of run.backend with those of the software renderer. 0, the default:
     * compare with goldens. */
    uint32_t against_backend;
} mrw_case_settings;

typedef struct mrw_golden_settings {
    /* mrw_update; default MRW_UPDATE_NONE. --update without a value is MRW_UPDATE_CHANGED. */
    uint32_t update;
    /* Results folder that accept reads. */
    const char *from;
    /* Also accept pictures that are blank, of one colour or cut by every border. */
    bool allow_blank;
    /* Accept only changed cameras: see mrw_accept_def.framing. */
    bool framing;
    /* Remove goldens that no case uses. */
    bool prune;
    /* Only rename goldens that have names of an earlier marrow. */
    bool rename;
} mrw_golden_settings;

typedef struct mrw_compare_settings {
    /* How two pictures are compared. Options do not set its mask, isa and threads. */
    mrw_compare_def pictures;
    /* Masks. Each was checked with mrw_mask_parse when it was set. */
    mrw_text_list masks;
    /* Largest rotation of joints that passes, 0 ... 180 degrees; default 0. */
    double max_degrees;
    /* Largest displacement of joints and bounds that passes, 0 ... 1e9 metres; default 0. */
    double max_distance;
} mrw_compare_settings;

/* Paths of the reports to write; NULL: not written. */
typedef struct mrw_report_settings {
    /* Folder for index.html and its pictures. */
    const char *folder;
    /* Single HTML page with the pictures inside. */
    const char *page;
    /* JUnit file. */
    const char *junit;
    /* Answer in TAP version 13 on stdout. */
    bool tap;
    /* --out: folder for drawn pictures and differences; NULL: results/ beside each suite. */
    const char *results;
} mrw_report_settings;

/* The window of `marrow view`. */
typedef struct mrw_viewing_settings {
    /* File to which the events of the window are recorded; NULL: none. */
    const char *record;
    /* File of events to play without a window; NULL: none. */
    const char *play;
    /* Pictures to show before the program exits, 1 ... 1e9; 0, the default: run until the user
     * quits. */
    uint32_t exit_after;
} mrw_viewing_settings;

typedef struct mrw_run_settings {
    /* Part of the work to do: shard_index, 1 ... shard_count; at most 100000 parts. Default 1 of 1.
     */
    uint32_t shard_index;
    uint32_t shard_count;
    /* Number of threads, 1 ... 1024; 0, the default: mrw_cpu_count(). */
    uint32_t threads;
    /* Instruction set of the kernels; default MRW_ISA_AUTO. All give the same bits. */
    mrw_isa isa;
    /* Renderer: 0, the default, is software; 1 is OpenGL, which only the `marrow` command
     * implements. */
    uint32_t backend;
    /* OpenGL device. Any device is used if mrw_settings_given says that this option is not set. */
    uint32_t gl_device;
    /* bench: measure with fewer runs. */
    bool quick;
    /* Exit with status 5 if there were warnings. */
    bool strict;
    /* Print errors only. Excludes `verbose`. */
    bool quiet;
    /* Print more. Excludes `quiet`. */
    bool verbose;
    /* Show help and do nothing else. */
    bool help;
    /* Show all options in help. */
    bool all;
    /* Show the versions and do nothing else. */
    bool version;
} mrw_run_settings;

/* Values of all options, defaults included. mrw_settings_init and mrw_settings_set fill it. A
 * program may also write fields directly, but then mrw_settings_given does not report them and no
 * range is checked. */
typedef struct mrw_settings {
    /* MRW_COMMAND_NONE by default; only mrw_settings_parse sets it. */
    mrw_command command;
    /* Long names of the options set by a command line, a file or mrw_settings_set: each once, in
     * the order of their first use. The names are the table's. */
    mrw_text_list given;
    /* Plain arguments after the command: models, suites, or the words that help is asked for. After
     * `help`, options other than --all, --help and --version are words, too. */
    mrw_text_list arguments;

    mrw_output_settings output;
    mrw_animation_settings animation;
    /* Size, samples, looks, background, rig, file_lights, ambient, light_frame, and how
     * environments are placed. Options do not set the other fields, nor its isa. */
    mrw_frame_def picture;
    mrw_light_settings lights;
    mrw_pass_settings passes;
    /* Text after the colon of --shading MODE:ARGUMENT; NULL for modes that take none. */
    const char *shading_argument;
    /* "studio", "none" or a Radiance file; NULL: the studio where the rig lights the model. */
    const char *environment;
    mrw_camera_settings camera;
    mrw_model_settings model;
    mrw_case_settings cases;
    mrw_golden_settings goldens;
    mrw_compare_settings compare;
    mrw_report_settings reports;
    mrw_viewing_settings viewing;
    /* How files are read, and their limits. texture_memory covers the textures of all models drawn
     * together; equal models count once. Options do not set texture_dirs (model.texture_dirs holds
     * them), max_elements, threads, clips_only, maps, machine_warning, detail, file_opened and
     * progress. */
    mrw_load_def files;
    mrw_run_settings run;
} mrw_settings;

/* Fills in the defaults. Frees nothing, so do not call it on settings that hold lists. Allocates no
 * memory and cannot fail. */
MRW_API void mrw_settings_init(mrw_settings *settings);

/* Frees the lists, but not their strings, and zeroes the struct. mrw_settings_init makes it usable
 * again. */
MRW_API void mrw_settings_free(mrw_settings *settings);

/* Sets one option by its long name. `value` is the text that a command line would give. NULL
 * switches a flag on; flags also take yes, no, true, false, on, off, 1, 0. Lists grow. All other
 * values are replaced; --frames, --times and --blend are replaced as a whole. `value` is borrowed
 * where the field is a text.
 *
 * Fails with MRW_ERROR_USAGE, whose message names the option, the accepted values and the nearest
 * names, or with MRW_ERROR_MEMORY. Does not check whether options fit together; mrw_settings_parse
 * does. */
MRW_API mrw_status mrw_settings_set(mrw_settings *settings, const char *name, const char *value,
                                    mrw_error *error);

/* Returns true if the option with this long name was set. Passing a name that is not in the table
 * is a programming error. */
MRW_API bool mrw_settings_given(const mrw_settings *settings, const char *name);

/* Returns true if the azimuth is relative to the model's front (mrw_find_front). That is so for
 * --azimuth auto, and when no option places the camera: no azimuth, elevation, eye, camera, views
 * or follow. With --directions it is so unless an azimuth other than auto was given. */
MRW_API bool mrw_settings_finds_front(const mrw_settings *settings);

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
