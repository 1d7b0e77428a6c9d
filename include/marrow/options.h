/* options.h: one table of options, and what follows from it: settings, the command line, frame
 * numbers. Also the text helpers a program that talks about models needs.
 *
 * Everything that can be set when rendering is one row of one table (src/options/table.c), which
 * drives the command line, --help, and the keys of files that hold settings.
 *
 *     mrw_settings settings;
 *     mrw_settings_init(&settings);
 *     if (mrw_settings_set(&settings, "size", "320x240", &error) == MRW_OK) { ... }
 *     mrw_settings_free(&settings);
 *
 * Memory: text values in settings are borrowed: what they were set from must outlive the settings.
 * Lists belong to the settings, that of what was given among them: all that were set are freed.
 * Text in the tables is static.
 *
 * Errors: a wrong name or value is MRW_ERROR_USAGE with a message that says what is accepted. Every
 * mrw_error may be NULL. Pointers are otherwise not NULL, where nothing else is said.
 *
 * Threads: nothing here keeps state of its own, so every function may be called by any number of
 * threads, as long as no two of them write the same settings, list or text.
 */
#ifndef MARROW_OPTIONS_H
#define MARROW_OPTIONS_H

#include "base.h"
#include "compare.h"
#include "frame.h"
#include "load.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Commands -------------------------------------------------------------------------------- */

/* All commands: X(CONSTANT, name). A program that defines X makes a table of them. */
#define MRW_COMMANDS(X)                                                                            \
    X(RENDER, render)   /* draws stills, sequences, animations and contact sheets */               \
    X(SHEET, sheet)     /* draws all clips of a model in one picture */                            \
    X(INFO, info)       /* says what is in a file */                                               \
    X(BAKE, bake)       /* writes the deformed mesh, or the joints, as geometry or numbers */      \
    X(PICK, pick)       /* says what is seen at pixels of a picture */                             \
    X(COMPILE, compile) /* writes a model as a file that needs no importer */                      \
    X(DOCTOR, doctor)   /* checks this machine */                                                  \
    X(TEST, test)       /* compares what is drawn with goldens */                                  \
    X(ACCEPT, accept)   /* makes what the last test run drew the new goldens */                    \
    X(DIFF, diff)       /* compares two pictures, folders or models */                             \
    X(REPORT, report)   /* joins results folders in one report */                                  \
    X(INIT, init)       /* writes a first suite for a model */                                     \
    X(VIEW, view)       /* shows models that move, in a window */                                  \
    X(BENCH, bench)     /* measures how fast marrow is here */                                     \
    X(HELP, help)       /* shows all commands, or one command's options */

/* What `marrow` is told to do, the first plain argument of its command line: MRW_COMMAND_RENDER and
 * so on. */
typedef enum mrw_command {
#define MRW_COMMAND_ENUMERATOR(constant, name) MRW_COMMAND_##constant,
    MRW_COMMANDS(MRW_COMMAND_ENUMERATOR)
#undef MRW_COMMAND_ENUMERATOR
        MRW_COMMAND_COUNT,
    MRW_COMMAND_NONE = MRW_COMMAND_COUNT /* no command, as in `marrow --version` */
} mrw_command;

/* What a command reads of models. */
typedef enum mrw_command_reads {
    MRW_READS_ALL,      /* all maps */
    MRW_READS_PICTURES, /* the maps that pictures with these settings read: mrw_frame_maps */
    MRW_READS_COVERAGE, /* what is seen, not its colours: what moves vertices, alpha that cuts */
    MRW_READS_VERTICES, /* what moves vertices */
    MRW_READS_NOTHING   /* no map: it looks at the model */
} mrw_command_reads;

/* A command as help shows it. All text is static. */
typedef struct mrw_command_info {
    /* What a command line begins with, such as "render". */
    const char *name;
    /* Its plain arguments, as help shows them: "MODEL... [-o PATH]". */
    const char *arguments;
    /* One line, no newline at its end. */
    const char *summary;
    /* Some lines, for the command's own help; no newline at the end of the last. */
    const char *about;
    /* Command lines to copy. */
    const char *examples[3];
    /* How many plain arguments it takes, from least to most; UINT32_MAX: any number. */
    uint32_t least;
    uint32_t most;
    /* Which maps of a model are decoded for it: mrw_session_load. */
    mrw_command_reads reads;
} mrw_command_info;

/* Static storage; command is below MRW_COMMAND_COUNT. */
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
    /* Long name without dashes; also the key in files. */
    const char *name;
    /* One letter, as 'o' for -o; 0: none. */
    char short_name;
    /* Form of its value, as help shows it: "fast|best", "WxH|N". NULL for a flag, which has none.
     */
    const char *argument;
    /* The value may be left out, and stands only behind '='. */
    bool optional;
    /* One line. */
    const char *help;
    mrw_option_group group;
    /* Names of the commands it belongs to, with spaces between them; one may stand there twice. */
    const char *commands;
} mrw_option;

/* True when the option belongs to the command, which is below MRW_COMMAND_COUNT. */
MRW_API bool mrw_option_belongs(const mrw_option *option, mrw_command command);

/* Title of a group for help, such as "Reading files". group is below MRW_OPTIONS_GROUP_COUNT.
 * Static storage. */
MRW_API const char *mrw_option_group_title(mrw_option_group group);

/* Rows of the table: at least 1, and the same at each call. */
MRW_API size_t mrw_option_count(void);

/* A row of the table; index is below mrw_option_count(). Static storage. */
MRW_API const mrw_option *mrw_option_at(size_t index);

/* What holds where the option of a row is not given, as help shows it: the default itself, in the
 * form that the option takes, or words such as "the first"; "" where there is nothing to say. index
 * is below mrw_option_count(). 64 bytes always hold it. Returns out. */
MRW_API const char *mrw_option_default(size_t index, char *out, size_t size);

/* ---- Settings -------------------------------------------------------------------------------- */

/* What to do with a time outside 0 ... duration. */
typedef enum mrw_time_wrap {
    MRW_TIME_REFUSE,   /* the default: frame numbers are refused, times clamp */
    MRW_TIME_CLAMP,    /* to the nearer end */
    MRW_TIME_LOOP,     /* from the end on to the start */
    MRW_TIME_PINGPONG, /* from the end back to the start, and on again */
    MRW_TIME_FILE      /* on, as the file says of each channel (mrw_extrapolation) */
} mrw_time_wrap;

/* first, first + step, ... up to last (or down to it). Negative numbers count from the end: -1 is
 * the last frame. Numbers that were read lie in -1e9 ... 1e9. */
typedef struct mrw_frame_range {
    int64_t first;
    int64_t last;
    /* 1 ... 1e9; its direction follows from the two numbers. */
    int64_t step;
} mrw_frame_range;

/* A list that grows: the array belongs to the settings, the texts in it to whoever set them. */
typedef struct mrw_text_list {
    /* count pointers, none NULL; NULL when count is 0. */
    const char **items;
    size_t count;
} mrw_text_list;

/* One of several clips that are blended. */
typedef struct mrw_blend_entry {
    /* name_length bytes of the text that was read, not terminated; at least 1. */
    const char *name;
    size_t name_length;
    /* 0 ... 1e6; those of all entries together are at least 1e-6. They need not sum to 1. */
    double weight;
} mrw_blend_entry;

/* The forms of a mask, in the order in which they are looked for. */
typedef enum mrw_mask_kind {
    MRW_MASK_RECT,  /* rect:X,Y,WIDTH,HEIGHT in pixels from the top left */
    MRW_MASK_IMAGE, /* image:FILE.png: pixels that are not black and not transparent */
    MRW_MASK_NODE   /* node:NAME: what is drawn of a node and of all below it */
} mrw_mask_kind;

/* What --mask leaves out of a comparison. */
typedef struct mrw_mask {
    mrw_mask_kind kind;
    /* RECT: x, y, width, height in pixels, up to 16384 each, the sides at least 1; it may reach
     * beyond the picture. Else zeros. */
    uint32_t rect[4];
    /* IMAGE, NODE: the name of the file or node, not empty: it lies in the text that was read and
     * lasts as long. RECT: "". */
    const char *name;
} mrw_mask;

/* Reads one mask; false when the text has none of the forms above. What *out holds then means
 * nothing. */
MRW_API bool mrw_mask_parse(const char *text, mrw_mask *out);

/* What --id says: the draws of a name get a number. */
typedef struct mrw_id_entry {
    const char *name; /* of a node or a model, not empty: it lies in the text that was read */
    size_t length;    /* of the name, which '=' follows */
    uint32_t number;  /* at least 1 */
} mrw_id_entry;

/* Reads NAME=N, parted at the last '='; false when N is not 1 ... 4294967295, or there is no name.
 * What *out holds then means nothing. */
MRW_API bool mrw_id_parse(const char *text, mrw_id_entry *out);

/* Reads X,Y: a pixel counted from the top left, whole numbers below 16384; false for anything else.
 */
MRW_API bool mrw_pixel_parse(const char *text, uint32_t out[2]);

/* A height map of --displacement: (height - midlevel) * scale is the way of a vertex, in units of
 * the model. */
typedef struct mrw_displacement {
    /* The text begins with so many bytes of a path; 0: it is "none". */
    size_t path_length;
    /* Finite. */
    float scale;
    /* Default 0.5: grey stays where it is. */
    float midlevel;
} mrw_displacement;

/* Reads TEXTURE:SCALE, TEXTURE:SCALE:MIDLEVEL or none; false when it is neither of them. */
MRW_API bool mrw_displacement_parse(const char *text, mrw_displacement *out);

/* A light of --light. */
typedef struct mrw_light_entry {
    /* With MRW_LIGHT_SPACE_NODE its node is not known yet. */
    mrw_light_def def;
    /* That node's name, as mrw_session_find_node takes it, not empty: it lies in the text that was
     * read. NULL in other spaces. */
    const char *node;
    /* The last key given that only modes with mrw_shading_info.classic_lights read; NULL: none. */
    const char *classic_key;
} mrw_light_entry;

/* The parts of mrw_settings, one a concern, as the groups of the table. What another header says of
 * a concern is that header's struct with its defaults; the others are here. Choices are numbers:
 * the place of the word in the row of the table, which is that of the enumerator in the enum named.
 * Texts and lists are NULL, numbers 0 and flags false by default, where no other default is named.
 * Vectors are x, y, z in the space named. */

typedef struct mrw_output_settings {
    /* -o: a template (see mrw_template_check), a folder when it ends in '/', or, but in bake, "-"
     * for stdout. */
    const char *path;
    /* Columns of a contact sheet, 1 ... 1000; 0: none is made. */
    uint32_t sheet;
    /* Names and times are written into it. */
    bool labels;
    /* The JSON file of a sprite sheet: a template, as path; NULL: none. */
    const char *atlas;
    /* Of its JSON: frames are called "0", "1" ... */
    bool atlas_numbers;
    /* The node whose place is every frame's pivot; NULL: they have none. */
    const char *pivot;
    /* Of sheets: pixels between and around pictures, 0 ... 1024, default 4; by how many of them
     * edges are repeated into it, 0 ... 512. */
    uint32_t gap;
    uint32_t extrude;
    /* Clear pixels take the colour of the nearest others. */
    bool bleed;
    /* mrw_sprite_trim. */
    uint32_t trim;
    /* Of the pages of sprite sheets: the longest side, 1 ... 16384, the default; sides are powers
     * of two. */
    uint32_t page_size;
    bool power_of_two;
    /* Pictures go to standard output one after another: 1 PNGs, 2 YUV4MPEG2, 3 bare RGBA; 0: they
     * do not. */
    uint32_t stream;
    /* Overwrite files though no output was named; when testing, write goldens even in CI. */
    bool force;
    /* Only list what would be written. */
    bool dry_run;
    /* mrw_png_effort; default MRW_PNG_FAST. */
    uint32_t png;
    /* Of WebP and JPEG, 1 ... 100; 0: lossless, of JPEG 92. */
    uint32_t quality;
    /* What half clear pixels of GIFs are mixed with: sRGB bytes; default: with nothing. */
    bool has_matte;
    uint8_t matte[3];
    /* GIFs make patterns of the colours they have. */
    bool dither;
    /* Answer in JSON: "-" is stdout, else a file; NULL: in words. */
    const char *json;
    /* The file in which bake writes joints, a JSON line a time; "-" for stdout. */
    const char *joints;
    /* 0: such lines; 1: one document of COCO's key points. */
    uint32_t joints_format;
    /* What pictures are called in that: render's -o; NULL: as render names them without. */
    const char *images;
    /* X,Y, each read by mrw_pixel_parse, and was when it was set: the pixels that pick looks at. */
    mrw_text_list pixels;
} mrw_output_settings;

typedef struct mrw_animation_settings {
    /* Patterns of clips as mrw_scene_find_clip takes them, or "all"; empty: the first clip. */
    mrw_text_list clips;
    /* Files whose clips are added (mrw_scene_add_clips), in this order. */
    mrw_text_list anims;
    /* mrw_retarget of these files; default MRW_RETARGET_AUTO. */
    uint32_t retarget;
    /* blend_count clips to blend in place of one; owned by the settings. */
    mrw_blend_entry *blend;
    size_t blend_count;
    /* Blended clips start and end together, however long each is. */
    bool sync;
    /* CLIP or CLIP@NODE, laid over what plays, in this order. */
    mrw_text_list layers;
    /* Layers add what they change from their own first pose; else they replace. */
    bool additive;
    /* Play all clips at once; what a later one animates wins. */
    bool together;
    /* mrw_root_motion; default MRW_ROOT_MOTION_KEEP. LOOP wants wrap MRW_TIME_LOOP. */
    uint32_t root_motion;
    /* mrw_pose; default MRW_POSE_CLIP. With the others nothing plays. */
    uint32_t pose;
    /* frame_count ranges of frame numbers, in the order given; owned by the settings. */
    mrw_frame_range *frames;
    size_t frame_count;
    /* time_count times in seconds from the clip's start; owned by the settings. At most one of
     * frames, times and count is given on a command line. */
    double *times;
    size_t time_count;
    /* [time] whether it is a share of the clip's duration instead: 0.25 of 25%. NULL: none is;
     * owned by the settings. */
    bool *time_shares;
    /* So many frames evenly over the clip, 1 ... MRW_MAX_FRAMES; 0: not given. */
    uint32_t count;
    /* Frames a second: above 0, at most 10000; default 30/1. */
    mrw_rate fps;
    /* With --fps file: take the rate that the file's keys suggest; `fps` then stays as it was, and
     * counts where they suggest none. */
    bool fps_of_file;
    /* How much faster the clip plays: frame k lies at k / fps * speed; 0.001 ... 1000, default 1/1.
     * `backwards`: it starts at the clip's end, and frame k lies that much before it; of a clip
     * that lasts N whole frames it is frame N - k. */
    mrw_rate speed;
    bool backwards;
    /* Leave out the end frame, which repeats the first. */
    bool loop;
    /* mrw_time_wrap; default MRW_TIME_REFUSE. */
    uint32_t wrap;
} mrw_animation_settings;

/* Passes that are written in place of the picture, see aov.h. */
typedef struct mrw_pass_settings {
    /* count of them, each once, in the order given; owned by the settings. */
    mrw_aov_request *items;
    size_t count;
    /* As pictures to look at. */
    bool view;
} mrw_pass_settings;

/* The most views of --turntable, --azimuth and --elevation. */
#define MRW_MAX_VIEWS 3600

/* One of several views. */
typedef struct mrw_view_entry {
    /* "front"; static. NULL: angles that have no name. */
    const char *name;
    /* As of mrw_view_def. */
    float azimuth_degrees;
    float elevation_degrees;
} mrw_view_entry;

typedef struct mrw_camera_settings {
    /* mrw_fit. Which default holds depends on what is drawn, clip for several frames and frame for
     * a still: look whether it was given. */
    uint32_t fit;
    /* Where it stands and what it sees; its azimuth is counted from the model's front where
     * mrw_settings_finds_front says so. */
    mrw_view_def view;
    /* --azimuth auto was given. */
    bool azimuth_auto;
    /* view_count views, from each of which every time is seen, in place of the one with the angles
     * of `view`; owned by the settings. Without any there is that one. */
    mrw_view_entry *views;
    size_t view_count;
    /* Several values of --azimuth and of --elevation, the first of which `view` has, too; owned by
     * the settings. Of one, and of none, NULL and 0. Each time is seen from all azimuths, at the
     * first elevation, then at the second... */
    float *azimuths;
    size_t azimuth_count;
    float *elevations;
    size_t elevation_count;
    /* Above 0: picture i of so many is seen from `view`, turned by i * 360 / turntable degrees. */
    uint32_t turntable;
    /* 4, 8 or 16: each time is seen from so many sides, the first of which is the azimuth that was
     * given, else the model's front; 0, the default: from one. */
    uint32_t directions;
    /* Cameras of the file by name or index (mrw_scene_find_camera), in place of all of these;
     * several are several views. */
    mrw_text_list names;
    /* A node that the camera moves with; NULL: it stands. */
    const char *follow;
} mrw_camera_settings;

/* Lights, in the order given. Of --light, picture.rig and picture.ambient hold the rest. */
typedef struct mrw_light_settings {
    /* count entries, owned by the settings; NULL when there are none. */
    mrw_light_entry *items;
    size_t count;
} mrw_light_settings;

typedef struct mrw_model_settings {
    /* Model to world: translate * rotate * scale, see mrw_view_model_transform. translate in units
     * of world space, default 0; rotate in degrees about X, then Y, then Z, default 0; scale other
     * than 0, negative to mirror, default 1. */
    float translate[3];
    float rotate[3];
    float scale[3];
    /* mrw_skinning; default linear. */
    uint32_t skinning;
    /* Keep the strongest so many joint weights of each vertex, 1 ... 65535; 0, the default: all. */
    uint32_t max_influences;
    /* What the file hides is shown; default false. */
    bool show_hidden;
    /* mrw_sides; default as filed. */
    uint32_t sides;
    /* TEXTURE:SCALE or TEXTURE:SCALE:MIDLEVEL (mrw_displacement_parse): a height map that moves the
     * vertices of the model, in place of what its materials have; "none": nothing does. NULL, the
     * default: that of the materials. */
    const char *displacement;
    /* How often each triangle of the model is cut into four, 1 ... 8; 0, the default: never. */
    uint32_t subdivide;
    /* So many of the model, 1 ... 1,000, in a square on the ground; default 1. */
    uint32_t copies;
    /* MODEL or MODEL@NODE: other models to draw, free or fixed to a node of the first one. */
    mrw_text_list added;
    /* NAME=N, each read by mrw_id_parse, and was when it was set: numbers of passes. */
    mrw_text_list ids;
    /* Folders where textures are looked for, too, in this order. */
    mrw_text_list texture_dirs;
} mrw_model_settings;

/* Cases of suites. */
typedef struct mrw_case_settings {
    /* A pattern (mrw_glob_match) for CASE or SUITE/CASE; NULL: all. */
    const char *match;
    /* Only cases with this tag; NULL: all. */
    const char *tag;
    /* Only cases that failed in the last run. */
    bool last_failed;
    /* Only cases whose goldens were made of other inputs: see mrw_test_def.changed. */
    bool changed;
    /* List what would run, run nothing. */
    bool list;
    /* Start no case after one has failed. */
    bool fail_fast;
    /* Runs of each case, 1 ... 1000; default 1. */
    uint32_t repeat;
    /* Another marrow, whose pictures stand for the goldens. */
    const char *against;
    /* 1: what run.backend draws is compared with what software draws; default 0: it is not. */
    uint32_t against_backend;
} mrw_case_settings;

typedef struct mrw_golden_settings {
    /* mrw_update; default MRW_UPDATE_NONE. --update without a value is MRW_UPDATE_CHANGED. */
    uint32_t update;
    /* The results folder that accept takes. */
    const char *from;
    /* Also take pictures that are blank, of one colour or cut by every border. */
    bool allow_blank;
    /* Accept takes cameras alone. */
    bool framing;
    /* Remove goldens that no case uses. */
    bool prune;
} mrw_golden_settings;

typedef struct mrw_compare_settings {
    /* How two pictures are compared. Options don't reach its mask, isa and threads. */
    mrw_compare_def pictures;
    /* Each is read by mrw_mask_parse, and was when it was set. */
    mrw_text_list masks;
    /* By how much joints may be turned, 0 ... 180 degrees; default 0. */
    double max_degrees;
    /* By how much joints and bounds may be moved, 0 ... 1e9 metres; default 0. */
    double max_distance;
} mrw_compare_settings;

/* Paths of what is to be written; NULL: not written. */
typedef struct mrw_report_settings {
    /* A folder: index.html and its pictures. */
    const char *folder;
    /* One page, pictures inside. */
    const char *page;
    /* A JUnit file. */
    const char *junit;
    /* Answer in TAP, version 13, on stdout. */
    bool tap;
    /* Of --out: the folder for what was drawn and what differs; NULL: results/ beside each suite.
     */
    const char *results;
} mrw_report_settings;

/* The window of `marrow view`. */
typedef struct mrw_viewing_settings {
    /* Files of events: one to be written, and one to be played without a window; NULL: none. */
    const char *record;
    const char *play;
    /* Pictures that are shown, 1 ... 1e9; 0, the default: until the user leaves. */
    uint32_t exit_after;
} mrw_viewing_settings;

typedef struct mrw_run_settings {
    /* Do part shard_index, 1 ... shard_count, of shard_count, up to 100000; default 1 of 1. */
    uint32_t shard_index;
    uint32_t shard_count;
    /* How many threads work, 1 ... 1024; 0, the default: mrw_cpu_count(). */
    uint32_t threads;
    /* Instruction set of the kernels; default MRW_ISA_AUTO. All give the same bits. */
    mrw_isa isa;
    /* What draws: 0, the default, software, 1 OpenGL. Only the command knows the latter. */
    uint32_t backend;
    /* Which device of OpenGL; where mrw_settings_given says that none is, any. */
    uint32_t gl_device;
    /* bench: fewer runs. */
    bool quick;
    /* End with status 5 when there were warnings. */
    bool strict;
    /* Say nothing but errors, or say more; not both. */
    bool quiet;
    bool verbose;
    /* Show help, or the versions, and do nothing else. */
    bool help;
    bool version;
} mrw_run_settings;

/* Values of all options, defaults included. Filled by mrw_settings_init and mrw_settings_set; a
 * program may also write fields itself, but mrw_settings_given then knows nothing of it, and no
 * range is checked. */
typedef struct mrw_settings {
    /* MRW_COMMAND_NONE by default; set by mrw_settings_parse alone. */
    mrw_command command;
    /* Long names of the options that were set by a command line, a file or mrw_settings_set, each
     * once, in the order in which they came first. The names are the table's. */
    mrw_text_list given;
    /* The plain arguments behind the command: models, suites, or the topic of help. */
    mrw_text_list arguments;

    mrw_output_settings output;
    mrw_animation_settings animation;
    /* Size, samples, looks, background, rig, file_lights, ambient, light_frame and, of
     * environments, how they are placed. Options don't reach the rest, nor its isa. */
    mrw_frame_def picture;
    mrw_light_settings lights;
    mrw_pass_settings passes;
    /* What stands behind the colon of --shading MODE:ARGUMENT; NULL for modes that take none. */
    const char *shading_argument;
    /* "studio", "none" or a Radiance file; NULL: the studio where the rig shines. */
    const char *environment;
    mrw_camera_settings camera;
    mrw_model_settings model;
    mrw_case_settings cases;
    mrw_golden_settings goldens;
    mrw_compare_settings compare;
    mrw_report_settings reports;
    mrw_viewing_settings viewing;
    /* How files are read, and their limits. texture_memory is for the textures of all models drawn
     * together, those of equal models once. Options don't reach texture_dirs (model.texture_dirs
     * has them), max_elements, threads, clips_only, maps, machine_warning, detail, file_opened and
     * progress. */
    mrw_load_def files;
    mrw_run_settings run;
} mrw_settings;

/* Fills in the defaults. Frees nothing: not for settings that hold lists. Needs
 * no memory, cannot fail. */
MRW_API void mrw_settings_init(mrw_settings *settings);

/* Frees the lists, not the texts in them, and zeroes the struct: mrw_settings_init makes it usable
 * again. */
MRW_API void mrw_settings_free(mrw_settings *settings);

/* Sets one option by its long name. value is what a command line would say; NULL switches a flag
 * on, and flags take yes, no, true, false, on, off, 1, 0. Lists grow, everything else is replaced:
 * --frames, --times and --blend as a whole. value is borrowed where the field is a text.
 *
 * Failures are MRW_ERROR_USAGE and name the option, the accepted values and the nearest names, or
 * MRW_ERROR_MEMORY. Whether options go together is not looked at: mrw_settings_parse does. */
MRW_API mrw_status mrw_settings_set(mrw_settings *settings, const char *name, const char *value,
                                    mrw_error *error);

/* True when the option of this long name was set. A name that is not in the table is a programmer's
 * error. */
MRW_API bool mrw_settings_given(const mrw_settings *settings, const char *name);

/* True when the azimuth is counted from the front of the model (mrw_find_front): --azimuth auto, or
 * nothing that says where the camera stands: no azimuth, elevation, eye, camera, views, follow.
 * With --directions, no azimuth. */
MRW_API bool mrw_settings_finds_front(const mrw_settings *settings);

/* What --views calls a view of these angles, "front" of 0, 0; NULL where it has no name. Static
 * storage. */
MRW_API const char *mrw_view_name(float azimuth_degrees, float elevation_degrees);

/* The last '@' of NAME@NODE, a pointer into text, or NULL when there is none: names may hold some
 * themselves. */
MRW_API const char *mrw_split_at(const char *text);

/* Reads a command line without the program's name: options anywhere, `--opt value` or
 * `--opt=value`, values may begin with '-', `--` ends options, short options join (-qj4). The first
 * plain argument is the command. A second value for an option that is no list is refused. Checks
 * that options belong to the command, that they don't exclude or lack each other and that the
 * command gets as many arguments as it takes, unless help or the version is asked for. Of `sheet`
 * it then sets what that stands for, where nothing else is given: labels, all clips at 8 times, 128
 * pixels a side.
 *
 * settings must be initialised; argc may be 0. The arguments are borrowed for as long as the
 * settings live. MRW_ERROR_USAGE for everything a user can get wrong, else MRW_ERROR_MEMORY; after
 * a failure the settings hold what came before it and are freed as always. */
MRW_API mrw_status mrw_settings_parse(mrw_settings *settings, int argc, const char *const *argv,
                                      mrw_error *error);

/* ---- Which frames ---------------------------------------------------------------------------- */

/* One picture of a clip. */
typedef struct mrw_frame_choice {
    /* What {frame} is replaced by: the frame's number at the rate, or with --times and --count the
     * place in the list, from 0. */
    uint64_t number;
    /* Seconds from the clip's start, clamped or wrapped. */
    double time;
    /* The same before that, as asked for. */
    double asked;
} mrw_frame_choice;

/* Frames in the order in which they were asked for; one may stand there twice. */
typedef struct mrw_frame_list {
    /* count frames, owned by the list; NULL when there are none. */
    mrw_frame_choice *items;
    size_t count;
} mrw_frame_list;

/* What a clip offers. */
typedef struct mrw_frame_span {
    /* Seconds, not negative. */
    double duration;
    /* Frames in a second of the clip, whatever the speed at which they are shown: see
     * mrw_time_rate. */
    mrw_rate rate;
    /* mrw_last_frame(duration, rate): frames are numbered from 0 to this. */
    uint64_t last_frame;
} mrw_frame_span;

/* Frames a second divided by a speed: the rate at which frames lie in the clip's own time, as a
 * fraction in lowest terms; where that has more than 32 bits, the nearest that halving both numbers
 * gives. Both are above 0. */
MRW_API mrw_rate mrw_time_rate(mrw_rate fps, mrw_rate speed);

/* The most frames of one clip in one go. */
#define MRW_MAX_FRAMES 1000000u

/* Puts a time into 0 ... duration, but with MRW_TIME_FILE, which leaves it. A clip that lasts N
 * whole frames of this rate (a ten thousandth of a frame is overlooked, as by mrw_last_frame) loops
 * after exactly N frames: frame k shows what frame k mod N shows, to the bit, although no float is
 * 32/30. rate 0/0: by the duration alone. */
MRW_API double mrw_wrap_time(mrw_time_wrap wrap, double time, double duration, mrw_rate rate);

/* The frames that settings ask for: --frames, --times or --count, else all frames of the clip when
 * `sequence`, else its start. Free with mrw_frame_list_free.
 *
 * Frames outside the clip are MRW_ERROR_INPUT, unless animation.wrap says what to show there; so
 * are numbers that count from the end to before its start, and more than MRW_MAX_FRAMES frames.
 * After a failure *out is empty. Shards are not looked at: all frames are listed. */
MRW_API mrw_status mrw_settings_frames(const mrw_settings *settings, const mrw_frame_span *span,
                                       bool sequence, mrw_frame_list *out, mrw_error *error);

/* Frees the frames and zeroes the struct. */
MRW_API void mrw_frame_list_free(mrw_frame_list *list);

/* ---- Text ------------------------------------------------------------------------------------ */

/* Shortest text that reads back to the same number, without locale; "null" when not finite. Returns
 * the length without the NUL, which is written. */
MRW_API size_t mrw_format_double(double value, char out[32]);
MRW_API size_t mrw_format_float(float value, char out[32]);

/* value with 0 ... 9 decimals, rounded half away from zero; other numbers of decimals are clamped
 * to that. From 1e18 on, and when not finite, as mrw_format_double writes it. No "-0". */
MRW_API size_t mrw_format_fixed(double value, int decimals, char out[32]);

/* Copies a stranger's text, safe to print on a terminal and in logs of CI: control characters,
 * marks that turn the direction of writing, what is no UTF-8 and what a CI service would take for a
 * command become \x1B or \u{202E}. Cut to fit into size bytes, at least 1, the NUL included,
 * between characters. Returns out. */
MRW_API const char *mrw_escape_text(const char *text, char *out, size_t size);

/* Copies a stranger's name as part of a file name: letters, digits, '.', '_', '-' stay, the rest
 * becomes '_'; never a leading dot, never empty. Returns out. */
MRW_API const char *mrw_safe_file_name(const char *text, char *out, size_t size);

/* Matches a whole text: * any characters, ? one, [abc] and [a-z] one of these, [!x] one but these;
 * a backslash quotes the next character. */
MRW_API bool mrw_glob_match(const char *pattern, const char *text);

/* Appends "; did you mean A, B?" to the string in out, which has room for size bytes: up to three
 * of the candidates, those nearest to name by edit distance, small and capital letters alike.
 * Nothing is appended when none is near. candidates: count strings. */
MRW_API void mrw_suggest_names(char *out, size_t size, const char *name,
                               const char *const *candidates, size_t count);

#ifdef __cplusplus
}
#endif
#endif
