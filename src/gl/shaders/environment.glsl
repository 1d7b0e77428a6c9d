// environment.glsl: looking an environment up: shade/environment_spec.h.

uniform TABLE environment;
uniform vec3 environment_diffuse[9];
uniform ivec2 environment_levels[9]; // first texel, texels a side with the border
uniform mat3 world_to_environment;
uniform float environment_intensity;

// On the unfolded octahedron, -1 ... 1.
vec2 environment_place(vec3 r)
{
    vec3 p = r * (1.0 / max((abs(r.x) + abs(r.y)) + abs(r.z), 1e-30));
    vec2 folded = vec2(p.x < 0.0 ? abs(p.z) - 1.0 : 1.0 - abs(p.z),
                       p.z < 0.0 ? abs(p.x) - 1.0 : 1.0 - abs(p.x));
    return clamp(p.y < 0.0 ? folded : p.xz, -1.0, 1.0);
}

vec3 environment_tap(int level, vec2 place)
{
    int first = environment_levels[level].x, side = environment_levels[level].y;
    float half_side = 0.5 * float(side) - 1.0;
    vec2 at = place * half_side + (half_side + 0.5);
    ivec2 corner = ivec2(at);
    vec2 part = at - vec2(corner);
    int texel = first + corner.y * side + corner.x;
    vec3 above = mix(fetch(environment, texel).xyz, fetch(environment, texel + 1).xyz,
                     part.x);
    vec3 below = mix(fetch(environment, texel + side).xyz,
                     fetch(environment, texel + side + 1).xyz, part.x);
    return mix(above, below, part.y);
}
