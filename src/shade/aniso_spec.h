/* aniso_spec.h: anisotropic filtering of textures, one fragment at a time: part of shade_spec.c,
 * which includes it. aniso_kernel.h does the same in lanes.
 *
 * A pixel is an ellipse on the texture, whose axes are the singular values of the steps that the
 * coordinates take to its neighbours (Heckbert 1989, 3.5.8). Along the longer axis stand up to 16
 * probes, each as trilinear filtering with a footprint of the shorter one would be, and their mean
 * is what is seen (after McCormack et al., "Feline", 1999, with equal weights).
 */
#ifndef MRWI_SHADE_ANISO_SPEC_H
#define MRWI_SHADE_ANISO_SPEC_H

#define MOST_PROBES_SQUARED ((float)(MRWI_SHADE_MOST_PROBES * MRWI_SHADE_MOST_PROBES))

/* How a fragment's probes stand. */
typedef struct probe_line {
    float count;     /* 1 ... MRWI_SHADE_MOST_PROBES, whole */
    float u, v;      /* from one end of the line to the other, in texture coordinates */
    float footprint; /* of each probe: squared, at least 1 */
} probe_line;

/* With J the matrix of steps, E, F, G are the entries of J J^T: its larger eigenvalue is the square
 * of the longer axis, and det J the product of both axes. Of the two forms of the eigenvector that
 * is taken which loses no bits to cancellation. What does not span a texel is held at one: then a
 * pixel shows no more than its own texels, along the other axis. A probe more begins when the axes
 * differ by an eighth: a footprint that is as good as round has one. */
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
    return (probe_line){floor_of(ratio + 0.875f), along_u * scale / texture->width,
                        along_v * scale / texture->height, minor};
}

/* A probe. */
static void sample_probe(const mrw_raster_map *map, float u, float v, float footprint, float out[4])
{
    const float wrapped[2] = {wrap(u, map->wrap_u), wrap(v, map->wrap_v)};
    if (footprint > 1.0f) {
        sample_trilinear(map, wrapped, footprint, out);
    } else {
        sample_level(map, 0, wrapped, map->nearest, out);
    }
}

/* The mean is carried on from probe to probe, so that equal ones stay what they are. */
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
