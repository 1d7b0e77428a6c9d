/* fbx_bytes.h: repairs FBX bytes before assimp sees them. */
#ifndef MRWI_IMPORT_FBX_BYTES_H
#define MRWI_IMPORT_FBX_BYTES_H

#include "import/beyond.h"
#include "import/edits.h"
#include "load/reader.h"

#include <string.h>

/* A blend shape channel: a number, "DeformPercent", that leads a mesh through one or several
 * targets. 1 stands for 100 %. */
typedef struct mrwi_import_fbx_slider {
    uint32_t
        /* its number among its deformer's channels, which assimp's keys use; MRW_NONE if it has
         * none */
        place;
    float rest; /* its value when no clip moves it */
    uint32_t target_count;
    /* [target_count]: the knot at which the target has its full effect, or MRW_NONE */
    uint32_t *knot_of;
    float *knots; /* [knot_count], ascending; one of them is 0, the mesh without the channel */
    uint32_t knot_count;
} mrwi_import_fbx_slider;

typedef struct mrwi_import_fbx_sliders {
    mrwi_import_fbx_slider *list;
    size_t count;
} mrwi_import_fbx_sliders;

/* Mark in names. In the bytes that assimp reads, the name of the channel in list[i], which its
 * targets inherit, ends in this and the number i. Models with the name of an earlier model get such
 * a mark, too; the numbers tell them apart. */
#define MRWI_IMPORT_FBX_MARK '\x1f'

void mrwi_import_fbx_sliders_free(mrwi_import_fbx_sliders *sliders);

/* Sets *out (mrwi_base_alloc) to a copy of the file that assimp reads without loss, or to NULL if
 * the file can be read unchanged. Changes constant and cubic curves only with `curves`. Fills
 * *sliders and *beyond, which the caller must free in any case. *unpainted counts geometries that
 * several models share, some of which do not get their own materials. Returns false when out of
 * memory. */
bool mrwi_import_fbx_mend(const uint8_t *bytes, size_t size, bool curves,
                          mrwi_import_fbx_sliders *sliders, mrwi_import_beyond *beyond,
                          uint32_t *unpainted, uint8_t **out, size_t *out_size);

/* ---- between the fbx_*.c that mend bytes ----------------------------------------------------- */

#define MRWI_IMPORT_FBX_SECOND      INT64_C(46186158000) /* ticks */
#define MRWI_IMPORT_FBX_MILLISECOND INT64_C(46186158)
#define MRWI_IMPORT_FBX_MAX_CUTS    64

typedef struct mrwi_import_fbx {
    const uint8_t *bytes; /* the file */
    size_t size;
    bool binary;
    uint32_t version; /* 7400; offsets in binary files have 8 bytes from 7500 on */
    mrwi_import_edits edits;
    int64_t cuts[MRWI_IMPORT_FBX_MAX_CUTS]; /* starts and ends of clips, in ticks */
    size_t cut_count;
    /* number of geometries that mrwi_import_fbx_find_instances left unchanged */
    uint32_t unpainted;
} mrwi_import_fbx;

/* Returns a file without edits. */
mrwi_import_fbx mrwi_import_fbx_open(const uint8_t *bytes, size_t size);
/* Finds blend shapes without normals and gives them zeros. */
void mrwi_import_fbx_find_shapes(mrwi_import_fbx *fbx);
/* Finds curves that are not straight between their keys and gives them more keys. Without `follow`,
 * does so only for curves that continue with the slope of their end. */
void mrwi_import_fbx_find_curves(mrwi_import_fbx *fbx, bool follow);
/* Lists the channels of models that do not hold beyond their keys. Returns false when out of
 * memory. */
bool mrwi_import_fbx_find_beyond(mrwi_import_fbx *fbx, mrwi_import_beyond *out);
/* Marks the names of models that share their name with others. Returns false when out of memory. */
bool mrwi_import_fbx_find_names(mrwi_import_fbx *fbx);
/* Gives each list of materials with which a geometry is shown its own copy of the geometry. Returns
 * false when out of memory. */
bool mrwi_import_fbx_find_instances(mrwi_import_fbx *fbx);
/* Lists the blend shape channels and marks their names. Returns false when out of memory. */
bool mrwi_import_fbx_find_sliders(mrwi_import_fbx *fbx, mrwi_import_fbx_sliders *out);

/* ---- fbx_nodes.c: the nodes of a file -------------------------------------------------------- */

/* A node of a binary file. */
typedef struct mrwi_import_fbx_node {
    size_t at, end; /* `end` is 0 for the record that closes a list */
    size_t properties, children;
    size_t name;
    size_t name_size;
} mrwi_import_fbx_node;

/* Reads and writes a little-endian number of up to 8 bytes: a single instruction if their number is
 * a constant. */
static inline uint64_t mrwi_import_fbx_little(const uint8_t *p, int bytes)
{
    uint64_t value = 0;
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        memcpy(&value, p, (size_t)bytes);
        return value;
    }
    for (int i = bytes - 1; i >= 0; i--) {
        value = value << 8 | p[i];
    }
    return value;
}
static inline void mrwi_import_fbx_put_little(uint8_t *p, uint64_t value, int bytes)
{
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        memcpy(p, &value, (size_t)bytes);
        return;
    }
    for (int i = 0; i < bytes; i++) {
        p[i] = (uint8_t)(value >> (8 * i));
    }
}

size_t mrwi_import_fbx_header_size(const mrwi_import_fbx *fbx);
/* Returns the bytes of an offset, a count or a size in a header. */
int mrwi_import_fbx_offset_size(const mrwi_import_fbx *fbx);
/* Returns the place of the size of all properties in a header. */
size_t mrwi_import_fbx_property_size_at(const mrwi_import_fbx *fbx,
                                        const mrwi_import_fbx_node *node);
/* Writes the header and name of a node with one property. Returns their size. The offset is right
 * only if no other byte of the file moves: mrwi_import_fbx_move_offsets corrects it. */
size_t mrwi_import_fbx_put_header(const mrwi_import_fbx *fbx, mrwi_import_edit *edit,
                                  const char *name, size_t property_size);
/* Reads a node. Returns false if it is not between `at` and `limit`. */
bool mrwi_import_fbx_read_node(const mrwi_import_fbx *fbx, size_t at, size_t limit,
                               mrwi_import_fbx_node *out);
bool mrwi_import_fbx_is_named(const mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node,
                              const char *name);
/* Finds a child by name. Returns false if there is none. */
bool mrwi_import_fbx_find_child(const mrwi_import_fbx *fbx, const mrwi_import_fbx_node *parent,
                                const char *name, mrwi_import_fbx_node *out);
/* Called for every child of the topmost nodes of a name, "Objects" or "Connections". */
typedef void mrwi_import_fbx_each_fn(mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node,
                                     void *context);
void mrwi_import_fbx_each_child(mrwi_import_fbx *fbx, const char *name,
                                mrwi_import_fbx_each_fn *each, void *context);
/* Corrects the offsets in the headers of a binary file's nodes, in the edited copy. */
void mrwi_import_fbx_move_offsets(const mrwi_import_fbx *fbx, uint8_t *out);

/* Text: returns the place after the brace that closes the one opened before `at`; 0 if there is
 * none. */
size_t mrwi_import_fbx_closing_brace(const mrwi_import_fbx *fbx, size_t at);
const uint8_t *mrwi_import_fbx_find(const mrwi_import_fbx *fbx, size_t from, size_t to,
                                    const char *what);
/* Text: returns the place after "Name:" at the beginning of a line, or `to`. */
size_t mrwi_import_fbx_find_line(const mrwi_import_fbx *fbx, size_t from, size_t to,
                                 const char *name);
/* Text: returns the first place that is not white space. */
size_t mrwi_import_fbx_skip_blanks(const mrwi_import_fbx *fbx, size_t at, size_t to);

/* ---- fbx_arrays.c: arrays of numbers --------------------------------------------------------- */

/* An array that is the only property of a node. */
typedef struct mrwi_import_fbx_array {
    size_t at, end; /* range that a new array replaces */
    size_t count;
    double *numbers; /* mrwi_base_alloc; integers of more than 53 bits are refused */
} mrwi_import_fbx_array;

/* The body of an object, which contains arrays. */
typedef struct mrwi_import_fbx_body {
    mrwi_import_fbx_node node; /* only binary */
    size_t from, to;           /* only text */
} mrwi_import_fbx_body;

typedef enum mrwi_import_fbx_kind {
    MRWI_IMPORT_FBX_NUMBERS, /* integers or floats, unchanged */
    MRWI_IMPORT_FBX_BITS,    /* 32 bits each, as an unsigned integer */
} mrwi_import_fbx_kind;

/* Reads an array. Returns false, with nothing to free, if it is missing or damaged. */
bool mrwi_import_fbx_read_array(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                                const char *name, mrwi_import_fbx_kind kind,
                                mrwi_import_fbx_array *out);
/* Replaces an array by another one: 64-bit integers or floats. Returns false if there is no
 * room. */
bool mrwi_import_fbx_replace_array(mrwi_import_fbx *fbx, const mrwi_import_fbx_array *old,
                                   const char *name, bool integers, const double *numbers,
                                   size_t count);

/* ---- fbx_beyond.c: how curves go on ---------------------------------------------------------- */

/* Returns true if some curve of the file may not hold. */
bool mrwi_import_fbx_may_go_on(const mrwi_import_fbx *fbx);
/* Finds whether a curve continues with its slope before its first key, and after its last. */
void mrwi_import_fbx_keeps_slope(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                                 bool *before, bool *after);

/* ---- fbx_objects.c: children of "Objects" ---------------------------------------------------- */

typedef struct mrwi_import_fbx_object {
    uint64_t id;
    size_t name, name_end; /* place of its name; in binary without its class */
    const uint8_t *class;  /* "BlendShapeChannel"; not terminated */
    size_t class_size;
    mrwi_import_fbx_body body; /* in text its end is unknown: see mrwi_import_fbx_close_body */
} mrwi_import_fbx_object;

/* Called for every object of a type, "Deformer". */
typedef void mrwi_import_fbx_object_fn(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object,
                                       void *context);
void mrwi_import_fbx_each_object(mrwi_import_fbx *fbx, const char *type,
                                 mrwi_import_fbx_object_fn *each, void *context);
/* A connection: from an object to its owner, or to a property of its owner. */
typedef struct mrwi_import_fbx_link {
    uint64_t from, to;
    size_t from_at, from_size; /* places of the ids in the file */
    size_t to_at, to_size;
    const uint8_t *property; /* NULL if there is none; without a NUL */
    size_t property_size;
} mrwi_import_fbx_link;

typedef void mrwi_import_fbx_link_fn(mrwi_import_fbx *fbx, const mrwi_import_fbx_link *l,
                                     void *context);
void mrwi_import_fbx_each_link(mrwi_import_fbx *fbx, mrwi_import_fbx_link_fn *each, void *context);

/* Reads the first number of an object's property in "Properties70". In text the body must be
 * closed. */
bool mrwi_import_fbx_read_property(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                                   const char *name, double *out);
/* Binary: reads the number at `at`; its type comes first. */
bool mrwi_import_fbx_read_number(const mrwi_import_fbx *fbx, size_t at, size_t to, double *out);

/* Text: finds the end of a body. Returns false if there is none. */
bool mrwi_import_fbx_close_body(const mrwi_import_fbx *fbx, mrwi_import_fbx_body *body);
/* Appends MRWI_IMPORT_FBX_MARK and a number to an object's name. */
void mrwi_import_fbx_mark(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object,
                          size_t number);

/* Binary: returns the bytes of a property of type 'S' at `at`; NULL if there is none. */
const uint8_t *mrwi_import_fbx_string_at(const mrwi_import_fbx *fbx, size_t at, size_t to,
                                         size_t *length);
/* Text: reads digits. Returns the place after them, or 0. */
size_t mrwi_import_fbx_read_id(const mrwi_import_fbx *fbx, size_t at, size_t to, uint64_t *out);
/* Text: returns the place after `what` and the white space around it; `to` if something else is
 * there. */
size_t mrwi_import_fbx_expect(const mrwi_import_fbx *fbx, size_t at, size_t to, const char *what);

#endif
