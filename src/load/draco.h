/* draco.h: meshes of KHR_draco_mesh_compression: the messages between the glTF reader and the
 * importer, which alone has libdraco, and the arithmetic that is not left to the library.
 *
 * libdraco undoes the entropy coding, the connectivity and the predictions. Its attribute
 * transforms are skipped: it returns quantised integers and the parameters of their quantisation.
 * So the library computes only with integers. This holds for bitstream 2.2, which the extension
 * uses, as all encoders write it: edgebreaker and sequential connectivity, and these predictions:
 * difference, parallelograms (also multiple and constrained), portable texture coordinates (with an
 * integer square root) and geometric normals (integer cross products). Older bitstreams are
 * refused. One prediction computes with floats, MESH_PREDICTION_TEX_COORDS_DEPRECATED. It can be
 * decoded, but no encoder of 2.2 writes it (prediction_scheme_encoder_factory.h of libdraco 1.5.5).
 * A file that has it nevertheless is exact per architecture, like everything that assimp reads.
 * Floats that were not quantised are stored as bits. */
#ifndef MRWI_LOAD_DRACO_H
#define MRWI_LOAD_DRACO_H

#include "load/reader.h"

/* ---- arithmetic, as in libdraco 1.5.5, without its leave to fuse ----------------------------- */

/* The encoding of an attribute. */
typedef enum mrwi_load_draco_kind {
    MRWI_LOAD_DRACO_FLOATS,     /* the bits of floats */
    MRWI_LOAD_DRACO_INTEGERS,   /* int32, or uint32 if the accessor says so */
    MRWI_LOAD_DRACO_QUANTIZED,  /* see mrwi_load_draco_dequantize */
    MRWI_LOAD_DRACO_OCTAHEDRAL, /* two per vector, see mrwi_load_draco_octahedral */
    MRWI_LOAD_DRACO_KINDS
} mrwi_load_draco_kind;

#define MRWI_LOAD_DRACO_COMPONENTS 4u /* attributes with more components are left out */

typedef struct mrwi_load_draco_attribute {
    uint32_t id;         /* the unique id in the extension */
    uint32_t kind;       /* mrwi_load_draco_kind */
    uint32_t components; /* 1 ... 4; 2 if octahedral */
    uint32_t bits;       /* bits of quantised and octahedral values: 1 ... 30 */
    float minimum[MRWI_LOAD_DRACO_COMPONENTS];
    float range;
    uint32_t reserved; /* 0 */
} mrwi_load_draco_attribute;

/* Dequantizes `rows` rows of a->components: value = q · (range / (2^bits − 1)) + minimum, in
 * floats, in this order (quantization_utils.h, Dequantizer; Draco bitstream specification,
 * "Dequantization"). */
void mrwi_load_draco_dequantize(const mrwi_load_draco_attribute *a, const uint32_t *q, size_t rows,
                                float *out);
/* Makes a unit vector from octahedral coordinates with the centre at +X
 * (normal_compression_utils.h, OctahedronToolBox): with y = s · 2/(2^bits − 2) − 1, z likewise and
 * x = 1 − |y| − |z|, y and z move towards 0 by max(−x, 0), and the vector is divided by its length.
 * Coordinates without a direction give zeros, which are repaired like any other normal. */
void mrwi_load_draco_octahedral(uint32_t s, uint32_t t, uint32_t bits, float out[3]);

/* ---- between the reader and the importer ----------------------------------------------------- */

/* The range of a mesh in a message. A request is a uint64_t, the number of meshes, then the range
 * of each, then their bytes. An answer has as many ranges. A mesh is its head, attributes, 3 ·
 * faces indices, then points · components values for each attribute; all are uint32_t. Offsets
 * count from the start; those of an answer are multiples of 8. */
typedef struct mrwi_load_draco_range {
    uint64_t offset, size;
} mrwi_load_draco_range;

typedef struct mrwi_load_draco_head {
    uint32_t points, faces, attributes;
    uint32_t failed;  /* 1: all others are 0, and `reason` says why */
    char reason[112]; /* ends with a NUL */
} mrwi_load_draco_head;

#define MRWI_LOAD_DRACO_FORMAT "draco" /* the format in mrwi_load_import_details */

/* Decodes the meshes of a request: with the import helper, which is started once for all of them,
 * or with def->no_sandbox in this process. The caller frees the answer with mrwi_base_free, and
 * must check it: it is untrusted. (importer.c) */
mrw_status mrwi_load_draco_decode(const mrwi_load_read_job *job, const uint8_t *request,
                                  size_t size, uint8_t **answer, size_t *answer_size,
                                  mrw_error *error);

#endif
