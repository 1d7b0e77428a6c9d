/* internal.h: what the files of the viewer share. */
#ifndef VIEWER_INTERNAL_H
#define VIEWER_INTERNAL_H

#include "viewer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

/* ---- text.c ---------------------------------------------------------------------------------- */

mrw_status viewer_fail(mrw_error *error, mrw_status status, const char *format, ...)
    MRW_PRINTF(3, 4);
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

/* Takes a line apart that mrw_settings_parse has understood, but for options that `view` has not.
 * Free it, after failures too. */
mrw_status viewer_arguments_read(viewer_arguments *out, int argc, const char *const *argv,
                                 mrw_error *error);
void viewer_arguments_free(viewer_arguments *arguments);
const char *viewer_arguments_find(const viewer_arguments *arguments, const char *name);
mrw_status viewer_arguments_add(viewer_arguments *out, const char *name, const char *value,
                                mrw_error *error); /* value: NULL, or copied */
void viewer_arguments_remove(viewer_arguments *arguments, const char *name);
/* Options of one name become those of `as`. */
mrw_status viewer_arguments_follow(viewer_arguments *arguments, const viewer_arguments *as,
                                   const char *name, mrw_error *error);

/* argv in the making: each owned, a NULL behind them. Zero-initialise. */
typedef struct viewer_words {
    char **items;
    size_t count;
    bool failed;
} viewer_words;

void viewer_words_add(viewer_words *words, const char *word);
void viewer_words_option(viewer_words *words, const char *name, const char *value);
void viewer_words_free(viewer_words *words);
/* Splits a line as a shell does: quotes, backslashes; false for a quote that does not end. */
bool viewer_words_split(viewer_words *words, const char *line);
/* The opposite. */
void viewer_words_join(const viewer_words *words, mrw_text *out);

/* ---- camera.c -------------------------------------------------------------------------------- */

typedef enum viewer_camera_kind {
    VIEWER_CAMERA_GIVEN,  /* as the command line says */
    VIEWER_CAMERA_FRAMED, /* the clip, from a direction */
    VIEWER_CAMERA_FREE    /* around a target */
} viewer_camera_kind;

/* Angles in degrees, lengths in units of the world. */
typedef struct viewer_camera {
    viewer_camera_kind kind;
    double azimuth, elevation; /* FRAMED, FREE */
    bool orthographic;
    double fov;       /* of perspectives; 0: the line's, or the usual one */
    double target[3]; /* FREE */
    double distance;  /* FREE: of the eye */
    double height;    /* FREE, orthographic: of what is seen */
} viewer_camera;

/* The box of a clip, for near and far. */
typedef struct viewer_box {
    bool known;
    float min[3], max[3];
} viewer_box;

void viewer_box_widen(viewer_box *box, const viewer_box *by);
void viewer_camera_orbit(viewer_camera *camera, double dx, double dy); /* pixels */
void viewer_camera_look(viewer_camera *camera, double dx, double dy);  /* from where it stands */
void viewer_camera_pan(viewer_camera *camera, double dx, double dy, double fov,
                       uint32_t height); /* pixels, of a picture of that height */
void viewer_camera_zoom(viewer_camera *camera, double notches);
void viewer_camera_frame(viewer_camera *camera, double azimuth, double elevation);
void viewer_camera_project(viewer_camera *camera, double fov); /* parallel, or not any more */
/* Makes FREE of what a camera sees; box: what it looks at. keep_angles: they are known. */
void viewer_camera_free(viewer_camera *camera, const mrw_camera *seen, const viewer_box *box,
                        bool keep_angles);
/* Moves through the world: right, up, forward, in shares of the distance. */
void viewer_camera_fly(viewer_camera *camera, double right, double up, double forward);
/* Adds its options to a line. arguments: those of the command line. */
void viewer_camera_write(const viewer_camera *camera, const viewer_arguments *arguments,
                         const viewer_box *box, bool far_away, viewer_words *out);

/* ---- clock.c --------------------------------------------------------------------------------- */

typedef enum viewer_repeat { VIEWER_LOOP, VIEWER_PINGPONG, VIEWER_ONCE } viewer_repeat;

/* Of viewer_clock.speed. */
#define VIEWER_SLOWEST (-4)
#define VIEWER_FASTEST 3

/* Where in a clip the viewer is. Frames are those of the rate. */
typedef struct viewer_clock {
    double duration; /* seconds */
    mrw_rate rate;
    uint64_t last; /* frame */
    double *keys;  /* times of keys, increasing, each once; owned */
    size_t key_count;
    double time;      /* shown */
    double play_time; /* the same, but of --wrap loop not wrapped: each clip of a mix loops by
                         itself */
    uint64_t frame;   /* nearest to it */
    uint64_t in, out;
    bool playing;
    bool backward;
    viewer_repeat repeat;
    int speed;      /* halvings below 0, doublings above */
    uint64_t phase; /* of the frame at hand: microseconds times frames, in 16ths */
} viewer_clock;

mrw_status viewer_clock_begin(viewer_clock *clock, const mrw_session_model *model, uint32_t clip,
                              mrw_error *error); /* keeps how it plays */
void viewer_clock_free(viewer_clock *clock);
void viewer_clock_tick(viewer_clock *clock, uint64_t microseconds);
void viewer_clock_to_frame(viewer_clock *clock, uint64_t frame);
void viewer_clock_to_time(viewer_clock *clock, double time);
void viewer_clock_step(viewer_clock *clock, int frames);
void viewer_clock_to_key(viewer_clock *clock, bool next);
double viewer_clock_speed(const viewer_clock *clock);

/* ---- canvas.c: into a picture of 3 channels -------------------------------------------------- */

typedef struct viewer_color {
    uint8_t r, g, b, a; /* sRGB, straight */
} viewer_color;

/* How text looks in a window: in small ones it is small. */
typedef struct viewer_text {
    int scale; /* pixels of a pixel of the font */
    int line;  /* pixels from a line to the next */
    int above; /* of these above the letters */
} viewer_text;

viewer_text viewer_canvas_text_of(uint32_t width, uint32_t height);

void viewer_canvas_rect(mrw_image *image, int x, int y, int width, int height, viewer_color color);
void viewer_canvas_line(mrw_image *image, double x0, double y0, double x1, double y1, double radius,
                        viewer_color color);
void viewer_canvas_disc(mrw_image *image, double x, double y, double radius, viewer_color color);
void viewer_canvas_text(mrw_image *image, int x, int y, const char *text, viewer_color color);
int viewer_canvas_text_width(const mrw_image *image, const char *text);
/* Text in as many lines as its width asks for, broken between words; plate: on dark plates. Returns
 * the number of lines. */
int viewer_canvas_paragraph(mrw_image *image, int x, int y, int width, bool plate, const char *text,
                            viewer_color color);
int viewer_canvas_paragraph_lines(const mrw_image *image, int width, bool plate, const char *text);

/* ---- the viewer itself ----------------------------------------------------------------------- */

/* A file that was read for the model. */
typedef struct viewer_watched {
    char *path;
    bool there;
    struct timespec changed;
    off_t size;
} viewer_watched;

/* What a command line has brought: options stay until the end, for caches borrow them. */
typedef struct viewer_base {
    viewer_words words;
    mrw_settings settings; /* of these */
    viewer_arguments arguments;
    struct viewer_base *next; /* an older one */
} viewer_base;

/* A model that is being loaded. */
typedef struct viewer_loading {
    viewer_base *base; /* options that come with it; NULL: those of before */
    bool running;      /* a thread is at work, or its result was not taken */
    bool again;        /* the same file as before: keep camera and time */
    bool threaded;
    pthread_t thread;
    _Atomic bool done;
    char *path;
    viewer_watched *watched;
    size_t watched_count;
    const mrw_scene *scene;
    mrw_status status;
    mrw_error error;
    _Atomic uint64_t parts; /* of the file at hand: how many there are << 32 | are read */
    _Atomic bool ready;     /* it is read, and made ready for drawing */
    int shading;            /* mrw_shading that it is to be drawn with; -1: that of its options */
    size_t failure;         /* of viewer_results that it is for, from 1; 0: none */
} viewer_loading;

/* What is drawn, and what was. */
typedef struct viewer_drawing {
    mrw_session_cache *cache;
    mrw_crew *crews[2];     /* of the backends */
    mrw_renderer *renderer; /* poses for overlays */
    viewer_base *base;      /* of the line that the session was begun with */
    char *key;              /* the line but for camera, lights and time */
    char *view;             /* the camera's options */
    char *shine;            /* those of --light */
    mrw_light_def *lights;  /* that took the place of the session's; NULL: its own */
    mrw_session_model model;
    mrw_session session;
    bool begun, aimed;
    uint32_t clip; /* that the camera was placed for */
    double time;
    mrw_image picture;
    uint8_t *subject; /* of the picture */
    bool valid;
    bool coarse;     /* the picture has one sample per pixel, because something moves */
    bool exact;      /* the next picture gets all samples */
    mrw_image other; /* of the other backend, while they are compared */
    bool other_valid;
    bool drawing_other;       /* what is being drawn goes there */
    mrw_image ids, triangles; /* of a click, or of edges */
    bool ids_valid, only_ids; /* what is being drawn is for them alone */
} viewer_drawing;

/* Values that keys have replaced and bring back; NULL: none yet. All owned. */
typedef struct viewer_look {
    const viewer_base *base;                  /* the command line that they are from */
    bool environment_behind;                  /* it has --env-background */
    char *ground;                             /* the colour, or "" */
    char *tonemap, *environment, *background; /* values on the command line; "": not given */
} viewer_look;

/* What lies over the picture, and the mouse. */
typedef struct viewer_overlay {
    bool help, clips, skeleton, edges;
    bool hint;       /* name a few keys: none was pressed yet */
    uint32_t chosen; /* in the list of clips; MRW_NONE: no clip matches */
    char filter[64]; /* text that the names in the list must contain */
    int help_from;   /* first row */
    char message[512];
    bool bad;
    double message_until;
    uint32_t still;      /* nodes that other clips move; 0: nothing is offered */
    char picked[3][200]; /* lines about what was clicked */
    uint32_t picked_node;
    mrw_image image;
    bool dirty;
} viewer_overlay;

typedef enum viewer_drag {
    VIEWER_DRAG_NONE,
    VIEWER_DRAG_ORBIT, /* in flight: looks around */
    VIEWER_DRAG_PAN,
    VIEWER_DRAG_ZOOM,
    VIEWER_DRAG_TIME,
    VIEWER_DRAG_LIGHT,      /* the light that was picked: moves it, or turns a directional one */
    VIEWER_DRAG_LIGHT_TURN, /* turns a spot */
    VIEWER_DRAG_LIGHT_AWAY  /* nearer or farther along the view */
} viewer_drag;

typedef struct viewer_mouse {
    double x, y;
    double press_x, press_y;
    viewer_drag drag;
    bool moved;
} viewer_mouse;

/* Lights that can be moved. */
typedef struct viewer_lights {
    uint32_t picked; /* of those of --light, in its order; MRW_NONE: none */
    bool adopted;    /* the options of the base have lights of the model's file */
} viewer_lights;

/* How two pictures share the window. */
typedef enum viewer_layout {
    VIEWER_ALONE, /* it is one */
    VIEWER_SIDES, /* the middle of each */
    VIEWER_SWIPE, /* with a border that the mouse moves */
    VIEWER_BLINK, /* half a second each */
    VIEWER_DIFFERENCE,
    VIEWER_LAYOUT_COUNT
} viewer_layout;

/* What the other picture is. */
typedef enum viewer_source {
    VIEWER_BESIDE,   /* drawn by `beside` */
    VIEWER_BACKENDS, /* the same drawn by the other backend */
    VIEWER_GOLDEN    /* a file of results */
} viewer_source;

/* The other picture. */
typedef struct viewer_pair {
    viewer_layout layout;
    viewer_source source;
    viewer *beside;     /* has no window; or NULL. Owned */
    viewer_box box;     /* of its clip */
    char *kept_path;    /* of a clip that was kept; NULL: the next model of the line. Owned */
    uint32_t kept_clip; /* or MRW_NONE */
    int border;         /* of VIEWER_SWIPE: a column */
    uint64_t differing; /* pixels, in colour by up to `furthest` */
    int furthest;
} viewer_pair;

#define VIEWER_FADE_CLIPS 4

/* From clip to clip. */
typedef struct viewer_fade {
    bool on;                           /* clips fade */
    uint32_t clips[VIEWER_FADE_CLIPS]; /* of those that play now; the last one comes */
    double weights[VIEWER_FADE_CLIPS]; /* when the fade began; their sum is 1 */
    uint32_t count;                    /* 0: none is under way */
    double elapsed;                    /* seconds */
    double time;                       /* of all of them, not wrapped */
    double shown;                      /* of the clock: another one ends the fade */
} viewer_fade;

/* Pictures per second while it plays. */
typedef struct viewer_rate {
    double since;        /* start of the count, by viewer.now */
    uint32_t count;      /* pictures since then */
    uint32_t per_second; /* pictures in the second before; 0: unknown */
} viewer_rate;

/* A picture of `marrow test` that is not its golden. */
typedef struct viewer_failure {
    size_t index; /* of the case among results */
    size_t frame; /* of the case; its frame_count: nothing was drawn */
    bool accepted;
} viewer_failure;

/* A folder of results; none: count is 0. */
typedef struct viewer_results {
    char *folder; /* owned */
    mrw_results read;
    viewer_failure *failures; /* owned */
    size_t count;
    size_t at;
    bool shown;       /* the model is that of failure `at` */
    bool looked;      /* for its golden picture */
    mrw_image golden; /* or empty */
} viewer_results;

/* What the picture shows. */
typedef struct viewer_state {
    char *path;    /* of the model; owned */
    uint32_t clip; /* or MRW_NONE */
    bool second;   /* drawn by the other backend */
    char shading[256];
    char before_weights[256]; /* the shading that a click took the place of */
    /* Shading that a second press of w, u, n or j returns to; "" stands for lit. */
    char before_glance[256];
    uint32_t width, height; /* The picture has these; the window of results has more. */
    viewer_camera camera;
    viewer_clock clock;
    viewer_box box;
} viewer_state;

struct viewer {
    viewer_def def;
    viewer_base *base; /* the newest first */
    const mrw_scene *scene;
    mrw_session_model model; /* of base's settings */
    viewer_state state;
    uint32_t window_width, window_height; /* pixels; 0: not decided yet */
    viewer_drawing drawing;
    viewer_overlay overlay;
    viewer_pair pair;
    viewer_lights lights;
    viewer_results results;
    viewer_fade fade;
    viewer_look look;
    viewer_rate rate;
    bool flight;            /* keys fly without Shift */
    int flight_speed;       /* doublings of its speed */
    unsigned held;          /* ways that it flies now: bits by the values of viewer_keys_fly */
    uint32_t together_from; /* the clip before all of them */
    viewer_mouse mouse;
    viewer_loading loading;
    viewer_watched *watched;
    size_t watched_count;
    double now; /* seconds of ticks */
    bool done;
    char *copied;
    char title[512];
};

/* viewer.c */
/* Pixels of the window per pixel of the picture: above 1 for small pictures of results. */
uint32_t viewer_scale(const viewer *v);
/* Finds the first pixel of the picture in the window. */
void viewer_origin(const viewer *v, int *x, int *y);
/* Decides the size of the window: that of the picture; for results, of the first case in whole
 * pixels, or of a case that is larger. */
void viewer_decide_window(viewer *v);

/* line.c: the state as a line, and back. */

/* A line in parts that change one without the other. */
typedef struct viewer_line_parts {
    viewer_words words; /* all of them */
    size_t time_at;     /* the word that is the time; 0: none */
    size_t light_from;  /* words of --light, which stand together */
    size_t light_count;
    size_t camera_from; /* the first word of the camera's options */
} viewer_line_parts;

/* to_draw: with what changes no picture, such as --jobs. Free the words. */
mrw_status viewer_line_make(const viewer *v, bool to_draw, viewer_line_parts *out,
                            mrw_error *error);
mrw_status viewer_base_read(int argc, const char *const *argv, viewer_base **out, mrw_error *error);
void viewer_base_free(viewer_base *base);
mrw_status viewer_line_take(viewer *v, const char *line, mrw_error *error); /* Ctrl+V */
mrw_status viewer_line_append(viewer *v, char *file, size_t size, mrw_error *error);

/* What finds a clip, and no other: its name, or its number. */
void viewer_line_clip(const viewer *v, uint32_t clip, char *out, size_t size);

/* fade.c */
/* The state has a new clip; `time` is that of the old one. */
void viewer_fade_begin(viewer *v, uint32_t old_clip, double time);
void viewer_fade_end(viewer *v);
bool viewer_fade_runs(const viewer *v);
bool viewer_fade_tick(viewer *v, double seconds); /* false: there is none, the clock ticks */
void viewer_fade_write(const viewer *v, viewer_words *out); /* in place of --clip */
mrw_status viewer_fade_switch(viewer *v, int value, mrw_error *error);

/* together.c */
/* How many nodes other clips move, where these move none that the clip at hand moves. */
uint32_t viewer_together_still(const viewer *v);
mrw_status viewer_together_switch(viewer *v, int value, mrw_error *error);

/* load.c */
/* Asks for a model; base: options that come with it, the viewer's from then on, or NULL. */
mrw_status viewer_load(viewer *v, const char *path, bool again, viewer_base *base,
                       mrw_error *error);
/* How far it is: "3 of 9 parts read". Returns that share, 0 where it is not known. */
double viewer_load_progress(const viewer_loading *loading, char out[80]);
mrw_status viewer_load_poll(viewer *v, bool wait, mrw_error *error);
mrw_status viewer_load_neighbour(viewer *v, int step, mrw_error *error);
mrw_status viewer_model_use(viewer *v, bool again, mrw_error *error);
void viewer_watched_free(viewer_watched *items, size_t count);

/* picture.c */
mrw_status viewer_picture(viewer *v, mrw_error *error);
mrw_status viewer_picture_other(viewer *v, mrw_error *error); /* after it: the other backend's */
mrw_status viewer_picture_ids(viewer *v, mrw_error *error);
mrw_status viewer_picture_camera(viewer *v, mrw_camera *out, const mrw_posed_instance **posed,
                                 mrw_error *error);
mrw_status viewer_picture_box(viewer *v, mrw_error *error);
mrw_status viewer_picture_save(viewer *v, char *file, size_t size, mrw_error *error);
void viewer_drawing_end(viewer *v);    /* the session */
void viewer_drawing_forget(viewer *v); /* what the other backend keeps of models */

/* pair.c */
/* The picture, and the other one where the layout asks for two; on failure it is one again. */
mrw_status viewer_pair_picture(viewer *v, mrw_error *error);
mrw_status viewer_pair_show(viewer *v, viewer_layout layout, viewer_source source,
                            mrw_error *error);
mrw_status viewer_pair_keep(viewer *v, mrw_error *error); /* the clip at hand becomes the other */
bool viewer_pair_has_beside(const viewer *v);             /* a model or clip to compare with */
const mrw_image *viewer_pair_image(const viewer *v);      /* the other picture; NULL: none */
bool viewer_pair_blinks(const viewer *v);                 /* it is the other one's turn */
void viewer_pair_names(const viewer *v, char a[200], char b[200]);
void viewer_pair_forget(viewer *v); /* what is read anew when it is wanted */

/* lights.c */
typedef struct viewer_light_place {
    double position[3], direction[3]; /* in the world */
} viewer_light_place;

mrw_status viewer_lights_next(viewer *v, int value, mrw_error *error);
mrw_status viewer_lights_add(viewer *v, int value, mrw_error *error);
mrw_status viewer_lights_drag(viewer *v, double dx, double dy, viewer_drag drag, mrw_error *error);
viewer_light_place viewer_lights_place(const mrw_light_def *def, const mrw_camera *camera,
                                       const mrw_posed_instance *posed);
void viewer_lights_describe(const viewer *v, char *out, size_t size); /* the one picked, or "" */
/* Options of another model's lights go. */
mrw_status viewer_lights_forget(viewer *v, mrw_error *error);

/* results.c */
bool viewer_results_are(const char *path); /* a folder */
mrw_status viewer_results_open(viewer *v, const char *folder, mrw_error *error);
void viewer_results_free(viewer *v);
/* The line that shows a failure as its case draws it. */
mrw_status viewer_results_base(viewer *v, size_t at, viewer_base **out, mrw_error *error);
mrw_status viewer_results_go(viewer *v, int step, mrw_error *error);
/* The model at hand is that of a failure, from 1; 0: it is not. */
void viewer_results_take_up(viewer *v, size_t failure);
mrw_status viewer_results_golden(viewer *v, mrw_error *error); /* reads it, once */
/* Why the golden is not shown, in `out`; NULL: it is, or nobody asked for it. */
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
mrw_status viewer_look_overlay(viewer *v, int overlay, mrw_error *error); /* mrw_overlay */
void viewer_look_free(viewer *v);

/* pick.c */
mrw_status viewer_pick(viewer *v, double x, double y, mrw_error *error);

/* overlay.c */
mrw_status viewer_overlay_draw(viewer *v, mrw_error *error);
int viewer_overlay_timeline(const viewer *v); /* its height */
/* False where the picture is of another size than the window: no new one is drawn while another
 * model is loaded. Nothing of the model lies over it then. */
bool viewer_overlay_fits(const viewer *v);
uint64_t viewer_overlay_frame_at(const viewer *v, double x);
uint32_t viewer_overlay_clip_at(const viewer *v, double x, double y); /* MRW_NONE: none */
/* Moves the choice in the list of clips by so many rows, to the ends at most. */
void viewer_overlay_choose(viewer *v, int rows);
/* Chooses the first clip if the filter hides the chosen one. */
void viewer_overlay_filter(viewer *v);
int viewer_overlay_rows(const viewer *v); /* rows that fit into a list */

/* Pixels of a point of the world in a picture of the image's size; false behind the camera. */
bool viewer_overlay_project(const mrw_camera *camera, const mrw_image *image, const float *p,
                            double out[2]);

/* edges.c */
mrw_status viewer_edges_draw(viewer *v, mrw_error *error); /* after viewer_picture_ids */

/* keys.c */
mrw_status viewer_keys_press(viewer *v, int key, int modifiers, mrw_error *error);
void viewer_keys_release(viewer *v, int key);
mrw_status viewer_keys_fly(viewer *v, double seconds, mrw_error *error); /* with what is held */
double viewer_keys_flight(const viewer *v);                              /* factor for that speed */
void viewer_keys_type(viewer *v, const char *text); /* into the filter of the list of clips */

/* viewer.c */
void viewer_tell(viewer *v, bool bad, const char *format, ...) MRW_PRINTF(3, 4);
/* Another clip: a camera that is FREE gets planes around it. */
mrw_status viewer_clip_planes(viewer *v, mrw_error *error);
mrw_status viewer_set_clip(viewer *v, uint32_t clip, mrw_error *error);
mrw_status viewer_set_shading(viewer *v, const char *shading);
mrw_status viewer_make_free(viewer *v, mrw_error *error);
double viewer_fov(const viewer *v);

#endif
