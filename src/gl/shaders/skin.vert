// skin.vert: moves vertices, into a buffer: morph targets, then the joints' matrices (linear blend
// skinning) or rigid motions (dual quaternions). skin/skin_scalar.c says what is computed.

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
#ifdef TANGENTS
layout(location = 2) in vec4 tangent;
#endif

out vec4 world_position;
out vec4 world_normal; // of length one
out vec4 world_tangent;

uniform int has_skin;          // 0: all vertices use `rigids`
uniform TABLE rigids;          // four columns per part of the mesh
uniform bool cofactor_normals;
uniform UINT_TABLE ranges;     // per vertex: its first influence, their number, its part, 0
uniform TABLE influences;  // joint, weight
uniform TABLE palette;     // four columns a joint; of motions two quaternions
uniform TABLE scales;      // four columns a joint

#ifdef MORPHED
uniform UINT_TABLE morph_ranges;  // of each vertex: its first entry, and how many it has
uniform TABLE morph_entries;  // position and target, normal, tangent
uniform TABLE morph_weights;  // of targets
#endif

mat4 matrix_of(TABLE from, int joint)
{
    return mat4(fetch(from, 4 * joint), fetch(from, 4 * joint + 1),
                fetch(from, 4 * joint + 2), fetch(from, 4 * joint + 3));
}

mat4 blended(TABLE from, ivec2 range)
{
    vec2 first = fetch(influences, range.x).xy;
    mat4 sum = first.y * matrix_of(from, int(first.x));
    for (int i = 1; i < range.y; i++) {
        vec2 one = fetch(influences, range.x + i).xy;
        sum += one.y * matrix_of(from, int(one.x));
    }
    return sum;
}

#ifdef MOTIONS
// The sum of the motions, each on the first one's side, as a matrix: a division by the square of its
// length makes it one.
mat4 blended_motion(ivec2 range)
{
    vec2 first = fetch(influences, range.x).xy;
    vec4 side = fetch(palette, 2 * int(first.x));
    vec4 r = first.y * side, d = first.y * fetch(palette, 2 * int(first.x) + 1);
    for (int i = 1; i < range.y; i++) {
        vec2 one = fetch(influences, range.x + i).xy;
        vec4 real = fetch(palette, 2 * int(one.x));
        float w = dot(side, real) < 0.0 ? -one.y : one.y;
        r += w * real;
        d += w * fetch(palette, 2 * int(one.x) + 1);
    }
    float s = 2.0 / dot(r, r), x = r.x, y = r.y, z = r.z, w = r.w;
    mat4 m = mat4(1.0);
    m[0].xyz += s * vec3(-(y * y) - z * z, x * y + w * z, x * z - w * y);
    m[1].xyz += s * vec3(x * y - w * z, -(x * x) - z * z, y * z + w * x);
    m[2].xyz += s * vec3(x * z + w * y, y * z - w * x, -(x * x) - y * y);
    m[3].xyz = s * ((w * d.xyz - d.w * r.xyz) + cross(r.xyz, d.xyz));
    return m;
}
#endif

mat4 moves()
{
    ivec3 found = ivec3(fetch(ranges, gl_VertexID).xyz);
    ivec2 range = found.xy;
    if (has_skin == 0 || range.y == 0) {
        return matrix_of(rigids, found.z);
    }
#ifdef MOTIONS
#ifdef SCALES
    return blended_motion(range) * blended(scales, range);
#else
    return blended_motion(range);
#endif
#else
    return blended(palette, range);
#endif
}

void main()
{
    vec3 p = position, n = normal;
    vec4 t = vec4(0.0);
#ifdef TANGENTS
    t = tangent;
#endif
#ifdef MORPHED
    ivec2 range = ivec2(fetch(morph_ranges, gl_VertexID).xy);
    for (int i = 0; i < range.y; i++) {
        vec4 entry = fetch(morph_entries, 3 * (range.x + i));
        float weight = fetch(morph_weights, int(entry.w)).x;
        p += weight * entry.xyz;
        n += weight * fetch(morph_entries, 3 * (range.x + i) + 1).xyz;
        t.xyz += weight * fetch(morph_entries, 3 * (range.x + i) + 2).xyz;
    }
#endif
    mat4 m = moves();
    mat3 turned = mat3(m);
    world_position = vec4(turned * p + m[3].xyz, 1.0);
    if (cofactor_normals) {
        mat3 c = mat3(cross(m[1].xyz, m[2].xyz), cross(m[2].xyz, m[0].xyz),
                      cross(m[0].xyz, m[1].xyz));
        n = dot(m[0].xyz, c[0]) < 0.0 ? -(c * n) : c * n;
    } else {
        n = turned * n;
    }
    float largest = max(max(abs(n.x), abs(n.y)), abs(n.z));
    n = largest > 0.0 ? n / largest : vec3(0.0, 0.0, 1.0);
    world_normal = vec4(normalize(n), 0.0);
    world_tangent = vec4(turned * t.xyz, t.w);
}
