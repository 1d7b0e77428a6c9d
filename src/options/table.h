/* table.h: the private half of the option table: how a value is read and where it goes. */
#ifndef MRWI_OPTIONS_TABLE_H
#define MRWI_OPTIONS_TABLE_H

#include "marrow/options.h"

typedef enum mrwi_options_kind {
    MRWI_OPTIONS_FLAG,    /* bool */
    MRWI_OPTIONS_TEXT,    /* const char * */
    MRWI_OPTIONS_HEIGHTS, /* the same; forms of mrw_displacement */
    MRWI_OPTIONS_TEXTS,   /* mrw_text_list, grows */
    MRWI_OPTIONS_AT,      /* the same; NAME or NAME@NODE, neither empty */
    MRWI_OPTIONS_MASKS,   /* the same; forms of mrw_mask */
    MRWI_OPTIONS_IDS,     /* the same; NAME=N of mrw_id_parse */
    MRWI_OPTIONS_POINTS,  /* the same; X,Y of mrw_pixel_parse */
    MRWI_OPTIONS_HIDE,    /* mrw_node_rules, grows */
    MRWI_OPTIONS_SHOW,    /* the same list */
    MRWI_OPTIONS_LIGHTS,  /* lights, picture.rig and picture.ambient; grows */
    MRWI_OPTIONS_PASSES,  /* passes; grows */
    MRWI_OPTIONS_BLEND,   /* blend, blend_count */
    MRWI_OPTIONS_INTEGER, /* uint32_t in least ... most */
    MRWI_OPTIONS_NUMBER,  /* double in least ... most */
    MRWI_OPTIONS_FLOAT,   /* float, the same */
    MRWI_OPTIONS_AMOUNT,  /* uint64_t in least ... most; k, M, G are thousands */
    MRWI_OPTIONS_BYTES,   /* the same; K, M, G are powers of 1024 */
    MRWI_OPTIONS_PIXELS,  /* MRWI_OPTIONS_AMOUNT, or WxH */
    MRWI_OPTIONS_VECTOR,  /* float[3] */
    MRWI_OPTIONS_SCALE,   /* float[3], one number for all three allowed */
    MRWI_OPTIONS_CHOICE,  /* uint32_t: position in `argument`, which is a|b|c; of a|b:WORD with
                             `rest`, b wants a colon and a text behind it */
    MRWI_OPTIONS_SWITCH,  /* bool: on or off */
    MRWI_OPTIONS_MAYBE,   /* the same from 1 on, 0: not given; `least` when given without a value */
    MRWI_OPTIONS_SAMPLES, /* uint32_t: the chosen number itself */
    MRWI_OPTIONS_SIZE,    /* width, height */
    MRWI_OPTIONS_RATE,    /* fps, fps_of_file */
    MRWI_OPTIONS_SPEED,   /* speed, backwards */
    MRWI_OPTIONS_FRAMES,  /* frames */
    MRWI_OPTIONS_TIMES,   /* times */
    MRWI_OPTIONS_AZIMUTH, /* camera.view.azimuth_degrees in least ... most, or azimuth_auto;
                             several: camera.azimuths */
    MRWI_OPTIONS_ELEVATION, /* the same of elevations, which are never auto */
    MRWI_OPTIONS_VIEWS,     /* camera.views */
    MRWI_OPTIONS_SHARD,     /* shard_index, shard_count */
    MRWI_OPTIONS_COLOR,     /* background, transparent */
    MRWI_OPTIONS_MATTE,     /* matte, has_matte */
    MRWI_OPTIONS_GROUND,    /* ground, ground_color; an argument that begins with # is its value */
    MRWI_OPTIONS_OVERLAYS,  /* overlays: names with commas between them */
    MRWI_OPTIONS_ISA        /* isa */
} mrwi_options_kind;

/* What an option decides beside its value. Bits. */
typedef enum mrwi_options_role {
    MRWI_OPTIONS_LOADS = 1,    /* what is read with another value is another model */
    MRWI_OPTIONS_SEQUENCE = 2, /* given, it makes a sequence: mrw_session_wants_sequence */
    MRWI_OPTIONS_PART = 4,     /* given, the pictures may be some of a clip's */
    MRWI_OPTIONS_SHEET = 8     /* given, it makes a sequence if there is one view */
} mrwi_options_role;

/* A row. Lists of names have spaces between them. Offsets lead into mrw_settings. */
typedef struct mrwi_options_option {
    mrw_option shown;
    const char *dashed; /* "--name" */
    const char *words;  /* for the default, where its value says nothing, or NULL */
    const char *many;   /* of a list: commands that take several, a space behind each; NULL: all */
    mrwi_options_kind kind;
    size_t offset;
    size_t marks; /* a bool that becomes true when the option is set; 0: none */
    size_t rest;  /* CHOICE: a const char * for the text behind a choice's colon; 0: none */
    const char *rest_paths; /* choices whose text is a path, or NULL */
    bool places;            /* AT: keys of mrw_placement_parse may follow */
    double least;
    double most;
    /* Options of which none may stand beside this one. */
    const char *excludes;
    /* Options of which one must be there, or this one changes nothing; NAME=VALUE: it must have
     * this value. NULL: none is needed. */
    const char *needs;
    /* Commands for which `needs` holds; NULL: all. */
    const char *needs_for;
    /* CHOICE: values for which `excludes` and `needs` hold; NULL: all. */
    const char *when;
    /* Keys of suites: why it is none though `render` has it, or NULL; paths lead from the suite's
     * folder; a value may have commas, so that they part no values. */
    const char *no_key;
    bool is_path;
    const char *no_paths; /* is_path: values that are none, or NULL */
    bool has_commas;
    uint32_t roles; /* mrwi_options_role, or-ed */
} mrwi_options_option;

extern const mrwi_options_option mrwi_options[];
extern const size_t mrwi_options_option_count;

/* Row of a long name (or alias) of `length` characters; NULL when there is none. */
const mrwi_options_option *mrwi_options_option_find(const char *name, size_t length);
const mrwi_options_option *mrwi_options_option_find_short(char name);

/* Sets a row's value and marks it as given. */
mrw_status mrwi_options_option_set(mrw_settings *settings, const mrwi_options_option *option,
                                   const char *value, mrw_error *error);

/* True when words, a list of names or NULL, has one of `length` characters. */
bool mrwi_options_has_word(const char *words, const char *word, size_t length);

/* Each value is added to those before; a command line may repeat the option. */
bool mrwi_options_is_list(const mrwi_options_option *option);

/* True when a row was set. */
bool mrwi_options_is_given(const mrw_settings *settings, const mrwi_options_option *option);

/* The roles of all rows that were set, or-ed. */
uint32_t mrwi_options_roles(const mrw_settings *settings);

/* Orders settings by the value of a row; 0: it is the same. Of kinds with one field: no size, rate,
 * frames, times, shard, colour, blend. */
int mrwi_options_compare(const mrw_settings *a, const mrw_settings *b,
                         const mrwi_options_option *option);

/* Returns the reason why a row is not a key of suites, or NULL if it is a key. */
const char *mrwi_options_why_no_key(const mrwi_options_option *option);

/* Appends "; did you mean --size WxH|N (size of the picture in pixels)?" to the string in out:
 * which options of a command, of all with MRW_COMMAND_NONE, or which keys of suites a name that is
 * none may mean, by synonyms.c, edits, prefixes and parts. Nothing where nothing fits. typed: with
 * its dashes and value, or without. */
void mrwi_options_suggest(const char *typed, mrw_command command, bool keys, char *out,
                          size_t size);

/* The same by synonyms.c alone. */
void mrwi_options_suggest_word(const char *typed, mrw_command command, char *out, size_t size);

/* Takes an option back, as --no-NAME does: then it is not given. For flags and options whose value
 * may be left out. */
void mrwi_options_option_unset(mrw_settings *settings, const mrwi_options_option *option);

/* The name of the value that a CHOICE has; its length is *length. */
const char *mrwi_options_choice(const mrw_settings *settings, const mrwi_options_option *option,
                                size_t *length);

/* Refuses options that exclude each other, or change nothing without another one. */
mrw_status mrwi_options_settings_check(const mrw_settings *settings, mrw_error *error);

/* True when an option that holds for many gives way to another that one of them sets: they exclude
 * each other. */
bool mrwi_options_option_yields(const mrwi_options_option *option, const mrwi_options_option *to);

/* True when an option would change nothing beside settings, or contradict their values. */
bool mrwi_options_option_is_idle(const mrw_settings *settings, const mrwi_options_option *option);

/* Reads --aov. */
mrw_status mrwi_options_parse_passes(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --blend. */
mrw_status mrwi_options_parse_blend(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --light. */
mrw_status mrwi_options_parse_light(mrw_settings *settings, const char *value, mrw_error *error);

/* Refuses keys of --light that the shading mode does not read. */
mrw_status mrwi_options_check_lights(const mrw_settings *settings, mrw_error *error);

/* Reads --frames and --times. */
mrw_status mrwi_options_parse_frames(mrw_settings *settings, const char *value, mrw_error *error);
mrw_status mrwi_options_parse_times(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --azimuth and --elevation, numbers in least ... most of their row. */
mrw_status mrwi_options_parse_angles(mrw_settings *settings, const mrwi_options_option *option,
                                     const char *value, mrw_error *error);

/* Reads --views. */
mrw_status mrwi_options_parse_views(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads a colour: none, a name, #rgb, #rrggbb, #rrggbbaa. */
mrw_status mrwi_options_parse_color(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --matte: the same, but not none. */
mrw_status mrwi_options_parse_matte(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --overlay. */
mrw_status mrwi_options_parse_overlays(mrw_settings *settings, const char *value, mrw_error *error);

/* Reads --ground: on, off, or a colour; NULL: on. */
mrw_status mrwi_options_parse_ground(mrw_settings *settings, const char *value, mrw_error *error);

/* A whole number of digits only at *text, which moves behind it; false when there is none or it is
 * above most. */
bool mrwi_options_parse_digits(const char **text, int64_t most, int64_t *out);

/* text made fit for a message: escaped and shortened. Returns out. */
const char *mrwi_options_show(const char *text, char out[96]);

/* Appends one element to a list of `count` elements; false when out of memory. */
bool mrwi_options_append(void **items, size_t *count, size_t size, const void *element);

/* Appends a text, which is borrowed. */
bool mrwi_options_list_add(mrw_text_list *list, const char *text);

/* Removes a text from the list. An empty list has no memory. */
void mrwi_options_list_remove(mrw_text_list *list, size_t index);

#endif
