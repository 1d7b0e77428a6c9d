/* clips.c: finds clips of tested models that no case draws. */
#include "golden/clips.h"

#include "base/text.h"
#include "report/results.h"

#include <stdlib.h>
#include <string.h>

/* The clips of one scene: a model may be loaded with and without clips of other files. */
typedef struct mrwi_golden_clips_scene {
    const char *model;
    uint8_t hash[32];
    uint32_t count;
    const char **names;
    bool *drawn;
    struct mrwi_golden_clips_scene *next;
} clips_scene;

/* ---- noting ---------------------------------------------------------------------------------- */

static clips_scene *add_scene(mrwi_golden_clips *clips, const char *model, const mrw_scene *scene,
                              mrw_results *memory)
{
    clips_scene *added = mrwi_report_alloc(memory, 1, sizeof *added);
    if (!added) {
        return NULL;
    }
    *added =
        (clips_scene){.model = mrwi_report_text(memory, model),
                      .count = scene->clips_count,
                      .names = mrwi_report_alloc(memory, scene->clips_count, sizeof *added->names),
                      .drawn = mrwi_report_alloc(memory, scene->clips_count, sizeof *added->drawn)};
    if (!added->model || !added->names || !added->drawn) {
        return NULL;
    }
    for (uint32_t i = 0; i < added->count; i++) {
        added->names[i] = mrwi_report_text(memory, mrw_scene_string(scene, scene->clips[i].name));
        added->drawn[i] = false;
        if (!added->names[i]) {
            return NULL;
        }
    }
    memcpy(added->hash, mrw_scene_hash(scene), sizeof added->hash);
    added->next = clips->first;
    clips->first = added;
    return added;
}

static clips_scene *find_scene(mrwi_golden_clips *clips, const char *model, const mrw_scene *scene,
                               mrw_results *memory)
{
    for (clips_scene *at = clips->first; at; at = at->next) {
        if (strcmp(at->model, model) == 0 &&
            memcmp(at->hash, mrw_scene_hash(scene), sizeof at->hash) == 0) {
            return at;
        }
    }
    return add_scene(clips, model, scene, memory);
}

mrw_status mrwi_golden_clips_note(mrwi_golden_clips *clips, const mrw_case *c,
                                  const mrwi_golden_prepared *prepared, mrw_results *memory,
                                  mrw_error *error)
{
    const mrw_scene *scene = prepared->model.scene;
    const mrw_session_mix *mix = &prepared->model.mix;
    const mrw_picture_list *pictures = &prepared->pictures;
    pthread_mutex_lock(&clips->lock);
    clips_scene *own = find_scene(clips, c->model, scene, memory);
    for (uint32_t i = 0; own && i < pictures->count; i++) {
        const uint32_t clip = pictures->items[i].clip;
        if (clip < own->count) {
            own->drawn[clip] = true;
        }
    }
    for (uint32_t i = 0; own && i < mix->track_count; i++) {
        if (mix->tracks[i].clip < own->count) {
            own->drawn[mix->tracks[i].clip] = true;
        }
    }
    pthread_mutex_unlock(&clips->lock);
    return own ? MRW_OK : mrwi_base_fail_memory(error, sizeof *own);
}

/* ---- reporting ------------------------------------------------------------------------------- */

/* Returns true if a scene of this model draws a clip of this name. */
static bool is_drawn(const mrwi_golden_clips *clips, const char *model, const char *name)
{
    for (const clips_scene *at = clips->first; at; at = at->next) {
        for (uint32_t i = 0; strcmp(at->model, model) == 0 && i < at->count; i++) {
            if (at->drawn[i] && strcmp(at->names[i], name) == 0) {
                return true;
            }
        }
    }
    return false;
}

#define MOST_NAMES 12

/* Adds "hero.glb: no case draws Idle, Run"; returns false if all clips of the scene are drawn. */
static bool add_line(const mrwi_golden_clips *clips, const clips_scene *scene, mrw_text *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->count; i++) {
        if (is_drawn(clips, scene->model, scene->names[i])) {
            continue;
        }
        if (count == 0) {
            mrw_text_escaped(out, scene->model);
            mrw_text_puts(out, ": no case draws ");
        }
        if (count < MOST_NAMES) {
            mrw_text_puts(out, count > 0 ? ", " : "");
            mrw_text_escaped(out, scene->names[i]);
        }
        count++;
    }
    if (count > MOST_NAMES) {
        mrw_text_add(out, " and %u more", count - MOST_NAMES);
    }
    return count > 0;
}

/* Returns true for the scene of a model with the most clips; for the one with the smallest hash
 * among equals. */
static bool stands_for_model(const mrwi_golden_clips *clips, const clips_scene *scene)
{
    for (const clips_scene *at = clips->first; at; at = at->next) {
        const bool less = memcmp(at->hash, scene->hash, sizeof at->hash) < 0;
        if (at != scene && strcmp(at->model, scene->model) == 0 &&
            (at->count > scene->count || (at->count == scene->count && less))) {
            return false;
        }
    }
    return true;
}

/* Returns true if all cases of a model were drawn. Others might show any of its clips. */
static bool is_known(const mrw_results *results, const char *model)
{
    for (size_t i = 0; i < results->case_count; i++) {
        const mrw_case_result *one = &results->cases[i];
        if (strcmp(one->model, model) == 0 && one->frame_count == 0) {
            return false;
        }
    }
    return true;
}

mrw_status mrwi_golden_clips_finish(const mrwi_golden_clips *clips, mrw_results *results,
                                    mrw_error *error)
{
    size_t count = 0;
    for (const clips_scene *at = clips->first; at; at = at->next) {
        count++;
    }
    const char **lines = mrwi_report_alloc(results, count, sizeof *lines);
    if (!lines) {
        return mrwi_base_fail_memory(error, count * sizeof *lines);
    }
    count = 0;
    for (const clips_scene *at = clips->first; at; at = at->next) {
        mrw_text text = {0};
        const bool any = is_known(results, at->model) && stands_for_model(clips, at) &&
                         add_line(clips, at, &text);
        const char *copy = any && !text.failed ? mrwi_report_text(results, text.data) : NULL;
        mrw_text_free(&text);
        if (any && !copy) {
            return mrwi_base_fail_memory(error, 0);
        }
        if (any) {
            lines[count++] = copy;
        }
    }
    qsort(lines, count, sizeof *lines, mrwi_base_compare_texts);
    results->undrawn = lines;
    results->undrawn_count = count;
    return MRW_OK;
}
