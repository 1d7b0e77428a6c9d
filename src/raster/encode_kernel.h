/* encode_kernel.h: resolved colours -> bytes of the picture; included by shade_kernel.h, compiled
 * once an instruction set. */

/* 0 ... 1 -> 0 ... 255, rounded. */
LANE_INLINE vi byte_of(vf x)
{
    return vf_truncate(vf_clamp(x, 0.0f, 1.0f) * 255.0f + 0.5f);
}

/* Linear -> sRGB: see shade_isa.h. */
LANE_INLINE vi srgb_byte_of(vf x)
{
    vi offset = vf_bits(vf_clamp(x, 0x1p-13f, 0x1.fffffep-1f)) - MRWI_RASTER_ENCODE_FIRST;
    vi cell = vi_look_up(mrwi_raster_encode_cells, offset >> MRWI_RASTER_ENCODE_SHIFT);
    return (cell + (offset & ((1 << MRWI_RASTER_ENCODE_SHIFT) - 1))) >> MRWI_RASTER_ENCODE_SHIFT;
}

/* Over a premultiplied background; with `straight`, alpha is taken out of the colour again. */
LANE_INLINE vf4 over_background(vf4 c, const float background[4], bool straight)
{
    vf seen = 1.0f - vf_clamp(c.w, 0.0f, 1.0f);
    c.x += seen * background[0];
    c.y += seen * background[1];
    c.z += seen * background[2];
    if (!straight) {
        return c;
    }
    c.w += seen * background[3];
    vf scale = vf_from_bits(vf_bits(1.0f / c.w) & vf_less(vf_set(0.0f), c.w));
    return (vf4){c.x * scale, c.y * scale, c.z * scale, c.w};
}

/* The bytes of a pixel in one number, the first one lowest. */
LANE_INLINE vi encode_color(vf4 c, const float background[4], bool straight, bool raw)
{
    c = over_background(c, background, straight);
    vi r = raw ? byte_of(c.x) : srgb_byte_of(c.x);
    vi g = raw ? byte_of(c.y) : srgb_byte_of(c.y);
    vi b = raw ? byte_of(c.z) : srgb_byte_of(c.z);
    vi code = r | g << 8 | b << 16;
    return straight ? code | vi_shift_left(byte_of(c.w), 24) : code;
}

/* An opaque colour, which hides the background. */
LANE_INLINE vi encode_opaque(vf4 c, bool raw)
{
    vi r = raw ? byte_of(c.x) : srgb_byte_of(c.x);
    vi g = raw ? byte_of(c.y) : srgb_byte_of(c.y);
    vi b = raw ? byte_of(c.z) : srgb_byte_of(c.z);
    return r | g << 8 | b << 16 | vi_set(-0x1000000);
}

/* Resolved pixels on their way into the picture. */
typedef struct encode_job {
    const float (*rgba)[4];
    const uint32_t *slot;  /* which of rgba a pixel has; NULL: in order */
    const uint32_t *where; /* the pixel's number in the picture; NULL: in order */
    uint32_t count;
    uint8_t *out;
} encode_job;

LANE_INLINE void write_pixel(uint32_t code, uint32_t channels, uint8_t *out)
{
    out[0] = (uint8_t)code;
    out[1] = (uint8_t)(code >> 8);
    out[2] = (uint8_t)(code >> 16);
    if (channels == 4) {
        out[3] = (uint8_t)(code >> 24);
    }
}

/* Writes the pixels of a register, the first n of which exist. where: their numbers in the picture;
 * NULL: `first` and on. */
LANE_INLINE void write_codes(const uint32_t *where, uint32_t first, uint32_t n, vi code,
                             uint32_t channels, uint8_t *out)
{
    if (n == MRWI_BASE_LANES &&
        (!where || where[MRWI_BASE_LANES - 1] - where[0] == MRWI_BASE_LANES - 1)) {
        uint8_t *start = out + (size_t)(where ? where[0] : first) * channels;
        if (channels == 4) {
            memcpy(start, &code, sizeof code);
        } else {
            vi_store_3_bytes(start, code);
        }
        return;
    }
    int32_t codes[MRWI_BASE_LANES];
    vi_store(codes, code);
    for (uint32_t k = 0; k < n; k++) {
        write_pixel((uint32_t)codes[k], channels,
                    out + (size_t)(where ? where[k] : first + k) * channels);
    }
}

static void write_block(const int32_t *codes, const uint32_t *where, uint32_t count,
                        uint32_t channels, uint8_t *out)
{
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const uint32_t left = count - i, n = left < MRWI_BASE_LANES ? left : MRWI_BASE_LANES;
        if (channels == 3) {
            write_codes(where + i, 0, n, vi_load(codes + i), 3, out);
        } else {
            write_codes(where + i, 0, n, vi_load(codes + i), 4, out);
        }
    }
}

LANE_INLINE void encode_pixels(const encode_job *job, const float background[4], uint32_t channels,
                               bool raw)
{
    for (uint32_t i = 0; i < job->count; i += MRWI_BASE_LANES) {
        const uint32_t left = job->count - i, n = left < MRWI_BASE_LANES ? left : MRWI_BASE_LANES;
        const void *row[MRWI_BASE_LANES];
        LANE_UNROLL
        for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
            const uint32_t pixel = k < n ? i + k : i;
            row[k] = job->rgba[job->slot ? job->slot[pixel] : pixel];
        }
        vi code = encode_color(vf4_load_rows(row), background, channels == 4, raw);
        write_codes(job->where ? job->where + i : NULL, i, n, code, channels, job->out);
    }
}

static void encode_job_run(const encode_job *job, const float background[4], uint32_t channels,
                           bool raw)
{
    assert(channels == 3 || channels == 4);
    if (channels == 3 && raw) {
        encode_pixels(job, background, 3, true);
    } else if (channels == 3) {
        encode_pixels(job, background, 3, false);
    } else {
        encode_pixels(job, background, 4, raw);
    }
}

static void encode(const float (*rgba)[4], uint32_t count, const float background[4],
                   uint32_t channels, bool raw, uint8_t *out)
{
    encode_job_run(&(encode_job){rgba, NULL, NULL, count, out}, background, channels, raw);
}

static void write_pixels(const mrwi_raster_pixels *list, const float (*rgba)[4],
                         const float background[4], uint32_t channels, bool raw, uint8_t *pixels)
{
    const encode_job job = {rgba, list->slot, list->where, list->count, pixels};
    encode_job_run(&job, background, channels, raw);
}
