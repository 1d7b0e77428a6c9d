/* clips.h: a scene with the clips of others. */
#ifndef MARROW_CLIPS_H
#define MARROW_CLIPS_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a name of the animation's file and one of the model were found to be the same. */
typedef enum mrw_name_match {
    MRW_NAMES_EQUAL,
    /* Without namespaces, which end at the last ':'. */
    MRW_NAMES_WITHOUT_NAMESPACE,
    /* With ':', '|', '_', '.', '-', space as one character, and letters in any case. */
    MRW_NAMES_ALIKE,
    /* So, and without namespaces, which end at the last ':' or '|'. */
    MRW_NAMES_ALIKE_WITHOUT_NAMESPACE,
    /* So, and without the word that most joints of the file begin with: "mixamorig_", "Bip01 ". */
    MRW_NAMES_WITHOUT_PREFIX,
    /* The animation has no names: joint by joint in order. */
    MRW_NAMES_NONE,
    MRW_NAME_MATCHES
} mrw_name_match;

/* How the joints of an animation's file were found in a model: the named or animated nodes whose
 * translation, rotation or scale its clips change. */
typedef struct mrw_clip_match {
    /* Joints of the animation, and how many of them are in the model. */
    uint32_t joints;
    uint32_t matched;
    /* How many of these by which mrw_name_match. */
    uint32_t matched_by[MRW_NAME_MATCHES];
    /* Morph weight channels whose node is not there, or has another number of weights. */
    uint32_t weights_left_out;
    /* Joints that both have whose keys were changed to suit the model, and animated nodes between
     * such joints that the model lacks, whose motion the next joint below has now. */
    uint32_t retargeted;
    uint32_t folded;
    /* Joints whose rest is turned by more than a degree from that of the model, and the most
     * degrees. */
    uint32_t turned;
    double most_degrees;
    /* What the root's way is multiplied with; 1 where nothing is. */
    double root_scale;
    /* The file has no pose of rest of its own: its nodes stand as a clip begins. Its joints have
     * the model's axes, and keep their rotations. */
    bool rest_unknown;
    /* So it stands, but its axes are others: what its clips change is counted from that pose. */
    bool rest_doubtful;
    /* Its rig faces another way, by right angles, and is turned as a whole. */
    bool is_turned;
    /* Some names of the joints that were not matched, escaped: "Hat, Tail"; may be empty. */
    char unmatched[128];
    /* Those that are turned, the most turned first: "LeftArm 90.0, Spine 12.4". */
    char differing[400];
} mrw_clip_match;

/* What becomes of clips whose rig rests in another pose than the model's. */
typedef enum mrw_retarget {
    MRW_RETARGET_AUTO, /* keys are changed to suit the model */
    MRW_RETARGET_OFF   /* keys are played as they are */
} mrw_retarget;

/* Where clips come from. Both pointers are borrowed for the call. */
typedef struct mrw_clip_source {
    const mrw_scene *scene;
    /* What to call the file in messages, and clips that need it: "walk". */
    const char *name;
    /* mrw_retarget */
    uint32_t retarget;
    /* Filled by mrw_scene_add_clips. */
    mrw_clip_match match;
} mrw_clip_source;

/* Makes a scene that is `base` with the clips of other scenes behind its own, in the order given.
 *
 * Nodes are matched by name, in the steps of mrw_name_match, each among what the steps before left.
 * Of several with one name the first joint of a skin is taken, else the first, of equals one whose
 * parent has the right name; the later steps match only what is one to one, where the only joint of
 * a skin, or the only node that moves, counts before others of its name. An animation without any
 * names (IQM files of clips alone) is matched joint by joint in order, where the model has a skin
 * of as many joints with the same parents. Joints that only an animation has are added, with their
 * ancestors up to a node that both have. Morph weights are taken over where the matched node has as
 * many. What a clip does not animate rests as in base.
 *
 * A rig's rest is where its skins were bound, and elsewhere what its nodes do. With
 * MRW_RETARGET_AUTO each matched joint that is turned by A in the world while the clip plays, and
 * by S at rest, is turned by A S^-1 M in the model, where it rests turned by M: the change from
 * rest, in the world's axes. All keys are multiplied by constants for that, which is exact between
 * keys, too. Translations stay those of the model's rest, but for the topmost matched joints and
 * all down to the hips, if those above them lie on the ground: their way from rest, in the world's
 * axes, is multiplied by the ratio of the heights of the hips above the lowest joint. (Clips of a
 * file without a skin, whose root rests elsewhere than the model's and so maybe anywhere, go the
 * way from the ground below the origin.)
 * Scales are multiplied onto the model's, along the nearest axes. A joint keeps its keys to the bit
 * where it and the next one above rest within a degree, and lengths and units agree within a
 * hundredth. Where the nodes of a file without a skin stand as one of its clips begins, and bones
 * lie in their joints as in the model, rotations are the model's, too. A rig of eight joints or
 * more that rests as the model does but for turns by right angles, as it faces another way, is
 * turned as a whole first.
 *
 * Animated nodes above a matched joint that the model lacks are folded into it: the joint gets keys
 * at the times of all of them, and more where a straight way between two would be off by more than
 * a twentieth of a degree or 0.0005 of the hips' height, up to 64 for one.
 *
 * With MRW_RETARGET_OFF, and where joints were matched in their order, local transforms are used as
 * they are: nothing is turned, scaled or folded.
 * Only where an importer has spread a joint of base over several nodes (FBX pivots), the other
 * parts stand still while the clip plays; with MRW_RETARGET_AUTO joints that keep their keys do so.
 *
 * Names of clips stay, unless base or another source has an equal one: then it is "walk/Take 001".
 *
 * MRW_ERROR_INPUT when a source has no clips or none of its joints is in base; the message names
 * some of both; or when folding takes more keys, or longer, than in proportion to its keys. Sources
 * need not outlive the result, which the caller frees with mrw_scene_free. */
MRW_API mrw_status mrw_scene_add_clips(const mrw_scene *base, mrw_clip_source *sources,
                                       uint32_t count, mrw_scene **out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
