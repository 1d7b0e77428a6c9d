/* golden_fixture.h: what the tests of `marrow test` share: suites of a model whose answers are
 * known, and ways to spoil their goldens. */
#ifndef MARROW_GOLDEN_FIXTURE_H
#define MARROW_GOLDEN_FIXTURE_H

#include "cli_fixture.h"

#include <marrow/codecs.h>
#include <marrow/diff.h>
#include <marrow/golden.h>

static inline void put(const char *path, const char *format, ...)
{
    va_list arguments;
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file, "cannot write %s", path);
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fclose(file);
}

/* The suite "t" with the sections given, in small pictures. */
static inline void put_suite(const char *sections)
{
    put("t.suite.ini", "[defaults]\nsize = 64x48\naa = 1\n%s", sections);
}

/* One case of two frames, with its goldens: golden/t/go/Go_0000.png and Go_0015.png. */
static inline void make_goldens(void)
{
    write_plain_triangle();
    put_suite("[go]\nmodel = tri.gltf\nclip = Go\nframes = 0,15\n");
    shell("marrow test --update");
    assert_status(0);
}

static inline void assert_printed(const char *text)
{
    ck_assert_msg(strstr(out, text), "'%s' lacks '%s' (%s)", out, text, err);
}

static inline void assert_not_printed(const char *text)
{
    ck_assert_msg(!strstr(out, text), "'%s' has '%s'", out, text);
}

/* Changes one channel of one pixel of a picture file by `by`. */
static inline void spoil_pixel(const char *path, uint32_t x, uint32_t y, uint8_t by)
{
    mrw_image image = {0};
    mrw_bytes bytes;
    mrw_error error;
    ck_assert_msg(mrw_image_read(path, 0, &image, &error) == MRW_OK, "%s", error.text);
    uint8_t *channel = &image.pixels[((size_t)y * image.width + x) * image.channels];
    *channel = (uint8_t)(*channel ^ by);
    ck_assert_int_eq(mrw_png_encode(&image, &bytes, &error), MRW_OK);
    ck_assert_int_eq(mrw_file_write(path, bytes.data, bytes.size, &error), MRW_OK);
    mrw_bytes_free(&bytes);
    mrw_image_free(&image);
}

/* Everything below a folder, names and contents, as one text. */
static inline void fingerprint(const char *path, char out_text[65])
{
    char command[300];
    snprintf(command, sizeof command,
             "find %s -type f | sort | xargs sha256sum | sha256sum | cut -c1-64", path);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    ck_assert_int_eq(fscanf(pipe, "%64s", out_text), 1);
    pclose(pipe);
}

#endif
