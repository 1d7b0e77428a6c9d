/* sheen_spec.h: the sheen of fibres on cloth; a part of shade_spec.c, included by light_spec.h.
 *
 * KHR_materials_sheen, with its simplifications: the distribution of Estevez and Kulla, "Production
 * Friendly Microfacet Sheen BRDF" (2017), and the visibility of Neubelt and Pettineo, "Crafting a
 * Next-gen Material Pipeline for The Order: 1886" (2013). The layer below is dimmed by how much the
 * sheen reflects towards the eye, whatever the light.
 */

/* Returns how much ambient light a white sheen reflects to the eye: an exponential, with three.js's
 * coefficients (DFG of its sheen). */
static inline float sheen_albedo(float roughness, float seen)
{
    const float inverse = 1.0f / (roughness + 0.1f);
    const float a = (-1.9362f + (1.0678f + 0.4573f * roughness) * roughness) - 0.8469f * inverse;
    const float b = (-0.6014f + (0.5538f - 0.4670f * roughness) * roughness) - 0.1255f * inverse;
    return exp2_approximate(min_of((a * seen + b) * 1.44269504f, 0.0f));
}

/* Returns pi D V. inverse: 1 / roughness^2. */
static inline float sheen_facets(float inverse, float nl, float seen, float vh2)
{
    const float both = nl + seen;
    const float nh2 = min_of((0.25f * (both * both)) / vh2, 1.0f);
    const float spread = max_of(1.0f - nh2, 0.0078125f);
    const float d = exp2_approximate((0.5f * inverse) * log2_approximate(spread));
    const float v = 0.25f / max_of(both - nl * seen, 0.25f);
    return ((1.0f + 0.5f * inverse) * d) * v;
}

/* Lays the sheen over a lit colour. */
static void sheen(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float x,
                  float y, float color[4])
{
    const mrw_raster_material *m = t->draw->material;
    float tint_texel[4], rough[4], occlusion[4];
    look_up(frame, t, s, MRW_RASTER_MAP_SHEEN_COLOR, tint_texel);
    look_up(frame, t, s, MRW_RASTER_MAP_SHEEN_ROUGHNESS, rough);
    look_up(frame, t, s, MRW_RASTER_MAP_OCCLUSION, occlusion);
    const float roughness = clamp(m->sheen_roughness * rough[3], LEAST_SHEEN_ROUGHNESS, 1.0f);
    const float inverse = 1.0f / (roughness * roughness);
    const vec3 tint =
        times(vec3_of(m->sheen_color), (vec3){tint_texel[0], tint_texel[1], tint_texel[2]});
    const vec3 n =
        mapped_normal(frame, t, s, MRW_RASTER_MAP_NORMAL, m->normal_scale, normal_at(frame, t, s));
    const vec3 to_eye = eye_from(frame, x, y);
    const receiver here = receiver_at(frame, t, s, x, y);
    const float seen = max_of(dot(n, to_eye), 0.0f), albedo = sheen_albedo(roughness, seen);
    const float open =
        (1.0f + (occlusion[0] - 1.0f) * m->occlusion_strength) * openness_at(frame, t, s, x, y);
    vec3 sum = scaled(ambient_light(&frame->lighting, n), open * albedo);
    for (uint32_t i = 0; i < lamp_count(frame); i++) {
        const mrwi_shade_light *light = lamp_at(frame, i);
        const arrival a = arrival_of(light, here.position);
        const float nl = max_of(dot(n, a.to_light), 0.0f);
        const float amount = shadowed(frame, light, &here, nl * a.share);
        if (amount > 0.0f) {
            const float vh2 = half_squared(a.to_light, to_eye);
            sum = add_scaled(sum, vec3_of(light->shine),
                             amount * sheen_facets(inverse, nl, seen, vh2));
        }
    }
    const float kept = 1.0f - largest(tint) * albedo;
    color[0] = color[0] * kept + tint.x * sum.x;
    color[1] = color[1] * kept + tint.y * sum.y;
    color[2] = color[2] * kept + tint.z * sum.z;
}
