/* sprites.c: sprite sheets: what can't be, and what is said of their pictures. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what can't be --------------------------------------------------------------------------- */

bool cli_wants_sprites(const mrw_settings *settings)
{
    const mrw_output_settings *o = &settings->output;
    return o->atlas || o->extrude > 0 || o->bleed || o->trim > 0 || o->power_of_two ||
           mrw_settings_given(settings, "page-size");
}

/* Pages are told apart in the names of all files, or of none. */
static mrw_status check_fields(const mrw_settings *settings, uint32_t fields, uint32_t in_atlas,
                               mrw_error *error)
{
    char line[MRW_OUTPUT_PATH_SIZE], safe[512];
    const bool sheet = (fields & MRW_FIELD_PAGE) != 0, atlas = (in_atlas & MRW_FIELD_PAGE) != 0;
    if (sheet && !cli_wants_sprites(settings)) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "{page} in -o stands for the page number of a sprite sheet; add --atlas "
                        "FILE.json to make one");
    }
    if (!settings->output.atlas || sheet == atlas || !settings->output.path) {
        return MRW_OK;
    }
    mrw_template_add(sheet ? settings->output.atlas : settings->output.path, MRW_FIELD_PAGE, line,
                     sizeof line);
    return mrw_fail(error, MRW_ERROR_USAGE, "{page} is needed in both -o and --atlas; use %s '%s'",
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
        return mrw_fail(error, MRW_ERROR_USAGE, "--atlas '%s': the name must end in .json",
                        mrw_escape_text(path, safe, sizeof safe));
    }
    if (mrw_output_is_stdout(settings->output.path)) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--atlas refers to the sheet by its file name; give -o a name, not -");
    }
    return mrw_template_check(path, fields, error);
}

mrw_status cli_sprites_check(const mrw_settings *settings, uint32_t fields, mrw_error *error)
{
    const mrw_output_settings *o = &settings->output;
    uint32_t in_atlas;
    mrw_status status = check_atlas(settings, &in_atlas, error);
    if (status == MRW_OK) {
        status = check_fields(settings, fields, in_atlas, error);
    }
    if (status == MRW_OK && 2 * o->extrude > o->gap) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--extrude %u: two neighbouring pictures share the gap of %u pixels "
                        "between them, half each; use --gap %u",
                        o->extrude, o->gap, 2 * o->extrude);
    }
    if (status == MRW_OK && (o->trim > 0 || o->bleed) && !settings->picture.transparent) {
        return mrw_fail(error, MRW_ERROR_USAGE,
                        "--%s: only pictures without a background have transparent pixels; add "
                        "--background none",
                        o->trim > 0 ? "trim" : "bleed");
    }
    return status;
}

/* ---- what is said of pictures ---------------------------------------------------------------- */

/* Keeps a copy of a text, or NULL. */
static const char *keep(cli_sprite_list *sprites, const char *text)
{
    const size_t count = sprites->text_count;
    if ((count & (count - 1)) == 0) { /* it grows at powers of two */
        char **grown = realloc(sprites->texts, (count == 0 ? 1 : 2 * count) * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        sprites->texts = grown;
    }
    char *copy = strdup(text);
    if (copy) {
        sprites->texts[sprites->text_count++] = copy;
    }
    return copy;
}

/* Seconds from each picture to the next, as --times has them; the last one is shown as long as the
 * one before it. Where they do not go forward, and without --times, all are shown equally long. */
static void time_pictures(const mrw_session_model *model, const mrw_picture *pictures,
                          mrw_output_sprite *const *items, uint32_t count)
{
    const mrw_rate rate = cli_animation_rate(model, pictures, count);
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

/* Those of a clip that are seen from one view, from picture `first` on. */
static mrw_status add_animation(cli_sprite_list *sprites, const mrw_session_model *model,
                                const cli_plan *plan, uint32_t first, bool several,
                                mrw_error *error)
{
    const mrw_picture_list *list = &plan->pictures;
    const mrw_picture *start = &list->items[first];
    const mrw_session_view *view = &plan->views[start->view];
    const char *direction = view->direction ? view->direction : view->name;
    const char *clip = keep(sprites, mrw_session_clip_name(model, start->clip));
    const bool views = list->view_count > 1;
    mrw_picture *pictures = calloc(list->count, sizeof *pictures);
    mrw_output_sprite **items = calloc(list->count, sizeof(mrw_output_sprite *));
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
    free(pictures);
    free(items);
    return good ? MRW_OK : cli_fail_memory(error);
}

mrw_status cli_sprites_add(cli_sprite_list *sprites, const mrw_session_model *model,
                           const cli_plan *plan, bool several, mrw_error *error)
{
    const mrw_picture_list *list = &plan->pictures;
    const size_t count = (size_t)sprites->count + list->count;
    mrw_output_sprite *grown = realloc(sprites->items, (count + 1) * sizeof *grown);
    uint32_t *numbers = realloc(sprites->numbers, (count + 1) * sizeof *numbers);
    mrw_status status = grown && numbers ? MRW_OK : cli_fail_memory(error);
    sprites->numbers = numbers ? numbers : sprites->numbers;
    if (grown) {
        sprites->items = grown;
        memset(grown + sprites->count, 0, list->count * sizeof *grown);
    }
    for (uint32_t i = 0; i < list->count && status == MRW_OK; i++) {
        if (!grown[sprites->count + i].animation) {
            status = add_animation(sprites, model, plan, i, several, error);
        }
    }
    sprites->count += status == MRW_OK ? list->count : 0;
    return status;
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct sort_entry {
    const char *name; /* an animation's; others of the same text are other pointers */
    uint32_t index;   /* the first picture of it */
} sort_entry;

static int compare_names(const void *a, const void *b)
{
    const sort_entry *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static void rename_animation(cli_sprite_list *sprites, const char *from, const char *to)
{
    for (uint32_t i = 0; i < sprites->count; i++) {
        if (sprites->items[i].animation == from) {
            sprites->items[i].animation = to;
        }
    }
}

/* Clips, and cameras, may have the same names: "Walk", "Walk_2". False when memory ran out; *again
 * where what was renamed may have met another. */
static bool tell_apart(cli_sprite_list *sprites, sort_entry *entries, bool *again)
{
    uint32_t count = 0, same = 1;
    const char *first = ""; /* of those with the same text the one that keeps it */
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
            continue; /* more of the same one, or it is renamed */
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

/* "Walk/s/003": the animation and the picture's number in it. */
static bool number(cli_sprite_list *sprites)
{
    bool good = true;
    for (uint32_t i = 0; i < sprites->count && good; i++) {
        mrw_text text = {0};
        mrw_text_add(&text, "%s/%03u", sprites->items[i].animation, sprites->numbers[i]);
        sprites->items[i].name = text.failed ? NULL : keep(sprites, text.data);
        good = sprites->items[i].name;
        mrw_text_free(&text);
    }
    return good;
}

mrw_status cli_sprites_name(cli_sprite_list *sprites, mrw_error *error)
{
    sort_entry *entries = calloc((size_t)sprites->count + 1, sizeof *entries);
    bool good = entries, again = true;
    while (good && again) {
        good = tell_apart(sprites, entries, &again);
    }
    good = good && number(sprites);
    free(entries);
    return good ? MRW_OK : cli_fail_memory(error);
}

/* ---- pivots ---------------------------------------------------------------------------------- */

mrw_status cli_sprites_find_pivot(const mrw_session_model *model, uint32_t *node, mrw_error *error)
{
    const char *name = model->settings->output.pivot;
    *node = MRW_NONE;
    return name ? mrw_session_find_node(model, name, node, error) : MRW_OK;
}

static mrw_status find_node(const mrw_sequence_frame *shown, uint32_t node, mrw_bake_joint *out,
                            mrw_error *error)
{
    mrw_bake_joints_job job = mrw_bake_joints_job_default();
    job.instances = shown->instances;
    job.instance_count = shown->instance_count;
    job.frame = shown->def;
    mrw_status status = mrw_pose_instances(shown->renderer, shown->instances, shown->instance_count,
                                           shown->def->isa, &job.posed, error);
    if (status == MRW_OK) {
        status = mrw_bake_node_find(&job, node, out, error);
    }
    return status == MRW_OK && !out->in_front
               ? mrw_fail(error, MRW_ERROR_INPUT,
                          "--pivot: the node is behind the camera in frame %u; choose another node",
                          shown->index)
               : status;
}

mrw_status cli_sprites_put_pivot(mrw_output_sprite *items, uint32_t node,
                                 const mrw_sequence_frame *shown, mrw_error *error)
{
    mrw_output_sprite *own = &items[shown->index];
    const mrw_output_sprite *same = &items[shown->same_as];
    mrw_bake_joint found = {0};
    mrw_status status = MRW_OK;
    if (same != own) { /* which this thread has drawn just before */
        memcpy(own->pivot, same->pivot, sizeof own->pivot);
    } else {
        status = find_node(shown, node, &found, error);
        own->pivot[0] = found.x / (double)shown->def->width;
        own->pivot[1] = found.y / (double)shown->def->height;
    }
    own->has_pivot = status == MRW_OK;
    return status;
}

void cli_sprites_free(cli_sprite_list *sprites)
{
    for (size_t i = 0; i < sprites->text_count; i++) {
        free(sprites->texts[i]);
    }
    free(sprites->texts);
    free(sprites->items);
    free(sprites->numbers);
    *sprites = (cli_sprite_list){0};
}
