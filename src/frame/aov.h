/* aov.h: what the files of the passes share. */
#ifndef MRWI_FRAME_AOV_H
#define MRWI_FRAME_AOV_H

#include "frame/frame.h"

/* A camera as computer vision has it, for a picture of so many pixels. */
mrw_intrinsics mrwi_frame_intrinsics_of(const mrw_camera *camera, uint32_t width, uint32_t height);

/* A draw of posed instances. */
typedef struct mrwi_frame_aov_draw {
    const mrwi_frame_pose *pose;
    uint32_t draw;       /* of its scene */
    uint32_t material;   /* its number, see legend.h */
    uint32_t first_like; /* the first of the posed ones that is the same draw of the same model */
} mrwi_frame_aov_draw;

/* What is seen at the centres of pixels, of posed instances from a camera. */
typedef struct mrwi_frame_seen {
    const mrwi_frame_posed *posed;
    const mrwi_frame_aov_draw *draws; /* one a draw of posed */
    mrw_intrinsics camera;
    /* Before and after, where flow is wanted; of those alone the images are there. */
    const struct mrwi_frame_seen *last, *next;
    mrw_image ids;       /* 1 and the number of the draw in posed; 0: nothing */
    mrw_image triangles; /* of that draw */
} mrwi_frame_seen;

/* A point of the world in the camera's space. */
void mrwi_frame_to_camera(const mrw_intrinsics *camera, const float *position, double out[3]);

/* aov_draw.c: the draws of posed instances, in the arena. NULL when out of memory. */
const mrwi_frame_aov_draw *mrwi_frame_list_draws(mrwi_base_arena *arena,
                                                 const mrwi_frame_posed *posed);

/* ---- aov_memory.c ---------------------------------------------------------------------------- */

/* Room for so many images of the last frame. False when out of memory. */
bool mrwi_frame_reserve_kept(mrw_renderer *renderer, uint32_t count);
/* Gets one ready; where it is another one than in the last frame, its spans are everything. key: of
 * its background. */
mrw_status mrwi_frame_keep_image(mrwi_frame_kept_image *kept, uint64_t key, uint32_t width,
                                 uint32_t height, mrw_format format, uint32_t channels,
                                 mrw_error *error);
/* Of a picture of so many rows. */
static inline uint32_t mrwi_frame_span_count(uint32_t height)
{
    return (height + MRW_SHADOW_SPAN_ROWS - 1) / MRW_SHADOW_SPAN_ROWS;
}

/* ---- aov_weights.c --------------------------------------------------------------------------- */

/* The influences of a vertex of a draw, as many as the model was prepared with; none without a
 * skin, where joints and weights are left as they are. */
uint32_t mrwi_frame_vertex_influences(const mrwi_frame_aov_draw *draw, uint32_t vertex,
                                      const uint16_t **joints, const float **weights);
/* The node of a joint of a draw's skin. */
uint32_t mrwi_frame_joint_node(const mrwi_frame_aov_draw *draw, uint32_t joint);

/* How much corners of a triangle follow a node. */
typedef struct mrwi_frame_pull {
    uint32_t node;
    double weight[3];
} mrwi_frame_pull;

/* All nodes that the corners follow, in order; returns their count. */
uint32_t mrwi_frame_find_pulls(const mrwi_frame_aov_draw *draw, const uint32_t corners[3],
                               mrwi_frame_pull *out);
/* As many at most. */
uint32_t mrwi_frame_most_pulls(const mrwi_frame_posed *posed);

/* For each draw, how much each of its vertices follows joints of a name: in the arena, or NULL when
 * out of memory. */
const float *const *mrwi_frame_weigh(mrwi_base_arena *arena, const mrwi_frame_seen *seen,
                                     const char *name);

/* ---- aov_flow.c ------------------------------------------------------------------------------ */

/* Pixels x0 ... x1 - 1 of a row that show one triangle of a draw. */
typedef struct mrwi_frame_span {
    uint32_t x0, x1, y;
    uint32_t draw, triangle;
} mrwi_frame_span;

/* Where the points of such pixels lie in another picture: three floats a pixel of the row, as of
 * MRW_AOV_FLOW_FORWARD. shares: of the corners, for each pixel of the row. */
void mrwi_frame_flow(const mrwi_frame_seen *there, const mrwi_frame_span *span,
                     const double *const shares[3], float *out);

/* ---- crypto.c, aov_crypto.c ------------------------------------------------------------------ */

#define MRWI_FRAME_CRYPTO_RANKS 6 /* pairs of an id and its share */

/* mrw_crypto_names, in an arena. */
typedef struct mrwi_frame_names {
    const char *const *names;
    const uint32_t *ids;
    uint32_t count;
    uint32_t *of_draw;
} mrwi_frame_names;

/* False when out of memory. */
bool mrwi_frame_name_draws(mrwi_base_arena *arena, const mrw_instance *instances, uint32_t count,
                           bool of_materials, mrwi_frame_names *out);

bool mrwi_frame_is_crypto(mrw_aov aov);
/* Fills the renderer's image for each of a definition's passes of Cryptomatte, by a drawing of
 * their own. Without one it does nothing. */
mrw_status mrwi_frame_make_crypto(mrw_renderer *renderer, const mrw_frame_def *def,
                                  const mrw_camera *camera, int threads, mrw_error *error);

/* ---- aov_resolve.c --------------------------------------------------------------------------- */

/* Images that are filled band by band while the rasterizer draws; in the renderer's arena. */
typedef struct mrwi_frame_resolver mrwi_frame_resolver;

/* Whether any of a definition's passes can be told of the triangle and the camera. */
bool mrwi_frame_resolves_aovs(const mrw_frame_def *def);

/* Gets the renderer's image of each of them ready; all that is given must outlive the drawing, by
 * so many threads at most. NULL when out of memory. */
mrwi_frame_resolver *mrwi_frame_prepare_resolver(mrw_renderer *renderer,
                                                 const mrwi_frame_seen *seen,
                                                 const mrw_frame_def *def, int threads);

/* mrw_raster_visitor; user: a mrwi_frame_resolver. */
void mrwi_frame_resolve_band(void *user, int worker, const mrw_raster_seen *band);

#endif
