// texture.glsl: maps, filtered as shade/shade_spec.c and aniso_spec.h say: the same levels, the same
// level of detail, the same weights. Which maps there are, and their textures, maps.c says.

// Wrap across, wrap down, minify + 8 for nearest, set of coordinates.
uniform ivec4 map_modes[MAP_COUNT];
// Of level 0: width, height; the last level; the first that is kept.
uniform ivec4 map_sizes[MAP_COUNT];
// Where levels lie in the picture, of the first that is kept: its width and height, and a power of two.
uniform ivec3 map_plans[MAP_COUNT];
uniform mat2x3 map_moves[MAP_COUNT]; // of coordinates: rows

const int WRAP_REPEAT = 0, WRAP_MIRROR = 2;

float wrapped(float u, int mode)
{
    if (mode != WRAP_REPEAT && mode != WRAP_MIRROR) {
        return clamp(u, 0.0, 1.0);
    }
    u = clamp(u, -4194304.0, 4194304.0);
    if (mode == WRAP_REPEAT) {
        return u - floor(u);
    }
    float t = u - 2.0 * floor(u * 0.5);
    return min(t, 2.0 - t);
}

vec2 wrapped(vec2 uv, ivec2 mode)
{
    return vec2(wrapped(uv.x, mode.x), wrapped(uv.y, mode.y));
}

// The two texels of an axis, and the weight of the second.
vec3 place_on_axis(float t, float size, int mode, bool nearest)
{
    if (nearest) {
        float own = min(floor(t * size), size - 1.0);
        return vec3(own, own, 0.0);
    }
    float x = t * size - 0.5;
    if (mode != WRAP_REPEAT) {
        x = min(max(x, 0.0), size - 1.0);
    }
    float whole_part = floor(x), first = whole_part < 0.0 ? whole_part + size : whole_part;
    return vec3(first, first + 1.0 < size ? first + 1.0 : 0.0, x - whole_part);
}

// All levels lie in one picture: the first at its top left, the others below it. (Drivers may take one
// level for four fragments; which is asked for here is each fragment's own.)
vec4 sample_level(sampler2D map, ivec3 plan, ivec2 wrap, int level, vec2 uv, bool nearest)
{
    ivec2 corner = level == 0 ? ivec2(0) : ivec2(plan.z - (plan.z >> (level - 1)), plan.y);
    vec2 size = vec2(max(plan.xy >> level, ivec2(1)));
    vec3 x = place_on_axis(uv.x, size.x, wrap.x, nearest);
    vec3 y = place_on_axis(uv.y, size.y, wrap.y, nearest);
    ivec2 a = corner + ivec2(x.x, y.x), b = corner + ivec2(x.y, y.y);
    if (nearest) {
        return texelFetch(map, a, 0);
    }
    vec4 left = mix(texelFetch(map, a, 0), texelFetch(map, ivec2(a.x, b.y), 0), y.z);
    vec4 right = mix(texelFetch(map, ivec2(b.x, a.y), 0), texelFetch(map, b, 0), y.z);
    return mix(left, right, x.z);
}

// Of map k; levels that are not kept are never asked for.
vec4 sample_level(sampler2D map, int k, int level, vec2 uv, bool nearest)
{
    int kept = map_sizes[k].w;
    return sample_level(map, map_plans[k], map_modes[k].xy, max(level, kept) - kept, uv, nearest);
}

vec4 sample_trilinear(sampler2D map, int k, vec2 uv, float footprint)
{
    int last = map_sizes[k].z, minify = map_modes[k].z & 7;
    bool snaps = (minify & 1) != 0;
    float lod = 0.5 * log2(footprint);
    if (minify >= 4) {
        lod = 0.0;
    } else if (minify == 2 || minify == 3) {
        lod = floor(lod + 0.5);
    }
    int fine = int(lod);
    float coarse_share = lod - float(fine);
    vec4 a = sample_level(map, k, min(fine, last), uv, snaps);
    if (coarse_share == 0.0) {
        return a;
    }
    vec4 b = sample_level(map, k, min(fine + 1, last), uv, snaps);
    return mix(a, b, coarse_share);
}

// The square of the longer side of a footprint, whose columns are steps to the right and down.
float footprint_of(mat2 d)
{
    return clamp(max(dot(d[0], d[0]), dot(d[1], d[1])), 1.0, 1152921504606846976.0);
}

#if FILTER == 3
vec4 sample_probe(sampler2D map, int k, vec2 at, float footprint)
{
    vec2 uv = wrapped(at, map_modes[k].xy);
    return footprint > 1.0 ? sample_trilinear(map, k, uv, footprint)
                           : sample_level(map, k, 0, uv, map_modes[k].z >= 8);
}

vec4 sample_aniso(sampler2D map, int k, vec2 uv, mat2 d)
{
    d = mat2(clamp(d[0], -268435456.0, 268435456.0), clamp(d[1], -268435456.0, 268435456.0));
    float ux = d[0].x, vx = d[0].y, uy = d[1].x, vy = d[1].y;
    float e = ux * ux + uy * uy, f = 2.0 * (ux * vx + uy * vy), g = vx * vx + vy * vy;
    float differ = e - g, root = sqrt(differ * differ + f * f);
    float major = 0.5 * ((e + g) + root), det = ux * vy - uy * vx;
    float minor = max(max(major > 0.0 ? det * det / major : 0.0, 1.0), major * (1.0 / 256.0));
    float ratio = sqrt(clamp(major / minor, 1.0, 256.0));
    vec2 along = vec2(differ < 0.0 ? f : differ + root, differ < 0.0 ? root - differ : f);
    float square = dot(along, along);
    along *= square > 0.0 ? sqrt(major / square) : 0.0;
    along /= vec2(map_sizes[k].xy);
    float count = floor(ratio + 0.875), apart = 1.0 / count;
    vec4 sum = vec4(0.0);
    for (float i = 0.0; i < count; i += 1.0) {
        vec2 at = uv + ((i + 0.5) * apart - 0.5) * along;
        vec4 probe = sample_probe(map, k, at, minor);
        sum = i > 0.0 ? mix(sum, probe, 1.0 / (i + 1.0)) : probe;
    }
    return sum;
}
#endif

vec2 moved_uv(int v, int k)
{
    return vec3(corner_uv(v, map_modes[k].w), 1.0) * map_moves[k];
}

// What the fragment sees of map k.
vec4 sample_map(sampler2D map, int k)
{
    vec2 a = moved_uv(vertex.x, k), b = moved_uv(vertex.y, k), c = moved_uv(vertex.z, k);
    vec2 uv = mixed(a, b, c), at = wrapped(uv, map_modes[k].xy);
    bool nearest = FILTER == 0, magnified_nearest = map_modes[k].z >= 8;
#if FILTER != 0
    // u' = sum of slopes times (u_i - u), over the whole (Heckbert 1989, 3.5.2)
    vec2 da = a - uv, db = b - uv, dc = c - uv;
    vec2 scale = vec2(map_sizes[k].xy) / whole;
    mat2 d = mat2((slope_x.x * da + (slope_x.y * db + slope_x.z * dc)) * scale,
                  (slope_y.x * da + (slope_y.y * db + slope_y.z * dc)) * scale);
#if FILTER == 3
    return sample_aniso(map, k, uv, d);
#else
    float footprint = footprint_of(d);
#if FILTER == 2
    if (footprint > 1.0) {
        return sample_trilinear(map, k, at, footprint);
    }
#endif
    nearest = magnified_nearest && footprint <= 1.0;
#endif
#endif
    return sample_level(map, k, 0, at, nearest);
}
