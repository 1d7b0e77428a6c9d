/* png_rows_neon.c: the filters of PNG, 16 bytes at a time. */
#define MRWI_LANES    4
#define MRWI_PNG_ROWS mrwi_png_rows_kernels_neon
#include "image/png_rows_kernel.h"
