/* aniso_spec.h: anisotropic filtering of textures, one fragment at a time; a part of shade_spec.c,
 * which includes it. aniso_kernel.h does the same in lanes.
 *
 * A pixel is an ellipse on the texture. Its axes are the singular values of the steps that the
 * coordinates take to the neighbouring pixels (Heckbert 1989, 3.5.8). Up to 16 probes stand along
 * the longer axis. Each is filtered trilinearly with a footprint of the shorter axis; the result is
 * their mean (after McCormack et al., "Feline", 1999, with equal weights).
 */
#ifndef MRWI_SHADE_ANISO_SPEC_H
#define MRWI_SHADE_ANISO_SPEC_H

#define MOST_PROBES_SQUARED ((float)(MRWI_SHADE_MOST_PROBES * MRWI_SHADE_MOST_PROBES))

/* The places of a fragment's probes. */
typedef struct probe_line {
    float count;     /* 1 ... MRWI_SHADE_MOST_PROBES, whole */
    float u, v;      /* from one end of the line to the other, in texture coordinates */
    float footprint; /* footprint of each probe: squared, at least 1 */
} probe_line;

/* Computes the line of probes. With J the matrix of steps, E, F, G are the entries of J J^T: its
 * larger eigenvalue is the square of the longer axis, and det J is the product of both axes. There
 * are two forms of the eigenvector; the code takes the one that loses no bits to cancellation. The
 * shorter axis is at least one texel: a smaller pixel shows no more than its own texels, along the
 * other axis. There is one more probe as soon as the axes differ by an eighth, so a nearly round
 * footprint has one. */
static probe_line probe_line_of(const mrw_raster_texture *texture, const steps *d)
{
    const float ux = clamp(d->ux, -0x1p28f, 0x1p28f), uy = clamp(d->uy, -0x1p28f, 0x1p28f);
    const float vx = clamp(d->vx, -0x1p28f, 0x1p28f), vy = clamp(d->vy, -0x1p28f, 0x1p28f);
    const float e = ux * ux + uy * uy, f = 2.0f * (ux * vx + uy * vy), g = vx * vx + vy * vy;
    const float differ = e - g, root = sqrtf(differ * differ + f * f);
    const float major = 0.5f * ((e + g) + root), det = ux * vy - uy * vx;
    const float minor =
        max_of(max_of(det * det / major, 1.0f), major * (1.0f / MOST_PROBES_SQUARED));
    const float ratio = sqrtf(clamp(major / minor, 1.0f, MOST_PROBES_SQUARED));
    const float along_u = differ < 0.0f ? f : differ + root;
    const float along_v = differ < 0.0f ? root - differ : f;
    const float square = along_u * along_u + along_v * along_v;
    const float scale = square > 0.0f ? sqrtf(major / square) : 0.0f;
    return (probe_line){floor_of(ratio + 0.875f), along_u * scale / texture->layout.width,
                        along_v * scale / texture->layout.height, minor};
}

/* Samples one probe. */
static void sample_probe(const mrw_raster_map *map, float u, float v, float footprint, float out[4])
{
    const float wrapped[2] = {wrap(u, map->wrap_u), wrap(v, map->wrap_v)};
    if (footprint > 1.0f) {
        sample_trilinear(map, wrapped, footprint, out);
    } else {
        sample_level(map, 0, wrapped, map->nearest, out);
    }
}

/* Keeps a running mean over the probes, so that equal probes give exactly their value. */
static void sample_aniso(const mrw_raster_map *map, float u, float v, const steps *d, float out[4])
{
    const probe_line line = probe_line_of(map->texture, d);
    const float apart = 1.0f / line.count;
    for (float k = 0.0f; k < line.count; k += 1.0f) {
        const float at = (k + 0.5f) * apart - 0.5f;
        float probe[4];
        sample_probe(map, u + at * line.u, v + at * line.v, line.footprint, probe);
        for (int c = 0; c < 4; c++) {
            out[c] = k > 0.0f ? mix(out[c], probe[c], 1.0f / (k + 1.0f)) : probe[c];
        }
    }
}

#endif
