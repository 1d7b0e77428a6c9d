/* environment_lanes_run.h: the body of environment_lanes_ISA.c, which define MRWI_BASE_LANES and
 * ENVIRONMENT_LANES, the name of the table. */
#include "environment_lanes.h"
#include "shade/environment_kernel.h"

static void store3(float (*out)[LANES_MOST + 16], uint32_t i, vec3 v)
{
    vf_store(out[0] + i, v.x);
    vf_store(out[1] + i, v.y);
    vf_store(out[2] + i, v.z);
}

static void run(const mrw_lighting *lighting, environment_in *in, uint32_t count,
                environment_out *out)
{
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vec3 world = {vf_load((*in)[LANES_V] + i), vf_load((*in)[LANES_V + 1] + i),
                            vf_load((*in)[LANES_V + 2] + i)};
        const vec3 v = environment_turn(lighting, world);
        const vf roughness = vf_load((*in)[LANES_ROUGHNESS] + i);
        const vf f0 = vf_load((*in)[LANES_F0] + i);
        vf scale, bias;
        store3(*out + LANES_DIFFUSE, i, environment_diffuse(lighting->environment, v));
        store3(*out + LANES_SPECULAR, i, environment_specular(lighting->environment, v, roughness));
        environment_brdf(roughness, vf_load((*in)[LANES_N_DOT_V] + i), &scale, &bias);
        vf_store((*out)[LANES_SCALE] + i, scale);
        vf_store((*out)[LANES_BIAS] + i, bias);
        vf_store((*out)[LANES_AGAIN] + i,
                 environment_compensation(f0, f0 * scale + bias, scale, bias));
    }
}

const environment_lanes ENVIRONMENT_LANES = {run};
