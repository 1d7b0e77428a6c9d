/* plan.h: the channels of an added clip, chosen before they are written. */
#ifndef MRWI_RETARGET_PLAN_H
#define MRWI_RETARGET_PLAN_H

#include "retarget/adapter.h"

/* One channel of an added clip: a channel of the animation, a curve, or a constant value. */
typedef struct mrwi_retarget_plan_entry {
    uint32_t node; /* node of the result */
    uint32_t path;
    uint32_t source;                  /* channel of the animation, or MRW_NONE */
    const mrwi_retarget_curve *curve; /* if there is no source: a curve, or NULL for the constant */
    float constant[4];
} mrwi_retarget_plan_entry;

typedef struct mrwi_retarget_plan {
    mrwi_retarget_plan_entry *entries; /* array with room for the entries of any clip */
    uint32_t count;
} mrwi_retarget_plan;

/* A model and an animation, with the data that matching needs. */
typedef struct mrwi_retarget_pairing {
    const mrw_scene *base, *from;
    mrwi_retarget_rig base_rig, rig;
    uint32_t *match; /* node of the animation -> node of the result, or MRW_NONE */
    /* per node of the animation: the mrw_name_match that found the match */
    uint8_t *by;
    mrwi_retarget_adapter retarget; /* zeroed if off */
    uint8_t *has_match;             /* 1 for a node of base that is the match of some node */
} mrwi_retarget_pairing;

/* The joints that a clip moves. All clips use this, one after the other. */
typedef struct mrwi_retarget_motion {
    uint32_t *played; /* joint of the animation -> 1 + the last clip that moves it */
    uint8_t *paths;   /* per joint: one bit for each path that this clip moves */
} mrwi_retarget_motion;

/* Plans the channels of clip `index` that are played as they are, or hold a link of base still.
 * *weights_left_out counts channels of weights that do not fit. */
void mrwi_retarget_plan_clip(const mrwi_retarget_pairing *pair, uint32_t index,
                             mrwi_retarget_motion *seen, mrwi_retarget_plan *plan,
                             uint32_t *weights_left_out);

/* Adds the adapter's curves of the clip. */
void mrwi_retarget_plan_curves(const mrwi_retarget_adapter *r, mrwi_retarget_plan *plan);

#endif
