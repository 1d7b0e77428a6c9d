/* channel_kernel.h: the stages of modes that show data, one per channel; included by shade_kernel.h
 * after light_kernel.h, whose steps they use. channel_spec.h is the specification. */

LANE_INLINE void put_vector(block *b, uint32_t i, vec3 n)
{
    store3(colors_of(b)->channel, i,
           (vec3){n.x * 0.5f + 0.5f, n.y * 0.5f + 0.5f, n.z * 0.5f + 0.5f});
}

LANE_INLINE void put_grey(block *b, uint32_t i, vf x)
{
    store3(colors_of(b)->channel, i, (vec3){x, x, x});
}

STAGE void show_alpha(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        put_grey(b, i, vf_load(colors_of(b)->channel[3] + i));
    }
}

STAGE void show_metallic(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        vf metallic = vf_set(0.0f);
        if (w->state->material->surface == MRW_SURFACE_METALLIC_ROUGHNESS) {
            metallic = w->state->material->metallic *
                       look_up(w, b, i, MRW_RASTER_MAP_METALLIC_ROUGHNESS, 2) *
                       look_up(w, b, i, MRW_RASTER_MAP_METALLIC, 0);
        }
        put_grey(b, i, metallic);
    }
}

LANE_INLINE vf roughness_at(const work *w, block *b, uint32_t i)
{
    const mrw_raster_material *m = w->state->material;
    if (m->surface == MRW_SURFACE_METALLIC_ROUGHNESS) {
        return vf_clamp(m->roughness * look_up(w, b, i, MRW_RASTER_MAP_METALLIC_ROUGHNESS, 1) *
                            look_up(w, b, i, MRW_RASTER_MAP_ROUGHNESS, 0),
                        LEAST_ROUGHNESS, 1.0f);
    }
    if (m->surface == MRW_SURFACE_SPECULAR_GLOSSINESS) {
        return vf_clamp(1.0f - m->glossiness * look_up(w, b, i, MRW_RASTER_MAP_SPECULAR, 3),
                        LEAST_ROUGHNESS, 1.0f);
    }
    return vf_set(mrwi_shade_classic_of(m->shininess).roughness);
}

STAGE void show_roughness(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        put_grey(b, i, roughness_at(w, b, i));
    }
}

STAGE void show_occlusion(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vf map = look_up(w, b, i, MRW_RASTER_MAP_OCCLUSION, 0);
        put_grey(b, i, 1.0f + (map - 1.0f) * w->state->material->occlusion_strength);
    }
}

STAGE void show_emissive(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        store3(colors_of(b)->channel, i,
               times(vec3_set(w->state->material->emissive),
                     look_up3(w, b, i, MRW_RASTER_MAP_EMISSIVE)));
    }
}

/* Shows the normal map. Only draws with tangents have maps in tangent space. */
STAGE void show_normal_map(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const float scale = w->state->material->normal_scale;
        vec3 n = {vf_set(0.0f), vf_set(0.0f), vf_set(1.0f)};
        if ((w->state->maps >> MRW_RASTER_MAP_NORMAL & 1u) != 0) {
            const vec3 map = look_up3(w, b, i, MRW_RASTER_MAP_NORMAL);
            n = normalize((vec3){(2.0f * map.x - 1.0f) * scale, (2.0f * map.y - 1.0f) * scale,
                                 2.0f * map.z - 1.0f});
        }
        put_vector(b, i, n);
    }
}

STAGE void show_normal(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        put_vector(b, i,
                   mapped_normal(w, b, i, MRW_RASTER_MAP_NORMAL, w->state->material->normal_scale,
                                 normal_at(b, i)));
    }
}

STAGE void show_geometry_normal(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        put_vector(b, i, normal_at(b, i));
    }
}

/* Shows tangents, for draws that have them; others use show_middle. */
STAGE void show_tangent(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        put_vector(b, i, normalize(load3(b->points.stream[MRWI_SHADE_TANGENT], i)));
    }
}

STAGE void show_tangent_w(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vf sign = vf_load(b->points.stream[MRWI_SHADE_TANGENT][3] + i);
        put_grey(b, i, vf_select(vf_less(sign, vf_set(0.0f)), vf_set(0.0f), vf_set(1.0f)));
    }
}

STAGE void show_middle(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        put_grey(b, i, vf_set(0.5f));
    }
}

/* Shows vertex colours, for draws that have them; others use show_white. */
STAGE void show_vertex_color(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        store3(colors_of(b)->channel, i, load3(b->points.stream[MRWI_SHADE_COLOR], i));
    }
}

STAGE void show_uv(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vec3 v = load3(b->points.stream[MRWI_SHADE_COLOR], i);
        store3(colors_of(b)->channel, i,
               (vec3){wrap_coordinate(v.x, WRAP_REPEAT), wrap_coordinate(v.y, WRAP_REPEAT),
                      vf_set(0.0f)});
    }
}

STAGE void show_white(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        put_grey(b, i, vf_set(1.0f));
    }
}

STAGE void show_black(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        put_grey(b, i, vf_set(0.0f));
    }
}

/* Returns the maps that a channel reads, one bit each. */
static uint32_t channel_maps(mrw_shading_channel channel, const mrw_raster_material *m)
{
    static const uint32_t wanted[MRW_CHANNEL_COUNT] = {
        [MRW_CHANNEL_BASE] = 1u << MRW_RASTER_MAP_BASE_COLOR,
        [MRW_CHANNEL_ALPHA] = 1u << MRW_RASTER_MAP_BASE_COLOR,
        [MRW_CHANNEL_METALLIC] =
            1u << MRW_RASTER_MAP_METALLIC_ROUGHNESS | 1u << MRW_RASTER_MAP_METALLIC,
        [MRW_CHANNEL_ROUGHNESS] = 1u << MRW_RASTER_MAP_METALLIC_ROUGHNESS |
                                  1u << MRW_RASTER_MAP_ROUGHNESS | 1u << MRW_RASTER_MAP_SPECULAR,
        [MRW_CHANNEL_OCCLUSION] = 1u << MRW_RASTER_MAP_OCCLUSION,
        [MRW_CHANNEL_EMISSIVE] = 1u << MRW_RASTER_MAP_EMISSIVE,
        [MRW_CHANNEL_NORMAL_MAP] = 1u << MRW_RASTER_MAP_NORMAL,
        [MRW_CHANNEL_NORMAL] = 1u << MRW_RASTER_MAP_NORMAL};
    const bool blends = m->alpha_mode == ALPHA_BLEND;
    return wanted[channel] | (blends ? 1u << MRW_RASTER_MAP_BASE_COLOR : 0u);
}

static bool reads_tangents(stage *shown)
{
    return shown == show_tangent || shown == show_tangent_w;
}

static stage *channel_stage(mrw_shading_channel channel, const mrw_raster_draw *draw)
{
    static stage *const stages[MRW_CHANNEL_COUNT] = {
        [MRW_CHANNEL_ALPHA] = show_alpha,
        [MRW_CHANNEL_METALLIC] = show_metallic,
        [MRW_CHANNEL_ROUGHNESS] = show_roughness,
        [MRW_CHANNEL_OCCLUSION] = show_occlusion,
        [MRW_CHANNEL_EMISSIVE] = show_emissive,
        [MRW_CHANNEL_NORMAL_MAP] = show_normal_map,
        [MRW_CHANNEL_NORMAL] = show_normal,
        [MRW_CHANNEL_GEOMETRY_NORMAL] = show_geometry_normal,
        [MRW_CHANNEL_TANGENT] = show_tangent,
        [MRW_CHANNEL_TANGENT_W] = show_tangent_w,
        [MRW_CHANNEL_UV0] = show_uv,
        [MRW_CHANNEL_UV1] = show_uv,
        [MRW_CHANNEL_VERTEX_COLOR] = show_vertex_color};
    const bool tangent = channel == MRW_CHANNEL_TANGENT || channel == MRW_CHANNEL_TANGENT_W;
    if (tangent && !draw->tangents) {
        return show_middle;
    }
    const bool uv = channel == MRW_CHANNEL_UV0 || channel == MRW_CHANNEL_UV1;
    if (uv && !draw->colors) {
        return show_black;
    }
    return channel == MRW_CHANNEL_VERTEX_COLOR && !draw->colors ? show_white : stages[channel];
}
