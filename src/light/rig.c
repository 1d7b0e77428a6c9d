/* rig.c: light rigs, placed relative to the camera.
 *
 * The soft rig, the default, is one key high above the camera, beside a bright studio
 * (environment_studio.c), which is its fill and its rim. A surface that faces the camera gets a
 * third of the key's light, so the key models shapes but does not flatten them. The key stands 68
 * degrees up, so shadows on the ground are short.
 *
 * The three-point rig (key, fill, rim) was the default of pixel versions 7 and 8. It stands over a
 * hemisphere, or in a studio half as bright. For every normal that faces the camera, the sum of its
 * light is above 0.1, so no detail is lost in the dark, and below 1.3, which the Neutral tone map
 * shows as 0.92 (tests/test_light.c walks all directions). The key is so far to the side that
 * surfaces facing the camera are darker than surfaces facing the key: white models keep their shape
 * before a light background, and models with albedo 0.02 keep theirs in the tone map's toe
 * (tests/test_chart.c). The fill comes from below, like a reflector: without it overhanging chests
 * and chins made one side of an animal darker than the other.
 */
#include "marrow/light.h"

#include "base/math.h"
#include "base/parallel.h"

#include <string.h>

/* Makes a directional light given in view space: x right, y up, z towards the viewer. */
static mrw_light light_from(const mrw_camera *camera, float x, float y, float z,
                            const float color[3], float specular)
{
    const float *m = camera->world_to_view.m;
    mrw_light light = {.type = MRW_LIGHT_DIRECTIONAL, .specular = specular};
    for (int i = 0; i < 3; i++) {
        light.to_light[i] = (x * m[4 * i] + y * m[4 * i + 1]) + z * m[4 * i + 2];
        light.color[i] = color[i];
    }
    mrwi_base_normalize3(light.to_light);
    return light;
}

static mrw_lighting lighting_of(const mrw_light *lights, uint32_t count, const float sky[3],
                                const float ground[3])
{
    mrw_lighting lighting = {.lights = lights, .light_count = count, .up = {0.0f, 1.0f, 0.0f}};
    memcpy(lighting.sky, sky, sizeof lighting.sky);
    memcpy(lighting.ground, ground, sizeof lighting.ground);
    return lighting;
}

static uint32_t place_soft(const mrw_camera *camera, mrw_light *lights)
{
    static const float key[3] = {0.83f, 0.83f, 0.83f};
    lights[0] = light_from(camera, -0.35f, 1.4f, 0.45f, key, 1.0f);
    return 1;
}

static uint32_t place_three_point(const mrw_camera *camera, mrw_light *lights)
{
    static const float full[3] = {1.0f, 1.0f, 1.0f};
    static const float weak[3] = {0.24f, 0.24f, 0.24f};
    static const float half[3] = {0.43f, 0.43f, 0.43f};
    lights[0] = light_from(camera, -0.68f, 0.56f, 0.68f, full, 0.6f); /* key: from the left */
    lights[1] = light_from(camera, 0.70f, -0.60f, 0.65f, weak, 0.0f); /* fill: below, right */
    lights[2] = light_from(camera, 0.45f, 0.60f, -0.85f, half, 0.4f); /* rim: behind, above */
    return 3;
}

void mrw_light_rig_studio(mrw_rig_kind kind, const mrw_camera *camera, mrw_light *lights,
                          mrw_lighting *out)
{
    static const float sky[3] = {0.20f, 0.20f, 0.20f};
    static const float ground[3] = {0.125f, 0.125f, 0.125f};
    mrwi_base_fp fp = mrwi_base_fp_enter();
    const uint32_t count =
        kind == MRW_RIG_SOFT ? place_soft(camera, lights) : place_three_point(camera, lights);
    lights[0].throws_shadow = true;
    *out = lighting_of(lights, count, sky, ground);
    mrwi_base_fp_leave(fp);
}

float mrw_light_studio_share(mrw_rig_kind kind, bool beside_rig)
{
    if (kind == MRW_RIG_SOFT) {
        return beside_rig ? 1.0f : 0.5f / 6.0f;
    }
    return beside_rig ? 0.5f : 0.5f / 3.0f;
}

void mrw_light_rig_single(const mrw_camera *camera, mrw_light *lights, mrw_lighting *out)
{
    static const float white[3] = {0.86f, 0.86f, 0.86f};
    static const float flat[3] = {0.10f, 0.10f, 0.10f};
    mrwi_base_fp fp = mrwi_base_fp_enter();
    lights[0] = light_from(camera, -0.35f, 0.50f, 0.90f, white, 1.0f);
    lights[0].throws_shadow = true;
    *out = lighting_of(lights, 1, flat, flat);
    mrwi_base_fp_leave(fp);
}

void mrw_light_rig_dim(mrw_lighting *out)
{
    mrwi_base_fp fp = mrwi_base_fp_enter();
    static const float sky[3] = {0.25f / 3.0f, 0.25f / 3.0f, 0.25f / 3.0f};
    static const float ground[3] = {0.125f / 3.0f, 0.125f / 3.0f, 0.125f / 3.0f};
    *out = lighting_of(NULL, 0, sky, ground);
    mrwi_base_fp_leave(fp);
}
