/* channel_spec.h: the colours of modes that show data; a part of shade_spec.c, which includes it
 * after light_spec.h, whose steps it uses. channel_kernel.h does the same in lanes. */
#ifndef MRWI_SHADE_CHANNEL_SPEC_H
#define MRWI_SHADE_CHANNEL_SPEC_H

/* Returns a unit vector as a colour. */
static inline vec3 color_of(vec3 n)
{
    return (vec3){n.x * 0.5f + 0.5f, n.y * 0.5f + 0.5f, n.z * 0.5f + 0.5f};
}

static inline vec3 grey(float x)
{
    return (vec3){x, x, x};
}

static float metallic_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s)
{
    const mrw_raster_material *m = t->draw->material;
    float mr[4], metal[4];
    if (m->surface != MRW_SURFACE_METALLIC_ROUGHNESS) {
        return 0.0f;
    }
    look_up(frame, t, s, MRW_RASTER_MAP_METALLIC_ROUGHNESS, mr);
    look_up(frame, t, s, MRW_RASTER_MAP_METALLIC, metal);
    return m->metallic * mr[2] * metal[0];
}

static float roughness_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s)
{
    const mrw_raster_material *m = t->draw->material;
    float map[4], rough[4];
    if (m->surface == MRW_SURFACE_METALLIC_ROUGHNESS) {
        look_up(frame, t, s, MRW_RASTER_MAP_METALLIC_ROUGHNESS, map);
        look_up(frame, t, s, MRW_RASTER_MAP_ROUGHNESS, rough);
        return clamp(m->roughness * map[1] * rough[0], LEAST_ROUGHNESS, 1.0f);
    }
    if (m->surface == MRW_SURFACE_SPECULAR_GLOSSINESS) {
        look_up(frame, t, s, MRW_RASTER_MAP_SPECULAR, map);
        return clamp(1.0f - m->glossiness * map[3], LEAST_ROUGHNESS, 1.0f);
    }
    return mrwi_shade_classic_of(m->shininess).roughness;
}

static float occlusion_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s)
{
    float map[4];
    look_up(frame, t, s, MRW_RASTER_MAP_OCCLUSION, map);
    return 1.0f + (map[0] - 1.0f) * t->draw->material->occlusion_strength;
}

static vec3 emissive_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s)
{
    float map[4];
    look_up(frame, t, s, MRW_RASTER_MAP_EMISSIVE, map);
    return times(vec3_of(t->draw->material->emissive), (vec3){map[0], map[1], map[2]});
}

/* Returns the normal map's vector in tangent space. Without tangents no map is read. */
static vec3 normal_map_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s)
{
    const mrw_raster_material *m = t->draw->material;
    float map[4];
    if (!m->maps[MRW_RASTER_MAP_NORMAL].texture || !t->draw->tangents) {
        return (vec3){0.0f, 0.0f, 1.0f};
    }
    look_up(frame, t, s, MRW_RASTER_MAP_NORMAL, map);
    return normalize((vec3){(2.0f * map[0] - 1.0f) * m->normal_scale,
                            (2.0f * map[1] - 1.0f) * m->normal_scale, 2.0f * map[2] - 1.0f});
}

static vec3 tangent_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float *w)
{
    *w = 0.0f;
    return t->draw->tangents ? normalize(stream_at(frame, t, s, MRWI_SHADE_TANGENT, w))
                             : (vec3){0.0f, 0.0f, 0.0f};
}

/* Returns the draw's own colours, or white. */
static vec3 vertex_color_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s)
{
    float w;
    return t->draw->colors ? stream_at(frame, t, s, MRWI_SHADE_COLOR, &w) : grey(1.0f);
}

static vec3 channel_at(const mrwi_shade_frame *frame, const triangle *t, const shares *s,
                       const float color[4])
{
    const mrw_raster_material *m = t->draw->material;
    float w;
    vec3 v;
    switch (frame->channel) {
    case MRW_CHANNEL_ALPHA:
        return grey(color[3]);
    case MRW_CHANNEL_METALLIC:
        return grey(metallic_at(frame, t, s));
    case MRW_CHANNEL_ROUGHNESS:
        return grey(roughness_at(frame, t, s));
    case MRW_CHANNEL_OCCLUSION:
        return grey(occlusion_at(frame, t, s));
    case MRW_CHANNEL_EMISSIVE:
        return emissive_at(frame, t, s);
    case MRW_CHANNEL_NORMAL_MAP:
        return color_of(normal_map_at(frame, t, s));
    case MRW_CHANNEL_NORMAL:
        return color_of(mapped_normal(frame, t, s, MRW_RASTER_MAP_NORMAL, m->normal_scale,
                                      normal_at(frame, t, s)));
    case MRW_CHANNEL_GEOMETRY_NORMAL:
        return color_of(normal_at(frame, t, s));
    case MRW_CHANNEL_TANGENT:
        return color_of(tangent_at(frame, t, s, &w));
    case MRW_CHANNEL_TANGENT_W:
        tangent_at(frame, t, s, &w);
        return grey(!t->draw->tangents ? 0.5f : w < 0.0f ? 0.0f : 1.0f);
    case MRW_CHANNEL_UV0:
    case MRW_CHANNEL_UV1:
        v = vertex_color_at(frame, t, s);
        return (vec3){wrap(v.x, WRAP_REPEAT), wrap(v.y, WRAP_REPEAT), 0.0f};
    case MRW_CHANNEL_VERTEX_COLOR:
        return vertex_color_at(frame, t, s);
    default:
        return vec3_of(color);
    }
}

static void show_channel(const mrwi_shade_frame *frame, const triangle *t, const shares *s, float x,
                         float y, float color[4])
{
    const vec3 shown = channel_at(frame, t, s, color);
    (void)x, (void)y;
    color[0] = shown.x;
    color[1] = shown.y;
    color[2] = shown.z;
}

#endif
