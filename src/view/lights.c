/* lights.c: light rigs, placed relative to the camera.
 *
 * Intensities are linear radiance. The studio rig is three-point lighting (key, fill, rim) over a
 * hemisphere; its sum stays below one for every direction of a normal that faces the camera, so a
 * white surface keeps its shape, and above a tenth for those, so nothing is lost in the dark
 * (tests/test_view.c walks all directions).
 */
#include "view/view.h"

#include "base/math.h"
#include "base/parallel.h"

#include <string.h>

/* A light given by a direction in view space: x right, y up, z towards the viewer. */
static void add_light(const mrw_camera *camera, float x, float y, float z, const float color[3],
                      float specular, mrw_light_rig *rig)
{
    const float *m = camera->world_to_view.m;
    mrw_light *light = &rig->lights[rig->light_count++];
    for (int i = 0; i < 3; i++) {
        light->to_light[i] = (x * m[4 * i] + y * m[4 * i + 1]) + z * m[4 * i + 2];
        light->color[i] = color[i];
    }
    mrwi_base_normalize3(light->to_light);
    light->specular = specular;
}

static void set_ambient(const float sky[3], const float ground[3], mrw_light_rig *rig)
{
    rig->up[1] = 1.0f;
    memcpy(rig->sky, sky, sizeof rig->sky);
    memcpy(rig->ground, ground, sizeof rig->ground);
}

void mrw_light_rig_studio(const mrw_camera *camera, mrw_light_rig *out)
{
    static const float warm[3] = {0.74f, 0.705f, 0.65f};
    static const float cool[3] = {0.16f, 0.19f, 0.23f};
    static const float white[3] = {0.42f, 0.43f, 0.45f};
    static const float sky[3] = {0.24f, 0.25f, 0.27f};
    static const float ground[3] = {0.135f, 0.125f, 0.115f};
    mrwi_base_fp fp = mrwi_base_fp_enter();
    memset(out, 0, sizeof *out);
    add_light(camera, -0.55f, 0.65f, 0.80f, warm, 0.22f, out);  /* key: over the left shoulder */
    add_light(camera, 0.90f, 0.10f, 0.55f, cool, 0.0f, out);    /* fill: low, from the right */
    add_light(camera, 0.45f, 0.60f, -0.85f, white, 0.10f, out); /* rim: behind, above */
    set_ambient(sky, ground, out);
    out->shininess = 32.0f;
    mrwi_base_fp_leave(fp);
}

void mrw_light_rig_single(const mrw_camera *camera, mrw_light_rig *out)
{
    static const float white[3] = {0.86f, 0.86f, 0.86f};
    static const float flat[3] = {0.10f, 0.10f, 0.10f};
    mrwi_base_fp fp = mrwi_base_fp_enter();
    memset(out, 0, sizeof *out);
    add_light(camera, -0.35f, 0.50f, 0.90f, white, 0.0f, out);
    set_ambient(flat, flat, out);
    out->shininess = 1.0f;
    mrwi_base_fp_leave(fp);
}
