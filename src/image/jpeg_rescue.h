/* jpeg_rescue.h: decodes the readable part of a JPEG that is damaged or truncated. Only decode.c
 * includes it, behind stb_image. stb_image refuses such files, where libjpeg goes on. Here its
 * decoder runs up to the damage, with the same integers on every machine, and grey replaces the
 * rest of the scan, as in libjpeg. A progressive picture keeps all scans before the damage, and is
 * blurred.
 *
 * A truncated file ends in the middle of a code. stb_image would read zeros without end, which are
 * a code in most tables. Therefore 1-bits are appended, 16 of which are not a code in any table
 * (ITU T.81, annex C), and an end marker. */
#ifndef MRWI_IMAGE_JPEG_RESCUE_H
#define MRWI_IMAGE_JPEG_RESCUE_H

#define RESCUE_GREY 128
#define RESCUE_ONES 64 /* bytes */

/* Returns a copy of the file with 1-bits and an end marker behind it, or NULL without memory. */
static uint8_t *rescue_copy(const uint8_t *data, size_t size, size_t *copy_size)
{
    *copy_size = size + 2 * (size_t)RESCUE_ONES + 2;
    uint8_t *copy = mrwi_base_alloc(*copy_size, 1);
    if (!copy) {
        return NULL;
    }
    memcpy(copy, data, size);
    for (size_t i = size; i < *copy_size - 2; i += 2) {
        copy[i] = 0xFF;
        copy[i + 1] = 0; /* stuffed */
    }
    copy[*copy_size - 2] = 0xFF;
    copy[*copy_size - 1] = 0xD9;
    return copy;
}

/* Reads scans until one is damaged. Returns false if nothing could be read. */
static bool rescue_scans(stbi__jpeg *z)
{
    if (!stbi__decode_jpeg_header(z, STBI__SCAN_load) || (z->s->img_n != 1 && z->s->img_n != 3)) {
        return false;
    }
    for (int c = 0; c < z->s->img_n && !z->progressive; c++) {
        memset(z->img_comp[c].data, RESCUE_GREY,
               (size_t)z->img_comp[c].w2 * (size_t)z->img_comp[c].h2);
    }
    bool good = true;
    for (int m = stbi__get_marker(z); good && !stbi__EOI(m); m = good ? stbi__get_marker(z) : m) {
        good = stbi__SOS(m) ? stbi__process_scan_header(z) && stbi__parse_entropy_coded_data(z)
                            : stbi__process_marker(z, m);
    }
    if (z->progressive) {
        stbi__jpeg_finish(z);
    }
    return true;
}

/* Returns the next row of a component at full width. Call for each row in order. */
static const uint8_t *rescue_row(stbi__jpeg *z, int c, stbi__resample *r)
{
    const bool lower = r->ystep >= (r->vs >> 1);
    const uint8_t *row = r->resample(z->img_comp[c].linebuf, lower ? r->line1 : r->line0,
                                     lower ? r->line0 : r->line1, r->w_lores, r->hs);
    if (++r->ystep >= r->vs) {
        r->ystep = 0;
        r->line0 = r->line1;
        if (++r->ypos < z->img_comp[c].y) {
            r->line1 += z->img_comp[c].w2;
        }
    }
    return row;
}

/* Prepares a component like stb_image's load_jpeg_image. */
static bool rescue_begin(stbi__jpeg *z, int c, stbi__resample *r)
{
    z->img_comp[c].linebuf = mrwi_image_limited_alloc((size_t)z->s->img_x + 3, true);
    r->hs = z->img_h_max / z->img_comp[c].h;
    r->vs = z->img_v_max / z->img_comp[c].v;
    r->ystep = r->vs >> 1;
    r->w_lores = ((int)z->s->img_x + r->hs - 1) / r->hs;
    r->ypos = 0;
    r->line0 = r->line1 = z->img_comp[c].data;
    r->resample = r->hs == 1 && r->vs == 1   ? resample_row_1
                  : r->hs == 1 && r->vs == 2 ? stbi__resample_row_v_2
                  : r->hs == 2 && r->vs == 1 ? stbi__resample_row_h_2
                  : r->hs == 2 && r->vs == 2 ? z->resample_row_hv_2_kernel
                                             : stbi__resample_row_generic;
    return z->img_comp[c].linebuf;
}

/* Writes the pixels. Returns false without memory. */
static bool rescue_pixels(stbi__jpeg *z, uint8_t *out)
{
    const int width = (int)z->s->img_x, height = (int)z->s->img_y, count = z->s->img_n;
    const bool is_rgb = count == 3 && (z->rgb == 3 || (z->app14_color_transform == 0 && !z->jfif));
    stbi__resample from[3];
    const uint8_t *row[3];
    for (int c = 0; c < count; c++) {
        if (!rescue_begin(z, c, &from[c])) {
            return false;
        }
    }
    for (int y = 0; y < height; y++, out += 4 * (size_t)width) {
        for (int c = 0; c < count; c++) {
            row[c] = rescue_row(z, c, &from[c]);
        }
        if (count == 3 && !is_rgb) {
            z->YCbCr_to_RGB_kernel(out, row[0], row[1], row[2], width, 4);
            continue;
        }
        for (int x = 0; x < width; x++) {
            for (int c = 0; c < 3; c++) {
                out[4 * x + c] = row[count == 3 ? c : 0][x];
            }
            out[4 * x + 3] = 255;
        }
    }
    return true;
}

static bool rescue_found_any(const mrw_image *image)
{
    const size_t pixels = (size_t)image->width * image->height;
    for (size_t i = 0; i < pixels; i++) {
        const uint8_t *p = image->pixels + 4 * i;
        if (p[0] != RESCUE_GREY || p[1] != RESCUE_GREY || p[2] != RESCUE_GREY) {
            return true;
        }
    }
    return false;
}

/* Decodes a JPEG whose header was read. Returns false, with nothing to free, if nothing can be
 * read; *status is MRW_OK even so, unless memory ran out. */
static bool rescue(const uint8_t *data, size_t size, mrw_image *out, mrw_status *status,
                   mrw_error *error)
{
    stbi__context from;
    size_t copy_size = 0;
    uint8_t *copy = rescue_copy(data, size, &copy_size);
    stbi__jpeg *z = copy ? mrwi_image_limited_alloc(sizeof *z, true) : NULL;
    bool drawn = false;
    *status = z ? MRW_OK : mrwi_base_fail_memory(error, copy_size);
    if (z) {
        stbi__start_mem(&from, copy, (int)copy_size);
        from.img_n = 0; /* the number of components to free */
        z->s = &from;
        stbi__setup_jpeg(z);
        drawn = rescue_scans(z);
        *status = mrwi_image_limited_ended() ? mrwi_base_fail_memory(error, 0) : MRW_OK;
    }
    if (drawn && !*status) {
        *status = mrw_image_create(from.img_x, from.img_y, 4, out, error);
        drawn = !*status;
    } else {
        drawn = false;
    }
    if (drawn && !rescue_pixels(z, out->pixels)) {
        *status = mrwi_base_fail_memory(error, 0);
    }
    if (drawn && (*status != MRW_OK || !rescue_found_any(out))) {
        mrw_image_free(out);
        drawn = false;
    }
    if (z) {
        stbi__cleanup_jpeg(z);
    }
    mrwi_base_free(z);
    mrwi_base_free(copy);
    return drawn;
}

#endif
