/* light_kernel.h: what surfaces reflect of the lights; included by shade_kernel.h, compiled once an
 * instruction set.
 */

typedef struct vec3 {
    vf x, y, z;
} vec3;

LANE_INLINE vf dot(vec3 a, vec3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

/* The zero vector stays what it is. */
LANE_INLINE vec3 normalize(vec3 v)
{
    vf scale = 1.0f / vf_sqrt(vf_max(dot(v, v), vf_set(1e-30f)));
    return (vec3){v.x * scale, v.y * scale, v.z * scale};
}

LANE_INLINE void add_light(vec3 *sum, const float color[3], vf amount)
{
    sum->x += amount * color[0];
    sum->y += amount * color[1];
    sum->z += amount * color[2];
}

/* The light that a matt white surface reflects: hemisphere and lights. */
LANE_INLINE vec3 diffuse_light(const mrw_lighting *lighting, vec3 n)
{
    const float *up = lighting->up, *sky = lighting->sky, *ground = lighting->ground;
    vf above = 0.5f + 0.5f * ((n.x * up[0] + n.y * up[1]) + n.z * up[2]);
    vec3 sum = {ground[0] + above * (sky[0] - ground[0]), ground[1] + above * (sky[1] - ground[1]),
                ground[2] + above * (sky[2] - ground[2])};
    for (uint32_t i = 0; i < lighting->light_count; i++) {
        const float *l = lighting->lights[i].to_light;
        vf cosine = (n.x * l[0] + n.y * l[1]) + n.z * l[2];
        add_light(&sum, lighting->lights[i].color, vf_max(cosine, vf_set(0.0f)));
    }
    return sum;
}

/* How often to square cos^2 for the exponent: -1 stands for a square root. */
static int highlight_squarings(float shininess)
{
    int squarings = -1;
    for (float power = 1.0f; power < shininess && squarings < 6; power *= 2.0f) {
        squarings++;
    }
    return squarings;
}

/* cos^2 whose power is 2^-32, by number of squarings: smaller ones are taken as that, because the
 * power would run through denormals, which cost hundreds of cycles. */
static const float darkest_highlight[7] = {0x1p-32f, 0x1p-16f, 0x1p-8f,    0x1p-4f,
                                           0x1p-2f,  0x1p-1f,  0.70710678f};

/* (N.H)^shininess with H = (L + V) / |L + V|: the square of the cosine needs no root. */
LANE_INLINE vf highlight(vec3 n, vec3 v, const float l[3], int squarings)
{
    vec3 h = {l[0] + v.x, l[1] + v.y, l[2] + v.z};
    vf nh = vf_max(dot(n, h), vf_set(0.0f));
    vf power = (nh * nh) / vf_max(dot(h, h), vf_set(1e-30f));
    if (squarings < 0) {
        return vf_sqrt(power);
    }
    power = vf_max(power, vf_set(darkest_highlight[squarings]));
    for (int i = 0; i < squarings; i++) {
        power = power * power;
    }
    return power;
}

LANE_INLINE vec3 specular_light(const mrwi_raster_shade_frame *frame, vec3 n, vf x, vf y,
                                int squarings)
{
    const float *r = frame->ray0, *dx = frame->ray_dx, *dy = frame->ray_dy;
    vec3 v = normalize((vec3){(x * dx[0] + y * dy[0]) + r[0], (x * dx[1] + y * dy[1]) + r[1],
                              (x * dx[2] + y * dy[2]) + r[2]});
    vec3 sum = {vf_set(0.0f), vf_set(0.0f), vf_set(0.0f)};
    for (uint32_t i = 0; i < frame->lighting.light_count; i++) {
        const mrw_light *light = &frame->lighting.lights[i];
        if (light->specular <= 0.0f) {
            continue;
        }
        const float *l = light->to_light;
        vf cosine = (n.x * l[0] + n.y * l[1]) + n.z * l[2];
        vf amount = highlight(n, v, l, squarings) * light->specular;
        vi faces = vf_less(vf_set(0.0f), cosine);
        add_light(&sum, light->color, vf_from_bits(vf_bits(amount) & faces));
    }
    return sum;
}

/* Base colours, lit. */
LANE_INLINE vf4 light_lanes(const mrwi_raster_shade_frame *frame, const group *g,
                            const point_list *points, vf4 c, int squarings, uint32_t i)
{
    const float(*normal)[BLOCK_PADDED] = points->normal;
    vec3 n =
        normalize((vec3){vf_load(normal[0] + i), vf_load(normal[1] + i), vf_load(normal[2] + i)});
    vec3 diffuse = diffuse_light(&frame->lighting, n);
    c = (vf4){c.x * diffuse.x, c.y * diffuse.y, c.z * diffuse.z, c.w};
    if (frame->shading != MRW_SHADING_LIT) {
        return c;
    }
    vec3 specular = specular_light(frame, n, vf_load(g->x + i), vf_load(g->y + i), squarings);
    return (vf4){c.x + specular.x, c.y + specular.y, c.z + specular.z, c.w};
}
