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

LANE_INLINE vec3 normal_at(const point_list *points, uint32_t i)
{
    const float(*normal)[BLOCK_PADDED] = points->normal;
    return normalize(
        (vec3){vf_load(normal[0] + i), vf_load(normal[1] + i), vf_load(normal[2] + i)});
}

/* Colours of a matt surface, in the place of its base colours. */
LANE_INLINE vec3 matt_color(const mrwi_raster_shade_frame *frame, const color_list *colors, vec3 n,
                            uint32_t i)
{
    const float(*channel)[BLOCK_PADDED] = colors->channel;
    const vec3 diffuse = diffuse_light(&frame->lighting, n);
    return (vec3){vf_load(channel[0] + i) * diffuse.x, vf_load(channel[1] + i) * diffuse.y,
                  vf_load(channel[2] + i) * diffuse.z};
}

LANE_INLINE void store_lit(color_list *colors, uint32_t i, vec3 c)
{
    vf_store(colors->channel[0] + i, c.x);
    vf_store(colors->channel[1] + i, c.y);
    vf_store(colors->channel[2] + i, c.z);
}

/* ---- the stages ------------------------------------------------------------------------------ */

STAGE void light_lambert(const work *w, block *b)
{
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vec3 n = normal_at(&b->points, i);
        store_lit(colors_of(b), i, matt_color(w->frame, colors_of(b), n, i));
    }
}

STAGE void light_blinn_phong(const work *w, block *b)
{
    const int squarings = highlight_squarings(w->state->material->shininess);
    const float *x = w->g->other_x ? b->points.x : w->g->x;
    const float *y = w->g->other_y ? b->points.y : w->g->y;
    const uint32_t count = w->g->count;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vec3 n = normal_at(&b->points, i);
        const vec3 matt = matt_color(w->frame, colors_of(b), n, i);
        const vec3 shine = specular_light(w->frame, n, vf_load(x + i), vf_load(y + i), squarings);
        store_lit(colors_of(b), i, (vec3){matt.x + shine.x, matt.y + shine.y, matt.z + shine.z});
    }
}
