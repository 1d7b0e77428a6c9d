/* io.h: the files that assimp sees: the model in memory, and files that the reader's job may
 * read. */
#ifndef MRWI_IMPORT_IO_H
#define MRWI_IMPORT_IO_H

#include "import/fbx_bytes.h"
#include "import/mtl.h"
#include "import/visibility.h"
#include "load/reader.h"
#include "scene/builder.h"

#include <assimp/cfileio.h>

/* Parts of the files that assimp drops, read from their bytes. A member is empty if the format is
 * not one that it names. */
typedef struct mrwi_import_extras {
    mrwi_import_fbx_sliders sliders;   /* blend shape channels; FBX */
    mrwi_import_beyond beyond;         /* channels that go on beyond their keys; FBX, Collada */
    mrwi_import_visibility visibility; /* hidden nodes, joints; FBX, Collada */
    mrwi_import_mtl mtl;               /* contents of material libraries; OBJ */
    uint32_t dae_tags;                 /* bits of mrwi_import_dae_find_tags; Collada */
} mrwi_import_extras;
void mrwi_import_extras_free(mrwi_import_extras *extras);

typedef struct mrwi_import_files mrwi_import_files;

/* Opens the files of a job. NULL when out of memory. */
mrwi_import_files *mrwi_import_files_open(const mrwi_load_read_job *job);
void mrwi_import_files_close(mrwi_import_files *files); /* NULL allowed */

/* Gives away the extras, which the caller must free; they are empty the second time. Call it after
 * assimp has read the files. Returns false if there was no memory for the maps of a material
 * library. */
bool mrwi_import_files_take_extras(mrwi_import_files *files, mrwi_import_extras *out);

/* Returns the name under which the model is opened: its own, with an extension that leads assimp to
 * the reader of the job's format. */
const char *mrwi_import_files_model(const mrwi_import_files *files);
struct aiFileIO *mrwi_import_files_io(mrwi_import_files *files);

/* Warns of files that exist but were refused. */
void mrwi_import_files_report(const mrwi_import_files *files, mrwi_scene_builder *builder);

#endif
