/* scenes.h: models that several cases draw, loaded once. */
#ifndef MRWI_GOLDEN_SCENES_H
#define MRWI_GOLDEN_SCENES_H

#include "golden/cameras.h"
#include "marrow/stage.h"
#include "marrow/suite.h"

#include <pthread.h>

/* A scene prepared for drawing in one of the ways that cases want. */
typedef struct mrwi_golden_prepared_model {
    uint32_t shading;
    uint32_t max_influences;
    mrw_model *model;
    struct mrwi_golden_prepared_model *next;
} mrwi_golden_prepared_model;

/* A model with all that settings say of reading it; loaded when the first case wants it, freed
 * after the last. Those of --add stay to the end of the run. */
typedef struct mrwi_golden_shared_scene {
    pthread_mutex_t lock;
    const char *path;
    mrw_settings settings;
    size_t users;                          /* cases that have not given it back */
    struct mrwi_golden_shared_scene *next; /* among those of --add */
    bool tried;
    mrw_scene *scene;
    mrwi_golden_prepared_model *models;
    mrwi_golden_framing *framings;
    mrw_error error; /* when it could not be loaded */
} mrwi_golden_shared_scene;

typedef struct mrwi_golden_scenes {
    const mrw_stage_host *host; /* hears what is found while loading */
    mrwi_golden_shared_scene *items;
    uint32_t count;
    uint32_t *of_case;    /* [case of the list] */
    pthread_mutex_t lock; /* of the list that follows */
    mrwi_golden_shared_scene *added;
} mrwi_golden_scenes;

mrw_status mrwi_golden_scenes_make(const mrw_case_list *cases, const mrw_stage_host *host,
                                   mrwi_golden_scenes *out, mrw_error *error);
/* The scene of a case; `threads` load it when it is not loaded yet. */
mrw_status mrwi_golden_scenes_take(mrwi_golden_scenes *scenes, size_t index, int threads,
                                   const mrw_scene **out, mrw_error *error);

/* The scene of a case that has taken it, prepared as its settings want. */
mrw_status mrwi_golden_scenes_model(mrwi_golden_scenes *scenes, size_t index,
                                    const mrw_settings *settings, int threads,
                                    const mrw_model **out, mrw_error *error);

/* Places the camera of a stage of that scene: what it reaches is measured once for all cases that
 * frame it the same way. */
mrw_status mrwi_golden_scenes_aim(mrwi_golden_scenes *scenes, size_t index, mrw_stage *stage,
                                  mrw_error *error);

/* A model of --add, loaded and prepared as settings say; it stays until the run ends. */
mrw_status mrwi_golden_scenes_added(mrwi_golden_scenes *scenes, const char *path,
                                    const mrw_settings *settings, int threads,
                                    const mrw_scene **scene, const mrw_model **prepared,
                                    mrw_error *error);
void mrwi_golden_scenes_give(mrwi_golden_scenes *scenes,
                             size_t index); /* once a case, taken or not */
void mrwi_golden_scenes_free(mrwi_golden_scenes *scenes);

#endif
