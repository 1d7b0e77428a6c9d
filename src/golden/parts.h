/* parts.h: the parts of a scene as golden.txt has them: the hash of each part, and facts that a
 * hash can't tell. */
#ifndef MRWI_GOLDEN_PARTS_H
#define MRWI_GOLDEN_PARTS_H

#include "base/memory.h"
#include "golden/lines.h"
#include "marrow/scene.h"

#include <pthread.h>

/* A fact: a key, a name of the model or NULL, and numbers: `joint "Head" 43.25`. */
typedef struct mrwi_golden_fact {
    const char *key;
    const char *text;
    double *values;
    uint32_t count;
} mrwi_golden_fact;

typedef struct mrwi_golden_part {
    uint32_t kind;    /* Kind: an mrw_scene_part */
    const char *name; /* A mesh without a name has its node's; may be "". */
    uint8_t hash[32];
    mrwi_golden_fact *facts;
    uint32_t fact_count;
} mrwi_golden_part;

/* Parts of a scene, by kind, then in the scene's order. */
typedef struct mrwi_golden_parts {
    mrwi_golden_part *items;
    uint32_t count;
} mrwi_golden_parts;

/* ---- parts of a scene ------------------------------------------------------------------------ */

/* Makes the parts of a scene in the arena. Arrays are NULL only after a failure. */
mrw_status mrwi_golden_parts_make(const mrw_scene *scene, mrwi_base_arena *arena,
                                  mrwi_golden_parts *out, mrw_error *error);

/* Parts of scenes, made once for all cases of a run. */
typedef struct mrwi_golden_parts_kept {
    pthread_mutex_t lock; /* Held while parts are made, so other threads wait for them */
    mrwi_base_arena arena;
    struct mrwi_golden_parts_entry *first;
} mrwi_golden_parts_kept;

void mrwi_golden_parts_begin(mrwi_golden_parts_kept *kept);
void mrwi_golden_parts_end(mrwi_golden_parts_kept *kept);

/* Finds or makes the parts of a scene. They last until mrwi_golden_parts_end. */
mrw_status mrwi_golden_parts_find(mrwi_golden_parts_kept *kept, const mrw_scene *scene,
                                  mrwi_golden_parts *out, mrw_error *error);

/* ---- lines of golden.txt --------------------------------------------------------------------- */

/* Writes what follows "part " in a line:
 *
 *     shape "Ear" 3f0c... vertices 120 triangles 200 box -1 0 -1 1 4 1
 */
void mrwi_golden_parts_put(const mrwi_golden_part *part, mrw_text *out);

/* Writes whole lines of all parts. */
void mrwi_golden_parts_put_all(const mrwi_golden_parts *parts, mrw_text *out);

/* Reads what follows "part " in a line. */
mrw_status mrwi_golden_parts_read(mrwi_golden_lines *lines, mrwi_base_arena *arena,
                                  mrwi_golden_part *out, mrw_error *error);

/* Computes the hash of the scene with these parts, by the current formula. */
void mrwi_golden_parts_hash(const mrwi_golden_parts *parts, char out[65]);

/* ---- descriptions ---------------------------------------------------------------------------- */

/* Describes how two scenes differ, with names of the model escaped: "shape of Ear: box 4.0 taller;
 * Run lasts 0.963 s, was 0.917". After `most` differences follows "and 3 more". Writes "" for equal
 * parts. */
void mrwi_golden_parts_describe(const mrwi_golden_parts *before, const mrwi_golden_parts *after,
                                uint32_t most, mrw_text *out);

/* Writes a number for people with at least `decimals` decimals, and as many more as tell it from
 * `beside`. */
void mrwi_golden_parts_put_figure(mrw_text *out, double value, double beside, int decimals);

/* Writes a length for people, with enough decimals to tell it from 0. */
void mrwi_golden_parts_put_length(mrw_text *out, double length);

#endif
