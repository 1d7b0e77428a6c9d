/* environment_spec.h: the light that surfaces receive from an environment, one fragment at a time:
 * the specification of environment_kernel.h. Vectors are in the environment's space. */
#ifndef MRWI_SHADE_ENVIRONMENT_SPEC_H
#define MRWI_SHADE_ENVIRONMENT_SPEC_H

#include "light/environment.h"
#include "shade/environment_brdf.h"

#include <math.h>

/* Clamps x to lo ... hi; NaN gives lo. */
static inline float mrwi_shade_environment_clamp(float x, float lo, float hi)
{
    x = x > lo ? x : lo;
    return x < hi ? x : hi;
}

/* Turns a vector from world space to the environment's space. */
static inline void mrwi_shade_environment_turn(const mrw_lighting *lighting, const float v[3],
                                               float out[3])
{
    const float *m = lighting->world_to_environment;
    for (int i = 0; i < 3; i++) {
        out[i] = (m[i] * v[0] + m[i + 3] * v[1]) + m[i + 6] * v[2];
    }
}

/* Computes the radiance of a white matt surface with the unit normal n. */
static inline void mrwi_shade_environment_diffuse(const mrw_environment *environment,
                                                  const float n[3], float out[3])
{
    for (int k = 0; k < 3; k++) {
        const float *c = environment->diffuse[k];
        const float along_x = ((c[1] + c[4] * n[0]) + c[5] * n[1]) + c[6] * n[2];
        const float along_y = (c[2] + c[7] * n[1]) + c[8] * n[2];
        const float sum = ((c[0] + along_x * n[0]) + along_y * n[1]) + c[3] * n[2];
        out[k] = sum > 0.0f ? sum : 0.0f;
    }
}

/* Finds the place of a direction on the unfolded octahedron, -1 ... 1. */
static inline void mrwi_shade_environment_place(const float r[3], float *u, float *v)
{
    const float length = (fabsf(r[0]) + fabsf(r[1])) + fabsf(r[2]);
    const float scale = 1.0f / (length > 1e-30f ? length : 1e-30f);
    const float x = r[0] * scale, z = r[2] * scale;
    const bool lower = r[1] < 0.0f;
    *u = mrwi_shade_environment_clamp(lower ? copysignf(1.0f - fabsf(z), x) : x, -1.0f, 1.0f);
    *v = mrwi_shade_environment_clamp(lower ? copysignf(1.0f - fabsf(x), z) : z, -1.0f, 1.0f);
}

/* Blends four texels of a level. */
static inline void mrwi_shade_environment_tap(const mrwi_light_environment_map *map,
                                              const mrwi_light_environment_level *level, float u,
                                              float v, float out[3])
{
    const float column = u * level->half + level->middle, row = v * level->half + level->middle;
    const int32_t left = (int32_t)column, upper = (int32_t)row;
    const float across = column - (float)left, down = row - (float)upper;
    const float(*texel)[4] =
        (const float(*)[4])map->texels + (level->first + upper * level->stride + left);
    for (int k = 0; k < 3; k++) {
        const float(*below)[4] = texel + level->stride;
        const float above = texel[0][k] + (texel[1][k] - texel[0][k]) * across;
        const float under = below[0][k] + (below[1][k] - below[0][k]) * across;
        out[k] = above + (under - above) * down;
    }
}

/* Computes the radiance that a surface of some roughness mirrors from around r, which may have any
 * length. */
static inline void mrwi_shade_environment_specular(const mrw_environment *environment,
                                                   const float r[3], float roughness, float out[3])
{
    const mrwi_light_environment_map *map = &environment->specular;
    const float last = (float)(MRWI_LIGHT_ENVIRONMENT_LEVELS - 1);
    const float at = mrwi_shade_environment_clamp(roughness, 0.0f, 1.0f) * last;
    const int32_t most = MRWI_LIGHT_ENVIRONMENT_LEVELS - 2;
    const int32_t level = (int32_t)at < most ? (int32_t)at : most;
    float u, v, smooth[3], rough[3];
    mrwi_shade_environment_place(r, &u, &v);
    mrwi_shade_environment_tap(map, &map->levels[level], u, v, smooth);
    mrwi_shade_environment_tap(map, &map->levels[level + 1], u, v, rough);
    for (int k = 0; k < 3; k++) {
        out[k] = smooth[k] + (rough[k] - smooth[k]) * (at - (float)level);
    }
}

/* Sets scale and bias: a reflection of radiance 1 returns f0 * scale + f90 * bias, at most 1. */
static inline void mrwi_shade_environment_brdf(float roughness, float n_dot_v, float *scale,
                                               float *bias)
{
    const float *a = mrwi_shade_scale_above, *b = mrwi_shade_scale_below;
    const float *c = mrwi_shade_bias_above, *d = mrwi_shade_bias_below;
    const float r = mrwi_shade_environment_clamp(roughness, 0.0f, 1.0f);
    const float s = sqrtf(mrwi_shade_environment_clamp(n_dot_v, 0.0f, 1.0f));
    const float a0 = a[0] + (a[1] + (a[2] + a[3] * r) * r) * r, a1 = a[4] + (a[5] + a[6] * r) * r;
    const float a2 = (a[7] + a[8] * r) + a[9] * s;
    const float b0 = 1.0f + (b[0] + b[1] * r) * r, b1 = (b[2] + b[3] * r) + b[4] * s;
    const float c0 = c[0] + (c[1] + c[2] * r) * r, c1 = (c[3] + c[4] * r) + c[5] * s;
    const float d0 = 1.0f + (d[0] + d[1] * r) * r, d1 = (d[2] + d[3] * r) + d[4] * s;
    const float fresnel = (c0 + c1 * s) / (d0 + d1 * s);
    *scale = mrwi_shade_environment_clamp((a0 + (a1 + a2 * s) * s) / (b0 + b1 * s), 0.0f, 1.0f);
    *bias = mrwi_shade_environment_clamp(fresnel, 0.0f, 1.0f - *scale);
}

/* Returns the light that comes back by more than one facet (Fdez-Aguera 2019), in addition to once
 * = f0 * scale + bias. The caller multiplies it with the ambient light on a matt surface. Works on
 * one colour channel. */
static inline float mrwi_shade_environment_compensation(float f0, float once, float scale,
                                                        float bias)
{
    const float lost = 1.0f - (scale + bias);
    const float mean = f0 + (1.0f - f0) * (1.0f / 21.0f);
    const float rest = 1.0f - mean * lost;
    return (once * mean) * lost / (rest > 1e-3f ? rest : 1e-3f);
}

#endif
