/* importer.h: gets scenes from marrow-import, which reads all formats that we do not read
 * ourselves: as a helper process that can do nothing else, or as a module in this process. */
#ifndef MRWI_LOAD_IMPORTER_H
#define MRWI_LOAD_IMPORTER_H

#include "load/files_local.h"
#include "load/reader.h"
#include "sandbox/channel.h"

/* Imports with a new process of the program marrow-import. If it fails, one message says which
 * file, what happened, which limit, which option. Thread-safe. */
mrw_status mrwi_load_import_in_helper(const mrwi_load_read_job *job, mrwi_load_local_files *files,
                                      mrw_scene **out, mrw_error *error);

/* Imports in this process, with the module marrow-import.so. */
mrw_status mrwi_load_import_in_process(const mrwi_load_read_job *job, mrw_scene **out,
                                       mrw_error *error);

/* ---- importer_find.c ------------------------------------------------------------------------- */
/* Finds a file of the importer: with MARROW_IMPORTER (it names the program; the module is beside
 * it), beside the running program, beside libmarrow.so, in the libexec folder of either, or in
 * $(PREFIX)/libexec/marrow. */
mrw_status mrwi_load_importer_find(const char *file, char out[MRWI_BASE_PATH_MAX],
                                   mrw_error *error);
#define MRWI_LOAD_IMPORTER_PROGRAM "marrow-import"
#define MRWI_LOAD_IMPORTER_MODULE  "marrow-import.so"

/* ---- module.c -------------------------------------------------------------------------------- */

/* Finds a function of the module, which is loaded once and never unloaded: a second load is free,
 * and libraries with thread-local data cannot be unloaded safely. A static program cannot load
 * modules: MRW_ERROR_TOOL. */
mrw_status mrwi_load_module_open(const char *name, void **symbol, mrw_error *error);

/* ---- between the library and the importer ---------------------------------------------------- */

/* The details of a helper's job: the parts of mrw_load_def that are not limits of the sandbox. They
 * travel as bytes, so MRWI_SANDBOX_CHANNEL_VERSION must be raised with every change of this, of
 * mrw_load_def, and of blobs. */
typedef struct mrwi_load_import_details {
    uint64_t max_texture_size, max_elements, max_vertices, max_joints, max_keys;
    uint64_t texture_memory;
    uint64_t fbx_curves, clips_only, flip_v, flip_winding, later_jpegs; /* 0 or 1 */
    uint64_t maps;                                                      /* one bit per map */
    uint64_t material_colors;                                           /* mrw_material_colors */
    char format[32]; /* the short name in format.c's table, or "draco" */
} mrwi_load_import_details;
_Static_assert(sizeof(mrwi_load_import_details) <= MRWI_SANDBOX_CHANNEL_DETAILS,
               "travels in a message");

/* The symbols of marrow-import.so. version is MRWI_SANDBOX_CHANNEL_VERSION; the module refuses any
 * but its own. */
typedef mrw_status mrwi_load_import_module(uint32_t version, const mrwi_load_read_job *job,
                                           mrw_scene **out, mrw_error *error);
#define MRWI_LOAD_IMPORT_MODULE_SYMBOL "mrw_import_module"
/* See load/draco.h. */
typedef mrw_status mrwi_load_draco_module(uint32_t version, const uint8_t *request, size_t size,
                                          uint64_t max_elements, uint8_t **answer,
                                          size_t *answer_size, mrw_error *error);
#define MRWI_LOAD_DRACO_MODULE_SYMBOL "mrw_import_draco_module"

#endif
