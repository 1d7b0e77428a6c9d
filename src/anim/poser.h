/* poser.h: the data of a scene that posing needs and no frame changes, in reading order. */
#ifndef MRWI_ANIM_POSER_H
#define MRWI_ANIM_POSER_H

#include "base/memory.h"
#include "marrow/anim.h"

/* Tracks: key times that channels of a clip share. Channels that share none have their own
 * track. */
typedef struct mrwi_anim_tracks {
    uint32_t *first_times; /* index into key_times */
    uint32_t *key_counts;
    /* rate * time + offset is close to the key of a time if keys are spread evenly */
    float *rates, *offsets;
} mrwi_anim_tracks;

/* A channel, reduced to what sampling needs. */
typedef struct mrwi_anim_curve {
    uint32_t track;  /* number of the track in its block */
    uint32_t source; /* first index into key_values; for `others` the channel */
    uint32_t out;    /* index of the result among the floats of the local transforms */
} mrwi_anim_curve;

/* Largest number of tracks per block; their keys fit on the stack. */
#define MRWI_ANIM_BLOCK_TRACKS 256

/* The rotations of a block, and all links, are padded to a multiple of this by repeating the
 * last. */
#define MRWI_ANIM_PADDING 8

/* Each member is the index at which a kind of curve begins; it ends where the next kind begins. */
typedef struct mrwi_anim_block {
    uint32_t first_track; /* index into the poser's tracks */
    uint32_t track_count;
    uint32_t long_tracks; /* number of tracks with three keys or more, which come first */
    uint32_t vectors;     /* LINEAR T and S, two keys or more */
    uint32_t rotations;   /* LINEAR R, two keys or more */
    uint32_t others;      /* all others, with morph weights */
    uint32_t end;
} mrwi_anim_block;

/* The bits that a clip sets for a node. */
typedef struct mrwi_anim_flags {
    uint32_t node;
    uint32_t animated;
} mrwi_anim_flags;

typedef struct mrwi_anim_clip_plan {
    uint32_t first_block, block_count;
    uint32_t fixed_vectors; /* T and S that do not change */
    uint32_t fixed_rotations;
    uint32_t fixed_end;
    uint32_t first_flags, flags_count;
    uint32_t first_beyond, beyond_count;
} mrwi_anim_clip_plan;

/* A node. Links are ordered level by level, so a node and its parent are far apart, and no node
 * waits for the one before it. */
typedef struct mrwi_anim_link {
    uint32_t node;
    uint32_t floats; /* index of its first number among the floats of all local transforms */
    uint32_t parent; /* node of its parent; MRW_NONE for a root */
    uint32_t matrix; /* index of its filed matrix; MRW_NONE if it has none */
} mrwi_anim_link;

/* Local transforms are read and written as floats: T, R and S. */
_Static_assert(sizeof(mrw_transform) == 10 * sizeof(float), "no padding");

/* Offsets of R and S among the floats of a transform. */
#define MRWI_ANIM_ROTATION (offsetof(mrw_transform, rotation) / sizeof(float))
#define MRWI_ANIM_SCALE    (offsetof(mrw_transform, scale) / sizeof(float))

/* Returns the T, R or S that begins at float `first` of the local transforms. The address is
 * computed in bytes: a pointer to float may move only within one of the three. */
static inline float *mrwi_anim_part(mrw_transform *locals, size_t first)
{
    return (float *)(void *)((char *)locals + first * sizeof(float));
}
static inline const float *mrwi_anim_part_const(const mrw_transform *locals, size_t first)
{
    return (const float *)(const void *)((const char *)locals + first * sizeof(float));
}

/* Returns the rotation of a link's node. */
static inline const float *mrwi_anim_rotation(const mrw_transform *locals,
                                              const mrwi_anim_link *link)
{
    return mrwi_anim_part_const(locals, link->floats + MRWI_ANIM_ROTATION);
}

/* Returns the flags of a node without any clip: 0 or MRW_ANIMATED_HIDDEN. */
static inline uint32_t mrwi_anim_rest_flags(const mrw_scene *scene, uint32_t node)
{
    return (scene->nodes[node].flags & MRW_NODE_HIDDEN) != 0 ? MRW_ANIMATED_HIDDEN : 0;
}

/* Sets or clears MRW_ANIMATED_HIDDEN of a node. */
static inline void mrwi_anim_show(uint8_t *animated, uint32_t node, bool shown)
{
    animated[node] &= (uint8_t)~MRW_ANIMATED_HIDDEN;
    animated[node] |= shown ? 0 : MRW_ANIMATED_HIDDEN;
}

/* The nodes. */
typedef struct mrwi_anim_nodes {
    mrw_transform *rest;
    mrwi_anim_link *links;
    uint32_t *hidden; /* nodes that are hidden at rest */
    uint32_t hidden_count;
} mrwi_anim_nodes;

/* The channels of all clips. */
typedef struct mrwi_anim_clips {
    mrwi_anim_clip_plan *plans; /* one per clip */
    mrwi_anim_block *blocks;
    mrwi_anim_tracks tracks;
    mrwi_anim_curve *curves;
    mrwi_anim_flags *flags;
    /* Channels that clamped times do not suit: they do not hold beyond their keys, or have keys
     * before the clip's start. */
    uint32_t *beyond;
} mrwi_anim_clips;

struct mrw_poser {
    const mrw_scene *scene;
    mrwi_base_arena arena; /* memory of everything below */
    mrwi_anim_nodes nodes;
    mrwi_anim_clips clips;
    bool hides; /* true if a node is hidden at some time */
};

#endif
