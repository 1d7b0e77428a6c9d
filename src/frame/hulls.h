/* hulls.h: boxes that provably enclose posed vertices, for framing.
 *
 * A vertex lies between the places where its joints alone would put it, because its weights are
 * positive and sum to one. So a mesh is cut into blocks of vertices, and a block has one box per
 * joint that moves it, in the geometry's space. The boxes, moved by the palette, enclose the posed
 * block: most blocks need not be skinned to know that they do not touch the picture's sides.
 *
 * Rounding is part of the proof. With n influences, a skinned coordinate differs from the exact one
 * by less than (n + 6) 2^-24 times the sum of |matrix| |point| (Higham, "Accuracy and Stability of
 * Numerical Algorithms", 3.1), and the sum of the weights differs from one by at most 1e-5. Boxes
 * are larger by 2^-14 of that sum, four times as much as both for the most influences.
 */
#ifndef MRWI_FRAME_HULLS_H
#define MRWI_FRAME_HULLS_H

#include "frame/frame.h"
#include "view/view.h"

/* Vertices per block; the last block of a group may have fewer. */
#define MRWI_FRAME_HULL_BLOCK 128u

/* The vertices of a hull that one joint moves. The fourth numbers have no meaning. */
typedef struct mrwi_frame_hull_part {
    float centre[4];
    float half[4];  /* half the size, with room for rounding; infinite: nothing is proven */
    uint32_t joint; /* index in the palette; MRW_NONE: the job's rigid matrix */
} mrwi_frame_hull_part;

typedef struct mrwi_frame_hull {
    uint32_t first_part;
    uint32_t part_count; /* 0: nothing is proven */
} mrwi_frame_hull;

/* Hulls of a mesh: of all vertices, and of the blocks of its groups, in order. */
typedef struct mrwi_frame_mesh_hulls {
    mrwi_frame_hull whole;
    uint32_t first_block;
} mrwi_frame_mesh_hulls;

/* Hulls of the unmorphed meshes of a model. Read-only once built. */
typedef struct mrwi_frame_hulls {
    mrwi_frame_mesh_hulls *meshes; /* one per mesh of the scene */
    mrwi_frame_hull *blocks;
    mrwi_frame_hull_part *parts;
    uint32_t part_count, part_room;
} mrwi_frame_hulls;

/* Builds the hulls of a model, which must outlive them. Free them even after a failure. */
mrw_status mrwi_frame_hulls_build(const mrw_model *model, mrwi_frame_hulls *out, mrw_error *error);
void mrwi_frame_hulls_free(mrwi_frame_hulls *hulls);

/* Hulls of instances, once per model. All zero: none. */
typedef struct mrwi_frame_hull_set {
    mrwi_frame_hulls *built; /* [count] the first instance of a model has them */
    const mrwi_frame_hulls *
        *of; /* [count] hulls of each instance; NULL: its vertices are displaced */
    uint32_t count;
} mrwi_frame_hull_set;

/* Builds the hulls of instances, whose models must outlive them. Free them even after a failure. */
mrw_status mrwi_frame_hull_set_build(const mrw_instance *instances, uint32_t count,
                                     mrwi_frame_hull_set *out, mrw_error *error);
void mrwi_frame_hull_set_free(mrwi_frame_hull_set *set);

/* Computes a box that encloses the vertices of a hull, as mrw_skin_vertices moves them. The job has
 * no motions. Returns false when there is none, or when it is so large that a kernel might
 * overflow. */
bool mrwi_frame_hull_place(const mrwi_frame_hulls *hulls, const mrwi_frame_hull *hull,
                           const mrw_skin_job *job, mrwi_view_box *out);

#endif
