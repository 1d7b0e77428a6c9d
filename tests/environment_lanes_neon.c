/* environment_lanes_neon.c: what surfaces see of environments, 4 at a time; every AArch64 has NEON.
 */
#define MRWI_BASE_LANES   4
#define ENVIRONMENT_LANES environment_lanes_neon
#include "environment_lanes_run.h"
