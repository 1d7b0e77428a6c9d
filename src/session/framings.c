/* framings.c: measures what a clip reaches once for all sessions that frame it the same way. */
#include "session/framings.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdatomic.h>
#include <string.h>

/* Entries of a model. A model in a server's cache may be framed in any number of ways. */
#define MOST 256

/* Everything that mrw_session_extents depends on in sessions that share a model. */
typedef struct framing_key {
    mrw_view_def view;
    float aspect;
    mrw_fit fit;
    mrw_instance instance; /* see framed_instance */
} framing_key;

typedef struct mrwi_session_framing {
    framing_key key;
    pthread_mutex_t lock; /* held while measuring: others wait for the result */
    bool done;
    mrw_extents extents;
    struct mrwi_session_framing *next;
} framing;

static bool same_floats(const float *a, const float *b, int count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_view(const mrw_view_def *a, const mrw_view_def *b)
{
    const float as[] = {a->azimuth_degrees, a->elevation_degrees, a->fov_degrees, a->margin,
                        a->near_plane,      a->far_plane,         a->height};
    const float bs[] = {b->azimuth_degrees, b->elevation_degrees, b->fov_degrees, b->margin,
                        b->near_plane,      b->far_plane,         b->height};
    return same_floats(as, bs, 7) && a->orthographic == b->orthographic &&
           a->has_eye == b->has_eye && a->has_target == b->has_target &&
           same_floats(a->eye, b->eye, 3) && same_floats(a->target, b->target, 3) &&
           same_floats(a->up, b->up, 3);
}

static bool same_instance(const mrw_instance *a, const mrw_instance *b)
{
    return a->model == b->model && a->pose == b->pose && a->clip == b->clip &&
           a->root_motion == b->root_motion && a->skinning == b->skinning &&
           same_floats(a->model_to_world.m, b->model_to_world.m, 16);
}

static bool same_key(const framing_key *a, const framing_key *b)
{
    return a->fit == b->fit && same_floats(&a->aspect, &b->aspect, 1) &&
           same_view(&a->view, &b->view) && same_instance(&a->instance, &b->instance);
}

void mrwi_session_framings_begin(mrwi_session_framings *framings)
{
    *framings = (mrwi_session_framings){.first = NULL};
    pthread_mutex_init(&framings->lock, NULL);
}

void mrwi_session_framings_free(mrwi_session_framings *framings)
{
    for (framing *at = framings->first, *next; at; at = next) {
        next = at->next;
        pthread_mutex_destroy(&at->lock);
        mrwi_base_free(at);
    }
    pthread_mutex_destroy(&framings->lock);
}

/* Finds the entry with this key, or adds it. Returns NULL if there are MOST already, and *full is
 * true, or when out of memory. */
static framing *find(mrwi_session_framings *framings, const framing_key *key, bool *full)
{
    pthread_mutex_lock(&framings->lock);
    framing *found = framings->first;
    while (found && !same_key(&found->key, key)) {
        found = found->next;
    }
    *full = !found && framings->count >= MOST;
    if (!found && !*full) {
        found = mrwi_base_alloc_zero(1, sizeof *found);
        if (found) {
            framings->count++;
            found->key = *key;
            pthread_mutex_init(&found->lock, NULL);
            found->next = framings->first;
            framings->first = found;
        }
    }
    pthread_mutex_unlock(&framings->lock);
    return found;
}

static _Atomic uint64_t measured;

uint64_t mrwi_session_framings_measured(void)
{
    return atomic_load(&measured);
}

/* Returns the instance without the fields that do not influence its extents. Clips are measured
 * from end to end, whatever the time, and without loops, so root motion that continues with loops
 * has not begun; MRW_FIT_ALL measures every clip, MRW_FIT_REST none. */
static mrw_instance framed_instance(const mrw_session *session)
{
    mrw_instance instance = session->instances[0];
    if (session->fit == MRW_FIT_REST && instance.pose == MRW_POSE_CLIP) {
        instance.pose = MRW_POSE_REST;
    }
    const bool plays = instance.pose == MRW_POSE_CLIP;
    if (!plays || session->fit == MRW_FIT_ALL) {
        instance.clip = MRW_NONE;
    }
    if (!plays || instance.root_motion == MRW_ROOT_MOTION_LOOP) {
        instance.root_motion = MRW_ROOT_MOTION_KEEP;
    }
    return instance;
}

/* Shares measurements among sessions with one instance, of the shared model, and a camera that
 * stands still. Holds the lock while measuring: if that fails, the next session that waits tries
 * again. */
mrw_status mrwi_session_framings_extents(mrwi_session_framings *framings, const mrw_view_def *view,
                                         mrw_session *session, mrw_extents *out, mrw_error *error)
{
    mrw_status status = MRW_OK;
    if (session->instance_count != 1 || session->instances[0].mix ||
        session->fit == MRW_FIT_FRAME || session->frame.follow.node != MRW_NONE) {
        return mrw_session_extents(session, out, error);
    }
    const framing_key key = {.view = *view,
                             .aspect = (float)session->frame.width / (float)session->frame.height,
                             .fit = session->fit,
                             .instance = framed_instance(session)};
    bool full;
    framing *found = find(framings, &key, &full);
    if (!found) {
        return full ? mrw_session_extents(session, out, error)
                    : mrwi_base_fail_memory(error, sizeof *found);
    }
    pthread_mutex_lock(&found->lock);
    if (!found->done) {
        status = mrw_session_extents(session, &found->extents, error);
        if (status) {
            goto out;
        }
        found->done = true;
        atomic_fetch_add(&measured, 1);
    }
    *out = found->extents;
out:
    pthread_mutex_unlock(&found->lock);
    return status;
}
