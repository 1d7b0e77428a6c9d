/* rest.h: the rest pose of a rig, to be compared with other rests. */
#ifndef MRWI_RETARGET_REST_H
#define MRWI_RETARGET_REST_H

#include "retarget/rig.h"

/* Everything is in double, because keys are multiplied by what follows from a rest. Quaternions are
 * x, y, z, w. */

/* An affine map: m[3 c + r] is row r of column c, column 3 the translation. */
typedef struct mrwi_retarget_affine {
    double m[12];
} mrwi_retarget_affine;

mrwi_retarget_affine mrwi_retarget_affine_identity(void);
mrwi_retarget_affine mrwi_retarget_affine_mul(const mrwi_retarget_affine *a,
                                              const mrwi_retarget_affine *b);
/* Inverts a map. A linear part without an inverse counts as the identity. */
mrwi_retarget_affine mrwi_retarget_affine_inverse(const mrwi_retarget_affine *a);
void mrwi_retarget_affine_point(const mrwi_retarget_affine *a, const double p[3], double out[3]);
/* Transforms by the linear part alone. */
void mrwi_retarget_affine_vector(const mrwi_retarget_affine *a, const double v[3], double out[3]);
mrwi_retarget_affine mrwi_retarget_affine_of(const double translation[3], const double rotation[4],
                                             const double scale[3]);
/* Returns a node's local transform as it rests in the file. */
mrwi_retarget_affine mrwi_retarget_rest_local(const mrw_scene *scene, uint32_t node);

/* out may alias */
void mrwi_retarget_quat_mul(const double a[4], const double b[4], double out[4]);
void mrwi_retarget_quat_conjugate(const double q[4], double out[4]);
void mrwi_retarget_quat_unit(double q[4]); /* zero becomes the identity */
/* Returns the angle of a unit quaternion in degrees, 0 ... 180. */
double mrwi_retarget_quat_degrees(const double q[4]);
/* Finds the rotation of a map, without its scale. Returns false for maps that mirror or are flat,
 * which have none. */
bool mrwi_retarget_rotation_of(const mrwi_retarget_affine *a, double out[4]);

/* The rest of every node, in the world: its bind pose if it has one; otherwise as the file stores
 * it, below its parent. */
typedef struct mrwi_retarget_rest {
    mrwi_retarget_affine *world;
    double (*rotation)[4];
    uint8_t *bound;
    uint32_t bound_count;
} mrwi_retarget_rest;

/* Finds the rest of a scene. The bind pose of a skin is known except for the place of the whole,
 * see rest.c. Skins of meshes that show only bones were bound to what the nodes do anyway and are
 * left out; so are joints that mirror, and skins whose joints were all bound in one place. */
mrw_status mrwi_retarget_rest_create(const mrw_scene *scene, mrwi_retarget_rest *out,
                                     mrw_error *error);
void mrwi_retarget_rest_free(mrwi_retarget_rest *rest);

#endif
