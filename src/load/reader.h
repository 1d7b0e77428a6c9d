/* reader.h: the job of every reader of a format: from the bytes of one model to a scene. */
#ifndef MRWI_LOAD_READER_H
#define MRWI_LOAD_READER_H

#include "marrow/load.h"
#include "sandbox/files.h"
#include "scene/builder.h"

typedef struct mrwi_load_read_job {
    const uint8_t *bytes; /* followed by 64 readable bytes */
    size_t size;
    const char
        *name; /* the file's name, for messages and, where content can't tell, its extension */
    const char *format; /* the format's short name in format.c's table: "fbx", "collada", "m3d" */
    const mrw_load_def *def;
    const mrwi_sandbox_files *files;
    /* true if the bytes are a block of mrwi_base_alloc that is freed after the job: a reader may
     * give them back (mrwi_base_release) as soon as it has read everything */
    bool releasable;
} mrwi_load_read_job;

/* Starts the scene of a job, with the limits of its def. format is the scene's format: "gltf2",
 * "fbx". */
mrw_status mrwi_load_job_builder(const mrwi_load_read_job *job, const char *format,
                                 mrwi_scene_builder **out, mrw_error *error);

/* Checks a scene against the limits of a job. Its maker need not have respected them: it may be
 * compiled, or come from the import helper. Vertices count as they are stored. */
mrw_status mrwi_load_job_check_scene(const mrwi_load_read_job *job, const mrw_scene *scene,
                                     mrw_error *error);

/* Reads Frank Luna's text M3D (load/m3d.c). */
mrw_status mrwi_load_m3d_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error);

/* Reads Inter-Quake Models (load/iqm.c). */
mrw_status mrwi_load_iqm_read(const mrwi_load_read_job *job, mrw_scene **out, mrw_error *error);

#endif
