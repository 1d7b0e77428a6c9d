/* aniso_kernel.h: anisotropic filtering in lanes; included by shade_kernel.h. It reads one probe of
 * all fragments after the other, each with the trilinear stages of texel_kernel.h. Registers in
 * which no fragment has another probe are skipped. aniso_spec.h is the specification. */

/* One probe of those fragments that have it. */
typedef struct probe_round {
    uint32_t count;                                /* number of places in uvs */
    uint32_t from[BLOCK_PADDED / MRWI_BASE_LANES]; /* first fragment of each register of uvs */
    uv_list uvs;
} probe_round;

/* Finds the places of probe k, for registers in which some fragment has it. */
STAGE void place_probes(const uv_list *uvs, const probe_list *probes, uint32_t count, float k,
                        probe_round *out)
{
    uint32_t places = 0;
    for (uint32_t i = 0; i < count; i += MRWI_BASE_LANES) {
        const vf number = vf_load(probes->count + i);
        if (!mask_any(vf_less(vf_set(k), number))) {
            continue;
        }
        const vf at = (k + 0.5f) * (1.0f / number) - 0.5f;
        vf_store(out->uvs.u + places, vf_load(uvs->u + i) + at * vf_load(probes->u + i));
        vf_store(out->uvs.v + places, vf_load(uvs->v + i) + at * vf_load(probes->v + i));
        vf_store(out->uvs.footprint + places, vf_load(uvs->footprint + i));
        out->from[places / MRWI_BASE_LANES] = i;
        places += MRWI_BASE_LANES;
    }
    out->count = places;
}

/* Mixes probe k into the mean of the probes before it. */
STAGE void mix_probes(const probe_round *round, const probe_list *probes, float k,
                      uint32_t channels, const color_list *probe, color_list *mean)
{
    const vf share = vf_set(1.0f / (k + 1.0f));
    for (uint32_t j = 0; j < round->count; j += MRWI_BASE_LANES) {
        const uint32_t i = round->from[j / MRWI_BASE_LANES];
        const vi has = vf_less(vf_set(k), vf_load(probes->count + i));
        for (uint32_t left = channels; left != 0; left &= left - 1) {
            const uint32_t c = (uint32_t)__builtin_ctz(left);
            const vf before = vf_load(mean->channel[c] + i);
            const vf after = mix(before, vf_load(probe->channel[c] + j), share);
            vf_store(mean->channel[c] + i, vf_select(has, after, before));
        }
    }
}

/* Reads probe k of all maps of a placement. All fragments have the first probe, so its texels go to
 * their final place. */
static void probe_of_placement(const work *w, uint32_t number, const probe_round *round, float k,
                               block *b)
{
    const placement *p = &w->state->placements[number];
    const bool first_data = p->first->texture->data;
    color_list probe;
    (first_data ? addresses_of_two_data_levels
                : addresses_of_two_levels)(p->first, &round->uvs, round->count, &b->addresses);
    for (uint32_t left = p->maps; left != 0; left &= left - 1) {
        const uint32_t m = (uint32_t)__builtin_ctz(left);
        const uint32_t channels = channels_of(w->state, m);
        const texel_job job = {w->state->material->maps[m].texture, map_behind(w, left),
                               &b->addresses, round->count, k > 0.0f ? &probe : &b->colors[m]};
        (job.texture->data ? data_two_levels : texels_two_levels)(&job, channels);
        if (k > 0.0f) {
            mix_probes(round, &b->points.probes[number], k, channels, &probe, &b->colors[m]);
        }
    }
}

static void probes_of_placement(const work *w, uint32_t number, block *b)
{
    probe_round round;
    float k = 0.0f;
    place_probes(&b->points.uvs[number], &b->points.probes[number], w->g->count, k, &round);
    while (round.count > 0) {
        probe_of_placement(w, number, &round, k, b);
        k += 1.0f;
        place_probes(&b->points.uvs[number], &b->points.probes[number], w->g->count, k, &round);
    }
}

static void textures_aniso(const work *w, block *b)
{
    for (uint32_t p = 0; p < w->state->placement_count; p++) {
        (b->points.minified >> p & 1u ? probes_of_placement : finest_of_placement)(w, p, b);
    }
}
