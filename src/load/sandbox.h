/* sandbox.h: importing a model in a helper process that can do nothing else. */
#ifndef MRWI_LOAD_SANDBOX_H
#define MRWI_LOAD_SANDBOX_H

#include "load/files_local.h"
#include "load/reader.h"

/* Imports with a fresh process of the program marrow-import. Whatever happens to it is one message:
 * which file, what happened, which limit, which option. Thread-safe. */
mrw_status mrwi_import_in_helper(const mrwi_read_job *job, const mrwi_local_files *files,
                                 mrw_scene **out, mrw_error *error);

/* Imports in this process, with the module marrow-import.so. */
mrw_status mrwi_import_in_process(const mrwi_read_job *job, mrw_scene **out, mrw_error *error);

/* ---- sandbox_find.c ---- */
/* Finds a file of the importer: MARROW_IMPORTER (its value names the program; the module lies
 * beside it), beside the running program, beside libmarrow.so, in the libexec folder of either, in
 * $(PREFIX)/libexec/marrow. */
mrw_status mrwi_importer_find(const char *file, char out[MRWI_PATH_MAX], mrw_error *error);
#define MRWI_IMPORTER_PROGRAM "marrow-import"
#define MRWI_IMPORTER_MODULE  "marrow-import.so"

/* ---- the module ---- */
/* The one symbol of marrow-import.so: mrwi_assimp_read. version is MRWI_CHANNEL_VERSION; another
 * one than the module's is refused. */
typedef mrw_status mrwi_import_module(uint32_t version, const mrwi_read_job *job, mrw_scene **out,
                                      mrw_error *error);
#define MRWI_IMPORT_MODULE_SYMBOL "mrw_import_module"

#endif
