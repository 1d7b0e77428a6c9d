/* skin_dual_wide.h: dual-quaternion skinning for registers of two vertices and more, a part of
 * skin_wide.h. Every step works on all vertices of a register at once, with a quaternion in the
 * four lanes of each. */
typedef struct motions { /* one motion per vertex */
    vf real, dual;
} motions;

/* Returns a . b in all lanes of each vertex. */
LANE_INLINE vf dot4(vf a, vf b)
{
    const vf products = a * b;
    const vf halves = products + SHUFFLE(products, 2, 3, 0, 1);
    return halves + SHUFFLE(halves, 1, 0, 3, 2);
}

/* Loads the motions of one influence. joints and weights begin with the first vertex and are
 * `count` apart. The first vertex stands in for the vertices from `lanes` on. */
LANE_INLINE motions load_motions(const mrw_dual_quaternion *all, const uint16_t *joints,
                                 uint32_t count, uint32_t lanes)
{
    const float *m[VERTICES];
    LANE_UNROLL
    for (uint32_t k = 0; k < VERTICES; k++) {
        m[k] = (const float *)&all[joints[(size_t)(k < lanes ? k : 0) * count]];
    }
#if VERTICES == 4
    const __m512 a =
        _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(m[0])), _mm256_loadu_ps(m[1]), 1);
    const __m512 b =
        _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(m[2])), _mm256_loadu_ps(m[3]), 1);
    return (motions){(vf)_mm512_shuffle_f32x4(a, b, _MM_SHUFFLE(2, 0, 2, 0)),
                     (vf)_mm512_shuffle_f32x4(a, b, _MM_SHUFFLE(3, 1, 3, 1))};
#else
    const __m256 a = _mm256_loadu_ps(m[0]), b = _mm256_loadu_ps(m[1]);
    return (motions){(vf)_mm256_permute2f128_ps(a, b, 0x20),
                     (vf)_mm256_permute2f128_ps(a, b, 0x31)};
#endif
}

/* Loads weights in the same way, each into the four lanes of its vertex. */
LANE_INLINE vf load_weights(const float *weights, uint32_t count, uint32_t lanes)
{
    float w[VERTICES];
    LANE_UNROLL
    for (uint32_t k = 0; k < VERTICES; k++) {
        w[k] = weights[(size_t)(k < lanes ? k : 0) * count];
    }
#if VERTICES == 4
    __m512 out = _mm512_set1_ps(w[0]);
    out = _mm512_mask_broadcastss_ps(out, 0x00F0, _mm_set_ss(w[1]));
    out = _mm512_mask_broadcastss_ps(out, 0x0F00, _mm_set_ss(w[2]));
    return (vf)_mm512_mask_broadcastss_ps(out, 0xF000, _mm_set_ss(w[3]));
#else
    return (vf)_mm256_set_m128(_mm_set1_ps(w[1]), _mm_set1_ps(w[0]));
#endif
}

/* Returns w where a . b >= 0, else -w. */
LANE_INLINE vf turn_weights(vf w, vf a, vf b)
{
    const vi sign_bit = EACH_VERTEX(INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN);
#if VERTICES == 4
    const __mmask16 away = _mm512_cmp_ps_mask((__m512)dot4(a, b), (__m512)wide_zero, _CMP_LT_OQ);
    return (vf)_mm512_mask_xor_ps((__m512)w, away, (__m512)w, (__m512)sign_bit);
#else
    return (vf)((vi)w ^ ((vi)(dot4(a, b) < wide_zero) & sign_bit));
#endif
}

/* Blends the motions of a register's vertices; count >= 1. */
LANE_INLINE motions blend_motions(const mrw_dual_quaternion *all, const uint16_t *joints,
                                  const float *weights, uint32_t count, uint32_t lanes)
{
    const motions first = load_motions(all, joints, count, lanes);
    vf w = load_weights(weights, count, lanes);
    motions sum = {first.real * w, first.dual * w};
    UNROLL_INFLUENCES
    for (uint32_t i = 1; i < count; i++) {
        const motions m = load_motions(all, joints + i, count, lanes);
        w = turn_weights(load_weights(weights + i, count, lanes), first.real, m.real);
        sum.real = sum.real + m.real * w;
        sum.dual = sum.dual + m.dual * w;
    }
    return sum;
}

/* Negates v in those lanes of each vertex that have a 1. */
#define NEGATE(v, x, y, z)                                                                         \
    ((vf)((vi)(v) ^ (vi)EACH_VERTEX((x)*INT32_MIN, (y)*INT32_MIN, (z)*INT32_MIN, 0)))

/* Multiplies r in one order of its lanes by r in another. */
#define PRODUCT(r, a0, a1, a2, b0, b1, b2) (SHUFFLE(r, a0, a1, a2, 3) * SHUFFLE(r, b0, b1, b2, 3))

/* Makes the matrices of motions that are not normalised. */
LANE_INLINE columns motions_to_columns(const motions *m)
{
    const vf one_x = EACH_VERTEX(1.0f, 0.0f, 0.0f, 0.0f),
             one_y = EACH_VERTEX(0.0f, 1.0f, 0.0f, 0.0f),
             one_z = EACH_VERTEX(0.0f, 0.0f, 1.0f, 0.0f), two = EACH_VERTEX(2.0f, 2.0f, 2.0f, 2.0f);
    const vf r = m->real, d = m->dual, s = two / dot4(r, r);
    /* -yy - zz, xy + wz, xz - wy */
    const vf c0 = NEGATE(PRODUCT(r, 1, 0, 0, 1, 1, 2), 1, 0, 0) +
                  NEGATE(PRODUCT(r, 2, 3, 3, 2, 2, 1), 1, 0, 1);
    /* xy - wz, -xx - zz, yz + wx */
    const vf c1 = NEGATE(PRODUCT(r, 0, 0, 1, 1, 0, 2), 0, 1, 0) +
                  NEGATE(PRODUCT(r, 3, 2, 3, 2, 2, 0), 1, 1, 0);
    /* xz + wy, yz - wx, -xx - yy */
    const vf c2 = NEGATE(PRODUCT(r, 0, 1, 0, 2, 2, 0), 0, 0, 1) +
                  NEGATE(PRODUCT(r, 3, 3, 1, 1, 0, 1), 0, 1, 1);
    const vf r_cross_d = yzx(r) * SHUFFLE(d, 2, 0, 1, 3) - SHUFFLE(r, 2, 0, 1, 3) * yzx(d);
    const vf c3 = (SHUFFLE(r, 3, 3, 3, 3) * d - SHUFFLE(d, 3, 3, 3, 3) * r) + r_cross_d;
    return (columns){one_x + s * c0, one_y + s * c1, one_z + s * c2, s * c3};
}

/* Makes the matrices of a register's vertices; count >= 1. */
LANE_INLINE columns dual_block(const mrw_skin_job *job, const uint16_t *joints,
                               const float *weights, uint32_t count, uint32_t lanes)
{
    const motions blended = blend_motions(job->motions, joints, weights, count, lanes);
    columns m = motions_to_columns(&blended);
    if (job->scales) {
        const columns scale = blend_block(job->scales, joints, weights, count, lanes);
        m = compose(&m, &scale);
    }
    return m;
}

LANE_INLINE void skin_dual(const mrw_skin_job *job, const mrw_skin_group *group, uint32_t count)
{
    const streams s = open_streams(job, group->first_vertex);
    const uint16_t *joints = group->joints;
    const float *weights = group->weights;
    const size_t vertex_count = group->vertex_count;
    size_t v = 0;
    for (; v + VERTICES <= vertex_count; v += VERTICES) {
        const columns m = dual_block(job, joints + v * count, weights + v * count, count, VERTICES);
        skin_block(&s, &m, v);
    }
    if (v < vertex_count) {
        const uint32_t lanes = (uint32_t)(vertex_count - v);
        const columns m = dual_block(job, joints + v * count, weights + v * count, count, lanes);
        skin_some(&s, &m, v, lanes);
    }
}
