/* shade_block.h: what the stages of shade_kernel.h hand on to one another, up to BLOCK fragments at
 * a time. Each list has one stage that makes it; the stages after that read it.
 */
#ifndef MRWI_SHADE_SHADE_BLOCK_H
#define MRWI_SHADE_SHADE_BLOCK_H

#include "base/simd/lanes.h"
#include "shade/shade.h"

#define BLOCK        256
#define BLOCK_PADDED (BLOCK + MRWI_SHADE_LIST_PAD)

/* Fragments of one draw. Arrays go on to a multiple of MRWI_BASE_LANES with copies of the last. */
typedef struct group {
    uint32_t count;
    const float *x;
    const float *y;
    const uint32_t *triangle;
    const float *other_x; /* see mrwi_shade_list */
    const float *other_y;
    const uint32_t *slot; /* where in the block's output a fragment belongs; NULL: in order */
} group;

/* What a group points to that was picked out of fragments of several draws. */
typedef struct picked_list {
    _Alignas(64) float x[BLOCK_PADDED];
    float y[BLOCK_PADDED];
    float other_x[BLOCK_PADDED], other_y[BLOCK_PADDED];
    uint32_t triangle[BLOCK_PADDED];
    uint32_t slot[BLOCK_PADDED];
} picked_list;

/* Where fragments lie on a map. */
typedef struct uv_list {
    _Alignas(64) float u[BLOCK_PADDED];
    float v[BLOCK_PADDED];
    float footprint[BLOCK_PADDED]; /* squared; 1 where the texture is magnified */
} uv_list;

/* How the probes of anisotropic filtering stand: mrw_raster_map's u and v from one end of the line
 * to the other, and how many there are. */
typedef struct probe_list {
    _Alignas(64) float u[BLOCK_PADDED];
    float v[BLOCK_PADDED];
    float count[BLOCK_PADDED];
} probe_list;

/* What triangles are like where fragments lie. */
typedef struct point_list {
    uv_list uvs[MRW_RASTER_MAP_COUNT]; /* of each placement of draw_state; streams: those of it */
    probe_list probes[MRW_RASTER_MAP_COUNT]; /* likewise, where they are wanted */
    float normal[3][BLOCK_PADDED];
    float side[BLOCK_PADDED];      /* -1 where backs are seen, else 1; with normal */
    float curvature[BLOCK_PADDED]; /* where draw_state says so */
    float stream[MRWI_SHADE_UVS][4][BLOCK_PADDED];
    float face[3][BLOCK_PADDED];            /* normals of triangles, for shadows */
    float line[BLOCK_PADDED];               /* how much the lines of edges cover */
    float x[BLOCK_PADDED], y[BLOCK_PADDED]; /* where they lie, when the group left that open */
    uint32_t minified;                      /* a bit a placement: some footprint is above 1, or has
                                               several probes */
} point_list;

/* The 2 x 2 texels of one level that a fragment blends. */
typedef struct tap_list {
    int32_t texel[BLOCK_PADDED]; /* index of the top left one */
    int32_t lower[BLOCK_PADDED]; /* of the one below */
    float across[BLOCK_PADDED];  /* weight of the right column */
    float down[BLOCK_PADDED];    /* weight of the lower row */
} tap_list;

/* Texels to blend. */
typedef struct address_list {
    _Alignas(64) tap_list tap[2];
    float level_mix[BLOCK_PADDED]; /* weight of tap[1] */
} address_list;

/* Texels of a map, 0 ... 65535. In the place of the base colour's: base colours, then what is lit;
 * there alpha only where something is see-through. */
typedef struct color_list {
    _Alignas(64) float channel[4][BLOCK_PADDED];
} color_list;

/* Runs of a group: fragments of one triangle in one row. */
typedef struct run_list {
    uint32_t count;
    uint32_t starts[BLOCK / MRWI_BASE_LANES];        /* a bit a lane: where runs begin */
    int32_t run[BLOCK_PADDED + MRWI_SHADE_LIST_PAD]; /* of each fragment */
    uint32_t triangle[BLOCK + MRWI_SHADE_LIST_PAD];  /* of each run, and what else */
    uint32_t first[BLOCK];                           /* its first fragment */
    float x[BLOCK + MRWI_SHADE_LIST_PAD];
    float y[BLOCK + MRWI_SHADE_LIST_PAD];
} run_list;

/* Numbers of the lights that reach a group. */
#define LAMPS_MAX 1024
typedef struct lamp_list {
    uint32_t count;
    const uint32_t *light; /* NULL: the first ones */
    uint32_t room[LAMPS_MAX + MRWI_SHADE_LIST_PAD];
} lamp_list;

/* All of them. */
typedef struct block {
    lamp_list lamps;
    picked_list picked;
    point_list points;
    address_list addresses; /* of one placement after the other */
    color_list colors[MRW_RASTER_MAP_COUNT];
    run_list runs;
    /* What comes of lights past what stands in their way, of each of the frame's shadows. */
    _Alignas(64) float visibility[MRW_SHADOW_LIGHTS][BLOCK_PADDED];
    /* How much of the light from all around comes to them. */
    float openness[BLOCK_PADDED];
} block;

/* What becomes of the base colour. */
static inline color_list *colors_of(block *b)
{
    return &b->colors[MRW_RASTER_MAP_BASE_COLOR];
}

/* ---- stages ---------------------------------------------------------------------------------- */

typedef struct work work;

/* A step of shading, over all fragments of a group. */
typedef void stage(const work *w, block *b);

/* attributes, textures, base colour, lamps, shadows, openness, light, sheen, emission, coat, and
 * what becomes of the colours; room for a stage a map more */
#define STAGES_MAX (11 + MRW_RASTER_MAP_COUNT)

/* Maps that lie alike and have the same levels share what is found of them: coordinates, level of
 * detail, addresses. */
typedef struct placement {
    const mrw_raster_map *first; /* of the maps */
    uint32_t maps;               /* all of them, a bit each */
} placement;

/* How the fragments of a draw are shaded. */
typedef struct draw_state {
    const mrw_raster_material *material;
    uint32_t maps; /* a bit each: those whose texels are wanted */
    placement placements[MRW_RASTER_MAP_COUNT];
    uint32_t placement_count;
    uint32_t footprints; /* a bit a placement: those whose level of detail matters */
    bool probes;         /* and how their probes stand */
    uint32_t streams;    /* a bit each: those that are wanted, but for coordinates of maps */
    bool as_it_is;       /* the base colour, whatever the mode */
    bool painted;        /* base colours are wanted, or their alpha */
    bool edges;          /* lines of edges are wanted */
    bool lit;            /* normals are wanted */
    stage *shown;        /* what puts data in the place of the base colour, or NULL */
    bool placed;         /* lights stand somewhere, and positions are wanted */
    bool ambient;        /* light comes from all around */
    bool shadowed;       /* lights have shadows: normals of triangles are wanted besides */
    bool occluded;       /* not all of that comes everywhere, and positions are wanted */
    bool flat;           /* normals are those of triangles, */
    bool mirrored;       /* whose fronts are clockwise */
    bool see_through;    /* alpha matters */
    bool alpha_alone;    /* that of the base colour, its only map, and nothing else */
    bool curved; /* surfaces turn within a pixel, and some may shine enough for that to show */
    uint32_t stage_count;
    stage *stages[STAGES_MAX];
} draw_state;

/* What stages are given besides the block. */
struct work {
    const mrwi_shade_frame *frame;
    const draw_state *state;
    const group *g;
    void *out; /* the last stage's: a list of the block's fragments, see goal */
};

#endif
