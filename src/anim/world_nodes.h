/* world_nodes.h: computes world matrices from the root down, in the order of a poser's links.
 *
 * Rotations become matrices in lanes; then each node's columns are combined from its parent's, one
 * broadcast number after the other. The operations and their order are the same at every width, so
 * the bits are, too. */
#ifndef MRWI_ANIM_WORLD_NODES_H
#define MRWI_ANIM_WORLD_NODES_H

#include "anim/affine.h"
#include "anim/poser.h"

/* Columns of rotation matrices: element [3 * column + row][lane]. */
typedef float rotations[9][MRWI_BASE_LANES];

LANE_INLINE quaternions load_rotations(const mrwi_anim_link links[MRWI_BASE_LANES],
                                       const mrw_transform *locals)
{
    const void *row[MRWI_BASE_LANES];
    LANE_UNROLL
    for (int i = 0; i < MRWI_BASE_LANES; i++) {
        row[i] = mrwi_anim_rotation(locals, &links[i]);
    }
    return vf4_load_rows(row);
}

/* Makes the matrices of unit quaternions (Shoemake 1985). */
static inline void make_rotations(const mrwi_anim_link *links, const mrw_transform *locals,
                                  rotations out)
{
    const quaternions q = load_rotations(links, locals);
    const vf x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const vf xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    const vf xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    const vf wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    vf_store(out[0], 1.0f - (yy + zz)), vf_store(out[1], xy + wz), vf_store(out[2], xz - wy);
    vf_store(out[3], xy - wz), vf_store(out[4], 1.0f - (xx + zz)), vf_store(out[5], yz + wx);
    vf_store(out[6], xz + wy), vf_store(out[7], yz - wx), vf_store(out[8], 1.0f - (xx + yy));
}

/* Transforms a column of a rotation by the parent and multiplies it by one number of the scale. */
static inline void place_axis(const mrwi_anim_affine *parent, const rotations r, uint32_t column,
                              uint32_t lane, float scale, mrw_mat4 *out)
{
    const mrwi_base_f4 v = mrwi_anim_affine_vector(
        parent, r[3 * column][lane], r[3 * column + 1][lane], r[3 * column + 2][lane]);
    mrwi_base_f4_store(out->m + 4 * column, mrwi_anim_f4_xyz(v * scale));
}

/* Computes parent * T * R * S; the scale comes last, on whole columns. */
static inline void place_node(const mrwi_anim_affine *parent, const mrw_transform *locals,
                              const mrwi_anim_link *link, const rotations r, uint32_t lane,
                              mrw_mat4 *out)
{
    const float *translation = mrwi_anim_part_const(locals, link->floats);
    const float *scale = mrwi_anim_part_const(locals, link->floats + MRWI_ANIM_SCALE);
    const mrwi_base_f4 unit_w = {0.0f, 0.0f, 0.0f, 1.0f};
    place_axis(parent, r, 0, lane, scale[0], out);
    place_axis(parent, r, 1, lane, scale[1], out);
    place_axis(parent, r, 2, lane, scale[2], out);
    const mrwi_base_f4 origin =
        mrwi_anim_affine_vector(parent, translation[0], translation[1], translation[2]) +
        parent->c[3];
    mrwi_base_f4_store(out->m + 12, mrwi_anim_f4_xyz(origin) + unit_w);
}

static inline void world_nodes(const mrw_world_job *job)
{
    const mrwi_anim_link *links = job->poser->nodes.links;
    const mrw_mat4 *matrices = job->poser->scene->matrices;
    const mrw_transform *locals = job->locals;
    const uint8_t *animated = job->animated;
    const uint32_t count = job->poser->scene->nodes_count;
    mrw_mat4 *node_to_world = job->node_to_world;
    const mrwi_anim_affine root = mrwi_anim_affine_root(job->model_to_world);
    for (uint32_t first = 0; first < count; first += MRWI_BASE_LANES, links += MRWI_BASE_LANES) {
        rotations r;
        make_rotations(links, locals, r); /* see MRWI_ANIM_PADDING */
        for (uint32_t i = 0; i < MRWI_BASE_LANES && first + i < count; i++) {
            const mrwi_anim_link link = links[i];
            const mrwi_anim_affine parent =
                link.parent == MRW_NONE ? root : mrwi_anim_affine_load(&node_to_world[link.parent]);
            mrw_mat4 *out = &node_to_world[link.node];
            if (link.matrix != MRW_NONE && !(animated[link.node] & MRW_ANIMATED_LOCAL)) {
                mrwi_anim_affine_mul(&parent, matrices[link.matrix].m, out);
            } else {
                place_node(&parent, locals, &link, r, i, out);
            }
        }
    }
}

#endif
