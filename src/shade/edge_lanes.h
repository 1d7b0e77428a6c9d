/* edge_lanes.h: the edge functions of triangles, one triangle or point per lane. */
#ifndef MRWI_SHADE_EDGE_LANES_H
#define MRWI_SHADE_EDGE_LANES_H

#include "base/simd/lanes.h"

/* The edge functions at p of a triangle with the sides a and b, all relative to corner 0: the
 * doubled area a x b, and e0 + e1 + e2 = area. Coordinates are whole sub-pixels below 2^24, so
 * everything is exact except one rounding to float, in pixels. In float, a sliver's area would be
 * lost to cancellation. */
typedef struct edge_values {
    vf area, e0, e1, e2;
} edge_values;

#define SQUARE_SUBPIXEL 0x1p-16f

typedef struct edge_doubles {
    vd area, e0, e1, e2;
} edge_doubles;

LANE_INLINE edge_doubles edge_functions_double(vd ax, vd ay, vd bx, vd by, vd px, vd py)
{
    vd area = ax * by - bx * ay, e1 = px * by - bx * py, e2 = ax * py - px * ay;
    return (edge_doubles){area, area - e1 - e2, e1, e2};
}

LANE_INLINE edge_values edge_functions(vi ax, vi ay, vi bx, vi by, vi px, vi py)
{
    edge_doubles low =
        edge_functions_double(vi_low_double(ax), vi_low_double(ay), vi_low_double(bx),
                              vi_low_double(by), vi_low_double(px), vi_low_double(py));
    edge_doubles high =
        edge_functions_double(vi_high_double(ax), vi_high_double(ay), vi_high_double(bx),
                              vi_high_double(by), vi_high_double(px), vi_high_double(py));
    return (edge_values){
        vf_join(low.area, high.area) * SQUARE_SUBPIXEL, vf_join(low.e0, high.e0) * SQUARE_SUBPIXEL,
        vf_join(low.e1, high.e1) * SQUARE_SUBPIXEL, vf_join(low.e2, high.e2) * SQUARE_SUBPIXEL};
}

/* The same for coordinates of -2^14 ... 2^14 - 1, whose results fit 32 bits: one instruction
 * computes two products and their sum. Each pair of coordinates shares a lane. */
typedef struct near_edges {
    vi edge_1; /* (by, -bx) */
    vi edge_2; /* (-ay, ax) */
    vi area;
} near_edges;

/* Returns not 0 for coordinates out of that range. */
LANE_INLINE vi beyond_near(vi x)
{
    return (x + (1 << 14)) & ~((1 << 15) - 1);
}

LANE_INLINE vi pair_of(vi x, vi y)
{
    return (x & 0xffff) | vi_shift_left(y, 16);
}

/* Returns a.x * b.x + a.y * b.y. */
LANE_INLINE vi pair_dot(vi a, vi b)
{
#if MRWI_BASE_LANES == 16
    return (vi)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif MRWI_BASE_LANES == 8
    return (vi)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif MRWI_BASE_LANES == 4 && defined(__SSE2__)
    return (vi)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif MRWI_BASE_LANES == 4
    const int16x8_t s = (int16x8_t)a, t = (int16x8_t)b;
    return (vi)vpaddq_s32(vmull_s16(vget_low_s16(s), vget_low_s16(t)), vmull_high_s16(s, t));
#endif
}

/* Packs the sides. For sides out of range the result means nothing. */
LANE_INLINE near_edges near_edges_of(vi ax, vi ay, vi bx, vi by)
{
    const vi edge_1 = pair_of(by, -bx), edge_2 = pair_of(-ay, ax);
    return (near_edges){edge_1, edge_2, pair_dot(pair_of(ax, ay), edge_1)};
}

LANE_INLINE edge_values edge_functions_near(const near_edges *e, vi px, vi py)
{
    const vi p = pair_of(px, py), e1 = pair_dot(p, e->edge_1), e2 = pair_dot(p, e->edge_2);
    return (edge_values){vi_to_float(e->area) * SQUARE_SUBPIXEL,
                         vi_to_float(e->area - e1 - e2) * SQUARE_SUBPIXEL,
                         vi_to_float(e1) * SQUARE_SUBPIXEL, vi_to_float(e2) * SQUARE_SUBPIXEL};
}

#endif
