/* aov.h: what the files of the passes share. */
#ifndef MRWI_FRAME_AOV_H
#define MRWI_FRAME_AOV_H

#include "frame/frame.h"

/* A draw of posed instances. */
typedef struct mrwi_frame_aov_draw {
    const mrwi_frame_pose *pose;
    uint32_t draw;       /* index in its scene */
    uint32_t material;   /* number of its material, see legend.h */
    uint32_t first_like; /* first posed draw that is the same draw of the same model */
} mrwi_frame_aov_draw;

/* Posed instances as visible at the centres of pixels from a camera. */
typedef struct mrwi_frame_seen {
    const mrwi_frame_posed *posed;
    const mrwi_frame_aov_draw *draws; /* one per draw of posed */
    mrw_intrinsics camera;
    /* Neighbouring pictures, for flow. Only these have the images below. */
    const struct mrwi_frame_seen *last, *next;
    mrw_image ids;       /* 1 + the index of the draw in posed; 0: nothing is visible */
    mrw_image triangles; /* triangle of that draw */
} mrwi_frame_seen;

/* aov_draw.c: lists the draws of posed instances, in the arena. Returns NULL without memory. */
const mrwi_frame_aov_draw *mrwi_frame_list_draws(mrwi_base_arena *arena,
                                                 const mrwi_frame_posed *posed);

/* ---- aov_memory.c ---------------------------------------------------------------------------- */

/* Makes room for `count` kept images. Returns false without memory. */
bool mrwi_frame_reserve_kept(mrwi_frame_aovs *aovs, uint32_t count);
/* Gets a kept image ready. If its layout or its background (key) differs from the last frame's, its
 * spans cover everything. */
mrw_status mrwi_frame_keep_image(mrwi_frame_kept_image *kept, uint64_t key, uint32_t width,
                                 uint32_t height, mrw_format format, uint32_t channels,
                                 mrw_error *error);
/* Returns the number of spans of a picture of this height. */
static inline uint32_t mrwi_frame_span_count(uint32_t height)
{
    return (height + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
}

/* ---- aov_weights.c --------------------------------------------------------------------------- */

/* Finds the influences of a vertex of a draw, cut as the model was prepared. Returns their number;
 * 0 without a skin, which leaves joints and weights unset. */
uint32_t mrwi_frame_vertex_influences(const mrwi_frame_aov_draw *draw, uint32_t vertex,
                                      const uint16_t **joints, const float **weights);
/* Returns the node of a joint of a draw's skin. */
uint32_t mrwi_frame_joint_node(const mrwi_frame_aov_draw *draw, uint32_t joint);

/* Weights with which the corners of a triangle follow a node. */
typedef struct mrwi_frame_pull {
    uint32_t node;
    double weight[3];
} mrwi_frame_pull;

/* Finds all nodes that the corners follow, in order. Returns their number. */
uint32_t mrwi_frame_find_pulls(const mrwi_frame_aov_draw *draw, const uint32_t corners[3],
                               mrwi_frame_pull *out);
/* Returns the largest number that mrwi_frame_find_pulls can give. */
uint32_t mrwi_frame_most_pulls(const mrwi_frame_posed *posed);

/* Computes, per draw and vertex, the weight of all joints with a name. Returns arena memory, or
 * NULL without memory. */
const float *const *mrwi_frame_weigh(mrwi_base_arena *arena, const mrwi_frame_seen *seen,
                                     const char *name);

/* ---- aov_flow.c ------------------------------------------------------------------------------ */

/* Pixels x0 ... x1 - 1 of a row that show one triangle of a draw. */
typedef struct mrwi_frame_span {
    uint32_t x0, x1, y;
    uint32_t draw, triangle;
} mrwi_frame_span;

/* Computes where the points of a span lie in another picture. out: three floats per pixel of the
 * row, see MRW_AOV_FLOW_FORWARD. shares: of the corners, per pixel of the row. */
void mrwi_frame_flow(const mrwi_frame_seen *there, const mrwi_frame_span *span,
                     const double *const shares[3], float *out);

/* ---- crypto.c, aov_crypto.c ------------------------------------------------------------------ */

#define MRWI_FRAME_CRYPTO_RANKS 6 /* pairs of an id and its share, per pixel */

/* The same as mrw_crypto_names, in an arena. */
typedef struct mrwi_frame_names {
    const char *const *names;
    const uint32_t *ids;
    uint32_t count;
    uint32_t *of_draw;
} mrwi_frame_names;

/* Names the draws of instances. Returns false without memory. */
bool mrwi_frame_name_draws(mrwi_base_arena *arena, const mrw_instance *instances, uint32_t count,
                           bool of_materials, mrwi_frame_names *out);

/* aov.c: returns true for a pass of Cryptomatte. */
bool mrwi_frame_is_crypto(mrw_aov aov);
/* Fills the images of a picture's passes of Cryptomatte, by a drawing of their own. Does nothing
 * without such passes. */
mrw_status mrwi_frame_make_crypto(mrwi_frame_scratch *scratch, const mrwi_frame_aovs *aovs,
                                  const mrwi_frame_picture *picture, mrw_error *error);

/* ---- aov_resolve.c --------------------------------------------------------------------------- */

/* Fills images band by band while the rasterizer draws; in the arena. */
typedef struct mrwi_frame_resolver mrwi_frame_resolver;

/* Returns true when a pass of the definition is computed from the triangle and the camera. */
bool mrwi_frame_resolves_aovs(const mrw_frame_def *def);

/* Prepares the kept images of those passes, one per request, for up to `threads` threads. All
 * arguments must outlive the drawing. Returns NULL without memory. */
mrwi_frame_resolver *mrwi_frame_prepare_resolver(mrwi_base_arena *arena,
                                                 mrwi_frame_kept_image *kept,
                                                 const mrwi_frame_seen *seen,
                                                 const mrw_frame_def *def, int threads);

/* Resolves a band: a mrw_raster_visitor. user: a mrwi_frame_resolver. */
void mrwi_frame_resolve_band(void *user, int worker, const mrw_raster_seen *band);

#endif
