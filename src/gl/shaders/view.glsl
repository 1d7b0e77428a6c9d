// view.glsl: from the world to pixels.

uniform mat4 world_to_pixel; // to (x w, y w, z, w), x and y in pixels from the top left
uniform vec2 picture_size;

const float GUARD = 16384.0; // pixels

vec4 to_pixel(vec3 p)
{
    return (world_to_pixel[0] * p.x + world_to_pixel[2] * p.z) +
           (world_to_pixel[1] * p.y + world_to_pixel[3]);
}

// Neither beyond the near or far plane nor outside of the guard band.
bool is_inside(vec4 p)
{
    return p.z >= 0.0 && p.z <= p.w && abs(p.x) <= GUARD * p.w && abs(p.y) <= GUARD * p.w &&
           p.w > 1e-30 && p.w <= 1e30;
}

vec2 snapped(vec4 p)
{
    return floor(p.xy / p.w * 256.0 + 0.5) * (1.0 / 256.0);
}
