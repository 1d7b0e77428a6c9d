/* frame.h: scene + clip + time + view -> image. The spine of the library.
 *
 * A mrw_model is a scene prepared for drawing (textures with mipmaps); it is immutable and shared
 * by all threads. A mrw_renderer is the work memory of one thread. A frame draws an array of
 * instances; one model is the array of one.
 */
#ifndef MARROW_FRAME_H
#define MARROW_FRAME_H

#include "anim.h"
#include "image.h"
#include "raster.h"
#include "scene.h"
#include "skin.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Models ---------------------------------------------------------------------------------- */

typedef struct mrw_model mrw_model;

/* Prepares a scene, which is borrowed and must live longer, for a shading mode (MRW_SHADING_UNLIT
 * filters stored bytes, the others linear light). threads build textures in parallel. */
MRW_API mrw_status mrw_model_create(const mrw_scene *scene, mrw_shading shading, int threads,
                                    mrw_model **out, mrw_error *error);

typedef struct mrw_model_def {
    mrw_shading shading;     /* default lit */
    uint32_t max_influences; /* keep the strongest so many of each vertex and let them sum to one;
                                default 0: keep all */
} mrw_model_def;

MRW_API mrw_model_def mrw_model_def_default(void);

/* mrw_model_create with everything there is to choose. */
MRW_API mrw_status mrw_model_create_with(const mrw_scene *scene, const mrw_model_def *def,
                                         int threads, mrw_model **out, mrw_error *error);

/* What max_influences took away. */
typedef struct mrw_influence_cut {
    uint64_t vertices;    /* that lost influences */
    float largest_weight; /* the largest weight that one influence had which was dropped */
    float largest_sum;    /* the largest sum of weights that one vertex lost */
} mrw_influence_cut;

MRW_API mrw_influence_cut mrw_model_influence_cut(const mrw_model *model);

MRW_API void mrw_model_free(mrw_model *model);

typedef enum mrw_pose {
    MRW_POSE_CLIP, /* a clip at a time; the rest pose when clip is MRW_NONE */
    MRW_POSE_REST, /* nodes as stored in the file, skinned */
    MRW_POSE_BIND  /* each joint at the inverse of its inverse bind matrix */
} mrw_pose;

typedef struct mrw_instance {
    const mrw_model *model;
    mrw_pose pose;
    uint32_t clip; /* index into the scene's clips, or MRW_NONE */
    double time;   /* seconds from the clip's start; clamped */
    mrw_mat4 model_to_world;
    mrw_skinning skinning; /* default linear */
} mrw_instance;

/* An instance at the clip's start with the identity transform; the first clip if there is one. */
MRW_API mrw_instance mrw_instance_default(const mrw_model *model);

/* ---- Frames ---------------------------------------------------------------------------------- */

typedef struct mrw_frame_def {
    uint32_t width;        /* 1 ... MRW_IMAGE_MAX_SIDE; default 512 */
    uint32_t height;       /* the same */
    uint32_t samples;      /* 1, 2, 4 or 8 a pixel; default 4 */
    mrw_shading shading;   /* default lit; must be the one its models were created for */
    mrw_filter filter;     /* default trilinear */
    uint8_t background[4]; /* sRGB; the fourth is not used: pictures of 3 channels are opaque */
    bool transparent;      /* write RGBA over a clear background; background is not used */
    mrw_isa isa;
    mrw_camera camera;     /* used when scene_camera is MRW_NONE */
    uint32_t scene_camera; /* a camera of the first instance's scene, animated with it */
} mrw_frame_def;

MRW_API mrw_frame_def mrw_frame_def_default(void);

typedef struct mrw_renderer mrw_renderer;

MRW_API mrw_status mrw_renderer_create(mrw_renderer **out, mrw_error *error);
MRW_API void mrw_renderer_free(mrw_renderer *renderer);

/* Draws one picture with up to `threads` threads. `out` is created when its pixels are NULL or its
 * size or channels differ, else reused. */
MRW_API mrw_status mrw_render(mrw_renderer *renderer, const mrw_frame_def *def,
                              const mrw_instance *instances, uint32_t instance_count, int threads,
                              mrw_image *out, mrw_error *error);

/* ---- Framing --------------------------------------------------------------------------------- */

typedef enum mrw_fit {
    MRW_FIT_CLIP,  /* everything the clip ever reaches: every 1/30 s and its end, at most 600 times
                    */
    MRW_FIT_FRAME, /* the instances as they are posed */
    MRW_FIT_REST,  /* the rest pose */
    MRW_FIT_ALL    /* all clips */
} mrw_fit;

/* Gathers the exact extents of the skinned vertices of all instances for a view; see
 * mrw_extents_begin. Independent of frame rate, frame choice and threads. */
MRW_API mrw_status mrw_frame_extents(const mrw_instance *instances, uint32_t instance_count,
                                     mrw_fit fit, const mrw_view_def *view, float aspect,
                                     mrw_isa isa, int threads, mrw_extents *out, mrw_error *error);

/* ---- Sequences ------------------------------------------------------------------------------- */

/* Receives picture `index` of a sequence, on the thread that drew it, in any order and possibly
 * several at once; it must not keep the image. Anything but MRW_OK (with *error filled) stops the
 * sequence. */
typedef mrw_status (*mrw_frame_sink)(void *user, uint32_t index, const mrw_image *image,
                                     mrw_error *error);

/* Draws time_count frames, one a thread, with all instances that play a clip at times[i]; instances
 * and their times are otherwise as given. Same bits as mrw_render one by one. */
MRW_API mrw_status mrw_render_sequence(const mrw_frame_def *def, const mrw_instance *instances,
                                       uint32_t instance_count, const double *times,
                                       uint32_t time_count, int threads, mrw_frame_sink sink,
                                       void *user, mrw_error *error);

/* ---- Posed geometry -------------------------------------------------------------------------- */

/* The deformed vertices of one draw: float[4] streams as mrw_skin_vertices writes them. Normals are
 * unit. */
typedef struct mrw_posed_draw {
    uint32_t draw; /* index into the scene's draws */
    uint32_t vertex_count;
    const float *positions;
    const float *normals;
    const float *tangents; /* NULL when the mesh has none */
    bool mirrored;         /* clockwise triangles face front: the determinant of the node's matrix,
                              or of the first joint's with a skin, is negative */
} mrw_posed_draw;

/* Poses and skins one instance. *out points to one entry per draw of the scene, in order, and is
 * valid until the renderer's next use. */
MRW_API mrw_status mrw_pose_instance(mrw_renderer *renderer, const mrw_instance *instance,
                                     mrw_isa isa, const mrw_posed_draw **out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
