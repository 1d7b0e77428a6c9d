// surface.frag: the colour of a fragment: shade/shade_spec.c, mode_spec.h and channel_spec.h. What of
// it a draw goes through is chosen where the program is made: MODE, SURFACE, ALPHA and so on.

uniform vec4 base_color;
uniform float alpha_cutoff;

layout(location = 0) out vec4 out_color; // premultiplied, linear
#ifdef LAYER
uniform sampler2D opaque_depth;   // of what is not transparent
uniform usampler2D last_layer;    // of the fragment that was seen last: depth's bits, order
uniform uint first_order;         // of the run's triangles, all draws counted
layout(location = 1) out uvec2 out_key;
#endif
#ifdef IDS
layout(location = 1) out uvec2 out_ids; // draw, triangle
#endif

vec4 base_here()
{
    vec4 color = base_color;
#ifdef COLORS
    color *= color_here();
#endif
#ifdef HAS_BASE_COLOR_MAP
    color *= base_color_map();
#endif
    return color;
}

#if MODE == MODE_MATCAP
uniform sampler2D matcap;
uniform ivec3 matcap_plan;
uniform vec3 view_up;

vec3 matcap_here()
{
    vec3 to_eye = to_eye_here(), right = unit(cross(view_up, to_eye)), above = cross(to_eye, right);
    vec3 n = surface_normal();
    vec2 at = clamp(vec2(0.5 + MATCAP_REACH * dot(n, right), 0.5 - MATCAP_REACH * dot(n, above)),
                    0.0, 1.0);
    return sample_level(matcap, matcap_plan, ivec2(MATCAP_WRAP), 0, at, false).xyz;
}
#endif

#if MODE == MODE_WIRE
float line_here()
{
    vec2 a = s1.xy - s0.xy, b = s2.xy - s0.xy, c = b - a, p = where - s0.xy, q = where - s1.xy;
    float side0 = sqrt(max(dot(c, c), 1e-10)), side1 = sqrt(max(dot(b, b), 1e-10));
    float side2 = sqrt(max(dot(a, a), 1e-10)), area = abs(a.x * b.y - b.x * a.y);
    float d0 = abs(c.x * q.y - c.y * q.x) / side0, d1 = abs(p.x * b.y - b.x * p.y) / side1;
    float d2 = abs(a.x * p.y - p.x * a.y) / side2;
    float height = area / max(max(side0, side1), side2);
    float strength = clamp((height - WIRE_NONE) * WIRE_GAIN, 0.0, 1.0);
    return clamp((WIRE_REACH + 0.5) - min(min(d0, d1), d2), 0.0, 1.0) * strength;
}
#endif

#if MODE == MODE_PHONG
float power_of_roughness(float rough)
{
    float r = clamp(rough, LEAST_ROUGHNESS, 1.0), a = r * r;
    return 0.5 * (1.0 / (a * a) - 1.0);
}

vec3 phong(vec3 base)
{
    vec4 map = specular_map();
    vec3 tint = specular_color * map.xyz, color;
    float power;
#if SURFACE == 2
    float n_of = clamp(shininess, 0.0, 4096.0);
    color = n_of > 0.0 ? tint : vec3(0.0);
    power = 0.25 * n_of;
#elif SURFACE == 1
    color = tint * (glossiness * map.w);
    power = power_of_roughness(1.0 - glossiness * map.w);
#else
    vec4 mr = metallic_roughness_map();
    float metal = metallic * mr.z * metallic_map().x, rough = roughness * mr.y * roughness_map().x;
    color = mix(vec3(0.5), base, metal) * max(1.0 - rough, 0.0);
    power = power_of_roughness(rough);
#endif
    vec3 n = surface_normal(), to_eye = to_eye_here(), r = mirror_of(n, to_eye, dot(n, to_eye));
    vec3 position = position_here(), sum = base * (ambient_light(n) * openness_here());
    for (int i = 0; i < lamp_count; i++) {
        Lamp lamp = lamp_at(i);
        vec4 a = arrival_of(lamp, position);
        float nl = dot(n, a.xyz);
        if (lamp.fills) {
            sum += base * lamp.ambient * a.w;
        }
        float part = shadowed(lamp, position, a.w);
        if (nl > 0.0 && part > 0.0) {
            float rl = clamp(dot(r, a.xyz), 8.8817842e-16, 1.0);
            sum += base * lamp.color * (nl * part);
            sum += color * lamp.shine * (exp2(power * log2(rl)) * part);
        }
    }
    return sum + emissive * emissive_map().xyz;
}
#endif

#if MODE == MODE_TOON
float step_at(float x, float edge, float steep)
{
    return clamp((x - edge) * steep + 0.5, 0.0, 1.0);
}

vec3 toon_shine()
{
#if SURFACE == 2
    float rough = sqrt(sqrt(2.0 / (max(shininess, 0.0) + 2.0)));
    vec3 tint = specular_color;
#else
    float rough = SURFACE == 1 ? 1.0 - glossiness : roughness;
    vec3 tint = vec3(1.0);
#endif
    return tint * (SHINE_STRENGTH * clamp((SHINE_ROUGH - rough) * SHINE_GAIN, 0.0, 1.0));
}

vec3 toon(vec3 base)
{
    vec3 n = normal_here(), to_eye = to_eye_here(), position = position_here();
    vec3 matt = (0.5 * openness_here()) * (sky + ground), shine = vec3(0.0);
    float nv = dot(n, to_eye);
    for (int i = 0; i < lamp_count; i++) {
        Lamp lamp = lamp_at(i);
        vec4 a = arrival_of(lamp, position);
        float nl = dot(n, a.xyz), both = max(nl + nv, 0.0);
        float h2 = max(2.0 + 2.0 * dot(a.xyz, to_eye), 1e-6);
        float spot = step_at(both * both / h2, SHINE_EDGE, SHINE_STEEP);
        float seen = shadowed(lamp, position, 1.0);
        float band = BAND_DARK + seen * (BAND_MIDDLE * step_at(nl, BAND_EDGE_1, BAND_STEEP) +
                                         BAND_BRIGHT * step_at(nl, BAND_EDGE_2, BAND_STEEP));
        matt += lamp.color * (band * a.w);
        shine += lamp.shine * toon_shine() *
                 (step_at(nl, BAND_EDGE_1, BAND_STEEP) * spot * seen * a.w);
    }
    return (base * matt + shine) *
           (RIM_DARK + (1.0 - RIM_DARK) * step_at(nv, RIM_EDGE, RIM_STEEP));
}
#endif

#if MODE == MODE_DATA
vec3 data_here(vec4 color)
{
#if CHANNEL == 1
    return vec3(color.w);
#elif CHANNEL == 2 && SURFACE == 0
    return vec3(metallic * metallic_roughness_map().z * metallic_map().x);
#elif CHANNEL == 2
    return vec3(0.0);
#elif CHANNEL == 3 && SURFACE == 0
    return vec3(clamp(roughness * metallic_roughness_map().y * roughness_map().x, LEAST_ROUGHNESS,
                      1.0));
#elif CHANNEL == 3 && SURFACE == 1
    return vec3(clamp(1.0 - glossiness * specular_map().w, LEAST_ROUGHNESS, 1.0));
#elif CHANNEL == 3
    return vec3(sqrt(sqrt(2.0 / (clamp(shininess, 0.0, 4096.0) + 2.0))));
#elif CHANNEL == 4
    return vec3(1.0 + (occlusion_map().x - 1.0) * occlusion_strength);
#elif CHANNEL == 5
    return emissive * emissive_map().xyz;
#elif CHANNEL == 6 && defined(HAS_NORMAL_MAP) && defined(TANGENTS)
    vec3 map = normal_map().xyz * 2.0 - 1.0;
    return unit(vec3(map.xy * normal_scale, map.z)) * 0.5 + 0.5;
#elif CHANNEL == 6
    return vec3(0.5, 0.5, 1.0);
#elif CHANNEL == 7
    return surface_normal() * 0.5 + 0.5;
#elif CHANNEL == 8
    return normal_here() * 0.5 + 0.5;
#elif CHANNEL == 9 && defined(TANGENTS)
    return unit(tangent_here().xyz) * 0.5 + 0.5;
#elif CHANNEL == 10 && defined(TANGENTS)
    return vec3(tangent_here().w < 0.0 ? 0.0 : 1.0);
#elif CHANNEL == 9 || CHANNEL == 10
    return vec3(0.5);
#elif CHANNEL == 11 || CHANNEL == 12
#ifdef COLORS
    vec4 uv = color_here();
    return vec3(wrapped(uv.x, WRAP_REPEAT), wrapped(uv.y, WRAP_REPEAT), 0.0);
#else
    return vec3(0.0);
#endif
#elif CHANNEL == 13
#ifdef COLORS
    return color_here().xyz;
#else
    return vec3(1.0);
#endif
#else
    return color.xyz;
#endif
}
#endif

vec3 shown(vec4 base)
{
#if MODE == MODE_LIT || MODE == MODE_FACETS
    return lit_surface(base.xyz);
#elif MODE == MODE_CLAY
    return CLAY_GREY * matt_light();
#elif MODE == MODE_LAMBERT
    return base.xyz * matt_light();
#elif MODE == MODE_PHONG
    return phong(base.xyz);
#elif MODE == MODE_TOON
    return toon(base.xyz);
#elif MODE == MODE_MATCAP
    return matcap_here();
#elif MODE == MODE_WIRE
    return mix(WIRE_GREY * matt_light(), vec3(WIRE_LINE), line_here());
#elif MODE == MODE_DATA
    return data_here(base);
#else
    return base.xyz;
#endif
}

#if ALPHA == 1
// A mask is looked up where each sample lies.
bool is_hole()
{
    set_place(floor(gl_FragCoord.xy) + 0.5 + sample_offset);
    return clamp(base_here().w, 0.0, 1.0) < alpha_cutoff;
}
#endif

void main()
{
    begin_fragment();
    float z = depth_here();
    gl_FragDepth = z;
#ifdef LAYER
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    uvec2 last = texelFetch(last_layer, pixel, 0).xy;
    float last_z = uintBitsToFloat(last.x);
    uint order = first_order + uint(primitive);
    if (!(z < texelFetch(opaque_depth, pixel, 0).x) ||
        !(z < last_z || (z == last_z && order > last.y))) {
        discard;
    }
    out_key = uvec2(floatBitsToUint(z), order);
#endif
#ifdef IDS
    out_ids = own_id;
#endif
#ifdef FOUND
    if (seen_at(sample_number) != own_id) {
        discard;
    }
#elif ALPHA == 1
    if (is_hole()) {
        discard;
    }
#endif
#ifdef FINDS
    out_color = vec4(0.0);
#else
#if ALPHA == 1 && defined(FOUND)
    place_masked();
#else
    place_fragment();
#endif
    vec4 base = base_here();
#ifdef CATCHER
    vec3 color = vec3(0.0);
    base.w *= caught_shadow();
#else
    vec3 color = shown(base);
#endif
    float alpha = 1.0;
#if ALPHA == 2
    alpha = clamp(base.w, 0.0, 1.0);
#endif
    out_color = vec4(clamp(color, 0.0, 65536.0) * alpha, alpha);
#endif
}
