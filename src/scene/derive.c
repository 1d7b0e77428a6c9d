/* derive.c: makes a scene's block of memory from another one's, with some sections changed. */
#include "scene/derive.h"

#include "base/text.h"

#include <string.h>

static void fill_section(const mrw_scene *base, const mrwi_scene_changes *changes, int section,
                         const mrwi_scene_blob_header *header, char *blob)
{
    const mrwi_scene_blob_header *old = base->blob;
    const mrwi_scene_pool *pool = &changes->draft.pools[section];
    const size_t entry = mrwi_scene_sections[section].entry_size;
    const size_t kept =
        changes->replaced[section] ? 0 : (size_t)old->sections[section].count * entry;
    char *place = blob + header->sections[section].offset;
    memcpy(place, (const char *)base->blob + old->sections[section].offset, kept);
    if (pool->count > 0) {
        memcpy(place + kept, pool->data, (size_t)pool->count * entry);
    }
}

mrw_status mrwi_scene_derive(const mrw_scene *base, const mrwi_scene_changes *changes,
                             const char *file_name, mrw_scene **out, mrw_error *error)
{
    const mrwi_scene_blob_header *old = base->blob;
    mrwi_scene_blob_header header;
    mrwi_scene_blob_header_init(&header);
    header.hashed_strings = old->hashed_strings;
    header.default_clip = old->default_clip;
    header.format = old->format;
    for (int s = 0; s < MRWI_SCENE_SECTION_COUNT; s++) {
        header.sections[s].count =
            (changes->replaced[s] ? 0 : old->sections[s].count) + changes->draft.pools[s].count;
    }
    if (!mrwi_scene_blob_layout(&header)) {
        return mrwi_base_fail(error, MRW_ERROR_INPUT, "%s: the model becomes too large",
                              changes->draft.file);
    }
    char *blob = mrwi_base_alloc_zero((size_t)header.size, 1);
    if (!blob) {
        return mrwi_base_fail_memory(error, (size_t)header.size);
    }
    memcpy(blob, &header, sizeof header);
    for (int s = 0; s < MRWI_SCENE_SECTION_COUNT; s++) {
        fill_section(base, changes, s, &header, blob);
    }
    const mrw_status status = mrwi_scene_from_blob(blob, header.size, file_name, out, error);
    if (status) {
        mrwi_base_free(blob);
    }
    return status;
}
