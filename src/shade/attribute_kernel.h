/* attribute_kernel.h: the stage that interpolates the attributes of triangles; included by
 * shade_kernel.h, compiled once per instruction set.
 *
 * Values that are the same for all points of a triangle (corners, shares, derivatives) are prepared
 * first, one triangle per lane. Neighbouring fragments often belong to the same triangle. In a
 * block of at least two fragments per run, each run is prepared once, and its values are spread
 * over the lanes of its fragments. Otherwise each fragment is prepared for itself. Both ways do the
 * same operations in the same order, so the results have the same bits.
 */

#include "shade/mode_values.h"
#include "shade/vec3_lanes.h"

/* The prepared values of a triangle. An attribute has three: its value at corner 0, then the
 * differences of corners 1 and 2 from that. */
typedef enum triangle_value {
    CORNER_X, /* whole sub-pixels, like the sides */
    CORNER_Y,
    SIDE_AX, /* a: from corner 0 to 1, b: to 2 */
    SIDE_AY,
    SIDE_BX,
    SIDE_BY,
    FAR,    /* all bits set if the sides are too long for edge_functions_near */
    EDGE_1, /* inputs of edge_functions_near, instead of the sides */
    EDGE_2,
    AREA,
    ALONG, /* not 0 if the values of prepare_along are set */
    ALONG_X,
    ALONG_AREA,
    ALONG_E0,
    ALONG_E1 = ALONG_E0 + 4,
    ALONG_E2 = ALONG_E1 + 4,
    ALONG_END = ALONG_E2 + 3,
    SHARE_0,
    SHARE_1,
    SHARE_2, /* a corner's 1 / w over the double area */
    SLOPE_X,
    SLOPE_Y,      /* screen derivatives of s, the interpolated 1 / w */
    INV_LENGTH_0, /* 1 over the length of the side opposite corner 0, in pixels */
    INV_LENGTH_1,
    INV_LENGTH_2,
    LINE_STRENGTH,
    CURVATURE,                               /* see light_spec.h */
    FLIP,                                    /* the sign bit if the back is seen */
    ATTRIBUTE_NORMAL,                        /* x, y, z */
    ATTRIBUTE_STREAM = ATTRIBUTE_NORMAL + 9, /* four attributes per stream */
    STREAM_END = ATTRIBUTE_STREAM + 12 * MRWI_SHADE_UVS,
    FACE_NORMAL = STREAM_END, /* x, y, z */
    ATTRIBUTE_U = FACE_NORMAL + 3,
    ATTRIBUTE_V = ATTRIBUTE_U + 3,
    SLOPE_UX = ATTRIBUTE_V + 3, /* derivatives of u s and v s */
    SLOPE_UY,
    SLOPE_VX,
    SLOPE_VY,
    MAP_END, /* the values from ATTRIBUTE_U on repeat for each placement */
    MAP_VALUES = MAP_END - ATTRIBUTE_U,
    VALUE_COUNT = ATTRIBUTE_U + MAP_VALUES * MRW_RASTER_MAP_COUNT
} triangle_value;

#define RUNS_MAX (BLOCK / 2)
#define RUN_ROOM (RUNS_MAX + 2 * MRWI_SHADE_LIST_PAD) /* windows reach beyond the last run */

typedef struct value_table {
    _Alignas(64) float value[VALUE_COUNT][RUN_ROOM];
} value_table;

/* ---- preparing triangles --------------------------------------------------------------------- */

typedef struct corner {
    vf x, y, inv_w, u, v, nx, ny, nz;
} corner;

LANE_INLINE corner load_corner(const mrwi_shade_vertex *vertices,
                               const mrwi_shade_triangle *const triangle[MRWI_BASE_LANES], int k)
{
    const void *row[MRWI_BASE_LANES];
    LANE_UNROLL
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        row[i] = &vertices[triangle[i]->vertex[k]];
    }
    vf4 a, b;
    vf8_load_rows(row, &a, &b);
    return (corner){a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
}

LANE_INLINE void put(value_table *table, uint32_t value, uint32_t at, vf x)
{
    vf_store(table->value[value] + at, x);
}

LANE_INLINE void put_attribute(value_table *table, uint32_t value, uint32_t at, vf a0, vf a1, vf a2)
{
    put(table, value, at, a0);
    put(table, value + 1, at, a1 - a0);
    put(table, value + 2, at, a2 - a0);
}

LANE_INLINE void put_bits(value_table *table, uint32_t value, uint32_t at, vi x)
{
    vf_store(table->value[value] + at, vf_from_bits(x));
}

/* Converts snapped coordinates to whole sub-pixels. */
LANE_INLINE vi subpixels(vf x)
{
    return vf_truncate(x * 256.0f);
}

typedef struct sides {
    vi ax, ay, bx, by;
} sides;

LANE_INLINE void put_sides(value_table *table, uint32_t at, const sides *s, vf x, vf y)
{
    put_bits(table, CORNER_X, at, subpixels(x));
    put_bits(table, CORNER_Y, at, subpixels(y));
    put_bits(table, SIDE_AX, at, s->ax);
    put_bits(table, SIDE_AY, at, s->ay);
    put_bits(table, SIDE_BX, at, s->bx);
    put_bits(table, SIDE_BY, at, s->by);
}

/* Returns the doubled area, in pixels. */
LANE_INLINE vf prepare_edges(value_table *table, uint32_t at, const sides *s)
{
    const vi far =
        beyond_near(s->ax) | beyond_near(s->ay) | beyond_near(s->bx) | beyond_near(s->by);
    const near_edges e = near_edges_of(s->ax, s->ay, s->bx, s->by);
    put_bits(table, FAR, at, far);
    put_bits(table, EDGE_1, at, e.edge_1);
    put_bits(table, EDGE_2, at, e.edge_2);
    put_bits(table, AREA, at, e.area);
    if (!mask_any(~vi_equal(far, vi_set(0)))) {
        return vi_to_float(e.area) * SQUARE_SUBPIXEL;
    }
    return edge_functions(s->ax, s->ay, s->bx, s->by, vi_set(0), vi_set(0)).area;
}

LANE_INLINE void prepare_stream(const float (*stream)[4],
                                const mrwi_shade_triangle *const triangle[MRWI_BASE_LANES],
                                value_table *table, uint32_t value, uint32_t at)
{
    vf4 c[3];
    LANE_UNROLL
    for (int k = 0; k < 3; k++) {
        const void *row[MRWI_BASE_LANES];
        LANE_UNROLL
        for (int lane = 0; lane < MRWI_BASE_LANES; lane++) {
            row[lane] = stream[triangle[lane]->vertex[k]];
        }
        c[k] = vf4_load_rows(row);
    }
    put_attribute(table, value, at, c[0].x, c[1].x, c[2].x);
    put_attribute(table, value + 3, at, c[0].y, c[1].y, c[2].y);
    put_attribute(table, value + 6, at, c[0].z, c[1].z, c[2].z);
    put_attribute(table, value + 9, at, c[0].w, c[1].w, c[2].w);
}

/* With edge functions e and area e0 + e1 + e2, the share of corner i of s is e_i / area * inv_w_i.
 * The derivative of u = U / s is u' = (U' - u s') / s; the parts of it that are constant over the
 * triangle are prepared here. */
/* The screen derivatives of the shares of corners 1 and 2, over w. */
typedef struct share_slopes {
    vf x1, y1, x2, y2;
} share_slopes;

/* Loads the corners' coordinates of a map that does not use those of the shading stream. */
LANE_INLINE void load_more_uvs(const float (*uvs)[4], bool second,
                               const mrwi_shade_triangle *const triangle[MRWI_BASE_LANES],
                               corner c[3])
{
    LANE_UNROLL
    for (int k = 0; k < 3; k++) {
        const void *row[MRWI_BASE_LANES];
        LANE_UNROLL
        for (int i = 0; i < MRWI_BASE_LANES; i++) {
            row[i] = uvs[triangle[i]->vertex[k]];
        }
        const vf4 both = vf4_load_rows(row);
        c[k].u = second ? both.z : both.x;
        c[k].v = second ? both.w : both.y;
    }
}

/* Prepares the texture coordinates of a placement. */
LANE_INLINE void prepare_placement(const mrwi_shade_frame *frame, const draw_state *state,
                                   uint32_t number,
                                   const mrwi_shade_triangle *const triangle[MRWI_BASE_LANES],
                                   const corner corners[3], const share_slopes *d,
                                   value_table *table, uint32_t at)
{
    corner c[3] = {corners[0], corners[1], corners[2]};
    const uint32_t first = MAP_VALUES * number, uvs = state->placements[number].first->uvs;
    if (uvs > 0) {
        load_more_uvs(frame->streams[mrwi_shade_uvs_stream(uvs)], mrwi_shade_uvs_float(uvs) != 0,
                      triangle, c);
    }
    put_attribute(table, first + ATTRIBUTE_U, at, c[0].u, c[1].u, c[2].u);
    put_attribute(table, first + ATTRIBUTE_V, at, c[0].v, c[1].v, c[2].v);
    if (state->footprints >> number & 1u) {
        vf u1 = c[1].u - c[0].u, u2 = c[2].u - c[0].u, v1 = c[1].v - c[0].v, v2 = c[2].v - c[0].v;
        put(table, first + SLOPE_UX, at, d->x1 * u1 + d->x2 * u2);
        put(table, first + SLOPE_UY, at, d->y1 * u1 + d->y2 * u2);
        put(table, first + SLOPE_VX, at, d->x1 * v1 + d->x2 * v2);
        put(table, first + SLOPE_VY, at, d->y1 * v1 + d->y2 * v2);
    }
}

/* Loads corner k of each triangle. */
LANE_INLINE vec3 load_position(const float (*positions)[4],
                               const mrwi_shade_triangle *const triangle[MRWI_BASE_LANES], int k)
{
    const void *row[MRWI_BASE_LANES];
    LANE_UNROLL
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        row[i] = positions[triangle[i]->vertex[k]];
    }
    const vf4 p = vf4_load_rows(row);
    return (vec3){p.x, p.y, p.z};
}

/* Returns the normals of the counter-clockwise sides. */
LANE_INLINE vec3 face_normals(const float (*positions)[4],
                              const mrwi_shade_triangle *const triangle[MRWI_BASE_LANES])
{
    const vec3 a = load_position(positions, triangle, 0), b = load_position(positions, triangle, 1);
    const vec3 c = load_position(positions, triangle, 2);
    const vec3 ab = normalize((vec3){b.x - a.x, b.y - a.y, b.z - a.z});
    const vec3 ac = normalize((vec3){c.x - a.x, c.y - a.y, c.z - a.z});
    return normalize(cross_of(ab, ac));
}

LANE_INLINE void prepare_face_normals(const float (*positions)[4], bool mirrored,
                                      const mrwi_shade_triangle *const triangle[MRWI_BASE_LANES],
                                      value_table *table, uint32_t at)
{
    const vec3 n = scaled(face_normals(positions, triangle), vf_set(mirrored ? -1.0f : 1.0f));
    put_attribute(table, ATTRIBUTE_NORMAL, at, n.x, n.x, n.x);
    put_attribute(table, ATTRIBUTE_NORMAL + 3, at, n.y, n.y, n.y);
    put_attribute(table, ATTRIBUTE_NORMAL + 6, at, n.z, n.z, n.z);
}

LANE_INLINE vf inv_length(vf x, vf y)
{
    return 1.0f / vf_sqrt(vf_max(x * x + y * y, vf_set(1e-10f)));
}

/* Prepares line_at of mode_spec.h. area: twice the triangle's area, of either sign. */
LANE_INLINE void prepare_lines(vf ax, vf ay, vf bx, vf by, vf area, value_table *table, uint32_t at)
{
    const vf inv0 = inv_length(bx - ax, by - ay), inv1 = inv_length(bx, by);
    const vf inv2 = inv_length(ax, ay), least = vf_min(vf_min(inv0, inv1), inv2);
    put(table, INV_LENGTH_0, at, inv0);
    put(table, INV_LENGTH_1, at, inv1);
    put(table, INV_LENGTH_2, at, inv2);
    put(table, LINE_STRENGTH, at,
        vf_clamp((vf_max(area, -area) * least - WIRE_NONE) * WIRE_GAIN, 0.0f, 1.0f));
}

/* Returns how much normals turn within a pixel: curvature_at in light_spec.h. */
LANE_INLINE vf curvature_of(const mrwi_shade_frame *frame, const corner c[3], vf ax, vf ay, vf bx,
                            vf by, vf inv_area)
{
    const float filter =
        frame->lighting.wide_highlights ? MRWI_SHADE_WIDE_FILTER : MRWI_SHADE_PIXEL_FILTER;
    const vec3 n1 = {c[1].nx - c[0].nx, c[1].ny - c[0].ny, c[1].nz - c[0].nz};
    const vec3 n2 = {c[2].nx - c[0].nx, c[2].ny - c[0].ny, c[2].nz - c[0].nz};
    const vec3 x = scaled(add_scaled(scaled(n1, by), n2, -ay), inv_area);
    const vec3 y = scaled(add_scaled(scaled(n2, ax), n1, -bx), inv_area);
    return vf_clamp((dot(x, x) + dot(y, y)) * filter, 0.0f, MRWI_SHADE_MOST_CURVATURE);
}

LANE_INLINE void prepare_normals(const mrwi_shade_frame *frame, const draw_state *state,
                                 const mrwi_shade_triangle *const *triangle, const corner c[3],
                                 value_table *table, uint32_t at)
{
    if (state->flat) {
        prepare_face_normals(frame->streams[MRWI_SHADE_POSITION], state->mirrored, triangle, table,
                             at);
        return;
    }
    put_attribute(table, ATTRIBUTE_NORMAL, at, c[0].nx, c[1].nx, c[2].nx);
    put_attribute(table, ATTRIBUTE_NORMAL + 3, at, c[0].ny, c[1].ny, c[2].ny);
    put_attribute(table, ATTRIBUTE_NORMAL + 6, at, c[0].nz, c[1].nz, c[2].nz);
}

LANE_INLINE void prepare_triangles(const mrwi_shade_frame *frame, const draw_state *state,
                                   const uint32_t *numbers, value_table *table, uint32_t at)
{
    const mrwi_shade_triangle *triangle[MRWI_BASE_LANES];
    uint32_t flip[MRWI_BASE_LANES];
    LANE_UNROLL
    for (int k = 0; k < MRWI_BASE_LANES; k++) {
        triangle[k] = &frame->triangles[numbers[k]];
        flip[k] = triangle[k]->draw_flags << 31;
    }
    corner c[3];
    LANE_UNROLL
    for (int k = 0; k < 3; k++) {
        c[k] = load_corner(frame->vertices, triangle, k);
    }
    vf ax = c[1].x - c[0].x, ay = c[1].y - c[0].y;
    vf bx = c[2].x - c[0].x, by = c[2].y - c[0].y;
    const sides s = {subpixels(ax), subpixels(ay), subpixels(bx), subpixels(by)};
    put_sides(table, at, &s, c[0].x, c[0].y);
    const vf area = prepare_edges(table, at, &s), inv_area = 1.0f / area;
    vf k0 = c[0].inv_w * inv_area, k1 = c[1].inv_w * inv_area, k2 = c[2].inv_w * inv_area;
    vf d1x = by * k1, d1y = -bx * k1, d2x = -ay * k2, d2y = ax * k2;
    put(table, SHARE_0, at, k0);
    put(table, SHARE_1, at, k1);
    put(table, SHARE_2, at, k2);
    if (state->footprints) {
        put(table, SLOPE_X, at, (ay - by) * k0 + (d1x + d2x));
        put(table, SLOPE_Y, at, (bx - ax) * k0 + (d1y + d2y));
    }
    if (state->edges) {
        prepare_lines(ax, ay, bx, by, area, table, at);
    }
    const share_slopes slopes = {d1x, d1y, d2x, d2y};
    for (uint32_t m = 0; m < state->placement_count; m++) {
        prepare_placement(frame, state, m, triangle, c, &slopes, table, at);
    }
    if (state->lit) {
        put_bits(table, FLIP, at, vi_load(flip));
    }
    if (state->curved) {
        put(table, CURVATURE, at, curvature_of(frame, c, ax, ay, bx, by, inv_area));
    }
    if (state->lit) {
        prepare_normals(frame, state, triangle, c, table, at);
    }
    if (state->shadowed) {
        const vec3 n = scaled(face_normals(frame->streams[MRWI_SHADE_POSITION], triangle),
                              vf_set(state->mirrored ? -1.0f : 1.0f));
        put(table, FACE_NORMAL, at, n.x);
        put(table, FACE_NORMAL + 1, at, n.y);
        put(table, FACE_NORMAL + 2, at, n.z);
    }
    for (uint32_t left = state->streams; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        prepare_stream(frame->streams[k], triangle, table, ATTRIBUTE_STREAM + 12 * k, at);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Numbers the runs: sets the run of each fragment and the triangle of each run. */
LANE_INLINE void number_runs(const group *g, run_list *runs)
{
    int32_t run = -1;
    for (uint32_t i = 0; i < g->count; i += MRWI_BASE_LANES) {
        vi_store(runs->run + i, vi_set(run));
        for (uint32_t bits = runs->starts[i / MRWI_BASE_LANES]; bits != 0; bits &= bits - 1) {
            const uint32_t at = i + (uint32_t)__builtin_ctz(bits);
            vi_store(runs->run + at, vi_set(++run));
            runs->triangle[run] = g->triangle[at];
            runs->first[run] = at;
            runs->x[run] = g->x[at];
            runs->y[run] = g->y[at];
        }
    }
    for (uint32_t k = 0; k < MRWI_BASE_LANES; k++) {
        runs->triangle[runs->count + k] = runs->triangle[runs->count - 1];
        runs->x[runs->count + k] = runs->x[runs->count - 1];
        runs->y[runs->count + k] = runs->y[runs->count - 1];
    }
}

/* The layout of the values of MRWI_BASE_LANES fragments. */
typedef enum pick_way {
    PICK_LANES, /* one behind the other */
    PICK_ONE,   /* all belong to one triangle */
    PICK_RUNS   /* `index` says which */
} pick_way;

typedef struct pick {
    pick_way way;
    const value_table *table;
    uint32_t at;
    lane_index index;
    vf dx; /* PICK_ONE: the number of fragments before these in the run */
} pick;

LANE_INLINE vf get(const pick *p, uint32_t value)
{
    const float *from = p->table->value[value] + p->at;
    int32_t bits;
    switch (p->way) {
    case PICK_LANES:
        return vf_load(from);
    case PICK_ONE: /* not as a float: a whole number may look like a NaN, which arithmetic changes
                    */
        memcpy(&bits, from, sizeof bits);
        return vf_from_bits(vi_set(bits));
    default:
        return vf_permute(from, p->index);
    }
}

LANE_INLINE vi get_bits(const pick *p, uint32_t value)
{
    return vf_bits(get(p, value));
}

/* ---- points ---------------------------------------------------------------------------------- */

/* The weights of perspective-correct interpolation at one point of a triangle, relative to corner
 * 0. */
typedef struct weights {
    vf w1, w2; /* weights of corners 1 and 2 */
    vf inv_s;
} weights;

LANE_INLINE sides get_sides(const pick *p)
{
    return (sides){get_bits(p, SIDE_AX), get_bits(p, SIDE_AY), get_bits(p, SIDE_BX),
                   get_bits(p, SIDE_BY)};
}

/* Returns the edge functions at (x, y). Most triangles are small enough for the short way. */
LANE_INLINE edge_values edges_at(const pick *p, vf x, vf y)
{
    const vi px = subpixels(x) - get_bits(p, CORNER_X), py = subpixels(y) - get_bits(p, CORNER_Y);
    const vi far = get_bits(p, FAR) | beyond_near(px) | beyond_near(py);
    if (!mask_any(~vi_equal(far, vi_set(0)))) {
        const near_edges e = {get_bits(p, EDGE_1), get_bits(p, EDGE_2), get_bits(p, AREA)};
        return edge_functions_near(&e, px, py);
    }
    const sides s = get_sides(p);
    return edge_functions(s.ax, s.ay, s.bx, s.by, px, py);
}

/* Returns true for points on the inner side of an edge, by the rule of coverage: points on the edge
 * itself belong to left and top edges. e: the edge function. dx, dy: the edge's direction. turned:
 * -1 if the corners go the other way round. */
LANE_INLINE vi on_side(vf e, vi dx, vi dy, vi turned)
{
    vf inner = vf_from_bits(vf_bits(e) ^ (turned & INT32_MIN));
    vi right = (dx ^ turned) - turned, down = (dy ^ turned) - turned, zero = vi_set(0);
    vi owns = vi_less(down, zero) | (vi_equal(down, zero) & vi_less(zero, right));
    return vf_less(vf_set(0.0f), inner) | (vf_equal(e, vf_set(0.0f)) & owns);
}

LANE_INLINE vi covers(const sides *s, edge_values e)
{
    vi turned = vf_less(e.area, vf_set(0.0f));
    return on_side(e.e2, s->ax, s->ay, turned) & on_side(e.e1, -s->bx, -s->by, turned) &
           on_side(e.e0, s->bx - s->ax, s->by - s->ay, turned);
}

/* Returns one edge function in the row of a run: see prepare_along. */
LANE_INLINE vf edge_along(const pick *p, uint32_t value)
{
    return (get(p, value) + p->dx * get(p, value + 1)) +
           (get(p, value + 2) + p->dx * get(p, value + 3));
}

/* Returns the edge functions at the fragments' first positions. */
LANE_INLINE edge_values first_edges(const pick *p, vf x, vf y)
{
    if (p->way == PICK_ONE && p->table->value[ALONG][p->at] != 0.0f &&
        !mask_any(~vf_equal(x, p->dx + get(p, ALONG_X)))) {
        return (edge_values){get(p, ALONG_AREA), edge_along(p, ALONG_E0), edge_along(p, ALONG_E1),
                             edge_along(p, ALONG_E2)};
    }
    return edges_at(p, x, y);
}

/* Returns the edge functions at the positions where the fragments are shaded. Stores those
 * positions if the group has two to choose from. */
LANE_INLINE edge_values edges_of(const group *g, const pick *p, uint32_t i, point_list *out)
{
    vf x = vf_load(g->x + i), y = vf_load(g->y + i);
    edge_values e = first_edges(p, x, y);
    if (!g->other_x) {
        return e;
    }
    const sides s = get_sides(p);
    vi outside = ~covers(&s, e);
    if (mask_any(outside)) {
        x = vf_select(outside, vf_load(g->other_x + i), x);
        y = vf_select(outside, vf_load(g->other_y + i), y);
        e = edges_at(p, x, y);
    }
    vf_store(out->x + i, x);
    vf_store(out->y + i, y);
    return e;
}

/* Computes the weights of corners 1 and 2. The share of corner 0 is computed from its own edge
 * function, not as the rest of the others: if its inv_w is by far the largest, the difference would
 * have no correct bits at the far end. The clamp makes degenerate triangles (0 / 0) show corner 0.
 */
LANE_INLINE weights weights_of(const pick *p, edge_values e)
{
    vf s1 = e.e1 * get(p, SHARE_1), s2 = e.e2 * get(p, SHARE_2);
    weights w;
    w.inv_s = 1.0f / (e.e0 * get(p, SHARE_0) + (s1 + s2));
    w.w1 = vf_clamp(s1 * w.inv_s, 0.0f, 1.0f);
    w.w2 = vf_clamp(s2 * w.inv_s, 0.0f, 1.0f);
    return w;
}

LANE_INLINE vf interpolate(const pick *p, const weights *w, uint32_t attribute)
{
    return get(p, attribute) + (w->w1 * get(p, attribute + 1) + w->w2 * get(p, attribute + 2));
}

/* The steps of texture coordinates to the neighbouring pixels, in texels of the finest level. */
typedef struct steps {
    vf ux, vx, uy, vy;
} steps;

/* Computes the steps. du, dv: u, v minus those of corner 0. first: the index of the map's values.
 */
LANE_INLINE steps steps_of(const pick *p, const weights *w, uint32_t first, vf du, vf dv,
                           float width, float height)
{
    vf scale_u = w->inv_s * width, scale_v = w->inv_s * height;
    vf dsx = get(p, SLOPE_X), dsy = get(p, SLOPE_Y);
    return (steps){(get(p, first + SLOPE_UX) - du * dsx) * scale_u,
                   (get(p, first + SLOPE_VX) - dv * dsx) * scale_v,
                   (get(p, first + SLOPE_UY) - du * dsy) * scale_u,
                   (get(p, first + SLOPE_VY) - dv * dsy) * scale_v};
}

/* Returns the squared longer side of a pixel's footprint on a texture, at least 1. */
LANE_INLINE vf footprint_of(const steps *d)
{
    return vf_clamp(vf_max(d->ux * d->ux + d->vx * d->vx, d->uy * d->uy + d->vy * d->vy), 1.0f,
                    0x1p60f);
}

#include "shade/probe_kernel.h"

LANE_INLINE void store_uv(const draw_state *state, uint32_t number, const pick *p, const weights *w,
                          uint32_t i, point_list *points, vi *minified)
{
    const uint32_t first = MAP_VALUES * number;
    uv_list *out = &points->uvs[number];
    vf u = interpolate(p, w, first + ATTRIBUTE_U), v = interpolate(p, w, first + ATTRIBUTE_V);
    vf_store(out->u + i, u);
    vf_store(out->v + i, v);
    if ((state->footprints >> number & 1u) == 0) {
        return;
    }
    const mrw_raster_texture *texture = state->placements[number].first->texture;
    vf du = u - get(p, first + ATTRIBUTE_U), dv = v - get(p, first + ATTRIBUTE_V);
    const steps d = steps_of(p, w, first, du, dv, texture->layout.width, texture->layout.height);
    if (state->probes) {
        *minified |= store_probes(texture, &d, i, &points->probes[number], out);
        return;
    }
    vf footprint = footprint_of(&d);
    vf_store(out->footprint + i, footprint);
    *minified |= vf_less(vf_set(1.0f), footprint);
}

/* Stores the normal of the visible side, not yet of unit length. */
LANE_INLINE void store_normal(const pick *p, const weights *w, uint32_t i, point_list *out)
{
    vi flip = get_bits(p, FLIP);
    vf_store(out->side + i, vf_from_bits(vf_bits(vf_set(1.0f)) ^ flip));
    LANE_UNROLL
    for (uint32_t k = 0; k < 3; k++) {
        vf n = interpolate(p, w, ATTRIBUTE_NORMAL + 3 * k);
        vf_store(out->normal[k] + i, vf_from_bits(vf_bits(n) ^ flip));
    }
}

LANE_INLINE void store_stream(const pick *p, const weights *w, uint32_t stream, uint32_t i,
                              point_list *out)
{
    LANE_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        vf_store(out->stream[stream][k] + i,
                 interpolate(p, w, ATTRIBUTE_STREAM + 12 * stream + 3 * k));
    }
}

/* Stores line_at of mode_spec.h. */
LANE_INLINE void store_line(const pick *p, edge_values e, uint32_t i, point_list *out)
{
    const vf d0 = vf_max(e.e0, -e.e0) * get(p, INV_LENGTH_0);
    const vf d1 = vf_max(e.e1, -e.e1) * get(p, INV_LENGTH_1);
    const vf d2 = vf_max(e.e2, -e.e2) * get(p, INV_LENGTH_2);
    const vf line = vf_clamp((WIRE_REACH + 0.5f) - vf_min(vf_min(d0, d1), d2), 0.0f, 1.0f);
    vf_store(out->line + i, line * get(p, LINE_STRENGTH));
}

LANE_INLINE void interpolate_points(const draw_state *state, const group *g, const pick *p,
                                    uint32_t i, point_list *out, vi *minified)
{
    edge_values e = edges_of(g, p, i, out);
    weights w = weights_of(p, e);
    for (uint32_t m = 0; m < state->placement_count; m++) {
        store_uv(state, m, p, &w, i, out, &minified[m]);
    }
    if (state->edges) {
        store_line(p, e, i, out);
    }
    if (state->lit) {
        store_normal(p, &w, i, out);
    }
    for (uint32_t k = 0; k < 3 && state->shadowed; k++) {
        vf_store(out->face[k] + i, get(p, FACE_NORMAL + k));
    }
    if (state->curved) {
        vf_store(out->curvature + i, get(p, CURVATURE));
    }
    for (uint32_t left = state->streams; left != 0; left &= left - 1) {
        store_stream(p, &w, (uint32_t)__builtin_ctz(left), i, out);
    }
}

/* ---- far triangles along a run --------------------------------------------------------------- */

/* Edge functions of far triangles need more bits than float has. But the fragments of a run are
 * neighbours: their values are e + dx * step, where e and step are whole numbers of sub-pixels and
 * dx < BLOCK. Cut at 2^17 into a coarse and a fine part, each part stays below 2^24 units and so is
 * exact in float; the sum of both rounds once, as edge_functions does. */
#define ALONG_CUT   0x1p17
#define ALONG_REACH (1 << 19)
_Static_assert(BLOCK <= 256, "fine parts of a run are exact");

LANE_INLINE vi beyond_along(vi x)
{
    return (x + ALONG_REACH) & ~(2 * ALONG_REACH - 1);
}

LANE_INLINE vd coarse_part(vd x)
{
    const double whole = 0x1.8p52 * ALONG_CUT; /* adding to this rounds to whole parts */
    return (x + whole) - whole;
}

/* Exact values in sub-pixels of the lower and the upper half of the lanes. */
typedef struct exact {
    vd low, high;
} exact;

LANE_INLINE vf pixels_of(vd low, vd high)
{
    return vf_join(low, high) * SQUARE_SUBPIXEL;
}

LANE_INLINE void put_along(value_table *table, uint32_t value, uint32_t at, exact e, exact step)
{
    const exact c = {coarse_part(e.low), coarse_part(e.high)};
    const exact d = {coarse_part(step.low), coarse_part(step.high)};
    put(table, value, at, pixels_of(c.low, c.high));
    put(table, value + 1, at, pixels_of(d.low, d.high));
    put(table, value + 2, at, pixels_of(e.low - c.low, e.high - c.high));
    put(table, value + 3, at, pixels_of(step.low - d.low, step.high - d.high));
}

LANE_INLINE void prepare_along(const run_list *runs, value_table *table, uint32_t r)
{
    const pick p = {.way = PICK_LANES, .table = table, .at = r};
    const vi far = ~vi_equal(get_bits(&p, FAR), vi_set(0));
    put_bits(table, ALONG, r, vi_set(0));
    if (!mask_any(far)) {
        return;
    }
    const sides s = get_sides(&p);
    put(table, ALONG_X, r, vf_load(runs->x + r));
    const vi px = subpixels(vf_load(runs->x + r)) - get_bits(&p, CORNER_X);
    const vi py = subpixels(vf_load(runs->y + r)) - get_bits(&p, CORNER_Y);
    const vi beyond = beyond_along(s.ax) | beyond_along(s.ay) | beyond_along(s.bx) |
                      beyond_along(s.by) | beyond_along(px) | beyond_along(py);
    put_bits(table, ALONG, r, far & vi_equal(beyond, vi_set(0)) & vf_bits(vf_set(1.0f)));
    const edge_doubles e =
        edge_functions_double(vi_low_double(s.ax), vi_low_double(s.ay), vi_low_double(s.bx),
                              vi_low_double(s.by), vi_low_double(px), vi_low_double(py));
    const edge_doubles f =
        edge_functions_double(vi_high_double(s.ax), vi_high_double(s.ay), vi_high_double(s.bx),
                              vi_high_double(s.by), vi_high_double(px), vi_high_double(py));
    const exact across = {vi_low_double(s.by) * 256.0, vi_high_double(s.by) * 256.0};
    const exact back = {vi_low_double(s.ay) * 256.0, vi_high_double(s.ay) * 256.0};
    put(table, ALONG_AREA, r, pixels_of(e.area, f.area));
    put_along(table, ALONG_E0, r, (exact){e.e0, f.e0},
              (exact){back.low - across.low, back.high - across.high});
    put_along(table, ALONG_E1, r, (exact){e.e1, f.e1}, across);
    put_along(table, ALONG_E2, r, (exact){e.e2, f.e2}, (exact){-back.low, -back.high});
}

/* ---- the stage ------------------------------------------------------------------------------- */

STAGE void prepare_runs(const mrwi_shade_frame *frame, const draw_state *state,
                        const run_list *runs, value_table *table)
{
    for (uint32_t r = 0; r < runs->count; r += MRWI_BASE_LANES) {
        prepare_triangles(frame, state, runs->triangle + r, table, r);
    }
    for (uint32_t r = 0; r < runs->count; r += MRWI_BASE_LANES) {
        prepare_along(runs, table, r);
    }
}

/* For each placement, a mask of fragments whose footprint is above 1 or that have several probes.
 */
typedef struct minified_placements {
    vi of[MRW_RASTER_MAP_COUNT];
} minified_placements;

LANE_INLINE void begin_minified(const draw_state *state, minified_placements *out)
{
    for (uint32_t m = 0; m < state->placement_count; m++) {
        out->of[m] = vi_set(0);
    }
}

LANE_INLINE uint32_t minified_bits(const draw_state *state, const minified_placements *minified)
{
    uint32_t bits = 0;
    for (uint32_t m = 0; m < state->placement_count; m++) {
        bits |= (mask_any(minified->of[m]) ? 1u : 0u) << m;
    }
    return bits & state->footprints;
}

STAGE void points_of_runs(const draw_state *state, const group *g, const run_list *runs,
                          const value_table *table, point_list *out)
{
    minified_placements minified;
    begin_minified(state, &minified);
    uint32_t begun = 0;
    for (uint32_t i = 0; i < g->count; i += MRWI_BASE_LANES) {
        const uint32_t bits = runs->starts[i / MRWI_BASE_LANES];
        const uint32_t at = begun + (bits & 1u) - 1;
        if (bits <= 1) {
            const vf dx = lane_floats() + ((float)i - (float)runs->first[at]);
            const pick one = {.way = PICK_ONE, .table = table, .at = at, .dx = dx};
            interpolate_points(state, g, &one, i, out, minified.of);
        } else {
            const lane_index index = lane_index_of(vi_load(runs->run + i) - (int32_t)at);
            const pick some = {.way = PICK_RUNS, .table = table, .at = at, .index = index};
            interpolate_points(state, g, &some, i, out, minified.of);
        }
        begun += bit_count(bits);
    }
    out->minified = minified_bits(state, &minified);
}

STAGE void points_of_lanes(const mrwi_shade_frame *frame, const draw_state *state, const group *g,
                           value_table *table, point_list *out)
{
    minified_placements minified;
    begin_minified(state, &minified);
    const pick lanes = {.way = PICK_LANES, .table = table};
    for (uint32_t i = 0; i < g->count; i += MRWI_BASE_LANES) {
        prepare_triangles(frame, state, g->triangle + i, table, 0);
        interpolate_points(state, g, &lanes, i, out, minified.of);
    }
    out->minified = minified_bits(state, &minified);
}

static void attributes(const work *w, block *b)
{
    const draw_state *state = w->state;
    value_table *table = b->values;
    if (2 * b->runs.count <= w->g->count) {
        number_runs(w->g, &b->runs);
        prepare_runs(w->frame, state, &b->runs, table);
        points_of_runs(state, w->g, &b->runs, table, &b->points);
    } else {
        points_of_lanes(w->frame, state, w->g, table, &b->points);
    }
}
