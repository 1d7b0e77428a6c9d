/* internal.h: what the files of the viewer share. */
#ifndef VIEWER_INTERNAL_H
#define VIEWER_INTERNAL_H

#include "viewer.h"

#include "overlay/overlay.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

/* ---- text.c ---------------------------------------------------------------------------------- */

mrw_status viewer_fail_memory(mrw_error *error);
char *viewer_copy(const char *text); /* NULL for NULL; free */

/* ---- angles.c: degrees, the same bits on every machine --------------------------------------- */

double viewer_tan(double degrees);         /* -88 ... 88 */
double viewer_arc_tan(double y, double x); /* -180 ... 180; 0 for 0, 0 */
double viewer_arc_sin(double sine);        /* -1 ... 1 */
double viewer_exp(double x);               /* -6 ... 6 */

/* ---- arguments.c: command lines as text ------------------------------------------------------ */

/* One option of a line; both owned. */
typedef struct viewer_argument {
    char *name;  /* long, of the table */
    char *value; /* NULL: it has none */
} viewer_argument;

/* Options in the order given, and the plain arguments behind the command. Zero-initialise. */
typedef struct viewer_arguments {
    viewer_argument *options;
    size_t count;
    char **models;
    size_t model_count;
} viewer_arguments;

/* Splits a line that mrw_settings_parse has accepted into options and models. Drops options that
 * `view` does not have. The caller frees *out, after failures too. */
mrw_status viewer_arguments_read(viewer_arguments *out, int argc, const char *const *argv,
                                 mrw_error *error);
void viewer_arguments_free(viewer_arguments *arguments);
const char *viewer_arguments_find(const viewer_arguments *arguments, const char *name);
mrw_status viewer_arguments_add(viewer_arguments *out, const char *name, const char *value,
                                mrw_error *error); /* value: NULL, or copied */
void viewer_arguments_remove(viewer_arguments *arguments, const char *name);
/* Replaces all options called `name` by those of `as`. */
mrw_status viewer_arguments_follow(viewer_arguments *arguments, const viewer_arguments *as,
                                   const char *name, mrw_error *error);

/* An argv that is being built: owned words, then a NULL. Zero-initialise. */
typedef struct viewer_words {
    char **items;
    size_t count;
    bool failed;
} viewer_words;

void viewer_words_add(viewer_words *words, const char *word);
void viewer_words_option(viewer_words *words, const char *name, const char *value);
void viewer_words_free(viewer_words *words);
/* Splits a line at blanks, quotes and backslashes as a shell does. Returns false for a quote that
 * does not end. */
bool viewer_words_split(viewer_words *words, const char *line);
/* Joins words to a line, with quotes where a shell needs them. */
void viewer_words_join(const viewer_words *words, mrw_text *out);

/* ---- camera.c -------------------------------------------------------------------------------- */

typedef enum viewer_camera_kind {
    VIEWER_CAMERA_GIVEN,  /* the camera of the command line */
    VIEWER_CAMERA_FRAMED, /* frames the clip from a direction */
    VIEWER_CAMERA_FREE    /* orbits a target */
} viewer_camera_kind;

/* Angles are in degrees, lengths in units of the world. */
typedef struct viewer_camera {
    viewer_camera_kind kind;
    double azimuth, elevation; /* FRAMED, FREE */
    bool orthographic;
    double fov;       /* field of view of a perspective; 0: the command line's, or the default */
    double target[3]; /* FREE */
    double distance;  /* FREE: from the eye to the target */
    double height;    /* FREE, orthographic: the visible height */
} viewer_camera;

/* Bounding box of a clip; near and far planes are placed around it. */
typedef struct viewer_box {
    bool known;
    float min[3], max[3];
} viewer_box;

void viewer_box_widen(viewer_box *box, const viewer_box *by);
void viewer_camera_orbit(viewer_camera *camera, double dx, double dy); /* pixels */
/* Turns the camera around its eye. */
void viewer_camera_look(viewer_camera *camera, double dx, double dy);
void viewer_camera_pan(viewer_camera *camera, double dx, double dy, double fov,
                       uint32_t height); /* pixels of a picture that is `height` pixels high */
void viewer_camera_zoom(viewer_camera *camera, double notches);
void viewer_camera_frame(viewer_camera *camera, double azimuth, double elevation);
/* Switches between parallel and perspective projection; the target keeps its size. */
void viewer_camera_project(viewer_camera *camera, double fov);
/* Makes the camera FREE with the view of `seen`. Its target is as far away as the middle of the
 * box. keep_angles: azimuth and elevation are already right. */
void viewer_camera_free(viewer_camera *camera, const mrw_camera *seen, const viewer_box *box,
                        bool keep_angles);
/* Moves eye and target to the right, up and forward. 1 is the distance to the target. */
void viewer_camera_fly(viewer_camera *camera, double right, double up, double forward);
/* Adds the camera's options to a line. arguments: options of the command line. far_away: the
 * picture shows a ground that reaches far beyond the box. */
void viewer_camera_write(const viewer_camera *camera, const viewer_arguments *arguments,
                         const viewer_box *box, bool far_away, viewer_words *out);

/* ---- clock.c --------------------------------------------------------------------------------- */

typedef enum viewer_repeat { VIEWER_LOOP, VIEWER_PINGPONG, VIEWER_ONCE } viewer_repeat;

/* Limits of viewer_clock.speed. */
#define VIEWER_SLOWEST (-4)
#define VIEWER_FASTEST 3

/* The length of a clip and its keys. Frames are counted by the rate. */
typedef struct viewer_timing {
    double duration; /* seconds */
    mrw_rate rate;
    uint64_t last; /* last frame */
    double *keys;  /* times of keys, increasing, each once; owned */
    size_t key_count;
} viewer_timing;

/* First and last frame to play. */
typedef struct viewer_range {
    uint64_t in, out;
} viewer_range;

/* The time in a clip, and how it plays. */
typedef struct viewer_clock {
    viewer_timing timing;
    viewer_range range;
    double time;      /* time that is shown, 0..duration */
    double play_time; /* time before --wrap loop wraps it: each clip of a mix loops by itself */
    uint64_t frame;   /* frame nearest to `time` */
    bool playing;
    bool backward;
    viewer_repeat repeat;
    int speed;      /* doublings of the speed; halvings below 0 */
    uint64_t phase; /* progress within the frame: microseconds times frames, in 16ths */
} viewer_clock;

/* Goes to the first frame of a clip and finds its keys. Direction, repeat and speed stay. */
mrw_status viewer_clock_begin(viewer_clock *clock, const mrw_session_model *model, uint32_t clip,
                              mrw_error *error);
void viewer_clock_free(viewer_clock *clock);
void viewer_clock_tick(viewer_clock *clock, uint64_t microseconds);
void viewer_clock_to_frame(viewer_clock *clock, uint64_t frame);
void viewer_clock_to_time(viewer_clock *clock, double time);
void viewer_clock_step(viewer_clock *clock, int frames);
void viewer_clock_to_key(viewer_clock *clock, bool next);
double viewer_clock_speed(const viewer_clock *clock);

/* ---- canvas.c: drawing over a picture of 3 channels ------------------------------------------ */

/* Size of text in a window: small windows have small text. All are pixels of the window. */
typedef struct viewer_text {
    int scale;     /* factor of gaps and marks: 1 or 2 */
    int line;      /* distance from one line to the next */
    int above;     /* distance from the top of a line to its letters */
    int capitals;  /* height of capital letters */
    double radius; /* half the width of a letter's strokes */
} viewer_text;

viewer_text viewer_canvas_text_of(uint32_t width, uint32_t height);

/* Fills a rectangle of whole pixels at once, without the layer of a canvas: plates are large, and
 * a polygon of `overlay` would blend each of their pixels in linear light. */
void viewer_canvas_rect(mrw_image *image, int x, int y, int width, int height,
                        mrwi_overlay_color color);
/* Adds a line with round ends to the layer, or a disc if both ends are equal. Ignores one that
 * reaches far outside of the picture. */
void viewer_canvas_stroke(mrwi_overlay_canvas *canvas, const double a[2], const double b[2],
                          double radius);
/* Draws a line of text; x, y is its top left. The layer must be empty. */
void viewer_canvas_text(mrwi_overlay_canvas *canvas, int x, int y, const char *text,
                        mrwi_overlay_color color);
int viewer_canvas_text_width(const mrw_image *image, const char *text); /* pixels */
/* Draws text in as many lines as the width needs, broken between words. plate: draw a dark plate
 * behind each line. Returns the number of lines. */
int viewer_canvas_paragraph(mrwi_overlay_canvas *canvas, int x, int y, int width, bool plate,
                            const char *text, mrwi_overlay_color color);
int viewer_canvas_paragraph_lines(const mrw_image *image, int width, bool plate, const char *text);

/* ---- the viewer itself ----------------------------------------------------------------------- */

/* A file that was read for the model, and its state at that time. */
typedef struct viewer_watched {
    char *path;
    bool there;
    struct timespec changed; /* time of the last change */
    off_t size;
} viewer_watched;

/* A command line and its options. All are kept until the viewer ends, because caches borrow them.
 */
typedef struct viewer_base {
    viewer_words words;
    mrw_settings settings;      /* parsed from the words */
    viewer_arguments arguments; /* the words as options; keys change these */
    struct viewer_base *next;   /* next older command line */
} viewer_base;

/* A model that is being loaded. */
typedef struct viewer_loading {
    viewer_base *base; /* options that come with the model; NULL: the current ones stay */
    bool running;      /* true from the request until its result is taken */
    bool again;        /* same file as before: keep camera and time */
    bool threaded;
    pthread_t thread;
    _Atomic bool done;
    char *path;
    viewer_watched *watched;
    size_t watched_count;
    const mrw_scene *scene;
    mrw_status status;
    mrw_error error;
    _Atomic uint64_t parts; /* parts of the current file << 32 | parts that are read */
    _Atomic bool ready;     /* the model is read; it is being prepared for drawing */
    int shading;            /* mrw_shading to prepare for; -1: the one of its options */
    size_t failure;         /* failure of viewer_results that it shows, from 1; 0: none */
} viewer_loading;

/* The command line that is drawn: its session, and its text in parts. */
typedef struct viewer_drawn_line {
    viewer_base *base;     /* the line that the session was begun with */
    char *key;             /* that line without camera, lights and time */
    char *view;            /* the camera's options */
    char *shine;           /* the options --light */
    mrw_light_def *lights; /* moved lights that replace the session's; NULL: it has its own */
    mrw_session_model model;
    mrw_session session;
    bool begun; /* model and session are initialised */
    bool aimed; /* the camera was placed, for `clip` */
    uint32_t clip;
} viewer_drawn_line;

/* The pictures that were drawn last. */
typedef struct viewer_pictures {
    double time; /* viewer_clock.play_time of the picture */
    mrw_image picture;
    uint8_t *subject; /* mask of the picture's subject; NULL: it has none */
    bool valid;
    bool coarse;     /* the picture has one sample per pixel, because something moves */
    mrw_image other; /* picture of the other backend, while the two are compared */
    bool other_valid;
    mrw_image ids, triangles; /* targets for clicks and edges */
    bool ids_valid;
} viewer_pictures;

/* The session and its backends, and the pictures that they drew last. */
typedef struct viewer_drawing {
    mrw_session_cache *cache;
    mrw_crew *crews[2];     /* one for each backend; NULL until it first draws */
    mrw_renderer *renderer; /* poses instances for overlays */
    viewer_drawn_line line;
    viewer_pictures last;
    bool exact;         /* the next picture gets all samples */
    bool drawing_other; /* `receive` puts the picture into `last.other` */
    bool only_ids;      /* `receive` keeps the targets and not the picture */
} viewer_drawing;

/* Values that keys have replaced and bring back; NULL: none yet. All owned. */
typedef struct viewer_look {
    const viewer_base *base;                  /* the command line with these values */
    bool environment_behind;                  /* the line has --env-background */
    char *ground;                             /* the colour, or "" */
    char *blur;                               /* value of its --env-blur; NULL: not given */
    char *tonemap, *environment, *background; /* values on the command line; "": not given */
} viewer_look;

/* All that lies over the picture: lists, text and marks. */
typedef struct viewer_overlay {
    bool help, clips, skeleton, edges;
    bool hint;       /* name a few keys, because none was pressed yet */
    uint32_t chosen; /* selected clip in the list; MRW_NONE: no clip matches */
    char filter[64]; /* text that the names in the list must contain */
    int help_from;   /* first visible row of the list of keys */
    char message[512];
    bool bad;             /* the message is an error */
    double message_until; /* viewer_window.now at which the message goes */
    uint32_t still;       /* nodes that only other clips move; 0: do not offer to play all */
    char picked[3][200];  /* lines about the clicked triangle; "" in the first: none */
    uint32_t picked_node;
    mrw_image image;    /* the window's pixels */
    float *mask;        /* the layer of a canvas over `image`; owned */
    size_t mask_pixels; /* pixels that `mask` has room for */
    bool dirty;         /* `image` must be drawn again */
} viewer_overlay;

typedef enum viewer_drag {
    VIEWER_DRAG_NONE,
    VIEWER_DRAG_ORBIT, /* in flight mode: looks around */
    VIEWER_DRAG_PAN,
    VIEWER_DRAG_ZOOM,
    VIEWER_DRAG_TIME,
    VIEWER_DRAG_LIGHT,      /* moves the picked light, or turns a directional one */
    VIEWER_DRAG_LIGHT_TURN, /* turns a spot */
    VIEWER_DRAG_LIGHT_AWAY  /* moves the light nearer or farther along the view */
} viewer_drag;

/* The mouse, in pixels of the window. */
typedef struct viewer_mouse {
    double x, y;
    double press_x, press_y; /* position of the last press */
    viewer_drag drag;
    bool moved; /* the drag went too far for a click */
} viewer_mouse;

/* Lights that can be moved. */
typedef struct viewer_lights {
    uint32_t picked; /* index among the placed lights of --light; MRW_NONE: none */
    bool adopted;    /* the options of the base contain lights of the model's file */
} viewer_lights;

/* How two pictures share the window. */
typedef enum viewer_layout {
    VIEWER_ALONE, /* there is one picture */
    VIEWER_SIDES, /* the middle of each, side by side */
    VIEWER_SWIPE, /* with a border that the mouse moves */
    VIEWER_BLINK, /* half a second each */
    VIEWER_DIFFERENCE,
    VIEWER_LAYOUT_COUNT
} viewer_layout;

/* The other picture's source. */
typedef enum viewer_source {
    VIEWER_BESIDE,   /* drawn by viewer_pair.beside: another model or clip */
    VIEWER_BACKENDS, /* the same picture, drawn by the other backend */
    VIEWER_GOLDEN    /* the golden of a case, read from a file */
} viewer_source;

/* The other picture. */
typedef struct viewer_pair {
    viewer_layout layout;
    viewer_source source;
    viewer *beside;     /* a viewer without a window; NULL: none yet. Owned */
    viewer_box box;     /* bounding box of the clip of `beside` */
    char *kept_path;    /* file of the kept clip; NULL: compare with the next model. Owned */
    uint32_t kept_clip; /* the kept clip; MRW_NONE: the file has no clip */
    int border;         /* column of the border of VIEWER_SWIPE */
    uint64_t differing; /* number of pixels that differ */
    int furthest;       /* largest difference in a channel, 0..255 */
} viewer_pair;

#define VIEWER_FADE_CLIPS 4

/* The fade from clip to clip. */
typedef struct viewer_fade {
    bool on;                           /* a new clip fades in */
    uint32_t clips[VIEWER_FADE_CLIPS]; /* clips that play now; the last one fades in */
    double weights[VIEWER_FADE_CLIPS]; /* weights at the beginning of the fade; their sum is 1 */
    uint32_t count;                    /* number of clips; 0: no fade runs */
    double elapsed;                    /* seconds since the beginning */
    double time;                       /* common time of all clips, not wrapped */
    double shown;                      /* viewer_clock.time of the fade: another ends it */
} viewer_fade;

/* Pictures per second while a clip plays. */
typedef struct viewer_rate {
    double since;        /* viewer_window.now at the start of the count */
    uint32_t count;      /* pictures since then */
    uint32_t per_second; /* pictures in the second before; 0: unknown */
} viewer_rate;

/* A picture of `marrow test` that differs from its golden. */
typedef struct viewer_failure {
    size_t index; /* index of the case among the results */
    size_t frame; /* frame of the case; its frame_count: nothing was drawn */
    bool accepted;
} viewer_failure;

/* A folder of results; none: count is 0. */
typedef struct viewer_results {
    char *folder; /* owned */
    mrw_results read;
    viewer_failure *failures; /* owned */
    size_t count;
    size_t at;        /* the current failure */
    bool shown;       /* the model is the one of failure `at` */
    bool looked;      /* the golden of that failure was searched for */
    mrw_image golden; /* empty: not found */
} viewer_results;

/* The clip that plays. */
typedef struct viewer_playback {
    uint32_t clip; /* the current clip; MRW_NONE: the model has none */
    viewer_clock clock;
    viewer_fade fade;
    uint32_t together_from; /* clip to return to after all played together */
} viewer_playback;

/* The state that decides which picture is drawn: viewer_line_make writes it as a line. */
typedef struct viewer_state {
    char *path;  /* file of the model; owned */
    bool second; /* draw with the second backend */
    char shading[256];
    char before_weights[256]; /* shading before a click replaced it by weights; "": none */
    /* Shading that a second press of w, u, n or j returns to; "" stands for lit. */
    char before_glance[256];
    uint32_t width, height; /* pixels of the picture; a window of results may be larger */
    viewer_camera camera;
    viewer_box box;
    viewer_playback play;
} viewer_state;

/* The model that is shown, and the one that is being loaded. */
typedef struct viewer_loaded {
    viewer_base *base; /* command lines, the newest first */
    const mrw_scene *scene;
    mrw_session_model model; /* the scene with the settings of `base` */
    viewer_watched *watched; /* files of the model */
    size_t watched_count;
    viewer_loading loading;
} viewer_loaded;

/* Flight by keys. */
typedef struct viewer_flight {
    bool on;       /* keys fly without Shift */
    int speed;     /* doublings of the speed; halvings below 0 */
    unsigned held; /* held directions: bits by the values of `fly` in keys.c */
} viewer_flight;

/* The window and its input. */
typedef struct viewer_window {
    uint32_t width, height; /* pixels; 0: not decided yet */
    double now;             /* sum of all ticks, in seconds */
    viewer_mouse mouse;
    viewer_flight flight;
    viewer_rate rate;
    char title[512];
    char *copied; /* text for the clipboard; owned */
    bool done;    /* the user wants to leave */
} viewer_window;

struct viewer {
    viewer_def def;
    viewer_loaded loaded;
    viewer_state state;
    viewer_drawing drawing;
    viewer_overlay overlay;
    viewer_pair pair;
    viewer_lights lights;
    viewer_results results;
    viewer_look look;
    viewer_window window;
};

/* viewer.c */
/* Returns pixels of the window per pixel of the picture: above 1 for small pictures of results. */
uint32_t viewer_scale(const viewer *v);
/* Finds the first pixel of the picture in the window. */
void viewer_origin(const viewer *v, int *x, int *y);
/* Decides the size of the window: the size of the picture. For results it is the size of the first
 * case, enlarged by a whole number; a case that is larger makes the window larger. */
void viewer_decide_window(viewer_window *window, const viewer_state *state, bool results);

/* line.c: the state as a line, and back. */

/* A line in parts that change one without the other. */
typedef struct viewer_line_parts {
    viewer_words words; /* the whole line */
    size_t time_at;     /* index of the word that is the time; 0: none */
    size_t light_from;  /* first word of the options --light, which stand together */
    size_t light_count;
    size_t camera_from; /* first word of the camera's options */
} viewer_line_parts;

/* Writes the state as a line. to_draw: with options that change no picture, such as --jobs. The
 * caller frees out->words. */
mrw_status viewer_line_make(const viewer *v, bool to_draw, viewer_line_parts *out,
                            mrw_error *error);
mrw_status viewer_base_read(int argc, const char *const *argv, viewer_base **out, mrw_error *error);
void viewer_base_free(viewer_base *base);
mrw_status viewer_line_take(viewer *v, const char *line, mrw_error *error); /* Ctrl+V */
mrw_status viewer_line_append(const viewer *v, char *file, size_t size, mrw_error *error);

/* Writes a value of --clip that finds this clip alone: its name, or else its number. */
void viewer_line_clip(const viewer *v, uint32_t clip, char *out, size_t size);

/* fade.c */
/* Begins the fade from old_clip, at `time`, to the clip of the state. Clips of a fade that still
 * runs go on fading out. */
void viewer_fade_begin(viewer_playback *play, uint32_t old_clip, double time);
void viewer_fade_end(viewer_playback *play);
bool viewer_fade_runs(const viewer_playback *play);
/* Advances the fade; after that the overlay is dirty if the clip plays. Returns false without a
 * fade: then the clock must tick. */
bool viewer_fade_tick(viewer_playback *play, double seconds);
void viewer_fade_write(const viewer *v, viewer_words *out); /* --blend in place of --clip */
mrw_status viewer_fade_switch(viewer *v, int value, mrw_error *error);

/* together.c */
/* Counts nodes that stand still although other clips move them. Only clips count that share no
 * moving node with the current clip. */
uint32_t viewer_together_still(const viewer *v);
mrw_status viewer_together_switch(viewer *v, int value, mrw_error *error);

/* load.c */
/* Requests a model. base: options that come with it, owned by the viewer on success; or NULL. */
mrw_status viewer_load(viewer *v, const char *path, bool again, viewer_base *base,
                       mrw_error *error);
/* Writes the progress of a load: "3 of 9 parts read". Returns it as 0..1; 0: unknown. */
double viewer_load_progress(const viewer_loading *loading, char out[80]);
/* Starts a load that was requested, and takes its result when it is done. wait: waits for that. */
mrw_status viewer_load_poll(viewer *v, bool wait, mrw_error *error);
mrw_status viewer_load_neighbour(viewer *v, int step, mrw_error *error);
mrw_status viewer_model_use(viewer *v, bool again, mrw_error *error);
void viewer_watched_free(viewer_watched *items, size_t count);

/* picture.c */
/* Draws the picture of the state unless it is there. */
mrw_status viewer_picture(viewer *v, mrw_error *error);
/* Draws the same with the other backend. Call viewer_picture first. */
mrw_status viewer_picture_other(viewer *v, mrw_error *error);
/* Draws the targets that tell node and triangle of each pixel. */
mrw_status viewer_picture_ids(viewer *v, mrw_error *error);
mrw_status viewer_picture_camera(const viewer_drawing *d, mrw_camera *out,
                                 const mrw_posed_instance **posed, mrw_error *error);
/* Finds the bounding box of the clip, unless it is known. */
mrw_status viewer_picture_box(const viewer_drawing *d, viewer_box *box, mrw_error *error);
/* Finds the box, then camera and poses. */
mrw_status viewer_picture_place(const viewer_drawing *d, viewer_box *box, mrw_camera *out,
                                const mrw_posed_instance **posed, mrw_error *error);
mrw_status viewer_picture_save(viewer *v, char *file, size_t size, mrw_error *error);
/* Ends the session. current: the current command line, behind which the session's is kept if the
 * cache may borrow from it. */
void viewer_drawing_end(viewer_drawing *d, viewer_base *current);
void viewer_drawing_forget(viewer_drawing *d); /* frees models that the second backend keeps */

/* pair.c */
/* Draws the picture, and the other one if the layout shows two. A failure goes back to one. */
mrw_status viewer_pair_picture(viewer *v, mrw_error *error);
mrw_status viewer_pair_show(viewer *v, viewer_layout layout, viewer_source source,
                            mrw_error *error);
mrw_status viewer_pair_keep(viewer *v, mrw_error *error); /* compare with the current clip */
bool viewer_pair_has_beside(const viewer *v);             /* true with something to compare with */
const mrw_image *viewer_pair_image(const viewer *v);      /* the other picture; NULL: none */
bool viewer_pair_blinks(const viewer *v);                 /* true during the other's half second */
void viewer_pair_names(const viewer *v, char a[200], char b[200]);
void viewer_pair_forget(viewer_pair *pair); /* frees `beside`; it is loaded again when needed */

/* lights.c */
typedef struct viewer_light_place {
    double position[3], direction[3]; /* in the world */
} viewer_light_place;

mrw_status viewer_lights_next(viewer *v, int value, mrw_error *error);
mrw_status viewer_lights_add(viewer *v, int value, mrw_error *error);
mrw_status viewer_lights_drag(viewer *v, double dx, double dy, viewer_drag drag, mrw_error *error);
/* Returns a light's place in the world. Its direction is a unit vector, or zeros. */
viewer_light_place viewer_lights_place(const mrw_light_def *def, const mrw_camera *camera,
                                       const mrw_posed_instance *posed);
void viewer_lights_describe(const viewer *v, char *out, size_t size); /* picked light, or "" */
/* Drops options that came from the lights of the model before. */
mrw_status viewer_lights_forget(viewer_lights *lights, viewer_base *base, mrw_error *error);

/* results.c */
bool viewer_results_are(const char *path); /* true for a folder */
mrw_status viewer_results_open(viewer_results *results, const char *folder, mrw_error *error);
void viewer_results_free(viewer_results *results);
/* Makes the command line that shows a failure the way its case draws it. */
mrw_status viewer_results_base(const viewer_results *results, size_t at, viewer_base **out,
                               mrw_error *error);
mrw_status viewer_results_go(viewer *v, int step, mrw_error *error);
/* Tells which failure the new model shows, from 1; 0: none. */
void viewer_results_take_up(viewer *v, size_t failure);
/* Reads the golden, once. channels: those of the picture. */
mrw_status viewer_results_golden(viewer_results *results, uint32_t channels, mrw_error *error);
/* Returns `out` with the reason why the golden is not shown. Returns NULL if it is shown, or if it
 * was not asked for. */
const char *viewer_results_lack(const viewer *v, char *out, size_t size);
void viewer_results_describe(const viewer *v, char *out, size_t size); /* "": none is shown */
mrw_status viewer_results_accept(viewer *v, int value, mrw_error *error);

/* look.c: values of viewer_look_switch */
enum { VIEWER_LOOK_GROUND, VIEWER_LOOK_SHADOWS, VIEWER_LOOK_AO };
mrw_status viewer_look_switch(viewer *v, int which, mrw_error *error);
mrw_status viewer_look_exposure(viewer *v, int by, mrw_error *error); /* half stops */
mrw_status viewer_look_rotate(viewer *v, int by, mrw_error *error);   /* 15 degrees */
mrw_status viewer_look_tonemap(viewer *v, int value, mrw_error *error);
mrw_status viewer_look_environment(viewer *v, int value, mrw_error *error);
mrw_status viewer_look_background(viewer *v, int value, mrw_error *error);
mrw_status viewer_look_next(viewer *v, int value, mrw_error *error);
/* Returns the value of a switch, "" if it has none or the look sets it, or NULL if it is off. */
const char *viewer_look_switched_on(const viewer_arguments *arguments, const char *name);
/* Sets the shading mode of the command line, or else that of the look. */
mrw_status viewer_look_set_shading(viewer *v);
/* Makes options of the look's lights, so that they can be changed. */
mrw_status viewer_look_write_lights(viewer *v, mrw_error *error);
mrw_status viewer_look_overlay(viewer *v, int overlay, mrw_error *error); /* mrw_overlay */
void viewer_look_free(viewer_look *look);

/* pick.c */
mrw_status viewer_pick(viewer *v, double x, double y, mrw_error *error);

/* overlay.c */
mrw_status viewer_overlay_draw(viewer *v, mrw_error *error);
int viewer_overlay_timeline(const viewer *v); /* height in pixels; 0: not shown */
/* Returns false if the picture has another size than the state asks for, because no new one is
 * drawn while another model is loaded. Then no overlay of the model is drawn. */
bool viewer_overlay_fits(const viewer *v);
uint64_t viewer_overlay_frame_at(const viewer *v, double x);
uint32_t viewer_overlay_clip_at(const viewer *v, double x, double y); /* MRW_NONE: none */
/* Returns the clip that is so many rows from the chosen one in the list, at its ends at most. */
uint32_t viewer_overlay_choose(const viewer *v, int rows);
/* Returns the chosen clip, or the first one if the filter hides it. */
uint32_t viewer_overlay_filter(const viewer *v);
int viewer_overlay_rows(const viewer *v); /* rows that fit into a list */

/* marks.c */
/* Draws skeletons like --overlay skeleton, and a disc on the joint that was clicked. */
mrw_status viewer_marks_skeletons(const viewer *v, mrwi_overlay_canvas *canvas, mrw_error *error);
/* Draws all lights, the picked one in another colour. Call viewer_picture_box first. */
mrw_status viewer_marks_lights(const viewer *v, mrwi_overlay_canvas *canvas, mrw_error *error);
/* Finds a point of the world in a picture of the image's size, in pixels. Returns false for a
 * point behind the camera. */
bool viewer_marks_project(const mrw_camera *camera, const mrw_image *image, const float *p,
                          double out[2]);

/* edges.c */
mrw_status viewer_edges_draw(const viewer *v, mrw_image *image,
                             mrw_error *error); /* after viewer_picture_ids */

/* keys.c */
mrw_status viewer_keys_press(viewer *v, int key, int modifiers, mrw_error *error);
void viewer_keys_release(viewer_flight *flight, int key);
/* Moves the camera along the directions that are held. At speed 1 it covers the distance to its
 * target each second. */
mrw_status viewer_keys_fly(viewer *v, double seconds, mrw_error *error);
double viewer_keys_flight(const viewer_flight *flight); /* the speed of flight */
void viewer_keys_type(viewer *v, const char *text);     /* appends to the filter of the clips */

/* viewer.c */
void viewer_tell(viewer *v, bool bad, const char *format, ...) MRW_PRINTF(3, 4);
/* Places near and far planes of a FREE camera around a new clip. */
mrw_status viewer_clip_planes(viewer *v, mrw_error *error);
mrw_status viewer_set_clip(viewer *v, uint32_t clip, mrw_error *error);
mrw_status viewer_set_shading(viewer_state *state, const char *shading);
mrw_status viewer_make_free(viewer *v, mrw_error *error);
double viewer_fov(const viewer *v);

#endif
