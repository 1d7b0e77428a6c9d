/* table.h: the private half of the option table: how a value is read, and into which field. */
#ifndef MRWI_OPTIONS_TABLE_H
#define MRWI_OPTIONS_TABLE_H

#include "marrow/options.h"

/* The kind of an option: the type of its field, or the fields that its parser sets. Lists grow:
 * each value is added to those before. */
typedef enum mrwi_options_kind {
    MRWI_OPTIONS_FLAG,      /* bool */
    MRWI_OPTIONS_TEXT,      /* const char * */
    MRWI_OPTIONS_HEIGHTS,   /* const char *: a form of mrw_displacement */
    MRWI_OPTIONS_TEXTS,     /* mrw_text_list */
    MRWI_OPTIONS_AT,        /* mrw_text_list: NAME or NAME@NODE, neither empty */
    MRWI_OPTIONS_MASKS,     /* mrw_text_list: forms of mrw_mask */
    MRWI_OPTIONS_IDS,       /* mrw_text_list: NAME=N of mrw_id_parse */
    MRWI_OPTIONS_POINTS,    /* mrw_text_list: X,Y of mrw_pixel_parse */
    MRWI_OPTIONS_HIDE,      /* mrw_node_rules: adds rules that hide */
    MRWI_OPTIONS_SHOW,      /* mrw_node_rules: adds rules that show */
    MRWI_OPTIONS_LIGHTS,    /* lights, picture.rig and picture.ambient; a list */
    MRWI_OPTIONS_PASSES,    /* passes; a list */
    MRWI_OPTIONS_BLEND,     /* blend, blend_count */
    MRWI_OPTIONS_INTEGER,   /* uint32_t in least ... most */
    MRWI_OPTIONS_NUMBER,    /* double in least ... most */
    MRWI_OPTIONS_FLOAT,     /* float in least ... most */
    MRWI_OPTIONS_AMOUNT,    /* uint64_t in least ... most; k, M, G are powers of 1000 */
    MRWI_OPTIONS_BYTES,     /* uint64_t in least ... most; K, M, G are powers of 1024 */
    MRWI_OPTIONS_PIXELS,    /* like MRWI_OPTIONS_AMOUNT, or WxH */
    MRWI_OPTIONS_VECTOR,    /* float[3] */
    MRWI_OPTIONS_SCALE,     /* float[3]; one number sets all three */
    MRWI_OPTIONS_CHOICE,    /* uint32_t: index in `argument`, which is a|b|c. With `rest` it may be
                               a|b:WORD; then b must be followed by a colon and a text */
    MRWI_OPTIONS_SWITCH,    /* bool: on or off */
    MRWI_OPTIONS_MAYBE,     /* uint32_t: index in `argument` plus 1; 0: not given; `least`: given
                               without a value */
    MRWI_OPTIONS_SAMPLES,   /* uint32_t: the chosen number itself */
    MRWI_OPTIONS_SIZE,      /* width, height */
    MRWI_OPTIONS_RATE,      /* fps, fps_of_file */
    MRWI_OPTIONS_SPEED,     /* speed, backwards */
    MRWI_OPTIONS_FRAMES,    /* frames */
    MRWI_OPTIONS_TIMES,     /* times */
    MRWI_OPTIONS_AZIMUTH,   /* camera.view.azimuth_degrees in least ... most, or azimuth_auto;
                               camera.azimuths if there are several */
    MRWI_OPTIONS_ELEVATION, /* camera.view.elevation_degrees in least ... most; camera.elevations if
                               there are several */
    MRWI_OPTIONS_VIEWS,     /* camera.views */
    MRWI_OPTIONS_SHARD,     /* shard_index, shard_count */
    MRWI_OPTIONS_COLOR,     /* background, transparent, backplate, gradient, background_file */
    MRWI_OPTIONS_MATTE,     /* matte, has_matte */
    MRWI_OPTIONS_GROUND,    /* ground, ground_color; an argument that begins with # is its value */
    MRWI_OPTIONS_OVERLAYS,  /* overlays: names with commas between them */
    MRWI_OPTIONS_ISA        /* isa */
} mrwi_options_kind;

/* Side effects of an option. Bits. */
typedef enum mrwi_options_role {
    MRWI_OPTIONS_LOADS = 1,    /* its value changes the loaded model */
    MRWI_OPTIONS_SEQUENCE = 2, /* giving it makes a sequence: mrw_session_wants_sequence */
    MRWI_OPTIONS_PART = 4,     /* giving it may leave out pictures of a clip */
    MRWI_OPTIONS_SHEET = 8,    /* giving it makes a sequence if there is one view */
    MRWI_OPTIONS_HOST = 16,    /* only the command line sets it, never a request */
    MRWI_OPTIONS_LOWER = 32    /* a request may lower it, but not raise it */
} mrwi_options_role;

/* A row. Lists of names have spaces between them. Offsets lead into mrw_settings. */
typedef struct mrwi_options_option {
    mrw_option shown;
    const char *dashed; /* "--name" */
    const char *words;  /* text of the default if its value says nothing, or NULL */
    const char *many;   /* LIST: commands that accept several values, each with a space behind it;
                           NULL: all */
    mrwi_options_kind kind;
    size_t offset;
    size_t marks; /* a bool that becomes true when the option is set; 0: none */
    size_t rest;  /* CHOICE: a const char * for the text behind a choice's colon; 0: none */
    const char *rest_paths; /* choices whose text is a path, or NULL */
    bool places;            /* AT: keys of mrw_placement_parse may follow */
    double least;
    double most;
    /* Options that cannot be combined with this one. */
    const char *excludes;
    /* Options without which this one changes nothing: one of them must be given; NAME=VALUE must
     * have this value. NULL: it needs none. */
    const char *needs;
    /* Commands to which `needs` applies; NULL: all. */
    const char *needs_for;
    /* CHOICE: values to which `excludes` and `needs` apply; NULL: all. */
    const char *when;
    const char *no_key;   /* the reason why suites lack it though `render` has it, or NULL */
    bool is_path;         /* in a suite, its value is a path relative to the suite's folder */
    const char *no_paths; /* is_path: values that are not paths, or NULL */
    bool has_commas;      /* in a suite, commas in its value do not separate values */
    uint32_t roles;       /* mrwi_options_role, or-ed */
} mrwi_options_option;

/* Numbers of choices that are not words of a row. They equal the enumerators of mrw_rig_use,
 * mrw_ground, mrw_light_type and mrw_light_space, which this room does not see; session/settings.c
 * checks that. */
enum { MRWI_OPTIONS_RIG_AUTO, MRWI_OPTIONS_RIG_OFF, MRWI_OPTIONS_RIG_ON };
enum { MRWI_OPTIONS_GROUND_NONE, MRWI_OPTIONS_GROUND_CATCHER, MRWI_OPTIONS_GROUND_COLOR };
enum { MRWI_OPTIONS_LIGHT_DIRECTIONAL, MRWI_OPTIONS_LIGHT_POINT, MRWI_OPTIONS_LIGHT_SPOT };
enum { MRWI_OPTIONS_SPACE_WORLD, MRWI_OPTIONS_SPACE_CAMERA, MRWI_OPTIONS_SPACE_NODE };

extern const mrwi_options_option mrwi_options[];
extern const size_t mrwi_options_option_count;

/* The camera without options: see mrw_viewpoint_settings. */
extern const mrw_viewpoint_settings mrwi_options_usual_view;

/* A picture without options. */
extern const mrw_picture_settings mrwi_options_usual_picture;

/* Returns the row of a long name (or alias) of `length` characters, or NULL. */
const mrwi_options_option *mrwi_options_option_find(const char *name, size_t length);

/* Returns the row of a short name, or NULL. */
const mrwi_options_option *mrwi_options_option_find_short(char name);

/* Sets a row's value and marks it as given. */
mrw_status mrwi_options_option_set(mrw_settings *settings, const mrwi_options_option *option,
                                   const char *value, mrw_error *error);

/* Returns true if words, a list of names or NULL, contains a word of `length` characters. */
bool mrwi_options_has_word(const char *words, const char *word, size_t length);

/* Returns true if a command line may repeat the option: each value is added to those before. */
bool mrwi_options_is_list(const mrwi_options_option *option);

/* Returns true if a row was set. */
bool mrwi_options_is_given(const mrw_settings *settings, const mrwi_options_option *option);

/* Returns the roles of all rows that were set, or-ed. */
uint32_t mrwi_options_roles(const mrw_settings *settings);

/* Orders settings by the value of a row; 0: both have the same. Only for kinds with one field,
 * which size, rate, frames, times, shard, colour and blend are not. */
int mrwi_options_compare(const mrw_settings *a, const mrw_settings *b,
                         const mrwi_options_option *option);

/* Copies the options with MRWI_OPTIONS_LOADS into *out; the others get their defaults. The copy
 * owns its texts and lists: they lie in *texts, which the caller frees with mrwi_base_free in place
 * of calling mrw_settings_free. Returns false when out of memory. */
bool mrwi_options_copy_loading(const mrw_settings *from, mrw_settings *out, void **texts);

/* Returns the reason why a row is not a key of suites, or NULL if it is a key. */
const char *mrwi_options_why_no_key(const mrwi_options_option *option);

/* Appends "; did you mean --size WxH|N (size of the picture in pixels)?" to the string in out, or
 * nothing if nothing fits. It proposes options of a command (of all with MRW_COMMAND_NONE), or keys
 * of suites, that an unknown name may mean: by synonyms.c, edits, prefixes and parts of names.
 * typed: the name, with or without its dashes and its value. */
void mrwi_options_suggest(const char *typed, mrw_command command, bool keys, char *out,
                          size_t size);

/* Appends a proposal for an unknown name as mrwi_options_suggest does, but by synonyms.c alone. */
void mrwi_options_suggest_word(const char *typed, mrw_command command, char *out, size_t size);

/* Takes an option back, as --no-NAME does: afterwards it's not given. Only for flags and for
 * options whose value may be left out. */
void mrwi_options_option_unset(mrw_settings *settings, const mrwi_options_option *option);

/* Returns the name of the value that a CHOICE has; *length becomes its length. */
const char *mrwi_options_choice(const mrw_settings *settings, const mrwi_options_option *option,
                                size_t *length);

/* Fails if options exclude each other, or if one changes nothing without another one. */
mrw_status mrwi_options_settings_check(const mrw_settings *settings, mrw_error *error);

/* Returns true if an option that all cases of a suite share must give way to one that a case sets:
 * they exclude each other. */
bool mrwi_options_option_yields(const mrwi_options_option *option, const mrwi_options_option *to);

/* Returns true if an option would change nothing in these settings, or contradict their values. */
bool mrwi_options_option_is_idle(const mrw_settings *settings, const mrwi_options_option *option);

/* Returns true if an option may be added to these settings: no option that was given excludes it,
 * and one that it needs was given. */
bool mrwi_options_option_fits(const mrw_settings *settings, const mrwi_options_option *option);

/* Sets the options of --look that were not given. Leaves out those that the command lacks, those
 * that do not fit the others, and those in `off`, which were taken back; `off` may be NULL. */
mrw_status mrwi_options_apply_look(mrw_settings *settings, const mrw_text_list *off,
                                   mrw_error *error);

/* Reads --aov. */
mrw_status mrwi_options_parse_passes(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --blend. */
mrw_status mrwi_options_parse_blend(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --light. */
mrw_status mrwi_options_parse_light(mrw_settings *settings, const char *value, mrw_error *error);

/* Fails if --light has keys that the shading mode does not read. */
mrw_status mrwi_options_check_lights(const mrw_settings *settings, mrw_error *error);

/* Reads --frames and --times. */
mrw_status mrwi_options_parse_frames(mrw_settings *settings, const char *value, mrw_error *error);
mrw_status mrwi_options_parse_times(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --azimuth and --elevation, numbers in least ... most of their row. */
mrw_status mrwi_options_parse_angles(mrw_settings *settings, const mrwi_options_option *option,
                                     const char *value, mrw_error *error);

/* Reads --views. */
mrw_status mrwi_options_parse_views(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads a background: none, a colour (a name, #rgb, #rrggbb, #rrggbbaa), a gradient (two colours
 * with .. between them, and @vertical or @radial), or the name of a picture. */
mrw_status mrwi_options_parse_color(mrw_settings *settings, const char *value, mrw_error *error);

/* Returns true if a value of --background is the name of a picture: by its ending. */
bool mrwi_options_is_background_file(const char *value);

/* Reads --matte: an opaque colour, as for mrwi_options_parse_color, but not none. */
mrw_status mrwi_options_parse_matte(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --overlay. */
mrw_status mrwi_options_parse_overlays(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --ground: on, off, or a colour; NULL: on. */
mrw_status mrwi_options_parse_ground(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads a number that has only digits and moves *text behind it. Returns false if there is none or
 * if it's above `most`. */
bool mrwi_options_parse_digits(const char **text, int64_t most, int64_t *out);

/* Escapes and shortens a text for a message. Returns out. */
const char *mrwi_options_show(const char *text, char out[96]);

/* Appends an element to a list of *count elements. Returns false without memory. */
bool mrwi_options_append(void **items, size_t *count, size_t size, const void *element);

/* Appends a text without copying it. Returns false without memory. */
bool mrwi_options_list_add(mrw_text_list *list, const char *text);

/* Removes a text from the list. An empty list has no memory. */
void mrwi_options_list_remove(mrw_text_list *list, size_t index);

#endif
