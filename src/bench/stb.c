/* stb.c: stb_image_write, and stb_image's JPEG reader, for `marrow bench`.
 *
 * The command has it, and the library does not. It is a yardstick because many small renderers
 * write their pictures with its defaults, so a ratio to it means something on any machine. It also
 * writes the textures of the generated character, so that these are files of another encoder. Its
 * JPEG writer shifts bits out of signed numbers: the Makefile compiles this file with -fwrapv,
 * which defines that.
 */
#include "bench/internal.h"

#include <stdlib.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include "stb_image_write.h"
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define stbi_set_unpremultiply_on_load_thread stbi__unpremultiply_on_load_thread
#include "stb_image.h"
#pragma GCC diagnostic pop
/* That header declares functions of formats that it leaves out; gcc warns at the file's end. */
#pragma GCC diagnostic ignored "-Wunused-function"

mrw_status bench_stb_encode(const mrw_image *image, size_t *size, mrw_error *error)
{
    int bytes = 0;
    unsigned char *png = stbi_write_png_to_mem(image->pixels, 0, (int)image->width,
                                               (int)image->height, (int)image->channels, &bytes);
    *size = (size_t)bytes;
    free(png);
    return png ? MRW_OK : bench_fail_memory(error);
}

mrw_status bench_stb_decode(const void *data, size_t size, mrw_error *error)
{
    int width = 0, height = 0, channels = 0;
    unsigned char *pixels =
        stbi_load_from_memory(data, (int)size, &width, &height, &channels, STBI_rgb_alpha);
    free(pixels);
    return pixels ? MRW_OK : bench_fail_memory(error);
}

/* Appends the bytes that stb writes to a text. */
static void put_bytes(void *text, void *bytes, int size)
{
    mrw_text_put(text, bytes, (size_t)size);
}

#define JPEG_QUALITY 90

mrw_status bench_stb_write(const mrw_image *image, bool jpeg, mrw_text *out, mrw_error *error)
{
    int width = (int)image->width, height = (int)image->height, channels = (int)image->channels;
    int fine =
        jpeg ? stbi_write_jpg_to_func(put_bytes, out, width, height, channels, image->pixels,
                                      JPEG_QUALITY)
             : stbi_write_png_to_func(put_bytes, out, width, height, channels, image->pixels, 0);
    return fine && !out->failed ? MRW_OK : bench_fail_memory(error);
}
