/* hide.c: a scene without what some nodes draw. */
#include "scene/derive.h"

mrw_status mrwi_scene_hide(const mrw_scene *base, uint8_t *hidden, const char *file_name,
                           mrw_scene **out, mrw_error *error)
{
    mrwi_scene_changes changes = {.replaced = {[MRWI_SCENE_SECTION_draws] = true}};
    *out = NULL;
    for (uint32_t i = 0; i < base->nodes_count; i++) { /* parents come first */
        const uint32_t parent = base->nodes[i].parent;
        hidden[i] = hidden[i] || (parent != MRW_NONE && hidden[parent]);
    }
    mrw_status status = mrwi_scene_draft_begin(&changes.draft, file_name, error);
    for (uint32_t i = 0; i < base->draws_count && !status; i++) {
        uint32_t index;
        if (!hidden[base->draws[i].node]) {
            status = mrwi_scene_push(&changes.draft, MRWI_SCENE_SECTION_draws, &base->draws[i],
                                     &index, error);
        }
    }
    if (!status) {
        status = mrwi_scene_derive(base, &changes, file_name, out, error);
    }
    mrwi_scene_draft_free(&changes.draft);
    return status;
}
