/* mode_kernel.h: the stages of shading modes other than lit; included by shade_kernel.h, compiled
 * once per instruction set. Formulas and their sources stand in mode_spec.h, under the same names.
 */
#include "shade/mode_values.h"

LANE_INLINE void set_grey(const work *w, block *b, float value)
{
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        store3(colors_of(b)->channel, i, (vec3){vf_set(value), vf_set(value), vf_set(value)});
    }
}

STAGE void paint_clay(const work *w, block *b)
{
    set_grey(w, b, CLAY_GREY);
}

STAGE void paint_faces(const work *w, block *b)
{
    set_grey(w, b, WIRE_GREY);
}

STAGE void draw_edges(const work *w, block *b)
{
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const vf line = vf_load(b->points.line + i);
        const vec3 color = load3(colors_of(b)->channel, i), to = vec3_set(wire_line);
        store3(
            colors_of(b)->channel, i,
            (vec3){mix(color.x, to.x, line), mix(color.y, to.y, line), mix(color.z, to.z, line)});
    }
}

/* ---- matcap ---------------------------------------------------------------------------------- */

STAGE void show_matcap(const work *w, block *b)
{
    const mrw_raster_texture *texture = w->frame->matcap;
    const mrw_raster_map map = {texture, MATCAP_WRAP, MATCAP_WRAP, false, 0, 0};
    const vf4 finest = load_levels(texture, vi_set(0));
    const vec3 up = vec3_set(w->frame->up);
    tap_list *tap = &b->addresses.tap[0];
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const vec3 to_eye = to_eye_at(w, b, i);
        const vec3 right = normalize(cross_of(up, to_eye)), above = cross_of(to_eye, right);
        const vec3 n = mapped_normal(w, b, i, MRW_RASTER_MAP_NORMAL,
                                     w->state->material->normal_scale, normal_at(b, i));
        const vf u = wrap_coordinate(0.5f + MATCAP_REACH * dot(n, right), MATCAP_WRAP);
        const vf v = wrap_coordinate(0.5f - MATCAP_REACH * dot(n, above), MATCAP_WRAP);
        store_tap(&map, finest, u, v, NULL, i, tap);
        const vf4 texel = sample_colors(texture, COLOR, tap, i);
        const float unit = 1.0f / 65535.0f;
        store3(colors_of(b)->channel, i, (vec3){texel.x * unit, texel.y * unit, texel.z * unit});
    }
}

/* ---- phong ----------------------------------------------------------------------------------- */

typedef struct highlights {
    vec3 color;
    vf power;
} highlights;

LANE_INLINE vf power_of_roughness(vf roughness)
{
    const vf r = vf_clamp(roughness, LEAST_ROUGHNESS, 1.0f), a = r * r;
    return 0.5f * (1.0f / (a * a) - 1.0f);
}

LANE_INLINE highlights highlights_of(const work *w, block *b, uint32_t i, mrw_surface kind,
                                     vec3 base)
{
    const mrw_raster_material *m = w->state->material;
    const vec3 tint =
        times(vec3_set(m->specular_color), look_up3(w, b, i, MRW_RASTER_MAP_SPECULAR));
    if (kind == MRW_SURFACE_CLASSIC) {
        const float n = m->shininess > 0.0f ? m->shininess : 0.0f;
        return (highlights){scaled(tint, vf_set(n > 0.0f ? 1.0f : 0.0f)),
                            vf_set(0.25f * (n < 4096.0f ? n : 4096.0f))};
    }
    if (kind == MRW_SURFACE_SPECULAR_GLOSSINESS) {
        const vf glossiness = m->glossiness * look_up(w, b, i, MRW_RASTER_MAP_SPECULAR, 3);
        return (highlights){scaled(tint, glossiness), power_of_roughness(1.0f - glossiness)};
    }
    const vf metallic = m->metallic * look_up(w, b, i, MRW_RASTER_MAP_METALLIC_ROUGHNESS, 2) *
                        look_up(w, b, i, MRW_RASTER_MAP_METALLIC, 0);
    const vf roughness = m->roughness * look_up(w, b, i, MRW_RASTER_MAP_METALLIC_ROUGHNESS, 1) *
                         look_up(w, b, i, MRW_RASTER_MAP_ROUGHNESS, 0);
    const vf smooth = 1.0f - roughness, half = vf_set(0.5f);
    return (highlights){scaled((vec3){mix(half, base.x, metallic), mix(half, base.y, metallic),
                                      mix(half, base.z, metallic)},
                               vf_max(smooth, vf_set(0.0f))),
                        power_of_roughness(roughness)};
}

LANE_INLINE vf phong_power(vf rl, vf power)
{
    return exp2_approximate(power * log2_approximate(vf_clamp(rl, 0x1p-50f, 1.0f)));
}

LANE_INLINE void light_phong(const work *w, block *b, mrw_surface kind)
{
    const mrwi_shade_frame *frame = w->frame;
    const bool placed = w->state->placed;
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const vec3 base = load3(colors_of(b)->channel, i), position = position_at(b, i, placed);
        const highlights shine = highlights_of(w, b, i, kind, base);
        const vec3 n = mapped_normal(w, b, i, MRW_RASTER_MAP_NORMAL,
                                     w->state->material->normal_scale, normal_at(b, i));
        const vec3 to_eye = to_eye_at(w, b, i), r = mirror_of(n, to_eye, dot(n, to_eye));
        vec3 sum = times(base, scaled(ambient_light(&frame->lighting, n), openness_at(w, b, i)));
        vec3 fill = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
        for (uint32_t k = 0; k < b->lamps.count; k++) {
            const mrwi_shade_light *light = lamp_at(frame, b, k);
            arrival a = arrival_of(light, placed, position);
            fill = add_fill(fill, light, a.share);
            a.share = shadowed(b, light, i, a.share);
            const vf nl = dot(n, a.to_light), zero = vf_set(0.0f);
            const vi reaches = vf_less(zero, nl) & vf_less(zero, a.share);
            const vf power = phong_power(dot(r, a.to_light), shine.power);
            sum = add_scaled(sum, times(base, vec3_set(light->color)),
                             vf_keep(reaches, nl * a.share));
            sum = add_scaled(sum, times(shine.color, vec3_set(light->shine)),
                             vf_keep(reaches, power * a.share));
        }
        sum = (vec3){sum.x + base.x * fill.x, sum.y + base.y * fill.y, sum.z + base.z * fill.z};
        store3(colors_of(b)->channel, i, sum);
    }
}

STAGE void phong_metallic(const work *w, block *b)
{
    light_phong(w, b, MRW_SURFACE_METALLIC_ROUGHNESS);
}

STAGE void phong_glossy(const work *w, block *b)
{
    light_phong(w, b, MRW_SURFACE_SPECULAR_GLOSSINESS);
}

STAGE void phong_classic(const work *w, block *b)
{
    light_phong(w, b, MRW_SURFACE_CLASSIC);
}

/* ---- toon ------------------------------------------------------------------------------------ */

LANE_INLINE vf step_at(vf x, float edge, float steep)
{
    return vf_clamp((x - edge) * steep + 0.5f, 0.0f, 1.0f);
}

LANE_INLINE vf band_of(vf nl, vf seen)
{
    return BAND_DARK + seen * (BAND_MIDDLE * step_at(nl, BAND_EDGE_1, BAND_STEEP) +
                               BAND_BRIGHT * step_at(nl, BAND_EDGE_2, BAND_STEEP));
}

STAGE void light_toon(const work *w, block *b)
{
    const mrw_lighting *lighting = &w->frame->lighting;
    const bool placed = w->state->placed;
    float mirrors[3];
    mrwi_shade_toon_shine(w->state->material, mirrors);
    const vec3 around = {vf_set(lighting->sky[0] + lighting->ground[0]),
                         vf_set(lighting->sky[1] + lighting->ground[1]),
                         vf_set(lighting->sky[2] + lighting->ground[2])};
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const vec3 n = normal_at(b, i), to_eye = to_eye_at(w, b, i);
        const vec3 position = position_at(b, i, placed);
        const vf nv = dot(n, to_eye);
        vec3 matt = scaled(around, 0.5f * openness_at(w, b, i));
        vec3 shine = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
        for (uint32_t k = 0; k < b->lamps.count; k++) {
            const mrwi_shade_light *light = lamp_at(w->frame, b, k);
            const arrival a = arrival_of(light, placed, position);
            const vf nl = dot(n, a.to_light), both = vf_max(nl + nv, vf_set(0.0f));
            const vf h2 = vf_max(2.0f + 2.0f * dot(a.to_light, to_eye), vf_set(1e-6f));
            const vf spot = step_at(both * both / h2, SHINE_EDGE, SHINE_STEEP);
            const vf seen = shadowed(b, light, i, vf_set(1.0f));
            const vf lit = step_at(nl, BAND_EDGE_1, BAND_STEEP) * spot * seen;
            matt = add_scaled(matt, vec3_set(light->color), band_of(nl, seen) * a.share);
            shine =
                add_scaled(shine, times(vec3_set(light->shine), vec3_set(mirrors)), lit * a.share);
        }
        const vf rim = RIM_DARK + (1.0f - RIM_DARK) * step_at(nv, RIM_EDGE, RIM_STEEP);
        const vec3 color = load3(colors_of(b)->channel, i);
        store3(colors_of(b)->channel, i,
               (vec3){(color.x * matt.x + shine.x) * rim, (color.y * matt.y + shine.y) * rim,
                      (color.z * matt.z + shine.z) * rim});
    }
}
