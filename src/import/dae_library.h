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
    mrwi_import_span sampler, node; /* "#id" of the sampler, and id of the node */
} mrwi_import_dae_channel;

/* The contents of the animation libraries. */
typedef struct mrwi_import_dae_library {
    mrwi_import_dae_source *sources; /* sorted by id */
    size_t source_count, source_room;
    mrwi_import_dae_sampler *samplers;
    size_t sampler_count, sampler_room;
    mrwi_import_dae_channel *channels;
    size_t channel_count, channel_room;
} mrwi_import_dae_library;

/* Lists sources, sorted, samplers and channels, in the order of the file. Returns false when out of
 * memory, or if there are too many. The caller calls mrwi_import_dae_library_free in any case. */
bool mrwi_import_dae_library_list(mrwi_import_span text, mrwi_import_dae_library *lib);
void mrwi_import_dae_library_free(mrwi_import_dae_library *lib);

/* Compares texts in a total order. */
int mrwi_import_dae_compare(mrwi_import_span x, mrwi_import_span y);

/* Finds the first source of an id, given as "#id". */
const mrwi_import_dae_source *mrwi_import_dae_find_source(const mrwi_import_dae_library *lib,
                                                          mrwi_import_span reference);

typedef struct mrwi_import_dae_numbers {
    size_t count, width; /* number of rows, and of numbers per row */
    double *values;
    mrwi_import_span parameters; /* the accessor's <param> elements */
} mrwi_import_dae_numbers;

/* Returns the first place that is not white space. */
const char *mrwi_import_dae_skip_blanks(const char *at, const char *end);

/* Reads a source, and subtracts its size from *numbers_left. Returns false, with nothing to free,
 * if the source is missing or damaged. */
bool mrwi_import_dae_read_source(const mrwi_import_dae_source *from, size_t *numbers_left,
                                 mrwi_import_dae_numbers *out);

#endif
