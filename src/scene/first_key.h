/* first_key.h: clips that begin with their first key. */
#ifndef MRWI_SCENE_FIRST_KEY_H
#define MRWI_SCENE_FIRST_KEY_H

#include "marrow/scene.h"

/* Moves time 0 of each clip to its first key, and its duration with it. For a scene that nothing
 * has used or hashed yet. */
void mrwi_scene_begin_at_first_keys(mrw_scene *scene);

#endif
