/* labels.c: labels of sheets: a heading per clip with the model and the clip, a caption per picture
 * with its pass, view and time. */
#include "plan/internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

/* Returns true if pictures of a clip differ in time. */
static bool times_differ(const mrw_plan *plan)
{
    for (uint32_t i = 1; i < plan->pictures.count; i++) {
        const mrw_picture *a = &plan->pictures.items[i - 1], *b = &plan->pictures.items[i];
        if (a->clip == b->clip && a->time != b->time) {
            return true;
        }
    }
    return false;
}

/* Returns a heading: "Walk", or "figure: Walk" if several models share the sheet, or "figure" for a
 * pose. NULL if memory runs out. */
static char *heading_of(const mrw_session_model *model, uint32_t clip, bool named)
{
    mrw_text text = {0};
    if (named || clip == MRW_NONE) {
        mrw_text_add(&text, "%s", model->name);
    }
    if (clip != MRW_NONE) {
        mrw_text_add(&text, "%s%s", named ? ": " : "", mrw_session_clip_name(model, clip));
    }
    return mrwi_plan_take(&text);
}

/* Returns a caption: "0.25 s", "front", "front 0.25 s", or "depth 0.25 s" for a pass. NULL if
 * memory runs out. */
static char *caption_of(const mrw_plan *plan, uint32_t entry, bool timed)
{
    const uint32_t each = mrw_plan_passes_files(&plan->passes);
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
    return mrwi_plan_take(&text);
}

/* Makes room for `more` labels, and returns the first of them or NULL. */
static mrw_output_label *grow(mrw_plan_labels *labels, uint32_t more)
{
    mrw_output_label *grown = mrwi_base_realloc(labels->items, labels->count * sizeof *grown,
                                                (size_t)labels->count + more, sizeof *grown);
    if (!grown) {
        return NULL;
    }
    labels->items = grown;
    memset(grown + labels->count, 0, more * sizeof *grown);
    return grown + labels->count;
}

mrw_status mrw_plan_labels_add(mrw_plan_labels *labels, const mrw_session_model *model,
                               const mrw_plan *plan, bool named, mrw_error *error)
{
    const uint32_t each = mrw_plan_passes_files(&plan->passes), more = plan->pictures.count * each;
    const bool differ = times_differ(plan);
    uint32_t first = labels->count;
    mrw_output_label *label = grow(labels, more);
    if (!label) {
        return mrwi_base_fail_memory(error, 0);
    }
    for (uint32_t i = 0; i < more; i++, label++) {
        const mrw_picture *picture = &plan->pictures.items[i / each];
        if (i > 0 && plan->pictures.items[(i - 1) / each].clip == picture->clip) {
            label->heading = label[-1].heading;
        } else {
            first = labels->count;
            label->heading = heading_of(model, picture->clip, named);
        }
        label->group = first;
        const bool timed = differ || (picture->clip != MRW_NONE && plan->view_count == 1);
        const bool captioned = timed || plan->view_count > 1 || plan->passes.each;
        label->caption = captioned ? caption_of(plan, i, timed) : NULL;
        labels->count++;
        if (!label->heading || (captioned && !label->caption)) {
            return mrwi_base_fail_memory(error, 0);
        }
    }
    return MRW_OK;
}

mrw_status mrw_plan_labels_add_note(mrw_plan_labels *labels, const char *path, const char *note,
                                    mrw_error *error)
{
    const char *slash = strrchr(path, '/');
    mrw_output_label *label = grow(labels, 1);
    if (!label) {
        return mrwi_base_fail_memory(error, 0);
    }
    *label = (mrw_output_label){.group = labels->count++,
                                .heading = mrwi_plan_copy(slash ? slash + 1 : path),
                                .note = mrwi_plan_copy(note)};
    return label->heading && label->note ? MRW_OK : mrwi_base_fail_memory(error, 0);
}

/* The first label of a group owns the heading of all. */
void mrw_plan_labels_keep_notes(mrw_plan_labels *labels)
{
    for (uint32_t i = 0; i < labels->count; i++) {
        mrw_output_label *label = &labels->items[i];
        if (label->group == i) {
            mrwi_base_free((char *)label->heading);
        }
        mrwi_base_free((char *)label->caption);
        label->heading = label->caption = NULL;
    }
}

void mrw_plan_labels_free(mrw_plan_labels *labels)
{
    mrw_plan_labels_keep_notes(labels);
    for (uint32_t i = 0; i < labels->count; i++) {
        mrwi_base_free((char *)labels->items[i].note);
    }
    mrwi_base_free(labels->items);
    *labels = (mrw_plan_labels){0};
}
