/* light_kernel.h: what surfaces reflect of the lights; included by shade_kernel.h, compiled once an
 * instruction set. Formulas and their sources stand in light_spec.h, under the same names.
 */

#include "raster/environment_kernel.h"

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

typedef struct surface {
    vec3 n, to_eye;
    vf nv, seen;
    vec3 diffuse, f0;
    vf f90, d0, d90;
    vf roughness, a2, gv;
    float half_power, strength;
    vf occlusion;
} surface;

LANE_INLINE vf largest(vec3 a)
{
    return vf_max(vf_max(a.x, a.y), a.z);
}

/* A channel of a map as 0 ... 1; 1 where the material lacks it. */
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

/* -1 where backs are seen, else 1. */
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
    const vf seen = seen_side(b, i), sign = vf_load(b->points.stream[MRWI_RASTER_TANGENT][3] + i);
    const vec3 tangent = scaled(normalize(load3(b->points.stream[MRWI_RASTER_TANGENT], i)), seen);
    const vec3 bitangent =
        scaled(cross_of(n, tangent), vf_select(vf_less(sign, vf_set(0.0f)), -seen, seen));
    const vf x = (2.0f * texel.x - 1.0f) * scale, y = (2.0f * texel.y - 1.0f) * scale;
    const vf z = 2.0f * texel.z - 1.0f;
    return normalize(add_scaled(add_scaled(scaled(n, z), bitangent, y), tangent, x));
}

LANE_INLINE vec3 eye_from(const mrwi_raster_shade_frame *frame, vf x, vf y)
{
    const float *r = frame->ray0, *dx = frame->ray_dx, *dy = frame->ray_dy;
    return normalize((vec3){(x * dx[0] + y * dy[0]) + r[0], (x * dx[1] + y * dy[1]) + r[1],
                            (x * dx[2] + y * dy[2]) + r[2]});
}

/* Where the fragments are shaded. */
LANE_INLINE vec3 to_eye_at(const work *w, block *b, uint32_t i)
{
    const float *x = w->g->other_x ? b->points.x : w->g->x;
    const float *y = w->g->other_y ? b->points.y : w->g->y;
    return eye_from(w->frame, vf_load(x + i), vf_load(y + i));
}

#define LEAST_ROUGHNESS 0.045f

LANE_INLINE void set_roughness(surface *out, vf roughness)
{
    out->roughness = vf_clamp(roughness, LEAST_ROUGHNESS, 1.0f);
    const vf a = out->roughness * out->roughness;
    out->a2 = a * a;
    out->gv = vf_sqrt(out->a2 + (1.0f - out->a2) * (out->seen * out->seen));
}

LANE_INLINE void metallic_surface(const work *w, block *b, uint32_t i, bool mapped, vec3 base,
                                  surface *out)
{
    const mrw_raster_material *m = w->state->material;
    vf metallic = vf_set(m->metallic), roughness = vf_set(m->roughness);
    vf specular = vf_set(m->specular);
    vec3 tint = vec3_set(m->specular_color);
    if (mapped) {
        metallic = metallic * look_up(w, b, i, MRW_RASTER_MAP_METALLIC_ROUGHNESS, 2) *
                   look_up(w, b, i, MRW_RASTER_MAP_METALLIC, 0);
        roughness = roughness * look_up(w, b, i, MRW_RASTER_MAP_METALLIC_ROUGHNESS, 1) *
                    look_up(w, b, i, MRW_RASTER_MAP_ROUGHNESS, 0);
        specular = specular * look_up(w, b, i, MRW_RASTER_MAP_SPECULAR_STRENGTH, 3);
        tint = times(tint, look_up3(w, b, i, MRW_RASTER_MAP_SPECULAR));
    }
    const vf matt = 1.0f - metallic, one = vf_set(1.0f);
    const vec3 f0 =
        scaled((vec3){vf_min(tint.x * m->reflectance, one), vf_min(tint.y * m->reflectance, one),
                      vf_min(tint.z * m->reflectance, one)},
               specular);
    out->diffuse = scaled(base, matt);
    out->f0 = add_scaled(scaled(f0, matt), base, metallic);
    out->f90 = specular * matt + metallic;
    out->d0 = largest(f0);
    out->d90 = specular;
    set_roughness(out, roughness);
}

LANE_INLINE void glossy_surface(const work *w, block *b, uint32_t i, vec3 base, surface *out)
{
    const mrw_raster_material *m = w->state->material;
    out->f0 = times(vec3_set(m->specular_color), look_up3(w, b, i, MRW_RASTER_MAP_SPECULAR));
    out->d0 = largest(out->f0);
    out->f90 = out->d90 = vf_set(1.0f);
    out->diffuse = scaled(base, 1.0f - vf_min(out->d0, vf_set(1.0f)));
    set_roughness(out, 1.0f - m->glossiness * look_up(w, b, i, MRW_RASTER_MAP_SPECULAR, 3));
}

static float clamp_shininess(float n)
{
    n = n > 0.0f ? n : 0.0f;
    return n < 4096.0f ? n : 4096.0f;
}

LANE_INLINE void classic_surface(const work *w, block *b, uint32_t i, vec3 base, surface *out)
{
    const mrw_raster_material *m = w->state->material;
    const float shininess = clamp_shininess(m->shininess);
    out->diffuse = base;
    out->f0 = times(vec3_set(m->specular_color), look_up3(w, b, i, MRW_RASTER_MAP_SPECULAR));
    out->half_power = 0.5f * shininess;
    out->strength = shininess > 0.0f ? (shininess + 8.0f) * 0.125f : 0.0f;
}

/* Not mapped: of METALLIC_ROUGHNESS, without any of the maps that are read here. */
LANE_INLINE surface surface_at(const work *w, block *b, uint32_t i, mrw_surface kind, bool mapped)
{
    const mrw_raster_material *m = w->state->material;
    const vec3 base = load3(colors_of(b)->channel, i);
    surface out;
    memset(&out, 0, sizeof out);
    out.n = normal_at(b, i);
    if (mapped) {
        out.n = mapped_normal(w, b, i, MRW_RASTER_MAP_NORMAL, m->normal_scale, out.n);
    }
    out.to_eye = to_eye_at(w, b, i);
    out.nv = dot(out.n, out.to_eye);
    out.seen = vf_max(out.nv, vf_set(0.0f));
    out.occlusion = vf_set(1.0f);
    if (kind == MRW_SURFACE_METALLIC_ROUGHNESS) {
        metallic_surface(w, b, i, mapped, base, &out);
    } else if (kind == MRW_SURFACE_SPECULAR_GLOSSINESS) {
        glossy_surface(w, b, i, base, &out);
    } else {
        classic_surface(w, b, i, base, &out);
    }
    if (mapped && (w->state->maps >> MRW_RASTER_MAP_OCCLUSION & 1u) != 0) {
        out.occlusion =
            1.0f + (look_up(w, b, i, MRW_RASTER_MAP_OCCLUSION, 0) - 1.0f) * m->occlusion_strength;
    }
    return out;
}

/* ---- light ----------------------------------------------------------------------------------- */

typedef struct arrival {
    vec3 to_light;
    vf share;
} arrival;

/* Not placed: no light of the frame stands anywhere. */
LANE_INLINE arrival arrival_of(const mrwi_raster_light *light, bool placed, vec3 position)
{
    arrival a = {vec3_set(light->to_light), vf_set(1.0f)};
    if (!placed || !light->placed) {
        return a;
    }
    const float *p = light->position;
    const vec3 d = {p[0] - position.x, p[1] - position.y, p[2] - position.z};
    const vf d2 = vf_max(dot(d, d), vf_set(1e-20f)), near = d2 * light->inv_range_squared;
    a.to_light = scaled(d, 1.0f / vf_sqrt(d2));
    a.share = vf_clamp(1.0f - near * near, 0.0f, 1.0f) / d2;
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

LANE_INLINE vec3 mirrored_light(const mrw_lighting *lighting, vec3 r, vf roughness)
{
    const vec3 sum = hemisphere(lighting, r);
    if (!lighting->environment) {
        return sum;
    }
    return add_scaled(
        sum, environment_specular(lighting->environment, environment_turn(lighting, r), roughness),
        vf_set(lighting->environment_intensity));
}

LANE_INLINE vec3 mirror_of(vec3 n, vec3 to_eye, vf nv)
{
    return add_scaled(scaled(to_eye, vf_set(-1.0f)), n, 2.0f * nv);
}

LANE_INLINE vec3 reflected_ambient(const mrw_lighting *lighting, mrw_surface kind, const surface *s)
{
    const vec3 matt = ambient_light(lighting, s->n);
    if (kind == MRW_SURFACE_CLASSIC) {
        return scaled(times(s->diffuse, matt), s->occlusion);
    }
    vf scale, bias;
    vec3 more = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
    environment_brdf(s->roughness, s->seen, &scale, &bias);
    const vec3 mirrored = mirrored_light(lighting, mirror_of(s->n, s->to_eye, s->nv), s->roughness);
    const vec3 once = {s->f0.x * scale + s->f90 * bias, s->f0.y * scale + s->f90 * bias,
                       s->f0.z * scale + s->f90 * bias};
    const vf of_dielectric = s->d0 * scale + s->d90 * bias;
    vf kept = 1.0f - of_dielectric;
    if (lighting->environment_compensation) {
        more.x = environment_compensation(s->f0.x, once.x, scale, bias);
        more.y = environment_compensation(s->f0.y, once.y, scale, bias);
        more.z = environment_compensation(s->f0.z, once.z, scale, bias);
        kept = kept - environment_compensation(s->d0, of_dielectric, scale, bias);
    }
    const vec3 sum = {(s->diffuse.x * kept + more.x) * matt.x + once.x * mirrored.x,
                      (s->diffuse.y * kept + more.y) * matt.y + once.y * mirrored.y,
                      (s->diffuse.z * kept + more.z) * matt.z + once.z * mirrored.z};
    return scaled(sum, s->occlusion);
}

LANE_INLINE vf fifth_power(vf x)
{
    const vf x2 = x * x;
    return (x2 * x2) * x;
}

LANE_INLINE vf microfacets(const surface *s, vf nl, vf lv)
{
    const vf h2 = vf_max(2.0f + 2.0f * lv, vf_set(1e-6f));
    const vf both = vf_max(nl + s->nv, vf_set(0.0f));
    const vf t = vf_max((both * both) * (s->a2 - 1.0f) + h2, s->a2 * h2);
    const vf gl = vf_sqrt(s->a2 + (1.0f - s->a2) * (nl * nl));
    const vf masked = nl * s->gv + s->seen * gl;
    return (0.5f * s->a2) * (h2 * h2) / vf_max((t * t) * masked, vf_set(1e-20f));
}

LANE_INLINE vf grazing(vf lv)
{
    return fifth_power(1.0f - vf_sqrt(vf_max(0.5f + 0.5f * lv, vf_set(0.0f))));
}

LANE_INLINE vec3 reflected(mrw_surface kind, const surface *s, vec3 l, vf nl, float specular)
{
    const vf lv = dot(l, s->to_eye);
    if (kind == MRW_SURFACE_CLASSIC) {
        const vf both = vf_max(nl + s->nv, vf_set(0.0f));
        const vf h2 = vf_max(2.0f + 2.0f * lv, vf_set(1e-6f));
        const vf nh2 = vf_clamp(both * both / h2, 0x1p-100f, 1.0f);
        const vf power = exp2_approximate(s->half_power * log2_approximate(nh2));
        const vf shine = power * s->strength * specular;
        return scaled(add_scaled(s->diffuse, s->f0, shine), nl);
    }
    const vf graze = grazing(lv), facets = microfacets(s, nl, lv) * specular;
    const vf kept = 1.0f - (s->d0 + (s->d90 - s->d0) * graze);
    const vec3 fresnel = {s->f0.x + (s->f90 - s->f0.x) * graze,
                          s->f0.y + (s->f90 - s->f0.y) * graze,
                          s->f0.z + (s->f90 - s->f0.z) * graze};
    return scaled(add_scaled(scaled(s->diffuse, kept), fresnel, facets), nl);
}

LANE_INLINE vec3 position_at(block *b, uint32_t i, bool placed)
{
    const vf zero = vf_set(0.0f);
    return placed ? load3(b->points.stream[MRWI_RASTER_POSITION], i) : (vec3){zero, zero, zero};
}

LANE_INLINE vf masked(vi mask, vf x)
{
    return vf_from_bits(vf_bits(x) & mask);
}

/* The stages' loop, once for each kind of surface. */
LANE_INLINE void light_surface(const work *w, block *b, mrw_surface kind, bool mapped, bool placed)
{
    const mrwi_raster_shade_frame *frame = w->frame;
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const surface at = surface_at(w, b, i, kind, mapped);
        const vec3 position = position_at(b, i, placed);
        vec3 sum = reflected_ambient(&frame->lighting, kind, &at);
        for (uint32_t k = 0; k < frame->lighting.light_count; k++) {
            const mrwi_raster_light *light = &frame->lights[k];
            const arrival a = arrival_of(light, placed, position);
            const vf nl = dot(at.n, a.to_light), zero = vf_set(0.0f);
            const vi reaches = vf_less(zero, nl) & vf_less(zero, a.share);
            if (placed && !mask_any(reaches)) {
                continue;
            }
            const vec3 part = reflected(kind, &at, a.to_light, nl, light->specular);
            sum.x += masked(reaches, part.x * (light->color[0] * a.share));
            sum.y += masked(reaches, part.y * (light->color[1] * a.share));
            sum.z += masked(reaches, part.z * (light->color[2] * a.share));
        }
        store3(colors_of(b)->channel, i, sum);
    }
}

/* ---- the stages ------------------------------------------------------------------------------ */

STAGE void light_metallic_plain(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_METALLIC_ROUGHNESS, false, false);
}

STAGE void light_metallic_plain_placed(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_METALLIC_ROUGHNESS, false, true);
}

STAGE void light_metallic(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_METALLIC_ROUGHNESS, true, false);
}

STAGE void light_metallic_placed(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_METALLIC_ROUGHNESS, true, true);
}

STAGE void light_glossy(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_SPECULAR_GLOSSINESS, true, false);
}

STAGE void light_glossy_placed(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_SPECULAR_GLOSSINESS, true, true);
}

STAGE void light_classic(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_CLASSIC, true, false);
}

STAGE void light_classic_placed(const work *w, block *b)
{
    light_surface(w, b, MRW_SURFACE_CLASSIC, true, true);
}

STAGE void light_lambert(const work *w, block *b)
{
    const mrwi_raster_shade_frame *frame = w->frame;
    const bool placed = w->state->placed;
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vec3 n = normal_at(b, i), position = position_at(b, i, placed);
        vec3 sum = ambient_light(&frame->lighting, n);
        for (uint32_t k = 0; k < frame->lighting.light_count; k++) {
            const mrwi_raster_light *light = &frame->lights[k];
            const arrival a = arrival_of(light, placed, position);
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
    const mrwi_raster_shade_frame *frame = w->frame;
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
        set_roughness(&c, m->clearcoat_roughness *
                              look_up(w, b, i, MRW_RASTER_MAP_CLEARCOAT_ROUGHNESS, 1));
        const vec3 position = position_at(b, i, placed);
        vec3 sum = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
        for (uint32_t k = 0; k < frame->lighting.light_count; k++) {
            const mrwi_raster_light *light = &frame->lights[k];
            const arrival a = arrival_of(light, placed, position);
            const vf nl = dot(c.n, a.to_light), amount = a.share * light->specular;
            const vi reaches = vf_less(vf_set(0.0f), nl) & vf_less(vf_set(0.0f), amount);
            const vf facets = microfacets(&c, nl, dot(a.to_light, c.to_eye));
            const vf shine = (facets * nl) * amount;
            sum.x += masked(reaches, light->color[0] * shine);
            sum.y += masked(reaches, light->color[1] * shine);
            sum.z += masked(reaches, light->color[2] * shine);
        }
        vf scale, bias;
        environment_brdf(c.roughness, c.seen, &scale, &bias);
        const vec3 mirrored =
            mirrored_light(&frame->lighting, mirror_of(c.n, c.to_eye, c.nv), c.roughness);
        const vf weight = m->clearcoat * look_up(w, b, i, MRW_RASTER_MAP_CLEARCOAT, 0);
        const vf around = (0.04f * scale + bias) * weight;
        const vf share = weight * (0.04f + 0.96f * fifth_power(1.0f - c.seen));
        const vec3 color = load3(colors_of(b)->channel, i);
        store3(colors_of(b)->channel, i,
               (vec3){(color.x * (1.0f - share) + sum.x * share) + mirrored.x * around,
                      (color.y * (1.0f - share) + sum.y * share) + mirrored.y * around,
                      (color.z * (1.0f - share) + sum.z * share) + mirrored.z * around});
    }
}
