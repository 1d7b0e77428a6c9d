/* light_spec.h: the light that surfaces reflect, one fragment at a time; included by shade_spec.c,
 * which finds a fragment's place in its triangle and the texels of its maps.
 *
 *   normal, maps of the material ─► surface ─► each light minus its shadow, ambient light
 *   ─► emission ─► coat
 *
 * Sources: glTF 2.0, appendix B, and the Khronos extensions that are named; Karis 2013 and
 * Fdez-Aguera 2019 for ambient light; for classic materials see MRW_SURFACE_CLASSIC.
 */

/* ---- numbers --------------------------------------------------------------------------------- */

typedef struct vec3 {
    float x, y, z;
} vec3;

static inline vec3 vec3_of(const float v[3])
{
    return (vec3){v[0], v[1], v[2]};
}

static inline float dot(vec3 a, vec3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

/* Returns a + b f. */
static inline vec3 add_scaled(vec3 a, vec3 b, float f)
{
    return (vec3){a.x + b.x * f, a.y + b.y * f, a.z + b.z * f};
}

/* Returns v at unit length; the zero vector stays zero. */
static inline vec3 normalize(vec3 v)
{
    const float scale = 1.0f / sqrtf(max_of(dot(v, v), 1e-30f));
    return (vec3){v.x * scale, v.y * scale, v.z * scale};
}

static inline vec3 scaled(vec3 a, float f)
{
    return (vec3){a.x * f, a.y * f, a.z * f};
}

static inline vec3 times(vec3 a, vec3 b)
{
    return (vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline vec3 cross_of(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Returns 2^x for x <= 0: whole powers of two, times the minimax polynomial of degree 5 that is 1
 * at 0 and 2 at 1, accurate to 1e-7. The result is never below 2^-126. */
static inline float exp2_approximate(float x)
{
    uint32_t bits;
    float power;
    x = max_of(x, -126.0f);
    const float whole = floor_of(x), t = x - whole;
    bits = (uint32_t)((int32_t)whole + 127) << 23;
    memcpy(&power, &bits, sizeof power);
    const float p = 0.0558186764f + t * (0.008990995f + t * 0.00187931854f);
    return power * (1.0f + t * (0.693151739f + t * (0.240159271f + t * p)));
}

/* ---- a surface ------------------------------------------------------------------------------- */

/* The surface at a fragment. */
typedef struct surface {
    vec3 n, to_eye; /* normal of the visible side, mapped; both are unit vectors */
    float nv, seen; /* their cosine, negative for normals that lean away; clamped at 0 */
    vec3 diffuse;   /* reflectance of the matt part */
    vec3 f0;        /* reflectance of microfacets at normal incidence */
    float f90;      /* reflectance of microfacets at grazing angles */
    float d0, d90;  /* the part of f0 and f90 that the matt part loses: that of a dielectric */
    float roughness, a2, gv; /* a2 is its fourth power; sqrt(a2 + (1 - a2) seen^2) */
    bool matt;               /* reflects diffusely alone: CLASSIC without a shininess */
    float occlusion;
} surface;

static inline float largest(vec3 a)
{
    return max_of(max_of(a.x, a.y), a.z);
}

/* Reads the texels of a map as 0 ... 1; all 1 if the material lacks the map. */
static inline void look_up(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                           mrw_raster_map_kind kind, float out[4])
{
    const mrw_raster_map *map = &t->draw->material->maps[kind];
    for (int k = 0; k < 4; k++) {
        out[k] = 65535.0f;
    }
    if (map->texture) {
        sample_map(frame, t, s, map, out);
    }
    for (int k = 0; k < 4; k++) {
        out[k] = out[k] * (1.0f / 65535.0f);
    }
}

/* Returns the front normal of a triangle. The sides are scaled to unit length first, so that no
 * product overflows. */
static inline vec3 face_normal(const mrwi_shade_frame *frame, const triangle *t)
{
    const float(*p)[4] = frame->streams[MRWI_SHADE_POSITION];
    const float *a = p[t->vertex[0]], *b = p[t->vertex[1]], *c = p[t->vertex[2]];
    const vec3 ab = normalize((vec3){b[0] - a[0], b[1] - a[1], b[2] - a[2]});
    const vec3 ac = normalize((vec3){c[0] - a[0], c[1] - a[1], c[2] - a[2]});
    return scaled(normalize(cross_of(ab, ac)), t->draw->mirrored ? -1.0f : 1.0f);
}

/* Returns the normal of the visible side, at unit length again after interpolation. */
static inline vec3 normal_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s)
{
    const float seen = t->back ? -1.0f : 1.0f;
    if (t->draw->flat || mrw_shading_info_of(frame->shading)->flat) {
        return normalize(scaled(face_normal(frame, t), seen));
    }
    return normalize((vec3){interpolate(s, t->v0->nx, t->v1->nx, t->v2->nx) * seen,
                            interpolate(s, t->v0->ny, t->v1->ny, t->v2->ny) * seen,
                            interpolate(s, t->v0->nz, t->v1->nz, t->v2->nz) * seen});
}

static inline vec3 stream_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                             mrwi_shade_stream stream, float *w)
{
    const float(*values)[4] = frame->streams[stream];
    const float *a = values[t->vertex[0]], *b = values[t->vertex[1]], *c = values[t->vertex[2]];
    *w = interpolate(s, a[3], b[3], c[3]);
    return (vec3){interpolate(s, a[0], b[0], c[0]), interpolate(s, a[1], b[1], c[1]),
                  interpolate(s, a[2], b[2], c[2])};
}

/* Applies a normal map (glTF 2.0, 3.9.3): normalize(T x + B y + N z), with B = cross(N, T) w of the
 * front side; on back sides all three are reversed. */
static inline vec3 mapped_normal(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                                 mrw_raster_map_kind kind, float scale, vec3 n)
{
    float texel[4], w;
    if (!t->draw->material->maps[kind].texture || !t->draw->tangents ||
        mrw_shading_info_of(frame->shading)->flat) {
        return n;
    }
    look_up(frame, t, s, kind, texel);
    const float seen = t->back ? -1.0f : 1.0f;
    const vec3 tangent = scaled(normalize(stream_at(frame, t, s, MRWI_SHADE_TANGENT, &w)), seen);
    const vec3 bitangent = scaled(cross_of(n, tangent), w < 0.0f ? -seen : seen);
    const float x = (2.0f * texel[0] - 1.0f) * scale, y = (2.0f * texel[1] - 1.0f) * scale;
    const float z = 2.0f * texel[2] - 1.0f;
    return normalize(add_scaled(add_scaled(scaled(n, z), bitangent, y), tangent, x));
}

/* Returns the vector from a surface to the eye. */
static inline vec3 eye_from(const mrwi_shade_frame *frame, float x, float y)
{
    const float *r = frame->ray0, *dx = frame->ray_dx, *dy = frame->ray_dy;
    return normalize((vec3){(x * dx[0] + y * dy[0]) + r[0], (x * dx[1] + y * dy[1]) + r[1],
                            (x * dx[2] + y * dy[2]) + r[2]});
}

/* Returns how much normals turn within a pixel, as an addition to the squared alpha of a surface:
 * the screen derivatives of the interpolated normal, without perspective inside the triangle, under
 * a Gaussian filter (Tokuyoshi and Kaplanyan, "Improved Geometric Specular Antialiasing", 2019).
 */
static inline float curvature_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s)
{
    const mrwi_shade_vertex *v0 = t->v0, *v1 = t->v1, *v2 = t->v2;
    const float ax = v1->x - v0->x, ay = v1->y - v0->y, bx = v2->x - v0->x, by = v2->y - v0->y;
    const vec3 n1 = {v1->nx - v0->nx, v1->ny - v0->ny, v1->nz - v0->nz};
    const vec3 n2 = {v2->nx - v0->nx, v2->ny - v0->ny, v2->nz - v0->nz};
    const vec3 x = scaled(add_scaled(scaled(n1, by), n2, -ay), s->inv_area);
    const vec3 y = scaled(add_scaled(scaled(n2, ax), n1, -bx), s->inv_area);
    if (t->draw->flat || frame->shading != MRW_SHADING_LIT) {
        return 0.0f;
    }
    const float filter =
        frame->lighting.wide_highlights ? MRWI_SHADE_WIDE_FILTER : MRWI_SHADE_PIXEL_FILTER;
    return clamp((dot(x, x) + dot(y, y)) * filter, 0.0f, MRWI_SHADE_MOST_CURVATURE);
}

/* Returns the same for the normals that the levels of a normal map have averaged. For a mean of
 * unit normals with length r, which alpha holds (MRW_TEXTURE_ALPHA_SPREAD), the variance is (1 - r)
 * / r (Toksvig, "Mipmapping Normal Maps", 2005). */
static inline float bumps_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                             mrw_raster_map_kind kind, float scale)
{
    float texel[4];
    const mrw_raster_texture *texture = t->draw->material->maps[kind].texture;
    if (!texture || !t->draw->tangents || texture->alpha != MRW_TEXTURE_ALPHA_SPREAD ||
        mrw_shading_info_of(frame->shading)->flat) {
        return 0.0f;
    }
    look_up(frame, t, s, kind, texel);
    const float lost = texel[3] * texel[3];
    return 2.0f * lost / max_of(1.0f - lost, 1e-3f) * (scale * scale);
}

/* Sets the roughness. Highlights smaller than a pixel would flicker; curvature widens them to about
 * a pixel. It does nothing if a pixel is small compared with the highlight, so resolved highlights
 * do not change. Towards the outline a pixel's normals turn along one direction only, and a lobe
 * that is wider in all directions catches lamps that no normal of the pixel mirrors: edges glow. So
 * curvature counts less there. `roughness` is for mirrored environments. */
static inline void set_roughness(const mrwi_shade_frame *frame, surface *out, float roughness,
                                 float curvature, float bumps)
{
    const bool wide = frame->lighting.wide_highlights;
    out->roughness = clamp(roughness, LEAST_ROUGHNESS, 1.0f);
    const float a = out->roughness * out->roughness;
    out->a2 = a * a;
    const float turned = wide ? curvature : curvature * (out->seen * out->seen);
    const float wider = max_of(turned - MRWI_SHADE_RESOLVED * out->a2, 0.0f);
    if (bumps > 0.0f) {
        out->a2 = min_of(out->a2 + bumps, 1.0f);
        out->roughness = sqrtf(sqrtf(out->a2));
    }
    if (wider > 0.0f) {
        const float mirrored = wide ? MRWI_SHADE_WIDE_MIRRORED : MRWI_SHADE_MIRRORED;
        out->roughness = sqrtf(sqrtf(min_of(out->a2 + mirrored * wider, 1.0f)));
        out->a2 = min_of(out->a2 + wider, 1.0f);
    }
    out->gv = sqrtf(out->a2 + (1.0f - out->a2) * (out->seen * out->seen));
}

/* Fills in the surface by glTF 2.0, 3.9.2 and appendix B; KHR_materials_ior and _specular. */
static inline void metallic_surface(const mrwi_shade_frame *frame, const triangle *t,
                                    const shares *s, vec3 base, surface *out)
{
    const mrw_raster_material *m = t->draw->material;
    float mr[4], metal[4], rough[4], color[4], strength[4];
    look_up(frame, t, s, MRW_RASTER_MAP_METALLIC_ROUGHNESS, mr);
    look_up(frame, t, s, MRW_RASTER_MAP_METALLIC, metal);
    look_up(frame, t, s, MRW_RASTER_MAP_ROUGHNESS, rough);
    look_up(frame, t, s, MRW_RASTER_MAP_SPECULAR, color);
    look_up(frame, t, s, MRW_RASTER_MAP_SPECULAR_STRENGTH, strength);
    const float metallic = m->metallic * mr[2] * metal[0], matt = 1.0f - metallic;
    const vec3 tint = times(vec3_of(m->specular_color), (vec3){color[0], color[1], color[2]});
    const float specular = m->specular * strength[3];
    const vec3 f0 =
        scaled((vec3){min_of(tint.x * m->reflectance, 1.0f), min_of(tint.y * m->reflectance, 1.0f),
                      min_of(tint.z * m->reflectance, 1.0f)},
               specular);
    out->diffuse = scaled(base, matt);
    const vec3 of_metal =
        metallic > 0.0f ? base : (vec3){0.0f, 0.0f, 0.0f}; /* avoids infinity * 0 */
    out->f0 = add_scaled(scaled(f0, matt), of_metal, metallic);
    out->f90 = specular * matt + metallic;
    out->d0 = largest(f0);
    out->d90 = specular;
    set_roughness(frame, out, m->roughness * mr[1] * rough[0], curvature_at(frame, t, s),
                  bumps_at(frame, t, s, MRW_RASTER_MAP_NORMAL, m->normal_scale));
}

static inline void glossy_surface(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                                  vec3 base, surface *out)
{
    const mrw_raster_material *m = t->draw->material;
    float color[4];
    look_up(frame, t, s, MRW_RASTER_MAP_SPECULAR, color);
    out->f0 = times(vec3_of(m->specular_color), (vec3){color[0], color[1], color[2]});
    out->d0 = largest(out->f0);
    out->f90 = out->d90 = 1.0f;
    out->diffuse = scaled(base, 1.0f - min_of(out->d0, 1.0f));
    set_roughness(frame, out, 1.0f - m->glossiness * color[3], curvature_at(frame, t, s),
                  bumps_at(frame, t, s, MRW_RASTER_MAP_NORMAL, m->normal_scale));
}

/* Fills in the surface of a classic material: see MRW_SURFACE_CLASSIC. */
static inline void classic_surface(const mrwi_shade_frame *frame, const triangle *t,
                                   const shares *s, vec3 base, surface *out)
{
    const mrw_raster_material *m = t->draw->material;
    const mrwi_shade_classic classic = mrwi_shade_classic_of(m->shininess);
    float color[4];
    out->diffuse = base;
    out->matt = classic.matt;
    if (out->matt) {
        return;
    }
    look_up(frame, t, s, MRW_RASTER_MAP_SPECULAR, color);
    const vec3 tint = times(vec3_of(m->specular_color), (vec3){color[0], color[1], color[2]});
    out->f0 = (vec3){min_of(tint.x * MRWI_SHADE_CLASSIC_SHARE, MRWI_SHADE_CLASSIC_MOST),
                     min_of(tint.y * MRWI_SHADE_CLASSIC_SHARE, MRWI_SHADE_CLASSIC_MOST),
                     min_of(tint.z * MRWI_SHADE_CLASSIC_SHARE, MRWI_SHADE_CLASSIC_MOST)};
    out->d0 = largest(out->f0);
    out->f90 = out->d90 = out->d0;
    set_roughness(frame, out, classic.roughness, curvature_at(frame, t, s),
                  bumps_at(frame, t, s, MRW_RASTER_MAP_NORMAL, m->normal_scale));
}

#include "shade/ambient_spec.h"

static inline surface surface_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                                 float x, float y, const float color[4])
{
    const mrw_raster_material *m = t->draw->material;
    const vec3 base = {color[0], color[1], color[2]};
    surface out = {.n = mapped_normal(frame, t, s, MRW_RASTER_MAP_NORMAL, m->normal_scale,
                                      normal_at(frame, t, s)),
                   .to_eye = eye_from(frame, x, y),
                   .occlusion = 1.0f};
    out.nv = dot(out.n, out.to_eye);
    out.seen = max_of(out.nv, 0.0f);
    switch (m->surface) {
    case MRW_SURFACE_METALLIC_ROUGHNESS:
        metallic_surface(frame, t, s, base, &out);
        break;
    case MRW_SURFACE_SPECULAR_GLOSSINESS:
        glossy_surface(frame, t, s, base, &out);
        break;
    default:
        classic_surface(frame, t, s, base, &out);
        break;
    }
    if (m->maps[MRW_RASTER_MAP_OCCLUSION].texture) {
        float occlusion[4];
        look_up(frame, t, s, MRW_RASTER_MAP_OCCLUSION, occlusion);
        out.occlusion = 1.0f + (occlusion[0] - 1.0f) * m->occlusion_strength;
    }
    out.occlusion = out.occlusion * openness_at(frame, t, s, x, y);
    return out;
}

#include "shade/shadow_spec.h"

/* ---- light ----------------------------------------------------------------------------------- */

/* Returns the number of lights that count. Skipping the others changes nothing (mrwi_shade_lamps).
 */
static inline uint32_t lamp_count(const mrwi_shade_frame *frame)
{
    return frame->lamps ? frame->lamps->count : frame->lighting.light_count;
}

static inline const mrwi_shade_light *lamp_at(const mrwi_shade_frame *frame, uint32_t i)
{
    return &frame->lights[frame->lamps ? frame->lamps->light[i] : i];
}

/* A light at a point: its direction, and the remaining share of its colour. */
typedef struct arrival {
    vec3 to_light;
    float share;
} arrival;

/* Returns the divisor for a distance: its square, or the attenuation of a classic lamp. */
static inline float distance_divisor(const mrwi_shade_light *light, float d2)
{
    const float *k = light->attenuation;
    return light->attenuated ? max_of(k[0] + (k[1] * sqrtf(d2) + k[2] * d2), 1e-20f) : d2;
}

/* Computes the arrival by KHR_lights_punctual: inverse square, cut off at the range; the cone of
 * spots. */
static inline arrival arrival_of(const mrwi_shade_light *light, vec3 position)
{
    arrival a = {vec3_of(light->to_light), 1.0f};
    if (!light->placed) {
        return a;
    }
    const vec3 p = vec3_of(light->position);
    const vec3 d = {p.x - position.x, p.y - position.y, p.z - position.z};
    const float d2 = max_of(dot(d, d), 1e-20f), near = d2 * light->inv_range_squared;
    a.to_light = scaled(d, 1.0f / sqrtf(d2));
    a.share = clamp(1.0f - near * near, 0.0f, 1.0f) / distance_divisor(light, d2);
    if (light->spot) {
        const float cosine = dot(a.to_light, vec3_of(light->to_light));
        const float cone = clamp(cosine * light->cone_scale + light->cone_offset, 0.0f, 1.0f);
        a.share = a.share * (cone * cone);
    }
    return a;
}

/* Returns the radiance that comes from a direction of a hemisphere, sky above and ground below. It
 * is also the radiance of a white matt surface that faces that direction. */
static inline vec3 hemisphere(const mrw_lighting *lighting, vec3 n)
{
    const float above = 0.5f + 0.5f * dot(n, vec3_of(lighting->up));
    return (vec3){mix(lighting->ground[0], lighting->sky[0], above),
                  mix(lighting->ground[1], lighting->sky[1], above),
                  mix(lighting->ground[2], lighting->sky[2], above)};
}

/* Returns the ambient light as a white matt surface shows it. */
static inline vec3 ambient_light(const mrw_lighting *lighting, vec3 n)
{
    vec3 sum = hemisphere(lighting, n);
    if (lighting->environment) {
        const float in[3] = {n.x, n.y, n.z};
        float turned[3], out[3];
        mrwi_shade_environment_turn(lighting, in, turned);
        mrwi_shade_environment_diffuse(lighting->environment, turned, out);
        sum = add_scaled(sum, vec3_of(out), lighting->environment_intensity);
    }
    return sum;
}

/* Returns the mirrored direction of the eye. */
static inline vec3 mirror_of(vec3 n, vec3 to_eye, float nv)
{
    return add_scaled(scaled(to_eye, -1.0f), n, 2.0f * nv);
}

/* Returns the direction, at any length, from which a surface mirrors most light. The rougher it is,
 * the nearer this is to its normal, and more so at grazing angles (Lagarde and de Rousiers, "Moving
 * Frostbite to Physically Based Rendering", 2014, 4.9.3). The share is fitted to the mean direction
 * of D V (n.l): within 0.04 for n.v from 0.1 to 0.7, 0.1 beyond, where r and n are close. */
static inline vec3 dominant_of(vec3 r, vec3 n, float seen, float roughness)
{
    const float share =
        max_of(roughness * (roughness + (1.0f - roughness) * (0.75f - 1.5f * seen)), 0.0f);
    return (vec3){mix(r.x, n.x, share), mix(r.y, n.y, share), mix(r.z, n.z, share)};
}

/* Returns the ambient light as a surface of some roughness mirrors it. */
static inline vec3 mirrored_light(const mrw_lighting *lighting, const surface *s)
{
    const vec3 r = mirror_of(s->n, s->to_eye, s->nv);
    vec3 sum = hemisphere(lighting, r);
    if (lighting->environment) {
        const vec3 d = dominant_of(r, s->n, s->seen, s->roughness);
        const float in[3] = {d.x, d.y, d.z};
        float turned[3], out[3];
        mrwi_shade_environment_turn(lighting, in, turned);
        mrwi_shade_environment_specular(lighting->environment, turned, s->roughness, out);
        sum = add_scaled(sum, vec3_of(out), lighting->environment_intensity);
    }
    return sum;
}

/* The reflected light: the light on the matt part, to be multiplied with its reflectance, and the
 * highlights. */
typedef struct reflection {
    vec3 matt, shine;
} reflection;

/* Returns the reflection of ambient light by the split sum (Karis 2013); with compensation also the
 * light that comes back by more than one facet (Fdez-Aguera 2019). The matt part loses what is
 * mirrored. */
static inline reflection reflected_ambient(const mrw_lighting *lighting, const surface *s)
{
    const vec3 none = {0.0f, 0.0f, 0.0f};
    if (!mrwi_shade_has_ambient_light(lighting)) {
        return (reflection){none, none};
    }
    const vec3 matt = scaled(ambient_light(lighting, s->n), s->occlusion);
    if (s->matt) {
        return (reflection){matt, none};
    }
    float scale, bias;
    mrwi_shade_environment_brdf(s->roughness, s->seen, &scale, &bias);
    const vec3 mirrored = mirrored_light(lighting, s);
    const vec3 once = {s->f0.x * scale + s->f90 * bias, s->f0.y * scale + s->f90 * bias,
                       s->f0.z * scale + s->f90 * bias};
    float kept = 1.0f - (s->d0 * scale + s->d90 * bias);
    vec3 shine = scaled(times(once, mirrored), s->occlusion);
    if (lighting->environment_compensation) {
        const vec3 more = {mrwi_shade_environment_compensation(s->f0.x, once.x, scale, bias),
                           mrwi_shade_environment_compensation(s->f0.y, once.y, scale, bias),
                           mrwi_shade_environment_compensation(s->f0.z, once.z, scale, bias)};
        kept = kept - mrwi_shade_environment_compensation(s->d0, s->d0 * scale + s->d90 * bias,
                                                          scale, bias);
        shine =
            (vec3){shine.x + more.x * matt.x, shine.y + more.y * matt.y, shine.z + more.z * matt.z};
    }
    return (reflection){scaled(matt, kept), shine};
}

static inline float fifth_power(float x)
{
    const float x2 = x * x;
    return (x2 * x2) * x;
}

/* Returns (V.H)^2 = |L + V|^2 / 4 = (1 + L.V) / 2; H itself is not needed. */
static inline float half_squared(vec3 l, vec3 v)
{
    return max_of(0.5f + 0.5f * dot(l, v), 2.5e-7f);
}

/* Returns pi D V of microfacets (glTF 2.0, B.2.2 and B.3.2: GGX and its height-correlated masking).
 * vh2 is (V.H)^2: D = a2 / (pi d^2), d = 1 - (1 - a2) (N.H)^2 = t / vh2. t has a lower bound,
 * because rounding would take it below its least value if a2 is small. */
static inline float microfacets(const surface *s, float nl, float vh2)
{
    const float rest = 1.0f - s->a2, both = max_of(nl + s->nv, 0.0f);
    const float t = max_of(vh2 - (0.25f * rest) * (both * both), s->a2 * vh2);
    const float gl = sqrtf(s->a2 + rest * (nl * nl));
    const float masked = nl * s->gv + s->seen * gl;
    return (0.5f * s->a2) * (vh2 * vh2) / max_of((t * t) * masked, 1e-21f);
}

/* Returns (1 - V.H)^5. */
static inline float grazing(float vh2)
{
    return fifth_power(1.0f - sqrtf(vh2));
}

/* Adds the reflection of a light. amount: the cosine times its share. */
static inline void add_reflection(const surface *s, const mrwi_shade_light *light, vec3 l, float nl,
                                  float amount, reflection *sum)
{
    const vec3 color = vec3_of(light->color), shine = vec3_of(light->shine);
    if (s->matt) {
        sum->matt = add_scaled(sum->matt, color, amount);
        return;
    }
    const float vh2 = half_squared(l, s->to_eye);
    const float graze = grazing(vh2), facets = amount * microfacets(s, nl, vh2);
    const float kept = 1.0f - (s->d0 + (s->d90 - s->d0) * graze);
    const vec3 fresnel = {s->f0.x + (s->f90 - s->f0.x) * graze,
                          s->f0.y + (s->f90 - s->f0.y) * graze,
                          s->f0.z + (s->f90 - s->f0.z) * graze};
    sum->matt = add_scaled(sum->matt, color, amount * kept);
    sum->shine = (vec3){sum->shine.x + shine.x * (facets * fresnel.x),
                        sum->shine.y + shine.y * (facets * fresnel.y),
                        sum->shine.z + shine.z * (facets * fresnel.z)};
}

/* Returns a fragment's position, for placed lights. */
static inline vec3 position_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s)
{
    float w;
    return frame->placed_lights || frame->shadow_count > 0
               ? stream_at(frame, t, s, MRWI_SHADE_POSITION, &w)
               : (vec3){0.0f, 0.0f, 0.0f};
}

/* Returns the fragment at (x, y) as light falls on it. */
static inline receiver receiver_at(const mrwi_shade_frame *frame, const triangle *t,
                                   const shares *s, float x, float y)
{
    receiver r = {.position = position_at(frame, t, s)};
    if (frame->shadow_count > 0) {
        r.n = normal_at(frame, t, s);
        r.face = face_normal(frame, t);
        r.share = ground_share(frame, t, x, y);
    }
    return r;
}

/* Returns the unshadowed part of a light's share: all of it for a light without shadow map. */
static inline float shadowed(const mrwi_shade_frame *frame, const mrwi_shade_light *light,
                             const receiver *at, float share)
{
    return light->shadow == 0 ? share
                              : share * shadow_visibility(&frame->shadows[light->shadow - 1], at);
}

/* Lays a clear coat over the colour (KHR_materials_clearcoat): microfacets with their own normal
 * and roughness, ior 1.5. The layer below loses what the coat reflects, by the cosine to the eye.
 */
static void coat(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float x,
                 float y, float color[4])
{
    const mrw_raster_material *m = t->draw->material;
    float strength[4], rough[4];
    look_up(frame, t, s, MRW_RASTER_MAP_CLEARCOAT, strength);
    look_up(frame, t, s, MRW_RASTER_MAP_CLEARCOAT_ROUGHNESS, rough);
    surface c = {.n = mapped_normal(frame, t, s, MRW_RASTER_MAP_CLEARCOAT_NORMAL,
                                    m->clearcoat_normal_scale, normal_at(frame, t, s)),
                 .to_eye = eye_from(frame, x, y)};
    c.nv = dot(c.n, c.to_eye);
    c.seen = max_of(c.nv, 0.0f);
    set_roughness(
        frame, &c, m->clearcoat_roughness * rough[1], curvature_at(frame, t, s),
        bumps_at(frame, t, s, MRW_RASTER_MAP_CLEARCOAT_NORMAL, m->clearcoat_normal_scale));
    const receiver here = receiver_at(frame, t, s, x, y);
    vec3 sum = {0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < lamp_count(frame); i++) {
        const mrwi_shade_light *light = lamp_at(frame, i);
        const arrival a = arrival_of(light, here.position);
        const float nl = max_of(dot(c.n, a.to_light), 0.0f);
        const float amount = shadowed(frame, light, &here, nl * a.share);
        if (amount > 0.0f) {
            const float vh2 = half_squared(a.to_light, c.to_eye);
            sum = add_scaled(sum, vec3_of(light->shine), amount * microfacets(&c, nl, vh2));
        }
    }
    float scale, bias;
    mrwi_shade_environment_brdf(c.roughness, c.seen, &scale, &bias);
    const vec3 mirrored = mirrored_light(&frame->lighting, &c);
    const float weight = m->clearcoat * strength[0];
    const float around = (0.04f * scale + bias) * (weight * openness_at(frame, t, s, x, y));
    const float share = weight * (0.04f + 0.96f * fifth_power(1.0f - c.seen));
    color[0] = (color[0] * (1.0f - share) + sum.x * share) + mirrored.x * around;
    color[1] = (color[1] * (1.0f - share) + sum.y * share) + mirrored.y * around;
    color[2] = (color[2] * (1.0f - share) + sum.z * share) + mirrored.z * around;
}

#include "shade/sheen_spec.h"

/* Adds the part of a lamp's light that tutorials call ambient. */
static inline vec3 add_fill(vec3 sum, const mrwi_shade_light *light, float share)
{
    return light->fills ? add_scaled(sum, vec3_of(light->ambient), share) : sum;
}

/* Returns the light of all lamps that a matt surface reflects (Lambert 1760). */
static inline vec3 diffuse_light(const mrwi_shade_frame *frame, vec3 n, const receiver *here,
                                 float open)
{
    vec3 sum = scaled(ambient_light(&frame->lighting, n), open);
    for (uint32_t i = 0; i < lamp_count(frame); i++) {
        const mrwi_shade_light *light = lamp_at(frame, i);
        arrival a = arrival_of(light, here->position);
        sum = add_fill(sum, light, a.share);
        a.share = shadowed(frame, light, here, a.share);
        sum = add_scaled(sum, vec3_of(light->color), max_of(dot(n, a.to_light), 0.0f) * a.share);
    }
    return sum;
}

/* Lights a base colour as MRW_SHADING_LAMBERT does. */
static void light_matt(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float x,
                       float y, float color[4])
{
    const receiver here = receiver_at(frame, t, s, x, y);
    const vec3 light =
        diffuse_light(frame, normal_at(frame, t, s), &here, openness_at(frame, t, s, x, y));
    color[0] *= light.x;
    color[1] *= light.y;
    color[2] *= light.z;
}

/* Lights a base colour at (x, y). */
static void light_surface(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                          float x, float y, float color[4])
{
    const mrw_raster_material *m = t->draw->material;
    const surface at = surface_at(frame, t, s, x, y, color);
    const receiver here = receiver_at(frame, t, s, x, y);
    reflection sum = reflected_ambient(&frame->lighting, &at);
    for (uint32_t i = 0; i < lamp_count(frame); i++) {
        const mrwi_shade_light *light = lamp_at(frame, i);
        const arrival a = arrival_of(light, here.position);
        const float nl = max_of(dot(at.n, a.to_light), 0.0f);
        const float amount = shadowed(frame, light, &here, nl * a.share);
        if (amount > 0.0f) {
            add_reflection(&at, light, a.to_light, nl, amount, &sum);
        }
    }
    color[0] = at.diffuse.x * sum.matt.x + sum.shine.x;
    color[1] = at.diffuse.y * sum.matt.y + sum.shine.y;
    color[2] = at.diffuse.z * sum.matt.z + sum.shine.z;
    if (mrw_raster_has_sheen(m)) {
        sheen(frame, t, s, x, y, color);
    }
    float emissive[4];
    look_up(frame, t, s, MRW_RASTER_MAP_EMISSIVE, emissive);
    for (int k = 0; k < 3; k++) {
        color[k] += m->emissive[k] * emissive[k];
    }
    if (m->clearcoat > 0.0f) {
        coat(frame, t, s, x, y, color);
    }
}

/* ---- ground ---------------------------------------------------------------------------------- */

/* Returns the luminance of linear sRGB (IEC 61966-2-1). */
static inline float luminance(vec3 c)
{
    return (0.2126f * c.x + 0.7152f * c.y) + 0.0722f * c.z;
}

/* Sets the colour of a shadow catcher: black, with its alpha times the share of all light on a matt
 * surface that shadows and ambient occlusion take. */
static void catch_shadows(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                          float x, float y, float color[4])
{
    const vec3 n = normal_at(frame, t, s);
    const receiver here = receiver_at(frame, t, s, x, y);
    float all = luminance(ambient_light(&frame->lighting, n));
    float lost = all - all * openness_at(frame, t, s, x, y);
    for (uint32_t i = 0; i < lamp_count(frame); i++) {
        const mrwi_shade_light *light = lamp_at(frame, i);
        const arrival a = arrival_of(light, here.position);
        const float amount = max_of(dot(n, a.to_light), 0.0f) * a.share;
        const float bright = luminance(vec3_of(light->color)) * amount;
        all = all + luminance(add_fill((vec3){0.0f, 0.0f, 0.0f}, light, a.share));
        all = all + bright;
        lost = lost + (bright - shadowed(frame, light, &here, bright));
    }
    color[0] = color[1] = color[2] = 0.0f;
    color[3] = color[3] * clamp(lost / max_of(all, 1e-20f), 0.0f, 1.0f);
}
