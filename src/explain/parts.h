/* parts.h: the parts of a scene (the hash of each, and facts that a hash can't tell), and words for
 * how two scenes differ. */
#ifndef MRWI_EXPLAIN_PARTS_H
#define MRWI_EXPLAIN_PARTS_H

#include "base/memory.h"
#include "marrow/scene.h"
#include "marrow/text.h"

/* A fact: a key, a name of the model or NULL, and numbers: `joint "Head" 43.25`. */
typedef struct mrwi_explain_fact {
    const char *key;
    const char *text;
    double *values;
    uint32_t count;
} mrwi_explain_fact;

typedef struct mrwi_explain_part {
    uint32_t kind;    /* Kind: an mrw_scene_part */
    const char *name; /* A mesh without a name has its node's; may be "". */
    uint8_t hash[32];
    mrwi_explain_fact *facts;
    uint32_t fact_count;
} mrwi_explain_part;

/* Parts of a scene, by kind, then in the scene's order. */
typedef struct mrwi_explain_part_list {
    mrwi_explain_part *items;
    uint32_t count;
} mrwi_explain_part_list;

/* ---- parts of a scene ------------------------------------------------------------------------ */

/* Makes the parts of a scene in the arena. Arrays are NULL only after a failure. */
mrw_status mrwi_explain_parts_make(const mrw_scene *scene, mrwi_base_arena *arena,
                                   mrwi_explain_part_list *out, mrw_error *error);

/* Returns the word for a kind of part (mrw_scene_part): "shape", "material". */
const char *mrwi_explain_part_word(uint32_t kind);

/* Computes the hash of the scene with these parts, by the current formula. */
void mrwi_explain_parts_hash(const mrwi_explain_part_list *parts, char out[65]);

/* ---- descriptions ---------------------------------------------------------------------------- */

/* Describes how two scenes differ, with names of the model escaped: "shape of Ear: box 4.0 taller;
 * Run lasts 0.963 s, was 0.917". After `most` differences follows "and 3 more". Writes "" for equal
 * parts. */
void mrwi_explain_parts(const mrwi_explain_part_list *before, const mrwi_explain_part_list *after,
                        uint32_t most, mrw_text *out);

/* Writes a number for people with at least `decimals` decimals, and as many more as tell it from
 * `beside`. */
void mrwi_explain_put_figure(mrw_text *out, double value, double beside, int decimals);

/* Writes a length for people, with enough decimals to tell it from 0. */
void mrwi_explain_put_length(mrw_text *out, double length);

/* ---- whole scenes ---------------------------------------------------------------------------- */

/* Describes how two scenes differ in lines, one at a time: which vertices of a mesh have moved and
 * how far, then all other differences in one line. `tell` gets each line; nothing is told for equal
 * scenes. */
mrw_status mrwi_explain_scenes(const mrw_scene *before, const mrw_scene *after,
                               void (*tell)(void *user, const char *line), void *user,
                               mrw_error *error);

#endif
