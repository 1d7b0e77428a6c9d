/* clips.h: adds the clips of other scenes to a scene. */
#ifndef MARROW_CLIPS_H
#define MARROW_CLIPS_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a joint's name in the animation's file was matched to a name in the model. */
typedef enum mrw_name_match {
    MRW_NAMES_EQUAL,
    /* Equal after removing namespaces, which end at the last ':'. */
    MRW_NAMES_WITHOUT_NAMESPACE,
    /* Equal if ':', '|', '_', '.', '-' and space count as one character, and case is ignored. */
    MRW_NAMES_ALIKE,
    /* Equal in this way after removing namespaces, which end at the last ':' or '|'. */
    MRW_NAMES_ALIKE_WITHOUT_NAMESPACE,
    /* Equal in this way after removing the word that most joints of the file begin with, such as
     * "mixamorig_" or "Bip01 ". */
    MRW_NAMES_WITHOUT_PREFIX,
    /* The same bone of a human figure under another name: "mixamorig:LeftArm", "upper_arm.L",
     * "upperarm_l", "Bip01 L UpperArm". */
    MRW_NAMES_HUMANOID,
    /* The animation has no names; joints are matched by their order. */
    MRW_NAMES_NONE,
    MRW_NAME_MATCHES
} mrw_name_match;

/* Result of matching the joints of an animation's file to a model. Joints here are the named or
 * animated nodes whose translation, rotation or scale its clips change. */
typedef struct mrw_clip_match {
    /* Number of joints in the animation, and of those found in the model. */
    uint32_t joints;
    uint32_t matched;
    /* Number of matched joints for each mrw_name_match. */
    uint32_t matched_by[MRW_NAME_MATCHES];
    /* Morph weight channels left out because the model lacks the node, or the node has a different
     * number of weights. */
    uint32_t weights_left_out;
    /* Material channels, all of which are left out: materials belong to the model. */
    uint32_t materials_left_out;
    /* Number of matched joints whose keys were changed to suit the model, and of animated nodes
     * that the model lacks, whose motion was folded into the next matched joint below them. */
    uint32_t retargeted;
    uint32_t folded;
    /* Number of joints whose rest rotation differs by more than a degree from the model's, and the
     * largest difference in degrees. */
    uint32_t turned;
    double most_degrees;
    /* Number of joints of the model whose rest pose was turned to align it with the file's; 0 if
     * the rests were compared as they are. */
    uint32_t aligned;
    /* Factor on the root's path; 1 if it is unchanged. */
    double root_scale;
    /* Ratio of the sizes of the two rigs at rest: the diagonals of the boxes around their matched
     * joints, the model's divided by the file's. 0 if the root's path is unchanged, or if one of
     * the rigs is a point. */
    double size_ratio;
    /* The file has no rest pose of its own: its nodes are posed as at the start of a clip. Its
     * joints have the model's axes and keep their rotations. */
    bool rest_unknown;
    /* The file has no rest pose of its own, and its axes differ from the model's: motion is
     * measured from the pose of its nodes. */
    bool rest_doubtful;
    /* The rig faces another way, by right angles, and is turned as a whole. */
    bool is_turned;
    /* Names of some unmatched joints, escaped: "Hat, Tail". May be empty. */
    char unmatched[128];
    /* Names of the joints with different rest rotations and their angles, largest first: "LeftArm
     * 90.0, Spine 12.4". */
    char differing[400];
} mrw_clip_match;

/* Treatment of clips whose rig has another rest pose than the model. */
typedef enum mrw_retarget {
    MRW_RETARGET_AUTO, /* change keys to suit the model */
    MRW_RETARGET_OFF,  /* play keys as they are */
    MRW_RETARGET_POSE  /* like AUTO, after aligning the rest poses bone by bone */
} mrw_retarget;

/* Source of clips. Both pointers are borrowed for the call. */
typedef struct mrw_clip_source {
    const mrw_scene *scene;
    /* Name of the file in messages, and prefix of clip names that need one: "walk". */
    const char *name;
    /* mrw_retarget */
    uint32_t retarget;
    /* Result, filled by mrw_scene_add_clips. */
    mrw_clip_match match;
} mrw_clip_source;

/* Makes a scene that is `base` with the clips of other scenes added after its own, in the given
 * order. Its default_clip is the first clip of the last source. A clip keeps its duration, whatever
 * is left out of it.
 *
 * Matching: nodes are matched by name, in the steps of mrw_name_match, each of which looks only at
 * nodes not yet matched. Among nodes with equal names, joints of skins come first, then nodes whose
 * parents' names match, then lower indices. The later steps match only names that are unique, where
 * the only joint of a skin, or the only node that moves, counts before others of its name. An
 * animation without any names (IQM files with clips only) is matched joint by joint in order, if
 * the model has a skin with as many joints and the same parents. Joints that only an animation has
 * are added, with their ancestors up to a matched node. Morph weights are added if the matched node
 * has the same number. Nodes that a clip does not animate rest as in base.
 *
 * Retargeting: a rig's rest pose is the bind pose of its skins, and for other nodes their filed
 * transforms. With MRW_RETARGET_AUTO, a matched joint that is rotated by A in the world while the
 * clip plays, and by S at rest, is rotated by A S^-1 M in the model, where M is its rotation in the
 * model's rest pose: the change from rest, in world axes. For this, all keys are multiplied by
 * constants, which is exact between keys, too. Scales are multiplied onto the model's, along the
 * nearest axes.
 *
 * MRW_RETARGET_POSE first aligns the two rest poses: from the root down, it turns each joint of the
 * model's rest pose so that the bones to the next matched joints point in the same directions as in
 * the file. One bone takes the shortest turn; several take the turn with the least squares of the
 * differences (Wahba, "A least squares estimate of satellite attitude", 1965; solved by Davenport's
 * q-method). A joint without a bone below it follows the joint above. MRW_RETARGET_AUTO does so for
 * human figures, which are found by the names of their bones, if an arm or a leg differs by more
 * than 25 degrees: one rig rests in a T, the other with its arms down. Nothing is aligned with a
 * file that has no rest pose (rest_unknown).
 *
 * Translations stay those of the model's rest pose. Exceptions are the topmost matched joints and,
 * if those above the hips are on the ground, all joints down to the hips: their path from rest, in
 * world axes, is multiplied by the ratio of the heights of the hips above the lowest joint. In a
 * file without a skin, the root may rest anywhere. If it rests elsewhere than the model's, its path
 * starts from the ground below the origin.
 *
 * A joint keeps its keys to the bit if it and the next joint above it rest within a degree of the
 * model's, and lengths and units agree within a hundredth. If the nodes of a file without a skin
 * are posed as at the start of one of its clips, and bones lie in their joints as in the model,
 * rotations are used unchanged, too. A rig of eight joints or more that rests like the model but
 * for rotations by right angles, because it faces another way, is turned as a whole first.
 *
 * Animated nodes above a matched joint that the model lacks are folded into the joint, whether the
 * clip animates the joint itself or not, and so are its translations. The joint gets keys at the
 * times of all of them, and up to 64 keys per interval where a straight path would be off by more
 * than a twentieth of a degree or 0.0005 of the hips' height.
 *
 * With MRW_RETARGET_OFF, and for joints matched by their order, local transforms are used as they
 * are: nothing is turned, scaled or folded. If an importer split a joint of base into several nodes
 * (FBX pivots), the other nodes stay still while the clip plays. With MRW_RETARGET_AUTO the same
 * holds for joints that keep their keys.
 *
 * Clip names are kept unless base or another source has the same name; the clip is then named
 * "walk/Take 001".
 *
 * Returns MRW_ERROR_INPUT if a source has no clips, if none of its joints is in base (the message
 * names some of both), or if folding would create keys, or take time, out of proportion to its own
 * keys. Sources need not outlive the result, which the caller frees with mrw_scene_free. */
MRW_API mrw_status mrw_scene_add_clips(const mrw_scene *base, mrw_clip_source *sources,
                                       uint32_t count, mrw_scene **out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
