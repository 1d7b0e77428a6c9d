/* affine.h: products of affine matrices, four lanes at a time in one fixed order. */
#ifndef MRWI_ANIM_AFFINE_H
#define MRWI_ANIM_AFFINE_H

#include "base/simd/f4.h"
#include "marrow/base.h"

/* An affine matrix as its columns; the last row is 0, 0, 0, 1. */
typedef struct mrwi_anim_affine {
    mrwi_base_f4 c[4];
} mrwi_anim_affine;

/* Returns xyz of v and 0 in the last lane: this keeps -0 and the NaN of 0 * infinity out of the
 * last row. */
static inline mrwi_base_f4 mrwi_anim_f4_xyz(mrwi_base_f4 v)
{
    const mrwi_base_i4 mask = {-1, -1, -1, 0};
    return (mrwi_base_f4)((mrwi_base_i4)v & mask);
}

static inline mrwi_anim_affine mrwi_anim_affine_load(const mrw_mat4 *m)
{
    mrwi_anim_affine a = {{mrwi_base_f4_load(m->m), mrwi_base_f4_load(m->m + 4),
                           mrwi_base_f4_load(m->m + 8), mrwi_base_f4_load(m->m + 12)}};
    return a;
}

/* Multiplies the matrix by (x, y, z, 0): (c0 x + c1 y) + c2 z. */
static inline mrwi_base_f4 mrwi_anim_affine_vector(const mrwi_anim_affine *a, float x, float y,
                                                   float z)
{
    return (a->c[0] * x + a->c[1] * y) + a->c[2] * z;
}

/* Computes a * b, where b holds four columns of which x, y, z count. */
static inline void mrwi_anim_affine_mul(const mrwi_anim_affine *a, const float *b, mrw_mat4 *out)
{
    const mrwi_base_f4 unit_w = {0.0f, 0.0f, 0.0f, 1.0f};
    for (int c = 0; c < 3; c++) {
        mrwi_base_f4_store(out->m + 4 * c, mrwi_anim_f4_xyz(mrwi_anim_affine_vector(
                                               a, b[4 * c], b[4 * c + 1], b[4 * c + 2])));
    }
    mrwi_base_f4 origin = mrwi_anim_affine_vector(a, b[12], b[13], b[14]) + a->c[3];
    mrwi_base_f4_store(out->m + 12, mrwi_anim_f4_xyz(origin) + unit_w);
}

/* Returns the affine matrix that a job applies to roots; NULL stands for the identity. */
static inline mrwi_anim_affine mrwi_anim_affine_root(const mrw_mat4 *model_to_world)
{
    static const mrw_mat4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    return mrwi_anim_affine_load(model_to_world ? model_to_world : &identity);
}

#endif
