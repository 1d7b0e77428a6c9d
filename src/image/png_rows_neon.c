/* png_rows_neon.c: the filters of PNG, 16 bytes at a time. */
#define MRWI_BASE_LANES     4
#define MRWI_IMAGE_PNG_ROWS mrwi_image_png_rows_kernels_neon
#include "image/png_rows_kernel.h"
