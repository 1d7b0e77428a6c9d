/* environment_lanes_avx512.c: what surfaces see of environments, 16 at a time; compiled with
 * AVX-512. */
#define MRWI_BASE_LANES   16
#define ENVIRONMENT_LANES environment_lanes_avx512
#include "environment_lanes_run.h"
