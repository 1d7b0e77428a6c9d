/* labels.c: what sheets say of their pictures: of groups which model and clip they show, of each
 * from where it is seen and at what time. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Whether pictures of a clip differ in time. */
static bool times_differ(const cli_plan *plan)
{
    for (uint32_t i = 1; i < plan->pictures.count; i++) {
        const mrw_picture *a = &plan->pictures.items[i - 1], *b = &plan->pictures.items[i];
        if (a->clip == b->clip && a->time != b->time) {
            return true;
        }
    }
    return false;
}

/* What was written, for free(); NULL: out of memory. */
static char *take(mrw_text *text)
{
    char *out = text->failed ? NULL : strdup(text->data ? text->data : "");
    mrw_text_free(text);
    return out;
}

/* "Walk"; "figure: Walk" where several models are in a sheet; "figure" where there is no clip. */
static char *heading_of(const mrw_session_model *model, uint32_t clip, bool named)
{
    mrw_text text = {0};
    if (named || clip == MRW_NONE) {
        mrw_text_add(&text, "%s", model->name);
    }
    if (clip != MRW_NONE) {
        mrw_text_add(&text, "%s%s", named ? ": " : "", mrw_session_clip_name(model, clip));
    }
    return take(&text);
}

/* "0.25 s", "front", "front 0.25 s"; of passes "depth 0.25 s". */
static char *caption_of(const cli_plan *plan, uint32_t entry, bool timed)
{
    const uint32_t each = cli_passes_files(&plan->passes);
    const mrw_picture *picture = &plan->pictures.items[entry / each];
    mrw_text text = {0};
    char time[32];
    if (plan->passes.each) {
        mrw_text_add(&text, "%s", plan->passes.items[entry % each].name);
    }
    if (plan->view_count > 1) {
        mrw_text_add(&text, "%s%s", text.size > 0 ? " " : "", plan->views[picture->view].name);
    }
    if (timed) {
        mrw_format_fixed(picture->time, 2, time);
        mrw_text_add(&text, "%s%s s", text.size > 0 ? " " : "", time);
    }
    return take(&text);
}

mrw_status cli_labels_add(cli_labels *labels, const mrw_session_model *model, const cli_plan *plan,
                          bool named, mrw_error *error)
{
    const uint32_t each = cli_passes_files(&plan->passes), more = plan->pictures.count * each;
    const bool differ = times_differ(plan);
    mrw_output_label *items =
        realloc(labels->items, ((size_t)labels->count + more + 1) * sizeof *items);
    uint32_t first = labels->count;
    if (!items) {
        return cli_fail_memory(error);
    }
    labels->items = items;
    for (uint32_t i = 0; i < more; i++) {
        const mrw_picture *picture = &plan->pictures.items[i / each];
        mrw_output_label *label = &items[labels->count];
        *label = (mrw_output_label){.group = first};
        if (i > 0 && plan->pictures.items[(i - 1) / each].clip == picture->clip) {
            label->group = label[-1].group;
            label->heading = label[-1].heading;
        } else {
            label->group = first = labels->count;
            label->heading = heading_of(model, picture->clip, named);
        }
        const bool timed = differ || (picture->clip != MRW_NONE && plan->view_count == 1);
        const bool captioned = timed || plan->view_count > 1 || plan->passes.each;
        label->caption = captioned ? caption_of(plan, i, timed) : NULL;
        labels->count++;
        if (!label->heading || (captioned && !label->caption)) {
            return cli_fail_memory(error);
        }
    }
    return MRW_OK;
}

mrw_status cli_labels_add_note(cli_labels *labels, const char *path, const char *note,
                               mrw_error *error)
{
    mrw_output_label *items = realloc(labels->items, (labels->count + 1) * sizeof *items);
    const char *slash = strrchr(path, '/');
    if (!items) {
        return cli_fail_memory(error);
    }
    labels->items = items;
    items[labels->count] = (mrw_output_label){
        .group = labels->count, .heading = strdup(slash ? slash + 1 : path), .note = strdup(note)};
    labels->count++;
    return items[labels->count - 1].heading && items[labels->count - 1].note
               ? MRW_OK
               : cli_fail_memory(error);
}

/* The first label of a group owns the heading of all. */
void cli_labels_keep_notes(cli_labels *labels)
{
    for (uint32_t i = 0; i < labels->count; i++) {
        mrw_output_label *label = &labels->items[i];
        if (label->group == i) {
            free((char *)label->heading);
        }
        free((char *)label->caption);
        label->heading = label->caption = NULL;
    }
}

void cli_labels_free(cli_labels *labels)
{
    cli_labels_keep_notes(labels);
    for (uint32_t i = 0; i < labels->count; i++) {
        free((char *)labels->items[i].note);
    }
    free(labels->items);
    *labels = (cli_labels){0};
}
