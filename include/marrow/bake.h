/* bake.h: models as posed at a time, as numbers and as geometry: boxes, areas and centroids of the
 * deformed meshes; joints as ground truth, in the world and in a picture; OBJ and PLY files.
 *
 *   mrw_pose_instances -> mrw_bake_meshes_measure        numbers of the first instance
 *                      -> mrw_bake_joints_find           joints, and what hides them
 *                      -> mrw_bake_node_find             where a node is seen
 *                      -> mrw_bake_mesh_write            the first's triangles as a file
 *   mrw_frame_aov      -> mrw_bake_masks_find            where instances are seen in a picture
 *
 * But for masks, all of it reads what mrw_pose_instances (frame.h) made, which is valid until the
 * renderer's next use, and draws nothing: models of the cheapest shading (MRW_SHADING_RAW) will do.
 * World space, with the instances' model_to_world. Sums are made in double, in the order of draws
 * and triangles: the same bits everywhere.
 *
 * Threads: one call uses the thread it is made on; any number may run at the same time. Errors are
 * MRW_ERROR_MEMORY and what the functions name; where there is one there is nothing to free.
 */
#ifndef MARROW_BAKE_H
#define MARROW_BAKE_H

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Measures -------------------------------------------------------------------------------- */

/* A set of triangles. All zeros is the empty set. */
typedef struct mrw_bake_measure {
    /* There is a triangle: the box means something. */
    bool any;
    /* The box around the vertices that triangles use. */
    float aabb_min[3];
    float aabb_max[3];
    /* The triangles' area, one side of each, in the world's unit squared. */
    double area;
    /* Area times centroid: moments add up, centroids do not. */
    double weighted_sum[3];
} mrw_bake_measure;

/* Measures one draw of a scene as posed; without triangles the empty set. Cannot fail. */
MRW_API mrw_bake_measure mrw_bake_measure_draw(const mrw_scene *scene, const mrw_posed_draw *posed);

/* Adds the triangles of another set. */
MRW_API void mrw_bake_measure_add(mrw_bake_measure *sum, const mrw_bake_measure *part);

/* The triangles' centroid, weighted by area. False, and out as it was, when they have none. */
MRW_API bool mrw_bake_centroid(const mrw_bake_measure *measure, double out[3]);

/* ---- Meshes ---------------------------------------------------------------------------------- */

/* One draw with triangles. */
typedef struct mrw_bake_mesh {
    /* Index into the scene's draws: its node, mesh, material and skin. */
    uint32_t draw;
    /* It shows the bones of a file without triangles and is no mesh of the file. */
    bool bones;
    mrw_bake_measure measure;
} mrw_bake_mesh;

/* The meshes of an instance. */
typedef struct mrw_bake_meshes {
    /* count draws, those with triangles, in the order of draws; owned. */
    mrw_bake_mesh *items;
    uint32_t count;
    /* The sum over those that are meshes of the file. */
    mrw_bake_measure total;
} mrw_bake_meshes;

/* Measures all draws of an instance; posed has one entry a draw of the scene (as
 * mrw_posed_instance.draws). Free with mrw_bake_meshes_free. */
MRW_API mrw_status mrw_bake_meshes_measure(const mrw_scene *scene, const mrw_posed_draw *posed,
                                           mrw_bake_meshes *out, mrw_error *error);

/* Frees the items and zeroes the rest. Zeroed meshes are allowed. */
MRW_API void mrw_bake_meshes_free(mrw_bake_meshes *meshes);

/* ---- Joints ---------------------------------------------------------------------------------- */

/* A joint of an instance, where it stands and how the camera sees it. Depths are distances
 * along the view, in the world's unit; pixels are counted from the top left corner, the middle of
 * the first pixel being (0.5, 0.5). */
typedef struct mrw_bake_joint {
    /* Index into the scene's nodes. */
    uint32_t node;
    /* Index into the scene's joints: its place in the first skin that has it. MRW_NONE in a scene
     * without skins. */
    uint32_t joint;
    /* With MRW_POSE_BIND where its first skin was bound to it. */
    mrw_mat4 joint_to_world;
    /* It lies in front of the camera's plane; else x, y and depth01 are 0 and mean nothing, and
     * nothing hides it. */
    bool in_front;
    /* It lies inside of the picture, which has near and far ends besides. */
    bool inside;
    /* Pixels. */
    double x, y;
    /* Its distance; negative behind the camera. */
    double depth;
    /* 0 at the near plane, 1 at the far plane, and beyond them. */
    double depth01;
    /* The distance of the nearest surface, of any instance, on the line of sight to and beyond the
     * joint; infinity where there is none. */
    double surface_depth;
    /* That surface is nearer than the joint by more than the tolerance. */
    bool hidden;
    /* It is hidden, and not by its own flesh: no corner of that triangle follows the joint, its
     * parent or one of its children. */
    bool occluded;
} mrw_bake_joint;

/* The joints of an instance. */
typedef struct mrw_bake_joints {
    /* count joints: those of all skins, each once, parents first; every node of a scene without
     * skins; owned. */
    mrw_bake_joint *items;
    uint32_t count;
    /* What skinning blends, one for each of the scene's joints, skin by skin in the order of each:
     * its joint_to_world times its geometry_to_joint (see mrw_build_palette); owned. Uploaded as
     * they lie, to a shader whose vertices have the mesh's joint numbers, they move the mesh into
     * the world. */
    mrw_mat4 *geometry_to_world;
    /* The camera that sees them. */
    mrw_camera camera;
    /* The job's, in the world's unit. */
    double tolerance;
} mrw_bake_joints;

/* What to look at, and how. Start from mrw_bake_joints_job_default; all is borrowed. */
typedef struct mrw_bake_joints_job {
    /* At least one. */
    const mrw_instance *instances;
    uint32_t instance_count;
    /* The one whose joints are looked at. Default 0, the first. */
    uint32_t instance;
    /* What mrw_pose_instances made of them. */
    const mrw_posed_instance *posed;
    /* The picture: its size, and its camera (mrw_frame_camera). */
    const mrw_frame_def *frame;
    /* As a share of the diagonal of the box around that instance, not negative: joints lie inside
     * of bodies, whose surface is no occlusion. Default 0.05. */
    double tolerance;
    /* Asked now and then, with `user`; true ends the work with MRW_ERROR_CANCELLED. Default NULL:
     * nobody is asked. */
    bool (*stop)(void *user);
    void *user;
} mrw_bake_joints_job;

/* The defaults named above; all else is NULL or 0 and has to be set. */
MRW_API mrw_bake_joints_job mrw_bake_joints_job_default(void);

/* Finds the joints and what is on the way to them: triangles as they are culled when drawn, none
 * nearer than the near plane; textures are not looked at, so that holes in them hide like the rest.
 * Takes about as long as the triangles are many, and as those that lie over joints in the picture.
 * Errors of mrw_frame_camera. Free with mrw_bake_joints_free. */
MRW_API mrw_status mrw_bake_joints_find(const mrw_bake_joints_job *job, mrw_bake_joints *out,
                                        mrw_error *error);

/* Where any node of the instance is seen, and nothing of what hides it: at once. *out has the
 * node's matrix as joint_to_world, and no joint. Errors of mrw_frame_camera. */
MRW_API mrw_status mrw_bake_node_find(const mrw_bake_joints_job *job, uint32_t node,
                                      mrw_bake_joint *out, mrw_error *error);

/* Frees what is owned and zeroes the rest. Zeroed joints are allowed. */
MRW_API void mrw_bake_joints_free(mrw_bake_joints *joints);

/* ---- Masks ----------------------------------------------------------------------------------- */

/* Where something is seen in a picture: pixels in a box, and as runs. */
typedef struct mrw_bake_mask {
    /* Lengths of runs of pixels that show something else and of those that show it, in turn, from
     * the former on (0 where the first pixel shows it), column after column from the left, each
     * from the top: the uncompressed run lengths of COCO's masks. Their sum is that of the pixels.
     */
    uint32_t *runs;
    uint32_t run_count;
    /* Pixels that show it; 0: none, and the box is of zeros. */
    uint32_t area;
    /* x, y, width, height of the smallest box around them. */
    uint32_t box[4];
} mrw_bake_mask;

typedef struct mrw_bake_masks {
    mrw_bake_mask *items; /* owned, with their runs */
    uint32_t count;
} mrw_bake_masks;

/* The masks of `count` things in a picture of numbers (MRW_AOV_ID, MRW_FORMAT_U32): number n shows
 * thing owners[n - 1], which is below count, or MRW_NONE; 0 shows none. Free with
 * mrw_bake_masks_free. */
MRW_API mrw_status mrw_bake_masks_find(const mrw_image *numbers, const uint32_t *owners,
                                       uint32_t count, mrw_bake_masks *out, mrw_error *error);

/* Frees the items and zeroes the rest. Zeroed masks are allowed. */
MRW_API void mrw_bake_masks_free(mrw_bake_masks *masks);

/* ---- Mesh files ------------------------------------------------------------------------------ */

/* The kinds of mesh files. */
typedef enum mrw_bake_format {
    MRW_BAKE_OBJ, /* Wavefront OBJ: an object a draw, "DRAW_NODE_MESH"; numbers read back exactly */
    MRW_BAKE_PLY  /* Stanford PLY, binary, little-endian: all draws as one mesh */
} mrw_bake_format;

/* The triangles of an instance as a file of positions, normals and the first set of texture
 * coordinates, whose origin is at the bottom left there (in PLY 0, 0 where a mesh has none). Faces
 * are counter-clockwise seen from the front. posed has one entry a draw of the scene. More vertices
 * than PLY can count are MRW_ERROR_OUTPUT. Free with mrw_bytes_free. */
MRW_API mrw_status mrw_bake_mesh_encode(const mrw_scene *scene, const mrw_posed_draw *posed,
                                        mrw_bake_format format, mrw_bytes *out, mrw_error *error);

/* The same into a file, whole or not at all: see mrw_file_write. */
MRW_API mrw_status mrw_bake_mesh_write(const mrw_scene *scene, const mrw_posed_draw *posed,
                                       mrw_bake_format format, const char *path, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
