/* owned.h: what a session owns: its models, what they play, and where its views are seen from. */
#ifndef MRWI_SESSION_OWNED_H
#define MRWI_SESSION_OWNED_H

#include "session/cache.h"

/* Where a camera of a view stands, found before. */
typedef struct mrwi_session_aim {
    bool known;
    mrw_camera camera;
    mrw_follow follow;
    bool has_bounds;
    mrw_shadow_bounds bounds;
    bool has_framed;
    mrw_shadow_bounds framed;
} mrwi_session_aim;

typedef struct mrw_session_owned {
    mrw_session_cache *cache; /* the session's, or one of its own */
    mrw_session_cache *own_cache;
    mrwi_session_loaded *loaded; /* the model, where it is the cache's */
    const mrw_model *prepared;
    mrw_model *own_prepared;                 /* where it is not */
    struct mrwi_session_added *added_models; /* of --add; session.c */
    uint32_t added_count;
    mrw_light_def *lights; /* of --light; the frame's */
    uint32_t *ids;         /* of --id; the frame's */
    mrw_track *tracks;     /* the model's, of which the first changes with the clip at hand */
    mrw_mix mix;
    mrw_session_view *views;
    uint32_t view_count;
    uint32_t at; /* the view at hand */
    /* [view] where all views stand at one distance, what was measured for it; else NULL. */
    mrw_extents *extents;
    bool measured; /* of this clip, and where each picture is framed by itself at this time */
    uint32_t measured_clip;
    double measured_time;
    float aspect;
    bool boxed; /* box is that of all that clip boxed_clip shows */
    uint32_t boxed_clip;
    mrw_shadow_bounds box;
    bool sequence;          /* see mrw_session_begin */
    mrwi_session_aim *aims; /* a view: one for all clips, one for no clip, one a clip */
    bool keeps_aims;        /* of clips, too: their textures were looked at from there */
} mrw_session_owned;

/* How many aims a view has. */
static inline size_t mrwi_session_aims_of_view(const mrw_scene *scene)
{
    return (size_t)scene->clips_count + 2;
}

/* Lets everything play a clip of the model. */
void mrwi_session_play_clip(mrw_session *session, uint32_t clip);

#endif
