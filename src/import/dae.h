/* dae.h: repairs Collada files before assimp sees them, and reads what it drops. */
#ifndef MRWI_IMPORT_DAE_H
#define MRWI_IMPORT_DAE_H

#include "import/beyond.h"
#include "import/edits.h"

#include <string.h>

/* ---- dae_xml.c: a first look, which saves others --------------------------------------------- */
/* Bits of the tags that a file has, in comments, too. */
enum {
    MRWI_IMPORT_DAE_MORPH = 1,
    MRWI_IMPORT_DAE_TRANSPARENT = 2,
    MRWI_IMPORT_DAE_DISPLACEMENT = 4,
    MRWI_IMPORT_DAE_CLIP = 8, /* <animation_clip> */
    MRWI_IMPORT_DAE_SAMPLER = 16,
    MRWI_IMPORT_DAE_SURFACE = 32, /* triangles or polygons */
    MRWI_IMPORT_DAE_VISIBILITY = 64
};
uint32_t mrwi_import_dae_find_tags(const char *text, size_t size);

/* ---- dae_curves.c ---------------------------------------------------------------------------- */
/* Sets *out (mrwi_base_alloc) to a copy of the file in which all curves are straight between their
 * keys, with all repairs below, or to NULL if the file can be read unchanged. tags: those of the
 * file. Fills *beyond, which the caller must free in any case: nodes whose curves do not hold
 * beyond their keys. Returns false when out of memory. */
bool mrwi_import_dae_mend(const uint8_t *bytes, size_t size, uint32_t tags,
                          mrwi_import_beyond *beyond, uint8_t **out, size_t *out_size);

/* ---- dae_arrays.c ---------------------------------------------------------------------------- */
/* Adds edits so that every array's count covers what its accessors read. Returns false when out of
 * memory. */
bool mrwi_import_dae_mend_arrays(const char *text, size_t size, mrwi_import_edits *edits);

/* ---- dae_legal.c ----------------------------------------------------------------------------- */
/* Adds edits for legal Collada that assimp refuses or misreads. Returns false when out of
 * memory. */
bool mrwi_import_dae_mend_legal(const char *text, size_t size, mrwi_import_edits *edits);

/* ---- dae_morphs.c ---------------------------------------------------------------------------- */
/* Adds edits for morphs and the skins over them. Returns false when out of memory. */
bool mrwi_import_dae_mend_morphs(const char *text, size_t size, mrwi_import_edits *edits);
/* Counts of the morphs that these edits leave out, and of curves for their weights. */
typedef struct mrwi_import_left_out {
    size_t morphs, curves;
} mrwi_import_left_out;
mrwi_import_left_out mrwi_import_dae_morphs_left_out(const char *text, size_t size);

/* ---- dae_effects.c --------------------------------------------------------------------------- */
/* Returns true if some material has a displacement map. */
bool mrwi_import_dae_displaces(const char *text, size_t size);

/* The meaning of <transparent> and <transparency> if the former has a texture. */
typedef struct mrwi_import_dae_opacity {
    bool rgb;     /* true if the texture's luminance counts, not its alpha */
    bool zero;    /* true if it is the light that shines through */
    float amount; /* factor on it, 0 ... 1 */
} mrwi_import_dae_opacity;

/* Adds edits that encode all of this in the number of <transparency>, which assimp passes on. */
void mrwi_import_dae_mark_opacity(const char *text, size_t size, mrwi_import_edits *edits);
mrwi_import_dae_opacity mrwi_import_dae_read_opacity(float number);

/* ---- dae_xml.c: the little XML it takes to find sources and samplers ------------------------- */

/* A part of a text, without a NUL. */
typedef struct mrwi_import_span {
    const char *at;
    size_t size;
} mrwi_import_span;

typedef struct mrwi_import_xml_tag {
    mrwi_import_span whole; /* the whole tag, from < to > */
    mrwi_import_span name;
    mrwi_import_span attributes;
    bool closes; /* </name> */
    bool empty;  /* <name/> */
} mrwi_import_xml_tag;

/* Compares a part with a text; compilers make a comparison of constants of it. */
static inline bool mrwi_import_span_is(mrwi_import_span span, const char *text)
{
    const size_t size = strlen(text);
    return span.size == size && memcmp(span.at, text, size) == 0;
}

/* Reads the next tag at *at, which moves to its end; comments, declarations and CDATA are skipped.
 * Returns false at the end and where the text is damaged. */
bool mrwi_import_xml_next(const char **at, const char *end, mrwi_import_xml_tag *out);

/* Reads the next opening tag of a name, as above. */
bool mrwi_import_xml_find(const char **at, const char *end, const char *name,
                          mrwi_import_xml_tag *out);

/* Finds the text between a tag and its closing tag, and moves *at behind the latter. Elements of
 * one name are not nested. Returns false if it is not closed. */
bool mrwi_import_xml_body(const char **at, const char *end, const mrwi_import_xml_tag *tag,
                          mrwi_import_span *out);

/* Reads the value of an attribute. Returns false if there is none. */
bool mrwi_import_xml_attribute(const mrwi_import_xml_tag *tag, const char *name,
                               mrwi_import_span *out);

/* Reads an attribute as a count, `missing` if there is none. Returns false if it is not a number up
 * to `most`. */
bool mrwi_import_xml_count(const mrwi_import_xml_tag *tag, const char *name, size_t missing,
                           size_t most, size_t *out);

#endif
