/* suite.h: suite files and the cases that they define. A suite says what golden tests draw and how
 * the pictures are compared.
 *
 * A suite is a file called `suite.ini` or `NAME.suite.ini`; other .ini files are ignored. Its name
 * is the key `name` of [defaults], else NAME, else the name of its folder. Give a `suite.ini` a
 * `name`: the folder of a checkout can have any name, and goldens are found by the suite's.
 *
 * The section [defaults], at any position, holds keys for all cases of the suite. Every other
 * section is a case. Keys are the long names of render and comparison options
 * ('_' and '-' are equal in a key), and these:
 *
 *     name       name of the suite, safe as a file name; in [defaults] only
 *     model      a file, or demo:NAME; every case needs one
 *     golden     folder of the goldens, relative to the suite; default: golden
 *     check      properties to compare: pixels, pose, bounds; default: pixels
 *     store      pictures (default), or hash: one line per frame in golden.txt; comparison is exact
 *     key-frames frames that `store = hash` also stores as pictures: numbers as in --frames
 *     refit      yes: frame the case again in every run; no (default): use the goldens' camera, and
 *                fail if the framing would change
 *     tags       words for selecting cases
 *     skip       a reason: do not run the case
 *     gl-ratio   SHARE REASON: share of pixels that another renderer must match
 *                (--against-backend)
 *     backend    soft REASON: only software draws the case; other backends skip it
 *     xfail      a reason: the case is known to fail. If it passes, that is a failure. Updating and
 *                accepting leave its goldens unchanged
 *     max-degrees, max-distance   allowed deviation of joints in a pose check, and of corners in a
 *                bounds check; default 0: identical bits
 *
 * Options that only make sense on a command line are not keys: output, sheet, force, dry-run, json,
 * shard, jobs, isa, strict, quiet, verbose. Flags take yes or no. Paths are relative to the suite's
 * folder.
 *
 * A list makes one case per value: `clip = Walk, Run` in [hero] makes hero.Walk and hero.Run. Lists
 * in several keys multiply. In names, the section's own lists come first, in the order of the file,
 * then those of [defaults]. A value appears in a name as mrw_safe_file_name converts it. Values
 * that contain commas (vectors, scale, frames, times, blend, mask, allow-format, key-frames, `add`
 * with keys) are separated by '|'. Lists in `check` and `tags` do not make several cases; name,
 * golden, gl-ratio, backend, skip and xfail cannot be lists. A key whose option is repeatable takes
 * several values with " + " between them: `add = horse.glb + sword.glb@hand`.
 *
 * A case's own key replaces that of [defaults]. It also disables keys of [defaults] that it
 * excludes or that would have no effect with it: with `fit = all` in [defaults] a case can set `eye
 * = 1,2,3`; with `compare = pixel` and `max-delta = 2` there, `compare = exact`. Otherwise, keys
 * that exclude each other or have no effect are errors, as on a command line.
 *
 * Text is UTF-8 with one key or [section] per line, without indentation. A line that begins with
 * `;` or `#` is a comment, and ` ;` ends a value.
 *
 * Memory: a list owns everything in it; all of it is freed with the list.
 */
#ifndef MARROW_SUITE_H
#define MARROW_SUITE_H

#include "options.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A key of suite files. All text is static. */
typedef struct mrw_suite_key {
    const char *name;
    const char *values;       /* form of its values, such as "pictures|hash" */
    const char *help;         /* description in one line */
    const mrw_option *option; /* option with this key; NULL: the key exists only in suites */
} mrw_suite_key;

/* Returns the number of keys. Keys that exist only in suites come first. */
MRW_API size_t mrw_suite_key_count(void);
/* Returns a key by its index, which is below the count. */
MRW_API mrw_suite_key mrw_suite_key_at(size_t index);

/* Properties that a case compares, or-ed. */
enum { MRW_CHECK_PIXELS = 1, MRW_CHECK_POSE = 2, MRW_CHECK_BOUNDS = 4 };

/* One case with lists resolved: how to draw and to compare it. All texts are UTF-8 without control
 * characters. Names and folders are safe as file names. Paths are relative to the current folder.
 */
typedef struct mrw_case {
    const char *suite;      /* name of the suite */
    bool named;             /* the suite has a `name`; false: its file or folder names it */
    const char *name;       /* name of the case, such as "hero.Walk" */
    const char *suite_file; /* path of the suite file */
    uint32_t line;          /* line of its section, from 1 */
    const char *golden;     /* folder of this case's goldens: GOLDEN/SUITE/CASE */
    /* The same under today's name if `golden` is a folder with a name of an earlier marrow, in
     * which each byte outside ASCII is '_'; otherwise NULL. */
    const char *golden_renamed;
    /* Folder of its results unless --out is given: results/SUITE/CASE beside the suite. */
    const char *results;
    const char *model; /* model in the form that loading takes */
    /* Defaults, then the suite's keys, with paths resolved. The command is MRW_COMMAND_TEST. Suites
     * do not set jobs, isa and the like. */
    mrw_settings settings;
    bool store_hash;
    mrw_frame_range *key_frames;
    size_t key_frame_count;
    uint32_t checks; /* MRW_CHECK_... or-ed */
    double max_degrees;
    double max_distance;
    bool refit; /* framed again in every run, ignoring golden.txt */
    const char *const *tags;
    size_t tag_count;
    double gl_ratio;         /* share of pixels on which two backends must agree; 0: default */
    const char *gl_reason;   /* reason for gl_ratio, if given */
    const char *soft_reason; /* why only software draws it, or NULL: any backend may */
    const char *skip;        /* reason for skipping, or NULL */
    const char *xfail;       /* reason for expecting failure, or NULL */
    /* The suite's settings as on a command line, one text per option: "--size=160x120", "--ortho".
     * Paths are resolved. */
    const char *const *options;
    size_t option_count;
} mrw_case;

/* The cases of one or more suites. Free with mrw_cases_free. */
typedef struct mrw_case_list {
    /* Sorted by path of the suite file, then by line. Cases of a list keep its order; the last list
     * varies fastest. */
    mrw_case *items;
    size_t count;
    void *memory; /* owns everything that the items point to */
} mrw_case_list;

/* Loads suite files. Each path is a suite file, or a folder that is searched for suites, including
 * its subfolders; without any path the current folder is searched. The search skips results and
 * golden folders of the suites found, hidden folders and links to folders. A file reached by
 * several paths is read once.
 *
 * Returns MRW_ERROR_USAGE, with file and line, for any mistake in a suite: unknown keys (with the
 * nearest names), values that an option rejects, options that exclude each other, repeated sections
 * and keys, lines over 198 bytes, section names over 48 bytes or unsafe as file names, two cases
 * whose names differ only in case, two suites with the same name (ignoring case) that share a
 * folder of goldens or results, more than 10000 cases per section or 100000 in all. Returns
 * MRW_ERROR_INPUT for a path that cannot be opened or a file over 1 MiB. If there are no suites or
 * no cases, the list is empty. */
MRW_API mrw_status mrw_cases_load(const char *const *paths, size_t path_count, mrw_case_list *out,
                                  mrw_error *error);
/* Returns true for suite.ini and NAME.suite.ini, unless the name begins with a dot. name: without
 * the folder. */
MRW_API bool mrw_is_suite_file(const char *name);
/* Frees everything that the list owns, and zeroes it. NULL is allowed. */
MRW_API void mrw_cases_free(mrw_case_list *list);

/* Size of a suite's name with its NUL: its line in the file has at most 198 bytes. */
#define MRW_SUITE_NAME_SIZE 190

/* A suite file that is being written: a new one, or one that exists and gets more cases. Not
 * thread-safe: one thread at a time may use a draft. */
typedef struct mrw_suite_draft mrw_suite_draft;

/* Begins a new suite. Its section [defaults] holds those of `settings` that suites take, among them
 * options of reading, and examples of other keys. `path` is where the suite will be written, or "-"
 * for the current folder: paths in the suite are relative to its folder. `name` is a result of
 * mrw_safe_file_name with this size. `models` is the number of models that will be added: if it is
 * 1, [defaults] names settings->arguments.items[0]; if there are more, each case names its model.
 * That list must not be empty: the first line of the file names its first model.
 * Settings and path are borrowed until mrw_suite_draft_free. Free *out also after a failure. */
MRW_API mrw_status mrw_suite_draft_create(const mrw_settings *settings, const char *path,
                                          const char *name, size_t models, mrw_suite_draft **out,
                                          mrw_error *error);
/* Begins to extend the suite file at `path`. Its text stays as it is; new cases follow it. Fails
 * like mrw_cases_load. Settings and path are borrowed until mrw_suite_draft_free. Free *out also
 * after a failure. */
MRW_API mrw_status mrw_suite_draft_extend(const mrw_settings *settings, const char *path,
                                          mrw_suite_draft **out, mrw_error *error);
/* Adds a case for each clip of a model, or for those of --clip. A model without clips gets a case
 * of its stored pose. If a suite is extended, clips that its cases draw are left out; the suite's
 * model is recognised by its file, through links, too. `path` is the file of the scene. Names of
 * cases are those of the clips, made safe and unique.
 *
 * Returns MRW_ERROR_USAGE for a path that a suite cannot hold (commas, blanks at an end, too long),
 * and MRW_ERROR_INPUT for a clip of --clip that does not exist, or for a new suite if no clip can
 * be named. After a failure the draft may only be freed. */
MRW_API mrw_status mrw_suite_draft_add(mrw_suite_draft *draft, const char *path,
                                       const mrw_scene *scene, mrw_error *error);
/* Returns the number of cases added so far. */
MRW_API size_t mrw_suite_draft_count(const mrw_suite_draft *draft);
/* Appends the text of the whole suite file. Returns MRW_ERROR_USAGE if an option has a value that a
 * suite cannot hold; `out` then has a part of the text. */
MRW_API mrw_status mrw_suite_draft_write(const mrw_suite_draft *draft, mrw_text *out,
                                         mrw_error *error);
/* Frees a draft. NULL is allowed. */
MRW_API void mrw_suite_draft_free(mrw_suite_draft *draft);

#ifdef __cplusplus
}
#endif
#endif
