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

typedef struct mrwi_import_files mrwi_import_files;

/* Opens the files of a job. NULL when out of memory. */
mrwi_import_files *mrwi_import_files_open(const mrwi_load_read_job *job);
void mrwi_import_files_close(mrwi_import_files *files); /* NULL allowed */

/* Returns the blend shape channels of an FBX file, which the caller must free; empty for other
 * formats and the second time. */
mrwi_import_fbx_sliders mrwi_import_files_take_sliders(mrwi_import_files *files);

/* Returns the channels of an FBX or Collada file that do not hold beyond their keys, in the same
 * way. */
mrwi_import_beyond mrwi_import_files_take_beyond(mrwi_import_files *files);

/* Returns what an FBX or Collada file hides, in the same way. */
mrwi_import_visibility mrwi_import_files_take_visibility(mrwi_import_files *files);

/* Returns the maps in the material libraries of an OBJ file that assimp has read. The caller frees
 * them; none the second time. Returns false if there was no memory for them. */
bool mrwi_import_files_take_mtl(mrwi_import_files *files, mrwi_import_mtl *out);

/* Returns the name under which the model is opened: its own, with an extension that leads assimp to
 * the reader of the job's format. */
const char *mrwi_import_files_model(const mrwi_import_files *files);
struct aiFileIO *mrwi_import_files_io(mrwi_import_files *files);

/* Warns of files that exist but were refused. */
void mrwi_import_files_report(const mrwi_import_files *files, mrwi_scene_builder *builder);

#endif
