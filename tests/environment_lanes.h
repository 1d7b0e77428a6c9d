/* environment_lanes.h: shade/environment_kernel.h over arrays, for test_kernels.c to compare and
 * to time. Each environment_lanes_ISA.c makes a table of it. */
#ifndef MARROW_TEST_ENVIRONMENT_LANES_H
#define MARROW_TEST_ENVIRONMENT_LANES_H

#include "marrow/light.h"

/* What is read, and what is written, of each place. */
enum { LANES_V, LANES_ROUGHNESS = 3, LANES_N_DOT_V, LANES_F0, LANES_IN };
enum { LANES_DIFFUSE, LANES_SPECULAR = 3, LANES_SCALE = 6, LANES_BIAS, LANES_AGAIN, LANES_OUT };

#define LANES_MOST 1024 /* places; arrays hold 16 more */
typedef float environment_in[LANES_IN][LANES_MOST + 16];
typedef float environment_out[LANES_OUT][LANES_MOST + 16];

typedef struct environment_lanes {
    void (*run)(const mrw_lighting *lighting, environment_in *in, uint32_t count,
                environment_out *out);
} environment_lanes;

extern const environment_lanes environment_lanes_sse2, environment_lanes_avx2,
    environment_lanes_avx512, environment_lanes_neon;

#endif
