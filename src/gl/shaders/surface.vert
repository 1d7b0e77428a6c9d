// surface.vert: from the world to the screen, where vertices are snapped to 1/256 of a pixel
// (raster/front_scalar.c). Row 0 of the target is the top of the picture.

#ifdef GL_ES // each triangle has its own corners, so that they know its number
uniform UINT_TABLE indices;
uniform TABLE corners;
uniform ivec3 firsts;

flat out int primitive;
#else
layout(location = 0) in vec4 position;
#endif

uniform vec2 sample_offset; // of the sample that is drawn, from the pixel's centre, in pixels

void main()
{
#ifdef GL_ES
    int vertex = int(fetch(indices, firsts.x + gl_VertexID).x);
    vec4 position = fetch(corners, 3 * (firsts.y + vertex));
    primitive = gl_VertexID / 3;
#endif
    vec4 p = to_pixel(position.xyz); // x w, y w, z, w
    vec2 at = p.xy;
    if (is_inside(p)) {
        at = snapped(p) * p.w;
    }
    at = (at - sample_offset * p.w) * (2.0 / picture_size) - p.w;
#ifdef DEPTH_HALVED
    gl_Position = vec4(at, 2.0 * p.z - p.w, p.w); // no GL_ARB_clip_control
#else
    gl_Position = vec4(at, p.z, p.w);
#endif
}
