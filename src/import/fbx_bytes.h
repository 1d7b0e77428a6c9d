/* fbx_bytes.h: FBX bytes mended before assimp sees them. */
#ifndef MRWI_IMPORT_FBX_BYTES_H
#define MRWI_IMPORT_FBX_BYTES_H

#include "import/beyond.h"
#include "import/edits.h"
#include "load/reader.h"

/* A blend shape channel: a number, "DeformPercent", that leads a mesh through one or several
 * targets. 1 stands for 100 %. */
typedef struct mrwi_import_fbx_slider {
    uint32_t
        place;  /* among its deformer's channels, as assimp's keys name it; MRW_NONE: no place */
    float rest; /* where it stands when no clip moves it */
    uint32_t target_count;
    uint32_t *knot_of; /* [target_count]: the knot where it is there in full; MRW_NONE: never */
    float *knots;      /* [knot_count]: ascending; one of them is 0, the mesh without it */
    uint32_t knot_count;
} mrwi_import_fbx_slider;

typedef struct mrwi_import_fbx_sliders {
    mrwi_import_fbx_slider *list;
    size_t count;
} mrwi_import_fbx_sliders;

/* In the bytes that assimp reads the name of the channel in list[i], which its targets inherit,
 * ends in this and the number i. Models of a name that others before have, too, get such a mark as
 * well: the numbers tell them apart. */
#define MRWI_IMPORT_FBX_MARK '\x1f'

void mrwi_import_fbx_sliders_free(mrwi_import_fbx_sliders *sliders);

/* Sets *out (mrwi_base_alloc) to a copy of the file that assimp reads without loss, or to NULL when
 * the file may be read as it is; constant and cubic curves only with `curves`. Fills *sliders and
 * *beyond, which are to be freed in any case. *unpainted counts geometries that several models
 * share, some of which do not get materials of their own. False when out of memory. */
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
    uint32_t version; /* 7400; in binary files from 7500 on offsets have 8 bytes */
    mrwi_import_edits edits;
    int64_t cuts[MRWI_IMPORT_FBX_MAX_CUTS]; /* where clips start and stop, in ticks */
    size_t cut_count;
    uint32_t unpainted; /* geometries that mrwi_import_fbx_find_instances left alone */
} mrwi_import_fbx;

/* What a file is, without edits. */
mrwi_import_fbx mrwi_import_fbx_open(const uint8_t *bytes, size_t size);
/* Finds blend shapes without normals and gives them zeros. */
void mrwi_import_fbx_find_shapes(mrwi_import_fbx *fbx);
/* Finds curves that are not straight between their keys and gives them more keys; unless `follow`,
 * only where a curve keeps the slope that it has at its end. */
void mrwi_import_fbx_find_curves(mrwi_import_fbx *fbx, bool follow);
/* Lists the channels of models that do not hold beyond their keys. False when out of memory. */
bool mrwi_import_fbx_find_beyond(mrwi_import_fbx *fbx, mrwi_import_beyond *out);
/* Marks the names of models that others have, too. False when out of memory. */
bool mrwi_import_fbx_find_names(mrwi_import_fbx *fbx);
/* Gives each list of materials that a geometry is shown with its own copy of the geometry. False
 * when out of memory. */
bool mrwi_import_fbx_find_instances(mrwi_import_fbx *fbx);
/* Lists the blend shape channels and marks their names. False when out of memory. */
bool mrwi_import_fbx_find_sliders(mrwi_import_fbx *fbx, mrwi_import_fbx_sliders *out);

/* ---- fbx_nodes.c: the nodes of a file -------------------------------------------------------- */

/* A node of a binary file. */
typedef struct mrwi_import_fbx_node {
    size_t at, end; /* end: 0 for the record that closes a list */
    size_t properties, children;
    size_t name;
    size_t name_size;
} mrwi_import_fbx_node;

uint64_t mrwi_import_fbx_little(const uint8_t *p, int bytes);
void mrwi_import_fbx_put_little(uint8_t *p, uint64_t value, int bytes);

size_t mrwi_import_fbx_header_size(const mrwi_import_fbx *fbx);
/* Bytes of an offset, a count or a size in a header. */
int mrwi_import_fbx_offset_size(const mrwi_import_fbx *fbx);
/* Where a header has the size of all properties. */
size_t mrwi_import_fbx_property_size_at(const mrwi_import_fbx *fbx,
                                        const mrwi_import_fbx_node *node);
/* Writes the header and name of a node with one property; returns what they take. The offset
 * counts as if no other byte of the file moved: mrwi_import_fbx_move_offsets puts it right. */
size_t mrwi_import_fbx_put_header(const mrwi_import_fbx *fbx, mrwi_import_edit *edit,
                                  const char *name, size_t property_size);
/* False when the node does not lie between `at` and `limit`. */
bool mrwi_import_fbx_read_node(const mrwi_import_fbx *fbx, size_t at, size_t limit,
                               mrwi_import_fbx_node *out);
bool mrwi_import_fbx_is_named(const mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node,
                              const char *name);
/* The child of a name; false when there is none. */
bool mrwi_import_fbx_find_child(const mrwi_import_fbx *fbx, const mrwi_import_fbx_node *parent,
                                const char *name, mrwi_import_fbx_node *out);
/* Calls back for every child of the topmost nodes of a name, "Objects" or "Connections". */
typedef void mrwi_import_fbx_each_fn(mrwi_import_fbx *fbx, const mrwi_import_fbx_node *node,
                                     void *context);
void mrwi_import_fbx_each_child(mrwi_import_fbx *fbx, const char *name,
                                mrwi_import_fbx_each_fn *each, void *context);
/* Moves the offsets in the headers of a binary file's nodes, in the edited copy. */
void mrwi_import_fbx_move_offsets(const mrwi_import_fbx *fbx, uint8_t *out);

/* Text: behind the brace that closes the one opened before `at`; 0 when there is none. */
size_t mrwi_import_fbx_closing_brace(const mrwi_import_fbx *fbx, size_t at);
const uint8_t *mrwi_import_fbx_find(const mrwi_import_fbx *fbx, size_t from, size_t to,
                                    const char *what);
/* Text: behind "Name:" at the beginning of a line, or `to`. */
size_t mrwi_import_fbx_find_line(const mrwi_import_fbx *fbx, size_t from, size_t to,
                                 const char *name);
/* Text: behind white space. */
size_t mrwi_import_fbx_skip_blanks(const mrwi_import_fbx *fbx, size_t at, size_t to);

/* ---- fbx_arrays.c: arrays of numbers --------------------------------------------------------- */

/* An array that is the only property of a node. */
typedef struct mrwi_import_fbx_array {
    size_t at, end; /* what a new array replaces */
    size_t count;
    double *numbers; /* mrwi_base_alloc; integers of more than 53 bits make reading fail */
} mrwi_import_fbx_array;

/* Where to look for arrays: the body of an object. */
typedef struct mrwi_import_fbx_body {
    mrwi_import_fbx_node node; /* binary */
    size_t from, to;           /* text */
} mrwi_import_fbx_body;

typedef enum mrwi_import_fbx_kind {
    MRWI_IMPORT_FBX_NUMBERS, /* integers or floats, as they are */
    MRWI_IMPORT_FBX_BITS,    /* 32 bits each, as an unsigned integer */
} mrwi_import_fbx_kind;

/* False, with nothing to free, when it is missing or damaged. */
bool mrwi_import_fbx_read_array(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                                const char *name, mrwi_import_fbx_kind kind,
                                mrwi_import_fbx_array *out);
/* Puts another array in its place: 64-bit integers or floats. False when there is no room. */
bool mrwi_import_fbx_replace_array(mrwi_import_fbx *fbx, const mrwi_import_fbx_array *old,
                                   const char *name, bool integers, const double *numbers,
                                   size_t count);

/* ---- fbx_beyond.c: how curves go on ---------------------------------------------------------- */

/* Some curve of the file may not hold. */
bool mrwi_import_fbx_may_go_on(const mrwi_import_fbx *fbx);
/* Of a curve, whether it keeps its slope before its first key, and after its last. */
void mrwi_import_fbx_keeps_slope(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                                 bool *before, bool *after);

/* ---- fbx_objects.c: children of "Objects" ---------------------------------------------------- */

typedef struct mrwi_import_fbx_object {
    uint64_t id;
    size_t name, name_end; /* where its name is, in binary without its class */
    const uint8_t *class;  /* "BlendShapeChannel"; not terminated */
    size_t class_size;
    mrwi_import_fbx_body body; /* `to` is open: see mrwi_import_fbx_close_body */
} mrwi_import_fbx_object;

/* Calls back for every object of a type, "Deformer". */
typedef void mrwi_import_fbx_object_fn(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object,
                                       void *context);
void mrwi_import_fbx_each_object(mrwi_import_fbx *fbx, const char *type,
                                 mrwi_import_fbx_object_fn *each, void *context);
/* A connection: from an object to the one it belongs to, or to a property of it. */
typedef struct mrwi_import_fbx_link {
    uint64_t from, to;
    size_t from_at, from_size; /* the places of the ids in the file */
    size_t to_at, to_size;
    const uint8_t *property; /* or NULL; not terminated */
    size_t property_size;
} mrwi_import_fbx_link;

typedef void mrwi_import_fbx_link_fn(mrwi_import_fbx *fbx, const mrwi_import_fbx_link *l,
                                     void *context);
void mrwi_import_fbx_each_link(mrwi_import_fbx *fbx, mrwi_import_fbx_link_fn *each, void *context);

/* The first number of an object's property of "Properties70"; in text the body is closed. */
bool mrwi_import_fbx_read_property(const mrwi_import_fbx *fbx, const mrwi_import_fbx_body *body,
                                   const char *name, double *out);
/* Binary: the number at `at`, its type before it. */
bool mrwi_import_fbx_read_number(const mrwi_import_fbx *fbx, size_t at, size_t to, double *out);

/* Text: finds the end of a body; false when there is none. */
bool mrwi_import_fbx_close_body(const mrwi_import_fbx *fbx, mrwi_import_fbx_body *body);
/* Puts MRWI_IMPORT_FBX_MARK and a number behind an object's name. */
void mrwi_import_fbx_mark(mrwi_import_fbx *fbx, const mrwi_import_fbx_object *object,
                          size_t number);

/* Binary: the bytes of a property of type 'S' at `at`; NULL when there is none. */
const uint8_t *mrwi_import_fbx_string_at(const mrwi_import_fbx *fbx, size_t at, size_t to,
                                         size_t *length);
/* Text: reads digits; returns where they end or 0. */
size_t mrwi_import_fbx_read_id(const mrwi_import_fbx *fbx, size_t at, size_t to, uint64_t *out);
/* Text: behind `what` and the white space before and after it; `to` when something else is there.
 */
size_t mrwi_import_fbx_expect(const mrwi_import_fbx *fbx, size_t at, size_t to, const char *what);

#endif
