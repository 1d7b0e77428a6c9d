/* first_key.h: makes clips begin with their first key. */
#ifndef MRWI_SCENE_FIRST_KEY_H
#define MRWI_SCENE_FIRST_KEY_H

#include "marrow/scene.h"

/* Moves time 0 of each clip to its first key, and its duration with it. The scene must not have
 * been used or hashed yet. */
void mrwi_scene_begin_at_first_keys(mrw_scene *scene);

#endif
