/* skin_dual_f4.h: dual-quaternion skinning for registers of one vertex, a part of skin_wide.h.
 *
 * Motions are blended one at a time and turned into matrices four at a time, one per lane. */
typedef struct motion {
    vf real, dual;
} motion;

/* Returns a . b in all lanes. */
LANE_INLINE vf dot4(vf a, vf b)
{
    const vf products = a * b;
    const vf halves = products + __builtin_shufflevector(products, products, 2, 3, 0, 1);
    return halves + __builtin_shufflevector(halves, halves, 1, 0, 3, 2);
}

/* Blends the motions of one vertex; count >= 1. */
LANE_INLINE motion blend_motions(const mrw_dual_quaternion *motions, const uint16_t *joints,
                                 const float *weights, uint32_t count)
{
    const vi sign_bit = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const vf first = vf_load(motions[joints[0]].real);
    motion sum = {first * weights[0], vf_load(motions[joints[0]].dual) * weights[0]};
    for (uint32_t i = 1; i < count; i++) {
        const vf real = vf_load(motions[joints[i]].real);
        const vi flip = (dot4(first, real) < wide_zero) & sign_bit;
        const vf w = (vf)((vi)vf_set(weights[i]) ^ flip);
        sum.real = sum.real + real * w;
        sum.dual = sum.dual + vf_load(motions[joints[i]].dual) * w;
    }
    return sum;
}

/* Gathers columns of four vertices from their rows: one lane per vertex. */
LANE_INLINE void gather_columns(vf x, vf y, vf z, vf out[4])
{
    const vf4 rows = transpose_parts(x, y, z, wide_zero);
    out[0] = rows.x;
    out[1] = rows.y;
    out[2] = rows.z;
    out[3] = rows.w;
}

/* Makes the matrices of four motions, one per lane. (One at a time with shuffles, as in wider
 * registers, was 10 to 20 % slower in all. Blending four vertices' motions at a time, too, gained
 * nothing with clang and lost 45 % with gcc 12.) */
LANE_INLINE void motions_to_columns(const motion motions[4], columns out[4])
{
    const motion *m = motions;
    const vf4 r = transpose_parts(m[0].real, m[1].real, m[2].real, m[3].real);
    const vf4 d = transpose_parts(m[0].dual, m[1].dual, m[2].dual, m[3].dual);
    const vf x = r.x, y = r.y, z = r.z, w = r.w;
    vf c[4][4];
    const vf one = vf_set(1.0f), zero = wide_zero;
    const vf xx = x * x, yy = y * y, zz = z * z;
    const vf s = vf_set(2.0f) / ((xx + zz) + (yy + w * w));
    const vf xy = x * y, xz = x * z, yz = y * z, wx = w * x, wy = w * y, wz = w * z;
    gather_columns(one + s * (-yy - zz), zero + s * (xy + wz), zero + s * (xz - wy), c[0]);
    gather_columns(zero + s * (xy - wz), one + s * (-xx - zz), zero + s * (yz + wx), c[1]);
    gather_columns(zero + s * (xz + wy), zero + s * (yz - wx), one + s * (-xx - yy), c[2]);
    gather_columns(s * ((w * d.x - d.w * x) + (y * d.z - z * d.y)),
                   s * ((w * d.y - d.w * y) + (z * d.x - x * d.z)),
                   s * ((w * d.z - d.w * z) + (x * d.y - y * d.x)), c[3]);
    for (int k = 0; k < 4; k++) {
        out[k] = (columns){c[0][k], c[1][k], c[2][k], c[3][k]};
    }
}

/* Skins four vertices at a time; the first is repeated if fewer are left. count >= 1. */
LANE_INLINE void skin_dual(const mrw_skin_job *job, const mrw_skin_group *group, uint32_t count)
{
    const streams s = open_streams(job, group->first_vertex);
    for (uint32_t v = 0; v < group->vertex_count; v += 4) {
        const uint32_t left = group->vertex_count - v, lanes = left < 4 ? left : 4;
        motion motions[4];
        columns m[4];
        for (uint32_t k = 0; k < 4; k++) {
            const size_t at = (size_t)(v + (k < lanes ? k : 0)) * count;
            motions[k] =
                blend_motions(job->motions, group->joints + at, group->weights + at, count);
        }
        motions_to_columns(motions, m);
        for (uint32_t k = 0; k < lanes; k++) {
            const size_t at = (size_t)(v + k) * count;
            if (job->scales) {
                const columns scale =
                    blend_block(job->scales, group->joints + at, group->weights + at, count, 1);
                m[k] = compose(&m[k], &scale);
            }
            skin_block(&s, &m[k], v + k);
        }
    }
}
