/* character.h: the character as a prepared model. internal.h has its file and its picture. */
#ifndef MARROW_BENCH_CHARACTER_H
#define MARROW_BENCH_CHARACTER_H

#include <marrow/frame.h>

/* The loaded character, and a frame whose camera sees the whole clip. */
typedef struct bench_character {
    mrw_scene *scene;
    mrw_model *model;
    mrw_instance instance;
    mrw_frame_def frame;
} bench_character;

/* Loads the character with this fineness; see bench_character_glb. */
mrw_status bench_character_load(mrw_shading shading, uint32_t fineness, uint32_t width,
                                float margin, bench_character *out, mrw_error *error);
void bench_character_free(bench_character *character);

#endif
