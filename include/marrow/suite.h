/* suite.h: suite files, which say what golden tests draw and how it is compared, and the cases they
 * make.
 *
 * A suite is `suite.ini`, named after its folder, or `NAME.suite.ini`; no other .ini is read.
 * [defaults] holds keys for all of its cases, wherever it stands; every other section is a case.
 * Keys are the long names of render options and of comparison options ('_' and '-' are the same in
 * a key), and these:
 *
 *     model      a file, or demo:NAME; every case needs one
 *     golden     folder of the goldens, relative to the suite; default: golden
 *     check      what is compared: pixels, pose, bounds; default: pixels
 *     store      pictures (default), or hash: a line a frame in golden.txt, which is exact
 *     key-frames frames that are stored as pictures too with `store = hash`: numbers as in --frames
 *     refit      yes: the case is framed anew each time; no (default): it is seen from where its
 *                goldens are, and a framing that would change is a failure by itself
 *     tags       words to choose cases by
 *     skip       a reason: the case is not run
 *     gl-ratio   SHARE REASON: on how many pixels a second opinion must agree (--against-backend)
 *     backend    soft REASON: no other backend draws the case, which is skipped then
 *     xfail      a reason: the case is known to fail; when it passes, that is a failure. Updating
 *                and accepting leave its goldens alone
 *     max-degrees, max-distance   what joints may be off in a pose check, and corners in one of
 *                bounds; default 0: the same bits
 *
 * Options that only make sense on a command line are no keys: output, sheet, force, dry-run, json,
 * shard, jobs, isa, strict, quiet, verbose. Flags take yes or no. Paths lead from the
 * suite's folder.
 *
 * A list makes several cases, one a value: `clip = Walk, Run` in [hero] makes hero.Walk and
 * hero.Run. Lists in several keys multiply; the section's own come first in names, in the order
 * they are written, then those of [defaults]. In names a value is what mrw_safe_file_name makes of
 * it. Values that have commas of their own (vectors, scale, frames, times, blend, mask,
 * allow-format, key-frames) are listed with '|'. `check` and `tags` are never lists of cases, and
 * golden, gl-ratio, backend, skip and xfail never lists. A key that an option would be repeated for
 * takes several at once with " + " between them: `add = horse.glb + sword.glb@hand`.
 *
 * A case's own key replaces that of [defaults], and puts out of force those that it excludes or
 * that change nothing beside it: with `fit = all` in [defaults] a case can say `eye = 1,2,3`, with
 * `compare = pixel` and `max-delta = 2` there, `compare = exact`. Apart from that, keys that
 * exclude each other or change nothing are refused as on a command line.
 *
 * Text is UTF-8, a key or a [section] a line, none of them indented; `;` or `#` begins a line of
 * comment, and ` ;` ends a value.
 *
 * Memory: everything in a list belongs to it and is freed with it.
 */
#ifndef MARROW_SUITE_H
#define MARROW_SUITE_H

#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A key of suites. All text is static. */
typedef struct mrw_suite_key {
    const char *name;
    const char *values;       /* "pictures|hash" */
    const char *help;         /* one line */
    const mrw_option *option; /* whose key it is; NULL: suites alone have it */
} mrw_suite_key;

/* How many there are, those of suites alone first, and each of them: index is below the count. */
MRW_API size_t mrw_suite_key_count(void);
MRW_API mrw_suite_key mrw_suite_key_at(size_t index);

enum { MRW_CHECK_PIXELS = 1, MRW_CHECK_POSE = 2, MRW_CHECK_BOUNDS = 4 };

/* One case, lists resolved: what to draw and how to compare it. All texts are UTF-8 without control
 * characters; names and folders are safe as file names; paths lead from the current folder. */
typedef struct mrw_case {
    const char *suite;      /* its suite's name */
    const char *name;       /* "hero.Walk" */
    const char *suite_file; /* path of the suite file */
    uint32_t line;          /* of the section in it */
    const char *golden;     /* folder of this case's goldens: GOLDEN/SUITE/CASE */
    const char *results;    /* folder of its results, unless --out says otherwise:
                               results/SUITE/CASE beside the suite */
    const char *model;      /* as to be loaded */
    mrw_settings settings;  /* defaults, then what the suite says; paths resolved. The command is
                               MRW_COMMAND_TEST; jobs, isa and the like are not set by suites */
    bool store_hash;
    mrw_frame_range *key_frames;
    size_t key_frame_count;
    uint32_t checks; /* MRW_CHECK_... or-ed */
    double max_degrees;
    double max_distance;
    bool refit; /* framed anew each time, whatever golden.txt says */
    const char *const *tags;
    size_t tag_count;
    double gl_ratio;            /* share of pixels on which two backends must agree; 0: as usual */
    const char *gl_reason;      /* why, where that is said */
    const char *soft_reason;    /* why nothing but software draws it, or NULL: anything does */
    const char *skip;           /* reason, or NULL */
    const char *xfail;          /* reason, or NULL */
    const char *const *options; /* what the suite says of settings, as on a command line: a text an
                                   option, "--size=160x120", "--ortho"; paths resolved */
    size_t option_count;
} mrw_case;

typedef struct mrw_case_list {
    mrw_case *items; /* by path of the suite file, then by line; the cases of a list in its order,
                        those of the last list fastest */
    size_t count;
    void *memory; /* owns everything the items point to */
} mrw_case_list;

/* Reads suite files. Each path is a suite file or a folder below which suites are looked for; no
 * paths: the current folder. Results and golden folders of suites found, hidden folders and links
 * to folders are not entered; a file that several paths lead to is read once.
 *
 * MRW_ERROR_USAGE with file and line for anything wrong in a suite: unknown keys (with the
 * nearest), values that an option refuses, options that exclude each other, repeated sections and
 * keys, lines over 198 bytes and section names over 48, section names that are no safe file names,
 * two cases whose names differ in nothing but capitals, two suites of one name (but for capitals)
 * that share a folder of goldens or results, more than 10000 cases of one section or 100000 in all.
 * MRW_ERROR_INPUT: a path that can't be opened, a file over 1 MiB. No suite at all, or suites
 * without cases, give an empty list.
 */
MRW_API mrw_status mrw_cases_load(const char *const *paths, size_t path_count, mrw_case_list *out,
                                  mrw_error *error);
MRW_API void mrw_cases_free(mrw_case_list *list);

#ifdef __cplusplus
}
#endif
#endif
