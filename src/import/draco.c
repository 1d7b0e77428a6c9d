/* draco.c: answers a request of the glTF reader: one mesh after the other, into one block. */
#include "import/draco.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* The answer so far. */
typedef struct answer {
    uint8_t *bytes;
    size_t size, room;
} answer;

/* Appends `size` zeroed bytes at a multiple of 8; NULL when out of memory. */
static uint8_t *append(answer *a, uint64_t size)
{
    const uint64_t at = (a->size + 7) & ~UINT64_C(7), end = at + size;
    if (end > SIZE_MAX / 4) {
        return NULL;
    }
    if (end > a->room) {
        const size_t room = end / 2 > a->room ? (size_t)end : 2 * a->room;
        uint8_t *bytes = mrwi_base_realloc(a->bytes, a->size, room, 1);
        if (!bytes) {
            return NULL;
        }
        a->bytes = bytes;
        a->room = room;
    }
    memset(a->bytes + a->size, 0, (size_t)end - a->size);
    a->size = (size_t)end;
    return a->bytes + at;
}

/* Counts the values of a mesh other than its indices. */
static uint64_t count_values(const mrwi_load_draco_head *head,
                             const mrwi_load_draco_attribute *attributes)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < head->attributes; i++) {
        count += (uint64_t)head->points * attributes[i].components;
    }
    return count;
}

/* Writes the mesh after its head. Returns false with the reason if it is damaged. */
static bool write_mesh(const mrwi_import_draco_mesh *mesh, const mrwi_load_draco_head *head,
                       uint8_t *to)
{
    const mrwi_load_draco_attribute *attributes = (const void *)(to + sizeof *head);
    uint32_t *values =
        (uint32_t *)(void *)(to + sizeof *head + head->attributes * sizeof *attributes);
    bool good = mrwi_import_draco_indices(mesh, values);
    values += (size_t)head->faces * 3;
    for (uint32_t i = 0; good && i < head->attributes; i++) {
        good = mrwi_import_draco_values(mesh, i, values);
        values += (size_t)head->points * attributes[i].components;
    }
    return good;
}

/* Appends one mesh, or why there is none. Returns false when out of memory. */
static bool append_mesh(answer *a, const uint8_t *bytes, size_t size, uint64_t *elements_left,
                        mrwi_load_draco_range *out)
{
    mrwi_load_draco_head head;
    mrwi_import_draco_mesh *mesh = mrwi_import_draco_open(bytes, size, &head);
    const size_t start = (a->size + 7) & ~(size_t)7;
    uint64_t table = head.attributes * sizeof(mrwi_load_draco_attribute);
    uint8_t *to = append(a, sizeof head + table);
    if (mesh && to) {
        mrwi_load_draco_attribute *attributes = (void *)(to + sizeof head);
        mrwi_import_draco_attributes(mesh, attributes);
        const uint64_t count = 3 * (uint64_t)head.faces + count_values(&head, attributes);
        if (count > *elements_left) {
            snprintf(head.reason, sizeof head.reason, "it contains more elements than allowed");
        } else if (!append(a, 4 * count)) {
            to = NULL;
        } else {
            *elements_left -= count;
            to = a->bytes + start;
            if (!write_mesh(mesh, &head, to)) {
                snprintf(head.reason, sizeof head.reason,
                         "it refers to data that it does not contain");
            }
        }
    }
    mrwi_import_draco_close(mesh);
    if (!to) {
        return false;
    }
    if (!mesh || head.reason[0] != '\0') {
        head.points = head.faces = head.attributes = 0;
        head.failed = 1;
    }
    memcpy(to, &head, sizeof head);
    *out = (mrwi_load_draco_range){start, a->size - start};
    return true;
}

mrw_status mrwi_import_draco_read(const uint8_t *request, size_t size, uint64_t max_elements,
                                  uint8_t **out, size_t *out_size, mrw_error *error)
{
    const mrwi_load_draco_range *wanted = (const void *)(request + sizeof(uint64_t));
    uint64_t count = 0;
    memcpy(&count, request, size >= sizeof count ? sizeof count : 0);
    answer a = {NULL, 0, 0};
    bool good = append(&a, count * sizeof *wanted);
    for (uint64_t i = 0; good && i < count; i++) {
        mrwi_load_draco_range range;
        good = append_mesh(&a, request + wanted[i].offset, (size_t)wanted[i].size, &max_elements,
                           &range);
        if (good) {
            memcpy(a.bytes + i * sizeof range, &range, sizeof range);
        }
    }
    if (!good) {
        mrwi_base_free(a.bytes);
        return mrwi_base_fail_memory(error, 0);
    }
    *out = a.bytes;
    *out_size = a.size;
    return MRW_OK;
}
