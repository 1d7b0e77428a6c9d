/* humanoid.h: the bones of a human figure by their names, in the conventions of common rigs. */
#ifndef MRWI_SCENE_HUMANOID_H
#define MRWI_SCENE_HUMANOID_H

#include "scene/rig.h"

/* Bones that a figure has once. Sides alternate: left, right. */
typedef enum mrwi_scene_bone {
    MRWI_SCENE_HIPS,
    MRWI_SCENE_HEAD,
    MRWI_SCENE_CLAVICLE,
    MRWI_SCENE_UPPER_ARM = MRWI_SCENE_CLAVICLE + 2,
    MRWI_SCENE_FOREARM = MRWI_SCENE_UPPER_ARM + 2,
    MRWI_SCENE_WRIST = MRWI_SCENE_FOREARM + 2,
    MRWI_SCENE_THIGH = MRWI_SCENE_WRIST + 2,
    MRWI_SCENE_SHIN = MRWI_SCENE_THIGH + 2,
    MRWI_SCENE_FOOT = MRWI_SCENE_SHIN + 2,
    MRWI_SCENE_TOES = MRWI_SCENE_FOOT + 2,
    MRWI_SCENE_BONES = MRWI_SCENE_TOES + 2
} mrwi_scene_bone;

/* Chains, of which each rig has its own number of bones. The fingers' sides alternate: left, right;
 * five fingers, from the thumb. */
typedef enum mrwi_scene_chain {
    MRWI_SCENE_SPINE,
    MRWI_SCENE_NECK,
    MRWI_SCENE_FINGERS,
    MRWI_SCENE_CHAINS = MRWI_SCENE_FINGERS + 10
} mrwi_scene_chain;

#define MRWI_SCENE_CHAIN_ROOM 10

typedef struct mrwi_scene_humanoid {
    uint32_t bones[MRWI_SCENE_BONES]; /* nodes, or MRW_NONE */
    uint32_t chains[MRWI_SCENE_CHAINS][MRWI_SCENE_CHAIN_ROOM];
    uint32_t counts[MRWI_SCENE_CHAINS];
} mrwi_scene_humanoid;

/* Finds the bones of a rig by name: those of Mixamo, Rigify, Unreal, VRM and Unity, CMU's motion
 * capture, KayKit, MakeHuman, Biped, Daz, Character Creator and SMPL. A node is found once. */
void mrwi_scene_humanoid_find(const mrwi_scene_rig *rig, mrwi_scene_humanoid *out);

/* Parts of a face that COCO has as key points, in its order. */
#define MRWI_SCENE_FACE 5 /* nose, left and right eye, left and right ear */

/* Finds the joints of a face by their names; MRW_NONE for those that the rig lacks. */
void mrwi_scene_humanoid_face(const mrwi_scene_rig *rig, uint32_t out[MRWI_SCENE_FACE]);

/* Fills match[node of animation] with the node of base that is the same bone, or MRW_NONE. Where
 * chains have different numbers of bones, the ends are matched, and the bones between them evenly.
 */
void mrwi_scene_humanoid_match(const mrwi_scene_humanoid *base,
                               const mrwi_scene_humanoid *animation, uint32_t *match,
                               uint32_t count);

#endif
