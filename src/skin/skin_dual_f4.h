/* skin_dual_f4.h: dual-quaternion skinning for registers of one vertex, a part of skin_wide.h.
 *
 * Motions are blended one at a time and turned into matrices four at a time, one a lane.
 */
typedef struct motion {
    vf real, dual;
} motion;

/* a . b in all lanes */
ALWAYS_INLINE vf dot4(vf a, vf b)
{
    const vf products = a * b;
    const vf halves = products + __builtin_shufflevector(products, products, 2, 3, 0, 1);
    return halves + __builtin_shufflevector(halves, halves, 1, 0, 3, 2);
}

/* count >= 1 */
ALWAYS_INLINE motion blend_motions(const mrw_dual_quaternion *motions, const uint16_t *joints,
                                   const float *weights, uint32_t count)
{
    const vi sign_bit = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const vf first = load_wide(motions[joints[0]].real);
    motion sum = {first * weights[0], load_wide(motions[joints[0]].dual) * weights[0]};
    for (uint32_t i = 1; i < count; i++) {
        const vf real = load_wide(motions[joints[i]].real);
        const vi flip = (dot4(first, real) < wide_zero) & sign_bit;
        const vf w = (vf)((vi)mrwi_f4_set(weights[i]) ^ flip);
        sum.real = sum.real + real * w;
        sum.dual = sum.dual + load_wide(motions[joints[i]].dual) * w;
    }
    return sum;
}

/* Rows to columns and back. */
ALWAYS_INLINE void transpose(vf v[4])
{
    const vf xy01 = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const vf zw01 = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const vf xy23 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const vf zw23 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(zw01, zw23, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(zw01, zw23, 2, 3, 6, 7);
}

/* Columns of four vertices from their rows: one lane a vertex. */
ALWAYS_INLINE void gather_columns(vf x, vf y, vf z, vf out[4])
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = wide_zero;
    transpose(out);
}

/* The matrices of four motions, one a lane. (One at a time by shuffles, as wider registers have it:
 * 10 to 20 % slower in all. Blending four vertices' motions at a time, too, gained nothing with
 * clang and lost 45 % with gcc 12.) */
ALWAYS_INLINE void motions_to_columns(const motion motions[4], columns out[4])
{
    vf r[4], d[4], c[4][4];
    for (int k = 0; k < 4; k++) {
        r[k] = motions[k].real;
        d[k] = motions[k].dual;
    }
    transpose(r);
    transpose(d);
    const vf x = r[0], y = r[1], z = r[2], w = r[3];
    const vf one = mrwi_f4_set(1.0f), zero = wide_zero;
    const vf xx = x * x, yy = y * y, zz = z * z;
    const vf s = mrwi_f4_set(2.0f) / ((xx + zz) + (yy + w * w));
    const vf xy = x * y, xz = x * z, yz = y * z, wx = w * x, wy = w * y, wz = w * z;
    gather_columns(one + s * (-yy - zz), zero + s * (xy + wz), zero + s * (xz - wy), c[0]);
    gather_columns(zero + s * (xy - wz), one + s * (-xx - zz), zero + s * (yz + wx), c[1]);
    gather_columns(zero + s * (xz + wy), zero + s * (yz - wx), one + s * (-xx - yy), c[2]);
    gather_columns(s * ((w * d[0] - d[3] * x) + (y * d[2] - z * d[1])),
                   s * ((w * d[1] - d[3] * y) + (z * d[0] - x * d[2])),
                   s * ((w * d[2] - d[3] * z) + (x * d[1] - y * d[0])), c[3]);
    for (int k = 0; k < 4; k++)
        out[k] = (columns){c[0][k], c[1][k], c[2][k], c[3][k]};
}

/* count >= 1; four vertices at a time, of which the first repeats where fewer are left */
ALWAYS_INLINE void skin_dual(const mrw_skin_job *job, const mrw_skin_group *group, uint32_t count)
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
