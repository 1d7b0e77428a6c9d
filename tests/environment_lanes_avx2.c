/* environment_lanes_avx2.c: what surfaces see of environments, 8 at a time; compiled with AVX2. */
#define MRWI_BASE_LANES   8
#define ENVIRONMENT_LANES environment_lanes_avx2
#include "environment_lanes_run.h"
