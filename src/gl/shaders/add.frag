// add.frag: a texture as it is, times a factor: for sums of samples, and layers over what is behind.

uniform sampler2D source;
uniform float factor;

out vec4 out_color;

void main()
{
    out_color = texelFetch(source, ivec2(gl_FragCoord.xy), 0) * factor;
}
