/* dae_library.h: the sources, samplers and channels of a Collada file's animations. */
#ifndef MRWI_IMPORT_DAE_LIBRARY_H
#define MRWI_IMPORT_DAE_LIBRARY_H

#include "import/dae.h"

typedef struct mrwi_import_dae_source {
    mrwi_import_span id, body;
} mrwi_import_dae_source;

typedef struct mrwi_import_dae_sampler {
    mrwi_import_xml_tag tag;
    mrwi_import_span body, id;
} mrwi_import_dae_sampler;

typedef struct mrwi_import_dae_channel {
    mrwi_import_span sampler, node; /* "#id", and an id */
} mrwi_import_dae_channel;

/* What the animation libraries hold. */
typedef struct mrwi_import_dae_library {
    mrwi_import_dae_source *sources; /* by id */
    size_t source_count, source_room;
    mrwi_import_dae_sampler *samplers;
    size_t sampler_count, sampler_room;
    mrwi_import_dae_channel *channels;
    size_t channel_count, channel_room;
} mrwi_import_dae_library;

/* Lists sources, sorted, samplers and channels, in the order of the file. False when out of memory,
 * or when there are too many. mrwi_import_dae_library_free in any case. */
bool mrwi_import_dae_library_list(mrwi_import_span text, mrwi_import_dae_library *lib);
void mrwi_import_dae_library_free(mrwi_import_dae_library *lib);

/* A total order of texts. */
int mrwi_import_dae_compare(mrwi_import_span x, mrwi_import_span y);

/* The first source of an id, given as "#id". */
const mrwi_import_dae_source *mrwi_import_dae_find_source(const mrwi_import_dae_library *lib,
                                                          mrwi_import_span reference);

typedef struct mrwi_import_dae_numbers {
    size_t count, width; /* of rows, in a row */
    double *values;
    mrwi_import_span parameters; /* what the accessor holds */
} mrwi_import_dae_numbers;

/* Behind white space. */
const char *mrwi_import_dae_skip_blanks(const char *at, const char *end);

/* Takes what it reads off *numbers_left. False, with nothing to free, when the source is missing or
 * damaged. */
bool mrwi_import_dae_read_source(const mrwi_import_dae_source *from, size_t *numbers_left,
                                 mrwi_import_dae_numbers *out);

#endif
