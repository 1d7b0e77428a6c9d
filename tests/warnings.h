/* warnings.h: the warnings of a scene. */
#ifndef MARROW_TEST_WARNINGS_H
#define MARROW_TEST_WARNINGS_H

#include "marrow/scene.h"

#include <string.h>

/* Returns whether a warning contains `part`. */
static inline bool has_warning(const mrw_scene *scene, const char *part)
{
    for (uint32_t i = 0; i < scene->warnings_count; i++) {
        if (strstr(mrw_scene_string(scene, scene->warnings[i]), part)) {
            return true;
        }
    }
    return false;
}

#endif
