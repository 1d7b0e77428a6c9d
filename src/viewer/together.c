/* together.c: clips that move different nodes, such as a door and a fan. One clip leaves the nodes
 * of the others still, and --together plays all. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes that stand still ------------------------------------------------------------------ */

static bool varies(const mrw_scene *scene, const mrw_channel *channel)
{
    const size_t width =
        channel->width * (channel->interpolation == MRW_INTERPOLATION_CUBICSPLINE ? 3u : 1u);
    const float *first = scene->key_values + channel->first_value;
    bool same = true;
    for (uint32_t k = 1; k < channel->key_count; k++) {
        same = same && memcmp(first, first + k * width, width * sizeof *first) == 0;
    }
    return !same;
}

/* Marks the nodes that a clip moves with `bit`. Returns true if none of them was marked `other`. */
static bool mark(const mrw_scene *scene, uint32_t clip, uint8_t other, uint8_t bit, uint8_t *nodes)
{
    const mrw_clip *c = &scene->clips[clip];
    bool apart = true;
    for (uint32_t i = 0; i < c->channel_count; i++) {
        const mrw_channel *channel = &scene->channels[c->first_channel + i];
        if (varies(scene, channel)) {
            apart = apart && !(nodes[channel->node] & other);
            nodes[channel->node] |= bit;
        }
    }
    return apart;
}

/* Counts the nodes of clips that share no moving node with `clip`. */
static uint32_t count_still(const mrw_scene *scene, uint32_t clip, uint8_t *nodes)
{
    enum { THIS = 1, TRIED = 2, STILL = 4 };
    uint32_t count = 0;
    mark(scene, clip, 0, THIS, nodes);
    for (uint32_t c = 0; c < scene->clips_count; c++) {
        if (c != clip && mark(scene, c, THIS, TRIED, nodes)) {
            mark(scene, c, 0, STILL, nodes);
        }
    }
    for (uint32_t n = 0; n < scene->nodes_count; n++) {
        count += nodes[n] & STILL ? 1 : 0;
    }
    return count;
}

uint32_t viewer_together_still(const viewer *v)
{
    uint8_t *nodes = NULL;
    if (v->state.play.clip != MRW_NONE && !v->loaded.model.mix.fixed &&
        v->loaded.scene->clips_count > 1) {
        nodes = calloc(v->loaded.scene->nodes_count + 1u, 1);
    }
    const uint32_t count = nodes ? count_still(v->loaded.scene, v->state.play.clip, nodes) : 0;
    free(nodes);
    return count;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Makes the command line as it was given, with other clips; lights that keys changed stay. */
static mrw_status make_base(const viewer *v, bool together, viewer_base **out, mrw_error *error)
{
    static const char *const gone[] = {"clip", "times", "frames", "together"};
    static const char *const light[] = {"light", "file-lights", "env", "env-intensity"};
    const viewer_base *base = v->loaded.base;
    viewer_arguments given = {0};
    viewer_words words = {0};
    char clip[256];
    *out = NULL;
    mrw_status status = viewer_arguments_read(&given, (int)base->words.count,
                                              (const char *const *)base->words.items, error);
    if (status) {
        goto out;
    }
    viewer_words_add(&words, base->settings.command == MRW_COMMAND_RENDER ? "render" : "view");
    for (size_t i = 0; i < given.model_count; i++) {
        viewer_words_add(&words, given.models[i]);
    }
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        viewer_arguments_remove(&given, gone[i]);
    }
    for (size_t i = 0; i < given.count; i++) {
        viewer_words_option(&words, given.options[i].name, given.options[i].value);
    }
    viewer_line_clip(v, v->state.play.together_from, clip, sizeof clip);
    viewer_words_option(&words, "clip", together ? "all" : clip);
    if (together) {
        viewer_words_option(&words, "together", NULL);
    }
    status = words.failed
                 ? viewer_fail_memory(error)
                 : viewer_base_read((int)words.count, (const char *const *)words.items, out, error);
    for (size_t i = 0; !status && i < sizeof light / sizeof *light; i++) {
        status = viewer_arguments_follow(&(*out)->arguments, &base->arguments, light[i], error);
    }
out:
    viewer_arguments_free(&given);
    viewer_words_free(&words);
    return status;
}

mrw_status viewer_together_switch(viewer *v, int value, mrw_error *error)
{
    const bool on = v->loaded.base->settings.animation.together;
    viewer_base *base = NULL;
    (void)value;
    if (v->state.play.clip == MRW_NONE || v->loaded.scene->clips_count < 2) {
        viewer_tell(v, false, "there are no clips to play together");
        return MRW_OK;
    }
    v->state.play.together_from = on ? v->state.play.together_from : v->state.play.clip;
    if (v->state.play.together_from >= v->loaded.scene->clips_count) {
        v->state.play.together_from = 0;
    }
    mrw_status status = make_base(v, !on, &base, error);
    if (status) {
        goto out;
    }
    status = viewer_load(v, v->state.path, true, base, error); /* the cache has the file */
    if (status) {
        goto out;
    }
    base = NULL; /* owned by the load */
    viewer_tell(v, false, on ? "one clip" : "all clips together");
out:
    viewer_base_free(base);
    return status;
}
