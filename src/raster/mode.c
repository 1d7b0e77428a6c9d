/* mode.c: what the shading modes read, and what becomes of their colours: the one table of it. */
#include "raster/internal.h"
#include "raster/mode_values.h"

#include <assert.h>
#include <math.h>

static const mrw_shading_info modes[MRW_SHADING_COUNT] = {
    [MRW_SHADING_LIT] = {.name = "lit",
                         .shows = "materials as their files have them, in all light",
                         .lit = true,
                         .environment = true,
                         .materials = true,
                         .base_color = true,
                         .keeps_unlit = true,
                         .exposed = true,
                         .tone_mapped = true,
                         .encoded = true},
    [MRW_SHADING_FLAT] = {.name = "flat",
                          .shows = "as lit, with the normals of triangles: facets",
                          .lit = true,
                          .environment = true,
                          .materials = true,
                          .base_color = true,
                          .flat = true,
                          .keeps_unlit = true,
                          .exposed = true,
                          .tone_mapped = true,
                          .encoded = true},
    [MRW_SHADING_CLAY] = {.name = "clay",
                          .shows = "shape: every surface the same matt grey",
                          .lit = true,
                          .environment = true,
                          .exposed = true,
                          .tone_mapped = true,
                          .encoded = true},
    [MRW_SHADING_LAMBERT] = {.name = "lambert",
                             .shows = "base colours, matt, in the light of lamps",
                             .lit = true,
                             .base_color = true,
                             .classic_lights = true,
                             .keeps_unlit = true,
                             .exposed = true,
                             .encoded = true},
    [MRW_SHADING_PHONG] = {.name = "phong",
                           .shows = "the tutorials' light: ambient, diffuse, specular",
                           .lit = true,
                           .materials = true,
                           .base_color = true,
                           .classic_lights = true,
                           .keeps_unlit = true,
                           .exposed = true,
                           .encoded = true},
    [MRW_SHADING_GOURAUD] = {.name = "gouraud",
                             .shows =
                                 "the light of phong at vertices, interpolated between them: no "
                                 "shadows, of the maps that of the base colour",
                             .base_color = true,
                             .at_vertices = true,
                             .classic_lights = true,
                             .keeps_unlit = true,
                             .exposed = true,
                             .encoded = true},
    [MRW_SHADING_TOON] = {.name = "toon",
                          .shows = "base colours in bands of light, a highlight by roughness or "
                                   "shininess without their maps, a dark rim",
                          .lit = true,
                          .base_color = true,
                          .keeps_unlit = true,
                          .exposed = true,
                          .tone_mapped = true,
                          .encoded = true},
    [MRW_SHADING_MATCAP] = {.name = "matcap:FILE",
                            .shows = "a picture of a lit ball in a square, by normals as the "
                                     "camera sees them, in place of materials",
                            .matcap = true,
                            .exposed = true,
                            .tone_mapped = true,
                            .encoded = true},
    [MRW_SHADING_WIRE] = {.name = "wire",
                          .shows = "the edges of triangles, a pixel wide, over grey faces; faint "
                                   "where triangles are nearly as small",
                          .lit = true,
                          .encoded = true},
    [MRW_SHADING_UNLIT] = {.name = "unlit",
                           .shows = "base colours, linear light, as KHR_materials_unlit has "
                                    "them",
                           .base_color = true,
                           .encoded = true},
    [MRW_SHADING_RAW] = {.name = "raw",
                         .shows = "stored bytes of base colours, filtered as they are",
                         .base_color = true,
                         .stored = true},
    [MRW_SHADING_NORMAL] = {.name = "normal",
                            .shows = "normals in the world as colours, normal maps included: "
                                     "128 is 0, red +x, green +y, blue +z",
                            .data = true,
                            .materials = true},
    [MRW_SHADING_UV] = {.name = "uv",
                        .shows = "texture coordinates: red u, green v, of the first set; whole "
                                 "numbers are left out",
                        .data = true},
    [MRW_SHADING_DEPTH] = {.name = "depth",
                           .shows = "how far away: white at the near plane, which framing puts "
                                    "before the model, black at the far plane behind it",
                           .data = true},
    [MRW_SHADING_JOINT] = {.name = "joint",
                           .shows = "the joint that moves a vertex most, a colour each; grey "
                                    "where none does",
                           .data = true},
    [MRW_SHADING_INFLUENCES] = {.name = "influences",
                                .shows = "how many joints move a vertex: grey 0, blue 1, cyan "
                                         "2, green 3, yellow 4, red 5 or more",
                                .data = true},
    [MRW_SHADING_WEIGHTS] = {.name = "weights:JOINT",
                             .shows = "how much a joint moves vertices: blue 0, red 1",
                             .data = true},
    [MRW_SHADING_CHANNEL] = {.name = "channel:NAME",
                             .shows = "an input of shading as it reaches the light: base, "
                                      "alpha, metallic, roughness, occlusion, emissive, "
                                      "normal-map, normal, geometry-normal, tangent, "
                                      "tangent-w, uv0, uv1, vertex-colour",
                             .data = true,
                             .materials = true},
};

const mrw_shading_info *mrw_shading_info_of(mrw_shading shading)
{
    assert((unsigned)shading < MRW_SHADING_COUNT);
    return &modes[shading];
}

/* A Blinn-Phong exponent n is about as rough as the fourth root of 2 / (n + 2) (Walter et al.,
 * "Microfacet Models for Refraction through Rough Surfaces", 2007: a^2 = 2 / (n + 2), and a is the
 * roughness squared). */
void mrwi_raster_toon_shine(const mrw_raster_material *m, float out[3])
{
    const bool classic = m->surface == MRW_SURFACE_CLASSIC;
    const float n = m->shininess > 0.0f ? m->shininess : 0.0f;
    const float rough = classic ? sqrtf(sqrtf(2.0f / (n + 2.0f)))
                        : m->surface == MRW_SURFACE_SPECULAR_GLOSSINESS ? 1.0f - m->glossiness
                                                                        : m->roughness;
    const float share = (SHINE_ROUGH - rough) * SHINE_GAIN;
    const float strength = SHINE_STRENGTH * (share > 0.0f ? share < 1.0f ? share : 1.0f : 0.0f);
    for (int k = 0; k < 3; k++) {
        out[k] = classic ? m->specular_color[k] * strength : strength;
    }
}

const char *mrw_shading_channel_name(mrw_shading_channel channel)
{
    static const char *const names[MRW_CHANNEL_COUNT] = {
        "base",      "alpha",      "metallic", "roughness",       "occlusion",
        "emissive",  "normal-map", "normal",   "geometry-normal", "tangent",
        "tangent-w", "uv0",        "uv1",      "vertex-colour"};
    assert((unsigned)channel < MRW_CHANNEL_COUNT);
    return names[channel];
}
