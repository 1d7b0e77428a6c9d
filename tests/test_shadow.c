/* test_shadow.c: shadows: against rays in double precision, where nothing may shade itself, where
 * surfaces touch, and maps that must stand still. */
#include "scene_fixture.h"

#include "frame/frame.h"

#include <marrow/frame.h>
#include <marrow/load.h>

#define SIDE   200
#define EXTENT 2.0f /* half of what the camera sees */
#define SIZE   512  /* of shadow maps */

/* ---- a stage --------------------------------------------------------------------------------- */

typedef struct stage {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
    mrw_frame_def def;
    mrw_light_def light;
} stage;

static void add_drawn(mrwi_scene_builder *b, const mrwi_scene_mesh_input *mesh)
{
    const uint32_t index = add_mesh(b, mesh);
    ck_assert_int_eq(
        mrwi_scene_builder_draw(b, add_node(b, "node", MRW_NONE), index, MRW_NONE, NULL), MRW_OK);
}

/* A rectangle from three of its corners, in `material`. */
static void add_rectangle(mrwi_scene_builder *b, const double o[3], const double u[3],
                          const double v[3], uint32_t material)
{
    static const int corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    float positions[18];
    for (int i = 0; i < 18; i++) {
        const int k = i % 3;
        positions[i] =
            (float)(o[k] + (u[k] - o[k]) * corners[i / 3][0] + (v[k] - o[k]) * corners[i / 3][1]);
    }
    add_drawn(
        b, &(mrwi_scene_mesh_input){
               .material = material, .vertex_count = 6, .index_count = 6, .positions = positions});
}

static uint32_t white(mrwi_scene_builder *b)
{
    mrw_material in = mrw_material_default();
    uint32_t index;
    in.flags |= MRW_MATERIAL_DOUBLE_SIDED;
    ck_assert_int_eq(mrwi_scene_builder_material(b, "white", &in, &index, NULL), MRW_OK);
    return index;
}

/* A floor at height 0, a little larger than what is seen. */
static void add_floor(mrwi_scene_builder *b, uint32_t material)
{
    const double o[3] = {-2.5, 0, 2.5}, u[3] = {2.5, 0, 2.5}, v[3] = {-2.5, 0, -2.5};
    add_rectangle(b, o, u, v, material);
}

/* The camera looks straight down from a height, so that what is above is not seen: pixel (x, y)
 * shows x, -z. */
static void look_down(stage *s, float height)
{
    s->def.camera = (mrw_camera){.orthographic = true, .near_plane = 0.0f, .far_plane = 20.0f};
    s->def.camera.world_to_view =
        (mrw_mat4){{1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, -height, 1}};
    s->def.camera.view_to_clip =
        (mrw_mat4){{1 / EXTENT, 0, 0, 0, 0, 1 / EXTENT, 0, 0, 0, 0, -1 / 20.0f, 0, 0, 0, 0, 1}};
}

static void open_stage(stage *s, mrwi_scene_builder *b, mrw_light_type type)
{
    *s = (stage){.scene = finish(b)};
    ck_assert_int_eq(mrw_model_create(s->scene, MRW_SHADING_LAMBERT, 1, &s->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&s->renderer, NULL), MRW_OK);
    s->instance = mrw_instance_default(s->model);
    s->def = mrw_frame_def_default();
    s->def.width = s->def.height = SIDE;
    s->def.samples = 1;
    s->def.shading = MRW_SHADING_LAMBERT;
    s->def.rig = MRW_RIG_OFF;
    s->def.shadow_size = SIZE;
    s->def.shadow_softness = 0.0f;
    s->light = mrw_light_def_default(type);
    s->light.intensity = 1.909859f; /* 6 / pi */
    s->def.lights = &s->light;
    s->def.light_count = 1;
    look_down(s, 0.5f);
}

static void close_stage(stage *s)
{
    mrw_renderer_free(s->renderer);
    mrw_model_free(s->model);
    mrw_scene_free(s->scene);
}

static mrw_image draw(stage *s, bool shadows)
{
    mrw_image image = {0};
    s->def.shadows = shadows;
    ck_assert_int_eq(mrw_render(s->renderer, &s->def, &s->instance, 1, 1, &image, NULL), MRW_OK);
    return image;
}

/* ---- borders of shadows ---------------------------------------------------------------------- */

/* A square parallel to the floor. */
#define SQUARE_Y    1.0
#define SQUARE_HALF 0.6

/* The square of side 2 * half is between a point of the floor and the light. */
static bool is_dark(const mrw_light_def *light, double x, double z, double half)
{
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = light->type == MRW_LIGHT_DIRECTIONAL ? -(double)light->direction[i]
                                                    : (double)light->position[i];
    }
    if (light->type != MRW_LIGHT_DIRECTIONAL) {
        d[0] -= x;
        d[2] -= z;
    }
    const double t = SQUARE_Y / d[1];
    return fabs(x + t * d[0]) < half && fabs(z + t * d[2]) < half &&
           (light->type == MRW_LIGHT_DIRECTIONAL || t < 1.0);
}

/* Pixels that are surely dark, or surely light, are; the border may be `soft` wide at the height of
 * the square. Returns how many were dark. */
static int check_borders(stage *s, double soft)
{
    const mrw_image plain = draw(s, false);
    mrw_image shown = draw(s, true);
    int dark = 0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            const double wx = ((x + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const double wz = ((y + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const uint8_t *a = plain.pixels + 3 * (y * SIDE + x);
            const uint8_t *b = shown.pixels + 3 * (y * SIDE + x);
            if (is_dark(&s->light, wx, wz, SQUARE_HALF - soft)) {
                ck_assert_msg(b[0] == 0, "(%g, %g) is lit: %d", wx, wz, b[0]);
                dark += a[0] > 0;
            } else if (!is_dark(&s->light, wx, wz, SQUARE_HALF + soft)) {
                ck_assert_msg(b[0] == a[0], "(%g, %g) is darker: %d, not %d", wx, wz, b[0], a[0]);
            }
        }
    }
    mrw_image_free(&shown);
    mrw_image plain_too = plain;
    mrw_image_free(&plain_too);
    return dark;
}

static void open_square(stage *s, mrw_light_type type)
{
    mrwi_scene_builder *b = begin();
    const uint32_t material = white(b);
    const double h = SQUARE_HALF, y = SQUARE_Y;
    const double o[3] = {-h, y, h}, u[3] = {h, y, h}, v[3] = {-h, y, -h};
    add_floor(b, material);
    add_rectangle(b, o, u, v, material);
    open_stage(s, b, type);
}

START_TEST(directional_lights_cast_shadows)
{
    static const float directions[][3] = {
        {0, -1, 0}, {0, -1, 1e-4f}, {0.5f, -1, 0.2f}, {-0.7f, -1, -0.9f}, {0, -1, -0.8f}};
    stage s;
    open_square(&s, MRW_LIGHT_DIRECTIONAL);
    s.light.intensity = 0.95f; /* no more, so that a little less is seen */
    for (size_t i = 0; i < COUNT(directions); i++) {
        memcpy(s.light.direction, directions[i], sizeof s.light.direction);
        /* the box's width, 5, lies in some 480 texels at any slant */
        ck_assert_int_gt(check_borders(&s, 3.0 * 8.0 / 470), 1000);
    }
    close_stage(&s);
}
END_TEST

START_TEST(points_and_spots_cast_shadows)
{
    static const float places[][3] = {
        {0, 2.5f, 0}, {1.2f, 1.8f, 0.4f}, {-2, 1.6f, -2}, {0, 1.01f, 0}};
    for (int type = MRW_LIGHT_POINT; type <= MRW_LIGHT_SPOT; type++) {
        stage s;
        open_square(&s, (mrw_light_type)type);
        for (size_t i = 0; i < COUNT(places); i++) {
            memcpy(s.light.position, places[i], sizeof s.light.position);
            for (int k = 0; k < 3; k++) {
                s.light.direction[k] = -places[i][k];
            }
            s.light.outer_cone = i % 2 ? 0.9f : 1.5f; /* one view, and six */
            s.light.intensity = 0.9f;
            /* a face of 256 texels spans two units at a distance of one; the square is at most 2.2
             * before the light, on a plane that leans such that texels are twice as long there */
            check_borders(&s, 2.5 * 2.2 * 2.0 / 220 * 2.0);
        }
        close_stage(&s);
    }
}
END_TEST

static double linear_of(int byte)
{
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* A spot looks straight down, aside of the square, whose shadow ends where the cone hardly shines
 * any more: its map holds all of the cone. */
START_TEST(maps_hold_whole_cones)
{
    static const float places[][3] = {{1, 5, 0}, {-1, 5, 0}, {0, 5, 1}, {0, 5, -1}};
    stage s;
    open_square(&s, MRW_LIGHT_SPOT);
    s.light.intensity = 0.9f;
    memcpy(s.light.direction, (float[3]){0, -1, 0}, sizeof s.light.direction);
    s.light.outer_cone = (float)atan(2.12 / 5); /* the shadow ends at 2 from the middle */
    s.light.inner_cone = s.light.outer_cone - 0.001f;
    for (size_t i = 0; i < COUNT(places); i++) {
        memcpy(s.light.position, places[i], sizeof s.light.position);
        ck_assert_int_gt(check_borders(&s, 2.5 * 4.24 / 480), 1000);
    }
    close_stage(&s);
}
END_TEST

/* How much of an interval of one texel, from `at` on, lies within `reach` of a place. */
static double overlap(double at, double place, double reach)
{
    const double from = at > place - reach ? at : place - reach;
    const double to = at + 1 < place + reach ? at + 1 : place + reach;
    return to > from ? to - from : 0.0;
}

/* The place of a map, from its middle in texels, on the floor: back along the light. */
static void on_floor(const stage *s, const mrw_shadow_map *map, double x, double y, double out[2])
{
    const float *d = s->light.direction;
    double at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = map->origin[i] + (x * map->right[i] + y * map->down[i]) / map->texels;
    }
    out[0] = at[0] - at[1] / d[1] * d[0];
    out[1] = at[2] - at[1] / d[1] * d[2];
}

/* The share of light at (wx, wz), from the texels around, each dark or not; -1 where the ray of one
 * passes so close by an edge of the square that it may be either. */
static double share_at(const stage *s, const mrw_shadow_map *map, double wx, double wz)
{
    const double reach = 1.5, far = 0.02 / map->texels;
    const float *d = s->light.direction; /* surfaces at a slant are lifted */
    const double cosine = -d[1] / sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    const double lifted = map->lift * (1 - cosine);
    const double q[3] = {wx - map->origin[0], lifted - map->origin[1], wz - map->origin[2]};
    double x = 0, y = 0, dark = 0;
    for (int i = 0; i < 3; i++) {
        x += q[i] * map->right[i] * map->texels;
        y += q[i] * map->down[i] * map->texels;
    }
    for (double j = floor(y - reach); j < y + reach; j++) {
        for (double i = floor(x - reach); i < x + reach; i++) {
            double at[2];
            on_floor(s, map, i + 0.5, j + 0.5, at);
            const bool is = is_dark(&s->light, at[0], at[1], SQUARE_HALF - far);
            if (is != is_dark(&s->light, at[0], at[1], SQUARE_HALF + far)) {
                return -1.0;
            }
            dark += is ? overlap(i, x, reach) * overlap(j, y, reach) : 0.0;
        }
    }
    return 1.0 - dark / (4 * reach * reach);
}

/* Over the borders of sharp shadows the light rises as the square of the filter, texels of its
 * border counting in part, leaves the shadow. */
START_TEST(borders_are_those_of_a_box)
{
    static const float directions[][3] = {{0.013f, -1, 0.017f}, {0.5f, -1, 0.2f}};
    static const uint32_t sizes[] = {128, 200, 512};
    static const mrw_mat4 world = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const mrw_shadow_bounds box = {{-2.5f, 0, -2.5f}, {2.5f, 1, 2.5f}};
    stage s;
    open_square(&s, MRW_LIGHT_DIRECTIONAL);
    s.light.intensity = 0.95f;
    for (size_t i = 0; i < COUNT(sizes) * COUNT(directions); i++) {
        mrw_light light;
        mrw_shadow_map map;
        int between = 0;
        memcpy(s.light.direction, directions[i % 2], sizeof s.light.direction);
        s.def.shadow_size = sizes[i / 2];
        mrw_light_place(&s.light, &world, &light);
        ck_assert(mrw_shadow_frame(&light, &box, s.def.shadow_size, 0.0f, &map));
        mrw_image plain = draw(&s, false), shown = draw(&s, true);
        const double full = linear_of(plain.pixels[0]);
        for (int k = 0; k < SIDE * SIDE; k += 3) {
            const double wx = ((k % SIDE + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const double wz = ((k / SIDE + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const double share = share_at(&s, &map, wx, wz);
            const int value = shown.pixels[3 * k];
            const double least = linear_of(value > 0 ? value - 1 : 0) - 2e-4;
            const double most = linear_of(value + 1) + 2e-4;
            ck_assert_msg(share < 0 || (share * full >= least && share * full <= most),
                          "size %u: (%g, %g) is %d, not %g", s.def.shadow_size, wx, wz, value,
                          share);
            between += share > 0.02 && share < 0.98;
        }
        ck_assert_int_ge(between, 40);
        mrw_image_free(&plain);
        mrw_image_free(&shown);
    }
    close_stage(&s);
}
END_TEST

/* From lamps that stand far off, all lies near the end of what their maps hold. */
START_TEST(far_lamps_cast_shadows)
{
    static const float distances[] = {5, 9, 30};
    for (int type = MRW_LIGHT_POINT; type <= MRW_LIGHT_SPOT; type++) {
        stage s;
        open_square(&s, (mrw_light_type)type);
        s.light.intensity = 0.9f;
        for (size_t i = 0; i < COUNT(distances) - (type == MRW_LIGHT_POINT); i++) {
            /* texels at the floor: a face of a point spans twice the distance, the cone 10 */
            const double far = (double)distances[i], spot = 12.0 / 480, point = 2 * far / 230;
            const float to[3] = {0.3f, 1.0f, -0.2f};
            for (int k = 0; k < 3; k++) {
                s.light.position[k] = distances[i] * to[k];
                s.light.direction[k] = -to[k];
            }
            s.light.outer_cone = (float)atan(5 / far);
            const double soft = 2.5 * (type == MRW_LIGHT_POINT ? point : spot);
            ck_assert_int_gt(check_borders(&s, soft), 1000);
        }
        close_stage(&s);
    }
}
END_TEST

/* ---- soft borders ---------------------------------------------------------------------------- */

/* The share of light at (wx, wz) of a light as large as makes borders `width` wide there: how many
 * of the parallel rays around leave the square aside. */
static double soft_share(const stage *s, double wx, double wz, double width)
{
    const float *d = s->light.direction;
    const double length = sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    const double f[3] = {d[0] / length, d[1] / length, d[2] / length};
    const double flat =
        sqrt(f[1] * f[1] + f[2] * f[2]); /* right is across X, as for steep lights */
    const double down[3] = {0, f[2] / flat, -f[1] / flat};
    const double right[3] = {flat, -f[0] * f[1] / flat, -f[0] * f[2] / flat};
    int dark = 0;
    const int rays = 24;
    for (int i = 0; i < rays * rays; i++) {
        const double u = ((i % rays + 0.5) / rays - 0.5) * width;
        const double v = ((i / rays + 0.5) / rays - 0.5) * width;
        double at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = u * right[k] + v * down[k];
        }
        dark += is_dark(&s->light, wx + at[0] - at[1] / f[1] * f[0],
                        wz + at[2] - at[1] / f[1] * f[2], SQUARE_HALF);
    }
    return 1.0 - (double)dark / (rays * rays);
}

/* Compares the floor with soft_share. Returns the mean difference over the border. */
static double soft_difference(stage *s, double percent, double *most)
{
    const float *d = s->light.direction;
    const double length = sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    const double width = percent / 100 * SQUARE_Y * length / (double)fabsf(d[1]);
    mrw_image plain = draw(s, false), shown = draw(s, true);
    const double full = linear_of(plain.pixels[0]);
    double sum = 0;
    int count = 0;
    *most = 0;
    for (int y = 0; y < SIDE; y += 2) {
        for (int x = 0; x < SIDE; x += 2) {
            const double wx = ((x + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const double wz = ((y + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const double share = soft_share(s, wx, wz, width);
            const double off = fabs(linear_of(shown.pixels[3 * (y * SIDE + x)]) / full - share);
            sum += share > 0 && share < 1 ? off : 0;
            count += share > 0 && share < 1;
            *most = off > *most ? off : *most;
        }
    }
    mrw_image_free(&plain);
    mrw_image_free(&shown);
    ck_assert_int_gt(count, 40);
    return sum / count;
}

/* Borders are as wide as the softness says of the distance between the square and the floor,
 * whatever the size of the map. Quarters of 3.5 texels of a level, of which edges may cut one
 * anywhere, are off by up to half a texel of a square of 7: 0.07, plus the map's own. */
START_TEST(softness_is_a_part_of_the_distance)
{
    static const float directions[][3] = {{0, -1, 0}, {0.3f, -1, 0.2f}, {-0.5f, -1, 0.1f}};
    static const uint32_t sizes[] = {512, 777, 2048};
    static const float softnesses[] = {8, 15, 40};
    stage s;
    open_square(&s, MRW_LIGHT_DIRECTIONAL);
    s.light.intensity = 0.95f;
    for (size_t i = 0; i < COUNT(directions) * COUNT(sizes) * COUNT(softnesses); i++) {
        double most;
        memcpy(s.light.direction, directions[i % 3], sizeof s.light.direction);
        s.def.shadow_size = sizes[i / 3 % 3];
        s.def.shadow_softness = softnesses[i / 9];
        const double mean = soft_difference(&s, (double)s.def.shadow_softness, &most);
        ck_assert_msg(mean < 0.06 && most < 0.13, "direction %zu, size %u, softness %g: %g, %g",
                      i % 3, s.def.shadow_size, (double)s.def.shadow_softness, mean, most);
    }
    close_stage(&s);
}
END_TEST

/* Returns how much the floor's share of the light differs along the straight left edge of the
 * square's shadow: the most over all columns of the border, between rows of its middle half. Ideal
 * borders have the same share in all rows. */
static double edge_unevenness(stage *s)
{
    const float *d = s->light.direction;
    mrw_image plain = draw(s, false), shown = draw(s, true);
    const double full = linear_of(plain.pixels[0]), shift = SQUARE_Y * (double)(d[2] / -d[1]);
    double most = 0;
    for (int x = 0; x < SIDE; x++) {
        double least = 1, largest = 0;
        for (int y = 0; y < SIDE; y++) {
            const double wx = ((x + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const double wz = ((y + 0.5) / SIDE * 2 - 1) * (double)EXTENT - shift;
            if (fabs(wz) < SQUARE_HALF / 2 && wx < SQUARE_Y * (double)(d[0] / -d[1])) {
                const double share = linear_of(shown.pixels[3 * (y * SIDE + x)]) / full;
                least = fmin(least, share);
                largest = fmax(largest, share);
            }
        }
        most = fmax(most, largest - least);
    }
    mrw_image_free(&plain);
    mrw_image_free(&shown);
    return most;
}

/* Edges of soft shadows have no teeth, in maps of all sizes. */
START_TEST(soft_edges_are_straight)
{
    static const float directions[][3] = {{0, -1, 0}, {0.3f, -1, 0.2f}, {-0.5f, -1, 0.1f}};
    static const uint32_t sizes[] = {512, 1024, 2048, 8192};
    static const float softnesses[] = {5, 15};
    stage s;
    open_square(&s, MRW_LIGHT_DIRECTIONAL);
    s.light.intensity = 0.95f;
    for (size_t i = 0; i < COUNT(directions) * COUNT(sizes) * COUNT(softnesses); i++) {
        memcpy(s.light.direction, directions[i % 3], sizeof s.light.direction);
        s.def.shadow_size = sizes[i / 3 % 4];
        s.def.shadow_softness = softnesses[i / 12];
        const double uneven = edge_unevenness(&s);
        ck_assert_msg(uneven < 0.085, "direction %zu, size %u, softness %g: %g", i % 3,
                      s.def.shadow_size, (double)s.def.shadow_softness, uneven);
    }
    close_stage(&s);
}
END_TEST

/* Near the square the border is narrower: it is counted in pixels along a row through the middle
 * of its shadow. */
static int border_pixels(stage *s)
{
    mrw_image plain = draw(s, false), shown = draw(s, true);
    int count = 0;
    for (int x = 0; x < SIDE; x++) {
        const int at = 3 * (SIDE / 2 * SIDE + x), value = shown.pixels[at];
        count += value > 10 && value < plain.pixels[at] - 2;
    }
    mrw_image_free(&plain);
    mrw_image_free(&shown);
    return count;
}

/* A square at heights of 1/8, 1/4, 1/2 and 1: softness 40 makes two borders of 40 % of that. */
START_TEST(softness_grows_with_the_distance)
{
    for (int i = 3; i >= 0; i--) {
        mrwi_scene_builder *b = begin();
        const double y = 1.0 / (1 << i), h = SQUARE_HALF;
        const double o[3] = {-h, y, h}, u[3] = {h, y, h}, v[3] = {-h, y, -h};
        const uint32_t material = white(b);
        stage s;
        add_floor(b, material);
        add_rectangle(b, o, u, v, material);
        open_stage(&s, b, MRW_LIGHT_DIRECTIONAL);
        look_down(&s, (float)y * 0.5f);
        s.light.intensity = 0.95f;
        memcpy(s.light.direction, (float[3]){0, -1, 0}, sizeof s.light.direction);
        s.def.shadow_size = 1024;
        s.def.shadow_softness = 40.0f;
        const double pixels = 2 * 0.4 * y * SIDE / (2 * (double)EXTENT);
        const int counted = border_pixels(&s);
        ck_assert_msg(counted > 0.75 * pixels - 1 && counted < 1.2 * pixels + 1,
                      "height %g: %d pixels, not %g", y, counted, pixels);
        close_stage(&s);
    }
}
END_TEST

/* A lamp is as large as the softness says of its distance from the middle of the box, here 3 under
 * a lamp at 3.5. From there the square at 1 makes a border of size * (3.5 - 2.5) / 2.5. */
START_TEST(softness_of_lamps_is_their_size)
{
    for (int type = MRW_LIGHT_POINT; type <= MRW_LIGHT_SPOT; type++) {
        stage s;
        open_square(&s, (mrw_light_type)type);
        s.light.intensity = 0.95f;
        memcpy(s.light.position, (float[3]){0, 3.5f, 0}, sizeof s.light.position);
        memcpy(s.light.direction, (float[3]){0, -1, 0}, sizeof s.light.direction);
        s.light.outer_cone = 0.8f;
        s.light.inner_cone = 0.79f;
        s.def.shadow_size = 2048;
        s.def.shadow_softness = 30.0f;
        const double pixels = 2 * 0.3 * 3.0 * (1.0 / 2.5) * SIDE / (2 * (double)EXTENT);
        const int counted = border_pixels(&s);
        ck_assert_msg(counted > 0.75 * pixels && counted < 1.2 * pixels,
                      "type %d: %d pixels, not %g", type, counted, pixels);
        close_stage(&s);
    }
}
END_TEST

/* ---- levels ---------------------------------------------------------------------------------- */

/* The texel of level k at (i, j), by the rule of light/shadow_level.h. */
static float level_texel(const mrw_shadow_map *map, const float *depths, uint32_t face, int k,
                         int i, int j)
{
    const int step = 1 << k, m = (step + 2) / 3;
    const int x = (i - 8) * step + 3 * (5 * j % m), y = (j - 8) * step + 3 * (5 * i % m);
    if (i < 8 || j < 8 || x >= (int)map->size || y >= (int)map->size) {
        return 1.0f;
    }
    return depths[((size_t)face * map->size + (size_t)y) * map->stride + (size_t)x];
}

/* Draws noise into random spans. */
static void draw_noise(const mrw_shadow_map *map, float *depths, mrw_shadow_span *spans,
                       uint64_t *state)
{
    const size_t of_face = (map->size + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
    for (size_t row = 0; row < map->faces * (size_t)map->size; row++) {
        const size_t face = row / map->size, y = row % map->size;
        mrw_shadow_span *span = &spans[face * of_face + y / MRW_SHADOW_SPAN_ROWS];
        if (y % MRW_SHADOW_SPAN_ROWS == 0) {
            span->x0 = (int32_t)test_random_below(state, map->size);
            span->x1 = (int32_t)test_random_below(state, map->size + 1);
        }
        for (int32_t x = 0; x < (int32_t)map->size; x++) {
            depths[row * map->stride + (size_t)x] =
                x >= span->x0 && x < span->x1 ? test_random_float(state, 0.0f, 1.0f) : 1.0f;
        }
    }
}

START_TEST(levels_show_texels_of_the_map)
{
    static const uint32_t sizes[] = {64, 100, 150};
    static float depths[150000], again[150000];
    static mrw_shadow_span spans[2][64];
    uint64_t state = 1;
    for (size_t i = 0; i < 2 * COUNT(sizes); i++) {
        mrw_shadow_map map = {.faces = i % 2 ? MRW_SHADOW_FACES : 1,
                              .size = sizes[i / 2] / (i % 2 ? 2 : 1),
                              .levels = 4,
                              .depths = depths};
        map.stride = map.size + 16;
        ck_assert_uint_lt(mrw_shadow_floats(&map), COUNT(depths));
        for (int round = 0; round < 3; round++) {
            const mrw_shadow_span *last = round > 0 ? spans[(round + 1) % 2] : NULL;
            map.spans = round == 2 ? NULL : spans[round % 2];
            draw_noise(&map, depths, spans[round % 2], &state);
            mrw_shadow_reduce(&map, last, depths, 1 + round);
            const float *at = depths + (size_t)map.faces * map.size * map.stride;
            for (int k = 1; k <= 4; k++) {
                const int side = ((int)map.size - 1) / (1 << k) + 1 + 16;
                for (int t = 0; t < side * side * (int)map.faces; t++, at++) {
                    const float want = level_texel(&map, depths, (uint32_t)(t / (side * side)), k,
                                                   t % side, t / side % side);
                    ck_assert_msg(*at == want || t % side >= side - 8 ||
                                      t / side % side >= side - 8,
                                  "size %u, level %d, texel %d: %g", map.size, k, t, (double)*at);
                    ck_assert(t % side < side - 8 || *at == 1.0f);
                }
            }
            ck_assert_ptr_eq(at, depths + mrw_shadow_floats(&map));
        }
        memcpy(again, depths, sizeof again);
        mrw_shadow_reduce(&map, NULL, again, 1);
        ck_assert_mem_eq(again, depths, mrw_shadow_floats(&map) * sizeof *again);
    }
}
END_TEST

/* ---- what lets a part of light through ------------------------------------------------------- */

/* The square over the floor, in a material of its own. */
static void open_caster(stage *s, const mrw_material *material, bool turned)
{
    mrwi_scene_builder *b = begin();
    const double h = SQUARE_HALF, y = SQUARE_Y;
    const double o[3] = {-h, y, h}, u[3] = {h, y, h}, v[3] = {-h, y, -h};
    uint32_t index;
    add_floor(b, white(b));
    ck_assert_int_eq(mrwi_scene_builder_material(b, "caster", material, &index, NULL), MRW_OK);
    add_rectangle(b, o, turned ? v : u, turned ? u : v, index);
    open_stage(s, b, MRW_LIGHT_DIRECTIONAL);
    s->light.intensity = 0.9f;
    memcpy(s->light.direction, (float[3]){0, -1, 0}, sizeof s->light.direction);
}

/* All pixels well within the shadow are as light as `share` of what they are without it; in wide
 * squares, which pick texels, only their mean is. */
static void check_share(stage *s, double share, bool wide, const char *what)
{
    double sum = 0;
    mrw_image plain = draw(s, false), shown = draw(s, true);
    const double full = linear_of(plain.pixels[3 * (SIDE / 2 * SIDE + SIDE / 2)]);
    for (int y = 80; y < 120; y++) {
        for (int x = 80; x < 120; x++) {
            const int value = shown.pixels[3 * (y * SIDE + x)];
            const double least = linear_of(value > 0 ? value - 1 : 0);
            const double most = linear_of(value + 1);
            sum += linear_of(value);
            ck_assert_msg(wide || (share * full >= least && share * full <= most),
                          "%s: (%d, %d) is %d, not %g", what, x, y, value, share);
        }
    }
    ck_assert_msg(fabs(sum / 1600 - share * full) < 0.02 * full + 0.003,
                  "%s: the mean is %g, not %g", what, sum / 1600, share * full);
    mrw_image_free(&plain);
    mrw_image_free(&shown);
}

/* A map has transparent casters at as many of nine texels as comes nearest to their alpha. What
 * three by three texels show is that share, everywhere; wide squares come near to it. */
START_TEST(transparent_casters_stop_ninths)
{
    for (int i = 0; i <= 20; i++) {
        stage s;
        char what[64];
        mrw_material glass = mrw_material_default();
        glass.alpha_mode = MRW_ALPHA_BLEND;
        glass.maps[MRW_MAP_BASE_COLOR].factor[3] = (float)i / 20.0f;
        open_caster(&s, &glass, false);
        for (int soft = 0; soft <= 30; soft += 10) {
            s.def.shadow_softness = (float)soft;
            snprintf(what, sizeof what, "alpha %g, softness %d", i / 20.0, soft);
            check_share(&s, 1.0 - floor(9.0 * i / 20.0 + 0.5) / 9.0, soft > 0, what);
        }
        close_stage(&s);
    }
}
END_TEST

/* Masks stop all or nothing, and whichever way they face. */
START_TEST(masks_and_backs_cast_shadows)
{
    for (int turned = 0; turned < 2; turned++) {
        for (int i = 0; i < 3; i++) {
            stage s;
            mrw_material mask = mrw_material_default();
            mask.alpha_mode = i < 2 ? MRW_ALPHA_MASK : MRW_ALPHA_OPAQUE;
            mask.alpha_cutoff = 0.5f;
            mask.maps[MRW_MAP_BASE_COLOR].factor[3] = i == 0 ? 0.49f : 0.5f;
            open_caster(&s, &mask, turned != 0);
            check_share(&s, i == 0 ? 1.0 : 0.0, false,
                        i == 0   ? "hole"
                        : i == 1 ? "mask"
                                 : "opaque");
            close_stage(&s);
        }
    }
}
END_TEST

/* What surfaces are made of, beside white. */
static mrw_material surface_of(int kind)
{
    mrw_material m = mrw_material_default();
    m.maps[MRW_MAP_METALLIC_ROUGHNESS].factor[2] = kind == 1; /* roughness, metallic: green, blue */
    m.clearcoat = kind == 2;
    m.clearcoat_roughness = 0.5f;
    for (int i = 0; i < 4; i++) {
        m.maps[MRW_MAP_SHEEN_COLOR].factor[i] = kind == 3;
        m.maps[MRW_MAP_SPECULAR].factor[i] = 1.0f;
    }
    m.model = kind == 4   ? MRW_MATERIAL_SPECULAR_GLOSSINESS
              : kind == 5 ? MRW_MATERIAL_CLASSIC
                          : MRW_MATERIAL_METALLIC_ROUGHNESS;
    m.shininess = kind == 5 ? 4.0f : 0.0f;
    return m;
}

/* One light alone: where it does not come, all that a surface does with light is black, highlights,
 * coats and sheen, too. */
START_TEST(shadows_are_dark_on_all_surfaces)
{
    static const struct {
        mrw_shading shading;
        int kinds;
    } looks[] = {{MRW_SHADING_LIT, 6},
                 {MRW_SHADING_FLAT, 6},
                 {MRW_SHADING_CLAY, 1},
                 {MRW_SHADING_LAMBERT, 1},
                 {MRW_SHADING_PHONG, 6}};
    for (size_t i = 0; i < COUNT(looks); i++) {
        for (int kind = 0; kind < looks[i].kinds; kind++) {
            mrwi_scene_builder *b = begin();
            const mrw_material material = surface_of(kind);
            const double h = SQUARE_HALF, y = SQUARE_Y;
            const double o[3] = {-h, y, h}, u[3] = {h, y, h}, v[3] = {-h, y, -h};
            const int middle = 3 * (SIDE / 2 * SIDE + SIDE / 2), corner = 3 * (10 * SIDE + 10);
            uint32_t index;
            stage s;
            ck_assert_int_eq(mrwi_scene_builder_material(b, "m", &material, &index, NULL), MRW_OK);
            add_floor(b, index);
            add_rectangle(b, o, u, v, index);
            open_stage(&s, b, MRW_LIGHT_DIRECTIONAL);
            mrw_model_free(s.model);
            ck_assert_int_eq(mrw_model_create(s.scene, looks[i].shading, 1, &s.model, NULL),
                             MRW_OK);
            s.instance = mrw_instance_default(s.model);
            s.def.shading = looks[i].shading;
            memcpy(s.light.direction, (float[3]){0.05f, -1, 0.02f}, sizeof s.light.direction);
            mrw_image plain = draw(&s, false), shown = draw(&s, true);
            ck_assert_int_gt(plain.pixels[middle], 20);
            ck_assert_msg(shown.pixels[middle] == 0, "shading %d, surface %d: %d",
                          (int)looks[i].shading, kind, shown.pixels[middle]);
            ck_assert_int_eq(shown.pixels[corner], plain.pixels[corner]);
            mrw_image_free(&plain);
            mrw_image_free(&shown);
            close_stage(&s);
        }
    }
}
END_TEST

/* ---- nothing shades itself ------------------------------------------------------------------- */

/* How many pixels shadows make darker, and lighter, where the light without them is at least
 * `least`. */
static int count_darker(stage *s, int least)
{
    mrw_image plain = draw(s, false), shown = draw(s, true);
    int darker = 0;
    for (int k = 0; k < SIDE * SIDE; k++) {
        ck_assert_int_le(shown.pixels[3 * k], plain.pixels[3 * k]);
        darker += plain.pixels[3 * k] >= least && shown.pixels[3 * k] < plain.pixels[3 * k];
    }
    mrw_image_free(&plain);
    mrw_image_free(&shown);
    return darker;
}

/* A floor alone, under light from straight above to 1 degree over the horizon. */
START_TEST(a_plane_does_not_shade_itself)
{
    mrwi_scene_builder *b = begin();
    stage s;
    add_floor(b, white(b));
    open_stage(&s, b, MRW_LIGHT_DIRECTIONAL);
    for (int type = MRW_LIGHT_DIRECTIONAL; type <= MRW_LIGHT_SPOT; type++) {
        s.light.type = (mrw_light_type)type;
        for (int degrees = 1; degrees <= 90; degrees += degrees < 10 ? 1 : 8) {
            const double turn = degrees * 0.7, height = degrees * 3.14159265358979 / 180;
            const double x = cos(height) * cos(turn), z = cos(height) * sin(turn);
            s.light.intensity = (float)(0.8 / sin(height));
            for (int k = 0; k < 3; k++) {
                const double to[3] = {x, sin(height), z};
                s.light.direction[k] = (float)-to[k];
                s.light.position[k] = (float)(3 * to[k]);
            }
            s.light.outer_cone = 1.1f;
            ck_assert_msg(count_darker(&s, 0) == 0, "type %d at %d degrees", type, degrees);
        }
    }
    close_stage(&s);
}
END_TEST

#define RINGS    24
#define SEGMENTS 48

/* A sphere of radius 1.6 around the origin with normals of its own. */
static void add_sphere(mrwi_scene_builder *b, uint32_t material)
{
    static float positions[(RINGS + 1) * (SEGMENTS + 1) * 3], normals[sizeof positions / 4];
    static uint32_t indices[RINGS * SEGMENTS * 6];
    uint32_t n = 0, count = 0;
    for (int r = 0; r <= RINGS; r++) {
        for (int k = 0; k <= SEGMENTS; k++, n += 3) {
            const double polar = 3.14159265358979 * r / RINGS;
            const double turn = 2 * 3.14159265358979 * k / SEGMENTS;
            const double at[3] = {sin(polar) * cos(turn), cos(polar), -sin(polar) * sin(turn)};
            for (int i = 0; i < 3; i++) {
                normals[n + (uint32_t)i] = (float)at[i];
                positions[n + (uint32_t)i] = (float)(1.6 * at[i]);
            }
        }
    }
    for (uint32_t r = 0; r < RINGS; r++) {
        for (uint32_t k = 0; k < SEGMENTS; k++) {
            const uint32_t a = r * (SEGMENTS + 1) + k, c = a + SEGMENTS + 1;
            const uint32_t cell[6] = {a, c, a + 1, a + 1, c, c + 1};
            memcpy(indices + count, cell, sizeof cell);
            count += 6;
        }
    }
    add_drawn(b, &(mrwi_scene_mesh_input){.material = material,
                                          .vertex_count = n / 3,
                                          .index_count = count,
                                          .indices = indices,
                                          .positions = positions,
                                          .normals = normals});
}

/* What faces the light is lit on a smooth convex body, up to the edge between light and shade,
 * though its triangles lean up to 8 degrees from the normals: no bristles of triangles that hide
 * themselves or their neighbours. */
START_TEST(a_sphere_does_not_shade_itself)
{
    mrwi_scene_builder *b = begin();
    stage s;
    add_sphere(b, white(b));
    open_stage(&s, b, MRW_LIGHT_DIRECTIONAL);
    look_down(&s, 5.0f);
    s.light.intensity = 0.955f;
    for (int degrees = 0; degrees <= 90; degrees += 5) {
        const double height = degrees * 3.14159265358979 / 180;
        for (int type = MRW_LIGHT_DIRECTIONAL; type <= MRW_LIGHT_SPOT; type++) {
            s.light.type = (mrw_light_type)type;
            s.light.outer_cone = 0.5f;
            for (int k = 0; k < 3; k++) {
                const double to[3] = {cos(height) * 0.6, sin(height), cos(height) * 0.8};
                s.light.direction[k] = (float)-to[k];
                s.light.position[k] = (float)(8 * to[k]);
            }
            /* sRGB 40 is 0.021 of linear light: 89 degrees */
            ck_assert_msg(count_darker(&s, 40) == 0, "type %d at %d degrees", type, degrees);
        }
    }
    close_stage(&s);
}
END_TEST

/* ---- contact --------------------------------------------------------------------------------- */

/* A wall stands on the floor along x = 0; the light comes from -x. Behind the wall all is dark up
 * to the end of its shadow, but for a border that is at most two texels wide where the light sees
 * it, and darker than half there. */
START_TEST(shadows_begin_where_surfaces_touch)
{
    mrwi_scene_builder *b = begin();
    const uint32_t material = white(b);
    const double o[3] = {0, 0, 2.2}, u[3] = {0, 0, -2.2}, v[3] = {0, 1, 2.2};
    stage s;
    add_floor(b, material);
    add_rectangle(b, o, u, v, material);
    open_stage(&s, b, MRW_LIGHT_DIRECTIONAL);
    s.def.shadow_size = 256;
    for (int tenths = 3; tenths <= 30; tenths += 3) {
        memcpy(s.light.direction, (float[3]){1, -0.1f * (float)tenths, 0},
               sizeof s.light.direction);
        mrw_image plain = draw(&s, false), shown = draw(&s, true);
        const double sine = 0.1 * tenths / sqrt(1.0 + 0.01 * tenths * tenths);
        const double texel = 5.6 / 230, pixel = 4.0 / SIDE, end = 10.0 / tenths;
        for (int y = SIDE / 10; y < SIDE - SIDE / 10; y++) {
            for (int x = SIDE / 2; x < SIDE; x++) {
                const double at = (x + 0.5 - SIDE / 2) * pixel;
                const int value = shown.pixels[3 * (y * SIDE + x)];
                const int most =
                    at * sine > 2 * texel ? 0 : (int)(0.74 * plain.pixels[3 * (y * SIDE + x)]);
                if (at * sine > 0.5 * texel && at < end - 3 * texel * (1 + end)) {
                    ck_assert_msg(value <= most, "slope %d: %g behind the wall: %d", tenths, at,
                                  value);
                }
            }
        }
        mrw_image_free(&plain);
        mrw_image_free(&shown);
    }
    close_stage(&s);
}
END_TEST

/* ---- maps that stand still ------------------------------------------------------------------- */

typedef struct figure {
    mrw_scene *scene;
    mrw_model *model;
    mrw_renderer *renderer;
    mrw_instance instance;
    mrw_frame_def def;
    mrw_light_def light;
} figure;

static void open_figure(figure *f)
{
    mrw_view_def view = mrw_view_def_default();
    mrw_extents extents;
    *f = (figure){.light = mrw_light_def_default(MRW_LIGHT_DIRECTIONAL)};
    ck_assert_int_eq(mrw_load_file("demo:figure", NULL, &f->scene, NULL), MRW_OK);
    ck_assert_int_eq(mrw_model_create(f->scene, MRW_SHADING_LIT, 1, &f->model, NULL), MRW_OK);
    ck_assert_int_eq(mrw_renderer_create(&f->renderer, NULL), MRW_OK);
    f->instance = mrw_instance_default(f->model);
    memcpy(f->light.direction, (float[3]){0.4f, -1, -0.5f}, sizeof f->light.direction);
    f->def = mrw_frame_def_default();
    f->def.width = f->def.height = 40;
    f->def.rig = MRW_RIG_OFF;
    f->def.lights = &f->light;
    f->def.light_count = 1;
    f->def.shadows = true;
    f->def.shadow_size = 256;
    ck_assert_int_eq(
        mrw_frame_extents(&f->instance, 1, MRW_FIT_CLIP, &view, 1, MRW_ISA_AUTO, 1, &extents, NULL),
        MRW_OK);
    ck_assert_int_eq(mrw_view_camera(&view, &extents, 1, &f->def.camera, NULL), MRW_OK);
    f->def.has_bounds = true;
    memcpy(f->def.bounds.min, extents.aabb_min, sizeof f->def.bounds.min);
    memcpy(f->def.bounds.max, extents.aabb_max, sizeof f->def.bounds.max);
}

static void close_figure(figure *f)
{
    mrw_renderer_free(f->renderer);
    mrw_model_free(f->model);
    mrw_scene_free(f->scene);
}

/* The map of the light, and its depths, row by row, which are the caller's to free. */
static mrw_shadow_map map_of(figure *f, mrw_isa isa, int threads, float **depths)
{
    mrwi_frame_poses poses;
    mrw_raster_job job;
    f->def.isa = isa;
    ck_assert_int_eq(mrwi_frame_job(f->renderer, &f->def, &f->instance, 1, &poses, &job, NULL),
                     MRW_OK);
    job.isa = isa;
    job.threads = threads;
    ck_assert_int_eq(mrwi_frame_draw_shadow_maps(&f->renderer->scratch, &f->renderer->lights,
                                                 &f->def, &job, NULL),
                     MRW_OK);
    const mrw_shadow_map *map = job.lighting.lights[0].shadow;
    ck_assert_ptr_nonnull(map);
    const size_t rows = (size_t)map->faces * map->size;
    *depths = malloc(rows * map->size * sizeof **depths);
    for (size_t y = 0; y < rows; y++) {
        memcpy(*depths + y * map->size, map->depths + y * map->stride, map->size * sizeof **depths);
    }
    return *map;
}

static bool same_map(const mrw_shadow_map *a, const float *in_a, const mrw_shadow_map *b,
                     const float *in_b)
{
    return memcmp(a->origin, b->origin, sizeof a->origin) == 0 && a->texels == b->texels &&
           a->depth_scale == b->depth_scale &&
           memcmp(in_a, in_b, (size_t)a->faces * a->size * a->size * sizeof *in_a) == 0;
}

START_TEST(maps_do_not_depend_on_cameras_kernels_and_threads)
{
    figure f;
    float *first, *other;
    open_figure(&f);
    for (int type = MRW_LIGHT_DIRECTIONAL; type <= MRW_LIGHT_SPOT; type++) {
        f.light.type = (mrw_light_type)type;
        memcpy(f.light.position, (float[3]){-1.5f, 3, 2}, sizeof f.light.position);
        const mrw_shadow_map map = map_of(&f, MRW_ISA_SCALAR, 1, &first);
        for (int isa = 0; isa < MRW_ISA_COUNT; isa++) {
            if (!mrw_isa_available((mrw_isa)isa)) {
                continue;
            }
            f.def.camera.world_to_view.m[12] += 0.1f;
            const mrw_shadow_map again = map_of(&f, (mrw_isa)isa, 1 + isa % 3, &other);
            ck_assert(same_map(&map, first, &again, other));
            free(other);
        }
        free(first);
    }
    close_figure(&f);
}
END_TEST

/* Outside of its spans a map shows nothing. */
START_TEST(spans_hold_all_that_a_map_shows)
{
    figure f;
    float *depths;
    open_figure(&f);
    for (int type = MRW_LIGHT_DIRECTIONAL; type <= MRW_LIGHT_SPOT; type++) {
        f.light.type = (mrw_light_type)type;
        memcpy(f.light.position, (float[3]){-1.5f, 3, 2}, sizeof f.light.position);
        const mrw_shadow_map map = map_of(&f, MRW_ISA_AUTO, 1, &depths);
        const uint32_t spans = map.size / MRW_SHADOW_SPAN_ROWS;
        uint32_t shown = 0, held = 0;
        ck_assert_uint_eq(spans * MRW_SHADOW_SPAN_ROWS, map.size);
        for (uint32_t i = 0; i < map.faces * map.size * map.size; i++) {
            const uint32_t y = i / map.size, x = i % map.size;
            const mrw_shadow_span *span = &map.spans[y / MRW_SHADOW_SPAN_ROWS];
            const bool inside = (int32_t)x >= span->x0 && (int32_t)x < span->x1;
            ck_assert(inside || depths[i] == 1.0f);
            shown += depths[i] < 1.0f;
            held += inside;
        }
        ck_assert_uint_gt(shown, 0);
        ck_assert_uint_lt(held, map.faces * map.size * map.size / 2);
        free(depths);
    }
    close_figure(&f);
}
END_TEST

/* A renderer keeps the memory of its maps: whatever was in it, they are those of a new one. */
START_TEST(maps_hold_nothing_of_those_before)
{
    static const struct {
        mrw_light_type type;
        double time;
        uint32_t size;
    } pictures[] = {{MRW_LIGHT_DIRECTIONAL, 0.0, 256}, {MRW_LIGHT_DIRECTIONAL, 0.5, 256},
                    {MRW_LIGHT_POINT, 0.5, 256},       {MRW_LIGHT_POINT, 0.9, 256},
                    {MRW_LIGHT_SPOT, 0.2, 512},        {MRW_LIGHT_DIRECTIONAL, 0.3, 128},
                    {MRW_LIGHT_DIRECTIONAL, 0.7, 128}};
    figure f;
    float *kept_depths, *depths;
    open_figure(&f);
    mrw_renderer *const kept = f.renderer;
    memcpy(f.light.position, (float[3]){-1.5f, 3, 2}, sizeof f.light.position);
    for (size_t i = 0; i < COUNT(pictures); i++) {
        f.light.type = pictures[i].type;
        f.light.position[0] += 0.1f;
        f.light.direction[0] += 0.2f;
        f.instance.time = pictures[i].time;
        f.def.shadow_size = pictures[i].size;
        const mrw_shadow_map over = map_of(&f, MRW_ISA_AUTO, 1, &kept_depths);
        ck_assert_int_eq(mrw_renderer_create(&f.renderer, NULL), MRW_OK);
        const mrw_shadow_map alone = map_of(&f, MRW_ISA_AUTO, 1, &depths);
        ck_assert_uint_eq(over.size, alone.size);
        ck_assert_uint_eq(over.faces, alone.faces);
        ck_assert(same_map(&over, kept_depths, &alone, depths));
        free(kept_depths);
        free(depths);
        mrw_renderer_free(f.renderer);
        f.renderer = kept;
    }
    close_figure(&f);
}
END_TEST

/* Texels and what lies behind them stay for all pictures of a clip; and a box that grows by little
 * moves by whole texels alone. */
START_TEST(maps_of_a_sequence_stand_still)
{
    figure f;
    float *depths;
    open_figure(&f);
    const mrw_shadow_map map = map_of(&f, MRW_ISA_AUTO, 1, &depths);
    free(depths);
    for (int i = 1; i < 5; i++) {
        f.instance.time = 0.2 * i;
        const mrw_shadow_map next = map_of(&f, MRW_ISA_AUTO, 1, &depths);
        free(depths);
        ck_assert_mem_eq(next.origin, map.origin, sizeof map.origin);
        ck_assert(next.texels == map.texels && next.depth_scale == map.depth_scale);
    }
    const mrw_light light = {.to_light = {0, 1, 0}, .color = {1, 1, 1}, .throws_shadow = true};
    const mrw_shadow_bounds small = {{-1, -1, -1}, {1, 1, 1.001f}};
    const mrw_shadow_bounds large = {{-1, -1.004f, -1.01f}, {1.0f, 1.003f, 1}};
    mrw_shadow_map a, b;
    ck_assert(mrw_shadow_frame(&light, &small, 1024, 1, &a));
    ck_assert(mrw_shadow_frame(&light, &large, 1024, 1, &b));
    ck_assert(a.texels == b.texels && a.depth_scale == b.depth_scale);
    for (int i = 0; i < 3; i++) {
        const double texels = (double)(a.origin[i] - b.origin[i]) * (double)a.texels;
        ck_assert_double_eq_tol(texels, floor(texels + 0.5), 1e-3);
    }
    close_figure(&f);
}
END_TEST

/* ---- lights that cast none ------------------------------------------------------------------- */

START_TEST(lights_that_reach_nothing_have_no_map)
{
    const mrw_shadow_bounds box = {{-1, -1, -1}, {1, 1, 1}};
    const mrw_shadow_bounds none = {{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};
    const mrw_shadow_bounds point = {{0, 0, 0}, {0, 0, 0}};
    const mrw_light lit = {.type = MRW_LIGHT_POINT,
                           .position = {0, 5, 0},
                           .color = {1, 1, 1},
                           .outer_cone = 0.5f,
                           .to_light = {0, 1, 0},
                           .throws_shadow = true};
    mrw_shadow_map map;
    mrw_light light = lit;
    ck_assert(mrw_shadow_frame(&light, &box, 256, 1, &map));
    ck_assert_uint_eq(map.faces, 6);
    ck_assert_uint_eq(map.size, 128);
    light.range = 3.9f; /* the box begins at a distance of 4 */
    ck_assert(!mrw_shadow_frame(&light, &box, 256, 1, &map));
    light.range = 4.1f;
    ck_assert(mrw_shadow_frame(&light, &box, 256, 1, &map));
    light.type = MRW_LIGHT_SPOT;
    ck_assert(mrw_shadow_frame(&light, &box, 256, 1, &map));
    ck_assert_uint_eq(map.faces, 1);
    light.throws_shadow = false;
    ck_assert(!mrw_shadow_frame(&light, &box, 256, 1, &map));
    light = lit;
    light.color[0] = light.color[1] = light.color[2] = 0.0f;
    ck_assert(!mrw_shadow_frame(&light, &box, 256, 1, &map));
    for (int type = MRW_LIGHT_DIRECTIONAL; type <= MRW_LIGHT_SPOT; type++) {
        light = lit;
        light.type = (mrw_light_type)type;
        ck_assert(!mrw_shadow_frame(&light, &none, 256, 1, &map));
        light.position[1] = 0.0f; /* where all is */
        ck_assert(!mrw_shadow_frame(&light, &point, 256, 1, &map));
    }
}
END_TEST

/* ---- ground ---------------------------------------------------------------------------------- */

/* The square, and a speck at height 0 far from its shadow, which says where the ground is. */
static void open_ground(stage *s)
{
    mrwi_scene_builder *b = begin();
    const uint32_t material = white(b);
    const double h = SQUARE_HALF, y = SQUARE_Y;
    const double o[3] = {-h, y, h}, u[3] = {h, y, h}, v[3] = {-h, y, -h};
    const double po[3] = {1.8, 0, 1.8}, pu[3] = {1.81, 0, 1.8}, pv[3] = {1.8, 0, 1.79};
    add_rectangle(b, o, u, v, material);
    add_rectangle(b, po, pu, pv, material);
    open_stage(s, b, MRW_LIGHT_DIRECTIONAL);
    memcpy(s->light.direction, (float[3]){0, -1, 0}, sizeof s->light.direction);
}

/* Pixel (x, y) of a picture of 4 channels. */
static const uint8_t *at(const mrw_image *image, int x, int y)
{
    return image->pixels + 4 * (y * SIDE + x);
}

/* The share of shadows that the ground shows at a pixel: they end over an eighth of the picture. */
static double border_share(int x, int y)
{
    const double band = SIDE / 8.0;
    double share = 1.0;
    for (int i = 0; i < 2; i++) {
        const int from = i ? y : x, to = SIDE - 1 - from;
        double d = (from < to ? from : to) / band;
        d = d < 1 ? d : 1;
        share *= (3 - 2 * d) * d * d;
    }
    return share;
}

/* Light of 6 / pi falls on the floor; ambient light a third of that leaves a quarter of all: the
 * shadow takes three. */
START_TEST(a_catcher_shows_what_shadows_take)
{
    stage s;
    open_ground(&s);
    s.def.transparent = true;
    s.def.ground = MRW_GROUND_CATCHER;
    for (int i = 0; i < 3; i++) {
        s.def.ambient[i] = (float)(2.0 / 3.14159265358979);
    }
    mrw_image shown = draw(&s, true);
    ck_assert_uint_eq(shown.channels, 4);
    ck_assert_int_eq(at(&shown, SIDE / 2, SIDE / 2)[3], 191); /* 0.75 * 255 */
    ck_assert_int_eq(at(&shown, SIDE / 2, SIDE / 2)[0], 0);
    ck_assert_int_eq(at(&shown, 10, 10)[3], 0);
    mrw_image_free(&shown);
    shown = draw(&s, false); /* without shadows there is nothing to catch */
    ck_assert_int_eq(at(&shown, SIDE / 2, SIDE / 2)[3], 0);
    mrw_image_free(&shown);
    close_stage(&s);
}
END_TEST

/* An eye that looks down by an angle; 90 degrees are seen. */
static void look_from(stage *s, double height, double z, double angle)
{
    const float c = (float)cos(angle), d = (float)sin(angle), y = (float)height, w = (float)z;
    s->def.camera = (mrw_camera){.near_plane = 0.01f, .far_plane = 100.0f};
    s->def.camera.world_to_view =
        (mrw_mat4){{1, 0, 0, 0, 0, c, d, 0, 0, -d, c, 0, 0, d * w - c * y, -d * y - c * w, 1}};
    s->def.camera.view_to_clip =
        (mrw_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -100.0f / 99.99f, -1, 0, 0, -1.0f / 99.99f, 0}};
}

/* The ground catches what rays say, wherever the camera stands: pixels of it that are surely dark
 * are, and the others are empty. Returns how many were dark. */
static int check_caught(stage *s, double height, double z, double angle, double soft)
{
    look_from(s, height, z, angle);
    mrw_image shown = draw(s, true);
    int dark = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double across = (i % SIDE + 0.5) / SIDE * 2 - 1, up = 1 - (i / SIDE + 0.5) / SIDE * 2;
        const double down = sin(angle) - up * cos(angle);
        const double t = height / down, wx = t * across;
        const double wz = z - t * (cos(angle) + up * sin(angle));
        const bool near = down > 0 && t < 8 && fabs(wx) < 4 && fabs(wz) < 4;
        /* neither the square nor the speck stand before it */
        const double k = (height - SQUARE_Y) / down, sz = z - k * (cos(angle) + up * sin(angle));
        const bool hidden =
            k > 0 && fabs(k * across) < SQUARE_HALF + 0.05 && fabs(sz) < SQUARE_HALF + 0.05;
        if (!near || hidden || (fabs(wx - 1.8) < 0.1 && fabs(wz - 1.8) < 0.1)) {
            continue;
        }
        const uint8_t alpha = at(&shown, i % SIDE, i / SIDE)[3];
        if (is_dark(&s->light, wx, wz, SQUARE_HALF - soft)) {
            const double want = 255 * border_share(i % SIDE, i / SIDE);
            ck_assert_msg(fabs(alpha - want) <= 1, "(%g, %g) is lit: %d, not %g", wx, wz, alpha,
                          want);
            dark += want > 250;
        } else if (!is_dark(&s->light, wx, wz, SQUARE_HALF + soft)) {
            ck_assert_msg(alpha == 0, "(%g, %g) is dark: %d", wx, wz, alpha);
        }
    }
    mrw_image_free(&shown);
    return dark;
}

/* Shadows that lie before the camera, aside, behind it, and around it. */
START_TEST(a_catcher_shows_all_of_a_shadow)
{
    static const float ways[][3] = {
        {0, -1, 0}, {0.7f, -1, -0.4f}, {-0.6f, -1, 1.2f}, {0, -1, 2.7f}, {0.1f, -1, -3}};
    stage s;
    open_ground(&s);
    s.def.transparent = true;
    s.def.ground = MRW_GROUND_CATCHER;
    s.light.intensity = 0.9f;
    for (int type = MRW_LIGHT_DIRECTIONAL; type <= MRW_LIGHT_SPOT; type++) {
        int dark = 0;
        s.light.type = (mrw_light_type)type;
        s.light.outer_cone = 0.8f;
        for (size_t i = 0; i < COUNT(ways); i++) {
            memcpy(s.light.direction, ways[i], sizeof s.light.direction);
            for (int k = 0; k < 3; k++) {
                s.light.position[k] = -1.7f * ways[i][k];
            }
            dark += check_caught(&s, 2.5, 3.0, 0.6, 0.1);
            dark += check_caught(&s, 0.5, 2.6, 0.1, 0.1);
            dark += check_caught(&s, 4.0, 0.0, 1.5, 0.1);
        }
        ck_assert_int_gt(dark, 5000);
    }
    close_stage(&s);
}
END_TEST

/* And the whole of its border: the only light leaves as much alpha as it does not come. */
START_TEST(a_catcher_shows_whole_borders)
{
    static const float directions[][3] = {
        {0.013f, -1, 0.017f}, {0.5f, -1, 0.2f}, {-0.4f, -1, 0.3f}, {0.1f, -1, -0.6f}};
    static const mrw_mat4 world = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const mrw_shadow_bounds box = {{-0.6f, 0, -0.6f}, {1.81f, 1, 1.8f}};
    stage s;
    open_ground(&s);
    s.def.transparent = true;
    s.def.ground = MRW_GROUND_CATCHER;
    for (size_t i = 0; i < 2 * COUNT(directions); i++) {
        mrw_light light;
        mrw_shadow_map map;
        int between = 0;
        s.def.shadow_size = i % 2 ? 256 : 128;
        memcpy(s.light.direction, directions[i / 2], sizeof s.light.direction);
        mrw_light_place(&s.light, &world, &light);
        ck_assert(mrw_shadow_frame(&light, &box, s.def.shadow_size, s.def.shadow_softness, &map));
        mrw_image shown = draw(&s, true);
        for (int k = 0; k < SIDE * SIDE; k += 3) {
            const double wx = ((k % SIDE + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const double wz = ((k / SIDE + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const double share = share_at(&s, &map, wx, wz);
            const bool speck = fabs(wx - 1.8) < 0.5 && fabs(wz - 1.8) < 0.5;
            const int alpha = at(&shown, k % SIDE, k / SIDE)[3];
            const double want = (1 - share) * border_share(k % SIDE, k / SIDE) * 255;
            ck_assert_msg(share < 0 || speck || fabs(alpha - want) < 1.5,
                          "direction %zu: (%g, %g) is %d, not %g", i, wx, wz, alpha, want);
            between += share > 0.02 && share < 0.98 && !speck;
        }
        ck_assert_int_gt(between, i % 2 ? 5 : 40);
        mrw_image_free(&shown);
    }
    close_stage(&s);
}
END_TEST

/* Soft borders, too, are caught as a whole: the alpha is that of soft_share, far beyond the
 * square's own shadow. */
START_TEST(a_catcher_shows_whole_soft_borders)
{
    static const float directions[][3] = {
        {0.013f, -1, 0.017f}, {0.4f, -1, 0.2f}, {-0.4f, -1, 0.3f}};
    stage s;
    open_ground(&s);
    s.def.transparent = true;
    s.def.ground = MRW_GROUND_CATCHER;
    s.def.shadow_softness = 50.0f;
    for (size_t i = 0; i < COUNT(directions); i++) {
        double sum = 0;
        int count = 0;
        memcpy(s.light.direction, directions[i], sizeof s.light.direction);
        const double length = sqrt((double)(s.light.direction[0] * s.light.direction[0] + 1 +
                                            s.light.direction[2] * s.light.direction[2]));
        mrw_image shown = draw(&s, true);
        for (int k = 0; k < SIDE * SIDE; k += 3) {
            const double wx = ((k % SIDE + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const double wz = ((k / SIDE + 0.5) / SIDE * 2 - 1) * (double)EXTENT;
            const double share = soft_share(&s, wx, wz, 0.5 * SQUARE_Y * length);
            const double want = (1 - share) * border_share(k % SIDE, k / SIDE) * 255;
            if (share < 1 && (wx < 1.3 || wz < 1.3)) {
                sum += fabs(at(&shown, k % SIDE, k / SIDE)[3] - want);
                count++;
            }
        }
        ck_assert_int_gt(count, 1000);
        ck_assert_msg(sum / count < 14, "direction %zu: off by %g", i, sum / count);
        mrw_image_free(&shown);
    }
    close_stage(&s);
}
END_TEST

/* All of the picture lies in shadow. No pixel at its border shows that, and all others as much as
 * border_share says: of a catcher, of a coloured ground, and of ambient occlusion, which hides all
 * light here. */
START_TEST(the_border_cuts_no_shadow_of_the_ground)
{
    stage s;
    open_ground(&s);
    s.light.intensity = 1.0f;
    s.def.transparent = true;
    s.def.camera.view_to_clip.m[0] = s.def.camera.view_to_clip.m[5] = 1 / 0.4f;
    memset(s.def.ground_color, 0xff, 3);
    for (int i = 0; i < 4; i++) {
        const bool catches = i % 2 == 0;
        s.def.ground = catches ? MRW_GROUND_CATCHER : MRW_GROUND_COLOR;
        s.def.samples = i < 2 ? 1 : 4;
        mrw_image shown = draw(&s, true);
        for (int k = 0; k < SIDE * SIDE; k++) {
            const uint8_t *p = at(&shown, k % SIDE, k / SIDE);
            const double dark = border_share(k % SIDE, k / SIDE);
            const double seen = catches ? 1 - p[3] / 255.0 : linear_of(p[0]);
            ck_assert_msg(fabs(seen - (1 - dark)) < 0.006, "%d: (%d, %d) is %g, not %g", i,
                          k % SIDE, k / SIDE, seen, 1 - dark);
        }
        ck_assert_int_eq(at(&shown, 0, 100)[3], catches ? 0 : 255);
        ck_assert_int_eq(at(&shown, 100, 0)[0], catches ? 0 : 255);
        mrw_image_free(&shown);
    }
    close_stage(&s);
}
END_TEST

/* All kernels, and all numbers of threads, give the same bits of soft shadows on a ground, with its
 * border and occlusion. */
START_TEST(soft_shadows_do_not_depend_on_kernels_and_threads)
{
    stage s;
    open_ground(&s);
    s.def.shadows = s.def.transparent = s.def.occlusion = true;
    s.def.ground = MRW_GROUND_CATCHER;
    s.def.shadow_softness = 30.0f;
    s.def.samples = 4;
    s.def.ambient[1] = 0.5f;
    look_from(&s, 2.5, 3.0, 0.6);
    for (int type = MRW_LIGHT_DIRECTIONAL; type <= MRW_LIGHT_SPOT; type++) {
        mrw_image first = {0};
        s.light.type = (mrw_light_type)type;
        memcpy(s.light.position, (float[3]){0.5f, 3, 0.2f}, sizeof s.light.position);
        for (int i = 0; i < 3 * MRW_ISA_COUNT; i++) {
            mrw_image image = {0};
            s.def.isa = (mrw_isa)(i / 3);
            if (!mrw_isa_available(s.def.isa)) {
                continue;
            }
            ck_assert_int_eq(
                mrw_render(s.renderer, &s.def, &s.instance, 1, 1 + i % 3, &image, NULL), MRW_OK);
            if (!first.pixels) {
                first = image;
                continue;
            }
            ck_assert_mem_eq(first.pixels, image.pixels, (size_t)SIDE * SIDE * 4);
            mrw_image_free(&image);
        }
        mrw_image_free(&first);
    }
    close_stage(&s);
}
END_TEST

/* A background of #808080 is 0.2159 of linear light; a quarter of that is #424242 (0.0540). What is
 * not in the shadow is as written. */
START_TEST(a_catcher_darkens_the_background)
{
    stage s;
    open_ground(&s);
    s.def.ground = MRW_GROUND_CATCHER;
    memset(s.def.background, 0x80, 3);
    for (int i = 0; i < 3; i++) {
        s.def.ambient[i] = (float)(2.0 / 3.14159265358979);
    }
    mrw_image shown = draw(&s, true);
    ck_assert_int_eq(shown.pixels[3 * (SIDE / 2 * SIDE + SIDE / 2)], 0x42);
    ck_assert_int_eq(shown.pixels[3 * (10 * SIDE + 10)], 0x80);
    mrw_image_free(&shown);
    close_stage(&s);
}
END_TEST

/* A matt plane of linear 0.2159 under light of 1 shows just that, #808080, and black in the
 * shadow; from below there is none. */
START_TEST(a_coloured_ground_is_matt_and_opaque)
{
    stage s;
    open_ground(&s);
    s.def.transparent = true;
    s.def.ground = MRW_GROUND_COLOR;
    memset(s.def.ground_color, 0x80, 3);
    s.light.intensity = 1.0f;
    mrw_image shown = draw(&s, true);
    ck_assert_int_eq(at(&shown, 10, 10)[0], 0x80);
    ck_assert_int_eq(at(&shown, 10, 10)[3], 255);
    ck_assert_int_eq(at(&shown, SIDE / 2, SIDE / 2)[0], 0);
    ck_assert_int_eq(at(&shown, SIDE / 2, SIDE / 2)[3], 255);
    mrw_image_free(&shown);
    s.def.camera.world_to_view = (mrw_mat4){{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, -5, 1}};
    shown = draw(&s, true);
    ck_assert_int_eq(at(&shown, 10, 10)[3], 0);
    mrw_image_free(&shown);
    close_stage(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("shadow");
    TCase *tc = tcase_create("shadow");
    tcase_set_timeout(tc, 120);
    suite_add_tcase(s, tc);
    tcase_add_test(tc, directional_lights_cast_shadows);
    tcase_add_test(tc, softness_is_a_part_of_the_distance);
    tcase_add_test(tc, soft_edges_are_straight);
    tcase_add_test(tc, softness_grows_with_the_distance);
    tcase_add_test(tc, softness_of_lamps_is_their_size);
    tcase_add_test(tc, levels_show_texels_of_the_map);
    tcase_add_test(tc, points_and_spots_cast_shadows);
    tcase_add_test(tc, maps_hold_whole_cones);
    tcase_add_test(tc, far_lamps_cast_shadows);
    tcase_add_test(tc, borders_are_those_of_a_box);
    tcase_add_test(tc, transparent_casters_stop_ninths);
    tcase_add_test(tc, masks_and_backs_cast_shadows);
    tcase_add_test(tc, shadows_are_dark_on_all_surfaces);
    tcase_add_test(tc, a_plane_does_not_shade_itself);
    tcase_add_test(tc, a_sphere_does_not_shade_itself);
    tcase_add_test(tc, shadows_begin_where_surfaces_touch);
    tcase_add_test(tc, maps_do_not_depend_on_cameras_kernels_and_threads);
    tcase_add_test(tc, spans_hold_all_that_a_map_shows);
    tcase_add_test(tc, maps_hold_nothing_of_those_before);
    tcase_add_test(tc, maps_of_a_sequence_stand_still);
    tcase_add_test(tc, lights_that_reach_nothing_have_no_map);
    tcase_add_test(tc, a_catcher_shows_what_shadows_take);
    tcase_add_test(tc, a_catcher_shows_all_of_a_shadow);
    tcase_add_test(tc, a_catcher_shows_whole_borders);
    tcase_add_test(tc, a_catcher_shows_whole_soft_borders);
    tcase_add_test(tc, the_border_cuts_no_shadow_of_the_ground);
    tcase_add_test(tc, soft_shadows_do_not_depend_on_kernels_and_threads);
    tcase_add_test(tc, a_catcher_darkens_the_background);
    tcase_add_test(tc, a_coloured_ground_is_matt_and_opaque);
    return s;
}

TEST_MAIN(suite())
