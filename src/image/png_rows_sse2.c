/* png_rows_sse2.c: the filters of PNG, 16 bytes at a time; every x86-64 has SSE2. */
#define MRWI_BASE_LANES     4
#define MRWI_IMAGE_PNG_ROWS mrwi_image_png_rows_kernels_sse2
#include "image/png_rows_kernel.h"
