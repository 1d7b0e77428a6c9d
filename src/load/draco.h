/* draco.h: meshes of KHR_draco_mesh_compression: what the glTF reader and the importer, which alone
 * has libdraco, say to each other, and the arithmetic that is not left to the library.
 *
 * libdraco undoes the entropy coding, the connectivity and the predictions, and its attribute
 * transforms are skipped: it hands over quantised integers and the parameters of their
 * quantisation. All of that is integers. It holds for bitstream 2.2, the one of the extension, as
 * all encoders write it: edgebreaker and sequential connectivity, and of predictions the
 * difference, the parallelograms (also multiple and constrained), the portable texture coordinates
 * (they take an integer square root) and the geometric normals (integer cross products). Older
 * bitstreams are refused. The one prediction that computes with floats,
 * MESH_PREDICTION_TEX_COORDS_DEPRECATED, can be decoded but no encoder of 2.2 makes it
 * (prediction_scheme_encoder_factory.h of libdraco 1.5.5); a file that has it nevertheless is exact
 * per architecture, like what assimp reads. Floats that were not quantised are stored bits.
 */
#ifndef MRWI_LOAD_DRACO_H
#define MRWI_LOAD_DRACO_H

#include "load/reader.h"

/* ---- arithmetic, as in libdraco 1.5.5, without its leave to fuse ----------------------------- */

/* How an attribute is given. */
typedef enum mrwi_load_draco_kind {
    MRWI_LOAD_DRACO_FLOATS,     /* the bits of floats */
    MRWI_LOAD_DRACO_INTEGERS,   /* int32, or uint32 where the accessor says so */
    MRWI_LOAD_DRACO_QUANTIZED,  /* see mrwi_load_draco_dequantize */
    MRWI_LOAD_DRACO_OCTAHEDRAL, /* two a vector, see mrwi_load_draco_octahedral */
    MRWI_LOAD_DRACO_KINDS
} mrwi_load_draco_kind;

#define MRWI_LOAD_DRACO_COMPONENTS 4u /* an attribute with more is left out */

typedef struct mrwi_load_draco_attribute {
    uint32_t id;         /* the unique id that the extension names */
    uint32_t kind;       /* mrwi_load_draco_kind */
    uint32_t components; /* 1 ... 4; of an octahedral one 2 */
    uint32_t bits;       /* of quantised and octahedral ones: 1 ... 30 */
    float minimum[MRWI_LOAD_DRACO_COMPONENTS];
    float range;
    uint32_t reserved; /* 0 */
} mrwi_load_draco_attribute;

/* value = q · (range / (2^bits − 1)) + minimum, in floats, in this order (quantization_utils.h,
 * Dequantizer; Draco bitstream specification, "Dequantization"). `rows` rows of a->components. */
void mrwi_load_draco_dequantize(const mrwi_load_draco_attribute *a, const uint32_t *q, size_t rows,
                                float *out);
/* A unit vector of octahedral coordinates, with the centre at +X (normal_compression_utils.h,
 * OctahedronToolBox): with y = s · 2/(2^bits − 2) − 1, z likewise and x = 1 − |y| − |z|, y and z go
 * towards 0 by max(−x, 0), and the vector is divided by its length. Coordinates without a direction
 * give zeros, which are repaired as any other normal. */
void mrwi_load_draco_octahedral(uint32_t s, uint32_t t, uint32_t bits, float out[3]);

/* ---- between the reader and the importer ----------------------------------------------------- */

/* A request is a uint64_t, how many meshes, then for each where its bytes lie, then these. An
 * answer has as many ranges, each of one mesh: its head, attributes, 3 · faces indices, then of
 * each attribute points · components values; all uint32_t. Offsets are from the start, and those of
 * an answer are multiples of 8. */
typedef struct mrwi_load_draco_range {
    uint64_t offset, size;
} mrwi_load_draco_range;

typedef struct mrwi_load_draco_head {
    uint32_t points, faces, attributes;
    uint32_t failed;  /* 1: all others are 0, and the reason says why */
    char reason[112]; /* ends with a NUL */
} mrwi_load_draco_head;

#define MRWI_LOAD_DRACO_FORMAT "draco" /* of mrwi_load_import_details */

/* Has the meshes of a request decoded: with the import helper, which is started once for all of
 * them, or with def->no_sandbox in this process. The answer is for mrwi_base_free; nobody has
 * looked at it. (importer.c) */
mrw_status mrwi_load_draco_decode(const mrwi_load_read_job *job, const uint8_t *request,
                                  size_t size, uint8_t **answer, size_t *answer_size,
                                  mrw_error *error);

#endif
