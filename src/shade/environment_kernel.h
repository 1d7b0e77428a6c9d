/* environment_kernel.h: the light that surfaces receive from an environment, in lanes; included by
 * kernels that are compiled once per instruction set. environment_spec.h is the specification.
 *
 * Vectors are in the environment's space; environment_turn converts them.
 */
#ifndef MRWI_SHADE_ENVIRONMENT_KERNEL_H
#define MRWI_SHADE_ENVIRONMENT_KERNEL_H

#include "base/simd/rows.h"
#include "light/environment.h"
#include "shade/compact_lanes.h"
#include "shade/environment_brdf.h"
#include "shade/vec3_lanes.h"

/* Turns a vector from world space to the environment's space. */
LANE_INLINE vec3 environment_turn(const mrw_lighting *lighting, vec3 v)
{
    const float *m = lighting->world_to_environment;
    return (vec3){(m[0] * v.x + m[3] * v.y) + m[6] * v.z, (m[1] * v.x + m[4] * v.y) + m[7] * v.z,
                  (m[2] * v.x + m[5] * v.y) + m[8] * v.z};
}

/* ---- matt surfaces --------------------------------------------------------------------------- */

LANE_INLINE vf environment_polynomial(const float c[9], vec3 n)
{
    const vf along_x = ((c[1] + c[4] * n.x) + c[5] * n.y) + c[6] * n.z;
    const vf along_y = (c[2] + c[7] * n.y) + c[8] * n.z;
    const vf sum = ((c[0] + along_x * n.x) + along_y * n.y) + c[3] * n.z;
    return vf_max(sum, vf_set(0.0f));
}

/* Returns the radiance of a white matt surface with the unit normal n. */
LANE_INLINE vec3 environment_diffuse(const mrw_environment *environment, vec3 n)
{
    return (vec3){environment_polynomial(environment->diffuse[0], n),
                  environment_polynomial(environment->diffuse[1], n),
                  environment_polynomial(environment->diffuse[2], n)};
}

/* ---- reflections ----------------------------------------------------------------------------- */

LANE_INLINE vf environment_with_sign(vf size, vf sign)
{
    return vf_from_bits((vf_bits(size) & INT32_MAX) | (vf_bits(sign) & INT32_MIN));
}

/* Returns the place of a direction in the maps, -1 ... 1. */
LANE_INLINE void environment_place(vec3 r, vf *u, vf *v)
{
    const vf length = (vf_abs(r.x) + vf_abs(r.y)) + vf_abs(r.z);
    const vf scale = 1.0f / vf_max(length, vf_set(1e-30f));
    const vf x = r.x * scale, z = r.z * scale;
    const vi lower = vf_less(r.y, vf_set(0.0f));
    *u = vf_clamp(vf_select(lower, environment_with_sign(1.0f - vf_abs(z), x), x), -1.0f, 1.0f);
    *v = vf_clamp(vf_select(lower, environment_with_sign(1.0f - vf_abs(x), z), z), -1.0f, 1.0f);
}

#if MRWI_BASE_LANES == 16
/* Loads a level per lane, from registers. */
LANE_INLINE vf4 environment_level(const mrwi_light_environment_map *map, vi level)
{
    const vf stride = vf_permute_lanes(vf_from_bits(vi_load(map->strides)), level);
    const vf half = vi_to_float(vf_bits(stride)) * 0.5f - 1.0f;
    return (vf4){vf_permute_lanes(vf_from_bits(vi_load(map->firsts)), level), stride, half,
                 half + 0.5f};
}
#endif

/* Loads two levels per lane: the given one and the next. */
LANE_INLINE void environment_levels(const mrwi_light_environment_map *map, vi level, vf4 out[2])
{
#if MRWI_BASE_LANES == 16
    out[0] = environment_level(map, level);
    out[1] = environment_level(map, level + 1);
#else
    const int32_t first = vi_first(level);
    if (!mask_any(~vi_equal(level, vi_set(first)))) {
        LANE_UNROLL
        for (int i = 0; i < 2; i++) {
            const mrwi_light_environment_level *one = &map->levels[first + i];
            out[i] = (vf4){vf_from_bits(vi_set(one->first)), vf_from_bits(vi_set(one->stride)),
                           vf_set(one->half), vf_set(one->middle)};
        }
        return;
    }
    int32_t index[MRWI_BASE_LANES];
    const void *row[MRWI_BASE_LANES];
    vi_store(index, level);
    LANE_UNROLL
    for (int k = 0; k < MRWI_BASE_LANES; k++) {
        row[k] = &map->levels[index[k]];
    }
    vf8_load_rows(row, &out[0], &out[1]);
#endif
}

LANE_INLINE vf environment_mix(vf a, vf b, vf f)
{
    return a + (b - a) * f;
}

LANE_INLINE vec3 environment_mix3(vec3 a, vec3 b, vf f)
{
    return (vec3){environment_mix(a.x, b.x, f), environment_mix(a.y, b.y, f),
                  environment_mix(a.z, b.z, f)};
}

/* Blends two neighbouring texels. */
LANE_INLINE vec3 environment_pair(const mrwi_light_environment_map *map, vi texel, vf across)
{
    uint32_t offset[MRWI_BASE_LANES]; /* in bytes and unsigned, so a load uses it without sign
                                         extension */
    const void *row[MRWI_BASE_LANES];
    vf4 left, right;
    const vi bytes = texel * (int32_t)sizeof map->texels[0];
    memcpy(offset, &bytes, sizeof offset);
    LANE_UNROLL
    for (int k = 0; k < MRWI_BASE_LANES; k++) {
        row[k] = (const char *)map->texels + offset[k];
    }
    vf8_load_rows(row, &left, &right);
    return (vec3){environment_mix(left.x, right.x, across),
                  environment_mix(left.y, right.y, across),
                  environment_mix(left.z, right.z, across)};
}

/* Samples one level around a place. */
LANE_INLINE vec3 environment_tap(const mrwi_light_environment_map *map, vf4 level, vf u, vf v)
{
    const vf column = u * level.z + level.w, row = v * level.z + level.w;
    const vi left = vf_truncate(column), upper = vf_truncate(row);
    const vi stride = vf_bits(level.y), texel = (vf_bits(level.x) + upper * stride) + left;
    const vf across = column - vi_to_float(left);
    return environment_mix3(environment_pair(map, texel, across),
                            environment_pair(map, texel + stride, across),
                            row - vi_to_float(upper));
}

/* Returns the radiance that a surface of some roughness mirrors from around r, which may have any
 * length. */
LANE_INLINE vec3 environment_specular(const mrw_environment *environment, vec3 r, vf roughness)
{
    const mrwi_light_environment_map *map = &environment->specular;
    const float last = (float)(MRWI_LIGHT_ENVIRONMENT_LEVELS - 1);
    const vf at = vf_clamp(roughness, 0.0f, 1.0f) * last;
    const vi level = vi_min(vf_truncate(at), vi_set(MRWI_LIGHT_ENVIRONMENT_LEVELS - 2));
    vf4 levels[2];
    vf u, v;
    environment_place(r, &u, &v);
    environment_levels(map, level, levels);
    return environment_mix3(environment_tap(map, levels[0], u, v),
                            environment_tap(map, levels[1], u, v), at - vi_to_float(level));
}

/* ---- how much of it -------------------------------------------------------------------------- */

/* Sets scale and bias: a reflection of radiance 1 returns f0 * scale + f90 * bias, at most 1. */
LANE_INLINE void environment_brdf(vf roughness, vf n_dot_v, vf *scale, vf *bias)
{
    const float *a = mrwi_shade_scale_above, *b = mrwi_shade_scale_below;
    const float *c = mrwi_shade_bias_above, *d = mrwi_shade_bias_below;
    const vf r = vf_clamp(roughness, 0.0f, 1.0f), s = vf_sqrt(vf_clamp(n_dot_v, 0.0f, 1.0f));
    const vf a0 = a[0] + (a[1] + (a[2] + a[3] * r) * r) * r, a1 = a[4] + (a[5] + a[6] * r) * r;
    const vf a2 = (a[7] + a[8] * r) + a[9] * s;
    const vf b0 = 1.0f + (b[0] + b[1] * r) * r, b1 = (b[2] + b[3] * r) + b[4] * s;
    const vf c0 = c[0] + (c[1] + c[2] * r) * r, c1 = (c[3] + c[4] * r) + c[5] * s;
    const vf d0 = 1.0f + (d[0] + d[1] * r) * r, d1 = (d[2] + d[3] * r) + d[4] * s;
    *scale = vf_clamp((a0 + (a1 + a2 * s) * s) / (b0 + b1 * s), 0.0f, 1.0f);
    *bias = vf_min(vf_max((c0 + c1 * s) / (d0 + d1 * s), vf_set(0.0f)), 1.0f - *scale);
}

/* Returns the light that comes back by more than one facet (Fdez-Aguera, "A Multiple-Scattering
 * Microfacet Model for Real-Time Image-based Lighting", 2019), in addition to once = f0 * scale +
 * bias. The caller multiplies it with the ambient light on a matt surface. Works on one colour
 * channel. */
LANE_INLINE vf environment_compensation(vf f0, vf once, vf scale, vf bias)
{
    const vf lost = 1.0f - (scale + bias);
    const vf mean = f0 + (1.0f - f0) * (1.0f / 21.0f);
    return (once * mean) * lost / vf_max(1.0f - mean * lost, vf_set(1e-3f));
}

#endif
