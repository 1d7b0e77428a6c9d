/* png.c: PNG and animated PNG. stb_image_write filters and packs, libdeflate compresses. */
#include "base/memory.h"
#include "base/text.h"
#include "marrow/image.h"

#include <assert.h>
#include <libdeflate.h>
#include <string.h>

/* Level 6 of 12. Over rendered frames it packs within a few per cent of 12 at a fraction of the
 * time; see the figures in the tests/bench output. */
#define DEFLATE_LEVEL 6

/* For stb_image_write: a zlib stream in a block of mrwi_alloc, NULL when out of memory. */
static unsigned char *compress_zlib(const unsigned char *data, int size, int *out_size)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(DEFLATE_LEVEL);
    if (compressor == NULL) {
        return NULL;
    }
    size_t bound = libdeflate_zlib_compress_bound(compressor, (size_t)size);
    unsigned char *out = mrwi_alloc(bound, 1);
    size_t used = 0;
    if (out != NULL) {
        used = libdeflate_zlib_compress(compressor, data, (size_t)size, out, bound);
        assert(used != 0);
    }
    libdeflate_free_compressor(compressor);
    *out_size = (int)used;
    return out;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC /* an importer in the same process may hold its own copy */
#define STBIW_MALLOC(size) mrwi_alloc((size_t)(size), 1)
#define STBIW_REALLOC_SIZED(block, old_size, new_size)                                             \
    mrwi_realloc(block, (size_t)(old_size), (size_t)(new_size), 1)
#define STBIW_FREE(block)                                  mrwi_free(block)
#define STBIW_ZLIB_COMPRESS(data, size, out_size, quality) compress_zlib(data, size, out_size)
#include "stb_image_write.h"
#pragma GCC diagnostic pop

mrw_status mrw_png_encode(const mrw_image *image, mrw_bytes *out, mrw_error *error)
{
    assert(image->channels == 3 || image->channels == 4);
    int size = 0;
    unsigned char *data = stbi_write_png_to_mem(image->pixels, 0, (int)image->width,
                                                (int)image->height, (int)image->channels, &size);
    if (data == NULL) {
        return mrwi_fail_memory(error, 0);
    }
    *out = (mrw_bytes){data, (size_t)size};
    return MRW_OK;
}
