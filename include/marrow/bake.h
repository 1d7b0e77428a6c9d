/* bake.h: posed models as numbers and as geometry: boxes, areas and centroids of the deformed
 * meshes; joints as ground truth, in the world and in a picture; OBJ and PLY files.
 *
 *   mrw_pose_instances -> mrw_bake_meshes_measure        numbers of the first instance
 *                      -> mrw_bake_joints_find           joints and their occlusion
 *                      -> mrw_bake_node_find             position of a node in a picture
 *                      -> mrw_bake_mesh_write            the first instance's triangles as a file
 *   mrw_frame_aov      -> mrw_bake_masks_find            masks of instances in a picture
 *                         mrw_bake_measure_rest          numbers of a scene at rest, in one call
 *
 * Except for masks and mrw_bake_measure_rest, these functions read the result of
 * mrw_pose_instances (frame.h), which is valid until the renderer's next use. They draw nothing, so
 * models of the cheapest shading (MRW_SHADING_RAW) are sufficient. Coordinates are in world space,
 * with the instances' model_to_world applied. Sums are accumulated in double, in the order of draws
 * and triangles, and give the same bits everywhere.
 *
 * Threads: a call uses only the thread it is made on, except mrw_bake_measure_rest; any number of
 * calls may run at the same time.
 * Errors are MRW_ERROR_MEMORY and those named by the functions. After an error there is nothing to
 * free.
 */
#ifndef MARROW_BAKE_H
#define MARROW_BAKE_H

#include "image.h"
#include "scene.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* frame.h has these. */
typedef struct mrw_frame_def mrw_frame_def;
typedef struct mrw_instance mrw_instance;
typedef struct mrw_posed_draw mrw_posed_draw;
typedef struct mrw_posed_instance mrw_posed_instance;

/* ---- Measures -------------------------------------------------------------------------------- */

/* Measures of a set of triangles. All zeros is the empty set. */
typedef struct mrw_bake_measure {
    /* True if the set has a triangle. If false, the box is meaningless. */
    bool any;
    /* Box around the vertices that triangles use. */
    float aabb_min[3];
    float aabb_max[3];
    /* Area of one side of each triangle, in world units squared. */
    double area;
    /* Sum of area times centroid, which can be added up (centroids cannot). */
    double weighted_sum[3];
} mrw_bake_measure;

/* Measures one draw of a posed scene; returns the empty set if it has no triangles. Cannot fail. */
MRW_API mrw_bake_measure mrw_bake_measure_draw(const mrw_scene *scene, const mrw_posed_draw *posed);

/* Adds the triangles of another set. */
MRW_API void mrw_bake_measure_add(mrw_bake_measure *sum, const mrw_bake_measure *part);

/* Poses a scene at rest and measures it whole. show_hidden: nodes that the file hides count, too.
 * threads: how many prepare the model, at least 1. Unlike the other functions it needs no posed
 * model. */
MRW_API mrw_status mrw_bake_measure_rest(const mrw_scene *scene, bool show_hidden, int threads,
                                         mrw_bake_measure *out, mrw_error *error);

/* Returns the area-weighted centroid of the triangles. Returns false and leaves `out` unchanged if
 * they have no area. */
MRW_API bool mrw_bake_centroid(const mrw_bake_measure *measure, double out[3]);

/* ---- Meshes ---------------------------------------------------------------------------------- */

/* One draw with triangles. */
typedef struct mrw_bake_mesh {
    /* Index into the scene's draws, which gives its node, mesh, material and skin. */
    uint32_t draw;
    /* True if it shows the bones of a file without triangles, not a mesh of the file. */
    bool bones;
    mrw_bake_measure measure;
} mrw_bake_mesh;

/* The measured draws of an instance. */
typedef struct mrw_bake_meshes {
    /* count draws, those with triangles, in draw order. Owned. */
    mrw_bake_mesh *items;
    uint32_t count;
    /* Sum over the meshes of the file. */
    mrw_bake_measure total;
} mrw_bake_meshes;

/* Measures all draws of an instance. posed has one entry per draw of the scene (as
 * mrw_posed_instance.draws). The caller frees *out with mrw_bake_meshes_free. */
MRW_API mrw_status mrw_bake_meshes_measure(const mrw_scene *scene, const mrw_posed_draw *posed,
                                           mrw_bake_meshes *out, mrw_error *error);

/* Frees the items and zeroes the rest. A zeroed struct is allowed. */
MRW_API void mrw_bake_meshes_free(mrw_bake_meshes *meshes);

/* ---- Joints ---------------------------------------------------------------------------------- */

/* A joint of an instance, with its place and what the camera sees of it. Depths are distances along
 * the view, in world units. Pixels are counted from the top left corner; the centre of the first
 * pixel is (0.5, 0.5). */
typedef struct mrw_bake_joint {
    /* Index into the scene's nodes. */
    uint32_t node;
    /* Index into the scene's joints: the joint's entry in the first skin that has it. MRW_NONE in a
     * scene without skins. */
    uint32_t joint;
    /* World matrix. With MRW_POSE_BIND it is the joint's bind pose in its first skin. */
    mrw_mat4 joint_to_world;
    /* True if the joint is in front of the camera's plane. If false, x, y and depth01 are 0 and
     * meaningless, and nothing hides the joint. */
    bool in_front;
    /* True if the joint is inside the picture and between the near and far planes. */
    bool inside;
    /* Position in pixels. */
    double x, y;
    /* Distance along the view; negative behind the camera. */
    double depth;
    /* Depth from 0 at the near plane to 1 at the far plane, beyond that range outside. */
    double depth01;
    /* Distance to the nearest surface of any instance on the line of sight through the joint, up to
     * and beyond it; infinity if there is none. */
    double surface_depth;
    /* True if that surface is nearer than the joint by more than the tolerance. */
    bool hidden;
    /* True if hidden by something else than the joint's own flesh: no corner of that triangle
     * follows the joint, its parent or one of its children. */
    bool occluded;
} mrw_bake_joint;

/* The joints of an instance. */
typedef struct mrw_bake_joints {
    /* count joints: each joint of all skins once, parents first; in a scene without skins, every
     * node. Owned. */
    mrw_bake_joint *items;
    uint32_t count;
    /* Skinning matrices, one for each of the scene's joints, skin by skin in the order of each:
     * joint_to_world times geometry_to_joint (see mrw_build_palette). Owned. Upload them as they
     * are to a shader whose vertices use the mesh's joint numbers, and they move the mesh into the
     * world. */
    mrw_mat4 *geometry_to_world;
    /* Camera that sees the joints. */
    mrw_camera camera;
    /* Tolerance of the job, in world units. */
    double tolerance;
} mrw_bake_joints;

/* Inputs of mrw_bake_joints_find. Start from mrw_bake_joints_job_default. All pointers are
 * borrowed. */
typedef struct mrw_bake_joints_job {
    /* The instances, at least one. */
    const mrw_instance *instances;
    uint32_t instance_count;
    /* Index of the instance whose joints are found. Default 0, the first. */
    uint32_t instance;
    /* Result of mrw_pose_instances for these instances. */
    const mrw_posed_instance *posed;
    /* Picture: its size and its camera (mrw_frame_camera). */
    const mrw_frame_def *frame;
    /* Tolerance as a share of the diagonal of the box around that instance, not negative. Joints
     * lie inside bodies, so their own surface is not an occluder. Default 0.05. */
    double tolerance;
    /* Called now and then with `user`; if it returns true, the work ends with MRW_ERROR_CANCELLED.
     * Default NULL: not called. */
    bool (*stop)(void *user);
    void *user;
} mrw_bake_joints_job;

/* Returns the defaults named above. Everything else is NULL or 0 and must be set. */
MRW_API mrw_bake_joints_job mrw_bake_joints_job_default(void);

/* Finds the joints and what lies between them and the camera. Triangles are culled as when drawn,
 * and nothing nearer than the near plane counts. Textures are ignored, so holes cut by alpha hide
 * like the rest. The time depends on the number of triangles, and on how many lie over joints in
 * the picture. Returns errors of mrw_frame_camera. The caller frees *out with
 * mrw_bake_joints_free. */
MRW_API mrw_status mrw_bake_joints_find(const mrw_bake_joints_job *job, mrw_bake_joints *out,
                                        mrw_error *error);

/* Key points of a person in the COCO data set (Lin et al., 2014), in its order: nose, eyes, ears,
 * shoulders, elbows, wrists, hips, knees, ankles; left before right. */
#define MRW_PERSON_POINTS 17

/* Finds the joints that are a person's key points, by the names of bones in common rigs: Mixamo,
 * Rigify, Unreal, VRM, Unity, CMU, KayKit, MakeHuman, Biped, Daz, Character Creator, SMPL. The
 * bones of an arm begin at shoulder, elbow and wrist, those of a leg at hip, knee and ankle. `out`
 * receives nodes, MRW_NONE for points that the rig lacks, as most lack a nose. *found is false if
 * fewer than eight joints of arms and legs have such names: the scene is not a human figure. Fails
 * only with MRW_ERROR_MEMORY. */
MRW_API mrw_status mrw_bake_find_person(const mrw_scene *scene, uint32_t out[MRW_PERSON_POINTS],
                                        bool *found, mrw_error *error);

/* Finds where a node of the instance is in the picture, without testing what hides it, which is
 * fast. *out has the node's matrix as joint_to_world, and no joint. Returns errors of
 * mrw_frame_camera. */
MRW_API mrw_status mrw_bake_node_find(const mrw_bake_joints_job *job, uint32_t node,
                                      mrw_bake_joint *out, mrw_error *error);

/* Frees what is owned and zeroes the rest. A zeroed struct is allowed. */
MRW_API void mrw_bake_joints_free(mrw_bake_joints *joints);

/* ---- Masks ----------------------------------------------------------------------------------- */

/* Pixels of a picture that show something: a box, and runs. */
typedef struct mrw_bake_mask {
    /* Run lengths of pixels without and with the object, alternating, starting with pixels without
     * it (0 if the first pixel shows it). Pixels are in column order from the left, each column
     * from the top: the uncompressed RLE of COCO masks. The lengths sum to the number of pixels. */
    uint32_t *runs;
    uint32_t run_count;
    /* Number of pixels that show it; if 0, the box is all zeros. */
    uint32_t area;
    /* Smallest box around these pixels: x, y, width, height. */
    uint32_t box[4];
} mrw_bake_mask;

typedef struct mrw_bake_masks {
    mrw_bake_mask *items; /* owned, with their runs */
    uint32_t count;
} mrw_bake_masks;

/* Finds the masks of `count` objects in a picture of numbers (MRW_AOV_ID, MRW_FORMAT_U32). Number n
 * belongs to object owners[n - 1], which is below count, or MRW_NONE; 0 belongs to none. The caller
 * frees *out with mrw_bake_masks_free. */
MRW_API mrw_status mrw_bake_masks_find(const mrw_image *numbers, const uint32_t *owners,
                                       uint32_t count, mrw_bake_masks *out, mrw_error *error);

/* Frees the items and zeroes the rest. A zeroed struct is allowed. */
MRW_API void mrw_bake_masks_free(mrw_bake_masks *masks);

/* ---- Mesh files ------------------------------------------------------------------------------ */

/* Formats of mesh files. */
typedef enum mrw_bake_format {
    MRW_BAKE_OBJ, /* Wavefront OBJ: one object per draw, "DRAW_NODE_MESH"; numbers round-trip */
    MRW_BAKE_PLY  /* Stanford PLY, binary, little-endian: all draws in one mesh */
} mrw_bake_format;

/* Encodes the triangles of an instance with positions, normals and the first set of texture
 * coordinates. In the file their origin is at the bottom left; a PLY mesh without coordinates has
 * 0, 0. Faces are counter-clockwise seen from the front. posed has one entry per draw of the scene.
 * More vertices than PLY can count are MRW_ERROR_OUTPUT. The caller frees *out with
 * mrw_bytes_free. */
MRW_API mrw_status mrw_bake_mesh_encode(const mrw_scene *scene, const mrw_posed_draw *posed,
                                        mrw_bake_format format, mrw_bytes *out, mrw_error *error);

/* Writes such a file, completely or not at all; see mrw_file_write. */
MRW_API mrw_status mrw_bake_mesh_write(const mrw_scene *scene, const mrw_posed_draw *posed,
                                       mrw_bake_format format, const char *path, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
