/* store.h: models, textures and environments that stay in the driver from picture to picture. */
#ifndef GL_STORE_H
#define GL_STORE_H

#include "gl/gl.h"

#include <epoxy/gl.h>

/* An array that shaders read texel by texel. Only the driver limits the number of joints,
 * influences, vertices and lights. It is a buffer, or with OpenGL ES 3.0 a picture. */
typedef struct gl_table {
    GLuint buffer, texture;
    GLenum format, target;
    size_t size;   /* bytes */
    GLsizei width; /* width of the picture */
} gl_table;

/* A texture unit that no program reads, for uploads. All drivers have it. */
#define GL_UNIT_SPARE 31

/* Fills a table, and makes it if needed. */
mrw_status gl_table_fill(gl_table *table, GLenum format, const void *data, size_t size,
                         mrw_error *error);
/* Makes a table with an empty buffer. After the buffer is written call gl_table_take_buffer. */
mrw_status gl_table_make(gl_table *table, GLenum format, size_t size, mrw_error *error);
void gl_table_take_buffer(gl_table *table);
void gl_table_free(gl_table *table);
void gl_table_bind(const gl_table *table, GLuint program, const char *name, int unit);

/* Draws that follow one another in a frame and in their model, and that differ only in geometry and
 * in their node; see runs.c. */
typedef struct gl_parts {
    const mrw_vertex_source *sources;
    const mrw_raster_draw *draws;
    uint32_t count; /* at least 1 */
} gl_parts;

/* The inputs of skin.vert. */
typedef struct gl_mesh_skin {
    uint32_t target_count; /* number of morph targets of all parts */
    GLuint array;          /* vertex array of the streams */
    GLuint streams[3];     /* buffers: positions, normals, tangents */
    gl_table ranges;       /* per vertex: first influence, number of influences, part, 0 */
    gl_table influences;   /* joint and weight */
    gl_table morph_ranges, morph_entries;
} gl_mesh_skin;

/* The inputs of surface.vert and surface.frag, beside the corners. */
typedef struct gl_mesh_surface {
    gl_table indices, uvs, colors;
    gl_table triangles; /* per triangle: its part, and its number within the part */
    uint32_t uv_texels; /* texels of `uvs` per vertex */
    bool tangents;      /* the corners have tangents */
} gl_mesh_surface;

/* The geometry of such draws before skinning, in the order of the draws. Indices count from the
 * first vertex of the first part. */
typedef struct gl_mesh {
    uint64_t model; /* mrw_model_id; 0: made for one picture */
    uint32_t draw, part_count;
    uint64_t last_use;
    uint32_t vertex_count, triangle_count;
    gl_mesh_skin skin; /* empty without a model */
    gl_mesh_surface surface;
    size_t bytes;
} gl_mesh;

typedef struct gl_image {
    uint64_t id;
    uint64_t last_use;
    GLuint texture;
    size_t bytes;
} gl_image;

typedef struct gl_sky {
    uint64_t id;
    uint64_t last_use;
    gl_table texels, picture;
    size_t bytes;
} gl_sky;

typedef struct gl_store {
    gl_mesh **meshes;
    gl_image *images;
    gl_sky *skies;
    size_t mesh_count, image_count, sky_count;
    uint64_t now; /* counts pictures */
} gl_store;

/* mesh.c: uploads geometry into an empty mesh; frees a mesh and its objects in the driver. */
mrw_status gl_mesh_fill(gl_mesh *mesh, const gl_parts *parts, mrw_error *error);
void gl_mesh_free(gl_mesh *mesh);
/* Uploads the colours of all parts; each part must have colours. */
mrw_status gl_table_fill_colors(gl_table *table, const gl_parts *parts, mrw_error *error);

/* Return an object of the driver, uploaded if needed. The store owns it, and it is valid until
 * gl_store_tidy. */
mrw_status gl_store_mesh(gl_store *store, const gl_parts *parts, gl_mesh **out, mrw_error *error);
mrw_status gl_store_image(gl_store *store, const mrw_raster_texture *texture, GLuint *out,
                          mrw_error *error);
mrw_status gl_store_sky(gl_store *store, const mrw_environment *environment, gl_sky **out,
                        mrw_error *error);

/* Computes the places of the levels in an image's texture. out[0] and out[1] are width and height
 * of the first level that is kept, which lies at 0, 0. out[2] is a power of two p: the k-th level
 * after it lies below, at the column p - (p >> (k - 1)). */
void gl_image_plan(const mrw_raster_texture_info *info, GLint out[3]);

/* Ends a picture. If the store is large, objects that the picture did not use are freed. */
void gl_store_tidy(gl_store *store);
void gl_store_free(gl_store *store);

#endif
