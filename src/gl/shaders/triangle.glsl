// triangle.glsl: where a fragment lies in its triangle, and attributes there: shade/shade_spec.c.
//
// Corners are looked up, so that attributes and their slopes are the same wherever a fragment is
// shaded: at the pixel's centre, or at the first sample that the triangle covers.

uniform UINT_TABLE indices; // of the draw's triangles, one after another
uniform TABLE corners;  // of each vertex its position, normal and tangent
uniform TABLE colors;
uniform TABLE uvs;      // two sets of coordinates a texel, uv_texels of them a vertex
uniform int uv_texels;
uniform ivec3 firsts;           // of the draw in indices, corners and uvs (in vertices)
uniform int first_color;        // in vertices
uniform int sample_count;
uniform vec2 sample_offsets[8]; // from the pixel's centre, in pixels
uniform vec2 sample_offset;     // of the one that is drawn
uniform bool mirrored;
uniform bool flat_draw;

#ifdef GL_ES
flat in int primitive; // ES 3.0 does not number triangles: surface.vert does
#else
#define primitive gl_PrimitiveID
#endif

ivec3 vertex;      // numbers of the corners
vec3 p0, p1, p2;   // in the world
vec4 s0, s1, s2;   // on the screen: x, y, w, and 1 where it is divided by w and snapped; else 0
vec2 where;        // in pixels: where the fragment is shaded
bool back;         // the back side is seen
vec3 share;        // of the corners, in what is interpolated
vec3 slope_x, slope_y; // of the shares, times `whole`
float whole;       // their sum before they are shares

vec4 on_screen(vec3 p)
{
    vec4 q = to_pixel(p);
    return is_inside(q) ? vec4(snapped(q), q.w, 1.0) : vec4(q.xyw, 0.0);
}

// x w, y w, w, counted from a place: near it no digits are lost.
vec3 relative(vec4 s, vec2 at)
{
    return s.w == 1.0 ? vec3((s.xy - at) * s.z, s.z) : vec3(s.xy - at * s.z, s.z);
}

// The cross product of two vectors of whole 1/256 pixels, in square pixels: in integers where they
// are short, as slivers would lose all digits.
float area_of(vec2 a, vec2 b)
{
    vec4 size = abs(vec4(a, b));
    if (max(max(size.x, size.y), max(size.z, size.w)) < 127.0) {
        ivec2 p = ivec2(a * 256.0), q = ivec2(b * 256.0);
        return float(p.x * q.y - q.x * p.y) * (1.0 / 65536.0);
    }
    return a.x * b.y - b.x * a.y;
}

// A corner's share, perspective included, is the area of the part of the triangle opposite to it over
// its w (Heckbert 1989, 2.3). Of triangles that would have to be cut, corners are taken as (x w, y w,
// w), which comes to the same wherever they lie (Blinn, "A Trip Down the Graphics Pipeline", 1996).
void set_place(vec2 at)
{
    vec3 parts;
    where = at;
    if (s0.w + s1.w + s2.w == 3.0) {
        vec2 a = s0.xy - at, b = s1.xy - at, c = s2.xy - at;
        vec3 k = 1.0 / vec3(s0.z, s1.z, s2.z);
        parts = vec3(area_of(b, c), area_of(c, a), area_of(a, b)) * k;
        slope_x = vec3(b.y - c.y, c.y - a.y, a.y - b.y) * k;
        slope_y = vec3(c.x - b.x, a.x - c.x, b.x - a.x) * k;
    } else {
        vec3 a = relative(s0, at), b = relative(s1, at), c = relative(s2, at);
        parts = vec3(b.x * c.y - c.x * b.y, c.x * a.y - a.x * c.y, a.x * b.y - b.x * a.y);
        slope_x = vec3(c.z * b.y - b.z * c.y, a.z * c.y - c.z * a.y, b.z * a.y - a.z * b.y);
        slope_y = vec3(b.z * c.x - c.z * b.x, c.z * a.x - a.z * c.x, a.z * b.x - b.z * a.x);
    }
    whole = parts.x + (parts.y + parts.z);
    share = clamp(parts / whole, 0.0, 1.0);
    // Counted with y down, a positive area is one that turns clockwise.
    back = mirrored ? whole < 0.0 : whole > 0.0;
}

// Top-left rule (Direct3D 11, 3.4.2.1), y down: of a positive area left edges go up, top ones right.
bool inside(vec2 from, vec2 to, vec2 at, float turn)
{
    vec2 edge = to - from;
    float part = turn * area_of(edge, at - from);
    bool left = turn * edge.y < 0.0, top = edge.y == 0.0 && turn * edge.x > 0.0;
    return part > 0.0 || (part == 0.0 && (left || top));
}

bool covers(vec2 at)
{
    if (s0.w + s1.w + s2.w < 3.0) { // it is cut: near enough
        vec3 a = relative(s0, at), b = relative(s1, at), c = relative(s2, at);
        vec3 parts = vec3(b.x * c.y - c.x * b.y, c.x * a.y - a.x * c.y, a.x * b.y - b.x * a.y);
        float sum = parts.x + (parts.y + parts.z);
        return all(greaterThanEqual(parts * sign(sum), vec3(0.0)));
    }
    float turn = area_of(s1.xy - s0.xy, s2.xy - s0.xy) < 0.0 ? -1.0 : 1.0;
    return inside(s0.xy, s1.xy, at, turn) && inside(s1.xy, s2.xy, at, turn) &&
           inside(s2.xy, s0.xy, at, turn);
}

#ifdef IDS
uniform uint draw_id;         // of the first part
uniform UINT_TABLE triangles; // per triangle: its part, and its number within the part
uniform int sample_number;    // that is drawn
uniform usampler2DArray seen; // of the samples before it, or of all: draw and triangle

uvec2 own_id;

uvec2 seen_at(int i)
{
    return texelFetch(seen, ivec3(ivec2(gl_FragCoord.xy), i), 0).xy;
}

#endif

void begin_fragment()
{
    int first = firsts.x + 3 * primitive;
    vertex = ivec3(fetch(indices, first).x, fetch(indices, first + 1).x,
                   fetch(indices, first + 2).x);
    p0 = fetch(corners, 3 * (firsts.y + vertex.x)).xyz;
    p1 = fetch(corners, 3 * (firsts.y + vertex.y)).xyz;
    p2 = fetch(corners, 3 * (firsts.y + vertex.z)).xyz;
    s0 = on_screen(p0);
    s1 = on_screen(p1);
    s2 = on_screen(p2);
#ifdef IDS
    own_id = fetch(triangles, primitive).xy + uvec2(draw_id, 0u);
#endif
}

#ifdef IDS
// The first sample that the triangle has won; those are drawn one after another.
vec2 first_sample(vec2 centre)
{
    for (int i = 0; i < sample_number; i++) {
        if (seen_at(i) == own_id) {
            return centre + sample_offsets[i];
        }
    }
    return centre + sample_offset;
}
#else
vec2 first_sample(vec2 centre)
{
    for (int i = 0; i < sample_count; i++) {
        if (covers(centre + sample_offsets[i])) {
            return centre + sample_offsets[i];
        }
    }
    return centre + sample_offset;
}
#endif

// The pixel's centre where it is covered, else the first sample of the triangle.
void place_fragment()
{
    vec2 centre = floor(gl_FragCoord.xy) + 0.5;
    set_place(sample_count > 1 && !covers(centre) ? first_sample(centre) : centre);
}

#ifdef FOUND
// A masked fragment that has not all of its pixel is shaded at the first sample that it has won: the
// centre may be a hole, whose colour nobody means to be seen.
void place_masked()
{
    vec2 centre = floor(gl_FragCoord.xy) + 0.5;
    bool whole_pixel = true;
    for (int i = 0; i < sample_count; i++) {
        whole_pixel = whole_pixel && seen_at(i) == own_id;
    }
    set_place(whole_pixel ? centre : first_sample(centre));
}
#endif

// Of the sample that is drawn, linear on the screen and within the corners' depths. Drivers evaluate
// planes from the picture's corner: at steep slivers, which silhouettes are made of, no digit is right
// then, and what lies behind is seen.
float depth_here()
{
    vec2 at = floor(gl_FragCoord.xy) + 0.5 + sample_offset;
    vec4 q0 = to_pixel(p0), q1 = to_pixel(p1), q2 = to_pixel(p2);
    if (s0.w + s1.w + s2.w < 3.0) {
        vec3 a = relative(s0, at), b = relative(s1, at), c = relative(s2, at);
        vec3 parts = vec3(b.x * c.y - c.x * b.y, c.x * a.y - a.x * c.y, a.x * b.y - b.x * a.y);
        return clamp(dot(parts, vec3(q0.z, q1.z, q2.z)) / dot(parts, vec3(q0.w, q1.w, q2.w)), 0.0,
                     1.0);
    }
    vec2 a = s0.xy - at, b = s1.xy - at, c = s2.xy - at;
    vec3 parts = vec3(area_of(b, c), area_of(c, a), area_of(a, b));
    vec3 z = vec3(q0.z / q0.w, q1.z / q1.w, q2.z / q2.w);
    float sum = parts.x + (parts.y + parts.z);
    float here = z.x + ((parts.y / sum) * (z.y - z.x) + (parts.z / sum) * (z.z - z.x));
    return clamp(here, min(z.x, min(z.y, z.z)), max(z.x, max(z.y, z.z)));
}

float mixed(vec3 a)
{
    return a.x + (share.y * (a.y - a.x) + share.z * (a.z - a.x));
}
vec2 mixed(vec2 a, vec2 b, vec2 c)
{
    return a + (share.y * (b - a) + share.z * (c - a));
}
vec3 mixed(vec3 a, vec3 b, vec3 c)
{
    return a + (share.y * (b - a) + share.z * (c - a));
}
vec4 mixed(vec4 a, vec4 b, vec4 c)
{
    return a + (share.y * (b - a) + share.z * (c - a));
}

// What x * scale is where that is no zero vector.
vec3 unit(vec3 v)
{
    return v * inversesqrt(max(dot(v, v), 1e-30));
}

vec4 corner_color(int v)
{
    return fetch(colors, first_color + v);
}
vec4 color_here()
{
    return mixed(corner_color(vertex.x), corner_color(vertex.y), corner_color(vertex.z));
}

vec3 corner_normal(int v)
{
    return fetch(corners, 3 * (firsts.y + v) + 1).xyz;
}

// Of the front.
vec3 face_normal()
{
    vec3 n = unit(cross(unit(p1 - p0), unit(p2 - p0)));
    return mirrored ? -n : n;
}

// Of the seen side.
vec3 normal_here()
{
    float seen = back ? -1.0 : 1.0;
#ifdef FLAT
    return unit(face_normal() * seen);
#else
    if (flat_draw) {
        return unit(face_normal() * seen);
    }
    return unit(mixed(corner_normal(vertex.x), corner_normal(vertex.y), corner_normal(vertex.z)) *
                seen);
#endif
}

vec4 tangent_here()
{
    return mixed(fetch(corners, 3 * (firsts.y + vertex.x) + 2),
                 fetch(corners, 3 * (firsts.y + vertex.y) + 2),
                 fetch(corners, 3 * (firsts.y + vertex.z) + 2));
}

vec3 position_here()
{
    return mixed(p0, p1, p2);
}

vec2 corner_uv(int v, int set)
{
    vec4 both = fetch(uvs, (firsts.z + v) * uv_texels + set / 2);
    return (set & 1) == 0 ? both.xy : both.zw;
}
