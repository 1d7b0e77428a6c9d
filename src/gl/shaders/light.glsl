// light.glsl: what surfaces reflect of the lights: shade/light_spec.h, environment_spec.h and
// shadow_spec.h, in which the formulas are explained.

uniform vec3 ray0, ray_dx, ray_dy; // to the eye, by the pixel
uniform TABLE lamps;       // six texels each; then the shadows', 16 each
uniform int lamp_count;
uniform vec3 up, sky, ground;      // of the hemisphere

// Materials.
uniform float metallic, roughness, reflectance, specular, glossiness, shininess;
uniform vec3 specular_color, emissive;
uniform float normal_scale, clearcoat_normal_scale, occlusion_strength;
uniform float clearcoat, clearcoat_roughness;
uniform vec3 sheen_color;
uniform float sheen_roughness;

vec3 to_eye_here()
{
    return unit((where.x * ray_dx + where.y * ray_dy) + ray0);
}

vec3 mapped_normal(vec4 texel, float scale, vec3 n)
{
#if defined(TANGENTS) && !defined(FLAT)
    float seen = back ? -1.0 : 1.0;
    vec4 t = tangent_here();
    vec3 tangent = unit(t.xyz) * seen;
    vec3 bitangent = cross(n, tangent) * (t.w < 0.0 ? -seen : seen);
    vec2 xy = (2.0 * texel.xy - 1.0) * scale;
    return unit((n * (2.0 * texel.z - 1.0) + bitangent * xy.y) + tangent * xy.x);
#else
    return n;
#endif
}

// With the map, where there is one.
vec3 surface_normal()
{
    vec3 n = normal_here();
#ifdef HAS_NORMAL_MAP
    n = mapped_normal(normal_map(), normal_scale, n);
#endif
    return n;
}

// ---- the ground

// ambient_spec.h
#ifdef GROUND
uniform vec3 ground_border;        // size of the picture, and how shadows fade there

float ground_share()
{
    vec2 last = ground_border.xy - 1.0, pixel = floor(clamp(where, vec2(0.0), last));
    vec2 d = clamp(min(pixel, last - pixel) * ground_border.z, 0.0, 1.0);
    vec2 s = d * d * (3.0 - 2.0 * d);
    return s.x * s.y;
}
#else
#define ground_share() 1.0
#endif

// ---- shadows

#ifdef SHADOWS
uniform TABLE depths;

struct Shadow {
    int levels;                    // the last level
    float size, widest;
    bool cube, perspective;
    vec3 origin, right, down, forward;
    float texels, middle, depth_offset, depth_scale, slope, unit, lift, softness;
    float near_caster, far_caster;
    int at;                        // first texel of the levels' numbers
};

struct ShadowPlace {
    int face;
    vec3 p;
    vec2 slope;
    float fade, side, far_z, most, near;
};

Shadow shadow_of(int k)
{
    int at = 6 * lamp_count + 16 * k;
    vec4 a = fetch(lamps, at), b = fetch(lamps, at + 1), c = fetch(lamps, at + 2);
    vec4 d = fetch(lamps, at + 3), e = fetch(lamps, at + 4);
    vec4 f = fetch(lamps, at + 5), g = fetch(lamps, at + 6);
    return Shadow(int(a.x), a.y, a.z, int(a.w) % 2 == 1, int(a.w) >= 2, b.xyz, c.xyz, d.xyz, e.xyz,
                  b.w, c.w, d.w, e.w, f.x, f.y, f.z, f.w, g.x, g.y, at + 7);
}

vec3 along_axes(Shadow s, vec3 v, int axis)
{
    if (!s.cube) {
        return vec3(dot(v, s.right), dot(v, s.down), dot(v, s.forward));
    }
    return axis == 0 ? v.yzx : axis == 1 ? v.zxy : v;
}

ShadowPlace shadow_place(Shadow s, vec3 position, vec3 smooth_n, vec3 face_n)
{
    vec3 ray = s.perspective ? unit(position - s.origin) : s.forward;
    vec3 facet = dot(face_n, smooth_n) < 0.0 ? -face_n : face_n;
    float facing = -dot(smooth_n, ray), cosine = clamp(facing, 0.0, 1.0);
    float own = clamp(-dot(facet, ray) * (1.0 / MRWI_SHADE_SHADOW_FACES), 0.0, 1.0);
    vec3 n = smooth_n + (facet - smooth_n) * own;
    vec3 q = (position - s.origin) + smooth_n * (s.lift * (1.0 - cosine)), size = abs(q);
    int axis = !s.cube || (size.x >= size.y && size.x >= size.z) ? 0 : size.y >= size.z ? 1 : 2;
    vec3 at = along_axes(s, q, axis), normal = along_axes(s, n, axis);
    float w = at.z;
    ShadowPlace p;
    p.face = 0;
    p.fade = cosine * (1.0 / MRWI_SHADE_SHADOW_FADE_FROM);
    p.side = clamp(1.0 + facing * (1.0 / MRWI_SHADE_SHADOW_FADE_FROM), 0.0, 1.0);
    if (s.cube) {
        p.face = 2 * axis + (w < 0.0 ? 1 : 0);
        w = abs(w);
    }
    float inv = s.perspective ? 1.0 / max(w, 1e-20) : 1.0;
    p.p.xy = (at.xy * s.texels) * inv + s.middle;
    p.p.z = s.depth_offset + s.depth_scale * (s.perspective ? inv : w);
    p.far_z = s.far_caster * inv;
    float length_of = s.unit * inv, steep = length_of * MRWI_SHADE_SHADOW_STEEP;
    float per = s.slope / (s.perspective ? dot(n, q) : normal.z);
    p.slope = clamp(normal.xy * per, -steep, steep);
    p.p.z -= length_of * MRWI_SHADE_SHADOW_BIAS +
             (abs(p.slope.x) + abs(p.slope.y)) * MRWI_SHADE_SHADOW_SNAP;
    p.most = clamp(s.softness * p.p.z, MRWI_SHADE_SHADOW_LEAST, s.widest);
    p.near = max(s.near_caster, p.most * (length_of * MRWI_SHADE_SHADOW_CURVED));
    return p;
}

float shadow_weight(float first, float width, int i)
{
    return i == 0 ? min(1.0 - first, width) : clamp((first + width) - float(i), 0.0, 1.0);
}

// Returns the share of a square that lies before the place, and its depths times their shares.
vec2 sum_square(Shadow s, ShadowPlace p, float width, float from, float to)
{
    int level = 0;
    float step_of = 1.0;
    while (level < s.levels && width > MRWI_SHADE_SHADOW_MOST * step_of) {
        level++;
        step_of *= 2.0;
    }
    vec4 table = fetch(lamps, s.at + level);
    int stride = int(table.z), turns = (int(step_of) + 2) / 3;
    float border = level > 0 ? 8.0 : 0.0, side = width / step_of;
    float origin = border - 0.5 * float(3 * turns - 2 - int(step_of)) / step_of;
    vec2 corner = clamp((p.p.xy / step_of + origin) - 0.5 * side, 0.0, table.w);
    vec2 whole_part = floor(corner), first = corner - whole_part;
    vec2 begin = ((whole_part - border) * step_of + 0.5) - p.p.xy;
    ivec2 at = ivec2(whole_part);
    int row = int(table.x) * 65536 + int(table.y) + p.face * stride * (int(table.w) + 8) +
              at.y * stride + at.x;
    vec2 sum = vec2(0.0);
    for (int j = 0; j < MRWI_SHADE_SHADOW_TAPS; j++, row += stride) {
        float z = p.p.z + (p.slope.y * (begin.y + float(j) * step_of) +
                           p.slope.x * float(3 * ((5 * (at.y + j)) % turns)));
        vec2 part = vec2(0.0);
        for (int i = 0; i < MRWI_SHADE_SHADOW_TAPS; i++) {
            float rise = p.slope.x * (begin.x + float(i) * step_of) +
                         p.slope.y * float(3 * ((5 * (at.x + i)) % turns));
            float here = min(z + rise, MRWI_SHADE_SHADOW_FAR), depth = fetch(depths, row + i).x;
            if (depth < here - from && depth >= here - to) {
                part += shadow_weight(first.x, side, i) * vec2(1.0, depth);
            }
        }
        sum += part * shadow_weight(first.y, side, j);
    }
    return sum / (side * side);
}

float dark_share(Shadow s, ShadowPlace p, float width)
{
    float off = 0.25 * width, sum = 0.0;
    for (int k = 0; k < 4; k++) {
        float dx = (k & 1) != 0 ? off : -off, dy = (k & 2) != 0 ? off : -off;
        ShadowPlace part = p;
        part.p = vec3(p.p.x + dx, p.p.y + dy, p.p.z + (p.slope.x * dx + p.slope.y * dy));
        sum += sum_square(s, part, 0.5 * width, p.near, MRWI_SHADE_SHADOW_ALL).x;
    }
    return 0.25 * sum;
}

float stopped_far(Shadow s, ShadowPlace p)
{
    vec2 found = sum_square(s, p, p.most, p.near, MRWI_SHADE_SHADOW_ALL);
    float gap = max(p.p.z - found.y / max(found.x, 1e-20), 0.0);
    float dark = found.x < MRWI_SHADE_SHADOW_WHOLE ? found.x : 1.0;
    float width = clamp(s.softness * gap, MRWI_SHADE_SHADOW_LEAST, p.most);
    if (dark > 0.0 && dark < MRWI_SHADE_SHADOW_WHOLE) {
        dark = dark_share(s, p, width);
    }
    return dark * clamp(p.fade + gap / p.far_z, 0.0, 1.0);
}

float visibility(Shadow s, vec3 position, vec3 smooth_n, vec3 face_n)
{
    ShadowPlace p = shadow_place(s, position, smooth_n, face_n);
    float dark = 1.0;
    if (p.side > 0.0) {
        dark = sum_square(s, p, MRWI_SHADE_SHADOW_LEAST, 0.0, p.near).x * min(p.fade, 1.0) +
               stopped_far(s, p);
    }
    float lit = (1.0 - min(dark, 1.0)) * p.side;
    return 1.0 - (1.0 - lit) * ground_share();
}
#endif

// ---- lamps

struct Lamp {
    bool placed, spot, attenuated, fills;
    vec3 to_light, position, color, shine, ambient, attenuation;
    float inv_range_squared, cone_scale, cone_offset;
    int shadow;
};

Lamp lamp_at(int i)
{
    vec4 a = fetch(lamps, 6 * i), b = fetch(lamps, 6 * i + 1);
    vec4 c = fetch(lamps, 6 * i + 2), d = fetch(lamps, 6 * i + 3);
    vec4 e = fetch(lamps, 6 * i + 4), f = fetch(lamps, 6 * i + 5);
    int flags = int(a.w);
    return Lamp((flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0, a.xyz, b.xyz,
                c.xyz, d.xyz, e.xyz, f.xyz, b.w, c.w, d.w, int(e.w));
}

// How a light comes here: its direction, and in w how much of its colour is left.
vec4 arrival_of(Lamp lamp, vec3 position)
{
    if (!lamp.placed) {
        return vec4(lamp.to_light, 1.0);
    }
    vec3 d = lamp.position - position;
    float d2 = max(dot(d, d), 1e-20), near = d2 * lamp.inv_range_squared;
    vec3 k = lamp.attenuation;
    float divisor = lamp.attenuated ? max(k.x + (k.y * sqrt(d2) + k.z * d2), 1e-20) : d2;
    vec4 a = vec4(d * (1.0 / sqrt(d2)), clamp(1.0 - near * near, 0.0, 1.0) / divisor);
    if (lamp.spot) {
        float cone = clamp(dot(a.xyz, lamp.to_light) * lamp.cone_scale + lamp.cone_offset, 0.0, 1.0);
        a.w *= cone * cone;
    }
    return a;
}

// What is left of a share of a light past what stands in its way.
float shadowed(Lamp lamp, vec3 position, float part)
{
#ifdef SHADOWS
    if (lamp.shadow > 0) {
        return part * visibility(shadow_of(lamp.shadow - 1), position, normal_here(), face_normal());
    }
#endif
    return part;
}

// ---- light from all around

// ambient_spec.h
#ifdef OCCLUSION
uniform TABLE occlusion;        // depth and visibility of a pixel; one more around the picture
uniform vec4 occlusion_axis;
uniform ivec2 occlusion_size;   // of the picture

float openness_here()
{
    float depth = dot(position_here(), occlusion_axis.xyz) + occlusion_axis.w;
    ivec2 pixel = ivec2(clamp(where, vec2(0.0), vec2(occlusion_size) - 0.5));
    int row = occlusion_size.x + 2, middle = (pixel.y + 1) * row + (pixel.x + 1);
    vec2 best = fetch(occlusion, middle).xy;
    float least = abs(best.x - depth);
    for (int k = 0, other = least > MRWI_SHADE_SAME_DEPTH ? 9 : 0; k < other; k++) {
        vec2 next = fetch(occlusion, middle + (k / 3 - 1) * row + (k % 3 - 1)).xy;
        if (abs(next.x - depth) < least) {
            best = next;
            least = abs(next.x - depth);
        }
    }
    float open = best.y + (1.0 - best.y) * clamp(least - MRWI_SHADE_SAME_DEPTH, 0.0, 1.0);
    return 1.0 - (1.0 - open) * ground_share();
}
#else
#define openness_here() 1.0
#endif

vec3 hemisphere(vec3 n)
{
    return mix(ground, sky, 0.5 + 0.5 * dot(n, up));
}

#ifdef ENVIRONMENT
vec3 mirrored_environment(vec3 r, float rough)
{
    const float last = 8.0;
    float at = clamp(rough, 0.0, 1.0) * last;
    int level = min(int(at), 7);
    vec2 place = environment_place(world_to_environment * r);
    return mix(environment_tap(level, place), environment_tap(level + 1, place),
               at - float(level)) * environment_intensity;
}

vec3 matt_environment(vec3 n)
{
    vec3 v = world_to_environment * n;
    vec3 c[9] = environment_diffuse;
    vec3 along_x = ((c[1] + c[4] * v.x) + c[5] * v.y) + c[6] * v.z;
    vec3 along_y = (c[2] + c[7] * v.y) + c[8] * v.z;
    return max(((c[0] + along_x * v.x) + along_y * v.y) + c[3] * v.z, 0.0) * environment_intensity;
}
#endif

vec3 ambient_light(vec3 n)
{
    vec3 sum = hemisphere(n);
#ifdef ENVIRONMENT
    sum += matt_environment(n);
#endif
    return sum;
}

vec3 mirror_of(vec3 n, vec3 to_eye, float nv)
{
    return -to_eye + n * (2.0 * nv);
}

vec3 mirrored_light(vec3 n, vec3 to_eye, float nv, float rough)
{
    vec3 r = mirror_of(n, to_eye, nv), sum = hemisphere(r);
#ifdef ENVIRONMENT
    float towards = max(rough * (rough + (1.0 - rough) * (0.75 - 1.5 * max(nv, 0.0))), 0.0);
    sum += mirrored_environment(mix(r, n, towards), rough);
#endif
    return sum;
}

// Of a reflection of the radiance 1, f0 x + f90 y comes back.
vec2 environment_brdf(float rough, float nv)
{
    const float a[10] = float[10](MRWI_SHADE_SCALE_ABOVE);
    const float b[5] = float[5](MRWI_SHADE_SCALE_BELOW);
    const float c[6] = float[6](MRWI_SHADE_BIAS_ABOVE);
    const float d[5] = float[5](MRWI_SHADE_BIAS_BELOW);
    float r = clamp(rough, 0.0, 1.0), s = sqrt(clamp(nv, 0.0, 1.0));
    float a0 = a[0] + (a[1] + (a[2] + a[3] * r) * r) * r, a1 = a[4] + (a[5] + a[6] * r) * r;
    float a2 = (a[7] + a[8] * r) + a[9] * s;
    float b0 = 1.0 + (b[0] + b[1] * r) * r, b1 = (b[2] + b[3] * r) + b[4] * s;
    float c0 = c[0] + (c[1] + c[2] * r) * r, c1 = (c[3] + c[4] * r) + c[5] * s;
    float d0 = 1.0 + (d[0] + d[1] * r) * r, d1 = (d[2] + d[3] * r) + d[4] * s;
    float scale = clamp((a0 + (a1 + a2 * s) * s) / (b0 + b1 * s), 0.0, 1.0);
    return vec2(scale, clamp((c0 + c1 * s) / (d0 + d1 * s), 0.0, 1.0 - scale));
}

vec3 compensation(vec3 f0, vec3 once, vec2 brdf)
{
    float lost = 1.0 - (brdf.x + brdf.y);
    vec3 mean = f0 + (1.0 - f0) * (1.0 / 21.0);
    return (once * mean) * lost / max(1.0 - mean * lost, 1e-3);
}

// ---- highlights

float fifth_power(float x)
{
    float x2 = x * x;
    return (x2 * x2) * x;
}

float half_squared(vec3 l, vec3 v)
{
    return max(0.5 + 0.5 * dot(l, v), 2.5e-7);
}

struct Surface {
    vec3 n, to_eye;
    float nv, seen;
    vec3 diffuse, f0;
    float f90, d0, d90;
    float rough, a2, gv;
    float occlusion;
};

float microfacets(Surface s, float nl, float vh2)
{
    float rest = 1.0 - s.a2, both = max(nl + s.nv, 0.0);
    float t = max(vh2 - (0.25 * rest) * (both * both), s.a2 * vh2);
    float gl = sqrt(s.a2 + rest * (nl * nl)), masked = nl * s.gv + s.seen * gl;
    return (0.5 * s.a2) * (vh2 * vh2) / max((t * t) * masked, 1e-21);
}

#ifdef WIDE_HIGHLIGHTS
const float pixel_filter = MRWI_SHADE_WIDE_FILTER, mirrored_gain = MRWI_SHADE_WIDE_MIRRORED;
#else
const float pixel_filter = MRWI_SHADE_PIXEL_FILTER, mirrored_gain = MRWI_SHADE_MIRRORED;
#endif

float curvature_here()
{
#if MODE == MODE_LIT
    if (flat_draw || s0.w + s1.w + s2.w < 3.0) {
        return 0.0;
    }
    vec3 n0 = corner_normal(vertex.x), n1 = corner_normal(vertex.y) - n0;
    vec3 n2 = corner_normal(vertex.z) - n0;
    vec2 a = s1.xy - s0.xy, b = s2.xy - s0.xy;
    float inv_area = 1.0 / (a.x * b.y - a.y * b.x);
    vec3 x = (n1 * b.y - n2 * a.y) * inv_area, y = (n2 * a.x - n1 * b.x) * inv_area;
    return clamp((dot(x, x) + dot(y, y)) * pixel_filter, 0.0, MRWI_SHADE_MOST_CURVATURE);
#else
    return 0.0;
#endif
}

// What the levels of a normal map have averaged away: spread is its alpha.
float bumps_of(float spread, float scale)
{
    float lost = spread * spread;
    return 2.0 * lost / max(1.0 - lost, 1e-3) * (scale * scale);
}

void set_roughness(inout Surface s, float rough, float curvature, float bumps)
{
    s.rough = clamp(rough, LEAST_ROUGHNESS, 1.0);
    float a = s.rough * s.rough;
    s.a2 = a * a;
#ifndef WIDE_HIGHLIGHTS
    curvature *= s.seen * s.seen;
#endif
    float wider = max(curvature - MRWI_SHADE_RESOLVED * s.a2, 0.0);
    if (bumps > 0.0) {
        s.a2 = min(s.a2 + bumps, 1.0);
        s.rough = sqrt(sqrt(s.a2));
    }
    if (wider > 0.0) {
        s.rough = sqrt(sqrt(min(s.a2 + mirrored_gain * wider, 1.0)));
        s.a2 = min(s.a2 + wider, 1.0);
    }
    s.gv = sqrt(s.a2 + (1.0 - s.a2) * (s.seen * s.seen));
}

float surface_bumps()
{
#if defined(SPREADS) && defined(TANGENTS) && !defined(FLAT)
    return bumps_of(normal_map().w, normal_scale);
#else
    return 0.0;
#endif
}

Surface surface_here(vec3 base)
{
    Surface s;
    s.n = surface_normal();
    s.to_eye = to_eye_here();
    s.nv = dot(s.n, s.to_eye);
    s.seen = max(s.nv, 0.0);
    s.f90 = s.d90 = 1.0;
    s.d0 = s.rough = s.a2 = s.gv = 0.0;
#if SURFACE == 0
    vec4 mr = metallic_roughness_map();
    float metal = metallic * mr.z * metallic_map().x, matt = 1.0 - metal;
    vec3 tint = specular_color * specular_map().xyz;
    float strength = specular * specular_strength_map().w;
    vec3 f0 = min(tint * reflectance, 1.0) * strength;
    s.diffuse = base * matt;
    s.f0 = f0 * matt + base * metal;
    s.f90 = strength * matt + metal;
    s.d0 = max(max(f0.x, f0.y), f0.z);
    s.d90 = strength;
    set_roughness(s, roughness * mr.y * roughness_map().x, curvature_here(), surface_bumps());
#elif SURFACE == 1
    vec4 color = specular_map();
    s.f0 = specular_color * color.xyz;
    s.d0 = max(max(s.f0.x, s.f0.y), s.f0.z);
    s.diffuse = base * (1.0 - min(s.d0, 1.0));
    set_roughness(s, 1.0 - glossiness * color.w, curvature_here(), surface_bumps());
#else
    s.diffuse = base;
    s.f0 = min(specular_color * specular_map().xyz * MRWI_SHADE_CLASSIC_SHARE,
               shininess > 0.0 ? MRWI_SHADE_CLASSIC_MOST : 0.0);
    s.d0 = max(max(s.f0.x, s.f0.y), s.f0.z);
    s.f90 = s.d90 = s.d0;
    set_roughness(s, sqrt(sqrt(2.0 / (clamp(shininess, 0.0, 4096.0) + 2.0))), curvature_here(), surface_bumps());
#endif
    s.occlusion = (1.0 + (occlusion_map().x - 1.0) * occlusion_strength) * openness_here();
    return s;
}

// What a lamp adds, of which `part` of its colour comes from there.
void add_lamp(Surface s, Lamp lamp, vec3 to_light, float part, inout vec3 matt, inout vec3 shine)
{
    float nl = max(dot(s.n, to_light), 0.0), amount = nl * part;
    if (amount > 0.0) {
        float vh2 = half_squared(to_light, s.to_eye);
        float graze = fifth_power(1.0 - sqrt(vh2)), facets = amount * microfacets(s, nl, vh2);
        matt += lamp.color * (amount * (1.0 - (s.d0 + (s.d90 - s.d0) * graze)));
        shine += lamp.shine * (facets * (s.f0 + (s.f90 - s.f0) * graze));
    }
}

#ifdef SHEEN
// sheen_spec.h
struct Sheen {
    float inverse, albedo;
};

float sheen_albedo(float rough, float seen)
{
    float inverse = 1.0 / (rough + 0.1);
    float a = (-1.9362 + (1.0678 + 0.4573 * rough) * rough) - 0.8469 * inverse;
    float b = (-0.6014 + (0.5538 - 0.4670 * rough) * rough) - 0.1255 * inverse;
    return exp(min(a * seen + b, 0.0));
}

float sheen_facets(float inverse, float nl, float seen, float vh2)
{
    float both = nl + seen, nh2 = min((0.25 * (both * both)) / vh2, 1.0);
    float spread = max(1.0 - nh2, 0.0078125);
    float d = exp2((0.5 * inverse) * log2(spread)), v = 0.25 / max(both - nl * seen, 0.25);
    return ((1.0 + 0.5 * inverse) * d) * v;
}

Sheen sheen_here(Surface s)
{
    float rough = clamp(sheen_roughness * sheen_roughness_map().w, LEAST_SHEEN_ROUGHNESS, 1.0);
    return Sheen(1.0 / (rough * rough), sheen_albedo(rough, s.seen));
}

vec3 sheen_of_lamp(Sheen sheen, Surface s, Lamp lamp, vec3 to_light, float part)
{
    float nl = max(dot(s.n, to_light), 0.0), vh2 = half_squared(to_light, s.to_eye);
    return lamp.shine * ((nl * part) * sheen_facets(sheen.inverse, nl, s.seen, vh2));
}

// lamps: what they add.
vec3 with_sheen(vec3 color, Sheen sheen, Surface s, vec3 lamps)
{
    vec3 tint = sheen_color * sheen_color_map().xyz;
    vec3 sum = ambient_light(s.n) * (s.occlusion * sheen.albedo) + lamps;
    return color * (1.0 - max(max(tint.x, tint.y), tint.z) * sheen.albedo) + tint * sum;
}
#endif

#ifdef CLEARCOAT
Surface coat_here()
{
    Surface c;
    c.n = normal_here();
    float bumps = 0.0;
#ifdef HAS_CLEARCOAT_NORMAL_MAP
    vec4 texel = clearcoat_normal_map();
    c.n = mapped_normal(texel, clearcoat_normal_scale, c.n);
#if defined(COAT_SPREADS) && defined(TANGENTS) && !defined(FLAT)
    bumps = bumps_of(texel.w, clearcoat_normal_scale);
#endif
#endif
    c.to_eye = to_eye_here();
    c.nv = dot(c.n, c.to_eye);
    c.seen = max(c.nv, 0.0);
    set_roughness(c, clearcoat_roughness * clearcoat_roughness_map().y, curvature_here(), bumps);
    return c;
}

vec3 coat_of_lamp(Surface c, Lamp lamp, vec3 to_light, float part)
{
    float nl = max(dot(c.n, to_light), 0.0), vh2 = half_squared(to_light, c.to_eye);
    return lamp.shine * ((nl * part) * microfacets(c, nl, vh2));
}

// lamps: what they add.
vec3 coated(vec3 color, Surface c, vec3 lamps)
{
    vec2 brdf = environment_brdf(c.rough, c.seen);
    vec3 mirrored = mirrored_light(c.n, c.to_eye, c.nv, c.rough);
    float weight = clearcoat * clearcoat_map().x;
    float around = (0.04 * brdf.x + brdf.y) * (weight * openness_here());
    float part = weight * (0.04 + 0.96 * fifth_power(1.0 - c.seen));
    return (color * (1.0 - part) + lamps * part) + mirrored * around;
}
#endif

// Light from all around.
void add_ambient(Surface s, inout vec3 matt, inout vec3 shine)
{
    vec3 around = ambient_light(s.n) * s.occlusion;
    vec2 brdf = environment_brdf(s.rough, s.seen);
    vec3 once = s.f0 * brdf.x + s.f90 * brdf.y;
    float once_matt = s.d0 * brdf.x + s.d90 * brdf.y, kept = 1.0 - once_matt;
    shine += (once * mirrored_light(s.n, s.to_eye, s.nv, s.rough)) * s.occlusion;
#ifdef COMPENSATION
    kept -= compensation(vec3(s.d0), vec3(once_matt), brdf).x;
    shine += compensation(s.f0, once, brdf) * around;
#endif
    matt += around * kept;
}

vec3 lit_surface(vec3 base)
{
    Surface s = surface_here(base);
    vec3 position = position_here(), matt = vec3(0.0), shine = vec3(0.0);
#ifdef AMBIENT
    add_ambient(s, matt, shine);
#endif
#ifdef SHEEN
    Sheen sheen = sheen_here(s);
    vec3 sheen_lamps = vec3(0.0);
#endif
#ifdef CLEARCOAT
    Surface coat = coat_here();
    vec3 coat_lamps = vec3(0.0);
#endif
    for (int i = 0; i < lamp_count; i++) {
        Lamp lamp = lamp_at(i);
        vec4 a = arrival_of(lamp, position);
        float facing = dot(s.n, a.xyz);
#ifdef CLEARCOAT
        facing = max(facing, dot(coat.n, a.xyz));
#endif
        if (facing * a.w > 0.0) {
            float part = shadowed(lamp, position, a.w);
            add_lamp(s, lamp, a.xyz, part, matt, shine);
#ifdef SHEEN
            sheen_lamps += sheen_of_lamp(sheen, s, lamp, a.xyz, part);
#endif
#ifdef CLEARCOAT
            coat_lamps += coat_of_lamp(coat, lamp, a.xyz, part);
#endif
        }
    }
    vec3 color = s.diffuse * matt + shine;
#ifdef SHEEN
    color = with_sheen(color, sheen, s, sheen_lamps);
#endif
    color += emissive * emissive_map().xyz;
#ifdef CLEARCOAT
    color = coated(color, coat, coat_lamps);
#endif
    return color;
}

// What a matt surface reflects.
vec3 matt_light()
{
    vec3 n = normal_here(), position = position_here(), sum = ambient_light(n) * openness_here();
    for (int i = 0; i < lamp_count; i++) {
        Lamp lamp = lamp_at(i);
        vec4 a = arrival_of(lamp, position);
        if (lamp.fills) {
            sum += lamp.ambient * a.w;
        }
        sum += lamp.color * (max(dot(n, a.xyz), 0.0) * shadowed(lamp, position, a.w));
    }
    return sum;
}

float luminance(vec3 c)
{
    return (0.2126 * c.x + 0.7152 * c.y) + 0.0722 * c.z;
}

// Of the ground: the share that shadows take of all light.
float caught_shadow()
{
    vec3 n = normal_here(), position = position_here();
    float all = luminance(ambient_light(n)), lost = all - all * openness_here();
    for (int i = 0; i < lamp_count; i++) {
        Lamp lamp = lamp_at(i);
        vec4 a = arrival_of(lamp, position);
        float bright = luminance(lamp.color) * (max(dot(n, a.xyz), 0.0) * a.w);
        all += (lamp.fills ? luminance(lamp.ambient * a.w) : 0.0) + bright;
        lost += bright - shadowed(lamp, position, bright);
    }
    return clamp(lost / max(all, 1e-20), 0.0, 1.0);
}
