/* probe_kernel.h: the places of the probes of anisotropic filtering, in lanes; included by
 * attribute_kernel.h. aniso_spec.h is the specification; aniso_kernel.h reads the texels. */

#define MOST_PROBES_SQUARED ((float)(MRWI_SHADE_MOST_PROBES * MRWI_SHADE_MOST_PROBES))

/* Stores the longer axis, and the squared shorter one as the footprint. Returns a mask of fragments
 * that need more than one texel of the finest level. */
LANE_INLINE vi store_probes(const mrw_raster_texture *texture, const steps *d, uint32_t i,
                            probe_list *out, uv_list *uvs)
{
    vf ux = vf_clamp(d->ux, -0x1p28f, 0x1p28f), uy = vf_clamp(d->uy, -0x1p28f, 0x1p28f);
    vf vx = vf_clamp(d->vx, -0x1p28f, 0x1p28f), vy = vf_clamp(d->vy, -0x1p28f, 0x1p28f);
    vf e = ux * ux + uy * uy, f = 2.0f * (ux * vx + uy * vy), g = vx * vx + vy * vy;
    vf differ = e - g, root = vf_sqrt(differ * differ + f * f);
    vf major = 0.5f * ((e + g) + root), det = ux * vy - uy * vx;
    vf minor =
        vf_max(vf_max(det * det / major, vf_set(1.0f)), major * (1.0f / MOST_PROBES_SQUARED));
    vf ratio = vf_sqrt(vf_clamp(major / minor, 1.0f, MOST_PROBES_SQUARED));
    vi tall = vf_less(differ, vf_set(0.0f));
    vf along_u = vf_select(tall, f, differ + root), along_v = vf_select(tall, root - differ, f);
    vf square = along_u * along_u + along_v * along_v;
    vf scale = vf_keep(vf_less(vf_set(0.0f), square), vf_sqrt(major / square));
    vf count = vf_floor(ratio + 0.875f);
    vf_store(out->u + i, along_u * scale / texture->layout.width);
    vf_store(out->v + i, along_v * scale / texture->layout.height);
    vf_store(out->count + i, count);
    vf_store(uvs->footprint + i, minor);
    return vf_less(vf_set(1.0f), minor) | vf_less(vf_set(1.0f), count);
}
