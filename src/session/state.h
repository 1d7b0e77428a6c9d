/* state.h: private state of a session: its models, the clips they play, and its cameras. */
#ifndef MRWI_SESSION_STATE_H
#define MRWI_SESSION_STATE_H

#include "session/cache.h"

/* A camera that was placed for a view, and what was found with it. */
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
    mrw_session_cache *cache; /* The session's cache, or own_cache. */
    mrw_session_cache *own_cache;
    mrwi_session_loaded *loaded; /* The model if the cache has it; else NULL. */
    const mrw_model *prepared;
    mrw_model *own_prepared;                 /* Owns the prepared model if the cache does not. */
    struct mrwi_session_added *added_models; /* The models of --add; see session.c. */
    uint32_t added_count;
    mrw_light_def *lights; /* The lights of --light, used by the frame. */
    mrw_image backplate;   /* The picture of --background, used by the frame. */
    uint32_t *ids;         /* The numbers of --id, used by the frame. */
    mrw_track *tracks;     /* The model's tracks; the first follows the current clip. */
    mrw_mix mix;
    mrw_session_view *views;
    uint32_t view_count;
    uint32_t at; /* The current view. */
    /* Extents of each view if all cameras are at one distance; else NULL. */
    mrw_extents *extents;
    bool measured; /* The views' distance was measured for measured_clip; also for measured_time, if
                    * each picture is framed by itself. */
    uint32_t measured_clip;
    double measured_time;
    float aspect;
    bool boxed; /* `box` holds everything that boxed_clip shows. */
    uint32_t boxed_clip;
    mrw_shadow_bounds box;
    bool sequence;          /* The argument of mrw_session_begin. */
    mrwi_session_aim *aims; /* Cameras of each view: one for all clips, one for no clip, one per
                             * clip. */
    bool keeps_aims;        /* Keep the cameras of clips as well, because levels of textures were
                             * found for them. */
} mrw_session_owned;

/* Returns the number of kept cameras per view. */
static inline size_t mrwi_session_aims_of_view(const mrw_scene *scene)
{
    return (size_t)scene->clips_count + 2;
}

/* Makes the model and the added models play a clip of the model. */
void mrwi_session_play_clip(mrw_session *session, uint32_t clip);

#endif
