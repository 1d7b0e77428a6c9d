/* environment.h: the layout of an environment in memory, and the steps that fill it.
 *
 * Reflections are stored in square maps over the octahedron |x| + |y| + |z| = 1, unfolded: its
 * upper half is the square |x| + |z| <= 1 in the middle, its lower half is the four corners, each
 * folded out over its edge (Cigolle et al., "A Survey of Efficient Representations for Independent
 * Unit Vectors", 2014). A map has a border of one texel, which repeats the texels across the fold,
 * so that two by two texels around any point can be blended without a test for edges.
 */
#ifndef MRWI_LIGHT_ENVIRONMENT_H
#define MRWI_LIGHT_ENVIRONMENT_H

#include "image/hdr.h"
#include "marrow/light.h"

/* Number of levels; level k is for roughness k / 8. */
#define MRWI_LIGHT_ENVIRONMENT_LEVELS MRW_ENVIRONMENT_LEVELS

/* A map of size x size texels and its border. A coordinate q in -1 ... 1 is at q * half + middle in
 * texels, border included, and texel i has its centre at i: rounded down, this is the first of the
 * two texels to blend. 16 bytes, which kernels load as a whole. */
typedef struct mrwi_light_environment_level {
    int32_t first;  /* index of its first texel, in the corner of the border */
    int32_t stride; /* texels per row: size + 2 */
    float half;     /* size / 2 */
    float middle;   /* half + 0.5 */
} mrwi_light_environment_level;

typedef struct mrwi_light_environment_map {
    mrwi_light_environment_level levels[MRWI_LIGHT_ENVIRONMENT_LEVELS];
    /* Copies of first and stride of each level, for kernels that look them up in registers; zeros
     * behind the last level. */
    int32_t firsts[16];
    int32_t strides[16];
    /* RGB, and a fourth float that surfaces do not read. */
    float (*texels)[4];
} mrwi_light_environment_map;

/* The picture that an environment is made of: floats in memory, or a Radiance file. */
typedef struct mrwi_light_picture {
    const float *radiance;     /* for mrw_environment_create; NULL with a file */
    const mrwi_image_hdr *hdr; /* NULL without a file */
    uint32_t width;
    uint32_t height;
} mrwi_light_picture;

/* An equirectangular picture: four floats per pixel, the last is 0. */
typedef struct mrwi_light_sky {
    float (*pixels)[4];
    uint32_t width;
    uint32_t height;
} mrwi_light_sky;

struct mrw_environment {
    uint64_t id;
    /* Coefficients per channel. The radiance of a white matt surface with normal (x, y, z) is
     * c[0] + (c[1] + c[4] x + c[5] y + c[6] z) x + (c[2] + c[7] y + c[8] z) y + c[3] z */
    float diffuse[3][9];
    mrwi_light_environment_map specular;
    mrwi_light_sky picture; /* for backgrounds; pixels is NULL if it was not kept */
};

/* ---- maps ------------------------------------------------------------------------------------ */

static inline uint32_t mrwi_light_environment_size(const mrwi_light_environment_level *level)
{
    return (uint32_t)level->stride - 2;
}

/* Lays out levels of these sizes one behind another. Returns their number of texels, borders
 * included. */
size_t mrwi_light_environment_lay_out(const uint32_t *sizes, uint32_t count,
                                      mrwi_light_environment_level *levels);

/* Computes the sizes of an environment's levels from the first one's. */
void mrwi_light_environment_sizes(uint32_t first, uint32_t sizes[MRWI_LIGHT_ENVIRONMENT_LEVELS]);

/* Fills the border of a level whose other texels are set. */
void mrwi_light_environment_close(const mrwi_light_environment_level *level, float (*texels)[4]);

/* Computes the unit vector at (u, v) of a map, each in -1 ... 1. */
void mrwi_light_environment_direction(float u, float v, float out[3]);

/* Allocates an environment and lays out its levels. Returns NULL without memory. */
mrw_environment *mrwi_light_environment_alloc(uint32_t first_size);

/* ---- the steps that fill it ------------------------------------------------------------------ */

/* environment_reduce.c: checks the picture and reduces it to at most 2048 columns. The caller frees
 * out->pixels. */
mrw_status mrwi_light_environment_reduce(const mrwi_light_picture *picture, int threads,
                                         mrwi_light_sky *out, mrw_error *error);

/* environment_diffuse.c: computes the polynomials of matt surfaces. */
mrw_status mrwi_light_environment_find_diffuse(const mrwi_light_sky *sky, int threads,
                                               float out[3][9], mrw_error *error);

/* environment_sky.c: resamples the picture to a level's texels, without the border. */
void mrwi_light_environment_resample(const mrwi_light_sky *sky, int threads,
                                     const mrwi_light_environment_level *level, float (*texels)[4]);

/* environment_sky.c: samples the picture in four directions of any length, bilinearly. */
void mrwi_light_environment_see(const mrwi_light_sky *sky, const float x[4], const float y[4],
                                const float z[4], float out[4][4]);

/* environment_specular.c: computes the other levels from the first, whose border must be filled. */
mrw_status mrwi_light_environment_prefilter(const mrwi_light_environment_map *map, int threads,
                                            mrw_error *error);

#endif
