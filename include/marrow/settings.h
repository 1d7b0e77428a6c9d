/* settings.h: the values of all options, defaults included: what a command line, a suite's case or
 * a program asks for.
 *
 * Settings hold numbers, flags and texts alone, so this header needs base.h alone. options.h reads
 * command lines into them. The functions mrw_session_* (models.h, session.h) translate them into
 * the structs of frame.h, load.h, view.h, compare.h and light.h.
 *
 *     mrw_settings settings;
 *     mrw_settings_init(&settings);
 *     if (mrw_settings_set(&settings, "size", "320x240", &error) == MRW_OK) { ... }
 *     mrw_settings_free(&settings);
 *
 * Memory: text values are borrowed: the strings they were set from must outlive the settings.
 * Lists, including the list of given options, belong to the settings; mrw_settings_free frees them.
 *
 * Errors: a wrong name or value is MRW_ERROR_USAGE; the message says what is accepted. Every
 * mrw_error may be NULL. No other pointer may be NULL unless its comment says so.
 *
 * Threads: no function here keeps state of its own. Any number of threads may call them, as long as
 * no two write the same settings.
 */
#ifndef MARROW_SETTINGS_H
#define MARROW_SETTINGS_H

#include "base.h"

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
    X(BATCH, batch)     /* draws a list of jobs, one line of JSON each */                          \
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

/* ---- Values of several parts ----------------------------------------------------------------- */

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

/* A light of --light; see mrw_light_def, which mrw_session_light_def makes of it. mrw_settings_set
 * fills in the defaults below; a zeroed entry is dark. */
typedef struct mrw_light_entry {
    uint32_t type;  /* mrw_light_type */
    uint32_t space; /* mrw_light_space; default world */
    /* Non-empty name of the node in MRW_LIGHT_SPACE_NODE, in the form that mrw_session_find_node
     * takes. It points into the parsed text. NULL in other spaces. */
    const char *node;
    /* Position, and direction in which the light travels. Default 0, 0, 0 and 0, 0, -1. */
    float position[3];
    float direction[3];
    /* Linear RGB, and the factor on it. Default 1, 1, 1 and 1. */
    float color[3];
    float intensity;
    /* Distance at which the light ends; 0, the default: unlimited. */
    float range;
    /* Cones of a spot in radians. Default 0 and pi / 4. */
    float inner_cone;
    float outer_cone;
    /* Constant, linear and quadratic attenuation. Default 1, 0, 0. */
    float attenuation[3];
    /* Factors of the classic lighting model. Default 0, 1, 1. */
    float ambient, diffuse, specular;
    /* Last given key that only modes with mrw_shading_info.classic_lights read; NULL: none. */
    const char *classic_key;
} mrw_light_entry;

/* ---- Settings -------------------------------------------------------------------------------- */

/* The parts of mrw_settings, one per concern, like the groups of the table. They have only what
 * options set. Where a comment names a field of another header, that header has the details.
 * Choices are stored as numbers: the index of the word in the row of the table, which equals the
 * value of the enumerator in the named enum. Unless another default is given, texts and lists are
 * NULL, numbers 0 and flags false. Vectors are x, y, z in the named space. */

/* Files to write: names, forms, and what is written beside pictures. */
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

/* Clips to play, how they are mixed, and the times at which pictures are drawn. */
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

/* Kinds of backgrounds. */
typedef enum mrw_backplate {
    MRW_BACKPLATE_NONE,     /* a colour */
    MRW_BACKPLATE_VERTICAL, /* a gradient: mrw_gradient plus 1 */
    MRW_BACKPLATE_RADIAL,
    MRW_BACKPLATE_PICTURE /* a picture that covers it (mrw_image_cover) */
} mrw_backplate;

/* How a picture is drawn: the fields of mrw_frame_def that options set, with its defaults. */
typedef struct mrw_picture_settings {
    /* Size in pixels, each 1 ... 16384. Default 512 x 512. */
    uint32_t width;
    uint32_t height;
    /* Samples per pixel: 1, 2, 4 or 8. Default 4. */
    uint32_t samples;
    /* Bits per channel of the picture: 8 or 16. Default 8. */
    uint32_t bits;
    /* mrw_shading; default lit. mrw_settings.shading_argument has the mode's argument. */
    uint32_t shading;
    /* mrw_filter; default trilinear. */
    uint32_t filter;
    /* Factor on all light of the picture, 0 ... 1e6. Default 1. */
    float exposure;
    /* mrw_tonemap; default neutral. */
    uint32_t tonemap;
    /* Background colour in sRGB with straight alpha. Default #b8c3d3, 255. With a gradient it is
     * the colour halfway, and with a picture the default; it is then seen between the pictures of a
     * sheet, and through clear pixels of the picture. */
    uint8_t background[4];
    /* mrw_backplate: what is shown in place of `background`. Default none. */
    uint32_t backplate;
    /* The colours of a gradient in sRGB: at the top and the bottom, or in the middle and at the
     * corners. */
    uint8_t gradient[2][3];
    /* File of MRW_BACKPLATE_PICTURE. */
    const char *background_file;
    /* Write RGBA over a clear background and ignore the fields above. */
    bool transparent;
    /* Sum of 1u << MRW_OVERLAY_...; 0: none. */
    uint32_t overlays;
    /* Hide overlays behind nearer opaque and masked surfaces. The grid is always hidden by them,
     * text never. */
    bool overlay_depth;
    /* Draw neither the models nor the ground, but let them hide overlays. */
    bool overlay_alone;
    /* mrw_rig_use; default MRW_RIG_AUTO. The first --light sets MRW_RIG_OFF, `--light default` sets
     * MRW_RIG_ON. */
    uint32_t rig;
    /* mrw_rig_kind; default MRW_RIG_SOFT. */
    uint32_t rig_kind;
    /* Let the lights of files shine; the table in frame.h says with which rig. Default true. */
    bool file_lights;
    /* Linear RGB of `--light ambient`, added up. Default 0, 0, 0. */
    float ambient[3];
    /* mrw_light_frame; default MRW_LIGHT_FRAME_CAMERA. */
    uint32_t light_frame;
    /* Rotation of the environment in degrees, -36000 ... 36000; factor on its light, 0 ... 1e6.
     * Default 0 and 1. */
    float environment_degrees;
    float environment_intensity;
    /* mrw_compensation; default MRW_COMPENSATION_AUTO. */
    uint32_t compensation;
    /* Show the environment behind the model, and how blurred: as surfaces of this roughness mirror
     * it, 0 ... 1. Default 0: sharp. */
    bool environment_background;
    float environment_blur;
    /* Let lights cast shadows. They do so with a ground, too, if --shadows is not given. */
    bool shadows;
    /* Side of a shadow map in texels, 128 ... 8192, and the width of a shadow's border in percent
     * of the distance to what casts it, 0 ... 50 (mrw_shadow_frame). Default 2048 and 5. */
    uint32_t shadow_size;
    float shadow_softness;
    /* Ambient occlusion. Its radius is a share of the framed box's longest side, 0.0001 ... 10; its
     * strength is 0 ... 10. Default 0.1 and 1. */
    bool occlusion;
    float occlusion_radius;
    float occlusion_strength;
    /* mrw_ground; default none. */
    uint32_t ground;
    /* sRGB colour of MRW_GROUND_COLOR. */
    uint8_t ground_color[3];
} mrw_picture_settings;

/* A requested pass. */
typedef struct mrw_pass_entry {
    uint32_t aov; /* mrw_aov */
    /* Name of joints for MRW_AOV_WEIGHTS; NULL for other passes. */
    const char *joint;
} mrw_pass_entry;

/* Passes to write instead of the picture; see aov.h. */
typedef struct mrw_pass_settings {
    /* Requested passes: `count` entries in the given order, each once; owned by the settings. */
    mrw_pass_entry *items;
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
    /* Angles with the meaning and ranges of mrw_viewpoint_settings. */
    float azimuth_degrees;
    float elevation_degrees;
} mrw_view_entry;

/* Position and field of view of a camera: the fields of mrw_view_def that options set, with its
 * defaults. mrw_session_view_def makes a mrw_view_def of it. */
typedef struct mrw_viewpoint_settings {
    /* Azimuth, -36000 ... 36000: 0 sees the front (from +Z); positive turns counter-clockwise seen
     * from above. Default 30. Ignored with has_eye. */
    float azimuth_degrees;
    /* Elevation, -90 ... 90: positive looks down from above. Default 15. Ignored with has_eye. */
    float elevation_degrees;
    /* Full vertical angle, 1 ... 170. Default 35. */
    float fov_degrees;
    /* Parallel projection. */
    bool orthographic;
    /* World height that a parallel projection shows, 1e-6 ... 1e9. Default 0: computed. */
    float height;
    /* Free border as a fraction of the picture's smaller side, 0 ... 0.45. Default 0.1. */
    float margin;
    /* Distances of the near and far planes from the eye, 1e-6 ... 1e9. Default 0: computed. */
    float near_plane;
    float far_plane;
    /* Place the camera at `eye` instead of by framing. */
    bool has_eye;
    /* Look at `target` instead of at the centre of what is framed. */
    bool has_target;
    /* World-space positions; default 0, 0, 0. */
    float eye[3];
    float target[3];
    /* Up direction in the picture, in world space. Default 0, 1, 0. */
    float up[3];
} mrw_viewpoint_settings;

/* Viewpoints of the pictures. */
typedef struct mrw_camera_settings {
    /* mrw_fit. The default depends on the job: clip for several frames, frame for a still. Use
     * mrw_settings_given to see whether it was set. */
    uint32_t fit;
    /* Position and field of view. The azimuth is relative to the model's front if
     * mrw_settings_finds_front returns true. */
    mrw_viewpoint_settings view;
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

/* Rules in the order in which they were given. */
typedef struct mrw_node_rules {
    mrw_node_rule *items; /* owned by the settings */
    size_t count;
} mrw_node_rules;

/* Place and looks of the model, and the models drawn with it. */
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

/* Writing and removing of goldens. */
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

/* How two pictures are compared: the fields of mrw_compare_def that options set, with its defaults.
 */
typedef struct mrw_difference_settings {
    /* mrw_compare_mode; default exact. */
    uint32_t mode;
    /* PIXEL: a pixel differs if a channel differs by more than this, 0 ... 255. */
    uint32_t max_delta;
    /* PIXEL: number of pixels that may differ, up to 1e9, and their share of the subject, 0 ... 1.
     * A picture passes if it is within one of the two. */
    uint64_t max_pixels;
    double max_ratio;
    /* PERCEPTUAL: largest mean FLIP error, 0 ... 1. Default 0.05. */
    double max_flip;
    /* PIXEL: do not count differing pixels on an edge that is anti-aliased in one of the
     * pictures. */
    bool ignore_antialiasing;
} mrw_difference_settings;

/* Comparison of two pictures, and of two poses. */
typedef struct mrw_compare_settings {
    /* How two pictures are compared. */
    mrw_difference_settings pictures;
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

/* How files are read, and their limits: the fields of mrw_load_def that options set, with its
 * defaults. */
typedef struct mrw_file_settings {
    /* Folder in which the files that a model names must lie. NULL: the model's folder. */
    const char *asset_root;
    /* Formats to read in addition to the default ones: "md5,x" or "all". NULL: none. */
    const char *formats;
    /* Format to read every model as; NULL: detect it. */
    const char *input_format;
    /* Name or index of the glTF scene to draw; NULL: the file's default scene. */
    const char *scene;
    /* Name or index of the glTF variant whose materials to use; NULL: none. */
    const char *variant;
    /* Bytes of one file, of all buffers of a model together, and of all its images together.
     * Default 2 GiB. */
    uint64_t max_file_size;
    /* Pixels of one texture; all of a model together may have twice as many. Default 16384 x
     * 16384. */
    uint64_t max_texture_size;
    /* Bytes for the textures of all models drawn together; equal models count once. Default
     * 1 GiB. */
    uint64_t texture_memory;
    /* Vertices, joints and animation keys of a model. Default 20 million, 65535 and 50 million. */
    uint64_t max_vertices;
    uint64_t max_joints;
    uint64_t max_keys;
    /* Seconds and bytes that the import helper may take. Default 10 and 2 GiB. */
    double import_seconds;
    uint64_t import_memory;
    /* Follow the curves between FBX keys. Default true. */
    bool fbx_curves;
    /* Start each clip at its first key. */
    bool from_first_key;
    /* mrw_material_colors; default MRW_MATERIAL_COLORS_AUTO. */
    uint32_t material_colors;
    /* Flip v of texture coordinates; flip the winding of triangles. */
    bool flip_v;
    bool flip_winding;
    /* Import in this process. Only for trusted files, where no helper can run. */
    bool no_sandbox;
} mrw_file_settings;

/* How the program runs: threads, kernels, renderer, messages. */
typedef struct mrw_run_settings {
    /* Part of the work to do: shard_index, 1 ... shard_count; at most 100000 parts. Default 1 of 1.
     */
    uint32_t shard_index;
    uint32_t shard_count;
    /* Number of threads, 1 ... 1024; 0, the default: mrw_cpu_count(). */
    uint32_t threads;
    /* Seconds after which the program stops, counted from its start; 0, the default: no limit. */
    double timeout;
    /* Most work of a picture, in units of mrw_work_limit, which the program calls. Default 1e11. */
    uint64_t max_work;
    /* Bytes that the process may take, for mrw_memory_limit, which the program calls; the import
     * helper may take as many. 0, the default: no limit. */
    uint64_t memory;
    /* batch: bytes of models that are kept for later lines; default 512 MiB. */
    uint64_t cache;
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
    /* MRW_COMMAND_NONE by default; mrw_settings_parse and mrw_settings_check set it. */
    mrw_command command;
    /* Long names of the options set by a command line, a file or mrw_settings_set: each once, in
     * the order of their first use. The names are the table's. */
    mrw_text_list given;
    /* Plain arguments after the command: models, suites, or the words that help is asked for. After
     * `help`, options other than --all, --help and --version are words, too. */
    mrw_text_list arguments;

    mrw_output_settings output;
    mrw_animation_settings animation;
    /* How pictures are drawn. */
    mrw_picture_settings picture;
    mrw_light_settings lights;
    mrw_pass_settings passes;
    /* Text after the colon of --shading MODE:ARGUMENT; NULL for modes that take none. */
    const char *shading_argument;
    /* Index in mrw_look_rows (options.h); default 0. mrw_settings_parse and suites set the options
     * of the look; mrw_settings_set does not. */
    uint32_t look;
    /* "studio", "none", or a Radiance or OpenEXR file; NULL: the studio where the rig lights the
     * model. */
    const char *environment;
    mrw_camera_settings camera;
    mrw_model_settings model;
    mrw_case_settings cases;
    mrw_golden_settings goldens;
    mrw_compare_settings compare;
    mrw_report_settings reports;
    mrw_viewing_settings viewing;
    /* How files are read. */
    mrw_file_settings files;
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

#ifdef __cplusplus
}
#endif
#endif
