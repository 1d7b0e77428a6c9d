// encode.frag: resolved colours to those of the picture: exposure, tone map, background, sRGB:
// shade/shade_spec.c, raster/backdrop.c and raster/backplate.c.

uniform sampler2D source; // premultiplied, linear
uniform float exposure;
uniform vec4 background;      // linear, premultiplied
uniform vec4 background_srgb; // as it is written where nothing is drawn
uniform bool straight;        // the picture has alpha

out vec4 out_color;

#ifdef PLATE
uniform sampler2D plate; // a picture in place of the background, as it is written

vec3 decoded(vec3 x)
{
    return mix(x / 12.92, pow((x + 0.055) / 1.055, vec3(2.4)), greaterThan(x, vec3(0.04045)));
}
#endif

#ifdef BACKDROP
uniform vec3 ray0, ray_dx, ray_dy; // to the eye
#ifdef BLUR
uniform float blur;

// A texel of a level; beyond the border the map continues, mirrored about its edges' middles.
vec3 sky_texel(int level, ivec2 at)
{
    int side = environment_levels[level].y, size = side - 2;
    if (at.x < 0 || at.x > size + 1) {
        at = ivec2(at.x < 0 ? 1 - at.x : 2 * size + 1 - at.x, size + 1 - at.y);
    }
    if (at.y < 0 || at.y > size + 1) {
        at = ivec2(size + 1 - at.x, at.y < 0 ? 1 - at.y : 2 * size + 1 - at.y);
    }
    return fetch(environment, environment_levels[level].x + at.y * side + at.x).xyz;
}

// Weights of a cubic B-spline.
vec4 weights(float t)
{
    float rest = 1.0 - t;
    return vec4(rest * rest * rest, 4.0 + (3.0 * t - 6.0) * (t * t),
                4.0 + (3.0 * rest - 6.0) * (rest * rest), t * t * t) / 6.0;
}

vec3 smooth_level(int level, vec2 place)
{
    float half_side = 0.5 * float(environment_levels[level].y) - 1.0;
    vec2 at = place * half_side + (half_side + 0.5);
    ivec2 corner = ivec2(at) - 1;
    vec4 across = weights(fract(at.x)), down = weights(fract(at.y));
    vec3 sum = vec3(0.0);
    for (int y = 0; y < 4; y++) {
        for (int x = 0; x < 4; x++) {
            sum += sky_texel(level, corner + ivec2(x, y)) * (across[x] * down[y]);
        }
    }
    return sum;
}

vec3 seen_sky(vec3 d)
{
    float at = clamp(blur, 0.0, 1.0) * 8.0;
    int level = min(int(at), 7);
    vec2 place = environment_place(d);
    return mix(smooth_level(level, place), smooth_level(level + 1, place), at - float(level));
}
#elif defined(PICTURE)
uniform TABLE sky_picture;
uniform vec2 sky_size;

vec3 sky_texel(ivec2 at)
{
    return fetch(sky_picture, at.y * int(sky_size.x) + at.x).xyz;
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
    return (v * (v + ACES_ABOVE_0) - ACES_ABOVE_1) /
           (v * (ACES_BELOW_0 * v + ACES_BELOW_1) + ACES_BELOW_2);
}

vec3 aces(vec3 c)
{
    vec3 v = vec3(aces_curve(dot(c, vec3(ACES_IN_0))),
                  aces_curve(dot(c, vec3(ACES_IN_1))),
                  aces_curve(dot(c, vec3(ACES_IN_2))));
    return clamp(vec3(dot(v, vec3(ACES_OUT_0)),
                      dot(v, vec3(ACES_OUT_1)),
                      dot(v, vec3(ACES_OUT_2))), 0.0, 1.0);
}

vec3 neutral(vec3 c)
{
    float least = min(c.x, min(c.y, c.z));
    vec3 d = c - (least < NEUTRAL_DARK ? least - NEUTRAL_CURVE * (least * least) : NEUTRAL_F90);
    float peak = max(d.x, max(d.y, d.z));
    if (peak < NEUTRAL_START) {
        return d;
    }
    float mapped = 1.0 - NEUTRAL_SQUARE / (peak - NEUTRAL_SHIFT);
    float scale = 1.0 / (peak * (NEUTRAL_DESATURATION * (peak - mapped) + 1.0));
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
    vec4 written = background_srgb, behind = background;
#ifdef PLATE
    written = vec4(texelFetch(plate, ivec2(gl_FragCoord.xy), 0).xyz, 1.0);
    behind = written;
#ifdef ENCODED
    behind.xyz = decoded(written.xyz);
#endif
#endif
    if (alpha == 0.0) {
        out_color = written;
        return;
    }
    vec3 front = rgba.xyz;
#ifdef EXPOSED
    vec3 seen = clamp(rgba.xyz * (1.0 / alpha), 0.0, 65536.0) *
                (TONEMAP == 1 ? exposure / ACES_EXPOSURE : exposure);
#if TONEMAP == 1
    seen = aces(seen);
#elif TONEMAP == 2
    seen = neutral(seen);
#endif
    front = seen * alpha;
#endif
    float through = 1.0 - alpha, sum = straight ? rgba.w + through * behind.w : 1.0;
    vec3 color = (front + through * behind.xyz) * (sum > 0.0 ? 1.0 / sum : 0.0);
#ifdef ENCODED
    color = encoded(color);
#endif
    out_color = vec4(clamp(color, 0.0, 1.0), clamp(sum, 0.0, 1.0));
}
