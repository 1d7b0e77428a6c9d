/* mode_spec.h: the colours of shading modes other than lit; included by shade_spec.c.
 *
 * Sources: Phong, "Illumination for Computer Generated Pictures" (1975); Lake, Marshall, Harris and
 * Blackstein, "Stylized Rendering Techniques for Scalable Real-Time 3D Animation" (2000), for bands
 * of light.
 */
#include "shade/mode_values.h"

static inline void set_grey(float value, float color[4])
{
    color[0] = color[1] = color[2] = value;
}

static void show_clay(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float x,
                      float y, float color[4])
{
    set_grey(CLAY_GREY, color);
    light_matt(frame, t, s, x, y, color);
}

/* ---- matcap ---------------------------------------------------------------------------------- */

static void show_matcap(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float x,
                        float y, float color[4])
{
    const mrw_raster_map map = {frame->matcap, MATCAP_WRAP, MATCAP_WRAP, false, 0, 0};
    const vec3 to_eye = eye_from(frame, x, y), up = vec3_of(frame->up);
    const vec3 right = normalize(cross_of(up, to_eye)), above = cross_of(to_eye, right);
    const vec3 n = mapped_normal(frame, t, s, MRW_RASTER_MAP_NORMAL,
                                 t->draw->material->normal_scale, normal_at(frame, t, s));
    const float at[2] = {wrap(0.5f + MATCAP_REACH * dot(n, right), MATCAP_WRAP),
                         wrap(0.5f - MATCAP_REACH * dot(n, above), MATCAP_WRAP)};
    float texel[4];
    sample_level(&map, 0, at, false, texel);
    for (int k = 0; k < 3; k++) {
        color[k] = texel[k] * (1.0f / 65535.0f);
    }
}

/* ---- wire ------------------------------------------------------------------------------------ */

/* Returns how much of a point is covered by lines. It follows from the distance to the nearest edge
 * of the triangle in pixels (an area over half a side), and is less if the triangle is small. The
 * least height of a triangle is the one over its longest side. */
static inline float line_at(const triangle *t, float x, float y)
{
    const areas at = areas_at(t, x, y);
    const float ax = t->v1->x - t->v0->x, ay = t->v1->y - t->v0->y;
    const float bx = t->v2->x - t->v0->x, by = t->v2->y - t->v0->y, cx = bx - ax, cy = by - ay;
    const float inv0 = 1.0f / sqrtf(max_of(cx * cx + cy * cy, 1e-10f));
    const float inv1 = 1.0f / sqrtf(max_of(bx * bx + by * by, 1e-10f));
    const float inv2 = 1.0f / sqrtf(max_of(ax * ax + ay * ay, 1e-10f));
    const float e0 = pixels_of(at.of0), e1 = pixels_of(at.of1), e2 = pixels_of(at.of2);
    const float d0 = max_of(e0, -e0) * inv0, d1 = max_of(e1, -e1) * inv1;
    const float nearest = min_of(min_of(d0, d1), max_of(e2, -e2) * inv2);
    const float area = pixels_of(at.whole), least = min_of(min_of(inv0, inv1), inv2);
    const float strength = clamp((max_of(area, -area) * least - WIRE_NONE) * WIRE_GAIN, 0.0f, 1.0f);
    return clamp((WIRE_REACH + 0.5f) - nearest, 0.0f, 1.0f) * strength;
}

static void show_wire(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float x,
                      float y, float color[4])
{
    const float line = line_at(t, x, y);
    set_grey(WIRE_GREY, color);
    light_matt(frame, t, s, x, y, color);
    for (int k = 0; k < 3; k++) {
        color[k] = mix(color[k], wire_line[k], line);
    }
}

/* ---- phong ----------------------------------------------------------------------------------- */

/* The highlights of a material: see MRW_SHADING_PHONG. */
typedef struct highlights {
    vec3 color;
    float power;
} highlights;

static inline float power_of_roughness(float roughness)
{
    const float r = clamp(roughness, LEAST_ROUGHNESS, 1.0f), a = r * r;
    return 0.5f * (1.0f / (a * a) - 1.0f);
}

/* Returns the highlights. tint and glossiness: those of the material, with its maps. base: the
 * reflectance of metals. */
static highlights highlights_from(const mrw_raster_material *m, vec3 tint, float glossiness,
                                  float metallic, float roughness, vec3 base)
{
    const float smooth = 1.0f - roughness;
    if (m->surface == MRW_SURFACE_CLASSIC) {
        const float shininess = clamp(m->shininess, 0.0f, 4096.0f);
        return (highlights){scaled(tint, shininess > 0.0f ? 1.0f : 0.0f), 0.25f * shininess};
    }
    if (m->surface == MRW_SURFACE_SPECULAR_GLOSSINESS) {
        return (highlights){scaled(tint, glossiness), power_of_roughness(1.0f - glossiness)};
    }
    return (highlights){scaled((vec3){mix(0.5f, base.x, metallic), mix(0.5f, base.y, metallic),
                                      mix(0.5f, base.z, metallic)},
                               max_of(smooth, 0.0f)),
                        power_of_roughness(roughness)};
}

static highlights highlights_of(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                                vec3 base)
{
    const mrw_raster_material *m = t->draw->material;
    float mr[4], metal[4], rough[4], color[4];
    look_up(frame, t, s, MRW_RASTER_MAP_SPECULAR, color);
    look_up(frame, t, s, MRW_RASTER_MAP_METALLIC_ROUGHNESS, mr);
    look_up(frame, t, s, MRW_RASTER_MAP_METALLIC, metal);
    look_up(frame, t, s, MRW_RASTER_MAP_ROUGHNESS, rough);
    return highlights_from(m,
                           times(vec3_of(m->specular_color), (vec3){color[0], color[1], color[2]}),
                           m->glossiness * color[3], m->metallic * mr[2] * metal[0],
                           m->roughness * mr[1] * rough[0], base);
}

/* Returns (R.L)^n. */
static inline float phong_power(float rl, float power)
{
    return exp2_approximate(power * log2_approximate(clamp(rl, 0x1p-50f, 1.0f)));
}

static void light_phong(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float x,
                        float y, float color[4])
{
    const mrw_raster_material *m = t->draw->material;
    const vec3 base = {color[0], color[1], color[2]};
    const receiver here = receiver_at(frame, t, s, x, y);
    const highlights shine = highlights_of(frame, t, s, base);
    const vec3 n =
        mapped_normal(frame, t, s, MRW_RASTER_MAP_NORMAL, m->normal_scale, normal_at(frame, t, s));
    const vec3 to_eye = eye_from(frame, x, y), r = mirror_of(n, to_eye, dot(n, to_eye));
    const vec3 around = scaled(ambient_light(&frame->lighting, n), openness_at(frame, t, s, x, y));
    vec3 sum = times(base, around), fill = {0.0f, 0.0f, 0.0f};
    float emissive[4];
    for (uint32_t i = 0; i < lamp_count(frame); i++) {
        const mrwi_shade_light *light = lamp_at(frame, i);
        arrival a = arrival_of(light, here.position);
        const float nl = dot(n, a.to_light);
        fill = add_fill(fill, light, a.share);
        a.share = shadowed(frame, light, &here, a.share);
        const bool reaches = nl > 0.0f && a.share > 0.0f;
        const float power = phong_power(dot(r, a.to_light), shine.power);
        sum = add_scaled(sum, times(base, vec3_of(light->color)), reaches ? nl * a.share : 0.0f);
        sum = add_scaled(sum, times(shine.color, vec3_of(light->shine)),
                         reaches ? power * a.share : 0.0f);
    }
    sum = (vec3){sum.x + base.x * fill.x, sum.y + base.y * fill.y, sum.z + base.z * fill.z};
    look_up(frame, t, s, MRW_RASTER_MAP_EMISSIVE, emissive);
    color[0] = sum.x + m->emissive[0] * emissive[0];
    color[1] = sum.y + m->emissive[1] * emissive[1];
    color[2] = sum.z + m->emissive[2] * emissive[2];
}

/* ---- gouraud --------------------------------------------------------------------------------- */

/* The number of lights that are applied to vertices at a time. */
#define LAMP_RUN 64

/* Adds a lamp's light on a white surface, as phong does. */
static void add_lamp(const mrwi_shade_light *light, vec3 position, vec3 n, vec3 to_eye,
                     const highlights *shine, float out[4])
{
    const arrival a = arrival_of(light, position);
    const float nl = dot(n, a.to_light);
    vec3 sum = add_fill(vec3_of(out), light, a.share);
    if (nl > 0.0f && a.share > 0.0f) {
        const vec3 r = mirror_of(n, to_eye, dot(n, to_eye));
        const float power = phong_power(dot(r, a.to_light), shine->power);
        sum = add_scaled(sum, vec3_of(light->color), nl * a.share);
        sum = add_scaled(sum, times(shine->color, vec3_of(light->shine)), power * a.share);
    }
    out[0] = sum.x;
    out[1] = sum.y;
    out[2] = sum.z;
}

/* The box of a draw's vertices. */
typedef struct box {
    float low[3], high[3];
} box;

static box box_of(const mrw_raster_draw *draw)
{
    box b = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (uint32_t i = 0; i < draw->vertex_count; i++) {
        const float *p = draw->positions + 4 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            b.low[k] = p[k] < b.low[k] ? p[k] : b.low[k];
            b.high[k] = p[k] > b.high[k] ? p[k] : b.high[k];
        }
    }
    return b;
}

/* Returns true if arrival_of gives a light a share at any point of a box. The steps are those of
 * arrival_of for the nearest point, and rounding keeps their order, so the result is never wrongly
 * false. */
static bool reaches(const mrwi_shade_light *light, const box *b)
{
    float d[3];
    for (int k = 0; k < 3; k++) {
        const float p = light->position[k];
        d[k] = p < b->low[k] ? b->low[k] - p : p > b->high[k] ? p - b->high[k] : 0.0f;
    }
    return !light->placed || dot(vec3_of(d), vec3_of(d)) * light->inv_range_squared < 1.0f;
}

/* Prepares the lights of a run that reach a box, and returns their number. */
static uint32_t lights_of_run(const mrw_light *lights, uint32_t count, const box *b,
                              mrwi_shade_light *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const mrw_lighting one = {.lights = &lights[i], .light_count = 1};
        mrwi_shade_prepare_lights(&one, &out[kept]);
        kept += reaches(&out[kept], b) ? 1 : 0;
    }
    return kept;
}

static void add_lamps(const mrw_raster_draw *draw, const mrwi_shade_light *lights, uint32_t count,
                      const float eye[4], float (*out)[4])
{
    const mrw_raster_material *m = draw->material;
    const vec3 white = {1.0f, 1.0f, 1.0f};
    const highlights shine = highlights_from(m, vec3_of(m->specular_color), m->glossiness,
                                             m->metallic, m->roughness, white);
    for (uint32_t i = 0; i < draw->vertex_count && count > 0; i++) {
        const vec3 p = vec3_of(draw->positions + 4 * (size_t)i);
        const vec3 n = normalize(vec3_of(draw->normals + 4 * (size_t)i));
        const vec3 to_eye = normalize(add_scaled(vec3_of(eye), p, -eye[3]));
        for (uint32_t k = 0; k < count; k++) {
            add_lamp(&lights[k], p, n, to_eye, &shine, out[i]);
        }
    }
}

void mrw_raster_light_vertices(const mrw_raster_draw *draw, const mrw_lighting *lighting,
                               const float eye[4], float (*out)[4])
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    for (uint32_t i = 0; i < draw->vertex_count; i++) {
        const vec3 n = normalize(vec3_of(draw->normals + 4 * (size_t)i));
        const vec3 around = ambient_light(lighting, n);
        out[i][0] = around.x;
        out[i][1] = around.y;
        out[i][2] = around.z;
        out[i][3] = 1.0f;
    }
    const box b = box_of(draw);
    mrwi_shade_light run[LAMP_RUN];
    for (uint32_t k = 0; k < lighting->light_count; k += LAMP_RUN) {
        const uint32_t left = lighting->light_count - k;
        const uint32_t count =
            lights_of_run(lighting->lights + k, left < LAMP_RUN ? left : LAMP_RUN, &b, run);
        add_lamps(draw, run, count, eye, out);
    }
    for (size_t i = 0; i < 4 * (size_t)draw->vertex_count && draw->colors; i++) {
        out[i / 4][i % 4] *= draw->colors[i];
    }
    mrwi_base_fp_leave(fp);
}

/* ---- toon ------------------------------------------------------------------------------------ */

/* Returns 0 below the edge, 1 above, with a soft step of width 1 / steep between them. */
static inline float step_at(float x, float edge, float steep)
{
    return clamp((x - edge) * steep + 0.5f, 0.0f, 1.0f);
}

/* Returns the brightness of a band of light. seen: the share of light that is not in shadow. */
static inline float band_of(float nl, float seen)
{
    return BAND_DARK + seen * (BAND_MIDDLE * step_at(nl, BAND_EDGE_1, BAND_STEEP) +
                               BAND_BRIGHT * step_at(nl, BAND_EDGE_2, BAND_STEEP));
}

static void light_toon(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float x,
                       float y, float color[4])
{
    const mrw_lighting *lighting = &frame->lighting;
    const vec3 n = normal_at(frame, t, s), to_eye = eye_from(frame, x, y);
    const receiver here = receiver_at(frame, t, s, x, y);
    const float nv = dot(n, to_eye);
    float mirrors[3];
    mrwi_shade_toon_shine(t->draw->material, mirrors);
    const float half = 0.5f * openness_at(frame, t, s, x, y);
    vec3 matt = {half * (lighting->sky[0] + lighting->ground[0]),
                 half * (lighting->sky[1] + lighting->ground[1]),
                 half * (lighting->sky[2] + lighting->ground[2])};
    vec3 shine = {0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < lamp_count(frame); i++) {
        const mrwi_shade_light *light = lamp_at(frame, i);
        const arrival a = arrival_of(light, here.position);
        const float nl = dot(n, a.to_light), both = max_of(nl + nv, 0.0f);
        const float h2 = max_of(2.0f + 2.0f * dot(a.to_light, to_eye), 1e-6f);
        const float spot = step_at(both * both / h2, SHINE_EDGE, SHINE_STEEP);
        const float seen = shadowed(frame, light, &here, 1.0f);
        const float lit = step_at(nl, BAND_EDGE_1, BAND_STEEP) * spot * seen;
        matt = add_scaled(matt, vec3_of(light->color), band_of(nl, seen) * a.share);
        shine = add_scaled(shine, times(vec3_of(light->shine), vec3_of(mirrors)), lit * a.share);
    }
    const float rim = RIM_DARK + (1.0f - RIM_DARK) * step_at(nv, RIM_EDGE, RIM_STEEP);
    color[0] = (color[0] * matt.x + shine.x) * rim;
    color[1] = (color[1] * matt.y + shine.y) * rim;
    color[2] = (color[2] * matt.z + shine.z) * rim;
}
