// encode.frag: resolved colours to those of the picture: exposure, tone map, background, sRGB:
// raster/shade_spec.c and backdrop.c.

uniform sampler2D source; // premultiplied, linear
uniform float exposure;
uniform vec4 background;      // linear, premultiplied
uniform vec4 background_srgb; // as it is written where nothing is drawn
uniform bool straight;        // the picture has alpha

out vec4 out_color;

#ifdef BACKDROP
uniform vec3 ray0, ray_dx, ray_dy; // to the eye
#ifdef PICTURE
uniform samplerBuffer sky_picture;
uniform vec2 sky_size;

vec3 sky_texel(ivec2 at)
{
    return texelFetch(sky_picture, at.y * int(sky_size.x) + at.x).xyz;
}

vec3 seen_sky(vec3 d)
{
    const float PI = 3.14159265358979;
    float column = (0.5 + atan(d.z, d.x) / (2.0 * PI)) * sky_size.x - 0.5;
    float row = acos(clamp(d.y / length(d), -1.0, 1.0)) * (sky_size.y / PI) - 0.5;
    column = clamp(column, -0.5, sky_size.x - 0.5);
    row = clamp(row, 0.0, sky_size.y - 1.0);
    vec2 corner = floor(vec2(column, row)), part = vec2(column, row) - corner;
    int left = corner.x < 0.0 ? int(sky_size.x) - 1 : int(corner.x);
    int right = left + 1 < int(sky_size.x) ? left + 1 : 0;
    int upper = int(corner.y), lower = min(upper + 1, int(sky_size.y) - 1);
    return mix(mix(sky_texel(ivec2(left, upper)), sky_texel(ivec2(right, upper)), part.x),
               mix(sky_texel(ivec2(left, lower)), sky_texel(ivec2(right, lower)), part.x), part.y);
}
#else
vec3 seen_sky(vec3 d)
{
    return environment_tap(0, environment_place(d));
}
#endif

vec3 backdrop()
{
    vec2 at = gl_FragCoord.xy;
    vec3 away = world_to_environment * -((at.x * ray_dx + at.y * ray_dy) + ray0);
    return clamp(seen_sky(away) * environment_intensity, 0.0, 65536.0);
}
#endif

float aces_curve(float v)
{
    return (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.432951) + 0.238081);
}

// Hill's fit: rows of his matrices.
vec3 aces(vec3 c)
{
    vec3 v = vec3(aces_curve(dot(c, vec3(0.59719, 0.35458, 0.04823))),
                  aces_curve(dot(c, vec3(0.07600, 0.90834, 0.01566))),
                  aces_curve(dot(c, vec3(0.02840, 0.13383, 0.83777))));
    return clamp(vec3(dot(v, vec3(1.60475, -0.53108, -0.07367)),
                      dot(v, vec3(-0.10208, 1.10813, -0.00605)),
                      dot(v, vec3(-0.00327, -0.07276, 1.07602))), 0.0, 1.0);
}

// Khronos PBR Neutral.
vec3 neutral(vec3 c)
{
    float least = min(c.x, min(c.y, c.z));
    vec3 d = c - (least < 0.08 ? least - 6.25 * (least * least) : 0.04);
    float peak = max(d.x, max(d.y, d.z));
    if (peak < 0.76) {
        return d;
    }
    float mapped = 1.0 - 0.0576 / (peak - 0.52);
    float scale = 1.0 / (peak * (0.15 * (peak - mapped) + 1.0));
    return d * (mapped * scale) + mapped * (1.0 - peak * scale);
}

vec3 encoded(vec3 x)
{
    x = clamp(x, 0.0, 1.0);
    return mix(12.92 * x, 1.055 * pow(max(x, 1e-9), vec3(1.0 / 2.4)) - 0.055,
               greaterThan(x, vec3(0.0031308)));
}

void main()
{
    vec4 rgba = texelFetch(source, ivec2(gl_FragCoord.xy), 0);
    float alpha = clamp(rgba.w, 0.0, 1.0);
#ifdef BACKDROP
    rgba = vec4(rgba.xyz + (1.0 - alpha) * backdrop(), 1.0);
    alpha = 1.0;
#endif
    if (alpha == 0.0) {
        out_color = background_srgb;
        return;
    }
    vec3 front = rgba.xyz;
#ifdef EXPOSED
    vec3 seen = clamp(rgba.xyz * (1.0 / alpha), 0.0, 65536.0) *
                (TONEMAP == 1 ? exposure / 0.6 : exposure);
#if TONEMAP == 1
    seen = aces(seen);
#elif TONEMAP == 2
    seen = neutral(seen);
#endif
    front = seen * alpha;
#endif
    float through = 1.0 - alpha, sum = straight ? rgba.w + through * background.w : 1.0;
    vec3 color = (front + through * background.xyz) * (sum > 0.0 ? 1.0 / sum : 0.0);
#ifdef ENCODED
    color = encoded(color);
#endif
    out_color = vec4(clamp(color, 0.0, 1.0), clamp(sum, 0.0, 1.0));
}
