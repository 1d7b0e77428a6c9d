/* sheen_kernel.h: the sheen of fibres on cloth; included by light_kernel.h, compiled once per
 * instruction set. Formulas and their sources stand in sheen_spec.h, under the same names. */

LANE_INLINE vf sheen_albedo(vf roughness, vf seen)
{
    const vf inverse = 1.0f / (roughness + 0.1f);
    const vf a = (-1.9362f + (1.0678f + 0.4573f * roughness) * roughness) - 0.8469f * inverse;
    const vf b = (-0.6014f + (0.5538f - 0.4670f * roughness) * roughness) - 0.1255f * inverse;
    return exp2_approximate(vf_min((a * seen + b) * 1.44269504f, vf_set(0.0f)));
}

LANE_INLINE vf sheen_facets(vf inverse, vf nl, vf seen, vf vh2)
{
    const vf both = nl + seen;
    const vf nh2 = vf_min((0.25f * (both * both)) / vh2, vf_set(1.0f));
    const vf spread = vf_max(1.0f - nh2, vf_set(0.0078125f));
    const vf d = exp2_approximate((0.5f * inverse) * log2_approximate(spread));
    const vf v = 0.25f / vf_max(both - nl * seen, vf_set(0.25f));
    return ((1.0f + 0.5f * inverse) * d) * v;
}

STAGE void sheen(const work *w, block *b)
{
    const mrwi_shade_frame *frame = w->frame;
    const mrw_raster_material *m = w->state->material;
    const bool placed = w->state->placed;
    for (uint32_t i = 0; i < w->g->count; i += MRWI_BASE_LANES) {
        const vf roughness =
            vf_clamp(m->sheen_roughness * look_up(w, b, i, MRW_RASTER_MAP_SHEEN_ROUGHNESS, 3),
                     LEAST_SHEEN_ROUGHNESS, 1.0f);
        const vf inverse = 1.0f / (roughness * roughness);
        const vec3 tint =
            times(vec3_set(m->sheen_color), look_up3(w, b, i, MRW_RASTER_MAP_SHEEN_COLOR));
        const vec3 n =
            mapped_normal(w, b, i, MRW_RASTER_MAP_NORMAL, m->normal_scale, normal_at(b, i));
        const vec3 to_eye = to_eye_at(w, b, i), position = position_at(b, i, placed);
        const vf seen = vf_max(dot(n, to_eye), vf_set(0.0f));
        const vf albedo = sheen_albedo(roughness, seen);
        const vf map = look_up(w, b, i, MRW_RASTER_MAP_OCCLUSION, 0);
        const vf open = (1.0f + (map - 1.0f) * m->occlusion_strength) * openness_at(w, b, i);
        vec3 sum = scaled(ambient_light(&frame->lighting, n), open * albedo);
        for (uint32_t k = 0; k < b->lamps.count; k++) {
            const mrwi_shade_light *light = lamp_at(frame, b, k);
            const arrival a = arrival_of(light, placed, position);
            const vf nl = vf_max(dot(n, a.to_light), vf_set(0.0f));
            const vf amount = shadowed(b, light, i, nl * a.share);
            const vf vh2 = half_squared(a.to_light, to_eye);
            sum = add_scaled(sum, vec3_set(light->shine),
                             amount * sheen_facets(inverse, nl, seen, vh2));
        }
        const vf kept = 1.0f - largest(tint) * albedo;
        const vec3 color = load3(colors_of(b)->channel, i);
        store3(colors_of(b)->channel, i,
               (vec3){color.x * kept + tint.x * sum.x, color.y * kept + tint.y * sum.y,
                      color.z * kept + tint.z * sum.z});
    }
}
