/* draco.h: meshes of KHR_draco_mesh_compression, decoded for the glTF reader by libdraco. */
#ifndef MRWI_IMPORT_DRACO_H
#define MRWI_IMPORT_DRACO_H

#include "load/draco.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Answers a request as in load/draco.h. A damaged mesh, or one with more indices and values than
 * are left of max_elements, has failed in the answer. The importer's `main` and module call it. */
mrw_status mrwi_import_draco_read(const uint8_t *request, size_t size, uint64_t max_elements,
                                  uint8_t **answer, size_t *answer_size, mrw_error *error);

/* ---- draco_mesh.cc: all of libdraco that is used; it throws nothing -------------------------- */
typedef struct mrwi_import_draco_mesh mrwi_import_draco_mesh;

/* Decodes a mesh and fills *head. NULL with the reason if it is damaged. */
mrwi_import_draco_mesh *mrwi_import_draco_open(const uint8_t *bytes, size_t size,
                                               mrwi_load_draco_head *head);
void mrwi_import_draco_close(mrwi_import_draco_mesh *mesh); /* NULL allowed */
/* Fills head->attributes entries. */
void mrwi_import_draco_attributes(const mrwi_import_draco_mesh *mesh,
                                  mrwi_load_draco_attribute *out);
/* Writes 3 indices per face. Returns false if one is not a point of the mesh. */
bool mrwi_import_draco_indices(const mrwi_import_draco_mesh *mesh, uint32_t *out);
/* Writes points · components values of the attribute at place `index`. Returns false if one is
 * missing. */
bool mrwi_import_draco_values(const mrwi_import_draco_mesh *mesh, uint32_t index, uint32_t *out);

#ifdef __cplusplus
}
#endif

#endif
