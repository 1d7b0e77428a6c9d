/* poser.h: what a pose needs of a scene and no frame changes, in the order in which it is read. */
#ifndef MRWI_ANIM_POSER_H
#define MRWI_ANIM_POSER_H

#include "base/memory.h"
#include "marrow/anim.h"

/* Key times that channels of a clip share, by number; channels that share none have a track of
 * their own. */
typedef struct mrwi_anim_tracks {
    uint32_t *first_times; /* of key_times */
    uint32_t *key_counts;
    /* rate * time + offset is a key near to a time, where keys are spread evenly */
    float *rates, *offsets;
} mrwi_anim_tracks;

/* A channel, reduced to what sampling needs. */
typedef struct mrwi_anim_curve {
    uint32_t track;  /* of its block */
    uint32_t source; /* first of key_values; for the others the channel */
    uint32_t out;    /* which of the floats that the local transforms are */
} mrwi_anim_curve;

/* Curves are sampled in blocks of so many tracks at most, whose keys fit on the stack. */
#define MRWI_ANIM_BLOCK_TRACKS 256

/* The rotations of a block, and all links, are filled up to a multiple of this by repeating the
 * last. */
#define MRWI_ANIM_PADDING 8

/* Each member is where a kind of curve begins; it ends where the next begins. */
typedef struct mrwi_anim_block {
    uint32_t first_track; /* of the poser's */
    uint32_t track_count;
    uint32_t long_tracks; /* the first so many have three keys or more */
    uint32_t vectors;     /* LINEAR T and S, two keys or more */
    uint32_t rotations;   /* LINEAR R, two keys or more */
    uint32_t others;      /* all else, and morph weights */
    uint32_t end;
} mrwi_anim_block;

/* Which bits a clip sets of a node. */
typedef struct mrwi_anim_flags {
    uint32_t node;
    uint32_t animated;
} mrwi_anim_flags;

typedef struct mrwi_anim_clip_plan {
    uint32_t first_block, block_count;
    uint32_t fixed_vectors; /* T and S that stay what they are */
    uint32_t fixed_rotations;
    uint32_t fixed_end;
    uint32_t first_flags, flags_count;
    uint32_t first_beyond, beyond_count;
} mrwi_anim_clip_plan;

/* A node. Links go level by level, so that a node and its parent are far apart, and no node waits
 * for the one before it. */
typedef struct mrwi_anim_link {
    uint32_t node;
    uint32_t floats; /* where its local transform begins among all floats of those */
    uint32_t parent; /* or MRW_NONE */
    uint32_t matrix; /* or MRW_NONE */
} mrwi_anim_link;

/* Local transforms are read and written as floats: T, R and S. */
_Static_assert(sizeof(mrw_transform) == 10 * sizeof(float), "no padding");

/* Where R and S begin among the floats of a transform. */
#define MRWI_ANIM_ROTATION (offsetof(mrw_transform, rotation) / sizeof(float))
#define MRWI_ANIM_SCALE    (offsetof(mrw_transform, scale) / sizeof(float))

/* The T, R or S that begins with float `first` of the local transforms. The way there leads over
 * bytes: a pointer to float may walk within one of the three only. */
static inline float *mrwi_anim_part(mrw_transform *locals, size_t first)
{
    return (float *)(void *)((char *)locals + first * sizeof(float));
}
static inline const float *mrwi_anim_part_const(const mrw_transform *locals, size_t first)
{
    return (const float *)(const void *)((const char *)locals + first * sizeof(float));
}

/* The rotation of a link's node. */
static inline const float *mrwi_anim_rotation(const mrw_transform *locals,
                                              const mrwi_anim_link *link)
{
    return mrwi_anim_part_const(locals, link->floats + MRWI_ANIM_ROTATION);
}

/* What a node is before anything is animated: 0 or MRW_ANIMATED_HIDDEN. */
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

struct mrw_poser {
    const mrw_scene *scene;
    mrwi_base_arena arena; /* has all of these */
    mrw_transform *rest;
    mrwi_anim_link *links;
    mrwi_anim_clip_plan *clips;
    mrwi_anim_block *blocks;
    mrwi_anim_tracks tracks;
    mrwi_anim_curve *curves;
    mrwi_anim_flags *flags;
    uint32_t *beyond; /* channels that do not hold before and after their keys, or have some before
                         the clip's start: what clamped times do not give */
    uint32_t *hidden; /* nodes that are hidden at rest */
    uint32_t hidden_count;
    bool hides; /* any node, at some time */
};

#endif
