/* cameras.c: cameras of cases: what a clip reaches is measured once for all cases that frame it
 * the same way. */
#include "golden/cameras.h"

#include "base/memory.h"
#include "base/text.h"
#include "session/internal.h"

#include <stdatomic.h>
#include <string.h>

/* All that mrw_session_extents depends on, of cases that share a scene. */
typedef struct framing_key {
    mrw_view_def view;
    float aspect;
    mrw_fit fit;
    mrw_instance instance; /* see what_is_framed */
} framing_key;

typedef struct mrwi_golden_framing {
    framing_key key;
    pthread_mutex_t lock; /* held while measuring: others wait for the result */
    bool done;
    mrw_extents extents;
    mrwi_golden_framing *next;
} mrwi_golden_framing;

static bool same_floats(const float *a, const float *b, int count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_view(const mrw_view_def *a, const mrw_view_def *b)
{
    const float as[] = {a->azimuth_degrees, a->elevation_degrees, a->fov_degrees,
                        a->margin,          a->near_plane,        a->far_plane};
    const float bs[] = {b->azimuth_degrees, b->elevation_degrees, b->fov_degrees,
                        b->margin,          b->near_plane,        b->far_plane};
    return same_floats(as, bs, 6) && a->orthographic == b->orthographic &&
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

void mrwi_golden_framings_free(mrwi_golden_framing *framings)
{
    while (framings) {
        mrwi_golden_framing *next = framings->next;
        pthread_mutex_destroy(&framings->lock);
        mrwi_base_free(framings);
        framings = next;
    }
}

/* The one with this key, new or not; NULL when out of memory. */
static mrwi_golden_framing *find(mrwi_golden_framing **list, pthread_mutex_t *lock,
                                 const framing_key *key)
{
    pthread_mutex_lock(lock);
    mrwi_golden_framing *found = *list;
    while (found && !same_key(&found->key, key)) {
        found = found->next;
    }
    if (!found) {
        found = mrwi_base_alloc_zero(1, sizeof *found);
        if (found) {
            found->key = *key;
            pthread_mutex_init(&found->lock, NULL);
            found->next = *list;
            *list = found;
        }
    }
    pthread_mutex_unlock(lock);
    return found;
}

static _Atomic uint64_t measured;

uint64_t mrwi_golden_framings_measured(void)
{
    return atomic_load(&measured);
}

static mrw_status measure(mrw_session *session, mrwi_golden_framing *framing, mrw_error *error)
{
    mrw_status status = MRW_OK;
    pthread_mutex_lock(&framing->lock);
    if (!framing->done) {
        status = mrw_session_extents(session, &framing->extents, error);
        framing->done = status == MRW_OK;
        atomic_fetch_add(&measured, 1);
    }
    pthread_mutex_unlock(&framing->lock);
    return status;
}

/* The instance without what its extents do not depend on. Clips are measured from end to end,
 * whatever the time, and without loops, so that root motion which walks on with them has not begun;
 * ALL takes each clip in turn, REST none. */
static mrw_instance what_is_framed(const mrw_session *session)
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

mrw_status mrwi_golden_framings_aim(mrwi_golden_framing **list, pthread_mutex_t *lock,
                                    mrw_session *session, mrw_error *error)
{
    const mrw_settings *settings = session->model->settings;
    /* One instance of the shared model and a camera that stands still. */
    if (session->instance_count != 1 || session->instances[0].mix ||
        session->fit == MRW_FIT_FRAME || session->frame.scene_camera != MRW_NONE ||
        session->frame.follow.node != MRW_NONE) {
        return mrw_session_aim(session, error);
    }
    const framing_key key = {.view = mrwi_session_view(settings),
                             .aspect = (float)settings->width / (float)settings->height,
                             .fit = session->fit,
                             .instance = what_is_framed(session)};
    mrwi_golden_framing *framing = find(list, lock, &key);
    if (!framing) {
        return mrwi_base_fail_memory(error, sizeof *framing);
    }
    mrw_status status = measure(session, framing, error);
    return status == MRW_OK ? mrw_session_aim_at(session, &framing->extents, error) : status;
}
