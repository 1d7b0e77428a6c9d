/* draw.h: shared by the files that draw a described frame. */
#ifndef GL_DRAW_H
#define GL_DRAW_H

#include "gl/program.h"
#include "gl/store.h"

/* Framebuffers and their textures, all of one size. */
typedef struct gl_targets {
    uint32_t width, height;
    /* The framebuffer of a sample: colour, draw and triangle, depth. */
    GLuint sample, color, ids, depth;
    /* The framebuffers of a layer of transparent fragments: colour; depth and order of the current
     * and of the last layer; depth. */
    GLuint layer[2], layer_color, keys[2], layer_depth;
    GLuint sum_frame, sum; /* sum of all samples */
    GLuint seen;           /* array of textures: the visible draw and triangle of each sample */
    /* The framebuffers of the result, of 8 and of 16 bits per channel. */
    GLuint encoded, encoded8, encoded16_frame, encoded16;
} gl_targets;

/* Tables of the current picture, reused by the next. */
typedef struct gl_tables {
    gl_table corners; /* per vertex: position, normal, tangent, moved by skin.c */
    gl_table lamps, depths, occlusion;
    gl_table palette, scales, rigids, weights;
    gl_table colors; /* colours of data, and of light at vertices */
} gl_tables;

/* Objects of the driver that all pictures share. */
typedef struct gl_objects {
    GLuint surface, empty; /* vertex arrays: one with positions, one without attributes */
    GLuint query;          /* tells if any fragment was drawn */
} gl_objects;

typedef struct gl_renderer {
    gl_context *context;
    gl_programs *programs;
    gl_store store;
    gl_targets targets;
    gl_tables tables;
    gl_objects objects;
    uint32_t draw_calls; /* number of draw calls of the last picture, of all kinds */
    uint32_t layers;     /* largest number of layers in a sample of the last picture */
    bool clip_control;   /* depths of clip space go from 0 to 1 */
    bool lost;           /* the device was reset, and the context can no longer draw */
} gl_renderer;

/* Draws that share their calls: neighbours in the frame. */
typedef struct gl_run {
    uint32_t draw, count;    /* first draw, and number of draws */
    uint32_t first_vertex;   /* index among the corners */
    uint32_t first_triangle; /* index among the triangles of all draws */
    gl_mesh *mesh;
} gl_run;

/* The pass that is being drawn. */
typedef struct gl_pass {
    uint32_t sample; /* the current sample */
    bool finds;      /* this pass finds the visible triangles and does not shade */
    bool found;      /* the visible triangles of all samples are known */
} gl_pass;

/* A frame that is being drawn. */
typedef struct gl_frame {
    gl_renderer *renderer;
    const mrw_frame_description *description;
    const mrw_raster_job *job;
    const mrw_shading_info *mode;
    mrw_raster_look look;
    float world_to_pixel[16];
    gl_run *runs; /* all draws, in their order */
    uint32_t run_count;
    gl_sky *sky;
    gl_pass pass;
} gl_frame;

/* targets.c: makes the targets of a size. */
mrw_status gl_targets_fit(gl_targets *targets, uint32_t width, uint32_t height, mrw_error *error);
void gl_targets_free(gl_targets *targets);

/* runs.c: returns how many draws, from the first on, can share their calls: draws with one
 * material, one skin, and the same kind of geometry. At least 1. */
uint32_t gl_run_length(const gl_frame *frame, uint32_t first);
gl_parts gl_run_parts(const gl_frame *frame, const gl_run *run);

/* skin.c: moves all vertices into the corners. */
mrw_status gl_skin(const gl_frame *frame, mrw_error *error);

/* maps.c: writes the definitions of a material's maps for its program: HAS_NORMAL_MAP and so on,
 * and normal_map(), which is 1 without a map. */
void gl_maps_define(const mrw_raster_material *material, mrw_text *out);
/* Gives a program the maps of a draw, in the texture units from `unit` on. */
mrw_status gl_maps_set(const gl_frame *frame, GLuint program, const mrw_raster_draw *draw, int unit,
                       mrw_error *error);

/* surface.c: draws the frame's surfaces into the sample's target. */
mrw_status gl_draw_sample(const gl_frame *frame, mrw_error *error);
/* Returns true if the visible triangles of all samples must be known before the first sample is
 * drawn, because masked fragments are shaded at the first sample that shows them. */
bool gl_needs_all_seen(const gl_frame *frame);
/* Finds the visible triangles of the current sample. */
mrw_status gl_find_seen(gl_frame *frame, mrw_error *error);

/* draw.c */
mrw_status gl_renderer_create(int device, gl_renderer **out, mrw_error *error);
void gl_renderer_free(gl_renderer *renderer);
/* Draws into the job's targets. The context must be current. */
mrw_status gl_draw(gl_renderer *renderer, const mrw_frame_description *description,
                   mrw_error *error);

/* Set a uniform, unless the program does not have it. */
void gl_set_vec3(GLuint program, const char *name, const float v[3]);
void gl_set_float(GLuint program, const char *name, float v);
void gl_set_int(GLuint program, const char *name, int v);

#endif
