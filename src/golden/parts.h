/* parts.h: parts of scenes in goldens: made once for all cases, and as lines of golden.txt. */
#ifndef MRWI_GOLDEN_PARTS_H
#define MRWI_GOLDEN_PARTS_H

#include "explain/parts.h"
#include "golden/lines.h"

#include <pthread.h>

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
                                  mrwi_explain_part_list *out, mrw_error *error);

/* ---- lines of golden.txt --------------------------------------------------------------------- */

/* Writes what follows "part " in a line:
 *
 *     shape "Ear" 3f0c... vertices 120 triangles 200 box -1 0 -1 1 4 1
 */
void mrwi_golden_parts_put(const mrwi_explain_part *part, mrw_text *out);

/* Writes whole lines of all parts. */
void mrwi_golden_parts_put_all(const mrwi_explain_part_list *parts, mrw_text *out);

/* Reads what follows "part " in a line. */
mrw_status mrwi_golden_parts_read(mrwi_golden_lines *lines, mrwi_base_arena *arena,
                                  mrwi_explain_part *out, mrw_error *error);

#endif
