/* sprites.c: sprite sheets: checks of their options, and the entries of their pictures. */
#include "plan/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "marrow/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks ---------------------------------------------------------------------------------- */

bool mrw_plan_wants_sprites(const mrw_settings *settings)
{
    const mrw_output_settings *o = &settings->output;
    return o->atlas || o->extrude > 0 || o->bleed || o->trim > 0 || o->power_of_two ||
           mrw_settings_given(settings, "page-size");
}

/* Checks that {page} is in the names of all files, or of none. */
static mrw_status check_fields(const mrw_settings *settings, uint32_t fields, uint32_t in_atlas,
                               mrw_error *error)
{
    char line[MRW_OUTPUT_PATH_SIZE], safe[512];
    const bool sheet = (fields & MRW_FIELD_PAGE) != 0, atlas = (in_atlas & MRW_FIELD_PAGE) != 0;
    if (sheet && !mrw_plan_wants_sprites(settings)) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "{page} in -o stands for the page number of a sprite sheet; add --atlas "
            "FILE.json to make one");
    }
    if (!settings->output.atlas || sheet == atlas || !settings->output.path) {
        return MRW_OK;
    }
    mrw_template_add(sheet ? settings->output.atlas : settings->output.path, MRW_FIELD_PAGE, line,
                     sizeof line);
    return mrwi_base_fail(error, MRW_ERROR_USAGE,
                          "{page} is needed in both -o and --atlas; use %s '%s'",
                          sheet ? "--atlas" : "-o", mrw_escape_text(line, safe, sizeof safe));
}

static mrw_status check_atlas(const mrw_settings *settings, uint32_t *fields, mrw_error *error)
{
    const char *path = settings->output.atlas;
    char safe[512];
    *fields = 0;
    if (!path) {
        return MRW_OK;
    }
    if (mrw_output_is_folder(path) || !mrw_output_ends_with(path, ".json") ||
        strlen(path) == strlen(".json")) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE, "--atlas '%s': the name must end in .json",
                              mrw_escape_text(path, safe, sizeof safe));
    }
    if (mrw_output_is_stdout(settings->output.path)) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "--atlas refers to the sheet by its file name; give -o a name, not -");
    }
    return mrw_template_check(path, fields, error);
}

mrw_status mrwi_plan_sprites_check(const mrw_settings *settings, uint32_t fields, mrw_error *error)
{
    const mrw_output_settings *o = &settings->output;
    uint32_t in_atlas;
    mrw_status status = check_atlas(settings, &in_atlas, error);
    if (status) {
        return status;
    }
    status = check_fields(settings, fields, in_atlas, error);
    if (status) {
        return status;
    }
    if (2 * o->extrude > o->gap) {
        return mrwi_base_fail(error, MRW_ERROR_USAGE,
                              "--extrude %u: two neighbouring pictures share the gap of %u pixels "
                              "between them, half each; use --gap %u",
                              o->extrude, o->gap, 2 * o->extrude);
    }
    if ((o->trim > 0 || o->bleed) && !settings->picture.transparent) {
        return mrwi_base_fail(
            error, MRW_ERROR_USAGE,
            "--%s: only pictures without a background have transparent pixels; add "
            "--background none",
            o->trim > 0 ? "trim" : "bleed");
    }
    return MRW_OK;
}

/* ---- entries --------------------------------------------------------------------------------- */

/* Returns a copy of a text, which the sprites own, or NULL if memory runs out. */
static const char *keep(mrw_plan_sprites *sprites, const char *text)
{
    const size_t count = sprites->text_count;
    if ((count & (count - 1)) == 0) { /* grows at powers of two */
        char **grown = mrwi_base_realloc(sprites->texts, count * sizeof *grown,
                                         count == 0 ? 1 : 2 * count, sizeof *grown);
        if (!grown) {
            return NULL;
        }
        sprites->texts = grown;
    }
    char *copy = mrwi_plan_copy(text);
    if (copy) {
        sprites->texts[sprites->text_count++] = copy;
    }
    return copy;
}

/* Sets how long each picture is shown: until the next of --times; the last as long as the one
 * before it. If times do not increase, or without --times, all are shown equally long. */
static void time_pictures(const mrw_session_model *model, const mrw_picture *pictures,
                          mrw_output_sprite *const *items, uint32_t count)
{
    const mrw_rate rate = mrw_plan_rate(model, pictures, count);
    const mrw_rate speed = model->settings->animation.speed;
    bool uneven = mrw_settings_given(model->settings, "times") && count > 1;
    for (uint32_t i = 0; i + 1 < count; i++) {
        uneven = uneven && pictures[i + 1].play_time > pictures[i].play_time;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = i + 1 < count ? i : i - 1;
        items[i]->seconds = (double)rate.den / (double)rate.num;
        if (uneven) {
            items[i]->seconds = (pictures[at + 1].play_time - pictures[at].play_time) *
                                (double)speed.den / (double)speed.num;
        }
    }
}

/* Adds the pictures of a clip from one view, beginning with picture `first`. */
static mrw_status add_animation(mrw_plan_sprites *sprites, const mrw_session_model *model,
                                const mrw_plan *plan, uint32_t first, bool several,
                                mrw_error *error)
{
    const mrw_picture_list *list = &plan->pictures;
    const mrw_picture *start = &list->items[first];
    const mrw_session_view *view = &plan->views[start->view];
    const char *direction = view->direction ? view->direction : view->name;
    const char *clip = keep(sprites, mrw_session_clip_name(model, start->clip));
    const bool views = list->view_count > 1;
    mrw_picture *pictures = mrwi_base_alloc_zero(list->count, sizeof *pictures);
    mrw_output_sprite **items = mrwi_base_alloc_zero(list->count, sizeof(mrw_output_sprite *));
    mrw_text name = {0};
    uint32_t count = 0;
    mrw_text_add(&name, "%s%s", several ? model->name : "", several ? "/" : "");
    mrw_text_add(&name, "%s%s%s", clip ? clip : "", views ? "/" : "", views ? direction : "");
    const char *animation = name.failed ? NULL : keep(sprites, name.data);
    direction = views ? keep(sprites, direction) : NULL;
    mrw_text_free(&name);
    const bool good = pictures && items && clip && animation && (direction || !views);
    for (uint32_t i = first; good && i < list->count && list->items[i].clip == start->clip; i++) {
        if (!views || list->items[i].view == start->view) {
            items[count] = &sprites->items[sprites->count + i];
            *items[count] =
                (mrw_output_sprite){.animation = animation, .clip = clip, .direction = direction};
            sprites->numbers[sprites->count + i] = count;
            pictures[count++] = list->items[i];
        }
    }
    if (good) {
        time_pictures(model, pictures, items, count);
    }
    mrwi_base_free(pictures);
    mrwi_base_free(items);
    return good ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

mrw_status mrw_plan_sprites_add(mrw_plan_sprites *sprites, const mrw_session_model *model,
                                const mrw_plan *plan, bool several, mrw_error *error)
{
    const mrw_picture_list *list = &plan->pictures;
    const size_t count = (size_t)sprites->count + list->count;
    mrw_output_sprite *grown =
        mrwi_base_realloc(sprites->items, sprites->count * sizeof *grown, count, sizeof *grown);
    sprites->items = grown ? grown : sprites->items;
    uint32_t *numbers = mrwi_base_realloc(sprites->numbers, sprites->count * sizeof *numbers, count,
                                          sizeof *numbers);
    sprites->numbers = numbers ? numbers : sprites->numbers;
    if (!grown || !numbers) {
        return mrwi_base_fail_memory(error, 0);
    }
    memset(grown + sprites->count, 0, list->count * sizeof *grown);
    for (uint32_t i = 0; i < list->count; i++) {
        if (!grown[sprites->count + i].animation) {
            const mrw_status status = add_animation(sprites, model, plan, i, several, error);
            if (status) {
                return status;
            }
        }
    }
    sprites->count += list->count;
    return MRW_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct sort_entry {
    const char *name; /* name of an animation; animations of equal names have other pointers */
    uint32_t index;   /* index of the picture */
} sort_entry;

static int compare_names(const void *a, const void *b)
{
    const sort_entry *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static void rename_animation(mrw_plan_sprites *sprites, const char *from, const char *to)
{
    for (uint32_t i = 0; i < sprites->count; i++) {
        if (sprites->items[i].animation == from) {
            sprites->items[i].animation = to;
        }
    }
}

/* Renames animations with equal names, since clips and cameras may share one: "Walk", "Walk_2".
 * Returns false if memory runs out. *again is set if a new name may equal another. */
static bool tell_apart(mrw_plan_sprites *sprites, sort_entry *entries, bool *again)
{
    uint32_t count = 0, same = 1;
    const char *first = ""; /* the animation that keeps the current name */
    for (uint32_t i = 0; i < sprites->count; i++) {
        entries[count++] = (sort_entry){sprites->items[i].animation, i};
    }
    qsort(entries, count, sizeof *entries, compare_names);
    *again = false;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(entries[i].name, first) != 0) {
            first = entries[i].name;
            same = 1;
        }
        if (entries[i].name == first ||
            sprites->items[entries[i].index].animation != entries[i].name) {
            continue; /* another picture of the same animation, or renamed already */
        }
        mrw_text text = {0};
        mrw_text_add(&text, "%s_%u", entries[i].name, ++same);
        const char *name = text.failed ? NULL : keep(sprites, text.data);
        mrw_text_free(&text);
        if (!name) {
            return false;
        }
        rename_animation(sprites, entries[i].name, name);
        *again = true;
    }
    return true;
}

mrw_status mrw_plan_sprites_name(mrw_plan_sprites *sprites, mrw_error *error)
{
    sort_entry *entries = mrwi_base_alloc_zero((size_t)sprites->count + 1, sizeof *entries);
    bool good = entries, again = true;
    while (good && again) {
        good = tell_apart(sprites, entries, &again);
    }
    mrwi_base_free(entries);
    if (!good) {
        return mrwi_base_fail_memory(error, 0);
    }
    /* after the animation and the number in it: "Walk/s/003" */
    for (uint32_t i = 0; i < sprites->count; i++) {
        mrw_output_sprite *item = &sprites->items[i];
        mrw_text text = {0};
        mrw_text_add(&text, "%s/%03u", item->animation, sprites->numbers[i]);
        item->name = text.failed ? NULL : keep(sprites, text.data);
        mrw_text_free(&text);
        if (!item->name) {
            return mrwi_base_fail_memory(error, 0);
        }
    }
    return MRW_OK;
}

/* ---- pivots ---------------------------------------------------------------------------------- */

mrw_status mrw_plan_sprites_find_pivot(const mrw_session_model *model, uint32_t *node,
                                       mrw_error *error)
{
    const char *name = model->settings->output.pivot;
    *node = MRW_NONE;
    return name ? mrw_session_find_node(model, name, node, error) : MRW_OK;
}

mrw_status mrw_plan_sprites_put_pivot(mrw_output_sprite *items, uint32_t node,
                                      const mrw_sequence_frame *shown, mrw_error *error)
{
    mrw_output_sprite *own = &items[shown->index];
    const mrw_output_sprite *same = &items[shown->same_as];
    mrw_bake_joints_job job = mrw_bake_joints_job_default();
    mrw_bake_joint found;
    if (same != own) { /* this thread has drawn `same` just before */
        memcpy(own->pivot, same->pivot, sizeof own->pivot);
        own->has_pivot = true;
        return MRW_OK;
    }
    job.instances = shown->instances;
    job.instance_count = shown->instance_count;
    job.frame = shown->def;
    mrw_status status = mrw_pose_instances(shown->renderer, shown->instances, shown->instance_count,
                                           shown->def->isa, &job.posed, error);
    if (status) {
        return status;
    }
    status = mrw_bake_node_find(&job, node, &found, error);
    if (status) {
        return status;
    }
    if (!found.in_front) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT,
                              "--pivot: the node is behind the camera in frame %u; "
                              "choose another node",
                              shown->index);
    }
    own->pivot[0] = found.x / (double)shown->def->width;
    own->pivot[1] = found.y / (double)shown->def->height;
    own->has_pivot = true;
    return MRW_OK;
}

void mrw_plan_sprites_free(mrw_plan_sprites *sprites)
{
    for (size_t i = 0; i < sprites->text_count; i++) {
        mrwi_base_free(sprites->texts[i]);
    }
    mrwi_base_free(sprites->texts);
    mrwi_base_free(sprites->items);
    mrwi_base_free(sprites->numbers);
    *sprites = (mrw_plan_sprites){0};
}
