/* environment.h: how an environment lies in memory, for those who read it and those who fill it.
 *
 * Reflections lie in square maps over the octahedron |x| + |y| + |z| = 1, unfolded: its upper half
 * is the square |x| + |z| <= 1 around the middle, its lower half the four corners, each turned out
 * over its edge (Cigolle et al., "A Survey of Efficient Representations for Independent Unit
 * Vectors", 2014). A map has a border of one texel, which repeats those that lie across the fold:
 * two by two texels around any place can be blended without a look at where the edges are.
 */
#ifndef MRWI_LIGHT_ENVIRONMENT_H
#define MRWI_LIGHT_ENVIRONMENT_H

#include "marrow/light.h"

/* Level k is for roughness k / 8. */
#define MRWI_LIGHT_ENVIRONMENT_LEVELS MRW_ENVIRONMENT_LEVELS

/* A map of size x size texels and its border. The place q in -1 ... 1 on an axis lies at
 * q * half + middle, where texel i of the border and what it encloses has its centre at i: the
 * first of the two to blend is that rounded down. 16 bytes, which kernels load as a whole. */
typedef struct mrwi_light_environment_level {
    int32_t first;  /* index of its first texel, in the corner of the border */
    int32_t stride; /* texels a row: size + 2 */
    float half;     /* size / 2 */
    float middle;   /* half + 0.5 */
} mrwi_light_environment_level;

typedef struct mrwi_light_environment_map {
    mrwi_light_environment_level levels[MRWI_LIGHT_ENVIRONMENT_LEVELS];
    /* The first two of each again, for those who find them without memory; the rest are zeros. */
    int32_t firsts[16];
    int32_t strides[16];
    /* RGB, and a fourth float that is not read by surfaces. */
    float (*texels)[4];
} mrwi_light_environment_map;

/* An equirectangular picture, four floats a pixel, of which the last is 0. */
typedef struct mrwi_light_sky {
    float (*pixels)[4];
    uint32_t width;
    uint32_t height;
} mrwi_light_sky;

struct mrw_environment {
    uint64_t id;
    /* Of each channel, the radiance of a white matt surface with normal (x, y, z):
     * c[0] + (c[1] + c[4] x + c[5] y + c[6] z) x + (c[2] + c[7] y + c[8] z) y + c[3] z */
    float diffuse[3][9];
    mrwi_light_environment_map specular;
    mrwi_light_sky picture; /* for backgrounds; pixels is NULL where it was not kept */
};

/* ---- maps ------------------------------------------------------------------------------------ */

static inline uint32_t mrwi_light_environment_size(const mrwi_light_environment_level *level)
{
    return (uint32_t)level->stride - 2;
}

/* Levels of these sizes one behind another. Returns how many texels they have, borders included. */
size_t mrwi_light_environment_lay_out(const uint32_t *sizes, uint32_t count,
                                      mrwi_light_environment_level *levels);

/* The sizes of an environment's levels, from the first one's. */
void mrwi_light_environment_sizes(uint32_t first, uint32_t sizes[MRWI_LIGHT_ENVIRONMENT_LEVELS]);

/* Fills the border of a level whose other texels are set. */
void mrwi_light_environment_close(const mrwi_light_environment_level *level, float (*texels)[4]);

/* The unit vector at (u, v) in -1 ... 1 of a map. */
void mrwi_light_environment_direction(float u, float v, float out[3]);

/* An environment whose levels are laid out and not filled; NULL when out of memory. */
mrw_environment *mrwi_light_environment_alloc(uint32_t first_size);

/* ---- how it is made -------------------------------------------------------------------------- */

/* environment_diffuse.c: the polynomials. */
mrw_status mrwi_light_environment_find_diffuse(const mrwi_light_sky *sky, int threads,
                                               float out[3][9], mrw_error *error);

/* environment_sky.c: the picture's radiance in a level's texels, the border left out. */
void mrwi_light_environment_resample(const mrwi_light_sky *sky, int threads,
                                     const mrwi_light_environment_level *level, float (*texels)[4]);

/* environment_sky.c: what a picture shows in four directions of any length, blended of two by two
 * pixels. */
void mrwi_light_environment_see(const mrwi_light_sky *sky, const float x[4], const float y[4],
                                const float z[4], float out[4][4]);

/* environment_specular.c: the other levels, from the first, whose border is filled. */
mrw_status mrwi_light_environment_prefilter(const mrwi_light_environment_map *map, int threads,
                                            mrw_error *error);

#endif
