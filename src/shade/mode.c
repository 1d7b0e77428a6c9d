/* mode.c: the table of shading modes: their inputs, and how their colours are processed. */
#include "shade/mode_values.h"
#include "shade/shade.h"
#include "shade/shade_numbers.h"

#include <assert.h>
#include <math.h>

static const mrw_shading_info modes[MRW_SHADING_COUNT] = {
    [MRW_SHADING_LIT] = {.name = "lit",
                         .shows = "materials as in their files, in all light",
                         .lit = true,
                         .environment = true,
                         .materials = true,
                         .base_color = true,
                         .keeps_unlit = true,
                         .exposed = true,
                         .tone_mapped = true,
                         .encoded = true},
    [MRW_SHADING_FLAT] = {.name = "flat",
                          .shows = "as lit, but faceted, with the normals of triangles",
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
                          .shows = "shape alone: every surface is the same matt grey",
                          .lit = true,
                          .environment = true,
                          .exposed = true,
                          .tone_mapped = true,
                          .encoded = true},
    [MRW_SHADING_LAMBERT] = {.name = "lambert",
                             .shows = "matt base colours, lit by lamps",
                             .lit = true,
                             .base_color = true,
                             .classic_lights = true,
                             .keeps_unlit = true,
                             .exposed = true,
                             .encoded = true},
    [MRW_SHADING_PHONG] = {.name = "phong",
                           .shows = "light as in OpenGL tutorials: ambient, diffuse, specular",
                           .lit = true,
                           .materials = true,
                           .base_color = true,
                           .classic_lights = true,
                           .keeps_unlit = true,
                           .exposed = true,
                           .encoded = true},
    [MRW_SHADING_GOURAUD] = {.name = "gouraud",
                             .shows =
                                 "phong light at vertices, interpolated between them: no shadows, "
                                 "no maps but the base colour's",
                             .base_color = true,
                             .at_vertices = true,
                             .classic_lights = true,
                             .keeps_unlit = true,
                             .exposed = true,
                             .encoded = true},
    [MRW_SHADING_TOON] = {.name = "toon",
                          .shows = "base colours in bands of light, a highlight by roughness or "
                                   "shininess (not their maps) and a dark rim",
                          .lit = true,
                          .base_color = true,
                          .keeps_unlit = true,
                          .exposed = true,
                          .tone_mapped = true,
                          .encoded = true},
    [MRW_SHADING_MATCAP] = {.name = "matcap:FILE",
                            .shows = "a square picture of a lit ball, looked up by normals as the "
                                     "camera sees them, instead of materials",
                            .matcap = true,
                            .exposed = true,
                            .tone_mapped = true,
                            .encoded = true},
    [MRW_SHADING_WIRE] = {.name = "wire",
                          .shows = "the edges of triangles, one pixel wide, over grey faces; "
                                   "fainter where triangles are only a few pixels high",
                          .lit = true,
                          .encoded = true},
    [MRW_SHADING_UNLIT] = {.name = "unlit",
                           .shows = "base colours in linear light, as in KHR_materials_unlit",
                           .base_color = true,
                           .encoded = true},
    [MRW_SHADING_RAW] = {.name = "raw",
                         .shows = "stored bytes of base colours, filtered without conversion",
                         .base_color = true,
                         .stored = true},
    [MRW_SHADING_NORMAL] = {.name = "normal",
                            .shows =
                                "world normals with normal maps, as colours: red is x, green y, "
                                "blue z, and 128 is 0",
                            .data = true,
                            .materials = true},
    [MRW_SHADING_UV] = {.name = "uv",
                        .shows = "texture coordinates of the first set: u in red, v in green, only "
                                 "their fractions",
                        .data = true},
    [MRW_SHADING_DEPTH] = {.name = "depth",
                           .shows =
                               "depth: white at the near plane, black at the far plane; framing "
                               "puts both close to the model",
                           .data = true},
    [MRW_SHADING_JOINT] = {.name = "joint",
                           .shows =
                               "the joint that moves a vertex most, one colour per joint; grey "
                               "without joints",
                           .data = true},
    [MRW_SHADING_INFLUENCES] = {.name = "influences",
                                .shows = "number of joints that move a vertex: grey 0, blue 1, "
                                         "cyan 2, green 3, yellow 4, red 5 or more",
                                .data = true},
    [MRW_SHADING_WEIGHTS] = {.name = "weights:JOINT",
                             .shows = "how much this joint moves vertices: blue 0 to red 1",
                             .data = true},
    [MRW_SHADING_CHANNEL] = {.name = "channel:NAME",
                             .shows = "one input of shading, after maps and factors: base, "
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

mrwi_shade_classic mrwi_shade_classic_of(float shininess)
{
    const float n = shininess > 0.0f ? shininess < 4096.0f ? shininess : 4096.0f : 0.0f;
    return (mrwi_shade_classic){.matt = n == 0.0f, .roughness = sqrtf(sqrtf(2.0f / (n + 2.0f)))};
}

void mrwi_shade_toon_shine(const mrw_raster_material *m, float out[3])
{
    const bool classic = m->surface == MRW_SURFACE_CLASSIC;
    const float rough = classic ? mrwi_shade_classic_of(m->shininess).roughness
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
