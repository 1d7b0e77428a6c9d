/* humanoid.h: finds the bones of a human figure by name, in the conventions of common rigs. */
#ifndef MRWI_RETARGET_HUMANOID_H
#define MRWI_RETARGET_HUMANOID_H

#include "retarget/rig.h"

/* Bones that a figure has once, or once per side: left, then right. */
typedef enum mrwi_retarget_bone {
    MRWI_RETARGET_HIPS,
    MRWI_RETARGET_HEAD,
    MRWI_RETARGET_CLAVICLE,
    MRWI_RETARGET_UPPER_ARM = MRWI_RETARGET_CLAVICLE + 2,
    MRWI_RETARGET_FOREARM = MRWI_RETARGET_UPPER_ARM + 2,
    MRWI_RETARGET_WRIST = MRWI_RETARGET_FOREARM + 2,
    MRWI_RETARGET_THIGH = MRWI_RETARGET_WRIST + 2,
    MRWI_RETARGET_SHIN = MRWI_RETARGET_THIGH + 2,
    MRWI_RETARGET_FOOT = MRWI_RETARGET_SHIN + 2,
    MRWI_RETARGET_TOES = MRWI_RETARGET_FOOT + 2,
    MRWI_RETARGET_BONES = MRWI_RETARGET_TOES + 2
} mrwi_retarget_bone;

/* Chains, whose number of bones differs between rigs. Fingers are five pairs from the thumb on:
 * left, right. */
typedef enum mrwi_retarget_chain {
    MRWI_RETARGET_SPINE,
    MRWI_RETARGET_NECK,
    MRWI_RETARGET_FINGERS,
    MRWI_RETARGET_CHAINS = MRWI_RETARGET_FINGERS + 10
} mrwi_retarget_chain;

#define MRWI_RETARGET_CHAIN_ROOM 10

typedef struct mrwi_retarget_humanoid {
    uint32_t bones[MRWI_RETARGET_BONES]; /* nodes, or MRW_NONE */
    uint32_t chains[MRWI_RETARGET_CHAINS][MRWI_RETARGET_CHAIN_ROOM];
    uint32_t counts[MRWI_RETARGET_CHAINS];
} mrwi_retarget_humanoid;

/* Finds the bones of a rig by name: Mixamo, Rigify, Unreal, VRM and Unity, CMU's motion capture,
 * KayKit, MakeHuman, Biped, Daz, Character Creator and SMPL. Each node is found at most once. */
void mrwi_retarget_humanoid_find(const mrwi_retarget_rig *rig, mrwi_retarget_humanoid *out);

/* Parts of a face that are key points in COCO, in its order. */
#define MRWI_RETARGET_FACE 5 /* nose, left and right eye, left and right ear */

/* Finds the joints of a face by name; MRW_NONE stands for those that the rig lacks. */
void mrwi_retarget_humanoid_face(const mrwi_retarget_rig *rig, uint32_t out[MRWI_RETARGET_FACE]);

/* Fills match[node of animation] with the node of base that is the same bone, or MRW_NONE. If
 * chains have different numbers of bones, their ends are matched, and the bones between evenly. */
void mrwi_retarget_humanoid_match(const mrwi_retarget_humanoid *base,
                                  const mrwi_retarget_humanoid *animation, uint32_t *match,
                                  uint32_t count);

#endif
