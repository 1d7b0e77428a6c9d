/* dae.h: Collada files mended before assimp sees them, and what it leaves out. */
#ifndef MRWI_IMPORT_DAE_H
#define MRWI_IMPORT_DAE_H

#include "import/beyond.h"
#include "import/edits.h"

/* ---- dae_curves.c ---------------------------------------------------------------------------- */
/* Sets *out (mrwi_base_alloc) to a copy of the file in which all curves are straight between their
 * keys and what else is mended below, or to NULL when the file may be read as it is. Fills *beyond,
 * to be freed in any case: nodes whose curves do not hold beyond their keys. False when out of
 * memory. */
bool mrwi_import_dae_mend(const uint8_t *bytes, size_t size, mrwi_import_beyond *beyond,
                          uint8_t **out, size_t *out_size);

/* ---- dae_arrays.c ---------------------------------------------------------------------------- */
/* Adds edits that let every array's count cover what its accessors read. False when out of memory.
 */
bool mrwi_import_dae_mend_arrays(const char *text, size_t size, mrwi_import_edits *edits);

/* ---- dae_legal.c ----------------------------------------------------------------------------- */
/* Adds edits for what Collada allows and assimp refuses or misreads. False when out of memory. */
bool mrwi_import_dae_mend_legal(const char *text, size_t size, mrwi_import_edits *edits);

/* ---- dae_morphs.c ---------------------------------------------------------------------------- */
/* Adds edits for morphs and what stands over them. False when out of memory. */
bool mrwi_import_dae_mend_morphs(const char *text, size_t size, mrwi_import_edits *edits);
/* How many morphs, and curves that move their weights, that leaves out. */
typedef struct mrwi_import_left_out {
    size_t morphs, curves;
} mrwi_import_left_out;
mrwi_import_left_out mrwi_import_dae_morphs_left_out(const char *text, size_t size);

/* ---- dae_effects.c --------------------------------------------------------------------------- */
/* Whether some material has a displacement map. */
bool mrwi_import_dae_displaces(const char *text, size_t size);

/* What <transparent> and <transparency> say where the former has a texture. */
typedef struct mrwi_import_dae_opacity {
    bool rgb;     /* the texture's luminance counts, not its alpha */
    bool zero;    /* ... as what shines through */
    float amount; /* multiplies that, 0 ... 1 */
} mrwi_import_dae_opacity;

/* Adds edits that make all of it the number in <transparency>, which is what assimp hands on. */
void mrwi_import_dae_mark_opacity(const char *text, size_t size, mrwi_import_edits *edits);
mrwi_import_dae_opacity mrwi_import_dae_read_opacity(float number);

/* ---- dae_xml.c: the little XML it takes to find sources and samplers ------------------------- */

/* A part of a text, not terminated. */
typedef struct mrwi_import_span {
    const char *at;
    size_t size;
} mrwi_import_span;

typedef struct mrwi_import_xml_tag {
    mrwi_import_span whole; /* from < to > */
    mrwi_import_span name;
    mrwi_import_span attributes;
    bool closes; /* </name> */
    bool empty;  /* <name/> */
} mrwi_import_xml_tag;

bool mrwi_import_span_is(mrwi_import_span span, const char *text);

/* The next tag at *at, which moves behind it; comments, declarations and CDATA are skipped. False
 * at the end and where the text is damaged. */
bool mrwi_import_xml_next(const char **at, const char *end, mrwi_import_xml_tag *out);

/* The next tag of a name that opens, as above. */
bool mrwi_import_xml_find(const char **at, const char *end, const char *name,
                          mrwi_import_xml_tag *out);

/* What stands between a tag and its closing tag, which *at moves behind. Elements of one name don't
 * lie in each other. False when it isn't closed. */
bool mrwi_import_xml_body(const char **at, const char *end, const mrwi_import_xml_tag *tag,
                          mrwi_import_span *out);

/* The value of an attribute; false when there is none. */
bool mrwi_import_xml_attribute(const mrwi_import_xml_tag *tag, const char *name,
                               mrwi_import_span *out);

/* The same as a count, `missing` when there is none; false when it is no number up to `most`. */
bool mrwi_import_xml_count(const mrwi_import_xml_tag *tag, const char *name, size_t missing,
                           size_t most, size_t *out);

#endif
