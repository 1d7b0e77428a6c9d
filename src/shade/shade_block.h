/* shade_block.h: the data that the stages of shade_kernel.h pass on to one another, for up to BLOCK
 * fragments at a time. Each list is made by one stage; later stages read it. */
#ifndef MRWI_SHADE_SHADE_BLOCK_H
#define MRWI_SHADE_SHADE_BLOCK_H

#include "base/simd/lanes.h"
#include "shade/shade.h"

#define BLOCK        256
#define BLOCK_PADDED (BLOCK + MRWI_SHADE_LIST_PAD)

/* Fragments of one draw. Arrays continue to a multiple of MRWI_BASE_LANES with copies of the last
 * entry. */
typedef struct group {
    uint32_t count;
    const float *x;
    const float *y;
    const uint32_t *triangle;
    const float *other_x; /* see mrwi_shade_list */
    const float *other_y;
    const uint32_t *slot; /* index of each fragment in the block's output; NULL: in order */
} group;

/* Memory of a group that was picked out of fragments of several draws. */
typedef struct picked_list {
    _Alignas(64) float x[BLOCK_PADDED];
    float y[BLOCK_PADDED];
    float other_x[BLOCK_PADDED], other_y[BLOCK_PADDED];
    uint32_t triangle[BLOCK_PADDED];
    uint32_t slot[BLOCK_PADDED];
} picked_list;

/* The places of fragments on a map. */
typedef struct uv_list {
    _Alignas(64) float u[BLOCK_PADDED];
    float v[BLOCK_PADDED];
    float footprint[BLOCK_PADDED]; /* squared; 1 where the texture is magnified */
} uv_list;

/* The probes of anisotropic filtering: u and v from one end of the line to the other, and their
 * number. */
typedef struct probe_list {
    _Alignas(64) float u[BLOCK_PADDED];
    float v[BLOCK_PADDED];
    float count[BLOCK_PADDED];
} probe_list;

/* Interpolated attributes of triangles at the fragments. */
typedef struct point_list {
    /* One list per placement of draw_state. */
    uv_list uvs[MRW_RASTER_MAP_COUNT];
    /* One list per placement, if draw_state wants probes. */
    probe_list probes[MRW_RASTER_MAP_COUNT];
    float normal[3][BLOCK_PADDED];
    float side[BLOCK_PADDED];      /* -1 where backs are seen, otherwise 1; set with normal */
    float curvature[BLOCK_PADDED]; /* set if draw_state.curved */
    float stream[MRWI_SHADE_UVS][4][BLOCK_PADDED];
    float face[3][BLOCK_PADDED];            /* normals of triangles, for shadows */
    float line[BLOCK_PADDED];               /* coverage by the lines of edges */
    float x[BLOCK_PADDED], y[BLOCK_PADDED]; /* positions, if the group has two to choose from */
    /* One bit per placement: some footprint is above 1, or has several probes. */
    uint32_t minified;
} point_list;

/* The 2 x 2 texels of one level that a fragment blends. */
typedef struct tap_list {
    int32_t texel[BLOCK_PADDED]; /* index of the top left one */
    int32_t lower[BLOCK_PADDED]; /* index of the one below */
    float across[BLOCK_PADDED];  /* weight of the right column */
    float down[BLOCK_PADDED];    /* weight of the lower row */
} tap_list;

/* The texels to blend. */
typedef struct address_list {
    _Alignas(64) tap_list tap[2];
    float level_mix[BLOCK_PADDED]; /* weight of tap[1] */
} address_list;

/* The texels of a map, 0 ... 65535. The list of the base colour later holds base colours, then lit
 * colours; it has alpha only if something is see-through. */
typedef struct color_list {
    _Alignas(64) float channel[4][BLOCK_PADDED];
} color_list;

/* The runs of a group: fragments of one triangle in one row. */
typedef struct run_list {
    uint32_t count;
    uint32_t starts[BLOCK / MRWI_BASE_LANES];        /* one bit per lane: a run begins here */
    int32_t run[BLOCK_PADDED + MRWI_SHADE_LIST_PAD]; /* run of each fragment */
    uint32_t triangle[BLOCK + MRWI_SHADE_LIST_PAD];  /* triangle of each run */
    uint32_t first[BLOCK];                           /* first fragment of each run */
    float x[BLOCK + MRWI_SHADE_LIST_PAD];
    float y[BLOCK + MRWI_SHADE_LIST_PAD];
} run_list;

/* The indices of the lights that reach a group. */
#define LAMPS_MAX 1024
typedef struct lamp_list {
    uint32_t count;
    const uint32_t *light; /* NULL: the first `count` lights */
    uint32_t room[LAMPS_MAX + MRWI_SHADE_LIST_PAD];
} lamp_list;

/* All data of a block. */
typedef struct block {
    struct value_table *values; /* room for the values of triangles: attribute_kernel.h */
    lamp_list lamps;
    picked_list picked;
    point_list points;
    address_list addresses; /* addresses of one placement at a time */
    color_list colors[MRW_RASTER_MAP_COUNT];
    run_list runs;
    /* The unshadowed share of lights, for each of the frame's shadows. */
    _Alignas(64) float visibility[MRW_SHADOW_LIGHTS][BLOCK_PADDED];
    /* The openness to ambient light. */
    float openness[BLOCK_PADDED];
} block;

/* Returns the list of the base colour, which becomes the lit colour. */
static inline color_list *colors_of(block *b)
{
    return &b->colors[MRW_RASTER_MAP_BASE_COLOR];
}

/* ---- stages ---------------------------------------------------------------------------------- */

typedef struct work work;

/* A step of shading, over all fragments of a group. */
typedef void stage(const work *w, block *b);

/* The stages: attributes, textures, base colour, lamps, shadows, openness, light, sheen, emission,
 * coat, and the output; plus room for one stage per map. */
#define STAGES_MAX (11 + MRW_RASTER_MAP_COUNT)

/* Maps with the same layout and the same levels share their coordinates, level of detail and
 * addresses. */
typedef struct placement {
    const mrw_raster_map *first; /* the first of the maps */
    uint32_t maps;               /* all of the maps, one bit each */
} placement;

/* The inputs that the stages of a draw read of its fragments. */
typedef struct draw_state {
    const mrw_raster_material *material;
    uint32_t maps; /* maps whose texels are wanted, one bit each */
    placement placements[MRW_RASTER_MAP_COUNT];
    uint32_t placement_count;
    uint32_t footprints; /* placements whose level of detail matters, one bit each */
    bool probes;         /* anisotropic filtering: places of probes are wanted */
    uint32_t streams;    /* wanted streams except coordinates of maps, one bit each */
    bool as_it_is;       /* the base colour is shown in any mode */
    bool painted;        /* base colours or their alpha are wanted */
    bool edges;          /* lines of edges are wanted */
    bool lit;            /* normals are wanted */
    stage *shown;        /* stage that replaces the base colour by data, or NULL */
    bool placed;         /* lights are placed; positions are wanted */
    bool ambient;        /* there is ambient light */
    bool shadowed;       /* lights have shadows; normals of triangles are wanted */
    bool occluded;       /* ambient light is occluded; positions are wanted */
    bool ground;         /* a ground; its shadows and occlusion fade at the picture's border */
    bool flat;           /* normals of triangles are used */
    bool mirrored;       /* front sides are clockwise */
    bool see_through;    /* alpha matters */
    bool alpha_alone;    /* only the alpha of the base colour is wanted, with its map */
    bool curved; /* normals turn within a pixel on surfaces that may be smooth enough to show it */
} draw_state;

/* The stages of a draw, in order. */
typedef struct stage_list {
    uint32_t count;
    stage *stages[STAGES_MAX];
} stage_list;

/* The inputs of stages besides the block. */
struct work {
    const mrwi_shade_frame *frame;
    const draw_state *state;
    const group *g;
    void *out; /* output of the last stage: a list for the block's fragments, see goal */
};

#endif
