/* png_rows_avx2.c: the filters of PNG, 32 bytes at a time; compiled with -mavx2. */
#define MRWI_BASE_LANES     8
#define MRWI_IMAGE_PNG_ROWS mrwi_image_png_rows_kernels_avx2
#include "image/png_rows_kernel.h"
