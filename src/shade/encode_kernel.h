/* encode_kernel.h: from resolved colours to bytes of the picture, by exposure and tone map;
 * included by shade_kernel.h, compiled once per instruction set. Each loop is compiled for one
 * curve, so pictures without exposure and tone map pay for neither. */

/* ---- exposure and tone maps ------------------------------------------------------------------ */

LANE_INLINE vf weighted(vf4 c, float x, float y, float z)
{
    return (x * c.x + y * c.y) + z * c.z;
}

LANE_INLINE vf aces_curve(vf v)
{
    return (v * (v + ACES_ABOVE_0) - ACES_ABOVE_1) /
           (v * (ACES_BELOW_0 * v + ACES_BELOW_1) + ACES_BELOW_2);
}

LANE_INLINE vf4 aces(vf4 c)
{
    const vf4 v = {aces_curve(weighted(c, ACES_IN_0)), aces_curve(weighted(c, ACES_IN_1)),
                   aces_curve(weighted(c, ACES_IN_2)), c.w};
    return (vf4){vf_clamp(weighted(v, ACES_OUT_0), 0.0f, 1.0f),
                 vf_clamp(weighted(v, ACES_OUT_1), 0.0f, 1.0f),
                 vf_clamp(weighted(v, ACES_OUT_2), 0.0f, 1.0f), c.w};
}

LANE_INLINE vf4 neutral(vf4 c)
{
    const vf least = vf_min(c.x, vf_min(c.y, c.z));
    const vf toe = vf_select(vf_less(least, vf_set(NEUTRAL_DARK)),
                             least - NEUTRAL_CURVE * (least * least), vf_set(NEUTRAL_F90));
    c.x -= toe;
    c.y -= toe;
    c.z -= toe;
    const vf peak = vf_max(c.x, vf_max(c.y, c.z));
    const vi plain = vf_less(peak, vf_set(NEUTRAL_START));
    if (!mask_any(~plain)) { /* most of a picture; saves a quarter of the time at four lanes */
        return c;
    }
    const vf high = vf_max(peak, vf_set(NEUTRAL_START)); /* avoids infinities in plain lanes */
    const vf mapped = 1.0f - NEUTRAL_SQUARE / (high - NEUTRAL_SHIFT);
    const vf scale = 1.0f / (high * (NEUTRAL_DESATURATION * (high - mapped) + 1.0f));
    const vf white = mapped * (1.0f - high * scale);
    return (vf4){vf_select(plain, c.x, c.x * (mapped * scale) + white),
                 vf_select(plain, c.y, c.y * (mapped * scale) + white),
                 vf_select(plain, c.z, c.z * (mapped * scale) + white), c.w};
}

/* Returns the factor that removes alpha from a premultiplied colour; 0 if alpha is 0. */
LANE_INLINE vf straight_scale(vf alpha)
{
    return vf_keep(vf_less(vf_set(0.0f), alpha), 1.0f / alpha);
}

/* Applies exposure and tone map to a colour with straight alpha. */
LANE_INLINE vf4 tone_mapped(vf4 c, mrwi_shade_curve curve, float exposure)
{
    const float factor = curve == MRWI_SHADE_CURVE_ACES ? exposure / ACES_EXPOSURE : exposure;
    c.x = vf_clamp(c.x, 0.0f, 0x1p16f) * factor;
    c.y = vf_clamp(c.y, 0.0f, 0x1p16f) * factor;
    c.z = vf_clamp(c.z, 0.0f, 0x1p16f) * factor;
    return curve == MRWI_SHADE_CURVE_ACES      ? aces(c)
           : curve == MRWI_SHADE_CURVE_NEUTRAL ? neutral(c)
                                               : c;
}

LANE_INLINE bool has_tone(mrwi_shade_curve curve)
{
    return curve != MRWI_SHADE_CURVE_SRGB && curve != MRWI_SHADE_CURVE_RAW;
}

/* Applies exposure and tone map to a resolved pixel, premultiplied before and after. */
LANE_INLINE vf4 foreground(vf4 c, mrwi_shade_curve curve, float exposure)
{
    if (!has_tone(curve)) {
        return c;
    }
    const vf alpha = vf_clamp(c.w, 0.0f, 1.0f), scale = straight_scale(alpha);
    const vf4 seen =
        tone_mapped((vf4){c.x * scale, c.y * scale, c.z * scale, alpha}, curve, exposure);
    return (vf4){seen.x * alpha, seen.y * alpha, seen.z * alpha, c.w};
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Converts 0 ... 1 to 0 ... 255, rounded. */
LANE_INLINE vi byte_of(vf x)
{
    return vf_truncate(vf_clamp(x, 0.0f, 1.0f) * 255.0f + 0.5f);
}

/* Converts linear light to sRGB bytes: see shade_isa.h. */
LANE_INLINE vi srgb_byte_of(vf x)
{
    vi offset = vf_bits(vf_clamp(x, 0x1p-13f, 0x1.fffffep-1f)) - MRWI_SHADE_ENCODE_FIRST;
    vi cell = vi_look_up(mrwi_shade_encode_cells, offset >> MRWI_SHADE_ENCODE_SHIFT);
    return (cell + (offset & ((1 << MRWI_SHADE_ENCODE_SHIFT) - 1))) >> MRWI_SHADE_ENCODE_SHIFT;
}

/* Lays a colour over a premultiplied background. With `straight`, the result has straight alpha. */
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
    vf scale = straight_scale(c.w);
    return (vf4){c.x * scale, c.y * scale, c.z * scale, c.w};
}

/* Returns the bytes of a pixel in one number, the first byte lowest. */
LANE_INLINE vi encode_color(vf4 c, const float background[4], bool straight, mrwi_shade_curve curve,
                            float exposure)
{
    const bool raw = curve == MRWI_SHADE_CURVE_RAW;
    c = over_background(foreground(c, curve, exposure), background, straight);
    vi r = raw ? byte_of(c.x) : srgb_byte_of(c.x);
    vi g = raw ? byte_of(c.y) : srgb_byte_of(c.y);
    vi b = raw ? byte_of(c.z) : srgb_byte_of(c.z);
    vi code = r | g << 8 | b << 16;
    return straight ? code | vi_shift_left(byte_of(c.w), 24) : code;
}

/* Encodes an opaque colour, which hides the background. */
LANE_INLINE vi encode_opaque(vf4 c, mrwi_shade_curve curve, float exposure)
{
    const bool raw = curve == MRWI_SHADE_CURVE_RAW;
    if (has_tone(curve)) {
        c = tone_mapped(c, curve, exposure);
    }
    vi r = raw ? byte_of(c.x) : srgb_byte_of(c.x);
    vi g = raw ? byte_of(c.y) : srgb_byte_of(c.y);
    vi b = raw ? byte_of(c.z) : srgb_byte_of(c.z);
    return r | g << 8 | b << 16 | vi_set(-0x1000000);
}

/* Resolved pixels to encode into the picture. */
typedef struct encode_job {
    const float (*rgba)[4];
    const uint32_t *slot;  /* index in rgba of each pixel; NULL: in order */
    const uint32_t *where; /* number in the picture of each pixel; NULL: in order */
    uint32_t count;
    const float *background;
    float exposure;
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

/* Writes the pixels of a register; only the first n exist. where: their numbers in the picture;
 * NULL: consecutive from `first`. */
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

LANE_INLINE void encode_pixels(const encode_job *job, uint32_t channels, mrwi_shade_curve curve)
{
    for (uint32_t i = 0; i < job->count; i += MRWI_BASE_LANES) {
        const uint32_t left = job->count - i, n = left < MRWI_BASE_LANES ? left : MRWI_BASE_LANES;
        const void *row[MRWI_BASE_LANES];
        LANE_UNROLL
        for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
            const uint32_t pixel = k < n ? i + k : i;
            row[k] = job->rgba[job->slot ? job->slot[pixel] : pixel];
        }
        vi code =
            encode_color(vf4_load_rows(row), job->background, channels == 4, curve, job->exposure);
        write_codes(job->where ? job->where + i : NULL, i, n, code, channels, job->out);
    }
}

LANE_INLINE void encode_channels(const encode_job *job, uint32_t channels, mrwi_shade_curve curve)
{
    assert(channels == 3 || channels == 4);
    if (channels == 3) {
        encode_pixels(job, 3, curve);
    } else {
        encode_pixels(job, 4, curve);
    }
}

static void encode_job_run(const encode_job *job, uint32_t channels, mrwi_shade_curve curve)
{
    switch (curve) { /* each has its own loops */
    case MRWI_SHADE_CURVE_RAW:
        encode_channels(job, channels, MRWI_SHADE_CURVE_RAW);
        break;
    case MRWI_SHADE_CURVE_EXPOSED:
        encode_channels(job, channels, MRWI_SHADE_CURVE_EXPOSED);
        break;
    case MRWI_SHADE_CURVE_ACES:
        encode_channels(job, channels, MRWI_SHADE_CURVE_ACES);
        break;
    case MRWI_SHADE_CURVE_NEUTRAL:
        encode_channels(job, channels, MRWI_SHADE_CURVE_NEUTRAL);
        break;
    default:
        encode_channels(job, channels, MRWI_SHADE_CURVE_SRGB);
    }
}

static void encode(const float (*rgba)[4], uint32_t count, const float background[4],
                   uint32_t channels, mrwi_shade_tone tone, uint8_t *out)
{
    const encode_job job = {rgba, NULL, NULL, count, background, tone.exposure, out};
    encode_job_run(&job, channels, tone.curve);
}

static void write_pixels(const mrwi_shade_pixels *list, const float (*rgba)[4],
                         const float background[4], uint32_t channels, mrwi_shade_tone tone,
                         uint8_t *pixels)
{
    const encode_job job = {rgba,       list->slot,    list->where, list->count,
                            background, tone.exposure, pixels};
    encode_job_run(&job, channels, tone.curve);
}
