/* light_kernel.h: the light that surfaces reflect; included by shade_kernel.h, compiled once per
 * instruction set. Formulas and their sources stand in light_spec.h, under the same names. */

#include "shade/environment_kernel.h"

LANE_INLINE vec3 vec3_set(const float v[3])
{
    return (vec3){vf_set(v[0]), vf_set(v[1]), vf_set(v[2])};
}

LANE_INLINE vec3 load3(float (*channel)[BLOCK_PADDED], uint32_t i)
{
    return (vec3){vf_load(channel[0] + i), vf_load(channel[1] + i), vf_load(channel[2] + i)};
}

LANE_INLINE void store3(float (*channel)[BLOCK_PADDED], uint32_t i, vec3 c)
{
    vf_store(channel[0] + i, c.x);
    vf_store(channel[1] + i, c.y);
    vf_store(channel[2] + i, c.z);
}

LANE_INLINE vf exp2_approximate(vf x)
{
    x = vf_max(x, vf_set(-126.0f));
    const vf whole = vf_floor(x), t = x - whole;
    const vf power = vf_from_bits(vi_shift_left(vf_truncate(whole) + 127, 23));
    const vf p = 0.0558186764f + t * (0.008990995f + t * 0.00187931854f);
    return power * (1.0f + t * (0.693151739f + t * (0.240159271f + t * p)));
}

/* ---- a surface ------------------------------------------------------------------------------- */

/* The same as in light_spec.h; in addition half_a2 = a2 / 2, rest = 1 - a2, quarter = (1 - a2) / 4.
 */
typedef struct surface {
    vec3 n, to_eye;
    vf nv, seen;
    vec3 diffuse, f0;
    vf f90, d0, d90;
    vf roughness, a2, gv, half_a2, rest, quarter;
    vf occlusion;
} surface;

/* A material's factors, copied so that stages keep them in registers. */
typedef struct factors {
    float metallic, roughness, specular, reflectance, tint[3];
    float glossiness, normal_scale, occlusion;
} factors;

LANE_INLINE factors factors_of(const mrw_raster_material *m)
{
    const bool is_classic = m->surface == MRW_SURFACE_CLASSIC;
    const mrwi_shade_classic classic = mrwi_shade_classic_of(m->shininess);
    return (factors){.metallic = m->metallic,
                     .roughness = is_classic ? classic.roughness : m->roughness,
                     .specular = m->specular,
                     .reflectance = is_classic ? MRWI_SHADE_CLASSIC_SHARE : m->reflectance,
                     .tint = {m->specular_color[0], m->specular_color[1], m->specular_color[2]},
                     .glossiness = m->glossiness,
                     .normal_scale = m->normal_scale,
                     .occlusion = m->occlusion_strength};
}

/* How much a stage has to find out about a surface. */
typedef enum surface_look {
    DIELECTRIC, /* METALLIC_ROUGHNESS without maps, metallic 0, no tinted channel */
    PLAIN,      /* METALLIC_ROUGHNESS without maps that light reads */
    MATT,       /* CLASSIC without a shininess */
    MAPPED      /* all others */
} surface_look;

LANE_INLINE vf largest(vec3 a)
{
    return vf_max(vf_max(a.x, a.y), a.z);
}

/* Returns a channel of a map as 0 ... 1; 1 if the material lacks the map. */
LANE_INLINE vf look_up(const work *w, block *b, uint32_t i, uint32_t map, uint32_t channel)
{
    const float unit = 1.0f / 65535.0f;
    return w->state->maps >> map & 1u ? vf_load(b->colors[map].channel[channel] + i) * unit
                                      : vf_set(1.0f);
}

LANE_INLINE vec3 look_up3(const work *w, block *b, uint32_t i, uint32_t map)
{
    return (vec3){look_up(w, b, i, map, 0), look_up(w, b, i, map, 1), look_up(w, b, i, map, 2)};
}

LANE_INLINE vec3 normal_at(block *b, uint32_t i)
{
    return normalize(load3(b->points.normal, i));
}

/* Returns -1 where backs are seen, otherwise 1. */
LANE_INLINE vf seen_side(block *b, uint32_t i)
{
    return vf_load(b->points.side + i);
}

LANE_INLINE vec3 mapped_normal(const work *w, block *b, uint32_t i, uint32_t map, float scale,
                               vec3 n)
{
    if ((w->state->maps >> map & 1u) == 0) {
        return n;
    }
    const vec3 texel = look_up3(w, b, i, map);
    const vf seen = seen_side(b, i), sign = vf_load(b->points.stream[MRWI_SHADE_TANGENT][3] + i);
    const vec3 tangent = scaled(normalize(load3(b->points.stream[MRWI_SHADE_TANGENT], i)), seen);
    const vec3 bitangent =
        scaled(cross_of(n, tangent), vf_select(vf_less(sign, vf_set(0.0f)), -seen, seen));
    const vf x = (2.0f * texel.x - 1.0f) * scale, y = (2.0f * texel.y - 1.0f) * scale;
    const vf z = 2.0f * texel.z - 1.0f;
    return normalize(add_scaled(add_scaled(scaled(n, z), bitangent, y), tangent, x));
}

LANE_INLINE vec3 eye_from(const mrwi_shade_frame *frame, vf x, vf y)
{
    const float *r = frame->ray0, *dx = frame->ray_dx, *dy = frame->ray_dy;
    return normalize((vec3){(x * dx[0] + y * dy[0]) + r[0], (x * dx[1] + y * dy[1]) + r[1],
                            (x * dx[2] + y * dy[2]) + r[2]});
}

/* Returns the vector to the eye from the fragments' positions. */
LANE_INLINE vec3 to_eye_at(const work *w, block *b, uint32_t i)
{
    const float *x = w->g->other_x ? b->points.x : w->g->x;
    const float *y = w->g->other_y ? b->points.y : w->g->y;
    return eye_from(w->frame, vf_load(x + i), vf_load(y + i));
}

/* Returns true if levels of a normal map have averaged normals. */
static bool has_bumps(const draw_state *state, uint32_t map)
{
    return (state->maps >> map & 1u) != 0 &&
           state->material->maps[map].texture->alpha == MRW_TEXTURE_ALPHA_SPREAD;
}

LANE_INLINE vf bumps_at(const work *w, block *b, uint32_t i, uint32_t map, float scale)
{
    const vf spread = look_up(w, b, i, map, 3), lost = spread * spread;
    return 2.0f * lost / vf_max(1.0f - lost, vf_set(1e-3f)) * (scale * scale);
}

/* Widens the roughness. map: the normal map, MRW_RASTER_MAP_COUNT for none; scale: its scale. */
LANE_INLINE void widen(const work *w, block *b, uint32_t i, uint32_t map, float scale, surface *out)
{
    const bool bumps = map != MRW_RASTER_MAP_COUNT && has_bumps(w->state, map);
    if (!bumps && !w->state->curved) {
        return;
    }
    const vf zero = vf_set(0.0f), one = vf_set(1.0f);
    const vf curvature = w->state->curved ? vf_load(b->points.curvature + i) : zero;
    const bool wide = w->frame->lighting.wide_highlights;
    const vf turned = wide ? curvature : curvature * (out->seen * out->seen);
    const vf wider = vf_max(turned - MRWI_SHADE_RESOLVED * out->a2, zero);
    if (bumps) {
        const vf lost = bumps_at(w, b, i, map, scale);
        const vi some = vf_less(zero, lost);
        out->a2 = vf_select(some, vf_min(out->a2 + lost, one), out->a2);
        out->roughness = vf_select(some, vf_sqrt(vf_sqrt(out->a2)), out->roughness);
    }
    const vi curves = vf_less(zero, wider);
    if (mask_any(curves)) {
        const float gain = wide ? MRWI_SHADE_WIDE_MIRRORED : MRWI_SHADE_MIRRORED;
        const vf mirrored = vf_min(out->a2 + gain * wider, one);
        out->roughness = vf_select(curves, vf_sqrt(vf_sqrt(mirrored)), out->roughness);
        out->a2 = vf_select(curves, vf_min(out->a2 + wider, one), out->a2);
    }
}

LANE_INLINE void set_roughness(const work *w, block *b, uint32_t i, uint32_t map, float scale,
                               vf roughness, surface *out)
{
    out->roughness = vf_clamp(roughness, LEAST_ROUGHNESS, 1.0f);
    const vf a = out->roughness * out->roughness;
    out->a2 = a * a;
    widen(w, b, i, map, scale, out);
    out->half_a2 = 0.5f * out->a2;
    out->rest = 1.0f - out->a2;
    out->quarter = 0.25f * out->rest;
    out->gv = vf_sqrt(out->a2 + out->rest * (out->seen * out->seen));
}

LANE_INLINE void metallic_surface(const work *w, block *b, uint32_t i, surface_look known,
                                  const factors *m, vec3 base, surface *out)
{
    vf metallic = vf_set(m->metallic), roughness = vf_set(m->roughness);
    vf specular = vf_set(m->specular);
    vec3 tint = vec3_set(m->tint);
    if (known == MAPPED) {
        metallic = metallic * look_up(w, b, i, MRW_RASTER_MAP_METALLIC_ROUGHNESS, 2) *
                   look_up(w, b, i, MRW_RASTER_MAP_METALLIC, 0);
        roughness = roughness * look_up(w, b, i, MRW_RASTER_MAP_METALLIC_ROUGHNESS, 1) *
                    look_up(w, b, i, MRW_RASTER_MAP_ROUGHNESS, 0);
        specular = specular * look_up(w, b, i, MRW_RASTER_MAP_SPECULAR_STRENGTH, 3);
        tint = times(tint, look_up3(w, b, i, MRW_RASTER_MAP_SPECULAR));
    }
    const vf one = vf_set(1.0f);
    const vec3 f0 =
        scaled((vec3){vf_min(tint.x * m->reflectance, one), vf_min(tint.y * m->reflectance, one),
                      vf_min(tint.z * m->reflectance, one)},
               specular);
    set_roughness(w, b, i, known == MAPPED ? MRW_RASTER_MAP_NORMAL : MRW_RASTER_MAP_COUNT,
                  m->normal_scale, roughness, out);
    if (known == DIELECTRIC) { /* the case below with metallic 0 */
        out->diffuse = base;
        out->f0 = (vec3){f0.x, f0.x, f0.x};
        out->d0 = f0.x;
        out->f90 = out->d90 = specular;
        return;
    }
    const vf matt = 1.0f - metallic;
    out->diffuse = scaled(base, matt);
    const vi is_metal = vf_less(vf_set(0.0f), metallic);
    const vec3 of_metal = {vf_keep(is_metal, base.x), vf_keep(is_metal, base.y),
                           vf_keep(is_metal, base.z)};
    out->f0 = add_scaled(scaled(f0, matt), of_metal, metallic);
    out->f90 = specular * matt + metallic;
    out->d0 = largest(f0);
    out->d90 = specular;
}

LANE_INLINE void glossy_surface(const work *w, block *b, uint32_t i, const factors *m, vec3 base,
                                surface *out)
{
    out->f0 = times(vec3_set(m->tint), look_up3(w, b, i, MRW_RASTER_MAP_SPECULAR));
    out->d0 = largest(out->f0);
    out->f90 = out->d90 = vf_set(1.0f);
    out->diffuse = scaled(base, 1.0f - vf_min(out->d0, vf_set(1.0f)));
    set_roughness(w, b, i, MRW_RASTER_MAP_NORMAL, m->normal_scale,
                  1.0f - m->glossiness * look_up(w, b, i, MRW_RASTER_MAP_SPECULAR, 3), out);
}

LANE_INLINE void classic_surface(const work *w, block *b, uint32_t i, surface_look known,
                                 const factors *m, vec3 base, surface *out)
{
    const vf most = vf_set(MRWI_SHADE_CLASSIC_MOST);
    out->diffuse = base;
    if (known == MATT) {
        return;
    }
    const vec3 tint = times(vec3_set(m->tint), look_up3(w, b, i, MRW_RASTER_MAP_SPECULAR));
    out->f0 = (vec3){vf_min(tint.x * m->reflectance, most), vf_min(tint.y * m->reflectance, most),
                     vf_min(tint.z * m->reflectance, most)};
    out->d0 = largest(out->f0);
    out->f90 = out->d90 = out->d0;
    set_roughness(w, b, i, MRW_RASTER_MAP_NORMAL, m->normal_scale, vf_set(m->roughness), out);
}

#include "shade/ambient_kernel.h"

LANE_INLINE surface surface_at(const work *w, block *b, uint32_t i, mrw_surface kind,
                               surface_look known, const factors *m)
{
    const vec3 base = load3(colors_of(b)->channel, i);
    surface out;
    memset(&out, 0, sizeof out);
    out.n = normal_at(b, i);
    if (known == MAPPED || known == MATT) {
        out.n = mapped_normal(w, b, i, MRW_RASTER_MAP_NORMAL, m->normal_scale, out.n);
    }
    out.to_eye = to_eye_at(w, b, i);
    out.nv = dot(out.n, out.to_eye);
    out.seen = vf_max(out.nv, vf_set(0.0f));
    out.occlusion = vf_set(1.0f);
    if (kind == MRW_SURFACE_METALLIC_ROUGHNESS) {
        metallic_surface(w, b, i, known, m, base, &out);
    } else if (kind == MRW_SURFACE_SPECULAR_GLOSSINESS) {
        glossy_surface(w, b, i, m, base, &out);
    } else {
        classic_surface(w, b, i, known, m, base, &out);
    }
    if ((known == MAPPED || known == MATT) &&
        (w->state->maps >> MRW_RASTER_MAP_OCCLUSION & 1u) != 0) {
        out.occlusion =
            1.0f + (look_up(w, b, i, MRW_RASTER_MAP_OCCLUSION, 0) - 1.0f) * m->occlusion;
    }
    if (w->state->occluded) {
        out.occlusion = out.occlusion * openness_at(w, b, i);
    }
    return out;
}

#include "shade/lamp_kernel.h"
#include "shade/shadow_kernel.h"

/* ---- light ----------------------------------------------------------------------------------- */

typedef struct arrival {
    vec3 to_light;
    vf share;
} arrival;

LANE_INLINE vf distance_divisor(const mrwi_shade_light *light, vf d2)
{
    const float *k = light->attenuation;
    return light->attenuated ? vf_max(k[0] + (k[1] * vf_sqrt(d2) + k[2] * d2), vf_set(1e-20f)) : d2;
}

/* Computes the arrival of a light. placed: false if all lights of the frame are directional. */
LANE_INLINE arrival arrival_of(const mrwi_shade_light *light, bool placed, vec3 position)
{
    arrival a = {vec3_set(light->to_light), vf_set(1.0f)};
    if (!placed || !light->placed) {
        return a;
    }
    const float *p = light->position;
    const vec3 d = {p[0] - position.x, p[1] - position.y, p[2] - position.z};
    const vf d2 = vf_max(dot(d, d), vf_set(1e-20f)), near = d2 * light->inv_range_squared;
    a.to_light = scaled(d, 1.0f / vf_sqrt(d2));
    a.share = vf_clamp(1.0f - near * near, 0.0f, 1.0f) / distance_divisor(light, d2);
    if (light->spot) {
        const vf cosine = dot_with(a.to_light, light->to_light);
        const vf cone = vf_clamp(cosine * light->cone_scale + light->cone_offset, 0.0f, 1.0f);
        a.share = a.share * (cone * cone);
    }
    return a;
}

LANE_INLINE vec3 hemisphere(const mrw_lighting *lighting, vec3 n)
{
    const float *sky = lighting->sky, *ground = lighting->ground;
    const vf above = 0.5f + 0.5f * dot_with(n, lighting->up);
    return (vec3){ground[0] + (sky[0] - ground[0]) * above,
                  ground[1] + (sky[1] - ground[1]) * above,
                  ground[2] + (sky[2] - ground[2]) * above};
}

LANE_INLINE vec3 ambient_light(const mrw_lighting *lighting, vec3 n)
{
    const vec3 sum = hemisphere(lighting, n);
    if (!lighting->environment) {
        return sum;
    }
    return add_scaled(sum,
                      environment_diffuse(lighting->environment, environment_turn(lighting, n)),
                      vf_set(lighting->environment_intensity));
}

LANE_INLINE vec3 mirror_of(vec3 n, vec3 to_eye, vf nv)
{
    return add_scaled(scaled(to_eye, vf_set(-1.0f)), n, 2.0f * nv);
}

LANE_INLINE vec3 dominant_of(vec3 r, vec3 n, vf seen, vf roughness)
{
    const vf share =
        vf_max(roughness * (roughness + (1.0f - roughness) * (0.75f - 1.5f * seen)), vf_set(0.0f));
    return (vec3){r.x + (n.x - r.x) * share, r.y + (n.y - r.y) * share, r.z + (n.z - r.z) * share};
}

LANE_INLINE vec3 mirrored_light(const mrw_lighting *lighting, const surface *s)
{
    const vec3 r = mirror_of(s->n, s->to_eye, s->nv), sum = hemisphere(lighting, r);
    if (!lighting->environment) {
        return sum;
    }
    const vec3 d = dominant_of(r, s->n, s->seen, s->roughness);
    return add_scaled(
        sum,
        environment_specular(lighting->environment, environment_turn(lighting, d), s->roughness),
        vf_set(lighting->environment_intensity));
}

typedef struct reflection {
    vec3 matt, shine;
} reflection;

LANE_INLINE reflection reflected_ambient(const mrw_lighting *lighting, bool ambient,
                                         surface_look known, const surface *s)
{
    const vec3 none = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
    if (!ambient) {
        return (reflection){none, none};
    }
    const vec3 matt = scaled(ambient_light(lighting, s->n), s->occlusion);
    if (known == MATT) {
        return (reflection){matt, none};
    }
    vf scale, bias;
    environment_brdf(s->roughness, s->seen, &scale, &bias);
    const vec3 mirrored = mirrored_light(lighting, s);
    vec3 once;
    once.x = s->f0.x * scale + s->f90 * bias;
    once.y = known == DIELECTRIC ? once.x : s->f0.y * scale + s->f90 * bias;
    once.z = known == DIELECTRIC ? once.x : s->f0.z * scale + s->f90 * bias;
    const vf of_dielectric = s->d0 * scale + s->d90 * bias;
    vf kept = 1.0f - of_dielectric;
    vec3 shine = scaled(times(once, mirrored), s->occlusion);
    if (lighting->environment_compensation) {
        const vec3 more = {environment_compensation(s->f0.x, once.x, scale, bias),
                           environment_compensation(s->f0.y, once.y, scale, bias),
                           environment_compensation(s->f0.z, once.z, scale, bias)};
        kept = kept - environment_compensation(s->d0, of_dielectric, scale, bias);
        shine =
            (vec3){shine.x + more.x * matt.x, shine.y + more.y * matt.y, shine.z + more.z * matt.z};
    }
    return (reflection){scaled(matt, kept), shine};
}

LANE_INLINE vf fifth_power(vf x)
{
    const vf x2 = x * x;
    return (x2 * x2) * x;
}

LANE_INLINE vf half_squared(vec3 l, vec3 v)
{
    return vf_max(0.5f + 0.5f * dot(l, v), vf_set(2.5e-7f));
}

LANE_INLINE vf microfacets(const surface *s, vf nl, vf vh2)
{
    const vf both = vf_max(nl + s->nv, vf_set(0.0f));
    const vf t = vf_max(vh2 - s->quarter * (both * both), s->a2 * vh2);
    const vf gl = vf_sqrt(s->a2 + s->rest * (nl * nl));
    const vf masked = nl * s->gv + s->seen * gl;
    return s->half_a2 * (vh2 * vh2) / vf_max((t * t) * masked, vf_set(1e-21f));
}

LANE_INLINE vf grazing(vf vh2)
{
    return fifth_power(1.0f - vf_sqrt(vh2));
}

LANE_INLINE void add_reflection(surface_look known, const surface *s, const mrwi_shade_light *light,
                                vec3 l, vf nl, vf amount, reflection *sum)
{
    const vec3 color = vec3_set(light->color), shine = vec3_set(light->shine);
    if (known == MATT) {
        sum->matt = add_scaled(sum->matt, color, amount);
        return;
    }
    const vf vh2 = half_squared(l, s->to_eye);
    const vf graze = grazing(vh2), facets = amount * microfacets(s, nl, vh2);
    const vf of_dielectric = s->d0 + (s->d90 - s->d0) * graze;
    const vf matt = amount * (1.0f - of_dielectric);
    if (known == DIELECTRIC) {
        sum->matt = add_scaled(sum->matt, color, matt);
        sum->shine = add_scaled(sum->shine, shine, facets * of_dielectric);
        return;
    }
    const vi arrives = vf_less(vf_set(0.0f), amount); /* factors may be infinite */
    const vec3 fresnel = {s->f0.x + (s->f90 - s->f0.x) * graze,
                          s->f0.y + (s->f90 - s->f0.y) * graze,
                          s->f0.z + (s->f90 - s->f0.z) * graze};
    sum->matt = add_scaled(sum->matt, color, vf_keep(arrives, matt));
    sum->shine = (vec3){sum->shine.x + shine.x * vf_keep(arrives, facets * fresnel.x),
                        sum->shine.y + shine.y * vf_keep(arrives, facets * fresnel.y),
                        sum->shine.z + shine.z * vf_keep(arrives, facets * fresnel.z)};
}

LANE_INLINE vec3 position_at(block *b, uint32_t i, bool placed)
{
    const vf zero = vf_set(0.0f);
    return placed ? load3(b->points.stream[MRWI_SHADE_POSITION], i) : (vec3){zero, zero, zero};
}

/* The loop of the light stages, compiled once per kind of surface. A light of which nothing arrives
 * adds zeros. */
LANE_INLINE void light_surface(const work *w, block *b, mrw_surface kind, surface_look known,
                               bool placed)
{
    const mrwi_shade_frame *frame = w->frame;
    const factors m = factors_of(w->state->material);
    const bool ambient = w->state->ambient;
    const uint32_t count = w->g->count, lamp_count = b->lamps.count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const surface at = surface_at(w, b, i, kind, known, &m);
        const vec3 position = position_at(b, i, placed);
        reflection sum = reflected_ambient(&frame->lighting, ambient, known, &at);
        for (uint32_t k = 0; k < lamp_count; k++) {
            const mrwi_shade_light *light = lamp_at(frame, b, k);
            const arrival a = arrival_of(light, placed, position);
            const vf nl = vf_max(dot(at.n, a.to_light), vf_set(0.0f));
            const vf amount = shadowed(b, light, i, placed ? nl * a.share : nl);
            if (!mask_any(vf_less(vf_set(0.0f), amount))) {
                continue;
            }
            add_reflection(known, &at, light, a.to_light, nl, amount, &sum);
        }
        store3(colors_of(b)->channel, i,
               (vec3){at.diffuse.x * sum.matt.x + sum.shine.x,
                      at.diffuse.y * sum.matt.y + sum.shine.y,
                      at.diffuse.z * sum.matt.z + sum.shine.z});
    }
}

/* ---- the stages ------------------------------------------------------------------------------ */

STAGE void light_dielectric(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_METALLIC_ROUGHNESS, DIELECTRIC, false);
}

STAGE void light_dielectric_placed(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_METALLIC_ROUGHNESS, DIELECTRIC, true);
}

STAGE void light_metallic_plain(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_METALLIC_ROUGHNESS, PLAIN, false);
}

STAGE void light_metallic_plain_placed(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_METALLIC_ROUGHNESS, PLAIN, true);
}

STAGE void light_metallic(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_METALLIC_ROUGHNESS, MAPPED, false);
}

STAGE void light_metallic_placed(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_METALLIC_ROUGHNESS, MAPPED, true);
}

STAGE void light_glossy(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_SPECULAR_GLOSSINESS, MAPPED, false);
}

STAGE void light_glossy_placed(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_SPECULAR_GLOSSINESS, MAPPED, true);
}

STAGE void light_classic(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_CLASSIC, MAPPED, false);
}

STAGE void light_classic_placed(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_CLASSIC, MAPPED, true);
}

STAGE void light_classic_matt(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_CLASSIC, MATT, false);
}

STAGE void light_classic_matt_placed(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_CLASSIC, MATT, true);
}

LANE_INLINE vec3 add_fill(vec3 sum, const mrwi_shade_light *light, vf share)
{
    return light->fills ? add_scaled(sum, vec3_set(light->ambient), share) : sum;
}

STAGE void light_lambert(const work *w, block *b)
{
    const mrwi_shade_frame *frame = w->frame;
    const bool placed = w->state->placed;
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vec3 n = normal_at(b, i), position = position_at(b, i, placed);
        vec3 sum = scaled(ambient_light(&frame->lighting, n), openness_at(w, b, i));
        for (uint32_t k = 0; k < b->lamps.count; k++) {
            const mrwi_shade_light *light = lamp_at(frame, b, k);
            arrival a = arrival_of(light, placed, position);
            sum = add_fill(sum, light, a.share);
            a.share = shadowed(b, light, i, a.share);
            sum = add_scaled(sum, vec3_set(light->color),
                             vf_max(dot(n, a.to_light), vf_set(0.0f)) * a.share);
        }
        store3(colors_of(b)->channel, i, times(load3(colors_of(b)->channel, i), sum));
    }
}

STAGE void emit(const work *w, block *b)
{
    const float *emissive = w->state->material->emissive;
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const vec3 texel = look_up3(w, b, i, MRW_RASTER_MAP_EMISSIVE);
        const vec3 color = load3(colors_of(b)->channel, i);
        store3(colors_of(b)->channel, i,
               (vec3){color.x + emissive[0] * texel.x, color.y + emissive[1] * texel.y,
                      color.z + emissive[2] * texel.z});
    }
}

STAGE void coat(const work *w, block *b)
{
    const mrwi_shade_frame *frame = w->frame;
    const mrw_raster_material *m = w->state->material;
    const bool placed = w->state->placed;
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        surface c;
        memset(&c, 0, sizeof c);
        c.n = mapped_normal(w, b, i, MRW_RASTER_MAP_CLEARCOAT_NORMAL, m->clearcoat_normal_scale,
                            normal_at(b, i));
        c.to_eye = to_eye_at(w, b, i);
        c.nv = dot(c.n, c.to_eye);
        c.seen = vf_max(c.nv, vf_set(0.0f));
        set_roughness(
            w, b, i, MRW_RASTER_MAP_CLEARCOAT_NORMAL, m->clearcoat_normal_scale,
            m->clearcoat_roughness * look_up(w, b, i, MRW_RASTER_MAP_CLEARCOAT_ROUGHNESS, 1), &c);
        const vec3 position = position_at(b, i, placed);
        vec3 sum = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
        for (uint32_t k = 0; k < b->lamps.count; k++) {
            const mrwi_shade_light *light = lamp_at(frame, b, k);
            const arrival a = arrival_of(light, placed, position);
            const vf nl = vf_max(dot(c.n, a.to_light), vf_set(0.0f));
            const vf amount = shadowed(b, light, i, nl * a.share);
            const vf vh2 = half_squared(a.to_light, c.to_eye);
            sum = add_scaled(sum, vec3_set(light->shine), amount * microfacets(&c, nl, vh2));
        }
        vf scale, bias;
        environment_brdf(c.roughness, c.seen, &scale, &bias);
        const vec3 mirrored = mirrored_light(&frame->lighting, &c);
        const vf weight = m->clearcoat * look_up(w, b, i, MRW_RASTER_MAP_CLEARCOAT, 0);
        const vf around = (0.04f * scale + bias) * (weight * openness_at(w, b, i));
        const vf share = weight * (0.04f + 0.96f * fifth_power(1.0f - c.seen));
        const vec3 color = load3(colors_of(b)->channel, i);
        store3(colors_of(b)->channel, i,
               (vec3){(color.x * (1.0f - share) + sum.x * share) + mirrored.x * around,
                      (color.y * (1.0f - share) + sum.y * share) + mirrored.y * around,
                      (color.z * (1.0f - share) + sum.z * share) + mirrored.z * around});
    }
}

#include "shade/sheen_kernel.h"

/* ---- ground ---------------------------------------------------------------------------------- */

LANE_INLINE vf luminance(vec3 c)
{
    return (0.2126f * c.x + 0.7152f * c.y) + 0.0722f * c.z;
}

STAGE void catch_shadows(const work *w, block *b)
{
    const mrwi_shade_frame *frame = w->frame;
    const bool placed = w->state->placed;
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const vec3 n = normal_at(b, i), position = position_at(b, i, placed);
        vf all = luminance(ambient_light(&frame->lighting, n));
        vf lost = all - all * openness_at(w, b, i);
        for (uint32_t k = 0; k < b->lamps.count; k++) {
            const mrwi_shade_light *light = lamp_at(frame, b, k);
            const arrival a = arrival_of(light, placed, position);
            const vf amount = vf_max(dot(n, a.to_light), vf_set(0.0f)) * a.share;
            const vf bright = luminance(vec3_set(light->color)) * amount;
            const vec3 none = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
            all = all + luminance(add_fill(none, light, a.share));
            all = all + bright;
            lost = lost + (bright - shadowed(b, light, i, bright));
        }
        const vf share = vf_clamp(lost / vf_max(all, vf_set(1e-20f)), 0.0f, 1.0f);
        const vf alpha = vf_load(colors_of(b)->channel[3] + i);
        store3(colors_of(b)->channel, i, (vec3){vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)});
        vf_store(colors_of(b)->channel[3] + i, alpha * share);
    }
}
