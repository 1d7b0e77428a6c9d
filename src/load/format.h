/* format.h: the one table of model formats: detection, reader, reasons for refusal. */
#ifndef MRWI_LOAD_FORMAT_H
#define MRWI_LOAD_FORMAT_H

#include "marrow/load.h"

typedef enum mrwi_load_reader {
    MRWI_LOAD_READER_NONE, /* refused, with a reason and a remedy */
    MRWI_LOAD_READER_GLTF,
    MRWI_LOAD_READER_M3D,
    MRWI_LOAD_READER_IQM,
    MRWI_LOAD_READER_MARROW,
    MRWI_LOAD_READER_ASSIMP /* in the import helper only */
} mrwi_load_reader;

typedef struct mrwi_load_format {
    /* for options and job.format: "fbx"; NULL for formats without an extension */
    const char *name;
    const char *title;      /* for messages: "FBX" */
    const char *extensions; /* separated by spaces, lower case, without the first dot */
    /* Returns true if the content has this format. bytes begin after a byte order mark and white
     * space, and size counts from there. NULL: detected only by the extension. */
    bool (*is)(const uint8_t *bytes, size_t size);
    mrwi_load_reader reader;
    bool ask; /* read only with --allow-format */
    /* Reason for a refusal, or for the need to ask, with a remedy; NULL for formats that are simply
     * read. */
    const char *reason;
    const char *remedy;
    /* Finds an unsupported version of a supported format, and writes its name. */
    bool (*too_old)(const uint8_t *bytes, size_t size, char *version, size_t room);
} mrwi_load_format;

/* Detects the format of a file: def->input_format if given, else by content, else by the extension
 * of `name`. NULL if it is unknown. */
const mrwi_load_format *mrwi_load_format_tell(const uint8_t *bytes, size_t size, const char *name,
                                              const mrw_load_def *def);

/* Returns MRW_OK if the format may be read, else fails with the reason. format may be NULL. */
mrw_status mrwi_load_format_check(const mrwi_load_format *format, const uint8_t *bytes, size_t size,
                                  const char *name, const mrw_load_def *def, mrw_error *error);

/* Writes the formats that are read by default, or on request: "glTF 2.0 (.gltf, .glb), FBX (.fbx)".
 * Returns out. */
const char *mrwi_load_format_list(bool ask, char *out, size_t size);

#endif
