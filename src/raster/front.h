/* front.h: the kernels of the front of the rasterizer: vertices to the screen, culling of
 * triangles.
 *
 * front_scalar.c is the specification, one vertex and one triangle at a time in plain C.
 * front_kernel.h does the same in lanes, compiled once per instruction set. Each vertex and
 * triangle is handled alone, so all kernels give the same bits.
 */
#ifndef MRWI_RASTER_FRONT_H
#define MRWI_RASTER_FRONT_H

#include "raster/internal.h"

typedef struct mrwi_raster_front_kernels mrwi_raster_front_kernels;

/* The vertices of one draw. */
typedef struct mrwi_raster_vertex_job {
    const mrw_mat4 *world_to_pixel;
    const mrw_raster_draw *draw;
    mrwi_raster_screen_vertex *screen; /* out: parallel to the draw's vertices */
    mrwi_shade_vertex *shade;          /* out: likewise; NULL: not wanted */
} mrwi_raster_vertex_job;

/* Triangles of one draw, whose vertices are transformed. Survivors are appended, and `count` grows;
 * there must be room for every examined triangle. */
typedef struct mrwi_raster_cull_job {
    const mrwi_raster_geometry *geometry;
    uint32_t draw;         /* index of the draw */
    uint32_t first_vertex; /* first vertex of the draw in the frame's streams */
    mrwi_shade_triangle *triangles;
    mrwi_raster_box *boxes;
    mrw_raster_source *sources; /* NULL: not wanted */
    uint32_t count;
} mrwi_raster_cull_job;

/* Normals whose squared length lies between these are scaled by the plain formula; others are rare
 * and take more care. */
#define MRWI_RASTER_NORMAL_MIN 1e-20f
#define MRWI_RASTER_NORMAL_MAX 1e20f

typedef struct mrwi_raster_front_kernels {
    /* Transforms vertices first ... first + count - 1. */
    void (*transform)(const mrwi_raster_vertex_job *job, uint32_t first, uint32_t count);
    /* Culls triangles first ... end - 1 of the draw in their order, up to one that must be clipped.
     * Returns the number of that one, or end. */
    uint32_t (*cull)(mrwi_raster_cull_job *job, uint32_t first, uint32_t end);
} mrwi_raster_front_kernels;

/* Returns the kernels of an instruction set. */
const mrwi_raster_front_kernels *mrwi_raster_front_kernels_for(mrw_isa isa);

extern const mrwi_raster_front_kernels mrwi_raster_front_kernels_scalar;
extern const mrwi_raster_front_kernels mrwi_raster_front_kernels_sse2;
extern const mrwi_raster_front_kernels mrwi_raster_front_kernels_avx2;
extern const mrwi_raster_front_kernels mrwi_raster_front_kernels_avx512;
extern const mrwi_raster_front_kernels mrwi_raster_front_kernels_neon;

/* Appends triangle i of the job's draw, with the given corners. */
static inline void mrwi_raster_append_triangle(mrwi_raster_cull_job *job, const uint32_t index[3],
                                               uint32_t i, const mrwi_raster_box *box, bool front)
{
    uint32_t first = job->first_vertex;
    uint32_t n = job->count++;
    job->triangles[n] = (mrwi_shade_triangle){
        {first + index[0], first + index[1], first + index[2]}, job->draw << 1 | (front ? 0u : 1u)};
    job->boxes[n] = *box;
    if (job->sources) {
        job->sources[n] = (mrw_raster_source){job->draw, i};
    }
}

/* front_scalar.c: returns false if a triangle inside the guard band is culled. Otherwise sets its
 * box, and `front` if its front is seen. */
bool mrwi_raster_survives(const mrwi_raster_view *view, const mrw_raster_draw *draw,
                          const mrwi_raster_screen_vertex *a, const mrwi_raster_screen_vertex *b,
                          const mrwi_raster_screen_vertex *c, mrwi_raster_box *box, bool *front);

#endif
