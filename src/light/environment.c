/* environment.c: environments: creating, layout in memory, placing. */
#include "light/environment.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/work.h"
#include "image/hdr.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

/* ---- maps ------------------------------------------------------------------------------------ */

size_t mrwi_light_environment_lay_out(const uint32_t *sizes, uint32_t count,
                                      mrwi_light_environment_level *levels)
{
    size_t texels = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t stride = sizes[i] + 2;
        const float half = 0.5f * (float)sizes[i];
        levels[i] =
            (mrwi_light_environment_level){(int32_t)texels, (int32_t)stride, half, half + 0.5f};
        texels += (size_t)stride * stride;
    }
    return texels;
}

/* Halves the side from level to level, as roughness blurs more, down to 64 texels up to roughness
 * 1/2 and to 32 beyond: texels then span 0.06 and 0.11 radians, lobes 0.3 and more. */
void mrwi_light_environment_sizes(uint32_t first, uint32_t sizes[MRWI_LIGHT_ENVIRONMENT_LEVELS])
{
    for (uint32_t i = 0; i < MRWI_LIGHT_ENVIRONMENT_LEVELS; i++) {
        const uint32_t least = 2 * i < MRWI_LIGHT_ENVIRONMENT_LEVELS ? 64 : 32;
        sizes[i] = first >> i > least ? first >> i : least;
    }
}

/* Beyond an edge, a map continues with the same edge, mirrored about its middle. */
void mrwi_light_environment_close(const mrwi_light_environment_level *level, float (*texels)[4])
{
    const size_t stride = (size_t)level->stride, last = stride - 1;
    float(*map)[4] = texels + level->first;
    for (size_t i = 1; i < last; i++) {
        memcpy(map[i], map[stride + last - i], sizeof *map);
        memcpy(map[last * stride + i], map[(last - 1) * stride + last - i], sizeof *map);
        memcpy(map[i * stride], map[(last - i) * stride + 1], sizeof *map);
        memcpy(map[i * stride + last], map[(last - i) * stride + last - 1], sizeof *map);
    }
    memcpy(map[0], map[(last - 1) * stride + last - 1], sizeof *map);
    memcpy(map[last], map[(last - 1) * stride + 1], sizeof *map);
    memcpy(map[last * stride], map[stride + last - 1], sizeof *map);
    memcpy(map[last * stride + last], map[stride + 1], sizeof *map);
}

void mrwi_light_environment_direction(float u, float v, float out[3])
{
    const float y = 1.0f - fabsf(u) - fabsf(v);
    const float x = y < 0.0f ? copysignf(1.0f - fabsf(v), u) : u;
    const float z = y < 0.0f ? copysignf(1.0f - fabsf(u), v) : v;
    const float scale = 1.0f / sqrtf((x * x + y * y) + z * z);
    out[0] = x * scale;
    out[1] = y * scale;
    out[2] = z * scale;
}

/* ---- what backends read ---------------------------------------------------------------------- */

mrw_environment_info mrw_environment_look(const mrw_environment *environment)
{
    const mrwi_light_environment_map *map = &environment->specular;
    const mrwi_light_environment_level *last = &map->levels[MRW_ENVIRONMENT_LEVELS - 1];
    const uint32_t side = mrwi_light_environment_size(last) + 2;
    mrw_environment_info out = {.id = environment->id,
                                .texels = map->texels[0],
                                .texel_count = (uint32_t)last->first + side * side,
                                .picture = (const float *)environment->picture.pixels,
                                .picture_width = environment->picture.width,
                                .picture_height = environment->picture.height};
    memcpy(out.diffuse, environment->diffuse, sizeof out.diffuse);
    for (uint32_t i = 0; i < MRW_ENVIRONMENT_LEVELS; i++) {
        out.levels[i] = (mrw_environment_level){(uint32_t)map->levels[i].first,
                                                mrwi_light_environment_size(&map->levels[i]) + 2};
    }
    return out;
}

/* ---- creating and freeing -------------------------------------------------------------------- */

mrw_environment *mrwi_light_environment_alloc(uint32_t first_size)
{
    uint32_t sizes[MRWI_LIGHT_ENVIRONMENT_LEVELS];
    static _Atomic uint64_t last;
    mrw_environment *environment = mrwi_base_alloc_zero(1, sizeof *environment);
    if (!environment) {
        return NULL;
    }
    environment->id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    mrwi_light_environment_sizes(first_size, sizes);
    mrwi_light_environment_map *map = &environment->specular;
    const size_t texels =
        mrwi_light_environment_lay_out(sizes, MRWI_LIGHT_ENVIRONMENT_LEVELS, map->levels);
    for (uint32_t i = 0; i < MRWI_LIGHT_ENVIRONMENT_LEVELS; i++) {
        map->firsts[i] = map->levels[i].first;
        map->strides[i] = map->levels[i].stride;
    }
    map->texels = mrwi_base_alloc_zero(texels, sizeof *map->texels);
    if (!map->texels) {
        mrwi_base_free(environment);
        return NULL;
    }
    return environment;
}

void mrw_environment_free(mrw_environment *environment)
{
    if (environment) {
        mrwi_base_free(environment->specular.texels);
        mrwi_base_free(environment->picture.pixels);
        mrwi_base_free(environment);
    }
}

/* Fills the levels and the polynomials of a picture. */
static mrw_status fill(const mrwi_light_sky *sky, int threads, mrw_environment *environment,
                       mrw_error *error)
{
    mrwi_light_environment_map *map = &environment->specular;
    mrw_status status =
        mrwi_light_environment_find_diffuse(sky, threads, environment->diffuse, error);
    if (status) {
        return status;
    }
    mrwi_light_environment_resample(sky, threads, &map->levels[0], map->texels);
    mrwi_light_environment_close(&map->levels[0], map->texels);
    status = mrwi_light_environment_prefilter(map, threads, error);
    return status ? status : mrwi_base_work_check(NULL, error);
}

static mrw_status create(const mrwi_light_picture *picture, bool keep_picture, int threads,
                         mrw_environment **out, mrw_error *error)
{
    mrw_environment *environment = NULL;
    mrwi_light_sky sky;
    mrw_status status = mrwi_light_environment_reduce(picture, threads, &sky, error);
    if (status) {
        goto out;
    }
    environment = mrwi_light_environment_alloc(sky.width > 512 ? 512 : 256);
    if (!environment) {
        status = mrwi_base_fail_memory(error, 0);
        goto out;
    }
    status = fill(&sky, threads, environment, error);
    if (status) {
        goto out;
    }
    if (keep_picture) {
        environment->picture = sky;
        sky.pixels = NULL;
    }
out:
    mrwi_base_free(sky.pixels);
    if (status) {
        mrw_environment_free(environment);
        environment = NULL;
    }
    *out = environment;
    return status;
}

mrw_status mrw_environment_create(const float *radiance, uint32_t width, uint32_t height,
                                  bool keep_picture, int threads, mrw_environment **out,
                                  mrw_error *error)
{
    assert(radiance && threads >= 1);
    const mrwi_light_picture picture = {radiance, NULL, width, height};
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrw_status status = create(&picture, keep_picture, threads, out, error);
    mrwi_base_fp_leave(fp);
    return status;
}

mrw_status mrw_environment_create_hdr(const void *data, size_t size, const char *name,
                                      bool keep_picture, int threads, mrw_environment **out,
                                      mrw_error *error)
{
    assert(data && threads >= 1);
    mrwi_base_fp fp = mrwi_base_fp_enter();
    mrwi_image_hdr hdr;
    *out = NULL;
    mrw_status status =
        mrwi_image_hdr_open(data, size, MRW_ENVIRONMENT_MAX_PIXELS, name, &hdr, error);
    if (!status) {
        const mrwi_light_picture picture = {NULL, &hdr, hdr.width, hdr.height};
        status = create(&picture, keep_picture, threads, out, error);
    }
    mrwi_image_hdr_close(&hdr);
    mrwi_base_fp_leave(fp);
    return status;
}

/* ---- placing --------------------------------------------------------------------------------- */

/* Computes cosine and sine of a camera's rotation about the Y axis: of its right axis in the ground
 * plane or, if that is upright, of its back axis. */
static void camera_turn(const mrw_camera *camera, double *cosine, double *sine)
{
    const float *m = camera->world_to_view.m;
    double x = (double)m[0], z = (double)m[8];
    if (x * x + z * z < 1e-6) {
        x = (double)m[10];
        z = -(double)m[2];
    }
    const double length = sqrt(x * x + z * z);
    *cosine = length > 0.0 ? x / length : 1.0;
    *sine = length > 0.0 ? -z / length : 0.0;
}

void mrw_environment_place(const mrw_environment *environment, float degrees, float intensity,
                           const mrw_camera *camera, mrw_lighting *lighting)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    const double angle = (double)degrees * (MRWI_BASE_PI / 180.0);
    const double c = mrwi_base_cos(angle), s = mrwi_base_sin(angle);
    double turned_c = 1.0, turned_s = 0.0;
    if (camera) {
        camera_turn(camera, &turned_c, &turned_s);
    }
    /* the sum of both angles */
    const float cosine = (float)(c * turned_c - s * turned_s);
    const float sine = (float)(s * turned_c + c * turned_s);
    const float matrix[9] = {cosine, 0.0f, sine, 0.0f, 1.0f, 0.0f, -sine, 0.0f, cosine};
    lighting->environment = environment;
    memcpy(lighting->world_to_environment, matrix, sizeof matrix);
    lighting->environment_intensity = intensity;
    mrwi_base_fp_leave(fp);
}
