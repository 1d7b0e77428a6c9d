/* environment_lanes_sse2.c: what surfaces see of environments, 4 at a time; every x86-64 has SSE2.
 */
#define MRWI_BASE_LANES   4
#define ENVIRONMENT_LANES environment_lanes_sse2
#include "environment_lanes_run.h"
