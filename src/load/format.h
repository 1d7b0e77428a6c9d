/* format.h: the one table of model formats: how to tell each, who reads it, and why not. */
#ifndef MRWI_LOAD_FORMAT_H
#define MRWI_LOAD_FORMAT_H

#include "marrow/load.h"

typedef enum mrwi_load_reader {
    MRWI_LOAD_READER_NONE, /* refused, with a reason and a way out */
    MRWI_LOAD_READER_GLTF,
    MRWI_LOAD_READER_M3D,
    MRWI_LOAD_READER_IQM,
    MRWI_LOAD_READER_MARROW,
    MRWI_LOAD_READER_ASSIMP /* in the import helper only */
} mrwi_load_reader;

typedef struct mrwi_load_format {
    const char *name;       /* for options and job.format: "fbx"; NULL for what has no extension */
    const char *title;      /* for messages: "FBX" */
    const char *extensions; /* separated by spaces, lower case, without the first dot */
    /* True when the content is of this format. bytes begin behind a byte order mark and white
     * space, size counts from there. NULL: only the extension tells. */
    bool (*is)(const uint8_t *bytes, size_t size);
    mrwi_load_reader reader;
    bool ask; /* read only with --allow-format */
    /* Why it is refused, or has to be asked for, and what to do; NULL for what is simply read. */
    const char *reason;
    const char *remedy;
    /* Finds a version that cannot be read, in a file of a format that can: writes its name. */
    bool (*too_old)(const uint8_t *bytes, size_t size, char *version, size_t room);
} mrwi_load_format;

/* The format of a file: def->input_format when given, else by content, else by the extension of
 * `name`. NULL when nothing tells. */
const mrwi_load_format *mrwi_load_format_tell(const uint8_t *bytes, size_t size, const char *name,
                                              const mrw_load_def *def);

/* MRW_OK when the format may be read, else the refusal in words. format may be NULL. */
mrw_status mrwi_load_format_check(const mrwi_load_format *format, const uint8_t *bytes, size_t size,
                                  const char *name, const mrw_load_def *def, mrw_error *error);

/* The formats read by default, or only when asked for, as "glTF 2.0 (.gltf, .glb), FBX (.fbx)".
 * Returns out. */
const char *mrwi_load_format_list(bool ask, char *out, size_t size);

#endif
