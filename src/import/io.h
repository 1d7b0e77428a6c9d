/* io.h: the files assimp sees: the model in memory, and what the reader's job may read.
 */
#ifndef MRWI_IMPORT_IO_H
#define MRWI_IMPORT_IO_H

#include "import/fbx_bytes.h"
#include "import/mtl.h"
#include "import/visibility.h"
#include "load/reader.h"
#include "scene/builder.h"

#include <assimp/cfileio.h>

typedef struct mrwi_import_files mrwi_import_files;

/* NULL when out of memory. */
mrwi_import_files *mrwi_import_files_open(const mrwi_load_read_job *job);
void mrwi_import_files_close(mrwi_import_files *files); /* NULL allowed */

/* The blend shape channels of an FBX file, to be freed by the caller; empty for other formats and
 * the second time. */
mrwi_import_fbx_sliders mrwi_import_files_take_sliders(mrwi_import_files *files);

/* The channels of an FBX or Collada file that do not hold beyond their keys; the same. */
mrwi_import_beyond mrwi_import_files_take_beyond(mrwi_import_files *files);

/* What an FBX or Collada file hides, as above. */
mrwi_import_visibility mrwi_import_files_take_visibility(mrwi_import_files *files);

/* The maps in the material libraries of an OBJ file that assimp has read, to be freed by the
 * caller; none the second time. False when there was no memory for them. */
bool mrwi_import_files_take_mtl(mrwi_import_files *files, mrwi_import_mtl *out);

/* The name under which the model is opened: its own, with an extension that leads assimp to the
 * reader of the job's format. */
const char *mrwi_import_files_model(const mrwi_import_files *files);
struct aiFileIO *mrwi_import_files_io(mrwi_import_files *files);

/* Warns of files that exist but were refused. */
void mrwi_import_files_report(const mrwi_import_files *files, mrwi_scene_builder *builder);

#endif
