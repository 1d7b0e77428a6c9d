/* parts.h: what a scene is made of, part by part, as golden.txt has it: the hash of each part, and
 * beside it what a hash can't say. */
#ifndef MRWI_GOLDEN_PARTS_H
#define MRWI_GOLDEN_PARTS_H

#include "base/memory.h"
#include "golden/lines.h"
#include "marrow/scene.h"

#include <pthread.h>

/* A word, a name of the model or NULL, and numbers: `joint "Head" 43.25`. */
typedef struct mrwi_golden_fact {
    const char *key;
    const char *text;
    double *values;
    uint32_t count;
} mrwi_golden_fact;

typedef struct mrwi_golden_part {
    uint32_t kind;    /* mrw_scene_part */
    const char *name; /* of a mesh without one its node's; may be "" */
    uint8_t hash[32];
    mrwi_golden_fact *facts;
    uint32_t fact_count;
} mrwi_golden_part;

/* Those of a scene, by kind, then in its order. */
typedef struct mrwi_golden_parts {
    mrwi_golden_part *items;
    uint32_t count;
} mrwi_golden_parts;

/* ---- of a scene ------------------------------------------------------------------------------ */

/* All of it is the arena's. NULL arrays only after a failure. */
mrw_status mrwi_golden_parts_make(const mrw_scene *scene, mrwi_base_arena *arena,
                                  mrwi_golden_parts *out, mrw_error *error);

/* Parts that were made before, for all cases of a run. */
typedef struct mrwi_golden_parts_kept {
    pthread_mutex_t lock; /* held while they are made: others wait for them */
    mrwi_base_arena arena;
    struct mrwi_golden_parts_entry *first;
} mrwi_golden_parts_kept;

void mrwi_golden_parts_begin(mrwi_golden_parts_kept *kept);
void mrwi_golden_parts_end(mrwi_golden_parts_kept *kept);

/* What is found lasts until mrwi_golden_parts_end. */
mrw_status mrwi_golden_parts_find(mrwi_golden_parts_kept *kept, const mrw_scene *scene,
                                  mrwi_golden_parts *out, mrw_error *error);

/* ---- in lines -------------------------------------------------------------------------------- */

/* What stands behind "part " in a line of its own:
 *
 *     shape "Ear" 3f0c... vertices 120 triangles 200 box -1 0 -1 1 4 1
 */
void mrwi_golden_parts_put(const mrwi_golden_part *part, mrw_text *out);
void mrwi_golden_parts_put_all(const mrwi_golden_parts *parts, mrw_text *out); /* whole lines */
mrw_status mrwi_golden_parts_read(mrwi_golden_lines *lines, mrwi_base_arena *arena,
                                  mrwi_golden_part *out, mrw_error *error);

/* The hash of the scene that the parts make, by the formula of this marrow. */
void mrwi_golden_parts_hash(const mrwi_golden_parts *parts, char out[65]);

/* ---- in words -------------------------------------------------------------------------------- */

/* How two scenes differ, strangers' names escaped: "shape of Ear: box 4.0 taller; Run lasts 0.963
 * s, was 0.917". At most so many differences, then "and 3 more". "" where the parts are the
 * same. */
void mrwi_golden_parts_describe(const mrwi_golden_parts *before, const mrwi_golden_parts *after,
                                uint32_t most, mrw_text *out);

/* A number for people, and one beside which it is to look different: so many decimals at least. */
void mrwi_golden_parts_put_figure(mrw_text *out, double value, double beside, int decimals);

#endif
